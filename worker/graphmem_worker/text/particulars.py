"""Particulars: a day, number, size or name that belongs to somebody and is told once.

"Dad was born on 3 November 1951.", "The dog's chip number ends in 882.", 我的工号是20417。 Nobody
asks for them for years, so neither use nor the rarity of their words tells their worth. English and
Chinese; every gap is bounded.
"""

from __future__ import annotations

import re
from typing import Final

from graphmem_worker.text.patterns import late

_LONGEST: Final = 200  # characters that are read
_OWNER: Final = (
    r"(?:my|our|the \w+ (?:at|of|for)(?: the)? \w+|(?:(?:my|our|the|his|her) )?\w+(?: \w+)?['’]s)"
)
_MONTH: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_ENGLISH: Final = late(
    rf"^\W*{_OWNER}\s+(?:[\w'’-]+\s+){{0,5}}?(?:is|are|was|were|ends?|begins|starts|expires)\b"
    r"(?! (?:so|very|really|too|a|an|not|been|going)\b)"
    rf"[^.?!]{{0,60}}?(?:\d|\b{_MONTH}\b|\b(?:positive|negative)\b)"
    rf"|^\W*{_OWNER}\s+(?:[\w'’-]+\s+){{1,4}}?(?:is|are)\s+(?:called |named )?(?-i:[A-Z]\w+)"
    r"|\b(?:was|were|is) born (?:on|in)\b|\bI (?:wear|take) (?:a )?size \d",
    re.IGNORECASE,
)
_VALUE: Final = "[\\dA-Z一二三四五六七八九十零〇]"
_CHINESE: Final = late(
    "(?:生日|护照|身份证|工号|学号|号码|尾号|编号|卡号|血型|地址|门牌|名字|鞋码|尺码|姓名|纪念日)"
    f"[^，。？！]{{0,20}}?{_VALUE}"
    "|(?:我|他|她)的?[\u4e00-\u9fff]{1,4}(?:叫|姓)[\u4e00-\u9fff]{1,4}(?:[，。]|$)"
    "|住在?[^，。？！]{2,12}[\\d一二三四五六七八九十]+[号弄栋幢]"
    "|穿\\d+码的?|出生于|[年月日号][^，。]{0,6}出生"
)


def is_particular(sentence: str) -> bool:
    """Whether a sentence tells a day, number, size or name of somebody. A question does not."""
    said = sentence[:_LONGEST].strip()
    if said.endswith(("?", "？", "吗", "吗。")):
        return False
    return bool(_ENGLISH.search(said) or _CHINESE.search(said))
