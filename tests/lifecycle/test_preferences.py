"""What somebody does in every session is a preference, though nobody called it one."""

import pytest

import graphmem
from graphmem.errors import InvalidArgumentError


@pytest.fixture
def memory() -> graphmem.Memory:
    opened = graphmem.open(worker="none")
    for session, english, chinese in (
        ("1", "I had an oat latte this morning.", "我点了一杯燕麦拿铁。"),
        ("2", "I ordered the oat latte again.", "今天我又点了燕麦拿铁。"),
        ("3", "Then I took an oat latte, thanks.", "我要了燕麦拿铁和面包。"),
    ):
        opened.remember(english, session=session, speaker="Ana")
        opened.remember(chinese, session=session, speaker="李雷")
        opened.remember("I had a cold.", session="1", speaker="Ana")
        opened.remember("I used the oat latte recipe.", session=session, speaker="assistant")
    return opened


def test_three_sessions_make_a_preference(memory: graphmem.Memory) -> None:
    found = {each.speaker: each for each in memory.review.preferences()}
    assert set(found) == {"Ana", "李雷"}
    ana = found["Ana"]
    assert (ana.what, ana.sessions) == ("oat latte", ("1", "2", "3"))
    assert [memory[node].speaker for node in ana.nodes] == ["Ana"] * 3
    assert (ana.kind.realm, ana.kind.source, ana.kind.level) == ("personal", "inferred", "inferred")
    assert "拿铁" in found["李雷"].what
    memory.close()


def test_two_sessions_do_not(memory: graphmem.Memory) -> None:
    assert memory.review.preferences(sessions=4) == []
    for node in memory.nodes(where=graphmem.Where(session="3")):
        memory.forget(node)
    assert memory.review.preferences() == []
    assert len(memory.review.preferences(sessions=2)) == 2
    with pytest.raises(InvalidArgumentError):
        memory.review.preferences(sessions=1)
    memory.close()
