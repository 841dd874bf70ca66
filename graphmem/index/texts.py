"""Both indexes of the texts of nodes, words and vectors; changed in step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from graphmem.hexastore.transaction import Transaction
from graphmem.index.vectors.embeddings import EmbeddingCache
from graphmem.index.vectors.index import VectorIndex
from graphmem.index.words.index import WordIndex


@dataclass(frozen=True, slots=True)
class TextIndex:
    """Updates the word index at once; the vector index when a node's vector has been made."""

    _words: WordIndex
    _vectors: VectorIndex
    _embeddings: EmbeddingCache
    _removed: Callable[[Transaction, int], None]
    """Called for each node that is taken out."""
    _erased: Callable[[Transaction, int], None]
    """Called for each node that is erased."""

    def put(
        self, tx: Transaction, node: int, words: list[str], old: Iterable[str] | None = None
    ) -> None:
        """Index a node that is new (`old` None) or had the words `old` before."""
        self._words.put(tx, node, words, old)
        self._vectors.changed(tx, node)

    def remove(self, tx: Transaction, node: int, old: Iterable[str]) -> None:
        """Take a node out that had the words `old`."""
        self._words.remove(tx, node, old)
        self._vectors.remove(tx, node)
        self._removed(tx, node)

    def erase(self, tx: Transaction, node: int) -> None:
        """Remove all that was derived from any form of a node, live or forgotten."""
        self._embeddings.erase(tx, node)
        self._erased(tx, node)
