"""Whole lives on a disk that fails: the memory agrees with itself, or an error has a name."""

import os
from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import BrokenError, GraphMemError
from graphmem.maintenance.repair import rebuild
from graphmem.storage import store as store_module
from graphmem.storage.store import Store
from tests.faults.agent import ARCHIVE, Agent, Ledger
from tests.faults.disk import FAULTS, DeadError, Disk, FaultyEngine

ROUNDS = int(os.environ.get("GRAPHMEM_FAULTS", "500"))
ACTS = 12  # at most, in one life


@pytest.fixture(scope="module")
def lived() -> tuple[dict[bytes, bytes], Ledger]:
    """A memory with something to forget, to fold and to revive, and what it acknowledged."""
    ledger = Ledger()
    with graphmem.open(
        None,
        worker="none",
        tuning=graphmem.Tuning(grace=1, archive_bytes=ARCHIVE),
    ) as memory:
        rooms(memory).database.upkeep.stop()
        agent = Agent(memory, 1, ledger.add, backups=False)
        for _ in range(10):
            agent.act()
        return dict(rooms(memory).store.range(b"", b"\xff" * 9)), ledger


def opened(engine: FaultyEngine, durability: str, patch: pytest.MonkeyPatch) -> graphmem.Memory:
    """A memory on `engine`, without threads, so that a seed tells all."""
    patch.setattr(store_module, "InMemoryEngine", lambda: engine)
    memory = graphmem.open(
        None,
        worker="none",
        durability=durability,
        tuning=graphmem.Tuning(grace=1, fold_documents=16, archive_bytes=ARCHIVE),
        random=Random(1),
    )
    rooms(memory).database.upkeep.stop()
    return memory


def one_life(
    lived: tuple[Mapping[bytes, bytes], Ledger], seed: int, patch: pytest.MonkeyPatch
) -> str:
    """Live until the fault, cut the power or only the process, and open again; tells what it was."""
    random = Random(seed)
    fault, durability = random.choice(FAULTS), random.choice(["sync", "group"])
    disk = Disk(lived[0])
    engine = FaultyEngine(disk)
    memory = opened(engine, durability, patch)
    said: list[tuple[int, tuple[Any, ...]]] = []
    agent = Agent(memory, seed, lambda *what: said.append((disk.commits, what)), backups=False)
    engine.fault = fault
    engine.after = random.randrange({"read": 400, "sync": 3}.get(fault, 30))
    try:
        for _ in range(ACTS):
            agent.act()
            if random.random() < 0.2:
                rooms(memory).jobs.work()
            if random.random() < 0.2:
                rooms(memory).store.flush()
    except DeadError:
        pass
    except GraphMemError:
        if not engine.happened:
            raise
        assert memory.admin.check() == [], "reading goes on, and sees nothing of what failed"
        if fault != "read":
            with pytest.raises(BrokenError):
                memory.remember("No more.")
        else:
            memory.remember("A read that failed once is no reason to stop.")
            memory.close()
    power = random.random() < 0.6
    hole = range(0)
    if power:
        content, commits, hole = disk.after_power_cut(random)
    else:
        disk.sync()
        content, commits = disk.content, disk.commits
    acknowledged = [what for at, what in said if at <= commits and not hole]
    if durability == "sync" or not power:
        acknowledged = [what for _, what in said]
        assert not hole
    else:
        acknowledged += [what for at, what in said if hole and at <= disk.synced]
    ledger = Ledger()
    for what in acknowledged:
        ledger.add(*what)
    ledger.texts = lived[1].texts | ledger.texts
    ledger.facts |= lived[1].facts
    ledger.erased = lived[1].erased | {v[0] for _, (kind, *v) in said if kind == "erasing"}
    again = opened(FaultyEngine(Disk(content)), durability, patch)
    if hole:
        # The opening commits too: what it writes is behind what was lost.
        assert rooms(again).store.gap is not None
        first, last = rooms(again).store.gap
        assert last - first + 1 == len(hole), "the gap names what is missing, no more and no less"
        patch.undo()
        whole = Store.open(None)
        rebuild(rooms(again).store, whole)  # raises unless all agrees
    else:
        assert rooms(again).store.gap is None
        assert again.admin.check() == []
        ledger.hold_against(again)
    return (
        f"{fault}{' + power' if power else ''}{' + hole' if hole else ''}"
        if (engine.happened or power)
        else "none"
    )


def lives(
    lived: tuple[Mapping[bytes, bytes], Ledger], seeds: range, patch: pytest.MonkeyPatch
) -> Counter[str]:
    met: Counter[str] = Counter()
    for seed in seeds:
        with patch.context() as inner:
            try:
                met[one_life(lived, seed, inner)] += 1
            except BaseException as error:
                error.add_note(f"seed {seed}")
                raise
    return met


def test_some_faults_lose_nothing_acknowledged(
    lived: tuple[dict[bytes, bytes], Ledger], monkeypatch: pytest.MonkeyPatch
) -> None:
    met = lives(lived, range(16), monkeypatch)
    assert met.total() - met["none"] > 10


@pytest.mark.faults
@pytest.mark.timeout(1200)
def test_many_faults_lose_nothing_acknowledged(
    lived: tuple[dict[bytes, bytes], Ledger], monkeypatch: pytest.MonkeyPatch
) -> None:
    """GRAPHMEM_FAULTS sets how many lives; one in six or so meets no fault."""
    met = lives(lived, range(1000, 1000 + ROUNDS), monkeypatch)
    print(met)
    assert met.total() - met["none"] > ROUNDS * 0.8
