"""Dice expressions: immutable, hashable trees whose text parses back to the same tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Self, dataclass_transform

from mathhammer import expressions as nodes
from mathhammer import validation
from mathhammer.arithmetic import mass_type
from mathhammer.distributions import Distribution
from mathhammer.errors import MathhammerError, TooLargeError, WrongTypeError
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mathhammer.expressions.check import FaceCondition
    from mathhammer.expressions.operations import Relation

#: How tightly the parts of a text bind; what binds looser than its place allows stands in parentheses.
LET, COMPARISON, SUM, PRODUCT, ATOM, DIE = range(6)
#: Places of a text, and how loosely a part may bind there; a second sign behind another would be hard to read.
_PLACES = {"": LET, "sum": SUM, "product": PRODUCT, "each": DIE, "added": PRODUCT, "factor": ATOM}
_BEHIND_A_SIGN = {"added", "factor"}

#: Most parts of a tree, counting a part again for each place it stands at.
MAXIMUM_PARTS = 20_000
#: Bits of a number that is too long to be written.
_LONG = 1_000
#: Deepest nesting: functions that walk a tree call themselves for each level.
MAXIMUM_DEPTH = 150
#: Most outcomes that an expression, or any part of it, may have: to print so many takes a second.
MAXIMUM_OUTCOMES = 400_000
#: Most outcomes that all parts together may run through: less than a second, and some tens of megabytes.
MAXIMUM_WORK = 800_000
#: Beyond this a float does not count in steps of 1.
MAXIMUM_VALUE = 1 << 53


@dataclass_transform(frozen_default=True)
class Expression(ABC):
    """A dice expression.

    Examples
    --------
    >>> from mathhammer import dice
    >>> D6 = dice("D6")
    >>> str(2 @ D6 + 3), str(D6 * 2), str(D6 - D6)
    ('2D6+3', 'D6×2', 'D6-D6')
    """

    __array_ufunc__ = None  # a number of NumPy on the left must call our operator

    #: Parts of the tree, each as often as it stands there, and how deep they are nested: known while it is built, as a
    #: tree that holds one object many times is too long to walk.
    _size: int
    _depth: int

    precedence: ClassVar[int] = ATOM
    """Precedence of its text, from `LET` to `DIE`."""
    form: ClassVar[str] = ""
    """Its text, made of its fields, each with its place."""

    def __new__(cls, *args: object, **kwargs: object) -> Self:
        """Make a node and count its parts."""
        made = object.__new__(cls)
        children = list(_expressions_in((*args, *kwargs.values())))
        object.__setattr__(made, "_size", 1 + sum(child._size for child in children))
        object.__setattr__(made, "_depth", 1 + max((child._depth for child in children), default=0))
        return made

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(frozen=True, repr=False)(cls)

    def require_walkable(self) -> None:
        """Refuse a tree of too many parts, or nested too deep."""
        if self._size > MAXIMUM_PARTS or self._depth > MAXIMUM_DEPTH:
            raise TooLargeError(
                f"expected an expression of at most {MAXIMUM_PARTS:,} parts and {MAXIMUM_DEPTH} levels, got "
                f"{shown(self._size)} and {self._depth:,}; `1000 @ D6` is one part where a sum of a thousand terms is "
                "a thousand, and `let` uses one roll more than once"
            )

    @abstractmethod
    def bounds(self) -> tuple[int, int]:
        """Bounds of the value; the least and the greatest where these are cheap to find."""

    @abstractmethod
    def compute(self) -> Distribution:
        """Exact distribution of the value, without a check of the size."""

    def _text(self) -> str:
        return self.form.format(self)

    def __format__(self, place: str) -> str:
        """Return its text as a part, in parentheses where it binds looser than its place allows."""
        text = str(self)
        if place not in _PLACES:
            return format(text, place)
        loose = self.precedence < _PLACES[place] or (place in _BEHIND_A_SIGN and text.startswith("-"))
        return f"({text})" if loose else text

    def __str__(self) -> str:
        self.require_walkable()
        try:
            return self._text()
        except MathhammerError:
            raise
        except ValueError as error:  # Python writes no number of more than 4300 digits
            raise TooLargeError(f"expected an expression that can be written: {error}") from error

    def scaled_bounds(self) -> tuple[int, int, int]:
        """Bounds of the value before it is rounded, as two numerators and their denominator."""
        low, high = self.bounds()
        return low, high, 1

    def compute_scaled(self) -> tuple[Distribution, int]:
        """Distribution of the value before it is rounded: that of a numerator, and the denominator."""
        return self.compute(), 1

    def parts(self) -> Iterator[Expression]:
        """Yield the expressions that this one is made of, itself not among them."""
        for field in fields(self):  # type: ignore[arg-type]
            yield from _expressions_in(getattr(self, field.name))

    def work(self, own: int, parts: Sequence[int]) -> int:
        """Outcomes that the distribution of this tree runs through, given its own and those of its parts."""
        return own + sum(parts)

    def substitute(self, name: str, value: Expression) -> Expression:
        """Return the tree with an expression in the place of a name."""
        changed = {field.name: _replaced(getattr(self, field.name), name, value) for field in fields(self)}  # type: ignore[arg-type]
        return type(self)(**changed)

    def distribution(self, *, exact: bool = False) -> Distribution:
        """Distribution of the value."""
        require_size(self)
        exact = validation.flag(exact, "exact")
        distribution = self.compute().handed_out(exact=exact)
        object.__setattr__(distribution, "_dice", self)
        return distribution

    @property
    def readings(self) -> tuple[str, ...]:
        """What of its text other dice programs read otherwise: which reading was taken, and how to write the other."""
        return getattr(self, "_readings", ())

    @property
    def reads_back(self) -> bool:
        """True if the text is read back as the same expression."""
        return nodes.parser.dice(str(self)) == self

    def __add__(self, other: Expression | int) -> Expression:
        return nodes.operations.Sum(self, _operand(other))

    def __radd__(self, other: int) -> Expression:
        return _operand(other) + self

    def __sub__(self, other: Expression | int) -> Expression:
        return nodes.operations.Difference(self, _operand(other))

    def __rsub__(self, other: int) -> Expression:
        return _operand(other) - self

    def __neg__(self) -> Expression:
        return 0 - self

    def __mul__(self, other: Expression | int) -> Expression:
        return nodes.operations.Product(self, _operand(other))

    def __rmul__(self, other: int) -> Expression:
        return _operand(other) * self

    def __truediv__(self, divisor: int) -> Expression:
        """Divide, to be rounded up once, after all modifiers; `floor(x / 2)` rounds down at once."""
        return nodes.operations.Quotient(self, divisor)

    def __matmul__(self, each: Expression) -> Expression:
        """Roll `each` a random number of times, and add up."""
        return nodes.die.Compound(self, each)

    def __rmatmul__(self, count: int) -> Expression:
        number = validation.as_whole(count)
        if number is None:
            raise WrongTypeError(f"expected a whole number of rolls before '@', got {shown(count)}")
        return nodes.die.Repeated(number, self)

    def at_least(self, target: Expression | int, /) -> Expression:
        """Compare with a target: 1 where the value reaches it, else 0."""
        return self.compare(">=", target)

    def compare(self, relation: Relation, other: Expression | int, /) -> Expression:
        """Compare with another roll: 1 where the relation holds, else 0."""
        return nodes.operations.Comparison(self, relation, as_expression(other))

    def keep_highest(self, count: int, /) -> Expression:
        """Keep the highest dice of these, e.g. ``(4 @ D6).keep_highest(3)``."""
        return nodes.pool.highest(count, self)

    def keep_lowest(self, count: int, /) -> Expression:
        """Keep the lowest dice of these."""
        return nodes.pool.lowest(count, self)

    def with_dice(self, *, plus: int = 0, minus: int = 0) -> Expression:
        """Add +DICE and -DICE; opposite kinds cancel in pairs (Trench Crusade core rules, +/- Dice)."""
        return nodes.pool.ExtraDice(self, plus, minus)

    def maximised(self, times: int = 1, /) -> Expression:
        """Roll one more die and discard the lowest, `times` times (The 9th Age, Maximised Roll)."""
        return nodes.pool.Maximised(self, times, 0)

    def minimised(self, times: int = 1, /) -> Expression:
        """Roll one more die and discard the highest, `times` times (The 9th Age, Minimised Roll)."""
        return nodes.pool.Maximised(self, 0, times)

    def reroll(
        self, condition: FaceCondition | str | int | Iterable[int], /, *, natural: bool = False
    ) -> Expression:
        """Re-roll once where the value meets a condition: faces, ``"<4"``, ``"not 6"``."""
        return nodes.pool.Rerolled(self, nodes.parser.as_condition(condition), natural)

    def reroll_best(self, *, target: int | None = None, dice: int | None = None) -> Expression:
        """Re-roll, to reach a target or for the greatest mean, the roll as a whole or so many dice of it, each once."""
        several = dice is None or isinstance(self, nodes.die.Repeated)
        return nodes.pool.BestReroll(self if several else nodes.die.Repeated(1, self), target, dice)

    def explode(
        self,
        condition: FaceCondition | str | int | Iterable[int],
        /,
        *,
        depth: int | None = None,
        at_most: int | None = None,
    ) -> Expression:
        """Roll again and add where the die meets a condition; see `Exploded` for the two kinds of end."""
        rolls = depth if at_most is None else at_most
        if rolls is None or (depth is not None and at_most is not None):
            raise MathhammerError(
                "expected depth=n (the rest is missing mass) or at_most=n (the rule stops there) for an explosion "
                f"of {self}, got depth={depth!r} and at_most={at_most!r}"
            )
        return nodes.pool.Exploded(
            self, nodes.parser.as_condition(condition), rolls, truncated=at_most is None
        )

    def given(self, condition: FaceCondition | str | int | Iterable[int], /) -> Expression:
        """Condition on the value: ``(2 @ D6).given("7+")``."""
        return nodes.pool.Given(self, nodes.parser.as_condition(condition))

    def __repr__(self) -> str:
        if self._size > MAXIMUM_PARTS or self._depth > MAXIMUM_DEPTH:
            return f"<{type(self).__name__} of {shown(self._size)} parts>"
        return f"dice({str(self)!r})"

    def _repr_html_(self) -> str | None:
        return self.distribution()._repr_html_()


def require_size(expression: Expression) -> None:
    """Refuse an expression of which a part has too many outcomes."""
    expression.require_walkable()
    work = _outcomes(expression)
    if work > MAXIMUM_WORK:
        raise TooLargeError(
            f"expected an expression of which all parts together have at most {MAXIMUM_WORK:,} outcomes, but those of "
            f"{shown(expression)} have {shown(work)}; use fewer dice or smaller numbers"
        )


def _outcomes(expression: Expression) -> int:
    """Return the number of outcomes that the distribution of this tree runs through, parts included."""
    low, high, denominator = expression.scaled_bounds()
    own = high - low + 1
    if own > MAXIMUM_OUTCOMES:
        size = f"{own:,}" if own < MAXIMUM_VALUE**2 else shown(own)
        raise TooLargeError(
            f"expected an expression of at most {MAXIMUM_OUTCOMES:,} outcomes, but {shown(expression)} has "
            f"{size}; use fewer dice or smaller numbers"
        )
    if max(-low, high) > MAXIMUM_VALUE * denominator:
        raise TooLargeError(
            f"expected an expression of values up to {MAXIMUM_VALUE:,}, but {shown(expression)} has larger "
            "ones; use smaller numbers"
        )
    return expression.work(own, [_outcomes(part) for part in expression.parts()])


def as_expression(value: Expression | int) -> Expression:
    """Return an expression unchanged and a whole number as a constant."""
    if type(value) is int:
        return _constant(value)
    if isinstance(value, Expression):
        value.require_walkable()
        return value
    if (number := validation.as_whole(value)) is None:
        raise WrongTypeError(
            f"expected a dice expression or a whole number, got {shown(value)}; dice('2D6') makes one of "
            "a text"
        )
    return _constant(number)


@lru_cache(maxsize=256)
def _constant(number: int) -> Expression:
    """Return a number as an expression: those of profiles are few, and made often."""
    return Constant(number)


def _operand(value: Expression | int) -> Expression:
    """Return an operand without a look at its size: a sum may be built that nobody will ever roll."""
    return value if isinstance(value, Expression) else as_expression(value)


def _expressions_in(value: object) -> Iterator[Expression]:
    if isinstance(value, Expression):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _expressions_in(item)


def _replaced(value: object, name: str, by: Expression) -> object:
    if isinstance(value, Expression):
        return value.substitute(name, by)
    if isinstance(value, tuple):
        return tuple(_replaced(item, name, by) for item in value)
    return value


class Constant(Expression):
    """A number."""

    value: int

    def __post_init__(self) -> None:
        validation.set_whole(self, "value", "number")

    def bounds(self) -> tuple[int, int]:
        return self.value, self.value

    def compute(self) -> Distribution:
        return Distribution._new(mass_type(exact=True).from_weights((1,), 1), self.value)

    def _text(self) -> str:
        return str(self.value) if self.value.bit_length() < _LONG else f"({shown(self.value)})"
