"""Ability texts read by grammar, in sentences of our own, and names in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mathhammer.errors import UnknownNameError
from mathhammer.systems.wh40k.profiles.keywords import require_spelt, split_keywords
from mathhammer.systems.wh40k.unit_rules.applied import key_of, same_weapon
from mathhammer.systems.wh40k.unit_rules.phrases import names_of, needles, weapon_names
from mathhammer.systems.wh40k.unit_rules.reader import (
    has_no_effect,
    is_weapon_ability,
    prepared,
    read_named,
    read_text,
)
from mathhammer.systems.wh40k.unit_rules.rule import UnitRule


def read(text: str) -> list[str]:
    reading = read_text(text)
    assert not (reading.effects and reading.unread)
    return ["unread"] if reading.unread else [str(effect) for effect in reading.effects]


def rows() -> list[tuple[str, list[str]]]:
    """Return texts with what they say: below each its effects, or that it is unread, which is never applied."""
    found: list[tuple[str, list[str]]] = []
    for line in Path(__file__).with_name("unit_rules.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            found[-1][1].append(line.strip())
        elif line and not line.startswith("#"):
            found.append((line.replace("\\n", "\n"), []))
    return found


@pytest.mark.parametrize(("text", "effects"), rows())
def test_what_a_text_says(text, effects):
    assert read(text) == effects


@pytest.mark.parametrize("clause", ["while it rains", "unless the tide is high", "if the Marshal likes it"])
@pytest.mark.parametrize(
    "sentence",
    [
        "Each time this model makes an attack{}, add 1 to the Hit roll.",
        "Models in this unit have a 4+ invulnerable save{}.",
        "Melee weapons equipped by models in this unit have the [LANCE] ability{}.",
        "Each time an attack targets this unit{}, subtract 1 from the Wound roll.",
    ],
)
def test_a_clause_that_is_not_understood_is_the_players_to_say(sentence, clause):
    (plain,) = read(sentence.format(""))
    assert read(sentence.format(f", {clause}")) == [f"{plain} {clause}"]
    rule = UnitRule("Rule", "datasheet", "Unit", read_text(sentence.format(f", {clause}")).effects)
    assert (rule.state, rule.on().state) == ("off", "on")
    assert read(sentence.format(", come rain or shine")) == ["unread"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "add 1 to the Hit roll " * 200_000,
        "Each time " * 500 + "this model makes an attack, add 1 to the Hit roll.",
        "(" * 5_900,
        "[" * 3_000 + "]" * 2_900,
        "<" * 5_000 + "b>",
        "Add " + "9" * 1_000_000 + " to the Attacks characteristic of this model's hooks.",
        "Add " + "9" * 4_000 + " to the Attacks characteristic of this model's hooks.",
        "A Very Long Name " * 300 + "has a 4+ invulnerable save.",
        "a, " * 1_900 + "or b units",
        "that targets a Monster or " * 200 + "Vehicle unit",
        "re-roll the Hit roll and " * 230,
        "\n- " * 1_900,
        "\u202e\x1b[31mAdd 1 to the Hit roll.",
    ],
)
def test_hostile_texts_are_read_at_once_and_give_nothing(text):
    """A regular expression that explodes would stop the run here."""
    assert read_text(text).effects == ()


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (has_no_effect('Scouts 6"'), True),
        (has_no_effect("Stealth"), False),
        (is_weapon_ability("Sustained Hits"), True),
        (is_weapon_ability("Anti-"), True),
        (is_weapon_ability("Assault Vehicle"), False),
        (is_weapon_ability("Sustained Hits", ["Sustained Hits 1"]), True),
        (is_weapon_ability("Blast", ["Heavy"]), False),
        ([str(effect) for effect in read_named("Feel No Pain 5+").effects], ["Feel No Pain 5+"]),
        (set(needles(r"(?:each time )?makes an? <KIND>attack")), {"makes a", "attack"}),
        (needles("a|b"), ()),
        (names_of("MONSTER or VEHICLE units"), ("Monster", "Vehicle")),
        (names_of("a Captain, Chapter Master or Lieutenant"), ("Captain", "Chapter Master", "Lieutenant")),
        (weapon_names("its big gun and twin small gun"), ("big gun", "twin small gun")),
        (
            prepared("While **this model** re rolls…\u00a0Hit rolls"),
            "While this model re-rolls... Hit roll",
        ),
        (key_of("Storm-Wardens"), "storm warden"),
        (key_of("Nurse’s Twin‑Linked Guns"), "nurse' twin linked gun"),
        (same_weapon("plasma gun", "➤ Plasma gun - supercharge"), True),
        (same_weapon("gun", "plasma gun"), False),
        (split_keywords("Infantry Epic Hero"), ("Infantry", "Epic Hero")),
        (split_keywords("Adeptus Astartes, Infantry"), ("Adeptus Astartes", "Infantry")),
        (require_spelt("Adeptus Astartes"), "Adeptus Astartes"),
    ],
)
def test_names(read: object, expected: object) -> None:
    assert read == expected


def test_a_misspelt_keyword_names_the_common_one() -> None:
    with pytest.raises(UnknownNameError, match="'Infanty'; did you mean 'Infantry'"):
        require_spelt("Infanty")
