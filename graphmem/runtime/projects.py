"""What `Memory.sync` needs of an open scope, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.forgetting import correction
from graphmem.graph.relations import SUPERSEDES
from graphmem.lifecycle.decisions import decisions
from graphmem.runtime.open_scope import OpenScope
from graphmem.services.tokens import estimated_tokens
from graphmem.values.nodes import Node

if TYPE_CHECKING:
    from graphmem.exchange.project import Project


def project(opened: OpenScope) -> Project:
    """What brings a scope in line with the folder of a project."""
    from graphmem.exchange.project import Project  # which loads a YAML parser

    def decided() -> list[Node]:
        with opened.reading() as view:
            return list(decisions(view, opened.now()))

    return Project(
        opened.files, opened.guard, count=estimated_tokens, decided=decided,
        replaced=lambda node: _replaced(opened, node),
        close=lambda over, by: _close(opened, over, by),
    )  # fmt: skip


def _close(opened: OpenScope, over: int, by: int | None) -> None:
    """Close a node that does not hold any more, in favour of another one; None: of none."""
    with opened.reading() as view:
        record = view.record(over)
        if record is None or record.valid_to is not None or over == by:
            return
    with opened.changing() as writer:
        successor = None if by is None else writer.view.record(by)
        if by is not None and successor is not None and successor.valid_to is None:
            correction.supersede(writer, opened.ground, by, over)
        else:
            correction.close(writer, over, opened.now())


def _replaced(opened: OpenScope, node: int) -> str:
    """The text of what a node took the place of; "" if it did not."""
    with opened.reading() as view:
        for link in view.links(node):
            if link.relation == SUPERSEDES and (text := view.text(link.target)) is not None:
                return "".join(text.spans).strip()
    return ""
