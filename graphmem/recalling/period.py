"""Periods: the days that a text speaks of ("last May", "on 7 May 2023", "since Monday", "上周三").

A grammar over dates, months, weekdays and seasons, in English and Chinese. What is relative counts
from the present; a day, month or season without a year is that of any year. Seasons are the
northern ones. A bare weekday is the last one before the present; "before", "since" and their like
make a period open at one end.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final, NamedTuple

from graphmem.recalling import holidays
from graphmem_worker.text.gates import holds
from graphmem_worker.text.patterns import late

_LONGEST: Final = 2_000  # characters of a text that are looked through
_ANY_YEAR: Final = 2000  # stands for every year: it has a 29 February
_ANY_YEAR_DAYS: Final = 366
_WEEKDAY_MONTHS: Final = 20  # within which each day of a month falls on each weekday
_DAY: Final = timedelta(days=1)
_LATELY: Final = 14  # days that "recently" means
_Parts = Mapping[str, str]
_Reader = Callable[[_Parts, date], "Period | None"]


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `first` to `last`, both inclusive; a `yearly` one, written as of 2000, of any year.

    A yearly one may run into the next year.
    """

    first: date
    last: date
    yearly: bool = False

    def __contains__(self, day: date) -> bool:
        if not self.yearly:
            return self.first <= day <= self.last
        begun = (day.replace(year=_ANY_YEAR) - self.first).days % _ANY_YEAR_DAYS
        return begun <= (self.last - self.first).days

    @property
    def length(self) -> int:
        """How many days it has."""
        return (self.last - self.first).days + 1

    def days(self, today: date, most: int) -> list[date]:
        """Its days, of a yearly one the last that began before `today`; none if more than `most`.

        Days beyond the years 1 to 9999 are left out.
        """
        return self.newest(today, most) if self.length <= most else []

    def newest(self, today: date, most: int) -> list[date]:
        """The last `most` of its days up to `today`, ascending; of a yearly one those of the year
        in which it last began. A period that begins after `today` is taken from its beginning."""
        first = self.first.toordinal()
        if self.yearly:
            first = self.latest(today).toordinal()
        last = min(first + self.length - 1, date.max.toordinal())
        if first <= today.toordinal() < last and last - first >= most:
            last = today.toordinal()
        return [date.fromordinal(n) for n in range(max(1, first, last - most + 1), last + 1)]

    def latest(self, today: date) -> date:
        """The first day; of a yearly period, in the year in which it last began."""
        if not self.yearly:
            return self.first
        month, day = self.first.month, self.first.day
        year = today.year - ((month, day) > (today.month, today.day))
        while day > monthrange(year, month)[1]:  # 29 February: the last leap year
            year -= 1
        return date(year, month, day)

    def dated(self, today: date) -> Period:
        """The same with a year: a yearly one as it last began."""
        if not self.yearly:
            return self
        first = self.latest(today)
        return Period(first, min(date.max, first + (self.length - 1) * _DAY))


class Mention(NamedTuple):
    """A place in a text that names a period."""

    period: Period
    start: int  # in characters
    stop: int
    weekday: int | None = None  # 0–6 for a bare weekday, which may also mean every one
    is_vague: bool = False  # "recently" and its like, which mean little beside a date
    name: str | None = None  # of a holiday

    @property
    def forms(self) -> list[str]:
        """How a text may write the same day, month or weekday; none for a vaguer period.

        A text that holds all index words of one of them may speak of the period.
        """
        if self.weekday is not None:
            name = _WEEKDAY_NAMES[self.weekday]
            written = _HAN_WEEKDAYS[self.weekday]
            return [name, name[:3], *(f"{week}{written}" for week in _HAN_WEEKS)]
        first, last = self.period.first, self.period.last
        if first == last:
            name, number = _MONTH_NAMES[first.month - 1], _han(first.month)
            day, ordinal = first.day, f"{first.day}{_ending(first.day)}"
            spoken = [f"{n} {d}" for n in (name, name[:3]) for d in (day, ordinal)]
            han = [f"{first.month}月{day}日", f"{number}月{_han(day)}"]
            own = [] if self.name is None else [self.name]
            return [*spoken, *han, *own, *([] if self.period.yearly else [first.isoformat()])]
        if self.name is not None:
            return [self.name]
        year = None if self.period.yearly else first.year
        for count in (1, 3, 6):  # a month, a quarter, a half
            if self.period == _months(year, first.month, count):
                months = range(first.month, first.month + count)
                return [form for month in months for form in _forms_of_month((month - 1) % 12 + 1)]
        if self.period == _months(first.year, 1, 12):
            return [str(first.year)]
        return []


def _forms_of_month(month: int) -> list[str]:
    name = _MONTH_NAMES[month - 1]
    return [name, name[:3], f"{month}月", f"{_han(month)}月"]


def periods(text: str, today: date) -> list[Period]:
    """The periods that a text names, each once.

    `today` is what "yesterday" and "last May" count from. Never raises for a `str`.
    """
    return list(dict.fromkeys(mention.period for mention in mentions(text, today)))


def mentions(text: str, today: date) -> list[Mention]:
    """Where a text names which periods, in its order. See `periods`."""
    written = text[:_LONGEST]
    folded = _folded(written)
    if _HINT.search(folded) is None:
        return []
    found: list[Mention] = []
    monthless: set[int] = set()  # where a day stands without its month
    left = folded
    is_latin = folded.isascii()
    for gate, pattern, read in _GRAMMAR:
        if not holds(folded, gate) if gate else is_latin:
            continue
        for match in pattern.finditer(left):
            parts = {name: part for name, part in match.groupdict().items() if part}
            start, stop = match.span("at") if "at" in parts else match.span()
            if written[start].isupper() and not _OPENING.search(written[:start]):
                parts["capital"] = written[start]
            try:
                period = read(parts, today)
            except (ValueError, OverflowError):  # 31 June, 9,999 years ago
                period = None
            if period is not None:
                bare = parts.get("weekday")
                day = None if bare is None else _weekday(bare)
                feast = parts.get("feast_day") or parts.get("feast")
                if (period.length > 1 and read is not _holidays) or "beside" in parts:
                    feast = None
                found.append(Mention(period, start, stop, day, read is _spell, feast))
                if read is _of_month and "which" not in parts and "part" not in parts:
                    monthless.add(start)
            # The year of a date must not be read once more as a year.
            left = left[:start] + "|" * (stop - start) + left[stop:]
    found.sort(key=lambda mention: mention.start)
    found = [m for m in found if not m.is_vague] or found
    joined = _joined(folded, _placed(folded, found, monthless))
    whole: list[Mention] = []
    for mention in joined:
        if not whole or mention.start >= whole[-1].stop:  # the week of a day is no other period
            whole.append(_around(folded, mention, today))
    return [_bounded(folded, mention, today) for mention in whole]


def without(text: str, named: Iterable[Mention]) -> str:
    """A text without the words that name periods, and without the prepositions before them."""
    kept, at = "", 0
    for mention in named:
        if mention.start < at:
            continue
        kept += _LEADING.sub(" ", text[at : mention.start])
        trailing = _TRAILING.match(text, mention.stop)
        at = mention.stop if trailing is None else trailing.end()
        kept += " "
    return (kept + text[at:]).strip()


def _folded(text: str) -> str:
    """A text in lower case, at the same length."""
    plain = text.translate(_WIDE)
    lowered = plain.lower()
    if len(lowered) == len(plain):
        return lowered
    return "".join(low if len(low := sign.lower()) == 1 else sign for sign in plain)


def _placed(text: str, found: Sequence[Mention], monthless: Set[int]) -> list[Mention]:
    """Days without a month are of the month that the text names before them ("in March, on the
    29th", "五月中旬,13号"), which then says no more than they do; and a weekday right before a day
    is that day's.

    monthless: where the days without a month begin.
    """
    kept: list[Mention] = []
    for mention in found:
        period, start = mention.period, mention.start
        if start in monthless:
            place = next((k for k in range(len(kept) - 1, -1, -1) if _is_of_month(kept[k])), None)
            if place is not None:
                period = _moved(period, kept[place].period)
                kept[place] = kept[place]._replace(period=period)
        before = kept[-1] if kept else None
        if (
            before is not None
            and before.weekday is not None
            and period.first == period.last
            and _BESIDE.fullmatch(text, before.stop, start)
        ):
            start = kept.pop().start
            if mention.start in monthless:
                period = _on_weekday(period, before.weekday)
        kept.append(mention._replace(period=period, start=start))
    return kept


def _on_weekday(day: Period, weekday: int) -> Period:
    """The last day up to `day` that has its number in the month and is that weekday; `day` if there
    is none."""
    month = day.first.year * 12 + day.first.month - 1
    for back in range(_WEEKDAY_MONTHS):
        year, place = divmod(month - back, 12)
        if day.first.day <= monthrange(year, place + 1)[1]:
            at = date(year, place + 1, day.first.day)
            if at.weekday() == weekday:
                return _single(at)
    return day


def _is_of_month(mention: Mention) -> bool:
    first, last = mention.period.first, mention.period.last
    return (first.year, first.month) == (last.year, last.month) and first != last


def _moved(days: Period, month: Period) -> Period:
    """The same days of another month; the month if it has none such."""
    try:
        first = month.first.replace(day=days.first.day)
        last = month.first.replace(day=days.last.day)
    except ValueError:
        return month
    return Period(first, last, month.yearly) if first <= last else month


def _joined(text: str, found: Sequence[Mention]) -> list[Mention]:
    """Two periods with "to" between them are one."""
    joined: list[Mention] = []
    for mention in found:
        before = joined[-1] if joined else None
        if before is not None:
            between = text[before.stop : mention.start]
            lead = text[: before.start]
            if _TO.fullmatch(between) or (_AND.fullmatch(between) and _BETWEEN.search(lead)):
                period = _spanned(before.period, mention.period)
                if period is not None:
                    joined[-1] = Mention(period, before.start, mention.stop)
                    continue
        joined.append(mention)
    return joined


def _spanned(first: Period, last: Period) -> Period | None:
    """From the first day of one to the last day of the other; None if that lies before."""
    if first.yearly and last.yearly:
        end = last.last
        if end < first.first:
            end = end + _ANY_YEAR_DAYS * _DAY
        return Period(first.first, end, True)
    if first.yearly:
        year = last.first.year - (first.first.replace(year=last.first.year) > last.first)
        first = replace(first, first=first.first.replace(year=year), yearly=False)
    if last.yearly:
        end = last.last.replace(year=first.first.year)
        last = Period(end, end if end >= first.first else end.replace(year=end.year + 1))
    return Period(first.first, last.last) if first.first <= last.last else None


def _around(text: str, mention: Mention, today: date) -> Mention:
    """The week or weekend of a day, where the text asks for that: "the week of 18 May",
    五月十八号那个周末."""
    period = mention.period
    if period.first != period.last:
        return mention
    before, after = _WEEK_OF.search(text[: mention.start]), _HAN_WEEK_OF.match(text, mention.stop)
    found = before or after
    if found is None:
        return mention
    day = period.latest(today)
    if found["begins"]:
        whole = Period(day, day + 6 * _DAY)
    else:
        monday = day - day.weekday() * _DAY
        whole = Period(monday + (5 if found["weekend"] else 0) * _DAY, monday + 6 * _DAY)
    start = before.start() if before else mention.start
    return Mention(whole, start, after.end() if after else mention.stop)


def _bounded(text: str, mention: Mention, today: date) -> Mention:
    """A period with "before", "since" or their like beside it is open at one end."""
    period = mention.period.dated(today)
    before, after = _BOUND.search(text[: mention.start]), _HAN_BOUND.match(text, mention.stop)
    word = (before["bound"] or before["han"]) if before else ""
    start = before.start() if before else mention.start
    if after is None and word == "from":
        after = _ONWARDS.match(text, mention.stop)
        word = "since" if after else ""
        start = mention.start if after is None else start
    elif after is not None:
        word = next((name for name, part in after.groupdict().items() if part), "")
    if word in ("before", "prior to"):
        bounds = date.min, period.first - _DAY if period.first > date.min else period.first
    elif word in ("until", "till", "up to", "截至", "截止到", "直到"):
        bounds = date.min, period.last
    elif word in ("since", "ever since", "自从", "自") and period.first <= today:
        bounds = period.first, today
    elif word == "after" and period.last < today:
        bounds = period.last + _DAY, today
    elif word == "around":
        bounds = period.first - 3 * _DAY, period.last + 3 * _DAY
    else:
        return mention
    stop = mention.stop if after is None else after.end()
    return Mention(Period(*bounds), start, stop)


# -- what the parts of a match mean ---------------------------------------------------------------

_MONTH_NAMES: Final = (
    "january february march april may june july august september october november december".split()
)
_MONTHS: Final = [name[:3] for name in _MONTH_NAMES]
_SEASONS: Final = {
    "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12,
    "春": 3, "夏": 6, "秋": 9, "冬": 12,
}  # fmt: skip
_WEEKDAY_NAMES: Final = "monday tuesday wednesday thursday friday saturday sunday".split()
_WEEKDAYS: Final = [name[:3] for name in _WEEKDAY_NAMES]
_HAN_WEEKDAYS: Final = "一二三四五六日"
_HAN_WEEKS: Final = ("周", "星期", "礼拜")
_HAN_DIGITS: Final = "〇一二三四五六七八九"
_COUNTS: Final = {
    name: count
    for count, names in enumerate(
        "a an one the 一;two couple 二 两 俩;three few 三 几 several;four 四;five 五;six 六"
        ";seven 七;eight 八;nine 九;ten 十;eleven 十一;twelve 十二".split(";"),
        1,
    )
    for name in names.split()
}
_ORDINALS: Final = {
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
_UNIT_DAYS: Final = {
    "day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365,
    "天": 1, "日": 1, "周": 7, "星期": 7, "礼拜": 7, "个月": 30, "月": 30, "年": 365,
}  # fmt: skip
_DAYS_BACK: Final = {
    "the day before yesterday": 2, "yesterday": 1, "last night": 1, "today": 0, "tonight": 0,
    "this morning": 0, "this afternoon": 0, "this evening": 0,
    "the day after tomorrow": -2, "tomorrow": -1,
    "大前天": 3, "前天": 2, "前日": 2, "前晚": 2, "昨天": 1, "昨日": 1, "昨晚": 1, "昨夜": 1,
    "今天": 0, "今日": 0, "今早": 0, "今晚": 0, "大后天": -3, "后天": -2, "明天": -1, "明日": -1,
    "明早": -1, "明晚": -1,
}  # fmt: skip
_SPELLS: Final = {
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
_DAYS_OFF: Final = {
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


def _ending(day: int) -> str:
    return "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _han(number: int) -> str:
    """A number from 1 to 31 in Han figures."""
    tens, ones = divmod(number, 10)
    ten = "" if not tens else "十" if tens == 1 else f"{_HAN_DIGITS[tens]}十"
    return ten + (_HAN_DIGITS[ones] if ones else "")


def _number(text: str) -> int:
    """A number up to 99 in figures or words, more in figures. Raises ValueError for no number."""
    text = text.strip().replace("廿", "二十").replace("卅", "三十")
    if (plain := re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", text)).isdigit():
        return int(plain)
    if text in _ORDINALS:
        return _ORDINALS[text]
    if text in _COUNTS:
        return _COUNTS[text]
    if "十" not in text:
        raise ValueError(text)
    tens, _, ones = text.partition("十")
    return 10 * _COUNTS.get(tens, 1) + _COUNTS.get(ones, 0)


def _weekday(text: str) -> int:
    if text.isascii():
        return _WEEKDAYS.index(text[:3])
    return _HAN_WEEKDAYS.index(text[-1].replace("天", "日"))


def _months(year: int | None, month: int, count: int = 1) -> Period:
    """`count` months from the first day of one on; in any year for None."""
    first = date(year or _ANY_YEAR, month, 1)
    ahead = first.year * 12 + month - 2 + count
    year_of_last, month_of_last = ahead // 12, ahead % 12 + 1
    days = monthrange(year_of_last, month_of_last)[1]
    return Period(first, date(year_of_last, month_of_last, days), year is None)


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
    return replace(whole, first=whole.first + ends[0] * _DAY, last=whole.first + ends[1] * _DAY)


def _year(parts: _Parts, month: int, today: date) -> int | None:
    """The year that is meant; None for any. The last of a month is the one before the present."""
    if "year" in parts:
        text = "".join(str(_HAN_DIGITS.find(c)) if c in _HAN_DIGITS else c
                       for c in parts["year"].replace("零", "〇").replace("○", "〇"))  # fmt: skip
        return int(text) + (2000 if len(text) == 2 else 0)
    which = parts.get("of") or parts.get("which", "")
    if which in ("last", "past", "previous"):
        return today.year - (month >= today.month)
    return today.year - _YEARS_BACK[which] if which in _YEARS_BACK else None


def _calendar(parts: _Parts, today: date) -> Period | None:
    """ "7 May 2023", "in May", "last June", "5月3日", "去年五月", "3–5 May"."""
    name, day = parts["month"], parts.get("day") or parts.get("day_after")
    known = day or {"year", "of", "which", "lead", "part", "capital", "own"} & parts.keys()
    if name in ("may", "mar", "march") and not known:
        return None  # a verb
    month = _MONTHS.index(name[:3]) + 1 if name[:3] in _MONTHS else _number(name)
    whole = _months(_year(parts, month, today), month)
    if day is None:
        return _part(whole, parts["part"]) if "part" in parts else whole
    at = whole.first.replace(day=_number(day))
    until = whole.first.replace(day=_number(parts["until"])) if "until" in parts else at
    return Period(at, until, whole.yearly) if at <= until else None


def _within_month(parts: _Parts, today: date) -> Period | None:
    """ "the last three days of July", "the second week of May", "the first Monday in June",
    五月头三天, 九月最后一个周末. Weekdays without a year are those of the last such month."""
    name, end, unit = parts.get("month"), parts["end"], parts["unit"].removeprefix("个")
    if name is None:  # "the first week of this month"
        whole = _relative({"unit": "month", "which": parts["which"]}, today)
    else:
        month = _MONTHS.index(name[:3]) + 1 if name[:3] in _MONTHS else _number(name)
        whole = _months(_year(parts, month, today), month)
    is_last, count = end in _LAST_OF, _number(parts.get("count", "one"))
    if whole.yearly and ((is_last and month == 2) or unit not in _UNIT_DAYS):
        whole = _months(whole.latest(today).year, whole.first.month)  # its days differ by the year
    place = _ORDINALS.get(end, 1)  # the second week
    if end == "第":
        place, count = count, 1
    if unit in _UNIT_DAYS:
        size = _UNIT_DAYS[unit]
        start = whole.length - size * count if is_last else size * (place - 1)
        first = whole.first + start * _DAY
        last = first + (size * count - 1) * _DAY
        return replace(whole, first=first, last=last) if start >= 0 and last <= whole.last else None
    is_weekend = unit in ("weekend", "周末")
    wanted = 5 if is_weekend else _weekday(unit)
    fitting = [day for day in whole.days(today, 31) if day.weekday() == wanted]
    if place > len(fitting):
        return None
    day = fitting[-1 if is_last else place - 1]
    return Period(day, day + _DAY) if is_weekend else _single(day)


def _figures(parts: _Parts, today: date) -> Period | None:
    """ "28.04.2026", "4/28/2026", "4/28": the day first with points, the month with strokes, if the
    figures allow it and the weekday beside them does not say otherwise."""
    first, second = int(parts["one"]), int(parts["two"])
    if "year" not in parts and (first > 12) == (second > 12):
        return None  # either may be the month
    day_first = parts.get("mark") != "/"
    if first > 12 or second > 12:
        day_first = first > 12
    month, day = (second, first) if day_first else (first, second)
    whole = _months(int(parts["year"]) if "year" in parts else None, month)
    at = whole.first.replace(day=day)
    weekday = parts.get("fits") or parts.get("fits_after")
    if weekday is not None and first <= 12 and second <= 12:
        other = date(at.year, day, month)
        if at.weekday() != _weekday(weekday) == other.weekday():
            at = other
    return Period(at, at, whole.yearly)


def _of_month(parts: _Parts, today: date) -> Period | None:
    """ "on the 28th", "28号", "上个月28号", "月底": of this month, or the last one that had it by
    now."""
    month = today.year * 12 + today.month - 1
    if (which := parts.get("which")) is not None:
        month -= _BACK.get(which, 1)
    whole = _months(month // 12, month % 12 + 1)
    while True:
        if "part" in parts:
            found = _part(whole, parts["part"])
        else:
            day, until = _number(parts["day"]), _number(parts.get("until", parts["day"]))
            if not 1 <= day <= until <= 31:
                return None
            if until > whole.last.day and which is None:
                month -= 1
                whole = _months(month // 12, month % 12 + 1)
                continue
            found = Period(whole.first.replace(day=day), whole.first.replace(day=until))
        if which is not None or found.first <= today:
            return found
        month -= 1
        whole = _months(month // 12, month % 12 + 1)


def _weekday_of_month(parts: _Parts, today: date) -> Period | None:
    """ "Monday the 22nd": the last that was one."""
    day = _of_month(parts, today)
    return day and _on_weekday(day, _weekday(parts["fits"]))


def _holiday(parts: _Parts, today: date) -> Period:
    """ "Boxing Day", "the day after Easter Monday", 除夕, 元旦前一天, 国庆头三天: without a year
    the last one that has begun."""
    name = (parts.get("feast_day") or parts["feast"]).replace("’", "'")
    if name not in holidays.NAMES:
        name = f"{name} day" if name.isascii() else name.removesuffix("夜")
    beside = parts.get("beside", "")
    is_before = "before" in beside or beside.startswith("前")
    away = 0 if not beside else -1 if is_before else 1
    first = _feast(name, away, parts, today)
    return Period(first, first + (_number(parts.get("count", "one")) - 1) * _DAY)


def _season(parts: _Parts, today: date) -> Period:
    month = _SEASONS[parts["season"]]
    return _months(_year(parts, month, today), month, 3)


def _whole_year(parts: _Parts, today: date) -> Period:
    whole = _months(_year(parts, 1, today), 1, 12)
    return _part(whole, parts["part"]) if "part" in parts else whole


def _quarter(parts: _Parts, today: date) -> Period:
    """ "the third quarter", "Q3 2025", "the first half of 2025", 第三季度, 去年下半年."""
    half = parts.get("half")
    months = 3 if half is None else 6
    place = _number({"上": "1", "下": "2"}.get(half or "", half or parts["quarter"]))
    month = months * (place - 1) + 1
    return _months(_year(parts, month, today), month, months)


def _short_year(parts: _Parts, today: date) -> Period:
    """ "in '98": of the last hundred years, the next one included."""
    year = today.year // 100 * 100 + int(parts["short"])
    return _months(year if year <= today.year + 1 else year - 100, 1, 12)


def _decade(parts: _Parts, today: date) -> Period:
    """ "the 1990s", "the nineties", 九十年代."""
    name = parts["decade"]
    tens = _DECADES.get(name[:2]) or _number(name)
    first = tens if tens > 99 else 1900 + tens
    return Period(date(first, 1, 1), date(first + 9, 12, 31))


def _holidays(parts: _Parts, today: date) -> Period:
    """ "over Easter 2025", "at Christmas", 国庆期间, 前年春节: the days that people have off."""
    name = parts["feast"]
    before, after = _DAYS_OFF[name]
    first = _feast(_FEASTS.get(name, name), -before, parts, today)
    return Period(first, first + (before + after) * _DAY)


def _feast(name: str, away: int, parts: _Parts, today: date) -> date:
    """The day that is `away` days from a holiday; without a year the last one that has come."""
    year = _year(parts, 1, today) if {"year", "of", "which"} & parts.keys() else None
    day = holidays.day(name, year or today.year) + away * _DAY
    return day if year or day <= today else holidays.day(name, today.year - 1) + away * _DAY


def _ago(parts: _Parts, today: date) -> Period:
    """ "three days ago" is a day; weeks, months and years are as vague as they are long."""
    unit, count = _UNIT_DAYS[parts["unit"]], parts["count"]
    days = unit // 2 if count in ("半", "half a") else _number(count) * unit
    at = today - days * _DAY
    if "fits" in parts and unit == 7:  # "two weeks ago on Tuesday"
        return _single(at + (_weekday(parts["fits"]) - at.weekday()) * _DAY)
    vague = (2 if unit == 1 and count in ("few", "several", "几") else min(unit, days) // 2) * _DAY
    return Period(at - vague, at + vague)


def _year_ago(parts: _Parts, today: date) -> Period:
    """ "a year ago today", 去年今天. Raises ValueError on 29 February."""
    return _single(today.replace(year=today.year - 1))


def _half_more(parts: _Parts, today: date) -> Period:
    """ "a year and a half ago", "two and a half months ago", 一年半前."""
    unit = _UNIT_DAYS[parts.get("unit") or parts["units"]]
    at = today - (_number(parts["count"]) * unit + unit // 2) * _DAY
    return Period(at - unit // 4 * _DAY, at + unit // 4 * _DAY)


def _years(parts: _Parts, today: date) -> Period | None:
    """ "2019-2021", 2019到2021年."""
    first, last = int(parts["year"]), int(parts["until"])
    return Period(date(first, 1, 1), date(last, 12, 31)) if first < last else None


def _rolling(parts: _Parts, today: date) -> Period:
    """ "the last three weeks", "过去两周": up to the present."""
    count = parts.get("count", "one")
    unit = _UNIT_DAYS[parts["unit"]]
    days = unit // 2 if count in ("半", "half") else _number(count) * unit
    if unit == 1 and count in ("few", "several", "几"):
        days = 7
    return Period(today - days * _DAY, today)


def _relative(parts: _Parts, today: date) -> Period:
    """ "last week", "this month", "last Tuesday", "上上周三", "next week"."""
    unit, back = parts.get("unit", "week"), _BACK.get(parts["which"], 1)
    if "twice" in parts:  # "the week before last"
        back = 2
    if unit == "year":
        return _months(today.year - back, 1, 12)
    if unit in ("month", "月"):
        month = today.year * 12 + today.month - 1 - back
        return _months(month // 12, month % 12 + 1)
    if unit in ("quarter", "季度"):
        quarter = today.year * 4 + (today.month - 1) // 3 - back
        return _months(quarter // 4, quarter % 4 * 3 + 1, 3)
    if unit[:3] in _WEEKDAYS and back == 1:  # the last one before today, in whichever week
        return _single(today - ((today.weekday() - _weekday(unit) - 1) % 7 + 1) * _DAY)
    monday = today - (today.weekday() + 7 * back) * _DAY
    if unit == "week":
        return Period(monday, monday + 6 * _DAY)
    if unit in ("weekend", "末"):
        return Period(monday + 5 * _DAY, monday + 6 * _DAY)
    return _single(monday + _weekday(unit) * _DAY)


def _bare_weekday(parts: _Parts, today: date) -> Period | None:
    """ "on Monday", "周三": the last one before today."""
    if "every" in parts:
        return None
    back = (today.weekday() - _weekday(parts["weekday"]) - 1) % 7 + 1
    return _single(today - back * _DAY)


def _bare_weekend(parts: _Parts, today: date) -> Period:
    """ "at the weekend", "周末": the last that has begun."""
    back = (today.weekday() - 5) % 7
    return Period(saturday := today - back * _DAY, saturday + _DAY)


def _named(parts: _Parts, today: date) -> Period:
    return _single(today - _DAYS_BACK[parts["word"]] * _DAY)


def _spell(parts: _Parts, today: date) -> Period:
    first, last = _SPELLS[parts["word"]]
    return Period(today - first * _DAY, today - last * _DAY)


def _single(day: date) -> Period:
    return Period(day, day)


# -- how it is written ----------------------------------------------------------------------------


def _either(names: Iterable[str], latin: bool) -> str:
    """An alternation of the names in one script, the longest first."""
    return "|".join(sorted((n for n in names if n.isascii() == latin), key=len, reverse=True))


_WIDE: Final = {code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), 0xFF0F, 0xFF0D, 0xFF0E)}
_YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
_THAT_YEAR: Final = rf"(?:{_YEAR}|(?P<of>(?:last|this|next) year))\b"
_OF_YEAR: Final = rf"(?:,? (?:of )?{_THAT_YEAR})?"
_IN_MONTH: Final = r"(?:[12]\d|3[01]|0?[1-9])"
_ENGLISH_DAY: Final = rf"{_IN_MONTH}(?:st|nd|rd|th)?(?![\d:%])|{_either(_ORDINALS, True)}"
_LAST: Final = "(?P<which>last|this|past|previous|next)"
_MONTH_NAME: Final = (
    "(?P<month>january|jan|february|feb|march|mar|april|apr|may|june|jun|july|jul|august|aug"
    "|september|sept|sep|october|oct|november|nov|december|dec)"
)
_THROUGH: Final = "(?: ?(?:-|–|—) ?| (?:to|until|till|through) (?:the )?)"
_PART: Final = (
    r"(?:\b(?:the )?(?P<part>early|mid|late|(?:middle|beginning|start|end)(?= of| in))(?: of| in)?"
    "(?: the)?[ -])?+"
)
_LEAD: Final = (
    r"(?:\b(?P<lead>in|of|on|during|by|since|before|after|until|till|from|for|between|and|to) )?+"
)
_WEEKDAY_NAME: Final = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DAY_NAME: Final = rf"(?:{_WEEKDAY_NAME}|mon|tues?|wed|thur?s?|fri|sat|sun)"
_HAN_YEAR: Final = (
    r"(?:(?P<year>(?:(?:19|20)\d\d)|[一二][〇零○九][〇零○一二三四五六七八九]{2}"
    r"|(?<!\d)\d\d(?= ?年\d{1,2}月))"
    " ?年|(?P<which>大前年|[去今前明后]年(?!年)))[的,，]?"
)
_HAN_NUMBER: Final = "一二两三四五六七八九十"
_HAN_DAY: Final = (
    rf"(?:{_IN_MONTH}(?!\d)|[二三]?十[{_HAN_NUMBER}]?|[廿卅][{_HAN_NUMBER}]?|[{_HAN_NUMBER}])"
)
_HAN_MONTH: Final = rf"(?<![个個\d多几])(?P<month>1[0-2]|0?[1-9]|十[一二]?|[{_HAN_NUMBER}]|正) ?月"
_HAN_WEEK: Final = "(?:周|星期|礼拜)"
_DAY_MARK: Final = "[日号號]"
# What follows a day of the month without a month; "3号线" and "5号楼" are no days.
_AFTER_DAY: Final = (
    "(?=$|[，。？！、,?!.\\s]|那|这|当|的|早|晚|上午|下午|中午|夜|发生|做|干|说|有|是|我|你|他|她|咱"
    "|去|以|之|前|后|到|至|聊|开|跟|和|谁|什|怎|都|在|吃|买|见|起)"
)

_FEAST: Final = _either(holidays.NAMES, True).replace("'", "['’]")
_HAN_FEAST: Final = _either(holidays.NAMES, False)
# Of these the name alone is a day; of other holidays people speak for days before and after.
_HAN_FEAST_DAY: Final = (
    "除夕夜?|大年三十|大年夜|(?:大年|正月)初[一二三四五六七八]|正月十五|平安夜|跨年夜|元旦"
)

_OPENING: Final = late(r"(?:^|[.!?:;\"“]\s*)$")  # before the first word of a sentence
_LEADING: Final = late(
    r"(?:\b(?:on|in|at|during|of|from|by|between|around|about|over|within|for|the|as|back|ever|sometime)\s+)+$|[在于从自]$",
    re.IGNORECASE,
)
_TRAILING: Final = late(
    "(?:'s\\b|’s\\b|那一?天|这一?天|当天|那个?时候?|的时候|时候|之?间|期间|以?内|为止|份)?的?"
)
_BESIDE: Final = late(r"[\s,，、(（]*(?:the\s+)?")
_TO: Final = late(r"\s*(?:to|till|until|through|-|–|—|~|～|到|至)\s*(?:the\s+)?")
_AND: Final = late(r"\s*(?:and|和|与)\s*(?:the\s+)?")
_BETWEEN: Final = late(r"(?:\bbetween\s+(?:the\s+)?|[在从]|介于)$")
_WEEK_OF: Final = late(
    r"\b(?:the )?week(?P<weekend>end)? (?:of|(?P<begins>beginning|starting|commencing))"
    r"(?: on)?(?: the)? $"
)
_HAN_WEEK_OF: Final = late(
    "(?:(?P<begins>开始的)|所在的?|[那这]|的那)(?:一个?|个)?"
    rf"(?:(?P<weekend>周末)|{_HAN_WEEK}(?![{_HAN_WEEKDAYS}天]))"
)
_BOUND: Final = late(
    r"(?:\b(?P<bound>before|prior to|until|till|up to|ever since|since|after|from)\s+(?:the\s+)?"
    r"|(?P<han>截至|截止到|直到|自从|自))$"
)
_ONWARDS: Final = late(r"\s+(?:on|onwards?|forward)\b")
_HAN_BOUND: Final = late(
    "(?:(?P<around>前后|左右)|(?P<before>[之以]前|前(?!后))|(?P<after>[之以]后)"
    "|(?P<since>以来|至今|到现在|开始|起(?!来)))"
)

# One of these is in whatever the grammar matches.
_HINT: Final = late(
    rf"\d|quarter| half|ties|christmas|easter|new year|{'|'.join(_MONTHS)}|{'|'.join(_WEEKDAYS)}"
    rf"|{'|'.join(_SEASONS)}|last |this |past |next "
    "|previous |other day|coming |late| ago|yesterday|today|tonight|tomorrow|recently|weekend|back"
    f"|before last|[{_HAN_NUMBER}月年周天昨今前末近日阵期拜后夜夕旦季节假]"
    r"|\bday\b|\beve\b|\bnight\b|halloween|thanksgiving"
)
# What each expression matches holds one of the strings before it; without any, a character that is
# not of ASCII.
_HAN: Final = ()
_DIGITS: Final = tuple("0123456789")
_IN_MONTHS: Final = tuple(_MONTHS)
_IN_WEEK: Final = tuple(_WEEKDAYS)
_HAN_OFF: Final = tuple(name for name in _DAYS_OFF if not name.isascii())
_LATIN_SEASONS: Final = tuple(name for name in _SEASONS if name.isascii())
_LATIN_BACK: Final = tuple(name for name in _DAYS_BACK if name.isascii())
_LATIN_SPELLS: Final = tuple(name for name in _SPELLS if name.isascii())
_LATIN_WHICH: Final = ("last", "this", "past", "previous", "next", "coming")
_GRAMMAR: Final[tuple[tuple[tuple[str, ...], re.Pattern[str], _Reader], ...]] = tuple(
    (gate, late(pattern), read)
    for gate, pattern, read in (
        (_DIGITS,
         rf"(?<![\d.]){_YEAR}[-/.](?P<month>1[0-2]|0?[1-9])(?:[-/.](?P<day>{_IN_MONTH}))?(?!\d)"
         r"(?:[t ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:z|[+-]\d\d:?\d\d)?)?", _calendar),
        (("19", "20"),
         rf"(?<![-\d.$€£¥#_a-z]){_YEAR} ?(?:-|–|—|~|～|到|至) ?(?P<until>(?:19|20)\d\d)"
         r"(?![-\d])年?", _years),
        (("20",),
         r"\b(?P<year>20\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])\b", _calendar),
        (_DIGITS,
         rf"(?:\b(?P<fits>{_DAY_NAME}),? )?(?<![\d/.-])(?P<one>\d{{1,2}})(?P<mark>[./-])"
         rf"(?P<two>\d{{1,2}})(?P=mark){_YEAR}(?!\d)"
         rf"(?:[,(]? ?(?:a |the |on )?(?P<fits_after>{_DAY_NAME})\b\)?)?", _figures),
        (("/",),
         r"\b(?:on|since|before|after|until|till|by|from) (?:the )?"
         r"(?P<at>(?P<one>\d{1,2})/(?P<two>\d{1,2}))(?![\d/.])", _figures),
        (("/",),
         r"(?<![\d/.])(?P<at>(?P<one>\d{1,2})/(?P<two>\d{1,2}))(?=\s?[\u4e00-\u9fff？?])",
         _figures),
        (_IN_MONTHS,
         r"\b(?:the )?(?P<end>first|second|third|fourth|last|final|opening|closing)"
         rf" (?:(?P<count>\d{{1,2}}|{_either(_COUNTS, True)}) )?"
         rf"(?P<unit>day|weekend|week|{_WEEKDAY_NAME})s?"
         rf" (?:of|in) (?:{_LAST} )?{_MONTH_NAME}\b\.?{_OF_YEAR}", _within_month),
        (("month",),
         r"\b(?:the )?(?P<end>first|second|third|fourth|last|final)"
         rf" (?:(?P<count>\d{{1,2}}|{_either(_COUNTS, True)}) )?"
         rf"(?P<unit>day|weekend|week|{_WEEKDAY_NAME})s?"
         r" (?:of|in) (?P<which>last|this|next) month\b", _within_month),
        (_IN_MONTHS,
         rf"\b(?:between )?(?:the )?(?P<at>(?P<day>{_ENGLISH_DAY}) (?:and|&) (?:the )?"
         rf"(?P<until>{_ENGLISH_DAY}) (?:of )?{_MONTH_NAME}\b\.?{_OF_YEAR})", _calendar),
        (_IN_MONTHS,
         rf"\b(?P<day>{_ENGLISH_DAY}){_THROUGH}(?P<until>{_ENGLISH_DAY}) (?:of )?{_MONTH_NAME}\b\.?"
         rf"{_OF_YEAR}", _calendar),
        (_IN_MONTHS,
         rf"\b{_MONTH_NAME}\b\.? (?:the )?(?P<day>{_ENGLISH_DAY}){_THROUGH}"
         rf"(?P<until>{_ENGLISH_DAY})\b(?! ?(?:of )?(?:{'|'.join(_MONTHS)})){_OF_YEAR}", _calendar),
        (_IN_MONTHS,
         rf"{_LEAD}(?P<at>(?:{_WEEKDAY_NAME},? (?:the )?)?{_PART}(?:{_LAST} )?+"
         rf"(?:(?<![\d:.])(?P<day>{_ENGLISH_DAY}) (?:of )?)?+{_MONTH_NAME}\b\.?"
         rf"(?:,? (?:the )?(?P<day_after>{_ENGLISH_DAY})\b)?{_OF_YEAR})(?P<own>['’]s\b)?",
         _calendar),
        ((" day", " eve", " night", "halloween", "thanksgiving", "easter", "sunday", "friday",
          "shrove", "ash", "maundy"),
         rf"\b(?:(?P<beside>the (?:day|night|evening) (?:before|after)) "
         rf"(?P<feast>{_FEAST}|christmas|new year['’]s|easter)"
         rf"|(?:last )?(?P<feast_day>{_FEAST}))\b{_OF_YEAR}", _holiday),
        (("christmas", "easter", "new year"),
         rf"\b(?:(?:over|during|at|for|around|since|before|after) (?:the )?(?:last )?"
         rf"(?P<at>(?P<feast>christmas|easter|new year)(?! (?:eve|day))\b{_OF_YEAR}))", _holidays),
        (("christmas", "easter", "new year"),
         rf"\b(?P<feast>christmas|easter),? (?:of )?{_THAT_YEAR}", _holidays),
        (("q1", "q2", "q3", "q4"),
         r"\b(?:(?:in|of|for|during|since|by|until|before|after) "
         rf"(?P<at>q(?P<quarter>[1-4]){_OF_YEAR})\b)", _quarter),
        (("q1", "q2", "q3", "q4"),
         rf"\bq(?P<quarter>[1-4])(?:,? ?(?:of )?|/){_YEAR}\b", _quarter),
        (("q1", "q2", "q3", "q4"),
         rf"(?<![\d.]){_YEAR}[ -]?q(?P<quarter>[1-4])\b", _quarter),
        (("quarter",),
         rf"\b(?P<quarter>first|second|third|fourth|[1-4](?:st|nd|rd|th)) quarter\b{_OF_YEAR}",
         _quarter),
        (("half",),
         rf"\b(?P<half>first|second) half of {_THAT_YEAR}", _quarter),
        (("0s", "0's", "0’s"),
         r"\b(?:the )?(?P<decade>(?:19|20)\d0)['’]?s\b", _decade),
        (("0s", "0's", "0’s", "ties"),
         r"\bthe ['’]?(?P<decade>[3-9]0|fifties|sixties|seventies|eighties|nineties)"
         r"(?:(?<=0)['’]?s)?\b", _decade),
        (("19", "20", "year"),
         r"\b(?:the )?(?P<part>early|mid|middle|late|beginning|start|end)(?: of|-| in)? ?"
         rf"{_THAT_YEAR}(?![-\d])", _whole_year),
        (("month",),
         r"\b(?:the )?(?P<part>beginning|start|middle|end) of (?:the|(?P<which>this|last|next)) "
         r"month\b", _of_month),
        (("'", "’"),
         rf"\b(?:in|of|since|from|before|after|until|{_either(_SEASONS, True)}) "
         r"(?P<at>['’](?P<short>\d\d))\b(?!['’])", _short_year),
        (("the ",),
         rf"\b(?:on|since|before|after|until|till|by|from) (?P<at>the (?P<day>{_ENGLISH_DAY})"
         r"(?: of (?P<which>this|last) month)?)(?=[?.!,;]|$| (?:at|in|with|and|when|to|for|by|did"
         r"|was|were|what|who|that|on)\b)", _of_month),
        (_IN_WEEK,
         rf"\b(?P<fits>{_DAY_NAME}),? (?:the )?(?P<day>(?:{_IN_MONTH})(?:st|nd|rd|th)"
         rf"|{_either(_ORDINALS, True)})\b(?! (?:of )?(?:{'|'.join(_MONTHS)}))", _weekday_of_month),
        (_LATIN_SEASONS,
         rf"\b(?:{_LAST} |in (?:the )?|during (?:the )?|over (?:the )?)"
         rf"(?P<season>{_either(_SEASONS, True)})\b{_OF_YEAR}", _season),
        (_LATIN_SEASONS,
         r"\b(?:since|before|after|until) (?:the )?"
         rf"(?P<at>(?P<season>{_either(_SEASONS, True)})\b{_OF_YEAR})", _season),
        (_LATIN_SEASONS,
         rf"\b(?P<season>{_either(_SEASONS, True)})(?:,? (?:of )?){_THAT_YEAR}", _season),
        (("today", "this day"),
         r"\b(?:(?:a|one) year ago today|(?:today|this day),? last year)\b", _year_ago),
        (("ago",),
         rf"\b(?P<count>\d{{1,2}}|{_either(_COUNTS, True)})(?: (?P<unit>year|month|week)s?)?"
         r" and a half(?: (?P<units>year|month|week)s)? ago\b", _half_more),
        (("ago", "back", "earlier"),
         rf"\b(?P<count>\d{{1,3}}|half a|{_either(_COUNTS, True)})(?: of)?"
         rf" (?P<unit>{_either(_UNIT_DAYS, True)})s? (?:ago|back|earlier)\b"
         rf"(?: on (?P<fits>{_WEEKDAY_NAME})\b)?", _ago),
        (("last", "past", "previous"),
         rf"\b(?:(?:in|over|during|within|for) )?(?:the |these )?(?:last|past|previous) "
         rf"(?P<count>\d{{1,3}}|half|{_either(_COUNTS, True)})(?: of| an?)? "
         rf"(?P<unit>{_either(_UNIT_DAYS, True)})s?\b", _rolling),
        (("last ", "past "),
         rf"\b(?:in|over|during|within|for) the (?:last|past)"
         rf" (?P<unit>{_either(_UNIT_DAYS, True)})\b", _rolling),
        (_LATIN_BACK,
         rf"\b(?P<word>{_either(_DAYS_BACK, True)})\b(?: (?:morning|afternoon|evening|night))?",
         _named),
        (_LATIN_SPELLS,
         rf"\b(?:just )?(?P<word>{_either(_SPELLS, True)})\b", _spell),
        (("before",),
         rf"\b(?:the )?(?P<unit>weekend|week|month|year|{_WEEKDAY_NAME}) (?P<twice>before) "
         r"(?P<which>last)\b", _relative),
        (_LATIN_WHICH,
         rf"\b(?:earlier |later |(?:in|at|over|during) the )?(?:this (?=past ))?"
         r"(?:(?P<which>last|this|past|previous|next|coming) )"
         rf"(?P<unit>weekend|week|month|quarter(?! of)|year|{_WEEKDAY_NAME})\b"
         r"(?: (?:morning|afternoon|evening|night))?", _relative),
        (_IN_WEEK,
         rf"\b(?:(?P<every>every|each|most|all) |on |since |before |after |until |till |by |from "
         rf"|to |and |between )(?P<at>(?P<weekday>{_DAY_NAME}))\b(?!s\b)(?! ?\d)"
         r"(?: (?:morning|afternoon|evening|night))?", _bare_weekday),
        (_IN_WEEK,
         rf"(?<!every )(?<!each )(?<!the )(?<!easter )(?<!whit )(?<!black )(?<!cyber )"
         rf"\b(?P<weekday>{_WEEKDAY_NAME})"
         r"(?: (?:morning|afternoon|evening|night))?(?=\s*[?.!,]|\s*$)", _bare_weekday),
        (("weekend",),
         r"\b(?:at|on|over|during) (?:the )?weekend\b", _bare_weekend),
        (_HAN,
         rf"(?:{_HAN_YEAR})?+(?:(?P<feast>{_HAN_FEAST})节?夜?(?:的?(?:[那这当]一?[天日晚夜]"
         rf"|头(?P<count>[{_HAN_NUMBER}])天)|(?P<beside>前一?[天日晚夜]|后一?天|第二天|次日|隔天))"
         rf"|(?P<feast_day>{_HAN_FEAST_DAY}))", _holiday),
        (_HAN_OFF,
         rf"{_HAN_YEAR}的?(?P<feast>{_either(_DAYS_OFF, False)})节?(?:期间|假期|长假|那几天|放假)?",
         _holidays),
        (_HAN_OFF,
         rf"(?P<feast>{_either(_DAYS_OFF, False)})节?的?"
         r"(?:期间|假期|长假|那几天|放假|那[段阵])", _holidays),
        (("年代",),
         r"(?:(?:上个?|20|二十)世纪)?(?P<decade>(?:19|20)\d0|[3-9]0|[三四五六七八九]十)年代",
         _decade),
        (("季度", "半年"),
         rf"(?:{_HAN_YEAR})?+(?:第?(?P<quarter>[一二三四1-4])个?季度|(?P<half>[上下])半年)",
         _quarter),
        (_HAN,
         rf"(?:{_HAN_YEAR})?+{_HAN_MONTH}[份底末初里]?的?(?P<end>头|前|开头|最初|最后|最末|末|第)"
         rf"(?P<count>\d{{1,2}}|[{_HAN_NUMBER}])"
         rf"(?P<unit>[天日]|个?(?:周末|{_HAN_WEEK}[{_HAN_WEEKDAYS}天]|{_HAN_WEEK}))",
         _within_month),
        (_HAN,
         rf"(?:{_HAN_YEAR})?+{_HAN_MONTH}(?P<day>{_HAN_DAY}){_DAY_MARK}?"
         rf"(?:到|至|-|–|—|~|～|、|和|与)(?P<until>{_HAN_DAY}){_DAY_MARK}", _calendar),
        (_HAN,
         rf"(?<![农阴]历)(?:{_HAN_YEAR})?+{_HAN_MONTH}(?: ?(?P<day>{_HAN_DAY}) ?{_DAY_MARK}"
         rf"(?:[（(,，]?{_HAN_WEEK}[{_HAN_WEEKDAYS}天][）)]?)?"
         rf"|(?:月?(?P<part>上旬|中旬|下旬|[初中底末])|份)|(?P<day_after>[二三]?十[{_HAN_NUMBER}]?|廿[{_HAN_NUMBER}]?)"
         rf"(?![{_HAN_NUMBER}个個多]))?+", _calendar),
        (_HAN,
         rf"(?P<which>上上|上|这|本|下)个?月的?(?:(?P<day>{_HAN_DAY}){_DAY_MARK}|月?(?P<part>上旬|中旬|下旬|[初中底末]))",
         _of_month),
        (_HAN,
         rf"(?:{_HAN_YEAR})?+(?P<season>{_either(_SEASONS, False)})[天季]", _season),
        (("去年",),
         "去年的?今[天日]", _year_ago),
        (("年半",),
         rf"(?P<count>\d{{1,3}}|[{_HAN_NUMBER}]{{1,3}})(?P<unit>年)半[之以]?前", _half_more),
        (_HAN,
         rf"(?P<count>\d{{1,3}}|[{_HAN_NUMBER}几半]{{1,3}})(?P<unit>个?多?(?:星期|礼拜|月)|多?[天周年])"
         rf"[之以]?前(?:的?{_HAN_WEEK}(?P<fits>[{_HAN_WEEKDAYS}天]))?",
         lambda parts, today: _ago(_plain_unit(parts), today)),
        (_HAN,
         rf"(?P<word>{_either(_SPELLS, False)})(?![{_HAN_NUMBER}\d几半])", _spell),
        (_HAN,
         rf"(?:过去|最近|近|这|(?<![以之])前)的?这?(?P<count>\d{{1,3}}|[{_HAN_NUMBER}几半]{{1,3}})"
         "(?P<unit>个?(?:星期|礼拜|月)|[天周年日])(?:[以之]?[内来间])?",
         lambda parts, today: _rolling(_plain_unit(parts), today)),
        (_HAN,
         rf"(?P<word>{_either(_DAYS_BACK, False)})(?:早上|上午|中午|下午|晚上|夜里)?", _named),
        (_HAN,
         rf"(?P<which>上上|上|这|本|下下|下)一?个?{_HAN_WEEK}(?P<unit>[{_HAN_WEEKDAYS}天末])?"
         "(?:早上|上午|中午|下午|晚上)?", _relative),
        (("月",),
         rf"(?P<which>上上|上|这|本|下)个?月的?(?P<end>头|前|最初|最后|第)(?P<count>[{_HAN_NUMBER}\d])?"
         rf"个?(?P<unit>[天日]|周末|{_HAN_WEEK})", _within_month),
        (_HAN,
         "(?P<which>上上|上|这|本|下)个?(?P<unit>月|季度)", _relative),
        (_HAN,
         rf"(?P<every>每个?){_HAN_WEEK}[{_HAN_WEEKDAYS}天末]", lambda parts, today: None),
        (_HAN,
         rf"(?<![{_HAN_NUMBER}\d几每]){_HAN_WEEK}(?P<weekday>[{_HAN_WEEKDAYS}天])(?!期)"
         "(?:早上|上午|中午|下午|晚上)?", _bare_weekday),
        (_HAN,
         "(?<!每)(?<!每个)周末", _bare_weekend),
        (_HAN,
         r"(?P<which>[去今前明])年年?(?P<part>[初中底末])",
         lambda parts, today: _whole_year({**parts, "which": f"{parts['which']}年"}, today)),
        (_HAN,
         rf"{_HAN_YEAR}(?P<part>[初中底末])?", _whole_year),
        (_HAN,
         "(?<![个個\\d一二两三四五六七八九十])月(?P<part>[初中底末])", _of_month),
        (_HAN,
         "(?<![\\d一二两三四五六七八九十])(?P<which>)年(?P<part>[初底末])",
         lambda parts, today: _whole_year({"which": "今年", **parts}, today)),
        (_HAN,
         rf"(?<![月\d.{_HAN_NUMBER}第])(?P<day>{_HAN_DAY}){_DAY_MARK}?(?:、|到|至|-|–|—|~|～)"
         rf"(?P<until>{_HAN_DAY}){_DAY_MARK}(?={_AFTER_DAY}|[)）])", _of_month),
        (_HAN,
         rf"(?<![月\d{_HAN_NUMBER}第])(?P<day>{_HAN_DAY}){_DAY_MARK}{_AFTER_DAY}", _of_month),
        (("19", "20"),
         rf"(?:(?<![-\d.$€£¥#_a-z])|(?<=\bfy)){_YEAR}"
         r"(?![-\d]|\.\d| ?[%年]| (?:people|euros|dollars|words|tokens))\b",
         _whole_year),
    )
)  # fmt: skip


def _plain_unit(parts: _Parts) -> _Parts:
    """A Chinese unit without its measure word: 个星期 is as long as 星期; 个月 stays."""
    unit = parts["unit"].replace("多", "")
    return {**parts, "unit": unit if unit == "个月" else unit.removeprefix("个")}
