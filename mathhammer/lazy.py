"""Names of a package that are imported on first use, as start-up is part of what a user waits for."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def on_first_use(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package (PEP 562), from its modules and the names, with blanks between, of each.

    A name that its module does not have is the module itself.
    """
    modules = {name: module for module, names in homes.items() for name in names.split()}

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = modules[name]
        module = import_module(home if home.startswith("mathhammer.") else f"{package}.{home}")
        value = getattr(module, name, module)
        setattr(sys.modules[package], name, value)
        return value

    return find


def exports(
    package: str, homes: Mapping[str, str], *more: str
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a package; `more` are names that it has itself."""
    names = sorted({name for each in homes.values() for name in each.split()})
    return names, on_first_use(package, homes), lambda: sorted([*names, *more])
