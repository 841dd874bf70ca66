"""The themes of a memory as files: YAML for people, GEXF for graph viewers, NPY for numpy. None of
them is read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from graphmem.values.links import Link
from graphmem.values.nodes import Node
from graphmem.values.themes import Episode, Theme

_GEXF: Final = "http://gexf.net/1.3"
_VIZ: Final = f"{_GEXF}/viz"
_SCALE: Final = 20.0  # of the places: viewers draw a node about 10 units wide
_NODE_FIELDS: Final = (
    ("level", "string"), ("form", "string"), ("speaker", "string"), ("session", "string"),
    ("when", "string"), ("importance", "double"), ("theme", "integer"),
    ("kind", "string"),
)  # fmt: skip
_LABEL: Final = 80  # characters
# Characters that XML 1.0 cannot hold, not even escaped.
_NOT_IN_XML: Final = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535), "�")


def write_yaml(
    path: Path, themes: Iterable[Theme], *, user: str, config: Mapping[str, float], now: datetime
) -> int:
    """Write themes.yaml; returns how many themes are in it. user: whose memory it is. config: the
    thresholds, by name. Raises OSError."""
    import yaml  # opening a memory needs none of it

    listed: list[dict[str, Any]] = [
        {
            "themeId": str(theme.id),
            "name": theme.name,
            "summary": theme.sentence,
            "keywords": list(theme.keywords),
            "semanticIds": list(map(str, theme.members)),
            "coreIds": list(map(str, theme.core)),
            "kinds": list(theme.kinds),
            "memberCount": len(theme),
            "neighbors": [str(other) for other, _ in theme.neighbours],
            "neighborSims": [round(near, 2) for _, near in theme.neighbours],
            "speakers": list(theme.speakers),
            "createdAt": theme.first and theme.first.isoformat(),
            "updatedAt": theme.last and theme.last.isoformat(),
            "faded": round(theme.faded, 2),
        }
        for theme in themes
    ]
    semantics = sum(len(one["semanticIds"]) for one in listed)
    metadata = {"totalThemes": len(listed), "totalSemantics": semantics, "written": now.isoformat()}
    whole = {"version": "1.0", "userId": user, "config": dict(config), "themes": listed}
    with path.open("w", encoding="utf-8") as file:
        yaml.dump(
            {**whole, "metadata": metadata}, file, getattr(yaml, "CSafeDumper", yaml.SafeDumper),
            allow_unicode=True, sort_keys=False,
        )  # fmt: skip
    return len(listed)


def write_gexf(
    path: Path,
    nodes: Iterable[tuple[Node, float]],
    links: Iterable[Link],
    themes: Iterable[Theme],
    episodes: Iterable[Episode],
    now: datetime,
    places: Mapping[int, tuple[float, float]] = MappingProxyType({}),
) -> int:
    """Write the hierarchy as GEXF 1.3; returns how many nodes of the graph are in it.

    nodes: each with its importance, 0–4. Messages and semantics are the nodes themselves, "n17",
    a semantic with its kind; themes are "t3", episodes "e" and a number. Edges: links with their
    strength as weight, and `belongs_to`, `abstracted_by` with weight 1. A theme of one memory is no
    node of its own.
    Raises OSError.
    """
    from xml.etree import ElementTree  # opening a memory needs none of it

    root = ElementTree.Element("gexf", {"xmlns": _GEXF, "xmlns:viz": _VIZ, "version": "1.3"})
    meta = ElementTree.SubElement(root, "meta", lastmodifieddate=f"{now:%Y-%m-%d}")
    ElementTree.SubElement(meta, "creator").text = "graphmem"
    graph = ElementTree.SubElement(root, "graph", defaultedgetype="directed", mode="static")
    columns = ElementTree.SubElement(graph, "attributes", {"class": "node"})
    for place, (name, kind) in enumerate(_NODE_FIELDS):
        ElementTree.SubElement(columns, "attribute", id=str(place), title=name, type=kind)
    relations = ElementTree.SubElement(graph, "attributes", {"class": "edge"})
    ElementTree.SubElement(relations, "attribute", id="0", title="relation", type="string")
    vertices, edges = ElementTree.SubElement(graph, "nodes"), ElementTree.SubElement(graph, "edges")
    listed = list(themes)
    theme_of = {node: theme.id for theme in listed for node in theme.members}
    kind_of = {
        n: kind for theme in listed for n, kind in zip(theme.members, theme.kinds, strict=False)
    }
    written: set[str] = set()

    def vertex(key: str, label: str, fields: Mapping[str, object], members: Iterable[int]) -> None:
        written.add(key)
        element = ElementTree.SubElement(vertices, "node", id=key, label=_xml_text(label)[:_LABEL])
        values = ElementTree.SubElement(element, "attvalues")
        for place, (name, _) in enumerate(_NODE_FIELDS):
            if (value := fields.get(name)) is not None:
                ElementTree.SubElement(
                    values, "attvalue", {"for": str(place), "value": _xml_text(str(value))}
                )

        if at := [places[node] for node in members if node in places]:
            x, y = (fmean(axis) * _SCALE for axis in zip(*at, strict=True))
            ElementTree.SubElement(element, "viz:position", x=f"{x:.2f}", y=f"{y:.2f}", z="0")

    def edge(source: str, target: str, relation: str, weight: float) -> None:
        if source not in written or target not in written:
            return  # dangling
        element = ElementTree.SubElement(
            edges, "edge", id=str(len(edges)), source=source, target=target, weight=f"{weight:.4f}"
        )
        values = ElementTree.SubElement(element, "attvalues")
        ElementTree.SubElement(values, "attvalue", {"for": "0", "value": _xml_text(relation)})

    for theme in listed:
        if len(theme) < 2:
            continue
        when = None if theme.last is None else theme.last.isoformat()
        vertex(
            f"t{theme.id}",
            theme.name or theme.sentence,
            {"level": "theme", "theme": theme.id, "when": when},
            theme.members,
        )
    for node, importance in nodes:
        fields = {
            "level": "semantic" if node.id in theme_of else "message",
            "form": node.form,
            "speaker": node.speaker,
            "session": node.session,
            "when": (node.happened or node.created).isoformat(),
            "importance": f"{importance:.4f}",
            "theme": theme_of.get(node.id),
            "kind": kind_of.get(node.id),
        }
        vertex(f"n{node.id}", str(node), fields, (node.id,))
    for place, episode in enumerate(episodes):
        fields = {"level": "episode", "session": episode.session, "when": episode.start.isoformat()}
        vertex(f"e{place}", episode.title, fields, episode.nodes)
        for member in episode.nodes:
            edge(f"n{member}", f"e{place}", "belongs_to", 1.0)
    for member, identifier in theme_of.items():
        edge(f"n{member}", f"t{identifier}", "abstracted_by", 1.0)
    for link in links:
        edge(f"n{link.source}", f"n{link.target}", link.relation, link.strength)
    ElementTree.indent(root)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
    return len(written)


def write_centroids(path: Path, centroids: NDArray[np.float32]) -> int:
    """Write the centroids (themes × dimensions) as NPY; returns how many there are. Raises
    OSError."""
    with path.open("wb") as file:
        np.save(file, centroids, allow_pickle=False)
    return len(centroids)


def _xml_text(text: str) -> str:
    return text.translate(_NOT_IN_XML).encode("utf-8", "replace").decode()
