"""Sessions: with the setting `ephemera` "expire", an ephemeral text (`graph.kinds.lasts`) expires
24 hours after it is written; each turn of its session postpones that, `end_session` brings it
forward, and the first use removes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Final

from graphmem.graph import vocabulary
from graphmem.graph.exchanges import is_exchange, is_in_exchange, is_reply
from graphmem.graph.kinds import Stated, given_of, judge, lasts
from graphmem.graph.records import NodeRecord, Span, TextRecord
from graphmem.graph.view import View
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.remembering.drafts import Draft
from graphmem.storage.store import Store
from graphmem.values.kinds import Realm
from graphmem.values.moments import LATEST

SESSION: Final = 24 * 3600 * 1_000_000  # microseconds from a session's last turn to its end
_PUT_OFF: Final = 900 * 1_000_000  # microseconds within which the end is put off once at most
_AT_ONCE: Final = 200  # nodes in a transaction
_REMEMBERED: Final = 1000  # sessions whose last turn is kept in memory

Changing = Callable[[], AbstractContextManager[GraphWriter]]


def is_ephemeral(draft: Draft) -> bool:
    """Whether nothing of a draft is worth keeping once its session is over."""
    return all(_passes(draft.span.kind, segment.record) for segment in draft.segments)


def _passes(packed: int, text: TextRecord) -> bool:
    """Whether a text is surely worthless once its session is over."""
    return lasts(packed, text.spans, text.phrase, text.speaker) == "session"


def lasting(drafted: Iterable[Draft], view: View) -> Iterator[Draft]:
    """The same drafts; ephemeral ones without segments, unless a caller asked to keep them or they
    reply to the text before."""
    before = view.text(max(1, view.state.next_node - 1))
    for draft in drafted:
        stated, first = Stated.unpack(draft.span.kind), draft.segments[0].record
        replies = before is not None and stated.source == "rules" and is_exchange(before, first)
        stays = draft.pin or draft.span.expires is not None or stated.keep or replies
        is_kept = stays or not is_ephemeral(draft)
        before = draft.segments[-1].record if is_kept else None
        yield draft if is_kept else replace(draft, segments=())


def realm_of(draft: Draft) -> Realm:
    """The realm of a draft, judged by all its sentences together."""
    spans = tuple(span for segment in draft.segments for span in segment.record.spans)
    if not spans:
        return "ephemeral"
    first = draft.segments[0].record
    return judge(draft.span.kind, spans, first.phrase, first.speaker).realm


def passing(draft: Draft, now: int) -> Draft:
    """The draft, with an expiry for its ephemeral segments; `now` in microseconds since 1970."""
    stated = Stated.unpack(draft.span.kind)
    if draft.pin or stated.keep or draft.span.expires is not None:
        return draft
    span = Span(draft.span.valid_from, _end(now), stated._replace(passing=True).pack())
    segments = tuple(
        replace(segment, span=span) if _passes(draft.span.kind, segment.record) else segment
        for segment in draft.segments
    )
    return replace(draft, segments=segments)


def lifted(writer: GraphWriter, node: int, record: NodeRecord) -> NodeRecord:
    """The record of a node that was used: it no longer expires with its session."""
    if not record.kind or not (stated := Stated.unpack(record.kind)).passing:
        return record
    record = record._replace(kind=stated._replace(passing=False).pack())
    return writer.set_expiry(node, record, None)


def use(writer: GraphWriter, node: int, now: int) -> bool:
    """Count a use, link the node with the focus and bring it there; False if it is gone.

    `now` is in microseconds since 1970, UTC.
    """
    record = writer.view.record(node)
    if record is None:
        return False
    writer.put_record(node, lifted(writer, node, record).used(writer.tx.state.passes, now))
    if node not in writer.focus:
        writer.link_with_focus(node)
    writer.enter_focus(node)
    return True


class Sessions:
    """Postpones and brings forward the ends of the sessions of one scope."""

    def __init__(self, store: Store, scope: Scope, changing: Changing) -> None:
        """changing: a transaction, under the writer's lock."""
        self._store = store
        self._scope = scope
        self._changing = changing
        self._put_off: dict[str, int] = {}  # session → when its end was put off last

    def turn(self, session: str, node: int, now: int) -> None:
        """Postpone the end of a session to which a node was just added. A short reply and the node
        that it replies to no longer expire with it, unless a caller set their kind."""
        with self._changing() as writer:
            for each in (node - 1, node) if is_reply(writer.view, node) else ():
                record = writer.view.record(each)
                if record is not None and not given_of(record):
                    writer.put_record(each, lifted(writer, each, record))
        if now - self._put_off.get(session, -_PUT_OFF) < _PUT_OFF:
            return
        if len(self._put_off) >= _REMEMBERED:
            self._put_off.clear()
        self._put_off[session] = now
        if (block := self._store.block) is not None:
            block.undo.append(partial(self._put_off.update, {session: now - _PUT_OFF}))

        def put_off(writer: GraphWriter, node: int) -> bool:
            record = writer.view.record(node)
            if record is None or not Stated.unpack(record.kind).passing:
                return False
            writer.set_expiry(node, record, _end(now))
            return True

        self._each(session, put_off)

    def end(self, session: str, now: int) -> int:
        """Expire the ephemeral, never used nodes of a session; returns how many."""
        self._put_off.pop(session, None)

        def end(writer: GraphWriter, node: int) -> bool:
            pair = writer.view.pair(node)
            if pair is None:
                return False
            record, text = pair
            stated = Stated.unpack(record.kind)
            if not stated.passing:
                lasting = record.uses or record.pinned or record.expires is not None or stated.keep
                lasting = lasting or is_in_exchange(writer.view, node)
                if lasting or not _passes(record.kind, text):
                    return False
                record = record._replace(kind=stated._replace(passing=True).pack())
            writer.set_expiry(node, record, now)
            return True

        return self._each(session, end)

    def _each(self, session: str, change: Callable[[GraphWriter, int], bool]) -> int:
        nodes = list(vocabulary.nodes_with(self._store, self._scope, Space.SESSION, session))
        changed = 0
        with self._store.whole():
            for at in range(0, len(nodes), _AT_ONCE):
                with self._changing() as writer:
                    changed += sum(change(writer, node) for node in nodes[at : at + _AT_ONCE])
        return changed


def _end(now: int) -> int:
    """When a session ends if its last turn is now; microseconds since 1970."""
    return min(LATEST, now + SESSION)
