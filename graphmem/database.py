"""An open folder: the store, and what the memories in it share, its worker and its upkeep."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from math import inf
from random import Random
from threading import Lock
from typing import Any, cast

from graphmem.errors import ArgumentTypeError, InvalidArgumentError, MissingExtraError
from graphmem.hexastore.scopes import finish_dropping
from graphmem.remembering.enrichment import Processor
from graphmem.settings import Settings
from graphmem.storage.store import Store
from graphmem.upkeep import Upkeep
from graphmem_worker.address import KEY_VARIABLE, base_url, check_key, missing_libraries
from graphmem_worker.backend import load
from graphmem_worker.process import WorkerProcess
from graphmem_worker.protocol import ProcessPayload

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """The time by the machine's clock, UTC."""
    return datetime.now(UTC)


def checked(path: object) -> str:
    """The path as a str. Raises ArgumentTypeError, InvalidArgumentError."""
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise ArgumentTypeError(f"a path is a str or a pathlib.Path, got {type(path).__name__}")
    text = os.fspath(path)
    try:
        if text and b"\x00" not in os.fsencode(text):
            return text
    except UnicodeEncodeError:
        pass
    raise InvalidArgumentError(f"path {text!r:.80} is empty, or has NULs or lone surrogates")


def _worker(settings: Settings) -> WorkerProcess | None:
    """What scores texts, not started yet. What is wrong with a server's settings is told here: in
    the background nobody would hear it."""
    if settings.worker == "none":
        return None
    if settings.worker != "http":
        return WorkerProcess(settings.worker)
    key = settings.server_key or ""
    try:
        check_key(key)
        url = base_url(settings.server or "")
    except ValueError as error:
        raise InvalidArgumentError(f"worker='http' asks a server, and {error}") from None
    if missing := missing_libraries():
        raise MissingExtraError(
            f"worker='http' needs {' and '.join(missing)}: pip install 'graphmem[http]'"
        )
    options = {"url": url, "model": settings.server_model or ""}
    return WorkerProcess("http", options, environment={KEY_VARIABLE: key})


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
    ) -> None:
        self.path = None if path is None else checked(path)
        self.settings = settings
        self.clock = clock
        self.random = random
        self.lock = Lock()
        self.closed = False
        self.worker = None if read_only else _worker(settings)
        self.store = Store.open(
            path, create=not read_only, read_only=read_only, durability=settings.durability
        )
        self.upkeep = Upkeep(settings.worker_share)
        self.enriching = Upkeep(settings.worker_share, "graphmem-enriching")
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

    def close(self) -> None:
        """Stop upkeep and worker, and close the store. Idempotent."""
        if self.closed:
            return
        self.closed = True
        try:
            if self.worker is not None:
                self.worker.close()  # first: a thread may be waiting for its answer
            self.enriching.stop()
            self.upkeep.stop()
        finally:
            self.store.close()
