"""What a unit shoots and fights with, where its player chooses."""

from __future__ import annotations

import pytest

from mathhammer.systems.wh40k.armies.choices import melee_lines, shooting_lines
from mathhammer.systems.wh40k.armies.unit import ModelGroup, Unit, WeaponLine
from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon


def weapon(text):
    """Weapon of so many attacks: ``"Gun 2"``, ``"Pistol 1 PISTOL"``, ``"Sword 3 melee"``."""
    name, attacks, *rest = text.split()
    melee = "melee" in rest
    keywords = " ".join(word for word in rest if word != "melee").replace("_", " ")
    return Weapon.parse(f"{name}: A{attacks} {'WS' if melee else 'BS'}3+ S4 AP0 D1 [{keywords}]")


def unit(groups, *lines, keywords=()):
    models = tuple(
        ModelGroup(f"Model {index}", count, Target.parse("T4 Sv3+ W1")) for index, count in enumerate(groups)
    )
    weapons = tuple(
        WeaponLine(choices[0].split()[0], count, "", group, (tuple(weapon(text) for text in choices),))
        for group, count, *choices in lines
    )
    return Unit("Unit", 1, models, weapons, keywords=keywords)


def attacks(weapon, line):
    return line.count * weapon.attacks.bounds()[1]


def used(lines):
    return [(line.modes[0].name, line.count) for line in lines]


@pytest.mark.parametrize(
    ("squad", "expected"),
    [
        (unit([5], (0, 5, "Gun 2"), (0, 5, "Pistol 1 PISTOL")), [("Gun", 5)]),
        (unit([5], (0, 5, "Gun 2"), (0, 5, "Pistol 3 PISTOL")), [("Pistol", 5)]),
        (unit([5], (0, 5, "Pistol 1 PISTOL")), [("Pistol", 5)]),
        (unit([5], (0, 5, "Gun 2"), (0, 5, "Rocket 1")), [("Gun", 5), ("Rocket", 5)]),
        # each kind of model chooses for itself
        (unit([1, 4], (0, 1, "Pistol 1 PISTOL"), (1, 4, "Gun 2")), [("Gun", 4), ("Pistol", 1)]),
        # three of five hold nothing but their pistols
        (unit([5], (0, 2, "Gun 2"), (0, 5, "Pistol 1 PISTOL")), [("Gun", 2), ("Pistol", 3)]),
        (unit([5], (0, 2, "Gun 1"), (0, 10, "Pistol 1 PISTOL")), [("Pistol", 10)]),
        (unit([5], (0, 2, "Gun 9"), (0, 10, "Pistol 1 PISTOL")), [("Gun", 2), ("Pistol", 6)]),
        # monsters and vehicles shoot with everything
        (
            unit([1], (0, 1, "Gun 2"), (0, 2, "Pistol 1 PISTOL"), keywords=("VEHICLE",)),
            [("Gun", 1), ("Pistol", 2)],
        ),
        # the best mode, by what so many copies are worth
        (unit([2], (0, 2, "Low 2", "High 3")), [("High", 2)]),
        (unit([1], (0, 1, "Sword 3 melee")), []),
        (unit([1]), []),
        # wargear of the unit as a whole is used besides
        (unit([1], (0, 1, "Gun 2"), (None, 2, "Turret 4")), [("Turret", 2), ("Gun", 1)]),
    ],
)
def test_shooting(squad, expected):
    assert used(shooting_lines(squad, attacks)) == expected


@pytest.mark.parametrize(
    ("squad", "expected"),
    [
        (unit([5], (0, 5, "Knife 1 melee"), (0, 5, "Sword 3 melee")), [("Sword", 5)]),
        (unit([5], (0, 5, "Knife 1 melee"), (0, 1, "Sword 3 melee")), [("Sword", 1), ("Knife", 4)]),
        (
            unit([5], (0, 5, "Teeth 1 melee EXTRA_ATTACKS"), (0, 5, "Sword 3 melee")),
            [("Sword", 5), ("Teeth", 5)],
        ),
        (unit([5], (0, 5, "Teeth 1 melee EXTRA_ATTACKS")), [("Teeth", 5)]),
        (unit([1], (0, 2, "Claw 4 melee"), (0, 1, "Fist 3 melee")), [("Claw", 1)]),
        (unit([1, 4], (0, 1, "Fist 3 melee"), (1, 4, "Knife 1 melee")), [("Fist", 1), ("Knife", 4)]),
        (unit([2], (0, 2, "Strike 2 melee", "Sweep 5 melee")), [("Sweep", 2)]),
        (unit([1], (0, 1, "Fist 3 melee"), keywords=("Monster",)), [("Fist", 1)]),
        (unit([1], (0, 1, "Gun 2")), []),
        (unit([3], (0, 3, "Knife 1 melee"), (None, 2, "Dog 2 melee")), [("Dog", 2), ("Knife", 3)]),
    ],
)
def test_fighting(squad, expected):
    assert used(melee_lines(squad, attacks)) == expected


def test_a_line_that_is_two_weapons_gives_two_lines():
    spear = WeaponLine(
        "Spear", 3, "", 0, ((weapon("Thrown 1"),), (weapon("Stabbed 2 melee"),), (weapon("Flare 1"),))
    )
    squad = Unit("Unit", 1, (ModelGroup("Model", 3, Target.parse("T4 Sv3+ W1")),), (spear,))
    assert used(shooting_lines(squad, attacks)) == [("Flare", 3), ("Thrown", 3)]
    assert used(melee_lines(squad, attacks)) == [("Stabbed", 3)]


def test_modes_are_judged_with_all_copies():
    """Worth may saturate: one copy of the cannon is worth more, ten are not."""
    squad = unit([10], (0, 10, "Cannon 1", "Needle 2"))
    saturating = lambda weapon, line: min(line.count * 6, 20) if weapon.name == "Cannon" else line.count * 3  # noqa: E731
    assert used(shooting_lines(squad, saturating)) == [("Needle", 10)]
