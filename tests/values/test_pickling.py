"""What verbs return can be handed to a pool of processes, and kept in a cache of answers."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from multiprocessing import Pipe
from typing import Any

import pytest

import graphmem

Copied = Callable[[Any], Any]


def sent(given: Any) -> Any:
    """What a process gets that another one sends it to."""
    here, there = Pipe()
    with here, there:
        here.send(given)
        return there.recv()


WAYS = [sent, copy.copy, copy.deepcopy]


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(None, worker="none") as opened:
        opened.remember("Uwe fills the canister with diesel.", speaker="Uwe", session="s")
        opened.remember("The canister is in the cellar.", speaker="Ada", session="s")
        opened.remember("The cellar is damp.")
        yield opened


@pytest.mark.parametrize("copied", WAYS)
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"trace": True},
        {"tokens": 20},
        {"tokens": graphmem.Tokens(200, lambda text: len(text))},
        {"mode": "focus"},
        {"cut": "none", "limit": 1},
    ],
)
def test_a_recall_is_the_same_elsewhere(
    memory: graphmem.Memory, given: dict[str, Any], copied: Copied
) -> None:
    """It held functions that make the rest of it later, and that nothing can write down."""
    found = memory.recall("Where is the canister?", **given)
    other = copied(found)
    assert list(other) == list(found) != []
    for name in ("text", "notes", "lines", "likely", "included", "answered", "remembered", "trace"):
        assert getattr(other, name) == getattr(found, name)
    assert (repr(other), other._repr_html_()) == (repr(found), found._repr_html_())
    if found.trace is not None:
        assert copied(found.trace).svg() == found.trace.svg()


@pytest.mark.parametrize("copied", WAYS)
def test_links_are_the_same_elsewhere(memory: graphmem.Memory, copied: Copied) -> None:
    """They held a function that asks the memory for the hierarchy."""
    memory.forget(3)
    found = memory.graph.links(2)
    other = copied(found)
    assert type(other) is type(found)
    assert list(other) == list(found) != []
    assert (other.dangling, other.hierarchy) == (found.dangling, found.hierarchy)
    assert str(other) == str(found)
