"""The page with a memory inside: one file that needs no server."""

from __future__ import annotations

import base64
import json
from typing import Any, Final

from graphmem.api.verbs import Verbs
from graphmem.errors import GraphMemError, UnknownNodeError
from graphmem.interfaces.view import answers
from graphmem.interfaces.view.page import page, policy
from graphmem.interfaces.view.people import rows_and_names
from graphmem.mapping.packed import unpack

MOST_NODES: Final = 2000
"""Memories whose whole life is in the file; the others are on the map only."""


def exported(memory: Verbs) -> str:
    """The document. It makes no requests: it shows the memory as it was when it was written."""
    packed = memory.graph.map()
    chart = unpack(packed)
    order = sorted(
        zip(chart.nodes["importance"].tolist(), chart.nodes["id"].tolist(), strict=True),
        key=lambda pair: (-pair[0], pair[1]),
    )
    nodes: dict[int, Any] = {}
    for _, identifier in order[:MOST_NODES]:
        try:
            nodes[identifier] = answers.node(memory, identifier)
        except UnknownNodeError:  # forgotten for good meanwhile
            continue
    state = answers.state(memory)
    state["path"] = None  # private: the file may be given away
    data = {
        "map": base64.b64encode(packed).decode(),
        "state": state,
        "nodes": nodes,
        "themes": answers.themes(memory),
        "people": rows_and_names(memory),
    }
    for find in (answers.candidates, answers.conflicts):
        try:
            data[find.__name__] = find(memory)
        except GraphMemError:  # of a memory that is open read-only
            data[find.__name__] = {find.__name__: []}
    return document(data)


def document(data: dict[str, Any]) -> str:
    """The page with data. A `<` in it is written as an escape: no text can end the element that
    holds it, or begin another one."""
    written = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    head, _, rest = page().partition("<!--data-->")
    alone = policy("'none'")
    meta = f'<meta http-equiv="Content-Security-Policy" content="{alone}">'
    head = head.replace("<head>", f"<head>{meta}", 1)
    return f'{head}<script type="application/json" id="data">{written}</script>{rest}'
