"""Run the notebooks: ``python notebooks/stored.py`` holds what they give against what is stored in them.

``--write`` stores it. All outputs are compared but pictures, whose bytes differ between versions of matplotlib; of
those only the place is.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

HOME = Path(__file__).parent
#: Small pictures, whatever the settings of the user's matplotlib.
SETTINGS = "%config InlineBackend.rc = {'figure.dpi': 72, 'savefig.dpi': 72}\n"
#: Names of things that differ from run to run: elements of a page, widgets.
PASSING = re.compile(r"\b[0-9a-f]{8,}\b|0x[0-9a-f]+")
COLOURS = 24


def run(path: Path) -> Any:
    """Return the notebook with the outputs of today."""
    notebook = nbformat.read(path, as_version=4)
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    first.source = SETTINGS + first.source
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(HOME)}}).execute()
    first.source = first.source.removeprefix(SETTINGS)
    notebook.metadata.pop("widgets", None)
    notebook.metadata.language_info = {"name": "python"}
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = _plain(cell.outputs)
    return notebook


def _plain(given: list[Any]) -> list[Any]:
    """Return outputs without what only a running kernel knows, printed lines together, pictures small."""
    found: list[Any] = []
    for output in given:
        if output.output_type == "stream" and found and found[-1].output_type == "stream":
            found[-1].text += output.text
        else:
            found.append(_shrunk(output))
    return found


def _shrunk(output: Any) -> Any:
    data = output.get("data", {})
    data.pop("application/vnd.jupyter.widget-view+json", None)
    if "image/png" in data:
        data["image/png"] = _small(data["image/png"])
    return output


def _small(png: str) -> str:
    """Return a picture in few colours."""
    from PIL import Image

    file = io.BytesIO()
    picture = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    picture.quantize(COLOURS).save(file, "PNG", optimize=True)
    return base64.b64encode(file.getvalue()).decode()


def outputs(notebook: Any) -> list[tuple[int, str]]:
    """Return what the cells show, as text that is the same in every run."""
    found = []
    for number, cell in enumerate(notebook.cells):
        for each in cell.get("outputs", ()):
            shown = each.get("text") or {
                kind: "a picture" if kind.startswith("image/") else value
                for kind, value in each.get("data", {}).items()
            }
            found.append(
                (number, PASSING.sub("...", json.dumps(shown, indent=1, ensure_ascii=False, sort_keys=True)))
            )
    return found


def check(path: Path, *, write: bool) -> str:
    """Return in words where a notebook gives something else than is stored, or store it."""
    try:
        now = run(path)
    except CellExecutionError as error:
        return f"{path.name}: {error}"
    if write:
        nbformat.write(now, path)
        return ""
    stored = outputs(nbformat.read(path, as_version=4))
    for before, after in zip(stored, outputs(now), strict=False):
        if before != after:
            at = next(
                (i for i, pair in enumerate(zip(before[1], after[1], strict=False)) if len(set(pair)) > 1), 0
            )
            texts = (each[1][max(0, at - 100) : at + 200] for each in (before, after))
            return f"{path.name}, cell {after[0]}: stored\n{{}}\nbut now\n{{}}".format(*texts)
    return "" if len(stored) == len(outputs(now)) else f"{path.name}: not as many outputs as are stored"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true", help="store what the notebooks give")
    parser.add_argument("names", nargs="*", help="notebooks, without .ipynb; all by default")
    given = parser.parse_args()
    paths = [path for path in sorted(HOME.glob("*.ipynb")) if path.stem in given.names or not given.names]
    with ThreadPoolExecutor(2) as pool:
        wrong = [each for each in pool.map(lambda path: check(path, write=given.write), paths) if each]
    print("\n".join([*wrong, f"{len(paths)} notebooks"]))
    sys.exit(bool(wrong))
