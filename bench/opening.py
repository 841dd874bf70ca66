"""Opening: how long, and how much memory, until a folder of many nodes is ready.

The nodes have their text, node record, due key and a head of twelve links, written straight into
the store; the triples of their links and their postings are left out, for neither is read at open.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Final

import numpy as np

from bench.peers.graphmem_memory import open_elsewhere
from bench.report import Row
from graphmem.graph.links import ENTRY_BYTES, out_key
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.strength import DEFAULT_DECAY
from graphmem.hexastore import keys, scopes
from graphmem.hexastore.keys import Space
from graphmem.hexastore.transaction import Transaction
from graphmem.storage.store import Store
from graphmem_worker.text.words import ANALYSER_VERSION

HELP: Final = "time and memory to open a folder of a million nodes"
_LINKS: Final = 12
_BATCH: Final = 5000  # nodes of a commit
_DUE: Final = 40  # passes, far enough
_OPENINGS: Final = 5


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--nodes", type=int, default=1_000_000, help="memories (%(default)s)")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Fill a folder and open it in processes of their own."""
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as name:
        path = Path(name) / "memory"
        print(f"writing {arguments.nodes:,} nodes", file=sys.stderr)
        fill(path, arguments.nodes)
        opened = [open_elsewhere(path) for _ in range(_OPENINGS)]
    named = (("open", "ms"), ("open_rss", "MiB"), ("open_rss_added", "MiB"))
    return [
        Row("opening", f"{arguments.nodes} nodes", "graphmem", metric, median(values), unit)
        for (metric, unit), values in zip(named, zip(*opened, strict=True), strict=True)
    ]


def fill(path: Path, nodes: int) -> None:
    """Write `nodes` nodes."""
    random = np.random.default_rng(nodes)
    with Store.open(path, durability="os") as store:
        scope = scopes.open_scope(
            store,
            "default",
            kind="memory",
            decay=DEFAULT_DECAY,
            created=0,
            analyser=ANALYSER_VERSION,
            create=True,
        )
        record = NodeRecord(enriched=True, due=_DUE).pack()
        for first in range(1, nodes + 1, _BATCH):
            batch = range(first, min(first + _BATCH, nodes + 1))
            heads = _heads(random, len(batch), nodes)
            with Transaction(store, scope) as tx:
                for node, head in zip(batch, heads, strict=True):
                    text = f"Memory number {node}: what was said, by whom, and what came of it."
                    said = TextRecord(
                        (text,),
                        (1.0,),
                        text[:40],
                        ("memory", "number"),
                        characters=len(text),
                    )
                    name = keys.u64(node)
                    tx.insert(scope.prefix(Space.NODE) + name, record)
                    tx.insert(scope.prefix(Space.TEXT) + name, said.pack())
                    tx.insert(scope.prefix(Space.DUE) + keys.u64(_DUE) + name, b"")
                    tx.insert(out_key(scope, node), head)
                    tx.state.text_bytes += said.size
                tx.state.nodes += len(batch)
                tx.state.links += _LINKS * len(batch)
                tx.state.next_node = batch.stop


def _heads(random: np.random.Generator, count: int, nodes: int) -> list[bytes]:
    """Packed out-lists of random links, all of strength 1.0; see graph.links."""
    table = np.empty((count, _LINKS, 2), ">u8")
    targets = random.integers(1, nodes, (count, _LINKS), endpoint=True, dtype=np.uint64)
    inverted = np.sort(np.uint64((1 << 40) - 1) - targets, axis=1)
    table[..., 0] = np.uint64(((1 << 55) - 1) << 8) | inverted >> np.uint64(32)
    table[..., 1] = inverted << np.uint64(32) | np.uint64(1 << 8 | 1)
    packed, size = table.tobytes(), _LINKS * ENTRY_BYTES
    return [packed[at : at + size] for at in range(0, len(packed), size)]
