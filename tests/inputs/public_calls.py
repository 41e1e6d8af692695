"""A valid call of every public name."""

from __future__ import annotations

from calls import (
    ARMY,
    BEARER,
    BLADE,
    BRAWLER,
    CAPTAIN,
    DIE,
    DISTRIBUTION,
    FIRST,
    FORTY,
    GRID,
    JOINT,
    MARINES,
    MIXED,
    NAMES,
    RIFLE,
    RULES,
    SWEEP,
    TABLE,
    Call,
    call,
)
from calls_of_games import GAME_CALLS
from tenth import analysis, wh40k

import mathhammer
from mathhammer import characteristics, distributions, expressions, modifiers, plot, rosters, t9a
from mathhammer import trench_crusade as tc
from mathhammer.modifiers import Modifier
from mathhammer.rosters import sample_army
from mathhammer.systems import registry
from mathhammer.systems.wh40k.armies import army as army_module
from mathhammer.systems.wh40k.attacks import changes

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
    "army": army_module,
    "changes": changes,
}


#: What the library makes and users only read: nobody calls it, so that nothing of it is checked.
MADE_BY_THE_LIBRARY = {
    "analysis.Grid",
    "wh40k.ActivationResult",
    "wh40k.Difference",
    "wh40k.ChargeResult",
    "wh40k.DesperateEscapeResult",
    "wh40k.Edition",
    "wh40k.EditionComparison",
    "wh40k.FastRoll",
    "wh40k.TurnResult",
    "tc.Condition",
    "tc.ExchangeResult",
    "wh40k.HazardousResult",
    "wh40k.Keyword",
    "wh40k.Focus",
    "wh40k.FocusStep",
    "wh40k.Needed",
    "wh40k.RollResult",
    "t9a.AttackResult",
    "t9a.ChargeResult",
    "t9a.CombatChoice",
    "t9a.CombatPlan",
    "t9a.CombatResult",
    "t9a.Edition",
    "t9a.RollResult",
    "t9a.RoundsResult",
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
    "distributions.IntegerDistribution",
    "distributions.Walk",
    "expressions.Condition",
    "expressions.Expression",
    "modifiers.Change",
    "modifiers.Order",
    "characteristics.CharacteristicRules",
    "characteristics.Working",
    # The tree of a file and the units of a list are what a reader of lists makes.
    "rosters.Datasheet",
    "rosters.Profile",
    "army.Army",
    "army.ModelGroup",
    "army.Unit",
    "army.WeaponLine",
    "wh40k.Army",
    "wh40k.AttackResult",
    "wh40k.Fishing",
    "wh40k.ModelGroup",
    "wh40k.RerollPlan",
    "wh40k.RuleCondition",
    "wh40k.RuleEffect",
    "wh40k.Unit",
    "wh40k.UnitRule",
    "wh40k.WeaponLine",
    # Parts of a walk, for those who write a system: its states and distributions are made by the sequences.
    "distributions.Deferred",
    "distributions.Kernel",
    "distributions.Measure",
    "distributions.best_plan",
    "distributions.in_fractions",
    # Kinds of values, errors, and what others derive from.
    "rosters.DatasheetSource",
    "registry.AttackResult",
    "registry.System",
    "mh.MathhammerError",
    "wh40k.SituationKeywords",
    "t9a.SituationKeywords",
    "tc.SituationKeywords",
}

CALLS: dict[str, Call] = {
    "mh.Distribution": call(mathhammer.Distribution, {1: 0.5, 2: 0.5}),
    "mh.JointDistribution": call(
        mathhammer.JointDistribution.independent, first=DISTRIBUTION, second=DISTRIBUTION
    ),
    "mh.dice": call(mathhammer.dice, "2D6"),
    "mh.from_text": call(mathhammer.from_text, FIRST.to_text()),
    "mh.distribution": call(mathhammer.distribution, "2D6", exact=False),
    **dict.fromkeys(
        ("mh.read_army", "rosters.read_army"),
        call(mathhammer.read_army, "list.ros", edition=None, datasheets=None),
    ),
    "Distribution.from_dict": call(mathhammer.Distribution.from_dict, DISTRIBUTION.to_dict()),
    "Distribution.from_json": call(mathhammer.Distribution.from_json, DISTRIBUTION.to_json()),
    "Distribution.from_weights": call(mathhammer.Distribution.from_weights, {1: 1, 2: 3}, exact=False),
    **{
        f"Distribution.{name}": call(getattr(DISTRIBUTION, name), *arguments)
        for name, arguments in {
            "at_least": (3,),
            "ccdf": (3,),
            "cdf": (3,),
            "pmf": (3,),
            "icdf": (0.5,),
            "compound": (DISTRIBUTION,),
            "cumulant": (2,),
            "moment": (2,),
            "dominates": (DISTRIBUTION,),
            "earth_mover": (DISTRIBUTION,),
            "kolmogorov_smirnov": (DISTRIBUTION,),
            "total_variation": (DISTRIBUTION,),
            "probability_greater": (DISTRIBUTION,),
            "repeat": (2,),
            "given": (lambda total: total > 2,),
            "reroll": (lambda total: total > 2,),
            "map": (lambda total: total + 1,),
            "sample": (3,),
            "generating_function": ("z",),
            "__add__": (1,),
        }.items()
    },
    "Distribution.kurtosis": call(DISTRIBUTION.kurtosis, convention="excess"),
    "Distribution.joint": call(DISTRIBUTION.joint, half=lambda total: total // 2),
    "JointDistribution.correlation": call(JOINT.correlation, *JOINT.axes),
    "JointDistribution.covariance": call(JOINT.covariance, *JOINT.axes),
    "JointDistribution.marginal": call(JOINT.marginal, JOINT.axes[0]),
    "JointDistribution.given": call(JOINT.given, kills=0),
    "JointDistribution.map": call(JOINT.map, lambda *state: sum(state)),
    "JointDistribution.pmf": call(JOINT.pmf, (0, 0)),
    "JointDistribution.from_dict": call(mathhammer.JointDistribution.from_dict, JOINT.to_dict()),
    "distributions.convolution": call(distributions.convolution, [DISTRIBUTION, DISTRIBUTION]),
    "distributions.maximum": call(distributions.maximum, DISTRIBUTION, DISTRIBUTION),
    "distributions.minimum": call(distributions.minimum, DISTRIBUTION, DISTRIBUTION),
    "distributions.product": call(distributions.product, DISTRIBUTION, DISTRIBUTION),
    "distributions.mixture": call(distributions.mixture, [1, 1], [DISTRIBUTION, DISTRIBUTION]),
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
    "rosters.open_datasheets": call(rosters.open_datasheets, "folder"),
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
    "wh40k.best_faces": call(
        wh40k.best_faces, RIFLE, MARINES, rolls="hits", objective="kills", edition="10e"
    ),
    "wh40k.RerollPolicy": call(
        wh40k.RerollPolicy, [(wh40k.RerollState("hit", (), ("miss",), target=(0, 0)), "miss")]
    ),
    "wh40k.RerollState": call(
        wh40k.RerollState,
        "hit",
        (("hit", 1),),
        ("hit", "miss"),
        to_come=(("wounds", 1),),
        target=(0, 0),
        volley=0,
        held=("reroll",),
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
    "wh40k.Situation": call(wh40k.Situation, cover=True),
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
    "wh40k.Incoming": call(
        wh40k.Incoming, wh40k.Modifier("subtract", 1, "a rule", of="wound"), "melee", if_stronger=True
    ),
    "wh40k.focus": call(
        wh40k.focus,
        [RIFLE, RIFLE],
        MARINES,
        units=None,
        kind="shooting",
        order="best",
        goal=0.1,
        by="units",
        start=None,
        **FORTY,
    ),
    "wh40k.needed": call(wh40k.needed, RIFLE, MARINES, 0.5, most=20, start=None, **FORTY),
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
    "wh40k.Combatant": call(
        wh40k.Combatant,
        MARINES,
        shooting=RIFLE,
        melee=BLADE,
        leadership="7+",
        fights_first=False,
        fights_on_death=None,
        removed="first",
    ),
    "wh40k.turn": call(
        wh40k.turn,
        BRAWLER,
        BRAWLER,
        ("charge", "fight"),
        distance=7,
        more_than=False,
        charge_modifier=0,
        skies=False,
        charge_reroll=False,
        engaged=False,
        best=(),
        objective="kills",
        edition="11e",
        rulings=None,
        exact=False,
        start=None,
    ),
    "wh40k.hazardous": call(
        wh40k.hazardous, BLADE, BEARER, count=2, command_reroll=False, edition="10e", exact=False, start=None
    ),
    "wh40k.desperate_escape": call(
        wh40k.desperate_escape, BEARER, fails_up_to=2, command_reroll=False, edition="10e", exact=False
    ),
    "wh40k.charge": call(
        wh40k.charge, 9, more_than=False, modifier=0, reroll=False, edition="10e", exact=False
    ),
    "wh40k.battle_shock": call(
        wh40k.battle_shock, "7+", modifier=0, worsen=0, reroll=False, edition="10e", exact=False
    ),
    "wh40k.probability_half_strength": call(
        wh40k.probability_half_strength, FIRST, starting_strength=10, edition="10e"
    ),
    "wh40k.crushing_impact": call(wh40k.crushing_impact, 6, exact=False),
    "wh40k.mortal_wounds": call(wh40k.mortal_wounds, "D3", MARINES, edition="10e", exact=False, start=None),
    "wh40k.parse_keywords": call(wh40k.parse_keywords, "Heavy", "keep"),
    "wh40k.tank_shock": call(wh40k.tank_shock, 6),
    "UnitDistribution.given": call(FIRST.given, lambda state: state[0] == 0),
    "UnitAttackResult.kills_of": call(MIXED.kills_of, "Captain"),
    "wh40k.Change": call(wh40k.Change, "better", lambda volley, _common: volley),
    "changes.Change": call(changes.Change, "better", lambda volley, _common: volley),
    "changes.ability": call(changes.ability, "Heavy"),
    "changes.modifier": call(changes.modifier, "+1 to hit", "hit_modifier", 1),
    "changes.every_change": call(changes.every_change),
    "changes.profile": call(changes.profile, "+1 Attack", lambda weapon: {"attacks": weapon.attacks + 1}),
    "changes.situation": call(changes.situation, "re-roll hits", reroll_hits="failed"),
    "analysis.Attacker": call(analysis.Attacker, "rifle", RIFLE, 80, "attack"),
    "analysis.Defender": call(analysis.Defender, "marines", MARINES),
    "analysis.army_table": call(
        analysis.army_table, ARMY, [MARINES], keep_distributions=False, progress=None, **TABLE
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
        keep_distributions=True,
        both_ways=False,
        executor=None,
        block=None,
        progress=None,
        **TABLE,
    ),
    "analysis.sweep": call(analysis.sweep, RIFLE, "MEQ", {"toughness": (3, 4)}, **TABLE),
    "analysis.rule_worths": call(analysis.rule_worths, ARMY, "MEQ", **TABLE),
    "analysis.what_if": call(analysis.what_if, RIFLE, "MEQ", changes=changes.CHANGES[:2], **TABLE),
    "Grid.kills": call(GRID.kills, "rifle", "MEQ"),
    "Grid.column": call(GRID.column, "MEQ"),
    "Grid.metric": call(GRID.metric, "mean_wounds_lost"),
    "Grid.quantile": call(GRID.quantile, 0.5),
    "Sweep.metric": call(SWEEP.metric, "mean_wounds_lost"),
    "plot.compare": call(
        plot.compare, kind="at_least", ax=None, title=None, unit=None, a=DISTRIBUTION, b=DISTRIBUTION
    ),
    "plot.draw": call(plot.draw, FIRST, "pmf", of="kills", ax=None, title=None),
    **GAME_CALLS,
}
