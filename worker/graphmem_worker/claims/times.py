# ruff: noqa: E501 (a pattern is read best in one line)
"""Dates, weekdays, clock times and floors, and the words of schedules."""

from __future__ import annotations

import re
from typing import Final

from graphmem_worker.claims.numbers import WORDED
from graphmem_worker.text.gates import Gated
from graphmem_worker.text.patterns import late

MONTHS: Final = {
    m: i for i, m in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)
}

MONTH: Final = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"

DATE: Final = Gated(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({MONTH})\b\.?|\b({MONTH})\.? (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?\b|\d{{4}}-(\d\d)-(\d\d)"
    r"|([一二三四五六七八九十\d]{1,3})月初?([一二三四五六七八九十\d]{1,3})[号日]?",
    "0 1 2 3 4 5 6 7 8 9 月",
)

WEEKDAY: Final = Gated(
    r"\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:周|星期|礼拜)([一二三四五六日天])",
    "mon tues wednes thurs fri satur sun 周 星期 礼拜",
)

HAN_WEEK: Final = dict(
    zip("一二三四五六日天", "mon tues wednes thurs fri satur sun sun".split(), strict=True)
)

CLOCK: Final = Gated(
    rf"\b(?:at|to|from|until|by|after|before|around)\s(half past |quarter past |quarter to )?({WORDED}|\d{{1,2}})(?:[:.](\d\d))?(?:\s?([ap])\.?m\b\.?|\so'clock)?(?!\s?(?:%|st\b|nd\b|rd\b|th\b|percent|euros?|dollars?|degrees?|minutes?|hours?|days?|weeks?|months?|years?|{MONTH}\b|hundred|thousand|million|[a-z]{{2,14}}s\b|\d|[.,]\d))"
    r"|(?<![\d:])(\d{1,2}):(\d\d)(?![\d:])(?:\s?([ap])\.?m\b)?|\b(\d{1,2})\s?([ap])\.?m\b"
    r"|(上午|下午|晚上|早上|中午|凌晨)?([一二三四五六七八九十两]{1,3}|\d{1,2})点(?:钟|整)?(半|一刻|三刻|[一二三四五]?十[一二三四五六七八九]?分?|\d{1,2}分?)?(?!左右过)",
    "0 1 2 3 4 5 6 7 8 9 twenty thirty forty fifty sixty seventy eighty ninety zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen 点",
)

HALF: Final = Gated(
    rf"\b(half past|quarter past|quarter to)\s({WORDED}|\d{{1,2}})\b",
    "half quarter",
)

FLOOR: Final = Gated(
    r"\b(ground|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,2}(?:st|nd|rd|th))\s(?:floor|storey)\b|\bfloor (\d{1,2})\b|(负?[一二三四五六七八九十\d]{1,3})楼",
    "floor storey 楼",
)

SCHEDULED: Final = late(
    r"\b(?:is|are|was|were|will be|be|moved|moves|postponed|pushed|rescheduled|shifted|brought forward|delayed|starts?|begins?|ends?|launch\w{0,4}|releas\w{1,3}|due|deadline|opens?|closes?|ships?|arriv\w{1,3}|deliver\w{0,3}|signed|scheduled|set|planned|booked|takes place|happens?|deploy\w{0,3}|meets?|have|has|do|does|runs?|on|at|wants?|check-?in|check-?out|goes|go|backups?|joins?|leaves|go live|goes live|expires?|takes|gets|get|slipped|slips|slid|extended|falls|drops off|picks up|collected|cleans?)\b"
    r"|定在|改到|改成|推到|顺延|调到|开门|跑|封版|接班|浇|推迟|提前|报到|截止|上线|发布|交付|开始|到期|发版|开会|例会|晨会|周会|评审|签|验收|安排|约|手术|出发|时刻|是(?=.{0,5}[点:：])|闭馆|开门|关门|休息|营业|上课|值班|为止|续到|有效|截至|搬|交房|入职|启动|挪到|开|考试|婚礼|预约|复查|面试|每|休|送|收|课|班",
    re.I,
)

CALENDAR: Final = late(
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)(?: .{0,9})?|[a-z]{2,9}days?"
)
