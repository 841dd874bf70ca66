"""Who and what the page shows as nodes of their own: names that a person would give, no words."""

from collections.abc import Iterator

import pytest

import graphmem
from graphmem.interfaces.view.people import rows_and_names


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(None, worker="none") as memory:
        for text, speaker in (
            ("Tomasz repaired the pump.", "Lena"),
            ("Yesterday Tomasz was in Frankfurt.", "Lena"),
            ("I think Tomasz likes the Annex.", None),
            ("Rent is due on Friday.", None),
            ("Rent is high.", None),
            ("Rent went up.", None),
            ("Annexes are cold.", None),
            ("小陈在修水泵。", "林青"),
            ("今天小陈说水泵好了。", None),
            ("我跟小陈看照片。", None),
            ("照片洗好了。", None),
            ("照片在抽屉里。", None),
            ("孙伟带了蛋糕。", None),
            ("孙伟带我们去爬山。", None),
            ("周六孙伟带孩子们去爬山，孙伟带了望远镜。", None),
        ):
            memory.remember(text, speaker=speaker, happened="2026-03-04")
        yield memory


def test_speakers_and_names_that_recur(memory: graphmem.Memory) -> None:
    found = {each["name"]: each for each in rows_and_names(memory)["names"]}
    assert set(found) == {"Tomasz", "Lena", "小陈", "林青", "孙伟"}
    assert {name for name in found if not found[name]["person"]} == {"Tomasz"}
    assert found["Tomasz"] == {
        "name": "Tomasz", "also": [], "person": False, "spoken": [], "named": [1, 2, 3],
    }  # fmt: skip
    assert found["Lena"]["spoken"] == [1, 2]
    assert found["小陈"]["named"] == [8, 9, 10]


def test_rows_say_who_and_when(memory: graphmem.Memory) -> None:
    memory.pin(2)
    rows = rows_and_names(memory)["rows"]
    assert [row[0] for row in rows] == [node.id for node in memory.nodes()]
    assert rows[1][:3] == [2, "Lena", "2026-03-04"]
    assert [row[0] for row in rows if row[5]] == [2]


def test_facts_relate_what_they_name(memory: graphmem.Memory) -> None:
    memory.graph.facts.put("ex:Tomasz", "ex:works_at", "Vechtmond")
    memory.graph.facts.put(memory[1], "ex:source", "mail")  # of a memory, not of a thing
    found = rows_and_names(memory)
    names = [each["name"] for each in found["names"]]
    ((one, relation, other),) = found["relations"]
    assert (names[one], relation, names[other]) == ("Tomasz", "works_at", "Vechtmond")
    assert "mail" not in names


def test_a_name_for_short_is_no_other_person() -> None:
    with graphmem.open(None, worker="none") as memory:
        for text, speaker in (
            ("I am away.", "Jolyon Dunn"), ("Ask Jolyon.", None), ("我出门了。", "沈知夏"),
            ("知夏回来了。", None), ("Hello.", "Ann Lee"), ("Hi.", "Ann Moor"), ("Ann called.", None),
            ("Good day.", "Mr Feeney"), ("Mr Bull called.", None),
        ):  # fmt: skip
            memory.remember(text, speaker=speaker)
        found = {each["name"]: each["named"] for each in rows_and_names(memory)["names"]}
    assert found == {
        "Jolyon Dunn": [2],
        "沈知夏": [4],
        "Ann Lee": [],
        "Ann Moor": [],
        "Mr Feeney": [],
    }


def test_who_speaks_by_a_part_of_a_name_too_is_one_person() -> None:
    """ "Yuki" and "Yuki Tanabe" stood beside each other as if they were two."""
    with graphmem.open(None, worker="none") as memory:
        for text, speaker in (
            ("I am away.", "Yuki Tanabe"), ("I am back.", "Yuki"), ("Hello.", "Ann Lee"),
            ("Hi.", "Ann Moor"), ("Good day.", "Ann"), ("Ask Yuki.", "Moor"),
        ):  # fmt: skip
            memory.remember(text, speaker=speaker)
        memory.graph.facts.put("ex:Yuki", "ex:knows", "Ann")
        answer = rows_and_names(memory)
    found = {each["name"]: each for each in answer["names"]}
    assert set(found) == {"Yuki Tanabe", "Ann Lee", "Ann Moor", "Ann"}
    assert found["Yuki Tanabe"] == {
        "name": "Yuki Tanabe", "also": ["Yuki"], "person": True, "spoken": [1, 2], "named": [6],
    }  # fmt: skip
    assert found["Ann Moor"]["also"] == ["Moor"]
    ((one, _, other),) = answer["relations"]
    names = [each["name"] for each in answer["names"]]
    assert (names[one], names[other]) == ("Yuki Tanabe", "Ann")
