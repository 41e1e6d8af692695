"""What can be true of a volley: a row each, with what it does to which roll."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mathhammer.errors import MathhammerError
from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.rules import rule as kinds
from mathhammer.systems.wh40k.rules.roll import ITS_NAME, ITS_VALUE, adds_once, puts, unless
from mathhammer.systems.wh40k.rules.rule import ROLLS, SEVERAL, Condition, worded

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.systems.wh40k.rules.roll import Making
    from mathhammer.systems.wh40k.rules.rule import ActiveRule, Effect
    from mathhammer.systems.wh40k.sequence.stages import Stages

condition = worded(
    Condition,
    """
  Situation:
    half_range: The target is within half range (Rapid Fire, Melta). | core rules, Making Attacks \
      | within half range | beyond half range
    long_range: The target is beyond the distance that Conversion names. | core rules, Making Attacks \
      | beyond its distance | not beyond the distance that it names
    stationary: The attacker remained stationary (Heavy). | core rules, Making Attacks | remained stationary | moved
    spotted: A friendly unit sees the target (Indirect Fire). | 11th edition core rules, 10.07 Indirect Shooting \
      | a friendly unit sees the target | no friendly unit sees the target
    moved: The attacker moved. | core rules, Making Attacks | moved | did not move
    advanced: The attacker advanced (Assault). | core rules, Making Attacks | advanced | did not advance
    charged: The attacker charged this turn (Lance). | core rules, Making Attacks | charged | did not charge
    indirect: No model of the target is visible (Indirect Fire). | core rules, Making Attacks | target not visible \
      | the target is visible
    divided: The attacks of the melee weapon are divided among several targets (Cleave). \
      | 11th edition core rules 04.03, Splitting Melee Attacks, and 24.06, Cleave
    overwatch: Fire Overwatch: only unmodified 6s hit. | core rules, Fire Overwatch; 11th edition core rules 15.09 \
      and 24.37, snap shooting
    engaged: The attacker is engaged; with Pistols, by its target (Big Guns Never Tire). \
      | 10th edition core rules, Big Guns Never Tire | the attacker is engaged
    damaged: The attacker is damaged: -1 to hit, as its datasheet says. | 10th edition datasheets, Damaged
  Situation of the target:
    target_engaged: The target is a Monster or Vehicle engaged by another unit. \
      | 10th edition core rules, Big Guns Never Tire; 11th edition core rules, 17.03 | the target is engaged
    cover: The target has the Benefit of Cover. | core rules, Benefit of Cover; 9th edition core rules, Terrain \
      Features
    stealth: The target has Stealth: -1 to hit with ranged weapons. | 10th edition core rules, Stealth
    smokescreen: Smokescreen: Stealth and cover. | 10th edition core stratagems, Smokescreen: Stealth and cover
    go_to_ground: Go to Ground: cover and a 6+ invulnerable save. | 10th edition core stratagems, Go to Ground
    target_charged: The target charged. | core rules, Making Attacks | the target charged | the target did not charge
    precision: The leader that Precision attacks: a name, 'none', or 'best' to optimise. Default: the first leader. \
      | 10th edition core rules, Precision
  Modifiers:
    modifiers: Of a characteristic or a roll: 'damage +1 (rule)', 'strength x2', 'ap improved by 1'. \
      | Rules Commentary, Modifiers
    ignore_modifiers: Ignore harmful modifiers of these, separated by commas: hit, skill, wound, attacks, strength, \
      ap, damage. | Rules Commentary, Ignoring Modifiers
  Rolls:
    overwatch_hits_on: Overwatch hits on this unmodified roll, where a datasheet says so. Default: 6. \
      | datasheets; 11th edition core rules, 15.09
    wounds_on: Wound on this roll whatever the Strength (a rule of the attacker). \
      | datasheets; 10th edition, Core Rules Updates, Priority of Rules
    wound_fails_up_to: Wound rolls this low always fail (a rule of the target; --wounds-on beats it). \
      | datasheets; 10th edition, Core Rules Updates, Priority of Rules
    triggers: What happens on a result: 'unmodified 6 to wound: AP improved by 3 (Rending)'. \
      | core rules, Making Attacks; datasheets
  Re-rolls:
    reroll: One Command Re-roll: 'first' spends it on the first low roll, 'best' where it is worth most. \
      | core stratagems, Command Re-roll; Rules Commentary, Rules That Allow One Re-roll
    limited_rerolls: One die the unit may re-roll, used where it is worth most: hit, wound, damage, attacks, or 'hit \
      or wound'. | datasheets: you can re-roll one Hit roll; Rules Commentary, Rules That Allow One Re-roll
""",
)

# Range, movement, and how the attack is made:
HALF_RANGE = condition("half_range", offered=True, excludes=("long_range",))
LONG_RANGE = condition("long_range")
STATIONARY = condition("stationary", offered=True, excludes=("moved", "advanced", "charged"))
#: As `STATIONARY` and whether a friendly unit sees the target, where the hit roll itself reads them.
STATIONARY_SHOOTERS = replace(STATIONARY, hit=puts(stationary=ITS_NAME))
SPOTTED = condition("spotted", against="ranged", hit=puts(spotted=ITS_NAME))
MOVED = condition("moved")
ADVANCED = condition("advanced", barred="it cannot shoot after advancing")
CHARGED = condition("charged", offered=True)
INDIRECT = condition("indirect", barred="it can attack only what is visible")
DIVIDED = condition("divided", attacks=puts(divided=ITS_NAME))


def overwatch(*, with_torrent: bool = False, rerolls_hits: bool = True) -> Condition:
    """Return Fire Overwatch: only unmodified 6s hit, with Torrent too or not; hits can be re-rolled or not."""
    rule = "Fire Overwatch"
    never = {} if rerolls_hits else {"no_rerolls": rule}
    hit = puts(only_sixes=rule, sixes_of_automatic=with_torrent, **never)
    return condition("overwatch", against="ranged", hit=hit)


OVERWATCH = overwatch()
#: The penalty of a Monster or Vehicle that shoots while it is engaged, and that of shooting at an engaged one.
_GUNS = adds_once(-1, "Big Guns Never Tire")
BIG_GUNS = condition("engaged", against="ranged", exempt=("Pistol",), hit=_GUNS)
CLOSE_QUARTERS = replace(
    BIG_GUNS,
    source="11th edition core rules, 10.06 Close-Quarters Shooting",
    help="The attacker is engaged; with Close-quarters weapons, by its target.",
    exempt=("Close-quarters", "Pistol"),
)
TARGET_ENGAGED = condition("target_engaged", against="ranged", hit=_GUNS)


def plunging_fire(source: str, of: str, roll: str) -> Condition:
    """Return Plunging Fire: what shooting down from terrain makes better, which some roll reads."""
    better = {"ap": "AP", "skill": "BS"}[of]
    modifier = Modifier("improve", 1, "Plunging Fire", of=of)
    return Condition(
        "plunging_fire",
        source=f"{source} Plunging Fire",
        help=f"The attacker shoots down from terrain: {better} better by 1.",
        against="ranged",
        **{roll: puts(characteristics=lambda now, _: (*now, modifier))},  # type: ignore[arg-type]
    )


DAMAGED = condition("damaged", hit=adds_once(-1, "Damaged"))
TARGET_CHARGED = condition("target_charged", save=puts(target_charged=ITS_NAME))
PRECISION = condition(
    "precision",
    value=kinds.Value(reads=kinds.leader, accepts="bool | str", metavar="LEADER", usual=True),
    shown="Precision at: {}",
)


# Modifiers:
def _roll_modifier(roll: str, rolls: str, source: str) -> Condition:
    return Condition(
        f"{roll}_modifier",
        source=f"core rules, {source}",
        value=kinds.RollModifiers(),
        group="Modifiers",
        help=f"Added to {rolls}.",
        shown=f"{{:+d}} to {rolls}",
        **{roll: lambda making, each: making.modifiers.extend(each.value)},  # type: ignore[arg-type]
    )


HIT_MODIFIER = _roll_modifier("hit", "hit rolls", "Hit Roll")
WOUND_MODIFIER = _roll_modifier("wound", "wound rolls", "Wound Roll")
SAVE_MODIFIER = _roll_modifier("save", "saving throws", "Saving Throws")
MODIFIERS = condition(
    "modifiers",
    value=kinds.Value(reads=kinds.modifiers, **SEVERAL),
    shown="{}",
    **dict.fromkeys(ROLLS, puts(characteristics=lambda now, each: now + each.value)),
)
#: What a trigger does to the Armour Penetration.
TRIGGERED = replace(MODIFIERS, save=puts(further=ITS_VALUE))
IGNORE_MODIFIERS = condition(
    "ignore_modifiers",
    value=kinds.Names("hit", "skill", "wound", "attacks", "strength", "ap", "damage"),
    shown="ignores modifiers of {}",
    **dict.fromkeys(ROLLS, puts(ignored=ITS_VALUE)),
)


# Results of rolls:
def _require_critical(roll: Making, expected: str, remedy: str) -> None:
    """Refuse what an edition without critical rolls cannot know."""
    if not roll.edition.critical:
        where = f"in the {roll.edition.title}, which has no critical rolls"
        raise MathhammerError(f"expected {expected} {where}; {remedy}")


def critical(roll: str, *, must_succeed: bool = False) -> Condition:
    """Return the keyword that makes rolls critical from a lower face on, where critical rolls are known."""

    def lowers(making: Making, each: ActiveRule) -> None:
        remedy = "give its rules as triggers, as in Trigger('hit', 'unmodified 5+', ...)"
        _require_critical(making, "no critical_hit or critical_wound", remedy)
        face, successful = kinds.critical_face(each.value)
        if roll == "hit" or successful:
            making.criticals = (*making.criticals, (face, successful or must_succeed))
        else:
            making.threshold = min(making.threshold, face)

    return Condition(
        f"critical_{roll}",
        source=f"core rules, {roll.title()} Roll{'; Rules Commentary, Critical Hit' * (roll == 'hit')}",
        value=kinds.Critical(),
        group="Rolls",
        help=f"Least unmodified {roll} roll that is critical: 5, or 'successful 5+'.",
        shown=f"critical {roll}s on {{}}+",
        **{roll: lowers},  # type: ignore[arg-type]
    )


OVERWATCH_HITS_ON = condition(
    "overwatch_hits_on",
    value=kinds.Face(usual=6, least=2, enough=True),
    shown="Overwatch hits on {}+",
    against="ranged",
    hit=puts(overwatch_hits_on=ITS_VALUE),
    idle=unless(
        lambda stages: stages.situation.overwatch, "has no effect here: the attack is no Fire Overwatch"
    ),
)
_FACE = kinds.Face(least=2, enough=True)
WOUNDS_ON = condition("wounds_on", value=_FACE, shown="wounds on {}+", wound=puts(enough=ITS_VALUE))
WOUND_FAILS_UP_TO = condition(
    "wound_fails_up_to",
    value=kinds.Face(usual=1, most=5),
    shown="wound rolls up to {} fail",
    wound=puts(fails_up_to=ITS_VALUE),
    idle=unless(
        lambda stages: any(wound.check.fails_up_to > 1 for wound in stages.to_wound.rolls),
        "has no effect here: the attacker's rule has priority",
    ),
)
#: The same where a critical wound does not beat it.
CRITICAL_WOUND_FAILS = replace(WOUND_FAILS_UP_TO, wound=puts(fails_up_to=ITS_VALUE, yields=False))


def _require_critical_rolls(roll: Making, each: ActiveRule) -> None:
    if any(trigger.on == "critical" for trigger in each.value):
        _require_critical(roll, "no Trigger on 'critical'", "use 'unmodified 6' for those rolls")


_TRIGGERS = kinds.Value(reads=kinds.triggers, joins_rolls=True, **SEVERAL)
TRIGGERS = condition("triggers", value=_TRIGGERS, shown="{}", hit=_require_critical_rolls)


# Re-rolls:
def _reroll(roll: Making, each: ActiveRule) -> None:  # that of a single die is no property of every die
    if each.value == "non-critical":
        _require_critical(roll, "a re-roll other than 'non-critical'", "give the faces to re-roll")
    if each.value != "one":
        roll.reroll = roll.edition.failed if each.value == "failed" else each.value


def _rerolls(
    rolls: str,
    roll: str,
    words: tuple[str, ...],
    says_one: Callable[[Stages, bool], str],
    *,
    most: int = 6,
    once: str = "one failed die for the whole unit, the first",
    of_unit: bool = False,
    effect: Effect = _reroll,
) -> Condition:
    """Return the keyword of the re-rolls of a roll; `once` says which die is re-rolled where one is."""
    faces = ", or faces such as 1,2" if most else ""
    of_1 = "; ones: rolls of 1" if "ones" in words else ""
    return Condition(
        f"reroll_{rolls}",
        source="core rules, Re-rolls; Rules Commentary, Re-rolls; core stratagems, Command Re-roll",
        value=kinds.Rerolls(*words, most=most, of_unit=of_unit),
        group="Re-rolls",
        help=f"Re-roll {rolls}: {', '.join(words)}{faces} (one: {once}{of_1}).",
        shown=f"re-roll {rolls}: {{}}",
        says_one=says_one,
        **{roll: effect},  # type: ignore[arg-type]
    )


def _one_die(roll: str, die: str) -> Callable[[Stages, bool], str]:
    """Return what a page says of one re-roll of a die that failed."""

    def text(stages: Stages, shared: bool) -> str:  # noqa: FBT001 - as the field of a Condition has it
        if roll == "wound" and (by := stages.to_wound.rerolled_by):
            why = "has re-rolled every failed wound roll, and none is re-rolled twice"
            return f"has no effect here: {by} {why}"
        which = (
            f"the unit has one for all its volleys: the first failed {die} in their order is re-rolled"
            if shared
            else f"of all of them, one failed {die} is re-rolled"
        )
        return f"{which}; the probabilities above are those of a die without it"

    return text


def _one_damage(stages: Stages, _: bool) -> str:  # noqa: FBT001 - the same
    if stages.damage.reroll is None:
        return f"has no effect here: Damage {stages.weapon.damage} is not rolled"
    return (
        "the first damage roll below its mean is re-rolled, one of all attacks together that have this re-roll; "
        "the mean damage below is that without it"
    )


_FAILURES = ("one", "ones", "failed", "failed-unmodified")
REROLL_HITS = _rerolls("hits", "hit", (*_FAILURES, "non-critical"), _one_die("hit", "hit roll"))
REROLL_WOUNDS = _rerolls("wounds", "wound", (*_FAILURES, "non-critical"), _one_die("wound", "wound roll"))
REROLL_SAVES = _rerolls("saves", "save", _FAILURES, _one_die("save", "saving throw"))
REROLL_ATTACKS = _rerolls(
    "attacks",
    "attacks",
    ("one",),
    lambda _, shared: (
        "the first roll for a number of attacks that is below its mean is re-rolled"
        f"{', one for all volleys of the unit' * shared}; the number above is that without it"
    ),
    most=0,
    once="of the whole unit the first roll for a number of attacks below its mean",
    effect=puts(),
)


def reroll_damage(*, each_die: bool = False, ones_by_face: bool = False) -> Condition:
    """Return the keyword of re-rolled Damage."""

    def effect(roll: Making, each: ActiveRule) -> None:
        if each.value == "one":
            roll.rerolls_one = True
        else:
            roll.reroll, roll.each_die = each.value, each_die
            roll.ones_by_face = ones_by_face and each.value == "ones"

    return _rerolls(
        "damage",
        "damage",
        ("one", "ones"),
        _one_damage,
        most=100,  # damage of several dice is judged by the total
        once="the first damage roll below its mean, once",
        of_unit=True,
        effect=effect,
    )


_POLICIES = kinds.Rerolls("first", "best", most=0, policies=True, joins_rolls=True)
COMMAND_REROLL = condition("reroll", value=_POLICIES, shown="Command Re-roll: {}", attacks=puts())
LIMITED_REROLLS = condition(
    "limited_rerolls",
    value=kinds.Value(reads=kinds.limited_rerolls, metavar="ROLLS", joins_rolls=True, **SEVERAL),
    shown="re-roll one {}",
    attacks=puts(),
)
# What the editions share:
SITUATION = (HALF_RANGE, LONG_RANGE, STATIONARY, MOVED, ADVANCED, CHARGED, INDIRECT, OVERWATCH)
#: What acts on rolls; these keywords stand behind an edition's own.
ON_ROLLS = (
    *(TARGET_CHARGED, PRECISION, HIT_MODIFIER, WOUND_MODIFIER, SAVE_MODIFIER, MODIFIERS, IGNORE_MODIFIERS),
    *(critical("hit"), critical("wound"), OVERWATCH_HITS_ON, WOUNDS_ON, WOUND_FAILS_UP_TO, TRIGGERS),
    *(COMMAND_REROLL, LIMITED_REROLLS, REROLL_ATTACKS, REROLL_HITS, REROLL_WOUNDS, reroll_damage()),
    REROLL_SAVES,
)
