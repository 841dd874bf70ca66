"""`memory.history.worth(id)` and `memory.history.life(id)`: what is said of a node is what happens to it."""

import json
from collections.abc import Iterator
from math import isclose
from pathlib import Path

import pytest

import graphmem
from graphmem.errors import ForgottenError, UnknownNodeError
from graphmem.forgetting.archive import Archived
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.values.nodes import Form
from graphmem.values.worth import Cut
from graphmem_worker.text.selection import leaning, together, turned

pytestmark = pytest.mark.usefixtures("by_passes")

DATA = Path(__file__).parents[2] / "data"
LANGUAGES = ("en", "zh")


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    """Forty texts of each journal, remembered at one pass."""
    with graphmem.open(None, worker="none") as memory:
        for language in LANGUAGES:
            lines = (DATA / f"journal.{language}.jsonl").read_text("utf-8").splitlines()
            memory.remember_many(json.loads(line)["text"] for line in lines[:40])
        memory.admin.enrich()
        yield memory


def test_a_worth_adds_up(memory: graphmem.Memory) -> None:
    """An explanation of which the parts are not the whole explains nothing."""
    for node in list(memory):
        worth = memory.history.worth(node)
        assert [s.text for s in worth.sentences] == [s.strip() for s in node.sentences]
        assert isclose(worth.importance, memory.graph.importance(node))
        assert isclose(worth.importance, sum(link.strength for link in worth.links))
        grouped = {k for g in together(node.sentences) for k in range(g.first, g.last + 1)}
        grouped |= {place for pair in leaning(node.sentences) for place in pair}
        turning = {later for _, later in turned(node.sentences)}  # they last as long as others
        for place, sentence in enumerate(worth.sentences):
            assert isclose(sum(v for _, v in sentence.parts), sentence.salience, abs_tol=0.05)
            assert isclose(sentence.density, sentence.salience / sentence.characters**0.5)
            own = sentence.density / sentence.median
            if place not in grouped:
                alike = isclose(sentence.worth, own)
                assert alike or (place in turning and sentence.worth > own)


def test_what_is_said_to_go_next_goes_then_and_nothing_else(memory: graphmem.Memory) -> None:
    """A wrong prediction is worse than none: somebody would have pinned it."""
    predicted = {node.id: memory.history.worth(node).next for node in memory}
    for _ in range(160):  # what protects or binds somebody stays
        before = {node.id: node for node in memory}
        now = memory.sweep().passes
        for identifier, node in before.items():
            cut = predicted[identifier]
            if cut is None or (cut.passes or 0) > now:
                assert memory[identifier].version == node.version
                continue
            assert cut.passes == now
            if cut.form is None:
                assert identifier not in memory
                continue
            left = memory[identifier]
            assert left.form is cut.form
            kept = {s.strip() for s in left.sentences or (left.phrase,)}
            if left.sentences:  # a gist may say all of a short sentence
                assert not kept.intersection(cut.lost)
            assert kept.issuperset(cut.kept)
            predicted[identifier] = memory.history.worth(left).next


def test_what_is_pinned_or_in_focus_says_so_instead(memory: graphmem.Memory) -> None:
    first = memory.pin(1)
    focused = memory.graph.focus[0]
    assert (memory.history.worth(first).kept, memory.history.worth(first).next) == ("pinned", None)
    assert (memory.history.worth(focused).kept, memory.history.worth(focused).next) == (
        "in focus",
        None,
    )
    assert "kept whole: pinned" in str(memory.history.worth(first))
    assert repr(memory.history.worth(first)).endswith("), pinned>")
    later = next(w for node in memory if (w := memory.history.worth(node)).next is not None)
    assert repr(later).endswith(f", next cut {later.next.when}>")


@pytest.mark.parametrize(
    ("cut", "said"),
    [
        (Cut(None, None, ("It rained.",), ()), "for room it is forgotten"),
        (Cut(3, Form.GIST, ("It rained.",), ()), "at pass 3 goes: “It rained.”"),
        (
            Cut(3, Form.SHORTER, ("It rained.", "It was so."), ("Wen came.",)),
            "at pass 3 goes: “It rained.” / “It was so.”, leaving “Wen came.”",
        ),
    ],
)
def test_a_cut_says_when_and_what_goes(cut: Cut, said: str) -> None:
    assert str(cut) == said


def test_worth_is_asked_now(memory: graphmem.Memory) -> None:
    """A worth kept with the node would be that of the pass at which the node was read."""
    node = memory[1]
    memory.sweep()
    assert memory.history.worth(node).passes == 1
    memory.forget(1)
    with pytest.raises(ForgottenError):
        memory.history.worth(node)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Priya walked along the canal with Marek until it got dark. Okay, thanks!", "Priya"),
        ("林青五月十日把纸箱数了两遍，因为仓库还没有理完。好的，谢谢！", "林青"),
    ],
)
def test_a_life_says_why_each_step_was_taken(text: str, word: str) -> None:
    with graphmem.open(None, worker="none") as memory:
        node = memory.remember(text)[0].id
        memory.used(node)
        for k in range(10):
            memory.remember(f"Shift {k} was quiet, and nobody called about pump {k + 7}.")
        memory.used(node)
        for k in range(10):
            memory.remember(f"Shift {k + 10} was quiet, and nobody called about pump {k + 17}.")
        while node in memory:
            memory.sweep()
        revived = memory.history.revive(node)
        corrected = memory.correct(node, "It was something else.")[0].id
        life = memory.history.life(node)
    assert [step.what for step in life.steps] == [
        "remembered", "used", "shortened", "gist", "forgotten", "revived", "corrected"
    ]  # fmt: skip
    passes = [step.passes for step in life.steps]
    assert passes == sorted(passes, key=lambda p: p or 0)
    shortened = life.steps[2]
    assert "< ⅓" in shortened.why
    assert word in shortened.text
    assert word not in shortened.why
    assert word in life.steps[3].why
    assert life.steps[5].text == revived.text
    assert life.steps[6].why == f"node {corrected} takes its place"
    assert life.worth is None


def test_a_life_of_which_the_archive_keeps_nothing_begins_where_it_is_known() -> None:
    with graphmem.open(
        None,
        worker="none",
        tuning=graphmem.Tuning(archive_bytes=0, grace=0),
    ) as memory:
        node = memory.remember("Priya chose Postgres on 4 May 2026. Okay, thanks!")[0].id
        for k in range(6):
            memory.remember(f"Chatter {k}.")
        while memory[node].form is graphmem.Form.WHOLE:
            memory.sweep()
        (step,) = memory.history.life(node).steps
        assert "no longer has" in step.why
        with pytest.raises(UnknownNodeError):
            memory.history.life(99)


def test_an_archived_form_without_reasons_can_be_read() -> None:
    """So the first folders were written; their history must not be lost over it."""
    import zlib

    import msgpack

    text = TextRecord(("A thing.",), (3.0,), "A thing", ("thing",))
    form = Archived(7, "faded", 0, 9, text, NodeRecord(), 1.5, (0.2,))
    assert Archived.unpack(form.pack()) == form
    short = zlib.compress(msgpack.packb(msgpack.unpackb(zlib.decompress(form.pack()))[:6]))
    assert Archived.unpack(short) == form._replace(importance=None, worths=())


def test_the_phrase_of_a_shorter_form_is_taken_from_what_it_says() -> None:
    """It stands for the node in lists and tombstones; of a dropped sentence it would mislead."""
    with graphmem.open(None, worker="none", tuning=graphmem.Tuning(grace=0)) as memory:
        text = "That was so nice of everybody. Priya chose Postgres 17 for Noor's ledger on 4 May 2026."
        node = memory.remember(text)[0].id
        for k in range(6):
            memory.remember(f"Chatter {k}.")
        while memory[node].form is graphmem.Form.WHOLE:
            memory.sweep()
        left = memory[node]
        assert left.form is graphmem.Form.SHORTER
        assert left.phrase in left.text


def test_a_life_says_what_took_the_place_of_a_memory() -> None:
    with graphmem.open(None, worker="none") as memory:
        (old,) = memory.remember("The office is on Mill Lane.")
        (new,) = memory.replace(old, "The office is on Hill Road.", since="2999-01-01")
        *_, last = memory.history.life(old).steps
        assert (last.what, last.why) == ("replaced", f"node {new.id} takes its place")
        assert last.when == memory[old].valid_to
        assert [step.what for step in memory.history.life(new).steps] == ["remembered"]
        memory.history.reopen(old)
        assert [step.what for step in memory.history.life(old).steps] == ["remembered"]


@pytest.mark.parametrize(
    ("times", "told"),
    [(0, []), (1, ["once"]), (2, ["2 times, then for the last time"])],
)
def test_a_life_tells_how_often_a_node_was_used(times: int, told: list[str]) -> None:
    """Whoever asks why a memory is still there was told of one use where there were three."""
    with graphmem.open(worker="none") as memory:
        (node,) = memory.remember("The pump is red.")
        for _ in range(times):
            memory.used(node)
        steps = memory.history.life(node).steps
    assert steps[0].what == "remembered"
    assert [step.why for step in steps if step.what == "used"] == told
