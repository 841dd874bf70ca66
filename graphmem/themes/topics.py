"""What a memory is of at large: the names and nouns that several texts share. Needs no vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from graphmem.themes import names, terms
from graphmem_worker.language.lists import listed
from graphmem_worker.text.words import words

_FEWEST: Final = 3  # texts that hold a term
_MOST: Final = 0.2  # of the texts: what more of them hold tells none of them from the others …
_FEW: Final = 8  # … unless there are so few
_NAME: Final = 2.0  # a name says more than another noun
_OWN: Final = 0.4  # of the texts that hold a term must be in the group that is called by it, …
_SAYING: Final = 0.25  # … and of the group must hold it


class Topics:
    """The terms that texts share, with the places of the texts that hold each."""

    def __init__(
        self, texts: Sequence[str], keywords: Sequence[Sequence[str]], leave: Sequence[str]
    ) -> None:
        """keywords: of each text. leave: names that are no topic, such as the speakers'."""
        self._found = found = terms.found(texts, keywords)
        unsaid = listed("small_talk_stems") | listed("plain_stems") | {*words(" ".join(leave))}
        nameless = listed("no_names") | listed("titles_behind")
        self._held = {
            term: members
            for term, members in found.held.items()
            if _FEWEST <= len(members) <= max(_FEW, _MOST * len(texts))
            and unsaid.isdisjoint(term.split(" "))
            and found.is_sure(term) and found.is_noun(term) and not found.is_beside(term)
            and found.form(term).lower() not in nameless
        }  # fmt: skip
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

    def names(self, groups: Sequence[int], count: int) -> list[str]:
        """What each of so many groups is called: by the term that most of it and little else
        hold; "" if there is none. groups: of each text."""
        sizes = Counter(groups)
        scores: list[list[tuple[float, int, str]]] = [[] for _ in range(count)]
        for term, members in self._held.items():
            for group, held in Counter(groups[place] for place in members).items():
                share = held / len(members)
                if held >= max(_FEWEST, _SAYING * sizes[group]) and share >= _OWN:
                    scores[group].append((held * share * self._weight[term], len(term), term))
        return [self._form(max(each)[-1]) if each else "" for each in scores]

    def _form(self, term: str) -> str:
        (form,) = names.extended([self._found.form(term)], self._found)
        return form[:1].upper() + form[1:]
