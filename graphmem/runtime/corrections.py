"""Nodes of an open scope corrected, replaced and reopened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from graphmem.errors import InvalidArgumentError
from graphmem.forgetting import correction
from graphmem.graph.writer import GraphWriter
from graphmem.remembering.drafts import Draft
from graphmem.remembering.guarding import check_allowed
from graphmem.runtime.item_texts import item_of_node
from graphmem.runtime.open_scope import OpenScope
from graphmem.sharing.item_records import told_by
from graphmem.values.moments import micros
from graphmem.values.nodes import Node
from graphmem.values.remembered import Remembered


def correct(opened: OpenScope, node: int, text: object, allow: object) -> Remembered:
    """Replace the text of a node that was never true."""
    _require_no_item(opened, node)
    draft, made = _successor(opened, node, text, allow)
    nodes = correction.correct(
        opened.removal, node, writing=opened.changing, draft=draft, write=opened.writing.add
    )
    opened.database.upkeep.wake()
    return Remembered(tuple(nodes), made[-1].cut)


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
    draft, made = _successor(opened, node, text, allow, begun)

    def write(writer: GraphWriter, ready: Draft) -> list[Node]:
        opened.note(writer, "replaced", node)
        return opened.writing.add(writer, ready)

    nodes = correction.replace(
        opened.ground, node, micros(begun), writing=opened.changing, draft=draft, write=write
    )
    opened.database.upkeep.wake()
    return Remembered(tuple(nodes), made[-1].cut)


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
        told = item is not None and told_by(view.reader, opened.scope, *item, node)
    if item is not None and told:
        raise InvalidArgumentError(
            f"node {node} is the text of the item {item[1]!r:.80} in {item[0]!r:.80}: put that "
            "item anew, with items.put"
        )


def _successor(
    opened: OpenScope, node: int, text: object, allow: object, since: datetime | None = None
) -> tuple[Callable[[correction.Kept], Draft], list[Draft]]:
    """A function that drafts the successor of a node, and the drafts that it has made.

    since: when the successor begins to hold; None: when the node did.
    """
    allowed = check_allowed(allow)
    made: list[Draft] = []

    def draft(kept: correction.Kept) -> Draft:
        given = kept._asdict()
        begun = given.pop("valid_from")
        if since is not None:
            given |= {"happened": None, "expires": None}  # of what does not hold any more
        drafted = opened.writing.correction(
            node, text, allow=allowed, since=begun if since is None else since, **given
        )
        made.append(drafted)
        return drafted

    return draft, made
