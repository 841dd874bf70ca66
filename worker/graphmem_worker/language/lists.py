"""Lists of words and what words stand for, by name: `lists.toml` in the folder of each language.

Terms stand between commas. A list of all languages is one list here; a table of lists says under
which name each of its terms stands.
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
    return tuple(term for said in _held(name) for term in _terms(said))


@cache
def classed(name: str) -> Mapping[str, str]:
    """Each term of a table of lists and the name under which it stands, the first if there are
    several. Raises KeyError if no language has the table."""
    found: dict[str, str] = {}
    for key, terms in groups(name).items():
        for term in terms:
            found.setdefault(term, key)
    return found


@cache
def groups(name: str) -> Mapping[str, tuple[str, ...]]:
    """The lists of a table, those of all languages under one name together. Raises KeyError."""
    found: dict[str, tuple[str, ...]] = {}
    for table in _held(name):
        for key, said in table.items():
            found[key] = (*found.get(key, ()), *_terms(said))
    return found


@cache
def rings(name: str) -> tuple[tuple[str, ...], ...]:
    """The lists that stand one after the other in a list, between "|". Raises KeyError."""
    return tuple(tuple(_terms(ring)) for said in _held(name) for ring in said.split("|"))


@cache
def numerals() -> str:
    """The signs of numbers in words that are written with one sign each: 一二三."""
    told = (words for table in tables("numbers").values() for part in ("cardinals", "scales")
            for words in table.get(part, {}).values())  # fmt: skip
    return "".join(word for words in told for word in words.split() if len(word) == 1)


def _held(name: str) -> list[Any]:
    """What each language that has a list or a table of lists says there."""
    held = [table[name] for table in tables("lists").values() if name in table]
    if not held:
        raise KeyError(f"no lists.toml has {name!r}")
    return held


def _terms(said: str) -> Iterator[str]:
    return (term for each in said.split(",") if (term := each.strip()))
