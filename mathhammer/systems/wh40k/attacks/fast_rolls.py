"""Whether attacks may be rolled together, and what it would change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Unpack, cast

from mathhammer import validation
from mathhammer.display import Displayed
from mathhammer.display.numbers import number, percent
from mathhammer.display.panel import Panel, Pictures, TablePart
from mathhammer.distributions.fractions import in_fractions
from mathhammer.distributions.presentation import bars
from mathhammer.errors import MathhammerError
from mathhammer.expressions.base import Constant
from mathhammer.sequence.call import Reproducible, records_call
from mathhammer.sequence.dice_order import losses_in_any_order
from mathhammer.sequence.group import Group
from mathhammer.sequence.unit import ModelUnit
from mathhammer.sequence.unit_distribution import UnitDistribution
from mathhammer.systems.wh40k.attacks.attack import AttackOptions, attack, read_weapons
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, find_edition
from mathhammer.systems.wh40k.profiles.targets import TargetUnit, read_target
from mathhammer.systems.wh40k.sequence.compile import CompiledVolley, compile_entries, kinds_of, volleys_of
from mathhammer.systems.wh40k.situation import (
    SituationKeywords,
    Volley,
    own_keywords,
    read_entries,
    shared_reroll,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.sequence.result import AttackResult
    from mathhammer.systems.wh40k.attacks.attack import Attacking
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.profiles import Target
    from mathhammer.systems.wh40k.profiles.targets import Attackable


@dataclass(frozen=True, eq=False, repr=False)
class FastRoll(Displayed, Reproducible):
    """Result of rolling attacks together."""

    #: Conditions that fail for rolling them together: for hit and wound rolls, and for saves and damage.
    hits_and_wounds: tuple[str, ...]
    saves: tuple[str, ...]
    #: The result by the rules.
    one_at_a_time: AttackResult
    #: When all dice are rolled together, read with the numbers of the first weapon and the first model, and damage is
    #: then applied in the order that costs the target least, or most (to models that differ, as it was rolled).
    for_defender: UnitDistribution
    for_attacker: UnitDistribution
    #: The reading of the conditions.
    ruling: str

    @property
    def allowed(self) -> bool:
        """True if all dice may be rolled together."""
        return not (self.hits_and_wounds or self.saves)

    def _line(self) -> str:
        failing = "; ".join((*self.hits_and_wounds, *self.saves))
        return "may be rolled together" if self.allowed else f"may not be rolled together: {failing}"

    def _dice(self) -> dict[str, UnitDistribution]:
        found = {
            "one at a time, by the rules": self.one_at_a_time,
            "together, in the order best for the target": self.for_defender,
            "together, in the order worst for it": self.for_attacker,
        }
        return {name: in_fractions(result) for name, result in found.items()}

    def _pictures(self) -> Pictures:
        words = "Wounds lost, dice {}"
        return {
            name: partial(bars, each.wounds_lost, words.format(name)) for name, each in self._dice().items()
        }

    def _panel(self) -> Panel:
        rows = [
            [
                name,
                *(number(law.mean()) for law in (each.wounds_lost, each.kills)),
                percent(each.probability_destroyed),
            ]
            for name, each in self._dice().items()
        ]
        header = ["dice", "mean wounds lost", "mean models destroyed", "P(destroyed)"]
        failing = {"Hit and wound rolls": self.hits_and_wounds, "Saves and damage": self.saves}
        notes = [
            f"{name}: {'; '.join(found) or 'may be rolled together'}." for name, found in failing.items()
        ]
        notes.append(f"Reading of the conditions: {self.ruling}.")
        return Panel(self.one_at_a_time.explain().heading, {}, [TablePart(header, rows)], notes)


@records_call("40k")
def fast_roll_check(
    weapons: Attacking,
    target: Attackable,
    /,
    *,
    count: int = 1,
    edition: str | Edition = DEFAULT_EDITION,
    rulings: Mapping[str, str] | None = None,
    exact: bool = False,
    **situation: Unpack[SituationKeywords],
) -> FastRoll:
    """Check whether attacks may be rolled together, and what that would change.

    Parameters
    ----------
    weapons, target, count, exact, **situation
        As for :func:`mathhammer.wh40k.attack`.
    edition
        ``"10e"`` or ``"9e"``; the 11th, the default elsewhere, always rolls attacks together, pool by pool.
    rulings
        As there; of them ``"fast_rolling"`` is ``"similar"``, the default of the 10th edition, or ``"strict"``, that
        of the 9th.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> gun = wh40k.Weapon.parse("Gun: A3 S8 AP0 DD3 [TORRENT]")
    >>> unit = wh40k.Target("Unit", toughness=4, save=None, wounds=2, models=5)
    >>> check = wh40k.fast_roll_check(gun, unit, edition="10e")
    >>> check.allowed, check.hits_and_wounds, check.saves
    (False, (), ('Damage D3 is random',))

    References
    ----------
    Warhammer 40,000 10th edition core rules, Hints and Tips: Fast Dice Rolling; Goonhammer, "Ruleshammer: Dice,
    Dice Modifiers, Re-rolls, Modifiers and Fast Rolling", for the 9th edition.
    """
    target = read_target(target, edition)
    validation.flag(exact, "exact")
    rules = find_edition(edition)
    in_force = rules.in_force(rulings)
    if "fast_rolling" not in in_force:
        raise MathhammerError(
            f"expected an edition in which attacks may be rolled one at a time, '9e' or '10e', got {rules.name!r}: the "
            f"{rules.title} has identical attacks rolled together"
        )
    ruled = rules.ruled(in_force)
    entries = read_weapons(weapons, count, target, edition=edition, rulings=rulings, **situation)
    attacking = [each for each in entries if isinstance(each, Volley)]
    if len(attacking) < len(entries):
        raise MathhammerError(
            "expected weapons whose attacks may be rolled together, got mortal wounds; leave them out"
        )
    volleys = [Volley(each.weapon, each.count, **own_keywords(each, situation)) for each in attacking]
    shared = shared_reroll(situation)
    compiled = volleys_of(compile_entries(read_entries(volleys, {}), target, ruled))
    for volley, each in zip(volleys, compiled, strict=True):
        at, once = each.stages[0].situation, any(kind.damage_to_0 for kind in kinds_of(target))
        for what, given, why in (
            (
                "reroll",
                "reroll" in {*at.keywords, *shared} or at.limited_rerolls,
                "spent by what all dice show",
            ),
            ("reroll_damage='one'", set(at.one_reroll) - at.own_rerolls, "spent on the first low roll"),
            ("precision='best'", at.precision == "best", "chosen by what all dice show"),
            ("damage_to_0 of the target", once, "spent on the first failed save"),
        ):
            if given:
                raise MathhammerError(
                    f"expected attacks without {what}, got {volley}: it is {why}, which needs dice rolled one at a time"
                )
    options = cast("AttackOptions", {"edition": edition, "rulings": rulings, "exact": exact, **shared})
    strict = in_force["fast_rolling"] == "strict"
    attacks, saves = _hits_and_wounds(compiled, strict=strict), _saves(compiled, strict=strict)
    # What is too large to be rolled together is refused before anything is resolved.
    together = _together(volleys, target, ruled, **options) if attacks or saves else None
    result = attack(volleys, target, **options)
    return FastRoll(attacks, saves, result, *(together or (result, result)), in_force["fast_rolling"])


def _hits_and_wounds(compiled: Sequence[CompiledVolley], *, strict: bool) -> tuple[str, ...]:
    """Return the conditions that fail between attacks."""
    weapons = [each.stages[0].weapon for each in compiled]
    situations = {each.stages[0].situation for each in compiled}
    found = ["ranged and melee attacks"] if len({weapon.melee for weapon in weapons}) > 1 else []
    for name in ("skill", "Strength", "Armour Penetration", "Damage"):
        field = "ap" if name == "Armour Penetration" else name.lower()
        values = dict.fromkeys(str(getattr(weapon, field)) for weapon in weapons)
        found += [f"{name} differs: {', '.join(values)}"] * (len(values) > 1)
    keywords = {frozenset(map(str, weapon.keywords)) for weapon in weapons}
    found += ["abilities or circumstances differ"] * (len(keywords) > 1 or len(situations) > 1)
    rules = compiled[0].stages[0].edition.abilities.items()
    acting = [name for name, rule in rules if rule.on_results and any(each.has(name) for each in weapons)]
    acting += ["triggers"] * any(at.triggers for at in situations)
    found += [f"abilities act on particular rolls: {', '.join(acting)}"] * bool(strict and acting)
    return tuple(found)


def _saves(compiled: Sequence[CompiledVolley], *, strict: bool) -> tuple[str, ...]:
    """Return the conditions that fail between the models of the target, and for the dice of damage."""
    found = ["saving throws are made one at a time"] * strict
    if any(len({stages.to_save.unsaved for stages in each.stages}) > 1 for each in compiled):
        found.append("the models of the target do not need the same saving throw")
    names = ["wounds", *_durable(compiled[0].stages[0].edition)]
    if len({tuple(getattr(stages.target, name) for name in names) for stages in compiled[0].stages}) > 1:
        found.append("the models of the target are not alike: the order of allocation makes a difference")
    damages = (each.stages[0].weapon.damage for each in compiled)
    random = dict.fromkeys(str(damage) for damage in damages if not isinstance(damage, Constant))
    return (*found, *(f"Damage {damage} is random" for damage in random))


def _durable(edition: Edition) -> list[str]:
    """Return the names of the rules of a target that act on damage."""
    return [name for name, rule in edition.target_rules.items() if rule.damage is not None]


def _together(
    volleys: Sequence[Volley], target: Target | TargetUnit, rules: Edition, **options: Unpack[AttackOptions]
) -> tuple[UnitDistribution, UnitDistribution]:
    """Return what dice rolled together do in the order best for the target, and in the worst."""
    first = volleys[0]
    volleys = [
        Volley(replace(first.weapon, attacks=volley.weapon.attacks), volley.count, **first.situation)
        for volley in volleys
    ]
    if isinstance(target, TargetUnit):
        # All saves and damage are read off as if every model were of the first kind.
        own = {name: getattr(target.kinds[0], name) for name in ("save", "invulnerable", *_durable(rules))}
        alike = ([kind.changed(**own) for kind in kinds] for kinds in (target.models, target.leaders))
        target = TargetUnit(target.name, *alike)
    entries = read_entries(volleys, shared_reroll(options))
    together = [each.volley for each in compile_entries(entries, target, rules)]
    damages = [wound.effects[0].damage for wound in together[0].wounds]
    # Dice that can show but one number of wounds are in the same order in any order.
    alone = all(sum(map(bool, each.weights[each.low == 0 :])) <= 1 for each in damages)
    if alone or isinstance(target, TargetUnit):
        distribution = attack(volleys, target, **options)
        return distribution, distribution
    models = Group("models", target.models, target.wounds, target.wounds_lost)
    least, most = (losses_in_any_order(together, models, most=most) for most in (False, True))
    unit, exact = ModelUnit((models,)), options["exact"]
    return UnitDistribution(unit, least, exact=exact), UnitDistribution(unit, most, exact=exact)
