"""Objects that show themselves: a short line, a panel in the terminal, the same panel in a notebook; numbers as text.

The parts of a panel are in ``panel``, tables for the terminal in ``text``, pictures in ``html``, data in ``records``.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.validation import nearest, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from matplotlib.axes import Axes

    from mathhammer.display.panel import Panel, Pictures

V = TypeVar("V")

#: The short form of an object has at most so many characters.
MAXIMUM_LINE = 140


def shorten(text: str, limit: int = MAXIMUM_LINE) -> str:
    """Return a text in one line, its end left out where it is longer than the limit."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    # A word is left out whole, unless that would leave out most of the line.
    end = cut.rfind(" ")
    return f"{cut[: end if end > limit // 2 else limit - 1].rstrip(' ,;:')}…"


def format_fields(record: Any, /, *leave_out: str) -> str:
    """Return the fields of a dataclass that say something, in a line: those that are neither empty nor 0 nor off."""
    names = (field.name for field in fields(record) if field.name not in leave_out)
    return format_items({name: getattr(record, name) for name in names})


def format_items(values: Mapping[str, object]) -> str:
    """Return named values in a line: those that are neither empty nor 0 nor off."""
    parts = []
    for name, value in values.items():
        if not value or value == "none":
            continue
        words = name.replace("_", " ")
        parts.append(words if value is True else f"{words} {_value(value)}")
    return ", ".join(parts)


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return f"({format_items(value)})"
    if isinstance(value, tuple | list | frozenset | set):
        return ", ".join(sorted(map(str, value)) if isinstance(value, frozenset | set) else map(str, value))
    return str(value)


class Named:
    """Base of what is shown as text: ``repr`` is the class and that text in a line, a notebook shows all of it."""

    __slots__ = ()

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"<{name} {shorten(str(self), MAXIMUM_LINE - len(name) - 3)}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f'<div class="mathhammer" style="white-space:pre-wrap">{escape(str(self))}</div>'


class Displayed:
    """Base of what is shown as a panel; a class says what is on it, and what its short form holds."""

    __slots__ = ()

    def _panel(self) -> Panel:
        """Return what is shown."""
        raise NotImplementedError

    def _line(self) -> str:
        """Return what the short form says after the name of the class."""
        raise NotImplementedError

    def _pictures(self) -> Pictures:
        """Return what can be drawn by name, the usual picture first: the parts of the panel that are no texts."""
        return self._panel().pictures()

    def _headline(self) -> str:
        """Return what stands above a picture."""
        return self._line()

    def plot(
        self, kind: str = "", *, of: str = "", ax: Axes | None = None, title: str | None = None, **artist: Any
    ) -> Axes:
        """Draw it and return the Axes.

        Parameters
        ----------
        kind
            A view of probabilities: ``"pmf"``, ``"at_least"``, ``"cdf"`` or ``"ccdf"``; or the name of a picture.
        of
            The name of a picture, such as ``"hits"`` of an attack; by default the usual one. A wrong one lists all.
        ax
            Where to draw; by default a new figure.
        title
            By default the numbers that most people ask for.
        **artist
            Passed on to the bars, the lines or the image.

        Examples
        --------
        >>> from mathhammer import wh40k
        >>> wh40k.attack("Rifle: A2 BS3+ S4 AP-1 D1", "MEQ").plot("at_least", of="hits").get_xlabel()
        'Hits'
        """
        from mathhammer import plot

        return plot.draw(self, kind, of=of, ax=ax, title=title, **artist)

    def to_json(self) -> str:
        """Return the result as JSON (schema version 2); exact numbers also as text.

        Examples
        --------
        >>> from mathhammer import t9a
        >>> import json
        >>> json.loads(t9a.break_test(8, lost_by=3, exact=True).to_json())["exact"]["P(success)"]
        '5/18'
        """
        import json

        return json.dumps(self._data(), ensure_ascii=False, indent=2, default=list)

    def to_records(self) -> list[dict[str, object]]:
        """A mapping for each outcome of each distribution: what it is ``of``, the outcome (or both), the chance."""
        found = []
        for name, part in self._data()["pictures"].items():
            labels, masses = part.get("outcomes") or part.get("labels", ()), part.get("probabilities", ())
            pairs = zip(labels, masses, strict=False)
            found += [{"of": name, "outcome": label, "probability": mass} for label, mass in pairs]
            for down, cells in part.get("rows", ()):
                found += [
                    {"of": name, part["down"]: int(down), part["across"]: int(across), "probability": cell}
                    for across, cell in zip(part["columns"], cells, strict=True)
                    if cell and part["texts"] is None
                ]
        return found

    def to_dataframe(self) -> Any:
        """Return the records as a data frame of pandas."""
        try:
            import pandas as pd  # type: ignore[import-untyped, import-not-found, unused-ignore]
        except ImportError as error:
            raise MathhammerError(
                "a data frame needs pandas, which is not installed; pip install pandas"
            ) from error
        return pd.DataFrame(self.to_records())

    def _data(self) -> dict[str, Any]:
        from mathhammer.display.numbers import value_text
        from mathhammer.display.panel import TablePart
        from mathhammer.display.records import SCHEMA_VERSION

        panel, pictures, more, plan = self._panel(), {}, {}, None
        for name, make in self._pictures().items():
            with suppress(MathhammerError):  # of some attacks a quantity on the way is unknown
                pictures[name] = make()._asdict()
        with suppress(MathhammerError, AttributeError):  # not every object has a text
            more["question"] = self.to_text()  # type: ignore[attr-defined]
        with suppress(MathhammerError):  # of a result that has none, as nobody chooses
            plan = getattr(self, "plan", None)
        ruled = {name: getattr(self, name) for name in ("edition", "rulings") if hasattr(self, "rulings")}
        facts: dict[str, Any] = {
            name: fact[0] if isinstance(fact, tuple) else fact for name, fact in panel.facts.items()
        }
        return {
            "schema": "mathhammer.result",
            "schema_version": SCHEMA_VERSION,
            "kind": type(self).__name__,
            "title": panel.title,
            **{name: each if isinstance(each, str) else dict(each) for name, each in ruled.items()},
            "facts": {name: each if isinstance(each, str) else float(each) for name, each in facts.items()},
            "exact": {
                name: value_text(each) for name, each in facts.items() if not isinstance(each, str | float)
            },
            "pictures": pictures,
            "joint": {
                name: getattr(self, name).to_dict() for name in ("state", "losses") if hasattr(self, name)
            },
            "tables": [part._asdict() for part in panel.parts if isinstance(part, TablePart)],
            "notes": list(panel.notes),
            **more,
            **({"plan": plan._data()} if plan and isinstance(plan, Displayed) else {}),  # noqa: SLF001
        }

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"<{name} {shorten(self._line(), MAXIMUM_LINE - len(name) - 3)}>"

    def __str__(self) -> str:
        return self._panel().text()

    def _repr_html_(self) -> str | None:
        return self._panel().html()


class Catalogue(Displayed, Mapping[str, V]):
    """Read-only mapping of things by name; a notebook completes the names, and ``print`` lists them, with notes."""

    __slots__ = ("_entries", "_title", "notes")

    def __init__(self, title: str, entries: Mapping[str, V], notes: Iterable[str] = ()) -> None:
        self._title, self._entries = title, dict(entries)
        self.notes = tuple(dict.fromkeys(notes))

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __getitem__(self, name: str) -> V:
        if name not in self._entries:
            hint = nearest(name, self)
            raise UnknownNameError(f"expected one of the {self._title}, got {shown(name)}; {hint}")
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        return f"<{shorten(f'{len(self)} {self._title}: ' + ', '.join(self))}>"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel, TablePart

        said = {name: str(each).removeprefix(name).removeprefix(":").strip() for name, each in self.items()}
        rows = [[name, text or "as printed"] for name, text in said.items()]
        return Panel(self._title, parts=[TablePart(["name", "what it is"], rows, "<<")], notes=self.notes)
