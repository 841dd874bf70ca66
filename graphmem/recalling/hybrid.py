"""`mode="hybrid"`: 0.7 × vectors + 0.3 × words and nothing else, to compare with."""

from __future__ import annotations

import heapq
from typing import Final

from graphmem.graph.records import Node
from graphmem.graph.view import View
from graphmem.index.vectors import Nearest
from graphmem.index.words import WordReader
from graphmem.recalling.context import LINE_TOKENS, TokenCounter
from graphmem.recalling.ranking import Filter
from graphmem.recalling.recall import Hit, Recall
from graphmem.settings import Settings
from graphmem_worker.words import words

VECTORS: Final = 0.7
_SHORTLIST: Final = 2000  # nodes whose records are read, the best first, until there are enough


def recall(
    view: View,
    index: WordReader,
    nearest: Nearest | None,
    knobs: Settings,
    cue: str,
    *,
    limit: int,
    tokens: int | None,
    counter: TokenCounter,
    only: Filter,
) -> Recall:
    """The nodes by the sum of both, each against its best: BM25 from 0, vectors from their mean."""
    state = view.state
    found = index.search(
        dict.fromkeys(words(cue), 1.0),
        state.documents,
        state.words,
        k1=knobs.bm25_k1,
        b=knobs.bm25_b,
    )
    best = float(found.scores.max(initial=0.0))
    told = {
        node: (1 - VECTORS) * score / best
        for node, score in zip(found.nodes.tolist(), found.scores.tolist(), strict=True)
    }
    near = {} if nearest is None else nearest.best(_SHORTLIST)
    near = {node: VECTORS * share for node, share in near.items()}
    total = {node: told.get(node, 0.0) + near.get(node, 0.0) for node in told | near}
    order = heapq.nsmallest(_SHORTLIST, total, key=lambda node: (-total[node], node))
    wanted = max(limit, (tokens or 0) // LINE_TOKENS)
    hits: list[Hit] = []
    for pair in view.pairs(order):
        if len(hits) == wanted:
            break
        if isinstance(pair, int) or not only.admits(pair[2]):
            continue
        node, record, text = pair
        parts = {"words": told.get(node, 0.0), "vector": near.get(node, 0.0)}
        hits.append(Hit(Node.of(node, text, record), total[node], parts, ()))
    further = [hit.node for hit in hits[limit:]] if tokens is not None else []
    return Recall(cue, hits[:limit], further, [], tokens, counter)
