"""What may be cleaned away: each class finds its own, and never what protects somebody.

A cleaner that lists the allergy because it is short, or keeps the access token because it is long,
does the opposite of what it is for.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

import graphmem
from graphmem.errors import (
    ArgumentTypeError,
    ForgottenError,
    InvalidArgumentError,
    UnknownNodeError,
)
from graphmem.exchange import transfer
from tests.clock import Clock

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
SECRET = "The deploy password is Tr0ub4dor-hunter2."
VALUE = "Tr0ub4dor"


def listed(memory: graphmem.Memory, kind: str | None = None) -> dict[int, str]:
    found = memory.review.candidates(kind)  # type: ignore[arg-type]
    return {each.node: each.kind for each in found}


def test_each_class_finds_its_own(memory: graphmem.Memory, clock: Clock) -> None:
    (ghent,) = memory.remember("Wen lives in Ghent.")
    (visit,) = memory.remember("My dentist appointment is on January 20 at nine.")
    (ended,) = memory.remember("The car is on level three.", expires=timedelta(days=25, minutes=30))
    (chatter,) = memory.remember("ok, thanks!")
    (token,) = memory.remember(SECRET, about=graphmem.About(allow=["password"]))
    (perhaps,) = memory.remember("Maybe Ana prefers the old layout, I am not sure.")
    (first,) = memory.remember("Ana prefers green tea.", speaker="Ben")
    memory.remember("Ana prefers green tea.", speaker="Cem")
    (again,) = memory.remember("ana prefers GREEN tea!", speaker="Ben")
    clock.now += timedelta(days=25)
    memory.replace(ghent, "Wen lives in Lyon.")
    clock.now += timedelta(hours=1)
    assert listed(memory) == {
        token.id: "secret", chatter.id: "trivial", ghent.id: "obsolete", ended.id: "expired",
        visit.id: "expired", first.id: "redundant",
    }  # fmt: skip
    assert listed(memory, "uncertain") == {perhaps.id: "uncertain"}
    by_node = {each.node: each for each in memory.review.candidates()}
    assert "2026-01-20" in by_node[visit.id].reason
    assert f"node {again.id} says the same" in by_node[first.id].reason
    assert "held until 2026-01-26" in by_node[ghent.id].reason
    assert "hidden" in by_node[ended.id].reason
    assert by_node[token.id].text == "The deploy password is [password]."
    assert VALUE not in repr(list(by_node.values()))
    assert by_node[first.id].lost.startswith("1 sentence, ")
    assert by_node[ghent.id].lost.endswith(", and what recall says of that time")
    assert not any(", 0 " in each.lost for each in by_node.values())
    assert [each.node for each in memory.review.candidates(limit=2)] == [token.id, chatter.id]


@pytest.mark.parametrize(
    "text",
    [
        "我对花生过敏", "我乳糖不耐受", "No cashews for Jonas!", "喝茶", "I moved.", "B+", "42",
        "他是医生", "Yes, in Lisbon.", "Thanks, the code word is Pelican.", "The build needs numpy.",
        "测试环境用 Node 20", "Testing the brakes is due.", "Is Wen here?", "收到，明天交房租",
        "ok the deadline is Friday", "Gluten: no.", "My project is a bridge.",
    ],
)  # fmt: skip
def test_what_says_something_is_not_trivial(memory: graphmem.Memory, text: str) -> None:
    memory.remember(text)
    assert listed(memory, "trivial") == {}


@pytest.mark.parametrize(
    "text",
    [
        "ok", "好的", "谢谢！", "嗯嗯，好", "收到。", "Thanks, got it!", "…", "👍", "test 123",
        "测试记忆 - 时间戳 2026-01-15", "验证通过", "测试成功！", "All tests passed.",
        "部署完成了", "Done.", "It is what it is.", "hello world", "LGTM",
    ],
)  # fmt: skip
def test_what_says_nothing_is_trivial(memory: graphmem.Memory, text: str) -> None:
    (node,) = memory.remember(text)
    assert listed(memory, "trivial") == {node.id: "trivial"}
    memory.pin(node)
    assert listed(memory, "trivial") == {}


def test_until_when_it_held_is_a_day_of_the_clock_s_zone() -> None:
    """What held until 26 January in Shanghai was listed as until the 25th."""
    now = datetime(2026, 1, 26, 12, tzinfo=timezone(timedelta(hours=8)))
    with graphmem.open(None, worker="none", clock=lambda: now) as memory:
        (ghent,) = memory.remember("Wen lives in Ghent.", happened="2026-01-02")
        memory.replace(ghent, "Wen lives in Lyon.", since="2026-01-26")
        (found,) = memory.review.candidates("obsolete")
        assert "held until 2026-01-26" in found.reason


def test_what_protects_or_binds_is_never_over(memory: graphmem.Memory, clock: Clock) -> None:
    memory.remember("Jonas is allergic to cashews, today he carries his epi-pen.")
    memory.remember("今天起我不能吃花生，我对花生过敏。")
    (tax,) = memory.remember("The tax must be paid by October 31.")
    clock.now += timedelta(days=200)
    assert listed(memory) == {}
    clock.now += timedelta(days=150)
    assert listed(memory) == {tax.id: "expired"}
    policy = memory.review.clean()
    assert tax.id in {each.node for each in (*policy.automatic, *policy.asked)}


def test_what_is_done_on_the_day_that_it_is_told_is_no_appointment(
    memory: graphmem.Memory, clock: Clock
) -> None:
    """A bike ride "today" was to be cleaned away two days later; so was a job of three days."""
    memory.remember("今天跟表姐去江边骑车。")
    memory.remember("I work three days a week at the library, Monday to Wednesday.")
    clock.now += timedelta(days=30)
    assert listed(memory) == {}


def test_the_policy_asks_about_what_binds(memory: graphmem.Memory, clock: Clock) -> None:
    (binds,) = memory.remember("I promised Wen 900 euros of rent every month.")
    (plumber,) = memory.remember("The plumber comes tomorrow at nine.")
    clock.now += timedelta(days=100)
    found = memory.review.clean()
    assert [each.node for each in found.automatic if each.node == plumber.id] == [plumber.id]
    assert memory.review.retention(binds).policy in ("automatic", "confirm", "none")
    assert binds.id not in {each.node for each in found.automatic}
    assert memory.review.clean(policy=False).asked == tuple(memory.review.candidates())
    assert len(found) == len(found.automatic) + len(found.asked)
    lines = str(found).splitlines()
    assert lines[0] == f"without asking: {len(found.automatic)}"
    assert lines[len(found.automatic) + 1] == f"asked: {len(found.asked)}"
    assert lines[1] == str(found.automatic[0])
    assert len(memory) == 2


@pytest.mark.parametrize(
    "text",
    [
        "Das Methanol im Abzug 2 ist giftig, nur mit Handschuhen und nie allein arbeiten.",
        "The gas tap must stay shut, the pipe leaks.",
        'Rule for everybody: no force-push to main, ever, not even "just this once".',
        "Never touch anything under vendor/, it's generated by the build farm.",
        "Regel für alle: kein Force-Push auf main.",
        "家里的规矩：进门换鞋。",
        "煤气报警器响了先关阀门再开窗，别开灯。",
        "Mein Reisepass läuft bis zum 14. Juni 2031, er steckt im Bauchgurt.",
        "Die Spirulina steht bei 32 Grad.",
        "面粉从城南老孙那儿进，一袋八十五。",
        "Training ist dienstags und donnerstags um 18 Uhr.",
    ],
)
def test_no_policy_removes_what_protects_binds_or_is_a_value_unasked(
    memory: graphmem.Memory, clock: Clock, text: str
) -> None:
    """`policies` listed by age alone, and with "clean" a rule was asked about for a year only."""
    (node,) = memory.remember(text)
    (chatter,) = memory.remember("The weather was mild and nobody had anything to report.")
    clock.now += timedelta(days=700)
    assert node.id not in memory.review.policies()["automatic"]
    assert node.id not in {each.node for each in memory.review.clean().automatic}
    assert memory.review.policies()["automatic"] == [chatter.id]


@pytest.mark.parametrize(
    "text",
    [
        "日语二在周三下午两点，三教二零五。", "组会在周五上午九点。", "广场舞在周二晚上七点，银行门口。",
        "Pilates is Thursday at six, room 2.", "The market is Saturday mornings.",
        "Wassergymnastik ist Donnerstag um sechs.", "Coverage must stay above 85 %.",
        "下周一上班，工资五千。", "The desk is staffed Monday to Friday, 9 to 17.",
        "Apotheke: Montag bis Samstag 8 bis 18 Uhr.", "柜台周一到周五九点到五点营业。",
    ],
)  # fmt: skip
def test_what_may_come_again_or_must_hold_is_never_over(
    memory: graphmem.Memory, clock: Clock, text: str
) -> None:
    """The only note that said when the class is was listed as expired, as was a threshold."""
    memory.remember(text)
    clock.now += timedelta(days=270)
    assert listed(memory) == {}


def test_of_repeats_the_pinned_then_the_most_used_then_the_newest_stays(
    memory: graphmem.Memory,
) -> None:
    """What recall leads to would go, for the sake of a repeat that nobody has asked for."""
    told = ("Ana prefers green tea.", "ana prefers green tea!", "ANA PREFERS GREEN TEA.")
    first, second, third = (memory.remember(text)[0].id for text in told)
    assert listed(memory, "redundant") == {first: "redundant", second: "redundant"}
    memory.used(second)
    memory.admin.enrich()
    assert memory[second].uses == 1
    assert listed(memory, "redundant") == {first: "redundant", third: "redundant"}
    memory.pin(first)
    assert listed(memory, "redundant") == {second: "redundant", third: "redundant"}


def test_a_day_that_repeats_is_no_repetition(memory: graphmem.Memory) -> None:
    for day in ("2026-01-02", "2026-01-03"):
        memory.remember("Went running with Ana.", happened=day)
    for text in (
        "Is the tea green?",
        "The tea is -5 degrees.",
        "The tea is 5 degrees.",
        "C",
        "C++",
    ):
        memory.remember(text)
    assert listed(memory, "redundant") == {}


def test_what_is_archived_comes_back(memory: graphmem.Memory) -> None:
    nodes = [memory.remember(f"ok {thanks}")[0] for thanks in ("thanks!", "thank you.", "cheers")]
    (kept,) = memory.remember("Ana prefers green tea.")
    with pytest.raises(UnknownNodeError):
        memory.review.archive([nodes[0], 99])
    assert len(memory) == 4
    assert memory.review.archive([nodes[0], nodes[1].id, nodes[0]]) == 2
    assert [n.id for n in memory.nodes()] == [nodes[2].id, kept.id]
    assert {f.why for f in memory.history.forgotten()} == {"asked"}
    assert memory.history.revive(nodes[0].id).text == nodes[0].text
    with pytest.raises(ForgottenError):
        memory.review.archive([nodes[1]])
    with pytest.raises(ArgumentTypeError):
        memory.review.archive("12")  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError):
        memory.review.clean(policy=1)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError):
        memory.review.candidates("rotten")  # type: ignore[arg-type]
    assert memory.admin.check() == []


def test_the_secrets_of_an_old_memory_are_found_and_erased(tmp_path: Path) -> None:
    """A memory that was kept without a guard for months: forms in the archive count as well."""
    with graphmem.open(tmp_path / "m", worker="none", guard="off") as memory:
        (live,) = memory.remember(SECRET)
        (was,) = memory.remember(SECRET.replace("deploy", "router"))
        (gone,) = memory.remember(SECRET.replace("deploy", "mail"))
        (speaker,) = memory.remember("The sky is blue.", speaker=f"password: {VALUE}-hunter3")
        (noted,) = memory.remember("The sky is grey.", metadata={"floor": 2, "password": VALUE})
        (named,) = memory.remember("Green.", about=graphmem.About(keywords=[f"password: {VALUE}"]))
        memory.remember("The password is at reception.")
        (new,) = memory.correct(was, "The router has no password.")
        memory.forget(gone)
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        found = memory.review.candidates("secret")
        beside = {speaker.id, noted.id, named.id}
        assert {each.node for each in found} == {live.id, was.id, gone.id, *beside}
        assert {each.node for each in found if each.archived} == {was.id, gone.id}
        assert VALUE not in repr(found)
        memory.forget([each.node for each in found], erase=True)
        assert memory.review.candidates("secret") == []
        assert new in memory
        with pytest.raises(UnknownNodeError):
            memory.forget([99], erase=True)
        assert memory.admin.check() == []
    for folder, _, names in os.walk(tmp_path / "m"):
        for name in names:
            assert VALUE.encode() not in (Path(folder) / name).read_bytes(), name


@pytest.mark.parametrize(
    "said",
    [
        "双十一压测：峰值 8200 QPS，p99 310ms，瓶颈在 Redis。",
        "Paid for the resident's parking, 110 for twelve months, daylight robbery.",
        "Auf der Garage liegt Flachdachbahn von Bauder, 2011 gemacht, Firma Schratt.",
    ],
)
def test_what_the_guard_let_pass_is_no_secret_later(said: str, tmp_path: Path) -> None:
    """The phrase alone, cut before the unit, was read as a code; and so it was on its import."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        kept = memory.remember(said)
        assert kept.cut == ()
        assert memory.review.candidates("secret") == []
        phrase = kept[0].phrase
        assert phrase not in said
    transfer.export(tmp_path / "m", str(tmp_path / "m.jsonl"))
    transfer.load(tmp_path / "n", [str(tmp_path / "m.jsonl")])
    with graphmem.open(tmp_path / "n", worker="none") as memory:
        assert (memory[1].phrase, memory[1].cut) == (phrase, ())


def test_what_only_the_tagger_takes_for_a_secret_is_not_surely_one(tmp_path: Path) -> None:
    """A guess must not erase for good."""
    with graphmem.open(tmp_path / "m", worker="none", guard="off") as memory:
        (guessed,) = memory.remember("Round the back, 4471 and then the green button.")
        (known,) = memory.remember(SECRET)
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        found = {each.node: each for each in memory.review.candidates("secret")}
        assert {node: each.sure for node, each in found.items()} == {
            guessed.id: False,
            known.id: True,
        }
        assert found[guessed.id].reason == "it may hold a code"


def test_what_a_person_confirms_is_certain(memory: graphmem.Memory) -> None:
    (perhaps,) = memory.remember("Maybe Ana prefers the old layout, I am not sure.")
    (kept,) = memory.remember(
        "Maybe the port is open, I am not sure.", about=graphmem.About(keep=True)
    )
    (guessed,) = memory.remember("Maybe Ben prefers green tea, I am not sure.")
    memory.replace(guessed, "Ben prefers black tea.")
    assert listed(memory, "uncertain") == {perhaps.id: "uncertain"}
    with pytest.raises(UnknownNodeError):
        memory.review.confirm([perhaps, 99])
    assert memory.review.confirm([perhaps]) == 1
    assert (memory[perhaps].kind.confidence, memory[perhaps].kind.source) == (1.0, "confirmed")
    assert listed(memory, "uncertain") == {}
    assert memory.review.retention(kept).policy == "never"
    assert memory.review.retention(kept).boost == pytest.approx(0.3)


def test_what_contradicts_is_closed_by_the_newer(memory: graphmem.Memory, clock: Clock) -> None:
    (oslo,) = memory.remember("I live in Oslo.", speaker="Ada")
    clock.now += timedelta(days=9)
    (prague,) = memory.remember("I live in Prague now.", speaker="Ada")
    (found,) = memory.review.candidates("conflicting")
    assert (found.node, found.other) == (oslo.id, prague.id)
    assert "residence" in found.reason
    parts = {part.name: part.value for part in memory.review.status().health.parts}
    assert parts["conflicts"] == 1.0
    memory.review.resolve((oslo.id, prague.id), keep=prague.id)
    assert listed(memory, "conflicting") == {}
    (over,) = memory.review.candidates("obsolete")
    assert (over.node, over.other) == (oslo.id, prague.id)


def test_facts_and_items_are_looked_at_for_secrets(tmp_path: Path) -> None:
    """An audit that only reads nodes calls a memory clean that has the password in a fact."""
    with graphmem.open(tmp_path / "m", worker="none", guard="off") as memory:
        memory.graph.facts.put(graphmem.IRI("urn:router"), graphmem.IRI("urn:note"), SECRET)
        memory.items.put("router", "admin", {"notes": ["blue", SECRET]})
        memory.items.put("router", "colour", "grey")
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        found = memory.review.candidates("secret")
        assert [(each.node, each.place) for each in found] == [
            (0, "fact"),
            (0, "item router admin"),
        ]
        assert VALUE not in repr(found)
        assert len(memory.review.candidates("secret", limit=1)) == 1
        assert memory.review.candidates() == []
        memory.items.delete("router", "admin")
        assert [each.place for each in memory.review.candidates("secret")] == ["fact"]


@pytest.mark.parametrize(
    "said",
    [
        "From today the parking permit is good for three years.",
        "From next Monday the office is on the second floor.",
        "The planning meeting is every Tuesday at ten this month.",
        "The library is open on Saturdays from nine to one.",
        "九月一号起停车证换成蓝色的。",
        "每周三下午三点开例会。",
        "药店周六九点开门，六点关门。",
        "子昂今天开学，班主任是孙丽老师，电话13812345678。",
        "水管工明天来，电话13812345678。",
        "School starts tomorrow; her teacher is Mrs Sun.",
        "The plumber comes tomorrow, phone 0117 496 0233.",
        "Morgen ist Prüfung, ihre Lehrerin ist Frau Sun.",
        "Lunch for the team is on the last Thursday of the month.",
        "Rent is due on the third of the month.",
        "The ferry runs from May to September.",
        "The fiscal year ends on 31 March.",
        "Das Teamessen ist am letzten Donnerstag im Monat.",
    ],
)
def test_what_has_no_end_is_not_over(memory: graphmem.Memory, clock: Clock, said: str) -> None:
    """A contract that began, a weekly meeting and opening hours were listed as expired; so were
    what comes each month and a season."""
    memory.remember(said)
    clock.now += timedelta(days=120)
    assert listed(memory, "expired") == {}


@pytest.mark.parametrize(
    "said",
    [
        "On 25 October we chose Postgres.",
        "We decided on 25 October to use Postgres.",
        "十月二十五号我们定了用Postgres。",
        "Our car is a 2014 Fabia, its MOT is due on 3 November.",
        "Dr Voss's surgery is on Bootham, my first check-up is on 3 November.",
        "新家装的是电信宽带，师傅十一月六号上午来。",
        "The dentist (Dr Voss in Bootham) sees me on 3 November at nine.",
        "Der Wagen (ein Skoda Fabia) muss im März zum TÜV.",
        "周先生（新房东）十一月六号下午来看房。",
    ],
)
def test_what_lasts_is_not_over_after_a_day_that_it_names(
    memory: graphmem.Memory, clock: Clock, said: str
) -> None:
    """The head of tenses calls "On 25 October we chose" a day to come; a car went with its MOT."""
    memory.remember(said, happened=clock.now)
    clock.now += timedelta(days=400)
    assert listed(memory, "expired") == {}


def test_an_appointment_is_over_after_its_day(memory: graphmem.Memory, clock: Clock) -> None:
    (visit,) = memory.remember("The dentist appointment is on January 20 at nine.")
    clock.now += timedelta(days=120)
    assert listed(memory, "expired") == {visit.id: "expired"}


def test_what_was_meant_for_days_is_over_once_nobody_uses_it(
    memory: graphmem.Memory, clock: Clock
) -> None:
    """A note that was used each week would have been offered for removal after a month."""
    days = graphmem.About(kind="short-term")
    (note,) = memory.remember("The spare key hangs in the shed.", about=days)
    clock.now += timedelta(days=31)
    assert listed(memory, "expired") == {note.id: "expired"}
    memory.used(note)
    clock.now += timedelta(days=29)
    assert listed(memory, "expired") == {}


NOTES = [
    ("Wifi password is Marm" + "alade!2291, network FritzBox 7590",
     "Wifi password is [password], network FritzBox 7590"),
    ("爱奇艺账号13900139461，密码Panda" + "#8899xy，12月3号到期。",
     "爱奇艺账号13900139461，密码[password]，12月3号到期。"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "kept"), NOTES)
def test_a_note_whose_secret_is_out_holds_none(said: str, kept: str, tmp_path: Path) -> None:
    """It was listed, and `review clean` erased what was left of it for good."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        (node,) = memory.remember(said, metadata={"password": "[password]"})
        assert node.text == kept
        assert memory.review.candidates("secret") == []
        (again,) = memory.remember(kept, speaker="Nora")
        assert again.text == kept
        assert again.cut == ()
    transfer.export(tmp_path / "m", str(tmp_path / "m.jsonl"))
    transfer.load(tmp_path / "n", [str(tmp_path / "m.jsonl")])
    with graphmem.open(tmp_path / "n", worker="none") as memory:
        assert memory[node.id].text == kept
        assert memory.review.candidates("secret") == []


def test_keywords_side_by_side_are_no_secret(memory: graphmem.Memory) -> None:
    kept = graphmem.About(keywords=["wifi password", "FritzBox7590"])
    memory.remember("It stands in the hall.", about=kept)
    assert memory.review.candidates("secret") == []


@pytest.mark.parametrize(
    "said",
    [
        "Tai chi class is on Monday and Wednesday at seven.",
        "The library is closed on Monday.",
        "Our wedding anniversary is on November 20.",
        "Mum's birthday is on November 20.",
        "Li Hao joined NetEase on November 16.",
        "She started at Hoyle on November 16.",
        "We moved in on November 16.",
        "The pill is on the 2nd shelf.",
        "图书馆周一闭馆。",
        "太极课在周二和周四。",
        "11月20号是我们的结婚纪念日。",
        "妈妈的生日是11月20号。",
        "外公的忌日是11月20日。",
        "李浩11月16号入职网易。",
        "我们11月16号搬进了新家。",
        "我家住在中山路25号。",
        "我的座位是12号。",
        "庆春路3号是我们公司。",
        "Mamas Geburtstag ist am 20. November.",
    ],
)
def test_what_is_no_occasion_is_not_over(memory: graphmem.Memory, clock: Clock, said: str) -> None:
    """A house number was read as a day; what comes each week or year, and what began on a day, was
    listed as expired after it, and `clean` archived it."""
    clock.now = datetime(2026, 11, 10, 9, tzinfo=UTC)
    memory.remember(said)
    clock.now += timedelta(days=200)
    assert listed(memory, "expired") == {}


@pytest.mark.parametrize(
    "said",
    [
        "We're at the lake from November 24 to 28.",
        "我11月24号到28号在罗马。",
        "The offer is valid until November 28.",
        "优惠到11月28号截止。",
        "The dentist appointment is on November 28 at nine.",
        "牙医预约在11月28号上午九点。",
        "Please pay the invoice by November 28.",
        "发票11月28号之前交。",
    ],
)
def test_what_has_a_last_day_is_over_after_it(
    memory: graphmem.Memory, clock: Clock, said: str
) -> None:
    """A trip "to 28" was over on the day on which it began."""
    clock.now = datetime(2026, 11, 10, 9, tzinfo=UTC)
    (node,) = memory.remember(said)
    clock.now = datetime(2026, 11, 28, 9, tzinfo=UTC)
    assert listed(memory, "expired") == {}
    clock.now = datetime(2026, 11, 29, 9, tzinfo=UTC)
    assert listed(memory, "expired") == {node.id: "expired"}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I drink my coffee black.", "I've gone off coffee completely, I drink rooibos now."),
        ("我喝咖啡必须加牛奶，不加糖。", "咖啡戒了，现在只喝绿茶。"),
        ("I have a blue Skoda.", "We sold the Skoda."),
        ("我的手机号是13800001111。", "我换手机号了。"),
    ],
)
def test_what_changed_is_not_cleaned_away(
    memory: graphmem.Memory, clock: Clock, older: str, newer: str
) -> None:
    """What was over was left, and what holds now was archived as meant for a session."""
    memory.remember(older, speaker="Noor")
    clock.now += timedelta(days=9)
    (after,) = memory.remember(newer, speaker="Noor")
    for days in (3, 40, 120, 300):
        clock.now += timedelta(days=days)
        assert after.id not in listed(memory)
        assert after.id not in [each.node for each in memory.review.clean().automatic]


def test_what_says_that_another_is_over_waits_for_it(memory: graphmem.Memory, clock: Clock) -> None:
    """An end that the rules are sure of is no reason to have the older one told as true."""
    about = graphmem.About(kind="session")
    (older,) = memory.remember("I drink my coffee black.", speaker="Noor")
    (newer,) = memory.remember("I don't drink coffee any more.", speaker="Noor", about=about)
    clock.now += timedelta(days=9)
    assert newer.id not in listed(memory)
    memory.review.archive([older])
    assert listed(memory)[newer.id] == "expired"


@pytest.mark.parametrize(
    ("state", "end"),
    [
        ("The lift by the stage is out of order.", "The lift by the stage works again today."),
        ("Der Aufzug an der Bühne ist kaputt.", "Der Aufzug an der Bühne geht seit heute wieder."),
        ("舞台旁的电梯坏了。", "舞台旁的电梯今天早上修好了。"),
    ],
)
def test_what_probably_ended_a_state_is_not_listed_while_the_state_is_there(
    state: str, end: str
) -> None:
    """The repair, of one day, went as expired, and the lift was told to be out of order for ever."""
    clock = Clock(START)
    with graphmem.open(worker="none", clock=clock) as memory:
        (older,) = memory.remember(state).nodes
        clock.now += timedelta(days=28)
        (newer,) = memory.remember(end).nodes
        clock.now += timedelta(days=129)
        found = listed(memory, "expired")
        assert newer.id not in found or older.id in found


# -- replies ------------------------------------------------------------------------------------

EXCHANGES = [
    ("The roof man can come in May for 2,300. Should I book him?", "ok, go for it"),
    ("Do we take the oak or the beech for the stairs? The carpenter waits.", "the second one"),
    ("I suggest that we skip the skiing week this winter.", "Agreed."),
    ("Wer holt Oma am Freitag aus der Augenklinik ab?", "ich"),
    ("Soll ich die neue Heizung bei Vaillant bestellen?", "nein, lieber nicht"),
    ("Vielleicht verkaufen wir das Klavier.", "einverstanden"),
    ("修屋顶的师傅五月能来，要不要定他？", "好的，定吧。"),
    ("楼梯用橡木还是榉木？", "第二个"),
    ("我建议今年冬天不去滑雪。", "同意"),
]


@pytest.mark.parametrize(("asked", "reply"), EXCHANGES)
def test_what_decides_in_a_word_is_kept_with_what_was_asked(
    memory: graphmem.Memory, clock: Clock, asked: str, reply: str
) -> None:
    """Eight of twelve replies that had settled something were listed for removal."""
    (question,) = memory.remember(asked, speaker="Ben", session="s")
    (node,) = memory.remember(reply, speaker="Ada", session="s")
    memory.remember("Rainy again.", speaker="Ben", session="s")
    memory.remember(asked.replace("?", "??"), speaker="Ben", session="t")
    memory.remember(reply, speaker="Ada", session="t")
    clock.now += timedelta(days=200)
    told = {question.id, node.id}
    assert told.isdisjoint(listed(memory))
    assert told.isdisjoint(each.node for each in memory.review.clean().automatic)
    assert told.isdisjoint(memory.review.policies()["automatic"])
    memory.forget(question)
    assert node.id in listed(memory)


@pytest.mark.parametrize(
    ("asked", "by", "reply"),
    [
        ("How are you?", "Ada", "ok, thanks"),
        ("在吗？", "Ada", "嗯嗯"),
        ("The tyres of the van are worn.", "Ada", "ok, thanks"),
        ("Die Reifen vom Bus sind hinüber.", "Ada", "alles klar"),
        ("面包车的轮胎磨平了。", "Ada", "收到。"),
        ("Should I book the roof man?", "assistant", "Sure!"),
        ("Soll ich den Dachdecker nehmen?", "Ben", "genau"),
        ("要不要定修屋顶的师傅？", "助手", "好的"),
    ],
)
def test_what_decides_nothing_goes_as_before(
    memory: graphmem.Memory, asked: str, by: str, reply: str
) -> None:
    memory.remember(asked, speaker="Ben", session="s")
    (node,) = memory.remember(reply, speaker=by, session="s")
    assert listed(memory, "trivial")[node.id] == "trivial"


def test_a_reply_in_another_session_is_none(memory: graphmem.Memory) -> None:
    memory.remember("Should I book the roof man?", speaker="Ben", session="s")
    (node,) = memory.remember("ok", speaker="Ada", session="t")
    assert listed(memory, "trivial") == {node.id: "trivial"}
