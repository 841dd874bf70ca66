"""Values as data for JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from math import isfinite
from typing import Any

from graphmem.values.nodes import Node


def plain(value: object) -> Any:
    """A value of the library as data for JSON; keys are field names. An infinity or NaN, as of a
    fact, is null, as JavaScript writes it; bytes are a text, as Python writes them. A map with two
    keys that JSON cannot tell apart, such as 1 and "1", is a list of pairs."""
    if isinstance(value, Enum):
        return value.name.lower()
    if is_dataclass(value):
        return _fields(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return repr(value)
    if isinstance(value, Mapping):
        keys, items = [plain(key) for key in value], map(plain, value.values())
        names = [key if isinstance(key, str) else json.dumps(key) for key in keys]
        if len(set(names)) == len(names):
            return dict(zip(names, items, strict=True))
        return [list(pair) for pair in zip(keys, items, strict=True)]
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def _fields(value: Any) -> dict[str, Any]:
    found = {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Node):
        del found["stated"]
        found["kind"] = plain(value.kind)
    return found
