"""Reports: what a sweep, a file, a sync or a repair did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What a sweep did."""

    passes: int  # the scope's pass counter now
    made: int  # passes made by this call
    examined: int  # nodes that were due
    shortened: int  # lost sentences or clauses, kept some
    gists: int  # lost their last sentence
    forgotten: int
    waiting: int  # due, but not reached in time; they wait, already decayed
    seconds: float
    text_bytes: int  # live text now, UTF-8
    live_bytes: int


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of a file that was read, or forgotten."""

    path: str  # the real path
    added: int  # chunks remembered
    kept: int  # chunks that were known
    forgotten: int  # chunks that are not in it any more
    refused: str = ""  # why `watch` could not read it

    @property
    def changed(self) -> bool:
        """Whether the memory changed."""
        return bool(self.added or self.forgotten)


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What became of a project's folder and the scope that follows it."""

    path: str  # the folder's real path
    files: tuple[FileReport, ...]  # of those that are there, or were
    written: tuple[int, ...] = ()  # decisions that were added to decisions.yaml
    withheld: tuple[int, ...] = ()  # decisions that were not, for a secret was cut out of them

    @property
    def changed(self) -> bool:
        """Whether the memory or the folder changed."""
        return bool(self.written) or any(file.changed for file in self.files)


@dataclass(frozen=True, slots=True)
class RepairReport:
    """What a repair found and made."""

    path: str
    damaged: str  # where the damaged folder is now, as it was
    unreadable: tuple[str, ...]  # which bytes of which files
    lost: tuple[str, ...]  # what is known to be lost, or older than it was, a sentence each
    nodes: int  # in all scopes together
    links: int
    triples: int  # links among them
