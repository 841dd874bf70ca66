"""What anybody writes in a page: BM25 of turns and of sessions, cosine, reciprocal rank fusion.

Each ranks the turns so far, best first. Words are stems without stop words, and of Chinese
both pairs of characters and single ones; the speaker's name is part of a turn.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, Final

import numpy as np

from bench.corpora import Conversation
from bench.embedded import Kept
from graphmem_worker.text.words import STOP_WORDS, stems

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_TOKEN: Final = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+")
_K1: Final = 1.2
_B: Final = 0.75
_RANKS: Final = 60  # Cormack et al., Reciprocal Rank Fusion (2009)


def tokens(text: str) -> list[str]:
    """The words of a text."""
    found: list[str] = []
    for token in _TOKEN.findall(text.lower()):
        if token.isascii():
            found += stems([token]) if token not in STOP_WORDS else ()
        else:
            found += [*token, *map("".join, pairwise(token))]
    return found


class Plain:
    """The rankings of one conversation."""

    def __init__(self, conversation: Conversation) -> None:
        turns = conversation.turns
        sessions = {name: n for n, name in enumerate(dict.fromkeys(t.session for t in turns))}
        self._session = np.array([sessions[t.session] for t in turns])
        counted = [Counter(tokens(f"{t.speaker} {t.text}")) for t in turns]
        self._lengths = np.array([float(found.total()) for found in counted])
        held: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, words in enumerate(counted):
            for word, count in words.items():
                held[word].append((place, count))
        self._postings = {word: np.array(found) for word, found in held.items()}
        self._rows: Floats | None = None
        self._places = np.zeros(0, int)

    def embed(self, segments: list[tuple[str, int]], embedder: Kept) -> None:
        """Have the vectors of texts (text, place of its turn) at hand."""
        self._rows = np.array(embedder.embed([text for text, _ in segments], "passage"), float)
        self._places = np.array([place for _, place in segments])

    def turns(self, cue: str, known: int) -> Floats:
        """The score of each of the first `known` turns by its own words."""
        return self._bm25(cue, known, np.arange(known), self._lengths[:known])

    def sessions(self, cue: str, known: int) -> Floats:
        """The same by the words of its whole session; those of the turn decide between equals."""
        of_turn = self._session[:known]
        lengths = np.bincount(of_turn, self._lengths[:known]).astype(float)
        scores = self._bm25(cue, known, of_turn, lengths)
        of_session: Floats = scores[of_turn]
        return of_session + 1e-6 * self.turns(cue, known)

    def _bm25(self, cue: str, known: int, documents: NDArray[np.int64], lengths: Floats) -> Floats:
        count = len(lengths)
        scores, mean = np.zeros(count), max(1.0, float(lengths.mean()))
        for word in set(tokens(cue)):
            held = self._postings.get(word)
            if held is None or not (end := int(held[:, 0].searchsorted(known))):
                continue
            found = np.bincount(documents[held[:end, 0]], held[:end, 1], count)
            having = int((found > 0).sum())
            rarity = log(1 + (count - having + 0.5) / (having + 0.5))
            scores += rarity * found * (_K1 + 1) / (found + _K1 * (1 - _B + _B * lengths / mean))
        return scores

    def cosine(self, cue: Floats, known: int) -> Floats:
        """The largest cosine of a segment of each turn with the vector of the cue."""
        assert self._rows is not None, "embed first"
        scores, until = np.full(known, -1.0), int(self._places.searchsorted(known))
        np.maximum.at(scores, self._places[:until], self._rows[:until] @ cue)
        return scores

    def fused(self, words: Floats, vectors: Floats) -> Floats:
        """Reciprocal rank fusion of two scores; without a word of the cue no share of the first."""
        by_words = (words > 0) / (_RANKS + 1 + _ranks(words))
        return np.asarray(by_words + 1 / (_RANKS + 1 + _ranks(vectors)))


def best(scores: Floats, least: float = 0.0) -> list[int]:
    """The places of scores above `least`, the best first, of equal ones the earlier."""
    order = np.argsort(-scores, kind="stable")
    return [int(place) for place in order if scores[place] > least]


def _ranks(scores: Floats) -> Floats:
    ranks = np.empty(len(scores))
    ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    return ranks
