"""Upkeep: the background threads of an open folder.

One applies uses, folds the word index and keeps budgets; the second feeds the worker, the third
the embedder, both of which may block for a minute. They work in small steps and rest in between,
so that each takes no more than `worker_share` of a core.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import Thread

from graphmem.errors import BrokenError, ClosedError, ForkedError
from graphmem.storage.bell import Bell
from graphmem.storage.store import in_background

_IDLE = 2.0  # seconds between runs without a `wake`
_GATHER = 0.02  # seconds to wait after a `wake`, so that several cause one run
_LONGEST_REST = 0.5  # seconds
_AGAIN = 60.0  # seconds until a job that failed is tried again
_OVER = (ClosedError, BrokenError, ForkedError)  # of the store: no job can go on
_log = logging.getLogger("graphmem.runtime.upkeep")


class Upkeep:
    """Runs jobs until each returns that nothing is left, then waits to be woken."""

    def __init__(self, share: float, name: str = "graphmem-upkeep", again: float = _AGAIN) -> None:
        self._name = name
        self._share = share
        self._again = again
        self._jobs: tuple[Callable[[], bool], ...] = ()
        self._failed: dict[Callable[[], bool], tuple[float, str]] = {}
        """Job → when it is tried again, and why it failed."""
        self._wake = Bell()
        self._stop = Bell()
        self._thread: Thread | None = None
        self.working = False
        """True while a job is under way."""
        self._stopped: str | None = None

    @property
    def error(self) -> str | None:
        """Why upkeep stopped, or the error of the job that failed last and has not succeeded since;
        None if there is none."""
        failed = [why for _, why in list(self._failed.values())]
        return self._stopped or (failed[-1] if failed else None)

    def add(self, job: Callable[[], bool]) -> None:
        """Call `job()` repeatedly; it does a little work and returns True if more is left."""
        self._jobs = (*self._jobs, job)
        if self._thread is None:
            thread = Thread(target=self._run, name=self._name, daemon=True)
            thread.start()
            self._thread = thread  # last: an interrupt may come before it runs
        self.wake()

    def remove(self, job: Callable[[], bool]) -> None:
        """Stop calling `job()`."""
        self._jobs = tuple(other for other in self._jobs if other != job)
        self._failed.pop(job, None)

    def wake(self) -> None:
        """Run the jobs again, in case there is something to do."""
        self._wake.ring()

    def stop(self) -> None:
        """Finish the job at hand and end the thread. Idempotent."""
        self._stop.ring()
        self._wake.ring()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.rung:
            self._wake.wait(_IDLE)
            self._stop.wait(_GATHER)
            self._wake.clear()
            try:
                with in_background():
                    self._work()
            except _OVER as error:  # the next call of the user raises the same
                self._stopped = str(error)
                _log.error("background work has stopped: %s", error)
                return

    def _work(self) -> None:
        more = True
        while more and not self._stop.rung:
            more = False
            for job in self._jobs:
                begun = time.monotonic()
                if job in self._failed and begun < self._failed[job][0]:
                    continue
                self.working = True
                try:
                    more |= self._done(job)
                finally:
                    self.working = False
                spent = time.monotonic() - begun
                self._stop.wait(min(_LONGEST_REST, spent * (1 / self._share - 1)))

    def _done(self, job: Callable[[], bool]) -> bool:
        """Run one step of a job; True if more is left. One that fails is tried again later."""
        try:
            more = job()
        except _OVER:
            raise
        except Exception as error:  # noqa: BLE001 - one damaged record must not end it
            self._failed.pop(job, None)  # so that the newest failure is the last
            self._failed[job] = time.monotonic() + self._again, f"{type(error).__name__}: {error}"
            _log.exception("background work failed; it is tried again in %.0f s", self._again)
            return False
        self._failed.pop(job, None)
        return more
