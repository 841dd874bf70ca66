"""Embedders for tests: small, exact, and bad in every way that an embedder can be bad."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Hashed:
    """Each word has a direction of its own, drawn from its hash; a text points to their sum."""

    def __init__(self, name: str = "hashed", dimensions: int = 32) -> None:
        self.name = name
        self.dimensions = dimensions
        self.asked: list[tuple[str, str]] = []

    def embed(self, texts: Sequence[str], kind: str) -> Any:
        self.asked += [(text, kind) for text in texts]
        return np.array([self._vector(text) for text in texts])

    def _vector(self, text: str) -> NDArray[np.float64]:
        total = np.full(self.dimensions, 1e-3)
        for word in text.casefold().replace(".", " ").replace("?", " ").split():
            seed = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")
            total += np.random.default_rng(seed).standard_normal(self.dimensions)
        return total


class Odd(Hashed):
    """Its answers pass through `change`, which may also raise."""

    def __init__(self, change: Callable[[Sequence[str], Any], Any]) -> None:
        super().__init__()
        self.change = change

    def embed(self, texts: Sequence[str], kind: str) -> Any:
        return self.change(texts, super().embed(texts, kind))


class Hanging(Hashed):
    """Does not answer before `let_go` is set; if it `hears`, it answers cues."""

    def __init__(self, name: str = "hashed", dimensions: int = 32, *, hears: bool = False) -> None:
        super().__init__(name, dimensions)
        self.let_go = Event()
        self._hears = hears

    def embed(self, texts: Sequence[str], kind: str) -> Any:
        if not (self._hears and kind == "query"):
            self.let_go.wait()
        return super().embed(texts, kind)
