"""Questions in the project's own text form with the values that rules, enumerations and closed forms give them.

A case of `cases/*.txt` is a line with the question, its text form with ``;`` between the lines, and below it what is
asked: ``hits.mean() = 2/3``, a whole distribution ``kills: 0 1/3, 1 2/3``, points of one ``some kills: 2 1/9``, words
``explain says '...'``, or what another question has too: ``same state as ...``. Lines with ``#`` name the source.
Each is computed exactly and in floats, but for those that end in ``floats``; several editions have the same answer.
What no text holds is a call: ``call: wh40k.needed(GUN, 'MEQ', exact=exact)``, of what `rows` names or ``NAME := ...``.
"""

from __future__ import annotations

import operator
import re
from ast import literal_eval
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from rows import names, repeated, rows
from sympy import Float, Rational

from mathhammer import from_text

if TYPE_CHECKING:
    from pathlib import Path

GAMES = {"aos": "Warhammer Age of Sigmar", "t9a": "The 9th Age: Fantasy Battles", "tc": "Trench Crusade"}
RELATIONS = {
    "=": operator.eq,
    "==": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
#: An outcome, one of several kinds of models in brackets, and its probability.
POINT = re.compile(r"(\(.*?\)|'.*?'|[^\s,]+) (\S+?)(?:, |$)")
EDITION = re.compile(r"\d+e")
WORDS = re.compile(r"(explain|printed) (says|omits) (.*)")
RELATION = re.compile(r"(.*) (=|~|<=|>=|<|>) (.*)")


class Said(dict[str, Any]):
    """What a result says, by the names that cases use."""

    known: dict[str, Any]

    def __missing__(self, name: str) -> Any:
        if name == "explain":
            return " ".join(str(self["result"].explain()).split())
        if name == "printed":
            return " ".join(str(self["result"]).split())
        try:
            return getattr(self["result"], name)
        except AttributeError:
            raise KeyError(name) from None

    def asked(self, expression: str) -> Any:
        return eval(expression, self.known, self)  # noqa: S307 - the files are part of the tests


def said(result: Any, known: dict[str, Any], **values: Any) -> Said:
    found = Said(values, result=result)
    found.known = {**known, **found}
    return found


def cases() -> list[Any]:
    found: list[Any] = []
    for file, number, line in rows("cases"):
        if line.startswith("  "):
            found[-1].values[2].extend(
                [line.strip()] if line.startswith("  same ") else line.strip().split(" ; ")
            )
        else:
            found.append(pytest.param(file, line, [], id=f"{file.stem}:{number}"))
    return found


def head(line: str) -> str:
    """Return a heading of the text form: ``10e attack`` is that of Warhammer 40,000."""
    game, _, rest = line.partition(" ")
    if game == "dice":
        return game
    words = rest.split() if game in GAMES else line.split()
    return ", ".join([GAMES.get(game, "Warhammer 40,000"), *words])


def as_text(question: str, *, exact: bool) -> str:
    """Return a question of one edition in the text form."""
    first, *lines = question.partition(" ; floats")[0].split(" ; ")
    comma = ", exact" if exact else ""
    lines = [f"then: {head(line[6:])}{comma}" if line.startswith("then: ") else line for line in lines]
    return "\n".join([f"mathhammer 1: {head(first)}{comma}", *lines, "end"])


@cache
def computed(question: str, *, exact: bool) -> Any:
    return from_text(as_text(question, exact=exact))


def same(found: Any, wanted: Any, *, relative: float = 1e-12) -> bool:
    """Exactly, or within a relative error where either is a float."""
    if isinstance(found, float | Float) or isinstance(wanted, float | Float):
        return bool(found == pytest.approx(float(wanted), rel=relative, abs=1e-300))
    if hasattr(found, "items") and any(isinstance(chance, float) for _, chance in found.items()):
        other = {outcome: float(chance) for outcome, chance in wanted.items() if chance}
        return {o: float(p) for o, p in found.items() if p} == pytest.approx(other, rel=relative, abs=1e-300)
    if isinstance(wanted, list | tuple) and isinstance(found, list | tuple) and len(found) == len(wanted):
        return all(same(one, other, relative=relative) for one, other in zip(found, wanted, strict=True))
    return bool(found == wanted)


def value(text: str, said: Said | None = None) -> Any:
    """Return a fraction, a float where a decimal stands, a literal, or what an expression comes to."""
    if re.fullmatch(r"-?\d+(/\d+)?", text):
        return Rational(text)
    return literal_eval(text) if said is None else said.asked(text)


def check(said: Said, answer: str) -> None:
    if words := WORDS.fullmatch(answer):
        assert (literal_eval(words[3]) in said[words[1]]) is (words[2] == "says"), answer
        return
    name, colon, points = answer.partition(": ")
    if colon and re.fullmatch(r"[\w. ]+", name):
        distribution = said.asked(name.removeprefix("some "))
        expected = {value(outcome): value(chance) for outcome, chance in POINT.findall(points)}
        for outcome, chance in expected.items():
            assert same(distribution.pmf(outcome), chance), (outcome, distribution.pmf(outcome), chance)
        if not name.startswith("some "):
            assert {outcome for outcome, chance in distribution.items() if chance} == expected.keys()
        return
    relation = RELATION.fullmatch(answer)
    assert relation is not None, answer
    found, sign, (wanted, _, error) = said.asked(relation[1]), relation[2], relation[3].partition(" within ")
    if sign in "=~":
        relative = float(error or 1e-12)
        assert same(found, value(wanted, said), relative=relative), (
            f"{relation[1]} is {found}, expected {wanted}"
        )
    else:
        assert RELATIONS[sign](found, value(wanted, said)), f"{relation[1]} is {found}, expected {answer}"


def compare(said: Said, names: str, other: Said) -> None:
    for each in names.split(" and "):
        left, sign, right = re.fullmatch(r"(.*?)(?: (==|<=|>=|<|>) (.*))?", each).groups()  # type: ignore[union-attr]
        mine, its = said.asked(left), other.asked(right or left)
        related = same(mine, its) if sign in (None, "==") else RELATIONS[sign](mine, its)
        assert related, f"{each}: {mine}, {its}"


def called(file: Path, question: str, answers: list[str]) -> None:
    """What a call answers, exactly and in floats where it says ``exact=exact``."""
    for once, values in repeated(question, names(file)):
        for exact in (True, False) if "exact=exact" in question else (True,):
            here = {**values, "exact": exact}
            result = said(eval(once, names(file) | here), names(file), **here)  # noqa: S307
            for answer in answers:
                check(result, answer)


@pytest.mark.parametrize(("file", "question", "answers"), cases())
def test_case(file: Path, question: str, answers: list[str]) -> None:
    assert answers, question
    if question.startswith("call: "):
        called(file, question.removeprefix("call: "), answers)
        return
    known = names(file)
    text, floats, _ = question.partition(" ; floats")
    editions = [word for word in text.partition(" ; ")[0].split() if EDITION.fullmatch(word)] or [""]
    for edition in editions:
        asked = text.replace(" ".join(editions), edition, 1)
        for exact in (False,) if floats else (True, False):
            result = said(computed(asked, exact=exact), known)
            for answer in answers:
                if answer.startswith("same "):
                    what, _, other = answer.removeprefix("same ").partition(" as ")
                    compare(result, what, said(computed(other, exact=exact), known))
                else:
                    check(result, answer)
