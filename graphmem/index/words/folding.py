"""Folding: the words of delta documents merged into chunks, in small batches."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterable
from itertools import chain
from operator import itemgetter
from typing import Final, NamedTuple

from lru import LRU

from graphmem.hexastore import keys
from graphmem.hexastore.fields import wrong
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.index.words import records
from graphmem.index.words.records import Change, Document, node_of, unpack_chunk
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store

_WORDS: Final = 64  # written while the writer is held: about a millisecond
_PIECES: Final = 7  # chunks that folds append to a word before they merge them with the one before
_TOTAL_BYTES: Final = 4
_END: Final = 9  # bytes of a chunk's key behind the word
_CACHED_WORDS: Final = 50_000


class _Tail(NamedTuple):
    """The end of a word's chunks, as the last fold of it left them."""

    total: int  # postings in all its chunks
    newest: int  # node of the last posting
    first: int  # first node of the chunk that new pieces will be merged with
    pieces: int  # chunks after that one


class Folding:
    """Changes the chunks of one scope; one fold at a time."""

    def __init__(self, store: Store, scope: Scope) -> None:
        self._store = store
        self._scope = scope
        # Most documents are newer than the chunks, so that a fold need not read these.
        self._tails: LRU[str, _Tail] = LRU(_CACHED_WORDS)

    def fold(self, documents: list[tuple[int, Document]]) -> dict[str, int]:
        """Merge documents, by node ascending, into the chunks of their words. Returns the number of
        postings that each of the words has then."""
        pending = records.changes(documents)
        totals: dict[str, int] = {}
        while pending:
            tails: dict[str, _Tail | None] = {}
            begun = time.monotonic()
            with Transaction(self._store, self._scope) as tx:
                for _ in range(min(_WORDS, len(pending))):
                    change = pending.pop()
                    totals[change.word], tails[change.word] = self._fold_word(tx, change)
            self._tails.update({word: tail for word, tail in tails.items() if tail is not None})
            self._store.stand_back(time.monotonic() - begun)
        return totals

    def held(self, reader: Reader, first: int, last: int) -> dict[int, dict[str, int]]:
        """What chunks hold of the nodes from `first` to `last`: node → word → frequency."""
        prefix = self._scope.prefix(Space.CHUNK)
        found: dict[int, dict[str, int]] = {}
        for key, chunk in reader.range(*keys.under(prefix)):
            if node_of(key) <= last and first <= records.last_node(key, chunk):
                word = key[len(prefix) : -_END].decode()
                for node, (frequency, _) in unpack_chunk(key, chunk).items():
                    if first <= node <= last:
                        found.setdefault(node, {})[word] = frequency
        return found

    def _fold_word(self, tx: Transaction, change: Change) -> tuple[int, _Tail | None]:
        """Change a word's chunks; returns how many postings they hold then, and their tail, None if
        that is not known."""
        word, oldest, newest, packed = change
        name = word.encode()
        start = self._scope.prefix(Space.CHUNK) + name + b"\x00"
        key = self._scope.prefix(Space.FREQUENCY) + name
        count = len(packed) // records.POSTING_BYTES
        tail = self._tails.pop(word, None)
        if tail is None:  # every word is folded once, so the transaction adds nothing
            before = keys.number("the frequency of a word", self._store.get(key), 4)
        else:
            before = tail.total
        total = before + count
        newer = not before or (tail is not None and tail.newest < oldest)
        if not newer or 0 in packed[-count:]:
            grown, tail = self._merge(tx, start, change, tail)
            total = before + grown
            tail = None if tail is None else tail._replace(total=total)
        elif tail is not None and tail.pieces == _PIECES:
            ends = start + keys.u64(tail.first), keys.after(start)
            chunks = reversed([*self._store.range(*ends)])
            tail = _Tail(total, newest, records.append(tx, start, chunks, oldest, packed), 0)
        elif count > records.CHUNK_POSTINGS:
            tail = _Tail(total, newest, records.append(tx, start, (), oldest, packed), 0)
        else:
            tx.insert(start + keys.u64(oldest), packed)
            first, pieces = (oldest, 0) if tail is None else (tail.first, tail.pieces + 1)
            tail = _Tail(total, newest, first, pieces)
        if not 0 <= total < 1 << 32:
            raise wrong(f"the frequency of word {word!r} is wrong")
        if not before:
            if total:
                tx.insert(key, total.to_bytes(_TOTAL_BYTES, "big"))
        elif not total:
            tx.remove(key, _TOTAL_BYTES)
        elif total != before:
            tx.replace(key, total.to_bytes(_TOTAL_BYTES, "big"), _TOTAL_BYTES)
        return total, tail

    def _merge(
        self, tx: Transaction, start: bytes, change: Change, tail: _Tail | None
    ) -> tuple[int, _Tail | None]:
        """Change the chunks that a change's nodes belong to. Returns how many postings were added,
        and their tail without its total, None if that is not known."""
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
            whole = False  # no chunk before it is left to be merged
            if chunk is not None and records.last_node(*chunk) < rows[at][0]:
                # Also those before it, unless this call has just changed them.
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
            last = records.append(tx, start, before, *records.packed_rows(live)) if live else None
            if following is None:
                if last is None:
                    tail = None
                elif whole:
                    tail = _Tail(0, live[-1][0], last, 0)
                elif tail is not None:
                    tail = tail._replace(newest=live[-1][0])
            at = end
        return grown, tail
