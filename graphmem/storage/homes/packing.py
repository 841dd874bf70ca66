"""Batches and snapshots as bytes: compressed, encrypted if there are keys, with a checksum.

A row or part is: flags (u8: 1 compressed, 2 encrypted), of an encrypted one the generation of its
key (u32) and a nonce (12 bytes), then the body, then the CRC-32 of all before it. Numbers are
big-endian. The body of a row is msgpack, a list [key, value or nil, …] for each batch; that of a
part the same with keys and values alone, or [file, offset, bytes].
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, Protocol

import msgpack

from graphmem.errors import CorruptError, InvalidArgumentError
from graphmem.storage.engine import Batch

_COMPRESSED: Final = 1
_ENCRYPTED: Final = 2
_WORTH: Final = 256  # bytes from which on compressing is tried
_NONCE: Final = 12
_KEY: Final = 32
_CRC: Final = 4


class Keys(Protocol):
    """Where the operator keeps the keys of memories: outside the home and its backups."""

    def get(self, name: str) -> bytes | None:
        """The key of this name, 32 bytes; None if there is none."""
        ...

    def make(self, name: str) -> bytes:
        """Store a new random key of 32 bytes under this name, replacing any; returns it."""
        ...

    def drop(self, name: str) -> None:
        """Destroy the key of this name, if it is there."""
        ...


class Seal:
    """Closes and opens the contents of one memory."""

    def __init__(self, memory: str, keys: Keys | None) -> None:
        self._memory = memory
        self._keys = keys
        self._known: dict[int, bytes] = {}

    def next_generation(self, generation: int) -> int:
        """A generation after this one, with a new key; 0 without keys. Existing keys are not
        replaced: a snapshot that seemed to fail may use one."""
        if self._keys is None:
            return 0
        generation = self._free(generation)
        self._known[generation] = self._keys.make(self._name(generation))
        return generation

    def drop_before(self, generation: int) -> None:
        """Destroy the keys of earlier generations: what they encrypted cannot be read any more,
        anywhere."""
        if self._keys is None:
            return
        oldest = generation
        while oldest > 1 and self._keys.get(self._name(oldest - 1)) is not None:
            oldest -= 1
        for old in range(oldest, generation):  # if interrupted, the next call finds the rest
            self._keys.drop(self._name(old))
            self._known.pop(old, None)

    def drop_all(self, generation: int) -> None:
        """Destroy all keys of an erased memory. generation: of the last snapshot that was shown."""
        self.drop_before(self._free(generation))

    def _free(self, generation: int) -> int:
        """The first generation after this one that has no key."""
        generation += 1
        while self._keys is not None and self._keys.get(self._name(generation)) is not None:
            generation += 1
        return generation

    def closed(
        self, kind: Literal["row", "part"], position: int, part: int, plain: bytes, generation: int
    ) -> bytes:
        """The stored form of a content. generation: of the key; 0 leaves it unencrypted."""
        flags, body = 0, plain
        if len(plain) >= _WORTH and len(short := zlib.compress(plain, 1)) < len(plain):
            flags, body = _COMPRESSED, short
        head = bytes((flags,))
        if generation:
            head = bytes((flags | _ENCRYPTED,)) + generation.to_bytes(4, "big")
            nonce = os.urandom(_NONCE)
            about = self._about(kind, position, part) + head
            body = nonce + self._cipher(generation).encrypt(nonce, body, about)
        content = head + body
        return content + zlib.crc32(content).to_bytes(_CRC, "big")

    def require_whole(
        self, kind: Literal["row", "part"], position: int, part: int, content: bytes
    ) -> None:
        """Raise CorruptError, which names it, if a content is not as it was stored."""
        if len(content) <= _CRC or checksum(content) != zlib.crc32(content[:-_CRC]):
            raise self._damaged(kind, position, part)

    def opened(
        self, kind: Literal["row", "part"], position: int, part: int, content: bytes
    ) -> bytes:
        """The plain content of a stored form. Raises CorruptError, which names it."""
        self.require_whole(kind, position, part, content)
        flags, head, body = content[0], content[:1], content[1:-_CRC]
        if flags & _ENCRYPTED:
            head, body = content[:5], body[4:]
            generation = int.from_bytes(head[1:], "big")
            cipher = self._cipher(generation)
            from cryptography.exceptions import InvalidTag

            try:
                about = self._about(kind, position, part) + head
                body = cipher.decrypt(body[:_NONCE], body[_NONCE:], about)
            except InvalidTag as error:
                # Its checksum is right: a replaced key is likelier than damage.
                raise CorruptError(
                    f"{self._place(kind, position, part)} cannot be decrypted: the key "
                    f"{self._name(generation)} is not the one that it was written with, or it is "
                    "damaged. Look at the keys that graphmem.Home(keys=…) gives first, and leave "
                    "what is stored as it is until then"
                ) from error
        try:
            return zlib.decompress(body) if flags & _COMPRESSED else body
        except zlib.error as error:
            raise self._damaged(kind, position, part) from error

    def _place(self, kind: str, position: int, part: int) -> str:
        where = f"row {position}" if kind == "row" else f"part {part} of snapshot {position}"
        return f"{where} of the memory {self._memory} in its home"

    def _damaged(self, kind: str, position: int, part: int) -> CorruptError:
        return CorruptError(
            f"{self._place(kind, position, part)} is damaged: restore a backup of the memory"
        )

    def _name(self, generation: int) -> str:
        return f"{self._memory}/{generation}"

    def _about(self, kind: str, position: int, part: int) -> bytes:
        """The associated data that binds an encrypted content to its place."""
        return f"{self._memory} {kind} {position} {part}".encode()

    def _cipher(self, generation: int) -> Any:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        if (key := self._known.get(generation)) is None:
            found = None if self._keys is None else self._keys.get(self._name(generation))
            if found is None or len(found) != _KEY:
                raise InvalidArgumentError(
                    f"the key {self._name(generation)} is not to be had: the memory is encrypted, "
                    "and graphmem.Home(keys=…) must give the key of 32 bytes that it was written "
                    "with. If the database has gone back to before an erasure, restore what a "
                    "cache has set aside, or a backup of the memory"
                )
            key = self._known[generation] = found
        return AESGCM(key)


def checksum(content: bytes) -> int:
    """The checksum at the end of a content."""
    return int.from_bytes(content[-_CRC:], "big")


def packed(batch: Batch) -> bytes:
    """A batch as bytes. Those of a row stand one after the other; a part of a logical snapshot is
    one."""
    return msgpack.packb([each for pair in batch.items() for each in pair])


def unpacked(plain: bytes) -> Iterator[dict[bytes, bytes | None]]:
    """The batches of a row or of a part, from its plain bytes. Raises CorruptError."""
    for flat in _lists(plain):
        steps = iter(flat)
        try:
            batch = dict(zip(steps, steps, strict=True))
        except (ValueError, TypeError) as error:
            raise _damaged() from error
        if not all(
            isinstance(key, bytes) and (value is None or isinstance(value, bytes))
            for key, value in batch.items()
        ):
            raise _damaged()
        yield batch


def packed_piece(name: str, offset: int, content: bytes) -> bytes:
    """A piece of a file as the plain part of a physical snapshot."""
    return msgpack.packb([name, offset, content])


def unpacked_piece(plain: bytes) -> tuple[str, int, bytes]:
    """The name of a file, an offset, and the bytes there. Raises CorruptError."""
    match list(_lists(plain)):
        case [(str(name), int(offset), bytes(content))] if (
            os.path.basename(name) == name and name not in ("", ".", "..") and offset >= 0
        ):
            return name, offset, content
    raise _damaged()


def _lists(plain: bytes) -> Iterator[Sequence[Any]]:
    unpacker = msgpack.Unpacker(use_list=False, max_buffer_size=max(1, len(plain)))
    unpacker.feed(plain)
    try:
        for each in unpacker:
            if not isinstance(each, tuple):
                raise _damaged()
            yield each
    except (ValueError, msgpack.UnpackException) as error:
        raise _damaged() from error


def _damaged() -> CorruptError:
    return CorruptError("what the home stores of this memory is damaged: restore a backup of it")
