"""The word index: BM25 over packed chunks of postings and a delta in memory (docs/format.md §6).

A new or changed document is *pending*: in the delta, with the sequence numbers of its validity, so
that a reader at any snapshot sees exactly its own state. `fold` merges the delta into chunks in
small batches, and may stop anywhere. To make room only documents with *void* postings are folded:
those of which chunks hold outdated postings.
"""

from __future__ import annotations

import logging
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, islice
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
from lru import LRU

from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction, Undo
from graphmem.index.words import records
from graphmem.index.words.folding import Folding
from graphmem.index.words.postings import (
    NOTHING,
    Nodes,
    Postings,
    idf,
    positions,
    put_together,
    rarity,
    summed,
    united,
)
from graphmem.index.words.records import Document, gathered, node_of
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store
from graphmem_worker.text.words import ANALYSER_VERSION

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FOLD_DOCUMENTS: Final = 1024  # documents whose postings are sorted at once
_RENEWED: Final = 1 << 14  # documents whose words in chunks are held at once
_CACHED_WORDS: Final = 50_000
_CACHED_DELTA: Final = 4096  # words whose postings in the delta are cached as arrays
_CACHED_POSTINGS: Final = 1 << 20  # 11 MB, at least
_CACHED_OF_DOCUMENT: Final = 4  # cached postings for each document of a large memory
_LEAST_SIZE: Final = 32  # the overhead of a cache entry, in postings
_LEVEL: Final = 1000.0  # documents of the memory to which rarity is normalized
_log = logging.getLogger("graphmem.index.words")
_NEVER: Final = np.iinfo(np.uint64).max
_LAST: Final = 1 << 64  # above every node
EITHER: Final = "|"
"""Between words: any of them, as if they were one. No index word contains it."""

FEATURE: Final = "words"  # versions that expect the words in the records refuse the store, …
CHARACTERS: Final = "characters"  # … and so do those that do not index Chinese characters

Words: TypeAlias = Callable[[Reader, int], Sequence[str] | None]
"""The index words of a node's text as a reader sees it, None if it is gone."""


class Matches(NamedTuple):
    """The result of a search."""

    nodes: Nodes  # ascending
    scores: NDArray[np.float32]
    whole: float  # about the score of a text of average length that holds every word once


class _PostingsCache:
    """Cached postings of words, each with the sequence from which on they are valid; all are
    dropped when they are too many."""

    def __init__(self, most: int) -> None:
        """most: how many postings are cached."""
        self._found: dict[str, tuple[int | None, Postings]] = {}
        self._size = 0
        self._most = most

    def find(self, word: str) -> tuple[int | None, Postings]:
        """The sequence from which on the cached postings of a word are valid (None: not cached),
        and the postings."""
        return self._found.get(word, (None, NOTHING))

    def put(self, word: str, since: int, postings: Postings) -> None:
        self._size += len(postings.nodes) + _LEAST_SIZE
        if self._size > self._most:
            self._found, self._size = {}, len(postings.nodes) + _LEAST_SIZE
        self._found[word] = since, postings


class _Delta:
    """The pending documents: an append-only table of them by slot, and the slots by word."""

    def __init__(self, documents: int) -> None:
        # The postings of a word in chunks: until a fold ends they change only for nodes that are
        # being folded, and readers ignore those nodes in chunks.
        self.folded = _PostingsCache(max(_CACHED_POSTINGS, _CACHED_OF_DOCUMENT * documents))
        self.vocabulary: str | None = None  # the words in chunks, each between line breaks
        self.count = 0
        self.nodes = np.zeros(16, np.uint64)
        self.lengths = np.zeros(16, np.uint16)
        self.born = np.zeros(16, np.uint64)
        self.dead = np.full(16, _NEVER, np.uint64)
        self.documents: list[Document] = []
        self.sizes: list[int] = []  # bytes of their records
        self.slots: dict[int, int] = {}  # node → its newest slot
        self.postings: defaultdict[str, list[int]] = defaultdict(list)  # slot << 8 | frequency
        # Node with outdated postings in chunks → the sequence from which on these are void.
        self.overriding: dict[int, int] = {}
        self._overridden: tuple[int, int, Nodes] = (0, 0, np.zeros(0, np.uint64))
        self._changes = 0  # how often a slot became dead, or valid again
        self._dead_counts: Counter[str] = Counter()  # word → dead slots that hold it
        # Word → postings and `_changes` when `find` was called, the sequence from which on its
        # result is valid, and the result.
        self._found: LRU[str, tuple[int, int, int, Postings | None]] = LRU(_CACHED_DELTA)

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
                self._revalidate(node, old)
            else:
                self.slots.pop(node, None)
                self._changes += 1
            if overrides:
                self.overriding.pop(node, None)
                self._overridden = (-1, 0, self._overridden[2])

        try:
            self._put(slot, node, document, size, sequence)
            if old is not None:
                self._mark_dead(old, sequence)
            if overrides:
                self.overriding[node] = sequence
        except BaseException:  # an interrupt
            undo()
            raise
        return undo

    def drop(self, node: int, sequence: int) -> Undo:
        """Remove the document of `node`, of which chunks hold nothing, from `sequence` on."""
        slot = self.slots[node]

        def undo() -> None:
            self._revalidate(node, slot)

        try:
            self._mark_dead(slot, sequence)
            del self.slots[node]
        except BaseException:  # an interrupt
            undo()
            raise
        return undo

    def _mark_dead(self, slot: int, sequence: int) -> None:
        self._dead_counts.update(self.documents[slot].frequencies.keys())
        self.dead[slot] = sequence
        self._changes += 1  # last, so that a reader of the old number looks again

    def _revalidate(self, node: int, slot: int) -> None:
        if self.dead[slot] != _NEVER:
            self._dead_counts.subtract(self.documents[slot].frequencies.keys())
        self.dead[slot] = _NEVER
        self.slots[node] = slot
        self._changes += 1

    def _put(self, slot: int, node: int, document: Document, size: int, sequence: int) -> None:
        self.nodes[slot], self.lengths[slot] = node, document.length
        self.born[slot], self.dead[slot] = sequence, _NEVER
        # Overwrites what an interrupt may have left there.
        self.documents[slot:] = [document]
        self.sizes[slot:] = [size]
        self.slots[node] = slot
        self.count += 1  # before anything refers to the slot, so that it is not reused
        # One int object for all words that occur once: their postings are references to it.
        postings, once = self.postings, slot << 8 | 1
        for word, frequency in document.frequencies.items():
            postings[word].append(once if frequency == 1 else slot << 8 | frequency)

    def overridden(self, sequence: int) -> Nodes:
        """The nodes whose postings in chunks are void for a reader at `sequence`."""
        size, since, nodes = self._overridden
        if size != len(self.overriding) or sequence < since:
            pairs = list(self.overriding.items())  # one atomic step: the writer may add meanwhile
            nodes = np.array([node for node, born in pairs if born <= sequence], np.uint64)
            if len(nodes) == len(pairs):
                newest = max((born for _, born in pairs), default=0)
                self._overridden = (len(pairs), newest, nodes)
        return nodes

    def count_of(self, word: str) -> int:
        """How many pending documents hold a word."""
        slots = self.postings.get(word)
        return len(slots) - self._dead_counts.get(word, 0) if slots else 0

    def _grow(self) -> None:
        for name in ("lengths", "born", "dead", "nodes"):  # `nodes`, which `put` checks, last
            column = getattr(self, name)
            more = np.full(self.count, _NEVER if name == "dead" else 0, column.dtype)
            setattr(self, name, np.concatenate((column, more)))

    def find(self, word: str, sequence: int) -> Postings | None:
        """The postings of a word in the delta at `sequence`, nodes in no order; None if none."""
        packed = self.postings.get(word)
        if not packed:
            return None
        size, changes = len(packed), self._changes
        cached = self._found.get(word)
        if cached is not None and cached[:2] == (size, changes) and cached[2] <= sequence:
            return cached[3]
        found = np.array(packed[:size], np.int64)
        slots = found >> 8
        dead, born = self.dead[slots], self.born[slots]
        is_settled = bool(np.maximum.reduce(born) <= sequence)
        if not is_settled or np.minimum.reduce(dead) != _NEVER:
            is_born = born <= sequence
            valid = is_born & (sequence < dead)
            is_settled = bool((is_born & (~valid | (dead == _NEVER))).all())
            slots, found = slots[valid], found[valid]
        postings = None
        if len(slots):
            frequencies = (found & 0xFF).astype(np.uint8)
            postings = Postings(self.nodes[slots], self.lengths[slots], frequencies)
        if is_settled:  # later readers see the same
            self._found[word] = (size, changes, sequence, postings)
        return postings


class WordIndex:
    """The word index of one scope. Reading is lock-free; writing belongs to transactions."""

    def __init__(self, store: Store, scope: Scope, words_of: Words) -> None:
        self._store = store
        self._scope = scope
        self._words_of = words_of
        self._delta = _Delta(scope.state.documents)
        self._folded: LRU[str, int] = LRU(_CACHED_WORDS)
        self._chunks = Folding(store, scope)
        self._folding = Lock()  # two folds at once would undo each other's words
        self._taken = 0  # the last node of a fold that goes on, or was cut short
        with store.snapshot() as snapshot:
            for key, value in snapshot.range(*keys.under(scope.prefix(Space.FRESH))):
                node = node_of(key)
                if not node:
                    self._taken = keys.number("how far words were folded", value)
                    continue
                document = Document.of(words_of(snapshot, node) or (), records.before(value))
                self._delta.put(node, document, len(value), 0)
                if node <= self._taken or value:
                    self._delta.overriding[node] = 0

    @property
    def pending(self) -> int:
        """How many pending documents are to be folded."""
        return len(self._delta.slots)

    @property
    def void(self) -> int:
        """How many documents have void postings in chunks."""
        return len(self._delta.overriding)

    @property
    def dead(self) -> int:
        """How many pending documents only earlier readers see; dropped by the next fold."""
        return self._delta.count - len(self._delta.slots)

    # -- writing ------------------------------------------------------------------------------

    def put(
        self, tx: Transaction, node: int, words: list[str], old: Iterable[str] | None = None
    ) -> None:
        """Index a document, new (`old` None) or changed from the words `old`."""
        if old is None:
            tx.state.documents += 1
        old = list(old or ())
        stored = self._record(tx, node)
        self._write(tx, node, Document.of(words, self._in_chunks(node, stored, old)), stored)
        tx.state.words += records.length(words) - records.length(old)

    def remove(self, tx: Transaction, node: int, old: Iterable[str]) -> None:
        """Remove a document that had the words `old`."""
        old = list(old)
        stored = self._record(tx, node)
        before = self._in_chunks(node, stored, old)
        if self._is_only_in_delta(node, stored):
            tx.remove(self._key(node), 0)
            tx.publish(lambda sequence: self._delta.drop(node, sequence))
        elif before or stored is not None:
            self._write(tx, node, Document.of((), before), stored)
        tx.state.words -= records.length(old)
        tx.state.documents -= 1

    def _key(self, node: int) -> bytes:
        return self._scope.prefix(Space.FRESH) + keys.u64(node)

    def _record(self, tx: Transaction, node: int) -> bytes | None:
        """The record of a node, None if it is not in the delta."""
        stored = tx.rows.get(self._key(node))
        return tx.get(self._key(node)) if stored is None and node in self._delta.slots else stored

    def _is_only_in_delta(self, node: int, stored: bytes | None) -> bool:
        """True if a node with this record is in the delta, and not in chunks."""
        return stored == b"" and node not in self._delta.overriding

    def _in_chunks(self, node: int, stored: bytes | None, old: list[str]) -> set[str]:
        """The words that chunks may hold of a node that had the words `old` and this record.

        These are words of all its earlier states: a node revived before its removal was folded has
        several.
        """
        if self._is_only_in_delta(node, stored):
            return set()
        return {*old, *records.characters(old), *records.before(stored or b"")}

    def _write(self, tx: Transaction, node: int, document: Document, stored: bytes | None) -> None:
        self._store.require(FEATURE, to_read=True)
        self._store.require(CHARACTERS, to_read=True)
        record = document.pack()
        if stored is None:
            tx.insert(self._key(node), record)
        else:
            tx.replace(self._key(node), record, len(stored))
        # The delta is looked up at publication: a fold may have replaced it meanwhile.
        tx.publish(lambda sequence: self._delta.put(node, document, len(record), sequence))

    # -- reading ------------------------------------------------------------------------------

    def reader(
        self, snapshot: Reader, sequence: int, delta: _Delta, hidden: Sequence[tuple[int, int]] = ()
    ) -> WordReader:
        """A reader at a snapshot; `delta` is what `hold` returned before the snapshot was taken.
        hidden: ranges of nodes (first, last) that it does not find."""
        return WordReader(self._scope, snapshot, sequence, delta, hidden)

    def hold(self) -> _Delta:
        """The delta; another object after a fold, see `Ground.agreeing`."""
        return self._delta

    def rarity(self, word: str) -> float:
        """The inverse document frequency of an index word in this memory at present, 0–7.6 nat.

        It is computed as if the memory had a thousand documents, so that early and late texts are
        measured alike.
        """
        count = self.frequency(word)
        return idf(count * _LEVEL / max(_LEVEL, self._scope.state.documents), _LEVEL)

    def frequency(self, word: str) -> int:
        """How many documents hold an index word at present. Counts of chunks are cached."""
        folded = self._folded.get(word)
        if folded is None:
            key = self._scope.prefix(Space.FREQUENCY) + word.encode()
            folded = keys.number("the frequency of a word", self._store.get(key), 4)
            self._folded[word] = folded
        return folded + self._delta.count_of(word)

    # -- folding ------------------------------------------------------------------------------

    def fold(self, limit: int = 2048, *, void: bool = False) -> int:
        """Merge up to `limit` pending documents into chunks; returns how many.

        void: only those with void postings in chunks. Holds the writer for short batches only; a
        second caller waits for the first.
        """
        with self._folding:
            return self._fold(limit, void)

    def renew(self) -> None:
        """Index the documents anew that an older version cut into other words, before anybody
        reads. After a crash the scope still counts as old, and is renewed again."""
        _log.warning("the word index of scope %r is renewed: it takes a while", self._scope.name)
        total = 0
        with self._store.snapshot() as snapshot:
            nodes = map(node_of, snapshot.keys(*keys.under(self._scope.prefix(Space.TEXT))))
            while page := list(islice(nodes, _RENEWED)):
                held = self._chunks.held(snapshot, page[0], page[-1])
                for at in range(0, len(page), _FOLD_DOCUMENTS):
                    with self._store.writing, Transaction(self._store, self._scope) as tx:
                        for node in page[at : at + _FOLD_DOCUMENTS]:
                            words = self._words_of(snapshot, node) or ()
                            self._renew(tx, node, words, held.pop(node, {}))
                            total += records.length(words)
                while len(page) == _RENEWED and self.fold():
                    pass  # of a large memory not all are pending at once
        with self._store.writing:
            with Transaction(self._store, self._scope) as tx:
                tx.state.words = total
            self._scope.analyser = ANALYSER_VERSION
            self._store.commit({self._scope.prefix(Space.META): self._scope.meta})

    def _renew(
        self, tx: Transaction, node: int, words: Sequence[str], held: Mapping[str, int]
    ) -> None:
        """Index a document anew if its words are not those that chunks hold of it."""
        stored = self._record(tx, node)
        before = {*records.before(stored or b"")}
        document = Document.of(words, before.union(held))
        if document.frequencies != held if stored is None else not held.keys() <= before:
            self._write(tx, node, document, stored)

    def _fold(self, limit: int, void: bool) -> int:
        delta = self._delta
        with self._store.writing:
            some = delta.overriding if void else delta.slots
            taken = {node: delta.slots[node] for node in sorted(some)[:limit]}
            self._begin(taken)
        documents = iter([(node, delta.documents[slot]) for node, slot in taken.items()])
        totals: dict[str, int] = {}
        while batch := list(islice(documents, _FOLD_DOCUMENTS)):
            totals |= self._chunks.fold(batch)
        with self._store.writing:
            rest = _Delta(self._scope.state.documents)
            with Transaction(self._store, self._scope) as tx:
                for node, slot in delta.slots.items():
                    if taken.get(node) == slot:
                        tx.remove(self._key(node), delta.sizes[slot])
                        continue
                    document, size = delta.documents[slot], delta.sizes[slot]
                    rest.put(node, document, size, int(delta.born[slot]))
                    if (since := delta.overriding.get(node)) is not None:
                        rest.overriding[node] = since
                if is_over := min(rest.slots, default=_LAST) > self._taken:
                    tx.delete(self._key(0))
            # After the commit, so that readers of `rest` have a snapshot with the folded chunks.
            self._delta = rest
            if is_over:
                self._taken = 0
            for word, total in totals.items():
                if word in self._folded:
                    self._folded[word] = total
        return len(taken)

    def _begin(self, taken: Mapping[int, int]) -> None:
        """Record that chunks may hold postings of nodes, given by slot, from now on."""
        overriding = self._delta.overriding
        if new := [node for node in taken if node not in overriding]:
            self._store.require(FEATURE, to_read=True)
            self._taken = max(self._taken, new[-1])
            with Transaction(self._store, self._scope) as tx:
                tx.put(self._key(0), keys.u64(self._taken))
            for node in new:
                overriding[node] = int(self._delta.born[taken[node]])


class WordReader:
    """Reads the word index at one snapshot."""

    def __init__(
        self,
        scope: Scope,
        snapshot: Reader,
        sequence: int,
        delta: _Delta,
        hidden: Sequence[tuple[int, int]],
    ) -> None:
        self._scope = scope
        self._snapshot = snapshot
        ranges = np.array(sorted(hidden), np.uint64).reshape(-1, 2)
        self._firsts, self._lasts = ranges[:, 0], np.maximum.accumulate(ranges[:, 1])
        self._sequence = sequence
        self._delta = delta
        self._overriding = delta.overridden(sequence)

    @property
    def has_characters(self) -> bool:
        """True unless an older version made the index, and this process may not renew it."""
        return self._scope.analyser == ANALYSER_VERSION

    def find(self, word: str) -> Postings:
        """The documents that hold an index word, or any of several, nodes ascending."""
        if EITHER in word:
            return united([self.find(each) for each in word.split(EITHER)])
        unfolded = self._delta.find(word, self._sequence)
        found = put_together(self._folded(word), unfolded, self._overriding)
        if len(self._firsts):
            begun = np.searchsorted(self._firsts, found.nodes, side="right")
            inside = (begun > 0) & (found.nodes <= self._lasts[begun - 1])
            if inside.any():
                found = found.at(~inside)
        return found

    def ending_in(self, part: str, more: int) -> list[str]:
        """The index words in use that end in `part`, after at least `more` letters, sorted.

        The first call after a fold reads the whole vocabulary: 40 ms for 100,000 words."""
        if self._delta.vocabulary is None:
            prefix = self._scope.prefix(Space.FREQUENCY)
            found = self._snapshot.keys(*keys.under(prefix))
            self._delta.vocabulary = "\n".join(
                ["", *(k[len(prefix) :].decode() for k in found), ""]
            )
        known = self._delta.vocabulary
        stops = (found.start() + len(part) for found in re.finditer(re.escape(part + "\n"), known))
        folded = (known[known.rindex("\n", 0, stop) + 1 : stop] for stop in stops)
        # Listed in one atomic step: the writer may add meanwhile.
        unfolded = (word for word in [*self._delta.postings] if word.endswith(part))
        least = len(part) + more
        return sorted({word for word in chain(folded, unfolded) if len(word) >= least})

    def beginning_with(self, part: str, more: int) -> list[str]:
        """The index words in use that begin with `part`, before at least `more` letters, sorted."""
        prefix = self._scope.prefix(Space.FREQUENCY)
        found = self._snapshot.keys(*keys.under(prefix + part.encode()))
        folded = (key[len(prefix) :].decode() for key in found)
        unfolded = (word for word in [*self._delta.postings] if word.startswith(part))
        least = len(part) + more
        return sorted({word for word in chain(folded, unfolded) if len(word) >= least})

    def others(self, word: str, node: int, most: int) -> Nodes:
        """Up to `most` of the newest nodes that hold an index word, without `node`."""
        unfolded = self._delta.postings.get(word, ())
        is_new = len(unfolded) == 1 and self._delta.nodes[unfolded[0] >> 8] == node
        if is_new and not len(self._folded(word).nodes):  # as most words of a new node
            return NOTHING.nodes
        newest = self.find(word).nodes[-most:]
        others: Nodes = newest[newest != node]
        return others

    def _folded(self, word: str) -> Postings:
        since, folded = self._delta.folded.find(word)
        if since is None or since > self._sequence:
            folded = self._chunks(word)
            self._delta.folded.put(word, self._sequence, folded)
        return folded

    def _chunks(self, word: str) -> Postings:
        """The postings of a word in chunks, nodes ascending."""
        if self._snapshot.get(self._scope.prefix(Space.FREQUENCY) + word.encode()) is None:
            return NOTHING  # ten times as fast as an empty range
        start = self._scope.prefix(Space.CHUNK) + word.encode() + b"\x00"
        chunks = self._snapshot.range(start, keys.after(start))
        nodes, lengths, frequencies = gathered((node_of(key), chunk) for key, chunk in chunks)
        return Postings(nodes, np.frombuffer(lengths, "<u2"), np.frombuffer(frequencies, "u1"))

    def holding(self, words: Iterable[str]) -> Nodes:
        """The nodes that hold all of some index words, ascending; none if no word is given."""
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
        """The nodes that hold any of the weighted words, with their BM25 scores; with `most`, at
        least the best `most`.

        `documents` and `words` are the scope's counters: how many documents, how long together.
        Robertson & Zaragoza, The Probabilistic Relevance Framework (2009), with `rarity` as idf.
        """
        average = max(1.0, words / max(1, documents))
        found = [(weight, self.find(word)) for word, weight in weights.items()]
        gains = [(weight * rarity(len(part.nodes), documents), part) for weight, part in found]
        whole = sum(gain for gain, _ in gains)

        def gained(gain: float, part: Postings) -> NDArray[np.floating]:
            """The score that a word adds to each of its documents."""
            norm = k1 * (1 - b + b * part.lengths.astype(np.float32) / average)
            frequencies = part.frequencies.astype(np.float32)
            most_of_it = np.float32(gain * (k1 + 1)) * frequencies
            brought: NDArray[np.floating] = most_of_it / (frequencies + norm)
            return brought

        gains.sort(key=lambda gain: -gain[0])
        nodes, totals = summed(
            np.concatenate([NOTHING.nodes, *(part.nodes for _, part in gains)]),
            np.concatenate([np.zeros(0), *(gained(*each) for each in gains)]),
            most,
        )
        return Matches(nodes, totals.astype(np.float32), whole)
