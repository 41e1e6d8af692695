"""What the page asks and gets, without a browser: the numbers are those that can be worked out by hand."""

import base64
import json
from pathlib import Path

import pytest
from tenth import wh40k

from mathhammer import rosters
from mathhammer.page.requests import answer

SAMPLE = Path(rosters.__file__).parent / "sample" / "sample-army.ros"
RIFLE = {"count": "2", "attacks": "1", "skill": "3+", "strength": "4", "ap": "0", "damage": "1"}
GUARDS = {"name": "Guards", "models": "2", "toughness": "4", "save": "", "wounds": "1"}


def ask(kind, **rest):
    return json.loads(answer(json.dumps({"kind": kind, **rest})))


def attack(weapon=RIFLE, models=GUARDS, **rest):
    return ask("attack", weapons=[weapon], models=[models], **{"edition": "10e"} | rest)


def test_an_attack():
    # Hits with 2/3, wounds with 1/2: two with 1/9.
    assert attack()["numbers"] == {"kills": "2/3", "wounds_lost": "2/3", "probability_destroyed": "1/9"}


def test_a_situation():
    # It hits with 1/2: 1/4 each.
    assert attack(situation={"hit_modifier": -1, "cover": False})["numbers"]["kills"] == "1/2"


def test_a_leader_is_lost_last():
    captain = {"name": "Captain", "toughness": "4", "save": "", "wounds": "1", "keywords": "Character"}
    found = attack(leaders=[captain], models={**GUARDS, "models": "1"})
    assert found["numbers"]["kills"] == "2/3"
    assert "Captain" in found["text"]


def test_the_text_of_an_attack_opens_the_same_form():
    first = attack(situation={"hit_modifier": -1, "reroll_wounds": "ones"}, rulings={"save_cap": "gross"})
    again = ask("text", text=first["text"])
    assert again["numbers"] == first["numbers"]
    assert ask(**again["form"])["text"] == first["text"]


def test_what_the_form_cannot_hold_has_no_form():
    gun = wh40k.Weapon.parse("Gun: A1 BS3+ S4 AP0 D1")
    modifier = wh40k.Modifier("add", 1, "Banner", of="strength")
    result = wh40k.attack(gun, wh40k.find_target("MEQ"), modifiers=[modifier], exact=True)
    assert ask("text", text=result.to_text())["form"] is None


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"kind": "nothing"}, "expected a request with a kind of"),
        ({"kind": "attack", "weapons": 3, "models": []}, "expected rows of fields as weapons"),
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
        ({"kind": "text", "text": 3}, "expected 'mathhammer 1: ...'"),
        ({"kind": "list", "name": "x", "data": "!"}, "expected a file in base64"),
        ({"kind": "list", "name": "x", "text": "good morning"}, "'x': expected"),
        ({"kind": "row", "key": "none"}, "drop the list again"),
        ({"kind": "controls", "edition": "5e"}, "expected an edition of"),
    ],
)
def test_what_is_wrong_is_said(request_, words):
    assert words in json.loads(answer(json.dumps(request_)))["error"]


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
    marines = next(each for each in ask("controls", edition="10e")["targets"] if each["name"] == "MEQ")
    shown = ask("attack", weapons=cell["weapons"], models=[marines], edition="10e")
    assert (shown["kills"], shown["destroyed"]) == (cell["kills"], cell["destroyed"])


def test_a_list_against_a_list():
    """The same attack as the form shows with the weapons and the models of the cell."""
    ask("list", name="sample")
    cells = ask("row", key="sample", unit=2, row="shooting", enemy="sample", edition="10e")["cells"]
    assert len(cells) == len(ask("list", name="sample")["units"])
    cell = cells[2]
    shown = ask("attack", weapons=cell["weapons"], edition="10e", **cell["fields"])
    assert (shown["kills"], shown["destroyed"]) == (cell["kills"], cell["destroyed"])
    assert "drop it again" in ask("row", key="sample", unit=2, row="shooting", enemy="none")["error"]


def test_every_edition_has_controls():
    for name in wh40k.EDITIONS:
        found = ask("controls", edition=name)
        assert {each["name"] for each in found["situation"]} <= set(wh40k.EDITIONS[name].conditions)
        assert found["rulings"]
        assert {each["name"]: each["line"] for each in found["targets"]} == {
            label: str(wh40k.find_target(label, name)) for label in wh40k.TARGETS
        }


@pytest.mark.parametrize("game", sorted(ask("start")["games"]))
def test_the_questions_to_begin_with_are_answered(game):
    assert "<svg" in ask("text", text=ask("start")["games"][game])["html"]
