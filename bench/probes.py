"""Recall on texts by writers who have not seen the code: `data/writers` (its README says which).

`lives`: eight months of one user and questions about them; by kind `first`, `first3` (all evidence
as far as it fits), `told` (the answer stands in a text of 300 tokens with default arguments), for
what changed `stale` (the former value is in it without the present one), for what was never said
`empty`. `probes`: cues that hang on one thing; the first hit answers, and one of the first three.
`strict`: `cut="strict"`; nothing that must not come comes, and what must come does (`passed`);
`strict_seen` are the cases of `data/strict`, which may be read.
`turns`: long turns of a user. `cross`: a memory in three languages; the same with the notes of
other languages replaced by as many of the cue's.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import graphmem
from bench import embedded
from bench.corpora import DATA
from bench.embedded import Kept
from bench.report import Row

HELP: Final = "recall on lives, probes, strict cases and mixed languages by other writers"
_WRITERS: Final = DATA / "writers"
_PROBES: Final = ("E/probes.jsonl", "BL/probes.jsonl")
_PARTS: Final = ("lives", "probes", "turns", "cross")
_END: Final = datetime(2026, 10, 1, 12, tzinfo=UTC)

Scores = defaultdict[tuple[str, str], list[float]]
"""(dataset, metric) → a value a question."""
Note = str | Mapping[str, Any]
"""A text, or one with `text`, `happened`, `speaker` and `session`."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--part", action="append", choices=tuple(_MEASURES), help="only these")
    parser.add_argument("--words", action="store_true", help="without vectors only")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure every part, without and with vectors."""
    rows: list[Row] = []
    for method, embedder in (("words", None), ("vectors", embedded.embedder())):
        if method == "vectors" and (arguments.words or embedder is None):
            continue
        scores: Scores = defaultdict(list)
        for part in arguments.part or _PARTS:
            _MEASURES[part](scores, embedder)
        rows += [
            Row("probes", dataset, method, metric, fmean(values), "share")
            for (dataset, metric), values in scores.items()
        ]
    return rows


@contextmanager
def notes_memory(
    notes: Sequence[Note], embedder: Kept | None, now: datetime | None = None
) -> Iterator[tuple[graphmem.Memory, dict[int, int]]]:
    """A memory of some notes, and the place of the note of each node. now: when cues are asked."""
    clock = datetime(2026, 1, 1, 12, tzinfo=UTC)
    with graphmem.open(
        None, worker="none", embedder=embedder, clock=lambda: clock,
        tuning=graphmem.Tuning(vector_patience=60.0, worker_share=1.0),
    ) as memory:  # fmt: skip
        place_of: dict[int, int] = {}
        for place, note in enumerate(notes):
            given = {"text": note} if isinstance(note, str) else dict(note)
            happened = given.get("happened")
            if happened:
                day = datetime.fromisoformat(happened).replace(tzinfo=UTC)
                clock = max(clock, day + timedelta(minutes=1))
            nodes = memory.remember(
                given["text"],
                speaker=given.get("speaker"),
                session=given.get("session"),
                happened=happened,
            )
            place_of |= {node.id: place for node in nodes}
        memory.admin.enrich()
        clock = now or max(clock, _END)
        yield memory, place_of


def _places(found: Iterable[Any], place_of: Mapping[int, int]) -> list[int]:
    """The notes of hits, the best first, each once."""
    return list(dict.fromkeys(place_of[hit.id] for hit in found))


def lives(scores: Scores, embedder: Kept | None, files: str = "*/life.*.json") -> None:
    """Remember and ask the lives in some files of `data/writers`."""
    for path in sorted(_WRITERS.glob(files)):
        writer, language = path.parent.name, path.name.split(".")[1]
        world = _json(path)
        of_id = {note["id"]: place for place, note in enumerate(world["notes"])}
        with notes_memory(world["notes"], embedder) as (memory, place_of):
            for row in world["questions"]:
                name = f"lives/{writer}/{language}/{row['kind']}"
                found = memory.recall(row["question"], limit=3, use=False)
                if row["answer"] is None:
                    scores[name, "empty"].append(float(not found))
                    scores[name, "answered"].append(found.answered)
                    continue
                scores[f"lives/{writer}/{language}/answerable", "answered"].append(found.answered)
                gold = {of_id[note] for note in row["evidence"]}
                text = memory.recall(row["question"], tokens=300, use=False).text
                has_answer = row["answer"] in text
                for dataset in (name, f"lives/{writer}/{language}/answerable"):
                    _rank(scores, dataset, _places(found, place_of), gold)
                    scores[dataset, "told"].append(float(has_answer))
                if stale := row.get("stale"):
                    scores[name, "stale"].append(float(stale in text and not has_answer))


def _rank(scores: Scores, dataset: str, places: Sequence[int], gold: set[int]) -> None:
    scores[dataset, "first"].append(float(places[:1] != [] and places[0] in gold))
    within = len(gold.intersection(places[:3])) / min(3, len(gold))
    scores[dataset, "first3"].append(float(within == 1.0))


def _probes(scores: Scores, embedder: Kept | None) -> None:
    for row in chain.from_iterable(map(_lines, _PROBES)):
        asked = row.get("asked")
        now = None if asked is None else datetime.fromisoformat(asked)
        if now is not None and now.tzinfo is None:
            now = now.replace(tzinfo=UTC)
        with notes_memory(row["notes"], embedder, now) as (memory, place_of):
            places = _places(memory.recall(row["cue"], limit=3, use=False), place_of)
        gold = set(row["answers"])
        name = f"probes/{row['lang']}/{row['kind']}"
        scores[name, "first"].append(float(places[:1] != [] and places[0] in gold))
        scores[name, "first3"].append(float(not gold.isdisjoint(places[:3])))


def _strict(scores: Scores, embedder: Kept | None) -> None:
    seen = (f"../strict.{language}.jsonl" for language in ("en", "zh"))
    rows = [("strict", row) for row in _lines("E/strict.jsonl")]
    rows += [("strict_seen", row) for name in seen for row in _lines(name)]
    for part, row in rows:
        with notes_memory(row["notes"], embedder) as (memory, place_of):
            found = _places(memory.recall(row["cue"], use=False, cut="strict"), place_of)
        is_clean = not set(row["must_not"]).intersection(found)
        is_whole = set(row["must"]) <= set(found)
        for name in (f"{part}/{row['lang']}/{row['kind']}", part):
            scores[name, "passed"].append(float(is_clean and is_whole))
            scores[name, "clean"].append(float(is_clean))
            scores[name, "whole"].append(float(is_whole))


def _turns(scores: Scores, embedder: Kept | None) -> None:
    for row in _lines("E/turns.jsonl"):
        with notes_memory(row["notes"], embedder) as (memory, place_of):
            places = _places(memory.recall(row["turn"], limit=3, use=False), place_of)
        _rank(scores, f"turns/{row['lang']}", places, set(row["answers"]))


def _cross(scores: Scores, embedder: Kept | None) -> None:
    world = _json("D/cross.json")
    notes = world["notes"]
    needed = {
        language: {
            note
            for row in world["questions"]
            if row["lang"] == language
            for note in row["evidence"]
        }
        for language in ("en", "zh", "de")
    }
    variants: list[tuple[str, str | None, list[dict[str, Any]]]] = [("mixed", None, notes)]
    for language in ("en", "zh"):
        spare = iter(world["replacements"][language])
        replaced = [
            note
            if note["lang"] == language or note["id"] in needed[language]
            else {**note, "text": next(spare, note["text"])}
            for note in notes
        ]
        variants.append(("alone", language, replaced))
    for variant, only, texts in variants:
        of_id = {note["id"]: place for place, note in enumerate(texts)}
        with notes_memory([note["text"] for note in texts], embedder) as (memory, place_of):
            for row in world["questions"]:
                language = row["lang"]
                if only not in (None, language) or (only is not None and row["kind"] == "across"):
                    continue
                places = _places(memory.recall(row["question"], limit=3, use=False), place_of)
                gold = {of_id[note] for note in row["evidence"]}
                _rank(scores, f"cross/{variant}/{language}/{row['kind']}", places, gold)
                if only is None and places:
                    is_other = texts[places[0]]["lang"] not in (
                        language, *(texts[place]["lang"] for place in gold)
                    )  # fmt: skip
                    scores[f"cross/{row['kind']}", "other_language_first"].append(float(is_other))
                    _rank(scores, f"cross/mixed/{row['kind']}", places, gold)


_MEASURES: Final = {
    "lives": lives,
    "probes": _probes,
    "strict": _strict,
    "turns": _turns,
    "cross": _cross,
}


def _lines(name: str) -> list[dict[str, Any]]:
    text = (_WRITERS / name).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _json(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(_WRITERS / name).read_text("utf-8"))
    return found
