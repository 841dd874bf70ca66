"""The demo keeps its promises, and says so when it cannot."""

import json
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

import graphmem
from graphmem.api.admin import Admin
from graphmem.interfaces import demo
from graphmem.interfaces.cli.commands import main

ROOT = Path(__file__).parents[2]


def columns(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


@pytest.mark.slow
def test_the_demo_shows_what_it_promises(tmp_path: Path) -> None:
    """Piped to a file, as in a log: plain text of 80 columns, no bars."""
    folder = tmp_path / "kept"
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("COLUMNS", "FORCE_COLOR", "GRAPHMEM_PATH")
    }
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "worker")])
    ended = subprocess.run(
        [sys.executable, "-m", "graphmem", "demo", "--path", str(folder)],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    page = ended.stdout
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "\x1b" not in page
    body, _, end = page.partition("Go on from here")
    assert all(columns(line) <= 80 for line in body.splitlines())

    # Six questions in two languages, with hits, scores and a path, asked twice.
    questions = [line for line in page.splitlines() if line.startswith("? ")]
    assert len(questions) == 12
    assert questions[:6] == questions[6:]
    assert sum("\u4e00" <= q[2] <= "\u9fff" for q in questions) == 6
    assert "rank 1 → " in page

    # A killed worker, and nothing lost.
    assert re.search(r"Worker \d+ got SIGKILL with \d+ of \d+ texts still waiting", page)
    assert "Nothing was lost." in page
    assert "all structures agree" in page

    # What was forgotten, and brought back.
    assert re.search(r"memory\.history\.revive\(\d+,\s+\d+\)", page)

    lines = [line for line in end.splitlines() if line.startswith("    ")]
    assert len(lines) == 3
    ran = subprocess.run(
        [sys.executable, "-c", "\n".join(line.strip() for line in lines) + "\nmemory.close()"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "OX-412" in ran.stdout, ran.stderr
    with graphmem.open(folder, scope="zh", read_only=True) as memory:
        assert memory.admin.check() == []


@pytest.mark.slow
def test_the_demo_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    for language in ("en", "zh"):
        assert figures[language]["entries"] == 150
        assert figures[language]["text_bytes_after"] <= figures[language]["text_bytes"] / 2 + 1000
    assert figures["worker"]["scored"] == figures["worker"]["waiting"]
    assert 0 < figures["worker"]["at_kill"] < figures["worker"]["waiting"]
    before, after = figures["asked"]
    assert before["questions"] == after["questions"] == 68
    assert figures["forgotten"] > 0


@pytest.mark.slow
def test_the_demo_ends_with_1_when_a_promise_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A demo that shines whatever happens proves nothing."""
    monkeypatch.setattr(Admin, "check", lambda self: ["node 7 has no text"])
    assert main(["demo"]) == 1
    out, err = capsys.readouterr()
    assert err.startswith(
        "DemoError: admin.check() found faults after the kill: ['node 7 has no text'"
    )
    assert "Nothing was lost." not in out


def test_the_demo_begins_with_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    assert main(["demo", "-p", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith("InvalidArgumentError: ")
    assert os.listdir(tmp_path) == ["thesis.tex"]


def test_missing_journals_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "__file__", str(tmp_path / "graphmem" / "interfaces" / "demo.py"))
    assert main(["demo", "--json"]) == 1
    error = json.loads(capsys.readouterr().err)["error"]
    assert error["kind"] == "MissingError"
    assert str(tmp_path / "graphmem" / "data") in error["message"]
