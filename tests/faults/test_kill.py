"""SIGKILL at a random moment: what was acknowledged is there, and all structures agree.

The child does what an agent does (see `agent`), or loads files (see `loader`), and prints each act
when it has returned. What it printed is what somebody relies on.
"""

import json
import os
import shutil
import time
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from tests.faults.agent import ARCHIVE, Ledger
from tests.faults.loader import Loads
from tests.forks import FORKS, run

ROOT = Path(__file__).parents[2]
_FURTHER = 20  # loaders: whether a kill falls into a load is chance, most often it does
KILLS = int(os.environ.get("GRAPHMEM_KILLS", "100"))


def run_and_kill(role: str, *given: object, acts: int, seconds: float) -> list[list[Any]]:
    """Start a child, kill it `seconds` after its act number `acts`, and return what it
    acknowledged. Acts, not seconds alone: a slow machine must not kill it before it did anything."""
    (told, out), (wrong, errors) = os.pipe(), os.pipe()
    path = os.pathsep.join([str(ROOT), str(ROOT / "worker")])
    child = FORKS.Process(
        target=run,
        args=(f"tests.faults.{role}", [*map(str, given)], os.environ | {"PYTHONPATH": path}),
        kwargs={"out": Connection(out), "errors": Connection(errors)},
    )
    child.start()
    with os.fdopen(told, "rb") as said, os.fdopen(wrong, "rb") as why:
        first = b"".join(said.readline() for _ in range(acts))
        assert first.count(b"\n") == acts, why.read().decode()
        time.sleep(seconds)
        running = child.is_alive()
        child.kill()
        rest = said.read()
        child.join()
        assert running, why.read().decode()
    lines = (first + rest).decode().split("\n")
    return [json.loads(line) for line in lines[:-1]]  # the last one may be cut short


def rounds(place: Path, count: int, seed: int, longest: int) -> tuple[int, int]:
    """Kill and look as often, every fourth time a loader and else an agent, and then loaders until
    a load was cut short, `_FURTHER` at most; returns how many backups there were, and how many
    loads were cut short."""
    folder, files = place / "home" / "m", place / "files"
    folder.parent.mkdir()
    files.mkdir()
    random = Random(seed)
    ledger, loads = Ledger(), Loads(files)
    copied = 0
    for k in range(count + _FURTHER):
        if k >= count and loads.killed:
            break
        number, seconds = seed * 1000 + k, random.uniform(0.0, 0.05)
        durability = random.choice(["group", "group", "os", "sync"])
        if loading := k % 4 == 3 or k >= count:
            acts = random.randint(1, 6)
            told = run_and_kill("loader", folder, files, number, acts=acts, seconds=seconds)
        else:
            acts = random.randint(1, longest)
            told = run_and_kill("agent", folder, number, durability, acts=acts, seconds=seconds)
        for what in told:
            (loads if loading else ledger).add(*what)
        with graphmem.open(
            folder, worker="none", tuning=graphmem.Tuning(archive_bytes=ARCHIVE)
        ) as memory:
            assert memory.admin.check() == [], f"round {k} of seed {seed}"
            assert rooms(memory).store.gap is None
            ledger.hold_against(memory)
            loads.hold_against(rooms(memory).store)
        if loading:
            loads.go_on(folder)
        copied += hold_copies_against(folder, {v[0]: v[1] for kind, *v in told if kind == "copied"})
    assert len(ledger.texts) > count
    return copied, loads.killed


def hold_copies_against(folder: Path, told: dict[str, int]) -> int:
    """Every backup that is there is whole, also one that was not acknowledged; removes them."""
    copies = [path for path in folder.parent.iterdir() if path != folder]
    assert told.keys() <= set(map(str, copies)), "acknowledged, and not there"
    for path in copies:
        if ".partial-" not in path.name:
            with graphmem.open(path, worker="none") as copy:
                assert copy.admin.stats()["sequence"] >= told.get(str(path), 0)
                assert copy.admin.check() == []
        shutil.rmtree(path)
    return len(copies)


def test_four_kills_lose_nothing(tmp_path: Path) -> None:
    """A killed process must lose nothing that it had acknowledged, nor leave a memory at odds with
    itself."""
    rounds(tmp_path, 4, seed=11, longest=40)


@pytest.mark.faults
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("seed", "engine"),
    [(1, "leveldb"), (2, "leveldb"), (3, "leveldb"), (4, "leveldb"), (5, "lmdb"), (6, "lmdb")],
)
def test_many_kills_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, engine: str
) -> None:
    """The rare moments, between two batches of one act or within a fold, a load or a backup, need
    many rounds: GRAPHMEM_KILLS sets how many, in four memories of LevelDB and half as many more in
    two of LMDB."""
    monkeypatch.setenv("GRAPHMEM_ENGINE", engine)
    copied, cut_short = rounds(tmp_path, KILLS // 4, seed=seed, longest=60)
    print(copied, "backups,", cut_short, "loads cut short")
    assert copied >= KILLS // 40
    assert cut_short >= KILLS // 40, "loads that were not cut short prove nothing"
