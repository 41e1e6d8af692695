"""A name may retitle no window: what came from outside is refused or shown without control characters."""

from __future__ import annotations

import dataclasses
import json

import pytest
from calls import CALLS
from click.testing import CliRunner
from tenth import wh40k

from mathhammer import MathhammerError, dice, t9a
from mathhammer import trench_crusade as tc
from mathhammer.cli import main
from mathhammer.errors import ParseError, escaped
from mathhammer.rosters import read_army
from mathhammer.validation import shown

pytest.importorskip("matplotlib").use("Agg")

#: Sets the title of a window; one byte that begins a sequence in 8-bit terminals; text from right to left; a bell.
NASTY = "\x1b]0;owned\x07\x9b31m\u202e\u2028"
#: What is only drawn by matplotlib, or is a place that is looked up in the user's own data.
DRAWN = ("plot.",)


def harmless(text):
    assert all(char.isprintable() or char == "\n" for char in text), repr(text)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    from matplotlib import pyplot as plt

    plt.close("all")


@pytest.mark.parametrize("name", [name for name in CALLS if not name.startswith(DRAWN)])
def test_of_every_public_call(name):
    call = CALLS[name]
    for place in [*range(len(call.arguments)), *call.keywords]:
        arguments, keywords = list(call.arguments), dict(call.keywords)
        holder = arguments if isinstance(place, int) else keywords
        if not isinstance(holder[place], str):
            continue
        for text in (holder[place] + NASTY, NASTY + holder[place]):
            holder[place] = text
            try:
                answer = call.function(*arguments, **keywords)
            except (MathhammerError, TypeError) as error:
                harmless(str(error))
                continue
            for form in (str, repr, lambda shown: getattr(shown, "_repr_html_", str)() or ""):
                harmless(form(answer).replace(NASTY, "") if answer == text else form(answer))
            if dataclasses.is_dataclass(answer):
                harmless("".join(str(getattr(answer, field.name)) for field in dataclasses.fields(answer)))


@pytest.mark.parametrize(
    "made",
    [
        lambda text: wh40k.Weapon.parse(f"{text}: A1 BS3+ S4 AP0 D1"),
        lambda text: wh40k.Weapon.parse(f"Rifle: A1 BS3+ S4 AP0 D1 [{text}]"),
        lambda text: wh40k.Target.parse(f"{text}: 5x T4 Sv3+ W2"),
        lambda text: wh40k.Target.parse(f"MEQ: 5x T4 Sv3+ W2 [{text}]"),
        lambda text: wh40k.Target("MEQ", toughness=4, save=3, wounds=2, keywords=[text]),
        lambda text: t9a.Target(text, resilience=4, defensive_skill=3),
        lambda text: t9a.ModelPart(text, attacks=1, strength=3, offensive_skill=3),
        tc.Target,
        lambda text: tc.Target("x", keywords=text),
        lambda text: tc.Weapon(text, kind="melee"),
        lambda text: tc.Weapon("x", kind="melee", keywords=text),
        lambda text: dice(f"2D6 {text}"),
    ],
)
def test_of_what_is_read(made):
    for text in (NASTY, f"a{NASTY}b"):
        with pytest.raises(MathhammerError) as caught:
            made(text)
        harmless(str(caught.value))


def test_of_messages():
    error = ParseError("expected a number", f"2\x1bD{NASTY}", 3)
    harmless(str(error))
    first, line, caret = str(error).split("\n")
    assert (first, line[caret.index("^") :]) == ("expected a number", escaped(NASTY))
    assert str(MathhammerError(f"got {NASTY}\nof two lines")) == f"got {escaped(NASTY)}\nof two lines"
    assert len(str(MathhammerError("x" * 10**6))) < 5000


def test_of_values_in_messages():
    deep: list[object] = []
    for _ in range(10**5):
        deep = [deep]
    for value in (
        deep,
        [10**5000] * 50,
        10**5000,
        {NASTY: [NASTY]},
        "x" * 10**6,
        type("T", (), {"name": NASTY})(),
    ):
        harmless(shown(value))
        assert len(shown(value)) < 300
    assert shown(-(10**5000)) == "a whole number of 5,001 digits"


CATALOGUE = {
    "catalogue": {
        "gameSystemId": "sys-352e-adc2-7639-d6a9",
        "selectionEntries": [
            {
                "id": "1",
                "type": "model",
                "name": f"Scout{NASTY}",
                "categoryLinks": [{"name": f"Infantry{NASTY}"}],
                "rules": [{"name": f"Deep Strike{NASTY}"}],
                "profiles": [
                    {
                        "name": f"Scout{NASTY}",
                        "typeName": "Unit",
                        "characteristics": [{"name": n, "$text": v} for n, v in zip("TW", "42", strict=True)]
                        + [{"name": "SV", "$text": f"3+{NASTY}"}],
                    },
                    {
                        "name": f"Rifle{NASTY}",
                        "typeName": "Ranged Weapons",
                        "characteristics": [
                            {"name": n, "$text": v}
                            for n, v in zip(
                                ("A", "BS", "S", "AP", "D"), ("2", "3+", "4", "0", "1"), strict=True
                            )
                        ],
                    },
                ],
            }
        ],
    }
}


def test_of_datasheets(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps(CATALOGUE), encoding="utf-8")
    (folder / "settings.json").write_text('{"editor.tabSize": 2}')  # of another program
    (tmp_path / "list.txt").write_text(
        f"Scout]0;owned 31m (50 points)\n• 1x Rifle{NASTY}\n• 1x No{NASTY}", encoding="utf-8"
    )
    army = read_army(tmp_path / "list.txt", datasheets=folder)
    harmless(str(army) + "".join(army.warnings) + "".join(str(unit) for unit in army.units))
    result = CliRunner().invoke(main, ["army", str(tmp_path / "list.txt"), "--datasheets", str(folder)])
    harmless(result.output)


@pytest.mark.parametrize("place", ["type", "name", "hidden", "typeName", "id", "targetId"])
@pytest.mark.parametrize("wrong", [["a"], {"a": 1}])
def test_a_list_where_a_catalogue_has_a_text(tmp_path, place, wrong):
    document = json.loads(json.dumps(CATALOGUE))
    entry = document["catalogue"]["selectionEntries"][0]
    entry["profiles"][0][place] = entry[place] = entry["rules"][0][place] = wrong
    entry["entryLinks"] = [{place: wrong}]
    document["catalogue"]["gameSystemId"] = wrong
    (tmp_path / "a.json").write_text(json.dumps(document), encoding="utf-8")
    (tmp_path / "list.txt").write_text("Scout]0;owned 31m (50 points)\n• 1x Rifle")
    try:
        read_army(tmp_path / "list.txt", datasheets=tmp_path)
    except MathhammerError as error:
        harmless(str(error))


@pytest.mark.parametrize(
    "arguments",
    [
        *([f"--{NASTY}"], [f"--{NASTY}", "army"], [NASTY], ["army", f"-{NASTY}"], ["army", "a", NASTY]),
        *(["dice", "D6", f"--at-least={NASTY}"], ["army", f"{NASTY}.ros"], ["army", "--sort", NASTY]),
        *([f"{NASTY}.ros"], ["army", "--html", f"/no/{NASTY}"]),
    ],
)
def test_of_the_command_line(arguments):
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    harmless(result.output)


def test_of_the_keywords_of_a_unit_in_one_text():
    with pytest.raises(MathhammerError, match="printable characters as the keywords of a unit"):
        wh40k.Target("Unit", toughness=4, save=3, wounds=1, keywords=f"Infantry, a{NASTY}b")
