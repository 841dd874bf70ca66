"""Undo: `history`, `forgotten`, `revive`, `correct`, `forget`, as far as the archive reaches."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

import graphmem
from graphmem.errors import (
    ArgumentTypeError,
    CapacityError,
    ForgottenError,
    InvalidArgumentError,
    InvalidTextError,
    PinLimitError,
    UnknownNodeError,
    UnknownVersionError,
)
from graphmem.values.nodes import Form
from tests.clock import Clock

pytestmark = pytest.mark.usefixtures("by_passes")

START = datetime(2026, 5, 3, tzinfo=UTC)
STORY = "Wen painted 12 chairs for Karlsson and his band. It was nice. The weather was rather good."


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    ticks = count()
    clock = lambda: START + timedelta(seconds=next(ticks))  # noqa: E731
    with graphmem.open(worker="none", clock=clock) as opened:
        yield opened


def faded(memory: graphmem.Memory, form: Form | None) -> int:
    """The id of a node that has faded so far; None: that is forgotten."""
    node = memory.remember(
        STORY, speaker="Wen", session="s", about=graphmem.About(keywords=["own"])
    )[0].id
    for k in range(6):
        memory.remember(f"Chatter {k}.")
    while (memory[node].form if node in memory else None) != form:
        assert node in memory
        memory.sweep()
    return node


# -- history and forgotten ----------------------------------------------------------------------


def test_history_tells_all_forms_oldest_first(memory: graphmem.Memory) -> None:
    """Undo begins with seeing what there was."""
    node = faded(memory, Form.GIST)
    versions = memory.history.of(node)
    assert [v.version for v in versions] == sorted({v.version for v in versions})
    assert versions[0].node.text == STORY
    assert versions[0].node.form is Form.WHOLE
    assert [v.why for v in versions[:-1]] == ["shortened"] * (len(versions) - 1)
    assert (versions[-1].why, versions[-1].ended) == ("present", None)
    assert versions[-1].node == memory[node]
    ended = [v.ended for v in versions[:-1] if v.ended]
    assert ended == sorted(ended)


def test_history_of_a_forgotten_node_ends_with_why(memory: graphmem.Memory) -> None:
    """Who asks what became of a memory wants to hear that it faded, not that there is none."""
    node = faded(memory, None)
    versions = memory.history.of(node)
    assert versions[-1].why == "faded"
    assert versions[0].node.text == STORY


def test_forgotten_lists_the_last_first(memory: graphmem.Memory) -> None:
    """What was just lost is what somebody wants back."""
    ids = [memory.remember(f"Thing {k}.")[0].id for k in range(5)]
    for node in (2, 4, 1):
        memory.forget(node)
    listed = memory.history.forgotten()
    assert [f.id for f in listed] == [1, 4, 2]
    assert all(f.revivable and f.missed and f.why == "asked" for f in listed)
    assert str(listed[0]).startswith("once knew: Thing 0")
    assert [f.id for f in memory.history.forgotten(limit=2)] == [1, 4]
    assert memory.history.forgotten(limit=0) == []
    assert ids[2] not in [f.id for f in listed]


@pytest.mark.parametrize("limit", [-1, 100_001, 1.5, "3", None])
def test_a_limit_out_of_range_is_named(memory: graphmem.Memory, limit: Any) -> None:
    """islice's own message names neither `limit` nor `forgotten`."""
    with pytest.raises((InvalidArgumentError, ArgumentTypeError), match="limit is"):
        memory.history.forgotten(limit)


# -- revive -------------------------------------------------------------------------------------


def test_a_forgotten_node_comes_back_with_its_last_form(memory: graphmem.Memory) -> None:
    """Forgetting by mistake must not be final while the archive still has it."""
    (node,) = memory.remember(
        STORY, speaker="Wen", session="s", about=graphmem.About(keywords=["own"])
    )
    memory.remember("Something else.")
    memory.forget(node)
    back = memory.history.revive(node.id)
    assert back.id == node.id
    assert (back.text, back.speaker, back.session, back.keywords) == (
        node.text,
        "Wen",
        "s",
        node.keywords,
    )
    assert memory[node.id] == back
    assert memory.graph.focus[0].id == node.id
    assert memory.recall("Karlsson", use=False)[0].id == node.id
    assert [n.id for n in memory.nodes(where=graphmem.Where(session="s"))] == [node.id]
    assert memory.admin.stats()["tombstones"] == 0
    assert memory.graph.importance(node.id) > 0
    assert memory.history.forgotten() == []
    assert memory.admin.check() == []


@pytest.mark.parametrize("form", [Form.GIST, None])
def test_any_earlier_form_can_be_brought_back(memory: graphmem.Memory, form: Form | None) -> None:
    """The first form is the one with the answer."""
    node = faded(memory, form)
    first = memory.history.of(node)[0]
    back = memory.history.revive(node, first.version)
    assert (back.text, back.form) == (STORY, Form.WHOLE)
    assert back.version > max(v.version for v in memory.history.of(node)[:-1])
    assert memory.history.of(node)[-1].node == back
    assert [n.id for n in memory.nodes(keyword="own")] == [node]
    assert memory.recall("weather", use=False)[0].id == node
    for _ in range(memory.admin.settings.grace - 1):
        memory.sweep()
    assert memory[node].text == STORY  # grace counts anew
    assert memory.admin.check() == []


@pytest.mark.parametrize("form", [Form.GIST, None])
def test_without_a_version_the_fullest_form_comes_back(
    memory: graphmem.Memory, form: Form | None
) -> None:
    """Who asks for a memory back wants what was said, not what was left of it at the end."""
    node = faded(memory, form)
    assert memory.history.revive(node).text == STORY
    with pytest.raises(UnknownVersionError, match="no fuller form"):
        memory.history.revive(node)
    assert memory.admin.check() == []


def test_what_expired_comes_back_for_good() -> None:
    """It would go again at the next write."""
    clock = Clock(datetime(2026, 5, 1, tzinfo=UTC))
    with graphmem.open(worker="none", clock=clock) as memory:
        (node,) = memory.remember("The voucher is for tea.", expires=60.0)
        for days in (0, 1, 2):
            clock.now += timedelta(days=days)
            memory.sweep()
            assert (node in memory) == (days != 1)
            if days == 1:
                assert memory.history.revive(node).expires is None


def test_reviving_and_fading_again_keeps_every_version(memory: graphmem.Memory) -> None:
    """Two forms under one version would overwrite each other in the archive."""
    node = faded(memory, Form.GIST)
    for _ in range(3):
        memory.history.revive(node, 1)
        memory.forget(node)
        memory.history.revive(node)
    versions = [v.version for v in memory.history.of(node)]
    assert len(versions) == len(set(versions)) >= 8
    assert memory.admin.check() == []


def test_what_cannot_be_revived_is_said_with_what_can(memory: graphmem.Memory) -> None:
    """A version number is guessed at only once if the message lists those that there are."""
    (node,) = memory.remember(STORY)
    with pytest.raises(UnknownVersionError, match=rf"node {node.id} is alive"):
        memory.history.revive(node)
    memory.forget(node)
    with pytest.raises(UnknownVersionError, match=r"no version 7 of node 1 \(it has: 1\)"):
        memory.history.revive(node, 7)
    with pytest.raises(UnknownNodeError, match="nothing is known of a node 99"):
        memory.history.revive(99)
    assert memory.admin.check() == []


def test_reviving_a_form_of_a_live_node_takes_nobodys_slot() -> None:
    """A full memory forgot another node, or this very one, though no newcomer came."""
    with graphmem.open(worker="none", max_nodes=8) as memory:
        first = memory.remember(STORY)[0].id
        for k in range(7):
            memory.remember(f"Chatter {k}.")
        while first in memory and memory[first].form is Form.WHOLE:
            memory.sweep()
        assert first in memory
        while len(memory) < 8:
            memory.remember(f"More {len(memory)}.")
        before = {node.id for node in memory}
        memory.history.revive(first, 1)
        assert {node.id for node in memory} == before
        assert memory.admin.check() == []


# -- correct ------------------------------------------------------------------------------------


def test_a_correction_takes_the_old_ones_place(memory: graphmem.Memory) -> None:
    """Update that deletes the old and never adds the new, and the other way round, are what users
    of such systems complain about most."""
    (before,) = memory.remember("Ada sits in room 4.")
    (old,) = memory.remember(
        "The release is May 3.", speaker="Wen", session="s", happened="2026-04-01T00:00:00Z"
    )
    memory.graph.relate(old, "about", before)
    memory.graph.relate(before, "about", old)
    memory.graph.facts.put("ex:plan", "ex:rests-on", old)
    memory.graph.facts.put(old, "ex:decided-by", "Wen")
    (new,) = memory.correct(old, "The release is May 10.")
    facts = memory.graph.facts
    assert ("ex:plan", "ex:rests-on", new) in facts
    assert (new, "ex:decided-by", "Wen") in facts
    assert facts.count(None, None, old) == facts.count(old) == 0
    assert (new.speaker, new.session, new.happened) == ("Wen", "s", old.happened)
    assert old.id not in memory
    targets = {(k.relation, k.target) for k in memory.graph.links(new)}
    assert {("about", before.id), ("focus", before.id), ("corrects", old.id)} <= targets
    assert new.id in {k.target for k in memory.graph.links(before)}
    lost = [d for d in memory.graph.links(new).dangling if d.link.relation == "corrects"]
    assert lost[0].known is not None
    assert lost[0].known.why == "corrected"
    found = memory.recall("release", use=False)
    assert [hit.id for hit in found if hit.parts["words"]] == [new.id]
    assert memory.history.of(old)[-1].why == "corrected"
    assert memory.history.of(old)[-1].node.text == "The release is May 3."
    assert memory.admin.check() == []


def test_a_correction_holds_since_the_old_one_was_told() -> None:
    """Iris had moved in February; corrected in August, she lived nowhere in May."""
    clock = Clock(datetime(2026, 2, 1, tzinfo=UTC))
    with graphmem.open(worker="none", clock=clock) as memory:
        (old,) = memory.remember("Iris moved to Leeds.")
        clock.now += timedelta(days=180)
        (new,) = memory.correct(old, "Iris moved to Lancaster.")
        assert (new.happened, new.valid_from) == (None, old.created)
        then = graphmem.Where(as_of=old.created + timedelta(days=1))
        assert [hit.id for hit in memory.recall("Where does Iris live?", where=then)] == [new.id]


def test_a_correction_of_a_pinned_node_stays_pinned(memory: graphmem.Memory) -> None:
    """What was never to be forgotten must not lose that with a typing mistake."""
    (old,) = memory.remember("The safe's colour is 4711.", pin=True)
    (new,) = memory.correct(old, "The safe's colour is 4712.")
    assert new.pinned
    assert memory.admin.stats()["pinned"] == 1
    assert memory.admin.check() == []


@pytest.mark.parametrize("meanwhile", ["pinned", "unpinned", "forgotten"])
def test_a_correction_sees_what_others_did_while_it_was_drafted(meanwhile: str) -> None:
    """It read the node before it had the writer's lock: 58 of 58 acknowledged pins vanished."""
    acts: list[Callable[[], object]] = []

    def clock() -> datetime:  # is asked while the text is drafted
        if acts:
            acts.pop()()
        return START

    with graphmem.open(worker="none", clock=clock) as memory:
        (old,) = memory.remember("The safe's colour is 4711.", pin=meanwhile == "unpinned")
        if meanwhile == "forgotten":
            acts.append(lambda: memory.forget(old))
            with pytest.raises(ForgottenError):
                memory.correct(old, "The safe's colour is 4712.")
            return
        acts.append(lambda: (memory.pin if meanwhile == "pinned" else memory.unpin)(old))
        (new,) = memory.correct(old, "The safe's colour is 4712.")
        assert not acts
        assert memory[new.id].pinned == (meanwhile == "pinned")
        assert memory.admin.stats()["pinned"] == (meanwhile == "pinned")
        assert memory.admin.check() == []


@pytest.mark.parametrize(
    ("text", "error"),
    [("", InvalidTextError), (None, ArgumentTypeError), ("a\x00", InvalidTextError)],
)
def test_a_refused_correction_leaves_the_old(
    memory: graphmem.Memory, text: Any, error: type[Exception]
) -> None:
    """Forgotten first and refused then would lose both."""
    (old,) = memory.remember("The release is May 3.")
    sequence = memory.admin.stats()["sequence"]
    with pytest.raises(error):
        memory.correct(old, text)
    with pytest.raises(UnknownNodeError, match="there is no node 99"):
        memory.correct(99, "Fine.")
    assert memory.admin.stats()["sequence"] == sequence
    assert memory[old.id].text == "The release is May 3."


def test_a_correction_too_long_for_one_batch_says_so(memory: graphmem.Memory) -> None:
    """Old and new change places in one batch or not at all."""
    (old,) = memory.remember("Short.")
    with pytest.raises(InvalidArgumentError, match=r"at most 64 segments.*forget\(1\)"):
        memory.correct(old, "This is a sentence of a certain length, is it not, my dear. " * 300)
    assert memory[old.id].text == "Short."


def test_a_forgotten_node_is_not_corrected(memory: graphmem.Memory) -> None:
    """The correction of what is gone would hang in the air."""
    (old,) = memory.remember("The release is May 3.")
    memory.forget(old)
    with pytest.raises(ForgottenError, match=r"revive\(1\)"):
        memory.correct(old, "The release is May 10.")
    assert len(memory) == 0


# -- forget and pin -----------------------------------------------------------------------------


def test_forget_is_for_what_is_there(memory: graphmem.Memory) -> None:
    """Forgetting twice must not archive, count or bury twice."""
    (node,) = memory.remember("A thing.")
    memory.forget(node)
    stats = memory.admin.stats()
    with pytest.raises(
        ForgottenError, match=r"node 1 was forgotten; history.revive\(1\) brings it back"
    ):
        memory.forget(node)
    with pytest.raises(UnknownNodeError, match="there is no node 2 in scope 'default'"):
        memory.forget(2)
    assert memory.admin.stats() == stats
    assert memory.admin.check() == []


def test_a_pinned_node_can_be_forgotten_by_hand(memory: graphmem.Memory) -> None:
    """A pin keeps the sweep away, not its owner; and its count goes with it."""
    (node,) = memory.remember("A thing.", pin=True)
    memory.forget(node)
    assert memory.admin.stats()["pinned"] == 0
    assert memory.history.revive(node.id).pinned
    assert memory.admin.stats()["pinned"] == 1
    assert memory.admin.check() == []


def test_pins_are_counted_once(memory: graphmem.Memory) -> None:
    """A count that drifts refuses pins for which there is room."""
    (node,) = memory.remember("A thing.")
    assert memory.pin(node).pinned
    assert memory.pin(node).pinned
    assert memory.admin.stats()["pinned"] == 1
    assert [n.id for n in memory.nodes(pinned=True)] == [node.id]
    assert not memory.unpin(node).pinned
    assert not memory.unpin(node).pinned
    assert memory.admin.stats()["pinned"] == 0
    with pytest.raises(UnknownNodeError):
        memory.pin(99)
    assert memory.admin.check() == []


def test_a_correction_pins_no_more_than_half() -> None:
    """A pinned sentence corrected into many would pin the memory full."""
    with graphmem.open(worker="none", max_nodes=8) as memory:
        for k in range(4):
            memory.remember(f"Pinned {k}.", pin=True)
        long = "".join(
            f"This is sentence {k} of a correction that takes several segments of about two "
            "hundred characters each, as one can see when one counts them, which nobody does. "
            for k in range(4)
        )
        with pytest.raises((PinLimitError, CapacityError)):
            memory.correct(1, long)
        assert memory.admin.stats()["pinned"] == 4
        assert memory[1].text == "Pinned 0."
        assert memory.admin.check() == []


def test_what_the_archive_no_longer_has_is_not_called_unknown() -> None:
    """A tombstone says that it was there; "nothing is known" beside it would be untrue."""
    with graphmem.open(worker="none", tuning=graphmem.Tuning(archive_bytes=0)) as memory:
        (node,) = memory.remember("Noor signed the lease on 12 March.")
        memory.remember("Another thing.")
        memory.forget(node)
        for version in (None, 1):
            with pytest.raises(UnknownVersionError, match=r"no longer has.*Noor.*archive_bytes"):
                memory.history.revive(node, version)
        with pytest.raises(UnknownNodeError, match=r"no form any more.*Noor"):
            memory.history.of(node)


def test_what_replaces_a_text_is_told_with_the_day_since_when_it_holds() -> None:
    """A text that had replaced another was told with the day on which somebody said so."""
    with graphmem.open(worker="none") as memory:
        (old,) = memory.remember("The boiler is run by Adler.", happened="2024-03-01")
        memory.replace(old, "The boiler is run by Fagottini.", since="2025-01-05")
        found = memory.recall("fagottini", tokens=80)  # by its words, at once
        assert found.text.splitlines()[0] == "[2025-01-05] The boiler is run by Fagottini."


@pytest.mark.parametrize("by", [False, True])
def test_a_clock_that_is_set_back_hinders_no_replacing(by: bool) -> None:
    """What was told before could not be replaced until the clock had caught up, or held till then
    beside what replaced it."""
    clock = Clock(datetime(2026, 5, 3, 12, tzinfo=UTC))
    with graphmem.open(worker="none", clock=clock) as memory:
        (old,) = memory.remember("The boiler is run by Adler.")
        (other,) = memory.remember("The party begins.", happened="2026-05-09T20:00+00:00")
        clock.now -= timedelta(hours=1)
        if by:
            (new,) = memory.remember("The boiler is run by Fagottini.")
            memory.replace(old, by=new)
        else:
            (new,) = memory.replace(old, "The boiler is run by Fagottini.")
            with pytest.raises(InvalidArgumentError, match="holds since 2026-05-09"):
                memory.replace(other, "The party is called off.")
        for _ in range(3):  # now, when the clock has caught up, and then
            assert [hit.id for hit in memory.recall("Who runs the boiler?")] == [new.id]
            clock.now += timedelta(hours=1)
        assert memory.admin.check() == []
        memory.history.reopen(old)
        assert {old.id, new.id} == {hit.id for hit in memory.recall("Who runs the boiler?")}
