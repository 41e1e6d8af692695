"""What rules do to attacks: modifiers of those that target a unit, and what happens on particular results."""

from __future__ import annotations

import re
from typing import Any, Literal, get_args

from mathhammer import validation
from mathhammer.errors import MathhammerError
from mathhammer.expressions import Expression, dice
from mathhammer.expressions.base import as_expression
from mathhammer.expressions.check import Check, On
from mathhammer.fields.kinds import Boolean, Checked, Field, Integer, OneOf, Text
from mathhammer.fields.profile import Record
from mathhammer.modifiers import Modifier
from mathhammer.validation import shown

#: What of an attack a rule of its target may modify.
_MODIFIED = ("hit", "wound", "strength", "ap", "damage")
Kind = Literal["any", "ranged", "melee"]
#: A modifier of attacks against a target on its stat line: ``-1 to wound melee``, ``AP worse by 1``.
INCOMING = (
    r"(?:(?P<sign>[-+−])(?P<n>\d)\s+to\s+(?P<of>hit|wound|strength|damage)"
    r"|AP\s+(?P<how>worse|better)\s+by\s+(?P<ap>\d))"
    r"(?:\s+(?P<kind>ranged|melee)\b)?(?P<stronger>\s+if\s+S\s*>\s*T\b)?"
)
_TRIGGER = re.compile(
    r"(?P<on>each|[^:]+?\s+to)\s+(?P<roll>hit|wound)\s*:\s*(?P<effects>[^()]+?)(?:\s*\((?P<source>[^()]+)\))?",
    re.IGNORECASE,
)
#: Results that are no faces, and effects in words of their own.
_RESULTS = ("critical", "each")
_WORDED = ("extra_hits", "extra_attacks", "mortal_wounds", "wounds", "precision")


def rolled(name: str, value: int | str | Expression, *, least: int, most: int) -> Expression:
    """Return a number or dice that reach from 1 to a bound; what may be less is raised where it is used."""
    expression = dice(value) if isinstance(value, str) else as_expression(value)
    low, high = expression.bounds()
    if low < least or not 1 <= high <= most:
        raise MathhammerError(f"expected {name} from 1 to {most:,}, got {shown(str(expression))}")
    return expression


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
    attacks: OneOf[Kind] = OneOf(
        '``"any"``, ``"ranged"`` or ``"melee"`` attacks.', *get_args(Kind), default="any", kw_only=False
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
        if self.if_stronger and (modified := self.modifier.of) != "wound":
            raise MathhammerError(f"expected if_stronger with a modifier of wound, got one of {modified}")

    def about(self, *, melee: bool) -> bool:
        """True if it acts on melee attacks, or on ranged ones."""
        return self.attacks == "any" or (self.attacks == "melee") is melee

    @property
    def line(self) -> str:
        """What a stat line says of it."""
        modifier = self.modifier
        value = modifier.value if modifier.operation in {"add", "improve"} else -modifier.value
        text = f"{value:+d} to {modifier.of}"
        if modifier.of == "ap":
            text = f"AP {'worse' if value < 0 else 'better'} by {abs(value)}"
        kind = "" if self.attacks == "any" else f" {self.attacks}"
        return f"{text}{kind}{' if S>T' if self.if_stronger else ''}"

    def __str__(self) -> str:
        kind = "" if self.attacks == "any" else f", {self.attacks}"
        stronger = ", if S > T" if self.if_stronger else ""
        return f"{self.modifier.of} {self.modifier}{kind}{stronger}"


def read_incoming(given: object) -> tuple[Incoming, ...]:
    """Return the modifiers of attacks on a target: none, one or several, each as it is or as a stat line says it."""
    several = () if given is None else (given,) if isinstance(given, Incoming) else given
    found = validation.items(several, (Incoming, str), "Incoming modifiers as incoming")
    return tuple(_incoming(each) if isinstance(each, str) else each for each in found)


def _incoming(text: str) -> Incoming:
    match = re.fullmatch(INCOMING, text, re.IGNORECASE)
    if match is None:
        raise MathhammerError(f"expected Incoming modifiers as incoming, got {shown(text)}")
    said: dict[str, Any] = {name: value.lower() for name, value in match.groupdict().items() if value}
    operations, sign = {"+": "add", "better": "improve", "worse": "worsen"}, said.get("how") or said["sign"]
    how = operations.get(sign, "subtract")
    modifier = Modifier(how, int(said.get("ap") or said["n"]), "target", of=said.get("of", "ap"))  # type: ignore[arg-type]
    return Incoming(modifier, said.get("kind", "any"), if_stronger="stronger" in said)


class Effect(Field[Any, int | str | Expression | None]):
    """A number, or dice, that a rule does; none where it does nothing of the kind, and perhaps words."""

    accepts = "int | str | Expression | None"
    usual = None

    def __init__(self, help: str, line: str, regex: str, *words: str) -> None:  # noqa: A002
        super().__init__(help, line=line, regex=regex)
        self._words = None, *words

    def read(self, value: Any) -> Any:
        """Return the expression, or a word."""
        known = value is None or (isinstance(value, str) and value in self._words)
        return value if known else rolled(self.name, value, least=0, most=100)


class Trigger(Record):
    """An effect of particular results of a roll.

    All but what it does to the bearer needs a successful roll.

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

    roll: OneOf[Literal["hit", "wound"]] = OneOf('``"hit"`` or ``"wound"``.', "hit", "wound", kw_only=False)
    on: Checked[On | Literal["critical", "each"], str | int | On] = Checked(
        lambda on: on if isinstance(on, On) or (isinstance(on, str) and on in _RESULTS) else On.parse(on),
        '``"unmodified 6"``; ``"6"`` or ``"5+"`` for what reads the modified roll; ``"critical"`` for critical rolls; '
        'of a wound also ``"each"``, which a wound without a roll sets off too.',
        kw_only=False,
    )
    source: Text = Text("The rule that it comes from.", label="the source of a Trigger", kw_only=False)
    extra_hits: Effect = Effect(
        "Additional hits: they hit without a roll, and do not trigger this again.",
        "{} additional hits",
        r"(?P<extra_hits>\S+) (?:additional|extra) hits?",
    )
    extra_attacks: Effect = Effect(
        "Additional attacks: each makes a hit roll of its own, and makes no further attacks.",
        "{} additional attacks",
        r"(?P<extra_attacks>\S+) (?:additional|extra) attacks?",
    )
    mortal_wounds: Effect = Effect(
        "Mortal wounds on the target, in addition to what the attack does; they spill over from model to model.",
        "{} mortal wounds",
        r"(?P<mortal_wounds>\S+) mortal wounds?(?: in addition| (?P<instead>instead))?",
    )
    instead: Boolean = Boolean("Whether the mortal wounds are inflicted instead, so that the attack ends.")
    wounds: Boolean = Boolean(
        "Whether the hit wounds without a wound roll.",
        line="wounds without a roll",
        regex="(?P<wounds>wounds)(?: without a roll)?",
    )
    precision: Boolean = Boolean("Whether this attack has Precision.", line="Precision")
    improve_ap: Integer = Integer(
        "By how much the Armour Penetration of this attack is better.",
        default=0,
        least=None,
        most=None,
        line="AP improved by {}",
    )
    ap: Checked[tuple[Modifier, ...], int | None] = Checked(
        lambda value: None if value is None else validation.whole(value, "ap"),
        "The Armour Penetration that this attack has instead, before other modifiers.",
        default=None,
        line="AP",
        regex=r"AP\s*=?\s*[-−]?(?P<ap>\d{1,9})",
    )
    bearer: Effect = Effect(
        'What overheating does: ``"slain"``, once all attacks of the weapon are resolved, or the mortal wounds that '
        "the bearer suffers for each such roll.",
        "{} mortal wounds on the bearer",
        r"(the bearer is )?(?P<bearer>(?(1)slain|\S+))(?(1)| mortal wounds? on the bearer)",
        "slain",
    )

    def _check(self) -> None:
        ap, source = getattr(self, "ap"), self.source  # noqa: B009 - as it was given
        found = [] if ap is None else [Modifier("set", -abs(ap), source, of="ap")]
        found += [Modifier("improve", self.improve_ap, source, of="ap")] * bool(self.improve_ap)
        self._put("ap", tuple(found))
        if self.on == "each" and self.roll == "hit":
            why = "every hit is '1+'"
            raise MathhammerError(f"expected 'each' of a wound, got it of a hit from {source!r}; {why}")
        of_hits = ("extra_hits", "extra_attacks", "wounds", "precision", "bearer")
        on_hits = [name.replace("_", " ") for name in of_hits if getattr(self, name)]
        if self.roll == "wound" and on_hits:
            raise MathhammerError(f"expected a hit roll for {on_hits[0]}, got a wound roll from {source!r}")
        if self.instead and self.mortal_wounds is None:
            raise MathhammerError(f"expected mortal wounds to inflict instead, got none from {source!r}")
        if not self.effects:
            raise MathhammerError(f"expected a Trigger to do something, got none from {source!r}")

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that make an equal trigger."""
        ap = [modifier.value for modifier in self.ap if modifier.operation == "set"]
        return {**super().arguments(), "on": str(self.on), "ap": ap[0] if ap else None}

    def faces(self, check: Check) -> frozenset[int]:
        """Return the unmodified faces of a check on which it happens."""
        if isinstance(self.on, On):
            return self.on.faces(check)
        wanted = ("critical", "success")[: 1 + (self.on == "each")]
        return frozenset(face for face, outcome in enumerate(check.outcomes(), start=1) if outcome in wanted)

    @property
    def effects(self) -> tuple[str, ...]:
        """Its effects in words."""
        values = [(name, getattr(self, name)) for name in _WORDED]
        how = {"mortal_wounds": " instead" if self.instead else " in addition"}
        said = [(name, value) for name, value in values if value is not None and value is not False]
        found = [self.fields[name].line.format(value) + how.get(name, "") for name, value in said]
        found += [f"AP {str(modifier).removesuffix(f' ({self.source})')}" for modifier in self.ap]
        if self.bearer is not None:
            words = "the bearer is {}" if self.bearer == "slain" else self.fields["bearer"].line
            found.append(words.format(self.bearer))
        return tuple(found)

    def __str__(self) -> str:
        when = f"each {self.roll}" if self.on == "each" else f"{self.on} to {self.roll}"
        return f"{when}: {', '.join(self.effects)} ({self.source})"


def read_trigger(text: str, source: str = "trigger") -> Trigger:
    """Return the trigger of what it is as text: ``unmodified 6 to wound: 1 mortal wounds in addition (rule)``."""
    match = _TRIGGER.fullmatch(validation.typed(text, "trigger").strip())
    if match is None:
        raise MathhammerError(
            "expected a trigger such as 'unmodified 6 to wound: AP improved by 3 (Rending)', "
            f"got {shown(text)}; it says on what of which roll, a colon, what it does, and in brackets its name"
        )
    said: dict[str, Any] = {}
    for effect in map(str.strip, match["effects"].split(",")):
        found = next((found for each in Trigger.fields.values() if (found := each.match(effect))), None)
        if found is None:
            raise MathhammerError(
                "expected an effect such as '2 additional hits', '1 additional attacks', 'D3 mortal wounds in "
                "addition', '1 mortal wounds instead', 'wounds without a roll', 'AP improved by 3', 'AP -4' or "
                f"'the bearer is slain', got {shown(effect)}"
            )
        said |= {
            name: int(each) if name == "ap" else Trigger.fields[name].typed(each)
            for name, each in found.groupdict().items()
            if each
        }
    on, roll = match["on"].lower().removesuffix("to").strip(), match["roll"].lower()
    return Trigger(roll, on, match["source"] or source, **said)  # type: ignore[arg-type] # which reads words
