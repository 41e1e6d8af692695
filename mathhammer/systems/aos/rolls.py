"""Rolls that are no attacks: charges, magic, prayers."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import product
from typing import TYPE_CHECKING, Any

from flint import fmpq

from mathhammer.distributions import CategoricalDistribution
from mathhammer.distributions.decisions import DecisionNode, best_plan, end_distribution, reached
from mathhammer.distributions.fractions import in_fractions
from mathhammer.errors import MathhammerError
from mathhammer.expressions import dice as parse_dice
from mathhammer.fields.kinds import Boolean, Integer, MaybeInteger
from mathhammer.sequence.explanation import Step
from mathhammer.sequence.rolls import ChargeResult, RollResult, fraction
from mathhammer.systems.aos.rules import Asked
from mathhammer.systems.asked import ResultT, asked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence  # noqa: F401 - signatures made from fields name Mapping

_FACES = range(1, 7)
#: Where a prayer stands: its turn, its ritual points and the face rolled, 0 before the roll; -1 where it is answered.
_Position = tuple[int, int, int]


class _AnyRoll(Asked[ResultT]):
    """A roll that something is added to."""

    modifier: Integer = Integer("Added to the roll: -1 for Magical Intervention.", default=0, least=-100)

    def rolled(
        self, heading: str, roll: str, words: str, value: int, chance: Any, steps: Sequence[Step]
    ) -> RollResult:
        """Return the result of a roll that needs a value, and passes with a chance."""
        added = (f"{self.modifier:+d}",) * bool(self.modifier)
        first = Step("Roll", f"{roll}, {words}", added, fraction(chance))
        passed, failed = (chance, 1 - chance) if self.exact else (float(chance), float(1 - chance))
        law, more = parse_dice(roll).distribution(exact=self.exact), (first, *steps, self.in_force.step())
        need, rules = value - self.modifier, (self.edition, self.in_force)
        return RollResult(passed, failed, law, need, *rules, heading, more, at_least=True)


class _AosCharge(_AnyRoll[ChargeResult]):
    """Roll for a charge.

    Examples
    --------
    >>> charge(9, exact=True).probability_success, charge(9, reroll=True, exact=True).probability_success
    (5/18, 155/324)

    References
    ----------
    Warhammer Age of Sigmar Core Rules (July 2024), 14.3; Advanced Rules, Commands.
    """

    distance: Integer = Integer(
        'To the target, in inches; half an inch less is enough, so that more than 9" is 9.', kw_only=False
    )
    dice: Integer = Integer("D6 that are rolled and added up.", default=2, least=1, most=4)
    reroll: Boolean = Boolean(
        "Whether a failed charge is re-rolled (Forward to Victory); the ruling ``reroll_sum`` says which dice."
    )

    def answer(self) -> ChargeResult:
        """Return the chances of the distance, and of all others."""
        number, more, any_of = self.dice, self.modifier, self.in_force["reroll_sum"] == "any"
        plain = parse_dice(f"{number}D6").distribution(exact=self.exact)

        def over(inches: int) -> Any:
            need = max(1, inches - more)
            words = f"{number} best of {number}D6 for {need}+" if any_of else f"{number}D6, <{need}"
            law = parse_dice(f"reroll({words})").distribution(exact=self.exact) if self.reroll else plain
            return in_fractions(law).at_least(need)

        success = over(self.distance)
        changed = [f"{more:+d}"] * bool(more)
        changed += [f"if it fails, {'any' if any_of else 'all'} dice re-rolled"] * self.reroll
        steps = (
            Step("Roll", f"{number}D6 (Core Rules, 14.3)", tuple(changed)),
            Step("Success", f'{self.distance}" or more', (), fraction(success)),
        )
        chances = tuple((inches, over(inches)) for inches in (plain + more).support if inches >= 0)
        rules = self.edition, self.in_force, steps
        return ChargeResult(success, plain + more, None, chances, self.distance, *rules)


class _Cast(_AnyRoll[RollResult]):
    """Roll to cast a spell, which an enemy may try to unbind.

    Examples
    --------
    >>> cast(7, exact=True).probability_success, cast(7, unbound=True, exact=True).probability_success
    (7/12, 581/1296)

    References
    ----------
    Warhammer Age of Sigmar Advanced Rules (July 2024), Magic: two unmodified 1s are a miscast.
    """

    value: Integer = Integer("The casting value.", least=1, kw_only=False)
    dice: Integer = Integer("D6 that are rolled and added up.", default=2, least=1, most=4)
    unbound: Boolean = Boolean(
        "Whether an enemy Wizard tries to unbind the spell, with a roll that is greater."
    )
    unbind_modifier: Integer = Integer("Added to the unbinding roll.", default=0, least=-100)

    def answer(self) -> RollResult:
        """Return the result of the roll, and of the one against it."""
        number, less = self.dice, self.unbind_modifier
        rolled = Counter((sum(faces), faces.count(1) >= 2) for faces in product(_FACES, repeat=number))
        enemy = [sum(faces) + less for faces in product(_FACES, repeat=2)]
        passed = miscast = 0
        for (total, failed), ways in rolled.items():
            miscast += ways * failed
            if not failed and total + self.modifier >= self.value:
                passed += ways * sum(not self.unbound or each <= total + self.modifier for each in enemy)
        unlucky = fraction(fmpq(miscast, 6**number), "miscast")
        steps = [Step("Miscast", "two unmodified 1s or more", (), unlucky)]
        against = (f"{less:+d}",) * bool(less)
        steps += [Step("Unbind", "2D6, more than the casting roll", against)] * self.unbound
        words, chance = f"{self.value} or more (Advanced Rules, Magic)", fmpq(passed, 36 * 6**number)
        return self.rolled("Cast", f"{number}D6", words, self.value, chance, steps)


class _Chant(_AnyRoll[RollResult]):
    """Roll to have a prayer answered within some turns, with the best use of ritual points.

    A roll is banked, or added to the points that answer the prayer. Where it does more at a higher total, the plan is
    that of the highest worth on average, by backward induction; ``explain()`` says what is banked for it.

    Examples
    --------
    >>> chant(5, exact=True).probability_success, chant(5, turns=2, exact=True).probability_success
    (1/3, 7/9)

    References
    ----------
    Warhammer Age of Sigmar Advanced Rules (July 2024), Prayers; universal abilities of 2026.
    """

    value: Integer = Integer("The chanting value.", least=1, kw_only=False)
    better: MaybeInteger = MaybeInteger("The total from which the prayer does more.")
    worth: Integer = Integer("What an answer at that total is worth, others being 1.", default=2, least=1)
    points: Integer = Integer("Ritual points that the Priest has.", default=0)
    turns: Integer = Integer("Chanting rolls that may be made, one a turn.", default=1, least=1, most=20)
    universal: Boolean = Boolean(
        "Whether it is a universal prayer: the unmodified roll is banked, and a 1 costs one point only."
    )

    def answer(self) -> RollResult:
        """Return the chance that it is answered, turn by turn."""
        if self.better is not None and self.better <= self.value:
            raise MathhammerError(f"expected better above the value {self.value}, got {self.better}")
        worths = {self.value: 1} | ({} if self.better is None else {self.better: self.worth})
        begun, game = (1, self.points, 0), self._game
        plan = best_plan(game, [begun], lambda at: worths[at[1]] if at[2] < 0 else 0)
        start = CategoricalDistribution.certain(begun, exact=True)
        ends = in_fractions(end_distribution(game, start, plan))
        kept: dict[int, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
        for turn, bank, face in sorted(each for each, _ in reached(game, [begun], plan) if plan.get(each)):
            kept[turn][bank].append(f"{face}")
        answered = {at: chance for at, chance in ends.items() if at[2] < 0}
        steps = []
        for turn in range(1, self.turns + 1):
            banked = [f"; {', '.join(faces)} banked at {bank}" for bank, faces in kept[turn].items()]
            chances = [answered.get((turn, level, -1), fmpq(0)) for level in worths]
            found = *fraction(chances[0], "answered"), *fraction(chances[-1], f"at {self.better}+")
            text = f"answered in this turn{''.join(banked)}"
            steps.append(Step(f"Turn {turn}", text, (), found[: len(worths)]))
        words = f"with the points held {self.value} or more; else banked (Advanced Rules, Prayers)"
        return self.rolled("Chant", "D6", words, self.value, sum(answered.values(), fmpq(0)), steps)

    def _game(self, at: _Position) -> DecisionNode[_Position] | None:
        turn, bank, face = at
        if face < 0 or turn > self.turns:
            return None
        if not face:
            return DecisionNode([{(turn, bank, each): 1 for each in _FACES}], 6)
        if face == 1:
            after = Counter(max(0, bank - each) for each in ([1] if self.universal else [1, 2, 3]))
            return DecisionNode([{(turn + 1, left, 0): ways for left, ways in after.items()}], after.total())
        total, most = face + self.modifier, self.better or self.value
        gained = (face if self.universal else total) * (total >= 2)
        met = [level for level in (self.value, most) if 2 <= total >= level - bank]
        options = [{(turn, level, -1): 1} for level in met[-1:]]
        return DecisionNode([*options, *[{(turn + 1, bank + gained, 0): 1}] * (most not in met)])


charge, cast, chant = asked(_AosCharge, "aos"), asked(_Cast, "aos"), asked(_Chant, "aos")
