"""Every weapon ability, rule of a target and keyword of the situation: the grid against single attacks, cell by cell.

A grid computes what profiles share once, so that a rule which it takes for irrelevant to a roll is lost without a
sound. Each case puts weapons with and without the rule, in situations that switch it on and off, against several
targets into one grid. The cases are held against the package's own names: a new rule without a case fails.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pytest
from tenth import analysis, wh40k

from mathhammer.modifiers import Modifier

pytestmark = pytest.mark.slow

CLOSE = {"rtol": 1e-12, "atol": 1e-300}
EDITIONS = tuple(wh40k.EDITIONS)
NOTHING: dict[str, Any] = {}

MORTALS = wh40k.Trigger("wound", "unmodified 6", "Hex", mortal_wounds=1)


def gun(abilities: str = "", **given: Any) -> wh40k.Weapon:
    profile = {"range": '24"', "attacks": "D6", "skill": 4, "strength": 5, "ap": -1, "damage": "D3", **given}
    return wh40k.Weapon("Gun", **profile, keywords=abilities)


def unit(name: str = "plain", **given: Any) -> wh40k.Target:
    return wh40k.Target(name, **{"toughness": 6, "save": 4, "wounds": 3, "models": 5, "points": 90, **given})


def led(name: str = "led", **given: Any) -> wh40k.TargetUnit:
    character = {"toughness": 5, "save": 3, "invulnerable": 4, "wounds": 4, "points": 60, **given}
    return wh40k.TargetUnit(
        name, [unit("guard", wounds=2)], leaders=[wh40k.Target("leader", **character, keywords="Character")]
    )


#: Units that differ in what rolls look at; in each grid beside those of the case.
TARGETS = (
    unit(),
    unit("tough", toughness=10, keywords="Vehicle", invulnerable=5),
    unit("horde", toughness=3, save=6, wounds=1, models=12, keywords="Infantry"),
    unit("warded", wounds=2, models=6, feel_no_pain=5, damage_reduction=1),
    led(),
)

Cells = dict[str, np.ndarray[Any, Any]]


def computed(volleys: list[Any], targets: list[Any], edition: str, **rules: Any) -> Cells:
    """The numbers of a grid, compared with those of single attacks."""
    table = analysis.grid(volleys, targets, edition=edition, **rules)
    for row, volley in enumerate(volleys):
        for column, target in enumerate(targets):
            single = wh40k.attack(volley, target, edition=edition, **rules)
            kills = np.zeros(table.targets[column].models + 1)
            kills[single.kills.support[0] : single.kills.support[-1] + 1] = single.kills.to_array()
            where = f"{volley} against {target}"
            np.testing.assert_allclose(table.kill_distributions[column][row], kills, **CLOSE, err_msg=where)
            np.testing.assert_allclose(
                [table.mean_wounds_lost[row, column], table.probability_destroyed[row, column]],
                [single.wounds_lost.mean(), single.probability_destroyed],
                **CLOSE,
                err_msg=where,
            )
            if isinstance(target, wh40k.Target):
                points = single.kills.mean() * target.points / target.models
                np.testing.assert_allclose(table.points_destroyed[row, column], points, **CLOSE)
    return {
        "wounds": table.mean_wounds_lost,
        "models": table.mean_kills,
        "points": table.points_destroyed,
    }


def differ(cells: Cells, one: Any, other: Any) -> bool:
    """Whether two rows, columns or cells of a grid differ in any number."""
    return any(not np.allclose(each[one], each[other], rtol=1e-9, atol=0) for each in cells.values())


# ---------------------------------------------------------------------------------------- weapon abilities


@dataclass(frozen=True)
class Ability:
    """A weapon ability: its forms, situations that switch it on and off, further targets, and what the weapon has."""

    forms: tuple[str, ...]
    on: tuple[dict[str, Any], ...] = (NOTHING,)
    off: tuple[dict[str, Any], ...] = ()
    targets: tuple[Any, ...] = ()
    given: tuple[tuple[str, Any], ...] = ()
    beside: str = ""


HALF = ({"half_range": True}, {"half_range": True, "reroll_hits": "ones", "cover": True})
FAR = (NOTHING, {"cover": True, "reroll_hits": "ones"})
MORE_ATTACKS = Modifier("add", 1, "Fury", of="attacks")
PSYCHIC_WARD = unit("psychic ward", feel_no_pain_psychic=4)

_BOTH = {
    "Blast": Ability(("Blast",), targets=(unit("eight", models=8), unit("few", models=4))),
    "Melta": Ability(("Melta 2", "Melta 4"), HALF, FAR),
    "Rapid Fire": Ability(("Rapid Fire 1", "Rapid Fire 2", "Rapid Fire D3"), HALF, FAR),
    "Torrent": Ability(("Torrent",)),
}
ABILITIES: dict[str, dict[str, Ability]] = {
    "9e": {
        **_BOTH,
        "Assault": Ability(("Assault",), ({"advanced": True}, {"advanced": True, "cover": True}), FAR),
        "Heavy": Ability(("Heavy",), ({"moved": True}, {"moved": True, "reroll_hits": "ones"}), FAR),
        "Ignores Cover": Ability(
            ("Ignores Cover",),
            ({"cover": "light"}, {"cover": "dense"}, {"cover": ("light", "dense")}),
            (NOTHING, {"cover": "heavy"}),
        ),
        # Nothing in the 9th edition's attacks is computed differently for it.
        "Pistol": Ability(("Pistol",), (), (NOTHING, {"cover": True})),
    },
    "10e": {
        **_BOTH,
        "Anti": Ability(
            ("Anti-Vehicle 4+", "Anti-Vehicle 3+", "Anti-Infantry 2+", "Anti-vehicle 2+, Anti-Infantry 4+"),
            (NOTHING, {"reroll_wounds": "non-critical"}),
            targets=(unit("tank", toughness=12, keywords="vehicle"),),
        ),
        "Assault": Ability(("Assault",), (), (NOTHING, {"advanced": True})),
        "Conversion": Ability(
            ("Conversion",),
            ({"long_range": True}, {"long_range": True, "hit_modifier": -1}),
            FAR,
            given=(("skill", 3),),
            beside="Sustained Hits 1",
        ),
        "Devastating Wounds": Ability(
            ("Devastating Wounds",),
            (NOTHING, {"critical_wound": 5}, {"reroll_wounds": "failed", "cover": True}),
            targets=(unit("halving", half_damage=True, feel_no_pain_mortal=4), unit("whole", wounds=1)),
        ),
        "Extra Attacks": Ability(
            ("Extra Attacks",), ({"modifiers": MORE_ATTACKS},), (NOTHING,), given=(("range", "Melee"),)
        ),
        "Hazardous": Ability(("Hazardous",), (), FAR),  # it acts on those who carry the weapon
        "Heavy": Ability(("Heavy",), ({"stationary": True}, {"stationary": True, "cover": True}), FAR),
        "Ignores Cover": Ability(
            ("Ignores Cover",), ({"cover": True}, {"cover": True, "save_modifier": -1}), (NOTHING,)
        ),
        "Indirect Fire": Ability(
            ("Indirect Fire",), ({"indirect": True}, {"indirect": True, "hit_modifier": 1}), FAR
        ),
        "Lance": Ability(("Lance",), ({"charged": True}, {"charged": True, "reroll_wounds": "ones"}), FAR),
        "Lethal Hits": Ability(("Lethal Hits",), (NOTHING, {"critical_hit": 5})),
        "One Shot": Ability(("One Shot",), (), FAR),
        "Pistol": Ability(("Pistol",), ({"engaged": True},), (NOTHING, {"damaged": True})),
        "Precision": Ability(
            ("Precision",), (NOTHING,), ({"precision": False},), targets=(led("other", toughness=3),)
        ),
        "Psychic": Ability(("Psychic",), (NOTHING, {"cover": True}), targets=(PSYCHIC_WARD,)),
        "Sustained Hits": Ability(
            ("Sustained Hits 1", "Sustained Hits 2", "Sustained Hits D3"), (NOTHING, {"critical_hit": 5})
        ),
        "Twin-linked": Ability(("Twin-linked",), (NOTHING, {"cover": True}), ({"reroll_wounds": "failed"},)),
    },
}
_MANY = (unit("eight", models=8), unit("few", models=4))
_INDIRECT = {"indirect": True, "stationary": True, "spotted": True}
ABILITIES["11e"] = {
    **ABILITIES["10e"],
    "Blast": Ability(("Blast", "Blast 2"), targets=_MANY),
    "Cleave": Ability(
        ("Cleave 1", "Cleave 2"), (NOTHING,), ({"divided": True},), _MANY, (("range", "Melee"),)
    ),
    "Close-quarters": Ability(("Close-quarters",), ({"engaged": True},), (NOTHING, {"damaged": True})),
    "Extra Attacks": Ability(("Extra Attacks",), (), ({"modifiers": MORE_ATTACKS}, NOTHING)),
    "Hunter": Ability(("Hunter",), (), FAR),
    "Ignores Cover": Ability(("Ignores Cover",), ({"cover": True}, {"stealth": True}), (NOTHING,)),
    "Indirect Fire": Ability(("Indirect Fire",), ({"indirect": True}, _INDIRECT), FAR),
    "Lethal Hits": Ability(
        # The attacker declines it against "clad", whose save lets less through than Devastating Wounds may.
        ("Lethal Hits", "Lethal Hits: Vehicle", "Lethal Hits, Devastating Wounds"),
        (NOTHING, {"critical_hit": 5}),
        targets=(unit("tank", toughness=12, keywords="Vehicle"), unit("clad", toughness=3, invulnerable=2)),
    ),
    "Psychic": Ability(("Psychic",), ({"cover": True}, {"hit_modifier": -1}), targets=(PSYCHIC_WARD,)),
}


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_weapon_ability_has_a_case(edition: str) -> None:
    assert ABILITIES[edition].keys() == wh40k.EDITIONS[edition].abilities.keys()


@pytest.mark.parametrize(
    ("edition", "name"), [(edition, name) for edition, cases in ABILITIES.items() for name in cases]
)
def test_every_weapon_ability(edition: str, name: str) -> None:
    case = ABILITIES[edition][name]
    given = dict(case.given)
    forms = [", ".join(filter(None, (case.beside, form))) for form in ("", *case.forms)]
    weapons = [gun(form, **given) for form in forms]
    targets = [*TARGETS, *case.targets]
    situations = (*case.on, *case.off)
    rows = [wh40k.Volley(weapon, 2, **at) for at in situations for weapon in weapons]
    # The same abilities beside other numbers, and another weapon that attacks with each.
    other = gun(forms[1], **{**given, "skill": 3, "strength": 7, "ap": -2, "damage": 2})
    mixed = [
        [wh40k.Volley(weapon, 1, **at), wh40k.Volley(other, 2, **at)]
        for at in situations
        for weapon in weapons
    ]
    cells = computed([*rows, *mixed], targets, edition)
    for index, _ in enumerate(situations):
        plain, *others = range(index * len(weapons), (index + 1) * len(weapons))
        for row in others:
            assert differ(cells, plain, row) is (index < len(case.on)), rows[row]


# ---------------------------------------------------------------------------------------- rules of a target


@dataclass(frozen=True)
class Rule:
    """A rule of a target: its values, attacks to which it matters, and attacks to which it does not."""

    values: tuple[Any, ...]
    on: tuple[wh40k.Volley, ...] = ()
    off: tuple[wh40k.Volley, ...] = ()
    base: tuple[tuple[str, Any], ...] = ()


PLAIN = wh40k.Volley(gun(), 3)
PIERCING = wh40k.Volley(gun(ap=-6), 3)
BLOW = wh40k.Volley(gun(range="Melee"), 3)
ONE = wh40k.Volley(gun(damage=1), 3)
TWO = wh40k.Volley(gun(damage=2), 3)
SURE = wh40k.Volley(gun(), 3, wounds_on=2)

_RULES = {
    "toughness": Rule((3, 5, 10), (PLAIN, BLOW), (SURE,)),
    "save": Rule((2, 6, None), (PLAIN, BLOW), (PIERCING,)),
    "wounds": Rule((1, 2, 7), (PLAIN, BLOW)),
    "models": Rule((1, 6, 11), (PLAIN, BLOW, wh40k.Volley(gun("Blast"), 3))),
    "invulnerable": Rule((4, "4+ ranged", ("5+", "4+ ranged")), (PLAIN, PIERCING)),
    "feel_no_pain": Rule((4, 6), (PLAIN, BLOW)),
    "feel_no_pain_mortal": Rule((4, 6), (wh40k.Volley(gun(), 3, triggers=MORTALS),), (PLAIN, BLOW)),
    "feel_no_pain_psychic": Rule((4, 6), (), (PLAIN, BLOW)),
    "damage_reduction": Rule((1, 2), (PLAIN, TWO), (ONE,)),
    "half_damage": Rule((True,), (PLAIN, TWO), (ONE,)),
    "damage_1_save_bonus": Rule((1, 2), (ONE,), (PLAIN, TWO, wh40k.Volley(gun(damage=1, ap=-6), 3))),
    "damage_to_0": Rule((True,), (PLAIN, BLOW)),
    "wounds_lost": Rule((1, 2), (PLAIN, BLOW)),
    "points": Rule((40, 200), (PLAIN, BLOW)),
    # What it does to others is no number of a grid, nor are keywords that no weapon names.
    "deadly_demise": Rule(("D3", 2), (), (PLAIN, BLOW)),
    "stealth": Rule((True,), (), (PLAIN, BLOW)),
    "incoming": Rule(
        tuple(
            wh40k.Incoming(wh40k.Modifier(operation, 3, "rule", of=of))
            for operation, of in (
                ("subtract", "hit"),
                ("subtract", "wound"),
                ("subtract", "strength"),
                ("improve", "ap"),
            )
        ),
        (PLAIN, BLOW),
    ),
    "in_cover": Rule((True,), (PLAIN,), (BLOW,)),
    "keywords": Rule(("Vehicle", "vehicle, Fly"), (), (PLAIN, BLOW)),
}
RULES: dict[str, dict[str, Rule]] = {
    "9e": _RULES,
    "10e": {
        **_RULES,
        "feel_no_pain_mortal": Rule((4, 6), (wh40k.Volley(gun("Devastating Wounds"), 3),), (PLAIN, BLOW)),
        "feel_no_pain_psychic": Rule((4, 6), (wh40k.Volley(gun("Psychic"), 3),), (PLAIN, BLOW)),
        "stealth": Rule((True,), (PLAIN, wh40k.Volley(gun("Heavy"), 3, stationary=True)), (BLOW,)),
        "keywords": Rule(
            ("Vehicle", "vehicle, Fly"),
            (wh40k.Volley(gun("Anti-Vehicle 3+"), 3),),
            (PLAIN, wh40k.Volley(gun("Anti-Infantry 3+"), 3)),
        ),
    },
}
_FILTERED = tuple(
    wh40k.Volley(gun(f"{ability} {words}"), 3)
    for ability, words in (("Sustained Hits 1:", "Vehicle"), ("Sustained Hits 1:", "non-Vehicle/Monster"))
)
RULES["11e"] = {
    **RULES["10e"],
    "keywords": Rule(
        ("Vehicle", "vehicle, Fly"),
        (*RULES["10e"]["keywords"].on, *_FILTERED),
        RULES["10e"]["keywords"].off,
    ),
}
_LABELS = {"name"}  # what a target has that is no rule


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_rule_of_a_target_has_a_case(edition: str) -> None:
    assert RULES[edition].keys() == {field.name for field in fields(wh40k.Target)} - _LABELS


@pytest.mark.parametrize(
    ("edition", "name"), [(edition, name) for edition, rules in RULES.items() for name in rules]
)
def test_every_rule_of_a_target(edition: str, name: str) -> None:
    rule = RULES[edition][name]
    targets = [unit(), *(unit(f"{name} {value}", **{name: value}) for value in rule.values)]
    rows = [*rule.on, *rule.off]
    others = [wh40k.Volley(gun(strength=8, damage=1), 2), wh40k.Volley(gun("Torrent", ap=0, attacks=2), 2)]
    cells = computed([*rows, *others, [*rows, *others]], [*targets, *TARGETS[1:]], edition)
    for row, volley in enumerate(rows):
        for column, target in enumerate(targets[1:], 1):
            acts = differ(cells, (row, 0), (row, column))
            assert acts is (row < len(rule.on)), f"{volley} against {target}"


# ------------------------------------------------------------------------------- keywords of the situation


@dataclass(frozen=True)
class Keyword:
    """A keyword of the situation: its values, weapons whose numbers each changes, and weapons that it leaves alone."""

    values: tuple[Any, ...]
    weapons: tuple[wh40k.Weapon, ...] = (gun(), gun(skill=3, ap=-2))
    unlike: tuple[wh40k.Weapon, ...] = ()
    targets: tuple[Any, ...] = TARGETS


_CRITICAL = (gun("Sustained Hits 1"), gun("Lethal Hits", skill=5))
_BLOW = gun(range="Melee")
_KEYWORDS = {
    "half_range": Keyword((True,), (gun("Melta 2"), gun("Rapid Fire 1")), (gun(),)),
    "cover": Keyword((True, "light"), unlike=(gun("Ignores Cover"), _BLOW)),
    "hit_modifier": Keyword((1, -1), unlike=(gun("Torrent"),)),
    "wound_modifier": Keyword((1, -1)),
    "save_modifier": Keyword((-1, Modifier("subtract", 1, "curse"))),
    "modifiers": Keyword(
        tuple(
            Modifier(operation, 1, "rule", of=of)
            for operation, of in (
                *(("add", "attacks"), ("improve", "skill"), ("add", "strength"), ("improve", "ap")),
                *(("add", "damage"), ("add", "toughness"), ("worsen", "save")),
                *(("subtract", "hit"), ("add", "wound"), ("subtract", "saving throw")),
            )
        ),
        (gun(strength=6),),
    ),
    "triggers": Keyword((MORTALS, wh40k.Trigger("hit", "unmodified 6", "arc", extra_hits=1))),
    "overwatch_hits_on": Keyword((5, 2), unlike=(_BLOW,)),
    "wounds_on": Keyword((2,)),
    "wound_fails_up_to": Keyword((3, 5), (gun(), gun(strength=12))),
    "ignore_modifiers": Keyword(("damage",)),
    "reroll": Keyword(("first", "best"), (gun(),)),
    "limited_rerolls": Keyword(("hit", ("wound", "hit or damage")), (gun(),)),
    "reroll_attacks": Keyword(("one",), (gun(), gun(attacks="D3")), (gun(attacks=3),)),
    "reroll_hits": Keyword(("one", "ones", "failed", frozenset({1, 2})), unlike=(gun("Torrent"),)),
    "reroll_wounds": Keyword(("one", "ones", "failed", frozenset({1, 2}))),
    "reroll_damage": Keyword(("one", "ones", frozenset({1, 2})), unlike=(gun(damage=2),)),
    "reroll_saves": Keyword(("ones", "failed", "failed-unmodified", "one"), targets=TARGETS[:-1]),
}
KEYWORDS: dict[str, dict[str, Keyword]] = {
    "9e": {
        **_KEYWORDS,
        "moved": Keyword((True,), (gun("Heavy"),), (gun(), gun("Assault"))),
        "advanced": Keyword((True,), (gun("Assault"),), (gun(), gun("Heavy"))),
        "cover": Keyword((True, "light", "dense", ("light", "dense")), unlike=(gun("Ignores Cover"), _BLOW)),
        "target_charged": Keyword((True,), (), (gun(), _BLOW)),
        "overwatch": Keyword((True,), unlike=(_BLOW,)),
        "precision": Keyword((False,), (), (gun(),)),
        **{
            name: Keyword((True,), (), (gun(), gun("Heavy")))
            for name in (
                *("spotted", "divided"),
                *("long_range", "stationary", "charged", "indirect", "stealth", "smokescreen"),
                *("go_to_ground", "engaged", "target_engaged", "plunging_fire", "damaged"),
            )
        },
    },
    "10e": {
        **_KEYWORDS,
        **dict.fromkeys(("spotted", "divided"), Keyword((True,), (), (gun(), gun("Blast"), _BLOW))),
        "long_range": Keyword((True,), (gun("Conversion, Lethal Hits", skill=3),), (gun(),)),
        "stationary": Keyword((True,), (gun("Heavy"),), (gun(),)),
        "charged": Keyword((True,), (gun("Lance"),), (gun(),)),
        "indirect": Keyword((True,), (gun("Indirect Fire"),), (gun(),)),
        "moved": Keyword((True,), (), (gun(), gun("Heavy"))),
        "advanced": Keyword((True,), (), (gun(), gun("Assault"))),
        "target_charged": Keyword((True,), (), (gun(), _BLOW)),
        "precision": Keyword((False,), (gun("Precision"),), (gun(),)),
        "stealth": Keyword((True,), unlike=(_BLOW,)),
        "smokescreen": Keyword((True,), unlike=(_BLOW,)),
        "go_to_ground": Keyword((True,), unlike=(_BLOW,)),
        "engaged": Keyword((True,), unlike=(_BLOW, gun("Pistol"))),
        "target_engaged": Keyword((True,), unlike=(_BLOW, gun("Pistol"))),
        "plunging_fire": Keyword((True,), unlike=(_BLOW,)),
        "damaged": Keyword((True,), (gun(), _BLOW)),
        "overwatch": Keyword((True,), unlike=(_BLOW, gun("Torrent"))),
        "critical_hit": Keyword((5, "successful 5+"), _CRITICAL, (gun(skill=3),)),
        "critical_wound": Keyword((5, "successful 5+"), (gun("Devastating Wounds"),)),
        "reroll_hits": Keyword(
            (*_KEYWORDS["reroll_hits"].values, "failed-unmodified", "non-critical"), _CRITICAL
        ),
        "reroll_wounds": Keyword((*_KEYWORDS["reroll_wounds"].values, "failed-unmodified", "non-critical")),
    },
}
KEYWORDS["11e"] = {
    **KEYWORDS["10e"],
    "spotted": Keyword((True,), (), (gun(), gun("Heavy"))),
    "divided": Keyword((True,), (gun("Cleave 1", range="Melee"),), (gun("Blast"), _BLOW)),
    "cover": Keyword((True,), unlike=(gun("Ignores Cover"), _BLOW)),
    "go_to_ground": Keyword((True,), (), (gun(), _BLOW)),
    "engaged": Keyword((True,), unlike=(_BLOW, gun("Pistol"), gun("Close-quarters"))),
    "target_engaged": Keyword((True,), unlike=(_BLOW,)),
    # Units that save in groups refuse it: it would look at all dice of a pool.
    "reroll": Keyword(("first", "best"), (gun(),), targets=TARGETS[:-1]),
    "limited_rerolls": Keyword(("hit", ("wound", "hit or damage")), (gun(),), targets=TARGETS[:-1]),
}
#: What the 9th edition refuses.
_REFUSED = {"9e": {"critical_hit", "critical_wound"}, "10e": set(), "11e": set()}
#: What is true beside a keyword that needs it to change anything.
BESIDE: dict[str, dict[str, Any]] = {
    "ignore_modifiers": {"modifiers": Modifier("subtract", 1, "harm", of="damage")},
    "overwatch_hits_on": {"overwatch": True},
}


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_keyword_of_the_situation_has_a_case(edition: str) -> None:
    expected = wh40k.SituationKeywords.__annotations__.keys() - _REFUSED[edition]
    assert KEYWORDS[edition].keys() == expected


@pytest.mark.parametrize(
    ("edition", "name"), [(edition, name) for edition, cases in KEYWORDS.items() for name in cases]
)
def test_every_keyword_of_the_situation(edition: str, name: str) -> None:
    case = KEYWORDS[edition][name]
    weapons = [*case.weapons, *case.unlike]
    beside = BESIDE.get(name, NOTHING)
    situations = [beside, *({**beside, name: value} for value in case.values)]
    rows = [wh40k.Volley(weapon, 2, **at) for at in situations for weapon in weapons]
    cells = computed(rows, list(case.targets), edition)
    for index, row in enumerate(rows[len(weapons) :], len(weapons)):
        weapon = index % len(weapons)
        assert differ(cells, index, weapon) is (weapon < len(case.weapons)), row


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_keyword_of_a_whole_grid(edition: str) -> None:
    """What is said of the grid is true of its volleys; one re-roll is then one for all volleys of an attack."""
    for name, case in KEYWORDS[edition].items():
        weapons = [*case.weapons, *case.unlike]
        if name == "precision":
            continue  # the name of a leader is refused where a target has none
        for value in case.values:
            computed(
                [*weapons, weapons], list(TARGETS[:3]), edition, **BESIDE.get(name, NOTHING), **{name: value}
            )
