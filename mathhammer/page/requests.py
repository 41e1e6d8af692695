"""A request of the page as JSON, and the answer: pictures as HTML, numbers as text."""

from __future__ import annotations

import json
import re
import sys
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.arithmetic.pace import paced
from mathhammer.display import Displayed, number, percent, value_text
from mathhammer.distributions import in_fractions
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.page import lists
from mathhammer.page.fields import Form, ruling_fields, whole, written
from mathhammer.page.forms import controls, situation_fields, target_row, weapon_row
from mathhammer.page.profiles import UNSEEN, WEAPON, arguments, target_table
from mathhammer.page.report import at_least, details, printed, report
from mathhammer.sequence import AttackResult
from mathhammer.systems import wh40k
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, find_edition, rulebook
from mathhammer.systems.wh40k.profiles.volleys import read_volley
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mathhammer.page.fields import Request

    Answer = dict[str, object]

#: What a result says beside its numbers.
_NOT_ODDS = frozenset(("arithmetic", "edition"))
_SCALARS = (str, int, float, type(None))
_TEXT = (str, "a text", ())
#: Of the parts of a request what they are, in words, and what is in them; each other one is a text.
_PARTS: dict[str, tuple[Any, str, Any]] = {
    **dict.fromkeys(("fields", "rulings", "situation"), (dict, "an object of texts and numbers", _SCALARS)),
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
                return json.dumps(_ANSWERS[request["kind"]](request))
            except TooLargeError as error:
                if not pace.refused:
                    raise
                return json.dumps({"error": str(error), "long": pace.seconds < LONGEST})
    except MathhammerError as error:
        return json.dumps({"error": str(error)})
    except ModuleNotFoundError as error:
        return json.dumps(
            {"error": f"expected a question for the page, got one for Python with {error.name}"}
        )


def _read(text: str) -> Request:
    validation.limited(text, "a request", MAXIMUM_LENGTH)
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MathhammerError(f"expected a request as JSON, got {shown(text[:80])}") from error
    request = _checked(given)
    validation.one_of(request.get("kind"), _ANSWERS, "the kind of a request")
    return request


def _checked(value: object) -> Request:
    """Return a request, each part of which is what JSON has to have there; null says nothing."""
    request = validation.mapping(value, "a request as a JSON object")
    for name, part in request.items():
        kinds, words, inside = _PARTS.get(name, _TEXT)
        if part is not None:
            validation.instance(part, kinds, f"{words} as {shown(name)}")
        for each in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            several = each if isinstance(each, list) and name == "situation" else (each,)
            for one in several:
                validation.instance(one, inside, f"{words} as {shown(name)}")
    if request.get("reference"):
        _checked(request["reference"])
    return {name: part for name, part in request.items() if part is not None}


# Attacks ---------------------------------------------------------------------------------------------------


def _attack(request: Request) -> Answer:
    result = _result(request)
    reference = _result(request["reference"]) if request.get("reference") else None
    return _answered(result) | {"html": report(result, reference), "details": details(result)}


def _result(request: Request) -> AttackResult:
    """Compute the attack that the fields of a form describe."""
    volleys = [_volley(place, row) for place, row in enumerate(_rows(request, "weapons"), 1)]
    options: dict[str, Any] = {"rulings": request.get("rulings", {}), "exact": True}
    if request.get("edition"):
        options["edition"] = request["edition"]
    situation = lists.situation_of(request)
    return wh40k.attack(volleys, _target(request), **options, **situation)


def _rows(request: Request, name: str) -> list[Mapping[str, str]]:
    rows = request.get(name, ())
    return [{key: validation.text(value, key).strip() for key, value in row.items()} for row in rows]


@contextmanager
def _in_row(what: str, place: int) -> Iterator[None]:
    """Name the row of the form in an error."""
    try:
        yield
    except MathhammerError as error:
        raise MathhammerError(f"{what} {place}: {error}") from error


def _volley(place: int, row: Mapping[str, str]) -> wh40k.Volley:
    """Return a row of the form as a volley."""
    with _in_row("Weapon", place):
        weapon = wh40k.Weapon(
            row.get("name") or f"Weapon {place}",
            range="Melee" if row.get("melee") else row.get("range", ""),
            keywords=row.get("keywords", ""),
            **arguments(row, WEAPON[1:]),  # type: ignore[arg-type] # the library says what is wrong of a text
        )
        return wh40k.Volley(weapon, whole(row, "count"))


def _target(request: Request) -> wh40k.Target | wh40k.TargetUnit:
    models = [_models("Target", place, row) for place, row in enumerate(_rows(request, "models"), 1)]
    leaders = request.get("leaders") and _rows(request, "leaders")
    attached = [_models("Leader", place, row) for place, row in enumerate(leaders or [], 1)]
    if len(models) == 1 and not attached:
        return models[0]
    name = written(request, "unit") or (models[0].name if models else "Unit")
    return wh40k.TargetUnit(name, models, leaders=attached)


def _models(what: str, place: int, row: Mapping[str, str]) -> wh40k.Target:
    with _in_row(what, place):
        name = row.get("name") or (what if place == 1 else f"{what} {place}")
        table = (*target_table(rulebook().target_rules), *UNSEEN)
        return wh40k.Target(name, **arguments(row, table))  # type: ignore[arg-type] # as of a weapon


def _answered(result: AttackResult) -> Answer:
    lost = in_fractions(result)
    numbers = {
        "kills": lost.kills.mean(),
        "wounds_lost": lost.wounds_lost.mean(),
        "probability_destroyed": lost.probability_destroyed,
    }
    return _said(result) | {
        "edition": result.edition,
        "destroyed": percent(numbers["probability_destroyed"]),
        "kills": number(numbers["kills"]),
        "wounds_lost": number(numbers["wounds_lost"]),
        "numbers": {name: value_text(value) for name, value in numbers.items()},
    }


def _said(result: Any) -> Answer:
    """Return a result of any game in words: what was asked, as text, and its steps."""
    return {
        "title": str(result).partition("\n")[0],
        "text": result.to_text(),
        "explanation": str(result.explain()) if hasattr(result, "explain") else "",
    }


# Texts -----------------------------------------------------------------------------------------------------


def _text(request: Request) -> Answer:
    """Answer a call of any game in the form of ``to_text()``; of an attack of 40k with its form."""
    from mathhammer.serialisation import from_text

    # The page computes exactly and has no NumPy: a text made in Python may ask for floats.
    result = from_text(_HEADS.sub(r"\1, exact", request.get("text", "")))
    found = _shown(result)
    call = getattr(result, "call", None)
    if isinstance(result, AttackResult) and call is not None and call.system == "40k":
        found |= _answered(result)
        found["form"] = _form(result)
    return found


def _shown(result: Any) -> Answer:
    """Return a result of any game as it shows itself, with its headline numbers as people read them."""
    call = getattr(result, "call", None)
    panel = result._panel() if isinstance(result, Displayed) else None  # noqa: SLF001 - the package's own
    facts = {} if panel is None else panel.fact_texts(fractions=False)
    return _said(result) | {
        "html": result._repr_html_(),
        "game": call.system if call else "",
        "odds": [[name, text] for name, text in facts.items() if name not in _NOT_ODDS],
    }


def _form(result: AttackResult) -> Answer | None:
    """Return the form that makes the same call; none where it has no controls for a part of it."""
    call = result.call
    if call is None or call.function != "attack":
        return None
    weapons, target = call.arguments
    situation = {
        name: value
        for name, value in call.keywords.items()
        if name not in {"edition", "rulings", "exact", "start", "count"}
    }
    volleys = [each for each in weapons if isinstance(each, wh40k.Volley) and not each.situation]
    situation = {name: _plain(value) for name, value in situation.items()}
    edition = find_edition(result.edition)
    fields = situation_fields(edition.conditions, edition.covers)
    held = all(name in fields and fields[name].holds(value) for name, value in situation.items())
    if "start" in call.keywords or len(volleys) < len(weapons) or not held:
        return None
    kinds, leaders = ([target], []) if isinstance(target, wh40k.Target) else (target.models, target.leaders)
    form: Answer = {
        "kind": "attack",
        "edition": result.edition,
        "rulings": dict(result.rulings),
        "weapons": [weapon_row(each.weapon, each.count) for each in volleys],
        "models": [target_row(each) for each in kinds],
        "leaders": [target_row(each) for each in leaders],
        "unit": "" if isinstance(target, wh40k.Target) else target.name,
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
    picture = found._repr_html_()
    html = printed(repr(found)) if picture is None else picture
    plain = in_fractions(found)
    odds = [["mean", number(plain.mean())], ["standard deviation", number(float(plain.variance()) ** 0.5)]]
    table = f'<div class="mathhammer-shown">{at_least(found, "At least")}</div>'
    return {"title": str(expression), "html": html + table, "text": found.to_text(), "odds": odds}


def _controls(request: Request) -> Answer:
    return controls(request.get("edition"))


def _start(request: Request) -> Answer:  # noqa: ARG001 - one shape for all
    """Return what the page begins with."""
    rifles = wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP-1 D1")
    first = {"kind": "attack", "edition": DEFAULT_EDITION, "weapons": [weapon_row(rifles, 10)]}
    return {"first": first | {"models": [target_row(wh40k.find_target("MEQ", DEFAULT_EDITION))]}}


def _weapon(request: Request) -> Answer:
    """Return a stat line as the fields of its row."""
    volley = read_volley(validation.typed(validation.text(request.get("line"), "line"), "stat line"))
    return dict(weapon_row(volley.weapon, volley.count))


# The other games -------------------------------------------------------------------------------------------

_GAMES = {"t9a": "mathhammer.page.t9a_forms", "tc": "mathhammer.page.trench_crusade_forms"}


def _forms_of(request: Request) -> tuple[Any, Mapping[str, Form]]:
    """Return a game and its forms, which are loaded when they are first asked for."""
    module = import_module(_GAMES[validation.one_of(request.get("game"), _GAMES, "game")])
    return module.GAME, module.FORMS


def _forms(request: Request) -> Answer:
    """Return the forms of a game, its editions and the disputed points of one of them."""
    game, forms = _forms_of(request)
    editions = {name: each if isinstance(each, str) else each.title for name, each in game.EDITIONS.items()}
    edition = request.get("edition") or next(iter(editions))
    validation.one_of(edition, editions, "edition")
    rulings = getattr(game.EDITIONS[edition], "rulings", None) or game.RULINGS
    return {
        "editions": [{"name": name, "title": title} for name, title in editions.items()],
        "forms": {name: form.as_json() for name, form in forms.items()},
        "rulings": ruling_fields(rulings),
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
    "controls": _controls,
    "attack": _attack,
    "text": _text,
    "dice": _dice,
    "forms": _forms,
    "game": _game,
    "list": lists.read,
    "row": lists.row,
    "focus": lists.focus,
    "assign": lists.assign,
}
