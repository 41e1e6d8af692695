"""Everything that takes what an outsider wrote, each with valid inputs to change."""

from __future__ import annotations

import atexit
import base64
import gzip
import json
import shlex
import shutil
import tempfile
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sympy  # noqa: F401 - what is first imported within an input would count as its time
from click.testing import CliRunner
from fuzz_calls import calls
from fuzz_doors import cache, requests
from mutation import mutated, mutated_bytes

import mathhammer as mh
from mathhammer import t9a, wh40k
from mathhammer import trench_crusade as tc
from mathhammer.cli import main
from mathhammer.cli.situation import read_modifier, read_trigger
from mathhammer.errors import MathhammerError
from mathhammer.rosters import read_army
from mathhammer.rosters.reading import parse_roster
from mathhammer.rosters.wh40k import army_from_roster

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

__all__ = ["SURFACES"]

SAMPLE = (files("mathhammer.rosters") / "sample" / "sample-army.ros").read_text(encoding="utf-8")
RIFLE = wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP-1 D1 [SUSTAINED HITS 1, RAPID FIRE 1]')
BLADE = wh40k.Weapon.parse("Blade: AD3 WS3+ S5 AP-2 DD3 [LETHAL HITS, DEVASTATING WOUNDS, ANTI-VEHICLE 4+]")
MEQ = wh40k.TARGETS["MEQ"]
SPEARS = t9a.ModelPart("Spears", attacks=2, models=4, strength=3, offensive_skill=3)
ORCS = t9a.Target("Orcs", models=8, resilience=4, defensive_skill=3)

DICE = (
    *(
        "2D6+3",
        "D3",
        "4D6*2",
        "highest(3 of 4D6)",
        "lowest(1 of 2D6)",
        "max(D6, D3)",
        "explode(D6, 6, depth 3)",
    ),
    *(
        "2D6>=9",
        "(2D6>=9)+1",
        "mixture(1: D6, 2: 2D6)",
        "explode(D6, 5, 6, at most 2)",
        "D6 reroll 1",
        "D{1,1,2}",
    ),
    *("let x = D6 in x + x", "2D6[+1 DICE]", "2D6[maximised 1]", "2(D6+1)", "D66", "D6-D6", "D6÷2", "10"),
)
WEAPONS = (
    str(RIFLE),
    str(BLADE),
    "Flamer: AD6 S4 AP0 D1 [TORRENT, IGNORES COVER]",
    "Gun: A2 BS3+ S4 AP-1 DD6+1 [HEAVY]",
)
TARGETS = (
    *("Marines: 5x T4 Sv3+ W2 20pts [Infantry, Imperium]", "Tank: T10 Sv3+ InSv5+ W12 190pts [VEHICLE]"),
    *("Ghouls: 40x T4 Sv4+ W3 Fnp5+", "Led: 3x T4 Sv3+ W2"),
)
PARTS = (
    *(
        "Spearmen: 15 attacks, Off 3, Str 3, AP 1 [Lightning Reflexes]",
        "15 shots, Aim 4+, Str 3",
        "2D6 hits, Str 4",
    ),
    *("Knights: 5 x 1 attacks, Off 4, Str 4, AP 1, Agi 4 [Lance, Devastating Charge (+1 Strength)]",),
)
UNITS = (
    "Orcs: 20 models, HP 1, Def 3, Res 4, Arm 3, Aegis 5+",
    "20 models, Res 3, Arm 1",
    "Ogre: 3 models, HP 3, Def 3, Res 4",
)
MODIFIERS = (
    "damage +1 (Oath)",
    "strength x2 (Furious charge)",
    "ap improved by 1",
    "skill =4",
    "wounds /2",
    "save -1",
)
TRIGGERS = (
    *("unmodified 6 to wound: AP improved by 3 (Rending)", "6 to hit: 2 additional hits (Rule)"),
    *("5+ to wound: D3 mortal wounds in addition (X)", "unmodified 6 to hit: the bearer is slain (Y)"),
)
KEYWORDS = (
    *(
        "Sustained Hits D3, Lethal Hits, Anti-Infantry 4+",
        "Rapid Fire 2, Melta 2, Blast, Torrent",
        "Heavy, Twin-linked",
    ),
)
TC_WEAPONS = (
    *(
        "Halberd (melee): +1 INJURY DICE, CRITICAL",
        "Shotgun",
        "Machine Gun",
        "Frag Grenade (grenade): BLAST 2, SHRAPNEL",
    ),
    *('Bow (ranged): RANGE 24", +1 DICE, HEAVY', "Flamer (ranged): IGNORE ARMOUR, FIRE"),
)
TC_KEYWORDS = (
    "TOUGH, FEAR, STRONG",
    "BLAST 3, CONSUMABLE, IGNORE ARMOUR",
    "+1 DICE, -1 INJURY DICE, CUMBERSOME",
)
TEXTS = (
    wh40k.attack(
        [wh40k.Volley(RIFLE, 2, reroll_hits={1, 2}), BLADE],
        MEQ,
        modifiers=wh40k.Modifier("worsen", 1, "rain", of="ap", when={-1}),
        start=wh40k.attack(RIFLE, MEQ).given(lambda state: state[0] < 2),
    ).to_text(),
    wh40k.attack(RIFLE, wh40k.TargetUnit("Squad", [MEQ], leaders=[wh40k.TARGETS["CTAN"]])).to_text(),
    wh40k.attack(RIFLE, MEQ, edition="9e", cover="light").to_text(),
    t9a.break_test(8, 3, exact=True).to_text(),
    t9a.charge(distance=12, advance=5, swiftstride=True).to_text(),
    t9a.attack(SPEARS, ORCS).to_text(),
    t9a.fight(t9a.Unit(ORCS, SPEARS), t9a.Unit(ORCS)).to_text(),
    tc.attack(tc.WEAPONS["Shotgun"], tc.Target(blood=2), spend=tc.Spend(blood=1)).to_text(),
    *(f"mathhammer 1: dice\ndice: {text}\nend" for text in DICE[:6]),
    (mh.distribution("D6") + mh.distribution("D3", exact=False)).to_text(),
)
_WATCH = (
    "Gate Watch (300 Points)\n\nLantern League\nBeacon Chain\n\nBATTLELINE\n\nWardens (90 Points)\n  • 1x Sergeant\n"
    "     ◦ 1x Sabre\n     ◦ 1x Rifle\n  • 4x Warden\n     ◦ 3x Rifles\n     ◦ 1x Plasma gun\n\nCrawler (210 Points)\n"
    "  • 2x Long gun\n  • Attached to Wardens[1]\n"
)
LISTS = (
    _WATCH,
    "Char1: 1x Captain (80 pts): Sabre, Pistol\nAttached to e[0]\n\n10x Wardens (90 pts): 9 with Rifle, Plasma gun\n",
    "+ FACTION KEYWORD: Lantern League\n+ TOTAL ARMY POINTS: 300pts\n\nChar1: 1x Captain (80 pts)\n1 with Sabre\n",
)


def _profile(name: str, kind: str, **characteristics: str) -> dict[str, Any]:
    return {
        "name": name,
        "typeName": kind,
        "characteristics": [{"name": key, "$text": text} for key, text in characteristics.items()],
    }


_WARDEN: dict[str, Any] = {
    "id": "1",
    "type": "model",
    "name": "Warden",
    "number": 5,
    "costs": [{"name": "pts", "value": 90}],
    "categories": [{"name": "Infantry"}],
    "categoryLinks": [{"name": "Infantry"}],
    "rules": [{"name": "Feel No Pain 5+"}],
    "infoLinks": [{"type": "rule", "name": "Deep Strike", "targetId": "9", "modifiers": []}],
    "entryLinks": [{"targetId": "2"}],
    "profiles": [
        _profile("Warden", "Unit", M='6"', T="4", SV="3+", W="2", LD="6+", OC="1"),
        _profile(
            "Rifle", "Ranged Weapons", Range='24"', A="2", BS="3+", S="4", AP="-1", D="1", Keywords="Heavy"
        ),
        _profile("Ward", "Abilities", Description="This model has a 4+ invulnerable save."),
    ],
}
_FORCE = {"name": "Army", "catalogueName": "League", "selections": [_WARDEN]}
ROSTER = json.dumps(
    {"roster": {"name": "Watch", "gameSystemId": "sys-352e-adc2-7639-d6a9", "forces": [_FORCE]}}
)
CATALOGUE = json.dumps(
    {"catalogue": {"gameSystemId": "sys-352e-adc2-7639-d6a9", "selectionEntries": [_WARDEN], "id": "c"}}
)
XML_CATALOGUE = (
    '<catalogue id="c" gameSystemId="sys-352e-adc2-7639-d6a9"><selectionEntries><selectionEntry id="1" type="unit" '
    'name="Wardens"><profiles><profile name="Warden" typeName="Unit"><characteristics><characteristic name="T">4'
    '</characteristic><characteristic name="SV">3+</characteristic><characteristic name="W">2</characteristic>'
    '</characteristics></profile><profile name="Rifle" typeName="Ranged Weapons"><characteristics><characteristic '
    'name="A">2</characteristic><characteristic name="BS">3+</characteristic><characteristic name="S">4'
    '</characteristic><characteristic name="AP">-1</characteristic><characteristic name="D">1</characteristic>'
    '</characteristics></profile></profiles><entryLinks><entryLink targetId="1"/></entryLinks></selectionEntry>'
    "</selectionEntries></catalogue>"
)
COMMANDS = (
    *("dice 2D6+3 --at-least 9 --exact", "dice 'highest(3 of 4D6)' --json", "targets", "targets --json"),
    "40k attack 'Rifle: A2 BS3+ S4 AP-1 D1' --target MEQ --count 5 --cover --half-range --explain",
    "40k attack 'Lascannon: A1 BS3+ S12 AP-3 DD6+1 [HEAVY]' --target 'Tank: T10 Sv3+ W12' --exact --json",
    "40k attack 'Gun: A2 BS3+ S4 AP-1 D1' --target MEQ --modifier 'damage +1 (Oath)' --edition 9e --as-text",
    "40k attack 'Gun: A2 BS3+ S4 D1' --target MEQ --trigger '6 to wound: AP improved by 3 (R)' --ruling save_cap=net",
    "40k rulings",
    "t9a attack 'Spearmen: 15 attacks, Off 3, Str 3, AP 1' -t 'Orcs: 20 models, Def 3, Res 4, Arm 3' --explain",
    "t9a charge --advance 5 --distance 12 --swiftstride --maximised 1",
    "t9a break 8 --lost-by 3 --reroll --exact",
    "t9a discipline 8 --minimised 1 --json",
    "tc attack Shotgun --armour standard --shield --blood 2 --cover --spend best --explain",
    "tc attack 'Halberd (melee): +1 INJURY DICE, CRITICAL' --target-keywords TOUGH --exact",
    "tc success --help",
    "army --against 'MEQ,Tank: T10 Sv3+ W12' --sort return --csv",
    "army --against GEQ --json --cover --attach 'A=B'",
    "show no-such-file --explain",
)
_WORDS = (
    "--exact",
    "--explain",
    "--json",
    "--csv",
    "--count",
    "--edition",
    "11e",
    "--target",
    "--at-least",
    "--ruling",
)
_FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-"))
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)  # workers leave without it


def _show(answer: Any) -> str:
    """Return all that an answer shows of itself in a terminal."""
    return f"{answer}\n{answer!r}"


def _texts(seeds: Sequence[str], act: Callable[[str], object], pieces: Sequence[str] = ()) -> Any:
    """Return the surface of a text that is read."""

    def surface(rng: Random) -> tuple[str, Callable[[], object]]:
        text = mutated(rng, seeds, pieces)
        return text, partial(act, text)

    return surface


def _dice(text: str) -> str:
    expression = mh.dice(text)
    return f"{expression} {_show(mh.distribution(expression))} {mh.distribution(expression, exact=True)!r}"


def _modifier(text: str) -> str:
    return _show(wh40k.attack(RIFLE, MEQ, modifiers=read_modifier(text)))


def _trigger(text: str) -> str:
    return _show(wh40k.attack(RIFLE, MEQ, triggers=[read_trigger(text)]))


def _army(data: bytes) -> str:
    army = army_from_roster(parse_roster(data, "'list'"), edition="10e")
    return f"{army} {army.warnings} {army.simplifications}\n{army.units[:3]}"


def _packed(rng: Random) -> tuple[str, Callable[[], object]]:
    import io
    import zipfile

    text = mutated(rng, (SAMPLE[:20_000], ROSTER)).encode("utf-8", "replace")
    how = rng.randrange(4)
    if how == 0:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
            archive.writestr("list.ros", text)
        data = buffer.getvalue()
    elif how == 1:
        data = gzip.compress(text, 1)
    elif how == 2:
        data = b"https://lists.example/share#" + base64.urlsafe_b64encode(gzip.compress(text, 1))
    else:
        data = text
    data = mutated_bytes(rng, data)
    return repr(data[:200]), partial(_army, data)


def _written(name: str, text: str) -> Path:
    path = _FOLDER / name
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def _folder(name: str, tables: dict[str, str]) -> Path:
    (_FOLDER / name).mkdir(exist_ok=True)
    for table, text in tables.items():
        _written(f"{name}/{table}", text)
    return _FOLDER / name


def _list(text: str) -> str:
    folder = _folder("sheets", {"a.json": CATALOGUE})
    army = read_army(_written("list.txt", text), datasheets=folder)
    return f"{army} {army.warnings} {army.units[:3]}"


def _sheets(rng: Random) -> tuple[str, Callable[[], object]]:
    kind = rng.randrange(2)
    text = mutated(rng, [(CATALOGUE, XML_CATALOGUE)[kind]])
    tables = {("a.json", "a.cat")[kind]: text}

    def act() -> object:
        folder = _FOLDER / f"sheets{kind}"
        army = read_army(_written("list.txt", LISTS[0]), datasheets=_folder(folder.name, tables))
        return f"{army} {army.warnings}"

    return text, act


def _compare(rng: Random) -> tuple[str, Callable[[], object]]:
    mine, theirs = mutated(rng, LISTS), mutated(rng, (*LISTS, ROSTER))
    options = rng.choice(("", "--json", "--csv", "--cover --modifier 'damage +1 (Oath)'", "--sort points"))
    attached = rng.choice(("", "", "--attach 'Captain=Wardens'", "--attach-enemy 'Crawler=Wardens #2'"))

    def act() -> object:
        files = [
            _written("mine.txt", mine),
            _written(("theirs.txt", "theirs.json")[theirs[:1] == "{"], theirs),
        ]
        folder = _folder("sheets", {"a.json": CATALOGUE})
        arguments = ["compare", *map(str, files), "--datasheets", str(folder)]
        return _run([*arguments, *shlex.split(f"{options} {attached}")])

    return f"{options} {attached}\n{mine}\n---\n{theirs}", act


def _run(arguments: Sequence[str]) -> str:
    result = CliRunner(env={"COLUMNS": "80"}).invoke(main, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "")


def _distribution(text: str) -> str:
    distribution = mh.Distribution.from_json(text)
    return _show(distribution)


def _data(text: str) -> str:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:  # the user's own reading of it
        raise MathhammerError(f"no JSON: {type(error)}") from None
    return _show(mh.JointDistribution.from_dict(data))


def _command(rng: Random) -> tuple[str, Callable[[], object]]:
    text = mutated(rng, COMMANDS, _WORDS)
    try:
        arguments = shlex.split(text)
    except ValueError:
        arguments = text.split()
    if "--html" in arguments or "-" in arguments:  # would write, or wait for standard input
        arguments = ["targets"]

    return text, partial(_run, arguments)


def _t9a(text: str) -> str:
    return _show(t9a.attack(t9a.ModelPart.parse(text), ORCS))


def _t9a_target(text: str) -> str:
    return _show(t9a.attack(SPEARS, t9a.Target.parse(text)))


def _tc(text: str) -> str:
    return _show(tc.attack(text, tc.Target()))


DISTRIBUTIONS = tuple(
    mh.distribution(text, exact=exact).to_json()
    for text in ("2D6", "explode(D6, 6, depth 2)")
    for exact in (True, False)
)
JOINTS = tuple(json.dumps(wh40k.attack(RIFLE, MEQ, exact=exact).state.to_dict()) for exact in (True, False))

#: By name: of a random source an input, and an act that takes no argument.
SURFACES: dict[str, Any] = {
    "dice": _texts(DICE, _dice, ("D6", "(", ")", "of", "depth", "reroll", "in", "let", "@")),
    "weapon": _texts(
        WEAPONS, lambda text: _show(wh40k.attack(wh40k.Weapon.parse(text), MEQ)), ("A", "D", "BS", "[")
    ),
    "target": _texts(
        TARGETS, lambda text: _show(wh40k.attack(RIFLE, wh40k.Target.parse(text))), ("x", "T", "W", "Sv")
    ),
    "keywords": _texts(
        KEYWORDS,
        lambda text: _show(
            wh40k.attack(
                wh40k.Weapon("x", range="", attacks=2, skill=3, strength=4, ap=0, damage=1, keywords=text),
                MEQ,
            )
        ),
    ),
    "modifier": _texts(MODIFIERS, _modifier),
    "trigger": _texts(TRIGGERS, _trigger),
    "roster": _texts((SAMPLE, SAMPLE[:9000], ROSTER), lambda text: _army(text.encode("utf-8", "replace"))),
    "packed roster": _packed,
    "list": _texts(LISTS, _list, ("Wardens", "Rifle", "(90 Points)", "Attached to Wardens[1]")),
    "datasheets": _sheets,
    "text": _texts(
        TEXTS,
        lambda text: _show(mh.from_text(text)),
        ("with:", "weapon:", "target:", "then:", "distribution:"),
    ),
    "distribution": _texts(DISTRIBUTIONS, _distribution, ("1", "0", "-")),
    "joint": _texts(JOINTS, _data, ("[0, 0]", "null")),
    "command": _command,
    "page": requests,
    "cache": cache,
    "compare": _compare,
    "calls of 40k": calls("wh40k"),
    "calls of t9a": calls("t9a"),
    "calls of tc": calls("tc"),
    "t9a part": _texts(PARTS, _t9a),
    "t9a target": _texts(UNITS, _t9a_target),
    "t9a attributes": _texts(
        (
            "Lance, Lethal Strike, Multiple Wounds (D3)",
            "Devastating Charge (+1 Strength)",
            "Area Attack (3×2)",
        ),
        lambda text: _show(
            t9a.attack(t9a.ModelPart("x", attacks=2, strength=3, offensive_skill=3, attributes=text), ORCS)
        ),
    ),
    "tc weapon": _texts(TC_WEAPONS, _tc),
    "tc keywords": _texts(
        TC_KEYWORDS, lambda text: _show(tc.attack(tc.WEAPONS["Sword"], tc.Target("x", keywords=text)))
    ),
}
