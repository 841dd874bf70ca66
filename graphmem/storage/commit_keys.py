"""The keys in which a store records its commits: see "Scope 0" in docs/format.md."""

from contextlib import suppress
from typing import Final

from graphmem.errors import CorruptError
from graphmem.storage.encoding import number, u64
from graphmem.storage.engine import Reader

RING: Final = 4096
"""Commits that the ring remembers."""

SEQUENCE: Final = b"\0\0\0\0\xf0\x01"
CLEAN_MARK: Final = b"\0\0\0\0\xf0\x03"
SYNCED: Final = b"\0\0\0\0\xf0\x04"
_RING: Final = b"\0\0\0\0\xf0\x02"


def last(reader: Reader) -> int:
    """The number of the last commit; 0 before the first. Raises CorruptError."""
    return number("the number of the last commit", reader.get(SEQUENCE))


def synced(reader: Reader) -> int:
    """The number of a commit up to which everything was on the disk. Raises CorruptError."""
    return number("the number of the last commit on the disk", reader.get(SYNCED))


def in_ring(reader: Reader) -> set[int]:
    """The readable sequence numbers in the ring."""
    found: set[int] = set()
    for _, value in reader.range(_RING, CLEAN_MARK):
        with suppress(CorruptError):
            found.add(number("a number in the ring", value))
    return found


def remembered(first: int, last: int) -> range:
    """The commits from `first` to `last` that are in the ring after the last of them."""
    return range(max(first, last - RING + 1), last + 1)


def entries(first: int, last: int) -> dict[bytes, bytes | None]:
    """The rows of the ring for the commits from `first` to `last`."""
    return {ring_key(number): u64(number) for number in remembered(first, last)}


def ring_key(sequence: int) -> bytes:
    """The key of a commit in the ring."""
    return _RING + (sequence % RING).to_bytes(2, "big")
