"""Weapons and targets of Warhammer 40,000 as frozen profiles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Self

from mathhammer import validation
from mathhammer.errors import MathhammerError
from mathhammer.expressions import Expression, dice
from mathhammer.expressions.base import as_expression
from mathhammer.fields.kinds import NULLS, Boolean, Checked, Enough, Field, Integer, MaybeInteger, enough
from mathhammer.fields.profile import Record
from mathhammer.systems.wh40k.profiles.keywords import Keyword, automatic_hits, parse_keywords, split_keywords
from mathhammer.systems.wh40k.profiles.targetline import (
    parse_weapon,
    print_target,
    print_weapon,
    target_arguments,
)
from mathhammer.systems.wh40k.profiles.triggers import Incoming, read_incoming
from mathhammer.validation import shown

#: Most that attacks, strength or damage may be: no datasheet comes near, and a hostile one stays harmless.
MAXIMUM_CHARACTERISTIC = 1_000
#: Most points of a unit.
MAXIMUM_POINTS = 1_000_000

#: Faces of dice that list builders write where they add to what a datasheet prints.
UNREAL_DICE = {"D4": "D3+1", "D7": "D6+1"}

_DIE = re.compile(r"D(\d{1,9})", re.IGNORECASE)


def _name(value: str) -> str:
    """Return a name that fits in one line of any page."""
    if not validation.text(value, "a name").strip():
        raise MathhammerError(f"expected a name of one printable line, got {shown(value)}")
    return value


def _characteristic(name: str, value: int | str | Expression) -> Expression:
    # A game without other dice than D6 and half of one (10th edition core rules, "Dice").
    if isinstance(value, str) and any(int(faces) not in {3, 6} for faces in _DIE.findall(value)):
        real = UNREAL_DICE.get(value.strip().upper())
        hint = f"; list builders write {value.strip().upper()} for {real}" if real else ""
        raise MathhammerError(f"expected {name} of D3 and D6, the dice of the game, got {shown(value)}{hint}")
    expression = dice(value) if isinstance(value, str) else as_expression(value)
    low, high = expression.bounds()
    # Dice such as D6-1 may fall below 1; the rules then raise the finished value to 1.
    if high < 1 or max(-low, high) > MAXIMUM_CHARACTERISTIC:
        raise MathhammerError(
            f"expected {name} from 1 to {MAXIMUM_CHARACTERISTIC:,}, got {shown(str(expression))}"
        )
    return expression


def _range(value: str) -> str:
    text = value.strip().strip('"”″').strip() if isinstance(value, str) else None
    if text is not None and text.isdecimal() and len(text) <= 3:
        return f'{text}"'
    known = {"melee": "Melee", **dict.fromkeys(NULLS, "")}
    if text is None or text.lower() not in known:
        raise MathhammerError(f"expected a range such as '24\"' or 'Melee', got {shown(value)}")
    return known[text.lower()]


def _armour_penetration(value: int | str) -> int:
    if isinstance(value, str):
        text = value.strip().replace("−", "-").replace("–", "-")
        if text == "-":
            return 0
        if not re.fullmatch(r"[-+]?\d{1,2}", text):
            raise MathhammerError(f"expected an Armour Penetration such as '-1' or '0', got {shown(value)}")
        value = int(text)
    return -abs(validation.whole(value, "Armour Penetration, such as -1 or 0", -99, 99))


def _invulnerable(given: object) -> tuple[tuple[int, str | None], ...]:
    """Read one invulnerable save or several; pairs are saves already read."""
    several = given.split(",") if isinstance(given, str) else given
    found = []
    for each in several if isinstance(several, tuple | list) else [several]:
        value, against = each if isinstance(each, tuple) and len(each) == 2 else (each, None)
        text = value.strip().lower() if isinstance(value, str) else ""
        for kind in ("ranged", "melee"):
            if text.endswith(kind):
                against, value = kind, text.removesuffix(kind)
        if (roll := enough(value, "invulnerable", 2, 6)) is not None:
            found.append((roll, against))
    return tuple(found)


class RolledNumber(Field[Expression, int | str | Expression]):
    """A characteristic that may be dice."""

    accepts = "int | str | Expression"

    def read(self, value: Any) -> Expression:
        """Return the expression."""
        if type(value) is int and 0 < value <= MAXIMUM_CHARACTERISTIC:
            return as_expression(value)
        return _characteristic(self.name, value)


class Abilities(Field[tuple[Keyword, ...], str | Iterable[str | Keyword]]):
    """Abilities of a weapon, as text or read before."""

    accepts = "str | Iterable[str | Keyword]"
    usual = ()

    def read(self, value: Any) -> tuple[Keyword, ...]:
        """Return the keywords."""
        if isinstance(value, str):
            return parse_keywords(value)
        if not validation.is_several(value):
            raise MathhammerError(
                f"expected the text of weapon abilities, or several of them, got {shown(value)}"
            )
        read: list[Keyword] = []
        for keyword in value:
            if not isinstance(keyword, str | Keyword):
                raise MathhammerError(f"expected a weapon ability, got {shown(keyword)}")
            read += parse_keywords(keyword) if isinstance(keyword, str) else (keyword,)
        return tuple(read)

    def argument(self, value: Any) -> str | tuple[Keyword, ...]:
        """Return the datasheet's text, where it reads back."""
        text = ", ".join(map(str, value))
        try:
            return text if parse_keywords(text) == value else tuple(value)
        except MathhammerError:  # an ability that the core rules do not know
            return tuple(value)


def _demise(value: int | str | Expression | None) -> Expression | None:
    demise = None if value is None else _characteristic("deadly_demise", value)
    if demise is not None and demise.bounds()[0] < 1:
        raise MathhammerError(
            f"expected mortal wounds of 1 or more as deadly_demise, got {shown(str(demise))}"
        )
    return demise


def _unit_keywords(value: str | Iterable[str]) -> tuple[str, ...]:
    if not isinstance(value, Iterable):
        raise MathhammerError(
            f"expected the text of the unit's keywords, or several of them, got {shown(value)}"
        )
    if isinstance(value, str):
        return split_keywords(value)
    return tuple([validation.text(keyword, "a keyword") for keyword in value if keyword])


class Weapon(Record):
    """A weapon profile.

    Examples
    --------
    >>> lascannon = Weapon(
    ...     "Lascannon", range='48"', attacks=1, skill="3+", strength=12, ap=-3, damage="D6+1", keywords="Heavy"
    ... )
    >>> print(lascannon)
    Lascannon: 48" A1 BS3+ S12 AP-3 DD6+1 [HEAVY]
    """

    name: Checked[str, str] = Checked(_name, "Any text.", kw_only=False)
    range: Checked[str, str] = Checked(_range, """``'24"'``, or ``"Melee"`` for a melee weapon.""")
    attacks: RolledNumber = RolledNumber(
        'A number, or dice as text or expression: ``"D6+1"``, rolled anew for each weapon.'
    )
    skill: Enough = Enough(
        'Ballistic or Weapon Skill: ``"3+"``, ``3``; ``None`` or ``"N/A"`` for a weapon with Torrent.',
        least=2,
        most=6,
    )
    strength: RolledNumber = RolledNumber("The same as of attacks, rolled anew for each wound roll.")
    ap: Checked[int, int | str] = Checked(
        _armour_penetration,
        "Armour Penetration, 0 or less. A positive number is read as a depth: ``1`` is AP-1.",
    )
    damage: RolledNumber = RolledNumber("The same as of attacks, rolled anew for each unsaved wound.")
    keywords: Abilities = Abilities("The datasheet's text of weapon abilities, or keywords already read.")

    def _check(self) -> None:
        if self.skill is None and not any(map(self.has, automatic_hits())):
            raise MathhammerError(
                f"expected a skill such as '3+' for {self.name!r}, got None; only a weapon with Torrent has none"
            )

    @property
    def melee(self) -> bool:
        """True if it is a melee weapon."""
        return self.range == "Melee"

    def has(self, name: str) -> bool:
        """True if it has the ability of that name."""
        return any(keyword.name == name for keyword in self.keywords)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a stat line such as ``"Bolt rifle: A2 BS3+ S4 AP-1 D1 [ASSAULT, HEAVY]"``.

        ``BS`` makes it ranged and ``WS`` melee; a range in inches may stand before or after the attacks. ``D3``
        is Damage 3, and ``DD3`` and ``DD6`` are dice; ``D6`` alone is refused.
        """
        if not isinstance(text, str):
            raise MathhammerError(f"expected a stat line as text, got {shown(text)}")
        return cls(**parse_weapon(validation.typed(text, "stat line")))

    def __str__(self) -> str:
        return print_weapon(self)


class Target(Record):
    """A unit of equal models that is attacked.

    Examples
    --------
    >>> tank = Target("Tank", toughness=10, save="3+", invulnerable="5+", wounds=12, keywords="Vehicle")
    >>> tank.invulnerable, tank.models
    (((5, None),), 1)
    """

    name: Checked[str, str] = Checked(_name, "Any text.", kw_only=False)
    toughness: Integer = Integer("The characteristic.", least=1, most=None)
    save: Enough = Enough(
        '``"3+"`` or ``3``; ``None`` or ``"-"`` for no armour save at all. A save of 7+ can be made in cover.',
        least=2,
        most=7,
    )
    wounds: Integer = Integer("Those of one model.", least=1, most=None)
    models: Integer = Integer("How many there are.", default=1, least=1, most=None)
    invulnerable: Checked[
        tuple[tuple[int, str | None], ...], int | str | Sequence[int | str | tuple[int, str | None]] | None
    ] = Checked(
        _invulnerable,
        '``"4+"``, ``4``; ``"5+ ranged"`` or ``"5+ melee"`` where it counts only against such attacks; several as '
        '``("5+", "4+ ranged")`` or ``"5+, 4+ ranged"``, of which the best that applies is used.',
        default=None,
    )
    feel_no_pain: Enough = Enough(
        "The roll that ignores a lost wound. For each wound one such roll is used, the best of those that apply.",
        default=None,
        least=2,
        most=6,
    )
    feel_no_pain_mortal: Enough = Enough(
        "The same against mortal wounds only.", default=None, least=2, most=6
    )
    damage_reduction: Integer = Integer(
        "Subtracted from the Damage of each attack, to a minimum of 1.", default=0, most=None
    )
    half_damage: Boolean = Boolean("Whether the Damage of each attack is halved.")
    keywords: Checked[tuple[str, ...], str | Iterable[str]] = Checked(
        _unit_keywords,
        "The unit's keywords, separated by spaces or commas; they matter to Anti-X.",
        default=(),
    )
    points: MaybeInteger = MaybeInteger("Cost of the whole unit, if known.", most=MAXIMUM_POINTS)
    wounds_lost: Integer = Integer("Wounds that one of its models has lost before.", default=0, most=None)
    damage_1_save_bonus: Integer = Integer(
        "Added to armour saves against attacks of Damage 1.", default=0, most=None
    )
    feel_no_pain_psychic: Enough = Enough(
        "The same against Psychic Attacks only.", default=None, least=2, most=6
    )
    damage_to_0: Boolean = Boolean(
        "Whether once in a phase the Damage of an attack that they fail to save is changed to 0."
    )
    deadly_demise: Checked[Expression | None, int | str | Expression | None] = Checked(
        _demise,
        'Mortal wounds that each other unit within 6" suffers on a 6 when one of its models is destroyed: a number or '
        "dice.",
        default=None,
    )
    stealth: Boolean = Boolean(
        "Whether all its models have Stealth: -1 to hit for ranged attacks, with nothing said in the situation."
    )
    incoming: Checked[tuple[Incoming, ...], Incoming | Iterable[Incoming] | None] = Checked(
        read_incoming, "Modifiers of the attacks that target it, from its own rules.", default=None
    )
    in_cover: Boolean = Boolean("Whether a rule gives it the Benefit of Cover wherever it stands.")

    def _check(self) -> None:
        if self.wounds_lost >= self.wounds:
            raise MathhammerError(
                f"expected wounds_lost of {self.wounds - 1} at most for a model of {self.wounds} wounds, got "
                f"{self.wounds_lost}"
            )

    @staticmethod
    def parse(text: str) -> Target:
        """Read a stat line such as ``"Marines: 10x T4 Sv3+ InSv5+ W2 FNP6+ [INFANTRY]"``."""
        return Target(**target_arguments(text, Target.fields))

    def __str__(self) -> str:
        return print_target(self)
