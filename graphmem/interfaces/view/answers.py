"""What the page asks of a memory, as JSON; all of it through public verbs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from graphmem.api.verbs import Verbs
from graphmem.errors import ForgottenError, InvalidArgumentError, UnknownNodeError
from graphmem.values.conflicts import Conflict
from graphmem.values.lifecycle import Candidate
from graphmem.values.nodes import Node, Version
from graphmem.values.worth import Worth

Plain = dict[str, Any]

_HITS: Final = 12
_LINKS: Final = 40
_LISTED: Final = 100  # candidates, conflicts, themes
_SECONDS: Final = 5.0  # for comparing what is new, when conflicts are asked for


def state(memory: Verbs) -> Plain:
    """What changes while one looks: the sequence number, passes, focus, sizes."""
    stats = memory.admin.stats()
    settings = memory.admin.settings
    return {
        "sequence": stats["sequence"],
        "passes": stats["passes"],
        "today": f"{datetime.now(UTC):%Y-%m-%d}",
        "scope": memory.name,
        "path": memory.path,
        "focus": [node.id for node in memory.graph.focus],
        "nodes": stats["nodes"],
        "links": stats["links"],
        "pinned": stats["pinned"],
        "live_bytes": stats["live_bytes"],
        "text_bytes": stats["text_bytes"],
        "archive_bytes": stats["archive_bytes"],
        "archived": stats["archived"],
        "max_bytes": settings.max_bytes,
        "max_nodes": settings.max_nodes,
        "waiting": stats["queue"]["waiting"],
        "vectors": stats["vectors"]["vectors"],
        "model": stats["vectors"]["model"],
    }


def recall(memory: Verbs, cue: str) -> Plain:
    """What a cue brings back, with the parts of each score and the path that led there.

    Nothing is counted as used by it.
    """
    found = memory.recall(cue, limit=_HITS, use=False)
    return {
        "cue": cue,
        "answered": round(found.answered, 3),
        "notes": list(found.notes),
        "once": [stone.phrase for stone in found.dangling],
        "hits": [
            {
                "id": hit.id,
                "scope": hit.node.scope,  # of a parent, whose ids are its own
                "score": round(hit.score, 3),
                "coverage": round(hit.coverage, 3),
                "parts": {k: round(v, 3) for k, v in hit.parts.items() if abs(v) >= 0.005},
                "path": [[p.source, p.relation, p.target, round(p.strength, 3)] for p in hit.path],
                "text": hit.text,
                "speaker": hit.speaker,
                "when": hit.happened.isoformat(),
                "form": int(hit.node.form),
                "earlier": list(hit.earlier),
            }
            for hit in found
        ],
    }


def node(memory: Verbs, identifier: int) -> Plain:
    """All that is known of a memory, live or forgotten. Raises UnknownNodeError."""
    versions = memory.history.of(identifier)
    try:
        live: Node | None = memory[identifier]
    except ForgottenError:
        live = None
    told: Plain = {
        **_node(live or versions[-1].node),
        "alive": live is not None,
        "versions": [_version(each) for each in versions],
        "links": [],
        "once": [],
    }
    if live is None:
        return told
    links = memory.graph.links(identifier)
    told["links"] = [
        [link.relation, link.target, round(link.strength, 3)] for link in links if not link.dangling
    ][:_LINKS]
    told["once"] = [each.known.phrase for each in links.dangling if each.known is not None]
    told["worth"] = _worth(memory.history.worth(identifier))
    told["importance"] = round(memory.graph.importance(identifier), 3)
    kept = memory.review.retention(identifier)
    told["retention"] = {
        "value": round(kept.retention, 3),
        "state": kept.state,
        "days": round(kept.days, 1),
        "strength": kept.strength,
    }
    theme = memory.themes.of(identifier)
    told["theme"] = None if theme is None else {"id": theme.id, "name": theme.title}
    return told


def _node(node: Node) -> Plain:
    kind = node.kind
    return {
        "id": node.id,
        "text": node.text,
        "told": str(node),
        "phrase": node.phrase,
        "keywords": list(node.keywords),
        "speaker": node.speaker,
        "session": node.session,
        "happened": None if node.happened is None else node.happened.isoformat(),
        "created": node.created.isoformat(),
        "uses": node.uses,
        "pinned": node.pinned,
        "version": node.version,
        "form": int(node.form),
        "kept": round(node.kept, 3),
        "from": None if node.valid_from is None else node.valid_from.isoformat(),
        "to": None if node.valid_to is None else node.valid_to.isoformat(),
        "expires": None if node.expires is None else node.expires.isoformat(),
        "realm": kind.realm,
        "temporality": kind.temporality,
        "confidence": kind.confidence,
        "metadata": node.metadata,
    }


def _version(version: Version) -> Plain:
    return {
        "version": version.version,
        "form": int(version.node.form),
        "sentences": list(version.node.sentences),
        "told": str(version.node),
        "why": version.why,
        "passes": version.passes,
        "ended": None if version.ended is None else version.ended.isoformat(),
        "born": version.born,
        "importance": version.importance,
        "worths": [round(worth, 4) for worth in version.worths],
    }


def _worth(worth: Worth) -> Plain:
    after = worth.next
    return {
        "importance": round(worth.importance, 3),
        "kept": worth.kept,
        "sentences": [[each.text, round(each.worth, 4), each.reason] for each in worth.sentences],
        "gist": worth.gist,
        "next": None
        if after is None
        else {
            "passes": after.passes,
            "form": None if after.form is None else int(after.form),
            "lost": list(after.lost),
        },
    }


def candidates(memory: Verbs) -> Plain:
    """What a person may want to clean away."""
    return {"candidates": [_candidate(c) for c in memory.review.candidates(limit=_LISTED)]}


def _candidate(found: Candidate) -> Plain:
    return {
        "id": found.node,
        "kind": found.kind,
        "reason": found.reason,
        "text": found.text,
        "lost": found.lost,
        "archived": found.archived,
        "other": found.other,
    }


def conflicts(memory: Verbs) -> Plain:
    """The pairs of memories that say different values of one thing."""
    found = memory.review.conflicts(_LISTED, seconds=_SECONDS)
    return {"conflicts": [_conflict(each) for each in found]}


def _conflict(found: Conflict) -> Plain:
    return {
        "kind": found.kind,
        "slot": found.slot,
        "values": list(found.values),
        "older": _node(found.older),
        "newer": _node(found.newer),
        "proposal": found.proposal,
        "dates": [when.isoformat() for when in found.dates],
    }


def themes(memory: Verbs) -> Plain:
    """What the memories are about, the largest theme first."""
    listed: list[Plain] = []
    for theme in memory.themes:
        if len(listed) == _LISTED:
            break
        listed.append(
            {
                "id": theme.id,
                "name": theme.title,
                "size": len(theme),
                "sentence": theme.sentence,
                "faded": round(theme.faded, 3),
                "members": list(theme.core_first[:_LISTED]),
            }
        )
    return {"themes": listed}


def act(memory: Verbs, given: Mapping[str, Any]) -> Plain:
    """Do what a button says; returns what undoes it, None where nothing does.

    given: "what" and "id", of some "text" or "keep". Raises InvalidArgumentError for anything else,
    and what the verb raises.
    """
    what = given.get("what")
    if not isinstance(what, str) or what not in _ACTS:
        raise InvalidArgumentError(f"what is one of {', '.join(_ACTS)}, got {what!r:.40}")
    if what == "resolve":
        return _resolve(memory, given)
    identifier = given.get("id")
    if not isinstance(identifier, int) or isinstance(identifier, bool):
        raise InvalidArgumentError(f"id is the id of a node, got {identifier!r:.40}")
    return _ACTS[what](memory, identifier, given)


def _undone(what: str, identifier: int, **more: Any) -> Plain:
    return {"done": True, "undo": {"what": what, "id": identifier, **more}}


def _text(given: Mapping[str, Any]) -> str:
    text = given.get("text")
    if not isinstance(text, str):
        raise InvalidArgumentError("text is missing")
    return text


def _pin(memory: Verbs, identifier: int, given: Mapping[str, Any]) -> Plain:
    memory.pin(identifier)
    return _undone("unpin", identifier)


def _unpin(memory: Verbs, identifier: int, given: Mapping[str, Any]) -> Plain:
    memory.unpin(identifier)
    return _undone("pin", identifier)


def _used(memory: Verbs, identifier: int, given: Mapping[str, Any]) -> Plain:
    memory.used(identifier)
    return {"done": True, "undo": None}


def _forget(memory: Verbs, identifier: int, given: Mapping[str, Any]) -> Plain:
    version = memory[identifier].version
    memory.forget(identifier)
    return _undone("revive", identifier, version=version)


def _revive(memory: Verbs, identifier: int, given: Mapping[str, Any]) -> Plain:
    version = given.get("version")
    before = memory[identifier].version if identifier in memory else None
    missing = {"missing": list(memory.history.revive(identifier, version).missing)}
    if before is None:
        return _undone("forget", identifier) | missing
    return _undone("revive", identifier, version=before) | missing


def _correct(memory: Verbs, identifier: int, given: Mapping[str, Any]) -> Plain:
    version = memory[identifier].version
    written = memory.correct(identifier, _text(given))
    new = [node.id for node in written]
    return _undone("uncorrect", identifier, new=new, version=version) | {
        "id": written[0].id if written else identifier
    }


def _new(given: Mapping[str, Any]) -> list[int]:
    new = given.get("new")
    if not isinstance(new, list) or not all(type(node) is int for node in new):
        raise InvalidArgumentError("new is the ids of the memories to withdraw")
    return new


def _uncorrect(memory: Verbs, identifier: int, given: Mapping[str, Any]) -> Plain:
    for node in _new(given):
        if node in memory:
            memory.forget(node)
    missing = list(memory.history.revive(identifier, given.get("version")).missing)
    return {"done": True, "undo": None, "id": identifier, "missing": missing}


def _replace(memory: Verbs, identifier: int, given: Mapping[str, Any]) -> Plain:
    written = memory.replace(identifier, _text(given))
    new = [node.id for node in written]
    return _undone("reopen", identifier, new=new) | {"id": new[0]}


def _reopen(memory: Verbs, identifier: int, given: Mapping[str, Any]) -> Plain:
    memory.history.reopen(identifier, withdraw=_new(given))
    if given.get("pinned") is True:
        memory.pin(identifier)
    return {"done": True, "undo": None, "id": identifier}


def _confirm(memory: Verbs, identifier: int, given: Mapping[str, Any]) -> Plain:
    memory.review.confirm([identifier])
    return {"done": True, "undo": None}


def _erase(memory: Verbs, identifier: int, given: Mapping[str, Any]) -> Plain:
    memory.forget(identifier, erase=True)
    return {"done": True, "undo": None}


def _resolve(memory: Verbs, given: Mapping[str, Any]) -> Plain:
    pair, keep = given.get("pair"), given.get("keep")
    if not isinstance(pair, list) or not all(type(node) is int for node in pair):
        raise InvalidArgumentError("pair is the ids of two memories")
    if keep != "both" and type(keep) is not int:
        raise InvalidArgumentError("keep is the id of the memory to keep, or 'both'")
    if keep == "both":
        memory.review.resolve(pair, keep=keep)
        return {"done": True, "undo": None}
    over = [node for node in pair if node != keep]
    pinned = [node for node in over if node in memory and memory[node].pinned]
    memory.review.resolve(pair, keep=keep)
    return _undone("reopen", over[0], new=[], pinned=bool(pinned))


_Act = Callable[[Verbs, int, Mapping[str, Any]], Plain]
_ACTS: Final[Mapping[str, _Act]] = {
    "pin": _pin,
    "unpin": _unpin,
    "used": _used,
    "forget": _forget,
    "revive": _revive,
    "correct": _correct,
    "uncorrect": _uncorrect,
    "replace": _replace,
    "reopen": _reopen,
    "confirm": _confirm,
    "erase": _erase,
    "resolve": lambda memory, _, given: _resolve(memory, given),
}


def missing(error: Exception) -> bool:
    """Whether an error says that a node is not there."""
    return isinstance(error, UnknownNodeError)
