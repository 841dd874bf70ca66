"""The bytes of `memory.graph.map()`: a header, columns of numbers, labels, and names as JSON.

All numbers are little-endian. After the header come the columns in the order of `NODE_COLUMNS`,
then `LINK_COLUMNS`, then `BYTE_COLUMNS`, each as long as there are nodes or links, without gaps:

    header   64 bytes: "GMAP", version u16, bytes of the header u16, nodes u32, links u32, bytes of
             labels u32, bytes of names u32, pass u64, sequence u64, decay per pass f64 (nat)
    columns  see below; a pass that never comes, or is not known, is 2³²−1
    labels   UTF-8, joined: that of a node ends at its `label_end`
    names    a JSON object: "relations" and "isles", whose places the columns give, and "focus", the
             ids of the nodes in focus, newest first; "days", the last day (UTC) of each pass at
             which something that is on the map was remembered: [pass, "2026-11-25"], …
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

MAGIC: Final = b"GMAP"
VERSION: Final = 1
NEVER: Final = (1 << 32) - 1
PINNED, REPLACED, GONE, TRIVIAL = 1, 2, 4, 8  # bits of `flags`

_HEADER: Final = struct.Struct("<4sHHIIIIQQd16x")

NODE_COLUMNS: Final[Mapping[str, str]] = {
    "id": "<u8",
    "born": "<u4",  # pass at which it was remembered, or last revived
    "shorter": "<u4",  # pass at which it first lost sentences, as far as the archive reaches
    "gist": "<u4",  # pass at which only the gist was left
    "gone": "<u4",  # pass at which it was forgotten
    "due": "<u4",  # pass at which it is next due to be shortened, if it is not used
    "last_use": "<u4",  # pass
    "uses": "<u4",
    "theme": "<u4",  # id of its theme in `memory.themes`; 0: none
    "isle": "<u4",  # the group of the map in which it lies: its place in names["isles"]
    "label_end": "<u4",
    "x": "<f4",  # in units of the distance between two neighbours
    "y": "<f4",
    "importance": "<f4",  # 0–4; of a forgotten node, its last
    "kept": "<f4",  # share of the original characters that is left, 0–1
}
LINK_COLUMNS: Final[Mapping[str, str]] = {
    "source": "<u4",  # places among the nodes
    "target": "<u4",
    "strength": "<f4",  # at this pass
    "relation": "<u4",  # place in names["relations"]
}
BYTE_COLUMNS: Final[Mapping[str, str]] = {
    "form": "u1",  # 0 whole, 1 shorter, 2 gist; of one that is forgotten, its last
    "flags": "u1",  # PINNED, REPLACED, GONE, TRIVIAL
}

Column = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Chart:
    """A map, unpacked. Live nodes come first, in the order of their ids; then forgotten ones."""

    passes: int
    sequence: int
    decay: float  # nat a pass: a strength s is s·exp(−decay·n) n passes later
    nodes: Mapping[str, Column]  # NODE_COLUMNS and BYTE_COLUMNS
    links: Mapping[str, Column]
    labels: Sequence[str]
    names: Mapping[str, Any]

    def pack(self) -> bytes:
        """The bytes that `memory.graph.map()` returns."""
        encoded = [label.encode() for label in self.labels]
        ends = np.cumsum([len(label) for label in encoded], dtype="<u4") if encoded else np.zeros(0)
        columns = {**self.nodes, "label_end": ends}
        names = json.dumps(self.names, ensure_ascii=False).encode()
        count, links = len(self.labels), len(self.links["source"])
        labels = b"".join(encoded)
        header = _HEADER.pack(
            MAGIC, VERSION, _HEADER.size, count, links, len(labels), len(names), self.passes,
            self.sequence, self.decay,
        )  # fmt: skip
        parts = [header]
        for wanted, found in ((NODE_COLUMNS, columns), (LINK_COLUMNS, self.links)):
            parts += [np.asarray(found[name]).astype(k).tobytes() for name, k in wanted.items()]
        parts += [columns[name].astype(kind).tobytes() for name, kind in BYTE_COLUMNS.items()]
        return b"".join((*parts, labels, names))


def unpack(packed: bytes) -> Chart:
    """The map that `Chart.pack` packed. Raises ValueError for other bytes."""
    try:
        magic, version, at, count, links, labels, names, passes, sequence, decay = (
            _HEADER.unpack_from(packed)
        )
    except struct.error as error:
        raise ValueError(f"this is no map: {error}") from None
    if magic != MAGIC or version != VERSION:
        raise ValueError(f"this is no map of version {VERSION}")
    found: list[dict[str, Column]] = []
    for columns, rows in ((NODE_COLUMNS, count), (LINK_COLUMNS, links), (BYTE_COLUMNS, count)):
        read: dict[str, Column] = {}
        for name, kind in columns.items():
            read[name] = np.frombuffer(packed, kind, rows, at)
            at += read[name].nbytes
        found.append(read)
    nodes, edges, small = found
    if len(packed) != at + labels + names:
        raise ValueError(f"this map has {len(packed)} bytes, not {at + labels + names}")
    blob, start, texts = packed[at : at + labels], 0, []
    for end in nodes["label_end"].tolist():
        texts.append(blob[start:end].decode())
        start = end
    return Chart(
        passes, sequence, decay, {**nodes, **small}, edges, texts, json.loads(packed[at + labels :])
    )
