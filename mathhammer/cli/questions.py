"""Commands of questions: options from signatures and fields, refusals in the words of options, results as printed."""

from __future__ import annotations

import os
import re
from copy import copy
from importlib import import_module
from inspect import Parameter, cleandoc, signature
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import click

from mathhammer import validation
from mathhammer.cli.page import Page, json_option, print_json, say
from mathhammer.errors import MathhammerError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from mathhammer.fields.kinds import Field
    from mathhammer.systems.wh40k.rules.rule import Condition

    Options: TypeAlias = "Part | SituationOptions"

#: How commands call what is attacked.
_TARGETS = ("--against", "--target", "--targets")
#: How a negative number begins, which looks like an option.
_NEGATIVE = re.compile(r"-\d")
#: What is attacked, and with what, in a question of 40k: where an army list may stand by mistake.
_UNITS, _ATTACKS = ("models", "leaders"), ("weapons", "attacks", "shooting")
#: A keyword in a message, but for what a user has typed, which stands in quotes.
_KEYWORD = re.compile(r"(?<!['\w])([a-z]+(?:_[a-z]+)+|[a-z]+(?==[^,]))(?:=True)?(?!\w)")
#: A field of two words or more, as Python calls it.
_PYTHON = re.compile(r"[a-z]+(?:_[a-z]+)+")
#: What attacks what, in the text of a result.
_PROFILES = re.compile(r"^(?:weapon|also|target|unit|model|leader): .*", re.MULTILINE)
#: Options that have a letter too.
_LETTERS = {"--dice": "-d", "--modifier": "-m", "--target": "-t"}


class GroupedOption(click.Option):
    """An option that the help lists under a heading of its own."""

    def __init__(self, *arguments: Any, group: str, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.group = group


class FieldOption(GroupedOption):
    """The option of a field; what a function of the game refuses is refused here, in the words of the option."""

    def __init__(
        self, field: Field[Any, Any], called: str, *, many: bool = False, checked: bool = False, **more: Any
    ) -> None:
        self.field = field
        more |= {"multiple": True, "help": f"{more['help']} Repeatable."} if many else {}
        flags = [f"--{called}", *filter(None, [_LETTERS.get(f"--{called}")])]
        super().__init__(flags, callback=self._read if checked else None, **{**_typed(field), **more})

    def _read(self, _ctx: click.Context, _parameter: click.Parameter, given: Any) -> Any:
        try:
            if given not in (None, ()):
                self.field.read(given)
        except MathhammerError as error:
            words, hint = str(error).replace(self.field.name, self.opts[0]), repr(self.opts[0])
            raise click.BadParameter(words, param_hint=hint) from error
        return given


class QuestionCommand(click.Command):
    """A command that gets what is said with the options of its parts, and whose help lists options in groups."""

    def __init__(self, *arguments: Any, parts: Mapping[str, Options] | None = None, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._parts = parts or {}

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return its own options before those of its parts, which are made once for each run."""
        if __name__ not in ctx.meta:
            ctx.meta[__name__] = [option for part in self._parts.values() for option in part.options()]
        return [*super().get_params(ctx), *ctx.meta[__name__]]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; of what other commands call otherwise, and of blanks outside quotes, say the remedy."""
        options = {name for each in self.get_params(ctx) for name in each.opts}
        given = " ".join(args)
        try:
            return super().parse_args(ctx, list(args))
        except ValueError:  # half a character, or a NUL in a path: the system takes neither
            ctx.fail(f"expected text that can be written, got {shown(given)}")
        except click.NoSuchOption as error:
            if (
                _NEGATIVE.fullmatch(error.option_name) and "--" not in args
            ):  # its field says what may stand there
                number = next(each for each in args if each.startswith(error.option_name))
                return self.parse_args(ctx, [*(each for each in args if each != number), "--", number])
            if error.option_name == "--mortal-wounds" and _of_40k(ctx) and "situation" in self._parts:
                ctx.fail(
                    f"No such option {error.option_name!r}. Give 'D3 mortal wounds (Hex)' among the weapons."
                )
            meant = next((name for name in _TARGETS if name in options), None)
            if error.option_name in _TARGETS and meant:
                ctx.fail(f"No such option {error.option_name!r}. Did you mean {meant!r}?")
            raise
        except click.UsageError as error:
            if "unexpected extra argument" in error.message and "--against" in options:
                if re.search(r"\.(?:rosz?|json|txt)\)", error.message, re.IGNORECASE):
                    ctx.fail(f"{error.message}. Another list stands behind --against.")
                ctx.fail(f'{error.message}. Put several targets in quotes: --against "MEQ,TEQ"')
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a refusal that names keywords of the library names the options instead."""
        for name, part in self._parts.items():
            ctx.params[name] = part.take(ctx.params)
        said = [pair for name in self._parts for pair in ctx.params[name].items()] if _of_40k(ctx) else []
        try:
            return super().invoke(ctx)
        except MathhammerError as error:
            flags = {each.name: each.opts[0] for each in self.get_params(ctx)}
            line, *rest = (_for_army(said, str(error)) or str(error)).split("\n")
            named = _KEYWORD.sub(lambda word: flags.get(word[1], word[0]), line)
            raise MathhammerError("\n".join([named, *rest])) from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, then the options of each group under its heading, rulings last."""
        super().format_epilog(ctx, formatter)
        groups: dict[str, list[tuple[str, str]]] = {"Options": []}
        for parameter in sorted(self.get_params(ctx), key=lambda each: each.name == "rulings"):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                groups.setdefault(getattr(parameter, "group", "Options"), []).append(record)
        for heading, records in groups.items():
            with formatter.section(heading):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write nothing: the examples stand above the options."""


def _of_40k(ctx: click.Context) -> bool:
    """Whether a command is one of ``mathhammer 40k``."""
    return ctx.parent is not None and ctx.parent.command.name == "40k"


def _for_army(said: Iterable[tuple[str, Any]], message: str) -> str:
    """Say that `army` takes what was refused, if that is an army list or several targets in one text."""
    from mathhammer.systems.wh40k.profiles.targets import split_targets

    for name, text in ((name, text) for name, texts in said if name in _UNITS + _ATTACKS for text in texts):
        if text in message and is_list(text):
            expected = "a target" if name in _UNITS else "the stat line of a weapon"
            return f"expected {expected}, got {shown(text)}; 'mathhammer army' reads lists"
        if shown(text) in message and name in _UNITS and len(split_targets(text)) > 1:
            return f"{message}, or several targets to 'mathhammer army'"
    return ""


class Part(NamedTuple):
    """An option for each field of a function or a record; the first field without a default is an argument."""

    #: Its module and its name.
    path: str
    #: What begins its options, which then stand under a heading of their own; then nothing of it is an argument.
    prefix: str = ""
    #: Fields that are called otherwise, the prefix alone if they are called nothing; in capitals an argument.
    names: Mapping[str, str] = {}
    #: Fields that are no options, and fields of several texts.
    leave: Collection[str] = ()
    many: Collection[str] = ()
    #: What fields mean here, where it is more or less than their own words say.
    words: Mapping[str, str] = {}
    #: Whether it answers by several results, which have no text and no steps.
    several: bool = False

    def asked(self) -> Any:
        """Return the function or the record."""
        module, _, name = self.path.partition(":")
        return getattr(import_module(f".{module}", "mathhammer.systems"), name)

    def fields(self) -> dict[str, Field[Any, Any]]:
        """Return the fields by what their options are called; those that only Python can say are none."""
        from mathhammer.fields.kinds import Checked
        from mathhammer.fields.profile import fields_of

        known = getattr(self.asked(), "fields", None) or fields_of(self.asked())
        found = {}
        for name, field in known.items():
            unsaid = field.default is True or (isinstance(field, Checked) and name not in self.names)
            if name not in self.leave and not unsaid:
                called = "-".join(filter(None, (self.prefix, self.names.get(name, name))))
                found[called.replace("_", "-")] = field
                field.name = name
        return found

    def options(self) -> list[click.Parameter]:
        """Return an argument or an option for each field, and those of every question."""
        from mathhammer.fields.kinds import NEEDED, Checked

        found: list[click.Parameter] = []
        fields = self.fields()
        flags = {field.name: f"--{called}" for called, field in fields.items()}
        for called, field in fields.items():
            many = field.many or field.name in self.many
            more: dict[str, Any]
            first = not (field.kw_only or found or self.prefix or self.names)
            if called.isupper() or (field.default is NEEDED and first):
                metavar = f"{called.upper().removesuffix('S')}..."
                more = {"nargs": -1, "metavar": metavar, "callback": _in_quotes} if many else {}
                kind = _typed(field).get("type", click.STRING)
                found.append(click.Argument([called], required=True, type=kind, **more))
                continue
            more = {
                "required": field.default is NEEDED or called == self.prefix,
                "group": self.prefix.partition("-")[0].capitalize() or "Options",
                "help": _PYTHON.sub(lambda word: flags.get(word[0], word[0]), self._help(called, field)),
                "checked": isinstance(field, Checked) and field.name not in self.many,
            }
            found.append(FieldOption(field, called, many=many, **more))
        known = signature(self.asked()).parameters.keys() - self.leave
        if "exact" in known:
            found.append(click.Option(["--exact"], is_flag=True, help="Print fractions."))
        if "edition" in known:
            default = signature(self.asked()).parameters["edition"].default or "the newest"
            words = f"Edition of the rules.  [default: {default}]"
            found.append(click.Option(["--edition"], help=words))
        if "rulings" in known:
            game = re.split("[.:]", self.path)[0]
            found.append(GroupedOption(["--ruling", "rulings"], **_ruling(_NAMES.get(game, game))))
        return found

    def _help(self, called: str, field: Field[Any, Any]) -> str:
        said = called != self.prefix and field.default and isinstance(field.default, int | str)
        text = self.words.get(field.name) or field.short.removeprefix("Whether ")
        return f"{text[:1].upper()}{text[1:]}.{f'  [default: {field.default}]' if said else ''}"

    def take(self, given: dict[str, Any]) -> dict[str, Any]:
        """Take its options away, and return what is said by the names of its fields."""
        said = {
            field.name: given.pop(called.replace("-", "_").lower()) for called, field in self.fields().items()
        }
        shared = {"edition", "rulings", "exact"} & signature(self.asked()).parameters.keys() & given.keys()
        said |= {name: given.pop(name) for name in shared.difference(self.leave)}
        said = {
            name: value
            for name, value in said.items()
            if value is not None and value is not False and value != ()
        }
        kind: Any = self.asked()
        if hasattr(kind, "parse") and ":" in said.get("name", ""):  # a whole line, and what is said beside it
            said = {**kind.parse(said.pop("name")).arguments(), **said}
        return said


def _in_quotes(_ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse words of one stat line, between which no quotes hold the blanks."""
    if len(given) > 1 and any(":" in word for word in given) and not any(" " in word for word in given):
        what, words = str(parameter.name).removesuffix("s"), " ".join(given)
        raise click.UsageError(f'expected each {what} in quotes, got {len(given)} words: "{words}"')
    return given


def _typed(field: Field[Any, Any]) -> dict[str, Any]:
    """Return what the option of a field reads."""
    from mathhammer.fields.kinds import Number, OneOf

    if field.accepts.startswith("bool") and "str" not in field.accepts:
        return {"is_flag": True, "default": None}
    if isinstance(field, OneOf):
        return {"type": click.Choice([*field.options])}
    if isinstance(field, Number) and field.least is not None:
        return {"metavar": "N", "type": click.IntRange(field.least, field.most)}
    whole = field.metavar == "N" or field.accepts == "int"
    return {"metavar": field.metavar, "type": click.INT if whole else click.STRING}


def read_rulings(
    _ctx: click.Context, _parameter: click.Parameter, texts: Iterable[str]
) -> dict[str, str] | None:
    """Return the rulings by name; the library refuses those that it does not know."""
    rulings: dict[str, str] = {}
    for text in texts:
        name, separator, option = (part.strip() for part in text.partition("="))
        if not separator:
            raise click.BadParameter(f"expected NAME=OPTION, got {shown(text)}")
        if rulings.setdefault(name, option) != option:
            raise click.BadParameter(
                f"expected one option for the ruling {shown(name)}, got {shown(rulings[name])} too"
            )
    return rulings or None


#: Games that commands call otherwise than their folders; tables are of 40k.
_NAMES = {"": "40k", "wh40k": "40k", "trench_crusade": "tc"}


def _ruling(game: str) -> dict[str, Any]:
    words = f"Choose a reading of a disputed rule: 'mathhammer {game} rulings' lists them. Repeatable."
    taken = {"multiple": True, "metavar": "NAME=OPTION", "callback": read_rulings}
    return {"group": "Rulings", "help": words, **taken}


rulings_option = click.option("--ruling", "rulings", cls=GroupedOption, **_ruling("40k"))


def lists_rulings(group: click.Group, examples: str = "") -> None:
    """Add the command that lists the disputed rules of a game."""

    @group.command("rulings", epilog=examples_of(examples or f"  mathhammer {group.name} rulings"))
    @click.option("--edition", help="Edition of the rules; the default edition unless given.")
    @json_option
    def listed(*, edition: str | None, as_json: bool) -> None:
        """List the disputed rules, with their options and sources."""
        from mathhammer.systems.registry import systems

        game: Any = systems()[str(group.name)]
        if (edition := edition or game.editions[0]) not in game.editions:
            raise validation.unknown_edition(edition, sorted(game.editions))
        said = ("name", "default", "options", "question", "source")
        records = [{name: getattr(each, name) for name in said} for each in game.text_format.rulings(edition)]
        folder = next((each for each, name in _NAMES.items() if each and name == game.name), game.name)
        rules = import_module(f"mathhammer.systems.{folder}").EDITIONS[edition]
        head = f"{rules if isinstance(rules, str) else rules.title}: disputed points"
        say_records("rulings", head, records, str(edition), as_json=as_json)


def say_records(name: str, head: str, records: Any, edition: str, *, as_json: bool) -> None:
    """Print something of an edition, of which each entry is a record."""
    from mathhammer.analysis.tabular import Answer

    facts = {"edition": edition}
    say(Answer(f"mathhammer.{name}", head, records, facts, unshown=("edition",)), as_json=as_json)


class SituationOptions:
    """The options of every keyword of the situation that an edition knows."""

    def options(self) -> list[FieldOption]:
        """Return them; of what has kinds one for all of it, and one for some of them."""
        from mathhammer.systems.wh40k.situation import conditions

        found = []
        for name, rule in conditions().items():
            field, more = rule.value, cast("Any", {"group": rule.group, "checked": True})
            called = (name[:-1] if field.several else name).replace("_", "-")
            kinds = field.metavar == "NAMES" and field.usual is False
            flag: Any = {"is_flag": True, "default": None, "metavar": None, "type": None} if kinds else {}
            found.append(FieldOption(field, called, help=rule.help, many=field.several, **more, **flag))
            if kinds:
                text = (
                    f"The kinds of {name} that it has, with commas (9th edition): {', '.join(field.names)}."
                )
                found.append(FieldOption(field, f"{called}-kind", help=text, **more))
        return found

    def take(self, given: dict[str, Any]) -> dict[str, Any]:
        """Take the options away, and return what was switched on as keywords of the library."""
        situation: dict[str, Any] = {}
        for one in self.options():
            value, field = given.pop(one.name or ""), copy(one.field)
            if value in (None, ()):
                continue
            if field.name in situation:
                raise click.UsageError(f"expected --{field.name} or {one.opts[0]}, got both")
            name, field.name = field.name, one.opts[0]  # what has no source is from the option
            situation[name] = field.read(value) if isinstance(value, str | tuple) else value
        return situation


def _asked(parts: Mapping[str, Any], **said: dict[str, Any]) -> object:
    """Call the function of the part `call` with the others, as `asks` has it, and return its result."""
    from mathhammer.serialisation.values import called

    asked, given = parts["call"].asked(), said.pop("call")
    named = {name: each for name, each in signature(asked).parameters.items() if each.kind < each.VAR_KEYWORD}
    for name, part in said.items():
        whole, _, field = name.rpartition("_")
        if name not in named and whole not in said:
            given |= part
        elif part or named[name].default is Parameter.empty:
            kind = parts[name].asked()
            shared = {"edition", "objective"} & given.keys() & signature(kind).parameters.keys()
            made = called(kind, {**{each: given[each] for each in shared}, **part})
            (given if name in named else said[whole])[name if name in named else field] = made
    return called(asked, given)


def asks(group: click.Group, name: str, examples: str, words: str, **parts: Options) -> None:
    """Add a command that calls the function of the part `call` with its options, and prints the result.

    The options of each other part make a record, an argument of the function named after the part. A part named after
    a field of another, as ``first_target`` after `target` of `first`, comes before it. Parts that are neither add
    keyword arguments, such as a situation.
    """
    call: Any = parts["call"]
    parts["call"] = call = call._replace(leave={*call.leave, *parts})

    def command(*, as_json: bool, explain: bool = False, as_text: bool = False, **given: Any) -> None:
        situation = dict(given["situation"]) if isinstance(parts.get("situation"), SituationOptions) else None
        result: Any = _asked(parts, **given)
        page, steps = Page(), result.explain() if explain else None
        if as_json:
            explained = {} if steps is None else {"explanation": str(steps).splitlines()}
            print_json({**result._data(), **explained})  # noqa: SLF001 - the package's own
            return
        if as_text:
            page.verbatim(result.to_text())
        else:
            page.panel(result)
            if situation is not None:
                for line in () if call.several else _PROFILES.findall(result.to_text()):
                    page.line(line)
                page.paragraph(f"Situational rules on: {describe(situation)}.")
            plan = getattr(result, "plan", None) if getattr(result, "rerolls_by_plan", False) else None
            for each in filter(None, (plan, steps) if explain else ()):
                page.line()
                page.line(str(each))
        page.print()

    for option in (json_option,) if call.several else (_AS_TEXT, json_option, _EXPLAIN):
        command = option(command)
    group.command(name, cls=QuestionCommand, parts=parts, help=cleandoc(words), epilog=examples_of(examples))(
        command
    )


def asks_each(group: click.Group, rows: str) -> None:
    """Add a command for each row: what computes it and its situation, its examples, help."""
    for row in rows.strip().splitlines():
        paths, line, text = (part.strip() for part in row.split("|"))
        path, *more = paths.split()
        name = line.split()[0]
        examples = "\n".join(f"  mathhammer {group.name} {each}" for each in line.split("; "))
        first = line.split()[1].removeprefix("--")  # where that is an option, all are
        call = Part(path, names={first: first} if f"--{first}" in line else {}, many=("weapons", "parts"))
        asks(group, name, examples, text, call=call, **{each: Part(each) for each in more})


def examples_of(lines: str) -> str:
    """Return the end of the help of a command, whose lines stay as they are."""
    return "\b\nExamples:\n" + lines.strip("\n")


_EXPLAIN = click.option("--explain", is_flag=True, help="Print each step and its probabilities.")
_AS_TEXT = click.option(
    "--as-text", is_flag=True, help="Print a short text to share; 'mathhammer show' computes it again."
)


def describe(situation: Mapping[str, object]) -> str:
    """Return the situational rules that are on, in words a player uses."""
    from mathhammer.systems.wh40k.situation import conditions

    said = ((rule, situation[name]) for name, rule in conditions().items() if name in situation)
    return ", ".join(_shown(rule, value) for rule, value in said if value is not None) or "none"


def _shown(rule: Condition, value: Any) -> str:
    if value is True:
        return rule.name.replace("_", " ")
    text = "none" if value is False else value
    if isinstance(value, tuple | frozenset):
        parts = (f"{each.of} {each}" if hasattr(each, "operation") else str(each) for each in value)
        text = ", ".join(sorted(parts) if isinstance(value, frozenset) else parts)
    if rule.name == "modifiers":
        return str(text)
    return (rule.shown.removesuffix("+") if isinstance(text, str) else rule.shown).format(text)


_LIST_NAME = re.compile(r".*\.(?:rosz?|json|txt)|https?://.*", re.IGNORECASE | re.DOTALL)


edition_option = click.option(
    "--edition",
    default=lambda: import_module("mathhammer.systems.wh40k.editions").DEFAULT_EDITION,
    show_default="the newest",
    help="Edition of the rules.",
)


def is_list(text: str) -> bool:
    """Whether an argument names a list and not targets."""
    return text == "-" or _LIST_NAME.fullmatch(text) is not None or os.path.isfile(text)  # noqa: PTH113 - as in container
