"""Topics of a memory: the names and nouns that several texts share. Needs no vectors."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from math import sqrt
from typing import Final

from graphmem.themes import names, terms
from graphmem_worker.language.lists import listed
from graphmem_worker.text.words import words

_FEWEST: Final = 3  # texts that hold a term
_MOST: Final = 0.2  # of the texts: a term that more of them hold does not distinguish them …
_FEW: Final = 8  # … unless there are so few
_NAME: Final = 2.0  # weight of a name; another noun has 1
_OWN: Final = 0.4  # of the texts that hold a term must be in the group that is named by it, …
_NAMING: Final = 0.5  # … and of the group must hold it
_WORTH: Final = 0.5  # of the square root of the texts: the least weighted size of a group
_OF_PERSON: Final = 4  # texts of one person that hold no term of a group: they are a group
_SAMPLE: Final = 1024  # texts in which terms are looked for


class Topics:
    """The terms that texts share, with the places of the texts that hold each."""

    def __init__(
        self,
        texts: Sequence[str],
        keywords: Sequence[Sequence[str]],
        speakers: Sequence[str | None],
    ) -> None:
        """keywords, speakers: of each text. Speakers' names are no terms, but a group may be named
        after a person who said its texts or is named in them."""
        step = len(texts) // _SAMPLE + 1
        self._found = found = terms.found(texts[::step], keywords[::step])
        held = {term: {step * place for place in members} for term, members in found.held.items()}
        if step > 1:
            _add_others(held, texts, keywords, step)
        excluded = listed("small_talk_stems") | listed("plain_stems")
        excluded = excluded | {*words(" ".join(filter(None, {*speakers})))}
        nameless = listed("no_names") | listed("titles_behind")
        self._held = {
            term: members
            for term, members in held.items()
            if _FEWEST <= len(members) <= max(_FEW, _MOST * len(texts))
            and excluded.isdisjoint(term.split(" "))
            and found.is_sure(term) and found.is_noun(term) and not found.is_beside(term)
            and found.form(term).lower() not in nameless
        }  # fmt: skip
        self._texts = texts
        self._persons, self._of_person = _people(texts, speakers)
        self._weight = {term: _NAME if found.is_name(term) else 1.0 for term in self._held}
        self._forms: dict[str, str] = {}  # term → as a name
        self._last: tuple[tuple[int, ...], list[tuple[str, set[int]]]] | None = None

    def groups(self, most: int, among: Set[int] | None = None) -> list[tuple[int, ...]]:
        """At most so many disjoint groups of texts: those that share a term, then those that name
        or were said by one person. among: the places that may be in a group; None: all."""
        unused = {
            term: every if among is None else every & among for term, every in self._held.items()
        }
        chosen: list[tuple[int, ...]] = []
        least = _WORTH * sqrt(len(self._texts))
        while unused and len(chosen) < most:
            best = max(unused, key=lambda term: (len(unused[term]) * self._weight[term], term))
            members = unused.pop(best)
            if len(members) * self._weight[best] < least:
                break
            if len(members) >= max(_FEWEST, _OWN * len(self._held[best])):
                chosen.append(tuple(sorted(members)))
                unused = {term: others - members for term, others in unused.items()}
        having = {place for members in chosen for place in members}
        others = {
            at: who
            for at, who in enumerate(self._persons)
            if who and at not in having and (among is None or at in among)
        }
        counts = Counter(who[0] for who in others.values())
        most_of = sorted(counts, key=lambda person: (-counts[person], person))[: most - len(chosen)]
        own: dict[str, list[int]] = {
            person: [] for person in most_of if counts[person] >= _OF_PERSON
        }
        for place, who in others.items():
            for person in [each for each in who if each in own][:1]:
                own[person].append(place)
        return chosen + [tuple(members) for members in own.values()]

    def strays(self, groups: Sequence[int], count: int) -> dict[int, int | None]:
        """The texts that do not contain the name of their group, each with the smallest group whose
        name they contain, None without one. groups: of each text; count: how many there are."""
        called = self._called(groups, count)
        sizes = Counter(groups)
        group_named = {
            place: group
            for group in sorted(range(count), key=lambda group: (-sizes[group], group))
            for place in called[group][1]
        }
        return {
            place: group_named.get(place)
            for place, group in enumerate(groups)
            if group >= count or place not in called[group][1]
            if group >= count or called[group][0] or place in group_named
        }

    def names(self, groups: Sequence[int], count: int) -> list[str]:
        """The name of each group: the term or the person that most of its texts, at least half,
        share; "" without one. groups: of each text; count: how many there are."""
        return [name for name, _ in self._called(groups, count)]

    def _called(self, groups: Sequence[int], count: int) -> list[tuple[str, set[int]]]:
        """Of each group its name, and the texts that contain it. A map asks for those of the same
        groups several times, and the next map again."""
        asked = (*groups, count)
        if self._last is None or self._last[0] != asked:
            self._last = asked, self._named(groups, count)
        return self._last[1]

    def _named(self, groups: Sequence[int], count: int) -> list[tuple[str, set[int]]]:
        members: list[set[int]] = [set() for _ in range(count)]
        for place, group in enumerate(groups):
            if group < count:
                members[group].add(place)
        named: list[tuple[str, set[int]]] = [("", set())] * count
        for group in sorted(range(count), key=lambda group: (-len(members[group]), group)):
            used = {name for name, _ in named}
            named[group] = next(
                (each for each in self._names(members[group]) if each[0] not in used), named[group]
            )
        return named

    def _names(self, own: set[int]) -> Iterator[tuple[str, set[int]]]:
        """The possible names of a group with the texts of each, the best first; see `names`."""
        fewest = max(_FEWEST, _NAMING * len(own))
        found = [
            (len(held), len(held) / len(every) * self._weight[term], term, True)
            for term, every in self._held.items()
            if len(held := every & own) >= fewest and len(held) >= _OWN * len(every)
        ]
        found += [
            (len(held), 0.0, person, False)
            for person, every in self._of_person.items()
            if len(held := every & own) >= fewest
            and len(held) * len(self._texts) > len(every) * len(own)
        ]
        for _, _, name, is_term in sorted(found, key=lambda each: (-each[0], -each[1], each[2])):
            if is_term:
                if name not in self._forms:
                    (form,) = names.extended([self._found.form(name)], self._found)
                    self._forms[name] = form[:1].upper() + form[1:]
                yield self._forms[name], self._held[name]
            else:
                yield name, self._of_person[name]


def _add_others(
    held: dict[str, set[int]], texts: Sequence[str], keywords: Sequence[Sequence[str]], step: int
) -> None:
    """Add to each term those texts, apart from every `step`-th, that have all of its words."""
    by_first: defaultdict[str, list[tuple[str, frozenset[str]]]] = defaultdict(list)
    for term in held:
        by_first[term.split(" ")[0]].append((term, frozenset(term.split(" "))))
    for place in range(len(texts)):
        stems = {*words(texts[place])} | {word for each in keywords[place] for word in words(each)}
        for term, parts in [each for word in stems if place % step for each in by_first[word]]:
            if parts <= stems:
                held[term].add(place)


def _people(
    texts: Sequence[str], speakers: Sequence[str | None]
) -> tuple[list[list[str]], dict[str, set[int]]]:
    """Of each text the other speakers whom it names, then its own; and the texts that each person
    said or is named in. Both are empty unless there are at least two speakers."""
    known = sorted(
        {speaker for speaker in speakers if speaker}, key=lambda name: (-len(name), name)
    )
    held: defaultdict[str, set[int]] = defaultdict(set)
    persons_of: list[list[str]] = [[] for _ in texts]
    if len(known) < 2:
        return persons_of, held
    pattern = re.compile(
        "|".join(
            re.escape(name) if terms.HAN_RUN.search(name) else rf"(?<!\w){re.escape(name)}(?!\w)"
            for name in known
        )
    )
    for place, (text, speaker) in enumerate(zip(texts, speakers, strict=True)):
        others = [person for person in pattern.findall(text) if person != speaker]
        persons_of[place] = [*others, *filter(None, [speaker])]
        for person in persons_of[place]:
            held[person].add(place)
    return persons_of, held
