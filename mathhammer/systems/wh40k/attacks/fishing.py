"""The best faces to re-roll where any die may be: fishing for critical rolls."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

from mathhammer import validation
from mathhammer.display import Displayed, number
from mathhammer.systems.wh40k.attacks.attack import resolved
from mathhammer.systems.wh40k.attacks.result import objective_value
from mathhammer.systems.wh40k.editions import find_edition
from mathhammer.systems.wh40k.profiles.target_unit import require_objective
from mathhammer.systems.wh40k.sequence.compile import volleys_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mathhammer.arithmetic import P
    from mathhammer.display import Panel
    from mathhammer.systems.wh40k.attacks.attack import Attacking, VolleyOptions
    from mathhammer.systems.wh40k.attacks.result import AttackResult
    from mathhammer.systems.wh40k.profiles.target_unit import Objective
    from mathhammer.systems.wh40k.profiles.targets import Attackable
    from mathhammer.systems.wh40k.situation import SituationKeywords

Rolls = Literal["hits", "wounds"]
_ROLLS = ("hits", "wounds")
#: Values that differ by less are equally good: rounding shall not choose.
_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True, repr=False)
class Fishing(Displayed):
    """The best set of faces to re-roll, for every die of a roll.

    Parameters
    ----------
    faces
        The faces that are re-rolled, by roll.
    objective
        What is made as great as can be.
    value, failures, non_critical, without
        What it comes to with these faces, if failures are re-rolled, if all but critical rolls are (nothing in an
        edition without them), and without this re-roll.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> rifle = wh40k.Weapon.parse("Rifle: A6 BS3+ S4 AP0 D1 [LETHAL HITS]")
    >>> wall = wh40k.Target("Wall", toughness=12, save=None, wounds=100)
    >>> options = {"rolls": "hits", "objective": "wounds_lost", "edition": "10e", "exact": True}
    >>> found = wh40k.best_faces(rifle, wall, **options)
    >>> sorted(found.faces["hits"]), found.value, found.gain
    ([1, 2, 3, 4, 5], 9/4, 1/4)
    """

    faces: Mapping[str, frozenset[int]]
    objective: str
    value: Any
    failures: Any
    non_critical: Any
    without: Any

    @property
    def gain(self) -> Any:
        """Gain of the best faces over the re-roll of failures."""
        return self.value - self.failures

    def _line(self) -> str:
        said = "; ".join(
            f"{roll}: re-roll {', '.join(map(str, sorted(faces))) or 'nothing'}"
            for roll, faces in self.faces.items()
        )
        return f"{said} ({self.objective.replace('_', ' ')} {number(self.value)}, +{number(self.gain)})"

    def _panel(self) -> Panel:
        from mathhammer.display import Panel, Table

        rows = [
            ["the best faces", number(self.value)],
            ["failures", number(self.failures)],
            *([] if self.non_critical is None else [["all but critical rolls", number(self.non_critical)]]),
            ["nothing", number(self.without)],
        ]
        facts = {
            f"re-roll {roll} of": ", ".join(map(str, sorted(faces))) or "nothing"
            for roll, faces in self.faces.items()
        }
        table = Table(["what is re-rolled", self.objective.replace("_", " ")], rows, "<>")
        return Panel("Which faces to re-roll", facts, [table])


def best_faces(
    weapons: Attacking,
    target: Attackable,
    /,
    *,
    rolls: Rolls | Iterable[Rolls] = "wounds",
    objective: Objective = "kills",
    exact: bool = False,
    **options: Unpack[VolleyOptions[P]],
) -> Fishing:
    """Find the set of faces to re-roll that is best for this attack, where every die of a roll may be re-rolled.

    A successful roll that is not critical may be worth less than another try: for Lethal Hits, Sustained Hits or
    Devastating Wounds. All sets of faces are tried; each die is treated alike, whatever the others show.

    Parameters
    ----------
    weapons, target, exact, **options
        As for :func:`mathhammer.wh40k.attack`; with ``start`` the state that the target is in.
    rolls
        ``"hits"``, ``"wounds"`` or both: the rolls of which any die may be re-rolled, as with Twin-linked.
    objective
        What shall be great: the mean of ``"kills"``, ``"wounds_lost"`` or ``"points"``, or
        ``"probability_destroyed"``.

    Raises
    ------
    MathhammerError
        If a value does not fit the rules.

    Examples
    --------
    Failures first against a save of 3+, critical wounds alone against one of 2+:

    >>> from mathhammer import wh40k
    >>> gun = wh40k.Weapon.parse("Gun: A1 BS3+ S4 AP0 D2 [DEVASTATING WOUNDS, TORRENT]")
    >>> unit = {"toughness": 4, "wounds": 2, "models": 5}
    >>> for save in ("3+", "2+"):
    ...     target = wh40k.Target("Unit", save=save, **unit)
    ...     print(repr(wh40k.best_faces(gun, target, objective="wounds_lost", edition="10e", exact=True)))
    <Fishing wounds: re-roll 1, 2, 3 (wounds lost 0.83, +0)>
    <Fishing wounds: re-roll 1, 2, 3, 4, 5 (wounds lost 0.70, +0.04)>

    References
    ----------
    Warhammer 40,000 core rules, Re-rolls and Twin-linked: a successful roll may be re-rolled too.
    """
    chosen: list[str] = [rolls] if isinstance(rolls, str) else list(validation.items(rolls, str, "rolls"))
    for roll in chosen:
        validation.one_of(roll, _ROLLS, "rolls")
    require_objective(objective)

    def value(faces: Mapping[str, str | frozenset[int]]) -> Any:
        again = cast("SituationKeywords", {f"reroll_{roll}": each for roll, each in faces.items() if each})
        given: VolleyOptions[P] = {**options, **again}
        return objective_value(resolved(weapons, target, exact=exact, **given), objective)

    plain = resolved(weapons, target, exact=exact, **options)
    best: Any = None
    found: dict[str, frozenset[int]] = {}
    for sets in product(*(_sets(plain, roll) for roll in chosen)):
        faces = dict(zip(chosen, sets, strict=True))
        worth = value(faces)
        if best is None or worth > best + (0 if plain.exact else _TOLERANCE * abs(best)):
            best, found = worth, faces
    critical = find_edition(plain.edition).critical
    return Fishing(
        found,
        objective,
        best,
        value(dict.fromkeys(chosen, "failed")),
        value(dict.fromkeys(chosen, "non-critical")) if critical else None,
        objective_value(plain, objective),
    )


def _sets(plain: AttackResult[P], roll: str) -> list[frozenset[int]]:
    """Return the sets of faces worth trying, smaller ones first: faces that lead to the same go together."""
    alike: dict[tuple[object, ...], list[int]] = {}
    volleys = [each.stages[0].rolls for each in volleys_of(plain.compiled())]
    for face in range(1, 7):
        leads_to: list[object] = []
        for rolls in volleys:
            checks = [check for _, check in rolls.wounds] if roll == "wounds" else [rolls.hit]
            leads_to += [
                (check.outcomes()[face - 1], rolls.fired(roll[:-1], check, face))
                for check in checks
                if check is not None
            ]
        alike.setdefault(tuple(leads_to), []).append(face)
    groups = list(alike.values())
    sets = [
        frozenset(face for group in some for face in group)
        for size in range(len(groups) + 1)
        for some in combinations(groups, size)
    ]
    return sorted(sets, key=len)
