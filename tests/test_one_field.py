"""One row more in the table of `t9a.Target` is seen at every door, and nothing else has to be written."""

import json
import subprocess
import sys

ROW = '    banners: Integer = Integer("Banners that it carries.", default=0, most=9, line="Banners {}", rare=True)\n'
#: Puts the row below that of fortitude while the module is imported.
BEGIN = f"""
import importlib.abc, importlib.machinery, sys

class Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, name):
        before, row, after = self.get_data(self.path).decode().partition("    fortitude: SpecialSaves")
        end = after.index("\\n") + 1
        return compile(before + row + after[:end] + {ROW!r} + after[end:], self.path, "exec")

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "mathhammer.systems.t9a.profiles":
            found = importlib.machinery.PathFinder.find_spec(name, path)
            return importlib.machinery.ModuleSpec(name, Loader(name, found.origin), origin=found.origin)

sys.meta_path.insert(0, Finder())
"""
DOORS = """
import inspect, json
import mathhammer as mh
from click.testing import CliRunner
from mathhammer import t9a
from mathhammer.cli import main
from mathhammer.page.forms import Form
from mathhammer.serialisation.ask import schema

ORCS, PART = "Orcs: 20 models, HP 1, Def 3, Res 4, Arm 0, Banners 2", "15 attacks, Off 3, Str 3, AP 1"
orcs = t9a.Target("Orcs", models=20, defensive_skill=3, resilience=4, banners=2)

def refusal(make):
    try:
        return str(make())
    except mh.MathhammerError as error:
        return str(error)

def typed(*words):
    result = CliRunner(env={"COLUMNS": "200"}).invoke(main, ["t9a", *words])
    return result.output

form = Form("t9a")
groups = {group["name"]: group for group in form.as_json()["groups"]}
controls = {each["name"]: each for each in groups["target"]["fields"]}
held = {name: group["rows"] for name, group in groups.items() if name}
held["target"][0]["banners"] = "3"
unit = ["fight", "--first", ORCS, "--first-part", PART, "--second", ORCS, "--second-part", PART, "--as-text"]
asked = {"game": "t9a", "question": "attack", "parts": [PART], "target": {"Target": orcs.arguments()}}
asked["target"]["Target"] |= {"aegis": [], "fortitude": [], "attributes": ""}
result = t9a.attack(PART, orcs)
print(json.dumps({
    "constructor": orcs.banners,
    "signature": str(inspect.signature(t9a.Target)),
    "documentation": t9a.Target.__doc__,
    "stat line": str(orcs),
    "read": t9a.Target.parse(ORCS) == orcs,
    "by its name": t9a.Target.parse(ORCS.replace("Banners 2", "banners 2")).banners,
    "unsaid": str(t9a.Target("Orcs", resilience=4)),
    "twice": refusal(lambda: t9a.Target.parse(ORCS + ", Banners 3")),
    "refused": refusal(lambda: t9a.Target("Orcs", resilience=4, banners=10)),
    "wrong type": refusal(lambda: t9a.Target("Orcs", resilience=4, banners="many")),
    "text": result.to_text(),
    "again": mh.from_text(result.to_text()).call.arguments[1].banners,
    "command": typed("attack", PART, "--target", ORCS, "--as-text"),
    "option": typed(*unit),
    "refused there": typed("attack", PART, "--target", ORCS.replace("Banners 2", "Banners 10")),
    "schema": schema("t9a.attack")["$defs"]["Target"]["anyOf"][1]["properties"]["Target"]["properties"]["banners"],
    "asked": mh.ask(asked)["question"],
    "control": controls["banners"],
    "form": form.compute(held).to_text(),
}))
"""


def test_a_row_shows_up_at_every_door():
    words = [sys.executable, "-c", BEGIN + DOORS]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - our own interpreter
    assert (done.stderr, done.returncode) == ("", 0)
    found = json.loads(done.stdout)
    assert (found["constructor"], found["read"], found["by its name"], found["again"]) == (2, True, 2, 2)
    assert "banners: 'int' = 0" in found["signature"]
    assert "banners\n    Banners that it carries.\n" in found["documentation"]
    for door in ("stat line", "text", "command", "option", "asked"):
        assert "Banners 2" in found[door], door
    assert "Banners" not in found["unsaid"]
    assert "expected banners once" in found["twice"]
    for door in ("refused", "refused there"):
        assert "expected a whole number from 0 to 9 as banners, got 10" in found[door]
    assert "expected a whole number from 0 to 9 as banners, got 'many'" in found["wrong type"]
    said = {"description": "Banners that it carries.", "type": ["integer"], "minimum": 0, "maximum": 9}
    assert found["schema"] == said | {"default": 0}
    assert (found["control"]["label"], found["control"]["help"]) == ("Banners", "Banners that it carries")
    assert "Banners 3" in found["form"]
