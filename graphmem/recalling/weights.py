"""The weights of the features, by which hits are ranked.

Made by `python -m bench fit`, mean of R@1, 3, 5, 10. WORDS on 2026-11-24 over 120 questions each of
locomo_dev3, memorybank_en_dev, memorybank_zh_dev, friendsqa, lifebench_en, lifebench_zh, madial_zh,
realmem and timeqa; .644, each set left out .640. VECTORS on 2026-11-26 over as many, of realmem 46;
.678, each set left out .673. "lacks" of WORDS, over 60 questions of each, was set apart from the
others, and so was "negation": hardly a question of a set has one.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

WORDS: Final[dict[str, float]] = {
    "words": 1.23,
    "session": 0.71,
    "recency": 0.22,
    "time": 0.62,
    "activation": 0.66,
    "question": 1.01,
    "speaker": 0.32,
    "assistant": -0.36,
    "lacks": -0.3,
    "negation": 0.25,
}
"""For a memory, or a cue, without vectors."""
VECTORS: Final[dict[str, float]] = {
    "words": 0.56,
    "session": 1.03,
    "recency": 0.35,
    "time": 0.89,
    "activation": 0.8,
    "question": 1.16,
    "speaker": 0.59,
    "assistant": -0.33,
    "lacks": -0.34,
    "vector": 0.87,
    "contrast": 1.03,
    "reply": -0.65,
    "asks": -0.27,
    "negation": 0.25,
}
"""For a cue with a vector."""
UNFITTED: Final[dict[str, float]] = {"use": 0.05, "focus": 0.05}
"""Weights that no set can fit, for nobody used its memories: they decide between equal scores."""


class Weights(NamedTuple):
    """Feature → its weight, without and with a vector of the cue."""

    words: Mapping[str, float]
    vectors: Mapping[str, float]


FITTED: Final = Weights(WORDS | UNFITTED, VECTORS | UNFITTED)
FILLING: Final = Weights(
    {
        "bias": -1.83,
        "score": 3.34,
        "place": 2.27,
        "apart": -0.18,
        "word": 4.92,
        "root": 2.06,
        "speaker": 0.6,
        "alike": 0.0,
    },
    {
        "bias": -2.25,
        "score": 3.79,
        "place": 3.14,
        "apart": 0.06,
        "word": 3.29,
        "root": 0.76,
        "speaker": 0.6,
        "alike": 6.21,
    },
)
"""Weights of the signs that a candidate may fill a budget: it does if they sum to 0 or more. Made
by `python -m bench filling` on 2026-11-26 with the lives of UU, AB, AC and AD."""
NEWER: Final[Mapping[str, float]] = {
    "bias": -4.69,
    "score": 2.24,
    "word": 3.1,
    "root": 1.25,
    "speaker": 0.9,
    "alike": 2.7,
    "lacks": -1.0,
    "answers": 1.9,
}
"""Weights of the signs that a candidate states the same attribute as the best hit: it does if they
sum to 0 or more. Fitted to the questions of the same lives, of `data/changes` and of `data/answers`
that ask for one value; `bench filling` prints their effect ("first, as now") beside that of weights
of lives alone, which move less. The place among the candidates helped only in a large memory."""
