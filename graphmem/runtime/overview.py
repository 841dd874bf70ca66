"""What `memory.review` needs of an open scope, put together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from graphmem.forgetting import archive, undo
from graphmem.graph.records import TextRecord
from graphmem.graph.view import View
from graphmem.hexastore import terms
from graphmem.lifecycle.census import Census
from graphmem.lifecycle.overview import Surroundings
from graphmem.lifecycle.sameness import Sameness
from graphmem.runtime import conflicts
from graphmem.runtime.open_scope import OpenScope
from graphmem.runtime.statistics import budget
from graphmem.sharing import content
from graphmem.themes.calibration import Calibration

_CONFLICTS: Final = 100_000  # that are counted
_SECONDS: Final = 5.0  # for comparing what is new


def surroundings(opened: OpenScope) -> tuple[Surroundings, Census]:
    """What the views of a scope need, and what is known of each of its texts, which is kept."""
    if opened.surroundings is None:
        opened.surroundings = _made(opened), Census(opened.settings.guard)
    return opened.surroundings


def _made(opened: OpenScope) -> Surroundings:
    facts = opened.facts()
    sameness = Sameness(opened.vectors, Calibration.of)

    def earlier(view: View) -> Iterator[tuple[int, int, TextRecord]]:
        for form in archive.newest_first(view.reader, opened.scope):
            yield form.node, form.version, form.text

    def elsewhere() -> Iterator[tuple[str, str]]:
        for triple in facts:
            yield "fact", " ".join(part.n3() for part in triple)
        for namespace in opened.items.namespaces():
            for item in opened.items.every(namespace):
                texts = content.texts((item.value, item.metadata))
                yield f"item {namespace} {item.key}", "\n".join(texts)

    return Surroundings(
        reading=opened.reading,
        changing=opened.changing,
        now=opened.now,
        forget=lambda writer, node: opened.removal.forget(writer, node, "asked", opened.now()),
        missing=undo.unknown,
        earlier=earlier,
        conflicts=lambda: conflicts.listed(opened, _CONFLICTS, _SECONDS),
        alike=lambda view, kept: sameness.pairs(kept, view.text),
        elsewhere=elsewhere,
        facts=lambda node: facts.count(terms.node_iri(node)),
        room=lambda view: _room(opened, view),
    )


def _room(opened: OpenScope, view: View) -> tuple[dict[str, Any], dict[str, int]]:
    """What a scope takes of its budget, and what waits."""
    state, vectors = view.state, opened.vectors.state
    room = budget(opened) | {
        "live_bytes": state.live_bytes,
        "text_bytes": state.text_bytes,
        "archive_bytes": state.archive_bytes,
    }
    return room, {
        "scored": state.queued,
        "embedded": vectors.waiting,
        "set_aside": state.dead + vectors.set_aside,
    }
