"""猫吃什么 brought back nothing: the index holds pairs of characters, and no text has 猫吃."""

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.recalling.characters import unknown

KNOWN = frozenset(("小明", "猫粮", "我爸", "提醒"))
TOLD = (
    "咪咪的猫粮换成三文鱼味了。",
    "我只喝龙井，茶叶放在书房的柜子里。",
    "降压药早饭前吃一片。",
    "今天中午跟同事吃了顿火锅。",
    "我爸看牙去的是城西瑞尔，智齿疼了半个月。",
    "下班路上堵了一个小时。",
)


@pytest.mark.parametrize(
    ("asked", "alone"),
    [
        (("猫吃",), "猫吃"),
        (("药", "吃"), "药吃"),
        (("我家", "家的", "的猫", "猫吃"), "家猫吃"),
        (("我爸", "爸牙", "牙疼", "疼去"), "爸牙疼去"),
        (("小明", "明的", "的猫"), "猫"),  # it stands alone, though most of the cue is known
        (("小明", "明提", "提醒", "醒猫"), ""),  # what is known of it answers it
        (("小明", "明的", "的猫", "猫粮"), ""),
        (("cat", "0917"), ""),
        ((), ""),
    ],
)
def test_characters_are_asked_that_no_known_pair_holds(asked: tuple[str, ...], alone: str) -> None:
    assert "".join(unknown(asked, lambda word: word in KNOWN)) == alone


@pytest.mark.parametrize(
    ("cue", "answer"), [("猫吃什么", 1), ("茶喝哪种", 2), ("药几点吃", 3), ("我爸牙疼去哪家", 5)]
)
@pytest.mark.parametrize("folded", [False, True])
def test_a_word_of_one_character_is_answered(cue: str, answer: int, folded: bool) -> None:
    with graphmem.open(None, worker="none") as memory:
        for text in TOLD:
            memory.remember(text)
        if folded:
            rooms(memory).words.fold()
        assert memory.recall(cue, use=False)[0].id == answer


def test_a_verb_is_said_of_anything() -> None:
    found = unknown(("猫吃",), lambda word: 0)
    assert found["猫"] > found["吃"] > 0.0


@pytest.mark.parametrize("cue", ["飞机票多少", "What does the cat eat?"])
def test_a_cue_of_which_no_character_is_known_brings_back_nothing(cue: str) -> None:
    with graphmem.open(None, worker="none") as memory:
        for text in TOLD:
            memory.remember(text)
        assert not memory.recall(cue, use=False)
