"""Questions of any game as JSON: what they may say, and their answers."""

from __future__ import annotations

import json
from inspect import Parameter, getdoc, signature
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.display.records import SCHEMA_VERSION
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.fields.kinds import NEEDED, Number, OneOf
from mathhammer.fields.profile import fields_of
from mathhammer.serialisation.values import by_place, called
from mathhammer.systems.registry import games

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.systems.text_format import TextFormat

#: What JSON calls the types of a field.
_TYPES = {
    "str": "string",
    "Expression": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "None": "null",
}

#: What the JSON of a result says of its fields; that of a table says its records, and each fact about them.
_RESULT = {
    **{key: {"type": "string"} for key in ("schema", "kind", "title", "edition", "question")},
    **{key: {"type": "object", "additionalProperties": {"type": "string"}} for key in ("rulings", "exact")},
    "facts": {"type": "object", "additionalProperties": {"type": ["number", "string"]}},
    **{key: {"type": "object", "additionalProperties": {"type": "object"}} for key in ("pictures", "joint")},
    "tables": {"type": "array", "items": {"type": "object", "required": ["header", "rows"]}},
    "notes": {"type": "array", "items": {"type": "string"}},
    "schema_version": {"const": SCHEMA_VERSION},
    "plan": {"type": "object"},
}
_RECORDS = {"schema": {"type": "string"}, "schema_version": {"const": SCHEMA_VERSION}}
_RECORDS |= {"records": {"type": "array", "items": {"type": "object"}}}
_ANSWERS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "result": (_RESULT, {"edition", "question", "rulings", "plan"}),
    "table": (_RECORDS, set()),
}


def ask(question: Any, /) -> Any:
    """Answer a question of any game that is given as JSON has it, or a list of them.

    Parameters
    ----------
    question
        An object with the ``game``, ``"40k"``, ``"t9a"``, ``"tc"`` or ``"aos"``, the ``question``, the name of its
        function, and its arguments by name: numbers, texts such as stat lines and labels, lists of them. An object
        with one name in it, such as ``{"Unit": {...}}``, is one of the game's classes with its arguments.
        ``mathhammer schema`` prints what each question may say.

    Returns
    -------
    dict or list
        For each question what ``to_json()`` of its result says.

    Examples
    --------
    >>> asked = {"game": "t9a", "question": "break_test", "discipline": 8, "lost_by": 3, "exact": True}
    >>> ask(asked)["exact"]["P(success)"]
    '5/18'
    """
    if not isinstance(question, list | tuple):
        return json.loads(_result(question).to_json())
    found = []
    for number, each in enumerate(question, 1):
        try:
            found.append(ask(each))
        except MathhammerError as error:
            raise MathhammerError(f"question {number}: {error}") from error
    return found


def _result(question: object) -> Any:
    given = dict(
        validation.mapping(question, "a question as an object with game and question, or a list of them")
    )
    game = _one(given.pop("game", None), _games(), "the game of a question")
    made = _games()[game]
    name = _one(given.pop("question", None), made.functions, f"a question of {game}")
    kinds = {kind.__name__: kind for kind in made.kinds}
    return called(made.functions[name], {argument: _made(value, kinds) for argument, value in given.items()})


def _one(name: object, known: Mapping[str, object], what: str) -> str:
    if not isinstance(name, str) or name not in known:
        raise UnknownNameError(
            f"expected {what}, got {validation.shown(name)}; {validation.nearest(name, known)}"
        )
    return name


def _games() -> dict[str, TextFormat]:
    return {name: each.text_format for name, each in games().items()}


def _made(value: Any, kinds: Mapping[str, type]) -> Any:
    """Return what JSON stands for: an object with the name of a class is one of that class."""
    if isinstance(value, list):
        return tuple(_made(each, kinds) for each in value)
    if not isinstance(value, dict):
        return value
    inside = {name: _made(each, kinds) for name, each in value.items()}
    (name, said), *others = inside.items() if inside else (("", None),)
    if others or name not in kinds:
        # JSON has no numbers as names.
        return {int(name) if name.isdecimal() else name: each for name, each in inside.items()}
    arguments = validation.mapping(said, f"the arguments of {name} as an object")
    positional, rest = by_place(kinds[name], arguments)
    if error := validation.wrong_call(kinds[name], positional, rest):
        raise error
    return kinds[name](*positional, **rest)


def schema(question: str = "") -> dict[str, Any]:
    """Return the JSON schema of a question, ``"t9a.attack"``, by default of every one, or of a result or a table."""
    if question in _ANSWERS:
        fields, perhaps = _ANSWERS[question]
        needed = [name for name in fields if name not in perhaps]
        return {"title": question, "type": "object", "properties": fields, "required": needed}
    known = {f"{game}.{name}": (game, name) for game, made in _games().items() for name in made.functions}
    if not question:
        return {"anyOf": [schema(each) for each in known]}
    game, name = known[_one(question, known, "a question")]
    function = (made := _games()[game]).functions[name]
    parameters, more = signature(function).parameters, made.keywords.get(name, (dict, None))[0]()
    open_ended = any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values()) and not more
    edition = {"enum": [*games()[game].editions]}
    edition |= {"default": parameters["edition"].default} if "edition" in parameters else {}
    rulings = {"type": "object", "additionalProperties": {"type": "string"}}
    said = {"edition": edition, "rulings": rulings, "exact": {"type": "boolean", "default": False}}
    said = {option: each for option, each in said.items() if option in parameters}
    fields = {**fields_of(function), **more}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": question,
        "description": (getdoc(function) or "").partition("\n\n")[0],
        **_object(fields, game={"const": game}, question={"const": name}, **said),
        "additionalProperties": open_ended,
        "$defs": {kind.__name__: _class(kind) for kind in made.kinds},
    }


def _object(fields: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return the schema of an object of fields, and of more, of which it needs what is always the same."""
    needed = [name for name, each in more.items() if "const" in each]
    needed += [name for name, field in fields.items() if field.default is NEEDED]
    properties = {**more, **{name: _said(field) for name, field in fields.items()}}
    return {"type": "object", "properties": properties, "required": needed}


def _class(kind: type) -> dict[str, Any]:
    inside = _object(getattr(kind, "fields", None) or fields_of(kind))
    whole = {"type": "object", "properties": {kind.__name__: inside}, "required": [kind.__name__]}
    return {"anyOf": [{"type": "string", "description": "a stat line"}] * hasattr(kind, "parse") + [whole]}


def _said(field: Any) -> dict[str, Any]:
    """Return what JSON may say of a field; nothing of its type where it is one of several forms."""
    found: dict[str, Any] = {"description": " ".join(field.help.split())}
    if isinstance(field, OneOf):
        return found | {"enum": [*field.options, *([None] if field.default is None else [])]}
    types = {_TYPES.get(word, "") for word in field.accepts.split(" | ")}
    found |= {} if "" in types else {"type": sorted(types)}
    if isinstance(field, Number):
        limits = {"minimum": field.least, "maximum": field.most}
        found |= {word: limit for word, limit in limits.items() if limit is not None}
    return found | ({"default": field.default} if isinstance(field.default, bool | int | str) else {})
