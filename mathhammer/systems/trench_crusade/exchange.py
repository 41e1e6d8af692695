"""Exchanges of Activations between two models, or two Fireteams: until one side is Out of Action, or time is up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer import validation
from mathhammer.display.numbers import exact_number, percent
from mathhammer.distributions import CategoricalDistribution
from mathhammer.distributions.decisions import DecisionNode, backwards, end_distribution, reached, solved
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.fields.kinds import Checked, Integer, OneOf
from mathhammer.fields.profile import Record
from mathhammer.sequence.explanation import Explanation, Step
from mathhammer.systems.asked import asked
from mathhammer.systems.trench_crusade.attack import compiled
from mathhammer.systems.trench_crusade.game import SIDES, FighterCondition, Game, Position, State, condition
from mathhammer.systems.trench_crusade.profiles import Attacker, Bonus, Target
from mathhammer.systems.trench_crusade.result import Decision, RuledResult, in_lines, in_words
from mathhammer.systems.trench_crusade.rules import InEdition, parse_keywords, several
from mathhammer.systems.trench_crusade.situation import Activation, Attacks, Reply, Spend, as_attacks, fixed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence  # noqa: F401 - read by pdoc

    from mathhammer.display.panel import Panel
    from mathhammer.distributions import Distribution
    from mathhammer.systems.trench_crusade.situation import Armed, Attack  # noqa: F401 - read by pdoc

    Side = tuple["Fighter", ...]

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
    >>> print(Fighter(Target("Yeoman", armour="standard"), "Bolt-Action Rifle"))
    Yeoman: Bolt-Action Rifle (ranged)
    """

    target: Checked[Target, Target | str] = Checked(
        lambda given: Target.given(given, "a Target as the model of a Fighter, or its line"),
        "The model as it is attacked: armour, markers, keywords; it has BLOCK while it holds a weapon with BLOCK.",
        kw_only=False,
    )
    attacks: Attacks = Checked(
        as_attacks,
        "What it does in an Activation: a weapon or its text, or several. Each may be an `Attack`.",
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


class _ExchangeGame:
    """The exchange as a game: one Activation after another, each from all the states in which it can begin."""

    def __init__(self, asked: _Exchange) -> None:
        self.asked, self.fighters = asked, (*asked.first, *asked.second)
        first = len(asked.first)
        self.places = range(first), range(first, len(self.fighters))
        self.game = Game([], [], asked.spends_first, SIDES[_NUMBERS.index(asked.initiative)], worst=False)
        self.opens = any(fighter.opening for fighter in self.fighters)
        #: Where the Activation of a side begins: by those of it who are left, against one enemy, the first one or not.
        self.begins: dict[tuple[tuple[int, ...], int, bool], int] = {}
        #: The positions and their numbers, what comes in each; of the end of an Activation what comes after it, and
        #: what it is worth as the last one.
        self.positions: list[Position] = []
        self.numbers: dict[Position | None, int] = {}
        self.known: dict[Any, DecisionNode[int] | None] = {}
        self.ends: dict[int, tuple[Position | None, int]] = {}

    def _compile(self, by: int, left: tuple[int, ...], aim: int, opening: bool) -> None:  # noqa: FBT001 - a key
        given, asked, game = [], self.asked, self.game
        for fighter in (self.fighters[place] for place in left):
            said: dict[str, Any] = {name: getattr(fighter, name) for name in ("ranged", "melee")}
            model = Attacker(fighter.target.name, keywords=fighter.target.keywords, blessing=0, **said)
            attacks = (opening and fighter.opening) or fighter.attacks
            given.append(Activation(attacks, model, fireteam=len(left) > 1))
        attacked = self.fighters[aim]
        blocks = any(attack.has("BLOCK") for attack in (*attacked.attacks, *attacked.opening))
        target = attacked.target.changed(keywords=attacked.target.keywords + _BLOCK * blocks)
        # They are the attackers in this order, as their names differ.
        items, _ = compiled(given, target, asked.edition, asked.ruled, places=left, aim=aim, side=by)
        if any(getattr(item, "fumbles", False) for item in items):
            raise MathhammerError(
                f"expected weapons without FUMBLE in an exchange, got {given[0].attacker.name!r} with one in the "
                f"edition {asked.edition!r}: what it does to the attacker itself is not computed"
            )
        game.items += [*items, None]
        plans = (getattr(asked, f"{_NUMBERS[by]}_spend"), getattr(asked, f"{_NUMBERS[1 - by]}_reply"))
        game.plans += [plans] * (len(items) + 1)

    def run(self, activations: int) -> tuple[CategoricalDistribution[Any], tuple[Decision, ...]]:
        """Return the exact law of what is left, and the decisions of the players who play to win."""
        start = self._begun(State(tuple(condition(each.target) for each in self.fighters)), 0)
        begun: list[Any] = [start]
        orders: dict[tuple[int, bool], list[int]] = {}
        levels: list[list[int]] = []
        for made in range(activations):
            # Activations of one side have most of their positions in common, in one order.
            order = orders.setdefault((made % 2, made < 2 and self.opens), [])
            again = sum(map(len, levels)) + len(order)
            require = partial(_require, len(self.known) + again // _AGAIN, made, activations)
            require(0)
            found = backwards(self._new, begun, require)
            new = [self._numbered(*each, made) for each in found if each[0] not in self.numbers]
            begun = [*filter(None, dict.fromkeys(self.ends[node][0] for node in new if node in self.ends))]
            order += new
            levels.append([*order])
        choices = (
            self._best(levels) if any(None in plans for plans in self.game.plans) else [{}] * activations
        )
        law: CategoricalDistribution[Any] = CategoricalDistribution.certain(self.numbers[start], exact=True)
        plan: list[Decision] = []
        for made, (level, chosen) in enumerate(zip(levels, choices, strict=True), 1):
            forwards = [*(node for node in law if isinstance(node, _Standing)), *reversed(level)]
            played = reached(self.known.get, law, chosen, forwards) if chosen else ()
            decisions = {self.positions[node]: chosen[node] for node, _ in played if node in chosen}
            said = in_words(self.game, decisions, [each.target.name for each in self.fighters])
            when = f"Activation {made} of {_name((self.asked.first, self.asked.second)[1 - made % 2])}"
            plan += [replace(each, attack=f"{when}, {each.attack}") for each in said]
            law = end_distribution(self.known.get, law, chosen, forwards)
            law = law.map(partial(self._next, made, last=made == activations))
        return law, tuple(plan)

    def _new(self, position: Position) -> DecisionNode[Position] | None:
        return None if position in self.numbers else self.game.decision(position)

    def _numbered(self, position: Position, decision: DecisionNode[Position] | None, made: int) -> int:
        number = self.numbers[position] = len(self.positions)
        self.positions.append(position)
        self.known[number] = decision and DecisionNode(
            [{self.numbers[after]: weight for after, weight in each.items()} for each in decision.options],
            *decision[1:],
        )
        if decision is None:
            first, second = map(bool, self._left(position.state))
            self.ends[number] = self._begun(position.state, made + 1), first - second
        return number

    def _next(self, made: int, node: int | _Standing, *, last: bool) -> int | _Standing:
        if isinstance(node, _Standing):
            return node
        if not last and (after := self.ends[node][0]):
            return self.numbers[after]
        models = self._models(self.positions[node].state)
        return _Standing(tuple(tuple(models[place] for place in places) for places in self.places), made)

    def _models(self, state: State) -> tuple[FighterCondition, ...]:
        return tuple(FighterCondition(out=True) if each.out else each for each in state.models)

    def _left(self, state: State) -> list[tuple[int, ...]]:
        return [tuple(each for each in places if not state.models[each].out) for places in self.places]

    def _begun(self, state: State, made: int) -> Position | None:
        """Return the position with the first roll of the next Activation, if both sides are left."""
        own, enemy = self._left(state)[:: 1 - 2 * (made % 2)]
        if not own or not enemy:
            return None
        key = own, enemy[0], self.opens and made < 2
        if key not in self.begins:
            self.begins[key] = len(self.game.items)
            self._compile(made % 2, *key)
        return self.game.arrive(self.begins[key], State(self._models(state)))

    def _best(self, levels: Sequence[list[int]]) -> list[dict[Any, int]]:
        choices: list[dict[Any, int]] = []
        found: dict[Any, tuple[int, int]] = {}
        common = 1
        for level in reversed(levels):
            ends = ((node, *self.ends[node]) for node in level if node in self.ends)
            worth = {
                node: found.get(self.numbers.get(after), (value * common, 1)) for node, after, value in ends
            }
            below = lcm(*(each for _, each in worth.values()))
            scaled = {node: value * (below // each) for node, (value, each) in worth.items()}
            known = ((node, self.known[node]) for node in level)
            chosen, found = solved(known, scaled.__getitem__)
            choices.append(chosen)
            common *= below
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
class ExchangeResult(RuledResult):
    """Result of an exchange of Activations."""

    sides: tuple[Side, Side]
    """The fighters of both sides."""
    activations: int
    """The greatest number of Activations."""
    plan: tuple[Decision, ...]
    """What players who play to win spend wherever it can come up, in words; nothing where all is fixed."""

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

        def end(standing: _Standing) -> str:
            first, second = (all(each.out for each in side) for side in standing.sides)
            left = standing.made > activations or not (first or second)
            return ENDS[0] if left else ENDS[1 + first]

        return self._states.map(end, ENDS)

    @cached_property
    def length(self) -> Distribution:
        """Distribution of the number of Activations that were made."""
        return self._states.number(lambda standing: standing.made)

    def condition(self, side: str, place: int = 0) -> CategoricalDistribution[FighterCondition]:
        """Distribution of what is left of a model of the ``"first"`` or ``"second"`` side: its place, 0 or 1."""
        number = _NUMBERS.index(validation.one_of(side, _NUMBERS, "side"))
        chosen = validation.whole(place, "the place of a model", 0, len(self.sides[number]) - 1)
        return self._states.map(lambda standing: standing.sides[number][chosen])

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
        return f"edition {self.edition}, {self.arithmetic}, {self.activations} Activations: {chances}"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import TablePart

        rows = [[f"{at}", of, *(percent(law.pmf(end)) for end in ENDS)] for at, of, law in self._each()]
        mean = in_fractions(self.length).mean()
        facts = {"edition": self.edition, "arithmetic": self.arithmetic, "mean Activations": mean}
        first, second = self.names
        header = ["Activation", "of", "both left", f"{second} out", f"{first} out"]
        parts = self.end.part("end"), TablePart(header, rows, "><>>>")
        lines = in_lines(self.plan)
        more = [f"and {len(lines) - _SHOWN} more lines of the plan, which explain() has"]
        notes = [*lines[:_SHOWN], *more[: len(lines) > _SHOWN]]
        return self._ruled(f"{first} against {second}", facts, parts, notes)


def _name(side: Sequence[Fighter]) -> str:
    return " and ".join(fighter.target.name for fighter in side)


def _side(name: str) -> Any:
    def read(given: object) -> tuple[Fighter, ...]:
        items = (given,) if isinstance(given, Fighter) else given
        fighters: tuple[Fighter, ...] = several(items, Fighter, f"Fighters as the {name} side", 2)
        if not fighters:
            raise MathhammerError(f"expected one Fighter or two as the {name} side, got none")
        names = [fighter.target.name for fighter in fighters]
        if len(set(names)) < len(names):
            raise MathhammerError(
                f"expected two different names in the Fireteam of the {name} side, got {names[0]!r} twice"
            )
        return fighters

    return Checked(read, "A `Fighter`, or the two of a Fireteam.", kw_only=False)


def _spent(kind: Any, words: str) -> Any:
    def read(given: object) -> Any:
        if given is None or (isinstance(given, str) and given == "best"):
            return given
        return fixed(given, kind, ", 'best' or 'nothing'")

    return Checked(read, words, default=None)


class _Exchange(InEdition[ExchangeResult]):
    """Let two models, or two Fireteams, attack each other in turn.

    The first side begins. A model that is Down stands up when it is activated. The two models of a Fireteam are
    activated together and attack the first enemy that is left, in the order given; attacks that are left when it goes
    Out of Action are lost. Where a side plays its best, each roll is decided by what has happened: the first side makes
    P(second out) - P(first out) as great as it can be, the second as small.

    Examples
    --------
    Two models that go Out of Action by one in three hits; whoever is Down stands up before the next attack:

    >>> yeoman = Fighter(Target("Yeoman"), "Bolt-Action Rifle")
    >>> result = exchange(yeoman, yeoman, activations=2, exact=True)
    >>> result.end.pmf("second out"), result.end.pmf("first out")
    (1313/7776, 8485919/60466176)

    Trench Crusade rules 1.0.2, Activation; Down; Injuries; Keywords, BLOCK, FIRETEAM, REGENERATE; Battlekit; Rules
    Commentaries 1.0.2, Q1 (who spends first).
    """

    first: Checked[Side, Fighter | Sequence[Fighter]] = _side("first")
    second: Checked[Side, Fighter | Sequence[Fighter]] = _side("second")
    activations: Integer = Integer(
        "How many at most, both sides counted, from 1 to 20.", least=1, most=MOST_ACTIVATIONS, default=4
    )
    spend: Checked[Any, Spend | str | None] = _spent(
        Spend, 'What each side spends on attacks that it makes: ``"blood 2"``, ``"nothing"`` or ``"best"``.'
    )
    reply: Checked[Any, Reply | str | None] = _spent(
        Reply, 'What each side spends on attacks on it: ``"blessing 1"``, ``"nothing"`` or ``"best"``.'
    )
    first_spend: Checked[Any, Spend | str | None] = _spent(Spend, "The same of the first side alone.")
    second_spend: Checked[Any, Spend | str | None] = _spent(Spend, "The same of the second side alone.")
    first_reply: Checked[Any, Reply | str | None] = _spent(Reply, "The same of the first side alone.")
    second_reply: Checked[Any, Reply | str | None] = _spent(Reply, "The same of the second side alone.")
    spends_first: OneOf[str | None] = OneOf(
        "Who spends first on each roll where both decide.", *SIDES, default=None
    )
    initiative: OneOf[str] = OneOf("Otherwise the side that chooses who does.", *_NUMBERS, default="first")

    def _check(self) -> None:
        for kind, nothing in (("spend", Spend()), ("reply", Reply())):
            for side in (f"{number}_{kind}" for number in _NUMBERS):
                plan = getattr(self, side) or getattr(self, kind) or nothing
                self._put(side, None if plan == "best" else plan)

    def answer(self) -> ExchangeResult:
        """Return what is left after all Activations."""
        law, plan = _ExchangeGame(self).run(self.activations)
        shown = law if self.exact else law.to_floats()
        sides = self.first, self.second
        return ExchangeResult(self.edition, self.ruled, shown, sides, self.activations, plan)


exchange = asked(_Exchange, "tc")
