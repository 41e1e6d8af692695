"""What an edition of Warhammer 40,000 is: tables of rules, numbers, and the readings of what is disputed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mathhammer.display import Named
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.modifiers import CharacteristicRules
from mathhammer.sequence.rulings import Ruling, Rulings, rulings_in_force
from mathhammer.systems.wh40k.rules.rule import Ability, Condition, Rule, TargetRule

if TYPE_CHECKING:
    from mathhammer.modifiers import Order
    from mathhammer.systems.wh40k.profiles.keywords import Keyword
    from mathhammer.systems.wh40k.rules.abilities import Cover


def table(*rules: Rule) -> dict[str, Any]:
    """Return rules by name."""
    return {rule.name: rule for rule in rules}


#: Of a ruling and its option the fields of an edition that it changes.
Readings = Mapping[tuple[str, str], Mapping[str, object]]


class Hazard(NamedTuple):
    """One D6 for a weapon or a model, and the effect on its unit on a low roll."""

    #: The highest roll that fails.
    fails_up_to: int
    #: The mortal wounds that a failed roll inflicts; None where a model is destroyed.
    wounds: int | None
    #: The same where every model of the unit is a Monster or a Vehicle.
    wounds_of_machines: int | None
    #: Whether one bearer suffers them, a wounded one first, and what is left when it dies is lost; otherwise the unit
    #: suffers them as any mortal wounds.
    on_one_bearer: bool = False


class ChargeRules(NamedTuple):
    """A charge roll: what it must reach, and what limits it, in inches."""

    #: What between the models where the charge ends need not be rolled.
    reach: int
    #: Within which a unit is engaged, and does not charge.
    engagement: int = 1
    #: Within which a target must be.
    within: int = 12
    #: The most that the roll is after modifiers; None without a limit.
    most: int | None = None
    #: What a higher roll becomes of a unit that intervenes so; None where there is no such rule.
    into_the_fray: int | None = None
    #: What taking to the skies costs; None where there is no such rule.
    skies: int | None = None
    #: Whether Fire Overwatch may answer its declaration; otherwise it comes before, when the enemy has moved.
    answered: bool = True


class BattleShockRules(NamedTuple):
    """Who takes a battle-shock roll, besides a unit below half strength."""

    #: Whether a unit at half strength does.
    at_half: bool
    #: Whether a unit does after a Desperate Escape.
    after_escape: bool


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Edition(Named):
    """The rules of one edition: abilities, limits and disputed rulings.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> wh40k.EDITIONS["10e"].title
    'Warhammer 40,000 10th edition'
    """

    #: ``"10e"``.
    name: str
    #: The name in full.
    title: str
    #: Largest net improvement of a saving throw; none where it is not limited.
    save_cap: int | None
    #: From which unmodified face a roll is critical, and whether it must also succeed; none where unmodified
    #: rolls of 6 only succeed.
    criticals: tuple[tuple[int, bool], ...]
    #: Of how many models Blast takes notice at a time.
    models_of_blast: int
    #: Weapon abilities by name.
    abilities: Mapping[str, Ability]
    #: What can be true of a volley, by name.
    conditions: Mapping[str, Condition]
    #: Rules of targets by name.
    target_rules: Mapping[str, TargetRule]
    #: The kinds of cover; ``cover=True`` is the first.
    covers: tuple[Cover, ...]
    #: Limits of each characteristic.
    characteristics: Mapping[str, CharacteristicRules]
    #: The disputed points that move a number, with their defaults.
    rulings: tuple[Ruling, ...]
    #: What an option of a ruling changes: of the ruling and the option the fields; a table takes the new entries.
    readings: Readings
    #: Largest net modifier of a hit or wound roll, either way.
    roll_cap: int = 1
    #: Whether a re-roll of what failed is of rolls that fail as modified, or before modifiers.
    failed: Literal["failed", "failed-unmodified"] = "failed"
    #: Whether a unit has one leader unless a Leader ability says otherwise.
    one_leader: bool = False
    #: Whether a Command Re-roll is of one die where several are added together; otherwise of all of them.
    command_reroll_of_one_die: bool = False
    #: Whether identical attacks are resolved together to their end, and saved in groups of models, the lowest
    #: die first; Toughness and keywords are then those of the models left. Otherwise one attack after another.
    in_pools: bool = False
    #: When each kind of deferred wounds has its turn, the least first.
    order_of_deferred: Mapping[str, int] = field(default_factory=lambda: {"mortal": 0, "devastating": 1})
    #: Whether each kind waits for the end of the unit's attacks, or of those of its weapon only.
    deferred_to_end_of_unit: Mapping[str, bool] = field(
        default_factory=lambda: {"mortal": True, "devastating": True}
    )
    #: When mortal wounds that no weapon inflicts have their turn.
    order_of_direct: int = 0
    # Rulings may change the fields from here to `saves_rerolled_together`; their texts explain them.
    #: Whether the cap of saving throws is for their bonuses alone, before Armour Penetration.
    caps_bonuses: bool = False
    #: Whether a bonus to armour saves helps the invulnerable save that is made with the same die.
    armour_bonus_on_the_die: bool = False
    #: Whether several rules that subtract from Damage all do.
    reductions_add_up: bool = True
    #: Whether Devastating Wounds of an attack with Precision are directed as the attack is.
    deferred_precision: bool = True
    #: Whether a model whose mortal wounds were all ignored was allocated an attack.
    ignored_allocate: bool = True
    #: Whether the Toughness of a unit is that of most of its models, not the highest.
    majority_toughness: bool = False
    #: Whether a leader that is hurt, or was allocated an attack, comes before the bodyguards.
    wounded_leader_first: bool = False
    #: Whether the player of a target chooses whose Damage is changed to 0; otherwise it is the first failed save.
    chooses_negated: bool = False
    #: Whether the unmodified 6s that hit in Fire Overwatch are critical hits.
    snap_shots_are_critical: bool = True
    #: Whether additional hits of a critical hit have what a rule gives to critical hits.
    extra_hits_alike: bool = False
    #: Of pools, whether Precision goes on to another character.
    second_precision: bool = False
    #: Of pools, whether Precision names a character even where no wound allows a save.
    precision_without_saves: bool = True
    #: Of pools, whether Precision names a character before the groups are put in order.
    precision_before_order: bool = True
    #: Of pools, whether attacks that were changed by their own roll come before the others.
    special_pools_first: bool = True
    #: Of those pools, whether the ones whose hit roll gave Precision come before those with a better AP alone.
    precision_first: bool = True
    #: Whether the attacker chooses the next pool by what the pools before it have done.
    orders_pools: bool = False
    #: Of pools, whether the player of a unit chooses the order of its groups.
    orders_groups: bool = False
    #: Of pools, whether saves are re-rolled before the first is resolved, as the first group's rules say.
    saves_rerolled_together: bool = True
    #: The roll for hazards; None where the edition has no such roll.
    hazard: Hazard | None = None
    #: The roll for a Desperate Escape; None where the edition has no such roll.
    desperate_escape: Hazard | None = None
    #: The charge roll; None where the edition has no such roll.
    charge: ChargeRules | None = None
    #: Who takes a battle-shock roll; None where the edition has no such roll.
    battle_shock: BattleShockRules | None = None
    #: Whether the player whose turn it is picks the first unit of those that fight at once; None where turns are not
    #: computed.
    active_player_fights_first: bool | None = None
    #: Whether destroyed models that may fight wait for their unit, or fight as soon as the enemy's attacks are made.
    dead_fight_with_unit: bool = False

    defaults: Rulings = field(init=False)
    """The rulings in force where nobody chooses otherwise; nearly every attack asks for them."""
    by_default: Edition = field(init=False)
    """The edition as read with these."""
    read_as: tuple[tuple[str, str], ...] | None = None
    """Of an edition as read: the option of each ruling."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "defaults", rulings_in_force(self.rulings, None))
        object.__setattr__(self, "by_default", self._read(tuple(self.defaults.items())))

    @property
    def critical(self) -> bool:
        """True if the edition has critical rolls."""
        return bool(self.criticals)

    @property
    def succeeds_from(self) -> int:
        """From which unmodified face a roll succeeds without being critical; 7 for none."""
        return 7 if self.criticals else 6

    @property
    def ordinal(self) -> str:
        """``"10th edition"``."""
        return self.title.removeprefix("Warhammer 40,000 ")

    def ability(self, keyword: Keyword) -> Ability | None:
        """Return the rule of a weapon's keyword, if the edition has it with such a value."""
        rule = self.abilities.get(keyword.name)
        return rule if rule is not None and (keyword.value is None or rule.value) else None

    def others(self, keyword: Keyword) -> str:
        """Say of which editions an ability is that this one does not know."""
        known = [each.ordinal for each in EVERY if each.ability(keyword) is not None]
        return f": {keyword} is an ability of the {' and the '.join(known)}" if known else ""

    def in_force(self, chosen: Mapping[str, str] | None) -> Rulings:
        """Return the option in force for each ruling."""
        if chosen is None:
            return self.defaults
        for name in chosen.keys() - self.defaults.keys() if isinstance(chosen, Mapping) else ():
            if known := [other.ordinal for other in EVERY if name in other.defaults]:
                which = f"which is a ruling of the {' and the '.join(known)}"
                raise UnknownNameError(f"expected a ruling of the {self.ordinal}, got {name!r}, {which}")
        return rulings_in_force(self.rulings, chosen)

    def ruled(self, rulings: Mapping[str, str]) -> Edition:
        """Return the edition as read with such rulings, see :meth:`in_force`."""
        if rulings is self.defaults:
            return self.by_default
        return _ruled(self, tuple((ruling.name, rulings[ruling.name]) for ruling in self.rulings))

    def with_rules(self, *rules: Rule, name: str = "") -> Edition:
        """Return the edition with further rules, or others in place of those of the same name.

        With a name of its own, such as ``"10e house"``, it is known by it: ``edition="10e house"``, or the edition
        itself, stands wherever an edition is asked for, and stat lines may hold its abilities.
        """
        kinds = {"abilities": Ability, "conditions": Condition, "target_rules": TargetRule}
        more: dict[str, Any] = {
            name: getattr(self, name) | table(*(rule for rule in rules if isinstance(rule, kind)))
            for name, kind in kinds.items()
        }
        if not name:
            return replace(self, **more)
        if name in [*OWN, *(each.name for each in EVERY)]:
            got = f"got {name!r}, which another has"
            raise MathhammerError(f"expected a name of its own for an edition, {got}")
        OWN[name] = replace(self, name=name, **more), OWN.get(self.name, (self, self.name))[1]
        return OWN[name][0]

    def known_as(self) -> str:
        """Return the name by which it is found, or refuse one that would be taken for another."""
        if not any(self is each for each in (*EVERY, *(own for own, _ in OWN.values()))):
            got = f'another {self.name!r}; make it by with_rules(..., name="{self.name} of mine")'
            raise MathhammerError(f"expected an edition with a name of its own, got {got}")
        return self.name

    def _read(self, options: tuple[tuple[str, str], ...]) -> Edition:
        changes: dict[str, Any] = {}
        for option in options:
            for name, value in self.readings.get(option, {}).items():
                known = changes.get(name, getattr(self, name))
                changes[name] = {**known, **value} if isinstance(value, dict) else value
        return replace(self, **changes, readings={}, read_as=options) if changes else self

    def __str__(self) -> str:
        return f"{self.name}: {self.title}, {len(self.rulings)} disputed rulings"


#: All editions; the room that knows them puts them here.
EVERY: list[Edition] = []
#: Editions with rules of somebody's own by their names, each with the name of the one that it was made of.
OWN: dict[str, tuple[Edition, str]] = {}


@lru_cache(maxsize=256)
def _ruled(edition: Edition, options: tuple[tuple[str, str], ...]) -> Edition:
    return edition._read(options)  # noqa: SLF001 - kept here, since the class has slots


def characteristics(
    order: Order, skill_worst: int | None = None, leadership: tuple[int, int | None] = (5, 8)
) -> Mapping[str, CharacteristicRules]:
    """Return the limits of each characteristic, most of which editions share."""
    least, most = leadership
    # The name, the least and the most, whether lower is better, and whether a value that is set may be below.
    rows: dict[str, tuple[Any, ...]] = {
        "movement": ("M", 1),
        "toughness": ("T", 1),
        "save": ("Sv", 2, None, True),
        "invulnerable": ("InSv", 2, None, True),
        "wounds": ("W", 1),
        "leadership": ("Ld", least, most, most is not None),
        "objective_control": ("OC", 0),
        "range": ("Range", 1),
        "attacks": ("A", 1),
        "skill": ("Skill", 2, skill_worst, True),
        "strength": ("S", 1),
        "ap": ("AP", None, 0, True),
        "damage": ("D", 1, None, False, True),
    }
    return {name: CharacteristicRules(row[0], order, *row[1:]) for name, row in rows.items()}
