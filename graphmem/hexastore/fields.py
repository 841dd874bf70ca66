"""Numbered fields: the end of a record, after its fixed part, as a msgpack map of number → value.
A version keeps the fields that it does not know when it writes the record again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgpack

from graphmem.errors import CorruptError

Unknown: TypeAlias = tuple[tuple[int, Any], ...]
"""The fields that this version does not know, by number."""


def pack(fields: Mapping[int, Any], unknown: Unknown = ()) -> bytes:
    """The bytes of a map of fields; none at all if there are no fields."""
    if unknown:
        fields = {**fields, **dict(unknown)}
    packed: bytes = msgpack.packb(fields) if fields else b""
    return packed


def unpack(packed: bytes) -> dict[int, Any]:
    """The fields by number, arrays as tuples. Raises CorruptError when `packed` is no such map."""
    if not packed:
        return {}
    try:
        fields = msgpack.unpackb(packed, use_list=False, strict_map_key=False)
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise unreadable("numbered fields", error) from None
    if not isinstance(fields, dict) or not {int}.issuperset(map(type, fields)):
        raise wrong("numbered fields are no map of numbers")
    return fields


def unreadable(what: str, error: Exception) -> CorruptError:
    """The error for stored bytes that raised `error` when they were read."""
    return wrong(f"{what} cannot be read ({error})")


def wrong(what: str) -> CorruptError:
    """The error for an inconsistency. what: a sentence without its full stop."""
    return CorruptError(f"{what}; run admin.check()")


def unknown(fields: Mapping[int, Any]) -> Unknown:
    """The fields left after the known ones were removed, in the order of their numbers."""
    return tuple(sorted(fields.items(), key=lambda field: field[0])) if fields else ()
