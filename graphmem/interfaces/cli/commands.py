"""The command line: every public verb is a command, for people and, with `--json`, for programs."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Final

import click

from graphmem.errors import GraphMemError
from graphmem.interfaces.cli.group import COMPLETION_VARIABLE, NounGroup, cli, discard_output
from graphmem.interfaces.cli.printing import complain, message

WRITTEN: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("remember", "enrich", "watch", "guard"),
    "recall": ("recall", "show", "life", "forgotten"),
    "forgetting": ("sweep", "shrink"),
    "lifecycle": ("status", "clean"),
    "files": ("import", "export", "backup", "restore", "sync"),
    "housekeeping": (
        "stats",
        "worker",
        "check",
        "repair",
        "settings",
        "shell",
        "demo",
        "doctor",
        "completion",
    ),
    "model": ("model",),
    "query": ("sparql",),
    "themes": ("themes", "episodes"),
    "serving": ("mcp",),
    "sharing": ("scope", "context", "tiers"),
    "view": ("view", "map"),
    "pool": (),
}
"""The modules of the commands that are written by hand. The others are derived."""

_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def load(name: str | None) -> None:
    """Load the module of a command; for an unknown name or None all, and derive the others."""
    for module, names in WRITTEN.items():
        if name in names:
            import_module(f"graphmem.interfaces.cli.{module}")
            return
    for module in WRITTEN:
        import_module(f"graphmem.interfaces.cli.{module}")
    from graphmem.interfaces.cli.derived import add_default_commands  # which loads the verbs

    add_default_commands()


def _derive(group: click.Group) -> None:
    from graphmem.interfaces.cli.derived import add_commands_of_noun

    add_commands_of_noun(group)


cli.load = load
NounGroup.derive = _derive


def _open_missing_streams() -> None:
    """Open os.devnull for each standard stream that is closed: the descriptor would go to a file of
    the store, into which another library might print."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            os.set_inheritable(descriptor, True)
            setattr(sys, name, os.fdopen(descriptor, "w" if number else "r", closefd=False))


def _text(argument: str) -> str:
    """An argument of UTF-8 as text, whatever the locale made of it; another one as it is."""
    try:
        return os.fsencode(argument).decode("utf-8")
    except UnicodeError:
        return argument


def _output_failed(error: OSError) -> bool:
    """Whether an error is that of standard output."""
    try:
        sys.stdout.flush()  # what could not be written is still there, unless it was long
    except OSError:
        return True
    return error.filename is None and error.errno in _FULL


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with `arguments` (those of the process by default).

    Returns the exit status: 0 done, 1 an error or a fault found, 2 wrong usage, 130 interrupted,
    141 when nobody reads what is printed.
    """
    _open_missing_streams()
    given = list(map(_text, sys.argv[1:] if arguments is None else arguments))
    for stream in (sys.stdout, sys.stderr):
        # A terminal that is not UTF-8 gets \u escapes instead of a traceback.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = cli.main(
            given,
            prog_name="graphmem",
            standalone_mode=False,
            complete_var=COMPLETION_VARIABLE,
        )
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
        told = f"standard output cannot be written: {error.strerror}"
        complain("StorageError", told, "--json" in given)
        return 1
    return status if isinstance(status, int) else 0
