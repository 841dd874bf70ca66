"""Levels that triples, links and stats tell differently than `memory.themes` does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import graphmem
from graphmem.attaching.codec import decode, encode
from tests.themes.test_catalog import remembered


@pytest.fixture(scope="module")
def memory() -> Iterator[graphmem.Memory]:
    with remembered() as memory:
        yield memory


def asked(memory: graphmem.Memory, query: str) -> set[tuple[str, ...]]:
    return {tuple(map(str, row)) for row in memory.graph.sparql(query)}


def test_sparql_leads_from_a_theme_to_its_members_and_back(memory: graphmem.Memory) -> None:
    theme = next(iter(memory.themes))
    told = {(f"node:{node}",) for node in theme.members}
    assert asked(memory, f"SELECT ?n {{ ?n memory:abstracted_by theme:{theme.id} }}") == told
    node = theme.members[0]
    assert asked(memory, f"SELECT ?t {{ node:{node} memory:abstracted_by ?t }}") == {
        (f"theme:{theme.id}",)
    }
    every = asked(memory, "SELECT ?n ?t { ?n memory:abstracted_by ?t }")
    themes = {node.id: memory.themes.of(node) for node in memory.nodes()}
    assert every == {(f"node:{n}", f"theme:{t.id}") for n, t in themes.items() if t is not None}
    assert not asked(memory, "SELECT ?n { ?n memory:abstracted_by theme:999 }")
    assert memory.graph.sparql(f"ASK {{ node:{node} memory:abstracted_by theme:{theme.id} }}")


def test_sparql_knows_the_episodes(memory: graphmem.Memory) -> None:
    episodes = memory.themes.episodes("day 1")
    second = episodes[1]
    for episode in episodes:
        iri = f"<episode:day%201/{episode.number}>"
        told = {(f"node:{node}",) for node in episode.nodes}
        assert asked(memory, f"SELECT ?n {{ ?n memory:belongs_to {iri} }}") == told
        assert asked(memory, f"SELECT ?n {{ {iri} memory:supports ?n }}") == told
    iri = "<episode:day%201/2>"
    node = second.nodes[0]
    assert asked(memory, f"SELECT ?e {{ node:{node} memory:belongs_to ?e }}") == {
        ("episode:day%201/2",)
    }
    joined = f"SELECT ?t {{ {iri} memory:supports ?n . ?n memory:abstracted_by ?t }}"
    of_nodes = (memory.themes.of(node) for node in second.nodes)
    assert asked(memory, joined) == {(f"theme:{theme.id}",) for theme in of_nodes if theme}
    assert not asked(memory, "SELECT ?n { ?n memory:belongs_to <episode:day%201/99> }")
    assert len(asked(memory, "SELECT ?n ?e { ?n memory:belongs_to ?e }")) == 60


def test_a_plan_names_the_pattern(memory: graphmem.Memory) -> None:
    assert "abstracted_by" in memory.graph.explain("SELECT ?n { ?n memory:abstracted_by theme:1 }")


def test_the_hierarchy_is_no_link_and_changes_no_importance(memory: graphmem.Memory) -> None:
    theme = memory.themes.of(1)
    assert theme is not None
    links = memory.graph.links(1)
    places = {place.relation: (place.source, place.target) for place in links.hierarchy}
    assert places["abstracted_by"] == (1, theme.id)
    assert places["belongs_to"] == (1, memory.themes.parents(1, "message")[0])
    assert places["supports"] == places["belongs_to"][::-1]
    assert not {link.relation for link in links} & set(places)
    assert decode(encode(links)).hierarchy == links.hierarchy
    listed = {str(row[1]) for row in memory.graph.sparql("SELECT ?s ?p ?o { ?s ?p ?o }")}
    assert not {name for name in places if f"memory:{name}" in listed}


def test_stats_count_the_levels(memory: graphmem.Memory) -> None:
    told = memory.admin.stats()["themes"]
    levels = memory.themes.levels()
    assert (told["messages"], told["semantics"], told["themes"]) == (
        levels["message"], levels["semantic"], levels["theme"],
    )  # fmt: skip
    assert levels["message"] == 60
    assert levels["episode"] >= 12
    assert told["attached"] + told["created"] >= levels["semantic"]
    assert told["waiting"] == 0
