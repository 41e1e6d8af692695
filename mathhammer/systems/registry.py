"""Game systems: what each has to offer, and how it is found.

A system has a `name` for the command line, a `title`, the name of the game in full, and `editions`, the names of its
editions, the default first. It is a folder in this package with a module ``system`` that holds ``SYSTEM``, or any
object that another distribution names under the entry point group ``mathhammer.systems``:

    [project.entry-points."mathhammer.systems"]
    my_game = "my_package.my_module:SYSTEM"
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def systems() -> Mapping[str, Any]:
    """Return all systems by name: those in this package, and those of installed distributions."""
    from importlib.metadata import entry_points  # its 30 modules would be loaded with every list

    found: dict[str, Any] = {}
    group = "mathhammer.systems"
    own = (each.name for each in iter_modules(import_module(group).__path__) if each.ispkg)
    homes = {name: f"{group}.{name}.system" for name in own}
    given = [(name, import_module(home).SYSTEM) for name, home in homes.items() if find_spec(home)]
    for name, system in (*given, *((entry.name, entry.load()) for entry in entry_points(group=group))):
        if not all(hasattr(system, each) for each in ("name", "title", "editions")):
            raise MathhammerError(
                f"expected an object with name, title and editions as the system {name!r}, got {shown(system)}"
            )
        if system.name in found:
            raise MathhammerError(f"expected different names of systems, got two named {system.name!r}")
        found[system.name] = system
    return found


def games() -> dict[str, Any]:
    """Return the systems whose results can be written as text, by name."""
    return {name: each for name, each in systems().items() if hasattr(each, "text_format")}


def find_system(name: str) -> Any:
    """Return the system of that name."""
    found = systems()
    if not isinstance(name, str) or name not in found:
        raise UnknownNameError(f"expected a game system of {', '.join(map(repr, found))}; got {shown(name)}")
    return found[name]
