"""What a unit attacks with, and what is true of it: volleys in a situation, mortal wounds without an attack."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import cleandoc
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, TypeVar, Unpack, cast

from mathhammer import validation
from mathhammer.display import Named, format_items
from mathhammer.errors import MathhammerError, ParseError, UnknownNameError
from mathhammer.expressions import Expression, dice
from mathhammer.expressions.base import as_expression
from mathhammer.fields.kinds import Checked, Text
from mathhammer.fields.profile import Record
from mathhammer.systems.wh40k.editions import rulebook
from mathhammer.systems.wh40k.profiles.profiles import Weapon
from mathhammer.systems.wh40k.rules.rule import MODIFIED_ROLLS, Condition, Rerolls
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Set as AbstractSet

    from mathhammer.modifiers import Modifier
    from mathhammer.sequence.reroll_plan import Policy, RerollPlan
    from mathhammer.systems.wh40k.profiles.triggers import Trigger

    Rerolled = Literal["one", "ones", "failed", "failed-unmodified", "non-critical"] | AbstractSet[int] | None

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
_REROLLS = {name: rule.value for name, rule in conditions().items() if isinstance(rule.value, Rerolls)}
_SHARED = tuple(name for name, value in _REROLLS.items() if not value.of_unit)


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
        return _read_back, (dict(self.keywords), self.shared)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *conditions()]

    def __str__(self) -> str:
        return format_items(self.keywords) or "nothing special"


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
    for modifier in given.pop("modifiers", ()):
        name = MODIFIED_ROLLS.get(modifier.of, "modifiers")
        given[name] = (*given.get(name, ()), modifier)
    names = [name for name, rule in known.items() if given.get(name, rule.value.usual) != rule.value.usual]
    for name in names:
        for other in known[name].excludes:
            if other in names:
                raise MathhammerError(f"expected {name} or {other}, got both; the one excludes the other")
    return {name: given[name] for name in names}


_PLAIN = Situation()


def read_situation(keywords: Mapping[str, object]) -> Situation:
    """Return the situation that the keywords describe."""
    return Situation(**cast("SituationKeywords", keywords)) if keywords else _PLAIN


def _read_back(keywords: Mapping[str, object], shared: frozenset[str]) -> Situation:
    return read_situation(keywords).sharing(shared)


def takes_situation(function: Callable[..., _Result]) -> Callable[..., _Result]:
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


COPIES = re.compile(r"\s*(-?\d{1,99})\s*[x×]\s*", re.IGNORECASE)
#: A number of weapons, the x forgotten.
_UNCOUNTED = re.compile(r"\s*(\d{1,99})\s+([^\W\d][^:]*):")
_UNNAMED = "mortal wounds"
_MORTAL = re.compile(r"(.+?) mortal wounds?(?: \((.*)\))?|(\S+)(?: (.*))?", re.IGNORECASE)
_MORTAL_LINE = re.compile(r".+ mortal wounds?(?: \(.*\))?\s*", re.IGNORECASE)


def _number(value: int | str | Expression) -> Expression:
    number = dice(value) if isinstance(value, str) else as_expression(value)
    if number.bounds()[0] < 0:
        raise MathhammerError(f"expected a number of mortal wounds of 0 or more, got {shown(str(number))}")
    return number


@dataclass(frozen=True, init=False, repr=False)
class Volley(Named):
    """Some equal weapons used in one situation.

    Parameters
    ----------
    weapon
        The profile.
    count
        How many such weapons.
    **situation
        What is true of this volley: see :class:`mathhammer.wh40k.SituationKeywords`.

    Examples
    --------
    >>> melta = Weapon("Melta rifle", range='18"', attacks=1, skill=3, strength=9, ap=-4, damage="D6",
    ...                keywords="Melta 2")
    >>> Volley(melta, 3, half_range=True).count
    3
    """

    weapon: Weapon
    count: int
    situation: Mapping[str, Any]

    def __init__(self, weapon: Weapon, count: int = 1, /, **situation: Unpack[SituationKeywords]) -> None:
        if not isinstance(weapon, Weapon):
            raise MathhammerError(f"expected a Weapon in a Volley, got {shown(weapon)}")
        number = count if type(count) is int else validation.as_whole(count)
        if number is None or number < 1:
            raise MathhammerError(f"expected a number of weapons of 1 or more, got {shown(count)}")
        if situation:
            situation = validation.plain(situation)
            read = read_situation(situation)
            if "reroll" in read.keywords:  # of a plan its policy: its numbers are those of another attack
                situation = {**situation, "reroll": read.keywords["reroll"]}
        object.__setattr__(self, "weapon", weapon)
        object.__setattr__(self, "count", number)
        object.__setattr__(self, "situation", situation)

    def __hash__(self) -> int:
        return hash((self.weapon, self.count, tuple(self.situation)))

    def __str__(self) -> str:
        situation = format_items(self.situation)
        return f"{self.count} × {self.weapon}{f' ({situation})' if situation else ''}"


class MortalWounds(Record):
    """Mortal wounds that a unit inflicts without an attack: a stratagem, an ability.

    Those of a unit come after its normal damage, one at a time, and spill over from model to model.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> rifle = wh40k.Weapon.parse("Rifle: A1 BS3+ S4 AP0 D2")
    >>> marines = wh40k.Target("Marines", toughness=4, save=None, wounds=2, models=5)
    >>> hex = wh40k.MortalWounds(1, "Hex")
    >>> both = wh40k.attack([hex, wh40k.Volley(rifle, 2)], marines, edition="10e", exact=True)
    >>> both.state.pmf((2, 1)), both.mortal_wounds.mean()
    (1/9, 1)

    References
    ----------
    Warhammer 40,000 10th edition core rules, Mortal Wounds; core stratagems, Grenade and Tank Shock.
    """

    number: Checked[Expression, int | str | Expression] = Checked(
        _number, "A number from 0 on, or dice.", kw_only=False
    )
    source: Text = Text(
        "The rule that they come from.", label="the source of mortal wounds", default=_UNNAMED, kw_only=False
    )

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what ``str`` writes, or what a player says: ``"D3 mortal wounds (Hex)"``, ``"D3 Hex"``."""
        match = _MORTAL.fullmatch(validation.typed(text, "mortal wounds", "such as 'D3 Hex'").strip())
        if match is None or COPIES.match(text):
            once = "such as 'D3 mortal wounds (Grenade)', each time they are inflicted by itself"
            raise ParseError(f"expected mortal wounds {once}", text, 0)
        return cls(match[1] or match[3], match[2] or match[4] or _UNNAMED)

    def __str__(self) -> str:
        return f"{self.number} mortal wounds" + (f" ({self.source})" if self.source != _UNNAMED else "")


Weapons = Weapon | Volley | MortalWounds | str | Sequence[Weapon | Volley | MortalWounds | str]

#: A weapon, how many of them, and what is true of them; or mortal wounds.
Entry = tuple[Weapon, int, Situation] | MortalWounds


def read_entries(volleys: Sequence[Volley | MortalWounds], situation: Mapping[str, object]) -> list[Entry]:
    """Return what each entry is in a situation that holds unless it says otherwise."""
    shared = set(shared_reroll(situation)) if situation else set()
    if shared:
        attacks = [each for each in volleys if isinstance(each, Volley)]
        shared = {name for name in shared if sum(name not in volley.situation for volley in attacks) > 1}
    found: list[Entry] = []
    for each in volleys:
        if isinstance(each, MortalWounds):
            found.append(each)
            continue
        at = read_situation({**situation, **each.situation})
        if shared:
            at = at.sharing(frozenset(shared - each.situation.keys()))
        found.append((each.weapon, each.count, at))
    return found


def own_keywords(volley: Volley, situation: Mapping[str, object]) -> dict[str, Any]:
    """Return what is true of a volley in a situation, without the one re-roll that is the whole unit's."""
    shared = shared_reroll(situation)
    return {**{name: x for name, x in situation.items() if name not in shared}, **volley.situation}


def read_volley(text: str, count: int = 1, /, **situation: Unpack[SituationKeywords]) -> Volley:
    """Return the volley of a stat line such as ``"5x Rifle: A2 BS3+ S4 AP0 D1"``, of `count` where it says none."""
    copies = COPIES.match(text)
    if copies is None and (read := _UNCOUNTED.match(text)):
        number, name = read[1], read[2].strip()
        raise MathhammerError(
            f"expected a number of weapons with an x or a name, got {shown(f'{number} {name}')}; write "
            f"{shown(f'{number}x {name}')} for {number} of them, {shown(f'1x {number} {name}')} for one of that name"
        )
    weapon = Weapon.parse(text[copies.end() if copies else 0 :])
    return Volley(weapon, int(copies[1]) if copies else count, **situation)


def as_volleys(weapons: Weapons, count: int) -> list[Volley | MortalWounds]:
    """Return volleys and mortal wounds; what says no number of its own is a volley of `count`."""
    if isinstance(weapons, Weapon):
        return [Volley(weapons, count)]
    given: Any = [weapons] if isinstance(weapons, Volley | MortalWounds | str) else weapons
    if not isinstance(given, Sequence):
        expected = "a Weapon, a Volley, a stat line, several of them or a Unit of an army"
        raise MathhammerError(f"expected {expected}, got {shown(weapons)}")
    if not given:
        raise MathhammerError("expected at least one weapon or volley, got none")
    found = [_entry(each, count) for each in given]
    if count != 1 and found == [_entry(each, 1) for each in given]:
        raise MathhammerError(
            f"expected a weapon without a number for a count of {shown(count)}, got {shown(str(given[0]))}; "
            "leave out the count, or the number before the weapon"
        )
    return found


def _entry(given: Any, count: int) -> Volley | MortalWounds:
    if isinstance(given, str):
        return MortalWounds.parse(given) if _MORTAL_LINE.fullmatch(given) else read_volley(given, count)
    return given if isinstance(given, Volley | MortalWounds) else Volley(given, count)
