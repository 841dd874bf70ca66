"""Worker: what the process that scores costs, and what its end costs.

Ready: from the start of the process to its first answer, and the processor time of such a process
from start to end, which a busy machine does not lengthen. Late: how long after its deadline a task
that cannot be done in time is answered. Killed: a worker is killed with half of the queue left;
what is then lost, set aside or scored twice. Agent: what the memory of the agent's own process
grows by, in processes of their own.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

import graphmem
from bench.corpora import read
from bench.report import Row
from graphmem import Settings
from graphmem.errors import ModelError
from graphmem.services import models
from graphmem_worker.errors import TaskError
from graphmem_worker.process.client import WorkerProcess

HELP: Final = "the worker process: ready, late, killed, and its cost to the agent"
_DEADLINES: Final = (0.05, 0.2, 0.35, 0.5, 0.65)  # seconds
_LOOK: Final = 0.01  # seconds
_AGENT: Final = """
import sys, graphmem
memory = graphmem.open(None, worker=sys.argv[1])
memory.remember("Wen moved the release from May 3 to May 10.")
memory.admin.enrich(60)
if sys.argv[1] != "none": assert memory.admin.stats()["worker"]["pid"], memory.admin.stats()
print(next(line for line in open("/proc/self/status") if line.startswith("VmRSS")).split()[1])
memory.close()
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--repeats", type=int, default=5, help="starts and agents of each kind")
    parser.add_argument("--texts", type=int, default=24, help="texts that a killed worker scores")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure the worker without a model and, if there is one, with it."""
    options: dict[str, dict[str, object]] = {"extractive": {}}
    try:
        options["llama"] = {"model": str(models.find(Settings.read({}).model))}
    except ModelError as error:
        print(f"without the model: {error}", file=sys.stderr)
    rows = []
    alone = median(_agent("none") for _ in range(arguments.repeats))
    for backend, given in options.items():
        print(backend, file=sys.stderr)
        row = partial(Row, "worker", "journal", backend)
        before = _spent()
        starts, sizes = zip(
            *(_ready(backend, given) for _ in range(arguments.repeats)), strict=True
        )
        rows.append(row("processor_time", (_spent() - before) / arguments.repeats, "s"))
        rows.append(row("ready_median", median(starts), "s"))
        rows.append(row("ready_worst", max(starts), "s"))
        rows.append(row("worker_memory", max(sizes), "MB"))
        if backend == "llama":
            late = [_late(backend, given, deadline) for deadline in _DEADLINES]
            rows.append(row("late_median", median(late), "s"))
            rows.append(row("late_worst", max(late), "s"))
        rows += [
            row(metric, value, "texts")
            for metric, value in _killed(backend, arguments.texts).items()
        ]
        grown = median(_agent(backend) for _ in range(arguments.repeats)) - alone
        rows.append(row("agent_grows_by", grown, "MB"))
    return rows


def _ready(backend: str, options: dict[str, object]) -> tuple[float, float]:
    """Seconds until a new worker answers, and its resident megabytes then."""
    begun = time.perf_counter()
    with WorkerProcess(backend, options, 60.0) as worker:
        worker.start()
        took = time.perf_counter() - begun
        status = Path(f"/proc/{worker.pid}/status").read_text("utf-8")
        return took, int(status.partition("VmRSS:")[2].split()[0]) / 1000


def _spent() -> float:
    """Seconds of processor time that ended children took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _late(backend: str, options: dict[str, object], deadline: float) -> float:
    """Seconds between the deadline of a task of minutes and the answer."""
    long = "The committee met again and nothing was settled, as so often before. " * 60
    with WorkerProcess(backend, options, 60.0) as worker:
        worker.ask("score", {"sentences": ["It is ready."], "rarity": {}})
        begun = time.perf_counter()
        try:
            worker.ask("score", {"sentences": [long], "rarity": {}}, deadline=deadline)
        except TaskError as error:
            late = time.perf_counter() - begun - deadline
            if error.kind == "deadline":
                return late
            raise
    raise AssertionError("a task of minutes was done at once")


def _killed(backend: str, count: int) -> dict[str, float]:
    texts = [turn.text[:200] for journal in read([]) for turn in journal.turns[: count // 2]]
    with tempfile.TemporaryDirectory() as folder:
        with graphmem.open(folder, worker="none") as memory:
            nodes = sum(map(len, memory.remember_many(texts)))
        with graphmem.open(
            folder, worker=backend, tuning=graphmem.Tuning(worker_share=1.0)
        ) as memory:
            while memory.admin.stats()["queue"]["waiting"] > nodes // 2:
                time.sleep(_LOOK)
            os.kill(memory.admin.stats()["worker"]["pid"], signal.SIGKILL)
            while memory.admin.stats()["queue"]["waiting"]:
                time.sleep(_LOOK)
            stats, faults = memory.admin.stats(), memory.admin.check()
            assert not faults, faults
    return {
        "queued": nodes,
        "lost_by_kill": nodes - stats["worker"]["enriched"] - stats["queue"]["set_aside"],
        "set_aside_by_kill": stats["queue"]["set_aside"],
        "nodes_more_than_before": stats["nodes"] - nodes,
    }


def _agent(backend: str) -> float:
    """Resident megabytes of a process whose memory has scored one text."""
    ended = subprocess.run(
        [sys.executable, "-c", _AGENT, backend], capture_output=True, text=True, check=True
    )
    return int(ended.stdout) / 1000
