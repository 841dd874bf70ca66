"""Reasons: why a node is worth keeping, and which of its sentences would be dropped next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import repeat
from typing import Final

from graphmem.forgetting import undo
from graphmem.forgetting.forms import next_form
from graphmem.forgetting.holding import Held, holder
from graphmem.graph import worth
from graphmem.graph.links import ENTRY_BYTES
from graphmem.graph.records import NodeRecord, Sentence, TextRecord
from graphmem.graph.view import STRONGEST, View, counted, importance
from graphmem.hexastore.scopes import ScopeState
from graphmem.values.nodes import Form
from graphmem.values.worth import Cut, SentenceWorth, Worth
from graphmem_worker.text.salience import parts, salience
from graphmem_worker.text.selection import together

_LOOKS: Final = 100  # passes that are simulated until something of a node goes


def explain(
    view: View,
    node: int,
    rarity: Callable[[str], float],
    *,
    grace: int,
    now: int,
) -> Worth:
    """Why node `node` is worth keeping; `rarity` as in `graphmem_worker.text.salience`, `now` in
    microseconds since 1970, UTC. Raises ForgottenError, UnknownNodeError."""
    record, text = undo.known(view, node)
    links = tuple(counted(view.links(node)))
    held = holder(text, record, now, fades=view.scope.fades)
    why = [held(span) for span in text.spans]
    kept = "pinned" if record.pinned else "in focus" if node in view.focus else None
    if kept is None and why and all(why):
        kept = "protective" if "protective" in why else why[0]
    gist = text.form is Form.GIST
    found = worth.worths(view.state, text)
    for group in together(text.spans):
        for place in range(group.first, group.last + 1):
            why[place] = why[place] or group.kind
    return Worth(
        node,
        text.form,
        view.passes,
        tuple(map(_sentence_worth, text.sentences, found, why, repeat(view.state), repeat(rarity))),
        found[0] if gist else None,
        view.importance(node),
        links,
        kept,
        None if kept else _next(view, node, text, record, rarity, grace, held),
    )


def _sentence_worth(
    sentence: Sentence,
    value: float,
    why: str | None,
    state: ScopeState,
    rarity: Callable[[str], float],
) -> SentenceWorth:
    found = parts(sentence.text, rarity)
    # Changed by a model, or by the rarity of its words since it was scored.
    adjusted = sentence.salience - sum(found.values())
    if abs(adjusted) >= 0.05:
        found["adjusted"] = adjusted
    return SentenceWorth(
        sentence.text.strip(),
        sentence.salience,
        tuple(found.items()),
        len(sentence.text.strip()),
        sentence.density,
        worth.median(state, sentence.text),
        value,
        why,
    )


def _next(
    view: View,
    node: int,
    text: TextRecord,
    record: NodeRecord,
    rarity: Callable[[str], float],
    grace: int,
    held: Held,
) -> Cut | None:
    """Simulate sweeps, or making room, until something of the node goes; None if nothing does."""
    state, scope = view.state, view.scope
    strongest = view.head(node)[: STRONGEST * ENTRY_BYTES]
    score = partial(salience, rarity=rarity)
    if not scope.fades:
        order = worth.rank(state, text, record, overhead := worth.overhead(state))
        level = worth.pressed(state, text, order, overhead)
        # Without a gist, the text stays until a gist would go.
        least = level * worth.FORGOTTEN / worth.STAYS * 0.99
        forms = (next_form(text, each, state, score, held) for each in (level, least))
        return next((cut for form in forms if (cut := _cut(None, text, form)) is not None), None)
    passes = max(record.due, state.passes + 1, record.born + grace)
    for _ in range(_LOOKS):
        level = importance(strongest, passes, scope.decay, scope.fades)
        cut = _cut(passes, text, next_form(text, level, state, score, held))
        if cut is not None:
            return cut
        later = replace(state.copy(), passes=passes)
        passes = worth.due(scope, later, text, record, level, grace, held)
    return None


def _cut(passes: int | None, text: TextRecord, form: TextRecord | None) -> Cut | None:
    """What a text loses when it gets `form`; None if it stays as it is."""
    if form is text:
        return None
    if form is None:
        return Cut(passes, None, tuple(map(str.strip, text.spans)) or (text.phrase,), ())
    lost = tuple(span.strip() for span in text.spans if span not in form.spans)
    new = tuple(span.strip() for span in form.spans if span not in text.spans)
    return Cut(passes, form.form, lost, (form.phrase,) if form.form is Form.GIST else new)
