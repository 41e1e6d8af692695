"""A check, one D6 against a target number, and conditions on a value: which faces are re-rolled, which explode."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from mathhammer.errors import ParseError
from mathhammer.validation import pattern

if TYPE_CHECKING:
    from mathhammer.expressions.operations import Relation

Outcome = Literal["fail", "success", "critical"]
Reroll = Literal["ones", "failed", "failed-unmodified", "non-critical"] | frozenset[int] | None

_ON = r"(?P<unmodified>(?:unmodified|natural)\s+)?(?P<low>\d)(?:(?P<plus>\+)|\s*[-–]\s*(?P<high>\d))?"
_FACES = (1, 2, 3, 4, 5, 6)


class Check(NamedTuple):
    """One D6 test: fail, success or critical success, judged face by face."""

    #: The target number: the modified roll must reach it.
    need: int
    #: Added to the roll, after every cap.
    modifier: int = 0
    #: Unmodified faces up to this one always fail.
    fails_up_to: int = 1
    #: Unmodified faces from this one on always succeed; 7 for none.
    succeeds_from: int = 7
    #: Pairs of an unmodified face and whether the roll must also succeed: from that face on it is critical. A critical
    #: that need not succeed always succeeds.
    criticals: tuple[tuple[int, bool], ...] = ()
    #: Which faces are re-rolled, once.
    reroll: Reroll = None

    @lru_cache(maxsize=1024)  # noqa: B019 - there are few kinds of check
    def outcomes(self) -> tuple[Outcome, ...]:
        """Judge the unmodified faces 1 to 6."""
        reached = min(self.succeeds_from, self.need - self.modifier)

        def judge(face: int) -> Outcome:
            if face <= self.fails_up_to:
                return "fail"
            if any(face >= least and (face >= reached or not must) for least, must in self.criticals):
                return "critical"
            return "success" if face >= reached else "fail"

        return tuple(map(judge, _FACES))

    def weights(self) -> tuple[int, int, int]:
        """Return weights of fail, success and critical, out of 36: a die and its possible re-roll."""
        found = {"fail": 0, "success": 0, "critical": 0}
        for outcome, weight in zip(self.outcomes(), self.face_weights(), strict=True):
            found[outcome] += weight
        return found["fail"], found["success"], found["critical"]

    def rerolled(self) -> frozenset[int]:
        """Return the faces that are re-rolled."""
        outcomes = self.outcomes()
        if self.reroll == "failed-unmodified" and self.modifier:
            plain = self._replace(modifier=0).outcomes()
            return reroll_faces("failed", outcomes) & reroll_faces("failed", plain)
        return reroll_faces(self.reroll, outcomes)

    def face_weights(self) -> tuple[int, ...]:
        """Return the weights, out of 36, of the unmodified faces that stand: kept at first, or rolled again."""
        again = self.rerolled()
        return tuple([(0 if face in again else 6) + len(again) for face in _FACES])


class On(NamedTuple):
    """Results of a roll that a rule names: ``"6"``, ``"5+"``, ``"unmodified 6"``, ``"unmodified 1-3"``."""

    #: The results that it names; nothing as `high` for ``"5+"``.
    low: int
    high: int | None
    #: Whether it reads the face rather than the modified roll.
    unmodified: bool = False

    @classmethod
    def parse(cls, text: str | int) -> On:
        """Read the text of a rule."""
        match = pattern(_ON).fullmatch(str(text).strip())
        if match is None or (match["high"] and match["high"] < match["low"]):
            raise ParseError("expected a result such as '6', '5+', '1-3' or 'unmodified 6'", str(text), 0)
        low = int(match["low"])
        high = None if match["plus"] else int(match["high"] or low)
        return cls(low, high, bool(match["unmodified"]))

    def faces(self, check: Check) -> frozenset[int]:
        """Return the unmodified faces of a check on which it happens."""
        # A modified face is never below 1: Warhammer 40,000 Rules Commentary, Modifying Dice Rolls.
        results = {face: face if self.unmodified else max(1, face + check.modifier) for face in _FACES}
        most = max(results.values()) if self.high is None else self.high
        return frozenset(face for face, result in results.items() if self.low <= result <= most)

    def __str__(self) -> str:
        span = f"{self.low}+" if self.high is None else f"{self.low}"
        span += f"-{self.high}" if self.high not in {None, self.low} else ""
        return f"unmodified {span}" if self.unmodified else span


def reroll_faces(reroll: Reroll, outcomes: tuple[Outcome, ...]) -> frozenset[int]:
    """Return the faces that a way of re-rolling re-rolls."""
    if reroll is None or isinstance(reroll, frozenset):
        return reroll or frozenset()
    if reroll == "ones":
        return frozenset((1,))
    # Without a modifier what fails and what fails unmodified are one.
    kept = {"critical"} if reroll == "non-critical" else {"success", "critical"}
    return frozenset(face for face, outcome in enumerate(outcomes, 1) if outcome not in kept)


#: Relations of a condition, each beside its opposite.
_RELATIONS: tuple[Relation, ...] = ("=", "!=", "<", ">=")


@dataclass(frozen=True, slots=True)
class FaceCondition:
    """A set of whole numbers: ``1, 2``, ``not 6``, ``<4`` or ``4+``; they ascend, and the last two have one."""

    relation: Relation
    values: tuple[int, ...]

    def __call__(self, value: int) -> bool:
        """Return whether a value satisfies the condition."""
        if self.relation in {"<", ">="}:
            return (value < self.values[0]) == (self.relation == "<")
        return (value in self.values) == (self.relation == "=")

    def __invert__(self) -> FaceCondition:
        """Return the condition of all other values."""
        return FaceCondition(_RELATIONS[_RELATIONS.index(self.relation) ^ 1], self.values)

    def __str__(self) -> str:
        values = ", ".join(map(str, self.values))
        return {"=": values, "!=": f"not {values}", "<": f"<{values}", ">=": f"{values}+"}[self.relation]


def related(relation: str, value: int) -> FaceCondition:
    """Return the condition that a relation to a number is."""
    relation, value = {"<=": ("<", value + 1), ">": (">=", value + 1)}.get(relation, (relation, value))
    return FaceCondition(cast("Relation", relation), (value,))
