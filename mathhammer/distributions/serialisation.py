"""What an outcome may be; distributions from mappings, and to and from what JSON can hold."""

from __future__ import annotations

import math
from contextlib import contextmanager
from numbers import Real
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.arithmetic import mass_type
from mathhammer.errors import MathhammerError, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mathhammer.arithmetic.mass import Mass

#: Most outcomes from the least to the greatest one.
MAXIMUM_OUTCOMES = 10_000_000
#: Greatest outcome: a float counts in steps of 1 up to there.
MAXIMUM_OUTCOME = 1 << 53
#: A float distribution that was typed in may be off by the rounding of its entries, not by more.
_TYPED_MASS_TOLERANCE = 1e-9
#: Raised by one whenever a text would be read otherwise than before.
FORMAT = 1
#: What JSON reads as a number; a program in between may have written 1.0 as 1.
_NUMBERS = (int, float)


def as_outcome(value: object) -> int:
    """Return the outcome that a function gave; whether something holds is 1 or 0."""
    if type(value) is int:
        return value
    holds = validation.as_flag(value)
    return validation.whole(value, "outcome of a function") if holds is None else int(holds)


def require_outcomes(low: int, high: int) -> None:
    """Refuse outcomes too far apart, or too large, before the vector from the least to the greatest is made."""
    if high - low >= MAXIMUM_OUTCOMES or max(-low, high) > MAXIMUM_OUTCOME:
        raise TooLargeError(
            f"expected outcomes at most {MAXIMUM_OUTCOMES:,} apart and up to {MAXIMUM_OUTCOME:,}, got "
            f"{validation.shown(low)} and {validation.shown(high)}; use smaller numbers"
        )


def read_probabilities(probabilities: Mapping[int, Any]) -> tuple[Mass, int]:
    """Return the mass and the lowest outcome of a typed-in distribution."""
    if not validation.mapping(
        probabilities, "a mapping from outcomes to probabilities", "such as {1: 0.5, 2: 0.5}"
    ):
        raise MathhammerError("expected at least one outcome with its probability, got none")
    outcomes = validation.wholes(probabilities, "whole numbers as outcomes")
    values = list(validation.items(probabilities.values(), Real, "numbers as probabilities"))
    if not all(value >= 0 for value in values):
        raise MathhammerError(
            f"expected probabilities of 0 or more, got {validation.shown(dict(probabilities))}"
        )
    probabilities = dict(zip(outcomes, values, strict=True))
    low, high = min(probabilities), max(probabilities)
    require_outcomes(low, high)
    if any(isinstance(value, float) for value in values):
        total = math.fsum(values)
        if not abs(total - 1) <= _TYPED_MASS_TOLERANCE:
            raise MathhammerError(f"expected probabilities that sum to 1, got a sum of {total!r}")
        dense = [float(probabilities.get(outcome, 0)) for outcome in range(low, high + 1)]
        return mass_type(exact=False).from_floats(dense), low
    from sympy import Rational

    rationals = {outcome: Rational(value) for outcome, value in probabilities.items()}
    denominator = math.lcm(*(int(value.q) for value in rationals.values()))
    chances = {outcome: int(value.p * (denominator // value.q)) for outcome, value in rationals.items()}
    weights = [chances.get(outcome, 0) for outcome in range(low, high + 1)]
    if sum(weights) != denominator:
        found = validation.shown(Rational(sum(weights), denominator))
        raise MathhammerError(f"expected probabilities that sum to 1, got a sum of {found}")
    return mass_type(exact=True).from_weights(weights, denominator), low


@contextmanager
def as_written_by(writer: str) -> Iterator[None]:
    """Turn what goes wrong in data of unknown origin into an error that says what was expected."""
    try:
        yield
    except MathhammerError:
        raise
    except (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise MathhammerError(f"expected what {writer} writes; reading it failed: {error!r}") from error


def mass_to_dict(mass: Mass) -> dict[str, object]:
    """Return what JSON can hold: exact integers as decimal text, floats as numbers that read back equal."""
    if not mass.exact:
        return {"exact": False, "probabilities": mass.to_list()}
    from flint import fmpz

    # Python refuses to print integers of more than 4300 digits; FLINT does not.
    weights, denominator = mass.weights()
    numerators = [str(fmpz(weight)) for weight in weights]
    return {"exact": True, "numerators": numerators, "denominator": str(fmpz(denominator))}


def mass_from_dict(data: Mapping[str, Any]) -> Mass:
    """Return the mass that `mass_to_dict` wrote."""
    missing = data.get("missing", 0.0)
    if type(missing) not in _NUMBERS or not 0 <= missing < 1:
        raise MathhammerError(f"expected a number from 0 to 1 as missing, got {validation.shown(missing)}")
    if validation.flag(data["exact"], "exact"):
        from flint import fmpz

        listed = validation.instance(data["numerators"], (list, tuple), "a list of numerators")
        texts = validation.items(listed, str, "numerators as decimal text")
        numerators = [int(fmpz(text)) for text in texts]
        denominator = int(fmpz(data["denominator"]))
        if not numerators or min(numerators) < 0 or not 0 < sum(numerators) <= denominator:
            raise MathhammerError("expected numerators of 0 or more that sum to the denominator or less")
        return mass_type(exact=True).from_weights(numerators, denominator)
    given = validation.instance(data["probabilities"], (list, tuple), "a list of probabilities")
    if any(type(each) not in _NUMBERS for each in given):
        raise MathhammerError(f"expected numbers as probabilities, got {validation.shown(given)}")
    total = math.fsum(given) + missing
    if not any(given) or min(given) < 0 or not abs(total - 1) <= _TYPED_MASS_TOLERANCE:
        raise MathhammerError(f"expected probabilities of 0 or more that sum to 1, got a sum of {total!r}")
    return mass_type(exact=False).from_floats(list(map(float, given)), missing)
