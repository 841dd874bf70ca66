"""Atomic writing of a user's files: beside the target first, then renamed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from graphmem.errors import GraphMemError, StorageError
from graphmem.storage.folder import path_name


def write_text(given: str | os.PathLike[str], text: str) -> int:
    """Write a text to a file, or to the standard output for "-"; returns its characters. Raises
    like `write_whole`."""
    if given == "-":
        return sys.stdout.write(text)
    return write_whole(given, lambda place: place.write_text(text, "utf-8"))


def write_whole(given: str | os.PathLike[str], write: Callable[[Path], int]) -> int:
    """Have `write` write `….part` beside the file `given`, then rename it to `given`; returns what
    `write` returns.

    A link is followed; a pipe or a device is written directly. The file holds memories, so it has
    mode 0600, even if it replaces one that others could read. Raises ArgumentTypeError,
    InvalidArgumentError, and StorageError for any other OSError.
    """
    path = path_name(given)
    if os.path.exists(path) and not os.path.isfile(path):
        place = part = Path(path)  # a file must not replace /dev/null
    else:
        place = Path(os.path.realpath(path))
        part = Path(f"{place}.part")
    try:
        if part != place:
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
            part.chmod(0o600)  # also one that a killed process left
        count = write(part)
        if part != place:
            os.replace(part, place)
    except BaseException as error:
        if part != place:
            with suppress(OSError):
                part.unlink()
        if isinstance(error, OSError) and not isinstance(error, GraphMemError):
            why = error.strerror or error
            raise StorageError(f"{path:.300} cannot be written: {why}") from None
        raise
    return count
