"""The name of a theme: the terms that its members share and other texts seldom have.

After c-TF-IDF (Grootendorst, "BERTopic", 2022): the share of members that hold a term times its
inverse document frequency in the whole memory. Terms in a member's phrase count more. A name has
one subject, whose terms share members, or several, each of different members.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from graphmem.themes import terms as shared
from graphmem.themes.terms import HAN_RUN, Terms, is_beside, overlap
from graphmem_worker.language.lists import listed
from graphmem_worker.text.rarity import Rarity
from graphmem_worker.text.words import words

MOST_TERMS: Final = 3
_LEAST: Final = 0.4  # of the score of the best term
_LEAST_OF_OTHER: Final = 0.35  # of the score of the best term, for one of another subject
_LEFT: Final = 0.4  # share of members without a term of the first subject from which on others are
_UNSURE: Final = 0.65  # factor for a term that no text shows to be a noun
_ASIDE: Final = 0.7  # weight of a member that holds a term outside its phrase
_CARRIED: Final = 1.2  # exponent of the share of members, which so counts more than rarity
_MOST: Final = 0.75  # of the members: a term of so many is their subject, however common it is
_SHARE: Final = 0.2  # of the members that hold a term
_OWN: Final = 0.2  # of the texts that hold a term, how many must be members, …
_OWN_ALONE: Final = 1 / 3  # … and of those that hold the only term of a name or a subject
_MANY: Final = 4  # members that hold a term: enough, however many other texts hold it


@dataclass(frozen=True, slots=True)
class Name:
    """The terms of a theme, the best first, as its members write them; none unless members share
    two terms, or half of them share one."""

    subjects: tuple[tuple[str, ...], ...] = ()  # the terms of each
    holders: tuple[int, ...] = ()  # the places of the members that hold any of the terms
    is_weak: bool = False  # it is one common word, which texts on different subjects may share
    title: str = ""  # the term that more than half of the members hold

    @property
    def terms(self) -> tuple[str, ...]:
        return tuple(term for subject in self.subjects for term in subject)

    @property
    def named(self) -> bool:
        return bool(self.subjects)

    def __str__(self) -> str:
        parts = [" · ".join(subject) for subject in self.subjects]
        return ("、" if HAN_RUN.search("".join(parts)) else ", ").join(parts)


def name(
    texts: Sequence[str],
    keywords: Sequence[Sequence[str]],
    rarity: Rarity,
    *,
    phrases: Sequence[str] = (),
    leave: Collection[str] = (),
    frequency: Callable[[str], int] | None = None,
) -> Name:
    """The name of a theme with these members; one member shares nothing with others.

    texts, keywords: of each member.
    rarity: the inverse document frequency, in nat, of an index word.
    phrases: of each member, the phrase that stands for it; without: the texts.
    leave: index words that no term may contain, such as the speakers' names.
    frequency: returns the number of texts of the whole memory that hold an index word. With it, a
        term that few members and many other texts hold is left out.
    """
    count = len(texts)
    if count < 2:
        return Name()
    found = shared.found(texts, keywords)

    def is_own(term: str, least: float = _OWN_ALONE) -> bool:
        """False for a term that few of the members and many other texts hold, such as the name of
        a colleague."""
        members = len(found.held[term])
        if frequency is None or members >= _MANY:
            return True
        is_most = members >= _MOST * count and not found.is_name(term)
        return is_most or members >= least * min(map(frequency, term.split(" ")))

    main = [set(words(phrase)) for phrase in phrases or texts]
    fewest = max(2, ceil(_SHARE * count))
    scores: dict[str, float] = {}
    for term, members in found.held.items():
        stems = term.split(" ")
        if len(members) < fewest or term in listed("small_talk_stems") or not found.is_noun(term):
            continue
        if found.is_beside(term) or not is_own(term, _OWN) or not set(leave).isdisjoint(stems):
            continue
        share = sum(1.0 if main[at].issuperset(stems) else _ASIDE for at in members) / count
        rare = sum(map(rarity, stems)) / len(stems)
        sure = 1.0 if found.is_sure(term) else _UNSURE
        # A longer run of Han characters counts more; one of n has n − 1 index words.
        length = (min(len(stems) + 1, 5) / 2) ** 0.5 if HAN_RUN.search(term) else 1.0
        scores[term] = share**_CARRIED * rare * sure * length
    plain = {term: scores.pop(term) for term in list(scores) if term in listed("plain_stems")}
    subjects = _subjects(scores, found.held, count, is_own)
    if not subjects and plain:
        best = max(plain, key=lambda term: (len(found.held[term]), term))
        subjects = [[best]] if len(found.held[best]) >= _MOST * count else []
    terms = [term for subject in subjects for term in subject]
    holders = set().union(*(found.held[term] for term in terms))
    if not terms or (len(terms) == 1 and not is_own(terms[0])):
        return Name()
    # A Han gram of three characters has two index words.
    is_weak = len(terms) == 1 and " " not in terms[0] and terms[0] not in found.proper
    is_carried = 2 * len(holders) >= count + is_weak  # a weak name by more than half of them
    if not is_carried and max(len(found.held[term]) for term in terms) < _MANY:
        return Name()
    forms = [tuple(extended([found.form(term) for term in subject], found)) for subject in subjects]
    widest = max(terms, key=lambda term: len(found.held[term]))
    is_of_most = 2 * len(found.held[widest]) > count
    title = extended([found.form(widest)], found)[0] if is_of_most else ""
    return Name(tuple(forms), tuple(sorted(holders)), is_weak, title)


def _subjects(
    scores: Mapping[str, float],
    held: Mapping[str, set[int]],
    count: int,
    is_own: Callable[[str], bool],
) -> list[list[str]]:
    """The terms of a name, by subject. There are several if many members hold none of the best
    terms."""
    linked, holders = _linked(scores, held)
    if not linked or count - len(holders) < max(2, ceil(_LEFT * count)):
        return [linked] if linked else []
    heads, holders = [linked[0]], set(held[linked[0]])

    def worth(term: str) -> float:
        new = len(held[term] - holders)
        return scores[term] * new / len(held[term]) if new >= 2 and is_own(term) else 0.0

    while len(heads) < MOST_TERMS and count - len(holders) >= 2:
        best = max(scores, key=lambda term: (worth(term), term))
        if worth(best) < _LEAST_OF_OTHER * scores[linked[0]]:
            break
        heads.append(best)
        holders |= held[best]
    subjects = [[head] for head in heads]
    for term in linked[1:]:
        if sum(map(len, subjects)) < MOST_TERMS and not any(overlap(term, h) for h in heads):
            subjects[0].append(term)
    return subjects


def _linked(
    scores: Mapping[str, float], held: Mapping[str, set[int]]
) -> tuple[list[str], set[int]]:
    """The terms of the best score, each of which shares a member with the first; and the places of
    the members that hold any of them."""
    terms: list[str] = []
    holders: set[int] = set()
    for term in sorted(scores, key=lambda term: (-scores[term], term)):
        if terms and (len(terms) == MOST_TERMS or scores[term] < _LEAST * scores[terms[0]]):
            break
        if any(overlap(term, other) for other in terms):
            continue
        if not terms or not held[terms[0]].isdisjoint(held[term]):
            terms.append(term)
            holders |= held[term]
    return terms, holders


def extended(forms: Sequence[str], found: Terms) -> list[str]:
    """English forms, each with the noun that stands beside it in all texts ("Green Meadow Park"),
    without those that are contained in another."""
    whole: list[str] = []
    for form in (_extended_form(form, forms, found) for form in forms):
        if not any(_is_part(form, other) for other in whole):
            whole = [other for other in whole if not _is_part(other, form)] + [form]
    return whole


def _is_part(form: str, other: str) -> bool:
    return f" {form.casefold()} " in f" {other.casefold()} "


def _extended_form(form: str, forms: Sequence[str], found: Terms) -> str:
    if HAN_RUN.search(form):
        return form
    places = re.compile(
        rf"(?:(?<![\w-])([^\W\d_]+) )?(?<![\w-]){re.escape(form)}(?!\w)(?: ([^\W\d_]+))?",
        re.IGNORECASE,
    )
    around = [match for text in found.texts for match in places.finditer(text)]
    for side, joined in ((1, "{0} {1}"), (2, "{1} {0}")):
        beside = {(match[side] or "").casefold() for match in around}
        word = around[0][side] if len(around) > 1 and len(beside) == 1 else None
        if word is None or word.casefold() in found.grammar:
            continue
        stems = words(word)
        is_noun = len(stems) == 1 and (
            stems[0] in listed("common_noun_stems")
            or (not is_beside(stems[0]) and found.noun.get(stems[0], 0) > 0)
        )
        if is_noun or word in forms or (word[0].isupper() and form[0].isupper()):
            form = joined.format(word, form)
    stems = words(form)
    if len(stems) != 1 or (found.noun.get(stems[0], 0) > 0 and not form[0].isupper()):
        return form
    # A word that always stands before another noun describes that noun: "Western cuisine".
    after = [_noun_of(match[2] or "", found) for match in around]
    if around and min(after) > 0:
        form = f"{form} {around[after.index(max(after))][2]}"
    return form


def _noun_of(word: str, found: Terms) -> float:
    """The sum of `_noun` of a word; −1 for a function word and for several words."""
    stems = words(word)
    is_content = len(stems) == 1 and word.casefold() not in found.grammar
    return found.noun.get(stems[0], -1.0) if is_content else -1.0
