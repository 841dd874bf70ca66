"""Transfers: who gives, lends, owes or tells something, where the speaker is one of the two.

"I owe Martha 35 euros" has the words of "Who owes me money?" and states the reverse. In English and
German the form of the pronoun shows who gives, in Chinese the order of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

from graphmem_worker.claims.vocabulary import is_han
from graphmem_worker.language.lists import listed, rings
from graphmem_worker.language.numbers import either
from graphmem_worker.language.sayings import folded
from graphmem_worker.text.patterns import late

_CLAUSE: Final = late(r"[,.;:!?，。；：！？、\n]+(?!\d)")
_WORD: Final = late(r"[^\W\d_]+")


def is_reversed(cue: str, text: str) -> bool:
    """Whether the speaker gives in a text what they receive in a cue, or the other way round, and
    no transfer of the text has the direction of the cue."""
    asked = _given(cue)
    if not asked or len({verb for verb, _ in asked}) != len(asked):
        return False  # the cue has both directions of a verb
    given = _given(text)
    return (
        bool(given)
        and given.isdisjoint(asked)
        and any((v, not gives) in given for v, gives in asked)
    )


@lru_cache(1 << 13)
def _given(text: str) -> frozenset[tuple[str, bool]]:
    """(verb of giving, whether the speaker gives) for each transfer of a text; none of a clause in
    which the speaker is both giver and receiver."""
    low = folded(text)
    read = _read_han if _VERB_HAN.search(low) else _read_latin
    return frozenset(found for clause in _CLAUSE.split(low) for found in read(clause))


@cache
def _forms(name: str) -> dict[str, str]:
    """Forms of verbs → the first form of their ring; for verbs of receiving, the verb of giving."""
    return {form: ring[0] for ring in rings(name) for form in ring}


def _read_latin(clause: str) -> Iterator[tuple[str, bool]]:
    words = _WORD.findall(clause)
    gives = not listed("self_gives").isdisjoint(words)
    if gives == (not listed("self_given").isdisjoint(words)):
        return
    for at, word in enumerate(words):
        if word in _forms("transfers"):  # "What was I given?"
            is_passive = not listed("passive").isdisjoint(words[max(0, at - 2) : at])
            yield _forms("transfers")[word], gives != is_passive
        elif word in _forms("received"):
            yield _forms("received")[word], not gives


def _read_han(clause: str) -> Iterator[tuple[str, bool]]:
    # The first place of each is enough: it is before every verb behind it.
    speaker, to_speaker, source, from_speaker = (_first(clause, *names) for names in _BEFORE_HAN)
    for found in _VERB_HAN.finditer(clause):
        at = found.start()
        if to_speaker <= at or _SPEAKER_BEHIND.match(clause, found.end()):
            yield found[0], False
        elif from_speaker <= at:
            yield found[0], True
        elif speaker <= at:
            yield found[0], source > at


def _first(clause: str, *names: str) -> int:
    """The end of the first sequence of a word of each list; beyond the clause if there is none."""
    found = _one_of(*names).search(clause)
    return len(clause) + 1 if found is None else found.end()


@cache
def _one_of(*names: str) -> re.Pattern[str]:
    return re.compile("".join(map(_any_of, names)))


def _any_of(name: str) -> str:
    return f"(?:{either(listed(name))})"


def _speaker_behind() -> str:
    return _any_of("given_between") + "{0,2}" + _any_of("self_han")


_BEFORE_HAN: Final = (
    ("self_han",),
    ("given_to", "self_han"),
    ("taken_from",),
    ("taken_from", "self_han"),
)
_SPEAKER_BEHIND: Final = late(_speaker_behind)
_VERB_HAN: Final = late(lambda: either(v for v in _forms("transfers") if is_han(v)))
