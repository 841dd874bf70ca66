"""Homes: what a memory in PostgreSQL costs beside a folder, and what kills and takings leave.

Starts a PostgreSQL of its own, on loopback, and a proxy that adds a millisecond a round trip. What
is compared is done in turn, so that the same neighbours disturb it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import graphmem
from bench.report import Row
from tests.faults.residents import note
from tests.postgres import Postgres
from tests.proxy import Proxy

HELP: Final = "a memory in PostgreSQL beside a folder; kills, takings by force, openings, followers"
_ROOT: Final = Path(__file__).parents[1]
_HALF_A_MILLISECOND: Final = 0.5
_PLAIN: Final[dict[str, Any]] = {"worker": "none", "attachable": False}
_LONG: Final = 6  # notes in a text of the large memories


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--calls", type=int, default=200, help="of each kind (%(default)s)")
    parser.add_argument("--kills", type=int, default=60, help="of each mode (%(default)s)")
    parser.add_argument("--seconds", type=float, default=60, help="of takings (%(default)s)")
    parser.add_argument("--agents", type=int, default=200, help="small memories (%(default)s)")
    parser.add_argument("--megabytes", type=int, nargs="*", default=[1, 10], help="of memories")
    parser.add_argument(
        "--parts", nargs="*", default=["calls", "kills", "tug", "opens", "follow", "many", "idle"]
    )


def run(arguments: argparse.Namespace) -> list[Row]:
    """Run the parts."""
    server = Postgres()
    proxy = Proxy(server.port, _HALF_A_MILLISECOND)
    parts: dict[str, Callable[[_Bench], list[Row]]] = {
        "calls": _calls, "kills": _kills, "tug": _tug, "opens": _opens, "follow": _follow,
        "many": _many, "idle": _idle,
    }  # fmt: skip
    try:
        with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as name:
            bench = _Bench(server, proxy, Path(name), arguments)
            with bench.home("make") as home:
                home.make()
            rows = []
            for part in arguments.parts:
                print(part, file=sys.stderr)
                rows += parts[part](bench)
            return rows
    finally:
        proxy.close()
        server.close()


class _Bench:
    def __init__(
        self, server: Postgres, proxy: Proxy, folder: Path, arguments: argparse.Namespace
    ) -> None:
        self.server, self.proxy, self.folder, self.arguments = server, proxy, folder, arguments

    def home(self, cache: str, *, far: bool = False) -> graphmem.Home:
        url = self.server.url(self.proxy.port if far else None)
        return graphmem.Home(url, cache=self.folder / cache)

    def residents(self, what: str, much: float, mode: str) -> dict[str, Any]:
        ended = subprocess.run(
            [sys.executable, "-m", "tests.faults.residents", what, self.server.url(),
             self.folder / what, str(much), mode, "1"],
            cwd=_ROOT, capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(_ROOT), str(_ROOT / "worker")])},
        )  # fmt: skip
        found: dict[str, Any] = json.loads(ended.stdout)
        return found


def _row(dataset: str, method: str, metric: str, value: float, unit: str) -> Row:
    return Row("home", dataset, method, metric, value, unit)


def _quantiles(dataset: str, method: str, values: list[float], unit: str = "ms") -> list[Row]:
    values = sorted(values)
    return [
        _row(dataset, method, f"p{share}", values[len(values) * share // 100], unit)
        for share in (10, 50, 95)
    ]


def _timed(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - begun)


def _calls(bench: _Bench) -> list[Row]:
    """A remember and a recall of each kind in turn."""
    near, far = bench.home("near"), bench.home("far", far=True)
    memories = {"folder, sync": graphmem.open(bench.folder / "s", durability="sync", **_PLAIN),
                "folder, group": graphmem.open(bench.folder / "g", durability="group", **_PLAIN),
                "home, sync": near.open("s", durability="sync", **_PLAIN),
                "home, group": near.open("g", durability="group", **_PLAIN),
                "home, sync, + 1 ms": far.open("f", durability="sync", **_PLAIN)}  # fmt: skip
    took: dict[tuple[str, str], list[float]] = defaultdict(list)
    names = list(memories)
    for call in range(bench.arguments.calls):
        for place in range(len(names)):
            name = names[(call + place) % len(names)]
            memory = memories[name]
            took["remember", name].append(_timed(lambda m=memory, n=call: m.remember(note(n))))
            cue = f"When is invoice {call * 7919 % 1000} due?"
            took["recall", name].append(_timed(lambda m=memory, c=cue: m.recall(c)))
    for memory in memories.values():
        memory.close()
    near.close()
    far.close()
    return [row for (what, name), values in took.items() for row in _quantiles(what, name, values)]


def _kills(bench: _Bench) -> list[Row]:
    """kill -9; with "sync" and "flush" the folder is deleted."""
    rows = []
    for mode in ("sync", "flush", "group"):
        found = bench.residents("kill", bench.arguments.kills, mode)
        found["faults"] = len(found["faults"])
        rows += [_row("kill -9", mode, what, number, "") for what, number in found.items()]
    return rows


def _tug(bench: _Bench) -> list[Row]:
    """Three processes take one memory from each other by force."""
    rows = []
    for mode in ("sync", "flush"):
        found = bench.residents("tug", bench.arguments.seconds / 2, mode)
        noticed = found.get("fenced", 0) + found.get("left", 0)
        found["losers not told"] = found["taken"] - noticed
        for what in ("errors", "faults"):
            found[what] = len(found[what])
        rows += [_row("takings", mode, what, number, "") for what, number in found.items()]
    return rows


def _opens(bench: _Bench) -> list[Row]:
    """Opening on a machine without a cache, and with one."""
    rows = []
    home = bench.home("opens")
    for size in bench.arguments.megabytes:
        name, number, live = f"{size} MB", 0, 0
        with home.open(name, durability="group", **_PLAIN) as memory:
            while live < size * 1_000_000:
                with memory.transaction():
                    for _ in range(50):
                        number += 1
                        text = " ".join(note(number * _LONG + k) for k in range(_LONG))
                        memory.remember(text)
                live = memory.admin.stats()["live_bytes"]
            memory.admin.flush()
        (found,) = home.list(name)
        rows.append(_row(name, "home", "live", live / 1e6, "MB"))
        rows.append(_row(name, "home", "stored", found.bytes / 1e6, "MB"))
        for kind, is_empty in (("fresh machine", True), ("with cache", False)):
            walls, used = [], []
            for _ in range(5):
                if is_empty:
                    shutil.rmtree(bench.folder / "opens", ignore_errors=True)
                cpu = time.process_time()
                walls.append(_timed(lambda name=name: home.open(name, **_PLAIN).close()))
                used.append(1000 * (time.process_time() - cpu))
            rows.append(_row(name, kind, "open and close, least", min(walls), "ms"))
            rows.append(_row(name, kind, "open and close, CPU", min(used), "ms"))
    home.close()
    return rows


def _follow(bench: _Bench) -> list[Row]:
    """How long after it was acknowledged a write is seen, polling every 20 ms."""
    home, other = bench.home("writer"), bench.home("reader")
    delays = []
    with home.open("followed", **_PLAIN) as memory:
        memory.remember(note(0))
        with other.follow("followed", every=0.02) as follower:
            for number in range(1, bench.arguments.calls // 2):
                memory.remember(note(number))
                begun = time.perf_counter()
                while follower.admin.stats()["nodes"] < number + 1:
                    time.sleep(0.001)
                delays.append(1000 * (time.perf_counter() - begun))
                time.sleep(0.05)
    home.close()
    other.close()
    return _quantiles("seen by a follower", "every 20 ms", delays)


def _many(bench: _Bench) -> list[Row]:
    """Many memories of five notes."""
    rows, agents = [], bench.arguments.agents
    home = bench.home("many")

    def write(memory: graphmem.Memory) -> None:
        for number in range(5):
            memory.remember(note(number))

    def write_together(memory: graphmem.Memory) -> None:
        with memory.transaction():
            write(memory)

    for what, first, act in (
        ("new, 5 notes in a transaction, close", 0, write_together),
        ("new, 5 notes, close", agents, write),
        ("open with cache, close", 0, lambda _: None),
    ):
        cpu, walls = time.process_time(), []
        for agent in range(first, first + agents):

            def visit(agent: int = agent, act: Callable[..., None] = act) -> None:
                with home.open(f"agent-{agent}", **_PLAIN) as memory:
                    act(memory)

            walls.append(_timed(visit))
        used = 1000 * (time.process_time() - cpu) / agents
        rows += [_row(what, "home", "CPU", used, "ms"), *_quantiles(what, "home", walls)[:2]]
    found = home.list("agent-", limit=2 * agents)[:agents]
    rows.append(_row("5 notes", "home", "bytes", sum(m.bytes for m in found) / agents, "B"))
    rows.append(_row("5 notes", "home", "batches", sum(m.batches for m in found) / agents, ""))
    home.close()
    return rows


def _idle(bench: _Bench) -> list[Row]:
    """A hundred open memories that nobody uses, in this process; and as many folders."""
    rows = []
    home = bench.home("idle")
    for kind in ("folder", "home"):
        memories = [
            graphmem.open(bench.folder / f"idle-{n}", **_PLAIN)
            if kind == "folder"
            else home.open(f"idle-{n}", **_PLAIN)
            for n in range(100)
        ]
        time.sleep(2)
        cpu = time.process_time()
        time.sleep(10)
        used = 1000 * (time.process_time() - cpu) / 10 / len(memories)
        rows.append(_row("idle", kind, "CPU a second", used, "ms"))
        for memory in memories:
            memory.close()
    home.close()
    return rows
