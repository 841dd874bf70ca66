# ruff: noqa: E501 (a pattern is read best in one line)
"""Which of two clauses that stand side by side gives the reason of the other, without a word for it.

"We sold the caravan, it had stood in the yard for years", 膝盖不行了，我就不跑步了. `explaining_words`
has classes of words: what is missing, too much, broken, expensive, ill, better; and what is done
because of it. Each that one of the clauses has adds to a score or takes from it, some more beside a
decision, and so do the words of the clause that may give the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from graphmem_worker.text.explaining_words import (
    CHINESE,
    ENGLISH,
    FIRST,
    FIRST_ENOUGH,
    FIRST_TERMS,
    SECOND,
    SECOND_ENOUGH,
    SECOND_TERMS,
)
from graphmem_worker.text.lexicon import Lexicon
from graphmem_worker.text.patterns import late
from graphmem_worker.text.settling import terms

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


class Settled(NamedTuple):
    """How much a clause settles: the surplus of its own words, in hundredths of a nat, and whether
    it is of a sentence that decides something."""

    surplus: int
    is_decided: bool


def explains(
    text: str, told: Sequence[Clause], place: int, settled: tuple[Settled, Settled]
) -> Literal["first", "second"] | None:
    """Which of a clause of a text and the next one gives the reason of the other. settled: of each."""
    second = list(features(text, told, place, settled, second=True))
    said = set(terms(_said(text, told[place + 1])))
    if _sum(SECOND, second) + _sum(SECOND_TERMS, said) > SECOND_ENOUGH:
        return "second"
    first = list(features(text, told, place, settled, second=False))
    said = set(terms(_said(text, told[place])))
    return "first" if _sum(FIRST, first) + _sum(FIRST_TERMS, said) > FIRST_ENOUGH else None


def _sum(weights: Mapping[str, int], names: Iterable[str]) -> int:
    return sum(weights.get(name, 0) for name in names)


def _said(text: str, clause: Clause) -> str:
    return text[clause.start : clause.end]


def features(
    text: str,
    told: Sequence[Clause],
    place: int,
    settled: tuple[Settled, Settled],
    *,
    second: bool,
) -> Iterator[str]:
    """The names of what a clause that may give a reason ("own") and the one beside it ("other")
    have, each once. second: whether it is the second of the two."""
    one, other = told[place], told[place + 1]
    decided = settled[0 if second else 1].is_decided
    for side, clause, its in (
        ("own", other if second else one, settled[second]),
        ("other", one if second else other, settled[not second]),
    ):
        said = _said(text, clause)
        for name in _clause_features(said, clause.mark, its):
            yield f"{side} {name}"
            if decided and side == "own":
                yield f"decided, own {name}"
    yield _STOPS.get(one.mark, "stop")
    if not place:
        yield "first"
    if place + 2 == len(told):
        yield "last"


def _clause_features(said: str, mark: str, settled: Settled) -> Iterator[str]:
    read = _LEXICON.read(said)
    for name, bit in _LEXICON.bits.items():
        if read.classes & bit:
            yield name
        if read.opening & bit:
            yield f"opens {name}"
    length = read.words + read.characters / 1.6
    for name, is_so in (
        ("long", length > _LONG),
        ("short", length < _SHORT),
        ("counts", _COUNTED.search(said) is not None),
        ("settles", settled.surplus > 0),
        ("nearly settles", settled.surplus > _NEARLY),
        ("decided", settled.is_decided),
        ("asks", mark in ("?", "？")),
        ("了", said.endswith("了")),
        ("subject", _SUBJECT.match(said) is not None),
        ("capital", said[0].isupper()),
        ("chinese", read.characters > 0),
    ):
        if is_so:
            yield name
