"""The situation of an attack as options of all commands that attack, made of the table of its keywords."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.questions import GroupedOption
from mathhammer.cli.rules_text import read_modifier, read_trigger
from mathhammer.errors import MathhammerError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mathhammer.systems.wh40k.rules.rule import Condition

_WHOLE = re.compile(r"[-+]?\d{1,9}", re.ASCII)
#: What stands for a value of each kind; a flag has none.
_METAVARS = {
    "Kinds": "KINDS",
    "Names": "WHAT",
    "Leader": "LEADER",
    "Face": "FACE",
    "Critical": "FACE",
    "Rerolls": "WHICH",
    "LimitedRerolls": "ROLLS",
    "RollModifiers": "N",
    "Modifiers": "TEXT",
    "Triggers": "TEXT",
}
#: Kinds of several values, each an option of its own, and what reads them.
_MANY: dict[str, Callable[[str], Any]] = {
    "LimitedRerolls": str,
    "Modifiers": read_modifier,
    "Triggers": read_trigger,
}


class SituationOption(GroupedOption):
    """One option of the situation: a flag, or a value in words."""

    def __init__(self, rule: Condition, called: str, text: str, *, flag: bool = False) -> None:
        self.rule, self.flag = rule, f"--{called.replace('_', '-')}"
        self.kind = "Flag" if flag else type(rule.value).__name__
        several = self.kind in _MANY
        more: dict[str, Any] = {
            "metavar": _METAVARS.get(self.kind),
            "multiple": several,
            "callback": self._read,
        }
        if self.kind == "Flag":
            more = {"is_flag": True, "default": None}
        elif self.kind in {"Face", "RollModifiers"}:
            more["type"] = click.INT
        super().__init__([self.flag], group=rule.group, help=text + " Repeatable." * several, **more)

    def _read(self, _ctx: click.Context, _param: click.Parameter, given: Any) -> Any:
        if given is None or given == ():
            return None
        try:
            value = tuple(map(_MANY[self.kind], given)) if self.kind in _MANY else self._typed(given)
            self.rule.value.read(self.flag, value)  # refused here, in the words of the option
        except MathhammerError as error:
            raise click.BadParameter(str(error)) from error
        return value

    def _typed(self, text: str | int) -> Any:
        """Return a number, several with commas between them, a word, or several names."""
        if isinstance(text, int):
            return text
        text = text.strip()
        parts = [part.strip() for part in text.split(",")]
        value: Any = self.rule.value
        if self.kind in {"Kinds", "Names"}:
            names = tuple(part.lower() for part in parts if part)
            if not names or not set(value.names).issuperset(names):
                raise MathhammerError(
                    f"expected some of {', '.join(value.names)}, with commas between them; got {shown(text)}"
                )
            return names
        if self.kind == "Leader":
            if not text:
                raise MathhammerError(f"expected the name of a leader, none or best; got {shown(text)}")
            return text.lower() != "none" and text
        if self.kind == "Rerolls" and text not in value.words:
            faces = {int(part) if _WHOLE.fullmatch(part) else 0 for part in parts}
            if not all(1 <= face <= value.most for face in faces):
                more = f" or values from 1 to {value.most} such as 1,2" if value.most else ""
                words = ", ".join(value.words) if more else " or ".join(value.words)
                raise MathhammerError(f"expected {words}{more}; got {shown(text)}")
            return frozenset(faces)
        return int(text) if self.kind not in {"Leader", "Rerolls"} and _WHOLE.fullmatch(text) else text


class Situation:
    """The options of every keyword of the situation that an edition knows."""

    def options(self) -> list[SituationOption]:
        """Return them."""
        from mathhammer.systems.wh40k.situation import conditions

        found = []
        for name, rule in conditions().items():
            several = type(rule.value).__name__ == "Kinds"
            found.append(SituationOption(rule, rule.option or name, rule.help, flag=several))
            if several:
                names = ", ".join(rule.value.names)  # type: ignore[attr-defined] # of Kinds
                text = f"The kinds of {name} that it has, with commas (9th edition): {names}."
                found.append(SituationOption(rule, f"{name}_kind", text))
        return found

    def take(self, given: dict[str, Any]) -> dict[str, Any]:
        """Take the options away, and return what was switched on as keywords of the library."""
        situation: dict[str, Any] = {}
        for one in self.options():
            value = given.pop(one.name or "")
            if value is None:
                continue
            if one.rule.name in situation:
                raise click.UsageError(f"expected --{one.rule.name} or {one.flag}, got both")
            situation[one.rule.name] = value
        return situation


def describe(situation: Mapping[str, object]) -> str:
    """Return the situational rules that are on, in words a player uses."""
    from mathhammer.systems.wh40k.situation import conditions

    plain = as_data(situation)
    return (
        ", ".join(_shown(rule, plain[name]) for name, rule in conditions().items() if name in plain) or "none"
    )


def _shown(rule: Condition, value: Any) -> str:
    if value is True:
        return rule.name.replace("_", " ")
    text = ", ".join(map(str, value)) if isinstance(value, list) else "none" if value is False else value
    if rule.name == "modifiers":
        return str(text)
    return (rule.shown.removesuffix("+") if isinstance(text, str) else rule.shown).format(text)


def rules_in_force(edition: str, situation: Mapping[str, object], rulings: Mapping[str, str] | None) -> str:
    """Return which rules a page was computed with: edition, situation, and rulings chosen on the way."""
    from mathhammer.systems.wh40k.editions import find_edition

    chosen = ", ".join(f"{name}={option}" for name, option in (rulings or {}).items())
    more = f" Rulings chosen: {chosen}." if chosen else ""
    return f"{find_edition(edition).title}. Situational rules on: {describe(situation)}.{more}"


def as_data(situation: Mapping[str, Any]) -> dict[str, Any]:
    """Return the situation for JSON: modifiers and triggers in the words in which they are printed."""

    def plain(value: Any) -> Any:
        if isinstance(value, tuple):
            return [f"{each.of} {each}" if hasattr(each, "operation") else str(each) for each in value]
        return sorted(value) if isinstance(value, frozenset) else value

    return {key: plain(value) for key, value in situation.items() if value is not None}
