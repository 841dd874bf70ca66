"""docs/guarantees.md and docs/home.md promise nothing that no test shows."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "docs" / "guarantees.md", ROOT / "docs" / "home.md"]
_TESTS = re.compile(r"^ *(?:async )?def test_(\w+)\(", re.M)
_TABLES = re.compile(r"^\|.* shown by \|\n\|---.*\n((?:\|.*\n)+)", re.M)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_promise_names_a_test(page: Path) -> None:
    """By its name alone, which `pytest -k` finds wherever it moves."""
    there = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in _TESTS.findall(path.read_text("utf-8"))
    }
    tables = _TABLES.findall(page.read_text("utf-8"))
    rows = [row.rsplit(" | ", 1)[1] for table in tables for row in table.splitlines()]
    assert len(rows) > 10
    for shown_by in rows:
        named = re.findall(r"`(\w+)`", shown_by)
        assert named or shown_by.startswith(("the same", "no test: ", "tried by hand")), shown_by
        assert {*named} <= there, shown_by
