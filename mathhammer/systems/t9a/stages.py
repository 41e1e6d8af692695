"""The attack sequence of The 9th Age: a model part, its weapon in hand, roll by roll against a target."""

from __future__ import annotations

from copy import copy
from functools import cached_property, lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from mathhammer.distributions.integer_distribution import GeneratingFunction, IntegerDistribution
from mathhammer.errors import MathhammerError, TooLargeError
from mathhammer.expressions.base import as_expression
from mathhammer.expressions.check import Check, Reroll
from mathhammer.modifiers import Modifier, clamped_total
from mathhammer.sequence.attack_distribution import AttackDistribution, repeated, roll, saving_throw
from mathhammer.sequence.result import Counts, damage_parts
from mathhammer.sequence.volley import AttackNumber
from mathhammer.systems.t9a.attributes import CHAMPION, MOST_ARMOUR, RANK_AND_FILE, SpecialSave
from mathhammer.systems.t9a.profiles import MAXIMUM_ATTACKS, ModelPart, Target
from mathhammer.systems.t9a.situation import Edition, Rerolled, Situation, characteristic

if TYPE_CHECKING:
    from collections.abc import Callable

    from mathhammer.expressions import Expression
    from mathhammer.sequence.rulings import Rulings

#: The first and the last Initiative Step, and the Special Attacks that have one whatever the Agility.
FIRST_STEP, LAST_STEP = 10, 0
STEPS = {"Impact Hits": FIRST_STEP, "Stomp Attacks": LAST_STEP, "Crush Attack": LAST_STEP}
#: Armour Penetration of a Lethal Strike; most hits of one Penetrating shot; the need of a Hopeless Shot.
LETHAL_PENETRATION, MOST_PENETRATED, HOPELESS = 10, 5, 7
#: Bounds of the sum of modifiers, which no rule caps.
BOUNDS = -1_000_000, 1_000_000


def _braced(situation: Situation) -> bool:
    return situation.first_round and not situation.charging and not situation.flanked


#: What weapons add, and when (The 9th Age rulebook, 2nd edition, Weapons).
_WEAPONS: tuple[tuple[str, Callable[[Situation], bool], dict[str, int]], ...] = (
    ("Great Weapon", lambda _: True, {"Strength": 2, "Armour Penetration": 2}),
    ("Halberd", lambda _: True, {"Strength": 1, "Armour Penetration": 1}),
    ("Lance", lambda situation: situation.charging, {"Strength": 2, "Armour Penetration": 2}),
    ("Light Lance", lambda situation: situation.charging, {"Strength": 1, "Armour Penetration": 1}),
    ("Paired Weapons", lambda _: True, {"Attack Value": 1, "Offensive Skill": 1}),
    ("Spear", _braced, {"Armour Penetration": 2, "Agility": 2}),
    ("Spear", lambda situation: not _braced(situation), {"Armour Penetration": 1}),
)


def armed(
    part: ModelPart, situation: Situation, target: Target
) -> tuple[ModelPart, dict[str, list[Modifier]]]:
    """Return what a model part attacks with, and what changed its characteristics, by their names."""
    part = _in_scope(part, target)
    # 2nd edition, Weapons; Set Agility Order, Charging Momentum; Model Rules, Devastating Charge, Toxic Attacks and
    # Special Attacks.
    bonuses = [("Charging Momentum", "Agility", 1)] * situation.charging
    if not part.special:
        weapons = ((name, adds) for name, when, adds in _WEAPONS if part.has(name) and when(situation))
        bonuses += [(name, each, number) for name, adds in weapons for each, number in adds.items()]
        charges = [each for each in part.attributes if each.name == "Devastating Charge"] * situation.charging
        # They are cumulative; the Advance Rate is of the move, which is over.
        bonuses += [(each.name, *bonus) for each in charges for bonus in each.bonuses]
        granted = (one for each in charges for one in each.grants)
        part = _in_scope(part.with_value("attributes", (*part.attributes, *granted)), target)
    changes: dict[str, list[Modifier]] = {}
    for source, name, number in bonuses:
        if number:
            changes.setdefault(name, []).append(Modifier("add", number, source))
    if part.has("Toxic Attacks"):
        for name, number in (("Strength", 3), ("Armour Penetration", 10)):
            changes[name] = [Modifier("set", number, "Toxic Attacks")]
    step = next((step for name, step in STEPS.items() if part.has(name)), None)
    if part.has("Great Weapon") and not part.has("Lightning Reflexes") and not part.special:
        step = LAST_STEP

    def after(name: str, value: int, **bounds: Any) -> int:
        return characteristic(value, changes.get(name, ()), **bounds)

    skill, more = part.offensive_skill, sum(modifier.value for modifier in changes.get("Attack Value", ()))
    values = {
        "attacks": part.attacks + more if more else part.attacks,
        "strength": after("Strength", part.strength),
        "armour_penetration": after("Armour Penetration", part.armour_penetration),
        "offensive_skill": None if skill is None else after("Offensive Skill", skill),
        "agility": after("Agility", part.agility, most=FIRST_STEP, least=1) if step is None else step,
    }
    for name, value in values.items():
        part = part.with_value(name, value)
    return part, changes


def _in_scope(part: ModelPart, target: Target) -> ModelPart:
    """Return the part without the rules that do not count against a target: Hatred (against Large) and the like."""
    names = {attribute.name for attribute in target.attributes} | {save.name for save in target.special_saves}
    names |= {{RANK_AND_FILE: "Rank and File", CHAMPION: "Champion"}.get(str(part.at), "Character")}
    names |= set() if names & {"Large", "Gigantic"} else {"Standard"}
    immune = {each.name for rule in target.attributes if rule.name == "Immune" for each in rule.grants}
    counts = (
        each
        for each in part.attributes
        if each.name not in immune and (not each.against or any(names >= set(one) for one in each.against))
    )
    return part.with_value("attributes", tuple(counts))


class ToHit(NamedTuple):
    """The to-hit roll of one attack."""

    #: What is compared with what.
    text: str
    #: The number needed after modifiers; None for an automatic hit.
    need: int | None
    #: Those in force, with their sources.
    modifiers: tuple[Modifier, ...]
    #: Weights of a miss, of a hit, and of a hit on a natural 6.
    weights: tuple[int, int, int]


class WoundSaves(NamedTuple):
    """What may stop a wound: the roll of the Armour Save if there is one, and the Special Saves."""

    armour: int | None
    special: tuple[SpecialSave, ...]
    #: The weight of a wound that gets through, and its denominator.
    unsaved: tuple[int, int]


_NOTHING = AttackDistribution.of(GeneratingFunction.one())
_ONE, _ONE_BRACKETED = (AttackDistribution.of(GeneratingFunction.unit(place)) for place in range(2))


class ToWound(NamedTuple):
    """The to-wound roll of one hit, the saves against its wound, and those against a Lethal Strike."""

    check: Check
    saves: WoundSaves
    lethal: WoundSaves
    #: Wounds that an unsaved wound multiplies to, and whether that comes before the saves.
    damage: IntegerDistribution
    before_saves: bool

    def through(self, one: AttackDistribution) -> AttackDistribution:
        """Unsaved wounds of one hit."""
        saved, lethal = self.saved(one, self.saves), self.saved(one, self.lethal)
        return roll(self.check, {"fail": _NOTHING, "success": saved, "critical": lethal})

    def saved(self, one: AttackDistribution, saves: WoundSaves) -> AttackDistribution:
        """Return what is left of one wound: it may be several that are saved one by one."""
        weight, out_of = saves.unsaved
        each = saving_throw(weight, one, out_of=out_of)
        return repeated(each, self.damage) if self.before_saves else each


class PartStages:
    """A model part compiled against a target, roll by roll: a volley in the words of the sequence."""

    #: No part has a single re-roll of its own.
    own: ClassVar[frozenset[str]] = frozenset()

    def __init__(
        self,
        part: ModelPart,
        target: Target,
        situation: Situation,
        rules: tuple[Edition, Rulings],
        *,
        standing: int,
    ) -> None:
        self.target, self.situation, (self._edition, self.rulings) = target, situation, rules
        #: The models that are there to be hit.
        self.standing = standing
        #: What it strikes with, and what changed that, by characteristic.
        self.armed, self.changes = armed(part, situation, target)
        self.part = part = part.with_value("attributes", self.armed.attributes)
        #: The target's Armour after modifiers, and the Health Points of a model of it.
        self.armour = characteristic(target.armour, situation.armour_modifier, most=MOST_ARMOUR)
        self.health_points = (part.at == CHAMPION and target.champion) or target.health_points
        self.hit = self._to_hit()
        damage = self._multiple_wounds()
        self.wound = self._to_wound(self.armed.strength, self.armed.armour_penetration, damage)
        #: What the first of several hits does, if it is another thing.
        self.bracketed: ToWound | None = None
        if (brackets := part.bracketed) is not None:
            damage = self._multiplied(brackets.multiple_wounds, wings=part.has("Clipped Wings"))
            self.bracketed = self._to_wound(brackets.strength, brackets.armour_penetration, damage)
        #: Hits of an attack that hits, before the models of the target limit them.
        self.hits_each = min(situation.depth or 1, MOST_PENETRATED) if part.has("Penetrating") else 1
        # 2nd edition, Area Attack; Penetrating: geometry comes in as numbers, never more than models in the unit.
        if (area := part.find("Area Attack")) and area.area:
            width, depth = area.area
            self.hits_each = min(width, situation.width or width) * min(depth, situation.depth or depth)
        self.number = self._attacks_of(part.models)
        hits = part.models * part.attacks.bounds()[1] * min(self.hits_each, standing)
        if hits > MAXIMUM_ATTACKS:
            raise TooLargeError(
                f"expected at most {MAXIMUM_ATTACKS:,} hits of {part.name!r}, got {hits:,}; use fewer attacks"
            )

    def against(self, standing: int, number: int, attacks: int = 0) -> PartStages:
        """Return what so many model parts, or so many attacks, do to a unit of which so many models stand."""
        volley = copy(self)
        volley.__dict__.pop("kinds", None)
        volley.standing = standing
        volley.number = self._attacks_of(number, attacks)
        return volley

    def _attacks_of(self, models: int, given: int = 0) -> AttackNumber:
        """Return the number of attacks of so many model parts, unless it is given."""
        attacks = self.armed.attacks
        low, high = attacks.bounds()
        if given or low == high:
            return AttackNumber(as_expression(given or low * models))
        once = self.rulings["random_attacks"] == "once"
        return AttackNumber(attacks * models if once else attacks if models == 1 else models @ attacks)

    def _to_hit(self) -> ToHit:
        target, kind = self.target, self.part.kind
        large = any(map(target.has, ("Large", "Gigantic", "Cannot be Stomped")))
        if large and self.part.has("Stomp Attacks"):
            return ToHit("only models of Standard Size suffer hits", None, (), (1, 0, 0))
        if kind == "automatic":
            return ToHit("automatic, no roll", None, (), (0, 1, 0))
        return self._melee() if kind == "melee" else self._shooting()

    def _melee(self) -> ToHit:
        part, target, offensive = self.part, self.target, self.armed.offensive_skill
        if target.defensive_skill is None or offensive is None:
            raise MathhammerError(
                f"expected a Defensive Skill (Def 3) of {target.name!r}, which {part.name!r} strikes in melee, got none"
            )
        defensive, parried = target.defensive_skill, ""
        in_front = not self.situation.flank_or_rear and not part.has("Paired Weapons")
        known = self._edition.name != "3e" or self.rulings["parry_third_edition"] == "as-2e"
        if target.has("Parry") and in_front and known:
            defensive, parried = max(defensive + 1, offensive), " (Parry)"
        # 2nd edition, Rolling to Hit; 3rd edition, Standard Melee Attacks.
        table, worst = self._edition.melee_table, self._edition.melee_worst
        need = next((need for least, need in table if offensive - defensive >= least), worst)
        modifiers = self._melee_modifiers()
        hated = part.has("Hatred") and self.situation.first_round
        reroll: Rerolled = "failed" if hated else self.situation.reroll_hits
        total = clamped_total(modifiers, *BOUNDS)
        check = Check(need, total, succeeds_from=6, criticals=((6, False),), reroll=reroll)
        text = f"Off {offensive} against Def {defensive}{parried}: {need}+{again(reroll)}"
        return ToHit(text, need - total, modifiers, check.weights())

    def _melee_modifiers(self) -> tuple[Modifier, ...]:
        """All modifiers in melee; Distracting gives way to other negative ones."""
        rulings, situation = self.rulings, self.situation
        found = [
            *situation.hit_modifier,
            *_added("failed Fear test", -situation.attacker_afraid),
            *_added("the target failed its Fear test", situation.target_afraid),
        ]
        distracting = self.target.has("Distracting") and (
            rulings["distracting"] == "added" or all(clamped_total([each], *BOUNDS) >= 0 for each in found)
        )
        bonus_lost = distracting and rulings["distracting_and_lightning_reflexes"] == "bonus-lost"
        reflexes = self.part.has("Lightning Reflexes") and not self.part.has("Great Weapon")
        found += _added("Lightning Reflexes", reflexes and not bonus_lost)
        return *found, *_added("Distracting", -distracting)

    def _shooting(self) -> ToHit:
        aim, rulings, reroll = self.part.aim or 0, self.rulings, self.situation.reroll_hits
        modifiers = self._shooting_modifiers()
        need = aim - clamped_total(modifiers, *BOUNDS)
        text = f"Aim {aim}+{again(reroll)}"
        natural_6 = rulings["shooting_natural_6"] == "hits"
        if need >= HOPELESS and not natural_6:
            if need > HOPELESS or not self._edition.hopeless_shots:
                return ToHit(f"{text}; {need}+ cannot hit", need, modifiers, (1, 0, 0))
            both = reroll and rulings[f"hopeless_reroll_{reroll}"] == "both-dice"
            first, second = Check(6, reroll=reroll), Check(4, reroll=reroll if both else None)
            hit = first.weights()[1] * second.weights()[1]
            text += "; Hopeless Shot: a 6, then 4+"
            return ToHit(text, need, modifiers, (36 * 36 - hit, 0, hit))
        fails_up_to = 1 if rulings["shooting_natural_1"] == "misses" else 0
        check = Check(need, 0, fails_up_to, 6 if natural_6 else 7, ((6, True),), reroll)
        return ToHit(text, need, modifiers, check.weights())

    def _shooting_modifiers(self) -> tuple[Modifier, ...]:
        """All modifiers of a shot: range, movement, cover, and what cancels them."""
        has, at, unwieldy = self.part.has, self.situation, self.part.find("Unwieldy")
        reacts = -1 if self.rulings["stand_and_shoot_third_edition"] == "as-2e" else 0
        found = (
            ("Long Range", -(at.long_range and not has("Accurate"))),
            ("Moved and Shooting", -(at.moved and not has("Quick to Fire"))),
            ("Unwieldy", -unwieldy.number if at.moved and unwieldy else 0),
            (f"{(at.cover or '').capitalize()} Cover", {None: 0, "soft": -1, "hard": -2}[at.cover]),
            (
                "Stand and Shoot",
                (self._edition.stand_and_shoot or reacts) * at.stand_and_shoot * (not has("Steady Aim")),
            ),
            *((each.name, -each.number) for each in self.target.attributes if each.name == "Hard Target"),
        )
        return (*at.hit_modifier, *(one for source, number in found for one in _added(source, number)))

    def _to_wound(self, strength: int, penetration: int, damage: IntegerDistribution) -> ToWound:
        part, target, situation = self.part, self.target, self.situation
        flammable = part.has("Flaming Attacks") and target.has("Flammable")
        check = Check(
            max(2, min(6, 4 - (strength - target.resilience))),  # 2nd and 3rd edition, To-Wound Rolls
            clamped_total(situation.wound_modifier, *BOUNDS),
            succeeds_from=6,
            criticals=((6, False),),
            reroll="failed" if flammable else situation.reroll_wounds,
        )
        saves = self._saves(penetration)
        lethal = self._saves(LETHAL_PENETRATION, lethal=True) if part.has("Lethal Strike") else saves
        return ToWound(check, saves, lethal, damage, self.rulings["multiple_wounds_order"] == "before-saves")

    def _saves(self, penetration: int, *, lethal: bool = False) -> WoundSaves:
        """Return the saves against a wound, one by a Lethal Strike or another, by what its attack has and is."""
        # 2nd edition, Armour Saves, Special Saves, Fortitude, Lethal Strike, Classification of Attacks; 3rd edition,
        # the same.
        part, situation, rulings = self.part, self.situation, self.rulings
        left = self.armour - max(penetration, 0)
        need = None if left <= 0 else max(2, 7 - left)
        failed = 36 if need is None else Check(need, reroll=situation.reroll_armour).weights()[0]
        kinds = {"Melee Attacks" if part.is_melee(situation) else "Ranged Attacks"}
        kinds |= {"Special Attacks"} if part.special and not part.has("Crush Attack") else set()
        special = tuple(
            save
            for save in self.target.special_saves
            if (not save.against or save.against in kinds or part.has(save.against))
            and not (save.name == "Fortitude" and (lethal or part.has("Flaming Attacks")))
        )
        if not special:
            return WoundSaves(need, special, (failed, 36))
        given = situation.reroll_special, situation.reroll_aegis
        rerolls: dict[str, Reroll] = {
            "Aegis": "failed" if "failed" in given else given[0] or given[1],
            "Fortitude": given[0],
        }
        fails = rulings["special_save_natural_1"] == "fails"
        passed = [
            save.passes(rerolls[save.name], divine=part.has("Divine Attacks"), natural_1_fails=fails)
            for save in special
        ]
        if rulings["special_saves"] == "each":
            unsaved = failed * prod(36 - each for each in passed), 36 * 36 ** len(passed)
            return WoundSaves(need, special, unsaved)
        taken = max(passed)
        if rulings["special_save_choice"] == "lowest-number":
            taken = min(zip((save.need for save in special), passed, strict=True))[1]
        return WoundSaves(need, special, (failed * (36 - taken), 36 * 36))

    def _multiple_wounds(self) -> IntegerDistribution:
        """Return what an unsaved wound multiplies to: of several Multiple Wounds that count, the best."""
        # 2nd edition, Multiple Wounds; Clipped Wings.
        winged = self.part.has("Clipped Wings")
        multiple = (each for each in self.part.attributes if each.name == "Multiple Wounds")
        values = [(each.value, winged or bool(each.grants)) for each in multiple if each.value is not None]
        found = [
            self._multiplied(value, wings=wings) for value, wings in ((as_expression(1), False), *values)
        ]
        return max(found, key=lambda distribution: distribution.mean()[0] / distribution.mean()[1])

    def _multiplied(self, multiple: Expression, *, wings: bool = False) -> IntegerDistribution:
        """Distribution of the wounds that one unsaved wound becomes, clipped at the Health Points Characteristic."""
        clips = self.rulings["multiple_wounds_clip"] == "health-points"
        more = multiple + 1 if wings and self.target.has("Fly") else multiple
        return _clipped(more, self.health_points if clips else None)

    @cached_property
    def kinds(self) -> AttackDistribution:
        """Hits of one attack: ordinary ones, the first of them, and one that wounds by itself on a natural 6."""
        hit, first, by_itself = (AttackDistribution.of(GeneratingFunction.unit(kind, 3)) for kind in range(3))
        others = repeated(hit, IntegerDistribution(min(self.hits_each, self.standing) - 1, (1,), 1))
        on_6 = (by_itself if self.part.has("Poison Attacks") else first) * others
        if self.part.has("Battle Focus"):
            on_6 = on_6 * hit
        follows = (AttackDistribution.of(GeneratingFunction.one(3)), first * others, on_6)
        weights = self.hit.weights
        return AttackDistribution.mixture(list(zip(weights, follows, strict=True)), sum(weights))

    def hits(self) -> AttackDistribution:
        return self.kinds.then([_ONE, _ONE, _ONE])

    def wounds(self) -> AttackDistribution:
        wounds = {"fail": _NOTHING, "success": _ONE, "critical": _ONE}
        first = self.bracketed or self.wound
        return self.kinds.then([roll(self.wound.check, wounds), roll(first.check, wounds), _ONE])

    def unsaved(self) -> AttackDistribution:
        first, one = (self.wound, _ONE) if self.bracketed is None else (self.bracketed, _ONE_BRACKETED)
        lethal = self.part.has("Lethal Strike") and self.rulings["poison_and_lethal"] == "as-natural-6"
        by_itself = first.saved(one, first.lethal if lethal else first.saves)
        return self.kinds.then([self.wound.through(_ONE), first.through(one), by_itself])

    def damage(self) -> Counts:
        one = IntegerDistribution(1, (1,), 1)
        kinds = self.wound, self.bracketed or self.wound
        damages = [one if kind.before_saves else kind.damage for kind in kinds]
        return damage_parts(self.unsaved(), damages)


@lru_cache(maxsize=256)
def _clipped(multiple: Expression, most: int | None) -> IntegerDistribution:
    exact = multiple.compute()
    clipped = exact if most is None else exact.map(lambda wounds: min(wounds, most))
    return IntegerDistribution.from_distribution(clipped)


def _added(source: str, number: int) -> list[Modifier]:
    return [Modifier("add", int(number), source)] if number else []


def again(reroll: Reroll) -> str:
    """Return which dice of a roll are rerolled, in words."""
    return f"; reroll {reroll}" if reroll else ""
