"""The controls of Warhammer 40,000: rows of weapons and models, the situation of an edition, and what they make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from mathhammer import validation
from mathhammer.errors import MathhammerError
from mathhammer.fields.kinds import Enough
from mathhammer.page.fields import Control, control, ruling_fields, written
from mathhammer.systems.wh40k import Target, TargetUnit, Volley, Weapon
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, EDITIONS, find_edition, rulebook
from mathhammer.systems.wh40k.profiles.targets import TARGETS
from mathhammer.systems.wh40k.rules import rule as values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mathhammer.page.fields import Request
    from mathhammer.systems.wh40k.editions.edition import Edition
    from mathhammer.systems.wh40k.rules.rule import Condition, TargetRule

    Row = Mapping[str, str]

T = TypeVar("T")
_REROLLS = {
    "ones": "results of 1",
    "failed": "failed rolls",
    "failed-unmodified": "rolls that fail before modifiers",
    "non-critical": "all but critical",
    "one": "one of all (Command Re-roll)",
    "first": "on the first low roll",
    "best": "as well as can be",
}
_WEAPON = (
    Control("count", "Number", "Number of weapons", number=1),
    Control("melee", "Melee", "A melee weapon", kind="flag"),
    Control("attacks", "A", "Attacks (A)", needed=True),
    Control("skill", "BS/WS", "Hits on (BS, WS)"),
    Control("strength", "S", "Strength (S)", needed=True),
    Control("ap", "AP", "Penetration (AP)", number=0),
    Control("damage", "D", "Damage (D)", needed=True),
    Control("keywords", "Abilities", "Abilities"),
)
#: Of a target what stands beside the control of a field, in short and in full.
_TARGET = {
    "models": ("Number", "Models"),
    "toughness": ("T", "Toughness (T)"),
    "save": ("Sv", "Save (Sv)"),
    "invulnerable": ("InSv", "Invulnerable"),
    "wounds": ("W", "Wounds (W)"),
    "keywords": ("Keywords", "Keywords"),
    "wounds_lost": ("Wounds lost", "Wounds lost before"),
}
#: What has no control and goes back as it came.
_UNSEEN = [control(name, Target.fields[name])._replace(more=True) for name in ("points", "deadly_demise")]


def edition_controls(edition: str | None = None) -> dict[str, object]:
    """Return what an edition offers: its situation, rulings, abilities and standard targets."""
    chosen = find_edition(edition or DEFAULT_EDITION)
    return {
        "edition": chosen.name,
        "title": chosen.title,
        "editions": [{"name": each.name, "title": each.title} for each in reversed(list(EDITIONS.values()))],
        "situation": [
            {**field._asdict(), "offered": chosen.conditions[name].offered}
            for name, field in situation_fields(chosen).items()
        ],
        "rulings": ruling_fields(chosen.rulings),
        "weapon": [each._asdict() for each in _WEAPON],
        "models": [each._asdict() for each in _of_target(chosen.target_rules)],
        "targets": [target_row(target) for target in TARGETS.of(chosen.name).values()],
    }


def situation_fields(edition: Edition) -> dict[str, Control]:
    """Return the control of each keyword that needs no Python and does not choose among leaders."""
    found = {name: _situation_field(rule, edition) for name, rule in edition.conditions.items()}
    return {name: field for name, field in found.items() if field.kind == "flag" or field.options}


def _situation_field(rule: Condition, edition: Edition) -> Control:
    options: Sequence[tuple[str, object]] = ()
    usual = "-"
    match rule.value:
        case values.Kinds():
            options = [(cover.name, cover.name) for cover in edition.covers]
        case values.Names(names=names):
            some = {"hit rolls and skill": ("hit", "skill"), "hit and wound rolls": ("hit", "wound")}
            options = [
                (f"of {what}", sorted(which)) for what, which in (some | {"everything": names}).items()
            ]
        case values.RollModifiers():
            options = [(f"{step:+d}", step) for step in (2, 1, -1, -2)]
        case values.Critical():
            options, usual = [(f"{face}+", face) for face in range(5, 1, -1)], "6+"
        case values.Face(usual=face, least=least, most=most):
            options = [(str(each), each) for each in range(least, most + 1) if each != face]
            usual = usual if face is None else str(face)
        case values.Rerolls(names=words):
            options = [(_REROLLS.get(word, word), word) for word in words]
    flag = isinstance(rule.value, values.Flag) or (isinstance(rule.value, values.Kinds) and len(options) < 2)
    return Control(rule.name, rule.label, rule.help, "", "flag" if flag else "choice", options, usual)


def _of_target(rules: Mapping[str, TargetRule]) -> list[Control]:
    """Return the characteristics of a target and the rules that have a control."""
    known = [(name, *words, name == "wounds_lost") for name, words in _TARGET.items()]
    known += [
        (rule.name, rule.short or rule.printed, rule.help, not rule.offered)
        for rule in rules.values()
        if rule.control
    ]
    return [
        control(name, Target.fields[name])._replace(label=label, help=words, more=more)
        for name, label, words, more in known
    ]


def _arguments(kind: type[Weapon | Target], row: Row, controls: Sequence[Control]) -> dict[str, Any]:
    """Return what a row of texts says, as arguments of a profile; of a roll also that there is none."""
    found = {each.name: each.read(row) for each in controls}
    return {
        name: value
        for name, value in found.items()
        if value is not None or isinstance(kind.fields[name], Enough)
    }


def _texts(profile: Weapon | Target, controls: Sequence[Control]) -> dict[str, str]:
    """Return the characteristics of a profile as a row of texts."""
    found = {}
    for each in controls:
        value = getattr(profile, each.name)
        if isinstance(value, bool) or value is None or (each.more and value == 0):
            found[each.name] = "1" if value else ""
        elif isinstance(value, tuple):  # invulnerable saves with what they are against, or names
            parts = (
                f"{each[0]}+ {each[1] or ''}".strip() if isinstance(each, tuple) else each for each in value
            )
            found[each.name] = ", ".join(map(str, parts))
        else:
            found[each.name] = f"{value}{'+' * isinstance(type(profile).fields.get(each.name), Enough)}"
    return found


def weapon_row(weapon: Weapon, count: int) -> dict[str, str]:
    """Return a weapon as the fields of its row."""
    distance = "" if weapon.melee else str(weapon.range)
    return {"name": weapon.name, "range": distance, "count": str(count), **_texts(weapon, _WEAPON[1:])}


def target_row(target: Target) -> dict[str, str]:
    """Return a kind of models as the fields of its row."""
    table = [*_of_target(rulebook().target_rules), *_UNSEEN]
    return {"name": target.name, **_texts(target, table), "line": str(target)}


def read_volleys(request: Request) -> list[Volley]:
    """Return the rows of weapons as volleys."""

    def volley(row: Row, name: str) -> Volley:
        distance = "Melee" if row.get("melee") else row.get("range", "")
        weapon = Weapon(row.get("name") or name, range=distance, **_arguments(Weapon, row, _WEAPON[2:]))
        return Volley(weapon, _WEAPON[0].read(row))

    return _made(request, "weapons", "Weapon", volley)


def read_target(request: Request) -> Target | TargetUnit:
    """Return the rows of models and leaders as a target."""
    table = [*_of_target(rulebook().target_rules), *_UNSEEN]

    def models(row: Row, name: str) -> Target:
        return Target(row.get("name") or name.removesuffix(" 1"), **_arguments(Target, row, table))

    kinds = _made(request, "models", "Target", models)
    leaders = _made(request, "leaders", "Leader", models)
    if len(kinds) == 1 and not leaders:
        return kinds[0]
    return TargetUnit(
        written(request, "unit") or (kinds[0].name if kinds else "Unit"), kinds, leaders=leaders
    )


def _made(request: Request, rows: str, what: str, make: Callable[[Row, str], T]) -> list[T]:
    """Return what is made of rows of the form, each of which errors name."""
    found = []
    for place, row in enumerate(request.get(rows) or (), 1):
        texts = {key: validation.text(value, key).strip() for key, value in row.items()}
        try:
            found.append(make(texts, f"{what} {place}"))
        except MathhammerError as error:
            raise MathhammerError(f"{what} {place}: {error}") from error
    return found
