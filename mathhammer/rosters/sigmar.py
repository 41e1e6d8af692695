"""Army lists of Age of Sigmar: the units of a file that carries their profiles."""

from __future__ import annotations

import re
from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from mathhammer.errors import RosterError
from mathhammer.rosters.names import plain, shorten
from mathhammer.rosters.reading import parse_roster, read_content
from mathhammer.systems.aos import Target, Unit, Weapon

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from mathhammer.rosters.tree import Profile, Selection

_WARD = re.compile(r"ward \((\d)\+\)", re.IGNORECASE)
_DAMAGED = re.compile(r"(\d+) or more damage points.*?Attacks characteristic of (.+?) is (\d+)")
_NUMBER = re.compile(r"(\d+)\"?\+?")
_STATS = "Move", "Health", "Save", "Control"
_KINDS = ("Melee Weapon", "Ranged Weapon")


def read_units(path: str | os.PathLike[str], /) -> tuple[Unit, ...]:
    """Read the units of an Age of Sigmar list: a ``.ros``, ``.rosz`` or ``.json`` file of New Recruit.

    Champions, Wards and Battle Damaged are as the file has them; models of a rarer kind are slain last. ``notes`` of a
    unit say what of it is not computed.

    References
    ----------
    The roster schema of BattleScribe 2.03, and BSData/age-of-sigmar-4th.
    """
    data, name = read_content(path)
    if not data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"<", b"{", b"PK")):
        raise RosterError(
            f"expected a list of Age of Sigmar as a .ros, .rosz or .json file, but {name} is other text; "
            "export it from New Recruit as one of these"
        )
    roster = parse_roster(data, name)
    game = roster.game_system_name
    if "sigmar" not in game.casefold():
        raise RosterError(f"expected a list of Age of Sigmar, but {name} is of {shorten(game)}")
    stats = [(each, next(_profiles(each, "Unit"), None)) for each in roster.selections()]
    return tuple(_unit(each, line) for each, line in stats if line is not None)


def _profiles(selection: Selection, *kinds: str) -> Iterator[Profile]:
    return (each for node in selection.walk() for each in node.profiles if each.type_name in kinds)


def _number(profile: Profile, name: str) -> int | None:
    """Return a characteristic that is a plain number; none where it is dice or a dash."""
    match = _NUMBER.fullmatch(profile.get(name) or "")
    return int(match[1]) if match else None


def _unit(selection: Selection, stats: Profile) -> Unit:
    nodes = list(selection.walk())
    wards = [match[1] for each in selection.categories if (match := _WARD.fullmatch(each))]
    models = [node for node in nodes if node.type == "model"] or [selection]
    texts = " ".join(text for node in nodes for each in node.profiles for _, text in each.characteristics)
    damaged = _DAMAGED.search(texts.replace("*", ""))
    numbers: dict[str, Any] = {each.lower(): _number(stats, each) for each in _STATS}
    target = Target(
        selection.name,
        **numbers,
        models=sum(model.number for model in models),
        ward=min(wards, default=None),
        battle_damaged_at=int(damaged[1]) if damaged else None,
        points=int(sum(node.points for node in nodes)) or None,
        attributes=[each.title() for each in selection.categories if not _WARD.fullmatch(each)],
    )
    found: dict[Profile, Weapon] = {}
    before, notes = 0, []
    arms = [frozenset(_profiles(model, *_KINDS)) for model in models]
    kinds = Counter(each for each, model in zip(arms, models, strict=True) for _ in range(model.number))
    order = sorted(kinds, key=kinds.__getitem__)
    for _, model in sorted(zip(map(order.index, arms), models, strict=True), key=itemgetter(0)):
        champion = any(node.name == "Champion" for node in model.walk())
        weapons = [
            (each, node) for node in model.walk() for each in node.profiles if each.type_name in _KINDS
        ]
        for profile, node in weapons:
            if _number(profile, "Wnd") is None:
                notes.append(f"{profile.name} is not computed: its rolls are those of an ability")
                continue
            weapon = found.get(profile)
            held = weapon or _weapon(profile, before, damaged)
            led = champion and (not held.has("Companion") or target.has("Beast"))
            total = node.number + (weapon.models if weapon else 0)
            found[profile] = held.changed(models=total, champion=held.champion or led)
        before += model.number
    return Unit(target, tuple(found.values()), notes=[*dict.fromkeys(notes)])


def _weapon(profile: Profile, behind: int, damaged: re.Match[str] | None) -> Weapon:
    own = damaged if damaged and plain(profile.name) in plain(damaged[2]) else None
    names = {"attacks": "Atk", "hit": "Hit", "wound": "Wnd", "damage": "Dmg", "attributes": "Ability"}
    said: dict[str, Any] = {name: profile.get(text) or "" for name, text in names.items()}
    return Weapon(
        profile.name,
        **said,
        range=_number(profile, "Rng"),
        rend=_number(profile, "Rnd") or 0,
        battle_damaged=int(own[3]) if own else None,
        behind=behind,
    )
