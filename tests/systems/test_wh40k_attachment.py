"""Leaders attached to units, and units of several kinds of models as targets."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import Rational
from tenth import army_table, wh40k

from mathhammer.errors import RosterError, UnknownNameError
from mathhammer.systems.wh40k.armies.army import Army
from mathhammer.systems.wh40k.armies.attachment import attach_all
from mathhammer.systems.wh40k.armies.choices import melee_lines, shooting_lines
from mathhammer.systems.wh40k.armies.unit import ModelGroup, Unit, WeaponLine
from mathhammer.systems.wh40k.profiles.profiles import Target

PISTOL = wh40k.Weapon.parse('Sidearm: 12" A1 BS2+ S4 AP0 D1 [PISTOL]')
SWORD = wh40k.Weapon.parse("Sword: A5 WS2+ S5 AP-2 D2")
RIFLE = wh40k.Weapon.parse('Rifle: 24" A2 BS3+ S4 AP-1 D1')
CAPTAIN = Unit(
    "Captain",
    80,
    (ModelGroup("Captain", 1, Target.parse("T5 Sv2+ InSv4+ W5")),),
    (
        WeaponLine("Sidearm", 1, "Captain", 0, ((PISTOL,),)),
        WeaponLine("Sword", 1, "Captain", None, ((SWORD,),)),
    ),
    keywords=("Infantry", "Character"),
    rules=("Leader",),
)
LIEUTENANT = Unit(
    "Lieutenant",
    65,
    (ModelGroup("Lieutenant", 1, Target.parse("T4 Sv3+ W4")),),
    keywords=("Infantry", "Character"),
)
SQUAD = Unit(
    "Wardens",
    92,
    (
        ModelGroup("Sergeant", 1, Target.parse("T4 Sv3+ W3")),
        ModelGroup("Warden", 4, Target.parse("T4 Sv3+ W2")),
    ),
    (WeaponLine("Rifle", 4, "Warden", 1, ((RIFLE,),)),),
    keywords=("Infantry", "Battleline"),
)
ARMY = Army("A", "F", "10e", 329, (CAPTAIN, SQUAD, LIEUTENANT, SQUAD))


def lowest(weapon, line):
    return line.count / (1 + len(weapon.name))


def test_a_mixed_unit_is_a_target_of_its_kinds():
    unit = SQUAD.as_target_unit()
    assert isinstance(unit, wh40k.TargetUnit)
    assert [(kind.name, kind.models, kind.wounds, kind.points) for kind in unit.models] == [
        ("Warden", 4, 2, 74),
        ("Sergeant", 1, 3, 18),
    ]
    assert (unit.leaders, unit.points, unit.keywords) == ((), 92, ("Infantry", "Battleline"))


def test_a_uniform_unit_is_a_target_of_equal_models():
    assert CAPTAIN.as_target_unit() == CAPTAIN.as_target()


def test_models_without_a_stat_line_count_as_the_most_numerous_kind():
    odd = Unit("Odd", 30, (*SQUAD.models, ModelGroup("Drone", 1)))
    assert [kind.models for kind in odd.as_target_unit().models] == [5, 1]


def test_an_attached_unit_is_one_unit():
    army = ARMY.attach("captain", "Wardens")
    assert [unit.name for unit in army.units] == ["Wardens with Captain", "Lieutenant", "Wardens"]
    unit = army.units[0]
    assert (unit.points, unit.size, unit.keywords) == (172, 6, ("Infantry",))
    assert unit.all_keywords == ("Infantry", "Battleline", "Character")
    target = unit.as_target_unit()
    assert [kind.name for kind in target.kinds] == ["Warden", "Sergeant", "Captain"]
    assert [kind.name for kind in target.leaders] == ["Captain"]
    # The bodyguard's Toughness, and each keeps its points.
    assert (target.toughness, target.points, target.leaders[0].points) == (4, 172, 80)
    assert unit.as_target().toughness == 4
    assert army.points == ARMY.points


def test_equal_models_have_the_name_of_the_most_numerous():
    """A squad leader with the stat line of his men is listed first; they are many."""
    chief = ModelGroup("Chief", 1, Target.parse("T3 Sv5+ W1"))
    men = ModelGroup("Lamplighter", 9, Target.parse("T3 Sv5+ W1"))
    marshal = ModelGroup("Marshal", 1, Target.parse("T3 Sv4+ W4"))
    army = Army("A", "F", "10e", 200, (Unit("Marshal", 80, (marshal,)), Unit("Lamps", 120, (chief, men))))
    target = army.attach("Marshal", "Lamps").units[0].as_target_unit()
    assert [(kind.name, kind.models) for kind in target.kinds] == [("Lamplighter", 10), ("Marshal", 1)]


def test_an_attached_unit_attacks_as_one():
    unit = ARMY.attach("Captain", "Wardens").units[0]
    assert [(line.name, line.count, line.group) for line in unit.weapons] == [
        ("Rifle", 4, 1),
        ("Sidearm", 1, 2),
        ("Sword", 1, 2),
    ]
    assert [line.name for line in shooting_lines(unit, lowest)] == ["Rifle", "Sidearm"]
    assert [line.name for line in melee_lines(unit, lowest)] == ["Sword"]
    rows = army_table(Army("A", "F", "10e", 172, (unit,)), [wh40k.TARGETS["MEQ"]]).records
    result = wh40k.attack([wh40k.Volley(RIFLE, 4), wh40k.Volley(PISTOL)], wh40k.TARGETS["MEQ"])
    assert rows[0]["mean_wounds_lost"] == pytest.approx(result.wounds_lost.mean(), rel=1e-12)


def test_the_leader_dies_last_unless_singled_out():
    target = ARMY.attach("Captain", "Wardens").units[0].as_target_unit()
    result = wh40k.attack(RIFLE, target, count=3)
    assert result.kills_of("Captain").at_least(1) == 0
    precise = wh40k.Weapon.parse('Long rifle: 36" A1 BS3+ S5 AP-2 DD6 [PRECISION]')
    assert wh40k.attack(precise, target).kills_of("Captain").at_least(1) > 0


def test_two_leaders_of_one_unit_and_the_second_of_two_units():
    army = ARMY.attach("Captain", "Wardens").attach("Lieutenant", "Wardens with Captain")
    assert [unit.name for unit in army.units] == ["Wardens with Captain and Lieutenant", "Wardens"]
    assert army.units[0].joined == ("Wardens", "Captain", "Lieutenant")
    assert [kind.name for kind in army.units[0].as_target_unit().leaders] == ["Captain", "Lieutenant"]
    # Of two units of one name the one that is alone goes first.
    other = ARMY.attach("Captain", "Wardens").attach("Lieutenant", "Wardens")
    assert [unit.name for unit in other.units] == ["Wardens with Captain", "Wardens with Lieutenant"]
    second = ARMY.attach("Captain", "Wardens #2")
    assert [unit.name for unit in second.units] == ["Wardens", "Lieutenant", "Wardens with Captain"]


def test_the_guns_of_a_monster_in_an_attached_unit_leave_the_others_to_choose():
    guard = Unit(
        "Riders",
        90,
        (ModelGroup("Rider", 3, Target.parse("T5 Sv4+ W3")),),
        (
            WeaponLine("Rifle", 3, "Rider", 0, ((RIFLE,),)),
            WeaponLine("Sidearm", 3, "Rider", 0, ((PISTOL,),)),
        ),
    )
    beast = Unit(
        "Beast",
        90,
        (ModelGroup("Beast", 1, Target.parse("T9 Sv4+ W9")),),
        (
            WeaponLine("Rifle", 1, "Beast", 0, ((RIFLE,),)),
            WeaponLine("Sidearm", 1, "Beast", 0, ((PISTOL,),)),
        ),
        keywords=("Monster", "Character"),
    )
    unit = Army("A", "F", "10e", 180, (guard, beast)).attach("Beast", "Riders").units[0]
    used = [(line.name, line.bearer) for line in shooting_lines(unit, lambda _weapon, line: line.count)]
    assert used == [("Rifle", "Rider"), ("Rifle", "Beast"), ("Sidearm", "Beast")]


@pytest.mark.parametrize(
    ("leader", "bodyguard", "message"),
    [
        ("Captian", "Wardens", "got 'Captian'; did you mean 'Captain'"),
        ("Captain", "Captain", "expected the name of a unit of the army, got 'Captain'"),
        ("Captain", "Wardens #3", "expected a number up to 2 after 'Wardens'"),
        ("Zz", "Wardens", "it has Captain, Wardens, Lieutenant"),
    ],
)
def test_names_that_are_wrong(leader, bodyguard, message):
    with pytest.raises(UnknownNameError, match=message):
        ARMY.attach(leader, bodyguard)


def test_an_attached_unit_leads_nobody():
    with pytest.raises(RosterError, match="is attached already; attach 'Captain' to another unit"):
        ARMY.attach("Captain", "Wardens").attach("Wardens with Captain", "Lieutenant")


@pytest.mark.parametrize(
    ("listed", "name"),
    [
        ("WARDENS", "Wardens"),
        ("Warden", "Wardens"),
        ("Storm Wardens", "Storm Wardens [Legends]"),
        ("Electro-Priests", "Fulgurite Electro‑Priests"),
        ("Kataphrons", "Kataphron Breachers"),
        ("BATTLELINE INFANTRY", "Lamps"),
        ("PLAGUE BEARERS", "Plaguebearers"),
        ("Traitor Guardsman Squad", "Traitor Guardsmen Squad"),
    ],
)
def test_a_leader_of_units_that_its_ability_lists(listed, name):
    captain, squad = replace(CAPTAIN, leads=("Rhinos", listed)), replace(SQUAD, name=name)
    army = Army("A", "F", "10e", 172, (captain, squad)).attach("Captain", name)
    assert [unit.joined for unit in army.units] == [(name, "Captain")]
    # A second leader is attached to the same bodyguard, whatever the unit is called by now.
    army = Army("A", "F", "10e", 172, (captain, squad, replace(LIEUTENANT, leads=(listed,))))
    assert len(army.attach("Captain", name).attach("Lieutenant", name).units) == 1


@pytest.mark.parametrize("name", ["Heavy Wardens Squad", "Lamps", "Warden"])
def test_a_leader_that_its_own_ability_forbids(name):
    captain, squad = replace(CAPTAIN, leads=("Wardens Squad", "Storm Lamps")), replace(SQUAD, name=name)
    message = (
        f"expected a unit that 'Captain' can be attached to, got '{name}'; its Leader ability lists Wardens Squad, "
        "Storm Lamps; this army has no unit that it can lead"
    )
    with pytest.raises(RosterError) as caught:
        Army("A", "F", "10e", 172, (captain, squad)).attach("Captain", name)
    assert str(caught.value) == message


def test_the_legal_ones_are_named():
    captain = replace(CAPTAIN, leads=("Wardens", "Storm Lamps"))
    army = Army("A", "F", "10e", 329, (captain, SQUAD, LIEUTENANT, SQUAD))
    assert army.leaders == {"Captain": ("Wardens", "Wardens #2")}
    with pytest.raises(
        RosterError, match="Wardens, Storm Lamps; in this army it can lead 'Wardens', 'Wardens #2'"
    ):
        army.attach("Captain", "Lieutenant")
    assert army.attach("Captain", "Wardens").leaders == {}


def test_a_leader_is_no_bodyguard_by_a_part_of_its_name():
    """Exalted Lamps lead Lamps, and not each other."""
    exalted = replace(CAPTAIN, name="Exalted Lamp", leads=("LAMPS",), keywords=("Character", "Lamp"))
    army = Army("A", "F", "10e", 252, (exalted, exalted, replace(SQUAD, name="Lamps")))
    assert army.leaders == {"Exalted Lamp": ("Lamps",), "Exalted Lamp #2": ("Lamps",)}
    # One that is named as a whole is meant: a command squad is led, and leads.
    squad = replace(SQUAD, name="Lamps", leads=("Boats",))
    assert Army("A", "F", "10e", 172, (exalted, squad)).leaders["Exalted Lamp"] == ("Lamps",)


def test_a_bodyguard_that_is_led_as_another():
    """Its own ability says whose leaders can lead it too, and of which keyword."""
    captain = replace(CAPTAIN, leads=("Lamps",))
    for who, legal in (("", ("Wardens",)), ("Character", ("Wardens",)), ("Chaplain", ())):
        squad = replace(SQUAD, led_as=((who, "Lamps"),))
        assert Army("A", "F", "10e", 172, (captain, squad)).leaders == {"Captain": legal}


@pytest.mark.parametrize(
    ("edition", "first", "second", "refused"),
    [
        ("10e", False, False, True),
        ("10e", True, False, False),
        ("10e", False, True, False),
        ("10e", None, False, False),  # nobody knows what the first one's ability says
        ("11e", False, False, False),
    ],
)
def test_a_second_leader(edition, first, second, refused):
    captain = replace(CAPTAIN, leads=("Wardens",), joins_led=first)
    lieutenant = replace(LIEUTENANT, leads=("Wardens",), joins_led=second)
    army = Army("A", "F", edition, 237, (captain, lieutenant, SQUAD)).attach("Captain", "Wardens")
    assert army.leaders == {"Lieutenant": () if refused else ("Wardens with Captain",)}
    if refused:
        with pytest.raises(
            RosterError, match=r"without another leader .* this army has no unit that it can lead"
        ):
            army.attach("Lieutenant", "Wardens")
    else:
        assert len(army.attach("Lieutenant", "Wardens").units) == 1


def test_what_a_list_attaches_twice_is_said():
    army = attach_all(ARMY, [(0, 1), (0, 3), (2, 1)])
    assert [unit.name for unit in army.units] == ["Wardens with Captain and Lieutenant", "Wardens"]
    assert army.warnings == ("the list attaches Captain to Wardens, and one of them elsewhere too: left out",)


def test_who_is_no_character_is_not_protected():
    pets = Unit("Pets", 20, (ModelGroup("Pet", 2, Target.parse("T3 Sv6+ W1")),), keywords=("Beast",))
    unit = Army("A", "F", "10e", 112, (pets, SQUAD)).attach("Pets", "Wardens").units[0]
    target = unit.as_target_unit()
    assert [target.is_character(kind) for kind in target.leaders] == [False]
    assert target.toughness == 4
    # Their player may take the first wound from them, as no rule keeps it from them: 1/2 to wound T4, no save.
    chosen = wh40k.TargetUnit("unit", target.models, target.leaders, allocation="best", objective="points")
    gun = wh40k.Weapon.parse("Gun: A1 S4 AP-6 D3 [TORRENT]")
    assert wh40k.attack(gun, chosen, exact=True).kills_of("Pet").mean() == Rational(1, 2)
    assert "Wardens: Pets is no Character, so its models are attacked like the others" in unit.notes


def test_all_that_was_not_understood():
    oaths = wh40k.UnitRule("Old Oaths", "datasheet", "Wardens", unread=("hits",))
    squad = Unit("Wardens", 90, SQUAD.models, rules=(oaths,))
    pact = wh40k.UnitRule("Pact", "army", "A", unread=("hits",))
    army = Army("A", "F", "10e", 90, (squad, squad), warnings=("W",), rules=(pact,))
    assert army.unparsed == (
        "W",
        "the army's rule Pact is not computed",
        "Wardens: Old Oaths is not computed",
    )
