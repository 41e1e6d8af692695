"""Rules of a round of combat of The 9th Age, one by one, with the chance that each leads to."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from reference.t9a_case import ratio

from mathhammer import t9a
from mathhammer.distributions import kernel
from mathhammer.errors import MathhammerError, ParseError, TooLargeError
from mathhammer.systems.t9a.situation import read_situation
from mathhammer.systems.t9a.stages import armed

SIXTH = Fraction(1, 6)
SURE: dict[str, Any] = {"strength": 10, "agility": 9}


def body(models: int = 5, **options: Any) -> t9a.Target:
    return t9a.Target("body", **{"models": models, "resilience": 3, "defensive_skill": 3, **options})


def side(*parts: t9a.ModelPart, models: int = 5, **options: Any) -> t9a.Unit:
    return t9a.Unit(body(models), parts, **options)


def breaks_of_8(need: int) -> Fraction:
    """1 - P(2D6 <= need)."""
    return 1 - Fraction(sum(a + b <= need for a in range(1, 7) for b in range(1, 7)), 36)


@pytest.mark.parametrize("edition", ["2e", "3e"])
def test_no_more_foes(edition: str) -> None:
    """Break Test, No More Foes; 3rd edition, Determine the Winner: who has wiped out the enemy has won."""
    hit = t9a.ModelPart("hit", **SURE)
    mob, hero = side(hit, discipline=2), side(models=1, bonus=9)
    result = t9a.fight(mob, hero, edition=edition, exact=True)
    assert ratio(result.probability_first_wins) == Fraction(5, 6)
    assert ratio(result.probability_first_breaks) == SIXTH * breaks_of_8(0)
    crumbling = t9a.fight(side(hit, unstable=True), hero, edition=edition, exact=True)
    assert ratio(crumbling.first_lost.pmf(0)) == Fraction(5, 6)
    # The Combat Scores are what they are: 5/6 of one lost (and in the 3rd edition one destroyed unit), against 9.
    assert result.difference.support[-1] == (1 if edition == "2e" else 2) - 9


@pytest.mark.parametrize(
    ("part", "step"),
    [
        (t9a.ModelPart("p", strength=3, offensive_skill=3, agility=4), 5),
        (t9a.ModelPart("p", strength=3, offensive_skill=3, agility=10), 10),
        (t9a.ModelPart("p", strength=3, offensive_skill=3, agility=4, attributes="Great Weapon"), 0),
        (
            t9a.ModelPart(
                "p", strength=3, offensive_skill=3, agility=4, attributes="Great Weapon, Lightning Reflexes"
            ),
            5,
        ),
        (t9a.grind_attacks("D3", strength=3, agility=4), 5),
        (t9a.breath_attack(strength=3, agility=4), 5),
        (t9a.impact_hits("D3", strength=3), 10),
        (t9a.stomp_attacks("D3", strength=3), 0),
        (t9a.crush_attack(offensive_skill=3), 0),
    ],
)
def test_charging_momentum(part: t9a.ModelPart, step: int) -> None:
    """Set Agility Order, Charging Momentum: +1 Agility, at most 10; Initiative Steps of their own stay."""
    assert armed(part, read_situation({"charging": True})).agility == step
    assert armed(part, read_situation({})).agility == (step - 1 if step == 5 else step)


def test_disrupted_ranks() -> None:
    """Break Test, Disrupted Ranks (2nd edition): an enemy with 2 Full Ranks in the flank ends Steadfast."""

    def breaks(**enemy: Any) -> Fraction:
        result = t9a.fight(
            t9a.Unit(body(10), **{"bonus": 9, **enemy}),
            t9a.Unit(body(20), rank_width=5, discipline=8),
            exact=True,
        )
        return ratio(result.probability_second_breaks)

    steadfast, broken = breaks_of_8(8), breaks_of_8(0)
    assert breaks(rank_width=5) == steadfast
    assert breaks(rank_width=5, flanks=1) == broken
    assert breaks(rank_width=5, rear=1) == broken
    assert breaks(rank_width=6, flanks=1) == steadfast  # one Full Rank only
    assert breaks(flanks=1, rank_bonus=1) == broken  # a Rank Bonus has two Full Ranks


def test_undead_need_a_battle_standard() -> None:
    """Undead: the Rank Bonus, or 1 without one, only for a unit that receives Rally Around the Flag."""
    assert t9a.unstable_losses(7, rank_bonus=3) == 7
    assert t9a.unstable_losses(7, rank_bonus=3, battle_standard=True) == 4
    assert t9a.unstable_losses(7, battle_standard=True) == 6
    assert t9a.unstable_losses(7, stubborn=True, rank_bonus=2, battle_standard=True) == 2
    assert t9a.unstable_losses(30, steadfast=True) == 12
    strong = side(bonus=7)

    def lost(**options: Any) -> Any:
        bones = t9a.Unit(body(20), undead=True, **options)
        return t9a.fight(strong, bones, exact=True).second_lost.support[-1]

    assert lost() == 7  # Undead are Unstable
    assert lost(standards=1) == 6  # a point of Combat Score, nothing else
    assert lost(standards=1, battle_standard=True) == 5
    assert lost(battle_standard=True, rank_width=5, steadfast=False) == 7 - 3 - 3


def test_spears_are_of_no_use_in_the_flank() -> None:
    """Spear: +2 Agility and the second +1 Armour Penetration need a unit that nobody fights in flank or rear."""
    spear = t9a.ModelPart("spear", strength=3, offensive_skill=3, agility=3, attributes="Spear")
    for situation, expected in (({}, (2, 5)), ({"flanked": True}, (1, 3))):
        ready = armed(spear, read_situation({"first_round": True, **situation}))
        assert (ready.armour_penetration, ready.agility) == expected
    blow = t9a.ModelPart("blow", strength=10, agility=4)
    spears = t9a.ModelPart("spears", strength=10, agility=3, offensive_skill=3, attributes="Spear")
    front = t9a.fight(side(blow, models=1), side(spears, models=1), exact=True)
    assert ratio(front.first_lost.pmf(1)) == Fraction(1, 2) * Fraction(5, 6)
    for where in ("flanks", "rear"):
        enemy = side(blow, models=1, **{where: 1})
        result = t9a.fight(enemy, side(spears, models=1), exact=True)
        assert ratio(result.second_lost.pmf(1)) == Fraction(5, 6)
        assert ratio(result.first_lost.pmf(1)) == SIXTH * Fraction(1, 2) * Fraction(5, 6)


def test_unstable_losses_go_on_to_the_characters() -> None:
    """Unstable: rank and file, then the Champion, then the characters as evenly as possible."""
    lords = [t9a.Target(name, health_points=points, resilience=3) for name, points in (("A", 1), ("B", 4))]
    bones = t9a.Unit(body(2, champion=1), characters=lords, unstable=True)
    for edition in ("2e", "3e"):
        for bonus, lost in ((2, (2, 0, 0, 0)), (3, (2, 1, 0, 0)), (5, (2, 1, 1, 1)), (7, (2, 1, 1, 3))):
            result = t9a.fight(side(bonus=bonus), bones, edition=edition, exact=True)
            assert result.outcome.pmf((0, *lost, bonus)) == 1
    assert t9a.fight(side(bonus=20), bones, exact=True).probability_second_destroyed == 1


def test_impact_hits_are_of_the_charge() -> None:
    """Impact Hits: a Charging model part strikes with them, at Initiative Step 10."""
    hits = t9a.impact_hits(1, strength=10)
    struck = t9a.fight(side(hits, charging=True), side(), exact=True)
    assert ratio(struck.second_lost.pmf(1)) == Fraction(5, 6)
    assert t9a.fight(side(hits), side(), exact=True).second_lost.pmf(0) == 1
    by_name = t9a.ModelPart.parse("Chariot: 1 automatic hits, Str 10, AP 0 [Impact Hits]")
    assert t9a.fight(side(by_name), side(), exact=True).second_lost.pmf(0) == 1
    assert by_name.special
    assert t9a.attack(hits, body(), exact=True).hits.pmf(1) == 1  # who resolves them says that they strike


@pytest.mark.parametrize("fought", [t9a.fight, t9a.rounds_of_combat])
def test_units_that_do_nothing_are_refused(fought: Any) -> None:
    """Combat Score: without blows, a charge, ranks, flanks and standards there is none."""
    ranks = {"models": 10, "rank_width": 5}
    for first, second in ((side(), side()), (side(**ranks), side(**ranks)), (side(fear=True), side())):
        with pytest.raises(
            MathhammerError, match=r"neither 'body' nor 'body' does\. Give one of them a model"
        ):
            fought(first, second)
    one_ahead = (
        {"charging": True},
        {"standards": 1},
        {"flanks": 1},
        {"rank_bonus": 1},
        {"bonus": 1},
        ranks,
    )
    for options in one_ahead:
        assert t9a.fight(side(**options), side(), exact=True).difference.pmf(1) == 1
        fought(side(), side(**options))
    fought(side(), side(t9a.ModelPart("p", **SURE)))


def test_stat_lines_stand_for_profiles() -> None:
    """Each profile, or the line that it prints as."""
    part, target = t9a.ModelPart("Boys", attacks=3, offensive_skill=3, strength=4), body(models=9)
    given = t9a.attack(part, target, exact=True)
    for parts in (str(part), [str(part)], [part]):
        told = t9a.attack(parts, str(target), exact=True)
        assert told.kills == given.kills
        assert told.to_text() == given.to_text()
    both = t9a.attack([str(part), part], target, exact=True)
    assert both.kills == t9a.attack([part, part], target, exact=True).kills
    hero = t9a.Target("Hero", health_points=3, resilience=4, defensive_skill=5)
    unit = t9a.Unit(target, part, characters=[hero], alternatives=[part, [part, part]])
    lines = t9a.Unit(
        str(target),
        str(part),
        characters=[str(hero)],
        alternatives=[str(part), [str(part), part]],
    )
    assert str(lines) == str(unit)
    assert (lines.parts, lines.alternatives, lines.characters) == (
        unit.parts,
        unit.alternatives,
        unit.characters,
    )
    assert t9a.fight(lines, unit, exact=True).losses == t9a.fight(unit, unit, exact=True).losses


@pytest.mark.parametrize(
    "read",
    [
        lambda: t9a.attack("5 attacks, Off 3, Stg 4", body()),
        lambda: t9a.attack(["Boys: 5 attacks, Off 3, Stg 4"], body()),
        lambda: t9a.attack("5 hits, Str 4", "20 models, Rez 3"),
        lambda: t9a.Unit("20 models, Rez 3"),
        lambda: t9a.Unit(body(), "5 attacks, Off 3, Stg 4"),
        lambda: t9a.Unit(body(), characters=["Rez 3"]),
    ],
)
def test_a_wrong_stat_line_is_shown_with_a_caret(read: Any) -> None:
    with pytest.raises(ParseError) as error:
        read()
    assert error.value.text[error.value.position :].startswith(("Stg", "Rez"))


def test_area_attack_and_the_models_that_are_left() -> None:
    """Area Attack; Penetrating: no more hits than models in the unit when it strikes."""
    area = t9a.ModelPart("area", strength=10, agility=2, attributes="Area Attack (2×2)")
    assert t9a.attack(area, body(8, lost=5), exact=True).hits.pmf(3) == 1
    assert t9a.attack(area, body(2, champion=2), exact=True).hits.pmf(3) == 1  # a Champion is a model too
    first = t9a.ModelPart("first", strength=10, agility=9)
    result = t9a.fight(side(first, area), side(models=4), exact=True)
    expected = dict.fromkeys(range(5), Fraction(0))
    for taken, p in ((1, Fraction(5, 6)), (0, SIXTH)):
        hits = 4 - taken
        for wounds in range(hits + 1):
            ways = [1, hits, hits * (hits - 1) // 2, hits * (hits - 1) * (hits - 2) // 6, 1][wounds]
            expected[taken + wounds] += p * ways * Fraction(5, 6) ** wounds * SIXTH ** (hits - wounds)
    assert {k: ratio(p) for k, p in result.second_lost.items()} == {k: p for k, p in expected.items() if p}


def test_area_attack_after_an_earlier_attack() -> None:
    """Area Attack: the models that earlier attacks of the phase have left, whatever their number."""
    shot = t9a.ModelPart("shot", strength=10)
    area = t9a.ModelPart("area", strength=3, attributes="Area Attack (2×2)")
    target = body(4)
    result = t9a.attack(area, target, start=t9a.attack(shot, target, exact=True), exact=True)
    assert {k: ratio(p) for k, p in result.hits.items()} == {3: Fraction(5, 6), 4: SIXTH}
    assert ratio(result.wounds.mean()) == (3 * Fraction(5, 6) + 4 * SIXTH) / 2
    assert ratio(result.unsaved.mean()) == ratio(result.damage.mean()) == ratio(result.wounds.mean())
    assert ratio(result.health_points_lost.pmf(0)) == SIXTH / 16
    assert ratio(result.probability_destroyed) == Fraction(5, 6) / 8 + SIXTH / 16


def test_pursuit_at_equal_distance_catches() -> None:
    """Roll for Flee and Pursuit Distances: as far as the flight is far enough."""
    caught = t9a.probability_caught(t9a.flee(exact=True), t9a.pursuit(exact=True))
    sums = [a + b for a in range(1, 7) for b in range(1, 7)]
    assert ratio(caught) == Fraction(sum(p >= f for p in sums for f in sums), 36 * 36)


def test_flank_and_rear_bonus() -> None:
    """Combat Score, Flank Bonus: once a side, +1, or +2 with two Full Ranks; 3rd edition: +2 for each."""

    def ahead(rulings: dict[str, str] | None = None, edition: str = "2e", **options: Any) -> int:
        unit = t9a.Unit(body(10), **options)
        result = t9a.fight(unit, side(), rulings=rulings, edition=edition, exact=True)
        (difference,) = result.difference.support
        return int(difference)

    assert ahead(flanks=1) == ahead(flanks=2) == ahead(rear=1) == ahead(flanks=1, rear=1) == 1
    assert ahead(flanks=1, rank_width=5) == 2 + 1  # and the Rank Bonus
    assert ahead(flanks=1, rank_width=6) == 1
    assert ahead(rear=1, rank_width=5) == 2 + 1
    assert ahead({"flank_bonus": "one"}, flanks=1, rank_width=5) == 1 + 1
    assert ahead({"rear_bonus": "one-more"}, rear=1) == 2
    assert ahead({"rear_bonus": "one-more"}, rear=1, flanks=1, rank_width=5) == 3 + 1
    assert ahead(edition="3e", flanks=2, rear=1) == 6
    assert ahead(edition="3e", rank_width=5) == 1
    assert ahead({"proper_ranks": "all"}, edition="3e", rank_width=5) == 2
    assert ahead({"proper_ranks": "all"}, edition="3e", rank_width=2) == 4
    assert ahead({"proper_ranks": "all"}, rank_width=5) == 1  # the 2nd edition has Full Ranks
    assert ahead({"rear_bonus": "one-more"}, edition="3e", rear=1) == 2


def test_unbreakable() -> None:
    """Unbreakable: passes every Break Test."""
    assert t9a.break_test(2, 9, unbreakable=True, exact=True).probability_failure == 0
    result = t9a.fight(side(bonus=9), side(unbreakable=True, discipline=2), exact=True)
    assert result.probability_second_breaks == 0
    assert result.second_lost.pmf(0) == 1


def test_supernal() -> None:
    """Supernal: a passed Break Test saves what Unstable would cost; a failed one does not break the unit."""
    result = t9a.fight(side(bonus=3), side(supernal=True, discipline=8), exact=True)
    failed = breaks_of_8(5)
    assert {k: ratio(p) for k, p in result.second_lost.items()} == {0: 1 - failed, 3: failed} or (
        ratio(result.second_lost.pmf(0)) == 1 - failed and ratio(result.second_lost.pmf(3)) == failed
    )
    assert result.probability_second_breaks == 0
    stubborn = t9a.fight(side(bonus=3), side(supernal=True, stubborn=True, discipline=8), exact=True)
    assert ratio(stubborn.second_lost.pmf(3)) == breaks_of_8(8)
    unbreakable = t9a.fight(side(bonus=3), side(supernal=True, unbreakable=True), exact=True)
    assert unbreakable.second_lost.pmf(0) == 1


def test_supernal_attacks_are_magical() -> None:
    """Supernal: all attacks become Magical Attacks, Special Attacks among them."""
    guard = t9a.Unit(body(aegis="4+, against Magical Attacks"))
    for options, chance in (({}, Fraction(5, 6)), ({"supernal": True}, Fraction(5, 12))):
        daemons = side(t9a.grind_attacks(1, strength=10), **options)
        assert ratio(t9a.fight(daemons, guard, exact=True).second_lost.pmf(1)) == chance


def test_discipline_ends_at_10() -> None:
    """Priority of Modifiers: the limit is that of the value after all modifiers."""
    passed = t9a.break_test(10, 3, modifier=2, exact=True).probability_success
    assert ratio(passed) == 1 - breaks_of_8(9)
    assert ratio(t9a.discipline_test(10, modifier=3, exact=True).probability_success) == 1 - breaks_of_8(10)


def test_fear_in_contact() -> None:
    """Fear: -1 Discipline in contact, on Break Tests too; not for models with Fear, nor for the Fearless."""

    def breaks(enemy: dict[str, Any], **options: Any) -> Fraction:
        result = t9a.fight(side(bonus=3, **enemy), side(discipline=8, **options), exact=True)
        return ratio(result.probability_second_breaks)

    assert breaks({}) == breaks_of_8(5)
    assert breaks({"fear": True}) == breaks_of_8(4)
    assert breaks({"fear": True}, fear=True) == breaks({"fear": True}, fearless=True) == breaks_of_8(5)
    assert breaks({"fear": True}, stubborn=True) == breaks_of_8(7)
    assert breaks({"fear": True}, commanding_presence=9) == breaks_of_8(5)
    assert breaks({"fear": True}, afraid=True) == breaks({}, afraid=True) == breaks_of_8(4)


@pytest.mark.parametrize(
    ("options", "failed"),
    [
        ({}, Fraction(21, 36)),
        ({"reroll": True}, Fraction(21, 36) ** 2),
        ({"battle_standard": True}, Fraction(21, 36) ** 2),
        ({"commanding_presence": 9}, breaks_of_8(8)),
        ({"fearless": True}, Fraction(0)),
        ({"afraid": False}, Fraction(0)),
        ({"afraid": True}, Fraction(1)),
    ],
)
def test_fear_tests_are_rolled(options: dict[str, Any], failed: Fraction) -> None:
    """Fear: a Discipline Test at -1 at the start of each round; who fails it hits on 5+ and is hit on 3+."""
    blow = t9a.ModelPart("blow", strength=10, offensive_skill=3)
    ghost, man = side(blow, fear=True), side(blow, discipline=7, **options)
    result = t9a.fight(man, ghost, exact=True)
    afraid, calm = (Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 2), Fraction(1, 2))
    for lost, scared, brave in zip((result.second_lost, result.first_lost), afraid, calm, strict=True):
        assert ratio(lost.mean()) == Fraction(5, 6) * (failed * scared + (1 - failed) * brave)
    assert ("Fear Test" in str(result.explain())) == (0 < failed < 1)
    anew = t9a.rounds_of_combat(man, side(blow, fear=True, unbreakable=True), rounds=2, exact=True)
    assert anew.after(1).pmf("first breaks") < anew.after(2).pmf("first breaks")


IMPACT, GRIND = t9a.impact_hits("D6", strength=5), t9a.grind_attacks("D6", strength=5)
BREATH, CRUSH = t9a.breath_attack(strength=4), t9a.crush_attack(offensive_skill=7)
CLAWS = t9a.ModelPart("claws", attacks=1, offensive_skill=7, strength=10)


@pytest.mark.parametrize(
    ("one", "other", "means"),
    [
        (IMPACT, GRIND, (Fraction(35, 12), Fraction(35, 12))),
        (BREATH, BREATH, (Fraction(14, 3), Fraction(14, 3))),
        (CRUSH, CLAWS, (Fraction(25, 12), Fraction(25, 36))),
        (CRUSH, CRUSH, (Fraction(25, 12), Fraction(25, 12))),
    ],
)
def test_attacks_that_exclude_each_other(one: Any, other: Any, means: tuple[Fraction, Fraction]) -> None:
    """Model Rules: Impact Hits or Grind Attacks, one Breath Attack in a phase, a Crush Attack or other blows.

    D6 hits that wound on 2+; 2D6 on 3+; a blow that hits and wounds on 2+, and takes D3+1 Health Points.
    """
    struck = t9a.Target("struck", models=9, health_points=4, resilience=3, defensive_skill=3)
    for parts in ([one, other], [other, one]):
        with pytest.raises(MathhammerError, match="of one model, which may not make both, got both"):
            t9a.attack(parts, struck)
        with pytest.raises(MathhammerError, match="give them as alternatives"):
            t9a.Unit(body(1), parts)
    lord = t9a.Target("Lord", resilience=3)
    t9a.Unit(body(1), [one, other.with_value("of", "Lord")], characters=[lord])
    t9a.Unit(body(2), [one, other.with_value("behind", 1)])
    for sets, mean in (([one], [other]), means[0]), (([other], [one]), means[1]):
        beast = t9a.Unit(body(1), alternatives=sets, charging=True)
        assert ratio(t9a.fight(beast, t9a.Unit(struck), exact=True).second_lost.mean()) == mean
    later = t9a.Unit(body(1), alternatives=([one], [other]))
    strikes = t9a.fight(later, t9a.Unit(struck), first_round=False, exact=True).second_lost
    assert strikes.mean() > 0  # Impact Hits are of the charge: the other then


def test_advantaged_position() -> None:
    """3rd edition, Combat Formation, Advantaged Position: Steady and Solid units wound one better."""
    blow = t9a.ModelPart("blow", strength=3, offensive_skill=3)
    for options, wound in (({}, 3), ({"steady": True}, 3), ({"steady": True, "solid": True}, 4)):
        unit = side(blow, models=1, **options)
        result = t9a.fight(unit, side(), edition="3e", exact=True)
        assert ratio(result.second_lost.pmf(1)) == Fraction(1, 2) * Fraction(wound, 6)
        chosen = {"advantaged_position": "nothing"}
        plain = t9a.fight(unit, side(), edition="3e", rulings=chosen, exact=True)
        assert ratio(plain.second_lost.pmf(1)) == Fraction(1, 4)


def test_stomps_are_for_standard_size() -> None:
    """Stomp Attacks: only models of Standard Size suffer hits."""
    stomp = t9a.stomp_attacks(2, strength=10)
    assert t9a.attack(stomp, body(), exact=True).hits.pmf(2) == 1
    assert t9a.attack(stomp, body(attributes="Standard"), exact=True).hits.pmf(2) == 1
    for size in ("Large", "Gigantic", "Cannot be Stomped"):
        assert t9a.attack(stomp, body(attributes=size), exact=True).hits.pmf(0) == 1


def test_a_sweeping_attack_is_none_of_a_round_of_combat() -> None:
    """Sweeping Attack: a Ranged Attack."""
    with pytest.raises(MathhammerError, match="shots"):
        side(t9a.sweeping_attack(1, strength=3))


def test_a_breath_is_drawn_once() -> None:
    """Breath Attack: once in a game, so that the second round is without it."""
    breath = t9a.ModelPart("breath", attacks=1, **SURE, attributes="Breath Attack")
    rock = side(models=5, unbreakable=True)
    result = t9a.rounds_of_combat(side(breath, unbreakable=True), rock, rounds=3, exact=True)
    assert result.losses.marginal("second").support[-1] == 1
    assert ratio(result.losses.marginal("second").pmf(1)) == Fraction(5, 6)


def test_attacks_go_to_the_first_that_stands() -> None:
    """Allocating Attacks: who has fallen cannot be struck; without a choice the next one named is."""
    names = ("champion", "rank and file")
    quick = t9a.ModelPart("quick", **SURE, at="champion")
    slow = t9a.ModelPart("slow", strength=10, agility=1, at=names)
    enemy = t9a.Unit(body(1, champion=1))
    result = t9a.fight(side(quick, slow), enemy, exact=True)
    assert ratio(result.losses.pmf((0, 2))) == Fraction(25, 36)
    assert ratio(result.losses.pmf((0, 1))) == 2 * SIXTH * Fraction(5, 6)


def test_the_first_alternative_fights() -> None:
    """Weapon Master: of two sets of parts one strikes, the first where nobody chooses."""
    weak, strong = t9a.ModelPart("weak", strength=1), t9a.ModelPart("strong", strength=10)
    master = t9a.Unit(body(1), alternatives=(weak, strong))
    assert ratio(t9a.fight(master, side(), exact=True).second_lost.mean()) == SIXTH
    best = t9a.fight(master, side(), best="first", objective="health points", exact=True)
    assert ratio(best.second_lost.mean()) == 5 * SIXTH
    assert str(best.plan) == "Round 1, start: fights with strong"
    assert "fights with strong" in str(best.explain())


def test_the_plan_says_what_decides() -> None:
    """Lines of a plan: runs of one thing that the player sees, a second one where the first does not tell."""

    def choice(lost: int, lead: int, action: str) -> t9a.CombatChoice:
        return t9a.CombatChoice("Round 2, start", "us", (("lost:", lost), ("lead:", lead)), action)

    one = [choice(0, 0, "a"), choice(1, 3, "a"), choice(2, 1, "b")]
    assert list(t9a.CombatPlan(tuple(one), "break").lines()) == [
        "Round 2, start:",
        "  lost: 0 to 1: a",
        "  lost: 2: b",
    ]
    two = [*one, choice(2, 2, "a")]
    assert list(t9a.CombatPlan(tuple(two), "break").lines())[1:] == [
        "  lead: 0: a",
        "  lead: 1: b",
        "  lead: 2 to 3: a",
    ]
    both = [choice(0, 0, "a"), choice(0, 1, "b"), choice(1, 0, "b"), choice(1, 1, "a")]
    assert list(t9a.CombatPlan(tuple(both), "break").lines())[1:] == [
        "  lost: 0, lead: 0: a",
        "  lost: 0, lead: 1: b",
        "  lost: 1, lead: 0: b",
        "  lost: 1, lead: 1: a",
    ]
    assert str(t9a.CombatPlan((), "break")) == "nothing to decide about"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: t9a.ModelPart("p", strength=3, at=()), "different texts of whom it is allocated to"),
        (lambda: t9a.ModelPart("p", strength=3, at=("a", "a")), "different texts"),
        (lambda: t9a.grind_attacks(1, strength=3, at=("a", "b")), "one pool that the Special Attack"),
        (
            lambda: t9a.attack(t9a.ModelPart("p", strength=3, at=("champion", "rank and file")), body()),
            "fight\\(\\) divides",
        ),
        (lambda: t9a.fight(side(), side(), best="me"), "'first' or 'second' or 'both' as best"),
        (lambda: t9a.fight(side(), side(), objective="win"), "as objective"),
        (
            lambda: t9a.rounds_of_combat(
                side(t9a.ModelPart("p", **SURE), models=20),
                side(t9a.ModelPart("q", strength=3), models=20),
                best="first",
                rounds=5,
            ),
            "at most 100,000 positions",
        ),
        (
            lambda: t9a.rounds_of_combat(side(t9a.ModelPart("p", **SURE), models=39), side(models=37)),
            "in at most 6,000,000 steps in several rounds, got 6,076,200",
        ),
    ],
)
def test_refused_choices(build: Any, message: str) -> None:
    with pytest.raises(MathhammerError, match=message):
        build()


def test_several_parts_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each Initiative Step is fought from every state that the one before it leads to."""
    monkeypatch.setattr(kernel, "MAXIMUM_SECONDS", 0.1)

    def part(agility: int) -> t9a.ModelPart:
        return t9a.ModelPart(f"Agility {agility}", attacks=8, strength=3, agility=agility)

    t9a.rounds_of_combat(side(part(5), models=8), side(part(4), models=8))
    three = [part(agility) for agility in (5, 4, 3)]
    with pytest.raises(TooLargeError, match=r"those so far and .* joint outcomes"):
        t9a.rounds_of_combat(side(*three, models=8), side(*three, models=8))
