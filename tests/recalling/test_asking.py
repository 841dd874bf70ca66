"""Prevents: a question for what holds now is answered with what held before, or with an event."""

import pytest

from graphmem.recalling.asking import asked, asked_type, asks_for_value


def test_a_cue_says_which_of_them_it_wants() -> None:
    assert asked("Where does Rui live now?") == asked("Rui 住在哪") == "now"
    assert asked("Where did Rui use to live before?") == asked("林青以前住哪") == "before"
    assert asked("Wo hat Rui früher gewohnt?") == asked("Where was he previously?") == "before"
    assert asked("Where did Rui originally live?") == asked("最初住哪") == "first"


def test_a_time_of_day_and_a_first_aider_are_no_earlier_values() -> None:
    assert asked("Which alarm rings before four in the morning?") == "now"
    assert asked("What was the limit before 85?") == "before"
    assert asked("旧货群的群主是谁？") == asked("晚上十点之前谁值班？") == "now"
    assert asked("旧的密码是什么？") == asked("改投之前在哪家？") == "before"
    assert asks_for_value("Who is first aider on floor 2?", "now", is_dated=False)
    assert asks_for_value("电梯现在装到哪一步了？", "now", is_dated=False)
    assert asks_for_value("With whom was the van insured before?", "before", is_dated=False)
    assert not asks_for_value("Which two causes did we first suspect?", "first", is_dated=False)
    assert not asks_for_value("小雨以前住过哪两个城市？", "before", is_dated=False)


@pytest.mark.parametrize(
    ("cue", "wanted"),
    [
        ("How much does the ferry cost?", "money"),
        ("轮渡多少钱？", "money"),
        ("What time does the ferry leave?", "time"),
        ("轮渡几点开？", "time"),
        ("Who steers the ferry?", "person"),
        ("谁开轮渡？", "person"),
        ("Where does the ferry land?", "place"),
        ("轮渡停在哪里？", "place"),
        ("How many cars fit?", "number"),
        ("轮渡能装几台车？", "number"),
        ("What colour is the ferry?", ""),
    ],
)
def test_the_type_of_value_that_a_cue_asks_for(cue: str, wanted: str) -> None:
    assert asked_type(cue) == wanted


@pytest.mark.parametrize(
    ("cue", "expected"),
    [
        ("Do I still drink coffee?", True),
        ("Is Petra the lead?", True),
        ("我还喝咖啡吗？", True),
        ("Is there a bakery?", False),
        ("What do we know about Mr Sun?", False),
        ("Whose chair squeaked, he asked in his letter?", False),
        ("What did the boiler end up costing?", True),
        ("分店的事最后定了没有，在哪儿？", True),
        ("What did the boiler cost?", False),
        ("报价先后是多少，最后多少钱成交？", False),
    ],
)
def test_whether_it_is_so_and_what_came_of_it_ask_for_a_value(cue: str, expected: bool) -> None:
    assert asks_for_value(cue, "now", False) is expected
