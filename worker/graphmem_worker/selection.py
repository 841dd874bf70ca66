"""Which sentences and clauses stay when a memory grows shorter."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from graphmem_worker.sentences import clauses
from graphmem_worker.words import script

SHORTENED_FROM: Final[dict[str, int]] = {"latin": 60, "cjk": 25, "other": 60}
"""Sentences of up to this many characters, by script, are kept or dropped as a whole."""

# Without these the clause beside them would say something else than the source.
_CONDITION: Final = re.compile(
    r"\W*(?:if|unless|except|until|without|only (?:if|when)|but (?:not|only|never)|not|provided"
    r"|as long as|even if)\b"
    r"|\W*(?:如果|要是|假如|除非|除了|只要|只有|直到|但不|但没|而不是|不是|即使)",
    re.IGNORECASE,
)
_DANGLING_START: Final = re.compile(r"^(?:[\s,;:，；：、\u2014\u2013]|-(?=[\s-]))+")
_DANGLING_END: Final = re.compile(r"[\s,;:，；：、\u2014\u2013-]+$")
_ENDS: Final[tuple[str, ...]] = ("!", "?", "！", "？", "…")
_FULL_STOP: Final = re.compile(r"(?<![.。])[.。]$")


def select(units: Sequence[str], worths: Sequence[float], threshold: float) -> list[int]:
    """The indices, ascending, of those `units` whose worth is at least `threshold`.

    `worths` has one value per unit; NaN is below every threshold.  Raises `ValueError` if the
    lengths differ.
    """
    return [
        place
        for place, (_, worth) in enumerate(zip(units, worths, strict=True))
        if worth >= threshold
    ]


def shorten(sentence: str, threshold: float, worth: Callable[[str], float]) -> str | None:
    """The clauses of a long `sentence` whose own `worth` is at least `threshold`, if that is a
    proper part of it.

    For a sentence that falls below `threshold` as a whole: one clause of it may still be worth
    keeping.  The clauses stay in order and are taken as they stand; white space and dangling
    separators at the ends of the whole are dropped.  A condition or exception ("if …", "but not …",
    除非 …) stays with the clause that it limits: without it that clause would be false.

    `None` if the sentence has at most 60 characters (25 in a Chinese one), if nothing or everything
    would stay.
    """
    bare = sentence.strip()
    if len(bare) <= SHORTENED_FROM[script(bare)]:
        return None
    parts = clauses(bare)
    kept = {place for place, part in enumerate(parts) if worth(part) >= threshold}
    for place, part in enumerate(parts):
        if _CONDITION.match(part):
            limited = place - 1 if place else 1
            if limited in kept:
                kept.add(place)
            else:
                # Alone it would dangle.
                kept.discard(place)
    if not kept or len(kept) == len(parts):
        return None
    short = "".join(parts[place] for place in sorted(kept))
    short = _DANGLING_END.sub("", _DANGLING_START.sub("", short))
    stop = _FULL_STOP.search(bare)
    if stop is not None and not short.endswith((stop[0], *_ENDS)):
        short += stop[0]
    return short if short and len(short) < len(bare) else None
