"""Excerpts: of a memory that does not fit, as much as does, about what is sought."""

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
    """As much of a memory as `budget` tokens hold, with "…" for the rest: the sentence that holds
    most of what is sought, of a longer one the line or clause; then what stands behind that, and
    then what stands before it. None if that is nothing."""
    told = _Excerpt(memory, budget, count, layout).made()
    return _saying(memory, told) if told else None


def shortest(memory: Node, layout: Layout) -> Node:
    """The phrase of a memory, with "…" for the rest; all of it if what limits that would be left
    out."""
    told = marked(memory.phrase, memory.text, layout.limits)
    return _saying(memory, told) if told else memory


def _saying(memory: Node, told: str) -> Node:
    return replace(memory, text=told, form=Form.SHORTER, sentences=())


class _Excerpt:
    """A part of a memory that grows from where it holds most of what is sought."""

    def __init__(self, memory: Node, budget: int, count: TokenCounter, layout: Layout) -> None:
        self._memory = memory
        self._budget = budget
        self._count = count
        self._layout = layout
        self._sought = dict(layout.sought)
        self._text = "".join(memory.sentences)

    def made(self) -> str:
        """What is told; "" if nothing is."""
        if not self._memory.sentences:
            return ""
        before, here, behind = self._parted(_spans(self._memory.sentences, 0))
        while (told := self._told(here)) is None:
            if not (smaller := self._lines(here, 1) or self._clauses(here)):
                return ""
            ahead, here, over = self._parted(smaller)
            before, behind = [*before, *ahead], [*behind, *over]
        start, stop = here
        for ahead, step in ((behind, -1), (before, 1)):
            while ahead:
                part = ahead.pop()
                grown = min(start, part[0]), max(stop, part[1])
                if not self._is_fence(part) and (more := self._told(grown)) is not None:
                    (start, stop), told = grown, more or told
                elif lines := self._lines(part, _WRAPPED):
                    ahead += lines[::step]
                else:
                    break
        return told

    def _parted(self, parts: list[_Span]) -> tuple[list[_Span], _Span, list[_Span]]:
        """What stands before the part that holds most of what is sought, that part, and what stands
        behind it, the last one first. A word counts less the more parts hold it."""
        held = [self._held(part) for part in parts]
        parts_with = Counter(word for each in held for word in each)
        worth = [sum(self._sought[word] / parts_with[word] for word in each) for each in held]
        told = [at for at, part in enumerate(parts) if not self._is_fence(part)]
        at = max(told or range(len(parts)), key=worth.__getitem__)
        return parts[:at], parts[at], parts[:at:-1]

    def _held(self, part: _Span) -> set[str]:
        """What a part holds of what is sought."""
        said = self._text[slice(*part)]
        han = () if said.isascii() else (character for character in said if character >= "\u2e80")
        return self._sought.keys() & {*words(said), *han}

    def _told(self, part: _Span) -> str | None:
        """What is told of a part: "" if what limits it would be left out, None if it is too
        long."""
        told = marked(self._text[slice(*part)], self._text, self._layout.limits, part[0])
        passage = Passage.of(replace(self._memory, text=told), self._layout)
        return told if not told or passage.need(self._count) <= self._budget else None

    def _lines(self, part: _Span, most: int) -> list[_Span]:
        """The lines of a part that has more than so many."""
        lines = self._text[slice(*part)].splitlines(keepends=True)
        return _spans(lines, part[0]) if len(lines) > most else []

    def _clauses(self, part: _Span) -> list[_Span]:
        """The clauses of a part of several that holds something of what is sought."""
        if not self._held(part):
            return []
        found = clauses(self._text[slice(*part)], self._layout.limits)
        begun = [part[0] + start for start, _ in found]
        return [*zip(begun, [*begun[1:], part[1]], strict=True)] if len(begun) > 1 else []

    def _is_fence(self, part: _Span) -> bool:
        """Whether a part is the line that opens or closes a fenced block, which is told with all of
        the block or not at all."""
        return _FENCE.fullmatch(self._text, *part) is not None


def _spans(parts: Sequence[str], start: int) -> list[_Span]:
    """Where parts that stand one behind the other begin and end."""
    found: list[_Span] = []
    for part in parts:
        found.append((start, start + len(part)))
        start += len(part)
    return found
