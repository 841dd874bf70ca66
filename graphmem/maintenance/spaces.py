"""All spaces of a scope, as their rooms declare them."""

from __future__ import annotations

from itertools import chain
from typing import Final

from graphmem.forgetting import archive
from graphmem.graph import spaces as graph
from graphmem.hexastore import spaces as hexastore
from graphmem.hexastore.keys import Space
from graphmem.hexastore.spaces import Declared
from graphmem.index import spaces as index
from graphmem.lifecycle import conflicts
from graphmem.mapping import place_rows
from graphmem.remembering import intake
from graphmem.services import queue
from graphmem.sharing import item_records
from graphmem.themes import index as themes

DECLARED: Final[dict[Space, Declared]] = {
    declared.space: declared
    for declared in chain(
        hexastore.SPACES,
        graph.SPACES,
        index.SPACES,
        queue.SPACES,
        intake.SPACES,
        archive.SPACES,
        item_records.SPACES,
        conflicts.SPACES,
        themes.SPACES,
        place_rows.SPACES,
    )
}
