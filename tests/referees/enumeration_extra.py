"""Unit rules, stratagems and conditions played one die at a time, beside `enumeration` and as slow.

Nothing here imports the package. A unit is one kind of models or several, some of them attached leaders, each with
wounds lost before; a shot is what one weapon does under the rules below (10th-edition core rules, unless a line names
another document).

* Hit: TORRENT hits without a roll, also in Fire Overwatch, where everything else hits on an unmodified 6 only, which
  alone is critical. Otherwise 1 fails, 6 is critical; "unmodified 5+" is critical and hits, "successful unmodified 5+"
  is critical where the modified roll hits. Stealth (ranged; Smokescreen is the same Stealth), Big Guns Never Tire
  (ranged, no pistols), Damaged (every attack) and HEAVY add up with all else, and the sum is clamped to -1..+1.
* Wound: the number of the table, or of the attacker's "wounds on X+" if that is lower. The target's "unmodified 1-X
  fail" loses to that rule, and to a face that is critical by itself (Core Rules Updates, Priority of Rules).
* "Ignore modifiers": what harms the attacker is dropped, whatever it would come to; what helps him stays.
* Skill is never better than 2+; Strength, Attacks and Damage never below 1; AP is the printed one with all that
  improves and worsens it, never worse than 0. Plunging Fire improves it by 1 (ranged).
* Save: cover comes from the situation, from Smokescreen, and from Go to Ground, once, against ranged attacks, and not
  for a Save of 3+ or better at AP 0. "+1 to armour saves against Damage 1" needs a Damage that is 1 after all. Armour
  bonuses and AP together are at most +1. Go to Ground gives a 6+ invulnerable save against ranged attacks.
* Damage: roll, halve (target, or another rule), add, subtract, round up, at least 1.
* Allocation, Feel No Pain and devastating wounds are those of `enumeration_units`; leaders and PRECISION too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from enumeration_units import choices, coordinates, fresh
from plain_dice import Dice, Pmf, Reroll, certainly, clamp, faces_rerolled, fixed, roll, then, total

if TYPE_CHECKING:
    from enumeration_units import Kind, State

ONE = fixed(1)


@dataclass(frozen=True)
class Model:
    """What one kind of models is."""

    toughness: int = 4
    save: int | None = None
    wounds: int = 1
    models: int = 1
    invulnerable: int | None = None
    feel_no_pain: int | None = None
    feel_no_pain_mortal: int | None = None
    damage_reduction: int = 0
    half_damage: bool = False
    damage_1_save_bonus: int = 0
    damage_to_0: bool = False


@dataclass(frozen=True)
class Shot:
    """Attacks of one weapon, and all that is true of them; changes are numbers, those below 0 do harm."""

    attacks: int = 1
    skill: int | None = 3
    strength: int = 4
    ap: int = 0
    damage: Dice = ONE
    melee: bool = False
    torrent: bool = False
    pistol: bool = False
    heavy: bool = False
    lethal_hits: bool = False
    sustained_hits: int = 0
    devastating_wounds: bool = False
    ignores_cover: bool = False
    stationary: bool = False
    cover: bool = False
    stealth: bool = False
    smokescreen: bool = False
    go_to_ground: bool = False
    engaged: bool = False
    plunging_fire: bool = False
    damaged: bool = False
    overwatch: bool = False
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
    ignored: frozenset[str] = frozenset()
    reroll_hits: Reroll = None
    reroll_wounds: Reroll = None
    reroll_saves: Reroll = None
    directed: tuple[int, ...] = ()
    #: What a rule does on an unmodified 6 that succeeds: better AP of that attack, mortal wounds in addition.
    ap_on_hit: int = 0
    ap_on_wound: int = 0
    mortals_on_hit: int = 0
    mortals_on_wound: int = 0


Unit = tuple["Kind", ...]


def kept(changes: tuple[int, ...], shot: Shot, name: str) -> int:
    """Sum of the changes, without those below 0 if the attacker ignores them."""
    return sum(change for change in changes if change > 0 or name not in shot.ignored)


def attacks(shot: Shot) -> int:
    return max(1, shot.attacks + kept(shot.attacks_change, shot, "attacks"))


def skill(shot: Shot) -> int:
    assert shot.skill is not None
    return max(2, shot.skill - kept(shot.skill_change, shot, "skill"))


def hit_bonus(shot: Shot) -> int:
    changes = list(shot.hit_modifier)
    if not shot.melee:
        changes.append(-1 if shot.stealth or shot.smokescreen else 0)
        changes.append(-1 if shot.engaged and not shot.pistol else 0)
    changes.append(-1 if shot.damaged else 0)
    changes.append(1 if shot.heavy and shot.stationary else 0)
    return clamp(kept(tuple(changes), shot, "hit"))


def judge_hit(shot: Shot, face: int) -> str:
    if shot.overwatch and not shot.melee:
        return "critical" if face == 6 else "fail"
    if face == 1:
        return "fail"
    reached = face + hit_bonus(shot) >= skill(shot)
    if face == 6:
        return "critical"
    if face >= shot.critical_hit and (reached or not shot.critical_hit_must_succeed):
        return "critical"
    return "success" if reached else "fail"


@cache
def hit(shot: Shot) -> Pmf:
    if shot.torrent:
        return certainly("success")

    def judge(face: int) -> str:
        return judge_hit(shot, face)

    return roll(judge, faces_rerolled(shot.reroll_hits, judge))


def table(strength: int, toughness: int) -> int:
    if strength == toughness:
        return 4
    if strength > toughness:
        return 2 if strength >= 2 * toughness else 3
    return 6 if Fraction(toughness, 2) >= strength else 5


def judge_wound(shot: Shot, toughness: int, face: int) -> str:
    strength = max(1, shot.strength + kept(shot.strength_change, shot, "strength"))
    if face == 1:
        return "fail"
    by_itself = 6 if shot.critical_wound_must_succeed else shot.critical_wound
    if face >= by_itself:
        return "critical"
    rolled = face + clamp(kept(shot.wound_modifier, shot, "wound"))
    enough = shot.wounds_on is not None and rolled >= shot.wounds_on  # the attacker's rule has priority
    if not enough and (face <= shot.wound_fails_up_to or rolled < table(strength, toughness)):
        return "fail"
    return "critical" if face >= shot.critical_wound else "success"


@cache
def wound(shot: Shot, toughness: int) -> Pmf:
    def judge(face: int) -> str:
        return judge_wound(shot, toughness, face)

    return roll(judge, faces_rerolled(shot.reroll_wounds, judge))


def penetration(shot: Shot) -> int:
    better = kept(shot.ap_change, shot, "ap") + (1 if shot.plunging_fire and not shot.melee else 0)
    return min(0, shot.ap - better)


@cache
def damage(shot: Shot, model: Model, *, to_0: bool = False) -> Pmf:
    """Damage of one attack on such a model, before Feel No Pain; a rule may change it to 0 before anything else."""
    return then(total(shot.damage), lambda shown: certainly(modified_damage(shot, model, shown, to_0=to_0)))


def modified_damage(shot: Shot, model: Model, shown: int, *, to_0: bool = False) -> int:
    """What becomes of damage dice that show so much together."""
    points = Fraction(0 if to_0 else shown + shot.damage.plus)
    if "damage" not in shot.ignored:
        points /= (2 if model.half_damage else 1) * (2 if shot.damage_halved else 1)
        points -= model.damage_reduction
    points += kept(shot.damage_change, shot, "damage")
    return max(0 if to_0 else 1, -(-points.numerator // points.denominator))


@cache
def save(shot: Shot, model: Model) -> Pmf:
    ap = penetration(shot)
    cover = (shot.cover or shot.smokescreen or shot.go_to_ground) and not (shot.melee or shot.ignores_cover)
    needs = []
    if model.save is not None:
        if model.save <= 3 and ap == 0:
            cover = False
        against_1 = model.damage_1_save_bonus if set(damage(shot, model)) == {1} else 0
        needs.append(model.save - min(1, sum(shot.save_modifier) + against_1 + cover + ap))
    invulnerable = [model.invulnerable, 6 if shot.go_to_ground and not shot.melee else None]
    needs += [number - min(1, sum(shot.save_modifier)) for number in invulnerable if number is not None]
    if not needs:
        return certainly("fail")

    def judge(face: int) -> str:
        return "fail" if face == 1 or face < min(needs) else "success"

    return roll(judge, faces_rerolled(shot.reroll_saves, judge))


@cache
def one_attack(shot: Shot, toughness: int) -> Pmf:
    """(hits, wounds that are saved against, devastating wounds) of one attack."""

    def scored(result: str) -> Pmf:
        if result == "fail":
            return certainly((0, 0, 0))
        extra = shot.sustained_hits if result == "critical" else 0
        lethal = result == "critical" and shot.lethal_hits
        distribution = certainly((1 + extra, int(lethal), 0))
        for _ in range(1 + extra - lethal):
            distribution = then(
                distribution, lambda so_far: then(wound(shot, toughness), lambda res: judged(so_far, res))
            )
        return distribution

    def judged(so_far: tuple[int, int, int], result: str) -> Pmf:
        hits, ordinary, devastating = so_far
        if result == "critical" and shot.devastating_wounds:
            return certainly((hits, ordinary, devastating + 1))
        return certainly((hits, ordinary + (result != "fail"), devastating))

    return then(hit(shot), scored)


def ignored_wound(model: Model, *, mortal: bool) -> Pmf:
    usable = [model.feel_no_pain] + ([model.feel_no_pain_mortal] if mortal else [])
    need = min((number for number in usable if number is not None), default=7)
    return roll(lambda face: face >= need)


@cache
def suffer(model: Model, points: int, left: int, *, mortal: bool) -> Pmf:
    """Wounds lost by a model with so many left."""
    distribution = certainly(0)
    for _ in range(points):
        distribution = then(
            distribution,
            lambda lost: (
                certainly(lost)
                if lost == left
                else then(
                    ignored_wound(model, mortal=mortal), lambda saved: certainly(lost + (0 if saved else 1))
                )
            ),
        )
    return distribution


def begun_or_by_order(unit: Unit, state: State, directed: tuple[int, ...]) -> list[int]:
    """The other reading: whoever is hurt or was allocated an attack comes first, a leader too."""
    if any(model.kind in directed for model in state):
        return choices(unit, state, directed)
    begun = [
        place
        for place, model in enumerate(state)
        if model.allocated or model.left < unit[model.kind].profile.wounds
    ]
    return begun or choices(unit, state, ())


@cache
def strike(unit: Unit, state: State, shot: Shot, *, mortal: bool, begun_first: bool = False) -> Pmf:
    """One wound, allocated, saved against unless it is devastating, and suffered."""
    places = (begun_or_by_order if begun_first else choices)(unit, state, shot.directed)
    if not places:
        return certainly(state)
    model: Model = unit[state[places[0]].kind].profile  # type: ignore[assignment]
    if mortal:
        return hurt(unit, state, shot, mortal=True, place=places[0])
    return then(
        save(shot, model),
        lambda result: hurt(unit, state, shot, unsaved=result == "fail", place=places[0]),
    )


def hurt(
    unit: Unit,
    state: State,
    shot: Shot,
    *,
    unsaved: bool = True,
    mortal: bool = False,
    place: int | None = None,
    to_0: bool = False,
) -> Pmf:
    """Damage and Feel No Pain of one wound; saved or not, the model was allocated an attack."""
    place = choices(unit, state, shot.directed)[0] if place is None else place
    chosen = state[place]
    model: Model = unit[chosen.kind].profile  # type: ignore[assignment]
    points = damage(shot, model, to_0=to_0) if unsaved else certainly(0)

    def lose(lost: int) -> Pmf:
        after = () if lost == chosen.left else (replace(chosen, left=chosen.left - lost, allocated=True),)
        return certainly((*state[:place], *after, *state[place + 1 :]))

    return then(then(points, lambda number: suffer(model, number, chosen.left, mortal=mortal)), lose)


def met_toughness(unit: Unit) -> int:
    return max(kind.profile.toughness for kind in unit if not kind.leader)


def final_states(shots: tuple[Shot, ...], unit: Unit, *, begun_first: bool = False) -> Pmf:
    """Coordinates of the unit after all shots: ordinary damage of all of them first, then what is devastating."""
    toughness = met_toughness(unit)
    distribution = certainly((fresh(unit), (0,) * len(shots)))
    for place, shot in enumerate(shots):

        def attack(table: tuple[State, tuple[int, ...]], place: int = place, shot: Shot = shot) -> Pmf:
            def resolved(result: tuple[int, int, int]) -> Pmf:
                state, waiting = table
                more = (*waiting[:place], waiting[place] + result[2], *waiting[place + 1 :])
                states = certainly(state)
                for _ in range(result[1]):
                    states = then(
                        states, lambda now: strike(unit, now, shot, mortal=False, begun_first=begun_first)
                    )
                return {(now, more): chance for now, chance in states.items()}

            return then(one_attack(shot, toughness), resolved)

        for _ in range(attacks(shot)):
            distribution = then(distribution, attack)

    def devastate(table: tuple[State, tuple[int, ...]]) -> Pmf:
        states = certainly(table[0])
        for shot, number in zip(shots, table[1], strict=True):
            for _ in range(number):
                states = then(
                    states,
                    lambda now, shot=shot: strike(unit, now, shot, mortal=True, begun_first=begun_first),
                )
        return states

    return then(then(distribution, devastate), lambda state: certainly(coordinates(unit, state)))


def count(shots: tuple[Shot, ...], unit: Unit, which: str) -> Pmf:
    """Distribution of the hits, or of the wounds before saves, of all shots."""
    distribution = certainly(0)
    for shot in shots:
        for _ in range(attacks(shot)):
            distribution = then(
                distribution,
                lambda so_far, shot=shot: then(
                    one_attack(shot, met_toughness(unit)),
                    lambda result: certainly(so_far + (result[0] if which == "hits" else sum(result[1:]))),
                ),
            )
    return distribution


def damage_in_all(shots: tuple[Shot, ...], unit: Unit) -> Pmf:
    """Distribution of the damage after saves and Feel No Pain, excess counted, on equal models."""
    (kind,) = unit
    model: Model = kind.profile  # type: ignore[assignment]

    def inflicted(shot: Shot, *, mortal: bool) -> Pmf:
        return then(damage(shot, model), lambda number: suffer(model, number, number, mortal=mortal))

    def of_one(shot: Shot) -> Pmf:
        def resolved(result: tuple[int, int, int]) -> Pmf:
            distribution = certainly(0)
            for _ in range(result[1]):
                distribution = then(
                    distribution,
                    lambda so_far: then(
                        save(shot, model),
                        lambda made: (
                            certainly(so_far)
                            if made == "success"
                            else then(
                                inflicted(shot, mortal=False), lambda points: certainly(so_far + points)
                            )
                        ),
                    ),
                )
            for _ in range(result[2]):
                distribution = then(
                    distribution,
                    lambda so_far: then(
                        inflicted(shot, mortal=True), lambda points: certainly(so_far + points)
                    ),
                )
            return distribution

        return then(one_attack(shot, model.toughness), resolved)

    distribution = certainly(0)
    for shot in shots:
        each = of_one(shot)
        for _ in range(attacks(shot)):
            distribution = then(
                distribution, lambda so_far, each=each: {so_far + n: p for n, p in each.items()}
            )
    return distribution
