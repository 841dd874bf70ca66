"""Lists of terms by name, and tables of such lists: `lists.toml` in the folder of each language.

Terms are separated by commas. The lists of all languages under one name are one list here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from graphmem_worker.language.tables import tables


@cache
def listed(name: str) -> frozenset[str]:
    """The terms of a list. Raises KeyError if no language has it."""
    return frozenset(ordered(name))


@cache
def ordered(name: str) -> tuple[str, ...]:
    """The terms of a list in their order. Raises KeyError if no language has it."""
    return tuple(term for terms in _entries(name) for term in _terms(terms))


@cache
def classed(name: str) -> Mapping[str, str]:
    """Term of a table of lists → the name of its list, of the first if it is in several. Raises
    KeyError if no language has the table."""
    found: dict[str, str] = {}
    for key, terms in groups(name).items():
        for term in terms:
            found.setdefault(term, key)
    return found


@cache
def groups(name: str) -> Mapping[str, tuple[str, ...]]:
    """The lists of a table, those of all languages under one name together. Raises KeyError."""
    found: dict[str, tuple[str, ...]] = {}
    for table in _entries(name):
        for key, terms in table.items():
            found[key] = (*found.get(key, ()), *_terms(terms))
    return found


@cache
def rings(name: str) -> tuple[tuple[str, ...], ...]:
    """The parts, separated by "|", of a list, each as its terms. Raises KeyError."""
    return tuple(tuple(_terms(ring)) for rows in _entries(name) for ring in rows.split("|"))


@cache
def numerals() -> str:
    """The words of numbers that have one character: 一二三."""
    rows = (words for table in tables("numbers").values() for part in ("cardinals", "scales")
            for words in table.get(part, {}).values())  # fmt: skip
    return "".join(word for words in rows for word in words.split() if len(word) == 1)


def _entries(name: str) -> list[Any]:
    """The list or table of lists of each language that has it. Raises KeyError if none has."""
    found = [table[name] for table in tables("lists").values() if name in table]
    if not found:
        raise KeyError(f"no lists.toml has {name!r}")
    return found


def _terms(text: str) -> Iterator[str]:
    return (term for each in text.split(",") if (term := each.strip()))
