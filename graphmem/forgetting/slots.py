"""Slots: with `max_nodes`, a new node takes the slot of the least of a sample."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from heapq import heapify, heappop, heappush
from itertools import islice
from random import Random
from typing import Final

from graphmem.errors import CapacityError
from graphmem.forgetting.holding import holder
from graphmem.forgetting.removal import Removal
from graphmem.graph.records import NodeRecord
from graphmem.graph.view import View
from graphmem.graph.writer import GraphWriter

SAMPLE: Final = 100
_RUN: Final = 4  # neighbours that are read for each random draw: seeking takes longest


def make_room(
    writer: GraphWriter,
    removal: Removal,
    newcomers: int,
    random: Random,
    predecessors: Callable[[int], Collection[int]],
) -> None:
    """Forget nodes until `newcomers` more fit into `max_nodes`, if that is set: each time the
    first of 100 sampled nodes in the order of `Pressure`; if only nodes in focus may go, the one
    that has been there longest. predecessors: as in `Pressure`. Raises CapacityError if all are
    pinned."""
    max_nodes = removal.ground.settings.max_nodes
    while max_nodes is not None and writer.tx.state.nodes + newcomers > max_nodes:
        with removal.ground.reading() as committed:  # without the nodes of this transaction
            view = committed if committed.state.nodes > SAMPLE else writer.view
            node = _first(writer, view, removal, random, predecessors)
        node = node or _last_in_focus(writer)
        if node is None:
            raise CapacityError(
                f"{newcomers} more would not fit into max_nodes = {max_nodes}, for "
                f"{writer.tx.state.pinned} are pinned; unpin some or raise max_nodes"
            )
        removal.forget(writer, node, "slot")


def _first(
    writer: GraphWriter,
    view: View,
    removal: Removal,
    random: Random,
    predecessors: Callable[[int], Collection[int]],
) -> int | None:
    """The node of a sample that goes first; None if none may go."""
    now, grace = removal.ground.now(), removal.ground.settings.grace
    fades = writer.tx.scope.fades
    order: list[tuple[int, float, int]] = []
    sampled = set(_sample(view, random))
    for node in sampled:
        if (record := _evictable(writer, node)) is None:
            continue
        if fades:
            young = writer.tx.state.passes - record.born < grace
            order.append((young, writer.importance(node), node))
        else:
            order.append((record.due, 0.0, node))
    heapify(order)

    def older(node: int) -> dict[int, int]:
        """The predecessors of a node that may go → when they are due."""
        found = () if fades else predecessors(node)
        return {n: record.due for n in found if (record := _evictable(writer, n)) is not None}

    # Only for the first ones is it checked whether they are held, since that is slow.
    kept: list[tuple[int, int, int]] = []
    waiting: set[int] = set()
    while order:
        due, _, node = heappop(order)
        if why := _reasons(view, node, now):
            kept.append((_lasting(why), len(kept), node))
        elif not (before := older(node)):
            return node
        elif node in waiting:  # its predecessors are held: only protective ones outlast it
            unprotected = [n for n in before if "protective" not in _reasons(view, n, now)]
            return min(unprotected, key=before.__getitem__, default=node)
        else:  # its turn comes again after them
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
                     if _lasting(_reasons(view, n, now)) <= lasting}:  # fmt: skip
        node = min(before, key=before.__getitem__)
    return node


def _evictable(writer: GraphWriter, node: int) -> NodeRecord | None:
    """The record of a node that may go; None for others."""
    record = writer.view.record(node)
    return None if record is None or record.pinned or node in writer.focus else record


def _last_in_focus(writer: GraphWriter) -> int | None:
    """The unpinned node that leaves the focus next; None if all are pinned."""
    records = ((node, writer.view.record(node)) for node in reversed(writer.focus))
    return next((n for n, record in records if record is not None and not record.pinned), None)


def _reasons(view: View, node: int, now: int) -> set[str]:
    if (pair := view.pair(node)) is None:
        return set()
    held = holder(pair[1], pair[0], now, fades=view.scope.fades)
    return {why for why in map(held, pair[1].spans) if why is not None}


def _lasting(why: Collection[str]) -> int:
    """How long a node with these reasons is held: 2 or 3 protective, 1 particular, 0 binding."""
    return 2 * ("protective" in why) or int("particular" in why)


def _sample(view: View, random: Random) -> Iterator[int]:
    last, most = view.state.next_node, view.state.nodes
    if most <= SAMPLE:
        yield from view.nodes()
        return
    span = last - next(view.nodes(), last)
    for draw in range(SAMPLE // _RUN):
        # The next nodes from a random id on. Old ids are sparse, so that uniform draws would hit
        # the same few old nodes: every other draw is near the newest instead.
        back = span ** random.random() if draw % 2 else span * random.random()
        yield from islice(view.nodes(after=last - 1 - max(1, int(back))), _RUN)
