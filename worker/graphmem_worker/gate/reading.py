"""Reading: a sentence as the gate compares it, in English and Chinese.

Words as stems (Chinese: characters), numbers and dates by their value (three = 3, 五月三号 =
5月3日 = May 3), negations and the like as operators, pronouns by person.  Articles, auxiliaries and
particles only part others; a preposition is kept with the word behind it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, Literal

from graphmem_worker.language.lists import listed
from graphmem_worker.text.words import HAN, STOP_WORDS, nfkc, words

Kind = Literal["word", "number", "op", "link", "pronoun"]


@dataclass(frozen=True, slots=True)
class Token:
    """A word that counts.  Articles, auxiliaries and the like only part others."""

    kind: Kind
    text: str  # what is compared: a stem, a value, an operator, the person of a pronoun
    clause: int  # number within the sentence
    joint: str  # what opened the clause: "and", ":", "who" (or which), or "," for all else
    binder: str  # the preposition in front of it
    tight: bool  # stands directly behind the token before it
    owner: bool  # "Wen's", 小文的, "his"
    name: bool  # looks like a name
    time: bool  # says when, or is an adverb like "also": may be left out
    article: bool  # an article or possessive pronoun stands in front of it
    helper: str  # the auxiliaries in front of it, by tense: "is" for am and are, too; 都, 又 …
    ending: str  # "ed" or "ing", which its stem has lost; 了, 着 behind it


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Not do and does, which tell neither tense nor voice.
_HELPERS: Final[dict[str, str]] = {
    form: forms.split()[0]
    for forms in "is am are/was were/be/been/being/have has/had/did/done/doing".split("/")
    for form in forms.split()
}
_CONTRACTED: Final = {"s": "is", "m": "is", "re": "is", "ve": "have", "d": "had"}
# Each operator with its other forms: what limits, doubts or counts what is said.
_LEMMAS: Final[dict[str, str]] = {
    form: forms.split()[0]
    for forms in """
    not / no / never / none / nobody / nothing / neither / nor / without / or / only / used
    hardly barely scarcely / rarely seldom / almost nearly / until till / if / unless / provided
    except / whether / will shall / may might / can could / must / should ought / would
    maybe perhaps possibly / likely probably / unlikely / allegedly reportedly supposedly
    think thinks thought / believe believes believed / hope hopes hoped hoping
    want wants wanted wish wishes wished / plan plans planned planning intends / try tries tried
    suppose supposed expects expected / seem seems seemed / claim claims claimed
    doubt doubts doubted / pretend pretends pretended / deny denies denied
    refuse refuses refused refusing / avoid avoids avoided / fail fails failed
    forget forgets forgot forgotten / former ex / fake forged false / cancelled canceled
    possible potential / alleged / some / few / many / most / half / both
    all every each everyone everything
    """.replace("\n", "/").split("/")
    if forms.strip()
    for form in forms.split()
}
_PERSONS: Final[dict[str, str]] = {
    form: person
    for person, forms in {
        "i": "i me my mine 我",
        "we": "we us our ours 我们 咱们 咱",
        "you": "you your yours 你 您 你们",
        "he": "he him his 他",
        "she": "she her hers 她",
        "it": "it its 它",
        "they": "they them their theirs 他们 她们 它们",
    }.items()
    for form in forms.split()
}
_TIMES: Final = _set(
    """
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
    fridays saturdays sundays today tomorrow yesterday tonight last next morning noon afternoon
    evening night midnight week month year weekend january february march april june july august
    september october november december spring summer autumn winter already again still soon often
    now then also too just very really quite instead
    """
)
_MONTHS: Final = (
    "january february march april may june july august september october november december"
).split()
_UNITS: Final = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split(),
        range(20),
        strict=True,
    )
) | {"dozen": 12}
_TENS: Final = {
    name: 10 * n
    for n, name in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}
_SCALES: Final = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}

_HAN_DIGITS: Final = {
    **dict(zip("零一二三四五六七八九", range(10), strict=True)), "〇": 0, "两": 2,
}  # fmt: skip
_HAN_SCALES: Final = {"十": 10, "百": 100, "千": 1000}
_HAN_GROUPS: Final = {"万": 10**4, "亿": 10**8}
# Words that hold a character of the lists below and mean something else.
_HAN_WORDS: Final = (
    "不过 不管 不但 不仅 不同 差不多 特别 分别 别的 别人 会议 董事会 委员会 机会 社会 协会 晚会 "
    "约会 划会 年会 重要 要求 主要 需要 想法 功能 能力 能源 成都 首都 都市 无锡 无论 非常 未来 "
    "安全 全家 以后 以上 以下 之前 之后 对面 对不起 方向 比赛 受到 看到 遇到 学会 "
    "一起 一样 一直 现在 正在 在场 给予 到达 从事 认为 作为 成为 和平 和气 被子 跟前 "
    "每次 半升 一半 要紧 将要 领养"
).split()
# Who somebody is to somebody: "her husband" is not "she".
HAN_KIN: Final = (
    "丈夫 妻子 老公 老婆 妈妈 爸爸 母亲 父亲 弟弟 哥哥 姐姐 妹妹 儿子 女儿 爷爷 奶奶 外公 外婆 "
    "叔叔 阿姨 姑姑 舅舅 男友 女友 朋友 同事 同学 邻居 老板 经理 主管 助手 助理 秘书 室友 老师 "
    "孩子 家人 公司 团队"
).split()
_HAN_OPS: Final = (
    "从来不 从来没 从不 从没 没有 禁止 除非 除了 如果 要是 假如 只要 只有 倘若 万一 一旦 的话 "
    "直到 可能 也许 大概 恐怕 很少 否认 避免 取消 考虑 假装 据说 听说 声称 应该 打算 计划 希望 "
    "觉得 认为 以为 差点 几乎 拒绝 忘记 必须 肯定 可以 以前 谁都 谁也 "
    "不 没 别 无 未 勿 会 想 要 能 肯 只 全 每 些 半 或 敢"
).split()
_HAN_SAME: Final = {
    "从来不": "不", "从不": "不", "从来没": "没", "从没": "没", "没有": "没",
    "谁都": "谁", "谁也": "谁",
}  # fmt: skip
_HAN_LINKS: Final = "但是 可是 不过 因为 所以 由于 虽然 因此 但 而".split()
_HAN_AND: Final = "并且 而且 以及 和 与 及 跟".split()
_HAN_BINDERS: Final = "从 到 在 给 对 向 把 被 由 为 让 往 比 自 离 除".split()
_HAN_FREE: Final = frozenset("的呢吗吧啊呀嘛是这那个之地得")
_HAN_HELPERS: Final = frozenset("都也就还又很才已再")
_HAN_ENDINGS: Final = frozenset("了着")
_HAN_TIMES: Final = (
    "今天 昨天 明天 后天 今晚 昨晚 早上 晚上 夜里 凌晨 中午 下午 上午 上周 下周 今年 去年 明年 "
    "当天 终于 已经 刚刚 刚才 马上 最近"
).split()

_HAN_LONG: Final = "|".join(
    sorted(
        {
            *(_HAN_WORDS + HAN_KIN + _HAN_OPS + _HAN_LINKS + _HAN_AND + _HAN_TIMES),
            *(form for form in _PERSONS if not form.isascii()),
        },
        key=len,
        reverse=True,
    )
)

_LONGEST_NUMBER: Final = 24  # characters, or English words
_NUMERAL: Final = "零〇一二两三四五六七八九十百千万亿"
_COUNT: Final = rf"(?:(?:(?<![\w.])[-−])?\d+(?:,\d{{3}})*(?:\.\d+)?[{_NUMERAL}]*|[{_NUMERAL}]+)"
_SMALL: Final = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_MONTH: Final = "|".join(name[:3] + (f"(?:{name[3:]})?" if name[3:] else "") for name in _MONTHS)
_SCAN: Final = re.compile(
    rf"""
      (?P<iso>\b\d{{4}}-\d\d?-\d\d?\b)
    | (?P<han_date>(?P<hm>{_SMALL})月(?P<hd>{_SMALL})[日号])
    | \b(?P<month>{_MONTH})\.?\ (?P<day>\d\d?)(?:st|nd|rd|th)?\b(?![.:]\d)
    | \b(?P<day2>\d\d?)(?:st|nd|rd|th)?\ (?:of\ )?(?P<month2>{_MONTH})\b
    | (?P<weekday>[上下本这]?(?:周|星期|礼拜)[一二三四五六日天末])
    | (?P<percent>百分之(?P<share>{_COUNT}))
    | (?P<clock>\d{{1,2}}:\d\d)
    | (?P<han>{_HAN_LONG})
    | (?P<number>{_COUNT})(?:st|nd|rd|th)?
    | (?P<char>[{HAN}])
    | (?P<word>[^\W\d_{HAN}]+(?:['-][^\W\d_{HAN}]+)*)
    | (?P<sign>[%‰€$£°#+])
    | (?P<stop>[,;:()\[\]，；：、（）—–…"“”!?！？。.-])
    """,
    re.VERBOSE | re.IGNORECASE,
)
# A request in the form of a question is no question. Sentence by sentence: looked for in the whole
# text, each place where one might begin is read to the end.
_STRETCH: Final = re.compile(r"([^.!?]++)(\?)|[.!?]|[^.!?]++")
_HAN_STRETCH: Final = re.compile(r"([^。！？!?]++)(\?)|[。！？!?]|[^。！？!?]++")
_REQUEST: Final = re.compile(r"\b(?:could|can|would|will) you (?:please )?", re.IGNORECASE)
_HAN_REQUEST: Final = re.compile("(?:请|麻烦)?(?:你|您)?(?:帮我)?")
_HAN_REQUEST_END: Final = re.compile("(?:行吗|好吗|可以吗)$")
# Several words for one of the lists; "once" only before a subject, not of "once a week".
_SEVERAL: Final = tuple(
    (re.compile(rf"\b(?:{said})\b", re.IGNORECASE), one)
    for said, one in (
        ("(?:as|so) long as", "provided"),
        ("as soon as|assuming(?: that)?|in case(?: of)?", "if"),
        (r"once(?= (?:the|these|those|this|that|my|our|your|his|her|its|their)\b)", "if"),
        (r"once(?= (?:i|we|you|he|she|it|they)\b)", "if"),
        ("anything but", "not"),
    )
)
_WEEK: Final = re.compile("星期|礼拜")


def _plain(text: str) -> str:
    text = nfkc(text.replace("’", "'").replace("‘", "'"))
    if "?" in text:
        text = _HAN_STRETCH.sub(_without_han_request, _STRETCH.sub(_without_request, text))
    for several, one in _SEVERAL:
        text = several.sub(one, text)
    return text


def _without_request(stretch: re.Match[str]) -> str:
    said = stretch[1]
    if said is None or not (request := _REQUEST.search(said)):
        return stretch[0]
    return f"{said[: request.start()]}{said[request.end() :]}."


def _without_han_request(stretch: re.Match[str]) -> str:
    said = stretch[1]
    if said is None or not (end := _HAN_REQUEST_END.search(said, max(0, len(said) - 3))):
        return stretch[0]
    begin = _HAN_REQUEST.match(said)
    return f"{said[begin.end() if begin else 0 : end.start()]}."


def _value(text: str) -> str:
    """The value of a number in digits, Chinese numerals or both, as text."""
    plain = text.replace(",", "").replace("−", "-")
    if len(plain) > _LONGEST_NUMBER:
        return plain  # an identifier rather than an amount
    total = group = Decimal(0)
    digit: Decimal | None = None
    last = 1
    for piece in re.findall(r"-?\d+(?:\.\d+)?|.", plain):
        if piece in _HAN_DIGITS:
            # Read out one by one, as in 二〇二六.
            before = 10 * digit if digit is not None and last == 1 else Decimal(0)
            digit = before + _HAN_DIGITS[piece]
        elif piece in _HAN_SCALES:
            last = _HAN_SCALES[piece]
            group += (1 if digit is None else digit) * last
            digit = None
        elif piece in _HAN_GROUPS:
            last = _HAN_GROUPS[piece]
            total += (group + (digit or 0) or 1) * last
            group, digit = Decimal(0), None
        else:
            digit = Decimal(piece)
    if digit is not None:
        # 四千八 is 4,800.
        group += digit * (last // 10 if last > 10 and plain[-2] not in "零〇" else 1)
    return format((total + group).normalize(), "f")


def _month(name: str) -> int:
    return next(n for n, m in enumerate(_MONTHS, 1) if m.startswith(name.lower()[:3]))


class _Reader:
    """Cuts one sentence into tokens."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self._clause = 0
        self._joint = ","
        self._binder = ""
        self._tight = False
        self._article = False
        self._helpers: list[str] = []

    def token(
        self,
        kind: Kind,
        text: str,
        *,
        owner: bool = False,
        name: bool = False,
        time: bool = False,
        ending: str = "",
    ) -> None:
        if self._clause_is_new():
            self._tight = False
        place = (self._clause, self._joint, self._binder, self._tight)
        around = (self._article, " ".join(self._helpers), ending)
        self.tokens.append(Token(kind, text, *place, owner, name, time, *around))
        self._binder, self._tight, self._article = "", True, owner and kind == "pronoun"
        self._helpers = []

    def _clause_is_new(self) -> bool:
        return not self.tokens or self.tokens[-1].clause != self._clause

    def gap(self, article: bool = False) -> None:
        self._tight, self._article = False, self._article or article

    def end(self, ending: str) -> None:
        if not self._clause_is_new():
            self.tokens[-1] = replace(self.tokens[-1], ending=ending)
        self.gap()

    def help(self, helper: str) -> None:
        self._helpers.append(helper)
        self.gap()

    def owner(self) -> None:
        """What came last is followed by 的."""
        if self.tokens and self._tight:
            self.tokens[-1] = replace(self.tokens[-1], owner=True)
        self.gap()

    def relate(self) -> None:
        """A relative pronoun: behind a comma it speaks of the word before."""
        if self.tokens and self._clause_is_new():
            self._joint = "who"
        self.gap()

    def bind(self, word: str) -> None:
        self._binder, self._tight, self._article = word, False, False

    def border(self, joint: str) -> None:
        if not self._clause_is_new():
            self._clause += 1
            self._joint = joint
        elif joint != "and":
            self._joint = joint
        self._binder, self._tight, self._article, self._helpers = "", False, False, []


def read(sentence: str) -> list[Token]:
    """The tokens of one sentence, in their order."""
    reader = _Reader()
    text = _plain(sentence)
    opened = True  # nothing but signs so far: a capital says nothing
    counted: list[str] = []  # an English number, word by word
    for found in _SCAN.finditer(text):
        value = found[0]
        whole = {name: part for name, part in found.groupdict().items() if part is not None}
        if "word" in whole and _is_count(value, counted):
            counted += value.lower().split("-")
            opened = False
            continue
        if counted:
            reader.token("number", _english_value(counted))
            counted = []
        if "iso" in whole:
            year, month, day = value.split("-")
            reader.token("number", year, time=True)
            reader.token("number", f"{int(month)}-{int(day)}", time=True)
        elif "han_date" in whole:
            reader.token("number", f"{_value(whole['hm'])}-{_value(whole['hd'])}", time=True)
        elif "month" in whole or "month2" in whole:
            name = whole.get("month") or whole["month2"]
            day = whole.get("day") or whole["day2"]
            reader.token("number", f"{_month(name)}-{int(day)}", time=True)
        elif "weekday" in whole:
            plain = _WEEK.sub("周", value).replace("天", "日")
            reader.token("word", plain, time=True)
        elif "percent" in whole:
            reader.token("number", _value(whole["share"]))
            reader.token("word", "%")
        elif "clock" in whole:
            reader.token("number", value.lstrip("0"))
        elif "number" in whole:
            reader.token("number", _value(whole["number"]))
        elif "han" in whole or "char" in whole:
            _read_han(reader, value)
        elif "word" in whole:
            _read_word(reader, value, opened)
        elif "sign" in whole:
            reader.token("word", value)
        elif value in ".-" and _inside(text, found.start()):
            reader.gap()
        elif value in "?？":
            reader.token("op", "?")
        else:
            reader.border(":" if value in ":：" else ",")
        opened = opened and "stop" in whole
    if counted:
        reader.token("number", _english_value(counted))
    return reader.tokens


def _inside(text: str, place: int) -> bool:
    return place + 1 < len(text) and not text[place + 1].isspace()


def _is_count(word: str, counted: Sequence[str]) -> bool:
    parts = word.lower().split("-")
    if counted and parts == ["and"]:
        return False
    if parts[0] in _SCALES:
        return bool(counted)
    return all(p in _UNITS or p in _TENS for p in parts) and not (counted and counted[-1] in _UNITS)


def _english_value(parts: Sequence[str]) -> str:
    if len(parts) > _LONGEST_NUMBER:
        return " ".join(parts)  # no amount; each "hundred" would make it two digits longer
    total = group = 0
    for part in parts:
        if part in _SCALES:
            group = max(1, group) * _SCALES[part]
            if _SCALES[part] > 100:
                total, group = total + group, 0
        else:
            group += _UNITS.get(part, 0) + _TENS.get(part, 0)
    return str(total + group)


def _read_han(reader: _Reader, value: str) -> None:
    if value in _PERSONS:
        reader.token("pronoun", _PERSONS[value])
    elif value in _HAN_WORDS or value in HAN_KIN:
        reader.token("word", value)
    elif value in _HAN_OPS:
        after_number = bool(reader.tokens) and reader.tokens[-1].kind == "number"
        if value in "只些半" and after_number:
            reader.token("word", value)
        else:
            reader.token("op", _HAN_SAME.get(value, value))
    elif value in _HAN_LINKS:
        reader.border(",")
        reader.token("link", value)
    elif value in _HAN_AND:
        reader.border("and")
    elif value in _HAN_BINDERS:
        reader.bind(value)
    elif value in _HAN_TIMES:
        reader.token("word", value, time=True)
    elif value == "的":
        reader.owner()
    elif value in _HAN_HELPERS:
        reader.help(value)
    elif value in _HAN_ENDINGS:
        reader.end(value)
    elif value in _HAN_FREE:
        reader.gap()
    else:
        reader.token("word", value)


def _read_word(reader: _Reader, value: str, opened: bool) -> None:
    low = value.lower()
    base, _, ending = low.rpartition("'")
    if low.endswith("n't"):
        stem = {"wo": "will", "ca": "can", "sha": "will"}.get(low[:-3], low[:-3])
        if stem in _LEMMAS:
            reader.token("op", _LEMMAS[stem])
        elif stem in _HELPERS:
            reader.help(_HELPERS[stem])
        reader.token("op", "not")
        return
    if low == "cannot":
        reader.token("op", "can")
        reader.token("op", "not")
        return
    owner = False
    if base and ending in ("s", "ll", "m", "re", "ve", "d"):
        low = base
        value = value[: len(base)]
        owner = ending == "s" and low not in _PERSONS and low not in listed("gate_free")
    if value == "May" and not opened:
        reader.token("word", "may", time=True)
    elif low == "percent":
        reader.token("word", "%")
    elif low in _PERSONS:
        reader.token("pronoun", _PERSONS[low], owner=low in listed("gate_owners"))
    elif low in _LEMMAS:
        reader.token("op", _LEMMAS[low])
    elif low in listed("gate_and"):
        reader.border("and")
    elif low in listed("gate_links"):
        reader.border(",")
        reader.token("link", low)
    elif low in listed("gate_binders"):
        reader.bind(low)
    elif low in listed("gate_relatives"):
        reader.relate()
    elif low in _HELPERS:
        reader.help(_HELPERS[low])
    elif low in listed("gate_free"):
        reader.gap(low in listed("gate_articles"))
    else:
        stem = "".join(words(low)) or low
        lost = next((end for end in ("ed", "ing") if low.endswith(end) and low != stem), "")
        time = low in _TIMES
        name = value[0].isupper() and not time and not opened and low not in STOP_WORDS
        reader.token(
            "word",
            stem,
            owner=owner,
            name=name,
            time=time or low[-2:] == "ly",
            ending=lost,
        )
    if base and ending == "ll":
        reader.token("op", "will")
    elif base and not owner and ending in _CONTRACTED:
        reader.help(_CONTRACTED[ending])
