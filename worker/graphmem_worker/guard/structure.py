"""Structured data: the name of each text in maps and lists, and JSON within a text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any, Final

from graphmem_worker.guard.names import inner_name, is_neutral, kind_of

_MOST: Final = 16  # places of a text that are tried as the beginning of JSON
_LONGEST_NAME: Final = 40
_DECODER: Final = JSONDecoder()


def mapped(value: Any, leaf: Callable[[str, Any], Any], name: str = "") -> Any:
    """A value of JSON or msgpack with `leaf(name, each)` in place of all but maps and lists.

    The name is that of the field; of a neutral field ("value") a label in the same map ({"name":
    "wifi password", "value": …}) or the name of the outer field; of the second of a pair the first,
    if that names a secret. The keys of maps are leaves with the name "".
    """
    match value:
        case dict():
            label = next((v for v in value.values() if isinstance(v, str) and kind_of(v)), None)
            label = label or next(
                (v for k, v in value.items()
                 if isinstance(v, str) and len(v) <= _LONGEST_NAME and not is_neutral(str(k))),
                name,
            )  # fmt: skip
            return {
                leaf("", key): mapped(
                    inner, leaf, inner_name(label if is_neutral(str(key)) else name, str(key))
                )
                for key, inner in value.items()
            }
        case [str() as first, second] if kind_of(first):
            return [first, mapped(second, leaf, first)]
        case list() | tuple():
            return [mapped(inner, leaf, name) for inner in value]
    return leaf(name, value)


def fields(text: str, name: str = "") -> Iterator[tuple[str, str, int, int]]:
    """(name, value, start, end) of each text or number in the JSON within `text`.

    name: that of the whole text.
    """
    at = 0
    for _ in range(_MOST):
        at = min((i for i in (text.find("{", at), text.find("[", at)) if i >= 0), default=-1)
        if at < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, at)
            found = [*_places(text, at, end, value, name)]
        except (JSONDecodeError, RecursionError):
            at += 1
            continue
        yield from found
        at = end


def _places(
    text: str, at: int, end: int, value: Any, outer: str
) -> Iterator[tuple[str, str, int, int]]:
    found: list[tuple[str, str]] = []

    def note(name: str, each: Any) -> Any:
        if name and isinstance(each, str | int) and not isinstance(each, bool):
            found.append((name, str(each)))
        return each

    mapped(value, note, outer)
    for name, each in found:
        written = json.dumps(each, ensure_ascii=False)[1:-1]
        start = text.find(written, at, end)
        if start >= 0:
            yield name, each, start, start + len(written)
            at = start + len(written)
