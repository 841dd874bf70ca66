"""Whose: of whom a cue asks, and of whom a memory tells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from graphmem.recalling.candidates import Candidate
from graphmem.recalling.cue import Cue
from graphmem_worker.claims.statements import (
    Statement,
    asked_of,
    attributes_of,
    in_words,
    statements,
)
from graphmem_worker.claims.vocabulary import is_han
from graphmem_worker.text.words import words

_NOBODY: Final[frozenset[str]] = frozenset()


def is_of_others(cue: Cue, c: Candidate) -> bool:
    """Whether a memory names whom or what it tells of, and none of these is asked about."""
    whom = asked_of(cue.text)
    if not whom or c.question:  # a reply tells of what its question asks
        return False
    told = statements(c.text.spans, c.text.speaker)
    # Of "Jonas has his birthday on 9 May, we celebrate on the 7th" only the first clause counts.
    asked = attributes_of(cue.text).union(cue.terms)
    of_asked = [s for s in told if not asked.isdisjoint(in_words(s.keys))]
    if not of_asked and not all(_is_surely_of(s, c) for s in told):
        return False
    firsts = persons(of_asked or told)
    if not firsts or "?" in firsts or any(_is_named_in(cue, key) for key in firsts):
        return False  # "What dose of warfarin does Dad take?" asks of a drug too
    others = firsts - {_me(c)}
    if others and any("/" in key for key in whom) and not any("/" in key for key in others):
        return False  # Lena may be the daughter
    named = [key for key in whom if is_han(key)]
    parts = frozenset(part for key in named for part in words(key))
    if named and not (firsts <= _persons(told) and parts.isdisjoint(words(c.content))):
        return False  # 叶面温度 may be no name, and 阿凯 is in 阿凯飞成都
    keys = _NOBODY.union(*(s.keys for s in of_asked or told))
    if "self" not in whom:  # else whoever says "my sister" would be meant by "me"
        keys |= {*(c.text.speaker or "").casefold().split()}
    return _bare(as_named_by(c, whom)).isdisjoint(_bare(keys))


def as_named_by(c: Candidate, named: Iterable[str]) -> frozenset[str]:
    """What a cue names, as who told a memory names it: whoever asks "Where do I live?" may be any
    speaker."""
    parts = (key.partition("/") for key in named)
    return frozenset(f"{_me(c) if one == 'self' else one}{mark}{kin}" for one, mark, kin in parts)


def persons(told: Sequence[Statement]) -> frozenset[str]:
    """Of whom or what some statements tell; not keys with figures, as of flights and rooms."""
    each = [s.persons if s.persons and "?" in s.first else s.first for s in told]
    return frozenset(key for key in _NOBODY.union(*each) if not any(map(str.isdigit, key)))


def _persons(told: Sequence[Statement]) -> frozenset[str]:
    """Those among what some statements name that are surely persons, or may be by their form."""
    return _NOBODY.union(*(s.persons for s in told))


def _me(c: Candidate) -> str:
    return (c.text.speaker or "").strip().casefold() or "self"


def _is_surely_of(s: Statement, c: Candidate) -> bool:
    """Whether a statement says itself that it tells of a relative or of who says it."""
    is_sure = any("/" in key or key == _me(c) for key in s.first)
    return is_sure and not s.is_inherited


def _is_named_in(cue: Cue, key: str) -> bool:
    """Whether a cue holds a name; no space parts a Chinese one from others."""
    return key in cue.terms or (len(key) > 1 and is_han(key) and key in cue.text)


def _bare(keys: frozenset[str]) -> frozenset[str]:
    """Keys, and those of German owners without their ending: "Emmas", of Emma."""
    owners = [key[:-1] for key in keys if key.endswith("'")]
    return keys.union(owners, (owner.removesuffix("s") for owner in owners))
