"""Answers to the page's requests, as JSON; all of them through public verbs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from itertools import islice, pairwise
from typing import Any, Final

from graphmem.api.verbs import Verbs
from graphmem.errors import ForgottenError, InvalidArgumentError, UnknownNodeError
from graphmem.recalling.cue import subject
from graphmem.values.nodes import Form, Node, Tombstone, Version
from graphmem.values.recall import LIKELY
from graphmem.values.worth import Worth
from graphmem_worker.text.trivial import is_only_reply, trivial
from graphmem_worker.text.words import HAN_KANA, is_cjk, words

Plain = dict[str, Any]

_HITS: Final = 12
_SURE: Final = 0.5  # `Recall.answered` from which the answer is taken to be among the hits
_TOKEN: Final = re.compile(rf"[{HAN_KANA}]+|[^\W{HAN_KANA}]+")
_LINKS: Final = 40
_WEAK: Final = ("focus", "segment")  # relations that graphmem makes
_WHOLE: Final = 160  # width up to which a list shows a whole memory; a Han character has 2
_LISTED: Final = 100  # candidates, conflicts, themes
_SECONDS: Final = 5.0  # for comparing new memories before conflicts are listed
_NUMBERS: Final = (
    "sequence", "today", "nodes", "links", "pinned", "text_bytes", "archive_bytes", "archived",
)  # fmt: skip
_OF_NODE: Final = (
    "id", "phrase", "keywords", "speaker", "session", "uses", "pinned", "form",
)  # fmt: skip


def _fields(value: object, names: Iterable[str]) -> Plain:
    return {name: getattr(value, name) for name in names}


def _moment(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat()


def state(memory: Verbs) -> Plain:
    """The state that may change while the page is open: sequence number, passes, focus, sizes."""
    stats = memory.admin.stats()
    settings = memory.admin.settings
    return {
        **{name: stats[name] for name in _NUMBERS},
        "scope": memory.name,
        "path": memory.path,
        "focus": [node.id for node in memory.graph.focus],
        "memory_bytes": stats["budget"]["memory_bytes"],
        "max_bytes": settings.max_bytes,
        "max_nodes": settings.max_nodes,
        "waiting": stats["queue"]["waiting"],
        "vectors": stats["vectors"]["vectors"],
    }


def recall(memory: Verbs, cue: str) -> Plain:
    """The hits of a cue, with the parts of each score and the path that led there. Nothing is
    counted as used."""
    found = memory.recall(cue, limit=_HITS, use=False)
    is_sure, asked, given = found.answered >= _SURE, frozenset(subject(cue)), frozenset(words(cue))
    # Without a sure answer, a gist at the top would look like the best one.
    hits = sorted(found, key=lambda hit: not is_sure and hit.node.form is Form.GIST)
    return {
        "cue": cue,
        "sure": is_sure,
        "notes": found.notes,
        "once": _once(found.dangling),
        "hits": [
            {
                "id": hit.id,
                "scope": hit.node.scope,  # of a parent scope, which has its own ids
                "likely": hit.score >= LIKELY * found[0].score
                and (is_sure or hit.node.form is not Form.GIST),
                "parts": {k: round(v, 3) for k, v in hit.parts.items() if abs(v) >= 0.005},
                "path": [[p.source, p.relation, p.target, round(p.strength, 3)] for p in hit.path],
                "text": hit.text,
                "matched": _matched(f"{hit.speaker or ''} {hit.text}", asked, given)
                or _matched(hit.text, given, given),
                "speaker": hit.speaker,
                "when": hit.happened.isoformat(),
                "form": hit.node.form,
                "earlier": hit.earlier,
            }
            for hit in hits
        ],
    }


def _once(forgotten: Iterable[Tombstone]) -> list[str]:
    """The phrases of forgotten memories, without trivial ones and mere questions."""
    phrases = (stone.phrase for stone in forgotten)
    return [each for each in phrases if trivial(each) is None and not is_only_reply([each])]


def _matched(text: str, asked: frozenset[str], given: frozenset[str]) -> list[str]:
    """The parts of a text that were asked for, longest first; Chinese as far as the cue goes on."""
    found = {each for each in asked if len(each) == 1 and is_cjk(each) and each in text}
    for token in _TOKEN.findall(text):
        if is_cjk(token):
            pairs = map("".join, pairwise(token))
            marks = "".join("2" if p in asked else "1" if p in given else "0" for p in pairs)
            found |= {token[run.start() : run.end() + 1] for run in re.finditer("1*2[12]*", marks)}
        elif not asked.isdisjoint(words(token)):
            found.add(token)
    return sorted(found, key=lambda each: (-len(each), each))


def node(memory: Verbs, identifier: int) -> Plain:
    """All that is known of a memory, live or forgotten. Raises UnknownNodeError."""
    versions = memory.history.of(identifier)
    try:
        live: Node | None = memory[identifier]
    except ForgottenError:
        live = None
    found: Plain = {
        **_node(live or versions[-1].node),
        "alive": live is not None,
        "versions": [_version(each) for each in versions],
        "links": [],
        "once": [],
    }
    if live is None:
        return found
    links = memory.graph.links(identifier)
    there = [link for link in links if not link.dangling]
    there.sort(key=lambda link: link.relation in _WEAK)  # the strongest first of each
    found["links"] = [
        [link.relation, link.target, round(link.strength, 3), _is_beside(memory, live, link.target)]
        for link in there[:_LINKS]
    ]
    found["once"] = _once(each.known for each in links.dangling if each.known is not None)
    found["worth"] = _worth(memory.history.worth(identifier))
    found["retention"] = memory.review.retention(identifier).state
    theme = memory.themes.of(identifier)
    found["theme"] = None if theme is None else theme.title
    return found


def _is_beside(memory: Verbs, node: Node, other: int) -> bool:
    """Whether another memory is of the same session, and of the same day."""
    with suppress(ForgottenError, UnknownNodeError):
        beside = memory[other]
        one, two = (each.happened or each.created for each in (node, beside))
        return node.session is not None and (
            (node.session, one.date()) == (beside.session, two.date())
        )
    return False


def _node(node: Node) -> Plain:
    return {
        **_fields(node, _OF_NODE),
        **_fields(node.kind, ("realm", "temporality", "confidence")),
        "text": str(node),
        "sentence": _sentence(node),
        "kept": round(node.kept, 3),
        "from": _moment(node.valid_from),
        "to": _moment(node.valid_to),
        **{name: _moment(getattr(node, name)) for name in ("happened", "created", "expires")},
    }


def _version(version: Version) -> Plain:
    return {
        **_fields(version, ("version", "why", "importance")),
        **_fields(version.node, ("form", "sentences")),
        "text": str(version.node),
        "ended": _moment(version.ended),
        "worths": [round(worth, 4) for worth in version.worths],
    }


def _worth(worth: Worth) -> Plain:
    after = worth.next
    return {
        "importance": round(worth.importance, 3),
        "kept": worth.kept,
        "sentences": [[each.text, round(each.worth, 4)] for each in worth.sentences],
        "next": None if after is None else _fields(after, ("passes", "form", "lost")),
    }


def lines(memory: Verbs, identifiers: Iterable[int]) -> Plain:
    """Speaker, day and `_sentence` of each of these memories that is live, by id."""
    live = []
    for each in identifiers:
        with suppress(ForgottenError, UnknownNodeError):
            live.append(memory[each])
    return {
        "lines": {
            node.id: [node.speaker, f"{node.happened or node.created:%Y-%m-%d}", _sentence(node)]
            for node in live
        }
    }


def _sentence(node: Node) -> str:
    """A memory in a list: its whole text if that is short, else the sentence that holds its phrase
    and as many of the following as there is room for, with "…" for what is left out."""
    whole = str(node)
    if _width(whole) <= _WHOLE:
        return whole
    phrase = node.phrase.rstrip("…")
    sentences = node.sentences
    at = next((at for at, each in enumerate(sentences) if phrase in each), None)
    if at is None:
        return whole
    end = at + 1
    while end < len(sentences) and _width("".join(sentences[at : end + 1])) <= _WHOLE:
        end += 1
    shown = "".join(sentences[at:end]).strip()
    return f"{'… ' if at else ''}{shown}{' …' if end < len(sentences) else ''}"


def _width(text: str) -> int:
    return sum(1 + is_cjk(each) for each in text)


def candidates(memory: Verbs) -> Plain:
    """The candidates for cleaning."""
    names = ("kind", "reason", "text", "lost", "archived", "other", "sure")
    found = memory.review.candidates(limit=_LISTED)
    by = lines(memory, (each.node for each in found))["lines"]
    return {
        "candidates": [
            {"id": each.node, "by": by.get(each.node, ["", ""])[:2], **_fields(each, names)}
            for each in found
        ]
    }


def conflicts(memory: Verbs) -> Plain:
    """The pairs of memories that state different values of one thing."""
    return {
        "conflicts": [
            {
                **_fields(each, ("kind", "slot", "values", "proposal")),
                "older": _node(each.older),
                "newer": _node(each.newer),
                "dates": [when.isoformat() for when in each.dates],
            }
            for each in memory.review.conflicts(_LISTED, seconds=_SECONDS)
        ]
    }


def themes(memory: Verbs) -> Plain:
    """The themes, the largest first."""
    return {
        "themes": [
            {"id": theme.id, "name": theme.title, "sentence": theme.sentence}
            for theme in islice(memory.themes, _LISTED)
        ]
    }


def act(memory: Verbs, given: Mapping[str, Any]) -> Plain:
    """Do the act of a button; returns the act that undoes it, None without one. given: "what" and
    "id", for some acts "text" or "keep". Raises InvalidArgumentError, and what the verb raises."""
    what = given.get("what")
    if what not in _ACTS:
        raise InvalidArgumentError(f"what is one of {', '.join(_ACTS)}, got {what!r:.40}")
    if what == "resolve":
        return _resolve(memory, given)
    identifier = given.get("id")
    if type(identifier) is not int:
        raise InvalidArgumentError(f"id is the id of a node, got {identifier!r:.40}")
    match what:
        case "pin" | "unpin":
            getattr(memory, what)(identifier)
            return _done(identifier, "unpin" if what == "pin" else "pin")
        case "used":
            memory.used(identifier)
        case "confirm":
            memory.review.confirm([identifier])
        case "erase":
            memory.forget(identifier, erase=True)
        case "forget":
            version = memory[identifier].version
            memory.forget(identifier)
            return _done(identifier, "revive", version=version)
        case "revive":
            before = memory[identifier].version if identifier in memory else None
            missing = list(memory.history.revive(identifier, given.get("version")).missing)
            more = {} if before is None else {"version": before}
            return _done(identifier, "revive" if more else "forget", **more) | {"missing": missing}
        case "correct":
            version = memory[identifier].version
            new = [node.id for node in memory.correct(identifier, _text(given))]
            undone = _done(identifier, "uncorrect", new=new, version=version)
            return undone | {"id": new[0] if new else identifier}
        case "uncorrect":
            memory.forget([node for node in _ids(given, "new") if node in memory])
            missing = list(memory.history.revive(identifier, given.get("version")).missing)
            return _done(identifier) | {"id": identifier, "missing": missing}
        case "replace":
            new = [node.id for node in memory.replace(identifier, _text(given))]
            return _done(identifier, "reopen", new=new) | {"id": new[0]}
        case "reopen":
            memory.history.reopen(identifier, withdraw=_ids(given, "new"))
            if given.get("pinned") is True:
                memory.pin(identifier)
            return _done(identifier) | {"id": identifier}
    return _done(identifier)


_ACTS: Final = (
    "pin", "unpin", "used", "forget", "revive", "correct", "uncorrect", "replace", "reopen",
    "confirm", "erase", "resolve",
)  # fmt: skip


def _done(identifier: int, undo: str | None = None, **more: Any) -> Plain:
    """The answer to an act; undo: the act that undoes it."""
    undone = None if undo is None else {"what": undo, "id": identifier, **more}
    return {"done": True, "undo": undone}


def _text(given: Mapping[str, Any]) -> str:
    text = given.get("text")
    if not isinstance(text, str):
        raise InvalidArgumentError("text is missing")
    return text


def _ids(given: Mapping[str, Any], name: str) -> list[int]:
    ids = given.get(name)
    if not isinstance(ids, list) or not all(type(node) is int for node in ids):
        raise InvalidArgumentError(f"{name} is a list of ids of memories")
    return ids


def _resolve(memory: Verbs, given: Mapping[str, Any]) -> Plain:
    pair, keep = _ids(given, "pair"), given.get("keep")
    if keep != "both" and type(keep) is not int:
        raise InvalidArgumentError("keep is the id of the memory to keep, or 'both'")
    closed = [node for node in pair if node != keep]
    pinned = any(node in memory and memory[node].pinned for node in closed)
    memory.review.resolve(pair, keep=keep)
    if keep == "both":
        return _done(0)
    return _done(closed[0], "reopen", new=[], pinned=pinned)
