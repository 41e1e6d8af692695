"""The situation of an attack as options of all commands that attack, made of the table of its keywords."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mathhammer.cli.grouping import GroupedCommand, GroupedOption
from mathhammer.cli.results import read_rulings
from mathhammer.cli.rules_text import read_modifier, read_trigger
from mathhammer.errors import MathhammerError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mathhammer.cli.results import F
    from mathhammer.systems.wh40k.editions import Rulebook
    from mathhammer.systems.wh40k.rules.rule import Condition
    from mathhammer.systems.wh40k.rules.values import Rerolls


class _Typed(NamedTuple):
    """How a kind of value is typed: what stands for it, how it is read, whether the option can be repeated."""

    metavar: str
    read: Callable[[str], Any]
    many: bool = False


_WHOLE = re.compile(r"\s*[-+]?\d{1,9}\s*", re.ASCII)


def _whole(text: str) -> int:
    if _WHOLE.fullmatch(text) is None:
        raise MathhammerError(f"expected a whole number, got {shown(text)}")
    return int(text)


def _critical(text: str) -> int | str:
    """Return the least face, or what the library reads: ``successful 5+``."""
    return int(text) if _WHOLE.fullmatch(text) else text.strip()


def _several(text: str, names: tuple[str, ...]) -> tuple[str, ...]:
    found = tuple(part.strip().lower() for part in text.split(",") if part.strip())
    if not found or not set(names).issuperset(found):
        raise MathhammerError(
            f"expected some of {', '.join(names)}, with commas between them; got {shown(text)}"
        )
    return found


def _precision(text: str) -> bool | str:
    if not text.strip():
        raise MathhammerError(f"expected the name of a leader, none or best; got {shown(text)}")
    return False if text.strip().lower() == "none" else text.strip()


def _reroll(text: str, given: Rerolls) -> str | frozenset[int]:
    if text.strip() in given.words:
        return text.strip()
    faces = frozenset(int(face) if _WHOLE.fullmatch(face) else 0 for face in text.split(","))
    if not all(1 <= face <= given.most for face in faces):
        values = f"{', '.join(given.words)} or values from 1 to {given.most} such as 1,2"
        raise MathhammerError(
            f"expected {values if given.most else ' or '.join(given.words)}; got {shown(text)}"
        )
    return faces


def _typed(value: Any) -> _Typed | None:
    """Return how a value of that kind is typed; nothing for a flag."""
    from mathhammer.systems.wh40k.rules import values

    known: Mapping[type, Callable[[Any], _Typed | None]] = {
        values.Flag: lambda _: None,
        values.Kinds: lambda kinds: _Typed("KINDS", lambda text: _several(text, kinds.names)),
        values.Names: lambda given: _Typed("WHAT", lambda text: _several(text, given.names)),
        values.Leader: lambda _: _Typed("LEADER", _precision),
        values.Face: lambda _: _Typed("FACE", _whole),
        values.Critical: lambda _: _Typed("FACE", _critical),
        values.Rerolls: lambda given: _Typed("WHICH", lambda text: _reroll(text, given)),
        values.LimitedRerolls: lambda _: _Typed("ROLLS", str, many=True),
        values.RollModifiers: lambda _: _Typed("N", _whole),
        values.Modifiers: lambda _: _Typed("TEXT", read_modifier, many=True),
        values.Triggers: lambda _: _Typed("TEXT", read_trigger, many=True),
    }
    return known[type(value)](value)


class SituationOption(GroupedOption):
    """One option of the situation: a flag, or a value in words."""

    def __init__(self, rule: Condition, typed: _Typed | None, flag: str, text: str) -> None:
        self.rule, self.typed, self.flag = rule, typed, f"--{flag.replace('_', '-')}"
        more: dict[str, Any] = (
            {"is_flag": True}
            if typed is None
            else {"metavar": typed.metavar, "multiple": typed.many, "callback": self._read}
        )
        super().__init__([self.flag], group=rule.group, help=text, **more)

    def _read(self, _ctx: click.Context, _param: click.Parameter, value: Any) -> Any:
        if value is None or self.typed is None:
            return None
        if self.typed.many and not value:
            return None
        try:
            read = tuple(map(self.typed.read, value)) if self.typed.many else self.typed.read(value)
            self.rule.value.read(self.flag, read)  # refused here, in the words of the option
        except MathhammerError as error:
            raise click.BadParameter(str(error)) from error
        return read


class _Edition(click.Option):
    """The edition of the rules, the library's default unless said."""

    def get_default(self, ctx: click.Context, call: bool = True) -> str:  # noqa: ARG002, FBT001, FBT002 - click's
        from mathhammer.systems.wh40k.editions import DEFAULT_EDITION

        return DEFAULT_EDITION


edition_option = click.option("--edition", cls=_Edition, show_default=True, help="Edition of the rules.")


count_option = click.option(
    "--count",
    "copies",
    type=int,
    metavar="N",
    help="Copies of each weapon that names no number, 1 unless said.",
)


def target_option(text: str) -> Callable[[F], F]:
    """Return the option of what is attacked, in one part or several."""
    return click.option(
        "--target", "-t", "targets", required=True, multiple=True, metavar="TARGET", help=text
    )


def objective_option(text: str, **more: Any) -> Callable[[F], F]:
    """Return the option of what choices make as great as can be."""
    objectives = click.Choice(["kills", "wounds_lost", "points", "probability_destroyed"])
    return click.option("--objective", type=objectives, default="kills", show_default=True, help=text, **more)


rulings_option = click.option(
    "--ruling",
    "rulings",
    cls=GroupedOption,
    group="Rulings",
    multiple=True,
    metavar="NAME=OPTION",
    callback=read_rulings,
    help="Decide a disputed point of the rules otherwise: see 'mathhammer 40k rulings'. Repeatable.",
)


def options() -> tuple[SituationOption, ...]:
    """Return an option for every keyword of the situation that an edition knows."""
    from mathhammer.systems.wh40k.editions import rulebook

    return _options(rulebook())


@lru_cache(maxsize=4)
def _options(rules: Rulebook) -> tuple[SituationOption, ...]:
    from mathhammer.systems.wh40k.rules.values import Kinds

    found = []
    for name, rule in rules.conditions.items():
        typed = _typed(rule.value)
        if isinstance(rule.value, Kinds):
            found.append(SituationOption(rule, None, name, rule.help))
            text = (
                f"The kinds of {name} that it has, with commas (9th edition): {', '.join(rule.value.names)}."
            )
            found.append(SituationOption(rule, typed, f"{name}_kind", text))
        else:
            again = " Repeatable." if typed is not None and typed.many else ""
            found.append(SituationOption(rule, typed, rule.option or name, rule.help + again))
    return tuple(found)


class SituationCommand(GroupedCommand):
    """A command that attacks: it has the options of the situation, and gets them as one."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return its own options and those of the situation; that of the rulings is the last."""
        params = [*super().get_params(ctx), *options()]
        return sorted(params, key=lambda each: each.name == "rulings")

    def invoke(self, ctx: click.Context) -> object:
        """Run the command with what was switched on as `situation`."""
        ctx.params["situation"] = _situation(ctx.params)
        return super().invoke(ctx)


def _situation(given: dict[str, Any]) -> dict[str, Any]:
    """Take the options away, and return what was switched on as keywords of the library."""
    situation: dict[str, Any] = {}
    for one in options():
        value = given.pop(one.name or "")
        if value is None or (one.typed is None and value is False):
            continue
        if one.rule.name in situation:
            raise click.UsageError(f"expected --{one.rule.name} or {one.flag}, got both")
        situation[one.rule.name] = value
    return situation


def describe(situation: Mapping[str, object]) -> str:
    """Return the situational rules that are on, in words a player uses."""
    from mathhammer.systems.wh40k.situation import conditions

    words = [
        name.replace("_", " ") if situation[name] is True else _shown(rule, situation[name])
        for name, rule in conditions().items()
        if situation.get(name) is not None
    ]
    return ", ".join(words) or "none"


def _shown(rule: Condition, value: Any) -> str:
    if rule.name == "modifiers":
        return ", ".join(f"{modifier.of} {modifier}" for modifier in value)
    if value is False:
        return rule.shown.format("none")
    if isinstance(value, frozenset):
        value = sorted(value)
    if isinstance(value, tuple | list):
        value = ", ".join(map(str, value))
    words = rule.shown.removesuffix("+") if isinstance(value, str) else rule.shown
    return words.format(value)


def rules_in_force(edition: str, situation: Mapping[str, object], rulings: Mapping[str, str] | None) -> str:
    """Return which rules a page was computed with: edition, situation, and rulings chosen on the way."""
    from mathhammer.systems.wh40k.editions import find_edition

    title = find_edition(edition).title
    chosen = ", ".join(f"{name}={option}" for name, option in (rulings or {}).items())
    more = f" Rulings chosen: {chosen}." if chosen else ""
    return f"{title}. Situational rules on: {describe(situation)}.{more}"


def as_data(situation: Mapping[str, object]) -> dict[str, Any]:
    """Return the situation for JSON: modifiers and triggers in the words in which they are printed."""
    return {key: _plain(key, value) for key, value in situation.items()}


def _plain(key: str, value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    if key == "modifiers":
        return [f"{modifier.of} {modifier}" for modifier in value]
    return list(map(str, value)) if isinstance(value, tuple) else value
