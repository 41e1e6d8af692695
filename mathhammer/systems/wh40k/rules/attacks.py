"""The number of attacks, and the rules that change it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from mathhammer.characteristics import Characteristic
from mathhammer.expressions.base import Constant
from mathhammer.expressions.die import Repeated
from mathhammer.expressions.operations import Sum, maximum
from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.rules.circumstances import HALF_RANGE, rerolls
from mathhammer.systems.wh40k.rules.roll import KEPT, Making, Roll, modifies, names_itself
from mathhammer.systems.wh40k.rules.rule import Ability, Condition, LimitedRerolls, Rerolls, Rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.expressions import Expression
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.profiles.keywords import Keyword
    from mathhammer.systems.wh40k.rules.rule import ActiveRule, Effect
    from mathhammer.systems.wh40k.sequence.stages import Stages


class Attacks(NamedTuple):
    """The number of attacks: that of one weapon with its bonuses, and that of all weapons."""

    each: Expression
    total: Expression
    modifiers: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class _Attacking(Making):
    each: Expression
    models: int
    bonuses: list[tuple[Expression, str]] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    only_named: str = ""
    divided: str = ""

    roll = "attacks"


@lru_cache(maxsize=KEPT)
def attacks_roll(
    attacks: Expression,
    count: int,
    rules: Rules,
    models: int,
    of_target: Rules,
    edition: Edition,
) -> Attacks:
    """Return the number of attacks of a weapon and of all of them; never fewer than 1 each."""
    roll = _Attacking(edition, each=attacks, models=models)
    roll.apply(rules)
    roll.apply(of_target)
    each, bonuses = roll.each, roll.bonuses
    modifiers = [*_of_characteristic(roll, attacks), *roll.modifiers]
    if modifiers:
        each, lines, bonuses = _modified(each, modifiers, bonuses, edition)
        roll.added += lines
    for more, source in bonuses:
        each = _sum(each, more)
        roll.added.append(f"+{more} ({source})")
    if each.bounds()[0] < 1:
        each = maximum(each, 1)
    total = Constant(each.value * count) if isinstance(each, Constant) else Repeated(count, each)
    return Attacks(each, each if count == 1 else total, tuple(roll.added))


#: Of the target only what Blast counts is read.
ATTACKS = Roll(
    "attacks", lambda weapon, count: (weapon.attacks, count), lambda target: (target.models,), attacks_roll
)


def _of_characteristic(roll: _Attacking, printed: Expression) -> tuple[Modifier, ...]:
    """Return the modifiers of Attacks: those of rules that name the weapon are of ``"extra attacks"``."""
    if not roll.characteristics:
        return ()
    left_out = "attacks" if roll.only_named else "extra attacks"
    roll.characteristics = tuple(
        replace(m, of="attacks") if m.of == "extra attacks" else m
        for m in roll.characteristics
        if m.of != left_out
    )
    return roll.modifiers_of("attacks", printed)


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


def _sum(left: Expression, right: Expression) -> Expression:
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Constant(left.value + right.value)
    return Sum(left, right)


def _by_models(
    name: str,
    source: str,
    text: str,
    attacks: Effect,
    *,
    value: Literal["", "number", "optional number"] = "",
    alone: bool = False,
) -> Ability:
    """Return an ability that counts the models of the target, `alone` if it must be the only one."""

    def idle(stages: Stages) -> str:
        if alone and stages.situation.divided:
            return "not in force: the attacks of the weapon are divided among several targets"
        if any(name in line for line in stages.attacks.modifiers):
            return ""
        return f"not in force: adds nothing against {stages.target.models} models"

    return Ability(
        name, source=source, help=text, attacks=attacks, counts_models=True, value=value, idle=idle
    )


def _for_models(step: int, *, fixed: bool = True, alone: bool = False) -> Effect:
    """Return an effect that adds attacks for so many models, `fixed` whether to attacks that are not rolled too."""

    def attacks(roll: _Attacking, each: ActiveRule[Keyword]) -> None:
        more = 0 if alone and roll.divided else roll.models // step * each.value.number
        if more and (fixed or not isinstance(roll.each, Constant)):
            roll.bonuses.append((Constant(more), f"{each.value} against {roll.models} models"))

    return attacks


def blast_by_number(step: int, *, fixed: bool = True, takes_number: bool = False) -> Ability:
    """Return Blast that adds attacks for so many models: one, or its own number where it takes one."""
    text = f"One more attack{', or X more,' * takes_number} for every {step} models of the target."
    value: Literal["", "optional number"] = "optional number" if takes_number else ""
    return _by_models("Blast", "core rules, Blast", text, _for_models(step, fixed=fixed), value=value)


def cleave(step: int) -> Ability:
    """Return Cleave: a melee weapon with one target adds attacks for so many models of it."""
    text = f"X more attacks for every {step} models of the target, if it is the only one."
    source = "11th edition core rules, 24.06 Cleave"
    return _by_models("Cleave", source, text, _for_models(step, alone=True), value="number", alone=True)


DIVIDED = Condition(
    "divided",
    source="11th edition core rules 04.03, Splitting Melee Attacks, and 24.06, Cleave",
    help="The attacks of the melee weapon are divided among several targets (Cleave).",
    attacks=names_itself("divided"),
)


def blast_by_size(some: int, many: int, least: int) -> Ability:
    """Return Blast that makes at least so many attacks against some models, and all there can be against many.

    (Warhammer 40,000 9th edition core rules, Blast Weapons.)
    """

    def attacks(roll: _Attacking, _: ActiveRule[object]) -> None:
        if roll.models >= many:
            roll.each = Constant(roll.each.bounds()[1])
            roll.added.append(f"the most there can be (Blast against {roll.models} models)")
        elif roll.models >= some:
            roll.each = roll.each if isinstance(roll.each, Constant) else maximum(roll.each, least)
            roll.added.append(f"at least {least} (Blast against {roll.models} models)")

    text = f"At least {least} attacks against {some} models or more, the most there can be against {many} or more."
    return _by_models("Blast", "core rules, Blast", text, attacks)


def _adds(roll: _Attacking, each: ActiveRule[Keyword]) -> None:
    roll.bonuses.append((each.value.dice, each.source))


def rapid_fire(*, doubles: bool) -> Ability:
    """Return Rapid Fire: within half range it adds attacks, or doubles them."""
    return Ability(
        "Rapid Fire",
        help="Within half range twice the attacks." if doubles else "X more attacks within half range.",
        source="core rules, Rapid Fire",
        value="dice",
        needs=(HALF_RANGE,),
        attacks=modifies("multiply", 2, "attacks") if doubles else _adds,
    )


EXTRA_ATTACKS = Ability(
    "Extra Attacks",
    help="Is used beside another melee weapon.",
    source="10th edition core rules, Extra Attacks",
    attacks=names_itself("only_named"),
    note="is used beside another melee weapon; its Attacks change only by rules that name it",
    beside_others=True,
)
#: The 11th edition has no sentence that keeps the attacks of such weapons from being modified.
EXTRA_ATTACKS_AS_ANY = Ability(
    "Extra Attacks",
    help=EXTRA_ATTACKS.help,
    source="11th edition core rules, 24.11 Extra Attacks",
    note="is used beside another melee weapon",
    beside_others=True,
)


def _once(roll: _Attacking, each: ActiveRule[object]) -> None:
    """One re-roll of a number of attacks is no property of every roll."""


def _says_one(_: Stages, shared: bool) -> str:  # noqa: FBT001 - as the field of a Condition has it
    return (
        "the first roll for a number of attacks that is below its mean is re-rolled"
        f"{', one for all volleys of the unit' * shared}; the number above is that without it"
    )


REROLL_ATTACKS = rerolls(
    "attacks",
    "attacks",
    ("one",),
    _says_one,
    most=0,
    once="of the whole unit the first roll for a number of attacks below its mean",
    effect=_once,
)

COMMAND_REROLL = Condition(
    "reroll",
    source="core stratagems, Command Re-roll; Rules Commentary, Rules That Allow One Re-roll",
    value=Rerolls(words=("first", "best"), most=0, policies=True),
    group="Re-rolls",
    help="A Command Re-roll, spent on the first low roll or best: first, best ('one' of a roll is spent alike).",
    shown="Command Re-roll: {}",
    joins_rolls=bool,
    attacks=_once,
)

LIMITED_REROLLS = Condition(
    "limited_rerolls",
    source="datasheets: you can re-roll one Hit roll; Rules Commentary, Rules That Allow One Re-roll",
    value=LimitedRerolls(),
    group="Re-rolls",
    help="One die that the unit may re-roll, used best: hit, wound, damage, attacks, or 'hit or wound'.",
    shown="re-roll one {}",
    option="limited_reroll",
    joins_rolls=bool,
    attacks=_once,
)
