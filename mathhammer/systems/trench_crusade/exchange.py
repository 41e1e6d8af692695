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
from mathhammer.systems.trench_crusade.game import OUT, SIDES, Game, Position, State, start_state
from mathhammer.systems.trench_crusade.keywords import parse_keywords, several
from mathhammer.systems.trench_crusade.profiles import Attacker, Bonus, Target
from mathhammer.systems.trench_crusade.result import Decision, in_lines, in_order, in_words
from mathhammer.systems.trench_crusade.rulings import EDITIONS, in_force
from mathhammer.systems.trench_crusade.situation import Activation, Attacks, Reply, Spend, as_attacks, fixed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mathhammer.display.panel import Panel
    from mathhammer.distributions import Distribution
    from mathhammer.distributions.decisions import DecisionNode as Branches
    from mathhammer.sequence.rulings import Rulings

    Sides = tuple[tuple["Fighter", ...], tuple["Fighter", ...]]
    Standings = CategoricalDistribution["_Standing"]
    _Node: TypeAlias = "Position | _Standing"
    # The positions of an Activation from the last to the first, with what comes there.
    _Level: TypeAlias = list[tuple[Position, Branches[Position] | None]]

#: How an exchange can end; a side is out when all its models are Out of Action.
ENDS = ("both left", "second out", "first out")
MOST_ACTIVATIONS = 20
#: Most positions of all Activations together: about two seconds. One that comes again costs an eighth.
MAXIMUM_POSITIONS = 50_000
_AGAIN = 8
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


@dataclass(frozen=True, eq=False, slots=True)
class _Rest:
    """What the state of an Activation does not say: whose it is, and of the models what no attack of it changes."""

    game: Game
    #: The side, the places of its models that are left, and that of the enemy attacked.
    by: int
    left: tuple[int, ...]
    aim: int
    sides: tuple[tuple[FighterCondition, ...], ...]


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
    attacks: Attacks = Checked(
        as_attacks,
        "What it does in an Activation: a weapon or its text, an `Attack`, or several.",
        kw_only=False,
    )
    ranged: Bonus = Bonus("Its Ranged Characteristic, in DICE.")
    melee: Bonus = Bonus("Its Melee Characteristic, in DICE.")
    opening: Attacks = Checked(
        as_attacks,
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
    rules = validation.one_of(edition, EDITIONS, "the edition"), in_force(rulings)
    law, plan = _Exchange(sides, (spends, replies), orders, rules).run(activations)
    return ExchangeResult(sides, *rules, activations, plan, law if exact else law.to_floats())


def _spent(own: object, common: object, kind: Any) -> Any:
    given = common if own is None else own
    return None if isinstance(given, str) and given == "best" else fixed(given, kind, ", 'best' or 'nothing'")


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
        # One of each: a state is found by what it is, the rest of it by which it is.
        self.game, self.rest = cache(self._compiled), cache(_Rest)
        self.opens = any(fighter.opening for side in sides for fighter in side)
        #: What comes in each position of an Activation, and after its end.
        self.known: dict[Position, Branches[Position] | None] = {}
        self.after: dict[Position, _Node] = {}

    def run(self, activations: int) -> tuple[Standings, tuple[Decision, ...]]:
        """Return the exact law of what is left, and the decisions of the players who play to win."""
        sides = tuple(tuple(_condition(start_state(each.target, ())) for each in side) for side in self.sides)
        begun: list[Any] = [self._begun(_Standing(sides, 0))]
        law: CategoricalDistribution[Any] = CategoricalDistribution.certain(begun[0], exact=True)
        orders: dict[tuple[int, bool], _Level] = {}
        levels: list[_Level] = []
        for made in range(activations):
            # Activations of one side have most of their positions in common, in one order.
            order = orders.setdefault((made % 2, made < 2 and self.opens), [])
            again = sum(map(len, levels)) + len(order)
            require = partial(_require, len(self.known) + again // _AGAIN, made, activations)
            require(0)
            found = [each for each in backwards(self._new, begun, require) if each[0] not in self.known]
            self.known.update(found)
            ends = [node for node, decision in found if decision is None]
            self.after |= (after := {node: self._begun(self._standing(node, made + 1)) for node in ends})
            begun = [node for node in dict.fromkeys(after.values()) if isinstance(node, Position)]
            order += found
            levels.append([*order])
        decided = any(plan is None for kind in self.plans for plan in kind)
        choices = self._best(levels) if decided else [{}] * activations
        plan: list[Decision] = []
        for made, (level, chosen) in enumerate(zip(levels, choices, strict=True)):
            ended = [node for node in law if isinstance(node, _Standing)]
            forwards = [*ended, *(node for node, _ in reversed(level))]
            played = reached(self.known.get, law, chosen, forwards) if chosen else ()
            decisions = sorted((node for node, _ in played if node in chosen), key=in_order)
            plan += [self._words(node, made, chosen[node]) for node in decisions]
            law = end_distribution(self.known.get, law, chosen, forwards)
            law = law.map(partial(self._next, made + 1, made + 1 == activations))
        return law, tuple(dict.fromkeys(plan))

    def _new(self, position: Position) -> Branches[Position] | None:
        return None if position in self.known else position.state.rest.game.decision(position)

    def _next(self, made: int, last: bool, node: _Node) -> _Node:  # noqa: FBT001 - called by place
        if isinstance(node, _Standing):
            return node
        after = self.after[node]
        return self._standing(node, made) if last or isinstance(after, _Standing) else after

    def _best(self, levels: Sequence[_Level]) -> list[dict[Any, int]]:
        choices: list[dict[Any, int]] = []
        found: dict[Any, tuple[int, int]] = {}
        common = 1
        for made, level in reversed([*enumerate(levels)]):
            sign = 1 - 2 * (made % 2)  # who attacks maximises, and what follows is worth as much less to them
            values = {}
            for node, after in ((node, self.after[node]) for node, decision in level if decision is None):
                value, below = found.get(after, (0, 1))
                ended = isinstance(after, _Standing) and sign * (0, 1, -1)[ENDS.index(_end(after))]
                values[node] = (ended, 1) if ended else (-value, below * common)
            common = lcm(*(below for _, below in values.values()))
            scaled = {node: value * (common // below) for node, (value, below) in values.items()}
            chosen, found = solved(self.known.get, (), scaled.__getitem__, level)
            choices.append(chosen)
        return choices[::-1]

    def _words(self, position: Position, made: int, choice: int) -> Decision:
        models = zip(sum(self.sides, ()), sum(self._standing(position, made).sides, ()), strict=True)
        seen = [f"{fighter.target.name} {words}" for fighter, each in models if (words := each.words())]
        said = in_words(position.state.rest.game, position, choice, seen)
        return replace(said, attack=f"Activation {made + 1} of {_name(self.sides[made % 2])}, {said.attack}")

    def _begun(self, standing: _Standing) -> _Node:
        """Return the position with the first roll of the next Activation; the standing itself where one side is out."""
        if _end(standing) != ENDS[0]:
            return standing
        by, sides = standing.made % 2, list(standing.sides)
        left = tuple(place for place, condition in enumerate(sides[by]) if not condition.out)
        aim = next(place for place, condition in enumerate(sides[1 - by]) if not condition.out)
        own, enemy = sides[by], sides[1 - by]
        used = frozenset(number for number, place in enumerate(left) if own[place].talisman_used)
        state = start_state(enemy[aim], [own[place] for place in left])
        kept = FighterCondition(out=False, talisman_used=enemy[aim].talisman_used)
        sides[1 - by] = (*enemy[:aim], kept, *enemy[aim + 1 :])
        sides[by] = tuple(FighterCondition(each.out, tough_used=each.tough_used) for each in own)
        game = self.game(by, left, aim, opening=self.opens and standing.made < 2)
        rest = self.rest(game, by, left, aim, tuple(sides))
        return game.arrive(0, state._replace(used=used, rest=rest))

    def _standing(self, position: Position, made: int) -> _Standing:
        state, rest = position.state, position.state.rest
        sides = list(map(list, rest.sides))
        own, enemy = sides[rest.by], sides[1 - rest.by]
        enemy[rest.aim] = _condition(state, talisman_used=enemy[rest.aim].talisman_used)
        # They are the attackers in this order, as their names differ.
        for number, (place, markers) in enumerate(zip(rest.left, state.attackers, strict=True)):
            own[place] = own[place]._replace(**markers._asdict(), talisman_used=number in state.used)
        return _Standing(tuple(map(tuple, sides)), made)

    def _compiled(self, by: int, left: tuple[int, ...], aim: int, *, opening: bool) -> Game:
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


def _require(known: int, made: int, activations: int, more: int) -> None:
    """Refuse what has too many positions, as many in each Activation as so far; those that were looked at fit."""
    if known + more > MAXIMUM_POSITIONS:
        expected = (known + more) * activations // (made + 1)
        fewer = f"fits with activations={made}" if made else "does not fit with one Activation"
        raise TooLargeError(
            f"expected at most {MAXIMUM_POSITIONS:,} positions in all Activations, got some {expected:,}; this "
            f"{fewer}: use so many, fewer attacks or markers, or one model for a Fireteam"
        )


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
        for number in range(1, self.activations + 1):
            yield number, self.names[(number - 1) % 2], in_fractions(self.after(number))

    def _line(self) -> str:
        first, second = (percent(in_fractions(self.end).pmf(end)) for end in ENDS[1:])
        chances = f"P(first wins) {first}, P(second wins) {second}"
        kind = "exact" if self.exact else "float64"
        return f"edition {self.edition}, {kind}, {self.activations} Activations: {chances}"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel, TablePart

        rows = [
            [str(number), side, *(percent(after.pmf(end)) for end in ENDS)]
            for number, side, after in self._each()
        ]
        mean = in_fractions(self.length).mean()
        kind = "exact" if self.exact else "float64"
        facts = {"edition": self.edition, "arithmetic": kind, "mean Activations": mean}
        first, second = self.names
        header = ["Activation", "of", "both left", f"{second} out", f"{first} out"]
        parts = self.end.part("end"), TablePart(header, rows, "><>>>")
        folded = [(self.rulings.sentence, self.rulings.table())]
        lines = in_lines(self.plan)
        more = [f"and {len(lines) - _SHOWN} more lines of the plan, which explain() has"]
        notes = [*lines[:_SHOWN], *more[: len(lines) > _SHOWN]]
        return Panel(f"{first} against {second}", facts, parts, notes, folded)


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
