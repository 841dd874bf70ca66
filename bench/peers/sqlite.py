"""SQLite as its documentation recommends: WAL, one transaction a write, covering indexes, FTS5."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from bench.peers.peer import DAMPING, DECAY, AbsentError, InProcess, Item, Link, Walk, folder_bytes

# The key of `link` finds a link from either end and guards it; `out` covers all walking, strongest
# first. Nothing is stored twice without a use.
_SCHEMA: Final = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA cache_size = -65536;
CREATE TABLE IF NOT EXISTS node (
    id INTEGER PRIMARY KEY, content TEXT, phrase TEXT, created INTEGER, uses INTEGER);
CREATE TABLE IF NOT EXISTS keyword (
    node INTEGER, word TEXT, PRIMARY KEY (node, word)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS of_word ON keyword (word, node);
CREATE TABLE IF NOT EXISTS link (
    target INTEGER, source INTEGER, relation INTEGER, strength REAL,
    PRIMARY KEY (target, source, relation)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS out ON link (source, strength DESC, target);
"""
_WORDS: Final = """
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
    content, content='node', content_rowid='id', tokenize='porter unicode61');
"""
_WALK: Final = """
WITH RECURSIVE walk(node, hop, score) AS (
    VALUES {focus}
    UNION ALL
    SELECT link.target, hop + 1, score * {damping} * link.strength
    FROM walk JOIN link ON link.source = walk.node {strongest}
    WHERE hop < 2)
SELECT node, sum(score) FROM walk WHERE hop > 0 GROUP BY node
"""
_STRONGEST: Final = """AND link.strength >= coalesce((
    SELECT strength FROM link WHERE source = walk.node
    ORDER BY strength DESC LIMIT 1 OFFSET {most} - 1), 0)"""


class SQLite(InProcess):
    """One file."""

    def __init__(self, path: Path, *, words: bool) -> None:
        self.name = f"sqlite {sqlite3.sqlite_version}{'+fts5' if words else ''}"
        self.operations = frozenset({"write", "delete"})
        if not words:
            self.operations |= {"read", "neighbours", "two_hop", "decay", "link"}
        self._words = words
        self._path = path
        self._path.mkdir()
        self._open()

    def _open(self) -> None:
        self._connection = sqlite3.connect(self._path / "memory.db", isolation_level=None)
        self._execute = self._connection.execute
        try:
            self._connection.executescript(_SCHEMA + (_WORDS if self._words else ""))
        except sqlite3.OperationalError as error:
            self._connection.close()
            raise AbsentError(f"this Python's SQLite lacks something: {error}") from error

    def write(self, item: Item) -> None:
        """One transaction."""
        self._execute("BEGIN")
        row = (item.id, item.content, item.phrase, item.created)
        self._execute("INSERT INTO node VALUES (?, ?, ?, ?, 0)", row)
        many = self._connection.executemany
        many("INSERT INTO keyword VALUES (?, ?)", [(item.id, word) for word in item.keywords])
        many("INSERT INTO link VALUES (?, ?, 1, ?)", [(t, s, value) for s, t, value in item.links])
        if self._words:
            self._execute("INSERT INTO words (rowid, content) VALUES (?, ?)", row[:2])
        self._execute("COMMIT")

    def read(self, node: int) -> tuple[str, str, list[str]]:
        """Two statements."""
        found = self._execute("SELECT content, phrase FROM node WHERE id = ?", (node,)).fetchone()
        words = self._execute("SELECT word FROM keyword WHERE node = ?", (node,)).fetchall()
        return found[0], found[1], sorted(word for (word,) in words)

    def neighbours(self, node: int) -> dict[int, float]:
        """One covering range."""
        return dict(self._execute("SELECT target, strength FROM link WHERE source = ?", (node,)))

    def two_hop(self, walk: Walk) -> dict[int, float]:
        """One recursive query."""
        most = walk.strongest
        query = _WALK.format(
            focus=", ".join(["(?, 0, 1.0)"] * len(walk.focus)),
            damping=DAMPING,
            strongest="" if most is None else _STRONGEST.format(most=most),
        )
        return dict(self._execute(query, walk.focus))

    def decay(self, _: None) -> None:
        """One statement."""
        self._execute("UPDATE link SET strength = strength * ?", (DECAY,))

    def delete(self, node: int) -> None:
        """One transaction."""
        self._execute("BEGIN")
        if self._words:
            self._execute(
                "INSERT INTO words (words, rowid, content) "
                "SELECT 'delete', id, content FROM node WHERE id = ?",
                (node,),
            )
        self._execute("DELETE FROM node WHERE id = ?", (node,))
        self._execute("DELETE FROM keyword WHERE node = ?", (node,))
        self._execute(
            "DELETE FROM link WHERE (target, source, relation) IN "
            "(SELECT target, source, relation FROM link WHERE source = ?)",
            (node,),
        )
        self._execute("COMMIT")

    def link(self, links: list[Link]) -> None:
        """One transaction."""
        self._execute("BEGIN")
        rows = [(target, source, value) for source, target, value in links]
        self._connection.executemany("INSERT INTO link VALUES (?, ?, 1, ?)", rows)
        self._execute("COMMIT")

    def settle(self) -> int:
        """See `Peer.settle`."""
        self._connection.executescript("VACUUM; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE);")
        self.close()
        size = folder_bytes(self._path)
        self._open()
        return size

    def close(self) -> None:
        """See `Peer.close`."""
        self._connection.close()
