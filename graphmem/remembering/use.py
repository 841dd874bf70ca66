"""Use: what becomes of a node that helped."""

from __future__ import annotations

from graphmem.graph.writer import GraphWriter
from graphmem.remembering.sessions import lifted


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
