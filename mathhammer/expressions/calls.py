"""The named forms of the text of dice expressions: ``highest(...)``, ``reroll(...)`` and their like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.expressions.branching import Exploded, Given, Mixture
from mathhammer.expressions.operations import Maximum, Minimum, Rounded
from mathhammer.expressions.pool import Pool
from mathhammer.expressions.reroll import BestDiceReroll, BestReroll, Rerolled

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.expressions.base import Expression
    from mathhammer.expressions.parser import Parser
    from mathhammer.expressions.pool import Entries


class _Word(NamedTuple):
    """The arguments of a word, of which each part is read by the function of its name, and what is made of them."""

    arguments: str
    make: Callable[..., Expression]


def _dropped(drops: dict[str, int], pool: Entries) -> Expression:
    return Pool(pool, drops.get("lowest", 0), drops.get("highest", 0))


def _drop_of(pool: Entries, keep: int) -> int:
    return sum(count for count, _ in pool) - keep


CALLS = {
    "ceil": _Word("value", lambda value: Rounded(value, "ceil")),
    "drop": _Word("drops of pool", _dropped),
    "explode": _Word("value , condition , end", lambda die, condition, end: Exploded(die, condition, *end)),
    "floor": _Word("value", lambda value: Rounded(value, "floor")),
    "given": _Word("value , condition", Given),
    "highest": _Word("keep of pool", lambda keep, pool: Pool(pool, _drop_of(pool, keep), 0)),
    "lowest": _Word("keep of pool", lambda keep, pool: Pool(pool, 0, _drop_of(pool, keep))),
    "max": _Word("values", lambda values: Maximum(tuple(values))),
    "min": _Word("values", lambda values: Minimum(tuple(values))),
    "mixture": _Word("weighted", lambda weighted: Mixture(tuple(weighted))),
    "reroll": _Word("reroll", lambda reroll: reroll[0](*reroll[1:])),
}
"""The words, each with the grammar of what stands in its parentheses."""


def call(parser: Parser, depth: int) -> Expression:
    """Read ``call = word, "(", arguments, ")"``; the arguments are those of the word."""
    start = parser.position
    arguments, make = CALLS[parser.take_word(*CALLS)]
    parser.require("(")
    given: list[Any] = []
    for part in arguments.split():
        if part == ",":
            parser.require(",")
        elif part != "of":
            given.append(_READERS[part](parser, depth))
        elif not parser.take_word("of"):
            raise parser.error("expected 'of' and a pool of dice")
    parser.require(")")
    return parser.built(lambda: make(*given), start)


def _drops(parser: Parser, _: int) -> dict[str, int]:
    """Read ``number, "lowest", ",", number, "highest"``; either part may be missing."""
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
    return drops


def _reroll(parser: Parser, depth: int) -> tuple[Any, ...]:
    """Read one of the three re-rolls."""
    start = parser.position
    dice = parser.number()
    if dice is not None and parser.take_word("best"):
        if not parser.take_word("of"):
            raise parser.error("expected 'of' and dice")
        return BestDiceReroll, dice, *_entry(parser, depth), _target(parser)
    parser.position = start
    roll = parser.expression(depth)
    parser.require(",")
    if parser.take_word("best"):
        return BestReroll, roll, _target(parser)
    natural = bool(parser.take_word("natural"))
    return Rerolled, roll, parser.condition(), natural


def _weighted(parser: Parser, depth: int) -> tuple[int, Expression]:
    """Read ``number, ":", expression``."""
    weight = parser.required_number("a weight")
    parser.require(":")
    return weight, parser.expression(depth)


def _end(parser: Parser, _: int) -> tuple[int, bool]:
    """Read ``("depth" | "at", "most"), number``."""
    word = parser.take_word("depth", "at")
    if not word or (word == "at" and not parser.take_word("most")):
        raise parser.error(
            "expected 'depth n' (the rest is missing mass) or 'at most n' (the rule stops there)"
        )
    return parser.required_number("a number of further rolls"), word == "depth"


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


_READERS: dict[str, Callable[[Parser, int], Any]] = {
    "value": lambda parser, depth: parser.expression(depth),
    "values": lambda parser, depth: parser.several(lambda: parser.expression(depth)),
    "condition": lambda parser, _: parser.condition(),
    "keep": lambda parser, _: parser.required_number("how many dice to keep"),
    "pool": lambda parser, depth: tuple(parser.several(lambda: _entry(parser, depth))),
    "weighted": lambda parser, depth: parser.several(lambda: _weighted(parser, depth)),
    "drops": _drops,
    "end": _end,
    "reroll": _reroll,
}
