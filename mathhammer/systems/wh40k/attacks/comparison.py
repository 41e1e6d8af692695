"""The same attack under several editions, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, Unpack, overload

from mathhammer import validation
from mathhammer.arithmetic import P
from mathhammer.display import Displayed, number, percent
from mathhammer.distributions import in_fractions
from mathhammer.errors import MathhammerError
from mathhammer.systems.wh40k.attacks.attack import Weapons, attack

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sympy import Rational

    from mathhammer.display import Panel
    from mathhammer.systems.wh40k.attacks.result import AttackResult
    from mathhammer.systems.wh40k.profiles.profiles import Target
    from mathhammer.systems.wh40k.situation import SituationKeywords

__all__ = ["EditionComparison", "compare_editions"]


class EditionComparison(Displayed, Mapping[str, "AttackResult[P]"], Generic[P]):
    """Results of one attack by edition; ``print`` shows their means side by side.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> rifle = wh40k.Weapon.parse("Rifle: A2 BS3+ S4 AP0 D1")
    >>> marines = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=5)
    >>> both = wh40k.compare_editions(rifle, marines, exact=True)
    >>> list(both), both["9e"].hits.mean()
    (['9e', '10e'], 4/3)
    """

    def __init__(self, results: Mapping[str, AttackResult[P]]) -> None:
        self._results = dict(results)

    def __getitem__(self, edition: str) -> AttackResult[P]:
        return self._results[edition]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    @property
    def _laws(self) -> tuple[str, ...]:
        """Laws that a unit of unequal models does not have."""
        unsaved = ("unsaved",) if all(self[each].saved_alike for each in self) else ()
        return (*unsaved, "damage") if all(self[each].hurt_alike for each in self) else unsaved

    def rows(self) -> list[tuple[Any, ...]]:
        """Return what each number is called, and its value in each edition, as data."""
        return self._rows(lambda one: one)

    def _rows(self, numbers_of: Callable[[Any], Any]) -> list[tuple[Any, ...]]:
        """Return the rows in the numbers of a result and its distributions, or in those that are only printed."""
        found: list[tuple[Any, ...]] = [
            (
                f"mean {name.replace('_', ' ')}",
                *(numbers_of(getattr(self[each], name)).mean() for each in self),
            )
            for name in ("attacks", "hits", "wounds", *self._laws, "wounds_lost", "kills")
        ]
        found.append(("P(destroyed)", *(numbers_of(self[each]).probability_destroyed for each in self)))
        return found

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def _line(self) -> str:
        kills = (f"{each} {number(in_fractions(self[each]).kills.mean())}" for each in self)
        return f"mean models destroyed: {', '.join(kills)}"

    def _panel(self) -> Panel:
        from mathhammer.display import Panel, Table

        rows = [
            [name, *(number(value, digits=4) for value in values)]
            for name, *values in self._rows(in_fractions)
        ]
        rows[-1][1:] = [percent(in_fractions(self[each]).probability_destroyed) for each in self]
        titles = [self[each].explain().heading for each in self]
        return Panel(titles[0].rpartition(" (")[0], parts=[Table(["", *self], rows)])


@overload
def compare_editions(
    weapons: Weapons,
    target: Target,
    /,
    *,
    editions: Sequence[str] = ...,
    count: int = ...,
    rulings: Mapping[str, Mapping[str, str]] | None = ...,
    exact: Literal[False] = ...,
    **situation: Unpack[SituationKeywords],
) -> EditionComparison[float]: ...
@overload
def compare_editions(
    weapons: Weapons,
    target: Target,
    /,
    *,
    editions: Sequence[str] = ...,
    count: int = ...,
    rulings: Mapping[str, Mapping[str, str]] | None = ...,
    exact: Literal[True],
    **situation: Unpack[SituationKeywords],
) -> EditionComparison[Rational]: ...
def compare_editions(
    weapons: Weapons,
    target: Target,
    /,
    *,
    editions: Sequence[str] = ("9e", "10e"),
    count: int = 1,
    rulings: Mapping[str, Mapping[str, str]] | None = None,
    exact: bool = False,
    **situation: Unpack[SituationKeywords],
) -> EditionComparison[Any]:
    """Resolve the same attacks under several editions.

    Parameters
    ----------
    weapons, target, count, exact, **situation
        As :func:`mathhammer.wh40k.attack` takes them; what an edition does not know has no effect
        in it, and ``explain()`` of its result says so.
    editions
        Their names.
    rulings
        Of an edition its options for disputed points.

    Examples
    --------
    >>> from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
    >>> bolter = Weapon.parse('Bolter: 24" A1 BS3+ S4 AP0 D1 [RAPID FIRE 1]')
    >>> marines = Target("Marines", toughness=4, save="3+", wounds=2, models=5)
    >>> both = compare_editions(bolter, marines, cover={"light", "dense"}, exact=True)
    >>> both["9e"].unsaved.mean(), both["10e"].unsaved.mean()
    (1/24, 1/9)
    """
    names = validation.items(editions, str, "several editions to compare, such as ('9e', '10e')")
    if not names:
        raise MathhammerError("expected several editions to compare, such as ('9e', '10e'), got none")
    if rulings is not None:
        validation.mapping(rulings, "rulings by edition", "such as {'9e': {'fast_rolling': 'similar'}}")
    return EditionComparison(
        {
            edition: attack(
                weapons,
                target,
                count=count,
                edition=edition,
                rulings=(rulings or {}).get(edition),
                exact=exact,
                **situation,
            )
            for edition in names
        }
    )
