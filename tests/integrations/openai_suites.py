"""The OpenAI Agents SDK's own tests of its SQLite session, run on `GraphmemSession`.

Loaded as a plugin (`-p`), this module puts our session in the place of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

FILES: Final = ("tests/memory/test_session.py", "tests/memory/test_session_limit.py")

EXCEPTIONS: Final[Mapping[str, str]] = {
    name: why
    for why, names in {
        "its connections and threads": (
            "test_sqlite_session_close_closes_worker_thread_connections",
            "test_sqlite_session_reaps_connections_from_exited_worker_threads",
            "test_sqlite_session_closes_retired_connections_before_the_next_allocation",
            "test_sqlite_session_keeps_connections_of_live_worker_threads",
            "test_sqlite_session_closed_rejects_empty_add_items",
            "test_sqlite_session_rollback_failure_evicts_connection",
            "test_sqlite_session_close_retries_quarantined_connection",
            "test_sqlite_session_file_lock_is_shared_across_instances",
        ),
        "its transactions": (
            "test_sqlite_session_failed_add_items_releases_write_lock",
            "test_sqlite_session_failed_clear_session_rolls_back",
            "test_sqlite_session_failed_pop_item_releases_write_lock",
            "test_sqlite_session_post_commit_cancellation_propagates_after_known_outcome",
        ),
        "rows of its table that hold no JSON": (
            "test_sqlite_session_pop_item_skips_corrupt_most_recent",
            "test_sqlite_session_pop_item_returns_none_after_dropping_only_corrupt_rows",
            "test_sqlite_session_get_items_limit_skips_corrupt_newest_rows",
            "test_sqlite_session_get_items_session_settings_limit_skips_corrupt_rows",
        ),
    }.items()
    for name in names
}
"""By the test's name: what of their SQLite session it tests."""


def pytest_configure(config: Any) -> None:
    """Put our session in the place of theirs, before their tests import it."""
    import agents

    import graphmem
    from graphmem.integrations.openai_agents import GraphmemSession

    folders: dict[str, graphmem.Memory] = {}

    class Session(GraphmemSession):
        def __init__(
            self, session_id: str, db_path: object = ":memory:", session_settings: Any = None
        ) -> None:
            path = str(db_path)
            if path == ":memory:":
                memory = graphmem.open(worker="none")
            elif path not in folders:
                memory = folders[path] = graphmem.open(path, worker="none")
            else:
                memory = folders[path]
            super().__init__(memory, session_id, session_settings=session_settings)

        def close(self) -> None:
            """The memory is closed by who opened it."""

    agents.SQLiteSession = Session
