"""What is true of one volley when it is made: range, movement, cover, re-rolls, modifiers."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.modifiers import Modifier, as_modifiers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from mathhammer.expressions.check import Reroll

__all__ = ["Situation", "SituationKeywords", "read_situation"]


class SituationKeywords(TypedDict, total=False):
    """The keywords of a situation, as :class:`Volley` and :func:`attack` take them.

    Attributes
    ----------
    half_range
        The target is within half range (Rapid Fire, Melta).
    long_range
        The target is beyond the distance that Conversion names.
    stationary
        The attacker remained stationary (Heavy).
    charged
        The attacker made a charge move (Lance).
    cover
        The target has the benefit of cover.
    indirect
        No model of the target is visible (weapons with Indirect Fire).
    hit_modifier, wound_modifier, save_modifier
        A number to add, or Modifiers that name their source.
    precision
        Whether attacks with Precision are directed at a leader: ``True`` at the first in order, ``False`` at none,
        or the name of one.
    critical_hit, critical_wound
        Lowest unmodified face that is critical.
    reroll_hits, reroll_wounds, reroll_damage, reroll_saves
        ``None``, ``"ones"``, ``"failed"``, ``"non-critical"`` or a set of faces. Damage has no failure: there
        it is ``"ones"`` or a set of values; dice that are added together are judged by their total.
    """

    half_range: bool
    long_range: bool
    stationary: bool
    charged: bool
    cover: bool
    indirect: bool
    precision: bool | str
    hit_modifier: int | Modifier | Iterable[Modifier]
    wound_modifier: int | Modifier | Iterable[Modifier]
    save_modifier: int | Modifier | Iterable[Modifier]
    critical_hit: int
    critical_wound: int
    reroll_hits: Literal["ones", "failed", "non-critical"] | AbstractSet[int] | None
    reroll_wounds: Literal["ones", "failed", "non-critical"] | AbstractSet[int] | None
    reroll_damage: Literal["ones"] | AbstractSet[int] | None
    reroll_saves: Literal["ones", "failed"] | AbstractSet[int] | None


@dataclass(frozen=True, slots=True)
class Situation:
    """A situation, validated."""

    half_range: bool = False
    long_range: bool = False
    stationary: bool = False
    charged: bool = False
    cover: bool = False
    indirect: bool = False
    precision: bool | str = True
    hit_modifier: tuple[Modifier, ...] = ()
    wound_modifier: tuple[Modifier, ...] = ()
    save_modifier: tuple[Modifier, ...] = ()
    critical_hit: int = 6
    critical_wound: int = 6
    reroll_hits: Reroll = None
    reroll_wounds: Reroll = None
    reroll_damage: Reroll = None
    reroll_saves: Reroll = None


_PLAIN = Situation()
_FLAGS = {"half_range", "long_range", "stationary", "charged", "cover", "indirect"}
_MODIFIERS = {"hit_modifier", "wound_modifier", "save_modifier"}
_CRITICALS = {"critical_hit", "critical_wound"}
#: The ways of re-rolling that make sense, beside a set of faces: only hits and wounds can be critical, and a
#: damage roll cannot fail.
_REROLLS = {
    "reroll_hits": ("ones", "failed", "non-critical"),
    "reroll_wounds": ("ones", "failed", "non-critical"),
    "reroll_damage": ("ones",),
    "reroll_saves": ("ones", "failed"),
}
_NAMES = (*sorted(_FLAGS), "precision", *sorted(_MODIFIERS), *sorted(_CRITICALS), *_REROLLS)


def read_situation(keywords: Mapping[str, Any]) -> Situation:
    """Return the situation that the keywords describe.

    Raises
    ------
    MathhammerError
        If a keyword is unknown or its value does not fit.

    Examples
    --------
    >>> read_situation({"hit_modifier": -1}).hit_modifier[0].value
    -1
    """
    if not keywords:
        return _PLAIN
    return Situation(**{name: _read(name, value) for name, value in keywords.items()})


def _read(name: str, value: Any) -> Any:
    if name in _FLAGS:
        if not isinstance(value, bool):
            raise MathhammerError(f"expected True or False as {name}, got {value!r}")
        return value
    if name == "precision":
        if not isinstance(value, bool | str):
            raise MathhammerError(f"expected True, False or the name of a leader as precision, got {value!r}")
        return value
    if name in _MODIFIERS:
        return as_modifiers(value, name)
    if name in _CRITICALS:
        if isinstance(value, bool) or not isinstance(value, int) or not 2 <= value <= 6:
            raise MathhammerError(f"expected a face from 2 to 6 as {name}, got {value!r}")
        return value
    if name in _REROLLS:
        return _read_reroll(name, value)
    near = get_close_matches(name, _NAMES, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(_NAMES)}"
    raise UnknownNameError(f"expected a keyword of the situation, got {name!r}; {hint}")


def _read_reroll(name: str, value: Any) -> Any:
    if value is None or value in _REROLLS[name]:
        return value
    options = " or ".join(map(repr, _REROLLS[name]))
    most = 100 if name == "reroll_damage" else 6  # damage of several dice is judged by the total
    if isinstance(value, set | frozenset):
        faces = frozenset(value)
        if all(isinstance(face, int) and 1 <= face <= most for face in faces):
            return faces
    raise MathhammerError(
        f"expected None, {options} or a set of values from 1 to {most} as {name}, got {value!r}"
    )
