"""Latency: how long `recall` and `remember` take in a memory of 100,000 nodes.

The memory holds conversations over and over; of every lap but the first, three words in ten are
exchanged for others of the conversations, so that common words stay common and no two texts are the
same. Their questions are asked with `use=False`, and further turns are remembered one by one. Time
on the clock depends on what else the machine does; `CPU` is what the calling thread used itself.

`--profile` says in which functions the time goes, by Python's own profiler, which makes calls of
Python functions look dearer than they are; what a function calls in C counts as its own.

`--vectors` asks each cue, with one word exchanged, twice. The vectors are drawn like those of texts
(see `bench vectors`) by an embedder that takes no time: a real one's comes on top for a new cue.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import Any, Final, TypeAlias
from unittest.mock import patch

import numpy as np

import graphmem
from bench.corpora import Conversation, Turn, read
from bench.report import Row
from bench.vectors import TextSpace
from graphmem.api.opening import rooms
from graphmem.hexastore import keys, scopes
from graphmem.hexastore.keys import Space
from graphmem.hexastore.transaction import Transaction
from graphmem.index.vectors import index as vectors
from graphmem.storage.store import Store

HELP: Final = "recall and remember in a memory of 100,000 nodes, on the clock and in CPU time"
_ROWS: Final = 1000  # copied in a commit, so many times as there are copies
_SHOWN: Final = 12  # functions of a profile
_TURN: Final = 10  # cues that are asked before it is the other way's turn
_EXCHANGED: Final = 0.3  # of the words of a text, from the second lap on

Measured: TypeAlias = tuple[str, float, str]
"""Metric, value and unit of a row."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("paths", nargs="*", help="LoCoMo or MemoryBank files; none: data/")
    parser.add_argument("--nodes", type=int, default=100_000, help="memories (%(default)s)")
    parser.add_argument("--calls", type=int, default=1000, help="of each kind (%(default)s)")
    parser.add_argument(
        "--copies", type=int, default=1, help="of these memories, side by side (%(default)s)"
    )
    parser.add_argument("--vectors", action="store_true", help="recall with vectors")
    parser.add_argument("--profile", action="store_true", help="where the time goes, by function")
    parser.add_argument("--folder", type=Path, help="keep the memory there, or take the one there")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Fill a folder, then time calls one after the other."""
    conversations = read(arguments.paths)
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as name:
        path = arguments.folder or Path(name) / "memory"
        if not path.exists():
            fill(path, conversations, arguments.nodes)
            copy(path, arguments.copies)
        if arguments.vectors:
            return list(_with_vectors(path, conversations, arguments.calls))
        with graphmem.open(path, worker="none") as memory:
            measure = _profiled if arguments.profile else _timed
            return list(_measured(memory, conversations, arguments.calls, measure))


def fill(path: Path, conversations: Sequence[Conversation], nodes: int) -> None:
    """Make a memory of at least `nodes` nodes."""
    texts = _texts(conversations, Random(nodes))
    with graphmem.open(path, worker="none", durability="os") as memory:
        while len(memory) < nodes:
            print(f"{len(memory):,} nodes of {nodes:,}", file=sys.stderr)
            some = list(islice(texts, min(5000, nodes - len(memory))))
            memory.remember_many(some)
        memory.admin.enrich()  # or the calls would be timed beside it
        memory.admin.compact()
        while rooms(memory).words.fold():
            pass  # a copy is made of what is folded


def copy(path: Path, copies: int) -> None:
    """Put what recalls read of a memory beside itself, under further ids, until it is there
    `copies` times: for sizes that would take an hour to remember. The triples are left out."""
    with Store.open(path, durability="os") as store:
        scope = next(scopes.all_of(store, "memory"))
        width = scope.state.next_node
        with store.snapshot() as snapshot:
            for space in (Space.NODE, Space.TEXT, Space.DUE, Space.CHUNK, Space.OUT):
                start = scope.prefix(space)
                rows = snapshot.range(start, keys.after(start))
                while some := list(islice(rows, _ROWS)):
                    batch = {}
                    for shift in range(width, copies * width, width):
                        for key, value in some:
                            shifted = _shifted(value, shift) if space is Space.OUT else value
                            node = int.from_bytes(key[-8:], "big") + shift
                            batch[key[:-8] + keys.u64(node)] = shifted
                    store.commit(batch)
            start = scope.prefix(Space.FREQUENCY)
            totals = snapshot.range(start, keys.after(start))
            store.commit(
                {k: (copies * int.from_bytes(v, "big")).to_bytes(4, "big") for k, v in totals}
            )
        with Transaction(store, scope) as tx:
            for name in ("next_node", "nodes", "documents", "words", "text_bytes"):
                setattr(tx.state, name, copies * getattr(tx.state, name))


def _shifted(head: bytes, shift: int) -> bytes:
    """The out-list with targets of ids that are greater by `shift`."""
    table = np.frombuffer(head, ">u8").reshape(-1, 2).astype(np.uint64)
    high, low = table[:, 0], table[:, 1]
    inverted = (high & np.uint64(0xFF)) << np.uint64(32) | low >> np.uint64(32)
    inverted -= np.uint64(shift)  # they are stored inverted
    table[:, 0] = high & ~np.uint64(0xFF) | inverted >> np.uint64(32)
    table[:, 1] = inverted << np.uint64(32) | low & np.uint64(0xFFFFFFFF)
    return table.astype(">u8").tobytes()


def _texts(conversations: Sequence[Conversation], random: Random) -> Iterator[Mapping[str, Any]]:
    """Arguments of `remember`, without end."""
    turns = [turn for conversation in conversations for turn in conversation.turns]
    words = [word for turn in turns for word in turn.text.split()]
    for lap in count(1):
        for turn in turns:
            note = turn if lap == 1 else _changed(turn, lap, words, random)
            yield {
                "text": note.text,
                "speaker": note.speaker,
                "happened": note.happened,
                "session": note.session,
            }


def _changed(turn: Turn, lap: int, words: Sequence[str], random: Random) -> Turn:
    replaced = [
        random.choice(words) if random.random() < _EXCHANGED else word for word in turn.text.split()
    ]
    return replace(turn, text=" ".join(replaced), session=f"{turn.session}, lap {lap}")


def _measured(
    memory: graphmem.Memory,
    conversations: Sequence[Conversation],
    calls: int,
    measure: Callable[[str, Callable[[Any], Any], Sequence[Any]], Iterator[Measured]],
) -> Iterator[Row]:
    random = Random(calls)
    cues = [question.text for talk in conversations for question in talk.questions]
    further = [dict(text) for text in islice(_texts(conversations, random), calls)]
    for text in further:
        text["session"] = "latency"
    dataset = f"{len(memory)} nodes"
    for name, call, arguments in (
        ("recall", lambda cue: memory.recall(cue, use=False), random.choices(cues, k=calls)),
        ("remember", lambda text: memory.remember(**text), further),
    ):
        for measured in measure(name, call, arguments):
            yield Row("latency", dataset, "graphmem", *measured)


def _timed(name: str, call: Callable[[Any], Any], arguments: Sequence[Any]) -> Iterator[Measured]:
    for clock, times in _times(call, arguments).items():
        yield from _percentiles(f"{name} {clock}", times)


def _profiled(
    name: str, call: Callable[[Any], Any], arguments: Sequence[Any]
) -> Iterator[Measured]:
    """The functions that take most, with their shares."""
    profile = cProfile.Profile()
    for place, argument in enumerate(arguments):
        if place == len(arguments) // 10:
            profile.enable()
        call(argument)
    profile.disable()
    spent: Counter[tuple[str, int, str]] = Counter()
    for function, (_, _, own, _, callers) in pstats.Stats(profile).stats.items():
        if function[0] != "~":
            spent[function] += own
        else:  # it is written in C
            for caller, (_, _, there, _) in callers.items():
                spent[caller] += there
    whole = sum(spent.values())
    for (file, _, function), seconds in spent.most_common(_SHOWN):
        yield f"{name}, {Path(file).stem}.{function}", 100 * seconds / whole, "%"


def _with_vectors(path: Path, conversations: Sequence[Conversation], calls: int) -> Iterator[Row]:
    """Recalls with vectors, out of the graph, if there is one, and all compared, in turns."""
    random = Random(calls)
    words = [word for talk in conversations for turn in talk.turns for word in turn.text.split()]
    questions = [question.text.split() for talk in conversations for question in talk.questions]
    with graphmem.open(
        path, worker="none", embedder=TextSpace(1000), tuning=graphmem.Tuning(vector_patience=10.0)
    ) as memory:
        rooms(memory).database.embedding.stop()  # what it does is done here
        memory.admin.enrich()
        while rooms(memory).vectors.link():
            pass
        unlinked = {"exact": -1}  # the rows that a graph may lack and yet be asked
        if rooms(memory).vectors.search == "approximate":
            unlinked["approximate"] = vectors._UNLINKED
        found: dict[str, dict[str, list[float]]] = {way: {} for way in unlinked}
        for _ in range(0, calls, _TURN):
            for way, most in unlinked.items():
                cues: list[str] = []
                for asked in random.choices(questions, k=_TURN):
                    place = random.randrange(len(asked))
                    changed = [*asked[:place], random.choice(words), *asked[place + 1 :]]
                    cues += [" ".join(changed)] * 2
                with patch.object(vectors, "_UNLINKED", most):
                    clocks = _times(lambda cue: memory.recall(cue, use=False), cues)
                for clock, times in clocks.items():
                    found[way].setdefault(clock, []).extend(times)
        for way, clocks in found.items():
            for clock, times in clocks.items():
                for cue, some in (("new", times[0::2]), ("same", times[1::2])):
                    metric = f"{cue} cue {clock}"
                    for measured in _percentiles(metric, some):
                        yield Row("latency", f"{len(memory)} nodes", f"graphmem-{way}", *measured)


def _percentiles(what: str, times: Sequence[float]) -> Iterator[Measured]:
    cuts = [1000 * cut for cut in quantiles(times, n=100, method="inclusive")]
    for share in (50, 95, 99):
        yield f"{what} p{share}", cuts[share - 1], "ms"


def _times(call: Callable[[Any], Any], arguments: Sequence[Any]) -> dict[str, list[float]]:
    """Seconds on the clock and of this thread's CPU, for each argument; the first ones warm up."""
    clock: list[float] = []
    spent: list[float] = []
    for argument in arguments[: len(arguments) // 10]:
        call(argument)
    for argument in arguments[len(arguments) // 10 :]:
        begun, cpu = time.perf_counter(), time.thread_time()
        call(argument)
        spent.append(time.thread_time() - cpu)
        clock.append(time.perf_counter() - begun)
    return {"clock": clock, "CPU": spent}
