"""The panel of an attack: sliders and toggles for its arguments, and the distributions that come out."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mathhammer.errors import MathhammerError
from mathhammer.interactive.controls import (
    buttons,
    choice,
    cover_options,
    fill_target,
    fill_weapon,
    ipywidgets,
    label_situation,
    ruling_controls,
    situation_controls,
    target_controls,
    weapon_arguments,
    weapon_controls,
    worded,
)
from mathhammer.interactive.layout import EXPLANATION, RULINGS, TEXT, arranged, folded
from mathhammer.interactive.rules import RuleSwitches
from mathhammer.interactive.sides import attackers_of, defenders_of, units_of
from mathhammer.page.report import Shown, details, message, printed, report
from mathhammer.systems import wh40k
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, find_edition
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mathhammer.interactive.controls import Widget
    from mathhammer.interactive.sides import Attackers, Defenders
    from mathhammer.sequence import AttackResult

_OWN = "your own"
_WEAPONS = {
    "Rifles": wh40k.Volley(wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP-1 D1'), 10),
    "Lascannons": wh40k.Volley(wh40k.Weapon.parse('Lascannon: 48" A1 BS3+ S12 AP-3 DD6+1 [HEAVY]'), 2),
    "Chainswords": wh40k.Volley(wh40k.Weapon.parse("Chainsword: A4 WS3+ S4 AP-1 D1"), 5),
}
#: What stands for all other arguments when one text alone is tried.
_PLAIN: Mapping[str, Mapping[str, object]] = {
    "weapon": {"range": "", "attacks": 1, "skill": 3, "strength": 4, "ap": 0, "damage": 1},
    "target": {"toughness": 4, "save": 3, "wounds": 1},
}


class AttackPanel:
    """An attack of Warhammer 40,000 under sliders and toggles; the result follows every change.

    A notebook shows the panel that is the last value of a cell. The panel computes nothing itself: its controls are
    the arguments of :func:`mathhammer.wh40k.attack`, and what the library says of a wrong one stands below it.

    Parameters
    ----------
    weapons
        Weapons to choose from, by the name to show; a volley also says how many there are. By default three
        typical ones. Several volleys together, a unit, or the units of an army attack as they are: their
        characteristics are not under the controls.
    targets
        Targets to choose from, by the name to show; by default the standard targets of the edition. Units with
        several kinds of models or with leaders, and the units of an army, are attacked as they are.
    edition
        Name of the edition to start with; the panel has a choice of all of them. By default that of the army.

    Attributes
    ----------
    weapon, target, situation, rulings
        The controls by the name of the argument that each sets; ``weapon["count"]`` is the number of weapons. An
        ability with a box of its own stands in `weapon` under its own name.
    rules, target_rules
        Switches for the rules of a unit of a list that is chosen on either side, by name in ``controls``.
    weapons, targets, edition, exact, compare
        What chooses a weapon, a target and an edition, shows fractions, and keeps a result as the reference.
    widget
        The ipywidgets widget that holds them all.
    result
        The :class:`mathhammer.sequence.AttackResult` on display, or None where the controls make no attack.
    error
        What the library says of the controls then.

    Examples
    --------
    >>> panel = AttackPanel(edition="10e")
    >>> panel.weapons.value, panel.targets.value = "Lascannons", "VEQ"
    >>> panel.exact.value = True
    >>> panel.result.probability_destroyed
    125/2187
    """

    def __init__(
        self,
        weapons: Mapping[str, Attackers] | wh40k.Army | None = None,
        targets: Mapping[str, Defenders] | wh40k.Army | None = None,
        edition: str | None = None,
    ) -> None:
        widgets = ipywidgets()
        if edition is None:
            armies = [each.edition for each in (weapons, targets) if isinstance(each, wh40k.Army)]
            edition = armies[0] if armies else DEFAULT_EDITION
        self._weapons = {
            name: _named(weapon, name)
            for name, weapon in attackers_of(_WEAPONS if weapons is None else weapons).items()
        }
        self._targets = {
            name: replace(target, name=name)
            for name, target in defenders_of(
                wh40k.TARGETS.of(edition) if targets is None else targets
            ).items()
        }
        self._units = units_of({} if targets is None else targets)
        self.rules = RuleSwitches("Rules of the attackers", "attack", self._update)
        self.target_rules = RuleSwitches("Rules of the target", "defence", self._switch_target)
        self.weapon, self.target, self.situation = weapon_controls(), target_controls(), situation_controls()
        self._usual = {name: control.value for name, control in self.situation.items()}
        self.weapons = _presets({_label(name, each): name for name, each in self._weapons.items()})
        self.targets = _presets({_label(name, each): name for name, each in self._targets.items()})
        if targets is None:
            self.targets.value = "MEQ"
        editions = [(name.replace("e", "th"), name) for name in wh40k.EDITIONS]
        self.edition = buttons("Edition", editions, find_edition(edition).name)
        self.exact = widgets.Checkbox(description="Show fractions", indent=False)
        self.compare = widgets.ToggleButton(layout={"width": "14em"})
        self.rulings: dict[str, Widget] = {}
        self._incoming: tuple[wh40k.Incoming, ...] = ()
        self.result: AttackResult[Any] | None = None
        self.error = ""
        self._shown: Shown | None = None
        self._reference: Shown | None = None
        self._busy = True
        self._notes = {control: widgets.HTML() for control in self._texts()}
        self._output, self._details = widgets.HTML(), widgets.HTML()
        self._folded = folded()
        self.widget = arranged(self, self._notes, self._output, self._details, self._folded)
        self._watch()
        self._choose_edition()
        self._choose_weapon()
        self._choose_target()
        self._keep()
        self._busy = False
        self._update()

    def _repr_mimebundle_(self, **kwargs: object) -> object:
        """Show the panel where a notebook shows the value of a cell."""
        return self.widget._repr_mimebundle_(**kwargs)

    def _texts(self) -> list[Widget]:
        """Return the controls in which anything can be written."""
        controls = (*self.weapon.values(), *self.target.values())
        return [control for control in controls if isinstance(control, ipywidgets().Text)]

    def _watch(self) -> None:
        """Follow every control; what is changed by hand is no longer what was chosen from the list."""
        self.weapons.observe(self._choose_weapon, names="value")
        self.targets.observe(self._choose_target, names="value")
        self.edition.observe(self._choose_edition, names="value")
        for chooser, controls in ((self.weapons, self.weapon), (self.targets, self.target)):
            for name, control in controls.items():
                if name not in {"count", "models"}:
                    control.observe(lambda _, chooser=chooser: self._own(chooser), names="value")
        for control in (*self.weapon.values(), *self.target.values(), *self.situation.values(), self.exact):
            control.observe(self._update, names="value")
        self.compare.observe(self._keep, names="value")
        self._folded.observe(self._unfold, names="selected_index")

    def _own(self, chooser: Widget) -> None:
        if not self._busy:
            chooser.value = _OWN

    @contextmanager
    def _one_update(self) -> Iterator[None]:
        """Compute once after several controls are set, and not after each."""
        outer, self._busy = self._busy, True
        try:
            yield
        finally:
            self._busy = outer
        self._update()

    def _choose_weapon(self, _: object = None) -> None:
        with self._one_update():
            volley = self._weapons.get(self.weapons.value)
            self.rules.choose(volley if isinstance(volley, wh40k.Unit) else None)
            _enable(self.weapon, fixed=volley is not None and not isinstance(volley, wh40k.Volley))
            if isinstance(volley, wh40k.Volley):
                fill_weapon(self.weapon, volley)

    def _choose_target(self, _: object = None) -> None:
        with self._one_update():
            self.target_rules.choose(self._units.get(self.targets.value))
            target = self._chosen_target()
            _enable(self.target, fixed=isinstance(target, wh40k.TargetUnit))
            if isinstance(target, wh40k.Target):
                fill_target(self.target, target)
                self._incoming = target.incoming  # which no control holds
            elif target is not None:
                self._incoming = ()

    def _switch_target(self) -> None:
        """Show the chosen target with the rules that are switched on now."""
        chosen = self.targets.value
        with self._one_update():
            self._choose_target()
            self.targets.value = chosen

    def _chosen_target(self) -> wh40k.Target | wh40k.TargetUnit | None:
        """Return what was chosen from the list, with the rules that are switched by hand."""
        target, unit = self._targets.get(self.targets.value), self.target_rules.switched()
        if target is None or unit is None or not self.target_rules.words():
            return target
        return replace(unit.as_target_unit(), name=target.name)

    def _choose_edition(self, _: object = None) -> None:
        with self._one_update():
            label_situation(self.situation, self.edition.value)
            self.situation["cover"].options = cover_options(self.edition.value)
            self.rulings = ruling_controls(self.edition.value)
            for control in self.rulings.values():
                control.observe(self._update, names="value")
            self._folded.children[RULINGS].children = tuple(self.rulings.values())

    def _attack(self) -> AttackResult[Any]:
        """Return what the library makes of the controls."""
        weapon = self._weapon()
        return wh40k.attack(
            weapon,
            self._target(),
            count=self.weapon["count"].value if isinstance(weapon, wh40k.Weapon) else 1,
            edition=self.edition.value,
            rulings={name: control.value for name, control in self.rulings.items()},
            exact=self.exact.value,
            **{name: control.value for name, control in self._in_force(self.situation)},
        )

    def _weapon(self) -> Attackers:
        """Return the weapon under the controls, or what attacks as it is."""
        chosen = self._weapons.get(self.weapons.value)
        if isinstance(chosen, wh40k.Unit):
            return self.rules.switched() or chosen
        if chosen is not None and not isinstance(chosen, wh40k.Volley):
            return chosen
        name = "Weapon" if self.weapons.value == _OWN else self.weapons.value
        return wh40k.Weapon(name, **weapon_arguments(self.weapon))

    def _target(self) -> wh40k.Target | wh40k.TargetUnit:
        """Return the target under the controls, or the unit that is attacked as it is."""
        chosen = self._chosen_target()
        if isinstance(chosen, wh40k.TargetUnit):
            return chosen
        name = "Target" if self.targets.value == _OWN else self.targets.value
        return wh40k.Target(name, incoming=self._incoming, **_values(self.target))

    def _in_force(self, controls: Mapping[str, Widget]) -> list[tuple[str, Widget]]:
        """Return the controls that are not as at the start, where nothing is so."""
        return [(name, control) for name, control in controls.items() if control.value != self._usual[name]]

    def _update(self, _: object = None) -> None:
        if self._busy:
            return
        self.result, self.error = None, ""
        try:
            self.result = self._attack()
            self._shown = Shown(self._caption(), self.result)
        except MathhammerError as error:
            self.error = str(error)
        finally:
            # Whatever happens, no old number may look like the answer.
            self._show()

    def _show(self) -> None:
        """Show the result, or the last one greyed and what is wrong at the control that is."""
        wrong = self._wrong_texts() if self.result is None else {}
        for control, note in self._notes.items():
            note.value = message(wrong[control]) if control in wrong else ""
            note.layout.display = None if control in wrong else "none"
        self.compare.disabled = self.result is None and self._reference is None
        reason = ""
        if self.result is None:
            where = " and ".join(control.description for control in wrong)
            reason = f"Not computed, see {where}." if where else self.error or "Not computed."
        self._output.value = report(self._shown, self._reference, reason)
        self._details.value = details(self.result)
        self._unfold()

    def _wrong_texts(self) -> dict[Widget, str]:
        """Return the texts that the library refuses by themselves, and what it says of each."""
        profiles: tuple[tuple[str, Mapping[str, Widget], Any, Any], ...] = (
            ("weapon", self.weapon, wh40k.Weapon, weapon_arguments),
            ("target", self.target, wh40k.Target, _values),
        )
        wrong = {}
        for kind, controls, profile, arguments in profiles:
            for name, control in controls.items():
                if control in self._notes and not control.disabled:
                    try:
                        profile(kind, **{**_PLAIN[kind], **arguments({name: control})})
                    except MathhammerError as error:
                        wrong[control] = str(error)
        return wrong

    def _caption(self) -> str:
        """Say what was computed, so that a reference can be told from it."""
        words = [worded(control) for _, control in self._in_force(self.situation)]
        rulings = wh40k.EDITIONS[self.edition.value].rulings
        chosen = [(ruling.name, self.rulings[ruling.name].value, ruling.default) for ruling in rulings]
        words += [f"{name}: {option}" for name, option, default in chosen if option != default]
        words += [*self.rules.words(), *self.target_rules.words()]
        weapon, target = self._weapon(), self._target()
        attackers = (
            f"{self.weapon['count'].value}x {weapon}"
            if isinstance(weapon, wh40k.Weapon)
            else self.weapons.value
        )
        attack = f"{attackers} against {target if isinstance(target, wh40k.Target) else self.targets.value}"
        return "; ".join((attack, *words, f"edition {self.edition.value}"))

    def _keep(self, _: object = None) -> None:
        """Keep what is shown as the reference, or drop it."""
        self._reference = self._shown if self.compare.value else None
        self.compare.description = "Drop the reference" if self.compare.value else "Keep as the reference"
        self._update()

    def _unfold(self, _: object = None) -> None:
        """Write the steps, or the text, where they are unfolded: that takes longer than to compute the result."""
        place = self._folded.selected_index
        if place in {EXPLANATION, TEXT}:
            result = self.result
            text = result and (result.explain() if place == EXPLANATION else result.to_text())
            self._folded.children[place].value = printed("" if text is None else str(text))


def _named(weapon: Attackers, name: str) -> Attackers:
    """Return one weapon as a volley under the name that the panel shows; what attacks as it is stays so."""
    if not isinstance(weapon, wh40k.Weapon | wh40k.Volley):
        return weapon
    volley = weapon if isinstance(weapon, wh40k.Volley) else wh40k.Volley(weapon)
    if volley.situation:
        raise MathhammerError(
            f"expected volleys without a situation, got {shown(dict(volley.situation))}; the panel's toggles say it"
        )
    return wh40k.Volley(replace(volley.weapon, name=name), volley.count)


def _label(name: str, each: object) -> str:
    """Return what the list of presets calls it: the stat line where it is one."""
    if isinstance(each, wh40k.Volley):
        return f"{each.count}x {each.weapon}"
    return str(each) if isinstance(each, wh40k.Target) else name


def _values(controls: Mapping[str, Widget]) -> dict[str, Any]:
    """Return what the controls say, all of them or some, as arguments of a target."""
    return {name: control.value for name, control in controls.items()}


def _enable(controls: Mapping[str, Widget], *, fixed: bool) -> None:
    """Let the controls be changed, unless what is chosen is taken as it is."""
    for control in controls.values():
        control.disabled = fixed


def _presets(names: Mapping[str, str]) -> Widget:
    options = [*names.items(), (_OWN, _OWN)]
    return choice("From the list", options, options[0][1])
