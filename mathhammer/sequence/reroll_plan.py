"""The plan of an attack that is played: what is chosen where, how likely that is, and its words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.display import Displayed, Named
from mathhammer.display.numbers import number, percent
from mathhammer.errors import MathhammerError
from mathhammer.validation import shown as in_short

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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
    """The situation of a player who may re-roll a die.

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
        """True if there is a number or a failure to re-roll, or another choice to make."""
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
        What the plan maximises.
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
        """Gain from having the re-roll."""
        return self.value - self.without

    @property
    def worth_of_waiting(self) -> Any:
        """Gain from waiting for the best moment over spending it on the first low roll."""
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
        return in_words(self.decisions, self._wounds)

    def _line(self) -> str:
        worth = f" (+{number(self.worth)})" if self.worth else ""
        return f"{self.objective}: {number(self.value)}{worth}; {self.sentence}"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel, TablePart

        rows = [
            [
                str(decision.state),
                ", ".join(map(str, decision.state.target)),
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
            header[2:5] = ["choice", "first option", "best other"]
        facts: dict[str, object] = {self.objective: self.value}
        if rerolls:
            facts["without the re-roll"] = self.without
            facts["spent on the first low roll"] = self.first
        title = "The best use of the re-roll" if rerolls else "The best choices: what options are worth"
        return Panel(title, facts, [TablePart(header, rows, "<<<>>>")], [self.sentence])


_SEE = "as the table says"
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NOUNS = {"hit": "hit", "wound": "wound", "save": "failed save"}
_VALUES = {"damage": "damage roll", "attacks": "roll for attacks"}


def in_words(decisions: Sequence[RerollDecision], wounds: int | None) -> str:
    """Return when a re-roll is spent, by those decisions that can come up and make a difference."""
    parts = []
    deciding = [
        each
        for each in decisions
        if each.keep != each.reroll and (each.action != "keep" or each.state.is_open)
    ]
    several = len({decision.state.volley for decision in deciding}) > 1
    for (volley, roll), group in groupby(deciding, lambda each: (each.state.volley, each.state.roll)):
        found = list(group)
        if roll in _VALUES:
            said = _values(found, roll, wounds)
        else:
            said = _dice(found, roll) if roll in _NOUNS else _choices(found, roll)
        parts.append(f"with volley {volley + 1} {said}" if several else said)
    if not parts:
        return "There is nothing to decide."
    sentence = "; then ".join(parts)
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _choices(decisions: Sequence[RerollDecision], roll: str) -> str:
    """Return what is chosen where there is no die to re-roll: between rolls, or which volley is next."""
    chosen = {each.action for each in decisions}
    if roll == "lethal":
        if chosen == {"take all"}:
            return "wound with every critical hit at once"
        rolled = {f"roll {sum(number for _, number in each.state.shown)}" for each in decisions}
        if "take all" not in chosen and chosen == rolled:
            return "roll to wound for every critical hit"
        return f"wound with a critical hit at once, or roll for it, {_SEE}"
    if roll == "order":
        first = max(decisions, key=lambda each: each.probability)
        return f"begin with {first.action}" + ("" if len(decisions) == 1 else f", then {_SEE}")
    return f"direct wounds at {chosen.pop()}" if len(chosen) == 1 else f"direct wounds {_SEE}"


def _dice(decisions: Sequence[RerollDecision], roll: str) -> str:
    """Return when dice that are rolled together are re-rolled, by the number of successes."""
    spent = {each.action for each in decisions} - {"keep"}
    if not spent:
        return f"keep it at the {roll} rolls"
    if len(spent) > 1:
        return f"re-roll {' or '.join(sorted(spent))} {_SEE}"
    (label,) = spent
    by_number: dict[int, set[str]] = {}
    for each in decisions:
        if label in each.state.rerollable:
            by_number.setdefault(sum(number for _, number in each.state.shown), set()).add(each.action)
    if any(len(actions) > 1 for actions in by_number.values()):
        return f"re-roll a {label} {_SEE}"
    again = [number for number, actions in by_number.items() if label in actions]
    keeping = [number for number in by_number if number not in again]
    if not keeping:
        return f"re-roll a {label}"
    noun = _NOUNS[roll]
    return (
        f"keep it after {_numbers(keeping, by_number, noun)}; "
        f"after {_numbers(again, by_number, noun)} re-roll a {label}"
    )


def _numbers(some: Iterable[int], every: Iterable[int], noun: str) -> str:
    """Return some of several numbers of a thing in words."""
    numbers, known = sorted(some), sorted(every)
    plural = "" if numbers == [1] else "s"
    if len(numbers) > 1 and numbers == known[-len(numbers) :]:
        return f"{_word(numbers[0])} or more {noun}s"
    if len(numbers) > 2 and numbers == known[: len(numbers)]:
        return f"{_word(numbers[-1])} or fewer {noun}s"
    return f"{' or '.join(map(_word, numbers))} {noun}{plural}"


def _word(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def _values(decisions: Sequence[RerollDecision], roll: str, wounds: int | None) -> str:
    """Return up to which value a number is re-rolled, by what the target has left and by what is still to come."""
    what = _VALUES[roll]
    if not all(each.state.shown[0][0].isdigit() for each in decisions):
        return f"re-roll a die of a {what} {_SEE}"  # of several dice one by one
    #: By what a limit can depend on: wounds left of the model in front, wounds to come, models destroyed.
    found: dict[tuple[int, int, int], tuple[set[int], set[int]]] = {}
    for each in decisions:
        destroyed, lost = each.state.target[:2]
        sight = (wounds or 0) - lost, sum(number for _, number in each.state.to_come), destroyed
        kept, again = found.setdefault(sight, (set(), set()))
        (kept if each.action == "keep" else again).add(int(each.state.shown[0][0]))
    if not any(again for _, again in found.values()):
        return f"keep it at the {what}s"
    by_limits = all(not again or not kept or max(again) < min(kept) for kept, again in found.values())
    if not by_limits or (wounds is None and roll == "damage"):
        return f"re-roll a {what} {_SEE}"
    limits = {sight: max(again, default=0) for sight, (_, again) in found.items()}
    if len(set(limits.values())) == 1:
        return f"re-roll a {what} of {_up_to(max(limits.values()))}"
    return f"re-roll a {what} {_limits(limits)}"


def _limits(limits: Mapping[tuple[int, int, int], int]) -> str:
    """Return up to which value, by the wounds that the model in front has left if that says everything."""
    by_left, more = _by_left(limits), ""
    if by_left is None:
        # What is still to come matters too: the last wound says what there is to be done with the re-roll.
        by_left = _by_left({sight: limit for sight, limit in limits.items() if not sight[1]})
        more = f", if no more are to come, else {_SEE}"
        if by_left is None or not any(by_left.values()):
            return _SEE
    return f"of {'; of '.join(_ranges(by_left))}{more}"


def _by_left(limits: Mapping[tuple[int, int, int], int]) -> dict[int, int] | None:
    """Return the limits by the wounds that the model in front has left, if they depend on those alone."""
    found: dict[int, int] = {}
    return (
        found if all(found.setdefault(left, limit) == limit for (left, *_), limit in limits.items()) else None
    )


def _up_to(limit: int) -> str:
    return str(limit) if limit == 1 else f"{limit} or less"


def _ranges(limits: Mapping[int, int]) -> list[str]:
    """Return up to which value, for ranges of the wounds that the model in front has left."""
    every, said = sorted(limits), []
    for limit, group in groupby(every, limits.__getitem__):
        if limit:
            numbers = list(group)
            said.append(f"{_up_to(limit)} while {_range(numbers, every)}")
    return said


def _range(numbers: Sequence[int], every: Sequence[int]) -> str:
    first, last = numbers[0], numbers[-1]
    if last == every[-1] and first > 1:
        return f"{_word(first)} or more wounds are left"
    if first == last:
        return f"{_word(first)} {'wound is' if first == 1 else 'wounds are'} left"
    return f"{_word(first)} to {_word(last)} wounds are left"
