"""What a unit attacks with: volleys of equal weapons, and mortal wounds that it inflicts without an attack."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, Unpack

from mathhammer import validation
from mathhammer.display import Named, format_items
from mathhammer.errors import MathhammerError, ParseError
from mathhammer.expressions import Expression, dice
from mathhammer.expressions.base import as_expression
from mathhammer.fields.kinds import Checked, Text
from mathhammer.fields.profile import Record
from mathhammer.systems.wh40k.profiles.profiles import Weapon
from mathhammer.systems.wh40k.situation import Situation, SituationKeywords, read_situation, shared_reroll
from mathhammer.validation import shown

COPIES = re.compile(r"\s*(\d{1,99})\s*[x×]\s*", re.IGNORECASE)
#: A number of weapons, the x forgotten.
_UNCOUNTED = re.compile(r"\s*(\d{1,99})\s+([^\W\d][^:]*):")


_UNNAMED = "mortal wounds"
_MORTAL = re.compile(r"(.+?) mortal wounds?(?: \((.*)\))?|(\S+)(?: (.*))?")


def _number(value: int | str | Expression) -> Expression:
    number = dice(value) if isinstance(value, str) else as_expression(value)
    if number.bounds()[0] < 0:
        raise MathhammerError(f"expected a number of mortal wounds of 0 or more, got {shown(str(number))}")
    return number


@dataclass(frozen=True, init=False, repr=False)
class Volley(Named):
    """Some equal weapons used in one situation.

    Parameters
    ----------
    weapon
        The profile.
    count
        How many such weapons.
    **situation
        What is true of this volley: see :class:`mathhammer.wh40k.SituationKeywords`.

    Examples
    --------
    >>> melta = Weapon("Melta rifle", range='18"', attacks=1, skill=3, strength=9, ap=-4, damage="D6",
    ...                keywords="Melta 2")
    >>> Volley(melta, 3, half_range=True).count
    3
    """

    weapon: Weapon
    count: int
    situation: Mapping[str, Any]

    def __init__(self, weapon: Weapon, count: int = 1, /, **situation: Unpack[SituationKeywords]) -> None:
        if not isinstance(weapon, Weapon):
            raise MathhammerError(f"expected a Weapon in a Volley, got {shown(weapon)}")
        number = count if type(count) is int else validation.as_whole(count)
        if number is None or number < 1:
            raise MathhammerError(f"expected a number of weapons of 1 or more, got {shown(count)}")
        if situation:
            situation = validation.plain(situation)
            read = read_situation(situation)
            if "reroll" in read.keywords:  # of a plan its policy: its numbers are those of another attack
                situation = {**situation, "reroll": read.keywords["reroll"]}
        object.__setattr__(self, "weapon", weapon)
        object.__setattr__(self, "count", number)
        object.__setattr__(self, "situation", situation)

    def __hash__(self) -> int:
        return hash((self.weapon, self.count, tuple(self.situation)))

    def __str__(self) -> str:
        situation = format_items(self.situation)
        return f"{self.count} × {self.weapon}{f' ({situation})' if situation else ''}"


class MortalWounds(Record):
    """Mortal wounds that a unit inflicts without an attack: a stratagem, an ability.

    Those of a unit come after its normal damage, one at a time, and spill over from model to model.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> rifle = wh40k.Weapon.parse("Rifle: A1 BS3+ S4 AP0 D2")
    >>> marines = wh40k.Target("Marines", toughness=4, save=None, wounds=2, models=5)
    >>> hex = wh40k.MortalWounds(1, "Hex")
    >>> both = wh40k.attack([hex, wh40k.Volley(rifle, 2)], marines, edition="10e", exact=True)
    >>> both.state.pmf((2, 1)), both.mortal_wounds.mean()
    (1/9, 1)

    References
    ----------
    Warhammer 40,000 10th edition core rules, Mortal Wounds; core stratagems, Grenade and Tank Shock.
    """

    number: Checked[Expression, int | str | Expression] = Checked(
        _number, "A number from 0 on, or dice.", kw_only=False
    )
    source: Text = Text(
        "The rule that they come from.", label="the source of mortal wounds", default=_UNNAMED, kw_only=False
    )

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what ``str`` writes, or what a player says: ``"D3 mortal wounds (Hex)"``, ``"D3 Hex"``."""
        match = _MORTAL.fullmatch(validation.typed(text, "mortal wounds", "such as 'D3 Hex'").strip())
        if match is None:
            raise ParseError("expected mortal wounds such as 'D3 mortal wounds (Grenade)'", text, 0)
        return cls(match[1] or match[3], match[2] or match[4] or _UNNAMED)

    def __str__(self) -> str:
        return f"{self.number} mortal wounds" + (f" ({self.source})" if self.source != _UNNAMED else "")


Weapons = Weapon | Volley | MortalWounds | str | Sequence[Weapon | Volley | MortalWounds | str]

#: A weapon, how many of them, and what is true of them; or mortal wounds.
Entry = tuple[Weapon, int, Situation] | MortalWounds


def read_entries(volleys: Sequence[Volley | MortalWounds], situation: Mapping[str, object]) -> list[Entry]:
    """Return what each entry is in a situation that holds unless it says otherwise."""
    shared = set(shared_reroll(situation)) if situation else set()
    if shared:
        attacks = [each for each in volleys if isinstance(each, Volley)]
        shared = {name for name in shared if sum(name not in volley.situation for volley in attacks) > 1}
    found: list[Entry] = []
    for each in volleys:
        if isinstance(each, MortalWounds):
            found.append(each)
            continue
        at = read_situation({**situation, **each.situation})
        if shared:
            at = at.sharing(frozenset(shared - each.situation.keys()))
        found.append((each.weapon, each.count, at))
    return found


def own_keywords(volley: Volley, situation: Mapping[str, object]) -> dict[str, Any]:
    """Return what is true of a volley in a situation, without the one re-roll that is the whole unit's."""
    shared = shared_reroll(situation)
    of_all = {name: value for name, value in situation.items() if name not in shared}
    return {**of_all, **volley.situation}


def read_volley(text: str, count: int = 1, /, **situation: Unpack[SituationKeywords]) -> Volley:
    """Return the volley of a stat line such as ``"5x Rifle: A2 BS3+ S4 AP0 D1"``, of `count` where it says none."""
    copies = COPIES.match(text)
    if copies is None and (read := _UNCOUNTED.match(text)):
        number, name = read[1], read[2].strip()
        raise MathhammerError(
            f"expected a number of weapons with an x or a name, got {shown(f'{number} {name}')}; write "
            f"{shown(f'{number}x {name}')} for {number} of them, {shown(f'1x {number} {name}')} for one of that name"
        )
    weapon = Weapon.parse(text[copies.end() if copies else 0 :])
    return Volley(weapon, int(copies[1]) if copies else count, **situation)


def as_volleys(weapons: Weapons, count: int) -> list[Volley | MortalWounds]:
    """Return volleys and mortal wounds; a bare weapon is a volley of `count`."""
    if isinstance(weapons, Weapon):
        return [Volley(weapons, count)]
    if isinstance(weapons, str) and not COPIES.match(weapons):
        return [read_volley(weapons, count)]
    if not isinstance(count, int) or count != 1:
        raise MathhammerError(
            f"expected count with one weapon only, got count={shown(count)} with volleys; "
            "give each Volley its count"
        )
    if isinstance(weapons, Volley | MortalWounds):
        return [weapons]
    if isinstance(weapons, str):
        return [read_volley(weapons)]
    if not isinstance(weapons, Sequence):
        raise MathhammerError(
            f"expected a Weapon, a Volley, a stat line, several of them or a Unit of an army, got {shown(weapons)}"
        )
    if not weapons:
        raise MathhammerError("expected at least one weapon or volley, got none")
    kept = Volley | MortalWounds
    return [
        read_volley(each) if isinstance(each, str) else each if isinstance(each, kept) else Volley(each)
        for each in weapons
    ]
