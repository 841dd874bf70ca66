"""Open questions among the candidates: a question without a reply is no answer."""

from __future__ import annotations

from functools import lru_cache
from itertools import dropwhile
from typing import Final

from graphmem.graph import exchanges
from graphmem.graph.view import View
from graphmem.recalling.candidates import Candidate, answers, is_empty
from graphmem.recalling.cue import Cue, asks, indexed, subject
from graphmem.recalling.cut import LEAST_FILLING
from graphmem_worker.language.lists import listed
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.patterns import late
from graphmem_worker.text.salience import is_question

_PIECES: Final = late(r"(?<=[,.!?])\s+|(?<=[，。！？])")


def without_questions(view: View, cue: Cue, candidates: list[Candidate]) -> list[Candidate]:
    """The candidates, best first, without open questions; all of them if the cue asks what was
    asked, or no other candidate is likely at all. A question with a reply is not open."""
    asking = cue.question.text
    if not asks(asking) or sayings("cues", "of a question").is_in(folded(asking)):
        return candidates
    replied = {asked.node for _, asked in answers(candidates)}
    known = frozenset(cue.terms)
    stating = [
        c
        for c in candidates
        if c.node in replied
        or (stated := _stated(c.text.spans)) is None
        or not stated <= known
        or exchanges.is_reply(view, c.node + 1)
    ]
    if not stating or stating[0].score < LEAST_FILLING * candidates[0].score:
        return candidates
    return stating


@lru_cache(1 << 13)
def _stated(spans: tuple[str, ...]) -> frozenset[str] | None:
    """What may be stated by a text that only asks, as index words: the figures of open questions,
    all content of others ("Is the dentist still at nine?"). None if it does not only ask."""
    if not any(map(is_question, spans)):  # as of most
        return None
    asked = list(filter(None, map(_ungreeted, spans)))
    if not asked or not all(map(is_question, asked)):
        return None
    opens = sayings("cues", "open question")
    stated = {
        word
        for one in asked
        for word in subject(one)
        if word.isdigit() or not opens.is_in(folded(one))
    }
    return frozenset(stated - indexed(listed("function_words")))


def _ungreeted(sentence: str) -> str:
    """A sentence without leading pieces that have no content: "Hello, who has our key?"."""
    return " ".join(dropwhile(is_empty, filter(None, _PIECES.split(sentence.strip()))))
