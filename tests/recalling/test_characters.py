"""猫吃什么 brought back nothing: the index holds pairs of characters, and no text has 猫吃."""

from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

import graphmem
from graphmem import Where
from graphmem.api.opening import rooms
from graphmem.index.words import index, records
from graphmem.runtime import open_scope

TOLD: Final = (
    "咪咪的猫粮换成三文鱼味了。",
    "我只喝龙井，茶叶放在书房的柜子里。",
    "降压药早饭前吃一片。",
    "今天中午跟同事吃了顿火锅。",
    "我爸看牙去的是城西瑞尔，智齿疼了半个月。",
    "下班路上堵了一个小时。",
)


@pytest.mark.parametrize(
    ("cue", "answer"),
    [("猫吃什么", 1), ("茶喝哪种", 2), ("药几点吃", 3), ("我爸牙疼去哪家", 5), ("家里有没有猫", 1)],
)
@pytest.mark.parametrize("folded", [False, True])
def test_a_word_of_one_character_is_answered(cue: str, answer: int, folded: bool) -> None:
    with graphmem.open(None, worker="none") as memory:
        for text in TOLD:
            memory.remember(text)
        if folded:
            rooms(memory).words.fold()
        assert memory.recall(cue, use=False)[0].id == answer


@pytest.mark.parametrize("cue", ["飞机票多少", "What does the cat eat?"])
def test_a_cue_of_which_no_character_is_known_brings_back_nothing(cue: str) -> None:
    with graphmem.open(None, worker="none") as memory:
        for text in TOLD:
            memory.remember(text)
        assert not memory.recall(cue, use=False)


WRITTEN: Final = (
    ("蘇偉傑", "我對蝦過敏，聚餐別點海鮮。"),
    ("蘇偉傑", "車鑰匙放在門口的鞋櫃裡。"),
    ("叶丽华", "我在图书馆当管理员。"),
    ("Jonas", "🎂 Saturday at Mia's!"),
    ("Jonas", "Am Freitag kommt der Klempner 🔧"),
)
"""A speaker and what they wrote, in traditional and simplified characters."""


def _written(memory: graphmem.Memory) -> None:
    for speaker, text in WRITTEN:
        memory.remember(text, speaker=speaker)
    for text in TOLD:
        memory.remember(text, speaker="老周")


@pytest.mark.parametrize("folded", [False, True])
@pytest.mark.parametrize(
    ("cue", "answer"),
    [
        ("苏伟杰对什么过敏？", 1),
        ("蘇偉傑對什麼過敏？", 1),
        ("车钥匙放在哪里", 2),
        ("葉麗華在圖書館做什麼？", 3),
        ("🎂", 4),
        ("When is the 🎂?", 4),
        ("🔧 wann", 5),
    ],
)
def test_what_is_written_in_other_characters_is_found(cue: str, answer: int, folded: bool) -> None:
    """Of twelve questions in simplified characters three found the traditional text that answers
    them."""
    with graphmem.open(None, worker="none") as memory:
        _written(memory)
        if folded:
            rooms(memory).words.fold()
        found = memory.recall(cue, use=False, trace=True)
        assert (found[0].speaker, found[0].text) == WRITTEN[answer - 1]
        assert found.cue == cue
        assert found.trace is not None
        assert found.trace.cue == cue


@pytest.mark.parametrize(("name", "other"), [("苏伟杰", "蘇偉傑"), ("葉麗華", "叶丽华")])
def test_a_name_is_the_same_in_other_characters(name: str, other: str) -> None:
    with graphmem.open(None, worker="none") as memory:
        _written(memory)
        told = memory.themes.about(name).text
        assert told
        assert told == memory.themes.about(other).text
        assert {h.speaker for h in memory.recall("", where=Where(speaker=name), use=False)} == {
            other
        }
        assert memory.context(f"{name}怎么样？", tokens=300).text


def test_signs_of_ordinary_texts_are_in_no_index() -> None:
    with graphmem.open(None, worker="none") as memory:
        memory.remember("• 25 °C → hot, © 2026")
        assert not memory.recall("°", use=False)


def test_what_an_older_version_has_folded_is_found_in_simplified_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chunks hold its traditional words, which have to go with the text."""
    folder = tmp_path / "m"
    with monkeypatch.context() as older:
        older.setattr("graphmem_worker.text.words.simplified", lambda text: text)
        older.setattr("graphmem.graph.records.signs", lambda _: [])
        for module in (index, open_scope):
            older.setattr(module, "ANALYSER_VERSION", 3)
        with graphmem.open(folder, worker="none") as memory:
            _written(memory)
            rooms(memory).words.fold()
            memory.remember("門鎖的電池換過了。")
    with graphmem.open(folder, worker="none", read_only=True) as memory:
        assert memory.admin.check() == []
        assert [hit.id for hit in memory.recall("门锁", use=False)] == [12]  # it is not folded
    with graphmem.open(folder, worker="none") as memory:
        assert memory.admin.check() == []
        found = [memory.recall(cue, use=False)[0].id for cue in ("虾过敏", "🎂", "门锁电池")]
        assert found == [1, 4, 12]
        rooms(memory).words.fold()
        assert memory.admin.check() == []
        memory.forget(*range(1, 13), erase=True)
        rooms(memory).words.fold()
        assert memory.admin.check() == []
        assert rooms(memory).words.frequency("對蝦") == 0


def test_what_an_older_version_has_folded_is_found_by_what_it_tells_of_its_speaker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The counter of words would be wrong for good, and below zero once all is forgotten."""
    folder = tmp_path / "m"
    with monkeypatch.context() as older:
        older.setattr("graphmem_worker.text.markers.markers", lambda _: [])
        for module in (index, open_scope):
            older.setattr(module, "ANALYSER_VERSION", 2)
        with graphmem.open(folder, worker="none") as memory:
            memory.remember("I'm 41 now.", speaker="user")
            rooms(memory).words.fold()
            memory.remember("I live in Ghent.", speaker="user")
    with graphmem.open(folder, worker="none", read_only=True) as memory:
        assert memory.admin.check() == []
    with graphmem.open(folder, worker="none") as memory:
        assert memory.admin.check() == []
        assert [hit.id for hit in memory.recall("How old am I?", use=False)] == [1]
        memory.forget(1, 2, erase=True)
        assert memory.admin.check() == []
        assert not memory.recall("How old am I?", use=False)


def test_what_an_older_version_has_folded_is_found_by_its_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """小猫 was not found by 猫: only pairs that begin with it were looked up. Where the index may
    not be renewed, nothing said that it finds less."""
    folder = tmp_path / "m"
    with monkeypatch.context() as older:
        older.setattr(records, "characters", lambda _: Counter())
        for module in (index, open_scope):
            older.setattr(module, "ANALYSER_VERSION", 1)
        with graphmem.open(folder, worker="none") as memory:
            for text in (*TOLD, "家里有一只小猫。", "Tea at ten."):
                memory.remember(text)
            rooms(memory).words.fold()
            memory.remember("又来了一只小猫。")

    def found(*, read_only: bool = False) -> list[int]:
        with graphmem.open(folder, worker="none", read_only=read_only) as memory:
            assert not memory.admin.check()
            hits = memory.recall("猫", use=False)
            found = sorted(hit.id for hit in hits)
            assert any("older version" in note for note in hits.notes) is (found != [1, 7, 9])
            return found

    assert found(read_only=True) == [9]  # it is not folded
    renewed = index.WordIndex._renew

    def cut_short(self: Any, tx: Any, node: int, *rest: Any) -> None:
        if node == 3:
            raise KeyboardInterrupt
        renewed(self, tx, node, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(index, "_FOLD_DOCUMENTS", 2)
        patch.setattr(index.WordIndex, "_renew", cut_short)
        with pytest.raises(KeyboardInterrupt):
            graphmem.open(folder, worker="none")
    assert found(read_only=True) == [1, 9]  # some of them entered
    assert found() == [1, 7, 9] == found(read_only=True)
