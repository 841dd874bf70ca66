"""LMDB beneath graphmem's own rooms: the same layout and code, another engine."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from bench.peers.graphmem_rooms import Rooms
from bench.peers.peer import AbsentError
from graphmem.storage.engine import Batch
from graphmem.storage.store import Store

try:
    import lmdb
except ImportError as error:
    raise AbsentError("LMDB is not installed: make setup-bench") from error

_MAP_BYTES: Final = 64 << 30  # address space, not disk


class _Snapshot:
    """A read transaction."""

    def __init__(self, environment: lmdb.Environment) -> None:
        self._transaction = environment.begin()

    def get(self, key: bytes) -> bytes | None:
        """See `Reader.get`."""
        return self._transaction.get(key)

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """See `Reader.get_many`."""
        return [self._transaction.get(key) for key in keys]

    def range(
        self, start: bytes, stop: bytes, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """See `Reader.range`."""
        cursor = self._transaction.cursor()
        if not reverse:
            if cursor.set_range(start):
                for key, value in cursor.iternext():
                    if key >= stop:
                        return
                    yield key, value
        elif cursor.prev() if cursor.set_range(stop) else cursor.last():
            for key, value in cursor.iterprev():
                if key < start:
                    return
                yield key, value

    def keys(self, start: bytes, stop: bytes, reverse: bool = False) -> Iterator[bytes]:
        """See `Reader.keys`."""
        return (key for key, _ in self.range(start, stop, reverse))

    def close(self) -> None:
        """See `Snapshot.close`."""
        self._transaction.abort()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class LMDBEngine:
    """See `engine.Engine`; only what this bench needs. Commits survive the process, not more."""

    def __init__(self, path: Path) -> None:
        self._environment = lmdb.open(str(path), map_size=_MAP_BYTES, sync=False)

    def get(self, key: bytes) -> bytes | None:
        """See `Reader.get`."""
        with self.snapshot() as snapshot:
            return snapshot.get(key)

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """See `Reader.get_many`."""
        with self.snapshot() as snapshot:
            return snapshot.get_many(keys)

    def range(
        self, start: bytes, stop: bytes, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """See `Reader.range`."""
        with self.snapshot() as snapshot:
            yield from snapshot.range(start, stop, reverse)

    def keys(self, start: bytes, stop: bytes, reverse: bool = False) -> Iterator[bytes]:
        """See `Reader.keys`."""
        return (key for key, _ in self.range(start, stop, reverse))

    def commit(self, batch: Batch, sync: bool = False) -> None:
        """See `Engine.commit`."""
        with self._environment.begin(write=True) as transaction:
            for key, value in batch.items():
                if value is None:
                    transaction.delete(key)
                else:
                    transaction.put(key, value)
        if sync:
            self.sync()

    def prepared(self, pairs: Iterable[tuple[bytes, bytes | None]]) -> Callable[[], None]:
        """See `Engine.prepared`."""
        return partial(self.commit, dict(pairs))

    def snapshot(self) -> _Snapshot:
        """See `Engine.snapshot`."""
        return _Snapshot(self._environment)

    def approximate_size(self, start: bytes, stop: bytes) -> int:
        """See `Engine.approximate_size`."""
        return sum(len(key) + len(value) for key, value in self.range(start, stop))

    def compact(self, start: bytes, stop: bytes) -> None:
        """LMDB gives space back only to itself; `settle` copies."""

    def sync(self) -> None:
        """See `Engine.sync`."""
        self._environment.sync(True)

    def close(self) -> None:
        """See `Engine.close`."""
        self._environment.close()


class RoomsOnLMDB(Rooms):
    """graphmem's rooms over LMDB."""

    def __init__(self, path: Path) -> None:
        path.mkdir()
        name = f"graphmem on lmdb {version('lmdb')}"
        super().__init__(name, path, lambda folder: Store(LMDBEngine(folder), None), words=False)

    def settle(self) -> int:
        """See `Peer.settle`; a compacting copy takes the place of the files."""
        super().settle()
        self.store.close()
        copy = self.path.with_suffix(".copy")
        copy.mkdir()
        with lmdb.open(str(self.path), map_size=_MAP_BYTES) as environment:
            environment.copy(str(copy), compact=True)
        shutil.rmtree(self.path)
        copy.rename(self.path)
        self._open()
        return super().settle()
