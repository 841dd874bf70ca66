"""Slots: with `max_nodes` a newcomer takes the place of the least important of a sample."""

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


def make_room(
    writer: GraphWriter,
    removal: Removal,
    newcomers: int,
    *,
    max_nodes: int,
    grace: int,
    random: Random,
    now: int,
) -> None:
    """Forget nodes until `newcomers` more fit into `max_nodes`.

    Each time the least important of 100 sampled nodes; never one in focus or pinned; one that is
    held (`holding`) or in grace only where the sample has no other. Raises CapacityError when none
    may go.
    """
    while writer.tx.state.nodes + newcomers > max_nodes:
        found: list[tuple[bool, float, int]] = []
        for node in _sample(writer, random):
            record = writer.view.record(node)
            if record is None or record.pinned or node in writer.focus:
                continue
            young = writer.tx.state.passes - record.born < grace
            found.append((young, writer.importance(node), node))
        found.sort()
        # Whether a node is held is asked of the least important ones only, for it takes a while.
        best = next((node for _, _, node in found if not _is_held(writer, node, now)), None)
        if best is None and found:
            best = found[0][-1]
        if best is None:
            raise CapacityError(
                f"all {writer.tx.state.nodes} nodes of a memory with max_nodes = {max_nodes} are "
                "in focus or pinned, so none can make room; unpin some or raise max_nodes"
            )
        removal.forget(writer, best, "slot", now)


def _is_held(writer: GraphWriter, node: int, now: int) -> bool:
    pair = writer.view.pair(node)
    return pair is not None and any(map(holder(pair[1], pair[0], now), pair[1].spans))


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
