"""Decisions: which memories say what a project has decided, explicitly enough to write it down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from graphmem.graph.kinds import decides, kind_of
from graphmem.graph.records import NodeRecord, TextRecord, as_node
from graphmem.graph.view import View
from graphmem.values.nodes import Form, Node

EXPLICIT: Final = 0.9


def decisions(view: View, now: int) -> Iterator[Node]:
    """The explicit decisions of the project that hold `now` (microseconds since 1970), oldest
    first: whole, without an end, of the realm *project* with a confidence of 0.9 or more, with a
    sentence that decides something, unless the metadata says `decision: true` or `false`."""
    for node, record, text in view.all_pairs():
        if _holds(record, text, now) and decides(text):
            kind = kind_of(record, text)
            if kind.realm == "project" and kind.confidence >= EXPLICIT:
                yield as_node(node, text, record)


def _holds(record: NodeRecord, text: TextRecord, now: int) -> bool:
    begun = text.valid_from if record.valid_from is None else record.valid_from
    return (
        text.form is Form.WHOLE
        and not text.derived
        and record.valid_to is None
        and record.expires is None
        and begun <= now
    )
