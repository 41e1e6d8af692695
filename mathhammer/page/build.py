"""The folder of the page, our own files, the runtime that runs Python in the browser and the packages; its server."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import subprocess
import sys
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from mathhammer.errors import MathhammerError

if TYPE_CHECKING:
    from collections.abc import Callable

_ASSETS = Path(__file__).parent / "assets"
_PACKAGE = Path(__file__).parents[1]
#: Names all other files: a folder with these and no others is a page, and one of ours.
_INDEX = "files.json"
#: Python for browsers, which is Pyodide 314.0.7 as it was published, and for it the integers of exact arithmetic.
_RUNTIME = "flet_web-1.0.5-py3-none-any.whl"
_FLINT = "python_flint-0.9.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl"
#: Of these packages one version and no other is used.
_PINNED = {
    _RUNTIME: "eb246cb6e59d14c63aa20223275184825c7ec28b970a2174619a2d9f00d0e2e7",
    _FLINT: "b31f5c00e0e36040ab58d00b3025156e20869b990d776e4bf90f870b1ee11ad3",
}
_LARGE = ("pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
#: Parts of the package that a page has no use for.
_LEFT_OUT = frozenset(("__main__.py", "cli", "interactive", "plot"))
#: Of the modules of python-flint those with the types that exact arithmetic uses, and what these load.
_FLINT_MODULES = {"pyflint", "flint_base.flint_base", "flint_base.flint_context", "types.acb", "types.arb"}
_FLINT_MODULES |= {"types.arf", "types.dirichlet", "types.fmpq", "types.fmpq_mat", "types.fmpq_poly"}
_FLINT_MODULES |= {"types.fmpz", "types.fmpz_mat", "types.fmpz_poly"}


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
            from mathhammer.page.lists import by_faction, write_datasheets

            table, about = write_datasheets(datasheets.read_bytes(), datasheets.name, work)
            progress(str(about))
            files |= {f"datasheets/{name}": each for name, each in by_faction(table).items()}
        progress(f"{_RUNTIME}: Python for browsers; {_FLINT}: exact integers")
        runtime, flint = _fetched(work)
    version = import_module("mathhammer").__version__
    progress(f"mathhammer {version}: the calculator")
    for each in ("pyodide.mjs", "pyodide.asm.mjs", *_LARGE):
        files[f"runtime/{each}"] = runtime[f"flet_web/web/pyodide/{each}"]
    packages = _packages(flint)
    joined = gzip.compress(b"".join(packages.values()), mtime=0)
    name = f"packages-{hashlib.sha256(joined).hexdigest()[:12]}.bin"
    files[name] = joined
    key = hashlib.sha256(b"".join(files[each] for each in sorted(files))).hexdigest()[:12]
    index = {
        "version": version,
        "key": key,
        "packages": name,
        "sizes": {each: len(content) for each, content in packages.items()},
        "bytes": {each: len(files[each]) for each in (name, *(f"runtime/{each}" for each in _LARGE))},
        "files": sorted(files),
    }
    files["offline.js"] = files["offline.js"].replace(b"KEY-OF-THE-FILES", key.encode())
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


def _fetched(work: Path) -> list[dict[str, bytes]]:
    """Return the files of the pinned packages, fetched from their registry, if they are what was pinned."""
    options = [*("--python-version", "314", "--implementation", "cp", "--abi", "cp314", "--abi", "none")]
    options += [*("--platform", "pyemscripten_2026_0_wasm32", "--platform", "any", "--only-binary", ":all:")]
    wanted = ["==".join(file.split("-")[:2]) for file in _PINNED]
    asked = ["-m", "pip", "download", "--quiet", "--no-deps", *options, "--dest", str(work), *wanted]
    command = [sys.executable, *asked]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - fixed arguments
    found = []
    for file, pinned in _PINNED.items():
        path = work / file
        if done.returncode or not path.is_file():
            last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["nothing was said"]
            raise MathhammerError(
                f"couldn't download {file} from its registry: {last[0][:300]}; try again with a connection"
            )
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != pinned:
            raise MathhammerError(
                f"expected {file} with the hash that is pinned, got another file; it is not used"
            )
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            found.append({each: packed.read(each) for each in packed.namelist()})
    return found


def _packages(flint: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files of the calculator and of the integers, of which only the types that are used are loaded."""
    found = {
        f"mathhammer/{path.relative_to(_PACKAGE).as_posix()}": path.read_bytes()
        for path in sorted(_PACKAGE.rglob("*"))
        if path.is_file()
        and path.suffix in {".py", ".ros", ".txt", ".typed"}
        and path.relative_to(_PACKAGE).parts[0] not in _LEFT_OUT
    }
    for name, content in flint.items():
        module = name.removeprefix("flint/").partition(".")[0].replace("/", ".")
        unused = name.startswith("flint/") and name.endswith(".so") and module not in _FLINT_MODULES
        if not name.startswith("flint/test/") and not unused:
            found[name] = content
    lines = found["flint/__init__.py"].decode().splitlines()
    imports = (line.split() for line in lines if line.startswith("from .") and not line.endswith("("))
    kept = [" ".join(words) for words in imports if words[1][1:] in _FLINT_MODULES]
    return found | {"flint/__init__.py": "\n".join(kept).encode()}


def _write(folder: Path, files: dict[str, bytes]) -> None:
    """Write all files beside the folder and put them in its place: an old page is whole until then."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent, prefix=".page-") as work:
        new, old = Path(work) / "new", Path(work) / "old"
        for name, content in files.items():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            (new / name).write_bytes(content)
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
