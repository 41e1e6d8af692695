"""From the attacks that are given to single attacks in order, each with its dice and modifiers and their sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

from mathhammer import validation
from mathhammer.errors import MathhammerError, TooLargeError, UnknownNameError
from mathhammer.modifiers import Modifier
from mathhammer.systems.trench_crusade.keywords import MARKING, several
from mathhammer.systems.trench_crusade.profiles import ARMOUR, Attacker, Weapon
from mathhammer.systems.trench_crusade.rolls import Roll, values
from mathhammer.systems.trench_crusade.situation import (
    MAXIMUM_ATTACKS,
    Activation,
    Armed,
    Attack,
    SituationKeywords,
    TargetActivation,
    as_attacks,
)
from mathhammer.validation import shown

if TYPE_CHECKING:
    from mathhammer.sequence.rulings import Rulings
    from mathhammer.systems.trench_crusade.profiles import Target


def _sources(*rows: tuple[int, str] | tuple[int, str, bool]) -> tuple[Modifier, ...]:
    return tuple(Modifier("add", value, source) for value, source, *holds in rows if value and all(holds))


@dataclass(eq=False)
class RollStage:
    """One attack of one attacker on the target."""

    #: Among all of them, from 1.
    number: int
    of_whom: str
    attack: Attack
    target: Target
    activation: Activation
    edition: str
    rulings: Rulings
    #: All those of its Activation, or of the joint one of a Fireteam: they end together.
    joint: list[RollStage]
    #: The places of the attacker and of the target among the models; whether the attacker activates with this attack;
    #: and in an exchange the side that attacks, 0 or 1.
    place: int
    starts: bool
    aim: int = 0
    side: int = 0

    def __post_init__(self) -> None:
        self.attacker, self.weapon = self.activation.attacker, self.attack.loaded
        has, attack, target = self.weapon.has, self.attack, self.target
        off_hand = " (off-hand)" * attack.off_hand
        self.label = f"{self.number}. {attack.weapon.name}{off_hand}{self.of_whom}"
        self.automatic = has("FLAMETHROWER") and not attack.on_failure
        #: Whether it is an ACTION before attacks; whether its Success Roll is Risky, and one of 2 or less hits itself.
        self.action = self.weapon.kind == "action"
        self.risky = has("RISKY") or attack.shaken or self.action
        self.fumbles = self.edition == "beta_2026_04" and not attack.on_failure and has("FUMBLE")
        self.spare_markers = self.rulings["spare_markers"] == "allowed"
        #: Whether nobody may spend Blood Markers on its Success Roll.
        self.faith = self.attacker.has("ABSOLUTE FAITH") and not (attack.melee or self.action)
        self.infects, self.marks = has("INFECTION MARKERS"), has("DANGEROUS")
        self.golem, self.tough = target.has("GOLEM"), target.has("TOUGH")
        found = sum(has(name) and not target.negates(name) for name in MARKING)
        self.extra_markers = min(found, 1) if self.rulings["extra_markers"] == "one" else found
        self._pools: dict[tuple[bool, bool, bool], Roll] = {}

    def _ignores(self, modifier: str) -> bool:
        keyword = f"IGNORE {modifier.upper()}{' POSITION' * (modifier == 'Elevated')}"
        return self.weapon.has(keyword) or self.attacker.has(keyword)

    @cached_property
    def success(self) -> Roll:
        """Its Success Roll before markers (Trench Crusade rules 1.0.2, Ranged Attacks; Melee Attacks; Down)."""
        attack, attacker, weapon, target = self.attack, self.attacker, self.weapon, self.target
        if attack.on_failure:
            down = -1, "the model is Down", target.down
            rows = [down, (target.value("DICE"), target.name, True)]
        else:
            either = max(attacker.melee, attacker.ranged) if weapon.has("PISTOL") else attacker.melee
            characteristic = either if attack.melee else attacker.ranged
            lies = attacker.down and not self.activation.stands_up
            name = "Melee" if attack.melee and characteristic == attacker.melee else "Ranged"
            rows = [
                (characteristic, f"{name} Characteristic", not self.action),
                *(
                    (dice, source, holds and not (self.action or self._ignores(source)))
                    for dice, source, holds in self._situation
                ),
                (weapon.dice_off_hand if attack.off_hand else weapon.dice, weapon.name, True),
                (attacker.value("DICE"), attacker.name, True),
                # It stands up when it is activated.
                (-1, "the attacker is Down", lies and not self._ignores("Down")),
            ]
        return Roll(2, (*_sources(*rows), *attack.dice), reroll=attack.reroll)

    @property
    def _situation(self) -> tuple[tuple[int, str, bool], ...]:
        """What gives DICE to a Ranged or to a Melee Attack, unless it is ignored."""
        attack, attacker, target = self.attack, self.attacker, self.target
        covered = attack.cover or target.has("COVER")
        if not attack.melee:
            far = attack.long_range and not self.weapon.has("SHOTGUN")
            return (-1, "Cover", covered), (-1, "Long Range", far), (+1, "Elevated", attack.elevated)
        unafraid = attacker.negates("FEAR") or (
            attacker.has("FEAR") and self.rulings["fear_against_fear"] == "no-penalty"
        )
        return (
            (-1, "Defended Obstacle", covered),
            (-1, "Off-Hand Weapon", attack.off_hand),
            (-1, "FEAR", target.has("FEAR") and not unafraid),
            (-1, "BLOCK", attack.charged and target.has("BLOCK")),
            (+1, "Diving Charge", attack.diving),
        )

    def injury(self, *, critical: bool, down: bool, bloodbath: bool = False) -> Roll:
        """Return its Injury Roll before markers (Injuries; Keywords, CRITICAL, SHOTGUN, IGNORE ARMOUR, IMPERVIOUS)."""
        key = critical, down, bloodbath
        if key not in self._pools:
            self._pools[key] = self._injury(*key)
        return self._pools[key]

    def _injury(self, critical: bool, down: bool, bloodbath: bool) -> Roll:  # noqa: FBT001 - as its key says
        attack, target, weapon, rulings = self.attack, self.target, self.weapon, self.rulings
        situations = {"": True, " ON CRITICAL": critical, " ON DOWN": down}
        ignored = any(holds and weapon.has(f"IGNORE ARMOUR{when}") for when, holds in situations.items())
        hard = "armour" in target.impervious and rulings["impervious_dice"] == "kept"
        bonus = 1 + weapon.has("CRITICAL") * (1 if rulings["critical_keyword"] == "replaces" else 2)
        far = attack.long_range and not self._ignores("LONG RANGE")
        near = not attack.melee and not attack.long_range
        against = _sources(
            *((target.value(f"INJURY DICE AGAINST {each}"), each, weapon.has(each)) for each in MARKING)
        )
        dice = (
            *_sources((weapon.injury_dice, weapon.name)),
            *attack.injury_dice,
            *_sources(
                (weapon.value("INJURY DICE AT SHORT RANGE"), "Short Range", near),
                (-1, "Long Range with SHOTGUN", far and weapon.has("SHOTGUN")),
                (bonus, "critical success", critical),
                (+1, "the target is Down", down and (attack.melee or rulings["down_bonus"] == "all")),
                (target.armour_dice, "armour", not ignored or hard),
            ),
            *self._of_abilities((*target.injury_dice, *against), ignored=ignored),
        )
        modifiers = (
            *self._armour(ignored=ignored),
            *self._of_abilities(target.injury_modifier, ignored=ignored),
            *_sources((weapon.injury_modifier, weapon.name)),
            *attack.injury_modifier,
        )
        return Roll.injury(dice, modifiers, rulings, deadly=weapon.has("DEADLY"), bloodbath=bloodbath)

    def _armour(self, *, ignored: bool) -> tuple[Modifier, ...]:
        """INJURY MODIFIERS of armour (Trench Crusade rules 1.0.2, Keywords, ARMOUR PIERCING, IMPERVIOUS)."""
        target, hard = self.target, self.target.impervious
        items = (
            (target.characteristic, "Armour Characteristic", "characteristic" in hard),
            (ARMOUR[target.armour], f"{target.armour.title()} Armour", "armour" in hard),
            (-1 if target.shield else 0, "Trench Shield", "shield" in hard),
        )
        found = sorted((each for each in items if each[2] or not ignored), key=lambda item: not item[2])
        rows = _sources(*(each[:2] for each in found))
        keywords = self.weapon.keywords
        piercing = sum(keyword.value or 1 for keyword in keywords if keyword.name == "ARMOUR PIERCING")
        armour = sum(value for value, *_ in found)
        counts = self.rulings["armour_piercing_and_impervious"] == "other-items"
        untouched = sum(value for value, _, is_hard in found if is_hard and counts)
        if not piercing or armour == untouched:
            return rows
        # One better before the cap of the armour or after it, and never better than what it leaves untouched.
        worst = -3 if self.rulings["armour_piercing_and_cap"] == "after-cap" else armour
        better = min(max(armour, worst) + piercing, max(untouched, worst))
        return _sources((better, ", ".join([*(row.source for row in rows), "ARMOUR PIERCING"])))

    def _of_abilities(self, given: tuple[Modifier, ...], *, ignored: bool) -> tuple[Modifier, ...]:
        if ignored and self.rulings["ignore_armour_and_abilities"] == "abilities-too":
            return tuple(each for each, value in zip(given, values(given), strict=True) if value > 0)
        return given


Given = Armed | Activation | Sequence[Armed | Activation | TargetActivation]
Item = RollStage | TargetActivation

_ARMED = (Attack, Weapon, str)
_ATTACKS = "a Weapon, Attacks, Activations or TargetActivations"


def as_activations(
    attacks: Given, attacker: Attacker | None, situation: SituationKeywords
) -> list[Activation | TargetActivation]:
    """Return the Activations; attacks that are in none make one together."""
    own = attacker or Attacker()
    if isinstance(attacks, Weapon | str):
        for name in situation.keys() - SituationKeywords.__annotations__.keys():
            hint = validation.nearest(name, SituationKeywords.__annotations__)
            raise UnknownNameError(f"expected a keyword of an attack, got {shown(name)}; {hint}")
        return [Activation((Attack(weapon=attacks, **situation),), own)]
    if situation:
        raise MathhammerError(
            f"expected the situation inside each Attack, got {', '.join(situation)} beside attacks; "
            "write Attack(weapon=..., ...)"
        )
    given = [attacks] if isinstance(attacks, Attack | Activation) else attacks
    items = several(given, (*_ARMED, Activation, TargetActivation), _ATTACKS, 2 * MAXIMUM_ATTACKS)
    found: list[Activation | TargetActivation] = []
    for loose, run in groupby(items, lambda item: isinstance(item, _ARMED)):
        together = tuple(run)
        found += [Activation(as_attacks(together, _ATTACKS), own)] if loose else together
    if not any(isinstance(item, Activation) for item in found):
        raise MathhammerError("expected at least one attack, got none")
    return found


def compiled(
    activations: Sequence[Activation | TargetActivation],
    target: Target,
    edition: str,
    rulings: Rulings,
    *,
    places: Sequence[int] = range(1, MAXIMUM_ATTACKS + 1),
    aim: int = 0,
    side: int = 0,
) -> tuple[list[Item], list[Attacker]]:
    """Return every single attack in order, and the models with markers of their own (Keywords, FIRETEAM)."""
    made = [each for each in activations if isinstance(each, Activation)]
    count = sum(given.copies for each in made for given in each.attacks)
    if count > MAXIMUM_ATTACKS:
        raise TooLargeError(f"expected at most {MAXIMUM_ATTACKS} attacks, got {count}; use fewer")
    attackers: list[Attacker] = []
    items: list[Item] = []
    before: Activation | TargetActivation | None = None
    partner: int | None = None  # the place of the first model of a joint Activation
    together: list[RollStage] = []
    for activation in activations:
        if isinstance(activation, TargetActivation):
            items.append(activation)
            before = activation
            continue
        joint = _joint(before, activation)
        if joint and partner is None:
            raise MathhammerError(
                "expected two Activations in a row in a Fireteam, got three; put what happens between two Fireteams "
                "between them, or leave out fireteam=True"
            )
        if isinstance(before, Activation) and cut_off(before, activation):
            raise MathhammerError(
                f"expected no attack of {activation.attacker.name} after one with RELOAD, which ends the joint "
                f"Activation of the Fireteam; put the Activation of {before.attacker.name} last"
            )
        together = together if joint else []
        # Equal attackers are one model, unless they are partners.
        same = (place for place, known in enumerate(attackers) if known == activation.attacker)
        player = next((place for place in same if not joint or place != partner), len(attackers))
        attackers += [activation.attacker] * (player == len(attackers))
        of_whom = f" of {activation.attacker.name}" if len(activations) > 1 else ""
        attacks = (each for each in activation.attacks for _ in range(each.copies))
        made_here = [
            RollStage(
                *(number, of_whom, given, target, activation, edition, rulings, together, places[player]),
                starts=number == len(items) + 1,
                aim=aim,
                side=side,
            )
            for number, given in enumerate(attacks, len(items) + 1)
        ]
        together += made_here
        items += made_here
        before, partner = activation, None if joint else player
    return items, attackers


def _joint(before: Activation | TargetActivation | None, after: Activation | TargetActivation) -> bool:
    return all(isinstance(each, Activation) and each.fireteam for each in (before, after))


def cut_off(before: Activation | TargetActivation, after: Activation | TargetActivation) -> bool:
    """Whether RELOAD ends a joint Activation before the partner attacks."""
    reloads = isinstance(before, Activation) and any(given.has("RELOAD") for given in before.attacks)
    return reloads and _joint(before, after)
