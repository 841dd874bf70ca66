"""A cue as it is read: which periods it names, and what it asks about besides them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache, lru_cache
from typing import Final

from graphmem.recalling.asking import asks_what_was_spent
from graphmem_worker.language.calendar import Mention, is_ahead, mentions, without
from graphmem_worker.language.lists import listed
from graphmem_worker.language.numbers import either
from graphmem_worker.language.period import Period
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.clauses import names_another, negation, refers_back
from graphmem_worker.text.patterns import late
from graphmem_worker.text.salience import is_question
from graphmem_worker.text.sentences import sentences
from graphmem_worker.text.trivial import trivial
from graphmem_worker.text.words import FUNCTION_CHARACTERS, STOP_WORDS, words

_LOOKED_UP: Final = 64  # distinct words of a cue
_SHARP_DAYS: Final = 2  # up to which a period is a day that somebody knows
# What questions ask with and are not about; in Chinese the analyser knows no words, so these would
# count as content.
_ASKING: Final = frozenset(
    (
        "happen mention said say talk tell told rememb "
        "什么 么时 怎么 么样 哪里 哪儿 哪个 哪些 多少 可以 "
        "如何 为什 是否 时候 有什 是什 做什 吃什 叫什"
    ).split()
)
# The same, where a day is all that is left: "what was on that day" has no content either.
_EMPTY: Final = frozenset(
    (
        "happen occur mention said say talk tell told rememb recal go went gone come come came "
        "thing anyth someth everyth event day date time memori note entri log list show give "
        "summari summar record know known new news get got anybodi anyon everybodi everyon "
        "someon life activ plan schedul agenda us exact particular special take place took "
        "find found make made like long ago back part write wrote written discuss discuss bring "
        "brought topic subject remind news"
    ).split()
)
_HAN_EMPTY: Final = late(
    "发生|什么|哪些|哪几|哪|事情|事儿|事|做|干|啥|怎么样?|怎样|如何|说|聊|讲|谈|记录|记得|记|情况|大家|我们|咱们|你们"
    "|我|你|那天|当天|这天|那一天|告诉|回忆|回顾|一下|请|帮|给|总结|看看|看|想|知道|忙|安排|日程|活动|消息"
    "|新鲜|新|进展|经历|提到|提过|提|过得|过|度过|呢|吗|吧|啊|的|了|在|都|有|和|是|些|几件|件|多少|时候|时|为止"
    "|动静|经过|有谁|谁|话题|主题|里|之间|期间|间|还|又|曾|列出|列|出|所有|全部|内容|关于|起|来|着|把|被|到底|究竟|就|也|要|会"
)

_DEICTIC: Final = frozenset("now nowaday current present today".split())
"""They say which of several statements is asked for (`currency`), not what they are about."""
_HAN_ASKING: Final = late(
    "现在|目前|如今|眼下|当前|最新的?|[吗呢]|怎么样?|为什么"
    "|[是有]?(?:[什啥]么?(?:时候|地方)|什么|多[少久长大高重远]钱?|哪[个里儿些位家年天边种条款只]?|谁|啥|几[点号个月岁])"
    "|以前|之前|从前|原先|原来|最初|最早|起初|[？?]"
)
"""Without word boundaries each of these would join the words beside it into pairs of characters
that no memory holds: 诺现, 在哪, 租是."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue, read at some moment."""

    text: str
    """As it was given."""
    when: tuple[Mention, ...]
    """Where it names periods, by the days of which people say them."""
    content: str
    """The text without them; the text itself if it names none."""
    terms: tuple[str, ...]
    """The index words of the content, each once."""
    is_dated: bool
    """True if it names periods and asks about nothing besides."""

    asked: tuple[str, ...]
    """The words that are looked up: those that say what the cue is about. Of more than 64, those
    of its questions and then the last ones."""
    aside: frozenset[str] = frozenset()
    """Those of a turn that asks, but not with them: they count half."""
    is_of_period: bool = False
    """Whether it asks what was spent, on whatever, in the periods that it names: what is of others
    is no hit."""
    is_negated: bool = False
    """Whether it is one sentence that asks for what is not so: "Who has no car?"."""
    is_of_last: bool = False
    """Whether it asks what was talked about last, whatever that was: "Where did we leave off?"."""

    @property
    def question(self) -> Cue:
        """What it asks, without what it tells besides, as far as that is asked of by itself."""
        text, content = map(_questions, (self.text, self.content))
        if not self.aside or refers_back(text):
            return self
        main = tuple(word for word in self.asked if word not in self.aside)
        return replace(self, text=text, content=content, asked=main, aside=frozenset())

    @property
    def is_sharp(self) -> bool:
        """Whether it names a day or two."""
        return any(m.period.length <= _SHARP_DAYS and not m.is_vague for m in self.when)


def read(text: str, now: datetime) -> Cue:
    """Read a cue. `now` is what "yesterday" counts from; days begin in its zone."""
    when = tuple(_asked_of(text, m, now.date()) for m in mentions(text, now.date()))
    content = without(text, when) if when else text
    said = tuple(dict.fromkeys(words(content)))
    when += tuple(m._replace(period=m.coming) for m in when if m.coming is not None)
    is_dated = bool(when) and _is_empty(content, said)
    is_of_last = not when and _is_of_last(text)
    # A text that names the year says so as a word.
    said += tuple(year for year in dict.fromkeys(_YEAR.findall(text)) if year not in said)
    if when and asks_what_was_spent(text) and not _is_of_a_thing(content):
        return _read(text, tuple(map(_wider, when)), content, said, is_of_period=True)
    if not is_dated and not is_of_last and all(mention.is_vague for mention in when):
        # "recently" beside a subject means the time of the subject, which is not known.
        said = tuple(dict.fromkeys(words(text)))
        return _read(text, (), text, said)
    return replace(_read(text, when, content, said, is_dated=is_dated), is_of_last=is_of_last)


def _wider(mention: Mention) -> Mention:
    """ "Recently" with twice as many days; other mentions as they are."""
    period = mention.period
    if not mention.is_vague:
        return mention
    return mention._replace(period=Period(period.first - (period.last - period.first), period.last))


def _asked_of(text: str, mention: Mention, today: date) -> Mention:
    """A mention with the days that are asked for: those of which people say it; of what is to be
    done until a day, those from today on."""
    period = mention.about
    if period.first == date.min and period.last > today and is_ahead(text, mention) is not False:
        period = Period(today, period.last)
    return mention._replace(period=period)


def _read(
    text: str,
    when: tuple[Mention, ...],
    content: str,
    said: tuple[str, ...],
    *,
    is_dated: bool = False,
    is_of_period: bool = False,
) -> Cue:
    asked = _asked(content, said)
    parts = _sentences(content)
    is_negated = len(parts) == 1 and negation(content) is not None
    asking = _of_questions(parts, asked)
    if len(asked) > _LOOKED_UP:
        ordered = sorted(enumerate(asked), key=lambda each: (each[1] not in asking, -each[0]))
        asked = tuple(word for _, word in ordered[:_LOOKED_UP])
    aside = frozenset(asked) - asking if asking else frozenset()
    return Cue(text, when, content, said, is_dated, asked, aside, is_of_period, is_negated)


def asks(text: str) -> bool:
    """Whether a sentence of a text is a question."""
    return bool(_questions(text))


@lru_cache(1 << 4)
def _questions(text: str) -> str:
    return " ".join(filter(is_question, _sentences(text)))


def _sentences(text: str) -> list[str]:
    return sentences(text.encode("utf-8", "replace").decode())  # half a pair of UTF-16 is none


def _of_questions(parts: Sequence[str], asked: Sequence[str]) -> frozenset[str]:
    """Those of the words that are asked which stand in the questions of a turn of these sentences;
    all if it has nothing besides, or little for which a pronoun may stand; none if it does not
    ask."""
    if len(parts) == 1:
        return frozenset(asked)
    questions = " ".join(filter(is_question, parts))
    if len(asked) <= _LOOKED_UP and names_another(questions):
        return frozenset(asked)
    return frozenset(_asked(questions, words(questions))) if questions else frozenset()


_PART: Final = late(r"[.,!?:;。，！？：；]")
_YEAR: Final = late(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_HAN_WHERE: Final = r"(?:哪[里儿边个]?|[什啥]么?地方)"
_HAN_STAYING: Final = late(
    rf"(?P<ahead>[住坐放停存站])(?={_HAN_WHERE})|在{_HAN_WHERE}(?P<behind>[住坐放停存站])(?!在)"
)
"""住哪儿 and 在哪儿住 ask for what is told as 住在; 住 alone is no word of any text."""


def _asked(content: str, said: Sequence[str]) -> tuple[str, ...]:
    left = said
    if not content.isascii():
        stated = _HAN_STAYING.sub(lambda m: f"{m['ahead'] or m['behind']}在 ", content)
        years = (word for word in said if word.isdigit())
        left = tuple(dict.fromkeys((*words(_HAN_ASKING.sub(" ", stated)), *years)))
    empty = _ASKING | _function_words(content)
    chosen = tuple(
        word
        for word in left
        if not (word in empty or word in _DEICTIC or _grammar_characters().issuperset(word))
    )
    return chosen or tuple(word for word in said if word not in _ASKING)


def _function_words(content: str) -> frozenset[str]:
    """The index words that say nothing in the language of a cue: English ones are in no index, but
    in a memory of several languages those of another are rare words."""
    others, held = listed("function_words"), content.lower().split()
    is_other = sum(word in others for word in held) > sum(word in STOP_WORDS for word in held)
    return _indexed(others) if is_other else frozenset()


@cache
def _grammar_characters() -> frozenset[str]:
    return FUNCTION_CHARACTERS | listed("prepositions")


@lru_cache(4)
def _indexed(listed_words: frozenset[str]) -> frozenset[str]:
    return frozenset(words(" . ".join(sorted(listed_words))))


def subject(text: str) -> list[str]:
    """The index words of a cue that name what it is about: without those that questions ask with,
    and without "know", "tell" and the like."""
    left = words(_HAN_EMPTY.sub(" ", text))
    return [word for word in dict.fromkeys(left) if word not in _ASKING | _EMPTY]


def _is_of_a_thing(content: str) -> bool:
    """Whether a cue that asks what was spent names for what, which may have a standing price."""
    left = words(_HAN_EMPTY.sub(" ", _joined("spending_words").sub(" ", content)))
    empty = _EMPTY | _ASKING | _indexed(listed("function_words") | listed("spending_words"))
    return not empty.issuperset(left)


@cache
def _joined(name: str) -> re.Pattern[str]:
    """Those of a list of words that no space need part from others."""
    return re.compile(either([word for word in listed(name) if not word.isascii()]))


def _is_of_last(text: str) -> bool:
    """Whether a cue names the time of the last talk, and nothing besides but what says nothing."""
    last = sayings("cues", "last time")
    if not last.is_in(folded(text)):
        return False
    parts = _PART.split(last.without(folded(text)))
    return all(_is_empty(part, words(part)) or trivial(part) for part in parts)


def _is_empty(content: str, said: Sequence[str]) -> bool:
    left = words(_HAN_EMPTY.sub(" ", _joined("empty_asking").sub(" ", content)))
    empty, others = _EMPTY, _indexed(listed("empty_asking"))
    # Of a language whose words are all in the index.
    if _function_words(content) or not others.isdisjoint(left):
        empty |= others | _indexed(listed("function_words"))
    return empty.issuperset(left) or empty.issuperset(said)
