"""Keywords: words and names that are spans of a text."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import log
from typing import Final, NamedTuple

from graphmem_worker.language.lists import listed, numerals, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.sayings import sayings
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.known import Known
from graphmem_worker.text.patterns import late
from graphmem_worker.text.rarity import Rarity, shape_rarity
from graphmem_worker.text.words import HAN, SPACES, STOP_WORDS, words

_MOST_CHARACTERS: Final[int] = 20_000

# What a candidate's rarity is multiplied by.
_NAME: Final[float] = 1.6
_NAME_AT_START: Final[float] = 1.3
# "Today Tom Baker" ranks below "Tom Baker", but "Tom Baker" at the start not below "Baker".
_RUN_AT_START: Final[float] = 0.91
_QUOTED: Final[float] = 1.6
_IDENTIFIER: Final[float] = 1.3
_LATIN_IN_CHINESE: Final[float] = 1.3
_PAIR: Final[float] = 1.1
_VERB_LIKE: Final[float] = 0.6
_NUMBER: Final[float] = 0.5
_REPEAT: Final[float] = 0.3

_CACHED_SHAPES: Final[int] = 1 << 14


class _Candidate(NamedTuple):
    """A span of the text with its score."""

    start: int
    stop: int
    score: float


class _Shape(NamedTuple):
    """What is known of a word without its context."""

    words: tuple[str, ...]  # its index words
    letterless: bool
    irregular: bool
    interjection: bool
    verb_like: bool
    noun_like: bool
    identifier: bool


class _Token(NamedTuple):
    """A Latin (or other alphabetic) word of the text; `rare` is the highest rarity of its index
    words, 0 for none and for interjections."""

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
_IDENTIFIER_SIGN: Final = late(r"[_./\\@]|[0-9]|[a-z][A-Z]")
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

_LONGEST_WORD: Final[int] = 12
_HAN_RUN: Final = late("[\u4e00-\u9fff\u3400-\u4dbf\u30a1-\u30ff\u3005]{2,}")


def _han_name() -> str:
    surname = f"[{''.join(sorted(listed('surnames')))}]"
    titles = either((*ordered("titles_of_people"), *ordered("titles_of_masters")))
    return (
        rf"(?P<title>{surname}[\u4e00-\u9fff]{{0,2}}(?:{titles}))"
        rf"|{_behind('called_before')}(?P<named>[\u4e00-\u9fff]{{2,3}})(?=[，。！；、]|$)"
        rf"|(?<=[，。！？、,!])(?P<addressed>{surname}[\u4e00-\u9fff]{{1,2}})(?=[，。！？、,!])"
        rf"|(?P<familiar>(?:{either(ordered('before_names'))})[\u4e00-\u9fff])"
        rf"(?={either((*ordered('behind_names'), *ordered('behind_familiar')))})"
    )


def _behind(name: str) -> str:
    return f"(?:{'|'.join(f'(?<={re.escape(term)})' for term in ordered(name))})"


_HAN_NAME: Final = late(_han_name)


@cache
def _borders() -> re.Pattern[str]:
    """What ends a run of content: everyday verbs, adverbs, pronouns, times, and numbers with what
    they count, so that no half of one is a word. The group "uncut" is none: words with a character
    that would end one."""
    numeral = f"[{numerals()}{''.join(ordered('numeral_more'))}]"
    counted, point = either(ordered("counted")), either(ordered("points"))
    ends = "".join((*ordered("function_characters"), *ordered("border_characters")))
    return re.compile(
        sayings("keywords", "border").expression
        # At most twelve: of more, each is the beginning of another attempt.
        + rf"|(?:{numeral}{{1,12}}+(?:{point}){numeral}{{1,12}}+|{numeral}{{2,12}}+)"
        rf"(?:{counted}|[\u4e00-\u9fff])?"
        rf"|(?:(?:{either(ordered('counting'))}){{1,12}}+|(?<=[0-9]))(?:{counted})"
        rf"|(?P<uncut>{either(ordered('uncut'))})|[{ends}]"
    )


def keywords(text: str, rarity: Rarity | None = None, count: int = 5) -> list[str]:
    """Up to `count` (≥ 0) keywords of `text`, the most specific first.

    Each is a literal span of `text`, in its own spelling, without line breaks; no two overlap or
    are the same but for case, and none is a stop word.  Names, quoted titles, identifiers and rare
    words; in Chinese, words of 2 to 12 characters, mostly few: titles in 《》 or quotes, names by
    surname and title, Latin words, what repeats, and what stands between function characters (there
    is no segmenter, so a border may be wrong).

    `rarity` gives the inverse document frequency in nat of an index word; the default judges by
    shape.  Only the first 20,000 characters are looked at.
    """
    rarity = rarity or shape_rarity
    written, text = text, simplified(text[:_MOST_CHARACTERS])
    candidates = [*_quotations(text, rarity), *_latin(text, rarity)]
    if not text.isascii():
        candidates += _chinese(text, rarity)
    spans = [text[start:stop].casefold() for start, stop, _ in candidates]
    repeats = Counter(spans)
    length = max(1, len(text))
    ranked = [
        (
            -score * (1.0 + _REPEAT * log(repeats[folded])) * (1.0 - 0.1 * start / length),
            start,
            place,
        )
        for place, (folded, (start, _, score)) in enumerate(zip(spans, candidates, strict=True))
    ]
    ranked.sort()
    taken: list[_Candidate] = []
    found: list[str] = []
    seen: set[str] = set()
    for _, _, place in ranked:
        if len(found) >= count:
            break
        candidate, folded = candidates[place], spans[place]
        if candidate.score <= 0.0 or folded in seen or folded in STOP_WORDS:
            continue
        if any(candidate.start < other.stop and other.start < candidate.stop for other in taken):
            continue
        # "Wen" beside "Wen Li" adds nothing.
        if any(f" {folded} " in f" {other} " for other in seen):
            continue
        taken.append(candidate)
        seen.add(folded)
        found.append(written[candidate.start : candidate.stop])
    return found


def _highest(found: tuple[str, ...], rarity: Rarity) -> float:
    """The highest finite rarity of some index words, 0 if there is none."""
    highest = 0.0
    for word in found:
        if highest < (value := rarity(word)) < 1e6:
            highest = value
    return highest


def _analysed(word: str) -> _Shape:
    lower = word.casefold()
    irregular = lower in listed("irregular")
    verb_like = _VERB_ENDING.match(lower) is not None
    return _Shape(
        tuple(words(word)),
        not any(map(str.isalpha, word)),
        irregular,
        lower in listed("interjections"),
        verb_like,
        len(lower) > 2 and lower.isalpha() and not irregular and not verb_like,
        _IDENTIFIER_SIGN.search(word) is not None,
    )


_shape: Final = Known(_analysed, _CACHED_SHAPES).__getitem__


def _quotations(text: str, rarity: Rarity) -> Iterator[_Candidate]:
    for found in _QUOTATION.finditer(text):
        number = found.lastindex or 0
        start, stop = found.span(number)
        inner = text[start:stop]
        title = found[0][0] in "《「`"
        # Quoted speech is not a term.
        if inner != inner.strip() or not (title or _is_term(inner)):
            continue
        yield _Candidate(start, stop, _QUOTED * _highest(tuple(words(inner)), rarity))


def _is_term(quoted: str) -> bool:
    if re.search(r"[，。！？,.!?；;]", quoted):
        return False
    return len(quoted.split()) <= 4 if quoted.isascii() else len(quoted) <= 8


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
        rare = 0.0 if shape.interjection else _highest(shape.words, rarity)
        tokens.append(_Token(start, stop, word, shape, rare, capital, opens))
    return tokens


def _ends(between: str) -> bool:
    """Whether a sentence or line ends in what stands between two words."""
    bare = between.rstrip(_BEFORE_START)
    return bare.endswith(_ENDS) or between.find("\n", len(bare)) >= 0


def _latin(text: str, rarity: Rarity) -> list[_Candidate]:
    tokens = _tokens(text, rarity)
    chinese = bool(_HAN_RUN.search(text)) if not text.isascii() else False
    inner_names = {token.text for token in tokens if token.capital and not token.opens}
    found: list[_Candidate] = []
    for place, token in enumerate(tokens):
        if token.rare:
            weight = _weight(text, token, inner_names, chinese)
            found.append(_Candidate(token.start, token.stop, token.rare * weight))
            if (run := _run(text, tokens, place, inner_names)) is not None:
                found.append(run)
    return found


def _weight(text: str, token: _Token, inner_names: set[str], chinese: bool) -> float:
    word, shape = token.text, token.shape
    if shape.letterless:
        return _NUMBER
    # Two letters are a word in Thai and Korean, further up in Unicode.
    if len(word) < 3 and not token.capital and word < "\u0e00":
        return 0.0
    if chinese and word.isascii():
        return _LATIN_IN_CHINESE
    if shape.irregular:
        return 0.3
    if token.capital and not word.endswith("n't"):
        if not token.opens:
            return _NAME
        if word in inner_names or word[1:] != word[1:].lower():
            return _NAME
        if not shape.verb_like and _VERB_NEXT.match(text, token.stop):
            return _NAME_AT_START
    if shape.identifier:
        return _IDENTIFIER
    if shape.verb_like:
        return _VERB_LIKE
    return 1.0


def _run(text: str, tokens: list[_Token], place: int, inner_names: set[str]) -> _Candidate | None:
    """A run of tokens that begins at `place`: a name of several words, or two plain words side by
    side."""
    first = tokens[place]
    if first.capital and (not first.opens or first.text in inner_names or not _is_plain(first)):
        stop = place
        while stop + 1 < len(tokens) and stop - place < 3:
            link, coming = text[tokens[stop].stop : tokens[stop + 1].start], tokens[stop + 1]
            number = link == " " and coming.text.isdigit() and stop == place
            is_joined = link == " " or link.strip() in listed("name_joints")
            if not number and not (coming.capital and coming.rare and is_joined):
                break
            stop += 1
        if stop > place:
            score = (
                _NAME
                * (1.0 + 0.1 * (stop - place))
                * (_RUN_AT_START if first.opens and first.text not in inner_names else 1.0)
                * max(token.rare for token in tokens[place : stop + 1])
            )
            return _Candidate(first.start, tokens[stop].stop, score)
    elif place + 1 < len(tokens):
        second = tokens[place + 1]
        alone = text[first.stop : second.start] == " " and second.rare and not second.capital
        if alone and not first.capital and first.shape.noun_like and second.shape.noun_like:
            score = _PAIR * (first.rare + second.rare) / 2
            return _Candidate(first.start, second.stop, score)
    return None


def _is_plain(token: _Token) -> bool:
    """Whether a word at the start of a sentence may be capitalised for its place only."""
    return token.shape.irregular or token.shape.verb_like


# --- Chinese --------------------------------------------------------------------------------------


def _chinese(text: str, rarity: Rarity) -> Iterator[_Candidate]:
    for found in _HAN_NAME.finditer(text):
        start, stop = found.span(found.lastgroup or 0)
        yield _Candidate(start, stop, _NAME * _highest(tuple(words(text[start:stop])), rarity))
    for run in _HAN_RUN.finditer(text):
        start = run.start()
        denied = -1  # where a denied act begins
        for border in (*_borders().finditer(text, run.start(), run.end()), None):
            if border is not None and border["uncut"]:
                continue
            stop = border.start() if border else run.end()
            if start != denied:  # of 没掉过线, 掉过线 would mean the opposite
                yield from _chunk(text, start, stop, rarity)
            if border is not None:
                start = border.end()
                denied = start if border[0] in listed("denying") else -1


def _chunk(text: str, start: int, stop: int, rarity: Rarity) -> Iterator[_Candidate]:
    """A run of 2 to 12 content characters as a candidate, whole, since a part may end in half a
    word; none for a longer run."""
    # "In the workshop": the word is the place.
    while stop - start > 2 and text[stop - 1] in listed("localisers"):
        stop -= 1
    length = stop - start
    if not 2 <= length <= _LONGEST_WORD:
        return
    values = [rarity(text[place : place + 2]) for place in range(start, stop - 1)]
    value = sum(values) / len(values)
    # 3 and 4 characters are more specific than 2; more are likely two words.
    yield _Candidate(start, stop, value * (0.9 + 0.1 * min(4, length)))
