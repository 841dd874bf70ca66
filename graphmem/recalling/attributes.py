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

from graphmem.recalling.names import surnames
from graphmem_worker.claims.statements import asked_of
from graphmem_worker.language.lists import listed
from graphmem_worker.text.gates import holds
from graphmem_worker.text.patterns import late
from graphmem_worker.text.sentences import clauses, sentences
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
# Unlike a number, said of how many: one is in nearly every text.
_COUNT: Final = (
    r"(?:\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|\w+teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?|hundred|thousand)\b)"
)
# Which day it is; a text that names no day may tell its own.
_DAY: Final = (
    r"\d|\b(?:jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\bmay\b|\w+day\b(?<!birthday)"
    r"|\b(?:to(?:night|morrow)|weeks?|months?|weekend|christmas|easter|eve|spring|summer|autumn"
    r"|winter|happy|had|was|same|after|before)\b"
    rf"|{_ORDINAL}"
)
_HAN_DAY: Final = (
    "[\\d一二三四五六七八九十] ?[月号日]|初[一二三四五六七八九十]|[今明昨后前]天"
    "|周[一二三四五六日末]|星期|礼拜|[上下]个?[周月]|快乐|过了|刚过|节|腊|正月|冬月|年"
)


def _surname() -> str:
    return f"[{''.join(sorted(surnames()))}]"


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
    r"|penicillin|sulf\w+|sulph\w+|aspirin|ibuprofen|latex)\b"
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
         r"|[12]\.\d\d|0\.[3-9]\d"
         r"|(?<!\d)1\d\d(?!\d)|米|厘米|公分|身高|[长高]高|\d'\d"),
        ("phone", "s",
         r"\b(?:phone|mobile|cell|telephone|landline|fax|contact)(?:'s)? ?numbers?\b"
         r"|\b(?:digits|number) of\b.*\b(?:mobile|phone)\b|\b(?:mobile|phone)\b.{0,12}\bend"
         "|电话(?:号码?)?(?:是|多少|几)|手机号|尾号|联系电话",
         r"\d[\d -]{2,}\d|\bends? in\b|\bending\b|尾号\W?\d|[零〇一二三四五六七八九幺]{4,}"),
        ("e-mail", "s",
         r"\be-?mail address\b|\bwhat(?:'s| is| was)(?: \S+){1,4} e-?mail\W*$"
         r"|邮箱(?:地址)?(?:是|多少|什么|\W*$)|(?:电邮|邮件)地址",
         r"@|\bat \w+ dot\b|\bdot com\b|\w\.(?:com?|org|net|cn|de|uk|edu)\b|mail\.\w"
         r"|gmail|outlook|hotmail|(?:address|mail) is\b|邮箱是"),
        ("handle", "s",
         r"\b(?:wechat|whatsapp|telegram|skype|signal|qq) (?:id|number|name|handle)\b|微信号|QQ号"
         r"|(?:微信|QQ)(?:是|多少)",
         r"@\w|\w_\w|[a-z]\d|\d{3,}|\bsame\b|[\u4e00-\u9fff：:] ?[A-Za-z][\w-]{3,}"
         "|同号|手机号|[号微]信?就?是"),
        ("blood group", "s",
         r"\bblood (?:type|group)\b|血型",
         r"\b(?:AB?|B|O|zero|rh\w*) ?(?:[+-]|pos\w*|neg\w*|rh)|(?-i:\b(?:AB|O|B)\b|\btype A\b)"
         r"|\bblood (?:type|group)|\brhesus|\buniversal\b|donor|型|[ABO]血|熊猫血"),
        ("size", "s",
         r"\b(?:shoe|boot|ring|shirt|dress|jacket|trousers?|clothes|clothing|hat|glove) size\b"
         r"|\b(?:what|which) size\b|鞋码|尺码|几码|什么码|多大的?[码号]|多大的(?:鞋|衣服)|穿几号",
         rf"{_COUNT}|\b(?:X*[SML]|small|medium|large|extra|child|adult)\b|\bsize|码|尺|[大中小加]号"
         r"|[SMLX]+号|[一二三四五六七八九十]号"),
        ("version", "",
         r"\b(?:which|what) version\b|哪个版本|什么版本|版本号",
         r"\d\.\d|\bv\d|(?<![\d:])\d{1,3}(?![\d:])|\b(?:latest|newest|beta|alpha|nightly"
         r"|lts|[ivx]{2,})\b|最新|正式版|测试版|[新旧老]版"),
        ("opening hours", "s",
         r"\b(?:what time|when) (?:does|do)\b.*\b(?:open|close|shut)\W*$"
         r"|\bopening (?:hours|times)\b|几点钟?(?:开门|关门|(?:开始)?营业|打烊)"
         "|营业时间|开到几点",
         rf"{_COUNT}|{_DAY}|\b(?:noon|midday|midnight|dawn|dusk|sunset|daily|round the clock|closed"
         r"|always|never)\b|点|通宵|全天|开到|打烊|早上|晚上|中午"),
        ("plate", "s",
         r"\b(?:registration|licen[cs]e|number) plate\b|\bregistration number\b|车牌|牌照",
         r"\bplate\b|\bregistration|车牌|牌照"
         r"|(?-i:\b[A-Z]{1,3}(?:[- ][A-Z]{1,2})?[- ]?\d{1,4}[- ]?[A-Z]{0,3}\b)"
         "|[\u4e00-\u9fff][A-Z]·?[A-Z0-9]{4,}"),
        ("document", "",
         r"\b(?:passport|account|order|flight|booking|reference|tracking|serial|insurance|policy"
         r"|ticket"
         r"|exam(?:ination)?|candidate|invoice|case|membership|card|confirmation) (?:number|no\.)"
         "|准考证|护照号|账号|卡号|订单号|航班号|单号|身份证号|编号|会员号|保单号",
         r"\d{5,}|(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{4}|\d[ -]\d{3,}"
         r"|(?-i:(?<![A-Za-z])(?:[A-Z]{1,3}[- ]?\d{2,}|(?=[A-Z]*\d)[A-Z0-9]{5,}))"
         r"|\bnumber\b|准考证|护照号|账号|卡号|单号|航班|证号|编号(?!了)|号码|会员号|保单"),
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
         r"|街|[\u4e00-\u9fff]{2}路(?![上过人线边费])|巷|大道|弄|胡同|地址"
         r"|(?<!月)(?<!月\d)(?<!月\d\d)(?<!\d)\d+[号栋幢弄]|小区|花园|苑|里，"),
        ("district", "sn",
         r"\b(?:which|what) (?:district|neighbou?rhood|suburb|borough|quarter)\b|哪个(?:区|小区"
         r"|街道)",
         r"\b(?:district|neighbou?rhood|suburb|borough|quarter)\b|[\u4e00-\u9fff]区|小区|街道|新区"
         "|[苑园]"
         "|[住租搬买]"),
        ("allergy", "s",
         r"\ballerg(?:y|ies|ic)\b|\bintoleran|过敏|忌口",
         r"allerg|intoleran|\breact|\brash|hives|welts|swell|swollen|swole|epipen|anaphyl|itch"
         r"|\bavoid"
         r"|can't (?:eat|have|take|touch)|cannot|mustn't|must not|\bno\b|without|throat|breathing"
         r"|bumps|spots"
         r"|ambulance|hospital|a&e|antihistamine|poorly|\bill\b"
         r"|keep .{1,20} away|过敏|疹|红点|疙瘩|肿|痒|不能|不耐|忌|出过事|别给|休克"
         r"|嗓子|[不别]吃|[不别]碰|碰不得|拉肚子"
         rf"|{_ALLERGENS}"),
        ("birthday", "s",
         r"\b(?:when|what day|what date|which (?:day|date|month))\b.*\bbirthdays?\b"
         r"|^\W*(?:what(?:'s| is) )?(?:[\w']+ ){0,3}[\w']+ birthday\W*$"
         r"|\bdate of (?:\S+ )?birth\b|\bwhen (?:was|were) .{1,40} born\b"
         "|生日.{0,4}(?:哪[天年一]|几|啥时|什么时|何时|多少)|(?:哪天|几号|几月|啥时候?|什么时候|何时).{0,4}生日"
         "|生日\\W*$"
         "|什么时候出生|哪[天年]出生|出生(?:日期|年月)|属什么",
         r"\bborn\b|\bturn(?:s|ed|ing)?\b|\bage|\byears? old\b|\byear-old|candle|celebrat|\bbaby\b"
         rf"|\bwill be {_COUNT}"
         rf"|\b(?:is|are) {_COUNT} (?:on|in|next|this)\b"
         r"|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{4}-\d\d|date of birth"
         rf"|\A(?=[\s\S]*(?:birthday|\bparty\b))(?=[\s\S]*(?:{_DAY}))"
         "|出生|岁|生于|属|寿|满[月\\d一二三四五六七八九十]|生辰|生了|生人|生的"
         rf"|\A(?=[\s\S]*生日)(?=[\s\S]*(?:{_HAN_DAY}))"),
        ("age", "s",
         r"\bhow old\b|\bwhat age\b|'s age\b|几岁|多少岁|年龄(?:是|多)|多大(?:年纪|岁数|了)"
         "|今年多大",
         rf"{_COUNT}|\b\w+ties\b|\bteen\w*|\bold(?:er|est)?\b|\bage[ds]?\b|\bborn\b|birthday"
         r"|\bone\b|岁|十|属|寿|生于|出生|零后"),
        ("anniversary", "s",
         r"\b(?:when|what day|what date|date of)\b.*\banniversary\b"
         "|纪念日.{0,4}(?:哪[天年]|几|什么时|啥时|何时)|(?:哪天|几号|什么时候).{0,4}纪念日",
         r"\d|\banniversar|\bmarried\b|\bwed|\btied\b|周年|纪念|婚|领(?:了|的)?证"),
        ("partner", "s",
         rf"\b(?:{_RELATIVE})\b|丈夫|妻子|老公|老婆|爱人|男朋友|女朋友|媳妇",
         rf"\b(?:{_RELATIVE})s?\b|\b(?:wives|marr(?:y|ied|ies|iage)|engaged|ex"
         r"|divorc\w+|anniversary|widow\w*|other half|honeymoon|propos\w+|dating|tied"
         r"|(?:'s|s'|our|my|their|her|his|your|small|big) wedding|seeing|going out"
         r"|(?:are|were|been|got|back|living|moved in|now) together)\b"
         "|丈夫|妻|老公|老婆|爱人|先生|太太|媳妇|对象|[男女]友|[男女]朋友|婚|前夫|两口子|夫妇"
         "|夫人|在一起|那位|那口子|交往|处上|处着|恋爱|好上"),
        ("salary", "s",
         r"\b(?:salary|wages?|pay rise|annual bonus|bonus|annual income)\b|\bearn(?:s"
         r"|ed)?\b.*\b(?:year|month)\b"
         r"|\bhow much\b.*\bearn|\bwhat (?:does|did|do)\b.*\bearn\b"
         r"|\bhow much (?:does|did|do)\b.*\bmake(?:\W*$| (?:an?|per|each|every|now|at|as)\b)"
         r"|工资|薪水|月薪|年薪|奖金|年终奖|收入|[赚挣]多少",
         r"\b(?:salary|wages?|bonus|paid|pays?|earn\w*|income|per cent|percent|months)\b|%"
         r"|[£€$¥] ?\d"
         r"|\d ?k\b|\bgrand\b|\bthousand\b|\d,\d{3}\b|\d{3,} (?:an?|per) (?:month|year)"
         r"|(?<![\d.-])(?!(?:19|20)\d\d(?!\d))[1-9]\d{3,5}(?![\d-])"
         r"|工资|薪|奖金|奖.{0,8}[\d一二两三四五六七八九十半]|年终.{0,4}[\d一二两三四五六七八九十半]"
         r"|收入|百分|[万千]|个月|每月"),
        ("rate", "s",
         r"\b(?:per|an?|each|every) hour\?|\bhourly\b|时薪|[一每]个?小时(?:收|要|多少)",
         r"\b(?:per|an?|each|every|the) hour\b|hourly|/ ?h(?:r|our)?\b|\brate\b|[£€$¥] ?\d"
         r"|\blessons?\b"
         "|\bsessions?\b|时薪|小时|钟头|每时|[一每][节次堂]"),
        ("blood pressure", "s",
         r"\bblood pressure (?:read|is|was|value|number)|\b(?:what|how high) (?:is|was)\b"
         r"(?:(?!\b(?:for|against)\b).)*\bblood pressure(?: now| today)?\?"
         "|血压(?:是|有|多|现在[是有多])",
         r"\d{2,3} ?(?:/|over) ?\d{2,3}|blood pressure|mmhg|血压|高压|低压|降压"),
        ("hospital", "sn",
         r"\b(?:which|what) (?:hospital|clinic)\b|哪(?:一?[所个家])?(?:医院|诊所)|什么医院",
         r"\b(?:hospital|infirmary|clinic|surgery|a&e|ward|casualty)\b|院|诊所|急诊|病房|[省市县]立"
         "|协和|同济"),
        ("full name", "s",
         r"\b(?:surname|last name|family name|first name|full name|given name|maiden name"
         r"|middle name)\b"
         "|姓什么|姓啥|全名|贵姓|大名是|本名|真名",
         lambda: (r"\b(?:surname|last name|family name|first name|full name|given name|maiden"
         r"|n[eé]e"
         r"|call|called(?! (?:him|her|them|me|us|it|the|back|about|off|in|for|to)\b)|named"
         r"|name's|name is|signs (?:as|off|\w+self)|signed as|signature|initials?)\b"
         "|姓[^名什啥氏]|全名|名叫|本名|真名|大名|[名我]是|免贵|叫[\u4e00-\u9fff]{2}"
         rf"|[，,]{_surname()}[\u4e00-\u9fff]{{1,2}}[，,]")),
        ("name", "sn",
         r"\bwhat(?:'s| is| was| are| were)\b.*\b(?:called|named)\b|\bname of\b.*'s\b"
         r"|\b\w+'s name\b",
         r"\b(?:called|named|names?|name's|nickname\w*|christened)\b|叫|名|姓|“|「|《"),
    )
)  # fmt: skip

# One of these is in every cue that asks for an attribute.
_STEMS: Final[dict[str, tuple[str, ...]]] = {
    "colour": ("colour", "color", "颜色"),
    "weight": ("weigh", "heavy", "重", "斤"),
    "height": ("tall", "height", "高"),
    "phone": ("number", "phone", "mobile", "电话", "手机", "尾号"),
    "e-mail": ("mail", "邮"),
    "handle": ("wechat", "whatsapp", "telegram", "skype", "signal", "qq", "微信"),
    "blood group": ("blood", "血型"),
    "size": ("size", "码", "多大", "穿几号"),
    "version": ("version", "版本"),
    "opening hours": ("open", "close", "shut", "几点", "营业"),
    "plate": ("plate", "registration", "车牌", "牌照"),
    "document": ("number", "no.", "准考证", "号"),
    "door": ("number", "门牌", "号"),
    "floor": ("floor", "楼", "层"),
    "street": ("street", "road", "avenue", "lane", "address", "街", "路", "巷", "地址"),
    "district": ("district", "neighb", "suburb", "borough", "quarter", "区", "街道"),
    "allergy": ("allerg", "intoleran", "过敏", "忌口"),
    "birthday": ("birth", "born", "生日", "出生", "属什么"),
    "age": ("old", "age", "几岁", "多少岁", "年龄", "多大"),
    "anniversary": ("anniversary", "纪念日"),
    "partner": (
        "husband", "wife", "spouse", "partner", "fianc", "friend", "丈夫", "妻子", "老公", "老婆",
        "爱人", "朋友", "媳妇",
    ),
    "salary": (
        "salary", "wage", "rise", "bonus", "income", "earn", "make", "工资", "薪", "奖", "收入",
        "赚", "挣",
    ),
    "rate": ("hour", "时薪", "小时"),
    "blood pressure": ("pressure", "血压"),
    "hospital": ("hospital", "clinic", "医院", "诊所"),
    "full name": ("name", "姓", "名"),
    "name": ("name", "called"),
}  # fmt: skip

# Inside a sentence, or a sentence by itself: elsewhere any word may be capitalised.
_NAME: Final = late(r"(?<=[\w,] )[A-Z][a-z]{2,}|(?:^|[.!?] )[A-Z][a-z]{2,}(?=[.!,])")
_CALENDAR: Final = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may "
    "june "
    "july august september october november december christmas easter english chinese french "
    "german spanish welsh".split()
)
_ADDRESSED: Final = late(
    lambda: (
        r"\b(?:Mrs?|Ms|Miss|Dr|Mx|call me)\.? [A-Z]\w+"
        rf"|(?:{_surname()}|(?<=[位姓叫找是由请给和跟])[\u4e00-\u9fff])"
        "(?:大夫|医生|老师|师傅|先生|女士|主任|护士|教授)"
    )
)
_PAIR: Final = late(r"(?=\b([A-Z]\w+ [A-Z]\w+))")
_HAN_SUBJECT: Final = late(
    "^[那这我咱你们请问辆个只位条]*(.*?)(?:的|在|对|家|把|被|是|有|叫|用|住|给|从|跟|和|要|会|能"
    "|一共|现在|今年|多[少大高重久远]|什么|哪|几|谁|怎|一[个年]|每|穿|[，,？?：:]|$)"
)


_WHO: Final = late(
    r"\b(?:who|whose|whom|any(?:one|body)|every(?:one|body))\b|谁|哪位|大家|每个人", re.IGNORECASE
)


@lru_cache(1 << 8)
def asked_for(cue: str) -> Attribute | None:
    """The first attribute that a cue asks for, or None."""
    said = cue.lower()
    for one in _ATTRIBUTES:
        if holds(said, _STEMS[one.name]) and one.asked.search(cue):
            return one
    return None


@lru_cache(1 << 8)
def asking_part(cue: str) -> str:
    """The part of a cue that asks for its attribute: a turn may greet, tell a story or name who is
    spoken to besides."""
    one = asked_for(cue)
    if one is None:
        return cue
    whole = cue.encode("utf-8", "replace").decode()  # half a pair of UTF-16 is no character
    asking = next(filter(one.asked.search, sentences(whole)), cue)
    return next(filter(one.asked.search, reversed(clauses(asking))), asking)


def value_told(cue: str) -> str:
    """An expression that meets what may tell the attribute that a cue asks for; "" if it asks for
    none."""
    asked = asked_for(cue)
    return "" if asked is None else f"(?i:{asked.told.pattern})"


@lru_cache(1 << 8)
def subject_of(cue: str) -> frozenset[str]:
    """The index words of whom or what the part of a cue that asks names: in English its names, in
    Chinese what stands before the first particle; none if it names nothing or asks who it is."""
    cue = asking_part(cue)
    if _WHO.search(cue) is not None:
        return frozenset()
    if script(cue) == "cjk":
        found = _HAN_SUBJECT.match(cue)
        return frozenset(words(found[1])) if found else frozenset()
    said = re.findall(r"[\w'’]+", cue)
    names = [word.removesuffix("'s").removesuffix("’s") for word in said if word[0].isupper()]
    left = [
        n
        for n in names
        if n.lower() not in listed("question_words") | listed("titles") | _CALENDAR and len(n) > 1
    ]
    return frozenset(words(" ".join(left)))


def may_be_no_name(cue: str) -> bool:
    """Whether the subject of a cue may be nobody's name: a Chinese one may be said in words that no
    memory has; who asks of themselves may name whom they speak to."""
    part = asking_part(cue)
    return script(cue) == "cjk" or any(key.partition("/")[0] == "self" for key in asked_of(part))


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
        if pair[0].lower() not in listed("titles") and not subject.isdisjoint(words(" ".join(pair)))
    ]


def _is_about(subject: Set[str], cue: str, text: str, speaker: str | None) -> bool:
    if speaker and (speaker in cue or not subject.isdisjoint(words(speaker))):
        return True
    if any(len(word) == 2 and word[0] == word[1] and word[0] in text for word in subject):
        return True  # 爸爸 is 爸 as well
    return not subject.isdisjoint(words(text))
