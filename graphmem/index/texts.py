"""Both indexes of what nodes say: one writer changes them in step."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.hexastore.transaction import Transaction
from graphmem.index.embeddings import EmbeddingCache
from graphmem.index.vectors import VectorIndex
from graphmem.index.words import WordIndex


class TextIndex:
    """The word index at once; the vector index once a node's vector has been made."""

    def __init__(self, words: WordIndex, vectors: VectorIndex, embeddings: EmbeddingCache) -> None:
        self._words = words
        self._vectors = vectors
        self._embeddings = embeddings

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

    def erase(self, tx: Transaction, node: int) -> None:
        """Leave nothing that was made of any form of a node, live or forgotten."""
        self._embeddings.erase(tx, node)
