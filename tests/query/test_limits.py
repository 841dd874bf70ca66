"""A query from anybody ends in time and within memory; each of these took minutes or gigabytes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

import graphmem
from graphmem.api.memory import Memory
from graphmem.errors import (
    QueryError,
    QueryLimitError,
    QueryRefusedError,
    QuerySyntaxError,
    QueryTimeoutError,
)
from graphmem.query import limits, regex

DECIMAL = "http://www.w3.org/2001/XMLSchema#decimal"
XSD = "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
LONG = "SELECT * { ?s <http://e.org/long> ?long "


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with graphmem.open(None, worker="none") as memory:
        for number in range(20):
            memory.remember(f"Wen moved the release {number} to May {number + 1}.")
        memory.graph.facts.put("http://e.org/a", "http://e.org/long", "x" * 1_000_000)
        memory.graph.facts.put(
            "http://e.org/a", "http://e.org/big", graphmem.Literal("1e999999999", DECIMAL)
        )
        yield memory


def doubled(function: str) -> str:
    steps = "".join(f"BIND({function}(?b{n}, ?b{n}) AS ?b{n + 1}) " for n in range(30))
    return f'SELECT * {{ BIND("ab" AS ?b0) {steps} }}'


@pytest.mark.parametrize(
    "query",
    [
        'SELECT ("1e999999999"^^xsd:decimal + 1 AS ?x) {}',
        'SELECT ("-1.5E+999999999"^^<http://www.w3.org/2001/XMLSchema#decimal> AS ?x) {}',
        'PREFIX d: <http://www.w3.org/2001/XMLSchema#deci> SELECT ("1e999999999"^^d:mal AS ?x) {}',
        'SELECT * { VALUES ?x { "1e99_999_999"^^xsd:decimal } }',
    ],
)
def test_a_decimal_that_would_be_written_out_for_a_gigabyte_is_refused(
    memory: Memory, query: str
) -> None:
    with pytest.raises(QueryRefusedError, match="exponent"):
        memory.graph.sparql(query)


@pytest.mark.parametrize(
    "expression",
    [
        'STRDT(CONCAT("1e99999", "9999"), xsd:decimal)',
        'xsd:decimal(CONCAT("1e99999", "9999"))',
    ],
)
def test_a_decimal_that_a_query_makes_has_no_exponent(memory: Memory, expression: str) -> None:
    assert memory.graph.sparql(f"SELECT ({expression} AS ?x) {{}}").bindings == [{}]


def test_a_decimal_that_is_stored_or_given_is_shown_as_it_stands(memory: Memory) -> None:
    (row,) = memory.graph.sparql("SELECT ?v { ?s <http://e.org/big> ?v }")
    assert str(row.v) == "1e999999999"
    assert str(row.v.datatype) == DECIMAL
    given = graphmem.Literal("1e999999999", DECIMAL)
    assert memory.graph.sparql("ASK { ?s <http://e.org/big> ?v }", v=given).askAnswer
    with pytest.raises(QueryError):
        memory.graph.sparql("SELECT (SUM(?v) AS ?x) { ?s <http://e.org/big> ?v }")


def test_numbers_multiply_to_a_limit(memory: Memory) -> None:
    squares = "".join(f"BIND(?b{n} * ?b{n} AS ?b{n + 1}) " for n in range(30))
    with pytest.raises(QueryLimitError, match="digits"):
        memory.graph.sparql(f"SELECT * {{ BIND(9999999999 AS ?b0) {squares} }}")
    (row,) = memory.graph.sparql('SELECT ("1e99999"^^xsd:double AS ?x) {}')
    assert float(row.x) == float("inf")


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(doubled("CONCAT"), id="doublings"),
        LONG + "BIND(CONCAT(" + ",".join(["?long"] * 20) + ") AS ?x) }",
        LONG + 'BIND(REPLACE(?long, "x+", "' + "$0" * 20 + '") AS ?x) }',
        "SELECT (GROUP_CONCAT(?long) AS ?x) { ?a ?b ?c . ?s <http://e.org/long> ?long }",
    ],
)
def test_a_text_grows_to_a_limit(memory: Memory, query: str) -> None:
    with pytest.raises(QueryLimitError, match="text"):
        memory.graph.sparql(query)


def test_texts_that_rows_keep_have_a_limit_together(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_TEXT", 3_000_000)
    query = "SELECT ?p (CONCAT(?long, STR(?p)) AS ?x) { ?n ?p ?o . ?s <http://e.org/long> ?long }"
    with pytest.raises(QueryLimitError, match="together"):
        memory.graph.sparql(query)
    # What a filter makes and throws away is not kept.
    memory.graph.sparql(f"{LONG} . ?n memory:uses ?o FILTER(CONTAINS(UCASE(?long), STR(?n))) }}")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
        "SELECT ?a { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } ORDER BY ?c LIMIT 1",
        "SELECT DISTINCT ?a ?c ?d { ?a ?b ?c . ?d ?e ?f }",
        "SELECT (COUNT(DISTINCT *) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
        "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f } GROUP BY ?c ?f",
        "CONSTRUCT { ?a ?e ?i } { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
        "SELECT * { ?a ?b ?c MINUS { ?a ?y ?z . ?u ?v ?w } }",
    ],
)
def test_rows_that_are_held_have_a_limit(
    memory: Memory, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_CELLS", 2_000)
    with pytest.raises(QueryLimitError, match="holds more than"):
        memory.graph.sparql(query)


def test_rows_that_pass_by_have_none(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_CELLS", 100)
    (row,) = memory.graph.sparql("SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d memory:uses ?f }")
    assert int(row.n) > 2_000


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("SELECT * { ?s ?p ?o " + "FILTER(?s != 1) " * 1_500 + "}", id="filters"),
        pytest.param("SELECT * { FILTER(?x IN (" + ",".join("1" * 40_000) + ")) }", id="list"),
        pytest.param("SELECT * { VALUES ?x {" + "1 " * 40_000 + "} }", id="values"),
        LONG + 'BIND(REPLACE(?long, "x.*b|x", "y") AS ?x) }',
        "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }",
        "SELECT * { ?a (<x:y>|!<x:y>)+ ?b . ?b (!<x:y>)* ?c }",
        "SELECT ?a { ?a ?b ?c . ?d ?e ?f } ORDER BY ?c ?f LIMIT 3",
    ],
)
def test_time_counts_while_a_query_is_parsed_and_within_a_row(memory: Memory, query: str) -> None:
    begun = time.process_time()
    with pytest.raises(QueryTimeoutError):
        memory.graph.sparql(query, seconds=0.2)
    assert time.process_time() - begun < 5


def test_time_counts_while_nothing_is_found(memory: Memory) -> None:
    for query in ("ASK { ?n memory:uses 12345 }", "ASK { ?l memory:strength 7.5 }"):
        with pytest.raises(QueryTimeoutError):
            memory.graph.sparql(query, seconds=0)


def test_rdflib_parses_for_others_as_before() -> None:
    import rdflib

    graph = rdflib.Graph().parse(data="<x:a> <x:b> 1, 2 .", format="turtle")
    query = 'SELECT ?o { ?s ?p ?o FILTER(REGEX(STR(?o), "(?=1)") && ?o < 2) }'
    assert [int(row.o) for row in graph.query(query)] == [1]


# -- regular expressions ---------------------------------------------------------------------------


def test_a_backtracking_pattern_is_answered_and_other_threads_go_on(memory: Memory) -> None:
    answered = threading.Event()

    def ask() -> None:
        memory.graph.sparql(LONG + 'FILTER REGEX(CONCAT(?long, "y"), "^(x+x+)+z$") }')
        answered.set()

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(60)
    assert answered.is_set()


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        (r"(?=a)b", "looking ahead"),
        (r"(?<!a)b", "looking ahead or back"),
        (r"(a)\1", "back-reference"),
        (r"\i\c*", "names of XML"),
        (r"[a-z-[aeiou]]", "subtraction"),
        (r"\p{IsGreek}", "block of Unicode"),
        (r"[\W]", "within brackets"),
    ],
)
def test_what_the_engine_lacks_is_refused_by_name(pattern: str, name: str) -> None:
    with pytest.raises(QueryRefusedError, match=name):
        regex.compiled(pattern)


@pytest.mark.parametrize("pattern", ["(a", "a**", r"\p{Xx}", "[z-a]", "*"])
def test_a_wrong_pattern_is_named(memory: Memory, pattern: str) -> None:
    with pytest.raises(QueryError, match="no regular expression"):
        memory.graph.sparql("SELECT * { FILTER REGEX('a', ?p) }", p=pattern)


def test_a_pattern_and_a_text_are_of_a_size() -> None:
    with pytest.raises(QueryLimitError, match="characters"):
        regex.compiled("a" * 2_000)
    with pytest.raises(QueryLimitError, match="too large"):
        regex.compiled("((a{100}){100}){100}")
    with pytest.raises(QueryLimitError, match="instructions"):
        regex.compiled("[xy]*x[xy]{900}z").found_in("x" * 1_000_000)


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "found"),
    [
        ("^b", "", "a\nb", False),
        ("^b", "m", "a\nb", True),
        ("a.b", "", "a\nb", False),
        ("a.b", "s", "a\nb", True),
        ("ÄB", "i", "xäb", True),
        ("a b", "x", "ab", True),
        ("a[ ]b", "x", "a b", True),
        ("a.b", "q", "a.b", True),
        ("a.b", "q", "axb", False),
        (r"^\w+$", "", "été_文", True),
        (r"^[\w-]+$", "", "文-字", True),
        (r"^\d$", "", "٣", True),
        (r"\S", "", "\u3000", False),
        (r"^[\D]$", "", "a", True),
        (r"^[a[]$", "", "[", True),
        (r"^[]a]$", "", "]", True),
        (r"\(\[", "", "x([", True),
        (r"^\p{Lu}\P{Lu}$", "", "Éé", True),
        ("a$", "", "a\n", False),
        ("", "", "", True),
    ],
)
def test_patterns_mean_what_xpath_says(pattern: str, flags: str, text: str, found: bool) -> None:
    assert regex.compiled(pattern, flags).found_in(text) is found


@pytest.mark.parametrize(
    ("call", "made"),
    [
        ('REPLACE("abracadabra", "bra", "*")', "a*cada*"),
        ('REPLACE("abracadabra", "a(.)", "a$1$1")', "abbraccaddabbra"),
        ('REPLACE("abc", "(b)", "[$0|$1|$12|$2]")', "a[b|b|b2|]c"),
        ('REPLACE("abc", "b", "\\\\$\\\\\\\\")', "a$\\c"),
        ('REPLACE("aB", "b", "文", "i")', "a文"),
        ('REPLACE("文字", "字$", "本")', "文本"),
        ('REPLACE("ab", "x*", "-")', "-a-b-"),
    ],
)
def test_matches_are_replaced(memory: Memory, call: str, made: str) -> None:
    (row,) = memory.graph.sparql(f"SELECT ({call} AS ?x) {{}}")
    assert str(row.x) == made


@pytest.mark.parametrize("replacement", ["$", "$x", "\\", "a\\n"])
def test_a_wrong_replacement_is_named(memory: Memory, replacement: str) -> None:
    with pytest.raises(QueryError, match="replacement"):
        memory.graph.sparql('SELECT (REPLACE("a", "a", ?r) AS ?x) {}', r=replacement)


def test_an_escape_that_is_no_character_is_a_named_error(memory: Memory) -> None:
    with pytest.raises(QuerySyntaxError):
        memory.graph.sparql("SELECT ('\\U99999999' AS ?x) {}")
