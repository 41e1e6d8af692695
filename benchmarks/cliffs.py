"""Questions that once took seconds or were refused: the cliffs of the attack engine.

Run ``python benchmarks/cliffs.py``: each question is asked in a process of its own. Shown are its seconds of CPU time,
its cost in multiples of a piece of work that is done before and after it, so that a busy machine and another one
differ less, and the greatest memory beyond that after an attack in either arithmetic. With ``--gate`` it counts calls
instead, and fails where a question makes more than in the baseline (see ``gate.py``), takes more than 100 MiB, or is
refused; those that are to be refused at once are marked. ``--only TEXT`` asks those whose names contain a text.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from multiprocessing import get_context
from typing import TYPE_CHECKING, NamedTuple

from gate import Cost, add_options, calls_of, finish
from measure import markdown

from mathhammer import analysis, distribution, t9a, wh40k
from mathhammer.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Most MiB of a question.
MEMORY = 100.0

EDITION = "10e"


class Answer(NamedTuple):
    """What a question took: seconds and multiples of the reference, or calls; MiB; why it was refused."""

    seconds: float
    cost: float
    memory: float
    refusal: str
    calls: dict[str, int]


def weapon(name: str, text: str) -> wh40k.Weapon:
    """Return a weapon of a stat line."""
    return wh40k.Weapon.parse(f"{name}: {text}")


#: Four weapons of six attacks, which may be directed at leaders.
LINES = (
    '24" A6 BS3+ S4 AP-1 D1 [PRECISION]',
    '24" A6 BS3+ S5 AP-2 D2 [PRECISION]',
    '24" A6 BS4+ S6 AP0 D1 [PRECISION]',
    '24" A6 BS3+ S4 AP-1 D3 [PRECISION]',
)


def precise(models: int, **keywords: object) -> list[wh40k.Volley]:
    """Return four volleys of so many models."""
    return [wh40k.Volley(weapon(f"gun {n}", line), models, **keywords) for n, line in enumerate(LINES)]


def kind(name: str, save: str, wounds: int, models: int = 1, **keywords: object) -> wh40k.Target:
    """Return one kind of models."""
    return wh40k.Target(name, toughness=4, save=save, wounds=wounds, models=models, **keywords)


def two_leaders(allocation: str = "given") -> wh40k.TargetUnit:
    """17 + 2 + 1 models with two leaders."""
    return wh40k.TargetUnit(
        "squad",
        [kind("trooper", "3+", 2, 17), kind("gunner", "4+", 2, 2), kind("sergeant", "3+", 1)],
        [
            kind("captain", "2+", 6, invulnerable="4+"),
            kind("medic", "3+", 5, feel_no_pain="5+"),
        ],
        allocation=allocation,
    )


def three_leaders() -> wh40k.TargetUnit:
    """Three kinds of models with three leaders."""
    return wh40k.TargetUnit(
        "squad",
        [kind("trooper", "3+", 2, 7), kind("gunner", "4+", 2, 2), kind("sergeant", "3+", 3)],
        [kind("captain", "2+", 6), kind("medic", "3+", 5), kind("ancient", "3+", 4)],
    )


def four_kinds() -> wh40k.TargetUnit:
    """Four kinds of four models."""
    saves = ("3+", "4+", "5+", "6+")
    return wh40k.TargetUnit(
        "squad", [kind(f"kind {n}", save, 1 + n % 2, 4) for n, save in enumerate(saves)], allocation="best"
    )


def precision(*, exact: bool) -> object:
    """Twenty models with four weapons, all of Precision."""
    return wh40k.attack(precise(20), two_leaders(), edition=EDITION, exact=exact).kills


def three_kinds() -> object:
    """One Precision weapon at three leaders."""
    return wh40k.attack(precise(10)[:1], three_leaders(), edition=EDITION, exact=True).kills


def in_turn(*, exact: bool) -> object:
    """Ten units one after another."""
    units = [precise(5) for _ in range(10)]
    return wh40k.activations(units, two_leaders(), edition=EDITION, exact=exact)[-1].result.kills


def best(*, exact: bool) -> object:
    """The defender's best allocation of 480 attacks."""
    return wh40k.attack(precise(20, precision=False), two_leaders("best"), edition=EDITION, exact=exact).kills


def best_of_11th() -> object:
    """The defender's best allocation of 18 guns of two kinds in the 11th edition."""
    guns = [weapon("rifle", '24" A2 BS3+ S4 AP-1 D1'), weapon("plasma", '24" A1 BS3+ S7 AP-2 D2')]
    volleys = [wh40k.Volley(gun, count) for gun, count in zip(guns, (10, 8), strict=True)]
    return wh40k.attack(volleys, two_leaders("best"), edition="11e").kills


def best_of_four() -> object:
    """The best allocation among four kinds."""
    return wh40k.attack(precise(3, precision=False)[0], four_kinds(), edition=EDITION).kills


def devastating(attacks: int, sustained: str, *, exact: bool) -> object:
    """Devastating wounds against another Feel No Pain than that of other wounds, which come first."""
    keywords = f"[DEVASTATING WOUNDS, SUSTAINED HITS {sustained}]"
    one = weapon("weapon", f'24" A{attacks} BS3+ S5 AP-1 DD3 {keywords}')
    target = wh40k.Target(
        "target", toughness=4, save="3+", wounds=3, models=20, feel_no_pain="5+", feel_no_pain_mortal="4+"
    )
    return wh40k.attack(one, target, edition=EDITION, exact=exact).kills


#: Attacks, Strength, AP and Damage of eight weapons.
EIGHT = (
    *((10, 4, 0, "1"), (8, 5, -1, "2"), (6, 6, -2, "D3"), (10, 4, 0, "2")),
    *((4, 8, -1, "D6"), (12, 3, -2, "1"), (6, 7, 0, "3"), (5, 9, -1, "D3+1")),
)


def different(number: int, keywords: str = "") -> list[wh40k.Weapon]:
    """Return so many different weapons."""
    return [
        weapon(f"weapon {place}", f'24" A{attacks} BS3+ S{strength} AP{ap} D{damage} {keywords}'.rstrip())
        for place, (attacks, strength, ap, damage) in enumerate(EIGHT[:number])
    ]


def several(number: int, *, exact: bool) -> object:
    """Several different Devastating weapons, whose wounds wait for all of them."""
    target = wh40k.Target(
        "target", toughness=4, save="3+", wounds=3, models=10, feel_no_pain="5+", feel_no_pain_mortal="4+"
    )
    return wh40k.attack(different(number, "[DEVASTATING WOUNDS]"), target, edition=EDITION, exact=exact).kills


def what_if() -> object:
    """Every change to eight different weapons."""
    target = wh40k.Target("target", toughness=4, save="3+", wounds=3, models=10)
    return analysis.what_if(different(8), target, edition=EDITION)


def horde(attacks: int, wounds: int, models: int, damage: str, *, exact: bool) -> object:
    """Attacks on many equal models, or on large ones."""
    one = weapon("weapon", f'24" A{attacks} BS3+ S5 AP-1 D{damage}')
    target = wh40k.Target("target", toughness=4, save="4+", wounds=wounds, models=models)
    return wh40k.attack(one, target, edition=EDITION, exact=exact).kills


def order(number: int) -> object:
    """The best order of different weapons."""
    target = wh40k.Target("target", toughness=4, save="3+", wounds=3, models=10)
    return wh40k.best_order(different(number), target, edition=EDITION).result.kills


def in_order() -> object:
    """60 damage dice in the order that is best for the defender, and for the attacker."""
    one = weapon("weapon", '24" A60 BS3+ S6 AP-1 DD3')
    return wh40k.fast_roll_check(one, kind("target", "3+", 3, 20), edition=EDITION).for_defender


def saved_in_groups() -> object:
    """A hundred weapons of Precision against groups that save differently, in the 11th edition."""
    one = weapon("weapon", '24" A2 BS5+ S3 AP0 D1 [PRECISION]')
    return wh40k.attack(one, two_leaders(), count=100, edition="11e", exact=True).kills


def turn() -> object:
    """70 models who shoot at 70 others, charge and fight them."""
    unit = kind("unit", "3+", 2, 70)
    gun, sword = weapon("gun", '24" A2 BS3+ S4 AP-1 D1'), weapon("sword", "Melee A2 WS3+ S4 AP-1 D1")
    side = wh40k.Combatant(unit, shooting=wh40k.Volley(gun, 70), melee=wh40k.Volley(sword, 70))
    return wh40k.turn(side, side, distance=7, exact=True).kills


def men(models: int, agility: int = 3, **keywords: object) -> t9a.Unit:
    """Infantry of The 9th Age of whom 20 strike."""
    body = t9a.Target("men", models=models, resilience=3, defensive_skill=3, armour=2)
    part = t9a.ModelPart("men", models=20, strength=3, offensive_skill=3, agility=agility)
    return t9a.Unit(body, () if "alternatives" in keywords else part, rank_width=5, **keywords)


def rounds_of_combat(models: int, agility: int = 3) -> object:
    """Five rounds of combat of so many models against as many of The 9th Age."""
    return t9a.rounds_of_combat(men(models, agility), men(models), exact=True).losses


def best_weapon() -> object:
    """Three rounds of 20 models, who choose between sword and great weapon, against 30."""
    weapons = ["20 x 1 attacks, Off 3, Str 3, Agi 4", "20 x 1 attacks, Off 3, Str 5, Agi 0"]
    return t9a.rounds_of_combat(men(20, alternatives=weapons), men(30), rounds=3, best="first").losses


def knights() -> object:
    """Three rounds of Knights with a Champion and a lord, who have charged 25 models."""
    riders = t9a.Target("knights", models=6, resilience=3, defensive_skill=4, armour=4, champion=1)
    lord = t9a.Target("lord", health_points=3, resilience=4, defensive_skill=6, armour=4)
    parts = [
        t9a.ModelPart("lances", models=5, strength=5, offensive_skill=4, agility=4),
        t9a.ModelPart("lance", attacks=2, strength=5, offensive_skill=4, agility=4, of="champion"),
        t9a.ModelPart("sword", attacks=4, strength=5, offensive_skill=6, agility=6, of="lord"),
        t9a.ModelPart("horses", models=6, strength=3, offensive_skill=3, agility=3),
    ]
    unit = t9a.Unit(riders, parts, characters=[lord], rank_width=3, charging=True)
    return t9a.rounds_of_combat(unit, men(25), rounds=3, exact=True).losses


QUESTIONS: dict[str, Callable[[], object]] = {
    "20 x 6 x 4 with Precision into 17+2+1 with two leaders, exact": lambda: precision(exact=True),
    "three kinds and three leaders, one Precision weapon, exact": three_kinds,
    "ten units of four Precision weapons in turn, exact": lambda: in_turn(exact=True),
    "best allocation, 20 x 6 x 4 into 17+2+1 with two leaders": lambda: best(exact=True),
    "best allocation of the 11th, 18 guns into 17+2+1 with two leaders": best_of_11th,
    "best allocation, four kinds of four models": best_of_four,
    "100 Devastating, Sustained D6, another Feel No Pain, exact": lambda: devastating(100, "D6", exact=True),
    "300 Devastating, Sustained D3, another Feel No Pain, exact": lambda: devastating(300, "D3", exact=True),
    "three different Devastating weapons, exact": lambda: several(3, exact=True),
    "four different Devastating weapons, exact": lambda: several(4, exact=True),
    "eight different Devastating weapons, exact": lambda: several(8, exact=True),
    "what_if on eight different weapons": what_if,
    "60 attacks into 500 x W3, exact": lambda: horde(60, 3, 500, "D3", exact=True),
    "60 attacks into ten models of W300, exact": lambda: horde(60, 300, 10, "D6", exact=True),
    "60 attacks into ten models of W10, exact": lambda: horde(60, 10, 10, "D3", exact=True),
    "1,000 attacks into ten models of W10, exact": lambda: horde(1000, 10, 10, "D3", exact=True),
    "best_order of six weapons": lambda: order(6),
    "best_order of seven weapons": lambda: order(7),
    "damage dice in the best order, 60 of D3": in_order,
    "a sum of up to 1,000 copies of D6-D6, exact": lambda: distribution("(D1000)(D6-D6)", exact=True),
    "100 Precision weapons of the 11th edition, two leaders, exact": saved_in_groups,
    "a turn of 70 against 70 models, exact": turn,
    "five rounds of The 9th Age, 20 against 20, exact": lambda: rounds_of_combat(20),
    "five rounds of The 9th Age, 40 against 40 at once, exact": lambda: rounds_of_combat(40),
    "five rounds of The 9th Age, 60 against 60, exact": lambda: rounds_of_combat(60, 4),
    "three rounds of The 9th Age, the best of two weapons": best_weapon,
    "three rounds of The 9th Age, Knights with a lord, exact": knights,
}


#: Those that are too large, and are to say so at once.
REFUSED = {"eight different Devastating weapons, exact"}


def reference() -> None:
    """Make some work as the walks do, in dictionaries and long integers."""
    counts: dict[tuple[int, int], int] = {}
    for number in range(60_000):
        key = number % 997, number % 91
        counts[key] = counts.get(key, 0) + number
    product = 3**4_000
    for _ in range(60):
        product = product * 7**4_000 >> 11_000


def of_reference() -> float:
    """Least CPU seconds of the reference."""
    least = float("inf")
    for _ in range(3):
        start = time.process_time()
        reference()
        least = min(least, time.process_time() - start)
    return least


def memory() -> float:
    """Return the most MiB that this process has taken."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def refusal(name: str) -> str:
    """Ask one question; return why it was refused."""
    try:
        QUESTIONS[name]()
    except TooLargeError as error:
        return str(error)
    return ""


def answered(name: str, *, count: bool) -> Answer:
    """Answer one question, in a process in which none was answered before."""
    taken, refused = memory(), ""
    if count:

        def work() -> None:
            nonlocal refused
            refused = refusal(name)

        calls = calls_of(work)
        return Answer(0.0, 0.0, memory() - taken, refused, calls)
    before, start = of_reference(), time.process_time()
    refused = refusal(name)
    seconds = time.process_time() - start
    more = memory() - taken
    return Answer(seconds, 2 * seconds / (before + of_reference()), more, refused, {})


def answers(names: Sequence[str], *, count: bool) -> dict[str, Answer]:
    """Return the answers, each from a process of its own that begins with what one attack loads."""
    found = {}
    for name in names:
        with get_context("fork").Pool(1) as pool:
            found[name] = pool.apply(answered, (name,), {"count": count})
    return found


def main() -> int:
    """Print the table; with ``--gate``, say by the exit status whether every question holds the limits."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser)
    parser.add_argument("--only", default="", metavar="TEXT", help="ask the questions whose names contain it")
    options = parser.parse_args()
    for exact in (True, False):
        warm = wh40k.attack(
            weapon("w", "A1 WS3+ S4 AP0 D1"), kind("t", "3+", 1, 70), edition=EDITION, exact=exact
        )
        warm.kills.mean()
    counted = options.gate or options.record
    found = answers([name for name in QUESTIONS if options.only in name], count=counted)
    if not counted:
        rows = [
            (
                name,
                f"{each.seconds:.3f}",
                f"{each.cost:.2f}",
                f"{each.memory:.1f}",
                each.refusal and "refused",
            )
            for name, each in found.items()
        ]
        print(markdown(("question", "seconds of CPU", "cost", "MiB", ""), rows), "", sep="\n")
    if options.only:
        return 0
    costs = {name: Cost(each.cost, 0.0) for name, each in found.items() if not each.refusal}
    status = finish(
        "cliffs", options, lambda: costs, {name: each.calls for name, each in found.items() if each.calls}
    )
    worse = [
        name
        for name, each in found.items()
        if each.memory > MEMORY or bool(each.refusal) is not (name in REFUSED)
    ]
    for name in worse:
        print(f"more than {MEMORY:.0f} MiB, or not as it should be refused: {name}")
    return int(bool(status) or (options.gate and bool(worse)))


if __name__ == "__main__":
    sys.exit(main())
