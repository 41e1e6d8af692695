"""Editions and disputed points of The 9th Age, conditions of an attack, and characteristics and dice under them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, TypedDict

from mathhammer import validation
from mathhammer.display import Catalogue
from mathhammer.errors import UnknownNameError
from mathhammer.expressions import Expression
from mathhammer.expressions import dice as parse_dice
from mathhammer.expressions.base import Constant, as_expression
from mathhammer.expressions.operations import Difference, Product, Sum
from mathhammer.expressions.pool import Maximised
from mathhammer.fields.kinds import Additions, Boolean, Checked, Integer, MaybeInteger, OneOf, Text
from mathhammer.fields.profile import Record
from mathhammer.modifiers import CharacteristicRules, Modifier, Order, as_modifiers
from mathhammer.sequence.rulings import Ruling, Rulings, rulings_in_force
from mathhammer.systems.asked import Question, ResultT
from mathhammer.systems.text_format import read_rulings
from mathhammer.validation import shown, unknown_edition

_2E, _3E = (f"The 9th Age rulebook, {edition} edition" for edition in ("2nd", "3rd"))

RULINGS = read_rulings(
    f"""
    P2 maximised_and_minimised: literal, cancel
    Maximised and Minimised Roll on one roll: does each do what it says, or do they cancel one for one?
    {_2E}, Dice: each instance by itself; the 3rd edition says that they cancel
    P3 maximised_d3: halve-after-discarding
    Maximised D3: are D6 discarded and the one that stays halved?
    {_2E}, Dice: the rule speaks of D6
    P4 reroll_of_maximised: all-dice, kept-dice
    A Maximised or Minimised roll is rerolled: all its dice, or those that were kept?
    {_2E}, Dice: the roll is rerolled
    P5 natural_after_reroll: standing-die
    Does a natural roll that was rerolled count for anything?
    {_2E}, Dice: the initial result is ignored for all rules purposes
    P6 hopeless_reroll_failed: first-die, both-dice
    Hopeless Shot with failed to-hit rolls rerolled: which of its two dice may be rerolled?
    {_2E}, Hopeless Shots: the second die confirms the first
    P7 poison_and_lethal: no-roll, as-natural-6
    Can a wound of Poison Attacks be one of Lethal Strike?
    {_2E}, Model Rules: no to-wound roll is made, so it was no natural 6
    P8 special_saves: one, each
    How many Special Saves are there against one wound?
    The 9th Age rulebook, Saves: the Special Save, in the singular
    P9 special_save_natural_1: fails, may-pass
    Does a natural 1 fail a Special Save?
    {_2E}, Armour Saves, carried over
    P10 multiple_wounds_order: after-saves, before-saves
    Are wounds multiplied after the saves or before them?
    {_2E}, Attack Sequence; Multiple Wounds
    P11 multiple_wounds_clip: health-points, nothing
    What is the most that one wound can multiply to?
    {_2E}, Multiple Wounds: the Health Points Characteristic
    P12 overkill: reported-apart
    Do wounds beyond the last Health Point count as lost?
    {_2E}, Combat Score: only in a Duel
    P13 stopping_early: never
    Do simultaneous attacks stop when the target is destroyed?
    {_2E}, Attack Sequence: each step is finished for all of them
    P14 random_attacks: each-model-part, once
    Random numbers of attacks or hits: one roll for each model part, or one for all?
    {_2E}, Model Rules, Special Attacks
    P15 melee_natural_1: misses
    Melee at 1+ or better: does a natural 1 miss?
    {_2E}, Rolling to Hit
    P16 shooting_natural_6: no, hits
    Does a natural 6 hit whatever the modifiers when shooting?
    {_2E}, Hopeless Shots: it would leave them nothing to say
    P17 shooting_natural_1: misses, may-hit
    Does a natural 1 miss whatever the modifiers when shooting?
    {_3E}, To-Hit Modifiers, carried over
    P18 distracting: dropped, added
    Distracting beside another negative to-hit modifier: dropped or added?
    {_2E}, Model Rules, Distracting
    P19 discipline_below_2: none
    What is the chance of a Discipline Test below 2?
    {_2E}, Priority of Modifiers: a value below 0 counts as 0, and 2D6 are never less than 2
    P20 double_1: no-rule, passes
    Does a natural double 1 pass a Break Test whatever the modifiers?
    {_2E}, Break Test: nothing says so
    P21 geometry: given-numbers
    Ranks, files, contact, cover and arcs: where do they come from?
    outside of dice
    P22 panic_threshold: at-least, rounded-down
    25% of the Health Points: how are fractions counted?
    {_2E}, Panic Test
    P23 same_step_modifiers: lowest, as-they-come
    Modifiers of one step: in the order that gives the lowest value, or as they come?
    {_2E}, Priority of Modifiers
    P24 distracting_and_lightning_reflexes: both-count, bonus-lost
    Does the +1 of Lightning Reflexes count against Distracting?
    {_2E}, Model Rules, Distracting and Lightning Reflexes
    P25 parry_third_edition: as-2e, nothing
    Is Parry in the 3rd edition what it is in the 2nd?
    no 3rd-edition text found; it has no effect in the 2nd edition
    P26 stand_and_shoot_third_edition: none, as-2e
    Has Stand and Shoot a to-hit modifier in the 3rd edition?
    no 3rd-edition text found; it has no effect in the 2nd edition
    P27 special_save_choice: best-chance, lowest-number
    Which of several Special Saves is taken?
    the defender's choice, with rerolls and Divine Attacks in view
    P28 hopeless_reroll_ones: first-die, both-dice
    Hopeless Shot with natural 1s rerolled: which of its two dice?
    {_2E}, Hopeless Shots: as for failed rolls
    P29 flank_bonus: by-full-ranks, one
    Flank Bonus of +1 or +2: when is it 2?
    {_2E}, Combat Score: for a unit with two Full Ranks, as far as the text is known; the 3rd edition counts each \
flank
    P30 rear_bonus: as-flank, one-more
    Is the bonus for the enemy's rear that for a flank, or one more?
    {_2E}, Combat Score: no text of the rear found; it has no effect in the 3rd edition
    P31 proper_ranks: after-the-first, all
    Combat Score of Proper Ranks: does the first rank count?
    {_3E}, Static Combat Score; it has no effect in the 2nd edition
    P32 advantaged_position: one-to-wound, nothing
    Do units that are Steady and Solid wound one better?
    {_3E}, Combat Formation; it has no effect in the 2nd edition
    """
)


class Edition(Record):
    """The rules in which editions differ; defaults are the 2nd edition's.

    Examples
    --------
    >>> EDITIONS["2e"].title
    'The 9th Age: Fantasy Battles, 2nd edition'
    """

    name: Text = Text('``"2e"``.')
    title: Text = Text("The name in full.")
    test: Text = Text("What a test of nerve is called.", default="Discipline Test")
    melee_table: Checked[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]] = Checked(
        tuple,
        "Pairs of a least difference of Offensive and Defensive Skill and the number needed, best first.",
        default=((4, 2), (1, 3), (-3, 4), (-7, 5)),
    )
    melee_worst: Integer = Integer("The number needed below them all.", default=6)
    hopeless_shots: Boolean = Boolean("Whether a shot that needs 7+ may still hit.", default=True)
    stand_and_shoot: Integer = Integer("The to-hit modifier of Stand and Shoot.", default=-1, least=-1)
    steady_penalty: MaybeInteger = MaybeInteger(
        "The most that a Steady unit's Break Test is worsened by; None where there is no such rule."
    )
    least_panic_losses: Integer = Integer("Losses without which no Panic Test is taken.", default=1)
    rank_bonus_cap: Integer = Integer("The most that ranks add to the Combat Score.", default=3)
    proper_ranks: Boolean = Boolean("Whether these are Proper Ranks.")
    each_flank_bonus: Integer = Integer(
        "What each flank and rear adds to the Combat Score; 0 where a side counts them once.", default=0
    )
    static_before_blows: Boolean = Boolean("Whether ranks are counted before the blows are struck.")
    destroyed_bonus: Integer = Integer("Combat Score for a destroyed enemy unit.", default=0)
    excess_to_champion: Boolean = Boolean(
        "Whether a Champion takes what the rank and file cannot lose.", default=True
    )
    rulings: Checked[tuple[Ruling, ...], tuple[Ruling, ...]] = Checked(
        tuple, "The disputed points, with their defaults.", default=RULINGS
    )

    def __str__(self) -> str:
        return f"{self.name}: {self.title}, {len(self.rulings)} disputed rulings"


# The 9th Age rulebook, 2nd edition (2018 to 2024) and 3rd edition: Rolling to Hit and Standard Melee Attacks, Hopeless
# Shots and To-Hit Modifiers, Break Test and Take Break Test, Panic Test, Combat Score and Static Combat Score, Losing
# Health Points.
_SECOND = Edition(name="2e", title="The 9th Age: Fantasy Battles, 2nd edition")
_THIRD = Edition(
    name="3e",
    title="The 9th Age: Fantasy Battles, 3rd edition",
    test="Courage Test",
    melee_table=((4, 2), (1, 3), (-3, 4)),
    melee_worst=5,
    hopeless_shots=False,
    stand_and_shoot=0,
    steady_penalty=2,
    least_panic_losses=3,
    rank_bonus_cap=4,
    proper_ranks=True,
    each_flank_bonus=2,
    static_before_blows=True,
    destroyed_bonus=1,
    excess_to_champion=False,
    rulings=(replace(RULINGS[0], default="cancel"), *RULINGS[1:]),
)
EDITIONS = Catalogue("editions of The 9th Age", {"2e": _SECOND, "3e": _THIRD})
"""The editions by name, ``"2e"`` and ``"3e"``."""


def find_edition(name: str) -> Edition:
    """Return the edition of that name."""
    if not isinstance(name, str) or name not in EDITIONS:
        raise unknown_edition(name, EDITIONS)
    return EDITIONS[name]


def rules_of(edition: str, rulings: Mapping[str, str] | None) -> tuple[Edition, Rulings]:
    """Return an edition, and the option in force for each of its disputed points."""
    rules = find_edition(edition)
    return rules, rulings_in_force(rules.rulings, rulings)


class Ruled(Question[ResultT]):
    """What is asked under the rules of an edition."""

    edition: Checked[str, str] = Checked(
        lambda name: find_edition(name).name, 'The rules: ``"2e"`` or ``"3e"``.', default="2e"
    )
    rulings: Checked[Mapping[str, str] | None, Mapping[str, str] | None] = Checked(
        lambda given: given,
        "Options for disputed points, by name; the others keep their defaults.",
        default=None,
    )
    exact: Boolean = Boolean("Whether probabilities are ``sympy.Rational`` rather than ``float``.")

    @cached_property
    def rules(self) -> tuple[Edition, Rulings]:
        """What is in force."""
        return rules_of(self.edition, self.rulings)

    @property
    def under(self) -> dict[str, Any]:
        """The same as arguments of another question."""
        return {"edition": self.edition, "rulings": self.rulings}


#: Order of operations (The 9th Age rulebook, 2nd edition, Priority of Modifiers). Multiplying before dividing gives
#: the lowest value of that step, which is rounded up once: the two halves of a fraction rounded apart are not lower.
ORDER = Order(("set", "multiply", "divide", "add", "subtract"))
#: A number that is added to a roll, or Modifiers.
Added = int | Modifier | Iterable[Modifier]
#: Most instances of Maximised or of Minimised Roll on one roll; each is one more die.
MOST_INSTANCES = 100
Rerolled = Literal["ones", "failed"] | None


class SituationKeywords(TypedDict, total=False):
    """Keywords of a situation; none of them is on unless given.

    Examples
    --------
    >>> situation: SituationKeywords = {"long_range": True, "cover": "soft"}
    """

    charging: bool
    first_round: bool
    in_combat: bool
    flank_or_rear: bool
    flanked: bool
    long_range: bool
    moved: bool
    stand_and_shoot: bool
    cover: Literal["soft", "hard"] | None
    attacker_afraid: bool
    target_afraid: bool
    width: int | None
    depth: int | None
    hit_modifier: Added
    wound_modifier: Added
    armour_modifier: Added
    reroll_hits: Rerolled
    reroll_wounds: Rerolled
    reroll_armour: Rerolled
    reroll_special: Rerolled
    reroll_aegis: Rerolled


class Situation(Record):
    """A situation that was read; its fields are the `SituationKeywords`."""

    charging: Boolean = Boolean("The attackers charged this turn")
    first_round: Boolean = Boolean("It is the first Round of Combat (Hatred, spears)")
    in_combat: Boolean = Boolean("Automatic hits are struck in combat (no Panic Test)")
    flank_or_rear: Boolean = Boolean("The attack is on flank or rear (no Parry)")
    flanked: Boolean = Boolean("The attackers are engaged in flank or rear (no braced Spears)")
    long_range: Boolean = Boolean("The target is at long range")
    moved: Boolean = Boolean("The shooters moved")
    stand_and_shoot: Boolean = Boolean("The shots are a charge reaction")
    attacker_afraid: Boolean = Boolean("The attackers failed their Fear Test")
    target_afraid: Boolean = Boolean("The target failed its Fear Test")
    cover: OneOf[Literal["soft", "hard"] | None] = OneOf("Cover", "soft", "hard", default=None)
    width: MaybeInteger = MaybeInteger("Models in a rank of an Area Attack", least=1, most=None)
    depth: MaybeInteger = MaybeInteger("Ranks of an Area Attack", least=1, most=None)
    hit_modifier: Additions = Additions("Added to to-hit rolls", "to-hit modifier")
    wound_modifier: Additions = Additions("Added to to-wound rolls", "to-wound modifier")
    armour_modifier: Additions = Additions("Added to the target's Armour", "Armour modifier")
    reroll_hits: OneOf[Rerolled] = OneOf("Re-roll to-hit rolls", "ones", "failed", default=None)
    reroll_wounds: OneOf[Rerolled] = OneOf("Re-roll to-wound rolls", "ones", "failed", default=None)
    reroll_armour: OneOf[Rerolled] = OneOf("Re-roll Armour Saves", "ones", "failed", default=None)
    reroll_special: OneOf[Rerolled] = OneOf("Re-roll Special Saves", "ones", "failed", default=None)
    reroll_aegis: OneOf[Rerolled] = OneOf("Re-roll Aegis Saves", "ones", "failed", default=None)


Situation.document(SituationKeywords)


def read_situation(given: Mapping[str, Any]) -> Situation:
    """Return a checked situation."""
    for name in given:
        if not isinstance(name, str) or name not in Situation.fields:
            hint = validation.nearest(name, Situation.fields)
            raise UnknownNameError(f"expected a keyword of a situation, got {shown(name)}; {hint}")
    return Situation(**given)


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

    The 9th Age rulebook, 2nd edition, Priority of Modifiers, Multiplication and Division; 3rd edition, Modifiers.

    Parameters
    ----------
    value, modifiers
        The unmodified value, and all that changes it, from any source.
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
    """
    given = validation.mapping({} if limits is None else limits, "limits by Modifier")
    validation.items(list(given), Modifier, "Modifiers as names of limits")
    modifiers = as_modifiers(modifiers, "modifiers")
    validation.one_of(same_step, ("lowest", "as-they-come"), "same_step")
    value, least = validation.whole(value, "value"), validation.whole(least, "least")
    free = [modifier for modifier in modifiers if modifier not in given]
    if same_step == "lowest":
        # The last of several set values stands: the lowest one goes last.
        free.sort(key=lambda modifier: -modifier.value if modifier.operation == "set" else 0)
    result = CharacteristicRules("value", ORDER).modified(value, free)
    for modifier, limit in given.items():
        result = max(result, min(result + modifier.value, validation.whole(limit, "a limit")))
    if most is not None:
        result = min(result, validation.whole(most, "most"))
    return max(result, min(least, value))


def dice(
    text: str | Expression,
    *,
    maximised: int = 0,
    minimised: int = 0,
    edition: str = "2e",
    rulings: Mapping[str, str] | None = None,
) -> Expression:
    """Read a dice expression, under Maximised Roll and Minimised Roll.

    The 9th Age rulebook, 2nd edition, Dice, Maximised Roll and Minimised Roll; 3rd edition, the same.

    Parameters
    ----------
    text
        ``"2D6"``, ``"D6×2"``, ``"D3"``, ``"D6+1"``: dice are discarded, and what is added or multiplied comes after.
    maximised, minimised
        Number of instances of each rule.
    edition, rulings
        They decide what happens where both are there.

    Examples
    --------
    >>> dice("2D6", maximised=1).distribution(exact=True).at_least(9)
    113/216
    """
    roll = parse_dice(text) if isinstance(text, str) else as_expression(text)
    more = validation.whole(maximised, "instances of Maximised Roll", 0, MOST_INSTANCES)
    fewer = validation.whole(minimised, "instances of Minimised Roll", 0, MOST_INSTANCES)
    literal = rules_of(edition, rulings)[1]["maximised_and_minimised"] == "literal" and bool(more and fewer)
    return on_dice(roll, lambda rolled: Maximised(rolled, more, fewer, literal)) if more or fewer else roll


def on_dice(roll: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Change the dice of a roll and leave its constants as they are."""
    # 3rd edition, Dice: dice are discarded before modifiers.
    if isinstance(roll, Sum | Difference | Product):
        if isinstance(roll.right, Constant):
            return type(roll)(on_dice(roll.left, change), roll.right)
        if isinstance(roll.left, Constant):
            return type(roll)(roll.left, on_dice(roll.right, change))
    return change(roll)
