"""One side of a turn: a unit, what its models carry, and what it does."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from mathhammer import validation
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.fields.kinds import Boolean, Checked, Field
from mathhammer.fields.profile import Record
from mathhammer.sequence.volley import MAXIMUM_ATTACKS
from mathhammer.systems.wh40k.attacks.unit_rolls import read_leadership, read_roll
from mathhammer.systems.wh40k.profiles.keywords import parse_keywords
from mathhammer.systems.wh40k.profiles.profiles import Target
from mathhammer.systems.wh40k.profiles.targets import Gifts, TargetUnit, read_gifts, read_target
from mathhammer.systems.wh40k.sequence.compile import kinds_of
from mathhammer.systems.wh40k.situation import MortalWounds, Situation, Volley, Weapons, as_volleys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mathhammer.systems.wh40k.profiles.targets import Attackable


_PHASES = ("shooting", "melee")
#: Number of weapons of each volley that are used, in the order of the volleys.
Loadout = tuple[int, ...]


def _of_no_army(given: Any) -> Any:
    """Refuse a unit of an army, whose weapons and rules would be lost."""
    from mathhammer.systems.wh40k.armies.unit import Unit

    if isinstance(given, Unit):
        raise MathhammerError(
            f"a turn does not know the rules of an army (got {given.name!r}); give its models, "
            "unit.as_target_unit(), and its weapons with what is true of them: shooting=[...], melee=[...]"
        )
    return given


class Carried(Field[tuple[Volley | MortalWounds, ...], Weapons]):
    """Weapons, each of which is used in its own phase."""

    accepts = "Weapons"
    usual = ()

    def read(self, value: Any) -> tuple[Volley | MortalWounds, ...]:
        """Return volleys."""
        if isinstance(value, (list, tuple)) and not value:
            return ()
        volleys = tuple(as_volleys(_of_no_army(value), 1))
        for volley in volleys:
            if isinstance(volley, Volley) and volley.count > MAXIMUM_ATTACKS:  # each is carried by a model
                raise TooLargeError(
                    f"expected at most {MAXIMUM_ATTACKS:,} of a weapon, got {volley.count:,}; use fewer weapons"
                )
        return volleys

    def argument(self, value: Any) -> tuple[str | Volley | MortalWounds, ...]:
        """Return weapons as lines where nothing else is said of them."""
        return tuple(
            f"{each.count}x {each.weapon}" if isinstance(each, Volley) and not each.situation else each
            for each in value
        )


class Combatant(Record):
    """A unit that attacks and is attacked in the same turn.

    Its models carry the weapons in the order in which both are listed: ``9x Chainsword`` and ``1x Power fist`` are
    ten models with one weapon each, and ``10x Pistol`` after them gives each of the ten another. Fewer weapons than
    models, at the end of the list, are those of the last models. A model that is no Monster or Vehicle shoots with its
    Pistols (Close-quarters weapons) where it is engaged, and with its other guns where it is not.

    Examples
    --------
    >>> marines = Combatant("10x T4 Sv3+ W2", melee=["9x Chainsword: A4 WS3+ S4 AP-1 D1", "Fist: A3 WS3+ S8 AP-2 D2"])
    >>> marines.loadout("melee", [4])  # the one with the fist is removed last
    (3, 1)

    References
    ----------
    Warhammer 40,000 10th edition core rules, Allocate Attack, and 11th edition core rules, 05.04: the player of the
    unit chooses among equal models.
    """

    unit: Checked[Target | TargetUnit, Attackable] = Checked(
        lambda unit: unit if isinstance(unit, (Target, TargetUnit)) else read_target(_of_no_army(unit)),
        "The models: a stat line, a label of the default edition, a :class:`Target` or a :class:`TargetUnit`.",
        kw_only=False,
    )
    shooting: Carried = Carried(
        "Its weapons; melee weapons among them are used to fight. They are given as for "
        ":func:`mathhammer.wh40k.attack`."
    )
    melee: Carried = Carried("The weapons that it fights with alike.")
    leadership: Checked[int | None, int | str | None] = Checked(
        lambda value: None if value is None else read_leadership(value),
        '``"7+"`` or ``7``; a unit without takes no battle-shock roll.',
        default=None,
    )
    fights_first: Boolean = Boolean("Whether all its models have Fights First, apart from a charge.")
    fights_on_death: Checked[int | None, int | str | bool | None] = Checked(
        lambda value: (
            int(value or 0) or None
            if value is None or isinstance(value, bool)
            else read_roll(value, 1, 6, "a roll such as '4+' as fights_on_death")
        ),
        '``"4+"`` or ``4``: the roll on which a model that is destroyed in the fight before it has fought still '
        "fights. It does so at once in the 10th edition, with its unit in the 11th; ``True`` if it always does.",
        default=None,
    )
    removed: Checked[str, Literal["first", "last"]] = Checked(
        lambda value: validation.one_of(value, ("first", "last"), "removed"),
        'Which of equal models its player removes first: those whose weapons are listed ``"first"`` or ``"last"``.',
        default="first",
    )
    gifts: Checked[
        tuple[tuple[str, Gifts], ...],
        Mapping[str, Mapping[str, Any]] | Iterable[tuple[str, Iterable[tuple[str, Any]]]],
    ] = Checked(
        lambda value: value,
        "By the name of a kind of models what they give the weapons of the unit while one of them lives: keywords of "
        'the situation, and abilities: ``{"Captain": {"reroll_hits": "ones", "abilities": "LETHAL HITS"}}``.',
        default=(),
    )

    def _check(self) -> None:
        for each in self.weapons("melee"):
            if isinstance(each, Volley) and not each.weapon.melee:
                raise MathhammerError(
                    f"melee must be melee weapons (got {each.weapon.name}); list it in shooting=..."
                )
        listed = [(each, phase) for phase in _PHASES for each in self.weapons(phase)]
        used = [(each, _PHASES[each.weapon.melee] if isinstance(each, Volley) else at) for each, at in listed]
        for phase in _PHASES:
            self._put(phase, tuple(each for each, at in used if at == phase))
        found = []
        for giver, gift in read_gifts(self.gifts, [kind.name for kind in self.kinds]).items():
            abilities = gift.pop("abilities", ())
            read: dict[str, Any] = dict(Situation(**gift).keywords)
            if abilities:
                text = isinstance(abilities, str)
                read["abilities"] = parse_keywords(abilities) if text else tuple(abilities)
            found.append((giver, tuple(read.items())))
        self._put("gifts", tuple(found))

    @property
    def name(self) -> str:
        """Name of the unit."""
        return self.unit.name

    @property
    def kinds(self) -> tuple[Target, ...]:
        """Its kinds of models."""
        return kinds_of(self.unit)

    def weapons(self, phase: str) -> tuple[Volley | MortalWounds, ...]:
        """Return what it attacks with in a phase, ``"shooting"`` or ``"melee"``."""
        return self.melee if phase == "melee" else self.shooting

    def carried(self, phase: str) -> list[list[tuple[int, ...]]]:
        """Return for each kind of models, and each of them in the order of removal, the places of its weapons."""
        listed: list[int | None] = []
        for place, volley in enumerate(self.weapons(phase)):
            listed += [place] * (volley.count if isinstance(volley, Volley) else 0)
        number = sum(kind.models for kind in self.kinds)
        few = len(listed) % number
        place = len(listed) - few
        listed[place:place] = [None] * (number - few)  # the last models have the last weapons
        models = iter(tuple(x for x in listed[first::number] if x is not None) for first in range(number))
        found = [list(islice(models, kind.models)) for kind in self.kinds]
        return found if self.removed == "first" else [own[::-1] for own in found]

    def loadout(
        self, phase: str, alive: Sequence[int], uses: Callable[[Target, Loadout], Iterable[int]] | None = None
    ) -> Loadout:
        """Return how many of each weapon are used when so many models of each kind are alive.

        `uses` says which of its weapons a model of a kind uses; without it all of them.
        """
        left = Counter(
            weapon
            for kind, models, number in zip(self.kinds, self.carried(phase), alive, strict=True)
            for weapons in models[len(models) - number :]
            for weapon in (weapons if uses is None else uses(kind, weapons))
        )
        return tuple(
            left[number] if isinstance(volley, Volley) else int(any(alive))
            for number, volley in enumerate(self.weapons(phase))
        )

    def given(self, alive: Sequence[int]) -> Gifts:
        """Return what is given to its weapons when so many models of each kind are alive."""
        living = {kind.name for kind, number in zip(self.kinds, alive, strict=True) if number}
        return tuple(each for giver, gift in self.gifts if giver in living for each in gift)

    def __str__(self) -> str:
        return f"{self.name}: {'; '.join(map(str, (self.unit, *self.shooting, *self.melee)))}"
