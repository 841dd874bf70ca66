"""graphmem as its user meets it: `Memory` with default settings, on a store filled by the rooms."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any, Final

import graphmem
from bench.peers.peer import Item, timed

Figure = tuple[str, float, str]  # metric, value, unit

_BACKLOG: Final = 80  # passes that make a backlog
_OPENINGS: Final = 5
_PASSES: Final = 5
# A process of its own, so that neither caches nor memory of this one help or hinder.
_OPEN: Final = """
import json, sys, time
import graphmem

def resident():
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024

before = resident()
begun = time.perf_counter()
memory = graphmem.open(sys.argv[1], worker="none")
seconds = time.perf_counter() - begun
print(json.dumps([seconds * 1000, resident(), resident() - before]))
memory.close()
"""


def figures(path: Path, items: Sequence[Item], count: int, seconds: float) -> Iterator[Figure]:
    """What only `Memory` does; `count` calls of each kind, and `seconds` beside a sweep."""
    opened = [open_elsewhere(path) for _ in range(_OPENINGS)]
    for place, metric, unit in (
        (0, "open", "ms"),
        (1, "open_rss", "MiB"),
        (2, "open_rss_added", "MiB"),
    ):
        yield metric, median(row[place] for row in opened), unit
    random = Random(3)
    with graphmem.open(path) as memory:
        items = [item for item in items if item.id in memory]  # some have been deleted
        nodes = [item.id for item in random.choices(items, k=count)]
        yield from _latency("memory[id]", memory.__getitem__, nodes)
        yield from _latency("links(id)", memory.graph.links, nodes)
        yield from _latency("recall", memory.recall, _cues(random, items, count))
        texts = [f"{random.choice(items).content} {n}." for n in range(count)]
        yield from _latency("remember", memory.remember, texts)
        memory.admin.enrich()
        yield from _passes(memory)
        yield from _backlog(memory)
        yield from _recall_during_sweep(memory, random, items, seconds)


def _cues(random: Random, items: Sequence[Item], count: int) -> list[str]:
    """Questions of four words of a memory."""
    found = []
    for item in random.choices(items, k=count):
        words = item.content.replace(".", "").split()
        found.append(" ".join(random.sample(words, 4)))
    return found


def _latency(metric: str, call: Callable[[Any], Any], arguments: Sequence[Any]) -> list[Figure]:
    call(arguments[0])
    times, _ = timed(call, arguments, 60.0)
    cuts = [1000 * cut for cut in quantiles(times, n=100, method="inclusive")]
    return [(f"{metric} p{share}", cuts[share - 1], "ms") for share in (50, 95, 99)]


def open_elsewhere(path: Path) -> list[float]:
    """Open a folder in a process of its own; milliseconds, resident MiB, MiB added by it."""
    found = subprocess.run(
        [sys.executable, "-c", _OPEN, str(path)], check=True, capture_output=True, text=True
    )
    opened: list[float] = json.loads(found.stdout)
    return opened


def _passes(memory: graphmem.Memory) -> Iterator[Figure]:
    idle = []
    for _ in range(_PASSES):
        begun = time.perf_counter()
        report = memory.sweep()
        spent = time.perf_counter() - begun
        if report.examined == 0:
            idle.append(spent * 1000)
    if idle:
        yield "sweep, nothing due", median(idle), "ms"


def _backlog(memory: graphmem.Memory) -> Iterator[Figure]:
    """How long it takes to work off what many passes have made due."""
    for _ in range(_BACKLOG):
        memory.sweep(seconds=0)
    report = memory.sweep(seconds=600)
    yield "sweep, overdue: nodes", report.examined, "nodes"
    yield "sweep, overdue to done", report.seconds, "s"
    if report.examined:
        yield "sweep, per overdue node", 1e6 * report.seconds / report.examined, "µs"


def _recall_during_sweep(
    memory: graphmem.Memory, random: Random, items: Sequence[Item], seconds: float
) -> Iterator[Figure]:
    for _ in range(_BACKLOG):
        memory.sweep(seconds=0)
    sweep = threading.Thread(target=memory.sweep, args=(seconds,))
    sweep.start()
    times: list[float] = []
    for cue in _cues(random, items, 20_000):
        if not sweep.is_alive():
            break
        times += timed(memory.recall, [cue], 0.0)[0]
    sweep.join()
    if len(times) > 1:
        cuts = quantiles(times, n=100, method="inclusive")
        yield "recall during a sweep: calls", len(times), "calls"
        for share in (50, 95, 99):
            yield f"recall during a sweep p{share}", 1000 * cuts[share - 1], "ms"
