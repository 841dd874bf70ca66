"""The texts of items that `recall` finds: memories that are written and erased with their items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from graphmem.errors import InvalidArgumentError
from graphmem.forgetting import archive
from graphmem.forgetting.removal import Removal
from graphmem.graph.records import as_node
from graphmem.graph.view import View
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore.transaction import Transaction
from graphmem.remembering.intake import BATCH_SEGMENTS
from graphmem.remembering.writing import Request, Writing
from graphmem.values.about import About
from graphmem.values.checks import LONGEST_FIELD
from graphmem.values.items import Item
from graphmem.values.nodes import Form


@dataclass
class ItemTexts:
    """Writes, keeps and erases the memories of items within one transaction."""

    tx: Transaction
    writing: Writing
    removal: Removal
    after_write: Callable[[], None]
    """Called after a write that adds memories."""

    @cached_property
    def _writer(self) -> GraphWriter:
        return GraphWriter(self.tx, self.removal.ground.relations)

    def write(self, item: Item, text: str, shared: bool) -> list[int]:
        """Write the text of an item as a memory that expires with it; returns the ids.

        Raises as `remember` does, and InvalidArgumentError for more than 64 segments.
        """
        request = Request(
            text,
            speaker=item.updated_by if len(item.updated_by) <= LONGEST_FIELD else None,
            expires=item.expires,
            metadata={"item_namespace": item.namespace, "item_key": item.key},
            about=About(shared=shared),
        )
        draft = self.writing.draft(request, lasting=True)
        if len(draft.segments) > BATCH_SEGMENTS:
            raise InvalidArgumentError(
                f"the text of {item.key!r:.80} has {len(draft.segments)} segments, and recall finds"
                f" at most {BATCH_SEGMENTS} of an item, about {200 * BATCH_SEGMENTS:,} characters: "
                "split it"
            )
        self.tx.after_commit(self.after_write)
        return [node.id for node in self.writing.intake.add(self._writer, draft)]

    def keep(self, nodes: Sequence[int], expires: int | None, shared: bool | None) -> bool:
        """Set when memories expire, and whether they are shared (None: unchanged). Returns False,
        and changes nothing, if one of them is not whole any more."""
        found = [(node, self._writer.view.pair(node)) for node in nodes]
        for _, pair in found:
            if pair is None or pair[1].form is not Form.WHOLE or pair[0].valid_to is not None:
                return False
        for node, pair in found:
            assert pair is not None
            record = self._writer.set_expiry(node, pair[0], expires)
            if shared is not None and record.shared != shared:
                self._writer.put_record(node, record._replace(shared=shared))
        return True

    def erase(self, nodes: Sequence[int]) -> None:
        """Delete memories, live or forgotten, with all that is derived from them."""
        for hub in self.removal.erase(self._writer, nodes):
            self.tx.follow(partial(self.removal.finish_erasing, hub))


def item_of_node(view: View, node: int) -> tuple[str, str] | None:
    """Namespace and key of the item of which a memory, live or forgotten, is the text; None if of
    none."""
    if (pair := view.pair(node)) is not None:
        record, text = pair
        return as_node(node, text, record, view.zone).item
    forms = archive.forms(view.reader, view.scope, node)
    return next((as_node(node, form.text, form.record, view.zone).item for form in forms), None)
