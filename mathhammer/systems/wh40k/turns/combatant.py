"""One side of a turn: a unit, what its models carry, and what it does."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import product
from math import comb
from typing import TYPE_CHECKING, Any, Literal

from mathhammer import validation
from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.errors import MathhammerError
from mathhammer.fields.kinds import Boolean, Checked, Field
from mathhammer.fields.profile import Record
from mathhammer.sequence.unit_distribution import UnitDistribution
from mathhammer.systems.wh40k.attacks.attack_sequence import AttackSequence
from mathhammer.systems.wh40k.attacks.hazards import failed_tests, hazardous_tests, is_machine
from mathhammer.systems.wh40k.attacks.unit_rolls import battle_shock, read_leadership, states_at_half_strength
from mathhammer.systems.wh40k.profiles.keywords import parse_keywords
from mathhammer.systems.wh40k.profiles.profiles import Target
from mathhammer.systems.wh40k.profiles.target_unit import TargetUnit, read_gifts
from mathhammer.systems.wh40k.profiles.targets import read_target
from mathhammer.systems.wh40k.profiles.volleys import MortalWounds, Volley, Weapons, as_volleys, read_entries
from mathhammer.systems.wh40k.rules.rule import abilities_of
from mathhammer.systems.wh40k.sequence.compile import compile_entries, kinds_of, unit_of
from mathhammer.systems.wh40k.situation import Situation
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mathhammer.distributions import Distribution
    from mathhammer.expressions import Expression
    from mathhammer.sequence.unit import Unit
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.targets import Attackable
    from mathhammer.systems.wh40k.profiles.volleys import Entry
    from mathhammer.systems.wh40k.rules.unit_rolls import Hazard


#: Number of weapons of each volley that are used, in the order of the volleys.
Loadout = tuple[int, ...]
#: Keywords of the situation, and abilities of weapons, each with its value.
Gifts = tuple[tuple[str, Any], ...]


def _on_death(value: object) -> int | None:
    if value is None or value is False:
        return None
    if value is True:
        return 1
    text = value.strip().removesuffix("+") if isinstance(value, str) else value
    number = (
        int(text)
        if isinstance(text, str) and text.isdecimal() and len(text) == 1
        else validation.as_whole(text)
    )
    if number is None or not 1 <= number <= 6:
        raise MathhammerError(f"expected a roll such as '4+' as fights_on_death, got {shown(value)}")
    return number


class Carried(Field[tuple[Volley | MortalWounds, ...], Weapons]):
    """Weapons of one phase, by the name of the field."""

    accepts = "Weapons"
    usual = ()

    def read(self, value: Any) -> tuple[Volley | MortalWounds, ...]:
        """Return volleys, all of them of the phase."""
        if isinstance(value, (list, tuple)) and not value:
            return ()
        volleys = tuple(as_volleys(value, 1))
        for volley in volleys:
            if isinstance(volley, Volley) and volley.weapon.melee is not (self.name == "melee"):
                other = "melee" if volley.weapon.melee else "shooting"
                raise MathhammerError(
                    f"{self.name} must be {self.name} weapons (got {volley.weapon.name!r}); list it in {other}=..."
                )
        return volleys

    def argument(self, value: Any) -> tuple[str | Volley | MortalWounds, ...]:
        """Return weapons as lines where nothing else is said of them."""
        return tuple(
            f"{each.count}x {each.weapon}" if isinstance(each, Volley) and not each.situation else each
            for each in value
        )


class Combatant(Record):
    """A unit that attacks and is attacked in the same turn.

    Its models carry the weapons in the order in which both are listed: ``9x Chainsword`` and ``1x Power fist`` are
    ten models with one weapon each, and ``10x Pistol`` after them gives each of the ten another. Fewer weapons than
    models, at the end of the list, are those of the last models. A model that is no Monster or Vehicle shoots with its
    Pistols (Close-quarters weapons) where it is engaged, and with its other guns where it is not.

    Examples
    --------
    >>> marines = Combatant("10x T4 Sv3+ W2", melee=["9x Chainsword: A4 WS3+ S4 AP-1 D1", "Fist: A3 WS3+ S8 AP-2 D2"])
    >>> marines.loadout("melee", [4])  # the one with the fist is removed last
    (3, 1)

    References
    ----------
    Warhammer 40,000 10th edition core rules, Allocate Attack, and 11th edition core rules, 05.04: the player of the
    unit chooses among equal models.
    """

    unit: Checked[Target | TargetUnit, Attackable] = Checked(
        lambda unit: unit if isinstance(unit, (Target, TargetUnit)) else read_target(unit),
        "The models: a :class:`Target`, a :class:`TargetUnit`, a stat line or the label of a standard target.",
        kw_only=False,
    )
    shooting: Carried = Carried("The weapons that it shoots with, as for :func:`mathhammer.wh40k.attack`.")
    melee: Carried = Carried("The weapons that it fights with alike.")
    leadership: Checked[int | None, int | str | None] = Checked(
        lambda value: None if value is None else read_leadership(value),
        '``"7+"`` or ``7``; a unit without takes no battle-shock roll.',
        default=None,
    )
    fights_first: Boolean = Boolean("Whether all its models have Fights First, apart from a charge.")
    fights_on_death: Checked[int | None, int | str | bool | None] = Checked(
        _on_death,
        '``"4+"`` or ``4``: the roll on which a model that is destroyed in the fight before it has fought still '
        "fights: at once in the 10th edition, with its unit in the 11th; ``True`` if it always does.",
        default=None,
    )
    removed: Checked[str, Literal["first", "last"]] = Checked(
        lambda value: validation.one_of(value, ("first", "last"), "removed"),
        'Which of equal models its player removes first: those whose weapons are listed ``"first"`` or ``"last"``.',
        default="first",
    )
    gifts: Checked[
        tuple[tuple[str, Gifts], ...],
        Mapping[str, Mapping[str, Any]] | Iterable[tuple[str, Iterable[tuple[str, Any]]]],
    ] = Checked(
        lambda value: value,
        "By the name of a kind of models what they give the weapons of the unit while one of them lives: keywords of "
        'the situation, and abilities: ``{"Captain": {"reroll_hits": "ones", "abilities": "LETHAL HITS"}}``.',
        default=(),
    )

    def _check(self) -> None:
        given = read_gifts(self.gifts, [kind.name for kind in self.kinds])
        self._put("gifts", tuple([(giver, _gift(gift)) for giver, gift in given.items()]))

    @property
    def name(self) -> str:
        """Name of the unit."""
        return self.unit.name

    @property
    def kinds(self) -> tuple[Target, ...]:
        """Its kinds of models."""
        return kinds_of(self.unit)

    def weapons(self, phase: str) -> tuple[Volley | MortalWounds, ...]:
        """Return what it attacks with in a phase, ``"shooting"`` or ``"melee"``."""
        return self.shooting if phase == "shooting" else self.melee

    def carried(self, phase: str) -> list[list[tuple[int, ...]]]:
        """Return for each kind of models, and each of them in the order of removal, the places of its weapons."""
        models = [kind.models for kind in self.kinds]
        carried: list[list[int]] = [[] for _ in range(sum(models))]
        listed = [
            number
            for number, volley in enumerate(self.weapons(phase))
            for _ in range(volley.count if isinstance(volley, Volley) else 0)
        ]
        few = len(listed) % len(carried)
        for place, number in enumerate(listed):
            last = place >= len(listed) - few
            carried[(place - few if last else place) % len(carried)].append(number)
        found, first = [], 0
        for each in models:
            own = [tuple(weapons) for weapons in carried[first : first + each]]
            found.append(own if self.removed == "first" else own[::-1])
            first += each
        return found

    def loadout(
        self, phase: str, alive: Sequence[int], uses: Callable[[Target, Loadout], Iterable[int]] | None = None
    ) -> Loadout:
        """Return how many of each weapon are used when so many models of each kind are alive.

        `uses` says which of its weapons a model of a kind uses; without it all of them.
        """
        left = Counter(
            weapon
            for kind, models, number in zip(self.kinds, self.carried(phase), alive, strict=True)
            for weapons in models[len(models) - number :]
            for weapon in (weapons if uses is None else uses(kind, weapons))
        )
        return tuple(
            left[number] if isinstance(volley, Volley) else int(any(alive))
            for number, volley in enumerate(self.weapons(phase))
        )

    def given(self, alive: Sequence[int]) -> Gifts:
        """Return what is given to its weapons when so many models of each kind are alive."""
        living = {kind.name for kind, number in zip(self.kinds, alive, strict=True) if number}
        return tuple(each for giver, gift in self.gifts if giver in living for each in gift)

    def __str__(self) -> str:
        return f"{self.name}: {'; '.join(map(str, (self.unit, *self.shooting, *self.melee)))}"


def _gift(given: dict[str, Any]) -> Gifts:
    """Return keywords of the situation and abilities in their normal form."""
    abilities = given.pop("abilities", ())
    read: dict[str, Any] = dict(Situation(**given).keywords)
    if abilities:
        read["abilities"] = parse_keywords(abilities) if isinstance(abilities, str) else tuple(abilities)
    return tuple(read.items())


#: Models of each kind.
Alive = tuple[int, ...]


class Side:
    """One side of a turn: a unit against its enemy."""

    def __init__(self, combatant: Combatant, enemy: Combatant, rules: Edition) -> None:
        self.combatant, self.enemy = combatant, enemy
        self.rules = rules
        volleys = [volley for phase in ("shooting", "melee") for volley in enemy.weapons(phase)]
        every = enemy.given([kind.models for kind in enemy.kinds])
        compiled = compile_entries(_entries(volleys, every), combatant.unit, rules)
        directed = any(each.volley.directed for each in compiled)
        self.unit: Unit = unit_of(combatant.unit, rules, single_out=directed)
        #: What it attacks with, by the number that stands for it; the first is nothing.
        self.loadouts: list[Loadout] = [()]
        self._losses: dict[tuple[str, Loadout, Gifts, int], Distribution] = {}
        # What is needed again and again, kept as long as the side.
        self.at = cache(self._at)
        self.loadout = cache(self._loadout)
        self._attacks = cache(self._attack_sequence)
        self.weapons_used = cache(self._weapons_used)
        self.after_hazards = cache(self._after_hazards)
        self.after_escape = cache(self._after_escape)
        self.after_explosions = cache(self._after_explosions)

    # States ----------------------------------------------------------------------------------------------------

    @property
    def gone(self) -> int:
        """The state in which nothing of it is left."""
        return self.unit.states - 1

    @cached_property
    def alive(self) -> list[Alive]:
        """Number of models of each kind that are alive, for every state."""
        kinds = self.combatant.kinds
        return [
            tuple(kind.models - dead for kind, dead in zip(kinds, state[::2], strict=True))
            for state in self.unit.coordinates()
        ]

    def _at(self, state: int) -> Distribution:
        """Return the distribution that is certain of a state."""
        return IntegerDistribution(state, (1,), 1).distribution()

    def _point(self, state: int) -> UnitDistribution:
        return UnitDistribution(self.unit, self.at(state))

    # What it attacks with --------------------------------------------------------------------------------------

    def _loadout(self, phase: str, alive: Alive, engaged: bool) -> Loadout:  # noqa: FBT001 - of a key
        """Return how many of each weapon it uses."""
        return self.combatant.loadout(
            phase, alive, partial(self._fires, engaged) if phase == "shooting" else None
        )

    def _fires(self, engaged: bool, kind: Target, weapons: Loadout) -> list[int]:  # noqa: FBT001 - of a key
        """Return with which of its guns a model shoots at what it is engaged with, or at another unit.

        References
        ----------
        Warhammer 40,000 10th edition core rules, Pistol, Blast, and Big Guns Never Tire; 11th edition core rules,
        10.06 Close-Quarters Shooting, 24.05 Blast and 24.07 Close-Quarters.
        """
        close: list[int] = []
        others: list[int] = []
        for place in weapons:
            volley = self.combatant.shooting[place]
            assert isinstance(volley, Volley)  # noqa: S101 - nobody carries mortal wounds
            abilities = abilities_of(volley.weapon, self.rules.abilities)
            if volley.situation.get("engaged"):
                (close if engaged else others).append(place)
            elif any(rule.instead_of_others for rule in abilities):
                close.append(place)
            elif not (engaged and any(rule.counts_models for rule in abilities)):
                others.append(place)
        if is_machine(kind):
            return close + others
        return close if engaged or not others else others

    def _volleys(self, phase: str, loadout: Loadout) -> list[Volley | MortalWounds]:
        return [
            Volley(volley.weapon, number, **volley.situation) if isinstance(volley, Volley) else volley
            for volley, number in zip(self.combatant.weapons(phase), loadout, strict=True)
            if number
        ]

    # What happens to it -------------------------------------------------------------------------------------------

    def attacked(
        self, by: Side, phase: str, loadout: Loadout, keywords: Gifts, before: Distribution
    ) -> Distribution:
        """Return its states after the attacks of so many weapons of the enemy."""
        if not any(loadout) or before.support[0] == self.gone:
            return before
        key = (phase, loadout, keywords, before.support[0])
        if len(before.support) == 1 and key in self._losses:
            return self._losses[key]
        after = by._attacks(*key[:3], self).states_after(UnitDistribution(self.unit, before))
        if len(before.support) == 1:
            self._losses[key] = after
        return after

    def _attack_sequence(self, phase: str, loadout: Loadout, keywords: Gifts, target: Side) -> AttackSequence:
        """Return what it attacks with."""
        entries = _entries(self._volleys(phase, loadout), keywords)
        return AttackSequence(entries, target.combatant.unit, self.rules)

    def _weapons_used(
        self,
        phase: str,
        alive: Alive,
        fallen: Alive,
        engaged: bool,  # noqa: FBT001 - of a key
        living: bool,  # noqa: FBT001 - the same
    ) -> Distribution:
        """Return the number of the loadout of its living models and its fallen ones, each of which rolls to fight."""
        own = self.loadout(phase, alive, engaged) if living else (0,) * len(self.combatant.weapons(phase))
        roll = self.combatant.fights_on_death or 7
        dead: Counter[Loadout] = Counter()
        for models, left, number in zip(self.combatant.carried(phase), alive, fallen, strict=True):
            dead.update(models[len(models) - left - number : len(models) - left])
        weights: dict[int, int] = {}
        for fighting in product(*(range(number + 1) for number in dead.values())):
            weight, used = 1, list(own)
            for number, (weapons, of) in zip(fighting, dead.items(), strict=True):
                weight *= comb(of, number) * (7 - roll) ** number * (roll - 1) ** (of - number)
                for weapon in weapons:
                    used[weapon] += number
            if weight:
                place = self._number(tuple(used))
                weights[place] = weights.get(place, 0) + weight
        low = min(weights)
        numbers = tuple(weights.get(place, 0) for place in range(low, max(weights) + 1))
        return IntegerDistribution(low, numbers, sum(numbers)).distribution()

    def _number(self, loadout: Loadout) -> int:
        if loadout not in self.loadouts:
            self.loadouts.append(loadout)
        return self.loadouts.index(loadout)

    def _after_hazards(self, phase: str, loadout: int, state: int) -> Distribution:
        """Return its states after the hazardous weapons that it used were tested."""
        tests = hazardous_tests(self._volleys(phase, self.loadouts[loadout]) if loadout else [])
        return self._tested(tests, self.rules.hazard, state)

    def _after_escape(self, state: int) -> Distribution:
        """Return its states after a Desperate Escape from one."""
        return self._tested({False: sum(self.alive[state])}, self.rules.desperate_escape, state)

    def _tested(self, tests: Mapping[bool, int], hazard: Hazard | None, state: int) -> Distribution:
        if not any(tests.values()) or state == self.gone:
            return self.at(state)
        assert hazard is not None  # noqa: S101 - turns are of editions with such rolls
        return failed_tests(tests, hazard, self.combatant.unit, self.rules, self._point(state))[1]

    @cached_property
    def is_hazardous(self) -> bool:
        """Whether any of its weapons is hazardous."""
        volleys = [*self.combatant.shooting, *self.combatant.melee]
        if not any(hazardous_tests(volleys).values()):
            return False
        self._require_bearers()
        return True

    def _require_bearers(self) -> None:
        """Refuse hazards of some models only where a bearer suffers them, whom the states do not know."""
        if self.rules.hazard is None or not self.rules.hazard.on_one_bearer:
            return
        target = self.combatant.unit
        for phase in ("shooting", "melee"):
            hazardous = [any(hazardous_tests([volley]).values()) for volley in self.combatant.weapons(phase)]
            if not any(hazardous):
                continue
            (models, *others) = self.combatant.carried(phase)
            whole = not others and all(any(hazardous[place] for place in weapons) for weapons in models)
            if not whole or not self.unit.is_simple:
                raise MathhammerError(
                    f"hazardous weapons of {target.name!r} must be carried by each of its models, equal ones, in the "
                    f"{self.rules.title}, where one bearer suffers the mortal wounds (got some that are not); leave "
                    "the ability out, or compute hazardous() apart"
                )

    @cached_property
    def explodes(self) -> list[tuple[int, Expression]]:
        """The kinds of models with Deadly Demise, and the mortal wounds of each."""
        kinds = enumerate(self.combatant.kinds)
        return [(place, kind.deadly_demise) for place, kind in kinds if kind.deadly_demise is not None]

    def _after_explosions(self, explosions: tuple[tuple[int, Expression], ...], state: int) -> Distribution:
        """Return its states after so many explosions of each strength."""
        wounds = [MortalWounds(number @ each) for number, each in explosions if number]
        if not wounds or state == self.gone:
            return self.at(state)
        sequence = AttackSequence(wounds, self.combatant.unit, self.rules)
        return sequence.states_after(self._point(state))

    # Battle-shock ----------------------------------------------------------------------------------------------

    @cached_property
    def shock(self) -> Distribution | None:
        """Whether it fails a battle-shock roll; None where it takes none."""
        if self.combatant.leadership is None:
            return None
        roll = battle_shock(self.combatant.leadership, edition=self.rules.name, exact=True)
        weights = int(roll.passed * 36), int(roll.failed * 36)
        return IntegerDistribution(0, weights, 36).distribution()

    @cached_property
    def takes_battle_shock(self) -> Sequence[int]:
        """Of each state whether it is small enough for a battle-shock roll."""
        assert self.rules.battle_shock is not None  # noqa: S101 - turns are of editions with such rolls
        return states_at_half_strength(self.unit, self.rules.battle_shock)


def _entries(volleys: Sequence[Volley | MortalWounds], more: Gifts) -> list[Entry]:
    """Return what attacks with further keywords of the situation and abilities of the weapons."""
    abilities = [ability for name, value in more if name == "abilities" for ability in value]
    armed = [
        Volley(
            replace(each.weapon, keywords=(*each.weapon.keywords, *abilities)), each.count, **each.situation
        )
        if isinstance(each, Volley)
        else each
        for each in volleys
    ]
    return read_entries(armed, {name: value for name, value in more if name != "abilities"})
