"""A rule as one entry: its name, what it needs, which rolls it changes and how, and its source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, Never, TypeVar

from mathhammer.systems.wh40k.rules.values import Flag

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.systems.wh40k.profiles.keywords import Keyword
    from mathhammer.systems.wh40k.profiles.profiles import Weapon
    from mathhammer.systems.wh40k.rules.damage import Damage
    from mathhammer.systems.wh40k.rules.values import Face, Value, Whole
    from mathhammer.systems.wh40k.sequence.stages import Stages

#: The rolls of an attack, in order.
ROLLS = ("attacks", "hit", "wound", "save", "damage")

ValueT_co = TypeVar("ValueT_co", covariant=True)


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
    #: The conditions without which it is not in force.
    needs: tuple[Condition, ...] = ()
    #: The conditions under which an ability is not in force, and which cannot be true with a condition.
    barred_by: tuple[Condition, ...] = ()
    #: ``"ranged"`` where it is about ranged attacks alone.
    against: Literal["ranged"] | None = None
    #: The weapon abilities that it does not touch.
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


class ActiveRule(NamedTuple, Generic[ValueT_co]):
    """A rule in force with its value: that of a weapon ability, a target or a situation."""

    rule: Rule
    value: ValueT_co

    @property
    def source(self) -> str:
        """Its name with what it needs, as modifiers name where they come from: ``"Heavy, remained stationary"``."""
        name = str(self.value) if isinstance(self.rule, Ability) else self.rule.name
        return ", ".join((name, *(need.when for need in self.rule.needs)))


Rules = tuple[ActiveRule[object], ...]
#: What a rule does to a roll that is being made; the second argument is the rule with its value. Each effect knows of
#: which roll and which value it is.
Effect = Callable[[Never, ActiveRule[Never]], None]


@dataclass(frozen=True, slots=True, eq=False)
class Ability(Rule):
    """A weapon ability."""

    _: KW_ONLY
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
    #: Whether a model shoots with such weapons or with all others.
    instead_of_others: bool = False
    #: Whether a model fights with it beside another weapon.
    beside_others: bool = False
    #: What a computation of a whole list leaves out of it, before the names of the weapons.
    left_out: str = ""
    #: The abilities that a weapon cannot have beside it.
    excludes: tuple[str, ...] = ()


def abilities_of(weapon: Weapon, known: Mapping[str, Ability]) -> list[Ability]:
    """Return those rules of a table that a weapon has."""
    return [known[keyword.name] for keyword in weapon.keywords if keyword.name in known]


@dataclass(frozen=True, slots=True, eq=False)
class TargetRule(Rule):
    """A rule of a target, named as the argument of a Target that gives it."""

    _: KW_ONLY
    #: Whether the target uses it once in a phase, so that it is a part of its state.
    once: bool = False
    #: What a stat line says where a target has it, if that is all that there is to say.
    printed: str = ""
    #: Whether a unit has it only if all its living models have it.
    of_all: bool = False
    #: What the argument can be, for its control; nothing where it has none.
    value: Face | Flag | Whole | None = None
    #: What stands beside its control where `help` is too long.
    short: str = ""
    #: Whether its control is always in sight.
    offered: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Condition(Rule):
    """What is true of a volley: a keyword of the situation."""

    _: KW_ONLY
    #: What it can be.
    value: Value[object] = field(default_factory=Flag)
    #: The heading of its option.
    group: str = "Situation"
    #: How a page says that it is on, for a value.
    shown: str = ""
    #: In words that it is so, and that it is not.
    when: str = ""
    unless: str = ""
    #: Whether it is among what is asked for most: in sight on a panel, and a change of its own to try.
    offered: bool = False
    #: The conditions that cannot be true with it.
    excludes: tuple[str, ...] = ()
    #: In words what a ranged weapon cannot do without an ability that permits it.
    barred: str = ""
    #: Whether it ties the rolls of an attack together, so that a grid cannot share them.
    joins_rolls: Callable[[object], bool] | None = None
    #: The name of its option where that is not the keyword.
    option: str = ""
    #: What a page says of the re-roll of one die, shared by all volleys of the unit or not.
    says_one: Callable[[Stages, bool], str] | None = None

    @property
    def label(self) -> str:
        """What stands beside its control."""
        shown = self.shown.partition("{")[0].strip(": ")
        return shown[:1].upper() + shown[1:] if shown else self.help.rstrip(".")
