"""Texts of results: what they say, what they reproduce, what cannot be written, how they may be pasted."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from reproduced import reproduced
from tenth import wh40k

import mathhammer as mh
from mathhammer import t9a
from mathhammer import trench_crusade as tc
from mathhammer.distributions import Distribution
from mathhammer.errors import MathhammerError
from mathhammer.fields.kinds import Integer
from mathhammer.sequence.call import Reproducible, records_call
from mathhammer.sequence.rulings import Ruling, rulings_in_force
from mathhammer.systems import registry
from mathhammer.systems.text_format import TextFormat
from mathhammer.systems.wh40k.editions import EDITIONS

RIFLE = wh40k.Weapon.parse("Bolt rifle: A2 BS3+ S4 AP-1 D1 [ASSAULT, HEAVY]")
MELTA = wh40k.Weapon.parse("Melta rifle: A1 BS3+ S9 AP-4 DD6 [MELTA 2]")
MARINES = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=5, keywords="Infantry")
CAPTAIN = wh40k.Target(
    "Captain", toughness=4, save="3+", invulnerable="4+", wounds=5, keywords="Character", points=80
)


def test_a_text_is_short_and_says_the_question():
    volleys = [wh40k.Volley(RIFLE, 9), wh40k.Volley(MELTA, half_range=True)]
    result = wh40k.attack(volleys, MARINES, edition="9e", cover="light", exact=True)
    lines = result.to_text().splitlines()
    assert any(line.startswith("defaults: ") for line in lines)
    assert [line for line in lines if not line.startswith("defaults: ")] == [
        "mathhammer 1: Warhammer 40,000, 9e, attack, exact",
        "weapon: 9x Bolt rifle: A2 BS3+ S4 AP-1 D1 [ASSAULT, HEAVY]",
        "weapon: 1x Melta rifle: A1 BS3+ S9 AP-4 DD6 [MELTA 2] | half_range",
        "target: Marines: 5x T4 Sv3+ W2 [Infantry]",
        'with: cover="light"',
        "end",
    ]
    reproduced(result)


def test_units_of_several_kinds_stand_on_several_lines():
    guard = replace(MARINES, name="Guard", wounds_lost=1)
    led = wh40k.TargetUnit("Marines, led", [MARINES, guard], leaders=[CAPTAIN], allocation="best")
    result = wh40k.attack(RIFLE, led, exact=True)
    assert result.to_text().splitlines()[2:6] == [
        'unit: Marines, led | allocation="best"',
        "model: Marines: 5x T4 Sv3+ W2 [Infantry]",
        "model: Guard: 5x T4 Sv3+ W2 1 lost [Infantry]",
        "leader: Captain: 1x T4 Sv3+ InSv4+ W5 80pts [Character]",
    ]
    reproduced(result)


def test_both_sides_of_a_combat_stand_on_several_lines():
    spears = t9a.ModelPart("Spears", attacks=3, offensive_skill=3, strength=3)
    orcs = t9a.Target("Orcs", models=4, defensive_skill=3, resilience=3)
    result = t9a.fight(t9a.Unit(orcs, [spears, spears], rank_width=2), t9a.Unit(orcs), exact=True)
    assert result.to_text().splitlines()[1:5] == [
        "first: Orcs: 4 models, HP 1, Def 3, Res 3, Arm 0 | rank_width=2",
        "part: Spears: 3 attacks, Off 3, Str 3, AP 0, Agi 3",
        "part: Spears: 3 attacks, Off 3, Str 3, AP 0, Agi 3",
        "second: Orcs: 4 models, HP 1, Def 3, Res 3, Arm 0",
    ]
    reproduced(result)


@pytest.mark.parametrize("name", ["a | b", " led ", "led: T4 Sv3+ W1"])
def test_a_unit_of_any_name_is_reproduced(name):
    reproduced(wh40k.attack(RIFLE, wh40k.TargetUnit(name, [MARINES]), exact=True))


def test_rulings_that_were_chosen_stand_apart_and_all_that_leave_a_choice_are_said():
    chosen = {"save_cap": "gross", "cover_condition": "modified"}
    lines = wh40k.attack(RIFLE, MARINES, rulings=chosen).to_text().splitlines()
    stated = [line.partition(": ")[::2] for line in lines if line.startswith(("rulings", "defaults"))]
    options = {
        label: dict(item.split("=") for each, text in stated if each == label for item in text.split(", "))
        for label in ("rulings", "defaults")
    }
    assert options["rulings"] == {"save_cap": "gross"}
    known = rulings_in_force(EDITIONS["10e"].rulings, None)
    assert {**options["defaults"], "save_cap": "net"} == known
    assert max(map(len, lines)) <= 100


def test_a_text_reproduces_a_result_when_the_defaults_have_changed(monkeypatch):
    # +1 to saves in cover against AP0 on 3+: the cap of the save is what the ruling decides.
    options = {"count": 6, "cover": True, "save_modifier": 1, "exact": True}
    gun = wh40k.Weapon.parse("Gun: A2 BS3+ S4 AP-2 D1")
    before = {
        option: wh40k.attack(gun, MARINES, rulings={"save_cap": option}, **options)
        for option in ("net", "gross")
    }
    assert before["net"].kills != before["gross"].kills
    text = wh40k.attack(gun, MARINES, **options).to_text()
    later = tuple(
        replace(ruling, default="gross") if ruling.name == "save_cap" else ruling
        for ruling in EDITIONS["10e"].rulings
    )
    changed = {**EDITIONS, "10e": replace(EDITIONS["10e"], rulings=later)}
    monkeypatch.setattr("mathhammer.systems.wh40k.editions.EDITIONS", changed)
    assert wh40k.attack(gun, MARINES, **options).kills == before["gross"].kills
    assert mh.from_text(text).kills == before["net"].kills
    assert mh.from_text(text).rulings["save_cap"] == "net"


@pytest.mark.parametrize("exact", [True, False])
def test_what_came_before_is_part_of_the_text(exact):
    led = wh40k.TargetUnit("Led", [replace(MARINES, points=100)], leaders=[CAPTAIN])
    first = wh40k.attack(RIFLE, led, count=4, exact=exact, rulings={"save_cap": "gross"})
    some = first.given(lambda state: state[0] >= 1)
    more = wh40k.attack(MELTA, led, start=some.given(lambda state: state[0] < 4), exact=exact)
    last = wh40k.attack(RIFLE, led, start=more.new_phase(), exact=exact, cover=True)
    reproduced(more.new_phase())
    reproduced(last)
    reproduced(some)
    text = last.to_text()
    assert [line.split(":")[0] for line in text.splitlines() if line[:5] in STEPS] == [
        *("given", "given", "then", "phase", "then"),
    ]
    # The third attack is made under the rulings of the second: they are not said again.
    assert text.count("save_cap=net") == 1


def test_each_activation_is_reproduced_with_all_before_it():
    units = [[wh40k.Volley(RIFLE, 9)], [wh40k.Volley(MELTA, 2), RIFLE], RIFLE]
    for each in wh40k.activations(units, MARINES, order="best", cover=True, exact=True):
        again = mh.from_text(each.to_text())
        assert [str(volley.weapon) for volley in again.volleys] == [str(v.weapon) for v in each.volleys]
        assert again.shares == each.shares
        assert again.result.state == each.result.state
        reproduced(each.result)


@pytest.mark.parametrize(
    "result",
    [
        t9a.panic_test(7, exact=True),
        t9a.fear_test(8, exact=True, reroll=True),
        t9a.rally_test(6, exact=True, edition="3e"),
        tc.fall(tc.Target(), 6, exact=True),
        tc.ledge(tc.Target(blood=2), 3, dice="-1 mud", exact=True),
        tc.dangerous_terrain(tc.Target(), keyword="SHRAPNEL", exact=True),
        tc.best_order(
            [
                tc.Activation(tc.Attack(weapon=tc.WEAPONS["Sword"]), tc.Attacker("Lieutenant", melee=1)),
                tc.Activation(tc.Attack(weapon=tc.WEAPONS["Shotgun"]), tc.Attacker("Yeoman")),
            ],
            tc.Target(armour="standard"),
            spend="best",
        ),
        wh40k.compare_editions(RIFLE, MARINES, count=9, cover="light", exact=True)["9e"],
        wh40k.attack(RIFLE, wh40k.TARGETS["CTAN"], reroll_hits={1, 2}),
    ],
    ids=lambda result: result.call.function,
)
def test_functions_that_call_others_are_reproduced(result):
    reproduced(result)


@pytest.mark.parametrize("text", ["2D6+3", "explode(D6, 6, depth 3)", "let x = D6 in x-x", "D{0, 1:2, 2}"])
@pytest.mark.parametrize("exact", [True, False])
def test_a_distribution_of_dice_is_its_dice(text, exact):
    distribution = mh.distribution(text, exact=exact)
    assert distribution.to_text().splitlines()[1] == f"dice: {mh.dice(text)}"
    assert mh.from_text(distribution.to_text()) == distribution


@pytest.mark.parametrize("exact", [True, False])
def test_any_other_distribution_is_written_out(exact):
    for distribution in (
        mh.distribution("2D6", exact=exact) + mh.distribution("D3", exact=exact),
        mh.distribution("10D6", exact=exact).given(lambda total: total > 40),
        wh40k.attack(RIFLE, MARINES, count=3, exact=exact).kills,
    ):
        assert mh.from_text(distribution.to_text()) == distribution


@pytest.mark.parametrize(
    "paste",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\n\n" + text.replace("\n", "\n\n") + "\n",
        lambda text: "\n".join(f"> {line}" for line in text.splitlines()),
        lambda text: f"```text\n{text}\n```",
        lambda text: "\n".join(f"   {line}\t" for line in text.splitlines()),
        lambda text: text.replace('"', "”"),
    ],
    ids=["lines of Windows", "empty lines", "quoted", "fenced", "indented", "curly quotation marks"],
)
def test_a_text_may_be_pasted_from_a_page(paste):
    rain = wh40k.Modifier("worsen", 1, "heavy rain", of="ap")
    result = wh40k.attack(RIFLE, MARINES, modifiers=[rain], reroll_hits="failed", exact=True)
    assert mh.from_text(paste(result.to_text())).to_text() == result.to_text()


def test_a_text_may_be_written_by_hand_with_less():
    again = mh.from_text(
        """
        mathhammer 1: 40k, 10e, attack, exact
        with: cover
        target: 5x T4 Sv3+ W2
        weapon: Rifle: A2 BS3+ S4 AP-1 D1
        end
        """
    )
    # Two attacks that hit on 3+, wound on 4+, against 3+ saves in cover against AP-1.
    assert str(again.unsaved.mean()) == "2/9"


STEPS = {"then:", "given", "phase"}


class Own(wh40k.Target):
    """A class that no text knows."""


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: tc.attack(tc.WEAPONS["Shotgun"], tc.Target(blood=2), spend=[lambda _: tc.Spend()]),
            "expected values that can be written as spend: .*got <function",
        ),
        (
            lambda: wh40k.attack(
                RIFLE, MARINES, modifiers=(each for each in [wh40k.Modifier("add", 1, "x", of="ap")])
            ),
            "expected values that can be written as modifiers: .*got <generator",
        ),
        (lambda: wh40k.attack(RIFLE, Own("x", toughness=4, save=3, wounds=1)), "got <Own"),
        (
            lambda: wh40k.attack(RIFLE, MARINES, start=wh40k.attack(RIFLE, MARINES, exact=True).to_floats()),
            "expected the result of a system's public function.*does not say how it was computed",
        ),
    ],
    ids=["a function", "a generator", "a class", "a bare distribution"],
)
def test_what_cannot_be_written_is_an_error(make, message):
    with pytest.raises(MathhammerError, match=message):
        make().to_text()


def test_what_changes_later_is_as_it_was():
    rain = wh40k.Modifier("worsen", 1, "rain", of="ap")
    volleys, modifiers, rulings = [RIFLE], [rain], {"save_cap": "gross"}
    result = wh40k.attack(volleys, MARINES, modifiers=modifiers, rulings=rulings, cover=True, exact=True)
    text = result.to_text()
    volleys.append(MELTA)
    modifiers.append(rain)
    rulings["save_cap"] = "net"
    assert result.to_text() == text
    reproduced(result)


def test_a_system_without_a_text_format_says_so(monkeypatch):
    class Bare:
        name, title, editions = "bare", "Bare", ("1e",)

    result = wh40k.attack(RIFLE, MARINES)
    result.__dict__["_call"] = (("bare", "attack"), *result.call[2:])
    monkeypatch.setattr(registry, "systems", lambda: {"bare": Bare()})
    with pytest.raises(MathhammerError, match="Bare has no text_format"):
        result.to_text()


def test_texts_load_when_they_are_used():
    program = (
        "import sys; from mathhammer import wh40k; "
        "gun = wh40k.Weapon.parse('Gun: A1 BS3+ S4 AP0 D1'); "
        "result = wh40k.attack(gun, wh40k.TARGETS['MEQ']); "
        "print(any(name.startswith('mathhammer.serialisation') for name in sys.modules), result.to_text()[:12])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout == "False mathhammer 1\n"


class Answer(Reproducible):
    """A result of a game written elsewhere."""

    def __init__(self, distribution, edition):
        self.distribution, self.edition = distribution, edition


@records_call("coin")
def toss(coins, /, *, need="heads", edition="1e", rulings=None, exact=False, **more):
    """Count the coins that show what is needed; an edge is a ruling."""
    edge = rulings_in_force(EDGE, rulings)["edge"] == "wins"
    wins = (1 if need == "heads" else 2) + edge + sum(more.values())
    return Answer(Distribution.from_weights({0: 4, 1: wins}, exact=exact).repeat(coins), edition)


EDGE = (Ruling("edge", "Does an edge win?", ("loses", "wins"), "loses", "house"),)


class Coin:
    """A game written elsewhere, which says how calls of it are written."""

    name, title, editions = "coin", "Coin: the Game, again", ("1e", "2e")
    text_format = TextFormat(
        {"toss": toss},
        (),
        lambda _edition: EDGE,
        keywords={"toss": (lambda: {"luck": Integer("How lucky it is.")}, dict)},
    )


def test_a_game_written_elsewhere_can_have_texts(monkeypatch):
    monkeypatch.setattr("mathhammer.serialisation.sections.games", lambda: {"coin": Coin()})
    monkeypatch.setattr("mathhammer.serialisation.sections.find_system", lambda _: Coin())
    result = toss(3, need="tails", rulings={"edge": "wins"}, exact=True, luck=1)
    assert result.to_text().splitlines() == [
        "mathhammer 1: Coin: the Game, again, 1e, toss, exact",
        'with: coins=3, need="tails", luck=1',
        "rulings: edge=wins",
        "end",
    ]
    again = mh.from_text(result.to_text())
    assert (again.distribution, again.edition) == (result.distribution, "1e")
    with pytest.raises(
        MathhammerError, match="expected an argument of toss, got 'lcuk'; did you mean 'luck'"
    ):
        mh.from_text(result.to_text().replace("luck", "lcuk"))


def test_an_array_where_nothing_reads_it_cannot_be_written():
    numpy = pytest.importorskip("numpy")
    with pytest.raises(MathhammerError, match="values that can be written"):
        wh40k.attack(wh40k.MortalWounds(1), wh40k.TARGETS["MEQ"], half_range=numpy.arange(3)).to_text()
