"""The controls of an edition as data, made from the entries of its rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathhammer.page.fields import Control, ruling_fields
from mathhammer.page.profiles import ABILITIES, MELEE, UNSEEN, WEAPON, target_table, texts_of
from mathhammer.systems.wh40k.editions import DEFAULT_EDITION, EDITIONS, find_edition, rulebook
from mathhammer.systems.wh40k.profiles.targets import TARGETS
from mathhammer.systems.wh40k.rules import values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mathhammer.systems.wh40k.profiles.profiles import Target, Weapon
    from mathhammer.systems.wh40k.rules.cover import Cover
    from mathhammer.systems.wh40k.rules.rule import Condition

_REROLLS = {
    "ones": "results of 1",
    "failed": "failed rolls",
    "failed-unmodified": "rolls that fail before modifiers",
    "non-critical": "all but critical",
    "one": "one of all (Command Re-roll)",
    "first": "on the first low roll",
    "best": "as well as can be",
}


def controls(edition: str | None = None) -> dict[str, object]:
    """Return what an edition offers: its situation, rulings, abilities and standard targets."""
    chosen = find_edition(edition or DEFAULT_EDITION)
    return {
        "edition": chosen.name,
        "title": chosen.title,
        "editions": [{"name": each.name, "title": each.title} for each in reversed(list(EDITIONS.values()))],
        "situation": [
            {**field._asdict(), "offered": chosen.conditions[name].offered}
            for name, field in situation_fields(chosen.conditions, chosen.covers).items()
        ],
        "rulings": ruling_fields(chosen.rulings),
        "weapon": [each.as_json() for each in (WEAPON[0], MELEE, *WEAPON[1:], ABILITIES)],
        "models": [each.as_json() for each in target_table(chosen.target_rules)],
        "targets": [target_row(target) for target in TARGETS.of(chosen.name).values()],
    }


def situation_fields(conditions: Mapping[str, Condition], covers: Sequence[Cover]) -> dict[str, Control]:
    """Return the control of each keyword that needs no Python and does not choose among leaders."""
    return {
        name: field
        for name, rule in conditions.items()
        if (field := _field(rule, covers)).kind == "flag" or field.options
    }


def _field(rule: Condition, covers: Sequence[Cover]) -> Control:
    kind = "choice"
    options: list[tuple[str, object]] = []
    usual = "-"
    match rule.value:
        case values.Flag():
            kind = "flag"
        case values.Kinds():
            options = [(cover.name, cover.name) for cover in covers]
            kind = "choice" if len(options) > 1 else "flag"
        case values.Names(names=names):
            some = {
                "hit rolls and skill": ("hit", "skill"),
                "hit and wound rolls": ("hit", "wound"),
                "everything": names,
            }
            options = [(f"of {what}", sorted(which)) for what, which in some.items()]
        case values.Modifiers():
            pass
        case values.RollModifiers():
            options = [(f"{step:+d}", step) for step in (2, 1, -1, -2)]
        case values.Critical():
            options, usual = [(f"{face}+", face) for face in range(5, 1, -1)], "6+"
        case values.Face(usual=face, least=least, most=most):
            options = [(str(each), each) for each in range(least, most + 1) if each != face]
            usual = usual if face is None else str(face)
        case values.Rerolls(words=words):
            options = [(_REROLLS.get(word, word), word) for word in words]
    return Control(rule.name, rule.label, kind=kind, options=options, help=rule.help, usual=usual)


def weapon_row(weapon: Weapon, count: int) -> dict[str, str]:
    """Return a weapon as the fields of its row."""
    return {
        "name": weapon.name,
        "melee": "1" if weapon.melee else "",
        "range": "" if weapon.melee else str(weapon.range),
        **texts_of(weapon, WEAPON[1:]),
        "count": str(count),
        "keywords": ", ".join(map(str, weapon.keywords)),
    }


def target_row(target: Target) -> dict[str, str]:
    """Return a kind of models as the fields of its row."""
    table = (*target_table(rulebook().target_rules), *UNSEEN)
    return {"name": target.name, **texts_of(target, table), "line": str(target)}
