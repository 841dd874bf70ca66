"""Pins: nodes that are never shortened or forgotten, and how many there may be."""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.errors import PinLimitError
from graphmem.graph.records import NodeRecord, TextRecord, as_node
from graphmem.graph.writer import GraphWriter
from graphmem.values.nodes import Node


@dataclass(frozen=True, slots=True)
class Pins:
    """The pinned nodes as of a commit."""

    sequence: int  # -1: not read yet
    nodes: tuple[int, ...]


def check(pins: int, most: int | None) -> None:
    """Raise PinLimitError if `pins` are more than half of the `most` nodes; None is no limit."""
    if most is not None and pins > most // 2:
        raise PinLimitError(
            f"{pins} pins are more than half of max_nodes = {most}; unpin some, or raise it"
        )


def change(
    writer: GraphWriter,
    node: int,
    record: NodeRecord,
    text: TextRecord,
    pinned: bool,
    *,
    most: int | None,
    grace: int,
) -> Node:
    """Pin a node or let it fade again; returns it as it is then. Raises PinLimitError."""
    if record.pinned != pinned:
        if pinned:
            check(writer.tx.state.pinned + 1, most)
        writer.count_pin(1 if pinned else -1)
        record = record._replace(pinned=pinned)
        record = writer.schedule(node, text, record, grace)
    return as_node(node, text, record, writer.view.zone)
