"""``mathhammer t9a attack``, ``charge``, ``break``, ``discipline``, ``fight``: The 9th Age: Fantasy Battles."""

from __future__ import annotations

from typing import Any

import click

from mathhammer.cli.questions import Part, asks, asks_each


@click.group("t9a", short_help="The 9th Age: attacks, charges, tests, rounds of combat.")
def command() -> None:
    """Compute attacks, charges and tests of The 9th Age: Fantasy Battles."""


asks(
    command,
    "attack",
    """
  mathhammer t9a attack "Spearmen: 15 attacks, Off 3, Str 3, AP 1 [Lightning Reflexes]" \\
      --target "Orcs: 20 models, Def 3, Res 4, Arm 3, Aegis 5+"
  mathhammer t9a attack "15 shots, Aim 4+, Str 3" -t "20 models, Res 3, Arm 1" --long-range --exact
""",
    """Print what simultaneous attacks do to a unit.

    PARTS are stat lines, "Spearmen: 15 attacks, Off 3, Str 3, AP 1 [Spear]", with shots and Aim instead for
    shooting, or "2D6 hits" for automatic hits; a target is "Orcs: 20 models, HP 1, Def 3, Res 4, Arm 3, Aegis 5+".
    """,
    call=Part("t9a:attack", many=("parts",)),
    situation=Part("t9a.situation:Situation"),
)
asks_each(
    command,
    """
t9a:charge | charge --advance 5 --distance 12 --swiftstride | Print the chance that a charge reaches its target.
t9a:break_test | break 8 --lost-by 3 --reroll | Print the chance to hold after losing a round of combat.
t9a:discipline_test | discipline 8 --minimised 1 --reroll | Print the chance to pass a Discipline Test, such as Panic.
""",
)


@click.option("--rounds", type=click.IntRange(1, 12), metavar="N", help="Fight on for N rounds at most.")
@click.option("--pursue", is_flag=True, help="With --rounds: who breaks is pursued.")
def _fight(
    *, call: dict[str, Any], first: dict[str, Any], second: dict[str, Any], rounds: int | None, pursue: bool
) -> object:
    """Play the first Round of Combat of two units, or several."""
    from mathhammer.systems import t9a

    sides = t9a.Unit(**first), t9a.Unit(**second)
    if call.get("best") is None and call.get("objective", "break") != "break":
        raise click.UsageError("--objective says what choices are for; give --best first, second or both too")
    if rounds is not None:
        return t9a.rounds_of_combat(*sides, rounds=rounds, pursue=pursue, **call)
    if pursue:
        raise click.UsageError("--pursue is about several rounds; give --rounds N too")
    return t9a.fight(*sides, **call)


_UNIT = {"target": "", "parts": "part", "alternatives": "alternative"}
asks(
    command,
    "fight",
    """
  mathhammer t9a fight --first "Knights: 5 models, Def 4, Res 3, Arm 5" \\
      --first-part "Knights: 5 x 1 attacks, Off 4, Str 4, AP 1, Agi 4 [Lance]" --first-charging \\
      --second "Orcs: 20 models, Def 3, Res 4, Arm 2" \\
      --second-part "Orcs: 10 x 1 attacks, Off 3, Str 4, Agi 2" --second-rank-width 5 --rounds 5
""",
    _fight,
    call=Part("t9a:fight", leave=("first", "second", "duel")),
    **{side: Part("t9a:Unit", side, _UNIT, many=("parts", "alternatives")) for side in ("first", "second")},
)
