"""Which sentences stay when a memory grows shorter."""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from graphmem_worker.language.lists import numerals
from graphmem_worker.text.clauses import (
    SURELY_LIMITS,
    begins_with_condition,
    is_elliptic,
    limits,
    names_another,
    puts_right,
    speaks_of_another,
    unsays,
)
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import script, words

_ITEM: Final = late(
    lambda: (
        r"\s*(?:[-*+•‣▪○●◦■·–—]\s+\S|\(?\d{1,3}[.)、）．]\s*\S"
        rf"|[（(]?[{numerals()}]{{1,3}}[、)）．]|[①-⑳]|\[[ xX]\]\s)"
    )
)
_LEADS: Final = late(r"[:：]\s*$")
_ASKED: Final = late(r"[?？][\s\"'”’)）]*$")
_SHORT: Final[dict[str, int]] = {"latin": 60, "cjk": 25, "other": 60}


_CACHED_TEXTS: Final = 4096


class Group(NamedTuple):
    """Consecutive sentences that are read together, by their places."""

    first: int
    last: int
    kind: Literal["list", "answer"]


@lru_cache(_CACHED_TEXTS)
def together(units: tuple[str, ...]) -> Sequence[Group]:
    """The groups among consecutive sentences: a list with the line that leads to it (at least two
    items), a question with its answer of up to 60 characters (25 in Chinese)."""
    if len(units) < 2:
        return []
    found: list[Group] = []
    place = 0
    while place < len(units):
        last = place
        if _ITEM.match(units[place]):
            while last + 1 < len(units) and _ITEM.match(units[last + 1]):
                last += 1
            led = place > 0 and bool(_LEADS.search(units[place - 1]))
            if last > place or led:
                found.append(Group(place - led, last, "list"))
        elif place + 1 < len(units) and _ASKED.search(units[place]):
            answer = units[place + 1].strip()
            if is_short(answer) and not _ASKED.search(answer) and not _ITEM.match(answer):
                last = place + 1
                found.append(Group(place, last, "answer"))
        place = last + 1
    return found


def is_short(unit: str) -> bool:
    """Whether a sentence has up to 60 characters, 25 in Chinese."""
    return len(unit.strip()) <= _SHORT[script(unit)]


@lru_cache(_CACHED_TEXTS)
def turned(units: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Of consecutive sentences, the pairs (place, later place) of which the later one may turn
    round, limit, take back or put right what the other says: it has a word that does, and speaks of
    the same thing; what puts right does so to any before it; to the one before it what the head
    "limits" tells, what begins with a condition, and what has such a word and no subject or verb of
    its own. The one is not told without the other."""
    found = list(_righted(units))
    for later in range(1, len(units)):
        is_turning = unsays(units[later])
        is_condition = begins_with_condition(units[later])
        if is_condition or limits(units[later]) or (is_turning and is_elliptic(units[later])):
            found.append((later - 1, later))
        if not is_turning:
            continue
        said = set(words(units[later]))
        found += [(p, later) for p in range(later) if not said.isdisjoint(words(units[p]))]
    return tuple(dict.fromkeys(found))


@lru_cache(_CACHED_TEXTS)
def leaning(units: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Of consecutive sentences, the pairs (place, later place) of which the later one says nothing
    without the other: it puts right or surely limits what that says, it is short and has no
    subject or verb of its own ("Ref 88-2210."), or its subject is a pronoun for whom or what that
    may name."""
    found = list(_righted(units))
    for later in range(1, len(units)):
        leans = begins_with_condition(units[later]) or limits(units[later], SURELY_LIMITS)
        is_pronoun = speaks_of_another(units[later])
        if leans or (not is_pronoun and is_short(units[later]) and is_elliptic(units[later])):
            found.append((later - 1, later))
        if not is_pronoun:
            continue
        for place in range(later - 1, -1, -1):
            if speaks_of_another(units[place]):
                continue
            found.append((place, later))
            if not names_another(units[place]):
                break
    return tuple(dict.fromkeys(found))


@lru_cache(_CACHED_TEXTS)
def _righted(units: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """The pairs of which the later one puts right what the other may say."""
    right: set[int] = set()
    for place in range(1, len(units)):
        said = puts_right(units[place])
        if said is not None:
            right.add(place)
            if not said and place + 1 < len(units):  # "No, wait." only announces it
                right.add(place + 1)
    return tuple((place, later) for later in sorted(right) for place in range(later))


def bound(units: tuple[str, ...], kept: Collection[int], *, leans: bool = True) -> set[int]:
    """The sentences that stay if some do: these, what turns them round, and, if it `leans`, what
    they lean on."""
    told = set(kept)
    while True:
        more = {later for place, later in turned(units) if place in told}
        if leans:
            more |= {place for place, later in leaning(units) if later in told}
        if more <= told:
            return told
        told |= more
