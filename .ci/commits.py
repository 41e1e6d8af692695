"""Check the subjects of new commits: at most 72 characters, in the imperative, no full stop."""

from __future__ import annotations

import re
import subprocess
import sys

#: Commits before this day were written without the rule.
SINCE = "2026-11-22T11:10:00Z"
LONGEST = 72
#: First words that say what was done, is done or is being done; a few imperatives end alike.
NOT_IMPERATIVE = re.compile(r"\w+(ed|ing|[^s]s)$")
IMPERATIVES = {"bring", "embed", "feed", "focus", "need", "ring", "seed", "speed", "spring", "string"}


def faults(subject: str) -> list[str]:
    """Return what is wrong with a subject, in words."""
    first = subject.split(" ", 1)[0]
    found = []
    if len(subject) > LONGEST:
        found.append(f"{len(subject)} characters, at most {LONGEST}")
    if not first[:1].isupper():
        found.append("starts with a capital letter")
    if NOT_IMPERATIVE.match(first.lower()) and first.lower() not in IMPERATIVES:
        found.append(f"{first!r} is not an imperative")
    if subject.endswith("."):
        found.append("no full stop")
    return found


if __name__ == "__main__":
    log = subprocess.run(  # noqa: S603
        ["git", "log", "--no-merges", f"--since={SINCE}", "--format=%h %s"],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.split(" ", 1) for line in log.stdout.splitlines()]
    wrong = [f"{name} {subject}: {'; '.join(found)}" for name, subject in lines if (found := faults(subject))]
    print("\n".join([*wrong, f"{len(lines)} commit subjects"]))
    # What is an imperative is a guess at words; the length is not.
    sys.exit(any(len(subject) > LONGEST for _, subject in lines))
