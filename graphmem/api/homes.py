"""Homes: memories that outlive the machine they are open on."""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from errno import EEXIST, ENOENT
from functools import partial
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from random import Random
from shutil import rmtree
from threading import Lock
from typing import Final, Unpack
from urllib.parse import unquote, urlsplit, urlunsplit
from weakref import WeakSet

from graphmem.api.events import Event, OnEvent, notify
from graphmem.api.following import Follower, Following, Shared
from graphmem.api.memory import Memory, open_over
from graphmem.declaring import verb
from graphmem.errors import (
    AlreadyOpenError,
    ArgumentTypeError,
    ClosedError,
    DestinationError,
    InvalidArgumentError,
    MissingError,
    MissingExtraError,
    MovedError,
    OpenError,
    StorageError,
)
from graphmem.hexastore import scopes
from graphmem.runtime.database import Clock, system_clock
from graphmem.services import embedder as embedders
from graphmem.services import models
from graphmem.services.embedder import Embedder
from graphmem.settings import OpenSettings, Settings
from graphmem.storage import engines
from graphmem.storage.backup import back_up
from graphmem.storage.engine import HomedEngine
from graphmem.storage.folder import path_name
from graphmem.storage.homes.cache import ASIDE, Copied, noted, remove_old
from graphmem.storage.homes.home import UNFINISHED, Stay
from graphmem.storage.homes.home_engine import HomeEngine, Report, write_all
from graphmem.storage.homes.lease import Lease
from graphmem.storage.homes.objects import Objects
from graphmem.storage.homes.packing import Keys, Seal
from graphmem.storage.homes.reader import FrozenEngine, Reader, damaged, left
from graphmem.storage.homes.sql import SqlHome
from graphmem.storage.homes.sqlite import NAME, Sqlite
from graphmem.storage.store import Store
from graphmem.values.checks import check_count, check_range, check_str
from graphmem.values.homes import HomeMemory, Owner
from graphmem_worker.errors import install

_LONGEST: Final = 200  # characters of a name
_URL: Final = "home.txt"  # of the home whose caches are beside it
_FOLDERS: Final = 9  # of one memory on one machine, besides the first
_KINDS: Final = "postgresql://…, file:///… or memory://…"


class Home:
    """A database in which memories outlive their machine; a process makes one and shares it.

    One process has a memory open at a time, on whichever machine; its folder is a copy, in the
    cache. Any thread may use a home. Methods raise StorageError if it cannot be reached for 10
    seconds, MissingError for an unknown name or a home that was not made (`make`), ClosedError
    after `close`, and ForkedError in a forked child.
    """

    def __init__(
        self,
        url: str,
        *,
        objects: str | None = None,
        cache: str | os.PathLike[str] | None = None,
        keys: Keys | None = None,
        address: str | None = None,
    ) -> None:
        """url: postgresql://…; file:///folder for one on a local disk of this machine;
            memory://name for one in this process, for tests.
        objects: where snapshots go, such as s3://bucket; None: into the database.
        cache: a folder of this machine; None: graphmem in the user's cache.
        keys: `get`, `make` and `drop` of the operator's keys, which encrypt what the home stores.
        address: where this process can be reached; `owner` returns it to others.

        Raises MissingExtraError, InvalidArgumentError, NotAStoreError for a network file system.
        """
        if not isinstance(url, str):
            raise ArgumentTypeError(f"a home is a URL, got {type(url).__name__}")
        self.url: Final = url
        self._address: Final = _address(url)
        self._keys = keys
        if keys is not None and find_spec("cryptography") is None:
            raise MissingExtraError("keys= needs cryptography: pip install cryptography")
        self._store = _store(url, objects)
        self._lease = Lease(self._store, address)
        self._cache = Path(path_name(cache)) if cache is not None else models.cache()
        self._memories: Final[WeakSet[Memory]] = WeakSet()  # that were opened to write
        self._id: str | None = None
        self._begun = False
        self._is_closed = False

    # -- memories ---------------------------------------------------------------------------------

    def open(
        self,
        name: str | os.PathLike[str],
        *,
        force: bool = False,
        create: bool = True,
        read_only: bool = False,
        scope: str = "default",
        clock: Clock = system_clock,
        random: Random | None = None,
        embedder: Embedder | None = None,
        on_event: OnEvent | None = None,
        **settings: Unpack[OpenSettings],
    ) -> Memory:
        """Take a memory of the home, or make it with `create`, and open it.

        A home in a folder is made with its first memory, unless the cache knows one of this address
        (StorageError), as when its disk is not mounted; `make` then makes a new one.

        name: 1–200 characters. force: take it from a process that has it; that one's next write
        raises FencedError. read_only: open a copy of its present state, which takes it from nobody;
            if the home cannot be reached, the cache; `admin.stats()["home"]` has its position and
            age.
        The others are those of `graphmem.open`; `durability` is "sync" by default.

        Raises AlreadyOpenError, which names the process that has it, MovedError, UnfinishedError,
        NewerFormatError before anything is changed, CorruptError, and what `graphmem.open` raises.
        """
        checked, chosen = _name(name), Settings.read({**settings, "home": self.url})
        opened = partial(
            open_over, settings=chosen, scope=scope, clock=clock, random=random, embedder=embedder,
            on_event=on_event,
        )  # fmt: skip
        if read_only:
            frozen = partial(self._frozen, checked, chosen)
            return opened(None, read_only=True, make_engine=lambda _, __: frozen())
        stay = self._take(checked, force=force, create=create)
        try:

            def make_engine(owned: Path | None, choice: engines.Choice) -> HomedEngine:
                assert owned is not None
                return HomeEngine(
                    self._store, self._lease, stay, self._keys, owned, choice, _reporter(on_event),
                    group=chosen.durability == "group",
                )  # fmt: skip

            for number in count():
                folder = self.cache / (f"{stay.memory}.{number}" if number else stay.memory)
                try:
                    memory = opened(folder, read_only=False, make_engine=make_engine)
                    self._memories.add(memory)
                    return memory
                except AlreadyOpenError:
                    # A process of this machine that hangs has its folder, though not the memory.
                    if not force or number == _FOLDERS:
                        raise
            raise AssertionError
        except BaseException:
            with suppress(StorageError):
                self._lease.leave(stay)
            raise

    def follow(
        self,
        name: str,
        *,
        every: float = 0.2,
        scope: str = "default",
        clock: Clock = system_clock,
        embedder: Embedder | None = None,
        on_event: OnEvent | None = None,
        **settings: Unpack[OpenSettings],
    ) -> Follower:
        """Read a memory that another process writes, here or on another machine.

        every: seconds between looks for new writes, 0.01–3600. Takes no lease. Raises
        MissingError, MovedError, UnfinishedError, and what `open` raises.
        """
        check_range("every", every, 0.01, 3600)
        checked, chosen = _name(name), Settings.read({**settings, "home": self.url})
        if (embedder := embedders.chosen(chosen, embedder)) is not None:
            chosen = replace(chosen, vectors="none")  # each state is opened with this embedder
        opened = partial(
            open_over, None, settings=chosen, scope=scope, read_only=True, clock=clock,
            on_event=on_event, embedder=None if embedder is None else Shared(embedder),
        )  # fmt: skip
        reader = self._reader(checked, chosen)
        try:
            following = Following(
                reader,
                lambda reader: opened(make_engine=lambda _, __: reader.frozen()),
                embedder,
                every,
            )
        except BaseException:
            reader.close()
            raise
        return Follower(following, scope)

    @verb()
    def owner(self, name: str) -> Owner | None:
        """The process that has a memory open, to route a request to; None if nobody has."""
        self._begin()
        return self._store.owner(_name(name))

    @verb(argument="prefix")
    def list(
        self, prefix: str = "", *, after: str | None = None, limit: int = 1000
    ) -> Sequence[HomeMemory]:
        """Memories whose names begin with `prefix`, by name, after the name `after`."""
        for name, given in (("prefix", prefix), ("after", after or "")):
            check_str(name, given)
        self._begin()
        return self._store.listed(prefix, after, check_count("limit", limit, 1, 1 << 30))

    @verb(writes=True)
    def erase(self, name: str) -> None:
        """Delete a memory from the home, its objects, its keys and its cache on this machine.

        Whoever has it open gets FencedError and removes its cache when it closes; caches on other
        machines are removed by their next `janitor`, except those set aside. Objects that another
        home has made stay, and are logged.
        """
        gone = self._store.erase(_name(name))
        Seal(gone.memory, self._keys).drop_all(gone.generation)
        self._clean_cache(gone.memory)

    # -- operators --------------------------------------------------------------------------------

    def make(self, *, same: bool | None = None) -> None:
        """Make the tables that are missing, and for file:///… the folder, but not its parent.
        Raises StorageError also if the bucket or folder of `objects` is not there.

        same: for a home with `objects` whose database had another URL. True if it is the same
            database, False if it is a copy: the objects of the original are then read here, but
            never deleted. Call it before others open it.
        """
        self._store.make(same=same)

    @verb(writes=True)
    def adopt(self, folder: str | os.PathLike[str], name: str) -> None:
        """Put the closed memory in a folder into the home under a new name. If it is cut short, the
        name cannot be opened until it is done again.

        Raises DestinationError if the home has the name, and what `graphmem.open` raises.
        """
        with Store.open(folder, create=False, read_only=True) as store:
            self._put(store, name, replace=False)

    @verb(writes=True)
    def restore(self, folder: str | os.PathLike[str], name: str) -> None:
        """Replace a memory of the home by the closed one in a folder, such as a backup.

        Raises MissingError if the home has none of that name: use `adopt`;
        AlreadyOpenError while a process has it, and what `graphmem.open` raises.
        """
        with Store.open(folder, create=False, read_only=True) as store:
            try:
                self._store.look(_name(name))
            except MissingError:
                raise MissingError(
                    ENOENT, "the home has no memory of that name; adopt puts a new one there", name
                ) from None
            self._put(store, name, replace=True)

    @verb()
    def backup(self, name: str, folder: str | os.PathLike[str]) -> int:
        """Copy a memory, open or not, to a new folder, which is opened like any other. Returns the
        sequence number of its last commit. Raises like `Memory.admin.backup`."""
        with self._reading(name) as store:
            return back_up(store, folder)

    def check(self, name: str) -> Sequence[str]:
        """The damaged parts of a memory in the home, open or not; if there are none, the faults of
        its scopes; [] without any."""
        self._made_id()
        if faults := damaged(self._store, _name(name), self._keys):
            return faults
        with self.open(name, read_only=True, worker="none", vectors="none") as memory:
            return [
                f"{scope}: {fault}"
                for scope in memory.scopes.names()
                for fault in memory.scopes.open(scope).admin.check()
            ]

    def move(self, name: str, other: Home) -> None:
        """Move a memory to another home. If it is cut short, the memory cannot be opened, errors
        name the other home, and moving it again finishes the move. Then the name is free here:
        `open` makes a new, empty memory of it, unless `create=False`.

        Raises AlreadyOpenError while a process has it, and DestinationError if the other home has
        the name.
        """
        if not isinstance(other, Home):
            raise ArgumentTypeError(f"the other is a graphmem.Home, got {type(other).__name__}")
        target = other._address
        stay = self._store.look(_name(name))
        other._make_first()
        other._made_id()
        if stay.moved is None:
            with suppress(MissingError):
                if other._store.look(name).position:
                    raise _is_there(name)
            stay = self._take(name)
            try:
                other._keep_free(name)
                self._store.move(stay, target)
            finally:
                self._lease.leave(stay)
        elif stay.moved != target:
            raise MovedError(f"{name!r} is on its way to {stay.moved}: move it there")
        with self._reading(name, moved=True) as store:
            if not other._has_copy(store, name):
                other._put(store, name, replace=True)
        self.erase(name)

    @verb(writes=True)
    def free(self, name: str) -> None:
        """Take a memory from a process that is thought dead: if it lives, it is fenced."""
        upload = self._store.look(_name(name)).form == UNFINISHED
        self._lease.leave(self._take(name, force=True, upload=upload))

    @verb(writes=True)
    def janitor(self, *, keep: float = 3600.0) -> int:
        """Remove what no memory names: rows, objects, and on this machine caches of memories that
        are gone or in which something was erased since. Returns how many there were. A cache that
        was set aside, because the home has lost what it has, stays.

        keep: seconds, 0–1e9, for which the objects of a replaced snapshot stay: longer than a
            standby may be behind, or than a backup of the database is kept.
        """
        check_range("keep", keep, 0, 1e9)
        return self._store.clean(keep) + self._clean_cache()

    def close(self) -> None:
        """Close the memories that are still open, then end the lease and the connections.
        Idempotent. Raises what `Memory.close` raises."""
        self._is_closed = True
        with ExitStack() as rest:
            rest.callback(self._store.close)
            rest.callback(self._lease.close)
            for memory in self._memories:
                rest.callback(memory.close)
        self._store.close()

    def __enter__(self) -> Home:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Home {self._address}>"

    # -- caches and copies ------------------------------------------------------------------------

    def _frozen(self, name: str, settings: Settings) -> FrozenEngine:
        """The present state of a memory, or its cache if the home cannot be reached."""
        try:
            return self._reader(name, settings).frozen(last=True)
        except StorageError as error:
            return self._left(name, error)

    def _left(self, name: str, error: StorageError) -> FrozenEngine:
        """The cache of a memory; raises `error` if there is none that no process uses."""
        for caches in self._known():
            for folder in _folders(caches):
                if noted(folder).get("name") == name and ASIDE not in folder.name:
                    with suppress(OpenError):
                        return left(folder)
        raise error

    def _known(self) -> Sequence[Path]:
        """The folders of the caches of all homes that were at this address."""
        files = self._cache.glob(f"*/{_URL}")
        return [file.parent for file in files if file.read_text() == self._address]

    def _make_first(self) -> None:
        """Make a home in a folder, which has no operator, unless there should be one already."""
        if self._begun or (file := _file(self.url)) is None:
            return
        if not file.exists() and (known := self._known()):
            raise StorageError(
                ENOENT,
                f"no home is there, and {known[0]} has copies of memories of one that was: mount "
                "it, or, if it is gone for good, graphmem home make",
                str(file.parent),
            )
        self._store.make()
        self._begun = True

    @property
    def cache(self) -> Path:
        """The folder of this home's caches: a janitor of one home never touches another's."""
        folder = self._cache / self._made_id()
        if not (folder / _URL).exists():  # new, or somebody has cleared the cache
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            (folder / _URL).write_text(self._address)
        return folder

    def _made_id(self) -> str:
        """The id of the home; raises MissingError unless all of it was made."""
        if self._id is None:
            self._id = self._store.home_id()
        return self._id

    def folder_of(self, name: str, *, create: bool = False) -> Path:
        """The folder in which a memory is when it is open on this machine. create: as `open` makes
        a home in a folder."""
        if create:
            self._make_first()
        return self.cache / self._store.look(_name(name)).memory

    def _begin(self) -> None:
        """Raise ClosedError after `close`. Without a lease, a refused connection then fails at
        once: only writers wait for the home to come back."""
        if self._is_closed:
            raise ClosedError(f"the home {self._address} was closed: make another Home")
        if not self._lease.is_needed:
            self._store.doubt()

    def _take(
        self, name: str, *, force: bool = False, create: bool = False, upload: bool = False
    ) -> Stay:
        self._begin()
        if create:
            self._make_first()
        self._made_id()
        encrypted = self._keys is not None
        return self._lease.take(
            name, force=force, create=create, encrypted=encrypted, upload=upload
        )

    def _keep_free(self, name: str) -> None:
        """Reserve a free name: nobody can open it until a memory has arrived there. Raises
        DestinationError."""
        stay = self._take(name, create=True, upload=True)
        self._lease.leave(stay)
        if stay.position:
            raise _is_there(name)

    def _reader(self, name: str, settings: Settings, *, moved: bool = False) -> Reader:
        self._begin()
        return Reader(self._store, name, self.cache, self._keys, settings.engine, moved=moved)

    @contextmanager
    def _reading(self, name: str, *, moved: bool = False) -> Iterator[Store]:
        """A copy of the present state of a memory, as a store."""
        read = partial(self._reader, _name(name), Settings.read({"home": self.url}), moved=moved)
        with Store.open(
            None, read_only=True, make_engine=lambda _, __: read().frozen(last=True)
        ) as store:
            yield store

    def _has_copy(self, store: Store, name: str) -> bool:
        """Whether a memory has arrived here, by when its scopes were made; False also of one that
        has nothing yet. Raises DestinationError if the name is another memory's."""
        with suppress(MissingError):
            if self._store.look(name).position:
                with self._reading(name) as found:
                    if _made(found) != _made(store):
                        raise _is_there(name)
                return True
        return False

    def _put(self, store: Store, name: str, *, replace: bool) -> None:
        """Write all of a store into the home as a snapshot."""
        stay = self._take(_name(name), create=True, upload=True)
        try:
            if stay.position and not replace:
                raise _is_there(name)
            seal, kind = Seal(stay.memory, self._keys), store.engine or engines.default()
            size = store.approximate_size(b"", b"\xff" * 16)
            with store.snapshot() as state:
                write_all(self._store, stay, seal, Copied(state, size, kind, self.cache))
        finally:
            self._lease.leave(stay)

    def _clean_cache(self, gone: str | None = None) -> int:
        """Remove outdated caches; returns their number. gone: a memory whose caches that were set
        aside are removed too."""
        removed = 0
        folders = {path: noted(path).get("memory") for path in _folders(self.cache)}
        states = self._store.states(sorted({memory for memory in folders.values() if memory}))
        for path, memory in folders.items():
            if ASIDE in path.name:
                if memory == gone:
                    rmtree(path)
            elif memory is not None:
                erased = states[memory][1] if memory in states else None
                removed += remove_old(path, erased)
        return removed


_homes: Final[dict[tuple[str, str | None, str | None], Home]] = {}
_homes_lock = Lock()


def shared(settings: Settings) -> Home:
    """The home of the settings, one for each process."""
    assert settings.home is not None
    key = settings.home, settings.home_objects, settings.home_cache
    with _homes_lock:
        if (home := _homes.get(key)) is None:
            home = _homes[key] = Home(
                settings.home, objects=settings.home_objects, cache=settings.home_cache
            )
        return home


def _close_all() -> None:
    with ExitStack() as rest:
        for home in _homes.values():
            rest.callback(home.close)


def _after_fork() -> None:
    global _homes_lock
    _homes_lock = Lock()
    _homes.clear()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_after_fork)


def _made(store: Store) -> dict[str, int]:
    return {scope.name: scope.created for scope in scopes.all_of(store, "memory")}


_in_memory: Final[dict[str, SqlHome]] = {}


def _store(url: str, objects: str | None) -> SqlHome:
    kind = urlsplit(url).scheme
    where = None if objects is None else Objects(objects)
    if kind in ("postgresql", "postgres"):
        if find_spec("psycopg") is None:
            raise MissingExtraError(f"{kind}://… needs psycopg; {install('home')}")
        from graphmem.storage.homes.postgres import Postgres

        return SqlHome(Postgres(url), where)
    if (file := _file(url)) is not None:
        return SqlHome(Sqlite(file.parent), where)
    if kind == "memory":
        if url not in _in_memory:
            _in_memory[url] = SqlHome(Sqlite(None), where)
            _in_memory[url].make()
        return _in_memory[url]
    raise InvalidArgumentError(f"a home is {_KINDS}, got {url!r:.80}")


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise ArgumentTypeError(f"the name of a memory is a str, got {type(name).__name__}")
    if not (1 <= len(name) <= _LONGEST and name.isprintable()):
        raise InvalidArgumentError(
            f"a name has 1 to {_LONGEST} printable characters, got {name!r:.80}"
        )
    return name


def _is_there(name: str) -> DestinationError:
    return DestinationError(EEXIST, "the home has a memory of that name: name another", name)


def _file(url: str) -> Path | None:
    """The file of a home in a folder; None if that is not where a home is."""
    parts = urlsplit(url)
    if parts.scheme != "file":
        return None
    if not parts.path or parts.netloc:
        raise InvalidArgumentError(f"a home in a folder is file:///folder, got {url!r:.80}")
    return Path(os.path.abspath(unquote(parts.path))) / NAME


def _address(url: str) -> str:
    """A URL without its password; for a file, with its absolute path."""
    if (file := _file(url)) is not None:
        return f"file://{file.parent}"
    parts = urlsplit(url)
    user, _, host = parts.netloc.rpartition("@")
    shown = f"{user.partition(':')[0]}@{host}" if user else host
    return urlunsplit(parts._replace(netloc=shown, query=""))


def _folders(cache: Path) -> list[Path]:
    return sorted(path for path in cache.iterdir() if path.is_dir())


def _reporter(on_event: OnEvent | None) -> Report:
    def ended(name: str, seconds: float, count: int, error: str | None) -> None:
        if on_event is not None:
            notify(on_event, Event(name, "", seconds, count, error))

    return ended
