"""Changed texts: valid ones with a few of the mistakes and of the attacks that outsiders make."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

#: What is put in anywhere: numbers without end, signs that a terminal obeys, digits that int() refuses or takes.
_PIECES = (
    *("0", "-1", "1.5", "1e999", "nan", "99", "20000", "170000", "999999999"),
    *("9" * 30, "9" * 5000, *"²½٣∞−’“\u00a0\u202e\u2028\ud800\0{}])(,;:|=\n\t \\'\"#•◦➤+-*"),
    *("\x1b]0;x\x07", "\x9b31m", "(" * 300, "[" * 3000, "\r\n", "  " * 2000, "x" * 70_000),
    *("$x^$", "=1+1", "%s", "../", "<b>", "&amp;", "&#0;", "true", "None", "[]", "{}", '""', "lambda"),
    *("__class__", "end", "e[0]", "[3]", "#2"),
    *("D6", "2D6", "3D6", "999D6", "D{1,3}", "highest(3 of 4D6)", "max(D6, D3)", "explode(D6, 6, depth 9)"),
    "Attached to e[0]",
)
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"\w+|\W")


def mutated(rng: Random, seeds: Sequence[str], pieces: Sequence[str] = ()) -> str:
    """Return one of the seeds after a few changes; ``pieces`` are words of its own surface."""
    text = rng.choice(seeds)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3, 6))):
        text = _changed(rng, text, rng.choice(seeds), (*_PIECES, *pieces, *pieces))
    return text


def _changed(rng: Random, text: str, other: str, pieces: Sequence[str]) -> str:
    start = rng.randrange(len(text) + 1)
    end = min(len(text), start + rng.choice((0, 1, 2, 5, 20, 200)))
    change = rng.randrange(8)
    if change == 0:
        return text[:start] + text[end:]
    if change == 1:
        return text[:end] + text[start:end] * rng.choice((1, 2, 40)) + text[end:]
    if change == 2:
        return text[:start] + other[rng.randrange(len(other) + 1) :]
    if change == 3:
        numbers = list(_NUMBER.finditer(text))
        if numbers:
            found = rng.choice(numbers)
            number = rng.choice((*pieces[:11], str(rng.randrange(40)), str(int(found[0][:9]) + 1)))
            return text[: found.start()] + number + text[found.end() :]
    if change == 4:
        words = _WORD.findall(text)
        if len(words) > 1:
            first, second = rng.randrange(len(words)), rng.randrange(len(words))
            words[first], words[second] = words[second], words[first]
            return "".join(words)
    if change == 5:
        lines = text.splitlines(keepends=True)
        rng.shuffle(lines)
        return "".join(lines)
    return text[:start] + rng.choice(pieces) + text[rng.choice((start, end)) :]


def mutated_bytes(rng: Random, data: bytes) -> bytes:
    """Return data with a few bytes changed, left out or repeated."""
    changed = bytearray(data)
    for _ in range(rng.choice((0, 0, 1, 2, 5))):
        place = rng.randrange(len(changed) + 1)
        end = place + rng.choice((0, 1, 4, 100))
        changed[place:end] = rng.choice(
            (b"", rng.randbytes(4), bytes(changed[place:end]) * 2, b"\0", b"\xff\xfe")
        )
    return bytes(changed)
