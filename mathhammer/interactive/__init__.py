"""The calculator in a notebook: every form of every game.

anywidget is imported when it is shown: ``pip install 'mathhammer[interactive]'``.

Examples
--------
>>> "Army list" in calculator().page
True
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mathhammer import __version__, page
from mathhammer.errors import MathhammerError

__all__ = ["calculator"]

_HERE = Path(__file__).parent


def calculator(question: object = "") -> Any:
    """Return the calculator as a notebook widget; ``.result`` is its last result.

    Parameters
    ----------
    question
        The first question: a result that has ``to_text()``, or such a text.

    Examples
    --------
    >>> from mathhammer import wh40k
    >>> shown = calculator(wh40k.attack("Rifle: A2 BS3+ S4 AP0 D1", "MEQ"))
    >>> shown.result.attacks
    Distribution({2: 1.0})
    """
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise MathhammerError(
            "the calculator needs anywidget, which is not installed; pip install 'mathhammer[interactive]'"
        ) from error
    from mathhammer.page.requests import answer
    from mathhammer.serialisation import from_text

    asked = question if isinstance(question, str) else getattr(question, "to_text", str)()

    class Calculator(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
        _esm = _HERE / "frame.js"
        page = traitlets.Unicode(_document(asked)).tag(sync=True)
        text = traitlets.Unicode()

        @property
        def result(self) -> Any:
            return from_text(self.text)

        def _answer(self, _: object, request: Any, __: object) -> None:
            found = answer(str(request["request"]))
            self.text = json.loads(found).get("text") or self.text
            self.send({"id": request["id"], "answer": found})

    made = Calculator(text=asked)
    made.on_msg(made._answer)  # noqa: SLF001 - of the class above
    return made


def _document(question: str) -> str:
    """Return the page in one file, whose modules find each other by name."""
    assets = Path(page.__file__).with_name("assets")
    modules = {
        path.stem: "data:text/javascript;charset=utf-8,"
        + quote(re.sub(r'from "\./(\w+)\.js"', r'from "\1"', path.read_text("utf-8")))
        for path in assets.glob("*.js")
    }
    index, style = ((assets / name).read_text("utf-8") for name in ("index.html", "style.css"))
    asked = json.dumps(question).replace("</", "<\\/")
    begin = f"const VERSION = {json.dumps(__version__)}; window.question = {asked};\n"
    head = (
        f"<style>{style}\n#share,.share{{display:none}}</style>"
        f"<script>{begin}{(_HERE / 'worker.js').read_text('utf-8')}</script>"
        f'<script type="importmap">{json.dumps({"imports": modules})}</script>'
        '<script type="module">import "app";</script></head>'
    )
    # The policy of the page allows files of its own alone, of which a frame has none.
    whole = re.sub(r"<meta http-equiv=.*?>|<link .*?>|<script .*?></script>", "", index)
    return whole.replace("in your browser; nothing is sent", "by the kernel").replace("</head>", head)
