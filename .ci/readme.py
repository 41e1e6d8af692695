"""The README on a package index: its links lead to the repository that the build runs for.

A package index shows no file beside the README. Where the build knows the repository (``GITHUB_REPOSITORY``, as
GitHub's own runners set it), each relative link becomes one to the repository, and pictures one to their raw file.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class ReadmeHook(MetadataHookInterface):
    """Sets the README of the package."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Put the README with its links into the metadata, and the repository's address."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        repository = os.environ.get("GITHUB_REPOSITORY")
        if repository:
            metadata["urls"] = {"Source": f"https://github.com/{repository}"}
            text = absolute(text, repository)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def absolute(text: str, repository: str) -> str:
    """Return a text whose relative links and pictures are those of a repository on GitHub."""
    text = re.sub(
        r"(!\[[^\]]*\])\((?!\w+:)([^)#]+)\)",
        rf"\1(https://raw.githubusercontent.com/{repository}/main/\2)",
        text,
    )
    return re.sub(
        r"(\[[^\]]*\])\((?!\w+:|#)([^)]+)\)", rf"\1(https://github.com/{repository}/blob/main/\2)", text
    )
