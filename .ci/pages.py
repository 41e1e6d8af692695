"""Build the guides and the API pages: ``python .ci/pages.py [FOLDER]``, into ``site/`` unless said.

What a reader would stumble over stops the build: a public name without a docstring, a reference or a link that
leads nowhere, and every warning of pdoc. The guides are each ``guide.md``, and one from the entries of all rules.
"""

from __future__ import annotations

import inspect
import re
import sys
import types
import warnings
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, get_args, get_origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pdoc.doc

ROOT = Path(__file__).parents[1]
#: Each in the folder of what it is about, in the order in which a reader needs them.
GUIDES = {
    "player": "mathhammer/cli",
    "list_builder": "mathhammer/analysis",
    "warhammer": "mathhammer/systems/wh40k",
    "other_games": "mathhammer/systems",
    "dice": "mathhammer/expressions",
    "program": "mathhammer/serialisation",
    "rules_writer": "mathhammer/systems/wh40k/rules",
    "trust": "tests",
    "speed": "benchmarks",
    "design": "mathhammer",
}
#: Where a reader finds a module: the attribute that leads there from ``import mathhammer``, or its own path.
PUBLIC = {
    "mathhammer": "mathhammer",
    "mathhammer.wh40k": "mathhammer.systems.wh40k",
    "mathhammer.wh40k.rules": "mathhammer.systems.wh40k.rules",
    "mathhammer.aos": "mathhammer.systems.aos",
    "mathhammer.t9a": "mathhammer.systems.t9a",
    "mathhammer.trench_crusade": "mathhammer.systems.trench_crusade",
    "mathhammer.rosters": "mathhammer.rosters",
    "mathhammer.analysis": "mathhammer.analysis",
    "mathhammer.plot": "mathhammer.plot",
    "mathhammer.interactive": "mathhammer.interactive",
    "mathhammer.expressions": "mathhammer.expressions",
    "mathhammer.distributions": "mathhammer.distributions",
    "mathhammer.serialisation": "mathhammer.serialisation",
    "mathhammer.errors": "mathhammer.errors",
}
#: What people call first, and next to each other; functions that are not named follow, then classes, then constants.
FIRST = {
    "mathhammer.wh40k": (
        *("attack", "activations", "best_order", "fast_roll_check", "best_faces", "needed"),
        *("compare_editions", "mortal_wounds", "hazardous", "deadly_demise"),
        *("charge", "battle_shock", "desperate_escape", "probability_half_strength"),
        *("Weapon", "Target", "TargetUnit", "Volley", "MortalWounds", "Situation", "Modifier"),
        *("AttackResult", "Army", "Unit"),
    ),
    "mathhammer.t9a": (
        *(
            "attack",
            "fight",
            "rounds_of_combat",
            "charge",
            "break_test",
            "discipline_test",
            "flee",
            "pursuit",
        ),
        *("ModelPart", "Target", "Unit"),
    ),
    "mathhammer.trench_crusade": (
        *(
            "attack",
            "blast",
            "success_roll",
            "injury_roll",
            "bloodbath_roll",
            "charge",
            "morale",
            "best_order",
        ),
        *("Weapon", "Attack", "Attacker", "Target", "Spend"),
    ),
    "mathhammer.analysis": ("grid", "what_if", "assign", "break_even", "sweep", "frontier", "choose"),
    "mathhammer.rosters": ("read_army",),
    "mathhammer.plot": ("compare", "draw"),
}
ROLE = re.compile(r":(func|meth|class|attr|data|mod|exc|obj):`([^`]+)`")


def public_module(path: str) -> types.ModuleType:
    """Import a module and every name that it loads on first use."""
    module = import_module(PUBLIC[path])
    for name in vars(module).setdefault("__all__", []):
        module.__dict__[name] = getattr(module, name)
    return module


class Links(HTMLParser):
    """The anchors of a page, and where it leads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an anchor or a link."""
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            if tag == "a" and name == "href" and value and "://" not in value:
                self.targets.add(value)


def page_of(path: str) -> pdoc.doc.Module:
    """Return what a page shows: the public names, each class with all that it inherits from us."""
    import pdoc.doc

    page = pdoc.doc.Module(public_module(path))
    page.modulename, page.taken_from = path, (path, "")
    page.__dict__["members"] = _in_order(page.members, FIRST.get(path, ()))
    for member in page.members.values():
        if isinstance(member, pdoc.doc.Variable):
            member.docstring = member.docstring or _docstring_at_home(page.obj, member.name)
        if isinstance(member, pdoc.doc.Class):
            member.own_members = list(_of_class(member))
            if getattr(member.obj, "_is_protocol", False):
                member.__dict__[
                    "inherited_members"
                ] = {}  # shown above; a link to __init__ would lead nowhere
        for each in (member, *getattr(member, "own_members", ())):
            _make_plain(each)
    return page


def _in_order(members: dict[str, pdoc.doc.Doc], first: tuple[str, ...]) -> dict[str, pdoc.doc.Doc]:
    """Return functions before classes before constants, and of each kind first what people call first."""
    places = {name: place for place, name in enumerate(first)}
    kinds = ("function", "class", "module", "variable")

    def place(name: str) -> tuple[int, int]:
        return kinds.index(members[name].kind), places.get(name, len(places))

    unknown = places.keys() - members.keys()
    if unknown:
        sys.exit(f"pages.py names what is on no page: {', '.join(sorted(unknown))}")
    return {name: members[name] for name in sorted(members, key=place)}


def _make_plain(shown: pdoc.doc.Doc) -> None:
    """Say in pdoc's way what it shows wrongly: stars of keyword arguments, a dictionary of keywords, decorators."""
    import pdoc.doc

    shown.docstring = re.sub(r"^((?:\w+, )*)\*\*(\w+)$", r"\1\\*\\*\2", shown.docstring, flags=re.MULTILINE)
    if isinstance(shown, pdoc.doc.Function):
        shown.__dict__["decorators"] = []  # ours, of no use to a reader
    if isinstance(shown, pdoc.doc.Function) and (shown.name == "__init__" or not shown.name.startswith("_")):
        parameters = [
            each.replace(annotation=get_args(each.annotation)[0])
            if get_origin(each.annotation) is Unpack
            else each
            for each in shown.signature.parameters.values()
        ]
        shown.signature = shown.signature.replace(parameters=parameters)


def _of_class(shown: pdoc.doc.Class) -> Iterator[pdoc.doc.Doc]:
    """Yield the members of a class that are ours, its own and those that it inherits."""
    import pdoc.doc

    told = "\n".join(inspect.getdoc(each) or "" for each in shown.obj.__mro__)
    for each in shown.members.values():
        if not each.taken_from[0].startswith("mathhammer."):
            continue
        # Of a named tuple pdoc cannot read the annotations, and a protocol is not called.
        if each.name == "__init__" and (
            issubclass(shown.obj, tuple) or getattr(shown.obj, "_is_protocol", False)
        ):
            continue
        if isinstance(each, pdoc.doc.Variable) and not each.docstring and _tells_of(told, each.name):
            each.docstring = "@private"  # the bare field would only say again what the class says
        if isinstance(each, pdoc.doc.Variable) and not each.docstring:
            each.docstring = _remark(shown.obj, each.name)
        yield each


def _remark(shown: type, name: str) -> str:
    """Return what ``#:`` above a field says, or above the fields that it goes on."""
    for each in shown.__mro__:
        said: list[str] = []
        new = True
        for line in inspect.getsource(each).splitlines() if each.__module__.startswith("mathhammer.") else ():
            text = line.strip()
            if text.startswith("#:"):
                said, new = ([], False) if new else (said, False)
                said.append(text[2:].strip())
            elif said and re.match(rf"(self\.)?{name}\b.*[:=]", text):
                return " ".join(said)
            else:
                said, new = said if text else [], True
    return ""


def _tells_of(docstring: str, name: str) -> bool:
    """Whether a class says what a field is, on a line of its Parameters or Attributes."""
    return any(name in line.strip("*").split(", ") for line in docstring.splitlines())


def _docstring_at_home(module: types.ModuleType, name: str) -> str:
    """Return the docstring of a constant, which stands where the constant is defined."""
    import pdoc.doc_ast

    for home in [other for path, other in sys.modules.items() if path.startswith("mathhammer.")]:
        if getattr(home, name, None) is module.__dict__[name]:
            found = pdoc.doc_ast.walk_tree(home).var_docstrings.get(name)
            if found:
                return found
    return ""


def faults(pages: dict[str, pdoc.doc.Module], texts: dict[str, str]) -> list[str]:
    """Return in plain words what a reader would stumble over."""
    found = []
    links = {path: Links(text) for path, text in texts.items()}
    for path, page in pages.items():
        shown = [page]
        for member in page.members.values():
            shown += [member, *getattr(member, "own_members", ())]
        for each in shown:
            public = not each.name.startswith("_")
            if public and not each.docstring:
                found.append(f"{each.fullname} has no docstring")
            for kind, name in ROLE.findall(each.docstring) if public else ():
                text = f"{name}()" if kind in {"func", "meth"} else name
                if name.startswith("~") or f"<code>{text}</code>" in texts[path]:
                    found.append(f"{each.fullname} refers to {name}, which is on no page")
        for target in links[path].targets:
            name, _, anchor = target.partition("#")
            home = _flattened(path, name) if name else path
            if home not in links and home != "index":
                found.append(f"{path} links to {target}, which is no page")
            elif anchor and anchor not in links[home].anchors:
                found.append(f"{path} links to {target}, which is no place on that page")
    return found


def _flattened(path: str, target: str) -> str:
    """Return the module that a relative link means."""
    parts = path.split(".")[:-1]
    for part in target.removesuffix(".html").split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return ".".join(parts)


def guides() -> dict[str, types.ModuleType]:
    """Return each guide as a module that pdoc can show, by its path among the pages."""
    texts = {name: (ROOT / home / "guide.md").read_text(encoding="utf-8") for name, home in GUIDES.items()}
    texts["rules"] = rules()
    return {f"guides.{name}": _module(name, _linked(text)) for name, text in texts.items()}


def _module(name: str, text: str) -> types.ModuleType:
    module = types.ModuleType(f"guides.{name}", text)
    module.__docformat__ = "markdown"  # type: ignore[attr-defined]
    module.__all__ = []  # type: ignore[attr-defined]
    return module


def _linked(text: str) -> str:
    """Return a text whose links lead to pages; files of the project, which have none, are only named."""

    def page(link: re.Match[str]) -> str:
        words, target = link.groups()
        if "://" in target or target.startswith("#"):
            return link[0]
        return f"{words} (`{target.lstrip('./')}`)"

    return re.sub(r"\[([^\]]+)\]\(([^)]+)\)", page, text)


def rules() -> str:
    """Return the tables of all rules and rulings, from the entries that the package reads."""
    from mathhammer import t9a, trench_crusade, wh40k

    parts = [
        "# Rules and rulings",
        "",
        "Each rule of Warhammer 40,000 is one entry, in the file named here. A ruling decides a point that the text",
        "leaves open; `rulings={name: option}` chooses an option.",
    ]
    for edition in reversed(list(wh40k.EDITIONS.values())):
        parts += ["", f"## {edition.title}"]
        for heading, entries in (
            ("Abilities of weapons", edition.abilities),
            ("Rules of the target", edition.target_rules),
            ("The situation", edition.conditions),
        ):
            rows = [(f"`{one.name}`", one.help, one.source, _home(one)) for one in entries.values()]
            parts += ["", f"### {heading}", "", *_table(("name", "what it does", "source", "file"), rows)]
        parts += ["", "### Rulings", "", *_rulings(edition.rulings)]
    for edition in t9a.EDITIONS.values():
        parts += ["", f"## {edition.title}", "", *_rulings(edition.rulings)]
    parts += ["", "## Trench Crusade", "", *_rulings(trench_crusade.RULINGS)]
    return "\n".join(parts)


def _rulings(rulings: Any) -> list[str]:
    rows = [
        (
            f"`{one.name}`",
            one.question,
            ", ".join(f"**{option}**" if option == one.default else str(option) for option in one.options),
            one.source,
        )
        for one in rulings
    ]
    return _table(("name", "question", "options (default in bold)", "source of the default"), rows)


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |"


def _home(entry: Any) -> str:
    """Return the file in which an entry is written, or the function that makes it."""
    room = "mathhammer.systems.wh40k.rules."
    for path, module in sorted(sys.modules.items()):
        if path.startswith(room) and (
            hasattr(module, entry.name) or any(entry is one for one in _constants(module))
        ):
            return _file(path)
    kinds = {"Ability": "abilities", "TargetRule": "defences"}
    return _file(room + kinds.get(type(entry).__name__, "conditions"))


def _constants(module: types.ModuleType) -> Iterator[Any]:
    """Yield the constants of a module, and what its tables hold."""
    for value in list(vars(module).values()):
        yield value
        if isinstance(value, dict):
            yield from value.values()
        elif isinstance(value, (tuple, list)):
            yield from value


def _file(path: str) -> str:
    return f"`{path.removeprefix('mathhammer.').replace('.', '/')}.py`"


def build(folder: Path) -> None:
    """Write the pages, or stop and say what is wrong with them."""
    import pdoc.doc
    import pdoc.render

    pdoc.render.configure(
        docformat="numpy", show_source=False, template_directory=Path(__file__).parent / "templates"
    )
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        pages = {path: page_of(path) for path in PUBLIC}
        pages = {path: pdoc.doc.Module(guide) for path, guide in guides().items()} | pages
        for page in pages.values():
            page.submodules = []
        pages["mathhammer"].submodules = [pages[path] for path in PUBLIC if path != "mathhammer"]
        # An annotation names the module where a class is defined; the page is under its public path.
        known = pages | {PUBLIC[path]: pages[path] for path in PUBLIC}
        texts = {path: pdoc.render.html_module(page, known) for path, page in pages.items()}
    wrong = [str(each.message) for each in heard] + faults(pages, texts)
    if wrong:
        sys.exit("\n".join(sorted(set(wrong))))
    for path, text in texts.items():
        file = folder / f"{path.replace('.', '/')}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    index = pdoc.render.html_index(pages)
    for target in Links(index).targets:
        name, _, anchor = target.partition("#")
        if anchor and anchor not in Links(texts[name.removesuffix(".html").replace("/", ".")]).anchors:
            sys.exit(f"the front page links to {target}, which is no place on that page")
    (folder / "index.html").write_text(index, encoding="utf-8")
    (folder / "search.js").write_text(pdoc.render.search_index(pages), encoding="utf-8")


if __name__ == "__main__":
    build(Path(*sys.argv[1:2] or ["site"]))
