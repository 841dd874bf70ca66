"""Quotations: the sentences that are kept of turns that leave a prompt, and which are outdated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from math import log
from typing import Any, Final, NamedTuple

from graphmem.recalling.beginnings import begins
from graphmem.recalling.supersede import relates
from graphmem_worker.claims import Claim, areas, claims, strongest
from graphmem_worker.claims.statements import statements, states_change
from graphmem_worker.claims.superseding import are_apart, superseding
from graphmem_worker.claims.vocabulary import language_of
from graphmem_worker.facts import facts, surely_decides
from graphmem_worker.kinds import instructs, last_relevant_day
from graphmem_worker.kinds import kind as sentence_kind
from graphmem_worker.language import harm
from graphmem_worker.language.expressions import expression
from graphmem_worker.language.sayings import folded
from graphmem_worker.language.tables import tables
from graphmem_worker.text.clauses import SURELY_LIMITS, limits, speaks_of_another
from graphmem_worker.text.patterns import late
from graphmem_worker.text.protects import is_surely_protective, protects
from graphmem_worker.text.protects import urgency as urgency_of
from graphmem_worker.text.salience import parts as salience_parts
from graphmem_worker.text.sentences import sentences
from graphmem_worker.text.words import script, words

LONGEST: Final = 240
"""The maximum of characters in a quotation."""
_LONGEST_PROTECTIVE: Final = 2 * LONGEST  # of a protective one with the person it concerns

PROTECTIVE: Final = "protective"
STATEMENT: Final = "statement"
"""A sentence of no worth of its own, quoted if it gives a later value of something."""
_KINDS: Final = (
    "question", PROTECTIVE, "decision", "reason", "preference", "date", "number", "name", "self",
    STATEMENT,
)  # fmt: skip
_CACHED: Final = 1 << 13
_SENTENCES: Final = 8  # of a text that may be outdated
_LEAST_STATEMENTS: Final = 500  # assumed for the rarity of words if there are fewer
_LINKED: Final = 0.8  # the rarity of the shared words of two statements that may be on one thing

_LEAST_WORDS: Final = 4  # of a quotation that is understood without the question that it answers
_LEAST_HAN: Final = 6  # Chinese characters, as above
_LEAST_LINKING: Final = 2  # of its words that are neither numbers nor dates
_LEAST_LINKING_UNIT: Final = 1  # as above, if it gives a figure with its unit, or as changed
_LEAST_LINKING_WEAK: Final = 4  # as above, if it was chosen only for a name or "I"
_WEIGHT_PROTECTIVE: Final = 3.0  # factors of the worth of quotations
_WEIGHT_DECISION: Final = 1.35  # a decision, a promise or an open question
_WEIGHT_LASTING: Final = 1.15  # a reason, a preference, a state
_WEIGHT_OVER: Final = 0.25  # an appointment or a deadline that has passed
_WEIGHT_ASSISTANT: Final = 0.6  # an assistant's words bind less than the user's reply to them
_SHORT_WORDS: Final = 8  # at most, of a quotation that may need the question that it answers
_SHORT_HAN: Final = 14  # Chinese characters, as above
_WORD: Final = late(r"[^\W\d_][\w'’-]*|\d[\d.,:/-]*")
_HAN: Final = late(r"[\u4e00-\u9fff]")
# Text in brackets refers to what precedes it, except the number of a list item.
_BRACKET: Final = late(r"[(（](?!\W*\d*[)）])[^()（）\n]*[)）]\W*$")
_CODE: Final = late(r"```|\W*$")
_ITEM: Final = late(r"[-*•·]\s|\d{1,2}[.)、]\s?(?!\d)|第[一二三四五六七八九十\d]{1,2}[，,、]")
_MACHINE: Final = late(  # lines of a log, records
    r"\W*\{\s*[\"']|\b(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE)\b"
    r"|\W*\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|\[[\w.-]+\]\s+\d\d:\d\d"
)
_THINGS: Final = frozenset(("drug", "food", "device", "ill"))
# Kinds that are not worth quoting for their own sake.
_WEAK: Final = ("name", "self", STATEMENT)
_FIGURES: Final = late(r"\d+(?:[.,:/-]\d+)*")
_LEAST_FOLLOWED: Final = 1.5  # the rarity of the shared words of a trial and its outcome
_BLANK: Final = late(r"[\s\W_]+")


def quotations(text: str) -> list[tuple[str, str]]:
    """The (kind, exact words) of the sentences of a text that are worth keeping: protective ones,
    decisions, reasons, open questions, numbers, names, preferences and dates. A sentence is quoted
    with the one before it, if both are short together, if it may refer to that one, protects a
    person whom it does not name, is in brackets, or limits that one."""
    found: list[tuple[int, int, str]] = []  # start, end and kind of each
    start = 0
    is_idle = False
    before: int | None = None  # the start of the sentence before, with the one that it refers to
    known = facts(text)
    for sentence in sentences(text):
        end = start + len(sentence)
        kinds: set[str] = {fact.kind for fact in known if start <= fact.start < end}
        sentence_start, start = start, end
        quote = sentence.strip()
        if not quote or len(quote) > LONGEST:
            is_idle, before = False, sentence_start
            continue
        parts, is_protective = salience_parts(quote), protects(quote) == "protective"
        begin = sentence_start
        if (
            before is not None
            and (is_protective or not is_idle)
            and (_may_refer_back(quote) or (is_protective and _has_no_person(quote)))
            and len(text[before:end].strip()) <= (_LONGEST_PROTECTIVE if is_protective else LONGEST)
        ):
            begin = before
        is_limit = bool(_BRACKET.match(quote)) or limits(quote, SURELY_LIMITS)
        if is_limit and found and found[-1][1] == sentence_start:
            first, _, kind = found[-1]
            if len(text[first:end].strip()) <= LONGEST:
                found[-1] = first, end, PROTECTIVE if is_protective else kind
                before = first
                continue
        before = begin
        is_idle = not is_protective and bool(parts.get("greeting") or parts.get("chatter"))
        if is_idle:
            continue
        if is_protective:  # such as "Yes, and she is allergic to penicillin"
            kinds.add(PROTECTIVE)
        if instructs(quote):
            kinds.add("decision")
        # A word typical of decisions makes no decision: its pattern finds too much small talk.
        kinds.update(kind for kind in parts if parts[kind] and kind != "decision")
        kind = next((kind for kind in _KINDS if kind in kinds), STATEMENT)
        if _CODE.match(quote) or _MACHINE.search(quote):
            continue
        if _ITEM.match(quote) and not (
            kind in ("question", "decision") or (kind == PROTECTIVE and surely_protects(quote))
        ):
            continue  # not understood without the line above the list
        if kind == STATEMENT and not (
            states_change((quote,)) and stands_alone(kind, text[begin:end].strip())
        ):
            continue
        if kind == "question":
            begin = sentence_start
        while found and found[-1][0] >= begin:
            kind = min(kind, found.pop()[2], key=_KINDS.index)
        found.append((begin, end, kind))
    return [(kind, text[begin:end].strip()) for begin, end, kind in found]


def surely_protects(quote: str) -> bool:
    """Whether a sentence of a quotation surely protects somebody."""
    return any(map(is_surely_protective, sentences(quote)))


def is_rule(quote: str) -> bool:
    """Whether a sentence of a quotation is an instruction for future work."""
    return any(map(instructs, sentences(quote)))


def forbids(quote: str) -> bool:
    """Whether a sentence of a quotation says what somebody may not have."""
    return any(harm.forbids(harm.classes(sentence[:LONGEST])) for sentence in sentences(quote))


def urgency(quote: str) -> int:
    """The urgency of the most urgent protective sentence of a quotation, 0 without one; see
    `graphmem_worker.text.protects`."""
    return max(map(urgency_of, sentences(quote)), default=0)


def _has(means: str, sentence: str) -> bool:
    """Whether a sentence contains an expression of the table "quoting" with this meaning."""
    return expression("quoting", means).within(sentence, folded(sentence))


def _may_refer_back(sentence: str) -> bool:
    """Whether a sentence may be about something that the one before it names."""
    return (
        any(_has(means, sentence) for means in ("refers", "leans"))
        or _has_open_pronoun(sentence)
        or speaks_of_another(sentence)
    )


@lru_cache(_CACHED)
def has_unnamed_person(kind: str, quote: str) -> bool:
    """Whether a quotation is protective and the person may be named only before it. The first words
    of a Chinese one count as a name, since they may be one that no table has."""
    first = next(iter(sentences(quote)), "")
    if kind != PROTECTIVE or _may_refer_back(first):
        return kind == PROTECTIVE
    parsed = statements((first,))
    subject = parsed[0].subjects if parsed and not parsed[0].is_inherited else ()
    return _has_no_person(first) and not any(map(_HAN.search, subject))


def closing(text: str) -> str:
    """A short text, or the last sentence of a long one if it is short, else ""."""
    last = text.strip() if len(text) <= LONGEST else sentences(text)[-1].strip()
    return last if len(last) <= LONGEST else ""


def _has_no_person(sentence: str) -> bool:
    """Whether a sentence names no person, where names that a table has as things do not count."""
    names = (name for each in statements((sentence,)) for name in each.persons if len(name) > 1)
    return all(_THINGS & set(harm.classes(name)) for name in names)


def _has_open_pronoun(sentence: str) -> bool:
    """Whether an English sentence has a pronoun without a possible referent before it."""
    found = expression("quoting", "pronoun").search(sentence)
    if found is None:
        return False
    before = sentence[: found.start()]
    return not (_has("names", before) or expression("quoting", "begins with a name").match(before))


def may_refer_back(quote: str) -> bool:
    """Whether a quotation may be about something that was named before it."""
    return _may_refer_back(next(iter(sentences(quote)), ""))


@lru_cache(_CACHED)
def stands_alone(kind: str, quote: str) -> bool:
    """Whether a quotation is understood without the question that it answers, and names the things
    of its numbers and dates: "Moved: 19 March" does not, nor does "It ought to be 22"."""
    if kind != PROTECTIVE and refers_back(quote):
        return False
    is_own = any(each.is_of_speaker and not each.is_inherited for each in statements((quote,)))
    if forbids(quote) or (is_own and kind == PROTECTIVE):
        return True  # "I can't eat gluten."; "I'm lactose intolerant."
    han = len(_HAN.findall(quote))
    if han < _LEAST_HAN and han + len(_WORD.findall(_HAN.sub(" ", quote))) < _LEAST_WORDS:
        return False
    least = _LEAST_LINKING_WEAK if kind in _WEAK else _LEAST_LINKING
    if _has("measure", quote) or (_FIGURES.search(quote) and states_change((quote,))):
        least = _LEAST_LINKING_UNIT  # 预算是四千块; "We cut the budget to 6000."
    if (protects(quote) == "binding" and is_own) or is_rule(quote):
        least = 0  # "I must leave by 15:30."; 规定：周五不上线
    return kind == PROTECTIVE or len(linking_words(quote)) >= least


@lru_cache(_CACHED)
def refers_back(quote: str) -> bool:
    """Whether a quotation is surely about something that the sentence before it names."""
    return _has("dangles", quote)


@lru_cache(_CACHED)
def is_short(quote: str) -> bool:
    """Whether a quotation is so short that it may need the question that it answers."""
    han = len(_HAN.findall(quote))
    return han + len(_WORD.findall(_HAN.sub(" ", quote))) <= (_SHORT_HAN if han else _SHORT_WORDS)


def is_advice(quote: str, speaker: str) -> bool:
    """Whether it is an assistant's advice, general knowledge or courtesy."""
    if speaker != "assistant":
        return False
    return sentence_kind(quote, speaker=speaker).realm in ("universal", "ephemeral")


@lru_cache(_CACHED)
def worth(kind: str, quote: str, speaker: str, is_over: bool) -> float:
    """The worth of a quotation: its salience, see `docs/forgetting.md`, times the weight of its
    kind. is_over: whether it is about a day that has passed."""
    weight = 1.0
    if is_over or is_advice(quote, speaker):
        weight = _WEIGHT_OVER
    elif kind == PROTECTIVE and surely_protects(quote):
        weight = _WEIGHT_PROTECTIVE
    elif kind in ("decision", "question") or protects(quote) == "binding":
        weight = _WEIGHT_DECISION
    elif kind in ("reason", "preference") or claims(quote):
        weight = _WEIGHT_LASTING
    if speaker == "assistant" and kind != PROTECTIVE:
        weight *= _WEIGHT_ASSISTANT
    return weight * sum(salience_parts(quote).values())


def last_useful_day(quote: str, day: str, speaker: str) -> str:
    """The day, such as "2026-03-12", after which the appointment or deadline in a quotation of
    `day` is of no more use; "" if there is none, or if something begins on its day."""
    if not day:
        return ""
    written, parts = date.fromisoformat(day), tuple(sentences(quote))
    last = last_relevant_day(parts, written, speaker)
    return date.fromordinal(last).isoformat() if last > 0 and not begins(parts, written) else ""


@lru_cache(_CACHED)
def normalized(text: str) -> str:
    """A text without case, blanks and punctuation, for comparing quotations."""
    return _BLANK.sub("", text).casefold()


def is_trial(quote: str) -> bool:
    """Whether a quotation is about something that was begun, without its outcome."""
    return _has("trial", quote)


@lru_cache(_CACHED)
def linking_words(quote: str) -> frozenset[str]:
    """The words of a quotation that may relate it to another one."""
    return frozenset(filter(relates, words(quote)))


class Statement(NamedTuple):
    """A quotation, analysed for whether it outdates others or is outdated by them."""

    text: str
    speaker: str
    sentences: tuple[str, ...]
    claims: tuple[tuple[Claim, ...], ...]  # of each sentence
    areas: tuple[frozenset[str], ...]
    words: frozenset[str]  # its `linking_words`
    form: str  # the text without its figures
    figures: tuple[str, ...]


@lru_cache(_CACHED)
def statement(text: str, speaker: str) -> Statement:
    """The analysis of a text. speaker: its speaker's name or role."""
    parts = tuple(stripped for part in sentences(text)[:_SENTENCES] if (stripped := part.strip()))
    return Statement(
        text,
        speaker,
        parts,
        tuple(claims(sentence, speaker=speaker) for sentence in parts),
        tuple(map(areas, parts)),
        linking_words(text),
        _FIGURES.sub("0", text),
        tuple(_FIGURES.findall(text)),
    )


class Judge:
    """Decides which of many statements are outdated."""

    def __init__(self, statements: Sequence[Statement], days: Sequence[str]) -> None:
        """days: the date of each, as an ISO string."""
        self._statements = statements
        self._days = [date.fromisoformat(day).toordinal() if day else 0 for day in days]
        self._with_claims = [k for k, one in enumerate(statements) if any(one.claims)]
        self._places: dict[str, list[int]] = {}
        for place, one in enumerate(statements):
            for word in one.words:
                self._places.setdefault(word, []).append(place)
        self._count = max(_LEAST_STATEMENTS, len(statements))

    def may_be_outdated_by(self, newer: int) -> set[int]:
        """The places of statements that share rare words with one, or have claims as it has."""
        one = self._statements[newer]
        shared: dict[int, float] = {}
        for word in one.words:
            rarity = self._rarity(word)
            for place in self._places[word]:
                shared[place] = shared.get(place, 0.0) + rarity
        linked = {place for place, rarity in shared.items() if rarity >= _LINKED}
        return linked.union(self._with_claims) if any(one.claims) else linked

    def is_outdated(self, older: int, newer: int) -> bool:
        """Whether the newer statement ends or changes the older one in words, or claims of both on
        one subject contradict each other.

        Two preferences are no contradiction unless the newer one names what it replaces, nor are
        two similar records, such as "service 3 moves to host 10".
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
            strongest(old_claims, new_claims, old_area, new_area)
            for old_claims, old_area in zip(old.claims, old.areas, strict=True)
            for new_claims, new_area in zip(new.claims, new.areas, strict=True)
            if old_claims and new_claims
        )
        return any(c is not None and (c.kind != "preference" or c.replaces) for c in conflicts)

    def may_be_outdated(self, older: int, newer: int) -> bool:
        """Whether the newer statement is of a change and may concern the older one, which is then
        not quoted without it. False for two similar records."""
        old, new = self._statements[older], self._statements[newer]
        if old.form == new.form and old.figures[:-1] != new.figures[:-1]:
            return False
        if sum(map(self._rarity, old.words & new.words)) < _LINKED:
            return False
        found = superseding(old.sentences, new.sentences, (old.speaker, new.speaker))
        return found is not None and states_change(new.sentences)

    def is_followed_by(self, older: int, newer: int) -> bool:
        """Whether the newer statement continues a trial of the older one, misleading alone."""
        shared = self._statements[older].words & self._statements[newer].words
        return is_trial(self._statements[older].text) and (
            sum(map(self._rarity, shared)) >= _LEAST_FOLLOWED
        )

    def _rarity(self, word: str) -> float:
        """How rare a word is among the statements, 0–1."""
        return log((self._count + 1) / (len(self._places[word]) + 1)) / log(self._count)


SAFETY, DECIDED, OTHER, ASKED = range(4)
"""The parts of a digest."""


@lru_cache(_CACHED)
def part_of(kind: str, quote: str) -> int:
    """The part of a digest to which a quotation belongs."""
    if kind == PROTECTIVE and surely_protects(quote):
        return SAFETY
    if surely_decides(quote) or is_rule(quote):
        return DECIDED
    return ASKED if kind == "question" else OTHER


def heading(text: str) -> tuple[str, Sequence[str]]:
    """The heading of a digest and the titles of its parts, in the language of a text."""
    words = _words(text)
    return words["above"], words["parts"]


def headings() -> list[str]:
    """The heading and all titles of a digest, in each language."""
    every = tables("digest").values()
    return ["\n".join((words["above"], *words["parts"], "")) for words in every]


def recalled_heading(text: str) -> str:
    """The heading of recalled memories, in the language of a text."""
    return str(_words(text)["recalled"])


def _words(text: str) -> Mapping[str, Any]:
    """The table "digest" of a text's language."""
    code = "zh" if script(text) == "cjk" else "de" if language_of(text) == "de" else "en"
    return tables("digest")[code]
