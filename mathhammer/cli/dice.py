"""``mathhammer dice``: the law of a dice expression."""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.page import Page, print_json, probability_fields
from mathhammer.display import MAXIMUM_FRACTION, distribution_table, fraction, number, percent, value_text

if TYPE_CHECKING:
    from mathhammer.distributions import Distribution
    from mathhammer.expressions.base import Expression

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
    from mathhammer.expressions import dice

    parsed = dice(expression)
    law = _law(parsed, exact=exact)
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


def _law(parsed: Expression, *, exact: bool) -> Distribution[Any]:
    """Return a distribution to be printed; start-up is part of what a user waits for."""
    from mathhammer.distributions import in_floats, in_fractions
    from mathhammer.expressions.limits import is_small

    if not exact and is_small(parsed):
        return in_floats(parsed.distribution(exact=True))
    return in_fractions(parsed.distribution(exact=exact))


def summary(law: Distribution[Any], low: int | None = None, high: int | None = None) -> str:
    """Return mean, deviation and range in a line; the range is the support's unless given."""
    from mathhammer.distributions import in_fractions
    from mathhammer.distributions.presentation import deviation

    law = in_fractions(law)
    low = law.support[0] if low is None else low
    high = law.support[-1] if high is None else high
    if law.missing:
        return f"missing mass {probability_text(law.missing, exact=law.exact)}, from {low} to {high}"
    mean = law.mean()
    exactly = f" = {_fraction(mean)}" if law.exact and mean != int(mean) else ""
    return f"mean {number(mean)}{exactly}, standard deviation {number(deviation(law))}, from {low} to {high}"


def table(law: Distribution[Any], page: Page, *, heading: str = "outcome") -> str:
    """Return the table with bars for this page."""
    from mathhammer.distributions.presentation import exact_texts, shown_floats

    return distribution_table(
        law.support,
        shown_floats(law),
        exact=exact_texts(law),
        heading=heading,
        width=page.width,
        unicode=page.unicode,
    )


def probability_text(value: Any, *, exact: bool) -> str:
    """Return a percentage, and the fraction beside it in exact mode."""
    return f"{percent(value)} = {_fraction(value)}" if exact and value.denominator != 1 else percent(value)


def _fraction(value: Any) -> str:
    """Return a fraction, or how long it is and where it can be had."""
    text = value_text(value, limit=MAXIMUM_FRACTION)
    return f"{text}; --json prints it" if text.startswith("a ") else text


def distribution_fields(law: Distribution[Any]) -> dict[str, Any]:
    """Return a distribution for JSON: its moments, and each possible outcome with its probability."""
    from mathhammer.distributions import in_fractions
    from mathhammer.distributions.presentation import at_least_floats

    law = in_fractions(law)
    exact = list(starmap(fraction, law.fractions())) if law.exact else None
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
                "probability": probability,
                **({} if exact is None else {"probability_exact": exact[place]}),
                "at_least": at_least,
            }
            for place, (outcome, probability, at_least) in enumerate(
                zip(law.support, map(float, map(law.pmf, law.support)), at_least_floats(law), strict=True)
            )
            if probability or (exact is not None and exact[place] != "0")
        ],
    }


def _asked(law: Distribution[Any], at_least: tuple[int, ...]) -> dict[str, Any]:
    if not at_least:
        return {}
    rows = [{"k": k, **probability_fields("probability", law.at_least(k), exact=law.exact)} for k in at_least]
    return {"at_least": rows}
