"""Keywords: words and names taken out of a text as they stand there."""

import re
from collections import Counter
from collections.abc import Iterator
from math import log
from typing import Final, NamedTuple

from graphmem_worker.language.lists import listed
from graphmem_worker.text.known import Known
from graphmem_worker.text.patterns import late
from graphmem_worker.text.rarity import Rarity, shape_rarity
from graphmem_worker.text.words import FUNCTION_CHARACTERS, HAN, SPACES, STOP_WORDS, words

_MOST_CHARACTERS: Final[int] = 20_000

# What a candidate's rarity is multiplied by.
_NAME: Final[float] = 1.6
_NAME_AT_START: Final[float] = 1.3
# "Today Tom Baker" comes behind "Tom Baker", but "Tom Baker" at the start not behind "Baker".
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
    """What can be said of a word without its text."""

    words: tuple[str, ...]  # under which it is indexed
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
_VERB_ENDING: Final = late(r"[a-z]{2,}(?:ed|ing|ly|n't)$")
_VERB_NEXT: Final = late(
    r"\s+(?:is|was|has|had|will|would|can|does|did|said|says|told|likes?|loves?|and|[a-z]+(?:ed"
    r"|s))\b"
)
_LINKS: Final[frozenset[str]] = frozenset(
    {" ", " of ", " de ", " la ", " van ", " von ", " der ", " & "}
)
_QUOTATION: Final = late(
    r"《([^《》\n]{1,30})》|「([^「」\n]{1,20})」|“([^“”\n]{1,40})”|\"([^\"\n]{1,40})\""
    r"|`([^`\n]{1,40})`"
)

_LONGEST_WORD: Final[int] = 12
_LOCALISERS: Final[str] = "里内上时"
_HAN_RUN: Final = late("[\u4e00-\u9fff\u3400-\u4dbf\u30a1-\u30ff\u3005]{2,}")


def _surname() -> str:
    return f"[{''.join(sorted(listed('surnames')))}]"


_HAN_NAME: Final = late(
    lambda: (
        rf"(?P<title>{_surname()}[\u4e00-\u9fff]{{0,2}}(?:先生|女士|老师|经理|医生|教授|总监|同学"
        rf"|阿姨|叔叔|师傅))"
        r"|(?<=我叫|名叫|叫做)(?P<named>[\u4e00-\u9fff]{2,3})(?=[，。！；、]|$)"
        rf"|(?<=[，。！？、,!])(?P<addressed>{_surname()}[\u4e00-\u9fff]{{1,2}})(?=[，。！？、,!])"
        r"|(?P<familiar>(?:小|老|阿)[\u4e00-\u9fff])(?=说|问|告诉|和|在|的|去|要|也|把|，|喜欢)"
    )
)
# Words that end a run of content: everyday verbs, adverbs, pronouns and times.
_DENYING: Final = frozenset("没 不 别 不要 不能 不会".split())
_HAN_BORDER: Final = late(
    "[上下这本]?(?:周|星期|礼拜)[一二三四五六日末]起?|先(?![生进前锋])|(?<![特级区识个分辨类性差告])别(?![墅人])"
    "|(?<=[里内外中上])一|[上下这本]个?月|今天|昨天|明天|现在|我们|你们|他们|她们|大家|自己|什么|怎么|为什么|可以|可能|应该|觉得|知道"
    "|喜欢|非常|真的|一些|一个|一下|有点|有些|没有|还有"
    "|不是|不会|就是|但是|因为|所以|如果|而且|然后|不过|或者|需要|希望|谢谢|你好|好的|当然|一起"
    "|时候|这个|那个|这些|那些|这样|那样|最近|已经"
    "|很多|开始|事情|东西|感觉|以后|之前|之后|听说|告诉|想要|决定|改为|改成|改到|必须|一直|总是"
    "|经常|特别|比较|越来越|不要|不能|能够|进行|通过|关于"
    "|任何|所有|以及|除非|只有|只要|虽然|于是|并且|由于|为了|作为|认为|建议|推荐|尝试|去年|明年"
    "|今年|上周|下周|星期|礼拜|晚上|早上|下午|上午|中午"
    "|这里|那里|哪里|附近|感到|选择|帮助|注重|重要|感兴趣|或者|与其|让人|看到|去过|参加|分享|发生"
    "|计划|打算|其实|确实|全部|立刻|随时|马上|既然|反正|居然|终于|除了|多少|各位"
    "|(?:[起下上出回过进]来|[下出回过上进]去)(?!年)"
    "|第[一二三四五六七八九十]+"
    # A number in words with what it counts, so that no half of it is a word.
    "|[一二三四五六七八九十百千万亿两零〇]{2,12}+[\u4e00-\u9fff]?"
    # At most twelve: of more, each is the beginning of another attempt.
    "|(?:[这那每某一二三四五六七八九十百千万两几半]{1,12}+|(?<=[0-9]))"
    "(?:厘米|毫米|公里|公斤|小时|分钟"
    "|[个只条位本张件部首款家场座次天年月日号点块元岁种台支层度米斤趟遍回名秒份步])"
    f"|[{''.join(sorted(FUNCTION_CHARACTERS))}不没有您咱跟又谁啥去来说想要会能可好很太最更再让给到从对向于以为所吃喝看听买卖做找用请]"
)


def keywords(text: str, rarity: Rarity | None = None, count: int = 5) -> list[str]:
    """Up to `count` (≥ 0) keywords of `text`, the most telling first; fewer for a text that has
    fewer.

    Each is a literal span of `text`, in its own spelling, without line breaks; no two overlap or
    are the same but for case, and none is a stop word.  Names, quoted titles, identifiers and rare
    words; in Chinese, words of 2 to 12 characters, mostly few: titles in 《》 or quotes, names by
    surname and title, Latin words, what repeats, and what stands between function characters (there
    is no segmenter, so a border may be wrong).

    `rarity` gives the inverse document frequency in nat of an index word; the default judges by
    shape.  Only the first 20,000 characters are looked at.
    """
    rarity = rarity or shape_rarity
    text = text[:_MOST_CHARACTERS]
    candidates = [*_quotations(text, rarity), *_latin(text, rarity)]
    if not text.isascii():
        candidates += _chinese(text, rarity)
    spans = [text[start:stop].casefold() for start, stop, _ in candidates]
    repeats = Counter(spans)
    length = max(1, len(text))
    ordered = [
        (
            -score * (1.0 + _REPEAT * log(repeats[folded])) * (1.0 - 0.1 * start / length),
            start,
            place,
        )
        for place, (folded, (start, _, score)) in enumerate(zip(spans, candidates, strict=True))
    ]
    ordered.sort()
    taken: list[_Candidate] = []
    found: list[str] = []
    seen: set[str] = set()
    for _, _, place in ordered:
        if len(found) >= count:
            break
        candidate, folded = candidates[place], spans[place]
        if candidate.score <= 0.0 or folded in seen or folded in STOP_WORDS:
            continue
        if any(candidate.start < other.stop and other.start < candidate.stop for other in taken):
            continue
        # "Wen" beside "Wen Li" says nothing new.
        if any(f" {folded} " in f" {other} " for other in seen):
            continue
        taken.append(candidate)
        seen.add(folded)
        found.append(text[candidate.start : candidate.stop])
    return found


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
            if not ((coming.capital and coming.rare and link in _LINKS) or number):
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
    """Whether a capital at the start of a sentence may be no more than that."""
    return token.shape.irregular or token.shape.verb_like


# --- Chinese --------------------------------------------------------------------------------------


def _chinese(text: str, rarity: Rarity) -> Iterator[_Candidate]:
    for found in _HAN_NAME.finditer(text):
        start, stop = found.span(found.lastgroup or 0)
        yield _Candidate(start, stop, _NAME * _highest(tuple(words(text[start:stop])), rarity))
    for run in _HAN_RUN.finditer(text):
        start = run.start()
        denied = -1  # where what somebody did not do begins
        for border in (*_HAN_BORDER.finditer(text, run.start(), run.end()), None):
            stop = border.start() if border else run.end()
            if start != denied:  # of 没掉过线, 掉过线 would say the opposite
                yield from _chunk(text, start, stop, rarity)
            if border is not None:
                start = border.end()
                denied = start if border[0] in _DENYING else -1


def _chunk(text: str, start: int, stop: int, rarity: Rarity) -> Iterator[_Candidate]:
    """A candidate out of a run of content characters of up to twelve: the whole of it, for a part
    may end in half a word. Of a longer one there is none."""
    # "In the workshop": the place is the word.
    while stop - start > 2 and text[stop - 1] in _LOCALISERS:
        stop -= 1
    length = stop - start
    if not 2 <= length <= _LONGEST_WORD:
        return
    values = [rarity(text[place : place + 2]) for place in range(start, stop - 1)]
    value = sum(values) / len(values)
    # 3 and 4 characters say more than 2; more are rather two words than one.
    yield _Candidate(start, stop, value * (0.9 + 0.1 * min(4, length)))
