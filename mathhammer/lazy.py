"""Names of a package that are imported on first use, as start-up is part of what a user waits for."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from mathhammer.validation import called

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def on_first_use(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package (PEP 562), from its modules and the names, with blanks between, of each.

    A name that its module does not have is the module itself. ``dir`` of the package lists its ``__all__``, of which a
    wrong call gets an error of the package.
    """
    listed = vars(sys.modules[package])
    listed.setdefault("__dir__", lambda: sorted(listed["__all__"]))
    modules = {name: module for module, names in homes.items() for name in names.split()}

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{modules[name]}")
        value = listed[name] = getattr(module, name, module)
        if isinstance(value, ModuleType):
            known = vars(value)
            for each in known.get("__all__", ()):
                if each in known:
                    known[each] = _answering(each, known[each])
        elif name in listed.get("__all__", ()):
            value = listed[name] = _answering(name, value)
        return value

    return find


def _answering(name: str, value: Any) -> Any:
    """Let a wrong call of a public name get an error of the package."""
    # In its own module too: what is pickled by name has to be the same there.
    home, found = sys.modules.get(getattr(value, "__module__", "")), called(value)
    if home and vars(home).get(name) is value:
        setattr(home, name, found)
    return found
