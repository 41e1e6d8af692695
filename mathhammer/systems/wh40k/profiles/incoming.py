"""Modifiers of the attacks that target a unit: what its own rules, or an enemy's, do to them."""

from __future__ import annotations

from typing import Literal

from mathhammer import validation
from mathhammer.errors import MathhammerError
from mathhammer.fields.kinds import Boolean, Checked
from mathhammer.fields.profile import Record
from mathhammer.modifiers import Modifier
from mathhammer.validation import shown

#: What of an attack a rule of its target may modify.
_MODIFIED = ("hit", "wound", "strength", "ap", "damage")
Kind = Literal["any", "ranged", "melee"]


class Incoming(Record):
    """A modifier of the attacks that target a unit.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> hard = wh40k.Incoming(wh40k.Modifier("subtract", 1, "Old armour", of="wound"), if_stronger=True)
    >>> giant = wh40k.Target("Giant", toughness=6, save=None, wounds=9, incoming=hard)
    >>> [wh40k.attack(f"Gun: A6 BS2+ S{s} AP0 D1", giant, exact=True).wounds.mean() for s in (6, 7)]  # 1/2 each
    [5/2, 5/2]
    """

    modifier: Checked[Modifier, Modifier] = Checked(
        lambda value: validation.instance(value, Modifier, "a Modifier of attacks that come in"),
        'Of ``"hit"``, ``"wound"``, ``"strength"``, ``"ap"`` or ``"damage"``, with the rule that it comes from. Damage '
        'is that of the weapon, as in "attacks that target this unit": the ``damage_reduction`` of a :class:`Target` '
        "is that of attacks allocated to it, which Devastating Wounds of the 11th edition are not.",
        kw_only=False,
    )
    attacks: Checked[Kind, Kind] = Checked(
        lambda value: validation.one_of(
            value, ("any", "ranged", "melee"), "the attacks that a modifier is about"
        ),
        '``"any"``, ``"ranged"`` or ``"melee"`` attacks.',
        default="any",
        kw_only=False,
    )
    if_stronger: Boolean = Boolean(
        "Whether it needs a Strength greater than the Toughness; of the wound roll alone.", kw_only=False
    )

    def _check(self) -> None:
        if self.modifier.of not in _MODIFIED:
            raise MathhammerError(
                f"expected a modifier of {', '.join(_MODIFIED)} for attacks that come in, got {shown(self.modifier)}; "
                "say of='...' in the Modifier"
            )
        if self.if_stronger and self.modifier.of != "wound":
            raise MathhammerError(
                f"expected if_stronger with a modifier of wound, got one of {self.modifier.of}"
            )

    def about(self, *, melee: bool) -> bool:
        """Whether it is about a melee attack, or a ranged one."""
        return self.attacks == "any" or (self.attacks == "melee") is melee

    def __str__(self) -> str:
        kind = "" if self.attacks == "any" else f", {self.attacks}"
        stronger = ", if S > T" if self.if_stronger else ""
        return f"{self.modifier.of} {self.modifier}{kind}{stronger}"


def read_incoming(given: object) -> tuple[Incoming, ...]:
    """Return the modifiers of attacks on a target: none, one or several."""
    if given is None:
        return ()
    if isinstance(given, Incoming):
        return (given,)
    return validation.items(given, Incoming, "Incoming modifiers as incoming")
