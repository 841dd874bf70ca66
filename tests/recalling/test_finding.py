"""Whoever remembers the words but not the meaning finds the memory by them, letter by letter."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import graphmem
from graphmem.errors import ArgumentTypeError, InvalidArgumentError
from graphmem.graph.view import View

NOW = datetime(2026, 5, 10, 12, tzinfo=UTC)
TEXTS = (
    "The Release moved to May 10; Wen signs it.",
    "We call getReleaseNotesRunning before each build of the pump.",
    "蒲江的探头，单价谈到二百六十八。",
    "Version ２.４-rc costs “nothing”, said Ana.",
    "The pump in\n the cellar was relocated to Straße 5.",
)


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none", clock=lambda: NOW) as opened:
        for text in TEXTS:
            opened.remember(text)
        yield opened


def ids(found: list[graphmem.Node]) -> list[int]:
    return [node.id for node in found]


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        ("release", [2, 1]),
        ("elease", [2, 1]),  # a part of a word
        ("RELEASE MOVED TO MAY", [1]),
        ("10; wen", [1]),
        ("10 wen", []),  # punctuation is as it is written
        ("call getreleasenotesrunning before", [2]),  # camel case is indexed unstemmed
        ("pump", [5, 2]),
        ("in the cellar was", [5]),  # over a line break
        ("to strasse 5", [5]),
        ("version 2.4-RC", [4]),
        ("costs “nothing”, s", [4]),
        ("探头", [3]),
        ("探头,单价", [3]),  # its comma in half width
        ("江", [3]),
        ("探头单价", []),
        ("moved to the cellar", []),
    ],
)
def test_a_piece_of_text(memory: graphmem.Memory, piece: str, expected: list[int]) -> None:
    """In any case and width, as parts of words and over punctuation."""
    assert ids(list(memory.nodes(text=piece, reverse=True))) == expected
    assert ids(list(memory.nodes(text=piece))) == expected[::-1]


def test_it_reads_only_what_holds_the_words(
    memory: graphmem.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole word or two Chinese characters spare the reading of the whole memory."""
    read: list[int] = []
    pair: Callable[[View, int], Any] = View.pair
    monkeypatch.setattr(View, "pair", lambda view, node: (read.append(node), pair(view, node))[1])
    for piece, looked_at in (
        ("the release moved t", [1]),
        ("单价", [3]),
        ("rele", [5, 4, 3, 2, 1]),
    ):
        read.clear()
        list(memory.nodes(text=piece, reverse=True))
        assert read == looked_at
    read.clear()
    assert next(memory.nodes(text="e", reverse=True)).id == 5
    assert read == [5]


def test_what_has_gone_is_not_found() -> None:
    """Neither forgotten nor expired nodes; of a replaced one it is said until when it held."""
    now = [NOW]
    with graphmem.open(worker="none", clock=lambda: now[0]) as memory:
        old = memory.remember("The rent is 900 euros.")[0]
        now[0] += timedelta(hours=1)
        memory.replace(old, "The rent is 950 euros.")
        memory.forget(memory.remember("The rent is a secret.")[0])
        memory.remember("The rent is due.", expires=60)
        now[0] += timedelta(hours=1)
        found = list(memory.nodes(text="rent is", reverse=True))
        assert [node.text for node in found] == ["The rent is 950 euros.", "The rent is 900 euros."]
        assert [node.valid_to is None for node in found] == [True, False]


def test_wrong_arguments(memory: graphmem.Memory) -> None:
    """They are named before anything is read."""
    for blank in ("", " \n", "\u200b"):
        with pytest.raises(InvalidArgumentError, match="blank"):
            list(memory.nodes(text=blank, reverse=True))
    wrong: Any = 12
    with pytest.raises(ArgumentTypeError, match="text is a str"):
        list(memory.nodes(text=wrong, reverse=True))
