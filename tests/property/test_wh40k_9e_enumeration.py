"""The 9th edition of `wh40k.attack`, compared exactly with the enumeration of every die (see `enumeration_9e`)."""

from __future__ import annotations

from typing import Any

from checking import disagreements
from enumeration_9e import Attack, Trigger, Unit, final_state, total
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_dice import Dice, fixed, then
from translation import points

from mathhammer import wh40k
from mathhammer.modifiers import Modifier

flags = st.booleans()
modifiers = st.lists(st.sampled_from([-2, -1, 1, 2]), max_size=2).map(tuple)
rerolls = st.one_of(
    st.sampled_from([None, "ones", "failed", "failed-unmodified"]), st.frozensets(st.integers(1, 6))
)
rolls = st.one_of(st.none(), st.integers(2, 6))
mortal = st.sampled_from([None, fixed(1), Dice(1, 3)])


@st.composite
def triggers(draw: st.DrawFn) -> Trigger:
    low = draw(st.integers(2, 6))
    said = {
        "low": low,
        "high": draw(st.sampled_from([None, low])),
        "unmodified": draw(flags),
    }
    effect = draw(st.sampled_from(["hits", "attacks", "wounds", "hit AP", "AP", "mortal", "hit mortal"]))
    more = draw(st.sampled_from([fixed(1), fixed(2), Dice(1, 3)]))
    if effect == "hits":
        return Trigger("hit", **said, extra_hits=more)
    if effect == "attacks":
        return Trigger("hit", **said, extra_attacks=fixed(1))
    if effect == "wounds":
        return Trigger("hit", **said, wounds=True)
    if effect in {"AP", "hit AP"}:
        return Trigger("wound" if effect == "AP" else "hit", **said, improve_ap=draw(st.integers(1, 3)))
    roll = "wound" if effect == "mortal" else "hit"
    return Trigger(roll, **said, mortal_wounds=more, instead=draw(flags))


@st.composite
def attacks(draw: st.DrawFn, number: int) -> Attack:
    melee = draw(flags)
    return Attack(
        attacks=draw(st.sampled_from([fixed(1), fixed(2), Dice(1, 3)] if number == 1 else [fixed(1)])),
        skill=draw(st.integers(2, 6)),
        strength=draw(st.integers(1, 9)),
        ap=draw(st.integers(-4, 0)),
        damage=draw(st.sampled_from([fixed(1), fixed(2), fixed(3), Dice(1, 3), Dice(1, 6)])),
        count=draw(st.integers(1, 2)) if number == 1 else 1,
        melee=melee,
        torrent=draw(st.integers(0, 5)) == 0,
        rapid_fire=draw(flags),
        heavy=draw(flags),
        assault=draw(flags),
        blast=draw(flags),
        ignores_cover=draw(st.integers(0, 3)) == 0,
        half_range=draw(flags),
        moved=draw(flags),
        advanced=draw(flags),
        target_charged=draw(flags),
        cover=draw(st.frozensets(st.sampled_from(["light", "heavy", "dense"]))),
        hit_modifier=draw(modifiers),
        wound_modifier=draw(modifiers),
        save_modifier=draw(modifiers),
        reroll_hits=draw(rerolls),
        reroll_wounds=draw(rerolls),
        triggers=tuple(draw(st.lists(triggers(), max_size=2))),
    )


units = st.builds(
    Unit,
    toughness=st.integers(1, 9),
    save=st.one_of(st.none(), st.integers(2, 7)),
    wounds=st.integers(1, 3),
    models=st.sampled_from([1, 2, 5, 6, 11]),
    invulnerable=rolls,
    ignore_wounds=rolls,
    ignore_mortal_wounds=rolls,
)


def trigger(plain: Trigger) -> wh40k.Trigger:
    span = f"{plain.low}+" if plain.high is None else str(plain.low)
    said: dict[str, Any] = {
        name: str(given)
        for name in ("extra_hits", "extra_attacks", "mortal_wounds")
        if (given := getattr(plain, name)) is not None
    }
    return wh40k.Trigger(
        plain.roll,  # type: ignore[arg-type]
        f"unmodified {span}" if plain.unmodified else span,
        "a rule",
        instead=plain.instead,
        wounds=plain.wounds,
        improve_ap=plain.improve_ap,
        **said,
    )


def volley(plain: Attack) -> wh40k.Volley:
    words = {
        "Torrent": plain.torrent,
        "Rapid Fire 1": plain.rapid_fire,
        "Heavy": plain.heavy,
        "Assault": plain.assault,
        "Blast": plain.blast,
        "Ignores Cover": plain.ignores_cover,
    }
    weapon = wh40k.Weapon(
        "Weapon",
        range="Melee" if plain.melee else '24"',
        attacks=str(plain.attacks),
        skill=plain.skill,
        strength=plain.strength,
        ap=plain.ap,
        damage=str(plain.damage),
        keywords=", ".join(word for word, has in words.items() if has),
    )
    situation: dict[str, Any] = {
        name: getattr(plain, name)
        for name in ("half_range", "moved", "advanced", "target_charged", "cover")
        if getattr(plain, name)
    }
    for name in ("hit_modifier", "wound_modifier", "save_modifier"):
        situation[name] = [Modifier("add", number, "a rule") for number in getattr(plain, name)]
    return wh40k.Volley(
        weapon,
        plain.count,
        **situation,
        reroll_hits=plain.reroll_hits,  # type: ignore[arg-type]
        reroll_wounds=plain.reroll_wounds,  # type: ignore[arg-type]
        triggers=[trigger(each) for each in plain.triggers],
    )


def assert_equal(plain: tuple[Attack, ...], unit: Unit) -> None:
    target = wh40k.Target(
        "Unit",
        toughness=unit.toughness,
        save=unit.save,
        wounds=unit.wounds,
        models=unit.models,
        invulnerable=unit.invulnerable,
        feel_no_pain=unit.ignore_wounds,
        feel_no_pain_mortal=unit.ignore_mortal_wounds,
    )
    volleys = [volley(each) for each in plain]
    found = wh40k.attack(volleys, target, edition="9e", exact=True)
    expected = total(plain, unit)
    for place, name in enumerate(("hits", "wounds", "unsaved", "mortal_wounds")):
        if hasattr(found, name):
            distribution = then(expected, lambda counts, place=place: {counts[place]: 1})
            assert points(getattr(found, name)) == distribution, name
    state = {outcome: p for outcome, p in final_state(plain, unit).items() if p}
    assert points(found.state) == state
    approximate = points(wh40k.attack(volleys, target, edition="9e").state)
    assert not disagreements(approximate, state)


@settings(max_examples=250)
@given(plain=st.tuples(attacks(1)), unit=units)
def test_one_weapon(plain: tuple[Attack, ...], unit: Unit) -> None:
    """9th edition core rules, Making Attacks: any weapon with any triggers, in any situation."""
    assert_equal(plain, unit)


@settings(max_examples=80)
@given(plain=st.tuples(attacks(2), attacks(2)), unit=units)
def test_two_weapons(plain: tuple[Attack, ...], unit: Unit) -> None:
    """9th edition core rules, Mortal Wounds: those of both weapons after all normal damage."""
    assert_equal(plain, unit)
