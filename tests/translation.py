"""Write the enumerator's plain weapons as a player types them, and read the package's answer back as dictionaries."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from checking import of_state
from tenth import wh40k

if TYPE_CHECKING:
    import enumeration
    from checking import Distributions

# Rolls are typed as text, as on a datasheet.
FLAGS = {
    "torrent": "Torrent",
    "lethal_hits": "Lethal Hits",
    "devastating_wounds": "Devastating Wounds",
    "twin_linked": "Twin-linked",
    "blast": "Blast",
    "lance": "Lance",
    "heavy": "Heavy",
    "indirect_fire": "Indirect Fire",
    "ignores_cover": "Ignores Cover",
    "conversion": "Conversion",
}


def keyword_text(weapon: enumeration.Weapon) -> str:
    words = [text for name, text in FLAGS.items() if getattr(weapon, name)]
    words += [f"Sustained Hits {extra}" for extra in weapon.sustained_hits]
    words += [f"Anti-{keyword} {number}+" for keyword, number in weapon.anti]
    if weapon.rapid_fire is not None:
        words.append(f"Rapid Fire {weapon.rapid_fire}")
    if weapon.melta:
        words.append(f"Melta {weapon.melta}")
    return ", ".join(words)


def weapon(plain: enumeration.Weapon) -> wh40k.Weapon:
    return wh40k.Weapon(
        "Weapon",
        range="Melee" if plain.melee else '24"',
        attacks=str(plain.attacks),
        skill="N/A" if plain.skill is None else f"{plain.skill}+",
        strength=str(plain.strength),
        ap=plain.ap,
        damage=str(plain.damage),
        keywords=keyword_text(plain),
    )


def target(plain: enumeration.Target) -> wh40k.Target:
    invulnerable = None if plain.invulnerable is None else f"{plain.invulnerable}+"
    if invulnerable is not None and plain.invulnerable_against is not None:
        invulnerable += f" {plain.invulnerable_against}"
    return wh40k.Target(
        "Unit",
        toughness=plain.toughness,
        save=None if plain.save is None else f"{plain.save}+",
        wounds=plain.wounds,
        models=plain.models,
        invulnerable=invulnerable,
        feel_no_pain=plain.feel_no_pain,
        feel_no_pain_mortal=plain.feel_no_pain_mortal,
        damage_reduction=plain.damage_reduction,
        half_damage=plain.half_damage,
        keywords=plain.keywords,
    )


def situation(plain: enumeration.Volley) -> dict[str, Any]:
    """The situation keywords that are not at rest; several modifiers of one roll stay several."""
    from mathhammer.modifiers import Modifier

    said: dict[str, Any] = {}
    for field in fields(plain):
        value = getattr(plain, field.name)
        if field.name in {"weapon", "count"} or value == field.default:
            continue
        if field.name.endswith("_modifier"):
            value = [Modifier("add", number, f"rule {place}") for place, number in enumerate(value)]
        said[field.name] = set(value) if isinstance(value, frozenset) else value
    return said


def volley(plain: enumeration.Volley) -> wh40k.Volley:
    return wh40k.Volley(weapon(plain.weapon), plain.count, **situation(plain))


def attack(
    volleys: tuple[enumeration.Volley, ...],
    unit: enumeration.Target,
    *,
    exact: bool,
    rulings: dict[str, str] | None = None,
) -> wh40k.AttackResult:
    return wh40k.attack([volley(plain) for plain in volleys], target(unit), rulings=rulings, exact=exact)


def plain_number(probability: Any) -> Any:
    """A float as it is, an exact rational as the standard library's."""
    if isinstance(probability, float):
        return probability
    return Fraction(int(probability.numerator), int(probability.denominator))


def points(distribution: Any) -> dict[Any, Any]:
    """The points of a distribution that have probability, as plain pairs."""
    return {
        outcome: plain_number(probability) for outcome, probability in distribution.items() if probability
    }


def distributions(
    volleys: tuple[enumeration.Volley, ...],
    unit: enumeration.Target,
    *,
    exact: bool,
    rulings: dict[str, str] | None = None,
) -> Distributions:
    """What the package says, under the names the answer tables use."""
    result = attack(volleys, unit, exact=exact, rulings=rulings)
    names = ("hits", "wounds", "unsaved", "damage", "kills", "wounds_lost", "state")
    found: Distributions = {name: points(getattr(result, name)) for name in names}
    derived = of_state(found["state"], unit)
    if exact:  # the marginals must be those of the joint distribution, whoever sums it
        assert found["kills"] == derived["kills"]
        assert found["wounds_lost"] == derived["wounds_lost"]
    return found


def mixed_unit(**options: Any) -> wh40k.TargetUnit:
    """Four troopers, a sergeant behind a better shield, and a leader: three kinds of models."""
    return wh40k.TargetUnit(
        "Squad",
        [
            wh40k.Target("Trooper", toughness=4, save="4+", wounds=1, models=4, points=40),
            wh40k.Target("Sergeant", toughness=4, save="3+", invulnerable="4+", wounds=2, points=15),
        ],
        [
            wh40k.Target(
                "Captain",
                toughness=5,
                save="2+",
                wounds=4,
                feel_no_pain="5+",
                keywords="Character",
                points=80,
            )
        ],
        **options,
    )
