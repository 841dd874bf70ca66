"""A graph that loses its state, or resumes another one, repeats what it did or never ends it."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from operator import add
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest

import graphmem
from graphmem.errors import InvalidArgumentError

pytest.importorskip("langgraph.checkpoint.base")
pytestmark = pytest.mark.slow  # LangGraph takes a second to load


class State(TypedDict):
    said: Annotated[list[str], add]


def built(saver: Any) -> Any:
    """A graph that writes, asks a person, and writes the answer."""
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import interrupt

    graph = StateGraph(State)
    graph.add_node("draft", lambda state: {"said": ["a draft"]})
    graph.add_node("ask", lambda state: {"said": [interrupt("May it go out?")]})
    graph.add_edge(START, "draft")
    graph.add_edge("draft", "ask")
    graph.add_edge("ask", END)
    return graph.compile(checkpointer=saver)


def thread(name: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": name}}


def test_langgraphs_conformance_tests_pass() -> None:
    conformance = pytest.importorskip("langgraph.checkpoint.conformance")
    from graphmem.integrations.checkpoints import GraphmemSaver

    async def saver() -> AsyncIterator[GraphmemSaver]:
        with graphmem.open(worker="none") as memory:
            yield GraphmemSaver(memory)

    registered = conformance.checkpointer_test(name="GraphmemSaver")(saver)
    report = asyncio.run(conformance.validate(registered))
    assert [failure for result in report.results.values() for failure in result.failures] == []
    assert len(report.results) == 8
    assert all(result.tests_passed for result in report.results.values())


@pytest.mark.parametrize(
    "name",
    [
        "客户:d060a1ac-9b9d-49b0-b0a8-3494a89f93e3",
        "客户-张三-2024",
        "Straße/Gespräch_24",
        "t:1/%2F é",
    ],
)
def test_a_thread_may_have_a_name_in_any_language(name: str) -> None:
    """An id beside a word that is not English was taken for a password, and the graph failed."""
    from graphmem.integrations.checkpoints import GraphmemSaver

    with graphmem.open(worker="none") as memory:
        saver = GraphmemSaver(memory)
        graph = built(saver)
        graph.invoke({"said": []}, thread(name))
        assert graph.get_state(thread(name)).values == {"said": ["a draft"]}
        latest = saver.get_tuple(thread(name))
        named = {"configurable": {**thread(name)["configurable"], "checkpoint_id": ""}}
        assert saver.get_tuple(named) == latest


def test_an_id_of_a_thread_may_be_a_number() -> None:
    """A graph takes one; `delete_thread`, `prune` and `copy_thread` raised a TypeError."""
    from graphmem.integrations.checkpoints import GraphmemSaver

    with graphmem.open(worker="none") as memory:
        saver = GraphmemSaver(memory)
        built(saver).invoke({"said": []}, {"configurable": {"thread_id": 5}})
        saver.copy_thread(5, 6)  # type: ignore[arg-type]
        saver.prune([6], strategy="delete")  # type: ignore[list-item]
        assert saver.get_tuple(thread("6")) is None
        assert saver.get_tuple(thread("5")) is not None
        saver.delete_thread(5)  # type: ignore[arg-type]
        assert saver.get_tuple(thread("5")) is None


def test_an_id_of_a_thread_that_is_too_long_is_named() -> None:
    """The error spoke of a namespace, of which a user of LangGraph knows another."""
    from graphmem.integrations.checkpoints import GraphmemSaver

    with graphmem.open(worker="none") as memory:
        graph = built(GraphmemSaver(memory, name="support"))
        with pytest.raises(InvalidArgumentError, match=r"thread_id has 471 characters.* most 470"):
            graph.invoke({"said": []}, thread("x" * 471))
        graph.invoke({"said": []}, thread("x" * 470))


def test_a_person_answers_in_another_process_and_a_day_is_taken_back(tmp_path: Path) -> None:
    from langgraph.types import Command

    from graphmem.integrations.checkpoints import GraphmemSaver

    folder = tmp_path / "memory"
    with graphmem.open(folder, worker="none") as memory:
        asked = built(GraphmemSaver(memory)).invoke({"said": ["begin"]}, thread("a/b"))
        assert asked["__interrupt__"][0].value == "May it go out?"
    with (
        graphmem.open(folder, worker="none"),
        graphmem.attach(folder) as attached,
    ):
        graph = built(GraphmemSaver(attached))
        ended = asyncio.run(graph.ainvoke(Command(resume="yes"), thread("a/b")))
        assert ended["said"] == ["begin", "a draft", "yes"]
        history = list(graph.get_state_history(thread("a/b")))
        before = next(state for state in history if state.next == ("draft",))
        fork = graph.update_state(before.config, {"said": ["from here"]})
        graph.invoke(None, fork)
        again = graph.invoke(Command(resume="no"), thread("a/b"))
        assert again["said"] == ["begin", "from here", "a draft", "no"]
        assert graph.get_state(before.config).values["said"] == ["begin"]
        assert len(list(graph.get_state_history(thread("a/b")))) > len(history)
        # Neither a thread whose name begins alike nor another saver sees it.
        assert built(GraphmemSaver(attached)).get_state(thread("a")).values == {}
        assert built(GraphmemSaver(attached, name="x")).get_state(thread("a/b")).values == {}
        graph.checkpointer.delete_thread("a/b")
        assert list(graph.get_state_history(thread("a/b"))) == []
        assert attached.items.namespaces() == []


@pytest.mark.parametrize("kind", ["msgpack", "json"])
def test_a_secret_in_a_state_is_not_cut_out_of_it(kind: str) -> None:
    """Cut out of packed bytes, it left a state that nobody could read any more."""
    from langgraph.checkpoint.base import empty_checkpoint

    from graphmem.integrations.checkpoints import GraphmemSaver

    class Json:
        def dumps_typed(self, value: Any) -> tuple[str, bytes]:
            return "json", json.dumps(value).encode()

        def loads_typed(self, data: tuple[str, bytes]) -> Any:
            return json.loads(data[1])

    with graphmem.open(worker="none") as memory:
        saver: Any = GraphmemSaver(memory, serde=Json() if kind == "json" else None)
        said = "The password of the test database is Qn7!lantern88, the user is ro."
        config: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
        made = {**empty_checkpoint(), "channel_values": {"said": [said]}}
        config = saver.put(config, made, {"step": 0}, {})
        writes = [("password", "Qn7!lantern88"), ("said", {"api_key": 4471})]
        saver.put_writes(config, writes, "task")
        found = saver.get_tuple(config)
        assert found.checkpoint["channel_values"] == {"said": [said]}
        assert found.pending_writes == [("task", *write) for write in writes]


def test_checkpoints_are_listed_by_what_their_metadata_has_and_has_not() -> None:
    """None of what the metadata lacks met no checkpoint."""
    from langgraph.checkpoint.base import empty_checkpoint

    from graphmem.integrations.checkpoints import GraphmemSaver

    with graphmem.open(worker="none") as memory:
        saver: Any = GraphmemSaver(memory)
        config: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
        for step in range(3):
            config = saver.put(config, empty_checkpoint(), {"step": step}, {})
        for wanted, steps in (({"step": 1}, [1]), ({"writer": None}, [2, 1, 0]), ({"step": 9}, [])):
            found = saver.list({"configurable": {"thread_id": "t"}}, filter=wanted)
            assert [each.metadata["step"] for each in found] == steps


def test_what_a_delta_channel_is_made_from_is_not_pruned() -> None:
    """A saver that keeps the newest checkpoint alone silently empties such a channel."""
    from langgraph.checkpoint.base import empty_checkpoint

    from graphmem.integrations.checkpoints import GraphmemSaver

    with graphmem.open(worker="none") as memory:
        saver = GraphmemSaver(memory)
        config: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
        for step, values in enumerate(({"log": ["old"]}, {"log": ["whole"]}, {}, {})):
            made = {**empty_checkpoint(), "channel_values": values}
            about: Any = {"step": step, "counters_since_delta_snapshot": {"log": (step, step)}}
            config = saver.put(config, made, about, {})
            saver.put_writes(config, [("log", step)], "task")
        history = saver.get_delta_channel_history(config=config, channels=["log"])
        saver.prune(["t"])
        assert [found.metadata["step"] for found in saver.list(None)] == [3, 2, 1]
        assert saver.get_delta_channel_history(config=config, channels=["log"]) == history
        assert history["log"]["seed"] == ["whole"]
        with pytest.raises(InvalidArgumentError, match="keep_latest"):
            saver.prune(["t"], strategy="newest")


RUN = """
import sys, graphmem
from operator import add
from typing import Annotated, TypedDict
from langgraph.graph import START, StateGraph
from graphmem.integrations.checkpoints import GraphmemSaver

class State(TypedDict):
    steps: Annotated[list[int], add]

def step(state):
    return {"steps": [len(state["steps"])]}

graph = StateGraph(State)
graph.add_node("step", step)
graph.add_edge(START, "step")
graph.add_conditional_edges("step", lambda state: "step")
with graphmem.open(sys.argv[1], worker="none") as memory:
    compiled = graph.compile(checkpointer=GraphmemSaver(memory))
    config = {"configurable": {"thread_id": "t"}, "recursion_limit": 2000}
    begin = None if compiled.get_state(config).values else {"steps": []}
    for state in compiled.stream(begin, config, stream_mode="values", durability="sync"):
        print(len(state["steps"]), flush=True)
"""


@pytest.mark.faults
def test_a_killed_graph_goes_on_behind_its_last_step(tmp_path: Path) -> None:
    from graphmem.integrations.checkpoints import GraphmemSaver

    folder, done = tmp_path / "memory", 0
    for _ in range(5):
        with subprocess.Popen(
            [sys.executable, "-c", RUN, str(folder)], stdout=subprocess.PIPE, text=True
        ) as run:
            assert run.stdout is not None
            for seen, line in enumerate(run.stdout):
                if line.endswith("\n"):
                    # It begins where it was: at most the step in flight is done again.
                    assert seen or int(line) >= done - 1
                    done = max(done, int(line))
                if seen == 20:
                    run.send_signal(signal.SIGKILL)
        with graphmem.open(folder, worker="none") as memory:
            found = GraphmemSaver(memory).get_tuple(thread("t"))
            assert found is not None
            steps = found.checkpoint["channel_values"]["steps"]
            assert steps == list(range(len(steps)))
            assert len(steps) >= done - 1
            assert memory.admin.check() == []
