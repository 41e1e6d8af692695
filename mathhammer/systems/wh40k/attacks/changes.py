"""Improvements of a volley as data, and the best faces to re-roll where any die may be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain, combinations, product
from math import prod
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

from mathhammer import validation
from mathhammer.display import Displayed, Named
from mathhammer.display.numbers import count, number
from mathhammer.display.panel import Means, Panel, TablePart
from mathhammer.errors import TooLargeError
from mathhammer.modifiers import Modifier, as_modifiers
from mathhammer.systems.wh40k.armies.choices import numbered
from mathhammer.systems.wh40k.attacks.activations import TOLERANCE
from mathhammer.systems.wh40k.attacks.attack import (
    AttackOptions,
    VolleyOptions,
    attack,
    passes_options,
    read_weapons,
)
from mathhammer.systems.wh40k.attacks.result import mean_worth
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, find_edition, rulebook
from mathhammer.systems.wh40k.profiles.keywords import parse_keywords
from mathhammer.systems.wh40k.profiles.targets import Objective, read_target, require_objective
from mathhammer.systems.wh40k.sequence.compile import CompiledVolley, volleys_of
from mathhammer.systems.wh40k.situation import (
    EXCLUSIVE,
    Volley,
    conditions,
    own_keywords,
    read_situation,
    shared_reroll,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mathhammer.display.panel import Pictures
    from mathhammer.systems.wh40k.attacks.attack import Attacking
    from mathhammer.systems.wh40k.profiles.profiles import Weapon
    from mathhammer.systems.wh40k.profiles.targets import Attackable


@dataclass(frozen=True, slots=True, repr=False)
class Change(Named):
    """One change to a volley: its name, and what makes of a volley in a situation the changed one."""

    name: str
    apply: Callable[[Volley, Mapping[str, Any]], Volley]

    def __str__(self) -> str:
        return self.name


def situation(name: str, **keywords: Any) -> Change:
    """Return a change of what is true of the volley; a re-roll or threshold that is there and as good stays."""
    read_situation(keywords)

    def apply(volley: Volley, common: Mapping[str, Any]) -> Volley:
        present = {**common, **volley.situation}
        known = conditions()
        best = {
            key: value if present.get(key) is None else known[key].value.better(present[key], value)
            for key, value in keywords.items()
        }
        better = {key: value for key, value in best.items() if value != present.get(key)}
        for one, other in (*EXCLUSIVE, *(pair[::-1] for pair in EXCLUSIVE)):
            if better.get(one):  # what was true instead is no longer
                present.pop(other, None)
        for other in common.keys() - present.keys():
            present[other] = False
        for roll in shared_reroll(common).keys() - volley.situation.keys():
            present.pop(roll, None)  # the unit has it, not this volley
        return Volley(volley.weapon, volley.count, **{**present, **better})

    return Change(name, apply)


def modifier(name: str, roll: str, value: int) -> Change:
    """Return one more modifier of a roll; the caps of the rules stay in force."""

    def apply(volley: Volley, common: Mapping[str, Any]) -> Volley:
        present = own_keywords(volley, common)
        given = as_modifiers(present.get(roll, ()), roll)
        present[roll] = (*given, Modifier("add", value, name))
        return Volley(volley.weapon, volley.count, **present)

    return Change(name, apply)


def profile(name: str, change: Callable[[Weapon], Mapping[str, Any]]) -> Change:
    """Return a change of the weapon's characteristics."""

    def apply(volley: Volley, common: Mapping[str, Any]) -> Volley:
        weapon = replace(volley.weapon, **change(volley.weapon))
        return Volley(weapon, volley.count, **own_keywords(volley, common))

    return Change(name, apply)


def ability(text: str) -> Change:
    """Return a weapon ability beside those that it has; of several instances the better one is used."""
    keywords = parse_keywords(text)
    return profile(text, lambda weapon: {"keywords": (*weapon.keywords, *keywords)})


#: Improvements of each roll, beside the abilities that change it.
_PLAIN = {
    "attacks": (profile("+1 Attack", lambda weapon: {"attacks": weapon.attacks + 1}),),
    "hit": (
        modifier("+1 to hit", "hit_modifier", 1),
        situation("re-roll hit rolls of 1", reroll_hits="ones"),
        situation("re-roll hits", reroll_hits="failed"),
        situation("critical hits on 5+", critical_hit=5),
    ),
    "wound": (
        profile("+1 Strength", lambda weapon: {"strength": weapon.strength + 1}),
        modifier("+1 to wound", "wound_modifier", 1),
        situation("re-roll wound rolls of 1", reroll_wounds="ones"),
        situation("re-roll wounds", reroll_wounds="failed"),
    ),
    "save": (profile("AP better by 1", lambda weapon: {"ap": weapon.ap - 1}),),
    "damage": (profile("+1 Damage", lambda weapon: {"damage": weapon.damage + 1}),),
}


def every_change() -> tuple[Change, ...]:
    """Return the changes that a player asks about: what the rules offer, in the order of the attack sequence."""
    rules = rulebook()
    found: list[Change] = []
    for roll, changes in _PLAIN.items():
        found += (*changes, *map(ability, rules.offers[roll]))
    found += [situation(rule.when, **{name: True}) for name, rule in rules.conditions.items() if rule.offered]
    return tuple(found)


CHANGES = every_change()
"""The changes that a player asks about, in the order of the attack sequence."""


Rolls = Literal["hits", "wounds"]
#: The most sets of faces that are tried, of each volley of them.
MAXIMUM_SETS = 5_000


@dataclass(frozen=True, slots=True, repr=False)
class Fishing(Displayed):
    """The best set of faces to re-roll, for every die of a roll."""

    #: By weapon and roll; the second volley of a weapon is ``"Name #2"``.
    faces: Mapping[str, Mapping[str, frozenset[int]]]
    objective: str
    #: What it comes to with these faces, if failures are re-rolled, if all but critical rolls are (``None`` in an
    #: edition without them), and without this re-roll.
    value: Any
    failures: Any
    non_critical: Any
    without: Any

    @property
    def gain(self) -> Any:
        """Gain of the best faces over the re-roll of failures."""
        return self.value - self.failures

    def _said(self) -> dict[str, str]:
        """Return the faces by what is re-rolled: the weapon is named where there are several."""
        return {
            roll if len(self.faces) == 1 else f"{roll} of {weapon}": ", ".join(map(str, sorted(faces)))
            or "nothing"
            for weapon, rolls in self.faces.items()
            for roll, faces in rolls.items()
        }

    def _line(self) -> str:
        said = "; ".join(f"{what}: re-roll {faces}" for what, faces in self._said().items())
        return f"{said} ({self.objective.replace('_', ' ')} {number(self.value)}, +{number(self.gain)})"

    def _worths(self) -> dict[str, float]:
        worth = {"the best faces": self.value, "failures": self.failures}
        worth |= {"all but critical rolls": self.non_critical, "nothing": self.without}
        return {name: float(value) for name, value in worth.items() if value is not None}

    def to_records(self) -> list[dict[str, object]]:
        """One mapping for each set of faces: what is re-rolled, and what the objective comes to."""
        return [{"re-rolled": name, self.objective: value} for name, value in self._worths().items()]

    def _pictures(self) -> Pictures:
        worth, name = self._worths(), self.objective.replace("_", " ")
        spans = [(value, value) for value in worth.values()]
        return {
            "worth": lambda: Means(name, [*worth], [*worth.values()], spans, [*map(number, worth.values())])
        }

    def _panel(self) -> Panel:
        facts = {f"re-roll {what} of": faces for what, faces in self._said().items()}
        rows = [[name, number(value)] for name, value in self._worths().items()]
        table = TablePart(["what is re-rolled", self.objective.replace("_", " ")], rows, "<>")
        return Panel("Which faces to re-roll", facts, [table])


@passes_options
def best_faces(
    weapons: Attacking,
    target: Attackable,
    /,
    *,
    rolls: Rolls | Iterable[Rolls] = "wounds",
    objective: Objective = "kills",
    **options: Unpack[VolleyOptions],
) -> Fishing:
    """Find the set of faces to re-roll that is best for this attack, where every die of a roll may be re-rolled.

    A successful roll that is not critical may be worth less than another try: for Lethal Hits, Sustained Hits or
    Devastating Wounds. All sets of faces are tried, for several weapons in all combinations; the dice of a
    weapon are treated alike, whatever the others show.

    Parameters
    ----------
    weapons, target, **options
        As for :func:`mathhammer.wh40k.attack`; with ``start`` the state that the target is in.
    rolls
        ``"hits"``, ``"wounds"`` or both: the rolls of which any die may be re-rolled, as with Twin-linked.
    objective
        What is maximised: the mean of ``"kills"``, ``"wounds_lost"`` or ``"points"``, or
        ``"probability_destroyed"``.

    Examples
    --------
    Failures first against a save of 3+, critical wounds alone against one of 2+:

    >>> from mathhammer import wh40k
    >>> gun = wh40k.Weapon.parse("Gun: A1 BS3+ S4 AP0 D2 [DEVASTATING WOUNDS, TORRENT]")
    >>> unit = {"toughness": 4, "wounds": 2, "models": 5}
    >>> for save in ("3+", "2+"):
    ...     target = wh40k.Target("Unit", save=save, **unit)
    ...     print(repr(wh40k.best_faces(gun, target, objective="wounds_lost", edition="10e", exact=True)))
    <Fishing wounds: re-roll 1, 2, 3 (wounds lost 0.83, +0)>
    <Fishing wounds: re-roll 1, 2, 3, 4, 5 (wounds lost 0.70, +0.04)>

    References
    ----------
    Warhammer 40,000 core rules, Re-rolls and Twin-linked: a successful roll may be re-rolled too.
    """
    chosen: list[str] = [rolls] if isinstance(rolls, str) else list(validation.items(rolls, str, "rolls"))
    for roll in chosen:
        validation.one_of(roll, ("hits", "wounds"), "rolls")
    require_objective(objective)
    target = read_target(target, options.get("edition", DEFAULT_EDITION))
    own = cast("AttackOptions", {name: value for name, value in options.items() if name != "count"})
    volleys = read_weapons(weapons, options.pop("count", 1), target, **own)

    def value(again: Sequence[Mapping[str, str | frozenset[int]]]) -> Any:
        rerolls = iter(again)
        given = list(volleys)
        for place, each in enumerate(volleys):
            if isinstance(each, Volley):
                more = {f"reroll_{roll}": faces for roll, faces in next(rerolls).items() if faces}
                given[place] = Volley(each.weapon, each.count, **{**each.situation, **more})
        return mean_worth(attack(given, target, **options), target, objective)

    plain = attack(volleys, target, **options)
    compiled = volleys_of(plain.compiled())
    sets = [_sets(each, roll) for each in compiled for roll in chosen]
    most = MAXIMUM_SETS // max(1, len(compiled))
    if prod(map(len, sets)) > most:
        raise TooLargeError(
            f"expected at most {most:,} sets of faces to try, got more with {count(len(compiled), 'weapon')}; "
            "search one roll, or fewer weapons, at a time"
        )
    best: Any = None
    found: list[dict[str, frozenset[int]]] = []
    for some in sorted(product(*sets), key=lambda some: sum(map(len, some))):
        each = iter(some)
        faces = [{roll: next(each) for roll in chosen} for _ in compiled]
        worth = value(faces)
        if best is None or worth > best + (0 if plain.exact else TOLERANCE * abs(best)):
            best, found = worth, faces
    critical = find_edition(plain.edition).critical
    return Fishing(
        dict(zip(numbered(each.stages[0].weapon.name for each in compiled), found, strict=True)),
        objective,
        best,
        value([dict.fromkeys(chosen, "failed")] * len(compiled)),
        value([dict.fromkeys(chosen, "non-critical")] * len(compiled)) if critical else None,
        mean_worth(plain, target, objective),
    )


def _sets(volley: CompiledVolley, roll: str) -> list[frozenset[int]]:
    """Return the sets of faces worth trying: faces that lead to the same go together, and all of them are as none."""
    rolls = volley.stages[0].rolls
    checks = [check for _, check in rolls.wounds] if roll == "wounds" else [rolls.hit]
    alike: dict[tuple[object, ...], list[int]] = {}
    for face in range(1, 7):
        leads_to = [rolls.shown(roll[:-1], check)[face - 1] for check in checks if check is not None]
        alike.setdefault(tuple(leads_to), []).append(face)
    sizes = (combinations(alike.values(), size) for size in range(len(alike)))
    return [frozenset(chain(*some)) for some in chain(*sizes)]
