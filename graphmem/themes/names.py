"""What a theme is called: the terms that its members share and other texts seldom have.

After c-TF-IDF (Grootendorst, "BERTopic", 2022): the share of members that hold a term times its
inverse document frequency in the whole memory, which the word index knows.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from graphmem_worker.text.patterns import late
from graphmem_worker.text.rarity import Rarity, shape_rarity
from graphmem_worker.text.words import FUNCTION_CHARACTERS, HAN, STOP_WORDS, words

MOST_TERMS: Final = 3
_LEAST: Final = 0.5  # of the score of the best term
_COMMON: Final = 2.0  # the rarity of words that every conversation has, see `shape_rarity`
_PAIR: Final = 1.25  # a pair of words says more than one
_LATIN_IN_CHINESE: Final = 1.3
_LONGEST_GRAM: Final = 6  # characters
_SHARE: Final = 0.2  # of the members that hold a term
_WORD: Final = late(r"[^\W\d_](?:[^\W_]|['’-](?=[^\W\d_]))*")
_POSSESSIVE: Final = late(r"['’]s$")
_HAN_RUN: Final = late("[\u4e00-\u9fff]+")
# Characters that stand at the edge of a gram which is no word.
_EDGES: Final = FUNCTION_CHARACTERS | frozenset(
    "很会要能想去来说有没不好多最更上下里中给让对从到以为可做看听用吃喝一两三几个些次天年月日你我他她"
    "什吗跟于并却则但如该各部种"
)
# Stems that say when, how much or to whom, and not what about.
_BESIDE: Final = frozenset(
    """
    januari februari march april may june juli august septemb octob novemb decemb monday tuesday
    wednesday thursday friday saturday sunday weekend weekday second minut hour day night week
    month year morn noon afternoon even tonight tomorrow date half quarter past ago zero two three
    four five six seven eight nine ten eleven twelv thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenti thirti forti fifti sixti seventi eighti nineti hundr thousand million
    third fourth fifth twice dozen few lot coupl number
    dear hello regard sincer mr mrs ms dr sir madam
    ahead away along around anyway almost alreadi actual especi total quick
    came went gone goe took taken gave given made make done saw seen told said ask tri
    sit stand wait bring brought stay turn kept left felt mean remind rememb appreci
    back still other anoth import special hard easi
    """.split()
)
_ORDINAL: Final = re.compile(r"[0-9]+(?:st|nd|rd|th)?")
_BESIDE_HAN: Final = frozenset(
    """
    大概 确认 提前 目前 其实 比较 左右 上午 下午 中午 晚上 早上 凌晨 半夜 明早 今早 昨晚 今晚
    周末 上周 下周 本周 这周 上次 下次 这次 星期 月初 月底 月中 年初 年底 今年 明年 去年 分钟
    小时 钟头 礼拜 第一 第二 第三 到底 马上 顺便 差不多 记得 肯定 特别 突然 发现 决定 准备 打算
    先生 女士 您好 各位 收到 辛苦 麻烦 恭喜 祝贺 结果 情况 部分 方面
    """.split()
)
_NUMERALS: Final = "0123456789零〇一二两三四五六七八九十百千万几半"
_MEASURES: Final = (
    "年月日号点时分秒周岁元块毛个只条本张件台支次趟天位层斤克米度间名套份遍种盆根颗片"
)
# What a measure word stands behind.
_COUNTING: Final = frozenset(f"{_NUMERALS}那这哪每第")
_AMOUNT: Final = re.compile(f"第?[{_NUMERALS}]+[{_MEASURES}]|[^{_NUMERALS}]?[{_NUMERALS}]+$")


@dataclass(frozen=True, slots=True)
class Name:
    """The terms of a theme, the best first, as its members write them."""

    terms: tuple[str, ...]
    named: bool  # two terms are shared, or one by half of the members; never of one member

    def __str__(self) -> str:
        return " · ".join(self.terms)


class _Terms:
    """Terms, the members that hold each, and how they are written."""

    def __init__(self) -> None:
        self.held: defaultdict[str, set[int]] = defaultdict(set)
        self.written: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, term: str, member: int, written: str) -> None:
        self.held[term].add(member)
        self.written[term][written] += 1


def name(
    texts: Sequence[str],
    keywords: Sequence[Sequence[str]],
    rarity: Rarity,
    *,
    leave: Collection[str] = (),
) -> Name:
    """The name of a theme with these members; one member shares nothing with others.

    texts, keywords: of each member.
    rarity: the inverse document frequency, in nat, of an index word.
    leave: index words that no term may have, such as the speakers' names.
    """
    if len(texts) < 2:
        return Name((), named=False)
    chinese = sum(map(_is_chinese, texts)) * 2 > len(texts)
    found = _Terms()
    for member, (text, own) in enumerate(zip(texts, keywords, strict=True)):
        for keyword in own:
            if stems := words(keyword):
                found.add(" ".join(stems), member, keyword)
        if not chinese:
            for term, written in _latin_terms(text):
                found.add(term, member, written)
    if chinese:
        _add_grams(found, texts)
    fewest = max(2, ceil(_SHARE * len(texts)))
    scores: dict[str, float] = {}
    for term, members in found.held.items():
        stems = term.split(" ")
        if len(members) >= fewest and not any(stem in leave or _is_beside(stem) for stem in stems):
            rare = sum(map(rarity, stems)) / len(stems)
            scores[term] = len(members) / len(texts) * rare * _weight(term, stems, chinese)
    terms: list[str] = []
    for term in sorted(scores, key=lambda term: (-scores[term], term)):
        if terms and scores[term] < _LEAST * scores[terms[0]]:
            break
        if not any(_overlap(term, other) for other in terms):
            terms.append(term)
            if len(terms) == MOST_TERMS:
                break
    widest = max((len(found.held[term]) for term in terms), default=0)
    forms = (found.written[term].most_common(1)[0][0] for term in terms)
    return Name(tuple(forms), len(terms) > 1 or (bool(terms) and 2 * widest >= len(texts)))


def _is_chinese(text: str) -> bool:
    return 3 * len(re.findall(f"[{HAN}]", text)) > len(text)


def _weight(term: str, stems: Sequence[str], chinese: bool) -> float:
    if not chinese:
        return _PAIR if len(stems) > 1 else 1.0
    if not _HAN_RUN.search(term):
        return _LATIN_IN_CHINESE
    # A gram of n characters has n − 1 bigrams as its index words.
    length = len(stems) + 1
    return float((min(length, 5) / 2) ** 0.5)


def _is_beside(stem: str) -> bool:
    return stem in _BESIDE or _ORDINAL.fullmatch(stem) is not None


def _overlap(term: str, other: str) -> bool:
    return not set(term.split(" ")).isdisjoint(other.split(" "))


def _latin_terms(text: str) -> Iterator[tuple[str, str]]:
    """(stem or two stems, as written) of a text's telling words and pairs of neighbours."""
    before: tuple[int, str, str] | None = None  # where it ended, its stem, as written
    for match in _WORD.finditer(text):
        written = _POSSESSIVE.sub("", match[0])
        folded = written.casefold().replace("’", "'")
        stems = words(written) if len(written) > 2 and folded not in STOP_WORDS else []
        if len(stems) != 1 or shape_rarity(stems[0]) <= _COMMON:
            before = None
            continue
        yield stems[0], written
        if before is not None and text[before[0] : match.start()] == " ":
            yield f"{before[1]} {stems[0]}", f"{before[2]} {written}"
        before = (match.end(), stems[0], written)


def _add_grams(found: _Terms, texts: Sequence[str]) -> None:
    """Add runs of 2–6 Han characters that two members have, with different neighbours on each
    side: what always has the same neighbour is a piece of a longer word."""
    held: defaultdict[str, set[int]] = defaultdict(set)
    left: defaultdict[str, set[str]] = defaultdict(set)
    right: defaultdict[str, set[str]] = defaultdict(set)
    for member, text in enumerate(texts):
        for run in _HAN_RUN.finditer(text):
            # A border of the run is a neighbour of its own each time; a number is the same one.
            border = f"{member}:{run.start()}"
            ahead = text[run.start() - 1 : run.start()]
            opening = ahead if ahead and ahead in _NUMERALS else border
            said = run[0]
            for start in range(len(said) - 1):
                if said[start] in _EDGES:
                    continue
                before = said[start - 1] if start else opening
                counted = said[start - 2] if start > 1 else opening
                if before in _MEASURES and counted in _COUNTING:
                    before = f"{border}:{start}"  # in "four gateways" "gateways" is a word
                for stop in range(start + 2, min(start + _LONGEST_GRAM, len(said)) + 1):
                    if said[stop - 1] in _EDGES:
                        continue
                    gram = said[start:stop]
                    held[gram].add(member)
                    left[gram].add(before)
                    right[gram].add(said[stop] if stop < len(said) else border)
    for gram, members in held.items():
        told = len(members) > 1 and len(left[gram]) > 1 and len(right[gram]) > 1
        if gram[0] in _MEASURES and left[gram] <= _COUNTING:
            continue  # the measure word belongs to the number before it
        if gram in _BESIDE_HAN or _AMOUNT.match(gram):
            continue
        if told and shape_rarity(gram[:2]) > _COMMON:
            term = " ".join(words(gram))
            for member in members:
                found.add(term, member, gram)
