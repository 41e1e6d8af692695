"""Every weapon ability, rule of a target and keyword of the situation: the grid against single attacks, cell by cell.

A grid computes what profiles share once, so that a rule which it takes for irrelevant to a roll is lost without a
sound. Each case puts weapons with and without the rule, in situations that switch it on and off, against several
targets into one grid. The cases of `grid_rules.txt` are held against the package's own names: a new rule without a
case fails.
"""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from tenth import analysis, wh40k

from mathhammer.modifiers import Modifier

pytestmark = pytest.mark.slow

CLOSE = {"rtol": 1e-12, "atol": 1e-300}
EDITIONS = tuple(wh40k.EDITIONS)
NOTHING: dict[str, Any] = {}


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


class Ability(NamedTuple):
    """A weapon ability: its forms, situations that switch it on and off, further targets, and what the weapon has."""

    forms: tuple[str, ...]
    on: tuple[dict[str, Any], ...] = (NOTHING,)
    off: tuple[dict[str, Any], ...] = ()
    targets: tuple[Any, ...] = ()
    given: tuple[tuple[str, Any], ...] = ()
    beside: str = ""


class Rule(NamedTuple):
    """A rule of a target: its values, attacks to which it matters, and attacks to which it does not."""

    values: tuple[Any, ...]
    on: tuple[wh40k.Volley, ...] = ()
    off: tuple[wh40k.Volley, ...] = ()


class Keyword(NamedTuple):
    """A keyword of the situation: its values, weapons whose numbers each changes, and weapons that it leaves alone."""

    values: tuple[Any, ...]
    weapons: tuple[wh40k.Weapon, ...] = (gun(), gun(skill=3, ap=-2))
    unlike: tuple[wh40k.Weapon, ...] = ()
    targets: tuple[Any, ...] = ()


NAMES: dict[str, Any] = {"gun": gun, "unit": unit, "led": led, "wh40k": wh40k, "Modifier": Modifier}
NAMES |= {"NOTHING": NOTHING, "ability": Ability, "rule": Rule, "keyword": Keyword}
CASES: dict[tuple[str, str, str], Any] = {}
for _line in Path(__file__).with_name("grid_rules.txt").read_text(encoding="utf-8").splitlines():
    if _named := re.fullmatch(r"(\w+) := (.*)", _line):
        NAMES[_named[1]] = eval(_named[2], NAMES)  # noqa: S307 - the file is a part of the tests
    elif _case := re.fullmatch(r"(ability|rule|keyword) ((?:\d+e )+)(.*?): (.*)", _line):
        for _edition in _case[2].split():
            CASES[_case[1], _edition, _case[3]] = eval(f"{_case[1]}({_case[4]})", NAMES)  # noqa: S307
TARGETS = NAMES["TARGETS"]
#: What the 9th edition refuses, and what is true beside a keyword that needs it to change anything.
REFUSED = {"critical_hit", "critical_wound"}
BESIDE: dict[str, dict[str, Any]] = {
    "ignore_modifiers": {"modifiers": Modifier("subtract", 1, "harm", of="damage")},
    "overwatch_hits_on": {"overwatch": True},
}


def cases(wanted: str) -> list[Any]:
    return [
        pytest.param(edition, name, case, id=f"{edition}-{name}")
        for (kind, edition, name), case in CASES.items()
        if kind == wanted
    ]


@pytest.mark.parametrize("edition", EDITIONS)
def test_everything_has_a_case(edition: str) -> None:
    situation = wh40k.SituationKeywords.__annotations__.keys()
    assert {
        kind: {name for each, e, name in CASES if (each, e) == (kind, edition)} for kind, _, _ in CASES
    } == {
        "ability": set(wh40k.EDITIONS[edition].abilities),
        "rule": {field.name for field in fields(wh40k.Target)} - {"name"},
        "keyword": situation - REFUSED if edition == "9e" else set(situation),
    }


@pytest.mark.parametrize(("edition", "name", "case"), cases("ability"))
def test_every_weapon_ability(edition: str, name: str, case: Ability) -> None:  # noqa: ARG001 - names the test
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


@pytest.mark.parametrize(("edition", "name", "rule"), cases("rule"))
def test_every_rule_of_a_target(edition: str, name: str, rule: Rule) -> None:
    targets = [unit(), *(unit(f"{name} {value}", **{name: value}) for value in rule.values)]
    rows = [*rule.on, *rule.off]
    others = [wh40k.Volley(gun(strength=8, damage=1), 2), wh40k.Volley(gun("Torrent", ap=0, attacks=2), 2)]
    cells = computed([*rows, *others, [*rows, *others]], [*targets, *TARGETS[1:]], edition)
    for row, volley in enumerate(rows):
        for column, target in enumerate(targets[1:], 1):
            acts = differ(cells, (row, 0), (row, column))
            assert acts is (row < len(rule.on)), f"{volley} against {target}"


@pytest.mark.parametrize(("edition", "name", "case"), cases("keyword"))
def test_every_keyword_of_the_situation(edition: str, name: str, case: Keyword) -> None:
    weapons = [*case.weapons, *case.unlike]
    beside = BESIDE.get(name, NOTHING)
    situations = [beside, *({**beside, name: value} for value in case.values)]
    rows = [wh40k.Volley(weapon, 2, **at) for at in situations for weapon in weapons]
    cells = computed(rows, list(case.targets or TARGETS), edition)
    for index, row in enumerate(rows[len(weapons) :], len(weapons)):
        weapon = index % len(weapons)
        assert differ(cells, index, weapon) is (weapon < len(case.weapons)), row


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_keyword_of_a_whole_grid(edition: str) -> None:
    """What is said of the grid is true of its volleys; one re-roll is then one for all volleys of an attack."""
    for name, case in [each.values[1:] for each in cases("keyword") if each.values[0] == edition]:
        weapons = [*case.weapons, *case.unlike]
        if name == "precision":
            continue  # the name of a leader is refused where a target has none
        for value in case.values:
            computed(
                [*weapons, weapons], list(TARGETS[:3]), edition, **BESIDE.get(name, NOTHING), **{name: value}
            )
