"""Which effects of rules attacks are computed with; the others are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mathhammer.systems.wh40k.unit_rules.rule import RuleEffect

CHARACTERISTICS = frozenset(("attacks", "strength", "ap", "damage", "skill"))
REROLLS = frozenset(("reroll_hits", "reroll_wounds", "reroll_damage"))
#: Effects on a unit's own attacks that are computed.
_COMPUTED = frozenset(
    (
        *("hit", "wound", "keyword", "no_cover", "critical_hit", "critical_wound", "ignore_modifiers"),
        *("ignore_engaged", "overwatch"),
        *CHARACTERISTICS,
        *REROLLS,
        "reroll_one",
    )
)
#: Effects on whatever attack comes, which a profile of a target holds.
_OF_ANY = frozenset(
    (
        "feel_no_pain",
        "half_damage",
        "damage_to",
        "toughness",
        "save",
        "wounds",
        "damage_allocated",
        "deadly_demise",
    )
)


def limited_reroll(effect: RuleEffect) -> str:
    """Return the rolls of one of which an effect re-rolls a die: ``"hit or wound"``; nothing for other effects."""
    if effect.kind == "reroll_one":
        text = str(effect.value)
        return " or ".join(roll for roll in ("hit", "wound", "damage") if roll in text)
    of = {"reroll_hits": "hit", "reroll_wounds": "wound", "reroll_damage": "damage"}
    return of.get(effect.kind, "") if effect.value == "one" else ""


def is_computed(effect: RuleEffect) -> bool:
    """Whether an effect is one that attacks are computed with."""
    on_critical = [each.kind for each in effect.when if each.kind.startswith("on_critical")]
    if on_critical and (
        effect.side != "attack" or effect.kind != "ap" or on_critical != ["on_critical_wound"]
    ):
        return False
    if effect.side == "attack":
        return effect.kind in _COMPUTED
    return _is_computed_defence(effect)


def _is_computed_defence(effect: RuleEffect) -> bool:  # noqa: PLR0911 - one line for each kind
    """Whether a target can hold an effect on the attacks against it."""
    kind = effect.kind
    if effect.weapons or any(
        each.decided_by in {"target", "situation"} and each.kind != "stronger" for each in effect.when
    ):
        return False
    weapon = [each.kind for each in effect.when if each.decided_by == "weapon"]
    if weapon:
        return weapon == ["damage_1"] and kind == "save_modifier"
    if any(each.kind == "stronger" for each in effect.when):
        return kind == "wound"
    if effect.side == "enemy":
        return kind in {"hit", "wound"} and effect.number < 0 and effect.attacks in {"any", "ranged", "melee"}
    if kind in _OF_ANY:
        least = (
            effect.value == -1
            if kind == "damage_allocated"
            else effect.value == 0
            if kind == "damage_to"
            else True
        )
        return effect.attacks == "any" and least
    if kind in {"hit", "wound", "ap", "strength", "invulnerable"} or (
        kind == "damage" and effect.operation == "add"
    ):
        return effect.attacks in {"any", "ranged", "melee"}
    return kind == "stealth" or (kind == "cover" and effect.attacks in {"any", "ranged"})
