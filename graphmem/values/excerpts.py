"""Excerpts: the part of a memory that fits into a budget and holds most of the sought words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from graphmem.values.nodes import Form, Node
from graphmem.values.rendering import Layout, Passage, TokenCounter
from graphmem.values.shortening import clauses, marked
from graphmem_worker.text.words import words

_FENCE: Final = re.compile(r"\s*(?:`{3}|~{3}).*\s*")
_WRAPPED: Final = 4  # lines that a sentence of prose may have; one of more is a log, or code
_Span: TypeAlias = tuple[int, int]


def excerpt(memory: Node, budget: int, count: TokenCounter, layout: Layout) -> Node | None:
    """The memory cut to `budget` tokens, with "…" for the rest: the sentence with most of the
    sought words, or a line or clause of it, then what follows and precedes. None if none fits."""
    text = _Excerpt(memory, budget, count, layout).text()
    return _with_text(memory, text) if text else None


def shortest(memory: Node, layout: Layout) -> Node:
    """The memory cut to its phrase, with "…" for the rest; unchanged if that would mislead."""
    text = marked(memory.phrase, memory.text, layout.limits)
    return _with_text(memory, text) if text else memory


def _with_text(memory: Node, text: str) -> Node:
    return replace(memory, text=text, form=Form.SHORTER, sentences=())


class _Excerpt:
    """A span of a memory's text that grows from the part with most of the sought words."""

    def __init__(self, memory: Node, budget: int, count: TokenCounter, layout: Layout) -> None:
        self._memory = memory
        self._budget = budget
        self._count = count
        self._layout = layout
        self._sought = dict(layout.sought)
        self._text = "".join(memory.sentences)

    def text(self) -> str:
        """The excerpt; "" if nothing fits."""
        if not self._memory.sentences:
            return ""
        before, best, behind = self._split(_spans(self._memory.sentences, 0))
        while (text := self._fitting(best)) is None:
            if not (smaller := self._lines(best, 1) or self._clauses(best)):
                return ""
            preceding, best, following = self._split(smaller)
            before, behind = [*before, *preceding], [*behind, *following]
        start, stop = best
        for waiting, step in ((behind, -1), (before, 1)):
            while waiting:
                part = waiting.pop()
                grown = min(start, part[0]), max(stop, part[1])
                if not self._is_fence(part) and (longer := self._fitting(grown)) is not None:
                    (start, stop), text = grown, longer or text
                elif lines := self._lines(part, _WRAPPED):
                    waiting += lines[::step]
                else:
                    break
        return text

    def _split(self, parts: list[_Span]) -> tuple[list[_Span], _Span, list[_Span]]:
        """The parts before the one with most of the sought words, that one, and those behind it,
        the last one first. A word counts less the more parts hold it."""
        found = [self._sought_in(part) for part in parts]
        parts_with = Counter(word for each in found for word in each)
        worth = [sum(self._sought[word] / parts_with[word] for word in each) for each in found]
        texts = [at for at, part in enumerate(parts) if not self._is_fence(part)]
        at = max(texts or range(len(parts)), key=worth.__getitem__)
        return parts[:at], parts[at], parts[:at:-1]

    def _sought_in(self, part: _Span) -> set[str]:
        """The sought words that a part holds."""
        text = self._text[slice(*part)]
        han = () if text.isascii() else (character for character in text if character >= "\u2e80")
        return self._sought.keys() & {*words(text), *han}

    def _fitting(self, part: _Span) -> str | None:
        """A part with its marks; "" if a limit of it would be left out, None if it is too long."""
        text = marked(self._text[slice(*part)], self._text, self._layout.limits, part[0])
        passage = Passage.of(replace(self._memory, text=text), self._layout)
        return text if not text or passage.need(self._count) <= self._budget else None

    def _lines(self, part: _Span, most: int) -> list[_Span]:
        """The lines of a part; none if it has at most `most`."""
        lines = self._text[slice(*part)].splitlines(keepends=True)
        return _spans(lines, part[0]) if len(lines) > most else []

    def _clauses(self, part: _Span) -> list[_Span]:
        """The clauses of a part, if it has several and holds a sought word."""
        if not self._sought_in(part):
            return []
        found = clauses(self._text[slice(*part)], self._layout.limits)
        begun = [part[0] + start for start, _ in found]
        return [*zip(begun, [*begun[1:], part[1]], strict=True)] if len(begun) > 1 else []

    def _is_fence(self, part: _Span) -> bool:
        """Whether a part opens or closes a fenced block, and so is shown with all of it or not."""
        return _FENCE.fullmatch(self._text, *part) is not None


def _spans(parts: Sequence[str], start: int) -> list[_Span]:
    found: list[_Span] = []
    for part in parts:
        found.append((start, start + len(part)))
        start += len(part)
    return found
