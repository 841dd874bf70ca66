"""A load that is wrong by one triple, or that stays half done, is worse than none."""

from __future__ import annotations

import json
import random
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import rdflib
from hypothesis import example, given
from hypothesis import strategies as st
from rdflib.compare import isomorphic

from graphmem.errors import (
    BrokenError,
    FullError,
    InvalidArgumentError,
    MalformedError,
    MissingError,
    ReservedError,
    UnreadableFileError,
)
from graphmem.hexastore import keys, scopes, terms
from graphmem.hexastore.facts import Facts
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.maintenance import check
from graphmem.rdf import bulk, reading
from graphmem.rdf.export import export
from graphmem.storage.store import Store
from tests.faults.disk import Disk, FaultyEngine

EX = "http://example.org/"
G = EX + "graph"
LINES = f"""# what RDF has
<{EX}a> <{EX}p> <{EX}b> .
<{EX}a>\t<{EX}p>   "x"  .  # a comment
<{EX}a> <{EX}p> "x"^^<http://www.w3.org/2001/XMLSchema#string> .

_:n <{EX}p> "tab\\t quote\\" \\u00E9\\U0001F642 raw\ttab" .
<{EX}a> <{EX}q> "Hi"@en-GB .
<{EX}a> <{EX}q> "007"^^<http://www.w3.org/2001/XMLSchema#integer> .
<{EX}a> <{EX}q> "7"^^<http://www.w3.org/2001/XMLSchema#integer> .
<{EX}a> <{EX}q> "2026-05-03"^^<http://www.w3.org/2001/XMLSchema#date> .
<{EX}a> <{EX}q> "1.50"^^<http://www.w3.org/2001/XMLSchema#decimal> .
<{EX}\\u0062> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <node:17> .
"""


@pytest.fixture
def store() -> Store:
    return Store.open(None)


def memory(store: Store) -> Scope:
    return scopes.open_scope(
        store, "agent", kind="memory", decay=0.03, created=1, analyser=1, create=True
    )


def file(folder: Path, text: str | bytes, name: str = "data.nt") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def graphs(store: Store) -> dict[str, Scope]:
    return {scope.name: scope for scope in scopes.all_of(store, "rdf")}


def left(store: Store) -> list[bytes]:
    """Keys that only a load in progress has."""
    return list(store.keys(keys.LOAD, keys.after(keys.LOADED)))


def as_rdflib(store: Store, name: str = G) -> rdflib.Graph:
    graph = rdflib.Graph()
    for s, p, o in Facts(store, graphs(store)[name]).match():
        graph.add(tuple(map(rdflib.util.from_n3, (s.n3(), p.n3(), o.n3()))))
    return graph


def test_every_kind_of_term_is_read(tmp_path: Path, store: Store) -> None:
    path = file(tmp_path, LINES)
    loaded = bulk.load(store, [path], graph=G)
    # A string with its datatype and without are one term of RDF 1.1.
    assert loaded.graphs == {G: 9}
    assert loaded.statements == 10
    names = {str(fact.object) for fact in Facts(store, graphs(store)[G]).match()}
    assert {"Hi", "007", "7", "1.50", "node:17", 'tab\t quote" é🙂 raw\ttab'} <= names
    assert check.faults(store, graphs(store)[G]) == []
    assert left(store) == []


def test_a_graph_of_before_is_loaded_into(tmp_path: Path, store: Store) -> None:
    """The counters were copied as an early version left them, and only new triples were added."""
    bulk.load(store, [file(tmp_path, LINES)], graph=G)
    scope = graphs(store)[G]
    scope.state.kept_bytes = 0
    store.commit({scope.prefix(Space.STATE): scope.state.pack()})
    bulk.load(store, [file(tmp_path, f"<{EX}a> <{EX}r> <{EX}new> .")], graph=G)
    assert check.faults(store, graphs(store)[G]) == []


def test_it_writes_what_single_facts_would(tmp_path: Path, store: Store) -> None:
    lines = [line for line in LINES.splitlines() if not line.startswith(("_:", "#"))]
    bulk.load(store, [file(tmp_path, "\n".join(lines))], graph=G)
    made = scopes.open_scope(
        store, "one by one", kind="rdf", decay=0, created=0, analyser=0, create=True
    )
    facts, whole = Facts(store, made), Facts(store, graphs(store)[G])
    for triple in whole.match():
        facts.put(*triple)
    one, other = (
        {k[4:]: v for k, v in store.range(*keys.scope_range(scope.id)) if k[4] > 2}
        for scope in (made, graphs(store)[G])
    )
    assert one == other


TERM = st.integers(0, 12).map(lambda n: f"<{EX}{n}>")
STATEMENT = st.tuples(TERM, TERM, TERM | st.integers(0, 5).map(lambda n: f'"v{n}"'))
QUADS = st.lists(
    st.tuples(STATEMENT, st.sampled_from(("", f" <{G}>", " <node:7>", " _:g"))), max_size=40
)


TWICE = [
    ((f"<{EX}1>", f"<{EX}0>", '"v0"'), ""),
    ((f"<{EX}0>", f"<{EX}2>", '"v0"'), f" <{G}>"),
]  # one graph in one batch, named and not


@given(QUADS, st.integers(1, 7), st.integers(1, 2), QUADS)
@example(TWICE, 7, 1, [])
def test_any_batches_give_the_same_graphs(
    tmp_path_factory: pytest.TempPathFactory, first: Any, batch: int, open_at_once: int, second: Any
) -> None:
    """Batches overlap, graphs mix, and what is there already stays."""
    folder = tmp_path_factory.mktemp("batches")
    store = Store.open(None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk, "_BATCH", batch)
        patch.setattr(bulk, "_SCOPES", open_at_once)
        patch.setattr(bulk, "_COPIED", 97)
        expected: dict[str, set[Any]] = {}
        for number, quads in enumerate((first, second)):
            text = "".join(f"{' '.join(triple)}{graph} .\n" for triple, graph in quads)
            bulk.load(store, [file(folder, text, f"{number}.nq")], graph=G)
            for triple, graph in quads:
                expected.setdefault(graph or f" <{G}>", set()).add(triple)
    found = {
        " _:g" if name.startswith("_:") else f" <{name}>": {
            tuple(term.n3() for term in fact) for fact in Facts(store, scope).match()
        }
        for name, scope in graphs(store).items()
        if not name.startswith("_:")
    }
    assert found == {name: rows for name, rows in expected.items() if name != " _:g"}
    for scope in graphs(store).values():
        assert check.faults(store, scope) == []


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        (f'"x" <{EX}p> <{EX}b> .', 1, "a subject"),
        (f"<{EX}a> _:p <{EX}b> .", 24, "a predicate"),
        (f"<{EX}a> <{EX}p> .", 47, "an object"),
        (f"<{EX}a> <{EX}p> <{EX}b>", 69, "full stop"),
        (f"<{EX}a> <{EX}p> <{EX}b> . more", 72, "full stop"),
        ("<relative> <a:p> <a:b> .", 1, "a subject"),
        ("<1x:y> <a:p> <a:b> .", 1, "a subject"),
        ('<a:s> <a:p> "open .', 13, "an object"),
        ('<a:s> <a:p> "é" "x" .', 17, "full stop"),
        ('<a:s> <a:p> "\\x41" .', 13, "an object"),
        ('<a:s> <a:p> "\\uD800" .', 13, "surrogate"),
        ('<a:s> <a:p> "\\U00110000" .', 13, "range"),
        ("<a:s> <a:p> <a:b\\u0020c> .", 13, "IRI"),
    ],
)
def test_malformed_lines_are_named(
    tmp_path: Path, store: Store, line: str, column: int | None, message: str
) -> None:
    path = file(tmp_path, f"<{EX}a> <{EX}p> <{EX}b> .\n# comment\n{line}\n<a:s> <a:p> <a:o> .\n")
    with pytest.raises(MalformedError, match=message) as caught:
        bulk.load(store, [path], graph=G)
    assert (caught.value.line, caught.value.column) == (3, column)
    assert graphs(store) == {}
    assert left(store) == []
    assert list(store.keys(*keys.scope_range(1))) == []


def test_bytes_that_are_no_utf8_are_named(tmp_path: Path, store: Store) -> None:
    path = file(tmp_path, b'<a:s> <a:p> "ok" .\r\n<a:s> <a:p> "\xc3\xa9\xff" .\r\n')
    with pytest.raises(MalformedError, match="0xff") as caught:
        bulk.load(store, [path], graph=G)
    assert (caught.value.line, caught.value.column) == (2, 15)


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        ("<a:s> <a:p> .\n<a:s> <a:p> <a:late> .\n", 3),
        # The second is met first, as a subject; the first is the fault.
        ("<a:s> <a:p> <a:un\\u0020fit> .\n<a:un\\u0020fit> <a:p> <a:late> .\n", 3),
        ("<a:s> <a:p> <a:o> .\n<a:un\\u0020fit> <a:p> <a:late> .\n", 4),
    ],
)
def test_what_stands_before_a_fault_is_kept_on_request(
    tmp_path: Path, store: Store, fault: str, line: int
) -> None:
    path = file(tmp_path, f"<a:s> <a:p> <a:o> .\n<a:s> <a:p> <a:o2> .\n{fault}")
    with pytest.raises(MalformedError) as caught:
        bulk.load(store, [path], graph=G, partial=True)
    assert caught.value.line == line
    kept = [str(fact.object) for fact in Facts(store, graphs(store)[G]).match()]
    assert sorted(kept) == ["a:o", "a:o2"]
    assert check.faults(store, graphs(store)[G]) == []


@pytest.fixture(params=["pyoxigraph", "rdflib"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What parses Turtle."""
    if request.param == "rdflib":
        monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    else:
        pytest.importorskip("pyoxigraph")


@pytest.mark.usefixtures("parser")
def test_turtle_is_read(tmp_path: Path, store: Store) -> None:
    text = f'@prefix : <{EX}> .\n:a a :B ; :p "é", 7, [ :q <rel> ] .\n'
    path = file(tmp_path, text, "data.ttl")
    bulk.load(store, [path], graph=G)
    assert isomorphic(as_rdflib(store), rdflib.Graph().parse(path))
    bad = file(tmp_path, text + ":a :p ..\n", "bad.ttl")
    with pytest.raises(MalformedError) as caught:
        bulk.load(store, [bad], graph=EX + "other")
    assert caught.value.line == 3
    assert list(graphs(store)) == [G]
    with pytest.raises(MalformedError):
        bulk.load(store, [bad], graph=EX + "other", partial=True)
    assert len(as_rdflib(store, EX + "other")) == 5


@pytest.mark.usefixtures("parser")
def test_turtle_that_is_no_utf8_is_named(tmp_path: Path, store: Store) -> None:
    path = file(
        tmp_path, b'<a:s> <a:p> "ok" .\n<a:s> <a:p> "\xff" .\n<a:s> <a:p> 1 .\n', "data.ttl"
    )
    with pytest.raises(MalformedError, match="UTF-8") as caught:
        bulk.load(store, [path], graph=G)
    assert (caught.value.line, caught.value.column) == (2, 14)
    assert (graphs(store), left(store)) == ({}, [])


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    "obj", ["<<( <a:x> <a:y> <a:z> )>>", '"x"@en--ltr', "<un fit>", "<http://un fit/>"]
)
def test_turtle_that_no_graph_can_hold_is_refused(tmp_path: Path, store: Store, obj: str) -> None:
    """A triple as a term, of RDF 1.2, became an IRI with spaces."""
    path = file(tmp_path, f"<a:s> <a:p> <a:o> .\n<a:s> <a:p> {obj} .\n", "data.ttl")
    with pytest.raises(MalformedError):
        bulk.load(store, [path], graph=G)
    assert (graphs(store), left(store)) == ({}, [])
    with pytest.raises(MalformedError):
        bulk.load(store, [path], graph=G, partial=True)
    assert rdflib.URIRef("a:o") in set(as_rdflib(store).objects())


def test_blank_nodes_of_two_files_are_apart(tmp_path: Path, store: Store) -> None:
    paths = [file(tmp_path, f"_:x <a:p> <a:{n}> .\n", f"{n}.nt") for n in "ab"]
    bulk.load(store, paths, graph=G)
    subjects = [fact.subject for fact in Facts(store, graphs(store)[G]).match()]
    assert len(set(subjects)) == 2


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    "bad", ['"x" <a:p> <a:o> .', '<a:s> [] "1" .', '<a:s> _:p "1" .', '<a:s> <a:p> "abc',
            "<a:s> <a:p> 1", "?x <a:p> <a:b> ."],
)  # fmt: skip
def test_turtle_that_is_no_statement_is_named(tmp_path: Path, store: Store, bad: str) -> None:
    path = file(tmp_path, f"<a:s> <a:p> <a:o> .\n{bad}", "data.ttl")
    with pytest.raises(MalformedError) as caught:
        bulk.load(store, [path], graph=G)
    assert (caught.value.path, caught.value.line) == (str(path), 2)
    assert (graphs(store), left(store)) == ({}, [])


@pytest.mark.parametrize("name", ["data.nt", "data.ttl"])
def test_characters_beyond_ascii_are_read(tmp_path: Path, store: Store, name: str) -> None:
    bulk.load(store, [file(tmp_path, "<a:s> <a:p> <a:\u3000b> .\n", name)], graph=G)
    assert rdflib.URIRef("a:\u3000b") in set(as_rdflib(store).objects())


@pytest.mark.usefixtures("parser")
def test_labels_beyond_ascii_are_read_in_turtle(tmp_path: Path, store: Store) -> None:
    bulk.load(store, [file(tmp_path, "<a:s> <a:p> _:é .\n", "data.ttl")], graph=G)
    assert len(Facts(store, graphs(store)[G])) == 1


def test_a_line_that_is_too_long_is_refused(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_LONGEST", 40)
    path = file(tmp_path, f"<a:s> <a:p> <a:o> .\n#{'c' * 39}<a:s> <a:p> <a:hidden> .\n")
    with pytest.raises(MalformedError, match="over 64 MB") as caught:
        bulk.load(store, [path], graph=G)
    assert caught.value.line == 2


def test_long_literals_are_written_before_there_are_many(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "_LENGTH", 1_000)
    put: list[int] = []
    real = bulk._put

    def counted(writer: Any, rows: Any) -> None:
        put.append(len(rows))
        real(writer, rows)

    monkeypatch.setattr(bulk, "_put", counted)
    text = "".join(f'<a:s> <a:p> "{n}{"x" * 600}" .\n' for n in range(6))
    terms.encode.cache_clear()
    bulk.load(store, [file(tmp_path, text)], graph=G)
    bulk.load_facts(store, memory(store), [file(tmp_path, text)])
    assert [rows for rows in put if rows] == [2] * 6
    assert terms.encode.cache_info().currsize == 2  # subject and predicate


def test_progress_ends_with_all(tmp_path: Path, store: Store) -> None:
    told: list[tuple[int, int]] = []
    paths = [file(tmp_path, LINES, f"{n}.nt") for n in range(2)]
    size = paths[0].stat().st_size
    bulk.load(store, paths, graph=G, progress=lambda *read: told.append(read))
    assert (size, 2 * size) in told
    assert told[-1] == (2 * size, 2 * size)


def test_writes_since_an_interruption_are_kept(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One triple for another as long: the counters of the graph are the same."""
    old, late = ((terms.IRI(f"a:{n}"), terms.IRI("a:p"), terms.IRI("a:o")) for n in ("old", "new"))
    bulk.load(store, [file(tmp_path, "<a:old> <a:p> <a:o> .\n", "old.nt")], graph=G)
    path = file(tmp_path, "<a:1> <a:p> <a:o> .\n<a:2> <a:p> <a:o> .\n")
    monkeypatch.setattr(bulk, "_BATCH", 1)
    with monkeypatch.context() as patch:
        patch.setattr(bulk._Load, "finish", stop)
        with pytest.raises(StoppedError):
            bulk.load(store, [path], graph=G)
    facts = Facts(store, graphs(store)[G])
    facts.delete(*old)
    facts.put(*late)
    bulk.load(store, [path], graph=G)
    subjects = {str(fact.subject) for fact in Facts(store, graphs(store)[G]).match()}
    assert subjects == {"a:new", "a:1", "a:2"}
    assert left(store) == []


class StoppedError(Exception):
    """A crash, as far as the store can tell."""


def stop(*_: object) -> None:
    raise StoppedError


@pytest.mark.slow
def test_an_interrupted_load_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped at every commit in turn, and started again with the same file."""
    monkeypatch.setattr(bulk, "_BATCH", 8)
    rng = random.Random(1)
    text = "".join(
        f"<a:{rng.randrange(9)}> <a:p{rng.randrange(3)}> {rng.choice(['_:b', '<a:1>'])} .\n"
        for _ in range(40)
    )
    path = file(tmp_path, text)
    real = Store.commit
    stop_at = 1
    while True:
        store = Store.open(None)
        bulk.load(store, [file(tmp_path, "<a:old> <a:p> <a:o> .\n", "old.nt")], graph=G)
        before = list(Facts(store, graphs(store)[G]).match())
        left_over = stop_at

        def stopping(self: Store, *given: Any, **named: Any) -> Any:
            nonlocal left_over
            left_over -= 1
            if left_over == 0:
                raise StoppedError
            return real(self, *given, **named)

        with monkeypatch.context() as patch, suppress(StoppedError):
            patch.setattr(Store, "commit", stopping)
            bulk.load(store, [path], graph=G)
        shown = list(Facts(store, graphs(store)[G]).match())
        assert shown == before or len(shown) == len(set(text.splitlines())) + 1
        if shown != before:
            break  # it was whole, and only the old one was still to be deleted
        loaded = bulk.load(store, [path], graph=G)
        assert len(set(text.splitlines())) + 1 == loaded.graphs[G]
        assert check.faults(store, graphs(store)[G]) == []
        assert left(store) == []
        stop_at += 1
    assert stop_at > 10


@pytest.mark.parametrize("name", ["data.ttl", "data.nt"])
def test_interrupted_turtle_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: Store, name: str
) -> None:
    """Its blank nodes get other labels when it is parsed again; whatever the file is called."""
    path = file(tmp_path, "<a:s> <a:p> [ <a:q> <a:o> ] , [ <a:q> <a:o2> ] .\n", name)
    monkeypatch.setattr(bulk, "_BATCH", 1)
    with pytest.raises(StoppedError):
        bulk.load(store, [path], graph=G, format="ttl", progress=stop)
    bulk.load(store, [path], graph=G, format="ttl")
    assert isomorphic(as_rdflib(store), rdflib.Graph().parse(path, format="turtle"))


def test_nothing_is_written_behind_a_write_that_fails(tmp_path: Path) -> None:
    text = "".join(f"<a:{number}> <a:p> <a:o> .\n" for number in range(20))
    path, plain = file(tmp_path, text), Disk({})
    bulk.load(Store(FaultyEngine(plain), None), [path], graph=G)
    for after in range(plain.commits):
        disk = Disk({})
        store = Store(FaultyEngine(disk, "full", after), None)
        with pytest.raises(FullError):
            bulk.load(store, [path], graph=G)
        assert disk.commits == after
        with pytest.raises(BrokenError):
            bulk.load(store, [path], graph=G)


def test_another_load_deletes_what_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.open(None)
    with monkeypatch.context() as patch:
        patch.setattr(bulk._Load, "finish", stop)
        patch.setattr(bulk, "_BATCH", 1)
        with pytest.raises(StoppedError):
            bulk.load(store, [file(tmp_path, "<a:s> <a:p> <a:o> .\n")], graph=G)
    assert left(store)
    bulk.load(store, [file(tmp_path, "<a:x> <a:p> <a:o> .\n", "other.nt")], graph=EX)
    assert list(graphs(store)) == [EX]
    assert left(store) == []
    assert list(store.keys(*keys.scope_range(1))) == []


def test_what_is_refused(tmp_path: Path, store: Store) -> None:
    with pytest.raises(ReservedError, match="memory:keyword"):
        bulk.load(store, [file(tmp_path, "<a:s> <memory:keyword> <a:o> .\n")], graph=G)
    with pytest.raises(MissingError, match="no such file"):
        bulk.load(store, [tmp_path / "none.nt"], graph=G)
    with pytest.raises(UnreadableFileError, match=f"{tmp_path} is no file to load"):
        bulk.load(store, [tmp_path], graph=G, format="nt")
    with pytest.raises(InvalidArgumentError, match="format"):
        bulk.load(store, [file(tmp_path, "", "data.xml")], graph=G)
    memory(store)
    with pytest.raises(InvalidArgumentError, match="kind 'memory'"):
        bulk.load(store, [file(tmp_path, "<a:s> <a:p> <a:o> .\n")], graph="agent")
    assert (graphs(store), left(store)) == ({}, [])


def test_a_file_that_is_not_there_is_found_before_anything_is_read(
    tmp_path: Path, store: Store
) -> None:
    read: list[int] = []
    paths = [file(tmp_path, LINES), tmp_path / "none.nt"]
    with pytest.raises(MissingError, match="no such file"):
        bulk.load(store, paths, graph=G, progress=lambda done, _: read.append(done))
    assert read == []


def test_facts_of_a_memory_are_checked_before_they_are_written(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = memory(store)
    with pytest.raises(MalformedError):
        bulk.load_facts(store, scope, [file(tmp_path, "<a:s> <a:p> <a:o> .\n<a:s> .\n")])
    assert len(Facts(store, scope)) == 0
    monkeypatch.setattr(bulk, "_BATCH", 2)  # else all is checked before the first is full anyway
    paths = [file(tmp_path, LINES), file(tmp_path, "<a:s> .\n", "worse.nt")]
    with pytest.raises(MalformedError, match="worse"):
        bulk.load_facts(store, scope, paths)
    assert len(Facts(store, scope)) == 0
    loaded = bulk.load_facts(store, scope, [file(tmp_path, LINES)])
    assert loaded.graphs == {"agent": 9}
    assert check.faults(store, scope) == []


# -- export -------------------------------------------------------------------------------------


def exported(store: Store, folder: Path, format: Any) -> Path:
    path = folder / f"out.{format}"
    with path.open("wb") as out:
        export(store, list(graphs(store).values()), out, format)
    return path


@pytest.mark.parametrize("format", ["nt", "ttl", "nq", "jsonld"])
def test_what_is_exported_says_the_same(tmp_path: Path, store: Store, format: str) -> None:
    typed = f'<{EX}a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "a text" .\n'
    bulk.load(store, [file(tmp_path, LINES + typed)], graph=bulk.DEFAULT_GRAPH)
    path = exported(store, tmp_path, format)
    kinds = {"nt": "nt", "ttl": "turtle", "nq": "nquads", "jsonld": "json-ld"}
    read = rdflib.Dataset(default_union=True).parse(path, format=kinds[format])
    expected = as_rdflib(store, bulk.DEFAULT_GRAPH)
    again = rdflib.Graph()
    for s, p, o in read.triples((None, None, None)):
        again.add((s, p, o))
    assert isomorphic(again, expected)


@pytest.mark.parametrize("format", ["nq", "jsonld"])
def test_graphs_are_kept_apart(tmp_path: Path, store: Store, format: str) -> None:
    text = f"<a:s> <a:p> <a:o> <{G}> .\n<a:s> <a:p> <a:o2> .\n<a:s> <a:p> <a:o> <{EX}h> .\n"
    bulk.load(store, [file(tmp_path, text, "data.nq")])
    path = exported(store, tmp_path, format)
    read = rdflib.Dataset().parse(path, format={"nq": "nquads"}.get(format, "json-ld"))
    assert {(str(o), str(g)) for _, _, o, g in read} == {
        ("a:o", G), ("a:o", EX + "h"), ("a:o2", bulk.DEFAULT_GRAPH),
    }  # fmt: skip


def test_an_empty_export_is_well_formed(tmp_path: Path, store: Store) -> None:
    assert json.loads(exported(store, tmp_path, "jsonld").read_text()) == []


def test_graphml_has_every_triple(tmp_path: Path, store: Store) -> None:
    from xml.etree import ElementTree as ET

    bulk.load(store, [file(tmp_path, LINES + '<a:s> <a:p> "\\u0001 <&" .\n')], graph=G)
    root = ET.parse(exported(store, tmp_path, "graphml")).getroot()
    space = "{http://graphml.graphdrawing.org/xmlns}"
    nodes = {node.get("id"): node[0].text for node in root.iter(f"{space}node")}
    edges = [
        (nodes[edge.get("source")], edge[0].text, nodes[edge.get("target")])
        for edge in root.iter(f"{space}edge")
    ]
    assert len(edges) == len(set(edges)) == len(Facts(store, graphs(store)[G]))
    assert ("<a:s>", "a:p", '"\\u0001 <&"') in edges
