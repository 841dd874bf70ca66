"""Heads: small linear classifiers of a sentence, fitted by `python -m bench heads`.

The score of a label is the sum of the weights of a sentence's words and parts of words (hashed, one
byte each), of the classes of its words, and, if there is one, of its vector. At 0 and more the
sentence has the label. The file of a head records what made it (`made`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zlib import Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, compressobj, crc32, decompress

import numpy as np

from graphmem_worker.language.sayings import folded
from graphmem_worker.text.patterns import late

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDER: Final = Path(__file__).parent / "weights"
PARTS: Final = (3, 4, 5)
"""Lengths of the parts of a word that have weights, in characters."""

_TOKEN: Final = late(r"[a-zà-ÿ]+(?:'[a-z]+)?|\d+(?:[.,:]\d+)*|[\u4e00-\u9fff]")
_MARKS: Final = '?!:：？！“"…'


def grams(sentence: str) -> Iterator[str]:
    """The words of a sentence, their parts, pairs of neighbours, the first and last one; of Chinese
    the characters, pairs and triples. Numbers differ only by length. Some are repeated."""
    lower = folded(sentence).replace("’", "'")
    tokens = ["#" * min(4, len(t)) if t[0].isdigit() else t for t in _TOKEN.findall(lower)]
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
    yield from (mark for mark in _MARKS if mark in lower)


def buckets(sentence: str, count: int) -> list[int]:
    """The places of a sentence's n-grams among `count` (a power of two), each once."""
    mask = count - 1
    return sorted({crc32(gram.encode()) & mask for gram in grams(sentence)})


@dataclass(frozen=True, slots=True)
class Head:
    """A fitted head. Arrays have one row for each label."""

    labels: tuple[str, ...]
    words: NDArray[np.int8]
    """The weight of each bucket, in units of `unit`."""
    unit: NDArray[np.float32]
    classes: Mapping[str, NDArray[np.float32]]
    """class of words → its weight for each label"""
    bias: NDArray[np.float32]
    vector: NDArray[np.float32]
    vector_bias: NDArray[np.float32]
    model: str
    """The embedder whose vectors it knows; "" for none."""
    made: Mapping[str, Any]
    """The command, data and figures of the fit."""

    def sums(self, sentence: str, classes: Iterable[str] = ()) -> NDArray[np.float32]:
        """The sum of each label, in nats; at 0 and more the sentence has it. classes: those of its
        words; one that is given twice counts twice."""
        found = buckets(sentence, self.words.shape[1])
        total = self.words[:, found].sum(axis=1, dtype=np.int64) * self.unit
        total = total / max(1, len(found)) ** 0.5 + self.bias
        for name in classes:
            if name in self.classes:
                total = total + self.classes[name]
        return np.asarray(total, np.float32)

    def with_vector(
        self, sums: NDArray[np.float32], vector: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """`sums` of a sentence with the weights of its vector, of length 1 by `model`."""
        return np.asarray(sums + self.vector @ vector + self.vector_bias, np.float32)


def packed(weights: NDArray[np.int8]) -> NDArray[np.uint8]:
    """The weights of a file, a row for each label or role. They seldom repeat, so codes of single
    bytes are mostly shorter than what `savez_compressed` makes."""
    found = []
    for strategy in (Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY):
        coder = compressobj(9, strategy=strategy)
        found.append(coder.compress(weights.tobytes()) + coder.flush())
    return np.frombuffer(min(found, key=len), np.uint8)


def unpacked(weights: NDArray[np.uint8], rows: int) -> NDArray[np.int8]:
    """The weights that were `packed`."""
    return np.frombuffer(decompress(weights.tobytes()), np.int8).reshape(rows, -1)


@cache
def head(name: str) -> Head:
    """The head in `weights/<name>.npz`. Raises FileNotFoundError."""
    with np.load(FOLDER / f"{name}.npz", allow_pickle=False) as file:
        made = json.loads(file["made"].tobytes())
        names = made.pop("classes")
        return Head(
            labels=tuple(made.pop("labels")),
            words=unpacked(file["words"], len(file["unit"])),
            unit=file["unit"],
            classes=dict(zip(names, file["classes"].astype(np.float32).T, strict=True)),
            bias=file["bias"],
            vector=file["vector"].astype(np.float32),
            vector_bias=file["vector_bias"],
            model=made.pop("model"),
            made=made,
        )
