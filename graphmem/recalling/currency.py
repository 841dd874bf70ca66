"""Currency: which of several statements about one state holds now, and which held before.

A *state* has one value at a time: where somebody lives or works, which version runs, who owns a
task, a dose, an appointment, a price. `states` reads them out of sentences by patterns in English
and Chinese; `frames` compares sentences that no pattern knows and that differ in one value only.
Sets (allergies, tastes, languages) and events have many values at once and are never read.
"""

# ruff: noqa: E501  (a pattern that is broken over lines is harder to check)
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache
from itertools import chain, islice
from typing import Final, Literal, NamedTuple

from graphmem.recalling.mentions import Mention, mentions
from graphmem.recalling.subjects import HAN_KIN, KIN, SELF, told_of
from graphmem_worker.text.gates import Gated, holds
from graphmem_worker.text.patterns import late, lower
from graphmem_worker.text.protects import LATEST
from graphmem_worker.text.words import STOP_WORDS, words

Asked = Literal["now", "before", "first"]

_LONGEST: Final = 400  # characters of a sentence that is read


class State(NamedTuple):
    """One state that a sentence tells."""

    subject: str  # whom or what it is of; of the speaker, "\x00self"
    slot: str  # which state
    value: str
    is_past: bool = False  # told as over: "used to", 以前


class Statement(NamedTuple):
    """What one memory tells, as far as it can be outdated."""

    node: int
    moment: int  # microseconds since 1970 UTC
    speaker: str | None
    sentences: tuple[str, ...]
    is_near: bool = True
    """It answers a good part of the cue: only such are compared without a pattern."""
    is_coming: bool = False
    """It names a beginning that is still to come: it replaces nothing before."""


# -- what a cue asks for ---------------------------------------------------------------------------

_BEFORE: Final = late(
    r"\b(?:used to|previous(?:ly)?|former(?:ly)?|earlier|back then|last one|prior)\b"
    r"|\b(?:was|were|did|had|the|my|our|'s|his|her|their)\b[^?.]{0,25}\bold\b(?! (?:is|are|was|were)\b)"
    # A value may be a number ("before 85"), a time of day is none ("before four in the morning").
    r"|\bbefore\b(?! (?:noon|midnight|breakfast|lunch|dinner|bed|dawn|dark|[\w:.]{1,8} ?(?:in the (?:morning|afternoon|evening)|o'clock|[ap]\.?m\b)))"
    r"|(?<![点午饭觉])(?:以前|之前)|从前|原先|原来|曾经?|过去|上一[个任家份次版位]|前一[个任家份次版位出]|老的"
    r"|旧(?:[的址版号名价家]|地址|电话)",
    re.IGNORECASE,
)
_FIRST: Final = late(
    r"\b(?:original(?:ly)?|at first|initial(?:ly)?|in the beginning|to begin with|to start with)\b"
    r"|\b(?:was|were|did|had)\b[^?.]{0,60}\bfirst\b(?! (?:aid|floor|class|prize|name\?|thing|time|of))"
    r"|最初|最早|最开始|一开始|起初|当初",
    re.IGNORECASE,
)


@lru_cache(1 << 8)
def asked(cue: str) -> Asked:
    """Whether a cue asks for what holds now (the default), held before, or held first."""
    if _FIRST.search(cue):
        return "first"
    return "before" if _BEFORE.search(cue) else "now"


NOW: Final = late(
    r"\b(?:now|nowadays|currently|these days|at present|at the moment|today|still|latest|current|present)\b"
    r"|现在|目前|如今|眼下|最新|当前",
    re.IGNORECASE,
)
"""A cue that says that it asks for what holds now."""
_STATE_ASKED: Final = late(
    r"\b(?:what|where|who|which|when|how|whose)(?:'s|\b[^.?!]{0,40}?\b(?:is|are|am|does|do|has|have|can|should|will|must|(?!(?:his|its|this|was|as|yes)\b)(?-i:[a-z]{2,}s))\b)"
    r"|[谁哪几什啥多]|怎么(?![样会办]|回事)|如何",
    re.IGNORECASE,
)
_WHETHER_ASKED: Final = late(
    r"^(?:so |and |but |then )?(?:am|is|are|do|does)\b(?! (?:there|you)\b)|[吗么][？?。 ]*$",
    re.IGNORECASE,
)
"""Whether something is so: "Am I still vegetarian?"."""
_VALUE_ASKED: Final = late(
    r"\b(?:what|where|who|whom|which|when|how|whose)\b|[谁哪几什多吗么]", re.IGNORECASE
)
_EVENT_ASKED: Final = late(
    r"\b(?:did|was|were|had|happened|ago|would|(?<!is )(?<!are )first|all|every|which of|things|list|both|ever)\b"
    r"|\b(?:know|tell \w+) about\b"
    r"|\b(?:who|what|which \w+) (?:\w+ed|gave|took|said|told|wrote|bought|made|went|came|saw|sent|left|found|lost|won|paid"
    r"|brought|broke|ate|got)\b"
    r"|[了过说]|提[到过起]|当时|那天|那次|所有|哪些|都|为什么|先后",
    re.IGNORECASE,
)
_SEVERAL_ASKED: Final = late(
    r"\b(?:which|what)(?: other)? (?:two|three|four|five|six|several|[2-9])\b"
    r"|哪(?:两|三|四|五|六|几|[2-9])[个些种]",
    re.IGNORECASE,
)


_WHY: Final = late(
    r"\b(?:why|how come|reason|what for)\b|为什么|为何|为啥|怎么会|原因|理由", re.IGNORECASE
)


def asks_why(cue: str) -> bool:
    """Whether a cue asks for a reason: what replaced a choice later does not answer it."""
    return _WHY.search(cue) is not None


_SETTLED: Final = late(
    r"\b(?:end(?:ed)? up|in the end|finally|eventually|after all)\b|最后|最终|到底",
    re.IGNORECASE,
)
"""A cue that asks for how a matter was settled: "What did the boiler end up costing?"."""
_MANY_ASKED: Final = late(
    r"\b(?:all|every|each|both|which of|things|list)\b|所有|哪些|都|先后|各|总共|一共",
    re.IGNORECASE,
)


def asks_for_value(cue: str, wanted: Asked, is_dated: bool) -> bool:
    """Whether a cue asks for one value, by the form of its question: "Where does Rui live?", "Where
    did Rui live before?", "Where did Rui live in May?", but not "Where did Rui go?" or "Which two
    cities did Rui live in before?"."""
    if wanted != "now" or is_dated:
        return _VALUE_ASKED.search(cue) is not None and _SEVERAL_ASKED.search(cue) is None
    if NOW.search(cue) is not None:
        return True
    if _SETTLED.search(cue) is not None and _MANY_ASKED.search(cue) is None:
        return True
    is_of_state = _STATE_ASKED.search(cue) or _WHETHER_ASKED.search(cue)
    return is_of_state is not None and _EVENT_ASKED.search(cue) is None


# -- which statements are of one state -------------------------------------------------------------


def groups(statements: Sequence[Statement], topic: Iterable[str] = ()) -> list[list[Statement]]:
    """Statements of one state with different values, each group the newest first.

    topic: the index words of a cue. A statement that says that something changed replaces earlier
    ones by the same speaker that hold the same of these words.

    What is told as over stands behind what is not. Of what is still to come, all stands behind the
    newest that holds, or all alone if nothing does. A memory is in one group at most, that of its
    first state. Groups of one value are left out.
    """
    by_state: dict[tuple[str, str], list[tuple[Statement, State]]] = {}
    taken: set[int] = set()
    for statement in statements:
        for state in _states_of(statement):
            by_state.setdefault(state[:2], []).append((statement, state))
    found: list[list[Statement]] = []
    for members in by_state.values():
        left = [pair for pair in members if pair[0].node not in taken]
        if len({state.value for _, state in left}) < 2:
            continue
        left.sort(
            key=lambda pair: (
                pair[0].is_coming, pair[1].is_past, -pair[0].moment, -pair[0].node,
            )
        )  # fmt: skip
        newest = left[0][1].value
        group = [left[0][0]]
        for statement, state in left[1:]:
            if state.value != newest and statement.node not in taken:
                group.append(statement)
                taken.add(statement.node)
        if len(group) > 1:
            taken.add(group[0].node)
            found.append(group)
    found.extend(_framed([s for s in statements if s.is_near and s.node not in taken]))
    taken.update(s.node for group in found for s in group)
    speakers = {word for name in {s.speaker for s in statements} if name for word in words(name)}
    rest = [s for s in statements if s.is_near and s.node not in taken]
    found.extend(_changed(rest, frozenset(topic) - speakers))
    return found


def _states_of(statement: Statement) -> Iterator[State]:
    seen: set[tuple[str, str]] = set()
    for state in _states_in(statement.sentences):
        subject = state.subject
        if subject == SELF:
            subject = (statement.speaker or "").casefold()
        if (subject, state.slot) not in seen:
            seen.add((subject, state.slot))
            yield state._replace(subject=subject)


@lru_cache(1 << 13)
def _states_in(sentences: tuple[str, ...]) -> tuple[State, ...]:
    gated = _opened(" ".join(_whole(sentences).split()))
    return tuple(chain.from_iterable(states(s, gated) for s in sentences)) if gated else ()


def tells_personal(sentences: tuple[str, ...]) -> bool:
    """Whether some sentences state where somebody lives or works now."""
    return any(s.slot in _PERSONAL and not s.is_past for s in _states_in(sentences))


def _whole(sentences: tuple[str, ...]) -> str:
    """Some sentences in lower case, as far as they are read: a gate that this does not open, none
    of them opens."""
    return " ".join([sentence[:_LONGEST] for sentence in sentences]).casefold()


# -- when a state begins ---------------------------------------------------------------------------

_AHEAD: Final = late(
    r"\b(?:will|'ll|going to|(?:from|starting|next) (?:next|week|month|year|tomorrow))\b|将|[会要](?=[搬住去换在有])|以后|将来|打算",
    re.IGNORECASE,
)
_BEGINS: Final = late(
    r"\b(?:from|starting(?: (?:on|from|in|with))?|as of|as from|beginning(?: (?:on|in|from))?|effective(?: (?:from|on|as of))?)(?: the)? ",
    re.IGNORECASE,
)
_TO: Final = late(r"[^.;!?]{0,12}?\s*(?:\b(?:to|until|till|through)\b|[-–—])", re.IGNORECASE)
_HAN_BEGINS: Final = late("(?:这?一?天)?(?:起|开始|之后|以后)")
_WAS: Final = late(
    r"\b(?:was|were|had|did|lived|worked|moved|joined|started|used)\b|[了过]", re.IGNORECASE
)
_FAR: Final = timedelta(days=183)  # beyond which a date without a year is one of the past
_MOVING: Final = late(
    r"\b(?:I|we|he|she|they|[A-Z][a-z]+|my \w+)(?:'ll| will|'m|'re|'s| am| are| is)?(?: be)?(?: going to)? "
    r"(?:mov(?:e|es|ing)|relocat(?:e|es|ing)|join(?:s|ing)?|switch(?:es|ing)?|transfer(?:s|ring)?|start(?:s|ing)?(?= (?:at|work|as|with|in)\b)|tak(?:e|es|ing) over)\b"
    r"|(?:搬[到去进往]|入职|跳槽|调[到去]|转[到去]|换[到去]|接手)(?!了)",
    re.IGNORECASE,
)
_AIMED: Final = late(
    r"(?:\b(?:to|for|until|till|at|by|before)(?: the)? |[到在是至于])$", re.IGNORECASE
)
_MAY_BEGIN: Final = Gated(
    r"\b(?:from|starting|as of|beginning|effective|mov(?:e|es|ing)|relocat\w+|join\w*|switch\w*|transfer\w*|start\w*|tak(?:e|es|ing) over)\b"
    r"|起|开始|以后|之后|后|搬|入职|跳槽|调|转|换|接手",
    "from starting as_of beginning effective move moving relocat join switch transfer start take_over takes_over taking_over"
    " 起 开始 以后 之后 后 搬 入职 跳槽 调 转 换 接手",
)


_TOLD_WITH: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (
        late(r"\b(?:live|lives|living|lived|home|based|address)\b|住|家在", re.IGNORECASE),
        "moved relocated settled lives 搬到 搬去 搬进 搬来 定居 住在 搬家",
    ),
    (
        late(
            r"\b(?:work|works|worked|working|job|employer|company)\b|上班|工作|公司|单位|就职",
            re.IGNORECASE,
        ),
        "joined started hired works job 入职 跳槽 加入 上班 就职 调到 转到",
    ),
)


@lru_cache(1 << 8)
def told_with(cue: str) -> tuple[str, ...]:
    """The index words with which texts tell the state that a cue asks for, in other words than
    the cue: "Where do I live?", "I moved to Porto"."""
    found = (words(told) for asked, told in _TOLD_WITH if asked.search(cue) is not None)
    return tuple(dict.fromkeys(chain.from_iterable(found)))


def asks_ahead(cue: str) -> bool:
    """Whether a cue without a date asks for what will be."""
    return _AHEAD.search(cue) is not None


@lru_cache(1 << 13)
def begins(sentences: tuple[str, ...], told: date) -> date | None:
    """The day after `told` on which begins what some sentences state, if they name one: "from
    January 1 we live in The Hague", "next month we move to Delft", 下个月起. A time that is itself
    the value ("moved to Monday") is none."""
    said = () if told > LATEST else may_begin(sentences)
    return next((day for s in said if (day := _begins(s, told)) is not None), None)


@lru_cache(1 << 13)
def may_begin(sentences: tuple[str, ...]) -> tuple[str, ...]:
    """Those of some sentences, as far as they are read, that may name when something begins."""
    if not _MAY_BEGIN.opens(_whole(sentences)):
        return ()
    read = (sentence[:_LONGEST] for sentence in sentences)
    return tuple(s for s in read if _MAY_BEGIN.within(s, s.casefold()) and not _is_question(s))


def _begins(said: str, told: date) -> date | None:
    found: list[Mention] = []
    for match in _BEGINS.finditer(said):
        rest = "on " + said[match.end() :]  # without the word that would have it last until today
        first = next(iter(mentions(rest, told)), None)
        if first is not None and first.start <= len("on ") and not _TO.match(rest, first.stop):
            found.append(first)
    for match in _HAN_BEGINS.finditer(said):
        lead = said[: match.start()]
        found += [m for m in mentions(lead, told) if m.stop == len(lead)]
    if _MOVING.search(said) is not None:
        named = (m for m in mentions(said, told) if not _AIMED.search(said[: m.start]))
        found += [m for m in named if said.isascii() or not m.period.yearly]
    was = _WAS.search(said) is not None
    days = [_ahead(m, told, was) for m in found]
    return max((day for day in days if day > told), default=None)


def _ahead(mention: Mention, told: date, was: bool) -> date:
    """The first day of a period named on a day; without a year, or as a weekday, the next one if
    that is near and nothing says that it was."""
    first = mention.period.latest(told)
    if mention.weekday is not None:
        return first if was else first + timedelta(days=7)
    if not mention.period.yearly or was:
        return first
    coming = mention.period.latest(told + _FAR)
    return max(first, coming)


# -- states by patterns ----------------------------------------------------------------------------

_ASKED_AT_END: Final = late(r"[?？]\s*[\"'”’)]*\s*$|[吗呢][？。]?$")
_ASKED_AT_START: Final = late(
    r"\s*(?:did|do|does|is|are|should|could|would|can|what|when|where|who|which|how|why)\b",
    re.IGNORECASE,
)
_HEDGED: Final = Gated(
    r"\b(?:maybe|perhaps|might|could|would|if|unless|wish|dream|imagine|thinking (?:of|about)"
    r"|considering|hope to|want to|suppose|instead of)\b"
    r"|也许|可能|要是|如果|假如|考虑|想要?(?=搬|换|去)|打算|要不要|该不该|希望|听说",
    "maybe perhaps might could would if unless wish dream imagine thinking_ considering hope_to"
    " want_to suppose instead_of 也许 可能 要是 如果 假如 考虑 想 打算 要不要 该不该 希望 听说",
)
_PAST: Final = Gated(
    r"\b(?:used to|formerly|previously|back then|in those days|once lived|grew up)\b|以前|曾经|从前|当年|小时候",
    "used_to formerly previously back_then in_those once_lived grew_up 以前 曾经 从前 当年 小时候",
)
_MORE: Final = Gated(
    r"\b(?:also|too|as well|another|second|both|in addition|besides)\b|还有|另外|另一|第二|也(?!许)",
    "also too as_well another second both in_addition besides 还有 另外 另一 第二 也",
)
_NAME: Final = r"[A-Z][\w'’-]*[a-z](?: (?:de |van |von )?[A-Z][\w'’-]+)*"
_PLACE: Final = rf"(?:the )?(?P<value>{_NAME}|[A-Z]{{2,}})"
_NOT_NAMES: Final = frozenset(
    "i we he she they it the my our his her their this that these those so and but now then just yes"
    " no ok well today yesterday tomorrow finally also after before since in on at as for from"
    " monday tuesday wednesday thursday friday saturday sunday january february march april may june"
    " july august september october november december good great sorry thanks hi hey oh".split()
)
_WHO: Final = late(
    rf"\b(?P<kin>[Mm]y (?:\w+ )?(?:{KIN}))\b(?: (?P<kin_name>{_NAME}))?"
    rf"|\b(?P<self>I|[Ww]e|[Mm]y|[Oo]ur)\b|(?P<name>\b{_NAME})"
    rf"|(?P<han_kin>我(?:的|们)?(?:{HAN_KIN}))(?P<han_name>[小老阿][\u4e00-\u9fff])?|(?P<han_self>我们?|咱们?|俺)"
)
_HAN_SUBJECT: Final = late(
    r"(?:^|[，,。；;：:、\s])(?P<name>[老小阿][\u4e00-\u9fff]|[\u4e00-\u9fff]{2,4}?)"
    r"(?=(?:他|她)?(?:现在|目前|已经|刚|上个?月|今年|最近|如今|最终|终于|这|又|正式|从)*"
    r"(?:住|搬|在|去|到|跳槽|入职|换|加入|转|调|负责|接手))"
)
_HAN_OWNER: Final = late("(?:^|[，。；：、\\s])(?P<name>[\u4e00-\u9fff]{2,3})的[新老旧]?$")
_NO_NAME: Final = late(r"^(?:[A-Z][a-z]+(?:ed|ing)|Just|Got|New|Finally|Officially)\b")
_NO_HAN: Final = late("我|^[上下这那昨今明去最现后终已刚又再]|月$|年$|[的了是]")
_TIME: Final = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day(?:,? (?:the )?\d{1,2}(?:st|nd|rd|th)?)?"
    r"|\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}(?:st|nd|rd|th)?"
    r"|the \d{1,2}(?:st|nd|rd|th)|\d{4}-\d\d-\d\d|\d{1,2}[:.]\d\d|\d{1,2} ?[ap]\.?m\.?|noon|tomorrow|next \w+"
    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) o'clock)"
)
_HAN_TIME: Final = (
    r"(?:(?:下|这|本)?(?:周|星期|礼拜)[一二三四五六日天]|[\d一二三四五六七八九十]{1,3}月(?:[\d一二三四五六七八九十]{1,3}[日号]|底|初|中旬)?"
    r"|[\d二三十一四五六七八九]{1,3}[日号]|明天|后天|(?:上午|下午|早上|晚上|中午)?[\d一二三四五六七八九十两]{1,2}[点:：][\d半]*)"
)
_MONEY: Final = (
    r"(?P<value>(?:[$€£¥]|rmb |cny |usd |eur )\s?\d[\d,.]*(?: ?k)?|\d[\d,.]*\s?(?:euros?|dollars?|pounds?|usd|eur|bucks|yuan|rmb|€|\$|£)"
    r"|(?:\d[\d,.]*|[一二两三四五六七八九十百千万]+)\s?(?:元|块钱?|欧元?|美元|万))"
)
_DOSE: Final = (
    r"(?P<value>\d[\d,.]*\s?(?:mg|mcg|µg|ml|milligrams?|units?|iu|毫克|微克|毫升|片|粒)"
    r"|(?:half an?|one|two|three|four|[一二两三四半\d]+)\s?(?:tablets?|pills?|capsules?|drops|puffs|片|粒|颗))"
)
_VERSION: Final = r"(?P<value>v?\d+(?:\.\d+)+(?:[-.]?\w+)?|v\d+|(?:version|release) \d+)"
_THING: Final = r"(?P<key>[A-Za-z][\w+#-]*(?: [A-Za-z][\w+#-]*){0,2}?)"

# Most sentences hold none of what a pattern needs, and looking for a few stems takes a hundredth of
# the pattern's time. Each gate is stems of which what it lets through holds one, in lower case.
_IN_VERSION: Final = late(r"\d\.\d|v\d|(?:version|release) \d")
_HAN_CHANGED: Final = ("升", "更新", "是", "用", "降", "回退", "换", "跑", "锁")
_IN_MONEY: Final = (
    "$", "€", "£", "¥", "rmb", "cny", "usd", "eur", "dollar", "pound", "bucks", "yuan", "元", "块",
    "欧", "万",
)  # fmt: skip
_IN_DOSE: Final = (
    "mg", "mcg", "µg", "μg", "ml", "milligram", "unit", "iu", "毫克", "微克", "毫升", "片", "粒",
    "颗", "tablet", "pill", "capsule", "drops", "puffs",
)  # fmt: skip
_IN_HAN_TIME: Final = ("周", "星期", "礼拜", "月", "日", "号", "明天", "后天", "点", ":", "：")
_Gate = tuple[str, ...]

_EN: Final = re.IGNORECASE
_PATTERNS: Final[tuple[tuple[str, _Gate, re.Pattern[str]], ...]] = (
    ("home", ("liv", "mov", "relocat", "settl", "based", "staying", "resid", "flat", "apartment", "house", "home", "place", "studio", "room"), late(
        r"\b(?i:liv(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|relocat(?:e|ed|es|ing)|settl(?:e|ed|ing)(?: down)?"
        r"|(?:am|is|are|'m|'re|'s)(?: now)? (?:based|staying)|resid(?:e|es|ing)|(?:new |rent(?:s|ed|ing)? an? (?:\w+ )?)?"
        rf"(?:flat|apartment|house|home|place|studio|room)(?: is)?)\b[^.;!?]{{0,40}}?\b(?:in|to|into|near|at|over to) {_PLACE}")),
    ("home", ("home", "address"), late(rf"\b(?:home|address) (?:is|is now|address is)(?: now)? (?:in |at )?{_PLACE}")),
    ("home", ("住", "搬", "定居", "落户", "租在", "家在"), late(r"(?:现在|目前|已经|最后|终于|正式|刚|又)?(?:住在?|搬到了?|搬去了?|搬进了?|搬来了?|定居在?|落户|租在|家在)了?"
                        r"(?P<value>[\u4e00-\u9fffA-Za-z]{2,8}?)(?=[了的。，,！!；;\s]|$|这边|那边|住|去|工作|一|租|附近)")),
    ("work", ("work", "start", "join", "hired", "employed", "job", "position", "role", "interning"), late(
        r"\b(?i:work(?:s|ed|ing)?|start(?:s|ed|ing)?|join(?:s|ed|ing)?|hired|employed|job|position|role|interning)\b"
        rf"(?: (?i:(?:a |my |her |his |the )?(?:new )?(?:job|role|position|work|as an? [a-z ]+?)))?(?: (?i:at|for|with|by|over to|to))? {_PLACE}")),
    ("work", ("入职", "跳槽", "加入", "上班", "就职", "去了", "调到", "转到", "工作", "任职", "做事"), late(r"(?:入职|跳槽到了?|加入了?|上班在|就职于|去了|调到了?|转到了?)(?P<value>[\u4e00-\u9fffA-Za-z]{2,10}?)"
                        r"(?=[了的。，,！!；;\s]|$|做|当|上班|工作|任)|在(?P<value2>[\u4e00-\u9fffA-Za-z]{2,10}?)(?:上班|工作|任职|做事)")),
    ("version", (), late(
        rf"{_THING}(?: (?i:is|are|runs?|running|was|has been|got|we))*(?: (?i:now|currently|already))?"
        rf"(?: (?i:on|at|upgraded to|updated to|moved to|bumped to|pinned to|version|release))*[ :@]{{1,2}}{_VERSION}")),
    ("version", ("upgraded", "updated", "bumped", "moved", "migrated", "pinned"), late(rf"\b(?i:upgraded|updated|bumped|moved|migrated|pinned) (?:the |our |all )?{_THING} (?:from \S+ )?to {_VERSION}")),
    ("version", _HAN_CHANGED, late(r"(?P<key>[A-Za-z][\w+#-]*|[\u4e00-\u9fff]{2,6}?)(?:的)?(?:版本)?(?:现在|已经|已)?(?:升级?到了?|升到了?|更新到了?|是|用的是|降到了?|回退到了?|换成了?|跑在|锁在)"
                           r"(?:版本)? ?(?P<value>[vV]?\d+(?:\.\d+)+)")),
    ("owner", ("owns", "leads", "runs", "maintains", "handles", " over", "responsible for", "in charge of", "leading", "handling", "is on ", "is now on ", "looks after"), late(
        rf"(?P<value>(?!The |Our |My |This |It |We |He |She |They ){_NAME}) (?:now |has |have )?(?:owns|leads|runs|maintains|took over|taken over|takes over|is (?:now )?(?:responsible for|in charge of|leading|handling|on)"
        r"|handles|looks after|is taking over) (?:the |our )?(?P<key>[a-z][\w-]*(?: [a-z][\w-]*)?)")),
    ("owner", (" owned", " led", " handled", " run", " maintained", " handed", " passed", " reassigned"), late(rf"(?:the |our )(?P<key>[a-z][\w-]*(?: [a-z][\w-]*)?) (?:is|was|has been|now)(?: now)? (?:owned|led|handled|run|maintained|handed over|passed|reassigned)(?: to| by| over to)+ (?P<value>{_NAME})", _EN)),
    ("owner", ("负责", "接手", "接管", "主管", "交给", "由", "归", "转给"), late(r"(?P<value>[\u4e00-\u9fff]{2,3}?)(?:现在|开始|来|继续)?(?:负责|接手了?|接管了?|主管)(?P<key>[\u4e00-\u9fffA-Za-z]{2,8})"
                         r"|(?P<key2>[\u4e00-\u9fffA-Za-z]{2,8}?)(?:现在|以后|改|已经|已)*(?:交给了?|由|归|转给了?)(?P<value2>[\u4e00-\u9fff]{2,3}?)(?:来?负责|接手|管|$|了|，|。)")),
    ("dose", _IN_DOSE, late(rf"(?P<key>\b(?!(?i:take|takes|taking|took|dose|to|of|is|at|now|on|was|the|my)\b)[A-Za-z]{{4,}})\b[^.;!?]{{0,60}}?(?<![\d.]){_DOSE}", _EN)),
    ("dose", _IN_DOSE, late(rf"(?<![\d.]){_DOSE} (?:of |a day of )?(?:the )?(?P<key>(?!(?:a|per|in|every|each|daily|and|instead|now|once|twice)\b)[a-z]{{4,}})", _EN)),
    ("dose", _IN_DOSE, late(rf"(?P<key>[\u4e00-\u9fff]{{2,6}}?)(?:的)?(?:剂量)?(?:从[^，。]{{1,8}})?(?:现在|已经|医生)?(?:改成?|加到|减到|增加到|减少到|调到|降到|是|每天吃?|每次吃?|吃|一天)了?{_DOSE}")),
    ("appointment", ("appointment", "meeting", "dentist", "interview", "check", "review", "surgery", "flight", "exam", "lesson", "class", "call", "demo", "launch", "release", "deadline", "deliver", "party", "wedding", "viewing", "session", "visit", "standup", "training"), late(
        rf"(?:the |my |our |her |his |\w+'s )(?P<key>(?:[a-z]+ )?(?:appointment|meeting|dentist|interview|check-?up|review|surgery|flight|exam|lesson|class|call|demo|launch|release|deadline|deliver(?:y|ies)|party|wedding|viewing|session|visit|standup|training))"
        r"\b[^.;!?]{0,50}?\b(?:is|was|has been|got|now|moved|pushed|rescheduled|postponed|brought|set|shifted|changed|booked|delayed|confirmed)\b[^.;!?]{0,30}?"
        rf"\b(?:on|to|for|at|until|now|till) (?:the )?(?P<value>{_TIME})", _EN)),
    ("appointment", ("moved", "pushed", "rescheduled", "postponed", "shifted", "delayed"), late(
        rf"\b(?:moved|pushed|rescheduled|postponed|shifted|delayed) (?:the |my |our |her |his )(?P<key>(?:[a-z-]+ )?[a-z-]+) [^.;!?]{{0,20}}?\b(?:to|until|till) (?P<value>{_TIME})", _EN)),
    ("appointment", _IN_HAN_TIME, late(
        rf"(?P<key>[\u4e00-\u9fff]{{1,6}}?(?:会|约|预约|面试|体检|复查|手术|航班|考试|课|发布|上线|截止|交付|婚礼|看牙|牙医|看房|评审|演示|培训|出差))(?:的?时间)?(?:又|被|已经|从[^，。]{{1,8}})*"
        rf"(?:改到?了?|推迟到了?|提前到了?|挪到了?|定在了?|约在了?|延到了?|延期到了?|是|在|换到了?|调到了?)(?P<value>{_HAN_TIME})")),
    ("price", _IN_MONEY, late(
        rf"(?:the |my |our |his |her |\b)(?<!['’])(?P<key>(?:[a-z]+ )?(?:rent|price|fee|subscription|salary|premium|budget|fare|deposit|rate|cost|plan|membership|tuition|bill|quote|offer|wage|ticket|insurance))s?\b[^.;!?]{{0,50}}?{_MONEY}", _EN)),
    ("price", _IN_MONEY, late(rf"(?P<key>[\u4e00-\u9fff]{{0,4}}?(?:房租|租金|价格?|单价|费用?|月薪|工资|薪水|预算|报价|押金|学费|会费|物业费|年费))[^，。；]{{0,10}}?(?:涨到|降到|改成?|调到|谈到|是|为|变成|提到|要|加到|到)?了?{_MONEY}")),
    ("number", ("phone", "number", "mobile", "extension", "mail", "code", "pin", "locker", "room", "desk", "gate", "seat", "plate"), late(r"(?:my|our|the|his|her|\w+'s) (?:new )?(?P<key>(?:[a-z]+ )?(?:phone|number|mobile|extension|email|e-mail|code|pin|locker|room|desk|gate|seat|plate))\b[^.;!?]{0,25}?\b(?:is|to|now)\b[^.;!?\d]{0,10}(?P<value>[\w.+@-]*\d[\w.+@-]*)", _EN)),
    ("number", ("电话", "手机", "号码", "分机", "邮箱", "密码", "房间", "工位", "座位"), late(r"(?P<key>电话|手机号?|号码|分机|邮箱|门禁密码|密码|房间号?|工位|座位)(?:号)?(?:已经|现在)?(?:换成?|改成?|是|变成)了?[^，。\dA-Za-z]{0,4}(?P<value>[\w.+@-]*\d[\w.+@-]*)")),
    ("called", ("叫", "改名"), late(
        r"(?:^|[，。；！,;\s]|我们?|咱们?|家|的|给|把)(?P<key>[狗猫鸟鱼兔龟店队群车船]|[\u4e00-\u9fff]{2,5}?)(?:的名字)?(?:现在|已经|就)?(?:改?叫|改名[叫为成]?)(?:做|作|了)?(?P<value>[\u4e00-\u9fffA-Za-z]{1,8}?)(?=[了的。，,！!；;\s]|$)"
        r"|给(?P<key2>[\u4e00-\u9fff]{1,5}?)改了?名字?[^。]{0,6}?叫(?P<value2>[\u4e00-\u9fffA-Za-z]{1,8}?)(?=[了的。，,！!；;\s]|$)")),
    ("name", ("renamed", "called", "changed"), late(rf"\b(?:renamed|is (?:now )?called|changed (?:its|the) name)[^.;!?]{{0,20}}? (?:to )?(?P<value>{_NAME})")),
)  # fmt: skip
_Gated = list[tuple[_Gate, list[tuple[str, re.Pattern[str]]]]]


def _by_gate(patterns: Iterable[tuple[str, _Gate, re.Pattern[str]]]) -> _Gated:
    """Patterns with their slots, in their order, those that follow each other behind one gate
    together."""
    found: _Gated = []
    for slot, gate, pattern in patterns:
        if found and found[-1][0] == gate:
            found[-1][1].append((slot, pattern))
        else:
            found.append((gate, [(slot, pattern)]))
    return found


_GATED: Final = _by_gate(_PATTERNS)
_ASCII_GATED: Final = [
    (tuple(stem for stem in gate if stem.isascii()), patterns)
    for gate, patterns in _GATED
    if not gate or any(map(str.isascii, gate))
]
"""The same for a text in ASCII, in which no Chinese pattern finds anything."""
_FIGURED: Final = frozenset(("version", "price", "number"))
"""Slots whose values in ASCII hold a figure."""
_COUNTED: Final = ("tablet", "pill", "capsule", "drops", "puffs")
"""What a dose counts by numerals."""
_ASCII_WITHOUT_FIGURES: Final = [
    (_COUNTED if patterns[0][0] == "dose" else gate, patterns)
    for gate, patterns in _ASCII_GATED
    if patterns[0][0] not in _FIGURED
]
_FIGURE: Final = late("[0-9]")
_PERSONAL: Final = frozenset(("home", "work"))
_DATED_KEYS: Final = late(
    r"\b(january|february|march|april|may|june|july|august|september|october|november|december"
    r"|\d{4})\b(?:'s)?|([一二三四五六七八九十]{1,2}月|\d{1,2}月)(?:份|的)?",
    re.IGNORECASE,
)


def states(sentence: str, among: _Gated | None = None) -> tuple[State, ...]:
    """The states that a sentence tells; none of a question, a guess or an addition.

    among: the patterns that its text lets through; None: all."""
    said = " ".join(sentence[:_LONGEST].split())
    folded = said.casefold()
    likely = list(chain.from_iterable(patterns for _, patterns in _opened(folded, among)))
    if not likely or _is_question(said) or _HEDGED.within(said, folded):
        return ()
    is_past, is_more = _PAST.within(said, folded), _MORE.within(said, folded)
    found: dict[tuple[str, str], State] = {}
    for slot, pattern in likely if not is_more else ():
        for match in pattern.finditer(said):
            parts = match.groupdict()
            value = parts.get("value") or parts.get("value2") or ""
            key = parts.get("key") or parts.get("key2") or ""
            if value.casefold() in _NOT_NAMES:
                continue
            if slot in _PERSONAL or slot in ("name",):
                subject = _subject(said, match.start(), personal=True)
                if subject is None or subject.casefold() == value.casefold():
                    continue
            else:
                subject = _topic(key)
                if not subject:
                    continue
                if slot == "dose":
                    owner = _subject(said, match.start("key") if parts.get("key") else 0)
                    subject = f"{owner or SELF}/{subject}"
                elif slot in ("price", "number"):
                    # "May's rent" and "June's rent" are two.
                    when = _DATED_KEYS.findall(said[: match.end()])
                    owner = _subject(said, match.start("key") if parts.get("key") else 0) or SELF
                    subject = f"{owner}/{subject}/{'/'.join(map(''.join, when)).casefold()}"
            state = State(_plain(subject), slot, _plain(value), is_past)
            found.setdefault(state[:2], state)
    return tuple(found.values())


def _opened(folded: str, among: _Gated | None = None) -> _Gated:
    """Those of `among`, or of all `_PATTERNS`, that may match what is said in lower case."""
    if among is None:
        among = _GATED
        if folded.isascii():
            among = _ASCII_GATED if _FIGURE.search(folded) else _ASCII_WITHOUT_FIGURES
    return [
        each
        for each in among
        if (holds(folded, each[0]) if each[0] else _IN_VERSION.search(folded) is not None)
    ]


def _is_question(said: str) -> bool:
    is_marked = "?" in said or "？" in said or "吗" in said or "呢" in said
    if is_marked and _ASKED_AT_END.search(said):
        return True
    return _ASKED_AT_START.match(said) is not None


def _subject(said: str, before: int, personal: bool = False) -> str | None:
    """Of whom a sentence tells something at a place: the last one named up to it.

    `personal`: of whom else than a person it cannot be told.
    """
    lead = said[: before + 1]
    owner = _HAN_OWNER.search(said[:before])
    if owner is not None and not _NO_HAN.search(owner["name"]):
        return owner["name"]
    who: str | None = None
    for match in _WHO.finditer(said):
        if match.start() > before:
            break
        if match["kin_name"]:
            who = match["kin_name"]
        elif match["kin"]:
            who = match["kin"].split()[-1]
        elif match["self"] or match["han_self"]:
            who = SELF
        elif match["han_kin"]:
            who = match["han_name"] or re.sub("^我(?:的|们)?", "", match["han_kin"])
        else:
            name = re.sub(r"['’](?:s|ve|ll|d|m|re)$", "", match["name"])
            opening = not match.start() and _NO_NAME.search(name)
            if name.split()[0].casefold() not in _NOT_NAMES and not opening:
                who = name
    if personal and (who is None or who == SELF):
        han = _HAN_SUBJECT.search(said[: before + 4])
        if han is not None and han.start("name") <= before and not _NO_HAN.search(han["name"]):
            return han["name"]
    others = told_of(said) - {SELF} if personal and who is None and not said.isascii() else ()
    if others:
        return min(others, key=said.find)
    if personal and who is None and (not re.search("[a-z]", lead) or _NO_NAME.match(said)):
        return SELF  # Chinese leaves "I" out, and so do notes in English
    return who


def _topic(key: str) -> str:
    """What a state is of, without articles and grammar."""
    left = [w for w in key.split() if w.casefold() not in STOP_WORDS | _NO_TOPICS]
    return " ".join(left)


_NO_TOPICS: Final = frozenset(
    "now currently already new upgraded updated bumped moved migrated pinned version runs running got current latest"
    " doctor raised lowered increased decreased".split()
)


def _plain(text: str) -> str:
    return re.sub(r"[\s,]+", " ", text.casefold()).strip(" .。")


# -- sentences that differ in one value ------------------------------------------------------------

_TOKEN: Final = late(r"[A-Za-z][A-Za-z'’-]*|\d[\d.,:/-]*|[\u4e00-\u9fff]")
_SETS: Final = Gated(
    r"\b(?:allerg\w+|likes?|loves?|hates?|enjoys?|speaks?|knows?|visited|went|saw|met|read|watched|ate|ran|bought"
    r"|walked|won|played|finished|took|made|called|said|told|asked|booked|ordered|paid|sent|intoleran\w+)\b"
    r"|过敏|喜欢|爱吃|爱喝|讨厌|会说|去了|看了|见了|跑了|买了|吃了|读了|赢了|玩了|完成了|说了|问了|付了|寄了",
    "allerg like love hate enjoy speak know visited went saw met read watched ate ran bought walked won"
    " played finished took made called said told asked booked ordered paid sent intoleran"
    " 过敏 喜欢 爱吃 爱喝 讨厌 会说 去了 看了 见了 跑了 买了 吃了 读了 赢了 玩了 完成了 说了 问了 付了 寄了",
)
_CHANGING: Final = Gated(
    r"\b(?:now|no longer|any ?more|instead|switched|changed|from now on|these days|new|currently)\b"
    r"|现在|目前|改成|改为|换成|不再|以后|如今|从今",
    "now no_longer any_more anymore instead switched changed these_days new currently"
    " 现在 目前 改成 改为 换成 不再 以后 如今 从今",
)
_SHARED: Final = 3  # tokens with content that two sentences begin with alike
_DIFFERING: Final = 3  # tokens that the value may have
_FOLLOWING: Final = 2  # tokens that may stand behind it


def _framed(statements: Sequence[Statement]) -> Iterator[list[Statement]]:
    """Groups of statements by one speaker whose sentences begin alike and end in another value."""
    beginnings = {s.node: _beginnings(s.sentences) for s in statements}
    times = Counter(chain.from_iterable(beginnings.values()))
    often = {beginning for beginning, count in times.items() if count > 1}
    if not often:
        return  # as mostly

    def frames(statement: Statement, beginning: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        return filter(None, map(_frame, beginnings[statement.node][beginning]))

    shared = {node: often.intersection(each) for node, each in beginnings.items()}
    left = sorted(
        (s for s in statements if shared[s.node]), key=lambda s: (s.is_coming, -s.moment, -s.node)
    )
    taken: set[int] = set()
    for place, newest in enumerate(left):
        if newest.node in taken:
            continue
        firsts = shared[newest.node]
        group = [newest]
        for older in left[place + 1 :]:
            if older.node in taken or older.speaker != newest.speaker:
                continue
            both = firsts & shared[older.node]
            if both and any(
                _differs(new, old)
                for first in both
                for new in frames(newest, first)
                for old in frames(older, first)
            ):
                group.append(older)
        if len(group) > 1:
            taken.update(s.node for s in group)
            yield group


@lru_cache(1 << 13)
def _beginnings(sentences: tuple[str, ...]) -> Mapping[tuple[str, ...], list[str]]:
    """The first tokens of some sentences, as their frames have them → the sentences that begin so;
    without those that have no more tokens."""
    is_changing = _CHANGING.opens(_whole(sentences))
    found: dict[tuple[str, ...], list[str]] = {}
    for sentence in sentences:
        said = sentence[:_LONGEST]
        if is_changing:
            said = _CHANGING.without(said, said.casefold())
        first = [match[0].casefold() for match in islice(_TOKEN.finditer(said), _SHARED + 1)]
        if len(first) > _SHARED:
            found.setdefault(tuple(first[:_SHARED]), []).append(sentence)
    return found


@lru_cache(1 << 13)
def _frame(sentence: str) -> tuple[str, ...]:
    """The tokens of a statement that may be outdated; none of a question, an event or a set."""
    said = sentence[:_LONGEST]
    if not is_single(said):
        return ()
    found = tuple(t.casefold() for t in _TOKEN.findall(_CHANGING.without(said, said.casefold())))
    return found if len(found) <= 24 else ()


@lru_cache(1 << 13)
def is_single(said: str) -> bool:
    """Whether a sentence may tell the one value of a state: it is no question, guess, set, event or
    addition."""
    folded = said.casefold()
    return not (
        _SETS.within(said, folded)
        or _HEDGED.within(said, folded)
        or _MORE.within(said, folded)
        or _is_question(said)
    )


def _differs(new: Sequence[str], old: Sequence[str]) -> bool:
    """Whether two frames are one but for a value, which is no key of what follows it."""
    least = max(0, max(len(new), len(old)) - _DIFFERING - _FOLLOWING)
    if new[:least] != old[:least]:
        return False  # as mostly: more differs than a value
    alike = 0
    for a, b in zip(new, old, strict=False):
        if a != b:
            break
        alike += 1
    ends = 0
    for a, b in zip(reversed(new[alike:]), reversed(old[alike:]), strict=False):
        if a != b:
            break
        ends += 1
    values = len(new) - alike - ends, len(old) - alike - ends
    content = sum(token not in STOP_WORDS and not token[0].isdigit() for token in new[:alike])
    han = sum(not token.isascii() for token in new[:alike])
    enough = content >= (_SHARED if not han else _SHARED + 2)
    if not enough or not all(1 <= count <= _DIFFERING for count in values) or ends > _FOLLOWING:
        return False
    said = new[alike : alike + values[0]], old[alike : alike + values[1]]
    return all(any(t not in STOP_WORDS for t in part) for part in said)


# -- sentences that say that something changed -----------------------------------------------------

_CHANGED: Final = Gated(
    r"\b(?:moved|switched|changed|upgraded|raised|increased|cut|lowered|reduced|pushed|postponed"
    r"|rescheduled|replaced|took over|no longer|any ?more|from now on|bumped|swapped|dropped|went (?:up|down))\b"
    r"|\bnow\b|改[成到为用]|换[成了到]|升[到级]|调[到成]|搬[到去进]|涨[到了]|降[到了]|[加减提延]到|推迟|提前|不再|现在|如今",
    "moved switched changed upgraded raised increased cut lowered reduced pushed postponed rescheduled"
    " replaced took_over no_longer any_more anymore from_now_on bumped swapped dropped went_ now"
    " 改 换 升 调 搬 涨 降 加到 减到 提到 延到 推迟 提前 不再 现在 如今",
)  # fmt: skip
_TYPES: Final = tuple(
    lower(pattern.replace("(?P<value>", "(?:"))
    for pattern in (_MONEY, _DOSE, _VERSION, f"{_TIME}|{_HAN_TIME}")
)


def _changed(statements: Sequence[Statement], topic: frozenset[str]) -> Iterator[list[Statement]]:
    """Groups of statements by one speaker that hold the same words of a cue, of which the newest
    says that something changed."""
    if not topic:
        return
    left = sorted(statements, key=lambda s: (s.is_coming, -s.moment, -s.node))
    taken: set[int] = set()
    for place, newest in enumerate(left):
        if newest.node in taken:
            continue
        if not _tell_change(newest.sentences):
            continue  # which is most of them
        about, changes, types = _about(newest, topic)
        if not about or not changes:
            continue
        group = [newest]
        for older in left[place + 1 :]:
            if older.speaker != newest.speaker or older.node in taken:
                continue
            same, _, others = _about(older, topic)
            if (same, others) == (about, types):
                group.append(older)
        if len(group) > 1:
            taken.update(s.node for s in group)
            yield group


def _about(
    statement: Statement, topic: frozenset[str]
) -> tuple[frozenset[str], bool, tuple[bool, ...]]:
    """Which words of a topic a statement holds, whether it tells of a change, and which types of
    value it has; nothing of a question, a set or an event."""
    for sentence in statement.sentences:
        about = topic & _held(sentence)
        if about and 2 * len(about) >= len(topic) and (said := _changing(sentence)) is not None:
            return about, *said
    return frozenset(), False, ()


@lru_cache(1 << 13)
def _held(sentence: str) -> frozenset[str]:
    return frozenset(words(sentence[:_LONGEST]))


@lru_cache(1 << 13)
def _changing(sentence: str) -> tuple[bool, tuple[bool, ...]] | None:
    """Whether a sentence tells of a change, and its types of value; None of what cannot."""
    said = sentence[:_LONGEST]
    if not is_single(said):
        return None
    low = said.lower()
    types = tuple(kind.search(low) is not None for kind in _TYPES)
    return _tells_change(said), types


@lru_cache(1 << 13)
def _tell_change(sentences: tuple[str, ...]) -> bool:
    is_likely = _CHANGED.opens(_whole(sentences))
    return is_likely and any(_tells_change(sentence[:_LONGEST]) for sentence in sentences)


def _tells_change(said: str) -> bool:
    return _CHANGED.within(said, said.casefold())


# -- what a question of one value brings back -------------------------------------------------------

UPDATES: Final = Gated(
    r"\b(?:moved?|switch\w*|chang\w+|upgraded|rais\w+|increas\w+|cuts?|lower\w+|reduc\w+|push\w+|postpon\w+"
    r"|reschedul\w+|replac\w+|took over|takes? over|taken over|inherit\w*|no longer|any ?more|from now on"
    r"|from (?:this|next|tonight|today|\w+day)|bumped|swapp?\w*|dropp?\w*|went (?:up|down|to)|traded|new|now|instead"
    r"|(?:up|down|back|on) to|voted|gave up|given (?:in|up)|turned|became|since|as of|finally|last (?:night|week)|put off"
    r"|onwards?|left|sold|delayed|extended|renamed|promoted|migrated|brought forward|halved|doubled|tripled|quit|cancell?ed"
    r"|broke up)\b"
    r"|改|换|升|调|搬|涨|降|加到|减|提到|延|推迟|提前|不再|不做|现在|如今|成了|交给|接手|接了|转|挪|迁|顺延|放到|收回"
    r"|离职|退休|辞职|卖[了掉]|取消|分手|离婚|入职|跳槽",
    "move switch chang upgraded rais increas cut lower reduc push postpon reschedul replac took_over take_over takes_over taken_over inherit"
    " no_longer any_more anymore from_ bumped swap drop went_ traded new now instead up_to down_to back_to on_to voted gave_up given_ turn"
    " bec since as_of finally last_night last_week put_off onward left sold delayed extended renamed promoted migrated"
    " brought_forward halved doubled tripled quit cancel broke_up"
    " 改 换 升 调 搬 涨 降 加到 减 提到 延 推迟 提前 不再 不做 现在 如今 成了 交给 接手 接了 转 挪 迁 顺延 放到 收回"
    " 离职 退休 辞职 卖了 卖掉 取消 分手 离婚 入职 跳槽",
)
"""Says that something may have changed."""
ENDS: Final = Gated(
    r"\b(?:quit|quitting|left|leaving|leaves|sold|cancel\w*|dropped|gave (?:up|away|back)|given up|got rid of"
    r"|broke up|broken up|split (?:up|from)|divorced|fired|replac\w+|retired?|resigned|closed|ditched|abandoned|swapped"
    r"|traded|scrapped|moved (?:out of|away from|from|on from)|switched (?:away )?from|changed from|went from|came off"
    r"|no longer|any ?more|stopped|instead of|rather than|in place of|died|passed away|is gone|stepped down|let \w+ go"
    r"|discontinued|deprecated|uninstalled|unsubscribed|deleted|removed|threw (?:out|away)|done with|over with|outgrew|sick of"
    r"|not [\w ]{1,20} (?:any ?more|but)|took over from|takes over from|inherited from|renamed|ended)\b"
    r"|离职|退休|辞了?|卖|退[了掉订出租]|取消|分手|离婚|走了|离开|离了|不再|不用|不[吃喝去做养住开玩学]|换[了掉]|扔|丢|停[了用]|弃用|废弃"
    r"|淘汰|关[了门掉]|倒闭|代替|取代|替[换了]|接替|而不是|搬出|搬离|送[人给]|没了|坏了|告别|从[^，。；]{1,12}[换转改搬跳调升降变迁]|把[^，。；]{1,12}[换卖退删停改拆]|改名",
    "quit left leav sold cancel dropped gave_ given_up got_rid broke split_ divorced fired replac retire resigned closed"
    " ditched abandoned swapped traded scrapped moved_ switched_ changed_from went_from came_off no_longer any_more anymore stopped"
    " instead_of rather_than in_place_of died passed_away is_gone stepped_down let_ discontinued deprecated uninstalled unsubscribed"
    " deleted removed threw_ done_with over_with outgrew sick_of not_ over_from inherited_from renamed ended"
    " 离职 退休 辞 卖 退 取消 分手 离婚 走了 离开 离了 不 换 扔 丢 停 弃用 废弃 淘汰 关 倒闭 代替 取代 替 接替 而不是 搬出 搬离 送 没了 坏了 告别 从 把 改名",
)
"""Says that something is over."""


def current(
    group: Sequence[Statement], wanted: Asked, until: int | None, begun: int | None = None
) -> list[Statement]:
    """A group, the newest first, in the order in which a cue wants it.

    until: the end of the period for which the cue asks; what held then is what was told last before
    it. begun: where that period begins. "Before October" asks for what was told before it begins;
    "before it moved to Wednesday" names no time, for all was told before.
    """
    newest, *earlier = group
    if wanted == "now" and until is None:
        later = [s for s in earlier if s.is_coming and not newest.is_coming]
        return [newest, *later, *(s for s in earlier if s not in later)]
    if wanted == "before" and begun is not None:
        told = [s for s in group if s.moment < begun]
        if told and told[0] is not newest:
            return [*told, *(s for s in group if s not in told)]
    elif until is not None:
        then = [s for s in group if s.moment <= until] or [group[-1]]
        return [then[0], *(s for s in group if s is not then[0])]
    if wanted == "before":
        return [*earlier, newest]
    return list(group)[::-1] if wanted == "first" else list(group)


@lru_cache(1 << 14)
def sentences_of(spans: tuple[str, ...]) -> tuple[str, ...]:
    """The sentences of a memory, each with the punctuation that ends it, the first few."""
    return tuple(text for span in spans[:8] if (text := span.strip()))
