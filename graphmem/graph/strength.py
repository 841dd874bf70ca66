"""Strength with lazy decay: stored once, valid at every later pass.

`L = ln(strength) + P·λ`, a signed 64-bit number in units of 2⁻²² nat, where P is the scope's pass
counter at the time of writing and λ its decay (−ln 0.97 nat a pass unless chosen otherwise). The
strength at pass P' is `exp(L − P'·λ)`: a pass is one increment, and sorting by L never changes.
"""

from __future__ import annotations

import math
from typing import Final

from graphmem.hexastore.fields import wrong

UNIT: Final = 1 << 22
BROKEN: Final = 0.01  # a link weaker than this counts as cut
DEFAULT_DECAY: Final = -math.log(0.97)
_LOWEST: Final = -(1 << 55)  # the least L that an entry can hold


def decayed(passes: int, decay: float) -> int:
    """P·λ in units of 2⁻²² nat, rounded once, so that rounding never adds up over passes."""
    return round(passes * decay * UNIT)


def level(strength: float) -> int:
    """L of a link that has `strength` (> 0) at pass 0."""
    return round(math.log(strength) * UNIT)


def encode(strength: float, passes: int, decay: float) -> int:
    """L of a link that has `strength` (> 0) at pass `passes`."""
    return level(strength) + decayed(passes, decay)


def decode(level: int, passes: int, decay: float) -> float:
    """The strength at pass `passes` of a link stored with L = `level`."""
    return since(level, decayed(passes, decay))


def since(level: int, now: int) -> float:
    """`decode`, given the `decayed` of the pass as `now`."""
    try:
        return math.exp((level - now) / UNIT)
    except OverflowError:
        raise wrong(f"no link can be as strong as one with L = {level}") from None


def broken_level(passes: int, decay: float, fades: bool) -> int:
    """The L under which a link is broken at pass `passes`; where nothing `fades`, none is."""
    return encode(BROKEN, passes, decay) if fades else _LOWEST


def strengthened(strength: float, initial: float) -> float:
    """A link made again: s ← max(initial, s + ½(1 − s)), never above 1 for s, initial ≤ 1."""
    return max(initial, strength + 0.5 * (1.0 - strength))


def passes_until(value: float, threshold: float, decay: float) -> int:
    """How many passes until a decaying `value` is below `threshold`; 0 if it is already."""
    if value < threshold:
        return 0
    return math.floor(math.log(value / threshold) / decay) + 1
