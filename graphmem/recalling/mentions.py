"""Where a text speaks of which days ("last May", "on 7 May 2023", "since Monday", "上周三").

A grammar over dates, months, weekdays and seasons, in English and Chinese. What is relative counts
from the present; a day, month or season without a year is that of any year. Seasons are the
northern ones. A bare weekday is the last one before the present; "before", "since" and their like
make a period open at one end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from datetime import date
from itertools import chain, groupby
from operator import itemgetter
from typing import Final, NamedTuple

from graphmem.recalling import chinese_dates, english_dates
from graphmem.recalling.date_parts import (
    HAN_NUMBER,
    HAN_WEEK,
    HAN_WEEKDAYS,
    HAN_WEEKS,
    MONTH_NAMES,
    MONTHS,
    SEASONS,
    WEEKDAY_NAMES,
    WEEKDAYS,
    Rule,
    in_han,
    ordinal_ending,
    read_days_off,
    read_of_month,
    read_spell,
    weekday_of,
)
from graphmem.recalling.period import DAY, Period, moved, on_weekday, spanned, whole_months
from graphmem_worker.text.gates import holds
from graphmem_worker.text.patterns import late

_LONGEST: Final = 2_000  # characters of a text that are looked through
_WIDE: Final = {code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), 0xFF0F, 0xFF0D, 0xFF0E)}
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
    rf"(?:(?P<weekend>周末)|{HAN_WEEK}(?![{HAN_WEEKDAYS}天]))"
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
# One of these is in whatever the grammar matches: plain strings, …
_HINTS: Final = (
    *("quarter", " half", "ties", "christmas", "easter", "new year"), *MONTHS, *WEEKDAYS, *SEASONS,
    *("last ", "this ", "past ", "next ", "previous ", "other day", "coming ", "late", " ago"),
    *("yesterday", "today", "tonight", "tomorrow", "recently", "weekend", "back", "before last"),
    *("halloween", "thanksgiving"),
)  # fmt: skip
_ASCII_HINTS: Final = (*"0123456789", *filter(str.isascii, _HINTS))
# … and words.
_WHOLE: Final = ("day", "eve", "night")
_ASCII_WHOLE: Final = late(rf"\b(?:{'|'.join(_WHOLE)})\b")
_HINT: Final = late(
    rf"\d|{'|'.join(_HINTS)}|[{HAN_NUMBER}月年周天昨今前末近日阵期拜后夜夕旦季节假]"
    rf"|\b(?:{'|'.join(_WHOLE)})\b"
)
_GRAMMAR: Final[tuple[Rule, ...]] = (
    *english_dates.GRAMMAR,
    *chinese_dates.GRAMMAR,
    english_dates.YEAR_ALONE,
)
_BY_GATE: Final = [(gate, [*rules]) for gate, rules in groupby(_GRAMMAR, key=itemgetter(0))]
"""The grammar, rules behind one gate that follow each other together."""
_ASCII_BY_GATE: Final = [
    (stems, rules)
    for gate, rules in _BY_GATE
    if (stems := tuple(stem for stem in gate if stem.isascii()))
]
"""The same for a text in ASCII, in which no rule without a gate finds anything."""


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
            name = WEEKDAY_NAMES[self.weekday]
            written = HAN_WEEKDAYS[self.weekday]
            return [name, name[:3], *(f"{week}{written}" for week in HAN_WEEKS)]
        first, last = self.period.first, self.period.last
        if first == last:
            name, number = MONTH_NAMES[first.month - 1], in_han(first.month)
            day, ordinal = first.day, f"{first.day}{ordinal_ending(first.day)}"
            spoken = [f"{n} {d}" for n in (name, name[:3]) for d in (day, ordinal)]
            # Without 日 or 号, which in a text may be one index word with the character behind it.
            han = [f"{first.month}月{day}", f"{number}月{in_han(day)}"]
            own = [] if self.name is None else [self.name]
            return [*spoken, *han, *own, *([] if self.period.yearly else [first.isoformat()])]
        if self.name is not None:
            return [self.name]
        year = None if self.period.yearly else first.year
        for count in (1, 3, 6):  # a month, a quarter, a half
            if self.period == whole_months(year, first.month, count):
                months = range(first.month, first.month + count)
                return [form for month in months for form in _forms_of_month((month - 1) % 12 + 1)]
        if self.period == whole_months(first.year, 1, 12):
            return [str(first.year)]
        return []


def _forms_of_month(month: int) -> list[str]:
    name = MONTH_NAMES[month - 1]
    return [name, name[:3], f"{month}月", f"{in_han(month)}月"]


def periods(text: str, today: date) -> list[Period]:
    """The periods that a text names, each once.

    `today` is what "yesterday" and "last May" count from. Never raises for a `str`.
    """
    return list(dict.fromkeys(mention.period for mention in mentions(text, today)))


def mentions(text: str, today: date) -> list[Mention]:
    """Where a text names which periods, in its order. See `periods`."""
    written = text[:_LONGEST]
    folded = _folded(written)
    if not _is_hinted(folded):
        return []
    found: list[Mention] = []
    monthless: set[int] = set()  # where a day stands without its month
    left = folded
    likely = (
        rules
        for gate, rules in (_ASCII_BY_GATE if folded.isascii() else _BY_GATE)
        if not gate or holds(folded, gate)
    )
    for _, pattern, read in chain.from_iterable(likely):
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
                day = None if bare is None else weekday_of(bare)
                feast = parts.get("feast_day") or parts.get("feast")
                if (period.length > 1 and read is not read_days_off) or "beside" in parts:
                    feast = None
                found.append(Mention(period, start, stop, day, read is read_spell, feast))
                if read is read_of_month and "which" not in parts and "part" not in parts:
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


def _is_hinted(folded: str) -> bool:
    """Whether a text in lower case has one of the hints. In ASCII they are looked for one by one,
    which takes a third of the time."""
    if folded.isascii():
        if holds(folded, _ASCII_HINTS):
            return True
        return holds(folded, _WHOLE) and _ASCII_WHOLE.search(folded) is not None
    return _HINT.search(folded) is not None


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
    if text.isascii():
        return text.lower()
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
                period = moved(period, kept[place].period)
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
                period = on_weekday(period, before.weekday)
        kept.append(mention._replace(period=period, start=start))
    return kept


def _is_of_month(mention: Mention) -> bool:
    first, last = mention.period.first, mention.period.last
    return (first.year, first.month) == (last.year, last.month) and first != last


def _joined(text: str, found: Sequence[Mention]) -> list[Mention]:
    """Two periods with "to" between them are one."""
    joined: list[Mention] = []
    for mention in found:
        before = joined[-1] if joined else None
        if before is not None:
            between = text[before.stop : mention.start]
            lead = text[: before.start]
            if _TO.fullmatch(between) or (_AND.fullmatch(between) and _BETWEEN.search(lead)):
                period = spanned(before.period, mention.period)
                if period is not None:
                    joined[-1] = Mention(period, before.start, mention.stop)
                    continue
        joined.append(mention)
    return joined


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
        whole = Period(day, day + 6 * DAY)
    else:
        monday = day - day.weekday() * DAY
        whole = Period(monday + (5 if found["weekend"] else 0) * DAY, monday + 6 * DAY)
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
        bounds = date.min, period.first - DAY if period.first > date.min else period.first
    elif word in ("until", "till", "up to", "截至", "截止到", "直到"):
        bounds = date.min, period.last
    elif word in ("since", "ever since", "自从", "自") and period.first <= today:
        bounds = period.first, today
    elif word == "after" and period.last < today:
        bounds = period.last + DAY, today
    elif word == "around":
        bounds = period.first - 3 * DAY, period.last + 3 * DAY
    else:
        return mention
    stop = mention.stop if after is None else after.end()
    return Mention(Period(*bounds), start, stop)
