"""What a peer stores and answers, and how it is timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Protocol
from uuid import UUID

DAMPING: Final = 0.5  # share of a score that a hop passes on, times the link's strength
DECAY: Final = 0.97  # factor of a pass
TRIPLES_AT_ONCE: Final = 500  # links or bare triples of one bulk write

Link = tuple[int, int, float]  # source, target, strength
Timed = tuple[list[float], list[Any]]  # seconds and answer of each operation


class AbsentError(Exception):
    """Raised when a peer is not installed; says what to do about it."""


@dataclass(frozen=True, slots=True)
class Item:
    """A memory to be written: its text and keywords are given, its links go to earlier ones."""

    id: int
    sentences: tuple[tuple[str, float], ...]  # text, salience (which only graphmem keeps)
    phrase: str
    keywords: tuple[str, ...]
    created: int  # microseconds since 1970
    links: tuple[Link, ...]  # both ways

    @property
    def content(self) -> str:
        """The whole text."""
        return "".join(text for text, _ in self.sentences)


@dataclass(frozen=True, slots=True)
class Walk:
    """A 2-hop recall: from the nodes in focus along all links, or each node's strongest ones.

    score(n) = Σ over walks of one and of two links, from a node in focus to n, of the product of
    DAMPING × strength of each link.
    """

    focus: tuple[int, ...]
    strongest: int | None = None


class Peer(Protocol):
    """A database under measurement. Answers are the same for all peers, which is checked."""

    name: str
    operations: frozenset[str]
    """Those of these that it knows:

    write(Item): one atomic write. read(id) → (content, phrase, sorted keywords).
    neighbours(id) → target → strength. two_hop(Walk) → node → score. unscored(Walk) → nodes, by the
    peer's own join or path query. decay(None): every link × DECAY. delete(id): the node and its
    out-links. link(list of Link), bare(list of (s, p, o)): new links, new triples, in bulk.
    """

    def run(self, operation: str, arguments: Sequence[Any], seconds: float) -> Timed:
        """Do an operation for each argument until `seconds` are over, at least once."""
        ...

    def settle(self) -> int:
        """Compact, close, open again; returns the bytes on disk while it was closed."""
        ...

    def close(self) -> None:
        """Let go of the files."""
        ...


class InProcess:
    """A peer in this process: an operation is a method."""

    def run(self, operation: str, arguments: Sequence[Any], seconds: float) -> Timed:
        """See `Peer.run`."""
        return timed(getattr(self, operation), arguments, seconds)


def timed(function: Callable[[Any], Any], arguments: Sequence[Any], seconds: float) -> Timed:
    """Call `function` with each argument until `seconds` are over, at least once."""
    times: list[float] = []
    answers: list[Any] = []
    end = time.perf_counter() + seconds
    for argument in arguments:
        begun = time.perf_counter()
        answer = function(argument)
        now = time.perf_counter()
        times.append(now - begun)
        answers.append(answer)
        if now > end:
            break
    return times, answers


def uuid_of(node: int) -> str:
    """The same random UUID for a node in every run, for peers whose ids are strings."""
    digest = blake2b(node.to_bytes(8, "big"), digest_size=16).digest()
    return str(UUID(bytes=digest, version=4))


def folder_bytes(path: Path) -> int:
    """Bytes that the files of a folder take on the disk."""
    return sum(512 * file.stat().st_blocks for file in path.rglob("*") if file.is_file())
