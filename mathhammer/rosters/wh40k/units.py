"""One unit of an army list, put together: its models, its wargear, its rules and who owns them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mathhammer.errors import MathhammerError, RosterError
from mathhammer.expressions import dice
from mathhammer.rosters.reading import whole_points
from mathhammer.rosters.tree import MAX_COUNT, plain, require_room, shorten, singular, stat_lines
from mathhammer.systems.wh40k import ModelGroup, Unit, UnitRule, WeaponLine, parse_keywords
from mathhammer.systems.wh40k.profiles.profiles import UNREAL_DICE, Target, Weapon
from mathhammer.systems.wh40k.unit_rules.applied import groups_of
from mathhammer.systems.wh40k.unit_rules.reader import (
    has_no_effect,
    is_invulnerable_save,
    is_weapon_ability,
    read_rule,
)

if TYPE_CHECKING:
    from mathhammer.rosters.tree import Profile, RosterSelection

_NOTHING = {"", "-", "–", "—"}
_NUMBER = re.compile(r"[0-9]{1,4}")
_SAVE = re.compile(r"([2-7])\+?")
_INVULNERABLE = re.compile(r"([2-6]\+)(?: ?\((ranged|melee)\))?", re.IGNORECASE)
_MODE_MARK = "➤"
_AMOUNT = re.compile(r"\d{0,4}D[36](?:\+\d{1,4})?|\d{1,4}", re.IGNORECASE)
_ANTI_SEVERAL = re.compile(r"(?i)(?:^|(?<=,))\s*anti[- ]([^/,]+(?:/[^/,]+)+) ([2-6]\+?)\s*(?=,|$)")
_SUFFIX = re.compile(r"\s*[-–—]\s+")

_BODYGUARDS = re.compile(r"can (?:be attached to|lead) the following units?:(.*)", re.IGNORECASE)
_SEPARATOR = re.compile(r"[■•▪;,]|\*+|\^\^|(?:^|(?<=\s))[-–](?=\s)")
_NOT_BY_NAME = re.compile(r"\b(?:excluding|including|keywords?)\b", re.IGNORECASE)
_FURTHER = re.compile(r"\s\*?(?:This|You|If|While|When|Each|Note|In)\s")
_BESIDE_ANOTHER = re.compile(r"\beven if\b[^.]{1,160}\balready be", re.IGNORECASE)
_LED_AS = re.compile(
    r"\bif an? (?P<who>[^.]{1,80}?) (?:from your army )?(?:with the leader ability )?(?:\([^()]{1,60}\) )?"
    r"can be attached to (?:an? )?(?P<units>[^.]{1,120}?)(?: unit)?,? it can (?:instead )?be attached to this unit",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"\*+|\^\^")
_OR = re.compile(r"\s+or\s+(?:an?\s+)?", re.IGNORECASE)
#: What says of a leader only that it is one.
_ANY_LEADER = {"model", "unit", "character"}
_NOT_SAID = "not all models have it, or it is not said which"


@dataclass(slots=True)
class _Draft:
    """A unit while it is read."""

    root: RosterSelection
    warnings: list[str]
    #: All selections in force, each with the index of its models, ``None`` for the unit itself.
    nodes: list[tuple[RosterSelection, int | None]] = field(default_factory=list)
    #: The selections that are models, the root if there are none; and what is read of them.
    models: list[RosterSelection] = field(default_factory=list)
    groups: list[ModelGroup] = field(default_factory=list)
    rules: list[UnitRule] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        """Add what is simplified when the unit is computed with."""
        self.notes.append(f"{self.root.name}: {sentence}")

    def warn(self, sentence: str) -> None:
        """Add what was read with a doubt or left out."""
        self.warnings.append(f"{self.root.name}: {sentence}")

    @property
    def size(self) -> int:
        """Number of models at the start of the battle."""
        return sum(model.number for model in self.models)


def read_unit(root: RosterSelection, warnings: list[str]) -> Unit:
    """Read a unit; what was read with a doubt goes to the warnings."""
    draft = _Draft(root, warnings)
    _collect(draft, root, None)
    if not draft.models:
        draft.models.append(root)
        draft.nodes = [(node, 0) for node, _ in draft.nodes]
    elif len(draft.models) == 1:  # then wargear beside the models can be nobody else's
        draft.nodes = [(node, 0 if node is not root else None) for node, _ in draft.nodes]
    if draft.models[0] is not root and root.type == "model":
        draft.warn("it is a model that holds other models; only those are counted")
    elif draft.models[0] is not root and root.number > 1:
        draft.warn(f"it is listed {root.number} times in one entry; read as one unit of {draft.size} models")
    require_room(draft.size, MAX_COUNT, "models in a unit", shorten(root.name))
    # The groups of models, each with its stat line: its own, the unit's, or one of another model.
    on_unit = stat_lines(root.profiles)
    anywhere = stat_lines(profile for node, _ in draft.nodes for profile in node.profiles)
    for index, model in enumerate(draft.models):
        below = (profile for node, group in draft.nodes if group == index for profile in node.profiles)
        places = stat_lines(model.profiles) or on_unit or stat_lines(below) or anywhere
        draft.groups.append(_group(draft, model, places))
    leading = _read_rules(draft)
    weapons, unassigned = _read_wargear(draft)
    costs = whole_points(sum(node.points for node in root.walk()))
    points = max(0, round(costs))
    if costs != points:
        draft.warn(f"its costs add up to {costs} points, which no unit costs: taken as {points}")
    unit = Unit(
        name=root.name,
        points=points,
        models=tuple(draft.groups),
        weapons=weapons,
        keywords=root.keywords,
        factions=root.factions,
        enhancements=tuple(node.name for node, _ in draft.nodes if node.group.startswith("Enhancement")),
        rules=tuple(draft.rules),
        unassigned_weapons=unassigned,
        notes=tuple(dict.fromkeys(draft.notes)),
        **leading,
    )
    rules = []
    for rule in unit.rules:  # effects on models that the unit does not name count as not understood
        named = [each for each in rule.effects if each.scope == "named" and not groups_of(each, rule, unit)]
        effects = tuple(effect for effect in rule.effects if effect not in named)
        unread = (*rule.unread, *(f"for {', '.join(each.who)}" for each in named))
        rules.append(replace(rule, effects=effects, unread=unread))
    return replace(unit, rules=tuple(rules))


def _collect(draft: _Draft, node: RosterSelection, group: int | None) -> None:
    """Find the models of a unit and what belongs to which."""
    if node.number == 0:
        draft.warn(f"{node.name!r} is listed 0 times and left out")
    elif node.type == "crew":
        draft.note(f"{node.name} starts the battle inside another model and is not counted")
    else:
        if node.type == "model" and node is not draft.root:
            group = len(draft.models)
            draft.models.append(node)
        draft.nodes.append((node, group))
        for child in node.selections:
            _collect(draft, child, group)


def _group(draft: _Draft, model: RosterSelection, profiles: tuple[Profile, ...]) -> ModelGroup:
    """Return models with the stat line named like them, or the only one, or the first, and then it is said."""
    bare = ModelGroup(model.name, model.number, keywords=() if model is draft.root else model.keywords)
    if not profiles:
        draft.warn(f"the list holds no stat line for {model.name}: it cannot be a target")
        return bare
    name, profile = f" {singular(model.name)} ", profiles[0]  # " warden " in " warden with horn "
    if inside := [each for each in profiles if f" {singular(each.name)} " in name]:
        profile = max(inside, key=lambda each: len(each.name))
    elif len({each.characteristics for each in profiles}) > 1:
        said = f"{model.name} has {profile.name}'s"
        draft.note(f"the list has several stat lines and does not say whose: {said}")
    texts = {key: profile.get(key) or "" for key in ("T", "SV", "W", "InSv", "M", "LD", "OC")}
    toughness, wounds = (int(texts[key]) if _NUMBER.fullmatch(texts[key]) else 0 for key in ("T", "W"))
    save = _SAVE.fullmatch(texts["SV"])
    if not (0 < toughness <= MAX_COUNT and 0 < wounds <= MAX_COUNT and (save or texts["SV"] in _NOTHING)):
        line = ", ".join(f"{key} {shorten(texts[key], 20)}" for key in ("T", "SV", "W"))
        draft.warn(f"the stat line {profile.name!r} cannot be read ({line}) and is left out")
        return bare
    if not save:
        draft.warn(f"the stat line {profile.name!r} has no SV: read as no save")
    invulnerable = _INVULNERABLE.fullmatch(texts["InSv"])  # of the 11th; abilities may say more (``5+*``)
    if not invulnerable and texts["InSv"] not in _NOTHING:
        of = f"the invulnerable save {texts['InSv']!r} of {profile.name}"
        draft.note(f"{of} carries a condition the stat line does not say")
    target = Target(
        "Model",
        toughness=toughness,
        save=int(save[1]) if save else None,
        wounds=wounds,
        invulnerable=" ".join(filter(None, invulnerable.groups())).lower() if invulnerable else None,
    )
    others: dict[str, Any] = dict(
        zip(("movement", "leadership", "objective_control"), [*texts.values()][4:], strict=True)
    )
    return replace(bare, profile=target, **others)


def _read_wargear(draft: _Draft) -> tuple[tuple[WeaponLine, ...], tuple[Weapon, ...]]:
    """Read the weapon lines of a unit, and its weapons without a bearer."""
    lines: list[WeaponLine] = []
    unassigned: tuple[Weapon, ...] = ()
    armed = [(node, group) for node, group in draft.nodes if node.weapons]
    for node, group in armed:
        on_unit = node is draft.root and group is None
        line = _line(draft, node, group, draft.size if on_unit else node.number)
        if on_unit and any(other is not None for _, other in armed):
            unassigned = line.modes
            names = ", ".join(weapon.name for weapon in unassigned)
            draft.warn(f"no bearer is listed for these weapons, so they are not used: {names}")
        elif line.modes:
            lines.append(line)
            if group is None:
                draft.note(
                    f"the list does not say which model carries {line.name}: it is used once for each copy"
                )
    return tuple(lines), unassigned


def _line(draft: _Draft, node: RosterSelection, group: int | None, count: int) -> WeaponLine:
    """Read the weapons of one selection, each a choice of modes."""
    profiles = [each for each in node.weapons if not each.hidden]
    keys = [(each.kind, _MODE_MARK in each.name, plain(base_name(each.name))) for each in profiles]
    lonely = {kind for kind, marked, base in keys if marked and keys.count((kind, marked, base)) == 1}
    choices: dict[tuple[str, bool, str], list[Weapon]] = {}
    for (kind, marked, base), profile in zip(keys, profiles, strict=True):
        modes = choices.setdefault((kind, marked, "" if marked and kind in lonely else base), [])
        weapon, doubts = read_weapon(profile, count)
        if weapon is None:
            draft.warn(f"the weapon {profile.name!r} is left out: {doubts[-1]}")
        else:
            modes.append(weapon)
            for doubt in doubts:
                draft.warn(f"{weapon.name}: {doubt}")
    bearer = draft.root.name if group is None else draft.models[group].name
    return WeaponLine(node.name, count, bearer, group, tuple(map(tuple, filter(None, choices.values()))))


def read_weapon(profile: Profile, copies: int) -> tuple[Weapon | None, list[str]]:
    """Read one weapon profile."""
    doubts: list[str] = []
    ranged = profile.kind == "Ranged Weapons"
    skill = profile.get("BS" if ranged else "WS") or ""
    # "Anti-A/B 3+", as the 11th edition writes it, is "Anti-A 3+, Anti-B 3+".
    keywords = _ANTI_SEVERAL.sub(
        lambda match: ", ".join(f"Anti-{target.strip()} {match[2]}" for target in match[1].split("/")),
        profile.get("Keywords") or "-",
    )
    try:
        weapon = Weapon(
            profile.name.replace(_MODE_MARK, " ").strip(),
            range=(profile.get("Range") or "-") if ranged else "Melee",
            attacks=_amount(profile, "A", copies, doubts),
            skill=None if skill in _NOTHING or skill.casefold() == "n/a" else skill,
            strength=_amount(profile, "S", 1, doubts),
            ap=_armour_penetration(profile, doubts),
            damage=_amount(profile, "D", 1, doubts),
            keywords=parse_keywords(keywords, on_unknown="keep"),
        )
    except MathhammerError as error:
        return None, [*doubts, " ".join(str(error).split())]
    unknown = [str(keyword) for keyword in weapon.keywords if not keyword.known]
    return weapon, [*doubts, *(f"its ability {shorten(keyword)} is not computed" for keyword in unknown)]


def base_name(name: str) -> str:
    """Name of the weapon that a profile is a mode of."""
    return _SUFFIX.split(name.replace(_MODE_MARK, " ").strip())[0]


def _amount(profile: Profile, name: str, copies: int, doubts: list[str]) -> str:
    """Text of A, S or D in one spelling, with all its numbers checked."""
    text = re.sub(r"\s*\+\s*", "+", profile.get(name) or "").strip()
    if name == "S" and re.fullmatch(r"\d{1,2}\+", text):
        doubts.append(f"Strength {text!r} is read as {text[:-1]}")
        text = text[:-1]
    if real := UNREAL_DICE.get(text.upper()):
        label = {"A": "Attacks", "S": "Strength", "D": "Damage"}[name]
        doubts.append(f"{label} {text!r} is read as {real}, for no die of the game has {text[1:]} faces")
        text = real
    if not _AMOUNT.fullmatch(text):
        raise RosterError(f"expected {name} to be a number or dice such as D6+1, got {shorten(text)}")
    most = f"{MAX_COUNT:,} attacks and as much Strength and Damage"
    if dice(text).bounds()[1] * copies > MAX_COUNT:
        raise RosterError(f"expected at most {most}, got {text}")
    return text.upper()


def _armour_penetration(profile: Profile, doubts: list[str]) -> int:
    text = (profile.get("AP") or "").replace("−", "-").replace("–", "-")
    match = re.fullmatch(r"(-?)(\d{1,2})", "0" if text in _NOTHING else text)
    if not match:
        raise RosterError(f"expected AP to be 0 or a number such as -2, got {shorten(text)}")
    if not match[1] and int(match[2]):
        doubts.append(f"AP {text!r} without a sign is read as -{text}")
    return -int(match[2])


def read_led_as(text: str) -> tuple[tuple[str, str], ...]:
    """Return the units whose leaders can lead this one too, each behind what the leader must be."""
    found = []
    for match in _LED_AS.finditer(_MARKUP.sub("", text)):
        for who in _OR.split(match["who"]):
            named = re.sub(r"(?i)\s*\b(?:model|unit)\b", "", who).strip()
            kind = "" if named.casefold() in _ANY_LEADER else named
            found += [(kind, unit.strip()) for unit in _OR.split(match["units"])]
    return tuple(found)


def rule_of(name: str, text: str, source: str, of: str) -> UnitRule:
    """Return the rule of a name and its text; without a text its effect is unknown."""
    effects, unread = read_rule(name, text)
    if is_invulnerable_save(name) and not effects and not unread:
        unread = ("invulnerable save",)
    elif not (text.strip() or effects or has_no_effect(name)):
        unread = ("the list holds no text",)
    return UnitRule(name, source, of, effects, unread)


def _read_rules(draft: _Draft) -> dict[str, Any]:
    """Read all abilities and rules of a unit, and return what they say about leading and being led."""
    leads: dict[str, None] = {}
    led_as: dict[tuple[str, str], None] = {}
    joins_led: bool | None = None
    for node, group in draft.nodes:
        texts: list[str] = []
        for profile in node.profiles:
            if profile.hidden:
                draft.warn(f"{profile.name!r} is hidden in the list and left out")
            elif not (profile.is_weapon or profile.is_stat_line or profile.kind == "Transport"):
                texts.append(profile.text)
                line = " ".join(texts[-1].split())
                listed = _BODYGUARDS.search(line) if has_no_effect(profile.name) else None
                units = _SEPARATOR.split(_FURTHER.split(listed[1])[0]) if listed else []
                found = [name for each in units if (name := each.strip(" ."))]
                if found and not any(map(_NOT_BY_NAME.search, units)):
                    leads |= dict.fromkeys(found)
                    joins_led = _BESIDE_ANOTHER.search(line) is not None
                led_as |= dict.fromkeys(read_led_as(line))
                _add(draft, profile.name, texts[-1], node, group)
        said = plain(" ".join(texts))
        weapons = [profile for each in node.walk() for profile in each.weapons]
        carried = [ability for profile in weapons for ability in (profile.get("Keywords") or "").split(",")]
        is_wargear = node.type == "upgrade" and bool(node.weapons)
        for name, text in dict(node.rules).items():
            # It repeats the weapon's keywords, without their numbers; or list builders attach the rule to any
            # ability that mentions it, and then the text says when it holds.
            repeats = is_weapon_ability(name, None if is_wargear else carried)
            named = is_weapon_ability(name) or plain(name).startswith("feel no pain")
            if not (repeats or (named and plain(name) in said)):
                _add(draft, name, text, node, group)
    return {"leads": tuple(leads), "led_as": tuple(led_as), "joins_led": joins_led}


def _add(draft: _Draft, name: str, text: str, node: RosterSelection, group: int | None) -> None:
    """Put a rule into the unit with those who own it, as far as they can be told; that of several models is one."""
    source = "wargear" if node.type == "upgrade" and node is not draft.root else "datasheet"
    source = "enhancement" if node.group.startswith("Enhancement") else source
    rule = rule_of(name, text, source, draft.root.name)
    everyone = tuple(range(len(draft.groups)))
    if node is draft.root:  # "this model" on a unit is a wording for all its models; a bearer is one of them
        owners = everyone if len(everyone) == 1 or "the bearer" not in plain(text) else ()
    elif group is None:
        owners = everyone if node.number >= draft.size else ()
    else:
        is_whole = node is draft.models[group] or node.number >= draft.groups[group].count
        owners = (group,) if is_whole else ()
    if any(effect.scope == "model" for effect in rule.effects) and not owners:
        rule = replace(rule, unread=(*rule.unread, _NOT_SAID))
        draft.note(f"{rule.effects[0]} ({name}) is left out: {_NOT_SAID}")
    if rule.unread and is_invulnerable_save(name):
        draft.warn(f"{name!r} says more than a plain save: {', '.join(rule.unread)}")
    for index, known in enumerate(draft.rules):
        if replace(known, groups=()) == rule:
            draft.rules[index] = replace(known, groups=tuple(sorted({*known.groups, *owners})))
            return
    draft.rules.append(replace(rule, groups=owners))
