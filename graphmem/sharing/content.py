"""The content of items: checked and packed before it is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from math import isfinite
from typing import Any, Final, TypeAlias

import msgpack

from graphmem.errors import ArgumentTypeError, InvalidArgumentError
from graphmem.values.checks import check_encodable, check_str, is_blank

Clean: TypeAlias = Callable[[Any, str], Any]
"""Changes a value before it is stored, such as by cutting secrets; takes the value and the name
that it is stored under."""

LARGEST_VALUE: Final = 16 << 20  # bytes, as msgpack packs it
_DEEPEST: Final = 100  # levels of nested lists and maps, which are read by recursion
LONGEST_KEY: Final = 1000  # characters
LONGEST_NAMESPACE: Final = 500


def texts(value: Any) -> Iterator[str]:
    """The texts in a value, keys of maps included."""
    return (part for part in _parts(value) if isinstance(part, str))


def _parts(value: Any, deepest: int = _DEEPEST) -> Iterator[Any]:
    """The values without parts in a value, keys of maps included. Raises ValueError if it is nested
    more than `deepest` levels."""
    if not isinstance(value, dict | list | tuple):
        yield value
        return
    if not deepest:
        raise ValueError(f"it is nested more than {_DEEPEST} deep")
    for inner in chain(*value.items()) if isinstance(value, dict) else value:
        yield from _parts(inner, deepest - 1)


def searchable(value: Any) -> str:
    """The searchable text of a value: a str itself, else a line for each field with content."""
    return "\n".join(_lines(value, ""))


def _lines(value: Any, name: str) -> Iterator[str]:
    match value:
        case None | bytes():
            return
        case dict():
            for key, inner in value.items():
                yield from _lines(inner, f"{name}.{key}" if name else str(key))
        case list() | tuple():
            for inner in value:
                yield from _lines(inner, name)
        case _:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            if not is_blank(text):
                yield f"{name}: {text}" if name else text


def packed(name: str, value: Any) -> bytes:
    """The value as msgpack. Raises ArgumentTypeError for a type unknown to msgpack;
    InvalidArgumentError for NaN, infinity, an int over 64 bits, a lone surrogate, more than 16 MiB
    or more than 100 levels of nesting."""
    try:
        found: bytes = msgpack.packb(value)
        if any(isinstance(part, float) and not isfinite(part) for part in _parts(value)):
            raise ValueError("JSON has no infinity and no NaN; use None or a text")
        unpacked(found)  # a tuple as a key is unpacked as a list, which fails
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
    """`given` if it is a valid key or namespace. Raises ArgumentTypeError, InvalidArgumentError."""
    text = check_str(name, given)
    if not least <= len(text) <= most or "\x00" in text:
        raise InvalidArgumentError(
            f"{name} has {least} to {most:,} characters and no NUL, got {text!r:.80}"
        )
    check_encodable(name, text)
    return text
