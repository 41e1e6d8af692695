"""Characteristics: a number or dice under modifiers from any source."""

from __future__ import annotations

from dataclasses import dataclass

from mathhammer import validation
from mathhammer.distributions.integer_distribution import IntegerDistribution
from mathhammer.errors import MathhammerError
from mathhammer.expressions import Expression, faces
from mathhammer.expressions.base import as_expression
from mathhammer.modifiers import Calculated, CharacteristicRules, Modifier, as_modifiers
from mathhammer.validation import shown


@dataclass(frozen=True, slots=True)
class Working:
    """A calculation in lines: ``str`` gives the sum as rulebooks print it, `sources` where each part comes from."""

    start: str
    lines: tuple[Calculated, ...]
    #: Whether it is dice, of which no result can be shown.
    random: bool = False

    @property
    def sources(self) -> tuple[str, ...]:
        """Every modifier that acted, with its source."""
        return tuple(str(line.modifier) for line in self.lines if line.modifier is not None)

    def __str__(self) -> str:
        parts = []
        for line in self.lines:
            if line.text == "set":
                parts.append(f"→ {line.result}")
            elif line.text in {"treated as", "never below", "never above"}:
                parts.append(f"{line.text} {line.result}")
            else:
                parts.append(line.text if self.random else f"{line.text} = {line.result}")
        if not parts:
            return self.start
        first, *rest = parts
        joint = "" if first.startswith(("→", "×", "÷", "+", "-")) else ","
        return ", ".join([f"{self.start}{joint} {first}", *rest])


@dataclass(frozen=True, slots=True)
class Characteristic:
    """A characteristic: what is printed, and every modifier that acts on it, in any order.

    What is printed is never a modifier: the +2 of a printed ``D6+2`` belongs to the characteristic, the +2 of a
    rule does not, and the two differ as soon as something halves them (Warhammer 40,000 10th edition Rules
    Commentary, Modifiers; Goonhammer, "Ruleshammer: Dice, Dice Modifiers, Re-rolls, Modifiers and Fast Rolling").
    """

    printed: int | Expression
    rules: CharacteristicRules
    modifiers: tuple[Modifier, ...] = ()

    def __post_init__(self) -> None:
        if self.modifiers != ():
            object.__setattr__(self, "modifiers", as_modifiers(self.modifiers, "modifiers"))
        number = validation.as_whole(getattr(self.printed, "value", self.printed))
        if number is not None:
            object.__setattr__(self, "printed", number)
        elif not isinstance(self.printed, Expression):
            raise MathhammerError(
                f"expected a number or a dice expression as {self.rules.name}, got {shown(self.printed)}; dice(...) "
                "makes an expression of a text"
            )

    @property
    def value(self) -> int | Expression:
        """The value after all modifiers: dice stay dice, of which each value is modified and rounded once."""
        printed, rules = self.printed, self.rules
        if isinstance(printed, int):
            return rules.modified(printed, self.modifiers)
        low, high = printed.bounds()
        inside = (rules.least is None or low >= rules.least) and (rules.most is None or high <= rules.most)
        if not self.modifiers and inside:
            return printed
        distribution = IntegerDistribution.from_distribution(printed.distribution(exact=True))
        weights: dict[int, int] = {}
        for index, weight in enumerate(distribution.weights):
            finished = rules.modified(distribution.low + index, self.modifiers)
            weights[finished] = weights.get(finished, 0) + weight
        return faces(weights)

    @property
    def expression(self) -> Expression:
        """The value as a dice expression."""
        return as_expression(self.value)

    def explain(self) -> Working:
        """Return the sum, line by line."""
        if isinstance(self.printed, int):
            return Working(str(self.printed), tuple(self.rules.changes(self.printed, self.modifiers)))
        steps = self.rules.order.operations

        def place(modifier: Modifier) -> int:
            plain = self.rules.plain(modifier.operation)
            return steps.index(plain) if plain in steps else len(steps)

        lines = [
            Calculated(str(modifier).removesuffix(f" ({modifier.source})"), 0, 1, modifier)
            for modifier in sorted(self.modifiers, key=place)
        ]
        return Working(str(self.printed), tuple(lines), random=True)
