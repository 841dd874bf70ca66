"""Vectors: how long the nearest of many take to find, for a new cue and for one asked again."""

from __future__ import annotations

import argparse
import time
from statistics import median
from typing import Final

import numpy as np

from bench.report import Row
from graphmem.hexastore import scopes
from graphmem.hexastore.transaction import Transaction
from graphmem.index.vectors import VectorIndex
from graphmem.storage.store import Store

HELP: Final = "exact search over vectors, for a new cue and for one asked again"
_DIMENSIONS: Final = 384
_CUES: Final = 30
_BATCH: Final = 1000
_FOUND: Final = 60  # as many as a recall takes


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument(
        "--nodes", type=int, action="append", help="how many vectors (default: 10,000 and 50,000)"
    )


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure each size, with random vectors: exact search does not care which."""
    rows: list[Row] = []
    draw = np.random.default_rng(0)
    store = Store.open(None)
    scope = scopes.open_scope(
        store, "bench", kind="memory", decay=0.03, created=1, analyser=1, create=True
    )
    index = VectorIndex(store, scope)
    index.use("random", _DIMENSIONS)
    node = 0
    for size in sorted(arguments.nodes or (10_000, 50_000)):
        while node < size:
            with Transaction(store, scope) as tx:
                for row in draw.integers(
                    -127, 128, (min(_BATCH, size - node), _DIMENSIONS), np.int8
                ):
                    node += 1
                    index.put(tx, node, float(1 / np.linalg.norm(row.astype(np.float32))), row)
        first, again = zip(*(_asked(store, index, draw) for _ in range(_CUES)), strict=True)
        for metric, times in (("new_cue_ms", first), ("same_cue_ms", again)):
            rows.append(Row("vectors", f"{size} nodes", "exact", metric, median(times), "ms"))
    store.close()
    return rows


def _asked(store: Store, index: VectorIndex, draw: np.random.Generator) -> tuple[float, float]:
    cue = draw.standard_normal(_DIMENSIONS).astype(np.float32)
    cue /= np.linalg.norm(cue)
    times = []
    for _ in range(2):
        begun = time.perf_counter()
        held = index.hold()
        with store.snapshot() as snapshot:
            nearest = index.nearest(held, snapshot.sequence, cue)
        assert nearest is not None
        nearest.best(_FOUND)
        times.append((time.perf_counter() - begun) * 1000)
    return times[0], times[1]
