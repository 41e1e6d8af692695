"""Names in texts of abilities: of rules, weapons, keywords and units, as they are read and compared."""

from __future__ import annotations

import pytest

from mathhammer.errors import UnknownNameError
from mathhammer.systems.wh40k.profiles.keywords import require_spelt, split_keywords
from mathhammer.systems.wh40k.unit_rules.applied import key_of, same_weapon
from mathhammer.systems.wh40k.unit_rules.phrases import names_of, needles, weapon_names
from mathhammer.systems.wh40k.unit_rules.reader import has_no_effect, is_weapon_ability, prepared, read_named


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
