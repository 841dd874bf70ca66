"""The rules of forgetting (DESIGN §5), lived through: what a user is promised about a whole life.

A memory that sweeps by the clock, per node, or multiplies lengths erases itself sooner or later, in
one call or in one bad week, and no test of a single step sees it.
"""

import json
from collections import Counter
from datetime import UTC, datetime
from itertools import islice, pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

import graphmem
from bench.life import USES, Life, Plan, ages, live, median, texts
from graphmem.api.opening import rooms
from graphmem.values.reports import SweepReport

DATA = Path(__file__).parents[2] / "data"
NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)
PASSES_OVER_BUDGET = 8

# Living takes minutes on a busy machine.
pytestmark = [pytest.mark.timeout(1200), pytest.mark.usefixtures("by_passes")]


@pytest.fixture(scope="module")
def life() -> Life:
    """500 days of four texts, half of them English, half Chinese."""
    return live(Plan(days=500, texts=2, hub=(60, 120)))


class Swept(NamedTuple):
    """Both journals, remembered at one pass, while they are swept until 0.6 of them is left."""

    text_bytes: int
    """At first."""
    nodes: list[int]
    """At first, and after each sweep."""
    reports: list[SweepReport]


@pytest.fixture(scope="module")
def swept() -> Swept:
    tuning = graphmem.Tuning(forgetting="passes")
    with graphmem.open(None, worker="none", clock=lambda: NOON, tuning=tuning) as memory:
        for language in ("en", "zh"):
            lines = (DATA / f"journal.{language}.jsonl").read_text("utf-8").splitlines()
            memory.remember_many(json.loads(line)["text"] for line in lines)
        swept = Swept(memory.admin.stats()["text_bytes"], [len(memory)], [])
        while len(memory) > 0.6 * swept.nodes[0]:  # half is held: prices, dates, particulars
            swept.reports.append(memory.sweep(seconds=3600))
            swept.nodes.append(len(memory))
        assert memory.admin.check() == []
    return swept


def test_one_call_is_one_pass_however_long_it_may_take(swept: Swept) -> None:
    """With scans per node, one slice of 3,600 seconds made a new memory's nodes 150 passes old."""
    report = swept.reports[0]
    assert (report.passes, report.made, report.forgotten) == (1, 1, 0)
    assert swept.nodes[1] == swept.nodes[0] > 300


def test_thirty_sweeps_within_a_second_are_thirty_passes_and_no_more(swept: Swept) -> None:
    """A loop around `sweep` ages a memory by a month of days; it loses sentences, not memories; a
    text that is little more than a reference number may go."""
    assert swept.reports[29].passes == 30
    forgotten = sum(report.forgotten for report in swept.reports[:30])
    assert forgotten <= 1
    assert swept.nodes[30] == swept.nodes[0] - forgotten
    assert swept.reports[29].text_bytes > 0.4 * swept.text_bytes


def test_no_call_erases_a_memory_even_when_all_of_it_is_equally_old(swept: Swept) -> None:
    """Imported at one pass and never used, a memory still goes little by little, worst first; what
    protects is held."""
    lost = [report.forgotten for report in swept.reports]
    assert sum(1 for n in lost if n) > 20
    assert max(lost) < 0.1 * swept.nodes[0]


def test_a_hopeless_budget_still_makes_no_more_than_eight_passes_a_call() -> None:
    """Over `max_bytes` the memory forgets faster, yet never everything at once."""
    lines = (DATA / "journal.en.jsonl").read_text("utf-8").splitlines()
    with graphmem.open(None, worker="none", max_bytes=1 << 30) as memory:
        memory.remember_many(json.loads(line)["text"] for line in lines)
        nodes = len(memory)
        # Only the sweep is asked here, so the budget is lowered behind the background, which ends.
        rooms(memory).database.upkeep.stop()
        object.__setattr__(memory.admin.settings, "max_bytes", 1)
        report = memory.sweep(seconds=3600)
        object.__setattr__(memory.admin.settings, "max_bytes", 1 << 30)
        assert (report.made, report.forgotten, len(memory)) == (PASSES_OVER_BUDGET, 0, nodes)


@pytest.mark.slow
def test_unused_nodes_fade_over_about_a_hundred_passes(life: Life) -> None:
    for language in ("en", "zh"):
        unused = life.cohort(language, USES["never used"])
        assert len(unused) > 150
        forgotten = ages(unused, "forgotten")
        assert 80 <= median(forgotten) <= 130
        # Not all at once, and each form before the next.
        assert forgotten[-len(forgotten) // 20] - forgotten[len(forgotten) // 20] > 20
        assert median(ages(unused, "shorter")) < median(ages(unused, "gist")) - 5
        assert median(ages(unused, "gist")) < median(forgotten) - 5


@pytest.mark.slow
def test_what_is_used_lives_longer_and_what_is_used_often_longest(life: Life) -> None:
    both = [life.cohort("en", uses) + life.cohort("zh", uses) for uses in USES.values()]
    unused, once, often = (median(ages(traces, "forgotten")) for traces in both)
    assert unused + 8 <= once <= often - 15


@pytest.mark.slow
def test_english_and_chinese_last_equally_long(life: Life) -> None:
    """By target lengths in characters, Chinese was gone first: it says more with fewer."""
    for stage in ("gist", "forgotten"):
        english, chinese = (
            median(ages(life.cohort(language, USES["never used"]), stage))
            for language in ("en", "zh")
        )
        assert english == pytest.approx(chinese, rel=0.15)


@pytest.mark.slow
def test_a_hub_fades_over_many_passes_instead_of_falling_off_a_cliff(life: Life) -> None:
    """The sum of all its links kept a hub immortal, then one scan took it from whole to nothing."""
    begin, end = life.plan.hub
    importance = [day.hub for day in life.days if begin <= day.day < 250]
    seen = [value for value in importance if value is not None]
    after = seen[end - begin :]
    assert min(seen[: end - begin]) > 3.8
    assert all(0.96 < b / a < 0.98 for a, b in pairwise(after))
    assert len(after) > 60, "passes from its last use over which it faded evenly"


@pytest.mark.slow
def test_a_life_is_bounded(life: Life) -> None:
    """Tombstones and dangling links are what a memory that forgets can still drown in."""
    steady = [day for day in life.days if 150 <= day.day < 250]
    assert max(d.nodes for d in steady) < 1.25 * min(d.nodes for d in steady)
    assert max(d.tombstones for d in steady) < max(d.nodes for d in steady)
    assert max(d.dangling or 0 for d in steady) < 0.2 * max(d.links for d in steady)
    assert max(d.live_bytes for d in steady) < 1.3 * min(d.live_bytes for d in steady)
    assert life.faults == []


@pytest.mark.slow
def test_five_hundred_passes_leave_no_sediment(life: Life) -> None:
    """What grows by one in a hundred is not seen in 250 days."""
    assert life.faults == []
    early = [day for day in life.days if 250 <= day.day < 350]
    late = [day for day in life.days if day.day >= 400]
    for name in ("nodes", "tombstones", "links", "live_bytes", "text_bytes"):
        before, after = (sum(getattr(d, name) for d in days) / 100 for days in (early, late))
        # What protects somebody is held for good where no budget ends it: a node of eight.
        assert after < (1.2 if name in ("tombstones", "links") else 1.35) * before, name
    before, after = (max(d.dangling or 0 for d in days) for days in (early, late))
    assert after < 1.3 * before


def test_no_text_of_the_simulation_repeats() -> None:
    """A repeat would count as a use and make the unused live longer than they do."""
    for language in ("en", "zh"):
        drawn = list(islice(texts(language, Random(1)), 2000))
        assert max(Counter(drawn).values()) == 1
