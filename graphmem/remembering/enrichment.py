"""Enrichment: has the worker score queued texts, and writes its scores, phrases and keywords."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from math import inf
from threading import Lock
from typing import Any, Final, TypeAlias, cast

from graphmem.graph import worth
from graphmem.graph.ground import Ground
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.view import View
from graphmem.index.words.index import WordIndex
from graphmem.services import queue
from graphmem.services.backoff import Backoff
from graphmem.values.nodes import Form
from graphmem_worker.backends.extractive import Extractive
from graphmem_worker.errors import TaskError, WorkerClosedError, WorkerError
from graphmem_worker.protocol import ProcessPayload
from graphmem_worker.text.words import words

Earlier: TypeAlias = Callable[[View, int], TextRecord | None]
Processor: TypeAlias = Callable[[dict[str, Any]], Mapping[str, Any]]

_ATTEMPTS: Final = 15  # transient failures of a text before it is set aside
_DEADLY: Final = 3  # times that a text may take the worker down with it
_TURN: Final = 0.5  # seconds to wait for another thread that asks the worker
# Failures that are not due to the text: the server, or the model's file or library, is missing.
_AWAY: Final = frozenset({"unreachable", "busy", "backend"})
_log = logging.getLogger("graphmem.worker")


@dataclass(frozen=True, slots=True)
class _Task:
    node: int
    text: TextRecord
    record: NodeRecord
    wish: dict[str, Any] | None  # the request to a model, if one is to rewrite the text
    rewrite: bool  # it is scored already: only the model's text is wanted


@dataclass
class Enrichment:
    """Processes one scope's queue. A result is stored only if its text has not changed since."""

    ground: Ground
    index: WordIndex
    process: Processor
    earlier: Earlier | None
    """Finds the form of a node before the present one; None: no model may write."""
    done: int = 0  # texts enriched since the memory was opened
    last_error: str | None = None
    """Cleared when a text is enriched while none is set aside."""
    backoff: Backoff = field(default_factory=Backoff)
    away: bool = False
    """Whether the worker's server or model was unavailable at the last attempt."""
    written: int = 0  # texts of a model that passed the gate since then
    refused: Counter[str] = field(default_factory=Counter)  # texts refused, by the gate's reason
    _round: int = 0  # the node from which this round through the queue goes on
    _rules: Extractive = field(default_factory=Extractive)
    _turn: Lock = field(default_factory=Lock)  # two callers would do the same work twice
    _reason: str = ""  # of the last error, until a text is enriched again

    def step(self, count: int) -> int:
        """Enrich up to `count` nodes that wait; returns how many were taken off the queue.

        After a failure none until the back-off has passed, then one as a test; none while another
        thread is enriching.
        """
        if not self._turn.acquire(timeout=_TURN):
            return 0
        try:
            taken = 0
            if self.backoff.paused:
                return taken
            most = 1 if self.backoff.probing else count
            nodes, self._round = queue.turn(self._ready, self._round, most)
            for node in nodes:
                begun = time.thread_time()  # excludes the worker's time
                with self.ground.store.snapshot() as snapshot:  # text and record of one moment
                    view = View(snapshot, self.ground.scope, self.ground.relations)
                    if view.is_hidden(node):
                        continue  # its text is not written completely yet
                    task = self._task(view, node)
                if task is None:
                    with self.ground.transaction() as tx:
                        queue.remove(tx, node)
                    taken += 1
                    continue
                taken += self._enrich(task)
                self.ground.store.stand_back(time.thread_time() - begun)
                if self.backoff.paused:
                    break
            return taken
        finally:
            self._turn.release()

    def set_aside(self, limit: int) -> dict[int, str]:
        """Up to `limit` nodes that were set aside, oldest first → the error of each."""
        with self.ground.scope.snapshot(self.ground.store) as snapshot:
            return dict(islice(queue.dead(snapshot, self.ground.scope), limit))

    def patience(self) -> float:
        """Seconds until a waiting text may be tried again."""
        return self.backoff.next(queue.waiting(self.ground.store, self.ground.scope))

    def _task(self, view: View, node: int) -> _Task | None:
        """The work for a node; None if it is gone, or has nothing left to score or rewrite."""
        if (pair := view.pair(node)) is None:
            return None
        record, text = pair
        wish, rewrite = None, False
        if self.earlier is not None:
            wish = self._wish(self.earlier, view, node, text)
            rewrite = record.enriched and text.form is not Form.WHOLE
        is_to_do = wish or (text.spans and not rewrite)
        return _Task(node, text, record, wish, rewrite) if is_to_do else None

    @staticmethod
    def _wish(earlier: Earlier, view: View, node: int, text: TextRecord) -> dict[str, Any] | None:
        """The request to a model: resolve the pronouns of a whole text; summarise the form before a
        shorter one in the length of the present form. None if there is no earlier form."""
        speaker = text.speaker or ""
        if text.form is Form.WHOLE:
            return {"source": text.text, "longest": 0, "speaker": speaker}
        before = earlier(view, node)
        if before is None or not before.spans:
            return None
        left = text.text or "".join((text.phrase, *text.keywords))
        return {"source": before.text, "longest": len(left), "speaker": speaker}

    def _ready(self, first: int) -> Iterator[int]:
        waiting = queue.waiting(self.ground.store, self.ground.scope, first)
        return filter(self.backoff.ready, waiting)

    def _enrich(self, task: _Task) -> bool:
        spans = [] if task.rewrite else list(task.text.spans)
        distinct = {word for span in spans for word in words(span)}
        payload = {
            "sentences": spans,
            "keywords": list(task.text.keywords[: task.text.given]),
            "rarity": {word: self.index.rarity(word) for word in distinct},
        }
        if task.wish is not None:
            payload["wish"] = task.wish
        try:
            result = self.process(payload)
            enriched = self._checked(task, result)
        except WorkerClosedError:
            return False  # the memory is being closed: not the text's fault
        except (WorkerError, _MisfitError) as error:
            return self._failed(task, payload, error)
        self.away, self._reason = False, ""
        self.backoff.succeeded(task.node)
        self._apply(task, enriched)
        if not self.ground.scope.state.dead:
            self.last_error = None
        if (written := result.get("written")) is not None:
            self.written += bool(written["derived"])
            self.refused.update(written["refused"])
        return True

    def _failed(self, task: _Task, payload: dict[str, Any], error: Exception) -> bool:
        """Keep the text in the queue, or set it aside; True if it left the queue."""
        node, reason = task.node, str(error)
        task_error = error if isinstance(error, TaskError) else None
        known, self.away = self.away, task_error is not None and task_error.kind in _AWAY
        # Warn once: a server may be down for days, and a wrong setting fails for every text.
        known = (known and self.away) or reason == self._reason
        self.last_error, self._reason = f"node {node}: {reason}", reason
        level = logging.DEBUG if known else logging.WARNING
        _log.log(level, "node %d was not enriched: %s", node, reason)
        if self.away:
            self.backoff.failed(None)
            return False
        if isinstance(error, _MisfitError) or (task_error is not None and not task_error.transient):
            # A retry would fail alike. The rules stand in for the model.
            self.backoff.succeeded(node)
            found = self._rules.process(cast(ProcessPayload, payload), inf)
            self._apply(task, self._checked(task, found), reason)
            return True
        self.backoff.failed(node)
        with self.ground.transaction() as tx:
            return queue.fail(tx, node, reason, _ATTEMPTS if task_error is not None else _DEADLY)

    def _checked(self, task: _Task, result: Mapping[str, Any]) -> TextRecord:
        """The text with the worker's results. Raises _MisfitError if they do not fit the task."""
        text = task.text
        derived = result.get("written", {}).get("derived", "") if task.wish else ""
        if task.rewrite:
            return text._replace(derived=derived)
        saliences, phrase, keywords = (
            result.get(name) for name in ("salience", "phrase", "keywords")
        )
        if (
            not isinstance(saliences, list)
            or len(saliences) != len(text.spans)
            or not all(isinstance(s, float | int) and 0 < s < 1e9 for s in saliences)
            or not isinstance(phrase, str)
            or not isinstance(keywords, list)
            or not all(isinstance(k, str) and k for k in keywords)
        ):
            raise _MisfitError("the worker's answer does not fit the text that it was given")
        return text._replace(
            saliences=tuple(map(float, saliences)),
            phrase=phrase or text.phrase,
            keywords=tuple(dict.fromkeys((*text.keywords[: text.given], *keywords))),
            derived=derived,
        )

    def _apply(self, task: _Task, text: TextRecord, aside: str | None = None) -> None:
        """Write the text and take it off the queue; with `aside`, set it aside for that reason."""
        with self.ground.writing() as writer:
            if aside is None:
                queue.remove(writer.tx, task.node)
            else:
                queue.set_aside(writer.tx, task.node, aside)
            record = writer.view.record(task.node)
            if (
                record is None
                or record.version != task.record.version
                or record.text_hash != task.record.text_hash
            ):
                return  # forgotten, shortened or corrected meanwhile: the answer is outdated
            if not record.enriched:  # else it was counted when it was set aside
                worth.observe(writer.tx.state, text)
            writer.put_text(task.node, task.text, text)
            if (found := text.words) != (before := task.text.words):
                self.index.put(writer.tx, task.node, found, before)
            record = record._replace(enriched=True)
            writer.schedule(task.node, text, record, self.ground.settings.grace)
            if aside is None:  # with the queue, so that an empty queue means that all are counted
                writer.tx.publish(self._count)

    def _count(self, _: int) -> Callable[[], None]:
        self.done += 1

        def undo() -> None:
            self.done -= 1

        return undo


class _MisfitError(Exception):
    """Raised when an answer is well-formed but does not fit the task."""
