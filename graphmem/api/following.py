"""Following a memory of a home: read only, as of the last poll, while another process writes."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from threading import Event, Thread
from typing import Any

from graphmem.api.attached import Client
from graphmem.api.memory import Memory
from graphmem.declaring import Call
from graphmem.errors import ClosedError, GraphMemError, MissingError, StorageError
from graphmem.services.embedder import Embedder, WorkerEmbedder
from graphmem.storage.homes.reader import Reader

_log = logging.getLogger("graphmem.home")


class Shared:
    """An embedder that outlives the memories that use it."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.dimensions = embedder.name, embedder.dimensions
        self._embedder = embedder

    def embed(self, texts: Sequence[str], kind: Any) -> Any:
        return self._embedder.embed(texts, kind)


class _Source:
    """A reader; closed when the last copy that was made of it has gone."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._closed = False

    def close(self, *, remove: bool) -> None:
        if not self._closed:
            self._closed = True
            self.reader.close(remove=remove)

    def __del__(self) -> None:
        self.close(remove=True)


class _Copy:
    """A memory over one state; closed when the last call that uses it has ended."""

    def __init__(self, memory: Memory, source: _Source) -> None:
        self.memory, self.source = memory, source

    def __del__(self) -> None:
        self.memory.close()


class Following:
    """The newest state of a memory that this process follows, and the thread that polls."""

    def __init__(
        self,
        reader: Reader,
        opened: Callable[[Reader], Memory],
        embedder: Embedder | None,
        every: float,
    ) -> None:
        """opened: makes a memory over a state. embedder: shared by these memories; closed with
        this."""
        self._open = opened
        self._embedder = embedder
        self._every = every
        self._ended: GraphMemError | None = None
        self._copy: _Copy | None = _Copy(self._open(reader), _Source(reader))
        self._stop = Event()
        self._thread = Thread(target=self._run, name="graphmem-follow", daemon=True)
        self._thread.start()

    path = ""

    @property
    def owner_pid(self) -> int:
        """This process, also in one that was forked from the one which loaded this."""
        return os.getpid()

    @property
    def copy(self) -> _Copy:
        """The newest state. Raises the error that ended the following, or ClosedError."""
        copy = self._copy
        if copy is None or self._ended is not None:
            raise self._ended or ClosedError("this memory was closed: follow it again")
        return copy

    def _run(self) -> None:
        while not self._stop.wait(self._every):
            try:
                self._look()
            except StorageError as error:
                _log.warning("what is followed is not read any further for now: %s", error)
            except GraphMemError as error:
                self._ended = error
                return

    def _look(self) -> None:
        """Poll for a newer state. Running calls keep the state that they began with."""
        copy = self._copy
        if copy is None or (found := copy.source.reader.poll()) is None:
            return
        source = copy.source if found is copy.source.reader else _Source(found)
        try:
            self._copy = _Copy(self._open(found), source)
        except BaseException:
            if source is not copy.source:
                source.close(remove=False)
            raise

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        copy, self._copy = self._copy, None
        if copy is not None:
            copy.memory.close()
            copy.source.close(remove=isinstance(self._ended, MissingError))
            if isinstance(self._embedder, WorkerEmbedder):
                for worker in self._embedder.workers.values():
                    worker.close()


class Follower(Client[Following]):
    """A memory that another process writes, as `Memory` shows it; made by `Home.follow`.

    It is as new as the last poll; a call sees one state. Writing raises ReadOnlyError. When the
    memory is erased or moves, calls raise MissingError or MovedError. While the home cannot be
    reached they answer from what was read; `admin.stats()["home"]["read"]` says how many seconds
    ago that was. Any number of threads may use it.
    """

    def _do(self, call: Call) -> Any:
        copy = self._access.copy
        memory = copy.memory
        of_scope = memory if memory.name == self._name else memory.scopes.open(self._name)
        result = call.done(of_scope)
        return _held(result, copy) if isinstance(result, Iterator) else result


def _held(result: Iterator[Any], copy: _Copy) -> Iterator[Any]:
    """A listing that keeps the state from which it is read."""
    yield from result
    del copy
