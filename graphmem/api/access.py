"""Access to the memory in a folder: attach if another process has it open, else open it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from math import inf
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final

from graphmem.errors import (
    AlreadyOpenError,
    MissingError,
    NotOpenError,
    OwnerGoneError,
    StorageError,
    UnknownScopeError,
)
from graphmem.settings import Settings
from graphmem.storage.folder import LOCK, SOCKET, path_name
from graphmem.values.checks import check_range

if TYPE_CHECKING:
    from graphmem.api.attached import Attached
    from graphmem.api.memory import Memory

_PATIENCE: Final = 5.0  # seconds to wait for a process that has a folder open only briefly
_LOOK: Final = 0.02  # seconds between two attempts


def attach(
    path: str | os.PathLike[str], *, scope: str = "default", timeout: float | None = None
) -> Attached:
    """Use the memory that another process (or this one) has open in a folder.

    path: the folder, or with the setting `home` the name. scope: the name of the memory within it,
    made if it is not there.
    timeout: seconds, 0.001–86,400, that a call may take until OwnerSilentError, and this one until
    NotOpenError; None waits as long as the owner works on it, and 10 seconds for it to begin.

    The owner serves processes of its own user on its own machine. Raises NotOpenError when nobody
    has the folder open or its owner takes no clients, MissingError, RefusedError,
    InvalidArgumentError, ArgumentTypeError.
    """
    if timeout is not None:
        check_range("timeout", timeout, 0.001, 86_400)
    return _attached(_folder(path, Settings.read({}), create=False), scope, timeout, make=True)


def open_or_attach(
    path: str | os.PathLike[str],
    *,
    scope: str = "default",
    create: bool = True,
    read_only: bool = False,
    hooks: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Memory | Attached:
    """Attach to the memory in a folder if somebody has it open, and open it otherwise.

    create: make a folder that is not there. read_only, hooks, settings: for `graphmem.open`;
    read_only also makes no scope in another process.

    An owner that takes no clients is waited for, at most 5 seconds: commands have a folder to
    themselves for a moment, and an agent that opens one takes clients soon. The 5 seconds begin
    anew when another process has become the owner meanwhile. Raises AlreadyOpenError when the same
    one still has it then, and what `attach` and `graphmem.open` raise.
    """
    chosen = Settings.read(settings)
    owner: int | None = None
    is_taken = is_there = False
    end = inf
    while True:
        refused: Exception | None = None
        began, asked = monotonic(), 0.0  # seconds for which the owner was asked
        try:
            folder = _folder(path, chosen, create=create and not read_only)
            is_there = chosen.home is not None  # though not on this machine yet
            if is_taken or not _takes_no_clients(folder):
                patience = max(_LOOK, min(end - began, _PATIENCE))
                return _attached(folder, scope, None, make=not read_only, patience=patience)
        except (NotOpenError, OwnerGoneError) as error:  # a scope may be made twice
            from graphmem.attaching.connections import owner_of

            asked = monotonic() - began
            if (pid := owner_of(Path(folder))) is not None:  # else `open` reports where it is open
                refused = error
                if asked >= _PATIENCE:  # it is there: without loading what `open` needs
                    real = os.path.realpath(folder)
                    raise AlreadyOpenError(real, pid, str(error)) from None
        except MissingError:
            if not (create or is_there):
                raise
        except StorageError:
            if not read_only:  # which opens a home's cache
                raise
        try:
            from graphmem.api.opening import open  # numpy and the store take a while to load

            return open(path, scope=scope, read_only=read_only, **(hooks or {}), **settings)
        except AlreadyOpenError as error:
            is_taken = True
            if error.owner_pid != owner:
                owner = error.owner_pid
                end = monotonic() + _PATIENCE - asked
            if monotonic() > end:
                message = str(refused or error)
                raise AlreadyOpenError(error.path, error.owner_pid, message) from None
        sleep(_LOOK)


def _takes_no_clients(folder: str | os.PathLike[str]) -> bool:
    """Whether the folder holds a memory and no process serves it, which is the usual case."""
    is_there = os.path.isfile(os.path.join(folder, LOCK))
    return is_there and not os.path.lexists(os.path.join(folder, SOCKET))


def _folder(
    path: str | os.PathLike[str], settings: Settings, *, create: bool
) -> str | os.PathLike[str]:
    """The folder of a memory; of one that has a home, its cache on this machine. create: make a
    home in a folder."""
    if settings.home is None:
        return path
    from graphmem.api import homes

    return homes.shared(settings).folder_of(os.fspath(path), create=create)


def _attached(
    path: str | os.PathLike[str],
    scope: str,
    timeout: float | None,
    *,
    make: bool,
    patience: float | None = None,
) -> Attached:
    """patience: seconds for the owner to greet; None: the usual ones."""
    # Beside an owner: the codec of all values takes a while to load.
    from graphmem.api.attached import Attached, ask
    from graphmem.api.verbs import Verbs
    from graphmem.attaching.connections import Line
    from graphmem.declaring import Call, verbs_of_noun

    verbs = verbs_of_noun(Verbs, "scopes")
    line = Line(path_name(path), timeout)
    if patience is not None:
        line.patience = patience
    try:
        if make:
            ask(line, None, Call(verbs["scopes.open"], (scope,), {}))
        elif scope not in (known := ask(line, None, Call(verbs["scopes.names"], (), {}))):
            raise UnknownScopeError(
                f"there is no scope {scope!r:.80} (there are: {', '.join(known)})", known
            )
    except BaseException:
        line.close()
        raise
    if patience is not None:
        line.patience = _PATIENCE
    return Attached(line, scope)
