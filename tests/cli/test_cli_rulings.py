"""The list of disputed points."""

from __future__ import annotations

import json

from click.testing import CliRunner

from mathhammer.cli import main
from mathhammer.systems.wh40k import EDITIONS


def test_every_ruling_is_listed_with_its_default():
    for name, edition in EDITIONS.items():
        page = CliRunner().invoke(main, ["40k", "rulings", "--edition", name]).output
        for ruling in edition.rulings:
            assert f"name: {ruling.name}\n" in page
            assert f"default: {ruling.default}\n" in page


def test_the_list_as_data():
    result = CliRunner().invoke(main, ["40k", "rulings", "--edition", "10e", "--json"])
    data = json.loads(result.output)
    assert [ruling["name"] for ruling in data["records"]] == [
        ruling.name for ruling in EDITIONS["10e"].rulings
    ]
