"""What the attacks of a unit on another come to in the 9th and 10th edition, played by `game`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plain_dice import Pmf, certainly, then
from referees.wh40k import choices, dice
from referees.wh40k.game import Entry, Sequence, Table
from referees.wh40k.models import Models, coordinates
from referees.wh40k.profiles import TENTH, MortalWounds, Rules, Unit

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from referees.wh40k.choices import Players
    from referees.wh40k.dice import Held


def final(entries: tuple[Entry, ...], unit: Unit, rules: Rules = TENTH, **options: Any) -> Pmf:
    """Distribution of the last table; its models are taken in the order given."""
    game = Sequence(entries, unit, rules, **options)
    return choices.play(game.ways, game.start)


def states(entries: tuple[Entry, ...], unit: Unit, rules: Rules = TENTH, **options: Any) -> Pmf:
    """Coordinates of the unit after everything: models destroyed and wounds lost by the next, kind by kind."""
    ends = final(entries, unit, rules, **options)
    return then(ends, lambda table: certainly(coordinates(unit, table.models)))


def counted(
    entries: tuple[Entry, ...],
    unit: Unit,
    name: str,
    rules: Rules = TENTH,
    shared: Held = dice.NONE,
) -> Pmf:
    """Distribution of what the entries come to, as if the first kind of the unit could not run out."""

    def ends(game: Sequence, start: Table) -> Pmf:
        return then(choices.play(game.ways, start), lambda table: certainly(table.counts[0]))

    if shared:
        game = Sequence(entries, unit, rules, shared=shared, track=(name,), endless=True)
        return ends(game, game.start)
    distribution = certainly(0)
    for entry in entries:  # no attack knows of another: one of them, and their sum
        game = Sequence((entry,), unit, rules, track=(name,), endless=True)
        if isinstance(entry, MortalWounds):
            one, numbers = ends(game, game.start), certainly((1, dice.NONE))
        else:
            one = ends(game, game.start._replace(attacks=1))
            numbers = dice.number_of_attacks(entry, sum(kind.models for kind in unit), rules)
        after: Pmf = {}
        for made in range(max(number for number, _ in numbers) + 1):
            for counts, chance in distribution.items() if (made, dice.NONE) in numbers else ():
                after[counts] = after.get(counts, 0) + chance * numbers[made, dice.NONE]
            distribution = then(
                distribution,
                lambda so_far, one=one: {so_far + more: chance for more, chance in one.items()},
            )
        distribution = after
    return distribution


def best(
    entries: tuple[Entry, ...],
    unit: Unit,
    worth: Callable[[Models], int],
    players: Players,
    rules: Rules = TENTH,
    **options: Any,
) -> Fraction:
    """Expected worth of the models left when the players choose as well as can be."""
    game = Sequence(entries, unit, rules, together=True, **options)
    return choices.best(game.ways, game.start, lambda table: worth(table.models), players)
