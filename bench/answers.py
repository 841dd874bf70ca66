"""Answers: would a person accept what comes back? Over `data/answers`, `changes` and `lookalikes`.

Each language is one memory, its texts remembered in order by a clock that stands at their date;
questions are asked with `use=False` at the time that they name. `first`, `first3`: all evidence
among the first one or three hits (as much of it as fits); `t300`: share of it in a text of 300
tokens; `first3_share`, `first10_share`: share among the first hits; `lost`: answerable questions
that get nothing. For absent answers `empty`: nothing comes back. For the exact: `precision`,
`recall` of all that comes back without a limit. `changes`: the newest value first, and the right
one for "before" and for a date; `lookalikes`: pairs of which one is taken for what was so before.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import Any, Final

import graphmem
from bench import embedded
from bench.corpora import DATA
from bench.keeping import Clock
from bench.report import Row
from graphmem.services.embedder import Embedder
from graphmem.settings import Ranking

_BEGIN: Final = datetime(2025, 1, 1, tzinfo=UTC)
HELP: Final = "answers that a person would accept: changed facts, days, languages, absent answers"
_EVERYTHING: Final = 1000  # hits
_LANGUAGES: Final = ("en", "zh")
_METHODS: Final[dict[str, dict[str, Any]]] = {
    "graphmem": {},
    "graphmem-no-vectors": {},
    "graphmem-no-currency": {"ranking": Ranking(currency=False)},
}

Scores = defaultdict[tuple[str, str], list[float]]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--method", action="append", choices=tuple(_METHODS), help="only these")
    parser.add_argument("--language", action="append", choices=_LANGUAGES, help="only these")
    parser.add_argument(
        "--show", type=int, default=0, metavar="N", help="print N recalls a language whole"
    )
    parser.add_argument("--failures", action="store_true", help="print what was not answered")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure every method over every file."""
    embedder = embedded.embedder()
    rows: list[Row] = []
    for method in arguments.method or _METHODS:
        with_vectors = None if method == "graphmem-no-vectors" else embedder
        if with_vectors is None and method != "graphmem-no-vectors":
            continue
        for language in arguments.language or _LANGUAGES:
            scores: Scores = defaultdict(list)
            _answers(language, method, with_vectors, scores, arguments.failures, arguments.show)
            _changes(language, method, with_vectors, scores, arguments.failures)
            _lookalikes(language, method, with_vectors, scores, arguments.failures)
            for (kind, metric), values in scores.items():
                name = f"answers/{language}/{kind}"
                rows.append(Row("answers", name, method, metric, fmean(values), "share"))
    return rows


def _rows_of(name: str, language: str) -> list[dict[str, Any]]:
    path = DATA / f"{name}.{language}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _opened(method: str, clock: Clock, embedder: Embedder | None) -> graphmem.Memory:
    return graphmem.open(
        worker="none",
        clock=clock,
        embedder=embedder,
        tuning=graphmem.Tuning(vector_patience=60.0, **_METHODS[method]),
    )


def _moment(text: str) -> datetime:
    """A date or date-time; a plain date at noon of UTC."""
    return datetime.fromisoformat(text if "T" in text else f"{text}T12:00:00+00:00")


def _answers(
    language: str,
    method: str,
    embedder: Embedder | None,
    scores: Scores,
    failures: bool,
    shown: int,
) -> None:
    rows = _rows_of("answers", language)
    clock = Clock(_BEGIN)
    source: dict[int, str] = {}
    with _opened(method, clock, embedder) as memory:
        for row in rows:
            if "text" not in row:
                continue
            if row["happened"] is not None:
                clock.now = _moment(row["happened"])
            nodes = memory.remember(
                row["text"],
                speaker=row["speaker"],
                happened=row["happened"],
                session=row["session"],
            )
            source |= {node.id: row["id"] for node in nodes}
        memory.admin.enrich()
        questions = [row for row in rows if "question" in row]
        for place in range(min(shown, len(questions))):
            row = questions[place * len(questions) // shown]
            clock.now = _moment(row["asked"])
            found = memory.recall(row["question"], use=False, tokens=300)
            print(f"\n[{row['kind']}] {row['question']} (answer: {row['answer']})")
            print(f"answered {found.answered:.2f}\n{found.text or '(nothing)'}")
        for row in rows:
            if "question" in row:
                clock.now = _moment(row["asked"])
                for metric, value in _ask(memory, row, source):
                    scores[row["kind"], metric].append(value)
                    if row["kind"] != "absent":
                        scores["all", metric].append(value)
                    if failures and metric in ("first3", "empty") and not value:
                        found = memory.recall(row["question"], use=False, limit=3)
                        print(row["kind"], row["question"], "|", row["answer"], row["evidence"])
                        for hit in found:
                            print("   ", source[hit.id], f"{hit.score:.2f}", hit.text[:90])


def _ask(
    memory: graphmem.Memory, row: dict[str, Any], source: dict[int, str]
) -> Iterator[tuple[str, float]]:
    wanted = set(row["evidence"])
    found = memory.recall(row["question"], use=False, limit=_EVERYTHING)
    ids = list(dict.fromkeys(source[hit.id] for hit in found))
    if not wanted:
        yield "empty", float(not ids)
        return
    yield "lost", float(not ids)
    for name, count in (("first", 1), ("first3", 3)):
        yield name, float(len(wanted.intersection(ids[:count])) == min(count, len(wanted)))
    for count in (3, 10):
        yield f"first{count}_share", len(wanted.intersection(ids[:count])) / len(wanted)
    text = memory.recall(row["question"], use=False, tokens=300)
    included = {source[node] for node in text.included}
    yield "t300", len(wanted & included) / len(wanted)
    if row["kind"] == "exact":
        yield "precision", len(wanted.intersection(ids)) / len(ids) if ids else 0.0
        yield "recall", len(wanted.intersection(ids)) / len(wanted)


def _changes(
    language: str, method: str, embedder: Embedder | None, scores: Scores, failures: bool
) -> None:
    """All facts in one memory, in the order of time: each is the small talk of the others."""
    facts = _rows_of("changes", language)
    notes = sorted(
        (_moment(value["happened"]), value["text"]) for fact in facts for value in fact["values"]
    )
    clock = Clock(_BEGIN)
    with _opened(method, clock, embedder) as memory:
        for when, text in notes:
            clock.now = when
            memory.remember(text)
        memory.admin.enrich()
        clock.now = notes[-1][0] + timedelta(days=30)
        for fact in facts:
            texts = [value["text"] for value in fact["values"]]
            at = fact.get("at")
            right = [v["text"] for v in fact["values"] if at and v["value"] == at["value"]]
            for metric, cue, answers in (
                ("now", fact["now"], texts[-1:]),
                ("before", fact["before"], texts[-2:-1]),
                ("at", at["question"] if at else None, right),
            ):
                if cue:
                    hits = memory.recall(cue, use=False, limit=3)
                    first = _whole(memory, hits)
                    scores["changes", metric].append(float(first in answers))
                    known = {*texts}.intersection(hit.text for hit in hits)
                    scores["changes", f"{metric}_among3"].append(float(bool(known)))
                    if failures and first not in answers:
                        print("change", metric, cue, "|", answers, "|", first)


def _whole(memory: graphmem.Memory, hits: Sequence[graphmem.Hit]) -> str | None:
    return hits[0].text if hits else None


def _lookalikes(
    language: str, method: str, embedder: Embedder | None, scores: Scores, failures: bool
) -> None:
    pairs = _rows_of("lookalikes", language)
    clock = Clock(_BEGIN)
    with _opened(method, clock, embedder) as memory:
        nodes = []
        for pair in pairs:
            some = []
            for text in (pair["first"], pair["second"]):
                clock.now += timedelta(days=3)
                some.append(memory.remember(text)[0].id)
            nodes.append(some)
        memory.admin.enrich()
        for pair, (first, second) in zip(pairs, nodes, strict=True):
            demoted = False
            for cue in (pair["first"], pair["second"]):
                for hit in memory.recall(cue, use=False, limit=20, cut="none"):
                    demoted |= {hit.id, *hit.earlier} >= {first, second}
            scores["lookalikes", "demoted"].append(float(demoted))
            if failures and demoted:
                print("demoted", pair["first"], "|", pair["second"])
