"""What an import costs: nothing heavy before it is used."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import mathhammer

pytestmark = pytest.mark.slow


def _loaded(statement: str) -> set[str]:
    """Top-level modules that a statement loads in a fresh interpreter."""
    code = f"{statement}\nimport sys\nprint(' '.join(name for name in sys.modules if '.' not in name))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603 - our own interpreter
    return set(done.stdout.split())


def test_the_package_alone_loads_nothing_heavy():
    heavy = {"numpy", "sympy", "scipy", "matplotlib", "pandas", "flint", "rich", "click"}
    assert not heavy & _loaded("import mathhammer")


@pytest.mark.parametrize(
    "statement",
    [
        "import mathhammer; mathhammer.distribution('2D6').at_least(9)",
        "from mathhammer import wh40k",
        "import mathhammer; mathhammer.read_army",
    ],
)
def test_the_float_path_needs_no_symbolic_algebra(statement):
    assert not {"sympy", "scipy", "matplotlib", "pandas"} & _loaded(statement)


def test_an_attack_in_floats_needs_no_symbolic_algebra():
    statement = (
        "from mathhammer import wh40k\n"
        "w = wh40k.Weapon.parse('Rifle: A2 BS3+ S4 AP-1 DD3')\n"
        "t = wh40k.Target('T', toughness=4, save='3+', wounds=2, models=5)\n"
        "r = wh40k.attack(w, t, count=5)\n"
        "r.kills.mean(); r.damage.mean(); r.probability_destroyed; r.hits.median(); str(r.explain())\n"
    )
    assert not {"sympy", "scipy", "matplotlib", "pandas"} & _loaded(statement)


def test_public_names_resolve():
    for name in mathhammer.__all__:
        assert getattr(mathhammer, name) is not None
    assert set(mathhammer.__all__) <= set(dir(mathhammer))
    assert dir(mathhammer.analysis) == sorted(mathhammer.analysis.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        mathhammer.nothing  # noqa: B018


#: Prints each import, in the statements of the package, of a part of a room that has not been entered itself.
_ORDER = """
import builtins, sys
original = builtins.__import__

def watched(name, globals=None, locals=None, fromlist=(), level=0):
    importer = (globals or {}).get("__name__", "")
    room = name.rpartition(".")[0]
    ours = importer.startswith("mathhammer.") and name.startswith("mathhammer.")
    if ours and room not in {"mathhammer", *EMPTY, *sys.modules}:
        outer = sys.modules.get(room.rpartition(".")[0])
        # While the room around it is being entered, nobody else is in there.
        if outer is None or not outer.__spec__._initializing:
            print(importer, "imports", name, "before", room)
    return original(name, globals, locals, fromlist, level)

builtins.__import__ = watched
"""

_INITS = {
    ".".join(init.parent.relative_to(Path(mathhammer.__file__).parents[1]).parts): init
    for init in Path(mathhammer.__file__).parent.rglob("__init__.py")
}
ROOMS = sorted(_INITS)
#: These import none of their own parts while they are entered: whoever waits for one holds nothing that it needs.
EMPTY = {
    room
    for room, init in _INITS.items()
    if not any(
        isinstance(each, ast.ImportFrom) and f"{each.module}.".startswith(f"{room}.")
        for each in ast.parse(init.read_text("utf-8")).body
    )
}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_entered_before_its_parts(room):
    """Python locks a part before its room, and a room imports its parts: two threads would wait for each other."""
    assert _run(f"EMPTY = {EMPTY}\n{_ORDER}\nimport {room}") == ""


#: Kinds that make each other: the operators and methods of an expression, and those of a distribution; what an object
#: shows of itself, and its picture.
TOGETHER = {"mathhammer.expressions", "mathhammer.distributions", "mathhammer.display", "mathhammer.plot"}
_MODULES = {
    ".".join(path.relative_to(Path(mathhammer.__file__).parents[1]).with_suffix("").parts).removesuffix(
        ".__init__"
    ): path
    for path in Path(mathhammer.__file__).parent.rglob("*.py")
}


def _imported(node: ast.AST) -> set[str]:
    """Modules of the package that code imports, inside functions too, but for type checkers."""
    found = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.ImportFrom) and child.module:
            names = [f"{child.module}.{each.name}" for each in child.names]
            found.update(name if name in _MODULES else child.module for name in names)
        elif isinstance(child, ast.Import):
            found.update(each.name for each in child.names)
        found |= _imported(child)
    return found & _MODULES.keys()


def test_no_modules_import_each_other_in_a_circle():
    """Imports inside functions count: whoever reads one module of a circle has to read them all."""
    imports = {}
    for name, path in _MODULES.items():
        imports[name] = _imported(ast.parse(path.read_text("utf-8"))) - {name}
    # What imports nothing that is left is in no circle, and neither is what nothing left imports.
    left = dict(imports)
    while True:
        wanted = set().union(*left.values())
        kept = {name: found & left.keys() for name, found in left.items() if found & left.keys()}
        kept = {name: found for name, found in kept.items() if name in wanted}
        if kept == left:
            break
        left = kept
    rooms = {name if name in _INITS else name.rpartition(".")[0] for name in left}
    assert rooms <= TOGETHER, sorted(left)


def test_public_names_are_homed_in_rooms():
    alone = {"mathhammer.errors", "mathhammer.serialisation.ask"}  # no room waits for these
    assert {f"mathhammer.{home}" for home in mathhammer._HOMES} <= {*ROOMS, *alone}


_TOUCHED = """
import threading, mathhammer
names = {names!r}
gate, failed = threading.Barrier(len(names)), []

def touch(name):
    gate.wait()
    try:
        getattr(mathhammer, name)
    except BaseException as error:
        failed.append(f"{{name}}: {{error!r}}")

threads = [threading.Thread(target=touch, args=(name,), daemon=True) for name in names]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(60)
    if thread.is_alive():
        failed.append("a thread waits for ever")
print(*failed, end="")
"""


@pytest.mark.parametrize(
    "names", [("dice", "distribution", "trench_crusade"), tuple(mathhammer.__all__)], ids=["three", "all"]
)
def test_threads_may_touch_the_public_names_first(names):
    for _ in range(4):
        assert _run(_TOUCHED.format(names=names)) == ""


def _run(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603 - our own interpreter
    return done.stdout
