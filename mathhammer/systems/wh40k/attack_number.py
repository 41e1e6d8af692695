"""How many attacks a weapon makes: what it rolls, with what Rapid Fire, Blast and other rules add."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mathhammer.characteristics import Characteristic
from mathhammer.expressions.expression import Constant, Repeated, Sum
from mathhammer.expressions.modified import maximum
from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.in_force import modifiers_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.expressions import Expression
    from mathhammer.systems.wh40k.editions import Edition
    from mathhammer.systems.wh40k.keywords import Keyword
    from mathhammer.systems.wh40k.profiles import Target, Weapon
    from mathhammer.systems.wh40k.situation import Situation

__all__ = ["Attacks", "attacks_of"]


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
    characteristic = Characteristic(each, edition.characteristics["attacks"], (*modifiers, *whole))
    working = characteristic.explain()
    rest = [(more, source) for more, source in bonuses if not isinstance(more, Constant)]
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
