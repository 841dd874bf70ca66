# ruff: noqa: E501 (a pattern is read best in one line)
"""Which of two clauses that stand side by side gives the reason of the other, without a word for it.

"We sold the caravan, it had stood in the yard for years", 膝盖不行了，我就不跑步了. `explaining_words`
has classes of words: what is missing, too much, broken, expensive, ill, better; and what is done
because of it. Each that one of the clauses has adds to a score or takes from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from graphmem_worker.text.explaining_words import (
    CHINESE,
    ENGLISH,
    FIRST,
    FIRST_ENOUGH,
    FIRST_TOGETHER,
    SECOND,
    SECOND_ENOUGH,
    SECOND_TOGETHER,
)
from graphmem_worker.text.lexicon import Lexicon
from graphmem_worker.text.patterns import late
from graphmem_worker.text.weighing import Weights

LONGEST: Final = 200
"""Characters of a clause that is looked at."""

_LEXICON: Final = Lexicon(ENGLISH, CHINESE)
_BREAK: Final = late(r",(?!\d)|[:：](?!\d)|[，;；—–]| - |[.!?](?=\s|$)|[。！？\n]")
_SUBJECT: Final = late(
    r"(?:The|the|My|my|Our|our|His|his|Her|her|Their|their|Mine|mine|It|it|They|they|There|there|He|he|She|she|Nobody|nobody|No|no|Not|not|Neither|neither|None|none|Half|half|Most|most|That|that|This|this|At|at|All|all|Every|every|Each|each|You|you|I|We|we)\b"
)
_COUNTED: Final = late(r"\d|[一二三四五六七八九十两]+[点号块万]")
_STOPS: Final = {**dict.fromkeys(".!。！\n", "stop"), **dict.fromkeys(",，", "comma"), **dict.fromkeys(";；", "semicolon"), **dict.fromkeys(":：", "colon"), **dict.fromkeys("—–-", "dash"), **dict.fromkeys("?？", "asks")}  # fmt: skip
_LONG: Final = 8  # words; of Chinese, characters divided by 1.6
_SHORT: Final = 3.5
_NAMES: Final = (
    *(f"{side} {name}" for side in ("A", "B", "B opens") for name in _LEXICON.bits),
    *(f"{side} {name}" for side in "AB" for name in ("long", "short", "counts", "settles", "nearly settles", "decided", "asks", "了")),
    *dict.fromkeys(_STOPS.values()),
    *("B subject", "B capital", "first", "last", "chinese"),
)  # fmt: skip
_SECOND: Final = Weights(_NAMES, SECOND, SECOND_TOGETHER, SECOND_ENOUGH)
_FIRST: Final = Weights(_NAMES, FIRST, FIRST_TOGETHER, FIRST_ENOUGH)
_BIT: Final = _SECOND.bits
_FIRST_CLASS: Final = next(iter(_LEXICON.bits))  # the classes of a side follow its bit, in order
_NEARLY: Final = -150  # the surplus of a clause that nearly settles something


class Clause(NamedTuple):
    """A clause: `text[start:end]`, and the mark behind it, "" at the end of the text."""

    start: int
    end: int
    mark: str


def clauses(text: str) -> list[Clause]:
    """The clauses of a text, without the white space around them."""
    found: list[Clause] = []
    begin = 0
    for start, end in (*(mark.span() for mark in _BREAK.finditer(text)), (len(text),) * 2):
        said = text[begin:start]
        if len(bare := said.strip()) > 1:
            first = begin + said.index(bare)
            found.append(Clause(first, first + len(bare), text[start:end].strip(" ") or "\n"))
        begin = end
    return found


def explains(features: int) -> Literal["first", "second"] | None:
    """Which of two clauses gives the reason of the other. features: of both, by `between`."""
    if _SECOND.surplus(features) > 0:
        return "second"
    return "first" if _FIRST.surplus(features) > 0 else None


class Settled(NamedTuple):
    """How much a clause settles: the surplus of its own words, in hundredths of a nat, and whether
    it is of a sentence that decides something."""

    surplus: int
    is_decided: bool


def between(text: str, told: Sequence[Clause], place: int, settled: tuple[Settled, Settled]) -> int:
    """The features of a clause of a text and of the next one, as bits. settled: of each."""
    found = 0
    one, other = told[place], told[place + 1]
    for side, clause, own in (("A", one, settled[0]), ("B", other, settled[1])):
        said = text[clause.start : clause.end]
        read = _LEXICON.read(said)
        found |= read.classes * _BIT[f"{side} {_FIRST_CLASS}"]
        length = read.words + read.characters / 1.6
        for name, is_so in (
            ("long", length > _LONG),
            ("short", length < _SHORT),
            ("counts", _COUNTED.search(said) is not None),
            ("settles", own.surplus > 0),
            ("nearly settles", own.surplus > _NEARLY),
            ("decided", own.is_decided),
            ("asks", clause.mark in ("?", "？")),
            ("了", said.endswith("了")),
        ):
            if is_so:
                found |= _BIT[f"{side} {name}"]
        if side == "B":
            found |= read.opening * _BIT[f"B opens {_FIRST_CLASS}"]
            for name, is_so in (
                ("B subject", _SUBJECT.match(said) is not None),
                ("B capital", said[0].isupper()),
                ("chinese", read.characters > 0),
            ):
                if is_so:
                    found |= _BIT[name]
    found |= _BIT[_STOPS.get(one.mark, "stop")]
    if not place:
        found |= _BIT["first"]
    if place + 2 == len(told):
        found |= _BIT["last"]
    return found
