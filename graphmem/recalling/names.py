"""Names across scripts: how a memory writes a name that a cue spells, or the other way round.

A Latin name counts as Chinese if it reads as two or three syllables of pinyin and the memory holds
a word that may be written so ("Xiaoming" is 小明); a Chinese one is looked up as it is spelled. A
single syllable is too often a word of another language (*long*, *she*, *men*), so it counts beside
another one of the name ("Zhang Wei"), and behind what people are called by ("Xiao Gu" is 小顾,
"Teacher Fang" 方老师).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from functools import cache, lru_cache
from itertools import pairwise, product
from typing import Final

from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import script, words

_MOST_SYLLABLES: Final = 4
_LONGEST_SYLLABLE: Final = 6  # letters
_MOST_WRITTEN: Final = 2  # ways of writing one name that a memory holds
_RUN: Final = late(r"[A-Z][a-zü]+(?:['’-]?[A-Za-z][a-zü]*)?(?: [A-Z][a-zü]+(?:['’-][a-zü]+)?)*")
_SIGNS: Final = late("['’-]")
_HAN: Final = late("[\u4e00-\u9fff]{2,}")


@cache
def _titles() -> dict[str, tuple[str, ...]]:
    """What people are called by before a surname → the same behind a Chinese one."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in ordered("titles_across"):
        title, han = entry.split()
        found[title] = (*found.get(title, ()), han)
    return found


_TITLED: Final = late(
    lambda: rf"\b((?i:{either(_titles())}))\.? ([A-Z][a-zü]{{0,{_LONGEST_SYLLABLE - 1}}})(?![\w-])"
)


def written(cue: str, frequency: Callable[[str], int]) -> dict[str, tuple[str, ...]]:
    """The names of a cue that the memory writes in the other script: the index words of the name in
    the cue → those of the memory.

    frequency: how many memories hold an index word.
    """
    found: dict[str, tuple[str, ...]] = {}
    for title, surname in _TITLED.findall(cue):
        held = _called(title.lower(), surname.lower(), frequency)
        if held:
            found |= dict.fromkeys(words(f"{title} {surname}"), held)
    for run in _RUN.findall(cue):
        said = run.replace("’", "'").removesuffix("'s").split()
        for name in _windows(said):
            han = _in_han(name, frequency)
            if han:
                found |= dict.fromkeys(words(" ".join(name)), han)
                break
    if not cue.isascii():
        for run in _HAN.findall(cue):
            for pair in map("".join, pairwise(run)):
                latin = tuple(w for w in _spelled_words(pair) if frequency(w))
                if latin := latin or _apart(pair, frequency):
                    found[pair] = latin
    return found


def _windows(said: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Neighbouring words, most of them first."""
    for size in range(min(len(said), _MOST_SYLLABLES), 0, -1):
        for start in range(len(said) - size + 1):
            yield tuple(said[start : start + size])


def _called(title: str, surname: str, frequency: Callable[[str], int]) -> tuple[str, ...]:
    """The surname and the first character of the title behind it, as the memory holds them."""
    signs = _characters().get(surname, "")
    held = {sign + han[0] for sign, han in product(signs, _titles()[title])}
    return tuple(sorted(filter(frequency, held), key=lambda pair: -frequency(pair))[:_MOST_WRITTEN])


def _in_han(name: Sequence[str], frequency: Callable[[str], int]) -> tuple[str, ...]:
    """The pairs of Han characters that a name is found by: one less than it has syllables; none if
    the memory does not hold them."""
    for syllables in _read(tuple(name)):
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
def _read(name: tuple[str, ...]) -> list[tuple[str, ...]]:
    """How a name reads as two to four syllables, with the surname before or behind; [] if not."""
    orders = [name] if len(name) == 1 else [name, (name[-1], *name[:-1])]
    found = []
    for order in orders:
        parts = [_syllables(_SIGNS.sub("", word.lower()).replace("ü", "v")) for word in order]
        for chosen in product(*parts):
            syllables = tuple(s for part in chosen for s in part)
            least = 2 if len(order) > 1 or len(syllables[0]) > 1 else 3  # "Ali", "Eli"
            if least <= len(syllables) <= _MOST_SYLLABLES:
                found.append(syllables)
    return found


def _syllables(word: str, most: int = _MOST_SYLLABLES) -> list[tuple[str, ...]]:
    """All ways to read a word as at most so many syllables."""
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
    return tuple(dict.fromkeys(w for spelled in _joined(pair) for w in words(spelled)))


def _apart(pair: str, frequency: Callable[[str], int]) -> tuple[str, ...]:
    """The index words of a surname and a given name as two Latin words ("Zhang Wei", "Xiao Gu"); ()
    unless the memory holds both."""
    if pair[0] not in surnames() | listed("before_names"):
        return ()
    surname, given = ([w for s in _joined(c) for w in words(s) if frequency(w)] for c in pair)
    return (*surname, *given) if surname and given else ()


def _joined(han: str) -> list[str]:
    return ["".join(one) for one in product(*(_readings().get(c, ()) for c in han))]


@cache
def _characters() -> dict[str, str]:
    """Syllable → the characters of names that are read so, the usual ones first."""
    found = {}
    for entry in ordered("readings"):
        syllable, characters = entry.split()
        found[syllable] = characters
    return found


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


def speakers(cue: str, said: Set[str], known: Set[str | None]) -> set[str | None]:
    """The known speakers whom a cue, which says these words, names."""
    found = set()
    for speaker in known:
        parts, spellings = _named_by(speaker or "")
        if not said.isdisjoint(parts) or any(name in cue for name in spellings):
            found.add(speaker)
    return found


@lru_cache(1 << 10)
def _named_by(speaker: str) -> tuple[Sequence[str], Sequence[str]]:
    """What names a speaker: any word of the name, or in Chinese the name as it stands, with or
    without the surname."""
    if script(speaker) == "cjk":
        return (), (speaker, speaker[1:]) if len(speaker) > 2 else (speaker,)
    return words(speaker), ()
