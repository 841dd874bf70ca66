"""Corrects, replaces and reopens nodes of an open scope."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from graphmem.errors import InvalidArgumentError
from graphmem.forgetting import correction, undo
from graphmem.graph.relations import SUPERSEDES
from graphmem.graph.view import View
from graphmem.graph.writer import GraphWriter
from graphmem.remembering.drafts import Draft
from graphmem.remembering.guarding import check_allowed
from graphmem.remembering.writing import Request
from graphmem.runtime.item_texts import item_of_node
from graphmem.runtime.open_scope import OpenScope
from graphmem.sharing.item_records import item_of_text
from graphmem.values.moments import micros, moment
from graphmem.values.nodes import Node
from graphmem.values.remembered import Remembered


def correct(opened: OpenScope, node: int, text: object, allow: object) -> Remembered:
    """Replace the text of a node that was never true."""
    _require_no_item(opened, node)

    def put(writer: GraphWriter, drafted: Draft) -> list[Node]:
        write = partial(opened.intake.add, writer, drafted)
        return undo.put_right(writer, opened.removal, node, write)

    def kept_of(view: View) -> correction.Kept:
        kept = correction.kept_of(view, node)
        if kept.happened is not None or kept.valid_from is not None:
            return kept
        begun = moment(undo.known(view, node)[1].moment)  # the correction held from then on
        return kept._replace(valid_from=begun)

    return _succeeded(opened, node, text, allow, None, kept_of, put)


def replace(
    opened: OpenScope,
    node: int,
    text: object,
    by: int | None,
    since: datetime | None,
    allow: object,
) -> Remembered:
    """Close a node, and write `text` as its successor; or make the node `by` its successor."""
    if (text is None) == (by is None):
        raise InvalidArgumentError("give either the new text, or by, a memory that has it")
    _require_no_item(opened, node)
    if by is not None:
        return Remembered((give_way(opened, node, by, since),))
    begun = opened.database.clock() if since is None else since
    until = micros(begun)

    def put(writer: GraphWriter, drafted: Draft) -> list[Node]:
        correction.close(writer, node, until)
        opened.note(writer, "replaced", node)
        nodes = opened.intake.add(writer, drafted)
        if writer.view.record(node) is not None:  # it may have been forgotten to make room
            writer.link(nodes[0].id, SUPERSEDES, node)
        return nodes

    least = until
    if since is None:  # if the clock was set back since, the node was created after `until`
        with opened.reading() as view:
            least = max(until, undo.known(view, node)[1].created + 1)
    kept_of = partial(correction.open_at, node=node, since=least)
    return _succeeded(opened, node, text, allow, begun, kept_of, put)


def give_way(opened: OpenScope, node: int, by: int, since: datetime | None = None) -> Node:
    """Close a node in favour of the existing node `by`, which is returned."""
    begun = None if since is None else micros(since)
    with opened.changing() as writer:
        kept = correction.supersede(writer, opened.ground, by, node, begun)
        opened.note(writer, "replaced", node)
    opened.database.upkeep.wake()
    return kept


def reopen(opened: OpenScope, node: int, withdrawn: Sequence[int]) -> Node:
    """Undo the replacement of a node, and forget the withdrawn nodes."""
    with opened.changing() as writer:
        held = correction.reopen(writer, opened.removal, node, withdrawn)
        opened.note(writer, "reopened", node)
    opened.database.upkeep.wake()
    return held


def _require_no_item(opened: OpenScope, node: int) -> None:
    """Raise InvalidArgumentError if a node is the text of an item, which items.put changes."""
    with opened.reading() as view:
        item = item_of_node(view, node)
        if item is None or not item_of_text(view.reader, opened.scope, *item, node):
            return
    raise InvalidArgumentError(
        f"node {node} is the text of the item {item[1]!r:.80} in {item[0]!r:.80}: put that "
        "item anew, with items.put"
    )


def _succeeded(
    opened: OpenScope,
    node: int,
    text: object,
    allow: object,
    since: datetime | None,
    kept_of: Callable[[View], correction.Kept],
    put: Callable[[GraphWriter, Draft], list[Node]],
) -> Remembered:
    """Draft the successor of a node and have `put` write it; returns what was written.

    It is drafted without the writer's lock, since that is slow, and again with it if the node was
    changed meanwhile. since: when the successor begins to hold; None: when the node did.
    """
    allowed = check_allowed(allow)

    def draft(kept: correction.Kept) -> Draft:
        given = kept._asdict()
        begun, stated = given.pop("valid_from"), given.pop("stated")
        if since is not None:
            given |= {"happened": None, "expires": None}  # they belong to the old text
        request = Request.of({"text": text, "allow": allowed, **given})
        return opened.writing.correction(node, request, stated, begun if since is None else since)

    with opened.reading() as view:
        kept = kept_of(view)
    drafted = draft(kept)
    with opened.changing() as writer:
        if (changed := kept_of(writer.view)) != kept:
            drafted = draft(changed)
        nodes = put(writer, drafted)
    opened.database.upkeep.wake()
    return Remembered(tuple(nodes), drafted.cut)
