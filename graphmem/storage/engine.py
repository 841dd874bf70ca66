"""The protocol of an ordered key-value engine, the only access to the disk for the rooms above.

Keys and values are `bytes`, keys in the order of unsigned bytes (`b"a" < b"aa" < b"b"`). An engine
knows nothing of scopes, triples or sequence numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, Self, TypeAlias

Batch: TypeAlias = Mapping[bytes, bytes | None]
"""What one commit writes: key to new value; `None` deletes the key (absent or not)."""

Pairs: TypeAlias = Iterator[tuple[bytes, bytes]]
"""Keys and their values."""


class Reader(Protocol):
    """Reading. All methods raise `ClosedError` after close and `CorruptError` on damaged data."""

    def get(self, key: bytes) -> bytes | None:
        """Return the value of `key`, or None when it is absent. An empty value is `b""`."""
        return self.get_many((key,))[0]

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of `keys`, in their order; sorted keys are read fastest."""
        ...

    def range(self, start: bytes, stop: bytes, reverse: bool = False) -> Pairs:
        """Yield (key, value) with start ≤ key < stop, ascending, or descending when `reverse`.

        It sees one state: that of the snapshot, or of the engine at its first `next`. It may be
        abandoned half-way, belongs to one thread, and raises `ClosedError` once the reader is
        closed.
        """
        ...

    def keys(self, start: bytes, stop: bytes, reverse: bool = False) -> Iterator[bytes]:
        """Yield the keys of `range(start, stop, reverse)`; mostly without reading their values."""
        return (key for key, _ in self.range(start, stop, reverse))


class Snapshot(Reader, Protocol):
    """One state of an engine: sees every commit before it was taken and none after. Any number of
    threads may read it. One that is leaked is freed with its last reference; closing the engine
    closes it too."""

    def close(self) -> None:
        """Release the state. Idempotent; reading afterwards raises `ClosedError`."""
        ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Engine(Reader, Protocol):
    """An ordered key-value engine. Any number of threads may read and commit.

    By default an engine reads from a snapshot that it takes for each call.
    """

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        with self.snapshot() as snapshot:
            return snapshot.get_many(keys)

    def range(self, start: bytes, stop: bytes, reverse: bool = False) -> Pairs:
        with self.snapshot() as snapshot:
            yield from snapshot.range(start, stop, reverse)

    def keys(self, start: bytes, stop: bytes, reverse: bool = False) -> Iterator[bytes]:
        with self.snapshot() as snapshot:
            yield from snapshot.keys(start, stop, reverse)

    def commit(self, batch: Batch, sync: bool = False) -> None:
        """Write `batch` atomically: after any crash all of it is there, or nothing.

        Once it returns the batch survives the death of the process; with `sync=True`, as all before
        it, that of the machine. After `StorageError` (`FullError`) or `CorruptError` the engine is
        broken: it reads on, and refuses further commits with `BrokenError` until it is opened
        again; only then is it known whether the failed batch is there.
        """
        ...

    def snapshot(self) -> Snapshot:
        """Return the present state."""
        ...

    def approximate_size(self, start: bytes, stop: bytes) -> int:
        """Return about how many bytes start ≤ key < stop take; recent commits may be missing."""
        ...

    def compact(self, start: bytes, stop: bytes) -> bool:
        """Remove every byte that was deleted or overwritten in start ≤ key < stop from the files.
        Returns False if an open snapshot or range of an earlier state keeps some: try again when
        it is closed. Raises like `commit`."""
        ...

    def sync(self) -> None:
        """Return when all that was committed before is on the disk. Raises like `commit`."""
        ...

    def close(self) -> None:
        """Close the engine, its snapshots and its iterators. Idempotent. Does not sync."""
        ...


class HomedEngine(Engine, Protocol):
    """The engine of a memory that has a home: synced commits are stored there."""

    def figures(self) -> dict[str, Any]:
        """Figures of the home for an operator; see docs/home.md."""
        ...

    def resend(self) -> bool:
        """Send once more what was acknowledged and could not be sent, before it is closed. Returns
        whether the home has all of it now; False if nothing is to be sent. Raises like `sync`."""
        ...


def batches(
    pairs: Iterable[tuple[bytes, bytes]], least: int
) -> Iterator[tuple[dict[bytes, bytes | None], int]]:
    """Pairs in batches of `least` bytes or a little more, the last of fewer, each with its size:
    the bytes of keys and values."""
    batch: dict[bytes, bytes | None] = {}
    size = 0
    for key, value in pairs:
        batch[key] = value
        size += len(key) + len(value)
        if size >= least:
            yield batch, size
            batch, size = {}, 0
    if batch:
        yield batch, size
