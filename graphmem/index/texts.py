"""Both indexes of what nodes say: one writer changes them in step."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from graphmem.hexastore.transaction import Transaction
from graphmem.index.vectors.embeddings import EmbeddingCache
from graphmem.index.vectors.index import VectorIndex
from graphmem.index.words.index import WordIndex


class TextIndex:
    """The word index at once; the vector index once a node's vector has been made."""

    def __init__(
        self,
        words: WordIndex,
        vectors: VectorIndex,
        embeddings: EmbeddingCache,
        removed: Callable[[Transaction, int], None],
        erased: Callable[[Transaction, int], None],
    ) -> None:
        """removed, erased: called for each node that is taken out, or erased."""
        self._words = words
        self._vectors = vectors
        self._embeddings = embeddings
        self._removed = removed
        self._erased = erased

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
        self._removed(tx, node)

    def erase(self, tx: Transaction, node: int) -> None:
        """Leave nothing that was made of any form of a node, live or forgotten."""
        self._embeddings.erase(tx, node)
        self._erased(tx, node)
