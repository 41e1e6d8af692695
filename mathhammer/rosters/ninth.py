"""The 9th Age: the units of the community's catalogue, as far as it holds their characteristics."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from mathhammer.display import Catalogue
from mathhammer.errors import MathhammerError, RosterError
from mathhammer.rosters import open_datasheets
from mathhammer.rosters.datasheets import Datasheet, DatasheetSource
from mathhammer.rosters.tree import NINTH, Profile
from mathhammer.systems.t9a import ModelPart, Target, Unit
from mathhammer.systems.t9a.attributes import PROTECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator


_ODD = re.compile(r"[:\[\]]| Offens\w+$")
_Source = DatasheetSource | str | os.PathLike[str]


def read_units(
    datasheets: _Source = "t9a", /, *, models: int = 1, rank_width: int | None = None
) -> Catalogue[Unit]:
    """Read the units of BSData/The-9th-Age: a folder, an archive, or what ``mathhammer data get t9a`` fetched.

    Units of several models have so many; with `rank_width` the first rank strikes, and the second with one attack
    each. Its ``notes`` say which units are not read, and why.
    """
    source = datasheets if isinstance(datasheets, DatasheetSource) else open_datasheets(datasheets)
    if source.edition != NINTH:
        raise RosterError(f"expected datasheets of The 9th Age, got some of the {source.edition}")
    found, notes = dict[str, Unit](), list[str]()
    for name, held in sorted(source.units.items()):
        for catalogue, entry in held.items():
            sheet, called = source.made(entry), name if name not in found else f"{name} ({catalogue})"
            held_by = (sheet.profiles, *(each for _, each in sheet.models))
            profiles = next((each for each in held_by if any("2 Def" in p.type_name for p in each)), ())
            if profiles:
                number = 1 if profiles is sheet.profiles else models
                try:
                    found[called] = _unit(sheet, profiles, number, rank_width)
                except MathhammerError as error:
                    notes.append(f"{called} is not read: {str(error).partition(';')[0]}")
    return Catalogue("units of the catalogue", found, notes)


def _unit(sheet: Datasheet, profiles: tuple[Profile, ...], models: int, rank_width: int | None) -> Unit:
    # Size, the model as a whole, how it is struck; of what strikes there may be several.
    first = {each.type_name[:1]: each for each in reversed(profiles)}
    offensive = [each for each in profiles if each.type_name.startswith("3")]
    body = [f"{_ODD.sub('', sheet.name)}: {models} models", *_said(first.get("1"), "Adv", "Mar", "Dis")]
    body += _said(first["2"], "HP", "Def", "Res", "Arm", "Aeg")
    own, size = first["2"].get("Rules") or "", first.get("0")
    kind = (size.get(each) or "" for each in ("Height", "Type")) if size else ()
    rules = [own, *(each for each in kind if each in PROTECTIONS)]
    # What the profiles do not print is the whole model's.
    printed = " ".join([own, *(each.get("Rules") or "" for each in offensive)])
    rules += [rule for rule, _ in sheet.rules if rule.split(" (")[0] not in printed]
    target = Target.parse(f"{', '.join(body)} [{', '.join(filter(None, rules))}]")
    width = min(models, rank_width or models)
    parts = [part for each in offensive for part in _parts(each, models, width)]
    return Unit(target, parts, rank_width=rank_width if models > 1 else None)


def _said(profile: Profile | None, *names: str) -> list[str]:
    """Return the characteristics that are numbers, a mount's in parentheses left out."""
    texts = ((each, re.split(r"[( ]", profile.get(each) or "")[0]) for each in names) if profile else ()
    return [f"{name} {text}" for name, text in texts if text not in {"", "0", "C"}]


def _parts(profile: Profile, models: int, width: int) -> Iterator[ModelPart]:
    """Yield what the models of the first rank do, and the Supporting Attacks of the second."""
    each = int((re.findall(r"\((\d)\)", profile.name) or [1])[0])  # "Crew (2)"
    attacks = profile.get("Att") or "-"
    line = ", ".join(f"{name} {profile.get(name) or '-'}" for name in ("Off", "Str", "AP", "Agi"))
    line = f"Att {int(attacks) * each if attacks.isdecimal() else attacks}, {line}"
    line = f"{_ODD.sub('', profile.name)}: {width} models, {line} [{profile.get('Rules') or ''}]"
    yield (front := ModelPart.parse(line))
    idle = front.kind != "melee" or front.has("Harnessed") or front.has("Inanimate")
    if not idle and (behind := min(models - width, width)):
        rules = tuple(each for each in front.attributes if not each.apart)
        more = {"attacks": each, "attributes": rules, "behind": width}
        yield front.changed(name=f"{front.name}, supporting", models=behind, **more)
