"""Army, unit and wargear as an army list holds them, before anybody chooses what shoots at what."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.display import Displayed
from mathhammer.display.numbers import count
from mathhammer.display.panel import Panel, TablePart
from mathhammer.systems.wh40k.armies.choices import bodyguards, find_unit, join, require_legal, unit_keys
from mathhammer.systems.wh40k.unit_rules.switches import switch_army

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.systems.wh40k.armies.unit import Unit
    from mathhammer.systems.wh40k.unit_rules.rule import UnitRule


@dataclass(frozen=True, slots=True, repr=False)
class Army(Displayed):
    """An army list.

    Parameters
    ----------
    name, faction, detachments
        The name of the list, its faction or factions, and the names of the chosen detachments.
    edition, file_edition
        The edition whose rules are used, such as ``"10e"``, and the one that the list was written for, by default the
        same.
    points, units
        All points of the list; its units, in order.
    warnings
        Sentences about what was unclear, or could not be read and was left out.
    rules
        Rules of the army as a whole, of its detachments; off unless they are switched on.
    data_revision
        The state of the list builder's data when it was written; characteristics and points are of that day.

    Examples
    --------
    >>> from mathhammer.rosters import sample_army
    >>> army = sample_army()
    >>> army.name, len(army.units), army.points
    ('The Lantern League marches', 11, 1365)
    """

    name: str
    faction: str
    edition: str
    points: float
    units: tuple[Unit, ...]
    detachments: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    rules: tuple[UnitRule, ...] = ()
    file_edition: str = ""
    data_revision: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "file_edition", self.file_edition or self.edition)

    @property
    def unparsed_abilities(self) -> tuple[str, ...]:
        """Names of the rules of the army as a whole that are not computed."""
        return tuple(dict.fromkeys(rule.name for rule in self.rules if rule.not_computed))

    def with_rules(self, *, on: str | Iterable[str] = (), off: str | Iterable[str] = ()) -> Army:
        """Return the army with rules switched on and off.

        Parameters
        ----------
        on, off
            ``"Canis Rex: Legendary Freeblade"``, or the name alone for every unit that has the rule;
            ``"Death Jester: Cruel Amusement=Precision"`` chooses an item; ``"Engineer: Blessing > Tank"`` names the
            friendly unit that a rule is used on. A rule that reaches friendly units reaches all that it can.
        """
        return switch_army(self, on=on, off=off)

    @property
    def detachment(self) -> str:
        """Names of the detachments, as one text."""
        return ", ".join(self.detachments)

    @property
    def simplifications(self) -> tuple[str, ...]:
        """Simplifications of a computation, over all units, each sentence once."""
        return tuple(dict.fromkeys(sentence for unit in self.units for sentence in unit.simplifications))

    @property
    def unparsed(self) -> tuple[str, ...]:
        """All that was not understood: what was read with a doubt, and the rules that are not computed."""
        rules = [f"the army's rule {rule}" for rule in self.unparsed_abilities]
        rules += [f"{unit.name}: {rule}" for unit in self.units for rule in unit.unparsed_abilities]
        return tuple(dict.fromkeys((*self.warnings, *(f"{rule} is not computed" for rule in rules))))

    def attach(self, leader: str, bodyguard: str) -> Army:
        """Return the army with a leader attached to a unit: one unit from then on, to attack with and to attack.

        Text exports say who leads whom; other files do not.

        Parameters
        ----------
        leader, bodyguard
            Names of two units, letter case apart; of several with one name the first that is not attached yet.
            ``"Intercessors #2"`` is the second of that name in the list.

        References
        ----------
        Warhammer 40,000 10th edition core rules, "Leader": an Attached unit.
        """
        known = f"the army has {', '.join(unit.name for unit in self.units)}"
        validation.text(leader, "the name of the leader", known)
        validation.text(bodyguard, "the name of the bodyguard", known)
        first = find_unit(self.units, leader)
        second = find_unit(self.units, bodyguard, but=first)
        require_legal(self, first, second)
        units = list(self.units)
        units[second] = join(units[first], units[second])
        del units[first]
        return replace(self, units=tuple(units))

    @property
    def leaders(self) -> dict[str, tuple[str, ...]]:
        """Unattached leaders, each with the units of the army that it can join.

        Leaders whose Leader ability is not in the list are left out.
        """
        keys = unit_keys(self.units)
        return {
            key: tuple(keys[index] for index in bodyguards(self, place))
            for place, (key, unit) in enumerate(zip(keys, self.units, strict=True))
            if unit.leads and not unit.joined
        }

    def __getitem__(self, key: str | int) -> Unit:
        """Return a unit by its name, or by its place in the list."""
        place = validation.as_whole(key)
        if place is not None:
            return self.units[place]
        return self.units[find_unit(self.units, validation.text(key, "name or number of a unit"))]

    def _ipython_key_completions_(self) -> list[str]:
        return unit_keys(self.units)

    def _line(self) -> str:
        units = count(len(self.units), "unit")
        return f"{self.name}: {self.faction}, {units}, {self.points:g} points, {self.edition}"

    def _panel(self) -> Panel:
        facts = {"faction": self.faction, "edition": self.edition, "points": f"{self.points:g}"}
        if self.detachments:
            facts["detachment"] = self.detachment
        facts |= {"units": str(len(self.units)), "models": str(sum(unit.size for unit in self.units))}
        rows = []
        for unit in self.units:
            carried = (f"{line.count} × " * (line.count > 1) + line.name for line in unit.weapons)
            rows.append([unit.name, str(unit.size), str(unit.points), ", ".join(carried)])
        notes = []
        if unparsed := len(self.unparsed):
            notes += [f"{count(unparsed, 'item')} not understood or not computed: see army.unparsed."]
        if simplified := len(self.simplifications):
            of = "of mixed units and their rules: see army.simplifications."
            notes += [f"{count(simplified, 'simplification')} {of}"]
        wargear = TablePart(["unit", "models", "points", "wargear"], rows, "<>><")
        return Panel(self.name, facts, [wargear] if rows else [], notes)
