"""A watch: a function called with each change of items."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Thread
from time import sleep
from typing import Final

from graphmem.errors import AlreadyOpenError, ClosedError, NotOpenError, OwnerSilentError
from graphmem.values.items import Change, Changes

_log = logging.getLogger("graphmem.watch")
_REST: Final = 0.2  # seconds between two attempts to reach an owner that has gone
_SLICE: Final = 10.0  # seconds that one request waits


class Watch:
    """Calls a function with each change, in a thread of its own, until `close`."""

    def __init__(
        self,
        changes: Callable[..., Changes],
        callback: Callable[[Change | None], object],
        since: int | None,
    ) -> None:
        """Use `Pool.watch`. changes: takes `since`, and `wait` in seconds."""
        self._changes = changes
        self._callback = callback
        first = changes(since)
        self._closed = False
        self.last = first.last
        self.error: Exception | None = None
        """What ended the watch, such as CorruptError; it is logged too."""
        self._thread = Thread(target=self._run, args=(first,), name="graphmem-watch", daemon=True)
        self._thread.start()

    def _run(self, found: Changes) -> None:
        closed = False
        try:
            while not self._closed:
                if found.gap:
                    self._call(None)
                for change in found:
                    self._call(change)
                self.last = found.last
                try:
                    found = self._changes(self.last, wait=_SLICE)
                    closed = False
                except (AlreadyOpenError, ClosedError, NotOpenError, OwnerSilentError) as error:
                    if closed and isinstance(error, ClosedError):
                        return  # the second time: this memory was closed, not an owner's
                    closed = isinstance(error, ClosedError)
                    sleep(_REST)
                    found = Changes((), self.last, False)
        except Exception as error:  # noqa: BLE001 - nobody else sees it
            self.error = error
            _log.exception("a watch has ended")

    def _call(self, change: Change | None) -> None:
        """Call the callback; what it raises is logged."""
        try:
            self._callback(change)
        except Exception:  # noqa: BLE001 - the user's code; others wait for what comes next
            _log.exception("the callback of a watch failed for %s", change and change.subject)

    def close(self) -> None:
        """End the watch, at the latest after the callback in progress. Idempotent."""
        self._closed = True
