"""Oxigraph on disk, through pyoxigraph: a triple for each property, link and strength."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from bench.peers.peer import (
    DAMPING,
    DECAY,
    AbsentError,
    InProcess,
    Item,
    Link,
    Walk,
    folder_bytes,
    uuid_of,
)

try:
    import pyoxigraph as ox
except ImportError as error:
    raise AbsentError("pyoxigraph is not installed: make setup-bench") from error

_TYPE: Final = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_NODE, _LINK, _STRENGTH, _CONTENT, _PHRASE, _KEYWORD, _CREATED, _USES = (
    ox.NamedNode(f"memory:{name}")
    for name in ("Node", "link", "strength", "content", "phrase", "keyword", "createdAt", "uses")
)
_DECAY: Final = f"""
DELETE {{ ?link <memory:strength> ?old }} INSERT {{ ?link <memory:strength> ?new }}
WHERE {{ ?link <memory:strength> ?old BIND(?old * {DECAY}e0 AS ?new) }}
"""
_PATH: Final = """
SELECT DISTINCT ?node {{
    VALUES ?focus {{ {focus} }} ?focus <memory:link>|(<memory:link>/<memory:link>) ?node }}
"""


class Oxigraph(InProcess):
    """A folder. Lookups by pattern: for scored walks they beat SPARQL, which is `unscored`."""

    operations = frozenset(
        {"write", "read", "neighbours", "two_hop", "unscored", "decay", "delete", "link", "bare"}
    )

    def __init__(self, path: Path) -> None:
        self.name = f"pyoxigraph {ox.__version__}"
        self._path = path
        self._store = ox.Store(str(path))
        self._ids: dict[str, int] = {}

    def _iri(self, node: int) -> ox.NamedNode:
        name = uuid_of(node)
        self._ids[name] = node
        return ox.NamedNode(f"node:{name}")

    def _id(self, iri: Any) -> int:
        return self._ids[iri.value[5:]]

    def _link_quads(self, links: list[Link] | tuple[Link, ...]) -> list[ox.Quad]:
        quads = []
        for source, target, value in links:
            a, b = self._iri(source), self._iri(target)
            quads.append(ox.Quad(a, _LINK, b))
            quads.append(ox.Quad(_between(a, b), _STRENGTH, ox.Literal(value)))
        return quads

    def write(self, item: Item) -> None:
        """One transaction."""
        node = self._iri(item.id)
        quads = [
            ox.Quad(node, _TYPE, _NODE),
            ox.Quad(node, _CONTENT, ox.Literal(item.content)),
            ox.Quad(node, _PHRASE, ox.Literal(item.phrase)),
            ox.Quad(node, _CREATED, ox.Literal(item.created)),
            ox.Quad(node, _USES, ox.Literal(0)),
            *(ox.Quad(node, _KEYWORD, ox.Literal(word)) for word in item.keywords),
        ]
        self._store.extend(quads + self._link_quads(item.links))

    def read(self, node: int) -> tuple[str, str, list[str]]:
        """Every triple of the subject."""
        found: dict[Any, list[str]] = {}
        for quad in self._store.quads_for_pattern(self._iri(node), None, None, None):
            found.setdefault(quad.predicate, []).append(_value(quad.object))
        return found[_CONTENT][0], found[_PHRASE][0], sorted(found[_KEYWORD])

    def _strengths(self, source: ox.NamedNode) -> dict[Any, float]:
        found = self._store.quads_for_pattern
        strengths = {}
        for quad in found(source, _LINK, None, None):
            link = _between(source, quad.object)
            strengths[quad.object] = float(_value(next(found(link, _STRENGTH, None, None)).object))
        return strengths

    def neighbours(self, node: int) -> dict[int, float]:
        """A lookup, and one for each strength."""
        return {self._id(t): value for t, value in self._strengths(self._iri(node)).items()}

    def two_hop(self, walk: Walk) -> dict[int, float]:
        """Hop by hop."""
        scores: dict[Any, float] = dict.fromkeys(map(self._iri, walk.focus), 1.0)
        total: dict[Any, float] = {}
        for _ in range(2):
            reached: dict[Any, float] = {}
            for node, score in scores.items():
                links = list(self._strengths(node).items())
                if walk.strongest is not None:
                    links = sorted(links, key=lambda link: -link[1])[: walk.strongest]
                for target, value in links:
                    reached[target] = reached.get(target, 0.0) + score * DAMPING * value
            for target, score in reached.items():
                total[target] = total.get(target, 0.0) + score
            scores = reached
        return {self._id(node): score for node, score in total.items()}

    def unscored(self, walk: Walk) -> set[int]:
        """One property path."""
        focus = " ".join(str(self._iri(node)) for node in walk.focus)
        rows: Any = self._store.query(_PATH.format(focus=focus))
        return {self._id(row[0]) for row in rows}

    def decay(self, _: None) -> None:
        """One update."""
        self._store.update(_DECAY)

    def delete(self, node: int) -> None:
        """One update."""
        find = self._store.quads_for_pattern
        quads = list(find(self._iri(node), None, None, None))
        for quad in list(quads):
            if quad.predicate == _LINK:
                quads += find(_between(quad.subject, quad.object), None, None, None)
        lines = (f"{quad.subject} {quad.predicate} {quad.object}" for quad in quads)
        self._store.update(f"DELETE DATA {{ {' . '.join(lines)} }}")

    def link(self, links: list[Link]) -> None:
        """One transaction."""
        self._store.extend(self._link_quads(links))

    def bare(self, triples: list[tuple[int, int, int]]) -> None:
        """One transaction."""
        self._store.extend(
            ox.Quad(self._iri(s), ox.NamedNode(f"bench:{p}"), self._iri(o)) for s, p, o in triples
        )

    def settle(self) -> int:
        """See `Peer.settle`. RocksDB drops the log of what it has flushed when it is opened."""
        self._store.flush()
        self._store.optimize()
        self.close()
        self._store = ox.Store(str(self._path))
        self.close()
        size = folder_bytes(self._path)
        self._store = ox.Store(str(self._path))
        return size

    def close(self) -> None:
        """See `Peer.close`; the last reference closes the files."""
        self._store.flush()
        del self._store


def _between(source: Any, target: Any) -> ox.NamedNode:
    return ox.NamedNode(f"link:{source.value[5:]}:{target.value[5:]}")


def _value(term: Any) -> str:
    """The text of a literal or IRI."""
    return str(term.value)
