"""The floor: what LevelDB alone takes for what graphmem asks of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast
from zlib import crc32

import plyvel

from bench.peers.graphmem_rooms import Rooms
from bench.peers.peer import Timed, Walk, timed
from graphmem.graph import links
from graphmem.hexastore.keys import Space
from graphmem.storage import leveldb
from graphmem.storage.engine import Batch
from graphmem.storage.folder import STORE
from graphmem.storage.store import Store


class Floor:
    """plyvel's calls with what is known beforehand: nothing above it is faster.

    write: the batches of the same memories, recorded from rooms of its own, unsynced, into a
    database with graphmem's options. read: the gets of a node's two records. two_hop: the sorted
    gets of a recall. Of both the values are not looked at; they are read out of a copy of
    graphmem's files: what graphmem has just read lies in the processor's caches.
    """

    name = "floor (bare plyvel)"
    operations = frozenset({"write", "read", "two_hop"})

    def __init__(self, rooms: Rooms, path: Path) -> None:
        self._rooms = rooms
        self._path = path
        path.mkdir()
        self._recording = Rooms("recording", path / "recording", Store.open, words=False)
        self._batches: list[Batch] = []
        engine = cast(Any, self._recording.store)._engine
        commit = engine.commit

        def record(batch: Batch, sync: bool = False) -> None:
            self._batches.append(batch)
            commit(batch, sync)

        engine.commit = record
        self._db = plyvel.DB(str(path / "bare"), create_if_missing=True, **leveldb._OPTIONS)

    def run(self, operation: str, arguments: Sequence[Any], seconds: float) -> Timed:
        """See `Peer.run`. Batches and keys are made before the clock starts; answers are ours."""
        if operation == "write":
            self._batches.clear()
            for item in arguments:
                self._recording.write(item)
            assert len(self._batches) == len(arguments)
            return timed(self._write, [_stored(batch) for batch in self._batches], seconds)
        if operation == "read":
            keys, answer = self._records, self._rooms.read
        else:
            assert operation == "two_hop"
            keys, answer = self._keys, self._rooms.two_hop
        ready = [(self._db.get, keys(argument)) for argument in arguments]
        times, done = timed(_read, ready, seconds)
        return times, [answer(argument) for argument in arguments[: len(done)]]

    def _write(self, rows: Sequence[tuple[bytes, bytes | None]]) -> None:
        writes = self._db.write_batch()
        for key, value in rows:
            if value is None:
                writes.delete(key)
            else:
                writes.put(key, value)
        writes.write()

    def _records(self, node: int) -> list[bytes]:
        spaces = (Space.NODE, Space.TEXT)
        return [self._rooms.scope.prefix(space) + node.to_bytes(8, "big") for space in spaces]

    def _keys(self, walk: Walk) -> list[bytes]:
        store, scope = self._rooms.store, self._rooms.scope
        first = sorted(links.out_key(scope, node) for node in walk.focus)
        width = links.HEAD_ENTRIES if walk.strongest is None else walk.strongest
        heads = (head for head in store.get_many(first) if head is not None)
        targets = {entry.target for head in heads for entry in links.entries(head, width)}
        return [*first, *sorted(links.out_key(scope, node) for node in targets)]

    def settle(self) -> int:
        """Ingest is over: from here on it reads what graphmem, settled before, has written."""
        self.close()
        copy = self._path / "copy"
        shutil.copytree(self._rooms.path / STORE, copy)
        self._db = plyvel.DB(str(copy), **leveldb._OPTIONS)
        return 0

    def close(self) -> None:
        """See `Peer.close`."""
        self._recording.close()
        self._db.close()
        shutil.rmtree(self._path, ignore_errors=True)


def _stored(batch: Batch) -> list[tuple[bytes, bytes | None]]:
    """What graphmem's engine hands to LevelDB, checksums included."""
    return [
        (key, value + crc32(value, crc32(key)).to_bytes(4, "big") if value else value)
        for key, value in batch.items()
    ]


def _read(job: tuple[Callable[[bytes], bytes | None], list[bytes]]) -> None:
    get, keys = job
    for key in keys:
        get(key)
