"""Whose: whom a cue asks about, and whom a memory is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from graphmem.recalling.asking import asked_type
from graphmem.recalling.candidates import Candidate
from graphmem.recalling.cue import Cue
from graphmem_worker.claims.numbered import distinguishing_words
from graphmem_worker.claims.statements import (
    Statement,
    asked_of,
    attributes_of,
    in_words,
    key_of,
    named_in,
    statements,
)
from graphmem_worker.claims.vocabulary import is_han, lexicon_of
from graphmem_worker.text.words import words

_NOBODY: Final[frozenset[str]] = frozenset()


def is_of_others(cue: Cue, c: Candidate) -> bool:
    """Whether a memory names its subjects, and the cue asks about none of them; or it has another
    number of the thing that the cue asks about: bed 14 for bed 4."""
    if distinguishing_words((cue.text,), c.text.spans, is_asked=True):
        return True
    whom = asked_of(cue.text)
    if not whom or c.question:  # a reply is about the subject of its question
        return False
    stated = statements(c.text.spans, c.text.speaker)
    # Of "Jonas has his birthday on 9 May, we celebrate on the 7th" only the first clause counts.
    asked = attributes_of(cue.text).union(cue.terms)
    of_asked = [s for s in stated if not asked.isdisjoint(in_words(s.keys))]
    if not of_asked and not all(_has_clear_subject(s, c) for s in stated):
        return False
    firsts = persons(of_asked or stated)
    if not firsts or "?" in firsts or any(_is_named_in(cue, key) for key in firsts):
        return False  # "What dose of warfarin does Dad take?" asks about a drug too
    others = firsts - {_me(c)}
    if others and any("/" in key for key in whom) and not any("/" in key for key in others):
        return False  # Lena may be the daughter
    named = [key for key in whom if is_han(key)]
    parts = frozenset(part for key in named for part in words(key))
    likely = _NOBODY.union(*(s.persons for s in stated))
    if named and not (firsts <= likely and parts.isdisjoint(words(c.content))):
        return False  # 叶面温度 may be no name, and 阿凯 is in 阿凯飞成都
    keys = _NOBODY.union(*(s.keys for s in of_asked or stated))
    if "self" not in whom:  # else "me" would mean every speaker who says "my sister"
        keys |= {*_me(c).split()}
    if asked_type(cue.text) == "person":  # "Paul's wife is Ingrid" tells whom Paul married
        keys |= {key.partition("/")[0] for key in keys}
    return _bare(as_named_by(c, whom)).isdisjoint(_bare(keys))


def are_unknown(cue: str, asked: Iterable[str], frequency: Callable[[str], int]) -> bool:
    """Whether a cue names those whom it asks about, and no memory has a word of their names. asked:
    the index words that are looked up for the cue; it lacks names that memories write otherwise."""
    keys = asked_of(cue).union(key for key in named_in(cue) if "/" in key)
    named = {key.partition("/")[0] for key in keys} - {"self", "?", ""}
    # A Chinese one may have the verb (何婷开) or lack the form of address: 何婷, 唐叔.
    typed = (cue[cue.find(name) :][:2] if is_han(name) else name for name in named)
    held = {word for name in typed for word in (name, *words(name))}
    return not held.isdisjoint(asked) and not any(map(frequency, held))


def as_named_by(c: Candidate, named: Iterable[str]) -> frozenset[str]:
    """The keys that a cue names, with "self" as the speaker of a memory: whoever asks "Where do I
    live?" may be any speaker."""
    parts = (key.partition("/") for key in named)
    return frozenset(f"{_me(c) if who == 'self' else who}{mark}{kin}" for who, mark, kin in parts)


def persons(stated: Sequence[Statement]) -> frozenset[str]:
    """Whom or what some statements are about, without keys that have figures, as of flights."""
    each = [s.persons if s.persons and "?" in s.subjects else s.subjects for s in stated]
    return frozenset(key for key in _NOBODY.union(*each) if not any(map(str.isdigit, key)))


def _me(c: Candidate) -> str:
    return key_of(c.text.speaker, lexicon_of(c.content))


def _has_clear_subject(s: Statement, c: Candidate) -> bool:
    """Whether a statement itself names a relative or its speaker as its subject."""
    is_sure = any("/" in key or key == _me(c) for key in s.subjects)
    return is_sure and not s.is_inherited


def _is_named_in(cue: Cue, key: str) -> bool:
    """Whether a cue has a name; a Chinese one may be inside longer text, a Latin one be the key of
    a text in another language, which is no stem."""
    if is_han(key):
        return key in cue.terms or (len(key) > 1 and key in cue.text)
    return key in cue.terms or ("/" not in key and not {*cue.terms}.isdisjoint(words(key)))


def _bare(keys: frozenset[str]) -> frozenset[str]:
    """Keys, with those of German owners also without their ending: "Emmas" is of Emma."""
    owners = [key.partition("'") for key in keys if "'" in key]
    return keys.union(
        (f"{owner}{kin}" for owner, _, kin in owners),
        (f"{owner.removesuffix('s')}{kin}" for owner, _, kin in owners),
    )
