"""``mathhammer dice``: the distribution of a dice expression."""

from __future__ import annotations

import click

from mathhammer.cli.page import Page, exact_option, json_option, print_json, probability_fields
from mathhammer.display import MAXIMUM_FRACTION, percent, value_text


@click.command(
    "dice",
    short_help="The distribution of a dice expression such as 2D6+3.",
    epilog="""\b
Examples:
  mathhammer dice "2D6+3"
  mathhammer dice "2D6" --at-least 9 --exact
  mathhammer dice "10D6" --json
""",
)
@click.argument("expression", nargs=-1, required=True, metavar="EXPRESSION")
@exact_option
@click.option(
    "--at-least", type=int, multiple=True, metavar="K", help="Also print P(result >= K). Repeatable."
)
@json_option
def command(expression: tuple[str, ...], exact: bool, at_least: tuple[int, ...], as_json: bool) -> None:  # noqa: FBT001
    """Print the distribution of a dice EXPRESSION such as 2D6+3, D3 or 4D6*2."""
    from mathhammer.distributions import in_fractions
    from mathhammer.distributions.presentation import bars, table
    from mathhammer.expressions import dice

    parsed = dice(" ".join(expression))
    distribution = parsed.distribution(exact=exact)
    asked = [(k, in_fractions(distribution).at_least(k)) for k in at_least]
    if as_json:
        rows = [{"k": k, **probability_fields("probability", each, exact=exact)} for k, each in asked]
        print_json("dice", {**bars(distribution, str(parsed))._asdict(), "at_least": rows})
        return
    page = Page()
    page.heading(str(parsed))
    page.line(table(distribution, width=page.width))
    for k, each in asked:
        text = f" = {value_text(each, limit=MAXIMUM_FRACTION)}" if exact and each not in (0, 1) else ""
        page.line(f"P(result >= {k}) = {percent(each)}{text}")
    page.print()
