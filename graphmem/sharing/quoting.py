"""Quotations: which sentences of a turn are worth keeping when it leaves a prompt, and which of
them no longer hold."""

# ruff: noqa: E501  (a pattern that is broken over lines is harder to check)
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from math import log
from typing import Final, NamedTuple

from graphmem.recalling.beginnings import begins
from graphmem.recalling.supersede import links
from graphmem_worker.claims import Claim, areas, claims, strongest
from graphmem_worker.claims.statements import statements, tells_change
from graphmem_worker.claims.superseding import are_apart, superseding
from graphmem_worker.facts import facts, surely_decides
from graphmem_worker.kinds import kind as sentence_kind
from graphmem_worker.kinds import over_after
from graphmem_worker.text.frames import elsewhere
from graphmem_worker.text.patterns import late
from graphmem_worker.text.protects import is_surely_protective, protects
from graphmem_worker.text.salience import parts as salience_parts
from graphmem_worker.text.sentences import sentences
from graphmem_worker.text.words import script, words

LONGEST: Final = 240
"""Characters of a quotation."""

PROTECTIVE: Final = "protective"
STATEMENT: Final = "statement"
"""A sentence that is worth nothing alone; it is quoted if it gives a later value of something."""
_KINDS: Final = (
    "question", PROTECTIVE, "decision", "reason", "preference", "date", "number", "name", "self",
    STATEMENT,
)  # fmt: skip
_CACHED: Final = 1 << 13
_SENTENCES: Final = 8  # of a text that may be outdated
_LEAST_STATEMENTS: Final = 500  # among which a word is rare, if there are fewer
_LINKED: Final = 0.8  # the rarity of what two statements share, from which they may be of one state

# A sentence that begins so, or has no subject, is about what the sentence before it says.
_REFERS: Final = late(
    r"\W*(?:(?:and|but|so|then|also|or|because|otherwise|instead)\b[, ]*)*"
    r"(?:it|its|it'?s|they|they'?re|their|them|that|that'?s|this|these|those|he|he'?s|she|she'?s|his|her|him|there|neither|both|either|same|then|here|one of them)\b",
    re.I,
)
_HAN_REFERS: Final = late(
    r"[\W_]*(?:所以|但是?|不过|然后|于是|因此|否则|而且|而|并且|结果|反正)?[，,]?"
    r"(?:它|他|她|其|这|那|该|此|两者|都|也|还|就|才|再|又|改|换|定在|推迟|提前|挪|搬|延|取消|一共|总共|大概|最多|至少|因为|由于|说是|据说)"
)
# A sentence that begins so says nothing without the one before it.
_DANGLES: Final = late(
    r"\W*(?:(?:and|but|so|then|also|or|because|otherwise|instead)\b[, ]*)*"
    r"(?:it|its|it['’]s|they|they['’]re|their|them|that|that['’]s|these(?! days)|those|he|he['’]s|she|she['’]s|his|her|him|neither|both|either)\b",
    re.I,
)
_HAN_DANGLES: Final = late(
    r"[\W_]*(?:所以|但是?|不过|然后|于是|因此|否则|而且|而|并且|结果|反正)?[，,]?"
    r"(?:它|他|她|其(?!实|他|余)|这(?!周|个?月|次|里|年|[两几]?天|个?星期)|那(?!天|年|时)|此(?!外)|不(?:是|对|行)?[，,])"
)
# One that begins so may lean on the sentence before it: it goes on ("So I did it"), answers ("不，"),
# takes one of several ("One sting"), or says a pronoun before it names anything ("On a hot day it …").
_LEANS: Final = late(
    r"\W*(?:(?:so|then|because|otherwise|instead|which|no|yes)\b"
    r"|(?:one(?! (?:more|change|thing)\b)|another|others|the (?:other|second|third|last|latter|former|rest))\b"
    r"|(?:on|in|at|for|after|before|with|without|when|by|from|until|since|if)\b[^,.;:!?]{0,40}[, ]\s?(?:it|they|he|she|that|those|them)\b)",
    re.I,
)
_HAN_LEANS: Final = late(
    r"[\W_]*(?:不(?:是|对|行|用|要)?[，,]|是的?[，,]|所以|于是|因此|否则|结果|第[二三四五六七八九十\d]{1,2}[，,、条点]|其[次中]|另一)"
)
# A pronoun in the middle of a sentence, "it" only where it is no "it is": it leans if nothing before
# it can be what it is of, neither a noun with an article or a number, nor a plural, nor a name.
_PRONOUN: Final = late(
    r"\b(?:they|them|theirs?|s?he|him|his|hers?|it(?=[.,;:!?]|\s+(?:in|on|to|for|by|with|from|at|behind|again|back|into|myself|now|was|does|did|has|had|out|off|up|down|costs?|needs?|says?|said)\b))(?:['’](?:re|ve|ll|d|s))?(?![\w'’])",
    re.I,
)
_NAMED: Final = late(
    r"(?i:\b(?:the|an?|my|our|your|each|every|some|any|no|another|this|that|these|those|two|three|four|five|six|seven|eight|nine|ten|dozen|\d[\d,.]*)\s+(?!(?:of|to|in|on|at|is|was|for|days?|weeks?|months?|morning|evening|afternoon|night|years?|time|o'clock)\b)[^\W\d_])"
    r"|(?<=[^\W_] )(?!I\b|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December)[^\W\d_a-z][\w'-]+"
    r"|\b(?!(?:was|is|has|this|does|yes|always|us|its|as|perhaps|hours|days|weeks|minutes|means|sometimes|afterwards|thanks)\b)[a-z]{2,}[a-rt-z]s\b"
)
_OPENS_NAMED: Final = late(
    r"\W*(?!(?i:I|we|you|it|if|when|while|after|before|since|because|as|so|and|but|or|then|now|today|tonight|yesterday|tomorrow|here|there|who|what|why|how|where|which|please|let|yes|no|not|never|in|on|at|by|for|from|to|with|without|under|over|according|do|does|did|don['’]t|can|could|will|would|should|may|might|must|only|also|just|still|even|maybe|perhaps|one|all|both|some|most|tell|ask|send|keep|put|take|give|have|has|had|got|get|is|are|was|were|be|been|[iw]e?['’][mvr]e?|oh|ok|okay|well)\b)[^\W\d_a-z](?![\w'’-]*(?:ing|ed|ly)\b)[\w'’-]+"
)
_HAN_PRONOUN: Final = late(r"[^，。：:；！？、]{0,4}(?<!其)(?<!吉)[他她它](?!们?自己)")
_LEAST_WORDS: Final = 4  # of a quotation that stands without the question that it answers
_LEAST_HAN: Final = 6
_LEAST_NAMING: Final = 2  # of its words that are neither numbers nor dates
_LEAST_PLAIN: Final = 1  # where it gives a figure with its unit, or ends something
_LEAST_SLIGHT: Final = 4  # of those, where nothing but a name or "I" speaks for it
_GUARDING: Final = 3.0  # what seems to protect somebody is worth against others
_SETTLING: Final = 1.35  # a decision, a promise or an open question
_LASTING: Final = 1.15  # a reason, a preference, a state
_OVER: Final = 0.25  # an appointment or a deadline that has passed
_ANSWERED: Final = 0.6  # what an assistant says: what the user says of it binds
_SHORT_WORDS: Final = 8  # of one that stands with it, where it answers one
_SHORT_HAN: Final = 14
_WORD: Final = late(r"[^\W\d_][\w'’-]*|\d[\d.,:/-]*")
_HAN: Final = late(r"[\u4e00-\u9fff]")
_CODE: Final = late(r"```|\W*$")
_ITEM: Final = late(r"[-*•·]\s|\d{1,2}[.)、]\s?(?!\d)|第[一二三四五六七八九十\d]{1,2}[，,、]")
_MACHINE: Final = late(  # lines of a log, records
    r"\W*\{\s*[\"']|\b(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE)\b|\W*\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|\[[\w.-]+\]\s+\d\d:\d\d"
)
# Kinds that say little of a list's item alone.
_SLIGHT: Final = ("number", "name", "self", STATEMENT)
_FIGURES: Final = late(r"\d+(?:[.,:/-]\d+)*")
# What was begun and has no result yet.
_TRIAL: Final = late(
    r"\b(?:try(?:ing)?(?! (?:not|my|our|their|his|her) )|trials?|pilots?|experiment(?:ing|s)?|testing|waiting (?:for|to hear)|applied for|apply for|offered|quoted?|propos(?:e|ed|al)|see (?:if|whether|how)|if (?:it|they|that) (?:is|are|does|do|works?|fails?|isn['’]t|aren['’]t|doesn['’]t|don['’]t))\b",
    re.I,
)
_HAN_TRIAL: Final = late(
    r"试用|试点|试一|试试|先试|测试|样机|打样|对比|比一比|报价|申请|投标|等.{0,6}(?:结果|消息|回复|答复)|看看(?:行不行|能不能|效果)|我想(?:从|把|换)|打算"
)
_MEASURE: Final = late(
    r"([€£$¥])\s?(\d[\d,.]*\d|\d)"
    r"|(\d[\d,.]*\d|\d|\b(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-(?:one|two|three|four|five|six|seven|eight|nine))?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)\b)\s?([^\W\d_\u4e00-\u9fff]{2,})"
    r"|([\d.]+|[一二两三四五六七八九十百千万半]+)(个月|小时|分钟|毫克|公斤|平米|[号日元块克米天周支台套张卷次片页人岁年%])",
    re.I,
)
_MONEY: Final = frozenset("€ £ $ ¥ euro euros pound pounds dollar dollars yuan 元 块".split())
_LEAST_FOLLOWED: Final = 1.5  # the rarity of what a later quotation shares with what it settles
_BLANK: Final = late(r"[\s\W_]+")


def quotations(text: str) -> list[tuple[str, str]]:
    """The sentences of a text that say something worth keeping, as they stand there: what
    protects somebody, what was decided, why, open questions, numbers, names, and preferences or
    dates without these.

    A sentence that refers to the one before it, or may lean on it, is quoted with that one, if both
    are short enough.
    """
    found: list[tuple[int, int, str]] = []  # where each begins and ends, and its kind
    start = 0
    before: tuple[int, int] | None = None  # where the one before, and what it refers to, begins
    known = facts(text)
    for sentence in sentences(text):
        end = start + len(sentence)
        kinds: set[str] = {fact.kind for fact in known if start <= fact.start < end}
        own, start = start, end
        quote = sentence.strip()
        if not quote or len(quote) > LONGEST:
            before = None
            continue
        parts = salience_parts(quote)
        begin = own
        if before is not None and (_refers(quote) or _leans(quote)):
            done = found[-1][1] if found else 0
            for first in before:
                # No quotation begins within another one.
                if len(text[first:end].strip()) <= LONGEST and (
                    first == before[0] or done <= first
                ):
                    begin = first
                    break
        before = begin, own
        if parts.get("greeting") or parts.get("chatter"):
            before = None
            continue
        if protects(quote) == "protective":
            kinds.add(PROTECTIVE)
        # A word that decisions have is no decision: its pattern finds more small talk than the sum.
        kinds.update(kind for kind in parts if parts[kind] and kind != "decision")
        kind = next((kind for kind in _KINDS if kind in kinds), STATEMENT)
        if _CODE.match(quote) or _MACHINE.search(quote):
            continue
        if _ITEM.match(quote) and not (
            kind in ("question", "decision") or (kind == PROTECTIVE and surely_protects(quote))
        ):
            continue  # which says nothing without the line above the list
        if kind == STATEMENT and not (
            tells_change((quote,)) and stands_alone(kind, text[begin:end].strip())
        ):
            continue
        if kind == "question":
            begin = own
        while found and found[-1][0] >= begin:
            kind = min(kind, found.pop()[2], key=_KINDS.index)
        found.append((begin, end, kind))
    return [(kind, text[begin:end].strip()) for begin, end, kind in found]


@lru_cache(_CACHED)
def surely_protects(quote: str) -> bool:
    """Whether a sentence of a quotation surely protects somebody."""
    return any(map(is_surely_protective, sentences(quote)))


def _refers(sentence: str) -> bool:
    return (_REFERS.match(sentence) or _HAN_REFERS.match(sentence)) is not None


def _leans(sentence: str) -> bool:
    return (
        _LEANS.match(sentence) or _HAN_LEANS.match(sentence) or _HAN_PRONOUN.match(sentence)
    ) is not None or _is_unnamed(sentence)


def _is_unnamed(sentence: str) -> bool:
    """Whether an English sentence has a pronoun and nothing before it that it could be of."""
    found = _PRONOUN.search(sentence)
    if found is None:
        return False
    before = sentence[: found.start()]
    return not (_NAMED.search(before) or _OPENS_NAMED.match(before))


@lru_cache(_CACHED)
def leans(quote: str) -> bool:
    """Whether a quotation is likely to be about something that was named before it."""
    first = next(iter(sentences(quote)), "")
    return _refers(first) or _leans(first)


@lru_cache(_CACHED)
def stands_alone(kind: str, quote: str) -> bool:
    """Whether a quotation says something without the question that it answers, and of what its
    numbers and dates are: "Moved: 19 March" does not, nor does "It ought to be 22"."""
    if kind != PROTECTIVE and dangles(quote):
        return False
    han = len(_HAN.findall(quote))
    if han < _LEAST_HAN and han + len(_WORD.findall(_HAN.sub(" ", quote))) < _LEAST_WORDS:
        return False
    least = _LEAST_SLIGHT if kind in _SLIGHT and kind != "number" else _LEAST_NAMING
    if measures(quote) or (kind == STATEMENT and any(s.ends for s in statements((quote,)))):
        least = _LEAST_PLAIN  # 预算是四千块; 船屋不行，太吵了
    if protects(quote) == "binding" and _is_own(quote):
        least = 0  # "I must leave by 15:30."
    return kind == PROTECTIVE or len(set(filter(links, words(quote)))) >= least


def _is_own(quote: str) -> bool:
    return any(s.is_own and not s.is_inherited for s in statements((quote,)))


@lru_cache(_CACHED)
def dangles(quote: str) -> bool:
    """Whether a quotation is about what the sentence before it names."""
    return (_DANGLES.match(quote) or _HAN_DANGLES.match(quote)) is not None


@lru_cache(_CACHED)
def is_short(quote: str) -> bool:
    """Whether a quotation is likely to be understood only with the question that it answers: it has
    few words, or begins like no sentence."""
    if quote[0].isascii() and quote[0].islower():
        return True
    han = len(_HAN.findall(quote))
    return han + len(_WORD.findall(_HAN.sub(" ", quote))) <= (_SHORT_HAN if han else _SHORT_WORDS)


def is_advice(quote: str, speaker: str) -> bool:
    """Whether it is what an assistant tells anybody: advice, general knowledge, courtesy."""
    if speaker != "assistant":
        return False
    return sentence_kind(quote, speaker=speaker).realm in ("universal", "ephemeral")


@lru_cache(_CACHED)
def worth(kind: str, quote: str, speaker: str, is_over: bool) -> float:
    """What a quotation is worth: its salience, as in `docs/forgetting.md`, times the weight of its
    kind. is_over: it is about a day that has passed."""
    weight = 1.0
    if is_over or is_advice(quote, speaker):
        weight = _OVER
    elif kind == PROTECTIVE and any(map(is_surely_protective, sentences(quote))):
        weight = _GUARDING
    elif kind in ("decision", "question") or protects(quote) == "binding":
        weight = _SETTLING
    elif kind in ("reason", "preference") or claims(quote):
        weight = _LASTING
    if speaker == "assistant" and kind != PROTECTIVE:
        weight *= _ANSWERED
    return weight * sum(salience_parts(quote).values())


def over(quote: str, day: str, speaker: str) -> str:
    """The day, such as "2026-03-12", after which a quotation of a day is of no more use: an
    appointment or a deadline; "" if that is never. What begins on a day is of use from then on."""
    if not day:
        return ""
    told, said = date.fromisoformat(day), tuple(sentences(quote))
    last = over_after(said, told, speaker)
    return date.fromordinal(last).isoformat() if last > 0 and not begins(said, told) else ""


@lru_cache(_CACHED)
def plain(text: str) -> str:
    """A text without case, blanks and punctuation: what two quotations of the same words share."""
    return _BLANK.sub("", text).casefold()


@lru_cache(_CACHED)
def is_trial(quote: str) -> bool:
    """Whether it tells of something that was begun, and not how it ended."""
    return (_TRIAL.search(quote) or _HAN_TRIAL.search(quote)) is not None


@lru_cache(_CACHED)
def measures(quote: str) -> Mapping[str, frozenset[str]]:
    """The figures of a quotation by what they count: {"licences": {"twelve"}}."""
    found: dict[str, set[str]] = {}
    for sign, amount, figure, unit, han, measure in _MEASURE.findall(quote):
        counted = (sign or unit or measure).lower()
        counted = "money" if counted in _MONEY else counted
        found.setdefault(counted, set()).add((amount or figure or han).lower())
    return {unit: frozenset(figures) for unit, figures in found.items()}


class Statement(NamedTuple):
    """What somebody said, as far as it can be outdated or outdate something."""

    text: str
    speaker: str
    sentences: tuple[str, ...]
    claims: tuple[tuple[Claim, ...], ...]  # of each sentence
    areas: tuple[frozenset[str], ...]
    words: frozenset[str]  # that may link it to another
    form: str  # the text without its figures
    figures: tuple[str, ...]


@lru_cache(_CACHED)
def statement(text: str, speaker: str) -> Statement:
    """What a text says that may be outdated; speaker: its name or role."""
    said = tuple(quoted for part in sentences(text)[:_SENTENCES] if (quoted := part.strip()))
    return Statement(
        text,
        speaker,
        said,
        tuple(claims(sentence, speaker=speaker) for sentence in said),
        tuple(map(areas, said)),
        frozenset(filter(links, words(text))),
        _FIGURES.sub("0", text),
        tuple(_FIGURES.findall(text)),
    )


class Judge:
    """Which of many statements no longer hold."""

    def __init__(self, statements: Sequence[Statement], days: Sequence[str]) -> None:
        """days: on which each was said, as ISO strings."""
        self._statements = statements
        self._days = [date.fromisoformat(day).toordinal() if day else 0 for day in days]
        self._claiming = [k for k, one in enumerate(statements) if any(one.claims)]
        self._holding: dict[str, list[int]] = {}
        for place, one in enumerate(statements):
            for word in one.words:
                self._holding.setdefault(word, []).append(place)
        self._count = max(_LEAST_STATEMENTS, len(statements))

    def may_be_outdated_by(self, newer: int) -> set[int]:
        """The places of the statements that share with one what it takes to be outdated by it."""
        one = self._statements[newer]
        shared: dict[int, float] = {}
        for word in one.words:
            rarity = self._rarity(word)
            for place in self._holding[word]:
                shared[place] = shared.get(place, 0.0) + rarity
        linked = {place for place, rarity in shared.items() if rarity >= _LINKED}
        return linked.union(self._claiming) if any(one.claims) else linked

    def is_outdated(self, older: int, newer: int) -> bool:
        """Whether what was said later ends or changes, in words, what was told before, or two
        claims of one subject contradict each other.

        Two tastes or choices are no such pair, unless the newer one names what it replaces, nor is
        one of many records, such as "service 3 moves to host 10", after another.
        """
        old, new = self._statements[older], self._statements[newer]
        if old.form == new.form and old.figures[:-1] != new.figures[:-1]:
            return False
        speakers = old.speaker, new.speaker
        found = superseding(old.sentences, new.sentences, speakers)
        if found is not None and found.is_sure:
            return True
        if are_apart(old.sentences, new.sentences, speakers):
            return False
        for a, told, where in zip(old.sentences, old.claims, old.areas, strict=True):
            for b, said, there in zip(new.sentences, new.claims, new.areas, strict=True):
                other = strongest(told, said, where, there) if told and said else None
                if other is None or (other.kind == "preference" and not other.replaces):
                    continue
                if a != b and not elsewhere(a, b):
                    return True
        return False

    def may_be_outdated(self, older: int, newer: int) -> bool:
        """Whether what was said later tells of a change and may concern what was told before, so
        that the older one does not stand without it. Not of one of many records."""
        old, new = self._statements[older], self._statements[newer]
        if old.form == new.form and old.figures[:-1] != new.figures[:-1]:
            return False
        if sum(map(self._rarity, old.words & new.words)) < _LINKED:
            return False
        found = superseding(old.sentences, new.sentences, (old.speaker, new.speaker))
        return found is not None and tells_change(new.sentences)

    def is_followed_by(self, older: int, newer: int) -> bool:
        """Whether what was said later goes on with what was told before, and the older one alone
        would mislead: it tells of a trial, or both give a figure of the same thing, the later
        one another one."""
        old, new = self._statements[older], self._statements[newer]
        shared = old.words & new.words
        if len(shared) < 2 or sum(map(self._rarity, shared)) < _LEAST_FOLLOWED:
            return False
        if is_trial(old.text):
            return True
        before, after = measures(old.text), measures(new.text)
        return any(after[unit] - before[unit] for unit in before.keys() & after.keys())

    def _rarity(self, word: str) -> float:
        """How rare a word is among the statements, 0–1."""
        return log((self._count + 1) / (len(self._holding[word]) + 1)) / log(self._count)


HEADINGS: Final = {
    "latin": "Earlier in this conversation, quoted in part, by time but for what belongs together; without a day: that of the line above; where two differ, the later day holds:",
    "cjk": "以下是本次对话较早的原话（节选），按时间先后，相关的放在一起；没写日期的与上一行同日；前后不一致时，以日期较晚的为准：",
}
PARTS: Final = {
    "latin": ("Health and safety:", "Decided or promised:", "Also said:", "Asked:"),
    "cjk": ("【健康与安全】", "【定下或答应的】", "【其他】", "【问过的】"),
}
"""What stands above the parts of a digest, in their order."""
GUARDED, SETTLED, TOLD, ASKED = range(4)
"""The parts of a digest."""


@lru_cache(_CACHED)
def part_of(kind: str, quote: str) -> int:
    """The part of a digest to which a quotation belongs."""
    if kind == PROTECTIVE and surely_protects(quote):
        return GUARDED
    if surely_decides(quote):
        return SETTLED
    return ASKED if kind == "question" else TOLD


_RECALLED: Final = {
    "latin": "From memory, for the next message:",
    "cjk": "记忆中与下一条消息有关的内容：",
}


def heading(text: str) -> tuple[str, tuple[str, ...]]:
    """The line that stands above quotations, and those above their parts, in the language of their
    text."""
    language = script(text)
    language = language if language in HEADINGS else "latin"
    return HEADINGS[language], PARTS[language]


def recalled_heading(text: str) -> str:
    """The line that stands above what is recalled, in the language of the text."""
    return _RECALLED.get(script(text), _RECALLED["latin"])


def circle_title(names: Sequence[str]) -> str:
    """The line above what is of people who belong together."""
    if any(map(_HAN.search, names)):
        return f"（{'、'.join(names)}等人）"
    return f"({', '.join(names)} and others)"
