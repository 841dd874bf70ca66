"""Runs: as many statements of RDF files as are sorted at once, and their distinct terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from graphmem.errors import CollisionError
from graphmem.hexastore import terms
from graphmem.rdf import tokens
from graphmem.rdf.batches import BATCH
from graphmem.rdf.statements import Chunk

if TYPE_CHECKING:
    from numpy.typing import NDArray

Ranks: TypeAlias = "NDArray[np.uint64]"

_RUN: Final = 1 << 20  # statements, or distinct terms, of a run: 3 × 21 bits fit in 64
_TEXT: Final = 128 << 20  # bytes of distinct terms that are held at once
_BITS: Final = np.uint64(21)  # of a rank: a run may be over its bounds by a chunk
_TWICE: Final = np.uint64(2 * 21)
_MASK: Final = np.uint64((1 << 21) - 1)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The distinct terms of a run in the order of their ids; the place of a term is its rank."""

    ids: NDArray[np.void]
    """16 bytes each. The first, all zeros, is no term."""
    forms: list[bytes]
    """In the dictionary; empty for a term that is in its id."""

    def entered(self, ranks: Ranks) -> Ranks:
        """Those that the dictionary has, each once, in order."""
        ranks = distinct(ranks)
        tags = self.ids[ranks].view(np.uint8)[::16]
        return ranks[np.isin(tags, tuple(terms.HASHED_TAGS))]

    def graph(self, rank: int) -> str:
        """The name of the graph that a term names."""
        form = self.forms[rank].decode()
        if form.startswith("_:"):
            return form
        return form[1:-1] or str(terms.decode_inline(self.ids[rank].tobytes()))

    def keys(self, prefix: bytes, columns: Sequence[Ranks]) -> Iterator[list[bytes]]:
        """Keys of a prefix and the ids of ranks, one of each column; as many as fit in a batch."""
        kind = np.dtype([("prefix", f"V{len(prefix)}"), ("ids", "V16", (len(columns),))])
        for start in range(0, len(columns[0]), BATCH):
            some = [column[start : start + BATCH] for column in columns]
            block = np.empty(len(some[0]), kind)
            block["prefix"] = np.void(prefix)
            for place, column in enumerate(some):
                block["ids"][:, place] = self.ids[column]
            yield block.view(f"V{kind.itemsize}").tolist()


class Run:
    """Statements of one file, until they are sorted."""

    def __init__(self, salt: str) -> None:
        """salt: makes the labels of blank nodes those of the file."""
        self._numbers = _Numbers(salt)
        self._parts: list[list[NDArray[np.uint32]]] = []
        self._statements = 0

    def enter(self, chunk: Chunk) -> None:
        """Take statements. Raises ReservedError and UnfitError; then it has taken none."""
        size, number = len(chunk[0]), self._numbers.__getitem__
        part = [np.fromiter(map(number, column), np.uint32, size) for column in chunk]
        tokens.check_predicates(chunk[1])
        self._parts.append(part)
        self._statements += size

    def __len__(self) -> int:
        return self._statements

    @property
    def full(self) -> bool:
        """Whether it is time to sort it."""
        numbers = self._numbers
        return max(self._statements, len(numbers)) >= _RUN or numbers.size >= _TEXT

    def ranked(self) -> tuple[Vocabulary, Iterator[tuple[int, Ranks]]]:
        """Its terms, and for each graph its rank, 0 for none, and its triples; see `packed`.

        Raises CollisionError.
        """
        ranks, vocabulary = self._numbers.ranked()
        columns = zip(*self._parts, strict=True)
        s, p, o, graphs = (ranks[np.concatenate(column)] for column in columns)
        order = np.argsort(graphs, kind="stable") if graphs.any() else slice(None)
        rows = packed([column.astype(np.uint64) for column in (s, p, o)])[order]
        found, starts = np.unique(graphs[order], return_index=True)
        parts = np.split(rows, starts[1:])
        return vocabulary, ((int(g), distinct(part)) for g, part in zip(found, parts, strict=True))


class _Numbers(dict[bytes, int]):
    """Numbers of tokens in the order in which they are first asked for, with ids and forms.

    Number 0 is no term, but the graph of a statement that names none.
    """

    def __init__(self, salt: str) -> None:
        super().__init__({b"": 0})
        self.size = 0  # bytes of all tokens
        self._salt = salt
        self._ids = bytearray(terms.TERM_BYTES)
        self._forms = [b""]

    def __missing__(self, token: bytes) -> int:
        identifier, form = tokens.identify(token, self._salt)
        self._ids += identifier
        self._forms.append(form)
        self.size += len(token)
        number = self[token] = len(self)
        return number

    def ranked(self) -> tuple[NDArray[np.uint32], Vocabulary]:
        """The rank of each number; what has which rank. Raises CollisionError."""
        ids = np.frombuffer(bytes(self._ids), "V16")
        high, low = ids.view(">u8").astype(np.uint64).reshape(-1, 2).T
        order = np.lexsort((low, high))
        new = np.ones(len(order), bool)
        high, low = high[order], low[order]
        new[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
        first, ranks = order[new], np.empty(len(order), np.uint32)
        ranks[order] = np.cumsum(new) - 1
        for twin in order[~new]:  # written in two ways, such as with an escape and without
            form, other = self._forms[twin], self._forms[first[ranks[twin]]]
            if form != other:
                raise collision(form, other)
        return ranks, Vocabulary(ids[first], [self._forms[number] for number in first])


def collision(form: bytes, known: bytes) -> CollisionError:
    """The error for two terms of one hash."""
    return CollisionError(
        f"{form.decode()[:80]} has the same 120-bit hash as {known.decode()[:80]}; nothing was "
        "loaded: write it in another form"
    )


def packed(columns: Sequence[Ranks]) -> Ranks:
    """Triples of ranks as numbers that sort as they do."""
    first, second, third = columns
    rows: Ranks = first << _TWICE | second << _BITS | third
    return rows


def unpacked(rows: Ranks) -> list[Ranks]:
    """The columns of triples; see `packed`."""
    return [rows >> _TWICE, rows >> _BITS & _MASK, rows & _MASK]


def distinct(values: Ranks) -> Ranks:
    """Values in order, each once; numpy.unique takes several times as long."""
    values = np.sort(values)
    new = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return values[new]
