"""Interrupts at every line of LevelDB's engine: closing does not wait for a call that is gone.

An interrupt in the last lines of a read left the read counted as under way, and `close` hung. (The
locks of LMDB's engine are C's; `with` gives them back whenever an interrupt comes.)
"""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from graphmem.storage import leveldb
from graphmem.storage.leveldb import LevelDBEngine

# Raised in a generator or a snapshot that is just being freed, Python reports and drops it.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def interrupted(act: Callable[[], object], source: str, line: int) -> bool:
    """Do `act` in a thread with a KeyboardInterrupt before the `line`-th line in the file `source`
    that it comes to. Return whether it came so far."""
    passed = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal passed
        if frame.f_code.co_filename != source:
            return None
        if event == "line":
            passed += 1
            if passed == line:
                raise KeyboardInterrupt
        return trace

    def run() -> None:
        sys.settrace(trace)
        try:
            act()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(None)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    return passed >= line


@pytest.mark.parametrize("part", ["reads", "writes"])
def test_closing_after_an_interrupt_at_any_line(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: errors.append(found.exc_value))

    def reads() -> None:
        with engine.snapshot() as snapshot:
            snapshot.get(b"a")
            snapshot.get_many([b"a", b"b"])
            list(snapshot.range(b"a", b"z"))
        del snapshot

    def writes() -> None:
        engine.get(b"a")
        engine.commit({b"c": b"3"})
        engine.sync()

    line = 0
    engine = LevelDBEngine(tmp_path / "e")
    engine.commit({b"a": b"1", b"b": b"2"})
    while True:
        line += 1
        came = interrupted(reads if part == "reads" else writes, leveldb.__file__, line)
        closing = threading.Thread(target=engine.close, daemon=True)
        closing.start()
        closing.join(5)
        assert not closing.is_alive(), f"close hangs after an interrupt at line {line} of the call"
        if not came:
            break
        engine = LevelDBEngine(tmp_path / "e")
        assert engine.get(b"a") == b"1"
    assert line > 20
    assert {type(error) for error in errors} <= {KeyboardInterrupt}
