"""The guides among the API pages: each ``guide.md``, and one written from the entries of all rules and rulings."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
#: Each in the folder of what it is about, in the order in which a reader needs them.
GUIDES = {
    "player": "mathhammer/cli",
    "list_builder": "mathhammer/analysis",
    "warhammer": "mathhammer/systems/wh40k",
    "other_games": "mathhammer/systems",
    "dice": "mathhammer/expressions",
    "rules_writer": "mathhammer/systems/wh40k/rules",
    "trust": "tests",
    "speed": "benchmarks",
    "design": "mathhammer",
}


def guides() -> dict[str, types.ModuleType]:
    """Return each guide as a module that pdoc can show, by its path among the pages."""
    texts = {name: (ROOT / home / "guide.md").read_text(encoding="utf-8") for name, home in GUIDES.items()}
    texts["rules"] = rules()
    return {f"guides.{name}": _module(name, _linked(text)) for name, text in texts.items()}


def _module(name: str, text: str) -> types.ModuleType:
    module = types.ModuleType(f"guides.{name}", text)
    module.__docformat__ = "markdown"  # type: ignore[attr-defined]
    module.__all__ = []  # type: ignore[attr-defined]
    return module


def _linked(text: str) -> str:
    """Return a text whose links lead to pages; files of the project, which have none, are only named."""

    def page(link: re.Match[str]) -> str:
        words, target = link.groups()
        if "://" in target or target.startswith("#"):
            return link[0]
        return f"{words} (`{target.lstrip('./')}`)"

    return re.sub(r"\[([^\]]+)\]\(([^)]+)\)", page, text)


def rules() -> str:
    """Return the tables of all rules and rulings, from the entries that the package reads."""
    from mathhammer import t9a, trench_crusade, wh40k

    parts = [
        "# Rules and rulings",
        "",
        "Each rule of Warhammer 40,000 is one entry, in the file named here. A ruling decides a point that the text",
        "leaves open; `rulings={name: option}` chooses an option.",
    ]
    for edition in reversed(list(wh40k.EDITIONS.values())):
        parts += ["", f"## {edition.title}"]
        for heading, entries in (
            ("Abilities of weapons", edition.abilities),
            ("Rules of the target", edition.target_rules),
            ("The situation", edition.conditions),
        ):
            rows = [(f"`{one.name}`", one.help, one.source, _home(one)) for one in entries.values()]
            parts += ["", f"### {heading}", "", *_table(("name", "what it does", "source", "file"), rows)]
        parts += ["", "### Rulings", "", *_rulings(edition.rulings)]
    for edition in t9a.EDITIONS.values():
        parts += ["", f"## {edition.title}", "", *_rulings(edition.rulings)]
    parts += ["", "## Trench Crusade", "", *_rulings(trench_crusade.RULINGS)]
    return "\n".join(parts)


def _rulings(rulings: Any) -> list[str]:
    rows = [
        (
            f"`{one.name}`",
            one.question,
            ", ".join(f"**{option}**" if option == one.default else str(option) for option in one.options),
            one.source,
        )
        for one in rulings
    ]
    return _table(("name", "question", "options (default in bold)", "source of the default"), rows)


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |"


def _home(entry: Any) -> str:
    """Return the file in which an entry is written, or the function that makes it."""
    room = "mathhammer.systems.wh40k.rules."
    for path, module in sorted(sys.modules.items()):
        if path.startswith(room) and (
            hasattr(module, entry.name) or any(entry is one for one in _constants(module))
        ):
            return _file(path)
    kinds = {"Ability": "abilities", "TargetRule": "defences"}
    return _file(room + kinds.get(type(entry).__name__, "conditions"))


def _constants(module: types.ModuleType) -> Iterator[Any]:
    """Yield the constants of a module, and what its tables hold."""
    for value in list(vars(module).values()):
        yield value
        if isinstance(value, dict):
            yield from value.values()
        elif isinstance(value, (tuple, list)):
            yield from value


def _file(path: str) -> str:
    return f"`{path.removeprefix('mathhammer.').replace('.', '/')}.py`"
