"""What is true of one volley when it is made: range, movement, cover, re-rolls, modifiers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from mathhammer import validation
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.modifiers import Modifier, as_modifiers
from mathhammer.systems.wh40k.conditions import IGNORABLE
from mathhammer.systems.wh40k.triggers import Trigger
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from mathhammer.expressions.check import Reroll

__all__ = [
    "EXCLUSIVE",
    "SITUATION_NAMES",
    "Situation",
    "SituationKeywords",
    "read_situation",
    "shared_reroll",
]


class SituationKeywords(TypedDict, total=False):
    """The keywords of a situation, as :class:`Volley` and :func:`attack` take them.

    Attributes
    ----------
    half_range
        The target is within half range (Rapid Fire, Melta).
    long_range
        The target is beyond the distance that Conversion names.
    stationary
        The attacker remained stationary (Heavy).
    charged
        The attacker made a charge move (Lance).
    moved, advanced
        The attacker moved (9th edition: Heavy, for infantry), or advanced (9th edition: Assault).
    target_charged
        The target made a charge move (9th edition: no heavy cover).
    cover
        The target has the benefit of cover; in the 9th edition also ``"light"``, ``"heavy"``, ``"dense"`` or
        several of them, of which ``True`` is the first. An edition with one kind of cover takes any for it.
    indirect
        No model of the target is visible (weapons with Indirect Fire).
    hit_modifier, wound_modifier, save_modifier
        A number to add, or Modifiers that name their source.
    modifiers
        Modifiers of anything, each of which says `of` what: ``"attacks"``, ``"skill"``, ``"strength"``, ``"ap"``,
        ``"damage"``, ``"toughness"``, ``"save"``, ``"invulnerable"``, or the rolls ``"hit"``, ``"wound"`` and
        ``"saving throw"``. Of a weapon with Extra Attacks the Attacks change only by ``"extra attacks"``, the
        modifiers of rules that name it.
    triggers
        What rules do on particular results of the hit or wound roll.
    precision
        Whether attacks with Precision are directed at a leader: ``True`` at the first in order, ``False`` at none,
        or the name of one.
    stealth, smokescreen, go_to_ground
        The target has Stealth, or one of these stratagems: -1 to hit, cover, an invulnerable save.
    engaged
        The attacker, or a Monster or Vehicle that it shoots at, is in engagement range (Big Guns Never Tire).
    plunging_fire
        The attacker shoots down from a terrain feature.
    damaged
        The attacker has few wounds left and its datasheet says -1 to hit.
    overwatch
        Fire Overwatch: only unmodified hit rolls of 6 hit.
    critical_hit, critical_wound
        Lowest unmodified face that is critical; ``"successful 5+"`` where the roll must also succeed.
    wounds_on
        The wound roll that is enough whatever the Strength: the attacker's rule.
    wound_fails_up_to
        Unmodified wound rolls up to this one fail: the target's rule, which loses to the attacker's.
    ignore_modifiers
        Of what the attacker ignores the modifiers that harm him: ``"hit"``, ``"skill"``, ``"wound"``,
        ``"attacks"``, ``"strength"``, ``"ap"``, ``"damage"``, or several.
    reroll_attacks
        ``"one"`` for one roll of the number of attacks, the first below its mean: a Command Re-roll.
    reroll_hits, reroll_wounds, reroll_damage, reroll_saves
        ``None``, ``"ones"``, ``"failed"``, ``"non-critical"`` or a set of faces; ``"one"`` for one failed die,
        picked after all of the volley are seen: a Command Re-roll, or a rule that allows one re-roll. What failed
        is judged before modifiers in the 9th edition, and as modified in the 10th. Damage
        has no failure: there it is ``"ones"`` or a set of values, or ``"one"`` for the first damage roll below
        its mean, in the order in which the damage is rolled, devastating wounds included; several volleys of an
        attack that say so share the one re-roll. Damage dice that are added together are judged, and made again,
        by their total before modifiers.

    Notes
    -----
    One re-roll (``"one"``) of a :class:`Volley` is that volley's. Given to :func:`attack` it is one for the whole
    unit: the first die that fails, in the order of the volleys, of all those that say nothing else of that roll. A
    saving throw that no die can make is not among them. (Rules Commentary, Fast Dice Rolling and Rules That Allow
    One Re-roll; core stratagems, Command Re-roll: the policy is that of a player who spends it on the first failure.)

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> situation: SituationKeywords = {"cover": True, "reroll_hits": "ones"}
    >>> rifle = wh40k.Weapon.parse("Rifle: A6 BS4+ S4 AP-1 D1")
    >>> marines = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=5)
    >>> wh40k.attack(rifle, marines, exact=True, **situation).hits.mean()  # 1/2 + 1/6 * 1/2 each
    7/2
    """

    half_range: bool
    long_range: bool
    stationary: bool
    charged: bool
    moved: bool
    advanced: bool
    target_charged: bool
    cover: bool | str | Iterable[str]
    indirect: bool
    precision: bool | str
    hit_modifier: int | Modifier | Iterable[Modifier]
    wound_modifier: int | Modifier | Iterable[Modifier]
    save_modifier: int | Modifier | Iterable[Modifier]
    modifiers: Modifier | Iterable[Modifier]
    triggers: Trigger | Iterable[Trigger]
    stealth: bool
    smokescreen: bool
    go_to_ground: bool
    engaged: bool
    plunging_fire: bool
    damaged: bool
    overwatch: bool
    critical_hit: int | str
    critical_wound: int | str
    wounds_on: int
    wound_fails_up_to: int
    ignore_modifiers: str | Iterable[str]
    reroll_attacks: Literal["one"] | None
    reroll_hits: (
        Literal["one", "ones", "failed", "failed-unmodified", "non-critical"] | AbstractSet[int] | None
    )
    reroll_wounds: (
        Literal["one", "ones", "failed", "failed-unmodified", "non-critical"] | AbstractSet[int] | None
    )
    reroll_damage: Literal["one", "ones"] | AbstractSet[int] | None
    reroll_saves: Literal["one", "ones", "failed", "failed-unmodified"] | AbstractSet[int] | None


@dataclass(frozen=True, slots=True)
class Situation:
    """A situation, validated; `shared` says whether its one re-roll is that of all volleys of the unit together."""

    half_range: bool = False
    long_range: bool = False
    stationary: bool = False
    charged: bool = False
    moved: bool = False
    advanced: bool = False
    target_charged: bool = False
    cover: bool | frozenset[str] = False
    indirect: bool = False
    precision: bool | str = True
    hit_modifier: tuple[Modifier, ...] = ()
    wound_modifier: tuple[Modifier, ...] = ()
    save_modifier: tuple[Modifier, ...] = ()
    modifiers: tuple[Modifier, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    conditions: frozenset[str] = frozenset()
    overwatch: bool = False
    critical_hit: int = 6
    critical_wound: int = 6
    successful: frozenset[str] = frozenset()
    wounds_on: int | None = None
    wound_fails_up_to: int = 1
    ignored: frozenset[str] = frozenset()
    one_reroll: tuple[str, ...] = ()
    shared: bool = False
    reroll_attacks: None = None
    reroll_hits: Reroll = None
    reroll_wounds: Reroll = None
    reroll_damage: Reroll = None
    reroll_saves: Reroll = None


_PLAIN = Situation()
_FLAGS = {
    "half_range",
    "long_range",
    "stationary",
    "charged",
    "moved",
    "advanced",
    "target_charged",
    "indirect",
    "overwatch",
}
#: Conditions that bring modifiers of their own.
_CONDITIONS = ("stealth", "smokescreen", "go_to_ground", "engaged", "plunging_fire", "damaged")
_MODIFIERS = {"hit_modifier", "wound_modifier", "save_modifier"}
_CRITICALS = {"critical_hit", "critical_wound"}
_CRITICAL = re.compile(r"(?P<successful>successful )?(?:unmodified )?(?P<face>[2-6])\+")
_FACES = {"wounds_on": (2, 6), "wound_fails_up_to": (1, 5)}
#: The ways of re-rolling that make sense, beside a set of faces: only hits and wounds can be critical, and a
#: damage roll, or that of a number of attacks, cannot fail.
_REROLLS = {
    "reroll_attacks": ("one",),
    "reroll_hits": ("one", "ones", "failed", "failed-unmodified", "non-critical"),
    "reroll_wounds": ("one", "ones", "failed", "failed-unmodified", "non-critical"),
    "reroll_damage": ("one", "ones"),
    "reroll_saves": ("one", "ones", "failed", "failed-unmodified"),
}
#: The re-rolls of one die that a unit has once for all its volleys, where they are given to the whole attack.
_SHARED = ("reroll_attacks", "reroll_hits", "reroll_wounds", "reroll_saves")
#: The rolls that `modifiers` may name, and where their modifiers are kept; then the characteristics.
_ROLLS = {"hit": "hit_modifier", "wound": "wound_modifier", "saving throw": "save_modifier"}
_MODIFIED = (
    "attacks",
    "extra attacks",
    "skill",
    "strength",
    "ap",
    "damage",
    "toughness",
    "save",
    "invulnerable",
)
#: The kinds of cover of all editions.
COVERS = ("light", "heavy", "dense")
_NAMES = (
    *sorted(_FLAGS),
    *_CONDITIONS,
    "cover",
    "precision",
    *sorted(_MODIFIERS),
    *("modifiers", "triggers"),
    *sorted(_CRITICALS),
    *("wounds_on", "wound_fails_up_to", "ignore_modifiers"),
    *_REROLLS,
)

#: What cannot be true of one volley at once.
EXCLUSIVE = (
    ("stationary", "moved"),
    ("stationary", "advanced"),
    ("stationary", "charged"),
    ("half_range", "long_range"),
)

#: Every keyword of a situation.
SITUATION_NAMES = frozenset(_NAMES)


def read_situation(keywords: Mapping[str, Any]) -> Situation:
    """Return the situation that the keywords describe.

    Raises
    ------
    MathhammerError
        If a keyword is unknown or its value does not fit.

    Examples
    --------
    >>> read_situation({"hit_modifier": -1}).hit_modifier[0].value
    -1
    """
    if not keywords:
        return _PLAIN
    found = {name: _read(name, value) for name, value in keywords.items()}
    for one, other in EXCLUSIVE:
        if found.get(one) and found.get(other):
            raise MathhammerError(f"expected {one} or {other}, got both; the one excludes the other")
    if "modifiers" in found:
        for roll, name in _ROLLS.items():
            given = tuple(modifier for modifier in found["modifiers"] if modifier.of == roll)
            if given:
                found[name] = (*found.get(name, ()), *given)
        found["modifiers"] = tuple(m for m in found["modifiers"] if m.of not in _ROLLS)
    _gather(found)
    return Situation(**found)


def shared_reroll(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return those keywords of a whole attack that give the unit one re-roll, not one to each volley.

    Examples
    --------
    >>> shared_reroll({"reroll_hits": "one", "reroll_saves": "ones", "cover": True})
    {'reroll_hits': 'one'}
    """
    return {name: "one" for name in _SHARED if keywords.get(name) == "one"}


def _gather(found: dict[str, Any]) -> None:
    """Put what several keywords say into one field each."""
    conditions = frozenset(name for name in _CONDITIONS if found.pop(name, False))
    if conditions:
        found["conditions"] = conditions
    for name in _CRITICALS & found.keys():
        found[name], must_succeed = found[name]
        if must_succeed:
            found["successful"] = found.get("successful", frozenset()) | {name}
    if "ignore_modifiers" in found:
        found["ignored"] = found.pop("ignore_modifiers")
    single = tuple(name for name in _REROLLS if found.get(name) == "one")
    if len(single) > 1:
        raise MathhammerError(
            f"expected one re-roll of one die, got {' and '.join(single)}; give them to different volleys"
        )
    if single:
        found["one_reroll"] = single
        found[single[0]] = None


def _read(name: str, value: Any) -> Any:
    value = validation.plain(value)
    if name in _FLAGS or name in _CONDITIONS:
        return validation.flag(value, name)
    if name in _READERS:
        return _READERS[name](value)
    if name in _MODIFIERS:
        return as_modifiers(value, name)
    if name in _CRITICALS:
        return _read_critical(name, value)
    if name in _FACES:
        least, most = _FACES[name]
        return validation.whole(value, f"{name}, a face of the die", least, most)
    if name in _REROLLS:
        return _read_reroll(name, value)
    hint = validation.nearest(name, _NAMES)
    raise UnknownNameError(f"expected a keyword of the situation, got {shown(name)}; {hint}")


def _read_reroll(name: str, value: Any) -> Any:
    if value is None or value in _REROLLS[name]:
        return value
    options = " or ".join(map(repr, _REROLLS[name]))
    if name == "reroll_attacks":
        raise MathhammerError(f"expected None or {options} as {name}, got {shown(value)}")
    most = 100 if name == "reroll_damage" else 6  # damage of several dice is judged by the total
    if isinstance(value, set | frozenset):
        faces = frozenset(value)
        if all(type(face) is int and 1 <= face <= most for face in faces):
            return faces
    raise MathhammerError(
        f"expected None, {options} or a set of values from 1 to {most} as {name}, got {shown(value)}"
    )


def _read_critical(name: str, value: Any) -> tuple[int, bool]:
    """Return the lowest critical face, and whether the roll must also succeed."""
    if isinstance(value, str) and (match := _CRITICAL.fullmatch(value.strip())):
        return int(match["face"]), bool(match["successful"])
    if type(value) is not int or not 2 <= value <= 6:
        raise MathhammerError(
            f"expected a face from 2 to 6, '5+' or 'successful 5+' as {name}, got {shown(value)}"
        )
    return value, False


def _read_ignored(value: Any) -> frozenset[str]:
    expected = f"some of {', '.join(IGNORABLE)} as ignore_modifiers"
    given = frozenset((value,) if isinstance(value, str) else validation.items(value, str, expected))
    if not given <= set(IGNORABLE):
        raise MathhammerError(
            f"expected some of {', '.join(IGNORABLE)} as ignore_modifiers, got {shown(value)}"
        )
    return given


def _read_precision(value: Any) -> bool | str:
    if not isinstance(value, bool | str):
        raise MathhammerError(
            f"expected True, False or the name of a leader as precision, got {shown(value)}"
        )
    return value


def _read_cover(value: Any) -> bool | frozenset[str]:
    if isinstance(value, bool):
        return value
    expected = f"True, False or kinds of {', '.join(COVERS)} as cover"
    kinds = frozenset((value,) if isinstance(value, str) else validation.items(value, str, expected))
    if not kinds <= set(COVERS):
        raise MathhammerError(
            f"expected True, False or kinds of {', '.join(COVERS)} as cover, got {shown(value)}"
        )
    return kinds or False


def _read_modifiers(value: Any) -> tuple[Modifier, ...]:
    given = as_modifiers(() if value is None else value, "modifiers")
    for modifier in given:
        if not isinstance(modifier, Modifier) or modifier.of not in (*_MODIFIED, *_ROLLS):
            raise MathhammerError(
                f"expected Modifiers of {', '.join((*_MODIFIED, *_ROLLS))}, got {shown(modifier)}; "
                "say of='...' in each Modifier"
            )
        if modifier.of in _ROLLS and modifier.when is not None:
            raise MathhammerError(
                f"expected a modifier of a roll without a trigger, got {modifier}; a Trigger acts on results"
            )
    return given


def _read_triggers(value: Any) -> tuple[Trigger, ...]:
    return (
        (value,) if isinstance(value, Trigger) else validation.items(value, Trigger, "Triggers as triggers")
    )


_READERS: dict[str, Callable[[Any], Any]] = {
    "precision": _read_precision,
    "ignore_modifiers": _read_ignored,
    "cover": _read_cover,
    "modifiers": _read_modifiers,
    "triggers": _read_triggers,
}
