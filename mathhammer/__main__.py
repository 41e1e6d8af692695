"""``python -m mathhammer``: the command line without an installed script."""

from __future__ import annotations

from mathhammer.cli import main

if __name__ == "__main__":
    main(prog_name="mathhammer")
