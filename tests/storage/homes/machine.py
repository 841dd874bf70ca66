"""A machine of the tests: a process with a lease in a home and a folder of caches."""

import shutil
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

from graphmem.storage.engine import Batch, Engine, Reader, Snapshot
from graphmem.storage.engines import Kind
from graphmem.storage.homes.cache import OUTBOX_END, PLACE
from graphmem.storage.homes.home_engine import HomeEngine
from graphmem.storage.homes.lease import Lease
from graphmem.storage.homes.packing import Keys
from graphmem.storage.homes.sql import SqlHome
from graphmem.storage.homes.sqlite import Sqlite

ALL = b"", b"\xff" * 20


def new_home() -> SqlHome:
    """A home in memory, which is closed when the test has let go of it."""
    home = SqlHome(server := Sqlite(None))
    weakref.finalize(home, server.close)
    home.make()
    return home


class Machine:
    """Opens memories of a home; one at a time of each name."""

    made: ClassVar[list["Machine"]] = []
    """The machines of a test, to be ended: a lease is renewed for as long as its process lives."""

    def __init__(self, home: SqlHome, cache: Path, keys: Keys | None = None) -> None:
        self.home, self.cache, self.keys = home, cache, keys
        self.lease = Lease(home)
        self.made.append(self)
        self.events: list[str] = []

    def open(self, name: str = "m", *, force: bool = False, kind: Kind = "lmdb") -> HomeEngine:
        stay = self.lease.take(name, force=force, create=True, encrypted=self.keys is not None)
        folder = self.cache / stay.memory
        folder.mkdir(parents=True, exist_ok=True)
        try:
            return HomeEngine(
                self.home, self.lease, stay, self.keys, folder, kind,
                lambda name, *_: self.events.append(name),
            )  # fmt: skip
        except BaseException:
            self.lease.leave(stay)
            raise

    def die(self, engine: HomeEngine) -> None:
        """End a process without a word: its cache stays as it is, and its lease is over."""
        engine._local.close()
        self.lease._names.clear()
        self.lease._taken.clear()

    def end(self) -> None:
        """End the lease and the connections to the home. Idempotent."""
        self.lease.close()
        self.home.close()

    def lose_disk(self) -> None:
        shutil.rmtree(self.cache)


def shown(reader: Reader) -> dict[bytes, bytes]:
    """What a memory holds, without what its cache notes."""
    return {key: value for key, value in reader.range(*ALL) if not PLACE <= key < OUTBOX_END}


class Plain:
    """An engine of a home without what its cache notes, for what every engine must do."""

    def __init__(self, engine: Engine | Snapshot) -> None:
        self.inner = engine
        self.get, self.get_many, self.close = engine.get, engine.get_many, engine.close

    def range(
        self, start: bytes, stop: bytes, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        pairs = self.inner.range(start, stop, reverse)
        return (pair for pair in pairs if not PLACE <= pair[0] < OUTBOX_END)

    def keys(self, start: bytes, stop: bytes, reverse: bool = False) -> Iterator[bytes]:
        found = self.inner.keys(start, stop, reverse)
        return (key for key in found if not PLACE <= key < OUTBOX_END)


class PlainSnapshot(Plain):
    life = 0
    """Which opening of the memory it is of, for whoever counts them."""

    def __enter__(self) -> "PlainSnapshot":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class PlainEngine(Plain):
    def __init__(self, engine: HomeEngine) -> None:
        super().__init__(engine)
        self.commit: Callable[..., None] = engine.commit
        self.sync = engine.sync
        self.compact, self.approximate_size = engine.compact, engine.approximate_size
        self._engine = engine

    def snapshot(self) -> PlainSnapshot:
        return PlainSnapshot(self._engine.snapshot())


def batches(engine: HomeEngine, *batches: Batch, sync: bool = True) -> None:
    for batch in batches:
        engine.commit(batch, sync=sync)
