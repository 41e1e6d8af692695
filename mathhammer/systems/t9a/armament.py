"""A model part with its weapon in hand: the characteristics it attacks with, and its to-hit rolls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.errors import MathhammerError
from mathhammer.expressions import as_expression
from mathhammer.expressions.check import Check
from mathhammer.modifiers import Modifier, Operation, as_modifiers, modified
from mathhammer.systems.t9a.attributes import CHAMPION, RANK_AND_FILE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.expressions import Expression
    from mathhammer.systems.t9a.attributes import Attribute
    from mathhammer.systems.t9a.editions import Edition
    from mathhammer.systems.t9a.profiles import ModelPart, Target
    from mathhammer.systems.t9a.situation import Rerolled, Situation

#: Order of operations (The 9th Age rulebook, 2nd edition, Priority of Modifiers). Multiplying before dividing gives
#: the lowest value of that step, which is rounded up once: the two halves of a fraction rounded apart are not lower.
ORDER: tuple[Operation, ...] = ("set", "multiply", "divide", "add", "subtract")

#: The first and the last Initiative Step, and the Special Attacks that have one whatever the Agility.
FIRST_STEP, LAST_STEP = 10, 0
STEPS = {"Impact Hits": FIRST_STEP, "Stomp Attacks": LAST_STEP, "Crush Attack": LAST_STEP}

#: Strength and Armour Penetration of Toxic Attacks.
TOXIC = (3, 10)

_BONUS = {"Great Weapon": (2, 2), "Halberd": (1, 1)}
_CHARGE_BONUS = {"Lance": (2, 2), "Light Lance": (1, 1)}


@dataclass(frozen=True, slots=True)
class Armed:
    """The characteristics of a model part in a situation, and what changed them."""

    #: With the attributes that a charge adds.
    part: ModelPart
    #: Of one model part.
    attacks: Expression
    #: After modifiers; the agility is the Initiative Step that the part strikes in.
    strength: int
    armour_penetration: int
    offensive_skill: int | None
    agility: int
    #: What changed them, with sources.
    strength_modifiers: tuple[Modifier, ...]
    penetration_modifiers: tuple[Modifier, ...]


def characteristic(
    value: int,
    modifiers: Sequence[Modifier],
    *,
    limits: Mapping[Modifier, int] | None = None,
    least: int = 0,
    most: int | None = None,
    same_step: str = "lowest",
) -> int:
    """Return a characteristic after all modifiers.

    Parameters
    ----------
    value
        The unmodified value.
    modifiers
        All of them, from any source.
    limits
        Limits of those bonuses that have one: they come last, and only up to the limit.
    least, most
        Bounds of the result, e.g. 1 for Agility and Attack Value, 10 for Agility and Discipline, 6 for Armour; a
        value that was lower before is not raised.
    same_step
        The ruling of that name's option: ``"lowest"``, or ``"as-they-come"`` where the last of several set values
        stands.

    Examples
    --------
    >>> characteristic(3, [Modifier("add", 1, "a"), Modifier("divide", 2, "b")])
    3

    References
    ----------
    The 9th Age rulebook, 2nd edition, Priority of Modifiers, Multiplication and Division; 3rd edition, Modifiers.
    """
    limits = validation.mapping({} if limits is None else limits, "limits by Modifier")
    modifiers = as_modifiers(modifiers, "modifiers")
    validation.one_of(same_step, ("lowest", "as-they-come"), "same_step")
    value, least = validation.whole(value, "value"), validation.whole(least, "least")
    free = [modifier for modifier in modifiers if modifier not in limits]
    if same_step == "lowest":
        # The last of several set values stands: the lowest one goes last.
        free.sort(key=lambda modifier: -modifier.value if modifier.operation == "set" else 0)
    result = modified(value, free, ORDER)
    for modifier, limit in limits.items():
        result = max(result, min(result + modifier.value, limit))
    if most is not None:
        result = min(result, validation.whole(most, "most"))
    return max(result, min(least, value))


def armed(part: ModelPart, situation: Situation) -> Armed:
    """Return what a model part attacks with.

    The 9th Age rulebook, 2nd edition, Weapons; Set Agility Order, Charging Momentum; Model Rules, Devastating Charge,
    Toxic Attacks and Special Attacks.
    """
    attacks, strength, penetration, skill = [], [], [], []
    agility = [Modifier("add", 1, "Charging Momentum")] if situation.charging else []
    if not part.special:
        # Strength and Armour Penetration together, as weapons add to both.
        for name, bonus in _weapon_bonuses(part, situation):
            strength += [Modifier("add", bonus[0], name)] * (bonus[0] > 0)
            penetration += [Modifier("add", bonus[1], name)] * (bonus[1] > 0)
        if part.has("Paired Weapons"):
            attacks.append(Modifier("add", 1, "Paired Weapons"))
            skill.append(Modifier("add", 1, "Paired Weapons"))
        if part.has("Spear") and _braced(situation):
            agility.append(Modifier("add", 2, "Spear"))
        if situation.charging:
            lists = {
                "Strength": strength,
                "Armour Penetration": penetration,
                "Attack Value": attacks,
                "Offensive Skill": skill,
                "Agility": agility,
                "Advance Rate": [],  # of the move, which is over
            }
            charges = [attribute for attribute in part.attributes if attribute.name == "Devastating Charge"]
            for charge in charges:  # they are cumulative
                for name, number in charge.bonuses:
                    lists[name].append(Modifier("add", number, "Devastating Charge"))
                part = with_attributes(part, (*part.attributes, *charge.grants))
    toxic = part.has("Toxic Attacks")
    if toxic:
        strength = [Modifier("set", TOXIC[0], "Toxic Attacks")]
        penetration = [Modifier("set", TOXIC[1], "Toxic Attacks")]
    more = sum(modifier.value for modifier in attacks)
    step = next((step for name, step in STEPS.items() if part.has(name)), None)
    if part.has("Great Weapon") and not part.has("Lightning Reflexes") and not part.special:
        step = LAST_STEP
    return Armed(
        part,
        part.attacks + more if more else as_expression(part.attacks),
        characteristic(part.strength, strength),
        characteristic(part.armour_penetration, penetration),
        None if part.offensive_skill is None else characteristic(part.offensive_skill, skill),
        characteristic(part.agility, agility, most=FIRST_STEP, least=1) if step is None else step,
        tuple(strength),
        tuple(penetration),
    )


def _weapon_bonuses(part: ModelPart, situation: Situation) -> list[tuple[str, tuple[int, int]]]:
    found = [(name, bonus) for name, bonus in _BONUS.items() if part.has(name)]
    if situation.charging:
        found += [(name, bonus) for name, bonus in _CHARGE_BONUS.items() if part.has(name)]
    if part.has("Spear"):
        found.append(("Spear", (0, 2 if _braced(situation) else 1)))
    return found


def _braced(situation: Situation) -> bool:
    """Whether Spears are set against the enemy (2nd edition, Close Combat Weapons, Spear)."""
    return situation.first_round and not situation.charging and not situation.flanked


def with_attributes(part: ModelPart, attributes: tuple[Attribute, ...]) -> ModelPart:
    """Return the part with these attributes instead of its own."""
    return part if attributes == part.attributes else part.with_value("attributes", attributes)


def in_scope(part: ModelPart, target: Target) -> ModelPart:
    """Return the part without the rules that do not count against a target: Hatred (against Large) and the like."""
    names = {attribute.name for attribute in target.attributes} | {save.name for save in target.special_saves}
    names |= {"Character"} if part.at not in (RANK_AND_FILE, CHAMPION) else set()
    names |= set() if names & {"Large", "Gigantic"} else {"Standard"}
    known = frozenset(names)
    return with_attributes(part, tuple(each for each in part.attributes if each.counts_against(known)))


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
