"""The gate: may what a model wrote stand beside the source? When in doubt, no.

Word overlap does not catch a small model's inventions, since these use the source's words
("allergic to coriander", of somebody who is allergic to cashews and hates coriander). So each
written clause must be the words of one source sentence, in their order, with parts left out only
where that cannot change what is said:

- a clause is entered at its first word, so that no predicate is joined with another's object;
- a preposition stays with its noun, a number with its unit, a possessive with what is possessed;
- within a clause only what hangs on something is left out: what a preposition, an article or a
  number holds, a time, a name;
- negations, conditions, doubts and quantities of what is kept are kept, in their place;
- tense and voice stay what they are, and no adverb is added;
- a name may stand for a pronoun where only one can be meant.

Numbers and dates are compared by value.  It reads English and Chinese and passes nothing else.
docs/forgetting.md has the figures and what it still misses.
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

_MOST_CHARACTERS: Final[int] = 20_000  # of a source, or of what is written: ten long memories
_MOST_SENTENCES: Final[int] = 400  # of either; each is compared with each
_MOST_STEPS: Final[int] = 200_000  # of comparing; half a second, where prose needs a thousand
_COVERAGE: Final[float] = 0.1
_KEYWORDS: Final[int] = 5


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate says of one written text."""

    passed: bool
    reasons: tuple[Reason, ...]
    """Why not, the plainest first; empty where it passed."""
    fidelity: float
    """0.6·share of each written sentence's words that its best source sentence has + 0.4·share of
    the source's keywords kept, 0–1."""


def judge(
    source: str,
    written: str,
    *,
    speaker: str | None = None,
    longest: int | None = None,
    coverage: float = _COVERAGE,
) -> Verdict:
    """Whether `written` says nothing but what `source` says.

    A text of more than 20,000 characters or 400 sentences is "long", whether source or written.

    `speaker`: who says "I" in the source.  `longest`: characters, the source's own by default.
    `coverage`: least share of the source's words that must be left.
    """
    reasons: list[Reason] = []
    bare = written.strip()
    if not bare:
        return Verdict(False, ("empty",), 0.0)
    if _JSON.search(bare) and not _JSON.search(source):
        reasons.append("json")
    if script(bare) != script(source) or not _is_readable(source):
        reasons.append("language")
    most = min(_MOST_CHARACTERS, len(source.strip()) if longest is None else longest)
    if len(bare) > most or len(source) > _MOST_CHARACTERS:
        reasons.append("long")
    if reasons:
        return Verdict(False, tuple(reasons), 0.0)  # whatever its length, it is not read
    told = [sentence.strip() for sentence in sentences(bare)]
    known = _Source(source, speaker)
    if max(len(told), len(known.sentences)) > _MOST_SENTENCES:
        return Verdict(False, ("long",), 0.0)
    if len(set(told)) < len(told):
        reasons.append("repeats")
    parts = [read(sentence) for sentence in told]
    tokens = [token for part in parts for token in known.without_report(part)[1]]
    for kind, reason in _MUST_BE_KNOWN:
        if any(t.kind == kind and t.text not in known.words for t in tokens):
            reasons.append(reason)
    unfit = next((part for part in parts if not reasons and not known.bears(part)), None)
    if unfit is not None:
        reasons.append("negation" if known.bears(unfit, ops=False) else "clauses")
    if known.share(tokens) < coverage:
        reasons.append("coverage")
    alike = _overlap(parts, [s.tokens for s in known.sentences])
    fidelity = 0.6 * alike + 0.4 * _kept(keywords(source, None, _KEYWORDS), tokens)
    if fidelity < FIDELITY:
        reasons.append("fidelity")
    return Verdict(not reasons, tuple(reasons), fidelity)


_JSON: Final = re.compile(r'^\s*[\[{]\s*["\]}\[{]|"\s*:\s*["\[{]|```|<\||\ufffd')


_KANA: Final = re.compile("[\u3041-\u30ff]")
_LATIN_WORD: Final = re.compile(r"[^\W\d_]+")
_LEAST_ENGLISH: Final[float] = 0.12  # share of stop words; English prose has 0.4, German 0.05
_FEW_WORDS: Final[int] = 8


def _is_readable(source: str) -> bool:
    """Whether this looks like English or Chinese: a negation must not be read as any word."""
    kind = script(source)
    if kind == "cjk":
        return not _KANA.search(source)
    found = [word.casefold() for word in _LATIN_WORD.findall(source)]
    english = sum(word in STOP_WORDS for word in found)
    return kind == "latin" and (len(found) < _FEW_WORDS or english >= _LEAST_ENGLISH * len(found))


_MUST_BE_KNOWN: Final[tuple[tuple[str, Reason], ...]] = (("number", "numbers"), ("word", "words"))


def _kept(wanted: Sequence[str], tokens: Sequence[Token]) -> float:
    """The share of the keywords that are still told, numbers and dates by value."""
    there = {t.text for t in tokens}
    sought = [own for keyword in wanted if (own := {t.text for t in read(keyword)})]
    return sum(own <= there for own in sought) / len(sought) if sought else 1.0


def _overlap(told: Sequence[Sequence[Token]], known: Sequence[Sequence[Token]]) -> float:
    """The share of each written sentence's words that its best source sentence has."""
    sources = [{t.text for t in tokens} for tokens in known]
    shares = [
        max((len(own & other) / len(own) for other in sources), default=0.0)
        for tokens in told
        if (own := {t.text for t in tokens})
    ]
    return sum(shares) / len(shares) if shares else 1.0


# --- the source -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sentence:
    tokens: list[Token]
    speaker: tuple[str, ...]  # who says "I", as token texts
    conditions: frozenset[str]
    words: frozenset[str]
    refers: bool  # by pronouns, for which other words may stand


class _Source:
    """What the source says, clause by clause."""

    def __init__(self, text: str, speaker: str | None) -> None:
        given = _texts(speaker) if speaker else ()
        self.sentences: list[_Sentence] = []
        self.speakers: set[tuple[str, ...]] = {given} - {()}
        for who, said in _turns(text):
            own = _texts(who) if who else given
            if own:
                self.speakers.add(own)
            for sentence in sentences(said):
                tokens = read(sentence)
                if tokens:
                    conditions = _conditions(sentence, tokens)
                    texts = frozenset(t.text for t in tokens)
                    refers = any(t.kind == "pronoun" for t in tokens)
                    self.sentences.append(_Sentence(tokens, own, conditions, texts, refers))
        self.steps = _MOST_STEPS
        self.words = {t.text for s in self.sentences for t in s.tokens}
        self.words |= {part for own in self.speakers for part in own}

    def share(self, written: Sequence[Token]) -> float:
        """The share of the source's words that are also written."""
        own = {t.text for s in self.sentences for t in s.tokens if t.kind in ("word", "number")}
        there = {t.text for t in written}
        return len(own & there) / len(own) if own else 1.0

    def bears(self, written: list[Token], *, ops: bool = True) -> bool:
        """Whether the source says this sentence: as a whole, or clause by clause."""
        if self._bears_in_parts(written, None, ops):
            return True
        speaker, said = self.without_report(written)
        return speaker is not None and self._bears_in_parts(said, speaker, ops)

    def _bears_in_parts(
        self, whole: list[Token], speaker: tuple[str, ...] | None, ops: bool
    ) -> bool:
        """Whether neighbouring clauses of a written sentence fit one source sentence each time."""
        clauses = _clauses(whole)
        reached = [True] + [False] * len(clauses)
        for start in range(len(clauses)):
            # The longest first: mostly it is the whole.
            for end in range(len(clauses), start, -1) if reached[start] else ():
                part = [token for clause in clauses[start:end] for token in clause]
                self.steps -= len(part)
                if self.steps < 0:
                    return False  # when in doubt
                telling = len(part) == len(whole) or _weight(part) > 1
                if telling and not reached[end] and self._fits(part, whole, speaker, ops):
                    reached[end] = True
                    if end == len(clauses):
                        return True
        return reached[-1]

    def without_report(self, written: list[Token]) -> tuple[tuple[str, ...] | None, list[Token]]:
        """Of "Wen said that …" and "Wen: …", where Wen speaks in the source: Wen, and the rest."""
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
        told = {t.text for t in part if t.kind in ("word", "number")}
        return any(
            _Alignment(self, place, part, whole, ops).found()
            for place, sentence in enumerate(self.sentences)
            if (speaker is None or sentence.speaker == speaker)
            and (sentence.refers or told <= sentence.words)
        )


_SPEAKER: Final = re.compile(
    rf"(?:^|(?<=[.!?。！？…\n]))[^\S\n]*+([^\W\d_{HAN}]+(?: [A-Z][\w'-]*)?|[{HAN}]{{1,4}})"
    r"\s*[:：]\s*",
    re.MULTILINE,
)


def _texts(name: str) -> tuple[str, ...]:
    return tuple(t.text for t in read(name))


def _turns(text: str) -> Iterator[tuple[str | None, str]]:
    """The turns of a dialogue with their speakers; any other text as it is."""
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


def _clauses(tokens: Sequence[Token]) -> list[list[Token]]:
    return [list(clause) for _, clause in groupby(tokens, key=lambda token: token.clause)]


def _said(tokens: Sequence[Token]) -> list[tuple[object, ...]]:
    return [(t.kind, t.text, t.binder, t.owner, t.helper, t.ending) for t in tokens]


def _weight(tokens: Sequence[Token]) -> int:
    return sum(t.kind in ("word", "number") for t in tokens)


# --- alignment ------------------------------------------------------------------------------------


class _Alignment:
    """Finds the written words in one source sentence, in order, by the rules of this module."""

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

    def found(self) -> bool:
        """Whether there is such a way through the sentence."""
        part = self._part
        if _said(part) == _said(self._tokens):
            return True
        if self._ops and not self._sentence.conditions <= {t.text for t in part}:
            return False
        # For each number of written words placed: where in the source the last of them is, and
        # whether its clause was entered from another one.
        reached: list[set[tuple[int, bool]]] = [set() for _ in range(len(part) + 1)]
        reached[0].add((-1, False))
        for count in range(len(part)):
            for before, joined in reached[count]:
                self._source.steps -= len(self._tokens) - before
                for place in range(before + 1, len(self._tokens)):
                    if self._source.steps < 0:
                        return False  # when in doubt
                    for taken in self._taken(count, place):
                        self._source.steps -= place - before
                        if self._may_follow(before, place, count, joined):
                            same = before >= 0 and (
                                self._tokens[before].clause == self._tokens[place].clause
                            )
                            reached[count + taken].add((place, joined if same else before >= 0))
        return any(self._may_leave(place, joined) for place, joined in reached[len(part)])

    def _taken(self, count: int, place: int) -> Iterator[int]:
        """How many written words from `count` on the source's word at `place` stands for."""
        written, own = self._part[count], self._tokens[place]
        if own.kind == "pronoun" and written.kind in ("word", "number"):
            for length in range(1, 5):
                span = self._part[count : count + length]
                # A subject alone tells nothing.
                told = count + length < len(self._part) or place not in self._starts
                if len(span) == length and told and self._may_mean(span, place):
                    yield length
        elif (
            written.kind == own.kind and written.text == own.text and self._same_owner(written, own)
        ):
            yield 1

    def _same_owner(self, written: Token, own: Token) -> bool:
        return written.owner == own.owner or own.kind == "pronoun" or not own.name

    def _may_follow(self, before: int, place: int, count: int, joined: bool) -> bool:
        own, written = self._tokens[place], self._part[count]
        if not self._same_binder(before, place, written) or not self._same_tense(
            before, place, written
        ):
            return False
        if before < 0:
            # "But …" speaks of what went before it.
            if own.kind == "link" and (place or self._part[0] is not self._whole[0]):
                return False
            return self._may_enter(place, count)
        last = self._tokens[before]
        skipped = self._tokens[before + 1 : place]
        if last.clause == own.clause:
            if skipped and skipped[0].tight and skipped[0].text in HAN_KIN:
                return False
            if self._ops and any(t.kind == "op" for t in skipped):
                return False
            if skipped and not _hangs(skipped, own):
                return False
            # Of two numbers only the preposition tells which is meant: "from 3 to 5".
            rivals = [t for t in skipped if t.kind == "number"]
            if own.kind == "number" and any(t.binder == own.binder for t in rivals):
                return False
            if own.name and any(t.name for t in skipped):
                return False
            if last.kind == "number" and skipped and skipped[0].tight and not last.time:
                return False
            # What is owned goes with its owner: not "Ruth lives" of "Ruth's sister lives".
            if last.owner and not self._part[count - 1].owner:
                return not skipped
            return not (last.owner and len(skipped) > 2)
        if own.kind == "link" and own.clause != last.clause + 1:
            return False
        if own.joint == "who" and self._tokens[before + 1].clause != own.clause:
            return False  # what it speaks of was left out
        if not self._may_enter(place, count):
            return False
        # Behind "and" a negation before it still holds.
        return self._may_leave(before, joined, ops=own.joint == "and")

    def _may_enter(self, place: int, count: int) -> bool:
        """Whether a clause may be entered here: what goes before says only when or who."""
        own, written = self._tokens[place], self._part[count]
        start = self._starts[bisect_right(self._starts, place) - 1]
        skipped = self._tokens[start:place]
        if any(t.kind == "op" for t in skipped) and self._ops:
            return False
        heavy = [t for t in skipped if t.kind in ("word", "number") and not t.time]
        if heavy:
            # "The new boiler" may become "the boiler", "her brother Arun" Arun.
            lead = heavy[0]
            if len(heavy) > 1 or not own.tight or lead.name or lead.owner or lead.kind == "number":
                return False
            if lead.text in HAN_KIN and skipped[0].kind == "pronoun":
                return True
            if not (lead.article and (own.name or written.article)):
                return False
        pronouns = [t for t in skipped if t.kind == "pronoun" and not t.owner]
        if pronouns and (count or self._part[0] is not self._whole[0]):
            return self._same_subject(pronouns[0], start + skipped.index(pronouns[0]))
        return True

    def _same_subject(self, pronoun: Token, place: int) -> bool:
        """Whether a pronoun that is left out means the subject of the written sentence."""
        lead = self._whole[0]
        if lead.kind == "pronoun":
            return lead.text == pronoun.text
        return any(
            self._may_mean(self._whole[:length], place, owned=False)
            for length in range(1, 5)
            if len(self._whole) > length
        )

    def _same_binder(self, before: int, place: int, written: Token) -> bool:
        own = self._tokens[place]
        far = own.binder
        at = place
        while at - 1 > before and self._leans(at):
            at -= 1
            far = self._tokens[at].binder or far
        if written.binder == far or (
            own.text and not own.text.isascii() and written.binder == own.binder
        ):
            return True
        return own.time and not written.binder and far in listed("gate_droppable")

    def _same_tense(self, before: int, place: int, written: Token) -> bool:
        """Whether it is told of the same time, and as done or suffered: not "has" of "had"."""
        own = self._tokens[place]
        if not self._ops or own.kind != written.kind:
            return True  # a name for a pronoun
        helper = own.helper
        if written.helper and not helper:  # "was on Monday replaced"
            helper = next((t.helper for t in self._tokens[place - 1 : before : -1] if t.helper), "")
        if own.text.isascii():
            return (written.helper, written.ending) == (helper, own.ending)
        # 都, 又, 了 may be left out, not added.
        return set(written.helper) <= set(helper) and written.ending in ("", own.ending)

    def _leans(self, place: int) -> bool:
        """Whether a preposition in front of the word before would be this word's without it."""
        last = self._tokens[place - 1]
        return self._tokens[place].tight or (last.kind == "pronoun" and last.owner)

    def _may_leave(self, place: int, joined: bool, *, ops: bool = True) -> bool:
        """Whether the rest of a clause may be left out behind this word."""
        last = self._tokens[place]
        rest = [t for t in self._tokens[place + 1 :] if t.clause == last.clause]
        if not rest:
            return True
        if last.owner or rest[0].text in HAN_KIN:
            return False
        if ops and self._ops and any(t.kind == "op" for t in rest):
            return False
        if last.kind == "number" and rest[0].tight and not last.time:
            return False
        # The subject of a clause must not become the object of the one before it.
        return not joined or bool(rest[0].binder) or rest[0].time

    def _may_mean(self, span: Sequence[Token], place: int, *, owned: bool = True) -> bool:
        """Whether these written words may stand for the pronoun at `place`."""
        pronoun = self._tokens[place]
        name = tuple(t.text for t in span)
        if any(t.kind not in ("word", "number") for t in span):
            return False
        if owned and pronoun.owner != span[-1].owner and pronoun.text != "she":
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
        if not any(self._begins(tokens, name) for tokens in subjects):
            return False
        if pronoun.text in ("it", "they"):
            return True
        if name[0].isascii() and not all(t.name for t in span[1:]):
            return False
        persons = {
            other for tokens in [*(s.tokens for s in before), self._tokens[:place]]
            for other in _persons(tokens)
        }  # fmt: skip
        self._source.steps -= sum(len(s.tokens) for s in before)
        return all(other in name for other in persons)

    @staticmethod
    def _begins(tokens: Sequence[Token], name: tuple[str, ...]) -> bool:
        first = next((n for n, t in enumerate(tokens) if not t.time), 0)
        lead = tokens[first : first + len(name)]
        return tuple(t.text for t in lead) == name and lead[0].clause == lead[-1].clause


def _hangs(skipped: Sequence[Token], own: Token) -> bool:
    """Whether what is left out within a clause, before `own`, hangs on what is kept.

    A time or a name may go, and what a preposition, an article or a number holds.  Any other word
    may be the verb, and say the contrary: "stops paying", "considers moving", 停止赔付.
    """
    held = False
    for before, token in pairwise([None, *skipped]):
        assert token is not None
        if token.binder in listed("gate_turning"):
            return False
        free = token.time or token.name or token.kind == "pronoun"
        if token.binder or token.article or token.kind in ("number", "op"):
            held = True
        elif not free and not (held and before and (token.tight or before.owner)):
            return False
    if own.binder or own.kind == "op":
        return True
    if any(t.binder == "to" and t.kind == "word" and not (t.article or t.name) for t in skipped):
        return False  # "to stop taking"
    last = skipped[-1]
    if last.binder or last.article or last.time or last.name or last.owner:
        return True
    # What was held may have ended in a verb: "from Volta declined the offer", 在银行退了票.
    return not own.article if own.text.isascii() else own.tight or bool(own.helper)


def _persons(tokens: Sequence[Token]) -> Iterator[str]:
    """The words that look like names, but not of places."""
    for before, token in pairwise([None, *tokens]):
        if token is None or not token.name or token.binder in listed("gate_where"):
            continue
        if (
            before is None
            or before.text not in listed("gate_moving")
            or token.binder not in listed("gate_aims")
        ):
            yield token.text
