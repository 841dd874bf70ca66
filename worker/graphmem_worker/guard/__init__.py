"""The guard: finds secrets in a text and cuts them out before anything else sees it."""

from graphmem_worker.guard.cutting import (
    PERSONAL_KINDS,
    SECRET_KINDS,
    Cut,
    Guarded,
    Level,
    guard,
    guard_field,
)
from graphmem_worker.guard.structure import mapped

__all__ = [
    "PERSONAL_KINDS", "SECRET_KINDS", "Cut", "Guarded", "Level", "guard", "guard_field",
    "mapped",
]  # fmt: skip
