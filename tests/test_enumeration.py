"""The dice-by-dice enumerator of the tests against the answer tables: neither side of the proof is taken on trust."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from checking import check, enumerated
from reference import core_rules_10e, published_values

if TYPE_CHECKING:
    from reference.answers import Answer

ANSWERS = [*core_rules_10e.ANSWERS, *published_values.ANSWERS]


@pytest.mark.parametrize("answer", ANSWERS, ids=str)
def test_enumerator_agrees_with_the_answer_table(answer: Answer) -> None:
    """Core rules, Making Attacks: the rows of `reference/`, which name their own sources."""
    check(answer, enumerated)


def test_rows_have_names_of_their_own() -> None:
    """Each row of the answer tables is one case (no two share a name)."""
    names = [row.id for row in ANSWERS]
    assert sorted(names) == sorted(set(names))
