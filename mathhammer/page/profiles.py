"""The characteristics of weapons and targets: one table for the rows of the page and the controls of a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import mathhammer.systems.wh40k  # noqa: F401 - a room is entered before its parts
from mathhammer.page.fields import needed, whole, written
from mathhammer.systems.wh40k.rules.values import Face, Flag, Value, Whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mathhammer.systems.wh40k import Target, Weapon
    from mathhammer.systems.wh40k.rules.rule import TargetRule


class Characteristic(NamedTuple):
    """An argument of a weapon or a target, what stands beside its control, and what it can be."""

    name: str
    label: str
    short: str
    #: Nothing for a free text.
    value: Value[object] | None
    #: Whether its control stands apart, with what is rarer.
    more: bool = False
    #: Whether there is no profile without it.
    needed: bool = False

    def read(self, row: Mapping[str, str]) -> int | str | None:
        """Return what a row of texts says of it."""
        if isinstance(self.value, Flag):
            return bool(row.get(self.name))
        if self.needed:
            return needed(row, self.name)
        if isinstance(self.value, Whole) and (self.value.usual is not None or written(row, self.name)):
            return whole(row, self.name, self.value.usual)
        return written(row, self.name) or None

    def text(self, value: object) -> str:
        """Return the text of its value in a row."""
        if isinstance(self.value, Flag):
            return "1" if value else ""
        if value is None or (self.more and value == 0):
            return ""
        if isinstance(value, tuple):  # names, or invulnerable saves with what they are against
            parts = (
                each if isinstance(each, str) else f"{each[0]}+ {each[1] or ''}".strip() for each in value
            )
            return ", ".join(parts)
        return f"{value}+" if isinstance(self.value, Face) else str(value)

    def as_json(self) -> dict[str, object]:
        """Return its field as the page draws it."""
        kind = "flag" if isinstance(self.value, Flag) else "text"
        return {"name": self.name, "label": self.short, "help": self.label, "kind": kind, "more": self.more}


#: Of a weapon as the page has it.
MELEE = Characteristic("melee", "A melee weapon", "Melee", Flag())
ABILITIES = Characteristic("keywords", "Abilities", "Abilities", None)
WEAPON = (
    Characteristic("count", "Number of weapons", "Number", Whole(1, 1, 40)),
    Characteristic("attacks", "Attacks (A)", "A", None, needed=True),
    Characteristic("skill", "Hits on (BS, WS)", "BS/WS", Face(least=2)),
    Characteristic("strength", "Strength (S)", "S", None, needed=True),
    Characteristic("ap", "Penetration (AP)", "AP", Whole(0, -6, 0)),
    Characteristic("damage", "Damage (D)", "D", None, needed=True),
)
_TARGET = (
    Characteristic("models", "Models", "Number", Whole(1, 1, 30)),
    Characteristic("toughness", "Toughness (T)", "T", Whole(0, 1, 14)),
    Characteristic("save", "Save (Sv)", "Sv", Face(least=2, most=7)),
    Characteristic("invulnerable", "Invulnerable", "InSv", None),
    Characteristic("wounds", "Wounds (W)", "W", Whole(0, 1, 30)),
    Characteristic("keywords", "Keywords", "Keywords", None),
    Characteristic("wounds_lost", "Wounds lost before", "Wounds lost", Whole(0, 0, 29), more=True),
)
#: What has no control and goes back as it came.
UNSEEN = (
    Characteristic("points", "Points", "pts", Whole(None), more=True),
    Characteristic("deadly_demise", "Deadly Demise", "Deadly Demise", None, more=True),
)


def target_table(rules: Mapping[str, TargetRule]) -> tuple[Characteristic, ...]:
    """Return the characteristics of a target and the rules that have a control."""
    return (
        *_TARGET,
        *(
            Characteristic(
                rule.name, rule.help, rule.short or rule.printed, rule.value, more=not rule.offered
            )
            for rule in rules.values()
            if rule.value is not None
        ),
    )


def arguments(row: Mapping[str, str], table: Iterable[Characteristic]) -> dict[str, int | str | None]:
    """Return what a row of texts says, as arguments of a profile; of a free text only where there is one."""
    found = ((each, each.read(row)) for each in table)
    return {each.name: value for each, value in found if value is not None or isinstance(each.value, Face)}


def texts_of(profile: Weapon | Target, table: Iterable[Characteristic]) -> dict[str, str]:
    """Return the characteristics of a profile as a row of texts."""
    return {each.name: each.text(getattr(profile, each.name)) for each in table}
