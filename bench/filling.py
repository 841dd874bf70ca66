"""Filling: what stands in a budget behind the hits, and the fit of its order.

The lives of `data/writers` are told, each in a memory, and asked with a budget of 300 tokens. What
may fill it is a row: does it answer? Each writer is judged by weights that were fitted without; the
printed ones are of all but `JUDGES`. `told`: the share of questions whose answer is a hit or among
the first ten behind them, `as now` by the weights of `recalling/weights.py`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from statistics import fmean
from typing import Final

import numpy as np

from bench import embedded
from bench.corpora import DATA
from bench.embedded import Kept
from bench.heads import Matrix, logistic
from bench.probes import told
from bench.report import Row
from graphmem.recalling import supersede
from graphmem.recalling.candidates import Candidate
from graphmem.recalling.supersede import Signs
from graphmem.recalling.weights import FILLING

HELP: Final = "what fills a budget behind the hits, and the fit of its order"
JUDGES: Final = ("E", "VV")
"""Writers whose lives are only judged."""
LEAST: Final = 0.011  # the likelihood to answer from which on something fills a budget
_FIRST: Final = 10  # of what is behind the hits


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: whether a hit answers, and what may fill the budget, with whether it answers."""

    writer: str
    language: str
    is_hit: bool
    rest: Sequence[tuple[Signs, bool]]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--words", action="store_true", help="without vectors only")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Ask all lives without and with vectors, fit, judge."""
    rows: list[Row] = []
    for method, embedder, now in (
        ("words", None, FILLING.words),
        ("vectors", embedded.embedder(), FILLING.vectors),
    ):
        if method == "vectors" and (arguments.words or embedder is None):
            continue
        asked = [*_asked(embedder)]
        taught = [one for one in asked if one.writer not in JUDGES]
        final = _fitted(taught)
        for writer in sorted({one.writer for one in asked}):
            weights = _fitted([one for one in taught if one.writer != writer])
            for language in ("en", "zh", "de"):
                of = [one for one in asked if (one.writer, one.language) == (writer, language)]
                for name, by in (("told", weights), ("as now", now), ("by score", {"score": 1.0})):
                    if of:
                        share = fmean(one.is_hit or _is_first(one, by) for one in of)
                        dataset = f"{writer}/{language}"
                        rows.append(Row("filling", dataset, method, name, share, f"of {len(of)}"))
        rows += [Row("filling", "all", method, n, round(w, 2), "") for n, w in final.items()]
    return rows


def _asked(embedder: Kept | None) -> Iterator[Asked]:
    likeliest = supersede.likeliest
    seen: list[tuple[Candidate, Signs]] = []

    def record(
        found: Sequence[tuple[Candidate, Signs]], weights: Signs
    ) -> list[tuple[float, Candidate]]:
        seen[:] = found
        return likeliest(found, weights)

    supersede.likeliest = record
    try:
        for path in sorted((DATA / "writers").glob("*/life.*.json")):
            world = json.loads(path.read_text("utf-8"))
            with told(world["notes"], embedder) as (memory, place_of):
                for row in world["questions"]:
                    answers = {
                        place
                        for place, note in enumerate(world["notes"])
                        if note["id"] in row["evidence"]
                    }
                    if not answers:
                        continue
                    seen.clear()
                    hits = {hit.id for hit in memory.recall(row["question"], tokens=300, use=False)}
                    yield Asked(
                        path.parent.name,
                        path.name.split(".")[1],
                        any(place_of[hit] in answers for hit in hits),
                        [(s, place_of[c.node] in answers) for c, s in seen if c.node not in hits],
                    )
    finally:
        supersede.likeliest = likeliest


def _fitted(asked: Sequence[Asked]) -> dict[str, float]:
    """Sign → weight; a sum of zero is the likelihood `LEAST`."""
    rows = [row for one in asked for row in one.rest]
    names = [name for name in FILLING.words if name != "bias"]
    columns = np.array([[signs.get(name, 0.0) for name in names] for signs, _ in rows])
    true = np.array([is_true for _, is_true in rows])
    none = np.zeros(0, np.int64)
    matrix = Matrix(none, none, np.zeros(0), columns, 0)
    *weights, bias = logistic(matrix, true, 0.5, worth=np.ones(len(rows))).tolist()
    return {"bias": bias - log(LEAST / (1 - LEAST)), **dict(zip(names, weights, strict=True))}


def _is_first(asked: Asked, weights: Signs) -> bool:
    """Whether an answer is among the first that fill the budget by some weights."""
    rest = [(sum(weights.get(n, 0.0) * s for n, s in signs.items()), y) for signs, y in asked.rest]
    rest.sort(key=lambda pair: -pair[0])
    return any(is_true for _, is_true in rest[:_FIRST])
