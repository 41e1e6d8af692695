"""How many attacks a weapon makes: what it rolls, with what Rapid Fire, Blast and other rules add."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.characteristics import Characteristic
from mathhammer.distributions import IntegerLaw, mixture
from mathhammer.errors import TooLargeError
from mathhammer.expressions import faces
from mathhammer.expressions.expression import Constant, Repeated, Sum
from mathhammer.expressions.modified import maximum
from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.damage import integer_law
from mathhammer.systems.wh40k.in_force import modifiers_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.distributions import Distribution
    from mathhammer.expressions import Expression
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.keywords import Keyword
    from mathhammer.systems.wh40k.profiles import Target, Weapon
    from mathhammer.systems.wh40k.situation import Situation

__all__ = ["Attacks", "attacks_of", "attacks_parted", "attacks_with_one_reroll"]

#: Most weapons of which one may roll its attacks again: the numbers are exact, and long.
MAXIMUM_WEAPONS = 200


class Attacks(NamedTuple):
    """The number of attacks: that of one weapon with its bonuses, and that of all weapons."""

    each: Expression
    total: Expression
    modifiers: tuple[str, ...]


def attacks_of(
    weapon: Weapon,
    count: int,
    abilities: Mapping[str, Keyword],
    situation: Situation,
    target: Target,
    edition: Edition,
    rulings: Mapping[str, str],
) -> Attacks:
    """Add what Rapid Fire and Blast give, with all other modifiers of Attacks; never fewer than 1."""
    each = weapon.attacks
    if not (abilities or situation.modifiers) and isinstance(each, Constant) and each.value >= 1:
        return Attacks(each, each if count == 1 else Constant(each.value * count), ())
    modifiers = list(modifiers_of(situation, "attacks")) if situation.modifiers else []
    added: list[str] = []
    blast = "Blast" in abilities and not (
        isinstance(each, Constant) and rulings.get("blast_fixed_attacks") == "ignore"
    )
    if blast and edition.blast == "by size" and target.models >= 6:
        each, text = _blast_by_size(each, target.models)
        added.append(text)
    bonuses: list[tuple[Expression, str]] = []
    if situation.half_range and "Rapid Fire" in abilities:
        if edition.rapid_fire == "double":
            modifiers.append(Modifier("multiply", 2, "Rapid Fire, within half range", of="attacks"))
        else:
            bonuses.append((abilities["Rapid Fire"].value or Constant(0), "Rapid Fire, within half range"))
    if blast and edition.blast == "every five" and target.models >= 5:
        bonuses.append((Constant(target.models // 5), f"Blast against {target.models} models"))
    if modifiers:
        each, lines, bonuses = _modified(each, modifiers, bonuses, edition)
        added += lines
    for more, source in bonuses:
        each = _sum(each, more)
        added.append(f"+{more} ({source})")
    if each.bounds()[0] < 1:
        each = maximum(each, 1)
    total = Constant(each.value * count) if isinstance(each, Constant) else Repeated(count, each)
    return Attacks(each, each if count == 1 else total, tuple(added))


def attacks_with_one_reroll(
    weapon: Weapon,
    count: int,
    abilities: Mapping[str, Keyword],
    situation: Situation,
    target: Target,
    edition: Edition,
    rulings: Mapping[str, str],
) -> Expression:
    """Return the number of attacks of which one roll is made again, see :func:`attacks_parted`."""
    parts = attacks_parted(weapon, count, abilities, situation, target, edition, rulings)
    if parts is None:
        return attacks_of(weapon, count, abilities, situation, target, edition, rulings).total
    weights = [weight for weight, _ in parts]
    return _as_faces(mixture(weights, [number.distribution(exact=True) for _, number in parts]))


def attacks_parted(
    weapon: Weapon,
    count: int,
    abilities: Mapping[str, Keyword],
    situation: Situation,
    target: Target,
    edition: Edition,
    rulings: Mapping[str, str],
) -> tuple[tuple[int, Expression], tuple[int, Expression]] | None:
    """Return weight and number of attacks where no roll is made again, and where one is: the first below its mean.

    The weapons roll one after another. What the dice show is compared with its own mean, before any modifier. Of
    numbers that are not rolled there is nothing to return.

    References
    ----------
    Warhammer 40,000 10th edition core stratagems, Command Re-roll: the number of attacks of a weapon.
    """
    rolled = integer_law(weapon.attacks)
    rules = abilities, situation, target, edition, rulings
    total, out_of = rolled.mean()
    kept, again = {}, 0
    for place, weight in enumerate(rolled.weights):
        value = rolled.low + place
        if value * out_of < total:
            again += weight
        elif weight:
            kept[value] = weight
    if not again:
        return None
    if count > MAXIMUM_WEAPONS:
        raise TooLargeError(
            f"expected at most {MAXIMUM_WEAPONS} weapons of which one rolls its attacks again, got {count:,}; "
            "put some of them into another volley"
        )
    high = replace(weapon, attacks=faces(kept))
    one, as_kept = (attacks_of(each, 1, *rules).each.distribution(exact=True) for each in (weapon, high))
    high_one = sum(kept.values())
    every = high_one + again
    # Of so many weapons: all dice as they fall, none below the mean, and one that was and is rolled again.
    free, high_ones, spent = one, as_kept, one
    for more in range(1, count):
        first = again * every**more
        later = high_one * (every**more - high_one**more)
        spent = mixture([first, later], [one + free, as_kept + spent])
        free, high_ones = free + one, high_ones + as_kept
    return (
        (high_one**count, _as_faces(high_ones)),
        (every**count - high_one**count, _as_faces(spent)),
    )


def _as_faces(law: Distribution[Any]) -> Expression:
    whole = IntegerLaw.from_distribution(law)
    return faces({whole.low + place: weight for place, weight in enumerate(whole.weights) if weight})


def _modified(
    each: Expression,
    modifiers: Sequence[Modifier],
    bonuses: Sequence[tuple[Expression, str]],
    edition: Edition,
) -> tuple[Expression, list[str], list[tuple[Expression, str]]]:
    """Apply modifiers and whole bonuses in one pass; return what it makes, the lines, and the random bonuses."""
    whole = [
        Modifier("add", more.value, source, of="attacks")
        for more, source in bonuses
        if isinstance(more, Constant)
    ]
    rest = [(more, source) for more, source in bonuses if not isinstance(more, Constant)]
    rules = edition.characteristics["attacks"]
    if rest:  # the floor is for what all bonuses make together
        rules = replace(rules, least=None)
    characteristic = Characteristic(each, rules, (*modifiers, *whole))
    working = characteristic.explain()
    return characteristic.expression, [f"in all {working}", *working.sources], rest


def _blast_by_size(each: Expression, models: int) -> tuple[Expression, str]:
    """Return at least 3 attacks against 6 to 10 models, and as many as there can be against 11 or more.

    References
    ----------
    Warhammer 40,000 9th edition core rules, Blast Weapons.
    """
    if models >= 11:
        return Constant(each.bounds()[1]), f"the most there can be (Blast against {models} models)"
    raised = each if isinstance(each, Constant) else maximum(each, 3)
    return raised, f"at least 3 (Blast against {models} models)"


def _sum(left: Expression, right: Expression) -> Expression:
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Constant(left.value + right.value)
    return Sum(left, right)
