"""What settles something, by classes of words rather than by their order.

`settling_words` has the classes: words of agreement and commitment, acts by which a decision is
carried out, who decides, when it begins, what is excluded; and wishes, guesses, conditions,
suggestions, habits, courtesies, stories. Each that a sentence has, and its shape, adds to its score
or takes from it, certain pairs more; from a score on the sentence settles something.
"""

# ruff: noqa: E501 (a pattern is read best in one line)
from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from graphmem_worker.text.lexicon import Lexicon
from graphmem_worker.text.patterns import late
from graphmem_worker.text.settling_words import (
    CHINESE,
    ENGLISH,
    ENOUGH,
    PATTERNS,
    TOGETHER,
    WEIGHTS,
)
from graphmem_worker.text.weighing import Weights

_LEXICON: Final = Lexicon(ENGLISH, CHINESE)
_OPENS: Final = ("agree", "we", "i", "act", "lets", "past")
_SHAPES: Final = (
    ("asks", late(r"[?？]")),
    # "If we win", 要是赢了
    ("if", late(r"^(?:if|unless|when|whenever|suppose)\b|^(?:如果|要是|假如|万一|一旦)", re.I)),
    ("shouts", late(r"[!！]")),
    ("clauses", late(r"[,，;；:：—]")),
    ("numbers", late(r"\d|[一二三四五六七八九十两]")),
    # "We're selling it", "The choir is dropping it".
    ("going", late(r"(?:['’](?:re|m|s)|\b(?:are|am|is)) (?:not |now |also |just |both |all |being )?\w+ing\b")),
    # "I've booked it"
    ("has done", late(r"(?:['’](?:ve|s)|\b(?:have|has)) (?:just |now |finally |already |both |all |not )?(?:\w+ed|\w+en|put|set|gone|got|taken|bought|sold|made|left|cut|quit|told|said)\b")),
    ("it is", late(r"\b(?:it is|it's|that's)(?: then)?(?=[.!,;]|$)")),
    # "Rosa does the cake", "My brother takes over the lease"
    ("does", late(r"^(?:[A-Z][\w'’]+|(?:[Tt]he|[Oo]ur|[Mm]y) \w+(?: \w+)?)(?: and \w+)? (?!(?:is|was|has|does|this|us|as)\b)\w+s\b")),
    ("named", late(r"(?<=[a-z,;:] )[A-Z][a-z]{2,}|[小老阿][\u4e00-\u9fff]")),
    ("就", late(r"(?:^|[，：；那])[^，]{0,4}就")),
    ("了", late(r"了(?=[，。！；]|$)")),
    ("吧", late(r"吧(?=[，。！；]|$)")),
)  # fmt: skip
_LONG: Final = 16  # words; of Chinese, characters divided by 1.6
_SHORT: Final = 7
_NAMES: Final = (
    *_LEXICON.bits,
    *(f"opens {name}" for name in _OPENS),
    *(name for name, _ in _SHAPES),
    *("long", "short", "chinese", "any pattern"),
    *PATTERNS,
)
_WEIGHTS: Final = Weights(_NAMES, WEIGHTS, TOGETHER, ENOUGH)
_BITS: Final = _WEIGHTS.bits


def surplus(sentence: str, met: Iterable[str]) -> int:
    """By how much, in hundredths of a nat, a sentence of bounded length is above what settles
    something. met: those of `PATTERNS` that it has."""
    return _WEIGHTS.surplus(features(sentence, met))


def features(sentence: str, met: Iterable[str]) -> int:
    """The features of a sentence, as bits. met: as in `surplus`."""
    found, opening, words, characters = _LEXICON.read(sentence)
    for name in _OPENS:
        if opening & _BITS[name]:
            found |= _BITS[f"opens {name}"]
    for name, pattern in _SHAPES:
        if pattern.search(sentence):
            found |= _BITS[name]
    length = words + characters / 1.6
    if length > _LONG:
        found |= _BITS["long"]
    elif length < _SHORT:
        found |= _BITS["short"]
    if characters:
        found |= _BITS["chinese"]
    for name in met:
        found |= _BITS[name]
        if name != "unreal pattern":
            found |= _BITS["any pattern"]
    return found
