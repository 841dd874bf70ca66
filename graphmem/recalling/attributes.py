"""Attributes: what kind of thing a cue asks for, and whether a text could tell it.

A near-miss holds the words of the cue, and often more of them than the answer does. What it lacks
is the kind of thing that is asked for: no colour where the colour is asked for, no digits where the
phone number is. Each attribute has an expression for cues that ask for it and one for texts that
may tell it, in English and Chinese. The second need not find the answer, but must not miss one.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache
from typing import Final, NamedTuple

from graphmem_worker.text.gates import holds
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import script, words


class Attribute(NamedTuple):
    """Something that a cue may ask for."""

    name: str
    asked: re.Pattern[str]
    """In a cue that asks for it."""
    told: re.Pattern[str]
    """In every text that may tell it."""
    of_subject: bool
    """True if it is told only by what names, or is said by, the one that the cue names."""
    or_named: bool
    """True if a name that the cue does not say may tell it as well."""


_UNITS: Final = r"kilos?|kgs?|grams?|g|pounds?|lbs?|stone|ounces?|oz|tonnes?|tons?"
_NUMBER: Final = (
    r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|\w+teen|\w+ty)\b"
    r"|[一二两三四五六七八九十百半几])"
)
_ORDINAL: Final = (
    r"\d(?:st|nd|rd|th)\b|\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
    r"|\w+teenth)\b"
)
_RELATIVE: Final = "husband|wife|spouse|partner|fianc[eé]e?|boyfriend|girlfriend"
_COLOURS: Final = (
    r"\b(?:red|orange|yellow|green|blue|purple|violet|pink|brown|black|white|gr[ae]y|beige|cream"
    r"|gold"
    r"|silver|turquoise|teal|navy|maroon|crimson|scarlet|magenta|cyan|indigo|lilac|lavender|mauve"
    r"|khaki"
    r"|olive|ivory|amber|copper|bronze|charcoal|mint|peach|coral|burgundy|mustard|tan|blond"
    r"|ginger|rust"
    r"|sage|hazel|lime|plum|rose|sand|wine|chocolate|coffee|caramel|honey|ruby|emerald|sapphire"
    r"|jade|sky"
    r"|slate|steel|brick|cherry|blush|oat|pastel|striped?|tartan|ochre|aubergine|apricot|salmon"
    r"|lemon"
    r"|tawny|auburn|brunette|dark|pale|bright|colou?r|paint|dye)(?:s|ed|en|ish|y)?\b"
    r"|[红橙橘黄绿青蓝紫粉黑白灰棕褐银金墨枣杏]|[^\W\d]色|燕麦|香槟|奶茶|咖啡|卡其|豆沙|条纹|花的"
    r"|原木|深|浅|荧光"
)
_ALLERGENS: Final = (
    r"\b(?:(?:pea|wal|hazel|chest|coco)?nuts?|almonds?|cashews?|pistachios?|shellfish|prawns?"
    r"|shrimps?|crab"
    r"|dairy|lactose|gluten|wheat|soya?|sesame|kiwis?|mango(?:es)?|strawberr\w+|celery|mustard"
    r"|pollen|hay"
    r"|penicillin|sulf\w+|sulph\w+|aspirin|ibuprofen|latex|dust|bees?|wasps?|stings?|fur|traces?)\b"
    r"|花生|坚果|海鲜|虾|蟹|芒果|牛奶|乳糖|鸡蛋|麸质|青霉素|头孢|磺胺|花粉|尘螨|毛|腰果|核桃"
    r"|猕猴桃|草莓"
)

_ATTRIBUTES: Final[tuple[Attribute, ...]] = tuple(
    Attribute(name, late(asked, re.IGNORECASE), late(told, re.IGNORECASE), "s" in how, "n" in how)
    for name, how, asked, told in (
        ("colour", "s",
         r"\b(?:what|which) colou?rs?\b|什么颜色|哪种颜色|啥颜色|颜色是",
         _COLOURS),
        ("weight", "",
         r"\b(?:does|did|do|is|was)\b.*\bweigh\b|\bhow heavy\b|\bweight of\b|'s weight\b"
         r"|体重|多重|几斤重?|多少(?:公)?斤|几公斤",
         rf"{_NUMBER}.{{0,12}}\b(?:{_UNITS})\b|\d ?(?:{_UNITS})\b|\bweigh|\bweight|heav|scales"
         "|[斤克吨两]|体重|[多称超]重|上秤"),
        ("height", "s",
         r"\bhow tall\b|\b(?:whose|the|'s) height\b|身高|(?:有|长)多高|个子多高",
         r"\b(?:tall|height|foot|feet|inch\w*|cm|centimet\w+)\b|\d ?(?:cm|m)\b|\bmet(?:re|er)s\b"
         r"|\d\.\d\d"
         r"|(?<!\d)1\d\d(?!\d)|米|厘米|公分|身高|[长高]高|\d'\d"),
        ("phone", "s",
         r"\b(?:phone|mobile|cell|telephone|landline|fax|contact)(?:'s)? ?numbers?\b"
         r"|\b(?:digits|number) of\b.*\b(?:mobile|phone)\b|\b(?:mobile|phone)\b.{0,12}\bend"
         "|电话(?:号码?)?(?:是|多少|几)|手机号|尾号|联系电话",
         r"\d[\d -]{2,}\d|\bends? in\b|\bending\b|尾号\W?\d|[零〇一二三四五六七八九幺]{4,}"),
        ("plate", "s",
         r"\b(?:registration|licen[cs]e|number) plate\b|\bregistration number\b|车牌|牌照",
         r"\bplate\b|\bregistration|车牌|牌照|\b[A-Z]{1,3}[- ]?\d{2,4}[- ]?[A-Z]{0,3}\b"
         "|[\u4e00-\u9fff][A-Z]·?[A-Z0-9]{4,}"),
        ("document", "",
         r"\b(?:passport|account|order|flight|booking|reference|tracking|serial|insurance|policy"
         r"|ticket"
         r"|exam(?:ination)?|candidate|invoice|case|membership|card|confirmation) (?:number|no\.)"
         "|准考证|护照号|账号|卡号|订单号|航班号|单号|身份证号|编号|会员号|保单号",
         r"\d{4,}|\d[ -]\d{3,}|(?<![A-Z])[A-Z]{1,3}[- ]?\d{2,}|(?<![A-Za-z])(?-i:[A-Z0-9]{5,})"
         r"|\bnumber\b|准考证|护照号|账号|卡号|单号|航班|证号|编号|号码|会员号|保单"),
        ("door", "s",
         r"\b(?:house|flat|room|gate|seat|door|apartment) number\b|门牌|房号|房间号|座位号",
         r"\d|[一二三四五六七八九十百]号|门牌"),
        ("floor", "s",
         r"\b(?:which|what) floor\b|几楼|几层|哪一?[楼层]",
         rf"{_ORDINAL}|\bfloor|storey|\bground\b|upstairs|basement|attic"
         r"|[\d一二三四五六七八九十][楼层]|平房|电梯|顶[楼层]|底[楼层]|地下"),
        ("street", "sn",
         r"\b(?:which|what) (?:street|road|avenue|lane)\b|\b(?:home|street) address\b|'s address\b"
         "|哪条(?:街|路|巷)|什么[街路]|哪[一个]?[街路]|地址",
         r"\b(?:street|st|road|rd|avenue|ave|lane|drive|close|terrace|crescent|square|place|court"
         r"|row|hill"
         r"|way|mews|address)\b|(?:stra(?:ss|ß)e|allee|gasse)\b"
         r"|街|[\u4e00-\u9fff]{2}路(?![上过人线边费])|巷|大道|弄|胡同|地址|\d号|[号栋幢]楼?|小区"
         r"|花园|苑|里，"),
        ("district", "sn",
         r"\b(?:which|what) (?:district|neighbou?rhood|suburb|borough|quarter)\b|哪个(?:区|小区"
         r"|街道)",
         r"\b(?:district|neighbou?rhood|suburb|borough|quarter)\b|[\u4e00-\u9fff]区|小区|街道|新区"
         "|[住租搬买]"),
        ("allergy", "s",
         r"\ballerg(?:y|ies|ic)\b|\bintoleran|过敏|忌口",
         r"allerg|intoleran|\breact|\brash|hives|welts|swell|swollen|swole|epipen|anaphyl|itch"
         r"|\bavoid"
         r"|can't (?:eat|have|take|touch)|cannot|mustn't|must not|\bno\b|without|throat|breathing"
         r"|bumps|spots"
         r"|ambulance|keep .{1,20} away|过敏|疹|红点|疙瘩|肿|痒|不能|不耐|忌|出过事|别给|休克"
         r"|嗓子|[不别]吃|[不别]碰|碰不得|拉肚子"
         rf"|{_ALLERGENS}"),
        ("birthday", "s",
         r"\bbirthdays?\b|\bdate of birth\b|\bwhen (?:was|were) .{1,40} born\b|生日|出生|属什么",
         r"birth|\bborn\b|\bturn(?:s|ed|ing)?\b|\bage|\byears? old\b|\byear-old|candle|\bparty\b"
         r"|celebrat"
         "|生日|出生|岁|生于|属|寿|满月|生辰|生了"),
        ("partner", "s",
         rf"\b(?:{_RELATIVE})\b|丈夫|妻子|老公|老婆|爱人|男朋友|女朋友|媳妇",
         rf"\b(?:{_RELATIVE})s?\b|\b(?:wives|marr(?:y|ied|ies|iage)|wedding|bride|groom|engaged|ex"
         r"|divorc\w+|anniversary|widow\w*|other half|honeymoon|propos\w+|together|dating"
         r"|going out)\b"
         "|丈夫|妻|老公|老婆|爱人|先生|太太|媳妇|对象|[男女]友|[男女]朋友|婚|前夫|两口子|夫妇"
         "|夫人|在一起|那位|那口子|交往"),
        ("salary", "s",
         r"\b(?:salary|wages?|pay rise|annual bonus|bonus|annual income)\b|\bearn(?:s"
         r"|ed)?\b.*\b(?:year|month)\b"
         r"|\bhow much\b.*\bearn|工资|薪水|月薪|年薪|奖金|年终奖|收入",
         r"\b(?:salary|wages?|bonus|paid|pays?|earn\w*|income|per cent|percent|months)\b|%"
         r"|[£€$¥] ?\d"
         r"|\d ?k\b|\bgrand\b|\d{3,} (?:an?|per) (?:month|year)|工资|薪|奖|收入|百分|[万千]|个月"),
        ("rate", "s",
         r"\b(?:per|an?|each|every) hour\?|\bhourly\b|时薪|[一每]个?小时(?:收|要|多少)",
         r"\b(?:per|an?|each|every|the) hour\b|hourly|/ ?h(?:r|our)?\b|\brate\b|[£€$¥] ?\d"
         r"|\blessons?\b"
         "|\bsessions?\b|时薪|小时|每时|[一每][节次堂]"),
        ("blood pressure", "s",
         r"\bblood pressure (?:read|is|was|value|number)|\b(?:what|how high) (?:is|was)\b"
         r"(?:(?!\b(?:for|against)\b).)*\bblood pressure(?: now| today)?\?"
         "|血压(?:是|有|多|现在[是有多])",
         r"\d{2,3} ?(?:/|over) ?\d{2,3}|blood pressure|mmhg|血压|高压|低压|降压"),
        ("full name", "s",
         r"\b(?:surname|last name|family name|first name|full name|given name|maiden name"
         r"|middle name)\b"
         "|姓什么|姓啥|全名|贵姓|大名是|本名|真名",
         r"\b(?:surname|last name|family name|first name|full name|given name|maiden|n[eé]e"
         r"|called?|named"
         r"|name's|name is|sign(?:s|ed)|initials?)\b"
         "|姓[^名什啥氏]|全名|名叫|本名|真名|大名|[名我]是|免贵|叫[\u4e00-\u9fff]{2}"
         "|[，,][\u4e00-\u9fff]{2,3}[，,]"),
        ("name", "sn",
         r"\bwhat(?:'s| is| was| are| were)\b.*\b(?:called|named)\b|\bname of\b.*'s\b"
         r"|\b\w+'s name\b",
         r"\b(?:called|named|names?|name's|nickname\w*|christened)\b|叫|名|姓|“|「|《"),
    )
)  # fmt: skip

# One of these is in every cue that asks for an attribute.
_HINTS: Final = tuple(
    (
        "colour color weigh heavy tall height number phone mobile plate no. floor street road "
        "avenue lane address district neighb suburb borough quarter allerg intoleran birth born "
        "husband wife spouse partner fianc "
        "friend salary wage rise bonus income earn hour pressure name "
        "called 颜色 重 斤 克 高 电话 号 车牌 牌照 准考证 楼 层 街 路 "
        "巷 地址 区 过敏 忌口 生日 出生 属什么 丈夫 妻子 老公 "
        "老婆 爱人 朋友 媳妇 工资 薪 奖 收入 小时 血压 姓 名"
    ).split()
)

# Inside a sentence, or a sentence by itself: elsewhere any word may be capitalised.
_NAME: Final = late(r"(?<=[\w,] )[A-Z][a-z]{2,}|(?:^|[.!?] )[A-Z][a-z]{2,}(?=[.!,])")
_CALENDAR: Final = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may "
    "june "
    "july august september october november december christmas easter english chinese french "
    "german spanish welsh".split()
)
_TITLES: Final = frozenset("mr mrs ms miss dr prof sir".split())
_ADDRESSED: Final = late(
    r"\b(?:Mrs?|Ms|Miss|Dr|Mx|call me)\.? [A-Z]\w+"
    "|(?<=[\u4e00-\u9fff])[\u4e00-\u9fff](?:大夫|医生|老师|师傅|先生|女士|主任|护士|教授)"
)
_PAIR: Final = late(r"(?=\b([A-Z]\w+ [A-Z]\w+))")
_QUESTION: Final = frozenset(
    "who whom whose what which when where why how is are was were do does did has have had can "
    "could "
    "will would should tell name list remind on in at by for from until since and the a an".split()
)
_HAN_SUBJECT: Final = late(
    "^[那这我咱你们请问辆个只位条]*(.*?)(?:的|在|对|家|把|被|是|有|叫|用|住|给|从|跟|和|要|会|能"
    "|一共|[，,？?：:]|$)"
)


_WHO: Final = late(
    r"\b(?:who|whose|whom|any(?:one|body)|every(?:one|body))\b|谁|哪位|大家|每个人", re.IGNORECASE
)


@lru_cache(1 << 8)
def asked_for(cue: str) -> Attribute | None:
    """The first attribute that a cue asks for, or None."""
    if not holds(cue.lower(), _HINTS):
        return None
    return next((one for one in _ATTRIBUTES if one.asked.search(cue)), None)


@lru_cache(1 << 8)
def subject_of(cue: str) -> frozenset[str]:
    """The index words of whom or what a cue names: in English its names, in Chinese what stands
    before the first particle; none if it names nothing or asks who it is."""
    if _WHO.search(cue) is not None:
        return frozenset()
    if script(cue) == "cjk":
        found = _HAN_SUBJECT.match(cue)
        return frozenset(words(found[1])) if found else frozenset()
    said = re.findall(r"[\w'’]+", cue)
    names = [word.removesuffix("'s").removesuffix("’s") for word in said if word[0].isupper()]
    left = [n for n in names if n.lower() not in _QUESTION | _TITLES | _CALENDAR and len(n) > 1]
    return frozenset(words(" ".join(left)))


def may_tell(one: Attribute, cue: str, text: str, speaker: str | None, *, is_about: bool) -> bool:
    """Whether a text may tell an attribute that a cue asks for. is_about: it is known to be about
    the subject, though it may name it in another script."""
    subject = subject_of(cue) if one.of_subject else frozenset()
    if subject and not is_about and not _is_about(subject, cue, text, speaker):
        return False
    if one.told.search(text):
        return True
    said = cue.casefold()
    if one.name == "full name":
        named = [*_ADDRESSED.findall(text), *_beside(subject, text)]
        return any(name.casefold() not in said for name in named)
    if not one.or_named:
        return False
    names = (name.strip(" .!?").casefold() for name in _NAME.findall(text))
    return any(name not in _CALENDAR and name not in said for name in names)


def _beside(subject: Set[str], text: str) -> list[str]:
    """The pairs of capitalised words of which one names the subject."""
    pairs = [pair.split() for pair in _PAIR.findall(text)]
    return [
        " ".join(pair)
        for pair in pairs
        if pair[0].lower() not in _TITLES and not subject.isdisjoint(words(" ".join(pair)))
    ]


def _is_about(subject: Set[str], cue: str, text: str, speaker: str | None) -> bool:
    if speaker and (speaker in cue or not subject.isdisjoint(words(speaker))):
        return True
    if any(len(word) == 2 and word[0] == word[1] and word[0] in text for word in subject):
        return True  # 爸爸 is 爸 as well
    return not subject.isdisjoint(words(text))
