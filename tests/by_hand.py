"""Attacks so small that their numbers are found by hand."""

from __future__ import annotations

from typing import Any

from tenth import wh40k


def weapon(keywords: str = "", **profile: Any) -> wh40k.Weapon:
    """A weapon that hits on 3+, wounds Toughness 4 on 4+ and deals 1 damage, except where told otherwise."""
    plain: dict[str, Any] = {"range": '24"', "attacks": 1, "skill": "3+", "strength": 4, "ap": 0, "damage": 1}
    return wh40k.Weapon("Weapon", keywords=keywords, **{**plain, **profile})


def unit(**profile: Any) -> wh40k.Target:
    """One model of Toughness 4 with 20 wounds and no save."""
    plain: dict[str, Any] = {"toughness": 4, "save": None, "wounds": 20}
    return wh40k.Target("Unit", **{**plain, **profile})


def play(keywords: str = "", *, target: wh40k.Target | None = None, **given: Any) -> Any:
    """Result of one attack, exactly; profile and situation are told apart by name."""
    names = {"range", "attacks", "skill", "strength", "ap", "damage"}
    profile = {name: given.pop(name) for name in names & given.keys()}
    return wh40k.attack(weapon(keywords, **profile), target or unit(), exact=True, **given)


def wounding(keywords: str = "", **given: Any) -> Any:
    """Result of one attack that hits without a roll and wounds on 2+, with 5 chances in 6."""
    return play(", ".join(filter(None, ["Torrent", keywords])), **{"strength": 12, **given})


def distribution(distribution: Any) -> dict[Any, Any]:
    return {outcome: probability for outcome, probability in distribution.items() if probability}
