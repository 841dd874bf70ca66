"""What is no verb checks its arguments too: functions of the package, constructors, `WorkingSet`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.errors import ArgumentTypeError, InvalidArgumentError

Make = Callable[..., Any]


@pytest.mark.parametrize("wrong", [5, object(), b"x", "x"])
@pytest.mark.parametrize("name", ["clock", "on_event", "random"])
def test_what_a_memory_calls_can_be_called(tmp_path: Path, name: str, wrong: Any) -> None:
    """What could not be called was met at the first call of it, or only in a log."""
    with pytest.raises(ArgumentTypeError, match=f"^{name} is"):
        graphmem.open(tmp_path / "m", worker="none", **{name: wrong})
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("make", "wrong", "says"),
    [
        (lambda given: graphmem.open(clock=given), None, "clock is a function, got NoneType"),
        (lambda given: graphmem.WorkingSet().add("user", "a", pinned=given), 1, "pinned is True"),
        (lambda given: graphmem.restore("/nowhere", given), None, "a path is a str"),
        (lambda given: graphmem.restore("/nowhere", given), "a\0", "NULs"),
        (lambda given: graphmem.restore(given, "/nowhere/b"), None, "a path is a str"),
        (graphmem.compress, 5, "facts are"),
        (graphmem.compress, "text", "a fact is a (source, text), got 't'"),
        (graphmem.Home, None, "a home is a URL, got NoneType"),
        (graphmem.Home, 5, "a home is a URL, got int"),
        (lambda given: graphmem.Home("memory://a", cache=given), 5, "a path is a str"),
        (lambda given: graphmem.WorkingSet(trigger=given), "high", "trigger is a number"),
        (lambda given: graphmem.WorkingSet(target=given), "low", "target is a number"),
        (lambda given: graphmem.WorkingSet(clock=given), 5, "clock is a function"),
        (lambda given: graphmem.WorkingSet(tokens=given), 99, "tokens is between 100 and"),
    ],
)
def test_a_wrong_argument_is_named(make: Make, wrong: Any, says: str) -> None:
    """Errors of Python's own, which named neither the argument nor what it may be, came out."""
    with pytest.raises((ArgumentTypeError, InvalidArgumentError)) as told:
        make(wrong)
    assert says in str(told.value)


@pytest.mark.parametrize("wrong", [5, 1.5, None])
def test_nodes_that_are_no_list_are_refused(wrong: Any) -> None:
    """`withdraw=5` ended in a TypeError of Python's, after the node had been looked up."""
    with graphmem.open(worker="none") as memory:
        (node,) = memory.remember("The pump of hall A is red.")
        memory.replace(node, "The pump of hall A is blue.")
        with pytest.raises(ArgumentTypeError, match="nodes are given as a list"):
            memory.history.reopen(node, withdraw=wrong)
        with pytest.raises(ArgumentTypeError, match="importance is a number, got str"):
            graphmem.WorkingSet.of(memory, "s", 1000).add("user", "hi", importance="high")  # type: ignore[arg-type]
