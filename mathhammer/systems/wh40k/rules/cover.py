"""Cover: its kinds, who has it, and what denies it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mathhammer.modifiers import Modifier
from mathhammer.systems.wh40k.rules.roll import Making, adds_once, sets, unless
from mathhammer.systems.wh40k.rules.rule import Ability, Condition
from mathhammer.systems.wh40k.rules.values import Kinds

if TYPE_CHECKING:
    from mathhammer.systems.wh40k.rules.rule import ActiveRule


@dataclass(frozen=True, slots=True)
class Cover:
    """One kind of cover."""

    #: ``"light"``.
    name: str
    #: The attacks that it protects from.
    against: Literal["ranged", "melee"]
    #: What it changes: the armour save, the hit roll, or the skill that the hit roll is made with.
    roll: Literal["save", "hit", "skill"]
    #: What it adds to that roll, or by how much it improves the skill.
    value: int
    #: Whether it is nothing against a model that charged.
    not_if_charged: bool = False
    #: The Save from which on it is of no use against AP 0, if there is one.
    exempt: int | None = None
    #: Whether that is tested on the printed Save and Armour Penetration.
    tests_printed: bool = False


@dataclass(slots=True, kw_only=True)
class Covered(Making):
    """A roll that cover may change."""

    melee: bool
    given: bool | frozenset[str] = False
    indirect: str = ""
    target_charged: str = ""
    denied_by: str = ""

    def cover(
        self, roll: str, save: tuple[int, int] = (7, 7), ap: tuple[int, int] = (0, 0)
    ) -> list[Modifier]:
        """Return what cover adds to a roll; Save and Armour Penetration are the modified and the printed ones."""
        if self.denied_by or not (self.given or self.indirect):
            return []
        found = []
        for index, cover in enumerate(self.edition.covers):
            # An edition with one kind of cover takes any for it; Indirect Fire gives it to a target without.
            named = isinstance(self.given, frozenset) and len(self.edition.covers) > 1
            present = cover.name in self.given if named else index == 0  # type: ignore[operator]
            if not present or cover.roll != roll or (cover.against == "melee") != self.melee:
                continue
            tested = save[cover.tests_printed], ap[cover.tests_printed]
            if cover.exempt is not None and tested[0] <= cover.exempt and tested[1] == 0:
                continue
            if cover.not_if_charged and self.target_charged:
                continue
            name = "benefit of cover" if cover.name == "cover" else f"{cover.name} cover"
            name = name if self.given else f"{name} from Indirect Fire"
            if cover.roll == "skill":
                found.append(Modifier("worsen", -cover.value, name, of="skill"))
            else:
                found.append(Modifier("add", cover.value, name))
        return found

    def why_no_cover(self, found: list[Modifier]) -> tuple[str, ...]:
        """Say why a target in cover has no benefit of it; nothing where it has, or where it is in none."""
        if self.melee or found or not (self.given or self.indirect):
            return ()
        if self.denied_by:
            return (f"no benefit of cover ({self.denied_by})",)
        exempt = [cover.exempt for cover in self.edition.covers if cover.exempt is not None]
        return (f"no benefit of cover (Save of {exempt[0]}+ or better against AP 0)",) if exempt else ()


def gives_cover(roll: Covered, _: ActiveRule[object]) -> None:
    """Give the benefit of cover to a target without."""
    roll.given = roll.given or True


def _denies(roll: Covered, each: ActiveRule[object]) -> None:
    roll.denied_by = each.rule.name


#: The kinds of cover of all editions.
_KINDS = ("light", "heavy", "dense")


def cover(*rolls: str) -> Condition:
    """Return the keyword of cover, which changes some rolls of an edition."""
    return Condition(
        "cover",
        source="core rules, Benefit of Cover; 9th edition core rules, Terrain Features",
        value=Kinds(names=_KINDS),
        group="Situation of the target",
        help="The target has the Benefit of Cover.",
        shown="cover: {}",
        idle=unless(
            lambda stages: (
                not stages.weapon.melee or any(c.against != "ranged" for c in stages.edition.covers)
            ),
            "has no effect here: a melee weapon",
        ),
        **dict.fromkeys(rolls, sets("given")),  # type: ignore[arg-type]
    )


def ignores_cover(*rolls: str) -> Ability:
    """Return Ignores Cover, for the rolls that cover changes."""
    return Ability(
        "Ignores Cover",
        help="The target has no benefit of cover.",
        source="core rules, Ignores Cover",
        idle=unless(
            lambda stages: stages.situation.cover or stages.situation.indirect,
            "not in force: the target is not in cover",
        ),
        offers=("Ignores Cover",),
        **dict.fromkeys(rolls, _denies),  # type: ignore[arg-type]
    )


#: What Stealth does, which counts once wherever it comes from.
stealth = adds_once(-1, "Stealth")


def _stealth_and_cover(roll: Covered, each: ActiveRule[object]) -> None:
    stealth(roll, each)
    gives_cover(roll, each)


def smokescreen(*, gives_stealth: bool) -> Condition:
    """Return Smokescreen: cover, with Stealth or alone; it does not add up with either."""
    what = "Stealth and cover" if gives_stealth else "cover"
    edition = "10th edition core stratagems" if gives_stealth else "11th edition core rules 15.10"
    return Condition(
        "smokescreen",
        source=f"{edition}, Smokescreen: {what}",
        group="Situation of the target",
        help=f"Smokescreen: {what}.",
        against="ranged",
        hit=_stealth_and_cover if gives_stealth else gives_cover,
        save=gives_cover,
    )
