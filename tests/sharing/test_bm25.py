"""Prevents: agents get the items that hold a common word before those that hold a rare one."""

from collections import Counter
from math import log

import hypothesis.strategies as st
import pytest
from hypothesis import given

from graphmem.sharing.items import scores
from graphmem_worker.text.words import words

WORDS = ("kettle", "pump", "lamp", "door")
TEXT = st.lists(st.sampled_from(WORDS), max_size=6)


@given(texts=st.lists(TEXT, max_size=6), query=TEXT)
def test_texts_are_scored_by_bm25(texts: list[list[str]], query: list[str]) -> None:
    """k₁ 0.9, b 0.4; each word of the query counts once."""
    mean = max(1.0, sum(map(len, texts)) / max(1, len(texts)))
    expected = []
    for text in texts:
        found = [word for word in set(query) if word in text]
        score = 0.0
        for word in found:
            holding = sum(word in other for other in texts)
            rarity = log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
            times = text.count(word)
            long = 0.9 * (0.6 + 0.4 * len(text) / mean)
            score += rarity * times * 1.9 / (times + long)
        expected.append(pytest.approx(score) if found else None)
    assert scores(" ".join(query), [Counter(words(" ".join(text))) for text in texts]) == expected
