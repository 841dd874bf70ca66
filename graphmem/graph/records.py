"""The two records of a node, and the `Node` that a user gets of them. The node record has a fixed
head, because it changes with every use. Fields that this version does not know are kept."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from datetime import tzinfo
from functools import partial
from operator import itemgetter
from typing import Any, Final, NamedTuple

import msgpack

from graphmem.hexastore import fields
from graphmem.values.metadata import Pairs
from graphmem.values.moments import moment, moment_in
from graphmem.values.nodes import Form, Node, filled
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.words import signs, words

_COMPRESS_FROM: Final = 512  # bytes; below this zlib gains nothing on a text record
PLAIN, _ZLIB = b"\x02", b"\x03"
_NODE: Final = struct.Struct(">IIBxxxQQQQq")
_PINNED, _ENRICHED = 1, 2


class Sentence(NamedTuple):
    """A span of the source with its salience."""

    text: str
    salience: float  # > 0; graphmem_worker.text.salience

    @property
    def density(self) -> float:
        """Salience per square root of the length in characters."""
        return density(self.salience, self.text)


def density(salience: float, text: str) -> float:
    """Salience per square root of the length in characters: worth before division by the median."""
    return float(salience / max(1, len(text.strip())) ** 0.5)


class TextRecord(NamedTuple):
    """The text of a node. Its spans concatenate to a part of the source. Spans and saliences are
    separate tuples: Python's collector does not visit tuples of strings or numbers again."""

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
    last_density: float = 0.0  # of the best sentence dropped last; a gist is judged by it
    derived: str = ""  # a model's text that the gate let pass; never the source's words
    cut: tuple[str, ...] = ()  # kinds of the secrets that were cut out before it was remembered
    metadata: Pairs = ()  # as the caller gave it
    behind: int = 0  # if the clock was set back: the moment after that of the text before; else 0
    unknown: fields.Unknown = ()  # numbered fields of a newer version

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The spans with their saliences."""
        return tuple(map(Sentence, self.spans, self.saliences))

    @property
    def text(self) -> str:
        """The sentences, joined; empty for a gist."""
        return "".join(self.spans).strip()

    @property
    def simplified(self) -> TextRecord:
        """It as it is read: in simplified characters."""
        spans, phrase, keywords = self.spans, self.phrase, self.keywords
        every = "".join((*spans, phrase, *keywords, self.speaker or "", self.derived))
        if simplified(every) is every:
            return self
        return self._replace(
            spans=tuple(map(simplified, spans)), phrase=simplified(phrase),
            keywords=tuple(map(simplified, keywords)), derived=simplified(self.derived),
            speaker=self.speaker and simplified(self.speaker),
        )  # fmt: skip

    @property
    def form(self) -> Form:
        return self._form(self.text)

    def _form(self, text: str) -> Form:
        if not self.spans:
            return Form.GIST
        return Form.WHOLE if len(text) >= self.characters else Form.SHORTER

    @property
    def valid_from(self) -> int:
        """When it begins to hold unless stated otherwise: when it happened, else when it was
        remembered."""
        return self.created if self.happened is None else self.happened[0]

    @property
    def moment(self) -> int:
        """The key for the order of time: when it happened, else when it was remembered, which is
        never before the text before it, unless the clock was set back by more than a week."""
        return (self.behind or self.created) if self.happened is None else self.happened[0]

    @property
    def unsaid(self) -> tuple[str, ...]:
        """Those of its phrase and keywords that are not in its sentences, ignoring spaces."""
        joined = "".join("".join(self.spans).split())
        every = (self.phrase, *self.keywords)
        return tuple([text for text in every if "".join(text.rstrip("…").split()) not in joined])

    @property
    def words(self) -> list[str]:
        """The index words under which the node is found: those of its text, keywords and derived
        text, markers and emoji of its content, speaker and day."""
        from graphmem_worker.text.markers import markers  # loads numpy, which no client needs

        text = "".join(self.spans)
        extra = [k for k in self.keywords if k not in text]
        if not text:
            extra.append(self.phrase)
        found = [*words(" ".join((text, *extra))), *markers(text)]
        found += [sign for sign in signs(text) if sign not in found]
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
        """UTF-8 bytes of its sentences, or the gist that is left of them, and its derived text."""
        spans = self.spans or (self.phrase, *self.keywords)
        return len("".join((*spans, self.derived)).encode())

    def pack(self) -> bytes:
        """The record on disk: a flag byte, then the fields, compressed from 512 bytes on."""
        phrase, *keywords = _quoted("".join(self.spans), (self.phrase, *self.keywords))
        numbered: dict[int, Any] = {
            1: self.spans,
            2: self.saliences,
            3: phrase,
            4: keywords,
            8: self.created,
            9: self.characters,
        }
        numbered |= {
            number: value
            for number, value, absent in zip(_OPTIONAL, _OPTIONAL_OF(self), _ABSENT, strict=True)
            if value is not absent and value != absent
        }
        body = fields.pack(numbered, self.unknown)
        if len(body) >= _COMPRESS_FROM:
            packed = zlib.compress(body, 1)
            if len(packed) < len(body):
                return _ZLIB + packed
        return PLAIN + body

    @classmethod
    def unpack(cls, record: bytes) -> TextRecord:
        """Read a record. Raises CorruptError when it is not one."""
        flag, body = record[:1], record[1:]
        try:
            if flag not in (PLAIN, _ZLIB):
                raise ValueError(f"flag {flag!r}")
            found = cls._numbered(zlib.decompress(body) if flag == _ZLIB else body)
            if not _is_sound(found.spans, found.saliences, found.keywords, found.happened):
                raise ValueError("its sentences, saliences, keywords or date do not fit together")
        except (ValueError, TypeError, LookupError, zlib.error, msgpack.UnpackException) as error:
            raise fields.unreadable("a text record", error) from None
        return found

    @classmethod
    def _numbered(cls, body: bytes) -> TextRecord:
        read = fields.unpack(body)
        take = read.pop
        spans = take(1)
        phrase, *keywords = _unquoted("".join(spans), (take(3), *take(4)))
        saliences, created, characters, given = take(2), take(8), take(9), take(10, 0)
        terms = tuple(keywords)
        if not read:  # as of most texts
            return cls(
                spans, saliences, phrase, terms, created=created, characters=characters, given=given
            )
        return cls(
            spans, saliences, phrase, terms,
            take(5, None), take(6, None), take(7, None), created, characters, given,
            take(11, 0.0), take(12, ""), take(13, ()), take(14, ()), take(15, 0),
            fields.unknown(read),
        )  # fmt: skip


def _quoted(whole: str, texts: Iterable[str]) -> list[str | tuple[int, int]]:
    """For each text, its place and length in `whole` if it is there, else the text."""
    find = whole.find
    return [
        (at, len(text)) if len(text) > 2 and (at := find(text)) >= 0 else text for text in texts
    ]


def _unquoted(whole: str, stored: Iterable[str | tuple[int, int]]) -> list[str]:
    """The inverse of `_quoted`. Raises ValueError, TypeError for invalid entries."""
    found, end = [], len(whole)
    for text in stored:
        if isinstance(text, str):
            found.append(text)
        else:
            at, length = text
            if not 0 <= at <= (stop := at + length) <= end:
                raise ValueError(f"no text stands at {text}")
            found.append(whole[at:stop])
    return found


def _is_sound(spans: Any, saliences: Any, keywords: Any, happened: Any) -> bool:
    """True if the lists of a text record have the right types and lengths."""
    return (
        isinstance(spans, tuple)
        and isinstance(saliences, tuple)
        and isinstance(keywords, tuple)
        and len(spans) == len(saliences)
        and (happened is None or (isinstance(happened, tuple) and len(happened) == 2))
    )


_OPTIONAL: Final = {
    5: "speaker", 6: "happened", 7: "session", 10: "given", 11: "last_density", 12: "derived",
    13: "cut", 14: "metadata", 15: "behind",
}  # fmt: skip
"""Number and name of the fields that are left out while they have …"""
_OPTIONAL_OF: Final = itemgetter(*map(TextRecord._fields.index, _OPTIONAL.values()))
_ABSENT: Final = tuple(TextRecord._field_defaults[name] for name in _OPTIONAL.values())
"""… these values."""
_MOST_USES: Final = (1 << 32) - 1  # the field has 32 bits


class NodeRecord(NamedTuple):
    """The state of a node that changes often."""

    version: int = 1  # of the text: +1 with each shorter form, correction or revival
    uses: int = 0
    pinned: bool = False
    enriched: bool = False  # the worker has scored this version
    born: int = 0  # pass
    last_use: int = 0  # pass
    due: int = 0  # pass; the node's one key in the due index
    text_hash: int = 0  # first 8 bytes of BLAKE2b over the sentences
    last_used: int = 0  # microseconds since 1970, UTC; 0: never
    valid_from: int | None = None  # microseconds since 1970, UTC: since when it holds
    valid_to: int | None = None  # until when it held; None: it holds
    expires: int | None = None  # when it is to be forgotten
    kind: int = 0  # its kind as given, packed by `graph.kinds`; 0: by the rules
    shared: bool = False  # scopes that have this one as a parent may read it
    importance: float | None = None  # 0–1, as it was given; None: it was not
    protection: int = 0  # by its vector it was found to protect (1) or to bind somebody (2)
    had_pin: bool = False  # it was pinned when it was replaced
    undone: tuple[tuple[int, int, int], ...] = ()
    """Replacements that were undone: until when it held, and when that was known from and up to. Of
    a forgotten node that was revived: AWAY, and when it was gone from and up to."""
    unknown: fields.Unknown = ()  # numbered fields of a newer version

    def pack(self) -> bytes:
        """The record on disk: 52 bytes, and numbered fields if there are any."""
        flags = (_PINNED if self.pinned else 0) | (_ENRICHED if self.enriched else 0)
        head = _NODE.pack(
            self.version, self.uses, flags, self.born, self.last_use, self.due, self.text_hash,
            self.last_used,
        )  # fmt: skip
        optional = self[_FIXED:]
        if optional == _NO_OPTIONAL:  # as of most nodes
            return head
        *named, _ = zip(optional, _NO_OPTIONAL, strict=True)  # `unknown` is no field but fields
        numbered = {n: value for n, (value, absent) in enumerate(named, 1) if value != absent}
        return head + fields.pack(numbered, self.unknown)

    @classmethod
    def unpack(cls, record: bytes) -> NodeRecord:
        """Read a record. Raises CorruptError when it is not one."""
        try:
            version, uses, flags, born, last_use, due, digest, last_used = _NODE.unpack_from(record)
        except struct.error as error:
            raise fields.unreadable("a node record", error) from None
        known = cls(
            version, uses, flags & _PINNED > 0, flags & _ENRICHED > 0,
            born, last_use, due, digest, last_used,
        )  # fmt: skip
        if len(record) == _NODE.size:
            return known
        read = fields.unpack(record[_NODE.size :])
        optional = [read.pop(number, absent) for number, absent in enumerate(_NO_OPTIONAL[:-1], 1)]
        return cls._make((*known[:_FIXED], *optional, fields.unknown(read)))

    def used(self, passes: int, now: int) -> NodeRecord:
        """The record after one more use, at pass `passes` and time `now`."""
        uses = min(self.uses + 1, _MOST_USES)
        return self._replace(uses=uses, last_use=passes, last_used=now)


class Span(NamedTuple):
    """What `remember` was given beside the text: when it holds, when it expires, its kind, who may
    read it, how important it is."""

    valid_from: int | None = None  # microseconds since 1970, UTC; None: since it happened
    expires: int | None = None  # None: it is kept
    kind: int = 0  # as given, packed
    shared: bool = False
    importance: float | None = None  # 0–1


ALWAYS: Final = Span()
AWAY: Final = -(1 << 63)
"""In place of a moment until when a node held, while it was forgotten."""

_FIXED: Final = NodeRecord._fields.index("valid_from")  # fields of the fixed head
_NO_OPTIONAL: Final = NodeRecord()[_FIXED:]


def as_node(identifier: int, text: TextRecord, node: NodeRecord, zone: tzinfo | None) -> Node:
    """The `Node` that a user gets of the two records of node `identifier`. zone: of the clock."""
    content, local = text.text, partial(moment_in, zone)
    created = local(text.created)
    since = text.valid_from if node.valid_from is None else node.valid_from
    return filled(
        identifier,
        content,
        text.phrase,
        text.keywords,
        text.speaker,
        None if text.happened is None else moment(*text.happened),
        text.session,
        created,
        node.uses,
        local(node.last_used) if node.last_used else None,
        node.pinned,
        node.version,
        text._form(content),
        min(1.0, len(content) / max(1, text.characters)),
        text.spans,
        text.derived,
        text.cut,
        created if since == text.created else local(since),
        None if node.valid_to is None else local(node.valid_to),
        None if node.expires is None else local(node.expires),
        dict(text.metadata),
        node.kind,
        node.shared,
        node.importance,
        "",
        (),
    )
