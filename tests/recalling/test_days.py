"""A day that a cue names brings back that day."""

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

import graphmem
from graphmem.errors import InvalidArgumentError
from graphmem_worker.language.calendar import mentions
from tests.embedders import Hashed

EAST = timezone(timedelta(hours=8))
NOW = datetime(2026, 5, 30, 21, tzinfo=EAST)
FIRST = date(2026, 3, 1)
DAYS = [FIRST + timedelta(days=k) for k in range(75)]
TEXTS = (
    "The {n}th parcel of the spring came, and April was mentioned.",
    "We spoke of version 4.28 and of room 28.",
    "林青说三月的账单还没付，单号{n}。",
    "Coffee with Ada, table {n}.",
)
WRITTEN = (
    "What happened on {d.day} {m}?",
    "What did we do on {m} {d.day}th, {d.year}?",
    "{d:%Y-%m-%d}",
    "{d.month}月{d.day}号发生了什么事？",
    "the {d.day}th of {m}",
    "{d.month}月{d.day}日晚上干什么了？",
    "{d.month}月{d.day}都有啥事",
)


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none", clock=lambda: NOW) as opened:
        yield opened


@pytest.fixture(scope="module")
def diary() -> Iterator[graphmem.Memory]:
    """75 days; every third memory has no date of its own and is of the day on which it was told."""
    now = NOW
    with graphmem.open(
        worker="none",
        clock=lambda: now,
        embedder=Hashed(),
        tuning=graphmem.Tuning(vector_patience=60.0),
    ) as opened:
        for n, day in enumerate(DAYS):
            now = datetime(day.year, day.month, day.day, 1 + n % 22, tzinfo=EAST)
            opened.remember_many(
                {
                    "text": text.format(n=n),
                    "speaker": ("Ada", "Wen")[k % 2],
                    "happened": None if (n + k) % 3 == 0 else day,
                }
                for k, text in enumerate(TEXTS)
            )
        opened.admin.enrich()
        now = NOW
        yield opened


@pytest.mark.parametrize("written", WRITTEN)
def test_a_named_day_brings_back_that_day(diary: graphmem.Memory, written: str) -> None:
    """The words of a date found whatever had the same figure in it: 13 days of 75."""
    for day in DAYS[::4]:
        cue = written.format(d=day, m=f"{day:%B}")
        found = diary.recall(cue, use=False)
        assert [hit.happened.date() for hit in found[:4]] == [day] * 4, cue
        assert [hit.id for hit in found[:4]] == sorted(hit.id for hit in found[:4])
        assert all(hit.parts["time"] for hit in found)


def test_the_text_of_a_day_is_in_its_order(diary: graphmem.Memory) -> None:
    """With a budget too, a day is read from morning to evening."""
    text = diary.recall("What happened on 4 April?", tokens=1000, use=False).text
    lines = text.splitlines()
    assert lines[0].startswith("[2026-04-04")
    first = next(line for line in lines if "parcel" in line or "Coffee" in line)
    assert first.endswith("mentioned.")


def test_who_and_what_is_asked_about_a_day(diary: graphmem.Memory) -> None:
    """A day with something else in the cue is still that day."""
    found = diary.recall("Coffee on 4 April?", use=False)
    assert found[0].text == "Coffee with Ada, table 34."
    assert diary.recall("四月四号林青说了什么账单", use=False)[0].text.endswith("单号34。")


def test_a_subject_beside_the_day_is_looked_for_on_that_day(diary: graphmem.Memory) -> None:
    """With vectors, what means about the same and is of any day stood before what is of the day."""
    for day in DAYS[::5]:
        for cue in (
            f"Where was the coffee on {day.day} {day:%B}?",
            f"{day:%m}月{day.day}号的账单呢",
        ):
            found = diary.recall(cue, use=False)
            assert found[0].happened.date() == day, cue


def test_a_day_without_memories_brings_back_nothing(memory: graphmem.Memory) -> None:
    """What is at hand is no answer to what happened on a day."""
    memory.remember("Lunch was late.", happened="2026-05-03")
    assert not memory.recall("What happened on 4 May?", use=False)
    assert memory.recall("What happened on 3 May?", use=False)


def test_a_memory_that_speaks_of_a_day_comes_behind_those_of_it(memory: graphmem.Memory) -> None:
    """An appointment is told before its day. It stands first where what is to come is asked."""
    memory.remember("The dentist is on 9 June.", happened="2026-05-20")
    memory.remember("The auditor comes on April 9.", happened="2026-05-21")
    memory.remember("Rain all day.", happened="2025-06-09")
    found = memory.recall("What happened on the 9th of June?", use=False)
    assert [hit.text for hit in found] == ["Rain all day.", "The dentist is on 9 June."]
    assert memory.recall("六月九号有什么安排", use=False)[0].text == "The dentist is on 9 June."


@pytest.mark.parametrize(
    "text", ["5月3号交了个税，退了380。", "房东说5月3日来修水管。", "五月三号交了税"]
)
def test_a_chinese_text_that_names_the_day_is_found(memory: graphmem.Memory, text: str) -> None:
    """号 is one index word with the character behind it, so no text with 5月3号 was found."""
    memory.remember("下了一整天雨。")
    memory.remember(text)
    for cue in ("5月3号发生了什么", "5月3日有什么事", "what happened on 3 May"):
        assert [hit.text for hit in memory.recall(cue, use=False)] == [text]


def test_a_day_of_any_year_is_the_last_one_with_memories(memory: graphmem.Memory) -> None:
    """Nobody says the year of what they remember, and last year's 4 May may have been empty."""
    memory.remember("A boat race.", happened="2023-05-04")
    assert memory.recall("What happened on 4 May?", use=False)[0].text == "A boat race."


def test_an_open_period_is_answered(memory: graphmem.Memory) -> None:
    """ "since Monday" and "before June" name days as well."""
    for day in ("2026-05-12", "2026-05-25", "2026-05-29"):
        memory.remember(f"Note {day[-2:]}.", happened=day)
    for cue, texts in (
        ("What has happened since Monday?", ["Note 25.", "Note 29."]),
        ("What happened before 20 May 2026?", ["Note 12."]),
        ("What happened recently?", ["Note 25.", "Note 29."]),
        ("上上周之前发生了什么", []),
        ("这周发生了什么", ["Note 25.", "Note 29."]),
    ):
        assert [hit.text for hit in memory.recall(cue, use=False)] == texts, cue


def test_a_plain_date_is_a_day_of_the_clock(memory: graphmem.Memory) -> None:
    """A zone that nobody has in mind must not be asked for."""
    for happened in ("2026-04-28", date(2026, 4, 28)):
        (node,) = memory.remember(f"Lunch {happened!r}.", happened=happened)
        assert node.happened == datetime(2026, 4, 28, tzinfo=EAST)
    assert (
        len(
            memory.recall(
                "lunch",
                where=graphmem.Where(since="2026-04-28", until=date(2026, 4, 29)),
            )
        )
        == 2
    )
    with pytest.raises(InvalidArgumentError, match="no time zone"):
        memory.remember("Lunch.", happened="2026-04-28T12:00:00")
    with pytest.raises(InvalidArgumentError):
        memory.remember("Lunch.", happened="2026-02-30")


def test_a_memory_without_a_date_is_of_the_day_on_which_it_was_told() -> None:
    """Most callers give no date, and a prompt without one cannot be reasoned about."""
    now = datetime(2026, 5, 29, 0, 30, tzinfo=EAST)  # in UTC it is the day before
    with graphmem.open(worker="none", clock=lambda: now) as memory:
        memory.remember("Lunch was late.", speaker="Ada")
        now += timedelta(days=1)
        found = memory.recall("What happened yesterday?", use=False)
        assert found.text == "[2026-05-29, Ada] Lunch was late."
        assert found[0].node.happened is None
        assert (found[0].speaker, found[0].happened) == ("Ada", now - timedelta(days=1))
        assert not memory.recall("What happened the day before yesterday?", use=False)
        for mode in ("focus", "activation"):
            assert memory.recall("lunch", mode=mode, use=False).text.startswith("[2026-05-29")  # type: ignore[arg-type]


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone cannot be set")
@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Sydney"])
@pytest.mark.parametrize("day", [date(2026, 7, 1), date(2026, 10, 25), date(2026, 12, 24)])
def test_a_plain_date_begins_at_its_own_midnight_by_the_default_clock(
    monkeypatch: pytest.MonkeyPatch, zone: str, day: date
) -> None:
    """It began in the offset of today: half a year later an hour was of the wrong day."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        with graphmem.open(None, worker="none") as memory:
            begun = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone))
            (node,) = memory.remember("Lunch of the day.", happened=day)
            assert node.happened == begun
            end = begun + timedelta(days=1)  # by the wall clock
            for told, happened in (("Before", begun), ("First", begun), ("After", end)):
                minutes = timedelta(minutes=-30 if told == "Before" else 30)
                when = (happened.astimezone(UTC) + minutes).astimezone(ZoneInfo(zone))
                memory.remember(f"{told} lunch.", happened=when)
            wanted = ["Lunch of the day.", "First lunch."]
            within = graphmem.Where(since=day, until=day + timedelta(days=1))
            assert [node.text for node in memory.nodes(where=within)] == wanted
            asked = memory.recall(f"What happened on {day}?", use=False)
            assert [hit.text for hit in asked] == wanted
            assert asked.text.count(f"[{day}]") == 1
    finally:
        monkeypatch.undo()
        time.tzset()


SUMMER = datetime(2026, 7, 10, 0, 30, tzinfo=UTC)
WINTER = datetime(2026, 1, 10, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Asia/Shanghai"])
@pytest.mark.parametrize(
    ("told", "asked", "cue", "wrong"),
    [
        (SUMMER, WINTER.replace(month=12), "What happened on 10 July?", "9 July"),
        (WINTER, SUMMER, "What happened on 10 January?", "11 January"),
        (SUMMER, WINTER.replace(month=12), "7月10号发生了什么？", "7月9号发生了什么？"),
        (WINTER, SUMMER, "Was war am 10. Januar?", "Was war am 11. Januar?"),
    ],
)
def test_a_day_stays_the_day_half_a_year_later(
    told: datetime, asked: datetime, cue: str, wrong: str, zone: str
) -> None:
    """Lines had the day by the offset of the moment of asking, or by UTC."""
    now = told.replace(tzinfo=ZoneInfo(zone))
    day = told.date().isoformat()
    with graphmem.open(None, worker="none", clock=lambda: now) as memory:
        (old,) = memory.remember("The alarm rang at the mill.", speaker="Wen")
        memory.remember("The kettle is blue.", pin=True)
        assert old.created.date() == told.date()
        now = asked.replace(tzinfo=ZoneInfo(zone))
        for found in (memory.recall("alarm", use=False), memory.recall(cue, use=False)):
            assert found.text.startswith(f"[{day}, Wen] The alarm rang")
            assert found[0].happened.date() == told.date()
        assert not memory.recall(wrong, use=False)
        assert f"[PINNED] [{day}] The kettle" in memory.context("alarm", tokens=200).text
        # What ended at midnight ended on that day, not on the day before by UTC.
        memory.replace(old, "The alarm is gone.", since=told.date() + timedelta(days=1))
        until = told.date() + timedelta(days=1)
        before = memory.recall("What was the alarm before?", use=False, cut="none").text
        assert f"until {until}" in before


def test_days_are_filtered_as_hits_are(memory: graphmem.Memory) -> None:
    """A filter that leaks shows one customer what another one said."""
    memory.remember("Lunch.", speaker="Ada", happened="2026-05-03")
    memory.remember("Dinner.", speaker="Wen", happened="2026-05-03")
    found = memory.recall("What happened on 3 May?", where=graphmem.Where(speaker="Wen"), use=False)
    assert [hit.text for hit in found] == ["Dinner."]


@pytest.mark.parametrize(
    ("cue", "said"),
    [
        ("What happened in Q2 2026?", "Ada moved to Ghent on 3 May 2026."),
        ("2025年第三季度发生了什么", "艾达八月在布鲁日买了房。"),
    ],
)
def test_a_quarter_finds_what_speaks_of_one_of_its_months(
    memory: graphmem.Memory, cue: str, said: str
) -> None:
    """It was told on another day, and no word of it is in the cue."""
    memory.remember_many(
        ["Ada moved to Ghent on 3 May 2026.", "艾达八月在布鲁日买了房。", "Bo likes tea."]
    )
    assert memory.recall(cue)[0].text == said


def test_a_holiday_finds_what_speaks_of_it(memory: graphmem.Memory) -> None:
    """Its name is taken out of the cue's words, and it was told on another day."""
    memory.remember_many(["Ada bought Tom a red bike for Christmas.", "Bo likes tea."])
    memory.remember("国庆假期我们去了青岛。", happened=datetime(2026, 4, 2, tzinfo=EAST))
    assert "bike" in memory.recall("What is planned at Christmas?")[0].text
    assert "青岛" in memory.recall("国庆期间有什么安排")[0].text


@pytest.mark.parametrize(
    ("cue", "flights", "others"),
    [
        ("What happens next week?", {"oslo", "rome", "体检", "成都"}, set()),
        ("What do I have on Thursday next week?", {"oslo", "体检"}, set()),
        ("What is on between 1 and 5 December?", {"oslo", "rome", "体检", "成都"}, {"past"}),
        ("What do I do next Tuesday?", {"rome", "成都"}, set()),
        ("What's happening tomorrow?", set(), {"recital"}),
        ("下周有什么事？", {"oslo", "rome", "体检", "成都"}, set()),
        ("下周四有什么事？", {"oslo", "体检"}, set()),
        ("下周二我要做什么？", {"rome", "成都"}, set()),
        ("What's coming up?", {"oslo", "rome", "体检", "成都"}, {"recital"}),
        ("Any appointments coming up?", {"oslo", "rome", "体检", "成都"}, {"recital"}),
        ("Was steht demnächst an?", {"oslo", "rome", "体检", "成都"}, {"recital"}),
        ("Welche Fristen laufen bald ab?", {"oslo", "rome", "体检", "成都"}, {"recital"}),
        ("有什么快到期了？", {"oslo", "rome", "体检", "成都"}, {"recital"}),
    ],
)
def test_what_is_to_come_is_found_however_its_day_was_told(
    cue: str, flights: set[str], others: set[str]
) -> None:
    """An agenda was empty unless a text wrote the day as the cue did."""
    now = datetime(2026, 11, 26, 9, tzinfo=UTC)  # a Thursday
    told = {
        "oslo": "My flight to Oslo is on 3 December at 7:40.",
        "rome": "I fly to Rome next Tuesday.",
        "体检": "体检约在12月3号上午九点。",
        "成都": "我下周二飞成都。",
        "recital": "Mia's recital is on Friday.",
        "past": "We were in Oslo on 3 December, long ago.",
        "idle": "The curry was lovely.",
    }
    days = {"past": datetime(2026, 1, 5, tzinfo=UTC)}
    moment = now
    with graphmem.open(None, worker="none", clock=lambda: moment) as memory:
        for name, text in told.items():
            memory.remember(text, happened=days.get(name, now - timedelta(days=1)))
        found = {hit.text for hit in memory.recall(cue, use=False)}
    assert found == {told[name] for name in flights | others}


@pytest.mark.parametrize(
    ("told", "cue"),
    [
        ("The gas man comes on the 28th.", "What's on 28 October?"),
        ("The vet is on the 20th at 4.", "What do I have on Tuesday next week?"),
        ("Rent is due on the first.", "What's on 1 November?"),
        ("The exam is in ten days.", "What's on 24 October?"),
        ("Stock-taking is on New Year's Eve.", "What's on 31 December?"),
        ("下个月五号退租。", "下个月五号要做什么？"),
        ("这个月25号体检。", "10月25号有什么事？"),
        ("月底交房租。", "10月31号有什么事？"),
        ("两周后复查。", "10月28号有什么事？"),
        ("十天后交稿。", "10月24号有什么事？"),
        ("元旦盘点。", "1月1号有什么事？"),
        ("Der Klempner kommt am 21.", "Was ist am 21. Oktober?"),
        ("Die Miete ist am Ersten fällig.", "Was ist am 1. November?"),
        ("Die Prüfung ist in zwei Wochen.", "Was ist am 28. Oktober?"),
        ("Silvester ist Inventur.", "Was ist am 31. Dezember?"),
        ("Am Monatsende läuft die Versicherung aus.", "Was ist am 31. Oktober?"),
    ],
)
def test_an_appointment_told_without_its_month_is_found_by_its_date(told: str, cue: str) -> None:
    """The text was read rightly, but no text was looked at that holds neither month nor weekday."""
    now = datetime(2026, 10, 14, 18, tzinfo=UTC)
    with graphmem.open(None, worker="none", clock=lambda: now) as memory:
        memory.remember_many(["The cat is fat again.", told, "It takes 28 minutes by bus."])
        assert [hit.text for hit in memory.recall(cue, use=False)] == [told]


@pytest.mark.parametrize(
    "cue",
    [
        "What did I do last year in October?",
        "Was war letztes Jahr im Oktober?",
        "Was habe ich voriges Jahr im Herbst gemacht?",
        "去年十月我做了什么？",
    ],
)
def test_last_year_in_october_is_not_this_october(cue: str) -> None:
    """ "last year" was not read in front of "in" and a month, and the last October came back."""
    now = datetime(2026, 10, 14, 18, tzinfo=UTC)
    with graphmem.open(None, worker="none", clock=lambda: now) as memory:
        memory.remember("Picked damsons.", happened="2025-10-18")
        memory.remember("New duvet.", happened="2026-10-12")
        assert [hit.text for hit in memory.recall(cue, use=False)] == ["Picked damsons."]


@pytest.mark.parametrize(
    ("cue", "is_away"),
    [
        ("What's on on 3 October?", True),
        ("What's on on 10 October?", True),
        ("What's on in the week of 5 October?", True),
        ("What's on in October?", True),
        ("What's on on 18 October?", False),
        ("十月十号有什么安排？", True),
        ("十月二十号有什么安排？", False),
        ("Was ist am 10. Oktober los?", True),
    ],
)
@pytest.mark.parametrize(
    "away",
    [
        "I'm on holiday from 3 to 17 October.",
        "我十月三号到十七号休假。",
        "Vom 3. bis 17. Oktober bin ich im Urlaub.",
    ],
)
def test_a_span_of_days_is_told_of_each_of_its_days(cue: str, is_away: bool, away: str) -> None:
    """There was nothing on, within a holiday."""
    now = datetime(2026, 8, 31, 9, tzinfo=UTC)
    with graphmem.open(None, worker="none", clock=lambda: now) as memory:
        memory.remember_many(["The cat needs new food.", away, "We go to Rome in October."])
        found = [hit.text for hit in memory.recall(cue, use=False)]
    assert (away in found) is is_away


@pytest.mark.parametrize(
    ("cue", "first", "last"),
    [
        ("月底有什么事？", "月底要交房租。", "孩子上学要带水杯。"),
        ("月底前要做什么？", "月底要交房租。", "Am 30. November fahre ich nach Kiel."),
        ("本月有什么安排？", "月底要交房租。", "孩子上学要带水杯。"),
        ("What is on at the end of the month?", "月底要交房租。", "孩子上学要带水杯。"),
        (
            "What must I do by the end of the month?",
            "月底要交房租。",
            "Am 30. November fahre ich nach Kiel.",
        ),
        ("Was steht am Monatsende an?", "月底要交房租。", "孩子上学要带水杯。"),
        (
            "Was ist bis Ende November zu tun?",
            "月底要交房租。",
            "Am 30. November fahre ich nach Kiel.",
        ),
        ("What happened this month?", "今天晴天，晒了被子。", "月底要交房租。"),
        ("这个月发生了什么？", "今天晴天，晒了被子。", "月底要交房租。"),
    ],
)
def test_of_a_period_that_lies_partly_ahead_the_coming_days_come_first(
    cue: str, first: str, last: str
) -> None:
    """Under a budget the rent that was due was left out for the weather of last week."""
    now = datetime(2026, 11, 27, 10, tzinfo=EAST)
    told = {
        "今天晴天，晒了被子。": "2026-11-21",
        "孩子上学要带水杯。": "2026-11-22",
        "Am 30. November fahre ich nach Kiel.": "2026-11-26",
        "月底要交房租。": "2026-11-27",
        "The rent was late.": "2026-08-30",
    }
    with graphmem.open(worker="none", clock=lambda: now) as memory:
        for text, day in told.items():
            memory.remember(text, happened=day)
        found = memory.recall(cue, use=False)
        assert (found[0].text, found[-1].text) == (first, last)
        assert found.answered == 1.0
        assert first in memory.recall(cue, tokens=25, use=False).text
        assert memory.recall(cue, tokens=200, use=False).text.split("] ")[1].startswith(first)


@pytest.mark.parametrize(
    ("notes", "after", "until"),
    [
        (
            (
                "Dentist on 28 May at 9.",
                "Concert on 20 June.",
                "The visa form must be handed in before the end of June.",
                "The flat is ours from 3 October.",
            ),
            (
                "What happens after June 1?",
                "What's on after 1 June?",
                "What is planned from 1 June on?",
            ),
            "What do I have to do before the end of June?",
        ),
        (
            (
                "5月28号看牙医。",
                "6月20号听音乐会。",
                "签证表要在六月底前交。",
                "10月3号搬家。",
            ),
            ("六月一号以后有什么安排？", "6月1号之后有什么事？", "从6月1号起有什么安排？"),
            "六月底之前要做什么？",
        ),
        (
            (
                "Zahnarzt am 28. Mai um 9.",
                "Konzert am 20. Juni.",
                "Das Visumformular muss vor Ende Juni abgegeben werden.",
                "Umzug am 3. Oktober.",
            ),
            ("Was steht nach dem 1. Juni an?", "Was ist ab dem 1. Juni geplant?"),
            "Was ist bis Ende Juni zu tun?",
        ),
    ],
)
def test_a_long_or_open_period_to_come_finds_what_is_told_of_its_days(
    notes: Sequence[str], after: Sequence[str], until: str
) -> None:
    """ "After 1 June" has no last day, and "until 26 June" 33 days: neither found any."""
    now = datetime(2026, 5, 25, 9, tzinfo=UTC)
    with graphmem.open(worker="none", clock=lambda: now) as memory:
        for day, text in enumerate(notes, 1):
            memory.remember(text, happened=f"2026-05-0{day}")
        for cue in after:
            assert [hit.text for hit in memory.recall(cue, use=False)] == [*notes[1:]], cue
        for cue in (until, until.replace("Ende Juni", "zum 30. Juni")):
            assert [hit.text for hit in memory.recall(cue, use=False)] == [*notes[:3]], cue
        memory.remember("Berlin.", happened="2026-06-09")
        assert "Berlin." in [hit.text for hit in memory.recall(after[0], use=False)]


@pytest.mark.parametrize(
    ("notes", "cues"),
    [
        (
            ("The rent costs 800 a month.", "I bought a bike for 300.", "Anna likes tea."),
            ("How much did the rent cost me in April?", "What did we pay for rent in April?"),
        ),
        (
            ("房租每月3000元。", "买自行车花了500元。", "安娜喜欢喝茶。"),
            ("四月房租花了多少钱？", "四月交了多少房租？"),
        ),
        (
            ("Die Miete kostet 800 im Monat.", "Ich habe ein Rad für 300 gekauft.", "Tee ist gut."),
            (
                "Wie viel haben wir im April für die Miete bezahlt?",
                "Was haben wir im April als Miete ausgegeben?",
            ),
        ),
    ],
)
def test_a_standing_price_is_told_to_whoever_asks_what_it_came_to(
    notes: Sequence[str], cues: Sequence[str]
) -> None:
    """Asked what the rent cost in April, only the bike that was bought in April came back."""
    now = datetime(2026, 5, 13, 10, tzinfo=UTC)
    with graphmem.open(worker="none", clock=lambda: now) as memory:
        for text, day in zip(notes, ("2026-01-10", "2026-04-12", "2026-05-02"), strict=True):
            memory.remember(text, happened=day)
        for cue in cues:
            assert notes[0] in [hit.text for hit in memory.recall(cue, use=False)], cue
            assert notes[0] in memory.recall(cue, tokens=100, use=False).text, cue


@pytest.mark.parametrize(
    ("cue", "days"),
    [
        ("上个月花了什么钱？", set()),
        ("最近花了哪些钱？", {"11-02", "11-26"}),
        ("十一月花了多少钱？", {"11-02", "11-26"}),
        ("九月买了什么？", {"09-06", "09-26"}),
        ("八月有哪些开销？", {"09-06"}),
        ("What did I spend money on last month?", set()),
        ("What did things cost in November?", {"11-02", "11-26"}),
        ("How much have I spent recently?", {"11-02", "11-26"}),
        ("Wofür habe ich letzten Monat Geld ausgegeben?", set()),
        ("Was haben wir im September gekauft?", {"09-06", "09-26"}),
    ],
)
def test_what_was_spent_in_a_period_is_of_no_other(cue: str, days: set[str]) -> None:
    """Asked for last month's spending, two of September stood first and sure."""
    now = datetime(2026, 11, 27, 10, tzinfo=EAST)
    told = {
        "妈妈的生日宴花了三千八。 Birthday dinner cost 380 euros. Gekauft: Torte, 380 Euro.": "09-26",
        "八月三号给猫打疫苗花了一百八。 Vaccination cost 18 euros. Gekauft: Impfung.": "09-06",
        "买菜花了八十六。 Groceries cost 86 euros. Gekauft: Gemüse.": "11-26",
        "修水管花了两百。 The plumber cost 200 euros. Gekauft: Rohr.": "11-02",
    }
    with graphmem.open(worker="none", clock=lambda: now) as memory:
        for text, day in told.items():
            memory.remember(text, happened=f"2026-{day}")
        found = memory.recall(cue, use=False)
        assert {f"{hit.happened:%m-%d}" for hit in found} == days
        assert found.answered < 0.05 or days
        text = memory.recall(cue, tokens=300, use=False).text
        assert {day for day in told.values() if day in text} == days


@pytest.mark.parametrize(
    ("plan", "change", "cue"),
    [
        ("The choir sings on May 21.", "The choir sings on May 28 now.", "What is on May 21?"),
        ("Tea with Noor on 12 May.", "Noor called off tea.", "What's on 12 May?"),
        ("Am 14. Mai ist Elternabend.", "Der Elternabend fällt aus.", "Was ist am 14. Mai?"),
        ("5月20日去体检。", "体检取消了。", "5月20日有什么安排？"),
        ("周五去陶艺课。", "陶艺课不去了。", "周五做什么？"),
    ],
)
def test_a_plan_is_told_with_what_became_of_it(plan: str, change: str, cue: str) -> None:
    """Asked by its day, a plan that was called off was told alone, as if it held."""
    now = datetime(2026, 5, 4, 9, tzinfo=UTC)
    with graphmem.open(worker="none", clock=lambda: now) as memory:
        for text in ("The kettle whistles.", plan, "Rosa mag keine Oliven.", change):
            memory.remember(text)
            now += timedelta(hours=5)
        found = memory.recall(cue, tokens=100)
        assert [hit.text for hit in found] == [plan, change]
        assert found.text.index(plan) < found.text.index(change)


def test_what_was_replaced_answers_for_no_day_to_come() -> None:
    """The replaced plan came back alone, and what took its place did not."""
    now = datetime(2026, 4, 22, 9, tzinfo=UTC)
    with graphmem.open(worker="none", clock=lambda: now) as memory:
        (plan,) = memory.remember("The choir sings on May 3.")
        now += timedelta(hours=1)
        memory.replace(plan, "The choir sings on May 10.")
        now += timedelta(hours=1)
        for cue in ("What is on May 3?", "What is on May 10?"):
            assert [hit.text for hit in memory.recall(cue)] == ["The choir sings on May 10."], cue
        now = datetime(2026, 6, 1, tzinfo=UTC)
        assert "The choir sings on May 3." in memory.recall("What was on May 3?", tokens=99).text


def test_plans_are_told_beside_what_became_of_others() -> None:
    """Three that were called off took the places of plans, and one of a plan that was not shown."""
    now = datetime(2026, 5, 4, 9, tzinfo=UTC)
    with graphmem.open(worker="none", clock=lambda: now) as memory:
        plans = [f"{what} on 12 May." for what in ("Yoga", "Tea with Noor", "A haircut", "Choir")]
        others = ["Noor called off tea.", "Choir is cancelled.", "Tea with Paul is called off."]
        for text in (*plans, *others):
            memory.remember(text)
            now += timedelta(minutes=5)
        found = [hit.text for hit in memory.recall("What's on 12 May?", limit=10)]
        assert found[:4] == plans
        assert others[0] in found
        assert others[1] in found
        few = [hit.text for hit in memory.recall("What's on 12 May?", limit=3)]
        assert (plans[1] in few) <= (others[0] in few)
        assert others[1] not in few or plans[3] in few


def test_what_stands_in_much_else_hides_no_appointment() -> None:
    """The number of the day, which stood in hundreds of later texts, took the place of its name."""
    now = datetime(2026, 10, 8, 9, tzinfo=UTC)
    with graphmem.open(worker="none", clock=lambda: now) as memory:
        (visit,) = memory.remember("下周四看牙医。")
        memory.remember_many([f"箱子{k}有15个灯泡。" for k in range(600)])
        assert [hit.id for hit in memory.recall("下周四有什么事？")] == [visit.id]


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("Kontrolle beim Zahnarzt 9.6. um 9 Uhr.", "Was ist am 9. Juni?"),
        ("Reifen wechseln, 09.06.", "Was steht am 9.6. an?"),
        ("Notar: 09.06.2026, 14 Uhr", "Was ist übernächste Woche?"),
        ("Ute kommt Di 9.6.26", "Was ist am 9. Juni?"),
        ("Chiropodist 9th, noon", "What's on 9 June?"),
        ("9th: chiropodist", "What is coming up the week after next?"),
        ("Chiropodist on 6/13", "What's on 13 June?"),
        ("9号陆姐要来查库存。", "六月9号有什么安排?"),
        ("体检定在9号。", "下下周有什么安排?"),
        ("9日下午体检。", "6月9日要做什么?"),
    ],
)
def test_a_note_that_writes_a_day_in_figures_is_found(
    memory: graphmem.Memory, text: str, cue: str
) -> None:
    """No index word of "22.6." was looked up, and a day without a month was one that had been."""
    memory.remember("The cat slept. Kuchen gebacken. 喝了茶。", happened="2026-05-01")
    memory.remember(text, happened="2026-05-26")
    assert [hit.text for hit in memory.recall(cue, use=False)] == [text]


@pytest.mark.parametrize("text", ["Am 3.5. war Oma da.", "Oma kam am 03.05.2026."])
def test_a_note_of_a_day_that_was_is_found_by_its_figures(
    memory: graphmem.Memory, text: str
) -> None:
    """A note may be written days later."""
    memory.remember("Kuchen gebacken.", happened="2026-04-01")
    memory.remember(text, happened="2026-05-20")
    assert memory.recall("Was war am 3. Mai?", use=False)[0].text == text


@pytest.mark.parametrize("day", ["初八", "十二", "十八", "廿六"])
@pytest.mark.parametrize("month", ["冬月", "腊月", "正月"])
def test_a_day_by_the_moon_is_one_to_come(month: str, day: str) -> None:
    """阿杰腊月十八办酒 was unknown on its eve; only what its day of the other calendar shares with
    it was found."""
    now = [datetime(2026, 12, 1, 9, tzinfo=UTC)]
    with graphmem.open(None, worker="none", clock=lambda: now[0]) as memory:
        memory.remember(f"阿杰{month}{day}办酒。")
        memory.remember("今天下雨了。")
        (named,) = mentions(f"{month}{day}", now[0].date(), ahead=True)
        eve = named.period.coming(now[0].date()).first - timedelta(days=1)
        now[0] = datetime(eve.year, eve.month, eve.day, 9, tzinfo=UTC)
        assert [hit.id for hit in memory.recall("明天有什么事？", use=False)] == [1]


@pytest.mark.parametrize(
    ("told", "cue"),
    [
        ("I moved into the flat yesterday.", "What happened on October 7?"),
        ("I cut my thumb on Sunday, three stitches.", "What did Bram do on October 5?"),
        ("We broke up. Three days ago.", "What happened on 5 October?"),
        ("Last Friday my aunt had a fall.", "What happened on October 3?"),
        ("我昨天搬的家", "10月7日发生了什么？"),
        ("三天前做的胃镜，没大事", "Bram10月5日怎么了？"),
        ("Gestern habe ich den Schlüssel verloren.", "Was ist am 7. Oktober passiert?"),
    ],
)
def test_what_was_told_later_of_a_day_is_found_by_it(told: str, cue: str) -> None:
    """ "yesterday" is the day before, which nothing but its text tells."""
    now = datetime(2025, 11, 1, tzinfo=UTC)
    with graphmem.open(None, worker="none", clock=lambda: now) as memory:
        for day in (6, 7, 8, 9):
            at = datetime(2025, 10, day, 20, tzinfo=UTC)
            memory.remember("The soup was fine, as ever.", speaker="Tess", happened=at)
        at = datetime(2025, 10, 8, 20, tzinfo=UTC)  # a Wednesday
        memory.remember(told, speaker="Bram", happened=at)
        assert told in memory.recall(cue, tokens=300, use=False).text


@pytest.mark.parametrize(
    ("told", "day", "cue"),
    [
        ("The day after tomorrow Pavel takes the stove away.", 27, "What is on Friday?"),
        ("Übermorgen holt Pavel den Herd ab.", 27, "Was ist am Freitag?"),
        ("后天小陈来搬旧炉子。", 27, "星期五有什么事？"),
        ("Yesterday we fixed the roof.", 23, "What happened on Friday?"),
        ("昨天我们修了屋顶。", 23, "星期五做了什么？"),
    ],
)
def test_a_weekday_is_also_a_day_that_was_told_by_its_distance(
    told: str, day: int, cue: str
) -> None:
    """Only texts that named the weekday, too, were found."""
    now = datetime(2026, 5, day, 19, tzinfo=UTC)
    with graphmem.open(worker="none", clock=lambda: now) as memory:
        memory.remember(told)
        memory.remember("In three days the chimney sweep comes, or so they say.")
        memory.remember("The kettle whistles.")
        now = datetime(2026, 5, 28, 19, tzinfo=UTC)
        assert memory.recall(cue)[0].text == told


@pytest.mark.parametrize(
    ("told", "cue", "is_meant"),
    [
        ("The electrician comes on Friday.", "What was on November 13?", True),
        ("Lunch with Priya this Friday.", "What did we do on 13 November 2026?", True),
        ("Am Freitag kommt der Elektriker.", "Was war am 13. November?", True),
        ("Freitagabend ist Leas Vorspiel.", "Was war am 13. November 2026?", True),
        ("周五电工来。", "11月13日有什么事？", True),
        ("We lost the match on Friday.", "What was on November 13?", False),
        ("Freitag hat es nur geregnet.", "Was war am 13. November?", False),
        ("上周五去了动物园。", "11月13日有什么事？", False),
        ("Swim meet on Saturday in Leeds.", "Are we free this weekend?", True),
        ("Am Samstag ist Basar.", "Haben wir am Wochenende Zeit?", True),
        ("周六表妹住我们家。", "周末有没有空？", True),
        ("Swim meet on Monday in Leeds.", "Are we free this weekend?", False),
        ("Am Montag ist Basar.", "Was ist am Wochenende los?", False),
    ],
)
def test_a_plan_told_by_its_weekday_is_found_by_its_date(
    told: str, cue: str, is_meant: bool
) -> None:
    """A past day was looked for in what the week after told of it alone, and where a sentence does
    not say so its weekday was taken for the last one."""
    now = datetime(2026, 11, 10, 19, tzinfo=UTC)  # a Tuesday
    with graphmem.open(worker="none", clock=lambda: now) as memory:
        memory.remember(told, happened=now)
        now += timedelta(days=2 if "end" in cue or "末" in cue else 14)
        assert bool(memory.recall(cue, use=False)) is is_meant


LAST = [
    ("What did we talk about last time?", "What did we discuss last time with Mirela?"),
    ("Hi, where did we leave off?", "Where were we on holiday last time?"),
    ("What was our last conversation about?", "What did Tom say last week?"),
    ("上次我们聊了什么？", "上次和小林聊了什么？"),
    ("你好，我们说到哪儿了？", "我们走到哪儿了？"),
    ("Was haben wir letztes Mal besprochen?", "Was haben wir letztes Mal gegessen?"),
    ("Hallo, wo waren wir stehen geblieben?", "Wo waren wir zuletzt im Urlaub?"),
]


@pytest.mark.parametrize(("asked", "about"), LAST)
def test_what_was_talked_about_last(memory: graphmem.Memory, asked: str, about: str) -> None:
    """Prevents: "Where did we leave off?" brings back what shares a word with it, months ago."""
    for day, text in [
        (1, "We spoke about our last meeting, and where Ina left her bag."),
        (28, "Mirela brings the projector."), (28, "Then the roof: Jens asks for an offer."),
        (30, "Good evening, the rain is back."),
    ]:  # fmt: skip
        memory.remember(text, happened=datetime(2026, 5, day, 10, tzinfo=EAST))
    told = [hit.text for hit in memory.recall(asked, use=False)]
    assert told == ["Mirela brings the projector.", "Then the roof: Jens asks for an offer."]
    assert [hit.text for hit in memory.recall(about, use=False)] != told
