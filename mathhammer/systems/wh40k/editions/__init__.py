"""The editions of Warhammer 40,000 as data: each is tables of rules, numbers, and rulings."""

from __future__ import annotations

import copyreg
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mathhammer.display import Catalogue
from mathhammer.systems.wh40k.editions.edition import EVERY, OWN, Edition
from mathhammer.systems.wh40k.editions.tables import ELEVENTH, NINTH, TENTH
from mathhammer.systems.wh40k.rules.rule import ROLLS, Ability, Condition, TargetRule
from mathhammer.validation import unknown_edition

if TYPE_CHECKING:
    from collections.abc import Mapping


EDITIONS = Catalogue("editions of Warhammer 40,000", {each.name: each for each in (NINTH, TENTH, ELEVENTH)})
"""The editions by name: ``"9e"``, ``"10e"`` and ``"11e"``."""
EVERY[:] = EDITIONS.values()


def _named(name: str, read_as: tuple[tuple[str, str], ...] | None) -> Edition:
    edition = find_edition(name)
    return edition if read_as is None else edition.ruled(dict(read_as))


# By name: entries hold functions, and another process has the same ones.
copyreg.pickle(Edition, lambda edition: (_named, (edition.name, edition.read_as)))


@dataclass(frozen=True, eq=False)
class Rulebook:
    """What some edition knows."""

    of: Mapping[str, Edition]

    @cached_property
    def abilities(self) -> Mapping[str, Ability]:
        """The weapon abilities by their names in small letters, each as the newest edition has it."""
        return {rule_key(name): rule for each in self.of.values() for name, rule in each.abilities.items()}

    @cached_property
    def conditions(self) -> Mapping[str, Condition]:
        """The keywords of a situation, those of the newest edition first."""
        found: dict[str, Condition] = {}
        for edition in reversed(list(self.of.values())):
            found = {**found, **edition.conditions, **found}
        return found

    @cached_property
    def by_name(self) -> dict[str, Ability]:
        """The weapon abilities by their names as datasheets print them."""
        return {rule.name: rule for rule in self.abilities.values()}

    @cached_property
    def target_rules(self) -> dict[str, TargetRule]:
        """The rules of a target by their names, each as the newest edition has it."""
        return {rule.name: rule for edition in self.of.values() for rule in edition.target_rules.values()}

    def permitting(self, condition: Condition) -> tuple[str, ...]:
        """Return the names of the abilities without which nothing can be shot under a condition."""
        return tuple(name for name, rule in self.by_name.items() if rule.permits is condition)

    @property
    def offers(self) -> dict[str, tuple[str, ...]]:
        """Abilities to try, as a stat line has them, by the first roll that each changes."""
        found: dict[str, tuple[str, ...]] = dict.fromkeys(ROLLS, ())
        for rule in self.abilities.values():
            if rule.rolls:
                found[rule.rolls[0]] += rule.offers
        return found


def rule_key(name: str) -> str:
    """Return the name of a rule as it is compared."""
    return name.lower().replace("-", " ")


_known = EDITIONS, 0, Rulebook(EDITIONS)


def rulebook() -> Rulebook:
    """Return what the editions know, worked out anew where they are others."""
    global _known  # noqa: PLW0603 - asked for by every attack
    if _known[0] is not EDITIONS or _known[1] != len(OWN):
        own = {name: edition for name, (edition, _) in OWN.items()}
        _known = EDITIONS, len(OWN), Rulebook({**own, **EDITIONS})
    return _known[2]


#: The edition of calls that name none.
DEFAULT_EDITION = "11e"


def find_edition(name: str | Edition) -> Edition:
    """Return the edition of that name, among them those of somebody's own."""
    if isinstance(name, Edition):
        name = name.known_as()
    if isinstance(name, str) and name in OWN:
        return OWN[name][0]
    if not isinstance(name, str) or name not in EDITIONS:
        raise unknown_edition(name, EDITIONS)
    return EDITIONS[name]
