"""The two records of a node, and what a user sees of them.

The text record is a msgpack list, compressed when that helps; the node record is fixed and small,
because it changes with every use.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import msgpack

from graphmem.errors import CorruptError, InvalidArgumentError
from graphmem_worker.words import words

if TYPE_CHECKING:
    from graphmem.graph.worth import Worth

_COMPRESS_FROM: Final = 512  # bytes; below this zlib gains nothing on a msgpack list
_PLAIN, _ZLIB = b"\x00", b"\x01"
_NODE: Final = struct.Struct(">IIBxxxQQQQq")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_PINNED, _ENRICHED = 1, 2


class Form(IntEnum):
    """How much of a memory is left."""

    WHOLE = 0
    SHORTER = 1
    GIST = 2  # phrase and keywords only

    def __str__(self) -> str:
        return self.name.lower()


class Sentence(NamedTuple):
    """A span of the source with what it is worth keeping."""

    text: str
    salience: float  # > 0; graphmem_worker.salience

    @property
    def density(self) -> float:
        """Salience per square root of the length in characters."""
        return density(self.salience, self.text)


def density(salience: float, text: str) -> float:
    """Salience per square root of the length: worth before it is set against the median."""
    return float(salience / max(1, len(text.strip())) ** 0.5)


class TextRecord(NamedTuple):
    """What a node says. Its spans concatenate to a part of the source, in its order.

    Spans and saliences stand apart, for thousands of records are cached: Python's collector does
    not look at tuples of strings or numbers again.
    """

    spans: tuple[str, ...]  # sentences, with the space behind them
    saliences: tuple[float, ...]  # of the spans
    phrase: str
    keywords: tuple[str, ...]
    speaker: str | None = None
    happened: tuple[int, int] | None = None  # microseconds since 1970 UTC, offset in minutes
    session: str | None = None
    created: int = 0  # microseconds since 1970, UTC
    characters: int = 0  # length of the whole text when it was remembered
    given: int = 0  # how many of the keywords, at their beginning, a user gave
    last_density: float = 0.0  # of the best sentence dropped last; what a gist is judged by
    derived: str = ""  # what a model wrote of it and the gate let pass; never the source's words

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The spans with what each is worth keeping."""
        return tuple(map(Sentence, self.spans, self.saliences))

    @property
    def text(self) -> str:
        """The sentences, joined; empty for a gist."""
        return "".join(self.spans).strip()

    @property
    def form(self) -> Form:
        """How much is left."""
        return self._form(self.text)

    def _form(self, text: str) -> Form:
        if not self.spans:
            return Form.GIST
        return Form.WHOLE if len(text) >= self.characters else Form.SHORTER

    @property
    def words(self) -> list[str]:
        """The index words under which the node is found: what it still says, what a model added
        to that, speaker and day."""
        text = "".join(self.spans)
        extra = [k for k in self.keywords if k not in text]
        if not text:
            extra.append(self.phrase)
        found = words(" ".join((text, *extra)))
        if self.derived:
            known = set(found)
            found += [word for word in words(self.derived) if word not in known]
        if self.speaker is not None:
            found += words(self.speaker)
        if self.happened is not None:
            found.append(moment(*self.happened).date().isoformat())
        return found

    @property
    def size(self) -> int:
        """UTF-8 bytes of what it says: its sentences, or the gist that is left of them, and what
        a model wrote."""
        spans = self.spans or (self.phrase, *self.keywords)
        return len("".join((*spans, self.derived)).encode())

    def pack(self) -> bytes:
        """The record on disk: a flag byte, then msgpack, compressed from 512 bytes on."""
        body: bytes = msgpack.packb(self if self.derived else self[:-1])
        if len(body) >= _COMPRESS_FROM:
            packed = zlib.compress(body, 1)
            if len(packed) < len(body):
                return _ZLIB + packed
        return _PLAIN + body

    @classmethod
    def unpack(cls, record: bytes) -> TextRecord:
        """Read a record. Raises CorruptError when it is not one."""
        try:
            body = zlib.decompress(record[1:]) if record[:1] == _ZLIB else record[1:]
            fields = msgpack.unpackb(body)
            fields[0], fields[1], fields[3] = map(tuple, (fields[0], fields[1], fields[3]))
            if len(fields[0]) != len(fields[1]):
                raise ValueError(f"{len(fields[0])} sentences with {len(fields[1])} saliences")
            if (happened := fields[5]) is not None:
                fields[5] = (happened[0], happened[1])
            if not 11 <= len(fields) <= 12:
                raise ValueError(f"{len(fields)} fields")
            return cls(*fields)
        except (ValueError, TypeError, LookupError, zlib.error, msgpack.UnpackException) as error:
            raise CorruptError(f"a text record cannot be read ({error}); run check()") from None


class NodeRecord(NamedTuple):
    """What changes often about a node."""

    version: int = 1  # of the text: +1 with each shorter form, correction or revival
    uses: int = 0
    pinned: bool = False
    enriched: bool = False  # the worker has scored this version
    born: int = 0  # pass
    last_use: int = 0  # pass
    due: int = 0  # pass; the node's one key in the due index
    text_hash: int = 0  # first 8 bytes of BLAKE2b over the sentences
    last_used: int = 0  # microseconds since 1970, UTC; 0: never

    def pack(self) -> bytes:
        """The 52 bytes on disk."""
        flags = (_PINNED if self.pinned else 0) | (_ENRICHED if self.enriched else 0)
        return _NODE.pack(
            self.version,
            self.uses,
            flags,
            self.born,
            self.last_use,
            self.due,
            self.text_hash,
            self.last_used,
        )

    @classmethod
    def unpack(cls, record: bytes) -> NodeRecord:
        """Read a record. Raises CorruptError when it is not one."""
        try:
            version, uses, flags, *rest = _NODE.unpack(record)
        except struct.error as error:
            raise CorruptError(f"a node record cannot be read ({error}); run check()") from None
        return cls(version, uses, bool(flags & _PINNED), bool(flags & _ENRICHED), *rest)

    def used(self, passes: int, now: int) -> NodeRecord:
        """The record after one more use, at pass `passes` and time `now`."""
        return self._replace(uses=self.uses + 1, last_use=passes, last_used=now)


class _Explained:
    """Where a node came from, so that it can be asked; no field, so no part of its value."""

    __slots__ = ("_explain",)
    _explain: Callable[[], Worth]


@dataclass(frozen=True, slots=True)
class Node(_Explained):
    """A memory as a user sees it, at the moment it was read."""

    id: int
    text: str  # "" once only the gist is left
    phrase: str
    keywords: tuple[str, ...]
    speaker: str | None
    happened: datetime | None  # as given, with its offset
    session: str | None
    created: datetime  # UTC
    uses: int
    last_used: datetime | None  # UTC
    pinned: bool
    version: int
    form: Form
    kept: float  # share of the original characters that is left, 0–1
    sentences: tuple[str, ...] = field(repr=False)
    derived: str = ""  # what a model wrote beside the text (`may_write`), "" for nothing

    @classmethod
    def of(cls, identifier: int, text: TextRecord, node: NodeRecord) -> Node:
        """Put the two records of node `identifier` together."""
        said = text.text
        # By position: named, sixteen arguments take as long again as all the rest.
        return cls(
            identifier,
            said,
            text.phrase,
            text.keywords,
            text.speaker,
            None if text.happened is None else moment(*text.happened),
            text.session,
            moment(text.created),
            node.uses,
            moment(node.last_used) if node.last_used else None,
            node.pinned,
            node.version,
            text._form(said),
            min(1.0, len(said) / max(1, text.characters)),
            text.spans,
            text.derived,
        )

    @property
    def worth(self) -> Worth:
        """Why it is worth keeping and what of it goes next, as of now; for nodes of `memory[id]`.

        Raises InvalidArgumentError for a node that came another way, and as `Memory.worth` does.
        """
        if hasattr(self, "_explain"):
            return self._explain()
        raise InvalidArgumentError(f"ask memory[{self.id}].worth; this node was not read so")

    def explained_by(self, explain: Callable[[], Worth]) -> Self:
        """The node itself, with what answers for its `worth`."""
        object.__setattr__(self, "_explain", explain)
        return self

    def __repr__(self) -> str:
        return f"<Node {self.id} {self.form} {str(self)[:60]!r}>"

    def __str__(self) -> str:
        gist = self.derived or ": ".join(filter(None, (self.phrase, ", ".join(self.keywords))))
        return self.text or f"({gist})"


def once_knew(phrase: str, keywords: tuple[str, ...]) -> str:
    """What is said of a node that has been forgotten."""
    return f"once knew: {phrase}" + (f" ({', '.join(keywords)})" if keywords else "")


def moment(micros: int, offset: int = 0) -> datetime:
    """The aware datetime of microseconds since 1970 UTC, shown at `offset` minutes from UTC.

    Raises CorruptError for a date that cannot be.
    """
    try:
        when = _EPOCH + timedelta(0, 0, micros)
        return when.astimezone(_zone(offset)) if offset else when
    except (OverflowError, ValueError):
        raise CorruptError(
            f"no date is {micros} µs from 1970 at {offset} minutes from UTC; run check()"
        ) from None


@lru_cache(256)
def _zone(offset: int) -> timezone:
    return timezone(timedelta(minutes=offset))


def micros(when: datetime) -> int:
    """Microseconds since 1970 UTC of an aware datetime."""
    return (when - _EPOCH) // _MICROSECOND
