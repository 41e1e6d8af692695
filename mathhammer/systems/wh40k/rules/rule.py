"""A rule as a row: where it acts, on which values, and in whose words."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from copy import copy
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from mathhammer import validation
from mathhammer.errors import MathhammerError
from mathhammer.fields.kinds import Field
from mathhammer.modifiers import Modifier, as_modifiers, read_modifier
from mathhammer.sequence.reroll_plan import RerollPlan
from mathhammer.systems.wh40k.profiles.triggers import Trigger, read_trigger
from mathhammer.validation import shown

if TYPE_CHECKING:
    from mathhammer.systems.wh40k.profiles.keywords import Keyword
    from mathhammer.systems.wh40k.profiles.profiles import Weapon
    from mathhammer.systems.wh40k.rules.roll import Making
    from mathhammer.systems.wh40k.rules.rolls import Damage
    from mathhammer.systems.wh40k.sequence.stages import Stages


#: The rolls that `modifiers` may name, and the keywords of their own modifiers; then all that it may name.
MODIFIED_ROLLS = {"hit": "hit_modifier", "wound": "wound_modifier", "saving throw": "save_modifier"}
_MODIFIED = (
    *("attacks", "extra attacks", "skill", "strength", "ap", "damage"),
    *("toughness", "save", "invulnerable"),
    *MODIFIED_ROLLS,
)
#: The rolls of an attack of which one may be re-rolled by a rule of its unit.
REROLLABLE = ("attacks", "hit", "wound", "damage")
_CRITICAL = re.compile(r"(?P<successful>successful )?(?:unmodified )?(?P<face>[2-6])\+?")


class Value(Field[Any, Any]):
    """What a keyword can be: a field of the situation, which also weighs it against what is said already."""

    accepts = "bool"
    usual: Any = False
    #: What reads it under its name, the heading of its option, and names or words that it can be.
    reads: Callable[[Any, str], Any] = staticmethod(validation.flag)
    group = ""
    names: tuple[str, ...] = ()
    #: Whether it may be said several times, and whether any value ties the rolls of an attack together.
    several = joins_rolls = False
    #: Whether the lower of two faces is better; of a re-roll whether the unit has it, and whether a policy can say it.
    enough = of_unit = policies = False

    def __init__(self, *names: str, least: int = 1, most: int = 6, **said: Any) -> None:
        self.__dict__.update(said, names=names)
        super().__init__("", default=self.usual, least=least, most=most)

    def read(self, value: Any) -> Any:
        return self.reads(value, self.name)

    def better(self, present: Any, value: Any) -> Any:  # noqa: ARG002 - a kind may look at what is there
        """Return the better of what is said already and another value, which replaces it unless both can be weighed."""
        return value


class RollModifiers(Value):
    """A number to add to a roll, or modifiers of it."""

    reads = staticmethod(as_modifiers)
    accepts, metavar, usual = "Any", "N", ()


class Names(Value):
    """Some of several names."""

    accepts, metavar, usual = "Any", "NAMES", frozenset()

    def read(self, value: Any) -> Any:
        expected = f"some of {', '.join(self.names)} as {self.name}"
        said = [part.strip().lower() for part in value.split(",")] if isinstance(value, str) else value
        found = frozenset(validation.items(said, str, expected))
        if not found <= set(self.names):
            raise MathhammerError(f"expected {expected}, with commas between them; got {shown(value)}")
        return found


class Kinds(Names):
    """True, or some of several kinds."""

    usual: Any = False

    def read(self, value: Any) -> Any:
        return value if isinstance(value, bool) else super().read(value) or False


def leader(value: Any, name: str) -> bool | str:
    """Return the name of a leader; True for the first one, ``"best"`` for a choice each time."""
    if not isinstance(value, bool | str) or not str(value).strip():
        raise MathhammerError(f"expected the name of a leader, none or best as {name}, got {shown(value)}")
    return value if isinstance(value, bool) else value != "none" and validation.text(value, name)


class Face(Value):
    """A face of a die."""

    accepts, metavar, usual = "int", "FACE", None

    def read(self, value: Any) -> int:
        return validation.whole(value, f"{self.name}, a face of the die", self.least, self.most)

    def better(self, present: Any, value: Any) -> Any:
        return min(self.read(present), self.read(value)) if self.enough else value


class Critical(Value):
    """The lowest unmodified face that is critical, as number or text: ``"successful 5+"``."""

    accepts, metavar, usual = "int | str", "FACE", 6

    def read(self, value: Any) -> int | str:
        if isinstance(value, str) and (match := _CRITICAL.fullmatch(value.strip())):
            face = int(match["face"])
            return f"successful {face}+" if match["successful"] and face < 6 else face
        if type(value) is not int or not 2 <= value <= 6:
            expected = "a face from 2 to 6, '5+' or 'successful 5+'"
            raise MathhammerError(f"expected {expected} as {self.name}, got {shown(value)}")
        return value

    def better(self, present: Any, value: Any) -> Any:  # of one face that which need not succeed
        return min(present, value, key=lambda each: critical_face(self.read(each)))


def critical_face(value: int | str) -> tuple[int, bool]:
    """Return what a lowered threshold says: the face, and whether the roll must also succeed."""
    successful = isinstance(value, str)
    return int(str(value).removeprefix("successful ").rstrip("+")), successful


class Rerolls(Value):
    """A way of re-rolling: some words, or values up to `most`, ``"1,2"``; ``"one"`` is one die that failed."""

    accepts, metavar, usual = "Any", "WHICH", None

    def read(self, value: Any) -> Any:
        if value is None or (isinstance(value, str) and value in self.names):
            return value
        if self.policies and callable(value) and not isinstance(value, type):
            return value.policy if isinstance(value, RerollPlan) else value
        faces = value
        if isinstance(value, str) and re.fullmatch(r"\s*\d\s*(,\s*\d\s*)*", value, re.ASCII):
            faces = frozenset(map(int, value.split(",")))
        # No more than any die has faces: a range may have a billion.
        few = isinstance(faces, Collection) and bool(getattr(faces, "ndim", 1)) and len(faces) <= 100
        if self.most and few and not isinstance(faces, str):
            faces = [*(faces if isinstance(faces, AbstractSet) else map(validation.plain, faces))]
            if all(type(face) is int and 1 <= face <= self.most for face in faces):
                return frozenset(faces)
        expected = " or ".join(self.names)
        expected += f" or values from 1 to {self.most} such as 1,2" if self.most else ""
        expected += " or a policy such as a plan" if self.policies and not isinstance(value, str) else ""
        raise MathhammerError(f"expected {expected} as {self.name}; got {shown(value)}")

    def better(self, present: Any, value: Any) -> Any:  # the one that allows more
        if isinstance(value, AbstractSet):
            if isinstance(present, AbstractSet):
                return present | value
            present, value = value, present
        word = value if isinstance(value, str) else ""
        if isinstance(present, AbstractSet):
            adds = word == "ones" or (word in _FACES and _FACES[word] <= present)
            return present | _FACES[word] if adds else value
        weighed = isinstance(present, str) and {present, word} <= set(_WIDER)
        return max(present, word, key=_WIDER.index) if weighed else value


#: Re-rolls, each of which allows all that those before it allow.
_WIDER = ("ones", "one", "failed-unmodified", "failed", "non-critical")
#: The faces that a set must hold to allow as much: a 6 never fails.
_FACES = {"ones": frozenset((1,)), "failed": frozenset(range(1, 6))}


def limited_rerolls(value: Any, name: str) -> tuple[str, ...]:
    """Return re-rolls of one die each: of one kind of roll, or of one of several: ``"hit or wound"``."""
    found = []
    for each in (value,) if isinstance(value, str) else validation.items(value, str, f"rolls as {name}"):
        rolls = each.split(" or ")
        if not set(rolls) <= set(REROLLABLE):
            expected = f"{', '.join(REROLLABLE)} or some of them such as 'hit or wound' as {name}"
            raise MathhammerError(f"expected {expected}, got {shown(each)}")
        found.append(" or ".join(roll for roll in REROLLABLE if roll in rolls))
    return tuple(found)


def modifiers(value: Any, name: str) -> tuple[Modifier, ...]:
    """Return modifiers of characteristics and rolls, each of which says of what."""
    several: Any = (value,) if isinstance(value, str | Modifier) else () if value is None else value
    if validation.is_several(several):
        several = (read_modifier(each, name) if isinstance(each, str) else each for each in several)
    given = as_modifiers(several, name)
    for modifier in given:
        if modifier.of not in _MODIFIED:
            got = shown(f"{modifier.of} {modifier}".strip())
            got += "" if modifier.of else "; say of='...' in each Modifier"
            raise MathhammerError(f"expected a modifier of {', '.join(_MODIFIED)}; got {got}")
        if modifier.of in MODIFIED_ROLLS and modifier.when is not None:
            got = f"{modifier}; a trigger acts on results"
            raise MathhammerError(f"expected a modifier of a roll without a trigger, got {got}")
    return given


def triggers(value: Any, name: str) -> tuple[Trigger, ...]:
    """Return what rules do on particular results."""
    given = (value,) if isinstance(value, Trigger | str) else value
    several = validation.items(given, (Trigger, str), f"Triggers as {name}")
    return tuple(read_trigger(each, name) if isinstance(each, str) else each for each in several)


#: What can be said several times, and ties the rolls of an attack together.
SEVERAL: dict[str, Any] = {"accepts": "Any", "usual": (), "several": True}


#: The rolls of an attack, in order.
ROLLS = ("attacks", "hit", "wound", "save", "damage")


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A rule of the game."""

    #: What datasheets, or the arguments of the library, call it.
    name: str
    _: KW_ONLY
    #: The public text that it is from.
    source: str
    #: What it does or means, in one sentence: for options, controls and lists of rules.
    help: str = ""
    #: The conditions without which it is not in force, and those under which it is not or cannot be.
    needs: tuple[Condition, ...] = ()
    barred_by: tuple[Condition, ...] = ()
    #: ``"ranged"`` where it is about ranged attacks alone, and the weapon abilities that it does not touch.
    against: Literal["ranged"] | None = None
    exempt: tuple[str, ...] = ()
    #: What it does to that roll.
    attacks: Effect | None = None
    hit: Effect | None = None
    wound: Effect | None = None
    save: Effect | None = None
    damage: Effect | None = None
    #: In words why it has no effect here although it is in force; nothing where it has one.
    idle: Callable[[Stages], str] | None = None
    #: Whether it is in force for a weapon and a damage roll, where it looks at them.
    reads_damage: Callable[[Weapon, Damage], bool] | None = None

    @property
    def rolls(self) -> tuple[str, ...]:
        """The rolls that it changes."""
        return tuple(roll for roll in ROLLS if getattr(self, roll) is not None)

    def exempts(self, keywords: tuple[Keyword, ...], *, melee: bool) -> str:
        """Why it does not touch a weapon; nothing where it does."""
        if melee and self.against == "ranged":
            return "a melee weapon"
        return next((keyword.name for keyword in keywords if keyword.name in self.exempt), "")


class ActiveRule(NamedTuple):
    """A rule in force with its value: that of a weapon ability, a target or a situation."""

    rule: Rule
    value: Any

    @property
    def source(self) -> str:
        """Its name with what it needs, as modifiers name where they come from: ``"Heavy, remained stationary"``."""
        name = str(self.value) if isinstance(self.rule, Ability) else self.rule.name
        return ", ".join((name, *(need.when for need in self.rule.needs)))


Rules = tuple[ActiveRule, ...]
#: What a rule does to a roll that is being made.
Effect = Callable[["Making", ActiveRule], None]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Ability(Rule):
    """A weapon ability."""

    #: What stands after its name: nothing, dice, a number or perhaps one, or the keyword of a target and a roll.
    value: Literal["", "dice", "number", "optional number", "roll"] = ""
    #: Whether it acts on particular results, so that strict readings forbid to roll attacks together.
    on_results: bool = False
    #: What a page says of it where it is in force; nothing where the modifiers that it brings say enough.
    says: Callable[[Stages], str] | None = None
    #: What it does outside the rolls.
    note: str = ""
    #: Whether its attacks hit without a roll.
    hits_automatically: bool = False
    #: The condition under which only weapons with it can attack.
    permits: Condition | None = None
    #: As what it is offered to try: texts of a stat line.
    offers: tuple[str, ...] = ()
    #: Whether it counts the models of the target when the target is chosen.
    counts_models: bool = False
    #: Whether its wounds can be directed at a leader.
    directs: bool = False
    #: Whether its attacks are Psychic Attacks, and the mortal wounds that it brings psychic.
    psychic: bool = False
    #: Whether those who carry it take a test after its attacks.
    tests_bearers: bool = False
    #: Whether a model shoots with such weapons or with all others, and whether it fights with it beside another.
    instead_of_others: bool = False
    beside_others: bool = False
    #: What a computation of a whole list leaves out of it, before the names of the weapons.
    left_out: str = ""
    #: The abilities that a weapon cannot have beside it.
    excludes: tuple[str, ...] = ()


def abilities_of(weapon: Weapon, known: Mapping[str, Ability]) -> list[Ability]:
    """Return those rules of a table that a weapon has."""
    return [known[keyword.name] for keyword in weapon.keywords if keyword.name in known]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TargetRule(Rule):
    """A rule of a target, named as the argument of a Target that gives it."""

    #: Whether the target uses it once in a phase, so that it is a part of its state.
    once: bool = False
    #: What a stat line says where a target has it, if that is all that there is to say.
    printed: str = ""
    #: Whether a unit has it only if all its living models have it.
    of_all: bool = False


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Condition(Rule):
    """A keyword of the situation, and what it changes."""

    #: What it can be.
    value: Value = field(default_factory=Value)
    #: The heading of its option.
    group: str = "Situation"
    #: How a page says that it is on, for a value.
    shown: str = ""
    #: Words for where it holds: ``"moved"``.
    when: str = ""
    #: Words for where it does not: ``"did not move"``.
    unless: str = ""
    #: Whether it is among what is asked for most: in sight on a panel, and a change of its own to try.
    offered: bool = False
    #: The conditions that cannot be true with it.
    excludes: tuple[str, ...] = ()
    #: In words what a ranged weapon cannot do without an ability that permits it.
    barred: str = ""
    #: What a page says of the re-roll of one die, shared by all volleys of the unit or not.
    says_one: Callable[[Stages, bool], str] | None = None

    def __post_init__(self) -> None:
        value = copy(self.value)  # rows that are made of others share it
        shown = self.shown.partition("{")[0].strip(": ")
        value.label = shown[:1].upper() + shown[1:] if shown else self.help.rstrip(".")
        value.name, value.help, value.group = self.name, self.help, self.group
        object.__setattr__(self, "value", value)


RuleT = TypeVar("RuleT", bound=Rule)


def worded(kind: type[RuleT], words: str) -> Callable[..., RuleT]:
    """Return a function that makes the rule of a name; a row for each gives its meaning and its source.

    A condition's row may go on with the words for where it holds and for where it does not; its group stands above it.
    """
    known: dict[str, dict[str, Any]] = {}
    alike: dict[str, str] = {}
    for row in words.strip().splitlines():
        name, _, said = row.strip().partition(":")
        if not said:
            alike = {"group": name}
            continue
        cells = (" ".join(cell.split()) for cell in said.split("|"))
        said_of = dict(zip(("help", "source", "when", "unless"), cells, strict=False))
        known[name] = {**alike, "name": name, **said_of}
    return lambda name, **more: kind(**{**known[name], **more})
