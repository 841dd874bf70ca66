"""Reminders: the tombstones of forgotten memories that match a cue.

A forgotten memory leaves its phrase and keywords. A recall returns those that hold at least half of
the words of the cue, weighted by rarity, and no less than the best hit; and those to which a hit
has a link that somebody made. Others are of no use to the caller.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from graphmem.graph import tombstones
from graphmem.graph.relations import SYSTEM
from graphmem.graph.view import View
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.recalling.candidates import is_empty
from graphmem.values.hits import Hit
from graphmem.values.nodes import Tombstone
from graphmem_worker.text.words import words

_READ: Final = 1000  # tombstones that a recall reads, of the newest nodes
_LEAST: Final = 0.5  # share of the cue's words, by weight, that one holds
_MOST: Final = 10
_ROOT: Final = 4  # characters of an index word with which its forms begin


def reminders(view: View, weights: Mapping[str, float], hits: Sequence[Hit]) -> list[Tombstone]:
    """At most ten tombstones that match a cue, the best first.

    weights: how rare each index word of the cue is, 0 and more. hits: those of the recall. Raises
    CorruptError.
    """
    least = max(_LEAST, *(hit.coverage for hit in hits)) if hits else _LEAST
    whole = sum(weights.values()) or 1.0
    roots = [word[:_ROOT].encode() for word in weights]
    found = []
    space = keys.under(view.scope.prefix(Space.TOMBSTONE))
    for key, record in islice(view.reader.range(*space, reverse=True), _READ):
        low = record.lower()
        if not any(root in low for root in roots):
            continue
        node = int.from_bytes(key[-8:], "big")
        held = _words_of(node, record)
        share = sum(weight for word, weight in weights.items() if word in held) / whole
        if share >= least:
            found.append((-share, -node, tombstones.unpack(node, record)))
    linked = (link for hit in hits for link in view.links(hit.id) if link.dangling)
    met = (view.tombstone(link.target) for link in linked if link.relation not in SYSTEM)
    every = {stone.id: stone for stone in (*(stone for *_, stone in sorted(found)), *met) if stone}
    return [stone for stone in every.values() if not is_empty(stone.phrase)][:_MOST]


@lru_cache(maxsize=2 * _READ)  # each recall reads the same ones again
def _words_of(node: int, record: bytes) -> frozenset[str]:
    stone = tombstones.unpack(node, record)
    return frozenset((*words(stone.phrase), *words(" ".join(stone.keywords))))
