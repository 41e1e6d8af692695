"""Questions as JSON: answered as results answer, described by a schema, and refused in one sentence."""

import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from inspect import Parameter, signature

import jsonschema
import pytest
from click.testing import CliRunner
from function_values import FUNCTION_NEEDS, FUNCTIONS
from test_every_field import asked

import mathhammer as mh
from mathhammer import MathhammerError, t9a, wh40k
from mathhammer import trench_crusade as tc
from mathhammer.cli import main
from mathhammer.cli.questions import Part
from mathhammer.expressions import Expression
from mathhammer.fields.kinds import Integer
from mathhammer.page.forms import Form
from mathhammer.page.requests import answer
from mathhammer.serialisation.ask import schema
from mathhammer.serialisation.values import Values
from mathhammer.systems.registry import systems
from mathhammer.systems.text_format import TextFormat

pytest.importorskip("matplotlib").use("Agg")

QUESTIONS = [(game, name) for game, each in systems().items() for name in each.text_format.functions]
LINE, SPEARS = "Orcs: 20 models, Def 3, Res 4, Arm 2", "Orcs: 10 x 1 attacks, Off 3, Str 4, Agi 2"
UNIT = {"Unit": {"target": LINE, "parts": [SPEARS]}}
RIFLES = "9x Bolt rifle: A2 BS3+ S4 AP-1 D1"
ASKED = [
    (
        {"game": "t9a", "question": "break_test", "discipline": 8, "lost_by": 3, "exact": True},
        lambda: t9a.break_test(8, lost_by=3, exact=True),
    ),
    (
        {"game": "40k", "question": "attack", "weapons": [RIFLES], "target": "MEQ", "cover": True},
        lambda: wh40k.attack([RIFLES], "MEQ", cover=True),
    ),
    (
        {
            "game": "tc",
            "question": "attack",
            "attacks": "Shotgun",
            "target": {"Target": {"armour": "standard"}},
        },
        lambda: tc.attack("Shotgun", tc.Target(armour="standard")),
    ),
    (
        {"game": "t9a", "question": "fight", "first": UNIT, "second": UNIT},
        lambda: t9a.fight(*[t9a.Unit(t9a.Target.parse(LINE), t9a.ModelPart.parse(SPEARS))] * 2),
    ),
]


@pytest.mark.parametrize(("question", "result"), ASKED)
def test_an_answer_is_what_the_result_says(question, result):
    expected = json.loads(result().to_json())
    assert mh.ask(question) == expected
    told = CliRunner().invoke(main, ["ask", "-"], input=json.dumps([question, question]))
    assert json.loads(told.output) == [expected, expected]
    jsonschema.validate(question, schema(f"{question['game']}.{question['question']}"))


def test_a_command_says_the_same():
    told = CliRunner().invoke(main, ["t9a", "break", "8", "--lost-by", "3", "--exact", "--json"])
    assert json.loads(told.output) == mh.ask(ASKED[0][0])


@pytest.mark.parametrize(("game", "name"), QUESTIONS)
def test_a_schema_says_every_argument(game, name):
    told = json.loads(CliRunner().invoke(main, ["schema", f"{game}.{name}"]).output)
    jsonschema.Draft202012Validator.check_schema(told)
    parameters = signature(systems()[game].text_format.functions[name]).parameters.values()
    named = {each.name for each in parameters if each.kind is not Parameter.VAR_KEYWORD} - {"start"}
    assert named <= told["properties"].keys()
    wrong = {"game": game, "question": name, "nonsense": 1}
    assert any(
        "nonsense" in each.message for each in jsonschema.Draft202012Validator(told).iter_errors(wrong)
    )


def as_json(value, values, kinds):
    """Return a value as a question in JSON says it, none of it as a stat line."""
    if type(value) in kinds:
        return {type(value).__name__: as_json(values.arguments_of(value), values, kinds)}
    if isinstance(value, Mapping):
        return {name: as_json(each, values, kinds) for name, each in value.items()}
    if isinstance(value, list | tuple | AbstractSet):
        return [as_json(each, values, kinds) for each in value]
    return str(value) if isinstance(value, Expression) else value


@pytest.mark.slow
@pytest.mark.parametrize(("game", "name"), QUESTIONS)
def test_the_schema_agrees_with_what_is_answered(game, name):
    """Of every argument a value that is not its default, but for the result that another one starts from."""
    made, (least, others) = systems()[game].text_format, FUNCTIONS[game, name]
    told = jsonschema.Draft202012Validator(schema(f"{game}.{name}"))
    for argument in others.keys() - {"start"}:
        given = least | FUNCTION_NEEDS.get((name, argument), {}) | {argument: others[argument]}
        given |= given.pop("situation", {})
        said = {
            word: as_json(each, Values(made), made.kinds) for word, each in given.items() if each is not None
        }
        question = json.loads(json.dumps({"game": game, "question": name, **said}))
        told.validate(question)
        assert mh.ask(question)["schema_version"] == 2


@pytest.mark.parametrize(("game", "name"), QUESTIONS)
def test_every_result_shows_itself_in_every_way(game, name):
    plt = pytest.importorskip("matplotlib.pyplot")
    result = asked(game, name)
    document = json.loads(result.to_json())
    assert (document["schema"], document["schema_version"]) == ("mathhammer.result", 2)
    jsonschema.Draft202012Validator({**schema("result"), "additionalProperties": False}).validate(document)
    of_page = json.loads(answer(json.dumps({"kind": "json", "text": result.to_text()})))
    assert json.loads(of_page["json"]) == document
    made, given = systems()[game].text_format, {**FUNCTIONS[game, name][0], "exact": True}
    given |= given.pop("situation", {})
    known = given.keys() - ({"exact"} - signature(made.functions[name]).parameters.keys())
    said = {word: as_json(given[word], Values(made), made.kinds) for word in known if given[word] is not None}
    told = CliRunner().invoke(main, ["ask", "-"], input=json.dumps({"game": game, "question": name, **said}))
    assert json.loads(told.output) == document
    assert result._repr_html_()
    assert {"of", "probability"} <= set(result.to_records()[0])
    assert len(result.to_dataframe()) == len(result.to_records())
    axes = result.plot()
    plt.close(axes.figure)
    assert axes.get_title(loc="left")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (3, "expected a question as an object with game and question, or a list of them, got 3"),
        ({"question": "attack"}, "expected the game of a question, got None; known: aos, t9a"),
        ([{}, {}], "question 1: expected the game"),
        ({"game": "t9a", "question": "brake_test"}, "did you mean 'break_test'?"),
        ({"game": "t9a", "question": "charge"}, "expected charge(distance, *, advance"),
        ({"game": "t9a", "question": "fight", "first": {"Unit": {}}}, "expected Unit(target"),
        ({"game": "t9a", "question": "fight", "first": {"Unit": 3}}, "the arguments of Unit as an object"),
    ],
)
def test_what_is_refused(question, words):
    with pytest.raises(MathhammerError) as error:
        mh.ask(question)
    assert words in str(error.value)
    told = CliRunner().invoke(main, ["ask", "-"], input=json.dumps(question))
    assert words in " ".join(told.stderr.split())


def test_what_is_no_json_is_refused():
    told = CliRunner().invoke(main, ["ask", "-"], input="attack")
    assert "in '-': Expecting" in told.stderr


class Lucky(t9a.Target):
    luck: Integer = Integer("How lucky it is.", default=0, line="Luck {}", rare=True)


def test_a_new_field_is_one_row_that_shows_at_every_door(monkeypatch):
    monkeypatch.setattr("mathhammer.systems.t9a.Target", Lucky)
    line = "Orcs: Luck 2, 20 models, HP 1, Res 3, Arm 0"
    orcs = t9a.Target.parse(line)
    assert (orcs.luck, str(orcs), t9a.Target.parse("Orcs: 20 models, Res 3").luck) == (2, line, 0)
    assert "luck\n    How lucky it is." in Lucky.__doc__
    assert signature(Lucky).parameters["luck"].default == 0
    with pytest.raises(MathhammerError, match="whole number from 0 to 100 as luck, got -1"):
        Lucky("Orcs", resilience=3, luck=-1)
    option = next(each for each in Part("t9a:Target").options() if each.name == "luck")
    assert (option.opts, option.help) == (["--luck"], "How lucky it is.")
    assert "luck" in {each["name"] for each in Form("t9a")._controls(Lucky)}
    values = Values(TextFormat(functions={}, kinds=(Lucky,), rulings=lambda _: ()))
    text = values.write(orcs, where="target")
    assert text == f'Lucky.parse("{line}")'
    assert values.reader(text).value() == orcs
    assert orcs.changed(luck=3) == Lucky("Orcs", models=20, resilience=3, luck=3)
