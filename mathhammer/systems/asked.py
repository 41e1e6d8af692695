"""Questions as records: a table of fields says what a function is asked, and a method answers."""

from __future__ import annotations

import re
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from mathhammer.fields.profile import Record
from mathhammer.sequence.call import records_call
from mathhammer.validation import called

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
ResultT = TypeVar("ResultT")


class Question(Record, Generic[ResultT]):
    """What a function is asked; its class has the name and the documentation of the function."""

    def answer(self) -> ResultT:
        """Return what the function returns."""
        raise NotImplementedError

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return _read_back, (type(self).__module__, type(self).__qualname__, self.arguments())


def _read_back(module: str, name: str, arguments: dict[str, Any]) -> object:
    """Return a question that was pickled; its class has the name of its function."""
    return getattr(import_module(module), name).question(**arguments)


def asked(question: Callable[P, Question[ResultT]], system: str = "") -> Callable[P, ResultT]:
    """Return the function that answers a question: ``charge`` for the class ``_T9aCharge`` and the system ``"t9a"``.

    With a system its results record the call that made them.
    """

    def function(*places: P.args, **given: P.kwargs) -> ResultT:
        return question(*places, **given).answer()

    kind: Any = question
    name = re.sub("(?<=[a-z])(?=[A-Z])", "_", kind.__name__.lstrip("_")).lower().removeprefix(f"{system}_")
    function.__name__ = function.__qualname__ = kind.__qualname__ = name
    function.__module__, function.__doc__, kind.__doc__ = kind.__module__, kind.__doc__, None
    function.question = kind  # type: ignore[attr-defined]
    returned = kind.answer.__annotations__["return"]
    function.__signature__ = signature(kind).replace(return_annotation=returned)  # type: ignore[attr-defined]
    recorded: Any = records_call(system) if system else called
    answering: Callable[P, ResultT] = recorded(function)
    return answering
