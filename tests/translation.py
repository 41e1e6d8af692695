"""Write the referee's plain volleys and units as a player types them, and read the package's answer back."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from plain_dice import certainly, then
from referees.wh40k import pools
from referees.wh40k.profiles import TENTH, MortalWounds
from tenth import wh40k

from mathhammer.modifiers import Modifier

if TYPE_CHECKING:
    from plain_dice import Pmf
    from referees.wh40k.game import Entry
    from referees.wh40k.profiles import Kind, Rule, Rules, Unit, Volley

NAMES = ("Trooper", "Sergeant", "Captain", "Medic", "Squire")
FLAGS = {
    "torrent": "Torrent",
    "pistol": "Pistol",
    "heavy": "Heavy",
    "assault": "Assault",
    "lance": "Lance",
    "indirect_fire": "Indirect Fire",
    "ignores_cover": "Ignores Cover",
    "conversion": "Conversion",
    "psychic": "Psychic",
    "lethal_hits": "Lethal Hits",
    "devastating_wounds": "Devastating Wounds",
    "twin_linked": "Twin-linked",
    "precision": "Precision",
}
NUMBERS = {"blast": "Blast", "cleave": "Cleave", "rapid_fire": "Rapid Fire", "melta": "Melta"}
SITUATION = (
    *("half_range", "long_range", "stationary", "moved", "advanced", "charged", "target_charged", "cover"),
    *("stealth", "smokescreen", "go_to_ground", "engaged", "plunging_fire", "damaged", "overwatch"),
    *("indirect", "spotted"),
)
#: What a change for the better is called, and one for the worse.
OPERATIONS = {
    "attacks": ("add", "subtract"),
    "skill": ("improve", "worsen"),
    "strength": ("add", "subtract"),
    "ap": ("improve", "worsen"),
    "damage": ("add", "subtract"),
}
#: Of a ruling of the referee the package's, with its options for what is not the default.
RULINGS: dict[str, tuple[str, dict[Any, str]]] = {
    "order": ("mortal_wounds_order", {}),
    "devastating_wait": ("devastating_timing", {False: "after-weapon"}),
    "mortal_wait": ("mortal_wounds_timing", {False: "after-weapon"}),
    "damage_to_0": ("damage_to_0", {}),
    "ignored_count": ("ignored_mortal_wounds", {False: "not-allocated"}),
    "begun_first": ("leaders_begun", {True: "goes-first"}),
    "lethal": ("lethal_choice", {}),
    "split": ("split_pool_order", {"special-last": "special last"}),
    "precision_first": ("special_pools_order", {False: "better AP first"}),
    "critical_must_hit": ("crit_wording", {True: "successful"}),
    "snap_criticals": ("rules_date", {True: "2026-08"}),
    "snap_torrent": ("snap_torrent", {True: "only 6"}),
    "low_critical_indirect": ("indirect_v_low_critical", {True: "critical"}),
    "reduces_devastating": ("dw_and_damage_reduction", {True: "always"}),
    "extra_hits_share": ("critical_extra_hits", {True: "all its hits"}),
    "second": ("precision_second_character", {True: "yes"}),
}


def keyword_text(plain: Volley, rules: Rules) -> str:
    words = [text for name, text in FLAGS.items() if getattr(plain, name)]
    words += [f"Sustained Hits {extra}" for extra in plain.sustained_hits]
    words += [f"Anti-{keyword} {number}+" for keyword, number in plain.anti]
    for name, text in NUMBERS.items():
        if number := getattr(plain, name):
            words.append(text if name == "blast" and rules.edition != "11e" else f"{text} {number}")
    return ", ".join(words)


def weapon(plain: Volley, rules: Rules = TENTH) -> wh40k.Weapon:
    return wh40k.Weapon(
        "Weapon",
        range="Melee" if plain.melee else '24"',
        attacks=str(plain.attacks),
        skill="N/A" if plain.skill is None else f"{plain.skill}+",
        strength=str(plain.strength),
        ap=plain.ap,
        damage=str(plain.damage),
        keywords=keyword_text(plain, rules),
    )


def situation(plain: Volley, unit: Unit = (), rules: Rules = TENTH) -> dict[str, Any]:
    """The situation keywords that are not at rest; several modifiers of one roll stay several."""
    said: dict[str, Any] = {name: True for name in SITUATION if getattr(plain, name)}
    if plain.terrain:
        said["cover"] = plain.terrain
    for roll in ("hit", "wound", "save"):
        if numbers := getattr(plain, f"{roll}_modifier"):
            said[f"{roll}_modifier"] = [
                Modifier("add", n, f"rule {place}") for place, n in enumerate(numbers)
            ]
    for roll in ("hits", "wounds", "damage", "saves"):
        if policy := getattr(plain, f"reroll_{roll}"):
            said[f"reroll_{roll}"] = policy if isinstance(policy, str) else set(policy)
    said |= {f"reroll_{roll}": "one" if of == "own" else None for roll, of in plain.says}
    for roll in ("hit", "wound"):
        if (face := getattr(plain, f"critical_{roll}")) < 6:
            must_succeed = getattr(plain, f"critical_{roll}_must_succeed")
            said[f"critical_{roll}"] = f"successful {face}+" if must_succeed else face
    if plain.wounds_on is not None:
        said["wounds_on"] = plain.wounds_on
    if plain.wound_fails_up_to > 1:
        said["wound_fails_up_to"] = plain.wound_fails_up_to
    if plain.ignored:
        said["ignore_modifiers"] = plain.ignored
    changes = [
        wh40k.Modifier(better if change > 0 else worse, abs(change), f"rule {place}", of=name)  # type: ignore[arg-type]
        for name, (better, worse) in OPERATIONS.items()
        for place, change in enumerate(getattr(plain, f"{name}_change"))
    ]
    if plain.damage_halved:
        changes.append(wh40k.Modifier("divide", 2, "a rule that halves", of="damage"))
    triggers = [trigger(rule, f"rule {place}") for place, rule in enumerate(plain.rules)]
    if plain.ap_on_critical_wounds:
        triggers.append(wh40k.Trigger("wound", "critical", "Rending", improve_ap=plain.ap_on_critical_wounds))
    if plain.precision_on_critical_hits:
        triggers.append(wh40k.Trigger("hit", "critical", "Marksmen", precision=True))
    if named := plain.precision or plain.precision_on_critical_hits:
        heroes = sum(kind.character if rules.edition == "11e" else kind.leader for kind in unit)
        said["precision"] = NAMES[named[0]] if len(named) < heroes else True
    return said | {name: value for name, value in (("modifiers", changes), ("triggers", triggers)) if value}


def trigger(rule: Rule, name: str) -> wh40k.Trigger:
    span = f"{rule.low}+" if rule.high is None else str(rule.low)
    on = {"unmodified": f"unmodified {span}", "modified": span}.get(rule.on, rule.on)
    numbers: dict[str, Any] = {
        effect: str(dice)
        for effect in ("extra_hits", "extra_attacks", "mortal_wounds")
        if (dice := getattr(rule, effect)) is not None
    }
    does = {"instead": rule.instead, "wounds": rule.wounds, "improve_ap": rule.improve_ap, "ap": rule.ap}
    return wh40k.Trigger(rule.roll, on, name, **does, **numbers)  # type: ignore[arg-type]


def volley(plain: Volley, unit: Unit = (), rules: Rules = TENTH) -> wh40k.Volley:
    return wh40k.Volley(weapon(plain, rules), plain.weapons, **situation(plain, unit, rules))


def entry(plain: Entry, unit: Unit = (), rules: Rules = TENTH) -> Any:
    if isinstance(plain, MortalWounds):
        return wh40k.MortalWounds(str(plain.number).replace("+-", "-"), "Hex")
    return volley(plain, unit, rules)


def target(kind: Kind, name: str = "Unit", rules: Rules = TENTH) -> wh40k.Target:
    invulnerable = None if kind.invulnerable is None else f"{kind.invulnerable}+"
    if invulnerable is not None and kind.invulnerable_against is not None:
        invulnerable += f" {kind.invulnerable_against}"
    words = kind.keywords
    if rules.edition == "11e":  # a leader without any keyword is taken for a Character
        words = (*words, "Character" if kind.character else "Retinue")
    same = ("toughness", "wounds", "models", "feel_no_pain", "feel_no_pain_mortal", "feel_no_pain_psychic")
    same += ("damage_reduction", "half_damage", "damage_1_save_bonus", "damage_to_0")  # type: ignore[assignment]
    return wh40k.Target(
        name,
        **{field: getattr(kind, field) for field in same},
        save=None if kind.save is None else f"{kind.save}+",
        invulnerable=invulnerable,
        deadly_demise=None if kind.deadly_demise is None else str(kind.deadly_demise),
        wounds_lost=kind.lost,
        keywords=words,
    )


def target_unit(unit: Unit, rules: Rules = TENTH, **options: Any) -> wh40k.TargetUnit:
    named = [(target(kind, name, rules), kind.leader) for kind, name in zip(unit, NAMES, strict=False)]
    guards, leaders = ([kind for kind, leads in named if leads is wanted] for wanted in (False, True))
    return wh40k.TargetUnit("Unit", guards, leaders, **options)


def defenders(unit: Unit, rules: Rules = TENTH) -> wh40k.Target | wh40k.TargetUnit:
    """One kind of models as a target, several as a unit."""
    return target(unit[0], rules=rules) if len(unit) == 1 else target_unit(unit, rules)


def rulings(rules: Rules) -> dict[str, str] | None:
    """The rulings that are not the edition's defaults."""
    default = type(rules)(rules.edition)
    chosen = {
        name: options.get(value, value)
        for field, (name, options) in RULINGS.items()
        if (value := getattr(rules, field)) != getattr(default, field)
    }
    return chosen or None


def attack(
    entries: tuple[Entry, ...],
    unit: Unit,
    rules: Rules = TENTH,
    *,
    to: wh40k.Target | wh40k.TargetUnit | None = None,
    **options: Any,
) -> wh40k.AttackResult[Any]:
    """Result of the package for the entries against the unit, or against `to` instead."""
    return wh40k.attack(
        [entry(plain, unit, rules) for plain in entries],
        defenders(unit, rules) if to is None else to,
        **{"edition": rules.edition, "rulings": rulings(rules), "exact": True, **options},
    )


def states(entries: tuple[Entry, ...], unit: Unit, rules: Rules = TENTH) -> Pmf:
    return points(attack(entries, unit, rules).state)


def plain_number(probability: Any) -> Any:
    """A float as it is, an exact rational as the standard library's."""
    if isinstance(probability, float):
        return probability
    return Fraction(int(probability.numerator), int(probability.denominator))


def points(distribution: Any) -> dict[Any, Any]:
    """The points of a distribution that have probability, as plain pairs."""
    return {
        outcome: plain_number(probability) for outcome, probability in distribution.items() if probability
    }


def hits(volleys: tuple[Volley, ...], unit: Unit, rules: Rules) -> Pmf:
    """The number of hits, as the second program has it."""
    models = sum(kind.models for kind in unit)
    distribution = certainly(0)
    for attacks in volleys:
        more = then(pools.hits_of_pool(attacks, models, rules), lambda scored: certainly(sum(scored)))
        distribution = then(
            distribution, lambda so_far, more=more: {so_far + n: chance for n, chance in more.items()}
        )
    return distribution


def part(distribution: Pmf, unit: Unit, asked: str) -> Pmf:
    """The distribution that `asked` names, of that of the states."""
    name, _, place = asked.partition(":")
    kinds = range(len(unit)) if not place else [int(place)]

    def number(state: tuple[int, ...]) -> Any:
        if name == "state":
            return state
        if name == "kills":
            return sum(state[2 * kind] for kind in kinds)
        assert name == "wounds_lost", name
        return sum(lost_of(unit[kind], *state[2 * kind : 2 * kind + 2]) for kind in kinds)

    return then(distribution, lambda state: certainly(number(state)))


def lost_of(kind: Kind, destroyed: int, lost: int) -> int:
    """Wounds that a kind of models lost in the attacks; the first of them had lost some before."""
    return kind.wounds * destroyed + lost - kind.lost


def disagreements(approximate: dict[Any, float], exact: dict[Any, Any]) -> dict[Any, tuple[float, float]]:
    """Points where a float64 distribution is not within 1e-12 of the exact one (below the normal floats: of zero)."""
    smallest = sys.float_info.min
    return {
        outcome: (approximate.get(outcome, 0.0), float(exact.get(outcome, 0)))
        for outcome in approximate.keys() | exact.keys()
        if abs(approximate.get(outcome, 0.0) - float(exact.get(outcome, 0)))
        > max(smallest, 1e-12 * float(exact.get(outcome, 0)))
    }


def values(result: wh40k.AttackResult[Any], objective: str) -> Any:
    """Mean of a distribution of the result by its name, or a probability as it is."""
    distribution = getattr(result, objective)
    return plain_number(distribution if objective == "probability_destroyed" else distribution.mean())


def mixed_unit(**options: Any) -> wh40k.TargetUnit:
    """Four troopers, a sergeant behind a better shield, and a leader: three kinds of models."""
    return wh40k.TargetUnit(
        "Squad",
        [
            wh40k.Target("Trooper", toughness=4, save="4+", wounds=1, models=4, points=40),
            wh40k.Target("Sergeant", toughness=4, save="3+", invulnerable="4+", wounds=2, points=15),
        ],
        [
            wh40k.Target(
                "Captain",
                toughness=5,
                save="2+",
                wounds=4,
                feel_no_pain="5+",
                keywords="Character",
                points=80,
            )
        ],
        **options,
    )
