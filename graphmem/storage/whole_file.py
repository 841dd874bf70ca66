"""Files of a user's that are written whole: beside their place first, and then put there."""

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
    """Have `write` write `….part` beside the file `given`, and put it there when it is whole;
    returns what `write` returns.

    A link is followed; a pipe or a device is written to as it is. The file holds memories, so it
    has mode 0600, also in the place of one that others could read. Raises ArgumentTypeError,
    InvalidArgumentError, and StorageError in the place of any other OSError.
    """
    path = path_name(given)
    if os.path.exists(path) and not os.path.isfile(path):
        place = part = Path(path)  # a file in the place of /dev/null would be everybody's loss
    else:
        place = Path(os.path.realpath(path))
        part = Path(f"{place}.part")
    try:
        if part != place:
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
            part.chmod(0o600)  # also of one that a killed process left
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
