"""The points where the rules of The 9th Age can be read in more than one way, and the reading in force by default."""

from __future__ import annotations

from mathhammer.sequence import Ruling

_DICE = "The 9th Age rulebook, 2nd edition, Dice"
_MODIFIERS = "The 9th Age rulebook, 2nd edition, Priority of Modifiers"
_TO_HIT = "The 9th Age rulebook, 2nd edition, Rolling to Hit"
_HOPELESS = "The 9th Age rulebook, 2nd edition, Hopeless Shots"
_MODEL_RULES = "The 9th Age rulebook, 2nd edition, Model Rules"
_SEQUENCE = "The 9th Age rulebook, 2nd edition, Attack Sequence"
_SCORE = "The 9th Age rulebook, 2nd edition, Combat Score"


def _ruling(name: str, question: str, options: tuple[str, ...], source: str) -> Ruling:
    """Return a disputed point whose first option is the default."""
    return Ruling(name, question, options, options[0], source)


RULINGS: tuple[Ruling, ...] = (
    _ruling(
        "maximised_and_minimised",
        "Maximised and Minimised Roll on one roll: does each do what it says, or do they cancel one for one?",
        ("literal", "cancel"),
        f"{_DICE}: each instance by itself; the 3rd edition says that they cancel",
    ),  # P2
    _ruling(
        "maximised_d3",
        "Maximised D3: are D6 discarded and the one that stays halved?",
        ("halve-after-discarding",),
        f"{_DICE}: the rule speaks of D6",
    ),  # P3
    _ruling(
        "reroll_of_maximised",
        "A Maximised or Minimised roll is rerolled: all its dice, or those that were kept?",
        ("all-dice", "kept-dice"),
        f"{_DICE}: the roll is rerolled",
    ),  # P4
    _ruling(
        "natural_after_reroll",
        "Does a natural roll that was rerolled count for anything?",
        ("standing-die",),
        f"{_DICE}: the initial result is ignored for all rules purposes",
    ),  # P5
    _ruling(
        "hopeless_reroll_failed",
        "Hopeless Shot with failed to-hit rolls rerolled: which of its two dice may be rerolled?",
        ("first-die", "both-dice"),
        f"{_HOPELESS}: the second die confirms the first",
    ),  # P6
    _ruling(
        "poison_and_lethal",
        "Can a wound of Poison Attacks be one of Lethal Strike?",
        ("no-roll", "as-natural-6"),
        f"{_MODEL_RULES}: no to-wound roll is made, so it was no natural 6",
    ),  # P7
    _ruling(
        "special_saves",
        "How many Special Saves are there against one wound?",
        ("one", "each"),
        "The 9th Age rulebook, Saves: the Special Save, in the singular",
    ),  # P8
    _ruling(
        "special_save_natural_1",
        "Does a natural 1 fail a Special Save?",
        ("fails", "may-pass"),
        "The 9th Age rulebook, 2nd edition, Armour Saves, carried over",
    ),  # P9
    _ruling(
        "multiple_wounds_order",
        "Are wounds multiplied after the saves or before them?",
        ("after-saves", "before-saves"),
        f"{_SEQUENCE}; Multiple Wounds",
    ),  # P10
    _ruling(
        "multiple_wounds_clip",
        "What is the most that one wound can multiply to?",
        ("health-points", "nothing"),
        "The 9th Age rulebook, 2nd edition, Multiple Wounds: the Health Points Characteristic",
    ),  # P11
    _ruling(
        "overkill",
        "Do wounds beyond the last Health Point count as lost?",
        ("reported-apart",),
        "The 9th Age rulebook, 2nd edition, Combat Score: only in a Duel",
    ),  # P12
    _ruling(
        "stopping_early",
        "Do simultaneous attacks stop when the target is destroyed?",
        ("never",),
        f"{_SEQUENCE}: each step is finished for all of them",
    ),  # P13
    _ruling(
        "random_attacks",
        "Random numbers of attacks or hits: one roll for each model part, or one for all?",
        ("each-model-part", "once"),
        f"{_MODEL_RULES}, Special Attacks",
    ),  # P14
    _ruling("melee_natural_1", "Melee at 1+ or better: does a natural 1 miss?", ("misses",), _TO_HIT),  # P15
    _ruling(
        "shooting_natural_6",
        "Does a natural 6 hit whatever the modifiers when shooting?",
        ("no", "hits"),
        f"{_HOPELESS}: it would leave them nothing to say",
    ),  # P16
    _ruling(
        "shooting_natural_1",
        "Does a natural 1 miss whatever the modifiers when shooting?",
        ("misses", "may-hit"),
        "The 9th Age rulebook, 3rd edition, To-Hit Modifiers, carried over",
    ),  # P17
    _ruling(
        "distracting",
        "Distracting beside another negative to-hit modifier: dropped or added?",
        ("dropped", "added"),
        f"{_MODEL_RULES}, Distracting",
    ),  # P18
    _ruling(
        "discipline_below_2",
        "What is the chance of a Discipline Test below 2?",
        ("none",),
        f"{_MODIFIERS}: a value below 0 counts as 0, and 2D6 are never less than 2",
    ),  # P19
    _ruling(
        "double_1",
        "Does a natural double 1 pass a Break Test whatever the modifiers?",
        ("no-rule", "passes"),
        "The 9th Age rulebook, 2nd edition, Break Test: nothing says so",
    ),  # P20
    _ruling(
        "geometry",
        "Ranks, files, contact, cover and arcs: where do they come from?",
        ("given-numbers",),
        "outside of dice",
    ),  # P21
    _ruling(
        "panic_threshold",
        "25% of the Health Points: how are fractions counted?",
        ("at-least", "rounded-down"),
        "The 9th Age rulebook, 2nd edition, Panic Test",
    ),  # P22
    _ruling(
        "same_step_modifiers",
        "Modifiers of one step: in the order that gives the lowest value, or as they come?",
        ("lowest", "as-they-come"),
        _MODIFIERS,
    ),  # P23
    _ruling(
        "distracting_and_lightning_reflexes",
        "Does the +1 of Lightning Reflexes count against Distracting?",
        ("both-count", "bonus-lost"),
        f"{_MODEL_RULES}, Distracting and Lightning Reflexes",
    ),  # P24
    _ruling(
        "parry_third_edition",
        "Is Parry in the 3rd edition what it is in the 2nd?",
        ("as-2e", "nothing"),
        "no 3rd-edition text found; it has no effect in the 2nd edition",
    ),  # P25
    _ruling(
        "stand_and_shoot_third_edition",
        "Has Stand and Shoot a to-hit modifier in the 3rd edition?",
        ("none", "as-2e"),
        "no 3rd-edition text found; it has no effect in the 2nd edition",
    ),  # P25
    _ruling(
        "special_save_choice",
        "Which of several Special Saves is taken?",
        ("best-chance", "lowest-number"),
        "the defender's choice, with rerolls and Divine Attacks in view",
    ),  # P26
    _ruling(
        "hopeless_reroll_ones",
        "Hopeless Shot with natural 1s rerolled: which of its two dice?",
        ("first-die", "both-dice"),
        f"{_HOPELESS}: as for failed rolls",
    ),  # P27
    _ruling(
        "flank_bonus",
        "Flank Bonus of +1 or +2: when is it 2?",
        ("by-full-ranks", "one"),
        f"{_SCORE}: for a unit with two Full Ranks, as far as the text is known; the 3rd edition counts each flank",
    ),  # P28
    _ruling(
        "rear_bonus",
        "Is the bonus for the enemy's rear that for a flank, or one more?",
        ("as-flank", "one-more"),
        f"{_SCORE}: no text of the rear found; it has no effect in the 3rd edition",
    ),  # P29
    _ruling(
        "proper_ranks",
        "Combat Score of Proper Ranks: does the first rank count?",
        ("after-the-first", "all"),
        "The 9th Age rulebook, 3rd edition, Static Combat Score; it has no effect in the 2nd edition",
    ),  # P30
    _ruling(
        "advantaged_position",
        "Do units that are Steady and Solid wound one better?",
        ("one-to-wound", "nothing"),
        "The 9th Age rulebook, 3rd edition, Combat Formation; it has no effect in the 2nd edition",
    ),  # P31
)
