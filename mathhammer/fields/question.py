"""The fields of a function: what its signature and the section Parameters of its documentation say."""

from __future__ import annotations

import re
from inspect import Parameter, formatannotation, getdoc, signature
from typing import TYPE_CHECKING, Any

from mathhammer.fields.kinds import NEEDED, Boolean, Field, Integer, MaybeInteger, OneOf, Text

if TYPE_CHECKING:
    from collections.abc import Callable

_SECTION = re.compile(r"\nParameters\n-+\n(.*?)(?:\n\n\w+\n-+\n|\Z)", re.DOTALL)
_ENTRY = re.compile(r"^(\S.*)\n((?:(?: .*)?\n?)+)", re.MULTILINE)
_KINDS: dict[str, Callable[..., Field[Any, Any]]] = {
    "bool": Boolean,
    "int": Integer,
    "int | None": MaybeInteger,
}
#: What no question says for itself.
_APART = frozenset(("edition", "rulings", "exact", "start"))


def fields_of(function: Callable[..., Any]) -> dict[str, Field[Any, Any]]:
    """Return the fields of a function by name; without bounds, as it refuses what does not fit."""
    section = _SECTION.search(getdoc(function) or "")
    helps = {
        name: " ".join(words.split())
        for names, words in _ENTRY.findall(section[1] if section else "")
        for name in names.split(", ")
    }
    found: dict[str, Field[Any, Any]] = {}
    for name, each in signature(function).parameters.items():
        if name in _APART or each.kind is Parameter.VAR_KEYWORD:
            continue
        # A text, but where somebody has read the annotations of a signature that stands with its function.
        words = each.annotation if isinstance(each.annotation, str) else formatannotation(each.annotation)
        literal = words.startswith("Literal[")
        kind = OneOf if literal else _KINDS.get(words, Text)
        found[name] = kind(
            helps.get(name, ""),  # without documentation under -OO
            *(re.findall(r"'([^']+)'", words) if literal else ()),
            default=NEEDED if each.default is Parameter.empty else each.default,
            kw_only=each.kind is Parameter.KEYWORD_ONLY,
            label=name.replace("_", " ").capitalize(),
            many="Sequence" in words or "Sourced" in words,
            **({"least": None, "most": None} if kind in {Integer, MaybeInteger} else {}),
        )
        found[name].accepts = words
    return found
