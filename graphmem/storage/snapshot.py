"""One state of an open store, as its readers hold it."""

from typing import Self

from graphmem.storage import commit_keys
from graphmem.storage.block import Layered, Overlay
from graphmem.storage.engine import Reader, Snapshot


class StoreSnapshot:
    """One state of a store: see `engine.Snapshot`."""

    def __init__(
        self,
        snapshot: Snapshot,
        opened: set[object],
        sequence: int | None,
        overlay: Overlay | None = None,
    ) -> None:
        """Use `Store.snapshot`. overlay: what was written in the block that it is made in."""
        self._snapshot = snapshot
        self.provisional = overlay is not None
        """It sees what may be rolled back: nobody else may be shown what was read from it."""
        reader: Reader = snapshot
        if overlay is not None and sequence is not None:
            reader = Layered(snapshot, overlay, sequence)
        self.get, self.get_many, self.range = reader.get, reader.get_many, reader.range
        self.keys = reader.keys
        self._opened = opened
        self._token = object()
        opened.add(self._token)
        self._sequence = sequence

    @property
    def sequence(self) -> int:
        """The number of the last commit that the snapshot sees; read from it in case of doubt."""
        if self._sequence is None:
            self._sequence = commit_keys.last(self._snapshot)
        return self._sequence

    def close(self) -> None:
        self._snapshot.close()
        self._opened.discard(self._token)

    def __del__(self) -> None:
        self._opened.discard(self._token)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
