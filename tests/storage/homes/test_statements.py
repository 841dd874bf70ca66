"""The SQL of a home is what PostgreSQL, CockroachDB and YugabyteDB document, and nothing else."""

import ast
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from graphmem.storage.homes import postgres, sql
from graphmem.storage.homes.home import PATIENCE
from graphmem.storage.homes.objects import Objects
from graphmem.storage.homes.sql import Connection, SqlHome
from graphmem.storage.homes.sqlite import Sqlite
from graphmem.storage.homes.statements import STATEMENTS, TABLES
from tests.storage.homes.machine import Machine

T = TypeVar("T")

WORDS = set(
    """
    SELECT FROM WHERE AND OR NOT IN IS NULL EXISTS JOIN LEFT ON ORDER BY LIMIT AS CASE WHEN THEN
    ELSE END INSERT INTO VALUES CONFLICT DO NOTHING UPDATE SET DELETE RETURNING WITH CREATE TABLE IF
    PRIMARY KEY UNIQUE
    """.split()
)
"""Each is in the reference of the three: cockroachlabs.com/docs (common-table-expressions, insert,
update, delete, select-clause, create-table), docs.yugabyte.com (api/ysql/the-sql-language)."""
FUNCTIONS = {"count", "sum", "coalesce", "substr", "length", "extract", "now"}


@pytest.mark.parametrize("statement", [*STATEMENTS.values(), *TABLES])
def test_a_statement_uses_what_all_document(statement: str) -> None:
    """LISTEN, advisory locks and functions of one server would tie a home to it, and session state
    would break behind a pooler."""
    text = statement.replace("{now}", postgres._DIALECT.now)
    assert set(re.findall(r"\b[A-Z]{2,}\b", text)) <= WORDS
    called = set(re.findall(r"\b([a-z_]+) ?\(", text)) - {"graphmem_host", "graphmem_home"}
    tables = {name for name in called if name.startswith("graphmem_")}
    assert called - tables - {"mine"} <= FUNCTIONS, called
    writes = re.findall(r"\b(INSERT INTO|UPDATE|DELETE FROM) (graphmem_\w+)", text)
    assert len({table for _, table in writes}) == len(writes)  # cockroach#70731: one a table
    assert ";" not in text


def test_there_is_no_other_statement() -> None:
    """One that is written elsewhere is one that no test looks at."""
    literal = [
        f"{path.name}:{node.lineno}"
        for path in Path(sql.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.match(
            r"(SELECT|INSERT|UPDATE|DELETE|WITH|ALTER|CREATE|DROP|LISTEN|SET) ", node.value
        )
        and path.name != "statements.py"
    ]
    assert literal == []


class Recording(Sqlite):
    """Notes what is run."""

    def __init__(self) -> None:
        super().__init__(None)
        self.run: set[str] = set()

    def doing(
        self, act: Callable[[Connection], T], patience: float = PATIENCE, *, beat: bool = False
    ) -> T:
        def noted(c: Connection) -> T:
            return act(Noting(c, self.run))  # type: ignore[arg-type]

        return super().doing(noted, patience, beat=beat)


class Noting:
    def __init__(self, connection: Connection, run: set[str]) -> None:
        self._connection, self._run = connection, run
        self.transaction = connection.transaction

    def execute(self, query: str, values: Sequence[Any] = (), /) -> Any:
        self._run.add(query)
        return self._connection.execute(query, values)


def test_what_runs_is_in_the_table(tmp_path: Path) -> None:
    """A life of a memory runs no statement that is not declared, and leaves none untried but that
    of servers which write within WITH."""
    server = Recording()
    home = SqlHome(server, Objects(f"file://{tmp_path / 'objects'}"))
    home.make()
    home.make(same=False)
    home.home_id()
    one, two = Machine(home, tmp_path / "1"), Machine(home, tmp_path / "2")
    engine = one.open()
    engine.commit({b"\0\0\0\1a": b"1"}, sync=True)
    one.lease._beat()
    assert home.owner("m") is not None
    engine.compact(b"\0\0\0\1", b"\0\0\0\2")
    objects, home._objects = home._objects, None
    engine._put_snapshot(erases=False)
    home._objects = objects
    home.place_at(engine._stay.memory, 1)
    taken = two.open(force=True)
    home.move(taken._stay, "elsewhere")
    home.listed("", None, 10)
    home.look("m", taken._stay.memory)
    taken.close()
    engine.close()
    home.erase("m")
    home.clean(0)
    one.lease.close()
    two.lease.close()
    declared = {
        text.replace("{now}", server.dialect.now): name for name, text in STATEMENTS.items()
    }
    own = {query for query in server.run if not query.startswith(("CREATE TABLE", "PRAGMA"))}
    assert own <= set(declared)
    assert {declared[query] for query in set(declared) - own} == {"append", "drop parts"}
