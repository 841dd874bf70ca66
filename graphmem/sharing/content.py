"""The content of items: every text of an item passes here before it is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from math import isfinite
from typing import Any, Final, TypeAlias

import msgpack

from graphmem.errors import ArgumentTypeError, InvalidArgumentError
from graphmem.values.checks import check_encodable, check_str

Clean: TypeAlias = Callable[[Any, str], Any]
"""What becomes of a value before it is stored, such as one without its secrets; it gets the value
and the name that it is stored under."""

LARGEST_VALUE: Final = 16 << 20  # bytes, as msgpack packs it
_DEEPEST: Final = 100  # lists and maps within each other, which are all read by recursion
LONGEST_KEY: Final = 1000  # characters
LONGEST_NAMESPACE: Final = 500


def texts(value: Any) -> Iterator[str]:
    """The texts in a value, keys of maps included."""
    return (part for part in _parts(value) if isinstance(part, str))


def _parts(value: Any, deepest: int = _DEEPEST) -> Iterator[Any]:
    """What a value consists of in the end, keys of maps included. Raises ValueError for one that is
    nested deeper."""
    if not isinstance(value, dict | list | tuple):
        yield value
        return
    if not deepest:
        raise ValueError(f"it is nested more than {_DEEPEST} deep")
    for inner in chain(*value.items()) if isinstance(value, dict) else value:
        yield from _parts(inner, deepest - 1)


def searchable(value: Any) -> str:
    """The value as a text to be found: itself, or a line for each field that says something."""
    return "\n".join(_told(value, ""))


def _told(value: Any, name: str) -> Iterator[str]:
    match value:
        case None | bytes():
            return
        case dict():
            for key, inner in value.items():
                yield from _told(inner, f"{name}.{key}" if name else str(key))
        case list() | tuple():
            for inner in value:
                yield from _told(inner, name)
        case _:
            said = str(value).lower() if isinstance(value, bool) else str(value)
            if said.strip():
                yield f"{name}: {said}" if name else said


def packed(name: str, value: Any) -> bytes:
    """The value as msgpack. Raises ArgumentTypeError for a type that msgpack has not;
    InvalidArgumentError for a number that JSON has not or over 64 bits, half a character, more than
    16 MiB, or what is nested more than 100 deep."""
    try:
        found: bytes = msgpack.packb(value)
        if any(isinstance(part, float) and not isfinite(part) for part in _parts(value)):
            raise ValueError("JSON has no infinity and no NaN; use None or a text")
        unpacked(found)  # a tuple as a key comes back as a list, which is none
    except (TypeError, RecursionError, UnicodeEncodeError) as error:
        if isinstance(error, UnicodeEncodeError):
            raise InvalidArgumentError(f"{name} holds a lone surrogate: {error}") from None
        raise ArgumentTypeError(
            f"{name} consists of None, bool, int, float, str, bytes, lists and maps only: {error}"
        ) from None
    except (ValueError, OverflowError) as error:
        raise InvalidArgumentError(f"{name} cannot be stored: {error}") from None
    if len(found) > LARGEST_VALUE:
        raise InvalidArgumentError(
            f"{name} has {len(found):,} bytes; at most {LARGEST_VALUE:,} are stored in an item"
        )
    return found


def unpacked(value: bytes) -> Any:
    return msgpack.unpackb(value, strict_map_key=False)


def check_name(name: str, given: object, most: int, *, least: int = 1) -> str:
    """`given` if it may be a key or a namespace. Raises ArgumentTypeError, InvalidArgumentError."""
    text = check_str(name, given)
    if not least <= len(text) <= most or "\x00" in text:
        raise InvalidArgumentError(
            f"{name} has {least} to {most:,} characters and no NUL, got {text!r:.80}"
        )
    check_encodable(name, text)
    return text
