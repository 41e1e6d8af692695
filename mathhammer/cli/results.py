"""Commands that compute one result: the options that they share, and how they print it."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mathhammer.cli.page import Page, exact_option, json_option, print_json
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeVar

    from mathhammer.page.fields import Field

    F = TypeVar("F", bound=Callable[..., object])


class Shown(NamedTuple):
    """A result, sentences below it, and the plan of its choices."""

    result: Any
    notes: Iterable[str] = ()
    plan: Any = None


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


def prints(name: str) -> Callable[[Callable[..., object]], Callable[..., None]]:
    """Add the options of output to a command, and print the result that it returns as it shows itself."""

    def decorate(function: Callable[..., object]) -> Callable[..., None]:
        @wraps(function)
        def command(*, explain: bool, as_json: bool, as_text: bool, **given: object) -> None:
            found = function(**given)
            result, notes, plan = found if isinstance(found, Shown) else Shown(found)
            page = Page()
            if as_text:
                page.verbatim(result.to_text())
            elif as_json:
                document = result._data()  # noqa: SLF001 - the package's own
                if plan is not None:
                    document["plan"] = plan._data()  # noqa: SLF001
                if explain:
                    document["explanation"] = str(result.explain()).splitlines()
                print_json(name, document)
                return
            else:
                page.verbatim(result._panel().text(width=page.width, unicode=page.unicode))  # noqa: SLF001
                for note in notes:
                    page.paragraph(note)
                for more in (plan, result.explain()) if explain else ():
                    if more is not None:
                        page.line()
                        page.line(str(more))
            page.print()

        return options(exact_option, _explain, json_option, _as_text)(command)

    return decorate
