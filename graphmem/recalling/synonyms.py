"""Synonyms: other words for the words of a cue that no memory holds.

Without vectors "When is the rubbish collected?" finds nothing in "Refuse day is Friday". The
tables have rings of everyday words (`synonyms` in `lists.toml`), each of which may stand for the
others of its ring. A German compound stands for its first or its last part.

The functions take `asked`, the index words of a cue; `frequency`, how many nodes hold an index
word; and `ending_in`, the index words that end in a part, with at least so many letters before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain, islice
from typing import Final

from graphmem.index.words.index import EITHER
from graphmem.recalling.cue import Cue, indexed
from graphmem_worker.claims.vocabulary import language_of, lexicon_of
from graphmem_worker.language.lists import listed, ordered, rings
from graphmem_worker.language.tables import tables
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import stems, words

_ROOT: Final = 4  # letters of a verb's root at least
_COMPOUNDS: Final = 8  # of a cue that are taken apart
_LEAST_PART: Final = 5  # letters of a part of a compound that is looked up, …
_LEAST_LEFT: Final = 3  # … and of the rest
_NOUN: Final = late(r"\b[A-ZÀ-Þ][^\W\d_A-Z]{3,40}\b")
_LEAST_NOUN: Final = 4  # letters of a noun without its ending
_LEAST_COMPOUND: Final = 9  # letters
_MOST: Final = 64  # compounds of a noun
_INSTANCE: Final = 0.5  # the weight of a word for an instance of a kind that the cue names


@cache
def _rings() -> dict[str, tuple[str, ...]]:
    """Each index word of the table → the words of its rings."""
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for ring in rings("synonyms"):
        ring_words = dict.fromkeys(words(" ".join(ring)))
        for word in ring_words:
            found[word] |= ring_words
    return {word: tuple(ring) for word, ring in found.items()}


def of_unknown(asked: Iterable[str], frequency: Callable[[str], int]) -> list[str]:
    """The known synonyms of the words of a cue that no memory holds."""
    unknown = [word for word in asked if not frequency(word)]
    met = (_rings().get(word, ()) for word in unknown)
    return [word for ring in met for word in ring if frequency(word)]


@cache
def _kinds() -> dict[str, list[str]]:
    """Each index word that names a kind → the lists of its instances."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for table in tables("kinds").values():
        for kind, instances in table["kinds"].items():
            for name in _heads(kind):
                found[name].append(instances)
    return found


@cache
def _heads(terms: str) -> tuple[str, ...]:
    """The index words of terms between commas; of a longer Chinese one the last pair of characters,
    which is its head."""
    cut = map(words, terms.split(","))
    return tuple(dict.fromkeys(found[-1] for found in cut if found))


@lru_cache(1 << 8)
def in_other_words(text: str) -> frozenset[str]:
    """The index words of a text, of their rings, and of instances of the kinds that they name."""
    own = words(text)
    kinds = (some for word in own for some in _kinds().get(word, ()))
    ringed = (_rings().get(word, ()) for word in own)
    return frozenset(chain(own, *ringed, *map(_heads, kinds)))


def of_kinds(asked: Iterable[str], frequency: Callable[[str], int]) -> list[str]:
    """For each word of a cue that names a kind, the known words of its instances, as one word: "Do
    we have a pet?" asks for a dog or a beagle."""
    asked = [*asked]
    met = (dict.fromkeys(one for some in _kinds().get(word, ()) for one in _heads(some))
           for word in asked)  # fmt: skip
    known = ([one for one in found if one not in asked and frequency(one)] for found in met)
    return [EITHER.join(found) for found in known if found]


def inflected(cue: str, asked: Iterable[str], frequency: Callable[[str], int]) -> list[str]:
    """The known other forms of the verbs of a cue that no memory holds, in languages that the index
    does not stem: "Wo habe ich gewohnt?", "Ich wohne in Kiel". Capitalised words are no verbs."""
    forms = [form.split("-") for form in lexicon_of(cue).verb_forms]
    small = {*words(" ".join(filter(str.islower, cue.split())))} if forms else set()
    roots = {
        word[len(before) : len(word) - len(behind)]
        for word in small.intersection(asked)
        if not frequency(word)
        for before, behind in forms
        if word.startswith(before) and word.endswith(behind)
    }
    met = [f"{before}{root}{behind}" for root in roots if len(root) >= _ROOT
           for before, behind in forms]  # fmt: skip
    return sorted(word for word in {*words(" ".join(met))} if frequency(word))


def known(
    cue: Cue,
    asked: Iterable[str],
    frequency: Callable[[str], int],
    ending_in: Callable[[str, int], Sequence[str]],
) -> dict[str, float]:
    """The known synonyms of the words of a cue, with their weights. asked: the index words that are
    looked up already."""
    asked = [*asked]
    likely = [
        *of_unknown(asked, frequency),
        *inflected(cue.text, asked, frequency),
        *of_compounds(cue.text, asked, frequency),
    ]
    of_kind = [*of_kinds(cue.asked, frequency), *compounds_of(cue.text, asked, ending_in)]
    return dict.fromkeys(of_kind, _INSTANCE) | dict.fromkeys(likely, 1.0)


def compounds_of(
    cue: str, asked: Iterable[str], ending_in: Callable[[str, int], Sequence[str]]
) -> list[str]:
    """For each noun of a German cue the known compounds that end in it, as one word: "Wo ist der
    Schlüssel?" asks for an "Ersatzschlüssel"."""
    if language_of(cue) != "de":
        return []
    nouns = {*stems([word.lower() for word in _NOUN.findall(cue)])}.intersection(asked)
    endings = ("", *ordered("noun_endings"))
    cut = (noun.removesuffix(end) for noun in sorted(nouns) for end in endings)
    parts = [part for part in dict.fromkeys(cut) if len(part) >= _LEAST_NOUN]
    found = (ending_in(part, _LEAST_LEFT) for part in parts)
    return [EITHER.join(some[:_MOST]) for some in found if some]


def of_compounds(cue: str, asked: Iterable[str], frequency: Callable[[str], int]) -> list[str]:
    """Of each German compound of a cue that no memory holds, its longest known beginning, or else
    its longest known ending: "Schlagzeugunterricht" asks for "Schlagzeug". A beginning may have
    lost its ending ("Fährticket", "Schwimmzeit") or have joints behind it ("Klassenfahrtskosten").
    """
    typed = [word for word in _NOUN.findall(cue) if len(word) >= _LEAST_COMPOUND]
    if not typed or (language_of(cue) != "de" and len(cue.split()) > 1):
        return []
    unknown = [word for word in typed if not any(map(frequency, words(word)))]
    content, function_words = frozenset(asked), indexed(listed("function_words"))
    found: dict[str, None] = {}
    for word in [w.lower() for w in unknown if content.issuperset(words(w))][:_COMPOUNDS]:
        ends = range(len(word) - _LEAST_LEFT, _LEAST_PART - 2, -1)
        begun = (f"{word[:end]}{e}" for end in ends for e in ("", "e", "en"))
        ended = (word[start:] for start in range(_LEAST_LEFT, len(word) - _LEAST_PART + 1))
        parts = stems([part for part in chain(begun, ended) if len(part) >= _LEAST_PART])
        known = (part for part in parts if part not in function_words and frequency(part))
        found |= dict.fromkeys(islice(known, 1))
    return [*found]
