"""Content words of a sentence."""

from __future__ import annotations

import itertools
from typing import Final

from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.text.patterns import late

_WORD: Final = late(r"[A-Za-z][A-Za-z']{1,30}")

_HAN_RUN: Final = late("[\u4e00-\u9fff]{1,60}")


def stem(word: str) -> str:
    """An English word in lower case without its endings; at least four letters are kept."""
    word = word.lower().removesuffix("'s").strip("'")
    if word.endswith("s") and not word.endswith("ss") and len(word) == 4:
        return word[:-1]
    for ending in ordered("topic_endings"):
        if len(word) - len(ending) >= 4 and word.endswith(ending):
            return word[: -len(ending)]
    return word


def topic_of(sentence: str, spans: list[tuple[int, int]]) -> frozenset[str]:
    """Content words outside `spans`: stems in Latin letters, pairs of Chinese characters."""
    kept = list(sentence)
    for start, end in spans:
        kept[start:end] = " " * (end - start)
    rest = "".join(kept)
    words = {stem(w) for w in _WORD.findall(rest) if w.lower() not in listed("topic_stops")}
    for run in _HAN_RUN.findall(rest):
        words |= {
            a + b
            for a, b in itertools.pairwise(run)
            if listed("han_stops").isdisjoint((a, b)) or a + b in listed("han_kept")
        }
    return frozenset(words)


def key_of(words: str) -> str:
    """A noun phrase as a key: the last two stems without articles."""
    if not words.isascii():
        return words.strip("的了")
    stems = [stem(w) for w in _WORD.findall(words) if w.lower() not in listed("topic_stops")]
    return " ".join(stems[-2:])


def pairs_of(run: str) -> set[str]:
    """All pairs of neighbouring characters."""
    return {a + b for a, b in itertools.pairwise(run)}
