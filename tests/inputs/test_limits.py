"""Work that would not fit is refused before anything of its size is built."""

from __future__ import annotations

import copy
import math
import pickle
import tracemalloc

import numpy as np
import pytest
from tenth import wh40k

from mathhammer import dice, distribution, from_text
from mathhammer.characteristics import Characteristic, CharacteristicRules
from mathhammer.distributions import Distribution, maximum, minimum, mixture, product
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.expressions import faces
from mathhammer.modifiers import Modifier

pytestmark = pytest.mark.slow

BOTH = pytest.mark.parametrize("exact", [False, True])
#: What a refusal may take: the tree of a text, and the faces of one large die.
MEGABYTES = 60


def refused(act, error=TooLargeError, match="expected"):
    """Require an error before much memory was used; a limit that is asked too late would not end."""
    tracemalloc.start()
    try:
        with pytest.raises(error, match=match) as caught:
            act()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MEGABYTES << 20
    assert len(str(caught.value)) < 1000
    return caught.value


TEXTS = [
    *("highest(3 of 999999999D6)", "lowest(3 of 999999999D6)", "drop(1 lowest, 1 highest of 999999999D6)"),
    *(
        "highest(999999999 of 999999999D6)",
        "highest(3 of 99999999D6, 99999999D8)",
        "drop(1 lowest, 1 highest of 999999D{0}, 5D6)",
    ),
    *(
        "2D6[-1000000 DICE]",
        "2D6[+999999999 DICE]",
        "2D6[-999999999 DICE]",
        "2D6[maximised 999999999]",
        "2D6[minimised 999999999]",
    ),
    *("2D6[maximised 999999999, minimised 999999998, literal]", "highest(1 of (D6+900000000), D6)"),
    *("max(D2000000, D2000000)", "min(D2000000, D2000000)", "mixture(1: D2000000, 1: D2000000)"),
    *(
        "reroll(1 best of 999999999D{0})",
        "reroll(999999999 best of 999999999D6)",
        "reroll(9999 best of 99999D{0})",
    ),
    *(
        "let x = D2000000 in x",
        "let x = D{0, 1999999} in x",
        "2(explode(D6, 6, depth 999999))",
        "1000000(D6×999999)",
    ),
    *(
        "×".join(["999999999"] * 40),
        "D6+" + "×".join(["999999999"] * 3),
        "explode(D{0}, 0, at most 999999999)",
    ),
    *("(D1000000)(D{0, 1})", "999999999(D6)", "max(" + ", ".join(["D399999"] * 40) + ")"),
    *("D400001", "D{5, 999983, 123456}", "(D3000)×(D600)", "max(D400000, D400000)"),
    *("drop(3 lowest, 7 highest of 100D20)", "reroll(12 best of 30D10)"),
]


@BOTH
@pytest.mark.parametrize("text", TEXTS)
def test_a_short_text_that_would_never_end(text, exact):
    refused(lambda: distribution(text, exact=exact))
    refused(lambda: from_text(f"mathhammer 1: dice{', exact' * exact}\ndice: {text}\nend"), MathhammerError)


def test_two_equal_dice_of_far_faces():
    dist = distribution("2(D{0,170000})", exact=True)  # two bits a coefficient: that fits
    assert [dist.pmf(170000 * k) for k in range(3)] == [
        1 / dist.pmf(0) ** 0 / 4,
        2 * dist.pmf(0),
        dist.pmf(0),
    ]


def test_what_one_arithmetic_has_only():
    refused(lambda: distribution("20000D6", exact=True))
    dist = distribution("1000D6", exact=True)  # symmetric; the logarithm of the weight 1 is 0
    refused(dist.entropy, match="at most 1,000 different probabilities, got 2,500; to_floats")
    assert dist.to_floats().entropy() == pytest.approx(
        math.log(2 * math.pi * math.e * 1000 * 35 / 12) / 2, 1e-4
    )


@BOTH
def test_what_fits_still_does(exact):
    assert distribution("(999999999)D{0}", exact=exact).support == range(1)
    assert distribution("highest(3 of 100000D6)", exact=exact).support[-1] == 18
    assert distribution("D400000", exact=exact).support[-1] == 400_000
    assert distribution("let x = 10D6 in x+(x)D3", exact=exact).support == range(20, 241)


def test_more_dice_than_whole_numbers_can_hold_are_refused_in_floats_too():
    refused(lambda: distribution("50000D6"))


def doubled(times):
    tree = dice("D6")
    for _ in range(times):
        tree = tree + tree
    return tree


@pytest.mark.parametrize("times", [20, 40, 2000])
def test_a_tree_that_holds_itself_twice(times):
    tree = doubled(times)
    assert len(repr(tree)) < 100
    for act in (
        tree.distribution,
        lambda: str(tree),
        lambda: distribution(tree),
        lambda: (
            faces([1]).distribution()
            if tree is None
            else dice("max(D6, 1)").compare(">=", tree).distribution()
        ),
        lambda: wh40k.Weapon("Gun", range="", attacks=tree, skill=3, strength=4, ap=0, damage=1),
        lambda: wh40k.Volley(
            wh40k.Weapon("Gun", range="", attacks=1, skill=3, strength=4, ap=0, damage=tree), 1
        ),
        lambda: Characteristic(tree, CharacteristicRules("A", least=1)).value,
        tree._repr_html_,
    ):
        refused(act)


def test_a_tree_of_many_parts_that_fits():
    assert doubled(7).distribution().support == range(128, 769)


def test_a_tree_is_copied_with_its_size():
    for tree in (doubled(3), dice("let x = D6 in x×x"), dice("highest(3 of 4D6)"), dice("D{0, 1:2}")):
        for again in (
            pickle.loads(pickle.dumps(tree)),  # noqa: S301 - our own
            copy.copy(tree),
            copy.deepcopy(tree),
        ):
            assert again == tree
            assert (again._size, again._depth) == (tree._size, tree._depth)


def test_a_chain_too_deep_is_not_written():
    tree = dice("D6")
    for _ in range(5000):
        tree = tree + 1
    refused(lambda: str(tree), match="1000 @ D6")
    assert "10,001" in repr(tree) or "10001" in repr(tree)


HUGE = 10**5000


@BOTH
def test_numbers_that_no_vector_can_hold(exact):
    die = distribution("D6", exact=exact)
    for act in (
        lambda: die.map(lambda face: 10 ** (20 * face)),
        lambda: die.map(lambda face: face * 10**9),
        lambda: die.map(lambda _: HUGE),
        lambda: die.joint(face=lambda face: face).map(lambda face: face * 10**12),
        lambda: die + HUGE,
        lambda: die - HUGE,
        lambda: HUGE - die,
        lambda: die.repeat(HUGE),
        lambda: die.repeat(10**9),
        lambda: Distribution.from_weights({1: 1, 10**9: 1}, exact=exact),
        lambda: Distribution.from_weights({HUGE: 1}, exact=exact),
        lambda: product(die + 10**9, die + 10**9),
        lambda: mixture([1, 1], [die, die + 10**9]),
        lambda: maximum(die, distribution("D6", exact=exact) - 10**9).map(lambda k: k * 10**8),
        lambda: minimum(die + 10**15, -die - 10**15).map(lambda k: k * 10**3),
        lambda: (die + 10**6).compound(die + 10**6),
        lambda: die.compound(die + 10**9),
        lambda: (dice("D6") + HUGE).distribution(exact=exact),
        lambda: (dice("D6") * HUGE).distribution(exact=exact),
        lambda: (HUGE @ dice("D6")).distribution(exact=exact),
        lambda: faces({1: 1, HUGE: 1}).distribution(exact=exact),
    ):
        refused(act, MathhammerError)


def test_a_tree_with_numbers_of_many_digits_is_not_written():
    for tree in (HUGE @ dice("D6"), dice("D6") / HUGE, dice("D6").explode(6, depth=HUGE), faces({HUGE: 1})):
        refused(lambda tree=tree: str(tree))


def test_numbers_of_many_digits_in_messages():
    for act in (
        lambda: Distribution({HUGE: 1}),
        lambda: Distribution({1: HUGE}),
        lambda: Distribution({1: -HUGE}),
        lambda: Distribution.from_weights({1: -HUGE}),
        lambda: Distribution.from_weights(dict.fromkeys(range(100000), -1)),
        lambda: distribution("D6").icdf(HUGE),
        lambda: distribution("D6").moment(HUGE),
        lambda: distribution("D6").moment(-HUGE),
        lambda: distribution("D6").cumulant(HUGE),
        lambda: dice("D6") / -HUGE,
        lambda: (-HUGE) @ dice("D6"),
        lambda: dice("4D6").keep_highest(HUGE),
        lambda: dice("2D6").with_dice(plus=-HUGE),
        lambda: dice("2D6").reroll_best(dice=HUGE),
        lambda: dice("D6").explode(6, depth=-HUGE),
        lambda: Modifier("divide", -HUGE, "rule"),
        lambda: Modifier("improve", -HUGE, "rule"),
        lambda: Modifier("x" * 10**6, 1, "rule"),
        lambda: Modifier("add", "x" * 10**6, "y" * 10**6),
        lambda: dice(["x"] * 10**6),
        lambda: dice("D6").reroll(["x"] * 10**6),
        lambda: dice("D6").compare("x" * 10**6, 3),
        lambda: wh40k.Target("Unit", toughness=HUGE, save=HUGE, wounds=-HUGE),
        lambda: wh40k.Target("Unit", toughness=4, save="x" * 10**6, wounds=1),
        lambda: wh40k.Weapon("x" * 10**6 + "\n", range="", attacks=1, skill=3, strength=4, ap=0, damage=1),
        lambda: wh40k.Weapon("Gun", range="x" * 10**6, attacks=1, skill=3, strength=4, ap=0, damage=1),
        lambda: wh40k.Weapon("Gun", range="", attacks=HUGE, skill=3, strength=4, ap=0, damage=1),
        lambda: wh40k.Weapon("Gun", range="", attacks=1, skill=3, strength=4, ap=HUGE, damage=1),
        lambda: wh40k.Weapon("Gun", range="", attacks=1, skill=3, strength=4, ap="x" * 10**6, damage=1),
        lambda: wh40k.Volley("x" * 10**6),
        lambda: wh40k.attack(RIFLE, MARINES, critical_hit=HUGE),
        lambda: wh40k.attack(RIFLE, MARINES, reroll_hits="x" * 10**6),
        lambda: wh40k.attack(RIFLE, MARINES, **{"x" * 10**6: 1}),
    ):
        refused(act, MathhammerError)


def deep(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


def test_values_of_values_in_messages():
    itself = []
    itself.append(itself)
    for value in (
        deep(100_000),
        itself,
        {"x": deep(3000)},
        np.arange(10**6) / 2,
        np.zeros((1000, 1000)),
        object,
    ):
        for act in (
            lambda value=value: dice(value),
            lambda value=value: Distribution(value),
            lambda value=value: Distribution.from_dict(value),
            lambda value=value: faces(value).distribution(),
            lambda value=value: Modifier("add", value, "rule"),
            lambda value=value: dice("D6") + value,
            lambda value=value: wh40k.Target("Unit", toughness=value, save=3, wounds=1),
            lambda value=value: wh40k.attack(RIFLE, MARINES, hit_modifier=value),
        ):
            with pytest.raises(MathhammerError) as caught:
                act()
            assert len(str(caught.value)) < 1000


RIFLE = wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP-1 D1")
MARINES = wh40k.Target.parse("Marines: 5x T4 Sv3+ W2")
LONG = 100_000


@pytest.mark.parametrize(
    "text",
    [
        "x" * LONG,
        "x" * LONG + ": A2 BS3+ S4 AP-1 D1",
        "Rifle: " + " " * LONG + "A2 BS3+ S4 AP-1 D1",
        "Rifle: A2 BS3+ S4 AP-1 D1 [" + "HEAVY, " * LONG + "]",
        "Rifle: A" + "1" * LONG,
        "Rifle: A" + "1+" * LONG,
        "[" * LONG,
        ":" * LONG,
        "\0" * LONG,
    ],
)
def test_lines_have_a_greatest_length(text):
    for read in (wh40k.Weapon.parse, wh40k.Target.parse, wh40k.parse_keywords, dice):
        refused(lambda read=read: read(text), MathhammerError, "at most|expected")
    refused(lambda: wh40k.parse_keywords("HEAVY, " * LONG), MathhammerError, "at most")
    refused(
        lambda: wh40k.Target.parse("T4 Sv3+ W2 [" + "INFANTRY, " * LONG + "]"), MathhammerError, "at most"
    )
    refused(
        lambda: wh40k.Weapon.parse("Rifle: " + " " * LONG + "A2 BS3+ S4 AP-1 D1"), MathhammerError, "at most"
    )
    refused(
        lambda: wh40k.Target("x", toughness=4, save=3, wounds=1, keywords="A " * LONG),
        MathhammerError,
        "at most",
    )


def test_a_text_has_a_greatest_length():
    refused(
        lambda: from_text("mathhammer 1: dice\n" + "\n" * 30_000_000 + "dice: D6\nend"),
        MathhammerError,
        "at most",
    )
    for text in (
        "mathhammer 1: dice\n" + "> " * 200_000 + "\nend",
        "mathhammer " + "1" * 200_000,
        "(" * 200_000,
    ):
        refused(lambda text=text: from_text(text), MathhammerError)
