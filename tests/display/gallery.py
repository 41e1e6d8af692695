"""One of every public object that a user can hold, and the numbers it has to show, worked out by hand.

An attack with the rifle inflicts damage on the marines with probability 2/3 * 1/2 = 1/3: of two of them both do with
1/9 = 11.11 %, none with 4/9 = 44.44 %.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tenth import analysis, wh40k

from mathhammer import JointDistribution, dice, distribution, rosters, t9a
from mathhammer import trench_crusade as tc
from mathhammer.analysis.tabular import Answer
from mathhammer.distributions import CategoricalDistribution, Distribution
from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.distributions.walk import Walk
from mathhammer.expressions import DirectionDie, Expression
from mathhammer.expressions.condition import Condition, as_condition
from mathhammer.sequence import explanation, reroll_plan, result, rulings, shares, unit_distribution
from mathhammer.systems.trench_crusade.battlefield import BlastResult, Morale
from mathhammer.systems.trench_crusade.exchange import Condition as Left
from mathhammer.systems.trench_crusade.game import State
from mathhammer.systems.trench_crusade.result import Plan
from mathhammer.systems.trench_crusade.rolls import Table
from mathhammer.systems.wh40k.attacks.activations import ActivationResult
from mathhammer.systems.wh40k.attacks.changes import Change, Fishing
from mathhammer.systems.wh40k.attacks.comparison import Difference
from mathhammer.systems.wh40k.attacks.fast_rolls import FastRoll
from mathhammer.systems.wh40k.attacks.focus import Focus, FocusStep
from mathhammer.systems.wh40k.attacks.hazards import DesperateEscapeResult, HazardousResult
from mathhammer.systems.wh40k.attacks.needed import Needed
from mathhammer.systems.wh40k.attacks.result import MixedAttackResult

if TYPE_CHECKING:
    from collections.abc import Callable

RIFLE = wh40k.Weapon.parse('Rifle: 24" A1 BS3+ S4 AP0 D1')
PLASMA = wh40k.Weapon.parse('Plasma: 24" A1 BS3+ S8 AP-3 D2 [HAZARDOUS]')
CANNON = wh40k.Weapon.parse('Lascannon: 48" A1 BS3+ S12 AP-3 DD6+1')
MARINES = wh40k.Target("Marines", toughness=4, save=None, wounds=1, models=2, points=20)
GUNNERS = wh40k.Target("Gunners", toughness=4, save="3+", wounds=2, models=5)
BOYS = wh40k.Target("Boy", toughness=5, save="5+", wounds=1, models=9, keywords="Infantry")
MOB = wh40k.TargetUnit("Mob", [BOYS, wh40k.Target("Nob", toughness=5, save="4+", wounds=2)])
BRAWLER = wh40k.Combatant("Brawler: T4 Sv- W1", melee="Axe: A1 WS4+ S4 AP0 D1")
ORCS = t9a.Target("Orcs", models=20, defensive_skill=3, resilience=3, armour=2)
SPEARS = t9a.ModelPart("Spearmen", attacks=5, offensive_skill=4, strength=3)
SHOTGUN = tc.Weapon("Shotgun", kind="ranged", dice=+1, keywords="SHOTGUN")
PILGRIM = tc.Target("Trench Pilgrim", armour="standard", shield=True, blood=2)
FRAG = tc.Attack(weapon=tc.Weapon("Frag Grenade", kind="grenade", keywords='SHRAPNEL, BLAST 2"'))
ARMY = rosters.sample_army()


class Shown(NamedTuple):
    """An object, and texts that it has to show where it is printed and on a page."""

    kind: type
    make: Callable[[], Any]
    texts: tuple[str, ...] = ()
    #: Of small values the short form is all there is to show.
    page: bool = True


def shots(**options: Any) -> Any:
    return wh40k.attack(RIFLE, MARINES, count=2, **options)


def brave() -> t9a.CombatPlan:
    part = t9a.ModelPart("spear", offensive_skill=3, strength=3, agility=3, at=("rank and file", "champion"))
    late = t9a.ModelPart("boss", attacks=2, strength=4, agility=1, of="champion")
    bullies = t9a.Unit(t9a.Target("bullies", champion=1, defensive_skill=3, resilience=3), late)
    plan = t9a.fight(
        t9a.Unit(t9a.Target("hero", resilience=3), part), bullies, best="first", objective="hold"
    ).plan
    assert plan is not None
    return plan


def fighters(name: str) -> t9a.Unit:
    part = t9a.ModelPart("spear", attacks=1, models=2, offensive_skill=3, strength=3, agility=3)
    return t9a.Unit(t9a.Target(name, models=2, defensive_skill=3, resilience=3), part)


def shotgun(**options: Any) -> Any:
    return tc.attack(SHOTGUN, PILGRIM, long_range=True, cover=True, **options)


def replayed() -> Any:
    return shots(reroll="best").plan


def squads() -> list[analysis.Attacker]:
    pairs = (("five", 5, 80), ("ten", 10, 160), ("six", 6, 90))
    return [analysis.Attacker(name, wh40k.Volley(RIFLE, count), points=cost) for name, count, cost in pairs]


def armies() -> Any:
    return analysis.army_table(ARMY, [MARINES])


def mixed() -> Any:
    """Six shots of a weapon with Blast 1 more for each five models: what is left of them is seen first."""
    blast = wh40k.Weapon.parse("Mortar: A1 BS3+ S4 AP0 D1 [BLAST]")
    ten = wh40k.Target("Ten", toughness=4, save=None, wounds=1, models=10)
    return wh40k.attack(blast, ten, start=wh40k.attack(RIFLE, ten))


TOTAL = ("2.78%", "16.67%", "mean 7.00", "5% to 95%: 3 to 11")
ALGEBRA = [
    Shown(Distribution, lambda: distribution("2D6"), TOTAL),
    Shown(Distribution, lambda: distribution("12D6", exact=True), ("mean 42.00",)),
    Shown(
        JointDistribution,
        lambda: JointDistribution.independent(hits=distribution("D4"), wounds=distribution("D2")),
        ("hits", "wounds", "12.5"),
    ),
    Shown(CategoricalDistribution, lambda: tc.success_roll().outcome, ("failure", "41.67%", "2.78%")),
    Shown(
        GeneratingFunction,
        lambda: GeneratingFunction({(0, 0): 5, (1, 0): 1}, 6),
        ("(5 + 1 x) / 6",),
        page=False,
    ),
    Shown(IntegerDistribution, lambda: IntegerDistribution.of_dice(9, 6, 0), ("low=9",), page=False),
    Shown(Walk, lambda: Walk(0, 3), ("3 states",), page=False),
    Shown(Expression, lambda: dice("2D6+3")),
    Shown(Condition, lambda: as_condition(">= 4"), ("4+",), page=False),
    Shown(DirectionDie, DirectionDie, ("DirectionDie()",), page=False),
]
SEQUENCE = [
    Shown(result.AttackResult, lambda: shots(exact=True), ("2 × Rifle against Marines", "11.11%", "0.67")),
    Shown(MixedAttackResult, mixed, ("Mortar against Ten",)),
    Shown(
        unit_distribution.UnitDistribution,
        # Given that one of the two at least is destroyed: 4/9 against 1/9.
        lambda: shots().given(lambda state: state[0] > 0),
        ("80.00%", "20.00%", "1.20"),
    ),
    Shown(
        unit_distribution.UnitDistribution,
        lambda: wh40k.mortal_wounds(1, GUNNERS),
        ("State of a unit of 5 models",),
    ),
    Shown(explanation.Explanation, lambda: shots().explain(), ("S4 against T4", "wound 1/2")),
    Shown(explanation.Step, lambda: next(iter(shots().explain())), ("Weapon",), page=False),
    Shown(explanation.Probability, lambda: explanation.Probability("hit", 24, 36), ("hit 2/3",), page=False),
    Shown(rulings.Rulings, lambda: shots(rulings={"save_cap": "gross"}).rulings, ("save_cap", "gross")),
    Shown(rulings.Ruling, lambda: wh40k.EDITIONS["10e"].rulings[0], ("by default",)),
    # Of two shots at a model that one of them destroys with 2/9: a failed roll is re-rolled.
    Shown(reroll_plan.RerollPlan, lambda: replayed(), ("Re-roll a miss", "without the re-roll")),  # noqa: PLW0108
    Shown(reroll_plan.RerollPolicy, lambda: replayed().policy, ("miss",), page=False),
    Shown(reroll_plan.RerollDecision, lambda: replayed().decisions[0], ("miss",), page=False),
    Shown(reroll_plan.RerollState, lambda: replayed().decisions[0].state, ("hit",), page=False),
    Shown(shares.Share, lambda: wh40k.activations([RIFLE], MARINES)[0].shares[0], ("attacks=",), page=False),
]
WH40K = [
    Shown(wh40k.Army, lambda: ARMY, ("The Lantern League marches", "1365", "Breach Company", "175")),
    Shown(wh40k.Unit, lambda: ARMY["Breach Company"], ("Breach Company", "175", "Bell maul")),
    Shown(type(ARMY.units[0].models[0]), lambda: ARMY.units[0].models[0], ("Sv3+",)),
    Shown(type(ARMY.units[0].weapons[0]), lambda: ARMY.units[0].weapons[0], ("PISTOL",)),
    Shown(
        Fishing,
        lambda: wh40k.best_faces(RIFLE, MARINES),
        ("Which faces to re-roll", "all but critical"),
    ),
    # Two of two with 1/9, three with 1 - 8/27 - 3 * 4/27.
    Shown(
        Needed,
        lambda: wh40k.needed(RIFLE, MARINES, 0.25),
        ("3 × Rifle destroy Marines", "25.93%", "11.11%"),
        page=False,
    ),
    # One rifle does not destroy both, two do with 1/9.
    Shown(
        Focus,
        lambda: wh40k.focus({"one": RIFLE, "two": RIFLE}, MARINES, goal=0.1),
        ("one and two", "11.11%", "needed"),
    ),
    Shown(
        FocusStep,
        lambda: wh40k.focus({"one": RIFLE, "two": RIFLE}, MARINES).steps[1],
        ("two", "11.11%"),
    ),
    Shown(ActivationResult, lambda: wh40k.activations([RIFLE, RIFLE], MARINES)[1], ("11.11%", "0.33")),
    Shown(ActivationResult, lambda: wh40k.best_order([RIFLE, CANNON], MARINES), ("Lascannon", "attacks")),
    Shown(
        ActivationResult,
        lambda: wh40k.activations([RIFLE], wh40k.TargetUnit("Two", [MARINES, GUNNERS], allocation="best"))[0],
        ("Single volleys: the shares of single volleys need a unit whose player has nothing to choose",),
    ),
    Shown(Change, lambda: wh40k.CHANGES[0], ("+1 Attack",)),
    Shown(wh40k.Edition, lambda: wh40k.EDITIONS["10e"], ("Warhammer 40,000 10th edition",)),
    Shown(wh40k.Situation, lambda: wh40k.Situation(cover=True, hit_modifier=-1), ("cover", "-1")),
    Shown(wh40k.EditionComparison, lambda: wh40k.compare_editions(RIFLE, MARINES), ("9e", "10e", "0.3333")),
    Shown(
        Difference,
        lambda: wh40k.compare_editions(RIFLE, MARINES, editions=("10e", "11e"), cover=True).differences()[0],
        ("Skill", "10e", "11e"),
        page=False,
    ),
    Shown(FastRoll, lambda: wh40k.fast_roll_check(RIFLE, MARINES), ("0.33", "may be rolled together")),
    Shown(
        HazardousResult,
        # No test of five fails with (5/6)^5 = 40.19 %.
        lambda: wh40k.hazardous(PLASMA, GUNNERS, count=5, edition="10e"),
        ("Failed tests", "40.19%", "0.83 of 5"),
    ),
    # 8 or more with two dice: 15 of 36.
    Shown(wh40k.ChargeResult, lambda: wh40k.charge(9, edition="10e"), ("Charge over 9", "41.67%")),
    Shown(wh40k.RollResult, lambda: wh40k.battle_shock(7, edition="10e"), ("Battle-shock roll", "58.33%")),
    Shown(
        DesperateEscapeResult,
        # Nobody of two dies with (2/3)^2 = 44.44 %.
        lambda: wh40k.desperate_escape(GUNNERS, edition="10e"),
        ("Desperate Escape of a unit",),
    ),
    Shown(wh40k.Combatant, lambda: BRAWLER, ("Brawler", "Axe")),
    # 7/12 to charge, then 1/2 to hit and to wound: 7/48; struck back by those that are left 7/64.
    Shown(
        wh40k.TurnResult,
        lambda: wh40k.turn(BRAWLER, BRAWLER, ["charge", "fight"], distance=7, edition="11e"),
        ("Turn of Brawler (attacker) against Brawler (defender)", "58.33%", "14.58%", "10.94%"),
    ),
    Shown(
        wh40k.Keyword, lambda: wh40k.parse_keywords("Sustained Hits 1")[0], ("Sustained Hits 1",), page=False
    ),
    Shown(wh40k.Modifier, lambda: wh40k.Modifier("add", 1, "Heavy"), ("+1 (Heavy)",), page=False),
    Shown(
        wh40k.Incoming,
        lambda: wh40k.Incoming(wh40k.Modifier("subtract", 1, "Old armour", of="wound"), "melee"),
        ("wound -1 (Old armour)", "melee"),
    ),
    Shown(wh40k.RuleCondition, lambda: wh40k.RuleCondition("target_keyword", ("Monster",)), ("Monster",)),
    Shown(
        wh40k.RuleEffect, lambda: wh40k.RuleEffect("attack", "hit", 1, "melee"), ("+1 to hit rolls in melee",)
    ),
    Shown(
        wh40k.UnitRule,
        lambda: wh40k.UnitRule("War cry", "datasheet", "Chief", (wh40k.RuleEffect("attack", "hit", 1),)),
        ("Chief: War cry (on)", "+1 to hit rolls"),
    ),
    Shown(wh40k.MortalWounds, lambda: wh40k.MortalWounds("D3", "Hex"), ("D3", "Hex")),
    Shown(wh40k.AttackResult, shots, ("2 × Rifle against Marines",)),
    Shown(wh40k.Target, lambda: MARINES, ("Marines", "T4")),
    Shown(wh40k.TargetUnit, lambda: MOB, ("Mob", "9x T5", "Nob", "10")),
    Shown(
        wh40k.Trigger,
        lambda: wh40k.Trigger("wound", "unmodified 6", "Rending", improve_ap=3),
        ("AP improved by 3",),
    ),
    Shown(wh40k.Volley, lambda: wh40k.Volley(RIFLE, 5, half_range=True), ("5 × Rifle", "half range")),
    Shown(wh40k.Weapon, lambda: RIFLE, ('24"', "BS3+")),
    Shown(type(wh40k.attack(RIFLE, MOB)), lambda: wh40k.attack(RIFLE, MOB), ("Rifle against Mob",)),
]
T9A = [
    # Five attacks, each 2/3 * 1/2 * 2/3 = 2/9: none inflicts damage with (7/9)^5 = 28.46 %.
    Shown(
        t9a.AttackResult, lambda: t9a.attack(SPEARS, ORCS), ("Spearmen against Orcs", "28.46%", "1.11 of 20")
    ),
    Shown(
        t9a.Bracketed, lambda: t9a.Bracketed(strength=5, armour_penetration=2), ("strength 5",), page=False
    ),
    # 7 or more with two dice: 21 of 36.
    Shown(t9a.ChargeResult, lambda: t9a.charge(advance=4, distance=11), ("Charge over 11", "58.33%")),
    Shown(
        t9a.CombatResult,
        lambda: t9a.fight(fighters("swift"), fighters("slow")),
        ("swift against slow", "31.6%"),
    ),
    Shown(t9a.CombatChoice, lambda: brave().choices[0], ("spear strikes at champion",), page=False),
    Shown(t9a.CombatPlan, brave, ("Initiative Step 3: spear strikes at champion",)),
    Shown(
        t9a.RoundsResult,
        lambda: t9a.rounds_of_combat(fighters("swift"), fighters("slow"), rounds=1),
        ("swift against slow", "still"),
    ),
    Shown(DirectionDie, DirectionDie, ("DirectionDie()",), page=False),
    Shown(t9a.Edition, lambda: t9a.EDITIONS["2e"], ("2nd edition",)),
    Shown(t9a.ModelPart, lambda: SPEARS, ("5 attacks",)),
    # 5 or less with two dice: 10 of 36.
    Shown(t9a.RollResult, lambda: t9a.break_test(8, lost_by=3), ("Break Test", "27.78%", "72.22%")),
    Shown(t9a.Target, lambda: ORCS, ("20 models",)),
    Shown(t9a.Unit, lambda: fighters("swift"), ("swift", "spear")),
]
TRENCH_CRUSADE = [
    Shown(tc.Activation, lambda: tc.Activation(tc.Attack(weapon=SHOTGUN)), ("Shotgun",)),
    Shown(tc.Attack, lambda: tc.Attack(weapon=SHOTGUN, cover=True), ("Shotgun", "cover")),
    # 49 of 3888.
    Shown(tc.AttackResult, lambda: shotgun(exact=True), ("against Trench Pilgrim", "1.26%", "out of action")),
    Shown(tc.AttackResult, lambda: shotgun(spend="best"), ("Plan for out of action", "spends 2 Blood")),
    Shown(tc.Attacker, lambda: tc.Attacker("Yeoman", ranged=1), ("Yeoman", "ranged 1")),
    # 2573/7776 on average.
    Shown(BlastResult, lambda: tc.blast(FRAG, [tc.Target(), tc.Target()]), ("BLAST on 2 models", "0.33")),
    # 1313/7776 for the one that begins, then of the rest: 14.03 %.
    Shown(
        tc.ExchangeResult,
        lambda: tc.exchange(
            *(tc.Fighter(tc.Target(name), tc.WEAPONS["Musket"]) for name in "AB"), activations=1
        ),
        ("A against B", "both left"),
    ),
    Shown(tc.Fighter, lambda: tc.Fighter(tc.Target("Yeoman"), SHOTGUN), ("Yeoman", "Shotgun")),
    Shown(
        Left,
        lambda: tc.Fighter(tc.Target("Yeoman", blood=2), SHOTGUN).condition,
        ("blood=2",),
        page=False,
    ),
    Shown(tc.Decision, lambda: next(iter(shotgun(spend="best").plan)), ("spends 2 Blood",)),
    Shown(Plan, lambda: shotgun(spend="best").plan, ("spends 2 Blood",)),
    Shown(tc.Keyword, lambda: SHOTGUN.keywords[0], ("SHOTGUN",), page=False),
    # 7/36, and that times 7/36 again.
    Shown(Morale, lambda: tc.morale(5, leader=True), ("19.44%", "3.78%")),
    Shown(tc.Reply, lambda: tc.Reply(blessing=1), ("up to 1 Blessing Marker",), page=False),
    Shown(tc.Roll, lambda: tc.success_roll(dice=["+2 elevated", "-1 cover"]), ("73.15%",)),
    Shown(tc.SpendPolicy, lambda: shotgun(spend="best").plan.policy, ("spends 2 Blood",), page=False),
    Shown(tc.Spend, lambda: tc.Spend(blood=2), ("up to 2 Blood Markers",), page=False),
    Shown(
        State,
        lambda: State(
            0, 1, 0, 0, down=False, tough_used=False, fumbled=False, hit_by=frozenset(), attackers=()
        ),
        ("blood=1",),
        page=False,
    ),
    Shown(Table, lambda: tc.success_table([-1, 0, 1]), ("Success Roll", "41.67%", "80.56%")),
    Shown(tc.Target, lambda: PILGRIM, ("Trench Pilgrim", "shield", "blood 2")),
    Shown(tc.TargetActivation, tc.TargetActivation, ("stands up",), page=False),
    Shown(tc.Weapon, lambda: SHOTGUN, ("+1 DICE",)),
]
ANALYSIS = [
    Shown(Answer, armies, ("The Lantern League marches against 1 target", "Heron Walker (melee)")),
    Shown(
        Answer,
        lambda: analysis.assign({"rifles": wh40k.Volley(RIFLE, 10), "cannon": CANNON}, "GEQ, LIGHT"),
        ("rifles", "GEQ"),
    ),
    Shown(analysis.Attacker, lambda: squads()[0], ("five", "80 points")),
    Shown(analysis.Defender, lambda: analysis.Defender("Marines", MARINES), ("Marines", "T4")),
    Shown(
        Answer,
        lambda: analysis.break_even(wh40k.Volley(RIFLE, 4), CANNON, MARINES),
        ("toughness", "Lascannon", "4 x Rifle"),
    ),
    # One model of two, 10 points, with 1 - (2/3)^n; the second one as well: here the mean of min(2, successes).
    Shown(
        Answer,
        lambda: analysis.frontier(analysis.grid(squads(), "MEQ")),
        ("five", "80", "six", "MEQ"),
    ),
    Shown(
        analysis.Grid,
        lambda: analysis.grid({"Pair": wh40k.Volley(RIFLE, 2)}, [MARINES]),
        ("Pair", "Marines", "33% (11%)", "all by default"),
    ),
    Shown(
        Answer,
        lambda: analysis.choose({"pair": wh40k.Volley(RIFLE, 2), "cannon": CANNON}, {"MEQ": 3, "TANK": 1}),
        ("pair", "cannon", "MEQ"),
    ),
    Shown(
        Answer,
        # Toughness 3, 4 and 5 against Strength 4: 4/9, 1/3 and 2/9 of each shot.
        lambda: analysis.sweep(wh40k.Volley(RIFLE, 2), MARINES, {"toughness": (3, 4, 5)}),
        ("toughness", "0.89", "0.67", "0.44", "11.11%"),
    ),
    Shown(
        Answer,
        lambda: analysis.sweep(RIFLE, MARINES, {"toughness": (3, 4), "save": ("2+", "7+")}),
        ("toughness \\ save", "0.33", "0.07"),
    ),
    Shown(
        Answer,
        lambda: analysis.rule_worths(ARMY, ARMY["Hill Battery"]),
        ("Hill Battery: Stealth", "against shooting", "without gain"),
    ),
    Shown(
        Answer,
        # A second attack adds 1/3 to each of the two; re-rolled hits make 8/9 of 2/3.
        lambda: analysis.what_if(wh40k.Volley(RIFLE, 1), MARINES),
        ("+1 Attack", "0.33", "re-roll hits", "0.11"),
    ),
]
ROSTERS = [
    Shown(
        rosters.Profile,
        lambda: rosters.Profile("Rifle", "Ranged Weapons", "", (("A", "2"), ("BS", "3+"))),
        ("Rifle", "BS 3+"),
    ),
    Shown(rosters.Datasheet, lambda: rosters.Datasheet("Wardens", rules=("Oath",)), ("Wardens", "Oath")),
]
CATALOGUES = [
    Shown(type(wh40k.TARGETS), lambda: wh40k.TARGETS, ("MEQ", "Intercessors", "10x T4 Sv3+ W2")),
    Shown(type(wh40k.EDITIONS), lambda: wh40k.EDITIONS, ("9e", "Warhammer 40,000 10th edition")),
    Shown(type(t9a.EDITIONS), lambda: t9a.EDITIONS, ("2e", "3rd edition")),
    Shown(type(tc.WEAPONS), lambda: tc.WEAPONS, ("Musket", "-1 INJURY DICE")),
]


GALLERY = [*ALGEBRA, *SEQUENCE, *WH40K, *T9A, *TRENCH_CRUSADE, *ANALYSIS, *ROSTERS, *CATALOGUES]
