"""A store that differs from rdflib's own breaks programs that were written for that."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from rdflib import RDF, XSD, BNode, Dataset, Graph, Literal, URIRef, Variable
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, QuotedGraph
from rdflib.store import NO_STORE, VALID_STORE

import graphmem
from graphmem.errors import (
    AlreadyOpenError,
    ClosedError,
    CorruptError,
    InvalidArgumentError,
    InvalidTermError,
    MissingError,
    ReservedError,
)
from graphmem.hexastore import scopes, triples
from graphmem.hexastore.facts import Facts
from graphmem.maintenance import check
from graphmem.rdf import rdflib_store
from graphmem.rdf.rdflib_store import RdflibStore
from graphmem.storage.store import Store

A, B, C = (URIRef(f"http://example.org/{name}") for name in "abc")
P, Q = URIRef("http://example.org/p"), URIRef("http://example.org/q")
G1, G2 = URIRef("http://example.org/g1"), BNode("g2")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "knowledge"


def dataset(path: Path | None = None, **options: Any) -> Dataset:
    made = Dataset(store=RdflibStore(), **options)
    if path is not None:
        assert made.open(str(path), create=True) == VALID_STORE
    return made


def faults(path: Path) -> list[str]:
    with Store.open(path) as store:
        return [f for scope in scopes.all_of(store, "rdf") for f in check.faults(store, scope)]


# -- as rdflib's own ----------------------------------------------------------------------------

NODES = st.sampled_from((A, B, BNode("x")))
OBJECTS = st.sampled_from((A, B, BNode("x"), Literal("a"), Literal("a", lang="en"), Literal(7)))
TRIPLES = st.tuples(NODES, st.sampled_from((P, Q)), OBJECTS)
PATTERNS = st.tuples(st.none() | NODES, st.none() | st.sampled_from((P, Q)), st.none() | OBJECTS)
GRAPHS = st.sampled_from((G1, G2, DATASET_DEFAULT_GRAPH_ID))
ACTS = st.one_of(
    st.tuples(st.just("add"), TRIPLES, GRAPHS),
    st.tuples(st.just("addN"), st.lists(st.tuples(TRIPLES, GRAPHS), max_size=5)),
    st.tuples(st.just("remove"), PATTERNS, st.none() | GRAPHS),
    st.tuples(st.just("graph"), GRAPHS),
    st.tuples(st.just("remove_graph"), GRAPHS),
)


def act(data: Dataset, what: str, *given: Any) -> None:
    match what, given:
        case "add", (triple, graph):
            data.add((*triple, graph))
        case "addN", (quads,):
            data.addN((*triple, data.graph(graph)) for triple, graph in quads)
        case "remove", (pattern, None):
            data.remove((*pattern, None))
        case "remove", (pattern, graph):
            data.remove((*pattern, graph))
        case "graph", (graph,):
            data.graph(graph)
        case "remove_graph", (graph,):
            data.remove_graph(graph)


def seen(data: Dataset, pattern: Any) -> Any:
    union = sorted(data.store.triples(pattern), key=lambda found: repr(found[0]))
    return (
        [(triple, sorted(g.identifier for g in having)) for triple, having in union],
        len(data.store),
        {
            graph.identifier: (len(graph), sorted(graph.triples(pattern), key=repr))
            for graph in data.graphs()
        },
        sorted(graph.identifier for triple, _ in union for graph in data.store.contexts(triple)),
    )


@given(st.lists(ACTS, max_size=12), PATTERNS)
def test_it_holds_what_rdflibs_memory_store_holds(acts: list[Any], pattern: Any) -> None:
    ours, theirs = dataset(), Dataset()
    for what in acts:
        act(ours, *what)
        act(theirs, *what)
    assert seen(ours, pattern) == seen(theirs, pattern)


@pytest.mark.parametrize(
    "term",
    [
        Literal(""),
        Literal("x"),
        Literal("x", datatype=XSD.string),
        Literal("x", lang="en-GB"),
        Literal("01", datatype=XSD.integer, normalize=False),
        Literal("seven", datatype=XSD.integer),
        Literal(0.1),
        Literal("2026-05-03T09:30:00Z", datatype=XSD.dateTime),
        Literal('"\\\n\r\t\x08\x0c\x00é🙂'),
        Literal("x", datatype=URIRef("http://example.org/t")),
        URIRef("relative"),
        URIRef("http://example.org/a b"),
        URIRef(""),
        URIRef("node:17"),
        BNode("b1"),
        Variable("v"),
    ],
    ids=repr,
)
def test_a_term_comes_back_as_it_was(folder: Path, term: Any) -> None:
    data = dataset(folder)
    data.graph(G1).add((A, P, term))
    data.close()
    again = Graph(store=RdflibStore(str(folder)), identifier=G1)
    (found,) = again.objects(A, P)
    assert (found, type(found)) == (term, type(term))
    assert (A, P, term) in again
    again.close()
    assert faults(folder) == []


def test_a_typed_string_is_not_a_plain_one() -> None:
    """W3C's distinct-2 counts both; RDF 1.1, and so our facts, see one."""
    graph = Graph(store=RdflibStore())
    graph.add((A, P, Literal("x")))
    graph.add((A, P, Literal("x", datatype=XSD.string)))
    assert set(graph.objects()) == {Literal("x"), Literal("x", datatype=XSD.string)}


def test_a_formula_is_not_asserted() -> None:
    """What is only quoted must not be found as if it were true."""
    store = RdflibStore()
    graph = Graph(store=store, identifier=G1)
    graph.parse(data="@prefix : <http://example.org/>. { :a :p ?x } :q :c .", format="n3")
    ((formula, _, _),) = graph.triples((None, Q, None))
    assert isinstance(formula, QuotedGraph)
    assert list(formula) == [(A, P, Variable("x"))]
    assert len(store) == len(graph) == 1
    assert (A, P, None) not in Dataset(store=store, default_union=True)


@pytest.mark.parametrize("place", range(3))
def test_choices_are_looked_up_in_any_place(place: int) -> None:
    data = dataset(default_union=True)
    data.add((A, P, B, G1))
    data.add((B, Q, C, G2))
    data.add((C, P, A, G1))
    choices: list[Any] = [None, None, None]
    choices[place] = [(A, P, B)[place], (B, Q, C)[place]]
    found = {triple for triple, _ in data.store.triples_choices(tuple(choices))}
    assert found == {t[:3] for t in data.quads() if t[place] in choices[place]}
    choices[place] = []
    assert len(list(data.store.triples_choices(tuple(choices)))) == 3


def test_a_bulk_of_triples_is_added_and_removed_whole() -> None:
    data = dataset()
    graph = data.graph(G1)
    graph.addN((URIRef(f"http://example.org/{i}"), P, Literal(i), graph) for i in range(2500))
    assert len(graph) == 2500
    graph.remove((None, P, None))
    assert len(graph) == 0
    assert G1 in [g.identifier for g in data.graphs()]


def test_a_large_graph_is_emptied_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rdflib_store, "_EMPTIED", 10)
    data = dataset()
    graph = data.graph(G1)
    for number in range(20):
        graph.add((A, P, Literal(number)))
    graph.remove((None, None, None))
    assert len(graph) == 0
    assert list(graph) == []
    graph.add((A, P, B))
    assert list(graph) == [(A, P, B)]


# -- reading ------------------------------------------------------------------------------------


def test_a_loop_may_write_to_the_graph_that_it_reads(folder: Path) -> None:
    """rdflib's Memory store copies first; we read one snapshot."""
    data = dataset(folder)
    graph = data.graph(G1)
    for number in range(300):
        graph.add((A, P, Literal(number)))
    for _, _, number in graph:
        graph.remove((A, P, number))
        graph.add((A, Q, number))
    assert (len(list(graph.triples((A, P, None)))), len(graph)) == (0, 300)
    data.close()


def test_the_length_of_a_graph_is_not_counted_out(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = Graph(store=RdflibStore(), identifier=G1)
    graph.add((A, P, B))
    monkeypatch.setattr(triples, "match", None)
    assert len(graph) == 1
    assert len(Dataset(store=graph.store)) == 1


def test_an_iterator_left_open_does_not_hold_up_closing(folder: Path) -> None:
    data = dataset(folder)
    data.graph(G1).addN((A, P, Literal(i), data.graph(G1)) for i in range(300))
    reading: Iterator[Any] = iter(data.graph(G1))
    next(reading)
    data.close()
    with pytest.raises(ClosedError):
        list(reading)


# -- folders ------------------------------------------------------------------------------------


def test_graphs_and_prefixes_are_kept(folder: Path) -> None:
    folder.mkdir()  # rdflib's suites open an existing empty folder
    data = dataset(folder)
    data.bind("ex", "http://example.org/")
    data.graph(G1).add((A, P, B))
    data.graph(G2)
    data.close()
    again = Dataset(store=(store := RdflibStore()))
    store.bind("ex", URIRef("http://example.org/other"))
    store.bind("before", URIRef("http://example.org/before"))
    again.open(str(folder))
    assert {g.identifier for g in again.graphs()} >= {G1, G2}
    assert list(again.graph(G1)) == [(A, P, B)]
    bound = dict(again.namespaces())
    assert bound["ex"] == URIRef("http://example.org/")
    assert bound["before"] == URIRef("http://example.org/before")
    again.close()
    assert faults(folder) == []


def test_a_prefix_is_bound_to_one_namespace(folder: Path) -> None:
    """The pairs of a prefix and those of a namespace came apart after a restart."""
    store = RdflibStore(str(folder))
    for prefix, namespace, override in (
        ("a", "urn:1", True), ("b", "urn:1", False), ("b", "urn:1", True), ("b", "urn:2", True),
        ("c", "urn:3", False), ("c", "urn:4", False),
    ):  # fmt: skip
        store.bind(prefix, URIRef(namespace), override=override)
    expected = {"b": URIRef("urn:2"), "c": URIRef("urn:3")}
    assert dict(store.namespaces()) == expected
    store.close()
    store = RdflibStore(str(folder))
    assert dict(store.namespaces()) == expected
    assert (store.prefix(URIRef("urn:2")), store.namespace("c")) == ("b", URIRef("urn:3"))
    store.close()


def test_a_missing_folder_is_not_taken_for_an_empty_one(folder: Path) -> None:
    graph = Graph(store=RdflibStore())
    assert graph.open(str(folder)) == NO_STORE
    assert not folder.exists()
    with pytest.raises(ClosedError, match="create=True"):
        graph.add((A, P, B))
    assert graph.open(str(folder), create=True) == VALID_STORE
    graph.close()
    with pytest.raises(MissingError):
        RdflibStore(str(folder / "no" / "parent"))


def test_one_process_opens_a_folder_twice_as_rdflibs_suites_do(folder: Path) -> None:
    first, second = RdflibStore(str(folder)), RdflibStore(os.path.join(folder, "."))
    Graph(store=first, identifier=G1).add((A, P, B))
    first.close()
    first.close()
    with pytest.raises(ClosedError):
        len(first)
    assert len(second) == 1
    second.close()


def test_a_memory_and_a_store_do_not_own_a_folder_together(folder: Path) -> None:
    with graphmem.open(folder, worker="none"), pytest.raises(AlreadyOpenError, match="close it"):
        RdflibStore(str(folder))
    store = RdflibStore(str(folder))
    with pytest.raises(AlreadyOpenError, match="close it"):
        graphmem.open(folder, worker="none")
    store.close()


def test_a_memory_in_the_folder_is_neither_seen_nor_touched(folder: Path) -> None:
    with graphmem.open(folder, worker="none") as memory:
        memory.remember("Wen moved the release to May 10.")
        memory.graph.facts.put(A, P, B)
    store = RdflibStore(str(folder))
    assert (len(store), list(store.contexts())) == (0, [])
    with pytest.raises(InvalidArgumentError, match="kind 'memory'"):
        Graph(store=store, identifier=URIRef("default")).add((A, P, B))
    Graph(store=store, identifier=G1).add((A, P, C))
    store.bind("ex", URIRef("https://example.org/"))
    Graph(store=store).remove((None, None, None))
    store.remove((A, P, B))
    store.close()
    store.destroy(str(folder))
    left = RdflibStore(str(folder))
    assert left.namespace("ex") is None
    left.close()
    with graphmem.open(folder, worker="none") as memory:
        assert memory.scopes.names() == ["default"]
        assert (A, P, B) in memory.graph.facts
        assert len(memory) == 1
        assert memory.admin.check() == []


def test_a_folder_that_cannot_be_read_is_not_kept_open(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphmem.open(folder, worker="none").close()

    def unread(store: Store) -> None:
        raise CorruptError("a record cannot be read")

    with monkeypatch.context() as patched:
        patched.setattr(scopes, "erase_dropped", unread)
        with pytest.raises(CorruptError):
            RdflibStore(str(folder))
    graphmem.open(folder, worker="none").close()


def test_destroying_leaves_nothing(folder: Path) -> None:
    store = RdflibStore(str(folder))
    Graph(store=store, identifier=G1).add((A, P, B))
    with pytest.raises(AlreadyOpenError):
        store.destroy(str(folder))
    store.close()
    store.destroy()
    assert not folder.exists()
    with pytest.raises(MissingError):
        store.destroy(str(folder))


def test_triples_in_memory_are_not_lost_by_opening_a_folder(folder: Path) -> None:
    graph = Graph(store=RdflibStore())
    graph.add((A, P, B))
    with pytest.raises(InvalidArgumentError, match="in memory"):
        graph.open(str(folder), create=True)
    assert len(graph) == 1


def test_facts_and_rdflib_see_the_same_triples(folder: Path) -> None:
    """Joins and SPARQL over rdf scopes stand on this."""
    store = RdflibStore(str(folder))
    Graph(store=store, identifier=G1).add((A, P, Literal(7)))
    store.close()
    with Store.open(folder) as opened:
        (scope,) = scopes.all_of(opened, "rdf")
        assert scope.name == str(G1)
        assert [fact.object.value for fact in Facts(opened, scope).match(A)] == [7]
    graph = Graph(store=RdflibStore(str(folder)), identifier=G1)
    assert list(graph) == [(A, P, Literal(7))]
    graph.close()


# -- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("triple", "error"),
    [
        ((A, URIRef("memory:keyword"), B), ReservedError),
        ((A, RDF.type, URIRef("memory:Node")), ReservedError),
        ((A, P, URIRef("memory:variable/x")), ReservedError),
        ((URIRef("memory:formula/x"), P, A), ReservedError),
        ((A, P, Literal("\ud800")), InvalidTermError),
        ((A, P, Graph()), InvalidTermError),
    ],
)
def test_what_cannot_be_kept_is_refused(triple: Any, error: type[Exception]) -> None:
    graph = Graph(store=RdflibStore(), identifier=G1)
    with pytest.raises(error):
        graph.add(triple)
    assert len(graph) == 0
    assert list(graph.triples(triple)) == []


@pytest.mark.parametrize("name", [URIRef("_:g"), URIRef("memory:formula/g")])
def test_a_graph_is_named_by_an_iri_or_a_blank_node(name: Any) -> None:
    with pytest.raises(InvalidTermError, match="graph is named"):
        RdflibStore().add((A, P, B), Graph(identifier=name))


def test_a_long_iri_names_a_graph(folder: Path) -> None:
    """Memories have names of 200 characters; IRIs are longer at times."""
    name = URIRef("http://example.org/" + "x" * 1000)
    store = RdflibStore(str(folder))
    Graph(store=store, identifier=name).add((A, P, B))
    assert [g.identifier for g in store.contexts()] == [name]
    store.close()


def test_rdflib_finds_the_store_by_its_name() -> None:
    if "graphmem" not in entry_points(group="rdf.plugins.store").names:
        pytest.skip("graphmem is not installed here")
    assert rdflib.plugin.get("graphmem", rdflib.store.Store) is RdflibStore
