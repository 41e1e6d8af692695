"""Random dice expressions and distributions, small enough to enumerate, with awkward ones among them."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

from mathhammer.distributions import Distribution
from mathhammer.expressions import operations, pool
from mathhammer.expressions.base import Constant, Expression
from mathhammer.expressions.check import FaceCondition
from mathhammer.expressions.die import Compound, Die, Faces, Repeated, faces

SETTINGS = settings(max_examples=100)

constants = st.integers(-4, 6).map(Constant)
dice = st.sampled_from((1, 2, 3, 3, 4, 6, 6, 6)).map(Die)
any_faces: st.SearchStrategy[Faces] = st.dictionaries(
    st.integers(-3, 5), st.integers(1, 4), min_size=1, max_size=4
).map(faces)
one_die = st.one_of(dice, dice, any_faces)
conditions = st.one_of(
    st.integers(0, 6).map(lambda k: FaceCondition("<", (k,))),
    st.integers(0, 6).map(lambda k: FaceCondition(">=", (k,))),
    st.sets(st.integers(-2, 6), min_size=1, max_size=3).map(lambda k: FaceCondition("=", tuple(sorted(k)))),
    st.sets(st.integers(-2, 6), min_size=1, max_size=2).map(lambda k: FaceCondition("!=", tuple(sorted(k)))),
)
rolls: st.SearchStrategy[Expression] = st.one_of(one_die, st.builds(Repeated, st.integers(1, 3), one_die))


@st.composite
def pools(draw: st.DrawFn) -> pool.Pool:
    entries = draw(st.lists(st.tuples(st.integers(1, 3), one_die), min_size=1, max_size=3))
    size = sum(count for count, _ in entries)
    low = draw(st.integers(0, size - 1))
    return pool.Pool(tuple(entries), low, draw(st.integers(0, size - 1 - low)))


@st.composite
def best_dice(draw: st.DrawFn) -> pool.BestReroll:
    count = draw(st.integers(1, 3))
    target = draw(st.none() | st.integers(-2, 12))
    return pool.BestReroll(Repeated(count, draw(one_die)), target, draw(st.integers(1, min(count, 2))))


@st.composite
def lets(draw: st.DrawFn, inner: st.SearchStrategy[Expression]) -> operations.Let:
    name = draw(st.sampled_from(("x", "y", "roll")))
    body = draw(inner)
    kind = draw(st.sampled_from((operations.Sum, operations.Difference, operations.Product)))
    left = draw(st.booleans())
    return operations.Let(
        name,
        draw(rolls),
        kind(operations.Variable(name), body)
        if left
        else kind(body, operations.Difference(operations.Variable(name), operations.Variable(name))),
    )


def _more(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.builds(operations.Sum, inner, inner),
        st.builds(operations.Difference, inner, inner),
        st.builds(operations.Product, inner, constants),
        st.builds(operations.Quotient, inner, st.integers(1, 4)),
        st.builds(operations.Rounded, inner, st.sampled_from(("floor", "ceil", "round"))),
        st.builds(operations.Extreme, st.tuples(inner, inner), st.sampled_from(("max", "min"))),
        st.builds(operations.Comparison, inner, st.sampled_from((">=", ">", "<=", "<", "=", "!=")), inner),
        st.builds(Repeated, st.integers(0, 2), inner),
        st.builds(
            lambda weighted: operations.Mixture(tuple(weighted)),
            st.lists(st.tuples(st.integers(1, 3), inner), min_size=1, max_size=2),
        ),
        lets(inner),
    )


leaves: st.SearchStrategy[Expression] = st.one_of(
    constants,
    rolls,
    pools(),
    st.builds(
        lambda word, count, die, size: pool.Pattern(word, ((count, die),), size if word == "sets" else 1),
        *(st.sampled_from(("distinct", "matching", "sets", "straight")), st.integers(1, 4), one_die),
        st.integers(1, 3),
    ),
    st.builds(pool.Rerolled, rolls, conditions),
    st.builds(pool.Rerolled, st.just(Die(3)), conditions, natural=st.just(value=True)),
    st.builds(pool.BestReroll, rolls, st.none() | st.integers(-2, 9)),
    st.builds(
        pool.Exploded,
        dice.filter(lambda die: die.sides > 1),
        st.just(FaceCondition(">=", (2,))),
        st.integers(0, 2),
        truncated=st.just(value=False),
    ),
    st.builds(Compound, dice, one_die),
    st.builds(
        pool.ExtraDice,
        st.sampled_from((Die(6), Repeated(2, Die(6)), Repeated(2, Die(3)))),
        st.integers(1, 2),
        st.integers(0, 2),
    ),
    st.builds(
        pool.Maximised,
        st.sampled_from((Die(6), Repeated(2, Die(6)), Die(3))),
        st.integers(1, 2),
        st.integers(0, 1),
        st.booleans(),
    ),
)

expressions: st.SearchStrategy[Expression] = st.recursive(leaves, _more, max_leaves=4).filter(
    lambda expression: expression.scaled_bounds()[1] - expression.scaled_bounds()[0] < 3000
)

#: Every kind of node, also those that other libraries lack.
all_expressions: st.SearchStrategy[Expression] = st.one_of(
    expressions,
    best_dice(),
    st.builds(pool.Given, rolls, st.just(FaceCondition(">=", (1,)))).filter(
        lambda e: e.roll.bounds()[1] >= 1
    ),
    st.builds(
        pool.Exploded,
        st.just(Die(6)),
        st.sampled_from((FaceCondition("=", (6,)), FaceCondition(">=", (5,)))),
        st.integers(0, 3),
        truncated=st.just(value=True),
    ),
)

weights = st.dictionaries(st.integers(-6, 8), st.integers(1, 9), min_size=1, max_size=6)


def distribution(exact: bool) -> st.SearchStrategy[Distribution]:  # noqa: FBT001
    return weights.map(lambda found: Distribution.from_weights(found, exact=exact))


exact_distributions = distribution(exact=True)
