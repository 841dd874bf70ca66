"""What was known at a moment: the memories in their forms of then, also if forgotten since.

The archive has the forms of all nodes that changed after the moment; the others were as they are
now. A replaced memory held until the one that took its place was remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import log
from typing import Final, Protocol

from graphmem.graph.records import NodeRecord, TextRecord, as_node
from graphmem.graph.relations import SUPERSEDES
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


Known = tuple[int, NodeRecord, TextRecord]
Forms = Callable[[View], Iterator[Form]]
"""The archived forms, the last archived first."""


def changed_since(forms: Iterable[Form], moment: int) -> dict[int, Form]:
    """Node → its form at a moment, for the nodes that have changed since."""
    found: dict[int, Form] = {}
    for form in forms:
        if form.when <= moment:
            break
        found[form.node] = form  # the earliest one since comes last
    return found


def states(
    view: View, changed: Mapping[int, Form], only: Filter, live: Iterable[int]
) -> Iterator[Known]:
    """The states at `only.known_at` of some live nodes and all changed ones that `only` admits."""
    moment = only.known_at
    assert moment is not None
    for node in live:
        if node not in changed and (pair := view.pair(node)) is not None:
            yield from _admitted(view, node, *pair, only, moment)
    for node, form in changed.items():
        yield from _admitted(view, node, form.record, form.text, only, moment)


def _admitted(
    view: View, node: int, record: NodeRecord, text: TextRecord, only: Filter, moment: int
) -> Iterator[Known]:
    if text.created > moment or (record.expires is not None and record.expires <= moment):
        return
    if record.valid_to is not None and not _was_closed(view, node, moment):
        record = record._replace(valid_to=None)
    if only.admits(node, text, record):
        yield node, record, text


def _was_closed(view: View, node: int, moment: int) -> bool:
    """Whether a node had been replaced by a moment."""
    for link in view.incoming(node):
        if link.relation == SUPERSEDES:
            newer = view.text(link.source)
            return newer is None or newer.created <= moment
    return True  # its successor has been forgotten, and the time of it with it


def recall(
    view: View, index: WordReader, question: Question, changed: Mapping[int, Form]
) -> Recall:
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
        if node in changed:  # the index has the words of today
            held = set(text.words)
            score = sum(weight for word, weight in weights.items() if word in held)
        if score > 0.0:
            share = score / whole
            known = as_node(node, text, record, view.zone)
            hits.append(Hit(known, share, {"words": share}, (), coverage=share))
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
