"""The 9th Age played at the table: every die of an attack is rolled to each of its faces, with exact fractions.

Nothing here comes from the package. One attack is played die by die; attacks are independent, so their counts are
added by plain convolution, and the target's pool is looked at last.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction

Roll = Callable[[], int]
Counts = tuple[int, int, int, int]  # hits, wounds, unsaved wounds, damage


@dataclass(frozen=True)
class Attack:
    """One attack, and what it strikes; needs are before modifiers, `modifier` is that of the to-hit roll."""

    kind: str = "melee"
    hit: int = 4
    modifier: int = 0
    strength: int = 4
    penetration: int = 0
    resilience: int = 4
    armour: int = 0
    aegis: int | None = None
    fortitude: int | None = None
    hit_points: int = 1
    multiple: str = "1"
    poison: bool = False
    battle_focus: bool = False
    lethal: bool = False
    divine: bool = False
    flaming: bool = False
    flammable: bool = False
    magical: bool = False
    aegis_against: str = ""  # "melee", "ranged" or "magical" attacks only
    clipped_wings: bool = False
    flies: bool = False
    multiple_against: str = ""  # "fly" or "aegis": Multiple Wounds against such models only
    hatred_against: str = (
        ""  # "fly" or "aegis": failed to-hit rolls of melee against such models are rerolled
    )
    reroll_hits: str | None = None
    reroll_wounds: str | None = None
    reroll_armour: str | None = None
    reroll_special: str | None = None
    reroll_aegis: str | None = None


def enumerated(play: Callable[[Roll], Hashable]) -> dict[Hashable, Fraction]:
    """The distribution of what a game comes to, found by playing it with every sequence of dice."""
    distribution: dict[Hashable, Fraction] = defaultdict(Fraction)
    script: list[int] = []
    while True:
        used = 0

        def roll() -> int:
            nonlocal used
            if used == len(script):
                script.append(1)
            used += 1
            return script[used - 1]

        distribution[play(roll)] += Fraction(1, 6**used)
        del script[used:]
        while script and script[-1] == 6:
            script.pop()
        if not script:
            return dict(distribution)
        script[-1] += 1


def thrown(roll: Roll, passes: Callable[[int], bool], reroll: str | None) -> int:
    """A die, rerolled once where that is allowed; the second face stands."""
    face = roll()
    if (reroll == "ones" and face == 1) or (reroll == "failed" and not passes(face)):
        return roll()
    return face


def play(attack: Attack, roll: Roll) -> Counts:
    """One attack at the table."""
    results = [_one_hit(attack, roll, wounds_by_itself=automatic) for automatic in _hits(attack, roll)]
    return len(results), *(sum(result[place] for result in results) for place in range(3))


def distribution_of(attack: Attack) -> dict[Hashable, Fraction]:
    """The distribution of one attack: the to-hit roll played, then each of its hits, which are independent."""
    distribution: dict[Hashable, Fraction] = defaultdict(Fraction)
    one: dict[bool, dict[Hashable, Fraction]] = {
        automatic: {
            (1, *counts): p  # type: ignore[misc]
            for counts, p in enumerated(
                lambda roll, automatic=automatic: _one_hit(attack, roll, wounds_by_itself=automatic)  # type: ignore[misc]
            ).items()
        }
        for automatic in (False, True)
    }
    for hits, p in enumerated(lambda roll: _hits(attack, roll)).items():
        for counts, q in added([one[automatic] for automatic in hits]).items():  # type: ignore[attr-defined]
            distribution[counts] += p * q
    return dict(distribution)


def _hits(attack: Attack, roll: Roll) -> tuple[bool, ...]:
    """For each hit of one attack whether it wounds by itself."""
    hit, natural = _to_hit(attack, roll)
    if not hit:
        return ()
    return (attack.poison and natural == 6, *[False] * (attack.battle_focus and natural == 6))


def _to_hit(attack: Attack, roll: Roll) -> tuple[bool, int]:
    need = attack.hit - attack.modifier
    if attack.kind == "automatic":
        return True, 0
    if attack.kind == "melee":

        def strikes(face: int) -> bool:
            return face == 6 or (face != 1 and face >= need)

        hated = bool(attack.hatred_against) and _is(attack, attack.hatred_against)
        face = thrown(roll, strikes, "failed" if hated else attack.reroll_hits)
        return strikes(face), face
    if need > 7:
        return False, 0
    if need == 7:
        face = thrown(roll, lambda face: face == 6, attack.reroll_hits)
        return face == 6 and roll() >= 4, face

    def shoots(face: int) -> bool:
        return face != 1 and face >= need

    face = thrown(roll, shoots, attack.reroll_hits)
    return shoots(face), face


def _one_hit(attack: Attack, roll: Roll, *, wounds_by_itself: bool) -> tuple[int, int, int]:
    lethal = False
    if not wounds_by_itself:
        needs = {2: 2, 1: 3, 0: 4, -1: 5, -2: 6}
        need = needs[max(-2, min(2, attack.strength - attack.resilience))]

        def wounds(face: int) -> bool:
            return face == 6 or (face != 1 and face >= need)

        again = "failed" if attack.flaming and attack.flammable else attack.reroll_wounds
        face = thrown(roll, wounds, again)
        if not wounds(face):
            return 0, 0, 0
        lethal = attack.lethal and face == 6
    penetration = 10 if lethal else attack.penetration
    if _armour_holds(attack, roll, penetration) or _special_holds(attack, roll, lethal=lethal):
        return 1, 0, 0
    points = 1
    if not attack.multiple_against or _is(attack, attack.multiple_against):
        points = _multiplied(attack.multiple, roll)
        if attack.clipped_wings and attack.flies and attack.multiple != "1":
            points += 1
    return 1, 1, min(points, attack.hit_points)


def _is(attack: Attack, what: str) -> bool:
    """Whether the target is what a rule is against."""
    return attack.flies if what == "fly" else bool(attack.aegis)


def _armour_holds(attack: Attack, roll: Roll, penetration: int) -> bool:
    armour = min(6, attack.armour)
    if armour - penetration <= 0:
        return False

    def holds(face: int) -> bool:
        return face != 1 and face >= 7 - armour + penetration

    return holds(thrown(roll, holds, attack.reroll_armour))


def _special_holds(attack: Attack, roll: Roll, *, lethal: bool) -> bool:
    """The better of the saves that may be taken; a passed Aegis is re-rolled against Divine Attacks."""
    counts = {
        "": True,
        "melee": attack.kind == "melee",
        "ranged": attack.kind != "melee",
        "magical": attack.magical,
    }
    choices = [("aegis", attack.aegis)] if attack.aegis and counts[attack.aegis_against] else []
    if attack.fortitude and not attack.flaming and not lethal:
        choices.append(("fortitude", attack.fortitude))
    if not choices:
        return False

    def chance(choice: tuple[str, int | None]) -> Fraction:
        return sum(
            (p for held, p in enumerated(lambda die: _held(attack, choice, die)).items() if held), Fraction()
        )

    best = choices[0] if len(choices) == 1 else max(choices, key=chance)
    return _held(attack, best, roll)


def _held(attack: Attack, choice: tuple[str, int | None], roll: Roll) -> bool:
    name, need = choice
    assert need is not None

    def holds(face: int) -> bool:
        return face != 1 and face >= need

    face = roll()
    allowed = {attack.reroll_special, attack.reroll_aegis if name == "aegis" else None}
    again = ("ones" in allowed and face == 1) or ("failed" in allowed and not holds(face))
    if attack.divine and name == "aegis" and holds(face):
        again = True
    return holds(roll()) if again else holds(face)


def _multiplied(text: str, roll: Roll) -> int:
    if text == "D3":
        return (roll() + 1) // 2
    return roll() if text == "D6" else int(text)


def added(distributions: list[dict[Hashable, Fraction]]) -> dict[Hashable, Fraction]:
    """The distribution of the sum of independent tuples."""
    total: dict[Hashable, Fraction] = {(0, 0, 0, 0): Fraction(1)}
    for distribution in distributions:
        longer: dict[Hashable, Fraction] = defaultdict(Fraction)
        for one, p in total.items():
            for two, q in distribution.items():
                longer[tuple(a + b for a, b in zip(one, two, strict=True))] += p * q  # type: ignore[call-overload]
        total = dict(longer)
    return total
