"""The memory of a command: opened, attached to, or refused with advice."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from operator import attrgetter
from pathlib import Path
from threading import Timer
from typing import Any, Final, TypeGuard

import graphmem
from graphmem.errors import AlreadyOpenError, MissingError, UnknownScopeError
from graphmem.interfaces.cli.group import Chosen
from graphmem.interfaces.cli.printing import remark
from graphmem.settings import variable_of

_VECTOR_PATIENCE: Final = 30.0  # seconds; a command asks once, while a model is still being loaded
_SILENT: Final = 2.0  # seconds after which a command says what it waits for
_OWN: Final[Mapping[str, Any]] = {  # settings of a command that opens the folder itself
    "worker": "none",
    "tuning": graphmem.Tuning(vector_patience=_VECTOR_PATIENCE),
    "attachable": False,  # the command ends before a client's next call
}
_NOT_HEEDED: Final = {"worker", "vector_patience", "attachable", "server_key"}
"""Settings in which an owner differs anyway, or, as with its key, that it keeps secret."""
OR_COPY: Final = "end that process first, or take a copy with graphmem admin backup"


@contextmanager
def opened(
    chosen: Chosen, *, read_only: bool = False, any_scope: bool = False, make: bool = True
) -> Iterator[graphmem.Memory | graphmem.Attached]:
    """The memory of a command, as long as it runs. any_scope: take another scope of the folder if
    the chosen one does not exist. make: make a missing memory, unless read_only; otherwise raises
    MissingError, UnknownScopeError."""
    if not (make or read_only):
        reached(chosen, read_only=True).close()
    with reached(chosen, read_only=read_only, any_scope=any_scope) as memory:
        ignored = _ignored(memory) if is_attached(memory) else ""
        yield memory
    if ignored:
        remark(ignored, chosen.json)


def reached(
    chosen: Chosen, *, read_only: bool, any_scope: bool = False
) -> graphmem.Memory | graphmem.Attached:
    """The memory, opened or attached to. Raises MissingError if there is none to read."""
    from graphmem.api.access import open_or_attach  # takes a while to load

    try:
        with there(chosen.folder) if read_only else nullcontext(), waiting(chosen):
            return open_or_attach(
                chosen.folder, scope=chosen.scope, read_only=read_only, **_OWN, **of_folder()
            )
    except UnknownScopeError as error:
        if any_scope and error.known:
            other = Chosen(chosen.path, error.known[0], chosen.json)
            return reached(other, read_only=read_only)
        raise UnknownScopeError(f"{error}; --scope names one", error.known) from None


@contextmanager
def waiting(chosen: Chosen) -> Iterator[None]:
    """A block that says, if it takes two seconds, which process it waits for."""

    def say() -> None:
        from graphmem.attaching.connections import owner_of

        pid = owner_of(Path(chosen.folder))
        if pid not in (None, os.getpid()):
            remark(f"waiting for process {pid}, which has {chosen.folder} open …", chosen.json)

    timer = Timer(_SILENT, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def there(folder: str) -> Iterator[None]:
    """A block that makes no memory: its MissingError gets advice for the command line."""
    try:
        yield
    except MissingError:
        raise MissingError(
            f'there is no memory in {folder} yet; graphmem remember "…" makes one, '
            "--path names another folder"
        ) from None


def is_attached(memory: graphmem.Memory | graphmem.Attached) -> TypeGuard[graphmem.Attached]:
    """Whether another process has a memory open. `isinstance` would load the class."""
    return hasattr(memory, "owner_pid")


def of_folder() -> dict[str, Any]:
    """Settings taken from the folder itself, unless their variables are set."""
    return {} if os.environ.get(variable_of("vectors")) else {"vectors": "stored"}


def _ignored(memory: graphmem.Attached) -> str:
    """A remark naming the variables that differ from the owner's settings; "" without any."""
    given = graphmem.Settings.read({})
    names = [row[0] for row in given.table() if os.environ.get(variable_of(row[0]))]
    theirs = memory.admin.settings if names else given
    ignored = [
        variable_of(name)
        for name in names
        if name not in _NOT_HEEDED and attrgetter(name)(given) != attrgetter(name)(theirs)
    ]
    if not ignored:
        return ""
    owner = f"process {memory.owner_pid}, which has {memory.path} open"
    return f"{owner}, goes by its own settings, not by {', '.join(ignored)}"


@contextmanager
def alone(advice: str) -> Iterator[None]:
    """A block that needs the folder to itself: its AlreadyOpenError gets this advice."""
    try:
        yield
    except AlreadyOpenError as error:
        raise in_use(error.path, error.owner_pid, advice) from None


def in_use(path: str, owner_pid: int | None, advice: str) -> AlreadyOpenError:
    owner = "another process" if owner_pid is None else f"process {owner_pid}"
    message = f"{path} is in use by {owner}; this needs the folder to itself: {advice}"
    return AlreadyOpenError(path, owner_pid, message)
