"""The tagger: which words of a text are secret, by the words around each of them.

"Round the back, 4471 and then the green button" has no word that a table could hold. So each word
gets a score: a linear sum over hashed features of the word itself and of the words around it, by
place (three before, two behind), in any order (eight before, five behind) and in a wider window (20
before, 11 behind); one feature is whether the text may name a secret at all. Each role has its own
weights; the word and its two direct neighbours have them for each class of word as well. A score of
zero or more makes the word a secret; a mean far below zero rejects the finding of a rule for prose.
Fitted by `python -m bench secrets`; the file of weights holds the command and data.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

import numpy as np

from graphmem_worker.guard.labels import figures, is_called_code
from graphmem_worker.guard.names import CODE, PASSWORD, Found, has_secret_name
from graphmem_worker.guard.plain import Plain
from graphmem_worker.guard.values import (
    is_measure,
    is_placeholder,
    is_quantity,
    is_reference,
    is_word,
)
from graphmem_worker.language.heads import FOLDER, unpacked
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.patterns import late

if TYPE_CHECKING:
    from numpy.typing import NDArray

BITS: Final = 13  # there are 2 ** BITS buckets
_PLACES: Final = (0, -1, -2, -3, 1, 2)
"""Roles of single places: the word itself, those before it, those behind it."""
_AROUND: Final = (range(-8, 0), range(1, 6), (*range(-20, 0), *range(1, 12)))
"""Roles of all words in a window."""
_OF_CLASS: Final = (0, 1, 4)  # roles with weights for each class of word: itself, its neighbours
NUMBER, MIXED, WORD, HAN, FIGURE = range(5)
"""Classes of words: digits; with digits or symbols; letters; Chinese; a spelled out figure."""
ROLES: Final = len(_PLACES) + len(_AROUND)
COLUMNS: Final = ROLES + 5 * len(_OF_CLASS)
_BEFORE: Final = 20  # words of the widest window before a word, …
_BEHIND: Final = 11  # … and behind it
_AT_ONCE: Final = 256
_OFFSETS: Final = np.array([*_PLACES, *(k for stretch in _AROUND for k in stretch)])
OWN: Final = [0, len(_OFFSETS)]
"""The columns of `roles` for the word itself: for all words, and for its class."""
_COLUMN: Final = np.array(
    [*range(len(_PLACES)), *(len(_PLACES) + n for n, s in enumerate(_AROUND) for _ in s)]
)
_COLUMNS_OF: Final = np.array(
    [
        [*_COLUMN, *range(first, first + len(_OF_CLASS))]
        for first in range(ROLES, COLUMNS, len(_OF_CLASS))
    ]
)
"""Class of a word → its columns of weights."""
_BEGIN: Final = -1  # the place of a role before the first word, …
_END: Final = -2  # … behind the last one, …
_NOTHING: Final = -3  # … and of a window outside the text

_IN_WORD: Final = r"[^\W\u4e00-\u9fff]|[#*@!$%^&+~=]"
_TOKEN: Final = late(
    rf"[\u4e00-\u9fff]|(?:{_IN_WORD})(?:(?:{_IN_WORD}|[.:/'’-])*(?:{_IN_WORD}))?|[^\s\w]|\n+"
)
_LETTERS: Final = late(r"[^\W\d_]+")
_PART: Final = late(r"[^\W\d_]?[^\W\d_A-Z]{2,}|[A-Z]{3,}")
_MIXED: Final = (*map(late, (r"[^\W\dA-Z_]", "[A-Z]", r"\d", "[!#$%^&*+=~@]", "[/:]")),)
_CHANGE: Final = late(r"[^\W\dA-Z_]+|[A-Z]+|\d+|\W|_")
_DIGITS: Final = late(r"\d+")
_DIGIT: Final = late(r"\d")
_LONG_NUMBER: Final = late(r"\d{3}")
_YEAR: Final = late("(?:19|20)[0-9]{2}")
_COLOUR: Final = late(r"#?(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{6}|#[0-9a-f]{3,6}", re.I)
_SYMBOL: Final = late(r"[@!$%^&+~=_#*]")
_APART: Final = late(r"[^ /·.–-]")
_WORDS: Final = late(r"[\u4e00-\u9fff]|[^\W\d_\u4e00-\u9fff]+|\d+")
_HAN_FROM: Final = 0x4E00
_PIECE: Final = 5  # characters of a part of a long word
_LATIN: Final = late("[A-Za-z]")
_BESIDE: Final = 40  # characters before a value that may describe it
_CLAUSE: Final = late("[,;。，；、]")  # ends a clause
_EXCLAIMED: Final = late(r"[^\W\d_]+(?:-[^\W\d_]+)*!+")  # the mark ends a sentence
_ASKED: Final = late("[^\\n.!?。！？]{0,200}[?？]")  # of 864 secrets of words 4 stood in a question
_LEAST: Final = 3  # characters of a secret
_LONGEST: Final = 48  # only so many characters of a word have features
_ECHO: Final = 8  # words before a word, two less at the beginning, …
_FEW: Final = 3  # … of which so many differ in a row that repeats itself
_ROW: Final = 3  # words of one form in a text that names no secret: they number things


@dataclass(frozen=True, slots=True)
class Tagger:
    """A fitted tagger."""

    weights: NDArray[np.float32]
    """Rows: buckets; columns: those of `roles`."""
    bias: float
    doubt: float
    """The finding of a rule with a lower mean score is no secret."""
    made: Mapping[str, Any]
    """Command, data and figures."""


@cache
def tagger() -> Tagger:
    """The tagger in `weights/secrets.npz`. Raises FileNotFoundError."""
    with np.load(FOLDER / "secrets.npz", allow_pickle=False) as file:
        weights = unpacked(file["weights"], COLUMNS).T * file["unit"]
        made = json.loads(file["made"].tobytes())
        return Tagger(weights, float(file["bias"]), float(file["doubt"]), made)


class Tagged:
    """A text with the scores of its words."""

    def __init__(self, plain: Plain) -> None:
        self._plain = plain
        self._words = tokens(plain.text)
        self._is_named = has_secret_name(folded(plain.text))
        self._sums = _sums(self._words, named=self._is_named)
        self._spans: NDArray[np.int64] | None = None  # of the words in the original
        for begin, end in _groups(plain.text, self._words):
            self._sums[begin:end] = self._sums[begin:end].mean()

    def secrets(self) -> Iterator[Found]:
        """The words with a score ≥ 0, joined if only blanks or dashes separate them."""
        places = np.flatnonzero(self._sums >= 0).tolist()
        if not places:
            return
        likely = [self._words[place] for place in places if not self._is_echo(place)]
        text, low = self._plain.text, folded(self._plain.text)
        rows = () if self._is_named else self._rows()
        spans = [
            w.span()
            for w in likely
            if is_value(w[0]) and not is_quantity(low, w.end()) and _numbering(w[0]) not in rows
        ]
        for begin, end in joined(text, spans):
            value = text[begin:end]
            before = low[max(0, begin - _BESIDE) : begin]
            if (
                len(value) < _LEAST
                or any(
                    test(value.rstrip("=")) for test in (is_placeholder, is_reference, is_measure)
                )
                or (value.isascii() and value.isalpha() and not is_word(value))
                or (not self._is_named and _EXCLAIMED.fullmatch(value))
                or sayings("guard", "naming").is_in(_CLAUSE.split(before)[-1])
                or (not _LATIN.search(value) and sayings("guard", "counts").is_in(before))
            ):
                continue
            parts = _WORDS.findall(value.lower())
            is_code = all(not part.isalpha() or part in figures() for part in parts) or (
                is_called_code(text, begin)
            )
            if not is_code and all(map(str.isalpha, parts)) and _ASKED.match(text, end):
                continue
            yield Found(CODE if is_code else PASSWORD, *self._plain.span(begin, end))

    def _is_echo(self, place: int) -> bool:
        """Whether a word is likely only as one of a few that are said again and again, each of
        which makes the next one likelier: "word word word word"."""
        if kind(self._words[place][0]) != WORD:
            return False
        word = self._words[place][0].lower()
        before = [w[0].lower() for w in self._words[max(0, place - _ECHO) : place]]
        if len(before) < _ECHO - 2 or len({*before}) > _FEW or word not in before:
            return False
        return bool(self._sums[self._first[word]] < 0)

    @cached_property
    def _first(self) -> dict[str, int]:
        """Where each word stands first."""
        return {word[0].lower(): n for n, word in reversed([*enumerate(self._words)])}

    def _rows(self) -> set[str]:
        """The forms of words that number things: rooms, parts or tests of a list."""
        counted = Counter(_numbering(w[0]) for w in self._words if kind(w[0]) == MIXED)
        return {row for row, count in counted.items() if count >= _ROW}

    def doubts(self, found: Found) -> bool:
        """Whether the finding of a rule is no secret, by the mean score of its words."""
        if self._spans is None:
            self._spans = np.array([self._plain.span(*word.span()) for word in self._words])
        begins, ends = self._spans.reshape(-1, 2).T  # repeated parts are not in order
        places = np.flatnonzero((begins < found.end) & (ends > found.start)).tolist()
        scored = [(self._words[place][0], float(self._sums[place])) for place in places]
        mean = likelihood(scored)
        return mean is not None and mean < tagger().doubt


def likelihood(scored: Iterable[tuple[str, float]]) -> float | None:
    """The mean score of the words of a finding; None if it is never doubted: figures, a row of
    words in lower case. scored: (word, score); the highest score of a word counts."""
    sums: dict[str, float] = {}
    for word, score in scored:
        if is_value(word):
            sums[word] = max(sums.get(word, -np.inf), score)
    is_sure = all(w.isalnum() and w == w.lower() for w in sums) if len(sums) > 1 else False
    if is_sure or not any(map(str.isalpha, sums)):
        return None
    return sum(sums.values()) / len(sums)


def _sums(words: Sequence[re.Match[str]], *, named: bool) -> NDArray[np.float32]:
    """The scores of words, in batches to bound the memory. named: the text may name a secret."""
    texts, before = forms(words)
    found = [np.zeros(0, np.float32)]
    for first in range(0, len(words), _AT_ONCE):
        begin, end = max(0, first - _BEFORE), first + _AT_ONCE + _BEHIND
        each = [*map(_vector, texts[begin:end], before[begin:end]), *_edges()]
        vectors = np.concatenate(each).reshape(-1, COLUMNS)  # five times as fast as np.stack
        places, columns = roles(list(map(kind, texts[begin:end])))
        sums = vectors[places, columns].sum(axis=1) + tagger().bias
        if named:
            sums += tagger().weights[NAMED][columns[:, OWN]].sum(axis=1)
        found.append(sums[first - begin : first - begin + _AT_ONCE])
    return np.concatenate(found)


def _groups(text: str, words: Sequence[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """(first, end) of the words of each group of digits or figures, which have a common score."""
    is_figure = [kind(word[0]) in (NUMBER, FIGURE) for word in words]
    begin = 0
    for place in range(1, len(words) + 1) if any(is_figure) else ():
        if (
            place == len(words)
            or not (is_figure[place - 1] and is_figure[place])
            or _APART.search(text, words[place - 1].end(), words[place].start())
        ):
            if place - begin > 1:
                yield begin, place
            begin = place


def joined(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order; those with only blanks or dashes between them are merged."""
    whole: list[tuple[int, int]] = []
    for begin, end in spans:
        if whole and not _APART.search(text, whole[-1][1], begin):
            whole[-1] = whole[-1][0], end
        else:
            whole.append((begin, end))
    return whole


def _is_han(word: str) -> bool:
    return ord(word[0]) >= _HAN_FROM


def is_value(word: str) -> bool:
    """Whether a token may be secret: no punctuation, and no assignment, which is left to rules."""
    begins = word[0].isalnum() or _SYMBOL.match(word) is not None
    return begins and "=" not in word.rstrip("=")


def tokens(text: str) -> list[re.Match[str]]:
    """Words, Chinese characters, marks and ends of lines."""
    return list(_TOKEN.finditer(text))


@lru_cache(1 << 13)
def kind(word: str) -> int:
    """The class of a word."""
    if word.lower() in figures():
        return FIGURE
    if _is_han(word):
        return HAN
    if word.strip("#*").translate(_JOINS).isdigit():
        return NUMBER
    return MIXED if any(map(str.isdigit, word)) or _SYMBOL.search(word) else WORD


_JOINS: Final = str.maketrans("", "", "-/.:")


def forms(words: Sequence[re.Match[str]]) -> tuple[list[str], list[str]]:
    """The words, and for each the Chinese character before it if it is Chinese too, else ""."""
    texts = [word[0] for word in words]
    is_han = [*map(_is_han, texts)]
    if not any(is_han):
        return texts, [""] * len(texts)
    pairs = zip([".", *texts], [False, *is_han], is_han, strict=False)
    return texts, [previous if before and here else "" for previous, before, here in pairs]


def roles(kinds: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each word the places of its roles and their columns of weights."""
    return _places(len(kinds)), _COLUMNS_OF[kinds]


@lru_cache(64)
def _places(count: int) -> NDArray[np.int64]:
    places = np.arange(count)[:, None] + _OFFSETS
    outside = np.where(places < 0, _BEGIN, _END)
    outside = np.where(len(_PLACES) > _COLUMN, outside, _NOTHING)
    places = np.where((places >= 0) & (places < count), places, outside)
    return np.concatenate([places, places[:, _OF_CLASS]], axis=1)


@lru_cache(1 << 13)
def _vector(word: str, before: str) -> NDArray[np.float32]:
    return np.asarray(tagger().weights[buckets(word, before)].sum(axis=0))


@cache
def _edges() -> list[NDArray[np.float32]]:
    weights = tagger().weights
    return [np.zeros(COLUMNS, np.float32), weights[END], weights[BEGIN]]


def _bucket(part: str) -> int:
    return crc32(part.encode("utf-8", "surrogatepass")) & ((1 << BITS) - 1)


BEGIN: Final = _bucket("^")
END: Final = _bucket("$")
"""The buckets of the places before and behind a text."""
NAMED: Final = _bucket("=names")
"""The bucket of each word of a text that may name a secret, in its own roles."""


def buckets(word: str, before: str) -> list[int]:
    """The buckets of a word's parts. before: the Chinese character before a Chinese one."""
    return [*map(_bucket, _parts(word[:_LONGEST], before))]


def _parts(word: str, before: str) -> Iterator[str]:
    low = word.lower().replace("’", "'")
    yield f"={_shape(word)}"
    yield f"={min(len(word), 12)}"
    if _COLOUR.fullmatch(word):
        yield "=colour"
    if _is_han(word):
        yield word
        if before:
            yield before + word
    elif low in figures():
        yield "=figure"
    elif any(map(str.isdigit, word)):
        yield f"={kind(word)}"
        yield from _mixture(word)
    else:
        if not low.isalpha():
            yield from _mixture(word)
        yield low
        if len(low) > _PIECE - 1 and low.isalpha():
            yield f"<{low[: _PIECE - 1]}"
            yield f"{low[1 - _PIECE :]}>"
            if len(low) > _PIECE + 2:
                yield from (low[at : at + _PIECE] for at in range(len(low) - _PIECE + 1))


def _mixture(word: str) -> Iterator[str]:
    """Features of a word with more than letters: its parts and classes of characters; of a number,
    whether it may be a year or a round sum."""
    if kind(word) == NUMBER:
        yield "~year" if _YEAR.fullmatch(word) else f"~0{len(word) - len(word.rstrip('0'))}"
        return
    for part in _PART.findall(word):
        yield part.lower()
    mixed = "".join(str(n) for n, some in enumerate(_MIXED) if some.search(word))
    yield f"~{mixed}"
    yield f"~{mixed}/{len(word) // 5}"
    yield f"~{len(_CHANGE.findall(word))}"


def _numbering(word: str) -> str:
    """The form of a word that may number things: T1 and T12 have one, T101 and R220 too. With few
    digits the letters count: R33, L18 and R51 open a safe."""
    if _LONG_NUMBER.search(word):
        return _DIGIT.sub("0", _LETTERS.sub(_case, word))
    return _DIGITS.sub("9", word)


def _shape(word: str) -> str:
    bare = word.strip("#*")
    if bare.isdigit():
        return f"{min(len(bare), 9)}{'#' * (bare != word)}"
    return _DIGITS.sub("9", _LETTERS.sub(_case, word))[:6]


def _case(letters: re.Match[str]) -> str:
    run = letters[0]
    if run.islower() or _is_han(run):
        return "x"
    return "X" if run.isupper() else "Xx" if run.istitle() else "xX"
