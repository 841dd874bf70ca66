"""Loading triples from a file: graphmem, SQLite in one transaction, Oxigraph's bulk loader."""

from __future__ import annotations

import argparse
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from threading import Event, Thread
from typing import Final

from bench.report import Row
from graphmem.hexastore import terms
from graphmem.rdf import bulk, reading
from graphmem.storage.store import Store

HELP = "bulk load of N-Triples beside SQLite and Oxigraph"
_EX: Final = "http://example.org/"
_XSD: Final = "http://www.w3.org/2001/XMLSchema#"

# What answers the same patterns: a dictionary, and an index for each of the six orders' prefixes.
_SCHEMA: Final = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA cache_size = -65536;
CREATE TABLE term (id INTEGER PRIMARY KEY, form TEXT UNIQUE);
CREATE TABLE triple (s INTEGER, p INTEGER, o INTEGER, PRIMARY KEY (s, p, o)) WITHOUT ROWID;
CREATE UNIQUE INDEX pos ON triple (p, o, s);
CREATE UNIQUE INDEX osp ON triple (o, s, p);
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of its own."""
    parser.add_argument("--triples", type=int, default=1_000_000, help="in the file (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="of each, in turn (%(default)s)")
    parser.add_argument("--loader", action="append", choices=[*_LOADERS], help="only these")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> list[Row]:
    """Each load in a process of its own, in turn; medians."""
    if arguments.only is not None:
        with tempfile.TemporaryDirectory(dir=arguments.file.parent) as folder:
            _load(arguments.only, arguments.file, Path(folder))
        return []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.nt"
        write(file, arguments.triples)
        taken: dict[str, list[list[float]]] = {name: [] for name in arguments.loader or _LOADERS}
        for _ in range(arguments.rounds):
            for name, runs in taken.items():
                command = (sys.executable, "-m", "bench", "bulk", "--only", name)
                ended = subprocess.run(
                    (*command, "--file", str(file)), capture_output=True, text=True, check=False
                )
                if ended.returncode == 0:
                    runs.append([*map(float, ended.stdout.split()[:3])])
                else:
                    print(f"{name} is left out: {ended.stderr[-300:]}", file=sys.stderr)
    dataset = f"{arguments.triples:,} triples"
    rows = []
    for name, runs in taken.items():
        if runs:
            times, peaks, own = zip(*runs, strict=True)
            seconds = median(times)
            rows += [
                Row("bulk", dataset, name, "load", seconds, "s"),
                Row("bulk", dataset, name, "rate", arguments.triples / seconds, "triples/s"),
                Row("bulk", dataset, name, "peak resident, mapped files too", max(peaks), "MB"),
                Row("bulk", dataset, name, "peak resident, without them", max(own), "MB"),
            ]
    return rows


def _load(name: str, file: Path, folder: Path) -> None:
    own, ended = [0.0], Event()

    def watch() -> None:
        while not ended.wait(0.05):
            own.append(_resident("RssAnon"))

    watcher = Thread(target=watch)
    watcher.start()
    begun = time.perf_counter()
    _LOADERS[name](file, folder / "store")
    seconds = time.perf_counter() - begun
    ended.set()
    watcher.join()
    # Of this program alone: ru_maxrss would also count what started it.
    print(seconds, _resident("VmHWM"), max(own))


def _resident(what: str) -> float:
    """Megabytes (2^20) of this process, as the kernel names them."""
    status = Path("/proc/self/status").read_text("ascii")
    return int(next(k for k in status.splitlines() if k.startswith(what)).split()[1]) / 1024


def _graphmem(file: Path, folder: Path) -> None:
    with Store.open(folder) as store:
        bulk.load(store, [file])


def _sqlite(file: Path, folder: Path) -> None:
    connection = sqlite3.connect(folder, isolation_level=None)
    connection.executescript(_SCHEMA)
    connection.execute("BEGIN")
    numbers: dict[terms.Term, int] = {}

    def number(term: terms.Term) -> int:
        if term not in numbers:
            numbers[term] = len(numbers)
            connection.execute("INSERT INTO term VALUES (?, ?)", (numbers[term], term.n3()))
        return numbers[term]

    def take(statement: reading.Statement, _: int) -> None:
        row = tuple(map(number, statement[:3]))
        connection.execute("INSERT OR IGNORE INTO triple VALUES (?, ?, ?)", row)

    reading.read(file, "nt", "", take)
    connection.execute("COMMIT")
    connection.close()


def _oxigraph(file: Path, folder: Path) -> None:
    import pyoxigraph

    store = pyoxigraph.Store(str(folder))
    store.bulk_load(path=str(file), format=pyoxigraph.RdfFormat.N_TRIPLES)
    store.flush()


_LOADERS: Final[dict[str, Callable[[Path, Path], None]]] = {
    "graphmem": _graphmem,
    "sqlite": _sqlite,
    "pyoxigraph": _oxigraph,
}


def write(path: Path, count: int) -> None:
    """N-Triples about count/10 things: a type, a label, a number, a date, a note, four links."""
    rng = random.Random(1)
    words = [f"word{number}" for number in range(5000)]
    things = max(1, count // 10)
    with path.open("w", encoding="utf-8") as file:
        for thing in range(things):
            subject = f"<{_EX}item/{thing}>"
            note = f'A note on {rng.choice(words)} and {rng.choice(words)}, \\"{thing}\\"'
            day = f"20{rng.randrange(10, 26)}-0{rng.randrange(1, 10)}-1{rng.randrange(10)}"
            pairs = [
                ("<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", f"<{_EX}Class{thing % 20}>"),
                (f"<{_EX}label>", f'"Item {thing} {rng.choice(words)}"@en'),
                (f"<{_EX}count>", f'"{rng.randrange(1000)}"^^<{_XSD}integer>'),
                (f"<{_EX}made>", f'"{day}"^^<{_XSD}date>'),
                (f"<{_EX}note>", f'"{note}"'),
                (f"<{_EX}tag>", f'"{rng.choice(words)}"'),
                *(
                    (f"<{_EX}link{place}>", f"<{_EX}item/{rng.randrange(things)}>")
                    for place in range(4)
                ),
            ]
            file.writelines(f"{subject} {p} {o} .\n" for p, o in pairs)
