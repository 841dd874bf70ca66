"""What others do, on the same memory: vectors alone, 0.7/0.3, reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import graphmem
from graphmem.api.opening import rooms
from graphmem_worker.text.words import words

_RANKS: Final = 60  # Cormack et al., Reciprocal Rank Fusion (2009)


def by_words(memory: graphmem.Memory, cue: str) -> list[int]:
    """All nodes that hold a word of the cue, by BM25."""
    index, knobs = rooms(memory).words, memory.admin.settings
    held = index.hold()
    with rooms(memory).store.snapshot() as snapshot:
        state = rooms(memory).scope.read_state(snapshot)
        found = index.reader(snapshot, snapshot.sequence, held).search(
            dict.fromkeys(words(cue), 1.0), state.documents, state.words,
            k1=knobs.ranking.bm25_k1, b=knobs.ranking.bm25_b,
        )  # fmt: skip
    scores = dict(zip(found.nodes.tolist(), found.scores.tolist(), strict=True))
    return sorted(scores, key=lambda node: (-scores[node], node))


def by_vectors(memory: graphmem.Memory, cue: str) -> list[int]:
    """The nodes that are nearer to the cue than the mean of all, by cosine."""
    vector, notes = rooms(memory).recaller.cue_vector(cue)
    if vector is None:
        raise RuntimeError(f"no vector for {cue!r}: {notes}")
    held = rooms(memory).vectors.hold()
    with rooms(memory).store.snapshot() as snapshot:
        nearest = rooms(memory).vectors.nearest(held, snapshot.sequence, vector)
    shares = {} if nearest is None else nearest.best(nearest.count)
    return sorted(shares, key=lambda node: (-shares[node], node))


def by_fusion(memory: graphmem.Memory, cue: str) -> list[int]:
    """Both rankings, fused: the sum of 1 / (60 + rank)."""
    scores: dict[int, float] = {}
    for ranking in (by_words(memory, cue), by_vectors(memory, cue)):
        for rank, node in enumerate(ranking, 1):
            scores[node] = scores.get(node, 0.0) + 1 / (_RANKS + rank)
    return sorted(scores, key=lambda node: (-scores[node], node))


def by_hybrid(memory: graphmem.Memory, cue: str) -> list[int]:
    """0.7 × vectors + 0.3 × words, as `mode="hybrid"`."""
    return [hit.id for hit in memory.recall(cue, mode="hybrid", limit=1000, use=False)]


BASELINES: Final[dict[str, Callable[[graphmem.Memory, str], list[int]]]] = {
    "vectors": by_vectors,
    "hybrid-0.7-0.3": by_hybrid,
    "rrf": by_fusion,
}
"""method → nodes, best first"""
