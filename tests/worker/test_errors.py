"""A caller that cannot tell a dead worker from a wrong payload retries for ever or not at all."""

import inspect

import pytest

from graphmem_worker import errors
from graphmem_worker.errors import (
    ProtocolError,
    TaskError,
    UnknownBackendError,
    WorkerAnswerError,
    WorkerDiedError,
    WorkerError,
    WorkerTimeoutError,
)

ALL = [found for _, found in inspect.getmembers(errors, inspect.isclass)]


@pytest.mark.parametrize("error", ALL)
def test_every_error_is_in_the_tree_and_has_a_condition(error: type[Exception]) -> None:
    """`except WorkerError` must catch all that the worker may raise."""
    assert issubclass(error, WorkerError)
    assert error.__doc__ is not None
    assert "aised " in error.__doc__.split(".")[0]


def test_errors_are_what_a_python_user_catches() -> None:
    """Retry code is written against the builtin errors."""
    assert issubclass(ProtocolError, ValueError)
    assert issubclass(UnknownBackendError, LookupError)
    assert issubclass(WorkerDiedError, ConnectionError)
    assert issubclass(WorkerTimeoutError, TimeoutError)
    assert issubclass(WorkerAnswerError, ValueError)
    error = TaskError("deadline", "late", True)
    assert (error.kind, error.message, error.transient, str(error)) == (
        "deadline",
        "late",
        True,
        "deadline: late",
    )
