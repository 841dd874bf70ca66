"""Notes arrive, with vectors and themes made in the background, while a program recalls and is
killed. Themes are made last, so that a kill interrupts all steps.

Vectors are random, in clusters of a dozen. Times of themes are CPU time of the thread that makes
them; a pause is one hold of the lock that readers of themes wait for, or one step of making all
themes at once, without the collections of Python's garbage that fall into it: these stop every
thread, whatever it does, and are reported separately. With `--folder` a run that ended after
`--seconds` is continued by the next.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from threading import Thread, get_ident
from typing import Any, ParamSpec, TypeVar
from zlib import crc32

import numpy as np

import graphmem
from bench.report import Row
from graphmem.api.opening import rooms
from graphmem.themes.clusters import Clusters
from graphmem.themes.index import ThemeIndex

HELP = "notes that arrive while a program recalls and is killed"
_AT_ONCE = 100  # notes in one call
_BETWEEN = 0.1  # seconds between two recalls
_WORDS = [
    f"{first}{second}{third}o" for first in "bdfgklmn" for second in "aeiou" for third in "rst"
]

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--notes", type=int, default=2_000, help="notes that arrive in all")
    parser.add_argument("--kills", type=int, default=2, help="kills in this run")
    parser.add_argument("--seconds", type=float, default=120.0, help="this run ends after these")
    parser.add_argument("--folder", help="a folder that is kept, and continued if it is there")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Let notes arrive, and check what is there then."""
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as place:
        folder = Path(arguments.folder or place) / "memory"
        folder.parent.mkdir(parents=True, exist_ok=True)
        end = time.monotonic() + arguments.seconds
        ended: list[dict[str, float]] = []
        for turn in range(arguments.kills + 1):
            left = end - time.monotonic()
            share = left / (arguments.kills + 1 - turn)
            kill_after = share if turn < arguments.kills else None
            lines = _owned(folder, arguments.notes, max(left, 1.0), kill_after)
            ended += lines[-1:]
            if lines and lines[-1]["left"] == 0:
                break
        with graphmem.open(folder, worker="none", embedder=Clustered()) as memory:
            problems = len(memory.admin.check())
            notes, stats = len(memory), memory.admin.stats()["themes"]
    dataset = f"{notes:,} of {arguments.notes:,} notes, {len(ended) - 1} kills"
    items = sum(line["items"] for line in ended)
    values = (
        ("problems found by check", problems, ""),
        ("themes", stats["themes"], ""),
        ("nodes without a theme yet", arguments.notes - stats["semantics"], ""),
        ("themes, a note", sum(line["spent"] for line in ended) / max(1, items) * 1000, "ms"),
        ("longest pause by themes", max(line["longest"] for line in ended) * 1000, "ms"),
        ("longest collection of garbage", max(line["garbage"] for line in ended) * 1000, "ms"),
        ("recalls meanwhile", sum(line["recalls"] for line in ended), ""),
    )
    return [Row("arrivals", dataset, "arriving", *value) for value in values]


def _owned(
    folder: Path, notes: int, seconds: float, kill_after: float | None
) -> list[dict[str, float]]:
    """The reports of a process that owns the folder, until it ended or was killed."""
    command = [sys.executable, "-m", "bench.arrivals", str(folder), str(notes), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
        lines: list[dict[str, float]] = []
        begun = time.monotonic()
        assert owner.stdout is not None
        for line in owner.stdout:
            lines.append(json.loads(line))
            print(line.rstrip(), file=sys.stderr)
            if kill_after is not None and time.monotonic() - begun > kill_after:
                owner.kill()
                break
    if kill_after is None and owner.returncode:
        raise RuntimeError(f"the process that owned {folder} failed; its own message is above")
    return lines


class Clustered:
    """The vector of a text lies at random near the middle of its first word."""

    name, dimensions = "clustered", 256

    def embed(self, texts: Sequence[str], kind: str) -> list[Any]:
        """See `graphmem.Embedder.embed`."""
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Any:
        middle = np.random.default_rng(crc32(text.split()[1].encode()))
        near = np.random.default_rng(crc32(text.encode()))
        return middle.standard_normal(self.dimensions) + 1.2 * near.standard_normal(self.dimensions)


def _text(number: int, notes: int) -> str:
    draw = Random(number)
    subject = f"{draw.choice(_WORDS)}{draw.randrange(max(1, notes // 12))}"
    return f"The {subject} of {' '.join(draw.choices(_WORDS, k=9))} needs number {number}."


def _own(folder: str, notes: int, seconds: float) -> None:
    end = time.monotonic() + seconds
    report = {"items": 0.0, "spent": 0.0, "longest": 0.0, "garbage": 0.0, "recalls": 0.0}
    pauses: list[float] = []
    garbage: list[float] = []  # of the thread that collects
    collected: defaultdict[int, float] = defaultdict(float)  # seconds, by thread
    begun_at = 0.0

    def collecting(phase: str, _: Mapping[str, int]) -> None:
        nonlocal begun_at
        if phase == "start":
            begun_at = time.thread_time()
            return
        garbage.append(time.thread_time() - begun_at)
        collected[get_ident()] += garbage[-1]

    gc.callbacks.append(collecting)

    def timed(
        act: Callable[_Arguments, _Result], kept: list[float]
    ) -> Callable[_Arguments, _Result]:
        def done(*given: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
            begun, before = time.thread_time(), collected[get_ident()]
            try:
                return act(*given, **named)
            finally:
                garbage_in_it = collected[get_ident()] - before
                kept.append(time.thread_time() - begun - garbage_in_it)

        return done

    steps: list[float] = []
    # Timed from outside: the engine has no clocks for a bench to read.
    Clusters.add = timed(Clusters.add, pauses)  # type: ignore[method-assign]
    ThemeIndex._is_renewing = timed(ThemeIndex._is_renewing, pauses)  # type: ignore[method-assign]
    ThemeIndex._step = timed(ThemeIndex._step, steps)  # type: ignore[method-assign]
    with graphmem.open(folder, worker="none", embedder=Clustered(), attachable=False) as memory:
        index, first = rooms(memory).theme_index, memory.admin.stats()["themes"]["semantics"]

        def settle() -> None:
            memory.admin.enrich(max(0.0, end - time.monotonic()))
            memory.themes.assimilate(max(0.0, end - time.monotonic()))

        def arrive() -> None:
            for start in range(len(memory), notes, _AT_ONCE):
                if time.monotonic() > end:
                    return
                some = range(start, min(start + _AT_ONCE, notes))
                memory.remember_many({"text": _text(number, notes)} for number in some)
                settle()
            settle()

        arriving = Thread(target=arrive)
        arriving.start()
        draw = Random(0)
        left, next_line = notes, 0.0
        while time.monotonic() < end and left:
            memory.recall(_text(draw.randrange(notes), notes), use=False)
            report["recalls"] += 1
            time.sleep(_BETWEEN)
            if time.monotonic() < next_line:
                continue
            next_line = time.monotonic() + 1
            stats = memory.admin.stats()
            waiting = stats["themes"]["waiting"] + stats["vectors"]["waiting"]
            left = waiting + notes - len(memory)
            report |= {
                "notes": len(memory), "left": left, "items": index.counts.created
                + index.counts.attached, "semantics": stats["themes"]["semantics"] - first,
                "linked": index.counts.linked, "spent": sum(steps),
                "longest": max(pauses, default=0.0), "garbage": max(garbage, default=0.0),
            }  # fmt: skip
            print(json.dumps(report), flush=True)
        arriving.join()


if __name__ == "__main__":
    _own(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
