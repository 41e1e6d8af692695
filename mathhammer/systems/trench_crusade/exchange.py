"""Exchanges of Activations between two models, or two Fireteams: until one side is Out of Action, or time is up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer import validation
from mathhammer.display import Displayed
from mathhammer.display.numbers import exact_number, percent
from mathhammer.distributions import CategoricalDistribution
from mathhammer.distributions.decisions import DecisionNode, backwards, end_distribution, reached, solved
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.fields.kinds import Checked
from mathhammer.fields.profile import Record
from mathhammer.sequence.call import Reproducible, records_call
from mathhammer.sequence.explanation import Explanation, Step
from mathhammer.systems.trench_crusade.compilation import RollStage, compiled
from mathhammer.systems.trench_crusade.game import SIDES, FighterCondition, Game, Position, State, condition
from mathhammer.systems.trench_crusade.keywords import parse_keywords, several
from mathhammer.systems.trench_crusade.profiles import Attacker, Bonus, Target
from mathhammer.systems.trench_crusade.result import Decision, in_lines, in_words
from mathhammer.systems.trench_crusade.rulings import EDITIONS, in_force
from mathhammer.systems.trench_crusade.situation import Activation, Attacks, Reply, Spend, as_attacks, fixed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mathhammer.display.panel import Panel
    from mathhammer.distributions import Distribution
    from mathhammer.sequence.rulings import Rulings

    Sides = tuple[tuple["Fighter", ...], tuple["Fighter", ...]]
    Standings = CategoricalDistribution["_Standing"]

#: How an exchange can end; a side is out when all its models are Out of Action.
ENDS = ("both left", "second out", "first out")
MOST_ACTIVATIONS = 20
#: Most positions of all Activations together: about two seconds. One that comes again costs an eighth.
MAXIMUM_POSITIONS = 50_000
_AGAIN = 8
_NUMBERS = ("first", "second")
_SHOWN = 20
_BLOCK = parse_keywords("BLOCK")


class _Standing(NamedTuple):
    """The models of both sides after so many Activations."""

    sides: tuple[tuple[FighterCondition, ...], ...]
    made: int


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
        self.sides, self.plans, self.rules = sides, plans, rules
        self.game = Game([], [], [], orders[0], SIDES[orders[1]], worst=False)
        self.opens = any(fighter.opening for side in sides for fighter in side)
        #: Where the Activation of a side begins: by those of it who are left, against one enemy, the first one or not.
        self.begins: dict[tuple[object, ...], int] = {}
        for by, own in enumerate(sides):
            for left in [(place,) for place in range(len(own))] + [(0, 1)] * (len(own) > 1):
                for aim in range(len(sides[1 - by])):
                    for opening in {False, self.opens}:
                        self.begins[by, left, aim, opening] = len(self.game.items)
                        self._compile(by, left, aim, opening=opening)
        #: The positions by number, what comes in each, and after the end of an Activation.
        self.positions: list[Position] = []
        self.numbers: dict[Position, int] = {}
        self.known: list[DecisionNode[int] | None] = []
        self.after: dict[int, Position | None] = {}
        #: What the last end is worth to the first side.
        self.worth: dict[int, int] = {}

    def _compile(self, by: int, left: tuple[int, ...], aim: int, *, opening: bool) -> None:
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
        first = len(self.sides[0])
        # They are the attackers in this order, as their names differ.
        places, aim = [by * first + place for place in left], (1 - by) * first + aim
        items, _ = compiled(given, target, *self.rules, places=places, aim=aim, side=by)
        if any(isinstance(item, RollStage) and item.fumbles for item in items):
            raise MathhammerError(
                f"expected weapons without FUMBLE in an exchange, got {given[0].attacker.name!r} with one in the "
                f"edition {self.rules[0]!r}: what it does to the attacker itself is not computed"
            )
        game: Any = self.game
        game.items.extend([*items, None])
        game.spend.extend([self.plans[0][by]] * (len(items) + 1))
        game.reply.extend([self.plans[1][1 - by]] * (len(items) + 1))

    def run(self, activations: int) -> tuple[Standings, tuple[Decision, ...]]:
        """Return the exact law of what is left, and the decisions of the players who play to win."""
        models = tuple(condition(each.target) for side in self.sides for each in side)
        begun: list[Any] = [self._begun(State(models), 0)]
        start = begun[0]
        orders: dict[tuple[int, bool], list[int]] = {}
        levels: list[list[int]] = []
        for made in range(activations):
            # Activations of one side have most of their positions in common, in one order.
            order = orders.setdefault((made % 2, made < 2 and self.opens), [])
            again = sum(map(len, levels)) + len(order)
            require = partial(_require, len(self.known) + again // _AGAIN, made, activations)
            require(0)
            found = [each for each in backwards(self._new, begun, require) if each[0] not in self.numbers]
            new = [self._numbered(*each, made) for each in found]
            ended = (after for node in new if (after := self.after.get(node)) is not None)
            begun = list(dict.fromkeys(ended))
            order += new
            levels.append([*order])
        law: CategoricalDistribution[Any] = CategoricalDistribution.certain(self.numbers[start], exact=True)
        decided = any(plan is None for kind in self.plans for plan in kind)
        choices = self._best(levels) if decided else [{}] * activations
        plan: list[Decision] = []
        names = [each.target.name for side in self.sides for each in side]
        for made, (level, chosen) in enumerate(zip(levels, choices, strict=True)):
            forwards = [*(node for node in law if isinstance(node, _Standing)), *reversed(level)]
            played = reached(self._known, law, chosen, forwards) if chosen else ()
            decisions = {self.positions[node]: chosen[node] for node, _ in played if node in chosen}
            when = f"Activation {made + 1} of {_name(self.sides[made % 2])}"
            plan += [
                replace(each, attack=f"{when}, {each.attack}")
                for each in in_words(self.game, decisions, names)
            ]
            law = end_distribution(self._known, law, chosen, forwards)
            law = law.map(partial(self._next, made + 1, last=made + 1 == activations))
        return law, tuple(plan)

    def _new(self, position: Position) -> DecisionNode[Position] | None:
        return None if position in self.numbers else self.game.decided(position)

    def _numbered(self, position: Position, decision: DecisionNode[Position] | None, made: int) -> int:
        number = self.numbers[position] = len(self.positions)
        self.positions.append(position)
        if decision is None:
            self.after[number] = self._begun(position.state, made + 1)
            if self.after[number] is None:
                end = _end(self._standing(position.state, made))
                self.worth[number] = (0, 1, -1)[ENDS.index(end)]
            self.known.append(None)
        else:
            options, *rest = decision
            numbered = [{self.numbers[after]: weight for after, weight in each.items()} for each in options]
            self.known.append(DecisionNode(numbered, *rest))
        return number

    def _known(self, node: int | _Standing) -> DecisionNode[Any] | None:
        return self.known[node] if isinstance(node, int) else None

    def _next(self, made: int, node: int | _Standing, *, last: bool) -> int | _Standing:
        if isinstance(node, _Standing):
            return node
        after = self.after[node]
        state = self.positions[node].state
        return self._standing(state, made) if last or after is None else self.numbers[after]

    def _standing(self, state: State, made: int) -> _Standing:
        models = tuple(FighterCondition(out=True) if each.out else each for each in state.models)
        first = len(self.sides[0])
        return _Standing((models[:first], models[first:]), made)

    def _begun(self, state: State, made: int) -> Position | None:
        """Return the position with the first roll of the next Activation, if both sides are left."""
        standing, by = self._standing(state, made), made % 2
        own, enemy = (
            [place for place, each in enumerate(standing.sides[side]) if not each.out]
            for side in (by, 1 - by)
        )
        if not own or not enemy:
            return None
        begins = self.begins[by, tuple(own), enemy[0], self.opens and made < 2]
        return self.game.arrive(begins, State(sum(standing.sides, ())))

    def _best(self, levels: Sequence[list[int]]) -> list[dict[Any, int]]:
        choices: list[dict[Any, int]] = []
        found: dict[Any, tuple[int, int]] = {}
        common = 1
        for level in reversed(levels):
            values = {}
            for node in level:
                if self.known[node] is None:
                    after = self.numbers.get(self.after[node])  # type: ignore[arg-type] # nor is None there
                    value, below = found.get(after, (self.worth.get(node, 0), 1))
                    values[node] = value, below * (common if after in found else 1)
            common = lcm(*(below for _, below in values.values()))
            scaled = {node: value * (common // below) for node, (value, below) in values.items()}
            known = zip(level, map(self.known.__getitem__, level), strict=True)
            chosen, found = solved(self._known, (), scaled.__getitem__, known)
            choices.append(chosen)
        return choices[::-1]


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


def _name(side: Sequence[Fighter]) -> str:
    return " and ".join(fighter.target.name for fighter in side)


def _end(standing: _Standing) -> str:
    first, second = (all(condition.out for condition in side) for side in standing.sides)
    return ENDS[1] if second else ENDS[2] if first else ENDS[0]
