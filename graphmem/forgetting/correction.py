"""Correction and replacement: the successor of a corrected node takes over its attributes; a
replaced node keeps them and is closed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import chain
from typing import NamedTuple

from graphmem.errors import InvalidArgumentError
from graphmem.forgetting import archive, undo
from graphmem.forgetting.removal import Removal
from graphmem.graph import kinds, pins, worth
from graphmem.graph.ground import Ground
from graphmem.graph.kinds import Stated
from graphmem.graph.records import as_node
from graphmem.graph.relations import FOCUS, SEGMENT, SUPERSEDES
from graphmem.graph.view import View
from graphmem.graph.writer import GraphWriter
from graphmem.values.metadata import Scalar
from graphmem.values.moments import moment
from graphmem.values.nodes import Node


class Kept(NamedTuple):
    """What the successor of a corrected node takes over."""

    speaker: str | None
    happened: datetime | None
    session: str | None
    keywords: tuple[str, ...]  # those that a user gave
    pin: bool
    expires: datetime | None
    valid_from: datetime | None  # None: since it happened
    metadata: dict[str, Scalar]
    stated: int  # the kind that a caller gave, packed
    shared: bool
    importance: float | None


def kept_of(view: View, node: int) -> Kept:
    """Raises ForgottenError, UnknownNodeError."""
    record, text = undo.known(view, node)
    known = as_node(node, text, record, view.zone)
    given = text.keywords[: text.given]
    since = None if record.valid_from is None else known.valid_from
    passing = Stated.unpack(record.kind).passing  # it expires with its session: not by a caller
    return Kept(
        known.speaker, known.happened, known.session, given, known.pinned,
        None if passing else known.expires, since, known.metadata, kinds.given_of(record),
        known.shared, known.importance,
    )  # fmt: skip


def supersede(
    writer: GraphWriter, ground: Ground, kept: int, over: int, since: int | None = None
) -> Node:
    """Close `over` in favour of the existing `kept`, at `since` (microseconds since 1970); None:
    when `kept` began to hold, if that is later, else now. Both must hold. Returns `kept`, which
    takes over the pin.

    Raises ForgottenError, UnknownNodeError, InvalidArgumentError.
    """
    if kept == over:
        raise InvalidArgumentError(f"node {kept} cannot take its own place")
    sides, pinned = [], False
    for node in (over, kept):
        record, text = undo.known(writer.view, node)
        writer.view.require_holding(node, record, is_by=node == kept)
        sides.append(text.valid_from if record.valid_from is None else record.valid_from)
        pinned = pinned or record.pinned
    if since is not None:
        open_at(writer.view, over, since)
    else:
        since = sides[1] if sides[1] > sides[0] else ground.now()
    close(writer, over, since)
    writer.link(kept, SUPERSEDES, over)
    record, text = undo.known(writer.view, kept)
    return pins.change(writer, kept, record, text, pinned, most=None, grace=ground.settings.grace)


def close(writer: GraphWriter, node: int, until: int) -> None:
    """End the validity of a node at `until` (microseconds since 1970); from now on it may fade. It
    has held for at least a microsecond: before `until`, if the clock was set back since.

    Raises ForgottenError, UnknownNodeError; InvalidArgumentError if it was replaced already.
    """
    record, text = undo.known(writer.view, node)
    writer.view.require_holding(node, record)
    if record.valid_from is None and text.happened is None and text.created >= until:
        record = record._replace(valid_from=until - 1)
    begun = text.valid_from if record.valid_from is None else record.valid_from
    since = max(until, begun + 1)
    if record.pinned:
        writer.count_pin(-1)
    record = record._replace(valid_to=since, pinned=False, had_pin=record.pinned)
    scope, state = writer.tx.scope, writer.tx.state
    if scope.fades:
        writer.put_record(node, record)
    else:
        writer.set_due(node, record, worth.rank(state, text, record, worth.overhead(state)))


def reopen(writer: GraphWriter, removal: Removal, node: int, withdrawn: Sequence[int]) -> Node:
    """Undo the closing of a node: it holds again, nothing supersedes it, and it is pinned if it was
    before, or if a withdrawn node is.

    withdrawn: nodes that were written in its place; they are forgotten.
    Raises ForgottenError, UnknownNodeError, PinLimitError; InvalidArgumentError if the node holds,
    or if one that is withdrawn was not written in its place alone or was replaced itself.
    """
    record, text = undo.known(writer.view, node)
    if record.valid_to is None:
        raise InvalidArgumentError(f"node {node} was not replaced: it holds")
    over = writer.view.over(node)
    _require_successors(writer.view, node, over, withdrawn)
    live = (text for text in map(writer.view.text, over) if text is not None)
    gone = (form.text for form in archive.newest_first(writer.view) if node in form.superseded)
    known_from = next((text.created for text in chain(live, gone)), 0)
    pinned = record.pinned or record.had_pin
    for each in dict.fromkeys(withdrawn):
        pinned = pinned or undo.known(writer.view, each)[0].pinned
        writer.unlink(node, FOCUS, each)  # or it would dangle
        removal.forget(writer, each, "asked")
    for source in over:
        if source not in withdrawn:
            writer.unlink(source, SUPERSEDES, node)
    settings = removal.ground.settings
    if pinned and not record.pinned:
        pins.check(writer.tx.state.pinned + 1, settings.max_nodes)
        writer.count_pin(1)
    undone = (*record.undone, (record.valid_to, known_from, removal.ground.now()))
    record = record._replace(valid_to=None, pinned=pinned, had_pin=False, undone=undone)
    record = writer.schedule(node, text, record, settings.grace)
    return as_node(node, text, record, writer.view.zone)


def _require_successors(
    view: View, node: int, over: Sequence[int], withdrawn: Sequence[int]
) -> None:
    """Raise InvalidArgumentError if a withdrawn node did not replace `node`, or was replaced."""
    for each in withdrawn:
        if undo.known(view, each)[0].valid_to is not None:
            raise InvalidArgumentError(
                f"node {each}, which took the place of node {node}, was replaced itself; "
                f"reopen node {each} first"
            )
    # Of a text of several segments only the first supersedes; the others are linked to it.
    known = {each for each in withdrawn if each in over}
    since = undo.known(view, node)[0].valid_to
    for each in known:
        places = {link.target for link in view.links(each) if link.relation == SUPERSEDES}
        if places != {node} or undo.known(view, each)[0].valid_from != since:
            raise InvalidArgumentError(
                f"node {each} was not written in the place of node {node} alone; reopen that "
                f"without withdraw, and forget node {each} if it was wrong"
            )
    ahead = [*known]
    while ahead:
        at = ahead.pop()
        beside = {e.target for e in view.links(at) if e.relation == SEGMENT}
        new = beside.intersection(withdrawn) - known
        known |= new
        ahead += new
    for each in withdrawn:
        if each not in known:
            successors = ", ".join(map(str, over)) or "none"
            raise InvalidArgumentError(
                f"node {each} did not take the place of node {node}, or does not any more "
                f"(what does: {successors})"
            )


def open_at(view: View, node: int, since: int) -> Kept:
    """What the successor of a node takes over. Raises ForgottenError, UnknownNodeError;
    InvalidArgumentError if the node cannot be closed at `since` (microseconds since 1970)."""
    kept = kept_of(view, node)
    record, text = undo.known(view, node)
    view.require_holding(node, record)
    begun = text.valid_from if record.valid_from is None else record.valid_from
    if since <= begun:
        raise InvalidArgumentError(
            f"node {node} holds since {moment(begun)}, and so not until {moment(since)}; "
            "correct() is for what was never true"
        )
    return kept
