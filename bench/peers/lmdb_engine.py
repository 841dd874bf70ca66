"""LMDB beneath graphmem's own rooms: the same layout and code, the other engine."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from bench.peers.graphmem_rooms import Rooms
from bench.peers.peer import AbsentError
from graphmem.storage.store import Store

try:
    from graphmem.storage.lmdb import LMDBEngine
except ImportError as error:
    raise AbsentError("LMDB is not installed: make setup-bench") from error


class RoomsOnLMDB(Rooms):
    """graphmem's rooms over LMDB. Commits survive the process, not a power cut."""

    def __init__(self, path: Path) -> None:
        name = f"graphmem on lmdb {version('lmdb')}"
        super().__init__(name, path, _store, words=False)

    def settle(self) -> int:
        """See `Peer.settle`; what is live is written to a new file."""
        self.store.compact(b"", b"\xff" * 16)
        return super().settle()


def _store(folder: Path) -> Store:
    return Store(LMDBEngine(folder, ordered=False), None)
