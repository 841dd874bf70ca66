"""Slots: with `max_nodes` a newcomer takes the place of the least of a sample."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from heapq import heapify, heappop, heappush
from random import Random
from typing import Final

from graphmem.errors import CapacityError
from graphmem.forgetting.holding import holder
from graphmem.forgetting.removal import Removal
from graphmem.graph.records import NodeRecord
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space

SAMPLE: Final = 100


def make_room(
    writer: GraphWriter,
    removal: Removal,
    newcomers: int,
    random: Random,
    predecessors: Callable[[int], Collection[int]],
) -> None:
    """Forget nodes until `newcomers` more fit into `max_nodes`, if that is set: each time the
    first of 100 sampled nodes in the order in which room is made; where all others are pinned, the
    one that has been in focus longest. Raises CapacityError when all are pinned. predecessors: as
    in `Pressure`; they go before the node."""
    max_nodes = removal.ground.settings.max_nodes
    while max_nodes is not None and writer.tx.state.nodes + newcomers > max_nodes:
        node = _first(writer, removal, random, predecessors) or _last_in_focus(writer)
        if node is None:
            raise CapacityError(
                f"{newcomers} more would not fit into max_nodes = {max_nodes}, for "
                f"{writer.tx.state.pinned} are pinned; unpin some or raise max_nodes"
            )
        removal.forget(writer, node, "slot")


def _first(
    writer: GraphWriter,
    removal: Removal,
    random: Random,
    predecessors: Callable[[int], Collection[int]],
) -> int | None:
    """The node of a sample that goes first; None if none may go."""
    now, grace = removal.ground.now(), removal.ground.settings.grace
    fades = writer.tx.scope.fades
    order: list[tuple[int, float, int]] = []
    for node in _sample(writer, random):
        if (record := _loose(writer, node)) is None:
            continue
        if fades:
            young = writer.tx.state.passes - record.born < grace
            order.append((young, writer.importance(node), node))
        else:
            order.append((record.due, 0.0, node))
    heapify(order)

    def older(node: int) -> dict[int, int]:
        """Of the nodes whose place one takes those that may go, and their places in the order."""
        found = () if fades else predecessors(node)
        return {n: record.due for n in found if (record := _loose(writer, n)) is not None}

    # Whether a node is held is asked of the first ones only, for it takes a while.
    kept: list[tuple[int, int, int]] = []
    sampled = {node for *_, node in order}
    waiting: set[int] = set()
    while order:
        due, _, node = heappop(order)
        if why := _held(writer, node, now):
            kept.append((_lasting(why), len(kept), node))
        elif not (before := older(node)):
            return node
        elif node in waiting:  # those before it are held: what protects somebody outlasts it
            less = [n for n in before if "protective" not in _held(writer, n, now)]
            return min(less, key=before.__getitem__, default=node)
        else:  # it has another turn, after them
            waiting.add(node)
            due = max(due, *before.values()) + 1
            if (record := writer.view.record(node)) is not None:
                writer.set_due(node, record, due)
            for other in before.keys() - sampled:
                heappush(order, (before[other], 0.0, other))
            sampled |= before.keys()
            heappush(order, (due, 0.0, node))
    if not kept:
        return None
    lasting, _, node = min(kept)
    while before := {n: due for n, due in older(node).items()
                     if _lasting(_held(writer, n, now)) <= lasting}:  # fmt: skip
        node = min(before, key=before.__getitem__)
    return node


def _loose(writer: GraphWriter, node: int) -> NodeRecord | None:
    """The record of a node that may go."""
    record = writer.view.record(node)
    return None if record is None or record.pinned or node in writer.focus else record


def _last_in_focus(writer: GraphWriter) -> int | None:
    """The node that leaves the focus next, of those that are not pinned."""
    records = ((node, writer.view.record(node)) for node in reversed(writer.focus))
    return next((n for n, record in records if record is not None and not record.pinned), None)


def _held(writer: GraphWriter, node: int, now: int) -> set[str]:
    if (pair := writer.view.pair(node)) is None:
        return set()
    held = holder(pair[1], pair[0], now, fades=writer.tx.scope.fades)
    return {why for why in map(held, pair[1].spans) if why is not None}


def _lasting(why: Collection[str]) -> int:
    """Of what is held without end, 2 what protects somebody and 1 a particular; 0 what binds."""
    return 2 * ("protective" in why) or int("particular" in why)


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
