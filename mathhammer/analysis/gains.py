"""Gains of changes to an attack: every +1, re-roll and ability ranked by what it adds."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Unpack, overload

import numpy as np

from mathhammer import validation
from mathhammer.analysis.attackers import Attacker, edition_of, read_defenders, volleys_of
from mathhammer.analysis.blocks import Rules, one_attack
from mathhammer.analysis.grids import grid
from mathhammer.analysis.rule_gains import difference, rule_worths
from mathhammer.analysis.tabular import Tabular
from mathhammer.display import count
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.systems.wh40k.armies.army import Army
from mathhammer.systems.wh40k.attacks.attack import attack
from mathhammer.systems.wh40k.attacks.changes import Change, every_change
from mathhammer.systems.wh40k.situation import SituationKeywords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mathhammer.analysis.attackers import Attack, Defender, Targets
    from mathhammer.analysis.rule_gains import RuleWorths
    from mathhammer.systems.wh40k.profiles.volleys import Volley


_COMMAND_REROLL = "Command Re-roll, used best"
#: Most attacks of which the best use of a re-roll is tried beside other changes: about a second.
MAXIMUM_ATTACKS = 24


class Gain(NamedTuple):
    """What one change adds to the plain attack on average; points are ``None`` where the target has none."""

    change: str
    added_kills: float
    added_points_destroyed: float | None
    added_wounds_lost: float
    added_probability_destroyed: float


@dataclass(frozen=True, slots=True, repr=False)
class WhatIf(Tabular):
    """Changes to an attack, the best first, as :func:`what_if` returns them."""

    attacker: str
    target: str
    #: Of the attack as it is.
    mean_kills: float
    #: Of equals the one that the attack sequence meets first.
    changes: tuple[Gain, ...]
    #: What could not be tried, and why.
    left_out: tuple[str, ...] = ()

    schema: ClassVar[str] = "mathhammer.what_if"

    def to_records(self) -> list[dict[str, object]]:
        """One mapping for each change."""
        return [gain._asdict() for gain in self.changes]

    def _line(self) -> str:
        best = f"; best {self.changes[0].change}" if self.changes else ""
        return f"{self.attacker} against {self.target}: {count(len(self.changes), 'change')}{best}"

    def _title(self) -> str:
        return f"What a change is worth: {self.attacker} against {self.target}"

    def about(self) -> dict[str, object]:
        """The attack as it is."""
        return {
            "attacker": self.attacker,
            "target": self.target,
            "mean_kills": self.mean_kills,
            **({"left_out": "; ".join(self.left_out)} if self.left_out else {}),
        }


class _Options(SituationKeywords, total=False):
    """Options of both overloads of `what_if`."""

    edition: str | None
    rulings: Mapping[str, str] | None


@overload
def what_if(
    attacks: Army, target: Targets, *, changes: None = ..., **options: Unpack[_Options]
) -> RuleWorths: ...
@overload
def what_if(
    attacks: Attack,
    target: Targets,
    *,
    changes: Iterable[Change] | None = ...,
    **options: Unpack[_Options],
) -> WhatIf: ...
def what_if(
    attacks: Army | Attack,
    target: Targets,
    *,
    changes: Iterable[Change] | None = None,
    edition: str | None = None,
    rulings: Mapping[str, str] | None = None,
    **situation: Unpack[SituationKeywords],
) -> WhatIf | RuleWorths:
    """Rank changes to an attack by the models that they add to the destroyed, then by wounds; of an army its rules.

    Beside the changes of each volley a Command Re-roll of the whole attack is tried, used as well as can be.

    Parameters
    ----------
    attacks
        A weapon, a volley, a stat line, or a list of them that attack together: a change is made to all of them. A
        unit of an army, with the weapons of one phase (``unit.only("shooting")``), has those that it would choose as
        it is. Of an army the rules of its units are ranked, as by :func:`rule_worths`.
    target
        One target: as for :func:`mathhammer.wh40k.attack`; of an army any number of them.
    changes
        What to try; :data:`mathhammer.wh40k.CHANGES` and the Command Re-roll unless said.
    edition
        The rules; those of an army, or the default edition, unless said.
    rulings, **situation
        As for :func:`mathhammer.wh40k.attack`.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> lascannon = wh40k.Weapon.parse('Lascannon: 48" A1 BS3+ S12 AP-3 DD6+1')
    >>> answer = what_if(wh40k.Volley(lascannon, 4), "TANK")
    >>> [gain.change for gain in answer.changes[:3]]
    ['+1 Attack', 'Command Re-roll, used best', '+1 Damage']
    """
    if isinstance(attacks, Army):
        if changes is not None:
            raise MathhammerError(
                "expected no changes with an army, whose rules are ranked; give them with a unit's weapons of one phase"
            )
        return rule_worths(attacks, target, edition=edition, rulings=rulings, **situation)
    edition = edition_of(edition, attacks)
    defenders = read_defenders(target, edition)
    if len(defenders) != 1:
        raise MathhammerError(f"expected one target, got {len(defenders)}; ask for one after another")
    attacker = one_attack(attacks, defenders[0], Rules.of(edition, rulings, situation))
    volleys = volleys_of(attacker)
    tried = validation.items(
        every_change() if changes is None else changes,
        Change,
        "Changes to try",
        "wh40k.changes makes them: ability('Lethal Hits'), say",
    )
    plain = Attacker("as it is", volleys)
    changed = [
        Attacker(change.name, tuple(change.apply(volley, situation) for volley in volleys))
        for change in tried
    ]

    def computed(rows: Sequence[Attacker]) -> list[list[float]]:
        table = grid(rows, defenders, edition=edition, rulings=rulings, keep_distributions=False, **situation)
        numbers = (
            *(table.mean_kills, table.points_destroyed),
            *(table.mean_wounds_lost, table.probability_destroyed),
        )
        return [list(row) for row in np.hstack(numbers).tolist()]

    (before, *after), too_large = _without_too_large(computed, plain, changed)
    names = (change.name for change in tried if change.name not in too_large)
    gains = [_gain(name, before, row) for name, row in zip(names, after, strict=True)]
    left_out = tuple(f"{name}: {reason}" for name, reason in too_large.items())
    if changes is None:
        try:
            gains.append(_command_reroll(volleys, defenders[0], before, edition, rulings, situation))
        except MathhammerError as error:  # too many dice, or re-rolled by a rule of their own
            left_out += (f"{_COMMAND_REROLL}: {error}",)
    # Rounding must not decide between equals.
    gains.sort(key=lambda gain: (-round(gain.added_kills, 12), -round(gain.added_wounds_lost, 12)))
    return WhatIf(attacker.name, defenders[0].label, before[0], tuple(gains), left_out)


def _without_too_large(
    computed: Callable[[Sequence[Attacker]], list[list[float]]], plain: Attacker, changed: Sequence[Attacker]
) -> tuple[list[list[float]], dict[str, str]]:
    """Return the numbers of the attack and of its changes, and why each one that is left out is too large."""
    try:
        return computed([plain, *changed]), {}
    except TooLargeError:
        found = computed([plain])
    too_large = {}
    for row in changed:
        try:
            found += computed([row])
        except TooLargeError as error:
            too_large[row.name] = str(error)
    return found, too_large


def _command_reroll(
    volleys: Sequence[Volley],
    defender: Defender,
    before: Sequence[float],
    edition: str,
    rulings: Mapping[str, str] | None,
    situation: SituationKeywords,
) -> Gain:
    """Return what one re-roll of the whole attack adds, used best."""
    attacks = sum(volley.count * volley.weapon.attacks.bounds()[1] for volley in volleys)
    if attacks > MAXIMUM_ATTACKS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_ATTACKS} attacks, got {attacks:,}; see attack(..., reroll='best')"
        )
    best: SituationKeywords = {**situation, "reroll": "best"}
    result = attack(list(volleys), defender.target, edition=edition, rulings=rulings, **best)
    points = nan if result.points_destroyed is None else result.points_destroyed
    after = (result.kills.mean(), points, result.wounds_lost.mean(), result.probability_destroyed)
    return _gain(_COMMAND_REROLL, before, after)


def _gain(name: str, before: Sequence[float], after: Sequence[float]) -> Gain:
    """Return what is added to models and points destroyed, wounds lost and the probability of destruction."""
    kills, points, wounds, destroyed = map(difference, after, before)
    return Gain(name, kills, None if isnan(points) else points, wounds, destroyed)
