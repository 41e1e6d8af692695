"""Modifiers and triggers as a player types them, in the words in which they are printed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mathhammer.errors import MathhammerError
from mathhammer.validation import shown, typed

if TYPE_CHECKING:
    from mathhammer.modifiers import Modifier
    from mathhammer.systems.wh40k import Trigger

_SOURCE = r"(?:\s*\((?P<source>[^()]+)\))?"
_WHOLE = r"[-−]?\d{1,9}"
_MODIFIER = re.compile(
    rf"(?P<of>[a-z ]+?)\s*(?P<sign>\+|-|−|=|x|×|/|÷|improved? by|improve|worsened? by|worsen|treated as)\s*"
    rf"(?P<value>{_WHOLE})(?:\s+where it is (?P<read>unmodified )?(?P<when>{_WHOLE}(?: or {_WHOLE})*))?{_SOURCE}",
    re.IGNORECASE,
)
_OPERATIONS = {
    "+": "add",
    "-": "subtract",
    "−": "subtract",
    "=": "set",
    "x": "multiply",
    "×": "multiply",
    "/": "divide",
    "÷": "divide",
    "i": "improve",
    "w": "worsen",
    "t": "treat",
}
_TRIGGER = re.compile(
    rf"(?P<on>[^:]+?)\s+to\s+(?P<roll>hit|wound)\s*:\s*(?P<effects>[^()]+?){_SOURCE}", re.IGNORECASE
)
#: What a trigger does: the words, and the argument of a Trigger that they are; the first group is its value.
_EFFECTS: tuple[tuple[re.Pattern[str], dict[str, Any]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), fields)
    for pattern, fields in (
        (r"(\S+) (?:additional|extra) hits?", {"extra_hits": str}),
        (r"(\S+) (?:additional|extra) attacks?", {"extra_attacks": str}),
        (r"(\S+) mortal wounds?(?: in addition)?", {"mortal_wounds": str}),
        (r"(\S+) mortal wounds? instead", {"mortal_wounds": str, "instead": True}),
        (r"wounds(?: without a roll)?", {"wounds": True}),
        (r"AP improved by (\d{1,9})", {"improve_ap": int}),
        (r"AP\s*=?\s*[-−]?(\d{1,9})", {"ap": int}),
        (r"the bearer is slain", {"bearer": "slain"}),
        (r"(\S+) mortal wounds? on the bearer", {"bearer": str}),
    )
)


def read_modifier(text: str) -> Modifier:
    """Return the modifier of a text such as ``damage +1 (Oath)``."""
    from mathhammer.modifiers import Modifier

    match = _MODIFIER.fullmatch(typed(text, "modifier").strip())
    if match is None:
        raise MathhammerError(
            f"expected a modifier such as 'damage +1 (rule)', 'strength x2', 'ap improved by 1' or 'skill =4', "
            f"got {shown(text)}"
        )
    operation: Any = _OPERATIONS[match["sign"][0].lower()]
    when = match["when"]
    return Modifier(
        operation,
        _whole(match["value"]),
        match["source"] or "--modifier",
        of=match["of"].strip().lower(),
        when=None if when is None else frozenset(map(_whole, when.split(" or "))),
        unmodified=True if match["read"] and operation == "treat" else None,
    )


def read_trigger(text: str) -> Trigger:
    """Return the trigger of a text such as ``unmodified 6 to wound: 1 mortal wounds in addition (rule)``."""
    from mathhammer.systems.wh40k import Trigger

    match = _TRIGGER.fullmatch(typed(text, "trigger").strip())
    if match is None:
        raise MathhammerError(
            "expected a trigger such as 'unmodified 6 to wound: AP improved by 3 (Rending)', "
            f"got {shown(text)}; it says on what of which roll, a colon, what it does, and in brackets its name"
        )
    fields: dict[str, Any] = {}
    for effect in match["effects"].split(","):
        fields |= _effect(effect.strip())
    roll: Any = match["roll"].lower()
    return Trigger(roll, match["on"], match["source"] or "--trigger", **fields)


def _effect(text: str) -> dict[str, Any]:
    for pattern, fields in _EFFECTS:
        match = pattern.fullmatch(text)
        if match is not None:
            return {name: value(match[1]) if callable(value) else value for name, value in fields.items()}
    raise MathhammerError(
        "expected an effect such as '2 additional hits', '1 additional attacks', 'D3 mortal wounds in addition', "
        "'1 mortal wounds instead', 'wounds without a roll', 'AP improved by 3', 'AP -4' or 'the bearer is slain', "
        f"got {shown(text)}"
    )


def _whole(text: str) -> int:
    return int(text.replace("−", "-"))
