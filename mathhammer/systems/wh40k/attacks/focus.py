"""Several units into one enemy unit: the odds after each of them, and which of them are needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack

from mathhammer import validation
from mathhammer.display import Displayed
from mathhammer.display.numbers import count, number, percent
from mathhammer.display.panel import Panel, TablePart
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.kernel import together
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.systems.wh40k.armies.army import Army
from mathhammer.systems.wh40k.armies.choices import find_unit, numbered, unit_keys, usable
from mathhammer.systems.wh40k.armies.unit import Unit
from mathhammer.systems.wh40k.attacks.activations import (
    TOLERANCE,
    ActivationResult,
    activation,
    wanted_probability,
)
from mathhammer.systems.wh40k.attacks.attack import AttackOptions, passes_options, read_weapons
from mathhammer.systems.wh40k.attacks.focus_order import Search, Volleys, transitions
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION
from mathhammer.systems.wh40k.profiles.targets import read_target
from mathhammer.systems.wh40k.situation import Volley

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.systems.wh40k.attacks.attack import Attacking
    from mathhammer.systems.wh40k.attacks.result import AttackResult
    from mathhammer.systems.wh40k.profiles.profiles import Target
    from mathhammer.systems.wh40k.profiles.targets import Attackable, TargetUnit

    Attackers = Army | Unit | Sequence[Unit | Attacking] | Mapping[str, Unit | Attacking]

#: The most units that attack one after another.
MAXIMUM_UNITS = 60


@dataclass(frozen=True, eq=False, repr=False)
class FocusStep(ActivationResult):
    """One unit of several that attack one target, and the state of the target after it."""

    #: Numbered where several have the name; the phase is empty where weapons were given and no unit.
    unit: str
    phase: str
    points: float | None

    @property
    def probability_destroyed(self) -> Any:
        """Probability that the target is destroyed by now."""
        return self.result.probability_destroyed

    @property
    def probability_needed(self) -> Any | int:
        """Probability that something of the target is left for this unit to attack."""
        return 1 - (0 if self.before is None else self.before.probability_destroyed)

    def to_record(self) -> dict[str, Any]:
        """Return the numbers of the step as plain floats, by name."""
        after, before = in_fractions(self.result), None if self.before is None else in_fractions(self.before)
        lost, already = (float(each.wounds_lost.mean()) if each else 0.0 for each in (after, before))
        return {
            "unit": self.unit,
            "phase": self.phase,
            "points": self.points,
            "weapons": "; ".join(map(str, self.volleys)),
            "mean_wounds_lost_by_it": lost - already,
            "mean_wounds_lost": lost,
            "mean_kills": float(after.kills.mean()),
            "probability_destroyed": float(after.probability_destroyed),
            "probability_needed": 1.0 - (float(before.probability_destroyed) if before else 0.0),
        }

    def _line(self) -> str:
        said = self.to_record()
        reached, needed = percent(said["probability_destroyed"]), percent(said["probability_needed"])
        return f"{self.unit}: destroyed by now with {reached}, needed with {needed}"

    def _panel(self) -> Panel:
        panel = super()._panel()
        return panel._replace(title=f"{self.unit}: {panel.title}")


@dataclass(frozen=True, eq=False, repr=False)
class Focus(Displayed):
    """Several units into one target: the steps are all of them, or with ``order="best"`` the cheapest that suffice."""

    target: Target | TargetUnit
    steps: tuple[FocusStep, ...]
    goal: float
    order: str
    by: str
    #: The units that are not needed, where the best were sought; and whether none are better: too many units are not
    #: tried in all sets and orders.
    left_over: tuple[str, ...] = ()
    proven: bool = True

    @property
    def result(self) -> AttackResult:
        """The state of the target after all steps: the distributions of what it lost."""
        return self.steps[-1].result

    @property
    def probability_destroyed(self) -> Any:
        """Probability that the target is destroyed after all steps."""
        return self.result.probability_destroyed

    @property
    def enough(self) -> int | None:
        """Number of steps that reach the goal; ``None`` where all do not."""
        reached = (float(in_fractions(step.result).probability_destroyed) for step in self.steps)
        return next((place for place, p in enumerate(reached, 1) if p >= self.goal - TOLERANCE), None)

    @property
    def points_spared(self) -> float | None:
        """Mean points of units that find the target destroyed, and may do something else; ``None`` if unknown."""
        records = self.to_records()
        if any(record["points"] is None for record in records):
            return None
        return sum(float(each["points"] * (1.0 - each["probability_needed"])) for each in records)

    def to_records(self) -> list[dict[str, Any]]:
        """Return one mapping of plain numbers and texts for each step."""
        return [step.to_record() for step in self.steps]

    def _data(self) -> dict[str, Any]:
        more = {name: getattr(self, name) for name in ("enough", "points_spared", "left_over")}
        return {**super()._data(), **more, "target": self.target.name, "steps": self.to_records()}

    def sentence(self) -> str:
        """Return the answer in a sentence."""
        *names, last = [step.unit for step in self.steps[: self.enough]]
        who = " and ".join(filter(None, [", ".join(names), last]))
        after = in_fractions(self.steps[(self.enough or 0) - 1].result)
        done = f"{who} destroy{'' if names else 's'} {self.target.name} with {percent(after.probability_destroyed)}"
        goal = percent(self.goal, digits=0)
        if self.enough is not None:
            return f"{done} (goal {goal}){'' if self.proven else '; cheaper ones may suffice'}."
        if self.order == "best":
            unsure = "" if self.proven else "; another order may be better"
            return f"The goal of {goal} is out of reach: {done}{unsure}."
        return f"{done}, less than the goal of {goal}."

    _line = sentence

    def _panel(self) -> Panel:
        priced = any(step.points is not None for step in self.steps)
        rows = []
        for record in self.to_records():
            points = "" if record["points"] is None else f"{record['points']:g}"
            means = (number(record[f"mean_{each}"]) for each in ("wounds_lost_by_it", "wounds_lost", "kills"))
            chances = (percent(record[f"probability_{each}"]) for each in ("destroyed", "needed"))
            name = record["unit"] + (f" ({record['phase']})" if record["phase"] else "")
            rows.append([name, *[points] * priced, *means, *chances])
        header = ["unit", *["points"] * priced, "wounds by it", "wounds lost", "models destroyed"]
        header += ["P(destroyed)", "needed"]
        caption = "One after another; needed: probability that something is left to attack"
        facts = {"goal": percent(self.goal, digits=0)}
        if (spared := self.points_spared) is not None:
            facts["points spared, mean"] = number(spared, digits=0)
        after = self.result._panel()  # noqa: SLF001 - what one displayed object is made of
        parts = [TablePart(header, rows, caption=caption), *after.parts]
        notes = [self.sentence(), *[f"Not needed: {', '.join(self.left_over)}."] * bool(self.left_over)]
        return Panel(f"Focus on {self.target.name}", facts, parts, notes)


class _FocusAttacker(NamedTuple):
    """One unit in one phase, with the weapons that it uses against the fresh target."""

    label: str
    phase: str
    points: float | None
    volleys: Volleys


@together()
@passes_options
def focus(
    attackers: Attackers,
    target: Attackable,
    /,
    *,
    units: Iterable[str] | None = None,
    kind: Literal["shooting", "melee", "both"] = "shooting",
    order: Literal["given", "best"] = "given",
    goal: float = 0.8,
    by: Literal["units", "points"] = "units",
    **options: Unpack[AttackOptions],
) -> Focus:
    """Resolve the attacks of several units on one target, and say which of them are needed.

    The units attack one after another, and each finds what the ones before it have left: the odds are joint ones. A
    unit uses the weapons that cost the fresh target most wounds on average.

    Parameters
    ----------
    attackers
        An army, units of one, or weapons and volleys, in the order of the attacks; by name where a mapping is given.
    target
        The unit that is attacked, as for :func:`mathhammer.wh40k.attack`.
    units
        Names of the units of an army that attack, in order; by default all that can.
    kind
        The phase: ``"shooting"``, ``"melee"``, or ``"both"``, in which all shoot before any fights.
    order
        ``"given"``: all of them, as given. ``"best"``: the fewest units, or points, that destroy the target with the
        probability of the goal, in their best order; all of them where the goal is out of reach. With both phases
        a unit that shoots and fights counts twice.
    goal
        A probability above 0 and below 1.
    by
        What ``"best"`` saves: ``"units"`` or ``"points"``.
    **options
        As for :func:`mathhammer.wh40k.attack`; the edition is by default that of the army. The search uses floats,
        `exact` is for its answer.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> cannons = wh40k.Volley(wh40k.Weapon.parse("Lascannon: A1 BS3+ S12 AP-3 DD6+1"), 4)
    >>> rifles = wh40k.Volley(wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP0 D1"), 10)
    >>> tank = wh40k.Target("Tank", toughness=10, save="3+", wounds=6, keywords="Vehicle")
    >>> units = {"Squad": rifles, "Battery": cannons}
    >>> print(wh40k.focus(units, tank, order="best", goal=0.5).sentence())
    Battery destroys Tank with 56.91% (goal 50%).
    """
    validation.one_of(kind, ("shooting", "melee", "both"), "kind")
    validation.one_of(order, ("given", "best"), "order")
    validation.one_of(by, ("units", "points"), "by")
    wanted = wanted_probability(goal, " as goal")
    if options.get("edition") is None:
        options["edition"] = attackers.edition if isinstance(attackers, Army) else DEFAULT_EDITION
    target = read_target(target, options["edition"])
    phases: list[Literal["shooting", "melee"]] = ["shooting", "melee"] if kind == "both" else [kind]
    rows = _read(attackers, units, phases, target, **options)
    if len(rows) > MAXIMUM_UNITS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_UNITS} attacks one after another, got {len(rows)}; name fewer units"
        )
    left: list[_FocusAttacker] = []
    proven = True
    if order == "best":
        rows, left, proven = _best(rows, target, wanted, by, **options)
        if not rows:
            raise MathhammerError(
                f"expected a start short of the goal, got one that reaches {wanted:g} by itself"
            )
    steps: list[FocusStep] = []
    for row in rows:
        if steps:
            after = steps[-1].result
            options["start"] = after if steps[-1].phase == row.phase else after.new_phase()
        found = activation(list(row.volleys), target, **options)
        steps.append(FocusStep(found.volleys, found.result, found.before, row.label, row.phase, row.points))
        vars(steps[-1])["_call"] = found._call  # noqa: SLF001 - that of its attacks
    spared = tuple(
        f"{row.label} (melee)" if (row.phase, kind) == ("melee", "both") else row.label for row in left
    )
    return Focus(target, tuple(steps), wanted, order, by, spared, proven)


def _read(
    attackers: Attackers,
    names: Iterable[str] | None,
    phases: Sequence[Literal["shooting", "melee"]],
    target: Target | TargetUnit,
    **options: Unpack[AttackOptions],
) -> list[_FocusAttacker]:
    """Return who attacks, phase by phase, with their volleys."""
    given = _labelled(attackers, names)
    several = len(phases) > 1 or isinstance(attackers, Army)
    found = []
    for phase, (label, each) in product(phases, given):
        unit, of, points = each, "", None
        if isinstance(each, Unit):
            unit, of, points = each.only(phase), phase, each.points or None
            if several and not usable(unit, options).weapons:
                continue  # one of several without a weapon for the phase
        if of or phase == phases[0]:
            found.append(_FocusAttacker(label, of, points, tuple(read_weapons(unit, 1, target, **options))))
    if not found:
        raise MathhammerError(
            f"expected a unit with weapons for {' or '.join(phases)}, got none among {count(len(given), 'unit')}"
        )
    return found


def _labelled(attackers: Attackers, names: Iterable[str] | None) -> Sequence[tuple[str, Unit | Attacking]]:
    """Return what attacks by name."""
    if isinstance(attackers, Army):
        labelled = list(zip(unit_keys(attackers.units), attackers.units, strict=True))
        if names is None:
            return labelled
        wanted = (names,) if isinstance(names, str) else validation.items(names, str, "names of units")
        places = [find_unit(attackers.units, name) for name in wanted]
        for place, name in zip(places, wanted, strict=True):
            if places.count(place) > 1:
                raise MathhammerError(
                    f"expected each unit once, got {name!r} twice; 'Name #2' is the second of that name"
                )
        return [labelled[place] for place in places]
    if names is not None:
        raise MathhammerError("expected an army where units are named, got units; leave units=... out")
    if isinstance(attackers, Mapping):
        return [(validation.text(name, "the name of an attacker"), each) for name, each in attackers.items()]
    several: list[Unit | Attacking] = list(attackers) if isinstance(attackers, list | tuple) else [attackers]  # type: ignore[list-item]
    if not several:
        raise MathhammerError("expected at least one unit, got none")
    return list(zip(numbered([_name(each) for each in several]), several, strict=True))


def _name(attacks: Unit | Attacking) -> str:
    if isinstance(attacks, str):
        return attacks.partition(":")[0].strip() or attacks
    if isinstance(attacks, list | tuple):
        return ", ".join(map(_name, attacks))
    if isinstance(attacks, Volley):
        return attacks.weapon.name if attacks.count == 1 else f"{attacks.count} × {attacks.weapon.name}"
    return getattr(attacks, "name", None) or getattr(attacks, "source", None) or type(attacks).__name__


def _best(
    rows: Sequence[_FocusAttacker],
    target: Target | TargetUnit,
    goal: float,
    by: str,
    **options: Unpack[AttackOptions],
) -> tuple[list[_FocusAttacker], list[_FocusAttacker], bool]:
    """Return the units that are needed, in their order, those left over, and whether no order is better."""
    if by == "points" and (without := [row.label for row in rows if not row.points]):
        raise MathhammerError(
            f"expected points of every unit to spare points, but {without[0]!r} has none; use by='units'"
        )
    kinds: dict[tuple[object, ...], list[_FocusAttacker]] = {}
    for row in rows:
        kinds.setdefault((row.phase, row.volleys, row.points if by == "points" else None), []).append(row)
    groups = list(kinds.values())
    volleys = [group[0].volleys for group in groups]
    costs = [1.0 if by == "units" else float(group[0].points or 0) for group in groups]
    unit, before, rows_of = transitions(volleys, target, **options)
    later = [group[0].phase == "melee" and rows[0].phase != "melee" for group in groups]
    if any(later) and [*unit.new_phase()] != [*range(unit.states)]:
        raise MathhammerError(
            f"expected a target that a new phase leaves as it is to find the best order of both phases, got "
            f"{target.name!r}, which knows whom attacks were allocated to; search each phase"
        )
    numbers, lost = tuple(map(len, groups)), dict(enumerate(unit.wounds_lost()))
    search = Search(rows_of, numbers, costs, later, before, unit.states - 1, lost)
    found = search.found(goal)
    queues = [iter(group) for group in groups]
    chosen = [next(queues[kind]) for kind in found.order]
    return chosen, [row for row in rows if not any(row is each for each in chosen)], found.proven
