"""Undo: what the archive still knows of a node, and bringing it back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Final

from graphmem.errors import UnknownNodeError, UnknownVersionError
from graphmem.forgetting import archive
from graphmem.forgetting.archive import Archived
from graphmem.forgetting.removal import Removal
from graphmem.graph import worth
from graphmem.graph.records import Node, NodeRecord, TextRecord, moment, once_knew
from graphmem.graph.relations import SUPERSEDES
from graphmem.graph.view import View
from graphmem.graph.writer import GraphWriter, text_hash
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.index.texts import TextIndex

GONE: Final = frozenset(("faded", "slot", "asked", "corrected"))


@dataclass(frozen=True, slots=True)
class Version:
    """One form in the life of a node."""

    version: int
    node: Node  # as it was in that form
    ended: datetime | None  # UTC; None: it is the present form
    why: str  # present, shortened, faded, slot, asked, corrected or revived
    born: int  # the pass at which the node was made, or last revived
    last_use: int  # the pass of its last use until then; 0 if there was none
    passes: int | None  # the pass at which the form ended; None: it is the present form
    importance: float | None  # then; None if it is not recorded
    worths: tuple[float, ...]  # of its sentences then; of a gist, of the best that it had lost


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A node that is no more."""

    id: int
    phrase: str
    keywords: tuple[str, ...]
    when: datetime  # UTC
    why: str  # faded, slot (its place was needed), asked or corrected
    revivable: bool  # the archive still has its last form
    missed: bool  # links still point to it

    def __str__(self) -> str:
        return once_knew(self.phrase, self.keywords)


def history(view: View, node: int) -> list[Version]:
    """The forms of a node, oldest first, as far as the archive reaches; the present one last.

    Raises UnknownNodeError when there is nothing of it.
    """
    versions = [
        Version(
            f.version,
            Node.of(node, f.text, f.record),
            moment(f.when),
            f.why,
            f.record.born,
            f.record.last_use,
            f.passes,
            f.importance,
            f.worths,
        )
        for f in archive.forms(view.reader, view.scope, node)
    ]
    if (pair := view.pair(node)) is not None:
        record, text = pair
        versions.append(
            Version(
                record.version,
                Node.of(node, text, record),
                None,
                "present",
                record.born,
                record.last_use,
                None,
                view.importance(node),
                tuple(worth.worths(view.state, text)),
            )
        )
    if not versions:
        if (stone := view.tombstone(node)) is not None:
            raise UnknownNodeError(
                f"of node {node} the archive has no form any more; it was about: {stone.phrase}"
            )
        raise UnknownNodeError(f"nothing is known of a node {node}")
    return versions


def is_known(view: View, node: int) -> bool:
    """True if anything is left of a node that is no more: a tombstone or an archived form."""
    return view.tombstone(node) is not None or any(
        True for _ in archive.forms(view.reader, view.scope, node)
    )


def forgotten(view: View, limit: int) -> list[Forgotten]:
    """Up to `limit` forgotten nodes, the last forgotten first."""
    found: dict[int, Forgotten] = {}
    start = view.scope.prefix(Space.TOMBSTONE)
    for key in view.reader.keys(start, keys.after(start)):
        stone = view.tombstone(int.from_bytes(key[-8:], "big"))
        if stone is not None:
            found[stone.id] = Forgotten(
                stone.id, stone.phrase, stone.keywords, stone.when, stone.why, False, True
            )
    for form in islice(_gone(view), limit):
        missed = form.node in found
        found[form.node] = Forgotten(
            form.node,
            form.text.phrase,
            form.text.keywords,
            moment(form.when),
            form.why,
            True,
            missed,
        )
    return sorted(found.values(), key=lambda f: (f.when, f.id), reverse=True)[:limit]


def _gone(view: View) -> Iterator[Archived]:
    seen: set[int] = set()
    for form in archive.newest_first(view.reader, view.scope):
        if form.why in GONE and form.node not in seen and view.record(form.node) is None:
            seen.add(form.node)
            yield form


def form_before(view: View, node: int) -> TextRecord | None:
    """What a node said before its present form; None where the archive does not reach back."""
    forms = list(archive.forms(view.reader, view.scope, node))
    return forms[-1].text if forms else None


def revive(
    writer: GraphWriter,
    removal: Removal,
    index: TextIndex,
    node: int,
    version: int | None,
    *,
    grace: int,
    now: int,
) -> Node:
    """Bring a form back, `version` or the last that had sentences; it enters the focus.

    The form that is replaced goes to the archive. Raises UnknownVersionError when the archive does
    not have it, UnknownNodeError when nothing is known of the node.
    """
    forms = {f.version: f for f in archive.forms(writer.tx, writer.tx.scope, node)}
    pair = writer.view.pair(node)
    if not forms and pair is None:
        if (stone := writer.view.tombstone(node)) is not None:
            raise UnknownVersionError(
                f"the archive no longer has a form of node {node}, which was forgotten at pass "
                f"{stone.passes} and was about: {stone.phrase}. A higher archive_bytes keeps more"
            )
        raise UnknownNodeError(f"nothing is known of a node {node}; it cannot be revived")
    told = [number for number, form in forms.items() if form.text.spans]
    if not forms:
        raise UnknownVersionError(
            f"node {node} is alive, and the archive has no earlier form of it"
        )
    wanted = max(told or forms) if version is None else version
    form = forms.get(wanted)
    if form is None:
        known = ", ".join(map(str, sorted(forms)))
        raise UnknownVersionError(
            f"the archive has no version {wanted} of node {node} (it has: {known})"
        )
    if pair is None:
        latest = _restore(writer, index, node, form)
    else:
        latest, text = pair
        removal.archive(writer, node, text, latest, "revived", now)
        index.put(writer.tx, node, form.text.words, text.words)
        writer.put_text(node, text, form.text)
    revived = latest._replace(
        version=max(latest.version, *forms) + 1,
        enriched=form.record.enriched,
        born=writer.tx.state.passes,
        text_hash=text_hash(form.text),
    )
    writer.put_record(node, revived)
    writer.link_with_focus(node)
    writer.enter_focus(node)
    importance = writer.importance(node)
    due = worth.due(writer.tx.scope, writer.tx.state, form.text, revived, importance, grace)
    return Node.of(node, form.text, writer.set_due(node, revived, due))


def _restore(writer: GraphWriter, index: TextIndex, node: int, form: Archived) -> NodeRecord:
    record = form.record._replace(due=0, pinned=False)
    writer.restore(node, form.text, record)
    index.put(writer.tx, node, form.text.words)
    stone = writer.tx.scope.prefix(Space.TOMBSTONE) + keys.u64(node)
    if writer.tx.delete(stone) is not None:
        writer.tx.state.tombstones -= 1
    return record


def supersede(
    writer: GraphWriter, removal: Removal, old: int, write: Callable[[], list[Node]], now: int
) -> list[Node]:
    """Forget `old` and have `write()` make what takes its place; returns those nodes.

    The first of them gets the links between `old` and live nodes, in both directions, the facts
    about it, and `supersedes` to it. `old`
    goes first, so that it takes neither a slot nor a place in the focus beside its successor.
    """
    links = [link for link in writer.view.links(old) if not link.dangling]
    incoming = writer.view.incoming(old)
    new = writer.tx.state.next_node  # the id that the first node will have
    # A tombstone stays only where a link points.
    writer.link(new, SUPERSEDES, old)
    writer.move_facts(old, new)
    removal.forget(writer, old, "corrected", now)
    nodes = write()
    for link in links:
        if writer.view.record(link.target) is not None:
            writer.link(new, link.relation, link.target, initial=link.strength)
    for link in incoming:
        if writer.view.record(link.source) is not None:
            writer.link(link.source, link.relation, new, initial=link.strength)
    return nodes
