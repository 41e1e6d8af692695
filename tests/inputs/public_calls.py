"""One valid call of every public function and class, and of the methods that take what a user writes."""

from __future__ import annotations

from typing import Any, NamedTuple

import mathhammer
from mathhammer import (
    analysis,
    characteristics,
    distributions,
    expressions,
    modifiers,
    plot,
    rosters,
    t9a,
    wh40k,
)
from mathhammer import trench_crusade as tc
from mathhammer.modifiers import Modifier
from mathhammer.rosters import sample_army
from mathhammer.systems import registry, suite
from mathhammer.systems.wh40k import army as army_module
from mathhammer.systems.wh40k import changes

__all__ = ["CALLS", "MADE_BY_THE_LIBRARY", "MODULES", "Call"]

MODULES = {
    "mh": mathhammer,
    "analysis": analysis,
    "plot": plot,
    "rosters": rosters,
    "wh40k": wh40k,
    "t9a": t9a,
    "tc": tc,
    "distributions": distributions,
    "expressions": expressions,
    "modifiers": modifiers,
    "characteristics": characteristics,
    "registry": registry,
    "suite": suite,
    "army": army_module,
    "changes": changes,
}


class Call(NamedTuple):
    """A valid call, of which one argument after another is replaced."""

    function: Any
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


def call(function: Any, *arguments: Any, **keywords: Any) -> Call:
    return Call(function, arguments, keywords)


#: What the library makes and users only read: nobody calls it, so that nothing of it is checked.
MADE_BY_THE_LIBRARY = {
    "analysis.ArmyTable",
    "analysis.Assignment",
    "analysis.BreakEven",
    "analysis.Cell",
    "analysis.Frontier",
    "analysis.Grid",
    "analysis.Options",
    "analysis.Row",
    "analysis.Sweep",
    "analysis.WeaponUse",
    "analysis.WhatIf",
    "wh40k.Activation",
    "wh40k.Edition",
    "wh40k.EditionComparison",
    "wh40k.FastRoll",
    "wh40k.HazardousResult",
    "wh40k.Keyword",
    "t9a.AttackResult",
    "t9a.ChargeResult",
    "t9a.CombatResult",
    "t9a.Edition",
    "t9a.RollResult",
    "tc.AttackResult",
    "tc.BlastResult",
    "tc.Decision",
    "tc.Keyword",
    "tc.Morale",
    "tc.Plan",
    "tc.Roll",
    "tc.State",
    "tc.Table",
    "distributions.CategoricalDistribution",
    "distributions.GeneratingFunction",
    "distributions.IntegerLaw",
    "distributions.Walk",
    "expressions.Condition",
    "expressions.Expression",
    "modifiers.Change",
    "modifiers.Order",
    "characteristics.CharacteristicRules",
    "characteristics.Working",
    "registry.Sample",
    # The tree of a file and the units of a list are what a reader of lists makes.
    "rosters.Cost",
    "rosters.Datasheet",
    "rosters.Force",
    "rosters.Profile",
    "rosters.RosterFile",
    "rosters.Selection",
    "army.Army",
    "army.ModelGroup",
    "army.Unit",
    "army.WeaponLine",
    "analysis.Crossing",
    "analysis.Efficient",
    "analysis.Option",
    "analysis.Worth",
    "wh40k.Army",
    "wh40k.AttackResult",
    "wh40k.ModelGroup",
    "wh40k.Unit",
    "wh40k.WeaponLine",
    # Parts of a walk, for those who write a system: its states and laws are made by the sequences.
    "distributions.Deferred",
    "distributions.step_matrices",
    # Kinds of values, errors, and what others derive from.
    "rosters.DatasheetSource",
    "registry.Resolve",
    "registry.Result",
    "registry.System",
    "suite.SystemSuite",
    # It runs the whole suite: a wrong argument is tried in the test of the suite.
    "suite.check",
    "mh.MathhammerError",
    "wh40k.SituationKeywords",
    "t9a.SituationKeywords",
}

RIFLE = wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP-1 D1')
BLADE = wh40k.Weapon.parse("Blade: A2 WS3+ S4 AP-1 D1 [HAZARDOUS]")
MARINES = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=3, points=60)
CAPTAIN = wh40k.Target("Captain", toughness=4, save="3+", wounds=5, points=80)
BEARER = wh40k.Target("Bearer", toughness=4, save="3+", wounds=2, models=3, keywords="Infantry")
FIRST = wh40k.attack(RIFLE, MARINES)
MIXED = wh40k.attack(RIFLE, wh40k.TargetUnit("Squad", [MARINES], [CAPTAIN]))
ARMY = sample_army()
NAMES = [unit.name for unit in ARMY.units]
DIE = mathhammer.dice("D6")
LAW = mathhammer.distribution("2D6")
JOINT = FIRST.state
GRID = analysis.grid({"rifle": analysis.Attacker("rifle", wh40k.Volley(RIFLE, 5), points=80)}, "MEQ")
SWEEP = analysis.sweep(RIFLE, "MEQ", {"toughness": (3, 4)})

SPEARS = t9a.ModelPart("Spears", attacks=1, models=4, strength=3, offensive_skill=3)
ORCS = t9a.Target("Orcs", models=4, resilience=4, defensive_skill=3)
REGIMENT = t9a.Unit(ORCS, SPEARS)
T9A = t9a.attack(SPEARS, ORCS)

GUN = tc.WEAPONS["Shotgun"]
SHOT = tc.Attack(weapon=GUN)
YEOMAN = tc.Target("Yeoman")

RULES: dict[str, Any] = {"rulings": None, "exact": False}
FORTY: dict[str, Any] = {"edition": "10e", "rulings": None, "exact": False}
TABLE: dict[str, Any] = {"edition": "10e", "rulings": None}
OLD: dict[str, Any] = {"edition": "2e", "rulings": None}


CALLS: dict[str, Call] = {
    "mh.Distribution": call(mathhammer.Distribution, {1: 0.5, 2: 0.5}),
    "mh.JointDistribution": call(mathhammer.JointDistribution.independent, first=LAW, second=LAW),
    "mh.dice": call(mathhammer.dice, "2D6"),
    "mh.from_text": call(mathhammer.from_text, FIRST.to_text()),
    "mh.distribution": call(mathhammer.distribution, "2D6", exact=False),
    **dict.fromkeys(
        ("mh.read_army", "rosters.read_army"),
        call(mathhammer.read_army, "list.ros", edition=None, datasheets=None),
    ),
    "Distribution.from_dict": call(mathhammer.Distribution.from_dict, LAW.to_dict()),
    "Distribution.from_json": call(mathhammer.Distribution.from_json, LAW.to_json()),
    "Distribution.from_weights": call(mathhammer.Distribution.from_weights, {1: 1, 2: 3}, exact=False),
    **{
        f"Distribution.{name}": call(getattr(LAW, name), *arguments)
        for name, arguments in {
            "at_least": (3,),
            "ccdf": (3,),
            "cdf": (3,),
            "pmf": (3,),
            "icdf": (0.5,),
            "compound": (LAW,),
            "cumulant": (2,),
            "moment": (2,),
            "dominates": (LAW,),
            "earth_mover": (LAW,),
            "kolmogorov_smirnov": (LAW,),
            "total_variation": (LAW,),
            "probability_greater": (LAW,),
            "repeat": (2,),
            "given": (lambda total: total > 2,),
            "reroll": (lambda total: total > 2,),
            "map": (lambda total: total + 1,),
            "sample": (3,),
            "generating_function": ("z",),
            "__add__": (1,),
        }.items()
    },
    "Distribution.kurtosis": call(LAW.kurtosis, convention="excess"),
    "Distribution.joint": call(LAW.joint, half=lambda total: total // 2),
    "JointDistribution.correlation": call(JOINT.correlation, *JOINT.axes),
    "JointDistribution.covariance": call(JOINT.covariance, *JOINT.axes),
    "JointDistribution.marginal": call(JOINT.marginal, JOINT.axes[0]),
    "JointDistribution.given": call(JOINT.given, models_destroyed=0),
    "JointDistribution.map": call(JOINT.map, lambda *state: sum(state)),
    "JointDistribution.pmf": call(JOINT.pmf, (0, 0)),
    "JointDistribution.from_dict": call(mathhammer.JointDistribution.from_dict, JOINT.to_dict()),
    "distributions.maximum": call(distributions.maximum, LAW, LAW),
    "distributions.minimum": call(distributions.minimum, LAW, LAW),
    "distributions.product": call(distributions.product, LAW, LAW),
    "distributions.mixture": call(distributions.mixture, [1, 1], [LAW, LAW]),
    "expressions.as_condition": call(expressions.as_condition, ">=3"),
    "expressions.as_expression": call(expressions.as_expression, 3),
    "expressions.ceil": call(expressions.ceil, DIE),
    "expressions.floor": call(expressions.floor, DIE),
    "expressions.faces": call(expressions.faces, [1, 2, 2]),
    "expressions.highest": call(expressions.highest, 1, DIE, DIE),
    "expressions.lowest": call(expressions.lowest, 1, DIE, DIE),
    "expressions.middle": call(expressions.middle, 1, 1, DIE, DIE, DIE),
    "expressions.let": call(expressions.let, DIE, lambda value: value + 1),
    "expressions.maximum": call(expressions.maximum, DIE, 3),
    "expressions.minimum": call(expressions.minimum, DIE, 3),
    "expressions.mix": call(expressions.mix, {DIE: 1}),
    "expressions.with_modifiers": call(
        expressions.with_modifiers, DIE, [Modifier("add", 1, "rule")], ("add",)
    ),
    **{
        f"Expression.{name}": call(getattr(mathhammer.dice("3D6"), name), *arguments)
        for name, arguments in {
            "at_least": (9,),
            "compare": (">=", 9),
            "keep_highest": (2,),
            "keep_lowest": (2,),
            "maximised": (1,),
            "minimised": (1,),
            "__add__": (1,),
            "__mul__": (2,),
        }.items()
    },
    "Expression.explode": call(DIE.explode, 6, depth=2),
    "Expression.reroll": call(DIE.reroll, 1, natural=False),
    "Expression.given": call(DIE.given, ">=2"),
    "Expression.distribution": call(DIE.distribution, exact=False),
    "Expression.reroll_best": call(mathhammer.dice("2D6").reroll_best, target=9, dice=1),
    "modifiers.Modifier": call(Modifier, "add", 1, "rule", of="damage", when=None, unmodified=None),
    "modifiers.as_modifiers": call(modifiers.as_modifiers, 1, "rule"),
    "modifiers.changes": call(modifiers.changes, 3, [Modifier("add", 1, "rule")], ("add",), least=1, most=9),
    "modifiers.modified": call(
        modifiers.modified, 3, [Modifier("add", 1, "rule")], ("add",), least=1, most=9
    ),
    "modifiers.clamped_total": call(modifiers.clamped_total, [Modifier("add", 1, "rule")], -1, 1),
    "characteristics.Characteristic": call(
        characteristics.Characteristic, 3, characteristics.CharacteristicRules("Strength"), ()
    ),
    "registry.find_system": call(registry.find_system, "40k"),
    "registry.systems": call(registry.systems),
    **{
        f"suite.{name}": call(getattr(suite, name), registry.find_system("40k").samples("10e")[0])
        for name in ("check_arithmetics", "check_brute_force", "check_mass", "check_monotone", "check_result")
    },
    "suite.law_of_play": call(suite.law_of_play, lambda die: die()),
    "rosters.open_datasheets": call(rosters.open_datasheets, "folder"),
    "rosters.parse_roster": call(rosters.parse_roster, b'<roster name="A"><forces/></roster>', "the example"),
    "rosters.read_roster": call(rosters.read_roster, "list.ros"),
    "rosters.read_text_list": call(rosters.read_text_list, "list.txt"),
    "rosters.sample_army": call(sample_army),
    "Army.attach": call(ARMY.attach, NAMES[0], NAMES[1]),
    "Unit.has_keyword": call(ARMY.units[0].has_keyword, "Infantry"),
    "wh40k.Modifier": call(wh40k.Modifier, "add", 1, "rule"),
    "wh40k.Target": call(
        wh40k.Target,
        "Marines",
        toughness=4,
        save="3+",
        wounds=2,
        models=5,
        invulnerable="5+",
        feel_no_pain="6+",
        feel_no_pain_mortal="5+",
        damage_reduction=1,
        half_damage=False,
        keywords="Infantry",
        points=80,
        wounds_lost=1,
        damage_1_save_bonus=1,
    ),
    "Target.parse": call(wh40k.Target.parse, "Marines: 5x T4 Sv3+ W2"),
    "Weapon.parse": call(wh40k.Weapon.parse, "Rifle: A2 BS3+ S4 AP0 D1"),
    "wh40k.Weapon.has": call(RIFLE.has, "Heavy"),
    "wh40k.TargetUnit": call(
        wh40k.TargetUnit, "Squad", [MARINES], [CAPTAIN], allocation="given", objective="kills"
    ),
    "wh40k.Trigger": call(
        wh40k.Trigger,
        "hit",
        "unmodified 6",
        "rule",
        extra_hits=1,
        extra_attacks=1,
        mortal_wounds=1,
        instead=False,
        wounds=True,
        improve_ap=1,
        ap=-2,
        bearer="slain",
    ),
    "wh40k.Volley": call(wh40k.Volley, RIFLE, 3),
    "wh40k.Weapon": call(
        wh40k.Weapon,
        "Rifle",
        range='24"',
        attacks=2,
        skill="3+",
        strength=4,
        ap=-1,
        damage=1,
        keywords="Heavy",
    ),
    "wh40k.MortalWounds": call(wh40k.MortalWounds, "D3", "a rule"),
    "wh40k.activations": call(
        wh40k.activations,
        [RIFLE, [RIFLE, BLADE]],
        MARINES,
        order="best",
        objective="kills",
        start=None,
        **FORTY,
    ),
    "wh40k.attack": call(wh40k.attack, RIFLE, MARINES, count=2, start=None, **FORTY),
    "wh40k.best_order": call(
        wh40k.best_order, [RIFLE, BLADE], MARINES, objective="kills", start=None, **FORTY
    ),
    "wh40k.compare_editions": call(
        wh40k.compare_editions,
        RIFLE,
        MARINES,
        editions=("9e", "10e"),
        count=1,
        **RULES,
    ),
    "wh40k.deadly_demise": call(wh40k.deadly_demise, "D3"),
    "wh40k.fast_roll_check": call(wh40k.fast_roll_check, RIFLE, MARINES, count=2, **FORTY),
    "wh40k.find_target": call(wh40k.find_target, "MEQ"),
    "wh40k.grenade": call(wh40k.grenade),
    "wh40k.hazardous": call(
        wh40k.hazardous, BLADE, BEARER, count=2, command_reroll=False, exact=False, start=None
    ),
    "wh40k.mortal_wounds": call(wh40k.mortal_wounds, "D3", MARINES, exact=False, start=None),
    "wh40k.parse_keywords": call(wh40k.parse_keywords, "Heavy", "keep"),
    "wh40k.tank_shock": call(wh40k.tank_shock, 6),
    "UnitLaw.given": call(FIRST.given, lambda state: state[0] == 0),
    "UnitAttackResult.kills_of": call(MIXED.kills_of, "Captain"),
    "wh40k.Change": call(wh40k.Change, "better", lambda volley, _common: volley),
    "changes.Change": call(changes.Change, "better", lambda volley, _common: volley),
    "changes.ability": call(changes.ability, "Heavy"),
    "changes.modifier": call(changes.modifier, "+1 to hit", "hit_modifier", 1),
    "changes.profile": call(changes.profile, "+1 Attack", lambda weapon: {"attacks": weapon.attacks + 1}),
    "changes.situation": call(changes.situation, "re-roll hits", reroll_hits="failed"),
    "analysis.Attacker": call(analysis.Attacker, "rifle", RIFLE, 80, "attack"),
    "analysis.Defender": call(analysis.Defender, "marines", MARINES),
    "analysis.army_table": call(
        analysis.army_table, ARMY, [MARINES], keep_laws=False, progress=None, **TABLE
    ),
    "analysis.assign": call(
        analysis.assign, {"rifle": RIFLE}, "MEQ", objective="models", kind="shooting", **TABLE
    ),
    "analysis.break_even": call(
        analysis.break_even, RIFLE, BLADE, "MEQ", "toughness", (3, 4), metric="mean_wounds_lost", **TABLE
    ),
    "analysis.choose": call(
        analysis.choose, {"rifle": RIFLE}, {"MEQ": 1.0}, metric="mean_wounds_lost", **TABLE
    ),
    "analysis.frontier": call(analysis.frontier, GRID, "MEQ", metric="points_destroyed"),
    "analysis.grid": call(
        analysis.grid,
        RIFLE,
        "MEQ",
        keep_laws=True,
        both_ways=False,
        executor=None,
        block=None,
        progress=None,
        **TABLE,
    ),
    "analysis.sweep": call(analysis.sweep, RIFLE, "MEQ", {"toughness": (3, 4)}, **TABLE),
    "analysis.what_if": call(analysis.what_if, RIFLE, "MEQ", changes=changes.CHANGES[:2], **TABLE),
    "Grid.kills": call(GRID.kills, "rifle", "MEQ"),
    "Grid.column": call(GRID.column, "MEQ"),
    "Grid.metric": call(GRID.metric, "mean_wounds_lost"),
    "Grid.quantile": call(GRID.quantile, 0.5),
    "Sweep.metric": call(SWEEP.metric, "mean_wounds_lost"),
    "plot.compare": call(plot.compare, kind="at_least", ax=None, title=None, unit=None, a=LAW, b=LAW),
    "plot.funnel": call(plot.funnel, FIRST, ax=None, title=None),
    "plot.grid": call(plot.grid, GRID, "mean_wounds_lost", ax=None, title=None),
    "plot.heat_map": call(plot.heat_map, JOINT, ax=None, title=None),
    "plot.law": call(plot.law, LAW, "pmf", ax=None, title=None, unit="outcome"),
    "plot.outcomes": call(plot.outcomes, tc.success_roll().outcome, "pmf", ax=None, title=None),
    "plot.injuries": call(plot.injuries, tc.attack(SHOT, YEOMAN), "outcome", ax=None, title=None),
    "plot.combat": call(plot.combat, t9a.fight(REGIMENT, REGIMENT), "losses", ax=None, title=None),
    "plot.result": call(plot.result, FIRST, "pmf", of="kills", ax=None, title=None),
    "t9a.Bracketed": call(t9a.Bracketed, strength=5, armour_penetration=1, multiple_wounds="D3"),
    "t9a.DirectionDie": call(t9a.DirectionDie),
    "expressions.DirectionDie": call(expressions.DirectionDie),
    "expressions.dice": call(expressions.dice, "2D6"),
    "expressions.distribution": call(expressions.distribution, "2D6", exact=False),
    "distributions.Distribution": call(distributions.Distribution, {1: 0.5, 2: 0.5}),
    "distributions.JointDistribution": call(distributions.JointDistribution.independent, first=LAW),
    "t9a.ModelPart": call(
        t9a.ModelPart,
        "Spears",
        attacks=1,
        models=10,
        strength=3,
        armour_penetration=0,
        offensive_skill=3,
        aim=None,
        agility=3,
        attributes="Lethal Strike",
        bracketed=None,
        at="rank and file",
        of="rank and file",
        behind=0,
        special=False,
    ),
    "t9a.Target": call(
        t9a.Target,
        "Orcs",
        models=20,
        health_points=1,
        resilience=4,
        defensive_skill=3,
        armour=1,
        aegis="6+",
        fortitude=None,
        attributes="",
        champion=None,
        lost=0,
        started_as=None,
    ),
    "t9a.Target.parse": call(t9a.Target.parse, "Orcs: 20x HP1 Res4"),
    "t9a.Target.has": call(ORCS.has, "Fearless"),
    "t9a.Unit": call(
        t9a.Unit,
        ORCS,
        SPEARS,
        discipline=7,
        characters=(),
        charging=False,
        rank_width=5,
        rank_bonus=None,
        standards=1,
        flanks=0,
        bonus=0,
        afraid=False,
        steadfast=None,
        stubborn=False,
        steady=False,
        solid=False,
        unstable=False,
        undead=False,
        modifier=0,
        commanding_presence=None,
        minimised=0,
        maximised=0,
        reroll=False,
        situation=None,
    ),
    "t9a.armour_of": call(t9a.armour_of, "shield", two_handed=False),
    "t9a.attack": call(t9a.attack, SPEARS, ORCS, exact=False, start=None, **OLD),
    "t9a.AttackResult.given": call(T9A.given, lambda _state: True),
    "t9a.break_test": call(
        t9a.break_test,
        7,
        2,
        steadfast=False,
        stubborn=False,
        steady=False,
        solid=False,
        modifier=0,
        commanding_presence=None,
        minimised=0,
        maximised=0,
        reroll=False,
        exact=False,
        **OLD,
    ),
    "t9a.breath_attack": call(
        t9a.breath_attack,
        strength=4,
        armour_penetration=1,
        models=1,
        agility=3,
        attributes="",
        at="rank and file",
    ),
    "t9a.characteristic": call(
        t9a.characteristic,
        3,
        [Modifier("add", 1, "rule")],
        limits=None,
        least=0,
        most=None,
        same_step="lowest",
    ),
    "t9a.characteristic_test": call(t9a.characteristic_test, 3, reroll=False, exact=False, **OLD),
    "t9a.charge": call(
        t9a.charge,
        distance=10,
        advance=5,
        swiftstride=False,
        maximised=0,
        minimised=0,
        champion=False,
        reroll=False,
        random_movement=None,
        exact=False,
        **OLD,
    ),
    "t9a.crush_attack": call(t9a.crush_attack, offensive_skill=4, at="rank and file"),
    "t9a.dice": call(t9a.dice, "2D6", maximised=0, minimised=0, **OLD),
    **{
        f"t9a.{name}": call(
            getattr(t9a, name),
            7,
            modifier=0,
            commanding_presence=None,
            minimised=0,
            maximised=0,
            reroll=False,
            exact=False,
            **OLD,
        )
        for name in ("discipline_test", "fear_test", "panic_test", "rally_test")
    },
    "t9a.fight": call(t9a.fight, REGIMENT, REGIMENT, first_round=True, duel=False, exact=False, **OLD),
    "t9a.find_edition": call(t9a.find_edition, "2e"),
    **{
        f"t9a.{name}": call(
            getattr(t9a, name),
            swiftstride=False,
            maximised=0,
            minimised=0,
            random_movement=None,
            exact=False,
            **OLD,
        )
        for name in ("flee", "pursuit")
    },
    **{
        f"t9a.{name}": call(
            getattr(t9a, name),
            "D6",
            strength=4,
            armour_penetration=1,
            models=1,
            attributes="",
            at="rank and file",
        )
        for name in ("grind_attacks", "impact_hits", "stomp_attacks", "sweeping_attack")
    },
    "t9a.panic_threshold": call(t9a.panic_threshold, 20, edition="2e", rounding="at-least"),
    "t9a.parse_attributes": call(t9a.parse_attributes, "Lethal Strike"),
    "t9a.probability_caught": call(t9a.probability_caught, LAW, LAW),
    "t9a.unstable_losses": call(
        t9a.unstable_losses,
        3,
        stubborn=False,
        steadfast=False,
        rank_bonus=0,
        battle_standard=False,
        reduction=0,
    ),
    "tc.Activation": call(tc.Activation, (SHOT,), tc.Attacker("A"), fireteam=False),
    "tc.Attack": call(
        tc.Attack,
        weapon=GUN,
        long_range=False,
        elevated=False,
        cover=False,
        off_hand=False,
        charged=False,
        diving=False,
        moved=False,
        in_melee=False,
        into_melee=False,
        on_failure=False,
        bystander=False,
        dice=0,
        injury_dice=0,
        injury_modifier=0,
        shaken=False,
        reroll=False,
        ammunition="",
    ),
    "tc.Attacker": call(
        tc.Attacker, "A", ranged=0, melee=0, blood=0, blessing=None, infection=0, down=False, keywords=""
    ),
    "tc.Reply": call(tc.Reply, blood=0, infection=0, blessing=0),
    "tc.Spend": call(tc.Spend, success=0, blood=0, infection=0, bloodbath=False),
    "tc.Target": call(
        tc.Target,
        "B",
        armour="none",
        shield=False,
        characteristic=0,
        armour_dice=0,
        impervious=(),
        injury_dice=0,
        injury_modifier=0,
        blood=1,
        blessing=None,
        infection=0,
        down=False,
        tough_used=False,
        keywords="",
    ),
    "tc.TargetActivation": call(tc.TargetActivation, stands_up=True),
    "tc.Weapon": call(
        tc.Weapon,
        "Gun",
        kind="ranged",
        dice=0,
        injury_dice=0,
        injury_modifier=0,
        keywords="",
        dice_off_hand=None,
    ),
    "tc.attack": call(
        tc.attack,
        SHOT,
        YEOMAN,
        attacker=None,
        spend=None,
        reply=None,
        objective="out of action",
        spends_first=None,
        initiative=None,
        edition="1.0.2",
        rulings=None,
        exact=False,
    ),
    "tc.best_order": call(tc.best_order, [tc.Activation((SHOT,))], YEOMAN, objective="out of action"),
    "tc.blast": call(
        tc.blast,
        tc.Attack(weapon=next(weapon for weapon in tc.WEAPONS.values() if "BLAST" in str(weapon.keywords))),
        [YEOMAN],
        attacker=None,
        scattered=None,
        spend=None,
        reply=None,
        edition="1.0.2",
        rulings=None,
        exact=False,
    ),
    "tc.bloodbath_roll": call(tc.bloodbath_roll, 0, 0, keywords="", **RULES),
    "tc.charge": call(tc.charge, 6, heavy=False, skirmisher=False, exact=False),
    "tc.dangerous_terrain": call(tc.dangerous_terrain, YEOMAN, dice=0, mined=False),
    "tc.fall": call(tc.fall, YEOMAN, 5),
    "tc.injury_roll": call(tc.injury_roll, 0, 0, keywords="", bloodbath=False, **RULES),
    "tc.injury_table": call(
        tc.injury_table,
        range(-1, 2),
        (0, -1),
        at_least="out of action",
        bloodbath=False,
        keywords="",
        **RULES,
    ),
    "tc.ledge": call(tc.ledge, YEOMAN, 5, dice=0),
    "tc.morale": call(tc.morale, 6, leader=False, leader_later=None, dice=0, down=False, **RULES),
    "tc.parse_keywords": call(tc.parse_keywords, "HEAVY"),
    "tc.scatter": call(tc.scatter, 0, exact=False),
    "tc.success_roll": call(tc.success_roll, 0, reroll=False, exact=False),
    "tc.success_table": call(tc.success_table, range(-1, 2), exact=False),
}
