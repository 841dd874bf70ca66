"""Prevents: a patient's medicine is told as "no longer so" because somebody else takes it too.

`recall("May grandpa have aspirin?")` marked "Grandpa is on warfarin", for "Dad is on warfarin" had
been told nine days later; `conflicts()` proposed to keep Dad's, and cleaning listed Grandpa's.
"""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmem
from graphmem_worker.claims.superseding import superseding

_MARKS = ("no longer so", "已失效")


def _opened(clock: list[datetime]) -> graphmem.Memory:
    return graphmem.open(
        worker="none", clock=lambda: clock[0], tuning=graphmem.Tuning(conflict_patience=60.0)
    )


def _told(memory: graphmem.Memory, clock: list[datetime], *texts: str) -> list[int]:
    ids = []
    for text in texts:
        ids.append(memory.remember(text)[0].id)
        clock[0] += timedelta(days=9)
    return ids


APART = [
    (
        "Grandpa is on warfarin, so no aspirin or ibuprofen for him.",
        "Dad is on warfarin, so nothing with lots of spinach.",
        "May grandpa have aspirin?",
    ),
    (
        "Mum injects insulin before breakfast.",
        "Aunt Rosa stopped insulin last week.",
        "When does mum inject insulin?",
    ),
    (
        "Nora takes blood thinners, so no ibuprofen for Nora.",
        "Ben no longer takes blood thinners.",
        "Does Nora take blood thinners?",
    ),
    ("Lena is on a gluten-free diet.", "Tom is on a low-salt diet now.", "Which diet is Lena on?"),
    (
        "Ines works the night shift on Thursdays.",
        "Pedro switched to the night shift on Fridays.",
        "Which shift does Ines work?",
    ),
    (
        "Emil runs the bakery with her.",
        "Anna runs the bakery with her now.",
        "What does Emil run?",
    ),
    (
        "The shopping festival lasts three weeks.",
        "The trip now lasts nine days.",
        "How long does the shopping festival last?",
    ),
    (
        "爷爷在吃华法林，不能吃阿司匹林。",
        "爸爸在吃华法林，少吃菠菜。",
        "爷爷能吃阿司匹林吗？",
    ),
    ("妈妈早饭前打胰岛素。", "姑姑上周停了胰岛素。", "妈妈什么时候打胰岛素？"),
    ("小莲吃无麸质饮食。", "小宝改成低盐饮食了。", "小莲是什么饮食？"),
    ("陈姐周四上夜班。", "老王改上周五的夜班了。", "陈姐哪天上夜班？"),
    ("购物节持续三个星期。", "旅行改成九天了。", "购物节持续多久？"),
    # Another one of a kind, by the word before it.
    ("Mr Haddad is on lithium.", "Mrs Haddad has stopped lithium.", "Is Mr Haddad on lithium?"),
    (
        "The morning dose of levodopa is 100 mg.",
        "The evening dose of levodopa is now 150 mg.",
        "How much is the morning dose of levodopa?",
    ),
    (
        "The upper valve opens at 4 bar.",
        "The lower valve opens at 9 bar now.",
        "At what pressure does the upper valve open?",
    ),
    (
        "Joao owns the login service.",
        "Joao took over the billing service.",
        "Who owns the login service?",
    ),
    ("左边的阀门是四号的。", "右边的阀门现在是九号的。", "左边的阀门是几号的？"),
    (
        "Der obere Tank fasst 80 Liter.",
        "Der untere Tank fasst jetzt 60 Liter.",
        "Wie viel fasst der obere Tank?",
    ),
    ("Room 3 costs 80 euros a night.", "Room 8 costs 95 euros a night.", "What does room 3 cost?"),
    (
        "Order A1001 shipped, postage 12 euros.",
        "Order B2002 shipped, postage 18 euros.",
        "What is the postage of order A1001?",
    ),
    ("Zimmer 3 kostet 80 Euro.", "Zimmer 8 kostet 95 Euro.", "Was kostet Zimmer 3?"),
    ("订单1001已发货，运费12元。", "订单1002已发货，运费18元。", "订单1001运费多少？"),
    ("工单13的费用是80元。", "工单15的费用是95元。", "工单13的费用是多少？"),
    ("INC-32 升级到 2.1 后恢复。", "INC-33 升级到 2.3 后恢复。", "INC-32 怎么恢复的？"),
]


@pytest.mark.parametrize(("first", "second", "cue"), APART)
def test_what_holds_of_one_is_not_over_for_what_is_told_of_another(
    first: str, second: str, cue: str
) -> None:
    clock = [datetime(2026, 1, 5, tzinfo=UTC)]
    with _opened(clock) as memory:
        one, _ = _told(memory, clock, first, second)
        found = memory.recall(cue, tokens=200, use=False)
        assert found[0].id == one
        assert not any(mark in found.text for mark in _MARKS)
        assert not any(hit.earlier for hit in found)
        assert all(each.proposal is None for each in memory.review.conflicts())
        assert not memory.review.candidates("conflicting")


SAME = [
    ("Grandpa is on warfarin.", "Grandpa's warfarin was stopped.", "Is grandpa on warfarin?"),
    ("Dad takes 5 mg of warfarin.", "Dad's warfarin is now 10 mg.", "How much warfarin for dad?"),
    ("爷爷在吃华法林。", "爷爷的华法林停了。", "爷爷在吃华法林吗？"),
    ("爷爷每天吃5毫克华法林。", "爷爷的华法林改成10毫克了。", "爷爷吃多少华法林？"),
]


@pytest.mark.parametrize(("first", "second", "cue"), SAME)
def test_what_is_stopped_or_changed_in_words_is_marked(first: str, second: str, cue: str) -> None:
    clock = [datetime(2026, 1, 5, tzinfo=UTC)]
    with _opened(clock) as memory:
        one, other = _told(memory, clock, first, second)
        found = memory.recall(cue, tokens=200, use=False)
        assert found[0].id == other
        assert one in found[0].earlier
        assert [each.proposal for each in memory.review.conflicts()] == [other]
        assert [c.node for c in memory.review.candidates("conflicting")] == [one]


@pytest.mark.parametrize(
    ("first", "second", "cue"),
    [
        (
            "Grandpa is on warfarin, so no aspirin or ibuprofen for him.",
            "Grandpa's warfarin was stopped; aspirin is fine again.",
            "May grandpa have aspirin?",
        ),
        ("爷爷在吃华法林，不能吃阿司匹林。", "爷爷的华法林停了。", "爷爷在吃华法林吗？"),
    ],
)
def test_what_tells_more_than_is_stopped_is_told_behind_and_not_marked(
    first: str, second: str, cue: str
) -> None:
    clock = [datetime(2026, 1, 5, tzinfo=UTC)]
    with _opened(clock) as memory:
        one, other = _told(memory, clock, first, second)
        found = memory.recall(cue, tokens=200, use=False)
        assert found[0].id == other
        assert one in found.included
        assert not found[0].earlier
        assert [each.proposal for each in memory.review.conflicts()] == [None]
        assert not memory.review.candidates("conflicting")


_PEOPLE = "Nora Ben Lena Tom Ines Pedro Anna Emil".split()
_KIN = "My_dad My_mum My_sister My_brother My_grandpa My_aunt Grandma".replace("_", "\x00").split()
_HAN_PEOPLE = "小莲 小宝 老王 老李 陈姐 周叔 爸爸 妈妈 爷爷 奶奶 我姐姐 我弟弟".split()
_THINGS = {
    "en": [
        ("{} takes 5 mg of warfarin.", "{} now takes 10 mg of warfarin."),
        ("{} is on insulin.", "{} stopped insulin."),
        ("{} eats no nuts.", "{} eats nuts again."),
        ("{} is vegetarian.", "{} is no longer vegetarian."),
        ("{} works the night shift.", "{} switched to the day shift."),
        ("{} is in room 12.", "{} moved to room 14."),
        ("{} lives in Porto.", "{} moved to Leeds."),
        ("{} leads the harbour project.", "{} no longer leads the harbour project."),
    ],
    "zh": [
        ("{}每天吃5毫克华法林。", "{}的华法林改成10毫克了。"),
        ("{}在打胰岛素。", "{}停了胰岛素。"),
        ("{}吃素。", "{}不吃素了。"),
        ("{}上夜班。", "{}调到白班了。"),
        ("{}住12号房。", "{}搬到14号房了。"),
        ("{}住在杭州。", "{}搬到成都了。"),
        ("{}负责港口项目。", "{}不负责港口项目了。"),
    ],
}


@given(st.data())
def test_two_sentences_that_differ_in_the_person_never_supersede_each_other(
    data: st.DataObject,
) -> None:
    language = data.draw(st.sampled_from(("en", "zh")))
    people = [*_PEOPLE, *_KIN] if language == "en" else _HAN_PEOPLE
    one, other = data.draw(st.permutations(people))[:2]
    older, newer = data.draw(st.sampled_from(_THINGS[language]))
    speaker = data.draw(st.sampled_from((None, "Mia")))
    first = older.format(one).replace("\x00", " ")
    second = newer.format(other).replace("\x00", " ")
    for texts in ((first, second), (second, first), (first, older.format(other))):
        found = superseding((texts[0],), (texts[1].replace("\x00", " "),), (speaker, speaker))
        assert found is None or not found.is_sure


@given(st.data())
def test_the_same_person_and_thing_does(data: st.DataObject) -> None:
    """Else the property above would hold of a reader that reads nothing."""
    language = data.draw(st.sampled_from(("en", "zh")))
    person = data.draw(st.sampled_from(_PEOPLE[:4] if language == "en" else _HAN_PEOPLE[:4]))
    older, newer = _THINGS[language][data.draw(st.sampled_from((0, 1)))]
    found = superseding((older.format(person),), (newer.format(person),))
    assert found is not None
    assert found.is_sure


def test_each_memory_is_told_once() -> None:
    """What may tell another value and is below the floor of hits stood in the text twice."""
    with graphmem.open(None, worker="none") as memory:
        grandpa = "Grandpa is on warfarin, so no aspirin or ibuprofen for him."
        dad = "Dad is on warfarin, so nothing with lots of spinach."
        memory.remember(grandpa, happened="2026-01-05")
        memory.remember(dad, happened="2026-01-14")
        told = memory.recall("May grandpa have aspirin?", tokens=200, use=False).text
    assert told.splitlines() == [
            f"[2026-01-05] {grandpa}", "(perhaps related)", f"[2026-01-14] {dad}",
        ]  # fmt: skip


OTHERS = [
    ("Jonas injects heparin.", "His aunt no longer injects heparin.", "Does Jonas inject heparin?"),
    ("Her aunt injects heparin.", "Jonas no longer injects heparin.", "Does her aunt inject heparin?"),
    ("Oma verträgt kein Gluten.", "Opa verträgt jetzt wieder Gluten.", "Verträgt Oma Gluten?"),
    ("Bosse nimmt Kortison.", "Merle nimmt kein Kortison mehr.", "Nimmt Bosse Kortison?"),
    ("Ulf verträgt kein Gluten.", "Ulfs Neffe verträgt jetzt Gluten.", "Verträgt Ulf Gluten?"),
    ("大舅吃安眠药。", "小舅不吃安眠药了。", "大舅吃安眠药吗？"),
    ("阿强吃安眠药。", "阿强的表弟不吃安眠药了。", "阿强吃安眠药吗？"),
    ("表妹吃安眠药。", "表弟不吃安眠药了。", "表妹吃安眠药吗？"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "other", "cue"), OTHERS)
def test_what_ended_for_another_is_not_lifted_over_whom_the_cue_names(
    asked: str, other: str, cue: str
) -> None:
    """That Grandma tolerates gluten again stood first, and alone, where Grandpa was asked for."""
    with graphmem.open(None, worker="none") as memory:
        memory.remember(asked, happened="2026-01-20", speaker="Kim")
        memory.remember("The bus was late. 公交车晚点了。", happened="2026-02-20", speaker="Kim")
        memory.remember(other, happened="2026-03-10", speaker="Kim")
        assert memory.recall(cue, use=False)[0].text == asked
        assert asked in memory.recall(cue, cut="strict", use=False).text


def test_what_ended_for_whom_the_cue_names_still_stands_first() -> None:
    """Else the rule above would hold where nothing new is told first."""
    with graphmem.open(None, worker="none") as memory:
        memory.remember("Jonas injects heparin every evening.", happened="2026-01-20")
        memory.remember("His aunt injects heparin.", happened="2026-02-20")
        over = memory.remember("Jonas no longer injects heparin.", happened="2026-03-10")[0]
        assert memory.recall("Does Jonas inject heparin?", use=False)[0].id == over.id
