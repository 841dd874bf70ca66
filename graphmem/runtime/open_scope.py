"""A scope of an open folder: its indexes and the objects that work on them, wired up."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from contextlib import AbstractContextManager, contextmanager
from math import log
from typing import TYPE_CHECKING

from graphmem.forgetting import archive, slots, undo
from graphmem.forgetting.pressure import Pressure
from graphmem.forgetting.removal import Removal
from graphmem.forgetting.shortening import Fader
from graphmem.forgetting.sweep import Sweeper
from graphmem.graph import pins
from graphmem.graph.exchanges import is_reply
from graphmem.graph.ground import Ground
from graphmem.graph.relations import Relations
from graphmem.graph.view import View, words_of
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore import scopes
from graphmem.hexastore.facts import Facts
from graphmem.hexastore.scopes import Scope
from graphmem.index.texts import TextIndex
from graphmem.index.vectors.embeddings import EmbeddingCache
from graphmem.index.vectors.index import VectorIndex
from graphmem.index.words.index import WordIndex, WordReader
from graphmem.lifecycle.conflicts import Conflicts
from graphmem.mapping import place_rows
from graphmem.mapping.atlas import Atlas, Ended, text_facts
from graphmem.query.triples import MemoryTriples
from graphmem.recalling import listing
from graphmem.recalling.listing import Asked
from graphmem.recalling.recaller import Recaller
from graphmem.remembering.enrichment import Enrichment
from graphmem.remembering.files import Files
from graphmem.remembering.guarding import Guard
from graphmem.remembering.intake import Intake
from graphmem.remembering.sessions import Sessions
from graphmem.remembering.writing import Writing
from graphmem.runtime.budget import Budget
from graphmem.runtime.database import Database
from graphmem.runtime.item_texts import ItemTexts
from graphmem.runtime.jobs import Jobs
from graphmem.sharing.item_store import ItemStore
from graphmem.sharing.items import Items
from graphmem.storage.store import StoreSnapshot
from graphmem.themes.index import ThemeIndex
from graphmem.themes.topics import Topics
from graphmem.values.items import Action
from graphmem.values.moments import micros
from graphmem.values.nodes import Node
from graphmem_worker.text.words import ANALYSER_VERSION

if TYPE_CHECKING:
    from graphmem.lifecycle.census import Census
    from graphmem.lifecycle.sameness import Sameness
    from graphmem.remembering.embedding import Embedding


class OpenScope:
    """The objects that work on one scope while its folder is open."""

    def __init__(self, database: Database, scope: Scope) -> None:
        store, settings = database.store, database.settings
        self.database = database
        self.settings = settings
        self.store = store
        self.scope = scope
        self.relations = Relations(store, scope)
        self.ground = ground = Ground(store, scope, self.relations, settings, database.clock)
        self.now, self.reading = ground.now, ground.reading
        self.words = WordIndex(store, scope, words_of(scope))
        self.vectors = VectorIndex(store, scope)
        self.embeddings = EmbeddingCache(scope)
        self.theme_index = ThemeIndex(ground, self.vectors)
        self.texts = TextIndex(
            self.words, self.vectors, self.embeddings, self.theme_index.remove, place_rows.remove
        )
        self.removal = Removal(ground, self.texts, self.note, settings.archive_bytes)
        self.fader = Fader(ground, self.removal, self.words.rarity)
        self.sweeper = Sweeper(ground, self.fader)
        self.intake = Intake(
            ground, self.texts, self.make_room,
            note=lambda writer, node: self.note(writer, "remembered", node),
        )  # fmt: skip
        self.guard = Guard(settings.guard)
        self.sessions = Sessions(store, scope, self.changing)
        self.writing = Writing(
            ground, self.intake, self.guard, self.words.rarity,
            undo_unfinished=self.removal.undo_unfinished, after_write=self.after_write,
            expire=self.sweeper.expire, turn=self.sessions.turn,
        )  # fmt: skip
        self.files = Files(
            ground, self.intake, self.guard,
            draft=self.writing.chunk, forget=self.removal.forget, after_write=self.after_write,
        )  # fmt: skip
        self.enrichment = Enrichment(
            ground, self.words, process=database.processor,
            earlier=undo.form_before if settings.may_write else None,
        )  # fmt: skip
        self.contradictions = Conflicts(store, scope, self.words.rarity)
        self.pressure = Pressure(ground, self.fader, self.predecessors)
        self.budget = Budget(scope, settings, self.words, self.sweeper, self.pressure)
        self.pins = pins.Pins(-1, ())
        self.item_store = ItemStore(
            ground, self.guard.clean, self.guard.name,
            lambda tx: ItemTexts(tx, self.writing, self.removal, self.after_write),
        )  # fmt: skip
        self.items = Items(self.item_store)
        self.atlas = Atlas(ground, self.vectors, self.theme_index.themes, self._ended, Topics)
        self.census: tuple[Census, Sameness] | None = None  # made when first asked for
        self._encoder = database.encoder_of(self.vectors.state.model)
        self.embedding = self._embedder()
        self.recaller = Recaller(
            ground, self.words, self.vectors,
            encoder=self._encoder, without_secrets=self.guard.cue, forms=archive.newest_first,
        )  # fmt: skip
        if not store.read_only:
            self.removal.undo_unfinished()
            if scope.analyser != ANALYSER_VERSION:
                self.words.renew()
        self.jobs = Jobs(
            database, ground, self.changing, self.budget, self.item_store, self.enrichment,
            self.embedding, self.vectors, self.theme_index,
        )  # fmt: skip
        self.jobs.begin()

    # -- reading and writing ------------------------------------------------------------------

    def changing(self) -> AbstractContextManager[GraphWriter]:
        """A transaction that writes nodes and links, under the writer's lock.

        Expired nodes are forgotten first, since readers do not see them.
        """
        self.sweeper.expire()
        return self.ground.writing(joins=True)

    def note(self, writer: GraphWriter, what: Action, node: int) -> None:
        """Add a change of a node to the feed, in the transaction that makes it."""
        record = writer.view.record(node)
        version = 0 if record is None else record.version
        self.item_store.feed.note(writer.tx, what, node, version, self.now())

    def make_room(self, writer: GraphWriter, newcomers: int) -> None:
        """Forget nodes until `newcomers` fit into `max_nodes`, if that is set."""
        slots.make_room(writer, self.removal, newcomers, self.database.random, self.predecessors)

    def facts(self) -> Facts:
        def joined(snapshot: StoreSnapshot) -> MemoryTriples:
            return MemoryTriples(self.ground.view_of(snapshot), self.store.approximate_size)

        return Facts(self.store, self.scope, joined=joined, clean=self.guard.clean)

    def nodes(self, asked: Asked) -> Iterator[Node]:
        """The nodes that match, from one snapshot, which is held until the iterator ends."""
        snapshot, view, index = self.indexed(asked.only.known_at)
        with snapshot:
            yield from listing.nodes(view, asked, index, archive.newest_first)

    def _ended(self, view: View, known: Container[int]) -> Iterator[tuple[int, Ended | None]]:
        """The archived forms, as `Atlas` takes them; None for places in `known`."""
        for place, form in archive.unread(view.reader, self.scope, known):
            yield place, None if form is None else Ended(
                form.node, form.version, form.passes, form.record.born, form.record.last_use,
                form.record.uses, form.importance or 0.0, text_facts(form.text),
            )  # fmt: skip

    def indexed(
        self, moment: int | None = None
    ) -> tuple[StoreSnapshot, View, Callable[[], WordReader]]:
        """A snapshot, its view (at a moment, or now), and a function that makes a reader of its
        word index."""
        snapshot, (held,) = self.ground.agreeing(self.words.hold)
        view = self.ground.view_of(snapshot, moment)
        return snapshot, view, lambda: self.words.reader(snapshot, snapshot.sequence, held)

    def after_write(self) -> None:
        """Make room if needed, and wake the background; called without the writer's lock."""
        # A writer that is faster than upkeep makes room itself.
        self.budget.keep()
        self.database.upkeep.wake()
        self.database.enriching.wake()
        self.database.embedding.wake()

    # -- changes that a user asks for ---------------------------------------------------------

    def set_pinned(self, node: int, pinned: bool) -> Node:
        with self.changing() as writer:
            record, text = undo.known(writer.view, node)
            most, grace = self.settings.max_nodes, self.settings.grace
            return pins.change(writer, node, record, text, pinned, most=most, grace=grace)

    @contextmanager
    def with_words(self) -> Iterator[tuple[View, WordReader]]:
        """A view of one snapshot, and the word index at it."""
        snapshot, view, index = self.indexed()
        with snapshot:
            yield view, index()

    def outdated(self, node: int) -> list[int]:
        """The older nodes whose statements a node ends or changes, surely or possibly."""
        with self.with_words() as (view, index):
            return self.contradictions.outdated(view, index, node)

    def may_be_left(self, node: int) -> set[int]:
        """The older nodes that recall would present as current if this node were removed, because
        it ends, changes or replaces them."""
        with self.with_words() as (view, index):
            outdated = self.contradictions.outdated(view, index, node)
            return {*outdated, *self.contradictions.predecessors(view, index, node)}

    def predecessors(self, node: int) -> set[int]:
        """The older nodes that must go before a node when room is made: those that it supersedes,
        surely or probably, and the one that it replies to."""
        with self.with_words() as (view, index):
            older = self.contradictions.predecessors(view, index, node)
            return older | {node - 1} if is_reply(view, node) else older

    def _embedder(self) -> Embedding | None:
        """Processes the vector queue; None without an embedder or in a read-only memory."""
        encoder = self._encoder
        if encoder is None:
            return None
        self.vectors.use(encoder.embedder.name, encoder.embedder.dimensions)
        if self.database.settings.vectors != "stored":  # a command may need no vector of a cue
            encoder.warm()
        if self.store.read_only:
            return None
        from graphmem.remembering.embedding import Embedding

        return Embedding(
            self.ground, self.vectors, self.embeddings,
            model=encoder.embedder.name, encode=encoder.passages,
        )  # fmt: skip


def open_scope(database: Database, name: str) -> OpenScope:
    """Open a scope of kind memory; it is created if it does not exist and the store is writable."""
    scope = scopes.open_scope(
        database.store,
        name,
        kind="memory",
        decay=-log(database.settings.decay),
        created=micros(database.clock()),
        analyser=ANALYSER_VERSION,
        create=not database.store.read_only,
    )
    scope.fades = database.settings.forgetting == "passes"
    scope.clock = database.clock
    return OpenScope(database, scope)
