"""Which of several statements holds now."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest

import graphmem
from graphmem.recalling.currency import asked, begins, states
from graphmem.settings import Ranking

START = datetime(2026, 1, 5, 9, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(clock: Clock) -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none", clock=clock) as opened:
        yield opened


def told(memory: graphmem.Memory, clock: Clock, *said: tuple[str, str]) -> None:
    """Each a month after the one before, with small talk in between."""
    for speaker, text in said:
        memory.remember(text, speaker=speaker)
        for k in range(3):
            memory.remember(f"Small talk {k} after {clock.now:%d %B}.", speaker=speaker)
        clock.now += timedelta(days=30)


CHANGES = [
    ("Rui", ["I live in Lisbon.", "I've moved to Porto.", "We settled in Faro."],
     "Where does Rui live now?", "Where did Rui live before?"),
    ("Ada", ["I work at Siemens.", "I joined Bosch last week!"],
     "Where does Ada work?", "Where did Ada work before?"),
    ("Ops", ["Postgres is on 14.2.", "We upgraded Postgres to 15.1."],
     "Which version of Postgres do we run?", "Which version of Postgres did we run before?"),
    ("Ops", ["Marta owns the billing service.", "Joao took over the billing service."],
     "Who owns the billing service?", "Who owned the billing service before Joao?"),
    ("Lee", ["I take 50 mg of sertraline.", "My doctor put me on 75 mg of sertraline."],
     "How much sertraline does Lee take?", "What was Lee's old sertraline dose?"),
    ("Sam", ["Our standup is at 9:30.", "Standup moved to 10:15."],
     "What time is standup?", "What time was standup before?"),
    ("林青", ["我住在成都。", "上个月我搬到了重庆。"], "林青现在住在哪里？", "林青以前住在哪里？"),
    ("老罗", ["支付模块由小王负责。", "支付模块交给李雷了。"], "支付模块谁负责？", "支付模块以前谁负责？"),
    ("马千里", ["房租是每月3200元。", "房租涨到3500元了。"], "房租多少钱？", "以前房租多少钱？"),
]  # fmt: skip


@pytest.mark.parametrize(("speaker", "texts", "now", "before"), CHANGES)
def test_what_holds_now_comes_first_and_what_held_below_it(
    memory: graphmem.Memory, clock: Clock, speaker: str, texts: list[str], now: str, before: str
) -> None:
    """An agent that answers with the address before last has not remembered."""
    told(memory, clock, *((speaker, text) for text in texts))
    for _ in range(20):
        memory.used(1)  # asked often, as long as it held
    found = memory.recall(now, use=False)
    assert [hit.text for hit in found[: len(texts)]] == texts[::-1]
    assert [memory[node].text for node in found[0].earlier] == texts[-2::-1]
    assert f"{len(texts) - 1} told before say otherwise" in found[0].why
    assert sum(found[0].parts.values()) == pytest.approx(found[0].score)
    assert memory.recall(before, use=False)[0].text == texts[-2]


def test_what_held_at_a_time_comes_first_for_that_time(
    memory: graphmem.Memory, clock: Clock
) -> None:
    """ "Where did Rui live in February?" is not answered by where he lives."""
    told(
        memory,
        clock,
        ("Rui", "I live in Lisbon."),
        ("Rui", "I moved to Porto."),
        ("Rui", "I moved to Faro."),
    )
    for cue, text in (
        ("Where did Rui live in January?", "I live in Lisbon."),
        ("Where did Rui live in February?", "I moved to Porto."),
        ("Where did Rui live at first?", "I live in Lisbon."),
    ):
        assert memory.recall(cue, use=False)[0].text == text


def test_the_text_puts_what_holds_first_and_marks_the_rest(
    memory: graphmem.Memory, clock: Clock
) -> None:
    """A model that reads two addresses takes the first it sees, or the wrong one."""
    told(memory, clock, ("Rui", "I live in Lisbon."), ("Rui", "I moved to Porto."))
    lines = memory.recall("Where does Rui live?", limit=2, use=False).text.splitlines()
    assert lines == [
        "[2026-02-04, Rui] I moved to Porto.",
        "[2026-01-05, Rui] (earlier, no longer so) I live in Lisbon.",
    ]


def test_the_mark_of_an_earlier_value_is_of_the_language_of_its_line(
    memory: graphmem.Memory, clock: Clock
) -> None:
    """English stood inside Chinese lines."""
    told(memory, clock, ("林青", "我住在杭州。"), ("林青", "我搬到成都住了。"))
    lines = memory.recall("林青住在哪里？", limit=2, use=False).text.splitlines()
    assert lines[1:] == ["[2026-01-05, 林青] （以前，现已不是） 我住在杭州。"]


@pytest.mark.parametrize(
    ("said", "cue"),
    [
        ((("Ana", "I'm allergic to walnuts."), ("Ana", "I'm allergic to shrimp.")), "allergic"),
        ((("Ana", "I live in Berlin."), ("Ben", "I live in Vienna.")), "Who lives where?"),
        ((("Kim", "My brother lives in Rome."), ("Kim", "My sister lives in Oslo.")), "Who lives where?"),
        ((("Mia", "May's rent was 850 euros."), ("Mia", "June's rent was 900 euros.")), "rent"),
        ((("Tom", "I ran 5 km on Monday."), ("Tom", "I ran 8 km on Thursday.")), "How far did Tom run?"),
        ((("Ops", "Postgres is on 15.1."), ("Ops", "Redis is on 7.2.")), "Postgres or Redis?"),
        ((("Sam", "Room 3 seats twelve people."), ("Sam", "Room 4 seats eight people.")), "room seats"),
        ((("林青", "我妈妈住在成都。"), ("林青", "我哥哥住在北京。")), "家人住在哪里？"),
        ((("林青", "五月的房租是3200元。"), ("林青", "六月的房租是3500元。")), "房租多少钱？"),
    ],
)  # fmt: skip
def test_what_is_alike_but_not_the_same_stays(
    memory: graphmem.Memory, clock: Clock, said: tuple[tuple[str, str], ...], cue: str
) -> None:
    """A second allergy that replaces the first may kill somebody."""
    told(memory, clock, *said)
    found = memory.recall(cue, use=False)
    assert {text for _, text in said} <= {hit.text for hit in found}
    assert not any(hit.earlier for hit in found)


def test_without_currency_nothing_is_reordered(clock: Clock) -> None:
    """Whoever wants the plain ranking has it."""
    with graphmem.open(worker="none", clock=clock, ranking=Ranking(currency=False)) as memory:
        told(memory, clock, ("Rui", "I live in Lisbon."), ("Rui", "I moved to Porto."))
        assert not any(hit.earlier for hit in memory.recall("Where does Rui live?", use=False))


@pytest.mark.parametrize(
    "sentence",
    [
        "Do you live in Lisbon?",
        "I might move to Rome.",
        "I visited Porto in May.",
        "你住在成都吗？",
        "",
    ],
)
def test_a_question_or_a_guess_is_no_state(sentence: str) -> None:
    """Asking whether somebody moved does not move them."""
    assert states(sentence) == ()


def test_a_cue_says_which_of_them_it_wants() -> None:
    assert asked("Where does Rui live now?") == asked("Rui 住在哪") == "now"
    assert asked("Where did Rui use to live before?") == asked("林青以前住哪") == "before"
    assert asked("Where did Rui originally live?") == asked("最初住哪") == "first"


def test_a_long_sentence_is_read_in_time() -> None:
    """Patterns that backtrack would let one text stop every recall."""
    for text in (
        "I live in " * 500,
        "my " * 2000,
        "1" * 5000,
        "我住在" * 2000,
        "a " * 3000 + "5 mg",
    ):
        states(text)


QUESTIONS = [
    # Statements in words of their own: no pattern reads them; the newest that is about it stands
    # first, with small talk in between.
    (["Workers are allowed a gigabyte of memory each.", "Workers trimmed to 768 MB of memory."],
     "What's the memory limit for workers now?", "What was the memory limit for workers before?"),
    (["The spare key is with Mrs Tan at number 5.",
      "The spare key has moved into the lockbox by the meter."],
     "Where is the spare key now?", "Where was the spare key before?"),
    (["姑姥一天吃两片格列美脲。", "大夫让姑姥改成三片格列美脲。"],
     "姑姥现在一天吃几片格列美脲？", "姑姥以前一天吃几片格列美脲？"),
    (["月票一百八，学生打六折。", "元旦起月票涨成二百一。"], "月票现在多少钱？", "月票以前多少钱？"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "now", "before"), QUESTIONS)
def test_the_newest_value_of_what_is_asked_for_comes_first_in_any_words(
    memory: graphmem.Memory, clock: Clock, said: list[str], now: str, before: str
) -> None:
    told(memory, clock, *(("Ada", text) for text in said))
    assert memory.recall(now, use=False)[0].text == said[-1]
    assert memory.recall(before, use=False)[0].text == said[-2]


@pytest.mark.parametrize(
    ("cue", "wanted"),
    [
        ("月票现在多少钱？", "月票"),
        ("现在谁负责支付？", "支付"),
        ("现在几点？", ""),
    ],
)
def test_words_that_ask_are_not_looked_for(
    memory: graphmem.Memory, clock: Clock, cue: str, wanted: str
) -> None:
    """在哪 and 票现 stand in no memory; a memory about anything else that says 现在 is no answer."""
    told(memory, clock, ("Ada", "现在他说不装了，网名就叫阿翔。"), ("Ada", "月票要换成支付卡。"))
    found = memory.recall(cue, use=False)
    if wanted:
        assert wanted in found[0].text


def test_the_copula_before_what_asks_is_no_content(memory: graphmem.Memory, clock: Clock) -> None:
    """房租是多少 looked for 租是, found it nowhere, and took the rest of the memory for an answer."""
    said = ["上海的家有三间。", "房租每个月九千五。", "周五看牙医。", "比起咖啡我更喜欢喝茶。"]
    told(memory, clock, *(("Ada", text) for text in said))
    assert [hit.text for hit in memory.recall("六月的房租是多少？", use=False)] == said[1:2]


def test_a_thing_that_is_only_like_it_does_not_take_the_place(
    memory: graphmem.Memory, clock: Clock
) -> None:
    told(memory, clock, ("Ada", "The panto costs fourteen pounds."),
         ("Ada", "The zoo has changed its price to nine pounds."))  # fmt: skip
    assert "panto" in memory.recall("What does the panto cost now?", use=False)[0].text


@pytest.mark.parametrize(
    ("said", "cue", "then"),
    [
        (
            ["We live in Delft.", "From December 1 we live in The Hague."],
            "Where does Rui live?",
            12,
        ),
        (["I work at Siemens.", "Next month I start at Bosch."], "Where does Rui work now?", 12),
        (["我住在苏州。", "下个月起我住在无锡。"], "Rui住在哪里？", 12),
        (["我住在苏州。", "从一月一日开始我住在无锡。"], "Rui现在住哪儿？", 1),
    ],
)
def test_what_is_not_yet_so_replaces_nothing(said: list[str], cue: str, then: int) -> None:
    """The present home was told as over weeks before the move."""
    clock = Clock()
    clock.now = datetime(2026, 11, 19, 9, tzinfo=UTC)
    with graphmem.open(worker="none", clock=clock) as memory:
        for text in said:
            memory.remember(text, speaker="Rui")
            clock.now += timedelta(days=1)
        found = memory.recall(cue, use=False)
        assert [hit.text for hit in found[:2]] == said
        assert "no longer so" not in found.text
        assert not found[0].earlier
        clock.now = datetime(2026 if then == 12 else 2027, then, 5, tzinfo=UTC)
        found = memory.recall(cue, use=False)
        assert found[0].text == said[1]
        assert found[0].earlier


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("Starting Monday Ben takes the bins.", date(2026, 11, 23)),
        ("As of 1 February the rent is 900 euros.", date(2027, 2, 1)),
        ("下月1号起房租三千。", date(2026, 12, 1)),
        ("我们下周一搬到苏州。", date(2026, 11, 23)),
        ("The dentist moved from December 3 to December 10.", None),
        ("The review is moved to next Monday.", None),
        ("看牙改到下周三", None),
        ("From March I worked at Acme.", None),
        ("I moved to Delft in January.", None),
        ("Since January we live in Delft.", None),
        ("从去年一月起我住在苏州。", None),
    ],
)
def test_a_statement_may_name_its_own_beginning(said: str, day: date | None) -> None:
    """A time that is itself the value holds from when it is told."""
    assert begins((said,), date(2026, 11, 20)) == day


def test_what_is_told_on_the_last_of_all_days_begins_nothing_later() -> None:
    """Every recall that came upon such a text raised OverflowError."""
    assert begins(("From Monday I work at Bosch.",), date.max) is None
