"""Values between a client and the owner of a memory: msgpack with a fixed list of types.

The owner sends the types that `Memory` returns: the dataclasses of `graphmem.values`, terms and
settings, rebuilt field by field. No other type is ever made, so data cannot execute code. A client
may send fewer: plain values, dates, terms and the ids of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from functools import cached_property, partial
from hashlib import blake2b
from importlib import import_module
from itertools import repeat
from operator import attrgetter
from pkgutil import iter_modules
from types import UnionType
from typing import Any, Final, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

import msgpack

from graphmem import errors, values
from graphmem.errors import ArgumentTypeError, GraphMemError, ProtocolError
from graphmem.graph import kinds  # noqa: F401 - registers the judge for `Node.kind`
from graphmem.hexastore import terms
from graphmem.hexastore.terms import IRI, BlankNode, Triple, Variable
from graphmem.services.tokens import estimated_tokens
from graphmem.settings import Ranking, Settings, ThemeRules, TierBudgets
from graphmem.values.hits import Hit
from graphmem.values.items import Change, Changes, Item
from graphmem.values.links import Dangling, Link, Links, Membership
from graphmem.values.nodes import Form, Node, ScopedId, Tombstone
from graphmem.values.recall import Recall
from graphmem.values.rendering import Layout, identity
from graphmem.values.themes import Theme

LARGEST_MESSAGE: Final = (64 << 20) + (1 << 16)  # bytes: the longest text by default, in UTF-8
_MOST_ITEMS: Final = 16 << 20  # in the lists and maps of a request; enough for any item's value
_TERM_ITEMS: Final = 8  # of the fields of a term
_PROTOCOL: Final = 7

_TUPLE, _DATETIME, _DATE, _INTEGER, _FORM = range(5)


def _values() -> Iterator[type]:
    """The dataclasses of `graphmem.values`, by name, which verbs return."""
    for found in sorted(iter_modules(values.__path__), key=attrgetter("name")):
        module = import_module(f"{values.__name__}.{found.name}")
        for name, kind in sorted(vars(module).items()):
            if not isinstance(kind, type) or kind.__module__ != module.__name__:
                continue
            if is_dataclass(kind) and name[0] != "_" and kind is not Item:
                yield kind


_TERMS: Final = (IRI, BlankNode, terms.Literal, Variable)
"""Types that carry their code also within a record, since most fields allow several."""
_SETTINGS: Final = (Ranking, ThemeRules, TierBudgets, Settings)
"""Types that are made with keyword arguments."""
RECORDS: Final = (*_TERMS, Triple, *_SETTINGS, *_values())
"""Types that are made from their fields."""
_FIRST_RECORD: Final = 16
_RECALL, _LINKS, _ITEM, _CHANGES = 96, 97, 98, 99

_Change: TypeAlias = Callable[[Any], Any]
_Types: TypeAlias = tuple[type, ...]


class _Shape:
    """Converts records of one type to tuples of values and back, by the declaration of the type."""

    def __init__(self, kind: Any, code: int) -> None:
        self.kind = kind
        self.code = code
        named = is_dataclass(kind)
        self.names: tuple[str, ...] = (
            tuple(field.name for field in fields(kind)) if named else kind._fields
        )
        read = attrgetter(*self.names)
        self.flat: _Change = read if len(self.names) > 1 else lambda record: (read(record),)

    @cached_property
    def _declarations(self) -> tuple[list[_Types], list[tuple[int, _Change]]]:
        """The types allowed in each field, and the conversions of fields by their places."""
        hints = get_type_hints(self.kind)
        found = [_declared(hints[name]) for name in self.names]
        changes = [(place, change) for place, (_, change) in enumerate(found) if change is not None]
        return [types for types, _ in found], changes

    def made(self, flat: Iterable[Any]) -> Any:
        """The record of the values that `_contents` returns. Raises TypeError, ValueError,
        LookupError if a field has another type than declared."""
        values = [*flat]
        types, changes = self._declarations
        if len(values) != len(types) or not all(map(isinstance, values, types)):
            raise TypeError(f"these are not the fields of a {self.kind.__name__}")
        for place, change in changes:
            if (value := values[place]) is not None:
                values[place] = change(value)
        if self.kind in _SETTINGS:
            return self.kind(**dict(zip(self.names, values, strict=True)))
        return self.kind(*values)


def _declared(hint: Any) -> tuple[_Types, _Change | None]:
    """The types that may be unpacked for a declared type, and the conversion to it, if any."""
    inner, origin = get_args(hint), get_origin(hint)
    if origin in (Union, UnionType):
        parts = [_declared(kind) for kind in inner]
        changes = [change for _, change in parts if change is not None]
        return sum((types for types, _ in parts), ()), changes[0] if changes else None
    if origin is tuple and inner[1:] == (...,):
        return (tuple,), partial(_items, *_declared(inner[0]))
    if origin is tuple:
        parts = [_declared(kind) for kind in inner]
        return (tuple,), partial(_places, parts)
    if origin is Literal:
        return (*{*map(type, inner)},), None
    if origin is not None:
        return (dict if issubclass(origin, Mapping) else origin,), None
    if hint is Form:
        return (int,), Form  # its values are ints
    if hint in _SHAPE_OF and hint not in _TERMS:
        return (tuple,), _SHAPE_OF[hint].made
    if hint is float:
        return (float, int), None
    return (object if hint is Any else hint,), None


def _items(types: _Types, change: _Change | None, values: Sequence[Any]) -> tuple[Any, ...]:
    if not all(map(isinstance, values, repeat(types))):
        raise TypeError(f"an item is none of {types}")
    return tuple(values if change is None else map(change, values))


def _places(parts: Sequence[tuple[_Types, _Change | None]], values: Iterable[Any]) -> object:
    pairs = zip(parts, values, strict=True)
    return sum((_items(*part, (value,)) for part, value in pairs), ())


_SHAPES: Final = {code: _Shape(kind, code) for code, kind in enumerate(RECORDS, _FIRST_RECORD)}
_SHAPE_OF: Final = {shape.kind: shape for shape in _SHAPES.values()}
_FIELDS: Final[Mapping[type, _Change]] = {
    kind: shape.flat for kind, shape in _SHAPE_OF.items() if kind not in _TERMS
}
"""Converts the value of a field to plain values, by its type; the record declares which it is."""
_NODE, _HIT, _LINK, _DANGLING, _TOMBSTONE, _LAYOUT, _THEME, _MEMBERSHIP, _CHANGE = (
    _SHAPE_OF[kind]
    for kind in (Node, Hit, Link, Dangling, Tombstone, Layout, Theme, Membership, Change)
)
_ERRORS: Final[Mapping[str, type[GraphMemError]]] = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, GraphMemError)
}

DIALECT: Final = blake2b(
    repr((_PROTOCOL, [(s.kind.__name__, s.names) for s in _SHAPES.values()])).encode(),
    digest_size=8,
).hexdigest()
"""What both sides must agree on: the protocol and the fields of every type."""


# -- to the owner -----------------------------------------------------------------------------


def encode_request(request: object, *, facts: bool = False) -> bytes:
    """Pack a request: lists and maps of plain values, dates, terms, nodes (as their ids).

    facts: the arguments are parts of triples: a node is an IRI, and terms of rdflib are allowed.
    Raises ArgumentTypeError for other types, InvalidTermError, ProtocolError if it is too large.
    """
    message = _packed(request, _fact if facts else _argument)
    _check_size(message)  # the owner would hang up before all is sent
    return message


def _argument(value: object) -> object:
    match value:
        case Node() | Hit():
            return _argument(value.id)
        case Form():
            return str(value)
        case ScopedId():
            return {"node": int(value), "scope": value.scope}
        case int() | date():
            return _scalar(value)
        case float():  # of a subclass, such as numpy has
            return float(value)
        case str():
            return str(value)
        case Mapping():
            return dict(value)
        case Iterable():
            return list(value)
    raise ArgumentTypeError(
        f"{type(value).__name__} cannot be sent to the owner of the memory; texts, numbers, dates, "
        "nodes, and lists and maps of these can"
    )


def _fact(value: object) -> object:
    if isinstance(value, int | date):
        return _scalar(value)
    if isinstance(value, list | tuple):
        return list(value)
    return _extended(value if isinstance(value, Variable) else terms.term(value))


def _scalar(value: int | date) -> object:
    """A moment, a day, or an int that has over 64 bits or is of a subclass."""
    if isinstance(value, date):
        code = _DATETIME if isinstance(value, datetime) else _DATE
        return msgpack.ExtType(code, value.isoformat().encode())
    plain = int(value)
    if -(1 << 63) <= plain < 1 << 64:
        return plain
    try:
        return msgpack.ExtType(_INTEGER, str(plain).encode())
    except ValueError as error:  # Python converts at most 4,300 digits by default
        raise ProtocolError(f"a number is too long to be sent ({error})") from None


def decode_request(message: bytes | bytearray) -> Any:
    """Unpack a request from any client. Raises ProtocolError for anything else."""
    # Skipped over first: unpacking reserves as much memory as the length of a list announces.
    unpacker = msgpack.Unpacker(max_buffer_size=LARGEST_MESSAGE)
    try:
        unpacker.feed(message)
        unpacker.skip()
    except (*_MALFORMED, msgpack.BufferFull) as error:
        raise ProtocolError("a request has not the items that it announces") from error
    _check_size(message)
    return _unpacked(message, _client_extension, strict_map_key=False)  # keys may be numbers


def _check_size(message: bytes | bytearray) -> None:
    """Raise ProtocolError if a whole message has too many items; each takes a byte or more."""
    if len(message) > _MOST_ITEMS:
        check_items(message)


def check_items(message: bytes | bytearray, most: int = _MOST_ITEMS) -> None:
    """Raise ProtocolError if a message, or the beginning of one, announces more than `most` items.

    msgpack reserves memory for a list when its length is announced, and lists may be nested a
    thousand deep: five kilobytes could reserve a gigabyte before any item is read.
    """
    place, awaited, announced = 0, 1, 0
    while awaited and place < len(message):
        size, items, width, each_bytes, each_items = _HEADS[message[place]]
        if width:
            length = int.from_bytes(message[place + 1 : place + 1 + width], "big")
            size, items = size + each_bytes * length, each_items * length
        place += size
        awaited += items - 1
        announced += items
        if announced > most:
            raise ProtocolError(f"a request has at most {most:,} items; send fewer at once")


def _client_extension(code: int, payload: bytes) -> object:
    """The value of an extension type that a client may send."""
    if code in _SCALARS:
        return _SCALARS[code](payload.decode())
    kind = _SHAPES[code].kind if code in _SHAPES else None
    if kind in _TERMS:
        check_items(payload, _TERM_ITEMS)
        values = msgpack.unpackb(payload, unicode_errors="surrogatepass")
        if isinstance(values, list) and all(isinstance(v, str) for v in values[:2]):
            return kind(*values)
    raise ProtocolError(f"a client does not send extension type {code} like this")


# -- from the owner ---------------------------------------------------------------------------


def encode(value: object) -> bytes:
    """Pack the result of a verb. Raises ProtocolError if it is too large or of a foreign type."""
    return _packed(value, _extended)


def decode(message: bytes | bytearray) -> Any:
    """Unpack a message of the owner. Raises ProtocolError."""
    return _unpacked(message, _extension, strict_map_key=False)  # nodes are keys of `set_aside`


def _extended(value: object) -> object:
    """A result as an extension type or a plain value."""
    if (shape := _SHAPE_OF.get(type(value))) is not None:
        return msgpack.ExtType(shape.code, _payload(shape.flat(value)))
    match value:
        case Recall():
            return msgpack.ExtType(_RECALL, _payload(_flat_recall(value)))
        case Links():
            return msgpack.ExtType(_LINKS, _payload((value[:], value.dangling, value.hierarchy)))
        case Item():
            return msgpack.ExtType(_ITEM, msgpack.packb(value.flat()))
        case Changes():
            return msgpack.ExtType(_CHANGES, _payload((value[:], value.last, value.gap)))
        case tuple():
            return msgpack.ExtType(_TUPLE, _packed([*value], _extended))
        case Form():
            return msgpack.ExtType(_FORM, bytes((value,)))
        case int() | date():
            return _scalar(value)
        case Mapping():
            return dict(value)
    raise ProtocolError(f"the owner cannot send a {type(value).__name__}")


def _flat_recall(found: Recall) -> tuple[object, ...]:
    filled, further = vars(found).get("_filled"), found._further
    if filled is not None:  # nodes without a line are not needed
        included, scopes = {*filled[0]}, found._layout.scopes
        further = tuple(node for node in further if identity(node, scopes) in included)
    # With all that depends on the owner's counter, since the client's may count otherwise.
    chosen = None if filled is None else (filled, found._needed, found._closing)
    layout = _LAYOUT.flat(found._layout)
    return (
        found.cue, found._hits, further, found.dangling, found.tokens, found.noted, chosen,
        layout, found.answered, found.themes, found.expanded_levels,
    )  # fmt: skip


def _made_recall(flat: Sequence[Any]) -> Recall:
    cue, hits, further, dangling, tokens, noted, chosen, layout, answered, themes, levels = flat
    found = Recall(
        cue,
        [_HIT.made(hit) for hit in hits],
        [_NODE.made(node) for node in further],
        [_TOMBSTONE.made(stone) for stone in dangling],
        tokens,
        estimated_tokens,
        layout=_LAYOUT.made(layout),
        answered=answered,
    )
    found.noted, found.expanded_levels = noted, levels
    found.themes = tuple(_THEME.made(theme) for theme in themes)
    if chosen is not None:
        found._filled, found._needed, found._closing = chosen
    return found


def _made_links(flat: Sequence[Any]) -> Links:
    links, dangling, hierarchy = flat
    placed = [_MEMBERSHIP.made(place) for place in hierarchy]
    return Links(
        [_LINK.made(k) for k in links], [_DANGLING.made(k) for k in dangling], lambda: placed
    )


def _payload(plain: object) -> bytes:
    # Not strict: tuples become lists and forms ints; the shapes restore them. A datetime keeps its
    # offset, which msgpack's own type would lose.
    return msgpack.packb(plain, default=_field, unicode_errors="surrogatepass")


def _field(value: object) -> object:
    if type(value) is datetime:  # most of what is left to this function
        return msgpack.ExtType(_DATETIME, value.isoformat().encode())
    flat = _FIELDS.get(type(value))
    return _extended(value) if flat is None else flat(value)


_SCALARS: Final[Mapping[int, Callable[[str], object]]] = {
    _DATETIME: datetime.fromisoformat,
    _DATE: date.fromisoformat,
    _INTEGER: int,
}


def _extension(code: int, payload: bytes) -> object:
    """The value of an extension type that the owner may send."""
    if (shape := _SHAPES.get(code)) is not None:
        return shape.made(_contents(payload))
    if code in _SCALARS:
        return _SCALARS[code](payload.decode())
    if code == _RECALL:
        return _made_recall(_contents(payload))
    if code == _LINKS:
        return _made_links(_contents(payload))
    if code == _ITEM:
        return Item.of(msgpack.unpackb(payload, strict_map_key=False))
    if code == _CHANGES:
        made, last, gap = _contents(payload)
        return Changes(map(_CHANGE.made, made), last, gap)
    if code == _TUPLE:
        return tuple(msgpack.unpackb(payload, ext_hook=_extension, unicode_errors="surrogatepass"))
    if code == _FORM:
        return Form(payload[0])
    raise ProtocolError(f"the owner sent an unknown extension type {code}")


def _contents(payload: bytes) -> Any:
    """The values that `_payload` packed; lists are tuples, since records contain no lists."""
    return msgpack.unpackb(
        payload, ext_hook=_extension, unicode_errors="surrogatepass", use_list=False
    )


# -- errors -----------------------------------------------------------------------------------


def describe(error: GraphMemError) -> list[Any]:
    """An error as plain values: name, arguments, attributes."""
    reduced = error.__reduce__()  # class, arguments, attributes if any
    assert isinstance(reduced, tuple)
    arguments, attributes = reduced[1], (*reduced[2:], None)[0] or {}
    return [
        type(error).__name__ if type(error).__name__ in _ERRORS else "GraphMemError",
        [_plain(argument) for argument in arguments],
        # An AttributeError of Python 3.12 has its arguments among its attributes too.
        {n: _plain(each) for n, each in attributes.items() if n[0] != "_" and n != "args"},
    ]


def rebuild(described: Any) -> GraphMemError:
    """The error of the values that `describe` returned. Raises ProtocolError."""
    try:
        name, arguments, attributes = described
        kind = _ERRORS[name]
        # Not by __init__, which may take other arguments, nor by the __new__ of the first parent,
        # which Python refuses for an OSError.
        new = OSError.__new__ if issubclass(kind, OSError) else Exception.__new__
        error = new(kind, *arguments)
        error.args = error.args or tuple(arguments)  # an OSError may leave them to __init__
        error.__dict__.update(attributes)
        return error
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ProtocolError(f"the owner sent an error that is none: {described!r:.200}") from None


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


_HEADS: Final = (
    *[(1, 0, 0, 0, 0)] * 128,  # a small number
    *[(1, 2 * count, 0, 0, 0) for count in range(16)],  # a short map
    *[(1, count, 0, 0, 0) for count in range(16)],  # a short list
    *[(1 + count, 0, 0, 0, 0) for count in range(32)],  # a short text
    *[(1, 0, 0, 0, 0)] * 4,  # nil, one that is not used, false, true
    *[(1 + width, 0, width, 1, 0) for width in (1, 2, 4)],  # bin
    *[(2 + width, 0, width, 1, 0) for width in (1, 2, 4)],  # ext, behind whose length is a type
    *[(1 + width, 0, 0, 0, 0) for width in (4, 8, *(1, 2, 4, 8) * 2)],  # float, uint, int
    *[(2 + width, 0, 0, 0, 0) for width in (1, 2, 4, 8, 16)],  # fixext
    *[(1 + width, 0, width, 1, 0) for width in (1, 2, 4)],  # str
    *[(1 + width, 0, width, 0, 1) for width in (2, 4)],  # list
    *[(1 + width, 0, width, 0, 2) for width in (2, 4)],  # map
    *[(1, 0, 0, 0, 0)] * 32,  # a small number below 0
)
"""By the first byte of a msgpack value: its fixed bytes and items; the bytes of its length, and how
many bytes and items the length counts for each."""


# -- bytes ------------------------------------------------------------------------------------


def _packed(value: object, default: Callable[[Any], object]) -> bytes:
    try:
        message: bytes = msgpack.packb(
            value, default=default, strict_types=True, unicode_errors="surrogatepass"
        )
    except GraphMemError:
        raise
    # Such as integers over 64 bits in a record, or endless nesting.
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise ProtocolError(f"this cannot be sent: {error}") from None
    if len(message) > LARGEST_MESSAGE:
        raise ProtocolError(
            f"a message has at most {LARGEST_MESSAGE:,} bytes, this one {len(message):,}: send, or "
            "ask for, less at once"
        )
    return message


def _unpacked(
    message: bytes | bytearray, extension: Callable[[int, bytes], object], **hooks: Any
) -> Any:
    try:
        return msgpack.unpackb(
            message, ext_hook=extension, unicode_errors="surrogatepass", timestamp=0, **hooks
        )
    except ProtocolError:
        raise
    except _MALFORMED as error:
        raise ProtocolError(f"not a message: {type(error).__name__}") from None


# GraphMemError: of an invalid term or setting.
_MALFORMED: Final = (
    ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError, MemoryError,
    GraphMemError, msgpack.UnpackException,
)  # fmt: skip
