"""Compacting on a disk that fails: the process lives on, and the store says that it is broken."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from graphmem.storage import leveldb
from graphmem.storage.store import Store
from tests.faults.compacting import NEXT, ROWS, SCOPE

ROOT = Path(__file__).parents[2]
EIO, ENOSPC, EMFILE = 5, 28, 24
ROUNDS = int(os.environ.get("GRAPHMEM_FAULTS", "500")) // 10


def compact_in_a_child(library: Path, folder: Path, *given: object) -> dict[str, Any]:
    child = subprocess.run(
        [sys.executable, "-m", "tests.faults.compacting", str(folder), *map(str, given)],
        cwd=ROOT,
        env={
            **os.environ,
            "LD_PRELOAD": str(library),
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "worker")]),
        },
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert child.returncode == 0, (given, child.returncode, child.stderr)
    said: dict[str, Any] = json.loads(child.stdout)
    assert said["rows"] == ROWS, "reading goes on"
    with Store.open(folder) as store:
        assert store.compact(SCOPE, NEXT)
        rows = dict(store.range(SCOPE + b"0", NEXT))
        assert rows == {SCOPE + b"%05d" % row: b"w" * 100 for row in range(ROWS)}
    return said


def test_a_reader_is_waited_for_unless_it_is_of_the_calling_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread that waits for its own reader waits in vain: each erasure beside a half-read listing
    took two seconds."""
    held: list[leveldb.LevelDBSnapshot] = []
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        held.pop().close()

    monkeypatch.setattr(leveldb, "time", SimpleNamespace(monotonic=lambda: 0.0, sleep=sleep))
    engine = leveldb.LevelDBEngine(tmp_path / "store")
    engine.commit({b"a": b"1"})
    with engine.snapshot() as own:
        engine.commit({b"a": None})
        assert not engine.compact(b"", b"\xff")
        assert own.get(b"a") == b"1"
    assert waits == []
    engine.commit({b"a": b"2"})
    reader = threading.Thread(target=lambda: held.append(engine.snapshot()))
    reader.start()
    reader.join()
    engine.commit({b"a": None})
    assert engine.compact(b"", b"\xff")
    assert len(waits) == 1
    engine.close()


@pytest.mark.parametrize(
    ("durability", "buffer", "call", "suffix", "after", "error", "during"),
    [
        # of a commit, while LevelDB merges tables
        ("sync", 16 << 20, "s", ".log", 0, EIO, 1),
        # of a memtable that becomes a table, in the midst of a compaction
        ("os", 64 << 10, "s", ".ldb", 3, EIO, -1),
        # of the compaction itself, and of the list of files
        ("group", 16 << 20, "s", ".ldb", 0, EIO, -1),
        pytest.param(
            "group", 16 << 20, "s", "MANIFEST-000002", 0, EIO, -1, marks=pytest.mark.faults
        ),
        pytest.param("group", 16 << 20, "w", ".ldb", 0, -ENOSPC, -1, marks=pytest.mark.faults),
        pytest.param("group", 16 << 20, "o", ".ldb", 0, -EMFILE, -1, marks=pytest.mark.faults),
    ],
)
def test_a_disk_that_fails_while_it_compacts_does_not_kill_the_process(
    failing_disk: Path, tmp_path: Path, durability: str, buffer: int, call: str, suffix: str,
    after: int, error: int, during: int,
) -> None:  # fmt: skip
    """LevelDB 1.22 wrote to address 4, and CompactRange returned as if all were well."""
    said = compact_in_a_child(
        failing_disk, tmp_path / "m", durability, buffer, call, suffix, after, error, during
    )
    assert said["met"] > 0
    if suffix != ".log":  # else it may be done before a commit meets the fault
        assert said["compact"] in ("StorageError", "FullError", "BrokenError")
    assert said["commit"] == "BrokenError"


def test_compacting_and_writing_do_not_wait_for_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that waits for a compaction to end held what the compaction needed to begin."""
    monkeypatch.setitem(leveldb._OPTIONS, "write_buffer_size", 64 << 10)
    ended = threading.Event()
    with Store.open(tmp_path / "m", durability="os") as store:

        def write() -> None:
            while not ended.is_set():
                store.commit({NEXT + b"%02d" % place: b"y" * 100 for place in range(50)})

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for number in range(30):
                store.commit({SCOPE + b"%05d" % number: b"x" * 1000})
                assert store.compact(SCOPE, NEXT)
        finally:
            ended.set()
            writer.join()


@pytest.mark.faults
@pytest.mark.timeout(1200)
def test_many_failures_while_it_compacts(failing_disk: Path, tmp_path: Path) -> None:
    """GRAPHMEM_FAULTS sets how many: a tenth of it."""
    met = 0
    for seed in range(ROUNDS):
        random = Random(seed)
        said = compact_in_a_child(
            failing_disk, tmp_path / f"m{seed}", random.choice(["sync", "group", "os"]),
            random.choice([64 << 10, 16 << 20]), random.choice("sssswor"),
            random.choice([".log", ".ldb", ".ldb", "MANIFEST-000002"]), random.randrange(4),
            random.choice([1, -1]) * random.choice([EIO, ENOSPC, EMFILE]),
            random.choice([-1, -1, -1, 0, 1]),
        )  # fmt: skip
        met += bool(said["met"])
        if said["met"]:
            assert "BrokenError" in (said["commit"], said["close"]) or said["commit"], said
    assert met, "no fault was met: where it strikes depends on when the compaction runs"


def test_every_file_of_a_large_range_is_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From 80 MB on, the files in the middle stayed as they were, with what had been erased in
    them, and `compact` and `erase` raised for ever that somebody was reading."""
    monkeypatch.setitem(leveldb._OPTIONS, "max_file_size", 1 << 20)
    random = Random(1)
    with Store.open(tmp_path / "m", durability="os", engine="leveldb") as store:
        for part in range(40):
            rows = {b"\0\0\0\1%06d" % k: random.randbytes(1 << 14) for k in range(part, 1600, 40)}
            store.commit({**rows})
        for _ in range(2):
            store.commit({b"\0\0\0\1%06d" % 800: None})
            assert store.compact(b"\0\0\0\1", b"\0\0\0\2")


def test_no_log_of_an_earlier_opening_is_left(tmp_path: Path) -> None:
    """LevelDB's log may name keys that have been erased since."""
    for _ in range(2):
        with Store.open(tmp_path / "m", durability="os", engine="leveldb") as store:
            store.commit({b"\0\0\0\1k": b"1"})
            assert not (tmp_path / "m" / "store" / "LOG.old").exists()
