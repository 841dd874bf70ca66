"""Graph: how memories are connected, what follows from it, and queries over it; `memory.graph`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias, cast

from graphmem.api import arguments
from graphmem.api.nouns import Noun, require_no_block
from graphmem.declaring import noun, refuses, verb
from graphmem.errors import InvalidArgumentError
from graphmem.forgetting import undo
from graphmem.graph import relations
from graphmem.hexastore import terms
from graphmem.runtime.themes import hierarchy
from graphmem.values.checks import check_count, check_function, check_range, check_switch
from graphmem.values.hits import NodeLike
from graphmem.values.identifiers import among_of
from graphmem.values.links import Dangling, Link, Links, Membership
from graphmem.values.nodes import Node
from graphmem_worker.text.words import words

if TYPE_CHECKING:
    from rdflib import query as rdflib

    from graphmem.hexastore.facts import Facts
    from graphmem.query.sparql import MemoryGraph

    class Result(rdflib.Result):
        """rdflib's, as a type checker sees it, with the rows of a SELECT."""

        def __iter__(self) -> Iterator[rdflib.ResultRow]: ...


Binding: TypeAlias = object
"""The value of a variable of a query."""


@refuses(require_no_block)
class Graph(Noun):
    """How memories are connected: links, facts, the focus, nearness, SPARQL, the map."""

    @verb(writes=True, idempotent=True, command="relate", joins=True)
    def relate(self, source: NodeLike, relation: str, target: NodeLike) -> Link:
        """Link two nodes with strength 1.0; strengthens a link that exists.

        relation: 1–200 characters in any language, or an absolute IRI. Raises
        UnknownNodeError, ReservedError for a relation that graphmem itself maintains, and
        InvalidArgumentError for a link from a node to itself.
        """
        first, last = self._id(source), self._id(target)
        relation = relations.check_own(relation)
        if first == last:
            raise InvalidArgumentError(f"a node is not linked to itself (node {first})")
        with self._opened.changing() as writer:
            for node in (first, last):
                if writer.view.record(node) is None:
                    raise undo.unknown(writer.view, node)
            strength = writer.link(first, relation, last)
        return Link(first, relation, last, strength, 1, False)

    @verb(command="links", joins=True)
    def links(self, node: NodeLike) -> Links:
        """The links of a node, strongest first. `.dangling` has its links to forgotten nodes,
        `.hierarchy` its episode and its theme.

        Raises ForgottenError, UnknownNodeError.
        """
        opened, identifier = self._opened, self._id(node)

        def memberships() -> tuple[Membership, ...]:
            with opened.reading() as view:
                return hierarchy(opened, view).memberships(identifier)

        with opened.reading() as view:
            undo.known(view, identifier)
            found = list(view.links(identifier))
            lost = [Dangling(link, view.tombstone(link.target)) for link in found if link.dangling]
        return Links(found, lost, memberships)

    @property
    @verb(command="focus", joins=True)
    def focus(self) -> list[Node]:
        """The nodes in focus, the most recently used first; at most five."""
        with self._opened.reading() as view:
            return view.live(view.focus)

    @verb(command="importance", joins=True)
    def importance(self, node: NodeLike) -> float:
        """The importance of a node: the sum of its four strongest out-links, 0–4, of which one
        within a text counts as two.

        Raises ForgottenError, UnknownNodeError.
        """
        with self._opened.reading() as view:
            return view.importance(undo.present(view, self._id(node)).id)

    @verb(command="nearest", joins=True)
    def nearest(
        self, cue: str, *, among: Iterable[NodeLike] | None = None, limit: int = 10
    ) -> list[tuple[Node, float]]:
        """Nodes with the cosine of their vector with the cue's, −1 to 1, the nearest first.

        All stored vectors, of one byte a component, are compared; the rules of `recall` are not
        applied, and the mean vector is not subtracted. Values of different models
        cannot be compared: those of E5 are between 0.79 and 0.96 whatever the texts say. To answer
        a question, use `recall`.

        among: only these, given as nodes, hits or ids; None: all nodes of this scope, replaced ones
            included. Nodes that are forgotten, have expired or wait for a vector are skipped.
        limit: 0–1,000.

        Raises InvalidArgumentError if the memory has no vectors or the cue is blank; EmbedderError
        if the cue's vector is not available within `vector_patience` seconds; ArgumentTypeError;
        UnknownNodeError for an invalid id.
        """
        named = among_of(among, self._name)
        within = None if named is None else named[""]
        most = check_count("limit", limit, 0, 1000)
        return self._opened.recaller.similar(arguments.cue_text(cue), within, most)

    @property
    @noun("graphmem.hexastore.facts:Facts", terms=True, joins=True)
    def facts(self) -> Facts:
        """The triples that you store in a memory: `put`, `delete`, `match`, `search`, `count`."""
        return self._opened.facts()

    @verb(owner_only="ask with graph.sparql(), or make the graph there", command="")
    def rdf(self) -> MemoryGraph:
        """A snapshot of this memory as a read-only rdflib graph.

        Besides stored facts it has triples made from records, such as `memory:content` and the
        present strength of each link; docs/sparql.md lists them. The graph holds the snapshot until
        it is closed: close it, or use it in a `with` block.
        """
        from graphmem.query.sparql import MemoryGraph  # rdflib takes a while to load
        from graphmem.query.virtual import Presented

        snapshot, view, index = self._opened.indexed()

        def mentions(text: str) -> list[int]:
            found: list[int] = index().holding(words(text)).tolist()
            return found

        size = self._opened.store.approximate_size
        levels = hierarchy(self._opened, view)
        return MemoryGraph(view, lambda: Presented(view, mentions, size, levels), snapshot.close)

    @verb(command="sparql")
    def sparql(self, query: str, /, *, seconds: float | None = 30.0, **bindings: Binding) -> Result:
        """Answer a SPARQL query (SELECT, ASK, CONSTRUCT, DESCRIBE) over `rdf()`.

            graph.sparql("SELECT ?n ?text { ?n memory:mentions 'release'; memory:content ?text }")

        The prefixes memory, node, link, relation, focus, theme, episode, rdf, rdfs and xsd need no
        declaration.
        bindings: values of variables, converted like objects of facts: a str is a literal, a node
            or a hit is `node:<id>`. seconds: 0–86,400; None means no limit.
        Returns rdflib's Result, complete; later writes do not change it. A SELECT has rows
            (`row.text`), ASK `.askAnswer`, CONSTRUCT and DESCRIBE `.graph`.

        Raises QuerySyntaxError with line and column; QueryRefusedError for updates, SERVICE, FROM
        and GRAPH; QueryTimeoutError; QueryLimitError if the query needs more memory than
        docs/sparql.md allows; QueryError for other failures.
        """
        if seconds is not None:
            check_range("seconds", seconds, 0, 86_400)
        from graphmem.query.sparql import PREFIXES
        from graphmem.rdf.rdflib_store import node_of

        given = {name: node_of(terms.term(value)) for name, value in bindings.items()}
        with self.rdf() as graph:
            answer = graph.query(query, initNs=PREFIXES, initBindings=given, seconds=seconds)
            return cast("Result", answer)

    @verb(command="explain")
    def explain(self, query: str, /, **bindings: Binding) -> str:
        """How `sparql` would evaluate a query now: its operators, and one line for each pattern.

        Raises QuerySyntaxError, QueryRefusedError.
        """
        with self.rdf() as graph:
            return graph.explain(query, *bindings)

    @verb(command="map")
    def map(
        self, *, anew: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> bytes:
        """All nodes, each with a place, and all links in one call; `graphmem view` draws them.

        Columns that `graphmem.mapping.packed.unpack` reads: id, form and the pass at which the node
        took it, the share of the text that is left, importance, theme, when it was remembered and
        at which pass it is due, and what the archive has of forgotten nodes. Similar nodes are
        placed near each other, by vectors if most nodes have one, else by keywords.

        Places are stored, unless the memory is open read-only; a new node takes a free place and
        moves no other. anew: compute all places again. progress: called with how far it is. Raises
        ArgumentTypeError; and, if it stores places, like `remember`.
        """
        check_switch("anew", anew)
        check_function("progress", progress)
        atlas = self._opened.atlas
        with self._opened.reading() as view:
            chart = atlas.chart(view, anew, progress)
        atlas.keep(chart.sequence)
        return chart.pack()
