"""Stored values that are not what was written: an error with a name, never a crash or another value.

Bytes that change on the way to the disk or back are found by the checksum that each value carries.
A value with a good checksum that makes no sense, which only a bug of ours could write, must still
end in one of our errors.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import plyvel
import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import CorruptError, GraphMemError
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.storage import store as store_module
from graphmem.storage.in_memory import InMemoryEngine
from graphmem.storage.leveldb import LevelDBEngine
from tests.maintenance.test_check import lived

MUTATIONS = int(os.environ.get("GRAPHMEM_MUTATIONS", "200"))


def mutated(value: bytes, chance: Random) -> bytes:
    """Another value: a flip, a cut, bytes put in, or anything at all."""
    changed = bytearray(value)
    way = chance.randrange(4)
    at = chance.randrange(len(value)) if value else 0
    if way == 0 and value:
        changed[at] ^= 1 << chance.randrange(8)
    elif way == 1 and len(value) > 1:
        del changed[max(1, at) :]
    elif way == 2:
        changed[at:at] = chance.randbytes(chance.randint(1, 9))
    else:
        changed = bytearray(chance.randbytes(chance.randint(1, 40)))
    return bytes(changed)


@pytest.fixture(scope="module")
def content() -> dict[bytes, bytes]:
    with lived() as memory:
        rooms(memory).database.upkeep.stop()
        return dict(rooms(memory).store.range(b"", b"\xff" * 9))


@pytest.mark.slow
def test_a_value_that_changed_on_the_disk_is_never_returned(
    content: dict[bytes, bytes], tmp_path: Path
) -> None:
    """10,000 values of all spaces, each changed under LevelDB, which finds nothing wrong with it."""
    engine = LevelDBEngine(tmp_path / "store")
    engine.commit(content)
    chance = Random(1)
    by_space: dict[int, list[bytes]] = {}
    for key in content:
        by_space.setdefault(key[4], []).append(key)
    spaces = sorted(by_space)
    found = 0
    for _ in range(10_000):
        key = chance.choice(by_space[chance.choice(spaces)])
        stored = engine._db.get(key)
        assert stored is not None
        bad = mutated(stored, chance)
        if bad == stored:
            continue
        engine._db.put(key, bad)
        for read in (
            lambda key=key: engine.get(key),
            lambda key=key: engine.get_many([key])[0],
            lambda key=key: next(engine.range(key, key + b"\0"))[1],
        ):
            with pytest.raises(CorruptError, match=key.hex()):
                read()
        found += 1
        engine._db.put(key, stored)
    assert found > 9_900
    engine.close()
    assert dict(plyvel.DB(str(tmp_path / "store"))).keys() == content.keys()


USES: tuple[Callable[[graphmem.Memory], object], ...] = (
    lambda memory: memory.admin.check(),
    lambda memory: [(node.text, node.keywords, node.kept, str(node)) for node in memory.nodes()],
    lambda memory: [memory.graph.links(node) for node in memory.nodes()],
    lambda memory: memory.recall("release Wen 会议").text,
    lambda memory: memory.recall("tea", mode="focus", use=False).text,
    lambda memory: (
        memory.graph.focus,
        memory.admin.stats(),
        memory.admin.failed(),
        memory.scopes.names(),
    ),
    lambda memory: [str(gone) for gone in memory.history.forgotten()],
    lambda memory: [memory.history.of(node) for node in memory.nodes()],
    lambda memory: list(memory.graph.facts),
    lambda memory: memory.admin.enrich(5),
    lambda memory: memory.remember("Something new about the release of Wen.", session="standup"),
    lambda memory: [memory.graph.importance(n) for n in memory.nodes()],
    lambda memory: memory.history.revive(3),
    lambda memory: memory.sweep(),
    lambda memory: memory.admin.compact(),
    lambda memory: memory.forget(5),
    lambda memory: memory.forget(1, erase=True),
)


@pytest.mark.parametrize("bad", [b"\x90", b"\xc7\x00\xff", b"\x98" + b"\xc0" * 8, b"garbage"])
def test_an_item_that_makes_no_sense_ends_in_a_named_error(bad: bytes) -> None:
    """They ended in IndexError and ValueError."""
    with graphmem.open(None, worker="none") as memory:
        memory.items.put("n", "a", 1)
        place = rooms(memory).scope.prefix(Space.ITEM) + b"n\x00a"
        rooms(memory).store.commit({place: bad})
        for use in (
            lambda: memory.items.get("n", "a"),
            lambda: memory.items.list("n"),
            lambda: memory.items.search("n"),
            lambda: memory.items.put("n", "a", 2),
            lambda: memory.items.touch("n", ["a"], 5),
            lambda: memory.items.delete("n", "a"),
        ):
            with pytest.raises(CorruptError):
                use()


def fuzz(content: dict[bytes, bytes], rounds: int, seed: int, patch: pytest.MonkeyPatch) -> int:
    """Use memories of which a few values make no sense; returns how many errors there were."""
    chance = Random(seed)
    span = keys.scope_range(1)
    by_space: dict[int, list[bytes]] = {}
    for key in content:
        if span[0] <= key < span[1]:
            by_space.setdefault(key[4], []).append(key)
    spaces = sorted(by_space)
    refused = 0
    for number in range(rounds):
        space = spaces[number % len(spaces)]
        chosen = chance.sample(by_space[space], min(len(by_space[space]), chance.randint(1, 8)))
        engine = InMemoryEngine()
        engine.commit(content | {key: mutated(content[key], chance) for key in chosen})
        patch.setattr(store_module, "InMemoryEngine", lambda engine=engine: engine)
        try:
            memory = graphmem.open(None, worker="none", random=Random(1))
        except GraphMemError:
            refused += 1
            continue
        rooms(memory).database.upkeep.stop()
        for place, use in enumerate(USES):
            try:
                use(memory)
            except GraphMemError:
                refused += 1
            except Exception as error:
                error.add_note(f"use {place} of {Space(space).name}, seed {seed}, round {number}")
                raise
    return refused


@pytest.mark.slow
def test_values_that_make_no_sense_end_in_a_named_error(
    content: dict[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fuzz(content, 60, 1, monkeypatch) > 20


@pytest.mark.faults
@pytest.mark.timeout(1200)
def test_many_values_that_make_no_sense(
    content: dict[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fuzz(content, MUTATIONS, 2, monkeypatch) > MUTATIONS / 3
