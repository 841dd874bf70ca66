"""A life under the rules of forgetting: texts every day, one sweep a day, a fifth of them used.

Everything goes through the public interface; days are passes. Texts are sentences of the journals
in `data/`, recombined so that none repeats; the session names each one's day and number. What
became of a node is read out of its history when the life is over.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import TYPE_CHECKING, Final

import graphmem
from bench import keeping
from bench.drawing import INK, chart
from bench.report import Row
from graphmem_worker.text.sentences import sentences

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HELP: Final = "a simulated life: who is shortened and forgotten when, and what it all comes to"
DATA: Final = Path(__file__).parents[1] / "data"
LANGUAGES: Final = {"en": "English", "zh": "Chinese"}
STAGES: Final = ("shorter", "gist", "forgotten")
_START: Final = datetime(2026, 1, 1, 8, tzinfo=UTC)
_FOLD_DAYS: Final = 10
_DANGLING_DAYS: Final = 20  # counting the dangling links means reading every link


@dataclass(frozen=True, slots=True)
class Plan:
    """What a life consists of."""

    days: int = 400
    texts: int = 5  # a day, in each language
    used: float = 0.2  # share of the texts that are used, and then half of these again and again
    gap: int = 30  # days at most from remembering to a use, and from one use to the next
    hub: tuple[int, int] = (100, 200)  # days in which one node is used every day
    seed: int = 7


@dataclass(slots=True)
class Trace:
    """One node's life, in days (passes) since it was remembered."""

    language: str
    node: int
    born: int
    uses: int = 0
    ages: dict[str, int] = field(default_factory=dict)  # stage → age at which it was reached

    def stage(self, age: int) -> int:
        """How far it had gone at an age: 0 whole, 1 shorter, 2 gist, 3 forgotten."""
        return max(
            (i for i, s in enumerate(STAGES, 1) if self.ages.get(s, age + 1) <= age), default=0
        )


@dataclass(frozen=True, slots=True)
class Day:
    """The memory at the end of a day."""

    day: int
    nodes: int
    tombstones: int
    links: int
    dangling: int | None  # None on days on which they were not counted
    text_bytes: int
    live_bytes: int
    hub: float | None  # importance


@dataclass(frozen=True, slots=True)
class Life:
    """What came of a plan."""

    plan: Plan
    traces: list[Trace]
    days: list[Day]
    faults: list[str]  # of `Memory.check` at the end

    def cohort(self, language: str, uses: Callable[[int], bool]) -> list[Trace]:
        """The nodes that could grow old: born in the first half."""
        half = self.plan.days // 2
        return [t for t in self.traces if t.born < half and t.language == language and uses(t.uses)]


def sentence_pool(language: str) -> list[str]:
    """The sentences of the journal."""
    lines = (DATA / f"journal.{language}.jsonl").read_text("utf-8").splitlines()
    return [s.strip() for line in lines for s in sentences(json.loads(line)["text"])]


def texts(language: str, random: Random) -> Iterator[str]:
    """Endless texts of one to four sentences of the journal, no two alike."""
    pool = sentence_pool(language)
    seen: set[str] = set()
    while True:
        text = (" " if language == "en" else "").join(random.sample(pool, random.randint(1, 4)))
        if text not in seen:
            seen.add(text)
            yield text


def live(plan: Plan, report: Callable[[int], None] = lambda day: None) -> Life:
    """Live through a plan in a memory of its own; `tell` is called after each day."""
    random = Random(plan.seed)
    now = _START
    sources = {language: texts(language, random) for language in LANGUAGES}
    traces: dict[int, Trace] = {}
    to_use: dict[int, list[int]] = {}
    days: list[Day] = []
    hub: int | None = None

    def remember(memory: graphmem.Memory, language: str, day: int, number: int) -> int:
        session = f"day {day} no. {number}"
        nodes = memory.remember(next(sources[language]), session=session)
        for node in nodes:
            traces[node.id] = Trace(language, node.id, day)
        return nodes[0].id

    def plan_use(node: int, day: int) -> None:
        to_use.setdefault(day + random.randint(1, plan.gap), []).append(node)

    with graphmem.open(
        None,
        worker="none",
        tuning=graphmem.Tuning(forgetting="passes", archive_bytes=1 << 32, fold_documents=1 << 20),
        clock=lambda: now,
        random=random,
        # the histories are read at the end
        # folded below, on days that do not depend on the machine
    ) as memory:
        for day in range(plan.days):
            now = _START + timedelta(days=day)
            for number in range(plan.texts):
                for language in LANGUAGES:
                    node = remember(memory, language, day, number)
                    if random.random() < plan.used:
                        plan_use(node, day)
            if day == plan.hub[0]:
                hub = next(iter(memory.graph.focus)).id
                del traces[hub]
            for node in to_use.pop(day, []):
                if node != hub and node in memory:
                    memory.used(node)
                    traces[node].uses += 1
                    if random.random() < 0.5:
                        plan_use(node, day)
            if hub is not None and day < plan.hub[1]:
                memory.used(hub)
            memory.sweep(seconds=3600)
            if day % _FOLD_DAYS == 0:
                memory.admin.compact()
            days.append(_day(memory, day, hub))
            report(day)
        for trace in traces.values():
            _read_history(memory, trace)
        return Life(plan, list(traces.values()), days, memory.admin.check())


def _day(memory: graphmem.Memory, day: int, hub: int | None) -> Day:
    stats = memory.admin.stats()
    dangling = None
    if day % _DANGLING_DAYS == 0:
        dangling = sum(len(memory.graph.links(node).dangling) for node in memory)
    return Day(
        day,
        stats["nodes"],
        stats["tombstones"],
        stats["links"],
        dangling,
        stats["text_bytes"],
        stats["live_bytes"],
        memory.graph.importance(hub) if hub is not None and hub in memory else None,
    )


def _read_history(memory: graphmem.Memory, trace: Trace) -> None:
    begun = _START + timedelta(days=trace.born)
    history = memory.history.of(trace.node)
    for version in history:
        if version.ended is not None and version.why == "faded":
            trace.ages["forgotten"] = (version.ended - begun).days
    for before, after in pairwise(history):
        if before.ended is not None:
            stage = "gist" if after.node.form is graphmem.Form.GIST else "shorter"
            trace.ages.setdefault(stage, (before.ended - begun).days)


# -- rows -------------------------------------------------------------------------------------

USES: Final[dict[str, Callable[[int], bool]]] = {
    "never used": lambda uses: uses == 0,
    "used once": lambda uses: uses == 1,
    "used 3 times or more": lambda uses: uses >= 3,
}
# Of a node that is still there the age is unknown, only that it is above all others.
_NEVER: Final = 1 << 30


def ages(traces: Iterable[Trace], stage: str) -> list[int]:
    """The ages at which nodes reached a stage or a later one, ascending."""
    later = STAGES[STAGES.index(stage) :]
    return sorted(min(t.ages.get(s, _NEVER) for s in later) for t in traces)


def median(values: Sequence[int]) -> float:
    """The median of ages."""
    return quantiles(values, n=2)[0]


def rows(life: Life) -> list[Row]:
    """The life in numbers."""
    found: list[Row] = []
    for language, name in LANGUAGES.items():
        for method, uses in USES.items():
            traces = life.cohort(language, uses)
            found.append(Row("life", name, method, "nodes", len(traces), "nodes"))
            for stage in STAGES:
                reached = ages(traces, stage)
                for metric, value in zip(
                    (f"{stage}_p05", f"{stage}_p50", f"{stage}_p95"),
                    quantiles(reached, n=20)[::9],
                    strict=True,
                ):
                    if value < life.plan.days:
                        found.append(Row("life", name, method, metric, value, "passes"))
            for age in range(0, life.plan.days // 2 + 1, 20):
                for place, stage in enumerate(("whole", *STAGES)):
                    share = sum(t.stage(age) == place for t in traces) / max(1, len(traces))
                    found.append(Row("life", name, method, f"{stage}@{age}", share, "share"))
    last, counted = life.days[-1], [d for d in life.days if d.dangling is not None]
    for metric, value, unit in (
        ("texts_a_day", life.plan.texts * len(LANGUAGES), "texts"),
        ("nodes_at_end", last.nodes, "nodes"),
        ("tombstones_at_end", last.tombstones, "tombstones"),
        ("tombstones_most", max(d.tombstones for d in life.days), "tombstones"),
        ("links_at_end", last.links, "links"),
        ("dangling_most", max(d.dangling or 0 for d in counted), "links"),
        ("text_bytes_at_end", last.text_bytes, "bytes"),
        ("live_bytes_at_end", last.live_bytes, "bytes"),
        ("hub_passes_after_use", _hub_passes(life), "passes"),
        ("faults", len(life.faults), "faults"),
    ):
        found.append(Row("life", "both", "all", metric, value, unit))
    return found


def _hub_passes(life: Life) -> int:
    return sum(d.hub is not None for d in life.days if d.day >= life.plan.hub[1])


# -- drawing ----------------------------------------------------------------------------------

_COLOURS: Final = {
    "whole": "#2f81b7",
    "shorter": "#4fa88f",
    "gist": "#d19a2e",
    "forgotten": "#8d8d9433",
}
_LINES: Final = dict(zip(USES, ("#8b7bd0", "#2f9bd0", "#d1762e"), strict=True))


def draw(life: Life, path: str) -> None:
    """Draw the curves of a life as SVG, or what the ending of `path` says."""
    with chart(path, 3, 2, (9.6, 10.2)) as axes:
        for axis, (language, name) in zip(axes[:2], LANGUAGES.items(), strict=True):
            _draw_forms(axis, life, language, name)
        _draw_use(axes[2], life)
        _draw_hub(axes[3], life)
        _draw_counts(axes[4], life)
        _draw_bytes(axes[5], life)


def _draw_forms(axis: Axes, life: Life, language: str, name: str) -> None:
    traces = life.cohort(language, USES["never used"])
    span = range(min(life.plan.days // 2, 140) + 1)
    stages = [[trace.stage(age) for trace in traces] for age in span]
    shares = [[100 * at.count(i) / len(traces) for at in stages] for i in range(4)]
    names = ("whole", *STAGES)
    axis.stackplot(span, shares, colors=[_COLOURS[n] for n in names], linewidth=0)
    for place, stage in enumerate(names):
        # The label stands where its band is widest, at the height that leaves most room.
        height = (20, 55, 40, 60)[place]
        inside = [
            age
            for age in span
            if sum(shares[i][age] for i in range(place)) <= height
            and sum(shares[i][age] for i in range(place + 1)) > height
        ]
        if inside:
            axis.text(
                (inside[0] + inside[-1]) / 2,
                height,
                stage,
                color=INK if stage == "forgotten" else "white",
                ha="center",
                va="center",
                weight="bold",
                rotation=90 if inside[-1] - inside[0] < 0.2 * len(span) else 0,
            )
    axis.set(
        title=f"{name}, never used: what is left",
        xlabel="age in passes",
        ylabel="share of nodes, %",
        xlim=(0, span[-1]),
        ylim=(0, 100),
    )


def _draw_use(axis: Axes, life: Life) -> None:
    span = range(life.plan.days // 2 + 1)
    for (method, uses), height in zip(USES.items(), (66, 54, 42), strict=True):
        for language, dash in zip(LANGUAGES, ("-", "--"), strict=True):
            traces = life.cohort(language, uses)
            left = [100 * sum(t.stage(age) < 3 for t in traces) / len(traces) for age in span]
            axis.plot(span, left, dash, color=_LINES[method], linewidth=1.8)
        axis.text(4, height, method, color=_LINES[method], weight="bold")
    axis.text(4, 6, "solid: English\ndashed: Chinese")
    axis.set(
        title="Not forgotten yet, by use",
        xlabel="age in passes",
        ylabel="share of nodes, %",
        xlim=(0, span[-1]),
        ylim=(0, 103),
    )


def _draw_hub(axis: Axes, life: Life) -> None:
    begin, end = life.plan.hub
    seen = [(d.day, d.hub) for d in life.days if d.hub is not None]
    axis.plot(*zip(*seen, strict=True), color=_LINES["used 3 times or more"], linewidth=1.8)
    axis.axvspan(begin, end, color=_COLOURS["forgotten"], linewidth=0)
    axis.text((begin + end) / 2, 2.0, "used\nevery day", ha="center", va="center")
    last = seen[-1]
    if last[0] < life.days[-1].day:
        axis.annotate(
            f"forgotten {last[0] + 1 - end} passes\nafter its last use",
            last,
            (life.plan.days * 0.7, 1.2),
            arrowprops={"arrowstyle": "-", "color": INK},
        )
    axis.set(
        title=f"A hub: used for {end - begin} days, then never again",
        xlabel="day",
        ylabel="importance",
        xlim=(0, life.plan.days),
        ylim=(0, 4.3),
    )


def _draw_counts(axis: Axes, life: Life) -> None:
    counted = [d for d in life.days if d.dangling is not None]
    curves: tuple[tuple[str, list[tuple[int, int]], str], ...] = (
        ("nodes", [(d.day, d.nodes) for d in life.days], _COLOURS["whole"]),
        (
            "dangling links",
            [(d.day, d.dangling or 0) for d in counted],
            _LINES["used 3 times or more"],
        ),
        ("tombstones", [(d.day, d.tombstones) for d in life.days], _LINES["never used"]),
    )
    for name, points, colour in curves:
        axis.plot(*zip(*points, strict=True), color=colour, linewidth=1.8)
        at = max(points, key=lambda point: point[1])
        where = points[len(points) // 5] if name == "nodes" else at
        axis.annotate(
            name,
            where,
            (-6, 3) if name == "nodes" else (0, 4),
            textcoords="offset points",
            color=colour,
            ha="right" if name == "nodes" else "center",
            va="bottom",
            weight="bold",
        )
    axis.set(
        title=f"What there is ({life.plan.texts * len(LANGUAGES)} texts a day)",
        xlabel="day",
        ylabel="count",
        xlim=(0, life.plan.days),
    )
    axis.set_ylim(0, 1.1 * max(value for _, points, _ in curves for _, value in points))


def _draw_bytes(axis: Axes, life: Life) -> None:
    days = [d.day for d in life.days]
    for name, values, colour in (
        ("all live bytes", [d.live_bytes / 1e6 for d in life.days], _COLOURS["shorter"]),
        ("text alone", [d.text_bytes / 1e6 for d in life.days], _COLOURS["gist"]),
    ):
        axis.plot(days, values, color=colour, linewidth=1.8)
        axis.annotate(
            name,
            (days[-1], max(values)),
            (-4, 4),
            textcoords="offset points",
            color=colour,
            ha="right",
            va="bottom",
            weight="bold",
        )
    axis.set(title="Bytes", xlabel="day", ylabel="MB", xlim=(0, life.plan.days))
    axis.set_ylim(0, 1.1 * max(d.live_bytes for d in life.days) / 1e6)


# -- command ----------------------------------------------------------------------------------


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of this bench."""
    usual = Plan()
    parser.add_argument("--days", type=int, default=usual.days, help="days to live (%(default)s)")
    parser.add_argument(
        "--texts", type=int, default=usual.texts, help="a day, in each language (%(default)s)"
    )
    parser.add_argument("--svg", metavar="FILE", help="draw the curves into FILE")
    parser.add_argument(
        "--replay",
        nargs=2,
        metavar=("JOURNAL", "QUESTIONS"),
        help="what a journal's answers become",
    )
    parser.add_argument("--years", metavar="FACTS", help="what facts given once become in years")
    parser.add_argument("--filler", nargs="*", default=(), metavar="FILE", help="notes beside them")
    parser.add_argument("--notes", type=int, default=20_000, help="so many (%(default)s)")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Live, draw, and return the numbers."""
    if arguments.replay is not None:
        return keeping.replay(*map(Path, arguments.replay))
    if arguments.years is not None:
        facts = tuple(keeping.lines(Path(arguments.years)))
        return keeping.years(keeping.Years(facts, tuple(arguments.filler), arguments.notes))
    if arguments.days < 100 or arguments.texts < 1:
        raise SystemExit("a life has at least 100 days of at least one text")
    quarter = arguments.days // 4
    plan = Plan(days=arguments.days, texts=arguments.texts, hub=(quarter, 2 * quarter))

    def report(day: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if day == plan.days - 1 else ""
            print(f"\rday {day + 1} of {plan.days}", end=end, file=sys.stderr, flush=True)

    life = live(plan, report)
    if arguments.svg is not None:
        draw(life, arguments.svg)
    return rows(life)
