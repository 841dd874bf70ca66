"""Asked how something is done, a newer note on its outcome stood above the command, and a strict
recall told that alone."""

from typing import Literal

import pytest

import graphmem


def _recalled(
    older: str, newer: str, cue: str, cut: Literal["auto", "strict"] = "auto"
) -> list[int]:
    with graphmem.open(None, worker="none") as memory:
        memory.remember(older, speaker="Jonas", happened="2026-08-10", session="a")
        memory.remember(newer, speaker="Lena", happened="2026-10-21", session="b")
        return [hit.id for hit in memory.recall(cue, cut=cut, use=False)]


@pytest.mark.parametrize(
    ("command", "outcome", "cue"),
    [
        (
            "Migrations are made by `make migration NAME=x`.",
            "Added the index in migration 20260911_orders.sql; p95 back to 130 ms.",
            "how do I create a new migration",
        ),
        (
            "Dumps:\n```\nmake dump DB=staging\n```",
            "The dump of staging is 9 GB now.",
            "What is the command for a dump of staging?",
        ),
        (
            "Um den Index neu zu bauen: `task reindex`.",
            "Der Index ist seit gestern neu gebaut.",
            "Wie baue ich den Index neu?",
        ),
        ("压测用 `k6 run load/checkout.js`。", "压测昨天通过了,三百单每秒。", "压测怎么跑"),
    ],
)
def test_the_command_stands_before_its_outcome(command: str, outcome: str, cue: str) -> None:
    assert _recalled(command, outcome, cue)[0] == 1
    assert _recalled(command, outcome, cue, "strict") == [1, 2]  # it may be another way


@pytest.mark.parametrize(
    ("older", "newer", "cue"),
    [
        (
            "Seed data: `make seed` with DATABASE_URL set.",
            "Seed data is loaded by `task seed` now.",
            "how do I load the seed data",
        ),
        (
            "Deploy with `kubectl apply -f prod`.",
            "Deploys go through Argo CD now; no more manual kubectl.",
            "how do I deploy",
        ),
        (
            "Seed data: `make seed` with DATABASE_URL set.",
            "The seed data now has 40 customers.",
            "how many customers has the seed data",
        ),
        ("I cycle to work.", "I take the tram to work now.", "How do I get to work?"),
    ],
)
def test_a_newer_way_or_value_stands_first(older: str, newer: str, cue: str) -> None:
    assert _recalled(older, newer, cue)[0] == 2
