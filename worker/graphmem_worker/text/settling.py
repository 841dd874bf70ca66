"""What settles something, by classes of words and by the shape of a sentence.

`settling_words` has the classes: words of agreement and commitment, acts by which a decision is
carried out, who decides, when it begins, what is excluded; and wishes, guesses, conditions,
suggestions, habits, courtesies, stories. `settling_shapes` has who acts, in which mood and tense.
Each that a sentence has adds to its score or takes from it, and so do single words and pairs of
neighbouring words; from a score on the sentence settles something.
"""

# ruff: noqa: E501 (a pattern is read best in one line)
from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from graphmem_worker.text.lexicon import Lexicon
from graphmem_worker.text.patterns import late
from graphmem_worker.text.settling_shapes import CHINESE as CHINESE_SHAPES
from graphmem_worker.text.settling_shapes import ENGLISH as ENGLISH_SHAPES
from graphmem_worker.text.settling_words import CHINESE, ENGLISH, ENOUGH, TERMS, WEIGHTS
from graphmem_worker.text.words import stems as stems_of

_LEXICON: Final = Lexicon(ENGLISH, CHINESE)
_OPENS: Final = ("agree", "we", "i", "act", "lets", "past")
_SHAPES: Final = {"asks": late(r"[?？]"),
    # "If we win", 要是赢了
    "if": late(r"^(?:if|unless|when|whenever|suppose)\b|^(?:如果|要是|假如|万一|一旦)", re.I),
    "shouts": late(r"[!！]"),
    "clauses": late(r"[,，;；:：—]"),
    "numbers": late(r"\d|[一二三四五六七八九十两]"),
    # "We're selling it", "The choir is dropping it".
    "going": late(r"(?:['’](?:re|m|s)|\b(?:are|am|is)) (?:not |now |also |just |both |all |being )?\w+ing\b"),
    # "I've booked it"
    "has done": late(r"(?:['’](?:ve|s)|\b(?:have|has)) (?:just |now |finally |already |both |all |not )?(?:\w+ed|\w+en|put|set|gone|got|taken|bought|sold|made|left|cut|quit|told|said)\b"),
    "it is": late(r"\b(?:it is|it's|that's)(?: then)?(?=[.!,;]|$)"),
    # "Rosa does the cake", "My brother takes over the lease"
    "does": late(r"^(?:[A-Z][\w'’]+|(?:[Tt]he|[Oo]ur|[Mm]y) \w+(?: \w+)?)(?: and \w+)? (?!(?:is|was|has|does|this|us|as)\b)\w+s\b"),
    "named": late(r"(?<=[a-z,;:] )[A-Z][a-z]{2,}|[小老阿][\u4e00-\u9fff]"),
    "就": late(r"(?:^|[，：；那])[^，]{0,4}就"),
    "了": late(r"了(?=[，。！；]|$)"),
    "吧": late(r"吧(?=[，。！；]|$)"),}  # fmt: skip
_LONG: Final = 16  # words; of Chinese, characters divided by 1.6
_SHORT: Final = 7
_CHINESE_SHARE: Final = 0.2
"""The share of Chinese characters from which a sentence is Chinese."""
_WORD: Final = late(r"[a-z]+(?:'[a-z]+)?|\d")
_DIGITS: Final = late(r"\d+")


def surplus(sentence: str, *, unreal: bool = False) -> int:
    """By how much, in hundredths of a nat, a sentence of bounded length is above what settles
    something. unreal: whether it has a pattern of what nobody has decided."""
    told = sum(WEIGHTS.get(name, 0) for name in features(sentence, unreal=unreal))
    return told + sum(TERMS.get(term, 0) for term in set(terms(sentence))) - ENOUGH


def features(sentence: str, *, unreal: bool = False) -> Iterator[str]:
    """The names of the classes and shapes that a sentence has, each once."""
    found, opening, words, characters = _LEXICON.read(sentence)
    for name, bit in _LEXICON.bits.items():
        if found & bit:
            yield name
        if opening & bit and name in _OPENS:
            yield f"opens {name}"
    shapes = CHINESE_SHAPES if _is_chinese(sentence) else ENGLISH_SHAPES
    for table in (_SHAPES, shapes):
        for name, pattern in table.items():
            if pattern.search(sentence):
                yield name
    length = words + characters / 1.6
    if length > _LONG:
        yield "long"
    elif length < _SHORT:
        yield "short"
    if characters:
        yield "characters"
    if shapes is CHINESE_SHAPES:
        yield "chinese"
    if unreal:
        yield "unreal pattern"


def terms(sentence: str) -> Iterator[str]:
    """The words of a sentence by their stems, its Chinese characters, pairs of neighbouring ones,
    and those with which it begins ("^we") and, in Chinese, ends ("了$"). Some come twice."""
    words = _WORD.findall(sentence.replace("’", "'").lower())
    stems = ["#" if word.isdigit() else word for word in stems_of(words)]
    yield from stems
    yield from map(" ".join, pairwise(stems))
    if stems:
        yield f"^{stems[0]}"
    if not _is_chinese(sentence):
        return
    said = _DIGITS.sub("0", sentence)
    yield from (character for character in said if _is_han(character))
    yield from map("".join, pairwise(said))
    yield f"^{said[0]}"
    yield f"{said.rstrip('。！')[-1:]}$"


def _is_chinese(sentence: str) -> bool:
    return sum(map(_is_han, sentence)) > _CHINESE_SHARE * len(sentence)


def _is_han(character: str) -> bool:
    return "\u4e00" <= character <= "\u9fff"
