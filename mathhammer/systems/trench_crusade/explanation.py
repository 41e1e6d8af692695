"""The steps of the attacks in words and fractions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.distributions import in_fractions
from mathhammer.sequence import Explanation, Probability, Step
from mathhammer.systems.trench_crusade.keywords import NO_EFFECT
from mathhammer.systems.trench_crusade.pools import net, roll_text, values
from mathhammer.systems.trench_crusade.rolls import INJURIES, SUCCESSES, chances
from mathhammer.systems.trench_crusade.rulings import EDITIONS, RULINGS
from mathhammer.systems.trench_crusade.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mathhammer.arithmetic import P
    from mathhammer.systems.trench_crusade.game import Game
    from mathhammer.systems.trench_crusade.result import AttackResult


def explain(result: AttackResult[P], game: Game) -> Explanation:
    """Return the steps of every attack before any markers are spent, the plan and the result."""
    steps: list[Step] = []
    shown: dict[tuple[object, object], str] = {}
    for item in game.items:
        if isinstance(item, Stage):
            same = shown.setdefault((item.attack, item.attacker), item.label)
            if same == item.label:
                steps += _attack_steps(item)
            else:
                steps.append(Step("Attack", f"{item.label}: as {same}, with the state that is left"))
        else:
            steps.append(Step("Activation", "the target activates" + ", and stands up" * item.stands_up))
    steps += _spending_steps(result, game)
    steps += _result_steps(result)
    names = ", ".join(item.label for item in game.items if isinstance(item, Stage))
    return Explanation(f"{names} against {game.target.name} ({EDITIONS[result.edition]})", tuple(steps))


def _attack_steps(stage: Stage) -> Iterator[Step]:
    yield Step("Attack", f"{stage.label}: {stage.weapon}")
    if stage.starts and stage.attacker.down and stage.activation.stands_up:
        yield Step("Down", f"{stage.attacker.name} stands up when it is activated")
    if stage.attack.into_melee:
        yield Step("Into melee", "on 1 to 3 a friend is the target", (), (Probability("aimed at it", 1, 2),))
    if stage.automatic:
        yield Step("Success Roll", "none: FLAMETHROWER hits automatically", (), (Probability("hit", 1, 1),))
    else:
        surplus = net(stage.success_dice)
        text = roll_text(2, surplus) + ", Risky" * stage.risky + ", failures re-rolled" * stage.attack.reroll
        rolled = chances(SUCCESSES, 2, surplus, reroll=stage.attack.reroll)
        yield Step("Success Roll", text, tuple(map(str, stage.success_dice)), rolled)
    yield _injury_step(stage, critical=False)
    if not stage.automatic and not stage.attack.bystander:
        yield _injury_step(stage, critical=True)
    yield from _rule_steps(stage)


def _rule_steps(stage: Stage) -> Iterator[Step]:
    """Yield what follows the Injury Roll, and the keywords without effect here."""
    if stage.extra_markers:
        yield Step(
            "Markers", f"{stage.extra_markers} more {stage.marker} after the Injury Roll, whatever it says"
        )
    if stage.weapon.has("DANGEROUS"):
        yield Step("DANGEROUS", "each hit places 1 Blood Marker on its user")
    if stage.marker == "Infection":
        yield Step("INFECTION MARKERS", "the target gets Infection Markers in place of Blood Markers")
    for rule, text in (
        ("TOUGH", "the first Out of Action is Down"),
        ("GOLEM", "Out of Action is Down but for a Bloodbath"),
    ):
        if stage.target.has(rule):
            yield Step(rule, text)
    if stage.target.armour == "machine":
        yield Step("Standfast", "Down is a Minor Hit")
    for keyword in stage.attack.keywords:
        if keyword.name in NO_EFFECT:
            yield Step(str(keyword), f"has no effect here: {NO_EFFECT[keyword.name]}")


def _injury_step(stage: Stage, *, critical: bool) -> Step:
    known = {"critical": critical, "down": stage.target.down}
    dice, modifiers = stage.injury_dice(**known), stage.injury_modifiers(**known)
    keep, surplus, added = stage.keep(bloodbath=False), net(dice), stage.modifier(**known)
    text = roll_text(keep, surplus) + (f", {added:+d}" if modifiers else "")
    sources = [f"{modifier} INJURY DICE" for modifier in dice]
    sources += [f"{modifier} INJURY MODIFIER" for modifier in modifiers]
    if sum(values(modifiers)) != added:
        sources.append(f"the negative ones are never worse than -3: {added:+d} in all")
    name = "On a critical" if critical else "Injury Roll"
    return Step(name, text, tuple(sources), chances(INJURIES, keep, surplus, added))


def _spending_steps(result: AttackResult[P], game: Game) -> Iterator[Step]:
    for name, plans in (("Attacker", game.spend), ("Defender", game.reply)):
        if plans is None:
            continue
        for item, plan in zip(game.items, plans, strict=True):
            if isinstance(item, Stage) and str(plan) != "nothing":
                text = "as a function of the state says" if callable(plan) else plan
                yield Step(name, f"spends on {item.label}: {text}")
    if len(result.plan):
        first, *rest = str(result.plan).split("\n")
        yield Step("Best plan", first, tuple(rest))


def _result_steps(result: AttackResult[P]) -> Iterator[Step]:
    chosen = [
        f"{ruling.name} = {result.rulings[ruling.name]}"
        for ruling in RULINGS
        if result.rulings[ruling.name] != ruling.default
    ]
    yield Step("Rulings", ", ".join(chosen) or "all as by default")
    text = ", ".join(f"{name} {float(p):.4f}" for name, p in in_fractions(result.outcome).items())
    yield Step("Result", text)
