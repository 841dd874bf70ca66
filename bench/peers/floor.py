"""The floor: the bare sorted gets that a 2-hop recall needs, on graphmem's own open LevelDB."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from bench.peers.graphmem_rooms import Rooms
from bench.peers.peer import Timed, Walk, timed
from graphmem.graph import adjacency


class Floor:
    """plyvel's `get`, keys known beforehand, values not looked at: nothing above it is faster."""

    name = "floor (bare plyvel gets)"
    operations = frozenset({"two_hop"})

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    def run(self, operation: str, arguments: Sequence[Any], seconds: float) -> Timed:
        """See `Peer.run`. The keys are found before the clock starts, and the answers are ours."""
        assert operation == "two_hop"
        # The very handle that graphmem reads through: the same files, the same cache.
        get = cast(Any, self._rooms.store)._engine._db.get
        ready = [(get, self._keys(walk)) for walk in arguments]
        times, done = timed(_read, ready, seconds)
        return times, [self._rooms.two_hop(walk) for walk in arguments[: len(done)]]

    def _keys(self, walk: Walk) -> list[bytes]:
        store, scope = self._rooms.store, self._rooms.scope
        first = sorted(adjacency.head_key(scope, node) for node in walk.focus)
        width = adjacency.HEAD_ENTRIES if walk.strongest is None else walk.strongest
        heads = (head for head in store.get_many(first) if head is not None)
        targets = {entry.target for head in heads for entry in adjacency.entries(head, width)}
        return [*first, *sorted(adjacency.head_key(scope, node) for node in targets)]

    def settle(self) -> int:
        """Nothing of its own."""
        return 0

    def close(self) -> None:
        """Nothing of its own."""


def _read(job: tuple[Callable[[bytes], bytes | None], list[bytes]]) -> None:
    get, keys = job
    for key in keys:
        get(key)
