"""Snapshots in object storage: one object a part, under a prefix of their own. Nothing is deleted
for want of a name: others may have objects under the same URL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from errno import EIO
from importlib.util import find_spec
from typing import Any

from graphmem.errors import MissingExtraError, StorageError
from graphmem.storage.homes.home import ReplacedError


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
        with self._translating():
            self._store.put(_name(folder, part), content)

    def get(self, folder: str, part: int) -> bytes:
        """A part. Raises ReplacedError if it is not there."""
        with self._translating():
            try:
                return bytes(self._store.get(_name(folder, part)).bytes())
            except FileNotFoundError:
                raise ReplacedError(f"the object {_name(folder, part)}") from None

    def remove(self, folder: str, but: str | None = None) -> None:
        """Delete all parts of a folder, or of all folders in it `but` one."""
        with self._translating():
            for page in self._store.list(prefix=f"{folder}/"):
                paths = [found["path"] for found in page]
                if gone := [path for path in paths if not path.startswith(f"{but}/")]:
                    self._store.delete(gone)

    @contextmanager
    def _translating(self) -> Iterator[None]:
        from obstore.exceptions import BaseError

        try:
            yield
        except (BaseError, OSError) as error:
            raise StorageError(EIO, f"object storage fails ({error!s:.200})", self._url) from error


def _name(folder: str, part: int) -> str:
    return f"{folder}/{part:06}"
