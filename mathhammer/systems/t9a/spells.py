"""Rolls outside the attacks: a spell that is cast and dispelled, and Dangerous Terrain."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: F401 - in signatures that pages read
from math import prod

from mathhammer.distributions import Distribution
from mathhammer.distributions.combination import convolution
from mathhammer.distributions.fractions import in_fractions
from mathhammer.expressions import dice
from mathhammer.fields.kinds import Checked, Integer, MaybeInteger
from mathhammer.sequence.explanation import Step
from mathhammer.sequence.rolls import RollResult, fraction
from mathhammer.systems.asked import asked
from mathhammer.systems.t9a.profiles import MAXIMUM_MODELS, Target, as_target
from mathhammer.systems.t9a.rolls import RuledRoll

#: Most Magic Dice of a Casting Attempt, and up to what a single one fails whatever is added.
MOST_MAGIC_DICE, FAILS_ALONE = 5, 2


class _CastSpell(RuledRoll[RollResult]):
    """Cast a spell, and see whether it is dispelled.

    A single die fails with 1 or 2, whatever is added. Dispelling needs the total of the casting roll or more.

    Examples
    --------
    >>> cast_spell(7, dice=2, exact=True).probability_success
    7/12
    >>> cast_spell(7, dice=2, magic_resistance=1, dispel_dice=2, exact=True).probability_success
    55/216

    References
    ----------
    The 9th Age rulebook, 2nd edition, Spell Casting Sequence; Magic Resistance.
    """

    value: Integer = Integer("The Casting Value of the spell.", kw_only=False)
    dice: Integer = Integer("Magic Dice of the caster.", default=2, least=1, most=MOST_MAGIC_DICE)
    modifier: Integer = Integer("Added to the casting roll: 1 of a Wizard Master.", default=0, least=-100)
    magic_resistance: Integer = Integer("Magic Resistance (X) of the target.", default=0)
    dispel_dice: Integer = Integer("Magic Dice to dispel it.", default=0)
    dispel_modifier: Integer = Integer("Added to the dispelling roll.", default=0, least=-100)

    def answer(self) -> RollResult:
        """Return the result of both rolls."""
        rules, in_force = self.rules
        law = dice(f"{self.dice}D6").distribution(exact=self.exact)
        rolled, added = in_fractions(law), self.modifier - self.magic_resistance
        number = self.dispel_dice
        against = number and in_fractions(dice(f"{number}D6").distribution(exact=self.exact))
        need = max(self.value - added, FAILS_ALONE + 1 if self.dice == 1 else 0)
        passed, failed = 0, rolled.cdf(need - 1)
        for total in (each for each in rolled.support if each >= need):
            least = max(total + added - self.dispel_modifier, FAILS_ALONE + 1 if number == 1 else 0)
            passed += rolled.pmf(total) * (against.cdf(least - 1) if against else 1)
            failed += rolled.pmf(total) * (against.at_least(least) if against else 0)
        notes = [f"{added:+d} (modifiers)"] * bool(added)
        notes += [f"dispelled with {number}D6{self.dispel_modifier:+d}"] * bool(against)
        step = Step("Roll", f"{self.dice}D6 of {need} or more", tuple(notes), fraction(passed))
        name = "Casting Attempt"
        return RollResult(passed, failed, law, need, rules.name, in_force, name, (step,), at_least=True)


class _DangerousTerrain(RuledRoll[Distribution]):
    """Distribution of the Health Points that the rank and file of a unit loses in Dangerous Terrain (X).

    Each model rolls a die, two if it is Large, three if Gigantic, and one more as a Chariot; each of X or less is a
    hit that wounds without a roll, with Armour Penetration 10. Models with Strider or Ghost Step pass.

    Examples
    --------
    >>> dangerous_terrain("5 models, HP 3, Res 4, Aegis 4+ [Large, Chariot]", exact=True).mean()
    5/4

    References
    ----------
    The 9th Age rulebook, 2nd edition, Dangerous Terrain; Chariot; Strider; Ghost Step.
    """

    target: Checked[Target, Target | str] = Checked(
        lambda given: as_target(given, "a Target in Dangerous Terrain, or its stat line"),
        "The unit, a `Target` or its stat line.",
        kw_only=False,
    )
    value: Integer = Integer("The X of Dangerous Terrain (X).", default=1, least=1, most=6)
    models: MaybeInteger = MaybeInteger("Models that take the test, by default all.", most=MAXIMUM_MODELS)

    def answer(self) -> Distribution:
        """Return that of what is lost."""
        target, has, (_, in_force) = self.target, self.target.has, self.rules
        sure = any(each.name in {"Strider", "Ghost Step"} and not each.text for each in target.attributes)
        each = 0 if sure else 1 + 2 * has("Gigantic") + has("Large") + has("Chariot")
        number = target.models if self.models is None else self.models
        fails = in_force["special_save_natural_1"] == "fails"
        saves = (save for save in target.special_saves if not save.against)
        stopped = [save.passes(None, divine=False, natural_1_fails=fails) for save in saves]
        taken = stopped if in_force["special_saves"] == "each" else [max(stopped, default=0)]
        lost, of = self.value * prod(36 - save for save in taken), 6 * 36 ** len(taken)
        one = Distribution.from_weights({0: of - lost, 1: lost}, exact=self.exact)
        left = target.pool().left
        total = convolution([one] * (each * number)) if each * number else one.map(lambda _: 0)
        return total.map(lambda health_points: min(health_points, left))


cast_spell, dangerous_terrain = asked(_CastSpell, "t9a"), asked(_DangerousTerrain)
