"""What a sentence is worth keeping, before its length is taken into account."""

import re
from typing import Final

from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.text.patterns import late
from graphmem_worker.text.rarity import Rarity, shape_rarity
from graphmem_worker.text.words import script, words

# What every seventh text has tells one from another as little as what all have.
_COMMON: Final[float] = 2.0  # nat
# A quarter of a bigram: the words of an average turn then add up alike in both languages (13 stems,
# 45 bigrams), and a bonus weighs alike.
_STEM_SHARE: Final[float] = 1.5
_BIGRAM_SHARE: Final[float] = _STEM_SHARE / 4
_FLOOR: Final[float] = 0.1

_NUMBER_BONUS: Final[float] = 2.0
_NAME_BONUS: Final[float] = 4.0
_DECISION_BONUS: Final[float] = 2.0
_PREFERENCE_BONUS: Final[float] = 3.0
_DATE_BONUS: Final[float] = 3.0
_SELF_BONUS: Final[float] = 1.5
_MOST_OF_A_KIND: Final[int] = 3

_QUESTION_DISCOUNT: Final[float] = 0.3
_GREETING_DISCOUNT: Final[float] = 0.5
_CHATTER_DISCOUNT: Final[float] = 0.4

_DECISION_PHRASES: Final[tuple[str, ...]] = (
    " must ", "must not", "mustn't", "plan to", "plans to", "planned to", "planning to",
    "planning on", "moved the", "moved it", "moved to", "moving to", "changed to", "changed the",
    "instead of", "no longer", "remember to", "don't forget", "not allowed", "have to ", "has to ",
)  # fmt: skip
_DATE_WHICH: Final[tuple[str, ...]] = ("last ", "next ", "this ", "past ")
_DATE_PHRASES: Final[tuple[str, ...]] = tuple(
    which + what
    for which in _DATE_WHICH
    for what in ("night", "week", "month", "year", "summer", "winter", "spring", "fall", "autumn")
)
_DATE_DIGITS: Final = late(
    r"\b(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)\.? \d{1,2}|(?:19|20)\d\d"
    r"|\d{1,2}(?::\d\d)? ?[ap]\.?m)\b|\d[月日号年]",
    re.IGNORECASE,
)
_DATE_HAN: Final = late(
    "[一二三四五六七八九十](?:月|日|号|点)|(?:星期|周|礼拜)[一二三四五六日天末]"
    "|[昨明后前]天|[上下]周|[上下]个月|去年|明年|生日"
)
_DIGITS: Final = late(r"\d+(?:[.,:/-]\d+)*")
_HAN_NUMBER: Final = late(
    "[一二三四五六七八九十百千万两]{1,12}+(?=[月日号年岁个块元点天次位本只条斤公米分])"
)

# A run of letters and figures that is no word: a token, hash, address, serial or account number.
_IDENTIFIER: Final = late(
    r"(?<![A-Za-z0-9])(?=[A-Za-z0-9_+/=.:~-]{0,40}?\d)(?=[0-9_+/=.:~-]{0,40}?[A-Za-z])"
    r"[A-Za-z0-9_+/=.:~-]{10,}|(?<![\d.,:/-])\d{7,}(?![\d.,:/-]*\d)|\bhttps?://\S+"
)
_DIGIT: Final = late(r"\d")  # in all of these but addresses
_DATED: Final = late(r"(?:19|20)\d\d-\d\d-\d\d")
_LONG_RUN: Final = late(r"[A-Za-z0-9_+/=.:~-]{7}")
_IDENTIFIER_DISCOUNT: Final[float] = 0.85
_MOSTLY: Final[float] = 0.3  # of a sentence's characters, from which an identifier is its subject

_CAPITAL: Final = late(r"[A-Z][\w'’-]+")
_BEFORE_START: Final[str] = " \t\"'“‘(*#>-"
_ENDS: Final[frozenset[str]] = frozenset(".!?:\n。！？：")
_NAMELESS: Final[frozenset[str]] = frozenset("I'm I've I'll I'd I’m I’ve I’ll I’d OK AI".split())
_HAN_NAME: Final = late(
    r"《[^《》\n]{1,30}》|「[^「」\n]{1,20}」|“[^“”\n]{1,12}”"
    r"|[\u4e00-\u9fff](?:先生|女士|老师|经理|医生|教授|总监|同学|阿姨|叔叔)"
    r"|[小老阿][\u4e00-\u9fff](?=[说问和在的去要也，]|告诉)"
    r"|叫[\u4e00-\u9fff]{2,3}(?=[，。！；、]|$)"
    r"|[\u4e00-\u9fff]{2}(?:公园|大学|公司|医院|博物馆|餐厅|路|街|市|省|县|站|馆)"
)

_SELF: Final = late(r"\b(?:I|[Mm][ey]|[Ww]e|[Oo]ur)\b")
_CLOSING: Final[str] = " \t\n\"'”’)）」』"
_GREETING: Final = late(
    r"\W*(?:hi|hey|hello|good (?:morning|evening|afternoon|night|to see)|nice to (?:meet|see|hear)"
    r"|how are you|how have you|bye|goodbye|see you|take care|talk (?:to you )?(?:soon|later)"
    r"|welcome|你好|您好|早上好|晚上好|晚安|再见|嗨|很高兴认识)",
    re.IGNORECASE,
)
_CHATTER: Final = late(
    r"\W*(?:(?:thanks?|thank you|wow|cool|great|awesome|nice|sure|okay|ok|yeah|yes|haha|lol)\b"
    r"|that's|that sounds|sounds|congrat|glad|no problem|no worries|you're welcome|absolutely"
    r"|definitely|of course|i'm happy|can't wait|谢谢|不客气|好的|好呀|好啊|当然|没问题|哈哈|嗯"
    r"|是的|是啊|真棒|太好了|真不错|听起来|不用谢|没关系|加油|很高兴)",
    re.IGNORECASE,
)
_CHATTER_PHRASES: Final[tuple[str, ...]] = (
    "let me know", "feel free", "hope you", "hope that you", "hope this helps", "可以随时",
    "希望你", "希望您", "希望能帮", "有什么可以帮", "有什么需要", "有什么能帮",
)  # fmt: skip


def salience(sentence: str, rarity: Rarity | None = None) -> float:
    """What `sentence` is worth keeping before division by √length: the sum of its `parts`, always
    above 0 and finite.

    The rule that kept most answers on LoCoMo: the rarities of its distinct index words above what
    every seventh text has, with a bonus for numbers and names.  To these come marks of decisions,
    preferences, dates and of someone speaking about themselves, and discounts for questions,
    greetings and chatter; the weights were fitted on the development parts of LoCoMo and
    MemoryBank.  `rarity` gives the inverse document frequency of an index word in nat (values below
    2 and not finite ones count as 0); the default is `rarity.shape_rarity`.

    The middle 90 % of the sentences of those conversations lie between 1 and 48 (median 10 in
    LoCoMo, 14 in MemoryBank, English and Chinese alike); divided by √characters the medians are 1.7
    and 2.0 in English and 3.2 in Chinese, so compare that with the memory's own median.
    """
    return sum(parts(sentence, rarity).values())


def parts(sentence: str, rarity: Rarity | None = None) -> dict[str, float]:
    """What makes up the salience of `sentence`: parts by name, discounts negative; their sum is
    `salience`.

    Names: floor, words, numbers, names, decision, preference, self, date, identifier, question,
    greeting, chatter; absent where 0.  Tokens, hashes, addresses and long numbers count for
    nothing; where they are most of a sentence, the rest of it counts for little.
    """
    rarity = rarity or shape_rarity
    identifiers = 0
    if _LONG_RUN.search(sentence) and ("://" in sentence or _DIGIT.search(sentence)):
        # What nobody reads is worth nothing, however rare.
        said = _IDENTIFIER.sub(_but_dates, sentence)
        identifiers, sentence = len(sentence) - len(said), said
    distinct = frozenset(words(sentence))
    lower = sentence.lower()
    found = {"floor": _FLOOR}
    if distinct:
        share = _BIGRAM_SHARE if script(sentence) == "cjk" else _STEM_SHARE
        # Sorted: a sum must not depend on the order of a set. NaN fails both comparisons.
        values = [v - _COMMON for word in sorted(distinct) if _COMMON < (v := rarity(word)) < 1e6]
        found["words"] = share * sum(values)
    digits = _DIGITS.findall(sentence)
    if numbers := _numbers(sentence, distinct, digits):
        found["numbers"] = _NUMBER_BONUS * min(_MOST_OF_A_KIND, numbers)
    if names := _names(sentence):
        found["names"] = _NAME_BONUS * min(_MOST_OF_A_KIND, len(names))
    if _has(
        distinct, listed("decision_stems"), lower, _DECISION_PHRASES, ordered("decision_words")
    ):
        found["decision"] = _DECISION_BONUS
    if _has(
        distinct,
        listed("preference_stems"),
        lower,
        ordered("preference_phrases"),
        ordered("preference_words"),
    ):
        found["preference"] = _PREFERENCE_BONUS
    if _SELF.search(sentence) or "我" in sentence or "咱" in sentence:
        found["self"] = _SELF_BONUS
    if _has_date(sentence, distinct, lower, bool(digits)):
        found["date"] = _DATE_BONUS
    # A discount takes a share, so that no pile of them reaches 0.
    whole = sum(found.values())
    mostly = identifiers > _MOSTLY * (identifiers + len(sentence.strip()))
    for name, discount, due in (
        ("identifier", _IDENTIFIER_DISCOUNT, mostly),
        ("question", _QUESTION_DISCOUNT, is_question(sentence)),
        ("greeting", _GREETING_DISCOUNT, bool(_GREETING.match(sentence))),
        ("chatter", _CHATTER_DISCOUNT, _is_chatter(sentence, lower)),
    ):
        if due:
            found[name] = -discount * whole
            whole -= discount * whole
    return found


def _but_dates(found: re.Match[str]) -> str:
    return found[0] if _DATED.match(found[0]) else ""


def is_remark(sentence: str) -> bool:
    """True for a question, a greeting or chatter: what `parts` gives a discount."""
    return is_question(sentence) or is_pleasantry(sentence)


def is_pleasantry(sentence: str) -> bool:
    """True for a greeting or chatter."""
    return bool(_GREETING.match(sentence)) or _is_chatter(sentence, sentence.lower())


def _has(
    distinct: frozenset[str],
    stems: frozenset[str],
    lower: str,
    phrases: tuple[str, ...],
    han: tuple[str, ...],
) -> bool:
    if not distinct.isdisjoint(stems) or _contains(lower, phrases):
        return True
    return not lower.isascii() and _contains(lower, han)


def _contains(text: str, phrases: tuple[str, ...]) -> bool:
    # A loop: a generator in `any` costs three times as much.
    for phrase in phrases:  # noqa: SIM110
        if phrase in text:
            return True
    return False


def _numbers(sentence: str, distinct: frozenset[str], digits: list[str]) -> int:
    found = {*digits, *(distinct & listed("number_stems"))}
    if not sentence.isascii():
        found.update(_HAN_NUMBER.findall(sentence))
    return len(found)


def _names(sentence: str) -> set[str]:
    """Names by their look: capitals within a sentence, titles, quoted works, places."""
    found = set()
    last = 0  # where the capital before stands: no white space or sign, so no need to look further
    for match in _CAPITAL.finditer(sentence):
        name = match[0]
        before = sentence[last : match.start()].rstrip(_BEFORE_START)
        last = match.start()
        if name in _NAMELESS:
            continue
        if before and before[-1] not in _ENDS:
            found.add(name)
    if not sentence.isascii():
        found.update(_HAN_NAME.findall(sentence))
    return found


def _has_date(sentence: str, distinct: frozenset[str], lower: str, digits: bool) -> bool:
    if not distinct.isdisjoint(listed("date_stems")):
        return True
    if _contains(lower, _DATE_WHICH) and _contains(lower, _DATE_PHRASES):
        return True
    if digits and _DATE_DIGITS.search(sentence):
        return True
    return not sentence.isascii() and bool(_DATE_HAN.search(sentence))


def is_question(sentence: str) -> bool:
    """True if a sentence ends as questions do."""
    bare = sentence.rstrip(_CLOSING)
    return bare.endswith(("?", "？")) or bare.rstrip("。！").endswith(("吗", "呢"))


def _is_chatter(sentence: str, lower: str) -> bool:
    return bool(_CHATTER.match(sentence)) or _contains(lower, _CHATTER_PHRASES)
