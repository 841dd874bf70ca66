"""Snapshots in object storage: one object a part, under a prefix of their own. Unknown objects are
never deleted: others may have objects under the same URL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from errno import EIO, ENOENT
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from graphmem.errors import MissingExtraError, StorageError
from graphmem.storage.homes.home import ReplacedError


class Objects:
    """A prefix of object storage, by a URL of obstore: s3://…, gs://…, az://…, file:///…."""

    def __init__(self, url: str) -> None:
        if find_spec("obstore") is None:
            raise MissingExtraError("objects= needs obstore: pip install obstore")
        self._url = url
        parts = urlsplit(url)
        self._folder = Path(unquote(parts.path)) if parts.scheme == "file" else None
        if self._folder is None:
            _ = self._store  # raises now for a wrong URL

    @cached_property
    def _store(self) -> Any:
        from obstore import store

        return store.from_url(self._url)

    def make(self) -> None:
        """Make the folder of file:///…, but not what it is in. A bucket is the operator's."""
        if self._folder is not None:
            try:
                self._folder.mkdir(mode=0o700, exist_ok=True)
            except OSError as error:
                why = f"the folder of objects cannot be made ({error.strerror})"
                raise StorageError(error.errno, why, self._url) from error

    def require(self) -> None:
        """Raise StorageError if the bucket or folder does not exist."""
        with self._translating():
            next(iter(self._store.list(chunk_size=1)), None)

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
            if self._folder is not None and not self._folder.is_dir():
                raise FileNotFoundError
            yield
        except FileNotFoundError as error:
            raise StorageError(
                ENOENT,
                "no bucket or folder of objects is there: mount it, name it by objects=, or, if "
                "it is new, make it",
                self._url,
            ) from error
        except (BaseError, OSError) as error:
            raise StorageError(EIO, f"object storage fails ({error!s:.200})", self._url) from error


def _name(folder: str, part: int) -> str:
    return f"{folder}/{part:06}"
