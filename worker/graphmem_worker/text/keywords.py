"""Keywords: words and names taken out of a text as they stand there."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from graphmem_worker.language.lists import listed, numerals, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.sayings import sayings
from graphmem_worker.text.known import Known
from graphmem_worker.text.patterns import late
from graphmem_worker.text.rarity import Rarity, shape_rarity
from graphmem_worker.text.words import HAN, SPACES, STOP_WORDS, words

_MOST_CHARACTERS: Final[int] = 20_000

# What a candidate's rarity is multiplied by.
_NAME: Final[float] = 1.6
_NAME_AT_START: Final[float] = 1.3
_AT_START: Final[float] = 0.91  # of a run of names: "Today Tom Baker" comes behind "Tom Baker"
_PAIR: Final[float] = 1.1
_NUMBER: Final[float] = 0.5  # which alone says little
_IRREGULAR: Final[float] = 0.3

_CACHED_SHAPES: Final[int] = 1 << 14


class _Candidate(NamedTuple):
    """A span of the text with its score."""

    start: int
    stop: int
    score: float


class _Shape(NamedTuple):
    """What can be said of a word without its text."""

    words: tuple[str, ...]  # under which it is indexed
    irregular: bool
    verb_like: bool
    noun_like: bool


class _Token(NamedTuple):
    """A Latin (or other alphabetic) word of the text; `rare` is the highest rarity of its index
    words, 0 for none."""

    start: int
    stop: int
    text: str
    shape: _Shape
    rare: float
    capital: bool
    opens: bool


_TOKEN: Final = late(
    rf"[^\W_{HAN}](?:[^\W{HAN}]|(?:['’./\\@-]|::|:/{{2,3}}"
    rf"|(?<=[0-9])[,:](?=[0-9]))(?=[^\W_{HAN}])|_)*"
)
_POSSESSIVE: Final = late(r"['’]s$", re.IGNORECASE)
_ENDS: Final[tuple[str, ...]] = tuple(".!?:。！？：")
_BEFORE_START: Final[str] = SPACES + "\"'“‘(*#>•-"
_VERB_ENDING: Final = late(lambda: rf"[a-z]{{2,}}(?:{either(ordered('verb_endings'))})$")
_VERB_NEXT: Final = late(
    lambda: (
        rf"\s+(?:{either(ordered('verbs_next'))}"
        rf"|[a-z]+(?:{either(ordered('verb_inflections'))}))\b"
    )
)
_QUOTATION: Final = late(
    r"《([^《》\n]{1,30})》|「([^「」\n]{1,20})」|“([^“”\n]{1,40})”|\"([^\"\n]{1,40})\""
    r"|`([^`\n]{1,40})`"
)
_SPEECH: Final = late("[，。！？,.!?；;]")
_LONGEST_WORD: Final[int] = 12
_HAN_RUN: Final = late("[\u4e00-\u9fff\u3400-\u4dbf\u30a1-\u30ff\u3005]{2,}")


@cache
def _borders() -> re.Pattern[str]:
    """What ends a run of content: everyday verbs, adverbs, pronouns, times, and numbers with what
    they count, so that no half of one is a word."""
    numeral = f"[{numerals()}{''.join(ordered('numeral_more'))}]"
    ends = "".join((*ordered("function_characters"), *ordered("border_characters")))
    return re.compile(
        sayings("keywords", "border").expression
        # At most twelve: of more, each is the beginning of another attempt.
        + rf"|{numeral}{{2,12}}+[\u4e00-\u9fff]?"
        rf"|(?:(?:{either(ordered('counting'))}){{1,12}}+|(?<=[0-9]))"
        rf"(?:{either(ordered('counted'))})|[{ends}]"
    )


def keywords(text: str, rarity: Rarity | None = None, count: int = 5) -> list[str]:
    """Up to `count` (≥ 0) keywords of `text`, the most telling first; fewer for a text that has
    fewer.

    Each is a literal span of `text`, in its own spelling, without line breaks; no two overlap or
    are the same but for case, and none is a stop word.  Names, quoted titles and rare
    words; in Chinese, what stands between function characters, of 2 to 12 characters, mostly few
    (there is no segmenter, so a border may be wrong).

    `rarity` gives the inverse document frequency in nat of an index word; the default judges by
    shape.  Only the first 20,000 characters are looked at.
    """
    rarity = rarity or shape_rarity
    text = text[:_MOST_CHARACTERS]
    candidates = [*_quotations(text, rarity), *_latin(text, rarity)]
    if not text.isascii():
        candidates += _chinese(text, rarity)
    # The first of equals, and a little what stands before.
    candidates.sort(key=lambda found: (found.score * (0.1 * found.start / len(text) - 1), found))
    taken: list[_Candidate] = []
    seen: set[str] = set()
    for candidate in candidates:
        folded = text[candidate.start : candidate.stop].casefold()
        if len(taken) >= count:
            break
        if candidate.score <= 0.0 or folded in seen or folded in STOP_WORDS:
            continue
        if any(candidate.start < other.stop and other.start < candidate.stop for other in taken):
            continue
        # "Wen" beside "Wen Li" says nothing new.
        if any(f" {folded} " in f" {other} " for other in seen):
            continue
        taken.append(candidate)
        seen.add(folded)
    return [text[found.start : found.stop] for found in taken]


def _highest(found: tuple[str, ...], rarity: Rarity) -> float:
    """The highest of those rarities of index words that count."""
    highest = 0.0
    for word in found:
        if highest < (value := rarity(word)) < 1e6:
            highest = value
    return highest


def _analysed(word: str) -> _Shape:
    lower = word.casefold()
    irregular = lower in listed("irregular")
    verb_like = _VERB_ENDING.match(lower) is not None
    noun_like = len(lower) > 2 and lower.isalpha() and not irregular and not verb_like
    found = () if lower in listed("interjections") else tuple(words(word))
    return _Shape(found, irregular, verb_like, noun_like)


_shape: Final = Known(_analysed, _CACHED_SHAPES).__getitem__


def _quotations(text: str, rarity: Rarity) -> Iterator[_Candidate]:
    for found in _QUOTATION.finditer(text):
        start, stop = found.span(found.lastindex or 0)
        inner = text[start:stop]
        if inner == inner.strip() and (found[0][0] in "《「`" or not _SPEECH.search(inner)):
            yield _Candidate(start, stop, _NAME * _highest(tuple(words(inner)), rarity))


# --- alphabetic scripts ---------------------------------------------------------------------------


def _tokens(text: str, rarity: Rarity) -> list[_Token]:
    tokens: list[_Token] = []
    stop = 0
    for found in _TOKEN.finditer(text):
        start, word = found.start(), found[0]
        if "'" in word or "’" in word:
            word = _POSSESSIVE.sub("", word)
        between = text[stop:start]
        opens = not tokens or (between != " " and _ends(between))
        stop = start + len(word)
        capital = word[0].isupper() and (len(word) > 1)
        shape = _shape(word)
        rare = _highest(shape.words, rarity)
        tokens.append(_Token(start, stop, word, shape, rare, capital, opens))
    return tokens


def _ends(between: str) -> bool:
    """Whether a sentence or line ends in what stands between two words."""
    bare = between.rstrip(_BEFORE_START)
    return bare.endswith(_ENDS) or between.find("\n", len(bare)) >= 0


def _latin(text: str, rarity: Rarity) -> list[_Candidate]:
    tokens = _tokens(text, rarity)
    found: list[_Candidate] = []
    for place, token in enumerate(tokens):
        if token.rare:
            weight = _weight(text, token)
            found.append(_Candidate(token.start, token.stop, token.rare * weight))
            if (run := _run(text, tokens, place)) is not None:
                found.append(run)
    return found


def _weight(text: str, token: _Token) -> float:
    if not any(map(str.isalpha, token.text)):
        return _NUMBER
    # Two letters are a word in Thai and Korean, further up in Unicode.
    if len(token.text) < 3 and not token.capital and token.text < "\u0e00":
        return 0.0
    if token.shape.irregular:
        return _IRREGULAR
    if token.capital and not token.text.endswith("n't"):
        if not token.opens:
            return _NAME
        if not token.shape.verb_like and _VERB_NEXT.match(text, token.stop):
            return _NAME_AT_START
    return 1.0


def _run(text: str, tokens: list[_Token], place: int) -> _Candidate | None:
    """A run of tokens that begins at `place`: a name of several words, or two plain words side by
    side."""
    first, stop = tokens[place], place
    if first.capital and not (first.opens and (first.shape.irregular or first.shape.verb_like)):
        while stop + 1 < len(tokens) and stop - place < 3:
            link, coming = text[tokens[stop].stop : tokens[stop + 1].start], tokens[stop + 1]
            is_name = coming.capital and coming.rare
            is_number = stop == place and coming.text.isdigit()
            if link != " " or not (is_name or is_number):
                break
            stop += 1
        if stop > place:
            score = _NAME * (1.0 + 0.1 * (stop - place)) * (_AT_START if first.opens else 1.0)
            score *= max(token.rare for token in tokens[place : stop + 1])
            return _Candidate(first.start, tokens[stop].stop, score)
    elif place + 1 < len(tokens):
        second = tokens[place + 1]
        alone = text[first.stop : second.start] == " " and second.rare and not second.capital
        if alone and not first.capital and first.shape.noun_like and second.shape.noun_like:
            score = _PAIR * (first.rare + second.rare) / 2
            return _Candidate(first.start, second.stop, score)
    return None


# --- Chinese --------------------------------------------------------------------------------------


def _chinese(text: str, rarity: Rarity) -> Iterator[_Candidate]:
    """What stands between the borders of runs of content characters, of up to twelve: the whole of
    it, for a part may end in half a word."""
    for run in _HAN_RUN.finditer(text):
        start = run.start()
        denied = -1  # where what somebody did not do begins
        for border in (*_borders().finditer(text, run.start(), run.end()), None):
            stop = border.start() if border else run.end()
            # "In the workshop": the place is the word.
            while stop - start > 2 and text[stop - 1] in listed("localisers"):
                stop -= 1
            # Of 没掉过线, 掉过线 would say the opposite.
            if start != denied and 2 <= stop - start <= _LONGEST_WORD:
                values = [rarity(text[place : place + 2]) for place in range(start, stop - 1)]
                # 3 and 4 characters say more than 2; more are rather two words than one.
                value = sum(values) / len(values) * (0.9 + 0.1 * min(4, stop - start))
                yield _Candidate(start, stop, value)
            if border is not None:
                start = border.end()
                denied = start if border[0] in listed("denying") else -1
