"""To-hit rolls, in melee and shooting: what is needed, what changes it, and what the dice then do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mathhammer.errors import MathhammerError
from mathhammer.expressions.check import Check
from mathhammer.modifiers import Modifier

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.systems.t9a.armament import Armed
    from mathhammer.systems.t9a.editions import Edition
    from mathhammer.systems.t9a.profiles import Target
    from mathhammer.systems.t9a.situation import Rerolled, Situation

#: Where a hit needs this much, the 2nd edition knows Hopeless Shots.
HOPELESS = 7


@dataclass(frozen=True, slots=True)
class ToHit:
    """The to-hit roll of one attack."""

    #: What is compared with what.
    text: str
    #: The number needed after modifiers; None for an automatic hit.
    need: int | None
    #: Those in force, with their sources.
    modifiers: tuple[Modifier, ...]
    #: Weights of a miss, of a hit, and of a hit on a natural 6.
    weights: tuple[int, int, int]
    #: Of the weights.
    denominator: int


def melee_need(offensive: int, defensive: int, edition: Edition) -> int:
    """Return what a Close Combat Attack needs before modifiers.

    The 9th Age rulebook, 2nd edition, Rolling to Hit; 3rd edition, Standard Melee Attacks.
    """
    difference = offensive - defensive
    return next((need for least, need in edition.melee_table if difference >= least), edition.melee_worst)


def to_hit(
    armed: Armed, target: Target, situation: Situation, edition: Edition, rulings: Mapping[str, str]
) -> ToHit:
    """Return the to-hit roll of one attack of a model part."""
    stomped = armed.part.has("Stomp Attacks")
    if stomped and any(map(target.has, ("Large", "Gigantic", "Cannot be Stomped"))):
        return ToHit("only models of Standard Size suffer hits", None, (), (1, 0, 0), 1)
    if armed.part.kind == "automatic":
        return ToHit("automatic, no roll", None, (), (0, 1, 0), 1)
    if armed.part.kind == "melee":
        return _melee(armed, target, situation, edition, rulings)
    return _shooting(armed, target, situation, edition, rulings)


def _melee(
    armed: Armed, target: Target, situation: Situation, edition: Edition, rulings: Mapping[str, str]
) -> ToHit:
    if target.defensive_skill is None or armed.offensive_skill is None:
        raise MathhammerError(
            f"expected a Defensive Skill (Def 3) of {target.name!r}, which {armed.part.name!r} strikes in melee, "
            "got none"
        )
    defensive = target.defensive_skill
    parried = (
        target.has("Parry")
        and not situation.flank_or_rear
        and not armed.part.has("Paired Weapons")
        and (edition.name != "3e" or rulings["parry_third_edition"] == "as-2e")
    )
    if parried:
        defensive = max(defensive + 1, armed.offensive_skill)
    need = melee_need(armed.offensive_skill, defensive, edition)
    modifiers = _melee_modifiers(armed, target, situation, rulings)
    total = _total(modifiers)
    reroll: Rerolled = situation.reroll_hits
    if armed.part.has("Hatred") and situation.first_round:
        reroll = "failed"
    check = Check(need, total, succeeds_from=6, criticals=((6, False),), reroll=reroll)
    text = (
        f"Off {armed.offensive_skill} against Def {defensive}{' (Parry)' * parried}: {need}+{_again(reroll)}"
    )
    return ToHit(text, need - total, modifiers, check.weights(), 36)


def _melee_modifiers(
    armed: Armed, target: Target, situation: Situation, rulings: Mapping[str, str]
) -> tuple[Modifier, ...]:
    """All modifiers in melee; Distracting gives way to other negative ones."""
    found = list(situation.hit_modifier)
    if situation.attacker_afraid:
        found.append(Modifier("subtract", 1, "failed Fear test"))
    if situation.target_afraid:
        found.append(Modifier("add", 1, "the target failed its Fear test"))
    distracting = target.has("Distracting") and (
        rulings["distracting"] == "added" or not any(_signed(modifier) < 0 for modifier in found)
    )
    bonus_lost = distracting and rulings["distracting_and_lightning_reflexes"] == "bonus-lost"
    reflexes = armed.part.has("Lightning Reflexes") and not armed.part.has("Great Weapon")
    if reflexes and not bonus_lost:
        found.append(Modifier("add", 1, "Lightning Reflexes"))
    if distracting:
        found.append(Modifier("subtract", 1, "Distracting"))
    return tuple(found)


def _shooting(
    armed: Armed, target: Target, situation: Situation, edition: Edition, rulings: Mapping[str, str]
) -> ToHit:
    aim = armed.part.aim or 0
    modifiers = _shooting_modifiers(armed, target, situation, edition, rulings)
    need = aim - _total(modifiers)
    reroll = situation.reroll_hits
    text = f"Aim {aim}+{_again(reroll)}"
    natural_6 = rulings["shooting_natural_6"] == "hits"
    if need >= HOPELESS and not natural_6:
        if need > HOPELESS or not edition.hopeless_shots:
            return ToHit(f"{text}; {need}+ cannot hit", need, modifiers, (1, 0, 0), 1)
        miss, hit, denominator = _hopeless(reroll, rulings)
        text += "; Hopeless Shot: a 6, then 4+"
        return ToHit(text, need, modifiers, (miss, 0, hit), denominator)
    check = Check(
        need,
        fails_up_to=1 if rulings["shooting_natural_1"] == "misses" else 0,
        succeeds_from=6 if natural_6 else 7,
        criticals=((6, True),),
        reroll=reroll,
    )
    return ToHit(text, need, modifiers, check.weights(), 36)


def _shooting_modifiers(
    armed: Armed, target: Target, situation: Situation, edition: Edition, rulings: Mapping[str, str]
) -> tuple[Modifier, ...]:
    """All modifiers of a shot: range, movement, cover, and what cancels them."""
    part = armed.part
    found = list(situation.hit_modifier)
    if situation.long_range and not part.has("Accurate"):
        found.append(Modifier("subtract", 1, "Long Range"))
    if situation.moved:
        if not part.has("Quick to Fire"):
            found.append(Modifier("subtract", 1, "Moved and Shooting"))
        unwieldy = part.find("Unwieldy")
        if unwieldy is not None:
            found.append(Modifier("subtract", _value(unwieldy.value), "Unwieldy"))
    if situation.cover is not None:
        hard = situation.cover == "hard"
        found.append(Modifier("subtract", 2 if hard else 1, "Hard Cover" if hard else "Soft Cover"))
    penalty = edition.stand_and_shoot
    if not penalty and rulings["stand_and_shoot_third_edition"] == "as-2e":
        penalty = -1
    if situation.stand_and_shoot and penalty and not part.has("Steady Aim"):
        found.append(Modifier("subtract", -penalty, "Stand and Shoot"))
    found += [
        Modifier("subtract", _value(attribute.value), "Hard Target")
        for attribute in target.attributes
        if attribute.name == "Hard Target"
    ]
    return tuple(found)


def _hopeless(reroll: Rerolled, rulings: Mapping[str, str]) -> tuple[int, int, int]:
    """Weights of a miss and a hit of a Hopeless Shot, and their denominator."""
    first = Check(6, reroll=reroll).weights()[1]
    both = (reroll == "failed" and rulings["hopeless_reroll_failed"] == "both-dice") or (
        reroll == "ones" and rulings["hopeless_reroll_ones"] == "both-dice"
    )
    second = Check(4, reroll=reroll if both else None).weights()[1]
    return 36 * 36 - first * second, first * second, 36 * 36


def _signed(modifier: Modifier) -> int:
    return modifier.value if modifier.operation == "add" else -modifier.value


def _total(modifiers: tuple[Modifier, ...]) -> int:
    return sum(map(_signed, modifiers))


def _value(expression: object) -> int:
    return 1 if expression is None else int(str(expression))


def _again(reroll: Rerolled) -> str:
    return f"; reroll {reroll}" if reroll else ""
