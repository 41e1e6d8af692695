"""Weapons, the models that use them and the models they are used on, as frozen profiles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.display import format_fields
from mathhammer.errors import MathhammerError, ParseError
from mathhammer.fields.kinds import Boolean, Checked, Integer, IntegerOrElse, OneOf, Text
from mathhammer.fields.profile import Record
from mathhammer.modifiers import Modifier, as_modifiers
from mathhammer.systems.trench_crusade.keywords import Keywords, has, negates, several, total
from mathhammer.validation import shown

if TYPE_CHECKING:
    from mathhammer.systems.trench_crusade.keywords import Keyword

#: Most markers of one kind on a model (Trench Crusade rules 1.0.2, Blood Markers and Blessing Markers).
MAXIMUM_MARKERS = 6
#: Most extra dice and most of any modifier; the rules know no limit, and a hostile number stays harmless.
MAXIMUM_DICE = 50
#: Most sources of one kind of DICE.
MAXIMUM_SOURCES = 100

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


class Bonus(Integer):
    """DICE or another number that is added."""

    usual = 0

    def __init__(self, help: str, *, most: int = MAXIMUM_DICE, **more: Any) -> None:  # noqa: A002
        super().__init__(help, least=-MAXIMUM_DICE, most=most, **more)


class MarkerCount(Integer):
    """Markers of one kind."""

    usual = 0

    def __init__(self, help: str, **more: Any) -> None:  # noqa: A002
        super().__init__(help, most=MAXIMUM_MARKERS, **more)


def _impervious(given: Iterable[str]) -> frozenset[str]:
    items = (given,) if isinstance(given, str) else several(given, str, "names of armour as impervious", 100)
    return frozenset(one_of("impervious", item, _ITEMS) for item in items)


def _as_given(value: Sourced) -> Sourced:
    return value


class Weapon(Record):
    """A weapon: what one attack is made with.

    Examples
    --------
    >>> str(Weapon("Shotgun", kind="ranged", dice=+1, keywords="shotgun"))
    'Shotgun (ranged): +1 DICE, SHOTGUN'

    References
    ----------
    Trench Crusade rules 1.0.2, Battlekit.
    """

    name: Text = Text("Any text.", kw_only=False, label="Name")
    kind: OneOf[str] = OneOf("A grenade is a ranged attack.", *KINDS, label="Kind")
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
        for name in SIGNED:
            field = name.lower().replace(" ", "_")
            named = total(self.keywords, name)
            self._put(field, self.fields[field].read(getattr(self, field) + named))
        if self.dice_off_hand is None:
            self._put("dice_off_hand", self.dice)
        self._put("keywords", tuple(keyword for keyword in self.keywords if keyword.name not in SIGNED))

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


class _Model(Record):
    """A model, whether it attacks or is attacked."""

    if TYPE_CHECKING:

        @property
        def name(self) -> str: ...

        @property
        def keywords(self) -> tuple[Keyword, ...]: ...

        @property
        def blessing(self) -> int | None: ...

    def has(self, name: str) -> bool:
        """Whether it has a keyword."""
        return has(self.keywords, name)

    def negates(self, name: str) -> bool:
        """Whether it has NEGATE for a keyword, by itself or as part of another."""
        return negates(self.keywords, name)

    def __str__(self) -> str:
        facts = format_fields(self, "name")
        return f"{self.name}: {facts}" if facts else self.name

    def _check(self) -> None:
        """BLESSED adds the Blessing Markers that the model starts with."""
        if self.blessing is None:
            self._put("blessing", min(total(self.keywords, "BLESSED"), MAXIMUM_MARKERS))


class Attacker(_Model):
    """The model that attacks.

    References
    ----------
    Trench Crusade rules 1.0.2, Characteristics; Blood Markers and Blessing Markers.

    Examples
    --------
    >>> Attacker("Yeoman", ranged=1, keywords="strong").ranged
    1
    """

    name: Text = Text("Any text.", default="the attacker", kw_only=False, label="Name")
    ranged: Bonus = Bonus("Ranged Characteristic: DICE added to Success Rolls.", label="Ranged")
    melee: Bonus = Bonus("Melee Characteristic: DICE added to Success Rolls.", label="Melee")
    blood: MarkerCount = MarkerCount("Its Blood Markers when it starts.", label="Blood Markers")
    blessing: IntegerOrElse = IntegerOrElse(
        "Its Blessing Markers; those of BLESSED unless given.", most=MAXIMUM_MARKERS, label="Blessing Markers"
    )
    infection: MarkerCount = MarkerCount("Its Infection Markers.", label="Infection Markers")
    down: Boolean = Boolean(
        "Whether it is Down when it starts. It stands up when it is activated, and has no -1 DICE then, unless "
        "`Activation.stands_up` says otherwise.",
        label="Down",
    )
    keywords: Keywords = Keywords(
        "Such as FEAR, STRONG; +1 DICE is added to all its Success Rolls.", label="Keywords"
    )


class Target(_Model):
    """The model that is attacked.

    References
    ----------
    Trench Crusade rules 1.0.2, Armour; Injuries.

    Examples
    --------
    >>> pilgrim = Target("Trench Pilgrim", armour="standard", shield=True, keywords="TOUGH")
    >>> pilgrim.armour, pilgrim.shield, [str(keyword) for keyword in pilgrim.keywords]
    ('standard', True, ['TOUGH'])
    """

    name: Text = Text("Any text.", default="the target", kw_only=False, label="Name")
    armour: OneOf[str] = OneOf("Its armour.", *ARMOUR, default="none", label="Armour")
    shield: Boolean = Boolean(
        "Whether it has a Trench Shield; not with Machine Armour.", label="Trench Shield"
    )
    characteristic: Bonus = Bonus(
        "Its Armour Characteristic, 0 or less.", most=0, label="Armour Characteristic"
    )
    armour_dice: Bonus = Bonus("INJURY DICE that come from its armour or shield, 0 or less.", most=0)
    impervious: Checked[frozenset[str], Iterable[str]] = Checked(
        _impervious,
        'Which of ``"characteristic"``, ``"armour"``, ``"shield"`` are IMPERVIOUS; the keyword IMPERVIOUS stands for '
        '``"armour"``, with which `armour_dice` go.',
        default=(),
    )
    injury_dice: Checked[tuple[Modifier, ...], Sourced] = Checked(
        _as_given, "INJURY DICE that its abilities give to rolls made for it.", default=0
    )
    injury_modifier: Checked[tuple[Modifier, ...], Sourced] = Checked(
        _as_given, "INJURY MODIFIERS that its abilities give to these.", default=0
    )
    blood: MarkerCount = MarkerCount("Its Blood Markers.", label="Blood Markers")
    blessing: IntegerOrElse = IntegerOrElse(
        "Its Blessing Markers; those of BLESSED unless given.", most=MAXIMUM_MARKERS, label="Blessing Markers"
    )
    infection: MarkerCount = MarkerCount("Its Infection Markers.", label="Infection Markers")
    down: Boolean = Boolean("Whether it is Down.", label="Down")
    tough_used: Boolean = Boolean("Whether its TOUGH was used before.")
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
        if has(self.keywords, "IMPERVIOUS"):
            self._put("impervious", self.impervious | {"armour"})
        source = f"abilities of {self.name}"
        for name in SIGNED[1:]:
            field = name.lower().replace(" ", "_")
            given = bounded_modifiers(getattr(self, field), source)
            self._put(field, (*given, *as_modifiers(total(self.keywords, name), source)))
        self._put("keywords", tuple(keyword for keyword in self.keywords if keyword.name not in SIGNED[1:]))
        if self.has("GOLEM") and self.has("TOUGH"):
            raise MathhammerError("expected GOLEM or TOUGH, got both; a model with GOLEM cannot have TOUGH")
