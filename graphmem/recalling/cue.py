"""Reading a cue: the periods that it names, and the words by which it is looked up."""

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
_SHARP_DAYS: Final = 2  # the longest period that counts as one known day
# Question words, which are never the subject. In Chinese, which is indexed by pairs of characters,
# they would count as content.
_ASKING: Final = frozenset(
    (
        "happen mention said say talk tell told rememb "
        "什么 么时 怎么 么样 哪里 哪儿 哪个 哪些 多少 可以 "
        "如何 为什 是否 时候 有什 是什 做什 吃什 叫什"
    ).split()
)
# More of them for a cue that names a day: "what was on that day" has no other content.
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
"""They say which of several values is asked for (`currency`), not what the cue is about."""
_HAN_ASKING: Final = late(
    "现在|目前|如今|眼下|当前|最新的?|[吗呢]|怎么样?|为什么"
    "|[是有]?(?:[什啥]么?(?:时候|地方)|什么|多[少久长大高重远]钱?|哪[个里儿些位家年天边种条款只]?|谁|啥|几[点号个月岁])"
    "|以前|之前|从前|原先|原来|最初|最早|起初|[？?]"
)
"""Left in the text, each of these would form pairs with the characters beside it that no memory
holds: 诺现, 在哪, 租是."""


@dataclass(frozen=True, slots=True)
class Called:
    """A form of address, or the name in its place, as a cue has it."""

    written: str
    others: tuple[str, ...]
    """What else stands for it: the form that was typed, or the names of all whom it may mean."""
    words: tuple[str, ...]
    """The index words that it has in the cue."""
    term: str
    """What is looked up instead of them: any word of those that stand for it."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue, read at some moment."""

    text: str
    """As it was given."""
    when: tuple[Mention, ...]
    """The periods that it names, as the days that a memory of them is about."""
    content: str
    """The text without the names of periods."""
    terms: tuple[str, ...]
    """The index words of the content, each once."""
    is_dated: bool
    """True if it names periods and asks about nothing besides."""

    asked: tuple[str, ...]
    """The content words, which are looked up. Of more than 64, those of its questions and then the
    last ones."""
    aside: frozenset[str] = frozenset()
    """Those of them that are not in the questions of a turn with questions: they count half."""
    is_of_period: bool = False
    """Whether it asks what was spent, on whatever, in the periods that it names: only memories of
    these are hits."""
    is_negated: bool = False
    """Whether it is one sentence with a negation: "Who has no car?"."""
    is_of_last: bool = False
    """Whether it asks what was talked about last, whatever that was: "Where did we leave off?"."""
    called: tuple[Called, ...] = ()
    """Whom it names by a form of address."""

    @property
    def readings(self) -> list[Cue]:
        """The cue, and as it reads with other names for whom it addresses."""
        texts = [self.text.replace(c.written, name) for c in self.called for name in c.others]
        return [self, *(replace(self, text=text, terms=tuple(words(text))) for text in texts)]

    @property
    def question(self) -> Cue:
        """The cue reduced to its questions; the cue itself if these refer back to the rest."""
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
    terms = tuple(dict.fromkeys(words(content)))
    when += tuple(m._replace(period=m.coming) for m in when if m.coming is not None)
    is_dated = bool(when) and _is_empty(content, terms)
    is_of_last = not when and _is_of_last(text)
    # The year is also an index word of the memories that name it.
    terms += tuple(year for year in dict.fromkeys(_YEAR.findall(text)) if year not in terms)
    if when and asks_what_was_spent(text) and not _is_of_a_thing(content):
        return _read(text, tuple(map(_wider, when)), content, terms, is_of_period=True)
    if not is_dated and not is_of_last and all(mention.is_vague for mention in when):
        # "recently" beside a subject means the time of the subject, which is not known.
        return _read(text, (), text, tuple(dict.fromkeys(words(text))))
    return replace(_read(text, when, content, terms, is_dated=is_dated), is_of_last=is_of_last)


def _wider(mention: Mention) -> Mention:
    """ "Recently" with twice as many days; other mentions as they are."""
    period = mention.period
    if not mention.is_vague:
        return mention
    return mention._replace(period=Period(period.first - (period.last - period.first), period.last))


def _asked_of(text: str, mention: Mention, today: date) -> Mention:
    """A mention with the days that are asked for: those that a memory of it is about; of an open
    period until a coming day, those from today on."""
    period = mention.about
    if period.first == date.min and period.last > today and is_ahead(text, mention) is not False:
        period = Period(today, period.last)
    return mention._replace(period=period)


def _read(
    text: str,
    when: tuple[Mention, ...],
    content: str,
    terms: tuple[str, ...],
    *,
    is_dated: bool = False,
    is_of_period: bool = False,
) -> Cue:
    asked = _asked(content, terms)
    parts = _sentences(content)
    is_negated = len(parts) == 1 and negation(content) is not None
    asking = _of_questions(parts, asked)
    if len(asked) > _LOOKED_UP:
        ordered = sorted(enumerate(asked), key=lambda each: (each[1] not in asking, -each[0]))
        asked = tuple(word for _, word in ordered[:_LOOKED_UP])
    aside = frozenset(asked) - asking if asking else frozenset()
    return Cue(text, when, content, terms, is_dated, asked, aside, is_of_period, is_negated)


def asks(text: str) -> bool:
    """Whether a sentence of a text is a question."""
    return bool(_questions(text))


@lru_cache(1 << 4)
def _questions(text: str) -> str:
    return " ".join(filter(is_question, _sentences(text)))


def _sentences(text: str) -> list[str]:
    return sentences(text.encode("utf-8", "replace").decode())  # half a pair of UTF-16 is none


def _of_questions(parts: Sequence[str], asked: Sequence[str]) -> frozenset[str]:
    """Those of the `asked` words that are in the questions among these sentences; all if there is
    only one sentence, or few words and a pronoun that may refer to them; none without a question.
    """
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
"""住哪儿 and 在哪儿住 ask for what a text states as 住在; 住 alone is no index word."""


def _asked(content: str, terms: Sequence[str]) -> tuple[str, ...]:
    """The content words of a cue; all but question words if it has none."""
    left = terms
    if not content.isascii():
        stated = _HAN_STAYING.sub(lambda m: f"{m['ahead'] or m['behind']}在 ", content)
        years = (word for word in terms if word.isdigit())
        left = tuple(dict.fromkeys((*words(_HAN_ASKING.sub(" ", stated)), *years)))
    empty = _ASKING | _DEICTIC | _function_words(content)
    chosen = (w for w in left if not (w in empty or _grammar_characters().issuperset(w)))
    return tuple(chosen) or tuple(word for word in terms if word not in _ASKING)


def _function_words(content: str) -> frozenset[str]:
    """The index words that are function words in the language of a cue; none for an English one,
    whose stop words are in no index. In a memory of several languages they are rare words."""
    others, typed = listed("function_words"), content.lower().split()
    is_other = sum(word in others for word in typed) > sum(word in STOP_WORDS for word in typed)
    return indexed(others) if is_other else frozenset()


@cache
def _grammar_characters() -> frozenset[str]:
    return FUNCTION_CHARACTERS | listed("prepositions")


@lru_cache(4)
def indexed(listed_words: frozenset[str]) -> frozenset[str]:
    """The index words of a list of words."""
    return frozenset(words(" . ".join(sorted(listed_words))))


def subject(text: str) -> list[str]:
    """The index words of a cue without question words, "know", "tell" and the like."""
    left = words(_HAN_EMPTY.sub(" ", text))
    return [word for word in dict.fromkeys(left) if word not in _ASKING | _EMPTY]


def _is_of_a_thing(content: str) -> bool:
    """Whether a cue that asks what was spent names the thing, which may have a standing price."""
    left = words(_HAN_EMPTY.sub(" ", _joined("spending_words").sub(" ", content)))
    empty = _EMPTY | _ASKING | indexed(listed("function_words") | listed("spending_words"))
    return not empty.issuperset(left)


@cache
def _joined(name: str) -> re.Pattern[str]:
    """An expression for those of a list of words that are written without spaces."""
    return re.compile(either([word for word in listed(name) if not word.isascii()]))


def _is_of_last(text: str) -> bool:
    """Whether a cue names the time of the last talk, and has no other content."""
    last = sayings("cues", "last time")
    if not last.is_in(folded(text)):
        return False
    parts = _PART.split(last.without(folded(text)))
    return all(_is_empty(part, words(part)) or trivial(part) for part in parts)


def _is_empty(content: str, terms: Sequence[str]) -> bool:
    """Whether a cue without its periods has no content word. terms: its index words."""
    left = words(_HAN_EMPTY.sub(" ", _joined("empty_asking").sub(" ", content)))
    empty, others = _EMPTY, indexed(listed("empty_asking"))
    # A language whose function words are in the index.
    if _function_words(content) or not others.isdisjoint(left):
        empty |= others | indexed(listed("function_words"))
    return empty.issuperset(left) or empty.issuperset(terms)
