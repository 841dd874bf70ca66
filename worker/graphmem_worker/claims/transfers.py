"""Transfers: who gives, lends, owes or tells something, where who speaks is one of the two.

"I owe Martha 35 euros" holds the words of "Who owes me money?" and tells the reverse. English and
German tell by the form of the pronoun who gives, Chinese by the order of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

from graphmem_worker.claims.vocabulary import is_han
from graphmem_worker.language.lists import listed, rings
from graphmem_worker.language.numbers import either
from graphmem_worker.text.patterns import late

_CLAUSE: Final = late(r"[,.;:!?，。；：！？、\n]+(?!\d)")
_WORD: Final = late(r"[^\W\d_]+")


def is_reversed(cue: str, text: str) -> bool:
    """Whether a text tells that who speaks gave what, as a cue has it, they were given, or the
    other way round, and tells nothing as the cue has it."""
    asked = _given(cue)
    if not asked or len({verb for verb, _ in asked}) != len(asked):
        return False  # it names both
    told = _given(text)
    return bool(told) and told.isdisjoint(asked) and any((v, not mine) in told for v, mine in asked)


@lru_cache(1 << 13)
def _given(text: str) -> frozenset[tuple[str, bool]]:
    """The verbs of giving in a text, each with whether who speaks gives; none where they do both
    in one clause."""
    low = text.lower()
    read = _read_han if _VERB_HAN.search(low) else _read_latin
    return frozenset(found for clause in _CLAUSE.split(low) for found in read(clause))


@cache
def _forms(name: str) -> dict[str, str]:
    """The forms of verbs → the first of them; those of getting something → that of giving it."""
    return {form: ring[0] for ring in rings(name) for form in ring}


def _read_latin(clause: str) -> Iterator[tuple[str, bool]]:
    said = _WORD.findall(clause)
    gives = not listed("self_gives").isdisjoint(said)
    if gives == (not listed("self_given").isdisjoint(said)):
        return
    for at, word in enumerate(said):
        if word in _forms("transfers"):  # "What was I given?"
            is_passive = not listed("passive").isdisjoint(said[max(0, at - 2) : at])
            yield _forms("transfers")[word], gives != is_passive
        elif word in _forms("received"):
            yield _forms("received")[word], not gives


def _read_han(clause: str) -> Iterator[tuple[str, bool]]:
    # Where each stands first: before a verb is before all that follow it.
    mine, to, source, of_mine = (_first(clause, *names) for names in _BEFORE_HAN)
    for found in _VERB_HAN.finditer(clause):
        at = found.start()
        if to <= at or _MINE_BEHIND.match(clause, found.end()):
            yield found[0], False
        elif of_mine <= at:
            yield found[0], True
        elif mine <= at:
            yield found[0], source > at


def _first(clause: str, *names: str) -> int:
    """The place behind the first words of some lists one after the other; that behind all."""
    found = _one_of(*names).search(clause)
    return len(clause) + 1 if found is None else found.end()


@cache
def _one_of(*names: str) -> re.Pattern[str]:
    return re.compile("".join(map(_any_of, names)))


def _any_of(name: str) -> str:
    return f"(?:{either(listed(name))})"


def _mine_behind() -> str:
    return _any_of("given_between") + "{0,2}" + _any_of("self_han")


_BEFORE_HAN: Final = (
    ("self_han",),
    ("given_to", "self_han"),
    ("taken_from",),
    ("taken_from", "self_han"),
)
_MINE_BEHIND: Final = late(_mine_behind)
_VERB_HAN: Final = late(lambda: either(v for v in _forms("transfers") if is_han(v)))
