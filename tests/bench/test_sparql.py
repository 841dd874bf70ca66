"""The bench of SPARQL compares answers before times: a fast wrong answer is no result."""

import argparse

from bench import sparql


def test_everyone_who_is_asked_gives_the_same_answers() -> None:
    """`run` raises when the numbers of rows differ."""
    rows = sparql.run(argparse.Namespace(nodes=60, rounds=2))
    assert {row.metric for row in rows} == set(sparql.QUERIES)
    assert {"graphmem", "rdflib, Memory"} <= {row.method for row in rows}
