"""A plan for a re-roll in one sentence a player would say."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mathhammer.sequence.reroll_plan import RerollDecision

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


class _Sight(NamedTuple):
    """What a limit can depend on: wounds left of the model in front, models left, wounds to come after this one."""

    left: int
    destroyed: int
    to_come: int


def _values(decisions: Sequence[RerollDecision], roll: str, wounds: int | None) -> str:
    """Return up to which value a number is re-rolled, by what the target has left and by what is still to come."""
    what = _VALUES[roll]
    if not all(each.state.shown[0][0].isdigit() for each in decisions):
        return f"re-roll a die of a {what} {_SEE}"  # of several dice one by one
    found: dict[_Sight, tuple[set[int], set[int]]] = {}
    for each in decisions:
        destroyed, lost = each.state.target[:2]
        come = sum(number for _, number in each.state.to_come)
        sight = _Sight((wounds or 0) - lost, destroyed, come)
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


def _limits(limits: Mapping[_Sight, int]) -> str:
    """Return up to which value, by the wounds that the model in front has left if that says everything."""
    by_left = _by("left", limits)
    if by_left is not None:
        return f"of {'; of '.join(_ranges(by_left))}"
    # What is still to come matters too: the last wound says what there is to be done with the re-roll.
    by_left = _by("left", {sight: limit for sight, limit in limits.items() if not sight.to_come})
    if by_left is None or not any(by_left.values()):
        return _SEE
    return f"of {'; of '.join(_ranges(by_left))}, if no more are to come, else {_SEE}"


def _by(name: str, limits: Mapping[_Sight, int]) -> dict[int, int] | None:
    """Return the limits by one thing that is seen, if they depend on it alone."""
    found: dict[int, int] = {}
    for sight, limit in limits.items():
        if found.setdefault(getattr(sight, name), limit) != limit:
            return None
    return found


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
