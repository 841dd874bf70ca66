"""The engine beside its peers: the same work on each, side by side, and the same answers.

Peers take turns in small portions, so that what else the machine does hits all alike: compare the
ratios of one run. Every answer is compared with graphmem's; another one ends the bench. Durability:
an acknowledged write survives the death of the process everywhere; graphmem alone also syncs every
50 ms.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import accumulate
from math import isclose
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any, Final

from bench.peers import graphmem_memory
from bench.peers.graphmem_rooms import Rooms
from bench.peers.peer import TRIPLES_AT_ONCE, AbsentError, Item, Link, Peer, Walk
from bench.report import Row
from graphmem_worker.text.salience import salience

HELP: Final = "ingest, reads, 2-hop recall, decay, deletion and disk beside LevelGraph and others"
PEERS: Final = ("sqlite", "pyoxigraph", "levelgraph")
_OURS, _OURS_WITH_WORDS = "graphmem", "graphmem+words"
_FOCUS: Final = 5
_STRONGEST: Final = 16  # links of a node that are followed past a hub
_NO_LIMIT: Final = 1e9  # seconds
_START: Final = 1_767_254_400_000_000  # 2026-01-01 08:00 UTC, microseconds


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is done."""

    nodes: int = 20_000
    degree: int = 6  # earlier nodes that a new one is linked with, both ways
    web: int = 10_000  # nodes, at most, of the graphs that 2-hop recalls walk
    hub: int = 100_000  # links
    bare: int = 100_000  # triples
    rounds: int = 5
    reads: int = 500  # of a round
    walks: int = 40
    passes: int = 3
    seconds: float = 5.0  # of a round, for each peer; what is not reached is left out
    calls: int = 1000  # of recall, of remember and of each look-up


FULL: Final = Plan()
SMALL: Final = Plan(2000, 6, 500, 2000, 5000, 2, 100, 10, 1, 1.0, 100)

Times = defaultdict[str, dict[str, list[float]]]  # metric → peer → seconds


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--nodes", type=int, help=f"memories ({FULL.nodes:,})")
    parser.add_argument("--degree", type=int, help=f"links both ways of a memory ({FULL.degree})")
    parser.add_argument("--small", action="store_true", help="2,000 nodes, under a minute")
    parser.add_argument("--ingest", action="store_true", help="nothing but ingest")
    parser.add_argument("--peer", action="append", choices=PEERS, help="only graphmem and these")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure every peer that is installed."""
    plan = SMALL if arguments.small else FULL
    plan = replace(
        plan,
        nodes=plan.nodes if arguments.nodes is None else arguments.nodes,
        degree=plan.degree if arguments.degree is None else arguments.degree,
    )
    items = world(plan)
    dataset = f"{plan.nodes} nodes, {2 * plan.degree} links each"
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as name:
        folder = Path(name)
        wanted = PEERS if arguments.peer is None else arguments.peer
        peers = list(_open(folder / "main", wanted))
        try:
            times: Times = defaultdict(dict)
            _ingest(times, items, peers)
            if arguments.ingest:
                return [Row("engine", dataset, *row) for row in _time_rows(times)]
            sizes = _compare(times, plan, peers)
        finally:
            _close(peers)
        bare_peers = list(_open(folder / "bare", wanted))
        try:
            sizes["bare"] = _bare(plan, bare_peers)
        finally:
            _close(bare_peers)
        _log("graphmem alone")
        path = folder / "main" / _OURS_WITH_WORDS
        own = list(graphmem_memory.figures(path, items, plan.calls, 4 * plan.seconds))
    rows = [*_time_rows(times), *_size_rows(sizes, plan)]
    rows += [(_OURS, *figure) for figure in own]
    return [Row("engine", dataset, *row) for row in rows]


def world(plan: Plan) -> list[Item]:
    """Memories of some 30 words, linked with recent and with older ones; the same in every run."""
    random = Random(plan.nodes)
    syllables = "ba be bi bo da de di do ka ke ki ko la le li lo ma me mi mo sa se si so".split()
    vocabulary = ["".join(random.choices(syllables, k=random.randint(2, 4))) for _ in range(20_000)]
    weights = list(accumulate(1 / rank for rank in range(10, 10 + len(vocabulary))))
    items = []
    for node in range(1, plan.nodes + 1):
        words = random.choices(vocabulary, cum_weights=weights, k=31)
        texts = [" ".join(words[:9]), " " + " ".join(words[9:20]), " " + " ".join(words[20:])]
        recent = range(max(1, node - 50), node)
        others = {*random.sample(recent, min(len(recent), plan.degree // 2))}
        while len(others) < min(node - 1, plan.degree):
            others.add(random.randint(1, node - 1))
        items.append(
            Item(
                node,
                tuple((f"{text}.", salience(f"{text}.", lambda word: 4.0)) for text in texts),
                " ".join(words[:4]),
                tuple(dict.fromkeys(words))[:5],
                _START + node * 60_000_000,
                tuple(
                    link
                    for other in sorted(others)
                    for link in (
                        (node, other, round(random.uniform(0.3, 1), 6)),
                        (other, node, round(random.uniform(0.3, 1), 6)),
                    )
                ),
            )
        )
    return items


def _open(folder: Path, wanted: Iterable[str]) -> Iterator[Peer]:
    folder.mkdir()
    yield Rooms(_OURS, folder / _OURS, words=False)
    yield Rooms(_OURS_WITH_WORDS, folder / _OURS_WITH_WORDS, words=True)
    makers: dict[str, list[Callable[[], Peer]]] = {
        "sqlite": [
            lambda: _module("sqlite").SQLite(folder / "sqlite", words=False),
            lambda: _module("sqlite").SQLite(folder / "fts5", words=True),
        ],
        "pyoxigraph": [lambda: _module("oxigraph").Oxigraph(folder / "oxigraph")],
        "levelgraph": [
            lambda: _module("levelgraph_node").LevelGraph(folder / "seed", "seed"),
            lambda: _module("levelgraph_node").LevelGraph(folder / "properties", "properties"),
        ],
    }
    for name in wanted:
        try:
            for make in makers[name]:
                yield make()
        except AbsentError as reason:
            _log(f"{name} is skipped: {reason}")


def _close(peers: Sequence[Peer]) -> None:
    for peer in reversed(peers):
        peer.close()


def _module(name: str) -> Any:
    return import_module(f"bench.peers.{name}")


def _ingest(times: Times, items: Sequence[Item], peers: Sequence[Peer]) -> None:
    """Write every memory to every peer."""
    _log("ingest")
    for portion in _portions(items, TRIPLES_AT_ONCE):
        _one_round(times["ingest"], peers, "write", portion, _NO_LIMIT)


def _compare(times: Times, plan: Plan, peers: Sequence[Peer]) -> dict[str, dict[str, int]]:
    """All that is done to every peer after ingest, in the order in which it must be done."""
    random = Random(1)
    sizes: dict[str, dict[str, int]] = {"disk": {}}

    def measure(metric: str, operation: str, rounds: Iterable[Sequence[Any]]) -> None:
        _log(metric)
        for arguments in rounds:
            _one_round(times[metric], peers, operation, arguments, plan.seconds)

    def ids() -> list[list[int]]:
        return [random.choices(range(1, plan.nodes + 1), k=plan.reads) for _ in range(plan.rounds)]

    for peer in peers:
        _log(f"compacting: {peer.name}")
        sizes["disk"][peer.name] = peer.settle()
    measure("read node", "read", ids())
    measure("neighbours", "neighbours", ids())
    measure("pass over all links", "decay", [[None]] * plan.passes)
    _agree(peers, "neighbours", ids()[0])
    dying = random.sample(range(1, plan.nodes + 1), min(plan.nodes // 2, plan.reads))
    _log("delete node")  # all of them: what follows is compared
    _one_round(times["delete node"], peers, "delete", dying, _NO_LIMIT)
    _agree(peers, "neighbours", dying)
    size, first = min(plan.nodes, plan.web), plan.nodes + 1
    webs = {6: range(first, first + size), 20: range(first + size, first + 2 * size)}
    out: dict[int, list[int]] = {}
    for degree, web in webs.items():
        links = _web(random, web, degree)
        _link(peers, links)
        for source, target, _ in links:
            out.setdefault(source, []).append(target)
    entrances = range(webs[20].stop, webs[20].stop + plan.walks)
    _link(peers, _hub(random, plan, entrances, webs[6]))
    for peer in peers:
        _log(f"compacting: {peer.name}")
        peer.settle()
    for degree, web in webs.items():
        walks = [[_walk(random, web) for _ in range(plan.walks)] for _ in range(plan.rounds)]
        measure(f"2-hop, degree {degree}", "two_hop", walks)
        measure(f"2-hop, degree {degree}, unscored", "unscored", walks)
        drift = list(_drift(random, web, out, plan.rounds * plan.walks))
        measure(f"2-hop, degree {degree}, drifting focus", "two_hop", _portions(drift, plan.walks))
    without, through = [], []
    for _ in range(plan.rounds):
        without.append([_walk(random, webs[6], _STRONGEST) for _ in entrances])
        through.append(
            [
                Walk((entrance, *walk.focus[1:]), _STRONGEST)
                for entrance, walk in zip(entrances, without[-1], strict=True)
            ]
        )
    measure("2-hop, no hub", "two_hop", without)
    measure("2-hop, through a hub", "two_hop", through)
    return sizes


def _bare(plan: Plan, peers: Sequence[Peer]) -> dict[str, int]:
    """Bytes that bare triples take in stores that hold nothing else."""
    sizes = {}
    ready = list(_portions(list(_triples(plan)), TRIPLES_AT_ONCE))
    for peer in peers:
        if "bare" in peer.operations:
            _log(f"bare triples: {peer.name}")
            before = peer.settle()
            peer.run("bare", ready, _NO_LIMIT)
            sizes[peer.name] = peer.settle() - before
    return sizes


def _one_round(
    times: dict[str, list[float]],
    peers: Sequence[Peer],
    operation: str,
    arguments: Sequence[Any],
    seconds: float,
) -> None:
    expected: Sequence[Any] | None = None
    for peer in peers:
        if operation not in peer.operations:
            continue
        spent, answers = peer.run(operation, arguments, seconds)
        times.setdefault(peer.name, []).extend(spent)
        if expected is None:
            if operation == "unscored":  # graphmem always scores: it has the nodes all the same
                expected = [set(a) for a in peers[0].run("two_hop", arguments, _NO_LIMIT)[1]]
            else:
                expected = answers
        check(peer.name, operation, arguments, expected, answers)


def check(
    name: str,
    operation: str,
    arguments: Sequence[Any],
    expected: Sequence[Any],
    answers: Sequence[Any],
) -> None:
    """Raises AssertionError unless a peer's answers are graphmem's; strengths may differ by 1e-5.

    A list that ran out of time is compared as far as it goes.
    """
    for argument, ours, theirs in zip(arguments, expected, answers, strict=False):
        if isinstance(ours, dict):
            same = ours.keys() == theirs.keys() and all(
                isclose(value, theirs[key], rel_tol=1e-5) for key, value in ours.items()
            )
        else:
            same = ours == theirs
        if not same:
            raise AssertionError(
                f"{name} answers {operation}({argument}) with {theirs!r:.300}, not {ours!r:.300}"
            )


def _agree(peers: Sequence[Peer], operation: str, arguments: Sequence[Any]) -> None:
    """Compare answers without timing them."""
    _one_round({}, peers, operation, arguments, _NO_LIMIT)


def _link(peers: Sequence[Peer], links: Sequence[Link]) -> None:
    _log(f"linking: {len(links):,} links")
    ready = list(_portions(links, TRIPLES_AT_ONCE))
    for peer in peers:
        if "link" in peer.operations:
            peer.run("link", ready, _NO_LIMIT)


def _web(random: Random, nodes: range, degree: int) -> list[Link]:
    """Random links, `degree` from each node, of which the strongest has 1.0."""
    return [
        (node, target, 1.0 if place == 0 else round(random.uniform(0.3, 0.99), 6))
        for node in nodes
        for place, target in enumerate(random.sample(nodes, degree))
    ]


def _hub(random: Random, plan: Plan, entrances: range, web: range) -> list[Link]:
    """A hub with links of different strengths, and entrances with links to it and into a web."""
    hub = entrances.stop
    links = [(hub, hub + 1 + n, 1 - n / (2 * plan.hub)) for n in range(plan.hub)]
    random.shuffle(links)
    for entrance in entrances:
        targets = random.sample(web, 5)
        links += [(entrance, hub, 1.0), *((entrance, target, 0.9) for target in targets)]
    return links


def _walk(random: Random, web: range, strongest: int | None = None) -> Walk:
    return Walk(tuple(random.sample(web, _FOCUS)), strongest)


def _drift(random: Random, web: range, out: dict[int, list[int]], count: int) -> Iterator[Walk]:
    """Walks of a focus that moves, as an agent's does: along a link, while the oldest leaves."""
    focus = list(_walk(random, web).focus)
    for _ in range(count):
        unvisited = [node for source in focus for node in out[source] if node not in focus]
        focus = [random.choice(unvisited), *focus[:-1]]
        yield Walk(tuple(focus))


def _triples(plan: Plan) -> Iterator[tuple[int, int, int]]:
    """Different triples over a tenth as many nodes, and ten predicates."""
    random = Random(2)
    nodes = range(1, 1 + plan.bare // 10)
    seen: set[tuple[int, int, int]] = set()
    while len(seen) < plan.bare:
        triple = (random.choice(nodes), random.randrange(10), random.choice(nodes))
        if triple not in seen:
            seen.add(triple)
            yield triple


def _portions(whole: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (whole[at : at + size] for at in range(0, len(whole), size))


def _time_rows(times: Times) -> Iterator[tuple[str, str, float, str]]:
    """Medians, 95th percentiles, and how many times slower than graphmem each is."""
    for metric, by_peer in times.items():
        scored = times[metric.removesuffix(", unscored")]
        for name, spent in by_peer.items():
            ours = scored.get(_OURS_WITH_WORDS if _has_words(name) else _OURS, spent)
            ratio = median(spent) / median(ours)
            if metric == "ingest":  # the whole, for what is put off comes in large pieces
                yield name, metric, len(spent) / sum(spent), "nodes/s"
                ratio = sum(spent) / sum(ours)
            factor, unit = (1e3, "ms") if median(spent) > 0.01 else (1e6, "µs")
            yield name, f"{metric}, median", factor * median(spent), unit
            if len(spent) >= 20:
                p95 = quantiles(spent, n=20, method="inclusive")[18]
                yield name, f"{metric}, p95", factor * p95, unit
            if ours is not spent:
                yield name, f"{metric}, against graphmem", ratio, "×"
                if metric == "ingest":
                    ratio = median(spent) / median(ours)
                    yield name, f"{metric}, median against graphmem", ratio, "×"
    for name, spent in times["2-hop, through a hub"].items():
        ratio = median(spent) / median(times["2-hop, no hub"][name])
        yield name, "2-hop, through a hub against without", ratio, "×"


def _size_rows(
    sizes: dict[str, dict[str, int]], plan: Plan
) -> Iterator[tuple[str, str, float, str]]:
    for name, size in sizes["disk"].items():
        if size:
            ours = sizes["disk"][_OURS_WITH_WORDS if _has_words(name) else _OURS]
            yield name, "disk", size / 2**20, "MiB"
            if size != ours:
                yield name, "disk, against graphmem", size / ours, "×"
    for name, size in sizes["bare"].items():
        yield name, "disk of a bare triple", size / plan.bare, "bytes"


def _has_words(name: str) -> bool:
    return name == _OURS_WITH_WORDS or name.endswith("+fts5")


def _log(what: str) -> None:
    print(what, file=sys.stderr, flush=True)
