"""Results of several units that attack one target: the odds after each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mathhammer.display import Displayed, number, percent
from mathhammer.distributions import in_fractions

if TYPE_CHECKING:
    from mathhammer.display.panel import Panel
    from mathhammer.sequence import UnitDistribution
    from mathhammer.systems.wh40k.attacks.activations import ActivationResult
    from mathhammer.systems.wh40k.attacks.result import AttackResult
    from mathhammer.systems.wh40k.profiles.profiles import Target
    from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit


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
