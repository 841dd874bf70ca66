"""Prevents: what was so before is taken for what holds, because the newer memory says it in other
words than the question and shares only a name with the older one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import graphmem
from graphmem.recalling.currency import asked, asks_for_value
from graphmem.recalling.succession import Succession, Told, asked_type, asks_for_state, links
from tests.embedders import Hashed

_NOISE = (
    "The kitchen tap drips again.",
    "Anna baked bread with walnuts.",
    "We saw a heron by the canal.",
    "The printer is out of toner.",
    "阳台上的薄荷长疯了。",
    "邻居家的小孩在练钢琴。",
)


def _recalled(texts: list[str], *cues: str) -> list[str]:
    """The first hit of each cue; the texts are told a month apart, with small talk between."""
    clock = [datetime(2025, 1, 1, tzinfo=UTC)]
    with graphmem.open(worker="none", clock=lambda: clock[0]) as memory:
        for place, text in enumerate(texts):
            memory.remember(text)
            clock[0] += timedelta(days=15)
            memory.remember(_NOISE[place % len(_NOISE)])
            memory.remember(_NOISE[(place + 3) % len(_NOISE)])
            clock[0] += timedelta(days=15)
        return [memory.recall(cue, use=False)[0].text for cue in cues]


def test_the_newer_one_need_share_no_word_with_the_cue() -> None:
    old, new = (
        "Our beekeeper is Marguerite, ring after six.",
        "Marguerite sold the hives, ring Tobiah.",
    )
    assert _recalled([old, new], "Who is our beekeeper now?") == [new]


def test_the_same_in_chinese() -> None:
    old, new = "养蜂的事找瞿师傅，六点以后打电话。", "瞿师傅退休了，以后给岑师傅打电话。"
    assert _recalled([old, new], "现在养蜂找谁？") == [new]


def test_words_of_one_root_are_a_sign_of_one_state() -> None:
    """ "electricity" and "electric" are two index words, 用电 and 电 share none."""
    for cue, old, new, other in (
        (
            "Who sells us power now?",
            "Volta for electricity.",
            "Electric: Sundrop.",
            "Goat: Sundrop.",
        ),
        ("电费谁在交？", "用电归伏达公司。", "电改成日新。", "水改成日新。"),
    ):
        told = [
            Told(node, node * 10**12, None, text, frozenset(), 0.5, 0.0)
            for node, text in enumerate((old, new, other))
        ]
        succession = Succession(cue, {}, lambda word: 0.0, dict(enumerate(told)), lambda one: ())
        assert succession.likelihood(told[0], told[1]) > succession.likelihood(told[0], told[2])


def test_what_only_asks_tells_no_value() -> None:
    """The assistant's question holds every word of the cue, and was told last."""
    old = "The spare key is under the blue pot."
    asking = "Should I note where the spare key is?"
    assert _recalled([old, asking], "Where is the spare key?") == [old]


def test_before_what_the_cue_names() -> None:
    old, new = "The allotment grows leeks.", "Leeks failed, so the allotment grows pumpkins now."
    assert _recalled([old, new], "What did the allotment grow before pumpkins?") == [old]


def test_without_a_change_the_best_hit_stays() -> None:
    texts = ["Our beekeeper is Marguerite.", "Anselm tunes pianos.", "Odile sold her canoe."]
    assert _recalled(texts, "Who is our beekeeper?") == texts[:1]


def test_with_vectors_the_one_that_is_most_alike_is_likelier_to_tell_of_the_same_state() -> None:
    """They share no rare word; all that tells that the newer one replaces the older is that both
    speak of one thing."""
    texts = ("Our boat lies at berth 40.", "The harbour master moved us to 12.", "The tap drips.")
    told = [
        Told(node, node * 10**12, None, text, frozenset(text.casefold().split()), 0.5, 0.5)
        for node, text in enumerate(texts)
    ]
    cosines = {0: 1.0, 1: 0.4, 2: 0.1}
    succession = Succession(
        "Where is our boat now?", {"boat": 1.0}, lambda word: 1.0 if word == "boat" else 0.0,
        dict(enumerate(told)), lambda one: (), lambda node, others: cosines,
    )  # fmt: skip
    boat, moved, tap = told
    assert succession.likelihood(boat, moved) > 3 * succession.likelihood(boat, tap)


def test_small_talk_that_names_the_subject_later_does_not_replace_its_state() -> None:
    """Where all that a later memory shares with the best hit is the name, and it answers less of
    the cue and is less like the hit than the true successor, it is less likely one."""
    texts = (
        "Gus wants the half marathon under 1:50.",
        "The knee grumbles, so Gus would be happy with two hours.",
        "Gus lent me his headtorch.",
    )
    told = [
        Told(node, node * 10**13, None, text, frozenset(text.casefold().split()), 0.8, near)
        for (node, text), near in zip(enumerate(texts), (1.0, 0.5, 0.1), strict=True)
    ]
    cosines = {0: 1.0, 1: 0.35, 2: 0.12}
    succession = Succession(
        "How fast does Gus want to run the half marathon now?", {"gus": 0.8, "half": 0.7},
        lambda word: 0.8 if word == "gus" else 0.1, dict(enumerate(told)), lambda one: (),
        lambda node, others: cosines,
    )  # fmt: skip
    goal, knee, torch = told
    assert succession.newest(goal)[-1] is knee
    assert succession.likelihood(goal, torch) < 0.4
    assert succession.besides([goal]) == [knee]


def test_what_may_be_the_newest_value_stands_below_the_answer() -> None:
    """It was left out where something else was taken for the newest value, or nothing was."""
    old, new = "Our beekeeper is Marguerite.", "Odile and Marguerite swapped the hives for a boat."
    clock = [datetime(2025, 1, 1, tzinfo=UTC)]
    with graphmem.open(worker="none", clock=lambda: clock[0]) as memory:
        for text in (old, *_NOISE, new):
            memory.remember(text)
            clock[0] += timedelta(days=15)
        hits = memory.recall("Who is our beekeeper now?", use=False)
        assert {hit.text for hit in hits[:2]} == {old, new}


def test_what_is_told_in_a_month_does_not_answer_for_a_state_only_by_its_date() -> None:
    """No memory has a word of the cue, so everything of the month matched best of all."""
    clock = [datetime(2025, 2, 12, tzinfo=UTC)]
    with graphmem.open(
        worker="none", clock=lambda: clock[0], embedder=Hashed(), vector_patience=60.0
    ) as memory:
        memory.remember("Where we all were, in the Iron Yard.")
        for place, text in enumerate(_NOISE[:4]):
            clock[0] = datetime(2025, 5, 3 + place, tzinfo=UTC)
            memory.remember(text)
        memory.enrich()
        clock[0] = datetime(2025, 9, 1, tzinfo=UTC)
        found = memory.recall("Where were we all exercising in May 2025?", use=False)
        assert found[0].text == "Where we all were, in the Iron Yard."


def test_a_weekday_is_no_person() -> None:
    texts = ("The website's hosted by Kestrel.", "Website had 900 visitors on Sunday.")
    one, other = (
        Told(node, node, None, text, frozenset(), 1.0, 0.0) for node, text in enumerate(texts)
    )
    succession = Succession("Who hosts the website?", {}, lambda word: 0.0, {}, lambda one: ())
    assert succession.signs(other, one)[8] == 0.0
    assert succession.signs(one, other)[8] == 1.0


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


def test_a_filter_holds_for_what_is_found_over_a_shared_word() -> None:
    with graphmem.open(worker="none") as memory:
        memory.remember("Our beekeeper is Marguerite, ring after six.", speaker="Ann")
        for text in _NOISE:
            memory.remember(text, speaker="Ann")
        memory.remember("Marguerite retired, Tobiah does it.", speaker="Ben")
        hits = memory.recall("Who is our beekeeper?", speaker="Ann", use=False)
        assert {hit.speaker for hit in hits} == {"Ann"}


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


def test_numbers_and_dates_link_no_two_memories() -> None:
    assert not any(map(links, ("12", "twelv", "monday", "周一", "三百")))
    assert links("marguerit")
    assert links("师傅")


def test_states_of_a_time_are_told_from_events() -> None:
    assert asks_for_state("Where did she live in May?")
    assert not asks_for_state("What did she paint in May?")
    assert not asks_for_state("On the first of May, what news was there?")
    assert not asks_for_state("五月一号说的是哪件事？")


@pytest.mark.parametrize(
    ("old", "new", "cue"),
    [
        (
            "I work at Siemens as an engineer.",
            "I quit Siemens and started at Bosch today.",
            "Where do I work?",
        ),
        ("I drive a Golf.", "Sold the Golf, bought a small Tesla.", "What do I drive?"),
        ("My gym is FitX.", "Cancelled FitX and joined McFit.", "Which gym do I go to?"),
        (
            "Backups go to the Synology.",
            "The Synology died, so backups go to Backblaze.",
            "Where do backups go?",
        ),
        ("我开的是高尔夫。", "我把高尔夫卖了，买了特斯拉。", "我开什么车？"),
        ("我的经理是王芳。", "王芳走了，新经理是李强。", "我的经理是谁？"),
    ],
)
def test_what_says_that_the_old_value_is_over_replaces_it(old: str, new: str, cue: str) -> None:
    assert _recalled([old, new], cue) == [new]


def test_words_of_change_link_no_two_memories() -> None:
    texts = [
        "Priya goes to the school in Maple Grove.",
        "Priya left Maple Grove for the school in St. Brendan.",
        "Tom's room is empty again, Aisha left.",
    ]
    assert _recalled(texts, "Which school does Priya go to?") == [texts[1]]
    assert not any(map(links, ("left", "sold", "取消", "换成", "升级")))
    assert links("siemen")


@pytest.mark.parametrize(
    ("cue", "expected"),
    [
        ("Do I still drink coffee?", True),
        ("Is Petra the lead?", True),
        ("我还喝咖啡吗？", True),
        ("Is there a bakery?", False),
        ("What do we know about Mr Sun?", False),
        ("Whose chair squeaked, he asked in his letter?", False),
    ],
)
def test_whether_something_is_so_asks_for_a_value(cue: str, expected: bool) -> None:
    assert asks_for_value(cue, "now", False) is expected


_FAMILY = (
    "My sister Lena lives in Berlin and works at a bank.",
    "I live in Lisbon with my wife Marta.",
    "Marta is allergic to penicillin.",
    "I'm allergic to cats.",
    "My birthday is on 4 May.",
    "Marta's birthday is on 19 November.",
    "Lena got a dog called Pepper.",
    "My boss is Mr. Duarte.",
    "Marta's boss is Mrs. Lopes.",
    "I moved to Porto last month, with Marta.",
    "Lena moved to Hamburg for a new job.",
    "Mr. Duarte retired; my boss is Ms. Reis.",
    "Marta takes 100 mg of magnesium.",
)
_HAN_FAMILY = (
    "我妹妹小莲住在成都，在银行上班。",
    "我和太太晓梅住在南京。",
    "晓梅对青霉素过敏。",
    "我对猫毛过敏。",
    "我的生日是5月4日。",
    "晓梅的生日是11月19日。",
    "小莲养了一只狗叫胡椒。",
    "我的老板是杜总。",
    "晓梅的老板是罗总。",
    "上个月我和晓梅搬到了苏州。",
    "小莲因为新工作搬到重庆了。",
    "杜总退休了，我的老板换成了雷总。",
    "晓梅每天吃100毫克镁。",
)


@pytest.mark.parametrize(
    ("told", "answers"),
    [
        (
            _FAMILY,
            {
                "Where do I live?": "Porto",
                "Where does my sister live?": "Hamburg",
                "What is Marta allergic to?": "penicillin",
                "What am I allergic to?": "cats",
                "When is my birthday?": "4 May",
                "When is Marta's birthday?": "19 November",
                "What is Lena's dog called?": "Pepper",
                "Who is my boss?": "Reis",
                "Who is Marta's boss?": "Lopes",
            },
        ),
        (
            _HAN_FAMILY,
            {
                "我住在哪里？": "苏州",
                "我妹妹住在哪里？": "重庆",
                "晓梅对什么过敏？": "青霉素",
                "我对什么过敏？": "猫毛",
                "我的生日是哪天？": "5月4日",
                "晓梅的生日是哪天？": "11月19日",
                "小莲的狗叫什么？": "胡椒",
                "我的老板是谁？": "雷总",
                "晓梅的老板是谁？": "罗总",
            },
        ),
    ],
)
def test_what_holds_of_one_person_replaces_nothing_of_another(
    told: tuple[str, ...], answers: dict[str, str]
) -> None:
    clock = [datetime(2026, 1, 1, tzinfo=UTC)]
    with graphmem.open(worker="none", clock=lambda: clock[0]) as memory:
        for text in told:
            memory.remember(text)
            clock[0] += timedelta(days=3)
        found = {cue: memory.recall(cue, use=False)[0].text for cue in answers}
    assert {cue: text for cue, text in found.items() if answers[cue] not in text} == {}


def test_a_reason_does_not_cease_to_be_one() -> None:
    old, new = (
        "We use Redis for the cache because Memcached lost data.",
        "The cache moved from Redis to Valkey after the licence change.",
    )
    assert _recalled([old, new], "Why do we use Redis?", "Which cache do we use?") == [old, new]


def test_a_value_of_the_asked_type_is_enough_beside_a_name() -> None:
    old, new = "Lena teaches yoga on Wednesdays.", "Lena moved it to Mondays from this week."
    other = "Lena moved to a flat with a cellar."
    assert _recalled([old, new], "When does Lena teach?") == [new]
    assert _recalled([old, other], "When does Lena teach?") == [old]


@pytest.mark.parametrize(
    ("old", "new", "cue"),
    [
        (
            "Rent: the flat on Dok Noord is 2,650 a month.",
            "Gerald called about the flat. He now offers 2,250.",
            "How much rent do we pay?",
        ),
        (
            "Our wholesale price for the crate is 6.20.",
            "Crates go to shops for 5.75 from Monday.",
            "What is our wholesale price?",
        ),
        (
            "The studio rent is 245 each, says Duarte.",
            "With the larger corner gone Duarte takes 220 from me.",
            "My part of the studio rent?",
        ),
        (
            "Boiler: Derek wants 2,900 for a new one.",
            "Shook hands with Pauline, Derek is out, 2,310 all in.",
            "What did the boiler end up costing?",
        ),
        (
            "Boiler: Derek wants 2,900 for a new one.",
            "Shook hands with Pauline, Derek is out, 2,310 all in.",
            "What did we pay for the boiler?",
        ),
    ],
)
def test_what_may_have_replaced_the_best_hit_is_told_in_a_budget(
    old: str, new: str, cue: str
) -> None:
    """The old value was told alone, as if it still held, with most of the budget left."""
    clock = [datetime(2025, 1, 1, tzinfo=UTC)]
    with graphmem.open(worker="none", clock=lambda: clock[0]) as memory:
        for place, text in enumerate((old, new)):
            memory.remember(text)
            clock[0] += timedelta(days=15)
            memory.remember(_NOISE[place])
            memory.remember(_NOISE[place + 3])
            clock[0] += timedelta(days=15)
        told = memory.recall(cue, use=False, tokens=300)
        assert told.text.index(old) < told.text.index(new)
        assert not any(noise in told.text for noise in _NOISE)
        assert [hit.text for hit in told] == [hit.text for hit in memory.recall(cue, use=False)]


@pytest.mark.parametrize(
    ("cue", "expected"),
    [
        ("What did the boiler end up costing?", True),
        ("分店的事最后定了没有，在哪儿？", True),
        ("What did the boiler cost?", False),
        ("报价先后是多少，最后多少钱成交？", False),
    ],
)
def test_how_a_matter_was_settled_asks_for_a_value(cue: str, expected: bool) -> None:
    assert asks_for_value(cue, "now", False) is expected
