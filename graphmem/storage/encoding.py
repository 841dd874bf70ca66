"""Encodings that engines share: numbers in keys, and the checksum after each value."""

from pathlib import Path
from zlib import crc32

from graphmem.errors import CorruptError
from graphmem.storage import failures


def u64(number: int) -> bytes:
    """Eight bytes, big-endian, so that keys sort as numbers do."""
    return number.to_bytes(8, "big")


def number(what: str, stored: bytes | None, size: int = 8) -> int:
    """A stored counter of `size` bytes; 0 if there is none. what: its name in errors. Raises
    CorruptError for another size, and for a number that no counter can have reached."""
    if stored is None:
        return 0
    if len(stored) != size or stored[0] & 0x80:
        raise CorruptError(f"{what} cannot be read: run graphmem admin repair")
    return int.from_bytes(stored, "big")


def checksum(key: bytes, value: bytes) -> bytes:
    """The four bytes behind a value, which tie it to its key: crc32(value, crc32(key))."""
    return crc32(value, crc32(key)).to_bytes(4, "big")


def is_whole(key: bytes, stored: bytes) -> bool:
    """Whether a value is followed by its own checksum, which covers its key."""
    return checksum(key, stored[:-4]) == stored[-4:]


def value_of(key: bytes, stored: bytes, path: str | Path) -> bytes:
    """A value without its checksum. Raises CorruptError, which names the engine's `path`."""
    value = stored[:-4]
    if crc32(value, crc32(key)).to_bytes(4, "big") != stored[-4:]:  # inlined: each read does it
        raise failures.damaged(key, str(path))
    return value
