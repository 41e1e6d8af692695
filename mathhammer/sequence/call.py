"""The call that a result came of: the function, and what it was given."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

from mathhammer.lazy import on_first_use
from mathhammer.validation import called, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result", bound="Reproducible")
#: Rooms of the floors above, which a result calls to be written.
_upstairs = on_first_use("mathhammer", {"serialisation": "serialisation"})


class Call(NamedTuple):
    """A call of a system's public function.

    Parameters
    ----------
    system
        The name of the system.
    function
        The name of the function among the system's public ones.
    arguments, keywords
        What it was given.
    """

    system: str
    function: str
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any]


class Reproducible:
    """A result that remembers the call it came of.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> rifle = wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP0 D1")
    >>> wh40k.attack(rifle, wh40k.TARGETS["MEQ"]).call.function
    'attack'
    """

    #: System and function, arguments and keywords: a Call is built when somebody looks at it.
    _call: tuple[tuple[str, str], tuple[object, ...], Mapping[str, object]] | None = None

    @property
    def call(self) -> Call | None:
        """The call that made it; None if no public function did."""
        return None if self._call is None else Call(*self._call[0], *self._call[1:])

    def to_text(self) -> str:
        """Return a short text that reproduces this result anywhere: see :func:`mathhammer.from_text`.

        It says the game, its edition, the stat lines, what is true, and every ruling that leaves a choice.

        Examples
        --------
        >>> from mathhammer import t9a
        >>> print(t9a.charge(advance=4, distance=11, exact=True).to_text().partition("defaults")[0])
        mathhammer 1: The 9th Age: Fantasy Battles, 2e, charge, exact
        with: distance=11, advance=4
        <BLANKLINE>
        """
        text: str = _upstairs("serialisation").to_text(self)
        return text


def records_call(
    system: str, name: str = ""
) -> Callable[[Callable[_Parameters, _Result]], Callable[_Parameters, _Result]]:
    """Let the results of a system's function remember the call."""

    def decorate(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
        source = system, name or function.__name__
        function = called(function)

        @wraps(function)
        def remembering(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
            # The one door of all these functions: beyond it a whole number or a flag is Python's.
            arguments = tuple(map(plain, args))
            keywords = dict(zip(kwargs, map(plain, kwargs.values()), strict=True))
            if known_as := getattr(
                keywords.get("edition"), "known_as", None
            ):  # an edition stands for its name
                keywords["edition"] = known_as()
            result = function(*arguments, **keywords)
            # Results are frozen for their users; this is still their making.
            result.__dict__["_call"] = source, arguments, keywords
            return result

        return remembering

    return decorate
