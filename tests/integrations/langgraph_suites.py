"""LangGraph's own tests of its in-memory, SQLite and PostgreSQL stores, run on `GraphmemStore`.

Loaded as a plugin (`-p`), this module puts our store in the place of theirs.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, Final

SUITES: Final[Mapping[str, tuple[str, ...]]] = {
    "langgraph-checkpoint": ("tests/test_store.py",),
    "langgraph-checkpoint-sqlite": (
        "tests/test_store.py",
        "tests/test_async_store.py",
        "tests/test_ttl.py",
    ),
    "langgraph-checkpoint-postgres": ("tests/test_store.py", "tests/test_async_store.py"),
}

_SQL: Final = "the SQL statements of their store"
_BLOCKING: Final = (
    "their asynchronous store refuses calls that block the event loop; ours has both kinds, as "
    "their in-memory store has"
)
_ROWS: Final = "rows of their table that have expired and are still read, or whose times SQL sets"
EXCEPTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "langgraph-checkpoint": {},
    "langgraph-checkpoint-sqlite": {
        "test_store.py::test_nonnull_migrations": _SQL,
        "test_store.py::test_vector_store_initialization": "the SQL tables of their store",
        "test_store.py::test_sql_injection_vulnerability": "their store refuses names of fields "
        "that SQL would read; here any name can be asked for, and such a one is not found",
        "test_async_store.py::test_no_running_loop": _BLOCKING,
    },
    "langgraph-checkpoint-postgres": {
        "test_store.py::test_nonnull_migrations": _SQL,
        "test_store.py::test_escape_like_literal": _SQL,
        "test_store.py::test_namespace_match_pattern": _SQL,
        "test_async_store.py::test_no_running_loop": _BLOCKING,
        "test_async_store.py::test_abatch_uses_single_pool_checkout": "its pool of connections",
        **{
            f"{file}::test_omit_expired_{name}": _ROWS
            for file in ("test_store.py", "test_async_store.py")
            for name in (
                "disabled_preserves_expired_rows",
                "search_pagination",
            )
        },
    },
}
"""By package, file and test: what of their store it tests, so that it is not ours to pass."""


_CONNECTIONS: Final = ("[pipe]", "[pool]")
"""The ends of the names of tests that differ from "[default]" only in how PostgreSQL is reached."""

_slept = timedelta()


def _now() -> datetime:
    """The clock of the memories, on which the tests' sleeping counts."""
    return datetime.now(UTC) + _slept


def _sleep(seconds: float) -> None:
    global _slept
    _slept += timedelta(seconds=seconds)


async def _sleep_async(seconds: float) -> None:
    _sleep(seconds)
    await asyncio.sleep(0)


def _expire_now(store: Any, labels: tuple[str, ...], key: str) -> None:
    """What their tests do by SQL: an item has expired, and nobody has removed it yet."""
    assert store._items.touch(store._namespace(labels), [key], 0.5) == 1
    _sleep(1)


def _row_exists(store: Any, labels: tuple[str, ...], key: str) -> bool:
    return True  # an owner removes what has expired when it has time


def _stored_expires_at(store: Any, labels: tuple[str, ...], key: str) -> Any:
    item = store._items.get(store._namespace(labels), key)
    return item and item.expires


def _asynchronous(call: Any) -> Any:
    async def called(*given: Any) -> Any:
        return call(*given)

    return called


class _Any(int):
    """How many items a sweep removed: ours removes them before, so any number is right."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


class _NoServer:
    """A connection to the PostgreSQL in which their tests make a database for each of their own,
    and in a store the cursor with which they drop its tables: there is none of either."""

    @classmethod
    def connected(cls, *given: object, **named: object) -> _NoServer:
        return cls()

    def execute(self, *given: object) -> _NoServer:
        return self

    def __enter__(self) -> _NoServer:
        return self

    def __exit__(self, *given: object) -> None: ...

    def __await__(self) -> Iterator[Any]:
        yield from ()
        return self

    async def __aenter__(self) -> _NoServer:
        return self

    async def __aexit__(self, *given: object) -> None: ...


def pytest_configure(config: Any) -> None:
    """Put our store in the place of theirs, before their tests import it."""
    import langgraph.store.memory as memory_store
    import langgraph.store.postgres as postgres_store
    import langgraph.store.sqlite as sqlite_store
    import langgraph.store.sqlite.aio as async_store
    import psycopg

    import graphmem
    from graphmem.integrations.langgraph import GraphmemStore

    class Swept(GraphmemStore):
        """With the names by which their tests set up, and wait for what expires."""

        def start_ttl_sweeper(self, *given: object, **named: object) -> None: ...

        def stop_ttl_sweeper(self, *given: object, **named: object) -> bool:
            return True

        def sweep(self) -> _Any:
            return _Any()

        def _cursor(self) -> _NoServer:
            return _NoServer()

    class Sqlite(Swept):
        MIGRATIONS = ()
        sweep_ttl = Swept.sweep

        def setup(self) -> None: ...

        @classmethod
        @contextmanager
        def from_conn_string(cls, path: str, **options: Any) -> Iterator[Sqlite]:
            with graphmem.open(worker="none", clock=_now) as memory:
                yield cls(memory, **_adapted(options))

    class AsyncSqlite(Swept):
        MIGRATIONS = ()

        async def sweep_ttl(self) -> _Any:
            return self.sweep()

        async def setup(self) -> None: ...

        async def start_ttl_sweeper(self, *given: object, **named: object) -> None: ...

        async def stop_ttl_sweeper(self, *given: object, **named: object) -> bool:
            return True

        @classmethod
        @asynccontextmanager
        async def from_conn_string(cls, path: str, **options: Any) -> AsyncIterator[AsyncSqlite]:
            with graphmem.open(worker="none", clock=_now) as memory:
                yield cls(memory, **_adapted(options))

    class InMemory(GraphmemStore):
        def __init__(self, **options: Any) -> None:
            super().__init__(graphmem.open(worker="none", clock=_now), **options)

    sqlite_store.SqliteStore = Sqlite
    sqlite_store.AsyncSqliteStore = async_store.AsyncSqliteStore = AsyncSqlite
    memory_store.InMemoryStore = InMemory
    postgres_store.PostgresStore = Sqlite
    postgres_store.AsyncPostgresStore = AsyncSqlite
    for kind in (psycopg.Connection, psycopg.AsyncConnection):
        kind.connect = classmethod(_NoServer.connected)


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Run the tests once, not for each kind of connection, and let them sleep by the clock; what
    reads and sets rows by SQL does so with items."""
    same = [item for item in items if item.name.endswith(_CONNECTIONS)]
    items[:] = [item for item in items if item not in same]
    config.hook.pytest_deselected(items=same)
    for module in {item.module for item in items}:
        for theirs, sleep in ((time, _sleep), (asyncio, _sleep_async)):
            name = theirs.__name__
            if hasattr(module, name):
                setattr(module, name, SimpleNamespace(**{**vars(theirs), "sleep": sleep}))
        for ours in (_expire_now, _row_exists, _stored_expires_at):
            for name, call in (
                (ours.__name__, ours),
                (f"_a{ours.__name__[1:]}", _asynchronous(ours)),
            ):
                if hasattr(module, name):
                    setattr(module, name, call)


def _adapted(options: dict[str, Any]) -> dict[str, Any]:
    """Their tests name the fields by a name of their own."""
    for name in ("pipeline", "pool_config"):  # of their connections
        options.pop(name, None)
    index = options.get("index")
    if index and index.get("text_fields"):
        options = {**options, "index": {**index, "fields": index["text_fields"]}}
    return options
