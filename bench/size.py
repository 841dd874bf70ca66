"""What a note takes in bytes, and how many notes a budget keeps; SQLite with FTS5 beside it."""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Final, TypeVar

import graphmem
from bench.engine import FULL, Plan, world
from bench.peers.graphmem_rooms import Rooms
from bench.peers.peer import Item
from bench.peers.sqlite import SQLite
from bench.report import Row

HELP: Final = "bytes of a note, and how many notes of 130 bytes a budget keeps"
DATA: Final = Path(__file__).parents[1] / "data"
_BUDGET: Final = 1_000_000  # bytes
_NOTES: Final = 2000
_NOTE: Final = range(110, 151)  # bytes of a note
_SENTENCE: Final = re.compile(r"[^.!?]+[.!?]+\s*")
_REPORTED: Final = 2000  # how many are written between two lines of progress

T = TypeVar("T")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--nodes", type=int, default=FULL.nodes, help=f"({FULL.nodes:,})")
    parser.add_argument("--notes", type=int, default=_NOTES, help=f"({_NOTES:,})")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure both."""
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as name:
        return [*_bytes(Path(name), arguments.nodes), *_kept(Path(name), arguments.notes)]


def _bytes(folder: Path, nodes: int) -> Iterator[Row]:
    """The memories of `bench engine`: text of 30 words, 5 keywords, 12 links each."""
    dataset = f"{nodes} nodes, {2 * FULL.degree} links each"
    items = world(Plan(nodes=nodes))
    for words in (False, True):
        method = "graphmem+words" if words else "graphmem"
        rooms = Rooms(method, folder / method, words=words)
        try:
            for item in _with_progress(method, items, nodes):
                rooms.write(item)
            disk = rooms.settle()
            live = rooms.scope.state.live_bytes
        finally:
            rooms.close()
        yield Row("size", dataset, method, "live bytes", live / nodes, "bytes/note")
        yield Row("size", dataset, method, "compacted folder", disk / nodes, "bytes/note")
    peer = SQLite(folder / "fts5-engine", words=True)
    try:
        for item in _with_progress(peer.name, items, nodes):
            peer.write(item)
        yield Row("size", dataset, peer.name, "file", peer.settle() / nodes, "bytes/note")
    finally:
        peer.close()


def _kept(folder: Path, notes: int) -> Iterator[Row]:
    """Notes of 130 bytes, remembered one by one with and without a budget."""
    texts = [text for text, _ in zip(_texts(), range(notes), strict=False)]
    mean = sum(len(text.encode()) for text in texts) / notes
    dataset = f"{notes} notes of {mean:.0f} bytes"
    budget = {"max_bytes": _BUDGET}
    with graphmem.open(folder / "kept", worker="none", durability="os", **budget) as memory:
        for text in _with_progress("graphmem, 1 MB", texts, notes):
            memory.remember(text)
        kept = len(memory)
        whole = sum(node.form is graphmem.Form.WHOLE for node in memory)
    yield Row("size", dataset, "graphmem", "kept under 1 MB", kept, "notes")
    yield Row("size", dataset, "graphmem", "kept whole under 1 MB", whole, "notes")
    with graphmem.open(folder / "all", worker="none", durability="os") as memory:
        for text in _with_progress("graphmem, no budget", texts, notes):
            memory.remember(text)
        memory.admin.compact()
        live = memory.admin.stats()["live_bytes"]
        items = [_item(memory, node) for node in memory]
    yield Row("size", dataset, "graphmem", "live bytes", live / notes, "bytes/note")
    yield Row("size", dataset, "graphmem", "fit into 1 MB", _BUDGET * notes / live, "notes")
    peer = SQLite(folder / "fts5", words=True)
    try:
        for item in items:
            peer.write(item)
        size = peer.settle()
    finally:
        peer.close()
    yield Row("size", dataset, peer.name, "file", size / notes, "bytes/note")
    yield Row("size", dataset, peer.name, "fit into 1 MB", _BUDGET * notes / size, "notes")


def _with_progress(what: str, some: Iterable[T], count: int) -> Iterator[T]:
    """The same, with a line on stderr now and then: the whole takes minutes."""
    for done, each in enumerate(some):
        if done % _REPORTED == 0:
            print(f"{what}: {done:,} of {count:,}", file=sys.stderr)
        yield each


def _texts() -> Iterator[str]:
    """Sentences of the English journal, put together, with another number each time."""
    random = Random(0)
    lines = (DATA / "journal.en.jsonl").read_text("utf-8").splitlines()
    whole = " ".join(json.loads(line)["text"] for line in lines)
    note = ""
    for number, sentence in enumerate(cycle(_SENTENCE.findall(whole))):
        varied = re.sub(r"\d+", lambda _: str(random.randint(1, 999)), sentence.strip())
        varied = f"{varied[:-1]} ({number}){varied[-1]}" if number % 3 == 0 else varied
        note = f"{note} {varied}".strip()
        size = len(note.encode())
        if size in _NOTE:
            yield note
        if size >= _NOTE.start:
            note = ""


def _item(memory: graphmem.Memory, node: graphmem.Node) -> Item:
    links = tuple((node.id, link.target, link.strength) for link in memory.graph.links(node))
    return Item(
        node.id,
        tuple((sentence, 1.0) for sentence in node.sentences),
        node.phrase,
        node.keywords,
        int(node.created.timestamp() * 1e6),
        links,
    )
