"""Nodes of an open scope corrected, replaced and reopened."""

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
        told = moment(undo.known(view, node)[1].moment)  # what is right was so then, and not today
        is_dated = kept.happened is not None or kept.valid_from is not None
        return kept if is_dated else kept._replace(valid_from=told)

    return _succeeded(opened, node, text, allow, None, kept_of, put)


def replace(
    opened: OpenScope,
    node: int,
    text: object,
    by: int | None,
    since: datetime | None,
    allow: object,
) -> Remembered:
    """Close a node, and write what holds from then on, unless `by` says that already."""
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
        if writer.view.record(node) is not None:  # its slot may have been given away
            writer.link(nodes[0].id, SUPERSEDES, node)
        return nodes

    least = until if since is not None else max(until, _told(opened, node) + 1)
    kept_of = partial(correction.open_at, node=node, since=least)
    return _succeeded(opened, node, text, allow, begun, kept_of, put)


def _told(opened: OpenScope, node: int) -> int:
    """When a node was told, which is later than the present if the clock was set back since."""
    with opened.reading() as view:
        return undo.known(view, node)[1].created


def give_way(opened: OpenScope, node: int, by: int, since: datetime | None = None) -> Node:
    """Close a node for one that is there already, which is returned."""
    begun = None if since is None else micros(since)
    with opened.changing() as writer:
        kept = correction.supersede(writer, opened.ground, by, node, begun)
        opened.note(writer, "replaced", node)
    opened.database.upkeep.wake()
    return kept


def reopen(opened: OpenScope, node: int, withdrawn: Sequence[int]) -> Node:
    """Take back that a node was replaced."""
    with opened.changing() as writer:
        held = correction.reopen(writer, opened.removal, node, withdrawn)
        opened.note(writer, "reopened", node)
    opened.database.upkeep.wake()
    return held


def _require_no_item(opened: OpenScope, node: int) -> None:
    """Refuse to change what an item says behind its back."""
    with opened.reading() as view:
        item = item_of_node(view, node)
        told = item is not None and item_of_text(view.reader, opened.scope, *item, node)
    if item is not None and told:
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
    """Draft the successor of a node and have `put` write it; what was written.

    Drafted without the writer's lock, for that takes a while, and again with it if the node was
    changed meanwhile. since: when the successor begins to hold; None: when the node did.
    """
    allowed = check_allowed(allow)

    def draft(kept: correction.Kept) -> Draft:
        given = kept._asdict()
        begun, stated = given.pop("valid_from"), given.pop("stated")
        if since is not None:
            given |= {"happened": None, "expires": None}  # of what does not hold any more
        told = Request.of({"text": text, "allow": allowed, **given})
        return opened.writing.correction(node, told, stated, begun if since is None else since)

    with opened.reading() as view:
        kept = kept_of(view)
    drafted = draft(kept)
    with opened.changing() as writer:
        if (changed := kept_of(writer.view)) != kept:
            drafted = draft(changed)
        nodes = put(writer, drafted)
    opened.database.upkeep.wake()
    return Remembered(tuple(nodes), drafted.cut)
