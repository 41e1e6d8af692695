"""Several units into one enemy unit: the odds after each of them, and which of them are needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Unpack

from mathhammer import validation
from mathhammer.display import Displayed
from mathhammer.display.numbers import count, number, percent
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.kernel import together
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.systems.wh40k.armies.army import Army
from mathhammer.systems.wh40k.armies.attachment import find_unit, unit_keys
from mathhammer.systems.wh40k.armies.choices import usable
from mathhammer.systems.wh40k.armies.defenders import numbered
from mathhammer.systems.wh40k.armies.unit import Unit
from mathhammer.systems.wh40k.attacks.activations import activations
from mathhammer.systems.wh40k.attacks.attack import read_weapons
from mathhammer.systems.wh40k.attacks.focus_order import Search, transitions
from mathhammer.systems.wh40k.attacks.needed import wanted_probability
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION
from mathhammer.systems.wh40k.profiles.targets import read_target
from mathhammer.systems.wh40k.profiles.volleys import MortalWounds, Volley

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.display.panel import Panel
    from mathhammer.sequence.unit_distribution import UnitDistribution
    from mathhammer.systems.wh40k.attacks.activations import ActivationResult
    from mathhammer.systems.wh40k.attacks.attack import Attacking, AttackOptions
    from mathhammer.systems.wh40k.attacks.result import AttackResult
    from mathhammer.systems.wh40k.profiles.profiles import Target
    from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit
    from mathhammer.systems.wh40k.profiles.targets import Attackable
    from mathhammer.systems.wh40k.situation import SituationKeywords

    Attackers = Army | Unit | Sequence[Unit | Attacking] | Mapping[str, Unit | Attacking]


@dataclass(frozen=True, eq=False, repr=False)
class FocusStep(Displayed):
    """One unit of several that attack one target.

    Parameters
    ----------
    unit
        Its name, numbered where several have it.
    phase
        ``"shooting"`` or ``"melee"``; empty where weapons were given and no unit.
    points
        What it costs; ``None`` where that is not known.
    activation
        Its volleys, and the state of the target after them.
    before
        The state of the target before; ``None`` where it is the first.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> flamer = wh40k.Weapon.parse("Flamer: A1 S4 AP0 D1 [TORRENT]")  # a wound with 1/2
    >>> first, second = wh40k.focus([flamer, flamer], "One: T4 Sv- W1", exact=True).steps
    >>> first.probability_destroyed, second.probability_destroyed, second.probability_needed
    (1/2, 3/4, 1/2)
    """

    unit: str
    phase: str
    points: float | None
    activation: ActivationResult
    before: UnitDistribution | None

    @property
    def result(self) -> AttackResult:
        """The state of the target after this unit and those before it."""
        return self.activation.result

    @property
    def probability_destroyed(self) -> Any:
        """Probability that the target is destroyed by now."""
        return self.result.probability_destroyed

    @property
    def probability_needed(self) -> Any | int:
        """Probability that something of the target is left for this unit to attack."""
        before = 0 if self.before is None else self.before.probability_destroyed
        return 1 - before

    @property
    def _numbers(self) -> tuple[float, float, float, float, float]:
        """P(destroyed), P(needed), wounds lost by now and by this unit, models destroyed by now."""
        after = in_fractions(self.result)
        lost, killed = float(after.wounds_lost.mean()), float(after.kills.mean())
        before = in_fractions(self.before) if self.before is not None else None
        reached = float(after.probability_destroyed)
        if before is None:
            return reached, 1.0, lost, lost, killed
        own = lost - float(before.wounds_lost.mean())
        return reached, 1.0 - float(before.probability_destroyed), lost, own, killed

    def to_record(self) -> dict[str, str | float | None]:
        """Return the numbers of the step as plain floats, by name."""
        reached, needed, lost, own, killed = self._numbers
        return {
            "unit": self.unit,
            "phase": self.phase,
            "points": self.points,
            "weapons": "; ".join(map(str, self.activation.volleys)),
            "mean_wounds_lost_by_it": own,
            "mean_wounds_lost": lost,
            "mean_kills": killed,
            "probability_destroyed": reached,
            "probability_needed": needed,
        }

    def _line(self) -> str:
        reached, needed, *_ = self._numbers
        return f"{self.unit}: destroyed by now with {percent(reached)}, needed with {percent(needed)}"

    def _panel(self) -> Panel:
        panel = self.activation._panel()  # noqa: SLF001 - what one displayed object is made of
        return panel._replace(title=f"{self.unit}: {panel.title}")


@dataclass(frozen=True, eq=False, repr=False)
class Focus(Displayed):
    """Several units into one target.

    Parameters
    ----------
    target
        What is attacked.
    steps
        The units in their order.
    goal
        The probability of destruction that is wanted.
    order
        ``"given"``, or ``"best"``: the steps are the cheapest units that reach the goal.
    by
        What is to be cheap: ``"units"`` or ``"points"``.
    left_over
        The units that are not needed, where the best were sought.
    proven
        Whether no order is better, where the best was sought: too many units that miss the goal are not all tried.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> flamer = wh40k.Weapon.parse("Flamer: A1 S4 AP0 D1 [TORRENT]")
    >>> found = wh40k.focus({"one": flamer, "two": flamer, "three": flamer}, "One: T4 Sv- W1", goal=0.7)
    >>> found.enough, [round(step.probability_destroyed, 4) for step in found.steps]
    (2, [0.5, 0.75, 0.875])
    """

    target: Target | TargetUnit
    steps: tuple[FocusStep, ...]
    goal: float
    order: str
    by: str
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
        for place, step in enumerate(self.steps, 1):
            if float(in_fractions(step.result).probability_destroyed) >= self.goal - 1e-12:
                return place
        return None

    @property
    def points_spared(self) -> float | None:
        """Mean points of units that find the target destroyed, and may do something else; ``None`` if unknown."""
        spared = 0.0
        for step in self.steps:
            if step.points is None:
                return None
            spared += step.points * (1.0 - step._numbers[1])  # noqa: SLF001 - of this module
        return spared

    def to_records(self) -> list[dict[str, object]]:
        """Return one mapping of plain numbers and texts for each step."""
        return [{**step.to_record()} for step in self.steps]

    def sentence(self) -> str:
        """Return the answer in a sentence.

        Examples
        --------
        >>> from mathhammer import wh40k
        >>> flamer = wh40k.Weapon.parse("Flamer: A1 S4 AP0 D1 [TORRENT]")
        >>> wh40k.focus([flamer, flamer], "One: T4 Sv- W1", goal=0.7).sentence()
        'Flamer and Flamer #2 destroy One with 75.00% (goal 70%).'
        """
        enough = self.enough
        steps = self.steps if enough is None else self.steps[:enough]
        names = [step.unit for step in steps]
        who = " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
        reached = percent(in_fractions(steps[-1].result).probability_destroyed)
        verb = "destroys" if len(names) == 1 else "destroy"
        goal = percent(self.goal, digits=0)
        if enough is None and self.order == "best":
            unsure = "" if self.proven else "; another order may be better"
            return (
                f"The goal of {goal} is out of reach: {who} {verb} {self.target.name} with {reached}{unsure}."
            )
        if enough is None:
            return f"{who} {verb} {self.target.name} with {reached}, less than the goal of {goal}."
        return f"{who} {verb} {self.target.name} with {reached} (goal {goal})."

    def _line(self) -> str:
        return self.sentence()

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel, Table

        priced = any(step.points is not None for step in self.steps)
        rows = []
        for step in self.steps:
            reached, needed, lost, own, killed = step._numbers  # noqa: SLF001 - of this module
            points = [f"{step.points:g}" if step.points is not None else ""] if priced else []
            name = f"{step.unit} ({step.phase})" if step.phase else step.unit
            numbers = [number(own), number(lost), number(killed), percent(reached), percent(needed)]
            rows.append([name, *points, *numbers])
        header = ["unit", *(["points"] if priced else []), "wounds by it", "wounds lost", "models destroyed"]
        header += ["P(destroyed)", "needed"]
        caption = "One after another; needed: probability that something is left to attack"
        facts = {"goal": percent(self.goal, digits=0), "answer": self.sentence()}
        if self.points_spared is not None:
            facts["points spared, mean"] = number(self.points_spared, digits=0)
        if self.left_over:
            facts["not needed"] = ", ".join(self.left_over)
        after = self.result._panel()  # noqa: SLF001 - what one displayed object is made of
        return Panel(
            f"Focus on {self.target.name}", facts, [Table(header, rows, caption=caption), *after.parts]
        )


Phase = Literal["shooting", "melee"]

#: The most units that attack one after another.
MAXIMUM_UNITS = 60


@dataclass(frozen=True, slots=True)
class _Attacker:
    """One unit in one phase, with the weapons that it uses against the fresh target."""

    label: str
    phase: str
    points: float | None
    volleys: tuple[Volley | MortalWounds, ...]


@together()
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
    edition: str | None = None,
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
    start: UnitDistribution | None = None,
    **situation: Unpack[SituationKeywords],
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
        Of an army the names of the units that attack, in their order; all that can, unless said.
    kind
        The phase: ``"shooting"``, ``"melee"``, or ``"both"``, in which all shoot before any fights.
    order
        ``"given"``: all of them, as given. ``"best"``: the fewest units, or points, that destroy the target with the
        probability of the goal, in the order that makes it greatest; where the goal is out of reach, all of them.
    goal
        A probability above 0 and below 1.
    by
        Whether ``"best"`` spares ``"units"`` or ``"points"``.
    edition
        The rules; those of the army unless said.
    rulings, exact, start, **situation
        As for :func:`mathhammer.wh40k.attack`. The search is made in floats, its answer by `exact`.

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
    if edition is None:
        edition = attackers.edition if isinstance(attackers, Army) else DEFAULT_EDITION
    target = read_target(target, edition)
    options: AttackOptions = {"edition": edition, "rulings": rulings, "start": start, **situation}
    phases: list[Phase] = ["shooting", "melee"] if kind == "both" else [kind]
    rows = _read(attackers, units, phases, target, exact=exact, **options)
    if len(rows) > MAXIMUM_UNITS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_UNITS} attacks one after another, got {len(rows)}; name fewer units"
        )
    left: list[_Attacker] = []
    proven = True
    if order == "best":
        if kind == "both":
            raise MathhammerError(
                "expected one phase to find the best order in, got kind='both'; search each phase"
            )
        rows, left, proven = _best(rows, target, wanted, by, exact=exact, **options)
    steps = _steps(rows, target, exact=exact, **options)
    return Focus(target, tuple(steps), wanted, order, by, tuple(row.label for row in left), proven)


def _read(
    attackers: Attackers,
    names: Iterable[str] | None,
    phases: Sequence[Phase],
    target: Target | TargetUnit,
    *,
    exact: bool,
    **options: Unpack[AttackOptions],
) -> list[_Attacker]:
    """Return who attacks, phase by phase, with their volleys."""
    given = _labelled(attackers, names)
    several = len(phases) > 1 or isinstance(attackers, Army)
    found = []
    for phase in phases:
        for label, each in given:
            if isinstance(each, Unit):
                unit, points = each.only(phase), each.points or None
                if several and not usable(unit, options).weapons:
                    continue  # one of several without a weapon for the phase
                volleys = read_weapons(unit, 1, target, exact=exact, **options)
                found.append(_Attacker(label, phase, points, tuple(volleys)))
            elif phase == phases[0]:
                volleys = read_weapons(each, 1, target, exact=exact, **options)
                found.append(_Attacker(label, "", None, tuple(volleys)))
    if not found:
        raise MathhammerError(
            f"expected a unit with weapons for {' or '.join(phases)}, got none among {count(len(given), 'unit')}"
        )
    return found


def _labelled(attackers: Attackers, names: Iterable[str] | None) -> list[tuple[str, Unit | Attacking]]:
    """Return what attacks by name."""
    if isinstance(attackers, Army):
        keys = unit_keys(attackers.units)
        if names is None:
            return list(zip(keys, attackers.units, strict=True))
        wanted = (names,) if isinstance(names, str) else validation.items(names, str, "names of units")
        places = [find_unit(attackers.units, name) for name in wanted]
        twice = next(
            (name for place, name in zip(places, wanted, strict=True) if places.count(place) > 1), None
        )
        if twice is not None:
            raise MathhammerError(
                f"expected each unit once, got {twice!r} twice; 'Name #2' is the second of that name"
            )
        return [(keys[place], attackers.units[place]) for place in places]
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


def _steps(
    rows: Sequence[_Attacker],
    target: Target | TargetUnit,
    *,
    exact: bool,
    **options: Unpack[AttackOptions],
) -> list[FocusStep]:
    """Let the attackers attack one after another."""
    steps: list[FocusStep] = []
    state = options.get("start")
    for row in rows:
        if steps and steps[-1].phase != row.phase and state is not None:
            state = state.new_phase()
        options["start"] = state
        (found,) = activations([list(row.volleys)], target, exact=exact, **options)
        steps.append(FocusStep(row.label, row.phase, row.points, found, state))
        state = found.result
    return steps


def _best(
    rows: Sequence[_Attacker],
    target: Target | TargetUnit,
    goal: float,
    by: str,
    *,
    exact: bool,
    **options: Unpack[AttackOptions],
) -> tuple[list[_Attacker], list[_Attacker], bool]:
    """Return the units that are needed, in their order, those left over, and whether no order is better."""
    if by == "points":
        without = next((row.label for row in rows if not row.points), None)
        if without is not None:
            raise MathhammerError(
                f"expected points of every unit to spare points, but {without!r} has none; use by='units'"
            )
    kinds: dict[tuple[object, ...], list[_Attacker]] = {}
    for row in rows:
        kinds.setdefault((row.volleys, row.points if by == "points" else None), []).append(row)
    groups = list(kinds.values())
    unit, before, rows_of = transitions(
        [group[0].volleys for group in groups], target, exact=exact, **options
    )
    search = Search(
        rows_of,
        tuple(map(len, groups)),
        [1.0 if by == "units" else float(group[0].points or 0) for group in groups],
        before,
        unit.states - 1,
        unit.wounds_lost(),
    )
    found = search.cheapest(goal) or search.best()
    queues = [iter(group) for group in groups]
    chosen = [next(queues[kind]) for kind in found.order]
    return chosen, [row for row in rows if not any(row is each for each in chosen)], found.proven
