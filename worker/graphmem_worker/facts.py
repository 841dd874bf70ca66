"""Facts of a turn, which survive when the turn leaves a working set: exact quotations, by kind.

Decisions, reasons and open questions are quoted as clauses, names and numbers literally. There is
no generative model; nothing is rephrased, so nothing can be invented.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final, Literal

from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.explaining import clauses, explaining, sums
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import SPACES

FactKind = Literal["decision", "reason", "question", "name", "number"]

LONGEST: Final = 20_000
"""A turn is read up to this many characters."""

_MOST_OF_A_KIND: Final = 40


@dataclass(frozen=True, slots=True)
class Fact:
    """A quotation: `text[start:end]` of the turn, character by character."""

    kind: FactKind
    start: int
    end: int


_END: Final = re.compile(r"[。！？!?]{1,8}[\"'”’」』）)]{0,2}|\.(?=\s|$)|\n")
_TABLE: Final = "facts"
_LONGEST_SENTENCE: Final = 600
_NEXT: Final = 24  # characters behind a name that are read
_QUESTION: Final = re.compile(r"[?？]\s{0,2}[\"'”’」』）)]{0,2}\s{0,2}$")
_CLOSE: Final = re.compile(r"[.;。；！？!?\n]|$")
_NAME: Final = late(
    lambda: (
        rf"[\w./~-]{{0,60}}[\w-]\.(?:{either(ordered('file_endings'))})\b"
        r"|https?://[^\s<>\"'，。]{3,200}|\b[A-Z]{2,8}-\d{1,6}\b"
        r"|\b[a-z]{2,20}(?:_[a-z0-9]{1,20}){1,5}\b|\b[A-Z][A-Z0-9]{1,15}(?:_[A-Z0-9]{1,20}){1,5}\b"
        rf"|\b[A-Z][\w'’&+#-]{{0,24}}(?: (?:(?:{either(ordered('name_parts'))}) )?"
        r"[A-Z][\w'’&+#-]{1,24}){0,3}"
        r"|《[^》\n]{1,40}》|“[^”\n]{2,24}”|`[^`\n]{1,80}`"
    )
)


def facts(text: str) -> tuple[Fact, ...]:
    """The facts of a turn, in its order. Spans of one kind do not overlap."""
    turn = simplified(text[:LONGEST])
    found: list[Fact] = []
    found += _clause_facts(turn)
    found += _explanations(turn, found)
    found += islice(_names(turn), _MOST_OF_A_KIND)
    numbers = (
        Fact("number", *match.span())
        for match in sayings(_TABLE, "number").finditer(folded(turn))
        if match[0] not in listed("no_numbers")
    )
    found += islice(numbers, _MOST_OF_A_KIND)
    return tuple(sorted(set(found), key=lambda f: (f.start, f.end, f.kind)))


def decides(text: str) -> bool:
    """Whether one of the facts of a turn is a decision. Names and numbers are not searched for."""
    return any(fact.kind == "decision" for fact in _clause_facts(text[:LONGEST]))


def surely_decides(text: str) -> bool:
    """Whether a sentence of a turn is a decision with a sum that small talk hardly has."""
    turn = text[:LONGEST]
    return decides(turn) and any(
        sums(turn[start:end]).decision >= _SURELY for start, end in _sentences(turn)
    )


_SURELY: Final = 1.2  # minimum sum, in nats


def _clause_facts(text: str) -> Iterator[Fact]:
    """The decisions, reasons with a word for one, and open questions of a turn. Single words
    ("Signed", "was") are none."""
    for start, end in _sentences(text):
        for fact in _sentence_facts(text, start, end):
            if len(_WORDS.findall(text, fact.start, fact.end)) >= _LEAST_QUOTED:
                yield fact


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for close in (*(found.end() for found in _END.finditer(text)), len(text)):
        start, end = _trimmed(text, begin, close)
        begin = close
        if 2 <= end - start <= _LONGEST_SENTENCE:
            yield start, end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without white space around it and list marks before it."""
    return _stripped(text, start, end, f"{SPACES}-*•·>", SPACES)


def _stripped(text: str, start: int, end: int, before: str, behind: str) -> tuple[int, int]:
    start = end - len(text[start:end].lstrip(before))
    return start, start + len(text[start:end].rstrip(behind))


def _sentence_facts(text: str, start: int, end: int) -> Iterator[Fact]:
    sentence = text[start:end]
    lower = folded(sentence)
    if _QUESTION.search(lower) or sayings(_TABLE, "asks").is_in(lower):
        if not sayings(_TABLE, "courtesy").is_in(lower):
            yield Fact("question", *_trimmed(text, start, end))
        return
    reason = sayings(_TABLE, "reason").search(lower)
    hence = None if reason is not None else sayings(_TABLE, "hence").search(lower)
    # A decision is a clause without its reason, before the word for one or after it.
    pieces: list[tuple[int, int]] = []
    if reason is not None:
        pieces = [(0, reason.start()), (_after_reason(lower, reason.end()), len(sentence))]
    elif hence is not None:
        pieces = [(hence.end(), len(sentence))]
    pieces = [part for part in pieces if _is_legible(sentence[slice(*part)])]
    begin, close = 0, len(sentence)
    if pieces:
        begin, close = max(pieces, key=lambda piece: sums(sentence[slice(*piece)]).decision)
    is_decision = sums(sentence).decision >= 0
    if is_decision:
        yield Fact("decision", *_bare(text, start + begin, start + close))
    if reason is not None:
        last = _reason_end(lower, reason.end())[0]
        if is_decision and begin > reason.end():
            last = min(last, begin)
        opening = reason.start() if sayings(_TABLE, "avoiding").match(reason[0]) else reason.end()
        yield Fact("reason", *_bare(text, start + opening, start + max(opening, last)))
    elif hence is not None and _is_legible(sentence[: hence.start()]):
        yield Fact("reason", *_bare(text, start, start + hence.start()))


def _after_reason(sentence: str, reason: int) -> int:
    """Where the clause after a reason begins, which itself begins at `reason`."""
    comma = _COMMA.search(sentence, reason)
    return comma.end() if comma else _reason_end(sentence, reason)[1]


def _reason_end(folded_sentence: str, start: int) -> tuple[int, int]:
    """The span of the sign or words that end a reason."""
    ends = [_CLOSE.search(folded_sentence, start)]
    ends += islice(sayings(_TABLE, "reason ends").finditer(folded_sentence, start), 1)
    return min(found.span() for found in ends if found is not None)


def _is_legible(clause: str) -> bool:
    """Whether a clause has enough words to be read alone, unlike "So" and 那么."""
    return len(_WORDS.findall(clause)) >= _LEAST_WORDS


def _explanations(text: str, known: Sequence[Fact]) -> Iterator[Fact]:
    """Clauses of one or two sentences that give a reason without a word for one. known: the facts
    found before."""
    taken = [(fact.start, fact.end) for fact in known if fact.kind in ("reason", "question")]
    spans = list(_sentences(text))
    free = {span for span in spans if not _overlaps(span, taken)}
    alone = {span for span in free if _has_reason(text[slice(*span)])}
    units: list[tuple[tuple[int, int], ...]] = [(span,) for span in sorted(alone)]
    units += [pair for pair in pairwise(spans) if alone.isdisjoint(pair) and free.issuperset(pair)]
    for unit in units:
        start, end = unit[0][0], unit[-1][1]
        quote = text[start:end]
        if sums(quote).reason < 0 or _overlaps((start, end), taken):
            continue
        first, last = explaining(quote, clauses(quote))
        taken.append((start + first, start + last))
        yield Fact("reason", *_bare(text, *taken[-1]))


def _has_reason(sentence: str) -> bool:
    """Whether a sentence gives a reason. A decision of one clause does not."""
    judged = sums(sentence)
    return judged.reason >= 0 and (judged.decision < 0 or len(clauses(sentence)) > 1)


def _overlaps(span: tuple[int, int], spans: Sequence[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in spans)


_COMMA: Final = re.compile("[,，；;:：]")
_WORDS: Final = re.compile(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff](?:['’]?[^\W\u4e00-\u9fff])*")
_LEAST_WORDS: Final = 3
_LEAST_QUOTED: Final = 2


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without spaces, list marks and the punctuation that ends a clause."""
    return _stripped(text, *_trimmed(text, start, end), ",，：:; ", ".。,，;；:： !！(（-—")


def _names(text: str) -> Iterator[Fact]:
    for found in _NAME.finditer(text):
        start, end = found.span()
        # Every first word of a sentence is capitalised.
        while start < end:
            word = re.match(r"[\w'’&+#-]+", text[start:end])
            if word is None or word[0].lower() not in listed("sentence_words"):
                break
            start, end = _trimmed(text, start + word.end(), end)
        if end - start < 2 or sayings(_TABLE, "no name").is_whole(folded(text[start:end])):
            continue
        before = text[:start].rstrip(" \"'“(-*•")
        opens = start == 0 or before.endswith((".", "!", "?", "\n", "。", ":"))
        if (
            opens
            and re.fullmatch(r"[A-Z][a-z]{1,24}", text[start:end])
            and not sayings(_TABLE, "acts").match(folded(text[end : end + _NEXT]))
        ):
            continue
        yield Fact("name", start, end)
    for found in sayings(_TABLE, "name").finditer(folded(text)):
        yield Fact("name", *_trimmed(text, *found.span()))
