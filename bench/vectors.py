"""Vectors: how long the nearest of many take to find, all compared and out of a graph.

The vectors are drawn as those of texts lie: a hundred to a topic, the k-th direction with 1/k of
the variance of the first, and a large part in common (E5's, of 8,768 texts: an exponent of −.87, a
common part of .89). `--random` draws them without any structure, which no text has: comparing all
does not care, but a graph cannot find its way. It is made here at every size, to show where it
begins to be worth it; a memory makes one beyond `graphmem.index.vectors.EXACT`.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import Final
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from bench.report import Row
from graphmem.hexastore import scopes
from graphmem.hexastore.transaction import Transaction
from graphmem.index import vectors
from graphmem.index.vectors import Vector, VectorIndex, quantized
from graphmem.storage.store import Store

HELP: Final = "the nearest of many vectors, all compared and out of a graph, new cues and repeated"
DIMENSIONS: Final = 384
_TOPIC: Final = 100  # texts
_COMMON: Final = 0.89  # the length of what all vectors have in common
_CUES: Final = 100
_BATCH: Final = 1000
_FOUND: Final = 60  # as many as a recall takes


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument(
        "--nodes", type=int, action="append", help="how many vectors (default: 50,000 and 100,000)"
    )
    parser.add_argument("--random", action="store_true", help="vectors without any structure")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure each size; the graph grows from one to the next, as in a memory."""
    sizes = sorted(arguments.nodes or (50_000, 100_000))
    space = TextSpace(0 if arguments.random else max(1, sizes[-1] // _TOPIC))
    draw = np.random.default_rng(0)
    cues = space.drawn(_CUES, np.random.default_rng(1))
    with patch.object(vectors, "EXACT", 0):  # also what is too few for a graph has one here
        return list(_measured(sizes, space, draw, cues, "random" if arguments.random else ""))


class TextSpace:
    """Where vectors like those of texts lie; also an embedder that takes no time and knows nothing:
    a text is somewhere in the topic of its first word."""

    name, dimensions = "text-like", DIMENSIONS

    def __init__(self, topics: int) -> None:
        """`topics` 0: without any structure."""
        draw = np.random.default_rng(2)
        self._spread = (np.arange(1, DIMENSIONS + 1) ** -0.5).astype(np.float32)
        self._topics = self._spread * draw.standard_normal((topics, DIMENSIONS), np.float32)
        common = draw.standard_normal(DIMENSIONS).astype(np.float32)
        self._common = common * (_COMMON / np.linalg.norm(common))

    def drawn(self, count: int, draw: np.random.Generator) -> Vector:
        """`count` vectors of length 1."""
        rows = draw.standard_normal((count, DIMENSIONS), np.float32)
        if len(self._topics):
            rows *= self._spread
            rows += self._topics[draw.integers(0, len(self._topics), count)]
            apart = (1 - _COMMON**2) ** 0.5 / np.linalg.norm(rows, axis=1).mean()
            rows = self._common + rows * np.float32(apart)
        drawn: Vector = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return drawn

    def embed(self, texts: Sequence[str], kind: str) -> NDArray[np.float32]:
        """A vector for each text, always the same."""
        return np.concatenate([self.drawn(1, np.random.default_rng(_seed(text))) for text in texts])


def _seed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


def _measured(
    sizes: Sequence[int], space: TextSpace, draw: np.random.Generator, cues: Vector, kind: str
) -> Iterator[Row]:
    store = Store.open(None)
    scope = scopes.open_scope(
        store, "bench", kind="memory", decay=0.03, created=1, analyser=1, create=True
    )
    index = VectorIndex(store, scope)
    index.use("drawn", DIMENSIONS)
    node, linking, grown = 0, 0.0, 0
    for size in sizes:
        while node < size:
            with Transaction(store, scope) as tx:
                for row in space.drawn(min(_BATCH, size - node), draw):
                    node += 1
                    index.put(tx, node, *quantized(row))
        dataset = " ".join(filter(None, (f"{size} vectors", kind)))
        told = []
        yield from _asked(store, index, cues, dataset, told)
        exact, told = told, []
        resident, begun = _resident(), time.thread_time()
        while index.link():
            pass
        linking += time.thread_time() - begun
        grown += _resident() - resident
        if index.search == "exact":
            print("no graph: usearch is not installed", file=sys.stderr)
            continue
        yield from _asked(store, index, cues, dataset, told)
        shared = fmean(len(a & b) / len(a) for a, b in zip(exact, told, strict=True))
        yield Row("vectors", dataset, "approximate", "recall@10", shared, "share")
        yield Row("vectors", dataset, "approximate", "linking_cpu_s", linking, "s")
        yield Row("vectors", dataset, "approximate", "graph_bytes_per_vector", grown / size, "B")
    store.close()


def _asked(
    store: Store, index: VectorIndex, cues: Vector, dataset: str, told: list[set[int]]
) -> Iterator[Row]:
    """Rows of what it takes to ask each cue twice; what each finds first goes to `told`."""
    clock: dict[str, list[float]] = {"new_cue": [], "same_cue": []}
    spent: dict[str, list[float]] = {name: [] for name in clock}
    for cue in cues:
        for name in clock:
            begun, cpu = time.perf_counter(), time.thread_time()
            held = index.hold()
            with store.snapshot() as snapshot:
                nearest = index.nearest(held, snapshot.sequence, cue)
            assert nearest is not None
            found = nearest.best(_FOUND)
            spent[name].append((time.thread_time() - cpu) * 1000)
            clock[name].append((time.perf_counter() - begun) * 1000)
        told.append(set(sorted(found, key=found.__getitem__, reverse=True)[:10]))
    for name in clock:
        for metric, value in (
            (f"{name}_p50_ms", median(clock[name])),
            (f"{name}_p95_ms", quantiles(clock[name], n=20)[-1]),
            (f"{name}_cpu_p50_ms", median(spent[name])),
        ):
            yield Row("vectors", dataset, index.search, metric, value, "ms")


def _resident() -> int:
    """Bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
