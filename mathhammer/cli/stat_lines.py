"""Weapons and targets as stat lines: read from what is typed, and printed."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import click

from mathhammer.errors import MathhammerError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.systems.wh40k import Target, TargetUnit, Volley

_LIST_NAME = re.compile(r".*\.(?:rosz?|json|txt)|https?://.*", re.IGNORECASE | re.DOTALL)


class _Edition(click.Option):
    """The edition of the rules, the library's default unless said."""

    def get_default(self, ctx: click.Context, call: bool = True) -> str:  # noqa: ARG002, FBT001, FBT002 - click's
        from mathhammer.systems.wh40k.editions import DEFAULT_EDITION

        return DEFAULT_EDITION


edition_option = click.option("--edition", cls=_Edition, show_default=True, help="Edition of the rules.")


def is_list(text: str) -> bool:
    """Whether an argument names a list and not targets."""
    return text == "-" or _LIST_NAME.fullmatch(text) is not None or os.path.isfile(text)  # noqa: PTH113 - as in container


def target_line(target: Target | TargetUnit) -> str:
    """Return what a target is on one line; of several kinds of models each with its stat line."""
    from mathhammer.systems.wh40k import TargetUnit
    from mathhammer.systems.wh40k.profiles.targetline import print_target

    if not isinstance(target, TargetUnit):
        return print_target(target)
    kinds = [*target.models, *target.leaders]
    names = [f"{print_target(kind)}{' (leader)' if kind in target.leaders else ''}" for kind in kinds]
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
    from mathhammer.systems.wh40k.profiles.volleys import names_count, read_volley

    if copies is not None and all(map(names_count, texts)):
        got = shown(texts[0]) if texts else "none"
        raise click.UsageError(
            f"expected a weapon without a number for --count {copies}, got {got}; leave one of the two numbers out"
        )
    if lists := list(filter(is_list, texts)):
        raise click.UsageError(
            f"expected the stat line of a weapon, got {shown(lists[0])}; 'mathhammer army' reads lists"
        )
    return [read_volley(text, 1 if copies is None else copies) for text in texts]


def profile_line(entry: object) -> str:
    """Return what attacks, in a line."""
    from mathhammer.systems import wh40k

    if not isinstance(entry, wh40k.Volley):
        return str(entry)
    return f"{entry.count}x {entry.weapon}" if entry.count > 1 else str(entry.weapon)
