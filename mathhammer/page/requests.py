"""A request of the page as JSON, and the answer: pictures as HTML, numbers as text."""

from __future__ import annotations

import json
import re
import sys
from html import escape
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.arithmetic.pace import paced
from mathhammer.display import Displayed
from mathhammer.display.numbers import number
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.page import games, lists
from mathhammer.page.fields import Form, ruling_fields
from mathhammer.page.report import at_least, compared, details, odds
from mathhammer.page.wh40k import (
    edition_controls,
    read_target,
    read_volleys,
    situation_fields,
    target_row,
    weapon_row,
)
from mathhammer.sequence.result import AttackResult
from mathhammer.systems import wh40k
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, find_edition
from mathhammer.systems.wh40k.profiles.volleys import read_volley
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mathhammer.page.fields import Request

    Answer = dict[str, object]

#: Of the parts of a request what they are, in words, and what is in them; each other one is a text.
_PARTS: dict[str, tuple[Any, str, Any]] = {
    **dict.fromkeys(
        ("fields", "rulings", "situation"),
        (dict, "an object of texts and numbers", (str, int, float, type(None))),
    ),
    **dict.fromkeys(("weapons", "models", "leaders"), (list, "rows of fields", dict)),
    **dict.fromkeys(("targets", "units"), (list, "a list of names", str)),
    "switched": (dict, "an object of lists", dict),
    "reference": (dict, "a request", object),
    "unit": ((int, str), "a unit", ()),
    "enemy_unit": (int, "a unit", ()),
    **dict.fromkeys(("best", "long"), (int, "true or false", ())),
}
#: The lines of a text that say the arithmetic, each at its end.
_HEADS = re.compile(r"(?im)^([>\s]*(?:mathhammer\s+\d+|then)\s*:.*?)(?:\s*,\s*exact)?[^\S\n]*$")
#: A request is a form or an army list: much more is none of them.
MAXIMUM_LENGTH = 24_000_000
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
            for one in each if isinstance(each, list) and name == "situation" else (each,):
                validation.instance(one, inside, f"{words} as {shown(name)}")
    if request.get("reference"):
        _checked(request["reference"])
    return {name: part for name, part in request.items() if part is not None}


# Attacks ---------------------------------------------------------------------------------------------------


def _attack(request: Request) -> Answer:
    result = _result(request)
    found = _shown(result) | {"details": details(result)}
    if request.get("reference"):
        found["html"] = f"{compared(result, _result(request['reference']))}{found['html']}"
    return found


def _result(request: Request) -> AttackResult:
    """Compute the attack that the fields of a form describe."""
    volleys, target = read_volleys(request), read_target(request)
    edition = {"edition": request["edition"]} if request.get("edition") else {}
    options: dict[str, Any] = edition | {"rulings": request.get("rulings", {}), "exact": True}
    return wh40k.attack(volleys, target, **options, **lists.situation_of(request))


# Texts -----------------------------------------------------------------------------------------------------


def _text(request: Request) -> Answer:
    """Answer a call of any game in the form of ``to_text()``; of an attack of 40k with its form."""
    result = _of_text(request)
    found = _shown(result)
    if isinstance(result, AttackResult) and found["game"] == "40k":
        found |= {"details": details(result), "form": _form(result)}
    return found


def _of_text(request: Request) -> Any:
    from mathhammer.serialisation import from_text

    # The page computes exactly and has no NumPy: a text made in Python may ask for floats.
    return from_text(_HEADS.sub(r"\1, exact", request.get("text", "")))


def _json(request: Request) -> Answer:
    """Answer a call as `mathhammer.ask` does."""
    return {"json": _of_text(request).to_json()}


def _shown(result: Any) -> Answer:
    """Return a result of any game as it shows itself, and in words: what was asked, as text, and its steps."""
    call = getattr(result, "call", None)
    return {
        "title": str(result).partition("\n")[0],
        "text": result.to_text(),
        "explanation": str(result.explain()) if hasattr(result, "explain") else "",
        "html": result._repr_html_(),
        "game": call.system if call else "",
        "odds": list(odds(result).items()) if isinstance(result, Displayed) else [],
    }


def _form(result: AttackResult) -> Answer | None:
    """Return the form that makes the same call; none where it has no controls for a part of it."""
    call = result.call
    if call is None or call.function != "attack" or "start" in call.keywords:
        return None
    weapons, target = call.arguments
    apart = {"edition", "rulings", "exact", "count"}
    situation = {name: _plain(each) for name, each in call.keywords.items() if name not in apart}
    fields = situation_fields(find_edition(result.edition))
    if not all(name in fields and fields[name].holds(each) for name, each in situation.items()):
        return None
    if not all(isinstance(each, wh40k.Volley) and not each.situation for each in weapons):
        return None
    alone = isinstance(target, wh40k.Target)
    form: Answer = {
        "kind": "attack",
        "edition": result.edition,
        "rulings": dict(result.rulings),
        "weapons": [weapon_row(each.weapon, each.count) for each in weapons],
        "models": [target_row(each) for each in ([target] if alone else target.models)],
        "leaders": [target_row(each) for each in ([] if alone else target.leaders)],
        "unit": "" if alone else target.name,
        "situation": situation,
    }
    # The form asks in exact arithmetic, which the first line says.
    before, again = (each.to_text().split("\n")[1:] for each in (result, _result(form)))
    return form if before == again else None


def _plain(value: Any) -> Any:
    """Return a keyword's value as the controls of the form have it."""
    if isinstance(value, set | frozenset | tuple | list):
        value = sorted(value, key=str) if len(value) != 1 else next(iter(value))
    return getattr(value, "value", value) if not isinstance(value, bool | int | str) else value


# Everything else -------------------------------------------------------------------------------------------


def _dice(request: Request) -> Answer:
    from mathhammer.expressions import dice

    expression = dice(validation.typed(validation.text(request.get("dice"), "dice"), "dice"))
    found = expression.distribution(exact=True)
    html = found._repr_html_() or f'<div class="mathhammer-shown"><pre>{escape(repr(found))}</pre></div>'
    plain = in_fractions(found)
    facts = [["mean", number(plain.mean())], ["standard deviation", number(float(plain.variance()) ** 0.5)]]
    table = f'<div class="mathhammer-shown">{at_least(found, "At least")}</div>'
    return {"title": str(expression), "html": html + table, "text": found.to_text(), "odds": facts}


def _start(request: Request) -> Answer:  # noqa: ARG001 - one shape for all
    """Return what the page begins with."""
    rifles = wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP-1 D1")
    first = {"kind": "attack", "edition": DEFAULT_EDITION, "weapons": [weapon_row(rifles, 10)]}
    return {"first": first | {"models": [target_row(wh40k.find_target("MEQ", DEFAULT_EDITION))]}}


def _weapon(request: Request) -> Answer:
    """Return a stat line as the fields of its row."""
    volley = read_volley(validation.typed(validation.text(request.get("line"), "line"), "stat line"))
    return dict(weapon_row(volley.weapon, volley.count))


_GAMES = {"aos": games.aos, "t9a": games.t9a, "tc": games.tc}


def _forms_of(request: Request) -> tuple[Any, Mapping[str, Form]]:
    """Return another game and its forms."""
    return _GAMES[validation.one_of(request.get("game"), _GAMES, "game")]()


def _forms(request: Request) -> Answer:
    """Return the forms of a game, its editions and the disputed points of one of them."""
    game, forms = _forms_of(request)
    editions = {name: each if isinstance(each, str) else each.title for name, each in game.EDITIONS.items()}
    edition = validation.one_of(request.get("edition") or next(iter(editions)), editions, "edition")
    return {
        "editions": [{"name": name, "title": title} for name, title in editions.items()],
        "forms": {name: form.as_json() for name, form in forms.items()},
        "rulings": ruling_fields(getattr(game.EDITIONS[edition], "rulings", None) or game.RULINGS),
    }


def _game(request: Request) -> Answer:
    """Answer a call of another game from the fields of its form."""
    _, forms = _forms_of(request)
    form = forms[validation.one_of(request.get("question"), forms, "question")]
    options = {name: request[name] for name in ("edition", "rulings") if request.get(name)}
    return _shown(form.compute(request.get("fields", {}), exact=True, **options))


_ANSWERS: dict[str, Callable[[Request], Answer]] = {
    "start": _start,
    "weapon": _weapon,
    "controls": lambda request: edition_controls(request.get("edition")),
    "attack": _attack,
    "text": _text,
    "json": _json,
    "dice": _dice,
    "forms": _forms,
    "game": _game,
    "list": lists.read,
    "row": lists.row,
    "focus": lists.focus,
    "assign": lists.assign,
}
