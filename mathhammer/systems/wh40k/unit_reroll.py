"""One re-roll for a whole unit: the first die that fails, in the order of its volleys.

The dice of the volleys are independent. That the first failure is in a given volley has the probability that none
is in those before it, times that of one there; given that, each volley is again a volley by itself: those before
without a failure, that one with a die rolled again, those after as they are. The attack is the mixture of these
cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, prod
from typing import TYPE_CHECKING

from mathhammer.distributions import IntegerLaw
from mathhammer.systems.wh40k.attack_number import attacks_parted, attacks_with_one_reroll
from mathhammer.systems.wh40k.one_reroll import Parted, parted_by_one_reroll
from mathhammer.systems.wh40k.volleys import MortalWounds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.arithmetic import Arithmetic, P
    from mathhammer.distributions import Distribution
    from mathhammer.sequence import VolleyLaw
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.stages import Stages
    from mathhammer.systems.wh40k.volleys import Entry

__all__ = ["Case", "Rows", "cases_of", "is_shared", "law_of_cases"]

#: Of each volley its stages against each kind of models.
Rows = tuple[tuple["Stages", ...], ...]


@dataclass(frozen=True, slots=True)
class Case:
    """The re-roll is spent on the dice of one volley; those before it have left it.

    Parameters
    ----------
    place
        The index of that volley.
    weight
        The weight of the case. That of the last volley that could spend it is also the case that nobody does.
    rows
        All volleys, given the case.
    reached
        The volleys up to that one given only that the re-roll is left for it.
    """

    place: int
    weight: int
    rows: Rows
    reached: Rows


def is_shared(entries: Sequence[Entry]) -> bool:
    """Whether some of the volleys of a unit share one re-roll."""
    return any(not isinstance(entry, MortalWounds) and entry[2].shared for entry in entries)


def cases_of(rows: Rows, edition: Edition, rulings: Mapping[str, str]) -> list[Case]:
    """Return what can become of the re-roll that volleys share: at least one case, where none can use it."""
    parted: dict[int, list[Parted]] = {}
    for place, row in enumerate(rows):
        if row[0].situation.shared:
            # The dice before the saving throws are the same for all kinds of models: all are parted, or none.
            parts = [found for stages in row if (found := _parted(stages, edition, rulings)) is not None]
            if parts:
                parted[place] = parts
    if not parted:
        return [Case(len(rows), 1, rows, rows)]
    weights = {place: _in_lowest_terms(parts[0]) for place, parts in parted.items()}
    cases: list[Case] = []
    passed: list[tuple[Stages, ...]] = []
    left = 1
    for place, row in enumerate(rows):
        if place not in parted:
            passed.append(row)
            continue
        unspent, spent = weights.pop(place)
        whole = _with_laws(row, [parts.whole for parts in parted[place]])
        here = whole if not weights else _with_laws(row, [parts.spent[1] for parts in parted[place]])
        weight = left * (spent if weights else unspent + spent) * prod(map(sum, weights.values()))
        cases.append(Case(place, weight, (*passed, here, *rows[place + 1 :]), (*passed, whole)))
        passed.append(_with_laws(row, [parts.unspent[1] for parts in parted[place]]))
        left *= unspent
    return cases


def law_of_cases(cases: Sequence[Case], arithmetic: Arithmetic[P]) -> Distribution[P]:
    """Return the law of the index of the case."""
    weights = [case.weight for case in cases]
    return IntegerLaw(0, tuple(weights), sum(weights)).distribution(arithmetic)


def _parted(stages: Stages, edition: Edition, rulings: Mapping[str, str]) -> Parted | None:
    """Return a volley parted by whether one of its dice fails; nothing if none of them can be rolled again."""
    roll, law, at = stages.situation.one_reroll[0], stages.law, stages.situation
    if roll != "reroll_attacks":
        return parted_by_one_reroll(law, stages.chances, roll, stages.wounds)
    of_rules = stages.abilities, at, stages.target, edition, rulings
    parts = attacks_parted(stages.weapon, stages.number, *of_rules)
    if parts is None:
        return None
    whole = attacks_with_one_reroll(stages.weapon, stages.number, *of_rules)
    (unspent, high), (spent, again) = parts
    return Parted(
        (unspent, law._replace(attacks=high)),
        (spent, law._replace(attacks=again)),
        law._replace(attacks=whole),
    )


def _in_lowest_terms(parts: Parted) -> tuple[int, int]:
    unspent, spent = parts.unspent[0], parts.spent[0]
    divisor = gcd(unspent, spent)
    return unspent // divisor, spent // divisor


def _with_laws(row: Sequence[Stages], laws: Sequence[VolleyLaw]) -> tuple[Stages, ...]:
    return tuple(stages._replace(law=law) for stages, law in zip(row, laws, strict=True))
