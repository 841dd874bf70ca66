"""Contrast: whether two texts are about two things of one kind, by the modifier before the noun.

"The morning dose is 12 units" and "The evening dose is 18 units now" are about two doses;
左边的抽屉 and 右边的抽屉 are two drawers, 12号床 and 15号床 two beds. `numbered` has other numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Set
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from graphmem_worker.claims.vocabulary import Lexicon, lexicon_of
from graphmem_worker.language.calendar import mentions
from graphmem_worker.language.lists import numerals, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import FUNCTION_CHARACTERS, HAN, STOP_WORDS

_WORD: Final = late(r"[^\W_][\w'’-]*|[,.;:!?()]+(?=\s|$)")
_FIRST: Final = 2  # words of a text that may identify its subject, …
_OPENING: Final = 3  # … or characters of a Chinese clause
_RUN: Final = late(rf"[{HAN}]+")


def _labels() -> str:
    marks = either(ordered("number_marks"))
    return rf"([{numerals()}\d]++(?:{marks}))[{''.join(FUNCTION_CHARACTERS)}]?+([{HAN}])"


_LABELLED: Final = late(_labels)
"""Groups: an ordinal, the character behind it. Days of the month match too."""
_ANY_DAY: Final = date(2000, 1, 1)

Heads = Mapping[str, Set[str]]
"""Heads → their modifiers: the words that stand directly before them."""


class _Read(NamedTuple):
    """The modifiers of a text."""

    opening: Heads
    """Those among the first words, which identify the subject; of Chinese, one character before
    each pair of characters at the beginning of a clause."""
    pairs: Heads
    """Those of the whole text."""
    words: frozenset[str]
    """All words, or characters."""


def contrasted(one: str, other: str) -> bool:
    """Whether the opening modifiers of one head differ, and neither text has the other's."""
    left, right = _read(one), _read(other)
    return _differ(left.opening, left, right, right.opening)


def contrasted_by(cue: str, one: str, other: str) -> bool:
    """Whether `one` shares a modifier of a head with a cue, and `other` has a different one."""
    left, right = _read(one), _read(other)
    asked = {h: both for h, w in _read(cue).pairs.items() if (both := w & left.pairs.get(h, set()))}
    return _differ(asked, left, right, right.pairs)


def _differ(pairs: Heads, left: _Read, right: _Read, right_pairs: Heads) -> bool:
    return any(
        right_pairs[head].isdisjoint(left.words) and not before <= right.words
        for head, before in pairs.items()
        if head in right_pairs
    )


@lru_cache(1 << 13)
def _read(text: str) -> _Read:
    text = simplified(text)
    lexicon = lexicon_of(text)
    found: list[tuple[int, str, str]] = []
    if lexicon.is_han:
        labelled = list(_LABELLED.finditer(text))
        days = {each.start for each in mentions(text, _ANY_DAY)} if labelled else ()
        for match in labelled:
            begins = match.start() == 0 or not text[match.start() - 1].isalnum()
            if match.start() not in days:
                found.append((0 if begins else _OPENING, match[1], match[2]))
        for match in lexicon.tokens.finditer(text):
            head = text[match.end() : match.end() + 2]
            if match.lastgroup == "number" and not head.startswith((*ordered("number_units"),)):
                found.append((_OPENING, match[0], head))
        every = frozenset((*text, *(word for _, word, _ in found)))
        for run in _RUN.findall("".join(c for c in text if c not in lexicon.links)):
            for at in range(len(run) - 2):
                head = run[at + 1 : at + 3]
                is_number = run[at] in FUNCTION_CHARACTERS or run[at] in numerals()
                known = lexicon.entries.get(head)
                if not is_number and (known is None or known.role == "person"):
                    found.append((at, run[at], head))
    else:
        words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
        stems = lexicon.stems(words)
        every = frozenset(stems)
        for at, (word, after) in enumerate(pairwise(words)):
            if at and words[at - 1][0].isdigit():
                continue  # "5 mg ramipril"
            is_content = _is_content(word, lexicon)
            if is_content and _is_head(word, after, lexicon):
                found.append((at, stems[at], stems[at + 1]))
            if not is_content and not (
                _is_concept(word, lexicon) and at and words[at - 1] in lexicon.links
            ):
                continue
            if _is_concept(after, lexicon) or _is_content(after, lexicon):
                found.append((_FIRST, stems[at], stems[at + 1]))
            behind = at + 1
            while behind < len(words) - 1 and words[behind] in lexicon.links:
                behind += 1
            which = words[behind]
            if behind > at + 1 and which not in lexicon.entries and _is_content(which, lexicon):
                found.append((_FIRST, stems[behind], f"{stems[at]} {after}"))  # "lease of the shed"
    most = _OPENING if lexicon.is_han else _FIRST
    opening: defaultdict[str, set[str]] = defaultdict(set)
    pairs: defaultdict[str, set[str]] = defaultdict(set)
    for at, word, head in found:
        pairs[head].add(word)
        if at < most:
            opening[head].add(word)
    return _Read(dict(opening), dict(pairs), every)


def _is_head(before: str, word: str, lexicon: Lexicon) -> bool:
    """Whether a word may be a head of which `before` is the modifier; "the morning dose" too."""
    known = [lexicon.entries[each].role for each in (before, word) if each in lexicon.entries]
    return known == ["time", "concept"] or _is_content(word, lexicon)


def _is_concept(word: str, lexicon: Lexicon) -> bool:
    """Whether a word tells an attribute: "rent" is a noun or a verb."""
    return word in lexicon.entries and lexicon.entries[word].role == "concept"


def _is_content(word: str, lexicon: Lexicon) -> bool:
    """Whether a word has a meaning of its own and is not the verb."""
    known = lexicon.entries.get(word)
    empty = () if lexicon.nouns is None else ("empty",)  # of English some are titles
    is_excluded = known is not None and known.role in ("concept", "adjunct", "unknown", *empty)
    return word[0].isalpha() and not (is_excluded or word in STOP_WORDS or word in lexicon.marked)
