"""`python -m bench` does with its options what its help says."""

import argparse
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from bench import __main__ as command
from bench.report import Row


def run(arguments: argparse.Namespace) -> list[Row]:
    return [Row("tiny", "none", "none", "count", 1.0, "")]


@pytest.mark.parametrize("place", [0, 1])
def test_json_is_written_wherever_the_option_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    """`--json FILE NAME` printed its rows and wrote nothing."""
    tiny = ModuleType("bench.tiny")
    tiny.__dict__.update(HELP="one row", configure=lambda parser: None, run=run)
    words = ["tiny"]
    words[place:place] = ["--json", str(tmp_path / "rows.json")]
    monkeypatch.setattr(command, "BENCHES", (tiny,))
    monkeypatch.setattr(sys, "argv", ["bench", *words])
    command.main()
    (row,) = json.loads((tmp_path / "rows.json").read_text())["rows"]
    assert row["value"] == 1.0
