"""Slots: with `max_nodes` a newcomer takes the place of the least of a sample."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from graphmem.errors import CapacityError
from graphmem.forgetting.holding import holder
from graphmem.forgetting.removal import Removal
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space

SAMPLE: Final = 100


def make_room(writer: GraphWriter, removal: Removal, newcomers: int, random: Random) -> None:
    """Forget nodes until `newcomers` more fit into `max_nodes`, if that is set: each time the
    first of 100 sampled nodes in the order in which room is made. Raises CapacityError when none
    may go."""
    ground = removal.ground
    max_nodes, grace = ground.settings.max_nodes, ground.settings.grace
    while max_nodes is not None and writer.tx.state.nodes + newcomers > max_nodes:
        now = ground.now()
        found: list[tuple[int, float, int]] = []
        for node in _sample(writer, random):
            record = writer.view.record(node)
            if record is None or record.pinned or node in writer.focus:
                continue
            if writer.tx.scope.fades:
                young = writer.tx.state.passes - record.born < grace
                found.append((young, writer.importance(node), node))
            else:
                found.append((record.due, 0.0, node))
        found.sort()
        # Whether a node is held is asked of the first ones only, for it takes a while.
        kept: list[tuple[int, int]] = []
        for place, (_, _, node) in enumerate(found):
            if not (why := _held(writer, node, now)):
                kept = [(0, place)]
                break
            kept.append(("protective" in why, place))
        if not kept:
            raise CapacityError(
                f"all {writer.tx.state.nodes} nodes of a memory with max_nodes = {max_nodes} are "
                "in focus or pinned, so none can make room; unpin some or raise max_nodes"
            )
        removal.forget(writer, found[min(kept)[1]][-1], "slot")


def _held(writer: GraphWriter, node: int, now: int) -> set[str]:
    """Why sentences of a node are held."""
    if (pair := writer.view.pair(node)) is None:
        return set()
    held = holder(pair[1], pair[0], now, fades=writer.tx.scope.fades)
    return {why for why in map(held, pair[1].spans) if why is not None}


def _sample(writer: GraphWriter, random: Random) -> Iterator[int]:
    state = writer.tx.state
    if state.nodes <= SAMPLE:
        yield from list(writer.view.nodes())
        return
    oldest = next(writer.view.nodes(), state.next_node)
    span = state.next_node - oldest
    start = writer.tx.scope.prefix(Space.NODE)
    with writer.tx.store.snapshot() as snapshot:  # what this transaction adds is not asked to go
        for draw in range(SAMPLE):
            # The next node from a random id on. Ids thin out towards the oldest, so that even draws
            # would end at a few old nodes: every other one looks near the newest instead.
            back = span ** random.random() if draw % 2 else span * random.random()
            first = start + keys.u64(state.next_node - max(1, int(back)))
            for key in snapshot.keys(first, keys.after(start)):
                yield int.from_bytes(key[-8:], "big")
                break
