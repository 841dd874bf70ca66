"""LangGraph's store: ours beside its SQLite store, on the same items, each in a file.

A search reads a page of ten out of all items of a namespace: by a filter, without one, and by the
cosine of a vector. CPU time of this process, the median of the calls.
"""

from __future__ import annotations

import argparse
import sqlite3
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

import graphmem
from bench.report import Row

HELP: Final = "LangGraph's store beside its SQLite store"
_SUBJECTS: Final = ("meeting", "invoice", "journey", "garden", "engine", "letter", "recipe")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--items", type=int, default=2000, help="items in the namespace")
    parser.add_argument("--calls", type=int, default=50, help="calls of each kind")
    parser.add_argument("--dimensions", type=int, default=384, help="of each vector")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure, and return the rows."""
    if find_spec("langgraph") is None or find_spec("langgraph.store.sqlite") is None:
        print("LangGraph is not installed: this bench is left out (make setup-bench).")
        return []
    from langgraph.store.sqlite import SqliteStore

    from graphmem.integrations.langgraph import GraphmemStore

    index: Any = {
        "dims": arguments.dimensions,
        "embed": partial(_embedded, arguments.dimensions),
        "fields": ["text"],
    }
    rows: list[Row] = []
    with TemporaryDirectory(prefix="graphmem-bench-") as place:
        # Not every Python can load what SQLite compares vectors with.
        vectors = hasattr(sqlite3.Connection, "enable_load_extension")
        path = f"{place}/store.sqlite"
        with SqliteStore.from_conn_string(path, index=index if vectors else None) as theirs:
            theirs.setup()
            rows += _measured("langgraph-checkpoint-sqlite", theirs, arguments)
        with graphmem.open(Path(place) / "memory", worker="none") as memory:
            rows += _measured("graphmem", GraphmemStore(memory, index=index), arguments)
    return rows


def _measured(method: str, store: Any, arguments: argparse.Namespace) -> list[Row]:
    names = ("users", "7")

    def put(number: int, index: object) -> None:
        subject = _SUBJECTS[number % len(_SUBJECTS)]
        value = {
            "text": f"Note {number} is about the {subject}.", "subject": subject, "rank": number
        }  # fmt: skip
        store.put(names, f"note-{number}", value, index=index)

    next_one = iter(range(1 << 60))
    plain = [_took(partial(put, number, False)) for number in range(200)]
    for number in range(arguments.items):
        put(number, None)
    calls: dict[str, Callable[[], Any]] = {
        "get": lambda: store.get(names, "note-77"),
        "search by filter": lambda: store.search(names, filter={"subject": "garden"}),
        "search by range": lambda: store.search(names, filter={"rank": {"$gte": 1000}}),
        "search, newest": lambda: store.search(names),
        "put and search by filter": lambda: (
            put(next(next_one), False),
            store.search(names, filter={"subject": "garden"}),
        ),
    }
    if store.embeddings is not None:
        calls["search by vector"] = lambda: store.search(names, query="the garden")
    times = {name: [_took(call) for _ in range(arguments.calls)] for name, call in calls.items()}
    return [
        Row("langgraph", f"{arguments.items} items", method, what, median(took), "ms")
        for what, took in {"put": plain, **times}.items()
    ]


def _took(call: Callable[[], Any]) -> float:
    begun = time.process_time()
    call()
    return (time.process_time() - begun) * 1e3


def _embedded(dimensions: int, texts: Sequence[str]) -> list[list[float]]:
    """A vector for each text, always the same for the same text."""
    found = []
    for text in texts:
        random = Random(text)
        found.append([random.gauss(0, 1) for _ in range(dimensions)])
    return found
