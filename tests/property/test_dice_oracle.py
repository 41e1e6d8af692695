"""icepool, an independent library, computes random expressions too."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import singledispatch

import icepool
from dice_strategies import SETTINGS, expressions, pools
from hypothesis import given
from hypothesis import strategies as st
from translation import points

from mathhammer import dice
from mathhammer.arithmetic.pools import kept_between, kept_highest
from mathhammer.expressions import base, die, operations, pool
from mathhammer.expressions.operations import RELATIONS


def greater(a, b):
    return max(a, b)


def smaller(a, b):
    return min(a, b)


@singledispatch
def fractional(node):
    """The die of the value times its denominator, and the denominator."""
    return rounded(node), 1


@fractional.register
def _(node: operations.Sum):
    (x, m), (y, n) = fractional(node.left), fractional(node.right)
    return x * n + y * m, m * n


@fractional.register
def _(node: operations.Difference):
    (x, m), (y, n) = fractional(node.left), fractional(node.right)
    return x * n - y * m, m * n


@fractional.register
def _(node: operations.Product):
    (x, m), (y, n) = fractional(node.left), fractional(node.right)
    return x * y, m * n


@fractional.register
def _(node: operations.Quotient):
    x, m = fractional(node.value)
    return x, m * node.divisor


@singledispatch
def rounded(node):
    """The die of the value, rounded up."""
    die, denominator = fractional.dispatch(type(node))(node)
    return die.map(lambda k: -(-k // denominator))


@rounded.register
def _(node: base.Constant):
    return icepool.Die([node.value])


@rounded.register
def _(node: die.Die):
    return icepool.d(node.sides)


@rounded.register
def _(node: die.Faces):
    return icepool.Die(dict(node.weighted))


@rounded.register
def _(node: die.Repeated):
    return node.count @ rounded(node.each) if node.count else icepool.Die([0])


@rounded.register
def _(node: die.Compound):
    return rounded(node.count) @ rounded(node.each)


@rounded.register
def _(node: operations.Rounded):
    die, denominator = fractional(node.value)
    ways = {"floor": math.floor, "ceil": math.ceil, "round": lambda x: math.floor(x + Fraction(1, 2))}
    return die.map(lambda k: ways[node.direction](Fraction(k, denominator)))


@rounded.register
def _(node: operations.Extreme):
    return icepool.map({"max": greater, "min": smaller}[node.name], *map(rounded, node.values))


@rounded.register
def _(node: operations.Comparison):
    (x, m), (y, n) = fractional(node.left), fractional(node.right)
    return icepool.map(lambda a, b: int(RELATIONS[node.relation](a * n, b * m)), x, y)


@rounded.register
def _(node: pool.Pool):
    each = [rounded(die) for count, die in node.entries for _ in range(count)]
    return icepool.Pool(each)[node.drop_lowest : node.size - node.drop_highest].sum()


@rounded.register
def _(node: pool.Pattern):
    ((count, each),) = node.entries
    dice = icepool.Pool([rounded(each)] * count)
    if node.word == "straight":
        return dice.largest_straight()
    return (
        {"distinct": dice.unique(), "sets": dice // node.size}[node.word].size()
        if node.word != "matching"
        else dice.largest_count()
    )


@rounded.register
def _(node: pool.ExtraDice):
    more, fewer, roll = node.plus, node.minus, node.roll
    if not node.literal:
        more, fewer = max(more - fewer, 0), max(fewer - more, 0)
    count, each = (roll.count, roll.each) if isinstance(roll, die.Repeated) else (1, roll)
    return icepool.Pool([rounded(each)] * (count + more + fewer))[more : more + count].sum()


@rounded.register
def _(node: pool.Rerolled):
    if node.natural:
        return rerolled(icepool.d6, node.condition).map(lambda k: (k + 1) // 2)
    return rerolled(rounded(node.roll), node.condition)


@rounded.register
def _(node: pool.BestReroll):
    die = rounded(node.roll)
    threshold = die.mean() if node.target is None else node.target
    return rerolled(die, lambda k: k < threshold)


@rounded.register
def _(node: operations.Mixture):
    return icepool.Die(
        [rounded(value) for _, value in node.weighted], times=[weight for weight, _ in node.weighted]
    )


@rounded.register
def _(node: pool.Exploded):
    return rounded(node.die).explode({k for k in rounded(node.die) if node.condition(k)}, depth=node.rolls)


@rounded.register
def _(node: operations.Let):
    return rounded(node.value).map(lambda k: rounded(node.body.substitute(node.name, base.Constant(k))))


def rerolled(die, condition):
    # icepool divides by zero where every outcome is re-rolled; that is the same die
    return die if all(condition(k) for k in die) else die.reroll({k for k in die if condition(k)}, depth=1)


def distribution_of(die):
    total = die.denominator()
    return {k: Fraction(n, total) for k, n in die.items() if n}


@SETTINGS
@given(expressions)
def test_icepool_agrees_on_random_expressions(expression):
    assert points(expression.distribution(exact=True)) == distribution_of(rounded(expression))


@SETTINGS
@given(pools())
def test_closed_form_equals_sweep_equals_icepool(pool):
    swept = distribution_of(rounded(pool))
    assert points(pool.distribution(exact=True)) == swept
    (count, die), keep = pool.entries[0], 1
    weights, denominator = die.compute()._mass.weights()
    closed = kept_highest(weights, denominator, count, keep)
    assert closed.weights() == kept_between([(count, weights)], denominator**count, count - keep, 0).weights()


@SETTINGS
@given(st.data())
def test_words_behind_dice_are_those_of_icepool(data):
    count, sides = data.draw(st.integers(1, 4)), data.draw(st.integers(2, 8))
    number, face = data.draw(st.integers(1, count)), data.draw(st.integers(1, sides - 1))
    die = icepool.d(sides)
    low, rolls = {*range(1, face + 1)}, next(n for n in range(200) if sides ** (n + 1) >= 10**9)
    words = {
        f"kh{number}": lambda: die.highest(count, number),
        f"kl{number}": lambda: die.lowest(count, number),
        f"dl{number}dh0": lambda: die.highest(count, count - number) if number < count else None,
        f"mi{face}": lambda: count @ die.map(lambda k: max(k, face)),
        f"ma{face}": lambda: count @ die.map(lambda k: min(k, face)),
        f"r<={face}": lambda: count @ die.reroll(low, depth=1),
        f"rr<={face}": lambda: count @ die.reroll(low, depth="inf"),
        f"cs>{face}": lambda: count @ (die > face),
        f"cf<={face}": lambda: count @ (die <= face),
        f"cs>{face}f1": lambda: count @ die.map(lambda k: (k > face) - (k == 1)),
        f"!{face}": lambda: count @ die.explode({face}, depth=rolls),
        f"!!kh{number}": lambda: die.explode({sides}, depth=rolls).highest(count, number),
        f"xo{face}": lambda: count @ die.explode({face}, depth=1),
        f"r<={face}kl{number}": lambda: die.reroll(low, depth=1).lowest(count, number),
        "even": lambda: count @ (die % 2 == 0),
    }
    word = data.draw(st.sampled_from(sorted(words)))
    if (expected := words[word]()) is not None:
        assert points(dice(f"{count}d{sides}{word}").distribution(exact=True)) == distribution_of(expected)
