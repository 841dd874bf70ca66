"""Which nodes hold facts: the *semantics*, of which themes are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graphmem_worker.text.salience import is_remark
from graphmem_worker.text.words import script, words

_FEWEST_WORDS: Final = 5
_FEWEST_BIGRAMS: Final = 10  # about as much as five words say in Chinese
_OWN_SHARE: Final = 0.5  # of the node's salience
_MEDIAN_SHARE: Final = 0.5  # of the median node's salience


def own_salience(sentences: Sequence[str], saliences: Sequence[float]) -> float:
    """The salience of a node's fact-like sentences; 0 if it is less than half of that of all its
    sentences. Questions, greetings, chatter and very short sentences are not fact-like."""
    own = sum(
        salience
        for sentence, salience in zip(sentences, saliences, strict=True)
        if _is_fact_like(sentence)
    )
    return own if own >= _OWN_SHARE * sum(saliences) else 0.0


def is_semantic(own: float, median: float) -> bool:
    """True for a node with this `own_salience` in a memory whose median node has `median`."""
    return own > 0 and own >= _MEDIAN_SHARE * median


def _is_fact_like(sentence: str) -> bool:
    fewest = _FEWEST_BIGRAMS if script(sentence) == "cjk" else _FEWEST_WORDS
    return not is_remark(sentence) and len(words(sentence)) >= fewest
