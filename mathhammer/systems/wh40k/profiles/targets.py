"""What is attacked: units of unequal models, leaders attached to bodyguards, and targets read from texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args, overload

from mathhammer import validation
from mathhammer.display import Displayed
from mathhammer.errors import MathhammerError, UnknownNameError
from mathhammer.fields.kinds import Checked, OneOf, Text
from mathhammer.fields.profile import Record
from mathhammer.sequence.group import Group
from mathhammer.sequence.grouped_unit import GroupedUnit
from mathhammer.sequence.unit import ModelUnit
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, rulebook
from mathhammer.systems.wh40k.profiles.profiles import Target, continues
from mathhammer.systems.wh40k.profiles.standard_targets import TARGETS, find_target
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mathhammer.display.panel import Panel
    from mathhammer.systems.wh40k.armies.unit import Unit
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.rules.rule import TargetRule
    from mathhammer.systems.wh40k.sequence.compile import Selection

#: What a player can want little or much of.
Objective = Literal["kills", "wounds_lost", "points", "probability_destroyed"]
OBJECTIVES: tuple[str, ...] = get_args(Objective)
#: What one kind of models gives its unit: arguments of a Target, or keywords of the situation and abilities.
Gifts = tuple[tuple[str, Any], ...]


class TargetUnit(Displayed, Record):  # type: ignore[misc] # shown as the first
    """A unit of several kinds of models, in the order in which its player allocates attacks to them.

    A model that has lost wounds, or to which an attack was allocated, comes first whatever the order given;
    attached leaders come last, and are attacked before only with Precision (Warhammer 40,000 10th edition core
    rules, Making Attacks and Leader). In the 11th edition kinds of equal Wounds, Save and invulnerable save are one
    group, and each Character is one of its own: all saves of identical attacks are rolled together and resolved from
    the lowest, a group at a time, those with a hurt model first (core rules, 05.03 and 05.04). Leaders are Characters
    there unless their keywords say otherwise; Toughness is that of the other models while one is alive.

    Examples
    --------
    >>> boys = Target("Boy", toughness=5, save="5+", wounds=1, models=9, keywords="Infantry")
    >>> nob = Target("Nob", toughness=5, save="4+", wounds=2, keywords="Infantry")
    >>> warboss = Target("Warboss", toughness=6, save="4+", invulnerable="5+", wounds=6, keywords="Character")
    >>> mob = TargetUnit("Mob", [boys, nob], leaders=[warboss])
    >>> mob.toughness, mob.model_count
    (5, 11)
    """

    name: Text = Text("Any text.", label="the name of a unit", kw_only=False)
    models: Checked[tuple[Target, ...], Sequence[Target]] = Checked(
        lambda value: value,
        "The kinds of models, each a :class:`Target` with the number of its models.",
        default=(),
        kw_only=False,
    )
    leaders: Checked[tuple[Target, ...], Sequence[Target]] = Checked(
        lambda value: value,
        "Models of attached units, whose Toughness does not count. They are Characters, unless they have keywords "
        "without that one: the attendants of a Character.",
        default=(),
        kw_only=False,
    )
    allocation: OneOf[Literal["given", "best", "worst"]] = OneOf(
        '``"given"``: in the order of the kinds, where the rules leave a choice. ``"best"``: as is best for the '
        "unit's player, who decides anew each time, knowing the wounds of the volley and the devastating ones still "
        'to come; in the 11th edition before the saves of a pool. ``"worst"``: as is worst for them.',
        "given",
        "best",
        "worst",
        default="given",
    )
    objective: OneOf[Objective] = OneOf(
        'What is best and worst: the least mean of ``"kills"``, ``"wounds_lost"`` or ``"points"``, or the least '
        '``"probability_destroyed"``.',
        *OBJECTIVES,
        default="kills",
    )
    gifts: Checked[
        tuple[tuple[str, Gifts], ...],
        Mapping[str, Mapping[str, Any]] | Iterable[tuple[str, Iterable[tuple[str, Any]]]],
    ] = Checked(
        lambda value: value,
        "By the name of a kind what its models give the whole unit, as arguments of a :class:`Target`: "
        '``{"Priest": {"feel_no_pain": "5+"}}``. A gift ends when the unit that destroyed the last of them has '
        "attacked.",
        default=(),
    )

    def _check(self) -> None:
        name = self.name
        for field in ("models", "leaders"):
            expected = f"Targets in a list as the {field} of {name!r}"
            kinds = validation.items(getattr(self, field), Target, expected)
            self._put(field, kinds)
        if not self.models:
            raise MathhammerError(f"expected at least one kind of models in {name!r}, got none")
        names = [kind.name for kind in self.kinds]
        if len(set(names)) < len(names):
            every = f"{name!r}, got {', '.join(names)}; give each a name of its own"
            raise MathhammerError(f"expected kinds of models with different names in {every}")
        if self.allocation != "given" and self.objective == "points" and self.points is None:
            raise MathhammerError(f"expected points of every kind in {name!r} to count points by, got none")
        gifts = []
        for giver, given in read_gifts(self.gifts, names).items():
            rules = rulebook().target_rules.items()
            for gift in given:
                validation.one_of(
                    gift, ("invulnerable", *(rule for rule, row in rules if not row.once)), "a gift"
                )
            read = Target(giver, toughness=1, save=None, wounds=1, **given)
            gifts.append((giver, tuple((gift, getattr(read, gift)) for gift in given)))
        self._put("gifts", tuple(gifts))

    @property
    def kinds(self) -> tuple[Target, ...]:
        """All kinds in order, leaders last."""
        return (*self.models, *self.leaders)

    @property
    def toughness(self) -> int:
        """The highest Toughness of models that are no leaders, as in the 10th edition (Rules Commentary, Toughness)."""
        return toughness_of([(kind.toughness, kind.models) for kind in self.models], majority=False)

    @property
    def model_count(self) -> int:
        """Number of models, leaders included."""
        return sum(kind.models for kind in self.kinds)

    @property
    def keywords(self) -> tuple[str, ...]:
        """Every keyword of any of its models."""
        return tuple(dict.fromkeys(keyword for kind in self.kinds for keyword in kind.keywords))

    @property
    def points(self) -> int | None:
        """Cost of the whole unit, if the cost of every kind is known."""
        points = [kind.points for kind in self.kinds]
        return None if None in points else sum(points)  # type: ignore[arg-type] # no None in it

    def _line(self) -> str:
        return f"{self.name}: {'; '.join(map(str, self.kinds))}"

    def _panel(self) -> Panel:
        from mathhammer.display.panel import Panel, TablePart

        rows = [[str(kind), "leader" if kind in self.leaders else "model"] for kind in self.kinds]
        facts = {"models": self.model_count, "Toughness": self.toughness, "allocation": self.allocation}
        facts |= {} if self.points is None else {"points": self.points}
        table = TablePart(["in the order of allocation", "as"], rows, "<<")
        return Panel(self.name, {name: str(each) for name, each in facts.items()}, [table])

    def effective_target(
        self,
        kind: Target,
        edition: Edition,
        selection: Selection | None = None,
        living: tuple[bool, ...] | None = None,
    ) -> Target:
        """Return one kind as an attack meets it, with what the whole unit has when selected, or what is alive of it."""
        if selection is not None:
            models, toughness, keywords, shared, giving = selection
        else:
            kinds = [(each.toughness, each.models) for each in self.models]
            toughness = toughness_of(kinds, majority=edition.majority_toughness)
            models, keywords, giving = self.model_count, self.keywords, None
            shared = of_all_models(map(self.gifted, self.kinds), edition.target_rules)
        if living is not None and any(living):
            left = [*compress(self.kinds, living)]
            toughness = max(each.toughness for each in [*filter(self.models.__contains__, left)] or left)
            keywords = tuple(dict.fromkeys(keyword for each in left for keyword in each.keywords))
        whole = {"toughness": toughness, "models": models, "keywords": keywords, **dict(shared)}
        return self.gifted(kind, giving).changed(**whole, points=None)

    def gifted(self, kind: Target, giving: tuple[bool, ...] | None = None) -> Target:
        """Return one kind with the gifts that are in force, all of them unless said."""
        changed: dict[str, Any] = {}
        for _, gift in compress(self.gifts, giving or (True,) * len(self.gifts)):
            for name, value in gift:
                own = changed.get(name, getattr(kind, name))
                if isinstance(value, tuple):
                    changed[name] = tuple(dict.fromkeys((*own, *value)))
                else:  # duplicates do not add up: the best is used
                    best = min if own and name.startswith("feel_no_pain") else max
                    changed[name] = best(own or 0, value)
        return kind.changed(**changed) if changed else kind

    def giving(self, living: Iterable[Target]) -> tuple[bool, ...]:
        """Return which gifts are in force while these live: until the last giver is lost (11th edition app, 19.04)."""
        names = {kind.name for kind in living}
        return tuple(giver in names for giver, _ in self.gifts)

    def is_character(self, kind: Target) -> bool:
        """True for Characters, by keyword, and for leaders without known keywords."""
        known = kind.keywords or ("Character",) * (kind in self.leaders)
        return any(keyword.lower() == "character" for keyword in known)

    def save_groups(self) -> list[list[Target]]:
        """Return the kinds that save together, Characters alone and last (11th edition core rules, 05.03)."""
        found: dict[object, list[Target]] = {}
        for kind in self.kinds:
            alike = kind.wounds, kind.save, self.gifted(kind).invulnerable
            found.setdefault(kind.name if self.is_character(kind) else alike, []).append(kind)
        return sorted(found.values(), key=lambda group: self.is_character(group[0]))

    def states(self, edition: Edition, *, single_out: bool) -> ModelUnit:
        """Return the states of the unit; leaders can be in any of theirs where they can be singled out."""
        alone = self.kinds if edition.in_pools else self.leaders
        groups = tuple(
            Group(
                kind.name,
                kind.models,
                kind.wounds,
                kind.wounds_lost,
                kind in alone and self.is_character(kind),
                kind.damage_to_0,
            )
            for kind in self.kinds
        )
        chooses = self.allocation != "given"
        negates = self.allocation != "worst" and edition.chooses_negated
        if not edition.in_pools:
            return _states(groups, chooses, single_out, edition.wounded_leader_first, negates)
        if len(groups) == 1:  # nothing is to be ordered
            return _states(groups, choose_negated=negates)
        number = {kind.name: number for number, group in enumerate(self.save_groups()) for kind in group}
        return _grouped(
            groups,
            chooses or edition.orders_groups,
            single_out,
            choose_negated=negates,
            allocation=tuple(number[kind.name] for kind in self.kinds),
            directs_again=edition.second_precision,
        )

    def precision_groups(
        self,
        precision: bool | str,  # noqa: FBT001 - as the situation has it
        *,
        characters: bool = False,
    ) -> tuple[int, ...]:
        """Return the groups at the first living one of which Precision is directed: the Character named, or all."""
        who = self.kinds if characters else self.leaders
        names = {
            kind.name: place
            for place, kind in enumerate(who, len(self.kinds) - len(who))
            if self.is_character(kind)
        }
        if precision is True or precision == "best":
            return tuple(names.values())
        if precision is not False and precision not in names:
            known = ", ".join(names) or "none"
            raise UnknownNameError(f"expected a leader of {known}; got {shown(precision)}")
        return () if precision is False else (names[precision],)


def read_gifts(gifts: object, givers: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return what kinds of models give their unit, by their names: mappings, or their items."""
    try:
        given = {name: dict(gift) for name, gift in dict(gifts).items()}  # type: ignore[call-overload] # or refused
    except (TypeError, ValueError):
        raise MathhammerError(
            f"expected a gift by the name of its giver, {{{givers[0]!r}: {{...}}}}, got {shown(gifts)}"
        ) from None
    for name in given:
        validation.one_of(name, givers, "the giver of a gift")
    return given


def gifted(target: Target | TargetUnit, living: Sequence[Target]) -> list[Target]:
    """Return the kinds of models of a target with what those that live give them."""
    if isinstance(target, Target):
        return [target]
    return [target.gifted(kind, target.giving(living)) for kind in target.kinds]


def require_objective(objective: str) -> None:
    """Refuse what is no objective."""
    validation.one_of(objective, OBJECTIVES, "objective")


def points_destroyed(kinds: Sequence[Target], kills: Sequence[Any]) -> Any:
    """Return the points of so many models of each kind, numbers or arrays; ``None`` where they are not known."""
    if any(kind.points is None for kind in kinds) or not any(kind.points for kind in kinds):
        return None
    return sum(killed * kind.points / kind.models for kind, killed in zip(kinds, kills, strict=True))


def of_all_models(kinds: Iterable[Target | None], rules: Mapping[str, TargetRule]) -> Gifts:
    """Return whether a unit has each of the rules that are in force only if all its models have them."""
    known = list(kinds)
    names = (name for name, rule in rules.items() if rule.of_all)
    return tuple((name, bool(known) and all(getattr(kind, name, False) for kind in known)) for name in names)


def toughness_of(models: Sequence[tuple[int, int]], *, majority: bool) -> int:
    """Return the highest Toughness of models, or that of most of them (9th edition, Mixed Unit, ties the highest)."""
    numbers: Counter[int] = Counter()
    for toughness, number in models:
        numbers[toughness] += number * majority
    return max(numbers, key=lambda toughness: (numbers[toughness], toughness))


#: The states of groups are explored once, not for each attack.
_states, _grouped = lru_cache(maxsize=256)(ModelUnit), lru_cache(maxsize=256)(GroupedUnit)


#: What may stand around a target in a text: blanks, and quotes that a shell left there.
_QUOTES = " \t\r\n\"'“”‘’"
#: What labels and the names of datasheets do not hold.
IN_STAT_LINE = re.compile(r"[\d:\[]")


def split_targets(text: str) -> list[str]:
    """Return the labels and stat lines of a text, with commas or semicolons between them and perhaps in quotes."""
    found: list[str] = []
    for part in filter(None, (each.strip(_QUOTES) for each in re.split(r"[,;](?![^\[]*\])", text))):
        if found and IN_STAT_LINE.search(found[-1]) and continues(found[-1], part):
            found[-1] += f", {part}"
        else:  # labels alone, or anything else
            words = part.upper().split()
            found += words if TARGETS.keys() >= {*words} else [part]
    return found


if TYPE_CHECKING:
    #: What can be attacked: texts are labels of standard targets or stat lines; several, or what `unit_of` is told, are
    #: one unit.
    Attackable: TypeAlias = Target | TargetUnit | Unit | str | Sequence[Target | str] | Mapping[str, Any]


@overload
def read_target(given: Target | str, edition: str | Edition = ...) -> Target: ...
@overload
def read_target(given: Attackable, edition: str | Edition = ...) -> Target | TargetUnit: ...
def read_target(given: Attackable, edition: str | Edition = DEFAULT_EDITION) -> Target | TargetUnit:
    """Return what is attacked: a target as it is, a unit of an army, the label of a standard target, a stat line."""
    if isinstance(given, Target | TargetUnit):
        return given
    if isinstance(given, str):
        return Target.parse(given) if IN_STAT_LINE.search(given) else find_target(given, edition)
    if isinstance(given, Mapping | list | tuple):
        about: Any = dict(given) if isinstance(given, Mapping) else {"models": given}
        known = ("models", "leaders", "allocation", "objective")
        if not about.get("models") or not about.keys() <= set(known):
            wanted = f"the models of a target, and no more than {', '.join(known[1:])}"
            raise MathhammerError(f"expected {wanted}; got {shown(given)}")
        return unit_of(**about, edition=edition)
    if hasattr(given, "as_target_unit") and not isinstance(given, type):  # of an army, a room above this one
        return given.as_target_unit()
    expected = "a Target, a TargetUnit, a Unit, the label of a standard target or a stat line"
    raise MathhammerError(f"expected {expected}; got {shown(given)}")


@validation.called
def unit_of(
    models: Sequence[Target | str],
    leaders: Sequence[Target | str] = (),
    *,
    allocation: Literal["given", "best", "worst"] = "given",
    objective: Objective = "kills",
    edition: str | Edition = DEFAULT_EDITION,
) -> Target | TargetUnit:
    """Return one unit of several kinds of models, named for them; a single kind is a target of its own.

    Parameters
    ----------
    models
        A label such as MEQ, or a stat line; several are the kinds of models of one unit, in the order in which they
        are attacked.
    leaders
        A leader attached to the unit: attacks reach it last.
    allocation
        Order in which the kinds are attacked: as given, or the best or worst for the unit's player.
    objective
        What is best or worst: as for a :class:`mathhammer.wh40k.TargetUnit`.
    edition
        Whose standard targets labels stand for.
    """
    expected = "kinds of models, each a Target, the label of a standard target or a stat line"
    given = [validation.items(some, (str, Target), expected) for some in (models, leaders)]
    for text in (*given[0], *given[1]):
        if isinstance(text, str) and len(split_targets(text)) > 1:
            remedy = "give each kind of models by itself"
            raise MathhammerError(f"expected one target, got {shown(text)}; {remedy}")
    kinds, characters = ([read_target(each, edition) for each in some] for some in given)
    require_objective(objective)
    name, leading = (" and ".join(each.name for each in some) for some in (kinds, characters))
    if len(kinds) != 1 or characters:
        how: Any = {"allocation": allocation} | ({} if allocation == "given" else {"objective": objective})
        return TargetUnit(f"{name} with {leading}" if leading else name, kinds, characters, **how)
    if allocation != "given":
        expected = f"several kinds of models, or a leader, for allocation {shown(allocation)}"
        raise MathhammerError(f"expected {expected}; equal models have one order")
    alone: Target = kinds[0]
    return alone
