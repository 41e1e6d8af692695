"""Weapons, targets and units of Warhammer Age of Sigmar, as warscrolls print them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal, Self

from mathhammer import validation
from mathhammer.display import Catalogue
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.fields.kinds import (
    Amount,
    Boolean,
    Checked,
    Enough,
    Field,
    Integer,
    MaybeInteger,
    OneOf,
    Text,
)
from mathhammer.fields.profile import Record, StatLine, split_items
from mathhammer.sequence.pools import SavePool
from mathhammer.validation import shown

#: Most of anything that a warscroll prints, and most attacks: a hostile text stays harmless.
MOST, MAXIMUM_ATTACKS = 100, 5_000

#: Weapon abilities that are computed (Core Rules, 20; battletomes), each as it is printed, and what they begin with.
_ABILITIES = "Crit (2 Hits)", "Crit (Auto-wound)", "Crit (Mortal)", "Companion", "Shoot in Combat"
CRIT = re.compile(r"Crit \((.+)\)")
ANTI = re.compile(r"Anti-(.+?) ?\(?\+(\d) Rend\)?", re.IGNORECASE)
CHARGE = re.compile(r"Charge ?\(?\+(\d) Damage\)?", re.IGNORECASE)
KNOWN = re.compile(r"(?:crit\b|anti\b|charge\b|companion|shoot in combat)", re.IGNORECASE)

#: A weapon and a unit as the rows of a warscroll: columns between blanks.
_GAP, _DICE, _COUNT = r"[\s|]+", r"\d*D?\d+(?:\+\d+)?", r"(?:(?P<models>\d+) ?[x×] )?(?P<name>.+?):?"
_RULES = rf"(?:{_GAP}(?:-|\[?(?P<attributes>[^\]]*)\]?))?"
_WEAPON_ROW = re.compile(
    rf"{_COUNT}{_GAP}(?:(?P<range>\d+)\"{_GAP}|Melee{_GAP})?(?P<attacks>{_DICE}){_GAP}(?P<hit>\d)\+{_GAP}"
    rf"(?P<wound>\d)\+{_GAP}(?P<rend>\d|-){_GAP}(?P<damage>{_DICE}){_RULES}",
    re.IGNORECASE,
)
_UNIT_ROW = re.compile(
    rf"{_COUNT}{_GAP}(?:(?P<move>\d+)\"|{_DICE}\"|-){_GAP}(?P<health>\d+){_GAP}(?P<save>\d\+|-){_GAP}(?P<control>\d+|-)"
    rf"(?:{_GAP}(?:ward )?\(?(?P<ward>\d)\+\)?)?{_RULES}",
    re.IGNORECASE,
)
#: What lists print for the signs of a keyboard: quotation marks, hyphens, blanks, marks of bold type.
_SIGNS = str.maketrans("”″’–—−‑\xa0;", '""\'---- ,', "*^")


class AbilityNames(Field[tuple[str, ...], str | Iterable[str]]):
    """Weapon abilities or keywords of a unit, as printed."""

    accepts = "str | Iterable[str]"
    usual = ()

    def read(self, value: Any) -> tuple[str, ...]:
        """Return their names, those that are computed in one spelling."""
        given = [value] if isinstance(value, str) else validation.items(value, str, "names of abilities")
        texts = (" ".join(each.split()) for text in given for _, each in split_items(text.translate(_SIGNS)))
        return tuple(_ability(validation.text(text, "an ability")) for text in texts if text not in {"", "-"})


def _ability(text: str) -> str:
    known = {re.sub(r"\W", "", name).lower(): name for name in _ABILITIES}
    if name := known.get(re.sub(r"\W", "", text).lower()):
        return name
    if match := ANTI.fullmatch(text):
        return f"Anti-{match[1].title()} (+{match[2]} Rend)"
    charge = CHARGE.fullmatch(text)
    if KNOWN.match(text) and not charge:
        forms = ", ".join((*_ABILITIES, "Anti-Infantry (+1 Rend)", "Charge (+1 Damage)"))
        raise UnknownNameError(f"expected a weapon ability such as {forms}; got {shown(text)}")
    return f"Charge (+{charge[1]} Damage)" if charge else text[:1].upper() + text[1:]


class _Printed(StatLine):
    """A stat line with labels, or a row of a warscroll without."""

    _counted = "'Liberators: {0} models'"
    _row: ClassVar[re.Pattern[str]]
    attributes: AbilityNames

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a line as ``str`` writes it, or a row as the warscroll prints it."""
        line = validation.typed(text, "stat line", f"such as {cls._example!r}").translate(_SIGNS).strip()
        row = cls._row.fullmatch(line.strip("| "))
        if row is None:
            return super().parse(re.sub(r"\b(Rnd|Rend|Control) ?-(?!\d)", r"\1 0", line))
        said = {name: each for name, each in row.groupdict().items() if each not in {None, "-"}}
        return cls(**{name: cls.fields[name].typed(each) for name, each in said.items()})

    def matching(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """Return the abilities of one form."""
        return [match for match in map(pattern.fullmatch, self.attributes) if match]

    def has(self, name: str) -> bool:
        """Whether it has the ability or the keyword of that name, in whatever case."""
        return name.casefold() in map(str.casefold, self.attributes)


class Weapon(_Printed):
    """A weapon, and the models that attack with it.

    Examples
    --------
    >>> print(Weapon.parse("Goreweapons 3 4+ 3+ 1 1 Crit (Auto-wound)"))
    Goreweapons: Atk 3, Hit 4+, Wnd 3+, Rnd 1, Dmg 1 [Crit (Auto-wound)]
    """

    _example = "Warhammer: 5 models, champion, Atk 2, Hit 3+, Wnd 3+, Rnd 1, Dmg 1 [Shoot in Combat]"
    _row = _WEAPON_ROW

    name: Text = Text("Any text.", kw_only=False, label="Name")
    models: Integer = Integer(
        "How many use it.", default=1, least=1, most=1_000, line="{} model(s)", rare=True
    )
    champion: Boolean = Boolean("One of them is a Champion: an attack more.", line="champion", rare=True)
    range: MaybeInteger = MaybeInteger("In inches; None for a melee weapon.", line='Rng {}"', label="Range")
    attacks: Amount = Amount("Attacks of a model: a number, or dice.", least=1, most=MOST, line="Atk {}")
    hit: Enough = Enough("The Hit characteristic.", least=2, most=6, line="Hit {}+")
    wound: Enough = Enough("The Wound characteristic.", least=2, most=6, line="Wnd {}+")
    rend: Integer = Integer("The Rend characteristic.", default=0, line="Rnd {}")
    damage: Amount = Amount("Of an attack: a number, or dice.", default=1, least=0, most=MOST, line="Dmg {}")
    battle_damaged: MaybeInteger = MaybeInteger(
        "Battle Damaged Attacks.", least=1, line="battle damaged Atk {}"
    )
    behind: Integer = Integer("Models slain after these.", default=0, most=1_000, line="{} behind", rare=True)
    attributes: AbilityNames = AbilityNames("Weapon abilities, as printed.", label="Abilities")

    def _check(self) -> None:
        if self.hit is None or self.wound is None:
            raise MathhammerError(f"expected Hit and Wound of {self.name!r}, got none")
        if (most := self.models * (self.attacks.bounds()[1] + self.champion)) > MAXIMUM_ATTACKS:
            raise MathhammerError(
                f"expected up to {MAXIMUM_ATTACKS:,} attacks of {self.name!r}, got {most:,}"
            )


class Target(_Printed):
    """A unit that is attacked.

    Examples
    --------
    >>> print(Target.parse('5 x Liberators 5" 2 3+ 1 [Infantry]'))
    Liberators: 5 models, Move 5", Health 2, Save 3+, Control 1 [Infantry]
    """

    _example = "Liberators: 5 models, Health 2, Save 3+, Ward 6+ [Infantry]"
    _row = _UNIT_ROW

    name: Text = Text("Any text.", kw_only=False, label="Name")
    models: Integer = Integer("Its models.", default=1, least=1, most=1_000, line="{} model(s)")
    move: MaybeInteger = MaybeInteger("Move in inches; no roll asks for it.", line='Move {}"')
    health: Integer = Integer("Health of each model.", least=1, line="Health {}")
    save: Enough = Enough("``3+`` or ``3``; None for none.", default=None, least=2, most=6, line="Save {}+")
    control: MaybeInteger = MaybeInteger("Control of each model; no roll asks for it.", line="Control {}")
    ward: Enough = Enough("Its Ward; None for none.", default=None, least=2, most=6, line="Ward {}+")
    damage: Integer = Integer("Damage points on it.", default=0, line="{} damage point(s)", rare=True)
    battle_damaged_at: MaybeInteger = MaybeInteger("Its threshold.", least=1, line="battle damaged at {}")
    points: MaybeInteger = MaybeInteger("What the unit costs.", most=10_000, line="{} points")
    attributes: AbilityNames = AbilityNames("Its keywords: ``Infantry, Hero, Fly``.", label="Keywords")

    def _check(self) -> None:
        if self.damage >= self.health:
            raise MathhammerError(
                f"expected damage below Health {self.health}, got {self.damage} on {self.name!r}"
            )

    def pool(self, name: str) -> SavePool:
        """Return its Health as a pool: damage points spill from model to model (Core Rules, 18.2)."""
        return SavePool(name, self.models, self.health, self.damage)


#: Weapons, each as a profile or its line; a unit that is attacked, as one, its line or the label of a standard one.
Weapons = Weapon | str | Sequence[Weapon | str]
Attacked = Target | str


def as_weapons(given: Weapons) -> tuple[Weapon, ...]:
    """Return weapons, of which one may stand alone, and each may be its line."""
    many = (given,) if isinstance(given, Weapon | str) else given
    found = validation.items(many, (Weapon, str), "Weapons or their lines", "such as 'Hellblade 2 3+ 3+ 1 1'")
    return tuple(Weapon.parse(each) if isinstance(each, str) else each for each in found)


def as_target(given: Any) -> Target:
    """Return a target, which may be its line or the label of a standard one; of a unit its stat line."""
    if isinstance(given, str):
        return Target.parse(given) if re.search(r"[:\d]", given) else TARGETS[given.strip().upper()]
    target: Target = given.target if isinstance(given, Unit) else given
    return validation.instance(target, Target, "a Target to attack, or its line", "TARGETS has standard ones")


def as_notes(given: Any) -> tuple[str, ...]:
    """Return sentences, of which one may stand alone."""
    several = (given,) if isinstance(given, str) else validation.items(given, str, "sentences as notes")
    return tuple(validation.text(each, "a note") for each in several)


class Unit(Record):
    """A unit of an army: what is attacked, and the weapons that it attacks with.

    Examples
    --------
    >>> guard = Unit("Liberators: 5 models, Health 2, Save 3+", "5 x Warhammer 2 3+ 3+ 1 1")
    >>> guard.target.name, len(guard.only("melee"))
    ('Liberators', 1)
    """

    target: Checked[Target, Target | str] = Checked(
        as_target, "The unit as a target: a label or a stat line. It may be a `Target`.", kw_only=False
    )
    weapons: Checked[tuple[Weapon, ...], Weapons] = Checked(
        as_weapons, "Its weapons, each with the models that use it.", kw_only=False, default=()
    )
    mortal_damage: Amount = Amount("Added when it fights: (D6>=2)×D3.", default=0, least=0, most=MOST)
    strikes: OneOf[str | None] = OneOf("Strike-first, Strike-last", "first", "last", default=None)
    notes: Checked[tuple[str, ...], str | Iterable[str]] = Checked(
        as_notes, "What of it is not computed.", default=()
    )

    @property
    def name(self) -> str:
        """Its name."""
        return self.target.name

    def only(self, kind: Literal["melee", "shooting"]) -> tuple[Weapon, ...]:
        """Return its weapons for one kind of attack."""
        return tuple(weapon for weapon in self.weapons if (weapon.range is None) == (kind == "melee"))


#: Units that are often met, by a label (BSData/age-of-sigmar-4th, 6c4bfee of 2026-08-18).
_STANDARD = """
CHAFF: Clanrats: 20 models, Health 1, Save 5+ [Infantry]
SKELETONS: Deathrattle Skeletons: 10 models, Health 1, Save 5+, Ward 6+ [Infantry]
STEELHELMS: Freeguild Steelhelms: 10 models, Health 1, Save 4+ [Infantry]
PLAGUEBEARERS: Plaguebearers: 10 models, Health 2, Save 6+, Ward 5+ [Infantry]
SAURUS: Saurus Warriors: 10 models, Health 2, Save 4+ [Infantry]
LIBERATORS: Liberators: 5 models, Health 2, Save 3+ [Infantry]
WARRIORS: Chaos Warriors: 10 models, Health 2, Save 3+ [Infantry]
ANNIHILATORS: Annihilators: 3 models, Health 3, Save 2+ [Infantry]
CAVALRY: Chaos Knights: 5 models, Health 4, Save 3+ [Cavalry]
SKULLCRUSHERS: Mighty Skullcrushers: 3 models, Health 5, Save 2+ [Cavalry]
MONSTER: Treelord: 1 model, Health 14, Save 3+, battle damaged at 10 [Monster]
DAEMON: Great Unclean One: 1 model, Health 20, Save 4+, Ward 5+, battle damaged at 10 [Monster, Hero, Wizard]
GOD: Nagash: 1 model, Health 18, Save 3+, Ward 5+, battle damaged at 10 [Monster, Hero, Fly, Wizard]
"""

_ROWS = (row.partition(": ") for row in _STANDARD.strip().splitlines())
TARGETS = Catalogue("standard targets of Age of Sigmar", {key: Target.parse(line) for key, _, line in _ROWS})
"""Units that are often met, by a label: what a text of a target may be."""
