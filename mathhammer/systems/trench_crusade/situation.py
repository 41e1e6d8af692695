"""Attacks in their situations, Activations of several, the target's own between them, and what both players spend."""

from __future__ import annotations

from string import digits
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, TypeVar

from mathhammer import validation
from mathhammer.display import format_fields
from mathhammer.errors import MathhammerError, WrongTypeError
from mathhammer.fields.kinds import Boolean, Checked, Text
from mathhammer.fields.profile import Record
from mathhammer.systems.trench_crusade.profiles import (
    MAXIMUM_MARKERS,
    Attacker,
    Bonus,
    Sourced,
    SourcedText,
    Weapon,
    as_weapon,
    marker_count,
)
from mathhammer.systems.trench_crusade.rules import Bearer, Keyword, parse_keywords, several
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Sequence


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


class Attack(Bearer, Record):
    """A weapon in a situation; AUTOMATIC and CLEAVE make several attacks of it.

    Trench Crusade rules 1.0.2, Ranged Attacks; Melee Attacks; Keywords; Rules Commentaries 1.0.2, Keywords Q4.

    Examples
    --------
    >>> Attack(weapon="Machine Gun", cover=True).has("HEAVY")
    True
    """

    weapon: Checked[Weapon, Weapon | str] = Checked(
        lambda given: as_weapon(
            validation.instance(given, (Weapon, str), "a Weapon in an Attack", "common ones are in WEAPONS")
        ),
        "What it is made with: a weapon, the name of a common one or its line.",
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
        weapon = loaded = self.weapon
        if self.ammunition:
            added = _ammunition(self.ammunition)
            if weapon.kind != "ranged":
                raise MathhammerError(f"expected AMMUNITION for a ranged weapon, got {weapon}")
            if without := [name for name in _WITHOUT_AMMUNITION if weapon.has(name)]:
                raise MathhammerError(f"expected AMMUNITION for a weapon without {without[0]}, got {weapon}")
            dice = weapon.dice_off_hand + (added.value or 0) * (added.name == "DICE")
            loaded = weapon.changed(keywords=(*weapon.keywords, added), dice_off_hand=dice)
        if self.in_melee and not weapon.has("PISTOL"):
            raise MathhammerError(f"expected in_melee for a weapon with PISTOL, got {weapon}")
        kind, names = ("Ranged", _RANGED_ONLY) if self.melee else ("Melee", _MELEE_ONLY)
        if wrong := [name for name in names if getattr(self, name)]:
            raise MathhammerError(f"expected {wrong[0]}=True for a {kind} Attack only, got it for {weapon}")
        #: The weapon with the keyword of its ammunition.
        self.loaded: Weapon
        self._put("loaded", loaded)
        self._put("keywords", loaded.keywords)

    @property
    def melee(self) -> bool:
        """True if it is a Melee Attack."""
        return self.weapon.melee or self.in_melee

    def __str__(self) -> str:
        facts = format_fields(self, "weapon")
        return f"{self.weapon} ({facts})" if facts else str(self.weapon)

    @property
    def copies(self) -> int:
        """Number of attacks that it makes: that of AUTOMATIC or CLEAVE."""
        return max(1, self.value("CLEAVE" if self.melee else "AUTOMATIC"))


Attack.document(SituationKeywords)


def as_attacks(given: Armed | Sequence[Armed], expected: str = "a Weapon or Attacks") -> tuple[Attack, ...]:
    """Return attacks, of which one may stand alone, and each may be its weapon or the text of that."""
    items = (given,) if isinstance(given, Attack | Weapon | str) else given
    found = several(items, (Attack, Weapon, str), expected, MAXIMUM_ATTACKS)
    return tuple(each if isinstance(each, Attack) else Attack(weapon=each) for each in found)


def _ammunition(text: str) -> Keyword:
    """Return the keyword that AMMUNITION adds, given by itself or as the book prints it."""
    given = [keyword for keyword in parse_keywords(text) if keyword.name != "CONSUMABLE"]
    names = [str(keyword).removeprefix("AMMUNITION (").removesuffix(")") for keyword in given]
    if len(names) != 1:
        raise MathhammerError(f"expected one kind of AMMUNITION, such as 'CRITICAL'; got {shown(text)}")
    return parse_keywords(names[0])[0]


Armed = Attack | Weapon | str
Attacks: TypeAlias = "Checked[tuple[Attack, ...], Armed | Sequence[Armed]]"


class Activation(Record):
    """The attacks of one model in one Activation, in order.

    Trench Crusade rules 1.0.2, Down; Keywords, FIRETEAM, RELOAD, HEAVY; Warbands of Trench Crusade, New Antioch,
    Concentrated Attack.

    Examples
    --------
    >>> fight = Activation(["Sword", Attack(weapon="Sword", off_hand=True)], Attacker("Lieutenant", melee=1))
    >>> len(fight.attacks), fight.attacker.name
    (2, 'Lieutenant')
    """

    attacks: Attacks = Checked(
        as_attacks,
        "In the order in which they are made, each an `Attack`, a `Weapon` or its text.",
        kw_only=False,
    )
    attacker: Checked[Attacker, Attacker] = Checked(
        lambda given: Attacker.given(given, "an Attacker in an Activation, or its line"),
        "Who makes them. Equal attackers are one and the same model, whose markers carry over from one Activation to "
        "the next; different models have different names.",
        default=Attacker(),
        kw_only=False,
    )
    fireteam: Boolean = Boolean(
        "Whether it is part of the joint Activation of a Fireteam: two such Activations in a row are one. When either "
        "model's Activation ends, by a failed Risky Success Roll or RELOAD, both do. With the keyword CONCENTRATED "
        "ATTACK, which New Antioch has, a Bloodbath costs an attacker 3 Blood Markers against a target that the "
        "partner has hit in it, even if the target is not Down.",
        kw_only=False,
    )
    stands_up: Boolean = Boolean(
        "Whether the model stands up if it is Down; ``False`` where a rule keeps it Down, or for a Fight ACTION "
        "outside its Activation.",
        default=True,
        kw_only=False,
    )

    def _check(self) -> None:
        if early := [attack.weapon.name for attack in self.attacks[:-1] if attack.has("RELOAD")]:
            raise MathhammerError(
                f"expected no attack after one with RELOAD, which ends the Activation; put {early[0]} last"
            )
        heavy = (each for each in self.attacks if each.moved and each.has("HEAVY") and not each.melee)
        if not self.attacker.negates("HEAVY") and (moved := next(heavy, None)):
            raise MathhammerError(
                f"expected no move ACTION with {moved.weapon.name}, which is HEAVY; leave out moved=True"
            )

    def __str__(self) -> str:
        attacks = "; ".join(map(str, self.attacks))
        return f"{self.attacker}: {attacks}{' (Fireteam)' if self.fireteam else ''}"


class TargetActivation(Record):
    """The target's own Activation, between those of the attackers.

    It stands up if it is Down, an infected model gets one more Infection Marker, and REGENERATE removes Blood Markers.

    Trench Crusade rules 1.0.2, Down; Keywords, REGENERATE, GOLEM; Warbands of Trench Crusade, Infection Markers.

    Examples
    --------
    >>> from mathhammer import trench_crusade as tc
    >>> tc.attack([TargetActivation(), "Shotgun"], tc.Target(down=True), exact=True).probability_down_or_worse
    1891/3888
    """

    stands_up: Boolean = Boolean(
        "Whether it stands up; ``False`` where a rule keeps it Down, such as the Skill On your Knees!.",
        default=True,
        kw_only=False,
    )


ALL = MAXIMUM_MARKERS
"""As many markers as there are."""


class _Spent(Record):
    """Markers that a player spends: the labels of its fields say for what."""

    def __str__(self) -> str:
        # The price of a Bloodbath comes before what is left for the same roll.
        order = sorted(self.fields, key=("success", "bloodbath").count, reverse=True)
        parts = [
            label if number is True else f"up to {number} {label.replace('(s)', 's' * (number != 1))}"
            for number, label in ((getattr(self, name), self.fields[name].label) for name in order)
            if number
        ]
        return "; ".join(parts) or "nothing"


class Spend(_Spent):
    """Markers that the attacking player spends on an attack, as far as they are there.

    Examples
    --------
    >>> print(Spend(blood=2))
    up to 2 Blood Markers on the Injury Roll

    Trench Crusade rules 1.0.2, Blood Markers and Blessing Markers; Bloodbath.
    """

    success: Bonus = marker_count(
        "Blessing Markers of the attacker for +1 DICE each on the Success Roll.",
        label="Blessing Marker(s) on the Success Roll",
    )
    blood: Bonus = marker_count(
        "Blood Markers of the target for +1 INJURY DICE each, beside the price of a Bloodbath.",
        label="Blood Marker(s) on the Injury Roll",
    )
    infection: Bonus = marker_count(
        "Infection Markers of the target alike.", label="Infection Marker(s) on the Injury Roll"
    )
    bloodbath: Boolean = Boolean(
        "Whether to make a Bloodbath of the Injury Roll if its price can be paid.",
        label="a Bloodbath if it can be paid",
    )


class Reply(_Spent):
    """Markers that the defending player spends on an attack, as far as they are there.

    Examples
    --------
    >>> print(Reply(blessing=1))
    up to 1 Blessing Marker on the Injury Roll
    """

    blood: Bonus = marker_count(
        "Blood Markers of the attacker for -1 DICE each on its Success Roll.",
        label="Blood Marker(s) on the Success Roll",
    )
    infection: Bonus = marker_count(
        "Infection Markers of the attacker alike.", label="Infection Marker(s) on the Success Roll"
    )
    blessing: Bonus = marker_count(
        "Blessing Markers of the target for -1 INJURY DICE each on the Injury Roll.",
        label="Blessing Marker(s) on the Injury Roll",
    )


SpentT = TypeVar("SpentT", Spend, Reply)


def fixed(given: object, kind: type[SpentT], more: str = " or 'nothing'") -> SpentT:
    """Return what is spent on every attack alike."""
    spent = kind() if given is None or (isinstance(given, str) and given == "nothing") else given
    if isinstance(spent, str) and kind.fields.keys() & spent.replace(",", " ").split():
        said: dict[str, Any] = {}  # of "blood 2, bloodbath" and the like
        for part in map(str.strip, spent.split(",")):
            name, _, number = part.partition(" ")
            if not part or name in said:
                raise MathhammerError(f"expected markers between commas, each kind once, got {shown(spent)}")
            if isinstance(kind.fields.get(name), Bonus) and not number.isdecimal():
                raise MathhammerError(f"expected a whole number after {name!r}, got {shown(part)}")
            said[name] = int(number) if number in {*digits} else number or True
        return kind(**said)
    if not isinstance(spent, kind):
        raise WrongTypeError(f"expected a {kind.__name__}{more}, got {shown(spent)}")
    return spent
