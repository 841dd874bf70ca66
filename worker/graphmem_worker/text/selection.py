"""Which sentences have to stay together when a memory is shortened."""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from graphmem_worker.language.lists import numerals
from graphmem_worker.text.clauses import (
    SURELY_LIMITS,
    begins_with_condition,
    correction,
    is_elliptic,
    is_retraction,
    limits,
    names_another,
    refers_back,
    reports,
    speaks_of_another,
    undoes,
    unsettles,
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
_REACH: Final = 3  # sentences before a pronoun, one of which may name what it stands for
_CACHED_TEXTS: Final = 4096


class Group(NamedTuple):
    """Consecutive sentences that belong together, by the places of the first and the last."""

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
            has_lead = place > 0 and bool(_LEADS.search(units[place - 1]))
            if last > place or has_lead:
                found.append(Group(place - has_lead, last, "list"))
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
    """Pairs (place, place of another) of sentences of a text of which the other may negate, limit,
    retract or correct the one, which must therefore not be shown without it.

    What unsettles its text (`unsettles`), and a condition that opens it, refers to all others; a
    correction to all before it; a retraction to those before it that share a word with it; one with
    a pronoun, and what undoes something, to the three before it; what a source says to what the
    last one said. To the one before it refers a limit, a condition, and a retraction without a
    subject or verb of its own."""
    if len(units) < 2:
        return ()
    found = list(_corrected(units))
    reported: list[int] = []
    for at, unit in enumerate(units):
        if reports(unit):
            found += [(place, at) for place in reported[-1:]]  # the one before is bound by its own
            reported.append(at)
        is_condition = begins_with_condition(unit)
        if unsettles(unit) or (is_condition and not at):
            found += [(place, at) for place in range(len(units)) if place != at]
            continue
        retracts = is_retraction(unit)
        if at and (is_condition or limits(unit) or (retracts and is_elliptic(unit))):
            found.append((at - 1, at))
        if retracts:
            own = set(words(unit))
            found += [(p, at) for p in range(at) if not own.isdisjoint(words(units[p]))]
        if undoes(unit) or (retracts and refers_back(unit)):
            found += [(place, at) for place in range(max(0, at - _REACH), at)]
    return tuple(dict.fromkeys(found))


@lru_cache(_CACHED_TEXTS)
def leaning(units: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Pairs (place, later place) of consecutive sentences of which the later one means nothing
    without the other: it corrects or surely limits the other, it is short and has no subject or
    verb of its own ("Ref 88-2210."), or its subject is a pronoun whose referent the other may
    name."""
    found = list(_corrected(units))
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
def _corrected(units: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """The pairs of which the later sentence may correct the other."""
    corrections: set[int] = set()
    for place in range(1, len(units)):
        corrected = correction(units[place])
        if corrected is not None:
            corrections.add(place)
            if not corrected and place + 1 < len(units):  # "No, wait." only announces one
                corrections.add(place + 1)
    return tuple((place, later) for later in sorted(corrections) for place in range(later))


def bound(units: tuple[str, ...], kept: Collection[int], *, leans: bool = True) -> set[int]:
    """The places that have to stay if those in `kept` do: these, the sentences that turn them
    (`turned`) and, with `leans`, those that they lean on (`leaning`)."""
    found = set(kept)
    while True:
        more = {later for place, later in turned(units) if place in found}
        if leans:
            more |= {place for place, later in leaning(units) if later in found}
        if more <= found:
            return found
        found |= more
