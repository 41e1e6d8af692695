"""Exchanges of Activations between two models, or two Fireteams: until one side is Out of Action, or time is up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer import validation
from mathhammer.display import Displayed
from mathhammer.display.numbers import exact_number, percent
from mathhammer.distributions import CategoricalDistribution
from mathhammer.distributions.decisions import end_distribution
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.fields.kinds import Checked
from mathhammer.fields.profile import Record
from mathhammer.sequence.call import Reproducible, records_call
from mathhammer.sequence.explanation import Explanation, Step
from mathhammer.systems.trench_crusade.compilation import Stage, compiled
from mathhammer.systems.trench_crusade.game import OUT, Game, State, start_state
from mathhammer.systems.trench_crusade.keywords import parse_keywords, several
from mathhammer.systems.trench_crusade.profiles import Attacker, Bonus, Target
from mathhammer.systems.trench_crusade.rulings import in_force, require_edition
from mathhammer.systems.trench_crusade.situation import (
    Activation,
    Armed,
    Attack,
    Reply,
    Spend,
    as_attacks,
    fixed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mathhammer.display.panel import Panel
    from mathhammer.distributions import Distribution
    from mathhammer.sequence.rulings import Rulings
    from mathhammer.systems.trench_crusade.game import Position

    Sides = tuple[tuple["Fighter", ...], tuple["Fighter", ...]]
    Standings = CategoricalDistribution["_Standing"]

#: How an exchange can end; a side is out when all its models are Out of Action.
ENDS = ("both left", "second out", "first out")
MOST_ACTIVATIONS = 20
#: Most positions of all Activations, of which each pair of conditions that can come up is played once: about a second.
MAXIMUM_POSITIONS = 8_000
_FEWER = "use fewer activations, fewer attacks or markers, or one model for a Fireteam"
_BLOCK = parse_keywords("BLOCK")


class Condition(NamedTuple):
    """Condition of a model.

    Examples
    --------
    >>> from mathhammer import trench_crusade as tc
    >>> tc.Fighter(tc.Target("Yeoman", blood=2, down=True), tc.WEAPONS["Sword"]).condition.blood
    2
    """

    #: Whether it is Out of Action; it then has no markers.
    out: bool
    blood: int = 0
    infection: int = 0
    blessing: int = 0
    down: bool = False
    tough_used: bool = False

    def of(self, kind: type[Record]) -> dict[str, Any]:
        """Return what it says of the fields of an attacker or a target."""
        return {name: value for name, value in self._asdict().items() if name in kind.fields}


class _Standing(NamedTuple):
    """The models of both sides, and how many Activations were made."""

    sides: tuple[tuple[Condition, ...], ...]
    made: int


_attacks = partial(as_attacks, expected="a Weapon or Attacks of a Fighter")


class Fighter(Record):
    """A model that attacks and is attacked in turn.

    Examples
    --------
    >>> from mathhammer import trench_crusade as tc
    >>> print(Fighter(tc.Target("Yeoman", armour="standard"), tc.WEAPONS["Bolt-Action Rifle"]))
    Yeoman: Bolt-Action Rifle (ranged)
    """

    target: Checked[Target, Target] = Checked(
        lambda given: validation.instance(given, Target, "a Target as the model of a Fighter"),
        "The model as it is attacked: armour, markers, keywords; it has BLOCK while it holds a weapon with BLOCK.",
        kw_only=False,
    )
    attacks: Checked[tuple[Attack, ...], Armed | Sequence[Armed]] = Checked(
        _attacks,
        "What it does in an Activation: a weapon or its text, an `Attack`, or several.",
        kw_only=False,
    )
    ranged: Bonus = Bonus("Its Ranged Characteristic, in DICE.")
    melee: Bonus = Bonus("Its Melee Characteristic, in DICE.")
    opening: Checked[tuple[Attack, ...], Armed | Sequence[Armed]] = Checked(
        _attacks,
        "What it does in its first Activation, where that is something else: a charge, a shot, a weapon used once a "
        "game.",
        default=(),
    )

    def _check(self) -> None:
        if not self.attacks:
            raise MathhammerError(f"expected at least one attack of {self.target.name!r}, got none")
        if once := [attack.weapon.name for attack in self.attacks if attack.has("ONCE A GAME")]:
            raise MathhammerError(
                f"expected attacks of every Activation, got {once[0]!r}, which is used once a game; give it as opening"
            )

    @property
    def condition(self) -> Condition:
        """The condition before the exchange."""
        return _condition(start_state(self.target, ()))

    def __str__(self) -> str:
        return f"{self.target.name}: {'; '.join(map(str, self.attacks))}"


@records_call("tc")
def exchange(
    first: Fighter | Sequence[Fighter],
    second: Fighter | Sequence[Fighter],
    /,
    *,
    activations: int = 4,
    first_spend: Spend | str | None = None,
    second_spend: Spend | str | None = None,
    first_reply: Reply | str | None = None,
    second_reply: Reply | str | None = None,
    edition: str = "1.0.2",
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
) -> ExchangeResult:
    """Let two models, or two Fireteams, attack each other in turn.

    The first side begins. A model that is Down stands up when it is activated. The two models of a Fireteam are
    activated together and attack the first enemy that is left, in the order given; attacks that are left when it goes
    Out of Action are lost.

    Parameters
    ----------
    first, second
        A `Fighter`, or the two of a Fireteam.
    activations
        How many at most, both sides counted, from 1 to 20.
    first_spend, second_spend
        A `Spend`: what each side spends on every attack that it makes, as far as it is there; by default nothing.
    first_reply, second_reply
        A `Reply`: what each side spends on every attack on it.

    Examples
    --------
    Two models that go Out of Action by one in three hits; whoever is Down stands up before the next attack:

    >>> from mathhammer import trench_crusade as tc
    >>> yeoman = Fighter(tc.Target("Yeoman"), tc.WEAPONS["Bolt-Action Rifle"])
    >>> result = exchange(yeoman, yeoman, activations=2, exact=True)
    >>> result.end.pmf("second out"), result.end.pmf("first out")
    (1313/7776, 8485919/60466176)

    References
    ----------
    Trench Crusade rules 1.0.2, Activation; Down; Injuries; Keywords, BLOCK, FIRETEAM, REGENERATE; Battlekit.
    """
    sides = _side(first, "first"), _side(second, "second")
    validation.whole(activations, "activations", 1, MOST_ACTIVATIONS)
    validation.flag(exact, "exact")
    spends = fixed(first_spend, Spend), fixed(second_spend, Spend)
    replies = fixed(first_reply, Reply), fixed(second_reply, Reply)
    rules, positions = (require_edition(edition), in_force(rulings)), 0

    @cache
    def activation(standing: _Standing, by: int) -> Standings:
        nonlocal positions
        if any(all(condition.out for condition in side) for side in standing.sides):
            return CategoricalDistribution.certain(standing, exact=True)
        law, more = _played(sides, standing, by, (spends[by], replies[1 - by]), rules)
        positions += more
        if positions > MAXIMUM_POSITIONS:
            raise TooLargeError(
                f"expected at most {MAXIMUM_POSITIONS:,} positions in all Activations, but this has more; {_FEWER}"
            )
        return law

    start = _Standing(tuple(tuple(fighter.condition for fighter in side) for side in sides), 0)
    standings = [CategoricalDistribution.certain(start, exact=True)]
    for made in range(activations):
        standings.append(standings[-1].then(partial(activation, by=made % 2)))
    laws = tuple(law if exact else law.to_floats() for law in standings[1:])
    return ExchangeResult(sides, *rules, laws)


def _side(given: object, name: str) -> tuple[Fighter, ...]:
    items = (given,) if isinstance(given, Fighter) else given
    fighters = several(items, Fighter, f"Fighters as the {name} side", 2)
    if not fighters:
        raise MathhammerError(f"expected one Fighter or two as the {name} side, got none")
    names = [fighter.target.name for fighter in fighters]
    if len(set(names)) < len(names):
        raise MathhammerError(
            f"expected two different names in the Fireteam of the {name} side, got {names[0]!r} twice"
        )
    return fighters


def _played(
    sides: Sides,
    standing: _Standing,
    by: int,
    spent: tuple[Spend, Reply],
    rules: tuple[str, Rulings],
) -> tuple[Standings, int]:
    """Return what an Activation of one side leads to, and how many positions that took."""
    own, enemy, fighters = standing.sides[by], standing.sides[1 - by], sides[by]
    left = [place for place, condition in enumerate(own) if not condition.out]
    aim = next(place for place, condition in enumerate(enemy) if not condition.out)
    given = []
    for place in left:
        fighter = fighters[place]
        opening = fighter.opening if standing.made < 2 else ()
        said: dict[str, Any] = {
            "ranged": fighter.ranged,
            "melee": fighter.melee,
            "keywords": fighter.target.keywords,
        }
        model = Attacker(fighter.target.name, **said, **own[place].of(Attacker))
        given.append(Activation(opening or fighter.attacks, model, fireteam=len(left) > 1))
    attacked = sides[1 - by][aim]
    blocks = any(attack.has("BLOCK") for attack in (*attacked.attacks, *attacked.opening))
    keywords = attacked.target.keywords + _BLOCK * blocks
    target = attacked.target.changed(keywords=keywords, **enemy[aim].of(Target))
    items, attackers = compiled(given, target, *rules)
    if any(isinstance(item, Stage) and item.fumbles for item in items):
        raise MathhammerError(
            f"expected weapons without FUMBLE in an exchange, got {fighters[left[0]].target.name!r} with one in "
            f"the edition {rules[0]!r}: what it does to the attacker itself is not computed"
        )
    game = Game(items, target, [spent[0]] * len(items), [spent[1]] * len(items))

    def after(position: Position) -> _Standing:
        hurt, mine = list(enemy), list(own)
        hurt[aim] = _condition(position.state)
        # They are the attackers in this order, as their names differ.
        for place, markers in zip(left, position.state.attackers, strict=True):
            mine[place] = own[place]._replace(**markers._asdict(), down=False)
        both = tuple(mine), tuple(hurt)
        return _Standing(both[:: 1 - 2 * by], standing.made + 1)

    start = CategoricalDistribution.certain(game.arrive(0, start_state(target, attackers)), exact=True)
    return end_distribution(game.decision, start, {}).map(after), game.positions


@dataclass(frozen=True, eq=False, repr=False)
class ExchangeResult(Displayed, Reproducible):
    """Result of an exchange of Activations.

    Examples
    --------
    >>> from mathhammer import trench_crusade as tc
    >>> brute = tc.Fighter(tc.Target("Brute", keywords="TOUGH"), tc.WEAPONS["Sword"])
    >>> result = tc.exchange(brute, brute, activations=3, exact=True)
    >>> result.end.pmf("second out") > result.end.pmf("first out")
    True
    """

    sides: Sides
    """The fighters of both sides."""
    edition: str
    """The edition whose rules were used."""
    rulings: Rulings
    """The option in force for each disputed ruling."""
    _standings: tuple[Standings, ...]

    @property
    def activations(self) -> int:
        """The greatest number of Activations."""
        return len(self._standings)

    @property
    def exact(self) -> bool:
        """True if the probabilities are ``sympy.Rational``, False if ``float``."""
        return self._standings[-1].exact

    @property
    def names(self) -> tuple[str, str]:
        """Names of the first and the second side."""
        first, second = (" and ".join(fighter.target.name for fighter in side) for side in self.sides)
        return (first, second) if first != second else (f"{first} (first)", f"{second} (second)")

    @cached_property
    def end(self) -> CategoricalDistribution[str]:
        """Distribution of how it has ended, in the words of ``ENDS``."""
        return self.after(self.activations)

    def after(self, activations: int) -> CategoricalDistribution[str]:
        """Return the distribution of how it has ended after so many Activations."""
        validation.whole(activations, "activations", 1, self.activations)
        return self._standings[activations - 1].map(_end, ENDS)

    @cached_property
    def length(self) -> Distribution:
        """Distribution of the number of Activations that were made."""
        return self._standings[-1].number(lambda standing: standing.made)

    def condition(self, side: str, place: int = 0) -> CategoricalDistribution[Condition]:
        """Distribution of what is left of a model.

        Parameters
        ----------
        side
            ``"first"`` or ``"second"``.
        place
            Of a Fireteam the place of the model, 0 or 1.
        """
        number = ("first", "second").index(validation.one_of(side, ("first", "second"), "side"))
        chosen = validation.whole(place, "the place of a model", 0, len(self.sides[number]) - 1)
        return self._standings[-1].map(lambda standing: standing.sides[number][chosen])

    probability_first_wins = property(
        lambda self: self.end.pmf("second out"), doc="Probability that the second side is Out of Action."
    )
    probability_second_wins = property(
        lambda self: self.end.pmf("first out"), doc="Probability that the first side is Out of Action."
    )

    def explain(self) -> Explanation:
        """Activation by Activation: how likely each end is by then."""
        steps = []
        for number, side, after in self._each():
            ends = ", ".join(f"{end} {exact_number(chance)}" for end, chance in after.items())
            steps.append(Step(f"Activation {number}", f"of {side}: {ends}"))
        heading = f"{' against '.join(self.names)}: {self.activations} Activations ({self.edition})"
        return Explanation(heading, tuple(steps))

    def _each(self) -> Iterator[tuple[int, str, CategoricalDistribution[str]]]:
        """Yield of each Activation its number, its side, and how it has ended by then."""
        for number in range(1, self.activations + 1):
            yield number, self.names[(number - 1) % 2], in_fractions(self.after(number))

    _kind = property(lambda self: "exact" if self.exact else "float64")

    def _line(self) -> str:
        first, second = (percent(in_fractions(self.end).pmf(end)) for end in ENDS[1:])
        chances = f"P(first wins) {first}, P(second wins) {second}"
        return f"edition {self.edition}, {self._kind}, {self.activations} Activations: {chances}"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel, Table

        rows = [
            [str(number), side, *(percent(after.pmf(end)) for end in ENDS)]
            for number, side, after in self._each()
        ]
        mean = in_fractions(self.length).mean()
        facts = {"edition": self.edition, "arithmetic": self._kind, "mean Activations": mean}
        first, second = self.names
        header = ["Activation", "of", "both left", f"{second} out", f"{first} out"]
        parts = self.end.part("end"), Table(header, rows, "><>>>")
        folded = [(self.rulings.sentence, self.rulings.table())]
        return Panel(f"{first} against {second}", facts, parts, folded=folded)


def _condition(state: State) -> Condition:
    return Condition(
        state.outcome == OUT, *state.markers, state.down, state.tough_used and state.outcome < OUT
    )


def _end(standing: _Standing) -> str:
    first, second = (all(condition.out for condition in side) for side in standing.sides)
    return ENDS[1] if second else ENDS[2] if first else ENDS[0]
