"""The command line: every public verb is a command, for people and, with `--json`, for programs."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Final

import click

from graphmem.errors import GraphMemError
from graphmem.interfaces.cli.group import NOUNS, Listing, cli, discard_output, noun_group
from graphmem.interfaces.cli.printing import complain, message

WRITTEN: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("remember", "admin enrich", "files watch", "files guard"),
    "recall": ("recall", "show", "used", "graph sparql"),
    "lifecycle": ("review clean",),
    "files": ("import", "export", "admin backup", "admin restore", "files sync"),
    "housekeeping": (
        "admin stats",
        "admin integrations",
        "admin failed",
        "admin retry",
        "admin check",
        "admin repair",
        "admin shrink",
        "admin convert",
        "admin settings",
        "admin completion",
        "shell",
        "demo",
        "doctor",
    ),
    "home": ("home",),
    "language": ("lang",),
    "model": ("model",),
    "themes": ("themes",),
    "serving": ("mcp", "view", "graph map"),
    "sharing": ("context", "scopes open", "scopes drop", "pool watch"),
}
"""The modules of the commands that are written by hand. The others are derived."""

RENAMED: Final[Mapping[str, str]] = {
    "clean": "review clean",
    "completion": "admin completion",
    "convert": "admin convert",
    "episodes": "themes episodes",
    "erase": "forget --erase",
    "find": "nodes --text",
    "guard": "files guard",
    "integrations": "admin integrations",
    "repair": "admin repair",
    "restore": "admin restore",
    "status": "review status",
    "watch": "files watch",
    "worker": "admin failed",
}
"""Former commands, besides those of verbs that have moved (`api/nouns.py`)."""

_OBJECTS: Final = 20_000  # that are made between two runs of the garbage collector
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def _import(wanted: Callable[[str], bool]) -> bool:
    """Import the modules of the commands that are wanted; True if there are any."""
    modules = [module for module, names in WRITTEN.items() if any(map(wanted, names))]
    for module in modules:
        import_module(f"graphmem.interfaces.cli.{module}")
    return bool(modules)


def load(noun: str, name: str | None) -> None:
    """Load a command or subgroup of a noun's group ("": the top level). For an unknown name or None
    load all of the group, and derive those without a module."""
    if not noun and name in NOUNS and name != "themes":
        noun_group(str(name))
        return
    before = f"{noun} " if noun else ""
    if name is not None and _import(f"{before}{name}".__eq__):
        return
    _import(lambda path: path.rpartition(" ")[0] == noun)
    for other in () if noun else NOUNS:
        noun_group(other)
    from graphmem.interfaces.cli.derived import add_default_commands  # which loads the verbs

    add_default_commands(noun)
    if name is not None and name not in (noun_group(noun) if noun else cli).commands:
        _point(noun or name)


def _point(name: str) -> None:
    """Raise UsageError for a command that has another name now."""
    from graphmem.api.nouns import MOVED

    place = RENAMED.get(name) or MOVED.get(name.replace("-", "_"), "").replace(".", " ")
    if place:
        raise click.UsageError(f"graphmem {name} is now: graphmem {place.replace('_', '-')}")


Listing.load = load


def _open_missing_streams() -> None:
    """Open os.devnull for each standard stream that is closed: the descriptor would go to a file of
    the store, into which another library might print."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            os.set_inheritable(descriptor, True)
            setattr(sys, name, os.fdopen(descriptor, "w" if number else "r", closefd=False))


def _output_failed(error: OSError) -> bool:
    """Whether an error is that of standard output."""
    try:
        sys.stdout.flush()  # what could not be written is still there, unless it was long
    except OSError:
        return True
    return error.filename is None and error.errno in _FULL


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with `arguments` (those of the process by default). Returns the exit
    status: 0 done, 1 an error or a fault found, 2 wrong usage, 130 interrupted, 141 when nobody
    reads what is printed."""
    if arguments is None:  # the process is graphmem's own: what a command loads stays in use
        gc.set_threshold(_OBJECTS)
        atexit.register(gc.freeze)  # so it is not searched for garbage when Python ends
    _open_missing_streams()
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that is not UTF-8 gets \u escapes instead of a traceback.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = cli.main(given, prog_name="graphmem", standalone_mode=False)
    except GraphMemError as error:
        complain(type(error).__name__, message(error), "--json" in given)
        return 1
    except click.ClickException as error:
        if "--json" in given:
            complain(type(error).__name__, error.format_message(), True)
        else:
            error.show()
        return error.exit_code
    except OSError as error:
        if not _output_failed(error):
            raise
        discard_output()
        reason = f"standard output cannot be written: {error.strerror}"
        complain("StorageError", reason, "--json" in given)
        return 1
    return status if isinstance(status, int) else 0
