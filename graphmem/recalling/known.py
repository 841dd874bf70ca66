"""What was known at a moment: the memories in their forms of then, also if forgotten since.

The archive has the forms of all nodes that changed after the moment; the others were as they are
now. A replaced memory held until the one that took its place was remembered, which may have been
corrected or forgotten since.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import log
from typing import Final, NamedTuple, Protocol

from graphmem.graph.records import AWAY, NodeRecord, TextRecord, as_node
from graphmem.graph.view import View
from graphmem.index.words.index import WordReader
from graphmem.recalling.question import Filter, Question
from graphmem.values.hits import Hit
from graphmem.values.recall import Recall
from graphmem.values.rendering import LINE_TOKENS, Layout
from graphmem_worker.text.words import words

_READ: Final = 2000  # nodes whose records are read, the best first
_LEAST_SHARE: Final = 0.6  # times the squared best score: the least score of a hit


class Form(Protocol):
    """An archived form of a node."""

    @property
    def node(self) -> int: ...
    @property
    def when(self) -> int: ...
    @property
    def text(self) -> TextRecord: ...
    @property
    def record(self) -> NodeRecord: ...
    @property
    def superseded(self) -> Sequence[int]: ...


Known = tuple[int, NodeRecord, TextRecord]
Forms = Callable[[View], Iterator[Form]]
"""The archived forms, the last archived first."""


class Changed(NamedTuple):
    """What the archive has of the time since a moment."""

    forms: Mapping[int, Form]
    """Node → its form at the moment, for the nodes that have changed since."""
    over: Mapping[int, Sequence[int]]
    """Replaced node → when those were remembered that took its place and that are gone now."""


def changed_since(forms: Iterable[Form], moment: int) -> Changed:
    """What is changed since a moment. forms: all archived ones, the last first."""
    found: dict[int, Form] = {}
    over: defaultdict[int, list[int]] = defaultdict(list)
    for form in forms:
        if form.when <= moment:
            break
        found[form.node] = form  # the earliest one since comes last
        for node in form.superseded:
            over[node].append(form.text.created)
    return Changed(found, over)


def states(view: View, changed: Changed, only: Filter, live: Iterable[int]) -> Iterator[Known]:
    """The states at `only.known_at` of some live nodes and all changed ones that `only` admits."""
    moment = only.known_at
    assert moment is not None
    pairs = ((node, view.pair(node)) for node in live if node not in changed.forms)
    living = ((node, *pair) for node, pair in pairs if pair is not None)
    gone = ((node, form.record, form.text) for node, form in changed.forms.items())
    for node, record, text in chain(living, gone):
        if text.created > moment or (record.expires is not None and record.expires <= moment):
            continue
        ended = _ended(view, node, record, changed.over.get(node, ()), moment)
        if ended == AWAY:
            continue
        if ended != record.valid_to:
            record = record._replace(valid_to=ended)
        if only.admits(node, text, record):
            yield node, record, text


def _ended(
    view: View, node: int, record: NodeRecord, over: Sequence[int], moment: int
) -> int | None:
    """Until when a node held, as was known at a moment; None: it held; AWAY: it was forgotten."""
    was_over = any(born <= moment for born in over)
    for until, known_from, known_up_to in record.undone:
        if moment < known_up_to and (until != AWAY or known_from <= moment):
            return until if was_over or known_from <= moment else None
    if record.valid_to is None or was_over:
        return record.valid_to
    newer = [view.text(source) for source in view.over(node)]
    # If nothing is left of what took its place, then neither is the time of it.
    is_over = any(text is None or text.created <= moment for text in newer) or not (newer or over)
    return record.valid_to if is_over else None


def recall(view: View, index: WordReader, question: Question, changed: Changed) -> Recall:
    """The memories of a moment by the share of the cue's words that they hold, weighted by rarity.
    Links and vectors are those of today, and are not used."""
    total = max(1, view.state.documents)
    found = {word: index.find(word).nodes for word in dict.fromkeys(words(question.cue))}
    weights = {word: log(1 + total / (1 + len(nodes))) for word, nodes in found.items()}
    scores: dict[int, float] = {}
    for word, nodes in found.items():
        for node in nodes.tolist():
            scores[node] = scores.get(node, 0.0) + weights[word]
    may_be = filter(question.only.may_be, scores)
    live = sorted(may_be, key=lambda node: (-scores[node], -node))[:_READ]
    whole = sum(weights.values()) or 1.0
    hits = []
    for node, record, text in states(view, changed, question.only, live):
        score = scores.get(node, 0.0)
        if node in changed.forms:  # the index has the words of today
            held = set(text.words)
            score = sum(weight for word, weight in weights.items() if word in held)
        if score > 0.0:
            share = score / whole
            known = as_node(node, text, record, view.zone)
            hits.append(Hit(known, share, {"words": share}, (), share, scope=view.scope.name))
    hits.sort(key=lambda hit: (-hit.score, -hit.id))
    if question.cut and hits:
        floor = _LEAST_SHARE * hits[0].score ** 2
        hits = [hit for hit in hits if hit.score >= floor]
    limit, tokens = question.limit, question.tokens
    wanted = max(limit, (tokens or 0) // LINE_TOKENS)
    further = [hit.node for hit in hits[limit:wanted]] if tokens is not None else []
    answered = hits[0].coverage if hits else 0.0
    return Recall(
        question.cue, hits[:limit], further, [], tokens, question.counter, None,
        Layout(sought=tuple(weights.items())), answered,
    )  # fmt: skip
