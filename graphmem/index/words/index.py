"""The word index: BM25 over packed chunks of postings, with fresh documents on top.

A remembered or changed document is one *fresh* record in the batch of its node: its words, and the
words that it had before. Fresh documents are also held in memory, each with the sequence numbers
between which it is valid, so that a reader at any snapshot sees exactly its own state. `fold` moves
them into chunks, word by word, in small batches: until the last of these has deleted the fresh
records, readers ignore what chunks say about fresh documents, so a fold may stop anywhere.
"""

from __future__ import annotations

import math
import struct
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice
from operator import itemgetter
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import msgpack
import numpy as np
import numpy.ma  # `np.unique` would load it in a call: interrupted there, a thread hangs
from lru import LRU

from graphmem.errors import CorruptError
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction, Undo
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNK_POSTINGS: Final = 1024
_POSTING_BYTES: Final = 7  # u32 offset, u16 document length, u8 frequency
_MAX_LENGTH: Final = 0xFFFF
_MAX_FREQUENCY: Final = 0xFF
_FOLD_DOCUMENTS: Final = 1024  # whose postings are sorted at once
_FOLD_WORDS: Final = 64  # words a fold writes while it holds the writer: about a millisecond
_PIECES: Final = 7  # chunks that folds add to a word before they join them with the one before
_AT_ONCE: Final = 256  # postings of a word, up to which all are read for a change of some
_TOTAL_BYTES: Final = 4
_CACHED_WORDS: Final = 50_000
_CACHED_FRESH: Final = 4096  # words whose fresh postings are kept as arrays
_CACHED_POSTINGS: Final = 1 << 20  # 11 MB, at least
_CACHED_OF_DOCUMENT: Final = 4  # postings, in a large memory
_LEAST_SIZE: Final = 32  # postings: about what an entry takes besides them
_LEVEL: Final = 1000.0  # documents that rarity is levelled to
_NEVER: Final = np.iinfo(np.uint64).max
_DENSE_SHARE: Final = 1 / 50  # of all ids; above it one array over all ids beats sorting, …
_SORTED: Final = 500  # … but not for so few nodes
_FEW: Final = 50_000  # postings; adding these up is faster than looking which to leave out
_FIRST_HAN: Final = "\u3005"
_SCANNED: Final = 1024  # words that begin with a character and are looked at, …
_UNITED: Final = 64  # … and that are searched for
_SAMPLED: Final = 16  # one in so many values is looked at first, where there are many

ANY: Final = "*"
"""Behind a Han character: any word that begins with it. No index word holds this sign."""

Nodes: TypeAlias = "NDArray[np.uint64]"


@dataclass(frozen=True, slots=True)
class Postings:
    """The documents of one word: nodes ascending, document lengths, frequencies."""

    nodes: Nodes
    lengths: NDArray[np.uint16]
    frequencies: NDArray[np.uint8]

    def among(self, nodes: Nodes) -> Postings:
        """The postings of those of `nodes` that are here; for ascending postings."""
        at = positions(self.nodes, nodes)
        return Postings(self.nodes[at], self.lengths[at], self.frequencies[at])


class Matches(NamedTuple):
    """What a search found."""

    nodes: Nodes  # ascending
    scores: NDArray[np.float32]
    whole: float  # about the score of a text of average length that holds every word once


@dataclass(frozen=True, slots=True)
class Document:
    """One fresh document. No words: it has been removed."""

    frequencies: dict[str, int]
    length: int
    before: tuple[str, ...]  # words that chunks may hold for it

    def pack(self) -> bytes:
        """The record on disk."""
        packed: bytes = msgpack.packb(
            [self.length, list(self.frequencies), bytes(self.frequencies.values()), self.before]
        )
        return packed

    @classmethod
    def unpack(cls, record: bytes) -> Document:
        """Read a record. Raises CorruptError when it is not one."""
        try:
            length, names, counts, before = msgpack.unpackb(record)
            return cls(dict(zip(names, counts, strict=True)), length, tuple(before))
        except (ValueError, TypeError, msgpack.UnpackException) as error:
            raise CorruptError(
                f"a fresh document cannot be read ({error}); run admin.check()"
            ) from None

    @classmethod
    def of(cls, words: Sequence[str], before: Iterable[str] = ()) -> Document:
        """The document of a list of words."""
        counts: dict[str, int] = Counter(words)
        if len(words) > _MAX_FREQUENCY:
            counts = {word: min(_MAX_FREQUENCY, n) for word, n in counts.items()}
        return cls(counts, min(_MAX_LENGTH, len(words)), tuple(before))


class _Change(NamedTuple):
    """What a fold does to a word."""

    word: str
    oldest: int  # node
    newest: int
    packed: bytes  # a chunk with the oldest as its first node; frequency 0: gone


class _Tail(NamedTuple):
    """How a word's chunks end, as the fold that wrote them left it."""

    total: int  # postings in all its chunks
    newest: int  # node of the last posting
    first: int  # node with which the chunk begins that new pieces will be joined with
    pieces: int  # chunks behind that one


class _Folded:
    """What chunks say of words that were searched for, between two folds.

    Until a fold ends, chunks change only for nodes that are being folded, and readers of then
    ignore what chunks say of those: so what one reader found holds for every later one.
    """

    def __init__(self, documents: int) -> None:
        self._found: dict[str, tuple[int, Postings]] = {}
        self._size = 0  # postings
        self._most = max(_CACHED_POSTINGS, _CACHED_OF_DOCUMENT * documents)

    def find(self, word: str, sequence: int) -> Postings | None:
        """The postings of a word for a reader at `sequence`, if they are known."""
        found = self._found.get(word)
        return found[1] if found is not None and found[0] <= sequence else None

    def put(self, word: str, sequence: int, postings: Postings) -> None:
        """Keep what a reader at `sequence` found."""
        self._size += len(postings.nodes) + _LEAST_SIZE
        if self._size > self._most:
            self._found, self._size = {}, len(postings.nodes) + _LEAST_SIZE
        self._found[word] = (sequence, postings)


class _Together:
    """What chunks and fresh documents say of a word together, by what it was made of.

    Postings do not change, so what was made of the same three is the same.
    """

    def __init__(self, most: int) -> None:
        """most: postings that are kept."""
        self._found: dict[str, tuple[Postings, Postings | None, Nodes, Postings]] = {}
        self._size = 0
        self._most = most

    def find(
        self, word: str, folded: Postings, fresh: Postings | None, void: Nodes
    ) -> Postings | None:
        """The postings of a word out of its folded ones, its fresh ones and the nodes of which
        the folded ones are void, if they are known."""
        found = self._found.get(word)
        if found is None or found[0] is not folded or found[1] is not fresh or found[2] is not void:
            return None
        return found[3]

    def put(
        self, word: str, folded: Postings, fresh: Postings | None, void: Nodes, both: Postings
    ) -> None:
        """Keep what was made of these."""
        self._size += len(both.nodes) + _LEAST_SIZE
        if self._size > self._most:
            self._found, self._size = {}, len(both.nodes) + _LEAST_SIZE
        self._found[word] = folded, fresh, void, both


class _Fresh:
    """Fresh documents in memory: an append-only table of slots, and slots by word."""

    def __init__(self, documents: int) -> None:
        self.folded = _Folded(documents)
        self.together = _Together(_CACHED_POSTINGS)
        self.count = 0
        self.nodes = np.zeros(256, np.uint64)
        self.lengths = np.zeros(256, np.uint16)
        self.born = np.zeros(256, np.uint64)
        self.dead = np.full(256, _NEVER, np.uint64)
        self.documents: list[Document] = []
        self.sizes: list[int] = []  # bytes of their records
        self.slots: dict[int, int] = {}  # node → its newest slot
        self.postings: defaultdict[str, list[int]] = defaultdict(list)  # slot << 8 | frequency
        # Nodes that chunks may hold other postings of → the sequence from which on they are void.
        self.overriding: dict[int, int] = {}
        self._overridden: tuple[int, int, Nodes] = (0, 0, np.zeros(0, np.uint64))
        # The Han words by their first character; of so many of the words of `postings`.
        self._beginning: tuple[int, defaultdict[str, dict[str, None]]] = (0, defaultdict(dict))
        self._voided = 0  # how often a slot became void, or valid again
        # Word → what `find` gave, of how many postings and after how many of these changes, and
        # the sequence from which on it holds.
        self._found: LRU[str, tuple[int, int, int, Postings | None]] = LRU(_CACHED_FRESH)

    def put(self, node: int, document: Document, size: int, sequence: int) -> Undo:
        """Make `document`, whose record has `size` bytes, the one of `node` from `sequence` on."""
        slot = self.count
        if slot == len(self.nodes):
            self._grow()
        old = self.slots.get(node)
        overrides = bool(document.before) and node not in self.overriding

        def undo() -> None:
            self.dead[slot] = self.born[slot]  # never valid
            for word in document.frequencies:  # or `count_of` would count it
                listed = self.postings.get(word)
                if listed and listed[-1] >> 8 == slot:
                    listed.pop()
            if old is not None:
                self.dead[old] = _NEVER
                self.slots[node] = old
            else:
                self.slots.pop(node, None)
            self._voided += 1
            if overrides:
                self.overriding.pop(node, None)
                self._overridden = (-1, 0, self._overridden[2])

        try:
            self._put(slot, node, document, size, sequence)
            if old is not None:
                self.dead[old] = sequence
                self._voided += 1  # after it: whoever saw the number before looks again
            if overrides:
                self.overriding[node] = sequence
        except BaseException:  # an interrupt
            undo()
            raise
        return undo

    def _put(self, slot: int, node: int, document: Document, size: int, sequence: int) -> None:
        self.nodes[slot], self.lengths[slot] = node, document.length
        self.born[slot], self.dead[slot] = sequence, _NEVER
        # In place of what an interrupt may have left there.
        self.documents[slot:] = [document]
        self.sizes[slot:] = [size]
        self.slots[node] = slot
        self.count += 1  # before anything refers to the slot that another may not take over
        # One object for all words that stand once: a posting is then no more than a reference.
        postings, once = self.postings, slot << 8 | 1
        for word, frequency in document.frequencies.items():
            postings[word].append(once if frequency == 1 else slot << 8 | frequency)

    def overridden(self, sequence: int) -> Nodes:
        """The nodes whose postings in chunks are void for a reader at `sequence`."""
        size, since, nodes = self._overridden
        if size != len(self.overriding) or sequence < since:
            pairs = list(self.overriding.items())  # one step, whatever the writer adds meanwhile
            nodes = np.array([node for node, born in pairs if born <= sequence], np.uint64)
            if len(nodes) == len(pairs):
                newest = max((born for _, born in pairs), default=0)
                self._overridden = (len(pairs), newest, nodes)
        return nodes

    def count_of(self, word: str) -> int:
        """About how many fresh documents hold a word."""
        return len(self.postings.get(word, ()))

    def beginning(self, character: str) -> list[str]:
        """The words that begin with a Han character."""
        count, found = self._beginning
        if count != len(self.postings):
            said = list(self.postings)  # one step, whatever the writer adds meanwhile
            for word in said[count:]:
                if word >= _FIRST_HAN:
                    found[word[0]][word] = None
            self._beginning = len(said), found
        return list(found.get(character, ()))

    def _grow(self) -> None:
        for name in ("lengths", "born", "dead", "nodes"):  # `nodes` tells that all have grown
            column = getattr(self, name)
            larger = np.full(2 * self.count, _NEVER if name == "dead" else 0, column.dtype)
            larger[: self.count] = column[: self.count]
            setattr(self, name, larger)

    def find(self, word: str, sequence: int) -> Postings | None:
        """The fresh postings of a word at `sequence`, nodes in no order."""
        packed = self.postings.get(word)
        if not packed:
            return None
        size, voided = len(packed), self._voided
        known = self._found.get(word)
        if known is not None and known[:2] == (size, voided) and known[2] <= sequence:
            return known[3]
        found = np.array(packed[:size], np.int64)
        slots = found >> 8
        dead = self.dead[slots]
        is_born = self.born[slots] <= sequence
        valid = is_born & (sequence < dead)
        is_settled = bool((is_born & (~valid | (dead == _NEVER))).all())
        slots = slots[valid]
        postings = None
        if len(slots):
            frequencies = (found[valid] & 0xFF).astype(np.uint8)
            postings = Postings(self.nodes[slots], self.lengths[slots], frequencies)
        if is_settled:  # later readers see the same
            self._found[word] = (size, voided, sequence, postings)
        return postings


class WordIndex:
    """The word index of one scope. Reading is lock-free; writing belongs to transactions."""

    def __init__(self, store: Store, scope: Scope) -> None:
        self._store = store
        self._scope = scope
        self._fresh = _Fresh(scope.state.documents)
        self._folded: LRU[str, int] = LRU(_CACHED_WORDS)
        # Most documents are newer than all that chunks hold, so a fold need not read these. Only
        # for folds.
        self._tails: LRU[str, _Tail] = LRU(_CACHED_WORDS)
        self._folding = Lock()  # two folds at once would undo each other's words
        start = scope.prefix(Space.FRESH)
        with store.snapshot() as snapshot:
            for key, value in snapshot.range(start, keys.after(start)):
                node = int.from_bytes(key[-8:], "big")
                self._fresh.put(node, Document.unpack(value), len(value), 0)
                # A fold may have been cut short: chunks may hold any of these.
                self._fresh.overriding[node] = 0

    @property
    def fresh(self) -> int:
        """How many documents wait to be folded."""
        return len(self._fresh.slots)

    # -- writing ------------------------------------------------------------------------------

    def put(
        self, tx: Transaction, node: int, words: list[str], old: Iterable[str] | None = None
    ) -> None:
        """Index a document, new (`old` None) or changed from the words `old`."""
        if old is None:
            tx.state.documents += 1
        old = list(old or ())
        self._write(tx, node, Document.of(words, set(old)))
        tx.state.words += min(_MAX_LENGTH, len(words)) - min(_MAX_LENGTH, len(old))

    def remove(self, tx: Transaction, node: int, old: Iterable[str]) -> None:
        """Take a document with the words `old` out."""
        old = list(old)
        self._write(tx, node, Document.of((), set(old)))
        tx.state.words -= min(_MAX_LENGTH, len(old))
        tx.state.documents -= 1

    def _write(self, tx: Transaction, node: int, document: Document) -> None:
        key = self._scope.prefix(Space.FRESH) + keys.u64(node)
        known = tx.written(key)
        if known is None and node in self._fresh.slots:
            known = tx.get(key)
        if known is None:
            record = document.pack()
            tx.insert(key, record)
        else:
            # What the chunks may hold is what any earlier state had, not only the last; a node
            # revived before its removal was folded has earlier states too.
            earlier = Document.unpack(known).before
            document = Document(
                document.frequencies, document.length, tuple({*document.before, *earlier})
            )
            record = document.pack()
            tx.put(key, record)
        # The buffer is looked up at publication: a fold may have replaced it meanwhile.
        tx.publish(lambda sequence: self._fresh.put(node, document, len(record), sequence))

    # -- reading ------------------------------------------------------------------------------

    def reader(self, snapshot: Reader, sequence: int, held: _Fresh) -> WordReader:
        """A reader at a snapshot; `held` is what `hold` returned before the snapshot was taken."""
        return WordReader(self._scope, snapshot, sequence, held)

    def hold(self) -> _Fresh:
        """The fresh documents. Take it, take the snapshot, and ask `holds` whether it still is."""
        return self._fresh

    def holds(self, held: _Fresh) -> bool:
        """True if no fold has ended since `held` was taken, so a snapshot taken between agrees."""
        return held is self._fresh

    def rarity(self, word: str) -> float:
        """How telling an index word is in this memory by now, 0–7.6 nat.

        The inverse document frequency, as if the memory had a thousand documents, so that early
        and late texts are measured alike.
        """
        count = self.frequency(word)
        return _idf(count * _LEVEL / max(_LEVEL, self._scope.state.documents), _LEVEL)

    def frequency(self, word: str) -> int:
        """How many documents hold an index word by now. Folded counts are cached until the next
        fold."""
        folded = self._folded.get(word)
        if folded is None:
            key = self._scope.prefix(Space.FREQUENCY) + word.encode()
            folded = int.from_bytes(self._store.get(key) or b"", "big")
            self._folded[word] = folded
        return folded + self._fresh.count_of(word)

    # -- folding ------------------------------------------------------------------------------

    def fold(self, limit: int = 2048) -> int:
        """Move up to `limit` fresh documents into chunks; returns how many.

        Holds the writer for short batches only; a second caller waits for the first.
        """
        with self._folding:
            return self._fold(limit)

    def _fold(self, limit: int) -> int:
        held = self._fresh
        with self._store.writing:
            taken = dict(sorted(held.slots.items())[:limit])
            for node, slot in taken.items():
                held.overriding.setdefault(node, int(held.born[slot]))
        documents = iter([(node, held.documents[slot]) for node, slot in taken.items()])
        totals: dict[str, int] = {}
        while some := list(islice(documents, _FOLD_DOCUMENTS)):
            self._fold_words(_changes(some), totals)
        with self._store.writing:
            left = _Fresh(self._scope.state.documents)
            with Transaction(self._store, self._scope) as tx:
                for node, slot in held.slots.items():
                    if taken.get(node) == slot:
                        key = self._scope.prefix(Space.FRESH) + keys.u64(node)
                        tx.remove(key, held.sizes[slot])
                        continue
                    document, size = held.documents[slot], held.sizes[slot]
                    left.put(node, document, size, int(held.born[slot]))
                    if (since := held.overriding.get(node)) is not None:
                        left.overriding[node] = since
            # After the commit, so that whoever finds `left` has a snapshot of folded chunks.
            self._fresh = left
            for word, total in totals.items():
                if word in self._folded:
                    self._folded[word] = total
        return len(taken)

    def _fold_words(self, pending: list[_Change], totals: dict[str, int]) -> None:
        """Make changes, and enter how many postings each word has then into `totals`."""
        while pending:
            tails: dict[str, _Tail | None] = {}
            begun = time.monotonic()
            with Transaction(self._store, self._scope) as tx:
                for _ in range(min(_FOLD_WORDS, len(pending))):
                    change = pending.pop()
                    totals[change.word], tails[change.word] = self._fold_word(tx, change)
            self._tails.update({word: tail for word, tail in tails.items() if tail is not None})
            self._store.stand_back(time.monotonic() - begun)

    def _fold_word(self, tx: Transaction, change: _Change) -> tuple[int, _Tail | None]:
        """Change a word's chunks; returns how many postings they hold then, and how they end, if
        that is known."""
        word, oldest, newest, packed = change
        name = word.encode()
        start = self._scope.prefix(Space.CHUNK) + name + b"\x00"
        key = self._scope.prefix(Space.FREQUENCY) + name
        count = len(packed) // _POSTING_BYTES
        tail = self._tails.pop(word, None)
        if tail is None:  # every word is folded once, so the transaction adds nothing
            before = int.from_bytes(self._store.get(key) or b"", "big")
        else:
            before = tail.total
        total = before + count
        newer = not before or (tail is not None and tail.newest < oldest)
        if not newer or 0 in packed[-count:]:
            if before <= _AT_ONCE:
                grown, tail = self._merge_all(tx, start, change)
            else:
                grown, tail = self._merge(tx, start, change, tail)
            total = before + grown
            tail = None if tail is None else tail._replace(total=total)
        elif tail is not None and tail.pieces == _PIECES:
            ends = start + keys.u64(tail.first), keys.after(start)
            chunks = reversed([*self._store.range(*ends)])
            tail = _Tail(total, newest, _append(tx, start, chunks, oldest, packed), 0)
        elif count > CHUNK_POSTINGS:
            tail = _Tail(total, newest, _append(tx, start, (), oldest, packed), 0)
        else:
            tx.insert(start + keys.u64(oldest), packed)
            first, pieces = (oldest, 0) if tail is None else (tail.first, tail.pieces + 1)
            tail = _Tail(total, newest, first, pieces)
        if not 0 <= total < 1 << 32:
            raise CorruptError(f"the frequency of word {word!r} is wrong; run admin.check()")
        if not before:
            if total:
                tx.insert(key, total.to_bytes(_TOTAL_BYTES, "big"))
        elif not total:
            tx.remove(key, _TOTAL_BYTES)
        elif total != before:
            tx.replace(key, total.to_bytes(_TOTAL_BYTES, "big"), _TOTAL_BYTES)
        return total, tail

    def _merge_all(
        self, tx: Transaction, start: bytes, change: _Change
    ) -> tuple[int, _Tail | None]:
        """`_merge` for a word of few postings: they become one chunk."""
        held: dict[int, tuple[int, int]] = {}
        for key, chunk in self._store.range(start, keys.after(start)):
            held |= unpack_chunk(key, chunk)
            tx.remove(key, len(chunk))
        rows = held | unpack_chunk(keys.u64(change.oldest), change.packed)
        live = sorted(row for row in rows.items() if row[1][0])
        if not live:
            return -len(held), None
        last = _append(tx, start, (), *_packed(live))
        return len(live) - len(held), _Tail(0, live[-1][0], last, 0)

    def _merge(
        self, tx: Transaction, start: bytes, change: _Change, tail: _Tail | None
    ) -> tuple[int, _Tail | None]:
        """Change the chunks that a change's nodes belong to. Returns by how much they grew, and how
        they end, if that is known, but for their total."""
        rows = [*unpack_chunk(keys.u64(change.oldest), change.packed).items()]
        grown = at = 0
        while at < len(rows):
            first = start + keys.u64(rows[at][0])
            following = next(self._store.keys(first + b"\x00", keys.after(start)), None)
            end = len(rows)
            if following is not None:
                end = bisect_left(rows, node_of(following), at, key=itemgetter(0))
            chunks = self._store.range(start, first + b"\x00", reverse=True)
            chunk = next(chunks, None)
            before: Iterable[tuple[bytes, bytes]] = ()
            whole = False  # nothing before it is left to be joined
            if chunk is not None and _newest(*chunk) < rows[at][0]:
                # Those before it too, unless they have just been changed.
                before, whole = ((chunk,), False) if at else (chain((chunk,), chunks), True)
                live = [row for row in rows[at:end] if row[1][0]]
                grown += len(live)
            else:
                held = {} if chunk is None else unpack_chunk(*chunk)
                merged = {**held, **dict(rows[at:end])}
                live = sorted(row for row in merged.items() if row[1][0])
                grown += len(live) - len(held)
                if chunk is not None:
                    tx.remove(chunk[0], len(chunk[1]))
            last = _append(tx, start, before, *_packed(live)) if live else None
            if following is None:
                if last is None:
                    tail = None
                elif whole:
                    tail = _Tail(0, live[-1][0], last, 0)
                elif tail is not None:
                    tail = tail._replace(newest=live[-1][0])
            at = end
        return grown, tail


def _changes(documents: list[tuple[int, Document]]) -> list[_Change]:
    """What documents, by node, change about each word, the last word first."""
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
    changes, begin = [], 0
    columns = zip(numbers, ends.tolist(), oldest.tolist(), newest.tolist(), strict=True)
    for word, end, first, last in columns:
        packed = offsets[4 * begin : 4 * end] + lengths[2 * begin : 2 * end]
        changes.append(_Change(word, first, last, packed + frequencies[begin:end]))
        begin = end
    return sorted(changes, reverse=True)


def _packed(rows: list[tuple[int, tuple[int, int]]]) -> tuple[int, bytes]:
    """The first node and the chunk of postings: node, (frequency, length)."""
    first, count = rows[0][0], len(rows)
    offsets = struct.pack(f"<{count}I", *[node - first for node, _ in rows])
    lengths = struct.pack(f"<{count}H", *[length for _, (_, length) in rows])
    return first, offsets + lengths + bytes([frequency for _, (frequency, _) in rows])


def _gathered(chunks: Iterable[tuple[int, bytes]]) -> tuple[Nodes, bytes, bytes]:
    """Nodes, packed lengths and packed frequencies of chunks, each with its first node."""
    firsts, counts, offsets, lengths, frequencies = [], [], [], [], []
    for first, chunk in chunks:
        count, rest = divmod(len(chunk), _POSTING_BYTES)
        if rest:
            raise CorruptError(f"a chunk of postings has {len(chunk)} bytes; run admin.check()")
        firsts.append(first)
        counts.append(count)
        offsets.append(chunk[: 4 * count])
        lengths.append(chunk[4 * count : 6 * count])
        frequencies.append(chunk[6 * count :])
    nodes = np.frombuffer(b"".join(offsets), "<u4") + np.array(firsts, np.uint64).repeat(counts)
    return nodes, b"".join(lengths), b"".join(frequencies)


def _one_chunk(chunks: list[tuple[int, bytes]]) -> bytes:
    """What several chunks hold, in their order."""
    if len(chunks) == 1:
        return chunks[0][1]
    nodes, lengths, frequencies = _gathered(chunks)
    offsets: bytes = (nodes - nodes[0]).astype("<u4").tobytes()
    return offsets + lengths + frequencies


def _split(first: int, chunk: bytes) -> Iterator[tuple[int, bytes]]:
    """First nodes and chunks of what may be too much for one."""
    if len(chunk) <= CHUNK_POSTINGS * _POSTING_BYTES:
        yield first, chunk
        return
    offsets, lengths, frequencies = _columns(chunk)
    for at in range(0, len(offsets), CHUNK_POSTINGS):
        part = slice(at, at + CHUNK_POSTINGS)
        columns = (offsets[part] - offsets[at], lengths[part], frequencies[part])
        yield first + int(offsets[at]), b"".join(column.tobytes() for column in columns)


def _append(
    tx: Transaction, start: bytes, chunks: Iterable[tuple[bytes, bytes]], first: int, packed: bytes
) -> int:
    """Write postings that are newer than those of `chunks`, a word's last ones, the last first.

    `start` begins the word's keys. As many chunks as fit are joined with the postings in one.
    Returns where the last one begins.
    """
    joined = [(first, packed)]
    size = len(packed)
    for key, chunk in chunks:
        size += len(chunk)
        if size > CHUNK_POSTINGS * _POSTING_BYTES:
            break
        tx.remove(key, len(chunk))
        joined.append((node_of(key), chunk))
    joined.reverse()
    for first, packed in _split(joined[0][0], _one_chunk(joined)):
        tx.insert(start + keys.u64(first), packed)
    return first


def _newest(key: bytes, chunk: bytes) -> int:
    """The last node of a chunk."""
    return node_of(key) + int(_columns(chunk)[0][-1])


def node_of(chunk_key: bytes) -> int:
    return int.from_bytes(chunk_key[-8:], "big")


def _columns(
    chunk: bytes,
) -> tuple[NDArray[np.uint32], NDArray[np.uint16], NDArray[np.uint8]]:
    count, rest = divmod(len(chunk), _POSTING_BYTES)
    if rest:
        raise CorruptError(f"a chunk of postings has {len(chunk)} bytes; run admin.check()")
    return (
        np.frombuffer(chunk, "<u4", count),
        np.frombuffer(chunk, "<u2", count, 4 * count),
        np.frombuffer(chunk, "u1", count, 6 * count),
    )


def unpack_chunk(key: bytes, chunk: bytes) -> dict[int, tuple[int, int]]:
    first = node_of(key)
    offsets, lengths, frequencies = (column.tolist() for column in _columns(chunk))
    return {
        first + offset: (frequency, length)
        for offset, length, frequency in zip(offsets, lengths, frequencies, strict=True)
    }


class WordReader:
    """Reads the word index at one snapshot."""

    def __init__(self, scope: Scope, snapshot: Reader, sequence: int, held: _Fresh) -> None:
        self._scope = scope
        self._snapshot = snapshot
        self._sequence = sequence
        self._fresh = held
        self._overriding = held.overridden(sequence)

    def find(self, word: str) -> Postings:
        """The documents that hold an index word, nodes ascending; of `c*` those that hold any of
        the words that begin with the Han character c."""
        if word.endswith(ANY):
            return _united([self.find(each) for each in self._beginning(word.removesuffix(ANY))])
        folded = self._fresh.folded.find(word, self._sequence)
        if folded is None:
            folded = self._chunks(word)
            self._fresh.folded.put(word, self._sequence, folded)
        fresh, void = self._fresh.find(word, self._sequence), self._overriding
        if fresh is None and not len(void):
            return folded
        known = self._fresh.together.find(word, folded, fresh, void)
        if known is None:
            known = _put_together(folded, fresh, void)
            self._fresh.together.put(word, folded, fresh, void, known)
        return known

    def _beginning(self, character: str) -> list[str]:
        """The words that begin with a Han character, of many those that most documents hold."""
        start = self._scope.prefix(Space.FREQUENCY)
        begin = start + character.encode()
        counts = Counter(
            {word: self._fresh.count_of(word) for word in self._fresh.beginning(character)}
        )
        for key, total in islice(self._snapshot.range(begin, keys.after(begin)), _SCANNED):
            counts[key[len(start) :].decode()] += int.from_bytes(total, "big")
        return [word for word, _ in counts.most_common(_UNITED)]

    def _chunks(self, word: str) -> Postings:
        """What the chunks hold of a word, ascending."""
        start = self._scope.prefix(Space.CHUNK) + word.encode() + b"\x00"
        chunks = self._snapshot.range(start, keys.after(start))
        nodes, lengths, frequencies = _gathered((node_of(key), chunk) for key, chunk in chunks)
        return Postings(nodes, np.frombuffer(lengths, "<u2"), np.frombuffer(frequencies, "u1"))

    def holding(self, words: Iterable[str]) -> Nodes:
        """The nodes that hold every one of some index words, ascending; none if there are none."""
        nodes = None
        for word in dict.fromkeys(words):
            found = self.find(word).nodes
            nodes = found if nodes is None else found[positions(found, nodes)]
            if not len(nodes):
                break
        return np.zeros(0, np.uint64) if nodes is None else nodes

    def search(
        self,
        weights: Mapping[str, float],
        documents: int,
        words: int,
        *,
        k1: float,
        b: float,
        most: int | None = None,
    ) -> Matches:
        """The nodes that hold any of the weighted words, with their BM25 scores; the best `most`,
        and maybe more, if that is given.

        `documents` and `words` are the scope's counters: how many documents, how long together.
        Robertson & Zaragoza, The Probabilistic Relevance Framework (2009), with the idf above.
        What is left out with `most` follows MaxScore (Turtle & Flood 1995): the most telling words
        come first, and once the others together could not bring a node among the best, these are
        only looked up for the nodes that might be.
        """
        average = max(1.0, words / max(1, documents))
        found = [(weight, self.find(word)) for word, weight in weights.items()]
        gains = [(weight * _idf(len(part.nodes), documents), part) for weight, part in found]
        whole = sum(gain for gain, _ in gains)
        left = sorted(gains, key=lambda gain: gain[0])  # the most telling last

        def gained(gain: float, part: Postings) -> NDArray[np.floating]:
            """What a word brings to each of its documents."""
            norm = k1 * (1 - b + b * part.lengths.astype(np.float32) / average)
            frequencies = part.frequencies.astype(np.float32)
            most_of_it = np.float32(gain * (k1 + 1)) * frequencies
            brought: NDArray[np.floating] = most_of_it / (frequencies + norm)
            return brought

        nodes, totals = np.zeros(0, np.uint64), np.zeros(0)
        few = most is None or sum(len(part.nodes) for _, part in found) <= _FEW
        if few and _is_dense([part.nodes for _, part in found]):
            nodes, totals = _added(
                [(part.nodes, gained(gain, part)) for gain, part in reversed(left)], most
            )
            left = []
        while left:
            brought = sum(gain for gain, _ in left) * (k1 + 1)  # at most, by all that are left
            if most and len(nodes) > most and brought < (floor := least(totals, most)):
                kept = totals + brought >= floor
                nodes, totals = nodes[kept], totals[kept]
                taken = [(gain, part.among(nodes)) for gain, part in left]
                left = []
            else:
                taken = [left.pop()]
                while left and (few or sum(len(p.nodes) for _, p in taken) <= (most or 0)):
                    taken.append(left.pop())
            both = np.concatenate((totals, *(gained(*each) for each in taken)), dtype=np.float64)
            joined = np.concatenate((nodes, *(part.nodes for _, part in taken)))
            nodes, totals = summed(joined, both, None if left else most)
        return Matches(nodes, totals.astype(np.float32), whole)


def _is_dense(parts: Sequence[Nodes]) -> bool:
    """Whether one array over all ids between the first and the last of ascending nodes beats
    sorting them."""
    count = sum(map(len, parts))
    if count <= _SORTED:
        return False
    first, last = _ends(parts)
    return count > (last - first) * _DENSE_SHARE


def _ends(parts: Iterable[Nodes]) -> tuple[int, int]:
    """The first and the last of ascending nodes, some of which are there."""
    held = [part for part in parts if len(part)]
    return min(int(part[0]) for part in held), max(int(part[-1]) for part in held)


def _added(
    parts: Sequence[tuple[Nodes, NDArray[np.floating]]], most: int | None
) -> tuple[Nodes, NDArray[np.float64]]:
    """`summed` of dense ascending nodes and their values, those of the greatest values first.

    One part after the other: each stays in the processor's cache through all steps.
    """
    first, last = _ends([nodes for nodes, _ in parts])
    totals = np.zeros(last - first + 1)
    floor = 0.0
    places = [(nodes - first).view(np.int64) for nodes, _ in parts]
    for place, (_, values) in zip(places, parts, strict=True):
        totals[place] += values
    if most is not None:
        # What is not even among so many of some nodes cannot be among so many of all.
        telling = next((place for place in places if len(place) > most), None)
        if telling is not None:
            floor = least(totals[telling], most)
    (named,) = (totals >= floor if floor else totals).nonzero()
    found: Nodes = named.astype(np.uint64)
    return found + first, totals[named]


def _idf(count: float, documents: float) -> float:
    return math.log(1 + (max(documents, count) - count + 0.5) / (count + 0.5))


def _joined(parts: list[Postings]) -> Postings:
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Postings(np.zeros(0, np.uint64), np.zeros(0, np.uint16), np.zeros(0, np.uint8))
    return Postings(
        np.concatenate([p.nodes for p in parts]),
        np.concatenate([p.lengths for p in parts]),
        np.concatenate([p.frequencies for p in parts]),
    )


def _united(parts: list[Postings]) -> Postings:
    """The documents of several words as if these were one, nodes ascending."""
    joined = _joined(parts)
    nodes, first, which = np.unique(joined.nodes, return_index=True, return_inverse=True)
    frequencies = np.bincount(which, joined.frequencies).clip(max=_MAX_FREQUENCY)
    return Postings(nodes, joined.lengths[first], frequencies.astype(np.uint8))


def _put_together(folded: Postings, fresh: Postings | None, void: Nodes) -> Postings:
    """Folded postings without those of `void` nodes, and fresh ones; nodes ascending."""
    if len(at := positions(folded.nodes, void)):
        kept = np.ones(len(folded.nodes), np.bool_)
        kept[at] = False
        folded = Postings(folded.nodes[kept], folded.lengths[kept], folded.frequencies[kept])
    if fresh is None:
        return folded
    both = _joined([folded, fresh])
    if (both.nodes[1:] > both.nodes[:-1]).all():
        return both
    order = both.nodes.argsort(kind="stable")  # a changed document is fresh, and not new
    return Postings(both.nodes[order], both.lengths[order], both.frequencies[order])


def least(values: NDArray[np.floating], most: int) -> float:
    """The `most`-th largest of more values."""
    if len(values) > 2 * _SAMPLED * most:
        values = values[values >= least(values[::_SAMPLED], most)]
    return float(np.partition(values, -most)[-most])


def positions(among: Nodes, wanted: Nodes) -> NDArray[np.int64]:
    """Where those of `wanted` that are there stand in the ascending `among`."""
    if not len(among) or not len(wanted):
        return np.zeros(0, np.int64)
    at = among.searchsorted(wanted)
    found: NDArray[np.int64] = at[among.take(at, mode="clip") == wanted]
    return found


def summed(
    nodes: Nodes, values: NDArray[np.floating], most: int | None = None
) -> tuple[Nodes, NDArray[np.float64]]:
    """Different nodes, ascending, and for each the sum of its values, all above 0.

    With `most`, where there are many, only those that can be among so many of the greatest sums,
    and some more.
    """
    if not len(nodes):
        return nodes, np.zeros(0)
    if len(nodes) > _SORTED and len(nodes) > np.ptp(nodes) * _DENSE_SHARE:
        first = nodes.min()
        offsets = (nodes - first).view(np.int64)
        totals = np.asarray(np.bincount(offsets, values), np.float64)
        if most is not None and len(nodes) > 2 * _SAMPLED * most:
            # What is not even among so many of a sample cannot be among so many of all.
            sample = totals[::_SAMPLED]
            sample = sample[sample > 0]
            met = totals >= least(sample, most) if len(sample) > most else totals > 0
        else:
            met = np.zeros(len(totals), np.bool_)
            met[offsets] = True
        (named,) = met.nonzero()
        found: Nodes = named.astype(np.uint64)
        return found + first, totals[named]
    order = nodes.argsort(kind="stable")
    ordered = nodes[order]
    is_first = np.empty(len(ordered), np.bool_)
    is_first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    sums = np.bincount(is_first.cumsum() - 1, values[order])
    return ordered[is_first], np.asarray(sums, np.float64)
