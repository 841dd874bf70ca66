"""An older format for the tests of migration: the format of today with every value backwards.

Format 1, of before the first release, is what it is called. No version of graphmem reads it.

    python -m tests.older_format FOLDER KILLED|STOPPED STEP

opens a folder of it. At the step of that number, counted from 0, the process kills itself, or says
that it has stopped and goes on when a line comes. Prints how many steps there were.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import graphmem
from graphmem.errors import CorruptError
from graphmem.hexastore import scopes
from graphmem.maintenance import check
from graphmem.storage import engines, migration
from graphmem.storage.engine import Engine
from graphmem.storage.registry import MIGRATIONS
from graphmem.storage.store import Store

VERSION = 1
BATCH = 300  # keys
_OF_THE_STORE = b"\0\0\0\0\xf0"
_FORMAT = _OF_THE_STORE + b"\0"


def age(folder: Path) -> None:
    """Write the closed store in `folder` in the older format."""
    kind = engines.kind_of(folder / "store")
    assert kind is not None
    engine = engines.open_engine(folder / "store", kind, create=False)
    record = json.loads(engine.get(_FORMAT) or b"")
    rows: dict[bytes, bytes | None] = dict(_backwards(engine))
    engine.commit(rows | {_FORMAT: json.dumps(record | {"format": VERSION}).encode()})
    engine.close()


def migrate(old: Engine, new: Store, step: Callable[[], None] = lambda: None) -> None:
    """Write what a store of the older format says into a new one, as a migration does."""
    rows = iter(_backwards(old).items())
    while some := dict(islice(rows, BATCH)):
        new.commit(dict(some))
        step()
    for name, number in scopes.names(new):
        if faults := check.faults(new, scopes.read_scope(new, number)):
            raise CorruptError(f"scope {name!r} cannot be migrated: {faults[0]}")


def _backwards(engine: Engine) -> dict[bytes, bytes]:
    return {
        key: value[::-1]
        for key, value in engine.range(b"", b"\xff" * 9)
        if not key.startswith(_OF_THE_STORE)
    }


def _main(folder: str, what: str, number: str) -> None:
    done = 0

    def step() -> None:
        nonlocal done
        if done == int(number) and what == "KILLED":
            os.kill(os.getpid(), signal.SIGKILL)
        if done == int(number):
            print("stopped", flush=True)
            sys.stdin.readline()
        done += 1

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*arguments: Any, **named: Any) -> Any:
            step()
            return call(*arguments, **named)

        return counting

    MIGRATIONS[VERSION] = lambda old, new: migrate(old, new, step)
    for owner, name in (
        (migration.os, "rename"), (migration, "sync_path"), (migration.shutil, "rmtree"),
    ):  # fmt: skip
        setattr(owner, name, counted(getattr(owner, name)))
    with graphmem.open(folder, worker="none", durability="os"):
        step()
    step()
    print(done)


if __name__ == "__main__":
    _main(*sys.argv[1:])
