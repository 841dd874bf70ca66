"""Undo: the archived forms of a node, and reviving it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Final

from graphmem.errors import ForgottenError, UnknownNodeError, UnknownVersionError
from graphmem.forgetting import archive
from graphmem.forgetting.archive import Archived
from graphmem.forgetting.removal import Removal, bury
from graphmem.graph import kinds, links, worth
from graphmem.graph.records import AWAY, NodeRecord, TextRecord, as_node
from graphmem.graph.relations import CORRECTS
from graphmem.graph.view import View, named
from graphmem.graph.writer import GraphWriter, text_hash
from graphmem.hexastore import keys, terms
from graphmem.hexastore.keys import Space
from graphmem.values.moments import moment
from graphmem.values.nodes import Forgotten, Node, Version

GONE: Final = frozenset(("faded", "slot", "asked", "corrected", "expired", "room"))


def history(view: View, node: int) -> list[Version]:
    """The archived forms of a node, oldest first, then the present one.

    Raises UnknownNodeError if there is none.
    """
    versions = [
        _version(view, f, moment(f.when), f.passes)
        for f in archive.forms(view.reader, view.scope, node)
    ]
    if (pair := view.pair(node)) is not None:
        record, text = pair
        worths = tuple(worth.worths(view.state, text))
        present = Archived(node, "present", 0, 0, text, record, view.importance(node), worths)
        versions.append(_version(view, present, None, None))
    if not versions:
        if (stone := view.tombstone(node)) is not None:
            raise UnknownNodeError(
                f"of node {node} the archive has no form any more; it was about: {stone.phrase}"
            )
        raise UnknownNodeError(f"nothing is known of a node {node}")
    return versions


def _version(view: View, form: Archived, ended: datetime | None, passes: int | None) -> Version:
    record, node = form.record, as_node(form.node, form.text, form.record, view.zone)
    return Version(
        record.version, node, ended, form.why, record.born, record.last_use, passes,
        form.importance, form.worths,
    )  # fmt: skip


def is_known(view: View, node: int) -> bool:
    """True if a forgotten node has a tombstone or an archived form."""
    return view.tombstone(node) is not None or any(
        True for _ in archive.forms(view.reader, view.scope, node)
    )


def unknown(view: View, node: int) -> UnknownNodeError:
    """The error for a node that does not exist: ForgottenError if something is left of it."""
    if node in view.expired:
        return ForgottenError(
            f"node {node} has expired; the next sweep moves it to the archive, and then "
            f"history.revive({node}) brings it back"
        )
    stone = view.tombstone(node)
    if after := _correcting(view, node):
        return ForgottenError(
            f"node {node} was never true: node {after[-1]} is what it was corrected to; name that "
            f"one, for history.revive({node}) brings back what is false"
        )
    if stone is not None:
        return ForgottenError(
            f"node {node} was forgotten at pass {stone.passes} ({stone.why}); it was about: "
            f"{stone.phrase}. history.revive({node}) brings it back while the archive has it"
        )
    if is_known(view, node):
        return ForgottenError(f"node {node} was forgotten; history.revive({node}) brings it back")
    return UnknownNodeError(
        f"there is no node {node} in scope {view.scope.name!r}; nodes() lists those that there are"
    )


def known(view: View, node: int) -> tuple[NodeRecord, TextRecord]:
    """The two records of a node. Raises ForgottenError, UnknownNodeError."""
    if (pair := view.pair(node)) is None:
        raise unknown(view, node)
    return pair


def present(view: View, node: int) -> Node:
    """A live node. Raises ForgottenError, UnknownNodeError."""
    record, text = known(view, node)
    return as_node(node, text, record, view.zone)


def forgotten(view: View, limit: int) -> list[Forgotten]:
    """Up to `limit` forgotten nodes, the last forgotten first."""
    found: dict[int, Forgotten] = {}
    for key in view.reader.keys(*keys.under(view.scope.prefix(Space.TOMBSTONE))):
        stone = view.tombstone(int.from_bytes(key[-8:], "big"))
        if stone is not None:
            found[stone.id] = Forgotten(
                stone.id, stone.phrase, stone.keywords, stone.when, stone.why, False, True
            )
    for form in islice(_gone(view), limit):
        text, missed = form.text, form.node in found
        found[form.node] = Forgotten(
            form.node, text.phrase, text.keywords, moment(form.when), form.why, True, missed
        )
    return sorted(found.values(), key=lambda f: (f.when, f.id), reverse=True)[:limit]


def _gone(view: View) -> Iterator[Archived]:
    seen: set[int] = set()
    for form in archive.newest_first(view):
        if form.why in GONE and form.node not in seen and view.record(form.node) is None:
            seen.add(form.node)
            yield form


def form_before(view: View, node: int) -> TextRecord | None:
    """The form of a node before its present one; None if the archive does not have it."""
    forms = list(archive.forms(view.reader, view.scope, node))
    return forms[-1].text if forms else None


def revive(writer: GraphWriter, removal: Removal, node: int, version: int | None) -> Node:
    """Restore an archived form of a node, `version` or the fullest, of these the latest; the node
    enters the focus. A forgotten node gets its links and facts back whose other ends exist or can
    be revived; `missing` lists the rest. Raises UnknownVersionError, UnknownNodeError."""
    forms = {f.version: f for f in archive.forms(writer.tx, writer.tx.scope, node)}
    pair = writer.view.pair(node)
    if not forms and pair is None:
        if (stone := writer.view.tombstone(node)) is not None:
            raise UnknownVersionError(
                f"the archive no longer has a form of node {node}, which was forgotten at pass "
                f"{stone.passes} and was about: {stone.phrase}. A higher archive_bytes keeps more"
            )
        raise UnknownNodeError(f"nothing is known of a node {node}; it cannot be revived")
    alive = f"node {node} is alive"
    if pair is not None and pair[0].valid_to is not None:
        alive = f"node {node} was replaced (history.reopen({node}) takes that back)"
    fullest = max(forms, key=lambda number: (len(forms[number].text.text), number), default=0)
    if not forms:
        raise UnknownVersionError(f"{alive}, and the archive has no earlier form of it")
    wanted = fullest if version is None else version
    form = forms.get(wanted)
    if form is None:
        known = ", ".join(map(str, sorted(forms)))
        raise UnknownVersionError(
            f"the archive has no version {wanted} of node {node} (it has: {known})"
        )
    if version is None and pair is not None and len(pair[1].text) >= len(form.text.text):
        raise UnknownVersionError(f"{alive}, and the archive has no fuller form of it")
    missing: list[str] = []
    if pair is None:
        last = forms[max(forms)]
        latest = _restore(writer, removal, form, last)
        missing += ["its pin"] * (last.record.pinned and not latest.pinned)
        missing += _reconnect(writer, last)
    else:
        latest, text = pair
        removal.archive(writer, node, text, latest, "revived")
        removal.index.put(writer.tx, node, form.text.words, text.words)
        writer.put_text(node, text, form.text)
    revived = latest._replace(
        version=max(latest.version, *forms) + 1,
        enriched=form.record.enriched,
        born=writer.tx.state.passes,
        text_hash=text_hash(form.text),
    )
    writer.put_record(node, revived)
    if revived.valid_to is not None:
        over = named(writer.view.over(node))
        missing.append(f"that it holds: {over} has replaced it; history.reopen({node}) undoes that")
    if by := _correcting(writer.view, node):
        missing.append(
            f"that it is true: {named(by)} corrects it, and both hold now; forget({node}) undoes "
            "that"
        )
    if not writer.importance(node):  # it had no link, or none was kept
        writer.link_with_focus(node)
    writer.enter_focus(node)
    revived = writer.schedule(node, form.text, revived, removal.ground.settings.grace)
    return replace(as_node(node, form.text, revived, writer.view.zone), missing=tuple(missing))


def _correcting(view: View, node: int) -> list[int]:
    """The live nodes that correct a node."""
    return sorted(
        link.source
        for link in view.incoming(node)
        if link.relation == CORRECTS and view.record(link.source) is not None
    )


def _restore(writer: GraphWriter, removal: Removal, form: Archived, last: Archived) -> NodeRecord:
    """Write a form of a forgotten node with the record of its last form; without its pin if half of
    `max_nodes` are pinned."""
    node, most = form.node, removal.ground.settings.max_nodes
    gone = (AWAY, last.when, removal.ground.now())
    record = last.record._replace(due=0, undone=(*last.record.undone, gone))
    if record.pinned and most is not None and writer.tx.state.pinned >= most // 2:
        record = record._replace(pinned=False)
    if record.expires is not None and record.expires <= removal.ground.now():
        record = kinds.lasting(record)._replace(expires=None)
    writer.restore(node, form.text, record)
    removal.index.put(writer.tx, node, form.text.words)
    stone = writer.tx.scope.prefix(Space.TOMBSTONE) + keys.u64(node)
    if writer.tx.delete(stone) is not None:
        writer.tx.state.tombstones -= 1
    return record


def _reconnect(writer: GraphWriter, last: Archived) -> list[str]:
    """Restore the links and facts of a revived node; returns descriptions of what is missing.

    A link to a forgotten node dangles until that is revived; a link from one is restored when it is
    revived.
    """
    tx, lost, gone = writer.tx, 0, set[int]()
    for link in last.links:
        if links.look_up(tx, tx.scope, [(link.source, link.relation, link.target)])[0] is not None:
            continue
        other = link.target if link.source == last.node else link.source
        if writer.view.record(other) is None:
            forms = list(archive.forms(tx, tx.scope, other))
            if not forms:
                lost += 1
                gone.add(other)
                continue
            if other != link.target:
                continue
            if writer.view.tombstone(other) is None:
                bury(writer, forms[-1])
        writer.links.restore(link)
    for fact in last.facts:
        writer.put_fact(fact)
    if not lost:
        return []
    ends = ", ".join(map(str, sorted(gone)))
    return [f"{lost} link{'s' * (lost > 1)} with what is no more (node {ends})"]


def put_right(
    writer: GraphWriter, removal: Removal, old: int, write: Callable[[], list[Node]]
) -> list[Node]:
    """Forget `old` and have `write()` create its successors; returns these. The first of them gets
    the links between `old` and live nodes, the facts about it, and `corrects` to it."""
    outgoing = [link for link in writer.view.links(old) if not link.dangling]
    incoming = writer.view.incoming(old)
    new = writer.tx.state.next_node  # the id that the first node will have
    facts = writer.facts(old)
    # A tombstone stays only where a link points.
    writer.link(new, CORRECTS, old)
    removal.forget(writer, old, "corrected")
    for _, predicate, value in facts:
        writer.put_fact((terms.node_iri(new).n3(), predicate, value))
    writer.move_facts(old, new)  # those with `old` as the object
    nodes = write()
    for link in outgoing:
        if writer.view.record(link.target) is not None:
            writer.link(new, link.relation, link.target, initial=link.strength)
    for link in incoming:
        if writer.view.record(link.source) is not None:
            writer.link(link.source, link.relation, new, initial=link.strength)
    return nodes
