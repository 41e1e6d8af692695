"""The points where the rules of The 9th Age can be read in more than one way, and the reading in force by default.

The numbers P1 to P31 are the order in which they come up; P1 is the edition itself, which is an argument of its own.
A point with one option is one that the text decides, or that no reading found changes: it is named so that a result
says how it was read.
"""

from __future__ import annotations

from mathhammer.sequence import Ruling

_DICE = "The 9th Age rulebook, 2nd edition, Dice"
_MODIFIERS = "The 9th Age rulebook, 2nd edition, Priority of Modifiers"
_TO_HIT = "The 9th Age rulebook, 2nd edition, Rolling to Hit"
_HOPELESS = "The 9th Age rulebook, 2nd edition, Hopeless Shots"
_MODEL_RULES = "The 9th Age rulebook, 2nd edition, Model Rules"
_SEQUENCE = "The 9th Age rulebook, 2nd edition, Attack Sequence"
_SCORE = "The 9th Age rulebook, 2nd edition, Combat Score"
_POOLS = "The 9th Age rulebook, 2nd edition, Losing Health Points"

RULINGS: tuple[Ruling, ...] = (
    Ruling(
        "maximised_and_minimised",  # P2
        "Maximised and Minimised Roll on one roll: does each do what it says, or do they cancel one for one?",
        ("literal", "cancel"),
        "literal",
        f"{_DICE}: each instance by itself; the 3rd edition says that they cancel",
    ),
    Ruling(
        "maximised_d3",  # P3
        "Maximised D3: are D6 discarded and the one that stays halved?",
        ("halve-after-discarding",),
        "halve-after-discarding",
        f"{_DICE}: the rule speaks of D6",
    ),
    Ruling(
        "reroll_of_maximised",  # P4
        "A Maximised or Minimised roll is rerolled: all its dice, or those that were kept?",
        ("all-dice", "kept-dice"),
        "all-dice",
        f"{_DICE}: the roll is rerolled",
    ),
    Ruling(
        "natural_after_reroll",  # P5
        "Does a natural roll that was rerolled count for anything?",
        ("standing-die",),
        "standing-die",
        f"{_DICE}: the initial result is ignored for all rules purposes",
    ),
    Ruling(
        "hopeless_reroll_failed",  # P6
        "Hopeless Shot with failed to-hit rolls rerolled: which of its two dice may be rerolled?",
        ("first-die", "both-dice"),
        "first-die",
        f"{_HOPELESS}: the second die confirms the first",
    ),
    Ruling(
        "poison_and_lethal",  # P7
        "Can a wound of Poison Attacks be one of Lethal Strike?",
        ("no-roll", "as-natural-6"),
        "no-roll",
        f"{_MODEL_RULES}: no to-wound roll is made, so it was no natural 6",
    ),
    Ruling(
        "special_saves",  # P8
        "How many Special Saves are there against one wound?",
        ("one", "each"),
        "one",
        "The 9th Age rulebook, Saves: the Special Save, in the singular",
    ),
    Ruling(
        "special_save_natural_1",  # P9
        "Does a natural 1 fail a Special Save?",
        ("fails", "may-pass"),
        "fails",
        "The 9th Age rulebook, 2nd edition, Armour Saves, carried over",
    ),
    Ruling(
        "multiple_wounds_order",  # P10
        "Are wounds multiplied after the saves or before them?",
        ("after-saves", "before-saves"),
        "after-saves",
        f"{_SEQUENCE}; Multiple Wounds",
    ),
    Ruling(
        "multiple_wounds_clip",  # P11
        "What is the most that one wound can multiply to?",
        ("health-points", "nothing"),
        "health-points",
        "The 9th Age rulebook, 2nd edition, Multiple Wounds: the Health Points Characteristic",
    ),
    Ruling(
        "overkill",  # P12
        "Do wounds beyond the last Health Point count as lost?",
        ("reported-apart",),
        "reported-apart",
        "The 9th Age rulebook, 2nd edition, Combat Score: only in a Duel",
    ),
    Ruling(
        "stopping_early",  # P13
        "Do simultaneous attacks stop when the target is destroyed?",
        ("never",),
        "never",
        f"{_SEQUENCE}: each step is finished for all of them",
    ),
    Ruling(
        "random_attacks",  # P14
        "Random numbers of attacks or hits: one roll for each model part, or one for all?",
        ("each-model-part", "once"),
        "each-model-part",
        f"{_MODEL_RULES}, Special Attacks",
    ),
    Ruling(
        "melee_natural_1",  # P15
        "Melee at 1+ or better: does a natural 1 miss?",
        ("misses",),
        "misses",
        _TO_HIT,
    ),
    Ruling(
        "shooting_natural_6",  # P16
        "Does a natural 6 hit whatever the modifiers when shooting?",
        ("no", "hits"),
        "no",
        f"{_HOPELESS}: it would leave them nothing to say",
    ),
    Ruling(
        "shooting_natural_1",  # P17
        "Does a natural 1 miss whatever the modifiers when shooting?",
        ("misses", "may-hit"),
        "misses",
        "The 9th Age rulebook, 3rd edition, To-Hit Modifiers, carried over",
    ),
    Ruling(
        "distracting",  # P18
        "Distracting beside another negative to-hit modifier: dropped or added?",
        ("dropped", "added"),
        "dropped",
        f"{_MODEL_RULES}, Distracting",
    ),
    Ruling(
        "discipline_below_2",  # P19
        "What is the chance of a Discipline Test below 2?",
        ("none",),
        "none",
        f"{_MODIFIERS}: a value below 0 counts as 0, and 2D6 are never less than 2",
    ),
    Ruling(
        "double_1",  # P20
        "Does a natural double 1 pass a Break Test whatever the modifiers?",
        ("no-rule", "passes"),
        "no-rule",
        "The 9th Age rulebook, 2nd edition, Break Test: nothing says so",
    ),
    Ruling(
        "geometry",  # P21
        "Ranks, files, contact, cover and arcs: where do they come from?",
        ("given-numbers",),
        "given-numbers",
        "outside of dice",
    ),
    Ruling(
        "panic_threshold",  # P22
        "25% of the Health Points: how are fractions counted?",
        ("at-least", "rounded-down"),
        "at-least",
        "The 9th Age rulebook, 2nd edition, Panic Test",
    ),
    Ruling(
        "same_step_modifiers",  # P23
        "Modifiers of one step: in the order that gives the lowest value, or as they come?",
        ("lowest", "as-they-come"),
        "lowest",
        _MODIFIERS,
    ),
    Ruling(
        "distracting_and_lightning_reflexes",  # P24
        "Does the +1 of Lightning Reflexes count against Distracting?",
        ("both-count", "bonus-lost"),
        "both-count",
        f"{_MODEL_RULES}, Distracting and Lightning Reflexes",
    ),
    Ruling(
        "parry_third_edition",  # P25
        "Is Parry in the 3rd edition what it is in the 2nd?",
        ("as-2e", "nothing"),
        "as-2e",
        "no 3rd-edition text found; it has no effect in the 2nd edition",
    ),
    Ruling(
        "stand_and_shoot_third_edition",  # P25
        "Has Stand and Shoot a to-hit modifier in the 3rd edition?",
        ("none", "as-2e"),
        "none",
        "no 3rd-edition text found; it has no effect in the 2nd edition",
    ),
    Ruling(
        "special_save_choice",  # P26
        "Which of several Special Saves is taken?",
        ("best-chance", "lowest-number"),
        "best-chance",
        "the defender's choice, with rerolls and Divine Attacks in view",
    ),
    Ruling(
        "hopeless_reroll_ones",  # P27
        "Hopeless Shot with natural 1s rerolled: which of its two dice?",
        ("first-die", "both-dice"),
        "first-die",
        f"{_HOPELESS}: as for failed rolls",
    ),
    Ruling(
        "flank_bonus",  # P28
        "Flank Bonus of +1 or +2: when is it 2?",
        ("by-full-ranks", "one"),
        "by-full-ranks",
        f"{_SCORE}: for a unit with two Full Ranks, as far as the text is known; the 3rd edition counts each flank",
    ),
    Ruling(
        "rear_bonus",  # P29
        "Is the bonus for the enemy's rear that for a flank, or one more?",
        ("as-flank", "one-more"),
        "as-flank",
        f"{_SCORE}: no text of the rear found; it has no effect in the 3rd edition",
    ),
    Ruling(
        "proper_ranks",  # P30
        "Combat Score of Proper Ranks: does the first rank count?",
        ("after-the-first", "all"),
        "after-the-first",
        "The 9th Age rulebook, 3rd edition, Static Combat Score; it has no effect in the 2nd edition",
    ),
    Ruling(
        "advantaged_position",  # P31
        "Do units that are Steady and Solid wound one better?",
        ("one-to-wound", "nothing"),
        "one-to-wound",
        "The 9th Age rulebook, 3rd edition, Combat Formation; it has no effect in the 2nd edition",
    ),
)
