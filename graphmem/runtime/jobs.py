"""Jobs: the background work of an open scope, and the uses of nodes that are handed to it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import partial
from math import inf
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

from graphmem.errors import GraphMemError, UnknownScopeError
from graphmem.graph.ground import Ground
from graphmem.graph.writer import GraphWriter
from graphmem.index.vectors.index import VectorIndex
from graphmem.remembering.enrichment import Enrichment
from graphmem.remembering.sessions import use
from graphmem.runtime.budget import Budget
from graphmem.runtime.database import Database
from graphmem.runtime.upkeep import Upkeep
from graphmem.sharing.item_store import ItemStore
from graphmem.themes.index import ThemeIndex
from graphmem.values.recall import Recall

if TYPE_CHECKING:
    from graphmem.remembering.embedding import Embedding

_AT_ONCE: Final = 8  # texts of one turn, between other background work
_SLICE: Final = 0.02  # seconds for which upkeep makes room in one turn
_LONGEST_NAP: Final = 0.5  # seconds between checks whether the memory was closed
_PATIENCE: Final = 0.02  # seconds between checks of a queue that another thread processes


@dataclass(slots=True)
class Jobs:
    """The background jobs of one scope, from `begin` until the folder is closed or the scope is
    dropped."""

    database: Database
    ground: Ground
    changing: Callable[[], AbstractContextManager[GraphWriter]]
    """A transaction that writes nodes and links."""
    budget: Budget
    items: ItemStore
    enrichment: Enrichment
    embedding: Embedding | None
    vectors: VectorIndex
    themes: ThemeIndex
    _uses: deque[int] = field(default_factory=deque)
    _running: list[tuple[Upkeep, Callable[[], bool]]] = field(default_factory=list)

    def begin(self) -> None:
        """Start the background jobs, unless the store is read-only."""
        for thread, turn in () if self.ground.store.read_only else self._turns():
            job = partial(_unless_dropped, turn)
            self._running.append((thread, job))
            thread.add(job)
        self.database.closing.append(self._end)

    def _turns(self) -> Iterator[tuple[Upkeep, Callable[[], bool]]]:
        """The jobs, each with its thread; a call of a job does a little of its work."""
        yield self.database.upkeep, self.work
        if self.database.worker is not None:
            yield self.database.enriching, self._enrich
        if self.embedding is not None:
            yield self.database.embedding, self._embed
            yield self.database.embedding, partial(self.themes.step, _AT_ONCE)

    def end_dropped(self) -> None:
        """Stop the jobs of a scope that is dropped."""
        for thread, job in self._running:
            thread.remove(job)
        self.database.closing.remove(self._end)
        self.ground.scope.dropped = True
        self.items.feed.close()

    def _end(self) -> None:
        """Wake the watchers of changes, and count the nodes that were handed over as used; called
        when the folder is closed."""
        self.items.feed.close()
        if not self.ground.store.read_only:
            with suppress(GraphMemError):  # a broken store: its writer got the error
                self.apply_uses()

    def work(self) -> bool:
        """One turn of upkeep; True if more is left to do."""
        self.apply_uses()
        have_expired = self.items.expire() > 0  # then more may be left
        self.budget.fold_when_due()
        self.budget.relax(seconds=_SLICE)
        return have_expired or not self.budget.met

    def _enrich(self) -> bool:
        return bool(self.ground.scope.state.queued and self.enrichment.step(_AT_ONCE))

    def _embed(self) -> bool:
        embedding = self.embedding
        done = embedding and embedding.waiting and embedding.step(_AT_ONCE)
        return self.vectors.link() or bool(done)

    # -- uses ---------------------------------------------------------------------------------

    def count_best(self, found: Recall) -> None:
        """Hand the best hit of a recall to the background as used, if it belongs to this scope and
        answers enough of the cue."""
        if not found or found[0].node.scope or self.ground.store.read_only:
            return
        if found[0].coverage >= self.ground.settings.ranking.use_floor:
            self.use_later(found[0].id)

    def use_later(self, node: int) -> None:
        """Hand a node to the background as used."""

        def hand_over() -> None:
            self._uses.append(node)
            self.database.upkeep.wake()

        self.ground.store.when_committed(hand_over)

    def use(self, nodes: list[int]) -> None:
        """Count nodes as used now."""
        with self.changing() as writer:
            for node in nodes:
                use(writer, node, self.ground.now())

    def apply_uses(self) -> None:
        """Count the nodes that were handed over as used."""
        if self._uses:
            # Without those added meanwhile, or it might never end.
            self.use([self._uses.popleft() for _ in range(len(self._uses))])

    # -- the queues ---------------------------------------------------------------------------

    @property
    def waiting(self) -> int:
        """How many texts wait to be scored or embedded."""
        with self.ground.reading() as view:  # raises if the memory is closed
            queued = view.state.queued
        return queued + (self.embedding.waiting if self.embedding is not None else 0)

    def enrich(self, timeout: float | None) -> int:
        """Process the queues for at most `timeout` seconds; returns how many texts are left."""
        end = inf if timeout is None else monotonic() + timeout
        enrichment, embedding = self.enrichment, self.embedding
        self.apply_uses()
        enrichment.backoff.hurry()
        while (left := self.waiting) and monotonic() < end:
            done = enrichment.step(_AT_ONCE)
            if embedding is not None:
                done += embedding.step(_AT_ONCE)
            if not done:
                scored = enrichment.away or not self.ground.scope.state.queued
                if scored and (embedding is None or embedding.resting):
                    return self.waiting  # counted again: upkeep processes the queues as well
                wait = max(_PATIENCE, enrichment.patience())
                sleep(max(0.0, min(wait, end - monotonic(), _LONGEST_NAP)))
        return left


def _unless_dropped(turn: Callable[[], bool]) -> bool:
    """One turn of a job, True if more is left to do; False if the scope has been dropped."""
    try:
        return turn()
    except UnknownScopeError:
        return False  # dropped meanwhile; the other scopes go on
