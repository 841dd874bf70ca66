"""Reasons: what makes a node worth keeping, and what of it would go next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from graphmem.forgetting.forms import next_form
from graphmem.graph import adjacency, worth
from graphmem.graph.records import Form, NodeRecord, Sentence, TextRecord
from graphmem.graph.view import STRONGEST, View, importance
from graphmem.graph.worth import Cut, SentenceWorth, Worth
from graphmem.hexastore.scopes import ScopeState
from graphmem_worker.salience import parts, salience

_LOOKS: Final = 100  # times that a node is looked at and found fit before it is given up on


def explain(
    view: View,
    node: int,
    text: TextRecord,
    record: NodeRecord,
    rarity: Callable[[str], float],
    *,
    grace: int,
) -> Worth:
    """Why node `node` is worth keeping; `rarity` as in `graphmem_worker.salience`."""
    links = [link for link, _ in zip(view.links(node), range(STRONGEST), strict=False)]
    kept = "pinned" if record.pinned else "in focus" if node in view.focus else None
    gist = text.form is Form.GIST
    return Worth(
        node,
        text.form,
        view.passes,
        tuple(_of(sentence, view.state, rarity) for sentence in text.sentences),
        worth.worths(view.state, text)[0] if gist else None,
        view.importance(node),
        tuple(links),
        kept,
        None if kept else _next(view, node, text, record, rarity, grace),
    )


def _of(sentence: Sentence, state: ScopeState, rarity: Callable[[str], float]) -> SentenceWorth:
    found = parts(sentence.text, rarity)
    # What a model has changed about it, and how rare its words have become since it was scored.
    adjusted = sentence.salience - sum(found.values())
    if abs(adjusted) >= 0.05:
        found["adjusted"] = adjusted
    median = worth.median(state, sentence.text)
    return SentenceWorth(
        sentence.text.strip(),
        sentence.salience,
        tuple(found.items()),
        len(sentence.text.strip()),
        sentence.density,
        median,
        sentence.density / median,
    )


def _next(
    view: View,
    node: int,
    text: TextRecord,
    record: NodeRecord,
    rarity: Callable[[str], float],
    grace: int,
) -> Cut | None:
    """Look at the node when a sweep would, until something of it goes."""
    state, decay = view.state, view.scope.decay
    strongest = view.head(node)[: STRONGEST * adjacency.ENTRY_BYTES]
    score = partial(salience, rarity=rarity)
    passes = max(record.due, state.passes + 1, record.born + grace)
    for _ in range(_LOOKS):
        important = importance(strongest, passes, decay)
        form = next_form(text, important, state, score)
        if form is None:
            lost = tuple(map(str.strip, text.spans)) or (text.phrase,)
            return Cut(passes, None, lost, ())
        if form is not text:
            lost = tuple(span.strip() for span in text.spans if span not in form.spans)
            new = tuple(span.strip() for span in form.spans if span not in text.spans)
            kept = (form.phrase,) if form.form is Form.GIST else new
            return Cut(passes, form.form, lost, kept)
        later = replace(state.copy(), passes=passes)
        passes = worth.due(view.scope, later, text, record, important, grace)
    return None
