"""Plans for single re-rolls: what to do with the dice on the table, as a table and in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mathhammer.display import Displayed, Named, number, percent
from mathhammer.errors import MathhammerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mathhammer.display import Panel

__all__ = ["KEEP", "RerollDecision", "RerollPlan", "RerollPolicy", "RerollState"]

#: What a plan says where the re-roll is not spent.
KEEP = "keep"

Pairs = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, repr=False)
class RerollState(Named):
    """What a player sees when they may re-roll a die.

    Parameters
    ----------
    roll
        ``"attacks"``, ``"hit"``, ``"wound"``, ``"damage"``, or ``"save"`` for the player of the target.
    shown
        How many dice show each result that leads to anything; of a number or of damage the value, once.
    rerollable
        Results that one of the dice may be re-rolled from.
    to_come
        Dice and wounds of each kind that are still to be rolled or resolved besides.
    target
        The state of the target, as the coordinates of ``result.state``.
    volley
        The place of the volley, from 0.
    held
        The re-rolls that are held.
    """

    roll: str
    shown: Pairs
    rerollable: tuple[str, ...]
    to_come: Pairs = ()
    target: tuple[int, ...] = ()
    volley: int = 0
    held: tuple[str, ...] = ("reroll",)

    def __str__(self) -> str:
        shown = ", ".join(f"{count} × {label}" if count > 1 else label for label, count in self.shown)
        come = ", ".join(f"{count} {name}" for name, count in self.to_come)
        return f"{self.roll}: {shown or 'no success'}{f'; to come: {come}' if come else ''}"


#: A policy: the result of which one die is re-rolled, or "keep".
RerollPolicy = Callable[[RerollState], str]


@dataclass(frozen=True, slots=True, repr=False)
class RerollDecision(Named):
    """One decision of a plan.

    Parameters
    ----------
    state
        What the player sees.
    action
        The result of which one die is re-rolled, or ``"keep"``.
    keep, reroll
        What the objective comes to if the re-roll is kept, and if it is spent on the best die, all later decisions
        being as good as can be.
    probability
        How likely it is that the decision comes up.
    """

    state: RerollState
    action: str
    keep: Any
    reroll: Any
    probability: Any

    @property
    def gain(self) -> Any:
        """By how much the better of the two is better: above 0 for a decision to wait what waiting is worth."""
        return abs(self.reroll - self.keep)

    def __str__(self) -> str:
        what = "keep the re-roll" if self.action == KEEP else f"re-roll a {self.action}"
        return f"{self.state}: {what}"


@dataclass(frozen=True, eq=False, repr=False)
class RerollPlan(Displayed):
    """The best plan for the re-rolls of an attack, and what it is worth.

    A plan is a policy: it can be given as ``reroll`` to an attack with the same dice.

    Parameters
    ----------
    decisions
        Those that can come up under the plan, in the order of the dice.
    objective
        What is made as great as can be.
    value, first, without
        What the objective comes to under the plan, when the re-roll is spent on the first low roll, and without it.
    """

    decisions: tuple[RerollDecision, ...]
    objective: str
    value: Any
    first: Any
    without: Any
    _answer: Callable[[RerollState], str] = field(repr=False)

    @property
    def worth(self) -> Any:
        """What it is worth to have the re-roll."""
        return self.value - self.without

    @property
    def worth_of_waiting(self) -> Any:
        """What it is worth to wait for the best moment rather than to spend it on the first low roll."""
        return self.value - self.first

    def __call__(self, state: RerollState) -> str:
        """Return the result of which one die is re-rolled, or ``"keep"``."""
        return self._answer(state)

    def __iter__(self) -> Iterator[RerollDecision]:
        return iter(self.decisions)

    def __len__(self) -> int:
        return len(self.decisions)

    @property
    def sentence(self) -> str:
        """The plan in words."""
        from mathhammer.sequence.reroll_words import in_words

        return in_words(self.decisions)

    def _line(self) -> str:
        return f"{self.objective}: {number(self.value)} (+{number(self.worth)}); {self.sentence}"

    def _panel(self) -> Panel:
        from mathhammer.display import Panel, Table

        rows = [
            [
                str(decision.state),
                *map(str, decision.state.target[-1:]),
                decision.action,
                number(decision.keep),
                number(decision.reroll),
                percent(decision.probability),
            ]
            for decision in self.decisions
        ]
        header = ["dice on the table", "target", "re-roll", "if kept", "if spent", "comes up"]
        facts = {
            self.objective: number(self.value),
            "without the re-roll": number(self.without),
            "spent on the first low roll": number(self.first),
        }
        return Panel("The best use of the re-roll", facts, [Table(header, rows, "<<<")], [self.sentence])
