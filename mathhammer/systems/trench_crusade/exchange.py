"""Exchanges of Activations between two models, or two Fireteams: until one side is Out of Action, or time is up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from mathhammer import validation
from mathhammer.display import Displayed
from mathhammer.display.numbers import exact_number, percent
from mathhammer.distributions import CategoricalDistribution
from mathhammer.distributions.decisions import backwards, end_distribution, reached, solved
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.fields.kinds import Checked
from mathhammer.fields.profile import Record
from mathhammer.sequence.call import Reproducible, records_call
from mathhammer.sequence.explanation import Explanation, Step
from mathhammer.systems.trench_crusade.compilation import RollStage, compiled
from mathhammer.systems.trench_crusade.game import (
    MISS,
    OUT,
    SIDES,
    Game,
    Markers,
    Position,
    State,
    start_state,
)
from mathhammer.systems.trench_crusade.keywords import parse_keywords, several
from mathhammer.systems.trench_crusade.profiles import Attacker, Bonus, Target
from mathhammer.systems.trench_crusade.result import Decision, in_lines, in_order, in_words
from mathhammer.systems.trench_crusade.rulings import in_force, require_edition
from mathhammer.systems.trench_crusade.situation import (
    Activation,
    Armed,
    Attack,
    Reply,
    Spend,
    SpentT,
    as_attacks,
    fixed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mathhammer.display.panel import Panel
    from mathhammer.distributions import Distribution
    from mathhammer.distributions.decisions import DecisionNode as Branches
    from mathhammer.sequence.rulings import Rulings

    Sides = tuple[tuple["Fighter", ...], tuple["Fighter", ...]]
    Standings = CategoricalDistribution["_Standing"]
    _Node: TypeAlias = "Position | _Standing"
    # Where an Activation begins, its positions from the last to the first, and what comes after its ends.
    _Level: TypeAlias = tuple[list[_Node], list[tuple[_Node, Branches[_Node] | None]], dict[_Node, _Node]]

#: How an exchange can end; a side is out when all its models are Out of Action.
ENDS = ("both left", "second out", "first out")
MOST_ACTIVATIONS = 20
#: Most positions of all Activations together: about two seconds.
MAXIMUM_POSITIONS = 50_000
_NUMBERS = ("first", "second")
_SHOWN = 20
_BLOCK = parse_keywords("BLOCK")


class FighterCondition(NamedTuple):
    """Condition of a model."""

    #: Whether it is Out of Action; it then has no markers.
    out: bool
    blood: int = 0
    infection: int = 0
    blessing: int = 0
    down: bool = False
    tough_used: bool = False
    talisman_used: bool = False

    def words(self) -> str:
        """Return what there is to see of it, for a player."""
        markers = zip(self[1:4], ("Blood", "Infection", "Blessing"), strict=True)
        rows = [(number, f"{number} {name}") for number, name in markers]
        rows += [(self.down, "Down"), (self.tough_used, "TOUGH used"), (self.out, "Out of Action")]
        rows += [(self.talisman_used, "Talisman used")]
        return ", ".join(text for holds, text in rows if holds)


class _Standing(NamedTuple):
    """The models of both sides, and how many Activations were made."""

    sides: tuple[tuple[FighterCondition, ...], ...]
    made: int


class _Rest(NamedTuple):
    """What the state of an Activation does not say: whose it is, and of the models what no attack of it changes."""

    game: Game
    #: The side, the places of its models that are left, and that of the enemy attacked.
    by: int
    left: tuple[int, ...]
    aim: int
    own: tuple[FighterCondition, ...]
    enemy: tuple[FighterCondition, ...]


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

    def __str__(self) -> str:
        return f"{self.target.name}: {'; '.join(map(str, self.attacks))}"


@records_call("tc")
def exchange(
    first: Fighter | Sequence[Fighter],
    second: Fighter | Sequence[Fighter],
    /,
    *,
    activations: int = 4,
    spend: Spend | str | None = None,
    reply: Reply | str | None = None,
    first_spend: Spend | str | None = None,
    second_spend: Spend | str | None = None,
    first_reply: Reply | str | None = None,
    second_reply: Reply | str | None = None,
    spends_first: str | None = None,
    initiative: str = "first",
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
    spend, reply
        What each side spends on attacks that it makes, and on those on it: a `Spend` and a `Reply`, as far as it is
        there; by default nothing. With ``"best"`` each roll is decided by what has happened: the first side makes
        P(second out) - P(first out) as great as it can be, the second as small.
    first_spend, second_spend, first_reply, second_reply
        The same for one side.
    spends_first
        ``"attacker"`` or ``"defender"``: who spends first on each roll where both decide.
    initiative
        Otherwise the side that chooses who does: ``"first"``, which begins, or ``"second"``.

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
    Trench Crusade rules 1.0.2, Activation; Down; Injuries; Keywords, BLOCK, FIRETEAM, REGENERATE; Battlekit; Rules
    Commentaries 1.0.2, Q1 (who spends first).
    """
    sides = _side(first, "first"), _side(second, "second")
    validation.whole(activations, "activations", 1, MOST_ACTIVATIONS)
    validation.flag(exact, "exact")
    spends = [_spent(own, spend, Spend) for own in (first_spend, second_spend)]
    replies = [_spent(own, reply, Reply) for own in (first_reply, second_reply)]
    if spends_first is not None:
        validation.one_of(spends_first, SIDES, "spends_first")
    orders = spends_first, _NUMBERS.index(validation.one_of(initiative, _NUMBERS, "initiative"))
    rules = require_edition(edition), in_force(rulings)
    law, plan = _Exchange(sides, (spends, replies), orders, rules).run(activations)
    return ExchangeResult(sides, *rules, activations, plan, law if exact else law.to_floats())


def _spent(own: object, common: object, kind: type[SpentT]) -> SpentT | None:
    """Return what a side spends on every attack alike, or ``None`` where it decides."""
    given = common if own is None else own
    return None if isinstance(given, str) and given == "best" else fixed(given, kind, ", 'best'")


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


class _Exchange:
    """The exchange as a game: one Activation after another, each from all the states in which it can begin."""

    def __init__(
        self,
        sides: Sides,
        plans: tuple[list[Spend | None], list[Reply | None]],
        orders: tuple[str | None, int],
        rules: tuple[str, Rulings],
    ) -> None:
        self.sides, self.plans, self.orders, self.rules = sides, plans, orders, rules
        self.game = cache(self._compiled)

    def run(self, activations: int) -> tuple[Standings, tuple[Decision, ...]]:
        """Return the exact law of what is left, and the decisions of the players who play to win."""
        conditions = tuple(
            tuple(_condition(start_state(each.target, ())) for each in side) for side in self.sides
        )
        start = self._begun(_Standing(conditions, 0))
        begun, last, known = [start], 0, 0
        levels: list[_Level] = []
        for made in range(activations):
            _require(known, last, made, activations)
            order = list(backwards(_following, begun, partial(_require, known, 0, made, made + 1)))
            ends = (node for node, decision in order if decision is None)
            after = {node: self._after(node, made + 1, last=made + 1 == activations) for node in ends}
            levels.append((begun, order, after))
            begun, last = list(dict.fromkeys(after.values())), len(order)
            known += last
        decided = any(plan is None for kind in self.plans for plan in kind)
        choices = _best(levels) if decided else [{}] * activations
        law: CategoricalDistribution[Any] = CategoricalDistribution.certain(start, exact=True)
        plan: list[Decision] = []
        for made, ((_, order, after), chosen) in enumerate(zip(levels, choices, strict=True)):
            forwards = [node for node, _ in reversed(order)]
            found = (node for node, _ in reached(_following, law, chosen, forwards) if node in chosen)
            plan += [self._words(node, made, chosen[node]) for node in sorted(found, key=in_order)]
            law = end_distribution(_following, law, chosen, forwards).map(after.__getitem__)
        return law, tuple(dict.fromkeys(plan))

    def _words(self, position: Position, made: int, choice: int) -> Decision:
        """Return a decision in words; its situation is what is seen of every model, and of the roll."""
        models = zip(sum(self.sides, ()), sum(self._standing(position, made).sides, ()), strict=True)
        seen = [f"{fighter.target.name} {words}" for fighter, each in models if (words := each.words())]
        said = in_words(position.state.rest.game, position, choice, seen)
        return replace(said, attack=f"Activation {made + 1} of {_name(self.sides[made % 2])}, {said.attack}")

    def _begun(self, standing: _Standing) -> _Node:
        """Return the position with the first roll of the next Activation; the standing itself where one side is out."""
        if _end(standing) != ENDS[0]:
            return standing
        by = standing.made % 2
        own, enemy = standing.sides[by], list(standing.sides[1 - by])
        left = tuple(place for place, condition in enumerate(own) if not condition.out)
        aim = next(place for place, condition in enumerate(enemy) if not condition.out)
        attacked = enemy[aim]
        enemy[aim] = FighterCondition(out=False, talisman_used=attacked.talisman_used)
        game = self.game(by, left, aim, opening=standing.made < 2)
        carried = tuple(FighterCondition(each.out, tough_used=each.tough_used) for each in own)
        used = frozenset(number for number, place in enumerate(left) if own[place].talisman_used)
        markers = tuple(Markers(*own[place][1:4]) for place in left)
        rest = _Rest(game, by, left, aim, carried, tuple(enemy))
        state = State(
            MISS, *attacked[1:6], fumbled=False, hit_by=frozenset(), attackers=markers, used=used, rest=rest
        )
        return game.arrive(0, state)

    def _after(self, node: _Node, made: int, *, last: bool) -> _Node:
        """Return how the next Activation begins after the end of one."""
        if isinstance(node, _Standing):
            return node
        standing = self._standing(node, made)
        return standing if last else self._begun(standing)

    def _standing(self, position: Position, made: int) -> _Standing:
        """Return all models as they are in a position."""
        state = position.state
        _, by, left, aim, carried, enemy = state.rest
        mine, hurt = list(carried), list(enemy)
        hurt[aim] = _condition(state, talisman_used=hurt[aim].talisman_used)
        # They are the attackers in this order, as their names differ.
        for number, (place, markers) in enumerate(zip(left, state.attackers, strict=True)):
            mine[place] = carried[place]._replace(**markers._asdict(), talisman_used=number in state.used)
        return _Standing((tuple(mine), tuple(hurt))[:: 1 - 2 * by], made)

    def _compiled(self, by: int, left: tuple[int, ...], aim: int, *, opening: bool) -> Game:
        """Return the attacks of an Activation as a game."""
        given = []
        for place in left:
            fighter = self.sides[by][place]
            said: dict[str, Any] = {name: getattr(fighter, name) for name in ("ranged", "melee")}
            model = Attacker(fighter.target.name, keywords=fighter.target.keywords, blessing=0, **said)
            attacks = (opening and fighter.opening) or fighter.attacks
            given.append(Activation(attacks, model, fireteam=len(left) > 1))
        attacked = self.sides[1 - by][aim]
        blocks = any(attack.has("BLOCK") for attack in (*attacked.attacks, *attacked.opening))
        target = attacked.target.changed(keywords=attacked.target.keywords + _BLOCK * blocks)
        items, _ = compiled(given, target, *self.rules)
        if any(isinstance(item, RollStage) and item.fumbles for item in items):
            raise MathhammerError(
                f"expected weapons without FUMBLE in an exchange, got {given[0].attacker.name!r} with one in the "
                f"edition {self.rules[0]!r}: what it does to the attacker itself is not computed"
            )
        spend, reply = self.plans[0][by], self.plans[1][1 - by]
        plans: Any = spend and [spend] * len(items), reply and [reply] * len(items)
        order: Any = self.orders[0], SIDES[self.orders[1] != by], False
        return Game(items, target, *plans, *order)


def _following(node: Any) -> Branches[Any] | None:
    """Return what comes in a position."""
    return None if isinstance(node, _Standing) else node.state.rest.game.decision(node)


def _require(known: int, last: int, made: int, activations: int, more: int = 0) -> None:
    """Refuse what has too many positions, or will have, as an Activation has about as many as the one before."""
    expected, most = known + max(more, last) * (activations - made), MAXIMUM_POSITIONS
    if known + more > most or expected > 1.5 * most:
        fits = made if more else made + int((most - known) / (1.25 * last))
        fewer = f"fits with activations={fits}" if fits else "does not fit with one Activation"
        raise TooLargeError(
            f"expected at most {most:,} positions in all Activations, got some {expected:,}; this {fewer}: use so "
            "many, fewer attacks or markers, or one model for a Fireteam"
        )


def _best(levels: Sequence[_Level]) -> list[dict[Any, int]]:
    """Return the best choices in each Activation, from the last to the first."""
    *_, (_, _, last) = levels
    standings: Any = last.values()
    worth: dict[Any, tuple[int, int]] = {each: ((0, 1, -1)[ENDS.index(_end(each))], 1) for each in standings}
    choices = []
    for made, (begun, order, after) in reversed([*enumerate(levels)]):
        sign = 1 - 2 * (made % 2)  # who attacks maximises
        values = {node: worth[then] for node, then in after.items()}
        common = lcm(*(below for _, below in values.values()))
        scaled = {node: sign * value * (common // below) for node, (value, below) in values.items()}
        chosen, found = solved(_following, begun, scaled.__getitem__, order)
        choices.append(chosen)
        worth = {node: (sign * found[node][0], found[node][1] * common) for node in begun}
    return choices[::-1]


@dataclass(frozen=True, eq=False, repr=False)
class ExchangeResult(Displayed, Reproducible):
    """Result of an exchange of Activations."""

    sides: Sides
    """The fighters of both sides."""
    edition: str
    """The edition whose rules were used."""
    rulings: Rulings
    """The option in force for each disputed ruling."""
    activations: int
    """The greatest number of Activations."""
    plan: tuple[Decision, ...]
    """What players who play to win spend wherever it can come up, in words; nothing where all is fixed."""
    _standings: Standings

    @property
    def exact(self) -> bool:
        """True if the probabilities are ``sympy.Rational``, False if ``float``."""
        return self._standings.exact

    @property
    def names(self) -> tuple[str, str]:
        """Names of the first and the second side."""
        first, second = map(_name, self.sides)
        return (first, second) if first != second else (f"{first} (first)", f"{second} (second)")

    @cached_property
    def end(self) -> CategoricalDistribution[str]:
        """Distribution of how it has ended, in the words of ``ENDS``."""
        return self.after(self.activations)

    def after(self, activations: int) -> CategoricalDistribution[str]:
        """Return the distribution of how it has ended after so many Activations."""
        validation.whole(activations, "activations", 1, self.activations)
        return self._standings.map(
            lambda standing: _end(standing) if standing.made <= activations else ENDS[0], ENDS
        )

    @cached_property
    def length(self) -> Distribution:
        """Distribution of the number of Activations that were made."""
        return self._standings.number(lambda standing: standing.made)

    def condition(self, side: str, place: int = 0) -> CategoricalDistribution[FighterCondition]:
        """Distribution of what is left of a model of the ``"first"`` or ``"second"`` side: its place, 0 or 1."""
        number = _NUMBERS.index(validation.one_of(side, _NUMBERS, "side"))
        chosen = validation.whole(place, "the place of a model", 0, len(self.sides[number]) - 1)
        return self._standings.map(lambda standing: standing.sides[number][chosen])

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
        if self.plan:
            first, *rest = in_lines(self.plan)
            steps.append(Step("Best plan", first, tuple(rest)))
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
        from mathhammer.display.panel import Panel, TablePart

        rows = [
            [str(number), side, *(percent(after.pmf(end)) for end in ENDS)]
            for number, side, after in self._each()
        ]
        mean = in_fractions(self.length).mean()
        facts = {"edition": self.edition, "arithmetic": self._kind, "mean Activations": mean}
        first, second = self.names
        header = ["Activation", "of", "both left", f"{second} out", f"{first} out"]
        parts = self.end.part("end"), TablePart(header, rows, "><>>>")
        folded = [(self.rulings.sentence, self.rulings.table())]
        lines = in_lines(self.plan)
        more = [f"and {len(lines) - _SHOWN} more lines of the plan, which explain() has"] * (
            len(lines) > _SHOWN
        )
        return Panel(f"{first} against {second}", facts, parts, [*lines[:_SHOWN], *more], folded)


def _condition(state: State, *, talisman_used: bool = False) -> FighterCondition:
    out = state.outcome == OUT
    return FighterCondition(
        out, *state.markers, state.down, not out and state.tough_used, not out and talisman_used
    )


def _name(side: Sequence[Fighter]) -> str:
    return " and ".join(fighter.target.name for fighter in side)


def _end(standing: _Standing) -> str:
    first, second = (all(condition.out for condition in side) for side in standing.sides)
    return ENDS[1] if second else ENDS[2] if first else ENDS[0]
