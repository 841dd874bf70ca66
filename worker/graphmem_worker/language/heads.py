"""Heads: small linear classifiers of a sentence, fitted by `python -m bench heads`.

A head sums up what the sentence's words and parts of words tell (hashed to one byte each), what the
classes of its words tell, and, where there is one, what its vector tells. Each label has a sum of
its own; from zero on the sentence has the label. The file of a head says what made it (`made`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

import numpy as np

from graphmem_worker.text.patterns import late

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDER: Final = Path(__file__).parent / "weights"
PARTS: Final = (3, 4, 5)
"""Lengths of the parts of a word that are looked at."""

_TOKEN: Final = late(r"[a-zà-ÿ]+(?:'[a-z]+)?|\d+(?:[.,:]\d+)*|[\u4e00-\u9fff]")
_MARKS: Final = '?!:：？！“"…'


def grams(sentence: str) -> Iterator[str]:
    """The words of a sentence, their parts, neighbours, first and last; of Chinese the characters,
    pairs and triples. A number counts by its length. Some come twice."""
    said = sentence.lower().replace("’", "'")
    tokens = ["#" * min(4, len(t)) if t[0].isdigit() else t for t in _TOKEN.findall(said)]
    for token in tokens:
        yield token
        if len(token) > 3:
            word = f"<{token}>"
            for size in PARTS:
                for at in range(len(word) - size + 1):
                    yield word[at : at + size]
    yield from map("_".join, pairwise(tokens))
    for three in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if three[0] > "\u4e00" < three[2]:
            yield "_".join(three)
    if tokens:
        yield f"^{tokens[0]}"
        yield f"${tokens[-1]}"
        yield "^" + "_".join(tokens[:2])
    yield from (mark for mark in _MARKS if mark in said)


def buckets(sentence: str, count: int) -> list[int]:
    """The places of a sentence's n-grams among `count` (a power of two), each once."""
    mask = count - 1
    return sorted({crc32(gram.encode()) & mask for gram in grams(sentence)})


@dataclass(frozen=True, slots=True)
class Head:
    """A fitted head. Arrays have a row a label."""

    labels: tuple[str, ...]
    words: NDArray[np.int8]
    """What a bucket tells, in units of `unit`."""
    unit: NDArray[np.float32]
    classes: Mapping[str, NDArray[np.float32]]
    """class of words → what it tells of each label"""
    bias: NDArray[np.float32]
    vector: NDArray[np.float32]
    vector_bias: NDArray[np.float32]
    model: str
    """Of the embedder whose vectors it knows; empty: none."""
    made: Mapping[str, Any]
    """Command, data and figures."""

    def sums(self, sentence: str, classes: Iterable[str] = ()) -> NDArray[np.float32]:
        """The sum of each label, from zero on of which the sentence has it. classes: of its
        words."""
        found = buckets(sentence, self.words.shape[1])
        told = self.words[:, found].sum(axis=1, dtype=np.int64) * self.unit
        told = told / max(1, len(found)) ** 0.5 + self.bias
        for name in classes:
            if name in self.classes:
                told = told + self.classes[name]
        return np.asarray(told, np.float32)

    def with_vector(
        self, told: NDArray[np.float32], vector: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """The sums where there is a vector of length 1 by `model` as well. told: by `tells`."""
        return np.asarray(told + self.vector @ vector + self.vector_bias, np.float32)


@cache
def head(name: str) -> Head:
    """The head in `weights/<name>.npz`. Raises FileNotFoundError."""
    with np.load(FOLDER / f"{name}.npz", allow_pickle=False) as file:
        made = json.loads(str(file["made"]))
        names = made.pop("classes")
        return Head(
            labels=tuple(made.pop("labels")),
            words=file["words"],
            unit=file["unit"],
            classes=dict(zip(names, file["classes"].astype(np.float32).T, strict=True)),
            bias=file["bias"],
            vector=file["vector"].astype(np.float32),
            vector_bias=file["vector_bias"],
            model=made.pop("model"),
            made=made,
        )
