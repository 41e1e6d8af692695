"""Model parts that attack and units that are attacked, as frozen profiles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.errors import MathhammerError, ParseError
from mathhammer.fields.kinds import (
    Amount,
    Boolean,
    Checked,
    Enough,
    Integer,
    IntegerOrElse,
    MaybeInteger,
    Text,
)
from mathhammer.fields.profile import Record, StatLine, split_items
from mathhammer.sequence.pools import SavePool, SharedPools
from mathhammer.systems.t9a.attributes import (
    ATTACK_ATTRIBUTES,
    BESIDE,
    CHAMPION,
    MOST_ARMOUR,
    NOT_COMPUTED,
    PIECES,
    PROTECTIONS,
    RANK_AND_FILE,
    SHOOTING_WEAPONS,
    SPECIAL_ATTACKS,
    Attribute,
    Attributes,
    SpecialSave,
    SpecialSaves,
    parse_attributes,
)
from mathhammer.validation import shown

if TYPE_CHECKING:
    from mathhammer.systems.t9a.situation import Edition, Situation

#: Most that a number of models or attacks may be: a hostile text stays harmless.
MAXIMUM_MODELS = 1_000
MAXIMUM_ATTACKS = 5_000

#: Strength and Armour Penetration of a Crush Attack (The 9th Age rulebook, 2nd edition, Crush Attack).
CRUSHING = 10
#: Special Attacks that are made in combat only (The 9th Age rulebook, 2nd edition, Special Attacks).
OF_COMBAT = ("Crush Attack", "Grind Attacks", "Impact Hits", "Stomp Attacks")


class Bracketed(Record):
    """Profile in brackets, of one hit of an Area Attack or of Penetrating.

    Examples
    --------
    >>> str(Bracketed(strength=7, armour_penetration=4, multiple_wounds="D3").multiple_wounds)
    'D3'
    """

    strength: Integer = Integer("Of that hit.")
    armour_penetration: Integer = Integer("The same.")
    multiple_wounds: Amount = Amount(
        "Health Points that it takes for each wound: a number, or dice.",
        default=1,
        least=1,
        most=MAXIMUM_ATTACKS,
    )


def _allocated(at: str | Iterable[str]) -> str | tuple[str, ...]:
    if isinstance(at, str):
        return validation.text(at, "whom it is allocated to")
    names = validation.items(at, str, "whom it is allocated to: one text, or several in a tuple")
    if not names or len(set(names)) != len(names):
        raise MathhammerError(f"expected different texts of whom it is allocated to, got {shown(names)}")
    return names[0] if len(names) == 1 else names


class _BookLine(StatLine):
    """A stat line on which rules may follow the characteristics without brackets, as books print them."""

    _counted = "'Orcs: {0} models' and 'Orcs: {0} × 2 attacks'"

    def has(self, name: str) -> bool:
        """True if it has the rule or weapon of that name, in the attacks of its own."""
        rules: tuple[Attribute, ...] = self.attributes  # type: ignore[attr-defined]
        return name in [each.name for each in rules if not each.apart]

    @classmethod
    def _put_item(cls, said: dict[str, Any], item: str, text: str, place: int) -> None:
        try:
            super()._put_item(said, item, text, place)
        except ParseError as error:
            try:
                found = cls.fields["attributes"].read(item)
            except MathhammerError:
                raise error from None
            if re.search(r"\d", item) and any(each.idle == NOT_COMPUTED for each in found):
                raise
            said["attributes"] = ", ".join(filter(None, (said["attributes"], item)))


class ModelPart(_BookLine):
    """Equal model parts, and the attacks that they make.

    Examples
    --------
    >>> spears = ModelPart("Spearmen", attacks=15, offensive_skill=3, strength=3, attributes="Spear")
    >>> print(spears)
    Spearmen: 15 attacks, Off 3, Str 3, AP 0, Agi 3 [Spear]
    """

    _example = "15 attacks, Off 3, Str 3, AP 1 [Spear]"

    name: Text = Text("Any text.", kw_only=False, label="Name")
    attacks: Amount = Amount(
        "Attack Value, shots, or automatic hits of one model part: a number, or dice such as 2D6.",
        default=1,
        least=0,
        most=MAXIMUM_ATTACKS,
        line="{} attacks",
        label="Attacks in all",
        regex=r"(?:(?P<models>\d{1,9})\s*[x×]\s*)?(?P<attacks>[\dD+×x*-]+) "
        r"(?:attacks?|shots?|(?:automatic )?hits?)",
    )
    models: Integer = Integer(
        "How many model parts attack so; random numbers are rolled for each. With the default ``attacks`` is the "
        "total.",
        default=1,
        least=1,
        most=MAXIMUM_MODELS,
        line="{} model(s)",
    )
    offensive_skill: MaybeInteger = MaybeInteger("Offensive Skill, for Close Combat Attacks.", line="Off {}")
    aim: Enough = Enough(
        "``4+`` or ``4``, for Shooting Attacks. With neither skill nor aim all attacks hit.",
        default=None,
        least=1,
        most=9,
        line="Aim {}+",
    )
    strength: Integer = Integer("Before the bonuses of weapons.", line="Str {}")
    armour_penetration: Integer = Integer("Before the bonuses of weapons.", default=0, line="AP {}")
    agility: Integer = Integer(
        "The initiative step in which the part strikes; it matters in a round of combat only.",
        default=3,
        line="Agi {}",
    )
    attributes: Attributes = Attributes(
        "Attack Attributes and weapons: ``Great Weapon, Multiple Wounds (D3)``. ``Stomp Attacks (D6)`` and other "
        "Special Attacks with a value are attacks beside the part's own; ``Bow (3+)`` is the attack of a part without "
        "an Offensive Skill.",
        ATTACK_ATTRIBUTES,
        label="Attributes and weapons",
    )
    bracketed: Checked[Bracketed | None, Bracketed | None] = Checked(
        lambda value: None if value is None else validation.instance(value, Bracketed, "a Bracketed profile"),
        "The profile in brackets of an Area Attack or of Penetrating.",
        default=None,
    )
    at: Checked[str | tuple[str, ...], str | Iterable[str]] = Checked(
        _allocated,
        'Whom it is allocated to: ``"rank and file"``, ``"champion"``, or in a round of combat the name of a '
        "character. There it may be several of these in a tuple, among which its Close Combat Attacks are divided "
        "as the player likes: see `fight`.",
        default=RANK_AND_FILE,
    )
    of: Text = Text(
        "Whose part it is, in a round of combat: with these models it dies.",
        default=RANK_AND_FILE,
        label="Whose part it is",
    )
    behind: Integer = Integer(
        "How many models of the unit stand before these: the part has fewer attacks once fewer models are left.",
        default=0,
        most=MAXIMUM_MODELS,
    )
    special: Boolean = Boolean(
        "Whether this is a Special Attack, which takes no weapon and no Devastating Charge; one of them among the "
        '`attributes`, such as ``"Impact Hits"``, says so too.',
    )

    @classmethod
    def _put_item(cls, said: dict[str, Any], item: str, text: str, place: int) -> None:
        if match := re.fullmatch(r"(Att|Off|Agi)\s*[-–]", item):  # of what makes no Close Combat Attacks
            said |= {"attacks": 0} if match[1] == "Att" else {}
            return
        super()._put_item(said, re.sub("^Att (.+)", r"\1 attacks", item), text, place)

    @classmethod
    def _prepared(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Return the profile of a Shooting Weapon in its fields, for a part that does not strike in melee."""
        rules = cls.fields["attributes"].read(given.get("attributes", ()))
        weapon = next((each for each in rules if each.name in SHOOTING_WEAPONS), None)
        if weapon is None or given.get("offensive_skill") is not None:
            return given
        shots, strength, penetration, more = SHOOTING_WEAPONS[weapon.name]
        aim = given.get("aim") or weapon.text
        if not aim:
            raise MathhammerError(
                f"expected the Aim of {weapon.name!r}, as in '{weapon.name} (4+)', got none"
            )
        profile = {"attacks": shots, "strength": strength, "armour_penetration": penetration}
        rules += tuple(each for each in parse_attributes(more) if each not in rules)
        known = {name: value for name, value in profile.items() if value is not None}
        return {**known, **given, "aim": aim, "attributes": rules}

    def _check(self) -> None:
        # A book prints these with the Close Combat Attacks of a model.
        beside = {*SHOOTING_WEAPONS, "Sweeping Attack", *["Crush Attack"] * (self.strength != CRUSHING)}
        if self.offensive_skill is not None and any(map(self.has, beside)):
            rules = (replace(each, apart=True) if each.name in beside else each for each in self.attributes)
            self._put("attributes", tuple(rules))
        self._put("special", self.special or any(map(self.has, SPECIAL_ATTACKS)))
        if self.special and isinstance(self.at, tuple) and not self.has("Crush Attack"):
            raise MathhammerError(
                f"expected one pool that the Special Attack {self.name!r} is allocated to, got {shown(self.at)}; only "
                "Close Combat Attacks are divided among several"
            )
        if self.offensive_skill is not None and self.aim is not None:
            raise MathhammerError(
                f"expected an Offensive Skill or an Aim for {self.name!r}, got both; make two model parts of it"
            )
        if self.models * self.attacks.bounds()[1] > MAXIMUM_ATTACKS:
            raise MathhammerError(
                f"expected at most {MAXIMUM_ATTACKS:,} attacks of {self.name!r}, got {self.models} × {self.attacks}; "
                "use fewer"
            )

    @property
    def kind(self) -> str:
        """``"melee"``, ``"shooting"`` or ``"automatic"``."""
        if self.offensive_skill is not None:
            return "melee"
        return "shooting" if self.aim is not None else "automatic"

    @property
    def allowed(self) -> tuple[str, ...]:
        """All that it may be allocated to."""
        return self.at if isinstance(self.at, tuple) else (self.at,)

    def with_value(self, name: str, value: object) -> ModelPart:
        """Return the part with another value of one field, already checked."""
        if value == getattr(self, name):
            return self
        changed = copy(self)
        changed._put(name, value)  # noqa: SLF001 - of its own class
        return changed

    def is_melee(self, situation: Situation) -> bool:
        """True for Melee Attacks, False for Ranged Attacks."""
        return self.kind == "melee" or situation.in_combat or any(map(self.has, OF_COMBAT))

    def find(self, name: str) -> Attribute | None:
        """Return the attribute of that name, if it has it."""
        return next((attribute for attribute in self.attributes if attribute.name == name), None)

    def __str__(self) -> str:
        number = str(self.attacks)
        # "9x Orcs" and "2×D6 shots" read back if the 1 is said.
        if self.models > 1 or validation.counted(self.name) or re.match(r"\d+×", number):
            number = f"{self.models} × {number}"
        what = {"melee": "attacks", "shooting": "shots", "automatic": "automatic hits"}[self.kind]
        skill = {"melee": f"Off {self.offensive_skill}, ", "shooting": f"Aim {self.aim}+, ", "automatic": ""}
        agility = "" if self.kind == "shooting" else f", Agi {self.agility}"
        rules = f" [{', '.join(map(str, self.attributes))}]" if self.attributes else ""
        return (
            f"{self.name}: {number} {what}, {skill[self.kind]}Str {self.strength}, "
            f"AP {self.armour_penetration}{agility}{rules}"
        )


class Target(_BookLine):
    """A unit of equal rank-and-file models, perhaps with a Champion, or a single model.

    Examples
    --------
    >>> print(Target("Orcs", models=20, health_points=1, defensive_skill=3, resilience=4, armour=3, aegis="5+"))
    Orcs: 20 models, HP 1, Def 3, Res 4, Arm 3, Aegis 5+
    """

    _example = "20 models, HP 1, Def 3, Res 4, Arm 3, Aegis 5+"

    name: Text = Text("Any text.", kw_only=False, label="Name")
    models: Integer = Integer(
        "Number of rank-and-file models.",
        default=1,
        least=1,
        most=MAXIMUM_MODELS,
        line="{} model(s)",
        label="Models",
    )
    health_points: Integer = Integer(
        "Health Points of each model: they share one Health Pool.",
        default=1,
        least=1,
        line="HP {}",
    )
    defensive_skill: MaybeInteger = MaybeInteger("It is needed against Close Combat Attacks.", line="Def {}")
    resilience: Integer = Integer("The characteristic.", line="Res {}")
    armour: Integer = Integer("Sum of all armour; more than 6 counts as 6.", default=0, line="Arm {}")
    aegis: SpecialSaves = SpecialSaves(
        '``"5+"``, ``5``; ``"4+ against Magical Attacks"`` where it counts only against such; ``"5+, +1 max 4+"`` for '
        "a value that is improved to a limit; several of these in a tuple.",
        line="Aegis {}",
        many=True,
        regex=r"Aeg(?:is)?\s*(?P<aegis>.+)",
    )
    fortitude: SpecialSaves = SpecialSaves("The same, one only.", line="Fortitude {}", many=True)
    attributes: Attributes = Attributes(
        "``Distracting, Flammable, Fly, Hard Target, Parry``, sizes and types such as ``Large, Beast``; Aegis and "
        "Fortitude may stand here as books print them: ``Aegis (4+, against Magical Attacks)``.",
        PROTECTIONS,
        label="Attributes",
    )
    discipline: MaybeInteger = MaybeInteger("For the tests of its unit.", line="Dis {}")
    advance: Text = Text("Advance Rate, with which no roll is made.", default="", line="Adv {}", rare=True)
    march: Text = Text("The same of the March Rate.", default="", line="Mar {}", rare=True)
    champion: MaybeInteger = MaybeInteger(
        "Health Points of a Champion, who has a pool of its own and is not one of `models`.",
        least=1,
        line="champion of HP {}",
    )
    lost: Integer = Integer(
        "Health Points that the rank and file has lost before.", default=0, line="{} HP lost", rare=True
    )
    started_as: IntegerOrElse = IntegerOrElse(
        "Number of models at the start of the game, if it was another one: single models take no Panic Test.",
        least=1,
    )

    @classmethod
    def _prepared(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Return Aegis, Fortitude and armour in their own fields, where they stand among the attributes."""
        if not isinstance(text := given.get("attributes"), str):
            return given
        items = [item.strip() for _, item in split_items(text)]
        for name in ("aegis", "fortitude"):
            if found := [item for item in items if item.lower().startswith(name)]:
                own = given.get(name)
                more = own if isinstance(own, tuple) else () if own is None else (own,)
                items = [item for item in items if item not in found]
                given |= {name: (*more, *found)}
        if worn := [PIECES[item.lower()] for item in items if item.lower() in PIECES]:
            given |= {"armour": min(MOST_ARMOUR, given.get("armour", 0) + sum(worn))}
            items = [item for item in items if item.lower() not in PIECES]
        return given | {"attributes": ", ".join(items)}

    def _check(self) -> None:
        if self.started_as is None:
            self._put("started_as", self.models + (self.champion is not None))
        self.pool()

    @property
    def special_saves(self) -> tuple[SpecialSave, ...]:
        """Each Aegis, then the Fortitude."""
        return (*self.aegis, *self.fortitude)

    def pool(self) -> SavePool:
        """Return the Health Pool of the rank and file."""
        return SavePool(RANK_AND_FILE, self.models, self.health_points, self.lost)

    def pools(self, edition: Edition) -> SharedPools:
        """Return the Health Pools, and whether one passes on what it cannot lose."""
        if self.champion is None:
            return SharedPools((self.pool(),))
        spilling = ((0, 1),) if edition.excess_to_champion else ()
        return SharedPools((self.pool(), SavePool(CHAMPION, 1, self.champion)), spilling)


#: One model part or more, each as a profile or its stat line.
Parts = ModelPart | str | Sequence[ModelPart | str]


def as_parts(given: Parts, expected: str) -> tuple[ModelPart, ...]:
    """Return model parts, of which one may stand alone, and each may be its stat line."""
    several = (given,) if isinstance(given, ModelPart | str) else given
    found = validation.items(several, (ModelPart, str), expected, "such as '15 attacks, Off 3, Str 3'")
    return tuple(ModelPart.parse(each) if isinstance(each, str) else each for each in found)


def apart(parts: Iterable[ModelPart], *, charging: bool = True) -> Iterator[ModelPart]:
    """Yield each attack as a part of its own: books print Special Attacks among the rules of a part."""
    for part in parts:
        beside = [each for each in part.attributes if each.apart and each.name in BESIDE]
        # A part with no other attacks, "Str 5, AP 2 [Impact Hits (D6)]", is none by itself.
        if not beside or part.kind != "automatic" or part.attacks.bounds()[1] > 1:
            own = tuple(each for each in part.attributes if each not in beside)
            yield part.with_value("attributes", own)
        for each in beside:
            if each.name == "Impact Hits" and not charging:
                continue
            profile: dict[str, Any] = dict(each.bonuses)
            breath = each.name == "Breath Attack"
            yield part.changed(
                name=each.name + (f" of {part.name}" if part.name != "unnamed" else ""),
                attacks="2D6" if breath else each.value,
                offensive_skill=None,
                aim=None,
                strength=profile.get("Strength", part.strength),
                armour_penetration=profile.get(
                    "Armour Penetration", 0 if breath else part.armour_penetration
                ),
                attributes=(Attribute(each.name), *each.grants),
                bracketed=None,
                at=part.allowed[0],
            )


def require_compatible(parts: Iterable[ModelPart], remedy: str) -> None:
    """Refuse attacks of the same models of which only one may be made in a round of combat, or in a phase."""
    # 2nd edition, Model Rules: Breath Attack; Crush Attack; Grind Attacks; Impact Hits.
    for one, other in permutations(parts, 2):
        clash = (
            (one.has("Breath Attack") and other.has("Breath Attack"))
            or (one.has("Impact Hits") and other.has("Grind Attacks"))
            or (one.has("Crush Attack") and (other.has("Crush Attack") or not other.special))
        )
        apart = one.of == RANK_AND_FILE and (
            one.behind >= other.behind + other.models or other.behind >= one.behind + one.models
        )
        if clash and one.of == other.of and not apart:
            raise MathhammerError(
                f"expected {one.name!r} or {other.name!r} of one model, which may not make both, got both; {remedy}"
            )
