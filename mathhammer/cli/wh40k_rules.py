"""``mathhammer 40k editions``, ``rulings`` and ``abilities``: what the editions know and decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mathhammer.cli.lists import attack_head, read_unit, read_weapons, target_line
from mathhammer.cli.page import Page, exact_option, json_option, print_json, probability_fields
from mathhammer.cli.situation import (
    SituationCommand,
    as_data,
    count_option,
    describe,
    edition_option,
    rulings_option,
    target_option,
)

if TYPE_CHECKING:
    from mathhammer.systems.wh40k import SituationKeywords


@click.command(
    "editions",
    cls=SituationCommand,
    epilog="""\b
Example:
  mathhammer 40k editions "5x Bolt rifle: A2 BS3+ S4 AP-1 D1 [HEAVY]" --target MEQ --cover --stationary
""",
)
@click.argument("weapons", nargs=-1, required=True, metavar="WEAPON...")
@target_option("As for '40k attack'; a label is the standard target of the default edition in all of them.")
@count_option
@click.option("--editions", help="Their names with commas between them; all of them unless said.")
@exact_option
@json_option
@rulings_option
def editions_command(
    *,
    weapons: tuple[str, ...],
    targets: tuple[str, ...],
    copies: int | None,
    editions: str | None,
    exact: bool,
    as_json: bool,
    rulings: dict[str, str] | None,
    situation: SituationKeywords,
) -> None:
    """Print the same attack under several editions, and which rules make the difference."""
    from mathhammer.systems import wh40k
    from mathhammer.systems.wh40k.editions import DEFAULT_EDITION

    names = list(wh40k.EDITIONS) if editions is None else [name.strip() for name in editions.split(",")]
    volleys = read_weapons(weapons, copies)
    defender = read_unit(targets, (), "given", "kills", DEFAULT_EDITION)
    compared: wh40k.EditionComparison = wh40k.compare_editions(
        volleys, defender, editions=names, rulings=_by_edition(names, rulings), exact=exact, **situation
    )
    if not as_json:
        page = Page()
        attack_head(page, [*volleys], defender)
        page.paragraph(f"Situational rules on: {describe(situation)}.")
        page.line()
        page.line(str(compared).partition("\n\n")[2])
        page.print()
        return
    rows = [
        {
            "name": name,
            "by_edition": {
                edition: probability_fields("value", value, exact=exact)  # type: ignore[arg-type] # numbers behind a name
                for edition, value in zip(compared, values, strict=True)
            },
        }
        for name, *values in compared.rows()
    ]
    found = [
        {"step": each.step, "by_edition": dict(each.by_edition), "rules": list(each.rules)}
        for each in compared.differences()
    ]
    data = {
        "target": target_line(defender),
        "situation": as_data(situation),
        "rows": rows,
        "differences": found,
    }
    print_json("40k editions", {"editions": names, **data})


def _by_edition(names: list[str], chosen: dict[str, str] | None) -> dict[str, dict[str, str]] | None:
    """Return the chosen rulings for each edition that has them; the last is asked for those that none has."""
    from mathhammer.systems.wh40k.editions import find_edition

    if chosen is None:
        return None
    known = {name: {ruling.name for ruling in find_edition(name).rulings} for name in names}
    everywhere = set().union(*known.values())
    return {
        name: {
            ruling: option
            for ruling, option in chosen.items()
            if ruling in known[name] or (ruling not in everywhere and name == names[-1])
        }
        for name in names
    }


@click.command(
    "rulings",
    epilog="""\b
Example:
  mathhammer 40k rulings
  mathhammer 40k attack "Gun: A9 BS3+ S4 AP-1 D1" --target MEQ --cover --ruling save_cap=gross
""",
)
@edition_option
@json_option
def rulings_command(edition: str, as_json: bool) -> None:  # noqa: FBT001
    """List the disputed points of the rules: the question, the options, the default and where it comes from."""
    from mathhammer.systems.wh40k.editions import find_edition

    rules = find_edition(edition)
    if as_json:
        fields = ("name", "question", "options", "default", "source")
        listed = [{field: getattr(ruling, field) for field in fields} for ruling in rules.rulings]
        print_json("40k rulings", {"edition": rules.name, "rulings": listed})
        return
    page = Page()
    page.heading(f"{rules.title}: disputed points")
    for ruling in rules.rulings:
        options = " | ".join(
            f"{option} (default)" if option == ruling.default else option for option in ruling.options
        )
        page.line()
        page.paragraph(f"{ruling.name} = {options}", hanging="  ")
        page.paragraph(ruling.question, indent="  ")
        page.paragraph(f"Source of the default: {ruling.source}.", indent="  ")
    page.print()


@click.command(
    "abilities",
    epilog="""\b
Example:
  mathhammer 40k abilities --edition 9e
""",
)
@edition_option
@json_option
def abilities_command(edition: str, as_json: bool) -> None:  # noqa: FBT001
    """List the weapon abilities: what each does, what it needs, and where the rule is."""
    from mathhammer.systems.wh40k.editions import find_edition

    rules = find_edition(edition)
    listed = [
        {
            "name": rule.name + {"roll": "-X Y+", "": ""}.get(rule.value, " X"),
            "help": rule.help,
            "needs": [need.name for need in rule.needs],
            "source": rule.source,
        }
        for rule in rules.abilities.values()
    ]
    if as_json:
        print_json("40k abilities", {"edition": rules.name, "abilities": listed})
        return
    page = Page()
    page.heading(f"{rules.title}: weapon abilities")
    for rule in listed:
        needs = "".join(f" Needs --{name.replace('_', '-')}." for name in rule["needs"])
        page.line()
        page.paragraph(f"{rule['name']}: {rule['help']}{needs}", hanging="  ")
        page.paragraph(f"Source: {rule['source']}.", indent="  ")
    page.print()
