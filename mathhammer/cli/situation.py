"""The situation of an attack as options: one table for all commands that attack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from mathhammer.cli.grouping import GroupedOption
from mathhammer.cli.rules_text import read_modifier, read_trigger
from mathhammer.errors import MathhammerError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "SITUATION",
    "Situational",
    "as_data",
    "describe",
    "read_rulings",
    "read_situation",
    "rules_in_force",
    "situation_options",
]

_F = TypeVar("_F", bound="Callable[..., Any]")


class Situational(NamedTuple):
    """One option of the situation.

    Parameters
    ----------
    key
        The keyword of the library.
    group
        The heading of the help.
    help
        What it says there.
    metavar
        What stands for the value; nothing for a flag.
    read
        What makes of the text the value for the library.
    shown
        How a page says that it is on, for a value.
    many
        Whether the option can be repeated: its values are given together.
    option
        The name of the option where it is not the keyword.
    """

    key: str
    group: str
    help: str
    metavar: str = ""
    read: Callable[[str], Any] = str
    shown: str = ""
    many: bool = False
    option: str = ""

    @property
    def flag(self) -> str:
        """The option as it is typed."""
        return f"--{self.option or self.key.replace('_', '-')}"

    @property
    def name(self) -> str:
        """The name of its parameter."""
        return self.flag.lstrip("-").replace("-", "_")


def _whole(text: str) -> int:
    return click.INT(text)


def _face(least: int, most: int) -> Callable[[str], int]:
    return click.IntRange(least, most)


def _critical(text: str) -> int | str:
    """Return the least face, or what the library reads: ``successful 5+``."""
    return click.IntRange(2, 6)(text) if text.strip().lstrip("+-").isdigit() else text.strip()


def _several(text: str) -> tuple[str, ...]:
    return tuple(part.strip().lower() for part in text.split(",") if part.strip())


def _precision(text: str) -> bool | str:
    return False if text.strip().lower() == "none" else text.strip()


def _reroll(*words: str) -> Callable[[str], str | frozenset[int]]:
    def read(text: str) -> str | frozenset[int]:
        if text in words:
            return text
        faces = [face.strip() for face in text.split(",")]
        if not all(face.isascii() and face.isdigit() for face in faces):
            raise click.BadParameter(f"expected {', '.join(words)} or faces such as 1,2; got {shown(text)}")
        return frozenset(map(int, faces))

    return read


_AT, _TARGET = "Situation", "Situation of the target"
_MODIFIERS, _ROLLS, _REROLLS = "Modifiers", "Rolls", "Re-rolls"
_HITS = ("one", "ones", "failed", "failed-unmodified", "non-critical")
_SAVES = ("one", "ones", "failed", "failed-unmodified")


def _rerolls(
    rolls: str, words: tuple[str, ...], once: str = "one failed die for the whole unit, the first"
) -> Situational:
    one = f"one: {once}; " if "one" in words else ""
    text = f"Re-roll {rolls}: {', '.join(words)}, or faces such as 1,2 ({one}ones: rolls of 1)."
    return Situational(f"reroll_{rolls}", _REROLLS, text, "WHICH", _reroll(*words), f"re-roll {rolls}: {{}}")


#: Every keyword of a situation has an option here, and a test says so.
SITUATION = (
    Situational("half_range", _AT, "The target is within half range (Rapid Fire, Melta)."),
    Situational("long_range", _AT, "The target is beyond the distance that Conversion names."),
    Situational("stationary", _AT, "The attacker did not move (Heavy)."),
    Situational("moved", _AT, "The attacker moved (9th edition: Heavy)."),
    Situational("advanced", _AT, "The attacker advanced (9th edition: Assault)."),
    Situational("charged", _AT, "The attacker charged this turn (Lance)."),
    Situational("indirect", _AT, "No model of the target is visible (Indirect Fire)."),
    Situational("engaged", _AT, "The attacker, or its target, is in engagement range (Big Guns Never Tire)."),
    Situational("plunging_fire", _AT, "The attacker shoots down from terrain: AP better by 1."),
    Situational("damaged", _AT, "The attacker is damaged: -1 to hit, as its datasheet says."),
    Situational("overwatch", _AT, "Fire Overwatch: only unmodified 6s hit."),
    Situational("cover", _TARGET, "The target has the Benefit of Cover."),
    Situational(
        "cover",
        _TARGET,
        "The kinds of cover that it has, with commas (9th edition): light, heavy, dense.",
        "KINDS",
        _several,
        "cover: {}",
        option="cover-kind",
    ),
    Situational("stealth", _TARGET, "The target has Stealth: -1 to hit with ranged weapons."),
    Situational("smokescreen", _TARGET, "Smokescreen: Stealth and cover."),
    Situational("go_to_ground", _TARGET, "Go to Ground: cover and a 6+ invulnerable save."),
    Situational("target_charged", _TARGET, "The target charged (9th edition: no heavy cover)."),
    Situational(
        "precision",
        _TARGET,
        "The leader at which Precision is directed, the first unless said; none: at no leader.",
        "LEADER",
        _precision,
        "Precision at: {}",
    ),
    Situational("hit_modifier", _MODIFIERS, "Added to hit rolls.", "N", _whole, "{:+d} to hit rolls"),
    Situational("wound_modifier", _MODIFIERS, "Added to wound rolls.", "N", _whole, "{:+d} to wound rolls"),
    Situational(
        "save_modifier", _MODIFIERS, "Added to saving throws.", "N", _whole, "{:+d} to saving throws"
    ),
    Situational(
        "modifiers",
        _MODIFIERS,
        "Of a characteristic or a roll: 'damage +1 (rule)', 'strength x2', 'ap improved by 1'. Repeatable.",
        "TEXT",
        read_modifier,
        "{}",
        many=True,
        option="modifier",
    ),
    Situational(
        "ignore_modifiers",
        _MODIFIERS,
        "Harmful modifiers of these are ignored, with commas: hit, skill, wound, attacks, strength, ap, damage.",
        "WHAT",
        _several,
        "ignores modifiers of {}",
    ),
    Situational(
        "critical_hit",
        _ROLLS,
        "Least unmodified hit roll that is critical: 5, or 'successful 5+'.",
        "FACE",
        _critical,
        "critical hits on {}+",
    ),
    Situational(
        "critical_wound",
        _ROLLS,
        "Least unmodified wound roll that is critical: 5, or 'successful 5+'.",
        "FACE",
        _critical,
        "critical wounds on {}+",
    ),
    Situational(
        "wounds_on",
        _ROLLS,
        "Wound roll that is enough whatever the Strength.",
        "FACE",
        _face(2, 6),
        "wounds on {}+",
    ),
    Situational(
        "wound_fails_up_to",
        _ROLLS,
        "Unmodified wound rolls up to this one fail.",
        "FACE",
        _face(1, 5),
        "wound rolls up to {} fail",
    ),
    Situational(
        "triggers",
        _ROLLS,
        "What happens on a result: 'unmodified 6 to wound: AP improved by 3 (Rending)'. Repeatable.",
        "TEXT",
        read_trigger,
        "{}",
        many=True,
        option="trigger",
    ),
    Situational(
        "reroll_attacks",
        _REROLLS,
        "Re-roll attacks: one (of the whole unit the first roll for a number of attacks below its mean).",
        "one",
        str.strip,
        "re-roll one number of attacks",
    ),
    _rerolls("hits", _HITS),
    _rerolls("wounds", _HITS),
    _rerolls("damage", ("one", "ones"), "the first damage roll below its mean, once"),
    _rerolls("saves", _SAVES),
)


def situation_options(function: _F) -> _F:
    """Add the options of the situation, and of the rulings, to a command that groups its options."""
    rulings = click.option(
        "--ruling",
        "rulings",
        cls=GroupedOption,
        group="Rulings",
        multiple=True,
        metavar="NAME=OPTION",
        help="Decide a disputed point of the rules otherwise: see 'mathhammer 40k rulings'. Repeatable.",
    )
    for option in (rulings, *map(_option, reversed(SITUATION))):
        function = option(function)
    return function


def _option(one: Situational) -> Callable[[_F], _F]:
    if not one.metavar:
        return click.option(one.flag, cls=GroupedOption, group=one.group, is_flag=True, help=one.help)

    def read(_ctx: click.Context, _param: click.Parameter, value: Any) -> Any:
        try:
            if one.many:
                return tuple(map(one.read, value)) or None
            return None if value is None else one.read(value)
        except MathhammerError as error:
            raise click.BadParameter(str(error)) from error

    return click.option(
        one.flag,
        cls=GroupedOption,
        group=one.group,
        multiple=one.many,
        metavar=one.metavar,
        callback=read,
        help=one.help,
    )


def read_situation(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was switched on, as keywords of the library."""
    situation: dict[str, Any] = {}
    for one in SITUATION:
        value = options[one.name]
        if value is None or (not one.metavar and value is False):
            continue
        if one.key in situation:
            raise click.UsageError(f"expected --{one.key} or {one.flag}, got both")
        situation[one.key] = value
    return situation


def read_rulings(texts: tuple[str, ...]) -> dict[str, str] | None:
    """Return the rulings by name; the library refuses those that it does not know."""
    rulings = {}
    for text in texts:
        name, separator, option = text.partition("=")
        if not separator:
            raise click.BadParameter(f"expected NAME=OPTION, got {shown(text)}", param_hint="--ruling")
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
    words = []
    for one in SITUATION:
        value = situation.get(one.key)
        if value is True and not one.metavar:
            words.append(one.key.replace("_", " "))
        elif value is not None and value is not True and one.metavar:
            words.append(_shown(one, value))
    return ", ".join(words) or "none"


def _shown(one: Situational, value: Any) -> str:
    if one.key == "modifiers":
        return ", ".join(f"{modifier.of} {modifier}" for modifier in value)
    if value is False:
        return one.shown.format("none")
    if isinstance(value, frozenset):
        value = sorted(value)
    if isinstance(value, tuple | list):
        value = ", ".join(map(str, value))
    shown = one.shown.removesuffix("+") if isinstance(value, str) else one.shown
    return shown.format(value)


def rules_in_force(edition: str, situation: Mapping[str, Any], rulings: Mapping[str, str] | None) -> str:
    """Return which rules a page was computed with: edition, situation, and rulings chosen on the way."""
    from mathhammer.systems.wh40k.editions import find_edition

    chosen = ", ".join(f"{name}={option}" for name, option in (rulings or {}).items())
    decided = f" Rulings chosen: {chosen}." if chosen else ""
    return f"{find_edition(edition).title}. Situational rules on: {describe(situation)}.{decided}"


def as_data(situation: Mapping[str, Any]) -> dict[str, Any]:
    """Return the situation for JSON: modifiers and triggers in the words in which they are printed."""
    return {key: _plain(key, value) for key, value in situation.items()}


def _plain(key: str, value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    if key == "modifiers":
        return [f"{modifier.of} {modifier}" for modifier in value]
    return list(map(str, value)) if isinstance(value, tuple) else value
