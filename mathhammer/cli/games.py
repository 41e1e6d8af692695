"""Commands of Age of Sigmar, of The 9th Age and of Trench Crusade: attacks, rolls, fights."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.page import json_option, say
from mathhammer.cli.questions import Part, asks, asks_each, lists_rulings

if TYPE_CHECKING:
    Said = dict[str, Any]

_SIDES = ("first", "second")
_GROUPS = """
aos | Age of Sigmar: attacks, wards, charges, magic, fights. | Compute attacks and rolls of Warhammer Age of Sigmar.
t9a | The 9th Age: attacks, charges, tests, rounds of combat. | Compute attacks, charges and tests of The 9th Age: \
Fantasy Battles.
tc | Success Rolls, Injury Rolls and attacks of Trench Crusade. | Compute rolls and attacks of Trench Crusade.
"""
_ROWS = (row.split(" | ") for row in _GROUPS.strip().splitlines())
aos_command, t9a_command, tc_command = (
    click.Group(name, short_help=short, help=text) for name, short, text in _ROWS
)

asks_each(
    aos_command,
    """
aos:attack aos:Situation | attack "10 x Hellblade 2 3+ 3+ 1 1 Crit (Mortal)" --target LIBERATORS --all-out-attack; \
attack "Axe: 5 models, champion, Atk 2, Hit 3+, Wnd 3+, Dmg D3" -t "Ogors: 4 models, Health 4, Save 4+" --explain | \
Print what the attacks of one ability do to a unit. A WEAPON is a row of a warscroll, "5 x Hellblade 2 3+ 3+ 1 1 Crit \
(Mortal)" or with labels, "Hellblade: 5 models, champion, Atk 2, Hit 3+, Wnd 3+, Rnd 1, Dmg 1"; a target is the label \
of a standard one or "Liberators: 5 models, Health 2, Save 3+, Ward 6+ [Infantry]".
aos:charge | charge 9 --reroll | Print the chance that a charge reaches DISTANCE inches.
aos:cast | cast 7 --unbound | Print the chance that a spell is cast, and not unbound.
aos:chant | chant 5 --turns 2; chant 5 --turns 3 --better 8 | Print the chance that a prayer is answered in some turns.
""",
)
_UNIT = {"target": "", "weapons": "weapon", "parts": "part", "alternatives": "alternative"}
asks(
    aos_command,
    "fight",
    """
  mathhammer aos fight --first LIBERATORS --first-weapon "5 x Warhammer 2 3+ 3+ 1 1" \\
      --second CHAFF --second-weapon "20 x Rusty Blade 2 4+ 5+ 0 1" --second-strikes first
""",
    "Print what becomes of two units that fight in turn.",
    call=Part("aos:fight"),
    **{side: Part("aos:Unit", side, _UNIT, leave=("notes",), many=("weapons",)) for side in _SIDES},
    **{f"{side}_situation": Part("aos:Situation", side, leave=("mortal_damage",)) for side in _SIDES},
)


@aos_command.command("army", epilog="Example: mathhammer aos army list.ros --against GOD")
@click.argument("file")
@click.option("--against", default="CHAFF,LIBERATORS,GOD", show_default=True, help="Labels of targets.")
@click.option("--datasheets", metavar="PATH", help="Warscrolls of a text: by default those of bsdata-aos.")
@json_option
def army(file: str, *, against: str, datasheets: str | None, as_json: bool) -> None:
    """Print the mean damage of each unit of a list: of New Recruit, the official app or Listbot."""
    from mathhammer.analysis import grid
    from mathhammer.analysis.tabular import Answer
    from mathhammer.rosters.sigmar import read_units

    units = read_units(file, datasheets=datasheets)
    table, notes = grid(units, against), [f"{unit.name}: {note}" for unit in units for note in unit.notes]
    facts, means = table.about(), table._picture("mean_wounds_lost")  # noqa: SLF001 - the package's own
    shown = table.to_records(), facts, facts, notes, [means]
    say(Answer(table.schema, "Mean damage points", *shown), as_json=as_json)


asks_each(
    t9a_command,
    """
t9a:attack t9a.situation:Situation | attack "Spearmen: 15 attacks, Off 3, Str 3, AP 1 [Lightning Reflexes]" \
--target "Orcs: 20 models, Def 3, Res 4, Arm 3, Aegis 5+"; \
attack "15 shots, Aim 4+, Str 3" -t "20 models, Res 3, Arm 1" --long-range --exact | \
Print what simultaneous attacks do to a unit. A PART is a stat line, "Spearmen: 15 attacks, Off 3, Str 3 [Spear]", \
with shots and Aim instead for shooting, or "2D6 hits" for automatic hits; a target is "Orcs: 20 models, HP 1, Def 3, \
Res 4, Arm 3, Aegis 5+".
t9a:cast_spell | cast 7 --dice 3 --dispel-dice 2 | Print the chance that a spell is cast, and not dispelled.
t9a:charge | charge 12 --advance 5 --swiftstride | Print the chance that a charge reaches its target.
t9a:break_test | break 8 --lost-by 3 --reroll | Print the chance to hold after losing a round of combat.
t9a:discipline_test | discipline 8 --minimised 1 --reroll | Print the chance to pass a Discipline Test, such as Panic.
""",
)


for _name, _asked, _more, _text in (
    ("fight", "fight", "--second-rank-width 5", "Play the first Round of Combat of two units."),
    ("rounds", "rounds_of_combat", "--rounds 5", "Play several Rounds of Combat of two units."),
):
    asks(
        t9a_command,
        _name,
        f"""
  mathhammer t9a {_name} --first "Knights: 5 models, Def 4, Res 3, Arm 5" \\
      --first-part "Knights: 5 x 1 attacks, Off 4, Str 4, AP 1, Agi 4 [Lance]" --first-charging \\
      --second "Orcs: 20 models, Def 3, Res 4, Arm 2" \\
      --second-part "Orcs: 10 x 1 attacks, Off 3, Str 4, Agi 2" {_more}
""",
        _text,
        call=Part(f"t9a:{_asked}", leave=("duel",)),
        **{side: Part("t9a:Unit", side, _UNIT, many=("parts", "alternatives")) for side in _SIDES},
    )

_WEAPON = 'A weapon is the name of a common one or its line, "Halberd (melee): +1 INJURY DICE, CRITICAL".'

asks_each(
    tc_command,
    """
trench_crusade:charge | charge 10 --movement 6 --skirmisher | Print the chance that a charge reaches its target.
trench_crusade:success_roll | success -d "+2 elevated" -d "-1 cover" --exact | Print the distribution of a Success Roll.
trench_crusade:injury_roll | injury -d "+2 Blood" -m "-1 Standard Armour" --explain; \
injury --bloodbath --keywords DEADLY | Print the distribution of an Injury Roll or of a Bloodbath Roll.
""",
)


@tc_command.command("table", epilog="Example: mathhammer tc table injury --at-least down")
@click.argument("roll", type=click.Choice(["success", "injury", "bloodbath"]))
@click.option(
    "--at-least",
    type=click.Choice(["minor hit", "down", "out of action"]),
    default="out of action",
    show_default=True,
    help="The result or a worse one.",
)
@json_option
def table(roll: str, *, at_least: str, as_json: bool) -> None:
    """Print chances over net dice and modifiers."""
    from mathhammer.systems.trench_crusade import injury_table, success_table

    injury = partial(injury_table, at_least=at_least, bloodbath=roll == "bloodbath")
    say(success_table() if roll == "success" else injury(), as_json=as_json)


_MODEL = {"name": 'The model, by any name or as its line, "Yeoman: armour standard, Blood 2 [TOUGH]"'}
_OWN = {name: f"own-{name}" for name in ("blood", "blessing", "infection", "down", "keywords")}
asks(
    tc_command,
    "attack",
    """
  mathhammer tc attack Shotgun -t "Yeoman: armour standard, Shield, Blood 2" --cover --spend best --explain
  mathhammer tc attack "Machine Gun" --blood 3 --blessing 2 --spend best --reply best --initiative attacker
  mathhammer tc attack "Halberd (melee): +1 INJURY DICE, CRITICAL" --target-keywords TOUGH --exact
""",
    f"Print what weapons do to one model in one Activation.\n\n{_WEAPON}",
    call=Part("trench_crusade:attack", names={"attacks": "WEAPONS"}, many=("attacks",)),
    target=Part(
        "trench_crusade:Target", names={"name": "target", "keywords": "target-keywords"}, words=_MODEL
    ),
    attacker=Part("trench_crusade:Attacker", names=_OWN, leave=("name",)),
    situation=Part(
        "trench_crusade:Attack", leave=("weapon", "ammunition", "dice", "injury_dice", "injury_modifier")
    ),
)

_WEAPONS = {"attacks": "weapon", "opening": "opening"}
_MARKERS = ("success", "blood", "infection", "blessing")


def _side(side: str) -> dict[str, Part]:
    spend, reply = ({name: f"{what}-{name}" for name in _MARKERS} for what in ("spend", "reply"))
    return {
        f"{side}_target": Part("trench_crusade:Target", side, {"name": ""}, words=_MODEL),
        side: Part("trench_crusade:Fighter", side, _WEAPONS, leave=("target",), many=tuple(_WEAPONS)),
        f"{side}_spend": Part("trench_crusade:Spend", side, spend),
        f"{side}_reply": Part("trench_crusade:Reply", side, reply),
    }


asks(
    tc_command,
    "exchange",
    """
  mathhammer tc exchange --first Lieutenant --first-weapon Sword --first-weapon Axe --first-melee 2 \\
      --second Yeoman --second-weapon Bayonet --second-armour standard --activations 6
""",
    f"Let two models attack each other in turn, the first one first.\n\n{_WEAPON}",
    call=Part("trench_crusade:exchange", leave=_SIDES),
    **_side("first"),
    **_side("second"),
)
for _group in (aos_command, t9a_command, tc_command):
    lists_rulings(_group)
