"""The same attack under several editions, side by side, and which rules make the difference."""

from __future__ import annotations

import re
from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from mathhammer import validation
from mathhammer.display import Catalogue, Displayed
from mathhammer.display.numbers import number, percent
from mathhammer.display.panel import Means, Panel, TablePart
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError
from mathhammer.systems.wh40k.attacks.attack import attack
from mathhammer.systems.wh40k.editions import EDITIONS, find_edition
from mathhammer.systems.wh40k.editions.edition import Edition
from mathhammer.systems.wh40k.profiles.targets import read_target
from mathhammer.systems.wh40k.rules.roll import rules_of_attacker, rules_of_target
from mathhammer.systems.wh40k.rules.rule import Ability, ActiveRule, Rule
from mathhammer.systems.wh40k.sequence.compile import volleys_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mathhammer.display.panel import Picture, Pictures
    from mathhammer.sequence.explanation import Step
    from mathhammer.systems.wh40k.attacks.result import AttackResult
    from mathhammer.systems.wh40k.profiles.targets import Attackable
    from mathhammer.systems.wh40k.situation import SituationKeywords, Weapons


#: The rolls whose rules a step of an explanation shows.
_ROLLS = {name: name.lower() for name in ("Attacks", "Hit", "Wound", "Save", "Damage")}
_ROLLS |= dict.fromkeys(("Feel No Pain", "Damage to 0"), "damage")
#: What follows from the steps before, or is a number of the result.
_CONSEQUENCES = frozenset(
    ["Each attack", "Each unsaved", "Damage in all", "Wounds lost", "Models lost", "Destroyed", "Ruling"]
)
#: Behaviour of an edition that has no such step.
_OTHERWISE = {
    "Groups": "each wound is allocated on its own",
    "Saves": "one save after another, each for the model that the wound is allocated to",
    "Toughness": "that of the unit when it was chosen as the target",
    "Each devastating": "no wound is devastating",
}


class EditionDifference(NamedTuple):
    """A step of an attack that editions do not resolve alike."""

    #: Its name, behind that of the weapon where several attack.
    step: str
    #: What each edition does in it: what is needed, what modifies it, what comes out.
    by_edition: Mapping[str, str]
    #: Those in force in it that are not the same in all editions, each with its editions and its source.
    rules: tuple[str, ...]

    def __str__(self) -> str:
        alike = (f"  {', '.join(names)}: {text}" for text, names in self.alike().items())
        return "\n".join([self.step, *alike])

    def alike(self) -> dict[str, list[str]]:
        """Return the editions that do the same, by what they do."""
        texts = dict.fromkeys(self.by_edition.values())
        return {text: [name for name, said in self.by_edition.items() if said == text] for text in texts}


class EditionComparison(Catalogue["AttackResult"]):
    """Results of one attack by edition; ``print`` shows their means side by side."""

    def __init__(self, results: Mapping[str, AttackResult]) -> None:
        super().__init__("editions", results)

    def rows(self) -> list[tuple[Any, ...]]:
        """Return what each number is called, and its value in each edition, as data."""
        return self._rows(lambda result: result)

    def _rows(self, numbers_of: Callable[[Any], Any]) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for name in ("attacks", "hits", "wounds", "unsaved", "damage", "wounds_lost", "kills"):
            with suppress(MathhammerError):  # of those that an edition has not
                means = [numbers_of(getattr(each, name)).mean() for each in self.values()]
                found.append((f"mean {name.replace('_', ' ')}", *means))
        return [*found, ("P(destroyed)", *(numbers_of(each).probability_destroyed for each in self.values()))]

    def differences(self) -> tuple[EditionDifference, ...]:
        """Return the steps that the editions do not resolve alike, and which rules make the difference.

        Steps that only follow from others are left out. Where all steps are alike and the losses are not, the
        editions differ in how wounds are allocated.
        """
        steps = {edition: _steps(result) for edition, result in self.items()}
        keys = _in_order(steps.values())
        several = len({volley for volley, *_ in keys}) > 1
        volleys = volleys_of(next(iter(self.values())).compiled())
        weapons = [*(each.stages[0].weapon.name for each in volleys), "Attack"]  # before the first, at -1
        differences = []
        for key in keys:
            volley, name, _ = key
            texts = {edition: _text(found.get(key)) for edition, found in steps.items()}
            # An edition without critical rolls does not differ by having none.
            plain = {_text(found.get(key), criticals=False) for found in steps.values()}
            if max(len(plain), len({texts[each] for each in self if find_edition(each).critical})) > 1:
                rules = {edition: _active_rules(result, volley, name) for edition, result in self.items()}
                said = {edition: text or _silent(name, rules[edition]) for edition, text in texts.items()}
                label = f"{weapons[volley]}: {name}" if several else name
                differences.append(EditionDifference(label, said, _not_shared(rules)))
        if not differences and len({tuple(in_fractions(each).state.items()) for each in self.values()}) > 1:
            allocated = {name: _allocation(result) for name, result in self.items()}
            differences.append(EditionDifference("Allocation", allocated, ()))
        return tuple(differences)

    __repr__ = Displayed.__repr__

    def _data(self) -> dict[str, Any]:
        """Return what is shown with the results, each as its own JSON says."""
        results = {name: each._data() for name, each in self.items()}  # noqa: SLF001 - of its own base
        differences = [*map(EditionDifference._asdict, self.differences())]
        return {**super()._data(), "editions": results, "differences": differences}

    def _headline(self) -> str:
        return f"{self._attack()}\n{self._line()}"

    def _attack(self) -> str:
        return next(iter(self.values())).explain().heading.rpartition(" (")[0]

    def _line(self) -> str:
        kills = (f"{each} {number(in_fractions(self[each]).kills.mean())}" for each in self)
        return f"mean models destroyed: {', '.join(kills)}"

    def _pictures(self) -> Pictures:
        drawn: dict[str, Callable[[], Picture]] = {"kills": self._kills}
        for edition, result in self.items():
            drawn |= {f"{edition} {name}": make for name, make in result._pictures().items()}  # noqa: SLF001
        return drawn

    def _kills(self) -> Means:
        laws = [in_fractions(result.kills) for result in self.values()]
        means = [float(law.mean()) for law in laws]
        spans = [(float(law.icdf(0.05)), float(law.icdf(0.95))) for law in laws]
        return Means("models destroyed", [*self], means, spans, [*map(number, means)])

    def _panel(self) -> Panel:
        *means, (_, *chances) = self._rows(in_fractions)
        rows = [[name, *(number(value, digits=4) for value in values)] for name, *values in means]
        parts = [TablePart(["", *self], [*rows, ["P(destroyed)", *map(percent, chances)]])]
        differences = self.differences()
        why = [
            ["" if place else each.step, ", ".join(names), text]
            for each in differences
            for place, (text, names) in enumerate(each.alike().items())
        ]
        if why:
            parts.append(TablePart(["step", "edition", "what it does"], why, "<<<", caption="What differs"))
        sources = dict.fromkeys(rule for difference in differences for rule in difference.rules)
        return Panel(self._attack(), {}, parts, list(sources))


def _steps(result: AttackResult) -> dict[tuple[int, str, int], Step]:
    """Return the steps of an explanation by volley, by name, and by how many of that name come before."""
    found: dict[tuple[int, str, int], Step] = {}
    weapons = [each.stages[0].weapon for each in volleys_of(result.compiled())]
    # What an edition does not know is called as the weapon has it: "Sustained Hits 1".
    abilities = {str(keyword): keyword.name for weapon in weapons for keyword in weapon.keywords}
    volley = -1
    for step in result.explain():
        if step.name == "Weapon":
            volley += 1
        elif step.name not in _CONSEQUENCES:
            called = abilities.get(step.name, step.name)
            place = sum((at, name) == (volley, called) for at, name, _ in found)
            found[volley, called, place] = step
    return found


def _in_order(each: Iterable[Iterable[tuple[int, str, int]]]) -> list[tuple[int, str, int]]:
    """Return the steps of several explanations, each behind the one that it follows in its own."""
    keys: list[tuple[int, str, int]] = []
    for found in each:
        place = 0
        for key in found:
            if key not in keys:
                keys.insert(place, key)
            place = keys.index(key) + 1
    return keys


def _text(step: Step | None, *, criticals: bool = True) -> str:
    """Return what a step says, with critical results or without: what acts on these has a step of its own."""
    if step is None:
        return ""
    shown = [each for each in step.probabilities if criticals or each.name != "critical"]
    came = f" = {', '.join(map(str, shown))}" if shown else ""
    return "; ".join([step.text, *step.modifiers]) + came


def _silent(step: str, rules: Sequence[ActiveRule]) -> str:
    """Say what an edition does in a step that it does not have."""
    if step in _ROLLS or not rules:
        return _OTHERWISE.get(step, "no change")
    speaks = any(isinstance(each.rule, Ability) and each.rule.says is not None for each in rules)
    return "has no effect here" if speaks else "in force"


def _active_rules(result: AttackResult, volley: int, step: str) -> list[ActiveRule]:
    """Return the rules in force on the roll of a step, or those of which it has the name."""
    found: list[ActiveRule] = []
    for stages in volleys_of(result.compiled())[volley].stages if volley >= 0 else ():
        of = stages.weapon, stages.target.keywords, stages.situation, stages.edition
        for rules in (rules_of_attacker(*of), rules_of_target(stages.target, stages.edition)):
            if step in _ROLLS:
                found += getattr(rules, _ROLLS[step])
            else:
                every = (*rules.attacks, *rules.hit, *rules.wound, *rules.save, *rules.damage)
                found += [each for each in every if step in {_name(each), each.rule.name}]
    return found


def _name(rule: ActiveRule) -> str:
    return str(rule.value) if isinstance(rule.rule, Ability) else rule.rule.name


def _not_shared(rules: Mapping[str, Iterable[ActiveRule]]) -> tuple[str, ...]:
    """Return those rules that are not the same entry in all editions, with their editions and their source."""
    editions: dict[tuple[str, Rule], dict[str, None]] = defaultdict(dict)
    for edition, found in rules.items():
        for each in found:
            editions[_name(each), each.rule][edition] = None
    return tuple(
        f"{', '.join(names)}: {name} ({rule.source})"
        for (name, rule), names in editions.items()
        if len(names) < len(rules)
    )


def _allocation(result: AttackResult) -> str:
    """Say how an edition allocates wounds and when devastating ones are inflicted."""
    edition = find_edition(result.edition).ruled(result.rulings)
    pools = "identical attacks together, saved from the lowest die up"
    saves = pools if edition.in_pools else "one attack after another"
    of_unit = edition.deferred_to_end_of_unit["devastating"]
    wounds = "all attacks of the unit" if of_unit else "those of their weapon"
    return f"{saves}; devastating wounds after {wounds}"


def compare_editions(
    weapons: Weapons,
    target: Attackable,
    /,
    *,
    editions: str | Sequence[str | Edition] = tuple(EDITIONS),
    count: int = 1,
    rulings: Mapping[str, Mapping[str, str] | str] | None = None,
    exact: bool = False,
    **situation: Unpack[SituationKeywords],
) -> EditionComparison:
    """Resolve the same attacks under several editions.

    Parameters
    ----------
    weapons, exact, **situation
        As for :func:`mathhammer.wh40k.attack`; an edition ignores what it does not know, and ``explain()`` says so.
    target
        The same target for all: a label is the standard target of the default edition.
    editions
        Their names, with commas between them; by default all. A list may hold editions with rules of your own too.
    count
        Number of each weapon that is given without one.
    rulings
        Of an edition its options for disputed points; or options alone, each for the editions that know it.

    Examples
    --------
    >>> from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
    >>> bolter = Weapon.parse('Bolter: 24" A1 BS3+ S4 AP0 D1 [RAPID FIRE 1]')
    >>> marines = Target("Marines", toughness=4, save="3+", wounds=2, models=5)
    >>> every = compare_editions(bolter, marines, cover={"light", "dense"}, exact=True)
    >>> every["9e"].unsaved.mean(), every["10e"].unsaved.mean()
    (1/24, 1/9)
    """
    expected = "several editions to compare, such as ('10e', '11e')"
    given = validation.items([editions] if isinstance(editions, str) else editions, (str, Edition), expected)
    names = [
        one for each in given for one in (re.split(r"\s*,\s*", each) if isinstance(each, str) else [each])
    ]
    if not names:
        raise MathhammerError(f"expected {expected}, got none")
    of_rulings = "rulings by edition", "such as {'9e': {'fast_rolling': 'similar'}}"
    by_edition = validation.mapping({} if rulings is None else rulings, *of_rulings)
    chosen = {name: each for name, each in by_edition.items() if isinstance(each, str)}
    known = [{ruling.name for ruling in find_edition(name).rulings} for name in names]
    known[-1] |= chosen.keys() - set().union(*known)  # which refuses what none of them knows
    results, attacked = {}, read_target(target)
    for name, own in zip(names, known, strict=True):
        ruled = {**validation.mapping(by_edition.get(name, {}), *of_rulings)}
        ruled |= {each: chosen[each] for each in chosen if each in own}
        about: Any = {"edition": name, "rulings": ruled, "exact": exact, **situation}
        results[find_edition(name).name] = attack(weapons, attacked, count=count, **about)
    return EditionComparison(results)
