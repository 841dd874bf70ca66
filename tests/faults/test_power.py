"""The power goes: of each file only what was fsynced is certain, and any part of the rest."""

import os
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import CorruptError
from graphmem.storage import leveldb
from graphmem.storage.engine import Batch
from graphmem.storage.leveldb import LevelDBEngine
from graphmem.storage.manifest import missing_files
from tests.faults.agent import ARCHIVE, Agent, Ledger

CUTS = int(os.environ.get("GRAPHMEM_CUTS", "48"))


class Platter:
    """How much of each log is on the disk. LevelDB syncs its tables and MANIFEST by itself."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.synced: dict[str, int] = {}
        sync_log, commit = leveldb._sync_log, LevelDBEngine.commit

        def note_sync(path: Path) -> None:
            try:
                size = path.stat().st_size
            except FileNotFoundError:
                return  # LevelDB has just made a table of it, as `sync_log` expects
            sync_log(path)
            self.synced[path.name] = size

        def note_commit(engine: LevelDBEngine, batch: Batch, sync: bool = False) -> None:
            commit(engine, batch, sync)
            if sync:  # LevelDB syncs the newest log only
                newest = max(engine._folder.glob("*.log"))
                self.synced[newest.name] = newest.stat().st_size

        patch.setattr(leveldb, "_sync_log", note_sync)
        patch.setattr(LevelDBEngine, "commit", note_commit)
        # The smallest that LevelDB takes, so that logs often change and tables are merged.
        patch.setitem(leveldb._OPTIONS, "write_buffer_size", 64 << 10)

    def image(self, folder: Path, copy: Path, random: Random) -> None:
        """What a power cut leaves of an open folder in which nobody writes just now."""
        synced = dict(self.synced)
        store = folder / "store"
        while True:
            shutil.rmtree(copy, ignore_errors=True)
            (copy / "store").mkdir(parents=True)
            shutil.copy(folder / "meta.json", copy)
            names = ["CURRENT", *(path.name for path in store.glob("MANIFEST-*"))]
            names += [path.name for path in store.iterdir() if path.suffix in (".ldb", ".log")]
            for name in names:
                try:
                    shutil.copy(store / name, copy / "store" / name)
                except FileNotFoundError:
                    continue  # a merge has just ended
            if not missing_files(copy / "store"):
                break
        for log in (copy / "store").glob("*.log"):
            size = log.stat().st_size
            os.truncate(log, random.randint(min(size, synced.get(log.name, 0)), size))


def cut(tmp_path: Path, seeds: range, cuts: int, patch: pytest.MonkeyPatch) -> dict[str, int]:
    """Live, take images as a power cut leaves them, and open each; tells what was met."""
    met = {"cuts": 0, "gaps": 0, "lost": 0}
    for seed in seeds:
        with patch.context() as inner:
            _one_life(tmp_path, seed, cuts, Platter(inner), met)
    return met


def _one_life(tmp_path: Path, seed: int, cuts: int, platter: Platter, met: dict[str, int]) -> None:
    random = Random(seed)
    durability = random.choice(["sync", "group"])
    folder, copy = tmp_path / f"m{seed}", tmp_path / f"m{seed}-image"
    said: list[tuple[int, tuple[Any, ...]]] = []
    with graphmem.open(
        folder,
        worker="none",
        durability=durability,
        tuning=graphmem.Tuning(grace=1, archive_bytes=ARCHIVE, fold_documents=16),
    ) as memory:
        store = rooms(memory).store
        agent = Agent(
            memory, seed, lambda *what: said.append((store.sequence, what)), backups=False
        )
        rooms(memory).database.upkeep.stop()
        for _ in range(cuts):
            for _ in range(random.randint(1, 8)):
                agent.act()
            certain = store.sequence if durability == "sync" else store._synced
            platter.image(folder, copy, random)
            _hold(copy, said, certain, store.sequence, f"seed {seed}", met)


def _hold(
    copy: Path, said: list[tuple[int, tuple[Any, ...]]], certain: int, last: int, name: str,
    met: dict[str, int],
) -> None:  # fmt: skip
    met["cuts"] += 1
    ledger = Ledger()
    for sequence, what in said:
        if sequence <= certain or what[0] == "erasing":
            ledger.add(*what)
    try:
        with graphmem.open(
            copy, worker="none", tuning=graphmem.Tuning(archive_bytes=ARCHIVE), durability="os"
        ) as memory:
            gap = rooms(memory).store.gap
            assert memory.admin.stats()["sequence"] >= certain, name
            met["lost"] += memory.admin.stats()["sequence"] < last
            if gap is None:
                assert memory.admin.check() == [], name
                ledger.hold_against(memory)
                return
            assert gap[0] > certain, "what was certain is in no gap"
    except CorruptError:  # commits of the memory's opening that stand on lost ones
        pass
    met["gaps"] += 1
    graphmem.repair(copy)
    with graphmem.open(
        copy, worker="none", tuning=graphmem.Tuning(archive_bytes=ARCHIVE)
    ) as memory:
        assert memory.admin.check() == [], name
    for path in copy.parent.glob(f"{copy.name}.damaged-*"):
        shutil.rmtree(path)


def test_a_power_cut_loses_nothing_that_was_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met = cut(tmp_path, range(2), 4, monkeypatch)
    assert met["cuts"] == 8


@pytest.mark.faults
@pytest.mark.timeout(1200)
def test_many_power_cuts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GRAPHMEM_CUTS sets how many."""
    met = cut(tmp_path, range(10, 10 + CUTS // 12), 12, monkeypatch)
    print(met)
    assert met["lost"] > CUTS / 10, "cuts that lose nothing prove nothing"
