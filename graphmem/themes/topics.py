"""What a memory is of at large: the names and nouns that several texts share. Needs no vectors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from graphmem.themes import names, terms
from graphmem_worker.language.lists import listed
from graphmem_worker.text.words import words

_FEWEST: Final = 3  # texts that hold a term
_MOST: Final = 0.2  # of the texts: what more of them hold tells none of them from the others …
_FEW: Final = 8  # … unless there are so few
_NAME: Final = 2.0  # a name says more than another noun
_OWN: Final = 0.4  # of the texts that hold a term must be in the group that is called by it, …
_SAYING: Final = 0.5  # … and of the group must hold it
_BESIDE: Final = 0.25  # of the group must hold each of two terms that are its name together
_SAME: Final = 0.75  # of the places of a Chinese term have one neighbour: then that belongs to it
_LONGEST: Final = 6  # characters of a Chinese term


class Topics:
    """The terms that texts share, with the places of the texts that hold each."""

    def __init__(
        self,
        texts: Sequence[str],
        keywords: Sequence[Sequence[str]],
        speakers: Sequence[str | None],
    ) -> None:
        """keywords: of each text. speakers: who said each; their names are no terms, but a group
        of which nothing else can be said has the name of whoever said it or is named in it."""
        self._found = found = terms.found(texts, keywords)
        unsaid = listed("small_talk_stems") | listed("plain_stems")
        unsaid = unsaid | {*words(" ".join(filter(None, {*speakers})))}
        nameless = listed("no_names") | listed("titles_behind")
        self._held = {
            term: members
            for term, members in found.held.items()
            if _FEWEST <= len(members) <= max(_FEW, _MOST * len(texts))
            and unsaid.isdisjoint(term.split(" "))
            and found.is_sure(term) and found.is_noun(term) and not found.is_beside(term)
            and found.form(term).lower() not in nameless
            and not _is_counted(found.form(term), [texts[place] for place in members])
        }  # fmt: skip
        self._texts = texts
        self._people = _people(texts, speakers)
        self._weight = {term: _NAME if found.is_name(term) else 1.0 for term in self._held}

    def seeds(self, most: int) -> list[tuple[int, ...]]:
        """At most so many groups of texts: those that hold a term, and none of a group before."""
        left = dict(self._held)
        told: list[tuple[int, ...]] = []
        while left and len(told) < most:
            best = max(left, key=lambda term: (len(left[term]) * self._weight[term], term))
            members = left[best]
            if len(members) < _FEWEST:
                break
            told.append(tuple(sorted(members)))
            left = {term: others - members for term, others in left.items()}
        return told

    def people(self) -> list[int | None]:
        """Of each text, a number of another person whom it names, else of whoever said it; None
        of all where one person said everything that has a speaker."""
        return self._people[0]

    def strays(self, groups: Sequence[int], count: int) -> dict[int, int | None]:
        """Of so many groups the texts that say nothing of what theirs is called, each with the
        group that is called by a name in it, None without one. groups: of each text."""
        called = self._called(groups, count)
        by_name = {
            place: group
            for group, (_, held, is_name) in enumerate(called)
            if is_name
            for place in held
        }
        return {
            place: by_name.get(place)
            for place, group in enumerate(groups)
            if group >= count or place not in called[group][1]
        }

    def names(self, groups: Sequence[int], count: int) -> list[str]:
        """What each of so many groups is called: by the term that at least half of it and little
        else hold, else by the person who said or is named in half of it, else by two of these that
        half of it hold between them, else by the two or three persons of whom most of it is; "" if
        there are none. groups: of each text."""
        return [name for name, *_ in self._called(groups, count)]

    def _called(self, groups: Sequence[int], count: int) -> list[tuple[str, set[int], bool]]:
        """Of each group its name, the texts that say it, and whether that is the name of one."""
        members: list[set[int]] = [set() for _ in range(count)]
        for place, group in enumerate(groups):
            if group < count:
                members[group].add(place)
        told: list[tuple[str, set[int], bool]] = [("", set(), False)] * count
        for group in sorted(range(count), key=lambda group: (-len(members[group]), group)):
            used = {name for name, *_ in told}
            told[group] = next(
                (each for each in self._names(members[group]) if each[0] not in used), told[group]
            )
        return told

    def _names(self, own: set[int]) -> Iterator[tuple[str, set[int], bool]]:
        """What a group may be called, the best first; see `_called`."""
        terms_ = sorted(
            (
                (len(held) * share * self._weight[term], term, held)
                for term, every in self._held.items()
                if (held := every & own) and (share := len(held) / len(every)) >= _OWN
            ),
            key=lambda each: (-each[0], each[1]),
        )
        people = sorted(
            (
                (len(held), person, held)
                for person, every in self._people[1].items()
                if (held := every & own) and len(held) * len(self._texts) > len(every) * len(own)
            ),
            key=lambda each: (-each[0], each[1]),
        )
        fewest = max(_FEWEST, _SAYING * len(own))
        said = self._people[1]
        for _, term, held in terms_:
            if len(held) >= fewest:
                yield self._form(term, own), self._held[term], self._found.is_name(term)
        for _, person, held in people:
            if len(held) >= fewest:
                yield person, said[person], False
        beside = max(2.0, _BESIDE * len(own))
        both = [
            (self._form(term, own), held, self._held[term])
            for _, term, held in terms_
            if len(held) >= beside
        ]
        both += [(person, held, said[person]) for _, person, held in people if len(held) >= beside]
        both.sort(key=lambda each: (-len(each[1]), each[0]))
        for at, (one, held, every) in enumerate(both):
            for two, other, all_other in both[at + 1 :]:
                if len(held | other) >= fewest and min(len(held - other), len(other - held)) > 1:
                    yield f"{one} · {two}", every | all_other, False
        for several in (2, 3):
            most = [person for _, person, _ in people[:several]]
            every = set().union(*(said[person] for person in most))
            if len(most) == several and len(every & own) >= fewest:
                yield " · ".join(most), every, False

    def _form(self, term: str, own: set[int]) -> str:
        (form,) = names.extended([self._found.form(term)], self._found)
        if not terms.HAN_RUN.fullmatch(form):
            return form[:1].upper() + form[1:]
        whole = _whole(form, self._texts)
        held = sum(whole in self._texts[place] for place in own)
        return whole if held >= _SAYING * len(own) else form


def _people(
    texts: Sequence[str], speakers: Sequence[str | None]
) -> tuple[list[int | None], dict[str, set[int]]]:
    """`Topics.people`, and the texts that each person said or is named in."""
    known = sorted({speaker for speaker in speakers if speaker})
    if len(known) < 2:
        return [None] * len(texts), {}
    numbers = {person: number for number, person in enumerate(known)}
    held = {
        person: {
            at
            for at, (text, speaker) in enumerate(zip(texts, speakers, strict=True))
            if speaker == person or _names(person, text)
        }
        for person in known
    }
    told: list[int | None] = []
    for at, (text, speaker) in enumerate(zip(texts, speakers, strict=True)):
        others = [person for person in known if person != speaker and at in held[person]]
        who = min(others, key=text.find, default=speaker)
        told.append(numbers[who] if who else None)
    return told, held


def _names(person: str, text: str) -> bool:
    if terms.HAN_RUN.search(person):
        return person in text
    return re.search(rf"(?<!\w){re.escape(person)}(?!\w)", text) is not None


def _around(form: str, texts: Iterable[str]) -> tuple[Counter[str], Counter[str]]:
    """The characters before and behind a Chinese term, wherever it stands; "" at an edge."""
    before: Counter[str] = Counter()
    behind: Counter[str] = Counter()
    for text in texts:
        for found in re.finditer(re.escape(form), text):
            before[text[max(0, found.start() - 1) : found.start()]] += 1
            behind[text[found.end() : found.end() + 1]] += 1
    return before, behind


def _is_counted(form: str, texts: Sequence[str]) -> bool:
    """True for a Chinese term that begins with a measure word, which no word does: 家店 of 一家店,
    两家店."""
    if not terms.HAN_RUN.fullmatch(form):
        return False
    before, _ = _around(form, texts)
    counted = sum(before[numeral] for numeral in terms.NUMERALS)
    return 2 * counted > before.total()


def _whole(form: str, texts: Sequence[str]) -> str:
    """A Chinese term with what stands beside it at nearly all of its places: 烘干 is 烘干机."""
    while len(form) < _LONGEST:
        before, behind = _around(form, texts)
        (ahead, of_ahead), (after, of_after) = (
            max(each.items(), key=lambda one: one[1]) for each in (before, behind)
        )
        if of_after >= _SAME * behind.total() and terms.is_inside(after):
            form += after
        elif of_ahead >= _SAME * before.total() and terms.is_inside(ahead):
            form = ahead + form
        else:
            break
    return form
