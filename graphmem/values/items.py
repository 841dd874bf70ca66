"""Items: records by namespace and key, and the changes of items and memories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from graphmem.values.html import Shown
from graphmem.values.moments import micros, moment

Action: TypeAlias = Literal[
    "put", "delete", "expire",  # of items
    "remembered", "corrected", "replaced", "reopened", "forgotten", "erased",  # of memories
]  # fmt: skip
MEMORIES: Final = "graphmem:memories"
"""The namespace of changes of memories; it has no items."""
SHARED: Final = "shared"
"""The metadata key: whether scopes that use a parent's pool see the item."""
Flat: TypeAlias = list[Any]
"""The fields of a record in their order, moments as microseconds since 1970."""


@dataclass(frozen=True, slots=True)
class Item(Shown):
    """A record as it was when it was read.

    value: None, bool, int, float, str, bytes, lists and maps of these.
    version: 1 when it is made, and one more with each write.
    created, updated: when it was made and last written, in UTC.
    created_by, updated_by: who made it and wrote it last; "" if not given.
    expires: when it expires, in UTC; None: never.
    """

    namespace: str
    key: str
    value: Any
    version: int
    created: datetime
    updated: datetime
    created_by: str
    updated_by: str
    expires: datetime | None
    metadata: Mapping[str, Any]

    @property
    def shared(self) -> bool:
        """Whether scopes that use a parent's pool see this item of it."""
        return self.metadata.get(SHARED, True) is not False

    def flat(self) -> Flat:
        """The fields as plain values."""
        return [
            self.namespace, self.key, self.value, self.version, micros(self.created),
            micros(self.updated), self.created_by, self.updated_by,
            None if self.expires is None else micros(self.expires), dict(self.metadata),
        ]  # fmt: skip

    @classmethod
    def of(cls, flat: Sequence[Any]) -> Item:
        """The item of the values that `flat` returned; others behind them are ignored."""
        namespace, key, value, version, made, updated, maker, writer, expires, metadata, *_ = flat
        return cls(
            namespace, key, value, version, moment(made), moment(updated), maker, writer,
            None if expires is None else moment(expires), metadata,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change(Shown):
    """A change of an item or a memory.

    number: from 1, one more with each change of the scope.
    namespace: that of the item; `MEMORIES` for a memory.
    key: that of the item; the id of a memory.
    version: the version that was written or deleted.
    by: who wrote it, "" if not given. when: in UTC.
    """

    number: int
    action: Action
    namespace: str
    key: str
    version: int
    by: str
    when: datetime

    @property
    def subject(self) -> str:
        """Namespace and key, "tickets/7"; of a memory "graphmem:memories/12"."""
        return f"{self.namespace}/{self.key}"

    @property
    def node(self) -> int | None:
        """The id of the memory; None for an item."""
        return int(self.key) if self.namespace == MEMORIES else None


class Changes(list[Change]):
    """Changes in order, and the number from which to continue."""

    def __init__(self, changes: Iterable[Change], last: int, gap: bool) -> None:
        super().__init__(changes)
        self.last = last
        """The number of the last change that was examined: the next `since`."""
        self.gap = gap
        """True if changes after `since` are no longer kept; list the items again."""

    def __repr__(self) -> str:
        gap = ", after a gap" if self.gap else ""
        return f"<Changes: {super().__repr__()} up to {self.last}{gap}>"
