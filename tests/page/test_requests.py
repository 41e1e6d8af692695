"""What the page asks and gets, without a browser: the numbers are those that can be worked out by hand."""

import base64
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from tenth import analysis, wh40k

import mathhammer
from mathhammer import rosters
from mathhammer.fields import profile
from mathhammer.page.requests import answer

SAMPLE = Path(rosters.__file__).parent / "sample" / "sample-army.ros"
RIFLE = {"count": "2", "attacks": "1", "skill": "3+", "strength": "4", "ap": "0", "damage": "1"}
GUARDS = {"name": "Guards", "models": "2", "toughness": "4", "save": "", "wounds": "1"}

ATTACK = {"kind": "attack", "weapons": [RIFLE], "models": [GUARDS]}
ROW = {"kind": "row", "key": "sample", "unit": 2, "row": "shooting", "targets": ["MEQ", "GEQ"]}


def ask(kind, **rest):
    return json.loads(answer(json.dumps({"kind": kind, **rest})))


def attack(weapon=RIFLE, models=GUARDS, **rest):
    return ask("attack", weapons=[weapon], models=[models], **{"edition": "10e"} | rest)


def numbers(found):
    return json.loads(ask("json", text=found["text"])["json"])["exact"]


def test_the_json_of_an_answer_is_that_of_every_door():
    asked = {"weapons": "2x Rifle: A1 BS3+ S4 AP0 D1", "target": "Guards: 2x T4 Sv- W1", "exact": True}
    found = attack({**RIFLE, "name": "Rifle"})
    said = json.loads(ask("json", text=found["text"])["json"])
    assert said == mathhammer.ask({"game": "40k", "question": "attack", "edition": "10e", **asked})
    assert dict(found["odds"])["wounds lost"] == "0.67"


def test_an_attack():
    # Hits with 2/3, wounds with 1/2: two with 1/9.
    assert numbers(attack()) == {"models destroyed": "2/3", "wounds lost": "2/3", "P(destroyed)": "1/9"}


def test_a_situation():
    # It hits with 1/2: 1/4 each.
    assert numbers(attack(situation={"hit_modifier": -1, "cover": False}))["models destroyed"] == "1/2"


def test_a_leader_is_lost_last():
    captain = {"name": "Captain", "toughness": "4", "save": "", "wounds": "1", "keywords": "Character"}
    found = attack(leaders=[captain], models={**GUARDS, "models": "1"})
    assert numbers(found)["models destroyed"] == "2/3"
    assert "Captain" in found["text"]


@pytest.mark.parametrize(
    ("edition", "kills"),
    # The guard is slain with 5/9, and of two wounds (1/9) the second is the captain's: he fails his save on a 1, which
    # in the 11th edition is the higher of the two dice.
    [("10e", "31/54"), ("11e", "181/324")],
)
def test_a_leader_who_saves_otherwise(edition, kills):
    captain = {"name": "Captain", "toughness": "4", "save": "2+", "wounds": "1", "keywords": "Character"}
    found = attack(leaders=[captain], models={**GUARDS, "models": "1"}, edition=edition)
    assert numbers(found)["models destroyed"] == kills
    assert "0.67 wounds." in found["details"]


def test_the_text_of_an_attack_opens_the_same_form():
    first = attack(situation={"hit_modifier": -1, "reroll_wounds": "ones"}, rulings={"save_cap": "gross"})
    again = ask("text", text=first["text"])
    assert again["odds"] == first["odds"]
    assert ask(**again["form"])["text"] == first["text"]


@pytest.mark.parametrize(
    "situation",
    [
        {"modifiers": [wh40k.Modifier("add", 1, "Banner", of="strength")]},
        {"reroll_hits": {1, 2}},
        {"ignore_modifiers": "hit"},
        {"hit_modifier": [wh40k.Modifier("add", 1, "Banner", of="hit")] * 2},
    ],
    ids=str,
)
def test_what_the_form_cannot_hold_has_no_form(situation):
    gun = wh40k.Weapon.parse("Gun: A1 BS3+ S4 AP0 D1")
    result = wh40k.attack(gun, wh40k.find_target("MEQ"), **situation, exact=True)
    assert ask("text", text=result.to_text())["form"] is None


def test_the_form_holds_every_rule_of_a_target():
    gun = wh40k.Weapon.parse("Gun: A6 BS3+ S5 AP-1 D3 [DEVASTATING WOUNDS]")
    ghost = wh40k.Target.parse(
        "Ghost: 3x T4 Sv3+ W3 FNP6+ FNP5+ mortal FNP4+ psychic -1D half damage damage to 0 Stealth in cover "
        "+1Sv against D1 Deadly Demise D3 2 lost 90pts"
    )
    result = wh40k.attack(gun, ghost, ignore_modifiers={"hit", "wound"}, exact=True)
    form = ask("text", text=result.to_text())["form"]
    assert ask(**form)["text"] == result.to_text()
    described = {each["name"] for each in ask("controls", edition="10e")["models"]}
    assert described >= set(wh40k.EDITIONS["10e"].target_rules) - {"incoming"}


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"kind": "nothing"}, "as the kind of a request, got 'nothing'"),
        ({"kind": "attack", "weapons": 3, "models": []}, "expected rows of fields as 'weapons', got 3"),
        (
            {"kind": "attack", "weapons": [{**RIFLE, "attacks": "D6+"}], "models": [GUARDS]},
            "Weapon 1: expected a",
        ),
        (
            {"kind": "attack", "weapons": [RIFLE], "models": [{**GUARDS, "wounds": "-1"}]},
            "Target 1: expected",
        ),
        ({"kind": "attack", "weapons": [RIFLE], "models": []}, "expected at least one kind of models"),
        ({"kind": "dice", "dice": "2D6+"}, "^"),
        ({"kind": "dice"}, "expected"),
        ({"kind": "text", "text": 3}, "expected a text as 'text', got 3"),
        ({"kind": "text"}, "expected 'mathhammer 1: ...'"),
        ([], "expected a request as a JSON object"),
        ({"kind": []}, "expected a text as 'kind', got []"),
        ({"kind": "game", "game": "t9a", "question": "attack", "fields": 1}, "as 'fields', got 1"),
        ({"kind": "game", "game": "t9a", "question": "attack", "fields": {"cover": []}}, "'fields', got []"),
        ({**ATTACK, "rulings": 3}, "as 'rulings', got 3"),
        ({**ATTACK, "situation": 1}, "as 'situation', got 1"),
        ({**ATTACK, "situation": {"reroll_hits": [[]]}}, "as 'situation', got []"),
        ({**ATTACK, "reference": [1]}, "expected a request as 'reference', got [1]"),
        ({**ATTACK, "reference": {**ATTACK, "rulings": 3}}, "as 'rulings', got 3"),
        ({**ATTACK, "edition": 10}, "expected a text as 'edition', got 10"),
        ({**ROW, "targets": 3}, "expected a list of names as 'targets', got 3"),
        ({**ROW, "targets": [[]]}, "as 'targets', got []"),
        ({**ROW, "switched": 3}, "as 'switched', got 3"),
        ({**ROW, "switched": {"sample": [1]}}, "as 'switched', got [1]"),
        ({**ROW, "kind": "focus", "units": ["Hill Battery"]}, "expected one target, got 2"),
        ({**ROW, "kind": "focus", "units": ["Hill Battery"], "targets": None}, "expected one target, got 0"),
        ({"kind": "list", "name": "x", "data": "!"}, "expected a file in base64"),
        ({"kind": "list", "name": "x", "text": "good morning"}, "'x': expected"),
        ({"kind": "row", "key": "none"}, "drop the list again"),
        ({"kind": "controls", "edition": "5e"}, "expected an edition of"),
        ({"kind": "forms", "game": "chess"}, "chess"),
        ({"kind": "forms", "game": "t9a", "edition": "5e"}, "5e"),
        ({"kind": "game", "game": "t9a", "question": "siege"}, "siege"),
        ({"kind": "game", "game": "t9a", "question": "attack", "fields": {"strength": "x"}}, "as strength"),
        ({"kind": "game", "game": "tc", "question": "attack", "fields": {"armour": "wool"}}, "wool"),
        ({"kind": "game", "game": "tc", "question": "attack", "fields": {"dice": 3}}, "expected"),
    ],
)
def test_what_is_wrong_is_said(request_, words):
    ask("list", name="sample")
    assert words in json.loads(answer(json.dumps(request_)))["error"]


def test_what_takes_long_on_the_page_is_said_before_it_is_begun(monkeypatch):
    monkeypatch.setattr("mathhammer.page.requests.SLOWER", 20.0)  # as in a browser
    long = {
        **RIFLE,
        "count": "60",
        "attacks": "D6",
        "damage": "D6",
        "keywords": "SUSTAINED HITS D6, DEVASTATING WOUNDS",
    }
    said = attack(long)
    assert (said["long"], "at most 5 seconds here, but this one takes about" in said["error"]) == (True, True)
    text = "mathhammer 1: Warhammer 40,000, 10e, attack\nweapon: 60x Gun: AD6 BS3+ S4 AP-1 DD6 [SUSTAINED HITS D6]\n"
    assert ask("text", text=f"{text}target: Horde: 50x T4 Sv3+ W10\nend")["long"] is True
    assert "error" not in ask("dice", dice="4000D6", long=True)
    units = [unit["label"] for unit in ask("list", name="sample")["units"]]
    asked = {"key": "sample", "enemy": "sample", "enemy_unit": 2, "row": "shooting", "units": units * 2}
    assert ask("focus", **asked)["long"] is True
    assert ask("assign", **asked)["long"] is True
    assert "long" not in ask("dice", dice="100000D6")  # nowhere
    monkeypatch.undo()
    assert "long" not in ask("dice", dice="4000D6")


def test_no_json_is_refused():
    assert "JSON" in json.loads(answer("{"))["error"]


def test_names_are_text_in_pictures():
    found = attack(models={**GUARDS, "name": "<img src=x onerror=alert(1)>"})
    assert "<img" not in found["html"]
    assert "&lt;img" in found["html"]


def test_a_list_and_its_rows():
    data = base64.b64encode(SAMPLE.read_bytes()).decode()
    army = ask("list", name="../my army.ros", data=data)
    assert (army["key"], army["points"]) == ("my army.ros", 1365)
    unit = next(place for place, each in enumerate(army["units"]) if each["rows"] == ["shooting", "melee"])
    [cell] = ask("row", key="my army.ros", unit=unit, row="shooting", targets=["MEQ"], edition="10e")["cells"]
    lost = wh40k.attack(rosters.sample_army().units[unit].only("shooting"), "MEQ", exact=True).wounds_lost
    assert cell["share"] == pytest.approx(float(lost.mean()) / 20, rel=1e-12)


@pytest.mark.slow
def test_every_cell_opens_a_form_with_its_numbers():
    for place, unit in enumerate(ask("list", name="sample")["units"]):
        for row in unit["rows"]:
            for rest in ({"targets": ["MEQ"]}, {"enemy": "sample", "enemy_unit": place}):
                [cell] = ask("row", key="sample", unit=place, row=row, **rest)["cells"]
                shown = ask(**ask("text", text=cell["text"])["form"])
                assert shown["odds"] == cell["odds"]


def test_a_list_against_a_list():
    units = ask("list", name="sample")["units"]
    cells = ask("row", key="sample", unit=2, row="shooting", enemy="sample")["cells"]
    assert [cell["target"] for cell in cells] == [
        unit["label"].removesuffix(" #2") for unit in units if unit["defence"]
    ]
    [one] = ask("row", key="sample", unit=2, row="shooting", enemy="sample", enemy_unit=3)["cells"]
    assert one == cells[3]
    assert "drop the list again" in ask("row", key="sample", unit=2, row="shooting", enemy="none")["error"]
    assert (
        "place of a unit"
        in ask("row", key="sample", unit=2, row="melee", enemy="sample", enemy_unit=99)["error"]
    )


def test_rules_are_switches():
    units = ask("list", name="sample")["units"]
    place = next(place for place, unit in enumerate(units) if unit["label"] == "Hill Battery")
    [stealth] = units[place]["rules"]
    assert (stealth["label"], stealth["on"]) == ("Stealth", True)
    asked = {"key": "sample", "unit": 6, "row": "shooting", "enemy": "sample", "enemy_unit": place}
    [before] = ask("row", **asked)["cells"]
    [after] = ask("row", **asked, switched={"sample": {"on": [], "off": [stealth["name"]]}})["cells"]
    assert "stealth" in before["text"].lower()
    assert "stealth" not in after["text"].lower()
    assert after["share"] > before["share"]
    wrong = {"sample": {"on": ["Hill Battery: Luck"], "off": []}}
    assert "Luck" in ask("row", **asked, switched=wrong)["error"]


def test_focus_fire_is_that_of_the_package():
    ask("list", name="sample")
    army = rosters.sample_army()
    units = ["Breach Company", "Hill Battery"]
    asked = {
        "key": "sample",
        "units": units,
        "row": "shooting",
        "enemy": "sample",
        "enemy_unit": 9,
        "goal": "40",
    }
    for best in (False, True):
        direct = wh40k.focus(
            army,
            army.units[9].as_target_unit(),
            units=units,
            exact=True,
            goal=0.4,
            order="best" if best else "given",
        )
        assert ask("focus", **asked, best=best)["sentence"] == direct.sentence()
    assert "goal" in ask("focus", **asked | {"goal": "100"})["error"]
    assert "phase" in ask("focus", **asked | {"row": "prayer"})["error"]


def test_units_of_a_list_are_divided_over_another():
    units = [unit["label"] for unit in ask("list", name="sample")["units"]][:4]
    found = ask("assign", key="sample", enemy="sample", row="shooting", units=units)
    assert [row["unit"] for row in found["rows"]] == units
    assert all(row["target"] in found["html"] for row in found["rows"])
    army = rosters.sample_army()
    crew = {name: army[name].only("shooting") for name in units}
    best = analysis.assign(crew, army)  # in floats
    assert [row["target"] for row in found["rows"]] == [row["target"] for row in best.to_records()]
    assert "No division of these units destroys more." in found["sentence"]
    assert "got none" in ask("assign", key="sample", enemy="sample", row="melee", units=[])["error"]


def test_every_edition_has_controls():
    for name in wh40k.EDITIONS:
        found = ask("controls", edition=name)
        assert {each["name"] for each in found["situation"]} <= set(wh40k.EDITIONS[name].conditions)
        assert found["rulings"]
        assert {each["name"]: each["line"] for each in found["targets"]} == {
            label: str(wh40k.find_target(label, name)) for label in wh40k.TARGETS
        }


def fields_of(game, question):
    form = ask("forms", game=game)["forms"][question]
    return {field["name"]: field["value"] for group in form["groups"] for field in group["fields"]}


@pytest.mark.parametrize(
    ("game", "question"),
    [(game, question) for game in ("aos", "t9a", "tc") for question in ask("forms", game=game)["forms"]],
)
def test_every_form_answers_as_it_is_and_its_text_answers_the_same(game, question):
    found = ask("game", game=game, question=question, fields=fields_of(game, question))
    assert "<svg" in found.get("html", found)
    assert ask("text", text=found["text"])["odds"] == found["odds"]


def test_fields_are_the_same_where_annotations_have_been_read():
    def written(distance: "int", least: "int | None" = None, *, order: "Literal['a', 'b']" = "a"):
        pass

    def read(distance: int, least: int | None = None, *, order: Literal["a", "b"] = "a"):
        pass

    first, second = (
        [(type(each), each.accepts) for each in profile.fields_of(one).values()] for one in (written, read)
    )
    assert first == second


def test_an_attack_of_the_9th_age():
    # 15 attacks that hit on 3+ (Off 4 against Def 3), wound on 4+ (Str 3 against Res 3), saved on 6 (Arm 2, AP 1).
    fields = fields_of("t9a", "attack") | {"resilience": "3", "armour": "2"}
    odds = dict(ask("game", game="t9a", question="attack", fields=fields)["odds"])
    assert odds["models lost"] == f"{15 * 2 / 3 / 2 * 5 / 6:.2f} of 20"
    fields |= {"reroll_hits": "failed", "wound_modifier": -1, "target_attributes": "Parry", "charging": True}
    odds = dict(ask("game", game="t9a", question="attack", fields=fields)["odds"])
    # Parry: hit on 4+ (Def 4 against Off 4), and failed rolls again: 3/4; wounded on 5+.
    assert odds["models lost"] == f"{15 * 3 / 4 / 3 * 5 / 6:.2f} of 20"


def test_a_charge_of_the_9th_age():
    fields = fields_of("t9a", "charge")  # 7 or more with two dice
    assert dict(ask("game", game="t9a", question="charge", fields=fields)["odds"]) == {"P(success)": "58.33%"}
    fields |= {"swiftstride": True}  # 29/36 by the rulebook's table
    assert dict(ask("game", game="t9a", question="charge", fields=fields)["odds"]) == {"P(success)": "80.56%"}


def test_an_attack_of_age_of_sigmar():
    # 10 attacks that hit and wound on 3+, saved on 4+ after Rend 1; then 5+ with a Ward of 5+.
    fields = fields_of("aos", "attack")
    odds = dict(ask("game", game="aos", question="attack", fields=fields)["odds"])
    assert odds["damage points"] == f"{10 * 4 / 9 / 2:.2f}"
    preset = ask("forms", game="aos")["forms"]["attack"]["groups"][1]["presets"]["PLAGUEBEARERS"]
    odds = dict(ask("game", game="aos", question="attack", fields=fields | preset)["odds"])
    assert odds["damage points"] == f"{10 * 4 / 9 * 2 / 3:.2f}"  # Save 6+ is none against Rend 1


def test_an_attack_of_trench_crusade():
    # Without DICE 7 or more hits: 21/36.
    fields = fields_of("tc", "attack") | {"dice": "", "weapon_keywords": ""}
    assert dict(ask("game", game="tc", question="attack", fields=fields)["odds"])["P(hit)"] == "58.33%"
    fields |= {"cover": True}  # three dice, the lowest two: 7 or more in 69 of 216
    assert dict(ask("game", game="tc", question="attack", fields=fields)["odds"])["P(hit)"] == "31.94%"


def test_a_weapon_of_the_rules_fills_the_form():
    weapon = ask("forms", game="tc")["forms"]["attack"]["groups"][0]
    shotgun = weapon["presets"]["Shotgun"]
    assert shotgun == {field["name"]: field["value"] for field in weapon["fields"]}


def test_disputed_points_of_another_game_can_be_chosen():
    rulings = ask("forms", game="t9a", edition="3e")["rulings"]
    assert all(len(each["options"]) > 1 and each["default"] in each["options"] for each in rulings)
    [flags] = [each for each in ask("forms", game="tc")["rulings"] if each["name"] == "deadly"]
    fields = fields_of("tc", "attack")
    found = ask("game", game="tc", question="attack", fields=fields, rulings={"deadly": flags["options"][1]})
    assert "deadly=bloodbath-only" in found["text"]


def test_dice():
    found = ask("dice", dice="highest(2 of 3D6)")
    assert found["odds"][0] == ["mean", "8.46"]  # 1827/216
    assert "<td>3.24%</td>" not in found["html"]
    assert "<td>7.41%</td>" in found["html"]  # 12: two sixes or more, 16/216


WITHOUT = """
import json, sys
sys.modules["sympy"] = sys.modules["numpy"] = sys.modules["scipy"] = None
from mathhammer.page.requests import answer

def ask(kind, **rest):
    found = json.loads(answer(json.dumps({"kind": kind, **rest})))
    assert "error" not in found, (kind, rest, found["error"])
    return found

first = ask("start")["first"]
ask(**first, reference=first)
leader = {"name": "Captain", "toughness": "4", "wounds": "5", "keywords": "Character"}
ask("text", text=ask(**first, leaders=[leader])["text"])
ask("dice", dice="reroll(2D6, <7)+1")
for game in ("aos", "t9a", "tc"):
    for question, form in ask("forms", game=game)["forms"].items():
        fields = {field["name"]: field["value"] for group in form["groups"] for field in group["fields"]}
        found = ask("game", game=game, question=question, fields={**fields, "spend": "best"})
        ask("text", text=found["text"])
for place, unit in enumerate(ask("list", name="sample")["units"]):
    for row in unit["rows"]:
        ask("row", key="sample", unit=place, row=row, targets=["MEQ"])
units = [unit["label"] for unit in ask("list", name="sample")["units"]]
for best in (True, False):
    ask("focus", key="sample", units=units, row="shooting", enemy="sample", enemy_unit=2, best=best)
ask("assign", key="sample", units=units[:3], row="melee", enemy="sample")
"""


@pytest.mark.slow
def test_all_is_answered_without_the_libraries_that_the_page_does_not_have():
    subprocess.run([sys.executable, "-c", WITHOUT], check=True)  # noqa: S603 - our own interpreter


def test_a_rule_without_any_effect_is_no_switch(monkeypatch):
    army = rosters.sample_army()
    idle = wh40k.RuleEffect("enemy", "attacks", -1, when=(wh40k.RuleCondition("marked"),))
    gloom = wh40k.UnitRule("Gloom", "datasheet", army.units[0].name, (idle,))
    units = (replace(army.units[0], rules=(*army.units[0].rules, gloom)), *army.units[1:])
    monkeypatch.setattr("mathhammer.rosters.sample_army", lambda: replace(army, units=units))
    first = ask("list", name="sample")["units"][0]
    assert [rule["label"] for rule in first["rules"]] == [
        rule.name for rule in army.units[0].rules if rule.effects
    ]


@pytest.mark.parametrize("game", ["aos", "t9a", "tc"])
def test_forms_need_no_documentation(game):
    """The page's Python is compiled without it, as with -OO."""
    asked = json.dumps({"kind": "forms", "game": game})
    script = f"from mathhammer.page.requests import answer; print(answer({asked!r}))"
    done = subprocess.run([sys.executable, "-OO", "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert "attack" in json.loads(done.stdout)["forms"]
