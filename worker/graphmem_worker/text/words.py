"""The index analyser: the words under which a text is found again.

Index and cue must be cut by the same analyser, so `ANALYSER_VERSION` is stored with an index; any
change of a result of `words` raises it.
"""

import operator
import re
import threading
import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import chain, filterfalse, product
from typing import Final, Literal

import Stemmer

from graphmem_worker.language.lists import listed
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.known import Known
from graphmem_worker.text.patterns import late

ANALYSER_VERSION: Final[int] = 5
"""Version of the rules of this module and of the index words of a text: 2 added single Chinese
characters, 3 the words of `markers`, 4 emoji, and has simplified characters, 5 the marks of days
and turns. An index of an older version is rebuilt when it is opened to write."""

MARK: Final = "="
"""First character of derived index words; no word of a text begins with it."""

WORD_BYTES: Final[int] = 64
"""Longest index word, in bytes of UTF-8."""

HAN_KANA: Final[str] = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
)
"""Han, kana and bopomofo, as the inside of a regular expression's character class."""

HAN: Final[str] = "\u3041-\u30ff\u3400-\u9fff"
"""The same without its rare parts: two ranges, which make a small and fast character class."""

SPACES: Final[str] = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""Every white space character: those that `\\s` matches and `str.strip` removes."""

FUNCTION_CHARACTERS: Final[frozenset[str]] = listed("function_characters")
"""Han and kana characters that carry grammar rather than a subject."""

STOP_WORDS: Final[frozenset[str]] = listed("stop_words")
"""English words that are not indexed, case-folded."""

_LONGEST_ENDING: Final[int] = 3  # characters, with the apostrophe
_LONGEST_STOPPED: Final[int] = max(map(len, listed("stopped_contractions")))


def _combining_marks() -> str:
    """The marks that Python's `\\w` leaves out, as the inside of a character class.

    Thai, Hindi, Arabic and Hebrew write vowels with them; without them a word falls to pieces.
    """
    found: list[str] = []
    for first, last in ((0x0300, 0x1DFF), (0x3099, 0x309A), (0xA66F, 0xABED), (0xFE20, 0xFE2F)):
        start = None
        for code in range(first, last + 2):
            mark = code <= last and unicodedata.category(chr(code)) in ("Mn", "Mc")
            if mark and start is None:
                start = code
            elif not mark and start is not None:
                found.append(f"{chr(start)}-{chr(code - 1)}")
                start = None
    return "".join(found)


_JOINT: Final[str] = r"(?:['./\\@-]|::|:/{2,3}|:\\|(?<=[0-9])[,:](?=[0-9]))"
_ASCII_WORD: Final[str] = "[A-Za-z0-9_]+"


def _any_token() -> str:
    word = rf"[^\W{HAN_KANA}]+(?:[{_combining_marks()}]+[^\W{HAN_KANA}]*)*"
    return f"[{HAN_KANA}]+|{word}(?:{_JOINT}{word})*"


_ASCII_TOKEN: Final = late(f"{_ASCII_WORD}(?:{_JOINT}{_ASCII_WORD})*")
_ANY_TOKEN: Final = late(_any_token)
_HAN_RUN: Final = late(f"[{HAN_KANA}]+")
_INVISIBLE: Final = late("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_ALREADY_NORMAL: Final = late(
    "[\\x01-\x7f\u00c0-\u0131\u0141-\u0148\u0150-\u017e\u2013-\u2016"
    "\u2018-\u201f\u3001-\u3003\u3005-\u3011\u3041-\u3096\u30a1-\u30fe"
    "\u4e00-\u9fff\uff01\uff08\uff09\uff1b\uff1f]*"
)

_CAMEL: Final = late(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^A-Za-z0-9_]+")
_THOUSANDS: Final = late(r"[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}(?:\.[0-9]+)?")
_WHOLE_NUMBER: Final = late(r"[0-9]+(?:\.[0-9]+)+|[0-9]{1,2}(?::[0-9]{2}){1,2}")
_VERSION: Final = late(r"[vV]([0-9]+(?:\.[0-9A-Za-z]+)*)")
_MEASURE: Final = late(r"([0-9]+(?:\.[0-9]+)?)[A-Za-z]{1,4}")
_INITIALS: Final = late(r"(?:[^\W\d_]\.)+[^\W\d_]")
_SEPARATORS: Final = late(r"[./\\@:,_-]+")
_LATIN_LETTERS: Final = late("[a-z\u00df-\u024f\u1e00-\u1eff]+")
_LATIN_RUN: Final = late("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+")
_OTHER_RUN: Final = late(f"[^\\W\\d_A-Za-z\u00aa-\u024f\u1e00-\u1eff{HAN_KANA}]+")

_FIGURES: Final = late(r"(?<![A-Za-z\d.,:/-])\d+(?:[.,:/-]\d+)*")

_EMOJI: Final = late("[\u2600-\u27bf\U0001f000-\U0001f3fa\U0001f400-\U0001faff]")

_MOST_MARKS: Final[int] = 30
_CACHED_TOKENS: Final[int] = 1 << 15


class _Stemmers(threading.local):
    """One Snowball stemmer a thread: a `Stemmer` object must not be shared by threads."""

    def __init__(self) -> None:
        # No cache of PyStemmer's: `_words_of` caches whole tokens.
        self.english = Stemmer.Stemmer("english", 0)
        self.others: dict[str, Stemmer.Stemmer] = {}


_STEMMERS: Final = _Stemmers()


def stems(latin: list[str]) -> list[str]:
    """The English stems of words in lower case."""
    found: list[str] = _STEMMERS.english.stemWords(latin)
    return found


def stems_in(language: str, latin: list[str]) -> list[str]:
    """The stems of words in lower case by the Snowball stemmer `language`, such as "german". The
    index has English stems only."""
    if language == "english":
        return stems(latin)
    if language not in _STEMMERS.others:
        _STEMMERS.others[language] = Stemmer.Stemmer(language, 0)
    found: list[str] = _STEMMERS.others[language].stemWords(latin)
    return found


def words(text: str) -> list[str]:
    """The index words of `text`, in order, with repeats.

    - Latin script: NFKC, case-folded, stop words dropped, Snowball English stems; words with a
      digit stay unstemmed.
    - Identifiers, paths, addresses, dates and hyphenated codes: as a whole and in parts.  Numbers
      lose their thousands separators; decimals, times and versions stay whole.
    - Han and kana: overlapping bigrams of simplified characters, a lone one as itself; bigrams of
      function characters only are dropped.
    - Other scripts: Unicode words, case-folded.
    - Emoji only where nothing else is left.

    Never raises for a `str`; each word has 1 to `WORD_BYTES` bytes of UTF-8 (a lone surrogate is
    dropped) and holds no NUL and no white space.
    """
    if text.isascii():
        return list(chain.from_iterable(map(_words_of, _ASCII_TOKEN.findall(text))))
    plain = _normalised(text)
    found: list[str] = []
    for token in _ANY_TOKEN.findall(plain):
        if _HAN_RUN.match(token):
            found.extend(_bigrams(token))
        else:
            found.extend(_words_of(token))
    return found or list(filter(is_sign, plain))


def signs(text: str) -> list[str]:
    """The emoji of a text, each once, which the index holds beside its words."""
    return [] if text.isascii() else list(dict.fromkeys(_EMOJI.findall(text)))


def is_sign(word: str) -> bool:
    """Whether a word is an emoji or another sign; those of a text without words are its words."""
    return len(word) == 1 and unicodedata.category(word) == "So"


def shape(text: str) -> str:
    """A text with 0 for each number, so that texts which differ in their numbers only are equal. A
    number behind a letter is part of a name: "v3"."""
    return _FIGURES.sub("0", text)


def holds_word(text: str) -> bool:
    """Whether `words` finds a word in a text."""
    if text.isascii():
        for token in _ASCII_TOKEN.finditer(text):  # noqa: SIM110  (a generator costs as much again)
            if _words_of(token[0]):
                return True
        return False
    return bool(words(text))


def _normalised(text: str) -> str:
    # Equals NFKC for plain Chinese, whose punctuation only separates words, in a fifth of the time.
    plain = text.replace("\u2019", "'").replace("\uff0c", ",").replace("\uff1a", ":")
    if not _ALREADY_NORMAL.fullmatch(plain):
        plain = nfkc(plain)
        plain = _INVISIBLE.sub("", plain) if _INVISIBLE.search(plain) else plain
    return simplified(plain)


def folded(text: str) -> str:
    """A text as it is compared letter by letter: in NFKC without invisible characters, case-folded,
    in simplified characters, each run of white space one space, none at the ends."""
    return " ".join(nfkc(_normalised(text).casefold()).split())


def nfkc(text: str) -> str:
    """`text` in NFKC, of more than 30 combining marks in a row the first 30.

    Python sorts the marks of a letter in time with the square of their number; no language has more
    than 30 on one letter (Unicode Standard Annex 15, "Stream-Safe Text Format").
    """
    if len(text) > _MOST_MARKS:
        text = _mark_runs().sub(lambda found: found[0][:_MOST_MARKS], text)
    return unicodedata.normalize("NFKC", text)


@cache
def _mark_runs() -> re.Pattern[str]:
    """More combining marks in a row than a letter has; all lie below U+1F000."""
    marks = "".join(filter(unicodedata.combining, map(chr, range(0x300, 0x1F000))))
    return late(f"[{marks}]{{{_MOST_MARKS + 1},}}")


def alone(name: str, ending: str = "") -> str:
    """An expression for a name that is not part of a longer word. Han beside a Latin name is a word
    of its own (和Lotte一起); a name in Han is found anywhere. ending: an expression for what may
    follow the name."""
    if is_cjk(name):
        return re.escape(name)
    return rf"(?<![^\W{HAN}]){re.escape(name)}{ending}(?![^\W{HAN}])"


def is_cjk(text: str) -> bool:
    """Whether a text is Chinese or Japanese, even with Latin words in it: 家里wifi叫otter5G. A
    character counts as six letters."""
    if text.isascii():
        return False
    return 6 * sum(map(len, _HAN_RUN.findall(text))) > sum(map(len, _LATIN_RUN.findall(text)))


def script(text: str) -> Literal["latin", "cjk", "other"]:
    """The dominant script of `text`.

    A Han or kana character counts as three letters, about as many as its translation has.  ASCII
    is "latin" even without a letter; a text without letters beyond ASCII is "other".
    """
    if text.isascii():
        return "latin"
    cjk = 3 * sum(map(len, _HAN_RUN.findall(text)))
    latin = sum(map(len, _LATIN_RUN.findall(text)))
    if cjk > latin:
        return "cjk" if cjk >= _others(text) else "other"
    return "latin" if latin > _others(text) else "other"


def _others(text: str) -> int:
    return sum(map(len, _OTHER_RUN.findall(text)))


@cache
def _function_bigrams() -> frozenset[str]:
    return frozenset(map("".join, product(FUNCTION_CHARACTERS, repeat=2)))


def _bigrams(run: str) -> Iterable[str]:
    if len(run) == 1:
        return () if run in FUNCTION_CHARACTERS else (run,)
    return filterfalse(_function_bigrams().__contains__, map(operator.add, run, run[1:]))


def _analysed(token: str) -> tuple[str, ...]:
    """The index words of one token: a word, number, identifier, path …"""
    found = _parts(token)
    return tuple(clipped for word in found if (clipped := _clip(word)))


_words_of: Final = Known(_analysed, _CACHED_TOKENS).__getitem__


def _parts(token: str) -> list[str]:
    if token.isalpha():
        return _letters(token)
    token = token.strip("_")
    if "'" in token:
        return _apostrophe(token)
    if _THOUSANDS.fullmatch(token):
        return [token.replace(",", "")]
    if _WHOLE_NUMBER.fullmatch(token):
        return [token]
    lower = token.casefold()
    if version := _VERSION.fullmatch(token):
        return [lower, version[1].casefold()]
    if measure := _MEASURE.fullmatch(token):
        return [lower, measure[1]]
    if _INITIALS.fullmatch(token):
        return [] if lower in STOP_WORDS else [lower]
    pieces = [piece for piece in _SEPARATORS.split(token) if piece]
    if len(pieces) == 1:
        return _letters(pieces[0])
    inner = [
        word
        for piece in pieces
        for word in (_apostrophe(piece) if "'" in piece else _letters(piece))
    ]
    if "-" in token and not any(map(str.isdigit, token)) and not _IDENTIFIER_SIGN.search(token):
        return inner
    if "," in token or not inner:
        return inner
    return [lower, *inner]


_IDENTIFIER_SIGN: Final = late(r"[./\\@:_]")


def _letters(token: str) -> list[str]:
    """The index words of a token of letters and digits: itself, and the humps of a camelCase
    identifier."""
    if token.islower() or token.isupper() or token.istitle() or token.isdigit():
        return _single(token)
    humps = _CAMEL.findall(token)
    if len(humps) < 2:
        return _single(token)
    inner = [word for hump in humps if len(hump) > 1 for word in _single(hump)]
    # A name of two humps (iPhone, GitHub) is often written in lower case and must share that stem.
    whole = _single(token) if len(humps) == 2 else [token.casefold()]
    return [*whole, *inner]


def _single(word: str) -> list[str]:
    lower = word.casefold()
    if lower in STOP_WORDS:
        return [lower] if word in listed("kept_as_written") else []
    if _LATIN_LETTERS.fullmatch(lower):
        return [_STEMMERS.english.stemWord(lower)]
    return [lower]


def _apostrophe(token: str) -> list[str]:
    """Contractions and possessives ("don't", "Wen's") lose their ending, names ("O'Brien") their
    apostrophe."""
    # Indices instead of slices: "a's's's…" has many endings, and each slice would copy it.
    end = len(token)
    while (at := token.rfind("'", 0, end)) >= 0:
        if end <= _LONGEST_STOPPED and token[:end].casefold() in listed("stopped_contractions"):
            return []
        if end - at <= _LONGEST_ENDING and token[at + 1 : end].casefold() in listed(
            "contraction_endings"
        ):
            end = at
        elif token[max(0, end - 3) : end].casefold() == "n't":
            end -= 3
        else:
            break
        while end and token[end - 1] == "_":
            end -= 1
    token = token[:end]
    if at < 0:
        return _parts(token)
    if not token.replace("'", "").isalpha():
        return [word for piece in token.split("'") if piece for word in _parts(piece)]
    inner = [word for piece in token.split("'") if len(piece) > 2 for word in _single(piece)]
    return [*_single(token.replace("'", "")), *inner]


def _clip(word: str) -> str:
    if len(word) * 4 <= WORD_BYTES and not _SURROGATE.search(word):
        return word
    return word.encode("utf-8", "ignore")[:WORD_BYTES].decode("utf-8", "ignore")


_SURROGATE: Final = late("[\ud800-\udfff]")
