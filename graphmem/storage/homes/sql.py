"""A home in a SQL database.

Every statement is in `statements`. They use no LISTEN, advisory lock, trigger, session state or
server function except the clock, so that a pooler may give each transaction another connection.
"""

from __future__ import annotations

import logging
import os
import random
import socket
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from errno import EIO, ENOENT
from itertools import groupby
from typing import Any, Final, Protocol, TypeVar

from graphmem.errors import (
    AlreadyOpenError,
    FencedError,
    ForkedError,
    InvalidArgumentError,
    MissingError,
    MovedError,
    StorageError,
)
from graphmem.storage.homes.home import (
    FORMAT,
    KEYS,
    LEASE,
    PART,
    PATIENCE,
    UNFINISHED,
    Place,
    ReplacedError,
    Row,
    Snapshot,
    Stay,
)
from graphmem.storage.homes.objects import Objects
from graphmem.storage.homes.rows import checked, ids, new_id, unlike
from graphmem.storage.homes.statements import ASKED, STATEMENTS, TABLES
from graphmem.values.checks import is_blank
from graphmem.values.homes import HomeMemory, Owner

T = TypeVar("T")

_log = logging.getLogger("graphmem.home")
_QUICK: Final = 2.0  # seconds for calls that only save others a wait
_PAGE: Final = 8  # parts of a snapshot, or 16 MB rows of a log at most, that are fetched at once
_STEP: Final = 31  # bits of the number that `take` adds to an epoch of 63 bits
_CLEANING: Final = 3600.0  # seconds for the statements of `clean`, which read whole tables
_UPLOAD: Final = 60.0  # seconds that a folder of objects counts as in use after each of its parts
_DEAD: Final = 86_400.0  # seconds after which the row of a process that died is deleted


class Cursor(Protocol):
    @property
    def rowcount(self) -> int: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...


class Connection(Protocol):
    def execute(self, query: str, values: Sequence[Any] = (), /) -> Cursor:
        """Run one statement with %s placeholders."""
        ...

    def transaction(self) -> AbstractContextManager[object]:
        """Several statements as one, all or nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Dialect:
    """The parts of SQL in which databases differ."""

    now: str
    uuid: str
    bytes: str
    time: str
    writes_in_with: bool
    """Whether a WITH may contain a statement that writes."""
    trusts: bool
    """Whether it trusts its files, so that a damaged index may hide a row."""


class Server(Protocol):
    """The connections to a database; methods that it does not need do nothing."""

    dialect: Dialect
    place: str
    """Where the database is, without a user and a password."""

    def begin(self) -> None:
        """Create the file of the database, if it has one of ours."""
        return

    def doing(
        self, act: Callable[[Connection], T], patience: float = PATIENCE, *, beat: bool = False
    ) -> T:
        """Call the idempotent `act`, repeatedly while the database cannot be reached or does not
        answer. beat: on a separate connection, for which nobody waits. Raises StorageError."""
        ...

    def doubt(self) -> None:
        """Until a call succeeds, fail at once if a connection is refused, as at first."""
        return

    def close(self) -> None: ...

    def wipe(self) -> None:
        """Remove deleted bytes from the files of the database, if they are ours."""
        return


class SqlHome:
    """A home. Any thread may call it. A call is repeated while the home cannot be reached, or is
    silent, for up to `PATIENCE`; then it raises `StorageError`; in a forked child `ForkedError`."""

    def __init__(self, server: Server, objects: Objects | None = None) -> None:
        """objects: where snapshots go; None: into a table."""
        self._server = server
        self._objects = objects
        self._prefix: str | None = None
        self._pid = os.getpid()
        self._sql = {
            name: text.replace("{now}", server.dialect.now) for name, text in STATEMENTS.items()
        }

    # -- the home ---------------------------------------------------------------------------------

    def home_id(self) -> str:
        """The id of the home. Raises MissingError if the home was not made, or a table is missing,
        and StorageError if its bucket is missing."""
        if self._objects is not None:
            self._objects.require()
        if (found := self._rows("home")) == []:
            raise MissingError(ENOENT, "the home is not made yet: graphmem home make", "graphmem")
        return str(found[0][0])

    def make(self, *, same: bool | None = None) -> None:
        """Create missing tables, and for new objects in file:///… their folder. same: whether the
        database is the one that had another URL before (True), or a copy of it (False), whose
        objects then get other names; None: neither."""
        self._server.begin()
        place, dialect = self._server.place, self._server.dialect
        tables = [
            text.format(uuid=dialect.uuid, bytes=dialect.bytes, time=dialect.time)
            for text in TABLES
        ]

        def act(c: Connection) -> None:
            for statement in tables:
                c.execute(statement, ())
            with c.transaction():
                if not self._asked(c, "home"):
                    c.execute(self._sql["make"], (str(uuid.uuid4()),))
            if same is None:
                return
            with c.transaction():
                found = self._asked(c, "prefixes")
                others = [prefix for at, prefix in found if at != place]
                c.execute(self._sql["drop prefix"], (place,))
                prefix = others[-1] if same and others else str(uuid.uuid4())
                c.execute(self._sql["add prefix"], (place, prefix))

        self._doing(act)
        if self._objects is not None:
            if not self._rows("prefixes"):
                self._objects.make()
            self._objects.require()

    def doubt(self) -> None:
        """See `Server.doubt`."""
        self._server.doubt()

    def close(self) -> None:
        if os.getpid() == self._pid:
            self._server.close()

    # -- leases: one row a process, however many memories it has -------------------------------

    def renew(self, host: str, name: str, address: str | None) -> None:
        """Begin or renew the lease of a process."""
        values = (host, name, address, LEASE)
        self._doing(lambda c: c.execute(self._sql["renew"], values), LEASE / 3, beat=True)

    def end(self, host: str) -> None:
        self._run("end", (host,), _QUICK)

    def states(self, memories: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Memory → its epoch and the position of its last erasure; without missing memories."""
        found: dict[str, tuple[int, int]] = {}
        for first in range(0, len(memories), ASKED):
            some = list(memories[first : first + ASKED])
            some += some[-1:] * (ASKED - len(some))
            rows = self._rows("states", some, beat=True)
            found |= {memory: (epoch, erased) for memory, epoch, erased in rows}
        return found

    # -- who has a memory -------------------------------------------------------------------------

    def take(
        self,
        name: str,
        host: str,
        *,
        force: bool,
        create: bool,
        encrypted: bool,
        upload: bool = False,
    ) -> Stay:
        """Become the only writer of a memory; with `create` make it if it does not exist.

        encrypted: whether there are keys for an encrypted memory. upload: it will be written as a
        whole; until then, an empty one cannot be taken without `upload`. Raises
        AlreadyOpenError while a live process has it, unless `force`; MissingError,
        NewerFormatError, MovedError, UnfinishedError; InvalidArgumentError without keys.
        """
        # Random, so that epochs stay unique even if the database is restored to an earlier state.
        step = 1 + random.SystemRandom().getrandbits(_STEP)
        asked = (step, host, upload, name, FORMAT, encrypted, upload, host, force)
        if self._objects is not None:
            self._own_folder("")
        while True:
            if (stay := self._found(name)) is None:
                if not create:
                    raise _missing(name)
                if is_blank(name):
                    raise InvalidArgumentError(f"a name has something to see, got {name!r:.80}")
                form = UNFINISHED if upload else KEYS
                if found := self._rows("new", (new_id(name), name, host, form, FORMAT)):
                    return Stay(*found[0])
                continue  # another process made it meanwhile
            if stay.moved is not None:
                raise MovedError(f"{name!r} has moved to {stay.moved}: open it there")
            stay.require_known()
            if not upload:
                stay.require_whole()
            if stay.generation and not encrypted:
                raise InvalidArgumentError(
                    f"{name!r} is encrypted: open it by graphmem.Home(…, keys=…) with its keys"
                )
            if found := self._rows("take", asked):
                return Stay(*found[0])
            if force:
                continue  # it has changed meanwhile
            if (owner := self.owner(name)) is not None and owner.seconds > 0:
                at = "" if owner.address is None else f" ({owner.address})"
                machine, _, number = owner.host.rpartition(":")
                is_here = machine == socket.gethostname() and number.isdecimal()
                pid = int(number) if is_here else None
                do = "reach it there, wait, or, if that process is dead, take it with force=True"
                if pid == os.getpid():
                    do = (
                        "that is this process, by another Home, or before it was closed while its "
                        "home was away: use it, close that Home, wait, or take it with force=True"
                    )
                why = (
                    f"{name!r} is open at {owner.host}{at}, whose lease ends in "
                    f"{owner.seconds:.0f} s unless it is renewed: {do}"
                )
                raise AlreadyOpenError(name, pid, why)

    def look(self, name: str, memory: str | None = None) -> Stay:
        """The present `Stay` of a name, or of the id `memory`. Raises MissingError."""
        if memory is None:
            stay = self._found(name)
        else:
            stay = next((Stay(*row) for row in self._rows("look again", (memory,))), None)
        if stay is None:
            raise _missing(name)
        return stay

    def _found(self, name: str) -> Stay | None:
        """The memory of a name, None if there is none. Raises CorruptError if it exists but is not
        found by its name, so that no second one is made."""
        trusts = self._server.dialect.trusts
        while True:
            if found := self._rows("look", (name,)):
                stay = Stay(*found[0])
                if trusts:  # the name may have been read from the index
                    if again := self._rows("look again", (stay.memory,)):
                        stay = Stay(*again[0])
                    elif not self._rows("look", (name,)):
                        continue  # it was erased meanwhile
                    else:
                        raise unlike(stay.memory, name)
                if stay.name != name:
                    raise unlike(stay.memory, name)
                return stay
            alike = self._rows("alike", ids(name)) if trusts else []  # each name is checked
            if not (there := [row for row in alike if row[1] == name]):
                return None
            if not there[0][2]:
                raise unlike(there[0][0], name)

    def owner(self, name: str) -> Owner | None:
        """Who has a memory open; None if nobody has. Raises MissingError."""
        if found := self._rows("holder", (name,)):
            host, address, seconds = found[0]
            return Owner(host, address, seconds)
        self.look(name)
        return None

    def leave(self, stay: Stay) -> None:
        """Release a memory, so that others can take it at once."""
        self._run("leave", (stay.memory, stay.epoch), _QUICK)

    # -- the log ----------------------------------------------------------------------------------

    def append(self, stay: Stay, last: int, id: int, content: bytes) -> None:
        """Append the batches `stay.position` + 1 to `last` as one row, atomically. Idempotent: a
        row with this id counts as appended. Raises FencedError."""
        pieces = [content[at : at + PART] for at in range(0, len(content), PART)]
        expected = (stay.memory, stay.epoch, stay.position)
        row = (stay.position + 1, stay.epoch, id)
        one = len(pieces) == 1 and self._server.dialect.writes_in_with

        def act(c: Connection) -> None:
            if one:
                values = (last, len(content), *expected, last, *row, content)
                done = c.execute(self._sql["append"], values).rowcount
            else:
                with c.transaction():
                    asked = (last, len(content), *expected)
                    done = c.execute(self._sql["advance"], asked).rowcount
                    for part, piece in enumerate(pieces if done else ()):
                        c.execute(self._sql["add"], (stay.memory, last, part, *row, piece))
            if done:
                return
            if self._asked(c, "place", (stay.memory, last)) != [(last, stay.epoch, id)]:
                raise self._fenced(c, stay)
            # Else an earlier attempt succeeded, and its answer was lost.

        self._doing(act)

    def _fenced(self, c: Connection, stay: Stay) -> FencedError:
        """The error for a memory that this process no longer owns."""
        if not (found := self._asked(c, "look again", (stay.memory,))):
            return FencedError(EIO, "the memory has been erased from its home", stay.name)
        now = Stay(*found[0])
        if now.moved is not None:
            why = f"it has moved to {now.moved}"
        elif now.epoch != stay.epoch:
            owner = self._asked(c, "holder", (stay.name,))
            why = f"another process{f' ({owner[0][0]})' if owner else ''} has taken it since"
        else:
            why = f"its log is at {now.position}, and this process at {stay.position}"
        return FencedError(
            EIO,
            f"{why}: what this process wrote last may or may not be in the home; open it again",
            stay.name,
        )

    def tail(self, memory: str, after: int) -> Iterator[Row]:
        """The rows of the log after a position."""
        rows = self._rows("tail", (memory, after))
        for (first, *place), parts in groupby(rows, key=lambda row: row[:4]):
            yield Row(first, Place(*place), b"".join(part[4] for part in parts))

    def place_at(self, memory: str, position: int) -> Place | None:
        """The place of the row that ends at a position; None if there is none."""
        found = self._rows("place", (memory, position))
        return Place(*found[0]) if found else None

    # -- snapshots --------------------------------------------------------------------------------

    def put_snapshot(self, stay: Stay, snapshot: Snapshot, parts: Iterable[bytes]) -> None:
        """Store a snapshot, show it, and delete the log and the snapshots that it replaces. Updates
        `stay`, its generation already before the snapshot is shown. Raises FencedError, and
        StorageError if there is a newer snapshot or erasure.

        A snapshot after the end of the log moves that end to its place. Replaced objects are left
        to `clean`, unless it erases."""
        made = random.SystemRandom().getrandbits(63)
        place = snapshot.place
        key = (stay.memory, place.position, made)
        folder, before = None, stay.folder
        if self._objects is not None:
            folder = self._own_folder(f"{stay.memory}/{place.position}-{made:016x}")
            self._run("begin folder", (folder, _UPLOAD))
        size = count = 0
        try:
            for part in parts:
                if self._objects is not None and folder is not None:
                    self._objects.put(folder, count, part)
                    self._run("name folder", (_UPLOAD, folder))
                else:
                    self._run("put part", (*key, count, part))
                size, count = size + len(part), count + 1

            def show(c: Connection) -> int:
                with c.transaction():
                    if folder is None:
                        there = self._asked(c, "count parts", key) == [(count,)]
                    else:
                        there = c.execute(self._sql["name folder"], (0.0, folder)).rowcount == 1
                    if not there:
                        raise StorageError(EIO, "parts of it were deleted meanwhile", stay.name)
                    if place.position > stay.position:
                        expected = (stay.memory, stay.epoch, stay.position)
                        moved = c.execute(self._sql["advance"], (place.position, 0, *expected))
                        found = self._asked(c, "look again", (stay.memory,))
                        # An earlier attempt may have succeeded, and its answer been lost.
                        if not (moved.rowcount or (found and Stay(*found[0]).made == made)):
                            raise self._fenced(c, stay)
                    shown = self._asked(
                        c,
                        "show",
                        (place.position, place.epoch, place.id, snapshot.form, made, count,
                         folder, size, stay.memory, place.position, snapshot.erases,
                         place.position, snapshot.generation, stay.memory, stay.epoch,
                         *[place.position] * 3),
                    )  # fmt: skip
                    if not shown:
                        found = self._asked(c, "look again", (stay.memory,))
                        now = Stay(*found[0]) if found else None
                        if now and now.epoch == stay.epoch and now.position >= place.position:
                            raise StorageError(EIO, "a newer snapshot is there", stay.name)
                        raise self._fenced(c, stay)
                    if before is not None:
                        c.execute(self._sql["name folder"], (0.0, before))
                    c.execute(self._sql["cut log"], (stay.memory, place.position))
                    c.execute(self._sql["cut parts"], key)
                    return int(shown[0][0])

            stay.generation = snapshot.generation
            left = self._doing(show)
        except BaseException:
            self._drop(stay.name, key, folder)
            raise
        stay.snapshot, stay.snapshot_epoch, stay.snapshot_id = place.position, place.epoch, place.id
        stay.form, stay.made, stay.parts, stay.folder = snapshot.form, made, count, folder
        stay.bytes, stay.log_bytes = size, left
        stay.position = max(stay.position, place.position)
        stay.erased = place.position if snapshot.erases else stay.erased
        if snapshot.erases:
            if self._objects is not None:
                self._objects.remove(self._own_folder(stay.memory), but=folder)
            self._log_left(stay.name, before)
            self._server.wipe()

    def _drop(self, name: str, key: tuple[str, int, int], folder: str | None) -> None:
        """Delete the parts of a snapshot that is not shown; `clean` deletes objects and the
        rest."""
        try:
            current = self.look(name, key[0])
            if current.made == key[2]:
                return  # it is shown: only the answer was lost
            self._run("drop parts", key, _QUICK)
            if folder is not None:
                self._run("name folder", (0.0, folder), _QUICK)
        except (StorageError, MissingError):
            return

    def get_parts(self, stay: Stay, first: int, stop: int) -> Iterator[bytes]:
        """The parts `first` to `stop` − 1 of a snapshot. Raises ReplacedError."""
        for begin in range(first, stop, _PAGE):
            end = min(begin + _PAGE, stop)
            if stay.folder is None:
                asked = (stay.memory, stay.snapshot, stay.made, begin, end)
                found = self._rows("get parts", asked)
                if len(found) != end - begin:
                    named = f"part {begin}"
                    if end > begin + 1:
                        named = f"one of the parts {begin} to {end - 1}"
                    raise ReplacedError(f"{named} of snapshot {stay.snapshot}")
                yield from (content for (content,) in found)
            elif self._objects is None:
                raise InvalidArgumentError(
                    f"the snapshot of {stay.name!r} is in object storage: open it with objects="
                )
            else:
                yield from (self._objects.get(stay.folder, part) for part in range(begin, end))

    # -- for operators ----------------------------------------------------------------------------

    def listed(self, prefix: str, after: str | None, limit: int) -> list[HomeMemory]:
        """Up to `limit` memories, by name, with the prefix and after the name `after`."""
        return [
            HomeMemory(
                name,
                (host or "a process that is gone") if held else None,
                alive,
                size + log,
                batches,
                datetime.fromtimestamp(changed, UTC),
            )
            for _, name, host, held, alive, size, log, batches, changed in self._rows(
                "list", (after or "", len(prefix), prefix, limit)
            )
        ]

    def move(self, stay: Stay, target: str) -> None:
        """Record the home to which a memory has moved. Raises FencedError."""

        def act(c: Connection) -> None:
            if not c.execute(self._sql["move"], (target, stay.memory, stay.epoch)).rowcount:
                raise self._fenced(c, stay)

        self._doing(act)

    def erase(self, name: str) -> Stay:
        """Delete a memory, and fence its owner. Returns its last state. Raises MissingError."""
        found = self.look(name)
        objects = None if self._objects is None else self._own_folder(found.memory)

        def act(c: Connection) -> None:
            with c.transaction():
                for statement in ("erase memory", "erase log", "erase parts"):
                    c.execute(self._sql[statement], (found.memory,))

        self._doing(act)
        if self._objects is not None and objects is not None:
            self._objects.remove(objects)
        self._log_left(found.name, found.folder)
        self._server.wipe()
        return found

    def clean(self, keep: float) -> int:
        """Delete rows that no memory refers to, and objects to which none has for `keep` seconds.
        Returns how many rows and snapshots."""

        def act(c: Connection) -> int:
            deleted = 0
            for statement, values in (
                ("clean parts", ()),
                ("clean log", ()),
                ("clean hosts", (_DEAD,)),
            ):
                deleted += c.execute(self._sql[statement], values).rowcount
            if self._objects is None:
                return deleted
            prefix = self._own_folder("")
            with c.transaction():
                asked = (len(prefix), prefix, keep)
                gone = self._asked(c, "clean folders", asked)
                for (folder,) in gone:
                    self._objects.remove(folder)
            return deleted + len(gone)

        deleted = self._doing(act, _CLEANING)
        self._server.wipe()
        return deleted

    # -- objects ----------------------------------------------------------------------------------

    def _log_left(self, name: str, folder: str | None) -> None:
        """Log the objects that should be erased but belong to another home."""
        if folder and not (self._objects and folder.startswith(self._own_folder(""))):
            _log.error(
                "%s: it was erased, but for the objects %s, which another home has made, or which "
                "need objects=: delete them if no other home needs them",
                name,
                folder,
            )

    def _own_folder(self, folder: str) -> str:
        """The name of a folder of objects of this home.

        Raises InvalidArgumentError until `make(same=…)` has recorded whether this database is a
        copy, which would delete objects of the original.
        """
        if self._prefix is None:
            place = self._server.place
            if not (found := dict(self._rows("prefixes"))):
                self._run("add prefix", (place, str(uuid.uuid4())))
                found = dict(self._rows("prefixes"))
            if place not in found:
                raise InvalidArgumentError(
                    f"this database, with objects, was at {', '.join(found)}, and is at {place} "
                    "now: graphmem home make --same if it is still that one, --copy if it is a "
                    "copy of it"
                )
            self._prefix = found[place]
        return f"{self._prefix}/{folder}"

    # -- statements -------------------------------------------------------------------------------

    def _rows(self, statement: str, values: Sequence[Any] = (), *, beat: bool = False) -> list[Any]:
        patience = LEASE / 3 if beat else PATIENCE
        return self._doing(lambda c: self._asked(c, statement, values), patience, beat=beat)

    def _asked(self, c: Connection, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows of a statement, each checked."""
        rows = c.execute(self._sql[statement], values).fetchall()
        return [checked(statement, values, row) for row in rows]

    def _run(self, statement: str, values: Sequence[Any], patience: float = PATIENCE) -> None:
        query = self._sql[statement]
        self._doing(lambda c: c.execute(query, values), patience)

    def _doing(
        self, act: Callable[[Connection], T], patience: float = PATIENCE, *, beat: bool = False
    ) -> T:
        if os.getpid() != self._pid:
            raise ForkedError(
                f"the home was opened in process {self._pid}, from which this one was forked: "
                "start workers with spawn, and open homes in them"
            )
        return self._server.doing(act, patience, beat=beat)


def _missing(name: str) -> MissingError:
    return MissingError(ENOENT, "the home has no memory of that name", name)
