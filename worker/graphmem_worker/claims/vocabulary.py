"""The tables `statements` of a language, by entry, and the choice of the language of a sentence.

In a language that writes all nouns with a capital, the tables decide which of them are names: not
those behind certain words, not known nouns, and not words that end like one of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final, Literal, NamedTuple

from graphmem_worker.claims.numbers import number_of
from graphmem_worker.language.lists import classed, listed
from graphmem_worker.language.tables import simplified, tables
from graphmem_worker.text.known import Known
from graphmem_worker.text.patterns import late, lower
from graphmem_worker.text.words import HAN, STOP_WORDS, stems, stems_in

Role = Literal["person", "unknown", "adjunct", "time", "empty", "concept", "word"]
CHANGING: Final = ("ends", "over", "changes", "moves")
"""Marks of a clause that ends or changes something."""

_HAN: Final = late(f"[{HAN}]")
_LATIN_BREAK: Final = r"[,;:—–()]+(?!\d)|\s-\s"
_HAN_BREAK: Final = r"[，,。；;：:！!（）()—]+(?!\d)"
_LATIN_WORD: Final = r"[^\W\d_][\w'’-]*"
_WITHIN_HAN: Final = rf"(?![{HAN}])[^\W\d_](?:(?![{HAN}])[\w'’-])*"
_TYPED: Final = late(r"[^\W\d_]+")
_FIGURES: Final = late(r"^\d[\d.,]*")
_THOUSANDS: Final = late(r"\.(?=\d{3}(?!\d))")
_LEAST_HEAD: Final = 5  # letters of a noun that is recognised as the last part of a compound
_LEAST_COMPOUND: Final = 9  # letters of a compound whose last part is shorter
_LINKS: Final = ("determiners", "articles", "before_owners", "before_names", "links")
_CACHED: Final = 1 << 13  # stems of a language
_ADJECTIVES: Final = 2  # between an article and its noun


class Token(NamedTuple):
    """A word of a clause and its role."""

    role: Role
    key: str  # equal for equal things: a stem, a person, an attribute
    own: bool = False  # of a word: it is written as a name; of the speaker: a possessive, "my"
    is_known: bool = True  # whether a word that is written as a name certainly is one


@cache
def software() -> frozenset[str]:
    """The stems of the names of software."""
    return frozenset(stems(sorted(listed("software"))))


@cache
def chosen() -> frozenset[str]:
    """The stems of the choices of one word: software, drinks, colours."""
    return frozenset(stems(sorted(term for term in classed("choices") if " " not in term)))


class Lexicon:
    """The table of one language, by entry."""

    def __init__(self, language: str) -> None:
        read: Mapping[str, Any] = tables("statements")[language]
        self.is_han = language == "zh"
        self._stemmer = read["roles"].get("stemmer", "english")
        self.stem = Known(lambda low: self.stems([low])[0], _CACHED)  # of a word in lower case
        self.entries: dict[str, Token] = {}
        roles: dict[str, Role] = {"adjuncts": "adjunct", "times": "time", "empty": "empty"}
        for name, role in roles.items():
            self._add(read["roles"][name], role)
        for name, line in read["kin"].items():
            self._add(line, "person", f"/{name}")
        for name, line in read["several"].items():
            self._add(line, "person", f"/{name}*")
        for name, line in read["persons"].items():
            self._add(line, "unknown" if name in ("pronoun", "you") else "person", name)
        for entry in _entries(read["roles"].get("possessives", "")):
            self.entries[entry] = self.entries[entry]._replace(own=True)
        for name, line in read["concepts"].items():
            self._add(line, "concept", f"={name}")
        self.marks = {name: frozenset(_entries(line)) for name, line in read["marks"].items()}
        self.marked: dict[str, list[str]] = {}
        for name, entries in self.marks.items():
            for entry in entries:
                self.marked.setdefault(entry, []).append(name)
        self.gap = "" if self.is_han else " "
        self.shouted = late(r"[^\W\d_]{2,}")
        # First word → number of words of the longest entry or mark that begins with it.
        self.longest: dict[str, int] = {}
        for entry in (*self.entries, *self.marked):
            parts = list(entry) if self.is_han else entry.split()
            self.longest[parts[0]] = max(len(parts), self.longest.get(parts[0], 0))
        self.agents = frozenset(self.stems(_entries(read["roles"]["agents"])))
        self.titles = frozenset(_entries(read["roles"]["agents"] + " " + read["roles"]["titles"]))
        self.holders = frozenset(self.stems(_entries(read["roles"].get("holders", ""))))
        self.governing = tuple(_entries(read["roles"].get("governing", "")))
        """Chinese verbs between a subject and a relative as their object."""
        self.indefinite = frozenset(_entries(read["roles"].get("indefinite", "")))
        self.since = read["roles"].get("since")
        links = " ".join(read["roles"].get(name, "") for name in _LINKS)
        self.links = frozenset(_entries(links)) if links.strip() else listed("determiners")
        """What stands between a noun and what says which one: "of the"."""
        self._common = tuple(_entries(read["roles"].get("common", "")))
        self._kinds = tuple(_entries(read["roles"].get("organisations", "")))
        self._which = frozenset(_entries(read["roles"].get("which", "")))
        self._limiting = self.marks["limits"].union(_entries(read["roles"].get("bounds", "")))
        self.verb_forms = tuple(read["roles"].get("verb_forms", "").split())
        """Prefixes and suffixes of the forms of a verb: "ge-t"."""
        self.foreign = frozenset(_entries(read["roles"].get("english", "")))
        self.nouns = Nouns(read["roles"]) if "heads" in read["roles"] else None
        shapes = read["shapes"]
        of_day = shapes.get("day")
        self._day = late(of_day, re.IGNORECASE) if of_day else None
        self.has_decimal_comma = shapes.get("decimal") == ","
        over = shapes.get("over", "").replace("\n", "")
        self.over = late(over, re.IGNORECASE) if over else None
        values = {name: shape.replace("\n", "") for name, shape in read["values"].items()}
        day = values["weekday"]
        words = shapes["breaks"]
        at = (
            rf"{_HAN_BREAK}|{words}|、(?!\d|{day})"
            if self.is_han
            else rf"{_LATIN_BREAK}|\b(?:{words})\b"
        )
        self.breaks = late(at, re.IGNORECASE)
        """The borders of clauses; lists of Chinese days of the week have none."""
        typed = "|".join(f"(?P<{name}>{shape})" for name, shape in values.items())
        edge = "" if self.is_han else r"(?<![\w.])"
        word = f"[{HAN}]|{_WITHIN_HAN}" if self.is_han else _LATIN_WORD
        self.tokens = late(f"{edge}(?:{typed})|(?P<word>{word})", re.IGNORECASE)
        marks = sorted({self._spread(entry) for name in CHANGING for entry in self.marks[name]})
        changing = "|".join((*marks, *filter(None, (self.since,))))
        if not self.is_han:
            changing = rf"(?<![^\W\d_])(?:{changing})"
        ended = over.removesuffix("$") if over else "from"
        self.changing = lower(f"{changing}|{ended}")

    def limits(self, text: str) -> frozenset[str]:
        """The words that limit the validity of a text, except in a measure or a time of day."""
        text = self.tokens.sub(
            lambda found: "" if found["clock"] or found["measure"] else found[0], simplified(text)
        )
        found = text if self.is_han else _TYPED.findall(text.lower())
        return frozenset(word for word in self._limiting if word in found)

    def is_common(self, word: str) -> bool:
        """Whether a Chinese word is certainly no name of a place or firm: it ends like a common
        noun (工位), or is a kind of firm behind a word that names none (新公司)."""
        kind = next(filter(word.endswith, self._kinds), "")
        which = word.removesuffix(kind)
        return word.endswith(self._common) or (bool(kind) and self._which.issuperset(which[-1:]))

    def is_of_day(self, text: str) -> bool:
        """Whether a text names a day or week for which it holds: "today"."""
        return self._day is not None and self._day.search(text) is not None

    def stems(self, words: list[str]) -> list[str]:
        """The stems of words in lower case."""
        return stems_in(self._stemmer, words)

    def key_of_name(self, low: str) -> str:
        """The key of a name in lower case: its stem, in German the whole name."""
        return low if self.nouns is not None or is_han(low) else self.stem[low]

    def amount(self, numeral: str) -> float | None:
        """The value of a numeral or, in a language with a decimal comma, of a sum of money."""
        if self.has_decimal_comma and (figures := _FIGURES.search(numeral)) is not None:
            numeral = _THOUSANDS.sub("", figures[0]).replace(",", ".").rstrip(".")
        return number_of(numeral)

    def _spread(self, entry: str) -> str:
        """A pattern of an entry with any punctuation between its words."""
        if self.is_han:
            return r"[\W\da-z_]*".join(entry)  # no Han, as a class that is compiled quickly
        return entry.replace(" ", r"[\W_]+").replace("'", "['’]")

    def _add(self, line: str, role: Role, key: str = "") -> None:
        for entry in _entries(line):
            self.entries.setdefault(entry, Token(role, key or entry))


class Nouns:
    """Which nouns are names, in a language that writes all with a capital."""

    def __init__(self, roles: Mapping[str, str]) -> None:
        self._determiners = frozenset(_entries(roles["determiners"]))
        self._articles = frozenset(_entries(roles["articles"]))
        self._before_names = frozenset(_entries(roles["before_names"]))
        self._heads = frozenset(_entries(roles["heads"]))
        self._short_heads = tuple(head for head in self._heads if len(head) == _LEAST_HEAD - 1)
        long = (head for head in self._heads if len(head) >= _LEAST_HEAD)
        self.labels = frozenset(_entries(roles["labels"]))
        self.targets = frozenset(_entries(roles["targets"]))
        self.before_owners = frozenset(_entries(roles["before_owners"]))
        self._inflections = tuple(_entries(roles["inflections"]))
        self.units = frozenset(_entries(roles["units"]))
        self._endings = (*long, *_entries(roles["endings"]))
        self.degrees = frozenset(_entries(roles["degrees"]))
        titles = {"f": "ladies", "m": "gentlemen"}
        self.titles = {w: sex for sex, name in titles.items() for w in _entries(roles[name])}

    def is_common(self, low: str) -> bool:
        """Whether a noun in lower case is certainly no name."""
        is_long = len(low) >= _LEAST_COMPOUND  # "Oswald" is no compound
        return (
            low in self._heads
            or (len(low) > _LEAST_HEAD and low.endswith(self._endings))
            or (is_long and low.endswith(self._short_heads))
        )

    def may_name(self, words: Sequence[str], place: int) -> bool:
        """Whether the word at a place may be a name: it has a capital, is no common noun, and no
        determiner, nor an article with adjectives, stands before it."""
        word = words[place]
        if not word[:1].isupper() or self.is_common(word.lower()):
            return False
        at = place - 1
        low = words[at].lower() if at >= 0 else ""
        while place - at <= _ADJECTIVES and self._is_adjective(words[at] if at >= 0 else ""):
            at -= 1
            low = words[at].lower() if at >= 0 else ""
        return low not in self._determiners and (at == place - 1 or low not in self._articles)

    def _is_adjective(self, word: str) -> bool:
        is_inflected = word.islower() and word.endswith(self._inflections)
        return is_inflected and word not in self._determiners and word not in self._articles

    def is_articled(self, words: Sequence[str], place: int) -> bool:
        """Whether an article stands directly before the word at a place."""
        return place > 0 and words[place - 1].lower() in self._articles

    def is_known(self, words: Sequence[str], place: int) -> bool:
        """Whether the word before a possible name (a title, a preposition) shows that it is one."""
        before = words[place - 1].lower() if place else ""
        return before in self._before_names | self.degrees or before in self.titles


def _entries(line: str) -> list[str]:
    return [entry.replace("_", " ") for entry in line.split()]


@cache
def lexicon_in(language: str) -> Lexicon:
    """The table of a language, by its code."""
    return Lexicon(language)


def is_han(text: str) -> bool:
    """Whether a text has a Chinese or Japanese character."""
    return not text.isascii() and _HAN.search(text) is not None


@lru_cache(1 << 13)
def language_of(text: str) -> str:
    """The code of a text's language: "zh" if it has a Han character, else the language whose tables
    hold most of its words; English if several hold equally many."""
    if is_han(text):
        return "zh"
    used = frozenset(_TYPED.findall(text.lower()))
    return max(_latin(), key=lambda code: len(used & _latin()[code]))


@cache
def _latin() -> Mapping[str, frozenset[str]]:
    """Language in Latin letters → the words that only its tables hold."""
    codes = sorted(tables("statements").keys() - {"zh"}, key=lambda code: (code != "en", code))
    found = {code: {*lexicon_in(code).entries, *lexicon_in(code).marked} for code in codes}
    found["en"] |= STOP_WORDS
    shared = frozenset[str]().union(*(lexicon_in(code).foreign for code in codes))
    return {
        code: frozenset(own.difference(shared, *(found[other] for other in codes if other != code)))
        for code, own in found.items()
    }


def lexicon_of(sentence: str, whole: str = "") -> Lexicon:
    """The table for a sentence. whole: its text, which shows the language better."""
    return lexicon_in("zh" if is_han(sentence) else language_of(whole or sentence))
