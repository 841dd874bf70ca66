"""The terms that texts share: English words and pairs of words, Chinese runs of characters.

No lexicon is used: the words beside an English word tell a noun from a verb or an adjective, and a
Chinese run is a word if different characters stand on both of its sides.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.patterns import late
from graphmem_worker.text.rarity import shape_rarity
from graphmem_worker.text.words import FUNCTION_CHARACTERS, HAN, STOP_WORDS, words

_COMMON: Final = 2.0  # the rarity of words that every conversation has, see `shape_rarity`
_MAYBE: Final = 0.1  # a form that may be a noun, beside one that surely is
_LONGEST_GRAM: Final = 6  # characters
_PROPER: Final = 2.0  # instead of `_noun`, of a word written as a name: "Porto", "LGBTQ"
_WORD: Final = late(rf"[^\W\d_{HAN}](?:[^\W_{HAN}]|['’](?=[^\W\d_{HAN}])|-(?=[^\W_{HAN}]))*")
_POSSESSIVE: Final = late(r"['’]s$")
HAN_RUN: Final = late("[\u4e00-\u9fff]+")
# Characters that stand at the edge of a gram which is no word.
_EDGES: Final = FUNCTION_CHARACTERS | frozenset(
    "很会要能想去来说有没不好多最更上下里中给让对从到以为可做看听用吃喝一两三几个些次天年月日你我他她"
    "什吗跟于并却则但如该各部种"
)
_UNCUT: Final = late(lambda: either(ordered("uncut")))
# How people are called: "老罗", "吴社长".
_PERSON_HAN: Final = late(
    "^[老小阿].$|.(?:社长|村长|师傅|老师|先生|女士|经理|主任|总|姐|哥|叔|姨|工)$"
)
# Characters that stand beside a word and are no part of it.
_GRAMMAR: Final = FUNCTION_CHARACTERS | frozenset("些没不到从对让给两几个们什")
_LAST_EDGES: Final = _EDGES - frozenset("会说能日")  # 演唱会 小说 技能 生日
# Addressees of a text: "Thanks, Mel!", "Hi, AI companion.", "Mel, look", "Well done, Mel Roe."
_ADDRESSED: Final = late(
    r"(?:^|(?<=[.!?…\n]))\s*(?:(?i:hey|hi|hello|dear|thanks|thank you|congrats|welcome|bye)"
    r"(?i: so much)?,? [^\W\d_][\w'’-]*(?: [\w'’-]+)?(?=[,.!?…\n]|$)|[A-Z][\w'’-]+(?=,))"
    r"|, [A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?(?=[.!?]|$)"
)
_ADDRESSED_HAN: Final = late(  # "你好，AI伴侣。"
    r"(?:^|(?<=[。！？\n]))\s*(?:你好|您好|大家好|嗨|嘿|谢谢|感谢|再见)啊?[，,！ ]?"
    r"[^，。！？,\s]{0,5}(?=[，。！？,])"
)
_AHEAD: Final = 3  # words ahead of a noun among which its determiner stands
# "Gone with the Wind" and 《局外人》 are about no wind: each is a term by itself.
_TITLE: Final = late(
    r"[\"“][A-Z][\w'’-]*(?: (?:[a-z]{1,4} ){0,2}[A-Z0-9][\w'’-]*){1,7}[,.!?]?[\"”]|《[^》]{1,20}》"
)
_THING: Final = late(r"(?:tion|sion|ment|ness|ity|ship|ism|ology|ance|ence)s?$")
_GERUND: Final = late(r"[a-z]{2}ing$")
_QUALITY: Final = late(
    r"[a-z](?:ful|ous|less|ical|ional|ural)$|[a-z]{3}(?:al|ful|ous|ive|ed|ing|less|ent|ant)ly$"
)
_NAMED: Final = late(r"(?<=[^\W_])[A-Z0-9]")  # "ClickHouse", "LGBTQ"
_STOP: Final = late(r"[.!?…:\n\"“”(\[]\s*[-*]?\s*$")
_NUMERALS: Final = "0123456789零〇一二两三四五六七八九十百千万几半"
_UNITS: Final = "年月日号点时分秒周岁元块毛个只条本张件台支次趟天位层斤克米度间名套份遍种盆根颗片"
_AMOUNT: Final = late(f"第?[{_NUMERALS}]+[{_UNITS}]|[^{_NUMERALS}]?[{_NUMERALS}]+$")


class Terms:
    """Terms, the members that hold each, and their written forms."""

    def __init__(self) -> None:
        self.texts: Sequence[str] = ()  # without their addressees
        self.grammar: frozenset[str] = STOP_WORDS  # function words of their language
        self.held: defaultdict[str, set[int]] = defaultdict(set)
        self.written: defaultdict[str, defaultdict[str, float]] = defaultdict(
            lambda: defaultdict(float)
        )
        self.noun: defaultdict[str, float] = defaultdict(float)  # sum of `_noun`
        self.titles: set[str] = set()
        self.proper: set[str] = set()  # terms written as proper names

    def add(self, term: str, member: int, written: str, noun: float = 1.0) -> None:
        if noun >= 0:
            self.held[term].add(member)
            self.written[term][written] += noun + _MAYBE
        if noun == _PROPER:
            self.proper.add(term)
        self.noun[term] += noun

    def form(self, term: str) -> str:
        """The most frequent written form of a term; forms used as nouns count more."""
        forms = self.written[term]
        return max(forms, key=lambda form: forms[form])

    def is_sure(self, term: str) -> bool:
        """True if some text uses the term as a noun, and for every pair of words."""
        return " " in term or self.noun[term] > 0

    def is_name(self, term: str) -> bool:
        """True for a proper name: "Porto", "老罗"."""
        return term in self.proper or _PERSON_HAN.search(self.form(term)) is not None

    def is_beside(self, term: str) -> bool:
        """True if a word of the term is one of time, amount or address, except in a title."""
        return term not in self.titles and any(map(is_beside, term.split(" ")))

    def is_noun(self, term: str) -> bool:
        """False for a term that is a verb or an adjective more often than a noun."""
        return self.noun[term] >= 0


def found(texts: Sequence[str], keywords: Sequence[Sequence[str]]) -> Terms:
    """The terms of texts. keywords: of each text."""
    held = Terms()
    chinese = [text for text in texts if 3 * len(re.findall(f"[{HAN}]", text)) > len(text)]
    is_chinese = 2 * len(chinese) > len(texts)
    stripped = [_without_addressees(text) for text in texts]
    quoted = chain.from_iterable(map(_TITLE.finditer, stripped))
    titles = sorted({title[0][1:-1].rstrip(",.!?") for title in quoted})
    for member, (text, own) in enumerate(zip(stripped, keywords, strict=True)):
        for keyword in own:
            # A keyword that is not in the text was given by a user, or is left of a longer text.
            if keyword not in texts[member] and (stems := words(keyword)):
                held.add(" ".join(stems), member, keyword, _PROPER)
        for title in titles:
            if title.casefold() in text.casefold() and (stems := words(title)):
                held.add(" ".join(stems), member, title, _PROPER)
                held.titles.add(" ".join(stems))
        for term, written, noun in _latin_terms(_TITLE.sub(".", text)):
            held.add(term, member, written, max(noun, 1.0) if is_chinese else noun)
    if is_chinese:
        _add_grams(held, [_TITLE.sub("。", text) for text in stripped])
    held.texts = stripped
    held.grammar = _grammar(" ".join(stripped))
    return held


def _grammar(text: str) -> frozenset[str]:
    """The function words, case-folded: the English ones; those of the other languages too if the
    text has more of these, as German "war" and "hat" are English nouns."""
    others = listed("function_words")
    tokens = [match[0].casefold() for match in _WORD.finditer(text)]
    is_other = sum(map(others.__contains__, tokens)) > sum(map(STOP_WORDS.__contains__, tokens))
    return STOP_WORDS | others if is_other else STOP_WORDS


def _without_addressees(text: str) -> str:
    """A text without its addressees."""
    return _ADDRESSED_HAN.sub("。", _ADDRESSED.sub(".", text))


def is_beside(stem: str) -> bool:
    return stem in listed("beside_stems")


def _is_beside_han(gram: str) -> bool:
    """True for a gram that contains a word that every conversation has, or begins or ends with a
    word of time or manner."""
    return (
        gram[:2] in listed("beside")
        or gram[-2:] in listed("beside")
        or any(shape_rarity(gram[at : at + 2]) <= _COMMON for at in range(len(gram) - 1))
    )


def overlap(term: str, other: str) -> bool:
    return not set(term.split(" ")).isdisjoint(other.split(" "))


def _latin_terms(text: str) -> Iterator[tuple[str, str, float]]:
    """(stem or two stems, written form, `_noun` or `_PROPER`) of the content words of a text and of
    pairs of them."""
    before: tuple[int, str, str] | None = None  # end, stem and form of the last content word
    matches = list(_WORD.finditer(text))
    folded = [match[0].casefold().replace("’", "'") for match in matches]
    grammar = _grammar(text)
    opening = 0  # the first of the words that stand together, with spaces only between them
    for at, match in enumerate(matches):
        ahead = text[matches[at - 1].end() if at else 0 : match.start()]
        if ahead != " ":
            opening = at
        written = _POSSESSIVE.sub("", match[0])
        is_word = len(written) > 2 and _POSSESSIVE.sub("", folded[at]) not in grammar
        stems = words(written) if is_word else []
        if len(stems) > 1 and written.isascii():  # "ClickHouse", "dairy-free", "OX-412"
            is_code = stems[0] == written.casefold()
            term = stems[0] if is_code else " ".join(stems)
            yield term, written, _PROPER if _NAMED.search(written) else 1.0
        if len(stems) != 1 or (
            shape_rarity(stems[0]) <= _COMMON and stems[0] not in listed("plain_stems")
        ):
            before = None
            continue
        gap = text[match.end() : matches[at + 1].start() if at + 1 < len(matches) else None]
        follows = folded[at + 1] if gap == " " else ""
        opens = at == 0 or _STOP.search(ahead) is not None
        is_name = written[0].isupper() and not opens
        if _QUALITY.search(written):
            noun = -0.5
        elif is_name or _NAMED.search(written):
            noun = _PROPER
        elif match[0] != written or _THING.search(written):
            noun = 1.0
        elif _GERUND.search(written) and (
            at == opening or folded[at - 1] not in listed("before_no_noun")
        ):
            noun = 0.0 if follows in listed("objects") else 1.0  # "losing my job", "Writing helps"
        else:
            noun = _noun(folded[opening:at], follows)
        yield stems[0], written, noun
        if before is not None and text[before[0] : match.start()] == " ":
            yield f"{before[1]} {stems[0]}", f"{before[2]} {written}", noun
        before = match.end(), stems[0], written


def _noun(ahead: Sequence[str], following: str) -> float:
    """How surely a word is a noun, from the words before and after it: 1 after a determiner or a
    preposition and at the end of that noun phrase, as in "the kiln is"; 0.5 as in "the old kiln is"
    and "need clay."; −1 for a verb or an adjective, as in "is loud" and "fire the"; 0 if both are
    as likely, as in "the kiln cracked" and "the loud choir"."""
    ends = not following or following in STOP_WORDS
    last = ahead[-1] if ahead else ""
    if (
        last in listed("before_no_noun")
        or following in listed("objects")
        or last.endswith(("ly", "n't", "'ll", "'d", "'re"))
    ):
        return -1.0
    if last in listed("determiners"):
        return 1.0 if ends else 0.0
    is_content = bool(last) and last not in STOP_WORDS
    is_of_noun = not following or not listed("determiners").isdisjoint(ahead[-_AHEAD:-1])
    return 0.5 if is_content and ends and is_of_noun else 0.0


def _add_grams(found: Terms, texts: Sequence[str]) -> None:
    """Add runs of 2–6 Han characters that two members have, with different neighbours on each
    side: a run that always has the same neighbour is a piece of a longer word."""
    held: defaultdict[str, set[int]] = defaultdict(set)
    left: defaultdict[str, set[str]] = defaultdict(set)
    right: defaultdict[str, set[str]] = defaultdict(set)
    written: dict[str, str] = {}
    for member, text in enumerate(texts):
        for run in HAN_RUN.finditer(text):
            # Each border of a run counts as a different neighbour.
            border = f"{member}:{run.start()}"
            characters = simplified(run[0])
            spans = [word.span() for word in _UNCUT.finditer(characters)]
            within = {place for begin, end in spans for place in range(begin, end)}
            halves = {place for begin, end in spans for place in range(begin + 1, end)}
            for start in range(len(characters) - 1):
                if start in halves or (characters[start] in _EDGES and start not in within):
                    continue
                before = characters[start - 1] if start else border
                if before in _GRAMMAR:
                    before = f"{border}:{start}"
                for stop in range(start + 2, min(start + _LONGEST_GRAM, len(characters)) + 1):
                    gram = characters[start:stop]
                    is_edge = gram[-1] in _LAST_EDGES and stop - 1 not in within
                    if stop in halves or (is_edge and gram[-2:] not in listed("gate_words")):
                        continue
                    held[gram].add(member)
                    written.setdefault(gram, run[0][start:stop])
                    left[gram].add(before)
                    after = characters[stop] if stop < len(characters) else border
                    if after in _GRAMMAR:
                        after = f"{border}:{stop}"
                    right[gram].add(after)
    for gram, members in held.items():
        if min(len(members), len(left[gram]), len(right[gram])) < 2:
            continue
        if _is_beside_han(gram) or _AMOUNT.match(gram):
            continue
        term = " ".join(words(gram))
        for member in members:
            found.add(term, member, written[gram])
