"""Cutting a document into chunks of whole sentences that overlap.

The borders follow from the text near them alone, so that an edit changes the chunks around it and
leaves those further on as they were.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final
from zlib import crc32

from graphmem_worker.text.sentences import Unit, units_of

SHORTEST: Final = 240
"""Least tokens of a chunk's own text, but for the last one of a document."""
LONGEST: Final = 400
"""Most tokens of a chunk's own text, but for a longer code block or list, which stands alone."""
OVERLAP: Final = 80
"""Most tokens that a chunk repeats of the one before it."""

_PART: Final = 1 << 16  # minimum characters that are cut into sentences at once
_LONGEST_PART: Final = 1 << 20  # characters at which a part ends without a paragraph


def chunks(lines: Iterable[str], count: Callable[[str], int]) -> Iterator[str]:
    """The chunks of a document, plain or Markdown, given in lines or in any other pieces.

    A chunk has 240 to 400 tokens of its own, as `count` counts them, and begins with up to 80 of
    the chunk before, in whole sentences, unless it opens a section. Sentences, headings, and code
    blocks and lists of up to 2,000 characters are never cut. Of the borders within reach, one in
    front of a heading is taken, else one between paragraphs, and never one behind a heading if
    there is another.

    Holds about 1 MB of a document at a time. White space at the ends of a chunk is dropped.
    """
    rest = (unit for part in _parts(lines) for unit in units_of(part))
    ahead: deque[tuple[Unit, int]] = deque()
    tokens = 0
    overlap = ""
    while True:
        while tokens <= LONGEST and (unit := next(rest, None)) is not None:
            ahead.append((unit, count(unit.text)))
            tokens += ahead[-1][1]
        if not ahead:
            return
        border = len(ahead) if tokens <= LONGEST else _border(ahead)
        taken = [ahead.popleft() for _ in range(border)]
        size = sum(length for _, length in taken)
        tokens -= size
        text = "".join(unit.text for unit, _ in taken)
        # A unit that is too long for a chunk gets no overlap.
        whole = (overlap + text if size <= LONGEST else text).strip()
        if whole:
            yield whole
        overlap = "" if not ahead or ahead[0][0].heading else _tail([u for u, _ in taken], count)


def _border(ahead: Sequence[tuple[Unit, int]]) -> int:
    """How many of the units ahead, which are too many for one chunk, become the next one."""
    sizes = list(accumulate(length for _, length in ahead))
    fit = [n for n in range(1, len(ahead)) if sizes[n - 1] <= LONGEST]
    if not fit:
        return 1
    good = [n for n in fit if sizes[n - 1] >= SHORTEST and not ahead[n - 1][0].heading]
    if not good:
        return next((n for n in reversed(fit) if not ahead[n - 1][0].heading), fit[-1])

    def cost(place: int) -> tuple[bool, bool, int]:
        unit = ahead[place][0]
        # Borders of a kind are equally good; the checksum picks the same one after an edit.
        return not unit.heading, not unit.opens, crc32(unit.text.strip().encode())

    return min(good, key=cost)


def _tail(units: Sequence[Unit], count: Callable[[str], int]) -> str:
    """The last whole sentences of a chunk, up to `OVERLAP` tokens."""
    tail = ""
    for piece in (piece for unit in reversed(units) for piece in reversed(unit.pieces)):
        if count(piece + tail) > OVERLAP:
            break
        tail = piece + tail
    return tail


def _parts(lines: Iterable[str]) -> Iterator[str]:
    """A document in parts that end with a paragraph outside code blocks."""
    held: list[str] = []
    size = 0
    code = False
    for line in lines:
        held.append(line)
        size += len(line)
        code ^= line.lstrip().startswith(("```", "~~~"))
        if size >= _LONGEST_PART or (size >= _PART and not code and not line.strip()):
            yield "".join(held)
            held, size = [], 0
    yield "".join(held)
