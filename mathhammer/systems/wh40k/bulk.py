"""Many weapons against many targets: each distinct part of a volley is compiled once.

What a roll needs depends on a few properties of a weapon and of a target. Profiles that agree in them share the
roll, so that thousands of profiles take a few hundred rolls each; the rules themselves stay in
:mod:`mathhammer.systems.wh40k.stages`, which sees a profile with the other properties made plain.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mathhammer.arithmetic import arithmetic
from mathhammer.sequence import Chances, EqualModels
from mathhammer.sequence.bulk import LawTable
from mathhammer.systems.wh40k.profiles import Target, Weapon
from mathhammer.systems.wh40k.situation import Situation
from mathhammer.systems.wh40k.stages import compile_stages

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.keywords import Keyword

    Indices = NDArray[np.intp]

__all__ = ["BulkVolleys", "compile_bulk", "is_separable"]

#: The parts of a volley that a weapon ability can move; one that is not named here may move all of them.
_PARTS = ("attacks", "hit", "wound", "save", "damage")
_MOVES: dict[str, frozenset[str]] = {
    "Assault": frozenset({"hit"}),
    "Blast": frozenset({"attacks"}),
    "Rapid Fire": frozenset({"attacks"}),
    "Torrent": frozenset({"hit"}),
    "Heavy": frozenset({"hit"}),
    "Conversion": frozenset({"hit"}),
    "Lethal Hits": frozenset({"hit"}),
    "Sustained Hits": frozenset({"hit"}),
    "Devastating Wounds": frozenset({"hit", "damage"}),
    "Anti": frozenset({"wound"}),
    "Twin-linked": frozenset({"wound"}),
    "Lance": frozenset({"wound"}),
    "Ignores Cover": frozenset({"hit", "save"}),
    "Indirect Fire": frozenset({"hit", "save"}),
    "Melta": frozenset({"damage"}),
    **dict.fromkeys(
        ("Extra Attacks", "Hazardous", "One Shot", "Pistol", "Precision", "Psychic"), frozenset()
    ),
}
#: What decides each part on the side of the target, beside the keywords that an ability of the weapon names.
_TARGET_PARTS: dict[str, Callable[[Target], object]] = {
    "attacks": lambda target: target.models,
    "hit": lambda target: target.stealth,
    "wound": lambda target: target.toughness,
    "save": lambda target: (target.save, target.invulnerable),
    "damage": lambda target: (
        target.feel_no_pain,
        target.feel_no_pain_mortal,
        target.damage_reduction,
        target.half_damage,
    ),
}
#: A volley with numbers for what is slow to compare: attacks, count, skill, strength, AP, damage, whether melee,
#: keywords, situation.
_Row = tuple[int, int, "int | None", int, int, int, bool, int, int]
_NUMBERED = frozenset(("attacks", "strength", "damage", "keywords"))


@dataclass(frozen=True, slots=True)
class BulkVolleys:
    """Volleys against targets as indices into the laws that they share.

    Parameters
    ----------
    table
        The laws.
    laws
        ``laws[volley, target]`` are the indices of the number of attacks, of what one attack produces and of
        the damage of an unsaved wound.
    waits
        Whether wounds of the volley wait for other attacks on the target.
    differs
        Whether such wounds inflict another damage than the others.
    unit_of
        Of each target: the unit of the table.
    """

    table: LawTable
    laws: NDArray[np.intp]
    waits: NDArray[np.bool_]
    differs: NDArray[np.bool_]
    unit_of: NDArray[np.intp]


def compile_bulk(
    volleys: Sequence[tuple[Weapon, int, Situation]],
    targets: Sequence[Target],
    edition: Edition,
    rulings: Mapping[str, str],
) -> BulkVolleys:
    """Work out the laws of every volley against every target.

    Parameters
    ----------
    volleys
        Weapon, number of weapons, situation, which has to be separable.
    targets
        Units of equal models, separable too.
    edition, rulings
        The rules.
    """
    return _Compiler(edition, rulings).compile(volleys, targets)


#: What each part of a volley can be compiled with by itself. Anything else that is not as usual, such as one
#: re-roll for the whole volley or a save that looks at the Damage, ties the parts together.
_SEPARABLE = {
    Situation: frozenset(
        (
            *("half_range", "long_range", "stationary", "charged", "moved"),
            *("advanced", "target_charged", "cover", "indirect", "precision"),
            *("hit_modifier", "wound_modifier", "save_modifier", "critical_hit", "critical_wound"),
            *("reroll_hits", "reroll_wounds", "reroll_damage", "reroll_saves"),
        )
    ),
    Target: frozenset(
        (
            *("name", "toughness", "save", "wounds", "models"),
            *("invulnerable", "feel_no_pain", "feel_no_pain_mortal", "damage_reduction", "half_damage"),
            *("keywords", "points", "wounds_lost", "deadly_demise", "stealth"),
        )
    ),
}
_USUAL = {Situation: Situation(), Target: Target("any", toughness=4, save=None, wounds=1)}


def is_separable(one: Situation | Target) -> bool:
    """Whether volleys in a situation, or against a target, can be compiled part by part.

    Examples
    --------
    >>> is_separable(Situation(half_range=True)), is_separable(Situation(wounds_on=2))
    (True, False)
    """
    usual, known = _USUAL[type(one)], _SEPARABLE[type(one)]
    return all(
        field.name in known or getattr(one, field.name) == getattr(usual, field.name) for field in fields(one)
    )


class _Numbering:
    """Numbers for values, the same for equal values."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._index: dict[Hashable, int] = {}

    def __call__(self, key: Hashable, make: Callable[[], Any] | None = None) -> int:
        index = self._index.get(key)
        if index is None:
            index = self._index[key] = len(self.values)
            self.values.append(key if make is None else make())
        return index


class _Compiler:
    def __init__(self, edition: Edition, rulings: Mapping[str, str]) -> None:
        self._rules = edition, rulings
        self._numbers, self._unsaved = _Numbering(), _Numbering()
        self._damages, self._rolls, self._values = _Numbering(), _Numbering(), _Numbering()
        self._keys = {part: _Numbering() for part in _PARTS}
        self._made: dict[tuple[str, int, object], int] = {}
        self._make = {
            "attacks": self._number,
            "hit": self._hit,
            "wound": self._wound,
            "save": self._save,
            "damage": self._damage,
        }

    def compile(
        self, volleys: Sequence[tuple[Weapon, int, Situation]], targets: Sequence[Target]
    ) -> BulkVolleys:
        rows = [self._row(*volley) for volley in volleys]
        laws = np.empty((len(volleys), len(targets), 3), dtype=np.intp)
        waits = np.empty((len(volleys), len(targets)), dtype=np.bool_)
        for keywords, columns in _by_keywords(targets).items():
            of_weapon = self._weapon_parts(rows, keywords)
            faced = [targets[column] for column in columns]
            number, hit, wound, save, damage = (
                self._cross(part, of_weapon[:, index], faced) for index, part in enumerate(_PARTS)
            )
            chances, waiting = self._chances(hit, wound, save)
            laws[:, columns] = np.stack([number, chances, damage], axis=-1)
            waits[:, columns] = waiting
        unlike = np.array([law[0] != law[1] for law in self._damages.values])
        units = _Numbering()
        unit_of = [units(EqualModels(target.models, target.wounds, target.wounds_lost)) for target in targets]
        table = LawTable(
            self._numbers.values, self._unsaved.values, [law[0] for law in self._damages.values], units.values
        )
        return BulkVolleys(
            table, laws, waits, waits & unlike[laws[:, :, 2]], np.array(unit_of, dtype=np.intp)
        )

    def _weapon_parts(self, volleys: Sequence[_Row], keywords: tuple[str, ...]) -> Indices:
        """Number what decides each part of each volley, as seen by a target with such keywords."""
        present = {keyword.casefold() for keyword in keywords}
        moving: dict[int, list[int]] = {}
        rows = np.empty((len(volleys), len(_PARTS)), dtype=np.intp)
        number, hit, wound, save, inflicted = (self._keys[part] for part in _PARTS)
        for index, (attacks, count, skill, strength, ap, damage, melee, abilities, at) in enumerate(volleys):
            kinds = moving.get(abilities)
            if kinds is None:
                acting = _moving(self._values.values[abilities], present)
                kinds = moving[abilities] = [self._values(kept) for kept in acting]
            rows[index] = (
                number((attacks, count, melee, kinds[0], at)),
                hit((skill, melee, kinds[1], at)),
                wound((strength, melee, kinds[2], at)),
                save((ap, melee, kinds[3], at)),
                inflicted((damage, melee, kinds[4], at)),
            )
        return rows

    def _row(self, weapon: Weapon, count: int, situation: Situation) -> _Row:
        """Put numbers in place of what is slow to compare."""
        return (
            self._values(weapon.attacks),
            count,
            weapon.skill,
            self._values(weapon.strength),
            weapon.ap,
            self._values(weapon.damage),
            weapon.melee,
            self._values(weapon.keywords),
            self._values(situation),
        )

    def _cross(self, part: str, of_weapon: Indices, targets: Sequence[Target]) -> Indices:
        """Return the number of the law of each volley against each target, made once for each distinct pair."""
        keys, make, made = self._keys[part].values, self._make[part], self._made
        weapons, row = np.unique(of_weapon, return_inverse=True)
        table = np.empty((len(weapons), len(targets)), dtype=np.intp)
        for column, target in enumerate(targets):
            faced = _TARGET_PARTS[part](target)
            for index, weapon in enumerate(weapons.tolist()):
                key = (part, weapon, faced)
                if key not in made:
                    made[key] = make(keys[weapon], target)
                table[index, column] = made[key]
        return np.asarray(table[row])

    def _law(self, target: Target, situation: int, count: int = 1, **known: Any) -> Any:
        """Compile a volley of which only the known properties matter."""
        edition, rulings = self._rules
        values = self._values.values
        known = {name: values[value] if name in _NUMBERED else value for name, value in known.items()}
        weapon = _plain_weapon(**known)
        return compile_stages(weapon, count, values[situation], target, edition, rulings).law

    def _number(self, key: Any, target: Target) -> int:
        attacks, count, melee, keywords, situation = key
        plain = _plain_target(target.keywords, models=target.models)
        law = self._law(plain, situation, count, melee=melee, keywords=keywords, attacks=attacks)
        expression = law.attacks
        return self._numbers(expression, lambda: expression.law(arithmetic(exact=False)))

    def _hit(self, key: Any, target: Target) -> int:
        skill, melee, keywords, situation = key
        plain = _plain_target(target.keywords, stealth=target.stealth)
        skill = 4 if skill is None else skill  # without one it has Torrent
        chances = self._law(plain, situation, melee=melee, keywords=keywords, skill=skill).chances
        return self._rolls(
            (chances.hit, chances.critical_hits_wound, chances.extra_hits, chances.critical_wounds_deferred),
            lambda: chances,
        )

    def _wound(self, key: Any, target: Target) -> int:
        strength, melee, keywords, situation = key
        plain = _plain_target(target.keywords, toughness=target.toughness)
        law = self._law(plain, situation, melee=melee, keywords=keywords, strength=strength)
        return self._rolls(law.chances.wound)

    def _save(self, key: Any, target: Target) -> int:
        ap, melee, keywords, situation = key
        plain = _plain_target(target.keywords, save=target.save, invulnerable=target.invulnerable)
        law = self._law(plain, situation, melee=melee, keywords=keywords, ap=ap)
        return self._rolls(law.chances.unsaved)

    def _damage(self, key: Any, target: Target) -> int:
        damage, melee, keywords, situation = key
        plain = _plain_target(
            target.keywords,
            feel_no_pain=target.feel_no_pain,
            feel_no_pain_mortal=target.feel_no_pain_mortal,
            damage_reduction=target.damage_reduction,
            half_damage=target.half_damage,
        )
        law = self._law(plain, situation, melee=melee, keywords=keywords, damage=damage)
        return self._damages(law.damages)

    def _chances(self, hit: Indices, wound: Indices, save: Indices) -> tuple[Indices, NDArray[np.bool_]]:
        """Number what one attack produces, and say where wounds of it wait."""
        total = len(self._rolls.values)
        keys, own = np.unique((hit * total + wound) * total + save, return_inverse=True)
        laws, waits = [], []
        for key in keys.tolist():
            rolls = key // total // total, key // total % total, key % total
            base, wounds, unsaved = (self._rolls.values[roll] for roll in rolls)
            laws.append(self._unsaved(rolls, partial(_of_one_attack, base, wounds, unsaved)))
            waits.append(base.critical_wounds_deferred and wounds[2] > 0)
        own = own.reshape(hit.shape)
        return np.array(laws, dtype=np.intp)[own], np.array(waits)[own]


def _of_one_attack(base: Chances, wound: tuple[int, int, int, int], unsaved: int) -> NDArray[np.float64]:
    """Law of the unsaved wounds of one attack, those that wait included."""
    function = replace(base, wound=wound, unsaved=unsaved).unsaved_wounds()
    return np.array([weight / function.denominator for weight in function.of_sum()])


def _by_keywords(targets: Sequence[Target]) -> dict[tuple[str, ...], list[int]]:
    """Return targets of equal keywords together."""
    together: dict[tuple[str, ...], list[int]] = {}
    for index, target in enumerate(targets):
        together.setdefault(target.keywords, []).append(index)
    return together


def _moving(keywords: tuple[Keyword, ...], present: set[str]) -> tuple[tuple[Keyword, ...], ...]:
    """Return the abilities that can move each part against a target with these keywords."""
    acting = [
        keyword
        for keyword in keywords
        if keyword.known and (not keyword.target or keyword.target.casefold() in present)
    ]
    return tuple(
        tuple(keyword for keyword in acting if keyword.name not in _MOVES or part in _MOVES[keyword.name])
        for part in _PARTS
    )


def _plain_weapon(*, melee: bool, keywords: tuple[Keyword, ...], **known: Any) -> Weapon:
    plain: dict[str, Any] = {"attacks": 1, "skill": 4, "strength": 4, "ap": 0, "damage": 1}
    return Weapon("any", range="Melee" if melee else "", keywords=keywords, **{**plain, **known})


def _plain_target(keywords: tuple[str, ...], **known: Any) -> Target:
    return Target("any", keywords=keywords, **{"toughness": 4, "save": None, "wounds": 1, **known})
