"""An open folder: the store, and what the memories in it share, its worker and its upkeep."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from math import inf
from random import Random
from threading import Lock
from typing import Any, cast

from graphmem.embedder import Embedder, Encoder, WorkerEmbedder, chosen
from graphmem.errors import ArgumentTypeError, InvalidArgumentError
from graphmem.hexastore.scopes import finish_dropping
from graphmem.remembering.enrichment import Processor
from graphmem.settings import Settings
from graphmem.storage.store import Store
from graphmem.upkeep import Upkeep
from graphmem_worker.backend import load
from graphmem_worker.process import WorkerProcess
from graphmem_worker.protocol import ProcessPayload

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """The time by the machine's clock, UTC."""
    return datetime.now(UTC)


def _checked(path: object) -> str:
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise ArgumentTypeError(f"a path is a str or a pathlib.Path, got {type(path).__name__}")
    text = os.fspath(path)
    try:
        if text and b"\x00" not in os.fsencode(text):
            return text
    except UnicodeEncodeError:
        pass
    raise InvalidArgumentError(f"path {text!r:.80} is empty, or has NULs or lone surrogates")


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
        self.path = None if path is None else _checked(path)
        self.settings = settings
        self.clock = clock
        self.random = random
        self.lock = Lock()
        self.closed = False
        embedder = chosen(settings, embedder)  # first: it may refuse
        self.encoder = None if embedder is None else Encoder(embedder, settings.worker_deadline)
        self.store = Store.open(
            path, create=not read_only, read_only=read_only, durability=settings.durability
        )
        self.upkeep = Upkeep(settings.worker_share)
        self.embedding = Upkeep(settings.worker_share)  # nothing else waits for a slow embedder
        self.worker: WorkerProcess | None = None
        if settings.worker != "none" and not read_only:
            self.worker = WorkerProcess(settings.worker)
        if not read_only:
            try:
                finish_dropping(self.store)
            except BaseException:
                self.store.close()
                raise

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
    def vector_worker(self) -> WorkerProcess | None:
        """The process that makes vectors, if one does."""
        embedder = None if self.encoder is None else self.encoder.embedder
        return embedder.worker if isinstance(embedder, WorkerEmbedder) else None

    def close(self) -> None:
        """Stop upkeep and worker, and close the store. Idempotent."""
        if self.closed:
            return
        self.closed = True
        try:
            if self.worker is not None:
                self.worker.close()  # first: upkeep may be waiting for its answer
            if self.encoder is not None:
                self.encoder.close()
            if self.vector_worker is not None:
                self.vector_worker.close()
            self.embedding.stop()
            self.upkeep.stop()
        finally:
            self.store.close()
