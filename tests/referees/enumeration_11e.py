"""A second opinion on the 11th edition: attack pools played one die at a time; nothing here imports the package.

A unit is a tuple of kinds of models, a state the wounds left to every model (0 is dead), and every random event a D6
whose faces are walked one by one. Decisions, with the section of the 11th edition core rules that each rests on:

* A pool runs to its end before the next begins, and reads the Toughness of that moment: the highest among the models
  of the bodyguard unit, where none is left the highest of the others (04.02, 05.02.01). What is counted at target
  selection (Blast, Cleave) is counted once for all pools (04.01).
* Hit roll: 1 fails, a critical face hits, else the modified roll must reach the skill. Cover makes the skill worse by
  1 and plunging fire better by 1, from 2+ to 6+ at the end; the sum of the modifiers is held to -1..+1 (05.01, 13.08,
  22.05). Snap shooting hits on unmodified 6s, which are not critical since 30 September 2026, and re-rolls no hits
  (15.09). Indirect shooting gives cover, re-rolls no hits, and fails on 1-5, or 1-3 if somebody sees the target
  (10.07). A Psychic weapon drops what makes its hits worse (24.29).
* Lethal Hits are a choice, made when all hits of the pool are known (24.23). Extra hits of Sustained Hits are not
  critical (24.36).
* A critical wound with Devastating Wounds ends its attack; after the normal damage of its pool one model, at most,
  suffers its Damage as mortal wounds (24.10). A rule about attacks that are allocated to a model does not see it.
* Attacks that their own rolls change (Precision on critical hits, better AP on critical wounds) go on in pools of
  their own, which the attacker orders (05.03.02).
* Groups: each Character model; the other models by equal Wounds, Save and invulnerable save. Groups with a hurt model
  before the order given; Characters last, hurt ones before fresh ones (05.03). With Precision one Character is named,
  whose group is current until it is dead (24.28).
* All saves are rolled together and resolved from the lowest; each goes to a model of the current group, hurt ones
  first. A 1 fails; else the invulnerable save or the armour save, modified, must be reached (05.03, 05.04).
* Damage is rolled when the model is picked; what exceeds the model is lost. One Feel No Pain die a wound (05.04).
* Mortal wounds: hurt models that are no Characters, other such models, hurt Characters, other Characters (06.02).
  A hazard roll fails on 1-2: one mortal wound, three if all models are Monsters or Vehicles (06.03).
* Modifiers of a value: multiplied, added, divided, subtracted, and rounded up once; Damage is 1 at least (02.02.01).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING, Any

from plain_dice import Dice, Pmf, Reroll, certainly, clamp, faces_rerolled, fixed, roll, then, value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ONE, FOUR = fixed(1), fixed(4)


@dataclass(frozen=True)
class Kind:
    """Equal models of a unit; the first of them has lost some wounds."""

    wounds: int = 1
    save: int | None = None
    invulnerable: int | None = None
    toughness: int = 4
    models: int = 1
    feel_no_pain: int | None = None
    feel_no_pain_mortal: int | None = None
    damage_reduction: int = 0
    half_damage: bool = False
    lost: int = 0
    character: bool = False
    bodyguard: bool = True
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True)
class Attacks:
    """The weapons of one pool, and what is true of them."""

    number: Dice = ONE
    weapons: int = 1
    skill: int = 3
    strength: Dice = FOUR
    ap: int = 0  # a depth: 1 is AP-1
    damage: Dice = ONE
    melee: bool = False
    torrent: bool = False
    lethal: bool = False
    sustained: Dice | None = None
    devastating: bool = False
    twin_linked: bool = False
    anti: tuple[tuple[str, int], ...] = ()
    psychic: bool = False
    blast: int = 0
    cleave: int = 0
    rapid_fire: int = 0
    melta: int = 0
    half_range: bool = False
    ignores_cover: bool = False
    conversion: bool = False  # beyond its range: successful 4+ are critical hits
    heavy: bool = False  # +1 in force
    lance: bool = False  # +1 in force
    cover: bool = False
    plunging: bool = False
    snap: bool = False
    indirect: str | None = None  # "blind" or "spotted"
    hit_modifier: tuple[int, ...] = ()
    wound_modifier: tuple[int, ...] = ()
    save_modifier: tuple[int, ...] = ()
    critical_hit: int = 6
    critical_wound: int = 6
    reroll_hits: Reroll = None
    reroll_wounds: Reroll = None
    reroll_saves: tuple[int, ...] = ()
    precision: tuple[int, ...] = ()  # kinds of Characters, of which the first living one is named
    precision_on_critical_hits: tuple[int, ...] = ()
    ap_on_critical_wounds: int = 0  # so much deeper


@dataclass(frozen=True)
class Rules:
    """The rulings, as the package's defaults have them."""

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


DEFAULT = Rules()
Unit = tuple[Kind, ...]
State = tuple[int, ...]


def members(unit: Unit) -> tuple[int, ...]:
    """Return the kind of every model, in order."""
    return tuple(place for place, kind in enumerate(unit) for _ in range(kind.models))


def fresh(unit: Unit) -> State:
    return tuple(
        kind.wounds - (kind.lost if number == 0 else 0) for kind in unit for number in range(kind.models)
    )


def toughness(unit: Unit, state: State) -> int:
    alive = {place for place, left in zip(members(unit), state, strict=True) if left}
    guards = [unit[place].toughness for place in alive if unit[place].bodyguard]
    return max(guards or [unit[place].toughness for place in alive])


# -------------------------------------------------------------------------------------------- hit and wound


def number_of_attacks(attacks: Attacks, models: int) -> Pmf:
    """Of one weapon, at a unit of so many models."""
    more = (attacks.blast + attacks.cleave) * (models // 5) + attacks.rapid_fire * attacks.half_range
    return then(value(attacks.number), lambda rolled: certainly(max(1, rolled + more)))


@cache
def hit(attacks: Attacks, rules: Rules = DEFAULT) -> Pmf:
    """ "fail", "success" or "critical" of one attack."""
    snap = attacks.snap and (not attacks.torrent or rules.snap_torrent)
    if attacks.torrent and not snap:
        return certainly("success")
    cover = (
        (attacks.cover or attacks.indirect is not None) and not attacks.melee and not attacks.ignores_cover
    )
    modifiers = [*attacks.hit_modifier, *[1] * attacks.heavy]
    if attacks.psychic:
        cover, modifiers = False, [modifier for modifier in modifiers if modifier > 0]
    need = max(2, min(6, attacks.skill + cover - attacks.plunging))
    fails = {"blind": 5, "spotted": 3, None: 1}[attacks.indirect]
    # What fails whatever the skill is no successful roll either.
    escapes = rules.low_critical_indirect and not rules.critical_must_hit

    def judge(face: int) -> str:
        if snap:
            return "fail" if face < 6 else "critical" if rules.snap_criticals else "success"
        if face == 1 or (face <= fails and not (escapes and face >= attacks.critical_hit)):
            return "fail"
        hits = face == 6 or face + clamp(sum(modifiers)) >= need
        if face >= attacks.critical_hit and (hits or not rules.critical_must_hit):
            return "critical"
        if not hits:
            return "fail"
        return "critical" if attacks.conversion and face >= 4 else "success"

    again = () if snap or attacks.indirect else faces_rerolled(attacks.reroll_hits, judge)
    return roll(judge, again)


def needed(strength: int, toughness: int) -> int:
    if strength >= 2 * toughness:
        return 2
    if strength == toughness:
        return 4
    return 3 if strength > toughness else 6 if 2 * strength <= toughness else 5


@cache
def wound(attacks: Attacks, toughness: int, keywords: frozenset[str]) -> Pmf:
    """ "fail", "success" or "critical" of one hit."""
    critical = min([attacks.critical_wound, *(need for word, need in attacks.anti if word in keywords)])
    modifier = clamp(sum(attacks.wound_modifier) + attacks.lance)

    def with_strength(strength: int) -> Pmf:
        def judge(face: int) -> str:
            if face == 1:
                return "fail"
            if face >= critical:
                return "critical"
            return "success" if face + modifier >= needed(max(1, strength), toughness) else "fail"

        again = faces_rerolled(attacks.reroll_wounds, judge)
        return roll(judge, again | faces_rerolled("failed", judge) if attacks.twin_linked else again)

    return then(value(attacks.strength), with_strength)


@cache
def hits_of_pool(attacks: Attacks, models: int, rules: Rules) -> Pmf:
    """(critical hits, their extra hits, other hits) of all its weapons."""

    def one(rolled: str) -> Pmf:
        if rolled == "fail":
            return certainly((0, 0, 0))
        if rolled == "success":
            return certainly((0, 0, 1))
        if attacks.sustained is None:
            return certainly((1, 0, 0))
        return then(value(attacks.sustained), lambda extra: certainly((1, extra, 0)))

    return _repeated(then(hit(attacks, rules), one), number_of_attacks(attacks, models), attacks.weapons, 3)


def _repeated(one: Pmf, number: Pmf, weapons: int, width: int) -> Pmf:
    """So many weapons, each with a random number of attacks; what each comes to is added up."""
    distribution = certainly((0,) * width)
    for _ in range(weapons):
        after: Pmf = {}
        for made in range(max(number) + 1):
            for outcome, chance in distribution.items():
                after[outcome] = after.get(outcome, Fraction(0)) + chance * number.get(made, 0)
            distribution = _plus(distribution, one)
        distribution = {outcome: chance for outcome, chance in after.items() if chance}
    return distribution


def _plus(distribution: Pmf, one: Pmf) -> Pmf:
    return then(
        distribution,
        lambda so_far: then(one, lambda more: certainly(tuple(map(sum, zip(so_far, more, strict=True))))),
    )


#: With Precision by its hit, with better AP by its wound roll, or as mortal wounds.
_NO_WOUNDS = (0,) * 8


def _wound(gifted: bool, critical: bool, devastating: bool) -> tuple[int, ...]:  # noqa: FBT001
    place = 4 * gifted + 2 * critical + devastating
    return tuple(int(place == each) for each in range(8))


@cache
def wounds_of(
    attacks: Attacks, lethal: int, hits: tuple[int, int, int], faced: tuple[int, frozenset[str]], rules: Rules
) -> Pmf:
    """How many wounds of each sort: of critical hits that wound without a roll, of others, of other hits."""
    gift = bool(attacks.precision_on_critical_hits)

    def rolled(gifted: bool) -> Pmf:  # noqa: FBT001
        def read(result: str) -> Pmf:
            if result == "fail":
                return certainly(_NO_WOUNDS)
            critical = result == "critical"
            ends = critical and attacks.devastating
            return certainly(
                _wound(gifted, critical and not ends and attacks.ap_on_critical_wounds > 0, ends)
            )

        return then(wound(attacks, *faced), read)

    distribution = certainly(tuple(lethal * each for each in _wound(gift, False, False)))  # noqa: FBT003
    for gifted, number in zip((gift, gift and rules.extra_hits_share, False), hits, strict=True):
        for _ in range(number):
            distribution = _plus(distribution, rolled(gifted))
    return distribution


# ---------------------------------------------------------------------------------------- groups and saves


def order_of_groups(unit: Unit, state: State, named: Sequence[int]) -> list[list[int]]:
    """Models of each group, in the order in which wounds reach them; Characters that are named come first."""
    kinds = members(unit)
    found: dict[Any, list[int]] = {}
    for model, left in enumerate(state):
        kind = unit[kinds[model]]
        key = model if kind.character else (kind.wounds, kind.save, kind.invulnerable)
        group = found.setdefault(key, [])  # in the order given, whoever of it is left
        if left:
            group.append(model)

    def turn(group: list[int]) -> tuple[int, bool, bool]:
        kind = kinds[group[0]]
        aimed = named.index(kind) if unit[kind].character and kind in named else len(named)
        return aimed, unit[kind].character, not any(state[model] < unit[kind].wounds for model in group)

    return sorted(filter(None, found.values()), key=turn)


def is_saved(die: int, kind: Kind, attacks: Attacks, ap: int) -> bool:
    if die == 1:
        return False
    modified = die + sum(attacks.save_modifier)
    if kind.invulnerable is not None and modified >= kind.invulnerable:
        return True
    return kind.save is not None and modified - ap >= kind.save


@cache
def hands(number: int, again: tuple[int, ...]) -> Pmf:
    """So many save dice, sorted from the lowest; some faces are re-rolled."""
    distribution = certainly(())
    for _ in range(number):
        distribution = then(distribution, lambda dice: roll(lambda face: tuple(sorted((*dice, face))), again))
    return distribution


def _first(unit: Unit, state: State, models: Sequence[int]) -> int:
    """Return a hurt model if there is one, else the first in order."""
    kinds = members(unit)
    alive = [model for model in models if state[model]]
    return next((model for model in alive if state[model] < unit[kinds[model]].wounds), alive[0])


@cache
def _lose(unit: Unit, state: State, model: int, points: int, *, mortal: bool) -> Pmf:
    """So many wounds on one model, point by point until it is dead."""
    kind = unit[members(unit)[model]]
    usable = [kind.feel_no_pain, kind.feel_no_pain_mortal if mortal else None]
    need = min((number for number in usable if number is not None), default=7)
    distribution = certainly(state[model])
    for _ in range(points):
        distribution = then(distribution, lambda left: roll(lambda face: left - (left > 0 and face < need)))
    return {(*state[:model], left, *state[model + 1 :]): chance for left, chance in distribution.items()}


def damage(attacks: Attacks, kind: Kind, *, reduced: bool) -> Pmf:
    def modified(shown: int) -> Pmf:
        points = Fraction(shown + attacks.melta * attacks.half_range)
        if reduced:
            points = points / (2 if kind.half_damage else 1) - kind.damage_reduction
        return certainly(max(1, -(-points.numerator // points.denominator)))

    return then(value(attacks.damage), modified)


@cache
def saves(unit: Unit, state: State, attacks: Attacks, number: int, ap: int, named: tuple[int, ...]) -> Pmf:
    """States after the saves and the damage of one pool."""
    kinds, order = members(unit), order_of_groups(unit, state, named)

    @cache
    def resolve(dice: tuple[int, ...], now: State) -> Pmf:
        group = next((group for group in order if any(now[model] for model in group)), None)
        if not dice or group is None:
            return certainly(now)
        model = _first(unit, now, group)
        if is_saved(dice[0], unit[kinds[model]], attacks, ap):
            return resolve(dice[1:], now)
        points = damage(attacks, unit[kinds[model]], reduced=True)
        distribution = then(points, lambda number: _lose(unit, now, model, number, mortal=False))
        return then(distribution, lambda after: resolve(dice[1:], after))

    return then(hands(number, attacks.reroll_saves), lambda dice: resolve(dice, state))


def mortal_model(unit: Unit, state: State, named: Sequence[int] = ()) -> int:
    """The model that the next mortal wound is allocated to."""
    kinds = members(unit)
    alive = [model for model, left in enumerate(state) if left]
    aimed = [model for kind in named for model in alive if kinds[model] == kind]
    guards = [model for model in alive if not unit[kinds[model]].character]
    return aimed[0] if aimed else _first(unit, state, guards or alive)


def mortal_wounds(unit: Unit, state: State, number: int) -> Pmf:
    """One at a time; what is left when a model dies goes on to the next."""

    def one(now: State) -> Pmf:
        return _lose(unit, now, mortal_model(unit, now), 1, mortal=True) if any(now) else certainly(now)

    distribution = certainly(state)
    for _ in range(number):
        distribution = then(distribution, one)
    return distribution


def hazards(unit: Unit, state: State, number: int, fails_up_to: int = 2, each: int = 1) -> Pmf:
    """So many hazard rolls of a unit; `each` is 3 where all its models are Monsters or Vehicles."""

    def one(now: State) -> Pmf:
        failed = roll(lambda face: face <= fails_up_to)
        return then(failed, lambda fails: mortal_wounds(unit, now, each * fails))

    distribution = certainly(state)
    for _ in range(number):
        distribution = then(distribution, one)
    return distribution


# ----------------------------------------------------------------------------------------------- whole pools


def devastate(unit: Unit, state: State, attacks: Attacks, named: Sequence[int], rules: Rules) -> Pmf:
    if not any(state):
        return certainly(state)
    model = mortal_model(unit, state, named)
    points = damage(attacks, unit[members(unit)[model]], reduced=rules.reduces_devastating)
    return then(points, lambda number: _lose(unit, state, model, number, mortal=True))


def in_order(rules: Rules) -> tuple[int, ...]:
    """Return the pools of a split one: with Precision and better AP, with one of them, as it is."""
    special = (6, 4, 2) if rules.precision_first else (6, 2, 4)
    return (0, *special) if rules.split == "special-last" else (*special, 0)


def play(
    pools: tuple[Attacks, ...],
    unit: Unit,
    finish: Callable[[State], Pmf] = certainly,
    choose: Callable[[list[Pmf]], Pmf] = lambda distributions: distributions[0],
    rules: Rules = DEFAULT,
    start: State | None = None,
) -> Pmf:
    """Fold all pools; `choose` is handed what follows each choice of the attacker: lethal hits, split pools."""
    first = fresh(unit) if start is None else start
    kinds = members(unit)

    def living(state: State) -> set[int]:
        return {kind for kind, left in zip(kinds, state, strict=True) if left}

    @cache
    def begin(number: int, state: State) -> Pmf:
        if number == len(pools) or not any(state):
            return finish(state)
        attacks = pools[number]
        words = frozenset(word for kind in living(state) for word in unit[kind].keywords)
        faced = toughness(unit, state), words

        def with_hits(rolled: tuple[int, int, int]) -> Pmf:
            criticals, *others = rolled
            ways = {"always": [criticals], "never": [0], "best": list(range(criticals, -1, -1))}[rules.lethal]
            distributions = []
            for lethal in ways if attacks.lethal else [0]:
                distribution = wounds_of(attacks, lethal, (criticals - lethal, *others), faced, rules)
                distributions.append(then(distribution, lambda wounds: split(number, wounds, state)))
            return choose(distributions) if len(distributions) > 1 else distributions[0]

        return then(hits_of_pool(attacks, sum(map(bool, first)), rules), with_hits)

    @cache
    def split(number: int, wounds: tuple[int, ...], state: State) -> Pmf:
        """What goes on with Precision, with better AP, with both, or as it is: each is a pool of its own."""
        parts = [place for place in in_order(rules) if any(wounds[place : place + 2])]
        ways = {"special-first": [parts], "special-last": [parts], "best": permutations(parts)}
        distributions = [in_turn(number, wounds, tuple(way), state) for way in ways[rules.split]]
        return choose(distributions) if len(distributions) > 1 else distributions[0]

    def in_turn(number: int, wounds: tuple[int, ...], parts: tuple[int, ...], state: State) -> Pmf:
        if not parts:
            return begin(number + 1, state)
        place, attacks = parts[0], pools[number]
        aimed = attacks.precision_on_critical_hits if place & 4 else attacks.precision
        named = tuple(kind for kind in aimed if kind in living(state))[: None if rules.second else 1]
        ap = attacks.ap + (attacks.ap_on_critical_wounds if place & 2 else 0)
        distribution = saves(unit, state, attacks, wounds[place], ap, named)
        for _ in range(wounds[place + 1]):
            distribution = then(distribution, lambda now: devastate(unit, now, attacks, named, rules))
        return then(distribution, lambda now: in_turn(number, wounds, parts[1:], now))

    return begin(0, first)


def best_play(pools: tuple[Attacks, ...], unit: Unit, rules: Rules = DEFAULT) -> Pmf:
    """States when the attacker chooses what most wounds are lost by, at each choice; of equal ways the first."""

    def choose(distributions: list[Pmf]) -> Pmf:
        return max(
            distributions,
            key=lambda distribution: -sum(sum(state) * chance for state, chance in distribution.items()),
        )

    return play(pools, unit, choose=choose, rules=rules)


def coordinates(unit: Unit, state: State) -> tuple[int, ...]:
    """Models destroyed and wounds lost by the next, for each kind."""
    numbers: list[int] = []
    for place, kind in enumerate(unit):
        left = [each for of, each in zip(members(unit), state, strict=True) if of == place and each]
        numbers += [kind.models - len(left), kind.wounds - min(left) if left else 0]
    return tuple(numbers)


def merged(unit: Unit, distribution: Pmf) -> Pmf:
    return then(distribution, lambda state: certainly(coordinates(unit, state)))
