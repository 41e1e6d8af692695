"""The editions of Warhammer 40,000 as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mathhammer.errors import UnknownNameError
from mathhammer.sequence import Ruling

if TYPE_CHECKING:
    from mathhammer.modifiers import Operation

__all__ = ["EDITIONS", "Edition", "find_edition"]


@dataclass(frozen=True, slots=True)
class Edition:
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
        Largest net improvement of a saving throw.
    rulings
        The disputed points that move a number, with their defaults.
    """

    name: str
    title: str
    order: tuple[Operation, ...]
    roll_cap: int
    save_cap: int
    rulings: tuple[Ruling, ...]


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
)

EDITIONS = {
    "10e": Edition(
        name="10e",
        title="Warhammer 40,000 10th edition",
        order=("set", "divide", "multiply", "add", "subtract"),
        roll_cap=1,
        save_cap=1,
        rulings=_TENTH_RULINGS,
    ),
}


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
    if name not in EDITIONS:
        raise UnknownNameError(
            f"expected an edition of {', '.join(map(repr, EDITIONS))}; got {name!r}, whose rules are not built yet"
        )
    return EDITIONS[name]
