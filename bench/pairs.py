"""Pairs: what a newer note says of an older one, on notes by writers who have not seen the rules.

`pairs.*.jsonl` has two notes a row and a question; of kind `ends`, `states` or `protects` the
second takes the place of the first, of kind `person`, `thing` or `adds` both hold. Each pair is
remembered in a memory of its own, among notes of other pairs. `changes.*.jsonl` has facts that
changed, all of a file in one memory. Only totals are printed.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import graphmem
from bench import embedded
from bench.corpora import DATA
from bench.keeping import Clock
from bench.report import Row
from graphmem.services.embedder import Embedder

_BEGIN: Final = datetime(2025, 1, 1, tzinfo=UTC)
HELP: Final = "what is marked as outdated, on pairs of notes by other writers"
_REPLACED: Final = frozenset(("ends", "states", "protects"))
_BESIDE: Final = 6  # notes of other pairs
_HITS: Final = 10
_TOKENS: Final = 300
_LATER: Final = timedelta(days=20)  # after the last note, when is asked


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("paths", nargs="*", metavar="FOLDER", help="of a writer; without, all")
    parser.add_argument("--vectors", action="store_true", help="with vectors")
    parser.add_argument(
        "--patience", type=float, default=60.0, metavar="SECONDS",
        help="for which `remember` looks for what a note may replace",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure every file of every writer."""
    embedder = embedded.embedder() if arguments.vectors else None
    method = "words" if embedder is None else "vectors"
    rows: list[Row] = []
    for folder in map(Path, arguments.paths or sorted((DATA / "writers").iterdir())):
        for path in sorted((*folder.glob("pairs.*.jsonl"), *folder.glob("changes.*.jsonl"))):
            found = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
            measure = _pairs if path.name.startswith("pairs") else _changes
            for name, (value, unit) in measure(found, embedder, arguments.patience).items():
                dataset = f"{folder.name}/{path.name.removesuffix('.jsonl')}"
                rows.append(Row("pairs", dataset, method, name, value, unit))
    return rows


def _moment(text: str) -> datetime:
    """A date or date-time; a plain date at noon of UTC."""
    found = datetime.fromisoformat(text if "T" in text else f"{text}T12:00:00+00:00")
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _opened(clock: Clock, embedder: Embedder | None, patience: float) -> graphmem.Memory:
    return graphmem.open(
        worker="none",
        clock=clock,
        embedder=embedder,
        tuning=graphmem.Tuning(vector_patience=60.0, conflict_patience=patience),
    )


def _share(values: Sequence[bool]) -> tuple[float, str]:
    return (fmean(values) if values else 0.0), f"of {len(values)}"


def _pairs(
    rows: list[dict[str, Any]], embedder: Embedder | None, patience: float
) -> dict[str, tuple[float, str]]:
    marked: defaultdict[str, list[bool]] = defaultdict(list)
    proposed: defaultdict[str, list[bool]] = defaultdict(list)
    listed: defaultdict[str, list[bool]] = defaultdict(list)
    newer: list[bool] = []
    answered: list[bool] = []
    offered: list[bool] = []
    in_vain = remembered = 0
    for place, row in enumerate(rows):
        kind = row["kind"]
        clock = Clock(_BEGIN)
        others = [rows[(place + 7 * k) % len(rows)] for k in range(1, _BESIDE + 1)]
        notes = [(row[f"happened_{n}"], row[n], row[f"{n}_speaker"]) for n in ("first", "second")]
        notes += [(o["happened_first"], o["first"], o["first_speaker"]) for o in others]
        with _opened(clock, embedder, patience) as memory:
            ids: dict[str, set[int]] = {}
            for happened, text, speaker in sorted(notes, key=lambda note: _moment(note[0])):
                clock.now = max(clock.now, _moment(happened))
                written = memory.remember(text, speaker=speaker)
                ids[text] = {node.id for node in written}
                offers = {offer.id for offer in written.may_replace}
                remembered += 1
                is_true = text == row["second"] and kind in _REPLACED
                if is_true:
                    offered.append(not offers.isdisjoint(ids.get(row["first"], ())))
                    offers -= ids.get(row["first"], set())
                in_vain += bool(offers)
            memory.admin.enrich()
            clock.now += _LATER
            old, new = ids[row["first"]], ids[row["second"]]
            found = memory.recall(row["question"], use=False, limit=_HITS)
            over = {node for hit in found for node in hit.earlier}
            marked[kind].append(bool(over & (old | new)))
            ranked = [hit.id for hit in found]
            if kind in _REPLACED:
                newer.append(_place(ranked, new) < _place(ranked, old))
            else:
                answered.append(bool(found) and row["answer"] in found[0].text)
            keeps = {
                c.pair: c.proposal for c in memory.review.conflicts(100) if c.proposal is not None
            }
            proposed[kind].append(any({*pair} <= old | new for pair in keeps))
            candidates = memory.review.candidates("conflicting")
            listed[kind].append(any(c.node in old | new for c in candidates))
    wrong = [m for kind in marked.keys() - _REPLACED for m in marked[kind]]
    right = [m for kind in _REPLACED for m in marked[kind]]
    all_marks = sum(wrong) + sum(right)
    return {
        "wrong marks, other person": (float(sum(marked["person"])), f"of {len(marked['person'])}"),
        "wrong marks": (float(sum(wrong)), f"of {len(wrong)}"),
        "precision of marks": (sum(right) / all_marks if all_marks else 1.0, f"of {all_marks}"),
        **{f"marked, {kind}": _share(marked[kind]) for kind in sorted(_REPLACED)},
        "newer first": _share(newer),
        "answer in the first hit, both hold": _share(answered),
        "wrong proposals": (float(_count(proposed)), f"of {len(wrong)}"),
        "proposals, replaced": _share([p for kind in _REPLACED for p in proposed[kind]]),
        "wrong candidates": (float(_count(listed)), f"of {len(wrong)}"),
        "may_replace, true": _share(offered),
        "may_replace, in vain a hundred notes": (100 * in_vain / remembered, f"of {remembered}"),
    }


def _count(of_kind: dict[str, list[bool]]) -> int:
    return sum(sum(values) for kind, values in of_kind.items() if kind not in _REPLACED)


def _place(ranked: Sequence[int], nodes: set[int]) -> int:
    return next((place for place, node in enumerate(ranked) if node in nodes), len(ranked))


def _changes(
    rows: list[dict[str, Any]], embedder: Embedder | None, patience: float
) -> dict[str, tuple[float, str]]:
    notes = sorted(
        (
            (note["happened"], note["text"], note["speaker"])
            for row in rows
            for note in row["notes"]
        ),
        key=lambda note: _moment(note[0]),
    )
    newer: list[bool] = []
    first: list[bool] = []
    marked: list[bool] = []
    clock = Clock(_BEGIN)
    with _opened(clock, embedder, patience) as memory:
        for happened, text, speaker in notes:
            clock.now = max(clock.now, _moment(happened))
            memory.remember(text, speaker=speaker)
        memory.admin.enrich()
        clock.now += _LATER
        for row in rows:
            found = memory.recall(row["question"], use=False, limit=_HITS)
            texts = [hit.text for hit in found]
            now, before = (
                next((k for k, text in enumerate(texts) if row[which] in text), _HITS)
                for which in ("now", "before")
            )
            newer.append(now < _HITS and now <= before)  # one note may have both
            first.append(now == 0)
            over = {memory[node].text for hit in found for node in hit.earlier}
            if row["explicit"]:
                marked.append(any(row["before"] in text for text in over))
    return {
        "newer first": _share(newer),
        "newest in the first hit": _share(first),
        "marked, explicit": _share(marked),
    }
