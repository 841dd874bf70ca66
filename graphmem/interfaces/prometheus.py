"""The numbers of a memory as Prometheus reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def exposition(stats: Mapping[str, Any]) -> str:
    """What `admin.stats()` returned in Prometheus's text format: a gauge for each number, named
    `graphmem_…` by its keys, with the scope as a label."""
    label = f'{{scope="{str(stats["scope"]).translate(_ESCAPED)}"}}'
    return "".join(
        f"# TYPE {name} gauge\n{name}{label} {number}\n" for name, number in _numbers(stats, "")
    )


def _numbers(held: Mapping[str, Any], outer: str) -> Iterator[tuple[str, float]]:
    for key, value in held.items():
        name = f"{outer or 'graphmem'}_{re.sub(r'[^a-zA-Z0-9]', '_', key)}"
        if isinstance(value, Mapping):
            yield from _numbers(value, name)
        elif isinstance(value, int | float):
            yield name, int(value) if isinstance(value, bool) else value
