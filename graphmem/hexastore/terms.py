"""RDF terms and their 16-byte ids: a tag and fifteen bytes. Node ids, integers, dates and the
vocabulary are encoded *inside* the id, so that ids sort like the values; every other term is hashed
(BLAKE2b over its N-Triples form), and its form kept in the scope's dictionary."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple, TypeAlias

from graphmem.errors import InvalidTermError

XSD: Final = "http://www.w3.org/2001/XMLSchema#"
XSD_STRING: Final = XSD + "string"
XSD_INTEGER: Final = XSD + "integer"
XSD_DOUBLE: Final = XSD + "double"
XSD_BOOLEAN: Final = XSD + "boolean"
XSD_DATE: Final = XSD + "date"
XSD_DATETIME: Final = XSD + "dateTime"
RDF_TYPE: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
RDF_LANG_STRING: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"

TERM_BYTES: Final = 16

# Tags order the kinds of terms in every index; they are part of the format.
_NODE, _IRI, _BLANK, _LITERAL, _INTEGER, _DATE, _DATETIME, _VOCABULARY = range(1, 9)
HASHED_TAGS: Final = frozenset((_IRI, _BLANK, _LITERAL))

# Position is the code in the id, so entries may only be appended.
_VOCABULARY_IRIS: Final = (
    RDF_TYPE,
    "memory:Node",
    "memory:keyword",
    "memory:session",
    "memory:focus",
    "memory:segment",
    "memory:supersedes",
)

_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_OFFSET: Final = 1 << 63
SHORT: Final = 200  # characters of a term that a cache may keep
_PAD7: Final = b"\x00" * 7
_NODE_HEAD: Final = bytes((_NODE,)) + _PAD7
_NOT_FINITE: Final = {"inf": "INF", "-inf": "-INF", "nan": "NaN"}  # as XML Schema spells them
_ZONES: Final = ("", "Z", "+00:00")  # the last byte of a dateTime id

_NODE_IRI = re.compile(r"node:(0|[1-9][0-9]{0,19})\Z", re.ASCII)
_CANONICAL_INTEGER = re.compile(r"(?:0|-?[1-9][0-9]{0,18})\Z", re.ASCII)
_PLAIN_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z", re.ASCII)
_PLAIN_DATETIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{6})?)(Z|\+00:00)?\Z",
    re.ASCII,
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_LANGUAGE = re.compile(r"[A-Za-z]+(?:-[A-Za-z0-9]+)*\Z")
_BAD_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\]')


@dataclass(frozen=True, slots=True)
class IRI:
    """An absolute IRI, kept as written. `node:17` is memory node 17."""

    value: str

    def n3(self) -> str:
        """The N-Triples form."""
        return f"<{self.value}>"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class BlankNode:
    """A blank node, known by its label within one scope."""

    label: str

    def n3(self) -> str:
        """The N-Triples form."""
        return f"_:{self.label}"

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal: its lexical form exactly as written, and a datatype IRI or a language tag, with
    which the datatype is rdf:langString."""

    lexical: str
    datatype: str = XSD_STRING
    language: str | None = None

    def __post_init__(self) -> None:
        if self.language is not None:  # the only datatype that RDF allows
            object.__setattr__(self, "datatype", RDF_LANG_STRING)

    def n3(self) -> str:
        """The N-Triples form."""
        quoted = f'"{_escape(self.lexical)}"'
        if self.language is not None:
            return f"{quoted}@{self.language}"
        return quoted if self.datatype == XSD_STRING else f"{quoted}^^<{self.datatype}>"

    @property
    def value(self) -> str | int | float | bool | date | datetime:
        """The literal as a Python value; the lexical form if it has none."""
        try:
            return _VALUES.get(self.datatype, str)(self.lexical)
        except (ValueError, KeyError):  # an ill-typed literal is still a term
            return self.lexical

    def __str__(self) -> str:
        return self.lexical


Term: TypeAlias = IRI | BlankNode | Literal

_VALUES: Final[dict[str, Callable[[str], str | int | float | bool | date | datetime]]] = {
    XSD_INTEGER: int,
    XSD_DOUBLE: float,
    XSD_BOOLEAN: {"true": True, "1": True, "false": False, "0": False}.__getitem__,
    XSD_DATE: date.fromisoformat,
    XSD_DATETIME: datetime.fromisoformat,
}
"""Datatype → the function that parses its lexical forms."""

_ESCAPES: Final = str.maketrans(
    {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\x08": "\\b", "\x0c": "\\f"}
)
_UNESCAPE = re.compile(r"\\(.)", re.DOTALL)
_UNESCAPED: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\x08", "f": "\x0c"}


def _escape(text: str) -> str:
    return text.translate(_ESCAPES)


def parse(form: str) -> Term:
    """The term whose `n3()` is `form`. For forms that this module wrote, not for RDF files. Raises
    InvalidTermError."""
    if form.startswith("<") and form.endswith(">"):
        return IRI(form[1:-1])
    if form.startswith("_:"):
        return BlankNode(form[2:])
    end = form.rfind('"')
    if not form.startswith('"') or end < 1:
        raise InvalidTermError(f"not an N-Triples term: {form[:80]!r}")
    lexical = _UNESCAPE.sub(lambda m: _UNESCAPED.get(m[1], m[1]), form[1:end])
    tail = form[end + 1 :]
    if tail.startswith("@"):
        return Literal(lexical, language=tail[1:])
    return Literal(lexical, tail[3:-1]) if tail else Literal(lexical)


def term(value: object, *, subject: bool = False) -> Term:
    """The term for a Python value: a `str` is an IRI as subject or predicate
    (`subject=True`) and a plain literal as object; int, float, bool, date and datetime are typed
    literals; an object with an integer `id` is `node:<id>`; rdflib's terms are accepted. Raises
    InvalidTermError for anything else, and for an IRI, a label or a language tag with forbidden
    characters."""
    result = _term(value, subject)
    if isinstance(result, IRI):
        _check_iri(result.value)
    elif isinstance(result, BlankNode):
        if not result.label or _BAD_IRI.search(result.label):
            raise InvalidTermError(f"not a blank node's label: {result.label[:80]!r}")
    elif result.language is None:
        _check_iri(result.datatype)
    else:
        if not _LANGUAGE.match(result.language):
            raise InvalidTermError(f"not a language tag: {result.language[:80]!r}")
    return encodable(result)


def encodable(value: Term) -> Term:
    """The term itself. Raises InvalidTermError if it holds a lone surrogate."""
    try:
        value.n3().encode()
    except UnicodeEncodeError as error:
        raise InvalidTermError(f"a term holds a lone surrogate: {error}") from None
    return value


def check_absolute(value: object) -> None:
    """Raise InvalidTermError for a subject or predicate without a scheme, which no RDF file may
    hold."""
    if type(value) is str and not _SCHEME.match(value):
        node = f"memory node {value} is node:{value}; " if value.isdecimal() else ""
        raise InvalidTermError(
            f"not an IRI, for it has no scheme: {value[:80]!r}; {node}others are like ex:source"
        )


def _check_iri(value: str) -> None:
    if not value or _BAD_IRI.search(value):
        raise InvalidTermError(
            f"not an IRI: {value[:80]!r}; spaces, quotes and <>{{}}|^`\\ must be percent-encoded"
        )


def _term(value: object, subject: bool) -> Term:
    if isinstance(value, Term):
        return value
    if type(value).__module__.startswith("rdflib.term"):
        return known(value)
    if isinstance(value, str):
        return IRI(value) if subject else Literal(value)
    if isinstance(value, bool):
        return Literal("true" if value else "false", XSD_BOOLEAN)
    if isinstance(value, int):
        return _node(value) if subject else Literal(_digits(value), XSD_INTEGER)
    if isinstance(value, float):
        return Literal(_NOT_FINITE.get(repr(value), repr(value)), XSD_DOUBLE)
    if isinstance(value, datetime):
        return Literal(value.isoformat(), XSD_DATETIME)
    if isinstance(value, date):
        return Literal(value.isoformat(), XSD_DATE)
    node = getattr(value, "id", None)
    if isinstance(node, int):
        if of := getattr(getattr(value, "node", value), "scope", ""):
            raise InvalidTermError(f"node {node} is of the memory {of!r}: facts are of one memory")
        return _node(node)
    raise InvalidTermError(
        f"{type(value).__name__} is no RDF term; use str, a number, a date, a node, IRI(…), "
        "BlankNode(…) or Literal(…)"
    )


def _node(number: int) -> IRI:
    if not 0 <= number < 1 << 64:
        raise InvalidTermError("a node's id is between 1 and 2⁶⁴ − 1, this number is not")
    return node_iri(number)


def _digits(number: int) -> str:
    try:
        return str(number)
    except ValueError as error:  # Python writes no more than 4,300 digits by itself
        raise InvalidTermError(f"an integer is too long for a term ({error})") from None


def known(value: object) -> Term:
    """The term for one of rdflib's terms, unchecked, for lookups. Raises InvalidTermError."""
    match type(value).__name__:
        case "URIRef":
            return IRI(str(value))
        case "BNode":
            return BlankNode(str(value))
        case "Literal":
            language = getattr(value, "language", None)
            datatype = getattr(value, "datatype", None)
            if language is not None:
                return Literal(str(value), RDF_LANG_STRING, str(language))
            return Literal(str(value), str(datatype) if datatype is not None else XSD_STRING)
    raise InvalidTermError(f"rdflib's {type(value).__name__} cannot be stored in a triple")


def node_iri(node: int) -> IRI:
    """The IRI of memory node `node` (0 ≤ node < 2⁶⁴)."""
    return IRI(f"node:{node}")


@lru_cache(maxsize=65536)
def encode(value: Term) -> bytes:
    """The 16-byte id of a term; inline if its exact form can be decoded from the id."""
    if isinstance(value, IRI):
        if (code := _VOCABULARY_CODES.get(value.value)) is not None:
            return code
        if (match := _NODE_IRI.match(value.value)) and int(match[1]) < 1 << 64:
            return encode_node(int(match[1]))
        return _hashed(_IRI, value)
    if isinstance(value, BlankNode):
        return _hashed(_BLANK, value)
    inline = _encode_literal(value)
    return _hashed(_LITERAL, value) if inline is None else inline


def is_short(value: Term) -> bool:
    """True for a term that a cache may keep: literals may have megabytes."""
    if isinstance(value, Literal):
        tail = len(value.datatype) + len(value.language or "")
        return len(value.lexical) + tail <= SHORT
    return len(str(value)) <= SHORT


def encode_once(value: Term) -> bytes:
    """`encode` without its cache, for long terms such as a whole text."""
    return encode.__wrapped__(value)


def encode_hashed(iri: str) -> bytes:
    """`encode_once` of an IRI that is neither a node's nor one of the vocabulary."""
    return _hash(_IRI, f"<{iri}>".encode())


@lru_cache(maxsize=8192)
def encode_node(node: int) -> bytes:
    """The id of memory node `node` as a term."""
    return _NODE_HEAD + node.to_bytes(8, "big")


def decode_node(identifier: bytes) -> int | None:
    """The node of an id, or None if the term is not a memory node."""
    return int.from_bytes(identifier[8:], "big") if identifier[0] == _NODE else None


def is_inline(identifier: bytes) -> bool:
    """True if the id encodes the whole term, which then has no dictionary entry."""
    return identifier[0] not in HASHED_TAGS


def is_literal(identifier: bytes) -> bool:
    """True for the id of a literal, which can only be an object."""
    return identifier[0] in (_LITERAL, _INTEGER, _DATE, _DATETIME)


def decode_inline(identifier: bytes) -> Term:
    """The term inside an inline id. Raises InvalidTermError for bytes that are no inline id."""
    number = int.from_bytes(identifier[8:], "big")
    try:
        match identifier[0]:
            case 1:
                return node_iri(number)
            case 5:
                return Literal(str(number - _OFFSET), XSD_INTEGER)
            case 6:
                return Literal(
                    date.fromordinal(number + _EPOCH_DAY - _OFFSET).isoformat(), XSD_DATE
                )
            case 7:
                micros = int.from_bytes(identifier[7:15], "big") - _OFFSET
                moment = (_EPOCH + timedelta(microseconds=micros)).replace(tzinfo=None)
                return Literal(moment.isoformat() + _ZONES[identifier[15]], XSD_DATETIME)
            case 8:
                return IRI(_VOCABULARY_IRIS[number])
    except (IndexError, ValueError, OverflowError):
        pass
    raise InvalidTermError(f"not an inline term id: {identifier.hex()}")


@lru_cache(maxsize=8192)
def plain_literal(text: str) -> tuple[bytes, bytes]:
    """The id of the plain literal `text`, and its N-Triples form."""
    form = f'"{_escape(text)}"'.encode()
    return _hash(_LITERAL, form), form


def _hashed(tag: int, value: Term) -> bytes:
    return _hash(tag, value.n3().encode())


def _hash(tag: int, form: bytes) -> bytes:
    return bytes((tag,)) + blake2b(form, digest_size=15).digest()


def _encode_literal(value: Literal) -> bytes | None:
    lexical = value.lexical
    if value.datatype == XSD_INTEGER and _CANONICAL_INTEGER.match(lexical):
        number = int(lexical)
        if -_OFFSET <= number < _OFFSET:
            return b"\x05" + _PAD7 + (number + _OFFSET).to_bytes(8, "big")
    elif value.datatype == XSD_DATE and _PLAIN_DATE.match(lexical):
        try:
            days = date.fromisoformat(lexical).toordinal() - _EPOCH_DAY
        except ValueError:
            return None
        return b"\x06" + _PAD7 + (days + _OFFSET).to_bytes(8, "big")
    elif value.datatype == XSD_DATETIME and (match := _PLAIN_DATETIME.match(lexical)):
        try:
            moment = datetime.fromisoformat(match[1]).replace(tzinfo=UTC)
        except ValueError:
            return None
        micros = (moment - _EPOCH) // timedelta(microseconds=1)
        zone = bytes((_ZONES.index(match[2] or ""),))
        identifier = b"\x07" + _PAD7[:6] + (micros + _OFFSET).to_bytes(8, "big") + zone
        # A fraction of 0.000000 would come back without its zeros.
        return identifier if decode_inline(identifier) == value else None
    return None


_VOCABULARY_CODES: Final = {
    iri: b"\x08" + b"\x00" * 7 + code.to_bytes(8, "big")
    for code, iri in enumerate(_VOCABULARY_IRIS)
}
TYPE: Final = _VOCABULARY_CODES[RDF_TYPE]
NODE: Final = _VOCABULARY_CODES["memory:Node"]
KEYWORD: Final = _VOCABULARY_CODES["memory:keyword"]
SESSION: Final = _VOCABULARY_CODES["memory:session"]


def is_reserved(predicate: Term, obj: Term) -> bool:
    """Whether graphmem itself writes the triples of a predicate and an object."""
    return isinstance(predicate, IRI) and (
        predicate.value.startswith("memory:")
        or (predicate.value == RDF_TYPE and obj == IRI("memory:Node"))
    )


class Triple(NamedTuple):
    """A fact: subject, predicate, object."""

    subject: IRI | BlankNode
    predicate: IRI
    object: Term


@dataclass(frozen=True, slots=True)
class Variable:
    """An open part of a pattern; the same name stands for the same value."""

    name: str

    def __post_init__(self) -> None:
        name: object = self.name
        if not isinstance(name, str) or not name:
            raise InvalidTermError(f"a variable has a name, a str, not {name!r:.80}")

    def __str__(self) -> str:
        return f"?{self.name}"
