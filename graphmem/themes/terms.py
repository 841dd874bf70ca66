"""The terms that texts share: English words and pairs of words, Chinese runs of characters.

Each is held by the texts that use it as the name of a thing. No lexicon is asked: what stands
beside an English word tells a noun from a verb or an adjective, and a Chinese run is a word if
different characters stand on both of its sides.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from graphmem_worker.text.patterns import late
from graphmem_worker.text.rarity import shape_rarity
from graphmem_worker.text.words import FUNCTION_CHARACTERS, HAN, STOP_WORDS, words

_COMMON: Final = 2.0  # the rarity of words that every conversation has, see `shape_rarity`
_MAYBE: Final = 0.1  # a form that may be a noun, beside one that surely is
_OF_GERUND: Final = 0.75  # rather "games" than "gaming"
_LONGEST_GRAM: Final = 6  # characters
_PROPER: Final = 2.0  # instead of `_noun`, of what is written as a name: "Porto", "LGBTQ"
_WITHIN: Final = 0.5  # of the texts that hold a word hold it in one and the same pair
_WORD: Final = late(rf"[^\W\d_{HAN}](?:[^\W_{HAN}]|['’](?=[^\W\d_{HAN}])|-(?=[^\W_{HAN}]))*")
_POSSESSIVE: Final = late(r"['’]s$")
HAN_RUN: Final = late("[\u4e00-\u9fff]+")
# Characters that stand at the edge of a gram which is no word.
_EDGES: Final = FUNCTION_CHARACTERS | frozenset(
    "很会要能想去来说有没不好多最更上下里中给让对从到以为可做看听用吃喝一两三几个些次天年月日你我他她"
    "什吗跟于并却则但如该各部种"
)
# How people are called: "老罗", "吴社长".
_PERSON_HAN: Final = late(
    "^[老小阿].$|.(?:社长|村长|师傅|老师|先生|女士|经理|主任|总|姐|哥|叔|姨|工)$"
)
# What stands beside a word and is no part of it.
_GRAMMAR: Final = FUNCTION_CHARACTERS | frozenset("些没不到从对让给两几个们什")
# Those of them that begin words as well.
_VERBS: Final = frozenset("上下里中做看听用吃喝")
_SHORTEST_BOUND: Final = 4  # characters of a run that begins with one
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
    part moment idea exampl suggest recommend tip reason chanc chat word convers question
    answer thank congratul wish luck fun blast experi addit situat effort
    pic photo imag pictur insid outsid whole extra rest begin end
    place everi favorit favourit current front abl onlin
    """.split()
)
# What the small talk of assistants says; within a longer term it counts: "knowledge graph".
ALONE: Final = frozenset(
    "companion companionship assist touch knowledg activ advic friend 助手 伴侣 陪伴".split()
)
# Common words that may be what most members are about.
PLAIN: Final = frozenset("support work help".split())
# Common nouns that stand beside a term: "time management", "like-minded people".
COMMON_NOUNS: Final = frozenset("peopl time work world".split())
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
    very so really too quite more most less rather pretty super as
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
# Behind these it is a verb.
_BEFORE_VERBS: Final = frozenset(
    "i you he she we they who to will would can could should must may might not".split()
)
_AHEAD: Final = 3  # words ahead of a noun among which its determiner stands
_BEING: Final = frozenset("am is are was were be been being".split())
_PLURAL: Final = late(r"[^su]s$")
# "Gone with the Wind" and 《局外人》 are about no wind: each is a term by itself.
_TITLE: Final = late(
    r"[\"“][A-Z][\w'’-]*(?: (?:[a-z]{1,4} ){0,2}[A-Z0-9][\w'’-]*){1,7}[,.!?]?[\"”]|《[^》]{1,20}》"
)
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
    抱歉 主意 当前 等等 相关 毫秒 毫米 厘米 公里 公斤 千克 平方 百分
    尝试 愉快 推荐 建议 分享 帮助 提供 选择 提高 保持 参加 进行 实现 通过 了解 注意 相信 期待
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
MEASURES: Final = "年月日号点时分秒周岁元块毛个只条本张件台支次趟天位层斤克米度间名套份遍种盆根颗片"
# What a measure word stands behind.
_COUNTING: Final = frozenset(f"{_NUMERALS}那这哪每第")
_AMOUNT: Final = re.compile(f"第?[{_NUMERALS}]+[{MEASURES}]|[^{_NUMERALS}]?[{_NUMERALS}]+$")


class Terms:
    """Terms, the members that hold each, and how they are written."""

    def __init__(self, *, is_chinese: bool) -> None:
        self.is_chinese = is_chinese
        self.texts: Sequence[str] = ()  # without whom they address and what they wish
        self.held: defaultdict[str, set[int]] = defaultdict(set)
        self.written: defaultdict[str, defaultdict[str, float]] = defaultdict(
            lambda: defaultdict(float)
        )
        self.noun: defaultdict[str, float] = defaultdict(float)  # sum of `_noun`
        self.titles: set[str] = set()
        self.proper: set[str] = set()  # those written as the name of somebody or something

    def add(self, term: str, member: int, written: str, noun: float = 1.0) -> None:
        if noun >= 0:
            self.held[term].add(member)
        if noun == _PROPER:
            self.proper.add(term)
        self.written[term][written] += _form_weight(written, noun)
        self.noun[term] += noun

    def form(self, term: str) -> str:
        """A term as it is written, mostly and as the name of a thing."""
        forms = self.written[term]
        return max(forms, key=lambda form: forms[form])

    def longer(self, term: str, terms: Sequence[str]) -> str:
        """The pair of words of which an English word is a part in most members that hold it:
        "video games"; else, or if another one of these terms has its other word, the term itself.
        """
        if HAN_RUN.search(term) or " " in term:
            return term
        pairs = {
            pair: len(self.held[pair])
            for pair in self.held
            if term in pair.split(" ")[:2]
            and self.is_noun(pair)
            and not self.is_beside(pair)
            and not any(overlap(pair, other) for other in terms if other != term)
        }
        best = max(pairs, key=lambda pair: (pairs[pair], pair), default=term)
        return best if pairs.get(best, 0) >= max(2, _WITHIN * len(self.held[term])) else term

    def is_sure(self, term: str) -> bool:
        """True if some place shows that a term is the name of a thing, as most pairs are."""
        return " " in term or self.noun[term] > 0

    def is_name(self, term: str) -> bool:
        """True for what is called so: "Porto", "老罗"."""
        return term in self.proper or _PERSON_HAN.search(self.form(term)) is not None

    def is_beside(self, term: str) -> bool:
        """True for what says when, how much or to whom, except in a title."""
        return term not in self.titles and any(map(is_beside, term.split(" ")))

    def is_noun(self, term: str) -> bool:
        """False for a term that is a verb or an adjective more often than the name of a thing."""
        return self.noun[term] >= 0


def found(
    texts: Sequence[str],
    keywords: Sequence[Sequence[str]],
    frequency: Callable[[str], int] | None = None,
) -> Terms:
    """The terms of texts, each of which has its keywords.

    frequency: how many texts of the whole memory hold an index word. With it, Chinese runs that are
        cut within a word are left out.
    """
    held = Terms(is_chinese=sum(map(_is_chinese, texts)) * 2 > len(texts))
    told = [_told(text) for text in texts]
    titles = sorted({title for text in told for title in _titles(text)})
    for member, (text, own) in enumerate(zip(told, keywords, strict=True)):
        for keyword in own:
            # One that the text does not say was given by somebody, or is left of a longer text.
            is_given = keyword not in texts[member]
            is_name = " " in keyword and keyword[0].isupper() and keyword in text
            if (is_given or is_name) and (stems := words(keyword)):
                held.add(" ".join(stems), member, keyword, _PROPER)
        for title in titles:
            if title.casefold() in text.casefold() and (stems := words(title)):
                held.add(" ".join(stems), member, title, _PROPER)
                held.titles.add(" ".join(stems))
        for term, written, noun in _latin_terms(_TITLE.sub(".", text)):
            held.add(term, member, written, max(noun, 1.0) if held.is_chinese else noun)
    if held.is_chinese:
        _add_grams(held, [_TITLE.sub("。", text) for text in told], frequency)
    held.texts = told
    return held


def _is_chinese(text: str) -> bool:
    return 3 * len(re.findall(f"[{HAN}]", text)) > len(text)


def _form_weight(written: str, noun: float) -> float:
    """How well a form stands for its term: as the name of a thing, rather "games" than "gaming"."""
    if noun < 0:
        return 0.0
    return (noun + _MAYBE) * (_OF_GERUND if _GERUND.search(written) else 1.0)


def _told(text: str) -> str:
    """A text without whom it addresses, what it wishes them and what an assistant says it is."""
    for pattern in (_SELF, _ADDRESSED):
        text = pattern.sub(".", text)
    for pattern in (_SELF_HAN, _WISH_HAN, _ADDRESSED_HAN):
        text = pattern.sub("。", text)
    return text


def _titles(text: str) -> Iterator[str]:
    """The titles that a text quotes, without their marks."""
    for match in _TITLE.finditer(text):
        yield match[0][1:-1].rstrip(",.!?")


def is_beside(stem: str) -> bool:
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


def overlap(term: str, other: str) -> bool:
    return not set(term.split(" ")).isdisjoint(other.split(" "))


def _latin_terms(text: str) -> Iterator[tuple[str, str, float]]:
    """(stem or two stems, as written, `_noun` or `_PROPER`) of the telling words and pairs of a
    text."""
    # Where it ended, its stem, as written; none of a verb: "to build relationships".
    before: tuple[int, str, str] | None = None
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
        if len(stems) > 1 and written.isascii():  # "ClickHouse", "dairy-free", "OX-412"
            is_code = stems[0] == written.casefold()
            term = stems[0] if is_code else " ".join(stems)
            yield term, written, _PROPER if _NAMED.search(written) else 1.0
        if len(stems) != 1 or (shape_rarity(stems[0]) <= _COMMON and stems[0] not in PLAIN):
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
            follows = folded[at + 1] if behind == " " else ""
            noun = 0.0 if follows in _OBJECTS else 1.0  # "losing my job", "Writing helps"
        else:
            follows = folded[at + 1] if behind == " " else ""
            is_item = ahead.strip() == "," and at == opening and behind != " "  # "clay, kilns"
            noun = 0.5 if is_item else _noun(folded[at], folded[opening:at], follows)
        yield stems[0], written, noun
        if before is not None and text[before[0] : match.start()] == " ":
            yield f"{before[1]} {stems[0]}", f"{before[2]} {written}", noun
        is_verb = at > opening and folded[at - 1] in _BEFORE_VERBS
        before = None if is_verb else (match.end(), stems[0], written)


def _noun(word: str, ahead: Sequence[str], following: str) -> float:
    """How surely a word is the name of a thing: 1 after a determiner or a preposition and at the
    end of what that begins, as in "the kiln is"; 0.5 as in "the old kiln is" and "need clay."; −1
    for a verb or an adjective, as in "is loud" and "fire the"; 0 where both are as likely, as in
    "the kiln cracked" and "the loud choir"."""
    ends = not following or following in STOP_WORDS
    last = ahead[-1] if ahead else ""
    if last in _BEING and _PLURAL.search(word):
        return 0.5  # "There will be biscuits."
    if (
        last in _NO_NOUN
        or following in _OBJECTS
        or last.endswith(("ly", "n't", "'ll", "'d", "'re"))
    ):
        return -1.0
    if last in _DETERMINERS:
        return 1.0 if ends else 0.0
    if list(ahead) == ["and"] and not following:
        return 0.5  # the last of a list: ", and kilns."
    is_telling = bool(last) and last not in STOP_WORDS
    is_of_noun = not following or not _DETERMINERS.isdisjoint(ahead[-_AHEAD:-1])
    return 0.5 if is_telling and ends and is_of_noun else 0.0


def _add_grams(found: Terms, texts: Sequence[str], frequency: Callable[[str], int] | None) -> None:
    """Add runs of 2–6 Han characters that two members have, with different neighbours on each
    side: what always has the same neighbour is a piece of a longer word. With `frequency`, what is
    cut within a word is left out as well (`_is_torn`)."""
    held: defaultdict[str, set[int]] = defaultdict(set)
    left: defaultdict[str, set[str]] = defaultdict(set)
    right: defaultdict[str, set[str]] = defaultdict(set)
    for member, text in enumerate(texts):
        for run in HAN_RUN.finditer(text):
            # A border of the run is a neighbour of its own each time; a number is the same one.
            border = f"{member}:{run.start()}"
            ahead = text[run.start() - 1 : run.start()]
            opening = ahead if ahead and ahead in _NUMERALS else border
            said = run[0]
            for start in range(len(said) - 1):
                if said[start] in _EDGES and said[start] not in _VERBS:
                    continue
                before = said[start - 1] if start else opening
                is_counted = said[start] in MEASURES and before in _COUNTING
                if before in _GRAMMAR and not is_counted:
                    before = f"{border}:{start}"
                counted = said[start - 2] if start > 1 else opening
                if before in MEASURES and counted in _COUNTING:
                    before = f"{border}:{start}"  # in "four gateways" "gateways" is a word
                for stop in range(start + 2, min(start + _LONGEST_GRAM, len(said)) + 1):
                    if said[stop - 1] in _LAST_EDGES:
                        continue
                    gram = said[start:stop]
                    held[gram].add(member)
                    left[gram].add(before)
                    after = said[stop] if stop < len(said) else border
                    if after in _GRAMMAR:
                        after = f"{border}:{stop}"
                    right[gram].add(after)
    for gram, members in held.items():
        if gram[0] in _VERBS and (len(gram) < _SHORTEST_BOUND or left[gram[1:]] != {gram[0]}):
            continue  # "看门狗补丁" is a word: nothing else stands before the rest of it
        told = len(members) > 1 and len(left[gram]) > 1 and len(right[gram]) > 1
        if gram[0] in MEASURES and left[gram] <= _COUNTING:
            continue  # the measure word belongs to the number before it
        if _is_beside_han(gram) or _AMOUNT.match(gram):
            continue
        if frequency is not None and told:
            first = {f"{other}{gram[0]}" for other in left[gram]}
            last = {f"{gram[-1]}{other}" for other in right[gram]}
            ahead, behind = (gram[1:3], gram[-3:-1]) if len(gram) > 2 else ("", "")
            if _is_torn(gram[:2], first, ahead, frequency) or _is_torn(
                gram[-2:], last, behind, frequency
            ):
                continue
        if told:
            term = " ".join(words(gram))
            for member in members:
                found.add(term, member, gram)


def _is_torn(
    edge: str, across: Collection[str], rest: str, frequency: Callable[[str], int]
) -> bool:
    """True if a run is cut within a word: all pairs of characters across its edge (`across`) are
    held by as many texts as the pair inside it (`edge`), or the pair behind that (`rest`, "" for a
    run of two) by more. A border of Han text has no such pair."""
    if not all(len(pair) == 2 for pair in across):
        return False
    inside = frequency(edge)
    apart = bool(rest) and frequency(rest) > inside
    return apart or all(frequency(pair) >= max(inside, 2) for pair in across)
