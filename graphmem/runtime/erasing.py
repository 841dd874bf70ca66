"""Erasing: forgets or erases nodes of an open scope, and rewrites files without deleted bytes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, partial
from typing import Final

from graphmem.forgetting import archive, undo
from graphmem.graph.relations import SEGMENT_CODE
from graphmem.graph.view import View
from graphmem.hexastore import scopes
from graphmem.runtime.item_texts import item_of_node
from graphmem.runtime.open_scope import OpenScope
from graphmem.sharing import saved_set

_AT_ONCE: Final = 64  # nodes of one batch, which reads the whole archive


def forget(opened: OpenScope, nodes: Iterable[int], erase: bool) -> None:
    """Forget nodes, or erase them. Raises ForgottenError, UnknownNodeError; then nothing is
    changed."""
    wanted = list(dict.fromkeys(nodes))
    if erase:
        opened.store.require_no_block("forget(erase=True)")
        with opened.reading() as view:
            for node in wanted:
                if not 0 < node < view.state.next_node:
                    raise undo.unknown(view, node)
        for at in range(0, len(wanted), _AT_ONCE):
            _erase(opened, wanted[at : at + _AT_ONCE])
        if wanted:
            compact(opened)
        return
    with opened.changing() as writer:
        for node in wanted:
            if writer.view.record(node) is None:
                raise undo.unknown(writer.view, node)
        for node in wanted:
            opened.removal.forget(writer, node, "asked")


def _erase(opened: OpenScope, nodes: Iterable[int]) -> None:
    """Delete nodes with all that is derived from them, in stored working sets too; of the text of
    an item all its nodes.

    Their bytes stay in the files until these are rewritten.
    """
    with opened.changing() as writer:
        gone = dict.fromkeys(nodes)
        for node in nodes:
            if (item := item_of_node(writer.view, node)) is not None:
                gone |= dict.fromkeys(opened.item_store.drop_text(writer.tx, *item, node))
        texts = cache(partial(_texts, writer.view, gone))
        stored = opened.item_store.every(saved_set.NAMESPACE)
        opened.item_store.change(writer.tx, *saved_set.without(stored, gone.keys(), texts))
        hubs = opened.removal.erase(writer, gone)
        writer.tx.put_uncounted(*scopes.erasing(opened.store, opened.scope.id))
    for hub in hubs:
        opened.removal.finish_erasing(hub)


def _texts(view: View, nodes: Iterable[int]) -> set[int]:
    """All nodes of the texts of which these are segments."""
    found = set(nodes)
    ahead = [*found]
    while ahead:
        new = {*view.targets(ahead.pop(), SEGMENT_CODE)} - found
        found |= new
        ahead += new
    return found


def compact(opened: OpenScope) -> None:
    """Fold the void postings of the word index, drop the names of relations without links, and
    rewrite the files so that no byte of deleted data is left in them."""
    opened.jobs.apply_uses()
    while opened.words.void:
        opened.budget.fold(void=True)
    with opened.ground.writing() as writer:
        opened.relations.erase_unused(writer.tx, lambda: archive.relations(writer.view))
    with opened.store.writing:
        opened.item_store.feed.drop_until_gone(opened.item_store.is_stored)
        opened.store.commit(dict([scopes.erasing(opened.store, opened.scope.id)]))
    opened.database.erase_dropped({opened.scope.id}, opened.scope.name)
