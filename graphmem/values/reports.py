"""Reports on a sweep, a file, a sync or a repair."""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.values.html import Shown


@dataclass(frozen=True, slots=True)
class SweepReport(Shown):
    """What a sweep did.

    passes: the scope's pass counter now.
    made: passes made by this call.
    examined: number of nodes that were examined, being due or the next to make room.
    shortened: number of nodes that lost sentences or clauses, and kept some.
    gists: number of nodes that lost their last sentence.
    forgotten: number of nodes that were forgotten.
    waiting: number of nodes that are due but were not reached in time; the next sweep begins with
        them.
    text_bytes, live_bytes: the size of the live text, and of all live data, now.
    """

    passes: int
    made: int
    examined: int
    shortened: int
    gists: int
    forgotten: int
    waiting: int
    seconds: float
    text_bytes: int
    live_bytes: int


@dataclass(frozen=True, slots=True)
class FileReport(Shown):
    """The result of reading or forgetting a file.

    path: the real path of the file.
    added: number of chunks that were remembered.
    kept: number of chunks that were already stored.
    forgotten: number of chunks that are no longer in the file, and were forgotten.
    refused: why `watch` could not read it; "" if it could.
    """

    path: str
    added: int
    kept: int
    forgotten: int
    refused: str = ""

    @property
    def changed(self) -> bool:
        """Whether the memory changed."""
        return bool(self.added or self.forgotten)


@dataclass(frozen=True, slots=True)
class SyncReport(Shown):
    """The result of synchronising a project's folder with its scope.

    path: the folder's real path.
    files: the results of the files that are in the folder, or were.
    written: ids of the decisions that were added to decisions.yaml.
    withheld: ids of those that were not added, because a secret was cut out of them.
    """

    path: str
    files: tuple[FileReport, ...]
    written: tuple[int, ...] = ()
    withheld: tuple[int, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether the memory or the folder changed."""
        return bool(self.written) or any(file.changed for file in self.files)


@dataclass(frozen=True, slots=True)
class RepairReport(Shown):
    """What a repair found and restored.

    damaged: where the damaged folder is now, as it was.
    unreadable: which bytes of which files.
    lost: what is known to be lost or out of date, a sentence each.
    nodes: in all scopes together.
    triples: links included.
    """

    path: str
    damaged: str
    unreadable: tuple[str, ...]
    lost: tuple[str, ...]
    nodes: int
    links: int
    triples: int
