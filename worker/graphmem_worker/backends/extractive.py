"""The backend without a model: phrases and keywords are extracted from the text."""

from collections.abc import Mapping
from typing import Final

from graphmem_worker.backends.backend import Backend
from graphmem_worker.protocol import (
    ProcessPayload,
    ProcessResult,
    ScorePayload,
    ScoreResult,
    SegmentPayload,
    SegmentResult,
)
from graphmem_worker.text.keywords import keywords
from graphmem_worker.text.phrase import phrase
from graphmem_worker.text.rarity import Rarity, shape_rarity
from graphmem_worker.text.salience import salience
from graphmem_worker.text.sentences import segments

_KEYWORDS: Final[int] = 5


class Extractive(Backend):
    """The text functions of this package as a backend.  Raises `ValueError` for any options."""

    name = "extractive"

    def segment(self, payload: SegmentPayload, until: float) -> SegmentResult:
        """The segments of the text, by `sentences.segments`."""
        return {"segments": segments(payload["text"])}

    def process(self, payload: ProcessPayload, until: float) -> ProcessResult:
        """Salience per sentence, the phrase, and 5 keywords at most, or all that the user gave."""
        text = "".join(payload["sentences"])
        found = keywords(text, _rarity(payload["rarity"]), _KEYWORDS)
        return {
            "salience": self.score(payload, until)["salience"],
            "phrase": phrase(text),
            "keywords": _with_given(payload["keywords"], found),
        }

    def score(self, payload: ScorePayload, until: float) -> ScoreResult:
        """Salience per sentence."""
        rarity = _rarity(payload["rarity"])
        return {"salience": [salience(sentence, rarity) for sentence in payload["sentences"]]}


def _rarity(known: Mapping[str, float]) -> Rarity:
    """The rarity of a word in `known`, else the estimate from its shape."""
    if not known:
        return shape_rarity

    def rarity(word: str) -> float:
        value = known.get(word)
        return shape_rarity(word) if value is None else value

    return rarity


def _with_given(given: list[str], found: list[str]) -> list[str]:
    """The user's keywords without blanks and repeats, filled up to 5 with those found."""
    kept: dict[str, str] = {}
    for word in filter(None, map(str.strip, given)):
        kept.setdefault(word.casefold(), word)
    chosen = list(kept.values())
    for word in found:
        if len(chosen) >= _KEYWORDS:
            break
        folded = word.casefold()
        if not any(folded in other.casefold() or other.casefold() in folded for other in chosen):
            chosen.append(word)
    return chosen
