"""What the page is asked, and a cache of datasheets with something in it spoilt."""

from __future__ import annotations

import json
import sqlite3
import tempfile
import zlib
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mutation import mutated, mutated_bytes

from mathhammer.page.requests import answer
from mathhammer.rosters.data import Fetched, TableSource, write_table
from mathhammer.rosters.datasheets import Datasheet, DatasheetSource
from mathhammer.rosters.tree import Profile

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

Act = tuple[str, "Callable[[], object]"]

#: JSON that stands where another kind of it is expected.
_VALUES: tuple[Any, ...] = (
    *(None, [], {}, 1, -1, 1.5, True, "", "x", "D6", "best", "\0", "\ud800", 10**30, 1e308, float("nan")),
    *([[]], [{}], {"a": []}, {"a": {}}, ["hit"], [1, 2], "10e", "sample", "MEQ"),
)
_NAMES = ("said", "rulings", "switched", "reference", "unit", "enemy", "cover", "long", "on")


def _asked(kind: str, **rest: Any) -> Any:
    return json.loads(answer(json.dumps({"kind": kind, **rest})))


def _seeds() -> list[Any]:
    row = {"kind": "row", "key": "sample", "unit": 2, "row": "shooting", "targets": ["MEQ"]}
    asked = [
        *({"kind": kind, kind: "2D6"} for kind in ("dice", "text")),
        {"kind": "line", "game": "40k", "profile": "Weapon", "line": "Rifle: A2 BS3+ S4 AP-1 D1"},
        *({"kind": "list", "name": "x", "text": "Gate"}, row, row | {"enemy": "sample", "enemy_unit": 3}),
        {**row, "kind": "focus", "units": ["Hill Battery"], "goal": "80"},
        {**row, "switched": {"sample": {"on": [], "off": ["Hill Battery: Stealth"]}}},
    ]
    for game in ("40k", "t9a", "tc", "aos"):
        for _, question in _asked("form", game=game)["questions"]:
            form = {"game": game, "question": question}
            groups = _asked("form", **form)["groups"]
            said = {group["name"]: group["rows"] for group in groups if group["name"]}
            said |= {each["name"]: each["value"] for each in groups[-1]["fields"] if not groups[-1]["name"]}
            asked.append(
                {"kind": "ask", **form, "said": said, "reference": {"kind": "ask", **form, "said": said}}
            )
    return asked


def _changed(rng: Random, value: Any) -> Any:
    """Return JSON with one part of it changed."""
    if rng.random() < 0.15:
        return rng.choice(_VALUES)
    if isinstance(value, dict) and value:
        name = rng.choice(_NAMES if rng.random() < 0.15 else list(value))
        return {**value, name: _changed(rng, value.get(name))}
    if isinstance(value, list) and value:
        place = rng.randrange(len(value))
        return [*value[:place], _changed(rng, value[place]), *value[place + 1 :]]
    return mutated(rng, [value]) if isinstance(value, str) else rng.choice(_VALUES)


def requests(rng: Random) -> Act:
    """Return a question to the page, with its parts or its text changed."""
    asked = rng.choice(_SEEDS)
    for _ in range(rng.randint(0, 3)):
        asked = _changed(rng, asked)
    text = json.dumps(asked) if rng.random() < 0.8 else mutated(rng, [json.dumps(asked)])

    def act() -> object:
        json.loads(answer(text))
        return "answered"  # whose words are no terminal's

    return text, act


_PROFILE = Profile("Rifle", "Ranged Weapons", "id", (("A", "2"), ("BS", "3+")))
_SHEET = Datasheet("Wardens", (_PROFILE,), (("Rule", ""),), ("Infantry",), (("Warden", (_PROFILE,)),))


def cache(rng: Random) -> Act:
    """Return a cache of which bytes, a column or a part of a datasheet are changed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bsdata.sqlite"
        write_table(
            DatasheetSource("10e", {"Wardens": {"Lanterns": _SHEET}}, lambda sheet: sheet),
            path,
            Fetched("bsdata", "10e", "2026-06-01", "a host", 9, "0" * 64),
        )
        with closing(sqlite3.connect(path)) as base, base:
            key, packed = rng.choice(list(base.execute("SELECT key, content FROM datasheets_9")))
            plain = json.dumps(_changed(rng, json.loads(zlib.decompress(packed))))
            value: Any = zlib.compress(plain.encode("utf-8", "replace"))
            value = mutated_bytes(rng, value) if rng.random() < 0.3 else value
            value = rng.choice((None, 7, 1.5, "x", b"\xff")) if rng.random() < 0.1 else value
            base.execute("UPDATE datasheets_9 SET content = ? WHERE key = ?", (value, key))
        data = path.read_bytes()
    if rng.random() < 0.3:
        data = mutated_bytes(rng, data)
    return f"{key} = {value!r}", partial(_opened, data)


def _opened(data: bytes) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bsdata.sqlite"
        path.write_bytes(data)
        source = TableSource("bsdata", path)
        return f"{[source.datasheet(name) is None for name in source.names()]}"


_asked("list", name="sample")  # is kept
_SEEDS = _seeds()
