"""Weapons, the models that use them and the models they are used on, as frozen profiles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from mathhammer import validation
from mathhammer.display import Named, format_fields
from mathhammer.errors import MathhammerError, ParseError, TooLargeError
from mathhammer.modifiers import Modifier, as_modifiers
from mathhammer.systems.trench_crusade.keywords import Keyword, has, negates, parse_keywords, total
from mathhammer.validation import shown

#: Most markers of one kind on a model (Trench Crusade rules 1.0.2, Blood Markers and Blessing Markers).
MAXIMUM_MARKERS = 6
#: Most extra dice and most of any modifier; the rules know no limit, and a hostile number stays harmless.
MAXIMUM_DICE = 50
#: Most keywords of one weapon or model, and most sources of one kind of DICE.
MAXIMUM_KEYWORDS = MAXIMUM_SOURCES = 100

KINDS = ("ranged", "melee", "grenade")
_LINE = re.compile(r"(?P<name>[^:(]*[^:(\s])\s*\((?P<kind>[^)]*)\)\s*(?::(?P<keywords>.*))?", re.DOTALL)
#: A weapon as one line.
EXAMPLE = "'Halberd (melee): +1 INJURY DICE, CRITICAL'"
#: INJURY MODIFIER of each kind of Armour (Trench Crusade rules 1.0.2, Armour).
ARMOUR = {"none": 0, "standard": -1, "reinforced": -2, "machine": -3}
_ITEMS = ("characteristic", "armour", "shield")
#: Keywords that are numbers of a weapon.
SIGNED = ("DICE", "INJURY DICE", "INJURY MODIFIER")

#: A number, or Modifiers that say where they come from.
Sourced = int | Modifier | Iterable[Modifier]


def put(record: object, **values: object) -> None:
    """Set the fields of a frozen profile."""
    for name, value in values.items():
        object.__setattr__(record, name, value)


def whole(name: str, value: int, low: int = -MAXIMUM_DICE, high: int = MAXIMUM_DICE) -> int:
    """Return a whole number within bounds."""
    number = validation.whole(value, name)
    if not low <= number <= high:
        raise MathhammerError(
            f"expected {name} to be a whole number from {low} to {high}, got {shown(value)}"
        )
    return number


def several(value: object, kinds: type | tuple[type, ...], expected: str, most: int) -> tuple[Any, ...]:
    """Return several values of one of the kinds; too many are refused as soon as they are counted."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        value = tuple(islice(value, most + 1))
    items = validation.items(value, kinds, expected)
    if len(items) > most:
        raise TooLargeError(f"expected {expected}, at most {most} of them; got more")
    return items


def bounded_modifiers(value: Sourced, source: str) -> tuple[Modifier, ...]:
    """Return modifiers of which neither the number nor the values are hostile."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        value = several(value, Modifier, f"numbers or Modifiers as {source}", MAXIMUM_SOURCES)
    found = as_modifiers(value, source)
    for modifier in found:
        whole(f"a modifier ({modifier.source})", modifier.value)
    return found


def one_of(name: str, value: str, options: Iterable[str]) -> str:
    """Return one of the options."""
    if not isinstance(value, str) or value not in tuple(options):
        raise MathhammerError(f"expected {name} to be {' or '.join(map(repr, options))}, got {shown(value)}")
    return value


def _read(keywords: str | Iterable[Keyword]) -> tuple[Keyword, ...]:
    if isinstance(keywords, str):
        return parse_keywords(keywords)
    return several(keywords, Keyword, "the text of keywords, or Keywords that were read", MAXIMUM_KEYWORDS)


@validation.called
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Weapon(Named):
    """A weapon: what one attack is made with.

    Parameters
    ----------
    name
        Any text.
    kind
        ``"ranged"``, ``"melee"`` or ``"grenade"`` (a ranged attack).
    dice
        +/- DICE on Success Rolls with it.
    injury_dice
        +/- INJURY DICE on Injury Rolls that it causes.
    injury_modifier
        INJURY MODIFIER on these.
    keywords
        As printed: ``"AUTOMATIC 3, RISKY"``; ``"+1 DICE"`` and the like may stand here too.
    dice_off_hand
        ``dice`` of the same weapon used as Off-Hand Weapon, where it differs.

    Examples
    --------
    >>> str(Weapon("Shotgun", kind="ranged", dice=+1, keywords="shotgun"))
    'Shotgun (ranged): +1 DICE, SHOTGUN'

    References
    ----------
    Trench Crusade rules 1.0.2, Battlekit.
    """

    name: str
    kind: str
    dice: int
    injury_dice: int
    injury_modifier: int
    keywords: tuple[Keyword, ...]
    dice_off_hand: int

    def __init__(
        self,
        name: str,
        *,
        kind: str,
        dice: int = 0,
        injury_dice: int = 0,
        injury_modifier: int = 0,
        keywords: str | Iterable[Keyword] = "",
        dice_off_hand: int | None = None,
    ) -> None:
        read = _read(keywords)
        put(self, name=validation.text(name, "name"), kind=one_of("kind", kind, KINDS))
        if any(keyword.name.startswith("AMMUNITION") for keyword in read):
            raise MathhammerError("expected AMMUNITION in an Attack(ammunition=...), got it on a weapon")
        given = {"dice": dice, "injury_dice": injury_dice, "injury_modifier": injury_modifier}
        for field, value in given.items():
            named = total(read, field.upper().replace("_", " "))
            put(self, **{field: whole(field, whole(field, value) + named)})
        off_hand = self.dice if dice_off_hand is None else whole("dice_off_hand", dice_off_hand)
        unsigned = tuple(keyword for keyword in read if keyword.name not in SIGNED)
        put(self, dice_off_hand=off_hand, keywords=unsigned)

    @classmethod
    def parse(cls, text: str) -> Weapon:
        """Read a line such as ``"Halberd (melee): +1 INJURY DICE, CRITICAL"``.

        Examples
        --------
        >>> Weapon.parse("Halberd (melee): +1 INJURY DICE, CRITICAL").injury_dice
        1
        """
        line = _LINE.match(validation.typed(text, "weapon", f"such as {EXAMPLE}"))
        if line is None or line.end() < len(text):
            position = 0 if line is None else line.end()
            raise ParseError(f"expected a weapon such as {EXAMPLE}", text, position)
        if line["kind"].lower() not in KINDS:
            raise ParseError(f"expected {', '.join(KINDS)} in brackets", text, line.start("kind"))
        return Weapon(line["name"].strip(), kind=line["kind"].lower(), keywords=line["keywords"] or "")

    @property
    def melee(self) -> bool:
        """Whether its attacks are Melee Attacks."""
        return self.kind == "melee"

    def has(self, name: str) -> bool:
        """Whether it has a keyword."""
        return has(self.keywords, name)

    def value(self, name: str) -> int:
        """Return the number of a keyword; 0 without it."""
        return total(self.keywords, name)

    def __str__(self) -> str:
        signed = (("DICE", self.dice), ("INJURY DICE", self.injury_dice))
        texts = [f"{value:+d} {name}" for name, value in signed if value]
        texts += [f"{self.injury_modifier:+d} INJURY MODIFIER"] * bool(self.injury_modifier)
        rules = ", ".join([*texts, *map(str, self.keywords)])
        return f"{self.name} ({self.kind}): {rules}" if rules else f"{self.name} ({self.kind})"


class _Model(Named):
    """A model, whether it attacks or is attacked."""

    __slots__ = ()
    name: str
    keywords: tuple[Keyword, ...]

    def has(self, name: str) -> bool:
        """Whether it has a keyword."""
        return has(self.keywords, name)

    def negates(self, name: str) -> bool:
        """Whether it has NEGATE for a keyword, by itself or as part of another."""
        return negates(self.keywords, name)

    def __str__(self) -> str:
        facts = format_fields(self, "name")
        return f"{self.name}: {facts}" if facts else self.name

    def _put_markers(
        self, blood: int, blessing: int | None, infection: int, keywords: tuple[Keyword, ...]
    ) -> None:
        """Set the markers; BLESSED adds the Blessing Markers that the model starts with."""
        if blessing is None:
            blessing = min(total(keywords, "BLESSED"), MAXIMUM_MARKERS)
        for name, value in (("blood", blood), ("blessing", blessing), ("infection", infection)):
            put(self, **{name: whole(name, value, 0, MAXIMUM_MARKERS)})


@validation.called
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Attacker(_Model):
    """The model that attacks.

    Parameters
    ----------
    name
        Any text.
    ranged, melee
        Its Characteristics: +/- DICE on the Success Rolls of its attacks.
    blood, blessing, infection
        Its markers when it starts; Blessing Markers are those of BLESSED unless given.
    down
        Whether it is Down when it starts. It stands up when it is activated, and has no -1 DICE then, unless
        `Activation.stands_up` says otherwise.
    keywords
        Such as ``"FEAR, STRONG"``; ``"+1 DICE"`` is added to all its Success Rolls.

    References
    ----------
    Trench Crusade rules 1.0.2, Characteristics; Blood Markers and Blessing Markers.

    Examples
    --------
    >>> Attacker("Yeoman", ranged=1, keywords="strong").ranged
    1
    """

    name: str
    ranged: int
    melee: int
    blood: int
    blessing: int
    infection: int
    down: bool
    keywords: tuple[Keyword, ...]

    def __init__(
        self,
        name: str = "the attacker",
        *,
        ranged: int = 0,
        melee: int = 0,
        blood: int = 0,
        blessing: int | None = None,
        infection: int = 0,
        down: bool = False,
        keywords: str | Iterable[Keyword] = "",
    ) -> None:
        read = _read(keywords)
        put(
            self,
            name=validation.text(name, "name"),
            ranged=whole("ranged", ranged),
            melee=whole("melee", melee),
        )
        self._put_markers(blood, blessing, infection, read)
        put(self, down=validation.flag(down, "down"), keywords=read)


@validation.called
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Target(_Model):
    """The model that is attacked.

    Parameters
    ----------
    name
        Any text.
    armour
        ``"none"``, ``"standard"``, ``"reinforced"`` or ``"machine"``.
    shield
        Whether it has a Trench Shield; not with Machine Armour.
    characteristic
        Its Armour Characteristic, 0 or less.
    armour_dice
        INJURY DICE that come from its armour or shield, 0 or less.
    impervious
        Which of ``"characteristic"``, ``"armour"``, ``"shield"`` are IMPERVIOUS; the keyword IMPERVIOUS
        stands for ``"armour"``, with which ``armour_dice`` go.
    injury_dice, injury_modifier
        INJURY DICE and INJURY MODIFIERS that its abilities give to rolls made for it.
    blood, blessing, infection
        Its markers; Blessing Markers are those of BLESSED unless given.
    down
        Whether it is Down.
    tough_used
        Whether its TOUGH was used before.
    keywords
        Such as ``"TOUGH, FEAR, NEGATE FIRE"``; ``"-1 INJURY DICE"`` and the like are those of its abilities.

    References
    ----------
    Trench Crusade rules 1.0.2, Armour; Injuries.

    Examples
    --------
    >>> pilgrim = Target("Trench Pilgrim", armour="standard", shield=True, keywords="TOUGH")
    >>> pilgrim.armour, pilgrim.shield, [str(keyword) for keyword in pilgrim.keywords]
    ('standard', True, ['TOUGH'])
    """

    name: str
    armour: str
    shield: bool
    characteristic: int
    armour_dice: int
    impervious: frozenset[str]
    injury_dice: tuple[Modifier, ...]
    injury_modifier: tuple[Modifier, ...]
    blood: int
    blessing: int
    infection: int
    down: bool
    tough_used: bool
    keywords: tuple[Keyword, ...]

    def __init__(
        self,
        name: str = "the target",
        *,
        armour: str = "none",
        shield: bool = False,
        characteristic: int = 0,
        armour_dice: int = 0,
        impervious: Iterable[str] = (),
        injury_dice: Sourced = 0,
        injury_modifier: Sourced = 0,
        blood: int = 0,
        blessing: int | None = None,
        infection: int = 0,
        down: bool = False,
        tough_used: bool = False,
        keywords: str | Iterable[Keyword] = "",
    ) -> None:
        read = _read(keywords)
        put(self, name=validation.text(name, "name"), armour=one_of("armour", armour, ARMOUR))
        if shield and armour == "machine":
            raise MathhammerError(
                "expected no Trench Shield with Machine Armour, got both; leave out one of them"
            )
        put(self, shield=validation.flag(shield, "shield"))
        put(self, characteristic=whole("characteristic", characteristic, high=0))
        put(self, armour_dice=whole("armour_dice", armour_dice, high=0))
        items = (
            (impervious,)
            if isinstance(impervious, str)
            else several(impervious, str, "names of armour as impervious", MAXIMUM_KEYWORDS)
        )
        items += ("armour",) if has(read, "IMPERVIOUS") else ()
        put(self, impervious=frozenset(one_of("impervious", item, _ITEMS) for item in items))
        source = f"abilities of {name}"
        for field, value in (("injury_dice", injury_dice), ("injury_modifier", injury_modifier)):
            named = as_modifiers(total(read, field.upper().replace("_", " ")), source)
            put(self, **{field: (*bounded_modifiers(value, source), *named)})
        self._put_markers(blood, blessing, infection, read)
        put(self, down=validation.flag(down, "down"), tough_used=validation.flag(tough_used, "tough_used"))
        put(self, keywords=tuple(keyword for keyword in read if keyword.name not in SIGNED[1:]))
        if self.has("GOLEM") and self.has("TOUGH"):
            raise MathhammerError("expected GOLEM or TOUGH, got both; a model with GOLEM cannot have TOUGH")
