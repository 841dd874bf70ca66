"""An agent that forgets its task, or whose prompt changes with each turn, is wrong or expensive."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import islice, pairwise, product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmem
from graphmem import WorkingSet
from graphmem.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    OwnerGoneError,
    TransactionError,
)
from graphmem.services.tokens import estimated_tokens
from graphmem.sharing import feed
from graphmem.sharing.items import Items
from graphmem.sharing.quoting import PROTECTIVE, Judge, quotations, stands_alone, statement, worth
from graphmem.sharing.saved_set import NAMESPACE

TALK = (
    "Hello there!",
    "We decided to take LevelDB, because it has one file format.",
    "我们决定把发布推迟到五月十日。",
    "That sounds nice.",
    "The budget of the audit is 42,000 euros.",
    "Who asks Iris about the audit?",
    "Jonas prefers trains to planes. 乔纳斯不坐飞机。",
    "ok",
)


def said(working: WorkingSet) -> str:
    return "\n".join(message["content"] for message in working.messages)


def long_talk(working: WorkingSet, turns: int) -> list[str]:
    working.add("system", "You are a careful engineer.")
    prompts = []
    for number in range(turns):
        role = ("user", "assistant")[number % 2]
        working.add(role, f"{number}. {TALK[number % len(TALK)]} Ticket {number} is about it.")
        prompts.append(str(working.messages))
    return prompts


@pytest.mark.slow
def test_the_prefix_of_a_prompt_stays_and_the_budget_is_kept() -> None:
    """A provider's cache counts up to the first change: a sliding window changes with each turn."""
    working = WorkingSet(1500)
    prompts = long_talk(working, 400)
    shares = []
    for before, prompt in pairwise(prompts):
        before = before.removesuffix("]")
        same = next(
            (n for n, (a, b) in enumerate(zip(before, prompt, strict=False)) if a != b), len(before)
        )
        shares.append(same / len(before))
    assert sum(shares) / len(shares) > 0.95  # at 8,000 tokens 0.988
    assert working.tokens <= 1500
    assert working.messages[0]["content"] == "You are a careful engineer."
    assert "399." in working.messages[-1]["content"]


def test_what_leaves_stays_as_exact_quotations_with_their_source(tmp_path: Path) -> None:
    """A summary that nobody said would be believed; a decision that is gone is taken again."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        working = WorkingSet.of(memory, "s", 400)
        working.add("user", "We decided to take LevelDB.", importance=0.9)
        for number in range(60):
            working.add("assistant", f"Step {number} went as it should, and then some more of it.")
        assert "We decided to take LevelDB." in said(working)
        for fact in working.facts:
            node = memory[int(fact.source.removeprefix("node "))]
            assert fact.quote in node.text
        assert [turn.number for turn in working.turns][-1] == 61
        assert len(memory) == 61


def test_a_set_survives_a_restart(tmp_path: Path) -> None:
    """An agent that is started again must not begin with an empty head."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        working = WorkingSet.of(memory, "s", 500)
        long_talk(working, 50)
        before = working.messages, working.facts, working.tokens
    with graphmem.open(tmp_path / "m", worker="none"), graphmem.attach(tmp_path / "m") as attached:
        again = WorkingSet.of(attached, "s", 500)
        assert (again.messages, again.facts, again.tokens) == before
        assert again.add("user", "Go on.").number == 52
    with pytest.raises(InvalidArgumentError):
        WorkingSet().restore({"turns": [{}], "facts": [], "shown": [], "next": 1})


def test_a_turn_that_could_not_be_stored_is_stored_with_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its owner had gone for a moment: after a restart the talk had a hole."""

    def gone(*_: object, **__: object) -> None:
        raise OwnerGoneError("The owner has gone.")

    with graphmem.open(None, worker="none") as memory:
        working = WorkingSet.of(memory, "s")
        monkeypatch.setattr(Items, "put_many", gone)
        with pytest.raises(OwnerGoneError):
            working.add("user", "The audit costs 42,000 euros.")
        monkeypatch.undo()
        working.add("user", "Go on.")
        assert len(working.turns) == 2
        assert WorkingSet.of(memory, "s").turns == working.turns


def test_a_set_is_no_part_of_a_transaction() -> None:
    """A turn that a block had unpinned was pinned again after a restart, for the block was taken
    back; one that could not be added in it was remembered all the same."""
    with graphmem.open(None, worker="none") as memory:
        working = WorkingSet.of(memory, "s")
        working.add("user", "The audit costs 42,000 euros.", pinned=True)
        with memory.transaction():
            with pytest.raises(TransactionError, match=r"WorkingSet\.unpin "):
                working.unpin(1)
            with pytest.raises(TransactionError, match=r"WorkingSet\.add "):
                working.add("user", "Go on.")
        assert len(memory) == len(working.turns) == 1
        assert WorkingSet.of(memory, "s").turns == working.turns


def test_a_turn_is_of_the_day_that_the_clock_of_the_memory_tells(tmp_path: Path) -> None:
    """The digest told the machine's day, the memory another; so it was in a client."""
    now = datetime(2026, 6, 8, 12, tzinfo=UTC)
    path = tmp_path / "m"
    with (
        graphmem.open(path, worker="none", clock=lambda: now) as owner,
        graphmem.attach(path) as attached,
        graphmem.reach(path, worker="none") as reached,
    ):
        for memory in (owner, attached, reached):
            working = WorkingSet.of(memory, "talk")
            assert working.add("user", "The audit costs 42,000 euros.").day == "2026-06-08"
            assert working.add("user", " ").day == "2026-06-08"  # nothing that is remembered


@pytest.mark.parametrize("budget", [600, 8000])
def test_a_set_is_used_by_any_number_of_threads(budget: int) -> None:
    """Turns had the same numbers, compactions met half of a turn, and what was stored could not be
    read again."""
    with graphmem.open(None, worker="none") as memory, ThreadPoolExecutor(4) as threads:
        working = WorkingSet.of(memory, "s", budget)

        def speak(number: int) -> int:
            turn = working.add("user", f"Agent {number % 4} has built branch {number} by itself.")
            assert working.messages
            assert working.tokens <= budget
            return turn.number

        assert sorted(threads.map(speak, range(60))) == [*range(1, 61)]
        assert WorkingSet.of(memory, "s", budget).messages == working.messages
        assert budget < 8000 or len(working.turns) == 60


def test_two_sets_of_a_session_lose_no_turn(tmp_path: Path) -> None:
    """Another process had added a turn, even a pinned one; the next turn of this one took its
    number and its place."""
    path = tmp_path / "m"
    with graphmem.open(path, worker="none") as owner, graphmem.attach(path) as attached:
        sets = [WorkingSet.of(memory, "s") for memory in (owner, owner, attached)]

        def speak(number: int) -> None:
            for turn in range(8):
                sets[number].add("user", "ok" if turn % 2 else f"Agent {number}, turn {turn}.")

        sets[0].add("user", "Okoro is allergic to latex.", pinned=True)
        assert "latex" in said(sets[2])
        with ThreadPoolExecutor(3) as threads:
            list(threads.map(speak, range(3)))
        sets[1].unpin(1)
        last = WorkingSet.of(owner, "s")
        assert [turn.number for turn in last.turns] == [*range(1, 26)]
        assert {turn.content for turn in last.turns} >= {
            f"Agent {number}, turn {turn}." for number in range(3) for turn in (0, 2, 4, 6)
        }
        assert sum(turn.content == "ok" for turn in last.turns) == 12
        assert not any(turn.pinned for turn in last.turns)
        assert all(working.messages == last.messages for working in sets)


@pytest.mark.parametrize("is_done", [False, True])
def test_a_turn_of_which_nobody_knows_whether_it_was_stored_is_there_once(
    monkeypatch: pytest.MonkeyPatch, is_done: bool
) -> None:
    """The owner went before it answered, and another process went on."""
    put_many = Items.put_many

    def gone(items: Items, *given: Any, **named: Any) -> None:
        if is_done:
            put_many(items, *given, **named)
        raise OwnerGoneError("The owner has gone.")

    with graphmem.open(None, worker="none") as memory:
        working = WorkingSet.of(memory, "s")
        monkeypatch.setattr(Items, "put_many", gone)
        with pytest.raises(OwnerGoneError):
            working.add("user", "The audit costs 42,000 euros.")
        monkeypatch.undo()
        WorkingSet.of(memory, "s").add("user", "Who asked for it?")
        working.add("user", "Iris did.")
        told = [turn.content for turn in WorkingSet.of(memory, "s").turns]
        assert told[-1] == "Iris did."
        assert sorted(told[:-1]) == ["The audit costs 42,000 euros.", "Who asked for it?"]


def test_a_turn_for_which_another_set_took_the_room_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two long rules were added at once: 572 of 500 tokens, and no later turn could be added."""
    put_many = Items.put_many
    rule = "Never push to main without a review by somebody of the other team. " * 21

    with graphmem.open(None, worker="none") as memory:
        working, other = (WorkingSet.of(memory, "s", 500) for _ in range(2))

        def after_another(items: Items, *given: Any, **named: Any) -> Any:
            monkeypatch.undo()
            other.add("system", f"First. {rule}")
            return put_many(items, *given, **named)

        monkeypatch.setattr(Items, "put_many", after_another)
        with pytest.raises(InvalidArgumentError, match="does not fit"):
            working.add("system", f"Second. {rule}")
        working.add("user", "Go on.")
        assert working.tokens <= working.budget
        assert [turn.content[:6] for turn in WorkingSet.of(memory, "s", 500).turns] == [
            "First.", "Go on.",
        ]  # fmt: skip


def test_a_set_whose_items_were_deleted_is_stored_whole_again() -> None:
    with graphmem.open(None, worker="none") as memory:
        working = WorkingSet.of(memory, "s")
        working.add("user", "The audit costs 42,000 euros.")
        memory.items.delete(NAMESPACE, "s 0")
        memory.items.delete(NAMESPACE, "s 1")
        working.add("user", "Go on.")
        assert WorkingSet.of(memory, "s").turns == working.turns


def test_a_turn_writes_itself_and_not_the_turns_before(tmp_path: Path) -> None:
    """After 800 turns a turn took 166 ms: everything quoted so far was guarded and written again."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        working = WorkingSet.of(memory, "s", 500)
        long_talk(working, 50)
        working.compact()
        for other in (working, WorkingSet.of(memory, "s", 500)):
            since = memory.history.changes().last
            turn = other.add("user", "Go on.")
            written = [change.key for change in memory.items.changes(since)]
            assert written == ["s 0", f"s {turn.number}"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(TALK),
            st.integers(1, 6),
            st.sampled_from([0.0, 0.2, 0.3, 0.5, 0.9]),
            st.booleans(),
            st.sampled_from(["", "Wen", "吴"]),
            st.sampled_from(["2026-03-02", "2026-03-03"]),
        ),
        max_size=40,
    ),
    st.sampled_from([250, 400, 1000]),
)
def test_no_turn_is_cut_and_what_must_stay_stays(
    turns: list[tuple[str, int, float, bool, str, str]], budget: int
) -> None:
    """Whatever comes, the prompt fits, pinned turns stand in it and nothing is made up."""
    working = WorkingSet(budget)
    working.add("system", "Be brief.")
    pinned, given_turns = [], {}
    for text, times, importance, pin, speaker, day in turns:
        content = " ".join([text] * times)
        pin = pin and sum(map(estimated_tokens, pinned)) < budget // 4
        try:
            turn = working.add(
                "user", content, importance=importance, pinned=pin, speaker=speaker, happened=day
            )
        except InvalidArgumentError:
            continue
        given_turns[turn.number] = content
        if pin:
            pinned.append(content)
        told = [estimated_tokens(message["content"] + "\n") for message in working.messages]
        assert working.tokens == sum(told) <= budget
        assert working.turns[-1] == turn
    contents = [turn.content for turn in working.turns]
    assert all(content in contents for content in pinned)
    assert all(turn.content == given_turns[turn.number] for turn in working.turns[1:])
    for fact in working.facts:
        assert fact.quote in given_turns[fact.turn]
        assert fact.turn not in {turn.number for turn in working.turns}
    left = working.compact()
    assert left >= 0
    assert working.tokens <= max(
        0.75 * budget, sum(t.tokens for t in working.turns if t.pinned or t.role == "system")
    )
    low = [t for t in working.turns if t.importance < 0.3 and not t.pinned and t.role != "system"]
    assert all(turn.number >= working.turns[-1].number - len(working.turns) for turn in low)
    assert WorkingSet(budget).state()["turns"] == []
    again = WorkingSet(budget)
    again.restore(working.state())
    assert again.messages == working.messages


def test_a_turn_may_be_as_long_as_what_is_left_beside_those_that_stay() -> None:
    """One token too few, and a turn that fits is refused; one too many, and the provider refuses."""
    working = WorkingSet(100, count_tokens=len)
    working.add("system", "x" * 39)
    working.add("user", "x" * 59)
    assert working.tokens == 100
    with pytest.raises(InvalidArgumentError, match="61 tokens beside 40"):
        working.add("user", "x" * 60)


def test_more_of_what_was_said_is_there_than_in_a_window_of_the_same_size() -> None:
    """The reason for it all: what was decided long ago must be in the prompt."""
    working = WorkingSet(1000)
    decided = {}
    for number in range(300):
        if number % 10 == 0:
            decided[number] = f"We decided that service {number} moves to host {number + 7}."
            working.add("user", decided[number])
        else:
            working.add("user", f"Well, {'and so on and so forth ' * 3}it goes.")
    window, size = [], 0
    for number in reversed(range(300)):
        text = decided.get(
            number,
            "Well, and so on and so forth and so on and so forth and so on and so forth it goes.",
        )
        size += estimated_tokens(text + "\n")
        if size > working.tokens:
            break
        window.append(text)
    there = sum(text in said(working) for text in decided.values())
    assert there > 2 * sum(text in window for text in decided.values())


def test_what_is_said_is_quoted_and_chatter_is_not() -> None:
    kinds = {quote: kind for text in TALK for kind, quote in quotations(text)}
    assert kinds["We decided to take LevelDB, because it has one file format."] == "decision"
    assert kinds["我们决定把发布推迟到五月十日。"] == "decision"
    assert kinds["Who asks Iris about the audit?"] == "question"
    assert not {"ok", "Hello there!"} & kinds.keys()


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"tokens": 10}, InvalidArgumentError),
        ({"tokens": "many"}, ArgumentTypeError),
        ({"trigger": 0.5, "target": 0.6}, InvalidArgumentError),
        ({"least": 2}, InvalidArgumentError),
        ({"count_tokens": "nobody"}, InvalidArgumentError),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        WorkingSet(**wrong)  # type: ignore[arg-type]


def test_a_set_of_what_is_no_memory_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"a Memory of graphmem\.open .*got str"):
        WorkingSet.of("memory", "chat")  # type: ignore[arg-type]


def test_half_a_character_is_refused_when_it_is_added() -> None:
    """It was taken, and the compaction long after it raised UnicodeEncodeError."""
    working = WorkingSet(200)
    for wrong in (
        {"content": "We agreed \ud800 on 4 May."},
        {"content": "Yes.", "speaker": "\udfff"},
    ):
        with pytest.raises(InvalidArgumentError, match="surrogate"):
            working.add("user", **wrong)
    assert working.add("user", "We agreed \U0001f600 on 4 May.").number == 1


def test_a_turn_that_never_fits_is_refused_and_changes_nothing() -> None:
    working = WorkingSet(100)
    working.add("user", "Hello.")
    with pytest.raises(InvalidArgumentError, match="does not fit"):
        working.add("user", "word " * 200)
    with pytest.raises(InvalidArgumentError):
        working.add("king", "x")
    assert [turn.content for turn in working.turns] == ["Hello."]


def test_no_answer_stays_without_its_question() -> None:
    """An answer alone, such as "walnuts", was read as an answer to another question."""
    working = WorkingSet(400)
    for number in range(40):
        working.add("user", f"What did they say about the bridge of town {number}? " * 2)
        working.add("assistant", f"It is number {number}.")
    numbers = [turn.number for turn in working.turns]
    fresh = 80 - next(n for n in range(80) if 80 - n not in numbers)  # from where none is left out
    for turn in working.turns:
        if turn.role == "assistant" and turn.number <= fresh:
            assert turn.number - 1 in numbers
    assert len(numbers) < 40


def test_no_message_is_an_answer_whose_question_has_left() -> None:
    random = Random(9)
    working = WorkingSet(400)
    for number in range(40):
        asked = f"What about the bridge of town {number}? " * random.choice((1, 2, 3, 5))
        working.add("user", asked, importance=random.choice((0.1, 0.5)))
        working.add("assistant", f"It is number {number}. " * random.choice((1, 1, 3)))
        assert next(m["role"] for m in working.messages if m["role"] != "system") == "user"


def heard(language: str) -> WorkingSet:
    """An agent that has heard the same things for two days, in one of three languages."""
    working = WorkingSet(800)
    told = {
        "en": (
            ("Wen", "Postgres 14 runs in production. It has been so since March.", "2026-05-04"),
            ("user", "When is the release?", "2026-05-04"),
            ("assistant", "May 10.", "2026-05-04"),
            ("Wen", "We upgraded Postgres to 16 in production.", "2026-05-05"),
        ),
        "zh": (
            ("文", "生产环境的数据库还是Postgres 14。从三月起一直这样。", "2026-05-04"),
            ("user", "什么时候发布？", "2026-05-04"),
            ("assistant", "五月十日。", "2026-05-04"),
            ("文", "生产环境的数据库升到了Postgres 16。", "2026-05-05"),
        ),
        "de": (
            ("Wen", "In der Produktion läuft Postgres 14. Das ist seit März so.", "2026-05-04"),
            ("user", "Wann ist die Freigabe?", "2026-05-04"),
            ("assistant", "Am 10. Mai.", "2026-05-04"),
            ("Wen", "Wir haben Postgres in der Produktion auf 16 gehoben.", "2026-05-05"),
        ),
    }[language]
    for who, text, day in told:
        role = who if who in ("user", "assistant") else "user"
        working.add(role, text, speaker="" if who == role else who, happened=day, importance=0.6)
    filler = {"en": "Well, so it goes, and so on and so forth.", "zh": "嗯，就这样吧，慢慢来。",
              "de": "Na ja, so geht es eben, und so weiter und so fort."}  # fmt: skip
    for _ in range(90):
        working.add("user", filler[language], happened="2026-05-06")
    return working


def digest(working: WorkingSet) -> str:
    (found,) = (m["content"] for m in working.messages if m["role"] == "system")
    return found


def test_a_quotation_has_its_day_its_speaker_and_its_question() -> None:
    """Of 108 quotations at turn 500 a reader could say of 65 who spoke of what, and of none when."""
    lines = digest(heard("en")).splitlines()
    assert lines[0].startswith("Earlier in this conversation")
    place = lines.index("[2026-05-04, user] When is the release?")
    assert lines[place + 1] == "[assistant] May 10."
    assert "[2026-05-05, Wen] We upgraded Postgres to 16 in production." in lines
    lines = digest(heard("zh")).splitlines()
    assert lines[0].startswith("以下是本次对话较早的原话")
    assert "[2026-05-05, 文] 生产环境的数据库升到了Postgres 16。" in lines
    lines = digest(heard("de")).splitlines()
    assert lines[0].startswith("Früher in diesem Gespräch")
    assert "[2026-05-05, Wen] Wir haben Postgres in der Produktion auf 16 gehoben." in lines


@pytest.mark.parametrize("language", ["en", "zh"])
def test_of_an_older_and_a_newer_value_the_newer_is_quoted(language: str) -> None:
    """A reader found the old address in the digest, and the new one nowhere."""
    working = heard(language)
    lines = digest(working).splitlines()
    assert sum("16" in line for line in lines) == 1
    assert not any("14" in line or "March" in line or "三月" in line for line in lines)
    (older,) = (fact for fact in working.facts if "14" in fact.quote)
    assert (older.outdated, older.newer) == (True, 4)


@pytest.mark.parametrize(
    "told",
    [
        ("The desk of Sunniva stands in room 24.", "Sunniva's desk has moved upstairs to room 31."),
        ("值班手机归童大伟管，有事打给他。", "童大伟腰不好，值班手机改归高原管了。"),
    ],
)
def test_no_older_value_is_quoted_without_what_is_likely_to_replace_it(
    told: tuple[str, str],
) -> None:
    """No pattern knows these; a rare word that both hold, and a word of change, are enough."""
    working = WorkingSet(600)
    working.add("user", told[0], happened="2026-03-01")
    working.add("user", told[1], happened="2026-05-01")
    for number in range(90):
        working.add("user", "Well, so it goes, and so on and so forth.", happened="2026-05-02")
        prompt = said(working)
        assert told[0] not in prompt or told[1] in prompt, number


def test_what_the_memory_no_longer_holds_is_not_quoted(tmp_path: Path) -> None:
    """The digest went on quoting what had been corrected, and what had been erased."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        working = WorkingSet.of(memory, "s", 600)
        told = {
            "corrected": "We decided that the audit of the bridge costs 42,000 euros.",
            "replaced": "We decided that Iris leads the audit of the harbour.",
            "forgotten": "We decided to sell the old crane to Jonas.",
            "erased": "We decided to dismiss the director of the harbour in May.",
        }
        nodes = {}
        for action, text in told.items():
            nodes[action] = int(working.add("user", text).source.removeprefix("node "))
        for _ in range(60):
            working.add("user", "Well, so it goes, and so on and so forth.")
        assert all(text in digest(working) for text in told.values())
        memory.correct(nodes["corrected"], "The audit of the bridge costs 24,000 euros.")
        memory.replace(nodes["replaced"], "Wen leads the audit of the harbour.")
        memory.forget(nodes["forgotten"])
        memory.forget(nodes["erased"], erase=True)
        assert not any(text in said(working) for text in told.values())
        assert not working.facts
        (turn,) = (working.add("user", "Iris keeps the keys of the crane."),)
        memory.forget(int(turn.source.removeprefix("node ")), erase=True)
        assert turn.content not in said(working)
        assert not any("keys" in str(i.value) for i in memory.items.list("graphmem:working-set"))
        gone = working.add("user", "We decided that Iris sells the keys of the harbour.")
        memory.forget(int(gone.source.removeprefix("node ")))  # while it stands in the prompt
        for _ in range(60):
            working.add("user", "Well, so it goes, and so on and so forth.")
        assert gone.content not in said(working)


ENGINES = ["leveldb", "lmdb"]
ERASED = {
    "en": (
        "My diagnosis is {} since May.",
        "quixnarose",
        "We agreed that the {} trial ends in June.",
    ),
    "de": ("Meine Diagnose seit Mai: {}.", "zwergfalk", "Wir haben entschieden: {} endet im Juni."),
    "zh": ("我五月以来的诊断是{}。", "鼯鼱鼷齄", "我们决定{}的试验六月结束。"),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("language", ERASED)
def test_no_byte_of_an_erased_memory_is_left_in_a_working_set(
    tmp_path: Path, engine: str, language: str
) -> None:
    """It stayed in the set's items, in the files and in every backup, until the set was next read,
    whether it stood there whole or as a quotation."""
    text, word, decided = ERASED[language]
    with graphmem.open(tmp_path / "m", worker="none", engine=engine) as memory:
        sets = {name: WorkingSet.of(memory, name, 600) for name in ("whole", "quoted", "other 1")}
        sets["whole"].add("user", text.format(word))
        kept = [
            sets["quoted"].add("user", f"We decided to sell the old {it}.") for it in ("A", "B")
        ]
        sets["quoted"].add("user", decided.format(word))
        kept.append(sets["quoted"].add("user", "We decided to buy the new crane."))
        sets["other 1"].add("user", "We decided to wait for the audit.")
        for _ in range(60):
            sets["quoted"].add("user", "Well, so it goes, and so on and so forth.")
        assert word in digest(sets["quoted"])
        assert in_files(tmp_path / "m", word)
        memory.forget(list(memory.nodes(text=word)), erase=True)
        assert in_files(tmp_path / "m", word) == []
        assert word not in str(memory.items.list(NAMESPACE))
        for name in sets:  # in the sets in use, and in those of another process
            for working in (sets[name], WorkingSet.of(memory, name, 600)):
                assert word not in said(working)
        again = WorkingSet.of(memory, "quoted", 600)
        assert [fact.source for fact in again.facts] == [turn.source for turn in kept]
        assert said(again) == said(sets["quoted"])
        assert sets["quoted"].add("user", "And so on.").number == 65
        assert "audit" in said(WorkingSet.of(memory, "other 1", 600))
        assert memory.admin.check() == []
    assert in_files(tmp_path / "m", word) == []


def test_a_turn_of_many_segments_goes_when_one_of_them_is_erased(tmp_path: Path) -> None:
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        working = WorkingSet.of(memory, "s", 2000)
        said_of = (
            "The harbour was quiet and the boats lay at the quay in the sun of that long day. "
        )
        turn = working.add("user", said_of * 6 + "My diagnosis is quixnarose since May.")
        beside = working.add("user", "We decided to wait for the audit.")
        assert turn.segments > 1
        memory.forget(turn.nodes[-1], erase=True)
        assert in_files(tmp_path / "m", "quixnarose") == []
        assert [one.content for one in WorkingSet.of(memory, "s", 2000).turns] == [beside.content]


def test_a_quotation_stored_without_its_segments_goes_with_a_later_one(tmp_path: Path) -> None:
    """Older versions stored no number of segments; only the first of a text erased its quotation."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        working = WorkingSet.of(memory, "s", 600)
        quiet = "The harbour was quiet and the boats lay at the quay in the sun of that long day. "
        turn = working.add("user", quiet * 6 + "We agreed that the quixnarose trial ends in June.")
        beside = working.add("user", "We decided to buy the new crane.")
        for _ in range(70):
            working.add("user", "Well, so it goes, and so on and so forth.")
        assert "quixnarose" in said(working)
        for item in [*memory.items.list(NAMESPACE)]:
            if isinstance(item.value, list):
                for fact in item.value:
                    del fact["segments"]
                memory.items.put(NAMESPACE, item.key, item.value)
        assert {fact.segments for fact in WorkingSet.of(memory, "s", 600).facts} == {0}
        memory.forget(turn.nodes[-1], erase=True)
        assert in_files(tmp_path / "m", "quixnarose") == []
        assert {f.source for f in WorkingSet.of(memory, "s", 600).facts} == {beside.source}


def test_a_set_that_was_read_before_an_erasure_does_not_bring_the_turn_back(tmp_path: Path) -> None:
    """It stores what it held: another thread erased the turn between its reading and its storing."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        working = WorkingSet.of(memory, "s", 600)
        turn = working.add("user", "We agreed that the quixnarose trial ends in June.")
        store = working._store

        def late() -> bool:
            working._store = store  # type: ignore[method-assign]
            memory.forget(turn.nodes[0], erase=True)
            return store()

        working._store = late  # type: ignore[method-assign]
        working.add("user", "And so on.")
        assert in_files(tmp_path / "m", "quixnarose") == []
        assert [one.content for one in working.turns] == ["And so on."]


def in_files(folder: Path, word: str) -> list[str]:
    """The files that have a word; not LevelDB's list of files, which is clean when next opened."""
    return [
        file.name
        for file in folder.rglob("*")
        if file.is_file() and word.encode() in file.read_bytes() and "MANIFEST" not in file.name
    ]


def test_what_was_forgotten_among_more_changes_than_are_kept_is_not_quoted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with graphmem.open(None, worker="none") as memory:
        working = WorkingSet.of(memory, "s", 600)
        kept, gone = (
            working.add("user", f"We decided to sell the old {thing} to Jonas.")
            for thing in ("crane", "barge")
        )
        for _ in range(60):
            working.add("user", "Well, so it goes, and so on and so forth.")
        assert gone.content in digest(working)
        memory.forget(int(gone.source.removeprefix("node ")))
        monkeypatch.setattr(feed, "RING", 1)
        memory.items.put("n", "a", 1)
        assert gone.content not in said(working)
        assert kept.content in digest(working)


def test_an_appointment_that_is_over_gives_its_place_to_what_holds() -> None:
    """In June a digest named a dentist's appointment of March, and no price."""
    working = WorkingSet(400)
    for number in range(12):
        day = f"2026-03-{number + 1:02}"
        working.add(
            "user", f"The lesson with Mr Lasker is moved to {number + 2} March.", happened=day
        )
    working.add("user", "The rent of the boathouse is 410 euros a week.", happened="2026-03-20")
    for _ in range(40):
        working.add("user", "Well, so it goes, and so on and so forth.", happened="2026-06-01")
    assert "410 euros" in said(working)


@pytest.mark.parametrize(
    "allergy",
    ["Jonas is allergic to cashews, I remember the ambulance.", "小雨对青霉素过敏，千万别给她用。"],
)
def test_what_protects_somebody_is_quoted_before_all_else(allergy: str) -> None:
    """Of a hundred decisions and figures the latest stood in the prompt, and no allergy."""
    working = WorkingSet(600)
    working.add("user", allergy)
    names = ("Otter", "Heron", "Lynx", "Badger", "Falcon", "Marten", "Plover", "Viper", "Gannet")
    for one, other in product(names, names):
        decided = f"We decided that {one} ships to {other}town with {len(one)} engineers."
        working.add("user", decided, importance=0.9)
    assert allergy in said(working)


def test_nothing_is_quoted_that_stands_in_the_prompt() -> None:
    """Half of the quotations repeated what the turns below them said."""
    working = WorkingSet(600)
    said = "The audit of the bridge costs 42,000 euros."
    for number in range(80):
        working.add(
            "user", said if number % 8 == 0 else "Well, so it goes, and so on and so forth."
        )
    prompt = "\n".join(m["content"] for m in working.messages)
    recent = sum(turn.content == said for turn in working.turns)
    assert prompt.count(said) == max(1, recent)
    told = digest(after_small_talk(f"{said} Iris asked.", f"{said} Wen told me."))
    assert told.count(said) == 1


def test_a_question_does_not_take_what_protects_along() -> None:
    """It stood among what was asked, or left with its answer."""
    told = "Bram is severely allergic to hazelnuts. Does he carry his pen?"
    assert [kind for kind, _ in quotations(told)] == [PROTECTIVE, "question"]


def test_a_sentence_that_refers_to_the_one_before_is_quoted_with_it() -> None:
    """ "It ought to be 22" said nothing to an agent that read it alone."""
    text = "C17 is only 10 microfarads. It ought to be 22. We order fifty pieces. Hello!"
    quotes = [quote for _, quote in quotations(text)]
    assert "C17 is only 10 microfarads. It ought to be 22." in quotes
    assert all(quote in text for quote in quotations(text)[0][1:])
    (quote,) = (q for _, q in quotations("晨会挪到九点半。改成每周三次，别忘了。") if "三次" in q)
    assert quote == "晨会挪到九点半。改成每周三次，别忘了。"


def test_turns_of_several_speakers_say_who_speaks_and_when() -> None:
    """A prompt with five speakers in one role was one voice."""
    working = WorkingSet(400)
    working.add("user", "The offer is out.", speaker="Sofie", happened="2026-01-09")
    working.add("user", "Thank you.", speaker="Marijke", happened="2026-01-09T10:00:00+01:00")
    working.add("assistant", "Noted.", happened="2026-01-10")
    assert [message["content"] for message in working.messages] == [
        "[2026-01-09, Sofie] The offer is out.",
        "[Marijke] Thank you.",
        "Noted.",
    ]
    for wrong in ("soon", 7):
        with pytest.raises(InvalidArgumentError, match="happened"):
            working.add("user", "x", happened=wrong)  # type: ignore[arg-type]


def test_what_is_left_of_the_budget_is_filled_with_what_a_cue_recalls(tmp_path: Path) -> None:
    """A third of the prompt stayed empty while the memory knew the answer."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("The keys of the boathouse hang behind the clock.", speaker="Noor")
        working = WorkingSet.of(memory, "s", 500)
        assert working.prompt("Where are the keys of the boathouse?") == []  # nobody has asked
        working.add("user", "The regatta is on Sunday.")
        working.add("user", "Where are the keys of the boathouse?")
        *_, recalled, last = working.prompt("Where are the keys of the boathouse?")
        assert last["content"] == "Where are the keys of the boathouse?"
        assert "behind the clock" in recalled["content"]
        assert "regatta" not in recalled["content"]
        assert sum(estimated_tokens(m["content"] + "\n") for m in (recalled,)) <= 500
        assert working.messages[-1]["content"] == last["content"]
        assert len(working.messages) == 2
        assert working.prompt("Where are the keys of the boathouse?") == [
            *working.messages[:-1], recalled, last
        ]  # fmt: skip
        memory.forget(1)
        assert working.prompt("When is the regatta?") == working.messages  # which say it
    assert WorkingSet().prompt("anything") == []


@pytest.mark.parametrize(
    ("fact", "asked", "answer"),
    [
        (
            "The allotment costs 85 pounds a year.",
            "Just doing the budget for next year, remind me, what does the allotment cost us?",
            "85",
        ),
        (
            "Der Schrebergarten kostet 85 Euro im Jahr.",
            "Ich mache gerade den Haushaltsplan, was kostet uns der Schrebergarten noch gleich?",
            "85",
        ),
        (
            "菜园一年的租金是八百五十元。",
            "我在做明年的预算，提醒我一下，菜园一年租金多少？",
            "八百五十",
        ),
    ],
)
def test_the_turn_that_asks_does_not_hide_the_answer(fact: str, asked: str, answer: str) -> None:
    """Beside the turn itself, which matches best of all, the answer fell under the cut."""
    with graphmem.open(None, worker="none") as memory:
        memory.remember(fact, speaker="Omar", session="old")
        working = WorkingSet.of(memory, "now", 3000)
        for said in (asked, asked + "\n\n" + "\n\n".join([asked] * 9)):  # of several segments
            working.add("user", said)
            assert [message["role"] for message in working.prompt(said)].count("system") == 1
            assert answer in working.prompt(said)[-2]["content"]
        first, second = (turn.nodes for turn in working.turns)
        assert len(second) > 1
        assert [*first, *second] == [node.id for node in memory][1:]
        state = working.state()
        for turn in state["turns"]:
            del turn["segments"]  # as it was stored before
        working.restore(state)
        assert answer in working.prompt(asked)[-2]["content"]


def test_a_date_without_what_it_is_of_is_no_quotation() -> None:
    """ "Moved: 19 March, 16:10." took room, and an agent could not tell what had been moved."""
    working = WorkingSet(400)
    working.add("user", "Back on 7 April, and not before.")
    working.add("user", "Moved to 19 March, 16:10 now.")
    working.add("user", "The audit of the bridge is on 12 March.")
    for number in range(30):
        working.add("user", f"Well, I went for walk number {number} and the weather was nice.")
    assert "audit of the bridge" in said(working)
    assert "7 April" not in said(working)
    assert "16:10" not in said(working)


def test_an_item_without_its_list_is_no_quotation() -> None:
    """A prompt said "- 4 slices ginger", and of what nobody knew."""
    assert not quotations("- 4 slices ginger")
    assert quotations("- We decided to take LevelDB.")
    for logged in (
        "2026-03-12 10:00:00 the budget of the audit is 42,000 euros",
        "12:00 ERROR The audit of the bridge is on 12 March.",
        '{"budget": "The audit costs 42,000 euros on 12 March."}',
    ):
        assert not quotations(logged)
    assert quotations("- Bram is severely allergic to hazelnuts.")


def test_what_is_longer_than_a_quotation_is_none() -> None:
    """A digest was one long sentence."""
    decided = "We decided to take LevelDB" + ", as we have said before" * 10 + "."
    assert not quotations(decided)
    assert quotations(f"{decided[:200]}.")


def test_a_secret_that_was_cut_is_not_quoted() -> None:
    """The memory had `[password]`, and the prompt went on quoting the password itself."""
    with graphmem.open(None, worker="none") as memory:
        working = WorkingSet.of(memory, "chat", 300)
        told = "The password of the database is Gr4vel&Tulip99, valid from May 3."
        working.add("user", told)
        assert told in said(working)  # the turn itself stays as it was said
        for number in range(40):
            working.add("user", f"Note {number}: we talked about the weather in the garden.")
        assert "Gr4vel" not in said(working)
        assert "[password]" not in said(working)  # which tells an agent nothing


@pytest.mark.parametrize(
    ("older", "newer", "of_another"),
    [
        ("The Hamburg office opens at 8.", "The Hamburg office opens at 9.", "The Madrid office opens at 9."),
        ("French course Mondays at six.", "French course moved to Wednesdays.", "Italian course moved to Wednesdays."),
        ("北门的早餐六点开。", "北门的早餐七点开。", "南门的早餐七点开。"),
        ("Release 4.1 is on 3 May now.", "Release 4.1 is on 9 May now.", "Release 4.2 is on 9 May now."),
    ],
)  # fmt: skip
def test_what_is_told_of_another_outdates_nothing(older: str, newer: str, of_another: str) -> None:
    """Of two offices, courses or releases a prompt had only what was said of the second."""
    for later, is_outdated in ((newer, True), (of_another, False)):
        said = [statement(text, "user") for text in (older, later)]
        judge = Judge(said, ["2026-01-01", "2026-02-01"])
        assert judge.is_outdated(0, 1) is is_outdated
        assert is_outdated or not judge.may_be_outdated(0, 1)


def test_a_turn_that_the_memory_refuses_is_a_turn() -> None:
    """It ended in an IndexError."""
    with graphmem.open(None, worker="none", ephemera="refuse") as memory:
        working = WorkingSet.of(memory, "chat", 300)
        assert working.add("user", "ok, thanks!").source == ""
        assert "ok, thanks!" in said(working)
        assert working.add("assistant", " ").source == ""  # as beside the call of a tool


def test_advice_that_an_assistant_gives_anybody_gives_way_to_what_was_said() -> None:
    """Of a long chat the digest quoted mostly what the assistant recommends to everybody."""
    working = WorkingSet(500)
    for number in range(12):
        working.add("user", f"My cousin Iris{number} repairs old bridges in Utrecht.")
        working.add("assistant", "You could also try listening to some world history podcasts.")
        working.add("assistant", f"Steak number {number} is a classic Western dish many enjoy.")
    for _ in range(40):
        working.add("user", "Well, so it goes, and so on and so forth.")
    assert "old bridges in Utrecht" in digest(working)
    assert "[assistant]" not in digest(working)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (
            "I carry a pen because of wasps. One sting and I swell up like a buoy.",
            "I carry a pen because of wasps. One sting and I swell up like a buoy.",
        ),
        (
            "The meter hangs at the lock gate. On a hot day it reads 40 centimetres.",
            "The meter hangs at the lock gate. On a hot day it reads 40 centimetres.",
        ),
        (
            "The fans stopped at 40 degrees. So we decided to order 20 of them.",
            "The fans stopped at 40 degrees. So we decided to order 20 of them.",
        ),
        (
            "我先买相机三脚架。第二，镜头预算定为4000元。",
            "我先买相机三脚架。第二，镜头预算定为4000元。",
        ),
        (
            "The lock at Merelbeke phoned. According to their meter the canal rose 12 centimetres.",
            "The lock at Merelbeke phoned. According to their meter the canal rose 12 centimetres.",
        ),
        (
            "My father is in Pellenberg. I drive to him every Friday after lunch.",
            "My father is in Pellenberg. I drive to him every Friday after lunch.",
        ),
        (
            "谭越在长虹做过三年环境试验。五百块买她那把螺丝刀，值。",
            "谭越在长虹做过三年环境试验。五百块买她那把螺丝刀，值。",
        ),
        (  # "her" is Noor
            "The kettle is broken again. Noor decided to put her desk into room 24.",
            "Noor decided to put her desk into room 24.",
        ),
    ],
)
def test_a_sentence_that_leans_on_the_one_before_is_quoted_with_it(text: str, quote: str) -> None:
    """A digest began with "One sting and I swell up", and nobody could tell of what."""
    assert quote in [found for _, found in quotations(text)]


@pytest.mark.parametrize(
    "said",
    [
        "It costs 7,900 euros with the trailer and the winch.",
        "That was decided in Ghent: we take LevelDB for the ledger.",
        "它的总价定为7900元，包括拖车和绞盘。",
        "不，我们决定用方案二，预算4000元。",
        "6. The deposit of 300 euros for the boat trailer",
    ],
)
def test_a_sentence_that_says_nothing_without_the_one_before_is_not_quoted_alone(said: str) -> None:
    """A digest quoted "It's the colour of a Tuesday" and "6. …", of which nothing can be learned."""
    assert not any(stands_alone(kind, quote) for kind, quote in quotations(said))
    assert stands_alone("decision", "We decided to sell the old boat for 2,400 euros.")
    assert stands_alone("number", "Also the exposure was four seconds.")
    assert stands_alone("decision", "We chose oak boards.")
    assert not stands_alone("decision", "We chose oak.")
    assert stands_alone("date", "I must leave by 15:30.")
    assert not stands_alone("question", "Twelve exactly?")


@pytest.mark.parametrize(
    ("told", "titles"),
    [
        (
            (
                "Marta Quist painted eleven pictures in Hull.",
                "We decided to sell the boat in Esbjerg.",
                "Otto has a severe allergy to penicillin and carries a card.",
            ),
            ("Health and safety:", "Decided or promised:", "Also said:"),
        ),
        (
            (
                "马蔚在海口画了十一幅画。",
                "我们决定把埃斯比约的船卖掉。",
                "奥托对青霉素严重过敏，随身带着卡片。",
            ),
            ("【健康与安全】", "【定下或答应的】", "【其他】"),
        ),
    ],
)
def test_what_matters_most_comes_first(told: tuple[str, ...], titles: tuple[str, ...]) -> None:
    """In order of time alone a reader met small talk of January before an allergy of February."""
    working = WorkingSet(600)
    for day, text in enumerate(told, 1):
        working.add("user", text, happened=f"2026-03-0{day}")
    filler = "嗯，就这样吧，慢慢来。" if titles[0][0] == "【" else "Well, so it goes, and so on."
    for _ in range(90):
        working.add("user", filler, happened="2026-05-02")
    lines = digest(working).splitlines()[1:]
    assert [line.split("] ")[-1] for line in lines[: 2 * len(titles)]] == [
        line for pair in zip(titles, reversed(told), strict=True) for line in pair
    ]


def after_small_talk(*told: str) -> WorkingSet:
    """A set which these turns of one speaker have left."""
    working = WorkingSet(600)
    for text in (*told, *["Well, so it goes, and so on and so forth."] * 90):
        working.add("user", text, speaker="Rhiannon")
    return working


def test_what_protects_somebody_stands_with_the_name() -> None:
    """A digest said "Also she came out in hives: kiwi", and of nobody who she was."""
    working = after_small_talk(
        "Then Alys ate 2 bowls of fruit salad.",
        "Also she came out in hives, she is allergic to kiwi.",
    )
    assert "Alys" in digest(working).split("kiwi")[0]


@pytest.mark.parametrize(
    "text",
    [
        "Our new lodger is called Ivo. It seems he is allergic to cats.",
        "My boss was pale all morning. Turns out he's epileptic and mustn't be left alone.",
        "Tessa started at work today. A single sesame seed is enough for the ambulance.",
        "Great news about cousin Bea, she got the job! Only nothing with celery, she swells up.",
        "Aunt Ruth moved in. Insulin goes in the fridge door, the needles in the yellow bin.",
        "Onkel Karl war zu Besuch. Er verträgt seit der Operation keine Milch mehr.",
        "Heute kam Opas Arztbrief. Blutverdünner, also bloß kein Aspirin dazu.",
        "Der Kleine von nebenan heißt Mats. Anscheinend verträgt er keine Nüsse.",
        "我弟弟检查结果出来了。是乙肝，以后不能喝酒。",
        "新同事叫小林。原来她对花生过敏。",
        f"My sister Ida came home late {'and told us of the long way ' * 6}today. She must not have "
        f"any peanuts {'in whatever she eats or drinks ' * 3}from now on.",
    ],
)
def test_what_protects_somebody_is_never_quoted_without_who_that_is(text: str) -> None:
    """Under "Health and safety" stood "[Mira] 是乙肝,以后不能喝酒。", of her brother."""
    assert quotations(text) == [(PROTECTIVE, text)]


@pytest.mark.parametrize(
    ("named", "guarded"),
    [
        ("Nana had her check-up.", "She must not have grapefruit any more."),
        ("Tessa started at work today.", "A single sesame seed is enough for the ambulance."),
        ("Heute kam Opas Arztbrief.", "Blutverdünner, also bloß kein Aspirin dazu."),
        ("Onkel Karl war zu Besuch.", "Er verträgt seit der Operation keine Milch mehr."),
        ("我弟弟检查结果出来了。", "是乙肝，以后不能喝酒。"),
        ("Grandpa came by today.", "Zoe is allergic to peanuts and gets a rash."),
        ("爷爷今天来了。", "子昂对花生过敏，吃了会起疹子。"),
    ],
)
def test_what_protects_somebody_stands_with_the_turn_that_says_who_that_is(
    named: str, guarded: str
) -> None:
    """The name was said a turn before, in a sentence that is worth no quotation by itself."""
    working = WorkingSet(900)
    for number, text in enumerate((named, guarded, *("The kettle is on again. " * 9,) * 30)):
        working.add("user", text, speaker="Mira", happened=f"2026-01-{1 + number // 2:02}")
    digest = working.messages[0]["content"]
    assert guarded in digest
    assert (named in digest) == ("Zoe" not in guarded and "子昂" not in guarded)


def test_what_protects_and_says_whom_stands_alone() -> None:
    text = "The bus to Ghent was late again. Mum must not have peanuts."
    assert (PROTECTIVE, "Mum must not have peanuts.") in quotations(text)


@pytest.mark.parametrize(
    "told",
    [
        (
            "Which colour has the door of the workshop in Leith?",
            "The door of the workshop in Leith is green now.",
        ),
        ("Is the meeting on Thursday?", "We moved the meeting to Friday."),
        ("The meeting is on Thursday.", "Did we move the meeting to Friday?"),
        ("Das Treffen ist am Dienstag.", "Wurde das Treffen auf Donnerstag verschoben?"),
        ("例会在周二。", "例会改到周四了吗？"),
    ],
)
def test_a_question_has_no_value_that_another_one_replaces(told: tuple[str, str]) -> None:
    """A joke ("It's the colour of a Tuesday") stood alone as the newer value of a question."""
    working = after_small_talk(*told)
    assert any(fact.kind == "question" for fact in working.facts)
    assert not any(fact.newer for fact in working.facts)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Das Treffen ist am Dienstag.", "Das Treffen wurde auf Donnerstag verschoben."),
        ("Jonas arbeitet bei Siemens.", "Jonas arbeitet nicht mehr bei Siemens."),
        ("小王在腾讯上班。", "小王从腾讯离职了。"),
    ],
)
def test_what_is_surely_over_is_outdated(older: str, newer: str) -> None:
    """It stood in a digest beside what had ended it, where no table names a claim."""
    told = [statement(text, "user") for text in (older, newer)]
    assert Judge(told, ["2026-01-01", "2026-02-01"]).is_outdated(0, 1)


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("Health", "My deckhands will need gloves-friendly buttons, tell your artist."),
        (
            "Health",
            "He said the hospital roof at five, where the nurses share one orange between six.",
        ),
        ("Decided", "Forty-five euros, and every cent goes on very small socks."),
        (
            "Decided",
            "Happy Valentine's to my favourite sister, I've spent it unblocking a sink in Hull.",
        ),
        ("健康", "阳台上的手套和剪刀归妈妈，她说这是她的屋顶花园。"),
        ("定下", "面馆的叔问我，做修复的能不能修一下他和儿子的关系。"),
    ],
)
def test_what_is_doubtful_stands_among_the_rest(title: str, told: str) -> None:
    """A reader found jokes under "Decided" and buttons under "Health"."""
    assert title not in digest(after_small_talk(told, "Marta Quist painted 11 pictures in Hull."))


def test_what_says_it_only_is_about_that_day() -> None:
    """ "It's the colour of a Tuesday" stood in a digest as the later value of another colour."""
    working = WorkingSet(600)
    for day, text in (
        ("2025-11-08", "The colour of the boat shed in Esbjerg is red."),
        ("2026-01-18", "It's the colour of a boat shed on a Tuesday."),
        *[("2026-03-01", "Well, so it goes, and so on and so forth.")] * 90,
    ):
        working.add("user", text, speaker="Owen", happened=day)
    assert "red" in digest(working)
    assert "Tuesday" not in digest(working)


@pytest.mark.parametrize(
    "told",
    [
        "Rohan is allergic to sesame, so no tahini and halva near him.",
        "我乳糖不耐，去年那碗双皮奶让我缺席了后半场。",
    ],
)
def test_what_somebody_must_not_eat_stands_under_health(told: str) -> None:
    """A reader found walnuts, pork and lactose among what was decided."""
    lines = digest(after_small_talk(told)).splitlines()
    assert lines[1] in ("Health and safety:", "【健康与安全】")


@pytest.mark.parametrize(
    ("begun", "ended"),
    [
        (
            "I'm trying uPlot instead of Plotly this week for the charts of Lockkeeper.",
            "The charts of Lockkeeper with uPlot take 0.8 seconds, and Plotly left the bundle.",
        ),
        (
            "霜哨的上报间隔先从十五分钟放宽到三十分钟。",
            "谭越说霜哨的上报间隔可以收到二十分钟。",
        ),
    ],
)
def test_no_trial_is_told_without_its_result(begun: str, ended: str) -> None:
    """A digest had a trial of January, and of June nothing."""
    working = WorkingSet(600)
    working.add("user", begun, happened="2026-03-01")
    working.add("user", ended, happened="2026-05-01")
    for number in range(90):
        working.add("user", "Well, so it goes, and so on and so forth.", happened="2026-05-02")
        prompt = said(working)
        assert begun not in prompt or ended in prompt, number
        lines = prompt.splitlines()
        if lines[0].startswith("Earlier") and begun in prompt:
            (place,) = (n for n, line in enumerate(lines) if begun in line)
            assert ended in lines[place + 1]
    assert ended in prompt


def test_what_is_about_health_stands_without_the_rest_of_its_turn() -> None:
    """Under "Health and safety" stood that somebody's chief asked her to stay a week longer."""
    working = after_small_talk(
        "The chief in De Bilt asks me to stay until April 30. I carry a card because of a severe "
        "allergy to penicillin."
    )
    lines = digest(working).splitlines()
    told = lines[lines.index("Health and safety:") + 1]
    assert "penicillin" in told
    assert "De Bilt" not in told
    assert any("De Bilt" in line for line in lines)


def test_a_prompt_that_was_just_compacted_has_its_budget_used() -> None:
    """1,700 of 8,000 tokens stood empty, while evidence was missing."""
    working = WorkingSet(8000)
    for number in range(400):
        working.add(
            "user", f"Wen number {number} sold {number + 3} boats in Bergen last year. " * 2
        )
        assert working.tokens <= 8000
    working.compact()
    assert 6900 <= working.tokens <= 7360


def test_what_is_quoted_after_restoring_is_of_the_turns_that_were_restored() -> None:
    """The texts without their secrets stayed beside the turns, by number: a turn of a restored
    state was quoted from another one's text, and in a new process with its secret."""
    key = "sk-" + "proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"
    moved = "We decided to move the release of Iris to May 10."

    def quoted(working: WorkingSet) -> list[str]:
        for _ in range(60):
            working.add("user", "Well, so it goes, and so on.")
        return [fact.quote for fact in working.facts]

    with graphmem.open(worker="none") as memory:
        working, other = WorkingSet.of(memory, "one", 600), WorkingSet(600)
        working.add("user", f"We decided that the key is {key}. We decided to take LevelDB.")
        other.add("user", moved)
        guarded, plain = working.state(), other.state()
        working.restore(plain)
        assert quoted(working) == [moved]
        for again in (working, other):
            again.restore(guarded)
            assert quoted(again) == ["We decided to take LevelDB."]
        for turn in plain["turns"]:
            del turn["guarded"]  # an earlier version had none
        other.restore(plain)
        assert quoted(other) == [moved]


def test_a_value_is_not_quoted_whose_successor_holds_no_longer() -> None:
    """That the second took the place of the first was only likely; so the first was quoted, with
    what had outdated the second."""
    working = WorkingSet(700)
    for day, text in (
        ("2025-03-10", "发版都放在周二晚，大家留一个点火的人。"),
        ("2025-07-07", "周二撞了客户例会，发版改到周四晚。"),
        ("2025-09-01", "因为客户在欧洲，开学那周起例会改到周二上午十点。"),
    ):
        working.add("user", text, happened=day)
    for _ in range(90):
        working.add("user", "嗯，就这样吧，没什么可说的。", happened="2026-04-16")
    assert [fact.outdated for fact in working.facts] == [False, True, False]
    assert "上午十点" in digest(working)
    assert "周二晚" not in digest(working)


def test_of_a_talk_in_two_languages_both_are_quoted() -> None:
    """A token of Chinese says less than one of English, so that the digest was in English."""
    data = Path(__file__).parents[2] / "data"
    both = [
        map(json.loads, (data / f"journal.{language}.jsonl").read_text("utf-8").splitlines())
        for language in ("en", "zh")
    ]
    working = WorkingSet(2400)
    for pair in islice(zip(*both, strict=False), 60):
        for row in pair:
            working.add("user", row["text"], speaker="Ana", happened=row["date"])
    lines = digest(working).split("\n")[1:]
    chinese = sum(any("一" <= sign <= "鿿" for sign in line) for line in lines)
    assert 1 / 3 < chinese / len(lines) < 2 / 3


@pytest.mark.parametrize(
    ("before", "more"),
    [("", ""), ("Iris moved to Porto on May 3.", ", as she has told the school")],
)
def test_what_protects_somebody_stands_with_the_question_that_names_them(
    before: str, more: str
) -> None:
    """ "Still gets sick in cars, and she is allergic to penicillin" was said of nobody, or of whom
    its speaker had named before the question."""
    working = WorkingSet(600)
    if before:
        working.add("user", before, speaker="Ming")
    working.add("user", "Does Lanying still get sick in cars?", speaker="Rhiannon")
    working.add("user", f"Yes, and she has a severe allergy to penicillin{more}.", speaker="Ming")
    for _ in range(90):
        working.add("user", "Well, so it goes, and so on and so forth.", speaker="Rhiannon")
    before_it, there, _ = digest(working).partition("penicillin")
    assert there
    assert "Lanying" in before_it


@pytest.mark.parametrize(
    ("told", "asked", "answered", "stays", "goes"),
    [
        (
            ("The budget for Mia's birthday party is 400 euros.",
             "The boathouse on Lake Street costs 350 euros for the evening.",
             "The boathouse is out, it is too loud.", "Let's take the garden pavilion.",
             "The budget for Mia's birthday party is now 520 euros.", "I must leave by 15:30."),
            "How long does program {} of the washing machine take?",
            "Program {} takes about 45 minutes and 9 litres; see the table in the manual.",
            ("520 euros", "garden pavilion", "I must leave by 15:30."),
            ("400 euros",),
        ),
        (
            ("小雨生日会的预算是四千块。", "湖边街的船屋一晚要三千五百块。", "船屋不行，太吵了。",
             "场地就定花园凉亭吧。", "小雨生日会的预算现在是五千二百块。", "我三点半之前必须走。"),
            "洗衣机的第{}号程序要多久？",
            "第{}号程序一般需要四十五分钟左右，用水九升，具体请看说明书里的表格。",
            ("五千二百块", "花园凉亭", "我三点半之前必须走。"),
            ("四千块",),
        ),
    ],
)  # fmt: skip
def test_what_binds_now_goes_before_what_was_rejected(
    told: tuple[str, ...], asked: str, answered: str, stays: tuple[str, ...], goes: tuple[str, ...]
) -> None:
    """The price of a venue that was rejected, and an assistant's figures, took the place of the
    budget, the choice and the hour at which somebody must leave."""
    working = WorkingSet(tokens=600)
    for text in told:
        working.add("user", text)
    for number in range(40):
        working.add("user", asked.format(number))
        working.add("assistant", answered.format(number))
    prompt = said(working)
    assert [text for text in stays if text not in prompt] == []
    assert [text for text in goes if text in prompt] == []
    assert told[1] not in prompt or told[2] in prompt  # the price, and that it was rejected


def test_a_set_whose_turns_have_all_left_compacts() -> None:
    """A quotation with a day of its own was compared with that of the newest turn, without one."""
    working = WorkingSet(tokens=400)
    what = {"kind": "decision", "quote": "We take 12 desks on May 10.", "over": "2026-05-10"}
    when = {"turn": 1, "source": "", "importance": 0.9, "speaker": "user", "day": "2026-03-01"}
    working.restore({"facts": [what | when], "turns": [], "shown": [], "next": 2})
    working.compact()
    assert "We take 12 desks" in said(working)


def test_what_a_quotation_is_worth_follows_its_kind_and_who_said_it() -> None:
    """Small talk, old appointments and what anybody could tell would stand where an allergy does."""
    said, allergy = "The shed has a green door.", "Jonas is allergic to cashews."
    kinds = [worth(kind, said, "user", False) for kind in ("fact", "reason", "decision")]
    assert kinds[0] < kinds[1] < kinds[2]
    assert worth("fact", said, "user", True) < kinds[0] < kinds[-1]
    assert worth("question", said, "user", False) == kinds[-1]
    assert worth("decision", said, "assistant", False) < kinds[-1]
    guarded = worth(PROTECTIVE, allergy, "user", False)
    assert worth("decision", allergy, "user", False) < guarded
    advice = [
        worth("fact", "You should drink enough water.", who, False) for who in ("assistant", "user")
    ]
    assert advice[0] < kinds[0]
    assert 2 * advice[0] < advice[1]


SMALL_TALK = {
    "en": "Nadia told us about the ferry, the wind and a very small hotel with a loud bar.",
    "de": "Die Bahn war zu spät, es hat den ganzen Weg geregnet, und meine Schuhe sind nass.",
    "zh": "今天早上地铁又晚点了，下了一路的雨，鞋子都湿了，到公司已经九点多。",
}


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "I can't have shellfish."),
        ("en", "I don't eat pork."),
        ("en", "My mum can't eat sesame."),
        ("de", "Ich bin laktoseintolerant."),
        ("de", "Ich esse kein Schweinefleisch."),
        ("de", "Ich vertrage kein Gluten."),
        ("zh", "我吃不了海鲜。"),
        ("zh", "我妈不能吃辣。"),
        ("zh", "我不能吃麸质。"),
    ],
)
@pytest.mark.parametrize("counter", ["o200k", len])
def test_what_somebody_may_not_have_stands_before_small_talk(
    language: str, told: str, counter: Any
) -> None:
    """ "I can't eat gluten" was taken for too short to be understood, and small talk quoted."""
    working = WorkingSet(1500 if counter is len else 700, count_tokens=counter)
    working.add("user", told, happened="2026-01-01")
    for turn in range(60):
        working.add("user", f"{SMALL_TALK[language]} ({turn})", happened="2026-01-02")
    assert told.rstrip(".。") in said(working)


@pytest.mark.parametrize("told", ["I can't find the bread.", "我吃不了这么多。", "Ich esse mit."])
def test_what_only_sounds_like_something_forbidden_is_not_quoted_alone(told: str) -> None:
    assert not any(stands_alone(kind, quote) for kind, quote in quotations(told))


def test_a_change_of_a_figure_is_understood_alone() -> None:
    """The old rent was quoted alone, though a later turn said that it was another now."""
    assert stands_alone("number", "The rent was cut to 1,300.")
    assert stands_alone("number", "Das Budget ist jetzt 3000.")
    assert not stands_alone("number", "The budget is 8000.")


@pytest.mark.parametrize("turn", ["Fine by me.", "Bis dann.", "在路上"])
@pytest.mark.parametrize("budget", [600, 1000])
def test_a_small_budget_is_filled_by_short_turns(turn: str, budget: int) -> None:
    """Of a budget in characters two thirds stayed empty: kept for titles of which none stood."""
    working = WorkingSet(budget, count_tokens=len)
    least = budget
    for number in range(400):
        before = working.tokens
        working.add("user" if number % 2 else "assistant", turn, happened="2026-01-01")
        if working.tokens < before:
            least = min(least, working.tokens)
    assert 0.68 * budget <= least < budget
