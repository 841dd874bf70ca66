"""What a theme is called: the terms that its members share and other texts seldom have.

After c-TF-IDF (Grootendorst, "BERTopic", 2022): the share of members that hold a term times its
inverse document frequency in the whole memory, which the word index knows. English terms must be
used as names of things, not as verbs or adjectives; each further term must share a member with the
first, so that two subjects that lie in one cluster do not make one name.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
_PROPER: Final = 2.0  # instead of `_noun`, of what is written as a name: "Porto", "LGBTQ"
_MAIN: Final = 0.5  # of the members that hold any term of a name, how many hold one and the same
_OWN: Final = 0.2  # of the texts that hold a term, how many must be members, …
_OWN_ALONE: Final = 1 / 3  # … and of those that hold the only term of a name
_MANY: Final = 4  # members that hold a term: enough, however many other texts hold it
_WORD: Final = late(rf"[^\W\d_{HAN}](?:[^\W_{HAN}]|['’-](?=[^\W\d_{HAN}]))*")
_POSSESSIVE: Final = late(r"['’]s$")
_HAN_RUN: Final = late("[\u4e00-\u9fff]+")
# Characters that stand at the edge of a gram which is no word.
_EDGES: Final = FUNCTION_CHARACTERS | frozenset(
    "很会要能想去来说有没不好多最更上下里中给让对从到以为可做看听用吃喝一两三几个些次天年月日你我他她"
    "什吗跟于并却则但如该各部种"
)
_LAST_EDGES: Final = _EDGES - frozenset("会说能日")  # 演唱会 小说 技能 生日
# Stems that say when, how much or to whom, and not what about.
_BESIDE: Final = frozenset(
    """
    januari februari march april may june juli august septemb octob novemb decemb monday tuesday
    wednesday thursday friday saturday sunday weekend weekday second minut hour day night week
    month year morn noon afternoon even tonight tomorrow date half quarter past ago zero two three
    four five six seven eight nine ten eleven twelv thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenti thirti forti fifti sixti seventi eighti nineti hundr thousand million
    third fourth fifth twice dozen few lot coupl number spring summer autumn winter season
    dear hello regard sincer mr mrs ms dr sir madam
    ahead away along around togeth anyway almost alreadi actual especi total quick
    came went gone goe took taken gave given made make done saw seen told said ask tri
    sit stand wait bring brought stay turn kept left felt mean remind rememb appreci
    back still other anoth import special hard easi small larg mayb perhap happen
    move spend motiv adjust improv includ provid allow choos consid decid notic realiz
    euro dollar pound cent percent degre metr meter centimetr millimetr kilometr mile kilo kilogram
    gram litr liter inch apiec
    part moment idea exampl advic suggest recommend tip reason chanc chat word convers question
    answer thank congratul wish luck fun blast activ experi situat effort
    pic photo imag pictur insid outsid whole extra rest begin end
    everi favorit favourit current front abl onlin
    """.split()
)
# What the small talk of assistants says; within a longer term it counts: "knowledge graph".
_ALONE: Final = frozenset("companion companionship assist touch knowledg 助手 伴侣 陪伴".split())
# Before these an English word is the name of a thing, or says more about one.
_DETERMINERS: Final = frozenset(
    """
    a an the my your his her its our their this that these those some any no every each both of in
    for about with on at by from into onto over under after before without between through during
    against whose which what many few several first second third last next
    """.split()
)
# Behind these an English word is a verb or an adjective.
_NO_NOUN: Final = frozenset(
    """
    am is are was were be been being it's that's i'm you're he's she's we're they're isn't wasn't
    feel feels feeling felt look looks looking looked seem seems seemed sound sounds sounded
    get gets got getting become becomes became stay stays stayed
    very so really too quite more most less rather pretty super how as
    i you he she we they who to will would can could should must may might do does did not never
    always often also just only now even still already ever i've you've we've they've i'd
    """.split()
)
# Whom a text speaks to: "Thanks, Mel!", "Hi, AI companion.", "Mel, look", "Well done, Mel Roe."
_ADDRESSED: Final = late(
    r"(?:^|(?<=[.!?…\n]))\s*(?:(?i:hey|hi|hello|dear|thanks|thank you|congrats|welcome|bye)"
    r"(?i: so much)?,? [^\W\d_][\w'’-]*(?: [\w'’-]+)?(?=[,.!?…\n]|$)|[A-Z][\w'’-]+(?=,))"
    r"|, [A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?(?=[.!?]|$)"
)
_ADDRESSED_HAN: Final = late(  # "你好，AI伴侣。"
    r"(?:^|(?<=[。！？\n]))\s*(?:你好|您好|大家好|嗨|嘿|谢谢|感谢|再见)啊?[，,！ ]?"
    r"[^，。！？,\s]{0,5}(?=[，。！？,])"
)
# What an assistant says it is: "As an AI, I have no body."
_SELF: Final = late(
    r"[^.!?\n]*\b[Aa]s an? (?:AI|artificial intelligence|language model)\b[^.!?\n]*"
)
_SELF_HAN: Final = late(
    r"[^。！？\n]*作为(?:一个|一名|你的|您的)?(?:AI|人工智能|语言模型)[^。！？\n]*"
)
_WISH_HAN: Final = late(r"祝(?:你|您|大家)[^。！？\n]*")
_OBJECTS: Final = frozenset("a an the my your his her its our their it them me us him".split())
_THING: Final = late(r"(?:tion|sion|ment|ness|ity|ship|ism|ology|ance|ence)s?$")
_GERUND: Final = late(r"[a-z]{2}ing$")
_QUALITY: Final = late(
    r"[a-z](?:ful|ous|less|ical|ional|ural)$|[a-z]{3}(?:al|ful|ous|ive|ed|ing|less|ent|ant)ly$"
)
_NAMED: Final = late(r"(?<=[^\W_])[A-Z0-9]")  # "ClickHouse", "LGBTQ"
_STOP: Final = late(r"[.!?…:\n\"“”(\[]\s*[-*]?\s*$")
_ORDINAL: Final = re.compile(r"[0-9]+(?:st|nd|rd|th)?")
_BESIDE_HAN: Final = frozenset(
    """
    大概 确认 提前 目前 其实 比较 左右 上午 下午 中午 晚上 早上 凌晨 半夜 明早 今早 昨晚 今晚
    周末 上周 下周 本周 这周 上次 下次 这次 星期 月初 月底 月中 年初 年底 今年 明年 去年 分钟
    小时 钟头 礼拜 第一 第二 第三 到底 马上 顺便 差不多 记得 肯定 特别 突然 发现 决定 准备 打算
    先生 女士 您好 各位 收到 辛苦 麻烦 恭喜 祝贺 结果 情况 部分 方面 过程 比如 例如 确实 其他 另外
    抱歉 尝试 愉快 推荐 建议 分享 帮助 提供 选择 提高 保持 参加 进行 实现 通过 了解 注意 相信 期待
    正常 努力 缺乏 水平 能力 程度 适合 合适 容易 简单 认真 主要 优美 精彩 漂亮 丰富 独特 每天 不能
    才能 才会 只会 还会 说明 正式 普通 完全 直接 故意 尽量 一般 值得 满意 舒适 轻松 困难 影响 当时
    后来 此外 随时 何时 始终 愿意 无法 降低 加深
    方法 方式 机会 时间 有趣 重要 美好 开心 高兴 打电话 打算 敲定 讨论 聊天 聊聊 介绍 继续 完成 一定
    同时 首先 最后 其次 作为 成为 关于 根据 包括 以及 更好 许多 各种 不同 充满 带来 受益 感谢 人们
    越来越 能够 经常 有时 只要 只是 虽然 即使 无论 并且 或许 也许 似乎 正在 曾经 身上 心里 里面 下来
    起来 出来 过来 回来 出去 下去 上来 进去 一点 一直 一次 一样 那么 这么 多少 怎样 如何 任何 全部
    缓解 表现 后面 前面 旁边 寻找 增加 减少 支持 理解 追求 拥有 得到
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
    """The terms of a theme, the best first, as its members write them.

    There are none unless two terms are shared, or one by half of the members; never of one member.
    """

    terms: tuple[str, ...] = ()
    holders: tuple[int, ...] = ()  # the places of the members that hold a term
    is_weak: bool = False  # it is one common word, which texts on different matters may share

    @property
    def named(self) -> bool:
        """Whether there is a name."""
        return bool(self.terms)

    def __str__(self) -> str:
        return " · ".join(self.terms)


class _Terms:
    """Terms, the members that hold each, and how they are written."""

    def __init__(self) -> None:
        self.held: defaultdict[str, set[int]] = defaultdict(set)
        self.written: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.noun: defaultdict[str, float] = defaultdict(float)  # sum of `_noun`
        self.proper: set[str] = set()  # those written as the name of somebody or something

    def add(self, term: str, member: int, written: str, noun: float = 1.0) -> None:
        if noun >= 0:
            self.held[term].add(member)
        if noun == _PROPER:
            self.proper.add(term)
        self.written[term][written] += noun >= 0
        self.noun[term] += noun

    def is_noun(self, term: str) -> bool:
        """False for a term that is a verb or an adjective more often than the name of a thing."""
        return self.noun[term] >= 0


def name(
    texts: Sequence[str],
    keywords: Sequence[Sequence[str]],
    rarity: Rarity,
    *,
    leave: Collection[str] = (),
    frequency: Callable[[str], int] | None = None,
) -> Name:
    """The name of a theme with these members; one member shares nothing with others.

    texts, keywords: of each member.
    rarity: the inverse document frequency, in nat, of an index word.
    leave: index words that no term may have, such as the speakers' names.
    frequency: how many texts of the whole memory hold an index word. With it, a term that few of
        the members and many other texts hold is left out.
    """
    if len(texts) < 2:
        return Name()
    chinese = sum(map(_is_chinese, texts)) * 2 > len(texts)
    found = _Terms()
    told = [_told(text) for text in texts]
    for member, (text, own) in enumerate(zip(told, keywords, strict=True)):
        for keyword in own:
            # One that the text does not say was given by somebody, or is left of a longer text.
            is_given = keyword not in texts[member]
            is_name = " " in keyword and keyword[0].isupper() and keyword in text
            if (is_given or is_name) and (stems := words(keyword)):
                found.add(" ".join(stems), member, keyword, _PROPER)
        for term, written, noun in _latin_terms(text):
            found.add(term, member, written, max(noun, 1.0) if chinese else noun)
    if chinese:
        _add_grams(found, told, frequency)
    fewest = max(2, ceil(_SHARE * len(texts)))
    scores: dict[str, float] = {}
    for term, members in found.held.items():
        stems = term.split(" ")
        if len(members) < fewest or term in _ALONE or not found.is_noun(term):
            continue
        if not _is_of_members(len(members), stems, frequency, _OWN):
            continue
        if not any(stem in leave or _is_beside(stem) for stem in stems):
            rare = sum(map(rarity, stems)) / len(stems)
            scores[term] = len(members) / len(texts) * rare * _weight(term, stems, chinese)
    terms, widest, holders = _linked(scores, found.held)
    # A Han gram of three characters has two index words.
    is_weak = len(terms) == 1 and " " not in terms[0] and terms[0] not in found.proper
    most = 2 * widest > len(texts) if is_weak else 2 * widest >= len(texts)
    named = len(terms) > 1 or (bool(terms) and (most or widest >= _MANY))
    if len(terms) == 1 and not _is_of_members(widest, terms[0].split(" "), frequency, _OWN_ALONE):
        named = False
    if not named:
        return Name()
    forms = _extended([found.written[term].most_common(1)[0][0] for term in terms], told, found)
    return Name(tuple(forms), tuple(sorted(holders)), is_weak)


def _is_of_members(
    members: int, stems: Sequence[str], frequency: Callable[[str], int] | None, share: float
) -> bool:
    """False for a term that few of these and many other texts hold, such as a colleague's name."""
    if frequency is None or members >= _MANY:
        return True
    return members >= share * min(map(frequency, stems))


def _told(text: str) -> str:
    """A text without whom it addresses, what it wishes them and what an assistant says it is."""
    for pattern in (_SELF, _ADDRESSED):
        text = pattern.sub(".", text)
    for pattern in (_SELF_HAN, _WISH_HAN, _ADDRESSED_HAN):
        text = pattern.sub("。", text)
    return text


def _extended(forms: Sequence[str], texts: Sequence[str], found: _Terms) -> list[str]:
    """English forms, each with the noun that stands beside it in all texts ("Green Meadow Park"),
    without those that are a part of another."""
    whole: list[str] = []
    for form in (_extended_form(form, forms, texts, found) for form in forms):
        if not any(_is_part(form, other) for other in whole):
            whole = [other for other in whole if not _is_part(other, form)] + [form]
    return whole


def _is_part(form: str, other: str) -> bool:
    return f" {form.casefold()} " in f" {other.casefold()} "


def _extended_form(form: str, forms: Sequence[str], texts: Sequence[str], found: _Terms) -> str:
    if _HAN_RUN.search(form):
        return form
    places = re.compile(
        rf"(?:(?<![\w-])([^\W\d_]+) )?(?<![\w-]){re.escape(form)}(?!\w)(?: ([^\W\d_]+))?",
        re.IGNORECASE,
    )
    around = [match for text in texts for match in places.finditer(text)]
    for side, joined in ((1, "{0} {1}"), (2, "{1} {0}")):
        beside = {(match[side] or "").casefold() for match in around}
        word = around[0][side] if len(around) > 1 and len(beside) == 1 else None
        if word is None or word.casefold() in STOP_WORDS:
            continue
        stems = words(word)
        is_noun = len(stems) == 1 and not _is_beside(stems[0]) and found.noun.get(stems[0], 0) > 0
        if is_noun or word in forms or (word[0].isupper() and form[0].isupper()):
            form = joined.format(word, form)
    return form


def _linked(
    scores: Mapping[str, float], held: Mapping[str, set[int]]
) -> tuple[list[str], int, set[int]]:
    """The terms of the best score, each of which shares a member with the first, while one of them
    is held by half of the members that hold any; how many hold that one, and who holds any."""
    terms: list[str] = []
    holders: set[int] = set()
    widest = 0
    for term in sorted(scores, key=lambda term: (-scores[term], term)):
        if terms and (len(terms) == MOST_TERMS or scores[term] < _LEAST * scores[terms[0]]):
            break
        if any(_overlap(term, other) for other in terms):
            continue
        together, most = holders | held[term], max(widest, len(held[term]))
        first = held[terms[0]] if terms else together
        if first.isdisjoint(held[term]) or most < _MAIN * len(together):
            continue
        terms.append(term)
        holders, widest = together, most
    return terms, widest, holders


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


def _is_beside_han(gram: str) -> bool:
    """True for what has a word that every conversation has, or begins or ends with one that says
    when or how."""
    return (
        gram[:2] in _BESIDE_HAN
        or gram[-2:] in _BESIDE_HAN
        or gram in _BESIDE_HAN
        or any(shape_rarity(gram[at : at + 2]) <= _COMMON for at in range(len(gram) - 1))
    )


def _overlap(term: str, other: str) -> bool:
    return not set(term.split(" ")).isdisjoint(other.split(" "))


def _latin_terms(text: str) -> Iterator[tuple[str, str, float]]:
    """(stem or two stems, as written, `_noun` or `_PROPER`) of the telling words and pairs of a
    text."""
    before: tuple[int, str, str] | None = None  # where it ended, its stem, as written
    matches = list(_WORD.finditer(text))
    folded = [match[0].casefold().replace("’", "'") for match in matches]
    opening = 0  # the first of the words that stand together, with spaces only between them
    for at, match in enumerate(matches):
        ahead = text[matches[at - 1].end() if at else 0 : match.start()]
        if ahead != " ":
            opening = at
        written = _POSSESSIVE.sub("", match[0])
        is_word = len(written) > 2 and _POSSESSIVE.sub("", folded[at]) not in STOP_WORDS
        stems = words(written) if is_word else []
        if len(stems) > 1 and written.isascii():  # "ClickHouse", "dairy-free"
            yield " ".join(stems), written, _PROPER if _NAMED.search(written) else 1.0
        if len(stems) != 1 or shape_rarity(stems[0]) <= _COMMON:
            before = None
            continue
        behind = text[match.end() : matches[at + 1].start() if at + 1 < len(matches) else None]
        opens = at == 0 or _STOP.search(ahead) is not None
        is_name = written[0].isupper() and not opens
        if _QUALITY.search(written):
            noun = -0.5
        elif is_name or _NAMED.search(written):
            noun = _PROPER
        elif match[0] != written or _THING.search(written):
            noun = 1.0
        elif _GERUND.search(written) and (at == opening or folded[at - 1] not in _NO_NOUN):
            noun = 1.0  # "Writing helps", "love writing my book"
        else:
            noun = _noun(folded[opening:at], folded[at + 1] if behind == " " else "")
        yield stems[0], written, noun
        if before is not None and text[before[0] : match.start()] == " ":
            yield f"{before[1]} {stems[0]}", f"{before[2]} {written}", noun
        before = (match.end(), stems[0], written)


def _noun(ahead: Sequence[str], following: str) -> float:
    """How surely a word is the name of a thing: 1 after a determiner or a preposition and at the
    end of what that begins, as in "the kiln is"; 0.5 as in "the old kiln is" and "need clay."; −1
    for a verb or an adjective, as in "is loud" and "fire the"; 0 where both are as likely, as in
    "the kiln cracked" and "the loud choir"."""
    ends = not following or following in STOP_WORDS
    last, second = (*ahead[::-1], "", "")[:2]
    if (
        last in _NO_NOUN
        or following in _OBJECTS
        or last.endswith(("ly", "n't", "'ll", "'d", "'re"))
    ):
        return -1.0
    if last in _DETERMINERS:
        return 1.0 if ends else 0.0
    is_telling = bool(last) and last not in STOP_WORDS
    return 0.5 if is_telling and ends and (second in _DETERMINERS or not following) else 0.0


def _add_grams(found: _Terms, texts: Sequence[str], frequency: Callable[[str], int] | None) -> None:
    """Add runs of 2–6 Han characters that two members have, with different neighbours on each
    side: what always has the same neighbour is a piece of a longer word. With `frequency`, what is
    cut within a word is left out as well (`_is_torn`)."""
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
                    if said[stop - 1] in _LAST_EDGES:
                        continue
                    gram = said[start:stop]
                    held[gram].add(member)
                    left[gram].add(before)
                    right[gram].add(said[stop] if stop < len(said) else border)
    for gram, members in held.items():
        told = len(members) > 1 and len(left[gram]) > 1 and len(right[gram]) > 1
        if gram[0] in _MEASURES and left[gram] <= _COUNTING:
            continue  # the measure word belongs to the number before it
        if _is_beside_han(gram) or _AMOUNT.match(gram):
            continue
        if frequency is not None and told:
            first = {f"{other}{gram[0]}" for other in left[gram]}
            last = {f"{gram[-1]}{other}" for other in right[gram]}
            if _is_torn(gram[:2], first, frequency) or _is_torn(gram[-2:], last, frequency):
                continue
        if told:
            term = " ".join(words(gram))
            for member in members:
                found.add(term, member, gram)


def _is_torn(edge: str, across: Collection[str], frequency: Callable[[str], int]) -> bool:
    """True if a run is cut within a word: all pairs of characters across its edge (`across`) are
    held by as many texts as the pair inside it (`edge`). A border of Han text has no such pair."""
    inside = frequency(edge)
    return all(len(pair) == 2 and frequency(pair) >= max(inside, 2) for pair in across)
