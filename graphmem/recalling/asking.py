"""Asking: what a cue asks for of a state: its value now, before, or at first; of which type."""

# ruff: noqa: E501  (a pattern that is broken over lines is harder to check)
from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal

from graphmem.recalling.names import surnames
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.patterns import late, lower
from graphmem_worker.text.words import words

Asked = Literal["now", "before", "first"]

_BEFORE: Final = late(
    r"\b(?:was|were|did|had|the|my|our|'s|his|her|their)\b[^?.]{0,25}\bold\b(?! (?:is|are|was|were)\b)"
    # A value may be a number ("before 85"), a time of day is none ("before four in the morning").
    r"|\bbefore\b(?! (?:noon|midnight|breakfast|lunch|dinner|bed|dawn|dark|[\w:.]{1,8} ?(?:in the (?:morning|afternoon|evening)|o'clock|[ap]\.?m\b)))"
    r"|(?<![点午饭觉])(?:以前|之前)|从前|原先|原来|曾经?|过去|上一[个任家份次版位]|前一[个任家份次版位出]|老的"
    r"|旧(?:[的址版号名价家]|地址|电话)",
    re.IGNORECASE,
)


def _asks(what: str, cue: str) -> bool:
    return sayings("cues", what).is_in(folded(cue))


@lru_cache(1 << 8)
def asked(cue: str) -> Asked:
    """Whether a cue asks for what holds now (the default), held before, or held first."""
    if _asks("first", cue):
        return "first"
    return "before" if _asks("before", cue) or _BEFORE.search(cue) else "now"


_STATE_ASKED: Final = late(
    r"\b(?:what|where|who|which|when|how|whose)(?:'s|\b[^.?!]{0,40}?\b(?:is|are|am|does|do|has|have|can|should|will|must|(?!(?:his|its|this|was|as|yes)\b)(?-i:[a-z]{2,}s))\b)"
    r"|[谁哪几什啥多]|怎么(?![样会办]|回事)|如何",
    re.IGNORECASE,
)
_WHETHER_ASKED: Final = late(
    r"^(?:so |and |but |then )?(?:am|is|are|do|does)\b(?! (?:there|you)\b)|[吗么][？?。 ]*$",
    re.IGNORECASE,
)
"""Whether something is so: "Am I still vegetarian?"."""
_SEVERAL_ASKED: Final = late(
    r"\b(?:which|what)(?: other)? (?:two|three|four|five|six|several|[2-9])\b"
    r"|哪(?:两|三|四|五|六|几|[2-9])[个些种]",
    re.IGNORECASE,
)


def asks_why(cue: str) -> bool:
    """Whether a cue asks for a reason: what replaced a choice later does not answer it."""
    return _asks("why", cue)


def asks_for_value(cue: str, wanted: Asked, is_dated: bool) -> bool:
    """Whether a cue asks for one value, by the form of its question: "Where does Rui live?", "Where
    did Rui live before?", "Where did Rui live in May?", but not "Where did Rui go?" or "Which two
    cities did Rui live in before?"."""
    if wanted != "now" or is_dated:
        return _asks("value", cue) and _SEVERAL_ASKED.search(cue) is None
    if _asks("now", cue):
        return True
    if _asks("settled", cue) and not _asks("many", cue):
        return True
    is_of_state = _STATE_ASKED.search(cue) or _WHETHER_ASKED.search(cue)
    return is_of_state is not None and not _asks("event", cue)


# -- of which type -------------------------------------------------------------------------------

_NUMERAL: Final = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    r"|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?|hundred|thousand|million"
    r"|half|quarter|dozen|once|twice|fiver|tenner"
)
_HAN_NUMERAL: Final = r"[一二两三四五六七八九十百千万半]"
_ASKED_TYPES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (name, late(pattern, re.IGNORECASE))
    for name, pattern in (
        ("money", r"\bhow much\b.{0,60}\b(?:cost|pay|rent|charge|price|earn|spend)|\b(?:price|cost|rent|fee|fare|salary|deposit|wage|pay)\b|多少钱|价|费|租金|房租|工资|花多少|卖多少"),
        ("time", r"\bwhen\b|\b(?:what|which) (?:time|day|date|week|month|night|shift|hours?|weekday)\b|\bwhat (?:are|were|is|was) the .{0,30}\bhours\b|\bhow often\b|几点|什么时[候间]|哪一?天|几号|[周期]几|多久|哪些时[候间]"),
        ("person", r"\b(?:who|whom|whose)\b|谁|哪位|哪个人"),
        ("place", r"\bwhere\b|\b(?:which|what) (?:city|town|country|room|school|place|street|floor|address|region|berth|lane|station|stop|desk|gate|platform|hotel)\b|哪[儿里]|哪个[城区省市]|[在到去]哪|哪[家所间层]|几楼"),
        ("number", r"\bhow (?:many|much|tall|deep|long|old|high|heavy|big|far|fast|wide|warm|hot|cold|large)\b|\b(?:number|rating|limit|percentage|per cent|weigh\w{0,3}|size|dose|code|version|temperature)\b|多少|几[个只片次台人岁天楼层页本条口版]|多[大高长深重远快宽]|号码|密码|版本"),
    )
)  # fmt: skip
"""Of what type the value is that a cue asks for; the first that fits."""
_TYPES: Final[Mapping[str, re.Pattern[str]]] = {
    name: lower(pattern) if isinstance(pattern, str) else late(pattern)
    for name, pattern in (
        ("money", rf"[$€£¥]|\d|\b(?:{_NUMERAL})\b|\bfree\b|\bprice\b|{_HAN_NUMERAL}|免费|不要钱"),
        ("time", rf"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\b|\b(?:morning|noon|afternoon|evening|night|midnight|breakfast|lunch|dinner|bedtime|weekend|daily|weekly|monthly|fortnight\w*|spring|summer|autumn|winter|o'clock)s?\b|\b\d{{1,2}}[:.]\d\d\b|\b\d+(?:st|nd|rd|th)\b|\b(?:half|quarter|five|ten|twenty) (?:past|to)\b|\b(?:at|till|until|from|to|by|past) (?:{_NUMERAL}|\d)|[周月日点天早晚夜午春夏秋冬每]|[\d一二三四五六七八九十]号|星期|礼拜"),
        ("person", lambda: (
            r"(?<=[a-z,;:’'\s(] )(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February"
            r"|March|April|May|June|July|August|September|October|November|December|Christmas"
            r"|Easter)[A-Z][a-z]+"
            r"|^[A-Z][a-z]+(?='s| [a-z]+s\b| (?:is|has|took|was|left|will|does)\b)"
            r"|[老小阿][\u4e00-\u9fff]|(?:[^\u4e00-\u9fff]|^|[是给找叫问归由跟和])"
            f"[{''.join(sorted(surnames()))}]" r"[\u4e00-\u9fff]{1,2}"
            r"|[\u4e00-\u9fff](?:老师|师傅|医生|大夫|教练|主任|先生|女士|师兄|师姐|阿姨|叔|姨|姐"
            "|哥|婶|总|工)|姓|交给|归|接|换|自己|我"
        )),
        ("place", r"\b(?:in|at|to|on|by|near|opposite|behind|under|above|into|from|next to|with|via)\b|\b[a-z]?\d+\b|[在到去搬住回进来挪迁楼号区里上下旁边]"),
        ("number", rf"\d|\b(?:{_NUMERAL})\b|{_HAN_NUMERAL}"),
    )
}  # fmt: skip
"""Whether a sentence, in lower case unless a person is asked for, may tell a value of a type. Wide:
only what surely has none is told apart."""


def asks_for_state(cue: str) -> bool:
    """Whether a cue that names a time may ask for what held then, not for what happened."""
    return _asks("state then", cue) and not _asks("event then", cue)


@lru_cache(1 << 8)
def asked_type(cue: str) -> str:
    """The type of value that a cue asks for: "money", "time", "person", "place", "number", or ""."""
    return next((name for name, pattern in _ASKED_TYPES if pattern.search(cue)), "")


def value_told(cue: str) -> str:
    """An expression that meets what may tell a value of the type that a cue asks for; "" if it asks
    for none."""
    asked = asked_type(cue)
    if not asked:
        return ""
    pattern = _TYPES[asked].pattern
    return pattern if asked == "person" else f"(?i:{pattern})"


def may_tell_value(cue: str, text: str) -> bool:
    """Whether a text may tell a value of the type that a cue asks for; True if it asks for none."""
    asked = asked_type(cue)
    return not asked or _may_be(asked, text)


@lru_cache(1 << 14)
def _may_be(asked: str, text: str) -> bool:
    said = text if asked == "person" else text.lower()
    return _TYPES[asked].search(said) is not None


_REFERENCE: Final = late(
    r"\b(?:before|earlier than|prior to)\b(?P<after>.*)$|^(?P<ahead>.*?)(?:之前|以前|前(?=[，,是的]))",
    re.IGNORECASE | re.DOTALL,
)


@lru_cache(1 << 8)
def named_after(cue: str) -> frozenset[str]:
    """The index words of what a cue names as told after what it asks for: "before Erfurt"."""
    found = _REFERENCE.search(cue)
    return frozenset(words(found["after"] or found["ahead"] or "")) if found else frozenset()
