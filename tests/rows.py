"""Tables of tests: rows in text files beside them, and what the calls in these rows mean by their names."""

from __future__ import annotations

import copy
import json
import math
import pickle
from collections import Counter
from dataclasses import replace
from functools import cache, reduce
from itertools import combinations, permutations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import by_hand
import numpy as np
import tenth
import translation
from sympy import Rational, Symbol

import mathhammer as mh
from mathhammer import (
    analysis,
    aos,
    cli,
    display,
    distributions,
    errors,
    expressions,
    modifiers,
    sequence,
    systems,
    t9a,
    validation,
    wh40k,
)
from mathhammer import trench_crusade as tc
from mathhammer.cli.questions import describe
from mathhammer.distributions import CategoricalDistribution, Distribution, JointDistribution
from mathhammer.expressions import faces
from mathhammer.expressions.die import Die, DirectionDie
from mathhammer.expressions.parser import as_condition
from mathhammer.modifiers import Modifier, read_modifier
from mathhammer.rosters import sample_army
from mathhammer.systems.t9a.attributes import PROTECTIONS
from mathhammer.systems.t9a.situation import read_situation
from mathhammer.systems.t9a.stages import armed
from mathhammer.systems.wh40k.armies.choices import attach_all, melee_lines, shooting_lines
from mathhammer.systems.wh40k.profiles.triggers import read_trigger

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent


def doubled(times: int) -> Any:
    """A tree that holds itself twice, so many times."""
    return reduce(lambda tree, _: tree + tree, range(times), mh.dice("D6"))


def nested(levels: int) -> list[Any]:
    return reduce(lambda value, _: [value], range(levels), [])


def itself() -> list[Any]:
    """A list that holds itself."""
    made: list[Any] = []
    made.append(made)
    return made


BY_THEIR_NAMES = (
    *(
        cli,
        copy,
        display,
        errors,
        expressions,
        math,
        modifiers,
        pickle,
        sequence,
        validation,
    ),
    *(as_condition, armed, describe, permutations, product, read_situation, replace),
    *(CategoricalDistribution, Counter, Die, DirectionDie, Distribution, JointDistribution, Symbol),
    *(np.int8, np.int32, np.int64, np.uint8, np.uint64, np.iinfo),
)
NAMES: dict[str, Any] = {each.__name__.rpartition(".")[2]: each for each in BY_THEIR_NAMES} | {
    "mh": mh,
    "wh40k": wh40k,
    "aos": aos,
    "t9a": t9a,
    "tc": tc,
    "analysis": analysis,
    "dists": distributions,
    "systems": systems,
    "tenth": tenth.wh40k,
    "analysis10": tenth.analysis,
    "Q": Rational,
    "Rational": Rational,
    "bool_": np.bool_,
    "PROTECTIONS": PROTECTIONS,
    "Modifier": Modifier,
    "sample_army": sample_army,
    "attach_all": attach_all,
    "melee_lines": melee_lines,
    "shooting_lines": shooting_lines,
    "array": np.array,
    "arange": np.arange,
    "zeros": np.zeros,
    "doubled": doubled,
    "nested": nested,
    "itself": itself,
    "faces": faces,
    "combinations": combinations,
    "reduce": reduce,
    "dumps": json.dumps,
    "read_modifier": read_modifier,
    "read_trigger": read_trigger,
    "play": by_hand.play,
    "wounding": by_hand.wounding,
    "model": by_hand.unit,
    "gun": by_hand.weapon,
    "mixed_unit": translation.mixed_unit,
    "RIFLE": wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP0 D1'),
    "inf": float("inf"),
    "nan": float("nan"),
}


def rows(folder: str) -> Iterator[tuple[Path, int, str]]:
    """The lines of all files of a folder, without comments and definitions: file, number, line."""
    for file in sorted((HERE / folder).glob("*.txt")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if line and not line.startswith("#") and line.split(" ")[1:2] != [":="]:
                yield file, number, line


@cache
def names(file: Path) -> dict[str, Any]:
    """What the calls of a file know: what all know, and what stands after ``NAME :=`` in it."""
    known = dict(NAMES)
    for line in file.read_text(encoding="utf-8").splitlines():
        name, sign, expression = line.partition(" := ")
        if sign and name.isidentifier():
            known[name] = eval(expression, known)  # noqa: S307 - the files are part of the tests
    return known


def repeated(call: str, known: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """A call, as often as it stands, with what names mean that time: ``for name in ... :: call``."""
    loop, _, call = call.rpartition(" :: ")
    if not loop:
        return [(call, {})]
    each, _, values = loop.removeprefix("for ").partition(" in ")
    several = each.split(", ")
    every = eval(f"[{values}]", dict(known))  # noqa: S307
    return [(call, dict(zip(several, one if several[1:] else [one], strict=True))) for one in every]
