"""The named forms of the text of dice expressions: ``highest(...)``, ``reroll(...)`` and their like."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

from mathhammer.expressions.branching import Exploded, Given, Mixture
from mathhammer.expressions.operations import Maximum, Minimum, Rounded
from mathhammer.expressions.pool import Pool
from mathhammer.expressions.reroll import BestDiceReroll, BestReroll, Rerolled

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.expressions.base import Expression
    from mathhammer.expressions.parser import Parser


def call(parser: Parser, depth: int) -> Expression:
    """Read ``call = word, "(", arguments, ")"``; the arguments are those of the word."""
    start = parser.position
    word = parser.take_word(*CALLS)
    parser.require("(")
    make = CALLS[word](parser, depth)
    parser.require(")")
    return parser.built(make, start)


def _extreme(kind: type[Maximum | Minimum], parser: Parser, depth: int) -> Callable[[], Expression]:
    """Read ``max(expression, {",", expression})``, or ``min`` alike."""
    values = parser.several(lambda: parser.expression(depth))
    return lambda: kind(tuple(values))


def _rounded(direction: Literal["floor", "ceil"], parser: Parser, depth: int) -> Callable[[], Expression]:
    """Read ``floor(expression)``, or ``ceil`` alike."""
    value = parser.expression(depth)
    return lambda: Rounded(value, direction)


def _kept(end: str, parser: Parser, depth: int) -> Callable[[], Expression]:
    """Read ``highest(number, "of", pool)``, or ``lowest`` alike."""
    keep = parser.required_number("how many dice to keep")
    entries = _pool(parser, depth)
    drop = sum(count for count, _ in entries) - keep
    return lambda: Pool(entries, drop, 0) if end == "highest" else Pool(entries, 0, drop)


def _drop(parser: Parser, depth: int) -> Callable[[], Expression]:
    """Read ``drop(number, "lowest", ",", number, "highest", "of", pool)``; either part may be missing."""
    drops: dict[str, int] = {}

    def drop() -> None:
        start = parser.position
        number = parser.required_number("how many dice to drop")
        end = parser.take_word("lowest", "highest")
        if not end:
            raise parser.error("expected 'lowest' or 'highest'")
        if end in drops:
            raise parser.error(f"expected each end once, not '{end}' again", start)
        drops[end] = number

    parser.several(drop)
    entries = _pool(parser, depth)
    return lambda: Pool(entries, drops.get("lowest", 0), drops.get("highest", 0))


def _reroll(parser: Parser, depth: int) -> Callable[[], Expression]:
    """Read one of the three re-rolls."""
    start = parser.position
    dice = parser.number()
    if dice is not None and parser.take_word("best"):
        if not parser.take_word("of"):
            raise parser.error("expected 'of' and dice")
        count, die = _entry(parser, depth)
        target = _target(parser)
        return lambda: BestDiceReroll(dice, count, die, target)
    parser.position = start
    roll = parser.expression(depth)
    parser.require(",")
    if parser.take_word("best"):
        target = _target(parser)
        return lambda: BestReroll(roll, target)
    natural = bool(parser.take_word("natural"))
    condition = parser.condition()
    return lambda: Rerolled(roll, condition, natural)


def _given(parser: Parser, depth: int) -> Callable[[], Expression]:
    """Read ``given(expression, ",", condition)``."""
    value = parser.expression(depth)
    parser.require(",")
    condition = parser.condition()
    return lambda: Given(value, condition)


def _mixture(parser: Parser, depth: int) -> Callable[[], Expression]:
    """Read ``mixture(number, ":", expression, {",", number, ":", expression})``."""

    def part() -> tuple[int, Expression]:
        weight = parser.required_number("a weight")
        parser.require(":")
        return weight, parser.expression(depth)

    weighted = parser.several(part)
    return lambda: Mixture(tuple(weighted))


def _explode(parser: Parser, depth: int) -> Callable[[], Expression]:
    """Read ``explode(expression, ",", condition, ",", ("depth" | "at", "most"), number)``."""
    die = parser.expression(depth)
    parser.require(",")
    condition = parser.condition()
    parser.require(",")
    word = parser.take_word("depth", "at")
    if not word or (word == "at" and not parser.take_word("most")):
        raise parser.error(
            "expected 'depth n' (the rest is missing mass) or 'at most n' (the rule stops there)"
        )
    rolls = parser.required_number("a number of further rolls")
    return lambda: Exploded(die, condition, rolls, word == "depth")


#: Word to the function that reads its arguments and returns how to make the expression.
CALLS: dict[str, Callable[[Parser, int], Callable[[], Expression]]] = {
    "ceil": partial(_rounded, "ceil"),
    "drop": _drop,
    "explode": _explode,
    "floor": partial(_rounded, "floor"),
    "given": _given,
    "highest": partial(_kept, "highest"),
    "lowest": partial(_kept, "lowest"),
    "max": partial(_extreme, Maximum),
    "min": partial(_extreme, Minimum),
    "mixture": _mixture,
    "reroll": _reroll,
}


def _pool(parser: Parser, depth: int) -> tuple[tuple[int, Expression], ...]:
    """Read ``"of", entry, {",", entry}``."""
    if not parser.take_word("of"):
        raise parser.error("expected 'of' and a pool of dice")
    return tuple(parser.several(lambda: _entry(parser, depth)))


def _entry(parser: Parser, depth: int) -> tuple[int, Expression]:
    """Read ``entry = [number], (die | "(", expression, ")")``: so many dice, not their sum."""
    parser.count()
    read = parser.number()
    count = 1 if read is None else read
    if parser.at_die():
        return count, parser.die()
    if parser.take("("):
        die = parser.expression(depth)
        parser.require(")")
        return count, die
    raise parser.error("expected dice such as 4D6, or a value in parentheses")


def _target(parser: Parser) -> int | None:
    """Read ``["for", signed, "+"]``."""
    if not parser.take_word("for"):
        return None
    target = parser.signed("a target such as 9+")
    parser.take("+")
    return target
