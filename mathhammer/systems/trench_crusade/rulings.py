"""The points where the rules of Trench Crusade can be read in more than one way, and the default reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.errors import UnknownNameError
from mathhammer.sequence.rulings import rulings_in_force
from mathhammer.systems.ruling_texts import read_rulings
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.sequence.rulings import Rulings

EDITIONS = {
    "1.0.2": "Trench Crusade 1.0.2",
    "beta_2026_04": "Trench Crusade 1.0.2 with the Public Beta of April 2026",
}
"""The rulebook, and the same with the Public Beta of April 2026, which adds FUMBLE."""

_BOOK, _COMMENTARY = "Trench Crusade rules 1.0.2", "Rules Commentaries 1.0.2"

RULINGS = read_rulings(
    f"""
    Q2 modifier_cap: negatives-first, net
    INJURY MODIFIERS of both signs: are the negative ones capped at -3 before the positive ones are added?
    {_BOOK}, Injuries: the cap is on the total of the negative ones
    Q3 armour_piercing_and_cap: before-cap, after-cap
    Does ARMOUR PIERCING improve the armour's total before the cap at -3, or after a cap of the armour alone?
    {_BOOK}, Injuries: what is capped is what is added to the roll; other negative ones join before that cap
    Q4 deadly: every-roll, bloodbath-only
    How many dice count with DEADLY: 3 on every Injury Roll and 4 in a Bloodbath, or 4 in a Bloodbath only?
    {_BOOK}, Bloodbath; {_BOOK}, Keywords
    Q5 spare_markers: allowed, forbidden
    May Blood Markers beyond the price of a Bloodbath buy INJURY DICE on the same roll?
    {_BOOK}, Bloodbath: nothing forbids it
    Q6 bloodbath_price: down-before-roll
    When does a Bloodbath cost 3 Blood Markers?
    {_BOOK}, Bloodbath: the model is Down
    Q7 both_sides_spend: order-of-initiative
    Both sides spend markers on one roll: who does so first?
    {_COMMENTARY}, Q1: simultaneous, so the player with the Initiative orders it
    Q8 spend_timing: before-rolling
    Are markers spent before the dice are rolled?
    {_BOOK}, Blood Markers and Blessing Markers: dice are added to the roll
    Q9 down_own_rolls: not-morale, morale-too
    Which rolls of a Down model have -1 DICE?
    {_BOOK}, Down; the core section speaks of any rolls
    Q10 down_bonus: melee, all
    Which attacks have +1 INJURY DICE against a Down model?
    {_BOOK}, Down; the playtest rules 1.6.3 gave it to all
    Q11 critical_keyword: replaces, adds
    CRITICAL: does its +2 INJURY DICE replace the +1 of a critical success, or add to it?
    {_BOOK}, Keywords: in place of
    Q12 critical_dice: injury-dice
    The DICE that a critical success adds to the Injury Roll: are they INJURY DICE?
    {_BOOK}, Ranged Attacks and Melee Attacks, against {_BOOK}, Injuries
    Q13 extra_markers: each-keyword, one
    FIRE, GAS and SHRAPNEL on one weapon: a Blood Marker for each, or one in all?
    {_BOOK}, Keywords: each says one more
    Q14 markers_when_out: not-counted
    Do markers of a model that goes Out of Action count?
    {_BOOK}, Injuries: the model is gone; a result that TOUGH or GOLEM changes to Down has all its markers
    Q15 risky_failure: activation, attack
    A failed Risky Success Roll with AUTOMATIC, CLEAVE or two weapons: what does it end?
    {_BOOK}, Risky Success Rolls
    Q16 dead_target: not-counted
    What becomes of attacks left when the target is Out of Action?
    {_BOOK}, Keywords: they may go to others, and the result speaks of one target
    Q17 state_between_attacks: carried-over
    Does the next attack of an Activation see what the last one did?
    {_BOOK}, Keywords: one after another
    Q18 down_twice: down-before-result
    When does a Down result place 2 Blood Markers?
    {_BOOK}, Injuries: already Down
    Q19 ignore_armour_and_abilities: armour-only, abilities-too
    Does IGNORE ARMOUR drop INJURY DICE and MODIFIERS of abilities too?
    {_BOOK}, Keywords: Armour Characteristic, Armour and Shields
    Q20 fear_against_fear: no-penalty, penalty
    Has an attacker with FEAR -1 DICE against a target with FEAR?
    {_BOOK}, Keywords, FEAR
    Q21 cover_and_obstacle: once
    Cover and Defended Obstacle of one attack: how often do they count?
    {_BOOK}, Ranged Attacks and Melee Attacks: one of them for each type of attack
    Q22 no_net_dice: plain
    DICE that cancel to nothing: what is rolled?
    {_BOOK}, +/- Dice
    Q23 fall_dice: full-three-inches
    How many INJURY DICE does a fall add?
    {_BOOK}, Falling
    Q24 morale_threshold: half-rounded-up
    How many models Down or Out of Action call for a Morale Check?
    {_BOOK}, Morale: 3 of 5
    Q25 minor_wound: minor-hit
    What is the Minor Wound of the commentaries?
    {_COMMENTARY}, Keywords Q5
    Q26 blood_on_injury_rolls: plus-one
    What does a Blood Marker add to an Injury Roll?
    {_BOOK}, Blood Markers and Blessing Markers; the -1 of a quick reference is a misprint
    Q27 reroll_pool: all-dice
    A roll with extra DICE is re-rolled: which dice?
    {_BOOK}, Re-rolls
    Q28 geometry: given
    Who decides distances, lines of sight and the models under a BLAST?
    what the table shows is not of the dice
    Q29 armour_piercing_and_impervious: other-items, all-items
    ARMOUR PIERCING against armour of which one item is IMPERVIOUS: what does it improve?
    {_BOOK}, Keywords, IMPERVIOUS
    Q30 impervious_dice: kept, dropped
    Does an IMPERVIOUS item keep its -INJURY DICE against IGNORE ARMOUR?
    {_BOOK}, Keywords, IMPERVIOUS: the item is untouched
    Q31 flamethrower: no-success-roll
    Can markers or RISKY touch an attack with FLAMETHROWER?
    {_BOOK}, Keywords: automatic success
    Q32 standfast_when_down: one, two
    Standfast changes the Down result of a model already Down: how many Blood Markers?
    {_COMMENTARY}, Keywords Q5: the result becomes Minor
    Q33 tough_in_bloodbath: yes, no
    Does TOUGH change the Out of Action of a Bloodbath?
    {_BOOK}, Keywords, TOUGH: nothing excludes it
    Q34 how_often_markers_are_spent: once
    How often may a player spend markers on one roll?
    {_BOOK}, Blood Markers and Blessing Markers: for the Injury Roll once the Success Roll is seen
    Q35 who_spends_first: must-be-given
    Who spends first where both sides play their best?
    {_COMMENTARY}, Q1: it moves the answer
    Q36 risky_failure_of_several: own, all
    A failed Risky Success Roll where several models attack: whose attacks does it end?
    {_BOOK}, Risky Success Rolls: that model's Activation; {_BOOK}, Keywords, FIRETEAM: a joint one for both
    """
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
