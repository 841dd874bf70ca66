"""Upkeep goes on, and says so when it does not."""

from __future__ import annotations

from threading import Event

import pytest

from graphmem.errors import BrokenError, CorruptError
from graphmem.runtime.upkeep import Upkeep

SECONDS = 20.0


@pytest.mark.parametrize(
    "error", [OverflowError("date value out of range"), CorruptError("a record cannot be read")]
)
def test_a_job_that_fails_stops_no_other_and_is_tried_again(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """A text that a rule could not read, or one damaged record, ended the thread: nothing was
    forgotten or embedded any more, of no scope, and `stats` did not say so."""
    failures, others, mended = Event(), Event(), Event()
    upkeep = Upkeep(1.0, again=0.05)

    def failing() -> bool:
        if mended.is_set():
            succeeded.set()
            return False
        failures.set()
        raise error

    def other() -> bool:
        if failures.is_set():
            others.set()
        return False

    succeeded = Event()
    upkeep.add(failing)
    upkeep.add(other)
    try:
        assert failures.wait(SECONDS)
        assert others.wait(SECONDS)
        assert upkeep.error == f"{type(error).__name__}: {error}"
        assert "tried again" in caplog.text
        mended.set()
        assert succeeded.wait(SECONDS)
    finally:
        upkeep.stop()
    assert upkeep.error is None


def test_a_job_that_is_removed_has_not_failed() -> None:
    """The job of a scope that was dropped stayed in memory, and what it had met in `stats`."""
    failed, other = Event(), Event()
    upkeep = Upkeep(1.0)

    def failing() -> bool:
        failed.set()
        raise ValueError("of a scope that is dropped then")

    def second() -> bool:
        other.set()
        return False

    upkeep.add(failing)
    upkeep.add(second)
    try:
        assert failed.wait(SECONDS)
        assert other.wait(SECONDS)
        assert upkeep.error == "ValueError: of a scope that is dropped then"
        upkeep.remove(failing)
        assert upkeep.error is None
    finally:
        upkeep.stop()


def test_a_broken_store_ends_it() -> None:
    """Every further turn would fail alike; the next call of the user is told the same."""
    tried = Event()
    upkeep = Upkeep(1.0)

    def broken() -> bool:
        tried.set()
        raise BrokenError("the store is broken: open it again", "folder")

    upkeep.add(broken)
    assert tried.wait(SECONDS)
    upkeep.stop()
    assert upkeep.error is not None
    assert "open it again" in upkeep.error
