"""The editions of Warhammer 40,000 as data."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from mathhammer.characteristics import CUMULATIVE, CharacteristicRules, Scope
from mathhammer.display import Catalogue, Named
from mathhammer.errors import UnknownNameError
from mathhammer.sequence import Ruling, Rulings, rulings_in_force
from mathhammer.systems.wh40k.conditions import TENTH_CONDITIONS, Condition
from mathhammer.systems.wh40k.keywords import FLAGS, VALUED
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.modifiers import Order

__all__ = ["EDITIONS", "FAST_ROLLING", "Cover", "Edition", "find_edition"]


@dataclass(frozen=True, slots=True)
class Cover:
    """One kind of cover.

    Parameters
    ----------
    name
        ``"light"``.
    against
        The attacks that it protects from.
    roll
        The roll that it changes: the armour save, or the hit roll.
    value
        What it adds to that roll.
    not_if_charged
        Whether it is nothing against a model that charged.
    exempt
        Whether a Save of 3+ or better has no use of it against AP 0.
    """

    name: str
    against: Literal["ranged", "melee"]
    roll: Literal["save", "hit"]
    value: int
    not_if_charged: bool = False
    exempt: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Edition(Named):
    """What one edition says where editions differ.

    Parameters
    ----------
    name, title
        ``"10e"``, and the name in full.
    order
        Order of operations on a characteristic.
    roll_cap
        Largest net modifier of a hit or wound roll, either way.
    save_cap
        Largest net improvement of a saving throw; none where it is not limited.
    critical
        Whether unmodified rolls of 6 are critical, and not only successful.
    rapid_fire
        Whether Rapid Fire X adds X attacks within half range, or doubles the attacks.
    blast
        Whether Blast adds an attack for every five models, or raises the roll by the size of the unit.
    movement
        Weapon ability, the situation in which it modifies the hit roll, and by how much.
    covers
        The kinds of cover; ``cover=True`` is the first.
    abilities
        Weapon abilities that it knows.
    characteristics
        Limits of each characteristic.
    rulings
        The disputed points that move a number, with their defaults.
    failed
        Whether a re-roll of what failed is of rolls that fail as modified, or before modifiers.
    conditions
        The named conditions that it knows.

    Examples
    --------
    >>> EDITIONS["10e"].title
    'Warhammer 40,000 10th edition'
    >>> EDITIONS["10e"].roll_cap
    1
    """

    name: str
    title: str
    order: Order
    roll_cap: int
    save_cap: int | None
    critical: bool
    rapid_fire: Literal["add", "double"]
    blast: Literal["every five", "by size"]
    movement: tuple[tuple[str, str, int], ...]
    covers: tuple[Cover, ...]
    abilities: frozenset[str]
    characteristics: Mapping[str, CharacteristicRules]
    rulings: tuple[Ruling, ...]
    failed: Literal["modified", "unmodified"] = "modified"
    conditions: tuple[Condition, ...] = ()

    defaults: Rulings = field(init=False, compare=False)
    """The rulings in force where nobody chooses otherwise; nearly every attack asks for them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "defaults", rulings_in_force(self.rulings, None))

    def in_force(self, chosen: Mapping[str, str] | None) -> Rulings:
        """Return the option in force for each ruling.

        Raises
        ------
        UnknownNameError
            If a chosen ruling or option does not exist.
        """
        return self.defaults if chosen is None else rulings_in_force(self.rulings, chosen)

    def __str__(self) -> str:
        return f"{self.name}: {self.title}, {len(self.rulings)} disputed rulings"


def _characteristics(
    order: Order, skill_worst: int | None = None, leadership: tuple[int, int | None] = (5, 8)
) -> Mapping[str, CharacteristicRules]:
    """Return the limits of each characteristic, most of which editions share."""
    model: Scope = "each time, for each model"

    def rules(name: str, **limits: Any) -> CharacteristicRules:
        return CharacteristicRules(name, order, **limits)

    return {
        "movement": rules("M", least=1, scope="once for the unit"),
        "toughness": rules("T", least=1, scope=model),
        "save": rules("Sv", least=2, lower_is_better=True, scope=model),
        "invulnerable": rules("InSv", least=2, lower_is_better=True, scope=model),
        "wounds": rules("W", least=1, scope=model),
        "leadership": rules(
            "Ld",
            least=leadership[0],
            most=leadership[1],
            lower_is_better=leadership[1] is not None,
            scope=model,
        ),
        "objective_control": rules("OC", least=0, scope=model),
        "range": rules("Range", least=1),
        "attacks": rules("A", least=1),
        "skill": rules("Skill", least=2, most=skill_worst, lower_is_better=True),
        "strength": rules("S", least=1),
        "ap": rules("AP", most=0, lower_is_better=True),
        "damage": rules("D", least=1, set_below=True),
    }


#: Of `fast_roll_check`; it moves no number of an attack. Its default is the edition's.
FAST_ROLLING = Ruling(
    "fast_rolling",
    "May attacks with abilities that act on particular rolls be rolled together, and saves at all?",
    ("similar", "strict"),
    "similar",
    "10th edition core rules, Fast Dice Rolling: the same abilities, and saves where their order makes no "
    "difference; Goonhammer, 'Ruleshammer: Dice', for the 9th: such abilities affect each attack differently, and "
    "saves are made one at a time",
)

MIXED_TOUGHNESS = Ruling(
    "mixed_toughness",
    "Models of a unit have different Toughness: the highest, or that of most of them (of a tie the highest)?",
    ("highest", "majority"),
    "highest",
    "10th edition core rules, Leader, and Rules Commentary, Toughness: the highest, which datasheets of Kill Teams "
    "replace; 9th edition datasheets, Mixed Unit: that of most of them, of a tie that which the unit's player picks",
)

_TENTH_RULINGS = (
    Ruling(
        "critical_hit_wording",
        "Does an unmodified roll at a lowered critical threshold hit when the modified roll would miss?",
        ("unmodified", "successful"),
        "unmodified",
        "Rules Commentary, Critical Hit: a rule that says 'an unmodified 5+' scores a hit by itself",
    ),
    Ruling(
        "save_cap",
        "Is the +1 cap on a saving throw for the sum of all modifiers, AP included, or for the bonuses alone?",
        ("net", "gross"),
        "net",
        "core rules, Saving Throws, read as the commentary reads hit and wound rolls: the sum is capped",
    ),
    Ruling(
        "devastating_damage_modifiers",
        "Do the target's reduction and halving of Damage act on an attack with Devastating Wounds?",
        ("apply", "ignore"),
        "apply",
        "Core Rules Updates, Devastating Wounds: Damage is modified when the attack is allocated",
    ),
    Ruling(
        "devastating_timing",
        "Do Devastating Wounds wait for all attacks of the unit, or for those of their weapon?",
        ("after-unit", "after-weapon"),
        "after-unit",
        "core rules, Mortal Wounds: all normal damage of the attacking unit comes first",
    ),
    Ruling(
        "mortal_wounds_order",
        "After the attacks: do plain mortal wounds come first, or Devastating Wounds, or one entry after another?",
        ("plain-first", "devastating-first", "as-listed"),
        "plain-first",
        "Core Rules Updates, Devastating Wounds: such attacks wait until all others are resolved",
    ),
    Ruling(
        "devastating_precision",
        "Devastating Wounds of an attack with Precision: on the Character as the attack is, or as without it?",
        ("follow", "stay"),
        "follow",
        "core rules, Mortal Wounds: those of an attack with Precision can be allocated to a Character",
    ),
    Ruling(
        "blast_fixed_attacks",
        "Does Blast add attacks to a weapon whose number of attacks is not random?",
        ("apply", "ignore"),
        "apply",
        "core rules, Blast; the text has random attacks in mind",
    ),
    Ruling(
        "damage_reroll_of_several_dice",
        "Is a Damage roll of several dice re-rolled as a whole, judged by its total, or each die for itself?",
        ("whole", "each-die"),
        "whole",
        "Rules Commentary, Re-rolls: dice that are added together are re-rolled together",
    ),
    Ruling(
        "indirect_against_critical",
        "Indirect Fire: does an unmodified 1-3 fail, even where a rule makes that face a critical hit?",
        ("fail", "critical"),
        "fail",
        "Core Rules Updates, Indirect Fire: such rolls always fail",
    ),
    Ruling(
        "torrent_overwatch",
        "Fire Overwatch with Torrent: do its attacks hit automatically, or need an unmodified 6 too?",
        ("automatic", "needs-6"),
        "automatic",
        "core rules, Torrent: no hit roll is made; the attacker's rule has priority",
    ),
    Ruling(
        "failing_wounds_against_critical",
        "Does an unmodified wound roll that the target's rule makes fail still wound where it is critical?",
        ("critical", "fail"),
        "critical",
        "Core Rules Updates, Priority of Rules: the attacker's rule has priority",
    ),
    Ruling(
        "cover_condition",
        "Cover is nothing for a Save of 3+ or better against AP 0: the modified values, or the printed ones?",
        ("modified", "printed"),
        "modified",
        "Rules Commentary, Modifiers: a characteristic is what it is after all modifiers",
    ),
    Ruling(
        "damage_condition",
        "A rule about attacks of Damage 1: the modified Damage, or the printed one?",
        ("modified", "printed"),
        "modified",
        "Rules Commentary, Against: such a rule is tested when the attack is allocated",
    ),
    Ruling(
        "damage_reductions",
        "Several rules that subtract from Damage: all of them together, or only the one that subtracts most?",
        ("cumulative", "largest"),
        "cumulative",
        "Rules Commentary, Modifiers: all modifiers are cumulative",
    ),
    Ruling(
        "damage_to_0",
        "A rule changes the Damage of one failed save to 0: that of the first, of the one best changed, or of none?",
        ("first-failed-save", "best-failed-save", "off"),
        "first-failed-save",
        "datasheets that change the Damage of one attack to 0 leave the choice; Core Rules Updates name no order",
    ),
    Ruling(
        "damage_set_to_0",
        "Damage that a rule sets to 0: do Melta and other modifiers still change it, or is 0 final?",
        ("modified", "final"),
        "modified",
        "Rules Commentary, Modifiers: a rule that sets comes first, and the other modifiers act on what it sets",
    ),
    Ruling(
        "lethal_hits",
        "Lethal Hits: does each critical hit wound without a roll, or does the attacker always roll to wound?",
        ("forced", "declined"),
        "forced",
        "core rules, Lethal Hits: a critical hit wounds automatically; the 10th edition leaves no choice",
    ),
    Ruling(
        "leaders_begun",
        "A leader that is hurt, or had an attack allocated, while bodyguards live: does he wait for them to die?",
        ("waits", "goes-first"),
        "waits",
        "core rules, Leader: attacks cannot be allocated to a Character while a bodyguard is left",
    ),
    Ruling(
        "ignored_mortal_wounds",
        "Mortal wounds that Feel No Pain ignores: was the model they would have hurt allocated an attack?",
        ("allocated", "not-allocated"),
        "allocated",
        "core rules, Mortal Wounds: they are allocated to a model as an attack is, and only then ignored",
    ),
    FAST_ROLLING,
    MIXED_TOUGHNESS,
)

_NINTH_RULINGS = (
    Ruling(
        "worsened_ap_0",
        "What becomes of AP 0 that is worsened: AP 0, or AP+1, which is easier to save?",
        ("stays", "improves-save"),
        "stays",
        "the later 9th edition glossary; Goonhammer, 'Ruleshammer: Dice', left it open",
    ),
    Ruling(
        "mortal_wounds_timing",
        "Do mortal wounds wait for all attacks of the unit, or for those of their weapon?",
        ("after-unit", "after-weapon"),
        "after-unit",
        "9th edition core rules, Mortal Wounds: all normal damage of the attacking unit comes first",
    ),
    replace(FAST_ROLLING, default="strict"),
    replace(MIXED_TOUGHNESS, default="majority"),
)

_NINTH_COVERS = (
    Cover("light", "ranged", "save", 1),
    Cover("heavy", "melee", "save", 1, not_if_charged=True),
    Cover("dense", "ranged", "hit", -1),
)

EDITIONS = Catalogue(
    "editions of Warhammer 40,000",
    {
        "9e": Edition(
            name="9e",
            title="Warhammer 40,000 9th edition",
            order=CUMULATIVE,
            roll_cap=1,
            save_cap=None,
            critical=False,
            rapid_fire="double",
            blast="by size",
            movement=(("Heavy", "moved", -1), ("Assault", "advanced", -1)),
            covers=_NINTH_COVERS,
            abilities=frozenset(
                ("Assault", "Blast", "Heavy", "Ignores Cover", "Melta", "Pistol", "Rapid Fire", "Torrent")
            ),
            characteristics=_characteristics(CUMULATIVE, leadership=(1, None)),
            rulings=_NINTH_RULINGS,
            failed="unmodified",
        ),
        "10e": Edition(
            name="10e",
            title="Warhammer 40,000 10th edition",
            order=CUMULATIVE,
            roll_cap=1,
            save_cap=1,
            critical=True,
            rapid_fire="add",
            blast="every five",
            movement=(("Heavy", "stationary", 1),),
            covers=(Cover("cover", "ranged", "save", 1, exempt=True),),
            abilities=frozenset((*FLAGS, *VALUED, "Anti")),
            characteristics=_characteristics(CUMULATIVE),
            rulings=_TENTH_RULINGS,
            conditions=TENTH_CONDITIONS,
        ),
    },
)
"""The editions by name, ``"9e"`` and ``"10e"``."""


def find_edition(name: str) -> Edition:
    """Return the edition of that name.

    Raises
    ------
    UnknownNameError
        If its rules are not known.

    Examples
    --------
    >>> find_edition("10e").title
    'Warhammer 40,000 10th edition'
    """
    if not isinstance(name, str) or name not in EDITIONS:
        raise UnknownNameError(
            f"expected an edition of {', '.join(map(repr, EDITIONS))}; got {shown(name)}, whose rules are not built yet"
        )
    return EDITIONS[name]
