"""Dates as they are written in Chinese."""

from __future__ import annotations

from typing import Final

from graphmem.recalling import holidays
from graphmem.recalling.date_parts import (
    DAYS_BACK,
    DAYS_OFF,
    HAN_NUMBER,
    HAN_WEEK,
    HAN_WEEKDAYS,
    IN_MONTH,
    SEASONS,
    SPELLS,
    Parts,
    Rule,
    either,
    read_ago,
    read_bare_weekday,
    read_bare_weekend,
    read_calendar,
    read_days_off,
    read_decade,
    read_half_more,
    read_holiday,
    read_named,
    read_of_month,
    read_quarter,
    read_relative,
    read_rolling,
    read_season,
    read_spell,
    read_whole_year,
    read_within_month,
    read_year_ago,
)
from graphmem_worker.text.patterns import late

_HAN_YEAR: Final = (
    r"(?:(?P<year>(?:(?:19|20)\d\d)|[一二][〇零○九][〇零○一二三四五六七八九]{2}"
    r"|(?<!\d)\d\d(?= ?年\d{1,2}月))"
    " ?年|(?P<which>大前年|[去今前明后]年(?!年)))[的,，]?"
)
_HAN_DAY: Final = (
    rf"(?:{IN_MONTH}(?!\d)|[二三]?十[{HAN_NUMBER}]?|[廿卅][{HAN_NUMBER}]?|[{HAN_NUMBER}])"
)
_HAN_MONTH: Final = rf"(?<![个個\d多几])(?P<month>1[0-2]|0?[1-9]|十[一二]?|[{HAN_NUMBER}]|正) ?月"
_DAY_MARK: Final = "[日号號]"
# What follows a day of the month without a month; "3号线" and "5号楼" are no days.
_AFTER_DAY: Final = (
    "(?=$|[，。？！、,?!.\\s]|那|这|当|的|早|晚|上午|下午|中午|夜|发生|做|干|说|有|是|我|你|他|她|咱"
    "|去|以|之|前|后|到|至|聊|开|跟|和|谁|什|怎|都|在|吃|买|见|起)"
)
_DAYTIME: Final = "(?:凌晨|清早|早上|早晨|上午|白天|中午|下午|傍晚|晚上|夜里|半夜)?"
# Written in digits without the word for day, before nothing that is counted or measured.
_BARE_DAY: Final = (
    r"(?:3[01]|[12]\d|0?[1-9])(?![\d.,:：%％℃°/-]|[ ]?[a-zA-Z]"
    "|[个個多万千百亿元块毛角台件条人次点度岁家本张份天周月年分秒折只位场名篇套批杯瓶间节层项笔辆公斤米])"
)
_HAN_FEAST: Final = either(holidays.NAMES, False)
# Of these the name alone is a day; of other holidays people speak for days before and after.
_HAN_FEAST_DAY: Final = (
    "除夕夜?|大年三十|大年夜|(?:大年|正月)初[一二三四五六七八]|正月十五|平安夜|跨年夜|元旦"
)
_HAN: Final = ()  # the gate that any character beyond ASCII opens
_HAN_OFF: Final = tuple(name for name in DAYS_OFF if not name.isascii())


def _plain_unit(parts: Parts) -> Parts:
    """A Chinese unit without its measure word: 个星期 is as long as 星期; 个月 stays."""
    unit = parts["unit"].replace("多", "")
    return {**parts, "unit": unit if unit == "个月" else unit.removeprefix("个")}


GRAMMAR: Final[tuple[Rule, ...]] = tuple(
    (gate, late(pattern), read)
    for gate, pattern, read in (
        (_HAN,
         rf"(?:{_HAN_YEAR})?+(?:(?P<feast>{_HAN_FEAST})节?夜?(?:的?(?:[那这当]一?[天日晚夜]"
         rf"|头(?P<count>[{HAN_NUMBER}])天)|(?P<beside>前一?[天日晚夜]|后一?天|第二天|次日|隔天))"
         rf"|(?P<feast_day>{_HAN_FEAST_DAY}))", read_holiday),
        (_HAN_OFF,
         rf"{_HAN_YEAR}的?(?P<feast>{either(DAYS_OFF, False)})节?(?:期间|假期|长假|那几天|放假)?",
         read_days_off),
        (_HAN_OFF,
         rf"(?P<feast>{either(DAYS_OFF, False)})节?的?"
         r"(?:期间|假期|长假|那几天|放假|那[段阵])", read_days_off),
        (("年代",),
         r"(?:(?:上个?|20|二十)世纪)?(?P<decade>(?:19|20)\d0|[3-9]0|[三四五六七八九]十)年代",
         read_decade),
        (("季度", "半年"),
         rf"(?:{_HAN_YEAR})?+(?:第?(?P<quarter>[一二三四1-4])个?季度|(?P<half>[上下])半年)",
         read_quarter),
        (_HAN,
         rf"(?:{_HAN_YEAR})?+{_HAN_MONTH}[份底末初里]?的?(?P<end>头|前|开头|最初|最后|最末|末|第)"
         rf"(?P<count>\d{{1,2}}|[{HAN_NUMBER}])"
         rf"(?P<unit>[天日]|个?(?:周末|{HAN_WEEK}[{HAN_WEEKDAYS}天]|{HAN_WEEK}))",
         read_within_month),
        (_HAN,
         rf"(?:{_HAN_YEAR})?+{_HAN_MONTH}(?P<day>{_HAN_DAY}){_DAY_MARK}?"
         rf"(?:到|至|-|–|—|~|～|、|和|与)(?P<until>{_HAN_DAY}){_DAY_MARK}", read_calendar),
        (_HAN,
         rf"(?<![农阴]历)(?:{_HAN_YEAR})?+{_HAN_MONTH}(?: ?(?P<day>{_HAN_DAY}) ?{_DAY_MARK}"
         rf"(?:[（(,，]?{HAN_WEEK}[{HAN_WEEKDAYS}天][）)]?)?{_DAYTIME}"
         rf"|(?:月?(?P<part>上旬|中旬|下旬|[初中底末])|份)|(?P<day_after>[二三]?十[{HAN_NUMBER}]?|廿[{HAN_NUMBER}]?)"
         rf"(?![{HAN_NUMBER}个個多])|(?P<bare_day>{_BARE_DAY}))?+", read_calendar),
        (_HAN,
         rf"(?P<which>上上|上|这|本|下)个?月的?(?:(?P<day>{_HAN_DAY}){_DAY_MARK}|月?(?P<part>上旬|中旬|下旬|[初中底末]))",
         read_of_month),
        (_HAN,
         rf"(?:{_HAN_YEAR})?+(?P<season>{either(SEASONS, False)})[天季]", read_season),
        (("去年",),
         "去年的?今[天日]", read_year_ago),
        (("年半",),
         rf"(?P<count>\d{{1,3}}|[{HAN_NUMBER}]{{1,3}})(?P<unit>年)半[之以]?前", read_half_more),
        (_HAN,
         rf"(?P<count>\d{{1,3}}|[{HAN_NUMBER}几半]{{1,3}})(?P<unit>个?多?(?:星期|礼拜|月)|多?[天周年])"
         rf"[之以]?前(?:的?{HAN_WEEK}(?P<fits>[{HAN_WEEKDAYS}天]))?",
         lambda parts, today: read_ago(_plain_unit(parts), today)),
        (_HAN,
         rf"(?P<word>{either(SPELLS, False)})(?![{HAN_NUMBER}\d几半])", read_spell),
        (_HAN,
         rf"(?:过去|最近|近|这|(?<![以之])前)的?这?(?P<count>\d{{1,3}}|[{HAN_NUMBER}几半]{{1,3}})"
         "(?P<unit>个?(?:星期|礼拜|月)|[天周年日])(?:[以之]?[内来间])?",
         lambda parts, today: read_rolling(_plain_unit(parts), today)),
        (_HAN,
         rf"(?P<word>{either(DAYS_BACK, False)}){_DAYTIME}", read_named),
        (_HAN,
         rf"(?P<which>上上|上|这|本|下下|下)一?个?{HAN_WEEK}(?P<unit>[{HAN_WEEKDAYS}天末])?"
         rf"{_DAYTIME}", read_relative),
        (("月",),
         rf"(?P<which>上上|上|这|本|下)个?月的?(?P<end>头|前|最初|最后|第)(?P<count>[{HAN_NUMBER}\d])?"
         rf"个?(?P<unit>[天日]|周末|{HAN_WEEK})", read_within_month),
        (_HAN,
         "(?P<which>上上|上|这|本|下)个?(?P<unit>月|季度)", read_relative),
        (_HAN,
         rf"(?P<every>每个?){HAN_WEEK}[{HAN_WEEKDAYS}天末]", lambda parts, today: None),
        (_HAN,
         rf"(?<![{HAN_NUMBER}\d几每]){HAN_WEEK}(?P<weekday>[{HAN_WEEKDAYS}天])(?!期)"
         rf"{_DAYTIME}", read_bare_weekday),
        (_HAN,
         "(?<!每)(?<!每个)周末", read_bare_weekend),
        (_HAN,
         r"(?P<which>[去今前明])年年?(?P<part>[初中底末])",
         lambda parts, today: read_whole_year({**parts, "which": f"{parts['which']}年"}, today)),
        (_HAN,
         rf"{_HAN_YEAR}(?P<part>[初中底末])?", read_whole_year),
        (_HAN,
         "(?<![个個\\d一二两三四五六七八九十])月(?P<part>[初中底末])", read_of_month),
        (_HAN,
         "(?<![\\d一二两三四五六七八九十])(?P<which>)年(?P<part>[初底末])",
         lambda parts, today: read_whole_year({"which": "今年", **parts}, today)),
        (_HAN,
         rf"(?<![月\d.{HAN_NUMBER}第])(?P<day>{_HAN_DAY}){_DAY_MARK}?(?:、|到|至|-|–|—|~|～)"
         rf"(?P<until>{_HAN_DAY}){_DAY_MARK}(?={_AFTER_DAY}|[)）])", read_of_month),
        (_HAN,
         rf"(?<![月\d{HAN_NUMBER}第])(?P<day>{_HAN_DAY}){_DAY_MARK}{_DAYTIME}{_AFTER_DAY}",
         read_of_month),
    )
)  # fmt: skip
"""In the order in which they are looked for, after those of `english_dates`."""
