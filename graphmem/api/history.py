"""History: what became of memories, and what brings them back; `memory.history`."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.api.nouns import Noun, require_no_block
from graphmem.declaring import refuses, verb
from graphmem.forgetting import reasons, undo
from graphmem.forgetting.life import life as life_of
from graphmem.graph.relations import CORRECTS, SUPERSEDES
from graphmem.graph.view import View
from graphmem.runtime import corrections
from graphmem.values.checks import check_count
from graphmem.values.hits import NodeLike
from graphmem.values.identifiers import node_ids
from graphmem.values.items import Changes
from graphmem.values.nodes import Forgotten, Node, Version
from graphmem.values.worth import Life, Worth


@refuses(require_no_block)
class History(Noun):
    """What became of memories: versions, lives, what was forgotten, what brings it back."""

    @verb(command="of", joins=True)
    def of(self, node: NodeLike) -> list[Version]:
        """The versions of a node that the archive still has, oldest first; the present one last.

        Works for forgotten nodes too. Raises UnknownNodeError if no version is left.
        """
        with self._opened.reading() as view:
            return undo.history(view, self._id(node))

    @verb(command="life", joins=True)
    def life(self, node: NodeLike) -> Life:
        """What happened to a node, step by step, with reasons; as far back as the archive has it.

        Works for forgotten nodes too. Raises UnknownNodeError if no version is left.
        """
        opened, identifier = self._opened, self._id(node)
        with opened.reading() as view:
            is_live = view.record(identifier) is not None
            worth = self._worth(view, identifier) if is_live else None
            after = (k for k in view.incoming(identifier) if k.relation in (CORRECTS, SUPERSEDES))
            successor = next((link.source for link in after), None)
            return life_of(identifier, undo.history(view, identifier), successor, worth)

    @verb(command="worth", joins=True)
    def worth(self, node: NodeLike) -> Worth:
        """Why a node is worth keeping. The result has its sentences with the parts of their
        salience, the links that make its importance, and which sentence is dropped next, at which
        pass.

        Raises ForgottenError, UnknownNodeError.
        """
        with self._opened.reading() as view:
            return self._worth(view, self._id(node))

    def _worth(self, view: View, node: int) -> Worth:
        opened = self._opened
        grace, now = opened.settings.grace, opened.now()
        return reasons.explain(view, node, opened.words.rarity, grace=grace, now=now)

    @verb(command="forgotten", joins=True)
    def forgotten(self, limit: int = 100) -> list[Forgotten]:
        """Up to `limit` (0–100,000) forgotten nodes, the most recently forgotten first."""
        with self._opened.reading() as view:
            return undo.forgotten(view, check_count("limit", limit, 0, 100_000))

    @verb(writes=True, command="revive", joins=True)
    def revive(self, node: NodeLike, version: int | None = None) -> Node:
        """Restore a forgotten node, or an earlier version of a node; it enters the focus.

        A forgotten node comes back with its links, importance, uses, facts and pin, as far as the
        other ends exist or are in the archive themselves; `node.missing` lists the rest. A replaced
        node stays replaced, as `node.missing` says too: `reopen` lets it hold again. A corrected
        one holds again beside its correction, which `node.missing` names.

        version: a number from `history`; None means the archived version with the most text left,
        the latest if several are equal. Raises UnknownVersionError, also for None if the node is
        alive and the archive has no fuller version; UnknownNodeError, ArgumentTypeError.
        """
        if version is not None:
            check_count("version", version, 0, 1 << 62)
        opened, identifier = self._opened, self._id(node)
        with opened.changing() as writer:
            if writer.view.record(identifier) is None:
                opened.make_room(writer, 1)
            revived = undo.revive(writer, opened.removal, identifier, version)
            opened.note(writer, "remembered", identifier)
        opened.store.when_committed(opened.after_write)
        return revived

    @verb(writes=True, command="reopen", joins=True)
    def reopen(self, node: NodeLike, *, withdraw: Iterable[NodeLike] = ()) -> Node:
        """Undo `replace` or `resolve`. A node that was closed holds again, is pinned if it was
        before, and no link `supersedes` points to it any more.

        withdraw: the nodes that `replace` wrote; they are forgotten in the same write, and if they
            were pinned, this one is. If empty, what took its place stays with its pin, as it
            must after `replace(by=)` and `resolve`.

        Raises InvalidArgumentError if the node holds, or if one of `withdraw` was not written in
        its place alone or was replaced since; PinLimitError, ForgottenError, UnknownNodeError.
        """
        return corrections.reopen(self._opened, self._id(node), node_ids(withdraw, self._name))

    @verb(writes=True, idempotent=True, waits=True)
    def changes(self, since: int | None = None, *, prefix: str = "", wait: float = 0.0) -> Changes:
        """The changes of items and memories after change number `since`, oldest first. Pass `.last`
        of the result as the next `since`.

        since: the number of a change; 0 returns all changes that are kept, None only later ones.
        prefix: return only changes whose `Change.subject` begins with it: "pool:team/research:" for
            entries of a pool, "graphmem:memories/" for memories.
        wait: how many seconds to wait if there is no change yet, up to 86,400. Other calls are not
            blocked meanwhile.

        The actions on a memory are remembered, corrected, replaced, reopened, forgotten and erased.
        Its change has the node's id (`.node`; the first node of a text of several segments) and no
        text. A scope records changes of memories from its first item, or the first call of
        `changes`, and keeps its last 4,096 changes across restarts. `.gap` is True if changes after
        `since` are no longer kept.
        """
        return self._opened.item_store.all_changes(since, prefix, wait)
