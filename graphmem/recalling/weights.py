"""The weights of the features, by which hits are ranked.

Made by `python -m bench fit` on 2026-11-24: WORDS over 120 questions each of locomo_dev3,
memorybank_en_dev, memorybank_zh_dev, friendsqa, lifebench_en, lifebench_zh, madial_zh, realmem and
timeqa; mean of R@1, 3, 5, 10: .644, each set left out .640. VECTORS (by coordinate ascent, before
the likelihood) over 100 questions of each, of realmem 25; .712. "lacks", fitted on 2026-11-26 over
60 questions of each, was set without the others.
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
}
"""For a memory, or a cue, without vectors."""
VECTORS: Final[dict[str, float]] = {
    "words": 1.0,
    "vector": 1.25,
    "session": 0.6,
    "near": 0.1,
    "recency": 0.35,
    "time": 1.65,
    "activation": 0.5,
    "question": 0.85,
    "speaker": 0.3,
    "assistant": -0.35,
    "reply": -0.9,
    "asks": -0.65,
    "lacks": -0.3,
}
"""For a cue with a vector."""
UNFITTED: Final[dict[str, float]] = {"use": 0.05, "focus": 0.05}
"""Of what no set can tell, for nobody used its memories: they decide between equals."""


class Weights(NamedTuple):
    """Feature → its weight, by what there is of a cue."""

    words: Mapping[str, float]
    vectors: Mapping[str, float]


FITTED: Final = Weights(WORDS | UNFITTED, VECTORS | UNFITTED)
