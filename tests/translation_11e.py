"""Write the pools of `enumeration_11e` as a player types them, and read the package's answer back as dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from enumeration_11e import DEFAULT, Rules
from translation import points

from mathhammer import wh40k
from mathhammer.modifiers import Modifier

if TYPE_CHECKING:
    from enumeration_11e import Attacks, Kind, Unit
    from plain_dice import Pmf

NAMES = ("Trooper", "Sergeant", "Captain", "Medic", "Squire")
_FLAGS = {
    "torrent": "Torrent",
    "lethal": "Lethal Hits",
    "devastating": "Devastating Wounds",
    "twin_linked": "Twin-linked",
    "psychic": "Psychic",
    "ignores_cover": "Ignores Cover",
    "conversion": "Conversion",
    "heavy": "Heavy",
    "lance": "Lance",
    "precision": "Precision",
}
_NUMBERS = {
    "sustained": "Sustained Hits",
    "blast": "Blast",
    "cleave": "Cleave",
    "rapid_fire": "Rapid Fire",
    "melta": "Melta",
}
#: Of a rule of the second program the ruling that says so, with its options for what is not the default.
_RULINGS = {
    "lethal": ("lethal_choice", {"always": "always", "never": "never"}),
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


def weapon(attacks: Attacks) -> wh40k.Weapon:
    words = [text for name, text in _FLAGS.items() if getattr(attacks, name)]
    words += [f"{text} {getattr(attacks, name)}" for name, text in _NUMBERS.items() if getattr(attacks, name)]
    words += [f"Anti-{keyword} {number}+" for keyword, number in attacks.anti]
    if attacks.indirect is not None:
        words.append("Indirect Fire")
    return wh40k.Weapon(
        "Weapon",
        range="Melee" if attacks.melee else '24"',
        attacks=str(attacks.number),
        skill=f"{attacks.skill}+",
        strength=str(attacks.strength),
        ap=-attacks.ap,
        damage=str(attacks.damage),
        keywords=", ".join(words),
    )


def situation(attacks: Attacks, unit: Unit) -> dict[str, Any]:
    said: dict[str, Any] = {
        name: [
            Modifier("add", number, f"rule {place}") for place, number in enumerate(getattr(attacks, name))
        ]
        for name in ("hit_modifier", "wound_modifier", "save_modifier")
        if getattr(attacks, name)
    }
    for name in ("reroll_hits", "reroll_wounds", "reroll_saves"):
        if value := getattr(attacks, name):
            said[name] = value if isinstance(value, str) else set(value)
    for name in ("critical_hit", "critical_wound"):
        if getattr(attacks, name) < 6:
            said[name] = getattr(attacks, name)
    flags = {
        "half_range": attacks.half_range,
        "long_range": attacks.conversion,
        "stationary": attacks.heavy or attacks.indirect == "spotted",
        "charged": attacks.lance,
        "cover": attacks.cover,
        "plunging_fire": attacks.plunging,
        "overwatch": attacks.snap,
        "indirect": attacks.indirect is not None,
        "spotted": attacks.indirect == "spotted",
    }
    said |= {name: True for name, holds in flags.items() if holds}
    named = attacks.precision or attacks.precision_on_critical_hits
    if named:
        one = len(named) == 1 and sum(kind.character for kind in unit) > 1
        said["precision"] = NAMES[named[0]] if one else True
    triggers = []
    if attacks.ap_on_critical_wounds:
        deeper = attacks.ap_on_critical_wounds
        triggers.append(wh40k.Trigger("wound", "critical", "Rending", improve_ap=deeper))
    if attacks.precision_on_critical_hits:
        triggers.append(wh40k.Trigger("hit", "critical", "Marksmen", precision=True))
    if triggers:
        said["triggers"] = triggers
    return said


def volley(attacks: Attacks, unit: Unit) -> wh40k.Volley:
    return wh40k.Volley(weapon(attacks), attacks.weapons, **situation(attacks, unit))


def target(kind: Kind, name: str) -> wh40k.Target:
    return wh40k.Target(
        name,
        toughness=kind.toughness,
        save=None if kind.save is None else f"{kind.save}+",
        wounds=kind.wounds,
        models=kind.models,
        invulnerable=None if kind.invulnerable is None else f"{kind.invulnerable}+",
        feel_no_pain=kind.feel_no_pain,
        feel_no_pain_mortal=kind.feel_no_pain_mortal,
        damage_reduction=kind.damage_reduction,
        half_damage=kind.half_damage,
        wounds_lost=kind.lost,
        # A leader without any keyword is taken for a Character.
        keywords=(*kind.keywords, "Character" if kind.character else "Retinue"),
    )


def unit_of(unit: Unit) -> wh40k.Target | wh40k.TargetUnit:
    named = [
        (target(kind, name), kind.bodyguard) for kind, name in zip(unit, NAMES[: len(unit)], strict=True)
    ]
    if len(named) == 1:
        return named[0][0]
    guards, leaders = ([kind for kind, bodyguard in named if bodyguard is wanted] for wanted in (True, False))
    return wh40k.TargetUnit("Unit", guards, leaders)


def rulings(rules: Rules) -> dict[str, str] | None:
    chosen = {
        ruling: options[value]
        for name, (ruling, options) in _RULINGS.items()
        if (value := getattr(rules, name)) != getattr(DEFAULT, name)
    }
    return chosen or None


def attack(pools: tuple[Attacks, ...], unit: Unit, rules: Rules, **options: Any) -> wh40k.AttackResult[Any]:
    return wh40k.attack(
        [volley(attacks, unit) for attacks in pools],
        unit_of(unit),
        edition="11e",
        rulings=rulings(rules),
        **{"exact": True, **options},
    )


def hits(pools: tuple[Attacks, ...], unit: Unit, rules: Rules) -> Pmf:
    return points(attack(pools, unit, rules).hits)


def states(pools: tuple[Attacks, ...], unit: Unit, rules: Rules) -> Pmf:
    return points(attack(pools, unit, rules).state)
