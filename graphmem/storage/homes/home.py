"""What a home is asked: who has a memory, the log of its batches, and a snapshot below the log.

A home is a database of the operator's. The folder of an open memory is a cache of it. Two writers
are kept apart by the epoch alone: whoever takes a memory raises it by a random number, and each
append names the epoch that it was taken with and the position that it follows. A lease only says
when a memory may be taken without force.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, Self, TypeAlias

from graphmem.values.homes import HomeMemory, Owner

FORMAT: Final = 1
"""Of the rows of a memory; a newer one is not taken."""
LEASE: Final = 15.0
"""Seconds after its last sign of life for which a process has its memories."""
PATIENCE: Final = 10.0
"""Seconds that a call waits for a home that cannot be reached, or does not answer. Shorter than a
lease."""
PART: Final = 1 << 20
"""Bytes of a part of a row or snapshot, at most."""
_U64: Final = 8


class ReplacedError(Exception):
    """Raised with what is not there, as after a snapshot that replaced it: look again. Never leaves
    storage."""


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a memory's log: what a cache is a copy up to."""

    position: int = 0
    """Of the last batch in the row; the first batch of a memory is 1."""
    epoch: int = 0
    id: int = 0
    """Random, with the checksum of the content: a row of the same place is not another's."""

    def __bytes__(self) -> bytes:
        return b"".join(n.to_bytes(_U64, "big") for n in (self.position, self.epoch, self.id))

    @classmethod
    def read(cls, stored: bytes | None) -> Self:
        """The place that `bytes(place)` wrote; the beginning for None."""
        content = stored or bytes(3 * _U64)
        return cls(*(int.from_bytes(content[at : at + _U64], "big") for at in (0, 8, 16)))


@dataclass(slots=True)
class Stay:
    """A memory in a home, as it was when it was taken or looked at.

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
    """Of the snapshot: "keys", or the engine whose files it has."""
    made: int
    """Random; of the attempt that made the snapshot, so that others write beside it."""
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


Part: TypeAlias = tuple[int, bytes]
"""The number of a part of a snapshot, from 0, and its content."""


class HomeStore(Protocol):
    """A home. Any thread may call it; a call is repeated while the home cannot be reached.

    Every method raises `StorageError` if that takes longer than `PATIENCE`, or if the home is
    silent for as long; and `ForkedError` in a forked child.
    """

    def home_id(self) -> str:
        """The id that the home was given when it was made. Raises MissingError if it was not."""
        ...

    def make(self, *, same: bool | None = None) -> None:
        """Make what is missing of the tables.

        same: whether the URL leads to the database that another URL led to, or to a copy of it,
            whose objects get names of their own.
        """
        ...

    def renew(self, host: str, name: str, address: str | None) -> None:
        """Begin or renew the lease of a process."""
        ...

    def end(self, host: str) -> None:
        """End the lease of a process."""
        ...

    def states(self, memories: Sequence[str]) -> dict[str, tuple[int, int]]:
        """The epochs of memories and the positions of their last erasures, without those that are
        gone."""
        ...

    def take(self, name: str, host: str, *, force: bool, create: bool, encrypted: bool) -> Stay:
        """Become the only writer of a memory; with `create` make it if it is not there.

        encrypted: whether there are keys for a memory that needs them. Raises AlreadyOpenError
        while a live process has it, unless `force`; MissingError, NewerFormatError, MovedError;
        InvalidArgumentError without keys.
        """
        ...

    def look(self, name: str | None, memory: str = "") -> Stay:
        """The memory of a name, or for None of an id, as it is. Raises MissingError."""
        ...

    def leave(self, stay: Stay) -> None:
        """Let others take a memory at once."""
        ...

    def append(self, stay: Stay, last: int, id: int, content: bytes) -> None:
        """Append the batches `stay.position` + 1 to `last` as one row, all or nothing.

        Repeating it is safe: a row with this id is taken for ours. Raises FencedError.
        """
        ...

    def tail(self, memory: str, after: int) -> Iterator[Row]:
        """The rows of the log behind a position."""
        ...

    def place_at(self, memory: str, position: int) -> Place | None:
        """The place of the row that ends at a position; None if there is none."""
        ...

    def put_snapshot(self, stay: Stay, snapshot: Snapshot, parts: Iterable[bytes]) -> None:
        """Store a snapshot, show it, and delete the log and the snapshots that it replaces.

        It is shown only if the memory is ours and neither a newer snapshot nor a newer erasure is
        there, else StorageError is raised. Updates `stay`. Raises FencedError. Objects that it
        replaces are left to `clean`, but for one that erases.
        """
        ...

    def get_snapshot(self, stay: Stay) -> Iterator[bytes]:
        """The parts of a snapshot. Raises ReplacedError."""
        ...

    def owner(self, name: str) -> Owner | None:
        """Who has a memory open; None if nobody has. Raises MissingError."""
        ...

    def listed(self, prefix: str, after: str | None, limit: int) -> list[HomeMemory]:
        """Memories by name."""
        ...

    def move(self, stay: Stay, target: str) -> None:
        """Note where a memory of ours has gone. Raises FencedError."""
        ...

    def erase(self, name: str) -> Stay:
        """Delete a memory; its owner is fenced. Returns what it was. Raises MissingError."""
        ...

    def clean(self, keep: float) -> int:
        """Delete what no memory names, of objects those of which none has for `keep` seconds.
        Returns how many rows and snapshots that were."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...
