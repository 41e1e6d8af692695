"""Every argument of every function, every keyword and every field of every profile survives its text.

A parameter that is new and has no value in the tables fails, so that nothing is forgotten.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from inspect import Parameter, signature

import pytest
from field_values import (
    FIELDS,
    GUN,
    MARINES,
    NEEDED,
    ORCS,
    T9A_SITUATION,
    WH40K_SITUATION,
)
from function_values import FUNCTION_NEEDS, FUNCTIONS, OWN_NEEDS
from reproduced import reproduced

from mathhammer import aos, t9a, wh40k
from mathhammer import trench_crusade as tc
from mathhammer.serialisation.values import Values
from mathhammer.systems.registry import systems
from mathhammer.systems.t9a.situation import SituationKeywords as NinthAgeKeywords

DICE = ("2D6+3", "highest(3 of 4D6)", "explode(D6, 6, depth 2)", "(D3)D6", "let x = D6 in x×x")
pytestmark = pytest.mark.slow

KINDS = [(name, kind) for name, system in systems().items() for kind in system.text_format.kinds]


def made(function, arguments):
    """Call by name, whatever kind of parameter each is of; ``situation`` stands for any keywords."""
    rest, positional = dict(arguments), []
    for name, parameter in signature(function).parameters.items():
        if parameter.kind is Parameter.POSITIONAL_ONLY and name in rest:
            positional.append(rest.pop(name))
        elif parameter.kind is Parameter.VAR_KEYWORD:
            rest.update(rest.pop(name, {}))
    return function(*positional, **rest)


def content(value):
    """Return what a value holds, field by field: one class has no equality of its own."""
    return [getattr(value, name) for name in type(value).__dataclass_fields__]


@pytest.mark.parametrize(("system", "kind"), KINDS, ids=lambda each: getattr(each, "__name__", each))
def test_every_parameter_of_every_class_survives(system, kind):
    values = Values(systems()[system].text_format)
    least, others = FIELDS[kind]
    assert set(others) == set(signature(kind).parameters), "give a value for every parameter"
    for name, value in others.items():
        base = {**least, **NEEDED.get((kind, name), {})}
        plain, changed = made(kind, base), made(kind, {**base, name: value})
        assert content(changed) != content(plain), name
        text = values.write(changed, where=name)
        again = values.reader(text).value()
        assert type(again) is kind
        assert content(again) == content(changed), (name, text)
        assert len(text.splitlines()) == 1


@pytest.mark.parametrize("name", sorted(wh40k.SituationKeywords.__annotations__))
@pytest.mark.parametrize("own", [True, False], ids=["of one volley", "of all"])
def test_every_keyword_of_a_situation_survives(name, own):
    value = WH40K_SITUATION[name]
    if own:
        result = wh40k.attack(wh40k.Volley(GUN, 2, **{name: value}), MARINES, exact=True)
    else:
        result = wh40k.attack(GUN, MARINES, count=2, exact=True, **{name: value})
    assert name in result.to_text()
    reproduced(result)


@pytest.mark.parametrize("name", sorted(NinthAgeKeywords.__annotations__))
def test_every_keyword_of_the_9th_age_survives(name):
    bows = t9a.ModelPart("Bows", attacks=4, aim="4+", strength=3, attributes="Area Attack (3x2)")
    result = t9a.attack(bows, ORCS, exact=True, **{name: T9A_SITUATION[name]})
    assert name in result.to_text()
    reproduced(result)


@pytest.mark.parametrize("name", aos.Situation.fields)
def test_every_keyword_of_age_of_sigmar_survives(name):
    value = FIELDS[aos.Situation][1][name]
    result = aos.attack("Axe 2 3+ 3+ 1 1 Shoot in Combat", "GOD", exact=True, **{name: value})
    assert name in result.to_text()
    reproduced(result)


@pytest.mark.parametrize("name", sorted(tc.SituationKeywords.__annotations__))
def test_every_keyword_of_trench_crusade_survives(name):
    least, others = FIELDS[tc.Attack]
    given = {**least, **NEEDED.get((tc.Attack, name), {}), name: others[name]}
    result = tc.attack(given.pop("weapon"), tc.Target(), exact=True, **given)
    assert name in result.to_text()
    reproduced(result)


#: Public classes that no function is given: what functions return, collections, types of dictionaries.
RESULTS = {
    "40k": {
        "AttackResult",
        "Edition",
    }
    | {
        "Army",
        "ModelGroup",
        "UnitDistribution",
        "RuleCondition",
        "RuleEffect",
        "Unit",
        "UnitRule",
        "WeaponLine",
    }
    | {"Situation", "SituationKeywords"},
    "aos": {"AttackResult"},
    "t9a": {"AttackResult", "Edition", "CombatChoice", "CombatPlan", "SituationKeywords"},
    "tc": {"AttackResult", "Roll", "SituationKeywords", "Table"},
}
PACKAGES = {"40k": wh40k, "aos": aos, "t9a": t9a, "tc": tc}


@pytest.mark.parametrize("system", PACKAGES)
def test_every_public_class_is_written_or_a_result(system):
    public = (getattr(PACKAGES[system], name) for name in PACKAGES[system].__all__)
    classes = {each.__name__ for each in public if isinstance(each, type)}
    written = {kind.__name__ for kind in systems()[system].text_format.kinds}
    assert classes - written == RESULTS[system]


PARAMETERS = [
    (system, function, name)
    for system in systems()
    for function, called in systems()[system].text_format.functions.items()
    for name in signature(called).parameters
]


@cache
def asked(system, function, parameter=None):
    """Return the result of a function with its least arguments, and another value of one of them."""
    called = systems()[system].text_format.functions[function]
    least, others = FUNCTIONS[system, function]
    exact = {"exact": True} if "exact" in signature(called).parameters else {}
    changed = (
        {}
        if parameter is None
        else {
            parameter: others[parameter],
            **FUNCTION_NEEDS.get((function, parameter), {}),
            **OWN_NEEDS.get((system, function, parameter), {}),
        }
    )
    arguments = {**least, **exact, **changed}
    return made(called, {name: value for name, value in arguments.items() if value is not None})


@pytest.mark.parametrize(("system", "function", "parameter"), PARAMETERS)
def test_every_parameter_of_every_function_survives(system, function, parameter):
    result = asked(system, function, parameter)
    reproduced(result)
    if parameter != "exact":
        assert result.to_text() != asked(system, function).to_text()


WITHOUT = """
import json, sys
sys.modules["sympy"] = sys.modules["numpy"] = sys.modules["scipy"] = None
from mathhammer.page.requests import answer

for text in json.load(sys.stdin):
    found = json.loads(answer(json.dumps({"kind": "text", "text": text})))
    assert "error" not in found, (text, found["error"])
print("answered")
"""


def test_the_page_answers_every_text_without_the_libraries_that_it_does_not_have():
    texts = {asked(*each).to_text() for each in PARAMETERS}
    texts |= {text.replace(", exact\n", "\n") for text in texts}  # what a text says unless told otherwise
    texts |= {f"mathhammer 1: dice\ndice: {text}\nend" for text in DICE}
    assert len(texts) > 300
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", WITHOUT],
        input=json.dumps(sorted(texts)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stderr, done.stdout) == ("", "answered\n")
