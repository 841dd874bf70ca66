"""Progress of long work, reported to a function as (done, total)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias, TypeVar

Progress: TypeAlias = Callable[[int, int], None]
Item = TypeVar("Item")
_EVERY: Final = 128  # items


def counted(
    items: Iterable[Item], progress: Progress | None, total: int, before: int = 0
) -> Iterator[Item]:
    """The items; reports the place of every 128th to `progress`. before: the place of the first."""
    for place, item in enumerate(items, before):
        if progress is not None and not place % _EVERY:
            progress(min(place, total), total)
        yield item
