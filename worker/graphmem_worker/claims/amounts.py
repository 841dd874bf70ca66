# ruff: noqa: E501 (a pattern is read best in one line)
"""Amounts with their units, prices, rates and numbered settings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graphmem_worker.claims.numbers import NUMERAL_PATTERN, WORDED
from graphmem_worker.text.patterns import late

_UNITS: Final[dict[str, str]] = {
    "minute": r"minutes?\b|mins?\b|分钟", "second": r"seconds?\b|secs?\b|秒钟?|s\b", "hour": r"hours?\b|hrs?\b|个?小时|h\b",
    "day": r"days?\b|天(?!气)", "week": r"weeks?\b|个?星期(?![一二三四五六日天])|周(?![一二三四五六日末会])", "month": r"months?\b|个月", "year": r"years?\b|年(?!代|级|纪|轻|底|初|会)",
    "money": r"euros?\b|dollars?\b|pounds?\b|francs?\b|kron(?:er|or)\b|yen\b|zloty\b|chf\b|usd\b|eur\b|€|元|欧元?|块钱?|万元|k\b",
    "degree": r"degrees?\b|℃|°\s?C?|度(?!假|过)", "percent": r"percent\b|%|％|个百分点",
    "mass": r"kg\b|kilos?\b|grams?\b|g\b|公斤|斤|克", "dose": r"mg\b|milligrams?\b|ml\b|毫克|毫升|片|粒|units?\b(?= of insulin)",
    "length": r"km\b|kilomet\w{2,4}\b|met(?:er|re)s?\b|cm\b|mm\b|公里|米(?!饭|粉)|厘米|毫米|square met\w{2,4}|平米|平方米",
    "bytes": r"[kmgt]i?b\b|bytes?\b|兆",
    "volt": r"volts?\b|v\b|伏", "people": r"people\b|persons?\b|seats?\b|members?\b|engineers?\b|developers?\b|staff\b|个?人\b|位(?:同事|工程师|成员)|人",
    "piece": r"(?:logg|sens|prob|batter|licen[cs]|serv|devic|nod|ticket|box|copi|unit|board|instanc|replica|work|gateway|chair|approval|review|table|room|cop|litre|liter|page|row|line|slot|spot|bed|chapter|lesson|class|student|guest|patient|customer|user|request|connection|thread|shard|partition|core|processor|desk|bottle|plant|hen|cow|tree|lamp|bulb|step|point|level)[a-z]{0,5}\b|升(?![到级至])|页|行|节|级|档|桶|瓶|棵|盏|辆|条|门|户|支|套|台|只|个(?!月|小时|星期|人)|份|本|张|块(?!钱)|箱|间",
    "time": r"times?\b|retries\b|attempts?\b|次|遍",
}  # fmt: skip

_AMOUNTS: Final = tuple(
    (
        unit,
        late(
            rf"(?<![A-Za-z\d.,:/-])({NUMERAL_PATTERN})(?:\s|-)?(?:[a-z]{{2,12}}\s)?(?:{words})",
            re.I,
        ),
    )
    for unit, words in _UNITS.items()
)

_NUMERAL: Final = late(rf"\d|\b(?:{WORDED})\b|[一二两三四五六七八九十百千万半]", re.I)

FIGURE: Final = late(r"[\d零一二两三四五六七八九十百千万半]")
"""What a text with an amount holds, unless its numeral is a word in English, …"""
NUMERALS: Final = frozenset(WORDED.split("|"))
"""… one of these."""
_NUMERAL_START: Final = late(
    rf"(?<![A-Za-z\d.,:/-])(?:\d|[零一二两三四五六七八九十百千万半]|{WORDED})", re.I
)


def amounts(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """The amounts of a text, unit by unit in the order of `_UNITS`; what one unit takes may be
    taken by another one too."""
    if _NUMERAL.search(text) is None:
        return
    # Each amount begins with its numeral: so only there a unit is looked for.
    starts = [found.start() for found in _NUMERAL_START.finditer(text)]
    for unit, pattern in _AMOUNTS:
        end = 0
        for start in starts:
            if start >= end and (found := pattern.match(text, start)) is not None:
                yield unit, found
                end = found.end()


PRICE: Final = late(r"[$€£¥￥]\s?(\d{1,9}(?:,\d{3}){0,3}(?:\.\d{1,2})?)(k?)")

HAN_RATE: Final = late(
    r"每个?(月|年|天|周|支|套|台|份|本|张|人|次|小时)(?:大概|要|是|为|都是)?(\d{2,7}|[一二两三四五六七八九十百千万零]{2,8})(?=[。，！；]|$|元|块)"
)

RATE: Final = late(
    r"\b(apiece|each|per [a-z]{2,12}|a (?:piece|month|week|day|year|night|unit|head|hour)|an hour|monthly|weekly|yearly|annually)\b|每[支套台只个份本张人天月周年次晚小时件间箱]|一[支套台个份本张件](?=\d)|月租|年费|单价",
    re.I,
)

SETTING: Final = late(
    r"\b(port|limit|timeout|threshold|budget|quota|room|extension|gate|platform|desk)(?: (?:is|was|number|moved to|changed to|set to|raised to|lowered to|now|at|to|of)){0,3} (\d{1,7}(?:\.\d{1,3})?)\b(?!\s?(?:%|[a-z]{2,}))|(?:端口|上限|阈值|房间|会议室|工位|分机|预算)号?(?:现在)?(?:是|为|改成了?|改为|换成了?|换到了?|调到了?|：|:)?\s?(\d{1,7})(?![\d.]*[年月号日点%℃元])|(?:监听|listen\w{0,3} on)\s?(?:port )?(\d{2,5})",
    re.I,
)

_UNIT_AFTER: Final = late(
    r"\s?(?:st|nd|rd|th|%|percent|minutes?|mins?|days?|hours?|euros?|dollars?|months?|years?|weeks?|degrees?|times|people|km|kg|k\b|[ap]m\b|o'clock|loggers?|sensors?|units?|widgets?|pages?|个|支|台|年|月|元|天|分|号|楼|次|点|人|度|岁|℃|块|位|条|份|张|本|套|片)",
    re.I,
)


def is_followed_by_unit(text: str, at: int) -> bool:
    return _UNIT_AFTER.match(text, at) is not None


def rate_of(words: str) -> str:
    low = words.lower()
    for unit, marks in (
        ("month", "month 月"),
        ("year", "year annu 年"),
        ("week", "week 周"),
        ("day", "day night 天 晚"),
        ("hour", "hour 小时"),
        ("piece", "apiece each piece unit head per 支 套 台 只 个 份 本 张 人 次 件 间 箱 价 一"),
    ):
        if any(mark in low for mark in marks.split()):
            return unit
    return low
