"""The call that a result came of, the rulings it was made under, and what is refused as too large."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

from mathhammer import validation
from mathhammer.display import Displayed, Named
from mathhammer.distributions.kernel import MAXIMUM_SECONDS
from mathhammer.errors import TooLargeError, UnknownNameError
from mathhammer.lazy import on_first_use
from mathhammer.validation import called, plain, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mathhammer.display.panel import Panel, Table
    from mathhammer.expressions import Expression
    from mathhammer.sequence.unit import Unit
    from mathhammer.sequence.volley import Volley


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
        """The call; None for what no public function of a system returned."""
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
            arguments = tuple([plain(each) for each in args])
            keywords = {name: plain(each) for name, each in kwargs.items()}
            result = function(*arguments, **keywords)
            # Results are frozen for their users; this is still their making.
            kept = {name: _unchanging(each) for name, each in keywords.items()}
            result.__dict__["_call"] = source, tuple([_unchanging(each) for each in arguments]), kept
            return result

        return remembering

    return decorate


def _unchanging(given: object) -> object:
    """Return an argument that cannot change later."""
    return (
        tuple([tuple(each) if type(each) is list else each for each in given])
        if type(given) is list
        else given
    )


#: Most attacks of one volley.
MAXIMUM_ATTACKS = 20_000

#: Seconds of an attack in a walk, and of each state that it may be in.
ATTACK, STATE = 1e-5, 1e-7


def require_number(number: Expression, what: str) -> None:
    """Raise TooLargeError if there can be more attacks or wounds than a walk should make."""
    most = number.bounds()[1]
    if most > MAXIMUM_ATTACKS:
        fewer = "weapons or attacks" if what.startswith("attacks") else "of them"
        raise TooLargeError(
            f"expected at most {MAXIMUM_ATTACKS:,} {what}, but {number} can be {most:,}; use fewer {fewer}"
        )


def require_walks(volleys: Sequence[Volley], unit: Unit, *, orders: int = 1, walked: float = 1.0) -> None:
    """Raise TooLargeError if walks over all volleys, in so many orders, take longer than some seconds."""
    attacks = int(walked * sum(volley.number.most for volley in volleys))
    seconds = orders * attacks * (ATTACK + unit.states * STATE)
    if seconds > MAXIMUM_SECONDS:
        raise TooLargeError(
            f"expected walks of at most {MAXIMUM_SECONDS:.0f} seconds together, but {orders:,} orders of "
            f"{attacks:,} attacks over {unit.states:,} states take about {seconds:,.0f}; use fewer volleys, fewer "
            "attacks or a smaller unit, or give the order"
        )


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

    @property
    def sentence(self) -> str:
        """What was changed, or that nothing was."""
        changed = ", ".join(f"{name}={option}" for name, option in self.changed.items())
        others = len(self) - len(self.changed)
        if not changed:
            return f"Rulings in force: all by default ({others})."
        return f"Rulings in force: {changed}" + (f"; {others} by default." if others else ".")

    def table(self) -> Table:
        """Return all of them as a part of a panel, those that were changed first."""
        from mathhammer.display.panel import Table

        rows = [
            [known.name, self[known.name], known.default, known.question]
            for known in sorted(self._known, key=lambda known: known.name not in self.changed)
        ]
        return Table(["name", "in force", "by default", "question"], rows, "<<<<")

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def _line(self) -> str:
        changed = ", ".join(f"{name}={option}" for name, option in self.changed.items())
        return f"{len(self)} in force, changed: {changed or 'none'}"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel

        title = f"Rulings in force: {len(self.changed)} of {len(self)} changed"
        return Panel(title, parts=[self.table()] if self else [])


def rulings_in_force(known: Iterable[Ruling], chosen: Mapping[str, str] | None) -> Rulings:
    """Return the option in force for each known ruling."""
    if chosen is not None and not isinstance(chosen, Mapping):
        raise UnknownNameError(f"expected rulings as a mapping from name to option, got {shown(chosen)}")
    known = tuple(known)
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
