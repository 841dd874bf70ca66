"""Phatic turns: greetings, thanks, agreement and small talk, which need nothing from a memory."""

from __future__ import annotations

from typing import Final

from graphmem_worker.claims.exclusions import asks
from graphmem_worker.language.heads import head
from graphmem_worker.language.marks import marks
from graphmem_worker.text.patterns import late
from graphmem_worker.text.salience import is_pleasantry
from graphmem_worker.text.sentences import sentences
from graphmem_worker.text.trivial import trivial
from graphmem_worker.text.words import HAN

_LONGEST: Final = 100  # characters; a longer turn states something
_FEW: Final = 3  # words or Chinese characters
_UNITS: Final = late(rf"[{HAN}]|[^\W{HAN}]+")


def is_phatic(turn: str) -> bool:
    """Whether a turn only greets, thanks, agrees, refuses or chats. False for one without a word.

    The head "phatic" judges it; a word or two, which may be keywords, only the tables do. A turn
    with a question is phatic only if that is a pleasantry ("Hello, are you there?").
    """
    units = len(_UNITS.findall(turn[: _LONGEST + 1]))
    if not units or len(turn) > _LONGEST:
        return False
    if units < _FEW:
        return trivial(turn) == "a reply" or is_pleasantry(turn)
    if any(asks(sentence) and not is_pleasantry(sentence) for sentence in sentences(turn)):
        return False
    return bool(head("phatic").sums(turn, marks(turn))[0] >= 0)
