"""Findings: what depends on the text of a node alone, found once for each version of it.

Caches of recall are passed by: a walk over all nodes would drive out what recalls need.
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
        """What is found of nodes, in their order."""
        known = self._found
        while page := list(islice(nodes, _AT_ONCE)):
            missing = [node for node, record in page if not self._is_known(node, record)]
            texts = dict(zip(missing, _texts(view, missing), strict=True))
            for node, record in page:
                if node in texts:
                    if (packed := texts[node]) is None:  # which `check` tells of
                        continue
                    known[node] = _version(record), self._find(record, TextRecord.unpack(packed))
                yield node, record, known[node][1]

    def of(self, view: View, node: int, record: NodeRecord) -> Found | None:
        """What is found of one node."""
        return next((found for *_, found in self._walk(view, iter([(node, record)]))), None)

    def every(self, view: View) -> Iterator[tuple[int, NodeRecord, Found]]:
        """What is found of all nodes that readers see; of others nothing is kept."""
        seen: set[int] = set()
        for node, record, found in self._walk(view, _records(view)):
            seen.add(node)
            yield node, record, found
        if len(self._found) > len(seen):
            self._found = {node: it for node, it in list(self._found.items()) if node in seen}

    def _is_known(self, node: int, record: NodeRecord) -> bool:
        found = self._found.get(node)
        return found is not None and found[0] == _version(record)


def _records(view: View) -> Iterator[tuple[int, NodeRecord]]:
    """The nodes that readers see with their records, in the order of their ids."""
    for key, value in view.reader.range(*keys.under(view.scope.prefix(Space.NODE))):
        node = int.from_bytes(key[-8:], "big")
        if not view.is_hidden(node):
            yield node, NodeRecord.unpack(value)


def _texts(view: View, nodes: list[int]) -> list[bytes | None]:
    prefix = view.scope.prefix(Space.TEXT)
    return list(view.reader.get_many([prefix + keys.u64(node) for node in nodes])) if nodes else []


def _version(record: NodeRecord) -> tuple[int, int, int]:
    return record.version, record.text_hash, record.kind
