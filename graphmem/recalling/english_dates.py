"""Dates as they are written in English, and in figures in either language."""

from __future__ import annotations

from typing import Final

from graphmem.recalling import holidays
from graphmem.recalling.date_parts import (
    COUNTS,
    DAYS_BACK,
    DIGITS,
    IN_MONTH,
    MONTHS,
    ORDINALS,
    SEASONS,
    SPELLS,
    UNIT_DAYS,
    WEEKDAYS,
    YEAR,
    Rule,
    either,
    read_ago,
    read_bare_weekday,
    read_bare_weekend,
    read_calendar,
    read_days_off,
    read_decade,
    read_figures,
    read_half_more,
    read_holiday,
    read_named,
    read_of_month,
    read_quarter,
    read_relative,
    read_rolling,
    read_season,
    read_short_year,
    read_spell,
    read_weekday_of_month,
    read_whole_year,
    read_within_month,
    read_year_ago,
    read_years,
)
from graphmem_worker.text.patterns import late

_THAT_YEAR: Final = rf"(?:{YEAR}|(?P<of>(?:last|this|next) year))\b"
_OF_YEAR: Final = rf"(?:,? (?:of )?{_THAT_YEAR})?"
_ENGLISH_DAY: Final = rf"{IN_MONTH}(?:st|nd|rd|th)?(?![\d:%])|{either(ORDINALS, True)}"
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
_FEAST: Final = either(holidays.NAMES, True).replace("'", "['’]")
_IN_MONTHS: Final = tuple(MONTHS)
_IN_WEEK: Final = tuple(WEEKDAYS)
_LATIN_SEASONS: Final = tuple(name for name in SEASONS if name.isascii())
_LATIN_BACK: Final = tuple(name for name in DAYS_BACK if name.isascii())
_LATIN_SPELLS: Final = tuple(name for name in SPELLS if name.isascii())
_LATIN_WHICH: Final = ("last", "this", "past", "previous", "next", "coming")

GRAMMAR: Final[tuple[Rule, ...]] = tuple(
    (gate, late(pattern), read)
    for gate, pattern, read in (
        (DIGITS,
         rf"(?<![\d.]){YEAR}[-/.](?P<month>1[0-2]|0?[1-9])(?:[-/.](?P<day>{IN_MONTH}))?(?!\d)"
         r"(?:[t ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:z|[+-]\d\d:?\d\d)?)?", read_calendar),
        (("19", "20"),
         rf"(?<![-\d.$€£¥#_a-z]){YEAR} ?(?:-|–|—|~|～|到|至) ?(?P<until>(?:19|20)\d\d)"
         r"(?![-\d])年?", read_years),
        (("20",),
         r"\b(?P<year>20\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])\b",
         read_calendar),
        (DIGITS,
         rf"(?:\b(?P<fits>{_DAY_NAME}),? )?(?<![\d/.-])(?P<one>\d{{1,2}})(?P<mark>[./-])"
         rf"(?P<two>\d{{1,2}})(?P=mark){YEAR}(?!\d)"
         rf"(?:[,(]? ?(?:a |the |on )?(?P<fits_after>{_DAY_NAME})\b\)?)?", read_figures),
        (("/",),
         r"\b(?:on|since|before|after|until|till|by|from) (?:the )?"
         r"(?P<at>(?P<one>\d{1,2})/(?P<two>\d{1,2}))(?![\d/.])", read_figures),
        (("/",),
         r"(?<![\d/.])(?P<at>(?P<one>\d{1,2})/(?P<two>\d{1,2}))(?=\s?[\u4e00-\u9fff？?])",
         read_figures),
        (_IN_MONTHS,
         r"\b(?:the )?(?P<end>first|second|third|fourth|last|final|opening|closing)"
         rf" (?:(?P<count>\d{{1,2}}|{either(COUNTS, True)}) )?"
         rf"(?P<unit>day|weekend|week|{_WEEKDAY_NAME})s?"
         rf" (?:of|in) (?:{_LAST} )?{_MONTH_NAME}\b\.?{_OF_YEAR}", read_within_month),
        (("month",),
         r"\b(?:the )?(?P<end>first|second|third|fourth|last|final)"
         rf" (?:(?P<count>\d{{1,2}}|{either(COUNTS, True)}) )?"
         rf"(?P<unit>day|weekend|week|{_WEEKDAY_NAME})s?"
         r" (?:of|in) (?P<which>last|this|next) month\b", read_within_month),
        (_IN_MONTHS,
         rf"\b(?:between )?(?:the )?(?P<at>(?P<day>{_ENGLISH_DAY}) (?:and|&) (?:the )?"
         rf"(?P<until>{_ENGLISH_DAY}) (?:of )?{_MONTH_NAME}\b\.?{_OF_YEAR})", read_calendar),
        (_IN_MONTHS,
         rf"\b(?P<day>{_ENGLISH_DAY}){_THROUGH}(?P<until>{_ENGLISH_DAY}) (?:of )?{_MONTH_NAME}\b\.?"
         rf"{_OF_YEAR}", read_calendar),
        (_IN_MONTHS,
         rf"\b{_MONTH_NAME}\b\.? (?:the )?(?P<day>{_ENGLISH_DAY}){_THROUGH}"
         rf"(?P<until>{_ENGLISH_DAY})\b(?! ?(?:of )?(?:{'|'.join(MONTHS)})){_OF_YEAR}",
         read_calendar),
        (_IN_MONTHS,
         rf"{_LEAD}(?P<at>(?:{_WEEKDAY_NAME},? (?:the )?)?{_PART}(?:{_LAST} )?+"
         rf"(?:(?<![\d:.])(?P<day>{_ENGLISH_DAY}) (?:of )?)?+{_MONTH_NAME}\b\.?"
         rf"(?:,? (?:the )?(?P<day_after>{_ENGLISH_DAY})\b)?{_OF_YEAR})(?P<own>['’]s\b)?",
         read_calendar),
        ((" day", " eve", " night", "halloween", "thanksgiving", "easter", "sunday", "friday",
          "shrove", "ash", "maundy"),
         rf"\b(?:(?P<beside>the (?:day|night|evening) (?:before|after)) "
         rf"(?P<feast>{_FEAST}|christmas|new year['’]s|easter)"
         rf"|(?:last )?(?P<feast_day>{_FEAST}))\b{_OF_YEAR}", read_holiday),
        (("christmas", "easter", "new year"),
         rf"\b(?:(?:over|during|at|for|around|since|before|after) (?:the )?(?:last )?"
         rf"(?P<at>(?P<feast>christmas|easter|new year)(?! (?:eve|day))\b{_OF_YEAR}))",
         read_days_off),
        (("christmas", "easter", "new year"),
         rf"\b(?P<feast>christmas|easter),? (?:of )?{_THAT_YEAR}", read_days_off),
        (("q1", "q2", "q3", "q4"),
         r"\b(?:(?:in|of|for|during|since|by|until|before|after) "
         rf"(?P<at>q(?P<quarter>[1-4]){_OF_YEAR})\b)", read_quarter),
        (("q1", "q2", "q3", "q4"),
         rf"\bq(?P<quarter>[1-4])(?:,? ?(?:of )?|/){YEAR}\b", read_quarter),
        (("q1", "q2", "q3", "q4"),
         rf"(?<![\d.]){YEAR}[ -]?q(?P<quarter>[1-4])\b", read_quarter),
        (("quarter",),
         rf"\b(?P<quarter>first|second|third|fourth|[1-4](?:st|nd|rd|th)) quarter\b{_OF_YEAR}",
         read_quarter),
        (("half",),
         rf"\b(?P<half>first|second) half of {_THAT_YEAR}", read_quarter),
        (("0s", "0's", "0’s"),
         r"\b(?:the )?(?P<decade>(?:19|20)\d0)['’]?s\b", read_decade),
        (("0s", "0's", "0’s", "ties"),
         r"\bthe ['’]?(?P<decade>[3-9]0|fifties|sixties|seventies|eighties|nineties)"
         r"(?:(?<=0)['’]?s)?\b", read_decade),
        (("19", "20", "year"),
         r"\b(?:the )?(?P<part>early|mid|middle|late|beginning|start|end)(?: of|-| in)? ?"
         rf"{_THAT_YEAR}(?![-\d])", read_whole_year),
        (("month",),
         r"\b(?:the )?(?P<part>beginning|start|middle|end) of (?:the|(?P<which>this|last|next)) "
         r"month\b", read_of_month),
        (("'", "’"),
         rf"\b(?:in|of|since|from|before|after|until|{either(SEASONS, True)}) "
         r"(?P<at>['’](?P<short>\d\d))\b(?!['’])", read_short_year),
        (("the ",),
         rf"\b(?:on|since|before|after|until|till|by|from) (?P<at>the (?P<day>{_ENGLISH_DAY})"
         r"(?: of (?P<which>this|last) month)?)(?=[?.!,;]|$| (?:at|in|with|and|when|to|for|by|did"
         r"|was|were|what|who|that|on)\b)", read_of_month),
        (_IN_WEEK,
         rf"\b(?P<fits>{_DAY_NAME}),? (?:the )?(?P<day>(?:{IN_MONTH})(?:st|nd|rd|th)"
         rf"|{either(ORDINALS, True)})\b(?! (?:of )?(?:{'|'.join(MONTHS)}))",
         read_weekday_of_month),
        (_LATIN_SEASONS,
         rf"\b(?:{_LAST} |in (?:the )?|during (?:the )?|over (?:the )?)"
         rf"(?P<season>{either(SEASONS, True)})\b{_OF_YEAR}", read_season),
        (_LATIN_SEASONS,
         r"\b(?:since|before|after|until) (?:the )?"
         rf"(?P<at>(?P<season>{either(SEASONS, True)})\b{_OF_YEAR})", read_season),
        (_LATIN_SEASONS,
         rf"\b(?P<season>{either(SEASONS, True)})(?:,? (?:of )?){_THAT_YEAR}", read_season),
        (("today", "this day"),
         r"\b(?:(?:a|one) year ago today|(?:today|this day),? last year)\b", read_year_ago),
        (("ago",),
         rf"\b(?P<count>\d{{1,2}}|{either(COUNTS, True)})(?: (?P<unit>year|month|week)s?)?"
         r" and a half(?: (?P<units>year|month|week)s)? ago\b", read_half_more),
        (("ago", "back", "earlier"),
         rf"\b(?P<count>\d{{1,3}}|half a|{either(COUNTS, True)})(?: of)?"
         rf" (?P<unit>{either(UNIT_DAYS, True)})s? (?:ago|back|earlier)\b"
         rf"(?: on (?P<fits>{_WEEKDAY_NAME})\b)?", read_ago),
        (("last", "past", "previous"),
         rf"\b(?:(?:in|over|during|within|for) )?(?:the |these )?(?:last|past|previous) "
         rf"(?P<count>\d{{1,3}}|half|{either(COUNTS, True)})(?: of| an?)? "
         rf"(?P<unit>{either(UNIT_DAYS, True)})s?\b", read_rolling),
        (("last ", "past "),
         rf"\b(?:in|over|during|within|for) the (?:last|past)"
         rf" (?P<unit>{either(UNIT_DAYS, True)})\b", read_rolling),
        (_LATIN_BACK,
         rf"\b(?P<word>{either(DAYS_BACK, True)})\b(?: (?:morning|afternoon|evening|night))?",
         read_named),
        (_LATIN_SPELLS,
         rf"\b(?:just )?(?P<word>{either(SPELLS, True)})\b", read_spell),
        (("before",),
         rf"\b(?:the )?(?P<unit>weekend|week|month|year|{_WEEKDAY_NAME}) (?P<twice>before) "
         r"(?P<which>last)\b", read_relative),
        (_LATIN_WHICH,
         rf"\b(?:earlier |later |(?:in|at|over|during) the )?(?:this (?=past ))?"
         r"(?:(?P<which>last|this|past|previous|next|coming) )"
         rf"(?P<unit>weekend|week|month|quarter(?! of)|year|{_WEEKDAY_NAME})\b"
         r"(?: (?:morning|afternoon|evening|night))?", read_relative),
        (_IN_WEEK,
         rf"\b(?:(?P<every>every|each|most|all) |on |since |before |after |until |till |by |from "
         rf"|to |and |between )(?P<at>(?P<weekday>{_DAY_NAME}))\b(?!s\b)(?! ?\d)"
         r"(?: (?:morning|afternoon|evening|night))?", read_bare_weekday),
        (_IN_WEEK,
         rf"(?<!every )(?<!each )(?<!the )(?<!easter )(?<!whit )(?<!black )(?<!cyber )"
         rf"\b(?P<weekday>{_WEEKDAY_NAME})"
         r"(?: (?:morning|afternoon|evening|night))?(?=\s*[?.!,]|\s*$)", read_bare_weekday),
        (("weekend",),
         r"\b(?:at|on|over|during) (?:the )?weekend\b", read_bare_weekend),
    )
)  # fmt: skip
"""In the order in which they are looked for: what one has found is not read by those after it."""

YEAR_ALONE: Final[Rule] = (
    ("19", "20"),
    late(
        rf"(?:(?<![-\d.$€£¥#_a-z])|(?<=\bfy)){YEAR}"
        r"(?![-\d]|\.\d| ?[%年]| (?:people|euros|dollars|words|tokens))\b"
    ),
    read_whole_year,
)
"""Looked for last: a year may be a part of any other date."""
