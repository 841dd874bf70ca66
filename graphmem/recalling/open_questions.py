"""Open questions among memories: what was asked before is no answer."""

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
"""The share of the best score with which something that tells is as good an answer."""


def without_questions(cue: Cue, candidates: list[Candidate]) -> list[Candidate]:
    """Some candidates, best first, without open questions, where the cue asks for something else
    than what was asked, and something that tells scores near the best of them. A question with its
    reply tells."""
    asking = cue.question.text
    if not asks(asking) or sayings("cues", "of a question").is_in(folded(asking)):
        return candidates
    replied = {asked.node for _, asked in answers(candidates)}
    telling = [c for c in candidates if c.node in replied or not _is_open(c.text.spans)]
    if not telling or telling[0].score < _NEAR * candidates[0].score:
        return candidates
    return telling


@lru_cache(1 << 13)
def _is_open(spans: tuple[str, ...]) -> bool:
    """Whether each sentence of a text asks for something of which it tells nothing."""
    opens = sayings("cues", "open question")
    if not any(map(is_question, spans)):  # as of most
        return False
    said = list(filter(None, map(_ungreeted, spans)))
    return bool(said) and all(is_question(one) and opens.is_in(folded(one)) for one in said)


def _ungreeted(sentence: str) -> str:
    """A sentence from its first piece on that says something: "Hello, who has our key?"."""
    return " ".join(dropwhile(is_empty, filter(None, _PIECES.split(sentence.strip()))))
