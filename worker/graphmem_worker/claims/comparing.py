"""Two claims of one slot: whether they contradict each other."""

from __future__ import annotations

from typing import Final, NamedTuple

from graphmem_worker.claims.claim import FRAME_SLOT, LONGEST, Claim, Conflict
from graphmem_worker.claims.reading import claims
from graphmem_worker.claims.topics import pairs_of
from graphmem_worker.language.expressions import expression
from graphmem_worker.language.lists import classed
from graphmem_worker.text.frames import has_other_site


def conflict(older: Claim, newer: Claim) -> Conflict | None:
    """The kind of conflict between two claims, or None.

    Both must be claims of one graph, so that "I" and "the office" mean the same in both.
    """
    if older.subject and newer.subject and older.subject != newer.subject:
        return None
    if newer.rejects and newer.rejects == older.value:
        return newer.kind
    if older.slot.startswith(FRAME_SLOT) and newer.slot.startswith(FRAME_SLOT):
        return _framed(older, newer)
    if older.slot != newer.slot:
        return _across(older, newer)
    ratio, wide, shared = _overlap(older, newer)
    slot = older.slot
    if newer.adds and slot.startswith(("choice:", "role:", "version:", "amount:", "owner:")):
        return None
    if slot.startswith(("version:", "owner:")):
        return older.kind
    if older.single:
        # The subject must be known: "the office" has no residence.
        return older.kind if older.subject == newer.subject != "" else None
    longest = max(older.size, newer.size)
    if slot.startswith("choice:"):
        agrees = longest <= _FEW and (ratio >= 0.3 or newer.changed or longest <= _BRIEF)
        return older.kind if agrees else None
    # Amounts and times conflict only if their topics agree.
    if slot.startswith("amount:money/") and longest <= _BRIEF and (shared or not older.topic):
        return "time"
    if len(shared) == 1 and wide < (0.3 if newer.changed else 0.5):
        return None
    is_alike = (ratio >= 0.5 and wide >= 0.25) or (newer.changed and ratio >= 0.33)
    return older.kind if shared and is_alike else None


_FEW: Final = 110  # characters of a sentence about one thing, …
_BRIEF: Final = 60  # … and of one that makes a single claim


def _framed(older: Claim, newer: Claim) -> Conflict | None:
    """The conflict between two claims that frames found (`text/frames`)."""
    _, relation, thing = older.slot.split(":", 2)
    _, related, other = newer.slot.split(":", 2)
    if relation != related:
        return None
    a, b = older.value, newer.value
    if a in b or b in a or set(a.split()) & set(b.split()):
        return None
    ratio, _, shared = _overlap(older, newer)
    if relation in ("edition", "sum", "month"):
        return older.kind if shared and (ratio >= 0.3 or newer.changed) else None
    if relation == "han" or not thing.isascii():
        alike = thing == other or bool(pairs_of(thing) & pairs_of(other))
        return older.kind if alike else None
    return older.kind if thing == other else None


def _across(older: Claim, newer: Claim) -> Conflict | None:
    """The conflict between two slots: an owner or a role under two names."""
    if older.slot.startswith("owner:") and newer.slot.startswith("owner:"):
        a, b = older.slot[6:], newer.slot[6:]
        return older.kind if a.endswith(b) or b.endswith(a) else None
    if older.slot.startswith("role:") and newer.slot.startswith("role:"):
        a, b = older.slot[5:], newer.slot[5:]
        return "preference" if (a in b or b in a) and not _equal(older, newer) else None
    return None


def _equal(older: Claim, newer: Claim) -> bool:
    a, b = older.value, newer.value
    if a == b:
        return True
    if a.startswith("not ") or b.startswith("not "):
        return a.removeprefix("not ") != b.removeprefix("not ")
    if older.slot == "clock" and a[3:] == b[3:] and abs(int(a[:2]) - int(b[:2])) == 12:
        return True  # nine in the evening is 21:00
    if older.slot.startswith("version:"):
        return (a.startswith(b + ".") and not newer.changed) or b.startswith(a + ".")
    if older.slot == "residence" and a[0].isdigit() != b[0].isdigit():
        return True  # a house may be in a town
    return older.slot in ("residence", "employer", "team") and (a in b or b in a)


def _overlap(older: Claim, newer: Claim) -> tuple[float, float, frozenset[str]]:
    a, b = older.topic, newer.topic
    shared = a & b
    return (
        len(shared) / (min(len(a), len(b)) or 1),
        len(shared) / (max(len(a), len(b)) or 1),
        shared,
    )


def areas(sentence: str) -> frozenset[str]:
    """The areas that a sentence names: production, the front end, at home. Empty: everywhere."""
    text = sentence[:LONGEST]
    found = (match[0] for match in expression("states", "area").finditer(text, text))
    return frozenset(classed("same_areas").get(area.lower(), area.lower()) for area in found)


def contradiction(
    older: str, newer: str, *, speakers: tuple[str | None, str | None] = (None, None)
) -> Conflict | None:
    """The kind of the strongest conflict between two sentences, or None."""
    a = claims(older, speaker=speakers[0])
    b = claims(newer, speaker=speakers[1]) if a else ()
    if a and b and has_other_site(older, newer):
        return None
    found = strongest(a, b, areas(older), areas(newer))
    return None if found is None else found.kind


class Contradiction(NamedTuple):
    """A conflict between two sentences, with the claims that make it."""

    kind: Conflict
    older: Claim
    newer: Claim

    @property
    def replaces(self) -> bool:
        """Whether the newer sentence names the value that it replaces."""
        return bool(self.newer.rejects) and self.newer.rejects == self.older.value


def strongest(
    older: tuple[Claim, ...],
    newer: tuple[Claim, ...],
    older_areas: frozenset[str] = frozenset(),
    newer_areas: frozenset[str] = frozenset(),
) -> Contradiction | None:
    """The strongest conflict between the claims of two sentences, or None. Of several of one kind:
    one whose newer claim names the value that it replaces, else the first.

    Claims of disjoint areas (see `areas`) do not conflict.
    """
    if older_areas and newer_areas and not older_areas & newer_areas:
        return None
    if any(a.slot == b.slot == "weekday" and a.value != b.value and not b.changed
           for a in older for b in newer):  # fmt: skip
        # They are about two days, each of which may have its own amounts and times.
        older = tuple(claim for claim in older if claim.single)
    agreed = {a.slot for a in older for b in newer if a.slot == b.slot and _equal(a, b)}
    found = [
        Contradiction(kind, a, b)
        for a in older
        for b in newer
        if a.slot not in agreed and b.slot not in agreed and (kind := conflict(a, b))
    ]
    return min(found, key=lambda c: (_ORDER.index(c.kind), not c.replaces), default=None)


_ORDER: Final[tuple[Conflict, ...]] = ("version", "time", "preference")
