"""Cleaning: proposals which memories a person may remove or confirm, and why. Nothing is changed.

| class | condition |
|---|---|
| secret | the guard would cut something out of it today, or out of an earlier form |
| expired | its end has passed, all its days are over, or it is short-term and unused |
| obsolete | it was replaced |
| conflicting | a newer one contradicts it and certainly holds |
| redundant | another one states the same |
| trivial | it has no content word, or is a listed reply, status or test |
| uncertain | its confidence is 0.4 to 0.7: a person may confirm it |

A question and its short reply are never trivial, redundant or unused while both are stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Final, NamedTuple

from graphmem.graph.exchanges import is_in_exchange
from graphmem.graph.kinds import Stated
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.view import View
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.lifecycle.census import Census, Content, Judged, Secrets
from graphmem.lifecycle.conflicts import is_protected
from graphmem.lifecycle.retention import DAY, TTL_DAYS
from graphmem.values.conflicts import Conflict
from graphmem.values.lifecycle import Class
from graphmem.values.moments import moment, moment_in

_SHORT: Final = ("short-term", "session")


class Found(NamedTuple):
    """A node that belongs to a class, and why."""

    node: int
    reason: str
    archived: bool = False
    other: int | None = None  # the node that replaces, repeats or contradicts it
    sure: bool = True  # of secrets: a rule found it, not the tagger alone
    archived_text: str = ""  # the archived form, if that has the secret


class Seen(NamedTuple):
    """A node with its properties in one walk over a memory."""

    node: int
    record: NodeRecord
    judged: Judged
    content: Content


def walk(view: View, census: Census) -> Iterator[Seen]:
    """All nodes with their properties."""
    pairs = zip(census.judged.every(view), census.content.every(view), strict=True)
    for (node, record, judged), (_, _, content) in pairs:
        yield Seen(node, record, judged, content)


def expired(view: View, seen: Iterable[Seen], census: Census, now: int) -> Iterator[Found]:
    """Hidden nodes whose end has passed, then nodes that nobody needs any more."""
    start = view.scope.prefix(Space.EXPIRY)
    if view.state.expiring:
        for key in view.reader.keys(start, start + keys.u64(now + 1)):
            when = moment(int.from_bytes(key[len(start) : len(start) + 8], "big"))
            node = int.from_bytes(key[-8:], "big")
            yield Found(node, f"its end was {when:%Y-%m-%d %H:%M} UTC; it is hidden")
    today = moment(now).date().toordinal()
    for each in seen:
        if _is_pinned(each.record) or not (why := _is_over(view, each, today, now)):
            continue
        bond = census.bonds.of(view, each.node, each.record)
        if bond is not None and not bond.holds(today):
            yield Found(each.node, why)


def obsolete(view: View, seen: Iterable[Seen], now: int) -> Iterator[Found]:
    """Nodes that were replaced."""
    for node, record, _, _ in seen:
        if record.valid_to is None or record.valid_to > now or is_kept(record):
            continue
        newer = view.over(node)
        by, other = (f" by node {newer[-1]}", newer[-1]) if newer else ("", None)
        until = f"replaced{by}; it held until {moment_in(view.zone, record.valid_to):%Y-%m-%d}"
        yield Found(node, until, other=other)


def conflicting(view: View, found: Iterable[Conflict]) -> Iterator[Found]:
    """The older nodes of conflicts in which the newer one certainly replaces it. Conflicts that a
    person must decide yield nothing, nor do those that `review.resolve` refuses."""
    for each in found:
        older, newer = each.pair
        if each.proposal is not None and not is_protected(view, older, newer):
            of = f" of {each.slot}" if each.slot else ""
            yield Found(older, f"node {newer} says something else{of} since then", other=newer)


def redundant(
    view: View,
    seen: Iterable[Seen],
    now: int,
    alike: Callable[[Mapping[int, Seen]], Iterable[tuple[int, int]]],
) -> Iterator[Found]:
    """Nodes that repeat another one. Of a group the pinned, most used, newest node stays, and so do
    questions with their replies. alike: returns pairs that state the same in other words."""
    groups: defaultdict[int, list[Seen]] = defaultdict(list)
    for each in seen:
        replaced = each.record.valid_to is not None and each.record.valid_to <= now
        if not replaced and each.content.trivial is None:
            groups[each.content.words_hash].append(each)
    kept: dict[int, Seen] = {}
    for group in groups.values():
        survivor = max(group, key=_precedence)
        kept[survivor.node] = survivor
        for each in group:
            if each is not survivor and not _must_stay(view, each):
                yield Found(each.node, f"node {survivor.node} says the same", other=survivor.node)
    gone: set[int] = set()
    for one, other in alike(kept):
        if one in gone or other in gone:
            continue
        survivor, duplicate = sorted((kept[one], kept[other]), key=_precedence, reverse=True)
        if not _must_stay(view, duplicate):
            gone.add(duplicate.node)
            why = f"node {survivor.node} says the same in other words"
            yield Found(duplicate.node, why, other=survivor.node)


def trivial(view: View, seen: Iterable[Seen]) -> Iterator[Found]:
    """Nodes without content."""
    for each in seen:
        if each.content.trivial is not None and not _must_stay(view, each):
            yield Found(each.node, f"it says nothing: {each.content.trivial}")


def uncertain(seen: Iterable[Seen], now: int) -> Iterator[Found]:
    """Nodes that a person may confirm."""
    for node, record, judged, _ in seen:
        closed = record.valid_to is not None and record.valid_to <= now
        if judged.kind.level == "uncertain" and not closed and not is_kept(record):
            yield Found(node, f"confidence {judged.kind.confidence:.2f}: confirm it if it is so")


def secret(
    seen: Iterable[Seen],
    census: Census,
    earlier: Iterable[tuple[int, int, TextRecord]],
) -> Iterator[Found]:
    """Nodes with secrets for today's guard. earlier: (node, version, text) of archived forms."""
    live: set[int] = set()
    for node, _, _, content in seen:
        if content.secrets.kinds:
            live.add(node)
            yield Found(node, f"it {_described(content.secrets)}", sure=content.secrets.sure)
    for node, version, text in earlier:
        if node in live:
            continue
        if (node, version) not in census.forms:
            census.forms[node, version] = census.secrets(text)
        if (secrets := census.forms[node, version]).kinds:
            live.add(node)
            why = f"version {version} in the archive {_described(secrets)}"
            line = text.text or text.phrase
            yield Found(node, why, archived=True, sure=secrets.sure, archived_text=line)


def _described(secrets: Secrets) -> str:
    return f"{'holds' if secrets.sure else 'may hold'} a {', '.join(secrets.kinds)}"


def _is_over(view: View, seen: Seen, today: int, now: int) -> str:
    """Why a memory is no longer needed; "" if it may be."""
    node, record, judged, content = seen
    if 0 < content.last_relevant_day < today:
        return f"the last day that it names, {date.fromordinal(content.last_relevant_day)}, is over"
    if content.last_relevant_day:
        return ""  # a named day is in the future, or (-1) it recurs or has no end
    span = judged.lasts
    if record.expires is None and span in _SHORT:
        since = (now - (record.last_used or judged.created)) / DAY
        limit = TTL_DAYS[span] or 0.0
        if since > limit and not is_in_exchange(view, node):
            return f"{span}: not used for {since:.0f} days, meant for {limit:.0f}"
    return ""


def is_kept(record: NodeRecord) -> bool:
    """Whether a caller marked a memory as core configuration."""
    return bool(record.kind) and Stated.unpack(record.kind).keep


def _is_pinned(record: NodeRecord) -> bool:
    return record.pinned or is_kept(record)


def _must_stay(view: View, seen: Seen) -> bool:
    """Whether a node is pinned, or a question or reply while both are stored."""
    return _is_pinned(seen.record) or is_in_exchange(view, seen.node)


def _precedence(seen: Seen) -> tuple[bool, int, int]:
    return _is_pinned(seen.record), seen.record.uses, seen.node


ORDER: Final[tuple[Class, ...]] = (
    "secret", "trivial", "obsolete", "expired", "conflicting", "redundant", "uncertain",
)  # fmt: skip
"""A node that belongs to several classes is listed in the first of them."""
