"""Results as short texts that reproduce them anywhere: ``from_text(result.to_text())``.

A text holds the call, not its result: the game and its edition, what is computed, the stat lines, what is true of
the attack, and the option in force for every disputed point that leaves a choice, so that a later version with other
defaults gives the same distributions. Its last line is ``end``; without it the text was not copied whole.

Examples
--------
>>> import mathhammer as mh
>>> from mathhammer import wh40k
>>> rifle = wh40k.Weapon.parse("Bolt rifle: A2 BS3+ S4 AP-1 D1 [ASSAULT, HEAVY]")
>>> result = wh40k.attack(rifle, "MEQ", count=9, edition="9e", cover=True, exact=True)
>>> print(result.to_text())  # doctest: +ELLIPSIS
mathhammer 1: Warhammer 40,000, 9e, attack, exact
weapon: 9x Bolt rifle: A2 BS3+ S4 AP-1 D1 [ASSAULT, HEAVY]
target: MEQ: 10x T4 Sv3+ W2 160pts [Infantry]
with: cover
defaults: worsened_ap_0=stays, mortal_wounds_timing=after-unit...
end
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.distributions import Distribution
from mathhammer.distributions.serialisation import FORMAT
from mathhammer.errors import MathhammerError, ParseError
from mathhammer.expressions import dice, distribution
from mathhammer.sequence.unit_distribution import UnitDistribution
from mathhammer.serialisation.sections import Section, read_head, read_section, write_section
from mathhammer.serialisation.values import Reader, located, same
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mathhammer.sequence.call import Reproducible

__all__ = ["from_text"]

#: Most characters of a text: every probability of a long distribution in exact arithmetic is some of them.
MAXIMUM_LENGTH = 20_000_000

_FIRST = re.compile(r"mathhammer\s+(?P<format>\d{1,9})\s*:\s*", re.IGNORECASE)
_DICE = re.compile(r"dice(?P<exact>\s*,\s*exact)?\s*", re.IGNORECASE)
_LABEL = re.compile(r"(?P<label>[a-z]+)\s*:\s*")
#: Signs of a quotation before a line, and fences around a block of code.
_QUOTED = re.compile(r"(?:>\s?)+")
_FENCE = re.compile(r"[`~]{3,}\w*")
#: Labels of what is made of a result.
_STEPS = ("given", "phase")

#: What was made of a result before it became the start of the next call: the states of `given`, which are none
#: for `new_phase`.
Steps = list[frozenset[tuple[int, ...]]]
_NEW_PHASE: frozenset[tuple[int, ...]] = frozenset()


def from_text(text: str, /) -> Any:
    """Compute the result that a text describes: what ``to_text()`` of results and distributions writes.

    Parameters
    ----------
    text
        The text. Empty lines, signs of a quotation and fences of code around it do not matter.

    Returns
    -------
    object
        A result of the class that wrote it, equal in every distribution; what it costs is what the call costs.

    Examples
    --------
    >>> print(from_text('''
    ... mathhammer 1: The 9th Age: Fantasy Battles, 2e, break_test, exact
    ... with: discipline=8, lost_by=3
    ... end
    ... ''').probability_success)
    5/18
    """
    if not isinstance(text, str):
        raise MathhammerError(f"expected a text such as to_text() writes, got {shown(text)}")
    validation.limited(text, "what to_text() writes", MAXIMUM_LENGTH)
    lines = _lines(text)
    _, first = lines[0] if lines else (0, "")
    match = _FIRST.match(first)
    if match is None:
        later = next((number for number, line in lines if _FIRST.match(line)), None)
        remedy = "" if later is None else f"; it is line {later}, leave out what stands before it"
        raise ParseError(
            f"expected 'mathhammer {FORMAT}: ...' at the beginning of the text{remedy}", first, 0
        )
    if int(match["format"]) != FORMAT:
        raise ParseError(
            f"expected a text of format {FORMAT}, got {match['format']}; read it with the version that wrote it",
            first,
            match.start("format"),
        )
    if lines[-1][1].casefold() != "end":
        place = next((place for place, (_, line) in enumerate(lines) if line.casefold() == "end"), None)
        if place is not None:
            number, line = lines[place + 1]
            raise ParseError(f"line {number}: expected nothing after 'end'", line, 0)
        number, line = lines[-1]
        joined = line.casefold().endswith(" end")
        remedy = "its line breaks were lost, keep them" if joined else "the text is not whole, copy all of it"
        raise ParseError(f"line {number}: expected 'end' as the last line; {remedy}", line, len(line))
    if dist := _DICE.fullmatch(first, match.end()):
        return _distribution(lines[1:-1], exact=bool(dist["exact"]))
    return _computed(_read(lines[:-1], match.end()))


def to_text(result: Reproducible) -> str:
    """Return the text that reproduces a result; see the method of the same name of a result."""
    chain = _chain(result)
    lines: list[str] = []
    before: Section | None = None
    for place, (section, steps) in enumerate(chain):
        head, *body = write_section(section, before)
        before = section.ruled(before)
        lines.append(f"then: {head}" if place else f"mathhammer {FORMAT}: {head}")
        lines += body
        lines += [
            f"given: {', '.join(map(str, sorted(states)))}" if states else "phase: new" for states in steps
        ]
    # Better no text than one that reproduces something else.
    read = _read(list(enumerate(lines, 1)), len(f"mathhammer {FORMAT}: "))
    for (section, steps), (again, found) in zip(chain, read, strict=True):
        if not same(section, again) or steps != found:
            raise MathhammerError(
                f"expected a call of {section.function} that reads back the same from its text, got one that "
                "does not; values of own classes, or names with what stat lines use, may be the reason"
            )
    return "\n".join([*lines, "end"])


def _lines(text: str) -> list[tuple[int, str]]:
    """Return the lines that say something, with their numbers."""
    found = []
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        quoted = _QUOTED.match(line.strip())
        said = line.strip()[quoted.end() if quoted else 0 :].strip()
        if said and not _FENCE.fullmatch(said):
            found.append((number, said))
    return found


def _chain(result: object) -> list[tuple[Section, Steps]]:
    """Return the calls that lead to a result, the first one first, with what was made of each result."""
    chain: list[tuple[Section, Steps]] = []
    while result is not None:
        steps: Steps = []
        while isinstance(result, UnitDistribution) and result.origin is not None:
            before, made = result.origin
            possible = frozenset(state for state, chance in result.state.items() if chance)
            steps.insert(0, possible if made == "given" else _NEW_PHASE)
            result = before
        call = getattr(result, "call", None)
        if call is None:
            raise MathhammerError(
                "expected the result of a system's public function, or what given() or new_phase() made of it, as "
                f"what a text can reproduce; got {shown(result)}, which does not say how it was computed; write the "
                "distribution that you need with its own to_text()"
            )
        chain.insert(0, (Section.of(call, getattr(result, "rulings", None)), steps))
        result = call.keywords.get("start")
    return chain


def _read(lines: list[tuple[int, str]], start: int) -> list[tuple[Section, Steps]]:
    """Return the calls of a text, and what was made of each result."""
    chain: list[tuple[Section, Steps]] = []
    before: Section | None = None
    number, head = lines[0]
    body: list[tuple[int, str, str, int]] = []
    for place, line in [*lines[1:], (0, "")]:
        match = _LABEL.match(line)
        if place and match is None:
            raise ParseError(
                f"line {place}: expected a word and ':' at the beginning, such as 'with: '", line, 0
            )
        if match is not None and match["label"] != "then":
            body.append((place, line, match["label"], match.end()))
            continue
        with _numbered([(number, head), *((at, said) for at, said, _, _ in body)]):
            said = read_head(head, start)
            steps = [_step(line, label, at) for _, line, label, at in body if label in _STEPS]
            lines_of = [(line, label, at) for _, line, label, at in body if label not in _STEPS]
            chain.append((read_section(said, lines_of, before), steps))
        before = chain[-1][0].ruled(before)
        number, head, start, body = place, line, match.end() if match else 0, []
    return chain


@contextmanager
def _numbered(lines: Iterable[tuple[int, str]]) -> Iterator[None]:
    """Put the number of its line before what is wrong in it."""
    try:
        yield
    except ParseError as error:
        for number, line in lines:
            if line == error.text:
                raise ParseError(f"line {number}: {error.expected}", error.text, error.position) from error
        raise


def _step(line: str, label: str, start: int) -> frozenset[tuple[int, ...]]:
    def call(name: str, _: object) -> object:
        raise MathhammerError(f"expected states as in '(2, 0), (2, 1)', got {shown(name)}")

    if label == "phase":
        if line[start:] != "new":
            raise ParseError("expected 'new' after 'phase:'", line, start)
        return _NEW_PHASE
    found = Reader(line, call, start).arguments()
    given = found.positional
    states = [each for each in given if isinstance(each, tuple) and all(type(part) is int for part in each)]
    if not states or len(states) < len(given) or found.keywords:
        raise ParseError("expected states as in '(2, 0), (2, 1)'", line, start)
    return frozenset(states)


def _computed(chain: list[tuple[Section, Steps]]) -> object:
    result: object = None
    for section, steps in chain:
        result = section.computed(result)
        for states in steps:
            if not isinstance(result, UnitDistribution):
                raise MathhammerError(
                    f"expected no line 'given: ...' or 'phase: new' after {section.function}, whose result has none "
                    "of the states of a unit"
                )
            result = result.given(states.__contains__) if states else result.new_phase()
    return result


def _distribution(lines: list[tuple[int, str]], *, exact: bool) -> object:
    """Compute a distribution of dice, or read one that is written out."""
    match = _LABEL.match(lines[0][1]) if len(lines) == 1 else None
    if match is None or match["label"] not in {"dice", "distribution"}:
        line = lines[-1][1] if lines else ""
        raise ParseError(
            "expected one line 'dice: ...' or 'distribution: ...' between the first and 'end'", line, 0
        )
    line, said = lines[0][1], lines[0][1][match.end() :]
    with _numbered(lines):
        if match["label"] == "dice":
            read = located(lambda: dice(said), line, match.end(), match.end())
            return distribution(read, exact=exact)
        dist = located(lambda: Distribution.from_json(said), line, match.end())
        if dist.exact is not exact:
            expected = f"expected a distribution of the arithmetic of the first line, got exact={dist.exact}"
            raise ParseError(expected, line, 0)
        return dist
