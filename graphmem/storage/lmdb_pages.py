"""Reads LMDB's file without LMDB, which maps the file and trusts it: a page beyond the end of a
truncated file ends the process with SIGBUS, as may a page with a damaged header.

Format: `MDB_page`, `MDB_node` and `MDB_meta` in mdb.c of LMDB 0.9, on 64-bit machines that store
the least byte first.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Self

_SIZES: Final = (4096, 8192, 16384, 32768, 65536)
_META: Final = struct.Struct("<16xII16xI36xQ40xQQQ")
"""Magic, version, bytes of a page, root of the free pages, root of the pairs, last page,
transaction."""
_MAGIC: Final = 0xBEEFC0DE
_HEADER: Final = struct.Struct("<QxxHHxx")  # number, flags, end of the list of nodes
_NODE: Final = struct.Struct("<HHHH")  # a size or page in three parts, bytes of the key
_BRANCH, _LEAF, _OVERFLOW = 1, 2, 4  # flags of a page
_BIG: Final = 1  # flag of a node whose value has pages of its own
_NO_PAGE: Final = (1 << 64) - 1


class Pages:
    """A file of LMDB, open to read; all may raise OSError."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._reached: set[int] = set()
        self._lost: set[int] = set()
        places = [(size, at) for size in _SIZES for at in (0, size)]
        found = [(size, self._read(at, _META.size)) for size, at in places]
        metas = [_META.unpack(meta) for _, meta in found if len(meta) == _META.size]
        metas = [meta for meta in metas if meta[0] == _MAGIC and meta[2] in _SIZES]
        # The newest; without any, an empty tree.
        newest = max(metas, key=lambda meta: meta[-1], default=(0, 0, _SIZES[0], 0, 0, 0, 0))
        self._size, self._free, self._root = newest[2:5]
        self._count = -(-os.fstat(self._file.fileno()).st_size // self._size)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def missing(self) -> int:
        """How many pages that the tree of pairs or of free pages refers to are missing or invalid.
        A lower bound, since pages that only these refer to are not known."""
        for root in (self._free, self._root):
            for page in self._leaves(root):
                for _ in self._pairs(page):
                    pass
        return len(self._lost)

    def pairs(self) -> Iterator[tuple[bytes, bytes | None, bool]]:
        """Keys with stored values (None: unreadable), and whether the tree reaches them. If any of
        its pages is missing, pairs in no page of the tree come first: they may be older, or have
        been deleted."""
        if self.missing():
            free = set[int]()
            for page in self._leaves(self._free):
                for _, listed in self._pairs(page):  # how many, and the page numbers
                    count = len(listed or b"") // 8
                    free.update(struct.unpack_from(f"<{count}Q", listed or b"")[1:])
            for number in range(2, self._count):
                if number not in self._reached and number not in free:
                    stray = self._page(number, _LEAF) or b""
                    yield from ((*pair, False) for pair in self._pairs(stray))
        for page in self._leaves(self._root):
            yield from ((*pair, True) for pair in self._pairs(page))

    def _leaves(self, root: int) -> Iterator[bytes]:
        """The leaves of a tree in order."""
        waiting, seen = [root], set[int]()
        while waiting:
            number = waiting.pop()
            if number == _NO_PAGE or number in seen:
                continue
            seen.add(number)
            page = self._page(number, _BRANCH | _LEAF)
            if page is None:
                self._lost.add(number)
                continue
            self._reached.add(number)
            if len(page) < self._size:
                self._lost.add(number)
            if _HEADER.unpack_from(page)[1] & _LEAF:
                yield page
            else:
                children = [low | high << 16 | top << 32 for low, high, top, *_ in _nodes(page)]
                waiting += reversed(children)

    def _pairs(self, page: bytes) -> Iterator[tuple[bytes, bytes | None]]:
        for low, high, flags, length, at in _nodes(page):
            size, start = low | high << 16, at + length
            key, value = page[at:start], page[start : start + size]
            if flags & _BIG:
                number = int.from_bytes(page[start : start + 8], "little")
                first = self._page(number, _OVERFLOW)
                place = number * self._size + _HEADER.size
                value = b"" if first is None else self._read(place, size)
                self._reached.update(range(number, -(-(place + size) // self._size)))
                if len(value) < size:
                    self._lost.add(number)
            if len(key) == length:
                yield key, value if len(value) == size else None

    def _page(self, number: int, kinds: int) -> bytes | None:
        """A page, possibly truncated; None if it is missing or of none of these kinds."""
        page = self._read(number * self._size, self._size) if number < self._count else b""
        if len(page) < _HEADER.size:
            return None
        found, flags, _ = _HEADER.unpack_from(page)
        return page if found == number and flags & kinds else None

    def _read(self, at: int, size: int) -> bytes:
        return os.pread(self._file.fileno(), size, at)


def _nodes(page: bytes) -> Iterator[tuple[int, int, int, int, int]]:
    """The headers of the nodes of a page, each with the offset of its key."""
    end = min(_HEADER.unpack_from(page)[2], len(page) - 1) if page else 0
    for place in range(_HEADER.size, end, 2):
        at = int.from_bytes(page[place : place + 2], "little")
        if at + _NODE.size <= len(page):
            yield *_NODE.unpack_from(page, at), at + _NODE.size
