"""Every public object of `gallery.txt` shows itself: one short line, a text with its numbers, a well-formed page."""

from __future__ import annotations

import json
import re
import sys
from ast import literal_eval
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tenth import analysis, wh40k

import mathhammer
from mathhammer import JointDistribution, dice, display, distribution, rosters, t9a, trench_crusade
from mathhammer.display.panel import HeatTable
from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.expressions import DirectionDie
from mathhammer.expressions.parser import as_condition
from mathhammer.sequence import explanation
from mathhammer.sequence.call import Reproducible
from mathhammer.systems import aos
from mathhammer.systems.asked import Question
from mathhammer.systems.trench_crusade.game import FighterCondition, State

IN_ROWS = (
    *(analysis, aos, explanation, rosters, t9a, wh40k, as_condition, dice, distribution, DirectionDie),
    *(FighterCondition, GeneratingFunction, IntegerDistribution, JointDistribution, State),
)
NAMES: dict[str, Any] = {each.__name__.rpartition(".")[2]: each for each in IN_ROWS} | {"tc": trench_crusade}
#: What nobody prints: parts that the engine hands to itself, and bases without objects of their own.
NOT_SHOWN = {"systems.t9a.situation.Situation", "systems.aos.rules.Situation", "systems.asked.Question"}
NOT_SHOWN |= {"systems.t9a.situation.Ruled"}
VOID = {"br", "meta"}


def rows() -> list[Any]:
    found = []
    text = Path(__file__).with_name("gallery.txt").read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        if named := re.fullmatch(r"(\w+) := (.*)", line):
            NAMES[named[1]] = eval(named[2], NAMES)  # noqa: S307 - the file is a part of the tests
        elif row := re.fullmatch(r"([^#].*) (>>?)(.*)", line):
            texts = literal_eval(f"({row[3]}{',' * bool(row[3])})")
            found.append(pytest.param(row[1], row[2] == ">>", texts, id=f"{number}:{row[1][:40]}"))
    return found


ROWS = rows()


@cache
def made(text: str) -> Any:
    return eval(text, NAMES)  # noqa: S307 - the file is a part of the tests


class Page(HTMLParser):
    """Refuses elements that are not closed in order, and gathers the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"an attribute twice in {tag}"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        """An element of SVG that is closed where it is opened."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"{tag} closed, nothing open"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "110")


@pytest.mark.parametrize(("text", "page", "texts"), ROWS)
def test_it_shows_itself(text, page, texts, monkeypatch):
    shown = made(text)
    short, wide = repr(shown), str(shown)
    assert "\n" not in short
    assert 3 < len(short) <= 160
    assert " object at 0x" not in short + wide
    assert [each for each in texts if each not in wide] == []
    assert all(line == line.rstrip() for line in wide.split("\n"))
    if isinstance(shown, display.Displayed):
        document = json.loads(shown.to_json())
        assert document["schema"].startswith("mathhammer.")
        if type(shown).to_records is display.Displayed.to_records:
            chances = {name for name, part in document["pictures"].items() if "probabilities" in part}
            assert chances <= {row["of"] for row in shown.to_records()} <= document["pictures"].keys()
    if page:
        html = shown._repr_html_()
        read = Page(html).text.replace("\u00a0", " ")
        assert [each for each in texts if each not in read] == []
        colours = "#" in html.replace("&#x27;", "").replace(" #2", "")
        assert not colours, "a colour of its own is lost on a light page or a dark one"
        for width in (40, 60):
            monkeypatch.setenv("COLUMNS", str(width))
            loses_nothing(shown, wide, width)


def loses_nothing(shown, wide, width):
    """Every word of the wide text is in the narrow one; only bars, which repeat a number, and the blanks may go."""
    narrow = str(shown)
    if hasattr(shown, "_panel") and not isinstance(shown, trench_crusade.Roll):
        assert max(map(len, narrow.split("\n"))) <= width
    kept = "".join(narrow.split())
    words = {word for word in wide.split() if not set(word) <= set("█▏▎▍▌▋▊▉#.")}
    words -= {"outcome", "probability", "least"}  # k, P(= k) and P(>= k) where exact values need the room
    assert [word for word in words if word not in kept] == []


def every_class(base):
    return {base}.union(*map(every_class, base.__subclasses__()))


def test_every_class_that_shows_itself_is_in_the_gallery():
    shown = {type(made(row.values[0])) for row in ROWS}
    classes = {
        kind for base in (display.Displayed, display.Named, Reproducible) for kind in every_class(base)
    }
    missing = {
        f"{kind.__module__.removeprefix('mathhammer.')}.{kind.__name__}"
        for kind in classes
        # A class with slots is made twice, and the first is no attribute of its module.
        if kind.__module__.startswith("mathhammer.")
        and not kind.__name__.startswith("_")
        and getattr(sys.modules[kind.__module__], kind.__qualname__, None) is kind
        and not any(issubclass(each, kind) for each in shown)
        and not issubclass(kind, Question)
    }
    assert missing <= NOT_SHOWN, "put one of each into tests/display/gallery.txt"


def test_names_complete_themselves():
    for catalogue in (
        wh40k.TARGETS,
        wh40k.EDITIONS,
        t9a.EDITIONS,
        trench_crusade.WEAPONS,
        NAMES["shots"]().rulings,
    ):
        assert catalogue._ipython_key_completions_() == list(catalogue)
    army = rosters.sample_army()
    keys = army._ipython_key_completions_()
    # Two units of one name: the second is found by its number.
    assert keys[2:4] == ["Lamplighters", "Lamplighters #2"]
    assert [army[key] for key in keys] == list(army.units)
    assert army[-1] is army.units[-1]
    comparison = wh40k.compare_editions(NAMES["RIFLE"], wh40k.TARGETS["GEQ"])
    assert comparison._ipython_key_completions_() == ["9e", "10e", "11e"]


def test_an_unknown_unit_is_named_with_the_nearest():
    with pytest.raises(
        mathhammer.MathhammerError, match="got 'Breech Company'; did you mean 'Breach Company'"
    ):
        rosters.sample_army()["Breech Company"]


def test_a_changed_ruling_stands_out():
    told = NAMES["shots"](rulings={"save_cap": "gross"})
    others = len(told.rulings) - 1
    assert f"Rulings in force: save_cap=gross; {others} by default." in str(told)
    assert told.rulings.changed == {"save_cap": "gross"}
    assert str(told.rulings).split("\n")[3].startswith("save_cap")
    assert "Rulings in force: all by default" in str(NAMES["shots"]())


def test_rulings_are_a_mapping_that_nobody_changes():
    rulings = NAMES["shots"]().rulings
    assert rulings == dict(rulings)
    with pytest.raises(TypeError):
        rulings["save_cap"] = "gross"


def test_a_heat_table_wider_than_the_page_is_cut_into_blocks(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    part = HeatTable([str(k) for k in range(10)], [("row", [0.1 * k for k in range(10)])], down="x")
    lines = part.text(40, unicode=True).split("\n")
    assert lines[0].split() == ["x", "0", "1", "2", "3", "4"]
    # What cannot happen is an empty cell.
    assert lines[1].split() == ["row", "10.0%", "20.0%", "30.0%", "40.0%"]
    assert lines[3].split() == ["x", "5", "6", "7", "8", "9"]
    assert lines[4].split() == ["row", "50.0%", "60.0%", "70.0%", "80.0%", "90.0%"]
    assert max(map(len, lines)) <= 40


def test_a_joint_distribution_of_many_axes_has_a_short_form():
    coin = mathhammer.distribution("D2")
    joint = mathhammer.JointDistribution.independent(
        **{f"a_quantity_with_a_long_name_{k}": coin for k in range(8)}
    )
    assert len(repr(joint)) <= 170
    assert repr(joint).startswith("<JointDistribution 256 outcomes, float64, of (a_quantity")
