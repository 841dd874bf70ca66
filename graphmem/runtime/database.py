"""An open folder: the store, and the worker and upkeep that its memories share."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Set
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from math import inf
from pathlib import Path
from random import Random
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, cast

from graphmem.errors import HeldError, ModelError, StorageError
from graphmem.hexastore.scopes import erase_dropped, to_erase
from graphmem.remembering.enrichment import Processor
from graphmem.runtime.upkeep import Upkeep
from graphmem.services.embedder import (
    Embedder,
    Encoder,
    WorkerEmbedder,
    asking_worker,
    chosen,
    stored,
)
from graphmem.settings import Settings
from graphmem.storage.engine import HomedEngine
from graphmem.storage.engines import Choice
from graphmem.storage.folder import path_name
from graphmem.storage.store import Store
from graphmem.values.moments import MACHINE
from graphmem_worker.backends.backend import load
from graphmem_worker.errors import TaskError, WorkerError
from graphmem_worker.process.client import WorkerProcess
from graphmem_worker.protocol import ProcessPayload

if TYPE_CHECKING:
    from graphmem.attaching.listener import Listener

_MODEL_START = 60.0  # seconds; a large model is read from the disk first
_JOBS_END = 5.0  # seconds after a first attempt that an erasure waits for jobs of upkeep
_LOOK_AGAIN = 1.0  # seconds between checks for bytes that are still to be erased
_log = logging.getLogger("graphmem.storage")
Clock = Callable[[], datetime]
MakeEngine = Callable[[Path | None, Choice], HomedEngine]
"""Makes the engine of a memory that has a home: see `Store.open`."""


def system_clock() -> datetime:
    """The time of the machine's clock, in its zone."""
    return datetime.now().replace(tzinfo=MACHINE)  # noqa: DTZ005  (a tenth of now(MACHINE))


def _worker(settings: Settings) -> WorkerProcess | None:
    """The process that scores texts, if any. A wrong model or server setting raises here, since an
    error in a background thread reaches no caller."""
    match settings.worker:
        case "none":
            return None
        case "llama":
            from graphmem.services import models

            return loaded(models.find(settings.model), may_write=settings.may_write)
        case "http":
            return asking_worker(settings, "worker", settings.server_model or "")
        case _:
            return WorkerProcess(settings.worker)


def loaded(path: Path, *, may_write: bool = False) -> WorkerProcess:
    """A process that has loaded the model. Raises ModelError if it cannot."""
    options = {"model": str(path), "may_write": may_write}
    worker = WorkerProcess("llama", options, _MODEL_START)
    try:
        worker.start()
    except WorkerError as error:
        worker.close()
        if isinstance(error, TaskError):
            raise ModelError(error.message) from error
        raise ModelError(f"the model {path} cannot be loaded: {error}") from error
    return worker


class Database:
    """What all scopes of one folder share."""

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        settings: Settings,
        *,
        read_only: bool,
        clock: Clock,
        random: Random,
        embedder: Embedder | None,
        make_engine: MakeEngine | None = None,
    ) -> None:
        self.path = None if path is None else os.path.abspath(path_name(path))
        self.settings = settings
        self.clock = clock
        self.random = random
        self.lock = Lock()
        self.closed = False
        self.closing: list[Callable[[], None]] = []
        """Called when the folder is closed, before anything is stopped."""
        with ExitStack() as opened:
            # First, so that no folder is created if this fails.
            embedder = chosen(settings, embedder)
            self.encoder = self._asking(embedder)
            self.worker = None if read_only else _worker(settings)
            if self.worker is not None:
                opened.callback(self.worker.close)
            self.store = Store.open(
                path,
                create=not read_only,
                read_only=read_only,
                durability=settings.durability,
                engine=settings.engine,
                make_engine=make_engine,
            )
            opened.callback(self.store.close)
            if not read_only:
                try:
                    erase_dropped(self.store)
                except StorageError as error:
                    # The memory can still be read; `stats` and the next write report it.
                    left = "what was erased is still in the files of %s: %s"
                    _log.error(left, self.path, error)
            opened.pop_all()
        self.settling = Lock()
        """Held while bytes are erased; upkeep then skips its turn."""
        self._noted: dict[bytes, bytes] = {}  # what was to be erased at the last check of upkeep
        self._look = 0.0  # time of its next check
        self.upkeep = Upkeep(settings.worker_share)
        if not read_only:
            self.upkeep.add(self._erase_dropped)
        # Own threads, so that nothing else waits for a slow model or embedder.
        self.enriching = Upkeep(settings.worker_share, "graphmem-enriching")
        self.embedding = Upkeep(settings.worker_share, "graphmem-embedding")
        self.listener: Listener | None = None

    def _asking(self, embedder: Embedder | None) -> Encoder | None:
        return None if embedder is None else Encoder(embedder, self.settings.worker_deadline)

    def encoder_of(self, model: str) -> Encoder | None:
        """The encoder for a scope with vectors of `model` ("": none); None if there is none for it.
        All scopes of a folder share one encoder."""
        if self.settings.vectors != "stored":
            return self.encoder
        if self.encoder is None and model:
            self.encoder = self._asking(stored(self.settings, model))
        known = self.encoder
        return known if known is not None and known.embedder.name == model else None

    def _erase_dropped(self) -> bool:
        """A job of upkeep: erase the bytes that erasing, dropping or compacting had to leave."""
        if monotonic() < self._look or self.settling.locked():
            return False
        noted = to_erase(self.store)
        # Only what was there at the last check: a caller may be erasing the rest.
        if noted.items() & self._noted.items():
            erase_dropped(self.store)
        self._noted = noted
        self._look = monotonic() + _LOOK_AGAIN
        return False

    def erase_dropped(self, scopes: Set[int], name: str) -> None:
        """Erase the bytes that erasing, dropping and compacting have left. Raises HeldError if a
        reader keeps some of those of `scopes`, and like `Engine.compact`."""
        end = inf
        with self.settling:
            again = True
            while again:
                jobs = self._works
                left = erase_dropped(self.store)
                # Retry while only jobs, which may begin at any time, or LevelDB's own work keep
                # bytes; a listing of the user may stay open for good.
                held = self.store.readers and not (jobs or self._works)
                again = not scopes.isdisjoint(left) and not held and monotonic() < end
                end = min(end, monotonic() + _JOBS_END)  # rewriting the files may take longer
        if not scopes.isdisjoint(left):
            raise HeldError(
                f"what was deleted in scope {name!r} is still in the files, because a listing, a "
                "graph.rdf() or a client that began before is open: it is removed when that has "
                "ended, at the latest when the folder is next opened"
            )

    @property
    def _works(self) -> bool:
        """Whether a job of upkeep runs."""
        return self.upkeep.working or self.enriching.working or self.embedding.working

    @property
    def processor(self) -> Processor:
        """Scores a text: in the worker's process, or without one by the same rules in this one."""
        worker = self.worker
        if worker is None:
            process = load("extractive", {}).process
            return lambda payload: process(cast(ProcessPayload, payload), inf)
        return partial(worker.ask, "process", deadline=self.settings.worker_deadline)

    @property
    def vector_workers(self) -> set[WorkerProcess]:
        """The processes that compute vectors; none if the embedder is not a worker."""
        embedder = None if self.encoder is None else self.encoder.embedder
        return {*embedder.workers.values()} if isinstance(embedder, WorkerEmbedder) else set()

    def close(self) -> None:
        """Finish what the scopes have begun, stop upkeep and worker, and close the store.
        Idempotent. Raises like `Store.close`, whose HeldError asks for another call."""
        if self.closed:
            self.store.close()
            return
        self.store.require_no_block("close()")
        try:
            for finish in list(self.closing):
                finish()
        finally:
            self._stop()

    def _stop(self) -> None:
        self.closed = True
        try:
            if self.listener is not None:
                self.listener.close()
            if self.worker is not None:
                self.worker.close()  # first: a thread may be waiting for its answer
            if self.encoder is not None:
                self.encoder.close()
            for worker in self.vector_workers:
                worker.close()
            self.enriching.stop()
            self.embedding.stop()
            self.upkeep.stop()
        finally:
            self.store.close()
