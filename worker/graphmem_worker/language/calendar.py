"""The periods that a text names, and their places: "last May", "vor drei Tagen", 上周三.

One reader for cues and texts, in every language that has tables. A text is read in five tiers
(`meanings.Tier`). The first finds phrases that name a period by themselves. Each of these is then
replaced by one sign, which matches the slot <period> of the phrases of later tiers. Of overlapping
phrases of a tier the longest counts, the first of equally long ones.

Relative periods count from today; a day, month or season without a year is that of any year.
Seasons are the northern ones. A bare weekday is the last one before today; "before", "since" and
similar words make a period open at one end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import MAXYEAR, date
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

from graphmem_worker.language import holidays, tense
from graphmem_worker.language.found import Found, as_future, by_tense, next_of
from graphmem_worker.language.meanings import MEANINGS, Meaning, Tier
from graphmem_worker.language.numbers import either
from graphmem_worker.language.period import DAY, Period, moved, whole_months
from graphmem_worker.language.phrases import Gate
from graphmem_worker.language.sayings import folded
from graphmem_worker.language.tables import DIGITS, PERIOD, Language, Rule, languages
from graphmem_worker.text.gates import holds, roots
from graphmem_worker.text.patterns import late

_LONGEST: Final = 2_000  # characters of a text that are read
_ROUNDS: Final = 4  # maximum passes of a tier, each over the result of the last
_MOST: Final = 500  # periods of a text that are read
_WEEK: Final = 7  # days
_OF_WEEK: Final = frozenset(("weekday", "week-day", "weekend", "unit", "pair", "same"))
"""Meanings of the phrases that place a day in a week."""
_PAIR: Final = 2  # characters of an index word of Chinese
_SPANS: Final = (
    "week",
    "weekend",
    "month",
)  # units for which a text has words when they are still to come
_FEASTS: Final = ("feast", "fest", "off", "eve")  # slots of the names of holidays, …
_MOONTH: Final = "moonth"  # … and of lunar months
_MONTH: Final = 31  # days
_NEAR: Final = 14 * DAY  # of a holiday that a day is named after
_PLAIN, _WITHIN, *_REST = map(int, Tier)
_LATER: Final = (_WITHIN, *_REST)
_FIRST_SIGN: Final = 0xE000
_SIGN: Final = late(PERIOD)
_NONE: Final = "\ufdd0"  # sign for a phrase that names no period
_SPACES: Final = dict.fromkeys(map(ord, "\t\n\r\f\v\xa0\u3000"), " ")
_PRIVATE: Final = dict.fromkeys((*range(_FIRST_SIGN, 63744), ord(_NONE)), 32)
_WIDE: Final = {code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), 0xFF0F, 0xFF0D, 0xFF0E)}
_SIGNS: Final = {**_WIDE, **_PRIVATE}
_QUOTES: Final = {'"': '"', "“": "”", "„": "“", "‘": "’", "«": "»", "‹": "›", "「": "」"}
_TITLE: Final = re.compile("《[^《》]{1,60}》")
_OPENING: Final = re.compile(r"(?:^|[.!?:;\"“]\s*)$")  # before the first word of a sentence


class Mention(NamedTuple):
    """A place in a text that names a period."""

    period: Period
    start: int  # in characters
    stop: int
    weekday: int | None = None  # 0–6 for a bare weekday, which may recur every week
    is_vague: bool = False  # such as "recently", which means little beside a date
    name: str | None = None  # of a holiday
    language: str = ""  # code of the language that names it
    loosely: Period | None = None  # see `about`
    year: int = 0  # of the day that relative periods count from
    coming: Period | None = None
    """The next such day, of a weekday or a day without a month, if the text shows no tense."""

    @property
    def about(self) -> Period:
        """The days that people call so: for "two weeks ago" seven."""
        return self.loosely or self.period

    @property
    def forms(self) -> list[str]:
        """How a text may write the same day, month or weekday; empty for other periods.

        A text that has all index words of one form may speak of the period.
        """
        if self.weekday is not None:
            return _words_for("weekday", self.weekday + 1)
        first, last = self.period.first, self.period.last
        own = [] if self.name is None else [self.name]
        if first == last:
            years = range(self.year - 1, self.year + 2) if self.period.yearly else [first.year]
            forms = (form for t in languages() for form in _written(t, first, years))
            return [*dict.fromkeys(forms), *own]
        if own:
            return own
        if first.year == MAXYEAR:
            return []
        year = None if self.period.yearly else first.year
        for count in (1, 3, 6):  # a month, a quarter, a half
            if self.period == whole_months(year, first.month, count):
                months = range(first.month, first.month + count)
                return [f for month in months for f in _words_for("month", (month - 1) % 12 + 1)]
        if self.period == whole_months(first.year, 1, 12):
            return [str(first.year)]
        return []


@cache
def _words_for(slot: str, value: int) -> list[str]:
    """The words of all languages for a month or weekday, in one with compounds also for the parts
    of the day (Samstagabend)."""
    found: dict[str, None] = {}
    for tongue in languages():
        has = tongue.vocabulary.get
        parts = has("daytime", {}) if slot == "weekday" and has("trunk") else ()
        for word in [word for word, meaning in has(slot, {}).items() if meaning == value]:
            found |= dict.fromkeys((word, *(word + part for part in parts)))
    return [*found]


def coming_forms(period: Period) -> list[str]:
    """How a text written earlier may name a day or span within a period of a given year: by its
    month, its weekday, its number in the month, as a holiday, or as "tomorrow", "next week" and
    "the end of the month"."""
    first, last = (12 * day.year + day.month - 1 for day in (period.first, period.last))
    months = {month % 12 + 1 for month in range(first, last + 1)}
    weekdays = {day.isoweekday() for day in period.newest(period.last, _WEEK)}
    forms = [_words_for("month", month) for month in months]
    forms += [_words_for("weekday", weekday) for weekday in weekdays]
    days = period.newest(period.last, _MONTH)
    forms += [[*_numbered(number)] for number in sorted({day.day for day in days})]
    forms += [[*_written(t, day, [day.year], joined=True)] for t in languages() for day in days]
    return [*_relative(), *chain.from_iterable(forms), *_feasts_of(period)]


@cache
def distant_forms() -> tuple[str, ...]:
    """Words of which a text has one if it names a future day by distance: "in ten days", 两周后."""
    found: dict[str, None] = {}
    for tongue in languages():
        behind = [""] if tongue.is_spaced else [*tongue.vocabulary.get("behind", {})]
        units = tongue.vocabulary.get("unit", {})
        found |= dict.fromkeys(unit + word for unit in units for word in behind)
    return tuple(found)


@cache
def _relative() -> tuple[str, ...]:
    """The words of all languages for days from today on, weeks and months, and their parts."""
    found: dict[str, None] = {}
    for tongue in languages():
        has = tongue.vocabulary.get
        found |= dict.fromkeys(word for word, away in has("days", {}).items() if int(away) >= 0)
        which = [w for w in has("which", {}) if len(w) == 1]  # 下周 is a word, "next week" is two
        for span, unit in (*has("span", {}).items(), *has("unit", {}).items()):
            if unit in _SPANS:
                joined = [f"{w}{span}" for w in which if len(span) <= _PAIR]
                found |= dict.fromkeys(joined if which else [span])
        joint = [("trunk", "tail")] if tongue.is_spaced else [("span", "part")]
        found |= dict.fromkeys(
            w + part
            for a, b in joint
            for w in has(a, {})
            for part in has(b, {})
            if tongue.is_spaced or len(w) <= _PAIR
        )
        found |= dict.fromkeys(has("eo", {}))
    return tuple(found)


@cache
def _numbered(day: int) -> tuple[str, ...]:
    """How all languages write a day of any month."""
    found: list[str] = []
    for tongue in languages():
        found += _filled(tongue, tongue.monthless, day)
        found += [word for word, value in tongue.numerals.ordinals.items() if value == day]
    return tuple(dict.fromkeys(found))


@lru_cache(64)
def _feasts_of(period: Period) -> tuple[str, ...]:
    """The names of holidays, and of lunar months, that are in or near a period of a given year: a
    text may call a day "two weeks before Easter"."""
    earliest, latest = period.first - min(_NEAR, period.first - date.min), period.last
    latest += min(_NEAR, date.max - latest)
    years = range(earliest.year, latest.year + 1)
    found: dict[str, None] = {}
    for slot in (*_FEASTS, _MOONTH):
        for name, when in names(slot).items():
            rule = f"moon{when:02}-" if slot == _MOONTH else str(when)
            for year in years:
                with suppress(ValueError):  # unknown for that year
                    first, last = holidays.span(rule, year)
                    if first <= latest and last >= earliest:
                        found[name] = None
    return tuple(found)


def _written(
    tongue: Language, day: date, years: Iterable[int], *, joined: bool = False
) -> Iterator[str]:
    """How a language writes a day, by the forms of its table. years: the years that the day may be
    of. joined: only forms that are one index word, in which an index finds no month or number."""
    months = [w for w, m in tongue.vocabulary.get("month", {}).items() if m == day.month]
    for form in tongue.forms:
        if joined and ("." not in form or " " in form):
            continue
        for year in years if "<yy" in form else [0]:
            filled = form.replace("<yyyy>", str(year)).replace("<yy>", f"{year % 100:02}")
            filled = filled.replace("<mm>", str(day.month)).replace("<m2>", f"{day.month:02}")
            filled = filled.replace("<mon>", "".join(tongue.numerals.in_words(day.month)[:1]))
            for month in months if "<month>" in filled else [""]:
                yield from _filled(tongue, [filled.replace("<month>", month)], day.day)


def _filled(tongue: Language, forms: Iterable[str], day: int) -> Iterator[str]:
    """Forms of a table with the number of a day in them."""
    ending = tongue.numerals.written.get(day, (*tongue.numerals.endings, "")[0])
    for form in forms:
        filled = form.replace("<ending>", ending).replace("<dd>", str(day))
        filled = filled.replace("<d2>", f"{day:02}")
        for number in tongue.numerals.in_words(day) if "<day>" in filled else [""]:
            yield filled.replace("<day>", number)


@dataclass(frozen=True, eq=False)
class Phrase:
    """A phrase of a rule, with its expression."""

    rule: Rule
    tongue: Language
    text: str
    order: int

    @cached_property
    def gates(self) -> tuple[Gate, ...]:
        """Sets of strings; a text must contain a string of each."""
        return self.tongue.phrase(self.text).gates

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The expression, for text in lower case."""
        return re.compile(self.tongue.phrase(self.text).pattern)

    @cached_property
    def periods(self) -> int:
        """How many slots for periods it has."""
        return self.text.count("<period")

    @cached_property
    def tier(self) -> int:
        """The tier that it is searched in. Raises KeyError if its rule has no known meaning."""
        return int(MEANINGS[self.rule.means][0])

    @property
    def refuses(self) -> bool:
        """Whether it marks text that looks like a period and is none."""
        return self.rule.means == "nothing"

    @cached_property
    def meaning(self) -> Meaning:
        """The function that makes a period of its slots."""
        return MEANINGS[self.rule.means][1]


class _Index:
    """Phrases by words of which their texts must contain one."""

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        self._phrases = phrases
        places: dict[Gate, int] = {}
        self._needed = [
            [places.setdefault(gate, len(places)) for gate in phrase.gates[1:]]
            for phrase in phrases
        ]
        self._gates = [*map(tuple, places)]
        self._free = [place for place, phrase in enumerate(phrases) if not phrase.gates]
        self._numeric: list[int] = []
        by_word: dict[str, list[int]] = {}
        for place, phrase in enumerate(phrases):
            opening = phrase.gates[0] if phrase.gates else frozenset()
            if opening >= DIGITS:
                self._numeric.append(place)
                opening -= DIGITS
            for word in opening:
                by_word.setdefault(word, []).append(place)
        self._by_root = {
            root: [(word, by_word[word]) for word in words] for root, words in roots(by_word)
        }
        self._ascii_by_root = {r: words for r, words in self._by_root.items() if r.isascii()}

    def likely(self, text: str) -> list[Phrase]:
        """The phrases that may occur in a text in lower case with plain spaces only."""
        found = {*self._free}
        if not DIGITS.isdisjoint(text):
            found.update(self._numeric)
        by_root = self._ascii_by_root if text.isascii() else self._by_root
        for root in [root for root in by_root if root in text]:
            for word, places in by_root[root]:
                if word in text:
                    found.update(places)
        is_open: list[bool | None] = [None] * len(self._gates)
        likely: list[Phrase] = []
        for place in sorted(found):
            for gate in self._needed[place]:
                if is_open[gate] is None:
                    is_open[gate] = holds(text, self._gates[gate])
                if not is_open[gate]:
                    break
            else:
                likely.append(self._phrases[place])
        return likely


class Grammar:
    """The phrases of some languages."""

    def __init__(self, tongues: Sequence[Language]) -> None:
        phrases = [
            (rule, tongue, text) for tongue in tongues for rule in tongue.rules for text in rule.say
        ]
        self.phrases = [Phrase(*given, order) for order, given in enumerate(phrases)]
        self._tongues = tongues

    @cached_property
    def plain(self) -> _Index:
        """The phrases that name a period by themselves."""
        return _Index([p for p in self.phrases if p.tier == _PLAIN and not p.refuses])

    @cached_property
    def refusing(self) -> _Index:
        """The phrases that look like a period and name none."""
        return _Index([p for p in self.phrases if p.refuses])

    @cached_property
    def later(self) -> _Index:
        """The phrases that contain a period, compiled only when a text names one, as few do."""
        return _Index([p for p in self.phrases if p.tier != _PLAIN])

    @cached_property
    def leading(self) -> re.Pattern[str]:
        """Finds the words that are removed from a cue with the period behind them."""
        spaced = either(w for t in self._tongues if t.is_spaced for w in t.vocabulary["leading"])
        joined = either(
            w for t in self._tongues if not t.is_spaced for w in t.vocabulary["leading"]
        )
        return re.compile(rf"(?:\b(?:{spaced})\s+)+$|(?:{joined})$", re.IGNORECASE)

    @cached_property
    def trailing(self) -> re.Pattern[str]:
        """Finds the words that are removed from a cue with the period before them."""
        words = either(w for t in self._tongues for w in t.vocabulary.get("trailing", {}))
        return re.compile(f"(?:{words})?")


@cache
def grammar() -> Grammar:
    """The grammar of all languages."""
    return Grammar(languages())


_Place = tuple[int, int, int, int, Phrase, Found | None]
"""A match: its rank and the order of its phrase (lower ones first), its start and end, its phrase,
and the period; None if it names none."""


class _Line:
    """A text in which each period that was read is replaced by a sign."""

    def __init__(self, written: str, lower: str, *, ahead: bool) -> None:
        """written, lower: the text as given, and in lower case. ahead: as in `mentions`."""
        self.written, self.text = written, lower
        self._lower, self._ahead = lower, ahead
        self.origin = [*range(len(lower) + 1)]
        """The place of each character of `text` in `written`; the last is its end."""
        self.found: dict[str, Found] = {}
        self.by: dict[str, list[Phrase]] = {}
        """sign → the phrases that it was read by"""

    def span(self, sign: str) -> tuple[int, int]:
        """The start and end in `written` of the period of a sign."""
        at = self.text.index(sign)
        return self.origin[at], self.origin[at + 1]

    def is_title(self, sign: str) -> bool:
        """Whether the period of a sign is alone in quotes, or within the title of a work."""
        start, stop = self.span(sign)
        before, after = self.written[start - 1 : start], self.written[stop : stop + 1]
        if before and _QUOTES.get(before) == after:
            return True
        titles = _TITLE.finditer(self.written) if "《" in self.written else ()
        return any(title.start() < start and stop < title.end() for title in titles)

    def rewrite(
        self, phrases: Sequence[Phrase], today: date, refusing: _Index | None = None
    ) -> bool:
        """Replace the periods that the phrases find by signs; False if they find nothing.

        Of overlapping matches the longest counts, in the tier "within" the one with the fewest
        other characters between its periods; none if a longer match of `refusing` overlaps it."""
        places = self.places(phrases, today)
        if not places:
            return False
        if refusing is not None:
            places += self.places(refusing.likely(self.text), today)
        places.sort(key=lambda place: place[:4])
        taken: list[tuple[int, int, str]] = []
        for _, _, start, stop, phrase, found in places:
            if any(start < other and begun < stop for begun, other, _ in taken):
                continue
            sign = _NONE
            depends = phrase.tier == _PLAIN and found is not None and found.depends_on_tense
            if found is not None and depends:
                with suppress(ValueError, OverflowError):  # unknown for the next year
                    if self._ahead:
                        found = as_future(found, today)
                    else:
                        found = by_tense(found, today, self._is_future(start, stop))
            if found is not None and len(self.found) < _MOST:
                sign = chr(_FIRST_SIGN + len(self.found))
                self.found[sign] = found
                inner = [p for s in self.text[start:stop] for p in self.by.get(s, ())]
                self.by[sign] = [*inner, phrase]
            taken.append((start, stop, sign))
        text, origin, at = "", [], 0
        for start, stop, sign in sorted(taken):
            text += self.text[at:start] + sign
            origin += self.origin[at : start + 1]
            at = stop
        self.text, self.origin = text + self.text[at:], origin + self.origin[at:]
        return True

    def places(self, phrases: Iterable[Phrase], today: date) -> list[_Place]:
        """The matches of phrases that have a meaning."""
        places: list[_Place] = []
        signs = sum(map(self.text.count, self.found))
        for phrase in phrases:
            if phrase.periods > signs:
                continue
            for match in self._matches(phrase):
                start, stop = match.span()
                is_known, found = self._read(phrase, match, today)
                if is_known and start < stop:
                    rank = self.origin[start] - self.origin[stop]
                    if phrase.tier == _WITHIN:
                        rank = sum(sign not in self.found for sign in match[0])
                    places.append((rank, phrase.order, start, stop, phrase, found))
        return places

    def _matches(self, phrase: Phrase) -> Iterator[re.Match[str]]:
        """The matches of a phrase, which may overlap in tiers after the first."""
        if phrase.tier == _PLAIN:
            yield from phrase.pattern.finditer(self.text)
            return
        at = 0
        while (match := phrase.pattern.search(self.text, at)) is not None:
            yield match
            at = match.start() + 1

    def _read(self, phrase: Phrase, match: re.Match[str], today: date) -> tuple[bool, Found | None]:
        """Whether the match has a meaning, and its period; None if it names none."""
        rule = phrase.rule
        if rule.is_name:
            start = self.origin[match.start()]
            if not self.written[start].isupper() or _OPENING.search(self.written[:start]):
                return False, None
        try:
            slots = self._slots(phrase, match)
            if rule.means in ("around", "nth", "bound"):
                slots["is_future"] = self._is_future(*match.span())
                slots["ahead"] = self._ahead
            found = phrase.meaning(slots, today)
        except (ValueError, OverflowError, KeyError):  # 9,999 years ago, third hour ago
            return rule.means == "date" and phrase.tier == _PLAIN, None  # 31 June is no June
        if found is not None and found.feast is not None and phrase.tier == _PLAIN:
            groups = [group for group in match.re.groupindex if group.endswith("_feast")]
            found = replace(found, name=match[groups[0] if groups else 0])
        return found is not None or phrase.refuses, found

    def is_ahead(self, sign: str) -> bool | None:
        """Whether the clause around a sign is about the future (True) or the past (False); None if
        it shows neither."""
        at = self.text.index(sign)
        return self._is_future(at, at + 1)

    def _is_future(self, start: int, stop: int) -> bool | None:
        """The same for a place in `text`. True for all if the text is read as of the future."""
        return self._ahead or tense.is_ahead(self._lower, self.origin[start], self.origin[stop])

    def _slots(self, phrase: Phrase, match: re.Match[str]) -> dict[str, Any]:
        slots: dict[str, Any] = dict(phrase.rule.given)
        for group, text in match.groupdict().items():
            if text:
                slot, _, role = group.partition("_")
                if slot == "period":
                    slots[role] = self.found[text]
                else:
                    slots[role] = phrase.tongue.value(slot, text)
        return slots


def mentions(text: str, today: date, *, ahead: bool = False) -> list[Mention]:
    """The periods that a text names, in its order. Never raises for a `str`.

    today: the day that "yesterday" and "last May" count from.
    ahead: periods are read as future ones: a bare weekday is the next one, a period that is open at
    one end begins or ends with the next such day, and includes that day."""
    return list(_mentions(text[:_LONGEST], today, ahead))


def is_ahead(text: str, mention: Mention) -> bool | None:
    """Whether a text speaks of a period that it names as future (True) or past (False); None if it
    shows neither."""
    lower = _lower(text[:_LONGEST])
    return tense.is_ahead(lower, mention.start, mention.stop)


@lru_cache(1 << 12)
def _mentions(written: str, today: date, ahead: bool) -> tuple[Mention, ...]:
    line = read(written, today, grammar(), ahead=ahead)
    return () if line is None else tuple(_listed(line, today))


def refused(written: str, today: date, by: Grammar) -> list[Phrase]:
    """The phrases that find text which looks like a period and is none."""
    line = _Line(written, _lower(written), ahead=False)
    return [place[4] for place in line.places(by.refusing.likely(line.text), today)]


def read(written: str, today: date, by: Grammar, *, ahead: bool = False) -> _Line | None:
    """A text with signs for its periods; None if no phrase is likely to occur in it. ahead: as in
    `mentions`."""
    lower = _lower(written)
    text = lower if lower.isprintable() else lower.translate(_SPACES)
    likely = by.plain.likely(text)
    if not likely:
        return None
    line = _Line(written, lower, ahead=ahead)
    line.rewrite(likely, today, by.refusing)
    if not line.found:
        return line
    likely = by.later.likely(text)
    for tier in _LATER:
        phrases = [phrase for phrase in likely if phrase.tier == tier]
        for _ in range(_ROUNDS):
            if not phrases or not line.rewrite(phrases, today):
                break
        if tier == _WITHIN and any(found.is_monthless for found in line.found.values()):
            _give_months(line)
    if len(line.found) > 1 and any(found.is_weekly for found in line.found.values()):
        _give_weeks(line, today)
    return line


def _listed(line: _Line, today: date) -> Iterator[Mention]:
    signs = [sign for sign in _SIGN.findall(line.text) if not line.is_title(sign)]
    found = [(sign, line.found[sign]) for sign in signs]
    sharp = [(sign, f) for sign, f in found if not f.is_vague] or found
    for sign, one in sharp:
        start, stop = line.span(sign)
        language = line.by[sign][-1].tongue.code
        coming = next_of(one, today) if line.is_ahead(sign) is not False else None
        later = coming.period if coming else None
        more = one.weekday, one.is_vague, one.name, language, one.about, today.year, later
        yield Mention(one.period, start, stop, *more)


def _give_months(line: _Line) -> None:
    """Place days without a month in the month that the text names before them ("in March, on the
    29th", "五月中旬,13号"), whose period becomes the same."""
    month: str | None = None
    for sign in line.text:
        found = line.found.get(sign)
        if found is None:
            continue
        if found.is_monthless and month is not None:
            period = moved(found.period, line.found[month].period)
            line.found[month] = Found(period)
            line.found[sign] = replace(found, period=period, is_monthless=False)
            month = None
        first, last = found.period.first, found.period.last
        if (first.year, first.month) == (last.year, last.month) and first != last:
            month = sign


def _give_weeks(line: _Line, today: date) -> None:
    """Count a weekday or weekend from the weekday or week that its sentence names before it ("we
    fly next Wednesday and are back on Friday"), unless the tense of its clause contradicts that. A
    weekday behind a date stays as it is ("the rent is due on 1 June, call the landlord on
    Friday")."""
    since: date | None = None
    may_recur = False  # `since` is from a bare weekday too
    for sign in line.text:
        found = line.found.get(sign)
        if sign in tense.SENTENCE_ENDS:
            since = None
        if found is None:
            continue
        if found.is_weekly and since is not None:
            is_future = line.is_ahead(sign)
            away = -((found.period.first - since).days // _WEEK) * _WEEK * DAY
            period = Period(found.period.first + away, found.period.last + away)
            is_fitting = period.first < today or (is_future is None and since > today)
            if period.last >= today if is_future else is_fitting:
                weekday = found.weekday if may_recur else None
                line.found[sign] = found = replace(found, period=period, weekday=weekday)
        is_of_week = _OF_WEEK.issuperset(phrase.rule.means for phrase in line.by[sign])
        if is_of_week and (found.is_day or found.is_week):
            since, may_recur = found.period.nearest(today).first, found.weekday is not None


def without(text: str, named: Iterable[Mention]) -> str:
    """A text without the words that name periods, and without the prepositions before them."""
    kept, at, by = "", 0, grammar()
    for mention in named:
        if mention.start < at:
            continue
        kept += by.leading.sub(" ", text[at : mention.start])
        trailing = by.trailing.match(text, mention.stop)
        at = mention.stop if trailing is None else trailing.end()
        kept += " "
    return (kept + text[at:]).strip()


def _lower(text: str) -> str:
    """A text as it is read, with the replacements of `_SIGNS`, at the same length."""
    return text.lower() if text.isascii() else folded(text.translate(_SIGNS))


def names(slot: str) -> Mapping[str, int | str]:
    """The words in lower case of all languages for a slot of the calendar → what they mean."""
    return {w: m for tongue in languages() for w, m in tongue.vocabulary.get(slot, {}).items()}
