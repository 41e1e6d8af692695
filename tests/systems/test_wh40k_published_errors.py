"""Values that public calculators printed, or users were led to, that the rules do not give; beside each the right one.

Sources: issues of github.com/toadchild/40kdice; warhammer-stats 0.1.1 and its engine's issue 21 (PyPI); tests of
github.com/ebonnal/adeptus-optimus-backend; conformance cases of github.com/wn-mitch/40kdc-data; unit tests of
github.com/loganmj/WarhammerCombatMathLibrary; changelog of github.com/BAcommander/ba-mathhammer; pyhammer and
Manbeardo's calculator on GitHub.
"""

# ruff: noqa: PLW0108 - the values are computed in their tests, not at import
from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from tenth import wh40k
from translation import plain_number

import mathhammer as mh
from mathhammer.errors import MathhammerError

DUMMY = "T4 Sv- W1"


def attack(weapon: str, target: str = DUMMY, count: int = 1, **situation: object) -> wh40k.AttackResult:
    """Read two stat lines and attack."""
    return wh40k.attack(
        wh40k.Weapon.parse(f"Weapon: {weapon}"),
        wh40k.Target.parse(f"Target: {target}"),
        count=count,
        exact=True,
        **situation,  # type: ignore[arg-type]
    )


def mean_wounds(weapon: str, target: str = DUMMY, count: int = 1, **situation: object) -> object:
    return attack(weapon, target, count, **situation).wounds.mean()


#: Of each error where it was printed, what was, what is right, and what the package says.
ERRORS = {
    "40kdice issues 12 and 20: lethal and sustained on 6+": (
        "1/3",
        "7/36",
        lambda: mean_wounds("A1 BS6+ S4 AP0 D1 [LETHAL HITS, SUSTAINED HITS 1]", "T8 Sv- W1"),
    ),
    "40kdice issue 29: the same with criticals on 5+": (
        "7/2",
        "8/3",
        lambda: mean_wounds("A6 BS3+ S4 AP0 D1 [LETHAL HITS, SUSTAINED HITS 1]", "T8 Sv- W1", critical_hit=5),
    ),
    "40kdice issue 23: lethal with re-rolls of all but criticals": (
        "13",
        "16",
        lambda: mean_wounds("A36 BS3+ S8 AP0 D1 [LETHAL HITS]", "T9 Sv- W1", reroll_hits="non-critical"),
    ),
    "40kdice issue 26: devastating wounds spill over one-wound models": (
        "7/3",
        "4/3",
        lambda: attack(
            "A6 BS2+ S4 AP0 D2 [SUSTAINED HITS 1, DEVASTATING WOUNDS]", "20x T4 Sv2+ W1"
        ).kills.mean(),
    ),
    "40kdice issue 25: damage divided by wounds": (
        "14/3",
        "877724512/387420489",
        lambda: attack("A6 BS3+ S6 AP0 DD6", "20x T4 Sv- W2").kills.mean(),
    ),
    "40kdice issue 14: devastating must beat lethal": (
        "4",
        "8/3",
        lambda: attack("A4 BS3+ S5 AP-1 D2 [DEVASTATING WOUNDS]", "10x T4 Sv4+ W2").damage.mean(),
    ),
    "40kdice issue 14: lethal": (
        "4",
        "8/3",
        lambda: attack("A4 BS3+ S5 AP-1 D2 [LETHAL HITS]", "10x T4 Sv4+ W2").damage.mean(),
    ),
    "40kdice: torrent with a re-roll of ones": (
        "1.36",
        "1",
        lambda: attack("A2 S4 AP0 D1 [TORRENT]", reroll_hits="ones").hits.pmf(2),
    ),
    "40kdice: one D3 for two critical hits": (
        "0",
        "25/162",
        lambda: attack("A2 BS2+ S4 AP0 D1 [SUSTAINED HITS D3]", critical_hit=2).hits.pmf(5),
    ),
    "40kdice: D6-1 read as D6": ("7/2", "5/2", lambda: mh.distribution("D6-1", exact=True).mean()),
    "40kdice: cover and +1 at AP0 on 4+": (
        "1/6",
        "1/3",
        lambda: (
            attack("A1 S8 AP0 D1 [TORRENT]", "T4 Sv4+ W1", cover=True, save_modifier=1).unsaved.mean()
            / mean_wounds("A1 S8 AP0 D1 [TORRENT]")
        ),  # type: ignore[operator]
    ),
    "WarhammerStatsEngine issue 21: excess damage spread": (
        "0",
        "1",  # three wounds of 10 into models of 11: one dead, ten on the next, so 21 wounds and no more
        lambda: (
            attack("A3 S8 AP0 D10 [TORRENT]", "3x T4 Sv- W11")
            .given(lambda state: state == (1, 10))
            .wounds_lost.pmf(21)
        ),
    ),
    "warhammer-stats: sustained as two dice": (
        "0.111",
        "1/6",
        lambda: attack("A1 BS3+ S4 AP0 D1 [SUSTAINED HITS 1]").hits.pmf(2),
    ),
    "warhammer-stats: Feel No Pain after the cut at the last wound": (
        "0.205761",
        "4100/6561",
        lambda: attack("A1 BS2+ S8 AP0 Damage 6", "T4 Sv- W3 FNP5+").probability_destroyed,
    ),
    "warhammer-stats: the second weapon meets a fresh model": (
        "0",
        "625/1296",
        lambda: wh40k.attack(
            [wh40k.Weapon.parse("Weapon: A1 BS2+ S8 AP0 D2")] * 2,
            wh40k.Target.parse("Target: 5x T4 Sv- W3"),
            exact=True,
        ).kills.pmf(1),
    ),
    "warhammer-stats: 6+ with -1 never hits": (
        "0",
        "1/6",
        lambda: attack("A1 BS6+ S4 AP0 D1", hit_modifier=-1).hits.mean(),
    ),
    "warhammer-stats: six mortal wounds kill one model": (
        "1",
        "3",
        lambda: wh40k.mortal_wounds(6, wh40k.Target.parse("Target: 5x T4 Sv- W2"), exact=True).kills.mean(),
    ),
    "warhammer-stats: lethal by its own modifier": (
        "1/12",
        "1/4",
        lambda: mean_wounds("A1 BS3+ S4 AP0 D1 [LETHAL HITS]", "T8 Sv- W1"),
    ),
    "adeptus-optimus: 2+ with +1 treated as 1+": (
        "4/9",
        "7/15",
        lambda: (
            mean_wounds("A1 BS2+ S3 AP0 D1 [LETHAL HITS]", hit_modifier=1)
            / attack("A1 BS2+ S3 AP0 D1", hit_modifier=1).hits.mean()
        ),
    ),
    "adeptus-optimus: sixes explode and wound": (
        "5/12",
        "7/18",
        lambda: mean_wounds("A1 BS3+ S3 AP0 D1 [LETHAL HITS, SUSTAINED HITS 1]"),
    ),
    "40kdc conformance 09: one lascannon kills more than one model": (
        "5/4",
        "5/18",
        lambda: attack("A1 BS3+ S12 AP-3 DD6+1", "10x T3 Sv6+ InSv4+ W1").kills.mean(),
    ),
    "wh40kdc: D6 with -1 Damage": (
        "5/2",
        "8/3",
        lambda: (
            attack("A1 BS3+ S8 AP0 DD6", "T4 Sv- W9 -1D").damage.mean()
            / attack("A1 BS3+ S8 AP0 D1").unsaved.mean()
        ),
    ),
    "wh40kdc: D3 with -1 Damage": (
        "1",
        "4/3",
        lambda: (
            attack("A1 BS3+ S8 AP0 DD3", "T4 Sv- W9 -1D").damage.mean()
            / attack("A1 BS3+ S8 AP0 D1").unsaved.mean()
        ),
    ),
    "loganmj: plain 2+, S6 against T4, with lethal": (
        "5/9",
        "11/18",
        lambda: mean_wounds("A1 BS2+ S6 AP0 D1 [LETHAL HITS]"),
    ),
    "loganmj: sustained 1": (
        "0.6481",
        "2/3",
        lambda: mean_wounds("A1 BS2+ S6 AP0 D1 [SUSTAINED HITS 1]"),
    ),
    "loganmj: sustained 2": (
        "0.7407",
        "7/9",
        lambda: mean_wounds("A1 BS2+ S6 AP0 D1 [SUSTAINED HITS 2]"),
    ),
    "loganmj: lethal and sustained 1": (
        "0.6296",
        "13/18",
        lambda: mean_wounds("A1 BS2+ S6 AP0 D1 [LETHAL HITS, SUSTAINED HITS 1]"),
    ),
    "loganmj: lethal and devastating": (
        "0.3056",
        "13/36",
        lambda: attack(
            "A1 BS3+ S6 AP-2 D3 [LETHAL HITS, DEVASTATING WOUNDS]", "10x T4 Sv3+ W2"
        ).unsaved.mean(),
    ),
    "loganmj: five torrents of D6": (
        "13.33",
        "35/3",
        lambda: mean_wounds("AD6 S5 AP0 D1 [TORRENT]", count=5),
    ),
    "loganmj: eight hits kill eight of five": (
        "20/9",
        "8132480635/3673320192",
        lambda: attack("A8 WS2+ S6 AP-2 D3", "5x T5 Sv2+ InSv4+ W3").kills.mean(),
    ),
    "pyhammer: damage D3": ("0", "2", lambda: mh.distribution("D3", exact=True).mean()),
    "BA changelog 1.0: 'D6 + 3' is one attack": (
        "1",
        "13/2",
        lambda: wh40k.attack(
            wh40k.Weapon("Gun", range='24"', attacks="D6 + 3", skill=3, strength=4, ap=0, damage=1),
            wh40k.Target.parse("Target: 9x T4 Sv- W1"),
            exact=True,
        ).attacks.mean(),
    ),
    "BA changelog 1.0: AP '-2' improves the save": (
        "1/6",
        "2/3",
        lambda: (
            attack("A1 S8 AP-2 D1 [TORRENT]", "T4 Sv3+ W1").unsaved.mean()
            / mean_wounds("A1 S8 AP0 D1 [TORRENT]")
        ),  # type: ignore[operator]
    ),
    "BA changelog 0.4: four kills of 2.89 unsaved": (
        "500/81",
        "125/27",
        lambda: attack("A10 BS3+ S8 AP-2 D3", "10x T4 Sv4+ W2").kills.mean(),
    ),
    "BA changelog: halved and reduced D6": (
        "1.67",
        "4/3",
        lambda: (
            attack("A1 BS3+ S8 AP0 DD6", "T4 Sv- W9 -1D half damage").damage.mean()
            / attack("A1 BS3+ S8 AP0 D1").unsaved.mean()
        ),
    ),
    "BA changelog 0.43: criticals on 5+ while 6+ at -1 is needed": (
        "1/6",
        "1/3",
        lambda: attack("A1 BS6+ S4 AP0 D1", hit_modifier=-1, critical_hit=5).hits.mean(),
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_published_error(name: str) -> None:
    """The right value, and not the printed one."""
    wrong, right, found = ERRORS[name]
    value = plain_number(found())
    assert value == Fraction(right)
    assert abs(float(value) - float(Fraction(wrong))) > 1e-3


def test_haywire_by_hand() -> None:
    """40kdice issue 16: Anti 4+ with Devastating Wounds is as strong as its criticals."""
    result = attack("A6 BS3+ S4 AP0 D1 [ANTI-VEHICLE 4+, DEVASTATING WOUNDS]", "T10 Sv2+ W12 [VEHICLE]")
    assert result.unsaved.mean() == 2  # 6 x 2/3 x 1/2, and no wound that is not critical


def test_two_damage_into_three_wounds() -> None:
    """pyhammer says 2/3 models for each unsaved wound: two of them kill one model."""
    result = attack("A6 BS3+ S8 AP0 D2", "9x T4 Sv- W3")
    for kills in range(4):
        assert result.kills.pmf(kills) == sum(result.unsaved.pmf(2 * kills + more) for more in (0, 1))


def test_one_attacker_kills_more_than_one_of_ten() -> None:
    """Manbeardo's calculator walks the attacker's models: one attacker never kills two."""
    assert attack("A4 BS3+ S4 AP0 D1", "10x T4 Sv- W1").kills.pmf(4) == sympy.Rational(1, 3) ** 4


def test_the_better_of_two_feel_no_pain() -> None:
    """40kdc conformance 10 rolls both, 5+ and 4+ against mortal wounds: one of them is used for each wound."""
    target = wh40k.Target("T", toughness=4, save=None, wounds=9, feel_no_pain=5, feel_no_pain_mortal=4)
    weapon = wh40k.Weapon.parse("W: A1 S8 AP0 D3 [TORRENT, DEVASTATING WOUNDS]")
    mean = wh40k.attack(weapon, target, exact=True).damage.mean()
    assert 6 * mean == 4 * 3 * sympy.Rational(2, 3) + 3 * sympy.Rational(1, 2)


def test_a_save_of_0_is_refused() -> None:
    """40kdice reads 0 as 2+."""
    with pytest.raises(MathhammerError):
        wh40k.Target("T", toughness=4, save=0, wounds=1)
