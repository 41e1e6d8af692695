"""What is typed of Warhammer 40,000: the situation of an attack as options, modifiers, triggers, weapons, targets."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.questions import FieldOption
from mathhammer.errors import MathhammerError
from mathhammer.validation import shown, typed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.modifiers import Modifier
    from mathhammer.systems.wh40k import Target, TargetUnit, Trigger, Volley
    from mathhammer.systems.wh40k.rules.rule import Condition

_SOURCE = r"(?:\s*\((?P<source>[^()]+)\))?"
_NUMBER = r"[-−]?\d{1,9}"
_MODIFIER = re.compile(
    rf"(?P<of>[a-z ]+?)\s*(?P<sign>\+|-|−|=|x|×|/|÷|improved? by|improve|worsened? by|worsen|treated as)\s*"
    rf"(?P<value>{_NUMBER})(?:\s+where it is (?P<read>unmodified )?(?P<when>{_NUMBER}(?: or {_NUMBER})*))?{_SOURCE}",
    re.IGNORECASE,
)
_OPERATIONS = {
    "+": "add",
    "-": "subtract",
    "−": "subtract",
    "=": "set",
    "x": "multiply",
    "×": "multiply",
    "/": "divide",
    "÷": "divide",
    "i": "improve",
    "w": "worsen",
    "t": "treat",
}
_TRIGGER = re.compile(
    rf"(?P<on>[^:]+?)\s+to\s+(?P<roll>hit|wound)\s*:\s*(?P<effects>[^()]+?){_SOURCE}", re.IGNORECASE
)
#: What a trigger does: the words, and the argument of a Trigger that they are; the first group is its value.
_EFFECTS: tuple[tuple[re.Pattern[str], dict[str, Any]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), fields)
    for pattern, fields in (
        (r"(\S+) (?:additional|extra) hits?", {"extra_hits": str}),
        (r"(\S+) (?:additional|extra) attacks?", {"extra_attacks": str}),
        (r"(\S+) mortal wounds?(?: in addition)?", {"mortal_wounds": str}),
        (r"(\S+) mortal wounds? instead", {"mortal_wounds": str, "instead": True}),
        (r"wounds(?: without a roll)?", {"wounds": True}),
        (r"AP improved by (\d{1,9})", {"improve_ap": int}),
        (r"AP\s*=?\s*[-−]?(\d{1,9})", {"ap": int}),
        (r"the bearer is slain", {"bearer": "slain"}),
        (r"(\S+) mortal wounds? on the bearer", {"bearer": str}),
    )
)


def read_modifier(text: str) -> Modifier:
    """Return the modifier of a text such as ``damage +1 (Oath)``."""
    from mathhammer.modifiers import Modifier

    match = _MODIFIER.fullmatch(typed(text, "modifier").strip())
    if match is None:
        raise MathhammerError(
            f"expected a modifier such as 'damage +1 (rule)', 'strength x2', 'ap improved by 1' or 'skill =4', "
            f"got {shown(text)}"
        )
    operation: Any = _OPERATIONS[match["sign"][0].lower()]
    when = match["when"]
    return Modifier(
        operation,
        _signed(match["value"]),
        match["source"] or "--modifier",
        of=match["of"].strip().lower(),
        when=None if when is None else frozenset(map(_signed, when.split(" or "))),
        unmodified=True if match["read"] and operation == "treat" else None,
    )


def read_trigger(text: str) -> Trigger:
    """Return the trigger of a text such as ``unmodified 6 to wound: 1 mortal wounds in addition (rule)``."""
    from mathhammer.systems.wh40k import Trigger

    match = _TRIGGER.fullmatch(typed(text, "trigger").strip())
    if match is None:
        raise MathhammerError(
            "expected a trigger such as 'unmodified 6 to wound: AP improved by 3 (Rending)', "
            f"got {shown(text)}; it says on what of which roll, a colon, what it does, and in brackets its name"
        )
    fields: dict[str, Any] = {}
    for effect in match["effects"].split(","):
        fields |= _effect(effect.strip())
    roll: Any = match["roll"].lower()
    return Trigger(roll, match["on"], match["source"] or "--trigger", **fields)


def _effect(text: str) -> dict[str, Any]:
    for pattern, fields in _EFFECTS:
        match = pattern.fullmatch(text)
        if match is not None:
            return {name: value(match[1]) if callable(value) else value for name, value in fields.items()}
    raise MathhammerError(
        "expected an effect such as '2 additional hits', '1 additional attacks', 'D3 mortal wounds in addition', "
        "'1 mortal wounds instead', 'wounds without a roll', 'AP improved by 3', 'AP -4' or 'the bearer is slain', "
        f"got {shown(text)}"
    )


def _signed(text: str) -> int:
    return int(text.replace("−", "-"))


class _TextOption(FieldOption):
    """The option of a field of several values, each typed as a player says it."""

    def _read(self, ctx: click.Context, parameter: click.Parameter, given: Any) -> Any:
        read = read_modifier if self.field.name == "modifiers" else read_trigger
        try:
            return super()._read(ctx, parameter, tuple(map(read, given)))
        except MathhammerError as error:
            raise click.BadParameter(str(error), param_hint=repr(self.opts[0])) from error


class SituationOptions:
    """The options of every keyword of the situation that an edition knows."""

    def options(self) -> list[FieldOption]:
        """Return them; of what has kinds one for all of it, and one for some of them."""
        from mathhammer.systems.wh40k.situation import conditions

        found = []
        for name, rule in conditions().items():
            field, kind = rule.value, _TextOption if name in {"modifiers", "triggers"} else FieldOption
            called = (name[:-1] if field.several else name).replace("_", "-")
            more: dict[str, Any] = {"group": rule.group, "many": field.several, "checked": True}
            kinds = field.metavar == "NAMES" and field.usual is False
            flag: Any = {"is_flag": True, "default": None, "metavar": None, "type": None} if kinds else {}
            found.append(kind(field, called, help=rule.help, **more, **flag))
            if kinds:
                text = (
                    f"The kinds of {name} that it has, with commas (9th edition): {', '.join(field.names)}."
                )
                found.append(FieldOption(field, f"{called}-kind", help=text, **more))
        return found

    def take(self, given: dict[str, Any]) -> dict[str, Any]:
        """Take the options away, and return what was switched on as keywords of the library."""
        situation: dict[str, Any] = {}
        for one in self.options():
            value, name = given.pop(one.name or ""), one.field.name
            if name in situation and value not in (None, ()):
                raise click.UsageError(f"expected --{name} or {one.opts[0]}, got both")
            if value not in (None, ()):
                situation[name] = one.field.read(value) if isinstance(value, str) else value
        return situation


def describe(situation: Mapping[str, object]) -> str:
    """Return the situational rules that are on, in words a player uses."""
    from mathhammer.systems.wh40k.situation import conditions

    def plain(value: Any) -> Any:
        if isinstance(value, tuple):
            return [f"{each.of} {each}" if hasattr(each, "operation") else str(each) for each in value]
        return sorted(value) if isinstance(value, frozenset) else value

    on = {name: plain(value) for name, value in situation.items() if value is not None}
    return ", ".join(_shown(rule, on[name]) for name, rule in conditions().items() if name in on) or "none"


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


_LIST_NAME = re.compile(r".*\.(?:rosz?|json|txt)|https?://.*", re.IGNORECASE | re.DOTALL)


def _default_edition() -> str:
    from mathhammer.systems.wh40k.editions import DEFAULT_EDITION

    return DEFAULT_EDITION


edition_option = click.option(
    "--edition", default=_default_edition, show_default="the newest", help="Edition of the rules."
)


def is_list(text: str) -> bool:
    """Whether an argument names a list and not targets."""
    return text == "-" or _LIST_NAME.fullmatch(text) is not None or os.path.isfile(text)  # noqa: PTH113 - as in container


def target_line(target: Target | TargetUnit) -> str:
    """Return what a target is on one line; of several kinds of models each with its stat line."""
    from mathhammer.systems.wh40k import TargetUnit

    if not isinstance(target, TargetUnit):
        return str(target)
    names = [*map(str, target.models), *(f"{kind} (leader)" for kind in target.leaders)]
    points = "" if target.points is None else f": {target.points}pts"
    return f"{target.name}{points} = {' + '.join(names)}"


def read_unit(
    targets: Sequence[str],
    edition: str | None = None,
    leaders: Sequence[str] = (),
    allocation: Any = "given",
    objective: Any = "kills",
) -> Target | TargetUnit:
    """Return one target, or the unit that several kinds of models and leaders make."""
    from mathhammer.systems import wh40k

    kinds, characters = ([_read_kind(text, edition) for text in texts] for texts in (targets, leaders))
    if len(kinds) == 1 and not characters:
        if allocation != "given":
            raise click.UsageError(
                f"expected several --target, or a --leader, for --allocation {allocation}; equal models have one order"
            )
        return kinds[0]
    name = " and ".join(kind.name for kind in kinds)
    if characters:
        name += f" with {' and '.join(kind.name for kind in characters)}"
    return wh40k.TargetUnit(name, kinds, characters, allocation=allocation, objective=objective)


def _read_kind(text: str, edition: str | None) -> Target:
    """Return one target; of several, or of a list, say where they can be asked for."""
    from mathhammer.systems.wh40k.editions import DEFAULT_EDITION
    from mathhammer.systems.wh40k.profiles.targets import read_target, split_targets

    if is_list(text) or len(split_targets(text)) > 1:
        raise MathhammerError(
            f"expected one target, got {shown(text)}; 'mathhammer army' takes several targets, and lists"
        )
    return read_target(text, edition or DEFAULT_EDITION)


def read_weapons(texts: Sequence[str], copies: int | None) -> list[Volley]:
    """Return the volleys of stat lines; the number of copies is for those that name none."""
    from mathhammer.systems.wh40k.profiles.volleys import COPIES, read_volley

    if copies is not None and all(map(COPIES.match, texts)):
        got = shown(texts[0]) if texts else "none"
        raise click.UsageError(
            f"expected a weapon without a number for --count {copies}, got {got}; leave one of the two numbers out"
        )
    if lists := list(filter(is_list, texts)):
        raise click.UsageError(
            f"expected the stat line of a weapon, got {shown(lists[0])}; 'mathhammer army' reads lists"
        )
    return [read_volley(text, 1 if copies is None else copies) for text in texts]


def attacked(volleys: Sequence[object], target: Target | TargetUnit) -> str:
    """Return what attacks what, with their stat lines."""
    return f"{'; '.join(str(each).removeprefix('1 × ') for each in volleys)} against {target_line(target)}."
