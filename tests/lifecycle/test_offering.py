"""What `remember` offers to be replaced: what stands out, and next to nothing in talk."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final
from unittest.mock import Mock

import pytest

import graphmem
from graphmem.lifecycle import conflicts
from graphmem.lifecycle.offering import UNDATED, WEIGHTS, Candidate, features, likely
from graphmem.runtime import resolving as comparing

PLAIN: Final = Candidate(
    node=1, shared=8.0, words=4, sentences=1, asks=False, asked=False, is_of_other=False,
    is_apart=False, is_likely=False, states_change=False, contradicts=False, differs=False,
    days=UNDATED,
)  # fmt: skip
TALK: Final = {
    "en": (
        "Wow, that painting is gorgeous! The colours of the sunset are so vivid.",
        "Thanks! I painted the sunset after our hike, the colours just came to me.",
        "A hike sounds lovely. We went camping with the kids, they loved the forest.",
        "The kids must have had a blast! Camping in the forest makes such memories.",
        "They did. My daughter keeps painting the forest now, she has a real talent.",
        "That is so sweet. My own kids love painting too, especially sunsets.",
        "Painting together is such a lovely way to spend a rainy weekend with the kids.",
        "True! Last weekend it rained, so we painted the lake from our camping trip.",
        "The lake must look gorgeous. Your talent for colours really shows.",
        "Thank you, that means a lot. Let's go camping at the lake together!",
    ),
    "zh": (
        "你画的夕阳真好看，颜色特别鲜艳。",
        "谢谢！我是爬山回来画的夕阳，颜色是凭记忆调的。",
        "爬山听起来不错，我们上周带孩子去森林露营了。",
        "孩子们在森林里露营一定很开心吧，真是难忘的回忆。",
        "是啊，我女儿现在天天画森林，她很有画画的天分。",
        "真可爱。我家孩子也喜欢画画，尤其爱画夕阳。",
        "下雨的周末和孩子一起画画，真是很好的消遣。",
        "对，上周末下雨，我们就画了露营时看到的湖。",
    ),
}


@pytest.fixture(params=["en", "zh"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def memory() -> graphmem.Memory:
    return graphmem.open(worker="none", tuning=graphmem.Tuning(conflict_patience=60.0))


def test_in_talk_hardly_any_turn_is_said_to_replace_another(
    memory: graphmem.Memory, language: str
) -> None:
    """Turns share rare words with each other, and nearly each was offered three."""
    offered = 0
    for place, turn in enumerate(TALK[language]):
        written = memory.remember(turn, speaker=("Nina", "Omar")[place % 2])
        offered += bool(written.may_replace)
    assert offered <= 1


@pytest.mark.parametrize(
    ("older", "newer", "language"),
    [
        ("Felix works at Bosch.", "Felix works at Siemens these days.", "en"),
        ("The budget for the pond is 80 euros.", "The budget for the pond is 95.", "en"),
        ("池塘的预算是八十元。", "池塘的预算现在是九十五元。", "zh"),
    ],
    indirect=["language"],
)
def test_among_talk_the_predecessor_is_offered(
    memory: graphmem.Memory, older: str, newer: str, language: str
) -> None:
    (old,) = memory.remember(older)
    memory.remember_many(list(TALK[language]))
    assert [offer.id for offer in memory.remember(newer).may_replace] == [old.id]


@pytest.mark.parametrize(
    ("older", "newer", "rest", "language"),
    [
        ("The rent is 900 euros, heating is included.", "The rent went up to 950 euros.",
         ("heating is included",), "en"),
        ("Felix works at Bosch.", "Felix works at Siemens these days.", (), "en"),
        ("Die Miete ist 900 Euro, Heizung inklusive.", "Die Miete beträgt jetzt 950 Euro.",
         ("Heizung inklusive",), "en"),
        ("周会在周一，小林做纪要。", "周会改到周三了。", ("小林做纪要",), "zh"),
        ("池塘的预算是八十元。", "池塘的预算现在是九十五元。", (), "zh"),
    ],
    indirect=["language"],
)  # fmt: skip
def test_an_offer_says_what_else_the_older_one_tells(
    memory: graphmem.Memory, older: str, newer: str, rest: tuple[str, ...], language: str
) -> None:
    """Prevents: an agent replaces it, and nobody knows any more that heating is included."""
    memory.remember(older)
    memory.remember_many(list(TALK[language]))
    (offer,) = memory.remember(newer).may_replace
    assert offer.rest == rest


@pytest.mark.parametrize(
    ("older", "newer", "is_offered"),
    [
        ("Ruth's shoe size is 38.", "Colin's shoe size is 41.", False),
        ("Aunt Vera lives in Whitby now.", "Uncle Ned lives in Durham now.", False),
        ("My mum's piano lesson is on Tuesday.", "My dad's piano lesson is on Friday.", False),
        ("Ruths Schuhgröße ist 38.", "Torbens Schuhgröße ist 41.", False),
        ("Tante Vera wohnt jetzt in Wismar.", "Onkel Horst wohnt jetzt in Jena.", False),
        ("文静的生日是五月四号。", "程浩的生日是八月十九号。", False),
        ("妈妈周一去合唱团排练。", "爸爸周四去合唱团排练。", False),
        ("Ruth's shoe size is 38.", "Ruth's shoe size is 39.", True),
        ("Ruth waters the plants.", "Colin waters the plants now.", True),
        ("My sister works at the library.", "Odile works at the harbour now.", True),
        ("Max lives in Bern.", "Maximilian lives in Basel now.", True),
        ("Ruths Schuhgröße ist 38.", "Ruths Schuhgröße ist 39.", True),
        ("文静的手机号是13855550210。", "文静的手机号是13855550873。", True),
        ("班长是陈亮。", "班长现在是刘洋。", True),
    ],
)
def test_what_holds_of_another_person_is_not_offered(
    memory: graphmem.Memory, older: str, newer: str, is_offered: bool
) -> None:
    """Two notes of one form about two persons were taken for an old one and its successor."""
    now = datetime.now(UTC)
    memory.remember(older, happened=now - timedelta(days=90))
    for other in ("The bus was late.", "Es gab Suppe.", "今天下雨了。"):
        memory.remember(other, happened=now - timedelta(days=60))
    assert bool(memory.remember(newer, happened=now).may_replace) is is_offered


@pytest.mark.parametrize(
    ("older", "newer", "is_likely"),
    [
        ("The rent is 900 euros.", "The rent went up to 950 euros.", True),
        ("Felix works at Bosch.", "Felix works at Siemens.", False),
    ],
)
def test_without_the_time_to_compare_all_only_what_is_likely_is_offered(
    older: str, newer: str, is_likely: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a part nobody knows which one stands out; what is sure was dropped with the rest."""
    over: list[int] = []
    last = 1 << 30

    def counted(patience: conflicts.Patience) -> bool:
        over.append(1)
        return len(over) >= last

    monkeypatch.setattr(conflicts.Patience, "is_over", counted)

    def offered() -> bool:
        with graphmem.open(worker="none", tuning=graphmem.Tuning(conflict_patience=60.0)) as memory:
            memory.remember(older)
            over.clear()
            return bool(memory.remember(newer).may_replace)

    assert offered()
    last = len(over)  # time is over when all are compared
    assert offered() is is_likely


@pytest.mark.parametrize("is_cold", [True, False])
def test_what_a_process_has_yet_to_load_takes_no_patience(
    monkeypatch: pytest.MonkeyPatch, is_cold: bool
) -> None:
    # The first memory of every process was offered nothing: loading took longer than the patience.
    monkeypatch.setattr(conflicts.Patience, "compared", 0 if is_cold else 1000)
    with graphmem.open(worker="none", tuning=graphmem.Tuning(conflict_patience=1e-9)) as memory:
        memory.remember("The release is on May 3.")
        told = memory.remember("We moved the release from May 3 to May 10.")
        assert [offer.id for offer in told.may_replace] == [1] * is_cold
        assert bool(told.notes) is not is_cold


def test_loading_takes_a_second_at_most_and_64_comparisons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A long text took 13.6 s: patience was without end if few comparisons came before it."""
    now = 0.0
    monkeypatch.setattr(conflicts, "thread_time", lambda: now)
    monkeypatch.setattr(conflicts.Patience, "compared", 0)
    slow, long = conflicts.Patience(0.02), conflicts.Patience(0.02)
    now = 0.9
    assert not slow.is_over()
    assert not long.is_over()
    now = 0.93  # within 0.02 of what was free
    conflicts.Patience.compared = 64
    assert long.is_over()
    conflicts.Patience.compared = 63
    now = 1.1
    assert slow.is_over()
    assert slow.ran_out


def test_of_a_long_text_nothing_is_read_when_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conflicts.Patience, "compared", 64)
    with graphmem.open(worker="none", tuning=graphmem.Tuning(conflict_patience=1e-9)) as memory:
        read = Mock(wraps=comparing.claims_anything)
        monkeypatch.setattr(comparing, "claims_anything", read)
        told = memory.remember("Wen lives in Ghent, and the rent is 900 euros. " * 60)
        assert len(told) > read.call_count == 2
        assert "conflict_patience ran out" in told.notes[0]


def test_one_that_stands_out_is_likelier_than_one_of_many_equals() -> None:
    def candidate(node: int, shared: float) -> Candidate:
        return PLAIN._replace(node=node, shared=shared)

    alone = [candidate(1, 12.0), candidate(2, 4.0)]
    many = [candidate(node, 12.0) for node in range(12)]
    assert likely(alone) == [1]
    assert likely(many) == []
    margin = [*WEIGHTS].index("margin")
    assert [told[margin] > 0 for told in features(alone)] == [True, False]


@pytest.mark.parametrize("field", ["asks", "asked", "is_of_other", "is_apart"])
def test_questions_and_what_others_said_are_less_likely(field: str) -> None:
    assert likely([PLAIN]) == [1]
    assert likely([PLAIN._replace(**{field: True})]) == []


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The old report system is run by Kevin.", "Nadia took over the report system last week."),
        ("Season ticket for the Rovers, row F.", "Gave my Rovers season seat to a neighbour."),
        ("楼下快递柜的取件找小周帮忙。", "快递柜的取件现在归大刘管。"),
        ("奶奶的降压药，早上吃一整片。", "血压偏低，大夫让奶奶早上吃半片降压药。"),
    ],
)
def test_another_person_in_the_new_memory_does_not_hide_what_it_replaces(
    memory: graphmem.Memory, older: str, newer: str
) -> None:
    """Of Chinese predecessors a third were left out, for the new one named somebody else."""
    for noise in (
        "The kettle is loud.",
        "We had peas for dinner.",
        "今天下雨了。",
        "我买了一盏新台灯。",
    ):
        memory.remember(noise, happened="2026-01-02")
    memory.remember(older, happened="2026-01-10")
    assert [o.text for o in memory.remember(newer, happened="2026-03-10").may_replace] == [older]


def test_what_was_told_weeks_before_is_likelier_than_what_was_told_today() -> None:
    """In talk of one day two in three offers were in vain."""
    assert likely([PLAIN._replace(days=30)]) == [1]
    assert likely([PLAIN._replace(days=0)]) == []


def test_another_value_of_one_type_is_likelier() -> None:
    less = PLAIN._replace(shared=5.0)
    assert likely([less]) == []
    assert likely([less._replace(differs=True)]) == [1]


def test_what_is_likelyly_replaced_is_always_offered() -> None:
    never = PLAIN._replace(shared=1.0, words=40, asks=True, days=0)
    assert likely([never]) == []
    assert likely([never._replace(is_likely=True)]) == [1]


@pytest.mark.parametrize(("older", "is_offered"), [("2026-03-01", True), ("2026-05-02", False)])
def test_days_are_counted_from_one_note_to_the_other(older: str, is_offered: bool) -> None:
    with graphmem.open(worker="none", tuning=graphmem.Tuning(conflict_patience=60.0)) as memory:
        memory.remember("Lucy has a stall at the market.", happened=older)
        told = memory.remember("Lucy sells jam at the harbour.", happened="2026-05-02")
        assert bool(told.may_replace) is is_offered


@pytest.mark.parametrize("days", [0, 1, 5, 40])
def test_of_notes_without_a_date_no_day_between_counts_less_than_one_day(days: int) -> None:
    """What was offered after five minutes was not after a day, and was again after five."""
    now = datetime(2026, 5, 1, 9, tzinfo=UTC)
    tuning = graphmem.Tuning(conflict_patience=60.0)
    with graphmem.open(worker="none", tuning=tuning, clock=lambda: now) as memory:
        memory.remember("Lucy has a stall at the market.")
        now += timedelta(days=days)
        assert memory.remember("Lucy sells jam at the market.").may_replace
