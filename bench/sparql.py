"""SPARQL: the same questions of the same triples, to graphmem, rdflib's Memory store and Oxigraph.

The peers hold what `memory.graph.rdf()` presents as plain triples, in memory; graphmem reads a
folder. rdflib and Oxigraph get the start node in the text of the query, which rdflib parses
beforehand.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Final

import rdflib
from rdflib.plugins.sparql import prepareQuery

import graphmem
from bench.report import Row
from graphmem.api.memory import Memory
from graphmem.query.sparql import PREFIXES

try:
    import pyoxigraph
except ImportError:  # an extra
    pyoxigraph = None

HELP: Final = "SPARQL: two hops, strongest neighbours, joins; against rdflib and Oxigraph"
_WORDS: Final = (
    "tea release printer garden letter train winter bridge market engine paper river "
    "music window harbour teacher"
).split()
_BATCHES: Final = 20  # passes between the first memories and the last
_CITED: Final = 3  # links by hand a node

_TWO_HOPS: Final = """SELECT ?c ?s ?t {
  ?l memory:from ?here ; memory:to ?b ; memory:strength ?s .
  ?m memory:from ?b ; memory:to ?c ; memory:strength ?t .
  FILTER(?s > 0.6 && ?t > 0.6) }"""
_STRONGEST: Final = """SELECT ?b ?s {
  ?l memory:from ?here ; memory:relation relation:cites ; memory:to ?b ; memory:strength ?s .
  ?b memory:content ?text . FILTER(CONTAINS(?text, "release")) } ORDER BY DESC(?s)"""
_MENTIONS: Final = """SELECT ?b ?s {
  ?l memory:from ?here ; memory:relation relation:cites ; memory:to ?b ; memory:strength ?s .
  ?b memory:mentions "release" } ORDER BY DESC(?s)"""
_JOIN: Final = """SELECT ?c ?word {
  ?here relation:cites ?b . ?c relation:cites ?b . ?c relation:cites ?d .
  ?d memory:keyword ?word }"""
QUERIES: Final = {
    "two hops, strength > 0.6": (_TWO_HOPS, _TWO_HOPS),
    "strongest neighbours with a text": (_STRONGEST, _STRONGEST),
    "strongest neighbours, word index": (_MENTIONS, _STRONGEST),
    "join of stored triples": (_JOIN, _JOIN),
}
"""What is asked: of graphmem, of the others."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--nodes", type=int, default=2000, help="memories (%(default)s)")
    parser.add_argument("--rounds", type=int, default=30, help="start nodes (%(default)s)")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Fill a memory, copy it, and ask in turns."""
    with (
        tempfile.TemporaryDirectory(prefix="graphmem-bench-") as name,
        graphmem.open(Path(name) / "memory", worker="none", durability="os") as memory,
    ):
        print(f"writing {arguments.nodes:,} memories", file=sys.stderr)
        fill(memory, arguments.nodes)
        with memory.graph.rdf() as graph:
            peers, count = copies(graph)
        dataset = f"{arguments.nodes} memories, {count} triples"
        return [
            row
            for question, (ours, theirs) in QUERIES.items()
            for row in _ask(memory, peers, question, ours, theirs, dataset, arguments.rounds)
        ]


def fill(memory: Memory, nodes: int) -> None:
    """Remember `nodes` texts over twenty passes, each citing some of those before."""
    chance = Random(nodes)
    ids: list[int] = []
    for batch in range(_BATCHES):
        texts = [
            f"Note {number}: {' '.join(chance.choices(_WORDS, k=8))}."
            for number in range(batch * nodes // _BATCHES, (batch + 1) * nodes // _BATCHES)
        ]
        ids += [made[0].id for made in memory.remember_many(texts)]
        for node in ids[-len(texts) :]:
            for cited in {chance.choice(ids) for _ in range(_CITED)} - {node}:
                memory.graph.relate(node, "cites", cited)
        memory.sweep(seconds=0)


def copies(graph: rdflib.Graph) -> tuple[dict[str, Callable[[str], Callable[[], Any]]], int]:
    """The peers with the same triples: each makes of a query what asks it; and how many triples."""
    theirs = rdflib.Graph()
    for triple in graph:
        theirs.add(triple)

    def prepared(query: str) -> Callable[[], Any]:
        parsed = prepareQuery(query, initNs=PREFIXES)
        return lambda: list(theirs.query(parsed))

    peers: dict[str, Callable[[str], Callable[[], Any]]] = {"rdflib, Memory": prepared}
    if pyoxigraph is not None:
        store = pyoxigraph.Store()
        store.bulk_load(
            theirs.serialize(format="nt", encoding="utf-8"), pyoxigraph.RdfFormat.N_TRIPLES
        )
        prologue = "".join(f"PREFIX {name}: <{iri}> " for name, iri in PREFIXES.items())
        peers["pyoxigraph"] = lambda query: lambda: list(store.query(prologue + query))
    return peers, len(theirs)


def _ask(
    memory: Memory,
    peers: dict[str, Callable[[str], Callable[[], Any]]],
    question: str,
    ours: str,
    theirs: str,
    dataset: str,
    rounds: int,
) -> list[Row]:
    chance = Random(rounds)
    nodes = [node.id for node in memory]
    taken: dict[str, list[float]] = {}
    found = []
    for _ in range(rounds):
        here = memory[chance.choice(nodes)]
        asks: dict[str, Callable[[], Any]] = {
            "graphmem": lambda here=here: list(memory.graph.sparql(ours, here=here))
        }
        for name, make in peers.items():
            asks[name] = make(theirs.replace("?here", f"<node:{here.id}>"))
        answers = set()
        for name, ask in chance.sample(sorted(asks.items()), len(asks)):
            begun = time.perf_counter()
            answer = ask()
            taken.setdefault(name, []).append(time.perf_counter() - begun)
            answers.add(len(answer))
        if len(answers) != 1:
            raise AssertionError(f"{question}, from node {here.id}: {answers} rows")
        found.append(answers.pop())
    print(f"{question}: {median(found):g} rows at the median", file=sys.stderr)
    usual = median(taken["graphmem"])
    rows = []
    for name, times in taken.items():
        rows.append(Row("sparql", dataset, name, question, median(times) * 1000, "ms"))
        if name != "graphmem":
            ratio = median(times) / usual
            rows.append(Row("sparql", dataset, f"{name} / graphmem", question, ratio, "×"))
    return rows
