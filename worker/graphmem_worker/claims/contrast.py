"""Contrast: whether two texts are about two things of one kind, by the modifier before the noun.

"The morning dose is 12 units" and "The evening dose is 18 units now" are about two doses;
左边的抽屉 and 右边的抽屉 are two drawers, 12号床 and 15号床 two beds. `numbered` has other numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from graphmem_worker.claims.numbered import distinguishing_words, has_number_of, lettered_words
from graphmem_worker.claims.vocabulary import Lexicon, Token, is_han, lexicon_of
from graphmem_worker.language.calendar import mentions
from graphmem_worker.language.lists import numerals, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import FUNCTION_CHARACTERS, HAN, STOP_WORDS

_WORD: Final = late(r"[^\W_][\w'’-]*|[,.;:!?()]+(?=\s|$)")
_FIRST: Final = 2  # words of a text that may identify its subject, …
_OPENING: Final = 3  # … or characters of a Chinese clause
_LONGEST: Final = 80  # characters of a text that begins with what it is about, …
_LONGEST_HAN: Final = 25  # … and of a Chinese one
_HAN_SUBJECT: Final = 2  # characters that identify a subject
_KIN: Final = (1,), (2, 3)  # words, or characters, of an expression for a relative
_EMPTY_HAN: Final = frozenset(FUNCTION_CHARACTERS)
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


class _Framed(NamedTuple):
    """The subject of a text, and what is said of it."""

    subject: Sequence[str]
    """The first words with a meaning, if these may be the subject; of Chinese, the characters."""
    frame: frozenset[str]
    """The other words with a meaning; of Chinese, all pairs of characters."""
    relatives: frozenset[str]
    """The keys of the relatives that it names."""


def contrasted(one: str, other: str) -> bool:
    """Whether the opening modifiers of one head differ, and neither text has the other's."""
    left, right = _read(one), _read(other)
    return _differ(left.opening, left, right, right.opening)


def contrasted_by(cue: str, one: str, other: str) -> bool:
    """Whether `one` shares a modifier of a head with a cue, and `other` has a different one."""
    asked, right = _read(cue), _read(other)
    named = {h: w for h, w in asked.pairs.items() if h in right.pairs and not w <= right.words}
    if not named:  # so that `one` need not be read
        return False
    left = _read(one)
    shared = {h: both for h, w in named.items() if (both := w & left.pairs.get(h, set()))}
    return _differ(shared, left, right, right.pairs)


def is_other(cue: str, one: str, other: str) -> bool:
    """Whether `one` is about the thing that a cue names, and `other` about another one: it has
    another number, another modifier, or another thing or relative as its subject."""
    spans = (cue,), (other,)
    return (
        (bool(distinguishing_words(*spans, is_asked=True)) and has_number_of(cue, one))
        or contrasted_by(cue, one, other)
        or _has_other_subject(cue, one, other)
    )


def are_of_two(one: str, other: str) -> bool:
    """Whether two texts are about two things, by any modifier, letter or subject."""
    left, right = _read(one), _read(other)
    return (
        _differ(left.pairs, left, right, right.pairs)
        or _differ(right.pairs, right, left, left.pairs)
        or have_other_subjects(one, other)
        or bool(lettered_words(one, other))
        or (is_han(one) and is_han(other) and _is_swapped(simplified(one), simplified(other)))
    )


def have_other_subjects(one: str, other: str) -> bool:
    """Whether two texts that share words begin with two things, of which neither names the
    other's: "the groom", "the best man"; "key A", "key B"."""
    return (
        _has_other_subject(one, one, other)
        or _has_other_subject(other, other, one)
        or not lettered_words(one, other).isdisjoint(_framed(one).subject)
    )


def _is_swapped(one: str, other: str) -> bool:
    """Whether two Chinese texts have, between the same two characters, two that only one has."""
    left, right = (
        {(a, b): x for a, x, b in zip(text, text[1:], text[2:], strict=False) if x not in rest}
        for text, rest in ((one, other), (other, one))
    )
    return not left.keys().isdisjoint(right)


def _has_other_subject(cue: str, one: str, other: str) -> bool:
    """Whether `one` begins with what a cue names, and `other`, which shares other words with it,
    with something else, and does not name it."""
    most = _LONGEST_HAN if is_han(cue) else _LONGEST
    if max(len(one), len(other)) > most:
        return False  # longer texts begin with what they are not about
    asked, left, right = _framed(cue), _framed(one), _framed(other)
    if left.frame.isdisjoint(right.frame):
        return False
    if not left.relatives.isdisjoint(asked.relatives):
        return bool(right.relatives) and right.relatives.isdisjoint(left.relatives)
    if not left.subject or not right.subject:
        return False
    if lexicon_of(cue).is_han:
        first, then = ("".join(each.subject[:_HAN_SUBJECT]) for each in (left, right))
        is_named = first in simplified(cue) and then not in simplified(cue)
        is_apart = first not in simplified(other) and then not in simplified(one)
        return is_named and is_apart
    first, then, named = left.subject[0], right.subject[0], _read(cue).words
    if first not in named or then in named:
        return False
    held, other_held = _read(one).words, _read(other).words
    return other_held.isdisjoint(_owning(first)) and held.isdisjoint(_owning(then))


def _owning(word: str) -> tuple[str, ...]:
    return word, f"{word}s", word.removesuffix("s")  # Bello, Bellos


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
        every = frozenset((*stems, *(word.partition("'")[0] for word in words)))
        for at, (word, after) in enumerate(pairwise(words)):
            if at and words[at - 1][0].isdigit():
                continue  # "5 mg ramipril"
            is_which = at and word in lexicon.marked and _is_determiner(words[at - 1], lexicon)
            is_content = _is_content(word, lexicon) or bool(is_which)  # "my left arm"
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


@lru_cache(1 << 13)
def _framed(text: str) -> _Framed:
    text = simplified(text)
    lexicon = lexicon_of(text)
    relatives = _relatives(text, lexicon)
    if lexicon.is_han:
        runs = _RUN.findall(text)
        found = {a + b for run in runs for a, b in pairwise(run) if not {a, b} & _EMPTY_HAN}
        match = _RUN.match(text)
        run = "" if match is None else match[0]
        for size in range(lexicon.longest.get(run[:1], 0), 0, -1):
            known = lexicon.entries.get(run[:size])
            if run[:size] in lexicon.marked or (known is not None and not _is_kin(known)):
                run = run[size + 1 :] if run[size : size + 1] in lexicon.links else ""
        is_name = len(run) >= _HAN_SUBJECT and run[0] not in numerals()
        return _Framed(run if is_name else "", frozenset(found), relatives)
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    titles = () if lexicon.nouns is None else lexicon.nouns.titles
    stems, subject, is_open = lexicon.stems(words), list[str](), True
    frame: set[str] = set()
    for word, stem in zip(words, stems, strict=True):
        known = lexicon.entries.get(word)
        is_own = known is not None and known.own
        is_content = _is_content(word, lexicon) and word not in lexicon.links and not is_own
        is_named = is_content and word not in titles and (known is None or _is_kin(known))
        if is_open and is_named and stem not in lexicon.agents and word not in lexicon.titles:
            subject.append(word.partition("'")[0])  # the languages of two texts may seem to differ
            continue
        is_skipped = is_own or word in titles or word in lexicon.links or word in STOP_WORDS
        is_open = is_open and not subject and is_skipped
        if is_content or _is_concept(word, lexicon):
            frame.add(stem)
    return _Framed(subject, frozenset(frame.union(lexicon.stems(subject[1:]))), relatives)


def _relatives(text: str, lexicon: Lexicon) -> frozenset[str]:
    """The keys of the relatives that a text names."""
    parts = [*text] if lexicon.is_han else _WORD.findall(text.lower())
    places = ((at, at + size) for size in _KIN[lexicon.is_han] for at in range(len(parts)))
    found = (lexicon.entries.get(lexicon.gap.join(parts[at:end])) for at, end in places)
    return frozenset(known.key for known in found if known is not None and _is_kin(known))


def _is_kin(known: Token) -> bool:
    return known.key.startswith("/")


def _is_head(before: str, word: str, lexicon: Lexicon) -> bool:
    """Whether a word may be a head of which `before` is the modifier; "the morning dose" too."""
    known = [lexicon.entries[each].role for each in (before, word) if each in lexicon.entries]
    return known == ["time", "concept"] or _is_content(word, lexicon)


def _is_determiner(word: str, lexicon: Lexicon) -> bool:
    """Whether a word says which thing is meant: "the", "my", "Ann's"."""
    known = lexicon.entries.get(word)
    return word in lexicon.links or word.endswith("'s") or (known is not None and known.own)


def _is_concept(word: str, lexicon: Lexicon) -> bool:
    """Whether a word tells an attribute: "rent" is a noun or a verb."""
    return word in lexicon.entries and lexicon.entries[word].role == "concept"


def _is_content(word: str, lexicon: Lexicon) -> bool:
    """Whether a word has a meaning of its own and is not the verb."""
    known = lexicon.entries.get(word)
    empty = () if lexicon.nouns is None else ("empty",)  # of English some are titles
    is_excluded = known is not None and known.role in ("concept", "adjunct", "unknown", *empty)
    return word[0].isalpha() and not (is_excluded or word in STOP_WORDS or word in lexicon.marked)
