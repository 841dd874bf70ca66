"""The feed: the last changes of a scope's items and memories, numbered, in a durable ring. Changes
of memories are recorded only once the scope has an item or its changes were requested."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from itertools import chain
from threading import RLock
from time import monotonic
from typing import Final, NamedTuple, TypeAlias

from graphmem.errors import ClosedError, GraphMemError
from graphmem.hexastore.fields import unreadable
from graphmem.hexastore.keys import Space, u64, under
from graphmem.hexastore.keys import number as number_in
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.sharing.content import packed, unpacked
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store
from graphmem.values.checks import check_count, check_range
from graphmem.values.items import MEMORIES, Action, Change, Changes
from graphmem.values.moments import moment

RING: Final = 4096
"""The number of changes that are kept: a watcher that is not further behind misses none."""

_LONGEST_WAIT: Final = 86_400  # seconds
_Recorded: TypeAlias = list[tuple[Change, bool]]  # True if it is hidden from child scopes


class Wanted(NamedTuple):
    """A filter of changes: of items in a namespace (None: any) whose keys begin with a prefix; with
    `with_memories`, of items and memories whose `Change.subject` does. Equal ones wait as one."""

    prefix: str
    namespace: str | None = None
    with_memories: bool = False
    child: bool = False
    """Leave out what is not shared."""

    def admits(self, namespace: str, key: str) -> bool:
        """Whether the filter admits changes of a namespace and key."""
        if self.with_memories:
            return f"{namespace}/{key}".startswith(self.prefix)
        is_in = namespace != MEMORIES if self.namespace is None else namespace == self.namespace
        return is_in and key.startswith(self.prefix)

    def of(self, recorded: _Recorded) -> list[Change]:
        """The changes that the filter admits."""
        return [
            change
            for change, hidden in recorded
            if self.admits(change.namespace, change.key) and not (self.child and hidden)
        ]


class Feed:
    """The changes of one scope, each written in the batch of the write that it records."""

    def __init__(self, store: Store, scope: Scope) -> None:
        self._store = store
        self._scope = scope
        self._lock = RLock()
        self._waiting: dict[Wanted, list[Future[Changes | None]]] = {}
        """Waiters, which have seen all changes up to `head`; the result None makes them read."""
        self.head = head(store, scope)
        """The number of the last change, 0 if there was none."""
        self._closed = False
        self._records_memories = store.get(scope.prefix(Space.FEED)) is not None

    def add(
        self, tx: Transaction, action: Action, namespace: str, key: str, version: int, by: str,
        now: int, shared: bool = True,
    ) -> int:  # fmt: skip
        """Write a change within a transaction; returns its number. The caller calls `notify` after
        the commit. shared: whether child scopes that use this scope's pools see it."""
        last = self._scope.prefix(Space.FEED)
        number = number_of(tx.get(last)) + 1
        tx.put(last, u64(number))
        change = [action, namespace, key, version, by, now]
        tx.put(self._key(number), packed("a change", change if shared else [*change, False]))
        if number > RING:
            tx.delete(self._key(number - RING))
        return number

    def begin(self) -> None:
        """Record changes of memories from now on."""
        if not self._records_memories and not self._store.read_only:
            with Transaction(self._store, self._scope) as tx:
                last = self._scope.prefix(Space.FEED)
                if tx.get(last) is None:
                    tx.put(last, u64(0))
            self._records_memories = True

    def note(self, tx: Transaction, action: Action, node: int, version: int, now: int) -> None:
        """Write a change of a memory within a transaction, if such changes are recorded."""
        if self._records_memories or self.head:
            self.add(tx, action, MEMORIES, str(node), version, "", now)
            tx.after_commit(self.notify)

    def drop_until_gone(self, is_there: Callable[[str, str], bool]) -> None:
        """Delete the changes up to the last one of an item that no longer exists, which has its key
        and writer. is_there: whether an item exists, by namespace and key."""
        with Transaction(self._store, self._scope) as tx:
            kept = list(self._store.range(*under(self._scope.prefix(Space.CHANGE))))
            changes = [(key, change_of_row(key[5:], row)[0]) for key, row in kept]
            gone = [
                number
                for number, (_, change) in enumerate(changes, 1)
                if change.namespace != MEMORIES and not is_there(change.namespace, change.key)
            ]
            for key, _ in changes[: gone[-1] if gone else 0]:
                tx.delete(key)

    def _key(self, number: int) -> bytes:
        return self._scope.prefix(Space.CHANGE) + u64(number)

    def notify(self) -> None:
        """Wake the waiters; called when a transaction with changes has been committed."""
        self._store.when_committed(self._notify)

    def _notify(self) -> None:
        """Read the new changes once, and wake only the waiters for one of them."""
        with self._lock:
            before, self.head = self.head, head(self._store, self._scope)
            if not self._waiting or self.head == before:
                return
            recorded: _Recorded | None = None
            # An error must not reach the writer; a woken waiter reads the feed and meets it.
            with suppress(GraphMemError), self._store.snapshot() as snapshot:
                recorded = self.all_kept(snapshot, before, self.head)
            for wanted in list(self._waiting):
                found = None if recorded is None else Changes(wanted.of(recorded), self.head, False)
                if found is None or found:
                    for waiter in self._waiting.pop(wanted):
                        waiter.set_result(found)

    def changes(self, since: int | None, wanted: Wanted, wait: float) -> Changes:
        """The changes after number `since` (None: the last) that `wanted` admits; waits `wait`
        seconds for one. Raises ArgumentTypeError, InvalidArgumentError, ClosedError."""
        if since is not None:
            check_count("since", since, 0, 1 << 64)
        check_range("wait", wait, 0, _LONGEST_WAIT)
        self._store.require_no_block("waiting for changes")
        until = monotonic() + wait
        position = self.head if since is None else since
        while True:
            left = until - monotonic()
            # A waiter that was notified of all changes need not read, except for the last time.
            if position != self.head or left <= 0:
                found = self._read(position, wanted)
                if found or found.gap or left <= 0:
                    return found
                position = found.last
            waiter: Future[Changes | None] = Future()
            with self._lock:
                if self._closed:
                    raise ClosedError("the memory was closed while changes were waited for")
                if self.head > position:
                    continue
                self._scope.require()
                self._waiting.setdefault(wanted, []).append(waiter)
            answer: Changes | None = None
            try:
                answer = waiter.result(left)
            except TimeoutError:
                pass
            finally:
                reached = self._unregister(wanted, waiter)
            if answer is not None:
                # It may have read some of them before it was notified.
                if unread := [change for change in answer if change.number > position]:
                    return Changes(unread, answer.last, answer.gap)
                reached = answer.last
            position = max(position, reached)

    def _unregister(self, wanted: Wanted, waiter: Future[Changes | None]) -> int:
        """Remove a waiter; returns the last change that it has seen, 0 if it was removed before."""
        with self._lock:
            others = self._waiting.get(wanted, [])
            if waiter not in others:
                return 0
            others.remove(waiter)
            if not others:
                del self._waiting[wanted]
            return self.head

    def _read(self, since: int, wanted: Wanted) -> Changes:
        self._scope.require()
        with self._store.snapshot() as snapshot:
            last = head(snapshot, self._scope)
            start = 0 if since > last else since  # of an earlier store in this folder
            recorded = self._kept(snapshot, start, last)
        gap = since > last or len(recorded) != last - start
        return Changes(wanted.of(recorded), last, gap)

    def _kept(self, reader: Reader, since: int, last: int) -> _Recorded:
        """The changes after `since` up to `last` that are still kept."""
        rows = reader.range(self._key(since + 1), self._key(last + 1))
        return [change_of_row(key[5:], value) for key, value in rows]

    def all_kept(self, reader: Reader, since: int, last: int) -> _Recorded | None:
        """The changes after `since` up to `last`; None if not all are kept, or if `since` is a
        number of an earlier store in this folder."""
        recorded = self._kept(reader, since, last)
        return recorded if len(recorded) == last - since else None

    def close(self) -> None:
        """Make the waiters raise ClosedError. Idempotent."""
        with self._lock:
            self._closed = True
            for waiter in chain.from_iterable(self._waiting.values()):
                waiter.set_result(None)
            self._waiting.clear()


def head(reader: Reader, scope: Scope) -> int:
    """The number of the last change, 0 if there was none. Raises CorruptError."""
    return number_of(reader.get(scope.prefix(Space.FEED)))


def number_of(stored: bytes | None) -> int:
    """The number in the feed's head row. Raises CorruptError."""
    return number_in("the number of the last change", stored)


def change_of_row(place: bytes, value: bytes) -> tuple[Change, bool]:
    """The change of a row, and whether it is hidden from child scopes; `place` is the key behind
    scope and space. Raises CorruptError."""
    number = int.from_bytes(place, "big")
    try:
        action, namespace, key, version, by, when, *hidden = unpacked(value)
        change = Change(number, action, namespace, key, version, by, moment(when))
        if not all(isinstance(text, str) for text in (action, namespace, key, by)):
            raise TypeError("its names are no texts")
        if type(version) is not int or (namespace == MEMORIES and change.node is None):
            raise TypeError("its version is no number")
        return change, bool(hidden)
    except (ValueError, TypeError) as error:
        raise unreadable(f"change {number}", error) from None
