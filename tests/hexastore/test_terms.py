"""A term that comes back as another is a wrong fact; two terms under one id are a lost one."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import product
from typing import Any

import hypothesis.strategies as st
import pytest
import rdflib
from hypothesis import example, given

from graphmem.errors import InvalidTermError
from graphmem.hexastore import terms
from graphmem.hexastore.terms import (
    IRI,
    RDF_LANG_STRING,
    RDF_TYPE,
    XSD_BOOLEAN,
    XSD_DATE,
    XSD_DATETIME,
    XSD_DOUBLE,
    XSD_INTEGER,
    XSD_STRING,
    BlankNode,
    Literal,
    Term,
)
from graphmem.values.nodes import Form, Node

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
IRI_TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters='<>"{}|^`\\')
    .filter(lambda c: c > " "),
    min_size=1,
)  # fmt: skip
LANGUAGES = st.from_regex(r"\A[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8}){0,2}\Z")
ODD_FORMS = (
    "0 -0 +0 007 +5 -5 1.0 1e3 ٣ 9223372036854775807 9223372036854775808 -9223372036854775808 "
    "-9223372036854775809 0001-01-01 9999-12-31 0000-01-01 10000-01-01 2026-02-30 2026-2-3 "
    "2026-05-03Z 0001-01-01T00:00:00 9999-12-31T23:59:59.999999Z 2026-01-01T24:00:00 "
    "2026-01-01T00:00:00.000000 2026-01-01T00:00:00.1 2026-01-01T00:00:00.100000+00:00 "
    "2026-01-01T00:00:00.1234567 2026-01-01T00:00:00-00:00 2026-01-01T00:00:60Z "
    "2026-01-01T00:00:00+08:00 20260101 2026-W18-7 true TRUE"
).split()
DATATYPES = (XSD_STRING, XSD_INTEGER, XSD_DATE, XSD_DATETIME, XSD_DOUBLE)
LITERALS = (
    st.builds(Literal, TEXT)
    | st.builds(Literal, TEXT | st.sampled_from(ODD_FORMS), st.sampled_from(DATATYPES) | IRI_TEXT)
    | st.builds(Literal, TEXT, st.just(RDF_LANG_STRING), LANGUAGES)
    | st.builds(Literal, st.integers().map(str), st.just(XSD_INTEGER))
    | st.builds(Literal, st.dates().map(date.isoformat), st.just(XSD_DATE))
    | st.builds(Literal, st.datetimes().map(datetime.isoformat), st.just(XSD_DATETIME))
)
IRIS = st.builds(IRI, IRI_TEXT | st.integers(0, 1 << 65).map(lambda n: f"node:{n}"))
BLANKS = st.builds(BlankNode, st.from_regex(r"\A[A-Za-z0-9]{1,12}\Z"))
TERMS = IRIS | BLANKS | LITERALS


def decoded(identifier: bytes, value: Term) -> Term:
    """What a reader gets: out of the id, or out of the dictionary under it."""
    if terms.is_inline(identifier):
        return terms.decode_inline(identifier)
    return terms.parse(value.n3().encode().decode())


@given(value=TERMS)
@example(value=Literal("007", XSD_INTEGER))
@example(value=Literal("+5", XSD_INTEGER))
@example(value=Literal("-0", XSD_INTEGER))
@example(value=Literal("0001-01-01", XSD_DATE))
@example(value=Literal("9999-12-31T23:59:59.999999+00:00", XSD_DATETIME))
@example(value=Literal("2026-01-01T00:00:00.000000Z", XSD_DATETIME))
@example(value=IRI("node:18446744073709551616"))
@example(value=IRI("node:01"))
@example(value=IRI(RDF_TYPE))
@example(value=Literal('a"@en', XSD_STRING))
@example(value=Literal('\\u0041\\"\n\r\t\b\f\x00\u2028'))
def test_a_term_comes_back_exactly_as_it_was(value: Term) -> None:
    """ "007" read back as 7 is another term: what a user asserted can never be found again."""
    taken = terms.term(value)
    assert taken == value
    identifier = terms.encode(taken)
    assert len(identifier) == terms.TERM_BYTES
    assert decoded(identifier, taken) == value
    assert terms.parse(taken.n3()) == value


def test_odd_forms_of_numbers_and_days_come_back_too() -> None:
    """Those that Python reads as the same day or number are other terms all the same."""
    for form, datatype in product(ODD_FORMS, DATATYPES):
        value = Literal(form, datatype)
        assert decoded(terms.encode(value), value) == value


@given(a=TERMS, b=TERMS)
def test_different_terms_have_different_ids(a: Term, b: Term) -> None:
    """Two terms under one id: the second fact overwrites the first."""
    assert (a == b) == (terms.encode(a) == terms.encode(b))


@given(a=st.integers(-(1 << 63), (1 << 63) - 1), b=st.integers(-(1 << 63), (1 << 63) - 1))
def test_ids_of_integers_sort_as_their_values_do(a: int, b: int) -> None:
    """A range over numbers would skip some and include others."""
    ids = [terms.encode(terms.term(n)) for n in (a, b)]
    assert all(map(terms.is_inline, ids))
    assert (a < b) == (ids[0] < ids[1])


@given(a=st.dates(), b=st.dates())
def test_ids_of_dates_sort_as_time_does(a: date, b: date) -> None:
    """`since` and `until` over facts would answer wrongly before 1970."""
    ids = [terms.encode(terms.term(day)) for day in (a, b)]
    assert all(map(terms.is_inline, ids))
    assert (a < b) == (ids[0] < ids[1])


@given(a=st.datetimes(), b=st.datetimes(), zone=st.sampled_from((None, UTC)))
def test_ids_of_moments_sort_as_time_does(a: datetime, b: datetime, zone: Any) -> None:
    """The same for moments, with and without fractions of a second."""
    moments = [moment.replace(tzinfo=zone) for moment in (a, b)]
    ids = [terms.encode(terms.term(moment)) for moment in moments]
    assert all(map(terms.is_inline, ids))
    assert (a < b) == (ids[0] < ids[1])


@given(node=st.integers(0, (1 << 64) - 1))
def test_a_node_is_known_by_its_id(node: int) -> None:
    """A link to a node that reads back as another node is a link to the wrong memory."""
    identifier = terms.encode(terms.term(node, subject=True))
    assert terms.decode_node(identifier) == node
    assert terms.encode_node(node) == identifier
    assert terms.decode_inline(identifier) == IRI(f"node:{node}")


@given(identifier=st.binary(min_size=16, max_size=16))
@example(identifier=b"\x06" + b"\xff" * 15)
@example(identifier=b"\x07" + b"\xff" * 15)
@example(identifier=b"\x08" + b"\xff" * 15)
def test_damaged_ids_raise_one_named_error(identifier: bytes) -> None:
    """A flipped byte must not come out as an OverflowError from the middle of a query."""
    if terms.is_inline(identifier):
        try:
            value = terms.decode_inline(identifier)
        except InvalidTermError:
            return
        assert isinstance(value, IRI | Literal)


@given(form=TEXT)
def test_forms_that_are_none_raise_one_named_error(form: str) -> None:
    """The same for damaged dictionary entries."""
    with suppress(InvalidTermError):
        terms.parse(form)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (17, Literal("17", XSD_INTEGER)),
        (True, Literal("true", XSD_BOOLEAN)),
        (1.5, Literal("1.5", XSD_DOUBLE)),
        (float("inf"), Literal("INF", XSD_DOUBLE)),
        (float("-inf"), Literal("-INF", XSD_DOUBLE)),
        (float("nan"), Literal("NaN", XSD_DOUBLE)),
        ("tea", Literal("tea")),
        (date(2026, 5, 3), Literal("2026-05-03", XSD_DATE)),
        (datetime(2026, 5, 3, 9, tzinfo=UTC), Literal("2026-05-03T09:00:00+00:00", XSD_DATETIME)),
        (rdflib.URIRef("http://example.org/a"), IRI("http://example.org/a")),
        (rdflib.BNode("b1"), BlankNode("b1")),
        (rdflib.Literal("tea"), Literal("tea")),
        (rdflib.Literal("tea", lang="en-GB"), Literal("tea", RDF_LANG_STRING, "en-GB")),
        (rdflib.Literal(5), Literal("5", XSD_INTEGER)),
        (rdflib.Literal("x", datatype=rdflib.XSD.token), Literal("x", str(rdflib.XSD.token))),
        (Literal("tea", language="en"), Literal("tea", RDF_LANG_STRING, "en")),
    ],
)
def test_python_values_and_rdflib_terms_are_taken(value: object, expected: Term) -> None:
    """A value stored as a term of another type is never found by SPARQL."""
    assert terms.term(value) == expected


def test_a_string_is_an_iri_before_and_a_literal_behind_the_predicate() -> None:
    """Otherwise "tea" would become an address, or an address a text."""
    assert terms.term("http://example.org/a", subject=True) == IRI("http://example.org/a")
    assert terms.term("http://example.org/a") == Literal("http://example.org/a")
    assert terms.term(17, subject=True) == IRI("node:17")


def test_a_node_stands_for_its_address() -> None:
    """`graph.facts.put(node, …)` must speak about the node, not about its text."""
    now = datetime.now(UTC)
    node = Node(3, "t", "t", (), None, None, None, now, 0, None, False, 1, Form.WHOLE, 1.0, ("t",))
    assert terms.term(node) == terms.term(node, subject=True) == IRI("node:3")


@pytest.mark.parametrize(
    ("value", "subject"),
    [
        ("\ud800", False),
        ("http://example.org/\udfff", True),
        (Literal("a\ud800"), False),
        ("", True),
        ("a b", True),
        ("<a>", True),
        (IRI('a"b'), False),
        (-1, True),
        (1 << 64, True),
        pytest.param(10**5000, False, id="5001 digits"),
        (Literal("a", 'http://example.org/"b'), False),
        (Literal("a", ""), False),
        (Literal("a", language='en"'), False),
        (Literal("a", language=""), False),
        (BlankNode(""), False),
        (BlankNode("a b"), False),
        (rdflib.Variable("v"), False),
        (None, False),
        (b"bytes", False),
        (object(), False),
        ([1], False),
    ],
)
def test_what_is_no_term_is_refused_by_name(value: object, subject: bool) -> None:
    """Lost: a quote in a datatype came back as part of the text, and an id of −1 as an address."""
    with pytest.raises(InvalidTermError):
        terms.term(value, subject=subject)


@given(value=LITERALS)
def test_the_value_of_a_literal_never_raises(value: Literal) -> None:
    """An ill-typed literal ("abc" as an integer) would stop every reader of its triple."""
    assert isinstance(value.value, str | int | float | bool | date | datetime)
    assert str(value) == value.lexical


@given(
    moment=st.datetimes(
        timezones=st.builds(lambda m: timezone(timedelta(minutes=m)), st.integers(-840, 840))
    )
)
def test_a_moment_keeps_its_offset(moment: datetime) -> None:
    """09:00+08:00 stored as 01:00Z forgets where it was said."""
    value = terms.term(moment)
    back = decoded(terms.encode(value), value)
    assert isinstance(back, Literal)
    assert back.value == moment
    assert back.lexical == moment.isoformat()
