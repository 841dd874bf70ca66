"""Intake: what one `remember` writes, in one batch, or over 64 segments under an intent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from graphmem.graph import pins, worth
from graphmem.graph.ground import Ground
from graphmem.graph.kinds import Stated
from graphmem.graph.records import NodeRecord, TextRecord, as_node
from graphmem.graph.relations import SEGMENT
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.hexastore.spaces import Declared, Salvage
from graphmem.index.texts import TextIndex
from graphmem.remembering.drafts import Draft, Segment
from graphmem.services import queue
from graphmem.values.nodes import Form, Node

_SET_BACK: Final = 7 * 86_400_000_000  # microseconds by which a clock that was wrong is set back
BATCH_SEGMENTS: Final = 64  # a segment with its links takes about 10 KB, so under 1 MB a batch


@dataclass(frozen=True, slots=True)
class Intake:
    """Writes drafts into one scope."""

    ground: Ground
    index: TextIndex
    make_room: Callable[[GraphWriter, int], None]
    """Called with the number of nodes that are about to be created."""
    note: Callable[[GraphWriter, int], None]
    """Called with the first node of each text that is written."""

    def write(self, drafts: Sequence[Draft], now: int) -> list[list[Node]]:
        """Write drafts in their order and return the nodes of each.

        Each draft is written completely or not at all; small ones share batches. `now` is in
        microseconds since 1970, UTC.
        """
        written: list[list[Node]] = []
        with self.ground.store.writing:
            position = 0
            while position < len(drafts):
                end, size = position + 1, len(drafts[position].segments)
                if size > BATCH_SEGMENTS:
                    written.append(self._write_large(drafts[position], now))
                    position = end
                    continue
                while end < len(drafts) and size + len(drafts[end].segments) <= BATCH_SEGMENTS:
                    size += len(drafts[end].segments)
                    end += 1
                with self.ground.writing(joins=True) as writer:
                    written.extend(
                        self._repeated(writer, draft, now) or self.add(writer, draft)
                        for draft in drafts[position:end]
                    )
                position = end
        return written

    def add(self, writer: GraphWriter, draft: Draft) -> list[Node]:
        """Write a draft of at most `BATCH_SEGMENTS` segments into a transaction. Raises
        PinLimitError, CapacityError."""
        if draft.pin:
            pinned = writer.tx.state.pinned + len(draft.segments)
            pins.check(pinned, self.ground.settings.max_nodes)
        self.make_room(writer, len(draft.segments))
        first = writer.reserve(len(draft.segments))
        records = self._write_segments(writer, first, draft.segments, draft, None)
        self._join(writer, draft, first)
        self._set_due(writer, first, draft.segments, records)
        self.note(writer, first)
        return _nodes(writer, first, draft.segments, records)

    def _write_large(self, draft: Draft, now: int) -> list[Node]:
        count = len(draft.segments)
        with self.ground.writing(joins=True) as writer:
            if (repeated := self._repeated(writer, draft, now)) is not None:
                return repeated
            first = writer.reserve(count)
            intent = self.ground.scope.prefix(Space.INTENT) + keys.u64(first)
            writer.tx.insert(intent, keys.u64(first + count - 1))
            writer.tx.state.intents += 1
        nodes: list[Node] = []
        for at in range(0, count, BATCH_SEGMENTS):
            part = draft.segments[at : at + BATCH_SEGMENTS]
            previous = first + at - 1 if at else None
            with self.ground.writing(joins=True) as writer:
                self.make_room(writer, len(part))
                records = self._write_segments(writer, first + at, part, draft, previous)
                self._set_due(writer, first + at, part, records)
                nodes += _nodes(writer, first + at, part, records)
        with self.ground.writing(joins=True) as writer:
            writer.tx.delete(intent)
            writer.tx.state.intents -= 1
            self._join(writer, draft, first)
            record = writer.view.record(first)
            assert record is not None, "written above, and not hidden any more"
            self._set_due(writer, first, draft.segments[:1], [record])
            self.note(writer, first)
        return nodes

    def _write_segments(
        self,
        writer: GraphWriter,
        first: int,
        segments: Sequence[Segment],
        draft: Draft,
        previous: int | None,
    ) -> list[NodeRecord]:
        """Create the nodes of consecutive segments, chained to each other and to `previous`; the
        caller sets when they are due."""
        records: list[NodeRecord] = []
        behind = _behind(writer, first, segments[0].record)
        for node, segment in enumerate(segments, first):
            worth.observe(writer.tx.state, segment.record)
            span = segment.span or draft.span
            text = segment.record._replace(behind=behind)
            record = writer.create(node, text, pinned=draft.pin, span=span)
            self.index.put(writer.tx, node, segment.words)
            queue.put(writer.tx, node)
            if previous is not None:
                writer.link_both(previous, SEGMENT, node)
            records.append(record)
            previous = node
        return records

    def _join(self, writer: GraphWriter, draft: Draft, first: int) -> None:
        """Link the first segment with the focus, and bring the last into it."""
        last = first + len(draft.segments) - 1
        writer.link_with_focus(first)
        writer.enter_focus(last)
        writer.tx.put(
            self.ground.scope.prefix(Space.LAST_TEXT),
            draft.fingerprint + keys.u64(first) + keys.u64(last),
        )

    def _set_due(
        self,
        writer: GraphWriter,
        first: int,
        segments: Sequence[Segment],
        records: Sequence[NodeRecord],
    ) -> None:
        """Set when the nodes of consecutive segments are due, now that their links are made."""
        for node, (segment, record) in enumerate(zip(segments, records, strict=True), first):
            writer.schedule(node, segment.record, record, self.ground.settings.grace)

    def _repeated(self, writer: GraphWriter, draft: Draft, now: int) -> list[Node] | None:
        """If the draft equals the last text, count a use of its nodes and return them."""
        last = writer.tx.get(self.ground.scope.prefix(Space.LAST_TEXT)) or b""
        if last[:16] != draft.fingerprint:
            return None
        first, end = int.from_bytes(last[16:24], "big"), int.from_bytes(last[24:], "big")
        known: list[tuple[int, TextRecord, NodeRecord]] = []
        for node in range(first, end + 1):
            pair = writer.view.pair(node)
            if pair is None or pair[1].form is not Form.WHOLE or pair[0].valid_to is not None:
                return None  # part of it was forgotten or replaced: write it as new
            record, text = pair
            known.append((node, text, record))
        nodes: list[Node] = []
        for (node, text, record), segment in zip(known, draft.segments, strict=True):
            span = segment.span or draft.span
            if draft.pin and not record.pinned:
                writer.count_pin(1)
                record = record._replace(pinned=True)
            record = record.used(writer.tx.state.passes, now)
            given = draft.span.importance
            record = record._replace(
                shared=record.shared or draft.span.shared,
                importance=record.importance if given is None else given,
            )
            writer.put_record(node, record)
            if segment.span is None or Stated.unpack(record.kind).passing:  # else it was used
                longest = None  # repeating a text never shortens its life
                if record.expires is not None and span.expires is not None:
                    longest = max(record.expires, span.expires)
                record = writer.set_expiry(node, record, longest)
                if span.kind and span.kind != record.kind:
                    record = record._replace(kind=span.kind)
                    writer.put_record(node, record)
            nodes.append(as_node(node, text, record, writer.view.zone))
        writer.enter_focus(end)
        return nodes


def _behind(writer: GraphWriter, first: int, text: TextRecord) -> int:
    """`TextRecord.behind` of a text that follows all stored ones."""
    before = writer.view.text(first - 1)  # there as a rule
    if before is None:
        last = next(writer.view.nodes(reverse=True, after=first), None)
        before = None if last is None else writer.view.text(last)
    if before is None:
        return 0
    if before.created == text.created:
        return before.behind
    back = (before.behind or before.created) - text.created
    return text.created + back + 1 if 0 < back <= _SET_BACK else 0


def _nodes(
    writer: GraphWriter, first: int, segments: Sequence[Segment], records: Sequence[NodeRecord]
) -> list[Node]:
    pairs, zone = zip(segments, records, strict=True), writer.view.zone
    return [
        as_node(node, segment.record, record, zone)
        for node, (segment, record) in enumerate(pairs, first)
    ]


SPACES: Final = (
    Declared(
        Space.LAST_TEXT, 0, (32,), Salvage.COPIED,
        record="last_text",
        dump=lambda _, value: value.hex(),
        load=lambda record: (b"", bytes.fromhex(record)),
    ),
)  # fmt: skip
