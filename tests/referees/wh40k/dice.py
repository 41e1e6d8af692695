"""Hit and wound rolls, and numbers of attacks, in every edition.

Decisions, with the rule each rests on (10th-edition core rules unless another source is named):

* An unmodified 1 fails and an unmodified 6 is a critical success; in the 9th edition it succeeds, and nothing is
  critical. The sum of the modifiers is clamped to -1..+1. A lowered critical threshold makes its faces succeed, unless
  it says *successful*; CONVERSION says so (Rules Commentary, Modifying Dice Rolls).
* Re-rolls come before modifiers, and a die is re-rolled once. "failed" means the faces that fail once modified; in the
  9th edition those that fail without modifiers too.
* "Ignore modifiers" drops what harms the attacker, whatever it would come to; what helps stays.
* TORRENT hits without a roll. An indirect attack has -1 to hit, fails on 1-3, and the target has cover (Core Rules
  Updates). Fire Overwatch hits on unmodified 6s, alone critical. STEALTH and Big Guns Never Tire: ranged attacks.
* 11th edition: cover makes the skill worse by 1 and plunging fire better by 1, from 2+ to 6+ at the end (05.01, 13.08,
  22.05). Snap shooting hits on 6s, not critical since 30 September 2026, and re-rolls no hits (15.09). Indirect
  shooting re-rolls none either and fails on 1-5, or 1-3 if somebody sees the target (10.07). A Psychic weapon drops
  what makes its hits worse (24.29).
* The target's "unmodified 1-X fail" loses to the attacker's "wounds on X+" (Core Rules Updates, Priority of Rules).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from plain_dice import Dice, Pmf, certainly, clamp, faces_rerolled, then, total, value

if TYPE_CHECKING:
    from collections.abc import Callable

    from referees.wh40k.profiles import Rules, Volley

Held = frozenset[str]
NONE: Held = frozenset()


def die(
    judge: Callable[[int], str],
    again: frozenset[int] = frozenset(),
    held: Held = NONE,
    flag: str | None = None,
) -> Pmf:
    """(face that stands, re-rolls held): a held one is used by a die that fails, can succeed and was not re-rolled."""
    distribution: Pmf = {}
    possible = any(judge(face) != "fail" for face in range(1, 7))
    for face in range(1, 7):
        spends = face not in again and flag in held and possible and judge(face) == "fail"
        finals = range(1, 7) if face in again or spends else [face]
        for final in finals:
            after = final, held - {flag} if spends else held
            distribution[after] = distribution.get(after, Fraction(0)) + Fraction(1, 6 * len(finals))
    return distribution


def number(dice: Dice, held: Held = NONE, flag: str | None = None) -> Pmf:
    """(what the dice show, re-rolls held): a held one is used by dice that show less than their mean."""
    mean = Fraction(dice.number * (dice.sides + 1), 2)

    def judged(shown: int) -> Pmf:
        if flag in held and shown < mean:
            return then(total(dice), lambda again: certainly((again, held - {flag})))
        return certainly((shown, held))

    return then(total(dice), judged)


def kept(changes: tuple[int, ...], volley: Volley, name: str) -> int:
    """Sum of the changes, without the harmful ones if the attacker ignores them."""
    return sum(change for change in changes if change > 0 or name not in volley.ignored)


def is_indirect(volley: Volley) -> bool:
    return volley.indirect_fire and volley.indirect


# ---------------------------------------------------------------------------------------------------- attacks and hits


def attacks_of_one(volley: Volley, models: int, shown: int, rules: Rules) -> int:
    """Attacks of one weapon whose dice show so much, at a unit of so many models; without Rapid Fire."""
    made = shown + volley.attacks.plus
    if rules.edition == "9e":
        if volley.blast and volley.attacks.number and models >= 6:
            most = volley.attacks.number * volley.attacks.sides + volley.attacks.plus
            made = most if models >= 11 else max(3, made)
        return 2 * made if volley.rapid_fire is not None and volley.half_range else made
    made += (volley.blast + volley.cleave) * (models // 5)
    return made + kept(volley.attacks_change, volley, "attacks")


def number_of_attacks(
    volley: Volley, models: int, rules: Rules, held: Held = NONE, flag: str | None = None
) -> Pmf:
    """(attacks of all weapons, re-rolls held)."""
    more = certainly(0)
    if volley.rapid_fire is not None and volley.half_range and rules.edition != "9e":
        more = value(volley.rapid_fire)

    def one(now: tuple[int, Held]) -> Pmf:
        so_far, left = now
        flagged = flag if volley.attacks.number else None
        return then(
            number(volley.attacks, left, flagged),
            lambda rolled: then(
                more,
                lambda extra: certainly(
                    (so_far + max(1, attacks_of_one(volley, models, rolled[0], rules) + extra), rolled[1])
                ),
            ),
        )

    distribution = certainly((0, held))
    for _ in range(volley.weapons):
        distribution = then(distribution, one)
    return distribution


def hit_bonus(volley: Volley, rules: Rules) -> int:
    changes = list(volley.hit_modifier)
    if rules.edition == "9e":
        dense = "dense" in volley.terrain and not volley.melee and not volley.ignores_cover
        changes += [-1] * (volley.heavy and volley.moved)
        changes += [-1] * (volley.assault and volley.advanced) + [-1] * dense
    else:
        changes += [1] * (volley.heavy and volley.stationary) + [-1] * volley.damaged
    if rules.edition == "10e":
        hidden = not volley.melee and (volley.stealth or volley.smokescreen)
        changes += [-1] * hidden + [-1] * is_indirect(volley)
        changes += [-1] * (volley.engaged and not volley.melee and not volley.pistol)
    if rules.edition == "11e" and volley.psychic:
        changes = [change for change in changes if change > 0]
    return clamp(kept(tuple(changes), volley, "hit"))


def skill(volley: Volley, rules: Rules) -> int:
    assert volley.skill is not None
    if rules.edition != "11e":
        return max(2, volley.skill - kept(volley.skill_change, volley, "skill"))
    hidden = (volley.cover or is_indirect(volley)) and not (
        volley.melee or volley.ignores_cover or volley.psychic
    )
    return max(2, min(6, volley.skill + hidden - volley.plunging_fire))


def hits_without_a_roll(volley: Volley, rules: Rules) -> bool:
    return volley.skill is None or (volley.torrent and not (rules.snap_torrent and volley.overwatch))


def judge_hit(volley: Volley, rules: Rules, face: int, bonus: int) -> str:
    """ "fail", "success" or "critical"."""
    if rules.edition == "9e":
        return "success" if face == 6 or (face > 1 and face + bonus >= skill(volley, rules)) else "fail"
    eleventh = rules.edition == "11e"
    if volley.overwatch and not volley.melee:
        return "fail" if face < 6 else "critical" if rules.snap_criticals or not eleventh else "success"
    must_hit = volley.critical_hit_must_succeed or rules.critical_must_hit
    fails = 1
    if is_indirect(volley):
        fails = 5 if eleventh and not volley.spotted else 3
        if rules.low_critical_indirect and not must_hit and face >= volley.critical_hit:
            fails = 1
    if face <= fails:
        return "fail"
    hits = face == 6 or face + bonus >= skill(volley, rules)
    if face == 6 or (face >= volley.critical_hit and (hits or not must_hit)):
        return "critical"
    if not hits:
        return "fail"
    return "critical" if volley.conversion and volley.long_range and face >= 4 else "success"


def hit(volley: Volley, rules: Rules, held: Held = NONE, flag: str | None = None) -> Pmf:
    """((face, result), re-rolls held) of one hit roll."""
    bonus = hit_bonus(volley, rules)

    def judge(face: int) -> str:
        return judge_hit(volley, rules, face, bonus)

    again = faces_rerolled(_policy(volley.reroll_hits), judge)
    if rules.edition == "11e" and (volley.overwatch or is_indirect(volley)):
        again = frozenset()
    if rules.edition == "9e" and isinstance(volley.reroll_hits, str) and volley.reroll_hits != "ones":
        again &= faces_rerolled("failed", lambda face: judge_hit(volley, rules, face, 0))
    return _judged(die(judge, again, held, flag), judge)


def _policy(policy: object) -> object:
    return "failed" if policy == "failed-unmodified" else policy


def _judged(distribution: Pmf, judge: Callable[[int], str]) -> Pmf:
    return then(distribution, lambda rolled: certainly((rolled[0], judge(rolled[0]), rolled[1])))


# -------------------------------------------------------------------------------------------------------------- wounds


def needed_to_wound(strength: int, toughness: int) -> int:
    if strength >= 2 * toughness:
        return 2
    if strength > toughness:
        return 3
    if strength == toughness:
        return 4
    return 6 if 2 * strength <= toughness else 5


def wound_bonus(volley: Volley) -> int:
    lance = [1] * (volley.lance and volley.charged)
    return clamp(kept((*volley.wound_modifier, *lance), volley, "wound"))


def wound(
    volley: Volley,
    toughness: int,
    keywords: frozenset[str],
    rules: Rules,
    held: Held = NONE,
    flag: str | None = None,
) -> Pmf:
    """(face, result, re-rolls held) of one wound roll."""
    bonus = wound_bonus(volley)
    critical = min([6, volley.critical_wound, *(need for word, need in volley.anti if word in keywords)])
    by_itself = 6 if volley.critical_wound_must_succeed else critical

    def with_strength(printed: int) -> Pmf:
        strength = max(1, printed + kept(volley.strength_change, volley, "strength"))
        need = needed_to_wound(strength, toughness)

        def judged(face: int, bonus: int) -> str:
            if face == 1:
                return "fail"
            if rules.edition == "9e":
                return "success" if face == 6 or face + bonus >= need else "fail"
            if face >= by_itself:
                return "critical"
            enough = volley.wounds_on is not None and face + bonus >= volley.wounds_on
            if not enough and (face <= volley.wound_fails_up_to or face + bonus < need):
                return "fail"
            return "critical" if face >= critical else "success"

        def judge(face: int) -> str:
            return judged(face, bonus)

        again = faces_rerolled(_policy(volley.reroll_wounds), judge)
        if rules.edition == "9e" and isinstance(volley.reroll_wounds, str) and volley.reroll_wounds != "ones":
            again &= faces_rerolled("failed", lambda face: judged(face, 0))
        if volley.twin_linked:
            again |= faces_rerolled("failed", judge)
        return _judged(die(judge, again, held, flag), judge)

    return then(value(volley.strength), with_strength)
