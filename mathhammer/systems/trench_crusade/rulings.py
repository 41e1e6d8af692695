"""The points where the rules of Trench Crusade can be read in more than one way, and the default reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.fields.kinds import Boolean, Checked
from mathhammer.sequence.rulings import rulings_in_force
from mathhammer.systems.asked import Question, ResultT
from mathhammer.systems.ruling_texts import read_rulings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.sequence.rulings import Rulings

#: What an option of all questions means.
EXACT = "Whether probabilities are ``sympy.Rational`` rather than ``float``."

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
    Q9 down_own_rolls: not-morale, morale-too
    Which rolls of a Down model have -1 DICE?
    {_BOOK}, Down; the core section speaks of any rolls
    Q10 down_bonus: melee, all
    Which attacks have +1 INJURY DICE against a Down model?
    {_BOOK}, Down; the playtest rules 1.6.3 gave it to all
    Q11 critical_keyword: replaces, adds
    CRITICAL: does its +2 INJURY DICE replace the +1 of a critical success, or add to it?
    {_BOOK}, Keywords: in place of
    Q13 extra_markers: each-keyword, one
    FIRE, GAS and SHRAPNEL on one weapon: a Blood Marker for each, or one in all?
    {_BOOK}, Keywords: each says one more
    Q15 risky_failure: activation, attack
    A failed Risky Success Roll with AUTOMATIC, CLEAVE or two weapons: what does it end?
    {_BOOK}, Risky Success Rolls
    Q19 ignore_armour_and_abilities: armour-only, abilities-too
    Does IGNORE ARMOUR drop INJURY DICE and MODIFIERS of abilities too?
    {_BOOK}, Keywords: Armour Characteristic, Armour and Shields
    Q20 fear_against_fear: no-penalty, penalty
    Has an attacker with FEAR -1 DICE against a target with FEAR?
    {_BOOK}, Keywords, FEAR
    Q29 armour_piercing_and_impervious: other-items, all-items
    ARMOUR PIERCING against armour of which one item is IMPERVIOUS: what does it improve?
    {_BOOK}, Keywords, IMPERVIOUS
    Q30 impervious_dice: kept, dropped
    Does an IMPERVIOUS item keep its -INJURY DICE against IGNORE ARMOUR?
    {_BOOK}, Keywords, IMPERVIOUS: the item is untouched
    Q32 standfast_when_down: one, two
    Standfast changes the Down result of a model already Down: how many Blood Markers?
    {_COMMENTARY}, Keywords Q5: the result becomes Minor
    Q33 tough_in_bloodbath: yes, no
    Does TOUGH change the Out of Action of a Bloodbath?
    {_BOOK}, Keywords, TOUGH: nothing excludes it
    Q36 risky_failure_of_several: own, all
    A failed Risky Success Roll where several models attack: whose attacks does it end?
    {_BOOK}, Risky Success Rolls: that model's Activation; {_BOOK}, Keywords, FIRETEAM: a joint one for both
    """
)
"""The disputed points, with their defaults and sources."""


def in_force(chosen: Mapping[str, str] | None) -> Rulings:
    """Return the option in force for each ruling."""
    return rulings_in_force(RULINGS, chosen)


class InForce(Question[ResultT]):
    """What is asked under disputed points."""

    rulings: Checked[Any, Mapping[str, str] | None] = Checked(
        in_force, "Options for disputed points, by name.", default=None
    )
    exact: Boolean = Boolean(EXACT)

    @property
    def ruled(self) -> Rulings:
        """The option in force for each of them."""
        return in_force(self.rulings)


class InEdition(InForce[ResultT]):
    """What is asked under the rules of an edition."""

    edition: Checked[str, str] = Checked(
        lambda given: validation.one_of(given, EDITIONS, "the edition"),
        '``"1.0.2"`` or ``"beta_2026_04"``.',
        default="1.0.2",
    )
