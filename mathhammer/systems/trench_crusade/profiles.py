"""Weapons, those of the rulebook among them, the models that use them and the models they are used on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.display import Catalogue
from mathhammer.errors import MathhammerError, ParseError, TooLargeError, UnknownNameError
from mathhammer.fields.kinds import Boolean, Field, Integer, IntegerOrElse, OneOf, Text
from mathhammer.fields.profile import Record, StatLine
from mathhammer.modifiers import Modifier, as_modifiers
from mathhammer.systems.trench_crusade.rules import Bearer, Keywords, several
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Most markers of one kind on a model (Trench Crusade rules 1.0.2, Blood Markers and Blessing Markers).
MAXIMUM_MARKERS = 6
#: Most extra dice and most of any modifier; the rules know no limit, and a hostile number stays harmless.
MAXIMUM_DICE = 50
#: Most sources of one kind of DICE, and most characters of one.
MAXIMUM_SOURCES = 100
LONGEST_SOURCE = 200
#: The source of a number that is given without one.
_UNNAMED = "given"

KINDS = ("ranged", "melee", "grenade", "action")
_ROW = re.compile(r"([^|\t:(]+)[|\t]([^|\t]*)[|\t]([^|\t]*)[|\t]([^|\t]*)")
_LINE = re.compile(r"(?P<name>[^:(]*[^:(\s])\s*\((?P<kind>[^)]*)\)\s*(?::(?P<keywords>.*))?", re.DOTALL)
EXAMPLE = "'Halberd (melee): +1 INJURY DICE, CRITICAL'"
#: INJURY MODIFIER of each kind of Armour (Trench Crusade rules 1.0.2, Armour).
ARMOUR = {"none": 0, "standard": -1, "reinforced": -2, "machine": -3}
_ITEMS = ("characteristic", "armour", "shield")
#: Keywords that are numbers of a weapon or a model, by their fields.
_SIGNED = {"dice": "DICE", "injury_dice": "INJURY DICE", "injury_modifier": "INJURY MODIFIER"}
_SOURCED = re.compile(r"(?i)\s*([+-]?\s*\d{1,9})(?!\d)\s*(?:DICE|INJURY DICE|INJURY MODIFIER)?\s*(.*?)\s*")

#: A number, ``"+2 elevated"``, or several texts or Modifiers.
SourcedText = int | str | Modifier | Iterable[str | Modifier]


def _read(text: str) -> Modifier:
    if len(text) > LONGEST_SOURCE:
        raise TooLargeError(f"expected a source of at most {LONGEST_SOURCE} characters, got {len(text):,}")
    match = _SOURCED.fullmatch(text)
    if match is None:
        raise ParseError("expected a number and where it comes from, such as '+2 elevated'", text, 0)
    return Modifier("add", int(match[1].replace(" ", "")), match[2] or _UNNAMED)


def whole(value: object, name: str) -> int:
    """Return a number that is added or taken away."""
    return validation.whole(value, name, -MAXIMUM_DICE, MAXIMUM_DICE)


class Sourced(Field["tuple[Modifier, ...]", SourcedText]):
    """Numbers with their sources."""

    accepts = "SourcedText"
    pattern = r"[+-]?\d{1,9}"
    usual = 0

    def read(self, value: Any) -> tuple[Modifier, ...]:
        """Return the modifiers."""
        # Neither their number nor their values are hostile.
        if not isinstance(value, Modifier) and validation.as_whole(value) is None:
            items = (value,) if isinstance(value, str) else value
            expected = "numbers with their sources, such as '+2 elevated'"
            given = several(items, (str, Modifier), expected, MAXIMUM_SOURCES)
            found = tuple(_read(item) if isinstance(item, str) else item for item in given)
        else:
            found = as_modifiers(value, _UNNAMED)  # a number or one Modifier
        for each in found:
            whole(each.value, f"a modifier ({each.source})")
            if each.operation not in {"add", "subtract"}:
                raise MathhammerError(f"expected DICE and INJURY MODIFIERS to add or subtract, got {each}")
        return found

    def said(self, value: Any) -> list[str]:
        """Return the numbers."""
        return [self.line.format(each.change) for each in value]


class Bonus(Integer):
    """DICE or another number that is added."""

    usual = 0
    pattern = r"[+-]?\d{1,9}"

    def __init__(self, *words: str, least: int = -MAXIMUM_DICE, **more: Any) -> None:
        super().__init__(*words, **{"least": least, "most": MAXIMUM_DICE} | more)


#: Markers of one kind.
marker_count = partial(Bonus, least=0, most=MAXIMUM_MARKERS)


class _Impervious(Field["frozenset[str]", "Iterable[str]"]):
    """Items of armour."""

    accepts = "Iterable[str]"

    def read(self, value: Any) -> frozenset[str]:
        """Return their names."""
        names = "names of armour as impervious"
        items = (value,) if isinstance(value, str) else several(value, str, names, 100)
        return frozenset(validation.one_of(item, _ITEMS, "impervious") for item in items)

    def said(self, value: Any) -> list[str]:
        """Return each."""
        return [self.line.format(item) for item in sorted(value)]


class Weapon(Bearer, Record):
    """A weapon: what one attack is made with.

    Examples
    --------
    >>> str(Weapon("Shotgun", kind="ranged", dice=+1, keywords="shotgun"))
    'Shotgun (ranged): +1 DICE, SHOTGUN'

    Trench Crusade rules 1.0.2, Battlekit.
    """

    name: Text = Text("Any text.", kw_only=False, label="Name")
    kind: OneOf[str] = OneOf(
        "A grenade is a ranged attack; an action is none, but a Risky Success Roll before one, as a Dash.",
        *KINDS,
        label="Kind",
    )
    dice: Bonus = Bonus("+/- DICE on Success Rolls with it.", label="DICE")
    injury_dice: Bonus = Bonus("+/- INJURY DICE on Injury Rolls that it causes.", label="INJURY DICE")
    injury_modifier: Bonus = Bonus("INJURY MODIFIER on these.", label="INJURY MODIFIER")
    keywords: Keywords = Keywords(
        "Such as AUTOMATIC 3, RISKY; +1 DICE and the like may stand here too.", label="Keywords"
    )
    dice_off_hand: IntegerOrElse = IntegerOrElse(
        "`dice` of the same weapon used as Off-Hand Weapon, where it differs.",
        least=-MAXIMUM_DICE,
        most=MAXIMUM_DICE,
    )

    def _check(self) -> None:
        if any(keyword.name.startswith("AMMUNITION") for keyword in self.keywords):
            raise MathhammerError("expected AMMUNITION in an Attack(ammunition=...), got it on a weapon")
        for field, name in _SIGNED.items():
            self._put(field, self.fields[field].read(getattr(self, field) + self.value(name)))
        if self.dice_off_hand is None:
            self._put("dice_off_hand", self.dice)
        self._put("keywords", tuple(each for each in self.keywords if each.name not in _SIGNED.values()))

    @classmethod
    def parse(cls, text: str) -> Weapon:
        """Read ``"Halberd (melee): +1 INJURY DICE, CRITICAL"``, or a book's row of name, type, range and keywords."""
        text = validation.typed(text, "weapon", f"such as {EXAMPLE}")
        if row := _ROW.fullmatch(text):
            name, held, reach, keywords = map(str.strip, row.groups())
            melee = "melee" in (held.lower(), reach.lower())
            kind = "grenade" if held.lower().startswith("grenade") else "melee" if melee else "ranged"
            return Weapon(name, kind=kind, keywords=keywords)
        line = _LINE.match(text)
        if line is None or line.end() < len(text):
            raise ParseError(f"expected a weapon such as {EXAMPLE}", text, line.end() if line else 0)
        if line["kind"].lower() not in KINDS:
            raise ParseError(f"expected {', '.join(KINDS)} in brackets", text, line.start("kind"))
        return Weapon(line["name"].strip(), kind=line["kind"].lower(), keywords=line["keywords"] or "")

    @property
    def melee(self) -> bool:
        """True if its attacks are Melee Attacks."""
        return self.kind == "melee"

    def __str__(self) -> str:
        signed = ((getattr(self, field), name) for field, name in _SIGNED.items())
        rules = ", ".join(
            [*(f"{number:+d} {name}" for number, name in signed if number), *map(str, self.keywords)]
        )
        return f"{self.name} ({self.kind}): {rules}" if rules else f"{self.name} ({self.kind})"


class _Model(Bearer, StatLine):
    _rules = "keywords"

    name: Text = Text("Any text.", default="the model", kw_only=False, label="Name")
    blood: Bonus = marker_count(
        "Its Blood Markers before the first attack.", line="Blood {}", rare=True, label="Blood Markers"
    )
    blessing: IntegerOrElse = IntegerOrElse(
        "Its Blessing Markers; those of BLESSED unless given.",
        most=MAXIMUM_MARKERS,
        line="Blessing {}",
        label="Blessing Markers",
    )
    infection: Bonus = marker_count(
        "Its Infection Markers.", line="Infection {}", rare=True, label="Infection Markers"
    )

    def _check(self) -> None:
        """BLESSED adds the Blessing Markers that the model starts with."""
        if self.blessing is None:
            self._put("blessing", min(self.value("BLESSED"), MAXIMUM_MARKERS))


class Attacker(_Model):
    """The model that attacks.

    Trench Crusade rules 1.0.2, Characteristics; Blood Markers and Blessing Markers.

    Examples
    --------
    >>> Attacker("Yeoman", ranged=1, keywords="strong").ranged
    1
    """

    _example = "Yeoman: Ranged +1, Melee +0 [STRONG]"

    name: Text = Text("Any text.", default="the attacker", kw_only=False, label="Name")
    ranged: Bonus = Bonus("Ranged Characteristic: DICE added to Success Rolls.", line="Ranged {:+d}")
    melee: Bonus = Bonus("Melee Characteristic: DICE added to Success Rolls.", line="Melee {:+d}")
    down: Boolean = Boolean(
        "Whether it is Down when it starts. It stands up when it is activated, and has no -1 DICE then, unless "
        "`Activation.stands_up` says otherwise.",
        line="Down",
        rare=True,
    )
    keywords: Keywords = Keywords(
        "Such as FEAR, STRONG; +1 DICE is added to all its Success Rolls.", label="Keywords"
    )


class Target(_Model):
    """The model that is attacked.

    Trench Crusade rules 1.0.2, Armour; Injuries.

    Examples
    --------
    >>> pilgrim = Target("Trench Pilgrim", armour="standard", shield=True, keywords="TOUGH")
    >>> pilgrim.armour, pilgrim.shield, [str(keyword) for keyword in pilgrim.keywords]
    ('standard', True, ['TOUGH'])
    """

    _example = "Yeoman: armour standard, Trench Shield, Blood 2 [TOUGH]"

    name: Text = Text("Any text.", default="the target", kw_only=False, label="Name")
    armour: OneOf[str] = OneOf("Its armour.", *ARMOUR, default="none", line="armour {}", label="Armour")
    shield: Boolean = Boolean(
        "Whether it has a Trench Shield; not with Machine Armour.",
        line="Trench Shield",
        regex="(?P<shield>(?:Trench )?Shield)",
        rare=True,
    )
    characteristic: Bonus = Bonus(
        "Its Armour Characteristic, 0 or less.",
        most=0,
        line="characteristic {}",
        rare=True,
        label="Armour Characteristic",
    )
    armour_dice: Bonus = Bonus(
        "INJURY DICE that come from its armour or shield, 0 or less.",
        most=0,
        line="armour dice {}",
        rare=True,
    )
    impervious: _Impervious = _Impervious(
        'Which of ``"characteristic"``, ``"armour"``, ``"shield"`` are IMPERVIOUS; the keyword IMPERVIOUS stands for '
        '``"armour"``, with which `armour_dice` go.',
        default=(),
        line="impervious {}",
        many=True,
    )
    injury_dice: Sourced = Sourced(
        "INJURY DICE that its abilities give to rolls made for it.", line="INJURY DICE {}", many=True
    )
    injury_modifier: Sourced = Sourced(
        "INJURY MODIFIERS that its abilities give to these.", line="INJURY MODIFIER {}", many=True
    )
    down: Boolean = Boolean("Whether it is Down.", line="Down", rare=True)
    tough_used: Boolean = Boolean("Whether its TOUGH was used before.", line="TOUGH used", rare=True)
    keywords: Keywords = Keywords(
        "Such as TOUGH, FEAR, NEGATE FIRE; -1 INJURY DICE and the like are those of its abilities.",
        label="Keywords",
    )

    def _check(self) -> None:
        super()._check()
        if self.shield and self.armour == "machine":
            raise MathhammerError(
                "expected no Trench Shield with Machine Armour, got both; leave out one of them"
            )
        if self.has("IMPERVIOUS"):
            self._put("impervious", self.impervious | {"armour"})
        source = f"abilities of {self.name}"
        for field in ("injury_dice", "injury_modifier"):
            given = getattr(self, field)
            named = (replace(each, source=source) if each.source == _UNNAMED else each for each in given)
            self._put(field, (*named, *as_modifiers(self.value(_SIGNED[field]), source)))
        signed = [*_SIGNED.values()][1:]
        self._put("keywords", tuple(keyword for keyword in self.keywords if keyword.name not in signed))
        if self.has("GOLEM") and self.has("TOUGH"):
            raise MathhammerError("expected GOLEM or TOUGH, got both; a model with GOLEM cannot have TOUGH")


_THROWN = "ASSAULT, IGNORE COVER, IGNORE LONG RANGE"
#: Kinds, names and keywords as printed; of a name with a stroke or in the plural first what it stands for.
_BOOK = f"""
    ranged
    Anti-Materiel Rifle: +1 INJURY DICE, CRITICAL, HEAVY, IGNORE ARMOUR
    Automatic Pistol: ASSAULT, AUTOMATIC 2, PISTOL
    Automatic Rifle: ASSAULT, AUTOMATIC 2
    Automatic Shotgun: +1 DICE, ASSAULT, SHOTGUN
    Blunderbuss: SHRAPNEL
    Bolt-Action Rifle:
    Flamethrower: -1 INJURY DICE, FIRE, FLAMETHROWER, IGNORE ARMOUR
    Grenade Launcher: BLAST 3, HEAVY, IGNORE COVER, SHRAPNEL
    Heavy Flamethrower: -1 INJURY DICE, AUTOMATIC 2, FIRE, FLAMETHROWER, HEAVY, IGNORE ARMOUR
    Heavy Shotgun: +1 DICE, +1 INJURY DICE, HEAVY, SHOTGUN, +1 INJURY DICE AT SHORT RANGE
    Machine Gun: AUTOMATIC 3, HEAVY, RELOAD
    Musket: -1 INJURY DICE
    Pistol: PISTOL
    Semi-Automatic Rifle: ASSAULT
    Shotgun: +1 DICE, SHOTGUN
    Silenced Pistol: ASSAULT, PISTOL
    Sniper Rifle: +1 DICE, CRITICAL, RISKY, IGNORE ARMOUR ON CRITICAL
    Submachine Gun: ASSAULT
    melee
    Anti-Tank Hammer: +1 INJURY DICE, CRITICAL, DANGEROUS, IGNORE ARMOUR, RISKY
    Bayonet: CUMBERSOME
    Flail, Scourge, Flail/Scourge: +1 DICE
    Great Hammer, Maul, Great Hammer/Maul: +1 INJURY MODIFIER, HEAVY
    Great Sword, Great Axe, Great Sword/Axe: +1 INJURY DICE, CRITICAL, HEAVY
    Misericordia: IGNORE ARMOUR ON DOWN
    Polearm: BLOCK, CUMBERSOME
    Shovel:
    Sword, Axe, Sword/Axe: CRITICAL
    Trench Club:
    Trench Knife: -1 DICE
    grenade
    Frag Grenade, Frag Grenades: {_THROWN}, BLAST 2, SHRAPNEL
    Gas Grenade, Gas Grenades: -1 INJURY DICE, {_THROWN}, BLAST 3, GAS, IGNORE ARMOUR
    Incendiary Grenade, Incendiary Grenades: {_THROWN}, FIRE, IGNORE ARMOUR ON CRITICAL
    Molotov Cocktail: -1 INJURY DICE, {_THROWN}, FIRE, IGNORE ARMOUR ON CRITICAL
    Satchel Charge: +1 INJURY DICE, BLAST 3, CONSUMABLE, HEAVY, IGNORE ARMOUR, IGNORE COVER, ONCE A GAME, SCATTER
"""


def _weapons() -> Iterable[tuple[str, Weapon]]:
    kind = ""
    for line in _BOOK.strip().splitlines():
        printed, colon, keywords = line.strip().partition(":")
        kind = kind if colon else printed
        for name in printed.split(", ") if colon else ():
            # Unwieldy: its +1 DICE is not for an Off-Hand Weapon.
            off_hand = 0 if "Flail/Scourge" in printed else None
            yield name, Weapon(name, kind=kind, keywords=keywords, dice_off_hand=off_hand)


WEAPONS: Mapping[str, Weapon] = Catalogue("common weapons of Trench Crusade", dict(_weapons()))
"""The weapons of Trench Crusade rules 1.0.2, Battlekit (pages 70 to 79, and the Shovel), by name: numbers and keywords.

Of their special rules those that depend on the roll or on the target are part of them: Bull's Eye, Liquid Fire,
Despatch, Unwieldy, Tungsten-orichalcum Alloy Shot, Dangerous, Heavy Explosive. Those that depend on the table are given
with the attack: ``dice="+1 Silent"`` for the Silenced Pistol, a second attack for the Submachine Gun.
"""


def as_weapon(given: Weapon | str) -> Weapon:
    """Return a weapon, which may be the name of a common one, or the line of any."""
    if isinstance(given, Weapon):
        return given
    by_name = {name.lower(): weapon for name, weapon in WEAPONS.items()}
    if (known := by_name.get(given.strip().lower())) is not None:
        return known
    if any(sign in given for sign in "(:|\t"):
        return Weapon.parse(given.strip())
    hint = validation.nearest(given, WEAPONS).replace("known:", "common weapons:")
    raise UnknownNameError(
        f"expected a common weapon or a line such as {EXAMPLE}, got {shown(given)}; {hint}"
    )
