"""The lease of this process in a home, and the memories that it has taken there."""

from __future__ import annotations

import logging
import os
import socket
import time
import uuid
from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Final

from graphmem.errors import AlreadyOpenError, GraphMemError, StorageError
from graphmem.storage.homes.home import LEASE, Stay
from graphmem.storage.homes.sql import SqlHome

_BEATS: Final = 3  # renewals in the time of a lease
_log = logging.getLogger("graphmem.home")


class Lease:
    """Keeps the lease of this process while it has memories; any thread may call it. Every 5
    seconds one row of the home is renewed and the epochs of all are read, so that a process
    that only reads learns that another has taken a memory."""

    def __init__(self, home: SqlHome, address: str | None = None) -> None:
        self.name: Final = f"{socket.gethostname()}:{os.getpid()}"
        self._host: Final = str(uuid.uuid4())
        self._home = home
        self._address = address
        self._lock = Lock()
        self._taken: dict[str, tuple[Stay, Callable[[], None]]] = {}
        """Name → stay, and the function to call when another process has taken it."""
        self._names: set[str] = set()  # also those that are being taken
        self._left: list[Stay] = []  # not given back yet, because the home was unreachable
        self._kept: set[str] = set()  # names of closed ones that are not given back, see `keep`
        self._renewed = 0.0
        self._stop = Event()
        self._thread: Thread | None = None

    @property
    def age(self) -> float:
        """Seconds since the lease was last renewed."""
        return time.monotonic() - self._renewed

    @property
    def is_needed(self) -> bool:
        """Whether this process has memories, or is taking one."""
        return bool(self._names)

    def take(
        self, name: str, *, force: bool, create: bool, encrypted: bool, upload: bool = False
    ) -> Stay:
        """See `SqlHome.take`. Also raises AlreadyOpenError if this process has the memory."""
        with self._lock:
            if name in self._names:
                raise AlreadyOpenError(
                    name, os.getpid(), f"{name!r} is open in this process: use it, or close it"
                )
            self._names.add(name)
        try:
            if self.age > LEASE / _BEATS:
                self._renew()
            stay = self._home.take(
                name, self._host, force=force, create=create, encrypted=encrypted, upload=upload
            )
        except BaseException:
            self._names.discard(name)
            raise
        with self._lock:
            if force or upload:
                self._kept.discard(name)
            self._taken[name] = stay, lambda: None
            if self._thread is None:
                self._stop.clear()
                self._thread = Thread(target=self._run, name="graphmem-lease", daemon=True)
                self._thread.start()
        return stay

    def when_lost(self, stay: Stay, call: Callable[[], None]) -> None:
        """Have another thread call `call` when another process has taken a memory."""
        with self._lock:
            self._kept.discard(stay.name)
            self._taken[stay.name] = stay, call

    def keep(self, stay: Stay) -> None:
        """Close a memory without giving it back, because its cache has writes that the home lacks:
        others need force while the lease lasts, and this process can take it again. It is kept
        until it is opened, or taken by force or to be replaced."""
        with self._lock:
            self._taken.pop(stay.name, None)
            self._kept.add(stay.name)
            self._names.discard(stay.name)

    def leave(self, stay: Stay) -> None:
        """Give a memory back unless it is kept, or forget that it was ours. Raises like
        `SqlHome.leave`; then it is given back when the home can be reached again."""
        with self._lock:
            self._taken.pop(stay.name, None)
        try:
            if stay.name not in self._kept:
                self._home.leave(stay)
        except StorageError:
            self._left.append(stay)
            raise
        finally:
            self._names.discard(stay.name)

    def close(self) -> None:
        """End the lease and its thread; while a memory is kept it ends by itself. Idempotent."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._stop.set()
        if thread is not None:
            thread.join()
            try:
                if not self._kept:
                    self._home.end(self._host)
            except GraphMemError as error:
                _log.info("the lease of %s ends by itself: %s", self.name, error)

    def _renew(self) -> None:
        begun = time.monotonic()
        self._home.renew(self._host, self.name, self._address)
        self._renewed = begun

    def _run(self) -> None:
        renewed = True
        while not self._stop.wait(LEASE / _BEATS):
            with self._lock:
                # The next `take` starts a new thread; the lease ends by itself.
                if not (self._names or self._left or self._kept):
                    self._thread = None
                    return
            try:
                self._beat()
            except GraphMemError as error:
                if renewed:  # one warning for each outage
                    _log.warning("the lease of %s was not renewed: %s", self.name, error)
                renewed = False
            else:
                if not renewed:
                    _log.warning("the lease of %s is renewed again", self.name)
                renewed = True

    def _beat(self) -> None:
        self._renew()
        while self._left:
            self._home.leave(self._left[0])
            del self._left[0]
        with self._lock:
            taken = list(self._taken.values())
        now = self._home.states([stay.memory for stay, _ in taken])
        for stay, lost in taken:
            if now.get(stay.memory, (0, 0))[0] != stay.epoch:
                lost()
