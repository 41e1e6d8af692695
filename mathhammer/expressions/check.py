"""A check: one D6 against a target number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Check", "Outcome", "Reroll", "reroll_faces"]

Outcome = Literal["fail", "success", "critical"]
Reroll = Literal["ones", "failed", "non-critical"] | frozenset[int] | None

_FACES = range(1, 7)


@dataclass(frozen=True, slots=True)
class Check:
    """One D6 test: fail, success or critical success, judged face by face.

    Parameters
    ----------
    need
        The target number: the modified roll must reach it.
    modifier
        Added to the roll, after every cap.
    fails_up_to
        Unmodified faces up to this one always fail.
    succeeds_from
        Unmodified faces from this one on always succeed; 7 for none.
    criticals
        Pairs of an unmodified face and whether the roll must also succeed: from that face on it is critical.
        A critical that need not succeed always succeeds.
    reroll
        Which faces are re-rolled, once.

    Examples
    --------
    >>> hit = Check(need=3, modifier=-1, criticals=((6, False),), reroll="ones")
    >>> hit.weights()
    (15, 14, 7)
    """

    need: int
    modifier: int = 0
    fails_up_to: int = 1
    succeeds_from: int = 7
    criticals: tuple[tuple[int, bool], ...] = ()
    reroll: Reroll = None

    def outcome(self, face: int) -> Outcome:
        """Judge one unmodified face."""
        if face <= self.fails_up_to:
            return "fail"
        success = face >= self.succeeds_from or face + self.modifier >= self.need
        for threshold, must_succeed in self.criticals:
            if face >= threshold and (success or not must_succeed):
                return "critical"
        return "success" if success else "fail"

    def outcomes(self) -> tuple[Outcome, ...]:
        """Judge the faces 1 to 6."""
        return tuple(self.outcome(face) for face in _FACES)

    def weights(self) -> tuple[int, int, int]:
        """Return weights of fail, success and critical, out of 36: a die and its possible re-roll."""
        outcomes = self.outcomes()
        faces = reroll_faces(self.reroll, outcomes)
        fail = success = critical = 0
        for face, outcome in enumerate(outcomes, 1):
            # A face stands if it is first rolled and kept, or if it is the result of a re-roll.
            weight = len(faces) if face in faces else len(faces) + 6
            if outcome == "fail":
                fail += weight
            elif outcome == "success":
                success += weight
            else:
                critical += weight
        return fail, success, critical


def reroll_faces(reroll: Reroll, outcomes: tuple[Outcome, ...]) -> frozenset[int]:
    """Return the faces that a way of re-rolling re-rolls.

    ``"ones"`` are unmodified ones, ``"failed"`` every face that fails as modified, ``"non-critical"`` every
    face that is not critical.
    """
    if reroll is None:
        return frozenset()
    if reroll == "ones":
        return frozenset((1,))
    if reroll == "failed":
        return frozenset(face for face, outcome in enumerate(outcomes, 1) if outcome == "fail")
    if reroll == "non-critical":
        return frozenset(face for face, outcome in enumerate(outcomes, 1) if outcome != "critical")
    return reroll
