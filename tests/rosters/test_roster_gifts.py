"""What an enhancement changes counts once, whether the file's profiles hold it already or not."""

from __future__ import annotations

import pytest
from roster_files import ability, as_json, blade, roster, selection, stat_line

from mathhammer import wh40k
from mathhammer.rosters import read_army

MANTLE = selection(
    "Mantle",
    group="Enhancements",
    profiles=(
        ability("Mantle", "Add 2 to the bearer's Wounds characteristic."),
        ability("Edge", "Add 1 to the Damage characteristic of the bearer's melee weapons."),
    ),
)
NEW_RECRUIT = "https://newrecruit.eu"


def captain(*enhancements, wounds="6", damage="2"):
    sword = selection("Sword", profiles=(blade("Sword", D=damage),))
    return selection("Captain", "model", 1, sword, *enhancements, profiles=(stat_line("Captain", W=wounds),))


CHANGED, PLAIN = captain(MANTLE, wounds="8", damage="3"), captain(MANTLE)


@pytest.mark.parametrize(
    ("unit", "others", "sheets", "writer", "said"),
    [
        (CHANGED, (), True, "", "with +2 Wounds (Mantle)"),
        (PLAIN, (), True, NEW_RECRUIT, ""),
        (CHANGED, (captain(),), False, "", "with +2 Wounds (Mantle)"),
        (PLAIN, (captain(),), False, NEW_RECRUIT, ""),
        (
            CHANGED,
            (),
            False,
            NEW_RECRUIT,
            "with +2 Wounds (Mantle); nothing tells but the program that wrote it",
        ),
        (PLAIN, (), False, "BattleScribe", "without +2 Wounds (Mantle); nothing tells but"),
    ],
)
def test_an_enhancement_counts_once(tmp_path, unit, others, sheets, writer, said):
    """Eight Wounds of six and two more; 3 attacks hit on 3+, wound on 4+ and deal 3: 3 wounds."""
    (tmp_path / "list.json").write_bytes(as_json(roster(unit, *others, generatedBy=writer)))
    (tmp_path / "sheets.json").write_bytes(as_json(roster(captain())))
    found = read_army(tmp_path / "list.json", datasheets=tmp_path / "sheets.json" if sheets else None).units[
        0
    ]
    assert found.as_target().wounds == 8
    target = wh40k.Target("Block", toughness=4, save=None, wounds=100)
    assert wh40k.attack(found, target).wounds_lost.mean() == pytest.approx(3, rel=1e-12)
    notes = [note for note in found.notes if "the profiles of the list are" in note]
    assert said in "".join(notes)
    assert len(notes) == 2 * bool(said)


@pytest.mark.parametrize("damage", ["2", "3"])
def test_what_is_said_instead_of_a_gift_counts_once_too(tmp_path, damage):
    """Damage of two and two more in that state, whether the file holds one of them or none: 3 attacks deal 4."""
    text = (
        "This model's melee attacks have:\n- +1 D.\n- Or: If the mill doctrine is active for this unit, +2 D."
    )
    edge = selection("Edge", group="Enhancements", profiles=(ability("Edge", text),))
    (tmp_path / "list.json").write_bytes(as_json(roster(captain(edge, damage=damage))))
    (tmp_path / "sheets.json").write_bytes(as_json(roster(captain())))
    (found,) = read_army(tmp_path / "list.json", datasheets=tmp_path / "sheets.json").units
    target = wh40k.Target("Block", toughness=4, save=None, wounds=100)
    worth = {on: wh40k.attack(found.with_rules(on=on), target).wounds_lost.mean() for on in ((), ("Edge",))}
    assert worth == {(): pytest.approx(3), ("Edge",): pytest.approx(4)}
