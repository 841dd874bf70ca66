"""Findings: values that depend only on the text of a node, computed once for each version of it.

They are cached apart from recall's caches, of which a walk over all nodes would evict everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, Generic, TypeVar

from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.view import View
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space

Found = TypeVar("Found")
_AT_ONCE: Final = 512  # nodes


class Findings(Generic[Found]):
    """Findings by node, each of one version of its text; in memory."""

    def __init__(self, find: Callable[[NodeRecord, TextRecord], Found]) -> None:
        self._find = find
        self._found: dict[int, tuple[tuple[int, int, int], Found]] = {}

    def _walk(
        self, view: View, nodes: Iterator[tuple[int, NodeRecord]]
    ) -> Iterator[tuple[int, NodeRecord, Found]]:
        """The findings of nodes, in their order. Other threads may change `_found` meanwhile."""
        prefix = view.scope.prefix(Space.TEXT)
        while page := list(islice(nodes, _AT_ONCE)):
            known = {node: self._found.get(node) for node, _ in page}
            missing = [node for node, record in page if not _is_of(known[node], record)]
            stored = view.reader.get_many([prefix + keys.u64(node) for node in missing])
            texts = dict(zip(missing, stored, strict=True))
            for node, record in page:
                found = known[node]
                if node in texts:
                    if (packed := texts[node]) is None:
                        continue  # `check` reports a node without a text
                    found = _version(record), self._find(record, TextRecord.unpack(packed))
                    self._found[node] = found
                assert found is not None
                yield node, record, found[1]

    def of(self, view: View, node: int, record: NodeRecord) -> Found | None:
        return next((found for *_, found in self._walk(view, iter([(node, record)]))), None)

    def every(self, view: View, step: int = 1) -> Iterator[tuple[int, NodeRecord, Found]]:
        """The findings of all nodes that readers see, or of each `step`-th. With all, findings of
        nodes that are gone are dropped."""
        seen: set[int] = set()
        for node, record, found in self._walk(view, islice(_records(view), 0, None, step)):
            seen.add(node)
            yield node, record, found
        if step == 1 and len(self._found) > len(seen):
            self._found = {n: found for n, found in list(self._found.items()) if n in seen}

    def __len__(self) -> int:
        return len(self._found)


def _is_of(found: tuple[tuple[int, int, int], object] | None, record: NodeRecord) -> bool:
    """Whether a cached finding is of this version of the node."""
    return found is not None and found[0] == _version(record)


def _records(view: View) -> Iterator[tuple[int, NodeRecord]]:
    """The nodes that readers see with their records, in the order of their ids."""
    for key, value in view.reader.range(*keys.under(view.scope.prefix(Space.NODE))):
        node = int.from_bytes(key[-8:], "big")
        if not view.is_hidden(node):
            yield node, NodeRecord.unpack(value)


def _version(record: NodeRecord) -> tuple[int, int, int]:
    return record.version, record.text_hash, record.kind
