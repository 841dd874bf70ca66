"""graphmem below its `Memory`: the rooms graph, hexastore, index and recalling."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from bench.peers.peer import DAMPING, InProcess, Item, Link, Walk, folder_bytes
from graphmem.graph import worth
from graphmem.graph.links import HEAD_ENTRIES
from graphmem.graph.records import TextRecord, as_node
from graphmem.graph.relations import FOCUS_CODE, Relations
from graphmem.graph.strength import DEFAULT_DECAY
from graphmem.graph.view import View, words_of
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore import keys, scopes, terms
from graphmem.hexastore.transaction import Transaction
from graphmem.hexastore.triples import TripleWriter
from graphmem.index.words.index import WordIndex
from graphmem.recalling.activation import Spreading
from graphmem.settings import Settings
from graphmem.storage.store import Store
from graphmem_worker.text.words import ANALYSER_VERSION

_KNOBS: Final = Settings()


class Rooms(InProcess):
    """A store of graphmem's, written as `remember` does once a text has become a draft.

    words: with the word index, fed and folded inline (`Memory` folds in the background).
    """

    def __init__(self, name: str, path: Path, *, words: bool) -> None:
        self.name = name
        self.path = path
        self.operations = frozenset({"write", "delete"})
        if not words:
            self.operations |= {"read", "neighbours", "two_hop", "decay", "link", "bare"}
        self._words = words
        self._open()

    def _open(self) -> None:
        self.store = Store.open(self.path)
        self.scope = scopes.open_scope(
            self.store,
            "default",
            kind="memory",
            decay=DEFAULT_DECAY,
            created=0,
            analyser=ANALYSER_VERSION,
            create=True,
        )
        self._relations = Relations(self.store, self.scope)
        self._index = WordIndex(self.store, self.scope, words_of(self.scope))

    def write(self, item: Item) -> None:
        """One node with keywords, links, postings, focus and due key, in one batch."""
        spans, saliences = zip(*item.sentences, strict=True)
        text = TextRecord(
            spans=spans,
            saliences=saliences,
            phrase=item.phrase,
            keywords=item.keywords,
            created=item.created,
            characters=len(item.content),
            given=len(item.keywords),
        )
        with Transaction(self.store, self.scope) as tx:
            writer = GraphWriter(tx, self._relations)
            node = writer.reserve(1)
            assert node == item.id
            worth.observe(tx.state, text)
            record = writer.create(node, text)
            if self._words:
                self._index.put(tx, node, text.words)
            writer.links.connect(FOCUS_CODE, ((s, t, value, 1) for s, t, value in item.links))
            importance = writer.importance(node)
            due = worth.due(self.scope, tx.state, text, record, importance, _KNOBS.grace)
            writer.set_due(node, record, due)
            writer.enter_focus(node)
        if self._index.pending >= _KNOBS.fold_documents:
            self._index.fold(_KNOBS.fold_documents)

    def read(self, node: int) -> tuple[str, str, list[str]]:
        """What `memory[node]` does."""
        with self.store.snapshot() as snapshot:
            view = View(snapshot, self.scope, self._relations, snapshot.sequence)
            pair = view.pair(node)
            assert pair is not None
            record, text = pair
            found = as_node(node, text, record, view.zone)
        return found.text, found.phrase, sorted(found.keywords)

    def neighbours(self, node: int) -> dict[int, float]:
        """What `memory.graph.links(node)` does, without looking up which targets still exist."""
        with self.store.snapshot() as snapshot:
            view = View(snapshot, self.scope, self._relations, snapshot.sequence)
            return {entry.target: view.strength(entry) for entry in view.entries(node)}

    def two_hop(self, walk: Walk) -> dict[int, float]:
        """The activation of `recall`, with each of its bounds lifted or set to the walk's.

        It weighs strengths against the strongest link of a node; in this bench that one has 1.0.
        """
        links = HEAD_ENTRIES if walk.strongest is None else walk.strongest
        spreading = Spreading(links=links, budget=1 << 30, damping=DAMPING, fan=0.0)
        with self.store.snapshot() as snapshot:
            view = View(snapshot, self.scope, self._relations, snapshot.sequence)
            return spreading.run(view, dict.fromkeys(walk.focus, 1.0), 2, None).received

    def decay(self, _: None) -> None:
        """One pass: an increment."""
        with Transaction(self.store, self.scope) as tx:
            tx.state.passes += 1

    def delete(self, node: int) -> None:
        """The node with its out-links; links to it dangle."""
        with Transaction(self.store, self.scope) as tx:
            writer = GraphWriter(tx, self._relations)
            pair = writer.view.pair(node)
            assert pair is not None
            record, text = pair
            if self._words:
                self._index.remove(tx, node, text.words)
            writer.dissolve(node, text, record)

    def link(self, links: list[Link]) -> None:
        """New links, in one batch."""
        with Transaction(self.store, self.scope) as tx:
            writer = GraphWriter(tx, self._relations)
            writer.links.connect(FOCUS_CODE, ((s, t, value, 1) for s, t, value in links))

    def bare(self, triples: list[tuple[int, int, int]]) -> None:
        """New triples of nodes and IRIs, in one batch."""
        with Transaction(self.store, self.scope) as tx:
            writer = TripleWriter(tx)
            for s, p, o in triples:
                predicate = writer.intern(terms.IRI(f"bench:{p}"))
                writer.insert(terms.encode_node(s), predicate, terms.encode_node(o))

    def settle(self) -> int:
        """See `Peer.settle`."""
        while self._index.pending:
            self._index.fold(_KNOBS.fold_documents)
        self.store.compact(*keys.scope_range(self.scope.id))
        self.store.close()
        size = folder_bytes(self.path)
        self._open()
        return size

    def close(self) -> None:
        """See `Peer.close`."""
        self.store.close()
