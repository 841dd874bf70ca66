"""The feed: the last changes of a scope's items and memories, numbered, in a ring that survives a
restart.

Changes of memories are written from the moment on at which the scope has an item, or is first asked
for its changes: nobody else pays for them.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition, RLock
from time import monotonic
from typing import Final

from graphmem.errors import ClosedError, CorruptError
from graphmem.hexastore.keys import Space, after, u64
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.sharing.content import packed, unpacked
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store
from graphmem.values.items import MEMORIES, Action, Change, Changes
from graphmem.values.moments import moment

RING: Final = 4096
"""How many changes are kept: a watcher that is not further behind misses none."""


class Feed:
    """The changes of one scope, written in the batch of whatever they tell of."""

    def __init__(self, store: Store, scope: Scope) -> None:
        self._store = store
        self._scope = scope
        # Taken as itself: an interrupt in `Condition.__enter__`, which is Python, leaves it held.
        self._lock = RLock()
        self._changed = Condition(self._lock)
        self._head = head(store, scope)
        self._closed = False
        self._begun = store.get(scope.prefix(Space.FEED)) is not None

    @property
    def head(self) -> int:
        """The number of the last change, 0 if there was none."""
        return self._head

    def add(
        self, tx: Transaction, action: Action, namespace: str, key: str, version: int, by: str,
        now: int, shared: bool = True,
    ) -> None:  # fmt: skip
        """Write a change within a transaction; watchers wake when it has been committed.

        shared: who uses this scope's pools as its child is told of it.
        """
        last = self._scope.prefix(Space.FEED)
        number = int.from_bytes(tx.get(last) or b"", "big") + 1
        if number >> 64:
            raise CorruptError("the number of the last change cannot be read; run check()")
        tx.put(last, u64(number))
        change = [action, namespace, key, version, by, now]
        tx.put(self._key(number), packed("a change", change if shared else [*change, False]))
        if number > RING:
            tx.delete(self._key(number - RING))

    def begin(self) -> None:
        """Have the changes of memories written from now on."""
        if not self._begun and not self._store.read_only:
            with Transaction(self._store, self._scope) as tx:
                last = self._scope.prefix(Space.FEED)
                if tx.get(last) is None:
                    tx.put(last, u64(0))
            self._begun = True

    def note(self, tx: Transaction, action: Action, node: int, version: int, now: int) -> None:
        """Write a change of a memory within a transaction, if anybody has asked for such."""
        if self._begun or self._head:
            self.add(tx, action, MEMORIES, str(node), version, "", now)
            tx.after_commit(self.tell)

    def _key(self, number: int) -> bytes:
        return self._scope.prefix(Space.CHANGE) + u64(number)

    def tell(self) -> None:
        """Wake those who wait; called when a transaction with changes has been committed."""
        self._store.when_committed(self._tell)

    def _tell(self) -> None:
        with self._lock:
            self._head = head(self._store, self._scope)
            self._changed.notify_all()

    def changes(
        self,
        since: int | None,
        wanted: Callable[[str, str], bool],
        wait: float,
        child: bool = False,
    ) -> Changes:
        """The changes after number `since` of what is asked for; None asks for those from now on.

        wanted: is given namespace and key. child: without changes that are not shared. If there
        are none they are waited for, at most `wait` seconds. Raises ClosedError.
        """
        self._store.require_no_block("waiting for changes")
        until = monotonic() + wait
        position = self._head if since is None else since
        while True:
            found = self._read(position, wanted, child)
            if found or found.gap:
                return found
            position = found.last
            with self._lock:
                while self._head <= position and not self._closed:
                    left = until - monotonic()
                    if left <= 0:
                        return found
                    self._changed.wait(left)
                if self._closed:
                    raise ClosedError("the memory was closed while changes were waited for")

    def _read(self, since: int, wanted: Callable[[str, str], bool], child: bool) -> Changes:
        self._scope.require()
        with self._store.snapshot() as snapshot:
            last = head(snapshot, self._scope)
            start = 0 if since > last else since  # of another life of the folder
            found = []
            expected = start + 1
            gap = since > last
            stop = after(self._scope.prefix(Space.CHANGE))
            for key, value in snapshot.range(self._key(start + 1), stop):
                gap = gap or int.from_bytes(key[5:], "big") != expected
                expected = int.from_bytes(key[5:], "big") + 1
                action, where, name, version, by, when, *hidden = unpacked(value)
                if wanted(where, name) and not (child and hidden):
                    number = int.from_bytes(key[5:], "big")
                    found.append(Change(number, action, where, name, version, by, moment(when)))
        return Changes(found, last, gap or expected != last + 1)

    def places(self, reader: Reader, since: int, last: int, most: int) -> list[bytes] | None:
        """The keys, behind scope and space, of the items of the changes after `since` up to `last`.

        None if these are more than `most`, or not all kept, or `since` is of another life.
        """
        if not 0 < last - since <= most:
            return None
        found: list[bytes] = []
        for key, value in reader.range(self._key(since + 1), self._key(last + 1)):
            if int.from_bytes(key[5:], "big") != since + len(found) + 1:
                return None
            _, namespace, name, *_ = unpacked(value)
            found.append(f"{namespace}\x00{name}".encode())
        return found if len(found) == last - since else None

    def close(self) -> None:
        """Have those who wait raise ClosedError. Idempotent."""
        with self._lock:
            self._closed = True
            self._changed.notify_all()


def head(reader: Reader, scope: Scope) -> int:
    """The number of the last change, 0 if there was none."""
    return int.from_bytes(reader.get(scope.prefix(Space.FEED)) or b"", "big")
