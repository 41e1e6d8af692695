"""Rulings: the points where the published rules can be read in more than one way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.display import Displayed, Named
from mathhammer.errors import UnknownNameError
from mathhammer.sequence.explanation import Step
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mathhammer.display.panel import Panel, TablePart


@dataclass(frozen=True, slots=True, repr=False)
class Ruling(Named):
    """One disputed point.

    Parameters
    ----------
    name
        How it is named in ``rulings={name: option}``.
    question
        What is disputed.
    options
        The possible answers.
    default
        The answer in force unless another is chosen.
    source
        Where the default comes from.
    is_date
        Whether its options are dates, at which the rules were so.
    """

    name: str
    question: str
    options: tuple[str, ...]
    default: str
    source: str
    is_date: bool = False

    def __str__(self) -> str:
        return f"{self.name}: {self.question} {' or '.join(self.options)}; by default {self.default}"


class Rulings(Displayed, Mapping[str, str]):
    """The option in force for each disputed ruling, by its name.

    Parameters
    ----------
    known
        The rulings of a game.
    in_force
        An option for each of them.
    """

    __slots__ = ("_in_force", "_known")

    def __init__(self, known: Iterable[Ruling], in_force: Mapping[str, str]) -> None:
        self._known = tuple(known)
        self._in_force = dict(in_force)

    def __getitem__(self, name: str) -> str:
        return self._in_force[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._in_force)

    def __len__(self) -> int:
        return len(self._in_force)

    @property
    def date(self) -> str | None:
        """The date of the rules, of an edition whose rules are dated."""
        return next((self[ruling.name] for ruling in self._known if ruling.is_date), None)

    @property
    def changed(self) -> Mapping[str, str]:
        """Those that are not in force as by default."""
        defaults = {ruling.name: ruling.default for ruling in self._known}
        return {name: option for name, option in self.items() if option != defaults[name]}

    def _changes(self) -> tuple[tuple[str, ...], int]:
        """Return the words of those that were changed, and how many are in force by default."""
        changed = tuple(f"{name}={option}" for name, option in self.changed.items())
        return changed, len(self) - len(changed)

    @property
    def sentence(self) -> str:
        """A sentence about rulings that differ from the defaults."""
        changed, others = self._changes()
        if not changed:
            return f"Rulings in force: all by default ({others})."
        return f"Rulings in force: {', '.join(changed)}" + (f"; {others} by default." if others else ".")

    def step(self) -> Step:
        """Return a step that names those that were changed, and says how many are in force by default."""
        changed, others = self._changes()
        return Step("Rulings", f"{others} by default" if changed else f"all {others} by default", changed)

    def table(self) -> TablePart:
        """Return all of them as a part of a panel, those that were changed first."""
        from mathhammer.display.panel import TablePart

        rows = [
            [known.name, self[known.name], known.default, known.question]
            for known in sorted(self._known, key=lambda known: known.name not in self.changed)
        ]
        return TablePart(["name", "in force", "by default", "question"], rows, "<<<<")

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def _line(self) -> str:
        return f"{len(self)} in force, changed: {', '.join(self._changes()[0]) or 'none'}"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel

        title = f"Rulings in force: {len(self.changed)} of {len(self)} changed"
        return Panel(title, parts=[self.table()] if self else [])


def rulings_in_force(known: Iterable[Ruling], chosen: Mapping[str, str] | None) -> Rulings:
    """Return the option in force for each known ruling."""
    if chosen is not None and not isinstance(chosen, Mapping):
        raise UnknownNameError(f"expected rulings as a mapping from name to option, got {shown(chosen)}")
    known = tuple(known)
    if isinstance(chosen, Rulings) and chosen._known == known:  # noqa: SLF001 - of this file
        return chosen
    in_force = {ruling.name: ruling.default for ruling in known}
    if not chosen:
        return Rulings(known, in_force)
    table = {ruling.name: ruling for ruling in known}
    for name, option in chosen.items():
        if name not in table:
            hint = validation.nearest(name, table)
            raise UnknownNameError(f"expected the name of a ruling, got {shown(name)}; {hint}")
        if option not in table[name].options:
            raise UnknownNameError(
                f"expected {' or '.join(map(repr, table[name].options))} for the ruling {name!r}, got {shown(option)}"
            )
        in_force[name] = option
    return Rulings(known, in_force)
