"""Both indexes of what nodes say: one writer changes them in step."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from graphmem.hexastore.transaction import Transaction
from graphmem.index.vectors.embeddings import EmbeddingCache
from graphmem.index.vectors.index import VectorIndex
from graphmem.index.words.index import WordIndex


class TextIndex:
    """The word index at once; the vector index once a node's vector has been made."""

    def __init__(self, words: WordIndex, vectors: VectorIndex, embeddings: EmbeddingCache) -> None:
        self._words = words
        self._vectors = vectors
        self._embeddings = embeddings
        self._followers: list[Callable[[Transaction, int], None]] = []
        self._erasers: list[Callable[[Transaction, int], None]] = []

    def follow(self, removed: Callable[[Transaction, int], None]) -> None:
        """Have `removed(tx, node)` called in each transaction that takes a node out."""
        self._followers.append(removed)

    def follow_erasure(self, erased: Callable[[Transaction, int], None]) -> None:
        """Have `erased(tx, node)` called in each transaction that erases a node, live or
        forgotten."""
        self._erasers.append(erased)

    def put(
        self, tx: Transaction, node: int, words: list[str], old: Iterable[str] | None = None
    ) -> None:
        """Index a node that is new (`old` None) or says something else than the words `old`."""
        self._words.put(tx, node, words, old)
        self._vectors.changed(tx, node)

    def remove(self, tx: Transaction, node: int, old: Iterable[str]) -> None:
        """Take a node out that had the words `old`."""
        self._words.remove(tx, node, old)
        self._vectors.remove(tx, node)
        for removed in self._followers:
            removed(tx, node)

    def erase(self, tx: Transaction, node: int) -> None:
        """Leave nothing that was made of any form of a node, live or forgotten."""
        self._embeddings.erase(tx, node)
        for erased in self._erasers:
            erased(tx, node)
