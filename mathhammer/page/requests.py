"""A request of the page as JSON, and the answer: pictures as data and HTML, numbers as text."""

from __future__ import annotations

import json
import re
import sys
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.arithmetic.pace import paced
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.page.forms import Form
from mathhammer.page.report import compared, drawn, luck, odds
from mathhammer.serialisation.sections import Section
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.page.forms import Request

    Answer = dict[str, object]

#: Of the parts of a request what they are, in words, and what is in them; each other one is a text.
_PARTS: dict[str, tuple[Any, str, Any]] = {
    "rulings": (dict, "an object of texts and numbers", (str, int, float, type(None))),
    "said": (dict, "an object of texts, numbers and rows", (str, int, float, list, type(None))),
    "rolled": (list, "a list of outcomes", dict),
    **dict.fromkeys(("targets", "units"), (list, "a list of names", str)),
    "switched": (dict, "an object of lists", dict),
    "reference": (dict, "a request", object),
    "unit": ((int, str), "a unit", ()),
    "enemy_unit": (int, "a unit", ()),
    **dict.fromkeys(("best", "long"), (int, "true or false", ())),
}
#: The lines of a text that say the arithmetic, each at its end.
_HEADS = re.compile(r"(?im)^([>\s]*(?:mathhammer\s+\d+|then)\s*:.*?)(?:\s*,\s*exact)?[^\S\n]*$")
#: A request is a form, an army list or an archive of datasheets: much more is none of them.
MAXIMUM_LENGTH = 64_000_000
#: How many times longer exact numbers take in a browser than in the kernel of a notebook.
SLOWER = 20.0 if sys.platform == "emscripten" else 1.0
#: Seconds that are long, and that are too long whoever asks.
LONG, LONGEST = 5.0, 120.0


def answer(text: str, /) -> str:
    """Answer one request."""
    try:
        request = _read(text)
        with paced(SLOWER, LONGEST if request.get("long") else LONG) as pace:
            try:
                found = _ANSWERS[request["kind"]](request)
            except TooLargeError as error:
                if not pace.refused:
                    raise
                found = {"error": str(error), "long": pace.seconds < LONGEST}
    except MathhammerError as error:
        found = {"error": str(error)}
    except ModuleNotFoundError as error:
        found = {"error": f"expected a question for the page, got one for Python with {error.name}"}
    return json.dumps(found)


def _read(text: str) -> Request:
    validation.limited(text, "a request", MAXIMUM_LENGTH)
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MathhammerError(f"expected a request as JSON, got {shown(text[:80])}") from error
    request = _checked(given)
    validation.one_of(request.get("kind"), _ANSWERS, "the kind of a request")
    return request


def _checked(given: object) -> Request:
    """Return a request, each part of which is what JSON has to have there; null says nothing."""
    request = validation.mapping(given, "a request as a JSON object")
    for name, part in request.items():
        kinds, words, inside = _PARTS.get(name, (str, "a text", ()))
        if part is not None:
            validation.instance(part, kinds, f"{words} as {shown(name)}")
        for each in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            for one in each if isinstance(each, list) and name == "said" else (each,):
                validation.instance(
                    one, (*inside, dict) if name == "said" else inside, f"{words} as {shown(name)}"
                )
    found = {name: part for name, part in request.items() if part is not None}
    return found | {"reference": _checked(found["reference"])} if found.get("reference") else found


def _form(request: Request) -> Form:
    game, question = request.get("game", "40k"), request.get("question") or "attack"
    return Form(game, question, request.get("edition", ""))


def _ask(request: Request) -> Answer:
    """Answer what the controls of a form hold, beside an earlier answer where there is one."""
    result = _form(request).compute(request.get("said", {}), request.get("rulings"))
    found = _shown(result)
    if reference := request.get("reference"):
        before = _form(reference).compute(reference.get("said", {}), reference.get("rulings"))
        found |= {"before": drawn(before)["charts"], "html": f"{compared(result, before)}{found['html']}"}
    return found


def _shown(result: Any) -> Answer:
    """Return a result of any game as it shows itself, and in words: what was asked, as text, and its steps."""
    return {
        "title": str(result).partition("\n")[0],
        "text": result.to_text(),
        "explanation": str(result.explain()) if hasattr(result, "explain") else "",
        "odds": list(odds(result).items()),
        **drawn(result),
    }


def _text(request: Request) -> Answer:
    """Answer a call of any game in the form of ``to_text()``, with the form that asks the same."""
    result = _of_text(request.get("text", ""))
    if (call := getattr(result, "call", None)) is None:
        return _shown(result) | {"form": None}
    edition = Section.of(call, getattr(result, "rulings", None)).edition or ""
    form = Form(call.system, call.function, edition).holding(result)
    return _shown(result) | {"game": call.system, "question": call.function, "form": form}


@lru_cache(16)
def _of_text(text: str) -> Any:
    from mathhammer.serialisation import from_text

    # The page computes exactly and has no NumPy: a text made in Python may ask for floats.
    return from_text(_HEADS.sub(r"\1, exact", text))


def _dice(request: Request) -> Answer:
    from mathhammer.expressions import dice

    expression = dice(validation.typed(validation.text(request.get("dice"), "dice"), "dice"))
    found = _shown(expression.distribution(exact=True))
    said = "".join(f"<p>{escape(reading)}</p>" for reading in expression.readings)
    return found | {"title": str(expression), "html": f"{said}{found['html']}"}


def _listed(request: Request) -> Answer:
    from mathhammer.page import lists  # loaded with the first list: a start is shorter without it

    found: Answer = getattr(lists, request["kind"].replace("list", "read"))(request)
    return found


_ANSWERS: dict[str, Callable[[Request], Answer]] = {
    "form": lambda request: _form(request).as_json(),
    "line": lambda request: _form(request).read_line(request.get("profile", ""), request.get("line", "")),
    "ask": _ask,
    "text": _text,
    # As `mathhammer.ask` answers.
    "json": lambda request: {"json": _of_text(request.get("text", "")).to_json()},
    "dice": _dice,
    "luck": lambda request: luck(
        [(_of_text(str(each.get("text"))), each) for each in request.get("rolled", ())]
    ),
    **dict.fromkeys(("list", "datasheets", "row", "focus", "assign"), _listed),
}
