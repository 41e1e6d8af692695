"""A rule as one entry: its name, what it needs, which rolls it changes and how, and its source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.systems.wh40k.profiles.keywords import Keyword
    from mathhammer.systems.wh40k.profiles.profiles import Weapon
    from mathhammer.systems.wh40k.rules.values import Value
    from mathhammer.systems.wh40k.sequence.stages import Stages

#: The rolls of an attack, in order.
ROLLS = ("attacks", "hit", "wound", "save", "damage")

#: What a rule does to a roll that is being made; the second argument is the rule with its value.
Effect = Callable[[Any, "InForce"], None]


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A rule of the game.

    Parameters
    ----------
    name
        What datasheets, or the arguments of the library, call it.
    source
        The public text that it is from.
    help
        What it does or means, in one sentence: for options, controls and lists of rules.
    needs
        The conditions without which it is not in force.
    against
        ``"ranged"`` where it is about ranged attacks alone.
    exempt
        The weapon abilities that it does not touch.
    attacks, hit, wound, save, damage
        What it does to that roll.
    idle
        In words why it has no effect here although it is in force; nothing where it has one.
    reads_damage
        Whether it is in force for a weapon and a damage roll, where it looks at them.
    """

    name: str
    _: KW_ONLY
    source: str
    help: str = ""
    needs: tuple[Condition, ...] = ()
    against: Literal["ranged"] | None = None
    exempt: tuple[str, ...] = ()
    attacks: Effect | None = None
    hit: Effect | None = None
    wound: Effect | None = None
    save: Effect | None = None
    damage: Effect | None = None
    idle: Callable[[Stages], str] | None = None
    reads_damage: Callable[[Weapon, Any], bool] | None = None

    @property
    def rolls(self) -> tuple[str, ...]:
        """The rolls that it changes."""
        return tuple(roll for roll in ROLLS if getattr(self, roll) is not None)

    def exempts(self, keywords: tuple[Keyword, ...], *, melee: bool) -> str:
        """Why it does not touch a weapon; nothing where it does."""
        if melee and self.against == "ranged":
            return "a melee weapon"
        return next((keyword.name for keyword in keywords if keyword.name in self.exempt), "")


class InForce(NamedTuple):
    """A rule in force with its value: that of a weapon ability, a target or a situation."""

    rule: Rule
    value: Any

    @property
    def source(self) -> str:
        """Its name with what it needs, as modifiers name where they come from: ``"Heavy, remained stationary"``."""
        name = str(self.value) if isinstance(self.rule, Ability) else self.rule.name
        return ", ".join((name, *(need.when for need in self.rule.needs)))


@dataclass(frozen=True, slots=True, eq=False)
class Ability(Rule):
    """A weapon ability.

    Parameters
    ----------
    value
        What stands after its name: nothing, dice, a number or perhaps one, or the keyword of a target and a roll.
    on_results
        Whether it acts on particular results, so that strict readings forbid to roll attacks together.
    says
        What a page says of it where it is in force; nothing where the modifiers that it brings say enough.
    note
        What it does outside the rolls.
    hits_automatically
        Whether its attacks hit without a roll.
    permits
        The condition under which only weapons with it can attack.
    offers
        As what it is offered to try: texts of a stat line.
    counts_models
        Whether it counts the models of the target when the target is chosen.
    directs
        Whether its wounds can be directed at a leader.
    psychic
        Whether its attacks are Psychic Attacks, and the mortal wounds that it brings psychic.
    tests_bearers
        Whether those who carry it take a test after its attacks.
    instead_of_others
        Whether a model shoots with such weapons or with all others.
    beside_others
        Whether a model fights with it beside another weapon.
    left_out
        What a computation of a whole list leaves out of it, before the names of the weapons.
    """

    _: KW_ONLY
    value: Literal["", "dice", "number", "optional number", "roll"] = ""
    on_results: bool = False
    says: Callable[[Stages], str] | None = None
    note: str = ""
    hits_automatically: bool = False
    permits: Condition | None = None
    offers: tuple[str, ...] = ()
    counts_models: bool = False
    directs: bool = False
    psychic: bool = False
    tests_bearers: bool = False
    instead_of_others: bool = False
    beside_others: bool = False
    left_out: str = ""


def abilities_of(weapon: Weapon, known: Mapping[str, Ability]) -> list[Ability]:
    """Return those rules of a table that a weapon has."""
    return [known[keyword.name] for keyword in weapon.keywords if keyword.name in known]


@dataclass(frozen=True, slots=True, eq=False)
class TargetRule(Rule):
    """A rule of a target, named as the argument of a Target that gives it.

    Parameters
    ----------
    once
        Whether the target uses it once in a phase, so that it is a part of its state.
    printed
        What a stat line says where a target has it, if that is all that there is to say.
    of_all
        Whether a unit has it only if all its living models have it.
    value
        What the argument can be, for its control; nothing where it has none.
    short
        What stands beside its control where `help` is too long.
    offered
        Whether its control is always in sight.
    """

    _: KW_ONLY
    once: bool = False
    printed: str = ""
    of_all: bool = False
    value: Value | None = None
    short: str = ""
    offered: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Condition(Rule):
    """What is true of a volley: a keyword of the situation.

    Parameters
    ----------
    value
        What it can be.
    group
        The heading of its option.
    shown
        How a page says that it is on, for a value.
    when, unless
        In words that it is so, and that it is not.
    offered
        Whether it is among what is asked for most: in sight on a panel, and a change of its own to try.
    excludes
        The conditions that cannot be true with it.
    barred
        In words what a ranged weapon cannot do without an ability that permits it.
    joins_rolls
        Whether it ties the rolls of an attack together, so that a grid cannot share them.
    option
        The name of its option where that is not the keyword.
    says_one
        What a page says of the re-roll of one die, shared by all volleys of the unit or not.
    """

    _: KW_ONLY
    value: Value
    group: str
    shown: str = ""
    when: str = ""
    unless: str = ""
    offered: bool = False
    excludes: tuple[str, ...] = ()
    barred: str = ""
    joins_rolls: Callable[[Any], bool] | None = None
    option: str = ""
    says_one: Callable[[Stages, bool], str] | None = None

    @property
    def label(self) -> str:
        """What stands beside its control."""
        shown = self.shown.partition("{")[0].strip(": ")
        return shown[:1].upper() + shown[1:] if shown else self.help.rstrip(".")
