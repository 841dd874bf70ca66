"""The bench of latency asks and writes what it says, at a size that takes no time."""

from argparse import ArgumentParser
from importlib.util import find_spec
from pathlib import Path

import pytest

import graphmem
from bench import latency
from graphmem.index.vectors import index as vectors


@pytest.mark.slow
def test_it_fills_once_and_prints_every_percentile(tmp_path: Path) -> None:
    """A folder that is given is kept, and taken again without being filled."""
    parser = ArgumentParser()
    latency.configure(parser)
    arguments = parser.parse_args(
        ["--nodes", "400", "--calls", "20", "--folder", str(tmp_path / "m")]
    )
    rows = latency.run(arguments)
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        after = len(memory)
        # More than two laps of the journals, and no text of the second is one of the first.
        assert 400 <= after < 600
        assert len({node.text for node in memory}) > 390
    assert [row.metric for row in rows] == [
        f"{name} {clock} p{share}"
        for name in ("recall", "remember")
        for clock in ("clock", "CPU")
        for share in (50, 95, 99)
    ]
    assert all(row.value > 0 for row in rows)
    latency.run(arguments)
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert after < len(memory) < after + 50


@pytest.mark.slow
def test_copies_are_found_as_what_they_are_copies_of(tmp_path: Path) -> None:
    latency.fill(tmp_path / "m", latency.read([]), 200)
    cue = "What did she plant in the garden?"
    with graphmem.open(tmp_path / "m", worker="none", read_only=True) as memory:
        before, links = len(memory), memory.graph.links(7)
        said = [hit.text for hit in memory.recall(cue, use=False)]
    latency.copy(tmp_path / "m", 3)
    with graphmem.open(tmp_path / "m", worker="none", read_only=True) as memory:
        assert len(memory) == 3 * before
        found = memory.recall(cue, use=False)
        assert set(said[:3]) <= {hit.text for hit in found}
        assert any(hit.folded for hit in found)
        shift = before + 1  # ids begin with 1
        copied = memory.graph.links(7 + shift)
        assert [(link.target - shift, link.strength) for link in copied] == [
            (link.target, link.strength) for link in links
        ]


@pytest.mark.slow
def test_vectors_are_asked_in_both_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "EXACT", 200)
    parser = ArgumentParser()
    latency.configure(parser)
    arguments = parser.parse_args(["--nodes", "400", "--calls", "25", "--vectors"])
    rows = latency.run(arguments)
    ways = ["exact", "approximate"] if find_spec("usearch") else ["exact"]
    assert [(row.method, row.metric) for row in rows] == [
        (f"graphmem-{way}", f"{cue} cue {clock} p{share}")
        for way in ways
        for clock in ("clock", "CPU")
        for cue in ("new", "same")
        for share in (50, 95, 99)
    ]
    assert all(row.value > 0 for row in rows)


@pytest.mark.slow
def test_a_profile_has_the_functions_that_take_most() -> None:
    parser = ArgumentParser()
    latency.configure(parser)
    arguments = parser.parse_args(["--nodes", "200", "--calls", "40", "--profile"])
    rows = latency.run(arguments)
    for name in ("recall", "remember"):
        shares = [row.value for row in rows if row.metric.startswith(f"{name}, ")]
        assert len(shares) == latency._SHOWN
        assert shares == sorted(shares, reverse=True)
        assert 0 < sum(shares) <= 100
