"""The page on the loopback address of this computer."""

from __future__ import annotations

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


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
