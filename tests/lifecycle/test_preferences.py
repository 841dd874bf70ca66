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


@pytest.mark.parametrize(
    ("told", "what"),
    [
        (("I prefer green tea.", "I prefer green tea to coffee.", "I still prefer green tea."),
         "green tea"),
        (("I took the tram to work.", "Took the tram again.", "I'm taking the tram today."), "tram"),
        (("I use Anki for revision.", "I used Anki on the bus.", "Let's use Anki here too."), "anki"),
        (("I went with the corner table.", "We're having the corner table.",
          "Had the corner table with Bo."), "corner table"),
        (("我更喜欢绿茶。", "我又喝绿茶了。", "今天也喝绿茶。"), "绿茶"),
        (("Using Obsidian again.", "Still using Obsidian.", "I am using Obsidian."), "obsidian"),
        (("我用 Android Studio 编译。", "又用Android Studio调试了。", "还是用 Android Studio。"),
         "android studio"),
        (("我用 7zip 解压。", "又用 7zip 打包了。", "我还是用 7zip 压缩的。"), "7zip"),
        (("我买了T恤。", "又买了T恤。", "还是买T恤。"), "T恤"),
        (("我坐地铁上班。", "我还是坐地铁上班。", "今天又坐地铁。"), "地铁"),
    ],
)  # fmt: skip
def test_what_is_taken_is_known_however_it_is_said(told: tuple[str, ...], what: str) -> None:
    """Who said "I prefer green tea" three times had no preference."""
    with graphmem.open(None, worker="none") as opened:
        for number, text in enumerate(told):
            opened.remember(text, session=str(number), speaker="Ana")
        assert [each.what for each in opened.review.preferences()] == [what]


def test_what_only_sounds_like_a_choice_is_none() -> None:
    """Of a woman who has friends and wants to help, "tell you" and "pass others" were preferred."""
    with graphmem.open(None, worker="none") as opened:
        for number in range(3):
            for text in (
                "I want to help others.", "I have you in my corner.", "We got to the park.",
                "I want to tell you about the park.", "Using it again.", "She is using Vim.",
            ):  # fmt: skip
                opened.remember(f"{text[:-1]} {number}.", session=str(number), speaker="Ana")
        assert opened.review.preferences() == []
