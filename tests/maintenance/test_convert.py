"""A folder that one Python has written and another cannot read is lost to who has moved."""

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.errors import AlreadyOpenError, CorruptError, InvalidArgumentError, MissingExtraError
from graphmem.storage import engines
from tests.fixtures.make_format_2 import picture

pytest.importorskip("plyvel")
pytest.importorskip("lmdb")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "memory"
    with graphmem.open(path, engine="leveldb", worker="none", durability="os") as memory:
        first = memory.remember("Wen moved the release from May 3 to May 10.", speaker="Wen")[0]
        second = memory.remember("Iris says that the audit is two weeks late.")[0]
        memory.graph.relate(first, "waits for", second)
        memory.forget(memory.remember("Nobody needs this.")[0])
        memory.items.put("plans", "audit", {"weeks": 2})
        memory.scopes.open("other").remember("另一个。")
    return path


def read(path: Path) -> dict[str, Any]:
    """All that a folder says, having checked that it agrees in itself."""
    with graphmem.open(path, worker="none", durability="os") as memory:
        scopes = [memory.scopes.open(name) for name in memory.scopes.names()]
        assert [scope.admin.check() for scope in scopes] == [[]] * len(scopes)
        said = {scope.name: picture(scope) for scope in scopes}
        return {**said, "items": [item.value for item in memory.items.list("plans")]}


def test_a_folder_says_the_same_with_the_other_engine_and_back(folder: Path) -> None:
    before = read(folder)
    assert graphmem.convert(folder, "lmdb") == "leveldb"
    assert engines.kind_of(folder / "store") == "lmdb"
    assert read(folder) == before
    assert graphmem.convert(folder, "leveldb") == "lmdb"
    assert read(folder) == before
    assert {"migration", "store.format-2"}.isdisjoint(os.listdir(folder))
    with pytest.raises(InvalidArgumentError, match="leveldb already"):
        graphmem.convert(folder, "leveldb")
    with graphmem.open(folder, worker="none"), pytest.raises(AlreadyOpenError):
        graphmem.convert(folder, "lmdb")


def test_a_python_without_leveldb_names_the_command_and_it_works(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read(folder)
    monkeypatch.setattr(
        engines, "find_spec", lambda name: None if name == "plyvel" else find_spec(name)
    )
    with pytest.raises(MissingExtraError, match=f"graphmem admin convert {folder} --engine lmdb"):
        graphmem.open(folder, worker="none")
    graphmem.convert(folder, "lmdb")
    assert read(folder) == before


def test_without_the_new_engine_it_says_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It advised to convert a folder "migration", which was half made, to the old engine."""
    before = read(folder)
    monkeypatch.setattr(
        engines, "find_spec", lambda name: None if name == "lmdb" else find_spec(name)
    )
    with pytest.raises(MissingExtraError, match=rf"^{folder} needs .*: pip install lmdb$"):
        graphmem.convert(folder, "lmdb")
    assert read(folder) == before


def test_an_engine_that_there_is_not_is_refused_by_name(folder: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="'leveldb' or 'lmdb', got 'rocksdb'"):
        graphmem.convert(folder, "rocksdb")  # type: ignore[arg-type]


def test_another_engine_in_the_settings_names_the_command(folder: Path) -> None:
    with pytest.raises(
        InvalidArgumentError, match=f"graphmem admin convert {folder} --engine lmdb"
    ):
        graphmem.open(folder, engine="lmdb", worker="none")


@pytest.mark.parametrize("renames", [0, 1, 2])
def test_a_folder_is_whole_wherever_a_conversion_ends(
    folder: Path, renames: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, left = read(folder), renames
    real: Callable[..., None] = os.rename

    def cut(old: Any, new: Any) -> None:
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1
        real(old, new)

    with monkeypatch.context() as patch:
        patch.setattr("graphmem.storage.migration.os.rename", cut)
        patch.setattr("graphmem.storage.migration.sync_path", lambda path: cut(path, path))
        with pytest.raises(KeyboardInterrupt):
            graphmem.convert(folder, "lmdb")
    assert read(folder) == before


@pytest.mark.faults
def test_a_folder_is_whole_wherever_a_conversion_is_killed(folder: Path) -> None:
    before = read(folder)
    code = "import sys, graphmem; graphmem.convert(sys.argv[1], sys.argv[2])"
    for number in range(12):
        now = engines.kind_of(folder / "store")
        other = "lmdb" if now == "leveldb" else "leveldb"
        run = subprocess.Popen([sys.executable, "-c", code, str(folder), other])
        try:
            run.wait(0.15 + number * 0.05)
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait()
        assert read(folder) == before


def test_a_damaged_folder_is_not_converted(folder: Path) -> None:
    (log,) = (folder / "store").glob("*.log")
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 0xFF
    log.write_bytes(content)
    names = sorted(os.listdir(folder))
    with pytest.raises(CorruptError, match="Run graphmem admin repair"):
        graphmem.convert(folder, "lmdb")
    assert sorted(os.listdir(folder)) == names
    assert engines.kind_of(folder / "store") == "leveldb"
