"""Commands that compute one result: the options that they share, and how they print it."""

from __future__ import annotations

from functools import wraps
from importlib import import_module
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mathhammer.cli.grouping import GroupedCommand
from mathhammer.cli.page import Page, exact_option, json_option, print_json
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeVar

    from mathhammer.fields.kinds import Field

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


def field_options(fields: Mapping[str, Field[Any, Any]], prefix: str = "") -> list[click.Parameter]:
    """Return an option for each field; what is not said of it is None."""
    from mathhammer.fields.kinds import NEEDED, Additions, Boolean, Number, OneOf

    found: list[click.Parameter] = []
    for name, field in fields.items():
        more: dict[str, Any] = {"metavar": "N", "type": click.INT}
        if isinstance(field, Boolean):
            more = {"is_flag": True}
        elif isinstance(field, OneOf):
            more = {"type": click.Choice([*field.options])}
        elif isinstance(field, Number) and field.least is not None:
            more["type"] = click.IntRange(field.least, field.most)
        elif not isinstance(field, Number | Additions):
            more = {"metavar": "TEXT", "multiple": field.many}
        usual = f"  [default: {field.default}]" if field.default and isinstance(field.default, int) else ""
        text = f"{field.short}.{usual}"
        flag = f"--{prefix}{name}".replace("_", "-")
        found.append(click.Option([flag], help=text, required=field.default is NEEDED, **more))
    return found


def asks(group: click.Group, name: str, path: str, example: str, text: str) -> None:
    """Add the command of a function: what has no default and a place is an argument, all else an option."""
    module, _, called = path.partition(":")

    def function() -> Callable[..., object]:
        found: Callable[..., object] = getattr(import_module(module), called)
        return found

    def parameters() -> list[click.Parameter]:
        from mathhammer.fields.kinds import NEEDED, Number
        from mathhammer.fields.question import fields_of

        fields = fields_of(function())
        first = next(iter(fields))
        places = [first] if not fields[first].kw_only and fields[first].default is NEEDED else []
        kind = click.INT if isinstance(fields[first], Number) else click.STRING
        found: list[click.Parameter] = [
            click.Argument([each], nargs=-1 if fields[each].many else 1, required=True, type=kind)
            for each in places
        ]
        found += field_options({each: field for each, field in fields.items() if each not in places})
        known = signature(function()).parameters
        if "edition" in known:
            words = f"Edition of the rules.  [default: {known['edition'].default}]"
            found.append(click.Option(["--edition"], help=words))
        if "rulings" in known:
            found.append(click.Option(["--ruling", "rulings"], **_RULING))
        return found

    def ask(**given: Any) -> object:
        said = {each: value for each, value in given.items() if value not in (None, False, ())}
        known = signature(function()).parameters.values()
        places = [said.pop(each.name) for each in known if each.kind is Parameter.POSITIONAL_ONLY]
        return function()(*places, **said)

    decorate = click.command(name, cls=GroupedCommand, more=parameters, epilog=example, help=text)
    group.add_command(decorate(prints(f"{group.name} {name}")(ask)))


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


_RULING: dict[str, Any] = {
    "multiple": True,
    "metavar": "NAME=OPTION",
    "callback": read_rulings,
    "help": "Decide a disputed point of the rules otherwise. Repeatable.",
}
rulings_option = click.option("--ruling", "rulings", **_RULING)
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
