"""Passes: what weakens, what stays whole, what becomes shorter, and in which order it goes.

These are the promises of DESIGN §5. Each one broken either erases what should stay, or keeps what
should fade until the memory is full of it.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import (
    ArgumentTypeError,
    ForgottenError,
    InvalidArgumentError,
    UnknownNodeError,
)
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.values.nodes import Form

pytestmark = pytest.mark.usefixtures("by_passes")

STORY = (
    "Wen painted the old boat shed of Karlsson & Sons green near the chapel. "
    "It was nice. "
    "The weather was rather good that day, and the office, which Ada had painted green in March, "
    "smelled of coffee, and so on. "
    "Ada prefers tea."
)
CHINESE = "林青和两个同事给卡尔森公司门口的那间旧船棚换了一整排绿色窗帘。那天天气不错。大家都说挺好的，还一起喝了茶。"


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none") as opened:
        yield opened


def chatter(memory: graphmem.Memory, count: int = 6) -> list[int]:
    return [memory.remember(f"Chatter number {k}.")[0].id for k in range(count)]


def strengths(memory: graphmem.Memory) -> dict[tuple[int, str, int], float]:
    return {
        (k.source, k.relation, k.target): k.strength
        for node in memory
        for k in memory.graph.links(node)
    }


def empty_focus(memory: graphmem.Memory) -> None:
    with rooms(memory).changing() as writer:
        writer.set_focus(())


# -- decay --------------------------------------------------------------------------------------


def test_every_link_weakens_in_a_pass(memory: graphmem.Memory) -> None:
    """One link spared, and its node is immortal: focus, pins and grace do not stop decay."""
    memory.remember("Pinned.", pin=True)
    chatter(memory)
    pinned, young = memory[1], memory[6]
    assert pinned.pinned
    assert memory.graph.focus[1].id == young.id
    before = strengths(memory)
    for k in range(1, 4):
        memory.sweep()
        now = strengths(memory)
        assert now.keys() == before.keys()
        for link, strength in before.items():
            assert now[link] == pytest.approx(strength * 0.97**k, rel=1e-6), link
    assert memory.admin.check() == []


def test_what_is_written_while_passes_are_made_fades_like_the_rest() -> None:
    """A large text is hidden until all of it is there. Passed over meanwhile, it stayed for good,
    and in a full memory no node was due."""
    with graphmem.open(worker="none", tuning=graphmem.Tuning(grace=0)) as memory:
        chatter(memory, 12)
        empty_focus(memory)
        intent = rooms(memory).scope.prefix(Space.INTENT) + keys.u64(3)
        with rooms(memory).changing() as writer:
            writer.tx.insert(intent, keys.u64(6))
            writer.tx.state.intents += 1
        for _ in range(200):
            memory.sweep(60)
        with rooms(memory).changing() as writer:
            writer.tx.delete(intent)
            writer.tx.state.intents -= 1
        assert [node.id for node in memory] == [3, 4, 5, 6]
        for _ in range(20):
            memory.sweep(60)
        assert len(memory) == 0
        assert memory.admin.check() == []


def test_a_broken_link_is_gone_for_readers_at_once_and_is_cut_later(
    memory: graphmem.Memory,
) -> None:
    """Links below 0.01 that stay are what a memory is slowly choked with."""
    first, second = memory.remember("A thing.", pin=True)[0], memory.remember("B.", pin=True)[0]
    memory.graph.relate(first, "with", second)
    for _ in range(151):  # 0.97^151 = 0.0101
        memory.sweep(0)
    assert {k.relation for k in memory.graph.links(first)} == {"with", "focus"}
    memory.sweep(0)
    assert len(memory.graph.links(first)) == 0
    assert memory.graph.importance(first) == 0
    for _ in range(16):  # looked at again within eight passes
        memory.sweep()
    assert memory.admin.stats()["links"] == 0
    assert memory.admin.check() == []


def test_one_call_is_one_pass_however_long_it_may_take(memory: graphmem.Memory) -> None:
    """A fast machine made 150 passes in one slice of 30 seconds and erased the memory."""
    chatter(memory)
    for k, seconds in enumerate((0, 0.001, 30, 86_400), 1):
        report = memory.sweep(seconds)
        assert (report.passes, report.made) == (k, 1)
    assert memory.admin.stats()["passes"] == 4


def test_no_memory_is_erased_by_one_call(memory: graphmem.Memory) -> None:
    """The very first memory has no links at all, and died in the first pass."""
    memory.remember(STORY)
    empty_focus(memory)
    report = memory.sweep()
    assert (report.shortened, report.gists, report.forgotten) == (0, 0, 0)
    assert memory[1].text.startswith("Wen painted")


@pytest.mark.parametrize(
    ("seconds", "error"),
    [
        (-1, InvalidArgumentError),
        (86_401, InvalidArgumentError),
        (float("nan"), InvalidArgumentError),
        ("1", ArgumentTypeError),
        (None, ArgumentTypeError),
        (True, ArgumentTypeError),
    ],
)
def test_seconds_out_of_range_make_no_pass(
    memory: graphmem.Memory, seconds: Any, error: type[Exception]
) -> None:
    """A refused call that has already weakened everything is not refused."""
    with pytest.raises(error, match="seconds is"):
        memory.sweep(seconds)
    assert memory.admin.stats()["passes"] == 0


# -- who is spared ------------------------------------------------------------------------------


@pytest.mark.parametrize("grace", [0, 1, 3, 10])
def test_grace_leaves_the_young_whole(grace: int) -> None:
    """A thought that nothing is linked with yet would not live to be linked."""
    with graphmem.open(worker="none", tuning=graphmem.Tuning(grace=grace)) as memory:
        memory.remember("Meh.")
        empty_focus(memory)
        for _ in range(max(0, grace - 1)):
            memory.sweep()
            assert memory[1].form is Form.WHOLE
        for _ in range(2):
            memory.sweep()
        assert 1 not in memory  # importance 0: gone as soon as it may
        assert memory.admin.check() == []


def test_focus_and_pins_stay_whole_for_ever(memory: graphmem.Memory) -> None:
    """What an agent is talking about, or was told to keep, must not lose a word."""
    (pinned, *_) = memory.remember(STORY, pin=True)
    others = chatter(memory, 3)
    focus = [node.id for node in memory.graph.focus][:4]
    lost = memory.remember("Not pinned, not in focus.")[0]
    memory.used(*focus)
    with rooms(memory).changing() as writer:
        writer.set_focus(tuple(focus))
    texts = {node.id: node.text for node in memory}
    for _ in range(300):
        memory.sweep()
    assert lost.id not in memory
    for node in (pinned.id, *others, *focus):
        assert memory[node].form is Form.WHOLE
        assert memory[node].text == texts[node]
    assert memory.admin.check() == []


def test_what_leaves_the_focus_or_is_unpinned_fades_like_any_other(memory: graphmem.Memory) -> None:
    """Looked at once in a thousand passes, a node would be pinned by having been pinned."""
    memory.remember("Pinned at first.", pin=True)
    empty_focus(memory)
    for _ in range(200):
        memory.sweep()
    memory.unpin(1)
    for _ in range(12):
        memory.sweep()
    assert 1 not in memory
    assert memory.admin.stats()["pinned"] == 0
    assert memory.admin.check() == []


def test_a_use_puts_fading_off(memory: graphmem.Memory) -> None:
    """What is asked for every day must outlive what never is."""
    used, unused = memory.remember("Ada likes tea.")[0].id, memory.remember("Bob likes tea.")[0].id
    chatter(memory, 8)
    lived = {used: 0, unused: 0}
    for k in range(250):
        if k < 60 and k % 10 == 0:
            memory.used(used)
            for other in range(3, 8):
                if other in memory:
                    memory.used(other)
        memory.sweep()
        for node in lived:
            lived[node] += node in memory
    assert lived[used] > lived[unused] + 20


# -- how it fades -------------------------------------------------------------------------------


def is_left_of(shorter: str, longer: str) -> bool:
    """Whether `shorter` comes from `longer` by leaving out alone."""
    signs = iter("".join(longer.split()))
    return all(sign in signs for sign in "".join(shorter.split()))


@pytest.mark.parametrize("text", [STORY, CHINESE])
def test_a_form_is_what_is_left_of_the_form_before(memory: graphmem.Memory, text: str) -> None:
    """A rewritten memory is a false one: nothing may be added, turned round or said otherwise."""
    nodes = [node.id for node in memory.remember(text)]
    chatter(memory)
    before = {node: memory[node] for node in nodes}
    forms: dict[int, list[Form]] = {node: [Form.WHOLE] for node in nodes}
    for _ in range(200):
        memory.sweep()
        for node in nodes:
            if node not in memory:
                continue
            now = memory[node]
            assert is_left_of(now.text, before[node].text)
            kept = [s.strip() for s in before[node].sentences]
            for sentence in now.sentences:
                assert any(is_left_of(sentence, other) for other in kept)
            assert now.kept <= before[node].kept
            assert now.version >= before[node].version
            assert is_left_of(now.phrase.removesuffix("…"), text)
            assert (now.speaker, now.created) == (before[node].speaker, before[node].created)
            if now.form != forms[node][-1]:
                forms[node].append(now.form)
            before[node] = now
    for seen in forms.values():
        assert seen == sorted(seen)  # whole, shorter, gist: never back
        assert seen[-1] is not Form.WHOLE  # a gist only where what is left has one
    assert not set(nodes) & {node.id for node in memory}
    assert memory.admin.check() == []


def test_the_telling_sentence_stays_longest(memory: graphmem.Memory) -> None:
    """Cut from the end, or at random, the numbers and names that answer questions go first."""
    (first, *_) = memory.remember("It was nice. Wen paid 4,200 euros to Karlsson. So it goes.")
    chatter(memory)
    while memory[first.id].form is Form.WHOLE:
        memory.sweep()
    assert "4,200" in memory[first.id].text or memory[first.id].form is Form.GIST
    assert memory[first.id].text != "It was nice."


def test_gist_then_tombstone_then_nothing(memory: graphmem.Memory) -> None:
    """ "I once knew" must be said exactly as long as something still points there."""
    memory.remember("Wen painted the shed green all weekend.", speaker="Wen", session="standup")
    chatter(memory, 5)
    gist = None
    while 1 in memory:
        if memory[1].form is Form.GIST:
            gist = memory[1]
        memory.sweep()
    assert gist is not None
    assert (gist.text, gist.sentences) == ("", ())
    dangling = [(node.id, d) for node in memory for d in memory.graph.links(node).dangling]
    assert {d.link.target for _, d in dangling} == {1}
    for source, lost in dangling:
        assert lost.link.source == source
        assert str(lost) == (
            f"once knew: {gist.phrase}"
            + (f" ({', '.join(gist.keywords)})" if gist.keywords else "")
        )
    assert memory.admin.stats()["tombstones"] >= 1
    assert memory.history.forgotten()[-1].missed
    with pytest.raises(ForgottenError, match=f"it was about: {gist.phrase}"):
        memory[1]
    for _ in range(400):
        memory.sweep()
    assert memory.admin.stats()["tombstones"] == 0
    assert all(not f.missed for f in memory.history.forgotten())
    assert memory.admin.check() == []


def test_a_tombstone_goes_with_the_last_link_to_it(memory: graphmem.Memory) -> None:
    """Tombstones that nothing points to are never met again, and pile up."""
    first, second, third = (memory.remember(f"Thing {k}.", pin=True)[0].id for k in range(3))
    memory.forget(third)
    assert [d.link.target for d in memory.graph.links(first).dangling] == [third]
    memory.forget(first)
    assert memory.admin.stats()["tombstones"] == 2
    memory.forget(second)
    assert memory.admin.stats()["tombstones"] == 0
    assert memory.admin.check() == []


def test_a_fact_about_a_forgotten_node_keeps_no_tombstone(memory: graphmem.Memory) -> None:
    """Kept for a fact, it stayed when the fact was deleted, and `check` found it for ever."""
    first = memory.remember("Thing one.")[0]
    memory.graph.facts.put("ex:a", "ex:about", first)
    memory.forget(first)
    assert memory.admin.stats()["tombstones"] == 0
    assert memory.graph.facts.delete("ex:a", "ex:about", first)
    assert memory.admin.check() == []


def test_a_hub_fades_like_a_leaf(memory: graphmem.Memory) -> None:
    """With the sum of all links as importance, a hub never fades, then falls off a cliff."""
    hub, leaf = memory.remember(STORY)[0].id, memory.remember(STORY.replace("Wen", "Ada"))[0].id
    empty_focus(memory)
    nodes = [memory.remember(f"Spoke {k}.")[0].id for k in range(40)]
    for node in nodes:
        memory.graph.relate(hub, "spoke", node)
    assert memory.graph.importance(hub) == 4
    forms = []
    for _ in range(150):
        memory.sweep()
        if hub not in memory:
            break
        forms.append(memory[hub].form)
    assert set(forms) == {Form.WHOLE, Form.SHORTER, Form.GIST}
    assert hub not in memory
    assert leaf not in memory


# -- slices -------------------------------------------------------------------------------------


def test_what_a_sweep_does_not_reach_waits_already_decayed(memory: graphmem.Memory) -> None:
    """Dropped from the due index, it would never be looked at again."""
    for k in range(30):
        memory.remember(f"Chatter {k} went on and on.")
    empty_focus(memory)
    for _ in range(120):
        memory.sweep(0)
    report = memory.sweep(0)
    assert (report.examined, report.forgotten) == (0, 0)
    assert report.waiting > 0
    assert report.passes == 121
    waiting = report.waiting
    whole = memory.sweep()
    assert whole.waiting == 0
    assert whole.examined >= waiting
    assert whole.shortened + whole.gists + whole.forgotten > 0
    assert memory.admin.check() == []


def test_a_sweep_in_slices_ends_where_one_sweep_ends() -> None:
    """Forgetting must depend on passes, not on how fast the machine is."""

    def after(seconds: float) -> list[tuple[int, Form, str]]:
        with graphmem.open(worker="none") as memory:
            for k in range(20):
                memory.remember(f"Note {k}. Wen paid {k * 37} euros to Karlsson. It was nice. Bye.")
            for _ in range(92):
                memory.sweep(seconds)
            memory.sweep()
            return [(node.id, node.form, node.text) for node in memory]

    assert after(30) == after(0)


def test_a_clock_that_jumps_changes_nothing() -> None:
    """A laptop that slept, or a clock set back, must not make a memory forget."""

    def life(clock: Any) -> list[tuple[int, str, int, int]]:
        with graphmem.open(worker="none", clock=clock) as memory:
            for k in range(8):
                memory.remember(f"Note {k}. {STORY}")
                memory.recall(f"note {k}")
                memory.admin.enrich()
                memory.sweep()
            for _ in range(50):
                memory.sweep()
            assert memory.admin.check() == []
            return [(n.id, n.text, n.version, n.uses) for n in memory]

    steady = datetime(2026, 5, 3, tzinfo=UTC)
    random = Random(3)

    def jumping() -> datetime:
        return steady + timedelta(days=random.uniform(-20_000, 300_000))

    assert life(jumping) == life(lambda: steady)


def test_a_sweep_goes_on_beside_writers_and_readers(memory: graphmem.Memory) -> None:
    """A node changed between its key being read and its turn must not be judged by its past."""
    for k in range(10):
        memory.remember(f"Note {k}. {STORY}")
    process: Any = rooms(memory).sweeper._process
    acts = iter([lambda: memory.forget(5), lambda: memory.pin(6), lambda: memory.used(7)] * 50)

    def disturbed(node: int, tally: Any, hold: Any = "sentences") -> None:
        act = next(acts, None)
        if act is not None:
            with suppress(UnknownNodeError):
                act()
        process(node, tally, hold)

    rooms(memory).sweeper._process = disturbed  # type: ignore[method-assign]
    for _ in range(60):
        memory.sweep()
    assert memory[6].form is Form.WHOLE
    assert memory.admin.check() == []
