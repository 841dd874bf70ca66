"""The trace: what it shows is what the recall did, in any script, and it can always be drawn."""

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmem
from graphmem.errors import InvalidArgumentError

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none") as opened:
        opened.remember("Wen moved the release from May 3 to May 10.", session="standup")
        opened.remember("Everybody brings cake that day.", session="standup")
        opened.remember("The kettle in the kitchen is broken.")
        opened.remember("发布会改到五月十日，文老师通知大家。")
        yield opened


def drawn(found: graphmem.Recall) -> ElementTree.Element:
    assert found.trace is not None
    return ElementTree.fromstring(found.trace.svg())


def texts(drawing: ElementTree.Element) -> str:
    return "\n".join("".join(text.itertext()) for text in drawing.iter(f"{SVG}text"))


def test_without_asking_there_is_none_and_with_it_the_same_hits(memory: graphmem.Memory) -> None:
    """An explanation of another recall explains nothing."""
    plain = memory.recall("When is the release?", use=False)
    found = memory.recall("When is the release?", use=False, trace=True)
    assert plain.trace is None
    assert [(h.id, h.score, h.parts, h.path) for h in plain] == [
        (h.id, h.score, h.parts, h.path) for h in found
    ]
    assert found.trace is not None
    assert found.trace.hits == tuple(found)


def test_it_shows_entries_hops_and_ranking(memory: graphmem.Memory) -> None:
    found = memory.recall("When is the release?", use=False, trace=True)
    told = found.trace
    assert told is not None
    assert told.entries[0].node == 1
    assert told.entries[0].why["words"] == 1.0
    assert [entry.amount for entry in told.entries] == sorted(
        (entry.amount for entry in told.entries), reverse=True
    )
    assert {entry.node for entry in told.entries if "focus" in entry.why} == {1, 2, 3, 4}
    assert (1, 2) in [passed[:2] for passed in told.hops[0]]
    for hop in told.hops:
        for passed in hop:
            links = [k.target for k in memory.graph.links(passed.source)]
            assert passed.target in links
    for hit in found:
        came = sum(p.amount for hop in told.hops for p in hop if p.target == hit.id)
        assert came > 0 or not hit.parts["activation"]
    page = str(told)
    assert page.index("Entry nodes") < page.index("Hop 1") < page.index("Ranking")
    assert f"1. 1  {found[0].score:.2f} = words {found[0].parts['words']:.2f}" in page
    for word in ("Cue: When is the release?", "Everybody brings cake", "发布会"):
        assert word in page
        assert word.removeprefix("Cue: ") in texts(drawn(found))


@pytest.mark.parametrize(
    "settings",
    [
        {"where": graphmem.Where(depth=0)},
        {"where": graphmem.Where(depth=10)},
        {"limit": 0},
        {"where": graphmem.Where(relations=["none"])},
        {"where": graphmem.Where(session="standup")},
    ],
)
def test_it_can_be_drawn_whatever_was_asked(memory: graphmem.Memory, settings: Any) -> None:
    found = memory.recall("release cake", use=False, trace=True, **settings)
    assert found.trace is not None
    assert "Ranking" in texts(drawn(found))
    if settings.get("where") == graphmem.Where(depth=0):
        assert found.trace.hops == ()


def test_what_only_a_day_finds_is_known() -> None:
    """Of a recall with four hits it was said that nothing was known."""
    with graphmem.open(worker="none") as memory:
        (node,) = memory.remember("Ada lost her umbrella.")
        found = memory.recall("What happened today?", trace=True)
        assert [hit.id for hit in found] == [node.id]
        told = str(found.trace)
        assert told.index("Ranking") < told.index("umbrella")
        assert "Nothing" not in told
        assert "Nothing" not in "".join(texts(drawn(found)))


@pytest.mark.parametrize("cue", ["zxcvb", "", "…", "the the", "release " * 2000])
def test_a_cue_that_finds_nothing_or_is_very_long(memory: graphmem.Memory, cue: str) -> None:
    found = memory.recall(cue, use=False, trace=True)
    assert len(texts(drawn(found))) < 5000
    if cue == "zxcvb":
        assert str(found.trace) == "Cue: zxcvb\nNothing of it is known."
        assert "Nothing of it is known" in texts(drawn(found))


def test_an_empty_memory_can_be_drawn() -> None:
    with graphmem.open(worker="none") as memory:
        for cue in ("", "anything"):
            assert "Entry nodes" in texts(drawn(memory.recall(cue, trace=True)))


def test_what_was_forgotten_on_the_way_says_so(memory: graphmem.Memory) -> None:
    """A number alone would look like a fault of the drawing."""
    memory.remember("The caterer is called Hofmann.")
    memory.recall("release", use=False)
    memory.forget(2)
    found = memory.recall("release", use=False, trace=True, where=graphmem.Where(depth=3))
    assert found.trace is not None
    on_the_way = {n for hop in found.trace.hops for passed in hop for n in passed[:2]}
    if 2 in on_the_way:
        assert "(forgotten)" in str(found.trace)
    assert drawn(found) is not None


def test_texts_stay_texts_and_boxes_are_not_overrun() -> None:
    """Text from outside must not become markup, steer a terminal, or turn the line around."""
    with graphmem.open(worker="none") as memory:
        for text in (
            '<script>alert(1)</script> & release ]]> "quoted"',
            "release \u202e turned \u2066 about \x1b[31m red",
            "release اجتماع يوم الأحد שלום",
            "release 🌲👩‍👩‍👧 " + "很长的一句话" * 60,
        ):
            memory.remember(text)
        found = memory.recall("release <b>&amp;\x00\x1b", use=False, trace=True)
        drawing = drawn(found)
        page = str(found.trace)
    assert not list(drawing.iter(f"{SVG}script"))
    assert not set("\x1b\x00\u202e\u2066") & set(page + texts(drawing))
    for text in drawing.iter(f"{SVG}text"):
        assert len("".join(text.itertext())) <= 100


@pytest.mark.parametrize("given", [{"trace": True}, {"cut": "strict"}])
def test_what_is_of_one_mode_is_refused_by_the_others(
    memory: graphmem.Memory, given: dict[str, Any]
) -> None:
    """A strict cut was passed over, and whoever wants nothing rather than noise got noise."""
    for mode in ("focus", "hybrid", "themes"):
        with pytest.raises(InvalidArgumentError, match="is for mode 'activation', not for"):
            memory.recall("release", mode=mode, **given)


def test_why_is_a_sentence(memory: graphmem.Memory) -> None:
    """A user reads it, so it says the most important reason first."""
    found = memory.recall("When is the release?", use=False, cut="none")
    assert found[0].why.startswith("Node 1 scored ")
    said = found[0].parts["words"]
    assert f": it shares words with the cue ({said:.2f}), " in found[0].why
    assert " and is " in found[0].why
    cake = next(hit for hit in found if hit.id == 2)
    assert "is linked with what matches (" in cake.why
    assert "; reached from node 1 over focus (" in cake.why
    assert cake.why.endswith(" to 2.")
    near = memory.recall("cake", mode="focus")
    assert "it is near the focus (" in near[0].why


def test_why_does_not_claim_words_where_only_the_speaker_is_named() -> None:
    """It said "shares words with the cue" of notes of which no word was asked for."""
    with graphmem.open(worker="none") as memory:
        memory.remember("The kettle leaks at the handle.", speaker="Ada")
        memory.remember("Ada is late again.", speaker="Bo")
        said, told = sorted(memory.recall("Ada", use=False, cut="none"), key=lambda hit: hit.id)
    assert "shares words, or its speaker's name, with the cue (" in said.why
    assert "shares words with the cue (" in told.why


@given(st.text(max_size=80), st.text(min_size=1, max_size=300))
def test_any_text_can_be_drawn(cue: str, text: str) -> None:
    with graphmem.open(worker="none") as memory:
        memory.remember("Release. " + text.replace("\x00", ""))
        found = memory.recall(f"release {cue}", use=False, trace=True)
        assert drawn(found) is not None
        assert str(found.trace).isprintable() or "\n" in str(found.trace)
