"""The search for the cheapest units and their best order, against all orders of transitions drawn at random."""

import random
from itertools import permutations

import pytest

from mathhammer.errors import TooLargeError
from mathhammer.systems.wh40k.attacks.focus_order import Search

STATES = 5


def drawn(seed, kinds):
    """Transitions that never go back, of so many kinds of units."""
    dice = random.Random(seed)
    found = []
    for _ in range(kinds):
        rows = {STATES - 1: [(STATES - 1, 1.0)]}
        for place in range(STATES - 1):
            weights = [dice.choice([0, 0, 1, 2, 5]) for _ in range(place, STATES)]
            weights[0] += 1
            rows[place] = [(place + k, w / sum(weights)) for k, w in enumerate(weights) if w]
        found.append(rows)
    return found


def reached(transitions, order):
    state = {0: 1.0}
    for kind in order:
        after = {}
        for place, mass in state.items():
            for to, weight in transitions[kind][place]:
                after[to] = after.get(to, 0.0) + mass * weight
        state = after
    return state.get(STATES - 1, 0.0)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize(
    ("available", "costs", "later"),
    [
        ((1, 1, 1, 1), (1, 1, 1, 1), ()),
        ((2, 1, 2), (1, 1, 1), ()),
        ((1, 1, 1, 1), (3, 2, 2, 1), ()),
        ((1, 1, 1, 1), (1, 1, 1, 1), (True, False, True, False)),
        ((2, 1, 2), (2, 1, 1), (False, True, True)),
    ],
)
def test_it_finds_the_cheapest_units_and_the_best_order_of_these(seed, available, costs, later):
    transitions = drawn(seed, len(available))
    search = Search(transitions, available, costs, {0: 1.0}, STATES - 1, range(STATES), later)
    units = [kind for kind, count in enumerate(available) for _ in range(count)]
    orders = {order for number in range(1, len(units) + 1) for order in permutations(units, number)}
    if later:
        orders = {order for order in orders if sorted(order, key=later.__getitem__) == list(order)}
    for goal in (0.25, 0.5, 0.8):
        enough = {
            order: reached(transitions, order) for order in orders if reached(transitions, order) >= goal
        }
        found = search.cheapest(goal)
        if found is None:
            assert not enough
            continue
        cost = min(sum(costs[kind] for kind in order) for order in enough)
        best = max(chance for order, chance in enough.items() if sum(costs[kind] for kind in order) == cost)
        assert sum(costs[kind] for kind in found.order) == cost
        assert found.probability == pytest.approx(best, rel=1e-12)
        assert found.probability == pytest.approx(reached(transitions, found.order), rel=1e-12)


def test_of_equally_good_orders_the_one_that_is_likelier_done_soon_is_taken():
    weak, strong = {0: [(0, 0.75), (1, 0.25)], 1: [(1, 1.0)]}, {0: [(0, 0.5), (1, 0.5)], 1: [(1, 1.0)]}
    found = Search([weak, strong], (1, 1), (1, 1), {0: 1.0}, 1, range(2)).cheapest(0.6)
    assert (found.order, found.probability) == ((1, 0), 0.625)


def test_too_many_sets_are_refused():
    weak = {0: [(0, 0.99), (1, 0.01)], 1: [(1, 1.0)]}
    search = Search([dict(weak) for _ in range(30)], (1,) * 30, (1,) * 30, {0: 1.0}, 1, range(2))
    with pytest.raises(TooLargeError, match="name fewer units, or give the order"):
        search.cheapest(0.2)


def test_what_no_order_can_reach_needs_no_search():
    weak = {0: [(0, 0.99), (1, 0.01)], 1: [(1, 1.0)]}
    search = Search([dict(weak) for _ in range(30)], (1,) * 30, (1,) * 30, {0: 1.0}, 1, range(2))
    assert search.cheapest(0.9) is None
    assert search.best().proven is False
