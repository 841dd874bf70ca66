"""docs/guarantees.md promises nothing that no test shows."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "guarantees.md").read_text("utf-8")


def test_every_test_that_is_named_is_there() -> None:
    named = re.findall(r"`([\w/]+)?::(\w+)`", PAGE)
    assert len(named) > 20
    path = ""
    for file, name in named:
        path = file or path  # `::name` is in the file named before it
        source = (ROOT / "tests" / f"{path}.py").read_text("utf-8")
        assert f"def test_{name}(" in source, f"{path}::{name}"


def test_every_promise_names_a_test() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")]
    for row in rows:
        named = "::" in row or "the same" in row or "no test: " in row
        assert named or row == "| promise | shown by |", row


def test_every_test_of_the_failure_table_is_there() -> None:
    """docs/home.md says what happens when; each line is a test."""
    home = (ROOT / "docs" / "home.md").read_text("utf-8")
    sources = "".join(
        path.read_text("utf-8")
        for folder in ("faults", "storage/homes", "api")
        for path in (ROOT / "tests" / folder).glob("test_*.py")
    )
    named = set(re.findall(r"[`:](test_\w+)`", home))
    assert len(named) > 8
    assert [name for name in named if f"def {name}(" not in sources] == []
