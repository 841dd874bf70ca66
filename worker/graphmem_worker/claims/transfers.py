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
    read = _read_han if _verbs_han().search(low) else _read_latin
    return frozenset(found for clause in _CLAUSE.split(low) for found in read(clause))


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
    mine, to, between, source = _han()
    for found in _verbs_han().finditer(clause):
        before, behind = clause[: found.start()], clause[found.end() :]
        if re.match(f"{between}{{0,2}}{mine}", behind) or re.search(to + mine, before):
            yield found[0], False
        elif re.search(source + mine, before):
            yield found[0], True
        elif re.search(mine, before):
            yield found[0], re.search(source, before) is None


@cache
def _han() -> list[str]:
    """What is written for who speaks, before whom is given, between the verb and these, and before
    whom is taken from."""
    names = "self_han", "given_to", "given_between", "sources"
    return [f"(?:{either(listed(name))})" for name in names]


@cache
def _forms(name: str) -> dict[str, str]:
    """The forms of verbs → the first of them; those of getting something → that of giving it."""
    return {form: ring[0] for ring in rings(name) for form in ring}


@cache
def _verbs_han() -> re.Pattern[str]:
    return re.compile(either(verb for verb in _forms("transfers") if is_han(verb)))
