"""A disk that fails as planned, and the engine on it."""

import errno
import os
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from graphmem.errors import BrokenError, FullError, StorageError
from graphmem.storage.engine import Batch
from graphmem.storage.in_memory import InMemoryEngine

FAULTS = ("crash", "full", "io", "torn", "sync", "read")
"""crash: the process dies before a write. full, io: a write is refused. torn: a write is reported
as failed, but is there. sync: an fsync fails. read: one read is refused."""


class DeadError(BaseException):
    """Raised in place of the process's death; no code of ours may catch it and go on."""


class Disk:
    """What is written, and how much of it would survive a power cut."""

    def __init__(self, content: Mapping[bytes, bytes]) -> None:
        self.content = dict(content)
        """What is on the disk for certain."""
        self.pending: list[Batch] = []
        """What only the system's cache has, in the order of the commits."""
        self.commits = 0
        self.synced = 0
        """Commits that are on the disk."""

    def write(self, batch: Batch) -> None:
        self.pending.append(dict(batch))
        self.commits += 1

    def sync(self) -> None:
        for batch in self.pending:
            apply(self.content, batch)
        self.pending.clear()
        self.synced = self.commits

    def after_power_cut(self, random: Random) -> tuple[dict[bytes, bytes], int, range]:
        """Content after the power went; how many commits are there; those lost in their midst.

        Each file keeps a part of its unsynced bytes. LevelDB does not sync the log that it leaves
        (leveldb#193), so besides the end of the last log the end of the one before may be missing.
        """
        content = dict(self.content)
        begun = random.randint(0, len(self.pending))  # with it a new log began
        kept = random.randint(0, begun)
        later = random.randint(begun, len(self.pending))
        survivors = [*self.pending[:kept], *self.pending[begun:later]]
        for batch in survivors:
            apply(content, batch)
        hole = range(self.synced + kept, self.synced + begun) if later > begun else range(0)
        return content, self.synced + (later if later > begun else kept), hole


def apply(content: dict[bytes, bytes], batch: Batch) -> None:
    for key, value in batch.items():
        if value is None:
            content.pop(key, None)
        else:
            content[key] = value


class FaultyEngine(InMemoryEngine):
    """See `engine.Engine`. Its `after`-th operation of the kind that `fault` names fails."""

    def __init__(self, disk: Disk, fault: str | None = None, after: int = 0) -> None:
        super().__init__()
        if disk.content:
            super().commit(disk.content)
        self.disk = disk
        self.fault = fault
        self.after = after
        self.happened = False
        self._broken = False

    def commit(self, batch: Batch, sync: bool = False) -> None:
        if self._broken:
            raise BrokenError(errno.EIO, "an earlier write failed")
        if self._is_now("crash"):
            raise DeadError
        if self._is_now("full"):
            self._break(FullError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
        if self._is_now("io"):
            self._break(StorageError(errno.EIO, os.strerror(errno.EIO)))
        super().commit(batch)
        self.disk.write(batch)
        if sync:
            self.disk.sync()
        if self._is_now("torn"):
            self._break(StorageError(errno.EIO, os.strerror(errno.EIO)))

    def sync(self) -> None:
        if self._broken:
            raise BrokenError(errno.EIO, "an earlier write failed")
        if self._is_now("sync"):
            self._break(StorageError(errno.EIO, os.strerror(errno.EIO)))
        self.disk.sync()

    def get(self, key: bytes) -> bytes | None:
        return self.get_many((key,))[0]

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        self._refuse_a_read()
        return super().get_many(keys)

    def range(
        self, start: bytes, stop: bytes, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        self._refuse_a_read()
        return super().range(start, stop, reverse)

    def _refuse_a_read(self) -> None:
        if self._is_now("read"):
            raise StorageError(errno.EIO, os.strerror(errno.EIO))

    def _is_now(self, fault: str) -> bool:
        if self.fault != fault or self.happened:
            return False
        self.after -= 1
        self.happened = self.after < 0
        return self.happened

    def _break(self, error: StorageError) -> None:
        self._broken = True
        raise error
