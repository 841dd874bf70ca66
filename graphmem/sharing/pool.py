"""A pool: named entries that several agents read, write and watch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from graphmem.sharing.content import check_name
from graphmem.sharing.items import Items
from graphmem.sharing.watch import Watch
from graphmem.values.items import Change, Changes, Item
from graphmem.verbs import verb

LONGEST_NAME: Final = 200
_PREFIX: Final = "pool:"


def namespace_of(name: str) -> str:
    """The namespace of a pool's items. Raises ArgumentTypeError, InvalidArgumentError."""
    return _PREFIX + check_name("a pool's name", name, LONGEST_NAME)


class Pool:
    """A namespace of items with events; `memory.pool(name)`.

        pool = memory.pool("team")
        entry = pool.write("research:audit", {"late": "two weeks"}, by="researcher")
        pool.write("research:audit", {"late": "three weeks"}, expected=entry.version)

    An entry is an `Item`: value, version, who made and wrote it last, when, metadata.
    """

    def __init__(self, items: Items, name: str, by: str = "") -> None:
        """Use `memory.pool`. by: who writes, unless a write says otherwise."""
        self._items = items
        self.namespace = namespace_of(name)
        self.name = name
        self.by = by

    @staticmethod
    def check_arguments(name: str, by: str = "") -> None:
        """Raise InvalidArgumentError, ArgumentTypeError for what is no name of a pool."""
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
    ) -> Item:
        """Write an entry and return it; see `Items.put`. Metadata is merged into that of the entry.

        Raises VersionConflictError unless the entry has version `expected`.
        """
        return self._items.put(
            self.namespace, key, value, expected=expected, by=self.by if by is None else by,
            metadata=metadata, ttl=ttl,
        )  # fmt: skip

    @verb(command="get")
    def read(self, key: str) -> Item | None:
        """The entry, or None if it does not exist."""
        return self._items.get(self.namespace, key)

    @verb()
    def list(self, prefix: str = "", limit: int | None = 50) -> list[Item]:
        """The entries whose keys begin with `prefix`, the last written first."""
        return self._items.list(self.namespace, prefix, newest=True, limit=limit)

    @verb(writes=True, idempotent=True)
    def delete(self, key: str, *, expected: int | None = None, by: str | None = None) -> bool:
        """Delete an entry; False if there is none. Raises VersionConflictError as `write`."""
        return self._items.delete(
            self.namespace, key, expected=expected, by=self.by if by is None else by
        )

    @verb(waits=True)
    def changes(self, since: int | None = None, *, prefix: str = "", wait: float = 0.0) -> Changes:
        """The changes of entries after change number `since`; see `Items.changes`."""
        return self._items.changes(since, namespace=self.namespace, prefix=prefix, wait=wait)

    def watch(
        self,
        callback: Callable[[Change | None], object],
        *,
        prefix: str = "",
        since: int | None = None,
    ) -> Watch:
        """Have `callback` called with each change, in a thread of its own, until `close`.

        At least once for a change, in their order; None where more than 4,096 changes were missed.
        """
        return Watch(partial(self.changes, prefix=prefix), callback, since)

    def __repr__(self) -> str:
        return f"<Pool {self.name!r}>"
