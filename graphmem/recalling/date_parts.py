"""What the parts of a written date mean: names and numbers of both languages, and readers that
make a period of what an expression has found.

The expressions are in `english_dates` and `chinese_dates`; the names of their groups are the parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import Final

from graphmem.recalling import holidays
from graphmem.recalling.period import DAY, Period, on_weekday, single_day, whole_months

Parts = Mapping[str, str]
Reader = Callable[[Parts, date], Period | None]
"""Takes the parts and the present; None if they name no period. Raises ValueError or OverflowError
for a day that does not exist."""
Rule = tuple[tuple[str, ...], re.Pattern[str], Reader]
"""A gate, an expression for text in lower case, and what reads its parts. A text in which the
expression is found holds one of the strings of the gate; of an empty gate, a character that is not
of ASCII."""

_LATELY: Final = 14  # days that "recently" means
MONTH_NAMES: Final = (
    "january february march april may june july august september october november december".split()
)
MONTHS: Final = [name[:3] for name in MONTH_NAMES]
SEASONS: Final = {
    "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12,
    "春": 3, "夏": 6, "秋": 9, "冬": 12,
}  # fmt: skip
WEEKDAY_NAMES: Final = "monday tuesday wednesday thursday friday saturday sunday".split()
WEEKDAYS: Final = [name[:3] for name in WEEKDAY_NAMES]
HAN_WEEKDAYS: Final = "一二三四五六日"
HAN_WEEKS: Final = ("周", "星期", "礼拜")
_HAN_DIGITS: Final = "〇一二三四五六七八九"
COUNTS: Final = {
    name: count
    for count, names in enumerate(
        "a an one the 一;two couple 二 两 俩;three few 三 几 several;four 四;five 五;six 六"
        ";seven 七;eight 八;nine 九;ten 十;eleven 十一;twelve 十二".split(";"),
        1,
    )
    for name in names.split()
}
ORDINALS: Final = {
    f"{tens}{name}".strip("-"): count
    for base, tens, names in (
        (0, "", "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
         "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"),
        (20, "twenty-", "first second third fourth fifth sixth seventh eighth ninth"),
        (20, "twenty ", "first second third fourth fifth sixth seventh eighth ninth"),
        (29, "", "thirtieth"),
        (30, "thirty-", "first"),
        (30, "thirty ", "first"),
    )
    for count, name in enumerate(names.split(), base + 1)
}  # fmt: skip
UNIT_DAYS: Final = {
    "day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365,
    "天": 1, "日": 1, "周": 7, "星期": 7, "礼拜": 7, "个月": 30, "月": 30, "年": 365,
}  # fmt: skip
DAYS_BACK: Final = {
    "the day before yesterday": 2, "yesterday": 1, "last night": 1, "today": 0, "tonight": 0,
    "this morning": 0, "this afternoon": 0, "this evening": 0,
    "the day after tomorrow": -2, "tomorrow": -1,
    "大前天": 3, "前天": 2, "前日": 2, "前晚": 2, "昨天": 1, "昨日": 1, "昨晚": 1, "昨夜": 1,
    "今天": 0, "今日": 0, "今早": 0, "今晚": 0, "大后天": -3, "后天": -2, "明天": -1, "明日": -1,
    "明早": -1, "明晚": -1,
}  # fmt: skip
SPELLS: Final = {
    "recently": (_LATELY, 0), "lately": (_LATELY, 0), "of late": (_LATELY, 0),
    "the other day": (7, 1), "a few days back": (7, 1),
    "最近": (_LATELY, 0), "近来": (_LATELY, 0), "近期": (_LATELY, 0), "近日": (7, 0),
    "这阵子": (_LATELY, 0), "这段时间": (_LATELY, 0), "这几天": (4, 0), "这两天": (2, 0),
    "前几天": (7, 1), "前些天": (10, 1), "前两天": (4, 1), "前阵子": (45, 7), "前段时间": (45, 7),
    "前一阵子": (45, 7), "前些日子": (45, 7), "前一段时间": (45, 7),
}  # fmt: skip
"""word → days back to its first and last day"""
_YEARS_BACK: Final = {
    "this": 0, "next": -1, "last year": 1, "this year": 0, "next year": -1,
    "今年": 0, "去年": 1, "前年": 2, "大前年": 3, "明年": -1, "后年": -2,
}  # fmt: skip
_BACK: Final = {
    "this": 0, "next": -1, "coming": -1, "这": 0, "本": 0, "上上": 2, "上": 1, "下": -1, "下下": -2,
}  # fmt: skip
_PARTS_OF_MONTH: Final = {
    "early": (1, 10), "beginning": (1, 7), "start": (1, 7), "mid": (11, 20), "middle": (11, 20),
    "late": (21, 31), "end": (21, 31),
    "初": (1, 7), "上旬": (1, 10), "中": (11, 20), "中旬": (11, 20), "下旬": (21, 31),
    "底": (21, 31), "末": (21, 31),
}  # fmt: skip
_DECADES: Final = {"fi": 50, "si": 60, "se": 70, "ei": 80, "ni": 90}
"""The first two letters of "the fifties" … "the nineties" → years since 1900."""
DAYS_OFF: Final = {
    "christmas": (1, 6), "easter": (2, 1), "new year": (1, 1), "春节": (1, 6), "过年": (1, 6),
    "国庆": (0, 6), "五一": (0, 4), "元旦": (0, 2), "中秋": (1, 1), "端午": (1, 1), "清明": (1, 1),
    "圣诞": (1, 1),
}  # fmt: skip
"""holidays → days off before their day and after it"""
_FEASTS: Final = {
    "christmas": "christmas day", "easter": "easter sunday", "new year": "new year's day",
    "过年": "春节",
}  # fmt: skip
_LAST_OF: Final = ("last", "final", "closing", "最后", "最末", "末")
YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
IN_MONTH: Final = r"(?:[12]\d|3[01]|0?[1-9])"
DIGITS: Final = tuple("0123456789")
HAN_NUMBER: Final = "一二两三四五六七八九十"
HAN_WEEK: Final = "(?:周|星期|礼拜)"


def either(names: Iterable[str], latin: bool) -> str:
    """An alternation of the names in one script, the longest first."""
    return "|".join(sorted((n for n in names if n.isascii() == latin), key=len, reverse=True))


def ordinal_ending(day: int) -> str:
    """What stands behind the figures of an English ordinal: "nd" of 22."""
    return "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def in_han(number: int) -> str:
    """A number from 1 to 31 in Han figures."""
    tens, ones = divmod(number, 10)
    ten = "" if not tens else "十" if tens == 1 else f"{_HAN_DIGITS[tens]}十"
    return ten + (_HAN_DIGITS[ones] if ones else "")


def number_of(text: str) -> int:
    """A number up to 99 in figures or words, more in figures. Raises ValueError for no number."""
    text = text.strip().replace("廿", "二十").replace("卅", "三十")
    if (plain := re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", text)).isdigit():
        return int(plain)
    if text in ORDINALS:
        return ORDINALS[text]
    if text in COUNTS:
        return COUNTS[text]
    if "十" not in text:
        raise ValueError(text)
    tens, _, ones = text.partition("十")
    return 10 * COUNTS.get(tens, 1) + COUNTS.get(ones, 0)


def weekday_of(text: str) -> int:
    """0 (Monday) to 6 for the name of a weekday, in Chinese for its last character.

    Raises ValueError for no weekday."""
    if text.isascii():
        return WEEKDAYS.index(text[:3])
    return HAN_WEEKDAYS.index(text[-1].replace("天", "日"))


def _part(whole: Period, part: str) -> Period:
    """The beginning, middle or end of a month; of a longer period, a quarter of it."""
    low, high = _PARTS_OF_MONTH[part]
    if whole.length <= 31:
        last = min(high, whole.last.day)
        return replace(whole, first=whole.first.replace(day=low), last=whole.last.replace(day=last))
    days = whole.length
    ends = (0, days // 6) if high <= 10 else (days // 3, 2 * days // 3)
    if low > 20:
        ends = (days - days // 6, days - 1)
    return replace(whole, first=whole.first + ends[0] * DAY, last=whole.first + ends[1] * DAY)


def _year(parts: Parts, month: int, today: date) -> int | None:
    """The year that is meant; None for any. The last of a month is the one before the present."""
    if "year" in parts:
        text = "".join(str(_HAN_DIGITS.find(c)) if c in _HAN_DIGITS else c
                       for c in parts["year"].replace("零", "〇").replace("○", "〇"))  # fmt: skip
        return int(text) + (2000 if len(text) == 2 else 0)
    which = parts.get("of") or parts.get("which", "")
    if which in ("last", "past", "previous"):
        return today.year - (month >= today.month)
    return today.year - _YEARS_BACK[which] if which in _YEARS_BACK else None


def read_calendar(parts: Parts, today: date) -> Period | None:
    """ "7 May 2023", "in May", "last June", "5月3日", "去年五月", "3–5 May"."""
    name, day = parts["month"], parts.get("day") or parts.get("day_after") or parts.get("bare_day")
    known = day or {"year", "of", "which", "lead", "part", "capital", "own"} & parts.keys()
    if name in ("may", "mar", "march") and not known:
        return None  # a verb
    month = MONTHS.index(name[:3]) + 1 if name[:3] in MONTHS else number_of(name)
    whole = whole_months(_year(parts, month, today), month)
    if day is None:
        return _part(whole, parts["part"]) if "part" in parts else whole
    at = whole.first.replace(day=number_of(day))
    until = whole.first.replace(day=number_of(parts["until"])) if "until" in parts else at
    return Period(at, until, whole.yearly) if at <= until else None


def read_within_month(parts: Parts, today: date) -> Period | None:
    """ "the last three days of July", "the second week of May", "the first Monday in June",
    五月头三天, 九月最后一个周末. Weekdays without a year are those of the last such month."""
    name, end, unit = parts.get("month"), parts["end"], parts["unit"].removeprefix("个")
    if name is None:  # "the first week of this month"
        whole = read_relative({"unit": "month", "which": parts["which"]}, today)
    else:
        month = MONTHS.index(name[:3]) + 1 if name[:3] in MONTHS else number_of(name)
        whole = whole_months(_year(parts, month, today), month)
    is_last, count = end in _LAST_OF, number_of(parts.get("count", "one"))
    if whole.yearly and ((is_last and month == 2) or unit not in UNIT_DAYS):
        whole = whole_months(
            whole.latest(today).year, whole.first.month
        )  # its days differ by the year
    place = ORDINALS.get(end, 1)  # the second week
    if end == "第":
        place, count = count, 1
    if unit in UNIT_DAYS:
        size = UNIT_DAYS[unit]
        start = whole.length - size * count if is_last else size * (place - 1)
        first = whole.first + start * DAY
        last = first + (size * count - 1) * DAY
        return replace(whole, first=first, last=last) if start >= 0 and last <= whole.last else None
    is_weekend = unit in ("weekend", "周末")
    wanted = 5 if is_weekend else weekday_of(unit)
    fitting = [day for day in whole.days(today, 31) if day.weekday() == wanted]
    if place > len(fitting):
        return None
    day = fitting[-1 if is_last else place - 1]
    return Period(day, day + DAY) if is_weekend else single_day(day)


def read_figures(parts: Parts, today: date) -> Period | None:
    """ "28.04.2026", "4/28/2026", "4/28": the day first with points, the month with strokes, if the
    figures allow it and the weekday beside them does not say otherwise."""
    first, second = int(parts["one"]), int(parts["two"])
    if "year" not in parts and (first > 12) == (second > 12):
        return None  # either may be the month
    day_first = parts.get("mark") != "/"
    if first > 12 or second > 12:
        day_first = first > 12
    month, day = (second, first) if day_first else (first, second)
    whole = whole_months(int(parts["year"]) if "year" in parts else None, month)
    at = whole.first.replace(day=day)
    weekday = parts.get("fits") or parts.get("fits_after")
    if weekday is not None and first <= 12 and second <= 12:
        other = date(at.year, day, month)
        if at.weekday() != weekday_of(weekday) == other.weekday():
            at = other
    return Period(at, at, whole.yearly)


def read_of_month(parts: Parts, today: date) -> Period | None:
    """ "on the 28th", "28号", "上个月28号", "月底": of this month, or the last one that had it by
    now."""
    month = today.year * 12 + today.month - 1
    if (which := parts.get("which")) is not None:
        month -= _BACK.get(which, 1)
    whole = whole_months(month // 12, month % 12 + 1)
    while True:
        if "part" in parts:
            found = _part(whole, parts["part"])
        else:
            day, until = number_of(parts["day"]), number_of(parts.get("until", parts["day"]))
            if not 1 <= day <= until <= 31:
                return None
            if until > whole.last.day and which is None:
                month -= 1
                whole = whole_months(month // 12, month % 12 + 1)
                continue
            found = Period(whole.first.replace(day=day), whole.first.replace(day=until))
        if which is not None or found.first <= today:
            return found
        month -= 1
        whole = whole_months(month // 12, month % 12 + 1)


def read_weekday_of_month(parts: Parts, today: date) -> Period | None:
    """ "Monday the 22nd": the last that was one."""
    day = read_of_month(parts, today)
    return day and on_weekday(day, weekday_of(parts["fits"]))


def read_holiday(parts: Parts, today: date) -> Period:
    """ "Boxing Day", "the day after Easter Monday", 除夕, 元旦前一天, 国庆头三天: without a year
    the last one that has begun."""
    name = (parts.get("feast_day") or parts["feast"]).replace("’", "'")
    if name not in holidays.NAMES:
        name = f"{name} day" if name.isascii() else name.removesuffix("夜")
    beside = parts.get("beside", "")
    is_before = "before" in beside or beside.startswith("前")
    away = 0 if not beside else -1 if is_before else 1
    first = _feast(name, away, parts, today)
    return Period(first, first + (number_of(parts.get("count", "one")) - 1) * DAY)


def read_season(parts: Parts, today: date) -> Period:
    """ "last summer", 去年夏天."""
    month = SEASONS[parts["season"]]
    return whole_months(_year(parts, month, today), month, 3)


def read_whole_year(parts: Parts, today: date) -> Period:
    """ "in 2023", "early last year", 明年初."""
    whole = whole_months(_year(parts, 1, today), 1, 12)
    return _part(whole, parts["part"]) if "part" in parts else whole


def read_quarter(parts: Parts, today: date) -> Period:
    """ "the third quarter", "Q3 2025", "the first half of 2025", 第三季度, 去年下半年."""
    half = parts.get("half")
    months = 3 if half is None else 6
    place = number_of({"上": "1", "下": "2"}.get(half or "", half or parts["quarter"]))
    month = months * (place - 1) + 1
    return whole_months(_year(parts, month, today), month, months)


def read_short_year(parts: Parts, today: date) -> Period:
    """ "in '98": of the last hundred years, the next one included."""
    year = today.year // 100 * 100 + int(parts["short"])
    return whole_months(year if year <= today.year + 1 else year - 100, 1, 12)


def read_decade(parts: Parts, today: date) -> Period:
    """ "the 1990s", "the nineties", 九十年代."""
    name = parts["decade"]
    tens = _DECADES.get(name[:2]) or number_of(name)
    first = tens if tens > 99 else 1900 + tens
    return Period(date(first, 1, 1), date(first + 9, 12, 31))


def read_days_off(parts: Parts, today: date) -> Period:
    """ "over Easter 2025", "at Christmas", 国庆期间, 前年春节: the days that people have off."""
    name = parts["feast"]
    before, after = DAYS_OFF[name]
    first = _feast(_FEASTS.get(name, name), -before, parts, today)
    return Period(first, first + (before + after) * DAY)


def _feast(name: str, away: int, parts: Parts, today: date) -> date:
    """The day that is `away` days from a holiday; without a year the last one that has come."""
    year = _year(parts, 1, today) if {"year", "of", "which"} & parts.keys() else None
    day = holidays.day(name, year or today.year) + away * DAY
    return day if year or day <= today else holidays.day(name, today.year - 1) + away * DAY


def read_ago(parts: Parts, today: date) -> Period:
    """ "three days ago" is a day; weeks, months and years are as vague as they are long."""
    unit, count = UNIT_DAYS[parts["unit"]], parts["count"]
    days = unit // 2 if count in ("半", "half a") else number_of(count) * unit
    at = today - days * DAY
    if "fits" in parts and unit == 7:  # "two weeks ago on Tuesday"
        return single_day(at + (weekday_of(parts["fits"]) - at.weekday()) * DAY)
    vague = (2 if unit == 1 and count in ("few", "several", "几") else min(unit, days) // 2) * DAY
    return Period(at - vague, at + vague)


def read_year_ago(parts: Parts, today: date) -> Period:
    """ "a year ago today", 去年今天. Raises ValueError on 29 February."""
    return single_day(today.replace(year=today.year - 1))


def read_half_more(parts: Parts, today: date) -> Period:
    """ "a year and a half ago", "two and a half months ago", 一年半前."""
    unit = UNIT_DAYS[parts.get("unit") or parts["units"]]
    at = today - (number_of(parts["count"]) * unit + unit // 2) * DAY
    return Period(at - unit // 4 * DAY, at + unit // 4 * DAY)


def read_years(parts: Parts, today: date) -> Period | None:
    """ "2019-2021", 2019到2021年."""
    first, last = int(parts["year"]), int(parts["until"])
    return Period(date(first, 1, 1), date(last, 12, 31)) if first < last else None


def read_rolling(parts: Parts, today: date) -> Period:
    """ "the last three weeks", "过去两周": up to the present."""
    count = parts.get("count", "one")
    unit = UNIT_DAYS[parts["unit"]]
    days = unit // 2 if count in ("半", "half") else number_of(count) * unit
    if unit == 1 and count in ("few", "several", "几"):
        days = 7
    return Period(today - days * DAY, today)


def read_relative(parts: Parts, today: date) -> Period:
    """ "last week", "this month", "last Tuesday", "上上周三", "next week"."""
    unit, back = parts.get("unit", "week"), _BACK.get(parts["which"], 1)
    if "twice" in parts:  # "the week before last"
        back = 2
    if unit == "year":
        return whole_months(today.year - back, 1, 12)
    if unit in ("month", "月"):
        month = today.year * 12 + today.month - 1 - back
        return whole_months(month // 12, month % 12 + 1)
    if unit in ("quarter", "季度"):
        quarter = today.year * 4 + (today.month - 1) // 3 - back
        return whole_months(quarter // 4, quarter % 4 * 3 + 1, 3)
    if unit[:3] in WEEKDAYS and back == 1:  # the last one before today, in whichever week
        return single_day(today - ((today.weekday() - weekday_of(unit) - 1) % 7 + 1) * DAY)
    monday = today - (today.weekday() + 7 * back) * DAY
    if unit == "week":
        return Period(monday, monday + 6 * DAY)
    if unit in ("weekend", "末"):
        return Period(monday + 5 * DAY, monday + 6 * DAY)
    return single_day(monday + weekday_of(unit) * DAY)


def read_bare_weekday(parts: Parts, today: date) -> Period | None:
    """ "on Monday", "周三": the last one before today."""
    if "every" in parts:
        return None
    back = (today.weekday() - weekday_of(parts["weekday"]) - 1) % 7 + 1
    return single_day(today - back * DAY)


def read_bare_weekend(parts: Parts, today: date) -> Period:
    """ "at the weekend", "周末": the last that has begun."""
    back = (today.weekday() - 5) % 7
    return Period(saturday := today - back * DAY, saturday + DAY)


def read_named(parts: Parts, today: date) -> Period:
    """ "yesterday", "last night", 前天."""
    return single_day(today - DAYS_BACK[parts["word"]] * DAY)


def read_spell(parts: Parts, today: date) -> Period:
    """ "recently", "the other day", 前几天."""
    first, last = SPELLS[parts["word"]]
    return Period(today - first * DAY, today - last * DAY)
