"""What protects somebody outlives a budget: as a sentence, or as the clause for which it is held."""

import json
from datetime import date
from pathlib import Path

import pytest

import graphmem
from graphmem.forgetting.holding import Holdings, reason
from graphmem.graph.records import NodeRecord

DATA = Path(__file__).parents[2] / "data"
HARMLESS = "Wen walked to the mill on day {} and drew the wheel. The weather was rather good."
ALLERGIES = (
    (
        "Theo {} is allergic to cashews, his mother found that out at the fair in May.",
        "ABCDEFGHIJKLMNOPQRST",
    ),
    (
        "小{}对腰果严重过敏，我们是去年秋天在集市上才知道的。",
        "红明军兰芳勇静磊丽强敏杰艳涛娟超霞平刚玲",
    ),
)


@pytest.mark.parametrize(("told", "names"), ALLERGIES)
def test_a_tight_budget_leaves_the_clause_that_protects(told: str, names: str) -> None:
    """Whole sentences took the fifth that is kept for them, and three of four allergies went."""
    with graphmem.open(worker="none") as memory:
        kept = [memory.remember(told.format(name))[0] for name in names]
        memory.remember_many(HARMLESS.format(day) for day in range(40))
        memory.admin.shrink(memory.admin.stats()["text_bytes"] // 3)
        left = [memory[node].text for node in kept if node.id in memory]
        assert len(left) == 20
        assert all("cashews" in text or "腰果" in text for text in left)
        assert any("fair" not in text and "集市" not in text for text in left)
        assert memory.admin.check() == []


def test_who_gives_way_first() -> None:
    """An allergy must not go before a price, nor a whole sentence stay beside lost clauses."""
    held = Holdings()
    held.note(1, 100, NodeRecord(uses=9), lasting=False, tight=True)
    held.note(2, 100, NodeRecord(), lasting=True, tight=True)
    held.note(3, 100, NodeRecord(uses=1), lasting=True, tight=False)
    held.note(4, 100, NodeRecord(), lasting=False, tight=False)
    order = []
    while (least := held.least(0)) is not None:
        order.append(least)
    assert order == [(4, False), (1, True), (3, False), (2, True)]
    assert held.bytes == 0


def test_what_binds_until_a_day_binds_on_that_day() -> None:
    """A promise could go on the morning of the day on which it is to be kept."""
    said, told = "I promised to hand in the report by 31 October 2026.", date(2026, 10, 1)
    assert reason(said, told, date(2026, 10, 30)) == "binding until 2026-10-31"
    assert reason(said, told, date(2026, 10, 31)) == "binding until 2026-10-31"
    assert reason(said, told, date(2026, 11, 1)) is None


@pytest.mark.parametrize(
    "said",
    [
        "Contact lenses: left minus 3.25, right minus 4, base curve 8.4.",
        "我家热水器是万家乐的，型号JSQ24。",
    ],
)
def test_where_passes_decide_only_particulars_of_the_table_are_held(said: str) -> None:
    """Without a budget nothing would ever end what the head finds."""
    told = date(2026, 10, 1)
    assert reason(said, told, told) == "particular"
    assert reason(said, told, told, fades=True) is None
    birthday = "Dad was born on 3 November 1951."
    assert reason(birthday, told, told, fades=True) == "particular"


def test_what_only_its_words_tell_gives_way_before_a_named_allergy() -> None:
    """Small talk with words of danger pushed allergies out of a tenth of the text."""
    held = Holdings()
    held.note(1, 100, NodeRecord(), lasting=True, tight=True)
    held.note(2, 100, NodeRecord(uses=9), lasting=True, tight=True, by_pattern=False)
    assert held.least(0) == (2, True)


def test_only_protecting_clauses_take_more_than_two_fifths() -> None:
    """What binds would else push out everything that is remembered."""
    held = Holdings()
    held.note(1, 35, NodeRecord(), lasting=True, tight=True)
    held.note(2, 10, NodeRecord(), lasting=False, tight=True)
    assert held.least(100) == (2, True)
    assert held.least(100) is None
    held.note(3, 60, NodeRecord(uses=1), lasting=True, tight=True)
    assert held.least(100) == (1, True)
    assert held.least(100) is None


@pytest.mark.parametrize(
    "said",
    [
        "I'm allergic to aspirin.",
        "I have asthma.",
        "Ruth is diabetic.",
        "我对麻药过敏。",
        "Ich bin allergisch gegen Lanolin.",
    ],
)
def test_a_plain_allergy_outlives_what_is_worth_more(said: str) -> None:
    """Only substances of a list were held: all others went first, being short and plain."""
    with graphmem.open(None, worker="none") as memory:
        (node,) = memory.remember(said, speaker="Nora")
        memory.remember_many(
            f"Visitor {n} from Bergen paid {n * 37} euros to Iris." for n in range(30)
        )
        assert [each.reason for each in memory.history.worth(node.id).sentences] == ["protective"]
        memory.admin.shrink(int(memory.admin.stats()["text_bytes"] * 0.5))
        assert memory[node.id].text == said


HEIRS = {
    "en": [
        ("Babysitter: Lucy, 07700 900789.", "Lucy went off to university. We ask Hamza now."),
        ("The gardener is old Walter, 01463 770011.", "Walter died. Cormac does the hedges."),
    ],
    "de": [
        ("Die Babysitterin heißt Lucie, 0170 5550198.", "Lucie studiert, wir fragen jetzt Hamza."),
        ("Hausmeister ist Walter Krug, 0176 998877.", "Walter Krug ist tot. Es streut Goran."),
    ],
    "zh": [
        ("保姆是小露，电话 13900008888。", "小露去上大学了，现在请阿哈。"),
        ("花匠是老瓦，电话 13500001111。", "老瓦去世了，树篱由阿康修剪。"),
    ],
}


@pytest.mark.parametrize("told", HEIRS)
def test_who_came_after_somebody_goes_last_though_his_number_is_held(told: str) -> None:
    """The number of the gardener who died was held, and who does the hedges now was gone."""
    journal = DATA / f"journal.{'zh' if told == 'zh' else 'en'}.jsonl"
    notes = [json.loads(line)["text"] for line in journal.read_text("utf-8").splitlines()[:60]]
    with graphmem.open(worker="none") as memory:
        pairs = [
            [
                memory.remember(text, session=text, happened=day)[0].id
                for text, day in zip(pair, ("2026-01-10", "2026-02-20"), strict=True)
            ]
            for pair in HEIRS[told]
        ]
        memory.remember_many({"text": said, "session": said} for said in notes)
        size = memory.admin.stats()["text_bytes"]
        for share in range(9, 0, -1):
            memory.admin.shrink(size * share // 10)
            assert not [pair for pair in pairs if pair[0] in memory and pair[1] not in memory]
        assert len(memory) < 30


def test_where_passes_decide_only_what_says_that_it_binds_is_held() -> None:
    """What binds in other words is found more often in vain, and without a budget it would stay."""
    told = date(2026, 5, 3)
    said, unsaid = (
        "I promised Tom the drill by 12 October.",
        "Let's go back to releasing on Tuesdays, with two people present.",
    )
    assert reason(said, told, told, fades=True) == "binding until 2026-10-12"
    assert reason(unsaid, told, told) is not None
    assert reason(unsaid, told, told, fades=True) is None
