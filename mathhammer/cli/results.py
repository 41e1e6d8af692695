"""Commands that compute one result: the options that they share, and how they print it."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, SupportsFloat, runtime_checkable

import click

from mathhammer.cli.dice import distribution_fields, probability_text, summary
from mathhammer.cli.page import Page, exact_option, json_option, print_json, probability_fields
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import TypeVar

    from mathhammer.arithmetic.protocol import P
    from mathhammer.page.fields import Field
    from mathhammer.sequence import ChargeResult, RollResult

    F = TypeVar("F", bound=Callable[..., object])


class Result(Protocol):
    """What a game computes."""

    def explain(self) -> object:
        """Return its steps."""

    def to_text(self) -> str:
        """Return the text that reproduces it."""


@runtime_checkable
class Ruled(Protocol):
    """What names the rules that it was computed by."""

    edition: str
    rulings: Mapping[str, str]


class Shown(NamedTuple):
    """A result, its data, those of its rules apart, and what writes its page."""

    result: Result
    data: Callable[[], Mapping[str, object]]
    write: Callable[[Page], None]
    #: Printed with the steps, before them.
    plan: object = ""


def options(*given: Callable[[F], F]) -> Callable[[F], F]:
    """Return several options as one decorator; the help lists them in this order."""

    def add(function: F) -> F:
        for option in reversed(given):
            function = option(function)
        return function

    return add


def field_options(fields: Iterable[Field]) -> Iterator[Callable[[F], F]]:
    """Yield the options that say what the controls of a form say."""
    for field in fields:
        values = [value for _, value in field.options]
        whole = bool(values) and isinstance(values[0], int)
        more: dict[str, Any] = (
            {"type": click.INT, "metavar": "N"} if whole else {"type": click.Choice(values)}
        )
        name, more = f"--{field.name.replace('_', '-')}", more if values else {"is_flag": True}
        yield click.option(name, help=f"{field.label}.", **more)


def read_rulings(
    _ctx: click.Context, _parameter: click.Parameter, texts: Iterable[str]
) -> dict[str, str] | None:
    """Return the rulings by name; the library refuses those that it does not know."""
    rulings: dict[str, str] = {}
    for text in texts:
        name, separator, option = text.partition("=")
        if not separator:
            raise click.BadParameter(f"expected NAME=OPTION, got {shown(text)}")
        name = name.strip()
        if rulings.get(name, option.strip()) != option.strip():
            raise click.BadParameter(
                f"expected one option for the ruling {shown(name)}, got {shown(rulings[name])} too"
            )
        rulings[name] = option.strip()
    return rulings or None


def chosen_rulings(rulings: Mapping[str, str] | None) -> str:
    """Return a sentence about the rulings that were chosen, after a blank; nothing where none was."""
    chosen = ", ".join(f"{name}={option}" for name, option in (rulings or {}).items())
    return f" Rulings chosen: {chosen}." if chosen else ""


rulings_option = click.option(
    "--ruling",
    "rulings",
    multiple=True,
    metavar="NAME=OPTION",
    callback=read_rulings,
    help="Decide a disputed point of the rules otherwise. Repeatable.",
)
reroll_option = click.option("--reroll", is_flag=True, help="A roll that fails is re-rolled.")
_explain = click.option("--explain", is_flag=True, help="Print each step and its probabilities.")
_as_text = click.option(
    "--as-text", is_flag=True, help="Print a short text that reproduces the result: see 'mathhammer show'."
)


def prints(name: str) -> Callable[[Callable[..., Shown]], Callable[..., None]]:
    """Add the options of output to a command, and print what it returns."""

    def decorate(function: Callable[..., Shown]) -> Callable[..., None]:
        @wraps(function)
        def command(*, explain: bool, as_json: bool, as_text: bool, **given: object) -> None:
            found = function(**given)
            result, page = found.result, Page()
            if as_json and not as_text:
                document = dict(found.data())
                if isinstance(result, Ruled):
                    document = {"edition": result.edition, "rulings": dict(result.rulings), **document}
                if explain:
                    document["explanation"] = str(result.explain()).splitlines()
                print_json(name, document)
                return
            if as_text:
                page.verbatim(result.to_text())
            else:
                found.write(page)
                for text in (str(found.plan), str(result.explain())) if explain else ():
                    if text:
                        page.line()
                        page.line(text)
            page.print()

        return options(exact_option, _explain, json_option, _as_text)(command)

    return decorate


def probabilities(found: Mapping[str, SupportsFloat], *, exact: bool) -> dict[str, object]:
    """Return probabilities for JSON."""
    return {
        name: number
        for key, value in found.items()
        for name, number in probability_fields(key, value, exact=exact).items()
    }


def outcomes(
    axes: Iterable[str], found: Iterable[tuple[Iterable[object], SupportsFloat]], *, exact: bool
) -> list[dict[str, object]]:
    """Return for JSON what can come of it: its coordinates and its probability."""
    names = tuple(axes)
    return [
        {**dict(zip(names, outcome, strict=True)), **probability_fields("probability", p, exact=exact)}
        for outcome, p in found
    ]


def shown_charge(result: ChargeResult[P], rules: str) -> Shown:
    """Show the chance of a charge, and the chances over all distances."""
    exact, success = result.exact, result.probability_success

    def data() -> dict[str, object]:
        return {
            **probability_fields("probability_success", success, exact=exact),
            "range": distribution_fields(result.range),
            "distances": [
                {"distance": distance, **probability_fields("probability_success", p, exact=exact)}
                for distance, p in result.distances
            ],
        }

    def write(page: Page) -> None:
        page.heading(f'Charge over {result.distance}"')
        page.paragraph(rules)
        page.line()
        page.line(f"P(success)    {probability_text(success, exact=exact)}")
        page.paragraph(f"Charge Range  {summary(result.range)}", hanging="    ")
        page.line()
        for distance, probability in result.distances:
            page.line(f'{distance:>4}"  {probability_text(probability, exact=exact)}')

    return Shown(result, data, write)


def shown_test(result: RollResult[P], rules: str) -> Shown:
    """Show the chances to pass and to fail."""
    found = {
        "probability_success": result.probability_success,
        "probability_failure": result.probability_failure,
    }

    def write(page: Page) -> None:
        page.heading(f"{result.heading} on {result.need}{'+' if result.at_least else ''}")
        page.paragraph(rules)
        page.line()
        for key, value in found.items():
            page.line(f"P({key.removeprefix('probability_')})  {probability_text(value, exact=result.exact)}")

    return Shown(result, lambda: {"need": result.need, **probabilities(found, exact=result.exact)}, write)
