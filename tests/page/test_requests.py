"""What the page asks and gets, without a browser: the numbers are those that can be worked out by hand."""

import base64
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
import roster_files
import test_sigmar as sigmar
from datasheet_files import LIST
from tenth import analysis, wh40k

import mathhammer
from mathhammer import rosters
from mathhammer.fields import profile
from mathhammer.page.requests import answer
from mathhammer.systems.registry import systems

SAMPLE = Path(rosters.__file__).parent / "sample" / "sample-army.ros"
RIFLE = {"count": "2", "range": "", "attacks": "1", "skill": "3+", "strength": "4", "ap": "0", "damage": "1"}
GUARDS = {"name": "Guards", "models": "2", "toughness": "4", "save": "", "wounds": "1"}

ATTACK = {"kind": "ask", "game": "40k", "said": {"weapons": [RIFLE], "target": [GUARDS]}}
ROW = {"kind": "row", "key": "sample", "unit": 2, "row": "shooting", "targets": ["MEQ", "GEQ"]}
GAMES = {name: each.text_format.functions for name, each in systems().items() if hasattr(each, "text_format")}


def ask(kind, **rest):
    return json.loads(answer(json.dumps({"kind": kind, **rest})))


def attack(weapon=RIFLE, target=GUARDS, *, leaders=(), rulings=None, edition="10e", **said):
    said = {"weapons": [weapon], "target": [target], "target.leaders": leaders, **said}
    return ask("ask", game="40k", edition=edition, rulings=rulings or {}, said=said)


def numbers(found):
    return json.loads(ask("json", text=found["text"])["json"])["exact"]


def first(game, question="attack"):
    """Return what the controls of a form hold at first."""
    groups = ask("form", game=game, question=question)["groups"]
    own = [each for group in groups if not group["name"] for each in group["fields"]]
    rows = {group["name"]: group["rows"] for group in groups if group["name"]}
    return rows | {each["name"]: each["value"] for each in own if each["value"]}


def other(game, question="attack", **said):
    """Return the answer to a form as it is at first, but for this; of a row by its group."""
    held = first(game, question)
    for name, value in said.items():
        held[name] = [{**held[name][0], **value}] if isinstance(value, dict) else value
    return dict(ask("ask", game=game, question=question, said=held)["odds"])


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
    assert numbers(attack(hit_modifier=-1, cover=False))["models destroyed"] == "1/2"
    assert numbers(attack({**RIFLE, "also": "hit_modifier=-1"}))["models destroyed"] == "1/2"


def test_a_leader_is_lost_last():
    captain = {"name": "Captain", "toughness": "4", "save": "", "wounds": "1", "keywords": "Character"}
    found = attack(leaders=[captain], target={**GUARDS, "models": "1"})
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
    found = attack(leaders=[captain], target={**GUARDS, "models": "1"}, edition=edition)
    assert numbers(found)["models destroyed"] == kills
    assert "0.67 wounds." in found["way"]


def test_an_earlier_answer_stands_beside_it():
    found = ask(
        **ATTACK,
        edition="10e",
        reference={**ATTACK, "edition": "10e", "said": {**ATTACK["said"], "hit_modifier": -1}},
    )
    row = re.findall(r"<td[^>]*>([^<]*)</td>", found["html"])
    assert "0.67 0.50 +0.17" in " ".join(row)
    assert found["before"][0]["mean"] == 0.5


LEGENDS = wh40k.TargetUnit(
    "Band",
    [wh40k.Target.parse("Guards: 4x T4 Sv4+ W1"), wh40k.Target.parse("Cat: 2x T4 Sv- W2")],
    [wh40k.Target.parse("Captain: 1x T4 Sv2+ W5 [Character]")],
    allocation="best",
    gifts={"Captain": {"feel_no_pain": "5+"}},
)


@pytest.mark.parametrize(
    "situation",
    [
        {"hit_modifier": -1, "reroll_wounds": "ones", "rulings": {"save_cap": "gross"}},
        {"modifiers": [wh40k.Modifier("add", 1, "Banner", of="strength")]},
        {"reroll_hits": {1, 2}},
        {"ignore_modifiers": "hit"},
        {"hit_modifier": [wh40k.Modifier("add", 1, "Banner", of="hit")] * 2},
        {"target": LEGENDS},
        {"weapons": [wh40k.Volley(wh40k.Weapon.parse("Gun: A1 BS3+ S4 AP0 D1"), 3, half_range=True)] * 2},
    ],
    ids=str,
)
def test_the_text_of_an_attack_opens_a_form_that_asks_the_same(situation):
    weapons = situation.pop("weapons", wh40k.Weapon.parse("Gun: A1 BS3+ S4 AP0 D1"))
    result = wh40k.attack(weapons, situation.pop("target", wh40k.find_target("MEQ")), **situation, exact=True)
    form = ask("text", text=result.to_text())["form"]
    assert ask("ask", **form)["text"] == result.to_text()


def test_what_the_form_cannot_hold_has_no_form():
    wounds = wh40k.MortalWounds("D3", "Grenade")
    result = wh40k.attack([wounds], wh40k.find_target("MEQ"), exact=True)
    found = ask("text", text=result.to_text())
    assert (found["form"], found["game"]) == (None, "40k")


def test_the_form_holds_every_rule_of_a_target():
    gun = wh40k.Weapon.parse("Gun: A6 BS3+ S5 AP-1 D3 [DEVASTATING WOUNDS]")
    ghost = wh40k.Target.parse(
        "Ghost: 3x T4 Sv3+ W3 FNP6+ FNP5+ mortal FNP4+ psychic -1D half damage damage to 0 Stealth in cover "
        "+1Sv against D1 Deadly Demise D3 2 lost 90pts"
    )
    result = wh40k.attack(gun, ghost, ignore_modifiers={"hit", "wound"}, exact=True)
    form = ask("text", text=result.to_text())["form"]
    assert ask("ask", **form)["text"] == result.to_text()
    [target] = form["said"]["target"]
    assert (target["half_damage"], target["feel_no_pain"], target["deadly_demise"]) == (True, "6+", "D3")


def test_what_was_rolled():
    # Of two dice a sum of 4 or more has 33/36, of at most 4 6/36; of four dice 8 or more 1261/1296.
    text = ask("dice", dice="2D6")["text"]
    rolled = [{"text": text, "name": "Result", "outcome": 4}] * 2
    one, _, both = ask("luck", rolled=rolled)["sentences"]
    assert "at least so many with 91.67%, at most so many with 16.67%" in one
    assert "Together 8 in 2 rolls, where 14.00 is the average: at least so many with 97.30%" in both


REFUSED = Path(__file__).with_name("refused.txt").read_text("utf-8").splitlines()[1:]


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_wrong_is_said(line):
    ask("list", name="sample")
    asked, _, words = line.rpartition(" !! ")
    assert words in json.loads(answer(json.dumps(eval(asked))))["error"]  # noqa: S307 - the rows are ours


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
    name = "<img src=x onerror=alert(1)>"
    asked = {**ATTACK, "said": {"weapons": [RIFLE], "target": [{**GUARDS, "name": name}]}}
    found = ask(**asked, reference=asked)
    assert "<img" not in found["html"]
    assert "&lt;img" in found["html"]


def test_a_list_and_its_rows():
    data = base64.b64encode(SAMPLE.read_bytes()).decode()
    army = ask("list", name="../my army.ros", data=data)
    assert (army["key"], army["points"]) == ("my army.ros", 1365)
    unit = next(place for place, each in enumerate(army["units"]) if each["rows"] == ["shooting", "melee"])
    [cell] = ask("row", key="my army.ros", unit=unit, row="shooting", targets=["MEQ"], edition="10e")["cells"]
    lost = wh40k.attack(rosters.sample_army().units[unit].only("shooting"), "MEQ", exact=True).wounds_lost
    share, wounds = cell["values"]["share"], cell["values"]["wounds"]
    assert (share, wounds) == pytest.approx((float(lost.mean()) / 20, float(lost.mean())), rel=1e-12)
    kills, points = cell["values"]["kills"], army["units"][unit]["points"]
    assert cell["values"]["return"] == pytest.approx(kills * 16 / points)  # a model of MEQ costs 16 points


def test_a_list_of_age_of_sigmar(tmp_path):
    axe = sigmar.unit("Rider", ('10"', "3", "4+", "1"), [sigmar.armed(sigmar.melee("Axe", "3"))])
    data = base64.b64encode(sigmar.written(tmp_path / "aos.json", [axe]).read_bytes()).decode()
    found = ask("list", name="aos.json", data=data)
    assert (found["units"][0]["label"], found["units"][0]["rows"]) == ("Rider", ["melee"])
    asked = {"key": "aos.json", "row": "melee", "targets": ["LIBERATORS"]}
    [cell] = ask("row", unit=0, **asked)["cells"]
    # Three attacks that hit and wound on 3+, saved on 3+, on ten points of Health.
    assert cell["values"]["wounds"] == pytest.approx(3 * 4 / 9 / 3)
    assert cell["values"]["share"] == pytest.approx(cell["values"]["wounds"] / 10)
    assert ask("text", text=cell["text"])["form"]["said"]["weapons"][0]["name"] == "Axe"
    ask("list", name="sample")
    assert "two lists of one game" in ask("row", unit=0, enemy="sample", **asked)["error"]
    assert "a list of Warhammer 40,000" in ask("focus", units=["Rider"], **asked)["error"]
    text = "Stormcast Eternals\nGrand Alliance Order\n\nKnight-Vexillor (110)\nLiberators (90)\n"
    assert "of Age of Sigmar age-of-sigmar-4th) here once" in ask("list", name="aos", text=text)["error"]


@pytest.mark.slow
def test_every_cell_opens_a_form_with_its_numbers():
    for place, unit in enumerate(ask("list", name="sample")["units"]):
        for row in unit["rows"]:
            for rest in ({"targets": ["MEQ"]}, {"enemy": "sample", "enemy_unit": place}):
                [cell] = ask("row", key="sample", unit=place, row=row, **rest)["cells"]
                shown = ask("ask", **ask("text", text=cell["text"])["form"])
                assert shown["odds"] == cell["odds"]


def test_a_text_list_has_the_datasheets_that_were_given_once(monkeypatch, tmp_path):
    monkeypatch.setenv("MATHHAMMER_CACHE", str(tmp_path / "cache"))
    text = Path(__file__).parents[1].joinpath("lists/texts/wardens.txt").read_text("utf-8")
    assert "drop the ZIP archive of BSData/wh40k-11e" in ask("list", name="mine", text=text)["error"]
    sheets = base64.b64encode(roster_files.as_json(LIST)).decode()
    [kept] = ask("datasheets", name="own.json", data=sheets)["kept"]
    assert (kept["name"], "2 datasheets of the 10e" in kept["about"]) == ("bsdata-10e", True)
    assert next(each["label"] for each in ask("list", name="mine", text=text)["units"]) == "Wardens"
    assert ask("datasheets", remove="bsdata-10e")["kept"] == []
    assert "as the publisher of datasheets" in ask("datasheets", remove="../x")["error"]


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


def test_what_is_chosen_of_rules_is_offered():
    """A state for all units, and the friendly unit that a rule is used on: each adds 1 to hit."""
    mine = "each time a model in this unit makes an attack, add 1 to the hit roll."
    friend = f"select one friendly INFANTRY unit. Until the end of the turn, {mine.replace('this', 'that')}"
    text = SAMPLE.read_text("utf-8")
    for new in (f"If the storm doctrine is active, {mine}", f"In your Command phase, {friend}"):
        text = re.sub("Each time this unit takes a Battle-shock[^<]*", new, text, count=1)
    army = ask("list", name="own.ros", data=base64.b64encode(text.encode()).decode())
    [state] = [rule["name"] for rule in army["rules"] if "doctrine" in rule["name"]]
    [(rule, choices)] = [
        (rule["name"], rule["choices"]) for unit in army["units"] for rule in unit["rules"] if rule["choices"]
    ]
    assert ((state, rule), " > Hill Battery" in choices) == (
        ("storm doctrine", "Lamplighters #2: Hold the light"),
        True,
    )
    crew = rosters.sample_army()["Lamplighters"].only("shooting")
    better = wh40k.attack(crew, "MEQ", hit_modifier=1, exact=True).wounds_lost
    asked = {"key": "own.ros", "unit": 2, "row": "shooting", "targets": ["MEQ"], "edition": "10e"}
    for on in (state, f"{rule} > Lamplighters"):
        [cell] = ask("row", **asked, switched={"own.ros": {"on": [on], "off": []}})["cells"]
        assert cell["values"]["wounds"] == pytest.approx(float(better.mean()), rel=1e-12)


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
    assert after["values"]["share"] > before["values"]["share"]
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
    army = rosters.sample_army()
    crew = {name: army[name].only("shooting") for name in units}
    best = analysis.assign(crew, army)  # in floats
    shown = re.findall(r"<td[^>]*>([^<]*)</td><td[^>]*>([^<]*)</td>", found["html"])
    assert shown[:4] == [(row["attacker"], row["target"]) for row in best.to_records()]
    assert "No division of these units destroys more." in found["sentence"]
    assert "got none" in ask("assign", key="sample", enemy="sample", row="melee", units=[])["error"]


@pytest.mark.parametrize("edition", wh40k.EDITIONS)
def test_every_edition_has_a_form(edition):
    found = ask("form", game="40k", edition=edition)
    groups = {group["title"]: group for group in found["groups"]}
    conditions = set(wh40k.EDITIONS[edition].conditions)
    assert (
        conditions
        <= {each["name"] for each in groups["Situation"]["fields"]}
        <= conditions | {"objective", "order"}
    )
    assert found["rulings"]
    assert {name: each["line"] for name, each in groups["Target"]["presets"].items()} == {
        label: str(wh40k.find_target(label, edition)) for label in wh40k.TARGETS
    }
    abilities = next(each for each in groups["Weapons"]["fields"] if each["name"] == "keywords")
    assert len(abilities["options"]) == len(wh40k.EDITIONS[edition].abilities)


#: What a form cannot be asked as it is at first: the 11th edition rolls equal attacks together.
TOGETHER = ("40k", "fast_roll_check")


@pytest.mark.parametrize(
    ("game", "question"), [(game, name) for game, names in GAMES.items() for name in names]
)
def test_every_question_has_a_form_that_answers_and_its_text_opens_it(game, question):
    edition = "10e" if (game, question) == TOGETHER else ""
    if question == "rounds_of_combat":
        return  # takes seconds
    asked = {"game": game, "question": question, "edition": edition, "said": first(game, question)}
    found = ask("ask", **asked)
    assert found["charts"] or "<svg" in found.get("html", found) or "<p>" in found["html"]
    again = ask("text", text=found["text"])
    assert again["odds"] == found["odds"]
    assert ask("ask", **again["form"])["text"] == found["text"]


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
    target = {"resilience": "3", "armour": "2"}
    assert other("t9a", target=target)["models lost"] == f"{15 * 2 / 3 / 2 * 5 / 6:.2f} of 20"
    target |= {"attributes": "Parry"}
    odds = other("t9a", target=target, reroll_hits="failed", wound_modifier=-1, charging=True)
    # Parry: hit on 4+ (Def 4 against Off 4), and failed rolls again: 3/4; wounded on 5+.
    assert odds["models lost"] == f"{15 * 3 / 4 / 3 * 5 / 6:.2f} of 20"


def test_a_charge_of_the_9th_age():
    charge = {"distance": "11", "advance": "4"}  # 7 or more with two dice
    assert other("t9a", "charge", **charge) == {"P(success)": "58.33%"}
    # 29/36 by the rulebook's table
    assert other("t9a", "charge", **charge, swiftstride=True) == {"P(success)": "80.56%"}


def test_an_attack_of_age_of_sigmar():
    # 10 attacks that hit and wound on 3+, saved on 4+ after Rend 1, a Ward of 6+; then 5+ with a Ward of 5+.
    assert other("aos")["damage points"] == f"{11 * 4 / 9 / 2 * 5 / 6:.2f}"  # the champion has one more
    [target] = [each for each in ask("form", game="aos")["groups"] if each["name"] == "target"]
    preset = target["presets"]["PLAGUEBEARERS"]
    assert (
        other("aos", target=preset)["damage points"] == f"{11 * 4 / 9 * 2 / 3:.2f}"
    )  # Save 6+ is none against Rend 1


def test_an_attack_of_trench_crusade():
    # Without DICE 7 or more hits: 21/36.
    weapon = {"dice": "", "keywords": ""}
    assert other("tc", attacks=weapon)["P(hit)"] == "58.33%"
    # three dice, the lowest two: 7 or more in 69 of 216
    assert other("tc", attacks=weapon, cover=True)["P(hit)"] == "31.94%"


@pytest.mark.parametrize("game", ["40k", "t9a", "tc", "aos"])
def test_what_is_true_or_not_is_a_box_that_answers(game):
    """Each box alone is taken as the page sends it: ticked, it is true; of an edition that has it."""
    groups = ask("form", game=game)["groups"]
    boxes = [each["name"] for group in groups if not group["name"] for each in group["fields"]]
    flags = {each["name"]: each["kind"] for group in groups for each in group["fields"]}
    switches = {
        "40k": "half_range long_range stationary charged cover",
        "t9a": "long_range",
        "tc": "shield cover",
    }
    assert {flags[each] for each in switches.get(game, "all_out_attack cover").split()} == {"flag"}
    for box in boxes:
        if flags[box] == "flag":
            found = ask("ask", game=game, said=first(game) | {box: True})
            assert "True or False" not in found.get("error", ""), found


def test_a_weapon_of_the_rules_fills_the_form():
    weapon = ask("form", game="tc")["groups"][0]
    assert weapon["rows"] == [weapon["presets"]["Shotgun"]]


def test_disputed_points_of_another_game_can_be_chosen():
    rulings = ask("form", game="t9a", edition="3e")["rulings"]
    assert all(each["usual"] and each["options"] for each in rulings)
    [flags] = [each for each in ask("form", game="tc")["rulings"] if each["name"] == "deadly"]
    found = ask("ask", game="tc", said=first("tc"), rulings={"deadly": flags["options"][0][1]})
    assert "deadly=bloodbath-only" in found["text"]


def test_dice():
    found = ask("dice", dice="highest(2 of 3D6)")
    assert found["odds"][0] == ["mean", "8.46"]  # 1827/216
    [chart] = found["charts"]
    assert chart["probabilities"][-1] == pytest.approx(16 / 216)  # 12: two sixes or more


WITHOUT = """
import json, sys
sys.modules["sympy"] = sys.modules["numpy"] = sys.modules["scipy"] = None
from mathhammer.page.requests import answer

def ask(kind, **rest):
    found = json.loads(answer(json.dumps({"kind": kind, **rest})))
    assert "error" not in found, (kind, rest, found["error"])
    return found

ask("dice", dice="reroll(2D6, <7)+1")
from mathhammer.systems.registry import systems
for game, system in systems().items():
    for question in getattr(system, "text_format").functions:
        if question in ("rounds_of_combat", "fast_roll_check"):
            continue
        form = ask("form", game=game, question=question)
        said = {group["name"]: group["rows"] for group in form["groups"] if group["name"]}
        own = [each for group in form["groups"] if not group["name"] for each in group["fields"]]
        said |= {each["name"]: each["value"] for each in own}
        asked = {"game": game, "question": question, "said": said}
        found = ask("ask", **asked, reference=asked)
        assert ask("text", text=found["text"])["form"]
        for chart in found["charts"]:
            ask("luck", rolled=[{"text": found["text"], "name": chart["name"], "outcome": 1}] * 2)
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
