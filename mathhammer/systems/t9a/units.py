"""Units in a round of combat: what they strike with, Special Attacks among it, what they lose, how they hold.

Special Attacks are those of The 9th Age rulebook, 2nd edition, Model Rules.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import product
from math import prod
from operator import sub
from typing import TYPE_CHECKING, Any, Required, TypedDict, Unpack

from flint import fmpz

from mathhammer import validation
from mathhammer.display import format_fields, format_items
from mathhammer.distributions import Distribution
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.fields.kinds import Boolean, Checked, Integer, IntegerOrElse, MaybeBoolean, MaybeInteger
from mathhammer.fields.profile import Record
from mathhammer.modifiers import Modifier
from mathhammer.sequence.pools import SavePool, SharedPools
from mathhammer.sequence.result import damage_of
from mathhammer.systems.t9a.attributes import CHAMPION, ONE_IS_ENOUGH, RANK_AND_FILE, TRAITS, Attribute
from mathhammer.systems.t9a.profiles import (
    CRUSHING,
    ModelPart,
    Parts,
    Target,
    apart,
    as_parts,
    require_compatible,
)
from mathhammer.systems.t9a.situation import MOST_INSTANCES, Edition, read_situation
from mathhammer.systems.t9a.stages import FIRST_STEP, LAST_STEP, PartStages
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mathhammer.expressions import Expression
    from mathhammer.sequence.rulings import Rulings

#: Most steps of a combat, some five seconds; those of a state, or option, beside what comes of it by each score, and
#: those of a case of what several strike together.
MAXIMUM_STEPS, STATE, CASE = 6_000_000, 20, 3
#: Most wounds beyond the last Health Point that count in a Duel.
MOST_OVERKILL = 3
#: What each pool of a unit has lost; in a Duel wounds beyond the last Health Point count too.
Lost = tuple[int, ...]
Pair = tuple[int, int]
#: Where a part's attacks go: pairs of a place of the enemy's and a number of attacks, 0 for a random number of them.
Aim = tuple[tuple[int, int], ...]
#: The aims of all parts of a side that strike in an initiative step.
Aims = tuple[Aim, ...]
_NO_DAMAGE = Distribution.from_weights({0: 1}, exact=True)
#: What strikes at one pool, each as part, place, model parts, attacks, hits of one attack, and who is afraid.
Volley = tuple[tuple[int, int, int, int, int, Pair], ...]


def require_steps(steps: int, rounds: int = 0) -> None:
    """Refuse a combat of more steps than there may be, of which so many rounds are no more."""
    if steps > MAXIMUM_STEPS:
        fits = f", or {'one round only' if rounds == 1 else f'at most {rounds} rounds'}" if rounds else ""
        raise TooLargeError(
            f"expected a combat of at most {MAXIMUM_STEPS:,} steps, some five seconds, but this one takes more; use "
            f"smaller units, fewer attacks or fewer choices{fits}"
        )


def _alternatives(given: Sequence[Parts]) -> tuple[tuple[ModelPart, ...], ...]:
    others = validation.items(given, object, "sets of ModelParts as alternatives")
    if len(others) == 1:
        raise MathhammerError(
            "expected two or more alternatives, of which one fights in each round, got one; make it one of the parts"
        )
    expected = "ModelParts as an alternative, or their stat lines"
    return tuple(tuple(apart(as_parts(each, expected))) for each in others)


def _characters(given: Sequence[Target | str]) -> tuple[Target, ...]:
    lords = validation.items(given, object, "Targets in a list as characters")
    found = tuple(Target.given(each, "a Target as a character, or its stat line") for each in lords)
    for character in found:
        if character.models != 1 or character.champion is not None:
            raise MathhammerError(f"expected one model as the character {character.name!r}")
    return found


def _situation(given: Mapping[str, Any] | None) -> Mapping[str, Any]:
    keywords = validation.mapping({} if given is None else given, "the situation by keyword")
    read_situation(keywords)
    return dict(keywords)


#: Options of its tests, as `discipline_test` takes them.
_TEST = ("modifier", "commanding_presence", "minimised", "maximised", "reroll")


class Unit(Record, eq=False):
    """One side of a round of combat.

    The 9th Age rulebook, 2nd edition, Model Rules, Unstable, Undead, Supernal, Fear, Rally Around the Flag.

    Examples
    --------
    >>> from mathhammer import t9a
    >>> part = t9a.ModelPart("spear", attacks=1, models=10, offensive_skill=3, strength=3)
    >>> guards = Unit(t9a.Target("guards", models=20, defensive_skill=3, resilience=3), part, rank_width=5)
    >>> guards.target.models, guards.rank_width
    (20, 5)
    """

    target: Checked[Target, Target | str] = Checked(
        lambda given: Target.given(given, "a Target as the body of a Unit, or its stat line"),
        "How the unit is struck, its stat line; its name is the unit's. It may be a `Target`.",
        kw_only=False,
    )
    parts: Checked[tuple[ModelPart, ...], Parts] = Checked(
        lambda given: tuple(apart(as_parts(given, "ModelParts as the parts of a Unit, or their stat lines"))),
        "What it strikes with, each a stat line; Special Attacks are among them. Each may be a `ModelPart`.",
        default=(),
        kw_only=False,
    )
    alternatives: Checked[tuple[tuple[ModelPart, ...], ...], Sequence[Parts]] = Checked(
        _alternatives,
        "Sets of parts of which one strikes in a round besides `parts`, chosen at its start: the weapons of models "
        "with Weapon Master, Close Combat Attacks or the Crush Attack in their place, Impact Hits or Grind Attacks, "
        "one of several Breath Attacks. The first that can strike does unless the player makes the best choices: see "
        "`fight`.",
        default=(),
    )
    discipline: IntegerOrElse = IntegerOrElse("For the Break Test; by default that of the `target`, else 7.")
    characters: Checked[tuple[Target, ...], Sequence[Target | str]] = Checked(
        _characters,
        "Characters in the unit, each with a Health Pool of its own and a name that attacks are allocated to.",
        default=(),
    )
    charging: Boolean = Boolean("Whether it charged in this turn.")
    rank_width: MaybeInteger = MaybeInteger(
        "Models in a rank, from which Full Ranks follow as models are lost; Champion and characters stand among them.",
        least=1,
    )
    rank_bonus: MaybeInteger = MaybeInteger("The Rank Bonus, if it is not to follow from `rank_width`.")
    standards: Integer = Integer("Standards and Battle Standards.", default=0)
    battle_standard: Boolean = Boolean(
        "Whether it receives Rally Around the Flag of a battle standard: failed Break and Fear Tests are rerolled, "
        "and Undead lose less. One in the unit counts among the `standards` too.",
    )
    flanks: Integer = Integer("Flanks of the enemy that it is engaged with.", default=0)
    rear: Integer = Integer("Rears of the enemy that it is engaged with.", default=0)
    bonus: Integer = Integer("Other Combat Score.", default=0, least=None, most=None)
    afraid: MaybeBoolean = MaybeBoolean(
        "Whether it failed its Fear Test; by default it is rolled each round, against an enemy with Fear.",
    )
    fear: Boolean = Boolean(
        "Whether its models have Fear: an enemy in contact has -1 Discipline and takes Fear Tests, unless it has Fear "
        "or is Fearless itself.",
    )
    fearless: Boolean = Boolean("Whether its models are Fearless.")
    steadfast: MaybeBoolean = MaybeBoolean(
        "Whether it is Steadfast; by default the Full Ranks of both sides decide."
    )
    stubborn: Boolean = Boolean("Whether it is Stubborn.")
    steady: Boolean = Boolean("Whether it is Steady (3rd edition).")
    solid: Boolean = Boolean("Whether it is Solid (3rd edition).")
    unbreakable: Boolean = Boolean("Whether it is Unbreakable.")
    unstable: Boolean = Boolean(
        "Whether it loses Health Points instead of taking a Break Test: rank and file first, then the Champion, then "
        "the characters as evenly as possible, the odd ones from those named first.",
    )
    undead: Boolean = Boolean("Whether it is Undead, and so Unstable: see `unstable_losses`.")
    supernal: Boolean = Boolean(
        "Whether it is Supernal, and so Unstable: it takes the test, and loses none if it passes."
    )
    modifier: Integer = Integer("Added to its Discipline in tests.", default=0, least=None, most=None)
    commanding_presence: MaybeInteger = MaybeInteger("The Discipline of a General near by.")
    minimised: Integer = Integer("Instances of Minimised Roll in its tests.", default=0, most=MOST_INSTANCES)
    maximised: Integer = Integer("Instances of Maximised Roll in its tests.", default=0, most=MOST_INSTANCES)
    reroll: Boolean = Boolean("Whether failed Break Tests are rerolled.")
    situation: Checked[Mapping[str, Any], Mapping[str, Any] | None] = Checked(
        _situation, "What else is true of its attacks, by the keywords of `attack`.", default=None
    )

    def _check(self) -> None:
        if self.discipline is None:
            self._put("discipline", 7 if self.target.discipline is None else self.target.discipline)
        # Of some traits one model is enough (The 9th Age rulebook, 2nd edition, Universal Rules).
        for trait in TRAITS:
            models = [self.target, *(self.characters if trait in ONE_IS_ENOUGH else ())]
            if any(each.has(trait) for each in models):
                self._put(trait.lower(), value=True)
        if self.target.has("Light Troops"):  # they have no Full Ranks
            self._put("rank_width", None)
        names = [RANK_AND_FILE, CHAMPION, *(character.name for character in self.characters)]
        if len(set(names)) != len(names):
            raise MathhammerError(f"expected different names of characters, got {shown(names[2:])}")
        for each in self.alternatives or ((),):
            require_compatible((*self.parts, *each), "give them as alternatives=[[...], [...]]")
        for part in self.all_parts:
            if part.kind == "shooting" or part.has("Sweeping Attack"):
                raise MathhammerError(
                    f"expected attacks of a round of combat, got the shots of {part.name!r}"
                )
            self.place(part.of, f"{part.name!r} is a part of")

    @property
    def all_parts(self) -> tuple[ModelPart, ...]:
        """Its parts, then those of its alternatives."""
        return (*self.parts, *(part for parts in self.alternatives for part in parts))

    @property
    def name(self) -> str:
        """Name of the unit."""
        return self.target.name

    def test(self, rules: Edition, rulings: Rulings, *more: str) -> dict[str, Any]:
        """Return how it takes Discipline Tests: those options of `break_test`, and more."""
        options = {name: getattr(self, name) for name in (*_TEST, *more)}
        rerolled = self.reroll or self.battle_standard
        return {**options, "reroll": rerolled, "edition": rules.name, "rulings": rulings, "exact": True}

    def __str__(self) -> str:
        others = format_fields(self, "target", "parts", "alternatives", *_TEST)
        parts = "".join(f"; {part}" for part in self.parts)
        parts += "".join(f"; or {' and '.join(map(str, each))}" for each in self.alternatives)
        test = format_items({name: getattr(self, name) for name in _TEST})
        return f"{self.target}{parts}; {others}{f'; {test}' if test else ''}"

    def bodies(self) -> dict[str, Target]:
        """Return all that have a Health Pool, in order: how each is struck, by its name."""
        champion = {} if self.target.champion is None else {CHAMPION: self.target}
        return {RANK_AND_FILE: self.target, **champion, **{each.name: each for each in self.characters}}

    def place(self, name: str, what: str) -> int:
        """Return the index of the pool of that name."""
        names = list(self.bodies())
        if name not in names:
            known = ", ".join(map(repr, names))
            raise MathhammerError(f"expected one of {known} in {self.name!r}; {what} {name!r}")
        return names.index(name)

    def pools(self, rules: Edition) -> SharedPools:
        """Return the Health Pools of the unit."""
        body = self.target.pools(rules)
        characters = (SavePool(each.name, 1, each.health_points, each.lost) for each in self.characters)
        return SharedPools((*body.pools, *characters), body.spilling)

    @property
    def crumbles(self) -> bool:
        """True if it is Unstable: Undead and Supernal models are."""
        return self.unstable or self.undead or self.supernal

    @property
    def behind_the_enemy(self) -> bool:
        """True if it fights its enemy in flank or rear."""
        return bool(self.flanks or self.rear)

    def fears(self, enemy: Unit) -> bool:
        """True if Fear takes 1 off its Discipline while it is in contact with an enemy."""
        # 2nd edition, Model Rules, Fear; Fearless.
        return bool(self.afraid) or (enemy.fear and not self.fear and not self.fearless)


class Side:
    """One unit with its attacks compiled against the other, and the weights of the damage of its volleys."""

    def __init__(
        self, unit: Unit, enemy: Unit, rules: Edition, rulings: Rulings, *, first_round: bool, duel: bool
    ) -> None:
        # All attacks of a Supernal model are Magical (2nd edition, Model Rules, Supernal).
        magical = (Attribute("Magical Attacks"),) * unit.supernal
        self.unit, self.pools, self._enemy = unit, unit.pools(rules), enemy.pools(rules)
        self.parts = [part.with_value("attributes", (*part.attributes, *magical)) for part in unit.all_parts]
        self._most_excess = MOST_OVERKILL if duel else 0
        others = [index for index, parts in enumerate(unit.alternatives) for _ in parts]
        #: Which alternative each part belongs to, or None; whose it is, and the places that it may strike at.
        self._of = [None] * len(unit.parts) + others
        self._whose = [unit.place(part.of, f"{part.name!r} is a part of") for part in self.parts]
        self.at = [
            [enemy.place(name, f"{part.name!r} strikes at") for name in part.allowed] for part in self.parts
        ]
        bodies, standing = list(enemy.bodies().values()), self._enemy.standing((0,) * len(self._enemy.pools))
        given = {
            "charging": unit.charging,
            "first_round": first_round,
            "in_combat": True,
            "flank_or_rear": unit.behind_the_enemy,
            "flanked": enemy.behind_the_enemy,
        }
        # The 9th Age rulebook, 3rd edition, Combat Formation (Advantaged Position).
        formed = rules.steady_penalty is not None and unit.steady and unit.solid
        formed &= rulings["advantaged_position"] != "nothing"
        more = (Modifier("add", 1, "Advantaged Position"),) * formed

        @cache
        def compiled(afraid: int, enemy_afraid: int) -> list[list[PartStages]]:
            fear = {"attacker_afraid": bool(afraid), "target_afraid": bool(enemy_afraid)}
            read = read_situation({**given, **fear, **unit.situation})
            situation = read.changed(wound_modifier=(*read.wound_modifier, *more)) if more else read
            shared = situation, (rules, rulings)
            return [
                [
                    PartStages(part.with_value("at", name), bodies[place], *shared, standing=standing)
                    for name, place in zip(part.allowed, places, strict=True)
                ]
                for part, places in zip(self.parts, self.at, strict=True)
            ]

        #: Each part against each place, by whether those who strike and those who are struck are afraid.
        self._compiled = compiled
        self.stages = compiled(bool(unit.afraid), bool(enemy.afraid))
        # Impact Hits are of the charge (The 9th Age rulebook, 2nd edition, Special Attacks).
        charging = unit.situation.get("charging", unit.charging)
        self.strikes = [charging or not part.has("Impact Hits") for part in self.parts]
        breaths = [part.has("Breath Attack") for part in self.parts]
        #: The bit of each Breath Attack, 0 for other parts: it is made once in a game (the same, Breath Attack).
        self.breath = [breath << sum(breaths[:place]) for place, breath in enumerate(breaths)]
        #: Steps of the cases of strikes that were looked at.
        self._steps = 0
        self._number, self._law = cache(self._present), cache(self._law_of)
        self._struck, self.first_alternative = cache(self._struck_of), cache(self._first_alternative)

    def _first_alternative(self, made: int) -> int:
        """Return the first of its alternatives that can strike in this round."""
        parts = zip(self._of, self.strikes, self.breath, strict=True)
        return min(
            (of for of, can, breath in parts if of is not None and can and not made & breath), default=0
        )

    def _present(self, part: int, lost: Lost) -> int:
        """Return how many model parts of a kind are left to strike."""
        place, models = self._whose[part], self.parts[part].models
        pool = self.pools.pools[place]
        left = -(-(pool.left - lost[place]) // pool.wounds)
        return max(0, min(left - self.parts[part].behind, models)) if not place else models * (left > 0)

    def aims(self, part: int, lost: Lost, enemy_lost: Lost, made: int, drawn: int) -> Iterator[Aim]:
        """Yield where the attacks of a part may go, the fixed way first: no aim for one that does not strike."""
        number = self._number(part, lost)
        if not number or self._of[part] not in {None, drawn} or made & self.breath[part]:
            yield ()
            return
        left = [place for place in self.at[part] if enemy_lost[place] < self._enemy.left[place]]
        places = left or self.at[part][:1]
        low, high = (each * number for each in self.stages[part][0].armed.attacks.bounds())
        if low != high or self.parts[part].special:
            yield from (((place, 0),) for place in places)
        else:
            yield from _splits(places, low)
        if self.breath[part]:
            yield ()

    def struck(
        self, parts: Sequence[int], aims: Aims, lost: Lost, enemy_lost: Lost, afraid: Pair
    ) -> tuple[Mapping[Lost, Any], int]:
        """Return the weights of what the enemy has lost after parts have struck so; what they are out of."""
        foes = self._enemy.standing(enemy_lost)
        found: list[list[Any]] = [[] for _ in self._enemy.pools]
        for part, aim in zip(parts, aims, strict=True):
            hit = max(1, min(foes, self.stages[part][0].hits_each))
            for place, attacks in aim:
                found[place].append((part, place, self._number(part, lost), attacks, hit, afraid))
        return self._struck(enemy_lost, tuple(map(tuple, found)))

    def _struck_of(self, lost: Lost, volleys: tuple[Volley, ...]) -> tuple[Mapping[Lost, Any], int]:
        laws = [self._law(volley) for volley in volleys]
        # Only the rank and file passes on what it cannot lose.
        left = [
            sum(self._enemy.left) - sum(lost) + self._most_excess,
            *map(sub, self._enemy.left[1:], lost[1:]),
        ]
        cut = [_cut(*law, most) for law, most in zip(laws, left, strict=True)]
        self._steps += CASE * prod(map(len, cut))
        require_steps(self._steps)
        found: dict[Lost, Any] = defaultdict(fmpz)
        for case in product(*cut):
            taken, weights = zip(*case, strict=True)
            # In a Duel there is one pool, and what it takes is cut already.
            after = (lost[0] + taken[0],) if self._most_excess else self._enemy.after(lost, taken)
            found[after] += prod(weights)
        return found, prod(below for _, below in laws)

    def _law_of(self, volley: Volley) -> tuple[list[tuple[int, Any]], int]:
        """Return the possible damage of a volley with its weights, and what these are out of."""
        damage = _NO_DAMAGE
        for part, place, number, attacks, foes, afraid in volley:
            stages = self._compiled(*afraid)[part][self.at[part].index(place)]
            each = damage_of(stages.against(foes, number, attacks))
            damage = each if damage is _NO_DAMAGE else damage + each
        weights, below = damage._mass.weights()  # noqa: SLF001 - whole numbers
        pairs = zip(damage.support, weights, strict=True)
        return [(points, fmpz(weight)) for points, weight in pairs if weight], below


def _cut(law: list[tuple[int, Any]], below: int, most: int) -> list[tuple[int, Any]]:
    """Return the weights of damage of which no more than so much counts."""
    if law[-1][0] <= most:
        return law
    found = [pair for pair in law if pair[0] < most]
    return [*found, (most, below - sum(weight for _, weight in found))]


def _splits(places: Sequence[int], attacks: int) -> Iterator[Aim]:
    """Yield the ways to divide attacks over places, all at the first place first."""
    first, *others = places
    if not others:
        yield ((first, attacks),) if attacks else ()
        return
    for here in range(attacks, -1, -1):
        for rest in _splits(others, attacks - here):
            yield (*(((first, here),) if here else ()), *rest)


class SpecialKeywords(TypedDict, total=False):
    """Keywords of a Special Attack, as of `ModelPart`."""

    strength: Required[int]
    armour_penetration: int
    models: int
    attributes: str
    at: str


def breath_attack(*, agility: int = 3, **profile: Unpack[SpecialKeywords]) -> ModelPart:
    """Return a Breath Attack: 2D6 hits, once in a game.

    Examples
    --------
    >>> print(breath_attack(strength=4))
    Breath Attack: 2D6 automatic hits, Str 4, AP 0, Agi 3 [Breath Attack]
    """
    return _special("Breath Attack", "2D6", agility, **profile)


def impact_hits(hits: int | str | Expression, **profile: Unpack[SpecialKeywords]) -> ModelPart:
    """Return Impact Hits (X), rolled for each model part, in the first initiative step of the round of its charge.

    Examples
    --------
    >>> print(impact_hits("D6+1", strength=5, armour_penetration=2))
    Impact Hits: D6+1 automatic hits, Str 5, AP 2, Agi 10 [Impact Hits]
    """
    return _special("Impact Hits", hits, FIRST_STEP, **profile)


def grind_attacks(
    hits: int | str | Expression, *, agility: int = 3, **profile: Unpack[SpecialKeywords]
) -> ModelPart:
    """Return Grind Attacks (X), rolled for each model part; not in one round with Impact Hits.

    Examples
    --------
    >>> print(grind_attacks("D3", strength=5, models=3))
    Grind Attacks: 3 × D3 automatic hits, Str 5, AP 0, Agi 3 [Grind Attacks]
    """
    return _special("Grind Attacks", hits, agility, **profile)


def stomp_attacks(hits: int | str | Expression, **profile: Unpack[SpecialKeywords]) -> ModelPart:
    """Return Stomp Attacks (X) against models of Standard size, in the last initiative step.

    Examples
    --------
    >>> print(stomp_attacks(1, strength=4, models=3))
    Stomp Attacks: 3 × 1 automatic hits, Str 4, AP 0, Agi 0 [Stomp Attacks]
    """
    return _special("Stomp Attacks", hits, LAST_STEP, **profile)


def sweeping_attack(hits: int | str | Expression, **profile: Unpack[SpecialKeywords]) -> ModelPart:
    """Return a Sweeping Attack: automatic ranged hits on a unit that was moved over.

    Examples
    --------
    >>> print(sweeping_attack("2D6", strength=4))
    Sweeping Attack: 2D6 automatic hits, Str 4, AP 0, Agi 0 [Sweeping Attack]
    """
    return _special("Sweeping Attack", hits, LAST_STEP, **profile)


def crush_attack(*, offensive_skill: int, at: str | tuple[str, ...] = "rank and file") -> ModelPart:
    """Return a Crush Attack: one attack that rolls to hit, in the last initiative step, instead of all others.

    Examples
    --------
    >>> print(crush_attack(offensive_skill=3))
    Crush Attack: 1 attacks, Off 3, Str 10, AP 10, Agi 0 [Crush Attack, Multiple Wounds (D3+1)]
    """
    profile: dict[str, Any] = {"offensive_skill": offensive_skill, "at": at, "armour_penetration": CRUSHING}
    wounds = "Multiple Wounds (D3+1)"
    return _special("Crush Attack", 1, LAST_STEP, strength=CRUSHING, attributes=wounds, **profile)


def _special(
    name: str, hits: int | str | Expression, agility: int, **profile: Unpack[SpecialKeywords]
) -> ModelPart:
    more = validation.typed(profile.get("attributes", ""), "attributes", "such as 'Lethal Strike'")
    others: dict[str, Any] = {**profile, "attributes": f"{name}, {more}"}
    return ModelPart(name, attacks=hits, agility=agility, **others)
