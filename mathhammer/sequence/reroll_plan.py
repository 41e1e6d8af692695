"""Plans for single re-rolls: what to do with the dice on the table, as a table and in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.display import Displayed, Named, number, percent
from mathhammer.errors import MathhammerError
from mathhammer.validation import shown as in_short

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mathhammer.display.panel import Panel

#: What a plan says where the re-roll is not spent.
KEEP = "keep"
#: What an attacker decides about, in order: which volley is next, rolls, and choices between them.
ROLLS = ("order", "attacks", "hit", "lethal", "wound", "precision", "save", "damage")
#: The rolls that a re-roll can be spent on.
REROLLED = frozenset(("attacks", "hit", "wound", "save", "damage"))

Pairs = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, repr=False)
class RerollState(Named):
    """What a player sees when they may re-roll a die.

    Parameters
    ----------
    roll
        ``"attacks"``, ``"hit"``, ``"wound"``, ``"damage"``, or ``"save"`` for the player of the target; of what is no
        roll ``"lethal"``, ``"precision"`` or ``"order"``.
    shown
        How many dice show each result that leads to anything; of a number or of damage the value, once.
    rerollable
        Results that one of the dice may be re-rolled from; one of several dice as often as re-rolls are held.
    to_come
        Dice and wounds of each kind that are still to be rolled or resolved besides.
    target
        The state of the target, as the coordinates of ``result.state``.
    volley
        The place of the volley, from 0.
    held
        The re-rolls that are held.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> rifle = wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP0 D1")
    >>> guard = wh40k.Target("Guard", toughness=3, save=None, wounds=1)
    >>> plan = wh40k.attack(rifle, guard, reroll="best", edition="10e").plan
    >>> plan(wh40k.RerollState("hit", (("hit", 1),), ("hit", "miss"), target=(0, 0)))
    'keep'
    """

    roll: str
    shown: Pairs
    rerollable: tuple[str, ...]
    to_come: Pairs = ()
    target: tuple[int, ...] = ()
    volley: int = 0
    held: tuple[str, ...] = ("reroll",)

    def __post_init__(self) -> None:
        put = object.__setattr__
        validation.one_of(self.roll, ROLLS, "roll")
        put(self, "volley", validation.whole(self.volley, "volley", 0))
        for name in ("shown", "to_come"):
            pairs = validation.items(
                validation.plain(getattr(self, name)), tuple, f"pairs of a name and a number as {name}"
            )
            if any(
                len(pair) != 2 or not isinstance(pair[0], str) or type(pair[1]) is not int for pair in pairs
            ):
                raise MathhammerError(
                    f"expected pairs of a name and a number as {name}, got {in_short(pairs)}"
                )
            put(self, name, tuple(sorted(pairs)))
        for name in ("rerollable", "held"):
            texts = validation.items(getattr(self, name), str, f"texts as {name}")
            put(self, name, tuple(sorted(texts)))
        put(self, "target", validation.wholes(self.target, "whole numbers as target"))

    @property
    def failures(self) -> tuple[str, ...]:
        """Results that one of the dice may be re-rolled from, and that lead to nothing."""
        if self.roll not in {"hit", "wound", "save"}:
            return ()
        seen = {label for label, _ in self.shown}
        return tuple(label for label in dict.fromkeys(self.rerollable) if label not in seen)

    @property
    def is_open(self) -> bool:
        """Whether there is a number or a failure to re-roll, not successes alone, or no re-roll but another choice."""
        return self.roll not in {"hit", "wound", "save"} or bool(self.failures)

    def __str__(self) -> str:
        shown = [f"{count} × {label}" if count > 1 else label for label, count in self.shown]
        shown += [f"a {label}" for label in self.failures]
        come = ", ".join(f"{count} {name}" for name, count in self.to_come)
        what = f": {', '.join(shown)}" if shown else ""
        return f"{self.roll}{what}{f'; to come: {come}' if come else ''}"


#: What says of which result one die is re-rolled, or "keep".
Policy = Callable[[RerollState], str]


@dataclass(frozen=True, slots=True, repr=False)
class RerollPolicy(Named):
    """States in which a re-roll is spent; in all others it is kept.

    Parameters
    ----------
    rerolls
        Pairs of a state and the result of which one die is re-rolled in it.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> rifle = wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP0 D1")
    >>> guard = wh40k.Target("Guard", toughness=3, save=None, wounds=1)
    >>> two_misses = wh40k.RerollState("hit", (), ("miss",), target=(0, 0))
    >>> policy = wh40k.RerollPolicy([(two_misses, "miss")])
    >>> wh40k.attack(rifle, guard, reroll=policy, edition="10e", exact=True).hits.mean()  # 4/3 + 1/9 * 2/3
    38/27
    """

    rerolls: tuple[tuple[RerollState, str], ...]
    _actions: Mapping[RerollState, str] = field(init=False, repr=False, compare=False)

    def __init__(self, rerolls: Iterable[tuple[RerollState, str]]) -> None:
        pairs = validation.items(rerolls, tuple, "pairs of a RerollState and a result as rerolls")
        for pair in pairs:
            if len(pair) != 2:
                raise MathhammerError(f"expected pairs of a RerollState and a result, got {in_short(pair)}")
            validation.instance(pair[0], RerollState, "a RerollState in each pair of a RerollPolicy")
            validation.text(pair[1], "the result that is re-rolled")
        object.__setattr__(self, "rerolls", pairs)
        object.__setattr__(self, "_actions", dict(pairs))

    def __call__(self, state: RerollState) -> str:
        """Return the result of which one die is re-rolled, or ``"keep"``."""
        return self._actions.get(state, KEEP)

    def __hash__(self) -> int:
        return hash(self.rerolls)

    def __str__(self) -> str:
        return "; ".join(f"{state}: {action}" for state, action in self.rerolls) or KEEP


@dataclass(frozen=True, slots=True, repr=False)
class RerollDecision(Named):
    """One decision of a plan.

    Parameters
    ----------
    state
        What the player sees.
    action
        The result of which one die is re-rolled, or ``"keep"``; of another choice what is chosen.
    keep, reroll
        What the objective comes to if the re-roll is kept, and if it is spent on the best die, all later decisions
        being as good as can be; of another choice the first option, and the best of the others.
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
        what = self.action
        if self.state.roll in REROLLED:
            what = "keep the re-roll" if what == KEEP else f"re-roll a {what}"
        return f"{self.state}: {what}"


@dataclass(frozen=True, repr=False)
class RerollPlan(Displayed):
    """The best plan for the re-rolls of an attack and what else its player chooses, and what it is worth.

    A plan is a policy: it can be given as ``reroll`` to an attack with the same dice.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> lascannon = wh40k.Weapon.parse("Lascannon: A1 BS3+ S12 AP-3 DD6+1")
    >>> tank = wh40k.Target("Tank", toughness=10, save="3+", wounds=8)
    >>> options = {"count": 3, "objective": "probability_destroyed", "edition": "10e", "exact": True}
    >>> best = wh40k.attack(lascannon, tank, reroll="best", **options)
    >>> print(best.plan.sentence.partition("; then")[0])
    Keep it after two hits; after one hit re-roll a miss

    Parameters
    ----------
    decisions
        Those that can come up under the plan, in the order of the dice.
    objective
        What is made as great as can be.
    value, first, without
        What the objective comes to under the plan, when the re-roll is spent on the first low roll, and without it.
    holds_reroll
        Whether there is a re-roll, not other choices alone.
    """

    decisions: tuple[RerollDecision, ...]
    objective: str
    value: Any
    first: Any
    without: Any
    _answer: Callable[[RerollState], str] = field(repr=False, compare=False)
    _wounds: int | None = field(default=None, repr=False, compare=False)
    holds_reroll: bool = True

    @property
    def policy(self) -> RerollPolicy:
        """The plan without its numbers: the states that can come up in which the re-roll is spent."""
        spent = [each for each in self.decisions if each.action != KEEP and each.state.roll in REROLLED]
        return RerollPolicy([(each.state, each.action) for each in spent])

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

        return in_words(self.decisions, self._wounds)

    def _line(self) -> str:
        worth = f" (+{number(self.worth)})" if self.worth else ""
        return f"{self.objective}: {number(self.value)}{worth}; {self.sentence}"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel, Table

        rows = [
            [
                str(decision.state),
                _coordinates(decision.state.target),
                decision.action,
                number(decision.keep),
                number(decision.reroll),
                percent(decision.probability),
            ]
            for decision in self.decisions
            if decision.action != KEEP or (decision.keep != decision.reroll and decision.state.is_open)
        ]
        rerolls = self.holds_reroll
        header = ["dice on the table", "target", "re-roll", "if kept", "if spent", "comes up"]
        if not rerolls:
            header[2:5] = ["choice", "first choice", "best other"]
        facts: dict[str, object] = {self.objective: self.value}
        if rerolls:
            facts["without the re-roll"] = self.without
            facts["spent on the first low roll"] = self.first
        title = "The best use of the re-roll" if rerolls else "The best choices"
        return Panel(title, facts, [Table(header, rows, "<<<>>>")], [self.sentence])


def _coordinates(target: tuple[int, ...]) -> str:
    return ", ".join(map(str, target))
