"""What stands behind the tasks of the protocol."""

import os
from collections.abc import Mapping
from typing import ClassVar, NoReturn

from graphmem_worker.errors import TaskError
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
    """Does the tasks of the protocol, one at a time, each by a method of its name; those that it
    has no method for it refuses.

    A method gets a checked payload and returns the result as `protocol` describes it.  `until` is
    the moment of `time.monotonic()` at which nobody waits for the answer any more (infinite without
    a deadline): what may take long gives up then with `TaskError` "deadline".  It raises
    `TaskError` for what it cannot do; any other exception is reported as kind "failed", not
    transient.
    """

    name: ClassVar[str]
    """The name by which `backend.load` knows it."""

    def __init__(self, options: Mapping[str, object] | None = None) -> None:
        """Raises `ValueError` for any options; a backend that takes some has its own."""
        if options:
            told = ", ".join(sorted(options))
            raise ValueError(f"the {self.name} backend takes no options, but got {told}")

    def segment(self, payload: SegmentPayload, until: float) -> SegmentResult:
        """Cuts a text into segments of sentences."""
        self._refuse("cuts no texts")

    def process(self, payload: ProcessPayload, until: float) -> ProcessResult:
        """Values a memory's sentences and finds its phrase and keywords."""
        self._refuse("values no memories")

    def score(self, payload: ScorePayload, until: float) -> ScoreResult:
        """Values sentences."""
        self._refuse("values no sentences")

    def embed(self, payload: EmbedPayload, until: float) -> EmbedResult:
        """Makes vectors of texts."""
        self._refuse("makes no vectors")

    def ping(self, payload: PingPayload, until: float) -> PingResult:
        """This backend's name and the id of the process that it runs in."""
        return {"backend": self.name, "pid": os.getpid()}

    def _refuse(self, what: str) -> NoReturn:
        told = f"the {self.name} backend {what}: choose another backend"
        raise TaskError("unsupported", told, False)
