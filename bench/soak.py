"""Soak: a memory that is written and read for a long life under a budget, killed on the way.

A process of its own remembers and recalls and says every so often how it fares; this one kills it
with SIGKILL at random moments and starts it again, which opens what was left. At the end the memory
is asked with and without a sweep going on, checked and compacted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

import graphmem
from bench.drawing import COLOURS, INK, chart
from bench.life import LANGUAGES, sentence_pool
from bench.report import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HELP: Final = "a long life under max_bytes, killed on the way: bytes, memory, latencies"
TEXTS: Final = 200_000
BUDGET: Final = 64_000_000  # bytes, for so many texts
_SAMPLES: Final = 100  # of a life
_RECALL_EVERY: Final = 10  # texts
_CUE_WORDS: Final = 12  # characters of Chinese, words of English: about a question
_ASKED: Final = 400  # recalls with and without a sweep, a round
_ROUNDS: Final = 5


@dataclass(frozen=True, slots=True)
class Sample:
    """How a memory fares after some more texts; latencies and highest values are of these."""

    number: int  # of the last text
    seconds: float  # since the process began
    nodes: int
    passes: int
    live_bytes: int  # the most
    folder_bytes: int
    resident_bytes: int
    remember: tuple[float, float]  # median and 99th percentile, ms
    recall: tuple[float, float]


@dataclass(slots=True)
class Soak:
    """What came of it."""

    texts: int
    budget: int
    seconds: float = 0.0
    samples: list[Sample] = field(default_factory=list)
    kills: list[int] = field(default_factory=list)  # numbers of the last texts before them
    lost: int = 0  # texts that had been acknowledged and were gone after a kill
    faults: list[str] = field(default_factory=list)
    quiet: list[float] = field(default_factory=list)  # 99th percentiles of recall, ms
    sweeping: list[float] = field(default_factory=list)
    compacted_bytes: int = 0  # the folder at the end
    live_bytes: int = 0  # then


# -- the one that lives ------------------------------------------------------------------------


def live(folder: str, texts: int, budget: int, seed: int) -> Iterator[Sample]:
    """Remember and recall up to text number `texts`, from where `folder` left off."""
    pools = [sentence_pool(language) for language in LANGUAGES]
    every = max(10 * _RECALL_EVERY, texts // _SAMPLES)
    begun = time.monotonic()
    with graphmem.open(folder, worker="none", max_bytes=budget) as memory:
        newest = next(memory.nodes(reverse=True), None)
        first = 1 if newest is None else int(newest.session or 0) + 1
        random = Random(seed + first)
        yield _sample(memory, first - 1, begun, 0, [], [])
        remembering: list[float] = []
        recalling: list[float] = []
        most = 0
        for number in range(first, texts + 1):
            pool, blank = pools[number % 2], (" ", "")[number % 2]
            text = blank.join(random.sample(pool, random.randint(1, 4)))
            start = time.perf_counter()
            memory.remember(text, session=str(number))
            remembering.append(time.perf_counter() - start)
            if number % _RECALL_EVERY == 0:
                recalling.append(_asked(memory, random, pools))
                most = max(most, memory.admin.stats()["live_bytes"])
            if number % every == 0 or number == texts:
                yield _sample(memory, number, begun, most, remembering, recalling)
                remembering, recalling, most = [], [], 0


def _asked(memory: graphmem.Memory, random: Random, pools: Sequence[Sequence[str]]) -> float:
    """Seconds that one recall took."""
    pool = random.choice(pools)
    sentence = random.choice(pool)
    words = sentence.split()
    cue = " ".join(words[:_CUE_WORDS]) if len(words) > 1 else sentence[:_CUE_WORDS]
    start = time.perf_counter()
    memory.recall(cue, tokens=500, use=random.random() < 0.5)
    return time.perf_counter() - start


def _sample(
    memory: graphmem.Memory,
    number: int,
    begun: float,
    most: int,
    remembering: Sequence[float],
    recalling: Sequence[float],
) -> Sample:
    stats = memory.admin.stats()
    if stats["upkeep_error"]:
        raise RuntimeError(stats["upkeep_error"])
    return Sample(
        number,
        time.monotonic() - begun,
        stats["nodes"],
        stats["passes"],
        max(most, stats["live_bytes"]),
        folder_bytes(Path(str(memory.path))),
        resident_bytes(),
        _latencies(remembering),
        _latencies(recalling),
    )


def _latencies(seconds: Sequence[float]) -> tuple[float, float]:
    """Median and 99th percentile in ms; 0 of nothing."""
    if len(seconds) < 2:
        return (1000 * sum(seconds), 1000 * sum(seconds))
    cuts = quantiles(seconds, n=100, method="inclusive")
    return 1000 * cuts[49], 1000 * cuts[98]


def folder_bytes(folder: Path) -> int:
    """Bytes of the files of a folder; one that goes meanwhile counts for nothing."""
    total = 0
    for place, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.stat(os.path.join(place, name)).st_size
            except FileNotFoundError:
                continue
    return total


def resident_bytes() -> int:
    """This process's resident memory (Linux)."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


# -- the one that kills ------------------------------------------------------------------------


def soak(
    folder: Path, texts: int, budget: int, kills: int, seed: int = 7, rounds: int = _ROUNDS
) -> Soak:
    """Have a memory live in `folder`, kill it `kills` times on the way, and judge the end.

    rounds: of recalls at the end, for the median of their latencies.
    """
    random, result = Random(seed), Soak(texts, budget)
    places = range(texts // 20, texts)
    at = sorted(random.sample(places, min(kills, len(places))))
    begun = time.monotonic()
    done = 0
    while done < texts:
        with subprocess.Popen(
            [sys.executable, "-m", "bench", "soak", "--live", str(folder),
             "--texts", str(texts), "--budget", str(budget)],
            stdout=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            assert process.stdout is not None
            opened = True
            for line in process.stdout:
                sample = _read(line)
                if opened:
                    result.lost += max(0, done - sample.number)
                    opened = False
                else:
                    result.samples.append(sample)
                done = sample.number
                _report(sample, texts)
                if at and done >= at[0] and done < texts:
                    del at[0]
                    time.sleep(random.random() / 10)  # anywhere in what comes next
                    process.kill()
                    result.kills.append(done)
                    break
        if process.returncode not in (0, -9):
            raise RuntimeError(f"the memory in {folder} ended with status {process.returncode}")
    result.seconds = time.monotonic() - begun
    _judge(folder, result, random, rounds)
    return result


def _read(line: str) -> Sample:
    values = json.loads(line)
    return Sample(**{**values, "remember": tuple(values["remember"]),
                     "recall": tuple(values["recall"])})  # fmt: skip


def _report(sample: Sample, texts: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if sample.number == texts else ""
        print(f"\r{sample.number:,} of {texts:,} texts", end=end, file=sys.stderr, flush=True)


def _judge(folder: Path, result: Soak, random: Random, rounds: int) -> None:
    pools = [sentence_pool(language) for language in LANGUAGES]
    with graphmem.open(
        folder, worker="none", tuning=graphmem.Tuning(archive_bytes=16 << 20)
    ) as memory:
        for _ in range(rounds):
            result.quiet.append(_round(memory, random, pools))
            stop = Event()
            thread = Thread(target=_sweep_on, args=(memory, stop))
            thread.start()
            result.sweeping.append(_round(memory, random, pools))
            stop.set()
            thread.join()
        result.faults = memory.admin.check()
        memory.admin.compact()
        result.live_bytes = (
            memory.admin.stats()["live_bytes"] + memory.admin.stats()["archive_bytes"]
        )
    result.compacted_bytes = folder_bytes(folder)


def _round(memory: graphmem.Memory, random: Random, pools: Sequence[Sequence[str]]) -> float:
    return _latencies([_asked(memory, random, pools) for _ in range(_ASKED)])[1]


def _sweep_on(memory: graphmem.Memory, stop: Event) -> None:
    while not stop.is_set():
        memory.sweep(seconds=1.0)


# -- rows and drawing --------------------------------------------------------------------------


def rows(result: Soak) -> list[Row]:
    """The soak in numbers."""
    samples = result.samples
    steady = samples[len(samples) // 2 :]
    mega = 1e6
    resident = [sample.resident_bytes / mega for sample in steady]
    halves = resident[: len(resident) // 2 or 1], resident[len(resident) // 2 :]
    found = (
        ("texts", result.texts, "texts"),
        ("time", result.seconds, "s"),
        ("kills", len(result.kills), "kills"),
        ("acknowledged_texts_lost", result.lost, "texts"),
        ("faults", len(result.faults), "faults"),
        ("passes", samples[-1].passes, "passes"),
        ("nodes", samples[-1].nodes, "nodes"),
        ("budget", result.budget / mega, "MB"),
        ("live_most", max(s.live_bytes for s in samples) / result.budget, "× budget"),
        ("folder_most", max(s.folder_bytes for s in samples) / mega, "MB"),
        ("folder_compacted", result.compacted_bytes / mega, "MB"),
        ("folder_compacted_of_live", result.compacted_bytes / result.live_bytes, "×"),
        ("resident_most", max(s.resident_bytes for s in samples) / mega, "MB"),
        ("resident_growth", sum(halves[1]) / len(halves[1]) - sum(halves[0]) / len(halves[0]),
         "MB, 4th against 3rd quarter"),
        ("remember_p50", median([s.remember[0] for s in steady]), "ms"),
        ("remember_p99", median([s.remember[1] for s in steady]), "ms"),
        ("recall_p50", median([s.recall[0] for s in steady]), "ms"),
        ("recall_p99", median([s.recall[1] for s in steady]), "ms"),
        ("recall_p99_quiet", median(result.quiet), "ms"),
        ("recall_p99_sweeping", median(result.sweeping), "ms"),
    )  # fmt: skip
    return [Row("soak", "journals", "graphmem", *each) for each in found]


def draw(result: Soak, path: str) -> None:
    """Draw how it fared over its life."""
    with chart(path, 2, 2, (9.6, 6.8)) as axes:
        _lines(axes[0], result, "Bytes, MB", {
            "folder": [s.folder_bytes / 1e6 for s in result.samples],
            "live": [s.live_bytes / 1e6 for s in result.samples],
        })  # fmt: skip
        axes[0].axhline(result.budget / 1e6, color=INK, linewidth=1, linestyle=":")
        _lines(axes[1], result, "Resident memory, MB", {
            "": [s.resident_bytes / 1e6 for s in result.samples],
        })  # fmt: skip
        for axis, name in ((axes[2], "remember"), (axes[3], "recall")):
            pairs = [getattr(s, name) for s in result.samples]
            _lines(axis, result, f"{name}, ms", {
                "99th percentile": [pair[1] for pair in pairs],
                "median": [pair[0] for pair in pairs],
            })  # fmt: skip


def _lines(axis: Axes, result: Soak, title: str, curves: dict[str, list[float]]) -> None:
    for (name, values), colour in zip(curves.items(), COLOURS, strict=False):
        numbers = [sample.number / 1000 for sample in result.samples]
        axis.plot(numbers, values, color=colour, linewidth=1.4, label=name)
    for number in result.kills:
        axis.axvline(number / 1000, color=COLOURS[-1], linewidth=0.5)
    if len(curves) > 1:
        axis.legend(frameon=False, loc="best")
    axis.set(title=title, xlabel="texts, thousand (lines: killed)")
    axis.set_ylim(0, None)


# -- command -----------------------------------------------------------------------------------


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument(
        "--texts", type=int, default=2000, help=f"to remember (%(default)s; in full {TEXTS:,})"
    )
    parser.add_argument(
        "--budget", type=int, help=f"max_bytes; by default {BUDGET:,} for {TEXTS:,} texts, in share"
    )
    parser.add_argument("--kills", type=int, default=10, help="on the way (%(default)s)")
    parser.add_argument("--folder", help="an empty folder to live in; else a temporary one")
    parser.add_argument("--svg", metavar="FILE", help="draw the life into FILE")
    parser.add_argument("--live", metavar="FOLDER", help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> list[Row]:
    """Soak, draw, and return the numbers."""
    texts = arguments.texts
    budget = arguments.budget or max(1 << 20, BUDGET * texts // TEXTS)
    if arguments.live is not None:
        for sample in live(arguments.live, texts, budget, seed=7):
            print(json.dumps(asdict(sample)), flush=True)
        raise SystemExit(0)
    with TemporaryDirectory() as place:
        folder = Path(arguments.folder or place) / "memory"
        result = soak(folder, texts, budget, arguments.kills)
    if arguments.svg is not None:
        draw(result, arguments.svg)
    return rows(result)
