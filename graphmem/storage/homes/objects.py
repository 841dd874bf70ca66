"""Snapshots in object storage: one object a part, under a prefix of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from errno import EIO
from importlib.util import find_spec
from typing import Any, Final

from graphmem.errors import MissingExtraError, StorageError
from graphmem.storage.homes.home import ReplacedError

_UNDERWAY: Final = timedelta(hours=1)
"""For which objects that no memory names are left alone: a snapshot may be being written."""


class Objects:
    """A prefix of object storage, by a URL of obstore: s3://…, gs://…, az://…, file:///…."""

    def __init__(self, url: str) -> None:
        if find_spec("obstore") is None:
            raise MissingExtraError("objects= needs obstore: pip install obstore")
        from obstore import store

        options: dict[str, Any] = {"mkdir": True} if url.startswith("file:") else {}
        self._url = url
        self._store: Any = store.from_url(url, **options)

    def put(self, folder: str, part: int, content: bytes) -> None:
        """Store a part. Raises StorageError, as all methods."""
        with self._told():
            self._store.put(_name(folder, part), content)

    def get(self, folder: str, part: int) -> bytes:
        """A part. Raises ReplacedError if it is not there."""
        with self._told():
            try:
                return bytes(self._store.get(_name(folder, part)).bytes())
            except FileNotFoundError:
                raise ReplacedError(f"the object {_name(folder, part)}") from None

    def remove(self, folder: str) -> None:
        """Delete all parts of a folder, or of all folders of a memory."""
        with self._told():
            for page in self._store.list(prefix=f"{folder}/"):
                self._store.delete([found["path"] for found in page])

    def clean(self, named: set[str]) -> int:
        """Delete the parts of folders that are not named, but for new ones. Returns how many."""
        before = datetime.now(UTC) - _UNDERWAY
        deleted = 0
        with self._told():
            for page in self._store.list():
                gone = [
                    found["path"]
                    for found in page
                    if found["path"].rpartition("/")[0] not in named
                    and found["last_modified"] < before
                ]
                if gone:
                    self._store.delete(gone)
                deleted += len(gone)
        return deleted

    @contextmanager
    def _told(self) -> Iterator[None]:
        from obstore.exceptions import BaseError

        try:
            yield
        except (BaseError, OSError) as error:
            raise StorageError(EIO, f"object storage fails ({error!s:.200})", self._url) from error


def _name(folder: str, part: int) -> str:
    return f"{folder}/{part:06}"
