"""What the tables of all editions share: an edition adds its own entries, and puts others in their place by name."""

from __future__ import annotations

from mathhammer.systems.wh40k.editions.edition import Disputed
from mathhammer.systems.wh40k.editions.edition import disputed as point
from mathhammer.systems.wh40k.rules import attacks, damage, hit, save, wound
from mathhammer.systems.wh40k.rules import circumstances as at
from mathhammer.systems.wh40k.rules.circumstances import COVER_OF_TARGET, INCOMING
from mathhammer.systems.wh40k.rules.rule import Ability

PISTOL = Ability(
    "Pistol",
    help="May shoot while engaged.",
    source="core rules, Pistol",
    note="may shoot while engaged",
    instead_of_others=True,
)
ASSAULT = Ability(
    "Assault",
    help="May shoot after advancing.",
    source="10th edition core rules, Assault",
    permits=at.ADVANCED,
    note="may shoot after advancing",
)
HAZARDOUS = Ability(
    "Hazardous",
    help="After its attacks the bearer may suffer mortal wounds.",
    source="10th edition core rules, Hazardous",
    on_results=True,
    note="wh40k.hazardous computes what it does to the attacker",
    tests_bearers=True,
    left_out="Hazardous (mortal wounds on the attacker) is not computed here",
)
ONE_SHOT = Ability(
    "One Shot",
    help="Can be used once per battle.",
    source="10th edition core rules, One Shot",
    note="can be used once per battle",
    left_out="One Shot weapons are taken not to be fired before",
)
PRECISION = Ability(
    "Precision",
    help="Its wounds may be allocated to a leader.",
    source="10th edition core rules, Precision",
    note="chooses among different models, and these are equal",
    directs=True,
)
#: Those of every edition.
ABILITIES = (damage.MELTA, PISTOL, hit.TORRENT)
#: Range, movement, and how the attack is made.
SITUATION = (
    at.HALF_RANGE,
    at.LONG_RANGE,
    at.STATIONARY,
    at.MOVED,
    at.ADVANCED,
    at.CHARGED,
    at.INDIRECT,
    hit.overwatch(),
)
#: What acts on rolls; these keywords stand behind an edition's own.
ROLLS = (
    at.TARGET_CHARGED,
    at.PRECISION,
    hit.HIT_MODIFIER,
    wound.WOUND_MODIFIER,
    save.SAVE_MODIFIER,
    at.MODIFIERS,
    at.IGNORE_MODIFIERS,
    hit.critical_hit(hit.lower_critical_hits(must_succeed=False)),
    wound.critical_wound(wound.lower_critical_wounds),
    hit.OVERWATCH_HITS_ON,
    wound.WOUNDS_ON,
    wound.wound_fails_up_to(yields=True),
    at.TRIGGERS,
    attacks.COMMAND_REROLL,
    attacks.LIMITED_REROLLS,
    attacks.REROLL_ATTACKS,
    hit.REROLL_HITS,
    wound.REROLL_WOUNDS,
    damage.reroll_damage(),
    save.REROLL_SAVES,
)
TARGET_RULES = (
    save.damage_1_save_bonus(),
    *damage.FEEL_NO_PAIN,
    damage.HALF_DAMAGE,
    damage.DAMAGE_REDUCTION,
    damage.damage_to_0(),
    INCOMING,
    COVER_OF_TARGET,
)


def disputed(*, fast_rolling: str = "similar", mixed_toughness: str = "highest") -> tuple[Disputed, ...]:
    """Return what is disputed in editions one by one, with their defaults."""
    return (
        # Of `fast_roll_check`; it has no effect on an attack.
        point(
            "fast_rolling",
            "May attacks with abilities that act on particular rolls be rolled together, and saves at all?",
            "10th edition core rules, Fast Dice Rolling: the same abilities, and saves where their order makes no "
            "difference; Goonhammer, 'Ruleshammer: Dice', for the 9th: such abilities affect each attack differently, "
            "and saves are made one at a time",
            {"similar": {}, "strict": {}},
            default=fast_rolling,
        ),
        point(
            "mixed_toughness",
            "Models of a unit have different Toughness: the highest, or that of most of them (of a tie the highest)?",
            "10th edition core rules, Leader, and Rules Commentary, Toughness: the highest, which datasheets of Kill "
            "Teams replace; 9th edition datasheets, Mixed Unit: that of most of them, of a tie that which the unit's "
            "player picks",
            {"highest": {}, "majority": {"majority_toughness": True}},
            default=mixed_toughness,
        ),
    )
