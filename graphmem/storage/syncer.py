"""The thread behind `durability="group"`."""

from collections.abc import Callable
from threading import Thread
from typing import Final

from graphmem.storage.bell import Bell

DELAY_SECONDS: Final = 0.04
"""From the first unsynced commit to the sync; with the delay of a timer it stays within 50 ms."""


class Syncer:
    """Calls `sync` within 50 ms of the first commit that no call has covered yet, in a daemon
    thread. When `sync` raises, the error goes to `failed` and the thread ends."""

    def __init__(self, sync: Callable[[], None], failed: Callable[[Exception], None]) -> None:
        self._sync = sync
        self._failed = failed
        self._wanted = Bell()
        self._stopping = Bell()
        self._thread: Thread | None = None

    def want(self) -> None:
        """Ask for a sync of all that has been committed; one writer at a time."""
        if self._thread is None:
            thread = Thread(target=self._run, name="graphmem-sync", daemon=True)
            thread.start()
            self._thread = thread  # last: an interrupt may come before it runs
        self._wanted.ring()

    def stop(self) -> None:
        """End the thread, without a last sync."""
        self._stopping.ring()
        self._wanted.ring()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            self._wanted.wait()
            if self._stopping.wait(DELAY_SECONDS):
                return
            # Cleared before the sync: later commits ask again.
            self._wanted.clear()
            if self._stopping.rung:
                return  # `stop` came in between, and its call has just been cleared
            try:
                self._sync()
            except Exception as error:  # noqa: BLE001 - any error must reach the writer
                self._failed(error)
                return
