"""`mode="hybrid"`: 0.7 × vectors + 0.3 × words and nothing else, for comparison."""

from __future__ import annotations

import heapq
from typing import Final

from graphmem.graph.records import as_node
from graphmem.graph.view import View
from graphmem.index.vectors.index import Nearest
from graphmem.index.words.index import WordReader
from graphmem.recalling.question import Question
from graphmem.settings import Settings
from graphmem.values.hits import Hit
from graphmem.values.recall import Recall
from graphmem.values.rendering import LINE_TOKENS, Layout
from graphmem_worker.text.words import words

VECTORS: Final = 0.7
_SHORTLIST: Final = 2000  # nodes whose records are read, the best first, until there are enough


def recall(
    view: View,
    index: WordReader,
    nearest: Nearest | None,
    knobs: Settings,
    question: Question,
) -> Recall:
    """The nodes by the sum of both, as shares of the best: BM25 from 0, vectors from their mean."""
    state, only, limit, tokens = view.state, question.only, question.limit, question.tokens
    sought = dict.fromkeys(words(question.cue), 1.0)
    found = index.search(
        sought, state.documents, state.words, k1=knobs.ranking.bm25_k1, b=knobs.ranking.bm25_b
    )
    best = float(found.scores.max(initial=0.0))
    matched = {
        node: (1 - VECTORS) * score / best
        for node, score in zip(found.nodes.tolist(), found.scores.tolist(), strict=True)
    }
    near: dict[int, float] = {}
    if nearest is not None:
        near = nearest.best(_SHORTLIST) if only.among is None else nearest.shares(only.among)
    near = {node: VECTORS * share for node, share in near.items()}
    every = filter(only.may_be, matched | near)
    total = {node: matched.get(node, 0.0) + near.get(node, 0.0) for node in every}
    order = heapq.nsmallest(_SHORTLIST, total, key=lambda node: (-total[node], node))
    wanted = max(limit, (tokens or 0) // LINE_TOKENS)
    hits: list[Hit] = []
    for node, record, text in view.pairs(order):
        if len(hits) == wanted:
            break
        if not only.admits(node, text, record):
            continue
        parts = {"words": matched.get(node, 0.0), "vector": near.get(node, 0.0)}
        known = as_node(node, text, record, view.zone)
        hits.append(Hit(known, total[node], parts, (), scope=view.scope.name))
    further = [hit.node for hit in hits[limit:]] if tokens is not None else []
    return Recall(
        question.cue, hits[:limit], further, [], tokens, question.counter,
        layout=Layout(sought=tuple(sought.items())),
    )  # fmt: skip
