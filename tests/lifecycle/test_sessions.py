"""What is worthless after its session can end with it, and only where the user wants that.

Without this a year of chat is mostly "be right back"; done wrongly, it deletes what was needed.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import graphmem
from graphmem.errors import ArgumentTypeError, ForgottenError, InvalidArgumentError
from tests.clock import Clock

START = datetime(2026, 5, 1, 9, tzinfo=UTC)
PASSING = "Be right back, lunch."
LASTING = "I'm allergic to penicillin."


@pytest.fixture
def memory(clock: Clock) -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none", clock=clock, ephemera="expire") as opened:
        yield opened


def test_a_session_takes_what_is_ephemeral_with_it(memory: graphmem.Memory) -> None:
    (gone,) = memory.remember(PASSING, session="a")
    (kept,) = memory.remember(LASTING, session="a")
    (other,) = memory.remember("待会儿回来", session="b")
    assert memory.admin.end_session("a") == 1
    assert gone not in memory
    assert kept in memory
    assert other in memory
    memory.sweep()
    assert [(f.id, f.why) for f in memory.history.forgotten()] == [(gone.id, "expired")]
    assert memory.admin.end_session("a") == 0
    back = memory.history.revive(gone)
    assert back.expires is None
    assert memory.admin.check() == []


def test_a_session_that_nobody_ends_does_so_a_day_after_its_last_turn(
    memory: graphmem.Memory, clock: Clock
) -> None:
    (node,) = memory.remember(PASSING, session="a")
    (alone,) = memory.remember(PASSING)
    assert node.expires == START + timedelta(hours=24)
    clock.now += timedelta(hours=10)
    memory.remember(LASTING, session="a")
    assert memory[node].expires == START + timedelta(hours=34)
    clock.now += timedelta(hours=20)
    assert node in memory
    assert alone not in memory
    clock.now += timedelta(hours=4)
    with pytest.raises(ForgottenError):
        memory[node]


def test_a_turn_that_was_taken_back_puts_nothing_off_and_the_next_one_does(
    memory: graphmem.Memory, clock: Clock
) -> None:
    """For a quarter of an hour no turn counted any more, and the session ended under its user."""
    (node,) = memory.remember(PASSING, session="a")
    clock.now += timedelta(hours=10)
    with suppress(LookupError), memory.transaction():
        memory.remember(LASTING, session="a")
        raise LookupError
    assert len(memory) == 1
    assert memory[node].expires == START + timedelta(hours=24)
    clock.now += timedelta(minutes=1)
    memory.remember(LASTING, session="a")
    assert memory[node].expires == START + timedelta(hours=34, minutes=1)


def test_the_first_use_lifts_the_end(memory: graphmem.Memory) -> None:
    (node,) = memory.remember(PASSING, session="a")
    memory.used(node)
    assert memory[node].expires is None
    assert memory.admin.end_session("a") == 0
    assert node in memory


@pytest.mark.parametrize(
    "given",
    [
        {"pin": True},
        {"about": graphmem.About(keep=True)},
        {"about": graphmem.About(kind="personal long-term")},
        {"expires": 1e6},
    ],
)
def test_what_a_caller_says_is_stronger(memory: graphmem.Memory, given: dict[str, Any]) -> None:
    (node,) = memory.remember(PASSING, session="a", **given)
    assert memory.admin.end_session("a") == 0
    assert node in memory


def test_what_is_said_twice_is_no_use(memory: graphmem.Memory) -> None:
    (node,) = memory.remember(PASSING, session="a")
    (again,) = memory.remember(PASSING, session="a")
    assert again.id == node.id
    assert memory.admin.end_session("a") == 1


def test_by_default_nothing_ends(clock: Clock) -> None:
    with graphmem.open(worker="none", clock=clock) as memory:
        (node,) = memory.remember(PASSING, session="a")
        assert node.expires is None
        assert memory.admin.end_session("a") == 0
        with pytest.raises(InvalidArgumentError):
            memory.admin.end_session(" ")
        with pytest.raises(ArgumentTypeError):
            memory.admin.end_session(3)  # type: ignore[arg-type]


def test_ephemera_can_be_refused_and_that_is_told() -> None:
    with graphmem.open(worker="none", ephemera="refuse") as memory:
        told = memory.remember(PASSING)
        assert (told.nodes, told.refused) == ((), True)
        assert not memory.remember(LASTING).refused
        assert len(memory.remember(PASSING, about=graphmem.About(keep=True))) == 1
        several = memory.remember_many([PASSING, "We chose Kafka for the event bus.", "Thanks!"])
        assert [len(written) for written in several] == [0, 1, 0]
        assert len(memory) == 3
        (node,) = memory.nodes(words="Kafka")
        assert len(memory.correct(node, "Thanks!")) == 1


STANDING = [
    "I've gone off coffee completely, I drink rooibos now.",
    "Could you keep in mind that I don't take calls before ten?",
    "I'm learning Spanish now.",
    "We sold the Skoda.",
    "I drink my coffee black.",
    "我换手机号了。",
    "咖啡戒了，现在只喝绿茶。",
    "今天开始我戒烟了。",
]


@pytest.mark.parametrize("said", STANDING)
def test_what_stands_does_not_end_with_its_session(said: str) -> None:
    """What had changed for good was deleted after two days, and "refuse" stored none of it."""
    with graphmem.open(worker="none", ephemera="refuse") as memory:
        assert not memory.remember(said, session="a").refused
    with graphmem.open(worker="none", ephemera="expire") as memory:
        (node,) = memory.remember(said, session="a")
        assert node.expires is None
        assert memory.admin.end_session("a") == 0


def test_a_caller_may_say_that_it_passes(memory: graphmem.Memory) -> None:
    """The doubt is about what the rules judge, not about what a caller knows."""
    (node,) = memory.remember(STANDING[0], session="a", about=graphmem.About(kind="session"))
    assert node.expires is not None


EXCHANGES = [
    ("Would you give the talk in Leipzig?", "sure, happy to", "Be right back, lunch."),
    ("Soll ich das Spotify-Abo kündigen?", "ja bitte", "Bin gleich wieder da."),
    ("要不要把音乐会员退掉？", "退吧", "待会儿回来"),
]


@pytest.mark.parametrize(("asked", "reply", "chatter"), EXCHANGES)
def test_a_reply_stays_with_its_question(
    memory: graphmem.Memory, clock: Clock, asked: str, reply: str, chatter: str
) -> None:
    """What two people had agreed on was gone a day later."""
    (question,) = memory.remember(asked, speaker="assistant", session="a")
    (node,) = memory.remember(reply, speaker="Ada", session="a")
    (gone,) = memory.remember(chatter, speaker="Ben", session="a")
    assert memory[question].expires is memory[node].expires is None
    assert memory.admin.end_session("a") == 1
    clock.now += timedelta(days=3)
    memory.sweep()
    assert {n.id for n in memory.nodes()} == {question.id, node.id} != {gone.id}


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("The roof man can come in May for 2,300. Should I book him?", "ok, go for it"),
        ("Der Dachdecker könnte im Mai für 2.300 kommen. Soll ich ihn nehmen?", "ja bitte"),
        ("修屋顶的师傅五月能来，要两千三。要不要定他？", "好的，定吧。"),
    ],
)
def test_a_reply_to_what_is_there_is_not_refused(asked: str, reply: str) -> None:
    turns = [
        {"role": "assistant", "content": asked},
        {"role": "user", "content": reply},
        {"role": "assistant", "content": "ok"},
    ]
    with graphmem.open(worker="none", ephemera="refuse") as memory:
        assert [n.text for n in memory.remember(messages=turns, session="a")] == [asked, reply]
        assert memory.remember(reply, speaker="Ada", session="b").refused
        memory.remember(asked, speaker="Ben", session="b")
        assert not memory.remember(reply, speaker="Ada", session="b").refused


def test_a_caller_may_say_that_a_reply_passes(memory: graphmem.Memory) -> None:
    memory.remember(EXCHANGES[0][0], speaker="Ben", session="a")
    given = graphmem.About(kind="session")
    (node,) = memory.remember(EXCHANGES[0][1], speaker="Ada", session="a", about=given)
    assert node.expires is not None
    assert memory[node].expires is not None
