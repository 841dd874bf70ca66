"""Watching a folder: its text and Markdown files are remembered as they are edited."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from threading import Event
from typing import Final

from graphmem.api.memory import Memory
from graphmem.errors import InvalidTextError, MissingExtraError, UnreadableFileError
from graphmem.remembering.files import real_path
from graphmem.values.reports import FileReport
from graphmem_worker.errors import install

SUFFIXES: Final = (".md", ".markdown", ".rst", ".text", ".txt")
"""Endings of the names of files that are read, in any case."""

_AT_REST: Final = 1500  # milliseconds without a change, after which the folder is read
_LONGEST: Final = 10  # times `_AT_REST`: the longest wait while changes go on

Report = Callable[[FileReport], None]


def watch(
    memory: Memory,
    folder: str | os.PathLike[str],
    *,
    stop: Event | None = None,
    report: Report | None = None,
) -> None:
    """Follow the text and Markdown files in a folder and its subfolders, until `stop` is set.

    At once, and 1.5 seconds after the last change, what is new or changed is remembered as by
    `files.add`, and what is gone is forgotten. Files that did
    not change since they were last read, by this process or an earlier one, are not opened.
    Hidden files and folders, symbolic links and the memory's own folder are skipped. A file
    that cannot be read stays remembered as it was, and is tried again once it changes.

    It blocks; give it a thread of the process that has the memory open, and end that before the
    memory is closed:

        stop = threading.Event()
        follower = threading.Thread(target=graphmem.watch, args=(memory, "notes"),
                                    kwargs={"stop": stop})

    stop: checked every 1.5 seconds. report: called in this thread for each file that changed or
    was refused.

    Raises MissingExtraError without the extra `watch`, UnreadableFileError for what is no folder,
    also when it disappears, and what `files.add` raises because of the memory.
    """
    try:
        import watchfiles
    except ImportError:
        raise MissingExtraError(f"watching a folder needs watchfiles; {install('watch')}") from None
    follower = _Follower(memory, real_path(folder), report or (lambda _: None), stop or Event())
    follower.look()
    first = True
    for changes in watchfiles.watch(
        follower.folder,
        watch_filter=lambda _, path: follower.concerns(path),
        debounce=_LONGEST * _AT_REST,
        step=_AT_REST,
        stop_event=follower.stop,
        yield_on_timeout=True,
        ignore_permission_denied=True,
    ):
        # Changes before the watch had begun are found by a full look at the first ones.
        follower.look([path for _, path in changes], everything=first)
        first = False


class _Follower:
    """Keeps the memory up to date with a watched folder."""

    def __init__(self, memory: Memory, folder: str, report: Report, stop: Event) -> None:
        self.folder = folder
        self.stop = stop
        self._memory = memory
        self._own = None if memory.path is None else real_path(memory.path)
        self._report = report
        self._seen: dict[str, tuple[int, int]] = {}  # path → size, time of change

    def look(self, changed: list[str] | None = None, *, everything: bool = True) -> None:
        """Read new or changed files, forget deleted ones. changed: paths to read even if size and
        time are as before."""
        self._require_folder()
        if not (changed or everything):
            return
        for path in changed or ():
            self._seen.pop(path, None)
        for path, state in self._files():
            if self.stop.is_set():
                return
            if self._seen.get(path) != state:
                self._seen[path] = state
                self._read(path)
        # Last, so that a file that was renamed is not missing in between.
        for path in self._memory.files.list():
            if path.startswith(self.folder + os.sep) and _is_gone(path):
                self._require_folder()  # else all its files would count as deleted
                self._seen.pop(path, None)
                self._report(self._memory.files.remove(path))

    def _require_folder(self) -> None:
        if not os.path.isdir(self.folder):
            raise UnreadableFileError(
                f"{self.folder} is no folder; what is remembered of it was left alone"
            )

    def _read(self, path: str) -> None:
        try:
            result = self._memory.files.add(path)
        except (InvalidTextError, UnreadableFileError) as error:
            if _is_gone(path):
                return
            result = FileReport(path, 0, 0, 0, refused=str(error))
        if result.changed or result.refused:
            self._report(result)

    def concerns(self, path: str) -> bool:
        """Whether a path may be that of a remembered file: not hidden, not the memory's own."""
        inside = os.path.relpath(path, self.folder)
        hidden = any(part.startswith(".") for part in inside.split(os.sep) if part != ".")
        own = self._own is not None and (path + os.sep).startswith(self._own + os.sep)
        return not (hidden or own)

    def _files(self) -> Iterator[tuple[str, tuple[int, int]]]:
        for folder, inner, names in os.walk(self.folder):
            inner[:] = sorted(name for name in inner if self.concerns(os.path.join(folder, name)))
            for name in sorted(names):
                path = os.path.join(folder, name)
                if not name.lower().endswith(SUFFIXES) or not self.concerns(path):
                    continue
                try:
                    status = os.lstat(path)
                except OSError:  # gone, or in a folder that may be listed but not entered
                    continue
                if stat.S_ISREG(status.st_mode):
                    yield path, (status.st_size, status.st_mtime_ns)


def _is_gone(path: str) -> bool:
    """True only if it is certain; a path that may not be examined counts as there."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
