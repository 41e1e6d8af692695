"""Names of a package that are imported on first use, as start-up is part of what a user waits for."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def on_first_use(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package (PEP 562), from its modules and the names, with blanks between, of each.

    A name that its module does not have is the module itself. ``dir`` of the package lists its ``__all__``.
    """
    listed = vars(sys.modules[package])
    listed.setdefault("__dir__", lambda: sorted(listed["__all__"]))
    modules = {name: module for module, names in homes.items() for name in names.split()}

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{modules[name]}")
        value = getattr(module, name, module)
        setattr(sys.modules[package], name, value)
        return value

    return find
