"""Model parts that attack and units that are attacked, as frozen profiles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.display import Named
from mathhammer.errors import MathhammerError
from mathhammer.expressions import Expression, as_expression, dice
from mathhammer.sequence import Pool, SharedPools
from mathhammer.systems.t9a.attributes import (
    ATTACK_ATTRIBUTES,
    CHAMPION,
    PROTECTIONS,
    RANK_AND_FILE,
    SPECIAL_ATTACKS,
    Attribute,
    parse_attributes,
    split_items,
)
from mathhammer.systems.t9a.saves import SpecialSave, read_special_saves
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mathhammer.systems.t9a.editions import Edition
    from mathhammer.systems.t9a.situation import Situation

#: Most that a characteristic or a number of models may be; books print 10, and a hostile text stays harmless.
MAXIMUM_CHARACTERISTIC = 100
MAXIMUM_MODELS = 1_000
MAXIMUM_ATTACKS = 5_000

#: Special Attacks that are made in combat only (The 9th Age rulebook, 2nd edition, Special Attacks).
OF_COMBAT = ("Crush Attack", "Grind Attacks", "Impact Hits", "Stomp Attacks")


@validation.called
@dataclass(frozen=True, slots=True, init=False)
class Bracketed:
    """Profile in brackets, of one hit of an Area Attack or of Penetrating.

    Parameters
    ----------
    strength, armour_penetration
        Of that hit.
    multiple_wounds
        Health Points that it takes for each wound: a number, or dice.

    Examples
    --------
    >>> str(Bracketed(strength=7, armour_penetration=4, multiple_wounds="D3").multiple_wounds)
    'D3'
    """

    strength: int
    armour_penetration: int
    multiple_wounds: Expression

    def __init__(
        self, *, strength: int, armour_penetration: int, multiple_wounds: int | str | Expression = 1
    ) -> None:
        _put_characteristics(self, locals(), ("strength", "armour_penetration"))
        object.__setattr__(self, "multiple_wounds", _number("multiple_wounds", multiple_wounds, 1))


@validation.called
@dataclass(frozen=True, slots=True, init=False, repr=False)
class ModelPart(Named):
    """Equal model parts, and the attacks that they make.

    Parameters
    ----------
    name
        Any text.
    attacks
        Attack Value, shots, or automatic hits of one model part: a number, or dice as text or expression.
    models
        How many model parts attack so; random numbers are rolled for each. With the default ``attacks`` is the
        total.
    strength, armour_penetration
        Before the bonuses of weapons.
    offensive_skill
        For Close Combat Attacks.
    aim
        ``"4+"`` or ``4``, for Shooting Attacks. With neither skill nor aim all attacks hit.
    agility
        The initiative step in which the part strikes; it matters in a round of combat only.
    attributes
        Attack Attributes and weapons: ``"Great Weapon, Multiple Wounds (D3)"``.
    bracketed
        The profile in brackets of an Area Attack or of Penetrating.
    at
        Whom it is allocated to: ``"rank and file"``, ``"champion"``, or in a round of combat the name of a
        character. There it may be several of these in a tuple, among which its Close Combat Attacks are divided as
        the player likes: see `fight`.
    of
        Whose part it is, in a round of combat: with these models it dies.
    behind
        How many models of the unit stand before these: the part has fewer attacks once fewer models are left.
    special
        Whether this is a Special Attack, which takes no weapon and no Devastating Charge; one of them among the
        `attributes`, such as ``"Impact Hits"``, says so too.

    Examples
    --------
    >>> spears = ModelPart("Spearmen", attacks=15, offensive_skill=3, strength=3, attributes="Spear")
    >>> print(spears)
    Spearmen: 15 attacks, Off 3, Str 3, AP 0, Agi 3 [Spear]
    """

    name: str
    attacks: Expression
    models: int
    strength: int
    armour_penetration: int
    offensive_skill: int | None
    aim: int | None
    agility: int
    attributes: tuple[Attribute, ...]
    bracketed: Bracketed | None
    at: str | tuple[str, ...]
    of: str
    behind: int
    special: bool

    def __init__(
        self,
        name: str,
        *,
        attacks: int | str | Expression = 1,
        models: int = 1,
        strength: int,
        armour_penetration: int = 0,
        offensive_skill: int | None = None,
        aim: int | str | None = None,
        agility: int = 3,
        attributes: str | tuple[Attribute, ...] = (),
        bracketed: Bracketed | None = None,
        at: str | tuple[str, ...] = RANK_AND_FILE,
        of: str = RANK_AND_FILE,
        behind: int = 0,
        special: bool = False,
    ) -> None:
        put = object.__setattr__
        put(self, "name", validation.text(name, "name"))
        put(self, "attacks", _number("attacks", attacks, 0))
        put(self, "models", whole("models", models, 1, MAXIMUM_MODELS))
        given = "strength", "armour_penetration", "offensive_skill", "agility"
        _put_characteristics(self, locals(), given)
        put(self, "aim", None if aim is None else need("aim", aim, 1))
        put(self, "attributes", _attributes(attributes, ATTACK_ATTRIBUTES))
        if bracketed is not None:
            validation.instance(bracketed, Bracketed, "a Bracketed profile, or None")
        put(self, "bracketed", bracketed)
        put(self, "at", _allocated(at))
        put(self, "of", validation.text(of, "whose part it is"))
        put(self, "behind", whole("behind", behind, 0, MAXIMUM_MODELS))
        put(self, "special", validation.flag(special, "special") or any(map(self.has, SPECIAL_ATTACKS)))
        if self.special and isinstance(self.at, tuple) and not self.has("Crush Attack"):
            raise MathhammerError(
                f"expected one pool that the Special Attack {name!r} is allocated to, got {shown(at)}; only Close "
                "Combat Attacks are divided among several"
            )
        if offensive_skill is not None and aim is not None:
            raise MathhammerError(
                f"expected an Offensive Skill or an Aim for {name!r}, got both; make two model parts of it"
            )
        if self.models * self.attacks.bounds()[1] > MAXIMUM_ATTACKS:
            raise MathhammerError(
                f"expected at most {MAXIMUM_ATTACKS:,} attacks of {name!r}, got {self.models} × {self.attacks}; "
                "use fewer"
            )

    @classmethod
    def parse(cls, text: str) -> ModelPart:
        """Read a stat line such as ``"Spearmen: 15 attacks, Off 3, Str 3, AP 1 [Spear]"``."""
        from mathhammer.systems.t9a.attributes import part_arguments

        return ModelPart(**part_arguments(text))

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

    def each_allowed(self) -> tuple[ModelPart, ...]:
        """Return the part allocated to each of these."""
        return tuple(self.with_value("at", name) for name in self.allowed)

    def with_value(self, name: str, value: object) -> ModelPart:
        """Return the part with another value of one field, already checked."""
        changed = copy(self)
        object.__setattr__(changed, name, value)
        return changed

    def is_melee(self, situation: Situation) -> bool:
        """Whether these are Melee Attacks, and not Ranged ones."""
        return self.kind == "melee" or situation.in_combat or any(map(self.has, OF_COMBAT))

    def has(self, name: str) -> bool:
        """Whether it has the attribute or weapon of that name."""
        return any(attribute.name == name for attribute in self.attributes)

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


@validation.called
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Target(Named):
    """A unit of equal rank-and-file models, perhaps with a Champion, or a single model.

    Parameters
    ----------
    name
        Any text.
    models, health_points
        Number of rank-and-file models, and the Health Points of each: they share one Health Pool.
    resilience
        The characteristic.
    defensive_skill
        It is needed against Close Combat Attacks.
    armour
        Sum of all armour; more than 6 counts as 6.
    aegis, fortitude
        ``"5+"``, ``5``; ``"4+ against Magical Attacks"`` where it counts only against such; ``"5+, +1 max 4+"``
        for a value that is improved to a limit. An Aegis may be several of these in a tuple.
    attributes
        ``"Distracting, Flammable, Fly, Hard Target, Parry"``, sizes and types such as ``"Large, Beast"``; Aegis and
        Fortitude may stand here as books print them: ``"Aegis (4+, against Magical Attacks)"``.
    champion
        Health Points of a Champion, who has a pool of its own and is not one of `models`.
    lost
        Health Points that the rank and file has lost before.
    started_as
        Number of models at the start of the game, if it was another one: single models take no Panic Test.

    Attributes
    ----------
    special_saves
        What `aegis` and `fortitude` were read as.

    Examples
    --------
    >>> print(Target("Orcs", models=20, health_points=1, defensive_skill=3, resilience=4, armour=3, aegis="5+"))
    Orcs: 20 models, HP 1, Def 3, Res 4, Arm 3, Aegis 5+
    """

    name: str
    models: int
    health_points: int
    resilience: int
    defensive_skill: int | None
    armour: int
    special_saves: tuple[SpecialSave, ...]
    attributes: tuple[Attribute, ...]
    champion: int | None
    lost: int
    started_as: int

    def __init__(
        self,
        name: str,
        *,
        models: int = 1,
        health_points: int = 1,
        resilience: int,
        defensive_skill: int | None = None,
        armour: int = 0,
        aegis: int | str | tuple[int | str, ...] | None = None,
        fortitude: int | str | None = None,
        attributes: str | tuple[Attribute, ...] = (),
        champion: int | None = None,
        lost: int = 0,
        started_as: int | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "name", validation.text(name, "name"))
        put(self, "models", whole("models", models, 1, MAXIMUM_MODELS))
        put(self, "health_points", whole("health_points", health_points, 1))
        _put_characteristics(self, locals(), ("resilience", "defensive_skill", "armour", "lost"))
        rules, saves = _without_saves(attributes) if isinstance(attributes, str) else (attributes, [])
        put(self, "special_saves", read_special_saves(aegis, fortitude, saves))
        put(self, "attributes", _attributes(rules, PROTECTIONS))
        put(self, "champion", None if champion is None else whole("champion", champion, 1))
        full = self.models + (champion is not None)
        put(self, "started_as", full if started_as is None else whole("started_as", started_as, 1))
        self.pool()

    def has(self, name: str) -> bool:
        """Whether it has the rule of that name."""
        return any(attribute.name == name for attribute in self.attributes)

    @classmethod
    def parse(cls, text: str) -> Target:
        """Read a stat line such as ``"Orcs: 20 models, HP 1, Def 3, Res 4, Arm 3, Aegis 5+"``."""
        from mathhammer.systems.t9a.attributes import target_arguments

        return Target(**target_arguments(text))

    def pool(self) -> Pool:
        """Return the Health Pool of the rank and file."""
        return Pool(RANK_AND_FILE, self.models, self.health_points, self.lost)

    def pools(self, edition: Edition) -> SharedPools:
        """Return the Health Pools, and whether one passes on what it cannot lose."""
        if self.champion is None:
            return SharedPools((self.pool(),))
        spilling = ((0, 1),) if edition.excess_to_champion else ()
        return SharedPools((self.pool(), Pool(CHAMPION, 1, self.champion)), spilling)

    def __str__(self) -> str:
        parts = [f"{self.models} model{'s' * (self.models > 1)}", f"HP {self.health_points}"]
        parts += [f"Def {self.defensive_skill}"] * (self.defensive_skill is not None)
        parts += [f"Res {self.resilience}", f"Arm {self.armour}", *map(str, self.special_saves)]
        parts += [f"champion of HP {self.champion}"] * (self.champion is not None)
        parts += [f"{self.lost} HP lost"] * bool(self.lost)
        rules = f" [{', '.join(map(str, self.attributes))}]" if self.attributes else ""
        return f"{self.name}: {', '.join(parts)}{rules}"


def whole(name: str, value: Any, least: int, most: int = MAXIMUM_CHARACTERISTIC) -> int:
    """Return a whole number within bounds, or refuse it."""
    return validation.whole(value, name, least, most)


def _put_characteristics(profile: object, given: Mapping[str, Any], names: Sequence[str]) -> None:
    """Set characteristics that are 0 or more, or not there."""
    for name in names:
        value = given[name]
        none = value is None and name.endswith("skill")
        object.__setattr__(profile, name, None if none else whole(name, value, 0))


def need(name: str, value: int | str, least: int) -> int:
    """Read ``"4+"`` or ``4``."""
    text = value.strip() if isinstance(value, str) else str(validation.whole(value, name))
    match = re.fullmatch(r"([0-9])\+?", text)
    if match is None or not least <= int(match[1]) <= 9:
        raise MathhammerError(f"expected a roll such as '4+' as {name}, got {shown(value)}")
    return int(match[1])


def _number(name: str, value: int | str | Expression, least: int) -> Expression:
    if isinstance(value, str):
        expression = dice(value)
    else:
        given = (
            value if isinstance(value, Expression) else validation.whole(value, name, least, MAXIMUM_ATTACKS)
        )
        expression = as_expression(given)
    low, high = expression.bounds()
    if low < least or high > MAXIMUM_ATTACKS:
        raise MathhammerError(
            f"expected {name} from {least} to {MAXIMUM_ATTACKS:,}, got {shown(str(expression))}"
        )
    return expression


def _allocated(at: str | Iterable[str]) -> str | tuple[str, ...]:
    if isinstance(at, str):
        return validation.text(at, "whom it is allocated to")
    names = validation.items(at, str, "whom it is allocated to: one text, or several in a tuple")
    if not names or len(set(names)) != len(names):
        raise MathhammerError(f"expected different texts of whom it is allocated to, got {shown(names)}")
    return names[0] if len(names) == 1 else names


def _without_saves(text: str) -> tuple[str, list[str]]:
    """Return a list of rules without Aegis and Fortitude, and these."""
    items = [item.strip() for _, item in split_items(text)]
    saves = [item for item in items if item.lower().startswith(("aegis", "fortitude"))]
    return ", ".join(item for item in items if item not in saves), saves


#: One model part or more, each as a profile or its stat line.
Parts = ModelPart | str | Sequence[ModelPart | str]


def as_parts(given: Parts, expected: str) -> tuple[ModelPart, ...]:
    """Return model parts, of which one may stand alone, and each may be its stat line."""
    several = (given,) if isinstance(given, ModelPart | str) else given
    found = validation.items(several, (ModelPart, str), expected, "such as '15 attacks, Off 3, Str 3'")
    return tuple(ModelPart.parse(each) if isinstance(each, str) else each for each in found)


def require_compatible(parts: Iterable[ModelPart], remedy: str) -> None:
    """Refuse attacks of the same models of which only one may be made in a round of combat, or in a phase.

    The 9th Age rulebook, 2nd edition, Model Rules: Breath Attack; Crush Attack; Grind Attacks; Impact Hits.
    """
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


def as_target(given: Target | str, expected: str) -> Target:
    """Return a target, which may be its stat line."""
    if isinstance(given, str):
        return Target.parse(given)
    return validation.instance(given, Target, expected, "such as '20 models, Def 3, Res 4, Arm 3'")


def _attributes(value: str | tuple[Attribute, ...], known: tuple[str, ...]) -> tuple[Attribute, ...]:
    if isinstance(value, str):
        return parse_attributes(value, known)
    return validation.items(value, Attribute, "the text of attributes, or Attributes that were read")
