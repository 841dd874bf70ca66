"""What a sentence claims: a subject, a slot, a value. Two claims of one slot may contradict.

Rules for English and Chinese, without a model. A *state* has one value at a time: where somebody
lives or works, which version runs, who owns a task, what a thing costs, when it happens. Two states
of one subject and slot with different values are a conflict. What may have several values at once
(likes of different things, allergies, languages, past events) never is.

Every pattern is matched within a sentence of at most `LONGEST` characters, with bounded repeats.
"""

from __future__ import annotations

from graphmem_worker.claims.claim import LONGEST, Claim, Conflict
from graphmem_worker.claims.comparing import (
    Contradiction,
    areas,
    conflict,
    contradiction,
    strongest,
)
from graphmem_worker.claims.reading import claims

__all__ = [
    "LONGEST",
    "Claim",
    "Conflict",
    "Contradiction",
    "areas",
    "claims",
    "conflict",
    "contradiction",
    "strongest",
]
