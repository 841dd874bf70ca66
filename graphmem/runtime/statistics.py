"""Statistics: the numbers of an open scope."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from graphmem.hexastore import scopes
from graphmem.runtime.open_scope import OpenScope


def stats(opened: OpenScope) -> dict[str, Any]:
    """What `Memory.admin.stats` returns."""
    with opened.reading() as view:
        state = view.state
    database, enrichment = opened.database, opened.enrichment
    worker, listener = database.worker, database.listener
    return {
        "scope": opened.scope.name,
        "path": database.path,
        "today": database.clock().date().isoformat(),
        "nodes": state.nodes,
        "pinned": state.pinned,
        "links": state.links,
        "facts": state.triples,
        "triples": state.all_triples,
        "tombstones": state.tombstones,
        "passes": state.passes,
        "text_bytes": state.text_bytes,
        "live_bytes": state.live_bytes,
        "budget": budget(opened),
        "archive_bytes": state.archive_bytes,
        "archived": state.archived,
        "words": {"documents": state.documents, "fresh": opened.words.pending},
        "queue": {"waiting": state.queued, "set_aside": state.dead},
        "worker": {
            "backend": opened.settings.worker,
            "pid": worker.pid if worker is not None and worker.alive else None,
            "enriched": enrichment.done,
            "written": enrichment.written,
            "refused": dict(enrichment.refused),
            "last_error": enrichment.last_error,
            "paused": round(enrichment.backoff.paused, 1),
        },
        "vectors": _vectors(opened),
        "themes": _themes(opened, state.nodes),
        "clients": 0 if listener is None else listener.clients,
        "attach_error": None if listener is None else listener.error,
        "erasing": len(scopes.to_erase(opened.store)),
        "upkeep_error": (
            database.upkeep.error or database.enriching.error or database.embedding.error
        ),
        "durability": opened.settings.durability,
        "sequence": opened.store.sequence,
        "home": None if opened.store.home is None else opened.store.home.figures(),
    }


def budget(opened: OpenScope) -> dict[str, Any]:
    """How far the budget is used, and which nodes go next; see `Memory.admin.stats`."""
    settings, state = opened.settings, opened.scope.state
    return {
        "forgetting": settings.forgetting,
        "max_bytes": settings.max_bytes,
        "max_nodes": settings.max_nodes,
        "used": opened.budget.used,
        "memory_bytes": state.memory_bytes,
        "kept_bytes": state.kept_bytes,
        "next": opened.budget.next(),
    }


def _themes(opened: OpenScope, nodes: int) -> dict[str, Any]:
    index = opened.theme_index
    themes = index.themes()
    return {
        "messages": nodes,
        "semantics": sum(len(members) for _, members in themes),
        "themes": sum(len(members) > 1 for _, members in themes),
        "alone": sum(len(members) == 1 for _, members in themes),
        "waiting": index.waiting,
        **asdict(index.counts),
    }


def _vectors(opened: OpenScope) -> dict[str, Any]:
    state, embedding, cache = opened.vectors.state, opened.embedding, opened.embeddings
    pids = {worker.pid for worker in opened.database.vector_workers if worker.alive}
    return {
        "model": state.model or None,
        "dimensions": state.dimensions,
        "vectors": state.vectors,
        "search": opened.vectors.search,
        "waiting": state.waiting + state.backlog,  # an upper bound: some of the backlog may be gone
        "set_aside": state.set_aside,
        "cached": state.cached,
        "cache_hit_rate": cache.hits / cache.asked if cache.asked else None,
        "pids": sorted(pid for pid in pids if pid is not None),
        "embedded": 0 if embedding is None else embedding.done,
        "last_error": None if embedding is None else embedding.last_error,
    }
