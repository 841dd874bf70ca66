"""A pool: writes, reads, lists and events, in the owner's process and in attached ones.

Each call is timed alone; 95 of 100 are no slower than the second figure. Events go to watchers in
processes of their own, one write at a time, while others watch a pool without changes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Final

import graphmem
from bench.report import Row

HELP: Final = "a pool's writes, reads, lists and events, attached too"
_PAUSE: Final = 0.005  # seconds between two events
_WATCHER: Final = """
import sys, time
import graphmem
folder, writes = sys.argv[1], int(sys.argv[2])
delays = []
def note(change):
    if change is not None:
        delays.append((time.time() - change.when.timestamp()) * 1e3)
with graphmem.attach(folder) as attached:
    watch = attached.pool("events").watch(note)
    print("watches", flush=True)
    end = time.monotonic() + 30
    while len(delays) < writes and time.monotonic() < end:
        time.sleep(0.05)
    watch.close()
print(*delays)
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--calls", type=int, default=2000, help="calls of each kind")
    parser.add_argument("--watchers", type=int, default=10, help="attached watchers")
    parser.add_argument("--idle", type=int, default=40, help="watchers of a pool without changes")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure, and return the rows."""
    with TemporaryDirectory(prefix="graphmem-bench-") as place:
        folder = Path(place) / "memory"
        with graphmem.open(folder, worker="none") as owner, graphmem.attach(folder) as attached:
            rows = []
            for method, memory in (("own", owner), ("attached", attached)):
                pool = memory.pool("bench")
                number = iter(range(1 << 60))
                value = {"found": ["a", 1, 2.5], "text": "two weeks late"}
                rows += [
                    *_timed("write", method, arguments.calls,
                            lambda: pool.write(f"k{next(number) % 50}", value)),  # noqa: B023
                    *_timed("read", method, arguments.calls, lambda: pool.read("k7")),  # noqa: B023
                    *_timed("list of 50", method, arguments.calls // 10,
                            lambda: pool.list()),  # noqa: B023
                ]  # fmt: skip
            rows += _events(folder, owner, attached, arguments)
        return rows


def _timed(what: str, method: str, calls: int, call: Callable[[], object]) -> list[Row]:
    times = []
    for _ in range(calls):
        begun = time.perf_counter()
        call()
        times.append((time.perf_counter() - begun) * 1e6)
    return [
        Row("pool", what, method, "median", median(times), "µs"),
        Row("pool", what, method, "95 %", quantiles(times, n=20)[-1], "µs"),
    ]


def _events(
    folder: Path,
    owner: graphmem.Memory,
    attached: graphmem.Attached,
    arguments: argparse.Namespace,
) -> list[Row]:
    quiet = [attached.pool("quiet").watch(lambda change: None) for _ in range(arguments.idle)]
    writes = 200
    watchers = [
        subprocess.Popen(
            [sys.executable, "-c", _WATCHER, str(folder), str(writes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(arguments.watchers)
    ]
    for watcher in watchers:
        assert watcher.stdout is not None
        watcher.stdout.readline()  # it watches
    for number in range(writes):
        owner.pool("events").write("k", number)
        time.sleep(_PAUSE)
    delays: list[float] = []
    for watcher in watchers:
        output, _ = watcher.communicate()
        delays += map(float, output.split())
    begun = time.process_time()
    time.sleep(1.0)
    idle = time.process_time() - begun
    for watch in quiet:
        watch.close()
    named = f"{len(watchers)} attached processes"
    return [
        Row("pool", "event", named, "told", len(delays) / (writes * len(watchers)), "share"),
        Row("pool", "event", named, "median", median(delays), "ms"),
        Row("pool", "event", named, "95 %", quantiles(delays, n=20)[-1], "ms"),
        Row("pool", "nothing happens", f"{len(quiet)} watchers", "processor",
            idle * 1e3, "ms a second"),
    ]  # fmt: skip
