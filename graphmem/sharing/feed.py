"""The feed: the last changes of a scope's items and memories, numbered, in a ring that survives a
restart. Those of memories are written only from when the scope has an item, or is asked for its
changes."""

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
"""How many changes are kept: a watcher that is not further behind misses none."""

_LONGEST_WAIT: Final = 86_400  # seconds
_Told: TypeAlias = list[tuple[Change, bool]]  # and whether child scopes are not told of it


class Wanted(NamedTuple):
    """Asks for items of a namespace, None: of any, whose keys begin with a prefix; or for items and
    memories whose `Change.subject` does. Who asks for the same is told by the same value."""

    prefix: str
    namespace: str | None = None
    is_of_all: bool = False
    child: bool = False
    """Without what is not shared."""

    def fits(self, namespace: str, key: str) -> bool:
        """Whether it asks for what this is called."""
        if self.is_of_all:
            return f"{namespace}/{key}".startswith(self.prefix)
        is_asked = namespace != MEMORIES if self.namespace is None else namespace == self.namespace
        return is_asked and key.startswith(self.prefix)

    def of(self, news: _Told) -> list[Change]:
        """The changes of `news` that it asks for."""
        return [
            change
            for change, hidden in news
            if self.fits(change.namespace, change.key) and not (self.child and hidden)
        ]


class Feed:
    """The changes of one scope, written in the batch of whatever they tell of."""

    def __init__(self, store: Store, scope: Scope) -> None:
        self._store = store
        self._scope = scope
        self._lock = RLock()
        self._waiting: dict[Wanted, list[Future[Changes | None]]] = {}
        """Who waits, and has seen all up to `head`; told None, they are to look themselves."""
        self.head = head(store, scope)
        """The number of the last change, 0 if there was none."""
        self._closed = False
        self._begun = store.get(scope.prefix(Space.FEED)) is not None

    def add(
        self, tx: Transaction, action: Action, namespace: str, key: str, version: int, by: str,
        now: int, shared: bool = True,
    ) -> None:  # fmt: skip
        """Write a change within a transaction; watchers wake when it has been committed. shared:
        who uses this scope's pools as its child is told of it."""
        last = self._scope.prefix(Space.FEED)
        number = number_of(tx.get(last)) + 1
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
        if self._begun or self.head:
            self.add(tx, action, MEMORIES, str(node), version, "", now)
            tx.after_commit(self.tell)

    def drop_until_gone(self, is_there: Callable[[str, str], bool]) -> None:
        """Delete the changes up to the last one of an item that is not there any more, with its key
        and who wrote it. is_there: whether an item is, by namespace and key."""
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

    def tell(self) -> None:
        """Wake those who wait; called when a transaction with changes has been committed."""
        self._store.when_committed(self._tell)

    def _tell(self) -> None:
        """Read the new changes once, and wake only those who wait for one of them."""
        with self._lock:
            before, self.head = self.head, head(self._store, self._scope)
            if not self._waiting or self.head == before:
                return
            news: _Told | None = None
            # Whoever waits meets an error, not who wrote.
            with suppress(GraphMemError), self._store.snapshot() as snapshot:
                news = self.all_kept(snapshot, before, self.head)
            for wanted in list(self._waiting):
                found = None if news is None else Changes(wanted.of(news), self.head, False)
                if found is None or found:
                    for waiter in self._waiting.pop(wanted):
                        waiter.set_result(found)

    def changes(self, since: int | None, wanted: Wanted, wait: float) -> Changes:
        """The changes after number `since` of what is asked for; None asks for those from now on.
        If there are none they are waited for, at most `wait` seconds. Raises ArgumentTypeError,
        InvalidArgumentError, ClosedError."""
        if since is not None:
            check_count("since", since, 0, 1 << 64)
        check_range("wait", wait, 0, _LONGEST_WAIT)
        self._store.require_no_block("waiting for changes")
        until = monotonic() + wait
        position = self.head if since is None else since
        while True:
            left = until - monotonic()
            # Who is told of all that comes need not look, unless it is for the last time.
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
                reached = self._leave(wanted, waiter)
            if answer is not None:
                # It may have looked before it was told.
                if news := [change for change in answer if change.number > position]:
                    return Changes(news, answer.last, answer.gap)
                reached = answer.last
            position = max(position, reached)

    def _leave(self, wanted: Wanted, waiter: Future[Changes | None]) -> int:
        """Take a waiter out of those that are told; returns up to where there was nothing for it,
        0 if it waits no more."""
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
            start = 0 if since > last else since  # of another life of the folder
            news = self._kept(snapshot, start, last)
        gap = since > last or len(news) != last - start
        return Changes(wanted.of(news), last, gap)

    def _kept(self, reader: Reader, since: int, last: int) -> _Told:
        """What is kept of the changes after `since` up to `last`."""
        rows = reader.range(self._key(since + 1), self._key(last + 1))
        return [change_of_row(key[5:], value) for key, value in rows]

    def all_kept(self, reader: Reader, since: int, last: int) -> _Told | None:
        """The changes after `since` up to `last`; None if not all are kept, or if `since` is of
        another life of the folder."""
        news = self._kept(reader, since, last)
        return news if len(news) == last - since else None

    def close(self) -> None:
        """Have those who wait raise ClosedError. Idempotent."""
        with self._lock:
            self._closed = True
            for waiter in chain.from_iterable(self._waiting.values()):
                waiter.set_result(None)
            self._waiting.clear()


def head(reader: Reader, scope: Scope) -> int:
    """The number of the last change, 0 if there was none. Raises CorruptError."""
    return number_of(reader.get(scope.prefix(Space.FEED)))


def number_of(stored: bytes | None) -> int:
    """The number in the feed's own row. Raises CorruptError."""
    return number_in("the number of the last change", stored)


def change_of_row(place: bytes, value: bytes) -> tuple[Change, bool]:
    """The change of a row, and whether child scopes are not told of it; `place` is the key behind
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
