"""The tables of a home, and every statement that is run on them, in the SQL that PostgreSQL,
CockroachDB, YugabyteDB and SQLite share. `{now}` is the server's clock, in seconds since 1970."""

from __future__ import annotations

from dataclasses import fields
from typing import Final

from graphmem.storage.homes.home import UNFINISHED, Stay

ASKED: Final = 100
"""Memories in one statement."""
_COLUMNS: Final = ", ".join(field.name for field in fields(Stay))
TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS graphmem_home (home {uuid} PRIMARY KEY, created {time} NOT NULL)",
    "CREATE TABLE IF NOT EXISTS graphmem_host (host {uuid} PRIMARY KEY, name text NOT NULL,"
    " address text, until {time} NOT NULL)",
    "CREATE TABLE IF NOT EXISTS graphmem_memory (memory {uuid} PRIMARY KEY,"
    " name text NOT NULL UNIQUE, epoch bigint NOT NULL, host {uuid}, position bigint NOT NULL,"
    " snapshot bigint NOT NULL, snapshot_epoch bigint NOT NULL, snapshot_id bigint NOT NULL,"
    " form text NOT NULL, made bigint NOT NULL, parts bigint NOT NULL, folder text,"
    " bytes bigint NOT NULL, log_bytes bigint NOT NULL, erased bigint NOT NULL,"
    " generation bigint NOT NULL, moved text, format bigint NOT NULL, created {time} NOT NULL,"
    " changed {time} NOT NULL)",
    "CREATE TABLE IF NOT EXISTS graphmem_log (memory {uuid} NOT NULL, position bigint NOT NULL,"
    " part bigint NOT NULL, first bigint NOT NULL, epoch bigint NOT NULL, id bigint NOT NULL,"
    " content {bytes} NOT NULL, PRIMARY KEY (memory, position, part))",
    "CREATE TABLE IF NOT EXISTS graphmem_snapshot (memory {uuid} NOT NULL,"
    " position bigint NOT NULL, made bigint NOT NULL, part bigint NOT NULL,"
    " content {bytes} NOT NULL, PRIMARY KEY (memory, position, made, part))",
    # The prefix of our objects, by the place of the database: a copy elsewhere has another.
    "CREATE TABLE IF NOT EXISTS graphmem_prefix (place text PRIMARY KEY, prefix {uuid} NOT NULL,"
    " created {time} NOT NULL)",
    # Each folder of objects that was begun here, and when it was last referred to, after which it
    # is kept for a while; in the future while its parts are written.
    "CREATE TABLE IF NOT EXISTS graphmem_folder (folder text PRIMARY KEY, named {time} NOT NULL)",
)
"""The tables that `make` creates; {…} are the types of a database."""

_NAMES: Final = [table.split()[5] for table in TABLES]
_LIVE: Final = (
    "EXISTS (SELECT 1 FROM graphmem_host h WHERE h.host = graphmem_memory.host AND h.until > {now})"
)
STATEMENTS: Final = {
    # Reads all tables, so that a missing one is detected now and not during a write.
    "home": "SELECT home FROM graphmem_home WHERE"
    f" {' AND '.join(f'NOT EXISTS (SELECT 1 FROM {name} WHERE 1 = 0)' for name in _NAMES)}"
    " ORDER BY created, home LIMIT 1",
    "make": "INSERT INTO graphmem_home (home, created) VALUES (%s, {now})",
    "renew": "INSERT INTO graphmem_host (host, name, address, until)"
    " VALUES (%s, %s, %s, {now} + %s) ON CONFLICT (host) DO UPDATE SET until = excluded.until",
    "end": "DELETE FROM graphmem_host WHERE host = %s",
    "states": "SELECT memory, epoch, erased FROM graphmem_memory WHERE memory IN ("
    + ", ".join(["%s"] * ASKED)
    + ")",
    "take": "UPDATE graphmem_memory SET epoch = epoch + %s, host = %s,"
    f" form = CASE WHEN %s AND position = 0 THEN '{UNFINISHED}' ELSE form END WHERE name = %s"
    " AND format <= %s AND moved IS NULL AND (generation = 0 OR %s)"
    f" AND (form <> '{UNFINISHED}' OR %s)"
    f" AND (host IS NULL OR host = %s OR %s OR NOT {_LIVE}) RETURNING {_COLUMNS}",
    "new": "INSERT INTO graphmem_memory (memory, name, epoch, host, position, snapshot,"
    " snapshot_epoch, snapshot_id, form, made, parts, folder, bytes, log_bytes, erased,"
    " generation, moved, format, created, changed) VALUES (%s, %s, 1, %s, 0, 0, 0, 0, %s, 0, 0,"
    " NULL, 0, 0, 0, 0, NULL, %s, {now}, {now}) ON CONFLICT (name) DO NOTHING"
    f" RETURNING {_COLUMNS}",
    "look": f"SELECT {_COLUMNS} FROM graphmem_memory WHERE name = %s",
    "look again": f"SELECT {_COLUMNS} FROM graphmem_memory WHERE memory = %s",
    # Finds a name that a damaged index hides, by the checksum in the id.
    "alike": "SELECT a.memory, a.name, EXISTS (SELECT 1 FROM graphmem_memory m"
    " WHERE m.name = a.name) FROM graphmem_memory a WHERE a.memory >= %s AND a.memory <= %s",
    "holder": "SELECT h.name, h.address, h.until - {now} FROM graphmem_memory m"
    " JOIN graphmem_host h ON h.host = m.host WHERE m.name = %s",
    "leave": "UPDATE graphmem_memory SET host = NULL WHERE memory = %s AND epoch = %s",
    # For each write: one statement where the database allows it, so one round trip.
    "append": "WITH mine AS (UPDATE graphmem_memory SET position = %s, log_bytes = log_bytes + %s,"
    " changed = {now} WHERE memory = %s AND epoch = %s AND position = %s RETURNING memory)"
    " INSERT INTO graphmem_log (memory, position, part, first, epoch, id, content)"
    " SELECT memory, %s, 0, %s, %s, %s, %s FROM mine",
    "advance": "UPDATE graphmem_memory SET position = %s, log_bytes = log_bytes + %s,"
    " changed = {now} WHERE memory = %s AND epoch = %s AND position = %s",
    "add": "INSERT INTO graphmem_log (memory, position, part, first, epoch, id, content)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s)",
    "place": "SELECT position, epoch, id FROM graphmem_log WHERE memory = %s AND position = %s"
    " AND part = 0",
    "tail": "SELECT first, position, epoch, id, content FROM graphmem_log WHERE memory = %s"
    " AND position > %s ORDER BY position, part",
    "put part": "INSERT INTO graphmem_snapshot (memory, position, made, part, content)"
    " VALUES (%s, %s, %s, %s, %s) ON CONFLICT (memory, position, made, part)"
    " DO UPDATE SET content = excluded.content",
    "count parts": "SELECT count(*) FROM graphmem_snapshot WHERE memory = %s AND position = %s"
    " AND made = %s",
    "show": "UPDATE graphmem_memory SET snapshot = %s, snapshot_epoch = %s, snapshot_id = %s,"
    " form = %s, made = %s, parts = %s, folder = %s, bytes = %s, log_bytes = (SELECT"
    " coalesce(sum(length(content)), 0) FROM graphmem_log WHERE memory = %s AND position > %s),"
    " erased = CASE WHEN %s THEN %s ELSE erased END, generation = %s, changed = {now}"
    " WHERE memory = %s AND epoch = %s AND position >= %s AND snapshot <= %s AND erased <= %s"
    " RETURNING log_bytes",
    "cut log": "DELETE FROM graphmem_log WHERE memory = %s AND position <= %s",
    "cut parts": "DELETE FROM graphmem_snapshot WHERE memory = %s"
    " AND NOT (position = %s AND made = %s)",
    "drop parts": "DELETE FROM graphmem_snapshot WHERE memory = %s AND position = %s AND made = %s",
    "get parts": "SELECT content FROM graphmem_snapshot WHERE memory = %s AND position = %s"
    " AND made = %s AND part >= %s AND part < %s ORDER BY part",
    # A memory without a write, as of a failed adoption, is listed only while it is held.
    "list": "SELECT m.memory, m.name, h.name, m.host IS NOT NULL, coalesce(h.until > {now}, 1 = 0),"
    " m.bytes, m.log_bytes, m.position, m.changed FROM graphmem_memory m LEFT JOIN"
    " graphmem_host h ON h.host = m.host WHERE m.name > %s AND substr(m.name, 1, %s) = %s"
    " AND (m.position > 0 OR h.until > {now})"
    " ORDER BY m.name LIMIT %s",
    "move": "UPDATE graphmem_memory SET moved = %s WHERE memory = %s AND epoch = %s",
    "erase memory": "DELETE FROM graphmem_memory WHERE memory = %s",
    "erase log": "DELETE FROM graphmem_log WHERE memory = %s",
    "erase parts": "DELETE FROM graphmem_snapshot WHERE memory = %s",
    "prefixes": "SELECT place, prefix FROM graphmem_prefix ORDER BY created",
    "add prefix": "INSERT INTO graphmem_prefix (place, prefix, created) VALUES (%s, %s, {now})"
    " ON CONFLICT (place) DO NOTHING",
    "drop prefix": "DELETE FROM graphmem_prefix WHERE place = %s",
    "begin folder": "INSERT INTO graphmem_folder (folder, named) VALUES (%s, {now} + %s)"
    " ON CONFLICT (folder) DO NOTHING",
    "name folder": "UPDATE graphmem_folder SET named = {now} + %s WHERE folder = %s",
    "clean folders": "DELETE FROM graphmem_folder WHERE substr(folder, 1, %s) = %s"
    " AND named <= {now} - %s AND NOT EXISTS (SELECT 1 FROM graphmem_memory m"
    " WHERE m.folder = graphmem_folder.folder) RETURNING folder",
    # Not of memories with a live owner, who may be writing one, and cleans up itself.
    "clean parts": "DELETE FROM graphmem_snapshot WHERE NOT EXISTS (SELECT 1 FROM graphmem_memory m"
    " LEFT JOIN graphmem_host h ON h.host = m.host AND h.until > {now}"
    " WHERE m.memory = graphmem_snapshot.memory AND (h.host IS NOT NULL"
    " OR (m.snapshot = graphmem_snapshot.position AND m.made = graphmem_snapshot.made)))",
    "clean log": "DELETE FROM graphmem_log WHERE NOT EXISTS (SELECT 1 FROM graphmem_memory m"
    " WHERE m.memory = graphmem_log.memory)",
    "clean hosts": "DELETE FROM graphmem_host WHERE until < {now} - %s",
}
