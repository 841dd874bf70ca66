"""Connections to PostgreSQL, or to databases with its protocol, by psycopg."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import suppress
from errno import EIO, ENOENT
from threading import BoundedSemaphore
from typing import Any, Final, TypeVar, cast

import psycopg
from psycopg import errors as pg
from psycopg import pq
from psycopg.conninfo import conninfo_to_dict

from graphmem.errors import MissingError, StorageError
from graphmem.storage.homes.home import PATIENCE
from graphmem.storage.homes.sql import Connection, Dialect, Server

T = TypeVar("T")

MOST: Final = 4
"""Connections of a process, without the one of its lease."""
_FIRST_WAIT: Final = 0.02  # seconds before a second try, …
_LONGEST_WAIT: Final = 0.5  # … and at most between two
_DIALECT: Final = Dialect(
    now="extract(epoch FROM now())",
    uuid="uuid",
    bytes="bytea",
    time="double precision",
    writes_in_with=True,
    trusts=False,
)


_PASSING: Final = (
    psycopg.OperationalError,  # also 40001, asked for by CockroachDB, and 40003, a lost answer
    psycopg.InterfaceError,
    pg.ReadOnlySqlTransaction,  # a standby that is about to become the primary
)


_BUSY: Final = (pg.SerializationFailure, pg.ConnectionTimeout)
"""Errors after which a call is repeated even if none has succeeded yet."""


class _SilentError(psycopg.OperationalError):
    """Raised when a server does not answer."""


class _Connection(psycopg.Connection[Any]):
    """Closes itself when the server has neither taken nor sent anything for `patience` seconds. The
    kernel of a stopped server still answers keepalives, so these do not detect it."""

    patience = PATIENCE

    def wait(self, gen: Generator[Any, Any, T], *given: Any, **named: Any) -> T:
        return super().wait(self._watched(gen), *given, **named)

    def _watched(self, gen: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        """The steps of `gen`; one without news comes every 0.1 seconds."""
        last = time.monotonic()
        try:
            asked = next(gen)
            while True:
                news = yield asked
                if news:
                    last = time.monotonic()
                elif time.monotonic() > last + self.patience:
                    self.close()
                    raise _SilentError("nothing was heard from it in time")
                asked = gen.send(news)
        except StopIteration as end:
            return cast(T, end.value)


class _Connections:
    """At most `most` connections, each used by one call at a time."""

    def __init__(self, url: str, most: int) -> None:
        self._url = url
        self._free: list[_Connection] = []
        self._slots = BoundedSemaphore(most)

    def once(self, act: Callable[[Connection], T], patience: float) -> T:
        """Call `act` with a connection, which is closed if it raises."""
        if not self._slots.acquire(timeout=patience):
            raise _SilentError("all connections of this process wait for it")
        try:
            raw = self._taken() or self._connected()
            raw.patience = patience
            try:
                result = act(cast(Connection, raw))
            except BaseException:
                raw.close()
                raise
            self._free.append(raw)
            return result
        finally:
            self._slots.release()

    @property
    def are_free(self) -> bool:
        """Whether the next call reuses a connection."""
        return bool(self._free)

    def _connected(self) -> _Connection:
        return _Connection.connect(
            self._url,
            autocommit=True,
            prepare_threshold=None,  # a pooler may give each transaction another connection
            connect_timeout=3,
            keepalives_idle=5,
            keepalives_interval=2,
            keepalives_count=2,
            tcp_user_timeout=5000,
        )

    def _taken(self) -> _Connection | None:
        try:
            return self._free.pop()
        except IndexError:
            return None

    def close(self) -> None:
        while (raw := self._taken()) is not None:
            raw.close()


class Postgres(Server):
    """See `sql.Server`. It neither creates nor wipes files: see docs/home.md for what is left."""

    dialect = _DIALECT

    def __init__(self, url: str) -> None:
        self.place = _place(url)
        self._calls = _Connections(url, MOST)
        self._beat = _Connections(url, 1)
        self._reached = False

    def doing(
        self, act: Callable[[Connection], T], patience: float = PATIENCE, *, beat: bool = False
    ) -> T:
        """See `sql.Server.doing`. If the server is silent for half of `patience`, the call is
        repeated on another connection."""
        connections = self._beat if beat else self._calls
        end, wait = time.monotonic() + patience, _FIRST_WAIT
        while True:
            left = max(end - time.monotonic(), _FIRST_WAIT)
            is_old = connections.are_free  # it may have broken while nobody used it
            try:
                result = connections.once(act, min(left, patience / 2))
                self._reached = True
                return result
            except pg.UndefinedTable as error:
                raise MissingError(
                    ENOENT, "the home is not made yet: graphmem home make", "graphmem"
                ) from error
            except _PASSING as error:
                again = self._reached or is_old or isinstance(error, _BUSY)
                if not again or time.monotonic() + wait > end:
                    raise _as_ours(error) from error
            except psycopg.Error as error:
                raise _as_ours(error) from error
            with suppress(psycopg.Error):
                connections.close()  # the idle ones have most likely broken too
            time.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT)

    def doubt(self) -> None:
        """See `sql.Server.doubt`."""
        self._reached = False

    def close(self) -> None:
        self._calls.close()
        self._beat.close()


def _as_ours(error: psycopg.Error) -> StorageError:
    if isinstance(error, _SilentError | pg.ConnectionTimeout):
        what = "does not answer"
    elif error.sqlstate is not None or "FATAL:" in str(error):  # connection errors have no sqlstate
        what = "refuses"
    else:
        what = "cannot be reached"
    return StorageError(EIO, f"the home {what} ({str(error).strip():.200})")


def _place(url: str) -> str:
    """The address of the database of a URL, completed from the environment."""
    given = {
        each.keyword.decode(): each.val.decode()
        for each in pq.Conninfo.get_defaults()
        if each.val is not None
    } | conninfo_to_dict(url)
    names = ("service", "host", "hostaddr", "port", "dbname")
    return " ".join(f"{name}={given[name]}" for name in names if name in given)
