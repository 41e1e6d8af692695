"""The panel without a browser: controls are set as a player sets them, and what is shown is what the library says."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from html import unescape

import pytest
import sympy
from tenth import wh40k

import mathhammer as mh
from mathhammer import MathhammerError
from mathhammer.interactive import AttackPanel
from mathhammer.page.report import Shown, details, printed, report
from mathhammer.rosters import sample_army

pytest.importorskip("ipywidgets", reason="ipywidgets is not installed: pip install '.[interactive]'")


@pytest.fixture
def panel():
    return AttackPanel(edition="10e")


def text_of(html):
    """What a reader reads; tags part words."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def rows_of(html):
    """The cells of each row of the tables."""
    return [
        re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)
        for row in re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    ]


def notes_of(panel):
    """Messages below the controls, by the label of the control."""
    return {
        control.description: text_of(note.value)
        for control, note in panel._notes.items()
        if note.value and note.layout.display != "none"
    }


def as_shown(panel):
    return {row[0]: row[1] for row in rows_of(panel._output.value)[1:]}


def test_the_first_sight_is_ten_rifles_at_marines(panel):
    rifle = wh40k.Weapon.parse('Rifles: 24" A2 BS3+ S4 AP-1 D1')
    expected = wh40k.attack(rifle, wh40k.TARGETS["MEQ"], count=10)
    assert panel.result.state == expected.state
    assert panel.result.rulings == expected.rulings
    assert panel.error == ""
    # 20 attacks hit with 2/3, wound with 1/2 and go through a save of 4+ with 1/2: 10/3 wounds of the 20 are lost.
    assert as_shown(panel)["Wounds lost, mean"] == "3.33"


def test_one_attack_by_hand(panel):
    panel.targets.value = "TANK"  # T11, Sv2+, W13: 12 against 11 wounds on 3+, AP-3 leaves a save of 5+
    panel.weapons.value = "Lascannons"
    panel.weapon["count"].value = 1
    panel.weapon["damage"].value = "13"
    panel.exact.value = True
    assert as_shown(panel)["Whole unit destroyed"] == "8/27 = 29.63%"  # 2/3 x 2/3 x 2/3
    panel.situation["stationary"].value = True  # Heavy: hits on 2+
    assert as_shown(panel)["Whole unit destroyed"] == "10/27 = 37.04%"  # 5/6 x 2/3 x 2/3
    panel.situation["cover"].value = True  # the save is 4+
    assert as_shown(panel)["Whole unit destroyed"] == "5/18 = 27.78%"  # 5/6 x 2/3 x 1/2
    panel.situation["reroll_wounds"].value = "failed"
    assert as_shown(panel)["Whole unit destroyed"] == "10/27 = 37.04%"  # 5/6 x 8/9 x 1/2
    panel.target["feel_no_pain"].value = 5  # thirteen wounds, none of them ignored
    assert (
        panel.result.probability_destroyed
        == wh40k.attack(
            wh40k.Weapon.parse("W: A1 BS3+ S12 AP-3 D13 [HEAVY]"),
            wh40k.Target("T", toughness=11, save=2, wounds=13, feel_no_pain=5, keywords="Vehicle"),
            exact=True,
            stationary=True,
            cover=True,
            reroll_wounds="failed",
        ).probability_destroyed
    )


def test_each_characteristic_reaches_the_library(panel):
    values = {"count": 3, "range": "Melee", "attacks": "D3+1", "skill": 4, "strength": "2D6", "ap": -2}
    for name, value in values.items():
        panel.weapon[name].value = value
    panel.weapon["damage"].value = "D6+1"
    for ability in ("Lethal Hits", "Sustained Hits 1", "Devastating Wounds", "Twin-linked"):
        panel.weapon[ability].value = True
    panel.weapon["keywords"].value = "Lance, anti-psyker 4+"
    defence = {
        "models": 4,
        "toughness": 6,
        "save": 4,
        "invulnerable": "6+, 5+ melee",
        "wounds": 5,
        "feel_no_pain": 6,
        "damage_reduction": 1,
        "half_damage": True,
        "wounds_lost": 2,
        "keywords": "Psyker, Infantry",
        "feel_no_pain_mortal": 4,
        "damage_1_save_bonus": 1,
    }
    for name, value in defence.items():
        panel.target[name].value = value
    panel.situation["charged"].value = True
    weapon = wh40k.Weapon(
        "Weapon",
        range="Melee",
        attacks="D3+1",
        skill=4,
        strength="2D6",
        ap=-2,
        damage="D6+1",
        keywords="Lethal Hits, Sustained Hits 1, Devastating Wounds, Twin-linked, Lance, Anti-Psyker 4+",
    )
    target = wh40k.Target("Target", **{**defence, "invulnerable": ("6+", "5+ melee")})
    assert panel.error == ""
    assert panel._weapon() == weapon
    assert panel._target() == target
    assert panel.result.state == wh40k.attack(weapon, target, count=3, charged=True).state
    assert panel.weapons.value == panel.targets.value == "your own"


def test_every_keyword_of_a_situation_has_a_control(panel):
    # Modifiers and triggers are written in Python; precision chooses among leaders, of whom a target has none.
    assert {"modifiers", "triggers", "precision"} == set(wh40k.SituationKeywords.__annotations__) - set(
        panel.situation
    )
    assert set(panel.situation) <= set(wh40k.SituationKeywords.__annotations__)


@pytest.mark.slow
def test_every_value_of_every_choice_is_one_that_the_library_knows(panel):
    for name, control in panel.situation.items():
        usual = control.value
        for value in getattr(control, "options", None) or (
            [True] if usual is False else [control.min, control.max]
        ):
            control.value = value[1] if isinstance(value, tuple) else value
            said = {} if control.value == usual else {name: control.value}
            direct = wh40k.attack(panel._weapon(), panel._target(), count=10, **said)
            assert panel.error == "", (name, value)
            assert panel.result.state == direct.state
        control.value = usual
    assert panel.result.state == wh40k.attack(panel._weapon(), panel._target(), count=10).state


@pytest.mark.slow
@pytest.mark.parametrize("label", wh40k.TARGETS)
def test_a_target_of_the_list_fills_its_controls_without_loss(panel, label):
    panel.targets.value = label
    assert str(panel._target()) == re.sub(r" \d+pts", "", str(wh40k.TARGETS[label]))
    assert panel.result.state == wh40k.attack(panel._weapon(), wh40k.TARGETS[label], count=10).state
    assert panel.targets.value == label


def test_own_weapons_and_targets_with_values_beyond_the_sliders():
    many = wh40k.Volley(wh40k.Weapon.parse("Storm: A1 BS2+ S4 AP-9 D1 [TORRENT, LETHAL HITS, BLAST]"), 77)
    nothing = wh40k.Weapon(
        "Flame", range="", attacks=1, skill=None, strength=4, ap=0, damage=1, keywords="Torrent"
    )
    giant = wh40k.Target(
        "Any", toughness=20, save=None, wounds=60, models=2, feel_no_pain_mortal=5, keywords="A, B C"
    )
    panel = AttackPanel({"Many": many, "None": nothing}, {"Giant": giant}, edition="10e")
    assert panel.result.state == wh40k.attack(many, giant).state
    assert panel.weapon["Lethal Hits"].value
    assert panel.weapon["keywords"].value == "Torrent, Blast"
    assert "77x Many: A1 BS2+ S4 AP-9 D1" in text_of(panel._output.value)
    panel.weapons.value = "None"
    assert panel.result.state == wh40k.attack(nothing, giant).state
    assert panel._target() == wh40k.Target(
        "Giant", toughness=20, save=None, wounds=60, models=2, feel_no_pain_mortal=5, keywords="A, B C"
    )


def test_a_panel_with_nothing_in_its_lists():
    panel = AttackPanel({}, {})
    assert panel.weapons.value == panel.targets.value == "your own"
    assert panel.result is not None


def test_a_volley_with_a_situation_is_refused():
    volley = wh40k.Volley(wh40k.Weapon.parse("Gun: A1 BS3+ S4 AP0 D1"), 2, cover=True)
    with pytest.raises(MathhammerError, match=r"expected volleys without a situation, got \{'cover': True\}"):
        AttackPanel({"Gun": volley})


def test_without_ipywidgets_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(MathhammerError, match=r"not installed; pip install 'mathhammer\[interactive\]'"):
        AttackPanel()


@pytest.mark.parametrize(
    ("group", "name", "value", "label", "said"),
    [
        ("weapon", "attacks", "", "Attacks (A)", "expected a number, dice such as 2D6"),
        ("weapon", "attacks", "1001", "Attacks (A)", "expected attacks from 1 to 1,000, got '1001'"),
        ("weapon", "strength", "four", "Strength (S)", "expected"),
        ("weapon", "damage", "D6+", "Damage (D)", "D6+ ^"),
        ("weapon", "damage", "<b>6", "Damage (D)", "<b>6 ^"),
        ("weapon", "keywords", "Lethal Hit", "Other abilities", "did you mean 'Lethal Hits'?"),
        ("weapon", "keywords", "Rapid Fire", "Other abilities", "'Rapid Fire' needs a value"),
        (
            "target",
            "invulnerable",
            "9+",
            "Invulnerable",
            "expected a roll from '2+' to '6+' as invulnerable, got '9+'",
        ),
    ],
)
def test_a_wrong_text_is_said_below_it_and_the_last_result_is_greyed(panel, group, name, value, label, said):
    before, controls = panel.result, getattr(panel, group)
    assert notes_of(panel) == {}
    shown = panel._output.value
    usual = controls[name].value
    controls[name].value = value
    assert panel.result is None
    assert list(notes_of(panel)) == [label]
    assert said in notes_of(panel)[label]
    assert notes_of(panel)[label] == " ".join(panel.error.split())
    assert text_of(panel._output.value).startswith(f"Not computed, see {label}.")
    assert re.findall(r'class="pictures.*?"', panel._output.value) == ['class="pictures mathhammer-stale"']
    assert rows_of(panel._output.value) == rows_of(shown)  # greyed, not gone
    assert panel._details.value == ""
    assert panel.compare.disabled
    controls[name].value = usual
    assert panel.result.state == before.state
    assert notes_of(panel) == {}
    assert "stale" not in panel._output.value
    assert not panel.compare.disabled


def test_two_wrong_texts_have_a_message_each(panel):
    panel.weapon["attacks"].value = "D"
    panel.target["invulnerable"].value = "x"
    assert list(notes_of(panel)) == ["Attacks (A)", "Invulnerable"]
    assert "Not computed, see Attacks (A) and Invulnerable." in text_of(panel._output.value)
    panel.weapon["attacks"].value = "D6"
    assert list(notes_of(panel)) == ["Invulnerable"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({("weapon", "skill"): "-"}, "only a weapon with Torrent has none"),
        ({("target", "wounds_lost"): 2}, "expected wounds_lost of 1 at most for a model of 2 wounds, got 2"),
        (
            {("situation", "stationary"): True, ("situation", "charged"): True},
            "expected stationary or charged, got both",
        ),
    ],
)
def test_values_that_do_not_go_together_are_said_above_the_greyed_result(panel, settings, said):
    for (group, name), value in settings.items():
        getattr(panel, group)[name].value = value
    assert panel.result is None
    assert notes_of(panel) == {}
    assert said in panel.error
    assert text_of(panel._output.value).startswith(" ".join(panel.error.split()))
    assert "mathhammer-stale" in panel._output.value


def test_work_that_would_not_fit_is_said_too(panel):
    panel.weapon["attacks"].value = "1000D6"
    panel.weapon["damage"].value = "1000"
    panel.weapon["keywords"].value = "Sustained Hits 100D6"
    assert panel.result is None
    assert panel.error


def test_a_mistake_of_ours_leaves_no_old_number_as_the_answer(panel, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("a mistake")

    monkeypatch.setattr(mh.wh40k, "attack", broken)
    with pytest.raises(RuntimeError, match="a mistake"):
        panel.situation["cover"].value = True
    assert panel.result is None
    assert "Not computed." in panel._output.value
    assert "mathhammer-stale" in panel._output.value


def test_editions_have_their_own_cover_and_rulings(panel):
    panel.situation["cover"].value = True
    panel.rulings["save_cap"].value = "gross"
    assert "save_cap: gross; edition 10e" in text_of(panel._output.value)
    assert panel.result.rulings["save_cap"] == "gross"
    panel.edition.value = "9e"
    assert panel.situation["cover"].value is False
    assert set(panel.rulings) == {ruling.name for ruling in wh40k.EDITIONS["9e"].rulings}
    panel.situation["cover"].value = "dense"
    direct = wh40k.attack(panel._weapon(), panel._target(), count=10, edition="9e", cover="dense")
    assert panel.result.state == direct.state
    assert "Cover: dense; edition 9e" in text_of(panel._output.value)
    assert f">{direct.rulings.sentence}</summary>" in panel._details.value


def test_a_reference_stays_beside_what_comes_after(panel):
    panel.exact.value = True
    panel.targets.value = "VEQ"  # W10
    panel.weapons.value = "Lascannons"
    panel.weapon["damage"].value = "5"  # both must go through: (2/3 x 2/3 x 5/6)^2
    kept = panel.result
    panel.compare.value = True
    panel.weapon["damage"].value = "10"  # one of two is enough
    once = 8 / 27 * 5 / 4
    assert kept.probability_destroyed == panel.result.probability_destroyed.__class__(100, 729)
    assert float(panel.result.probability_destroyed) == pytest.approx(1 - (1 - once) ** 2, rel=1e-12)
    rows = {row[0]: row[1:] for row in rows_of(panel._output.value)}
    assert rows[""] == ["now", "reference", "change"]
    assert rows["Whole unit destroyed"] == ["440/729 = 60.36%", "100/729 = 13.72%", "+46.64 points"]
    assert rows["Wounds lost, mean"] == ["4400/729 = 6.04", "100/27 = 3.70", "+2.33"]
    assert "reference: all 13.72%" in panel._output.value
    assert "Reference: 2x Weapon: A1 BS3+ S12 AP-3 D5 [HEAVY] against VEQ" in text_of(panel._output.value)
    panel.weapon["damage"].value = "?"  # the reference can be dropped whatever stands in the controls
    assert not panel.compare.disabled
    panel.compare.value = False
    panel.weapon["damage"].value = "10"
    assert "eference" not in panel._output.value


def test_steps_are_written_where_they_are_unfolded(panel):
    steps = panel._folded.children[0]
    assert steps.value == ""
    panel._folded.selected_index = 0
    assert text_of(steps.value) == " ".join(str(panel.result.explain()).split())
    panel.situation["cover"].value = True
    assert text_of(steps.value) == " ".join(str(panel.result.explain()).split())
    panel.weapon["attacks"].value = "x"
    assert steps.value == ""


def test_the_text_gives_the_same_result_anywhere(panel):
    panel._folded.selected_index = 3
    panel.situation["cover"].value = True
    panel.rulings["save_cap"].value = "gross"
    panel.target["damage_1_save_bonus"].value = 1
    panel.target["feel_no_pain_mortal"].value = 5
    panel.weapon["Devastating Wounds"].value = True
    text = unescape(re.fullmatch(r".*<pre>(.*)</pre>.*", panel._folded.children[3].value, re.DOTALL)[1])
    assert mh.from_text(text).state == panel.result.state
    assert mh.from_text(text).rulings == panel.result.rulings


def test_a_notebook_shows_the_widget(panel):
    shown = panel._repr_mimebundle_()
    assert shown["application/vnd.jupyter.widget-view+json"]["model_id"] == panel.widget.model_id


def test_at_least_names_every_number_of_models_up_to_twelve(panel):
    panel.weapon["count"].value = 40
    table = rows_of(panel._details.value)
    assert table[0][1:] == [str(k) for k in range(1, 11)]
    kills = panel.result.kills
    for k, shown in zip(range(1, 11), table[1][1:], strict=True):
        # What is possible is never printed as nothing, nor what may fail as certain.
        assert shown.strip("&lgt;%") == f"{max(0.01, min(99.99, 100 * kills.at_least(k))):.2f}"


def test_at_least_of_many_models_ends_with_all_of_them():
    hits = wh40k.attack(
        wh40k.Weapon.parse("Gun: A40 BS2+ S12 AP-6 D1"),
        wh40k.Target("Mob", toughness=3, save=None, wounds=1, models=30),
    )
    table = rows_of(details(hits))
    assert table[0][1:] == [str(k) for k in (*range(1, 30, 3), 30)]


def test_an_attack_that_does_nothing_has_a_page():
    gun, wall = wh40k.Weapon.parse("Gun: A1 BS3+ S4 AP0 D1"), wh40k.TARGETS["MEQ"]
    harmless = wh40k.Modifier("set", 0, "a rule that changes Damage to 0", of="damage")
    nothing = wh40k.attack(gun, wall, modifiers=[harmless])
    assert ["Models destroyed, mean", "0"] in rows_of(report(Shown("harmless", nothing)))
    assert rows_of(details(nothing))[:2] == [["At least so many models destroyed"], ["has the probability"]]


def test_fractions_are_written_out_where_they_fit(panel):
    panel.exact.value = True
    # Each of 20 attacks must go through, 2/3 x 1/2 x 1/2 each.
    assert as_shown(panel)["Whole unit destroyed"] == f"1/{6**20} = &lt;0.01%"
    panel.weapon["count"].value = 40
    value = panel.result.probability_destroyed
    digits = len(str(value.p)) + len(str(value.q))
    assert digits > 60
    assert as_shown(panel)["Whole unit destroyed"].endswith(f"% (a fraction of {digits} digits)")


def test_without_a_result_there_is_the_message_alone():
    assert text_of(report(None, None, "no dice")) == "no dice"
    assert report(None) == details(None) == printed("") == ""


def test_units_of_a_list_are_taken_as_they_are():
    army = sample_army()
    panel = AttackPanel(army, army)
    assert panel.edition.value == army.edition
    panel.weapons.value, panel.targets.value = "Breach Company, melee", "Ember Levy"
    assert all(control.disabled for control in (*panel.weapon.values(), *panel.target.values()))
    direct = wh40k.attack(army["Breach Company"].only("melee"), army["Ember Levy"].as_target_unit())
    assert panel.result.state == direct.state
    assert "Breach Company, melee against Ember Levy" in panel._output.value
    panel.targets.value = "Hill Battery"  # equal models, which can be changed
    assert not panel.target["toughness"].disabled
    panel.target["toughness"].value = 12
    wall = replace(army["Hill Battery"].as_target_unit(), toughness=12)
    assert panel.result.state == wh40k.attack(army["Breach Company"].only("melee"), wall).state


def test_several_weapons_and_a_leader():
    # Each of two hits with 2/3, wounds with 1/2 and is not saved; the guard falls before the captain.
    gun, blade = (wh40k.Weapon.parse(f"{name}: A1 BS3+ S4 AP0 D1") for name in ("Gun", "Blade"))
    guard = wh40k.Target("Guard", toughness=4, save=None, wounds=1)
    captain = wh40k.Target("Captain", toughness=4, save=None, wounds=1, keywords="Character")
    led = wh40k.TargetUnit("Guards", [guard], leaders=[captain])
    panel = AttackPanel({"both": [gun, blade]}, {"led": led}, edition="10e")
    panel.exact.value = True
    assert (panel.result.kills.mean(), panel.error) == (sympy.Rational(2, 3), "")
    assert panel.result.probability_destroyed == sympy.Rational(1, 9)
    assert "both against led; edition 10e" in panel._output.value


@pytest.fixture
def ruled():
    """A squad whose rule adds 1 to hit, once; a wall whose rule takes 1 from wound rolls, always, or chooses a save."""
    once = (wh40k.RuleCondition("once"),)
    aim = wh40k.UnitRule(
        "Aim", "datasheet", "Squad", (wh40k.RuleEffect("attack", "hit", 1, when=once),), groups=(0,)
    )
    hard = wh40k.UnitRule(
        "Hard", "datasheet", "Wall", (wh40k.RuleEffect("defence", "wound", -1),), groups=(0,)
    )
    items = [
        wh40k.RuleEffect("defence", "invulnerable", save, when=(wh40k.RuleCondition("choice", (item,)),))
        for item, save in (("Fire", 4), ("Ice", 5))
    ]
    ward = wh40k.UnitRule("Ward", "datasheet", "Wall", tuple(items), groups=(0,))
    gun = wh40k.Weapon.parse('Gun: 24" A6 BS4+ S4 AP0 D1')
    line = wh40k.WeaponLine("Gun", 1, "Trooper", 0, ((gun,),))
    squad = wh40k.Unit("Squad", 90, (wh40k.ModelGroup("Trooper", 1),), (line,), rules=(aim,))
    block = wh40k.ModelGroup("Block", 1, wh40k.Target.parse("T4 Sv- W10"))
    return wh40k.Army("A", "F", "10e", 180, (squad, wh40k.Unit("Wall", 90, (block,), rules=(hard, ward))))


def test_rules_of_both_sides_are_switches(ruled):
    # Six attacks that hit with 1/2 and wound with 1/2, with the wall's rule 1/3; aimed they hit with 2/3.
    panel = AttackPanel(ruled, ruled, edition="10e")
    panel.targets.value = "Wall"
    aim, hard, ward = panel.rules.controls["Aim"], *panel.target_rules.controls.values()
    assert (aim.value, hard.value, ward.value) == (False, True, "")
    assert panel.result.wounds_lost.mean() == pytest.approx(1, rel=1e-12)
    aim.value = True
    assert panel.result.wounds_lost.mean() == pytest.approx(4 / 3, rel=1e-12)
    hard.value = False
    assert panel.result.wounds_lost.mean() == pytest.approx(2, rel=1e-12)
    ward.value = "Fire"
    assert panel.result.wounds_lost.mean() == pytest.approx(1, rel=1e-12)
    assert panel.target["invulnerable"].value == "4+"
    for said in ("Aim on", "Ward=Fire on", "Hard off"):
        assert said in panel._output.value
    assert (panel.targets.value, panel.error) == ("Wall", "")
    aim.value, hard.value, ward.value = False, True, ""
    assert panel.result.wounds_lost.mean() == pytest.approx(1, rel=1e-12)


def test_switches_are_those_of_the_chosen_unit(ruled):
    panel = AttackPanel(ruled, edition="10e")
    assert list(panel.rules.controls) == ["Aim"]
    assert panel.target_rules.controls == {}
    panel.weapons.value = "your own"
    assert panel.rules.controls == {}
    assert panel.rules.widget.layout.display == "none"


def test_labels_are_those_of_the_edition():
    panel = AttackPanel(edition="10e")

    def labels():
        return {name: control.description for name, control in panel.situation.items()}

    def words(edition):
        return {name: rule.label for name, rule in wh40k.EDITIONS[edition].conditions.items()}

    assert panel.situation["stealth"].description == "The target has Stealth: -1 to hit with ranged weapons"
    for edition in ("11e", "9e", "10e"):
        panel.edition.value = edition
        known = words(edition)
        assert {name: label for name, label in labels().items() if name in known}.items() <= known.items()
    panel.edition.value = "11e"
    assert panel.situation["stealth"].description == "The target has Stealth: the benefit of cover"


def test_every_rule_of_a_target_has_its_control():
    """What a target brings from its own rules is under a control, and attacks on it are those of the library."""
    ghost = wh40k.Target.parse(
        "Ghost: 3x T4 Sv3+ W3 FNP6+ FNP5+ mortal FNP4+ psychic -1D half damage damage to 0 Stealth in cover "
        "+1Sv against D1 -1 to wound"
    )
    gun = wh40k.Weapon.parse("Gun: A6 BS3+ S5 AP-1 D3 [DEVASTATING WOUNDS]")
    panel = AttackPanel({"Gun": gun}, {"Ghost": ghost}, edition="10e")
    assert panel._target() == ghost
    assert panel.result.state == wh40k.attack(gun, ghost).state
    rules = wh40k.EDITIONS["11e"].target_rules
    assert set(panel.target) >= set(rules) - {"incoming"}
    assert panel.target["half_damage"].description == rules["half_damage"].help
