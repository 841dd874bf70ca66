"""The stored rows of words: pending documents, and chunks of up to 1,024 postings of a word,
each packed under the node of its first posting."""

from __future__ import annotations

import struct
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING, Final, NamedTuple

import msgpack
import numpy as np

from graphmem.hexastore import keys
from graphmem.hexastore.fields import unreadable, wrong
from graphmem.hexastore.transaction import Transaction
from graphmem_worker.text.words import FUNCTION_CHARACTERS, MARK

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNK_POSTINGS: Final = 1024
POSTING_BYTES: Final = 7  # u32 offset, u16 document length, u8 frequency
MAX_LENGTH: Final = 0xFFFF
MAX_FREQUENCY: Final = 0xFF
_PAIR: Final = 2  # characters of a Chinese index word
_HAN: Final = range(0x3400, 0xA000)


def characters(words: Iterable[str]) -> Counter[str]:
    """The Chinese characters in index words, without function characters, and their counts."""
    begun, ended = Counter[str](), Counter[str]()
    for word in words:
        if len(word) <= _PAIR and ord(word[0]) >= _HAN.start:
            begun[word[0]] += 1
            ended[word[-1]] += 1
    return Counter({
        character: n for character, n in (begun | ended).items()  # most are in two pairs
        if ord(character) in _HAN and character not in FUNCTION_CHARACTERS
    })  # fmt: skip


def length(words: Iterable[str]) -> int:
    """How many words a document has, not counting the derived ones that begin with `MARK`."""
    return min(MAX_LENGTH, sum(not word.startswith(MARK) for word in words))


@dataclass(frozen=True, slots=True)
class Document:
    """A pending document. No words: it has been removed."""

    frequencies: dict[str, int]
    length: int
    before: tuple[str, ...]  # words that chunks may hold for it, besides those that it has

    def pack(self) -> bytes:
        """The record on disk; its words are those of the node's text, and not stored again."""
        packed: bytes = msgpack.packb([self.before]) if self.before else b""
        return packed

    @classmethod
    def of(cls, words: Sequence[str], before: Iterable[str] = ()) -> Document:
        """A document of index words, which is found by its characters too."""
        counts: dict[str, int] = Counter(words) | characters(words)
        if len(words) > MAX_FREQUENCY:
            counts = {word: min(MAX_FREQUENCY, n) for word, n in counts.items()}
        return cls(counts, length(words), tuple(before))


def before(record: bytes) -> tuple[str, ...]:
    """The words that chunks may hold for a pending document, from its record. Raises
    CorruptError.

    They are the last field: records of before 26 November 2026 have the document in three others.
    """
    try:
        found = tuple(msgpack.unpackb(record)[-1]) if record else ()
        if not all(isinstance(word, str) for word in found):
            raise ValueError("it holds something else than words")
    except (ValueError, TypeError, LookupError, msgpack.UnpackException) as error:
        raise unreadable("a fresh document", error) from None
    return found


class Change(NamedTuple):
    """The postings of a word that a fold writes."""

    word: str
    oldest: int  # node
    newest: int
    packed: bytes  # a chunk with the oldest as its first node; frequency 0: gone


def changes(documents: list[tuple[int, Document]]) -> list[Change]:
    """The changes of documents, by node ascending, to each word; the last word first."""
    numbers = defaultdict[str, int](count().__next__)  # a word's, in the order in which they come
    found: list[int] = []
    counts = bytearray()
    sizes: list[int] = []
    for _, document in documents:
        live = document.frequencies
        gone = [word for word in document.before if word not in live]
        found += map(numbers.__getitem__, chain(live, gone))
        counts += bytes(live.values()) + bytes(len(gone))
        sizes.append(len(live) + len(gone))
    which = np.array(found, np.int64)
    order = which.argsort(kind="stable")
    of_word = np.bincount(which, minlength=len(numbers))
    ends = of_word.cumsum()
    nodes = np.array([node for node, _ in documents], np.uint64).repeat(sizes)[order]
    oldest, newest = nodes[ends - of_word], nodes[ends - 1]
    offsets = (nodes - oldest.repeat(of_word)).astype("<u4").tobytes()
    lengths = np.array([d.length for _, d in documents], "<u2").repeat(sizes)[order].tobytes()
    frequencies = np.frombuffer(counts, np.uint8)[order].tobytes()
    made, begin = [], 0
    columns = zip(numbers, ends.tolist(), oldest.tolist(), newest.tolist(), strict=True)
    for word, end, first, last in columns:
        packed = offsets[4 * begin : 4 * end] + lengths[2 * begin : 2 * end]
        made.append(Change(word, first, last, packed + frequencies[begin:end]))
        begin = end
    return sorted(made, reverse=True)


def packed_rows(rows: list[tuple[int, tuple[int, int]]]) -> tuple[int, bytes]:
    """The first node and the chunk of postings: node, (frequency, length)."""
    first, count = rows[0][0], len(rows)
    offsets = struct.pack(f"<{count}I", *[node - first for node, _ in rows])
    lengths = struct.pack(f"<{count}H", *[length for _, (_, length) in rows])
    return first, offsets + lengths + bytes([frequency for _, (frequency, _) in rows])


def gathered(chunks: Iterable[tuple[int, bytes]]) -> tuple[NDArray[np.uint64], bytes, bytes]:
    """Nodes, packed lengths and packed frequencies of chunks, each with its first node."""
    firsts, counts, offsets, lengths, frequencies = [], [], [], [], []
    for first, chunk in chunks:
        count = _count(chunk)
        firsts.append(first)
        counts.append(count)
        offsets.append(chunk[: 4 * count])
        lengths.append(chunk[4 * count : 6 * count])
        frequencies.append(chunk[6 * count :])
    nodes = np.frombuffer(b"".join(offsets), "<u4") + np.array(firsts, np.uint64).repeat(counts)
    return nodes, b"".join(lengths), b"".join(frequencies)


def _one_chunk(chunks: list[tuple[int, bytes]]) -> bytes:
    """Several consecutive chunks merged into one."""
    if len(chunks) == 1:
        return chunks[0][1]
    nodes, lengths, frequencies = gathered(chunks)
    offsets: bytes = (nodes - nodes[0]).astype("<u4").tobytes()
    return offsets + lengths + frequencies


def _split(first: int, chunk: bytes) -> Iterator[tuple[int, bytes]]:
    """First nodes and chunks of postings that may be too many for one chunk."""
    if len(chunk) <= CHUNK_POSTINGS * POSTING_BYTES:
        yield first, chunk
        return
    offsets, lengths, frequencies = _columns(chunk)
    for at in range(0, len(offsets), CHUNK_POSTINGS):
        part = slice(at, at + CHUNK_POSTINGS)
        columns = (offsets[part] - offsets[at], lengths[part], frequencies[part])
        yield first + int(offsets[at]), b"".join(column.tobytes() for column in columns)


def append(
    tx: Transaction, start: bytes, chunks: Iterable[tuple[bytes, bytes]], first: int, packed: bytes
) -> int:
    """Write postings that are newer than those of `chunks`, a word's last ones, the last first.

    start: the prefix of the word's keys. As many chunks as fit are merged with the postings into
    one. Returns the first node of the last chunk.
    """
    joined = [(first, packed)]
    size = len(packed)
    for key, chunk in chunks:
        size += len(chunk)
        if size > CHUNK_POSTINGS * POSTING_BYTES:
            break
        tx.remove(key, len(chunk))
        joined.append((node_of(key), chunk))
    joined.reverse()
    for first, packed in _split(joined[0][0], _one_chunk(joined)):
        tx.insert(start + keys.u64(first), packed)
    return first


def last_node(key: bytes, chunk: bytes) -> int:
    return node_of(key) + int(_columns(chunk)[0][-1])


def node_of(chunk_key: bytes) -> int:
    """The first node of a chunk; the node of a pending document."""
    return int.from_bytes(chunk_key[-8:], "big")


def _count(chunk: bytes) -> int:
    """How many postings a chunk holds. Raises CorruptError."""
    count, rest = divmod(len(chunk), POSTING_BYTES)
    if rest or not count:
        raise wrong(f"a chunk of postings has {len(chunk)} bytes")
    return count


def _columns(chunk: bytes) -> tuple[NDArray[np.uint32], NDArray[np.uint16], NDArray[np.uint8]]:
    count = _count(chunk)
    return (
        np.frombuffer(chunk, "<u4", count),
        np.frombuffer(chunk, "<u2", count, 4 * count),
        np.frombuffer(chunk, "u1", count, 6 * count),
    )


def unpack_chunk(key: bytes, chunk: bytes) -> dict[int, tuple[int, int]]:
    """Node → (frequency, document length) of a chunk. Raises CorruptError."""
    first = node_of(key)
    offsets, lengths, frequencies = (column.tolist() for column in _columns(chunk))
    return {
        first + offset: (frequency, length)
        for offset, length, frequency in zip(offsets, lengths, frequencies, strict=True)
    }
