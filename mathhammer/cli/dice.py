"""``mathhammer dice``: the law of a dice expression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.page import Page, exact_text, print_json, probability_fields
from mathhammer.display import distribution_table, number, percent

if TYPE_CHECKING:
    from mathhammer.distributions import Distribution

__all__ = ["command"]

#: A float64 tail that ends in a probability below this one goes on where floats cannot follow.
_VANISHING = 1e-290


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
@click.argument("expression")
@click.option("--exact", is_flag=True, help="Fractions instead of floating point.")
@click.option(
    "--at-least", type=int, multiple=True, metavar="K", help="Also print P(result >= K). Repeatable."
)
@click.option("--json", "as_json", is_flag=True, help="Print data instead of a table.")
def command(expression: str, exact: bool, at_least: tuple[int, ...], as_json: bool) -> None:  # noqa: FBT001
    """Print the distribution of a dice EXPRESSION such as 2D6+3, D3 or 4D6*2."""
    from mathhammer.expressions import dice, distribution

    parsed = dice(expression)
    law = distribution(parsed, exact=exact)
    if as_json:
        print_json("dice", {"expression": str(parsed), **distribution_fields(law), **_asked(law, at_least)})
        return
    page = Page()
    page.heading(str(parsed))
    low, high = parsed.bounds()
    # The bounds of an expression only promise to contain its law; what floats lost lies beyond a vanishing tail.
    lost = not exact and min(law.pmf(law.support[0]), law.pmf(law.support[-1])) < _VANISHING
    page.paragraph(summary(law, low, high) if lost else summary(law))
    page.line()
    page.line(table(law, page))
    if lost and (law.support[0], law.support[-1]) != (low, high):
        page.paragraph(
            f"Outcomes below {law.support[0]} and above {law.support[-1]} are too unlikely for floating point; "
            "--exact has them."
        )
    if at_least:
        page.line()
    for k in at_least:
        page.line(f"P(result >= {k}) = {probability_text(law.at_least(k), exact=exact)}")
    page.print()


def summary(law: Distribution[Any], low: int | None = None, high: int | None = None) -> str:
    """Return mean, deviation and range in a line; the range is the support's unless given."""
    low = law.support[0] if low is None else low
    high = law.support[-1] if high is None else high
    if law.missing:
        return f"missing mass {probability_text(law.missing, exact=law.exact)}, from {low} to {high}"
    mean = law.mean()
    exactly = f" = {exact_text(mean)}" if law.exact and mean != int(mean) else ""
    deviation = float(law.variance()) ** 0.5
    return f"mean {number(mean)}{exactly}, standard deviation {number(deviation)}, from {low} to {high}"


def table(law: Distribution[Any], page: Page, *, heading: str = "outcome") -> str:
    """Return the table with bars for this page."""
    outcomes, probabilities = zip(*law.items(), strict=True)
    exact = [exact_text(probability) for probability in probabilities] if law.exact else None
    return distribution_table(
        outcomes, probabilities, exact=exact, heading=heading, width=page.width, unicode=page.unicode
    )


def probability_text(value: Any, *, exact: bool) -> str:
    """Return a percentage, and the fraction beside it in exact mode."""
    fraction = exact_text(value) if exact else ""
    return f"{percent(value)} = {fraction}" if exact and "/" in fraction else percent(value)


def distribution_fields(law: Distribution[Any]) -> dict[str, Any]:
    """Return a distribution for JSON: its moments, and each possible outcome with its probability."""
    items = list(law.items())
    # A law that misses mass has no moments, but says how much it misses.
    moments = (
        probability_fields("missing", law.missing, exact=law.exact)
        if law.missing
        else {
            **probability_fields("mean", law.mean(), exact=law.exact),
            **probability_fields("variance", law.variance(), exact=law.exact),
        }
    )
    return {
        "arithmetic": "exact" if law.exact else "float64",
        **moments,
        "outcomes": [
            {
                "outcome": outcome,
                **probability_fields("probability", probability, exact=law.exact),
                "at_least": float(law.at_least(outcome)),
            }
            for outcome, probability in items
        ],
    }


def _asked(law: Distribution[Any], at_least: tuple[int, ...]) -> dict[str, Any]:
    if not at_least:
        return {}
    rows = [{"k": k, **probability_fields("probability", law.at_least(k), exact=law.exact)} for k in at_least]
    return {"at_least": rows}
