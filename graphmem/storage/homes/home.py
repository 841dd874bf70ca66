"""The records of a home: the owner of a memory, the log of its batches, a snapshot before the log.

A home is a database of the operator. The folder of an open memory is a cache of it. Only the epoch
excludes a second writer: taking a memory raises it by a random number, and each append names the
epoch and the position that it follows. A lease only decides when a memory may be taken without
force.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

from graphmem.errors import NewerFormatError, UnfinishedError

FORMAT: Final = 1
"""Of the rows of a memory; a newer one is neither taken nor read."""
LEASE: Final = 15.0
"""Seconds after its last renewal for which a process keeps its memories."""
PATIENCE: Final = 10.0
"""Seconds that a call waits for a home that cannot be reached, or does not answer. Shorter than a
lease."""
PART: Final = 1 << 20
"""Bytes of a part of a row or snapshot, at most."""
KEYS: Final = "keys"
UNFINISHED: Final = "unfinished"
FORMS: Final = (KEYS, UNFINISHED, "leveldb", "lmdb")
"""Of a snapshot, see `Stay.form`."""
_U64: Final = 8


class ReplacedError(Exception):
    """Raised for a missing row or part, which a newer snapshot may have replaced: read the `Stay`
    again. Never leaves storage."""


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a memory's log, up to which a cache is a copy."""

    position: int = 0
    """Of the last batch in the row; the first batch of a memory is 1."""
    epoch: int = 0
    id: int = 0
    """Random bits and the checksum of the content, so that no other row has the same place."""

    def __bytes__(self) -> bytes:
        return b"".join(n.to_bytes(_U64, "big") for n in (self.position, self.epoch, self.id))

    @classmethod
    def read(cls, stored: bytes | None) -> Self:
        """The place that `bytes(place)` encoded; the beginning for None."""
        content = stored or bytes(3 * _U64)
        return cls(*(int.from_bytes(content[at : at + _U64], "big") for at in (0, 8, 16)))


@dataclass(slots=True)
class Stay:
    """A memory in a home, as it was when it was taken or read.

    The owner's engine keeps `position`, `rows`, `log_bytes` and the snapshot up to date.
    """

    memory: str
    name: str
    epoch: int
    position: int
    """Of the last batch in the log; it never goes back."""
    snapshot: int
    """Position of the snapshot; 0 if there is none."""
    snapshot_epoch: int
    snapshot_id: int
    form: str
    """Of the snapshot: `KEYS`, or the engine whose files it has; `UNFINISHED` while a memory is
    uploaded as a whole."""
    made: int
    """Random id of the attempt that made the snapshot, so that attempts do not overwrite others."""
    parts: int
    folder: str | None
    """Prefix of the snapshot's objects; None if its parts are rows."""
    bytes: int
    log_bytes: int
    erased: int
    """Position of the last erasure: no cache from before it may be used."""
    generation: int
    """Of the memory's key; 0 if it is not encrypted."""
    moved: str | None
    """The home to which it has moved."""
    format: int

    def require_known(self) -> None:
        """Raise NewerFormatError if this version cannot read its rows."""
        if self.format > FORMAT:
            raise NewerFormatError(
                f"{self.name!r} has format {self.format} in its home, and this version reads up to "
                f"{FORMAT}: install a newer graphmem"
            )

    def require_whole(self) -> None:
        """Raise UnfinishedError if its upload as a whole has not ended."""
        if self.form == UNFINISHED:
            raise UnfinishedError(
                f"{self.name!r} has not arrived in its home yet: an adoption, a restore or a move "
                "to there goes on, or was cut short. Do that again, or erase the name"
            )

    @property
    def bottom(self) -> Place:
        """The place of the snapshot."""
        return Place(self.snapshot, self.snapshot_epoch, self.snapshot_id)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the log."""

    first: int
    """Position of its first batch."""
    place: Place
    content: bytes


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A snapshot that is to be shown."""

    place: Place
    form: str
    erases: bool
    """Whether bytes were erased below it, which no cache may keep."""
    generation: int
