"""Filling: what stands in a budget behind the hits, which newer memory stands first, and the fit
of both.

The lives of `data/writers` are remembered, each in a memory, and asked with a budget of 300 tokens.
What may fill it is a row: does it answer? So is what may be put before the best hit. Each writer is
judged by weights that were fitted without; the printed ones are of all but `JUDGES`. `told`: the
share of questions whose answer is a hit or among the first ten behind them; `first`: of those that
ask for one value, whose first hit answers. `as now`: by the weights of `recalling/weights.py`;
`first, unmoved`: by score alone.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import log
from statistics import fmean
from typing import Final

import numpy as np

from bench import embedded
from bench.corpora import DATA
from bench.embedded import Kept
from bench.heads import Matrix, logistic
from bench.probes import notes_memory
from bench.report import Row
from graphmem.recalling import supersede
from graphmem.recalling.candidates import Candidate
from graphmem.recalling.supersede import Signs
from graphmem.recalling.weights import FILLING, NEWER

HELP: Final = "what fills a budget, which newer memory stands first, and the fit of both"
JUDGES: Final = ("BR", "E", "VV")
"""Writers whose lives are only judged."""
LEAST: Final = 0.011  # the likelihood to answer from which on something fills a budget, …
LEAST_NEWER: Final = 0.33  # … and from which on a newer memory stands first
_FIRST: Final = 10  # of what is behind the hits


Labelled = tuple[Signs, bool]
"""The signs of a memory, and whether it answers."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: whether a hit answers, and what may fill the budget; if it asks for one value,
    whether the best by score answers, and the newer ones that may stand before it, the newest
    first."""

    writer: str
    language: str
    is_hit: bool
    rest: Sequence[Labelled]
    is_best: bool | None
    newer: Sequence[Labelled]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--words", action="store_true", help="without vectors only")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Ask all lives without and with vectors, fit, judge."""
    rows: list[Row] = []
    of_method: dict[str, list[Asked]] = {"words": [*_asked(None)]}
    embedder = None if arguments.words else embedded.embedder()
    if embedder is not None:
        of_method["vectors"] = [*_asked(embedder)]
    every = [one for asked in of_method.values() for one in asked]
    writers = sorted({one.writer for one in every})
    newer = {writer: _newer(every, writer) for writer in (*writers, "")}
    for method, asked in of_method.items():
        now = FILLING.words if method == "words" else FILLING.vectors
        filling = {writer: _filling(asked, writer) for writer in (*writers, "")}
        for writer, language in product(writers, ("en", "zh", "de")):
            of = [one for one in asked if (one.writer, one.language) == (writer, language)]
            values = [one for one in of if one.is_best is not None]
            figures = {
                "told": [one.is_hit or _is_filled_in(one, filling[writer]) for one in of],
                "told, as now": [one.is_hit or _is_filled_in(one, now) for one in of],
                "told, by score": [one.is_hit or _is_filled_in(one, {"score": 1.0}) for one in of],
                "first": [_is_first(one, newer[writer]) for one in values],
                "first, as now": [_is_first(one, NEWER) for one in values],
                "first, unmoved": [bool(one.is_best) for one in values],
            }
            rows += [
                Row("filling", f"{writer}/{language}", method, name, fmean(one), f"of {len(one)}")
                for name, one in figures.items()
                if one
            ]
        rows += [
            Row("filling", "FILLING", method, name, round(weight, 2), "")
            for name, weight in filling[""].items()
        ]
    return rows + [
        Row("filling", "NEWER", "all", name, round(weight, 2), "")
        for name, weight in newer[""].items()
    ]


def _asked(embedder: Kept | None) -> Iterator[Asked]:
    likeliest, stating = supersede.likeliest, supersede.stating
    filling: list[tuple[Candidate, Signs]] = []
    newer: list[tuple[Candidate, Sequence[tuple[Candidate, Signs]]]] = []

    def record_filling(
        found: Sequence[tuple[Candidate, Signs]], weights: Signs
    ) -> list[tuple[float, Candidate]]:
        filling[:] = found
        return likeliest(found, weights)

    def record_newer(
        last: Candidate, found: Sequence[tuple[Candidate, Signs]], bonus: float = 0.0
    ) -> list[Candidate]:
        newer.append((last, [(c, signs) for c, signs in found if c.node > last.node]))
        return stating(last, found, bonus)

    supersede.likeliest, supersede.stating = record_filling, record_newer
    try:
        for path in sorted((DATA / "writers").glob("*/life.*.json")):
            world = json.loads(path.read_text("utf-8"))
            with notes_memory(world["notes"], embedder) as (memory, place_of):
                for row in world["questions"]:
                    answers = {
                        node
                        for node, place in place_of.items()
                        if world["notes"][place]["id"] in row["evidence"]
                    }
                    if not answers or row["kind"] == "before":
                        continue
                    filling.clear()
                    newer.clear()
                    hits = {hit.id for hit in memory.recall(row["question"], tokens=300, use=False)}
                    best, later = newer[0] if newer else (None, [])  # before any was moved
                    yield Asked(
                        path.parent.name,
                        path.name.split(".")[1],
                        not answers.isdisjoint(hits),
                        [(s, c.node in answers) for c, s in filling if c.node not in hits],
                        None if best is None else best.node in answers,
                        [
                            (signs, c.node in answers)
                            for c, signs in sorted(later, key=lambda pair: -pair[0].node)
                        ],
                    )
    finally:
        supersede.likeliest, supersede.stating = likeliest, stating


def _filling(asked: Sequence[Asked], without: str) -> dict[str, float]:
    return _fitted([row for one in _taught(asked, without) for row in one.rest], FILLING[0], LEAST)


def _newer(asked: Sequence[Asked], without: str) -> dict[str, float]:
    rows = [row for one in _taught(asked, without) for row in one.newer]
    return _fitted(rows, NEWER, LEAST_NEWER)


def _taught(asked: Sequence[Asked], without: str) -> list[Asked]:
    return [one for one in asked if one.writer not in (*JUDGES, without)]


def _fitted(rows: Sequence[Labelled], named: Signs, least: float) -> dict[str, float]:
    """Sign → weight; a sum of zero is the likelihood `least`."""
    names = [name for name in named if name != "bias"]
    columns = np.array([[signs.get(name, 0.0) for name in names] for signs, _ in rows])
    true = np.array([is_true for _, is_true in rows])
    none = np.zeros(0, np.int64)
    matrix = Matrix(none, none, np.zeros(0), columns, 0)
    *weights, bias = logistic(matrix, true, 0.5, worth=np.ones(len(rows))).tolist()
    return {"bias": bias - log(least / (1 - least)), **dict(zip(names, weights, strict=True))}


def _is_filled_in(asked: Asked, weights: Signs) -> bool:
    """Whether an answer is among the first that fill the budget by some weights."""
    rest = sorted(asked.rest, key=lambda row: -supersede.summed_up(row[0], weights))
    return any(is_true for _, is_true in rest[:_FIRST])


def _is_first(asked: Asked, weights: Signs) -> bool:
    """Whether what stands first by some weights answers: the newest with the attribute."""
    moved = [is_true for s, is_true in asked.newer if supersede.summed_up(s, weights) >= 0]
    return moved[0] if moved else bool(asked.is_best)
