"""Names across scripts: a Latin name of a cue as a memory writes it in Chinese, and the reverse.

A Latin name is looked up in Chinese if it reads as two or three syllables of pinyin and a memory
holds such a word ("Xiaoming" is 小明); a Chinese one is looked up in pinyin. A single syllable is
often a word of another language (*long*, *she*, *men*), so it counts only beside another one of the
name ("Zhang Wei") or behind a form of address ("Xiao Gu" is 小顾, "Teacher Fang" 方老师).

A form of address of a cue stands for the speakers of its surname: "Mrs. Keller" for Petra Keller,
汤女士 for 汤丽. The sex of a title is no sign of anybody's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from datetime import datetime
from functools import cache, lru_cache
from itertools import pairwise, product
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphmem.index.words.index import EITHER
from graphmem.index.words.postings import Nodes
from graphmem.recalling.candidates import Source
from graphmem.recalling.cue import Called, Cue, read
from graphmem_worker.language.expressions import captured, expression
from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import script, words

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_SYLLABLES: Final = 4
_LONGEST_SYLLABLE: Final = 6  # letters
_MOST_WRITTEN: Final = 2  # ways of writing one name that a memory holds
_MOST_MEANT: Final = 6  # speakers of one surname: of more none is looked up
_SAMPLED: Final = 24  # memories that hold a word, whose speakers are read
_MOST_READ: Final = 512  # memories that hold a part of a name, the newest
_PAIR: Final = 2
_RUN: Final = late(r"[A-Z][a-zü]+(?:['’-]?[A-Za-z][a-zü]*)?(?: [A-Z][a-zü]+(?:['’-][a-zü]+)?)*")
_SIGNS: Final = late("['’-]")
_HAN: Final = late("[\u4e00-\u9fff]{2,}")


class Told(NamedTuple):
    """Who was told something, and where."""

    speakers: frozenset[str | None]
    nodes: frozenset[int]
    """All of the sessions in which they speak, and those that name them."""


@cache
def _titles() -> dict[str, tuple[str, ...]]:
    """A form of address before a Latin surname → those behind a Chinese one."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in ordered("titles_across"):
        title, han = entry.split()
        found[title] = (*found.get(title, ()), han)
    return found


_TITLED: Final = late(
    lambda: rf"\b((?i:{either(_titles())}))\.? ([A-Z][a-zü]{{0,{_LONGEST_SYLLABLE - 1}}})(?![\w-])"
)


def written(cue: str, frequency: Callable[[str], int]) -> dict[str, tuple[str, ...]]:
    """The index words of the names of a cue that memories write in the other script → theirs.

    frequency: how many memories hold an index word.
    """
    found: dict[str, tuple[str, ...]] = {}
    for title, surname in _TITLED.findall(cue):
        held = _with_title(title.lower(), surname.lower(), frequency)
        if held:
            found |= dict.fromkeys(words(f"{title} {surname}"), held)
    for run in _RUN.findall(cue):
        name_words = run.replace("’", "'").removesuffix("'s").split()
        for name in _windows(name_words):
            han = _in_han(name, frequency)
            if han:
                found |= dict.fromkeys(words(" ".join(name)), han)
                break
    if not cue.isascii():
        for run in _HAN.findall(cue):
            for pair in map("".join, pairwise(run)):
                latin = tuple(w for w in _spelled_words(pair) if frequency(w))
                if latin := latin or _spelled_apart(pair, frequency):
                    found[pair] = latin
    return found


def _windows(name: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The runs of neighbouring words of a name, the longest first."""
    for size in range(min(len(name), _MOST_SYLLABLES), 0, -1):
        for start in range(len(name) - size + 1):
            yield tuple(name[start : start + size])


def _with_title(title: str, surname: str, frequency: Callable[[str], int]) -> tuple[str, ...]:
    """The known pairs of a surname's character and the first one of a title behind it."""
    signs = _characters().get(surname, "")
    held = {sign + han[0] for sign, han in product(signs, _titles()[title])}
    return tuple(sorted(filter(frequency, held), key=lambda pair: -frequency(pair))[:_MOST_WRITTEN])


def _in_han(name: Sequence[str], frequency: Callable[[str], int]) -> tuple[str, ...]:
    """The pairs of Han characters by which a name is found, one less than its syllables; () if no
    memory holds them."""
    for syllables in _readings_of(tuple(name)):
        chosen = [_characters()[s] for s in syllables]
        if len(name) > 1:  # surname and given name, or 小 and 老 before a surname
            chosen[0] = "".join(c for c in chosen[0] if c in surnames() | listed("before_names"))
        firsts = (a + b for a, b in product(chosen[0], chosen[1]))
        held: list[tuple[str, ...]] = [(pair,) for pair in firsts if frequency(pair)]
        for signs in chosen[2:]:
            held = [
                (*pairs, pair)
                for pairs in held
                for sign in signs
                if frequency(pair := pairs[-1][1] + sign)
            ]
        if held:
            best = sorted(held, key=lambda pairs: -min(map(frequency, pairs)))[:_MOST_WRITTEN]
            return tuple(dict.fromkeys(pair for pairs in best for pair in pairs))
    return ()


@lru_cache(1 << 8)
def _readings_of(name: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The ways to read a name as two to four syllables, with the surname first or last."""
    orders = [name] if len(name) == 1 else [name, (name[-1], *name[:-1])]
    found = []
    for order in orders:
        choices = [_syllables(_SIGNS.sub("", word.lower()).replace("ü", "v")) for word in order]
        for chosen in product(*choices):
            syllables = tuple(s for part in chosen for s in part)
            least = 2 if len(order) > 1 or len(syllables[0]) > 1 else 3  # "Ali", "Eli"
            if least <= len(syllables) <= _MOST_SYLLABLES:
                found.append(syllables)
    return found


def _syllables(word: str, most: int = _MOST_SYLLABLES) -> list[tuple[str, ...]]:
    """All ways to read a word as at most `most` syllables."""
    if not word:
        return [()]
    if len(word) > _LONGEST_SYLLABLE * most:
        return []
    return [
        (word[:end], *rest)
        for end in range(min(_LONGEST_SYLLABLE, len(word)), 0, -1)
        if word[:end] in _characters()
        and (end > 1 or word == word[:end] or most == _MOST_SYLLABLES)
        for rest in _syllables(word[end:], most - 1)
    ]


@lru_cache(1 << 12)
def _spelled_words(pair: str) -> tuple[str, ...]:
    """The index words of two Han characters as one Latin name."""
    return tuple(dict.fromkeys(w for spelled in _spellings(pair) for w in words(spelled)))


def _spelled_apart(pair: str, frequency: Callable[[str], int]) -> tuple[str, ...]:
    """The index words of a surname and a given name as two Latin words ("Zhang Wei", "Xiao Gu"); ()
    unless the memory holds both."""
    if pair[0] not in surnames() | listed("before_names"):
        return ()
    surname, given = ([w for s in _spellings(c) for w in words(s) if frequency(w)] for c in pair)
    return (*surname, *given) if surname and given else ()


def _spellings(han: str) -> list[str]:
    return ["".join(chosen) for chosen in product(*(_readings().get(c, ()) for c in han))]


@cache
def _characters() -> dict[str, str]:
    """Syllable → the characters of names that are read so, the most usual first."""
    return dict(entry.split() for entry in ordered("readings"))


@cache
def surnames() -> frozenset[str]:
    """The characters that Chinese surnames begin with."""
    return listed("surnames") | listed("other_surnames") | listed("surname_parts")


@cache
def _readings() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for syllable, signs in _characters().items():
        for sign in signs:
            found[sign] = (*found.get(sign, ()), syllable)
    return found


def speakers(cue: str, terms: Set[str], known: Set[str | None]) -> set[str | None]:
    """The known speakers whom a cue names. terms: its index words."""
    found = set()
    for speaker in known:
        parts, spellings = _named_by(speaker or "")
        if not terms.isdisjoint(parts) or any(name in cue for name in spellings):
            found.add(speaker)
    return found


@lru_cache(1 << 10)
def _named_by(speaker: str) -> tuple[Sequence[str], Sequence[str]]:
    """The index words and the spellings that name a speaker: any word of the name; a Chinese one
    with or without the surname."""
    if script(speaker) == "cjk":
        return (), (speaker, speaker[1:]) if len(speaker) > 2 else (speaker,)
    return words(speaker), ()


def told(source: Source, cue: Cue, sessions: NDArray[np.int32]) -> tuple[Cue, Told | None]:
    """If a cue asks what somebody was told who speaks in this memory: the cue without the name,
    which only what they said themselves would match, and where the answer is. sessions: of each
    node."""
    if not sayings("cues", "told to").is_in(folded(cue.text)):
        return cue, None
    find = source.index.find
    known = {name for word in cue.asked for name in _speakers_of(source, find(word).nodes)}
    named = speakers(cue.text, {*cue.terms}, known) - {""}
    if not named:
        return cue, None
    parts = {word for name in named for word in words(name or "")}
    nodes = np.unique(np.concatenate([find(word).nodes[-_MOST_READ:] for word in parts]))
    own = [node for node, _, text in source.view.pairs(nodes.tolist()) if text.speaker in named]
    talks = np.flatnonzero(np.isin(sessions, sessions[own]))
    among = np.union1d(talks, nodes)
    rest = tuple(word for word in cue.asked if word not in parts)
    if any(np.isin(find(word).nodes, among).any() for word in rest):
        cue = replace(cue, asked=rest, called=())
    return cue, Told(frozenset(named), frozenset(among.tolist()))


def addressed(source: Source, cue: Cue) -> Cue:
    """A cue with the speakers of this memory whom its forms of address may mean: with the name
    instead of the form, if it is the only one and of the cue's script."""
    form = expression("asked", "addressed")
    for found in [*form.finditer(cue.text, folded(cue.text))]:
        (surname,) = captured(found, "surname")
        for cut in range(1 + surname.endswith("s")):  # "Frau Kellers Katze"
            typed, surname = (found[0], surname) if not cut else (found[0][:-1], surname[:-1])
            people = _bearers(source, surname, typed) if surname else []
            if 0 < len(people) <= _MOST_MEANT:
                cue = _with(cue, typed, surname, people, source.now)
                break
    return cue


def _with(cue: Cue, typed: str, surname: str, people: Sequence[str], now: datetime) -> Cue:
    """A cue with the people whom a form of address may mean."""
    bare = {surname, *words(surname)}
    own = [word for word in words(typed) if any(part in word for part in bare)]
    apart = [name for name in people if bare.isdisjoint(words(name))]
    # As one word, since a name of more words than the form would outweigh it.
    term = EITHER.join(dict.fromkeys((*own, *words(" . ".join(apart)))))
    if len(people) > 1 or script(people[0]) != script(cue.text):
        called = Called(typed, tuple(people), tuple(words(typed)), term)
        return replace(cue, called=(*cue.called, called))
    called = Called(people[0], (typed,), tuple(words(people[0])), term)
    text = cue.text.replace(typed, people[0])
    return replace(read(text, now), called=(*cue.called, called))


def _bearers(source: Source, surname: str, typed: str) -> list[str]:
    """The speakers of a surname, in either script; none if one is called as typed."""
    for forms in _writings(surname):
        known = {name for form in (*forms, typed) for name in _speakers(source, form)}
        if any(typed.casefold() in name.casefold() for name in known):
            return []
        if found := sorted(name for name in known if any(_has(name, form) for form in forms)):
            return found
    return []


def meant(cue: str, speakers: Set[str]) -> list[str]:
    """Those of some speakers whom a cue that is only a form of address may mean."""
    cue = simplified(cue)
    found = expression("asked", "addressed").match(cue)
    (surname,) = captured(found, "surname") if found and found[0] == cue else ("",)
    forms = [form for some in _writings(surname) for form in some] if surname else []
    return sorted(name for name in speakers if any(_has(simplified(name), form) for form in forms))


def _writings(surname: str) -> list[tuple[str, ...]]:
    """A surname in both scripts; of two Chinese characters, in which one may be of the word before
    or of a given name, also each of them."""
    if script(surname) != "cjk":
        return [(surname, *_characters().get(surname.lower(), ""))]
    return [(each, *_spellings(each)) for each in dict.fromkeys((surname, surname[-1], surname[0]))]


def _has(name: str, surname: str) -> bool:
    """Whether a name has a surname and more, which is no title."""
    if script(name) == "cjk":
        is_titled = expression("asked", "addressed").search(name) is not None
        return name.startswith(surname) and len(name) - len(surname) in (1, 2) and not is_titled
    low, known = name.casefold(), surname.casefold()
    return low.endswith(f" {known}") or (known in _characters() and low.startswith(f"{known} "))


def _speakers(source: Source, part: str) -> set[str]:
    """The speakers of some memories that hold a part of a name, or a word that begins with it."""
    if script(part) == "cjk" and len(part) == 1:
        found = [pair for pair in source.index.beginning_with(part, 1) if len(pair) == _PAIR]
    else:
        found = words(part)[-1:]
    nodes = [source.index.find(word).nodes for word in found]
    return {name for some in nodes for name in _speakers_of(source, some)} - {""}


def _speakers_of(source: Source, nodes: Nodes) -> set[str]:
    """The speakers of a sample of nodes; "" for none."""
    sample = nodes[:: 1 + len(nodes) // _SAMPLED].tolist()
    named = {text.speaker or "" for _, text in source.view.texts(sample)}
    return {*map(simplified, named)}
