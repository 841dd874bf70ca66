"""A pool: named entries that several agents read, write and watch."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from threading import Thread
from time import sleep
from typing import Any, Final

from graphmem.declaring import verb
from graphmem.errors import (
    AlreadyOpenError,
    ClosedError,
    InvalidArgumentError,
    NotOpenError,
    OwnerSilentError,
)
from graphmem.sharing.content import check_name
from graphmem.sharing.item_store import POOLS, Deletion, Entry, ItemStore
from graphmem.sharing.items import Items
from graphmem.values.items import Change, Changes, Item

LONGEST_NAME: Final = 200
_log = logging.getLogger("graphmem.watch")
_REST: Final = 0.2  # seconds between two attempts to reach an owner that has gone
_SLICE: Final = 10.0  # seconds that one request waits


def namespace_of(name: str) -> str:
    """The namespace of a pool's items. Raises ArgumentTypeError, InvalidArgumentError."""
    return POOLS + check_name("a pool's name", name, LONGEST_NAME)


class Watch:
    """Calls a function with each change, in a thread of its own, until `close`."""

    def __init__(
        self,
        changes: Callable[..., Changes],
        callback: Callable[[Change | None], object],
        since: int | None,
    ) -> None:
        """Use `Pool.watch`. changes: takes `since`, and `wait` in seconds."""
        self._changes = changes
        self._callback = callback
        first = changes(since)
        self._closed = False
        self.last = first.last
        self.error: Exception | None = None
        """What ended the watch, such as CorruptError; it is logged too."""
        self._thread = Thread(target=self._run, args=(first,), name="graphmem-watch", daemon=True)
        self._thread.start()

    def _run(self, found: Changes) -> None:
        closed = False
        try:
            while not self._closed:
                if found.gap:
                    self._call(None)
                for change in found:
                    self._call(change)
                self.last = found.last
                try:
                    found = self._changes(self.last, wait=_SLICE)
                    closed = False
                except (AlreadyOpenError, ClosedError, NotOpenError, OwnerSilentError) as error:
                    if closed and isinstance(error, ClosedError):
                        return  # the second time: this memory was closed, not an owner's
                    closed = isinstance(error, ClosedError)
                    sleep(_REST)
                    found = Changes((), self.last, False)
        except Exception as error:  # noqa: BLE001 - nobody else sees it
            self.error = error
            _log.exception("a watch has ended")

    def _call(self, change: Change | None) -> None:
        """Call the callback; what it raises is logged."""
        try:
            self._callback(change)
        except Exception:  # noqa: BLE001 - the user's code; others wait for what comes next
            _log.exception("the callback of a watch failed for %s", change and change.subject)

    def close(self) -> None:
        """End the watch, at the latest after the callback in progress. Idempotent."""
        self._closed = True


class Pool:
    """A namespace of items with events; `memory.pool(name)`.

        pool = memory.pool("team")
        entry = pool.write("research:audit", {"late": "two weeks"}, by="researcher")
        pool.write("research:audit", {"late": "three weeks"}, expected=entry.version)

    An entry is an `Item`: value, version, who made and wrote it last, when, metadata.
    """

    def __init__(
        self, items: Items, store: ItemStore, name: str, by: str = "", *, child: bool = False
    ) -> None:
        """Use `memory.pool`. by: the default writer. child: hide entries that are not shared."""
        self._child = child
        self._items, self._store = items, store
        self.name = name
        self.by = by

    @property
    def namespace(self) -> str:
        """The namespace of its items."""
        return namespace_of(self.name)

    @staticmethod
    def _check_arguments(name: str, by: str = "") -> None:
        """Raise InvalidArgumentError, ArgumentTypeError for an invalid name of a pool."""
        namespace_of(name)

    @verb(writes=True, command="put")
    def write(
        self,
        key: str,
        value: Any,
        *,
        expected: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        by: str | None = None,
        ttl: float | None = None,
        shared: bool | None = None,
        recall: bool | None = None,
    ) -> Item:
        """Write an entry and return it; see `Items.put`. Metadata is merged into that of the entry.

        shared: False hides the entry from scopes that use this pool as that of a parent: they
            neither read, list, watch, delete nor recall it. True, the default of new entries, shows
            it; None: as it was.

        Raises VersionConflictError unless the entry has version `expected`; InvalidArgumentError if
        such a scope writes an entry that is hidden from it, or is to be.
        """
        if self._child and shared is False:
            raise InvalidArgumentError(
                "the pool is a parent's, which alone writes entries that are not shared: write it "
                "there, or to a pool of this scope's own (scopes.open(…, pools=…))"
            )
        who = self.by if by is None else by
        entry = Entry(
            self.namespace, key, value, expected, who, metadata, ttl, recall, shared,
            self._check_visible,
        )  # fmt: skip
        return self._store.put(entry)

    @verb(command="get")
    def read(self, key: str) -> Item | None:
        """The entry, or None if it does not exist."""
        found = self._items.get(self.namespace, key)
        return found if found is None or self._is_visible(found) else None

    @verb()
    def list(self, prefix: str = "", limit: int | None = 50) -> list[Item]:
        """The entries whose keys begin with `prefix`, the last written first."""
        if not self._child:
            return self._items.list(self.namespace, prefix, newest=True, limit=limit)
        every = self._items.list(self.namespace, prefix, newest=True)
        return [entry for entry in every if entry.shared][:limit]

    @verb(writes=True, idempotent=True)
    def delete(self, key: str, *, expected: int | None = None, by: str | None = None) -> bool:
        """Delete an entry; False if there is none. Raises VersionConflictError as `write`."""
        who = self.by if by is None else by
        return self._store.delete(Deletion(self.namespace, key, expected, who, self._is_visible))

    @verb(waits=True)
    def changes(self, since: int | None = None, *, prefix: str = "", wait: float = 0.0) -> Changes:
        """The changes of entries after change number `since`; see `Items.changes`."""
        return self._store.changes(since, self.namespace, prefix, wait, child=self._child)

    def watch(
        self,
        callback: Callable[[Change | None], object],
        *,
        prefix: str = "",
        since: int | None = None,
    ) -> Watch:
        """Call `callback` with each change, in a thread of its own, until `close`.

        At least once for each, in order; with None if more than 4,096 changes were missed. What it
        raises is logged (`graphmem.watch`), and the next change follows.
        """
        return Watch(partial(self.changes, prefix=prefix), callback, since)

    def _is_visible(self, entry: Item) -> bool:
        return entry.shared or not self._child

    def _check_visible(self, entry: Item | None) -> None:
        if entry is not None and not self._is_visible(entry):
            raise InvalidArgumentError(
                f"the entry {entry.key!r:.80} of the parent's pool is not shared; write another key"
            )

    def __repr__(self) -> str:
        return f"<Pool {self.name!r}>"
