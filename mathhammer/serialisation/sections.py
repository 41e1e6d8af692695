"""One call as lines of text and back: its head, stat lines, arguments and rulings."""

from __future__ import annotations

from functools import partial
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer import validation
from mathhammer.errors import MathhammerError, ParseError
from mathhammer.sequence.rulings import rulings_in_force
from mathhammer.serialisation.values import Values, called, located
from mathhammer.systems.registry import find_system, games
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mathhammer.sequence.call import Call
    from mathhammer.systems.text_format import Line, TextFormat

#: Lines of arguments and rulings are broken where they would be longer.
WIDTH = 100
#: What is not said by the lines of arguments.
_APART = ("edition", "exact", "rulings", "start")


class Section(NamedTuple):
    """One call, without the state that it starts from."""

    #: Names of the system and of its function; the edition, if the function has editions; whether in fractions.
    system: str
    function: str
    edition: str | None
    exact: bool
    #: The other arguments by name, in their fixed form.
    arguments: Mapping[str, object]
    #: The option in force for each ruling that leaves a choice; None if the function knows no rulings.
    rulings: Mapping[str, str] | None

    @classmethod
    def of(cls, call: Call, rulings: Mapping[str, str] | None) -> Section:
        """Return what a call says; the rulings are those that the result names, if it names any."""
        text_format = _format(call.system)
        called_with = signature(text_format.functions[call.function])
        parameters, bound = called_with.parameters, called_with.bind(*call.arguments, **call.keywords)
        given: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            if value is not None or parameters[name].default is not None:
                given.update(value if parameters[name].kind is Parameter.VAR_KEYWORD else {name: value})
        edition = given.get("edition", parameters["edition"].default) if "edition" in parameters else None
        in_force = None
        if "rulings" in parameters:
            chosen = rulings or rulings_in_force(text_format.rulings(edition or ""), given.get("rulings"))
            in_force = {name: chosen[name] for name in _with_choice(text_format, edition)}
        arguments = _normalised(text_format, call.function, given)
        return cls(call.system, call.function, edition, bool(given.get("exact")), arguments, in_force)

    def ruled(self, before: Section | None) -> Section | None:
        """Return the last section with rulings, whose rulings a further one need not repeat."""
        return before if self.rulings is None else self

    def inherited(self, before: Section | None) -> Mapping[str, str] | None:
        """Return the rulings that hold after an earlier section unless others are said."""
        if before is None or (self.system, self.edition) != (before.system, before.edition):
            return None
        return before.rulings

    def computed(self, start: object) -> object:
        """Compute the result."""
        function = _format(self.system).functions[self.function]
        known = signature(function).parameters
        if start is not None and "start" not in known:
            raise MathhammerError(
                f"expected nothing before {self.function}, which starts from nothing; got an attack"
            )
        apart = {"edition": self.edition, "rulings": self.rulings, "start": start}
        apart |= {"exact": self.exact} if "exact" in known else {}
        given = {name: value for name, value in apart.items() if value is not None}
        try:
            return called(function, {**self.arguments, **given})
        except MathhammerError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # Not every function judges the type of what it is given, and a text may hold anything.
            raise MathhammerError(
                f"expected values that fit {self.function} in the text, got some that do not: {error}"
            ) from error


def _normalised(text_format: TextFormat, function: str, given: Mapping[str, object]) -> dict[str, object]:
    normalise = text_format.normalise.get(function)
    arguments = normalise(dict(given)) if normalise else given
    return {name: value for name, value in arguments.items() if name not in _APART}


def _format(name: str) -> TextFormat:
    system = find_system(name)
    if not hasattr(system, "text_format"):
        raise MathhammerError(
            f"expected a system whose results can be written as text, but {system.title} has no text_format"
        )
    return system.text_format  # type: ignore[no-any-return]


def _with_choice(text_format: TextFormat, edition: str | None) -> dict[str, str]:
    """Return the defaults of the rulings that leave a choice."""
    rulings = text_format.rulings(edition or "")
    return {each.name: each.default for each in rulings if len(each.options) > 1}


def write_section(section: Section, before: Section | None) -> list[str]:
    """Return the lines of a section, its head first.

    The rulings of the last section with any, `before`, hold until others are said.
    """
    text_format = _format(section.system)
    values = Values(text_format)
    head = [find_system(section.system).title, section.edition, section.function, "exact" * section.exact]
    lines = [", ".join(word for word in head if word)]
    rest = dict(section.arguments)
    for name, forms in text_format.lines.items():
        if name in rest and (stated := _stated(rest[name], forms, values)):
            lines += stated
            del rest[name]
    lines += _wrapped("with", values.keywords(rest))
    if section.rulings is not None and section.rulings != section.inherited(before):
        defaults = _with_choice(text_format, section.edition)
        chosen = {name: option for name, option in section.rulings.items() if option != defaults[name]}
        others = {name: option for name, option in section.rulings.items() if name not in chosen}
        lines += _wrapped("rulings", [f"{name}={option}" for name, option in chosen.items()])
        lines += _wrapped("defaults", [f"{name}={option}" for name, option in others.items()])
    return lines


def _stated(argument: Any, forms: Sequence[Line], values: Values) -> list[str]:
    """Return an argument as lines of its own, or nothing if a part of it has none."""
    lines: list[str] = []
    for each in argument if forms[0].many else (argument,):
        found = (values.lines(each, form) for form in forms)
        stated = next((each for each in found if each is not None), None)
        if stated is None:
            return []
        lines += stated
    return lines


def _wrapped(label: str, items: Iterable[str]) -> list[str]:
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(item) + 2 <= WIDTH:
            lines[-1] += f", {item}"
        else:
            lines.append(f"{label}: {item}")
    return lines


def read_head(text: str, start: int) -> tuple[Any, str | None, str, bool]:
    """Return system, edition, function and arithmetic of a head, such as ``Trench Crusade, 1.0.2, attack, exact``."""
    rest = text[start:]
    found = [
        (len(name), system)
        for system in games().values()
        for name in (system.title, system.name)
        if rest.casefold().startswith(f"{name.casefold()},")
    ]
    if not found:
        titles = ", ".join(repr(each.title) for each in games().values())
        raise ParseError(f"expected the name of a game, one of {titles}, and ','", text, start)
    length, system = max(found, key=lambda pair: pair[0])
    said, place = [], start + length + 1
    for word in text[place:].split(","):
        said.append((word.strip(), place + len(word) - len(word.lstrip())))
        place += len(word) + 1
    edition, functions = None, _format(system.name).functions
    if said[0][0] in system.editions or said[0][0] not in functions:
        edition, place = said.pop(0)
        if edition not in system.editions:
            editions = " or ".join(map(repr, system.editions))
            raise ParseError(f"expected an edition of {editions}, got {shown(edition)}", text, place)
    function, place = said[0] if said else ("", len(text))
    if function not in functions:
        raise ParseError(f"expected what is computed, one of {', '.join(functions)}", text, place)
    if ("edition" in signature(functions[function]).parameters) is not (edition is not None):
        wanted = "an edition before" if edition is None else "no edition before"
        raise ParseError(f"expected {wanted} {function!r}", text, place)
    if [word for word, _ in said[1:]] not in ([], ["exact"]):
        raise ParseError("expected 'exact' or nothing at the end of the line", text, said[1][1])
    return system, edition, function, len(said) == 2


def read_section(
    head: tuple[Any, str | None, str, bool],
    lines: Sequence[tuple[str, str, int]],
    before: Section | None,
) -> Section:
    """Return the section that a head and its lines describe."""
    system, edition, function, exact = head
    found = _SectionLines(system.name, edition, function, list(lines))
    text_format = _format(system.name)
    arguments = _normalised(text_format, function, found.arguments)
    section = Section(system.name, function, edition, exact, arguments, None)
    if "rulings" not in found.parameters:
        return section
    inherited = section.inherited(before)
    if not found.rulings and inherited is not None:
        return section._replace(rulings=inherited)
    in_force = rulings_in_force(text_format.rulings(edition or ""), found.rulings)
    names = (*_with_choice(text_format, edition), *found.rulings)
    return section._replace(rulings={name: in_force[name] for name in names})


class _SectionLines:
    """Collects what the lines of a section say."""

    def __init__(
        self, system: str, edition: str | None, function: str, lines: list[tuple[str, str, int]]
    ) -> None:
        self._edition, self._function, self._format = edition, function, _format(system)
        self._values = Values(self._format)
        self.parameters = signature(self._format.functions[function]).parameters
        known, self._check = self._format.keywords.get(function, (dict, dict))
        self._keywords = known()
        named = (each for each in self.parameters.values() if each.kind is not Parameter.VAR_KEYWORD)
        self._known = [*(each.name for each in named if each.name not in _APART), *self._keywords]
        self._labels = {
            line.label: (name, line)
            for name, forms in self._format.lines.items()
            for line in forms
            if name in self._known
        }
        self.arguments: dict[str, Any] = {}
        self.rulings: dict[str, str] = {}
        ruled = ("rulings", "defaults") if "rulings" in self.parameters else ()
        while lines:
            text, label, start = lines.pop(0)
            if label in self._labels:
                self._line(text, label, start, lines)
            elif label == "with":
                self._with(text, start)
            elif label in ruled:
                self._ruled(text, start)
            else:
                expected = ", ".join((*self._labels, "with", *ruled, "given", "phase", "then", "end"))
                raise ParseError(f"expected a line that begins with one of {expected}", text, 0)
        for name, parameter in self.parameters.items():
            needed = parameter.default is Parameter.empty and parameter.kind is not Parameter.VAR_KEYWORD
            if needed and name not in self.arguments:
                labels = [label for label, (argument, _) in self._labels.items() if argument == name]
                wanted = f"a line '{labels[0]}: ...'" if labels else f"a line 'with: {name}=...'"
                raise MathhammerError(
                    f"expected {wanted} for {function}, got none; the text is not whole, copy all of it"
                )

    def _line(self, text: str, label: str, start: int, rest: list[tuple[str, str, int]]) -> None:
        name, line = self._labels[label]
        labels = {part.label: argument for argument, part in line.parts.items()}
        parts: dict[str, tuple[object, ...]] = {}
        while rest and rest[0][1] in labels:
            its_text, its_label, its_start = rest.pop(0)
            argument = labels[its_label]
            part = self._values.read_line(its_text, line.parts[argument], its_start)
            parts[argument] = (*parts.get(argument, ()), part)
        value = self._values.read_line(text, line, start, parts=parts)
        if line.many:
            self.arguments[name] = (*self.arguments.get(name, ()), value)
        else:
            self._put(name, value, text, 0)

    def _with(self, text: str, start: int) -> None:
        found = self._values.reader(text, start).arguments()
        if found.positional:
            raise ParseError("expected 'name=value' after 'with:'", text, start)
        for name, value in found.keywords.items():
            if name not in self._known:
                hint = validation.nearest(name, self._known)
                raise ParseError(
                    f"expected an argument of {self._function}, got {shown(name)}; {hint}",
                    text,
                    found.places[name],
                )
            if name in self._keywords:
                located(partial(self._check, {name: value}), text, found.places[name])
            self._put(name, value, text, found.places[name])

    def _put(self, name: str, value: object, text: str, place: int) -> None:
        if name in self.arguments:
            raise ParseError(f"expected {name} once", text, place)
        self.arguments[name] = value

    def _ruled(self, text: str, start: int) -> None:
        known = self._format.rulings(self._edition or "")
        position = start
        for item in text[start:].split(","):
            place = position + len(item) - len(item.lstrip())
            position += len(item) + 1
            name, sign, option = (part.strip() for part in item.partition("="))
            if not (name and sign and option):
                raise ParseError("expected rulings as in 'name=option, name=option'", text, place)
            if name in self.rulings:
                raise ParseError(f"expected {name} once", text, place)
            located(partial(rulings_in_force, known, {name: option}), text, place)
            self.rulings[name] = option
