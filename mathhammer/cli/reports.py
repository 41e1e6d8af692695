"""Reports of lists: two against each other, several units into one enemy unit, and what each rule adds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import inf, prod
from typing import TYPE_CHECKING, Any

from mathhammer.analysis.tabular import known
from mathhammer.cli import lists
from mathhammer.cli.page import sentences
from mathhammer.cli.questions import Part
from mathhammer.display.numbers import count, number, percent
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.validation import nearest, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mathhammer.cli.lists import Record
    from mathhammer.cli.page import Page
    from mathhammer.systems.wh40k import Army, Target, TargetUnit, Unit
    from mathhammer.systems.wh40k.attacks.focus import Focus

_LEGEND = (
    "pts/pt: points that the target loses per point of attacker, by the share of its wounds, the mean over the other "
    "list. trade: points destroyed per point lost in return, in the same phase. best at: the unit that loses most "
    "points; odds: the probability that it is destroyed. Each attack finds a fresh target; 'mathhammer army FILE "
    "--against FILE' shows every pair."
)


class _ListSide(lists.Report):
    """One army attacking the other: what each unit of the one does to each different unit of the other."""

    def __init__(self, army: Army, enemy: Army, asked: lists.Lists, place: int) -> None:
        from mathhammer.analysis import army_table

        self.army, self.enemy, targets = army, enemy, lists.army_targets(enemy)
        #: How many units of the enemy each target stands for, and of each of them which target it is.
        self.copies = {target.name: len(places) for target, places in targets.items()}
        self.target_of = {each: target.name for target, places in targets.items() for each in places}
        self.lone = lists.lone_targets(enemy)
        self.table = army_table(
            army,
            list(targets),
            keep_distributions=asked.pictures,
            progress=lambda done, rows: asked.progress(place * rows + done, 2 * rows),
            **asked.options,
        )
        self.rows = lists.in_order(self.table.records, asked.sort)
        self.phases = lists.grouped(self.rows, "index", "kind")
        #: Of all units in each phase, each attacking once.
        self.lost = {
            kind: sum(self.mean(each, "points_lost") for each in self.phases if each[0]["kind"] == kind)
            for kind in lists.KINDS
        }

    def mean(self, phase: Sequence[Record], name: str) -> float:
        """Mean of a number of the records of a phase, each unit of the enemy as likely to be the target."""
        lost = sum(self.copies[record["target"]] * (record[name] or 0.0) for record in phase)
        return float(lost / sum(self.copies.values()))

    def trade(self, other: _ListSide, phase: Sequence[Record]) -> float | None:
        """Points that the enemy loses to a unit for each that the unit loses to the enemy, in the same phase."""
        kind, attacked = phase[0]["kind"], other.target_of.get(phase[0]["index"])
        back = [each for each in other.rows if each["kind"] == kind and each["target"] == attacked]
        lost = sum(each["points_lost"] or 0.0 for each in back) / len(self.enemy.units)
        gained = self.mean(phase, "points_lost")
        return None if attacked is None else gained / lost if lost else inf if gained else None

    def meet(self, other: _ListSide) -> None:
        """Put what it trades with the other into its answer and its lines."""
        about = {"against": self.enemy.name, "copies": self.copies, "points_lost": self.lost}
        named = [({name: phase[0][name] for name in ("unit", "kind")}, phase) for phase in self.phases]
        trades = [{**name, "trade_ratio": known(self.trade(other, phase) or 0)} for name, phase in named]
        self.answer = lists.said(self.table, self.rows, **about, trades=trades)
        self.lines = []
        for phase, copies in lists.equal_phases(self.rows):
            # Leaders that can stand in a unit are the best where nothing else can be chosen.
            choices = [record for record in phase if record["target"] not in self.lone] or phase
            best = max(choices, key=lambda record: record["points_lost"] or 0.0)
            row = {**best, "unit": lists.name_of(best, copies), "trade_ratio": self.trade(other, phase)}
            row["best_at"] = best["target"] if best["points_lost"] else "-"
            self.lines.append({**row, "points_lost_per_point": self.mean(phase, "points_lost_per_point")})

    def write(self, page: Page) -> None:
        page.line()
        page.heading(f"{self.army.name} attacks {self.enemy.name}")
        lists.print_table(page, self.lines, _COLUMNS)
        lists.draw_maps(page, self.rows)
        for each in lists.equal_units(self.rows) if page.rich else ():
            page.heading(lists.unit_facts(each[0][0], len(each)))
            lists.draw_losses(page, each[0], len(each))


_COLUMNS = "unit kind points points_lost_per_point trade_ratio best_at probability_destroyed"


class _Compare(lists.Report):
    """Print what the units of two army lists do to each other, shooting and melee apart.

    Each FILE is an army list as 'mathhammer army' takes it; --attach is for the first, --attach-enemy for the
    second. Situational rules are off unless an option turns them on, for both sides.
    """

    def __init__(self, asked: lists.Lists) -> None:
        mine = asked.army()
        theirs = asked.read(asked.second, mine.edition, "enemy_")
        if mine.name == theirs.name:
            mine = replace(mine, name=f"{mine.name} ({lists.origin(asked.file)})")
            theirs = replace(theirs, name=f"{theirs.name} ({lists.origin(asked.second)}, second)")
        self.sides = [_ListSide(mine, theirs, asked, 0), _ListSide(theirs, mine, asked, 1)]
        for side, other in zip(self.sides, self.sides[::-1], strict=True):
            side.meet(other)
        self.rules, self.notes = asked.rules(mine.edition), sentences(self._notes())

    def _notes(self) -> Iterator[str]:
        mine, theirs = (side.army.data_revision for side in self.sides)
        if mine != theirs and mine and theirs:
            yield (
                f"The lists were written with different data, revisions {mine} and {theirs}: their characteristics and "
                "points are not of one day"
            )
        for side, option in zip(self.sides, ("--attach", "--attach-enemy"), strict=True):
            army = side.army
            yield from lists.army_notes(army)
            yield from lists.leaders_note(army, option)
            yield from side.table.simplifications
            if rules := set(army.unparsed_abilities).union(*(unit.unparsed_abilities for unit in army.units)):
                rest = count(len(rules), "rule")
                yield f"{army.name}: {rest} not computed; 'mathhammer army' lists them"

    def records(self) -> list[dict[str, object]]:
        return [{"army": side.army.name, **row} for side in self.sides for row in side.records()]

    def data(self) -> dict[str, object]:
        sides = [side.data() for side in self.sides]
        return {"edition": self.sides[0].table.edition, "sides": sides, "notes": self.notes}

    def write(self, page: Page) -> None:
        for side in self.sides:
            page.heading(side.army.name)
            page.paragraph(f"  {lists.facts_of(side.army)}", hanging="  ")
        page.paragraph(self.rules)
        page.line()
        page.paragraph("On average, if each unit attacks once, against a random enemy unit:")
        for side in self.sides:
            for kind, lost in side.lost.items():
                points = side.enemy.points
                share = percent(min(1.0, lost / points), digits=1) if points else "-"
                if lost > points * (1 + 1e-12) > 0:  # each attack finds the list fresh
                    share = ">100%"
                text = f"{side.army.name}, {kind}: takes {number(lost, digits=1)} points ({share})"
                page.paragraph(text, indent="  ", hanging="    ")
        for side in self.sides:
            side.write(page)
        page.line()
        page.paragraph(_LEGEND)
        lists.print_left_out(page, self.notes)


compare_command = lists.reports(
    "compare",
    _Compare,
    "Two army lists, each against the other.",
    """
  mathhammer compare my-army.rosz their-army.json
  mathhammer compare mine.ros theirs.ros --cover --csv
  mathhammer compare mine.ros theirs.ros --html report.html
""",
    f"{lists.SORT}return",
    lists=("file", "second"),
)

_PHASES = {
    "shooting": "shooting (others with --kind melee or both)",
    "melee": "melee",
    "both": "shooting, then melee",
}


class _Focused(lists.Report):
    """Print the odds that several units, one after another, destroy an enemy unit.

    FILE is an army list as 'mathhammer army' takes it; without one a sample army is taken. The units attack one after
    another, in the order of the list or of --unit, and each finds what those before it have left.
    """

    def __init__(self, asked: lists.Lists) -> None:
        from mathhammer.systems import wh40k

        self.asked, self.army = asked, (army := asked.army())
        targets = _named(asked.targets(army.edition)[0], asked.enemy_units)
        named = asked.call.pop("units", None)
        self.kind = asked.call.get("kind", "shooting")
        several, whole = len(targets) > 1, {"units": named}
        groups: list[Any] = self._divided(targets, named or ()) if several else [army]
        how: dict[str, Any] = {"goal": asked.goal, "order": "best" if asked.best else "given"} | asked.call
        how |= {"edition": army.edition, **asked.options, **({} if several else whole)}
        self.found: list[Focus] = [
            wh40k.focus(group, target, **how) for target, group in zip(targets, groups, strict=True) if group
        ]
        attacked = Counter(focus.target.name for focus in self.found)
        self.spared = [*(Counter(target.name for target in targets) - attacked).elements()]
        self.notes = self._notes()

    def _divided(self, targets: Sequence[Target | TargetUnit], names: Sequence[str]) -> list[dict[str, Unit]]:
        """Return for each target who should attack it, with its weapons of the phase, to destroy most points."""
        from mathhammer.analysis import Attacker, assign
        from mathhammer.systems.wh40k.armies.choices import find_unit, unit_keys

        army, keys = self.army, unit_keys(self.army.units)
        places = [find_unit(army.units, name) for name in names] or range(len(keys))
        rows = [
            Attacker(keys[place], unit, army.units[place].points, phase)
            for phase in lists.KINDS
            for place in places
            if self.kind in {"both", phase} and (unit := army.units[place].only(phase)).weapons
        ]
        if not rows:
            raise MathhammerError(f"expected a unit with weapons for {self.kind}, got none")
        plan = assign(rows, list(targets), kind=self.kind, edition=army.edition, **self.asked.options)
        groups: list[dict[str, Unit]] = [{} for _ in targets]
        for row, place in zip(rows, plan.chosen, strict=True):
            whole = row.label in groups[place]  # its shooting is divided first
            attacks: Any = army.units[keys.index(row.label)] if whole else row.attacks
            groups[place][row.label] = attacks
        return groups

    def _notes(self) -> list[str]:
        """Return what is simplified, for the units that attack."""
        from mathhammer.systems.wh40k.armies.choices import unit_keys

        attacking = {step.unit for focus in self.found for step in focus.steps}
        notes = [
            *self.army.warnings,
            "Every unit is taken to be in range; it uses the weapons that are best against the fresh target",
        ]
        for key, unit in zip(unit_keys(self.army.units), self.army.units, strict=True):
            if key in attacking:
                notes += [*unit.notes, *(f"{key}: {missing}" for missing in lists.not_computed([unit]))]
        return sentences(notes)

    def records(self) -> list[dict[str, object]]:
        return [{"target": each.target.name, **record} for each in self.found for record in each.to_records()]

    def data(self) -> dict[str, object]:
        targets = [focus._data() for focus in self.found]  # noqa: SLF001 - the package's own
        return {"targets": targets, "not_attacked": self.spared, "notes": self.notes}

    def write(self, page: Page) -> None:
        names = " and ".join(focus.target.name for focus in self.found)
        page.heading(f"{self.army.name or 'Army'} into {names}")
        page.paragraph(f"{self.asked.rules(self.army.edition)} Phase: {_PHASES[self.kind]}.")
        for focus in self.found:
            page.line()
            page.paragraph(target_line(focus.target))
            page.panel(focus)
        if self.spared or len(self.found) > 1:
            page.line()
        for name in self.spared:
            page.paragraph(f"{name}: nobody attacks it.")
        if len(self.found) > 1:  # no unit attacks two of them
            who = "Both" if len(self.found) == 2 else f"All {len(self.found)}"
            together = prod(float(in_fractions(focus.result).probability_destroyed) for focus in self.found)
            page.paragraph(f"{who} are destroyed with {percent(together)}.")
        lists.print_left_out(page, self.notes)


def _named(targets: Sequence[Target | TargetUnit], names: Sequence[str]) -> list[Target | TargetUnit]:
    """Return the targets of these names, all of them where none is named."""
    known = {target.name.casefold(): target for target in targets}
    for name in names:
        if name.strip().casefold() not in known:
            hint = nearest(name, [target.name for target in targets])
            raise UnknownNameError(f"expected a unit of the other list, got {shown(name)}; {hint}")
    return [known[name.strip().casefold()] for name in names] or list(targets)


focus_command = lists.reports(
    "focus",
    _Focused,
    "Whether several units of your list can kill one enemy unit.",
    """
  mathhammer focus --against VEQ
  mathhammer focus my-army.rosz --against their-army.rosz --at "Land Raider"
  mathhammer focus my-army.rosz --against KEQ --unit Eradicators --unit "Gladiator Lancer #2"
  mathhammer focus my-army.rosz --against KEQ --best --spare points --goal 90%
  mathhammer focus my-army.rosz --against "MEQ, VEQ"
""",
    """
Options | --against | against | TARGETS... | A standard target, a stat line, or another army list. With several, \
the units are divided among them so that they destroy most points. |
Options | --at | enemy_units | UNIT... | Attack this unit of the other list.
Options | --best | best | | Find the fewest units that are enough, in their best order.
Options | --goal | goal | PERCENT | Wanted chance to destroy the target. | 80%
""",
    call=Part(
        "wh40k:focus",
        names={"units": "unit", "by": "spare"},
        leave=("attackers", "target", "order", "goal", "edition", "rulings"),
        many=("units",),
    ),
)

_OF_RULES = (
    "Effect of each rule on its own, averaged over the targets (or the attacking units) and added up over the units "
    "that have it. share: of the target's wounds; 'against': of its own wounds saved. probability: to destroy all of "
    "it, or to survive. now: on or off; --rule and --no-rule switch it."
)


class _RuleList(lists.Report):
    """Rank the rules of an army list by what they add in attack and in defence.

    FILE is an army list as 'mathhammer army' takes it; without one a sample army is taken.
    """

    def __init__(self, asked: lists.Lists) -> None:
        from mathhammer.analysis import rule_worths

        self.asked, self.army = asked, (army := asked.army())
        targets, self.enemy = asked.targets(army.edition)
        attacked = self.enemy and replace(  # without the units that cannot be targets, as the notes say
            self.enemy,
            units=tuple(u for u in self.enemy.units if any(group.has_stat_line for group in u.models)),
        )
        self.worths = worths = rule_worths(army, attacked or targets, **asked.options)
        missing = [f"{unit.name}: {rule}" for unit in army.units for rule in unit.unparsed_abilities]
        self.answer = lists.said(worths, worths.records, notes=missing)

    def write(self, page: Page) -> None:
        page.panel(self.worths)
        page.line()
        page.paragraph(self.asked.rules(self.army.edition))
        page.line()
        page.paragraph(_OF_RULES)
        notes = ["To see what rules of defence are worth, give the attacking list with --against"]
        notes *= self.enemy is None
        missing = lists.not_computed(self.army.units, " ({})")
        notes += [f"{text[:1].upper()}{text[1:]}" for text in missing]
        for note in sentences([*notes, *(lists.army_notes(self.enemy) if self.enemy else ())]):
            page.line()
            page.paragraph(note)


rules_command = lists.reports(
    "rules",
    _RuleList,
    "What each rule of your list adds, the best first.",
    """
  mathhammer rules my-army.rosz
  mathhammer rules my-army.rosz --against TANK,KEQ --charged
  mathhammer rules my-army.rosz --against their-army.rosz --attach "Captain=Intercessor Squad"
""",
    """
Options | --against | against | TARGETS... | Standard targets (see 'mathhammer targets') or stat lines, separated by \
commas, or another army list; that list attacks too, which shows what rules of defence are worth. | MEQ,TEQ,VEQ,KEQ
""",
)


def target_line(target: Target | TargetUnit) -> str:
    """Return what a target is on one line; of several kinds of models each with its stat line."""
    from mathhammer.systems.wh40k import TargetUnit

    if not isinstance(target, TargetUnit):
        return str(target)
    names = [*map(str, target.models), *(f"{kind} (leader)" for kind in target.leaders)]
    points = "" if target.points is None else f": {target.points}pts"
    return f"{target.name}{points} = {' + '.join(names)}"
