"""Weapons and targets of Warhammer 40,000 as frozen profiles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from mathhammer import validation
from mathhammer.display import Named
from mathhammer.errors import MathhammerError
from mathhammer.expressions import Expression, as_expression, dice
from mathhammer.systems.wh40k.profiles.incoming import Incoming, read_incoming
from mathhammer.systems.wh40k.profiles.keywords import Keyword, automatic_hits, parse_keywords, split_keywords
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Most that attacks, strength or damage may be: no datasheet comes near, and a hostile one stays harmless.
MAXIMUM_CHARACTERISTIC = 1_000
#: Most points of a unit.
MAXIMUM_POINTS = 1_000_000

#: Faces of dice that list builders write where they add to what a datasheet prints.
UNREAL_DICE = {"D4": "D3+1", "D7": "D6+1"}

_DIE = re.compile(r"D(\d{1,9})", re.IGNORECASE)
_ROLL = re.compile(r"([2-7])\+?")
_NULLS = {"", "-", "–", "n/a", "none"}


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Weapon(Named):
    """A weapon profile.

    Parameters
    ----------
    name
        Any text.
    range
        ``'24"'``, or ``"Melee"`` for a melee weapon.
    attacks, strength, damage
        A number, or dice as text or expression: ``"D6+1"``. Random values are rolled anew each time they are
        needed: attacks for each weapon, strength for each wound roll, damage for each unsaved wound.
    skill
        Ballistic or Weapon Skill: ``"3+"``, ``3``; ``None`` or ``"N/A"`` for a weapon with Torrent.
    ap
        Armour Penetration, 0 or less. A positive number is read as a depth: ``1`` is AP-1.
    keywords
        The datasheet's text of weapon abilities, or keywords already read.

    Examples
    --------
    >>> lascannon = Weapon(
    ...     "Lascannon", range='48"', attacks=1, skill="3+", strength=12, ap=-3, damage="D6+1", keywords="Heavy"
    ... )
    >>> print(lascannon)
    Lascannon: 48" A1 BS3+ S12 AP-3 DD6+1 [HEAVY]
    """

    name: str
    range: str
    attacks: Expression
    skill: int | None
    strength: Expression
    ap: int
    damage: Expression
    keywords: tuple[Keyword, ...]

    def __init__(
        self,
        name: str,
        *,
        range: str,  # noqa: A002 - the datasheet's own word
        attacks: int | str | Expression,
        skill: int | str | None,
        strength: int | str | Expression,
        ap: int | str,
        damage: int | str | Expression,
        keywords: str | Iterable[str | Keyword] = (),
    ) -> None:
        put = object.__setattr__
        put(self, "name", _name(name))
        put(self, "range", _range(range))
        put(self, "attacks", _characteristic("attacks", attacks))
        put(self, "skill", _roll("skill", skill, most=6))
        put(self, "strength", _characteristic("strength", strength))
        put(self, "ap", _armour_penetration(ap))
        put(self, "damage", _characteristic("damage", damage))
        put(self, "keywords", _weapon_keywords(keywords))
        if self.skill is None and not any(map(self.has, automatic_hits())):
            raise MathhammerError(
                f"expected a skill such as '3+' for {name!r}, got {shown(skill)}; only a weapon with Torrent has none"
            )

    @property
    def melee(self) -> bool:
        """Whether it is a melee weapon."""
        return self.range == "Melee"

    def has(self, name: str) -> bool:
        """Whether it has the ability of that name."""
        return any(keyword.name == name for keyword in self.keywords)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a stat line such as ``"Bolt rifle: A2 BS3+ S4 AP-1 D1 [ASSAULT, HEAVY]"``.

        ``BS`` makes it ranged and ``WS`` melee; a range in inches may stand before or after the attacks. ``D3``
        is Damage 3, and ``DD3`` and ``DD6`` are dice; ``D6`` alone is refused.
        """
        from mathhammer.systems.wh40k.profiles.statline import parse_weapon

        if not isinstance(text, str):
            raise MathhammerError(f"expected a stat line as text, got {shown(text)}")
        return cls(**parse_weapon(validation.typed(text, "stat line")))

    def __str__(self) -> str:
        from mathhammer.systems.wh40k.profiles.statline import print_weapon

        return print_weapon(self)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Target(Named):
    """A unit of equal models that is attacked.

    Parameters
    ----------
    name
        Any text.
    toughness, wounds, models
        Numbers of 1 or more; wounds are those of one model.
    save
        ``"3+"`` or ``3``; ``None`` or ``"-"`` for no armour save at all. A save of 7+ can be made in cover.
    invulnerable
        ``"4+"``, ``4``; ``"5+ ranged"`` or ``"5+ melee"`` where it counts only against such attacks; several as
        ``("5+", "4+ ranged")`` or ``"5+, 4+ ranged"``, of which the best that applies is used.
    feel_no_pain, feel_no_pain_mortal, feel_no_pain_psychic
        The roll that ignores a lost wound; the second one only against mortal wounds, the third only against Psychic
        Attacks. For each wound one is used, the best of those that apply.
    damage_reduction
        Subtracted from the Damage of each attack, to a minimum of 1.
    half_damage
        Whether the Damage of each attack is halved.
    damage_1_save_bonus
        Added to armour saves against attacks of Damage 1.
    damage_to_0
        Whether once in a phase the Damage of an attack that they fail to save is changed to 0.
    deadly_demise
        Mortal wounds that each other unit within 6" suffers on a 6 when one of its models is destroyed: a number or
        dice.
    stealth
        Whether all its models have Stealth: -1 to hit for ranged attacks, with nothing said in the situation.
    incoming
        Modifiers of the attacks that target it, from its own rules.
    in_cover
        Whether a rule gives it the Benefit of Cover wherever it stands.
    keywords
        The unit's keywords, separated by spaces or commas; they matter to Anti-X.
    points
        Cost of the whole unit, if known.
    wounds_lost
        Wounds that one of its models has lost before.

    Examples
    --------
    >>> tank = Target("Tank", toughness=10, save="3+", invulnerable="5+", wounds=12, keywords="Vehicle")
    >>> tank.invulnerable, tank.models
    (((5, None),), 1)
    """

    name: str
    toughness: int
    save: int | None
    wounds: int
    models: int
    invulnerable: tuple[tuple[int, str | None], ...]
    feel_no_pain: int | None
    feel_no_pain_mortal: int | None
    damage_reduction: int
    half_damage: bool
    keywords: tuple[str, ...]
    points: int | None
    wounds_lost: int
    damage_1_save_bonus: int
    feel_no_pain_psychic: int | None
    damage_to_0: bool
    deadly_demise: Expression | None
    stealth: bool
    incoming: tuple[Incoming, ...]
    in_cover: bool

    def __init__(
        self,
        name: str,
        *,
        toughness: int,
        save: int | str | None,
        wounds: int,
        models: int = 1,
        invulnerable: int | str | Sequence[int | str | tuple[int, str | None]] | None = None,
        feel_no_pain: int | str | None = None,
        feel_no_pain_mortal: int | str | None = None,
        damage_reduction: int = 0,
        half_damage: bool = False,
        keywords: str | Iterable[str] = (),
        points: int | None = None,
        wounds_lost: int = 0,
        damage_1_save_bonus: int = 0,
        feel_no_pain_psychic: int | str | None = None,
        damage_to_0: bool = False,
        deadly_demise: int | str | Expression | None = None,
        stealth: bool = False,
        incoming: Incoming | Iterable[Incoming] | None = None,
        in_cover: bool = False,
    ) -> None:
        put = object.__setattr__
        put(self, "name", _name(name))
        put(self, "toughness", validation.whole(toughness, "toughness", 1))
        put(self, "save", _roll("save", save))
        put(self, "wounds", validation.whole(wounds, "wounds", 1))
        put(self, "models", validation.whole(models, "models", 1))
        put(self, "invulnerable", _invulnerable(invulnerable))
        put(self, "feel_no_pain", _roll("feel_no_pain", feel_no_pain, most=6))
        put(self, "feel_no_pain_mortal", _roll("feel_no_pain_mortal", feel_no_pain_mortal, most=6))
        put(self, "damage_reduction", validation.whole(damage_reduction, "damage_reduction", 0))
        put(self, "half_damage", validation.flag(half_damage, "half_damage"))
        put(self, "damage_to_0", validation.flag(damage_to_0, "damage_to_0"))
        put(self, "stealth", validation.flag(stealth, "stealth"))
        put(self, "incoming", read_incoming(incoming))
        put(self, "in_cover", validation.flag(in_cover, "in_cover"))
        put(self, "keywords", _unit_keywords(keywords))
        put(
            self,
            "points",
            points if points is None else validation.whole(points, "points", 0, MAXIMUM_POINTS),
        )
        put(self, "wounds_lost", validation.whole(wounds_lost, "wounds_lost", 0))
        put(self, "damage_1_save_bonus", validation.whole(damage_1_save_bonus, "damage_1_save_bonus", 0))
        put(self, "feel_no_pain_psychic", _roll("feel_no_pain_psychic", feel_no_pain_psychic, most=6))
        demise = None if deadly_demise is None else _characteristic("deadly_demise", deadly_demise)
        if demise is not None and demise.bounds()[0] < 1:
            raise MathhammerError(
                f"expected mortal wounds of 1 or more as deadly_demise, got {shown(str(demise))}"
            )
        put(self, "deadly_demise", demise)
        if self.wounds_lost >= self.wounds:
            raise MathhammerError(
                f"expected wounds_lost of {self.wounds - 1} at most for a model of {self.wounds} wounds, got "
                f"{self.wounds_lost}"
            )

    @staticmethod
    def parse(text: str) -> Target:
        """Read a stat line such as ``"Marines: 10x T4 Sv3+ InSv5+ W2 FNP6+ [INFANTRY]"``."""
        from mathhammer.systems.wh40k.profiles.targetline import target_arguments

        return Target(**target_arguments(text))

    def __str__(self) -> str:
        from mathhammer.systems.wh40k.profiles.targetline import print_target

        return print_target(self)


def _name(value: str) -> str:
    """Return a name that fits in one line of any page."""
    if not validation.text(value, "a name").strip():
        raise MathhammerError(f"expected a name of one printable line, got {shown(value)}")
    return value


def _characteristic(name: str, value: int | str | Expression) -> Expression:
    if isinstance(value, str):
        _require_real_dice(name, value)
    expression = dice(value) if isinstance(value, str) else as_expression(value)
    low, high = expression.bounds()
    # Dice such as D6-1 may fall below 1; the rules then raise the finished value to 1.
    if high < 1 or max(-low, high) > MAXIMUM_CHARACTERISTIC:
        raise MathhammerError(
            f"expected {name} from 1 to {MAXIMUM_CHARACTERISTIC:,}, got {shown(str(expression))}"
        )
    return expression


def _require_real_dice(name: str, text: str) -> None:
    """Refuse dice that the game does not have: a D6 and half of one (10th edition core rules, "Dice")."""
    if any(int(faces) not in {3, 6} for faces in _DIE.findall(text)):
        real = UNREAL_DICE.get(text.strip().upper())
        hint = f"; list builders write {text.strip().upper()} for {real}" if real else ""
        raise MathhammerError(f"expected {name} of D3 and D6, the dice of the game, got {shown(text)}{hint}")


def _range(value: str) -> str:
    if not isinstance(value, str):
        raise MathhammerError(f"expected a range such as '24\"' or 'Melee', got {shown(value)}")
    text = value.strip().strip('"”″').strip()
    if text.isdecimal() and len(text) <= 3:
        return f'{text}"'
    if text.lower() == "melee":
        return "Melee"
    if text.lower() in _NULLS:
        return ""
    raise MathhammerError(f"expected a range such as '24\"' or 'Melee', got {shown(value)}")


def _roll(name: str, value: object, *, most: int = 7) -> int | None:
    roll = _read_roll(value) if isinstance(value, str) else value
    if roll is None:
        return None
    number = validation.as_whole(roll)
    if number is None or not 2 <= number <= most:
        raise MathhammerError(f"expected a roll from '2+' to '{most}+' as {name}, got {shown(value)}")
    return number


def _read_roll(text: str) -> int | str | None:
    """Return the number of a roll, nothing where the text says that there is none, and other text as it is."""
    match = _ROLL.fullmatch(text.strip())
    if match is not None:
        return int(match[1])
    return None if text.strip().lower() in _NULLS else text


def _armour_penetration(value: int | str) -> int:
    if isinstance(value, str):
        text = value.strip().replace("−", "-").replace("–", "-")
        if text == "-":
            return 0
        if not re.fullmatch(r"[-+]?\d{1,2}", text):
            raise MathhammerError(f"expected an Armour Penetration such as '-1' or '0', got {shown(value)}")
        value = int(text)
    return -abs(validation.whole(value, "Armour Penetration, such as -1 or 0", -99, 99))


def _invulnerable(value: object) -> tuple[tuple[int, str | None], ...]:
    """Read one invulnerable save or several; pairs are saves already read."""
    if value is None:
        return ()
    if isinstance(value, str):
        value = value.split(",")
    if isinstance(value, tuple | list):
        return tuple(save for each in value for save in _invulnerable_save(each))
    return _invulnerable_save(value)


def _invulnerable_save(value: object) -> tuple[tuple[int, str | None], ...]:
    against = None
    if isinstance(value, tuple) and len(value) == 2:
        value, against = value
    if isinstance(value, str):
        text = value.strip().lower()
        for kind in ("ranged", "melee"):
            if text.endswith(kind):
                against, value = kind, text.removesuffix(kind)
    roll = _roll("invulnerable", value, most=6)
    return () if roll is None else ((roll, against),)


def _weapon_keywords(value: str | Iterable[str | Keyword]) -> tuple[Keyword, ...]:
    if isinstance(value, str):
        return parse_keywords(value)
    if not isinstance(value, Iterable):
        raise MathhammerError(
            f"expected the text of weapon abilities, or several of them, got {shown(value)}"
        )
    read: list[Keyword] = []
    for keyword in value:
        if not isinstance(keyword, str | Keyword):
            raise MathhammerError(f"expected a weapon ability, got {shown(keyword)}")
        read += parse_keywords(keyword) if isinstance(keyword, str) else (keyword,)
    return tuple(read)


def _unit_keywords(value: str | Iterable[str]) -> tuple[str, ...]:
    if not isinstance(value, Iterable):
        raise MathhammerError(
            f"expected the text of the unit's keywords, or several of them, got {shown(value)}"
        )
    if isinstance(value, str):
        return split_keywords(value)
    return tuple([validation.text(keyword, "a keyword") for keyword in value if keyword])
