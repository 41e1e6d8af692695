"""What an arithmetic must offer: vectors of probability mass and the matrices that move them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, SupportsFloat, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from sympy import Rational

P = TypeVar("P", bound=SupportsFloat)
"""The type of one probability: ``float`` or ``sympy.Rational``."""
P_co = TypeVar("P_co", bound=SupportsFloat, covariant=True)


class Mass(Protocol[P_co]):
    """An immutable vector of non-negative mass at the indices ``0 .. len - 1``.

    Nothing here subtracts, so that the relative error of the float64 vector stays a few units in the last
    place at every index, tails included.

    Attributes
    ----------
    exact
        Whether its probabilities are ``sympy.Rational`` rather than ``float``.

    Examples
    --------
    >>> from mathhammer.arithmetic import arithmetic
    >>> coin = arithmetic(exact=True).mass.from_weights([1, 1], 2)
    >>> coin.convolve(coin)[1]
    1/2
    """

    exact: ClassVar[bool]

    def in_fractions(self) -> Mass[Any]:
        """Return the same mass for what prints, compares or adds single numbers: exact ones are ``flint.fmpq``."""

    @classmethod
    def from_weights(cls, weights: Sequence[int], denominator: int) -> Self:
        """Mass ``weights[i] / denominator`` at index ``i``."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> P_co: ...

    def weights(self) -> tuple[list[int], int]:
        """Integer numerators and their denominator (exact arithmetic only)."""

    def terms(self) -> tuple[list[Any], Any]:
        """Numbers and the one denominator they stand over: what loops over outcomes work with."""

    @classmethod
    def from_terms(cls, terms: Sequence[Any], denominator: Any) -> Self:
        """Mass from numbers of the kind that `terms` gives."""

    def deficit(self) -> tuple[Any, Any]:
        """Numerator and denominator of what exact mass lacks to 1; a float cannot tell and says 0."""

    @staticmethod
    def quotient(numerator: Any, denominator: Any) -> P_co:
        """One probability from numbers of the kind that `terms` gives."""

    @classmethod
    def probability(cls, numerator: Any, denominator: Any) -> P_co:
        """Quotient that is a probability: a float above 1 is the rounding of a sum and handed out as 1."""

    def floats(self) -> NDArray[np.float64]:
        """Read-only float64 array, each entry the nearest float to its value."""

    def to_list(self) -> list[float]:
        """Return the same numbers as `floats`, as Python's."""

    def total(self, start: int = 0, stop: int | None = None) -> P_co:
        """Sum over ``start <= index < stop``."""

    def convolve(self, other: Self) -> Self:
        """Distribution of the sum of two independent indices."""

    @classmethod
    def sum_of_products(cls, pairs: Sequence[tuple[Self, Self]], offsets: Sequence[int]) -> Self:
        """Sum of the convolutions of pairs, the i-th moved up by ``offsets[i]``."""

    def power(self, n: int, cut: int | None = None) -> Self:
        """Distribution of the sum of `n` independent copies; of all that is more than `cut` as of that."""

    def compound(self, term: Self, cut: int | None = None) -> Self:
        """Sum of N independent copies of `term`, where N is distributed like this; cut in the same way."""

    def mixture(self, components: Sequence[Self], offsets: Sequence[int]) -> Self:
        """Sum of ``self[i] * components[i]``, the i-th moved up by ``offsets[i]``."""

    def outer(self, other: Self) -> Self:
        """Joint distribution of two independent indices; (i, j) at ``i * len(other) + j``."""

    def image(self, indices: Sequence[int], length: int) -> Self:
        """Distribution of ``indices[i]``: mass at equal indices adds up."""

    def bounds(self) -> tuple[int, int]:
        """First index that holds mass, and one past the last."""

    def window(self, start: int, stop: int) -> Self:
        """Part ``start <= index < stop``, not normalised."""

    def padded(self, zeros: int) -> Self:
        """With `zeros` indices without mass below index 0."""

    def normalised(self) -> Self:
        """Divided by the total mass."""

    def moment(self, values: Sequence[int], order: int, *, central: bool) -> P_co:
        """Moment of the given order of ``values[index]``, about the mean if `central`."""

    def dot(self, other: Self) -> P_co:
        """Sum of the products of equal indices."""

    def quantile(self, probability: float | Rational) -> int:
        """First index at which the running sum reaches a probability; a float below 1 is all that rounds to it."""

    def entropy(self) -> Any:
        """Shannon's entropy in nats: of exact mass an expression in logarithms of whole numbers."""


class Step(Protocol):
    """The transition of one step of a walk: a matrix where states are few, else a sparse one.

    Examples
    --------
    >>> from mathhammer.arithmetic import arithmetic
    >>> half = arithmetic(exact=True).matrix.banded([[1, 1]], 2, 3)  # each step destroys one of three, or nothing
    >>> half.shape, half.entries
    ((4, 4), 7)
    """

    @property
    def shape(self) -> tuple[int, int]:
        """Number of states, twice."""

    @property
    def bits(self) -> int:
        """Bits by which the numbers of a walk grow at each step: 0 for floats."""

    @property
    def entries(self) -> int:
        """Number of the products that a step takes."""

    def __matmul__(self, other: Any) -> Self: ...

    def __add__(self, other: Any) -> Self: ...

    def times(self, weight: int, denominator: int) -> Self:
        """Times a fraction."""

    def polynomial(self, weights: Sequence[int], denominator: int) -> Self:
        """Sum of ``weights[i] / denominator`` times i of these steps."""


class Matrix(Protocol[P_co]):
    """An immutable block of row vectors of mass, which the steps of a Markov chain move.

    Examples
    --------
    >>> from mathhammer.arithmetic import arithmetic
    >>> matrix = arithmetic(exact=True).matrix
    >>> step = matrix.from_rows([{0: 1, 1: 1}, {1: 2}], 2)  # on with 1/2, then there to stay
    >>> (matrix.point(0, 2) @ step @ step).to_mass()[1]
    3/4
    """

    @property
    def bits(self) -> int:
        """Bits of the denominator of exact numbers; 0 for floats."""

    @classmethod
    def banded(cls, block: Sequence[Sequence[int]], denominator: int, copies: int) -> Step:
        """Transition of `copies` equal blocks in a row and one absorbing state at the end."""

    @classmethod
    def from_rows(
        cls, rows: Sequence[Mapping[int, int]], denominator: int, order: Sequence[int] | None = None
    ) -> Step:
        """Transition from the weights of each row by column, over one denominator."""

    @classmethod
    def point(cls, column: int, columns: int) -> Self:
        """One row with all mass at `column`."""

    @classmethod
    def row(cls, mass: Any, first: int, columns: int) -> Self:
        """One row that holds `mass` from the column `first` on."""

    @classmethod
    def column(cls, mass: Any, first: int, rows: int) -> Self:
        """One column that holds `mass` from the row `first` on."""

    @classmethod
    def table(cls, mass: Any, rows: int) -> Self:
        """So many rows that hold `mass`, one after another."""

    @classmethod
    def binomial(cls, mass: Any, least: int, first: int, second: int) -> Self:
        """Joint distribution of the two kinds of N things, where N has the distribution `mass` moved up by `least`."""

    @classmethod
    def stack(cls, blocks: Sequence[Self]) -> Self:
        """All rows of the blocks, one block below the other."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    def __matmul__(self, other: Any) -> Self: ...

    def __add__(self, other: Self) -> Self: ...

    def advance(self, transition: Any, number: Any, least: int) -> Self:
        """Rows after N steps of `transition`, where N has the distribution `number` moved up by `least`."""

    def moved(self, number: Any, least: int, width: int) -> Self:
        """Rows after N equal models of `width` wounds are destroyed at once, N distributed as `number` plus `least`."""

    def mixture(self, row: int, blocks: Sequence[Self]) -> Self:
        """Sum of blocks, each times its entry of one row."""

    def in_last(self) -> Self:
        """All mass of each row in its last column."""

    def scaled(self, mass: Any, index: int) -> Self:
        """Times the probability ``mass[index]``."""

    def rows(self, indices: range) -> Self:
        """The rows at the given indices."""

    def slices(self, stride: int, length: int) -> list[Self]:
        """For each of so many values of a count the rows of it, where each value stands for so many rows in turn."""

    def spent(self, transition: Any, counts: int, taken: int, out_of: int) -> Self:
        """Rows, one for each number of steps below `counts`, after each was made with the chance ``taken / out_of``."""

    def padded(self, above: int, below: int) -> Self:
        """With so many rows without mass above and below."""

    def columns(self, indices: Sequence[int]) -> Self:
        """The columns at the given indices."""

    def placed(self, indices: Sequence[int], columns: int) -> Self:
        """Its columns at the given indices of so many, the others without mass."""

    def occupied(self) -> list[int]:
        """Indices of the columns that hold mass."""

    def to_mass(self) -> Any:
        """Sum of the rows as one vector of mass."""


@dataclass(frozen=True, slots=True)
class Arithmetic(Generic[P]):
    """One arithmetic: how mass is stored and how it is moved.

    Parameters
    ----------
    mass, matrix
        Its vectors of probability mass, and the matrices that move them.

    Examples
    --------
    >>> from mathhammer.arithmetic import arithmetic
    >>> arithmetic(exact=True).mass.exact
    True
    """

    mass: type[Mass[P]]
    matrix: type[Matrix[P]]
