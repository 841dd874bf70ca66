"""A memory's text must not be able to change the structure of a file that others read."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import networkx
import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import graphmem
from graphmem.errors import StorageError
from graphmem.themes import files
from graphmem.values.links import Link
from graphmem.values.nodes import Form, Node
from graphmem.values.themes import Episode, Theme
from tests.themes.test_catalog import remembered

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def theme(name: str, sentence: str) -> Theme:
    return Theme(3, name, True, (name,), sentence, (1, 2), ((7, 0.61),), NOW, NOW, ("Ines",), 0.5, ("fact", "decision"))  # fmt: skip


def node(identifier: int, text: str) -> Node:
    return Node(
        identifier, text, "", (), "Ines", None, "s", NOW, 0, None, False, 0, Form.WHOLE, 1.0, (text,)
    )  # fmt: skip


@given(st.text(), st.text())
def test_any_text_stays_inside_its_scalar(tmp_path_factory, name: str, sentence: str) -> None:
    path = tmp_path_factory.mktemp("t") / "themes.yaml"
    one = theme(
        name.encode("utf-8", "replace").decode(), sentence.encode("utf-8", "replace").decode()
    )
    assert files.write_yaml(path, [one], user="u", config={"attachThreshold": 0.62}, now=NOW) == 1
    (told,) = yaml.safe_load(path.read_text("utf-8"))["themes"]
    assert (told["themeId"], told["name"], told["summary"]) == ("3", one.name, one.sentence)


@given(st.text(max_size=60))
def test_gexf_can_be_parsed_whatever_was_remembered(tmp_path_factory, text: str) -> None:
    path = tmp_path_factory.mktemp("g") / "memory.gexf"
    episode = Episode("s", 1, text, text, (1, 2), NOW, NOW)
    links = [Link(1, "focus", 2, 0.5, 1, False), Link(1, "focus", 99, 0.5, 1, True)]
    nodes = [(node(1, text), 1.5), (node(2, "other"), 0.0)]
    assert files.write_gexf(path, nodes, links, [theme("a", "b")], [episode], NOW) == 4
    root = ElementTree.parse(path).getroot()
    space = {"g": "http://gexf.net/1.3"}
    assert {n.get("id") for n in root.iterfind(".//g:node", space)} == {"t3", "n1", "n2", "e0"}
    edges = [(e.get("source"), e.get("target")) for e in root.iterfind(".//g:edge", space)]
    assert ("n1", "n2") in edges
    assert ("n1", "t3") in edges
    assert ("n1", "e0") in edges
    assert not any("n99" in edge for edge in edges)


def test_a_theme_of_one_memory_is_no_node(tmp_path: Path) -> None:
    path = tmp_path / "memory.gexf"
    alone = replace(theme("a", "b"), members=(1,), kinds=("fact",))
    assert files.write_gexf(path, [(node(1, "a"), 1.0)], [], [alone], [], NOW) == 1
    (found,) = ElementTree.parse(path).iterfind(".//{http://gexf.net/1.3}node")
    assert found.get("id") == "n1"
    assert "semantic" in {value.get("value") for value in found.iter()}


def test_a_theme_without_a_name_has_its_sentence_as_label(tmp_path: Path) -> None:
    """The label was a term of which the theme itself says that it is no name."""
    path = tmp_path / "memory.gexf"
    nameless = replace(theme("", "the kiln is broken"), named=False, keywords=())
    files.write_gexf(path, [(node(1, "a"), 1.0), (node(2, "b"), 1.0)], [], [nameless], [], NOW)
    found = ElementTree.parse(path).find(".//{http://gexf.net/1.3}node[@id='t3']")
    assert found is not None
    assert found.get("label") == "the kiln is broken"


def test_centroids_come_back_by_numpy(tmp_path: Path) -> None:
    rows = np.eye(3, dtype=np.float32)
    assert files.write_centroids(tmp_path / "c.npy", rows) == 3
    assert (np.load(tmp_path / "c.npy") == rows).all()


def assert_networkx_reads(path: Path, themes: list[Theme]) -> None:
    graph = networkx.read_gexf(path)
    for theme in themes:
        vertex = graph.nodes[f"t{theme.id}"]
        assert vertex["level"] == "theme"
        assert graph.in_degree(f"t{theme.id}") == len(theme)
        (x, y) = (
            [graph.nodes[f"n{node}"]["viz"]["position"][axis] for node in theme.members]
            for axis in "xy"
        )
        assert min(x) <= vertex["viz"]["position"]["x"] <= max(x)
        assert min(y) <= vertex["viz"]["position"]["y"] <= max(y)
    levels = {fields["level"] for _, fields in graph.nodes(data=True)}
    for theme in themes:
        told = tuple(graph.nodes[f"n{node}"]["kind"] for node in theme.members)
        assert told == theme.kinds
    assert levels == {"message", "semantic", "episode", "theme"}
    places = {tuple(fields["viz"]["position"].values()) for _, fields in graph.nodes(data=True)}
    assert len(places) > len(graph) / 2


def test_what_a_memory_is_about_can_be_read_by_others(tmp_path: Path) -> None:
    """YAML by a YAML reader; GEXF by networkx and by what viewers rely on: every edge ends at nodes,
    every attribute is declared, with its type."""
    with remembered() as memory:
        memory.remember('He said: "no",\u2028 #and: - left \U0001f600', session="day 9")
        paths = {name: tmp_path / f"m.{name}" for name in ("yaml", "gexf", "centroids")}
        written = memory.themes.export(**paths)
        themes = list(memory.themes)
        assert written == {
            "themes": len(themes),
            "nodes": written["nodes"],
            "centroids": len(themes) + memory.admin.stats()["themes"]["alone"],
        }
        levels = memory.themes.levels()
        assert written["nodes"] == levels["message"] + levels["episode"] + levels["theme"]
    assert len(np.load(paths["centroids"])) == written["centroids"]
    root = ElementTree.parse(paths["gexf"]).getroot()
    space = {"g": "http://gexf.net/1.3"}
    kinds = {
        column.get("id"): column.get("type")
        for column in root.iterfind(".//g:attributes[@class='node']/g:attribute", space)
    }
    known = {vertex.get("id") for vertex in root.iterfind(".//g:node", space)}
    assert len(known) == written["nodes"]
    told = {value.get("for") for value in root.iterfind(".//g:node//g:attvalue", space)}
    assert told <= set(kinds)
    for edge in root.iterfind(".//g:edge", space):
        assert {edge.get("source"), edge.get("target")} <= known
        assert 0 <= float(edge.get("weight") or "x") <= 1
    assert_networkx_reads(paths["gexf"], themes)
    read = yaml.safe_load(paths["yaml"].read_text("utf-8"))
    assert read["metadata"]["totalThemes"] == len(themes) == len(read["themes"])
    assert [one["semanticIds"] for one in read["themes"]] == [
        [str(node) for node in theme.members] for theme in themes
    ]
    assert [tuple(one["kinds"]) for one in read["themes"]] == [theme.kinds for theme in themes]
    assert [one["summary"] for one in read["themes"]] == [theme.sentence for theme in themes]
    assert read["config"]["attachThreshold"] == 0.62


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with graphmem.open(worker="none") as memory:
        with pytest.raises(StorageError, match="cannot be written"):
            memory.themes.export(yaml=tmp_path / "no" / "themes.yaml")
        assert memory.themes.export(yaml=tmp_path / "themes.yaml") == {"themes": 0}
    assert [path.name for path in tmp_path.iterdir()] == ["themes.yaml"]
