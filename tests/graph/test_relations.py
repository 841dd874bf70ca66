"""A relation whose name does not come back is a link that says something else."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import example, given

import graphmem
from graphmem.errors import ArgumentTypeError, InvalidArgumentError, ReservedError
from graphmem.graph import relations
from graphmem.graph.relations import Relations
from graphmem.hexastore import scopes, terms
from graphmem.hexastore.transaction import Transaction
from graphmem.storage.store import Store

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30) | st.sampled_from(
    ("focus", "segment", "supersedes", "http://e.org/r", "http://e.org/%41", "a b", "50% of")
)  # fmt: skip


@given(name=NAMES)
@example(name="relation:causes")
@example(name="relation:a%20b")
@example(name="%41")
@example(name="urn:x")
@example(name="urn:x y")
@example(name="node:5")
def test_a_name_comes_back_from_its_iri(name: str) -> None:
    """A percent sign decoded once too often, and "50%25" is another relation."""
    iri = relations.iri(name)
    if not name.startswith("memory:"):  # which `check_own` refuses
        assert relations.name_of(iri) == name
    assert terms.term(iri, subject=True) == terms.IRI(iri), "it can stand in a triple"


@given(names=st.lists(NAMES, min_size=2, max_size=2, unique=True))
@example(names=["causes", "relation:causes"])
@example(names=["a b", "relation:a%20b"])
def test_two_names_have_two_iris(names: list[str]) -> None:
    """ "causes" and "relation:causes" were one predicate under two codes: links were lost."""
    if not any(name.startswith("memory:") for name in names):
        assert relations.iri(names[0]) != relations.iri(names[1])


@given(names=st.lists(NAMES.filter(lambda n: not n.startswith("memory:")), unique=True, max_size=8))
def test_codes_are_the_same_after_reopening(names: list[str]) -> None:
    """Adjacency entries carry the code alone: read with another table, every link lies."""
    with Store.open(None) as store:
        scope = scopes.open_scope(
            store, "agent", kind="memory", decay=0.03, created=1, analyser=1, create=True
        )
        table = Relations(store, scope)
        with Transaction(store, scope) as tx:
            codes = {name: table.code(tx, name) for name in names}
        assert len(set(codes.values())) == len(names)
        for known in (table, Relations(store, scope)):
            assert [known.name(code) for code in codes.values()] == names
            assert {name: known.code_of(known.term(name)) for name in names} == codes
            assert known.codes(names) == list(codes.values())
            assert known.codes(["never used"]) == []
            with Transaction(store, scope) as tx:
                assert {name: known.code(tx, name) for name in names} == codes


def test_the_codes_of_the_system_stay_what_they_are() -> None:
    """Renumbered, the focus links of every folder written before become something else."""
    with Store.open(None) as store:
        scope = scopes.open_scope(
            store, "agent", kind="memory", decay=0.03, created=1, analyser=1, create=True
        )
        table = Relations(store, scope)
        assert table.codes(["focus", "segment", "supersedes"]) == [1, 2, 3]
        with Transaction(store, scope) as tx:
            assert table.code(tx, "mine") == 64
        assert table.name(99) == "?99"


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("", InvalidArgumentError), ("  ", InvalidArgumentError), ("x" * 201, InvalidArgumentError),
        ("\ud800", InvalidArgumentError), ("a\udfff", InvalidArgumentError),
        ("focus", ReservedError), ("segment", ReservedError), ("supersedes", ReservedError),
        ("memory:x", ReservedError), (None, ArgumentTypeError), (b"causes", ArgumentTypeError),
    ],
)  # fmt: skip
def test_unfit_names_are_refused_and_change_nothing(name: Any, error: type[Exception]) -> None:
    """A lone surrogate raised UnicodeEncodeError out of the middle of a write."""
    with graphmem.open(None, worker="none") as memory:
        a, b = memory.remember("Wen went.")[0], memory.remember("Ada came.")[0]
        sequence = memory.admin.stats()["sequence"]
        with pytest.raises(error):
            memory.graph.relate(a, name, b)
        assert memory.admin.stats()["sequence"] == sequence
        assert memory.admin.check() == []
