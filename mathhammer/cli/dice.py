"""``mathhammer dice``: the distribution of a dice expression."""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING, Any

import click

from mathhammer.cli.page import Page, exact_option, json_option, print_json, probability_fields
from mathhammer.display import MAXIMUM_FRACTION, distribution_table, fraction, number, percent, value_text

if TYPE_CHECKING:
    from mathhammer.distributions import Distribution


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
    from mathhammer.expressions import dice

    parsed = dice(" ".join(expression))
    distribution: Distribution = in_fractions(parsed.distribution(exact=exact))  # SymPy takes long to import
    if as_json:
        print_json(
            "dice",
            {
                "expression": str(parsed),
                **distribution_fields(distribution),
                **_asked(distribution, at_least),
            },
        )
        return
    page = Page()
    page.heading(str(parsed))
    page.paragraph(summary(distribution))
    page.line()
    page.line(table(distribution, page))
    if at_least:
        page.line()
    for k in at_least:
        page.line(f"P(result >= {k}) = {probability_text(distribution.at_least(k), exact=exact)}")
    page.print()


def summary(distribution: Distribution) -> str:
    """Return mean, deviation and range in a line."""
    from mathhammer.distributions import in_fractions
    from mathhammer.distributions.presentation import deviation

    distribution = in_fractions(distribution)
    low, high = distribution.support[0], distribution.support[-1]
    if distribution.missing:
        return f"missing mass {probability_text(distribution.missing, exact=distribution.exact)}, from {low} to {high}"
    mean = distribution.mean()
    exactly = (
        f" = {text}" if distribution.exact and not (text := _fraction(mean)).lstrip("-").isdigit() else ""
    )
    return f"mean {number(mean)}{exactly}, standard deviation {number(deviation(distribution))}, from {low} to {high}"


def table(distribution: Distribution, page: Page, *, heading: str = "outcome") -> str:
    """Return the table with bars for this page."""
    from mathhammer.distributions.presentation import exact_texts, shown_floats

    return distribution_table(
        distribution.support,
        shown_floats(distribution),
        exact=exact_texts(distribution),
        heading=heading,
        width=page.width,
        unicode=page.unicode,
    )


def probability_text(value: Any, *, exact: bool) -> str:
    """Return a percentage, and the fraction beside it in exact mode."""
    text = _fraction(value) if exact else ""
    return f"{percent(value)} = {text}" if text and not text.isdigit() else percent(value)


def _fraction(value: Any) -> str:
    """Return a fraction, or how long it is and where it can be had."""
    text = value_text(value, limit=MAXIMUM_FRACTION)
    return f"{text}; --json prints it" if text.startswith("a ") else text


def distribution_fields(distribution: Distribution) -> dict[str, object]:
    """Return a distribution for JSON: its moments, and each possible outcome with its probability."""
    from mathhammer.distributions import in_fractions
    from mathhammer.distributions.presentation import at_least_floats

    distribution = in_fractions(distribution)
    exact = list(starmap(fraction, distribution.fractions())) if distribution.exact else None
    # A distribution that misses mass has no moments, but says how much it misses.
    moments = (
        probability_fields("missing", distribution.missing, exact=distribution.exact)
        if distribution.missing
        else {
            **probability_fields("mean", distribution.mean(), exact=distribution.exact),
            **probability_fields("variance", distribution.variance(), exact=distribution.exact),
        }
    )
    return {
        "arithmetic": "exact" if distribution.exact else "float64",
        **moments,
        "outcomes": [
            {
                "outcome": outcome,
                "probability": probability,
                **({} if exact is None else {"probability_exact": exact[place]}),
                "at_least": at_least,
            }
            for place, (outcome, probability, at_least) in enumerate(
                zip(
                    distribution.support,
                    map(float, map(distribution.pmf, distribution.support)),
                    at_least_floats(distribution),
                    strict=True,
                )
            )
            if probability or (exact is not None and exact[place] != "0")
        ],
    }


def _asked(distribution: Distribution, at_least: tuple[int, ...]) -> dict[str, object]:
    if not at_least:
        return {}
    rows = [
        {"k": k, **probability_fields("probability", distribution.at_least(k), exact=distribution.exact)}
        for k in at_least
    ]
    return {"at_least": rows}
