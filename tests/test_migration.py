"""A memory of years in an older format opens in this one, whole, and answers as before."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

import graphmem
from graphmem.errors import FullError, InvalidArgumentError, OlderFormatError, ReadOnlyError
from graphmem.storage.registry import MIGRATIONS
from graphmem.storage.store import Store
from tests import older_format
from tests.faults.small_disk import fill, resize
from tests.fixtures.make_format_2 import picture

TEXTS = 30
SYLLABLES = ("ba", "do", "ki", "lem", "nur", "pas", "rin", "sol", "tev", "zu")
ENGINES = ("leveldb", "lmdb")


@pytest.fixture(autouse=True)
def _migrating(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MIGRATIONS, older_format.VERSION, older_format.migrate)


def made(folder: Path, engine: Any) -> dict[str, Any]:
    """Make a memory of two scopes, have it grow old, and return what it says."""
    random = Random(1)
    texts = [
        " ".join("".join(random.choices(SYLLABLES, k=3)) for _ in range(9)) for _ in range(TEXTS)
    ]
    with graphmem.open(folder, worker="none", durability="os", engine=engine) as memory:
        nodes = [memory.remember(text, session=f"{n % 9}")[0] for n, text in enumerate(texts)]
        memory.graph.relate(nodes[0], "cites", nodes[1])
        memory.graph.facts.put(nodes[2], "http://e.org/about", 48)
        for _ in range(3):
            memory.sweep(seconds=60)
        memory.forget(nodes[3])
        memory.scopes.open("other").remember("Another scope. 另一个。", pin=True)
        said = pictures(memory)
    older_format.age(folder)
    return said


def pictures(memory: graphmem.Memory) -> dict[str, Any]:
    scopes = [memory.scopes.open(name) for name in memory.scopes.names()]
    return {scope.name: picture(scope) for scope in scopes}


@pytest.fixture(scope="module", params=ENGINES)
def old(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Any]]:
    """A closed folder of the older format, and what it says."""
    folder = tmp_path_factory.mktemp("old") / "memory"
    return folder, made(folder, request.param)


def same(folder: Path, said: dict[str, Any]) -> None:
    """Opening the folder finds what it said, agreeing in all its parts."""
    with graphmem.open(folder, worker="none", durability="os") as memory:
        assert [memory.scopes.open(name).admin.check() for name in said] == [[], []]
        assert pictures(memory) == said
    assert not (folder / "migration").exists()
    assert not (folder / "store.format-1").exists()


def opening(folder: Path, what: str, step: int) -> subprocess.Popen[str]:
    """A process that opens the folder and is killed, or stops, at a step."""
    command = [
        sys.executable,
        "-X",
        "faulthandler",
        "-m",
        "tests.older_format",
        str(folder),
        what,
        str(step),
    ]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=Path(__file__).parents[1], stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )


def test_every_answer_is_the_same_after_the_migration(
    old: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    """What a migration drops is gone for good with the old store."""
    folder = tmp_path / "memory"
    shutil.copytree(old[0], folder)
    with pytest.raises(ReadOnlyError, match="older format 1"):
        graphmem.open(folder, worker="none", read_only=True)
    same(folder, old[1])
    same(folder, old[1])


def test_a_format_without_a_reader_is_refused(
    old: tuple[Path, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read as if it were of today, a folder of another format would be written over."""
    folder = tmp_path / "memory"
    shutil.copytree(old[0], folder)
    for act in (graphmem.repair, lambda path: graphmem.convert(path, other_engine(path))):
        with pytest.raises(OlderFormatError, match="open it once first"):
            act(folder)
    monkeypatch.delitem(MIGRATIONS, older_format.VERSION)
    for read_only in (False, True):
        with pytest.raises(OlderFormatError, match=r"format 1, written by graphmem .* export"):
            Store.open(folder, read_only=read_only)
    monkeypatch.undo()
    monkeypatch.setitem(MIGRATIONS, older_format.VERSION, older_format.migrate)
    same(folder, old[1])


def other_engine(folder: Path) -> Any:
    try:
        graphmem.convert(folder, "lmdb")
    except InvalidArgumentError:
        return "leveldb"
    except OlderFormatError:
        return "lmdb"
    raise AssertionError("it was converted")


@pytest.mark.faults
def test_a_folder_is_whole_wherever_its_migration_is_killed(
    old: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    """Killed at any step, a folder is of one format or of the other, whole."""
    for step in range(1000):
        folder = tmp_path / f"memory-{step}"
        shutil.copytree(old[0], folder)
        process = opening(folder, "KILLED", step)
        said, error = process.communicate()
        if process.returncode == 0:
            assert int(said) == step, "the process came to the end of its steps"
            assert step >= 10
            return
        assert process.returncode == -signal.SIGKILL, error
        same(folder, old[1])
        shutil.rmtree(folder)
    raise AssertionError("it never came to an end")


@pytest.mark.faults
def test_a_migration_on_a_disk_that_fills_up(
    old: tuple[Path, dict[str, Any]], small_disk: Path
) -> None:
    """Refused where there is no room; where another program takes it midway, nothing is lost."""
    resize(small_disk, 8 << 30)
    folder, ballast = small_disk / "memory", small_disk / "ballast"
    shutil.copytree(old[0], folder)
    size = sum(file.stat().st_size for file in folder.rglob("*"))
    resize(small_disk, size + size // 2)
    with pytest.raises(FullError, match="make room"):
        graphmem.open(folder, worker="none")
    assert not (folder / "migration").exists()

    resize(small_disk, 3 * size)
    process = opening(folder, "STOPPED", 2)
    assert process.stdout is not None
    assert process.stdout.readline() == "stopped\n"
    fill(ballast)
    _, said = process.communicate("\n")
    assert process.returncode == 1, said
    assert "FullError" in said.splitlines()[-1]
    assert not (folder / "migration").exists()

    ballast.unlink()
    same(folder, old[1])
