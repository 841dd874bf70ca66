"""`graphmem doctor` says what is wrong and what to do; a shell completes the commands.

Who meets an error first looks for a place that says how things are, not for six commands.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.errors import NotOpenError
from graphmem.interfaces import doctor
from graphmem.interfaces.cli.commands import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("The kettle is broken.")
    return tmp_path / "m"


def findings(folder: Path, capsys: pytest.CaptureFixture[str], status: int) -> Any:
    assert main(["doctor", str(folder), "--json"]) == status
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] == (status == 0)
    return {found["about"]: found for found in document["findings"]}


@pytest.mark.leveldb
def test_a_memory_that_is_well(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = findings(folder, capsys, 0)
    assert found["graphmem"]["value"] == graphmem.__version__
    assert "kept by leveldb" in found["folder"]["value"]
    assert found["owner"]["value"] == "nobody has it open"
    assert "1 node " in found["memory"]["value"]
    assert found["queue"]["advice"] == "graphmem admin enrich works them off"
    assert found["check"]["value"] == "all structures agree"
    assert main(["doctor", str(folder), "--quick"]) == 0
    page = capsys.readouterr().out
    assert "all structures agree" not in page
    assert len(page.splitlines()) < 30


def test_a_memory_that_is_in_use(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with graphmem.open(folder, worker="none"):
        found = findings(folder, capsys, 0)
    assert found["owner"]["value"] == f"process {os.getpid()} has it open and takes clients"


def test_who_holds_it_and_does_not_answer_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphmem.api.access._PATIENCE", 0.0)
    with graphmem.open(folder, worker="none", attachable=False):
        found = findings(folder, capsys, 1)
    assert found["owner"]["verdict"] == "fault"
    assert f"process {os.getpid()}" in found["owner"]["value"]
    assert "end that process" in found["owner"]["advice"]


def test_who_holds_it_is_known_without_reading_the_error(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong was decided by words of the error: said otherwise, a folder that is held was
    one that nobody has open."""
    for owner, verdict in ((7, "fault"), (None, "ok")):
        error = NotOpenError("said otherwise")
        error.owner_pid = owner

        def attach(*_: Any, error: NotOpenError = error, **_named: Any) -> Any:
            raise error

        monkeypatch.setattr(graphmem, "attach", attach)
        assert findings(folder, capsys, owner is not None)["owner"]["verdict"] == verdict


@pytest.mark.leveldb
def test_damage_is_told_with_what_to_do(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "store" / "CURRENT").unlink()
    found = findings(folder, capsys, 1)
    assert "CorruptError" in found["memory"]["value"]
    assert found["memory"]["advice"] == "run graphmem admin repair, or restore a backup"


def test_what_was_left_beside_it_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder.parent / "m.partial-x1").mkdir()
    (folder.parent / "mm.partial-x1").mkdir()
    assert findings(folder, capsys, 0)["beside it"]["value"] == "m.partial-x1"
    os.chmod(folder, 0o755)
    assert findings(folder, capsys, 0)["access"]["advice"] == f"chmod 700 {folder}"


def test_no_folder_is_no_fault_and_none_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert findings(tmp_path / "none", capsys, 0)["folder"]["verdict"] == "note"
    assert not (tmp_path / "none").exists()


def test_what_can_hold_no_memory_is_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a file it said that `remember` makes a memory there, which is refused."""
    (tmp_path / "notes.txt").write_text("kettle")
    for path in (tmp_path, tmp_path / "notes.txt"):
        assert findings(path, capsys, 1)["folder"]["verdict"] == "fault"


def test_a_missing_package_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = doctor.installed
    monkeypatch.setattr(doctor, "installed", lambda name: "" if name == "numpy" else known(name))
    assert findings(folder, capsys, 1)["packages"]["advice"] == "pip install numpy"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_the_commands(
    shell: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["admin", "completion", shell]) == 0
    script = capsys.readouterr().out
    assert f"_GRAPHMEM_COMPLETE={shell}_complete" in script
    asked = {"COMP_WORDS": "graphmem rec", "COMP_CWORD": "1" if shell != "fish" else "rec"}
    ended = subprocess.run(
        [sys.executable, "-m", "graphmem"],
        env={**os.environ, **asked, "_GRAPHMEM_COMPLETE": f"{shell}_complete"},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert "recall" in ended.stdout


def test_every_extra_is_looked_for() -> None:
    """Who had the adapters installed was told of the others only."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    assert set(doctor.EXTRAS) == set(extras) - {"all", "bench", "dev", "llm-server"}
