"""What is true of one volley when it is made: range, movement, cover, re-rolls, modifiers."""

from __future__ import annotations

from functools import wraps
from inspect import cleandoc
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Self, TypedDict, TypeVar, Unpack, cast

from mathhammer import validation
from mathhammer.display import Named, format_items
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.rules.rule import MODIFIED_ROLLS, Condition, Rerolls
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from mathhammer.modifiers import Modifier
    from mathhammer.sequence.reroll_plan import Policy, RerollPlan
    from mathhammer.systems.wh40k.profiles.triggers import Trigger

    Rerolled = Literal["one", "ones", "failed", "failed-unmodified", "non-critical"] | AbstractSet[int] | None

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class SituationKeywords(TypedDict, total=False):
    """The keywords of a situation, as :class:`Situation`, :class:`Volley` and :func:`attack` take them.

    Notes
    -----
    One re-roll (``"one"``) of a :class:`Volley` is that volley's. Given to :func:`attack` it is one for the whole
    unit: the first die that fails, in the order of the volleys, of all those that say nothing else of that roll. A
    saving throw that no die can make is not among them. (Rules Commentary, Fast Dice Rolling and Rules That Allow
    One Re-roll; core stratagems, Command Re-roll: the policy is that of a player who spends it on the first failure.)
    ``limited_rerolls`` are one of each for all volleys that name them, and are spent where they are worth most.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> situation: SituationKeywords = {"cover": True, "reroll_hits": "ones"}
    >>> rifle = wh40k.Weapon.parse("Rifle: A6 BS4+ S4 AP-1 D1")
    >>> marines = wh40k.Target("Marines", toughness=4, save="3+", wounds=2, models=5)
    >>> shots = wh40k.attack(rifle, marines, edition="10e", exact=True, **situation)
    >>> shots.hits.mean()  # 1/2 + 1/6 * 1/2 each
    7/2
    """

    half_range: bool
    long_range: bool
    stationary: bool
    spotted: bool
    divided: bool
    charged: bool
    moved: bool
    advanced: bool
    target_charged: bool
    cover: bool | str | Iterable[str]
    indirect: bool
    precision: bool | str
    hit_modifier: int | Modifier | Iterable[Modifier]
    wound_modifier: int | Modifier | Iterable[Modifier]
    save_modifier: int | Modifier | Iterable[Modifier]
    modifiers: str | Modifier | Iterable[str | Modifier]
    triggers: str | Trigger | Iterable[str | Trigger]
    stealth: bool
    smokescreen: bool
    go_to_ground: bool
    engaged: bool
    target_engaged: bool
    plunging_fire: bool
    damaged: bool
    overwatch: bool
    critical_hit: int | str
    critical_wound: int | str
    overwatch_hits_on: int
    wounds_on: int
    wound_fails_up_to: int
    ignore_modifiers: str | Iterable[str]
    reroll: Literal["first", "best"] | RerollPlan | Policy | None
    limited_rerolls: str | Iterable[str]
    reroll_attacks: Literal["one"] | None
    reroll_hits: Rerolled
    reroll_wounds: Rerolled
    reroll_damage: Literal["one", "ones"] | AbstractSet[int] | None
    reroll_saves: Literal["one", "ones", "failed", "failed-unmodified"] | AbstractSet[int] | None


def conditions() -> Mapping[str, Condition]:
    """Return every keyword of a situation that an edition knows."""
    return rulebook().conditions


SituationKeywords.__doc__ = cleandoc(SituationKeywords.__doc__ or "").replace(
    "Notes\n",
    "Attributes\n----------\n"
    + "".join(f"{rule.name}\n    {rule.help}\n" for rule in conditions().values())
    + "\nNotes\n",
)
#: Every keyword of a situation.
SITUATION_NAMES = frozenset(conditions())
#: What cannot be true of one volley at once.
EXCLUSIVE = tuple((rule.name, other) for rule in conditions().values() for other in rule.excludes)
#: The re-rolls of one die that a unit has once for all its volleys, where they are given to the whole attack.
_SHARED = tuple(
    name for name, rule in conditions().items() if isinstance(rule.value, Rerolls) and not rule.value.of_unit
)


class Situation(Named):
    """The situation of a volley: cover, range, modifiers, re-rolls.

    Parameters
    ----------
    **keywords
        See :class:`SituationKeywords`; each is an attribute too, with its usual value where nothing was said.

    Attributes
    ----------
    keywords
        What was said, in its normal form: the way back to the keywords.

    Examples
    --------
    >>> close = Situation(half_range=True, hit_modifier=-1, cover=False)
    >>> close.half_range, close.cover, close.reroll_hits
    (True, False, None)
    """

    _hash: int
    keywords: Mapping[str, Any]
    one_reroll: tuple[str, ...]
    """The rolls of which one die is re-rolled."""
    shared: frozenset[str]
    """Those of them whose re-roll is one for all volleys of the unit together."""

    def __init__(self, **keywords: Unpack[SituationKeywords]) -> None:
        self._put(_read(keywords), frozenset())

    def _put(self, keywords: dict[str, object], shared: frozenset[str]) -> None:
        self.__dict__.update(
            keywords=MappingProxyType(keywords),
            one_reroll=tuple(name for name, value in keywords.items() if value == "one"),
            shared=shared,
            _hash=hash((frozenset(keywords.items()), shared)),
        )

    @property
    def own_rerolls(self) -> frozenset[str]:
        """The rolls of which this volley has a re-roll of one die for itself."""
        return frozenset(self.one_reroll).intersection(_SHARED) - self.shared

    def sharing(self, rolls: frozenset[str]) -> Self:
        """Return the situation of a volley whose single re-rolls of some rolls are those of the whole unit."""
        found = object.__new__(type(self))
        found._put(dict(self.keywords), rolls)
        return found

    def __getattr__(self, name: str) -> Any:
        rule = conditions().get(name)
        if rule is None:
            raise AttributeError(f"a situation has no {name!r}; {validation.nearest(name, conditions())}")
        return self.keywords.get(name, rule.value.usual)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"expected a Situation to stay as it is, got another {name!r}; make a new one")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Situation):
            return NotImplemented
        return self is other or (self.shared == other.shared and self.keywords == other.keywords)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (dict(self.keywords), self.shared)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *conditions()]

    def __str__(self) -> str:
        return format_items(self.keywords) or "nothing special"


def _restored(keywords: SituationKeywords, shared: frozenset[str]) -> Situation:
    return Situation(**keywords).sharing(shared)


#: Keywords of an attack that are none of a situation, and where what they say belongs.
_ELSEWHERE = {
    "count": "the number of weapons is part of what attacks: '5x Rifle: ...' or Volley(weapon, 5)",
    "exact": "wh40k.attack(..., exact=True) is exact, one attack at a time",
}


def _read(keywords: Mapping[str, object]) -> dict[str, object]:
    """Return keywords in their normal form and in the order of the table, without those that say nothing."""
    known = conditions()
    given: dict[str, Any] = {}
    for name, value in validation.plain(keywords).items():
        if name not in known:
            hint = _ELSEWHERE.get(name) or validation.nearest(name, known)
            raise UnknownNameError(f"expected a keyword of the situation, got {shown(name)}; {hint}")
        given[name] = known[name].value.read(value)
    modifiers: tuple[Modifier, ...] = given.get("modifiers", ())
    for modifier in modifiers:
        if name := MODIFIED_ROLLS.get(modifier.of):
            given[name] = (*given.get(name, ()), modifier)
    if modifiers:
        given["modifiers"] = tuple(m for m in modifiers if m.of not in MODIFIED_ROLLS)
    found = {
        name: given[name] for name, rule in known.items() if name in given and given[name] != rule.value.usual
    }
    for name in found:
        for other in known[name].excludes:
            if other in found:
                raise MathhammerError(f"expected {name} or {other}, got both; the one excludes the other")
    return found


_PLAIN = Situation()


def read_situation(keywords: Mapping[str, object]) -> Situation:
    """Return the situation that the keywords describe."""
    return Situation(**cast("SituationKeywords", keywords)) if keywords else _PLAIN


def takes_situation(function: Callable[_Arguments, _Result]) -> Callable[..., _Result]:
    """Let a function of weapons and a target take a Situation behind them, in place of keywords or beside them."""

    @wraps(function)
    def merged(*arguments: Any, **keywords: Any) -> _Result:
        first, at = arguments[:2], arguments[2:]
        if at:
            given: Any = at[0] if len(at) == 1 else at
            validation.instance(given, Situation, "a Situation behind the target", "or give its keywords")
            keywords = {**given.keywords, **keywords}
        return function(*first, **keywords)

    return merged


def reroll_name(situation: Situation, roll: str) -> str | None:
    """Return the name of the single re-roll of a roll: the unit's, where volleys share it, or the volley's own."""
    if roll not in situation.one_reroll:
        return None
    return f"own {roll}" if roll in situation.own_rerolls else roll


def shared_reroll(keywords: Mapping[str, object]) -> dict[str, object]:
    """Return those keywords of a whole attack that give the unit one re-roll, not one to each volley."""
    # An array of faces is equal to nothing.
    single = {name for name, value in keywords.items() if isinstance(value, str) and value == "one"}
    found: dict[str, object] = {name: "one" for name in _SHARED if name in single}
    return {"reroll": keywords["reroll"], **found} if keywords.get("reroll") is not None else found
