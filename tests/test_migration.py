"""A memory of years in format 1 opens in format 2, whole, and answers as before."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

import graphmem
from graphmem.api.memory import Memory
from graphmem.api.opening import rooms
from graphmem.errors import FullError
from graphmem.graph.links import StoredLink
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.writer import text_hash
from graphmem.hexastore.keys import Space
from graphmem.storage.leveldb import LevelDBEngine
from tests.faults.small_disk import fill, resize
from tests.fixtures.write_format_1 import (
    CODE,
    CREATED,
    PASSES,
    RELATION,
    Note,
    facts,
    names,
    notes,
    write,
)

LARGE = int(os.environ.get("GRAPHMEM_MIGRATED", "20000"))
NOW = datetime(2026, 3, 1, tzinfo=UTC)
OPEN = "import graphmem, sys; graphmem.open(sys.argv[1], worker='none', durability='os').close()"


def native(told: list[Note]) -> Memory:
    """The same notes, written by this version."""
    memory = graphmem.open(None, worker="none", clock=lambda: NOW)
    opened = rooms(memory)
    for at in range(0, len(told), 200):
        with opened.changing() as writer:
            writer.tx.state.passes = PASSES
            if not at:
                writer.reserve(len(told))
            writer.tx.state.latin_seen, writer.tx.state.latin_density = 2 * len(told), 1.5
            relations = opened.relations
            while relations.code(writer.tx, RELATION) != CODE:
                raise AssertionError
            for note in told[at : at + 200]:
                text = TextRecord(
                    note.spans, (3.5, 2.25), note.spans[0][:20].strip(), note.keywords,
                    session=note.session, created=CREATED + note.node,
                    characters=len("".join(note.spans)),
                )  # fmt: skip
                record = NodeRecord(uses=note.node % 3, born=1, text_hash=text_hash(text))
                writer.restore(note.node, text, record)
                writer.set_due(note.node, record, PASSES + 100 + note.node % 7)
                opened.texts.put(writer.tx, note.node, text.words)
    for at in range(0, len(told), 200):
        with opened.changing() as writer:
            for note in told[at : at + 200]:
                for relation, target, level, distance in note.links:
                    writer.links.restore(StoredLink(note.node, relation, target, level, distance))
            writer.set_focus(tuple(note.node for note in reversed(told[-5:])))
    for fact in facts(told):
        assert memory.facts.put(*fact)
    memory.compact()
    return memory


def answers(memory: Memory, told: list[Note]) -> dict[str, Any]:
    """What all ways of asking give, about some of the notes."""
    some = Random(1).sample(told, min(60, len(told)))
    cues = [" ".join(note.spans[0].split()[:4]) for note in some[:25]]
    stats = memory.stats()
    counters = ["nodes", "links", "triples", "facts", "passes"]
    if len(told) < 1000:  # beyond, the chunks of the word index are cut otherwise
        counters.append("live_bytes")
    with rooms(memory).reading() as view:
        incoming = {n: view.incoming(n) for n in (2, *(note.node for note in some))}
    x, y = graphmem.Variable("x"), graphmem.Variable("y")
    keyword = some[0].keywords[0]
    return {
        "stats": {name: stats[name] for name in counters},
        "nodes": {note.node: memory[note.node] for note in some},
        "links": {note.node: list(memory.links(note.node)) for note in some},
        "incoming": incoming,
        "importance": {note.node: memory.importance(note.node) for note in some},
        "recall": {
            cue: [(hit.id, hit.score) for hit in memory.recall(cue, use=False)] for cue in cues
        },
        "by relation": [
            [(h.id, h.score) for h in memory.recall(cue, relations=[RELATION], use=False)]
            for cue in cues
        ],
        "facts": list(memory.facts),
        "joins": sorted(
            map(str, memory.facts.search([(x, RELATION, y), (y, "memory:keyword", keyword)]))
        ),
        "sparql": sorted(
            map(
                str,
                memory.sparql(
                    f"SELECT ?n ?m ?s {{ ?n memory:keyword '{keyword}' . ?l memory:from ?n; "
                    "memory:to ?m; memory:strength ?s }"
                ),
            )
        ),
        "session": [node.id for node in memory.nodes(session="session 1")],
        "focus": [node.id for node in memory.focus],
    }


def open_(folder: Path) -> Memory:
    return graphmem.open(folder, worker="none", durability="os", clock=lambda: NOW)


def same(folder: Path, told: list[Note]) -> None:
    with open_(folder) as memory, native(told) as other:
        assert memory.check() == []
        found, expected = answers(memory, told), answers(other, told)
        for part, content in expected.items():
            assert found[part] == content, part
        for note in told[:: max(1, len(told) // 300)]:
            said = [(k.relation, k.target, k.distance) for k in memory.links(note.node)]
            assert sorted(said) == sorted(
                (*names([relation]), target, distance)
                for relation, target, _, distance in note.links
            )


def test_every_answer_is_the_same_after_the_migration(tmp_path: Path) -> None:
    """Made by `struct` alone, opened, and compared with what this version would have written."""
    told = notes(900)
    write(tmp_path / "memory", told)
    same(tmp_path / "memory", told)


def test_a_damaged_folder_of_format_1_is_repaired(tmp_path: Path) -> None:
    """Whose six orders have lost one, or whose adjacency is gone, has the links all the same."""
    told = notes(120)
    for number, spaces in enumerate(((0x10,), (0x22, 0x23), (0x12, 0x14))):
        folder = tmp_path / f"memory-{number}"
        write(folder, told)
        engine = LevelDBEngine(folder / "store")
        for space in spaces:
            start = b"\0\0\0\1" + bytes((space,))
            engine.commit(dict.fromkeys(engine.keys(start, start + b"\xff" * 60)))
        engine.close()
        assert graphmem.repair(folder).lost == ()
        same(folder, told)


def test_an_interrupted_write_of_format_1_is_undone(tmp_path: Path) -> None:
    """What was cut short in the old format is taken back in the new one."""
    told = notes(60)
    write(tmp_path / "memory", told)
    engine = LevelDBEngine(tmp_path / "memory" / "store")
    state = bytearray(engine.get(b"\0\0\0\1\x01") or b"")
    state[17 * 8 + 7] = 1  # intents
    size = int.from_bytes(state[40:48], "big") + 21
    state[40:48] = size.to_bytes(8, "big")
    intent = b"\0\0\0\1" + bytes((Space.INTENT,)) + (58).to_bytes(8, "big")
    engine.commit({intent: (60).to_bytes(8, "big"), b"\0\0\0\1\x01": bytes(state)})
    engine.close()
    with open_(tmp_path / "memory") as memory:
        assert len(memory) == 57
        assert memory.check() == []


@pytest.mark.faults
@pytest.mark.timeout(1800)
def test_a_large_folder_survives_ten_kills(tmp_path: Path) -> None:
    """Killed at any moment of its migration, a folder is of one format or of the other, whole."""
    told = notes(LARGE)
    folder = tmp_path / "memory"
    write(folder, told)

    def opening() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", OPEN, str(folder)]
        return subprocess.Popen(command, stderr=subprocess.DEVNULL)

    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    begun = time.monotonic()
    with open_(copy):
        whole = time.monotonic() - begun
    random = Random(3)
    killed = 0
    while killed < 10:
        process = opening()
        time.sleep(random.uniform(0.3, 1.2 * whole))
        process.send_signal(signal.SIGKILL)
        killed += process.wait() != 0
        if (folder / "store.format-1").exists() or not process.returncode:
            # It came as far as the swap: what is there is whole, and the old folder begins anew.
            same(folder, told)
            shutil.rmtree(folder)
            write(folder, told)
    same(folder, told)


@pytest.mark.faults
@pytest.mark.timeout(1800)
def test_a_large_folder_on_a_disk_that_fills_up(small_disk: Path) -> None:
    """Refused where there is no room; where another program takes it midway, nothing is lost."""
    told = notes(LARGE)
    resize(small_disk, 8 << 30)
    folder, ballast = small_disk / "memory", small_disk / "ballast"
    write(folder, told)
    size = sum(contents(folder).values())
    resize(small_disk, size + size // 2)
    with pytest.raises(FullError, match="make room"):
        open_(folder)
    assert not (folder / "migration").exists()

    resize(small_disk, 3 * size)
    opening = subprocess.Popen([sys.executable, "-c", OPEN, str(folder)], stderr=subprocess.PIPE)
    while opening.poll() is None and sum(contents(folder / "migration").values()) < size // 20:
        time.sleep(0.01)
    fill(ballast)
    _, said = opening.communicate()
    assert opening.returncode == 1
    assert b"FullError" in said.splitlines()[-1]
    assert not (folder / "migration").exists()

    ballast.unlink()
    same(folder, told)


def contents(folder: Path) -> dict[str, int]:
    """file → its bytes; a file that vanishes meanwhile is left out"""
    found = {}
    for file in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            if file.is_file():
                found[str(file.relative_to(folder))] = file.stat().st_size
    return found
