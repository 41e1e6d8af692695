"""Armour and Special Saves: what lets a wound through."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer import validation
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.expressions.check import Check, Reroll, reroll_faces
from mathhammer.fields.kinds import Field
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from mathhammer.systems.t9a.profiles import Target
    from mathhammer.systems.t9a.situation import Situation

_SAVE = re.compile(
    r"\(?(?P<need>[1-6])\+?(?:,? \+(?P<bonus>\d),? max\.? (?P<limit>[1-6])\+)?(?:,? against (?P<against>[a-z ]+))?\)?",
    re.IGNORECASE,
)
#: What an Aegis may be against: attributes of attacks, and what attacks are (2nd edition, Classification of Attacks).
_AGAINST = {
    name.lower(): name
    for name in (
        *("Magical Attacks", "Flaming Attacks", "Toxic Attacks"),
        *("Melee Attacks", "Ranged Attacks", "Special Attacks"),
    )
}

#: Armour of each piece (The 9th Age rulebook, 2nd edition, Armour).
PIECES = {"shield": 1, "light armour": 1, "heavy armour": 2, "plate armour": 3}
MOST_ARMOUR = 6


@dataclass(frozen=True, slots=True)
class SpecialSave:
    """An Aegis or a Fortitude."""

    #: ``"Aegis"`` or ``"Fortitude"``.
    name: str
    #: The roll that passes.
    need: int
    #: The attribute that an attack must have for it to count; empty for all attacks.
    against: str = ""

    def passes(self, reroll: Reroll, *, divine: bool, natural_1_fails: bool) -> int:
        """Return the weight of a passed save out of 36.

        The 9th Age rulebook, 2nd edition, Divine Attacks and Rerolling Dice.
        """
        check = Check(self.need, fails_up_to=1 if natural_1_fails else 0)
        outcomes = check.outcomes()
        passing = {face for face, outcome in enumerate(outcomes, 1) if outcome != "fail"}
        again = set(reroll_faces(reroll, outcomes))
        if divine and self.name == "Aegis":
            again |= passing
        return 6 * len(passing - again) + len(again) * len(passing)

    def __str__(self) -> str:
        return f"{self.name} {self.need}+" + (f" against {self.against}" if self.against else "")


class SpecialSaves(Field["tuple[SpecialSave, ...]", "int | str | tuple[int | str, ...] | None"]):
    """Aegis or Fortitude, by the name of the field; of Fortitude one."""

    accepts = "int | str | tuple[int | str, ...] | None"
    usual = None

    def read(self, value: Any) -> tuple[SpecialSave, ...]:
        """Return the saves."""
        texts = value if isinstance(value, tuple) else () if value is None else (value,)
        if self.name == "fortitude" and len(texts) > 1:
            raise MathhammerError(f"expected one Fortitude, got {' and '.join(map(str, texts))}")
        return tuple(_read(self.name.capitalize(), text) for text in texts)

    def argument(self, value: Any) -> tuple[str, ...]:
        """Return the texts of the saves."""
        return tuple(str(save).removeprefix(f"{save.name} ") for save in value)

    def said(self, value: Any) -> list[str]:
        """Return each save."""
        return [str(save) for save in value]


def _read(name: str, value: int | str) -> SpecialSave:
    text = (
        re.sub(rf"^\s*{name}\s*", "", value, flags=re.IGNORECASE).strip()
        if isinstance(value, str)
        else str(validation.whole(value, f"the roll of {name}"))
    )
    match = _SAVE.fullmatch(text)
    if match is None:
        raise MathhammerError(
            f"expected {name} such as '5+', '5+ against Magical Attacks' or '6+, +1 max 4+', got {shown(value)}"
        )
    need = int(match["need"])
    if match["bonus"]:
        # A bonus with a limit improves up to the limit, and never makes worse what is better already.
        need = min(need, max(need - int(match["bonus"]), int(match["limit"])))
    against = match["against"]
    if against and against.strip().lower() not in _AGAINST:
        raise UnknownNameError(
            f"expected {name} against {' or '.join(_AGAINST.values())}, got {shown(value)}"
        )
    return SpecialSave(name, need, _AGAINST[against.strip().lower()] if against else "")


def armour_of(pieces: str, *, two_handed: bool = False) -> int:
    """Return the sum of pieces of armour, of which a Two-Handed weapon switches off the shield in melee.

    Examples
    --------
    >>> armour_of("Heavy Armour, Shield"), armour_of("Heavy Armour, Shield", two_handed=True)
    (3, 2)

    References
    ----------
    The 9th Age rulebook, 2nd edition, Armour; Two-Handed.
    """
    total = 0
    validation.flag(two_handed, "two_handed")
    for piece in validation.typed(pieces, "pieces of armour", "such as 'Heavy Armour, Shield'").split(","):
        name = piece.strip().lower()
        if name not in PIECES:
            raise UnknownNameError(
                f"expected pieces of armour of {', '.join(PIECES)}; got {shown(piece.strip())}"
            )
        total += 0 if two_handed and name == "shield" else PIECES[name]
    return min(total, MOST_ARMOUR)


class WoundSaves(NamedTuple):
    """What may stop a wound: the roll of the Armour Save if there is one, and the Special Saves."""

    armour: int | None
    special: tuple[SpecialSave, ...]
    #: The weight of a wound that gets through, and its denominator.
    unsaved: tuple[int, int]


def saves_against(
    target: Target,
    armour: int,
    penetration: int,
    attributes: AbstractSet[str],
    situation: Situation,
    rulings: Mapping[str, str],
    *,
    lethal: bool = False,
) -> WoundSaves:
    """Return the saves against a wound, one by a Lethal Strike or another, by what its attack has and is.

    The 9th Age rulebook, 2nd edition, Armour Saves, Special Saves, Fortitude, Lethal Strike; 3rd edition, the same.
    """
    left = min(armour, MOST_ARMOUR) - max(penetration, 0)
    need = None if left <= 0 else max(2, 7 - left)
    failed = 36 if need is None else Check(need, reroll=situation.reroll_armour).weights()[0]
    special = tuple(
        save
        for save in target.special_saves
        if (not save.against or save.against in attributes)
        and not (save.name == "Fortitude" and (lethal or "Flaming Attacks" in attributes))
    )
    if not special:
        return WoundSaves(need, special, (failed, 36))
    given = situation.reroll_special, situation.reroll_aegis
    aegis: Reroll = "failed" if "failed" in given else given[0] or given[1]
    passed = [
        save.passes(
            aegis if save.name == "Aegis" else given[0],
            divine="Divine Attacks" in attributes,
            natural_1_fails=rulings["special_save_natural_1"] == "fails",
        )
        for save in special
    ]
    if rulings["special_saves"] == "each":
        return WoundSaves(
            need, special, (failed * prod(36 - each for each in passed), 36 * 36 ** len(passed))
        )
    taken = max(passed)
    if rulings["special_save_choice"] == "lowest-number":
        taken = min(zip((save.need for save in special), passed, strict=True))[1]
    return WoundSaves(need, special, (failed * (36 - taken), 36 * 36))
