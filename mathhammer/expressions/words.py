"""The words of the text of dice expressions: those before parentheses, and those that other programs put behind dice.

Foundry VTT, Dice Modifiers; Roll20, Dice Reference; Avrae, Dice Syntax; AnyDice, Documentation; icepool, API.
"""

from __future__ import annotations

from functools import partial, reduce
from operator import add
from typing import TYPE_CHECKING, Any, Literal, cast

from mathhammer.errors import MathhammerError
from mathhammer.expressions.base import Constant, Expression, require_size
from mathhammer.expressions.check import FaceCondition, related
from mathhammer.expressions.die import Compound, Die, Faces, Repeated, faces
from mathhammer.expressions.operations import Comparison, Extreme, Let, Mixture, Rounded, Sum, Variable
from mathhammer.expressions.pool import BestReroll, Exploded, Given, Pattern, Pool, Rerolled
from mathhammer.validation import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.expressions.parser import Parser
    from mathhammer.expressions.pool import Entries

#: An explosion without an end of its own is cut where fewer than one die in so many goes on; and after so many rolls.
_RARE, _MAXIMUM_ROLLS = 10**9, 200


def _of_end(kept: tuple[int | None, Any], end: Literal["max", "min"]) -> Expression:
    """Return the pool of the dice of one end, or the greatest or the smallest of values."""
    keep, of = kept
    if keep is None:
        return Extreme(tuple(of), end)
    dropped = sum(count for count, _ in of) - keep
    return Pool(of, dropped, 0) if end == "max" else Pool(of, 0, dropped)


def _middle(keep: int, pool: Entries) -> Expression:
    dropped = sum(count for count, _ in pool) - keep
    if dropped % 2:
        raise MathhammerError(f"expected as many dice to drop below as above, got {dropped} in all")
    return Pool(pool, dropped // 2, dropped // 2)


def _counted(worth: dict[int, int], pool: Entries) -> Expression:
    return _total(tuple((count, _valued(die, lambda face: worth.get(face, 0))) for count, die in pool))


_X = Variable("x")
CALLS: dict[str, tuple[str, Callable[..., Expression]]] = {
    **dict.fromkeys(("abs", "absolute"), ("value", lambda of: Let("x", of, Extreme((_X, 0 - _X), "max")))),
    "count": ("faces in pool", _counted),
    "drop": ("drops of pool", lambda of, pool: Pool(pool, of.get("lowest", 0), of.get("highest", 0))),
    "explode": ("value , condition , end", lambda die, condition, end: Exploded(die, condition, *end)),
    "[explode": ("value", lambda die: Exploded(die, related("=", die.bounds()[1]), 2, truncated=False)),
    "given": ("value , condition", Given),
    "highest": ("kept", lambda kept: _of_end(kept, "max")),
    "lowest": ("kept", lambda kept: _of_end(kept, "min")),
    "middle": ("keep of pool", _middle),
    "mixture": ("weighted", lambda weighted: Mixture(tuple(weighted))),
    "pairs": ("pool", lambda pool: Pattern("sets", pool, 2)),
    "reroll": ("reroll", lambda reroll: reroll()),
    "sets": ("keep of pool", lambda size, pool: Pattern("sets", pool, size)),
    **{word: ("pool", partial(Pattern, word)) for word in ("distinct", "matching", "straight")},
    "max": ("values", lambda values: Extreme(tuple(values), "max")),
    "min": ("values", lambda values: Extreme(tuple(values), "min")),
    **{word: ("value", partial(Rounded, direction=word)) for word in ("floor", "ceil", "round")},
}
"""The words, each with the grammar of its parentheses, of which each part is read by the function of its name."""


def call(parser: Parser, bracket: str) -> Expression:
    """Read ``call = word, "(", arguments, ")"``, or as AnyDice writes it, ``"[", word, arguments, "]"``."""
    start, divided = parser.position, "/" in parser.readings
    word = parser.take_word(*CALLS)
    arguments, make = CALLS.get(bracket + word, CALLS[word])
    if bracket + word == "[explode":
        parser.say("explode")
    close = {"[": "]", "(": ")", "": ""}[bracket or parser.take("(")]
    if not close and word not in {"highest", "lowest", "middle", "count"}:
        raise parser.error("expected '('")
    given: list[Any] = []
    for part in arguments.split():
        if part == ",":
            parser.require(",")
        elif part not in {"of", "in"}:
            given.append(_READERS[part](parser))
        elif not parser.take_word(part):
            raise parser.error(f"expected '{part}' and a pool of dice")
    if close:
        parser.require(close)
    if word in {"floor", "ceil", "round"} and not divided:
        parser.readings.pop("/", None)
    return parser.built(start, make, *given)


def _each(
    make: Callable[[Expression, FaceCondition], Expression], *kinds: type[Expression], ascending: bool = False
) -> Callable[[Pool, FaceCondition, set[str]], Pool]:
    """Return what changes every die, if all are still of some kinds; what leaves their order may follow keeping."""

    def change(pool: Pool, said: FaceCondition, _: set[str]) -> Pool:
        early = ascending or pool.kept == pool.size
        if not early or not all(isinstance(die, kinds or _PLAIN) for _, die in pool.entries):
            raise MathhammerError("expected this word before dice explode, are kept or are counted")
        entries = tuple((count, make(die, said)) for count, die in pool.entries)
        return Pool(entries, pool.drop_lowest, pool.drop_highest)

    return change


def _limit(end: Literal["max", "min"]) -> Callable[[Pool, FaceCondition, set[str]], Pool]:
    return _each(lambda die, said: Extreme((die, Constant(said.values[0])), end), ascending=True)


def _once(die: Expression, said: FaceCondition) -> Expression:
    if not isinstance(die, Rerolled):
        return Rerolled(die, said)
    require_size(die)
    low, high = die.bounds()
    both = (face for face in range(low, high + 1) if said(face) or die.condition(face))
    return Rerolled(die.roll, FaceCondition("=", tuple(both)))


def _explode(die: Expression, said: FaceCondition) -> Exploded:
    """Explode as long as it goes on, to where fewer than one in `_RARE` dice would."""
    split = dict(_valued(die, lambda face: int(said(face))).weighted)
    if len(split) < 2:
        raise MathhammerError(f"expected a {die} of which some faces explode and some do not, got {said}")
    rolls, on, every = 0, split[1], split[0] + split[1]
    while on ** (rolls + 1) * _RARE > every ** (rolls + 1):
        rolls += 1
        if rolls > _MAXIMUM_ROLLS:
            raise MathhammerError(
                f"expected fewer explosions than of a {die} on {said}; explode({die}, {said}, at most 100) has an end"
            )
    return Exploded(die, said, rolls, truncated=False)


def _penetrate(die: Expression, said: FaceCondition) -> Expression:
    """Explode with further rolls that count 1 less: those of a die that shows 1 less, and 1 more in all."""
    less = FaceCondition(said.relation, tuple(value - 1 for value in said.values))
    return Exploded(die - 1, less, _explode(die, said).rolls, truncated=False) + 1


def _without(pool: Pool, lowest: int, highest: int = 0) -> Pool:
    """Drop so many more of the lowest and of the highest dice."""
    return Pool(pool.entries, pool.drop_lowest + lowest, pool.drop_highest + highest)


def _count(pool: Pool, said: FaceCondition, seen: set[str]) -> Pool:
    def counted(die: Expression) -> Expression:
        if not isinstance(die, Exploded) or "!!" in seen:
            return Comparison(die, said.relation, Constant(said.values[0]))
        # Each die that explodes shows such a face and is followed by another; the last shows one of the rest.
        on = _valued(die.die, lambda face: int(die.condition(face)))
        number = Exploded(on, FaceCondition("=", (1,)), die.rolls, truncated=False)
        shown = (die.condition, ~die.condition)
        first, last = (_valued(die.die, lambda face: int(said(face)), those) for those in shown)
        return Compound(number, first) + last

    return Pool(tuple((count, counted(die)) for count, die in pool.entries), 0, 0)


def _subtract(die: Expression, said: FaceCondition) -> Expression:
    """Count a success less where a face meets a condition."""
    successes = cast("Comparison", die)
    holds = related(successes.relation, cast("Constant", successes.right).value)
    return _valued(successes.left, lambda face: holds(face) - said(face))


def _valued(
    die: Expression, value: Callable[[int], int], those: Callable[[int], bool] = lambda _: True
) -> Faces:
    """Return a die whose faces have other values, or of which only those faces are shown."""
    if not isinstance(die, Die | Faces):
        raise MathhammerError(f"expected plain dice before this, got {die}")
    require_size(die)
    weights: dict[int, int] = {}
    for face, weight in die.weighted if isinstance(die, Faces) else ((n + 1, 1) for n in range(die.sides)):
        if those(face):
            weights[value(face)] = weights.get(value(face), 0) + weight
    return faces(weights)


_PLAIN = (Die, Faces, Rerolled, Given, Extreme)
#: Words behind dice, each with the number that it takes where none stands, and what it makes of a pool.
_WORDS: dict[str, tuple[int | str | None, Callable[[Pool, FaceCondition, set[str]], Pool]]] = {
    "r ro": ("low", _each(_once)),
    "rr": ("low", _each(lambda die, said: Given(die, ~said))),
    "mi min": (None, _limit("max")),
    "ma max": (None, _limit("min")),
    "! !! x e": ("high", _each(_explode)),
    "!p": ("high", _each(_penetrate)),
    "!o xo": ("high", _each(lambda die, said: Exploded(die, said, 1, truncated=False))),
    "k kh": (1, lambda pool, said, _: _without(pool, pool.kept - said.values[0])),
    "kl": (1, lambda pool, said, _: _without(pool, 0, pool.kept - said.values[0])),
    "d dl pl": (1, lambda pool, said, _: _without(pool, said.values[0])),
    "dh ph": (1, lambda pool, said, _: _without(pool, 0, said.values[0])),
    "cs": ("high", _count),
    "cf": ("low", _count),
    "f df": ("low", _each(_subtract, Comparison)),
    "even": ("", _each(lambda die, _: _valued(die, lambda face: (face + 1) % 2))),
    "odd": ("", _each(lambda die, _: _valued(die, lambda face: face % 2))),
    "s sa sd": ("", lambda pool, *_: pool),
}
_MODIFIERS = {word: row for words, row in _WORDS.items() for word in words.split()}
#: An x that multiplies is none of them, nor is the beginning of ``!=``; Roll20 writes ``>=5f1`` without a word.
_MODIFIER = (
    rf"!!|!p|!o|!(?!=)|(?:{'|'.join(word for word in _MODIFIERS if word.isalpha() and 'x' not in word)}|max)(?![a-z])"
    r"|xo?(?=\s*(?:[<>=≥≤)\],}+]|$))|xo(?=[0-9])|x(?=[0-9]+(?:cs|[kd][hl]))|(?=(?:[<>]=?|[≥≤])\s*[0-9]+\s*f)"
)
#: Words that say nothing behind others, by their first letters.
_SINGLE, _KEPT = {"!p", "!o", "xo"}, {"k", "kh", "kl", "d", "dl", "dh", "pl", "ph"}
_NEVER_BEHIND = {"k": {"!", "x", "e", "cs", "cf", ""} | _SINGLE, "c": {"cs", "cf", ""} | _SINGLE | _KEPT}
_NEVER_BEHIND |= {"d": _NEVER_BEHIND["k"], "p": _NEVER_BEHIND["k"], "": _NEVER_BEHIND["c"]}


def modified(parser: Parser, entries: Entries, roll: Expression) -> Expression:
    """Read the words behind dice; without one they are as they were."""
    seen: set[str] = set()
    while (found := parser.match(_MODIFIER)) is not None:
        word = found[0].lower()
        default, change = _MODIFIERS[word or "cs"]
        said = _said(parser, entries, word, default)
        if word != "df" and seen & _NEVER_BEHIND.get(word[:1], set()):
            raise parser.error(
                "expected dice that are kept or counted, each once, and '!!' where they explode and are kept, as in "
                "4d6!!kh3: a die and its further rolls are one value then",
                found.start(),
            )
        made = roll if isinstance(roll, Pool) else Pool(entries, 0, 0)
        pool = parser.built(found.start(), change, made, said, seen)
        seen.add(word)
        if word in {"r", "cs"}:
            parser.say(word)
        for _, die in pool.entries:
            if isinstance(die, Exploded) and word in {"!", "!!", "x", "e"}:
                parser.say("!", die.die, die.rolls, die.condition)
        roll, entries = pool, pool.entries
    return roll if not isinstance(roll, Pool) or roll.kept < roll.size else _total(roll.entries)


def _total(entries: Entries) -> Expression:
    return reduce(add, (each if count == 1 else Repeated(count, each) for count, each in entries))


def _said(parser: Parser, entries: Entries, word: str, default: int | str | None) -> FaceCondition:
    """Read the number behind a word, and the relation before it where the word takes one."""
    ends = {die.bounds()[default == "high"] for _, die in entries}
    relation = parser.relation() if default in {"low", "high"} else ""
    number = parser.signed("a number") if relation else None if default == "" else parser.number()
    if relation in {"<", ">"}:
        inclusive = word in {"", "f"} or word[0] == "!"  # Roll20's own words
        parser.say("in" if inclusive else "out", word, relation, number)
        relation += "=" * inclusive
    if number is None:
        unknown = default is None or (default in {"low", "high"} and len(ends) > 1)
        if unknown or (word == "k" and parser.peek() in {"<", ">"}):
            raise parser.error(f"expected a number behind '{word}'")
        number = default if isinstance(default, int) else ends.pop()
    return related(relation or "=", number)


def group(parser: Parser) -> Expression:
    """Read ``{4d6, 2d8}kh``, a pool of values, ``{4d6+2d8}kh3``, one of dice, or AnyDice's ``{1..3}@4d6``."""
    start = parser.position
    if pattern(r"[0-9.,\s]*\}\s*@").match(parser.signs, start):
        places = parser.weights()
        parser.require("@")
        if places != dict.fromkeys(range(min(places), max(places) + 1), 1):
            raise parser.error("expected places without gaps before '@', each once, as in {1..3}@4d6", start)
        return _places(parser, min(places), max(places), parser.required_number("dice behind '@'"), start)
    values = parser.several(parser.expression)
    parser.require("}")
    one = len(values) == 1
    terms = values[0].terms() if one and isinstance(values[0], Sum) else [(1, value) for value in values]
    dice = [value if sign > 0 else -value for sign, value in terms]
    entries = tuple((die.count, die.each) if one and isinstance(die, Repeated) else (1, die) for die in dice)
    total = _total(entries)
    roll = modified(parser, entries, total)
    if one or roll is not total or parser.peek() not in {*"<>=≥≤"}:
        return roll
    return _total(_count(Pool(entries, 0, 0), _said(parser, entries, "", "high"), set()).entries)


def at(parser: Parser, number: int, start: int) -> Expression:
    """Read what stands behind ``2@``: what is rolled twice, or AnyDice's dice of which the second highest counts."""
    count = parser.number()
    if count is None:
        return Repeated(number, parser.postfix())
    return _places(parser, number, number, count, start)


def _places(parser: Parser, first: int, last: int, count: int, start: int) -> Expression:
    """Read the die of so many, of which those from one place to another count, from the highest."""
    if (die := parser.die()) is None:
        raise parser.error("expected dice behind '@'")
    if first == last:
        parser.say("@", first, f"{count}{die}")
    return parser.built(start, Pool, ((count, die),), count - last, first - 1)


def _kept_of(parser: Parser) -> tuple[int | None, Any]:
    """Read ``number, "of", pool``, or values, before which AnyDice writes ``of``."""
    start, number = parser.position, parser.number()
    if number is not None:
        if parser.take_word("of"):
            return number, _pool(parser)
        if parser.peek().isdigit():
            raise parser.error("expected 'of' and a pool of dice")
        parser.position = start
    parser.take_word("of")
    return None, parser.several(parser.expression)


def _pool(parser: Parser) -> Entries:
    return tuple(parser.several(lambda: _entry(parser)))


def _drops(parser: Parser) -> dict[str, int]:
    """Read ``number, "lowest", ",", number, "highest"``; either part may be missing."""
    drops: dict[str, int] = {}
    for found in parser.several(lambda: parser.match(r"([0-9]{1,9})\s*(lowest|highest)\b")):
        if found is None or found[2].lower() in drops:
            raise parser.error("expected how many dice to drop, and 'lowest' or 'highest', each once")
        drops[found[2].lower()] = int(found[1])
    return drops


def _reroll(parser: Parser) -> Callable[[], Expression]:
    """Read one of the three re-rolls, of which two may end with ``"for", signed, ["+"]``."""
    found, target = parser.match(r"([0-9]{1,9})\s*best\s+of\b"), None
    roll = Repeated(*_entry(parser)) if found else parser.expression()
    if not found:
        parser.require(",")
        if not parser.take_word("best"):
            natural = bool(parser.take_word("natural"))
            return partial(Rerolled, roll, parser.condition(), natural)
    if parser.take_word("for"):
        target = parser.signed("a target such as 9+")
        parser.take("+")
    return partial(BestReroll, roll, target, int(found[1]) if found else None)


def _weighted(parser: Parser) -> tuple[int, Expression]:
    """Read ``number, ":", expression``."""
    weight = parser.required_number("a weight")
    parser.require(":")
    return weight, parser.expression()


def _end(parser: Parser) -> tuple[int, bool]:
    """Read ``("depth" | "at", "most"), number``."""
    if (found := parser.match(r"depth\b|at\s+most\b")) is None:
        raise parser.error(
            "expected 'depth n' (the rest is missing mass) or 'at most n' (the rule stops there)"
        )
    return parser.required_number("a number of further rolls"), found[0].lower() == "depth"


def _entry(parser: Parser) -> tuple[int, Expression]:
    """Read ``entry = [number], (die | "(", expression, ")")``: so many dice, not their sum."""
    read = parser.number()
    count = 1 if read is None else read
    if die := parser.die():
        return count, die
    if parser.take("("):
        value = parser.expression()
        parser.require(")")
        return count, value
    raise parser.error("expected dice such as 4D6, or a value in parentheses")


_READERS: dict[str, Callable[[Parser], Any]] = {
    "value": lambda parser: parser.expression(),
    "values": lambda parser: parser.several(parser.expression),
    "condition": lambda parser: parser.condition(),
    "keep": lambda parser: parser.required_number("how many dice to keep"),
    "pool": _pool,
    "kept": _kept_of,
    "faces": lambda parser: parser.weights() if parser.take("{") else {parser.signed("a face"): 1},
    "weighted": lambda parser: parser.several(lambda: _weighted(parser)),
    "drops": _drops,
    "end": _end,
    "reroll": _reroll,
}
