"""Offers: which memories `remember` offers as replaceable by a new one, and the fit of its weights.

All pairs of a file are in one memory; in `ends`, `states` and `protects` the second takes the
place of the first. In a life what holds the answer to a question takes the place of what holds the
former one; more than the questions ask for changes there, so that of four offers that count as in
vain one is right. In conversations, which are given by their paths, all count so. A writer is
judged by weights that were fitted without him, a quarter of the conversations without these; the
least sum at which few notes of lives are offered anything in vain becomes zero.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

import graphmem
from bench.corpora import DATA, read
from bench.heads import Matrix, logistic
from bench.report import Row
from graphmem.lifecycle import offering

HELP: Final = "what `remember` offers to be replaced, and its fit, each set left out"
JUDGES: Final = ("A", "B", "E", "VV")
"""Writers whose texts are only judged."""
REPLACED: Final = frozenset(("ends", "states", "protects"))
IN_VAIN: Final = 0.07  # of the notes of lives
_PARTS: Final = 4  # of conversations, of which each is left out in turn
_REST: Final = 50.0  # what is not true of a set, against what is true
_TURNS: Final = 250  # of a conversation
_LONGEST: Final = 600  # characters of a turn


@dataclass(frozen=True, slots=True)
class Note:
    """A note of a set; replaces: the places of those whose place it takes."""

    text: str
    speaker: str | None
    happened: str | None
    replaces: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Compared:
    """A candidate for a note: its features, and whether the note takes its place."""

    note: int
    features: dict[str, float]
    is_true: bool


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("paths", nargs="*", help="conversations, as talk")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Tell all sets, fit, judge."""
    lives, talk = dict(_lives()), dict(_talk(arguments.paths))
    sets = dict(_pairs()) | lives | talk
    of_set = {name: _candidates(notes) for name, notes in sets.items()}
    written = {name: name.split(",")[0].split()[0] for name in sets if name not in talk}
    taught = [name for name in sets if written.get(name) not in JUDGES]
    people = sorted({*written.values()}.difference(JUDGES))
    parts = {name: place % _PARTS for place, name in enumerate(talk)}
    parts |= {name: people.index(written[name]) for name in taught if name in written}
    sums: dict[str, list[float]] = {}
    for place in range(max(_PARTS, len(people))):
        out = [name for name in taught if parts[name] == place]
        weights = _fit({name: of_set[name] for name in taught if name not in out})
        sums |= {name: _sums(of_set[name], weights) for name in out}
    final = _fit({name: of_set[name] for name in taught})
    sums |= {name: _sums(of_set[name], final) for name in sets if name not in sums}
    zero = _zero([(of_set[name], sums[name], len(lives[name])) for name in lives if name in taught])
    rows = []
    for name, notes in sets.items():
        offered = {one.note for one, s in zip(of_set[name], sums[name], strict=True) if s >= zero}
        right = {
            one.note
            for one, s in zip(of_set[name], sums[name], strict=True)
            if s >= zero and one.is_true
        }
        if count := sum(bool(note.replaces) for note in notes):
            rows.append(Row("offers", name, "words", "true", len(right) / count, f"of {count}"))
        share = 100 * len(offered - right) / len(notes)
        rows.append(Row("offers", name, "words", "in vain a hundred", share, f"of {len(notes)}"))
    for key, weight in {**final, "BIAS": final["BIAS"] - zero}.items():
        rows.append(Row("offers", "all", "weight", key, round(weight, 2), ""))
    return rows


def _pairs() -> Iterator[tuple[str, list[Note]]]:
    for path in sorted((DATA / "writers").glob("*/pairs.*.jsonl")):
        pairs = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
        both = [(row[f"happened_{n}"], number, n) for number, row in enumerate(pairs)
                for n in ("first", "second")]  # fmt: skip
        places = {(number, n): place for place, (_, number, n) in enumerate(sorted(both))}
        yield f"{path.parent.name}, {path.name.split('.')[1]}", [
            Note(
                pairs[number][n], pairs[number][f"{n}_speaker"], happened,
                frozenset((places[number, "first"],))
                if n == "second" and pairs[number]["kind"] in REPLACED else frozenset(),
            )
            for happened, number, n in sorted(both)
        ]  # fmt: skip


def _lives() -> Iterator[tuple[str, list[Note]]]:
    for path in sorted((DATA / "writers").glob("*/life.*.json")):
        life = json.loads(path.read_text("utf-8"))
        notes = life["notes"]
        places = {note["id"]: place for place, note in enumerate(notes)}
        replaced: defaultdict[int, set[int]] = defaultdict(set)
        for asked in life["questions"]:
            if asked["kind"] == "changed" and "stale" in asked:
                for newer in map(places.__getitem__, asked["evidence"]):
                    if asked["answer"] in notes[newer]["text"]:
                        replaced[newer] |= {
                            older for older in range(newer)
                            if asked["stale"] in notes[older]["text"]
                        }  # fmt: skip
        yield (
            f"{path.parent.name} life, {path.name.split('.')[1]}",
            [
                Note(note["text"], note["speaker"], note["happened"], frozenset(replaced[place]))
                for place, note in enumerate(notes)
            ],
        )


def _talk(paths: Sequence[str]) -> Iterator[tuple[str, list[Note]]]:
    for path in paths:
        for conversation in [*read([path])][:2]:
            yield (
                f"{Path(path).parent.name}/{conversation.name}",
                [
                    Note(turn.text[:_LONGEST], turn.speaker or None, turn.happened or None)
                    for turn in conversation.turns[:_TURNS]
                ],
            )


def _candidates(notes: Sequence[Note]) -> list[Compared]:
    """The candidates that are compared while the notes are remembered in one memory."""
    found: list[Compared] = []
    ids: dict[int, int] = {}
    seen: list[Sequence[offering.Candidate]] = []
    likely, may_follow = offering.likely, offering.may_follow

    def record(candidates: Sequence[offering.Candidate]) -> list[int]:
        seen.append(candidates)
        return []

    offering.likely, offering.may_follow = record, lambda *_: True  # all are read
    try:
        with graphmem.open(worker="none", tuning=graphmem.Tuning(conflict_patience=60.0)) as memory:
            for place, note in enumerate(notes):
                seen.clear()
                written = memory.remember(note.text, speaker=note.speaker, happened=note.happened)
                ids |= {node.id: place for node in written}
                for candidates in seen:
                    for one, values in zip(candidates, offering.features(candidates), strict=True):
                        is_true = ids[one.node] in note.replaces
                        features = dict(zip(offering.WEIGHTS, values, strict=True))
                        found.append(Compared(place, features, is_true))
    finally:
        offering.likely, offering.may_follow = likely, may_follow
    return found


def _fit(of_set: dict[str, list[Compared]]) -> dict[str, float]:
    """Feature → weight. What is not true counts as much in each set."""
    rows = [(name, one) for name, each in of_set.items() for one in each]
    names = [*rows[0][1].features]
    columns = np.array([[*one.features.values()] for _, one in rows])
    true = np.array([one.is_true for _, one in rows])
    none = np.zeros(0, np.int64)
    matrix = Matrix(none, none, np.zeros(0), columns, 0)
    sizes: defaultdict[str, int] = defaultdict(int)
    for name, one in rows:
        sizes[name] += not one.is_true
    worth = np.array([1.0 if one.is_true else _REST / sizes[name] for name, one in rows])
    weights = logistic(matrix, true, worth=worth)
    return dict(zip([*names, "BIAS"], weights.tolist(), strict=True))


def _sums(of_set: Sequence[Compared], weights: dict[str, float]) -> list[float]:
    bias = weights["BIAS"]
    return [bias + sum(weights[n] * v for n, v in one.features.items()) for one in of_set]


def _zero(lives: Sequence[tuple[list[Compared], list[float], int]]) -> float:
    """The least sum at which few enough notes are offered anything in vain, in the mean of all."""
    most: list[float] = []
    for of_set, sums, count in lives:
        of_note: dict[int, float] = {}
        for one, value in zip(of_set, sums, strict=True):
            if not one.is_true:
                of_note[one.note] = max(value, of_note.get(one.note, -np.inf))
        most += [*of_note.values(), *[-np.inf] * (count - len(of_note))]
    return float(np.quantile(most, 1 - IN_VAIN)) if most else 0.0
