"""Units in a round of combat: what they strike with, what they lose, and how they score and hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.display import Named, listed, told
from mathhammer.errors import MathhammerError
from mathhammer.sequence import Pool, SharedPools
from mathhammer.systems.t9a.profiles import CHAMPION, RANK_AND_FILE, ModelPart, Target, whole
from mathhammer.systems.t9a.rolls import MOST_INSTANCES
from mathhammer.systems.t9a.situation import read_situation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.systems.t9a.editions import Edition

__all__ = ["Unit"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Unit(Named):
    """One side of a round of combat.

    Parameters
    ----------
    target
        How the unit is struck; its name is the unit's.
    parts
        What it strikes with; Special Attacks are among them.
    discipline
        For the Break Test.
    characters
        Characters in the unit, each with a Health Pool of its own and a name that attacks are allocated to.
    charging
        Whether it charged in this turn.
    rank_width
        Models in a rank, from which Full Ranks follow as models are lost; Champion and characters stand among them.
    rank_bonus
        The Rank Bonus, if it is not to follow from `rank_width`.
    standards
        Standards and Battle Standards.
    flanks
        Flanks or rears of the enemy that it is engaged with; each counts the edition's bonus.
    bonus
        Other Combat Score.
    afraid
        Whether it failed its Fear test in this round.
    steadfast
        Whether it is; None if that follows from the Full Ranks of both sides.
    stubborn, steady, solid, modifier, commanding_presence, minimised, maximised, reroll
        Of its Break Test: see `break_test`.
    test
        The same options as they are handed to `break_test`.
    unstable, undead
        Whether it loses Health Points instead of taking a Break Test, rank and file first; with `undead` these are
        lessened by Stubborn, Steadfast, and the Rank Bonus or a standard.
    situation
        What else is true of its attacks, by the keywords of `attack`.

    Examples
    --------
    >>> from mathhammer import t9a
    >>> part = t9a.ModelPart("spear", attacks=1, models=10, offensive_skill=3, strength=3)
    >>> guards = Unit(t9a.Target("guards", models=20, defensive_skill=3, resilience=3), part, rank_width=5)
    >>> guards.target.models, guards.rank_width
    (20, 5)
    """

    target: Target
    parts: tuple[ModelPart, ...]
    discipline: int
    characters: tuple[Target, ...]
    charging: bool
    rank_width: int | None
    rank_bonus: int | None
    standards: int
    flanks: int
    bonus: int
    afraid: bool
    steadfast: bool | None
    stubborn: bool
    steady: bool
    solid: bool
    unstable: bool
    undead: bool
    test: Mapping[str, Any]
    situation: Mapping[str, Any]

    def __init__(
        self,
        target: Target,
        parts: ModelPart | Sequence[ModelPart] = (),
        /,
        *,
        discipline: int = 7,
        characters: Sequence[Target] = (),
        charging: bool = False,
        rank_width: int | None = None,
        rank_bonus: int | None = None,
        standards: int = 0,
        flanks: int = 0,
        bonus: int = 0,
        afraid: bool = False,
        steadfast: bool | None = None,
        stubborn: bool = False,
        steady: bool = False,
        solid: bool = False,
        unstable: bool = False,
        undead: bool = False,
        modifier: int = 0,
        commanding_presence: int | None = None,
        minimised: int = 0,
        maximised: int = 0,
        reroll: bool = False,
        situation: Mapping[str, Any] | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "target", target)
        given = (parts,) if isinstance(parts, ModelPart) else parts
        put(self, "parts", validation.items(given, ModelPart, "ModelParts as the parts of a Unit"))
        put(self, "discipline", whole("discipline", discipline, 0))
        put(self, "characters", validation.items(characters, Target, "Targets in a list as characters"))
        put(self, "charging", validation.flag(charging, "charging"))
        put(self, "rank_width", None if rank_width is None else whole("rank_width", rank_width, 1))
        put(self, "rank_bonus", None if rank_bonus is None else whole("rank_bonus", rank_bonus, 0))
        put(self, "standards", whole("standards", standards, 0))
        put(self, "flanks", whole("flanks", flanks, 0))
        put(self, "bonus", validation.whole(bonus, "bonus"))
        put(self, "afraid", validation.flag(afraid, "afraid"))
        put(self, "steadfast", None if steadfast is None else validation.flag(steadfast, "steadfast"))
        put(self, "stubborn", validation.flag(stubborn, "stubborn"))
        put(self, "steady", validation.flag(steady, "steady"))
        put(self, "solid", validation.flag(solid, "solid"))
        put(self, "unstable", validation.flag(unstable, "unstable"))
        put(self, "undead", validation.flag(undead, "undead"))
        put(
            self,
            "test",
            {
                "modifier": validation.whole(modifier, "modifier"),
                "commanding_presence": None
                if commanding_presence is None
                else whole("commanding_presence", commanding_presence, 0),
                "minimised": validation.whole(minimised, "minimised", 0, MOST_INSTANCES),
                "maximised": validation.whole(maximised, "maximised", 0, MOST_INSTANCES),
                "reroll": validation.flag(reroll, "reroll"),
            },
        )
        keywords = validation.mapping({} if situation is None else situation, "the situation by keyword")
        read_situation(keywords)
        put(self, "situation", dict(keywords))
        self._check()

    def _check(self) -> None:
        if not isinstance(self.target, Target):
            raise MathhammerError(f"expected a Target as the body of a Unit, got {self.target!r}")
        names = [RANK_AND_FILE, CHAMPION, *(character.name for character in self.characters)]
        if len(set(names)) != len(names):
            raise MathhammerError(f"expected different names of characters, got {names[2:]!r}")
        for character in self.characters:
            if character.models != 1 or character.champion is not None:
                raise MathhammerError(f"expected one model as the character {character.name!r}")
        for part in self.parts:
            if part.kind == "shooting":
                raise MathhammerError(
                    f"expected attacks of a round of combat, got the shots of {part.name!r}"
                )
            self.place(part.of, f"{part.name!r} is a part of")

    @property
    def name(self) -> str:
        """Name of the unit."""
        return self.target.name

    def __str__(self) -> str:
        others = told(self, "target", "parts", "test")
        parts = "".join(f"; {part}" for part in self.parts)
        return f"{self.target}{parts}; {others}{f'; {test}' if (test := listed(self.test)) else ''}"

    def bodies(self) -> tuple[tuple[str, Target], ...]:
        """Return all that have a Health Pool, in order: name and how it is struck."""
        champion = ((CHAMPION, self.target),) if self.target.champion is not None else ()
        return (
            (RANK_AND_FILE, self.target),
            *champion,
            *((character.name, character) for character in self.characters),
        )

    def place(self, name: str, what: str) -> int:
        """Return the index of the pool of that name.

        Raises
        ------
        MathhammerError
            If the unit has none.
        """
        names = [body for body, _ in self.bodies()]
        if name not in names:
            raise MathhammerError(
                f"expected one of {', '.join(map(repr, names))} in {self.name!r}; {what} {name!r}"
            )
        return names.index(name)

    def pools(self, rules: Edition) -> SharedPools:
        """Return the Health Pools of the unit."""
        body = self.target.pools(rules)
        characters = tuple(
            Pool(character.name, 1, character.health_points, character.lost) for character in self.characters
        )
        return SharedPools((*body.pools, *characters), body.spilling)

    def present(self, part: ModelPart, pools: SharedPools, lost: Sequence[int]) -> int:
        """Return how many model parts of a kind are left to strike."""
        place = self.place(part.of, f"{part.name!r} is a part of")
        pool = pools.pools[place]
        left = -(-(pool.left - lost[place]) // pool.wounds)
        if part.of != RANK_AND_FILE:
            return part.models if left else 0
        return max(0, min(left - part.behind, part.models))

    def full_ranks(self, pools: SharedPools, lost: Sequence[int]) -> int | None:
        """Return the Full Ranks that are left, or None if the unit has no rank width."""
        if self.rank_width is None:
            return None
        standing = sum(
            -(-(pool.left - gone) // pool.wounds) for pool, gone in zip(pools.pools, lost, strict=True)
        )
        return standing // self.rank_width

    def ranks_score(self, ranks: int | None, rules: Edition) -> int:
        """Return the Rank Bonus: one for each Full Rank after the first, up to a cap."""
        if self.rank_bonus is not None:
            return min(self.rank_bonus, rules.rank_bonus_cap)
        return 0 if ranks is None else max(0, min(ranks - 1, rules.rank_bonus_cap))

    def static_score(self, rules: Edition) -> int:
        """Return the Combat Score that no blow changes."""
        return int(self.charging) + self.standards + self.flanks * rules.flank_bonus + self.bonus
