"""A backend is chosen by name in a settings file: a slip there must be told at once, with the way out."""

import os
from math import inf

import pytest

from graphmem_worker.backends.backend import Backend, known, load
from graphmem_worker.errors import UnknownBackendError
from graphmem_worker.protocol import TASKS


def test_the_extractive_backend_is_always_there() -> None:
    """Without it a memory could not be shortened on a machine without a model."""
    backend: Backend = load("extractive", {})
    assert backend.name == "extractive"
    assert backend.ping({}, inf) == {"backend": "extractive", "pid": os.getpid()}
    assert all(callable(getattr(backend, task)) for task in TASKS)


def test_an_unknown_name_is_told_with_the_known_ones() -> None:
    """ "extractiv" must not end as a worker that never answers."""
    with pytest.raises(UnknownBackendError, match=r"extractiv.*known are.*extractive"):
        load("extractiv", {})
    assert "extractive" in known()


def test_options_that_are_not_taken_are_refused() -> None:
    """An option that is ignored is believed to work."""
    with pytest.raises(ValueError, match="model"):
        load("extractive", {"model": "x"})
