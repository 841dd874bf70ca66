"""Forgetting for room, the default: nothing goes without a reason, and then in one order."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from itertools import count, pairwise
from pathlib import Path
from random import Random

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import CapacityError
from graphmem.graph.ground import Ground
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.interfaces.view import answers
from graphmem.values.nodes import Form
from graphmem.values.reports import SweepReport
from graphmem_worker.text.sentences import sentences

DATA = Path(__file__).parents[2] / "data"
LEAST = 1 << 16  # bytes of the smallest budget
STORY = "Wen painted chair K{} for Karlsson and his band. It was nice. The weather was rather good that day."
ALLERGY = {
    "en": "Theo is allergic to cashews.",
    "zh": "小林对腰果严重过敏。",
}
FACTS = {
    "en": [
        "I drink my coffee black.",
        "The glass roof costs 6,800 pounds.",
        "Marta gets 15 pounds an hour.",
        "I have a blue Skoda Fabia.",
        "My editor is Helen Marsh.",
        "Our flat is on the fourth floor.",
    ],
    "zh": [
        "我喝咖啡必须加牛奶。",
        "冷链项目的预算是80万。",
        "房租每月四千二。",
        "我开白色的比亚迪秦。",
        "我的主管是刘建国。",
        "我家住在四楼。",
    ],
}
CHATTER = {
    "en": "Rainy again. Sun came out at last. So windy outside! Had soup for lunch. The sandwich was "
    "dry. The curry was lovely. The bus was late. Slept like a log. Neighbours were loud. "
    "Tidied my pencils.",
    "zh": "今天又下雨。终于出太阳了。外面风好大！午饭喝了汤。三明治有点干。咖喱很香。公交晚点了。睡得很香。"
    "邻居好吵。收拾了桌子。",
}

CHANGED = {
    "en": [
        ("My gym membership costs 32 pounds a month.", "I cancelled the gym membership."),
        ("Noor takes the yoga class on Tuesdays with Ben.", "Noor quit the yoga class."),
    ],
    "zh": [
        ("刘建国是冷链项目的主管，负责华东。", "刘建国离开冷链项目了。"),
        ("我在城西租了一个车库，每月三百。", "城西的车库退租了。"),
    ],
}


SAME = pytest.param("en", "en", marks=pytest.mark.slow)


def small_talk(language: str, notes: int) -> Iterator[str]:
    """Notes of three sentences that nobody would miss."""
    random, said = Random(5), [s.strip() for s in sentences(CHATTER[language])]
    for _ in range(notes):
        yield ("" if language == "zh" else " ").join(random.choices(said, k=3))


def journal(language: str) -> list[str]:
    lines = (DATA / f"journal.{language}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines]


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none") as opened:
        yield opened


# -- without pressure ---------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
def test_daily_sweeps_over_years_take_nothing(memory: graphmem.Memory, language: str) -> None:
    """Half of a user's memories were gone after nine months, with 99.5 % of the budget free."""
    memory.remember_many(text for text in journal(language)[:60])
    before = {node.id: node for node in memory}
    links = {node: [(k.relation, k.target) for k in memory.graph.links(node)] for node in before}
    found = [hit.id for hit in memory.recall(before[7].text, use=False)]
    for _ in range(1200):
        report = memory.sweep()
        assert (report.shortened, report.gists, report.forgotten) == (0, 0, 0)
    assert {node.id: node for node in memory} == before
    assert {n: [(k.relation, k.target) for k in memory.graph.links(n)] for n in before} == links
    assert [hit.id for hit in memory.recall(before[7].text, use=False)] == found
    assert memory.admin.check() == []


def test_passes_weaken_links_and_keep_their_order(memory: graphmem.Memory) -> None:
    """What was linked long ago must not look as if it had never been."""
    first = memory.remember("Ada runs the mill.")[0]
    for k in range(6):
        memory.remember(STORY.format(k))
        for _ in range(40):
            memory.sweep()
    strengths = [link.strength for link in memory.graph.links(first)]
    assert all(a >= b > 0 for a, b in pairwise(strengths))
    assert strengths[-1] < 0.01 < 0.97**200 * 5


def test_what_expires_goes_without_any_pressure() -> None:
    """An end that was given is a reason."""
    now = [datetime(2026, 5, 3, tzinfo=UTC)]
    with graphmem.open(worker="none", clock=lambda: now[0]) as memory:
        node = memory.remember("The code of the day is blue.", expires=now[0] + timedelta(days=1))
        memory.remember("Ada runs the mill.")
        now[0] += timedelta(days=2)
        assert memory.sweep().forgotten == 1
        assert node[0].id not in memory
        assert memory.history.of(node[0])[-1].why == "expired"


# -- under pressure -----------------------------------------------------------------------------


def gone(memory: graphmem.Memory) -> list[int]:
    """The forgotten nodes in the order in which they went."""
    return [each.id for each in reversed(memory.history.forgotten(1000))]


def test_the_order_is_the_one_that_is_promised(memory: graphmem.Memory) -> None:
    """Whoever is told what goes first must be able to rely on it."""
    allergies = [memory.remember(text)[0].id for text in ALLERGY.values()]
    told = memory.remember("Noor signed the lease of the workshop on 12 March 2026.")[0].id
    again = memory.remember("The copier on the second floor has a new drum.")[0].id
    old = memory.remember("The release of Heron is on May 3.")[0].id
    memory.replace(old, "The release of Heron is on May 10.")
    trivial = memory.remember("Okay, thanks!")[0].id
    dull = memory.remember("It was quite nice and all that, I would say, more or less.")[0].id
    memory.remember("Ada asked whether anybody had seen her blue umbrella in the hall.")
    memory.remember("The copier on the second floor has a new drum.")
    for k in range(5):
        memory.remember(STORY.format(k), pin=True)
    for _ in range(20):
        memory.admin.shrink(memory.admin.stats()["text_bytes"] - 1)
    went = gone(memory)
    assert went[:3] == [trivial, again, old]
    assert went.index(dull) < went.index(told)
    assert all(node in memory for node in allergies)
    assert memory.admin.stats()["passes"] == 0
    assert memory.admin.check() == []


def test_of_what_is_said_twice_the_more_used_one_stays(memory: graphmem.Memory) -> None:
    """The links and uses of the one that had helped would go, for the sake of one that had not."""
    said = "The copier on the second floor has a new drum."
    first = memory.remember(said)[0].id
    memory.remember("Ada asked whether anybody had seen her blue umbrella in the hall.")
    again = memory.remember(said)[0].id
    memory.used(first)
    for k in range(5):
        memory.remember(STORY.format(k), pin=True)
    memory.admin.shrink(memory.admin.stats()["text_bytes"] - 1)
    assert gone(memory) == [again]
    assert first in memory


def test_a_report_counts_what_became_of_each(memory: graphmem.Memory) -> None:
    """An operator would read that memories were shortened of which only gists were left."""
    nodes = [memory.remember(STORY.format(k))[0].id for k in range(40)]
    report = memory.admin.shrink(memory.admin.stats()["text_bytes"] // 3)
    lives = Counter(step.what for node in nodes for step in memory.history.life(node).steps)
    assert report.shortened == lives["shortened"] > report.gists
    assert report.gists == lives["gist"] > report.forgotten
    assert report.forgotten == lives["forgotten"] > 0


def test_shortened_before_forgotten(memory: graphmem.Memory) -> None:
    """Room for two memories in part holds more than room for one."""
    nodes = [memory.remember(STORY.format(k))[0].id for k in range(40)]
    memory.admin.shrink(memory.admin.stats()["text_bytes"] // 2)
    assert {node.form for node in memory} >= {Form.SHORTER}
    assert all("chair" in memory[n].text for n in nodes if n in memory and memory[n].text)
    assert len(memory) > 30
    assert memory.history.of(nodes[0])[0].why == "pressed"


@pytest.mark.slow
def test_the_background_makes_room_from_ninety_to_eighty_five_per_cent() -> None:
    """At the brim each note would have to wait until another has gone."""
    with graphmem.open(worker="none", max_bytes=4 * LEAST) as memory:
        shares = []
        for text in journal("en") + journal("zh"):
            memory.remember(text)
            shares.append(memory.admin.stats()["budget"]["used"])
        assert max(shares) <= 1.03
        assert memory.admin.stats()["passes"] == 0
        assert memory.admin.check() == []


def test_who_remembers_waits_for_room() -> None:
    """Without it a memory grows as fast as it is told things. A merge of the word index that the
    background has begun holds old and new postings for a while."""
    with graphmem.open(
        worker="none", max_bytes=LEAST, tuning=graphmem.Tuning(worker_share=0.01)
    ) as memory:
        for k in range(120):
            memory.remember(STORY.format(k))
            assert memory.admin.stats()["live_bytes"] <= 1.05 * LEAST
        assert len(memory) >= 20


def test_a_full_memory_can_erase(tmp_path: Path) -> None:
    """What made room held the files between two texts: `forget(…, erase=True)` raised HeldError."""
    with graphmem.open(
        tmp_path / "m", worker="none", max_bytes=LEAST, tuning=graphmem.Tuning(worker_share=0.01)
    ) as memory:
        texts = journal("en") + journal("zh")
        memory.remember_many(texts[:80])
        for place, text in enumerate(texts[:40]):
            node = memory.remember(f"{text} {place}", session=str(place // 5))[0]
            if place % 7 == 0:
                memory.forget(node, erase=True)
        assert memory.admin.check() == []


@pytest.mark.slow
def test_a_writer_who_has_made_room_writes_on_without_making_more() -> None:
    """Room for one text at a time costs a merge of the word index for each."""
    budget = 4 * LEAST
    with graphmem.open(
        worker="none", max_bytes=budget, tuning=graphmem.Tuning(worker_share=0.01)
    ) as memory:
        live = []
        for text in ((journal("en") + journal("zh")) * 2)[:400]:
            memory.remember(text)
            live.append(memory.admin.stats()["live_bytes"])
    assert max(live) <= 1.05 * budget
    full = live[next(place for place, size in enumerate(live) if size > 0.9 * budget) :]
    lowered = sum(after < before for before, after in pairwise(full))
    # One in eight, on a busy machine, whose background is late, one in four; one in three without.
    assert 0 < lowered < len(full) / 3.5


@pytest.mark.slow
def test_looking_for_faint_links_pauses_and_writes_nothing_where_there_are_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The background asked whether its slice of time was over only when it had cut something: in
    4,000 nodes without faint links it took a second, with two transactions for each node, and a
    writer who needed room waited for it."""
    with graphmem.open(worker="none") as memory:
        memory.remember_many([f"Wen paid {k} euros to Karlsson." for k in range(500)])
        pressure, written = rooms(memory).pressure, list[None]()
        for _ in pressure._cut_faint_links():
            pass
        before = memory.admin.stats()["links"]
        writing = Ground.writing

        def counted(ground: Ground, *, joins: bool = False) -> AbstractContextManager[GraphWriter]:
            written.append(None)
            return writing(ground, joins=joins)

        monkeypatch.setattr(Ground, "writing", counted)
        asked = sum(1 for _ in pressure._cut_faint_links())
        assert asked >= 2 * 500 / 64
        assert len(written) <= 2 * len(memory.graph.focus)
        assert memory.admin.stats()["links"] == before
        assert before > 500


def test_room_is_made_in_slices_without_looking_twice() -> None:
    """The background of a memory in which nothing may go began anew after each run, for ever."""

    def steps(of_a_slice: int) -> int:
        total = 0

        def pause() -> bool:
            nonlocal total
            total += 1
            assert total < 5_000
            return total % of_a_slice == 0

        with graphmem.open(worker="none") as memory:
            memory.remember_many(journal("en")[:24])
            pressure = rooms(memory).pressure
            while not pressure.exhausted:
                pressure.relieve(lambda: False, pause=pause)
        return total

    whole = steps(1_000_000)
    assert whole < steps(7) < 2.5 * whole


@pytest.fixture(scope="module")
def brimful() -> Iterator[graphmem.Memory]:
    """A memory that has made room for half of what it was told. Only read it."""
    with graphmem.open(
        worker="none", max_bytes=LEAST, tuning=graphmem.Tuning(worker_share=0.01)
    ) as memory:
        texts = journal("en")[:30] + journal("zh")
        for begun in range(0, len(texts), 4):
            memory.remember_many(texts[begun : begun + 4])
        yield memory


def test_room_is_not_made_of_all_links(brimful: graphmem.Memory) -> None:
    """A memory without links recalls by words alone, and what it forgets leaves no trace."""
    focus = {node.id for node in brimful.graph.focus}
    linked = [
        any(link.target not in focus for link in brimful.graph.links(node))
        for node in brimful
        if node.id not in focus
    ]
    assert sum(linked) > 0.6 * len(linked) > 20


def test_words_of_a_small_memory_take_no_room(brimful: graphmem.Memory) -> None:
    """The word index was merged to make room, and took more than half of it: in Chinese two thirds,
    so that 120 of 200 notes were left where 175 have room."""
    words = brimful.admin.stats()["words"]
    assert words["fresh"] == words["documents"] == len(brimful) < 150
    for space in (Space.CHUNK, Space.FREQUENCY):
        start = rooms(brimful).scope.prefix(space)
        assert not [*rooms(brimful).store.keys(start, keys.after(start))]
    assert brimful.admin.check() == []


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_protects_outlives_a_flood(language: str) -> None:
    """An allergy is told once, and nobody asks for it until it is too late."""
    with graphmem.open(worker="none", max_bytes=2 * LEAST) as memory:
        node = memory.remember(ALLERGY[language])[0].id
        for text in journal("en") + journal("zh"):
            memory.remember(text)
        assert memory[node].text == ALLERGY[language]
    with graphmem.open(worker="none", max_nodes=20) as memory:
        node = memory.remember(ALLERGY[language])[0].id
        for text in journal("en")[:60]:
            memory.remember(text)
        assert memory[node].text == ALLERGY[language]


@pytest.mark.parametrize(("told", "chatted"), [("zh", "en"), ("en", "zh"), SAME])
def test_facts_of_one_language_outlive_small_talk_of_another(told: str, chatted: str) -> None:
    """Each script had a median of its own: where all of one are facts, half of them are below it,
    and went before the best chatter of the other."""
    with graphmem.open(worker="none", max_bytes=LEAST) as memory:
        facts = [memory.remember(fact, session=fact)[0] for fact in FACTS[told]]
        talk = [
            {"text": text, "session": str(place)}
            for place, text in enumerate(small_talk(chatted, 160))
        ]
        for begun in range(0, len(talk), 8):
            memory.remember_many(talk[begun : begun + 8])
        assert len(memory) < 150
        lost = [fact.text for fact in facts if fact.id not in memory]
        assert len(lost) <= 1, lost  # when room is made depends on the machine; it was two thirds


@pytest.mark.parametrize(("told", "chatted"), [("zh", "en"), ("en", "zh"), SAME])
def test_what_ends_or_changes_a_memory_goes_no_earlier(told: str, chatted: str) -> None:
    """What the gym costs was left and that it was cancelled was gone: what was over seemed to hold."""
    with graphmem.open(worker="none", max_bytes=LEAST) as memory:
        pairs = [
            [memory.remember(text, speaker="Noor", session=text)[0] for text in pair]
            for pair in CHANGED[told]
        ]
        notes = [{"text": t, "session": str(n)} for n, t in enumerate(journal(chatted)[:170])]
        for begun in range(0, len(notes), 4):
            memory.remember_many(notes[begun : begun + 4])
            for older, newer in pairs:
                assert newer.id in memory or older.id not in memory, (older.text, newer.text)
        assert len(memory) < 150


RULES = {
    "en": ["Never push directly to main.", "Migrations must set lock_timeout.", "Use uv, not pip."],
    "zh": [
        "前端用 pnpm，不要用 npm。",
        "不要直接推送到 main 分支。",
        "数据库迁移必须设置 lock_timeout。",
    ],
    "de": ["Niemals direkt auf main pushen.", "Migrationen müssen lock_timeout setzen."],
}
LOGS = {
    "en": "Build #{} is green.",
    "zh": "构建 #{} 通过了，用时 {} 秒。",
    "de": "Der Build {} ist grün.",
}


@pytest.mark.parametrize("logged", LOGS)
def test_a_series_of_figures_outlives_no_rule(logged: str) -> None:
    """Of 400 builds 101 were left, as if each told something particular, and no rule."""
    with graphmem.open(worker="none", max_bytes=LEAST) as memory:
        rules = [memory.remember(rule)[0] for told in RULES.values() for rule in told]
        note = memory.remember(LOGS[logged].format("v1", "n1"))[0]
        dose = memory.remember("Theo is allergic to 7 kinds of nuts.")[0]
        lines = [LOGS[logged].format(1000 + k * 37 % 9000, k % 50) for k in range(160)]
        for begun in range(0, len(lines), 4):
            memory.remember_many(lines[begun : begun + 4])
        assert [rule.text for rule in [*rules, note, dose] if rule.id not in memory] == []
        assert len(memory) < 140
        last = [node.text for node in memory][-5:]
        assert last == lines[-5:]


def test_what_is_pending_is_no_repeat(memory: graphmem.Memory) -> None:
    """Doses and days to come differ in figures alone."""
    doses = [memory.remember(f"Theo gets {k} mg of warfarin.")[0] for k in range(2, 12)]
    notes = [memory.remember(f"The walk took {k} minutes.")[0] for k in range(20, 60)]
    memory.admin.shrink(memory.admin.stats()["text_bytes"] // 2)
    assert all(dose.id in memory for dose in doses)
    assert [note.id in memory for note in notes[-5:]] == [True] * 5
    assert sum(note.id in memory for note in notes) < 25


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_rule_is_held_as_a_decision_is(memory: graphmem.Memory, language: str) -> None:
    """What binds whoever works says little, in common words, and went before what happened once."""
    rules = [memory.remember(rule, session=rule)[0] for rule in RULES[language][:2]]
    memory.remember_many(
        {"text": text, "session": str(place)} for place, text in enumerate(journal(language)[:60])
    )
    memory.admin.shrink(memory.admin.stats()["text_bytes"] * 3 // 4)
    assert all(rule.id in memory for rule in rules)


PROBABLE = {
    "en": [
        ("We run Python 3.11 everywhere.", "The Python version goes up to 3.12."),
        ("The feature flag new_checkout is off now.", "The feature flag new_checkout is on now."),
        ("The nightly export job runs at 02:30.", "The nightly export job was moved to 04:00."),
        ("Deploys happen on Tuesdays after lunch.", "Deploys happen on Thursdays after lunch."),
        ("The retry limit of the mailer is 3.", "The retry limit of the mailer is 5."),
    ],
    "zh": [
        ("前端用的是 Vue 2。", "前端升级到 Vue 3 了。"),
        ("夜间导出任务在02:30运行。", "夜间导出任务改到04:00。"),
        ("周会在星期二上午。", "周会改到星期四上午了。"),
    ],
    "de": [
        ("Der Mitgliedsbeitrag beträgt 40 Euro.", "Der Mitgliedsbeitrag beträgt jetzt 48 Euro."),
        ("Der nächtliche Export läuft um 2:30 Uhr.", "Der nächtliche Export läuft jetzt um 4 Uhr."),
    ],
}


@pytest.mark.parametrize("chatted", ["en", "zh"])
def test_of_a_probable_pair_the_older_goes_first(memory: graphmem.Memory, chatted: str) -> None:
    """That Python 3.11 runs was left, and that it goes up to 3.12 gone, though it was offered."""
    pairs = [
        [memory.remember(text, speaker="Noor", session=text)[0].id for text in pair]
        for told in ("en", "zh")
        for pair in PROBABLE[told]
    ]
    memory.remember_many(
        {"text": text, "session": str(place)} for place, text in enumerate(journal(chatted)[:60])
    )
    size = memory.admin.stats()["text_bytes"]
    for share in range(9, 0, -1):
        memory.admin.shrink(size * share // 10)
        assert not [pair for pair in pairs if pair[0] in memory and pair[1] not in memory]
    assert len(memory) < 30


@pytest.mark.parametrize("pin", [True, False])
def test_what_protects_stays_behind_what_stays(memory: graphmem.Memory, pin: bool) -> None:
    """The dose of before was pinned, and the new one went before chatter, as if it were none."""
    memory.remember("Theo takes 5 mg of warfarin.", session="a", pin=pin)
    said = "Theo's warfarin was raised from 5 mg to 7 mg."
    dose = memory.remember(said, session="b")[0]
    memory.remember_many(
        {"text": text, "session": str(place)} for place, text in enumerate(journal("en")[:60])
    )
    memory.admin.shrink(memory.admin.stats()["text_bytes"] // 10)
    assert dose.id in memory
    assert len(memory) < 20


def test_what_a_node_replaces_is_found_once_in_a_run(
    memory: graphmem.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node that comes up to nine times was compared with others each time, and each was as soon
    as it was met, so that to take a tenth of a memory compared all of it."""
    nodes = [memory.remember(said)[0].id for pair in PROBABLE["en"] for said in pair]
    nodes += [node.id for said in journal("en")[:50] for node in memory.remember(said)]
    asked: Counter[int] = Counter()
    before = rooms(memory).predecessors

    def counted(node: int) -> set[int]:
        asked[node] += node in memory
        return before(node)

    monkeypatch.setattr(rooms(memory).pressure, "_predecessors", counted)
    memory.admin.shrink(memory.admin.stats()["text_bytes"] * 95 // 100)
    assert 0 < len(asked) < len(nodes) / 2
    asked.clear()
    memory.admin.shrink(1)
    assert {*asked} <= {*nodes}
    assert {*asked.values()} == {1}


def test_a_full_memory_gives_its_least_slot_away() -> None:
    """With `max_nodes` it went by the strength of links, and what is told once has weak ones."""
    with graphmem.open(worker="none", max_nodes=12) as memory:
        passport = memory.remember("Noor's passport is number P4410 and ends on 3 May 2031.")[0].id
        for _ in range(200):
            memory.sweep()
        for k in range(60):
            memory.remember(f"Yes, number {k} was fine as well, more or less.")
        assert passport in memory
        assert len(memory) == 12
        memory.pin(passport)
        with pytest.raises(CapacityError):
            memory.remember("This is a sentence of some length, is it not, my dear. " * 60)


def test_stats_and_status_say_how_far_the_budget_is_used_and_what_goes_next() -> None:
    """Whoever is not told what goes next cannot pin it."""
    with graphmem.open(worker="none") as memory:
        memory.remember(STORY)
        assert memory.admin.stats()["budget"] == {
            "forgetting": "room", "max_bytes": None, "max_nodes": None, "used": None,
            "memory_bytes": memory.admin.stats()["live_bytes"], "kept_bytes": 0, "next": [],
        }  # fmt: skip
        assert "budget: none" in str(memory.review.status())
    with graphmem.open(worker="none", max_bytes=LEAST) as memory:
        memory.remember("Okay, thanks!")
        for k in range(8):
            memory.remember(STORY.format(k))
        said = memory.admin.stats()["budget"]
        assert said["next"][0] == 1
        assert said["used"] == memory.admin.stats()["live_bytes"] / LEAST
        assert "next to go: node 1" in str(memory.review.status())
        cut = memory.history.worth(1).next
        assert cut is not None
        assert (cut.passes, cut.form, cut.lost) == (None, None, ("Okay, thanks!",))
        memory.pin(1)
        assert memory.admin.stats()["budget"]["next"][0] != 1


def test_no_memory_goes_for_items_and_facts(tmp_path: Path) -> None:
    """A checkpoint of 300 kB counted, and the next `remember` emptied the memory in vain."""
    with graphmem.open(tmp_path / "m", worker="none", max_bytes=LEAST) as memory:
        memory.remember_many(
            {"text": f"Rule {k}: module m{k} belongs to team {7 * k}.", "speaker": "Ada"}
            for k in range(20)
        )
        before = memory.admin.stats()["budget"]["memory_bytes"]
        memory.items.put("ck", "state", "x" * 300_000)
        memory.items.put("ck", "state", [Random(1).randbytes(300_000)], ttl=3600)
        for k in range(300):
            memory.graph.facts.put(1, "http://e/p", f"value {k}")
        memory.remember("One more note.")
        status = memory.review.status()
        assert f"bytes: {status.budget['memory_bytes']:,}, " in str(status)
        assert answers.state(memory)["memory_bytes"] < before + 4_000
        budget = memory.admin.stats()["budget"]
        assert budget["used"] * LEAST == budget["memory_bytes"] < before + 4_000
        assert budget["kept_bytes"] > 300_000 + 300 * 318
        assert len(memory) == 21
        state = rooms(memory).scope.read_state(rooms(memory).store)
        state.kept_bytes = 0  # as in a folder of before
        rooms(memory).store.commit({rooms(memory).scope.prefix(Space.STATE): state.pack()})
        assert memory.admin.check() == []
    with graphmem.open(tmp_path / "m", worker="none", max_bytes=LEAST) as memory:
        assert memory.admin.stats()["budget"] == budget
        memory.items.delete("ck", "state")
        assert memory.admin.stats()["budget"]["kept_bytes"] < budget["kept_bytes"] - 300_000
        memory.forget(1)
        assert memory.admin.stats()["budget"]["kept_bytes"] < 4_000
        assert memory.admin.check() == []


@pytest.mark.parametrize("share", [0.7, 0.4, 0.2])
def test_what_is_said_to_go_next_goes_next(share: float) -> None:
    """A wrong forecast is worse than none."""
    with graphmem.open(worker="none") as memory:
        memory.remember_many(text for text in journal("en")[:40])
        memory.admin.shrink(int(share * memory.admin.stats()["text_bytes"]))
        object.__setattr__(memory.admin.settings, "max_bytes", 1 << 30)
        first = memory.admin.stats()["budget"]["next"][0]
        before = memory[first]
        memory.admin.shrink(memory.admin.stats()["text_bytes"] - 1)
        held = memory.history.worth(before).kept if first in memory else None
        assert held or first not in memory or memory[first].version > before.version


def test_a_life_tells_that_room_was_needed(memory: graphmem.Memory) -> None:
    node = memory.remember(STORY.format(7))[0].id
    for k in range(5):
        memory.remember(STORY.format(k), pin=True)
    while node in memory:
        memory.admin.shrink(memory.admin.stats()["text_bytes"] - 1)
    steps = memory.history.life(node).steps
    what = list(dict.fromkeys(step.what for step in steps))
    assert what == ["remembered", "shortened", "gist", "forgotten"]
    assert all("room was needed" in step.why for step in steps[1:])


def test_progress_is_told_and_may_stop_it(memory: graphmem.Memory) -> None:
    """Ctrl-C in a long shrink is how most of them end."""
    memory.remember_many(STORY.format(k) for k in range(40))
    told: list[SweepReport] = []

    def stop(report: SweepReport) -> None:
        told.append(report)
        if len(told) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.admin.shrink(0, progress=stop)
    assert memory.admin.check() == []
    report = memory.admin.shrink(0)
    assert {node.id for node in memory} == {node.id for node in memory.graph.focus}
    assert report.text_bytes == memory.admin.stats()["text_bytes"] > 0
    assert memory.admin.shrink(0).forgotten == 0
    assert memory.admin.check() == []


# -- one folder, both ways ----------------------------------------------------------------------


def test_a_folder_goes_from_passes_to_room_and_back(tmp_path: Path) -> None:
    """The due index says passes in the one, ranks in the other; taken for each other, all would be
    overdue, or nothing ever due."""
    folder = tmp_path / "m"
    with graphmem.open(
        folder, worker="none", tuning=graphmem.Tuning(forgetting="passes")
    ) as memory:
        for k in range(30):
            memory.remember(STORY.format(k))
        for _ in range(5):
            memory.sweep()
    with graphmem.open(folder, worker="none") as memory:
        assert memory.sweep().forgotten == 0
        memory.remember("Noor signed the lease.")
        memory.admin.shrink(memory.admin.stats()["text_bytes"] // 2)
        assert memory.admin.check() == []
        left = {node.id for node in memory}
        assert len(left) > 15
    with graphmem.open(
        folder, worker="none", tuning=graphmem.Tuning(forgetting="passes")
    ) as memory:
        assert memory.sweep().forgotten == 0
        assert {node.id for node in memory} == left
        for _ in range(160):
            memory.sweep()
        assert len(memory) <= 5
        assert memory.admin.check() == []


# -- the word index -------------------------------------------------------------------------------


def test_under_a_budget_the_word_index_grows_by_small_parts() -> None:
    """A merge of all fresh documents at once takes as much room as half of the texts."""
    tuning = graphmem.Tuning(fold_documents=32)
    for budget, left in ((None, 0), (1 << 24, 28)):
        with graphmem.open(worker="none", max_bytes=budget, tuning=tuning) as memory:
            rooms(memory).database.upkeep.stop()
            for k in range(32):
                memory.remember(STORY.format(k))
            rooms(memory).budget.fold_when_due()
            assert memory.admin.stats()["words"]["fresh"] == left
            rooms(memory).budget.fold_when_due()
            assert memory.admin.stats()["words"]["fresh"] == left


@pytest.mark.parametrize(("told", "most"), [*((each, 12) for each in PROBABLE), ("en zh de", 120)])
def test_a_change_keeps_its_slot_longer_than_what_it_changed(told: str, most: int) -> None:
    """At `max_nodes` the new fee went first and the old one was told as the present one."""
    with graphmem.open(worker="none", max_nodes=most, random=Random(1)) as memory:
        pairs = [
            [memory.remember(text, speaker="Noor", session=text)[0].id for text in pair]
            for language in told.split()
            for pair in PROBABLE[language][:2]
        ]
        for text in journal("en")[: 2 * most]:
            memory.remember(text)
            assert not [pair for pair in pairs if pair[0] in memory and pair[1] not in memory]
        assert len(memory) == most
        assert memory.admin.check() == []


def test_one_who_writes_at_a_full_budget_makes_room_for_a_moment_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With 20,000 notes one `remember` forgot 3 % of them, which took a second or many."""
    ticks = count()
    monkeypatch.setattr("graphmem.runtime.budget.monotonic", lambda: float(next(ticks)))
    with graphmem.open(None, worker="none", max_bytes=2 * LEAST) as memory:
        rooms(memory).database.upkeep.stop()
        notes = [
            STORY.format(n) + f" {n * 7919 % 1000} guests of band {n * 31} came."
            for n in range(220)
        ]
        memory.remember_many(notes[:150])
        used = []
        for note in notes[150:]:
            memory.remember(note)
            used.append(memory.admin.stats()["budget"]["used"])
        full = used[next(place for place, share in enumerate(used) if share > 0.99) :]
        assert max(used) <= 1.0
        assert len(full) > 50
        assert min(full) > 0.97
        assert memory.admin.check() == []


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("The roof man can come in May for 2,300. Should I book him?", "Yes, do that."),
        ("Der Dachdecker kommt im Mai für 2.300. Soll ich ihn nehmen?", "ja, gern"),
        ("修屋顶的师傅五月能来，要两千三。要不要定他？", "好的，可以。"),
    ],
)
def test_a_reply_does_not_go_before_its_question(
    memory: graphmem.Memory, asked: str, reply: str
) -> None:
    """A proposal stayed for room, and that it was agreed to went first."""
    replies = []
    for place in range(3):  # of one day: what is said again is no repetition
        memory.remember(asked.replace("2", f"{place + 3}"), speaker="Ben", session=f"s{place}")
        replies += memory.remember(reply, speaker="Ada", session=f"s{place}")
    memory.remember_many(small_talk("en", 20))
    (alone,) = memory.remember(reply, speaker="Ada")
    memory.remember_many(small_talk("en", 20))
    memory.admin.shrink(1_000)
    assert len(memory) < 30
    assert alone not in memory
    assert all(node in memory for node in replies)
