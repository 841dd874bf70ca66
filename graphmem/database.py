"""An open folder: the store, and what the memories in it share, its worker and its upkeep."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import datetime
from math import inf
from pathlib import Path
from random import Random
from threading import Lock
from typing import Any, cast

from graphmem import models
from graphmem.attaching.listener import Listener
from graphmem.embedder import Embedder, Encoder, WorkerEmbedder, asking_worker, chosen
from graphmem.errors import ModelError
from graphmem.hexastore.scopes import finish_dropping
from graphmem.remembering.enrichment import Processor
from graphmem.settings import Settings
from graphmem.storage.folder import path_name
from graphmem.storage.store import Store
from graphmem.upkeep import Upkeep
from graphmem_worker.backend import load
from graphmem_worker.errors import TaskError, WorkerError
from graphmem_worker.process import WorkerProcess
from graphmem_worker.protocol import ProcessPayload

_MODEL_START = 60.0  # seconds; a large model is read from the disk first
Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """The time by the machine's clock, in its zone."""
    return datetime.now().astimezone()


def _worker(settings: Settings) -> WorkerProcess | None:
    """What scores texts. What is wrong with a model or a server's settings is told here: in the
    background nobody would hear it."""
    match settings.worker:
        case "none":
            return None
        case "llama":
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
    ) -> None:
        self.path = None if path is None else os.path.abspath(path_name(path))
        self.settings = settings
        self.clock = clock
        self.random = random
        self.lock = Lock()
        self.closed = False
        with ExitStack() as opened:
            # First: a folder is not made in vain.
            embedder = chosen(settings, embedder)
            self.encoder = None if embedder is None else Encoder(embedder, settings.worker_deadline)
            self.worker = None if read_only else _worker(settings)
            if self.worker is not None:
                opened.callback(self.worker.close)
            self.store = Store.open(
                path, create=not read_only, read_only=read_only, durability=settings.durability
            )
            opened.callback(self.store.close)
            if not read_only:
                finish_dropping(self.store)
            opened.pop_all()
        self.upkeep = Upkeep(settings.worker_share)
        # Of their own: nothing else waits for a slow model or embedder.
        self.enriching = Upkeep(settings.worker_share, "graphmem-enriching")
        self.embedding = Upkeep(settings.worker_share, "graphmem-embedding")
        self.listener: Listener | None = None

    @property
    def processor(self) -> Processor:
        """What scores a text: the worker's process, or without one the same rules in this one."""
        worker = self.worker
        if worker is None:
            process = load("extractive", {}).process
            return lambda payload: process(cast(ProcessPayload, payload), inf)
        deadline = self.settings.worker_deadline

        def ask(payload: dict[str, Any]) -> Mapping[str, Any]:
            return worker.ask("process", payload, deadline=deadline)

        return ask

    @property
    def vector_workers(self) -> set[WorkerProcess]:
        """The processes that make vectors, if any do."""
        embedder = None if self.encoder is None else self.encoder.embedder
        return {*embedder.workers.values()} if isinstance(embedder, WorkerEmbedder) else set()

    def close(self) -> None:
        """Stop upkeep and worker, and close the store. Idempotent."""
        if self.closed:
            return
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
