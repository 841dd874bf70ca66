"""A number is found however it is written."""

from datetime import UTC, datetime

import pytest

import graphmem
from graphmem.recalling import figures


@pytest.mark.parametrize(
    ("cue", "text"),
    [
        ("35万是什么？", "装修预算是三十五万。"),
        ("三十五万是什么？", "年终奖是35万。"),
        ("350,000是什么？", "装修预算是三十五万。"),
        ("450是什么？", "这台电视四百五。"),
        ("四百五是什么？", "这台电视450块。"),
        ("6321.5是什么？", "工资卡里还剩六千三百二十一块五。"),
        ("25000是什么？", "押金两万五。"),
        ("2.5万是什么？", "押金两万五千元。"),
        ("What is the 1200 for?", "The roof: 1,200 euros."),
        ("Wofür waren die 1,200?", "押金一千二。"),
    ],
)
def test_a_number_is_found_however_it_is_written(cue: str, text: str) -> None:
    """35万 did not bring back 三十五万, nor 6321.5 六千三百二十一块五."""
    with graphmem.open(worker="none", clock=lambda: datetime(2026, 5, 1, tzinfo=UTC)) as memory:
        memory.remember_many([text, "两块五一斤的苹果很甜。", "He has two cats.", "他家有三口人。"])
        assert memory.recall(cue, use=False)[0].text == text


def test_other_numbers_are_not_asked_for() -> None:
    """四百五 is no 四百零五, 35 is too common, and a way of which no memory holds all is none."""
    known = set("三十 十五 五万 四百 百五 零五 百零".split())
    asked = figures.written("35 405 350000", lambda word: word in known)
    assert set(asked) == {"三十", "十五", "五万", "四百", "百零", "零五"}
    assert asked["五万"] == pytest.approx(1 / 3)
    assert not figures.written("a 1234567890 b 12.13.14", lambda _: 1)


def test_of_many_numbers_the_first_are_looked_up() -> None:
    """A cue of 3,000 order numbers, each in six ways, took four times as long as without them."""
    looked_up: list[str] = []

    def frequency(word: str) -> int:
        looked_up.append(word)
        return 0

    for cue in (
        ", ".join(map(str, range(10_000, 13_000))),
        "，".join(f"{n}万" for n in range(1, 3_000)),
        "Bestellung " * 9 + "四百五 " + " ".join(map(str, range(1_000, 4_000))),
    ):
        looked_up.clear()
        figures.written(cue, frequency)
        assert 64 <= len(looked_up) <= 64 * 8
