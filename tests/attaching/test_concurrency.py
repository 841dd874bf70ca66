"""Threads and processes at once against a model: what was acknowledged, and nothing else, is there.

A second process that overwrites what the first was told is stored is the loss that the lock was made
against; the socket must not bring it back.
"""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from random import Random
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import ForgottenError, UnknownNodeError

ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join(str(Path(__file__).parents[2] / p) for p in (".", "worker")),
}

CLIENT = """
import json, random, sys, threading, graphmem
folder, name, acts, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
lock, failed = threading.Lock(), []

def say(*what):
    with lock:
        print(json.dumps(what), flush=True)

def work(memory, turn):
    draw = random.Random(f"{name} {turn}")
    alive = []
    for number in range(acts):
        act = draw.choices(["one", "many", "recall", "list", "use", "forget", "fact", "sweep"],
                           [8, 3, 6, 2, 3, 2, 3, 1])[0]
        text = f"{name}t{turn}n{number} about the release of {draw.randrange(50)}."
        if act == "one":
            (node,) = memory.remember(text)
            say("kept", node.id, text)
            alive.append(node.id)
        elif act == "many":
            texts = [f"k{k} {text}" for k in range(5)]
            for (node,), said in zip(memory.remember_many(texts), texts, strict=True):
                say("kept", node.id, said)
                alive.append(node.id)
        elif act == "recall":
            found = memory.recall(text, tokens=100)
            assert len({hit.id for hit in found}) == len(found)
        elif act == "list":
            seen = [node.id for node in memory.nodes(reverse=True)]
            assert seen == sorted(set(seen), reverse=True)
        elif act == "use" and alive:
            memory.used(draw.choice(alive))
        elif act == "forget" and alive:
            node = alive.pop(draw.randrange(len(alive)))
            memory.forget(node)
            say("gone", node)
        elif act == "fact" and alive:
            node = draw.choice(alive)
            memory.graph.facts.put(node, "http://x/by", text)
            say("fact", node, text)
        elif act == "sweep":
            memory.sweep(0.01)

def guarded(memory, turn):
    try:
        work(memory, turn)
    except BaseException as error:
        failed.append(repr(error))

with graphmem.attach(folder) as memory:
    running = [threading.Thread(target=guarded, args=(memory, turn)) for turn in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
say("failed", failed)
"""


@pytest.mark.parametrize(
    ("processes", "acts"), [(2, 15), pytest.param(4, 250, marks=pytest.mark.slow)]
)
def test_what_was_acknowledged_is_there(tmp_path: Path, processes: int, acts: int) -> None:
    folder = tmp_path / "m"
    kept: dict[int, str] = {}
    gone: set[int] = set()
    facts: set[tuple[int, str]] = set()
    # Nothing fades within so few passes, so that the model is a plain dict.
    with graphmem.open(
        folder,
        worker="none",
        tuning=graphmem.Tuning(grace=10_000, fold_documents=64),
    ) as memory:
        clients = [
            subprocess.Popen(
                [sys.executable, "-c", CLIENT, str(folder), f"p{turn}", str(acts), "3"],
                stdout=subprocess.PIPE, text=True, env=ENVIRONMENT,
            )
            for turn in range(processes)
        ]  # fmt: skip
        own = Random(0)
        for number in range(acts):
            text = f"owner{number} about the release of {own.randrange(50)}."
            kept[memory.remember(text)[0].id] = text
            memory.recall("release")
        for client in clients:
            said, _ = client.communicate(timeout=600)
            assert client.returncode == 0
            for what, *about in map(json.loads, said.splitlines()):
                match what, about:
                    case "kept", [node, text]:
                        assert node not in kept, "an id was given twice"
                        kept[node] = text
                    case "gone", [node]:
                        gone.add(node)
                    case "fact", [node, text]:
                        facts.add((node, text))
                    case "failed", [failed]:
                        assert failed == []
        compare(memory, kept, gone, facts)
        assert memory.admin.stats()["upkeep_error"] is None
    with graphmem.open(folder, worker="none") as memory:
        compare(memory, kept, gone, facts)


def compare(
    memory: graphmem.Memory, kept: dict[int, str], gone: set[int], facts: set[tuple[int, str]]
) -> None:
    assert {node.id: node.text for node in memory} == {
        node: text for node, text in kept.items() if node not in gone
    }
    for node in gone:
        with pytest.raises((ForgottenError, UnknownNodeError)):
            memory[node]
    stored = {
        (int(str(fact.subject).removeprefix("node:")), str(fact.object))
        for fact in memory.graph.facts.match(None, "http://x/by")
    }
    assert stored == {(node, text) for node, text in facts if node not in gone}
    assert memory.admin.check() == []


def test_no_reader_waits_for_a_writer(tmp_path: Path) -> None:
    """A sweep, a fold, a long text: whoever holds the writer's lock holds up writers only."""
    with (
        graphmem.open(tmp_path / "m", worker="none") as memory,
        graphmem.attach(tmp_path / "m", timeout=20) as attached,
    ):
        memory.remember_many([f"Note {k} of the release." for k in range(100)])
        memory.graph.facts.put("ex:release", "ex:day", "May 10")
        written: list[Any] = []
        writer = threading.Thread(target=lambda: written.append(attached.remember("Waits.")))
        with rooms(memory).store.writing:
            writer.start()
            for reader in (memory, attached):
                assert reader.recall("release")
                assert reader[7].text == "Note 6 of the release."
                assert len(list(reader.nodes())) == 100
                assert len(reader.graph.links(7)) > 0
                assert reader.graph.focus
                assert reader.admin.stats()["nodes"] == 100
                assert list(reader.graph.facts.match(limit=3))
            assert not written
        writer.join(60)
        assert written
        assert len(attached) == 101


@pytest.mark.slow
def test_a_reader_gets_through_while_a_sweep_runs(tmp_path: Path) -> None:
    with (
        graphmem.open(tmp_path / "m", worker="none", tuning=graphmem.Tuning(grace=0)) as memory,
        graphmem.attach(tmp_path / "m", timeout=20) as attached,
    ):
        memory.remember_many([f"Note {k} of the release." for k in range(300)])
        read: list[int] = []

        def during(report: graphmem.SweepReport) -> None:
            read.append(len(attached.recall("release", use=False)))

        memory.admin.shrink(3_000, progress=during)
        assert read
        assert attached.admin.shrink(1_000, progress=during).text_bytes <= 1_000
