"""The gate: whether a text that a model wrote states only what its source states. In doubt, no.

Word overlap does not catch a small model's inventions, since these use the source's words
("allergic to coriander", of somebody who is allergic to cashews and hates coriander). So each
written clause must be the words of one source sentence, in their order, with parts left out only
where that cannot change the meaning:

- a clause begins with its first word, so that no predicate is joined with another's object;
- a preposition stays with its noun, a number with its unit, a possessive with its noun;
- within a clause only dependent parts are left out: phrases with a preposition, an article or a
  number, times, names;
- negations, conditions, doubts and quantities of the rest stay in their place;
- tense and voice are the same, and no adverb is added;
- a name may replace a pronoun that has only one possible referent.

Numbers and dates are compared by value. Only English and Chinese can pass. docs/forgetting.md has
the figures and the known misses.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final, Literal

from graphmem_worker.gate.reading import HAN_KIN, Token, read
from graphmem_worker.language.lists import listed
from graphmem_worker.text.keywords import keywords
from graphmem_worker.text.sentences import sentences
from graphmem_worker.text.words import HAN, STOP_WORDS, script

Reason = Literal[
    "empty", "json", "language", "long", "repeats", "numbers", "words", "negation", "clauses",
    "coverage", "fidelity",
]  # fmt: skip

FIDELITY: Final[float] = 0.5
"""Least fidelity that passes."""

_MOST_CHARACTERS: Final[int] = 20_000  # of a source or a written text: ten long memories
_MOST_SENTENCES: Final[int] = 400  # of either; each is compared with each
_MOST_STEPS: Final[int] = 200_000  # of comparison: half a second; prose needs a thousand
_COVERAGE: Final[float] = 0.1
_KEYWORDS: Final[int] = 5


@dataclass(frozen=True, slots=True)
class Verdict:
    """The gate's decision about one written text."""

    passed: bool
    reasons: tuple[Reason, ...]
    """Why it failed, the plainest reason first; empty if it passed."""
    fidelity: float
    """0–1: 0.6 · mean share of a written sentence's words in its best source sentence + 0.4 · share
    of the source's keywords in the written text."""


def judge(
    source: str,
    written: str,
    *,
    speaker: str | None = None,
    longest: int | None = None,
    coverage: float = _COVERAGE,
) -> Verdict:
    """Whether `written` states only what `source` states.

    A source or written text of more than 20,000 characters or 400 sentences is "long".

    `speaker`: the referent of "I" in the source. `longest`: of `written` in characters, by default
    the length of the source. `coverage`: least share of the source's words in `written`.
    """
    reasons: list[Reason] = []
    text = written.strip()
    if not text:
        return Verdict(False, ("empty",), 0.0)
    if _JSON.search(text) and not _JSON.search(source):
        reasons.append("json")
    if script(text) != script(source) or not _is_readable(source):
        reasons.append("language")
    most = min(_MOST_CHARACTERS, len(source.strip()) if longest is None else longest)
    if len(text) > most or len(source) > _MOST_CHARACTERS:
        reasons.append("long")
    if reasons:
        return Verdict(False, tuple(reasons), 0.0)
    lines = [sentence.strip() for sentence in sentences(text)]
    known = _Source(source, speaker)
    if max(len(lines), len(known.sentences)) > _MOST_SENTENCES:
        return Verdict(False, ("long",), 0.0)
    if len(set(lines)) < len(lines):
        reasons.append("repeats")
    parts = [read(sentence) for sentence in lines]
    tokens = [token for part in parts for token in known.without_attribution(part)[1]]
    for kind, reason in _MUST_BE_KNOWN:
        if any(t.kind == kind and t.text not in known.words for t in tokens):
            reasons.append(reason)
    unsupported = next((part for part in parts if not reasons and not known.supports(part)), None)
    if unsupported is not None:
        reasons.append("negation" if known.supports(unsupported, ops=False) else "clauses")
    if known.share(tokens) < coverage:
        reasons.append("coverage")
    alike = _overlap(parts, [s.tokens for s in known.sentences])
    fidelity = 0.6 * alike + 0.4 * _keyword_share(keywords(source, None, _KEYWORDS), tokens)
    if fidelity < FIDELITY:
        reasons.append("fidelity")
    return Verdict(not reasons, tuple(reasons), fidelity)


_JSON: Final = re.compile(r'^\s*[\[{]\s*["\]}\[{]|"\s*:\s*["\[{]|```|<\||\ufffd')


_KANA: Final = re.compile("[\u3041-\u30ff]")
_LATIN_WORD: Final = re.compile(r"[^\W\d_]+")
_LEAST_ENGLISH: Final[float] = 0.12  # share of stop words; English prose has 0.4, German 0.05
_FEW_WORDS: Final[int] = 8


def _is_readable(source: str) -> bool:
    """Whether a text looks like English or Chinese; negations of other languages are unknown."""
    kind = script(source)
    if kind == "cjk":
        return not _KANA.search(source)
    found = [word.casefold() for word in _LATIN_WORD.findall(source)]
    english = sum(word in STOP_WORDS for word in found)
    return kind == "latin" and (len(found) < _FEW_WORDS or english >= _LEAST_ENGLISH * len(found))


_MUST_BE_KNOWN: Final[tuple[tuple[str, Reason], ...]] = (("number", "numbers"), ("word", "words"))


def _keyword_share(wanted: Sequence[str], tokens: Sequence[Token]) -> float:
    """The share of the keywords whose tokens are all present."""
    present = {t.text for t in tokens}
    sought = [texts for keyword in wanted if (texts := {t.text for t in read(keyword)})]
    return sum(texts <= present for texts in sought) / len(sought) if sought else 1.0


def _overlap(written: Sequence[Sequence[Token]], known: Sequence[Sequence[Token]]) -> float:
    """The mean share of a written sentence's words that its best source sentence has."""
    sources = [{t.text for t in tokens} for tokens in known]
    shares = [
        max((len(texts & source) / len(texts) for source in sources), default=0.0)
        for tokens in written
        if (texts := {t.text for t in tokens})
    ]
    return sum(shares) / len(shares) if shares else 1.0


# --- the source -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sentence:
    tokens: list[Token]
    speaker: tuple[str, ...]  # the referent of "I", as token texts
    conditions: frozenset[str]
    words: frozenset[str]
    has_pronoun: bool  # which other words may replace


class _Source:
    """The sentences of the source, with their speakers."""

    def __init__(self, text: str, speaker: str | None) -> None:
        given = _texts(speaker) if speaker else ()
        self.sentences: list[_Sentence] = []
        self.speakers: set[tuple[str, ...]] = {given} - {()}
        for name, turn in _turns(text):
            own = _texts(name) if name else given
            if own:
                self.speakers.add(own)
            for sentence in sentences(turn):
                tokens = read(sentence)
                if tokens:
                    conditions = _conditions(sentence, tokens)
                    texts = frozenset(t.text for t in tokens)
                    has_pronoun = any(t.kind == "pronoun" for t in tokens)
                    self.sentences.append(_Sentence(tokens, own, conditions, texts, has_pronoun))
        self.steps = _MOST_STEPS
        self.words = {t.text for s in self.sentences for t in s.tokens}
        self.words |= {part for own in self.speakers for part in own}

    def share(self, written: Sequence[Token]) -> float:
        """The share of the source's words that are also written."""
        sought = {t.text for s in self.sentences for t in s.tokens if t.kind in ("word", "number")}
        present = {t.text for t in written}
        return len(sought & present) / len(sought) if sought else 1.0

    def supports(self, written: list[Token], *, ops: bool = True) -> bool:
        """Whether the source states this sentence: as a whole, or clause by clause."""
        if self._supports_in_parts(written, None, ops):
            return True
        speaker, rest = self.without_attribution(written)
        return speaker is not None and self._supports_in_parts(rest, speaker, ops)

    def _supports_in_parts(
        self, whole: list[Token], speaker: tuple[str, ...] | None, ops: bool
    ) -> bool:
        """Whether a sentence can be split into runs of clauses that each fit a source sentence."""
        clauses = [list(clause) for _, clause in groupby(whole, key=lambda token: token.clause)]
        reached = [True] + [False] * len(clauses)
        for start in range(len(clauses)):
            # The longest run first, as most sentences fit as a whole.
            for end in range(len(clauses), start, -1) if reached[start] else ():
                part = [token for clause in clauses[start:end] for token in clause]
                self.steps -= len(part)
                if self.steps < 0:
                    return False  # when in doubt
                words = sum(t.kind in ("word", "number") for t in part)
                has_content = words > 1 or len(part) == len(whole)
                if has_content and not reached[end] and self._fits(part, whole, speaker, ops):
                    reached[end] = True
                    if end == len(clauses):
                        return True
        return reached[-1]

    def without_attribution(
        self, written: list[Token]
    ) -> tuple[tuple[str, ...] | None, list[Token]]:
        """(Wen, rest) for "Wen said that …" and "Wen: …" if Wen is a speaker; else (None, all)."""
        for own in self.speakers:
            after = len(own)
            if len(written) <= after + 1 or tuple(t.text for t in written[:after]) != own:
                continue
            if written[after].text in listed("gate_saying"):
                return own, written[after + 1 :]
            if written[after].joint == ":":
                return own, written[after:]
        return None, written

    def _fits(
        self, part: list[Token], whole: list[Token], speaker: tuple[str, ...] | None, ops: bool
    ) -> bool:
        texts = {t.text for t in part if t.kind in ("word", "number")}
        return any(
            _Alignment(self, place, part, whole, ops).exists()
            for place, sentence in enumerate(self.sentences)
            if (speaker is None or sentence.speaker == speaker)
            and (sentence.has_pronoun or texts <= sentence.words)
        )


_SPEAKER: Final = re.compile(
    rf"(?:^|(?<=[.!?。！？…\n]))[^\S\n]*+([^\W\d_{HAN}]+(?: [A-Z][\w'-]*)?|[{HAN}]{{1,4}})"
    r"\s*[:：]\s*",
    re.MULTILINE,
)


def _texts(name: str) -> tuple[str, ...]:
    return tuple(t.text for t in read(name))


def _turns(text: str) -> Iterator[tuple[str | None, str]]:
    """(speaker, text) of the turns of a dialogue; (None, text) for any other text."""
    marks = list(_SPEAKER.finditer(text))
    if len(marks) < 2:
        yield None, text
        return
    yield None, text[: marks[0].start()]
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    for mark, end in zip(marks, ends, strict=True):
        yield mark[1], text[mark.end() : end]


_PAST: Final = re.compile(r"\b(?:was|were|had|did|(?<!\bis )(?<!\bare )(?<!\bbe )\w+ed)\b")


def _conditions(sentence: str, tokens: Sequence[Token]) -> frozenset[str]:
    found = {t.text for t in tokens if t.kind == "op" and t.text in listed("gate_conditions")}
    # "When" with the present is a condition, with the past a time.
    if any(t.text == "when" for t in tokens) and not _PAST.search(sentence):
        found.add("when")
    if any(t.text == "?" for t in tokens):
        found.add("?")
    return frozenset(found)


def _forms(tokens: Sequence[Token]) -> list[tuple[object, ...]]:
    return [(t.kind, t.text, t.preposition, t.is_owner, t.helper, t.ending) for t in tokens]


# --- alignment ------------------------------------------------------------------------------------


class _Alignment:
    """An alignment of written words with one source sentence, by the rules of this module."""

    def __init__(
        self, source: _Source, place: int, part: list[Token], whole: list[Token], ops: bool
    ) -> None:
        self._source = source
        self._place = place
        self._sentence = source.sentences[place]
        self._tokens = self._sentence.tokens
        self._part = part if ops else [t for t in part if t.kind != "op"]
        self._whole = whole
        self._ops = ops
        self._starts = [
            n for n, t in enumerate(self._tokens) if not n or t.clause != self._tokens[n - 1].clause
        ]

    def exists(self) -> bool:
        """Whether all written words can be aligned in their order."""
        part = self._part
        if _forms(part) == _forms(self._tokens):
            return True
        if self._ops and not self._sentence.conditions <= {t.text for t in part}:
            return False
        # For each number of aligned words: the possible places of the last one in the source, with
        # whether an earlier word is in another clause.
        reached: list[set[tuple[int, bool]]] = [set() for _ in range(len(part) + 1)]
        reached[0].add((-1, False))
        for count in range(len(part)):
            for before, joined in reached[count]:
                self._source.steps -= len(self._tokens) - before
                for place in range(before + 1, len(self._tokens)):
                    if self._source.steps < 0:
                        return False  # when in doubt
                    for taken in self._matches(count, place):
                        self._source.steps -= place - before
                        if self._may_follow(before, place, count, joined):
                            same = before >= 0 and (
                                self._tokens[before].clause == self._tokens[place].clause
                            )
                            reached[count + taken].add((place, joined if same else before >= 0))
        return any(self._may_leave(place, joined) for place, joined in reached[len(part)])

    def _matches(self, count: int, place: int) -> Iterator[int]:
        """How many written words from `count` on may be the source's token at `place`."""
        written, token = self._part[count], self._tokens[place]
        if token.kind == "pronoun" and written.kind in ("word", "number"):
            for length in range(1, 5):
                span = self._part[count : count + length]
                # A subject alone is no statement.
                is_followed = count + length < len(self._part) or place not in self._starts
                if len(span) == length and is_followed and self._may_replace(span, place):
                    yield length
        elif (written.kind, written.text) == (token.kind, token.text) and (
            written.is_owner == token.is_owner or token.kind == "pronoun" or not token.is_name
        ):
            yield 1

    def _may_follow(self, before: int, place: int, count: int, joined: bool) -> bool:
        token, written = self._tokens[place], self._part[count]
        if not self._has_same_preposition(before, place, written) or not self._has_same_tense(
            before, place, written
        ):
            return False
        if before < 0:
            # "But …" refers to the sentence before it.
            if token.kind == "link" and (place or self._part[0] is not self._whole[0]):
                return False
            return self._may_enter(place, count)
        last = self._tokens[before]
        skipped = self._tokens[before + 1 : place]
        if last.clause == token.clause:
            if skipped and skipped[0].is_adjacent and skipped[0].text in HAN_KIN:
                return False
            if self._ops and any(t.kind == "op" for t in skipped):
                return False
            if skipped and not _is_dependent(skipped, token):
                return False
            # Two numbers are distinguished only by their prepositions: "from 3 to 5".
            rivals = [t for t in skipped if t.kind == "number"]
            if token.kind == "number" and any(t.preposition == token.preposition for t in rivals):
                return False
            if token.is_name and any(t.is_name for t in skipped):
                return False
            if last.kind == "number" and skipped and skipped[0].is_adjacent and not last.is_time:
                return False
            # An owner stays with its noun: "Ruth's sister lives" is not "Ruth lives".
            if last.is_owner and not self._part[count - 1].is_owner:
                return not skipped
            return not (last.is_owner and len(skipped) > 2)
        if token.kind == "link" and token.clause != last.clause + 1:
            return False
        if token.joint == "who" and self._tokens[before + 1].clause != token.clause:
            return False  # the noun of the relative clause was left out
        if not self._may_enter(place, count):
            return False
        # A negation before "and" holds for both sides.
        return self._may_leave(before, joined, ops=token.joint == "and")

    def _may_enter(self, place: int, count: int) -> bool:
        """Whether the words of a clause before `place` may be left out: a time or a pronoun."""
        token, written = self._tokens[place], self._part[count]
        start = self._starts[bisect_right(self._starts, place) - 1]
        skipped = self._tokens[start:place]
        if any(t.kind == "op" for t in skipped) and self._ops:
            return False
        heavy = [t for t in skipped if t.kind in ("word", "number") and not t.is_time]
        if heavy:
            # "The new boiler" may become "the boiler", "her brother Arun" Arun.
            lead = heavy[0]
            is_plain = not (lead.is_name or lead.is_owner or lead.kind == "number")
            if len(heavy) > 1 or not (token.is_adjacent and is_plain):
                return False
            if lead.text in HAN_KIN and skipped[0].kind == "pronoun":
                return True
            if not (lead.has_article and (token.is_name or written.has_article)):
                return False
        pronouns = [t for t in skipped if t.kind == "pronoun" and not t.is_owner]
        if pronouns and (count or self._part[0] is not self._whole[0]):
            return self._is_same_subject(pronouns[0], start + skipped.index(pronouns[0]))
        return True

    def _is_same_subject(self, pronoun: Token, place: int) -> bool:
        """Whether a pronoun that is left out refers to the subject of the written sentence."""
        lead = self._whole[0]
        if lead.kind == "pronoun":
            return lead.text == pronoun.text
        return any(
            self._may_replace(self._whole[:length], place, owned=False)
            for length in range(1, 5)
            if len(self._whole) > length
        )

    def _has_same_preposition(self, before: int, place: int, written: Token) -> bool:
        token = self._tokens[place]
        preposition = token.preposition
        at = place
        while at - 1 > before and self._extends_phrase(at):
            at -= 1
            preposition = self._tokens[at].preposition or preposition
        if written.preposition == preposition or (
            token.text and not token.text.isascii() and written.preposition == token.preposition
        ):
            return True
        return token.is_time and not written.preposition and preposition in listed("gate_droppable")

    def _has_same_tense(self, before: int, place: int, written: Token) -> bool:
        """Whether tense and voice are the same: "has" is not "had"."""
        token = self._tokens[place]
        if not self._ops or token.kind != written.kind:
            return True  # a name for a pronoun
        helper = token.helper
        if written.helper and not helper:  # "was on Monday replaced"
            helper = next((t.helper for t in self._tokens[place - 1 : before : -1] if t.helper), "")
        if token.text.isascii():
            return (written.helper, written.ending) == (helper, token.ending)
        # 都, 又, 了 may be left out, not added.
        return set(written.helper) <= set(helper) and written.ending in ("", token.ending)

    def _extends_phrase(self, place: int) -> bool:
        """Whether a preposition before the previous token also governs the one at `place`."""
        last = self._tokens[place - 1]
        return self._tokens[place].is_adjacent or (last.kind == "pronoun" and last.is_owner)

    def _may_leave(self, place: int, joined: bool, *, ops: bool = True) -> bool:
        """Whether the rest of the clause behind `place` may be left out."""
        last = self._tokens[place]
        rest = [t for t in self._tokens[place + 1 :] if t.clause == last.clause]
        if not rest:
            return True
        if last.is_owner or rest[0].text in HAN_KIN:
            return False
        if ops and self._ops and any(t.kind == "op" for t in rest):
            return False
        if last.kind == "number" and rest[0].is_adjacent and not last.is_time:
            return False
        # The subject of a clause must not become the object of the clause before it.
        return not joined or bool(rest[0].preposition) or rest[0].is_time

    def _may_replace(self, span: Sequence[Token], place: int, *, owned: bool = True) -> bool:
        """Whether these written words may replace the pronoun at `place`."""
        pronoun = self._tokens[place]
        name = tuple(t.text for t in span)
        if any(t.kind not in ("word", "number") for t in span):
            return False
        if owned and pronoun.is_owner != span[-1].is_owner and pronoun.text != "she":
            return False
        if pronoun.text == "i":
            return name == self._sentence.speaker
        if pronoun.text not in listed("gate_third"):
            return False
        before = self._source.sentences[: self._place]
        self._source.steps -= len(before)
        subjects = [s.tokens for s in before[-2:]]
        if place:
            subjects.append(self._tokens[:place])
        if not any(self._is_subject(tokens, name) for tokens in subjects):
            return False
        if pronoun.text in ("it", "they"):
            return True
        if name[0].isascii() and not all(t.is_name for t in span[1:]):
            return False
        persons = {
            other for tokens in [*(s.tokens for s in before), self._tokens[:place]]
            for other in _persons(tokens)
        }  # fmt: skip
        self._source.steps -= sum(len(s.tokens) for s in before)
        return all(other in name for other in persons)

    @staticmethod
    def _is_subject(tokens: Sequence[Token], name: tuple[str, ...]) -> bool:
        first = next((n for n, t in enumerate(tokens) if not t.is_time), 0)
        lead = tokens[first : first + len(name)]
        return tuple(t.text for t in lead) == name and lead[0].clause == lead[-1].clause


def _is_dependent(skipped: Sequence[Token], kept: Token) -> bool:
    """Whether the tokens left out before `kept` depend on the rest of the clause.

    Times and names do, and phrases with a preposition, an article or a number. Any other word may
    be the verb and reverse the meaning: "stops paying", "considers moving", 停止赔付.
    """
    in_phrase = False
    for before, token in pairwise([None, *skipped]):
        assert token is not None
        if token.preposition in listed("gate_turning"):
            return False
        is_free = token.is_time or token.is_name or token.kind == "pronoun"
        if token.preposition or token.has_article or token.kind in ("number", "op"):
            in_phrase = True
        elif not (is_free or (in_phrase and before and (token.is_adjacent or before.is_owner))):
            return False
    if kept.preposition or kept.kind == "op":
        return True
    if any(
        t.preposition == "to" and t.kind == "word" and not (t.has_article or t.is_name)
        for t in skipped
    ):
        return False  # "to stop taking"
    last = skipped[-1]
    if last.preposition or last.has_article or last.is_time or last.is_name or last.is_owner:
        return True
    # The phrase may have ended in a verb: "from Volta declined the offer", 在银行退了票.
    return not kept.has_article if kept.text.isascii() else kept.is_adjacent or bool(kept.helper)


def _persons(tokens: Sequence[Token]) -> Iterator[str]:
    """The words that look like names of persons, not of places."""
    for before, token in pairwise([None, *tokens]):
        if token is None or not token.is_name or token.preposition in listed("gate_where"):
            continue
        if (
            before is None
            or before.text not in listed("gate_moving")
            or token.preposition not in listed("gate_aims")
        ):
            yield token.text
