"""BM25 scores of items for the words of a query."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from graphmem_worker.text.words import words

Words: TypeAlias = Mapping[str, int]
"""How often a text has each of its words."""
_K1: Final = 0.9
_B: Final = 0.4
# The defaults of `Ranking.bm25_k1` and `bm25_b`.


def words_of(text: str) -> Words:
    """The index words of a text, as `recall` has them."""
    return Counter(words(text))


def scores(query: str, texts: Sequence[Words]) -> list[float | None]:
    """The BM25 score of each text for a query (Robertson & Zaragoza 2009), over these texts alone;
    None for a text with none of its words."""
    lengths = [sum(counts.values()) for counts in texts]
    average = max(1.0, sum(lengths) / max(1, len(texts)))
    found: list[float | None] = [None] * len(texts)
    for word in words_of(query):
        holding = [(k, counts[word]) for k, counts in enumerate(texts) if word in counts]
        rarity = math.log(1 + (len(texts) - len(holding) + 0.5) / (len(holding) + 0.5))
        for place, times in holding:
            norm = _K1 * (1 - _B + _B * lengths[place] / average)
            found[place] = (found[place] or 0.0) + rarity * times * (_K1 + 1) / (times + norm)
    return found
