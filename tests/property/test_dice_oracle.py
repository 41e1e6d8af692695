"""icepool, an independent library, computes random expressions too."""

from __future__ import annotations

from fractions import Fraction
from functools import singledispatch

import icepool
from dice_strategies import SETTINGS, expressions, pools
from hypothesis import given
from translation import points

from mathhammer.arithmetic.pools import kept_between, kept_highest
from mathhammer.expressions import base, branching, die, operations, pool, reroll
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
    return die.map(lambda k: k // denominator if node.direction == "floor" else -(-k // denominator))


@rounded.register
def _(node: operations.Maximum):
    return icepool.map(greater, *map(rounded, node.values))


@rounded.register
def _(node: operations.Minimum):
    return icepool.map(smaller, *map(rounded, node.values))


@rounded.register
def _(node: operations.Comparison):
    (x, m), (y, n) = fractional(node.left), fractional(node.right)
    return icepool.map(lambda a, b: int(RELATIONS[node.relation](a * n - b * m)), x, y)


@rounded.register
def _(node: pool.Pool):
    each = [rounded(die) for count, die in node.entries for _ in range(count)]
    return icepool.Pool(each)[node.drop_lowest : node.size - node.drop_highest].sum()


@rounded.register
def _(node: pool.ExtraDice):
    return rounded(pool.Maximised(node.roll, node.plus, node.minus))


@rounded.register
def _(node: pool.Maximised):
    more, fewer, roll = node.maximised_times, node.minimised_times, node.roll
    if not node.literal:
        more, fewer = max(more - fewer, 0), max(fewer - more, 0)
    count, each = (roll.count, roll.each) if isinstance(roll, die.Repeated) else (1, roll)
    return icepool.Pool([rounded(each)] * (count + more + fewer))[more : more + count].sum()


@rounded.register
def _(node: reroll.Rerolled):
    if node.natural:
        return rerolled(icepool.d6, node.condition).map(lambda k: (k + 1) // 2)
    return rerolled(rounded(node.roll), node.condition)


@rounded.register
def _(node: reroll.BestReroll):
    die = rounded(node.roll)
    threshold = die.mean() if node.target is None else node.target
    return rerolled(die, lambda k: k < threshold)


@rounded.register
def _(node: branching.Mixture):
    return icepool.Die(
        [rounded(value) for _, value in node.weighted], times=[weight for weight, _ in node.weighted]
    )


@rounded.register
def _(node: branching.Exploded):
    return rounded(node.die).explode({k for k in rounded(node.die) if node.condition(k)}, depth=node.rolls)


@rounded.register
def _(node: branching.Let):
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
