"""Embedding: vectors for the nodes that wait for one, out of the cache or from the embedder."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from graphmem.errors import EmbedderError
from graphmem.graph.ground import Ground
from graphmem.graph.kinds import seen
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.view import View
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore.transaction import Transaction
from graphmem.index.vectors.embeddings import EmbeddingCache, digest
from graphmem.index.vectors.index import VectorIndex
from graphmem.index.vectors.records import quantized
from graphmem.services import queue
from graphmem.services.backoff import Backoff
from graphmem_worker.text.protects import PROTECTIONS, protects_by_vector
from graphmem_worker.text.words import is_cjk

if TYPE_CHECKING:
    from numpy.typing import NDArray

Encode: TypeAlias = Callable[[Sequence[str]], "NDArray[np.float32]"]
"""Texts → one vector of length 1 each. Raises EmbedderError."""

_Made: TypeAlias = "list[tuple[_Task, float, NDArray[np.int8]]]"
"""Tasks with the scales and rows of their vectors."""

_PROBE: Final = "Is the embedder there?"
_log = logging.getLogger("graphmem.vectors")


@dataclass(frozen=True, slots=True)
class _Task:
    node: int
    text: str
    key: bytes
    text_hash: int


@dataclass
class Embedding:
    """Processes the vector queue of one scope. A vector is stored only if its text has not changed
    meanwhile; a text that the embedder refuses is set aside."""

    ground: Ground
    vectors: VectorIndex
    cache: EmbeddingCache
    model: str
    encode: Encode
    done: int = 0  # vectors written since the memory was opened
    last_error: str | None = None
    """Cleared when texts are embedded while none is set aside."""
    _round: int = 0  # the node at which this round through the queue continues
    _turn: Lock = field(default_factory=Lock)  # two callers would do the same work twice
    _backoff: Backoff = field(default_factory=Backoff)

    @property
    def waiting(self) -> int:
        """How many queued nodes wait; at least 1 while nodes are left to be queued."""
        state = self.vectors.state
        return max(state.waiting, min(1, state.backlog))

    @property
    def resting(self) -> bool:
        """True during the back-off after a failure of the embedder."""
        return self._backoff.paused > 0

    def step(self, count: int) -> int:
        """Embed up to `count` nodes that wait; returns how many were taken off the queue."""
        with self._turn:
            if self.resting:
                return 0
            self.vectors.queue_backlog()
            self.vectors.tidy()
            nodes, self._round = queue.turn(self.vectors.waiting, self._round, count)
            tasks = list(filter(None, map(self._task, nodes)))
            try:
                taken = self._apply(self._made(tasks))
            except EmbedderError as error:
                return self._failed(tasks, error)
            if taken and not self.vectors.state.set_aside:
                self.last_error = None
            return taken

    def _task(self, node: int) -> _Task | None:
        with self.ground.store.snapshot() as snapshot:  # text and record of one moment
            view = View(snapshot, self.ground.scope, self.ground.relations)
            pair = view.pair(node)
        if pair is None:
            return None  # not written completely yet, or forgotten and thereby off the queue
        record, text = pair
        passage = _passage(text)
        return _Task(node, passage, digest(self.model, passage), record.text_hash)

    def _made(self, tasks: Sequence[_Task]) -> _Made:
        made: _Made = []
        unknown: list[_Task] = []
        for task in tasks:
            known = self.cache.get(self.ground.store, task.key)
            if known is None:
                unknown.append(task)
            else:
                made.append((task, known.scale, known.row))
        if unknown:
            vectors = self.encode([task.text for task in unknown])
            self._backoff.succeeded(None)
            expected = self.vectors.state.dimensions
            if expected not in (0, vectors.shape[1]):
                raise EmbedderError(
                    f"{self.model!r} gives vectors of {vectors.shape[1]} dimensions where the "
                    f"memory has {expected}; give another model another name"
                )
            made += ((t, *quantized(v)) for t, v in zip(unknown, vectors, strict=True))
        return made

    def _apply(self, made: _Made) -> int:
        if not made:
            return 0
        with self.ground.transaction() as tx:
            view = View(tx, self.ground.scope, self.ground.relations)
            for task, scale, row in made:
                pair = view.pair(task.node)
                if pair is None or pair[0].text_hash != task.text_hash:
                    continue  # an outdated vector: the new text has its own place in the queue
                marked = -scale if is_cjk(task.text) else scale
                self.vectors.put(tx, task.node, marked, row)
                self._judge(tx, task.node, *pair, scale * row)
                self.cache.put(tx, task.key, task.node, scale, row)
        self.done += len(made)
        return len(made)

    def _judge(
        self,
        tx: Transaction,
        node: int,
        record: NodeRecord,
        text: TextRecord,
        vector: NDArray[np.float32],
    ) -> None:
        """Store the protection and kind of a node, judged by its words and vector."""
        found = {protects_by_vector(span, vector, self.model) for span in text.spans}
        protection = next((n for n, one in enumerate(PROTECTIONS, 1) if one in found), 0)
        judged = record._replace(protection=protection, kind=seen(record, text, vector, self.model))
        if judged != record:
            GraphWriter(tx, self.ground.relations).put_record(node, judged)

    def _failed(self, tasks: Sequence[_Task], error: EmbedderError) -> int:
        """Test the embedder: back off if it is down, else set aside the texts that fail alone.
        Returns how many tasks left the queue."""
        self.last_error = str(error)
        try:
            self.encode([_PROBE])
        except EmbedderError:
            self._backoff.failed(None)
            _log.warning("the embedder rests for %.0f s: %s", self._backoff.paused, self.last_error)
            return 0
        taken = 0
        for task in tasks:
            try:
                taken += self._apply(self._made([task]))
            except EmbedderError as refused:
                self.last_error = f"node {task.node}: {refused}"
                _log.warning("node %d was not embedded: %s", task.node, refused)
                with self.ground.transaction() as tx:
                    self.vectors.set_aside(tx, task.node)
                taken += 1
        return taken


def _passage(record: TextRecord) -> str:
    """The text that is embedded for a node: speaker and sentences; of a gist, phrase and keywords.

    Without the speaker, vectors of a conversation find what was said *to* the person asked about.
    """
    text = record.text or ", ".join(filter(None, (record.phrase, *record.keywords)))
    return f"{record.speaker}: {text}" if record.speaker else text
