"""Quotations: which sentences of a turn are worth keeping when it leaves a prompt, and which of
them no longer hold."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from math import log
from typing import Final, NamedTuple

from graphmem.recalling.beginnings import begins
from graphmem.recalling.supersede import links
from graphmem_worker.claims import Claim, areas, claims, strongest
from graphmem_worker.claims.statements import statements, states_change
from graphmem_worker.claims.superseding import are_apart, superseding
from graphmem_worker.claims.vocabulary import language_of
from graphmem_worker.facts import facts, surely_decides
from graphmem_worker.kinds import instructs, over_after
from graphmem_worker.kinds import kind as sentence_kind
from graphmem_worker.language import harm
from graphmem_worker.language.expressions import expression
from graphmem_worker.language.sayings import folded
from graphmem_worker.text.clauses import SURELY_LIMITS, limits, speaks_of_another
from graphmem_worker.text.patterns import late
from graphmem_worker.text.protects import is_surely_protective, protects
from graphmem_worker.text.protects import urgency as urgency_of
from graphmem_worker.text.salience import parts as salience_parts
from graphmem_worker.text.sentences import sentences
from graphmem_worker.text.words import script, words

LONGEST: Final = 240
"""Characters of a quotation."""
_LONGEST_GUARDING: Final = 2 * LONGEST  # of one that protects somebody, with who that is

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

_LEAST_WORDS: Final = 4  # of a quotation that stands without the question that it answers
_LEAST_HAN: Final = 6
_LEAST_NAMING: Final = 2  # of its words that are neither numbers nor dates
_LEAST_PLAIN: Final = 1  # where it gives a figure with its unit
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
# What stands in brackets is about what stands before them, but for numbers of a list.
_BRACKET: Final = late(r"[(（](?!\W*\d*[)）])[^()（）\n]*[)）]\W*$")
_CODE: Final = late(r"```|\W*$")
_ITEM: Final = late(r"[-*•·]\s|\d{1,2}[.)、]\s?(?!\d)|第[一二三四五六七八九十\d]{1,2}[，,、]")
_MACHINE: Final = late(  # lines of a log, records
    r"\W*\{\s*[\"']|\b(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE)\b"
    r"|\W*\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|\[[\w.-]+\]\s+\d\d:\d\d"
)
_THINGS: Final = frozenset(("drug", "food", "device", "ill"))
# Kinds that say little of a list's item alone.
_SLIGHT: Final = ("name", "self", STATEMENT)
_FIGURES: Final = late(r"\d+(?:[.,:/-]\d+)*")
_LEAST_FOLLOWED: Final = 1.5  # the rarity of what a later quotation shares with what it settles
_BLANK: Final = late(r"[\s\W_]+")


def quotations(text: str) -> list[tuple[str, str]]:
    """The sentences of a text that say something worth keeping, as they stand there: what protects
    somebody, what was decided, why, open questions, numbers, names, and preferences or dates
    without these. One that may lean on the sentence before it, protects somebody whom it does not
    name, or stands in brackets behind that one or limits it, is quoted with it, if together they
    are short."""
    found: list[tuple[int, int, str]] = []  # where each begins and ends, and its kind
    start = 0
    is_idle = False
    before: int | None = None  # where the one before, with what it refers to, begins
    known = facts(text)
    for sentence in sentences(text):
        end = start + len(sentence)
        kinds: set[str] = {fact.kind for fact in known if start <= fact.start < end}
        own, start = start, end
        quote = sentence.strip()
        if not quote or len(quote) > LONGEST:
            is_idle, before = False, own
            continue
        parts, guards = salience_parts(quote), protects(quote) == "protective"
        begin = own
        if (
            before is not None
            and (guards or not is_idle)
            and (_leans(quote) or (guards and _names_nobody(quote)))
            and len(text[before:end].strip()) <= (_LONGEST_GUARDING if guards else LONGEST)
        ):
            begin = before
        is_limit = bool(_BRACKET.match(quote)) or limits(quote, SURELY_LIMITS)
        if is_limit and found and found[-1][1] == own:
            first, _, kind = found[-1]
            if len(text[first:end].strip()) <= LONGEST:
                found[-1] = first, end, PROTECTIVE if guards else kind
                before = first
                continue
        before = begin
        is_idle = not guards and bool(parts.get("greeting") or parts.get("chatter"))
        if is_idle:
            continue
        if guards:  # as of "Yes, and she is allergic to penicillin"
            kinds.add(PROTECTIVE)
        if instructs(quote):
            kinds.add("decision")
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
            states_change((quote,)) and stands_alone(kind, text[begin:end].strip())
        ):
            continue
        if kind == "question":
            begin = own
        while found and found[-1][0] >= begin:
            kind = min(kind, found.pop()[2], key=_KINDS.index)
        found.append((begin, end, kind))
    return [(kind, text[begin:end].strip()) for begin, end, kind in found]


def surely_protects(quote: str) -> bool:
    """Whether a sentence of a quotation surely protects somebody."""
    return any(map(is_surely_protective, sentences(quote)))


def rules(quote: str) -> bool:
    """Whether a sentence of a quotation is a rule for whoever works."""
    return any(map(instructs, sentences(quote)))


def urgency(quote: str) -> int:
    """How urgent the most urgent sentence of a quotation is that protects somebody; see
    `graphmem_worker.text.protects`."""
    return max(map(urgency_of, sentences(quote)), default=0)


def _is_of(means: str, sentence: str) -> bool:
    return expression("quoting", means).within(sentence, folded(sentence))


def _leans(sentence: str) -> bool:
    """Whether a sentence may be about what the one before it names."""
    return (
        any(_is_of(means, sentence) for means in ("refers", "leans"))
        or _is_unnamed(sentence)
        or speaks_of_another(sentence)
    )


@lru_cache(_CACHED)
def lacks_whom(kind: str, quote: str) -> bool:
    """Whether a quotation protects somebody who may be named before it. What a Chinese one begins
    with may be a name that no table knows."""
    first = next(iter(sentences(quote)), "")
    if kind != PROTECTIVE or _leans(first):
        return kind == PROTECTIVE
    told = statements((first,))
    opens = told[0].first if told and not told[0].is_inherited else ()
    return _names_nobody(first) and not any(map(_HAN.search, opens))


def closing(text: str) -> str:
    """What a text says last, which may name whom the next one is about; "" if that is long."""
    said = text.strip() if len(text) <= LONGEST else sentences(text)[-1].strip()
    return said if len(said) <= LONGEST else ""


def _names_nobody(sentence: str) -> bool:
    """Whether a sentence names no person, but for what a table knows as a thing."""
    named = (one for said in statements((sentence,)) for one in said.persons if len(one) > 1)
    return all(_THINGS & set(harm.classes(one)) for one in named)


def _is_unnamed(sentence: str) -> bool:
    """Whether an English sentence has a pronoun and nothing before it that it could be of."""
    found = expression("quoting", "pronoun").search(sentence)
    if found is None:
        return False
    before = sentence[: found.start()]
    return not (
        _is_of("names", before) or expression("quoting", "begins with a name").match(before)
    )


def leans(quote: str) -> bool:
    """Whether a quotation is likely to be about something that was named before it."""
    return _leans(next(iter(sentences(quote)), ""))


@lru_cache(_CACHED)
def stands_alone(kind: str, quote: str) -> bool:
    """Whether a quotation says something without the question that it answers, and of what its
    numbers and dates are: "Moved: 19 March" does not, nor does "It ought to be 22"."""
    if kind != PROTECTIVE and dangles(quote):
        return False
    han = len(_HAN.findall(quote))
    if han < _LEAST_HAN and han + len(_WORD.findall(_HAN.sub(" ", quote))) < _LEAST_WORDS:
        return False
    least = _LEAST_SLIGHT if kind in _SLIGHT else _LEAST_NAMING
    if _is_of("measure", quote):
        least = _LEAST_PLAIN  # 预算是四千块
    is_own = any(said.is_own and not said.is_inherited for said in statements((quote,)))
    if (protects(quote) == "binding" and is_own) or rules(quote):
        least = 0  # "I must leave by 15:30."; 规定：周五不上线
    return kind == PROTECTIVE or len(linking_words(quote)) >= least


@lru_cache(_CACHED)
def dangles(quote: str) -> bool:
    """Whether a quotation is about what the sentence before it names."""
    return _is_of("dangles", quote)


@lru_cache(_CACHED)
def is_short(quote: str) -> bool:
    """Whether a quotation is likely to be understood only with the question that it answers."""
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
    elif kind == PROTECTIVE and surely_protects(quote):
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


def is_trial(quote: str) -> bool:
    """Whether it tells of something that was begun, and not how it ended."""
    return _is_of("trial", quote)


@lru_cache(_CACHED)
def linking_words(quote: str) -> frozenset[str]:
    """The words of a quotation that may link it to another one."""
    return frozenset(filter(links, words(quote)))


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
        linking_words(text),
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
        conflicts = (
            strongest(told, newer_told, where, there)
            for told, where in zip(old.claims, old.areas, strict=True)
            for newer_told, there in zip(new.claims, new.areas, strict=True)
            if told and newer_told
        )
        return any(c is not None and (c.kind != "preference" or c.replaces) for c in conflicts)

    def may_be_outdated(self, older: int, newer: int) -> bool:
        """Whether what was said later tells of a change and may concern what was told before, so
        that the older one does not stand without it. Not of one of many records."""
        old, new = self._statements[older], self._statements[newer]
        if old.form == new.form and old.figures[:-1] != new.figures[:-1]:
            return False
        if sum(map(self._rarity, old.words & new.words)) < _LINKED:
            return False
        found = superseding(old.sentences, new.sentences, (old.speaker, new.speaker))
        return found is not None and states_change(new.sentences)

    def is_followed_by(self, older: int, newer: int) -> bool:
        """Whether what was said later goes on with a trial that was told before, which alone would
        mislead."""
        shared = self._statements[older].words & self._statements[newer].words
        return is_trial(self._statements[older].text) and (
            sum(map(self._rarity, shared)) >= _LEAST_FOLLOWED
        )

    def _rarity(self, word: str) -> float:
        """How rare a word is among the statements, 0–1."""
        return log((self._count + 1) / (len(self._holding[word]) + 1)) / log(self._count)


HEADINGS: Final = {
    "latin": (
        "Earlier in this conversation, quoted in part, by time but for what belongs together; "
        "without a day: that of the line above; where two differ, the later day holds:"
    ),
    "de": (
        "Früher in diesem Gespräch, in Auszügen nach der Zeit, Zusammengehöriges beisammen; "
        "ohne Tag: wie darüber; bei Widersprüchen gilt der spätere Tag:"
    ),
    "cjk": (
        "以下是本次对话较早的原话（节选），按时间先后，相关的放在一起；"
        "没写日期的与上一行同日；前后不一致时，以日期较晚的为准："
    ),
}
PARTS: Final = {
    "latin": ("Health and safety:", "Decided or promised:", "Also said:", "Asked:"),
    "de": ("Gesundheit und Sicherheit:", "Beschlossen oder versprochen:", "Außerdem:", "Gefragt:"),
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
    if surely_decides(quote) or rules(quote):
        return SETTLED
    return ASKED if kind == "question" else TOLD


_RECALLED: Final = {
    "latin": "From memory, for the next message:",
    "de": "Aus dem Gedächtnis, zur nächsten Nachricht:",
    "cjk": "记忆中与下一条消息有关的内容：",
}


def heading(text: str) -> tuple[str, tuple[str, ...]]:
    """The line that stands above quotations, and those above their parts, in the language of their
    text."""
    language = _language(text)
    return HEADINGS[language], PARTS[language]


def recalled_heading(text: str) -> str:
    """The line that stands above what is recalled, in the language of the text."""
    return _RECALLED[_language(text)]


def _language(text: str) -> str:
    """Under which the headings for a text stand."""
    if script(text) == "cjk":
        return "cjk"
    return "de" if language_of(text) == "de" else "latin"
