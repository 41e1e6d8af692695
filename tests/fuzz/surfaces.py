"""Everything that takes what an outsider wrote, each with valid inputs to change: those of the other tests."""

from __future__ import annotations

import atexit
import base64
import gzip
import json
import shlex
import shutil
import tempfile
from collections import defaultdict
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sympy  # noqa: F401 - what is first imported within an input would count as its time
from click.testing import CliRunner
from datasheet_files import LIST, json_catalogue
from fuzz_calls import calls
from fuzz_doors import cache, requests
from harness import TESTS
from mutation import mutated, mutated_bytes
from roster_files import as_json, as_zip
from test_cases import as_text, cases
from test_cli_rows import rows

import mathhammer as mh
from mathhammer import aos, t9a, wh40k
from mathhammer import trench_crusade as tc
from mathhammer.cli import main
from mathhammer.errors import MathhammerError
from mathhammer.modifiers import read_modifier
from mathhammer.rosters import read_army
from mathhammer.rosters.reading import parse_roster
from mathhammer.rosters.wh40k import army_from_roster
from mathhammer.systems.wh40k.profiles.triggers import read_trigger

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    Act = tuple[str, Callable[[], object]]

_FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-"))
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)  # workers leave without it
SAMPLE = (files("mathhammer.rosters") / "sample" / "sample-army.ros").read_text(encoding="utf-8")
LISTS = [path.read_text(encoding="utf-8") for path in sorted((TESTS / "lists/texts").glob("*.txt"))]
ROSTER = as_json(LIST).decode()
CATALOGUE = (json_catalogue(_FOLDER) / "League.json").read_text(encoding="utf-8")
XML_CATALOGUES = [path.read_text(encoding="utf-8") for path in sorted((TESTS / "lists/catalogues").iterdir())]
RIFLE = 'Rifle: 24" A2 BS3+ S4 AP-1 D1 [SUSTAINED HITS 1, RAPID FIRE 1]'
SPEARS, ORCS = "Spears: 4x2 attacks, Off 3, Str 3", "Orcs: 8 models, Def 3, Res 4"
SWORDS, BEASTS = (
    "Swords: 5 models, Atk 2, Hit 3+, Wnd 3+, Rnd 1, Dmg 1",
    "Beasts: 3 models, Health 3, Save 4+",
)
SEEDS: dict[str, list[str]] = defaultdict(list)
for _line in Path(__file__).with_name("seeds.txt").read_text(encoding="utf-8").splitlines():
    if not _line.startswith("#"):
        _name, _, _seed = _line.partition(": ")
        SEEDS[_name] += _seed.replace(" ", "\0").replace("&", " ").split("\0") if " and" in _name else [_seed]
SEEDS |= {
    "roster": [SAMPLE, SAMPLE[:9000], ROSTER],
    "list": LISTS,
    "text": [
        as_text(each, exact=False) for _, each, _ in (case.values for case in cases()) if each[:6] != "call: "
    ],
    "distribution": [
        mh.distribution(text, exact=exact).to_json()
        for text in ("2D6", "explode(D6, 6, depth 2)")
        for exact in (True, False)
    ],
    "joint": [json.dumps(wh40k.attack(RIFLE, "MEQ", exact=exact).state.to_dict()) for exact in (True, False)],
    # Some would write, or wait for standard input.
    "command": [shlex.join(row.values[0]) for row in rows() if not {"--html", "-"} & set(row.values[0])],
}


def _show(answer: Any) -> str:
    """Return all that an answer shows of itself in a terminal."""
    return f"{answer}\n{answer!r}"


def _texts(name: str, act: Callable[[str], object]) -> Any:
    """Return the surface of a text that is read."""

    def surface(rng: Random) -> Act:
        text = mutated(rng, SEEDS[name], SEEDS[f"{name} and"])
        return text, partial(act, text)

    return surface


def _dice(text: str) -> str:
    expression = mh.dice(text)
    return f"{expression} {_show(mh.distribution(expression))} {mh.distribution(expression, exact=True)!r}"


def _army(data: bytes) -> str:
    army = army_from_roster(parse_roster(data, "'list'"), edition="10e")
    return f"{army} {army.warnings} {army.simplifications}\n{army.units[:3]}"


def _packed(rng: Random) -> Act:
    text = mutated(rng, (SAMPLE[:20_000], ROSTER)).encode("utf-8", "replace")
    packed = (
        lambda: as_zip(text, method=rng.choice((0, 8))),
        lambda: gzip.compress(text, 1),
        lambda: b"https://lists.example/share#" + base64.urlsafe_b64encode(gzip.compress(text, 1)),
        lambda: text,
    )
    data = mutated_bytes(rng, rng.choice(packed)())
    return repr(data[:200]), partial(_army, data)


def _written(name: str, text: str) -> Path:
    path = _FOLDER / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def _list(text: str, name: str = "sheets/a.json", sheets: str = CATALOGUE) -> str:
    army = read_army(_written("list.txt", text), datasheets=_written(name, sheets).parent)
    return f"{army} {army.warnings} {army.units[:3]}"


def _sheets(rng: Random) -> Act:
    name, seeds = rng.choice((("json/a.json", [CATALOGUE]), ("xml/a.cat", XML_CATALOGUES)))
    text = mutated(rng, seeds)
    return text, partial(_list, LISTS[-1], name, text)


def _compare(rng: Random) -> Act:
    mine, theirs = mutated(rng, LISTS), mutated(rng, (*LISTS, ROSTER))
    options = rng.choice(("", "--json", "--csv", "--cover --modifier 'damage +1 (Oath)'", "--sort points"))
    attached = rng.choice(("", "", "--attach 'Marshal=Wardens'", "--attach-enemy 'Crawler=Wardens #2'"))

    def act() -> object:
        lists = _written("mine.txt", mine), _written(("theirs.txt", "theirs.json")[theirs[:1] == "{"], theirs)
        sheets = _written("sheets/a.json", CATALOGUE).parent
        arguments = ["compare", *map(str, lists), "--datasheets", str(sheets)]
        return _run([*arguments, *shlex.split(f"{options} {attached}")])

    return f"{options} {attached}\n{mine}\n---\n{theirs}", act


def _run(arguments: Sequence[str]) -> str:
    result = CliRunner(env={"COLUMNS": "80"}).invoke(main, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "")


def _command(text: str) -> str:
    try:
        arguments = shlex.split(text)
    except ValueError:
        arguments = text.split()
    return _run([each for each in arguments if each not in {"--html", "-"}])


def _data(text: str) -> str:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:  # the user's own reading of it
        raise MathhammerError(f"no JSON: {type(error)}") from None
    return _show(mh.JointDistribution.from_dict(data))


def _shot(text: str = "", **more: Any) -> str:
    line = {"range": "", "attacks": 2, "skill": 3, "strength": 4, "ap": 0, "damage": 1}
    return _show(wh40k.attack(wh40k.Weapon("x", keywords=text, **line), "MEQ", **more))  # type: ignore[arg-type]


def _blow(text: str) -> str:
    return _show(
        t9a.attack(t9a.ModelPart("x", attacks=2, strength=3, offensive_skill=3, attributes=text), ORCS)
    )


#: By name of a text: what is done with it.
READ: dict[str, Callable[[str], object]] = {
    "dice": _dice,
    "weapon": lambda text: _show(wh40k.attack(wh40k.Weapon.parse(text), "MEQ")),
    "target": lambda text: _show(wh40k.attack(RIFLE, wh40k.Target.parse(text))),
    "keywords": _shot,
    "modifier": lambda text: _shot(modifiers=read_modifier(text)),
    "trigger": lambda text: _shot(triggers=[read_trigger(text)]),
    "roster": lambda text: _army(text.encode("utf-8", "replace")),
    "list": _list,
    "text": lambda text: _show(mh.from_text(text)),
    "distribution": lambda text: _show(mh.Distribution.from_json(text)),
    "joint": _data,
    "command": _command,
    "t9a part": lambda text: _show(t9a.attack(t9a.ModelPart.parse(text), ORCS)),
    "t9a target": lambda text: _show(t9a.attack(SPEARS, t9a.Target.parse(text))),
    "t9a attributes": _blow,
    "tc weapon": lambda text: _show(tc.attack(text, tc.Target())),
    "tc target": lambda text: _show(tc.attack("Shotgun", text, attacker="x: Ranged +1")),
    "aos weapon": lambda text: _show(aos.attack(text, BEASTS)),
    "aos target": lambda text: _show(aos.attack(SWORDS, aos.Target.parse(text))),
    "tc keywords": lambda text: _show(tc.attack(tc.WEAPONS["Sword"], tc.Target("x", keywords=text))),
}
#: By name: of a random source an input, and an act that takes no argument.
SURFACES: dict[str, Any] = {
    **{name: _texts(name, act) for name, act in READ.items()},
    **{f"calls of {game}": calls(game) for game in ("wh40k", "t9a", "tc", "aos", "analysis")},
    "packed roster": _packed,
    "datasheets": _sheets,
    "compare": _compare,
    "page": requests,
    "cache": cache,
}
