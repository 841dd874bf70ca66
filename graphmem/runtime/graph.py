"""What `memory.graph` needs of an open scope, put together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from graphmem.errors import InvalidArgumentError
from graphmem.forgetting import undo
from graphmem.graph import relations
from graphmem.hexastore import terms
from graphmem.runtime.open_scope import OpenScope
from graphmem.runtime.themes import hierarchy
from graphmem.values.links import Dangling, Link, Links, Membership
from graphmem_worker.text.words import words

if TYPE_CHECKING:
    from rdflib.query import Result

    from graphmem.query.sparql import MemoryGraph


def relate(opened: OpenScope, source: int, relation: str, target: int) -> Link:
    """Link two nodes by a relation of the user's, at strength 1."""
    relation = relations.check_own(relation)
    if source == target:
        raise InvalidArgumentError(f"a node is not linked to itself (node {source})")
    with opened.changing() as writer:
        for node in (source, target):
            if writer.view.record(node) is None:
                raise undo.unknown(writer.view, node)
        strength = writer.link(source, relation, target)
    return Link(source, relation, target, strength, 1, False)


def links(opened: OpenScope, node: int) -> Links:
    """The links of a node; its place in the hierarchy is looked up when it is asked for."""

    def memberships() -> tuple[Membership, ...]:
        with opened.reading() as view:
            return hierarchy(opened, view).memberships(node)

    with opened.reading() as view:
        undo.known(view, node)
        found = list(view.links(node))
        lost = [Dangling(link, view.tombstone(link.target)) for link in found if link.dangling]
    return Links(found, lost, memberships)


def rdf(opened: OpenScope) -> MemoryGraph:
    """The scope as an rdflib graph over a snapshot, which it holds until it is closed."""
    from graphmem.query.sparql import MemoryGraph  # rdflib takes a while to load
    from graphmem.query.virtual import Presented

    snapshot, view, index = opened.indexed()

    def mentions(text: str) -> list[int]:
        found: list[int] = index().holding(words(text)).tolist()
        return found

    size = opened.store.approximate_size
    levels = hierarchy(opened, view)
    return MemoryGraph(view, lambda: Presented(view, mentions, size, levels), snapshot.close)


def answer(
    opened: OpenScope, query: str, seconds: float | None, bindings: Mapping[str, object]
) -> Result:
    from graphmem.query.sparql import PREFIXES
    from graphmem.rdf.rdflib_store import node_of

    given = {name: node_of(terms.term(value)) for name, value in bindings.items()}
    with rdf(opened) as graph:
        return graph.query(query, initNs=PREFIXES, initBindings=given, seconds=seconds)


def packed_map(opened: OpenScope, anew: bool) -> bytes:
    """All nodes and links with their places, packed."""
    with opened.reading() as view:
        chart = opened.atlas.chart(view, anew)
    opened.atlas.keep(chart.sequence)
    return chart.pack()
