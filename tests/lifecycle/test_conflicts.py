"""Two memories that contradict each other are found, shown, and decided by whoever asks.

Without this a memory answers with whichever of two values it happens to meet, and nobody is told.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import ArgumentTypeError, ForgottenError, InvalidArgumentError
from graphmem.runtime.open_scope import OpenScope

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
OSLO, PRAGUE = "I live in Oslo.", "Last month I moved to Prague."


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(hours=1)
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(clock: Clock) -> Iterator[graphmem.Memory]:
    with graphmem.open(
        worker="none", clock=clock, tuning=graphmem.Tuning(conflict_patience=60.0)
    ) as opened:
        yield opened


def told(memory: graphmem.Memory, *texts: str, by: str | None = "Ada") -> list[int]:
    return [memory.remember(text, speaker=by)[0].id for text in texts]


@pytest.mark.parametrize(
    ("older", "newer", "values"),
    [
        (
            "储物间的租金每月三百元。",
            "储物间的租金涨到每月三百五十元了。",
            ("300", "350"),
        ),
        (
            "11月24日上午十点跟图书馆开会，312会议室。",
            "跟图书馆的会改到11月26日了，时间和会议室不变。",
            ("11-24", "11-26"),
        ),
    ],
)
def test_words_that_stand_in_no_other_memory_hide_no_conflict(
    memory: graphmem.Memory, older: str, newer: str, values: tuple[str, str]
) -> None:
    """The rarest words of a Chinese sentence are bigrams of its own: only six were looked up, and
    found nothing."""
    told(memory, older, newer)
    (found,) = memory.review.conflicts()
    assert found.values == values


def test_what_many_others_say_of_themselves_hides_no_conflict(memory: graphmem.Memory) -> None:
    """Of all who said where they live the newest twelve were compared, whoever they were."""
    (oslo,) = told(memory, OSLO)
    for number, town in enumerate(
        "Bonn Brno Caen Cork Gera Graz Jena Kiel Leeds Liege Lodz Lyon Metz Nice Pisa York".split()
    ):
        told(memory, f"I live in {town}.", f"I moved to {town}.", by=f"Guest{number}")
    (prague,) = told(memory, "I moved to Prague.")
    assert (oslo, prague) in [conflict.pair for conflict in memory.review.conflicts()]


@pytest.mark.parametrize(
    ("older", "newer", "kind", "values"),
    [
        (OSLO, PRAGUE, "time", ("oslo", "prague")),
        ("我住在杭州。", "我上周搬到了成都。", "time", ("杭州", "成都")),
        (
            "The service runs on Node 18.",
            "The service runs on Node 20 now.",
            "version",
            ("18", "20"),
        ),
        ("会议定在周三下午三点。", "会议改到周四下午三点。", "time", ("wednesday", "thursday")),
        ("会议在周一。", "会议改到周四。", "time", ("monday", "thursday")),
        ("I go to the gym on Monday.", "I go to the gym on Thursday now.", "time", None),
        ("I like dark mode in the editor.", "I like light mode in the editor.", "preference", None),
    ],
)
def test_what_contradicts_is_found(
    memory: graphmem.Memory, older: str, newer: str, kind: str, values: tuple[str, str] | None
) -> None:
    one, *_, other = told(memory, older, "The kettle is loud.", newer)
    (found,) = memory.review.conflicts()
    assert found.pair == (one, other)
    assert found.kind == kind
    assert values in (None, found.values)
    assert found.proposal == (None if kind == "preference" else other)
    assert found.dates == (memory[one].valid_from, memory[other].valid_from)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ada is allergic to nuts.", "Ada is allergic to shellfish."),
        ("I speak German.", "I speak Polish."),
        ("My sister lives in Oslo.", "I live in Prague."),
        ("Should we move to Prague?", OSLO),
        ("王工负责支付。", "李工负责搜索。"),
        ("I go to the gym on Monday at six.", "I go to the gym on Thursday at seven."),
        ("Yoga class is on Tuesday mornings.", "Yoga class is on Saturday evenings."),
        ("The museum opens late on Monday.", "The museum opens late on Friday."),
        ("My brother works on Monday.", "My brother works on Thursday."),
        ("瑜伽课在周二。", "瑜伽课在周六。"),
        ("小林周二下午三点有游泳课。", "小林周五下午四点也有游泳课。"),
        ("我妈腊月初八过生日。", "我妈的药换成缬沙坦了。"),
        ("我爸属龙，爱下象棋。", "我爸的车换成电动的了。"),
        ("我现在租在莲塘小区。", "我们组搬到八楼了。"),
        ("我住在莲塘小区。", "我把工位搬到窗边了。"),
        ("老板住在滨江。", "老板的办公室搬到十楼了。"),
        ("今天公交晚点了5分钟，路上有点堵。", "今天公交晚点了9分钟，路上有点堵。"),
        ("Booked a cottage instead of the hotel.", "Booked a cottage instead of the hotel."),
    ],
)
def test_what_may_both_be_is_no_conflict(memory: graphmem.Memory, first: str, second: str) -> None:
    told(memory, first, second)
    assert memory.review.conflicts() == []


def test_a_conflict_names_the_days_of_the_zone_of_the_clock() -> None:
    """A note of the 27th in Shanghai was told as of the 26th."""
    now = datetime(2026, 6, 8, 12, tzinfo=timezone(timedelta(hours=8)))
    tuning = graphmem.Tuning(conflict_patience=60.0)
    with graphmem.open(None, worker="none", clock=lambda: now, tuning=tuning) as memory:
        memory.remember("I live in Porto.", happened="2026-05-27")
        (found,) = memory.remember("I moved to Leeds.", happened="2026-06-01").conflicts
        assert [str(day.date()) for day in found.dates] == ["2026-05-27", "2026-06-01"]
        assert str(found) == str(memory.review.conflicts()[0])


def test_a_conflict_of_the_first_day_of_all_is_listed() -> None:
    """West of Greenwich no day is before it: a review broke for good."""
    now = datetime(2026, 6, 8, 12, tzinfo=timezone(timedelta(hours=-8)))
    tuning = graphmem.Tuning(conflict_patience=60.0)
    with graphmem.open(None, worker="none", clock=lambda: now, tuning=tuning) as memory:
        memory.remember("I live in Porto.", happened="0001-01-01T00:00:00+00:00")
        memory.remember("It rained.")
        assert memory.remember("I moved to Leeds.", happened="2026-06-01").conflicts
        assert len(memory.review.conflicts()) == 1


def test_what_is_told_again_takes_no_place(memory: graphmem.Memory) -> None:
    """A repeat was to replace what it repeats."""
    told(memory, "Swapped shifts with Joel.", "It rained.")
    written = memory.remember("Swapped shifts with Joel.")
    assert written.may_replace == ()


def test_remember_tells_what_it_seems_to_contradict(memory: graphmem.Memory) -> None:
    (oslo,) = told(memory, OSLO)
    written = memory.remember(PRAGUE, speaker="Ada")
    assert [c.pair for c in written.conflicts] == [(oslo, written[0].id)]
    assert memory[oslo].valid_to is None  # nothing resolves itself


def test_remember_does_not_look_without_patience(clock: Clock) -> None:
    with graphmem.open(
        worker="none", clock=clock, tuning=graphmem.Tuning(conflict_patience=0.0)
    ) as memory:
        told(memory, OSLO)
        assert memory.remember(PRAGUE, speaker="Ada").conflicts == ()
        assert len(memory.review.conflicts()) == 1


def test_keeping_the_newer_closes_the_older_from_when_the_newer_holds(
    memory: graphmem.Memory,
) -> None:
    one, other = told(memory, OSLO, PRAGUE)
    (found,) = memory.review.conflicts()
    assert [c.pair for c in memory.review.resolve(found, keep=other)] == [(one, other)]
    assert memory[one].valid_to == memory[other].valid_from
    assert [
        (k.source, k.target) for k in memory.graph.links(other) if k.relation == "supersedes"
    ] == [(other, one)]
    assert memory.review.conflicts() == []
    asked = memory.recall("Where does Ada live?", use=False, cut="none")
    assert [hit.id for hit in asked] == [other]
    assert memory.admin.check() == []


def test_keeping_the_older_closes_the_newer_now(memory: graphmem.Memory) -> None:
    one, other = told(memory, OSLO, PRAGUE)
    memory.review.resolve(f"{one},{other}", keep=one)
    assert memory[one].valid_to is None
    begun, ended = memory[other].valid_from, memory[other].valid_to
    assert begun is not None
    assert ended is not None
    assert begun < ended


def test_both_may_hold_and_are_not_asked_about_again(memory: graphmem.Memory) -> None:
    one, other = told(memory, OSLO, PRAGUE)
    assert [c.pair for c in memory.remember(PRAGUE, speaker="Ada").conflicts] == [(one, other)]
    memory.review.resolve((one, other), keep="both")
    assert memory.review.conflicts() == []
    assert memory.remember(PRAGUE, speaker="Ada").conflicts == ()  # told once more
    assert len(memory) == 2
    assert memory[one].valid_to is None
    assert memory[other].valid_to is None


def test_the_automatic_policy_needs_a_text_that_says_what_it_replaces(
    memory: graphmem.Memory,
) -> None:
    one, other = told(memory, OSLO, PRAGUE)
    database, moved = told(
        memory,
        "The project uses Postgres for storage.",
        "We switched the project from Postgres to SQLite for storage.",
    )
    assert [c.pair for c in memory.review.resolve("all", policy="auto")] == [(database, moved)]
    assert memory[database].valid_to is not None
    assert [c.pair for c in memory.review.conflicts()] == [(one, other)]


def test_what_cannot_be_resolved_is_refused(memory: graphmem.Memory) -> None:
    one, other = told(memory, OSLO, PRAGUE)
    with pytest.raises(InvalidArgumentError, match="which memory to keep"):
        memory.review.resolve((one, other))
    with pytest.raises(InvalidArgumentError, match="'both'"):
        memory.review.resolve((one, other), keep=77)
    with pytest.raises(InvalidArgumentError, match="itself"):
        memory.review.resolve((one, one), keep=one)
    with pytest.raises(ArgumentTypeError):
        memory.review.resolve("one", keep=one)
    for number in ("²", "9" * 5000):  # which Python calls digits, and does not read
        with pytest.raises(ArgumentTypeError):
            memory.review.resolve((one, number), keep=one)
        with pytest.raises(ArgumentTypeError):
            memory.review.resolve((one, other), keep=number)
    memory.review.resolve((one, other), keep=other)
    with pytest.raises(InvalidArgumentError, match="replaced"):
        memory.review.resolve((one, other), keep=one)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Iris is allergic to walnuts.", "The kettle is broken."),
        ("I live in Oslo.", "I live in Oslo with my sister."),
        ("伊莉对核桃过敏。", "水壶坏了。"),
        ("Iris ist gegen Walnüsse allergisch.", "Der Wasserkocher ist kaputt."),
    ],
)
@pytest.mark.parametrize("keep", [0, 1, "both"])
def test_two_memories_that_do_not_contradict_each_other_cannot_be_resolved(
    memory: graphmem.Memory, first: str, second: str, keep: int | str
) -> None:
    """A mistyped id closed a pinned allergy for good, without an error."""
    (one,) = memory.remember(first, pin=True)
    (other,) = memory.remember(second)
    kept = (one.id, other.id)[keep] if isinstance(keep, int) else keep
    with pytest.raises(InvalidArgumentError, match=r"do not contradict .* replace\(old, by=new\)"):
        memory.review.resolve((one.id, other.id), keep=kept)
    assert [(node.valid_to, node.pinned) for node in memory] == [(None, True), (None, False)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I live in Oslo. I am allergic to walnuts.", "I live in Prague."),
        ("我对核桃过敏，住在成都。", "我住在杭州。"),
        ("Ich wohne in Köln und bin allergisch gegen Walnüsse.", "Ich wohne in Bonn."),
    ],
)
@pytest.mark.parametrize("backwards", [False, True])
def test_what_protects_somebody_does_not_give_way_to_what_does_not(
    memory: graphmem.Memory, first: str, second: str, backwards: bool
) -> None:
    texts = (second, first) if backwards else (first, second)
    one, other = told(memory, *texts)
    guarding, kept = (other, one) if backwards else (one, other)
    assert [c.pair for c in memory.review.conflicts()] == [(one, other)]
    with pytest.raises(InvalidArgumentError, match="protects somebody"):
        memory.review.resolve((one, other), keep=kept)
    assert memory.review.resolve((one, other), keep=guarding)
    assert memory[kept].valid_to is not None


def test_nothing_pinned_is_closed_without_being_asked(memory: graphmem.Memory) -> None:
    (old,) = memory.remember("The project uses Postgres for storage.", pin=True)
    (new,) = memory.remember("We switched the project from Postgres to SQLite for storage.")
    assert memory.review.resolve("all", policy="auto") == []
    assert [c.pair for c in memory.review.conflicts()] == [(old.id, new.id)]
    assert memory.review.resolve((old.id, new.id), keep=new)
    assert memory[new].pinned


def test_a_forgotten_memory_contradicts_nothing(memory: graphmem.Memory) -> None:
    one, _ = told(memory, OSLO, PRAGUE)
    assert len(memory.review.conflicts()) == 1
    memory.forget(one)
    assert memory.review.conflicts() == []


def test_conflicts_are_compared_once_and_kept(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with graphmem.open(
        tmp_path / "m", worker="none", clock=clock, tuning=graphmem.Tuning(conflict_patience=0.0)
    ) as memory:
        one, other = told(memory, OSLO, PRAGUE)
        assert len(memory.review.conflicts()) == 1
    with graphmem.open(tmp_path / "m", worker="none", clock=clock, read_only=True) as memory:
        assert [c.pair for c in memory.review.conflicts()] == [(one, other)]
    with graphmem.open(tmp_path / "m", worker="none", clock=clock) as memory:
        looked: list[int] = []
        near = type(rooms(memory).contradictions)._near

        def counting(self: object, view: object, index: object, mine: object, until: object):  # type: ignore[no-untyped-def]
            looked.append(1)
            return near(self, view, index, mine, until)  # type: ignore[arg-type]

        monkeypatch.setattr(type(rooms(memory).contradictions), "_near", counting)
        assert len(memory.review.conflicts()) == 1
        assert looked == []
        assert memory.admin.check() == []
    assert isinstance(rooms(memory), OpenScope)


# -- what was known --------------------------------------------------------------------------------


def test_what_was_corrected_appears_only_under_known_at(
    memory: graphmem.Memory, clock: Clock
) -> None:
    (one,) = told(memory, "The review is on May 3.")
    then = clock()
    memory.correct(one, "The review is on May 10.")
    now = clock()
    for when, text in ((then, "The review is on May 3."), (now, "The review is on May 10.")):
        asked = memory.recall("When is the review?", where=graphmem.Where(known_at=when), use=False)
        assert [hit.text for hit in asked] == [text]
        assert [node.text for node in memory.nodes(where=graphmem.Where(known_at=when))] == [text]
    assert list(memory.nodes(where=graphmem.Where(known_at=START))) == []


def test_what_was_forgotten_or_replaced_since_was_known(
    memory: graphmem.Memory, clock: Clock
) -> None:
    one, other = told(memory, OSLO, "The kettle is loud.")
    then = clock()
    memory.replace(one, "I live in Prague.")
    memory.forget(other)
    with pytest.raises(ForgottenError):
        memory[other]
    known = list(memory.nodes(where=graphmem.Where(known_at=then)))
    assert [(node.id, node.valid_to) for node in known] == [(one, None), (other, None)]
    assert [
        node.id for node in memory.nodes(where=graphmem.Where(known_at=then), words="kettle")
    ] == [other]
    assert [
        hit.id for hit in memory.recall("loud kettle", where=graphmem.Where(known_at=then))
    ] == [other]
    assert (
        memory.recall("Where does Ada live?", where=graphmem.Where(known_at=then))[0].text == OSLO
    )
    # With as_of: what was known then to hold then.
    assert (
        memory.recall(
            "Where does Ada live?",
            where=graphmem.Where(known_at=then, as_of=then),
        )[0].text
        == OSLO
    )


def test_what_was_replaced_is_so_though_its_successor_was_forgotten(
    memory: graphmem.Memory, clock: Clock
) -> None:
    """Whoever asked what was known was told that Ada lived in Oslo again."""
    (one,) = told(memory, OSLO)
    memory.forget(memory.replace(one, "I live in Prague.")[0])
    (node,) = memory.nodes(where=graphmem.Where(known_at=clock()))
    assert node.id == one
    assert node.valid_to == memory[one].valid_to is not None


def test_other_modes_do_not_know_what_was_known(memory: graphmem.Memory, clock: Clock) -> None:
    told(memory, OSLO)
    with pytest.raises(InvalidArgumentError, match="activation"):
        memory.recall("Oslo", mode="focus", where=graphmem.Where(known_at=clock()))


def test_queries_see_since_when_and_until_when_a_memory_holds(
    memory: graphmem.Memory, clock: Clock
) -> None:
    (one,) = told(memory, OSLO)
    other = memory.replace(one, "I live in Prague.")[0]
    rows = memory.graph.sparql("SELECT ?n ?from { ?n memory:validFrom ?from }")
    since = {str(n): when.toPython() for n, when in rows}
    assert since == {f"node:{n.id}": n.valid_from for n in (memory[one], other)}
    (row,) = memory.graph.sparql("SELECT ?n ?to { ?n memory:validTo ?to }")
    assert row[1].toPython() == other.valid_from
    assert not list(memory.graph.sparql("SELECT ?n { ?n memory:expires ?when }"))


@pytest.mark.parametrize(
    "texts",
    [(OSLO, PRAGUE, "Iris has a dog."), ("我住在杭州。", "上个月我搬到了苏州。", "小王有一条狗。")],
)
def test_it_is_said_when_the_time_ran_out(tmp_path: Path, texts: tuple[str, ...]) -> None:
    """Nothing was listed, and it read as if nothing contradicted anything."""
    with graphmem.open(
        tmp_path / "m", worker="none", tuning=graphmem.Tuning(conflict_patience=0.0)
    ) as memory:
        for text in texts:
            memory.remember(text, speaker="Jonas")
        with graphmem.attach(tmp_path / "m") as attached:
            found = attached.review.conflicts(seconds=0.0)
            assert found == []
            assert "0 seconds ran out" in found.notes[0]
            assert "ran out" in memory.review.conflicts(seconds=0.0).notes[0]
            found = attached.review.conflicts()
            assert (len(found), found.notes) == (1, ())
            assert memory.review.conflicts().notes == ()


@pytest.mark.parametrize(
    ("older", "newer", "is_offered"),
    [
        ("Tom can't have penicillin, he came out in hives.", "Tom isn't allergic to wasps.", False),
        ("Tom is allergic to penicillin.", "Tom is no longer allergic to penicillin.", True),
        ("Tom is allergic to penicillin.", "Tom isn't allergic to wasps.", False),
        ("Leo must not eat eggs.", "Leo may eat eggs again.", True),
        ("小雨对花生过敏。", "小雨的花生过敏好了。", True),
        ("小莲对青霉素过敏。", "小莲不对花粉过敏。", False),
        ("爷爷在吃华法林，不能吃阿司匹林。", "爷爷的华法林停了。", True),
    ],
)
def test_a_warning_is_offered_only_to_what_speaks_of_the_same(
    memory: graphmem.Memory, older: str, newer: str, is_offered: bool
) -> None:
    """A penicillin allergy was offered to be replaced by "isn't allergic to wasps"."""
    memory.remember(older)
    assert bool(memory.remember(newer).may_replace) is is_offered


@pytest.mark.parametrize(
    ("told", "reply", "changed"),
    [
        ("My doctor is Dr Chen.", "I've noted that.", "My doctor is Dr Hale now."),
        ("我的医生是陈主任。", "好的，记下了。", "我的医生换成李主任了。"),
    ],
)
def test_a_reply_takes_nobodys_place_and_nobody_takes_its_own(
    memory: graphmem.Memory, told: str, reply: str, changed: str
) -> None:
    """好的，记下了 was offered in the place of the doctor's note."""
    memory.remember(told)
    assert memory.remember(reply).may_replace == ()
    assert memory.remember(f"{changed} {reply}").may_replace != ()


def test_remember_offers_what_the_new_memory_may_replace(memory: graphmem.Memory) -> None:
    """Nobody called `replace`, for nobody was asked; so both values were told for ever."""
    (golf, _) = told(memory, "Lena drives a red Golf.", "The kettle is loud.", by=None)
    written = memory.remember("Lena sold the Golf and cycles now.")
    (offer,) = written.may_replace
    assert (offer.id, offer.text) == (golf, "Lena drives a red Golf.")
    assert offer.reason == "the new one may give another value"
    memory.remember("The ferry costs 9 euros.")
    (offer,) = memory.remember("The ferry costs 12 euros now.").may_replace
    assert offer.reason == "the new one says that this changed"
    assert memory.remember("We had peas for dinner.").may_replace == ()
    assert memory[golf].valid_to is None


def test_no_more_than_three_are_offered(memory: graphmem.Memory) -> None:
    told(memory, *(f"The harbour ferry costs {price} euros." for price in range(7, 12)), by=None)
    assert len(memory.remember("The harbour ferry costs 14 euros now.").may_replace) == 3


@pytest.mark.parametrize(
    "texts",
    [
        (
            "We viewed a house in Bishopston, £1,450 a month, two bedrooms, no pets allowed though."
            " And one in Horfield for £1,280, cats ok, available from January 4.",
            "I GOT THE JOB!!! Start date is January 18, band 6, £38,682.",
        ),
        ("我们看了望京的房子，一个月4500元，两居室。", "我拿到工作了！1月18日入职，9800元。"),
        ("No, sorry, it's 4417.", "My phone number has changed, it's 07700900461 now."),
        ("不对，是8032。", "我的手机号换了，现在是13912345678。"),
    ],
)
def test_what_shares_no_attribute_is_no_conflict(
    memory: graphmem.Memory, texts: tuple[str, str]
) -> None:
    """A house that was for rent was proposed to go for a salary, and told as no longer so."""
    told(memory, *texts)
    assert memory.review.conflicts() == []
    for text in texts:
        assert not any(hit.earlier for hit in memory.recall(text, use=False))


def test_what_is_over_is_printed_without_an_empty_slot(memory: graphmem.Memory) -> None:
    """A line began with "time ():"."""
    told(memory, "Mia plays piano on Thursdays.", "Mia quit piano.", by=None)
    (conflict,) = memory.review.conflicts()
    assert str(conflict).startswith(f"time: {conflict.older.id} [")


def test_comparing_for_conflicts_asks_only_for_conflicts(
    memory: graphmem.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first look at 10,000 memories took minutes: of each pair it also asked what speaks for
    the newer one's taking the place of the older one, and then threw that away."""

    def refuse(*given: object) -> None:
        raise AssertionError("nobody asked what may be replaced")

    with memory.transaction():  # in which nothing is compared
        older = memory.remember("I live in Berlin.", speaker="Wen")[0].id
        memory.remember("The kettle in the kitchen is broken.", speaker="Iris")
        newer = memory.remember("I moved to Lisbon.", speaker="Wen")[0].id
    monkeypatch.setattr("graphmem.lifecycle.conflicts._offer", refuse)
    assert [each.pair for each in memory.review.conflicts()] == [(older, newer)]
