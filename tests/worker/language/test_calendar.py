"""Which days a cue speaks of."""

from datetime import date, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphmem_worker.language.calendar import mentions, without
from graphmem_worker.language.period import Period

TODAY = date(2026, 5, 13)  # a Wednesday


def periods(text: str, today: date) -> list[Period]:
    """The periods that a text names, each once."""
    return list(dict.fromkeys(mention.period for mention in mentions(text, today)))


@pytest.mark.parametrize(
    ("cue", "first", "last"),
    [
        ("What did we decide on 7 May 2023?", "2023-05-07", "2023-05-07"),
        ("the 7th of May, 2023", "2023-05-07", "2023-05-07"),
        ("May 7th, 2023", "2023-05-07", "2023-05-07"),
        ("2023-05-07", "2023-05-07", "2023-05-07"),
        ("in June 2023", "2023-06-01", "2023-06-30"),
        ("at the end of November 2022", "2022-11-21", "2022-11-30"),
        ("early May 2023", "2023-05-01", "2023-05-10"),
        ("April 28th, 2026", "2026-04-28", "2026-04-28"),
        ("28.04.2026", "2026-04-28", "2026-04-28"),
        ("4/28/2026", "2026-04-28", "2026-04-28"),
        ("on the 28th", "2026-04-28", "2026-04-28"),
        ("8、9号", "2026-05-08", "2026-05-09"),
        ("Monday the 22nd", "2025-12-22", "2025-12-22"),
        ("on Thursday the 14th", "2025-08-14", "2025-08-14"),
        ("周一，22号那天", "2025-12-22", "2025-12-22"),
        ("on 07/08/2025, the Thursday", "2025-08-07", "2025-08-07"),
        ("Friday 08/07/2025?", "2025-08-07", "2025-08-07"),
        ("on Christmas Eve", "2025-12-24", "2025-12-24"),
        ("New Year’s Eve 2023", "2023-12-31", "2023-12-31"),
        ("the day after Boxing Day", "2025-12-27", "2025-12-27"),
        ("Easter Monday", "2026-04-06", "2026-04-06"),
        ("大年三十那晚", "2026-02-16", "2026-02-16"),
        ("2025年除夕", "2025-01-28", "2025-01-28"),
        ("正月初三", "2026-02-19", "2026-02-19"),
        ("去年国庆头三天", "2025-10-01", "2025-10-03"),
        ("元旦前一天", "2025-12-31", "2025-12-31"),
        ("中秋节那天", "2025-10-06", "2025-10-06"),
        ("清明当天", "2026-04-05", "2026-04-05"),
        ("去年五月中旬那个星期二，13号，", "2025-05-13", "2025-05-13"),
        ("2025年三月月底，29号到31号，", "2025-03-29", "2025-03-31"),
        ("the last three days of July 2025", "2025-07-29", "2025-07-31"),
        ("the second week of May 2025", "2025-05-08", "2025-05-14"),
        ("the first Monday in March", "2026-03-02", "2026-03-02"),
        ("the last weekend in September", "2025-09-27", "2025-09-28"),
        ("the last day of February", "2026-02-28", "2026-02-28"),
        ("2025年五月头三天", "2025-05-01", "2025-05-03"),
        ("去年6月第二周", "2025-06-08", "2025-06-14"),
        ("2025年5月底最后一天", "2025-05-31", "2025-05-31"),
        ("九月最后一个周末", "2025-09-27", "2025-09-28"),
        ("三月第一个星期六", "2026-03-07", "2026-03-07"),
        ("the 4th and 5th of June 2025", "2025-06-04", "2025-06-05"),
        ("2025年11月15、16号", "2025-11-15", "2025-11-16"),
        ("on Monday", "2026-05-11", "2026-05-11"),
        ("What did we do Thursday?", "2026-05-07", "2026-05-07"),
        ("since Monday", "2026-05-11", "2026-05-13"),
        ("after 3 May 2026", "2026-05-04", "2026-05-13"),
        ("from 3 May 2026 on", "2026-05-03", "2026-05-13"),
        ("before June 2023", "0001-01-01", "2023-05-31"),
        ("before June", "0001-01-01", "2026-05-31"),
        ("what I did before June", "0001-01-01", "2025-05-31"),
        ("until 3 May 2026", "0001-01-01", "2026-05-03"),
        ("since 2022", "2022-01-01", "2026-05-13"),
        ("from 3 to 7 May 2026", "2026-05-03", "2026-05-07"),
        ("from 29 February to 3 March 2025", "2025-02-28", "2025-03-03"),
        ("from 3 March 2025 to 29 February", "2025-03-03", "2026-02-28"),
        ("May 3-7, 2026", "2026-05-03", "2026-05-07"),
        ("between 3 May and 7 June 2025", "2025-05-03", "2025-06-07"),
        ("recently", "2026-04-29", "2026-05-13"),
        ("the past two weeks", "2026-04-30", "2026-05-13"),
        ("over the last month", "2026-04-14", "2026-05-13"),
        ("the week before last", "2026-04-27", "2026-05-03"),
        ("at the weekend", "2026-05-09", "2026-05-10"),
        ("tomorrow", "2026-05-14", "2026-05-14"),
        ("next week", "2026-05-18", "2026-05-24"),
        ("last May", "2025-05-01", "2025-05-31"),
        ("last April", "2026-04-01", "2026-04-30"),
        ("this March", "2026-03-01", "2026-03-31"),
        ("in 2022", "2022-01-01", "2022-12-31"),
        ("summer of 2021", "2021-06-01", "2021-08-31"),
        ("last summer", "2025-06-01", "2025-08-31"),
        ("winter 2023", "2023-12-01", "2024-02-29"),
        ("yesterday", "2026-05-12", "2026-05-12"),
        ("the day before yesterday", "2026-05-11", "2026-05-11"),
        ("last night", "2026-05-12", "2026-05-12"),
        ("three days ago", "2026-05-10", "2026-05-10"),
        ("a few days ago", "2026-05-08", "2026-05-12"),
        ("two weeks ago", "2026-04-29", "2026-04-29"),
        ("a couple of months ago", "2026-03-13", "2026-03-13"),
        ("last Tuesday", "2026-05-12", "2026-05-12"),
        ("last Wednesday", "2026-05-06", "2026-05-06"),
        ("this Friday", "2026-05-15", "2026-05-15"),
        ("last week", "2026-05-04", "2026-05-10"),
        ("last weekend", "2026-05-09", "2026-05-10"),
        ("last month", "2026-04-01", "2026-04-30"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("2023年5月7日说过什么", "2023-05-07", "2023-05-07"),
        ("二十天前", "2026-04-23", "2026-04-23"),
        ("去年五月", "2025-05-01", "2025-05-31"),
        ("2025年5月24那天", "2025-05-24", "2025-05-24"),
        ("2025年5月24日上午", "2025-05-24", "2025-05-24"),
        ("2025年5月24个人", "2025-05-01", "2025-05-31"),
        ("2025年5月3.5万", "2025-05-01", "2025-05-31"),
        ("去年夏天", "2025-06-01", "2025-08-31"),
        ("去年", "2025-01-01", "2025-12-31"),
        ("大前天", "2026-05-10", "2026-05-10"),
        ("前天", "2026-05-11", "2026-05-11"),
        ("上周三", "2026-05-06", "2026-05-06"),
        ("上上个星期天", "2026-05-03", "2026-05-03"),
        ("上周末", "2026-05-09", "2026-05-10"),
        ("本周", "2026-05-11", "2026-05-17"),
        ("上个月", "2026-04-01", "2026-04-30"),
        ("两周前", "2026-04-29", "2026-04-29"),
        ("3个月前", "2026-02-13", "2026-02-13"),
        ("二〇二六年四月二十八号", "2026-04-28", "2026-04-28"),
        ("２０２６年４月２８日", "2026-04-28", "2026-04-28"),
        ("28号发生了什么", "2026-04-28", "2026-04-28"),
        ("上个月28号", "2026-04-28", "2026-04-28"),
        ("月底", "2026-04-21", "2026-04-30"),
        ("去年年底", "2025-12-01", "2025-12-31"),
        ("上上周", "2026-04-27", "2026-05-03"),
        ("周末", "2026-05-09", "2026-05-10"),
        ("周三的会", "2026-05-06", "2026-05-06"),
        ("前几天", "2026-05-06", "2026-05-12"),
        ("最近", "2026-04-29", "2026-05-13"),
        ("过去两周", "2026-04-30", "2026-05-13"),
        ("半年前", "2025-11-13", "2025-11-13"),
        ("从周一开始", "2026-05-11", "2026-05-13"),
        ("5月3日之前", "0001-01-01", "2026-05-02"),
        ("2026年5月3号到7号", "2026-05-03", "2026-05-07"),
        ("明天", "2026-05-14", "2026-05-14"),
        ("last Friday the server broke", "2026-05-08", "2026-05-08"),
        ("on Sunday, 5 May 2024", "2024-05-05", "2024-05-05"),
        ("on Sun 5 May 2024", "2024-05-05", "2024-05-05"),
        ("the end of next week", "2026-05-21", "2026-05-24"),
        ("in May two years ago", "2024-05-01", "2024-05-31"),
        ("between the 3rd and the 9th", "2026-05-03", "2026-05-09"),
        ("the early 1990s", "1990-01-01", "1993-12-31"),
        ("the 1998–99 season", "1998-01-01", "1999-12-31"),
        ("上週三開了會", "2026-05-06", "2026-05-06"),
        ("2024年6月以前", "0001-01-01", "2024-05-31"),
        ("uebernaechste Woche", "2026-05-25", "2026-05-31"),
        ("von heute bis Weihnachten", "2026-05-13", "2026-12-26"),
        ("农历八月十五", "2025-10-06", "2025-10-06"),
        ("winter 2018/19", "2018-12-01", "2019-02-28"),
        ("on Tuesday two weeks ago", "2026-04-28", "2026-04-28"),
        ("I'm ill since Friday", "2026-05-08", "2026-05-13"),
        ("2024年12月24号平安夜", "2024-12-24", "2024-12-24"),
    ],
)
def test_a_cue_names_days(cue: str, first: str, last: str) -> None:
    """A date read wrongly prefers the wrong memories."""
    assert periods(cue, TODAY) == [Period(date.fromisoformat(first), date.fromisoformat(last))]


@pytest.mark.parametrize(
    ("cue", "first", "last"),
    [
        ("on 7 May", "2000-05-07", "2000-05-07"),
        ("on May 4th, I", "2000-05-04", "2000-05-04"),
        ("in May", "2000-05-01", "2000-05-31"),
        ("the rent of May", "2000-05-01", "2000-05-31"),
        ("What is May's rent?", "2000-05-01", "2000-05-31"),
        ("the twenty-eighth of April", "2000-04-28", "2000-04-28"),
        ("on 4/28", "2000-04-28", "2000-04-28"),
        ("between May and July", "2000-05-01", "2000-07-31"),
        ("四月二十八号", "2000-04-28", "2000-04-28"),
        ("四月底", "2000-04-21", "2000-04-30"),
        ("29 February", "2000-02-29", "2000-02-29"),
        ("in the summer", "2000-06-01", "2000-08-31"),
        ("在5月6号这天", "2000-05-06", "2000-05-06"),
        ("十二月二十五日", "2000-12-25", "2000-12-25"),
        ("冬天", "2000-12-01", "2001-02-28"),
        ("from 24 December to 5 March", "2000-12-24", "2001-03-05"),
        ("von Oktober bis März", "2000-10-01", "2001-03-31"),
    ],
)
def test_without_a_year_it_is_any_year(cue: str, first: str, last: str) -> None:
    """Nobody says the year of what they remember."""
    assert periods(cue, TODAY) == [
        Period(date.fromisoformat(first), date.fromisoformat(last), yearly=True)
    ]


@pytest.mark.parametrize(
    "cue",
    [
        "", "When did Caroline paint?", "May I ask?", "march on", "fall down", "31 June",
        "9999 years ago", "call 555-2023", "version 2.0", "a second", "decided", "周围",
        "every Monday", "the Monday meeting", "每周三", "一周三次", "3号线", "on 4/5", "$2024",
        "RTX2080", "part w1952", "issue #2024", "ISO2022 编码",
        "half of the bread", "a quarter past ten", "the last quarter of the pizza", "每季度",
        "a Christmas present", "the answer to Q3", "We locked the loan at 4.1.", "on Ubuntu 20.04.",
        "D.J. Shadow and D. M. Thomas called.", "a Halloween costume",
        "in her early thirties", "the fall of the Wall", "周末愉快", "端午节礼物",
        "我表妹叫周一鸣", "谷雨师傅的电话", "二月兰开了", "三月鱼这道菜", "霜降牛肉", "一日之计在于晨", "腊八粥怎么熬",
        "这本周刊", "先上周庄玩", "买去年糕店的糕", "前天井里的树", "这礼拜堂很旧", "三号会议室", "3/8英寸", "那条狗年纪大了",
        "反正月饼好吃", "五六年",
    ],
)  # fmt: skip
def test_what_is_no_period(cue: str) -> None:
    """A verb taken for a month prefers memories at random."""
    assert periods(cue, TODAY) == []


@pytest.mark.parametrize(
    ("cue", "first", "last"),
    [
        ("What did we ship in Q3 2025?", "2025-07-01", "2025-09-30"),
        ("2025 Q1", "2025-01-01", "2025-03-31"),
        ("the third quarter of 2025", "2025-07-01", "2025-09-30"),
        ("in the second half of 2022", "2022-07-01", "2022-12-31"),
        ("early 2022", "2022-01-01", "2022-03-02"),
        ("at the end of 2022", "2022-11-02", "2022-12-31"),
        ("the 1990s", "1990-01-01", "1999-12-31"),
        ("in the nineties", "1990-01-01", "1999-12-31"),
        ("back in '98", "1998-01-01", "1998-12-31"),
        ("over Easter 2025", "2025-04-18", "2025-04-21"),
        ("the week of 18 May 2026", "2026-05-18", "2026-05-24"),
        ("the weekend of 18 May 2026", "2026-05-23", "2026-05-24"),
        ("the week beginning 5 May 2026", "2026-05-05", "2026-05-11"),
        ("from 5 March 2025 through February", "2025-03-05", "2026-02-28"),
        ("29 February to 4 March 2023", "2023-02-28", "2023-03-04"),
        ("2024年第三季度", "2024-07-01", "2024-09-30"),
        ("2025年上半年", "2025-01-01", "2025-06-30"),
        ("上世纪九十年代", "1990-01-01", "1999-12-31"),
        ("2024年春节", "2024-02-10", "2024-02-10"),
        ("2026年五月十八号那个礼拜", "2026-05-18", "2026-05-24"),
        ("2026年5月1日那个周末", "2026-05-02", "2026-05-03"),
    ],
)
def test_longer_periods(cue: str, first: str, last: str) -> None:
    """Quarters, halves, decades, holidays and the week of a day are asked for as days are."""
    assert periods(cue, TODAY) == [Period(date.fromisoformat(first), date.fromisoformat(last))]


def test_an_offset_in_years_gives_the_year_of_the_period_before_it() -> None:
    """ "June last year" named any June, and all of last year."""
    today = date(2026, 11, 23)
    named = {
        "from March to June last year": ("2025-03-01", "2025-06-30"),
        "Valentine's Day this year": ("2026-02-14", "2026-02-14"),
        "the first half of last year": ("2025-01-01", "2025-06-30"),
        "summer last year": ("2025-06-01", "2025-08-31"),
        "late last year": ("2025-11-02", "2025-12-31"),
        "last quarter": ("2026-07-01", "2026-09-30"),
        "上季度": ("2026-07-01", "2026-09-30"),
        "国庆期间": ("2026-10-01", "2026-10-07"),
        "the first week of this month": ("2026-11-01", "2026-11-07"),
        "上个月最后一周": ("2026-10-25", "2026-10-31"),
        "上个月月底": ("2026-10-21", "2026-10-31"),
        "a year ago today": ("2025-11-23", "2025-11-23"),
        "去年今天": ("2025-11-23", "2025-11-23"),
        "两年半前": ("2024-05-23", "2024-05-23"),
        "Thanksgiving": ("2026-11-26", "2026-11-26"),
        "2019到2021年": ("2019-01-01", "2021-12-31"),
        "2026年10月1日（周四）": ("2026-10-01", "2026-10-01"),
        "two weeks ago on Tuesday": ("2026-11-10", "2026-11-10"),
        "两周前的周二": ("2026-11-10", "2026-11-10"),
        "at the end of last month": ("2026-10-21", "2026-10-31"),
    }
    for cue, (first, last) in named.items():
        expected = [Period(date.fromisoformat(first), date.fromisoformat(last))]
        assert periods(cue, today) == expected, cue


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("闰六月初六表哥结婚", "2025-07-30", "2025-07-30"),
        ("五月初五划龙舟了", "2025-05-31", "2025-05-31"),
        ("老历九月初九", "2025-10-29", "2025-10-29"),
        ("今年四月初八", "2026-05-24", "2026-05-24"),
        ("腊月三十那天", "2026-02-16", "2026-02-16"),
        ("正月里我喝醉过几回", "2026-02-17", "2026-03-18"),
        ("腊月底", "2026-02-08", "2026-02-16"),
        ("乙巳年正月", "2025-01-29", "2025-02-27"),
        ("农历甲辰年十一月初一", "2024-12-01", "2024-12-01"),
        ("农历2024年腊月二十三", "2025-01-22", "2025-01-22"),
        ("虎年大年初一", "2022-02-01", "2022-02-01"),
        ("三月三对歌了", "2026-04-19", "2026-04-19"),
        ("七月半烧了纸", "2025-09-06", "2025-09-06"),
        ("去年入伏那天", "2025-07-20", "2025-07-20"),
        ("民國114年雙十節", "2025-10-10", "2025-10-10"),
        ("贰零贰伍年玖月拾捌日", "2025-09-18", "2025-09-18"),
        ("六八年到七九年", "1968-01-01", "1979-12-31"),
        ("建国七十周年那天", "2019-10-01", "2019-10-01"),
        ("2025年元月八日", "2025-01-08", "2025-01-08"),
        ("下个月三号补考", "2026-06-03", "2026-06-03"),
        ("下个月头", "2026-06-01", "2026-06-10"),
        ("今明两天停水", "2026-05-13", "2026-05-14"),
        ("听日返深圳", "2026-05-14", "2026-05-14"),
        ("下个月的儿童节", "2026-06-01", "2026-06-01"),
        ("5月8日（上周五）", "2026-05-08", "2026-05-08"),
        ("从端午到中秋", "2026-06-19", "2026-09-25"),
        ("五一前后", "2026-04-28", "2026-05-04"),
        ("这个礼拜天天下雨", "2026-05-11", "2026-05-17"),
        ("六月的第二个周六要比赛", "2026-06-13", "2026-06-13"),
    ],
)
def test_chinese_names_days_in_many_ways(text: str, first: str, last: str) -> None:
    """A quarter of what another writer wrote was read as other days, or as none."""
    assert periods(text, TODAY) == [Period(date.fromisoformat(first), date.fromisoformat(last))]


@pytest.mark.parametrize(
    ("today", "text", "expected"),
    [
        ("2026-02-01", "大年初一店里不开门", "2026-02-17"),
        ("2026-01-10", "大年初一店里不开门", "2026-02-17"),
        ("2025-11-10", "大年初一店里不开门", "2025-01-29"),
        ("2026-11-27", "爸妈腊月二十三到", "2027-01-30"),
        ("2026-11-27", "小年祭灶", "2027-01-30"),
        ("2026-11-27", "Silvester bei Tom", "2026-12-31"),
        ("2026-11-27", "Easter with grandma", "2026-04-03"),
        ("2026-03-01", "大年初一去拜年", "2026-02-17"),
        ("2026-04-01", "大年初一去拜年", "2027-02-06"),
        ("2026-02-08", "Valentine's Day with the Okafors", "2026-02-14"),
        ("2026-02-08", "On Valentine's Day we visited them.", "2025-02-14"),
    ],
)
def test_of_a_holiday_the_closest_counts(today: str, text: str, expected: str) -> None:
    """Three months before the new year its first day was that of the last, a fortnight after it,
    with a verb that may be of either time, the next."""
    (period,) = periods(text, date.fromisoformat(today))
    assert period.first == date.fromisoformat(expected)


def test_two_periods_in_one_cue() -> None:
    """ "Both in May and in June" names both, and a year is not read twice."""
    found = periods("in May 2023, 5 June 2023 and yesterday; in May 2023", TODAY)
    assert len(found) == 3
    assert not any(
        period.last - period.first > date(2023, 6, 1) - date(2023, 5, 1) for period in found
    )


def test_which_days_lie_in_a_period() -> None:
    """A memory from the day after, or from another year, is not what was asked for."""
    may = Period(date(2023, 5, 1), date(2023, 5, 31))
    days = [date(2023, 4, 30), date(2023, 5, 1), date(2023, 5, 31), date(2023, 6, 1)]
    assert [day in may for day in days] == [False, True, True, False]
    assert date(2022, 5, 5) not in may
    (winter,) = periods("冬天", TODAY)
    assert all(day in winter for day in (date(2021, 12, 1), date(2022, 1, 5), date(2024, 2, 28)))
    assert date(2022, 3, 2) not in winter


@pytest.mark.parametrize(
    ("cue", "days"),
    [
        ("yesterday", ["2026-05-12"]),
        ("on 7 May", ["2026-05-07"]),
        ("on 14 May", ["2025-05-14"]),
        ("29 February", ["2024-02-29"]),
        ("last weekend", ["2026-05-09", "2026-05-10"]),
        ("last year", []),
    ],
)
def test_the_days_of_a_period(cue: str, days: list[str]) -> None:
    """They are looked up as words; a whole year of them would be slow."""
    (period,) = periods(cue, TODAY)
    assert [day.isoformat() for day in period.days(TODAY, 31)] == days


@pytest.mark.parametrize(
    ("cue", "today", "first", "last"),
    [
        ("in February", "2026-05-13", "2026-02-01", "2026-02-28"),
        ("in February", "2024-05-13", "2024-02-01", "2024-02-29"),
        ("between January and March", "2026-05-13", "2026-01-01", "2026-03-31"),
        ("from 24 December to 5 March", "2024-05-13", "2023-12-24", "2024-03-05"),
        ("from 24 December to 5 March", "2026-05-13", "2025-12-24", "2026-03-05"),
    ],
)
def test_a_period_of_any_year_ends_on_its_day_in_leap_years_and_others(
    cue: str, today: str, first: str, last: str
) -> None:
    """In years without a 29 February it ended a day late."""
    (period,) = periods(cue, date.fromisoformat(today))
    dated = period.dated(date.fromisoformat(today))
    assert (dated.first.isoformat(), dated.last.isoformat()) == (first, last)
    before, after = dated.first - timedelta(1), dated.last + timedelta(1)
    held = [day in period for day in (before, dated.first, dated.last, after)]
    assert held == [False, True, True, False]


def test_a_day_of_any_year_is_today_if_today_is_that_day() -> None:
    """Who asked on 13 May what is on 13 May was told of last year's."""
    (period,) = periods("on 13 May", TODAY)
    assert period.yearly
    assert period.latest(TODAY) == TODAY
    assert period.days(TODAY, 31) == [TODAY]


@pytest.mark.parametrize(
    ("today", "year"), [("2026-12-23", 2026), ("2026-12-26", 2026), ("2026-12-27", 2027)]
)
def test_a_period_of_any_year_is_to_come_until_its_last_day(today: str, year: int) -> None:
    """On its last day a feast was told as that of the next year."""
    feast = Period(date(2000, 12, 24), date(2000, 12, 26), yearly=True)
    coming = feast.coming(date.fromisoformat(today))
    assert coming == Period(date(year, 12, 24), date(year, 12, 26))


def test_what_names_a_period_leaves_the_text() -> None:
    """The words of a date find whatever else has a 28 in it."""
    for cue, rest in (
        ("What did Ada eat on the 28th of April?", "What did Ada eat   ?"),
        ("四月二十八号那天林青说了什么", "林青说了什么"),
        ("between 3 May and 7 May", ""),
        ("before June 2023", ""),
        ("What is Ada's dose?", "What is Ada's dose?"),
    ):
        assert without(cue, mentions(cue, TODAY)) == rest


def test_a_vague_word_beside_a_date_is_ignored() -> None:
    """ "recently in May 2022" is of May 2022."""
    (period,) = periods("What did she bake recently in May 2022?", TODAY)
    assert period.first == date(2022, 5, 1)


_PARTS = (
    "from to until since before after between and in on the of last next first 29 30 31st 0 10 February jan "
    "December Monday week weekend month year quarter Q1 Q4 decade days ago two 99999999 2024 2025 9999 1 0001 "
    "nineties spring early end Christmas today yesterday – , . 2024-02-29 29.02. 2/29/2023 recently past "
    "从 到 至 之前 以来 开始 在 上 下 前 后 今 明 大前天 年 月 日 号 天 周 末 底 初 中旬 季度 第一 上半 年代 九十 春 冬 "
    "vor dem letzten Woche im Mai Quartal Wochenende bis zum Montag Jahr zweiten Ende morgen Ostern "
    "国庆 除夕 正月 初三 二十九 30 三十一 2 十二 每 几 两 ， 周一 去年今天 那天 2月29日 2019到2021年"
).split()


def _joined(parts: list[str]) -> str:
    return "".join(part + " " * part.isascii() for part in parts)


@given(
    st.text(alphabet="12 /-年月日号前后到个上周三天半底lastmay,ofgoeksdrbtwnhiu", max_size=60)
    | st.lists(st.sampled_from(_PARTS), max_size=9).map(_joined),
    st.dates() | st.sampled_from([date.min, date(2024, 2, 29), date(2025, 2, 28), date.max]),
)
@example("until 29 February", date(2025, 2, 28))
@example("周底", date(2026, 6, 1))
@example("前半日", date(2026, 6, 1))
@example("未来半天", date(2026, 6, 1))
@example("we will meet on Lunar New Year", date(2050, 12, 1))
@example("since 29 February to today", date(2025, 3, 1))
@example("next Christmas", date(9999, 12, 31))
@example("周一", date(9999, 12, 31))
@example("last Christmas", date(1, 1, 1))
def test_no_cue_breaks_it(cue: str, today: date) -> None:
    """A cue comes from a keyboard or a model; every period it names is one."""
    for period in periods(cue, today):
        assert period.first <= period.last
        assert period.first in period
        assert period.newest(today, 400)
        assert len(period.days(today, 31)) <= 31


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("We will meet on Friday", "2026-05-15", "2026-05-15"),
        ("The dentist appointment is on Monday.", "2026-05-18", "2026-05-18"),
        ("The test is on Friday the 22nd", "2026-05-22", "2026-05-22"),
        ("Dinner is on Friday at 8", "2026-05-15", "2026-05-15"),
        ("Rent is due at the end of the month", "2026-05-21", "2026-05-31"),
        ("I paid at the end of the month", "2026-04-21", "2026-04-30"),
        ("Rent is due on the 3rd", "2026-06-03", "2026-06-03"),
        ("We are flying home on Christmas Eve", "2026-12-24", "2026-12-24"),
        ("We met on Friday and will write", "2026-05-08", "2026-05-08"),
        ("The best day will be Friday", "2026-05-15", "2026-05-15"),  # German: past
        ("My hat blew off on Friday", "2026-05-08", "2026-05-08"),  # German: to come
        ("周五我要交报告", "2026-05-15", "2026-05-15"),
        ("周五我们交了报告", "2026-05-08", "2026-05-08"),
        ("Am Freitag muss ich zum Zahnarzt", "2026-05-15", "2026-05-15"),
        ("Am Freitag war ich beim Zahnarzt", "2026-05-08", "2026-05-08"),
    ],
)
def test_a_weekday_that_is_to_come_is_the_next_one(text: str, first: str, last: str) -> None:
    """ "We will meet on Friday" was read as last Friday."""
    assert periods(text, TODAY) == [Period(date.fromisoformat(first), date.fromisoformat(last))]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Was haben wir letzten Dienstag besprochen?", "2026-05-12", "2026-05-12"),
        ("die Notiz vom 3. Mai 2025", "2025-05-03", "2025-05-03"),
        ("im Juni letzten Jahres", "2025-06-01", "2025-06-30"),
        ("Ende des zweiten Quartals 2025", "2025-06-16", "2025-06-30"),
        ("an Pfingsten 2025", "2025-06-08", "2025-06-09"),
        ("zwischen dem 3. und dem 7. Mai 2025", "2025-05-03", "2025-05-07"),
        ("am einundzwanzigsten März 2025", "2025-03-21", "2025-03-21"),
        ("in der Woche vom 18. Mai 2026", "2026-05-18", "2026-05-24"),
        ("seit 2022", "2022-01-01", "2026-05-13"),
    ],
)
def test_german_is_read_by_its_tables(text: str, first: str, last: str) -> None:
    """A third language is tables alone: the reader has no word of it."""
    assert periods(text, TODAY) == [Period(date.fromisoformat(first), date.fromisoformat(last))]


def test_an_offset_from_today_gives_the_days_that_people_call_so() -> None:
    """ "Two weeks ago" may have been a day earlier or later, "last Tuesday" not."""
    for text, first, last in (
        ("two weeks ago", "2026-04-26", "2026-05-02"),
        ("in a month", "2026-05-28", "2026-06-27"),
        ("the last three days", "2026-05-10", "2026-05-13"),
        ("vor zwei Wochen", "2026-04-26", "2026-05-02"),
        ("last Tuesday", "2026-05-12", "2026-05-12"),
    ):
        (mention,) = mentions(text, TODAY)
        assert mention.about == Period(date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [("去年年底", "2025-11-02", "2025-12-31"), ("去年中秋", "2025-10-05", "2025-10-07")],
)
def test_people_use_the_end_of_a_year_and_a_holiday_for_more_days(
    text: str, first: str, last: str
) -> None:
    """A cue for "the end of last year" finds what was told in November."""
    (mention,) = mentions(text, TODAY)
    assert mention.about == Period(date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("下周姐姐要来", "2026-05-18", "2026-05-24"),
        ("下周瑜伽课停了", "2026-05-18", "2026-05-24"),
        ("上月刊登的文章", "2026-04-01", "2026-04-30"),
        ("下月台风多", "2026-06-01", "2026-06-30"),
        ("前天窗口排队", "2026-05-11", "2026-05-11"),
        ("周一到周三我值班了", "2026-05-11", "2026-05-13"),
        ("周日天气真好", "2026-05-10", "2026-05-10"),
        ("今年初雪很大", "2026-01-01", "2026-12-31"),
        ("今年轻松多了", "2026-01-01", "2026-12-31"),
    ],
)
def test_what_only_begins_like_a_name_is_a_day(text: str, first: str, last: str) -> None:
    """周庄 is a town and 月台 a platform; 下周姐姐 and 下月台风 are weeks and months."""
    assert periods(text, TODAY) == [Period(date.fromisoformat(first), date.fromisoformat(last))]


def test_a_vague_time_to_come_names_no_day() -> None:
    """ "In a few days" was five days, and "in a couple of days" one."""
    for text in ("过几天去体检", "过两天再说"):
        assert [mention.is_vague for mention in mentions(text, TODAY)] == [True]


def test_what_looks_like_a_period_beside_one_is_left_alone() -> None:
    """Only where something is read is it asked whether it is none: a name, a version, an idiom."""
    for text in (
        "our cat is called Tuesday", "upgraded the tool to 3.12.2024", "die Katze heißt Mittwoch",
        "Cyberpunk 2077", "他小名叫冬至，爱吃甜的", "von heute auf morgen", "in the code, 1984 or 1948",
    ):  # fmt: skip
        assert periods(text, TODAY) == [], text


def test_a_sentence_without_a_word_of_the_past_is_of_what_is_to_come() -> None:
    """A feast told of in the present was read as the last one."""
    for text, day in (
        ("Gran turns eighty on Boxing Day.", "2026-12-26"),
        ("Is there school on Monday?", "2026-05-18"),
        ("It broke on Monday.", "2026-05-11"),
        ("Der Kühlschrank wird am Freitag geliefert.", "2026-05-15"),
        ("Am Freitag hat man ihn geliefert.", "2026-05-08"),
        ("周六谁来？", "2026-05-16"),
        ("端午节我妈寄来一箱粽子。", "2025-05-31"),
        ("周六热得睡不着", "2026-05-09"),
        ("周六加班到十点", "2026-05-09"),
        ("周六要加班到十点", "2026-05-16"),
        ("周五送我的花", "2026-05-08"),
        ("周五要送我的朋友去机场", "2026-05-15"),
        ("医生说要周五去复查", "2026-05-15"),
        ("周日想看电影", "2026-05-17"),
    ):
        assert periods(text, TODAY) == [Period(*2 * [date.fromisoformat(day)])], text


@pytest.mark.parametrize("text", ["《昨天》", 'We heard "Yesterday".', "er las „Morgen“ vor"])
def test_a_title_is_no_day(text: str) -> None:
    """A song that is named brought back what happened on the day before."""
    assert periods(text, TODAY) == []


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("月底前修好", "2026-11-30"),
        ("年底之前交", "2026-12-31"),
        ("最晚月底", "2026-11-30"),
        ("下个月底以前", "2026-12-31"),
        ("十二月下旬之前", "2026-12-20"),
        ("下周末前修好", "2026-12-04"),
        ("Fix it by the end of the month", "2026-11-30"),
        ("before the end of the year", "2026-12-31"),
        ("by month's end", "2026-11-30"),
        ("before late December", "2026-12-20"),
        ("bis Monatsende", "2026-11-30"),
        ("vor Jahresende", "2026-12-31"),
        ("spätestens Ende Dezember", "2026-12-31"),
        ("vor dem Jahresschluss", "2026-12-31"),
    ],
)
def test_before_the_end_of_a_month_is_until_its_last_day(text: str, last: str) -> None:
    """月底前修好, told on the 27th, was read as until the 20th: the day before the end begins."""
    assert periods(text, date(2026, 11, 27)) == [Period(date.min, date.fromisoformat(last))]


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("我下周三要去上海，周五回来", "2026-12-04"),
        ("明天出差，周末回来", "2026-11-29"),
        ("上周三我去了上海，周五看了展", "2026-11-20"),
        ("上周三说好的，周五要交", "2026-11-27"),
        ("We fly next Wednesday and are back on Friday", "2026-12-04"),
        ("Next week I'm in Oslo, on Friday there's the dinner.", "2026-12-04"),
        ("On Tuesday we leave, on Thursday we arrive", "2026-12-03"),
        ("I was ill last week. On Friday I will rest.", "2026-11-27"),
        ("Nächsten Dienstag fliege ich nach Rom, am Sonntag bin ich zurück", "2026-12-06"),
        ("Letzten Dienstag war ich beim Arzt, am Donnerstag kam der Befund", "2026-11-26"),
    ],
)
def test_a_weekday_behind_another_day_follows_it(text: str, last: str) -> None:
    """ "I go next Wednesday and come back on Friday" came back before it left."""
    assert periods(text, date(2026, 11, 27))[-1].last == date.fromisoformat(last)


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("The flat is free from 1 July, we look at it on Thursday.", "2026-05-14"),
        ("Rent is due on 1 June, call the landlord on Friday.", "2026-05-15"),
        ("My exam is on 8 July, so on Friday I start revising.", "2026-05-15"),
        ("The wedding is in three weeks, and on Saturday we try the dress.", "2026-05-16"),
        ("房租6月1号到期，周五要给房东打电话。", "2026-05-15"),
        ("三周后婚礼，周六去试婚纱。", "2026-05-16"),
        ("Die Miete ist am 1. Juni fällig, am Freitag rufe ich den Vermieter an.", "2026-05-15"),
    ],
)
def test_a_weekday_behind_a_date_is_the_next_one(text: str, last: str) -> None:
    """What is to be done on Friday for a day in June was moved to June, after it was due."""
    assert periods(text, TODAY)[-1].last == date.fromisoformat(last)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("从明天起放假", "2026-11-28", "9999-12-31"),
        ("1月1号起涨价", "2027-01-01", "9999-12-31"),
        ("9月1号起我每天吃药", "2026-09-01", "2026-11-27"),
        ("from tomorrow on", "2026-11-28", "9999-12-31"),
        ("after Christmas", "2027-01-01", "9999-12-31"),
        ("ab Dezember", "2026-12-01", "9999-12-31"),
        ("ab September", "2026-09-01", "2026-11-27"),
        ("nach Ostern", "2026-04-07", "2026-11-27"),
    ],
)
def test_what_begins_later_is_open_at_its_end(text: str, first: str, last: str) -> None:
    """ "From tomorrow on" was tomorrow alone, and 1月1号起 was since the last January."""
    expected = Period(date.fromisoformat(first), date.fromisoformat(last))
    assert periods(text, date(2026, 11, 27)) == [expected]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("the Friday before Easter", "2027-03-26", "2027-03-26"),
        ("What is on the Monday after New Year?", "2027-01-04", "2027-01-04"),
        ("die Woche vor Pfingsten", "2027-05-09", "2027-05-15"),
        ("zwei Wochen nach Ostern", "2027-04-11", "2027-04-11"),
        ("Was ist an Fronleichnam?", "2027-05-27", "2027-05-27"),
        ("春节前的星期五", "2027-02-05", "2027-02-05"),
        ("元旦后一周", "2027-01-02", "2027-01-08"),
        ("between Christmas and New Year", "2026-12-26", "2026-12-31"),
    ],
)
def test_a_day_beside_a_holiday_may_be_that_of_the_next_one(
    text: str, first: str, last: str
) -> None:
    """All were days of the last holiday only, of its calendar week, or no day."""
    (found,) = mentions(text, date(2026, 12, 1))
    wanted = Period(date.fromisoformat(first), date.fromisoformat(last))
    assert wanted in (found.period, found.coming)
