"""Open questions among the candidates: a question without a reply is no answer."""

from __future__ import annotations

from functools import lru_cache
from itertools import dropwhile
from typing import Final

from graphmem.recalling.candidates import Candidate, answers, is_empty
from graphmem.recalling.cue import Cue, asks
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.patterns import late
from graphmem_worker.text.salience import is_question

_PIECES: Final = late(r"(?<=[,.!?])\s+|(?<=[，。！？])")
_NEAR: Final = 0.6
"""The share of the best score from which on a candidate that is no open question is preferred."""


def without_questions(cue: Cue, candidates: list[Candidate]) -> list[Candidate]:
    """The candidates, best first, without open questions; all of them if the cue asks what was
    asked, or no other candidate scores near the best. A question with a reply is not open."""
    asking = cue.question.text
    if not asks(asking) or sayings("cues", "of a question").is_in(folded(asking)):
        return candidates
    replied = {asked.node for _, asked in answers(candidates)}
    stating = [c for c in candidates if c.node in replied or not _is_open(c.text.spans)]
    if not stating or stating[0].score < _NEAR * candidates[0].score:
        return candidates
    return stating


@lru_cache(1 << 13)
def _is_open(spans: tuple[str, ...]) -> bool:
    """Whether each sentence of a text is a question that states nothing."""
    opens = sayings("cues", "open question")
    if not any(map(is_question, spans)):  # as of most
        return False
    asked = list(filter(None, map(_ungreeted, spans)))
    return bool(asked) and all(is_question(one) and opens.is_in(folded(one)) for one in asked)


def _ungreeted(sentence: str) -> str:
    """A sentence without leading pieces that have no content: "Hello, who has our key?"."""
    return " ".join(dropwhile(is_empty, filter(None, _PIECES.split(sentence.strip()))))
