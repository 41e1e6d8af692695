"""The situation of an attack as options: one list for all commands that attack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "as_data",
    "describe",
    "read_rulings",
    "read_situation",
    "rules_in_force",
    "situation_options",
]

_F = TypeVar("_F", bound="Callable[..., Any]")

_FLAGS = {
    "half_range": "The target is within half range (Rapid Fire, Melta).",
    "long_range": "The target is beyond the distance that Conversion names.",
    "stationary": "The attacker did not move (Heavy).",
    "charged": "The attacker charged this turn (Lance).",
    "cover": "The target has the Benefit of Cover.",
    "indirect": "No model of the target is visible (Indirect Fire).",
}
_MODIFIERS = {
    "hit_modifier": "Added to hit rolls.",
    "wound_modifier": "Added to wound rolls.",
    "save_modifier": "Added to saving throws.",
}
_CRITICALS = {
    "critical_hit": "Least unmodified hit roll that is critical.",
    "critical_wound": "Least unmodified wound roll that is critical.",
}
# A damage roll cannot fail, and only hits and wounds can be critical.
_REROLLS = {
    "hits": "ones, failed, non-critical",
    "wounds": "ones, failed, non-critical",
    "damage": "ones",
    "saves": "ones, failed",
}
_WORDS = ("ones", "failed", "non-critical")


def _read_reroll(
    ctx: click.Context,  # noqa: ARG001 - the signature of a click callback
    param: click.Parameter,  # noqa: ARG001
    value: str | None,
) -> str | frozenset[int] | None:
    """Return a word as it is, faces such as ``1,2`` as a set."""
    if value is None or value in _WORDS:
        return value
    faces = [face.strip() for face in value.split(",")]
    if not all(face.isascii() and face.isdigit() for face in faces):
        raise click.BadParameter(f"expected {', '.join(_WORDS)} or faces such as 1,2; got {value!r}")
    return frozenset(map(int, faces))


def situation_options(function: _F) -> _F:
    """Add the options of the situation to a command."""
    options = [
        *(click.option(_name(key), is_flag=True, help=text) for key, text in _FLAGS.items()),
        *(click.option(_name(key), type=int, metavar="N", help=text) for key, text in _MODIFIERS.items()),
        *(
            click.option(_name(key), type=click.IntRange(2, 6), metavar="N", help=text)
            for key, text in _CRITICALS.items()
        ),
        *(
            click.option(
                f"--reroll-{rolls}",
                callback=_read_reroll,
                metavar="WHICH",
                help=f"Re-roll {rolls}: {words}, or faces such as 1,2.",
            )
            for rolls, words in _REROLLS.items()
        ),
        click.option(
            "--ruling",
            "rulings",
            multiple=True,
            metavar="NAME=OPTION",
            help="Decide a disputed point of the rules otherwise. Repeatable.",
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def read_situation(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was switched on, as keywords of the library."""
    keys = (*_FLAGS, *_MODIFIERS, *_CRITICALS, *(f"reroll_{rolls}" for rolls in _REROLLS))
    return {key: options[key] for key in keys if options[key] not in {None, False}}


def read_rulings(texts: tuple[str, ...]) -> dict[str, str] | None:
    """Return the rulings by name; the library refuses those that it does not know."""
    rulings = {}
    for text in texts:
        name, separator, option = text.partition("=")
        if not separator:
            raise click.BadParameter(f"expected NAME=OPTION, got {text!r}", param_hint="--ruling")
        rulings[name.strip()] = option.strip()
    return rulings or None


def describe(situation: Mapping[str, Any]) -> str:
    """Return the situational rules that are on, in words a player uses.

    Examples
    --------
    >>> describe({})
    'none'
    >>> describe({"half_range": True, "hit_modifier": -1, "reroll_wounds": "failed", "critical_hit": 5})
    'half range, -1 to hit rolls, critical hits on 5+, re-roll wounds: failed'
    """
    words = [key.replace("_", " ") for key in _FLAGS if key in situation]
    rolls = {"hit_modifier": "hit rolls", "wound_modifier": "wound rolls", "save_modifier": "saving throws"}
    words += [f"{situation[key]:+d} to {roll}" for key, roll in rolls.items() if key in situation]
    criticals = {"critical_hit": "hits", "critical_wound": "wounds"}
    words += [f"critical {what} on {situation[key]}+" for key, what in criticals.items() if key in situation]
    for what in _REROLLS:
        faces = situation.get(f"reroll_{what}")
        if faces is not None:
            shown = faces if isinstance(faces, str) else ", ".join(map(str, sorted(faces)))
            words.append(f"re-roll {what}: {shown}")
    return ", ".join(words) or "none"


def rules_in_force(edition: str, situation: Mapping[str, Any], rulings: Mapping[str, str] | None) -> str:
    """Return which rules a page was computed with: edition, situation, and rulings chosen on the way."""
    from mathhammer.systems.wh40k.editions import find_edition

    chosen = ", ".join(f"{name}={option}" for name, option in (rulings or {}).items())
    decided = f" Rulings chosen: {chosen}." if chosen else ""
    return f"{find_edition(edition).title}. Situational rules on: {describe(situation)}.{decided}"


def as_data(situation: Mapping[str, Any]) -> dict[str, Any]:
    """Return the situation for JSON."""
    return {key: sorted(value) if isinstance(value, frozenset) else value for key, value in situation.items()}


def _name(key: str) -> str:
    return f"--{key.replace('_', '-')}"
