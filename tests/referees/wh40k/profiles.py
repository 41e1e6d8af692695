"""Models, volleys and rulings as plain numbers; every field is a switch that is off by default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plain_dice import Dice, fixed

if TYPE_CHECKING:
    from plain_dice import Reroll

ONE, FOUR = fixed(1), fixed(4)


@dataclass(frozen=True)
class Kind:
    """Equal models of a unit; the first of them has lost some wounds."""

    wounds: int = 1
    save: int | None = None  # 7 is a number like any other: with +1 a 6 makes it
    invulnerable: int | None = None
    toughness: int = 4
    models: int = 1
    invulnerable_against: str | None = None  # "ranged" or "melee"; None for both
    feel_no_pain: int | None = None
    feel_no_pain_mortal: int | None = None
    feel_no_pain_psychic: int | None = None
    damage_reduction: int = 0
    half_damage: bool = False
    damage_1_save_bonus: int = 0
    damage_to_0: bool = False  # once: the Damage of a failed save becomes 0
    deadly_demise: Dice | None = None
    keywords: tuple[str, ...] = ()
    lost: int = 0
    leader: bool = False  # attached to the others, its bodyguards
    character: bool = False  # a group of its own in the 11th edition


Unit = tuple[Kind, ...]


@dataclass(frozen=True)
class Rule:
    """What a rule does on a successful roll: `on` is "critical", "each", "unmodified" or "modified"."""

    roll: str  # "hit" or "wound"
    on: str = "unmodified"
    low: int = 6
    high: int | None = None  # None: `low` or more
    extra_hits: Dice | None = None
    extra_attacks: Dice | None = None
    mortal_wounds: Dice | None = None
    instead: bool = False
    wounds: bool = False
    improve_ap: int = 0
    ap: int | None = None

    def fires(self, face: int, modifier: int, result: str) -> bool:
        if self.on in ("critical", "each"):
            return self.on == "each" or result == "critical"
        shown = face if self.on == "unmodified" else max(1, face + modifier)
        return shown >= self.low and (self.high is None or shown <= self.high)


@dataclass(frozen=True)
class Volley:
    """Equal weapons of a unit, and all that is true of them; changes below 0 do harm."""

    attacks: Dice = ONE
    weapons: int = 1
    skill: int | None = 3  # None: it hits without a roll, as with `torrent`
    strength: Dice = FOUR
    ap: int = 0
    damage: Dice = ONE
    melee: bool = False
    # Abilities of the weapon
    torrent: bool = False
    pistol: bool = False
    heavy: bool = False
    assault: bool = False
    blast: int = 0
    cleave: int = 0
    rapid_fire: Dice | None = None
    melta: int = 0
    lance: bool = False
    indirect_fire: bool = False
    ignores_cover: bool = False
    conversion: bool = False
    psychic: bool = False
    lethal_hits: bool = False
    sustained_hits: tuple[Dice, ...] = ()
    devastating_wounds: bool = False
    twin_linked: bool = False
    anti: tuple[tuple[str, int], ...] = ()
    # The situation
    half_range: bool = False
    long_range: bool = False
    stationary: bool = False
    moved: bool = False
    advanced: bool = False
    charged: bool = False
    target_charged: bool = False
    cover: bool = False
    terrain: frozenset[str] = frozenset()  # 9th edition: "light", "heavy", "dense" cover
    stealth: bool = False
    smokescreen: bool = False
    go_to_ground: bool = False
    engaged: bool = False
    plunging_fire: bool = False
    damaged: bool = False
    overwatch: bool = False
    indirect: bool = False
    spotted: bool = False  # somebody sees the target of an indirect attack (11th edition)
    # Rules beside it
    hit_modifier: tuple[int, ...] = ()
    wound_modifier: tuple[int, ...] = ()
    save_modifier: tuple[int, ...] = ()
    attacks_change: tuple[int, ...] = ()
    skill_change: tuple[int, ...] = ()
    strength_change: tuple[int, ...] = ()
    ap_change: tuple[int, ...] = ()
    damage_change: tuple[int, ...] = ()
    damage_halved: bool = False
    critical_hit: int = 6
    critical_hit_must_succeed: bool = False
    critical_wound: int = 6
    critical_wound_must_succeed: bool = False
    wounds_on: int | None = None
    wound_fails_up_to: int = 1
    ignored: frozenset[str] = frozenset()  # what is harmful there is dropped
    reroll_hits: Reroll = None
    reroll_wounds: Reroll = None
    reroll_damage: Reroll = None
    reroll_saves: Reroll = None
    rules: tuple[Rule, ...] = ()
    precision: tuple[int, ...] = ()  # kinds at which it is directed, the first living one of them
    precision_on_critical_hits: tuple[int, ...] = ()  # 11th edition
    ap_on_critical_wounds: int = 0  # 11th edition: better by so much
    says: tuple[tuple[str, str], ...] = ()  # of a single re-roll of a roll: "own" or "none"; else the unit's


@dataclass(frozen=True)
class MortalWounds:
    """Mortal wounds without an attack."""

    number: Dice


@dataclass(frozen=True)
class Rules:
    """The edition, and the rulings that are its defaults."""

    edition: str = "10e"
    order: str = "plain-first"  # "devastating-first", "as-listed": entry by entry, the devastating ones first
    devastating_wait: bool = True  # for the unit, not for the weapon
    mortal_wait: bool = True
    damage_to_0: str = "first-failed-save"  # "best-failed-save", "off"
    ignored_count: bool = True  # a model all of whose mortal wounds were ignored was allocated an attack
    begun_first: bool = False  # a leader who is hurt or was allocated an attack goes first
    # 11th edition
    lethal: str = "best"  # "always", "never"
    split: str = "special-first"  # "special-last", "best"
    precision_first: bool = True  # of the special ones; those with a better AP too come before both
    critical_must_hit: bool = False  # "a successful unmodified 5+"
    snap_criticals: bool = False  # the text of June 2026
    snap_torrent: bool = False  # whether Torrent needs the 6 as well
    low_critical_indirect: bool = False  # whether a lowered critical hit escapes "1-5 fails"
    reduces_devastating: bool = False
    extra_hits_share: bool = False  # whether Precision of a critical hit goes to its extra hits
    second: bool = False  # whether Precision goes on to a second Character


TENTH, NINTH, ELEVENTH = Rules(), Rules("9e"), Rules("11e")
