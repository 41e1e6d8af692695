"""Turns of two units: against play model by model and die by die, hand-worked duels."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import pytest
import turn_enumeration as table
from hypothesis import given, settings
from hypothesis import strategies as st

from mathhammer import wh40k


def _weapon(name: str, weapon: table.Weapon) -> wh40k.Weapon:
    damage = {(1,): "1", (2,): "2", (1, 2, 3): "DD3", (1, 2, 3, 4, 5, 6): "DD6"}[weapon.damage]
    words = ["LANCE"] * weapon.lance + ["BLAST"] * weapon.blast + ["HAZARDOUS"] * weapon.hazardous
    words += ["TORRENT"] * (weapon.skill is None)
    skill = "" if weapon.skill is None else f" {'WS' if weapon.melee else 'BS'}{weapon.skill}+"
    damage = damage if damage.startswith("D") else f"D{damage}"
    line = f"{name}: A{weapon.attacks}{skill} S{weapon.strength} AP{-weapon.ap} {damage}"
    return wh40k.Weapon.parse(line + (f" [{', '.join(words)}]" if words else ""))


def _combatant(name: str, unit: table.Unit) -> wh40k.Combatant:
    """Return the same unit for the package: models with equal weapons in a row."""
    target = wh40k.Target(
        name,
        toughness=unit.toughness,
        save=unit.save,
        wounds=unit.wounds,
        models=len(unit.carried),
        feel_no_pain=unit.feel_no_pain,
        deadly_demise={(): None, (1,): 1, (1, 2, 3): "D3"}[unit.demise],
        keywords="Vehicle" if unit.machine else "Infantry",
    )
    volleys: dict[bool, list[wh40k.Volley]] = {True: [], False: []}
    for melee in (True, False):
        carried = [weapon for models in unit.carried for weapon in models if weapon.melee is melee]
        for number, kind in enumerate(dict.fromkeys(carried)):
            weapon = _weapon(f"weapon {number}", kind)
            volleys[melee].append(wh40k.Volley(weapon, sum(other is kind for other in carried)))
    return wh40k.Combatant(
        target,
        shooting=volleys[False],
        melee=volleys[True],
        leadership=unit.leadership,
        fights_first=unit.fights_first,
        fights_on_death=unit.fights_on_death,
    )


def _lost(unit: table.Unit, wounds: tuple[int, ...]) -> tuple[int, int]:
    """Return models destroyed and the wounds lost by the next; nothing of a unit that is gone."""
    dead = sum(not left for left in wounds)
    return dead, sum(unit.wounds - left for left in wounds if left)


def _same(
    first: table.Unit, second: table.Unit, stages: list[str], edition: str, distance: int = 7, **options: Any
) -> Any:
    """Compare every joint state of a turn, battle-shock included."""
    expected: dict[tuple[int, ...], Fraction] = {}
    played = table.Game(first, second, edition, distance=distance).play(stages, **options)
    for state, chance in played.items():
        key = (
            *_lost(first, state.wounds[0]),
            *_lost(second, state.wounds[1]),
            state.place != table.APART,
            *state.shocked,
        )
        expected[key] = expected.get(key, Fraction()) + chance
    result = wh40k.turn(
        _combatant("A", first),
        _combatant("B", second),
        stages,
        distance=distance,
        edition=edition,
        exact=True,
        **options,
    )
    rows = [unit.coordinates() for unit in result.units]
    found: dict[tuple[int, ...], Fraction] = {}
    for outcome, chance in result.joint.items():
        one, two, place, *shocked = outcome
        key = (*rows[0][one], *rows[1][two], place in (1, 2), *map(bool, shocked))
        found[key] = found.get(key, Fraction()) + Fraction(int(chance.p), int(chance.q))
    assert found == {key: chance for key, chance in expected.items() if chance}
    return result


CHOPPA = table.Weapon(2, 3, 4, 1)
KLAW = table.Weapon(1, 4, 8, 2, (2,))
PISTOL = table.Weapon(1, 4, 4, 0, melee=False)
GRENADE = table.Weapon(1, None, 4, 0, melee=False, blast=True)
SPEAR = table.Weapon(1, 4, 3, 1, lance=True)
MAUL = table.Weapon(2, 4, 5, 0, (1, 2, 3))
PLASMA = table.Weapon(1, 3, 7, 2, melee=False, hazardous=True)
OVERCHARGED = table.Weapon(1, 3, 6, 1, hazardous=True)

BOYS = table.Unit(1, 5, 6, None, ((CHOPPA, PISTOL), (CHOPPA, PISTOL), (KLAW, PISTOL)), leadership=7)
MARINES = table.Unit(2, 4, 3, None, ((CHOPPA, PISTOL), (MAUL, PISTOL)), leadership=6)
LANCERS = table.Unit(2, 4, 4, 6, ((SPEAR,), (SPEAR, GRENADE)), leadership=7)
EDITIONS = pytest.mark.parametrize("edition", ["10e", "11e"])


@EDITIONS
def test_turn_charge_and_fight_back_with_what_is_left(edition: str) -> None:
    _same(BOYS, MARINES, ["shoot", "charge", "fight", "battle-shock"], edition)
    _same(LANCERS, BOYS, ["charge", "fight"], edition, 9)


@EDITIONS
def test_turn_overwatch_before_the_charge(edition: str) -> None:
    _same(MARINES, BOYS, ["overwatch", "charge", "fight"], edition)


@EDITIONS
@pytest.mark.parametrize("fast", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("stages", [["fight"], ["charge", "fight"]])
def test_turn_order_of_the_fight(edition: str, fast: tuple[bool, bool], stages: list[str]) -> None:
    sides = [
        table.Unit(1, 4, None, None, ((weapon,),), fights_first=first)
        for weapon, first in zip((CHOPPA, KLAW), fast, strict=True)
    ]
    _same(sides[0], sides[1], stages, edition, engaged=stages == ["fight"])


@EDITIONS
def test_turn_destroyed_models_fight(edition: str) -> None:
    berserkers = table.Unit(1, 4, None, None, ((CHOPPA,), (CHOPPA,), (KLAW,)), fights_on_death=4)
    _same(BOYS, berserkers, ["charge", "fight"], edition)
    # Those that have fought before do not fight again.
    _same(berserkers, BOYS, ["charge", "fight"], edition)
    _same(berserkers, BOYS, ["fight"], edition, engaged=True)
    # With hazards of their own, and exploding: after they have fought.
    bombs = table.Unit(
        1, 4, None, None, ((OVERCHARGED,), (KLAW,)), fights_on_death=4, demise=(1,), machine=True
    )
    if edition == "11e":  # in the 10th, a bearer would have to be known
        _same(BOYS, bombs, ["charge", "fight"], edition)


@EDITIONS
def test_turn_hazards_of_both(edition: str) -> None:
    plasma = table.Unit(2, 4, 5, None, ((PLASMA, OVERCHARGED), (PLASMA, OVERCHARGED)))
    _same(plasma, BOYS, ["shoot", "charge", "fight"], edition)
    _same(MARINES, plasma, ["overwatch", "charge", "fight"], edition)
    # Who has nothing left to shoot at takes no test.
    _same(plasma, table.Unit(1, 3, None, None, ((),)), ["shoot", "shoot"], edition)
    machine = table.Unit(4, 6, 4, None, ((PLASMA, OVERCHARGED),), machine=True)
    _same(machine, MARINES, ["shoot", "charge", "fight"], edition)


@EDITIONS
@pytest.mark.parametrize("distance", [5, 7])
def test_turn_deadly_demise_of_both(edition: str, distance: int) -> None:
    walkers = table.Unit(2, 5, 5, None, ((KLAW, PISTOL), (KLAW, PISTOL)), demise=(1, 2, 3), machine=True)
    bomb = table.Unit(2, 4, None, 6, ((MAUL, PISTOL),), demise=(1,), machine=True)
    _same(walkers, bomb, ["shoot", "charge", "fight"], edition, distance)
    _same(bomb, walkers, ["overwatch", "charge", "fight"], edition, distance)


@EDITIONS
def test_turn_desperate_escape(edition: str) -> None:
    stages = ["shoot", "charge", "fight", "desperate escape", "battle-shock"]
    _same(MARINES, BOYS, stages[1:], edition)
    _same(LANCERS, MARINES, stages, edition, 5)
    _same(MARINES, BOYS, ["charge", "fight", "battle-shock", "desperate escape"], edition)


@EDITIONS
def test_turn_engaged_units_do_not_shoot(edition: str) -> None:
    _same(MARINES, BOYS, ["shoot", "overwatch"], edition, engaged=True)


@EDITIONS
def test_turn_blast_counts_who_is_left(edition: str) -> None:
    mob = table.Unit(1, 4, None, None, ((PISTOL,),) * 5)
    _same(mob, LANCERS, ["shoot", "overwatch"], edition)
    _same(LANCERS, mob, ["shoot", "shoot"], edition)


STAGES = ["shoot", "overwatch", "charge", "fight", "desperate escape", "battle-shock"]


@st.composite
def weapons(draw: st.DrawFn, *, melee: bool) -> table.Weapon:
    special = draw(st.sampled_from(["", "hazardous", "lance" if melee else "blast"]))
    return table.Weapon(
        1 + (special == ""),
        draw(st.sampled_from([3, 5] if melee else [None, 3, 5])),
        draw(st.sampled_from([3, 4, 8])),
        draw(st.integers(0, 2)),
        draw(st.sampled_from([(1,), (2,), (1, 2, 3)])),
        melee,
        **({special: True} if special else {}),  # type: ignore[arg-type]
    )


@st.composite
def units(draw: st.DrawFn, edition: str, stages: list[str]) -> table.Unit:
    carried = (draw(weapons(melee=True)), draw(weapons(melee=False)))
    hazards = edition == "10e" and any(weapon.hazardous for weapon in carried)
    alone = draw(st.sampled_from([(), carried[:1]])) if not hazards else carried  # of the model removed first
    dies = st.sampled_from([None, 1, 4])
    explodes = st.just(()) if "desperate escape" in stages else st.sampled_from([(), (1,), (1, 2, 3)])
    return table.Unit(
        draw(st.integers(1, 3)),
        draw(st.integers(3, 5)),
        draw(st.sampled_from([None, 3, 5])),
        draw(st.sampled_from([None, None, 5])),
        draw(st.sampled_from([(carried,), (alone, carried)])),
        draw(st.sampled_from([None, 6, 8])),
        draw(st.booleans()),
        None if hazards else draw(dies),  # else the bearer would have to be known
        draw(explodes),
        draw(st.booleans()),
    )


@EDITIONS
@settings(max_examples=12)
@given(data=st.data())
def test_any_turn(edition: str, data: st.DataObject) -> None:
    stages = [each for each in STAGES if data.draw(st.booleans())] or ["shoot"]
    engaged = not {"shoot", "overwatch"} & {*stages} and data.draw(st.booleans())
    sides = [data.draw(units(edition, stages)) for _ in range(2)]
    _same(*sides, stages, edition, data.draw(st.integers(5, 9)), engaged=engaged)


@cache
def _best(
    game: table.Game, state: table.State, steps: tuple[str, ...], best: frozenset[str], *, again: bool = False
) -> Fraction:
    """Return the most models more that the attacker kills than loses, every choice tried in every state."""
    if not steps:
        dead = [sum(not left for left in wounds) for wounds in state.wounds]
        return Fraction(dead[1] - dead[0])
    stage, rest = steps[0], steps[1:]

    def onward(stages: tuple[str, ...], table_: table.Table) -> Fraction:
        return sum(
            (chance * _best(game, after, stages, best) for after, chance in table_.items()), Fraction()
        )

    left = all(map(any, state.wounds))
    answers = game.edition == "10e" and stage == "overwatch" and rest[:1] == ("charge",)
    if answers and "charge" in best and left and not again:
        declared = _best(game, state, steps, best, again=True)
        return max(declared, _best(game, state, rest[1:], best))
    after = game.stage({state: Fraction(1)}, stage)
    done = onward(rest, after)
    if stage == "charge" and "charge re-roll" in best and left:
        done = Fraction()
        for each, chance in after.items():
            kept = _best(game, each, rest, best)
            done += chance * (kept if each.place != table.APART else max(kept, onward(rest, after)))
    declared_before = stage == "charge" and game.edition == "10e"
    if stage not in best or not left or declared_before:
        return done
    return (min if stage == "overwatch" else max)(done, _best(game, state, rest, best))


@EDITIONS
@pytest.mark.parametrize(
    "best", [{"charge"}, {"overwatch"}, {"charge re-roll"}, {"charge", "overwatch", "charge re-roll"}]
)
def test_turn_best_choices(edition: str, best: set[str]) -> None:
    # The defenders strike back hard, their guns overheat, and the attackers are worth most while two are left.
    attacker = table.Unit(1, 4, 5, None, ((CHOPPA, PISTOL), (CHOPPA, PISTOL)))
    defender = table.Unit(2, 4, 5, None, ((MAUL, PLASMA), (MAUL, PLASMA)))
    stages = ["shoot", "overwatch", "charge", "fight"]
    game = table.Game(attacker, defender, edition, distance=8)
    start = table.State((attacker.fresh, defender.fresh))
    options: dict[str, Any] = {"distance": 8, "edition": edition, "exact": True}
    sides = _combatant("A", attacker), _combatant("B", defender)
    result = wh40k.turn(*sides, stages, best=best, **options)
    assert result.value == _best(game, start, tuple(stages), frozenset(best))
    assert {each.name for each in result.plan} == best
    floats = wh40k.turn(*sides, stages, best=best, **{**options, "exact": False})
    assert floats.value == pytest.approx(float(result.value), rel=1e-12)
