"""Forms of all questions, made of their fields: what controls say as arguments, and arguments as they say them."""

from __future__ import annotations

import re
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any

from mathhammer import validation
from mathhammer.errors import MathhammerError
from mathhammer.fields import kinds
from mathhammer.fields.kinds import NEEDED
from mathhammer.fields.profile import fields_of
from mathhammer.sequence.call import Call
from mathhammer.serialisation.sections import Section
from mathhammer.serialisation.values import Values, by_place, called, same
from mathhammer.systems.registry import games
from mathhammer.systems.wh40k.editions import find_edition
from mathhammer.validation import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    #: JSON of the page, each part of which is read by what looks at it.
    Request = Mapping[str, Any]
    Fields = Mapping[str, kinds.Field[Any, Any]]


def _table(text: str) -> dict[str, str]:
    return dict(re.findall(r"(\S+)=(\S+)", text))


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: The class of an argument by its name, which has a row of controls, and of which of them there may be several.
_ROWS = _table(
    """
    weapons=Weapon shooting=Weapon melee=Weapon attacks=Weapon attack=Weapon parts=ModelPart targets=Target
    target=Target unit=Target bearers=Target guard=Target user=Target attacker=Combatant|Attacker
    defender=Combatant first=Unit|Fighter second=Unit|Fighter
    """
)
_SEVERAL = _names("weapons shooting melee attacks parts targets")
#: Classes that are made of such rows.
_MADE = _names("Unit Combatant Fighter")
#: What no control says.
_LEFT_OUT = _names("count scattered first_situation second_situation alternatives start")
#: What players change most, or look at first: in sight, and the rest below "More".
_IN_SIGHT = _names(
    """
    name count models range attacks skill strength ap damage keywords attributes toughness save wounds hit wound
    invulnerable feel_no_pain rend health ward offensive_skill aim armour_penetration health_points kind dice
    injury_dice defensive_skill resilience armour aegis shield ranged melee blood half_range long_range stationary
    cover charged charging first_round elevated hit_modifier wound_modifier reroll_hits reroll_wounds distance
    all_out_attack all_out_defence more_than reroll advance swiftstride random_movement value discipline lost_by
    steadfast stubborn commanding_presence leadership modifier unbound turns leader down rounds activations stages
    active number spend
    """
)
#: How a datasheet heads its columns, where no stat line says it.
_LABELS = _table(
    "range=Range attacks=A skill=BS/WS strength=S ap=AP damage=D toughness=T save=Sv wounds=W "
    "invulnerable=InSv feel_no_pain=FNP"
)
#: What stands in a form at first, where that is not the example of its stat line.
_FIRST = {
    "40k": {
        "Weapon": "10x Rifle: A2 BS3+ S4 AP-1 D1",
        "Target": "MEQ",
        "melee": "5x Blade: A3 WS3+ S5 AP-1 D1",
        "hazardous.weapons": "5x Plasma gun: A1 BS3+ S8 AP-3 D2 [HAZARDOUS]",
    },
    "t9a": {
        "ModelPart": "Spearmen: 15 attacks, Off 4, Str 3, AP 1",
        "Target": "Orcs: 20 models, HP 1, Def 3, Res 4, Arm 3",
    },
    "tc": {"Weapon": "Shotgun", "attack": "Grenade Launcher"},
}
_FIRST_VALUES = _table(
    "distance=9 movement=6 advance=4 discipline=7 lost_by=2 value=5 models=5 leadership=7+ number=D6"
)
_FIRST_VALUES["rounds"] = "3"  # more take long in a browser
#: Words that a text may be, where no field says them.
_WORDS = _table(
    "spend=best reply=best spends_first=attacker|defender best=first|second|both "
    "objective=kills|wounds_lost|points|probability_destroyed"
)
_REROLLS = {
    "ones": "results of 1",
    "failed": "failed rolls",
    "failed-unmodified": "rolls that fail before modifiers",
    "non-critical": "all but critical",
    "one": "one of all (Command Re-roll)",
    "first": "on the first low roll",
    "best": "as well as can be",
}
_MODIFIERS = {"hit rolls and skill": ("hit", "skill"), "hit and wound rolls": ("hit", "wound")}
_WHOLE = re.compile(r"[-+]?[0-9]{1,9}")
#: What a control says nothing as; what begins a value of Python.
_NOTHING: Any = object()
_PYTHON = "="


class Form:
    """The form of a question of a game under an edition."""

    def __init__(self, game: str, question: str = "attack", edition: str = "") -> None:
        self.system = games()[validation.one_of(game, games(), "game")]
        self.format = self.system.text_format
        self.question = validation.one_of(question, self.format.functions, "question")
        self.function = self.format.functions[question]
        self.edition = validation.one_of(edition or self.system.editions[0], self.system.editions, "edition")
        self.module = import_module(".".join(self.format.functions["attack"].__module__.split(".")[:3]))
        self.values = Values(self.format)
        self.kinds: dict[str, Any] = {kind.__name__: kind for kind in self.format.kinds}
        self.rules = self._rules(self.edition)
        about: Fields = self.format.keywords.get(question, (dict, None))[0]()
        conditions = getattr(self.rules, "conditions", about)
        self.situation = {name: each for name, each in about.items() if name in conditions}
        own = fields_of(self.function).items()
        self.fields = {name: each for name, each in own if name not in _LEFT_OUT} | self.situation

    # Drawn -------------------------------------------------------------------------------------------------

    def as_json(self) -> dict[str, object]:
        """Return the form as the page draws it."""
        rules = {name: self._rules(name) for name in self.system.editions}
        titles = {name: each if isinstance(each, str) else each.title for name, each in rules.items()}
        return {
            "questions": [[_called(name), name] for name in self.format.functions],
            "editions": [
                [title.replace(self.system.title, "").strip(", ") or title, name]
                for name, title in titles.items()
            ],
            "question": self.question,
            "edition": self.edition,
            "groups": list(self._groups(self.fields)),
            "rulings": [
                {"name": each.name, "label": each.question, "kind": "choice", "usual": each.default}
                | {"options": [(word, word) for word in each.options if word != each.default]}
                for each in self.format.rulings(self.edition)
                if len(each.options) > 1
            ],
        }

    def _rules(self, edition: str) -> Any:
        return find_edition(edition) if self.system.name == "40k" else self.module.EDITIONS[edition]

    def _groups(self, fields: Fields, path: str = "", title: str = "") -> Iterator[dict[str, object]]:
        """Yield controls under titles: rows of profiles, and those of the question itself."""
        own = []
        for name, field in fields.items():
            kind, many = self._rows(name, field)
            if kind is None:
                own.append(self._control(path + name, field))
            elif kind.__name__ in _MADE:
                yield from self._groups(kind.fields, f"{path}{name}.", _called(name))
            else:
                needed = field.default is NEEDED or name in {"weapons", "parts", "melee"}
                group = {
                    "title": f"{title}: {name}" if title else _called(name),
                    "name": path + name,
                    "most": 99 if many else 1,
                    "fields": self._controls(kind),
                    "profile": kind.__name__ if hasattr(kind, "parse") else "",
                    "presets": self._presets(kind),
                    "rows": [self._first(kind, name)] if needed else [],
                }
                yield group
                if self._is_unit(kind, name):
                    about = {"title": "Leaders", "name": f"{path}{name}.leaders", "presets": {}, "rows": []}
                    yield group | about
        if own:
            yield {"title": title or "Situation", "name": "", "fields": own}

    def _rows(self, name: str, field: kinds.Field[Any, Any]) -> tuple[Any, bool]:
        """Return the class of an argument that is a profile, and whether there may be several; else none."""
        words = [] if isinstance(field, kinds.Number) else _ROWS.get(name, "").split("|")
        kind = next((self.kinds[each] for each in words if each in self.kinds), None)
        return kind, name in _SEVERAL or self._is_unit(kind, name)

    def _is_unit(self, kind: Any, name: str) -> bool:
        """Whether several kinds of models and leaders make one target."""
        return "TargetUnit" in self.kinds and kind is self.kinds["Target"] and name in {"target", "unit"}

    def _carried(self, kind: Any) -> bool:
        """Whether it is a weapon, which may have a situation of its own."""
        return kind is self.kinds.get("Weapon") and not self.kinds.keys().isdisjoint(("Volley", "Attack"))

    def _controls(self, kind: Any) -> list[dict[str, object]]:
        """Return the controls of a row."""
        found = [self._control(name, field, row=True) for name, field in kind.fields.items()]
        if self._carried(kind):
            also = kinds.Text('What is so for it alone, such as half_range, reroll_hits="ones"', default="")
            found.append(self._control("also", also) | {"label": "Only of it"})
            if "Volley" in self.kinds:
                count = kinds.Text("Number of weapons", default="")
                found.insert(1, self._control("count", count) | {"label": "No."})
        return found

    def _control(self, path: str, field: kinds.Field[Any, Any], *, row: bool = False) -> dict[str, object]:
        """Return a control: a text, a box to tick or a choice, each empty where nothing is said."""
        name = path.rpartition(".")[2]
        options = self._options(name, field)
        flag = field.accepts == "bool" or options == [(_called(name), True)]
        more = name not in _IN_SIGHT and field.default is not NEEDED
        sentence = field.label in {"", field.help, field.help.removesuffix(".")}
        short = sentence and (row or not more or len(field.label) > 60)
        heads = _LABELS if self.system.name == "40k" else {}
        label = heads.get(name, _called(name)) if short else field.label.removesuffix(".")
        words: Sequence[str] = getattr(field, "known", ()) or _WORDS.get(name, "").split("|")
        if type(field).__name__ == "Abilities":
            label = "Abilities"
            words = [each.offers[0] if each.offers else name for name, each in self.rules.abilities.items()]
        return {
            "name": path,
            "label": label[:1].upper() + label[1:],
            "help": field.short,
            "value": _FIRST_VALUES.get(path, ""),
            "kind": "flag" if flag else "choice" if options else "text",
            # What is chosen and how it is called, of a text what it may hold.
            "options": options or [(word, word) for word in words if word],
            # What a choice calls that nothing is said.
            "usual": str(field.default or "-") if type(field).__name__ in {"Face", "Critical"} else "-",
            "more": more,
        }

    def _options(self, name: str, field: Any) -> list[tuple[str, object]]:
        """Return what can be chosen."""
        found: Any = ()
        match type(field).__name__:
            case "MaybeBoolean":
                return [("yes", True), ("no", False)]
            case "Additions" | "RollModifiers":
                return [(f"{step:+d}", step) for step in (2, 1, -1, -2)]
            case "Kinds":
                found = [cover.name for cover in self.rules.covers]
                return [(_called(name), True)] if len(found) < 2 else [(each, each) for each in found]
            case "Names":
                return [(f"of {what}", sorted(each)) for what, each in _MODIFIERS.items()] + [
                    ("of everything", sorted(field.names))
                ]
            case "Face" | "Critical":
                found = range(field.least, field.most + 1)
            case "OneOf" | "Rerolls":
                found = getattr(field, "options", None) or field.names
        return [(_REROLLS.get(each, str(each)), each) for each in found if each != field.default]

    def _presets(self, kind: Any) -> dict[str, dict[str, object]]:
        """Return the profiles of the rules as rows by name."""
        found = getattr(self.module, f"{kind.__name__.upper()}S", {})
        found = found.of(self.edition) if hasattr(found, "of") else found
        return {name: {**self.row(each), "line": str(each)} for name, each in found.items()}

    def _first(self, kind: Any, name: str) -> Mapping[str, object]:
        known = _FIRST.get(self.system.name, {})
        line = known.get(f"{self.question}.{name}") or known.get(name) or known.get(kind.__name__)
        line = line or getattr(kind, "_example", "")
        return self.read_line(kind.__name__, line) if line else self.row(kind())

    def read_line(self, kind: str, line: str) -> dict[str, object]:
        """Return a stat line, or the name of a profile of the rules, as a row."""
        made = self.kinds[validation.one_of(kind, self.kinds, "a profile")]
        if line in (presets := self._presets(made)):
            return presets[line]
        read = next((each.read for each in self.format.lines.get("weapons", ())), None)
        return self.row(read(line, {}) if read and kind == "Weapon" else made.parse(line))

    # Said --------------------------------------------------------------------------------------------------

    def compute(self, said: Request, rulings: Mapping[str, str] | None = None) -> Any:
        """Return the answer to what the controls hold."""
        return called(self.function, self._arguments(said, rulings))

    def _arguments(self, said: Request, rulings: Mapping[str, str] | None) -> dict[str, Any]:
        found = self._read(self.fields, said, "")
        if "Attack" in self.kinds and "attacks" in found:  # each attack has its own situation
            about = {name: found.pop(name) for name in self.situation if name in found}
            found["attacks"] = [each.changed(**about) if about else each for each in found["attacks"]]
        options = {"edition": self.edition, "rulings": rulings or {}, "exact": True}
        known = signature(self.function).parameters
        return found | {name: each for name, each in options.items() if name in known}

    def _read(self, fields: Fields, said: Request, path: str) -> dict[str, Any]:
        """Return what is said of fields."""
        found: dict[str, Any] = {}
        for name, field in fields.items():
            kind, many = self._rows(name, field)
            place = path + name
            if kind is None:
                found[name] = self._value(name, field, said.get(place))
            elif kind.__name__ in _MADE:
                found[name] = kind(**self._read(kind.fields, said, f"{place}."))
            elif rows := self._made(kind, said, place):
                found[name] = rows if many else rows[0]
                if self._is_unit(kind, name):
                    leaders = self._made(kind, said, f"{place}.leaders")
                    more = self._also(said.get(f"{place}.also"))
                    alone = len(rows) == 1 and not leaders and not more
                    unit = {"name": rows[0].name, "models": rows, "leaders": leaders} | more
                    found[name] = rows[0] if alone else self.kinds["TargetUnit"](**unit)
        return {name: each for name, each in found.items() if each is not _NOTHING}

    def _made(self, kind: Any, said: Request, path: str) -> list[Any]:
        """Return what is made of the rows of an argument, each of which errors name."""
        found, title = [], _called(path.rpartition(".")[2]).removesuffix("s")
        for place, row in enumerate(validation.items(said.get(path) or (), dict, f"rows as {path}"), 1):
            try:
                given = {name: self._value(name, field, row.get(name)) for name, field in kind.fields.items()}
                given["name"] = row.get("name") or (f"{title} {place}" if place > 1 else title)
                record = kind(**{name: each for name, each in given.items() if each is not _NOTHING})
                about = self._also(row.get("also")) if self._carried(kind) else {}
                if self._carried(kind) and "Volley" in self.kinds:
                    count = whole(str(row.get("count") or 1), "count")
                    record = self.kinds["Volley"](record, count, **about)
                elif self._carried(kind):
                    record = self.kinds["Attack"](weapon=record, **about)
                found.append(record)
            except MathhammerError as error:
                raise MathhammerError(f"{title} {place}: {error}") from error
        return found

    def _also(self, text: object) -> dict[str, Any]:
        return dict(self.values.reader(validation.text(text or "", "also")).arguments().keywords)

    def _value(self, name: str, field: kinds.Field[Any, Any], given: Any) -> Any:
        """Return what a control says of a field."""
        said = given.strip() if isinstance(given, str) else given
        if said in (None, "") or (said is False and not isinstance(field, kinds.MaybeBoolean)):
            if field.default is NEEDED and not isinstance(field, kinds.Enough | kinds.Checked):
                what = "a number" if isinstance(field, kinds.Number) else "a number or dice such as D6+1"
                raise MathhammerError(f"expected {what} as {name}, got nothing")
            return (
                _NOTHING if field.default is not NEEDED else None if isinstance(field, kinds.Enough) else ""
            )
        if not isinstance(said, str):
            several = isinstance(said, list)
            return frozenset(validation.items(said, (str, int), f"names as {name}")) if several else said
        if said.startswith(_PYTHON):
            return self.values.reader(f"x{said}").arguments().keywords["x"]
        if isinstance(field, kinds.Number):
            return whole(said, name)
        plain = type(field) is kinds.Text
        number, several = plain and "int" in field.accepts, plain and "Sequence" in field.accepts
        parts: list[Any] = [each.strip() for each in said.split(",")]
        parts = [int(each) if number and _WHOLE.fullmatch(each) else each for each in parts]
        if number and len(parts) == 1:
            return parts[0]
        return parts if several or field.accepts.startswith(("Sequence", "Iterable")) else said

    # Held --------------------------------------------------------------------------------------------------

    def holding(self, result: Any) -> dict[str, object] | None:
        """Return the form of what is asked by a result's call; none where controls cannot say it."""
        section = Section.of(result.call, getattr(result, "rulings", None))
        try:
            said = self._held(self.fields, section.arguments, "")
            places, named = by_place(self.function, self._arguments(said, section.rulings))
        except (MathhammerError, AttributeError, KeyError, TypeError):
            return None
        again = Section.of(Call(self.system.name, self.question, places, named), section.rulings)
        if "start" in result.call.keywords or not same(again.arguments, section.arguments):
            return None
        asked = {"game": self.system.name, "question": self.question, "edition": self.edition}
        return {**asked, "rulings": section.rulings or {}, "said": said}

    def _held(self, fields: Fields, given: Mapping[str, Any], path: str) -> dict[str, Any]:
        """Return what controls hold that say these values; what none of them says is an error."""
        found: dict[str, Any] = {}
        for name, value in given.items():
            if value is None or (name in _LEFT_OUT and not value):
                continue
            kind, _ = self._rows(name, fields[name])
            place, rows = path + name, value if isinstance(value, tuple | list) else [value]
            if name in _LEFT_OUT:
                raise MathhammerError(f"no control says {name}")
            if kind is None:
                found[place] = self._text(name, fields[name], value)
            elif kind.__name__ in _MADE:
                own = {each: getattr(value, each) for each in kind.fields}
                found |= self._held(kind.fields, own, f"{place}.")
            else:
                if hasattr(value, "leaders"):
                    more = value.arguments()
                    rows = more.pop("models")
                    found[f"{place}.leaders"] = list(map(self.row, more.pop("leaders")))
                    found[f"{place}.also"] = ", ".join(self.values.keywords(more))
                found[place] = list(map(self.row, rows))
        abouts = {row["also"] for row in found.get("attacks", ())}
        if len(abouts) == 1 and self.situation:  # one situation for all
            about = self._also(abouts.pop()).items()
            found |= {name: self._text(name, self.situation[name], value) for name, value in about}
            found["attacks"] = [{**row, "also": ""} for row in found["attacks"]]
        return found

    def row(self, profile: Any) -> dict[str, Any]:
        """Return a profile, perhaps carried in a situation of its own, as what the controls of its row hold."""
        found: dict[str, Any] = {}
        if hasattr(profile, "weapon"):
            usual = getattr(type(profile), "fields", {})
            own = {name: getattr(profile, name) for name in usual if name != "weapon"}
            about = {
                name: each
                for name, each in getattr(profile, "situation", own).items()
                if name not in usual or not same(each, usual[name].read(usual[name].default))
            }
            also = ", ".join(self.values.keywords(about))
            profile, found = profile.weapon, {"count": str(getattr(profile, "count", 1)), "also": also}
        said = profile.arguments()
        for name, field in type(profile).fields.items():
            rest = {each: value for each, value in said.items() if each != name}
            follows = isinstance(field, kinds.IntegerOrElse) and same(type(profile)(**rest), profile)
            found[name] = "" if follows else self._text(name, field, getattr(profile, name))
        return found

    def _text(self, name: str, field: kinds.Field[Any, Any], value: Any) -> Any:
        """Return a value of a field as its control has it."""
        options = [each for _, each in self._options(name, field)]
        several = isinstance(value, frozenset | set | tuple | list)
        first = next(iter(value)) if several and len(value) == 1 else None
        plain = sorted(value, key=str) if several and first is None else first
        for each in (value, plain, getattr(first, "value", None)):
            if each is not None and each in options:
                return each
        usual = value in ((), frozenset()) or same(value, field.default)
        if value is None or value is False or (usual and (several or options or name not in _IN_SIGHT)):
            return ""
        if value is True:
            return True
        text = f"{value}{'+' * isinstance(field, kinds.Enough)}"
        if isinstance(value, tuple):  # invulnerable saves with what they are against, or names
            pairs = (each if type(each) is tuple else (each, "") for each in value)
            said = (f"{each}+ {of or ''}".strip() if type(each) is int else str(each) for each, of in pairs)
            text = ", ".join(said)
        try:
            if not options and same(field.read(self._value(name, field, text)), value):
                return text
        except (MathhammerError, NotImplementedError):
            pass  # not as a text
        literal = _PYTHON + self.values.write(value, where=name)
        return text if isinstance(value, str) and not options else literal


def _called(name: str) -> str:
    words = name.replace("_", " ").replace("reroll", "re-roll").replace("all out", "all-out")
    return words.capitalize()


def whole(text: str, name: str) -> int:
    """Return the whole number of a field."""
    if not _WHOLE.fullmatch(text):
        raise MathhammerError(f"expected a whole number as {name}, got {shown(text)}")
    return int(text)
