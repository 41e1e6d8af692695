"""Rules that act on particular results of a hit or wound roll: extra hits, mortal wounds, better AP, overheating."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mathhammer import validation
from mathhammer.display import Named
from mathhammer.errors import MathhammerError
from mathhammer.expressions import Expression, as_expression, dice
from mathhammer.expressions.check import On
from mathhammer.modifiers import Modifier
from mathhammer.validation import shown

if TYPE_CHECKING:
    from mathhammer.expressions.check import Check


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Trigger(Named):
    """What a rule does on particular results of a roll.

    All but what it does to the bearer needs a successful roll.

    Parameters
    ----------
    roll
        ``"hit"`` or ``"wound"``.
    on
        ``"unmodified 6"``; ``"6"`` or ``"5+"`` for what reads the modified roll; ``"critical"`` for critical rolls;
        of a wound also ``"each"``, which a wound without a roll sets off too.
    source
        The rule that it comes from.
    extra_hits
        Additional hits: they hit without a roll, and do not trigger this again.
    extra_attacks
        Additional attacks: each makes a hit roll of its own, and makes no further attacks.
    mortal_wounds
        Mortal wounds on the target, in addition to what the attack does; they spill over from model to model.
    instead
        Whether the mortal wounds are inflicted instead, so that the attack ends.
    wounds
        Whether the hit wounds without a wound roll.
    precision
        Whether this attack has Precision.
    improve_ap
        By how much the Armour Penetration of this attack is better.
    ap
        The Armour Penetration that this attack has instead, before other modifiers.
    bearer
        What overheating does: ``"slain"``, once all attacks of the weapon are resolved, or the mortal wounds
        that the bearer suffers for each such roll.

    Examples
    --------
    >>> print(Trigger("wound", "unmodified 6", "Rending", improve_ap=3))
    unmodified 6 to wound: AP improved by 3 (Rending)

    References
    ----------
    Goonhammer, "Ruleshammer: Dice, Dice Modifiers, Re-rolls, Modifiers and Fast Rolling"; Warhammer 40,000 9th
    edition core rules, Mortal Wounds; 10th edition Core Rules Updates: modifiers of Damage do not change mortal
    wounds in addition, and a critical wound is one that was rolled.
    """

    roll: Literal["hit", "wound"]
    on: On | Literal["critical", "each"]
    source: str
    extra_hits: Expression | None
    extra_attacks: Expression | None
    mortal_wounds: Expression | None
    instead: bool
    wounds: bool
    precision: bool
    ap: tuple[Modifier, ...]
    bearer: Literal["slain"] | Expression | None

    def __init__(
        self,
        roll: Literal["hit", "wound"],
        on: str | int | On,
        source: str,
        *,
        extra_hits: int | str | Expression | None = None,
        extra_attacks: int | str | Expression | None = None,
        mortal_wounds: int | str | Expression | None = None,
        instead: bool = False,
        wounds: bool = False,
        precision: bool = False,
        improve_ap: int = 0,
        ap: int | None = None,
        bearer: int | str | Expression | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "roll", validation.one_of(roll, ("hit", "wound"), "the roll of a Trigger"))
        put(self, "on", on if isinstance(on, On) or on in ("critical", "each") else On.parse(on))
        put(self, "source", validation.text(source, "the source of a Trigger", "name the rule it comes from"))
        put(self, "extra_hits", _number("extra_hits", extra_hits))
        put(self, "extra_attacks", _number("extra_attacks", extra_attacks))
        put(self, "mortal_wounds", _number("mortal_wounds", mortal_wounds))
        put(self, "instead", validation.flag(instead, "instead"))
        put(self, "wounds", validation.flag(wounds, "wounds"))
        put(self, "precision", validation.flag(precision, "precision"))
        put(self, "ap", _armour_penetration(source, improve_ap, ap))
        put(self, "bearer", bearer if bearer == "slain" else _number("bearer", bearer))
        self._require_sense()

    def _require_sense(self) -> None:
        if self.on == "each" and self.roll == "hit":
            raise MathhammerError(
                f"expected 'each' of a wound, got it of a hit from {self.source!r}; every hit is '1+'"
            )
        on_hits = [
            name
            for name in ("extra_hits", "extra_attacks", "wounds", "precision", "bearer")
            if getattr(self, name)
        ]
        if self.roll == "wound" and on_hits:
            raise MathhammerError(
                f"expected a hit roll for {on_hits[0].replace('_', ' ')}, got a wound roll from {self.source!r}"
            )
        if self.instead and self.mortal_wounds is None:
            raise MathhammerError(f"expected mortal wounds to inflict instead, got none from {self.source!r}")
        if not self.effects:
            raise MathhammerError(f"expected a Trigger to do something, got none from {self.source!r}")

    def faces(self, check: Check) -> frozenset[int]:
        """Return the unmodified faces of a check on which it happens."""
        if isinstance(self.on, On):
            return self.on.faces(check)
        wanted = {"critical"} if self.on == "critical" else {"success", "critical"}
        return frozenset(face for face, outcome in enumerate(check.outcomes(), start=1) if outcome in wanted)

    @property
    def effects(self) -> tuple[str, ...]:
        """What it does, in words."""
        found = []
        if self.extra_hits is not None:
            found.append(f"{self.extra_hits} additional hits")
        if self.extra_attacks is not None:
            found.append(f"{self.extra_attacks} additional attacks")
        if self.mortal_wounds is not None:
            how = "instead" if self.instead else "in addition"
            found.append(f"{self.mortal_wounds} mortal wounds {how}")
        if self.wounds:
            found.append("wounds without a roll")
        if self.precision:
            found.append("Precision")
        found += [f"AP {str(modifier).removesuffix(f' ({self.source})')}" for modifier in self.ap]
        if self.bearer is not None:
            found.append(
                "the bearer is slain"
                if self.bearer == "slain"
                else f"{self.bearer} mortal wounds on the bearer"
            )
        return tuple(found)

    def __str__(self) -> str:
        when = f"each {self.roll}" if self.on == "each" else f"{self.on} to {self.roll}"
        return f"{when}: {', '.join(self.effects)} ({self.source})"


def _number(name: str, value: int | str | Expression | None) -> Expression | None:
    if value is None:
        return None
    expression = dice(value) if isinstance(value, str) else as_expression(value)
    low, high = expression.bounds()
    if low < 0 or not 1 <= high <= 100:
        raise MathhammerError(f"expected {name} from 1 to 100, got {shown(str(expression))}")
    return expression


def _armour_penetration(source: str, improve: int, ap: int | None) -> tuple[Modifier, ...]:
    found = [] if ap is None else [Modifier("set", -abs(validation.whole(ap, "ap")), source, of="ap")]
    return (*found, Modifier("improve", improve, source, of="ap")) if improve else tuple(found)
