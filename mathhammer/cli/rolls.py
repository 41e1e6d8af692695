"""Pages of charges and tests, whatever the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.cli.dice import distribution_fields, probability_text, summary
from mathhammer.cli.page import Page, print_json, probability_fields
from mathhammer.cli.show import print_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mathhammer.sequence import ChargeResult, RollResult


def print_charge(
    name: str, result: ChargeResult[Any], rules: str, *, explain: bool, as_json: bool, as_text: bool
) -> None:
    """Print the chance of a charge, and the chances over all distances."""
    exact = result.exact
    if as_text:
        print_text(result)
        return
    if as_json:
        data = {
            **probabilities({"probability_success": result.probability_success}, exact=exact),
            "range": distribution_fields(result.range),
            "distances": [
                {"distance": distance, **probability_fields("probability_success", p, exact=exact)}
                for distance, p in result.distances
            ],
        }
        print_data(name, result, data, explain=explain)
        return
    page = Page()
    page.heading(f'Charge over {result.distance}"')
    page.paragraph(rules)
    page.line()
    page.line(f"P(success)    {probability_text(result.probability_success, exact=exact)}")
    page.paragraph(f"Charge Range  {summary(result.range)}", hanging="    ")
    page.line()
    for distance, probability in result.distances:
        page.line(f'{distance:>4}"  {probability_text(probability, exact=exact)}')
    finish(page, result, explain=explain)


def print_test(
    name: str, result: RollResult[Any], rules: str, *, explain: bool, as_json: bool, as_text: bool
) -> None:
    """Print the chances to pass and to fail."""
    found = {
        "probability_success": result.probability_success,
        "probability_failure": result.probability_failure,
    }
    if as_text:
        print_text(result)
        return
    if as_json:
        print_data(
            name, result, {"need": result.need, **probabilities(found, exact=result.exact)}, explain=explain
        )
        return
    page = Page()
    page.heading(f"{result.heading} on {result.need}{'+' if result.at_least else ''}")
    page.paragraph(rules)
    page.line()
    for key, value in found.items():
        page.line(f"P({key.removeprefix('probability_')})  {probability_text(value, exact=result.exact)}")
    finish(page, result, explain=explain)


def finish(page: Page, result: Any, *, explain: bool) -> None:
    """Print the page, with the explanation of the result if it is wanted."""
    if explain:
        page.line()
        page.line(str(result.explain()))
    page.print()


def probabilities(found: Mapping[str, Any], *, exact: bool) -> dict[str, Any]:
    """Return probabilities for JSON."""
    return {
        name: number
        for key, value in found.items()
        for name, number in probability_fields(key, value, exact=exact).items()
    }


def print_data(name: str, result: Any, data: Mapping[str, Any], *, explain: bool) -> None:
    """Print a result as JSON, with the rules that it was computed by."""
    document = {"edition": result.edition, "rulings": dict(result.rulings), **data}
    if explain:
        document["explanation"] = str(result.explain()).splitlines()
    print_json(name, document)
