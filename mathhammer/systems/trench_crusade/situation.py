"""Attacks in their situations: one attack, an Activation of several, and the target's own Activation between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from mathhammer import validation
from mathhammer.display import Named, format_fields
from mathhammer.errors import MathhammerError
from mathhammer.fields.kinds import Boolean, Checked, Field, Text
from mathhammer.fields.profile import Record
from mathhammer.systems.trench_crusade.keywords import Keyword, parse_keywords, several, total
from mathhammer.systems.trench_crusade.presets import as_weapon
from mathhammer.systems.trench_crusade.profiles import Attacker, Weapon, put
from mathhammer.systems.trench_crusade.rolls import SourcedText, read_sourced
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mathhammer.modifiers import Modifier

#: Most attacks of one calculation.
MAXIMUM_ATTACKS = 30
#: Weapons with these take no AMMUNITION (Trench Crusade rules 1.0.2, Keywords, AMMUNITION).
_WITHOUT_AMMUNITION = ("BLAST", "FIRE", "GAS", "SHRAPNEL")
_RANGED_ONLY = ("long_range", "elevated", "into_melee")
_MELEE_ONLY = ("off_hand", "charged", "diving")


class SituationKeywords(TypedDict, total=False):
    """Keywords of a situation: what `Attack` says of its weapon.

    Examples
    --------
    >>> from mathhammer import trench_crusade as tc
    >>> situation: SituationKeywords = {"cover": True, "elevated": True}
    >>> tc.attack(tc.WEAPONS["Musket"], tc.Target(), exact=True, **situation).probability_hit  # +1 and -1 DICE cancel
    7/12
    """

    long_range: bool
    cover: bool
    elevated: bool
    charged: bool
    diving: bool
    moved: bool
    in_melee: bool
    into_melee: bool
    off_hand: bool
    shaken: bool
    reroll: bool
    on_failure: bool
    bystander: bool
    dice: SourcedText
    injury_dice: SourcedText
    injury_modifier: SourcedText
    ammunition: str


class Sourced(Field["tuple[Modifier, ...]", SourcedText]):
    """Numbers with their sources."""

    accepts = "SourcedText"
    usual = 0

    def read(self, value: Any) -> tuple[Modifier, ...]:
        """Return the modifiers."""
        return read_sourced(value, "given")


class Attack(Record):
    """A weapon in a situation; AUTOMATIC and CLEAVE make several attacks of it.

    References
    ----------
    Trench Crusade rules 1.0.2, Ranged Attacks; Melee Attacks; Keywords; Rules Commentaries 1.0.2, Keywords Q4.

    Examples
    --------
    >>> from mathhammer.systems.trench_crusade.profiles import Weapon
    >>> Attack(weapon=Weapon("Rifle", kind="ranged", keywords="HEAVY"), cover=True).has("HEAVY")
    True
    """

    weapon: Checked[Weapon, Weapon] = Checked(
        lambda given: validation.instance(
            given, Weapon, "a Weapon in an Attack", "common ones are in WEAPONS"
        ),
        "What it is made with.",
    )
    long_range: Boolean = Boolean("The target is beyond half the weapon's range")
    cover: Boolean = Boolean("The target is in cover, or behind a Defended Obstacle in melee")
    elevated: Boolean = Boolean('The attacker stands at least 3" higher')
    charged: Boolean = Boolean("The attacker charged this Turn")
    diving: Boolean = Boolean(
        "It is the next Melee Attack after a Diving Charge whose Risky Success Roll was passed"
    )
    moved: Boolean = Boolean("The attacker makes a move ACTION in this Activation")
    in_melee: Boolean = Boolean("A PISTOL is used for a Melee Attack, with the better Characteristic")
    into_melee: Boolean = Boolean('A friend is within 1" of the target, and is hit instead one time in two')
    off_hand: Boolean = Boolean("It is the Off-Hand Weapon of the same Fight ACTION")
    shaken: Boolean = Boolean("The Warband is Shaken, so that its Success Rolls are Risky")
    reroll: Boolean = Boolean("A failed Success Roll is re-rolled")
    on_failure: Boolean = Boolean(
        "The Injury Roll follows a failed Success Roll of the target itself: Dangerous Terrain, a ledge",
        rare=True,
    )
    bystander: Boolean = Boolean("The target is hit by a BLAST that was aimed at another", rare=True)
    dice: Sourced = Sourced('Further ones with their sources, such as ``"-1 smoke"``.')
    injury_dice: Sourced = Sourced("The same.")
    injury_modifier: Sourced = Sourced("The same.")
    ammunition: Text = Text(
        'The keyword that AMMUNITION adds to the weapon, one only: ``"CRITICAL"``, ``"+1 DICE"``; a PISTOL has it in '
        "melee too.",
        default="",
        label="ammunition",
    )

    def _check(self) -> None:
        self._require_ammunition()
        if self.in_melee and not self.weapon.has("PISTOL"):
            raise MathhammerError(f"expected in_melee for a weapon with PISTOL, got {self.weapon}")
        for name in _RANGED_ONLY if self.melee else _MELEE_ONLY:
            if getattr(self, name):
                kind = "Ranged" if self.melee else "Melee"
                raise MathhammerError(
                    f"expected {name}=True for a {kind} Attack only, got it for {self.weapon}"
                )

    def _require_ammunition(self) -> None:
        """Refuse AMMUNITION that the weapon cannot have."""
        if not self.ammunition:
            return
        _ammunition(self.ammunition)
        if self.weapon.kind != "ranged":
            raise MathhammerError(f"expected AMMUNITION for a ranged weapon, got {self.weapon}")
        for name in _WITHOUT_AMMUNITION:
            if self.weapon.has(name):
                raise MathhammerError(f"expected AMMUNITION for a weapon without {name}, got {self.weapon}")

    @property
    def melee(self) -> bool:
        """Whether it is a Melee Attack."""
        return self.weapon.melee or self.in_melee

    @property
    def loaded(self) -> Weapon:
        """The weapon with the keyword of its ammunition."""
        weapon = self.weapon
        if not self.ammunition:
            return weapon
        added = _ammunition(self.ammunition)
        return Weapon(
            weapon.name,
            kind=weapon.kind,
            dice=weapon.dice,
            injury_dice=weapon.injury_dice,
            injury_modifier=weapon.injury_modifier,
            keywords=(*weapon.keywords, added),
            dice_off_hand=weapon.dice_off_hand + total((added,), "DICE"),
        )

    @property
    def keywords(self) -> tuple[Keyword, ...]:
        """The weapon's keywords and that of its ammunition."""
        return self.loaded.keywords

    def has(self, name: str) -> bool:
        """Whether the weapon has a keyword now."""
        return self.loaded.has(name)

    def __str__(self) -> str:
        facts = format_fields(self, "weapon")
        return f"{self.weapon} ({facts})" if facts else str(self.weapon)

    @property
    def copies(self) -> int:
        """Number of attacks that it makes: that of AUTOMATIC or CLEAVE."""
        return max(1, self.loaded.value("CLEAVE" if self.melee else "AUTOMATIC"))


Attack.document(SituationKeywords)
#: What can be said of an attack by forms and commands.
SITUATION = {
    name: each for name, each in Attack.fields.items() if isinstance(each, Boolean) and not each.rare
}


def as_attacks(given: Armed | Sequence[Armed], expected: str) -> tuple[Attack, ...]:
    """Return attacks, of which one may stand alone, and each may be its weapon or the text of that."""
    items = (given,) if isinstance(given, Attack | Weapon | str) else given
    found = several(items, (Attack, Weapon, str), expected, MAXIMUM_ATTACKS)
    return tuple(each if isinstance(each, Attack) else Attack(weapon=as_weapon(each)) for each in found)


def _ammunition(text: str) -> Keyword:
    """Return the keyword that AMMUNITION adds, given by itself or as the book prints it."""
    given = [keyword for keyword in parse_keywords(text) if keyword.name != "CONSUMABLE"]
    names = [str(keyword).removeprefix("AMMUNITION (").removesuffix(")") for keyword in given]
    if len(names) != 1:
        raise MathhammerError(f"expected one kind of AMMUNITION, such as 'CRITICAL'; got {shown(text)}")
    return parse_keywords(names[0])[0]


#: An attack, or a weapon without more, which may be its text.
Armed = Attack | Weapon | str


@validation.called
@dataclass(frozen=True, slots=True, repr=False)
class Activation(Named):
    """The attacks of one model in one Activation, in order.

    Parameters
    ----------
    attacks
        In the order in which they are made, each an `Attack`, a `Weapon` or its text.
    attacker
        Who makes them. Equal attackers are one and the same model, whose markers carry over from one Activation to
        the next; different models have different names.
    fireteam
        Whether it is part of the joint Activation of a Fireteam: two such Activations in a row are one. When either
        model's Activation ends, by a failed Risky Success Roll or RELOAD, both do. With the keyword CONCENTRATED
        ATTACK, which New Antioch has, a Bloodbath costs an attacker 3 Blood Markers against a target that the partner
        has hit in it, even if the target is not Down.
    partner_hit
        Whether the partner in the Fireteam has hit the target in this joint Activation before the first attack given:
        for an attacker with CONCENTRATED ATTACK.
    stands_up
        Whether the model stands up if it is Down; ``False`` where a rule keeps it Down, or for a Fight ACTION outside
        its Activation.

    References
    ----------
    Trench Crusade rules 1.0.2, Down; Keywords, FIRETEAM, RELOAD, HEAVY; Warbands of Trench Crusade, New Antioch,
    Concentrated Attack.

    Examples
    --------
    >>> from mathhammer.systems.trench_crusade.profiles import Weapon
    >>> sword = Weapon("Sword", kind="melee")
    >>> fight = Activation((Attack(weapon=sword), Attack(weapon=sword, off_hand=True)), Attacker("Lieutenant", melee=1))
    >>> len(fight.attacks), fight.attacker.name
    (2, 'Lieutenant')
    """

    attacks: tuple[Attack, ...]
    attacker: Attacker = field(default_factory=Attacker)
    fireteam: bool = False
    partner_hit: bool = False
    stands_up: bool = True

    def __post_init__(self) -> None:
        given = as_attacks(self.attacks, "Attacks in an Activation")
        put(self, attacks=given)
        validation.instance(self.attacker, Attacker, "an Attacker in an Activation")
        for name in ("fireteam", "partner_hit", "stands_up"):
            validation.flag(getattr(self, name), name)
        if self.partner_hit and not (self.fireteam and self.attacker.has("CONCENTRATED ATTACK")):
            raise MathhammerError(
                "expected partner_hit in a Fireteam with CONCENTRATED ATTACK only; add fireteam=True and that keyword "
                f"to {self.attacker.name}"
            )
        for attack in given[:-1]:
            if attack.has("RELOAD"):
                raise MathhammerError(
                    "expected no attack after one with RELOAD, which ends the Activation; "
                    f"put {attack.weapon.name} last"
                )
        for attack in () if self.attacker.negates("HEAVY") else given:
            if attack.moved and attack.has("HEAVY") and not attack.melee:
                raise MathhammerError(
                    f"expected no move ACTION with {attack.weapon.name}, which is HEAVY; leave out moved=True"
                )

    def __str__(self) -> str:
        attacks = "; ".join(map(str, self.attacks))
        return f"{self.attacker}: {attacks}{' (Fireteam)' if self.fireteam else ''}"


@dataclass(frozen=True, slots=True)
class TargetActivation:
    """The target's own Activation, between those of the attackers.

    It stands up if it is Down, an infected model gets one more Infection Marker, and REGENERATE removes Blood Markers.

    Parameters
    ----------
    stands_up
        Whether it stands up; ``False`` where a rule keeps it Down, such as the Skill On your Knees!.

    References
    ----------
    Trench Crusade rules 1.0.2, Down; Keywords, REGENERATE, GOLEM; Warbands of Trench Crusade, Infection Markers.

    Examples
    --------
    >>> from mathhammer import trench_crusade as tc
    >>> shot = tc.Activation(tc.Attack(weapon=tc.WEAPONS["Shotgun"]))
    >>> down = tc.Target(down=True)
    >>> tc.attack([TargetActivation(), shot], down, exact=True).probability_down_or_worse
    1891/3888
    """

    stands_up: bool = True

    def __post_init__(self) -> None:
        validation.flag(self.stands_up, "stands_up")
