"""A check: one D6 against a target number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Check", "Outcome", "Reroll", "reroll_faces"]

Outcome = Literal["fail", "success", "critical"]
Reroll = Literal["ones", "failed", "non-critical"] | frozenset[int] | None

_FACES = (1, 2, 3, 4, 5, 6)
_KINDS: tuple[Outcome, ...] = ("fail", "success", "critical")


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

    def outcomes(self) -> tuple[Outcome, ...]:
        """Judge the unmodified faces 1 to 6.

        Examples
        --------
        >>> Check(need=5, criticals=((6, False),)).outcomes()
        ('fail', 'fail', 'fail', 'fail', 'success', 'critical')
        """
        reached = min(self.succeeds_from, self.need - self.modifier)
        judged: list[Outcome] = []
        for face in _FACES:
            outcome: Outcome = "success" if face >= reached else "fail"
            for threshold, must_succeed in self.criticals:
                if face >= threshold and (outcome == "success" or not must_succeed):
                    outcome = "critical"
                    break
            judged.append("fail" if face <= self.fails_up_to else outcome)
        return tuple(judged)

    def weights(self) -> tuple[int, int, int]:
        """Return weights of fail, success and critical, out of 36: a die and its possible re-roll."""
        outcomes = self.outcomes()
        fail, success, critical = (6 * outcomes.count(kind) for kind in _KINDS)
        if self.reroll is None:
            return fail, success, critical
        # A face stands if it is rolled at first and kept, or if it is the result of a re-roll.
        faces = reroll_faces(self.reroll, outcomes)
        first = [outcomes[face - 1] for face in faces]
        again = len(faces)
        return (
            fail + again * fail // 6 - 6 * first.count("fail"),
            success + again * success // 6 - 6 * first.count("success"),
            critical + again * critical // 6 - 6 * first.count("critical"),
        )


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
