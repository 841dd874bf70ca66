"""Admin: how a memory is kept: its numbers, files, queues and settings; `memory.admin`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from graphmem.api.nouns import Noun, require_no_block
from graphmem.declaring import refuses, verb
from graphmem.errors import ArgumentTypeError, InvalidArgumentError
from graphmem.hexastore import scopes
from graphmem.runtime import erasing
from graphmem.runtime.open_scope import OpenScope
from graphmem.services import queue
from graphmem.settings import Settings
from graphmem.values.checks import check_count, check_field, check_function, check_range
from graphmem.values.hits import NodeLike
from graphmem.values.reports import SweepReport


@refuses(require_no_block)
class Admin(Noun):
    """How the memory is kept: its numbers, files, queues and settings."""

    @verb(command="stats")
    def stats(self) -> dict[str, Any]:
        """The state of the memory in numbers: nodes, links, bytes, queue and worker. `today` is the
        day by its clock.

        `budget` says what forgets (`forgetting`), how much of the budget is used (`used`, 0–1; None
        without one), which nodes would go first for room (`next`), and the size of memories
        (`memory_bytes`, which `max_bytes` limits), and of facts and items (`kept_bytes`).

        `erasing` counts the scopes of the folder, dropped ones included, with deleted data that has
        still to be removed from the files.
        """
        return _stats(self._opened)

    @property
    @verb(command="settings", joins=True)
    def settings(self) -> Settings:
        """The settings in force."""
        return self._opened.settings

    @verb(command="check")
    def check(self, *, progress: Callable[[int, int], None] | None = None) -> list[str]:
        """Compare all structures of this scope with each other. Returns the faults, [] if there are
        none.

        Reads everything once: about a second for 10,000 nodes. `progress` is called with the parts
        compared and all parts. `graphmem.repair` rebuilds a folder that has faults.
        """
        from graphmem.maintenance import check

        check_function("progress", progress)
        with self._opened.scope.snapshot(self._opened.store) as snapshot:
            return check.faults(snapshot, self._opened.scope, progress)

    @verb(writes=True, idempotent=True, command="compact")
    def compact(self) -> None:
        """Rewrite the files so that no byte of deleted data is left in them. Merges the word index
        first; may take long in a large folder. `changes` from before the last one of a deleted item
        are a gap afterwards.

        Raises HeldError while an unfinished listing, a `graph.rdf()` or a client holds an older
        snapshot: the data is removed when that has ended. Raises StorageError if the disk fails:
        the data is removed when the folder is next opened.
        """
        erasing.compact(self._opened)

    @verb(writes=True, idempotent=True, command="flush")
    def flush(self) -> None:
        """Return when all that was remembered before is on the disk, or in the memory's home. So an
        import with `durability="group"` is acknowledged once, at its end. Also counts what
        recalls found as used and in focus, which else follows some milliseconds later.

        Raises StorageError if that fails, as the next write does; FencedError if another process
        has taken the memory.
        """
        self._opened.jobs.apply_uses()
        self._opened.store.flush()

    @verb(command="backup")
    def backup(
        self,
        destination: str | os.PathLike[str],
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """Copy the whole folder with all scopes to a new folder; reads and writes continue.

        The copy is a consistent snapshot; every value is verified. It appears complete or not at
        all. `progress` is called with the bytes copied and an estimate of all bytes. Returns the
        sequence number of the snapshot, as in `stats()`.

        Raises DestinationError unless `destination` is outside this folder and new or empty;
        MissingError, FullError; CorruptError if this memory is damaged.
        """
        from graphmem.storage.backup import back_up
        from graphmem.storage.folder import path_name

        return back_up(self._opened.store, path_name(destination), progress)

    @verb(writes=True, idempotent=True, command="shrink")
    def shrink(
        self, to_bytes: int, *, progress: Callable[[SweepReport], None] | None = None
    ) -> SweepReport:
        """Shorten and forget until the live text fits into `to_bytes`. It ends when only pinned
        nodes, nodes in focus and what protects somebody are left.

        What is worth least goes first, and no pass is made. With `forgetting="passes"`, passes are
        made until it fits.

        The size of the live text is `text_bytes` of `stats()`: the UTF-8 bytes of the sentences, or
        of phrase and keywords for a gist. to_bytes: an int, 0 or more. `progress` is called after
        each node, or after each pass in which one was due.

        Raises InvalidArgumentError, ArgumentTypeError.
        """
        return self._opened.budget.shrink(check_count("to_bytes", to_bytes, 0, 1 << 62), progress)

    @verb(writes=True, idempotent=True, command="end-session", joins=True)
    def end_session(self, session: str) -> int:
        """End a session, so that what was ephemeral and never used expires now.

        Returns the number of nodes that expire, 0 unless the setting `ephemera` is "expire". A
        session ends by itself 24 hours after its last turn. Raises InvalidArgumentError,
        ArgumentTypeError.
        """
        given: object = session
        named, opened = check_field("session", given), self._opened
        if named is None:
            wrong = ArgumentTypeError if given is None else InvalidArgumentError
            raise wrong(f"end_session takes the name of a session, got {given!r:.80}")
        if opened.settings.ephemera != "expire":
            return 0
        return opened.sessions.end(named, opened.now())

    @verb(writes=True, idempotent=True, command="enrich")
    def enrich(self, timeout: float | None = None) -> int:
        """Process this scope's queue of texts to be scored and, with vectors, embedded. It takes at
        most `timeout` seconds (None: no limit), and returns the number of texts left in the queue;
        other scopes of the folder have queues of their own.

        Uses that recalls reported are applied first. With `worker="none"` the texts are scored in
        this process. The text being processed at the timeout is finished. A text that fails is
        tried again after 0.5 to 30 seconds, up to 15 times; this call waits for that. If the
        embedder fails, if a server cannot be reached for `worker_deadline` seconds, or if a model
        cannot be loaded any more, this returns and the texts stay in the queue.
        """
        if timeout is not None:
            check_range("timeout", timeout, 0, 1 << 30)
        return self._opened.jobs.enrich(timeout)

    @verb(command="failed", joins=True)
    def failed(self, limit: int = 100) -> dict[int, str]:
        """The nodes whose enrichment failed for good, oldest first, with reasons; at most `limit`.

        They keep the scores of the rules instead of the model's and are otherwise intact. When the
        cause is removed, call `retry`.
        """
        return self._opened.enrichment.set_aside(check_count("limit", limit, 0, 1 << 30))

    @verb(writes=True, command="retry")
    def retry(self, *nodes: NodeLike) -> int:
        """Queue nodes that were set aside for enrichment again; all of them if none is named.

        Returns the number of nodes queued. Raises InvalidArgumentError, and queues none, if a node
        was not set aside.
        """
        opened = self._opened
        back = queue.retry_all(opened.store, opened.scope, map(self._id, nodes))
        opened.database.enriching.wake()
        return back


def _stats(opened: OpenScope) -> dict[str, Any]:
    with opened.reading() as view:
        state = view.state
    database, enrichment = opened.database, opened.enrichment
    worker, listener = database.worker, database.listener
    return {
        "scope": opened.scope.name,
        "path": database.path,
        "today": database.clock().date().isoformat(),
        "nodes": state.nodes,
        "pinned": state.pinned,
        "links": state.links,
        "facts": state.triples,
        "triples": state.all_triples,
        "tombstones": state.tombstones,
        "passes": state.passes,
        "text_bytes": state.text_bytes,
        "live_bytes": state.live_bytes,
        "budget": opened.budget.figures(),
        "archive_bytes": state.archive_bytes,
        "archived": state.archived,
        "words": {"documents": state.documents, "fresh": opened.words.pending},
        "queue": {"waiting": state.queued, "set_aside": state.dead},
        "worker": {
            "backend": opened.settings.worker,
            "pid": worker.pid if worker is not None and worker.alive else None,
            "enriched": enrichment.done,
            "written": enrichment.written,
            "refused": dict(enrichment.refused),
            "last_error": enrichment.last_error,
            "paused": round(enrichment.backoff.paused, 1),
        },
        "vectors": _vectors(opened),
        "themes": _themes(opened, state.nodes),
        "clients": 0 if listener is None else listener.clients,
        "attach_error": None if listener is None else listener.error,
        "erasing": len(scopes.to_erase(opened.store)),
        "upkeep_error": (
            database.upkeep.error or database.enriching.error or database.embedding.error
        ),
        "durability": opened.settings.durability,
        "sequence": opened.store.sequence,
        "home": None if opened.store.home is None else opened.store.home.figures(),
    }


def _themes(opened: OpenScope, nodes: int) -> dict[str, Any]:
    index = opened.theme_index
    themes = index.themes()
    return {
        "messages": nodes,
        "semantics": sum(len(members) for _, members in themes),
        "themes": sum(len(members) > 1 for _, members in themes),
        "alone": sum(len(members) == 1 for _, members in themes),
        "waiting": index.waiting,
        **asdict(index.counts),
    }


def _vectors(opened: OpenScope) -> dict[str, Any]:
    state, embedding, cache = opened.vectors.state, opened.embedding, opened.embeddings
    pids = {worker.pid for worker in opened.database.vector_workers if worker.alive}
    return {
        "model": state.model or None,
        "dimensions": state.dimensions,
        "vectors": state.vectors,
        "search": opened.vectors.search,
        "waiting": state.waiting + state.backlog,  # an upper bound: some of the backlog may be gone
        "set_aside": state.set_aside,
        "cached": state.cached,
        "cache_hit_rate": cache.hits / cache.asked if cache.asked else None,
        "pids": sorted(pid for pid in pids if pid is not None),
        "embedded": 0 if embedding is None else embedding.done,
        "last_error": None if embedding is None else embedding.last_error,
    }
