"""Recall: does the right memory come back, and does the graph earn its keep?

Every turn is remembered through the public interface, in order; questions are asked with
`use=False`, at the time of the last turn. One memory for each conversation; for MemoryBank also one
for all its users (`…-one-memory`), without a word in the question on who asks. Evidence recall is
the share of a question's evidence turns that came back, averaged over questions; `R@1000t` counts
those in a text of at most 1,000 tokens. `_low` and `_high` are the bootstrap's 95 % interval.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime
from math import log2
from random import Random
from statistics import fmean, quantiles
from typing import Any, Final

import graphmem
from bench import baselines
from bench.corpora import Conversation, Question, read, with_one_memory
from bench.report import Row
from graphmem.recalling.context import estimated_tokens, fitting, line

HELP: Final = "evidence recall over conversations, beside BM25 and with parts switched off"
_NO_GRAPH: Final = {"activation_weight": 0.0}
METHODS: Final[dict[str, dict[str, Any]]] = {
    "graphmem": {},
    "graphmem-no-graph": _NO_GRAPH,
    "graphmem-no-session": {"session_weight": 0.0},
    "graphmem-no-speaker": {"speaker_weight": 0.0},
    "graphmem-no-time": {"time_weight": 0.0},
    # With vectors: graphmem-no-vectors, vectors, hybrid-0.7-0.3, rrf.
    "bm25": {
        **_NO_GRAPH,
        **dict.fromkeys(("session_weight", "speaker_weight", "time_weight", "use_weight"), 0.0),
        "focus_weight": 0.0,
    },
    "seed-focus": {},
    "graphmem-vectors": {},
    **{name: {} for name in baselines.BASELINES},
}
_WITH_VECTORS: Final = frozenset(("graphmem-vectors", *baselines.BASELINES))
_DEPTHS: Final = (5, 10, 25)
_BUDGETS: Final = (500, 1000, 2000, 4000)
_RESAMPLES: Final = 1000
_WITH_INTERVAL: Final = ("R@5", "R@10", "R@1000t")

Scores = dict[str, list[float]]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("paths", nargs="*", help="LoCoMo or MemoryBank files; none: data/")
    parser.add_argument("--method", action="append", choices=tuple(METHODS), help="only these")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure every method over every file."""
    try:
        conversations = with_one_memory(read(arguments.paths))
    except FileNotFoundError as error:
        print(f"skipped: {error.filename} is not there", file=sys.stderr)
        return []
    rows: list[Row] = []
    for method in arguments.method or METHODS:
        if method in _WITH_VECTORS and baselines.embedder() is None:
            print(f"skipped: {method} needs the extra `vectors`", file=sys.stderr)
            continue
        scores: defaultdict[tuple[str, str], Scores] = defaultdict(lambda: defaultdict(list))
        for conversation in conversations:
            print(f"{method}: {conversation.name}", file=sys.stderr)
            _measure(method, conversation, scores)
        for (dataset, metric_group), values in scores.items():
            rows += _rows(f"{dataset}/{metric_group}", method, values)
    return rows


def _measure(
    method: str, conversation: Conversation, scores: defaultdict[tuple[str, str], Scores]
) -> None:
    dataset = f"{conversation.dataset}/{conversation.language}"
    now = max(datetime.fromisoformat(turn.happened) for turn in conversation.turns)
    embedder = baselines.embedder() if method in _WITH_VECTORS else None
    with graphmem.open(
        None,
        worker="none",
        embedder=embedder,
        vector_patience=60.0,
        clock=lambda: now,
        **METHODS[method],
    ) as memory:
        turn_of: dict[int, str] = {}
        begun = time.perf_counter()
        for turn in conversation.turns:
            nodes = memory.remember(
                turn.text, speaker=turn.speaker, happened=turn.happened, session=turn.session
            )
            turn_of |= {node.id: turn.id for node in nodes}
        rate = len(conversation.turns) / (time.perf_counter() - begun)
        scores[dataset, "all"]["remembers_per_s"].append(rate)
        if embedder is not None and memory.enrich():
            raise RuntimeError(f"not all texts were embedded: {memory.stats()['vectors']}")
        for question in conversation.questions:
            for name, value in _ask(memory, method, question, turn_of):
                scores[dataset, "all"][name].append(value)
                scores[dataset, question.category][name].append(value)


def _ask(
    memory: graphmem.Memory, method: str, question: Question, turn_of: dict[int, str]
) -> Iterable[tuple[str, float]]:
    mode: Any = "focus" if method == "seed-focus" else "activation"
    ranked = baselines.BASELINES.get(method)
    begun = time.perf_counter()
    if ranked is not None:
        nodes = ranked(memory, question.text)
    else:
        found = memory.recall(question.text, limit=max(_DEPTHS), use=False, mode=mode)
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
            lines = [line(memory[node]) for node in nodes[: budget // 4]]
            fit = fitting(lines, budget, estimated_tokens)
            yield f"R@{budget}t", _share(question, (turn_of[nodes[place]] for place in fit))
            continue
        text = memory.recall(question.text, tokens=budget, use=False, mode=mode)
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
