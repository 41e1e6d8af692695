"""Random attacks of every edition of Warhammer 40,000, so small that every die can be walked.

A weapon, a model and the rulings are plain, but for a few switches that are drawn from tables: what an edition knows,
with the values worth trying. What excludes each other is refused by the package, and so is not drawn together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from plain_dice import Dice, fixed
from referees.wh40k.profiles import TENTH, Kind, MortalWounds, Rule, Rules, Unit, Volley

if TYPE_CHECKING:
    from collections.abc import Sequence

Entry = Volley | MortalWounds
EDITIONS = ("9e", "10e", "11e")
ROLLS = ("attacks", "hits", "wounds", "saves", "damage")
D3 = Dice(1, 3)
YES, UP_TO_2, FACES = (True,), [-2, -1, 1, 2], [2, 3, 4, 5]
SUMS = [*((n,) for n in UP_TO_2), (1, 1), (2, -1), (-2, 1)]
FREE = ["ones", "failed", frozenset({1, 2, 5}), frozenset({1, 6})]
WORDS = ("Infantry", "Vehicle")
DAMAGES = [fixed(1), fixed(2), fixed(3), D3, Dice(1, 3, 1), Dice(1, 6), Dice(2, 3)]
STRENGTHS = [*map(fixed, (1, 2, 3, 4, 4, 5, 5, 6, 8, 10)), Dice(1, 6), Dice(1, 3, 2)]


def each(names: str, values: Sequence[Any] = YES) -> dict[str, Sequence[Any]]:
    return dict.fromkeys(names.split(), values)


#: What may be true of a volley, in any edition.
ANY: dict[str, Sequence[Any]] = {
    **each("melee torrent heavy ignores_cover half_range"),
    "melta": [2],
    "hit_modifier": SUMS,
    "wound_modifier": SUMS,
    "save_modifier": SUMS,
    "reroll_hits": FREE,
    "reroll_wounds": FREE,
}
#: What the 10th and the 11th edition have both.
CRITICAL = ANY | {
    **each("lethal_hits devastating_wounds twin_linked psychic lance indirect_fire conversion"),
    **each("stationary cover plunging_fire overwatch"),
    "sustained_hits": [(fixed(1),), (fixed(1),), (fixed(2),), (D3,), (fixed(1), D3)],
    "anti": [((word, face),) for word in WORDS for face in (2, 4)] + [(("Infantry", 5), ("Vehicle", 3))],
    "critical_hit": FACES,
    "critical_wound": FACES,
    "reroll_hits": [*FREE, "non-critical"],
    "reroll_wounds": [*FREE, "non-critical"],
    "reroll_saves": [frozenset({1}), frozenset({1, 2, 3})],
}
VOLLEYS = {
    "9e": ANY
    | {
        "rapid_fire": [fixed(1)],
        **each("assault moved advanced target_charged"),
        "blast": [1],
        "terrain": [frozenset({word}) for word in ("light", "heavy", "dense")]
        + [frozenset({"light", "dense"})],
        "reroll_hits": [*FREE, "failed-unmodified"],
        "reroll_wounds": [*FREE, "failed-unmodified"],
    },
    "10e": CRITICAL
    | {
        "rapid_fire": [fixed(1), fixed(2), D3],
        "blast": [1],
        **each("pistol stealth smokescreen go_to_ground engaged damaged charged damage_halved"),
        **{f"{name}_change": SUMS for name in ("attacks", "skill", "strength", "ap", "damage")},
        "wounds_on": [2, 3, 4],
        "wound_fails_up_to": [2, 3, 5],
        "ignored": [
            frozenset({"hit", "skill"}),
            frozenset({"wound", "strength", "ap"}),
            frozenset({"attacks", "damage"}),
        ],
        "reroll_damage": ["ones", frozenset({1, 2}), frozenset({2, 3, 4})],
        "reroll_saves": FREE,
    },
    "11e": CRITICAL | {"spotted": YES, "ap_on_critical_wounds": [2]},
}
#: What does nothing without the other.
WITH = {
    "heavy": "stationary",
    "melta": "half_range",
    "rapid_fire": "half_range",
    "lance": "charged",
    "indirect_fire": "indirect",
    "spotted": "indirect_fire",
    "conversion": "long_range",
}
#: The first of two that exclude each other stays, by edition.
APART = {
    "9e": [],
    "10e": [
        *(("half_range", "long_range"), ("half_range", "conversion"), ("stationary", "charged")),
        *(("torrent", "indirect_fire"), ("torrent", "indirect")),
    ],
}
APART["11e"] = [
    *APART["10e"],
    *((first, name) for first in ("melee", "overwatch") for name in ("indirect_fire", "indirect", "spotted")),
    *(("melee", name) for name in ("overwatch", "cover", "plunging_fire")),
    *(("overwatch", name) for name in ("stationary", "charged")),
    *(("indirect", name) for name in ("conversion", "long_range")),
    ("devastating_wounds", "ap_on_critical_wounds"),
]
MODELS: dict[str, Sequence[Any]] = {
    "invulnerable": [3, 4, 5],
    "feel_no_pain": [3, 5, 6],
    "feel_no_pain_mortal": [2, 4],
    "feel_no_pain_psychic": [2, 4],
    "damage_reduction": [1, 2],
    "half_damage": YES,
    "damage_to_0": YES,
    "keywords": [("Infantry",), ("Vehicle",), WORDS],
    "deadly_demise": [fixed(1), D3, Dice(1, 6)],
    "invulnerable_against": ["ranged", "melee"],
    "damage_1_save_bonus": [1],
}
UNKNOWN = {
    "9e": ["damage_1_save_bonus"],
    "10e": [],
    "11e": ["damage_1_save_bonus", "invulnerable_against", "feel_no_pain_psychic", "deadly_demise"],
}
#: Rulings of the referee: the default first.
RULINGS: dict[str, dict[str, Sequence[Any]]] = {
    "9e": {"mortal_wait": [True, False]},
    "10e": {
        "order": ["plain-first", "devastating-first", "as-listed"],
        "devastating_wait": [True, False],
        "damage_to_0": ["first-failed-save", "off"],
        "ignored_count": [True, False],
        "begun_first": [False, True],
    },
    "11e": {
        "lethal": ["always", "never"],
        "split": ["special-first", "special-last"],
        **each("precision_first critical_must_hit snap_criticals snap_torrent", (False, True)),
        **each("low_critical_indirect reduces_devastating extra_hits_share second", (False, True)),
    },
}


@dataclass(frozen=True)
class Battle:
    """Volleys and mortal wounds against a unit; `shared` are the single re-rolls that all volleys have together."""

    entries: tuple[Entry, ...]
    unit: Unit
    rules: Rules = TENTH
    shared: frozenset[str] = frozenset()

    @property
    def rerolls(self) -> dict[str, Any]:
        return {f"reroll_{roll}": "one" for roll in self.shared}


def switches(draw: st.DrawFn, table: dict[str, Sequence[Any]], most: int) -> dict[str, Any]:
    names = draw(st.lists(st.sampled_from(list(table)), max_size=most, unique=True))
    return {name: draw(st.sampled_from(table[name])) for name in names}


def triggers(edition: str) -> list[Rule]:
    """Rules on successful rolls: what each does, on which faces."""
    hit = [{"extra_hits": fixed(1)}, {"extra_attacks": fixed(1)}, {"wounds": True}]
    both = [{"improve_ap": 3}, {"mortal_wounds": fixed(1)}, {"mortal_wounds": D3}]
    both += [{"mortal_wounds": fixed(2), "instead": True}]
    faces = [("unmodified", 6, None), ("unmodified", 4, 4), ("modified", 5, None), ("modified", 4, 4)]
    if edition == "10e":
        both += [{"ap": -2}, {"ap": 0}]
        faces += [("critical", 6, None)]
    does = [*(("hit", effect) for effect in (*hit, *both)), *(("wound", effect) for effect in both)]
    found = [Rule(roll, *on, **effect) for (roll, effect), on in product(does, faces)]
    if edition == "10e":
        found += [Rule("wound", "each", **effect) for effect in both]
    return found


TRIGGERS = {edition: triggers(edition) for edition in ("9e", "10e")}


def fit(rules: list[Rule], *, alone: bool) -> bool:
    """No two set one AP; with a single re-roll an attack that ends scores nothing else."""
    changes = [rule.roll for rule in rules if rule.improve_ap or rule.ap is not None]
    ends = any(rule.instead for rule in rules) and len(rules) > 1
    return len(set(changes)) == len(changes) and not (alone and (ends or len(changes) > 1))


@st.composite
def volleys(
    draw: st.DrawFn,
    unit: Unit,
    edition: str,
    most: int,
    *,
    single: frozenset[str] = frozenset(),
    ap: bool = True,
) -> Volley:
    said = switches(draw, VOLLEYS[edition], 6)
    for name, other in WITH.items():
        if name in said and draw(st.integers(0, 3)):
            said["moved" if edition == "9e" and name == "heavy" else other] = True
    for first, other in APART[edition]:
        if first in said:
            said.pop(other, None)
    if (
        edition == "11e" and "indirect" in said
    ):  # who does not see the target stands still and is told by one who does
        seen = said.get("spotted", False)
        said = {name: value for name, value in said.items() if name != "stationary"} | {"stationary": seen}
    torrent = "torrent" in said
    leaders = tuple(place for place, kind in enumerate(unit) if kind.leader or kind.character)
    if leaders and edition != "9e":
        aims = [(), leaders, *((leader,) for leader in leaders)]
        name = (
            "precision"
            if edition == "10e"
            else draw(st.sampled_from(["precision", "precision_on_critical_hits"]))
        )
        said[name] = draw(st.sampled_from(aims if edition == "10e" or not torrent else [()]))
    if edition != "11e" and draw(st.booleans()):
        rules = draw(st.lists(st.sampled_from(TRIGGERS[edition]), max_size=2))
        if fit(rules, alone=bool(single)) and (
            ap or not any(r.improve_ap or r.ap is not None for r in rules)
        ):
            said["rules"] = tuple(rules)
    if single:
        said = {name: value for name, value in said.items() if not name.startswith("reroll_")}
        whose = st.sampled_from(["", "", "own", "none"])
        told = [(roll, draw(whose)) for roll in sorted(single)]
        said["says"] = tuple((roll, of) for roll, of in told if of)
    more = said.get("sustained_hits", ())
    most = 1 if any(extra.number for extra in more) else min(most, 2) if more else most
    numbers = [*map(fixed, range(1, most + 1)), *[D3] * (most > 2)]
    return Volley(
        attacks=draw(st.sampled_from(numbers)),
        weapons=draw(st.integers(1, 2)) if most == 2 and edition != "11e" else 1,
        skill=None if torrent and draw(st.booleans()) else draw(st.integers(2, 6)),
        strength=draw(st.sampled_from(STRENGTHS)),
        ap=draw(st.sampled_from([0, 0, -1, -2, -3])),
        damage=draw(st.sampled_from(DAMAGES)),
        **said,
    )


@st.composite
def kinds(draw: st.DrawFn, edition: str, models: int, *, to_0: bool = True, **fixed_here: Any) -> Kind:
    wounds = draw(st.integers(1, 3))
    table = dict(MODELS)
    if edition != "10e" or not to_0:
        del table["damage_to_0"]
    for name in UNKNOWN[edition]:
        del table[name]
    said = switches(draw, table, 3)
    said |= fixed_here
    if said.get("leader") and edition != "11e":
        said["keywords"] = (*said.get("keywords", ()), "Character")
    return Kind(
        toughness=draw(st.sampled_from([3, 4, 4, 5, 8])),
        save=draw(st.sampled_from([None, 2, 3, 4, 5, 6, 7])),
        wounds=wounds,
        models=draw(st.integers(1, models)),
        lost=draw(st.integers(0, wounds - 1)),
        **said,
    )


@st.composite
def units(draw: st.DrawFn, edition: str, *, mixed: bool, to_0: bool = True) -> Unit:
    if not mixed:
        return (draw(kinds(edition, 5 if edition != "11e" else 2, to_0=to_0)),)
    found = [draw(kinds(edition, 2, to_0=to_0)) for _ in range(draw(st.integers(1, 2)))]
    if edition == "11e" and len(found) == 2 and draw(st.booleans()):  # of one group, with rules of its own
        same = {name: getattr(found[0], name) for name in ("wounds", "save", "invulnerable")}
        found[1] = replace(found[1], **same, lost=0)
    hero: dict[str, Any] = {"leader": True, **({"character": True} if edition == "11e" else {})}
    found += [draw(kinds(edition, 1, to_0=to_0, **hero)) for _ in range(draw(st.sampled_from([0, 1, 1, 2])))]
    if edition == "11e" and draw(st.integers(0, 3)) == 0:
        found = [replace(kind, leader=False) for kind in found]  # Characters that are part of the unit
    return tuple(found)


@st.composite
def battles(
    draw: st.DrawFn, edition: str, *, mixed: bool | None = None, choice: bool = False, single: bool = False
) -> Battle:
    """A few attacks of one to three volleys on equal models, or on a unit of several kinds with its leaders."""
    mixed = draw(st.booleans()) if mixed is None else mixed
    shared = (
        frozenset(draw(st.lists(st.sampled_from(ROLLS), min_size=1, max_size=2))) if single else frozenset()
    )
    unit = draw(units(edition, mixed=mixed))
    number = draw(st.integers(1, 2 if edition == "11e" or single or choice else 3))
    few = choice or single
    numbers = {
        1: [2] if few or (mixed and edition != "11e") else [3],
        2: [1, 1] if few else [2, 1],
        3: [1, 1, 1],
    }[number]
    entries: list[Entry] = [
        draw(volleys(unit, edition, most, single=shared, ap=not choice)) for most in numbers
    ]
    if edition != "11e" and not single and number > 1 and draw(st.integers(0, 3)) == 0:
        entries[draw(st.integers(0, number - 1))] = MortalWounds(
            draw(st.sampled_from([fixed(2), D3, Dice(1, 3, -1)]))
        )
    read = {name: options[0] for name, options in RULINGS[edition].items()} | switches(
        draw, RULINGS[edition], 3
    )
    return Battle(tuple(entries), unit, Rules(edition, **read), shared)
