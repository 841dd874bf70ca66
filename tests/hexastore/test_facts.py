"""A fact that one order knows and another does not is found by one question and not by the next."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import Phase, given, settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import (
    CorruptError,
    InvalidArgumentError,
    InvalidTermError,
    ReservedError,
)
from graphmem.hexastore import keys, scopes, terms
from graphmem.hexastore.facts import Facts
from graphmem.hexastore.keys import ORDERS, Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.terms import IRI, BlankNode, Literal, Triple, Variable
from graphmem.hexastore.transaction import Transaction
from graphmem.hexastore.triples import PLACES, TripleWriter
from graphmem.storage.store import Store

SUBJECTS: tuple[Any, ...] = (IRI("http://e.org/a"), IRI("node:1"), BlankNode("b"))
PREDICATES: tuple[Any, ...] = (IRI("http://e.org/p"), IRI("http://e.org/q"))
OBJECTS: tuple[Any, ...] = (
    IRI("http://e.org/a"), IRI("node:1"), Literal("a"), Literal("茶", terms.RDF_LANG_STRING, "zh"),
    Literal("7", terms.XSD_INTEGER), Literal("007", terms.XSD_INTEGER),
)  # fmt: skip
ALL = [Triple(*found) for found in product(SUBJECTS, PREDICATES, OBJECTS)]
TRIPLES = st.sampled_from(ALL)


def opened(store: Store) -> Scope:
    return scopes.open_scope(
        store, "agent", kind="rdf", decay=0.03, created=1, analyser=1, create=True
    )


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.open(None) as store:
        yield store


@pytest.fixture
def facts(store: Store) -> Facts:
    return Facts(store, opened(store))


def rows(store: Store, space: Space) -> dict[bytes, bytes]:
    start = keys.prefix(1, space)
    return {key[5:]: value for key, value in store.range(start, keys.after(start))}


def check(store: Store, plain: set[Triple]) -> None:
    """The six orders, the dictionary and the statistics say what a plain set says."""
    ids = {tuple(terms.encode(t) for t in triple) for triple in plain}
    for order in ORDERS:
        places = PLACES[order]
        found = {tuple(key[16 * p : 16 * p + 16] for p in places) for key in rows(store, order)}
        assert found == ids, order.name
    used = {term for triple in ids for term in triple if not terms.is_inline(term)}
    assert set(rows(store, Space.DICTIONARY)) == used
    counts = {p: sum(t[1] == p for t in ids) for _, p, _ in ids}
    assert {
        key: int.from_bytes(value, "big") for key, value in rows(store, Space.STATISTIC).items()
    } == counts


@given(plain=st.sets(TRIPLES, max_size=12), data=st.data())
def test_every_pattern_finds_what_a_plain_set_does(plain: set[Triple], data: st.DataObject) -> None:
    """Eight patterns read four orders: a wrong one answers with too much or too little."""
    with Store.open(None) as store:
        facts = Facts(store, opened(store))
        for triple in plain:
            assert facts.put(*triple)
        for bound in product((False, True), repeat=3):
            asked = data.draw(TRIPLES)
            pattern = [term if given else None for term, given in zip(asked, bound, strict=True)]
            expected = {
                triple
                for triple in plain
                if all(a is None or a == b for a, b in zip(pattern, triple, strict=True))
            }
            found = list(facts.match(*pattern))
            assert len(found) == len(set(found))
            assert set(found) == expected
            assert facts.count(*pattern) == len(expected)
            assert list(facts.match(*pattern, reverse=True)) == found[::-1]
            limit, offset = data.draw(st.integers(0, 4)), data.draw(st.integers(0, 4))
            page = facts.match(*pattern, limit=limit, offset=offset)
            assert list(page) == found[offset : offset + limit]
            assert (asked in facts) == (asked in plain)
        assert set(facts) == plain
        assert len(facts) == len(plain)


class FactsMachine(RuleBasedStateMachine):
    """Facts against a plain set, with readers that began earlier."""

    readers: Bundle[Any] = Bundle("readers")

    def path(self) -> Path | None:
        return None

    @initialize()
    def start(self) -> None:
        self.plain: set[Triple] = set()
        self.open()

    def open(self) -> None:
        self.store = Store.open(self.path(), durability="os")
        self.scope = opened(self.store)
        self.facts = Facts(self.store, self.scope)

    @rule(triple=TRIPLES)
    def put(self, triple: Triple) -> None:
        assert self.facts.put(*triple) == (triple not in self.plain)
        self.plain.add(triple)

    @rule(triple=TRIPLES)
    def delete(self, triple: Triple) -> None:
        assert self.facts.delete(*triple) == (triple in self.plain)
        self.plain.discard(triple)

    @rule(batch=st.lists(st.tuples(TRIPLES, st.booleans()), max_size=8), fails=st.booleans())
    def several_at_once(self, batch: list[tuple[Triple, bool]], fails: bool) -> None:
        plain = set(self.plain)
        try:
            with Transaction(self.store, self.scope) as tx:
                writer = TripleWriter(tx)
                for triple, delete in batch:
                    if delete:
                        ids = [terms.encode(t) for t in triple]
                        assert writer.delete(*ids) == (triple in plain)
                        plain.discard(triple)
                    else:
                        ids = [writer.intern(t) for t in triple]
                        assert writer.put(*ids) == (triple not in plain)
                        plain.add(triple)
                if fails:
                    raise ZeroDivisionError
        except ZeroDivisionError:
            return
        self.plain = plain

    @rule(target=readers)
    def begin(self) -> Any:
        reader = self.facts.match()
        first = next(reader, None)
        return reader, self.plain - {first} if first else None

    @rule(reader=readers)
    def go_on(self, reader: tuple[Iterator[Triple], set[Triple] | None]) -> None:
        iterator, expected = reader
        if expected is not None:
            try:
                rest = list(iterator)
            except graphmem.errors.ClosedError:
                return
            assert not rest or set(rest) == expected

    @invariant()
    def agrees(self) -> None:
        if hasattr(self, "plain"):
            check(self.store, self.plain)
            assert len(self.facts) == len(self.plain)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()


class FolderMachine(FactsMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="graphmem-facts-")

    def path(self) -> Path:
        return Path(self.folder.name) / "m"

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.open()

    def teardown(self) -> None:
        super().teardown()
        self.folder.cleanup()


TestInMemory = FactsMachine.TestCase
TestInFolder = FolderMachine.TestCase
# Shrinking takes minutes; the steps of the first failure say enough.
TestInMemory.settings = settings(phases=set(Phase) - {Phase.shrink})
TestInFolder.settings = settings(
    TestInMemory.settings,
    max_examples=settings().max_examples // 5,
    stateful_step_count=30,
)


def test_a_term_leaves_the_dictionary_with_its_last_fact(store: Store, facts: Facts) -> None:
    """An erased name would stay readable on the disk, under no fact."""
    facts.put("http://e.org/a", "http://e.org/p", "secret")
    facts.put("http://e.org/b", "http://e.org/p", "secret")
    facts.delete("http://e.org/a", "http://e.org/p", "secret")
    assert b'"secret"' in rows(store, Space.DICTIONARY).values()
    facts.delete("http://e.org/b", "http://e.org/p", "secret")
    assert rows(store, Space.DICTIONARY) == {}
    assert rows(store, Space.STATISTIC) == {}


def test_a_term_in_all_three_places_leaves_with_the_last_of_them(
    store: Store, facts: Facts
) -> None:
    """Looking for references in one order only would drop a term that is still used elsewhere."""
    a, p = "http://e.org/a", "http://e.org/p"
    facts.put(a, p, "x")
    facts.put("http://e.org/b", a, "x")
    facts.put("http://e.org/b", p, IRI(a))
    for triple in ((a, p, "x"), ("http://e.org/b", a, "x")):
        facts.delete(*triple)
        assert f"<{a}>".encode() in rows(store, Space.DICTIONARY).values()
    facts.delete("http://e.org/b", p, IRI(a))
    assert rows(store, Space.DICTIONARY) == {}


def test_a_lost_dictionary_entry_has_a_named_error(store: Store, facts: Facts) -> None:
    """A KeyError out of a query says nothing about repair()."""
    facts.put("http://e.org/a", "http://e.org/p", "x")
    store.commit(dict.fromkeys(store.keys(*keys.scope_range(1))) | {
        key: value
        for key, value in store.range(*keys.scope_range(1))
        if key[4] != Space.DICTIONARY
    })  # fmt: skip
    with pytest.raises(CorruptError, match="check"):
        list(facts.match())


@pytest.mark.parametrize(
    "triple",
    [
        ("http://e.org/a", "memory:content", "x"),
        ("http://e.org/a", "memory:keyword", "x"),
        ("node:1", terms.RDF_TYPE, IRI("memory:Node")),
    ],
)
def test_what_graphmem_writes_itself_cannot_be_asserted(facts: Facts, triple: Any) -> None:
    """A forged keyword, or a node without records, would break check() for good."""
    with pytest.raises(ReservedError):
        facts.put(*triple)
    assert len(facts) == 0


def test_a_number_of_a_node_without_its_scheme_says_how_it_is_written(facts: Facts) -> None:
    with pytest.raises(InvalidTermError, match="memory node 2 is node:2"):
        facts.put("2", "http://e.org/p", "x")


def test_types_of_ones_own_can_be_asserted(facts: Facts) -> None:
    """Reserving rdf:type as a whole would leave a user without classes."""
    assert facts.put("node:1", terms.RDF_TYPE, IRI("http://e.org/Meeting"))
    assert not facts.put("node:1", terms.RDF_TYPE, IRI("http://e.org/Meeting"))


@pytest.mark.parametrize(
    "triple",
    [
        (Literal("a"), "http://e.org/p", "x"),
        (1.5, "http://e.org/p", "x"),
        ("http://e.org/a", BlankNode("p"), "x"),
        ("http://e.org/a", 17, "x"),
        ("http://e.org/a", "not an iri", "x"),
        ("2", "http://e.org/p", "x"),  # its export could not be read back
        ("http://e.org/a", "source", "x"),
        (None, "http://e.org/p", "x"),
        ("http://e.org/a", "http://e.org/p", None),
        ("http://e.org/a", "http://e.org/p", [1]),
    ],
)
def test_what_is_no_triple_is_refused(facts: Facts, triple: Any) -> None:
    """A literal as a subject cannot be written as RDF by any tool."""
    with pytest.raises(InvalidTermError):
        facts.put(*triple)
    assert len(facts) == 0


@pytest.mark.parametrize("bad", [{"limit": -1}, {"offset": -1}, {"limit": 1.5}, {"offset": "2"}])
def test_pages_are_checked_at_the_call(facts: Facts, bad: Any) -> None:
    """Raised only when the iterator is read, the error points at the wrong line."""
    with pytest.raises(InvalidArgumentError):
        facts.match(**bad)


def test_what_graphmem_wrote_itself_cannot_be_deleted() -> None:
    """The type of a node, which `put` refuses, could be deleted; check() then failed for good."""
    with graphmem.open(None, worker="none") as memory:
        a = memory.remember("Wen moved the release.", session="standup")[0]
        b = memory.remember("Ada likes tea.")[0]
        memory.graph.relate(a, "http://e.org/before", b)
        p, o = Variable("p"), Variable("o")
        own = {(row["p"], row["o"]) for row in memory.graph.facts.search([(a, p, o)])}
        assert len(own) > 4
        assert list(memory.graph.facts) == []
        for predicate, obj in own:
            if str(predicate) == "http://e.org/before":
                assert not memory.graph.facts.delete(a, predicate, obj), "a link is no fact"
            else:
                with pytest.raises(ReservedError):
                    memory.graph.facts.delete(a, predicate, obj)
        assert {(row["p"], row["o"]) for row in memory.graph.facts.search([(a, p, o)])} == own
        assert memory.admin.check() == []


def test_a_fact_and_a_link_may_say_the_same() -> None:
    """Neither takes the other along, and a join gives the triple once."""
    with graphmem.open(None, worker="none") as memory:
        a, b = memory.remember("Wen went.")[0], memory.remember("Ada came.")[0]
        relation, x = "http://e.org/before", Variable("x")
        memory.graph.relate(a, relation, b)
        assert memory.graph.facts.put(a, relation, b) is True
        assert memory.graph.facts.put(a, relation, b) is False
        assert len(list(memory.graph.facts.search([(a, relation, x)]))) == 1
        assert len(list(memory.graph.facts.search([(x, relation, b)]))) == 1
        assert len(list(memory.graph.facts.search([(Variable("s"), relation, x)]))) == 1
        assert memory.graph.facts.delete(a, relation, b) is True
        assert [k.target for k in memory.graph.links(a) if k.relation == relation] == [b.id]
        assert len(list(memory.graph.facts.search([(a, relation, x)]))) == 1
        memory.graph.facts.put(a, relation, b)
        with rooms(memory).changing() as writer:
            writer.links.clear(a.id)
        assert (a, relation, b) in memory.graph.facts
        assert len(list(memory.graph.facts.search([(a, relation, x)]))) == 1
        assert memory.admin.check() == []


def test_a_fact_beside_a_link_goes_with_its_node() -> None:
    """The same three terms as a fact and as a link: both go with their subject, and each once."""
    with graphmem.open(None, worker="none") as memory:
        a, b, c = (memory.remember(text)[0] for text in ("Wen went.", "Ada came.", "Li stayed."))
        relation = IRI("http://e.org/before")
        assert memory.graph.facts.put(a, relation, IRI(f"node:{c.id}"))
        memory.graph.relate(a, str(relation), b)
        memory.graph.relate(a, str(relation), c)
        assert memory.graph.facts.put(a, relation, IRI(f"node:{c.id}")) is False
        assert memory.admin.check() == []
        memory.forget(c)
        memory.forget(a)
        assert memory.admin.check() == []


def test_a_count_that_cannot_be_is_named(store: Store, facts: Facts) -> None:
    """`list` makes room for as many as `len` says: here it would be for all memory there is."""
    facts.put(*ALL[0])
    with Transaction(store, opened(store)) as tx:
        tx.state.triples = 1 << 50
    with pytest.raises(CorruptError, match=r"run admin\.check"):
        list(facts)


@pytest.mark.parametrize(
    ("text", "language"), [("boat", "en"), ("Boot", "de"), ("船", "zh"), ("barco", "pt-BR")]
)
def test_a_literal_with_a_language_is_equal_to_itself_when_it_is_read(
    text: str, language: str
) -> None:
    """What `match` returned for it had the datatype rdf:langString and was not equal to it."""
    said = Literal(text, language=language)
    with graphmem.open(worker="none") as memory:
        memory.graph.facts.put("ex:boat", "ex:name", said)
        (fact,) = memory.graph.facts.match()
    assert fact.object == said == Literal(text, terms.RDF_LANG_STRING, language)
    assert hash(fact.object) == hash(said)
