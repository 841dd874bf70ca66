"""Resolving: finds and lists contradictory memories of an open scope, and closes one of two."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Final

from graphmem.errors import InvalidArgumentError
from graphmem.lifecycle.conflicts import Patience, claims_anything, is_protected
from graphmem.remembering.drafts import Draft
from graphmem.runtime import corrections
from graphmem.runtime.open_scope import OpenScope
from graphmem.values.conflicts import Conflict, Conflicts
from graphmem.values.progress import Progress
from graphmem.values.remembered import Remembered, Replaceable

_AT_ONCE: Final = 1000  # conflicts that one call resolves
_OFFERED: Final = 3  # memories that may be replaced
_SECONDS: Final = 3600.0  # for comparing before that
_CUT_SHORT: Final = (
    "the {:g} seconds of conflict_patience ran out before all memories were compared: conflicts "
    "and may_replace may lack some; review.conflicts() compares the rest"
)


def compared(opened: OpenScope, draft: Draft) -> Remembered:
    """Write a draft; the result has its conflicts and the memories that it may replace, as far as
    they are found within `conflict_patience`."""
    (written,) = opened.writing.write([draft])
    seconds = opened.settings.conflict_patience
    if not seconds or not any(map(claims_anything, written.nodes)):
        return written  # as most do
    found: list[Conflict] = []
    offers: list[Replaceable] = []
    own = {node.id for node in written.nodes}
    with opened.with_words() as (view, index):
        patience = Patience(seconds)
        for node in filter(claims_anything, written.nodes):
            if patience.is_over():
                break
            conflicts, offered = opened.contradictions.replaceable(view, index, node.id, patience)
            found += conflicts
            offers += islice((offer for offer in offered if offer.id not in own), _OFFERED)
    notes = (_CUT_SHORT.format(seconds),) if patience.ran_out else ()
    return replace(
        written, conflicts=tuple(found), may_replace=tuple(offers[:_OFFERED]), notes=notes
    )


def listed(
    opened: OpenScope, limit: int, seconds: float, progress: Progress | None = None
) -> Conflicts:
    """Up to `limit` conflicts, after comparing new memories for at most `seconds`."""
    notes: tuple[str, ...] = ()
    if not opened.store.read_only and not opened.contradictions.catch_up(
        opened.with_words, seconds, progress
    ):
        notes = (
            f"the {seconds:g} seconds ran out before all memories were compared: call again, or "
            "give more seconds",
        )
    with opened.reading() as view:
        found = islice(opened.contradictions.listed(view), limit)
        return Conflicts(found, notes)


def resolve(opened: OpenScope, pair: tuple[int, int] | None, keep: int | None) -> list[Conflict]:
    """Keep one of the two memories of a conflict; without `pair`, of each conflict.

    keep: the one to keep; 0: both; None: the newer, if it names what it replaces.
    """
    if pair is not None:
        with opened.reading() as view:
            found = [opened.contradictions.between(view, *pair)]
    else:
        found = [*listed(opened, _AT_ONCE, _SECONDS)]
    if keep == 0:
        for conflict in found:
            opened.contradictions.dismiss(*conflict.pair)
        return found
    done: list[Conflict] = []
    closed: set[int] = set()
    for conflict in found:
        kept = conflict.newer.id if keep is None else keep
        over = conflict.newer if kept == conflict.older.id else conflict.older
        if keep is None and (not conflict.replaces or over.pinned):
            continue
        with opened.reading() as view:
            protects = is_protected(view, over.id, kept)
        if protects and keep is not None:
            raise InvalidArgumentError(
                f"node {over.id} protects somebody from what node {kept} does not name; write what "
                f"holds of both: replace({over.id}, text)"
            )
        if not protects and closed.isdisjoint(conflict.pair):
            corrections.give_way(opened, over.id, kept)
            closed.add(over.id)
            done.append(conflict)
    return done
