"""Succession: which memory tells another value of what one tells, in whatever words.

A person says "The hamster is called Biscotti" and later "On second thoughts it answers to Mayor";
few of such pairs share a pattern (`currency`), and many share one rare word. So the likeness of two
memories is estimated from several weak signs: rare words that both hold, how much of the cue each
answers, whether the other one tells a value of the type that is asked for, whether it speaks of a
change, and whether they were told apart. From the best hit of a cue that asks for one value the
estimate leads forward to what holds now, or back to what held before.

The weights are those of a logistic regression, rounded: docs/recall.md says on what and how well
they hold in the language that they were not fitted to.
"""

# ruff: noqa: E501  (a pattern that is broken over lines is harder to check)
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache, lru_cache
from math import exp, log, log1p, sqrt
from typing import Final, NamedTuple

from graphmem.recalling import currency, subjects
from graphmem.recalling.currency import ENDS, UPDATES, Asked
from graphmem.recalling.names import SURNAMES
from graphmem_worker.text.patterns import late, lower
from graphmem_worker.text.sentences import sentences
from graphmem_worker.text.words import words

_AS_LIKELY: Final = 0.7  # of the likeliest one before: what was told after it and is as likely
_FURTHER_BACK: Final = 0.3  # how likely what stood before that must be
_BESIDES: Final = 2  # memories that may tell of the state, which stand below the answer …
_PERHAPS: Final = 0.2  # … if they are so likely to
_MAYBE: Final = 0.05  # the same for what fills a budget: two more lines cost no hit its place
_LEAST_ALIKE: Final = 0.05  # a cosine, seen from the mean, that tells anything
_STRONG: Final = (
    0.5  # of the best hit: what shares no word with another, but answers the cue as well
)
_DAY: Final = 86_400_000_000  # microseconds
_RARE_VALUE: Final = 0.75  # how rare a word must be that says what is over
_SAME_TIME: Final = 2 * _DAY  # within which nothing replaces what was told

_ROOT: Final = 5  # letters of a word that are its root
_ROOTS: Final = lower(r"[\u4e00-\u9fff]|[a-z0-9]{4,}")
_NO_ROOTS: Final = (0.0, 0.0, 0.0, 0.0)
_SMALL_POOL: Final = 20  # memories: in fewer, roots count as rare as among so many

_NUMERAL: Final = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    r"|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?|hundred|thousand|million"
    r"|half|quarter|dozen|once|twice|fiver|tenner"
)
_HAN_NUMERAL: Final = r"[一二两三四五六七八九十百千万半]"
_ASKED_TYPES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (name, late(pattern, re.IGNORECASE))
    for name, pattern in (
        ("money", r"\bhow much\b.{0,60}\b(?:cost|pay|rent|charge|price|earn|spend)|\b(?:price|cost|rent|fee|fare|salary|deposit|wage|pay)\b|多少钱|价|费|租金|房租|工资|花多少|卖多少"),
        ("time", r"\bwhen\b|\b(?:what|which) (?:time|day|date|week|month|night|shift|hours?|weekday)\b|\bwhat (?:are|were|is|was) the .{0,30}\bhours\b|\bhow often\b|几点|什么时[候间]|哪一?天|几号|[周期]几|多久|哪些时[候间]"),
        ("person", r"\b(?:who|whom|whose)\b|谁|哪位|哪个人"),
        ("place", r"\bwhere\b|\b(?:which|what) (?:city|town|country|room|school|place|street|floor|address|region|berth|lane|station|stop|desk|gate|platform|hotel)\b|哪[儿里]|哪个[城区省市]|[在到去]哪|哪[家所间层]|几楼"),
        ("number", r"\bhow (?:many|much|tall|deep|long|old|high|heavy|big|far|fast|wide|warm|hot|cold|large)\b|\b(?:number|rating|limit|percentage|per cent|weigh\w{0,3}|size|dose|code|version|temperature)\b|多少|几[个只片次台人岁天楼层页本条口版]|多[大高长深重远快宽]|号码|密码|版本"),
    )
)  # fmt: skip
"""Of what type the value is that a cue asks for; the first that fits."""
_TYPES: Final[Mapping[str, re.Pattern[str]]] = {
    name: late(pattern) if name == "person" else lower(pattern)
    for name, pattern in (
        ("money", rf"[$€£¥]|\d|\b(?:{_NUMERAL})\b|\bfree\b|\bprice\b|{_HAN_NUMERAL}|免费|不要钱"),
        ("time", rf"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\b|\b(?:morning|noon|afternoon|evening|night|midnight|breakfast|lunch|dinner|bedtime|weekend|daily|weekly|monthly|fortnight\w*|spring|summer|autumn|winter|o'clock)s?\b|\b\d{{1,2}}[:.]\d\d\b|\b\d+(?:st|nd|rd|th)\b|\b(?:half|quarter|five|ten|twenty) (?:past|to)\b|\b(?:at|till|until|from|to|by|past) (?:{_NUMERAL}|\d)|[周月日点天早晚夜午春夏秋冬每]|[\d一二三四五六七八九十]号|星期|礼拜"),
        ("person", r"(?<=[a-z,;:’'\s(] )(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December|Christmas|Easter)[A-Z][a-z]+|^[A-Z][a-z]+(?='s| [a-z]+s\b| (?:is|has|took|was|left|will|does)\b)|[老小阿][\u4e00-\u9fff]|(?:[^\u4e00-\u9fff]|^|[是给找叫问归由跟和])[" + "".join(sorted(SURNAMES)) + r"][\u4e00-\u9fff]{1,2}|[\u4e00-\u9fff](?:老师|师傅|医生|大夫|教练|主任|先生|女士|师兄|师姐|阿姨|叔|姨|姐|哥|婶|总|工)|姓|交给|归|接|换|自己|我"),
        ("place", r"\b(?:in|at|to|on|by|near|opposite|behind|under|above|into|from|next to|with|via)\b|\b[a-z]?\d+\b|[在到去搬住回进来挪迁楼号区里上下旁边]"),
        ("number", rf"\d|\b(?:{_NUMERAL})\b|{_HAN_NUMERAL}"),
    )
}  # fmt: skip
"""Whether a sentence, in lower case unless a person is asked for, may tell a value of a type. Wide:
only what surely has none is told apart."""
_NUMBER: Final = lower(
    rf"\d|\b(?:{_NUMERAL})\b|[二两三四五六七八九十百千万][\u4e00-\u9fff]|周[一二三四五六日天]"
)
_REFERENCE: Final = late(
    r"\b(?:before|earlier than|prior to)\b(?P<after>.*)$|^(?P<ahead>.*?)(?:之前|以前|前(?=[，,是的]))",
    re.IGNORECASE | re.DOTALL,
)


@cache
def _unlinked() -> frozenset[str]:
    """Words that many values and changes share: they link no two memories."""
    return (
        frozenset(
            words(
                "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
                " eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million half quarter"
                " dozen once twice first second third monday tuesday wednesday thursday friday saturday sunday january february"
                " march april june july august september october november december year month week day days hour minute morning"
                " evening night today tonight yesterday tomorrow weekend spring summer autumn winter last next new now since"
                " finally back again still always change changed cut raised moved move switched went go goes gone come get got"
                " take taken took make made put say says said pound euro dollar 现在 今年 去年 今天 昨天 明天 上周 下周 这周 上个"
                " 下个 一个 每天 每月 每周 后来 以后 改成 换成 不再 周一 周二 周三 周四 周五 周六 周日 早上 上午 下午 晚上 中午"
                " 开始 时候 自己"
            )
        )
        | _of_changes()
    )


def _of_changes() -> frozenset[str]:
    """The words that say that something changed or is over, not what."""
    stems = (*UPDATES.stems, *ENDS.stems)
    latin = words(" ".join(stem for stem in stems if stem.isascii()))
    han = [stem for stem in stems if not stem.isascii()]
    pairs = (f"{stem}{sign}" for stem in han if len(stem) == 1 for sign in _HAN_DONE)
    return frozenset((*latin, *(stem for stem in han if len(stem) > 1), *pairs))


@cache
def _vague() -> frozenset[str]:
    """What a cue may say in place of what came after: "before the last change"."""
    return frozenset(words("last change current present one new"))


_HAN_UNLINKED: Final = late(
    "[一二两三四五六七八九十百千万半我你他她它这那们的了着给把被让跟和与就都也又很]|[年月周天号点]$"
    "|^[级成到为掉][到成]|^新来"
)
"""Numbers, dates, pronouns, particles and what stands behind a verb of change link no two memories
either."""
_HAN_DONE: Final = "了成到为掉走给出进去换改级用"
"""What stands behind a verb of change of one character: 换了, 升级."""
_TELLING: Final = 0.45  # of the rarest word: what a word must be worth that names what came after


class Estimate(NamedTuple):
    """How to tell how likely it is that two memories tell values of one state, and how likely it
    must be."""

    weights: tuple[float, ...]
    """Of the signs, in the order of `Succession.signs`."""
    forward: tuple[float, ...]
    """How likely the next value, the one after it, and the third must be, where the cue says that
    it asks for what holds now; …"""
    unsaid: float
    """… and each of them where it does not say so."""
    back: float
    """How likely the one before must be, where the cue says that there is one."""
    between: float
    """How likely what stands between the best hit and what came after it must be."""
    named: float
    """How likely what the cue names as told after must be of the state."""


BY_WORDS: Final = Estimate(
    (
        -4.7,  # of any two
        1.1,  # how much of the cue's words the other answers, against the one
        3.1,  # the rarest word that both hold
        0.0,  # the mean of the two rarest
        0.6,  # the other is later and speaks of a change
        0.4,  # both have a number, or neither
        1.4,  # the other's score
        0.0,  # the root of the other's vector part
        -0.85,  # the other has no value of the type that is asked for
        0.0,  # both were told at one time
        -1.55,  # by two speakers
        0.0,  # how alike their vectors are, against the most alike
        0.0,  # the cosine of their vectors
        1.1,  # the other is later and says that what both name is over
        2.7,  # how much of the cue the other answers by its roots
        1.8,  # the rarest root that both hold
        0.36,  # how long apart they were told, the logarithm of days
        -0.63,  # how long the other is, the logarithm: long texts share words by chance
    ),
    forward=(0.25, 0.3, 0.3),
    unsaid=0.4,
    back=0.05,
    between=0.5,
    named=0.1,
)
WITH_VECTORS: Final = BY_WORDS._replace(
    weights=(-7.3, 1.7, 1.9, 0.6, 0.8, 0.2, -0.6, 4.7, -1.65, -0.4, -1.9, 3.4, 2.7, 2.5, 0.0, 0.0, 0.0, 0.0),
    forward=(0.4, 0.4, 0.4),
    unsaid=0.5,
    back=0.02,
    between=0.2,
    named=0.02,
)  # fmt: skip
IN_ONE_TALK: Final = BY_WORDS._replace(
    weights=(-5.6, 4.0, 2.9, 3.1, 0.75, 0.55, -0.6, 0.0, -1.75, -0.7, -2.2, 0.0, 0.0, 2.5, 0.0, 0.0, 0.0, 0.0),
)  # fmt: skip
"""Of what was said in one talk, where nothing says how rare a root is and hours are no sign."""


class Told(NamedTuple):
    """A memory that may tell a value."""

    node: int
    moment: int  # microseconds since 1970 UTC
    speaker: str | None
    text: str
    words: frozenset[str]
    score: float  # against the best hit's, 0–1
    near: float  # 0–1: what its vector brings against the best hit


_STATE_THEN: Final = late(
    r"\b(?:was|were|had)\b|\bdid\b.{1,40}\b(?:live|work|cost|pay|weigh|sit|stand|stay|own|use|have|take|drive|play"
    r"|belong|report|open|close|start|begin|leave|need|want|park|eat|drink|earn|rent|sleep|share|keep|go to|get in)\b"
    r"|在|是|用|住|归|多少|几|谁|哪",
    re.IGNORECASE,
)


_EVENT_THEN: Final = re.compile(
    r"\bnews\b|\bhappen|\b(?:was|were) (?:there|said|noted|told|written|mentioned|discussed|going on)\b"
    r"|哪[件些]事|什么事|[说聊讲提]|发生|动静|消息",
    re.IGNORECASE,
)


def asks_for_state(cue: str) -> bool:
    """Whether a cue that names a time may ask for what held then, not for what happened."""
    return _STATE_THEN.search(cue) is not None and _EVENT_THEN.search(cue) is None


@lru_cache(1 << 8)
def asked_type(cue: str) -> str:
    """The type of value that a cue asks for: "money", "time", "person", "place", "number", or ""."""
    return next((name for name, pattern in _ASKED_TYPES if pattern.search(cue)), "")


def value_told(cue: str) -> str:
    """An expression that meets what may tell a value of the type that a cue asks for; "" if it asks
    for none."""
    asked = asked_type(cue)
    if not asked:
        return ""
    pattern = _TYPES[asked].pattern
    return pattern if asked == "person" else f"(?i:{pattern})"


@dataclass(slots=True)
class Succession:
    """Follows the values of one state from one memory to others."""

    cue: str
    topic: Mapping[str, float]
    """The cue's words and their rarity."""
    rarity: Callable[[str], float]
    """How rare an index word is in this memory, 0–1."""
    pool: dict[int, Told]
    """The best hits, by node."""
    related: Callable[[Told], Iterable[Told]]
    """Memories that hold rare words of one."""
    alike: Callable[[int, Iterable[int]], Mapping[int, float]] | None = None
    """The cosines of a node's vector with those of others; None without vectors."""
    rule: Estimate = field(init=False)
    """By vectors, if there are any, or by words."""
    _type: str = field(default="", init=False)
    _whom: subjects.Persons = field(default=frozenset(), init=False)
    _is_explicit: bool = field(default=True, init=False)
    """The cue says when what it asks for holds, or was not asked yet."""
    _known: dict[tuple[int, int], float] = field(default_factory=dict, init=False)
    _alike: dict[int, tuple[int, float, Mapping[int, float]]] = field(
        default_factory=dict, init=False
    )
    """Node → the size of the pool then, the cosine of the one that is most like it, all."""
    _abouts: dict[int, float] = field(default_factory=dict, init=False)
    _fitting: dict[int, bool] = field(default_factory=dict, init=False)
    _counts: Counter[str] = field(default_factory=Counter, init=False)
    """Roots of the texts in the pool, when it had …"""
    _counted: int = field(default=0, init=False)
    _asked: set[int] = field(default_factory=set, init=False)  # whose related ones are in the pool

    def __post_init__(self) -> None:
        self.rule = BY_WORDS if self.alike is None else WITH_VECTORS
        self._type = asked_type(self.cue)
        self._whom = subjects.asked_of(self.cue)

    # -- how likely it is that two memories tell values of one state ----------------------------

    def likelihood(self, one: Told, other: Told) -> float:
        """The estimate that `other` tells another value of what `one` tells, 0–1."""
        key = one.node, other.node
        if (known := self._known.get(key)) is not None:
            return known
        found = self._known[key] = self._estimate(one, other)
        return found

    def _estimate(self, one: Told, other: Told) -> float:
        if subjects.are_apart(self._whom, one.text, other.text, other.speaker):
            return 0.0
        if self._shares_only_whom(one, other):
            return 0.0
        if (
            self.alike is None
            and other.score < _STRONG
            and other.near < _STRONG
            and not any(map(links, one.words & other.words))
        ):
            return 0.0  # as most are
        weighted = zip(self.rule.weights, self.signs(one, other), strict=True)
        return 1 / (1 + exp(-sum(weight * sign for weight, sign in weighted)))

    def signs(self, one: Told, other: Told) -> tuple[float, ...]:
        """What the estimate is made of: see `BY_WORDS`."""
        shared = [self.rarity(word) for word in one.words & other.words if links(word)]
        mine, about = self._about(one), self._about(other)
        later = other.moment > one.moment
        apart = abs(other.moment - one.moment)
        return (
            1.0,
            min(2.0, about / mine) if mine else 0.0,
            max(shared, default=0.0),
            sum(sorted(shared)[-2:]) / 2,
            float(later and updates(other.text)),
            float(has_number(one.text) is has_number(other.text)),
            other.score,
            sqrt(other.near),
            float(not self._fits(other)),
            float(apart < _SAME_TIME),
            float(None not in (one.speaker, other.speaker) and one.speaker != other.speaker),
            *self._likeness(one, other),
            float(later and self._is_ended(one, other)),
            *(self._by_roots(one, other) if self.alike is None else _NO_ROOTS),
        )  # fmt: skip

    def _by_roots(self, one: Told, other: Told) -> tuple[float, ...]:
        """What roots, times and lengths tell; beside vectors they tell nothing more."""
        held = roots(other.text)
        return (
            self._asked_share(held),
            max(map(self._rarity_here, held & roots(one.text)), default=0.0),
            log1p(abs(other.moment - one.moment) / _DAY),
            log1p(len(other.text)),
        )

    def _rarity_here(self, root: str) -> float:
        """How rare a root is in the pool, 0–1; in a small one, as in one of `_SMALL_POOL`."""
        if self._counted != len(self.pool):
            self._counted = len(self.pool)
            self._counts = Counter(root for t in self.pool.values() for root in roots(t.text))
        size = max(_SMALL_POOL, self._counted)
        return log((1 + size) / (1 + self._counts[root])) / log(1 + size)

    def _asked_share(self, held: Set[str]) -> float:
        """How much of the cue some roots answer, by their rarity in the pool, 0–1."""
        asked = {root: self._rarity_here(root) for root in roots(self.cue)}
        whole = sum(asked.values())
        return sum(rare for root, rare in asked.items() if root in held) / whole if whole else 0.0

    def _shares_only_whom(self, one: Told, other: Told) -> bool:
        """Whether all that two memories share is of whom the cue asks, and the other one may tell
        anything of them: "What is Lena's dog called?" is not answered by "Lena moved"."""
        if self._is_explicit or subjects.SELF in self._whom:
            return False
        if not subjects.is_told(self._whom, one.text):
            return False
        shared = {word for word in one.words & other.words if links(word)}
        whom = frozenset(words(" ".join(self._whom)))
        if not shared or not shared <= whom or whom >= set(self.topic):
            return False
        if not self._type:
            return True
        left = other.text
        for who in self._whom:
            left = re.sub(re.escape(who), "", left, flags=re.IGNORECASE)
        return not self._may_tell(left)

    def _is_ended(self, one: Told, other: Told) -> bool:
        """Whether a memory says, in one sentence, that something is over and what it was: a word
        of the other memory that the cue does not say ("Where do I work?", "I quit Siemens")."""
        values = {
            w
            for w in one.words & other.words
            if w not in self.topic and links(w) and self.rarity(w) >= _RARE_VALUE
        }
        return bool(values) and any(not values.isdisjoint(said) for said in ended(other.text))

    def _likeness(self, one: Told, other: Told) -> tuple[float, float]:
        """How alike the vectors of two memories are, against the one in the pool that is most like
        the first, and their cosine, 0–1; 0 without vectors."""
        if self.alike is None:
            return 0.0, 0.0
        size, nearest, known = self._alike.get(one.node, (0, 0.0, {}))
        if size != len(self.pool):
            known = self.alike(one.node, self.pool)
            others = (cosine for node, cosine in known.items() if node != one.node)
            nearest = max(_LEAST_ALIKE, max(others, default=0.0))
            self._alike[one.node] = len(self.pool), nearest, known
        cosine = max(0.0, known.get(other.node, 0.0))
        return cosine / nearest, cosine

    def _fits(self, told: Told) -> bool:
        """Whether a memory may tell a value of the type that is asked for."""
        known = self._fitting.get(told.node)
        if known is None:
            known = self._may_tell(told.text)
            self._fitting[told.node] = known
        return known

    def _may_tell(self, text: str) -> bool:
        """Whether a text may tell a value of the type that is asked for."""
        said = text if self._type == "person" else text.lower()
        return not self._type or _TYPES[self._type].search(said) is not None

    def _about(self, told: Told) -> float:
        """The rarity of those of the cue's words that a memory holds."""
        known = self._abouts.get(told.node)
        if known is None:
            known = sum(v for w, v in self.topic.items() if w in told.words)
            self._abouts[told.node] = known
        return known

    # -- from one to the next -------------------------------------------------------------------

    def newest(self, first: Told, until: int | None = None) -> list[Told]:
        """`first` and what was told of its state after it, up to a moment; the last holds."""
        chain = [first]
        explicit = until is None and currency.NOW.search(self.cue) is not None
        for least in self.rule.forward:
            later = self._likely(chain, after=chain[-1].moment, until=until)
            least = least if explicit else self.rule.unsaid
            likely = [t for p, t in later if p >= least]
            if not likely:
                break
            ends = (t for t in likely if self._is_ended(chain[-1], t))
            chain.append(next(ends, likely[0]))
        return chain

    def before(self, known: Sequence[Told], until: int) -> tuple[float, Told] | None:
        """What was told last of the state of some memories before a moment, and how likely it is
        of that state."""
        earlier = self._likely(known, until=until - 1)
        if not earlier or earlier[0][0] < self.rule.back:
            return None
        best, found = earlier[0]
        least = max(_FURTHER_BACK, _AS_LIKELY * best)
        last = max(
            (t for p, t in earlier if p >= least and t.moment >= found.moment),
            key=lambda t: (t.moment, t.node),
            default=found,
        )
        return best, last

    def oldest(self, known: Told) -> Told:
        """What was told first of the state of a memory."""
        chain, least = [known], self.rule.back if updates(known.text) else _FURTHER_BACK
        for _ in self.rule.forward:
            earlier = self._likely(chain, until=chain[-1].moment - 1)
            if not earlier or earlier[0][0] < least:
                break
            chain.append(earlier[0][1])
            least = _FURTHER_BACK
        return chain[-1]

    def _likely(
        self, known: Sequence[Told], *, after: int | None = None, until: int | None = None
    ) -> list[tuple[float, Told]]:
        """What was told after a moment and up to another one, the likeliest first, with its
        likelihood against the one of `known` that it fits best."""
        for told in known:
            if told.node not in self._asked:
                self._asked.add(told.node)
                for other in self.related(told):
                    self.pool.setdefault(other.node, other)
        nodes = {told.node for told in known}
        found = [
            (max(self.likelihood(one, t) for one in known), t)
            for t in self.pool.values()
            if t.node not in nodes
            and (after is None or t.moment > after)
            and (until is None or t.moment <= until)
        ]
        return sorted(found, key=lambda pair: (-pair[0], -pair[1].moment, -pair[1].node))

    # -- what a cue asks for ----------------------------------------------------------------------

    def answer(
        self, first: Told, wanted: Asked, until: int | None, begun: int | None
    ) -> tuple[Told, list[Told]]:
        """What the cue asks for, and the memories over which it was found.

        until, begun: the end and the beginning of the past period that the cue names, if any.
        """
        self._is_explicit = (
            wanted != "now" or until is not None or currency.NOW.search(self.cue) is not None
        )
        if wanted == "first":
            return self.oldest(first), [first]
        if wanted == "before":
            named = self._named_after(first)
            if named is not None:
                return self._just_before(first, named)
            if begun is None:
                return self._earlier(first)
        end = begun if wanted == "before" and begun is not None else until
        if end is not None and first.moment >= end:
            found = self.before([first], end)
            return (first, []) if found is None else (found[1], [first])
        chain = self.newest(first, end)
        return chain[-1], chain[:-1]

    def besides(self, known: Sequence[Told]) -> list[Told]:
        """What may tell another value of the state of some memories, the likeliest first; nothing
        for a cue that does not say when what it asks for holds."""
        if not self._is_explicit:
            return []
        nodes = {told.node for told in known}
        found = [
            (max(self.likelihood(one, t) for one in known), t)
            for t in self.pool.values()
            if t.node not in nodes
        ]
        found.sort(key=lambda pair: (-pair[0], -pair[1].moment, -pair[1].node))
        return [t for likely, t in found[:_BESIDES] if likely >= _PERHAPS]

    def perhaps(self, known: Sequence[Told]) -> list[Told]:
        """What was told after the first of some memories and may replace what they tell, though it
        is not likely enough to be taken for it; the likeliest first."""
        later = self._likely(known, after=known[0].moment)
        return [t for likely, t in later[:_BESIDES] if likely >= _MAYBE]

    def _just_before(self, first: Told, named: Told) -> tuple[Told, list[Told]]:
        """What was told last before a memory that the cue names as the one that came after."""
        if first.moment >= named.moment:
            found = self.before([named], named.moment)
            return (named, []) if found is None else (found[1], [named])
        between = self._likely([first, named], after=first.moment, until=named.moment - 1)
        if between and between[0][0] >= self.rule.between:
            return between[0][1], [named, first]
        return first, [named]

    def _earlier(self, first: Told) -> tuple[Told, list[Told]]:
        """What was told before, where nothing says before what: before the best hit, or the best
        hit itself, if what was told later fits better."""
        later = self._likely([first], after=first.moment)
        found = self.before([first], first.moment)
        if found is None or (later and later[0][0] >= found[0]):
            return first, [later[0][1]] if later and later[0][0] >= self.rule.forward[0] else []
        return found[1], [first]

    def _named_after(self, first: Told) -> Told | None:
        """What the cue names as told after what it asks for: "Where did she live before Erfurt?"."""
        found = _REFERENCE.search(self.cue)
        if found is None:
            return None
        said = words(found["after"] or found["ahead"] or "")
        telling = {w: self.rarity(w) for w in said if w in self.topic and w not in _vague()}
        best: tuple[float, int, Told] | None = None
        for told in self.pool.values():
            held = sum(worth for word, worth in telling.items() if word in told.words)
            if held < _TELLING or (
                told.node != first.node and self.likelihood(first, told) < self.rule.named
            ):
                continue
            if best is None or (held, told.moment) > best[:2]:
                best = held, told.moment, told
        return None if best is None else best[2]


@lru_cache(1 << 13)
def links(word: str) -> bool:
    """Whether it tells something that two memories share an index word: no number and no date."""
    return not (word in _unlinked() or word[0].isdigit() or _HAN_UNLINKED.search(word))


@lru_cache(1 << 13)
def roots(text: str) -> frozenset[str]:
    """The Chinese characters of a text and the first letters of its other words: "electric" and
    "electricity" have one root, 林老师 and 林教授 share one."""
    return frozenset(found[:_ROOT] for found in _ROOTS.findall(text.lower()))


@lru_cache(1 << 12)
def updates(text: str) -> bool:
    """Whether a text may say that something changed."""
    return UPDATES.within(text, text.casefold())


@lru_cache(1 << 12)
def ended(text: str) -> tuple[frozenset[str], ...]:
    """The index words of each sentence that says that something is over."""
    if not ENDS.opens(text.casefold()):
        return ()
    said = (s for s in sentences(text) if ENDS.within(s, s.casefold()))
    return tuple(frozenset(words(s)) for s in said)


@lru_cache(1 << 12)
def has_number(text: str) -> bool:
    """Whether a text has a figure or a numeral."""
    return _NUMBER.search(text.lower()) is not None
