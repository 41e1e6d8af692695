"""Numbers of dice beside the state of a chain, by enumeration of the dice."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import Any

from sympy import Rational

from mathhammer import distribution
from mathhammer.arithmetic.transition import Transition
from mathhammer.distributions.counted import Counted
from mathhammer.distributions.kernel import Kernel, Measure
from mathhammer.distributions.walk import Walk

#: Faces 1-2 move a model on by two wounds, 3-4 by one, 5-6 do nothing; the last state is the end.
MOVES = {1: 2, 2: 2, 3: 1, 4: 1, 5: 0, 6: 0}
STATES = 5
HELD: frozenset[str] = frozenset()


def step(by: int, rerolls: frozenset[str] = HELD) -> Kernel[Any]:
    rows = [{min(STATES - 1, state + by): 1} for state in range(STATES)]
    return Kernel({(HELD, HELD): Transition(rows, 1)}, rerolls)


def enumerated(numbers: dict[int, Rational], start: int = 0) -> list[Any]:
    """Two equal dice do the same, whichever comes first: the lowest ones do here, until a model that blocks 1s dies."""
    mass: dict[int, Any] = defaultdict(lambda: Rational(0))
    for number, chance in numbers.items():
        for faces in product(range(1, 7), repeat=number):
            state = start
            for face in sorted(faces):
                # From state 2 on a low face does what a middle one does before: the order of the dice matters.
                state = min(STATES - 1, state + (MOVES[face] if state < 2 else 2 - MOVES[face]))
            mass[state] += chance / 6**number
    return [mass[state] for state in range(STATES)]


def kernel(face: int) -> Kernel[Any]:
    rows = [
        {min(STATES - 1, state + (MOVES[face] if state < 2 else 2 - MOVES[face])): 1}
        for state in range(STATES)
    ]
    rows[-1] = {STATES - 1: 1}
    return Kernel.of(Transition(rows, 1))


def chances(counted: Counted) -> list[Any]:
    return [counted.blocks[HELD].to_mass()[state] for state in range(STATES)]


def test_dice_from_the_lowest_up() -> None:
    number = [(HELD, HELD, Measure.of(distribution("D3", exact=True)))]
    dice = Counted(Walk(0, STATES).blocks).opened(number, (4,))
    low = dice.spend(kernel(1), 2, 6)
    found = low.spend(kernel(3), 2, 4).spend(kernel(5))
    assert chances(found) == enumerated({count: Rational(1, 3) for count in (1, 2, 3)})


def test_one_number_beside_another() -> None:
    """Of two dice each is of the first number or of the second: one wound each, then two wounds each."""
    # Row 3a + b is a of the first and b of the second: (2, 0), (1, 1) and (0, 2) with 1/4, 1/2 and 1/4.
    joint = Measure.from_weights([0, 0, 1, 0, 2, 0, 1], 4)
    both = Counted(Walk(0, STATES).blocks).opened([(HELD, HELD, joint)], (3, 3))
    for rerolls in HELD, frozenset({"used up"}):
        part = both.spend(step(1, rerolls), 1, 2)
        found = [chances(made.spend(step(1, rerolls)).spend(step(2))) for made in (both, part)]
        assert found == [[Rational(n, 4) for n in (0, 0, 1, 2, 1)]] * 2
        assert [16 * each for each in chances(part.spend(None).spend(None))] == [9, 6, 1, 0, 0]
    none, some = both.without_first()
    assert sum(chances(none.spend(None).spend(None))) == Rational(1, 4)
    assert sum(chances(some.spend(None).spend(None))) == Rational(3, 4)


def test_parts_of_the_states() -> None:
    whole = Counted(Walk(distribution("D3", exact=True), STATES).blocks)
    assert whole.occupied() == [1, 2, 3]
    parts = [(whole.within([1, 3], [1, 3, 4]), [1, 3, 4]), (whole.within([2], [2]), [2])]
    assert [part.occupied() for part, _ in parts] == [[0, 1], [0]]
    assert chances(Counted.gathered(parts, STATES)) == chances(whole)
