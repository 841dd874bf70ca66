"""Listing: the nodes that fit a filter, in the order of their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from graphmem.graph import vocabulary
from graphmem.graph.records import NodeRecord, TextRecord, as_node
from graphmem.graph.view import View
from graphmem.hexastore.keys import Space
from graphmem.index.words.index import WordReader
from graphmem.recalling import finding, known
from graphmem.recalling.question import Filter
from graphmem.values.nodes import Form, Node
from graphmem_worker.text.words import folded, words


@dataclass(frozen=True, slots=True)
class Asked:
    """What `nodes` lists; None asks for any."""

    words: str | None = None
    text: str | None = None
    keyword: str | None = None
    only: Filter = Filter()
    form: Form | None = None
    pinned: bool | None = None
    reverse: bool = False  # newest first


def nodes(
    view: View,
    asked: Asked,
    index: Callable[[], WordReader] | None = None,
    forms: known.Forms | None = None,
) -> Iterator[Node]:
    """The nodes that fit, read lazily from the snapshot of `view`, which must stay open.

    index: makes a reader of the word index; needed for `words` and `text`.
    forms: the archived forms, the last first; needed for `known_at`.
    """
    if asked.only.known_at is not None:
        yield from _known(view, asked, forms)
        return
    for node in _candidates(view, asked, index):
        if (pair := view.pair(node)) is None or not asked.only.admits(node, pair[1], pair[0]):
            continue
        record, text = pair
        if _fits(asked, record, text):
            yield as_node(node, text, record, view.zone)


def _fits(asked: Asked, record: NodeRecord, text: TextRecord) -> bool:
    if asked.text is not None and not finding.holds(text, folded(asked.text)):
        return False
    if asked.pinned is not None and record.pinned != asked.pinned:
        return False
    if asked.keyword is not None and asked.keyword not in text.keywords:
        return False
    return asked.form is None or text.form is asked.form


def _known(view: View, asked: Asked, forms: known.Forms | None) -> Iterator[Node]:
    """The nodes as they were known at a moment; reads all of them."""
    moment = asked.only.known_at
    assert forms is not None
    assert moment is not None
    changed = known.changed_since(forms(view), moment)
    held = set() if asked.words is None else set(words(asked.words))
    found = [
        as_node(node, text, record, view.zone)
        for node, record, text in known.states(view, changed, asked.only, view.nodes())
        if _fits(asked, record, text) and held.issubset(text.words)
    ]
    yield from sorted(found, key=lambda node: node.id, reverse=asked.reverse)


def _candidates(view: View, asked: Asked, index: Callable[[], WordReader] | None) -> Iterator[int]:
    found: list[int] | None = None
    if asked.words is not None:
        assert index is not None
        found = index().holding(words(asked.words)).tolist()
    elif asked.text is not None:
        assert index is not None
        found = finding.candidates(index, folded(asked.text))
    if found is not None:
        return reversed(found) if asked.reverse else iter(found)
    for space, value in ((Space.KEYWORD, asked.keyword), (Space.SESSION, asked.only.session)):
        if value is not None:
            return vocabulary.nodes_with(view.reader, view.scope, space, value, asked.reverse)
    return view.nodes(asked.reverse)
