"""What of a turn must survive when the turn leaves a working set: where it stands, by kind.

Sentences that decide, give a reason or leave a question open; names and numbers. Without a model:
nothing is rephrased, so nothing can be invented.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final, Literal

from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.explaining import gives_reason, told
from graphmem_worker.text.patterns import late

FactKind = Literal["decision", "reason", "question", "name", "number"]

LONGEST: Final = 20_000
"""A turn is read up to this many characters."""

_MOST_OF_A_KIND: Final = 40


@dataclass(frozen=True, slots=True)
class Fact:
    """A quotation: `text[start:end]` of the turn, character by character: a sentence, or a name or
    number as it stands."""

    kind: FactKind
    start: int
    end: int


_END: Final = re.compile(r"[。！？!?]{1,8}[\"'”’」』）)]{0,2}|\.(?=\s|$)|\n")
_TABLE: Final = "facts"
_LONGEST_SENTENCE: Final = 600
_NEXT: Final = 24  # characters behind a name that are looked at
_QUESTION: Final = re.compile(r"[?？]\s{0,2}[\"'”’」』）)]{0,2}\s{0,2}$")
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
    """The facts of a turn, in its order."""
    turn = text[:LONGEST]
    numbers = (
        Fact("number", *found.span())
        for found in sayings(_TABLE, "number").finditer(folded(turn))
        if found[0] not in listed("no_numbers")
    )
    found = {*_said(turn), *_first(_names(turn)), *_first(numbers)}
    return tuple(sorted(found, key=lambda fact: (fact.start, fact.end, fact.kind)))


def _first(found: Iterable[Fact]) -> Iterator[Fact]:
    return islice(found, _MOST_OF_A_KIND)


def decides(text: str) -> bool:
    """Whether one of the facts of a turn is a decision; names and numbers are not looked for."""
    return _decides(text, 0.0)


def surely_decides(text: str) -> bool:
    """Whether a sentence of a turn decides, far from small talk that sounds alike."""
    return _decides(text, _SURELY)


_SURELY: Final = 1.2  # nats above the least sum


def _decides(text: str, least: float) -> bool:
    turn = text[:LONGEST]
    return any(
        fact.kind == "decision" and told(turn[fact.start : fact.end]).decision >= least
        for fact in _said(turn)
    )


def _said(text: str) -> Iterator[Fact]:
    """The sentences of a turn that decide, tell why or leave a question open. A reason may take a
    sentence and the next one to be told; of these it is the likelier. A lone word is none of it."""
    spans = [span for span in _sentences(text) if len(_WORDS.findall(text, *span)) > 1]
    free = set(spans)
    for start, end in spans:
        said = folded(text[start:end])
        if _QUESTION.search(said) or sayings(_TABLE, "asks").is_in(said):
            free.remove((start, end))
            if not sayings(_TABLE, "courtesy").is_in(said):
                yield Fact("question", start, end)
            continue
        if told(text[start:end]).decision >= 0:
            yield Fact("decision", start, end)
        if sayings(_TABLE, "reason").is_in(said) or gives_reason(text[start:end]):
            free.remove((start, end))
            yield Fact("reason", start, end)
    for pair in pairwise(spans):
        if free.issuperset(pair) and told(text[pair[0][0] : pair[1][1]]).reason >= 0:
            free.difference_update(pair)
            yield Fact("reason", *max(pair, key=lambda span: told(text[slice(*span)]).why))


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for close in (*(found.end() for found in _END.finditer(text)), len(text)):
        start, end = _trimmed(text, begin, close)
        begin = close
        if 2 <= end - start <= _LONGEST_SENTENCE:
            yield start, end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and (text[start].isspace() or text[start] in "-*•·>"):
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


_WORDS: Final = re.compile(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff](?:['’]?[^\W\u4e00-\u9fff])*")


def _names(text: str) -> Iterator[Fact]:
    for found in _NAME.finditer(text):
        start, end = found.span()
        # A sentence's first word is capitalised whatever it is.
        while start < end:
            word = re.match(r"[\w'’&+#-]+", text[start:end])
            if word is None or word[0].lower() not in listed("sentence_words"):
                break
            start, end = _trimmed(text, start + word.end(), end)
        if end - start < 2 or sayings(_TABLE, "no name").is_whole(folded(text[start:end])):
            continue
        opens = (
            start == 0
            or text[:start].rstrip(" \"'“(-*•").endswith((".", "!", "?", "\n", "。", ":"))
            or not text[:start].strip()
        )
        if (
            opens
            and re.fullmatch(r"[A-Z][a-z]{1,24}", text[start:end])
            and not sayings(_TABLE, "acts").match(folded(text[end : end + _NEXT]))
        ):
            continue
        yield Fact("name", start, end)
    for found in sayings(_TABLE, "name").finditer(folded(text)):
        yield Fact("name", *_trimmed(text, *found.span()))
