"""The points where the rules of Trench Crusade can be read in more than one way, and the default reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.errors import UnknownNameError
from mathhammer.sequence import Ruling, rulings_in_force
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.sequence import Rulings

EDITIONS = {
    "1.0.2": "Trench Crusade 1.0.2",
    "beta_2026_04": "Trench Crusade 1.0.2 with the Public Beta of April 2026",
}
"""The rulebook, and the same with the Public Beta of April 2026, which adds FUMBLE."""

_BOOK = "Trench Crusade rules 1.0.2"
_DICE = f"{_BOOK}, +/- Dice"
_INJURY = f"{_BOOK}, Injuries"
_MARKERS = f"{_BOOK}, Blood Markers and Blessing Markers"
_BLOODBATH = f"{_BOOK}, Bloodbath"
_KEYWORDS = f"{_BOOK}, Keywords"
_DOWN = f"{_BOOK}, Down"
_MORALE = f"{_BOOK}, Morale"
_ATTACKS = f"{_BOOK}, Ranged Attacks and Melee Attacks"
_COMMENTARY = "Rules Commentaries 1.0.2"


def _ruling(name: str, question: str, options: tuple[str, ...], source: str) -> Ruling:
    """Return a ruling whose default is its first option."""
    return Ruling(name, question, options, options[0], source)


RULINGS: tuple[Ruling, ...] = (
    _ruling(
        "modifier_cap",  # Q2
        "INJURY MODIFIERS of both signs: are the negative ones capped at -3 before the positive ones are added?",
        ("negatives-first", "net"),
        f"{_INJURY}: the cap is on the total of the negative ones",
    ),
    _ruling(
        "armour_piercing_and_cap",  # Q3
        "Does ARMOUR PIERCING improve the armour's total before the cap at -3, or after a cap of the armour alone?",
        ("before-cap", "after-cap"),
        f"{_INJURY}: what is capped is what is added to the roll; other negative ones join before that cap",
    ),
    _ruling(
        "deadly",  # Q4
        "How many dice count with DEADLY: 3 on every Injury Roll and 4 in a Bloodbath, or 4 in a Bloodbath only?",
        ("every-roll", "bloodbath-only"),
        f"{_BLOODBATH}; {_KEYWORDS}",
    ),
    _ruling(
        "spare_markers",  # Q5
        "May Blood Markers beyond the price of a Bloodbath buy INJURY DICE on the same roll?",
        ("allowed", "forbidden"),
        f"{_BLOODBATH}: nothing forbids it",
    ),
    _ruling(
        "bloodbath_price",  # Q6
        "When does a Bloodbath cost 3 Blood Markers?",
        ("down-before-roll",),
        f"{_BLOODBATH}: the model is Down",
    ),
    _ruling(
        "both_sides_spend",  # Q7
        "Both sides spend markers on one roll: who does so first?",
        ("order-of-initiative",),
        f"{_COMMENTARY}, Q1: simultaneous, so the player with the Initiative orders it",
    ),
    _ruling(
        "spend_timing",  # Q8
        "Are markers spent before the dice are rolled?",
        ("before-rolling",),
        f"{_MARKERS}: dice are added to the roll",
    ),
    _ruling(
        "down_own_rolls",  # Q9
        "Which rolls of a Down model have -1 DICE?",
        ("not-morale", "morale-too"),
        f"{_DOWN}; the core section speaks of any rolls",
    ),
    _ruling(
        "down_bonus",  # Q10
        "Which attacks have +1 INJURY DICE against a Down model?",
        ("melee", "all"),
        f"{_DOWN}; the playtest rules 1.6.3 gave it to all",
    ),
    _ruling(
        "critical_keyword",  # Q11
        "CRITICAL: does its +2 INJURY DICE replace the +1 of a critical success, or add to it?",
        ("replaces", "adds"),
        f"{_KEYWORDS}: in place of",
    ),
    _ruling(
        "critical_dice",  # Q12
        "The DICE that a critical success adds to the Injury Roll: are they INJURY DICE?",
        ("injury-dice",),
        f"{_ATTACKS}, against {_INJURY}",
    ),
    _ruling(
        "extra_markers",  # Q13
        "FIRE, GAS and SHRAPNEL on one weapon: a Blood Marker for each, or one in all?",
        ("each-keyword", "one"),
        f"{_KEYWORDS}: each says one more",
    ),
    _ruling(
        "markers_when_out",  # Q14
        "Do markers of a model that goes Out of Action count?",
        ("not-counted",),
        f"{_INJURY}: the model is gone; a result that TOUGH or GOLEM changes to Down has all its markers",
    ),
    _ruling(
        "risky_failure",  # Q15
        "A failed Risky Success Roll with AUTOMATIC, CLEAVE or two weapons: what does it end?",
        ("activation", "attack"),
        f"{_BOOK}, Risky Success Rolls",
    ),
    _ruling(
        "dead_target",  # Q16
        "What becomes of attacks left when the target is Out of Action?",
        ("not-counted",),
        f"{_KEYWORDS}: they may go to others, and the result speaks of one target",
    ),
    _ruling(
        "state_between_attacks",  # Q17
        "Does the next attack of an Activation see what the last one did?",
        ("carried-over",),
        f"{_KEYWORDS}: one after another",
    ),
    _ruling(
        "down_twice",  # Q18
        "When does a Down result place 2 Blood Markers?",
        ("down-before-result",),
        f"{_INJURY}: already Down",
    ),
    _ruling(
        "ignore_armour_and_abilities",  # Q19
        "Does IGNORE ARMOUR drop INJURY DICE and MODIFIERS of abilities too?",
        ("armour-only", "abilities-too"),
        f"{_KEYWORDS}: Armour Characteristic, Armour and Shields",
    ),
    _ruling(
        "fear_against_fear",  # Q20
        "Has an attacker with FEAR -1 DICE against a target with FEAR?",
        ("no-penalty", "penalty"),
        f"{_KEYWORDS}, FEAR",
    ),
    _ruling(
        "cover_and_obstacle",  # Q21
        "Cover and Defended Obstacle of one attack: how often do they count?",
        ("once",),
        f"{_ATTACKS}: one of them for each type of attack",
    ),
    _ruling("no_net_dice", "DICE that cancel to nothing: what is rolled?", ("plain",), _DICE),  # Q22
    _ruling(
        "fall_dice",  # Q23
        "How many INJURY DICE does a fall add?",
        ("full-three-inches",),
        f"{_BOOK}, Falling",
    ),
    _ruling(
        "morale_threshold",  # Q24
        "How many models Down or Out of Action call for a Morale Check?",
        ("half-rounded-up",),
        f"{_MORALE}: 3 of 5",
    ),
    _ruling(
        "minor_wound",  # Q25
        "What is the Minor Wound of the commentaries?",
        ("minor-hit",),
        f"{_COMMENTARY}, Keywords Q5",
    ),
    _ruling(
        "blood_on_injury_rolls",  # Q26
        "What does a Blood Marker add to an Injury Roll?",
        ("plus-one",),
        f"{_MARKERS}; the -1 of a quick reference is a misprint",
    ),
    _ruling(
        "reroll_pool",  # Q27
        "A roll with extra DICE is re-rolled: which dice?",
        ("all-dice",),
        f"{_BOOK}, Re-rolls",
    ),
    _ruling(
        "geometry",  # Q28
        "Who decides distances, lines of sight and the models under a BLAST?",
        ("given",),
        "what the table shows is not of the dice",
    ),
    _ruling(
        "armour_piercing_and_impervious",  # Q29
        "ARMOUR PIERCING against armour of which one item is IMPERVIOUS: what does it improve?",
        ("other-items", "all-items"),
        f"{_KEYWORDS}, IMPERVIOUS",
    ),
    _ruling(
        "impervious_dice",  # Q30
        "Does an IMPERVIOUS item keep its -INJURY DICE against IGNORE ARMOUR?",
        ("kept", "dropped"),
        f"{_KEYWORDS}, IMPERVIOUS: the item is untouched",
    ),
    _ruling(
        "flamethrower",  # Q31
        "Can markers or RISKY touch an attack with FLAMETHROWER?",
        ("no-success-roll",),
        f"{_KEYWORDS}: automatic success",
    ),
    _ruling(
        "standfast_when_down",  # Q32
        "Standfast changes the Down result of a model already Down: how many Blood Markers?",
        ("one", "two"),
        f"{_COMMENTARY}, Keywords Q5: the result becomes Minor",
    ),
    _ruling(
        "tough_in_bloodbath",  # Q33
        "Does TOUGH change the Out of Action of a Bloodbath?",
        ("yes", "no"),
        f"{_KEYWORDS}, TOUGH: nothing excludes it",
    ),
    _ruling(
        "how_often_markers_are_spent",  # Q34
        "How often may a player spend markers on one roll?",
        ("once",),
        f"{_MARKERS}: for the Injury Roll once the Success Roll is seen",
    ),
    _ruling(
        "who_spends_first",  # Q35
        "Who spends first where both sides play their best?",
        ("must-be-given",),
        f"{_COMMENTARY}, Q1: it moves the answer",
    ),
    _ruling(
        "risky_failure_of_several",  # Q36
        "A failed Risky Success Roll where several models attack: whose attacks does it end?",
        ("own", "all"),
        f"{_BOOK}, Risky Success Rolls: that model's Activation; {_KEYWORDS}, FIRETEAM: a joint one for both",
    ),
)
"""The disputed points, with their defaults and sources."""


def in_force(chosen: Mapping[str, str] | None) -> Rulings:
    """Return the option in force for each ruling."""
    return rulings_in_force(RULINGS, chosen)


def require_edition(edition: str) -> str:
    """Return the edition if there is one of that name."""
    if not isinstance(edition, str) or edition not in EDITIONS:
        raise UnknownNameError(
            f"expected the edition {' or '.join(map(repr, EDITIONS))}, got {shown(edition)}"
        )
    return edition
