"""What a cue brings back, on memories small enough to be worked out by hand."""

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import ArgumentTypeError, HeldError, InvalidArgumentError
from graphmem.graph.view import View
from graphmem.hexastore.cache import new_caches
from graphmem.hexastore.keys import Space
from graphmem.index.words.index import WordReader
from graphmem.services.tokens import estimated_tokens
from graphmem.settings import Ranking
from graphmem.storage.in_memory import InMemorySnapshot
from graphmem.values.nodes import Form

NOW = datetime(2026, 5, 10, 12, tzinfo=UTC)


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none", clock=lambda: NOW) as opened:
        yield opened


def apart(memory: graphmem.Memory, *texts: str, **named: Any) -> list[int]:
    """Remember texts that are not linked with each other: the focus is emptied between them."""
    ids = []
    for text in texts:
        with rooms(memory).changing() as writer:
            writer.set_focus(())
        ids.append(memory.remember(text, **named)[0].id)
    with rooms(memory).changing() as writer:
        writer.set_focus(())
    return ids


def ids(found: graphmem.Recall) -> list[int]:
    return [hit.id for hit in found]


# -- what comes back ----------------------------------------------------------------------------


def test_words_find_a_memory(memory: graphmem.Memory) -> None:
    """The plainest question of all."""
    release, coffee = apart(memory, "The release moved to May 10.", "The coffee machine is broken.")
    assert ids(memory.recall("When is the release?")) == [release]
    assert ids(memory.recall("coffee")) == [coffee]
    assert ids(memory.recall("releases")) == [release]  # stems
    assert ids(memory.recall("giraffe")) == []


def test_chinese_words_find_a_memory(memory: graphmem.Memory) -> None:
    """Without word borders, bigrams must do."""
    wanted, _ = apart(memory, "蒲江的探头单价谈到二百六十八。", "茶还没泡开。")
    assert ids(memory.recall("探头多少钱？")) == [wanted]


def test_the_graph_reaches_a_neighbour_that_shares_no_word(memory: graphmem.Memory) -> None:
    """ "Why?" is answered by the sentence after, which repeats nothing of the question."""
    (first, other) = apart(memory, "The release moved to May 10.", "Bananas are yellow.")
    second = apart(memory, "Certification takes a week longer.")[0]
    memory.graph.relate(first, "because", second)
    found = memory.recall("release")
    assert ids(found) == [first, second]
    assert found[1].parts["words"] == 0
    assert [(k.source, k.relation, k.target) for k in found[1].path] == [(first, "because", second)]
    assert f"reached from node {first} over because (1.00) to {second}" in found[1].why
    assert other not in ids(found)


def test_depth_is_how_many_links_away(memory: graphmem.Memory) -> None:
    """Depth 0 must not leak neighbours, and ten must reach ten links away."""
    chain = apart(memory, "Start here.", *(f"Unrelated{k} word{k}." for k in range(12)))
    for a, b in pairwise(chain):
        memory.graph.relate(a, "next", b)
    for depth in (0, 1, 2, 3, 10):
        found = memory.recall(
            "start", where=graphmem.Where(depth=depth), limit=100, use=False, cut="none"
        )
        assert sorted(ids(found)) == chain[: depth + 1]


def test_the_focus_alone_answers_an_empty_cue(memory: graphmem.Memory) -> None:
    """ "Where were we?" has no words to look up."""
    apart(memory, "Bananas are yellow.")
    last = [memory.remember(text)[0].id for text in ("Ada called.", "She wants the invoice.")]
    for cue in ("", "   ", "?!", "the of and"):
        assert sorted(ids(memory.recall(cue, use=False)))[-2:] == last
    assert set(ids(memory.recall("", where=graphmem.Where(depth=0), use=False))) == set(last)


def test_an_empty_memory_answers_with_nothing(memory: graphmem.Memory) -> None:
    """The first question of a new agent comes before its first memory."""
    for mode in ("activation", "focus"):
        found = memory.recall("anything", mode=mode, tokens=10)  # type: ignore[arg-type]
        assert (len(found), found.text, found.dangling) == (0, "", ())


def test_relations_limit_the_links_that_are_followed(memory: graphmem.Memory) -> None:
    """A question about causes must not wander along what was merely said at the same time."""
    start, cause, chatter = apart(memory, "The release moved.", "Certification.", "Lunch was late.")
    memory.graph.relate(start, "because", cause)
    memory.graph.relate(start, "meanwhile", chatter)
    assert ids(
        memory.recall("release", where=graphmem.Where(relations=["because"]), use=False, cut="none")
    ) == [
        start,
        cause,
    ]
    assert set(
        ids(
            memory.recall(
                "release",
                where=graphmem.Where(relations=("because", "meanwhile")),
                use=False,
                cut="none",
            )
        )
    ) == {
        start,
        cause,
        chatter,
    }
    assert ids(
        memory.recall(
            "release", where=graphmem.Where(relations=["nothing of that name"]), use=False
        )
    ) == [start]
    assert len(memory.recall("release", use=False, cut="none")) == 3


def test_limit_bounds_the_hits(memory: graphmem.Memory) -> None:
    """A limit of 0 asks only for the text or the dangling, and must not raise."""
    apart(memory, *(f"Release note {k}." for k in range(30)))
    whole = ids(memory.recall("release", limit=1000, use=False))
    assert len(whole) == 30
    for limit in (0, 1, 7):
        assert ids(memory.recall("release", limit=limit, use=False)) == whole[:limit]
    found = memory.recall("release", limit=0, tokens=100)
    assert len(found) == 0
    assert "Release note" in found.text  # the budget is filled from behind the hits


def test_filters_say_what_a_hit_must_be(memory: graphmem.Memory) -> None:
    """A filter that leaks shows one customer what another one said."""
    first, second, third = (
        memory.remember(f"Release plan {k}.", speaker=s, session=t, happened=h)[0].id
        for k, s, t, h in (
            (1, "Wen", "monday", "2026-05-04T09:00:00Z"),
            (2, "Ada", "monday", "2026-05-05T09:00:00+02:00"),
            (3, "wen", "friday", None),
        )
    )

    def found(**filters: Any) -> list[int]:
        return sorted(
            ids(memory.recall("release plan", use=False, where=graphmem.Where(**filters)))
        )

    assert found(session="monday") == [first, second]
    assert found(speaker="WEN") == [first, third]
    assert found(speaker="Wen", session="monday") == [first]
    assert found(since="2026-05-05T07:00:00Z") == [second, third]  # inclusive; undated: remembered
    assert found(until="2026-05-05T07:00:00Z") == [first]  # exclusive
    assert found(since=NOW) == [third]
    assert found(since=NOW + timedelta(seconds=1)) == []
    assert found(session="no such") == []
    for blank in ("", " "):  # no filter at all would show every session's
        with pytest.raises(InvalidArgumentError, match="session is blank"):
            found(session=blank)
    for filters in (
        {"session": "monday"},
        {"speaker": "Ada"},
        {"until": "2026-05-05T07:00:00Z"},
    ):
        for node in memory.recall("", use=False, where=graphmem.Where(**filters)):
            assert node.id in found(**filters)  # what links reach is filtered too


def test_the_text_behind_the_hits_is_filtered_too(memory: graphmem.Memory) -> None:
    """What fills up a budget came past the filter."""
    memory.remember("Release secret of Ada.", speaker="Ada")
    memory.remember("Release plan of Wen.", speaker="Wen")
    found = memory.recall(
        "release", where=graphmem.Where(speaker="Wen"), limit=0, tokens=1000, use=False
    )
    assert "Wen" in found.text
    assert "Ada" not in found.text


def test_a_forgotten_memory_dangles(memory: graphmem.Memory) -> None:
    """ "I once knew" is an answer; silence would be taken for "never heard of it"."""
    memory.remember("The release moved to May 10.")
    (lost,) = memory.remember("Certification takes a week longer.")
    memory.forget(lost)
    assert not memory.recall("When is the release?", use=False).dangling
    found = memory.recall("How long does the certification take?", use=False)
    assert [stone.id for stone in found.dangling] == [lost.id]
    assert found.dangling[0].phrase == lost.phrase
    assert lost.id not in ids(found)
    assert lost.phrase not in found.text  # somebody wanted it forgotten


def test_what_is_left_stands_for_what_was_once_known_of_the_same(memory: graphmem.Memory) -> None:
    """Of 71 answers 67 ended with something else that was forgotten."""
    (lost,) = memory.remember("The certification takes a week longer.")
    memory.remember("The certification of the pumps takes a week, says Wen.")
    memory.forget(lost)
    assert not memory.recall("How long does the certification of the pumps take?").dangling
    found = memory.recall("Is the certification a week longer?", use=False)
    assert [stone.id for stone in found.dangling] == [lost.id]


@pytest.mark.usefixtures("by_passes")
def test_what_faded_is_named_in_the_text(memory: graphmem.Memory) -> None:
    """A prompt without it could not say "I once knew"."""
    (lost,) = memory.remember("It rained a little.")
    (kept,) = memory.remember("The release moved to May 10.", pin=True)
    for number in range(5):
        memory.remember(f"Something else, number {number}.")
    while lost.id in memory:
        memory.graph.relate(kept, "on a day when", lost)
        memory.sweep()
    found = memory.recall("release", use=False)
    assert [stone.why for stone in found.dangling] == ["faded"]
    assert f"(once known, forgotten: {lost.phrase})" in found.text
    asked = memory.recall("release 是什么时候？", use=False)
    assert f"（曾经记得，已忘：{lost.phrase}）" in asked.text  # in the language of the cue


@pytest.mark.parametrize(
    ("reply", "told", "cue"),
    [
        ("ok, thanks!", "The release moved to May 10.", "release"),
        ("OK, I'll remember that.", "The release moved to May 10.", "release"),
        ("好的，记下了", "发布改到五月十日。", "发布"),
        ("好的，谢谢！", "发布改到五月十日。", "发布"),
    ],
)
@pytest.mark.parametrize("mode", ["activation", "focus"])
def test_that_a_reply_is_forgotten_is_not_told(
    memory: graphmem.Memory, reply: str, told: str, cue: str, mode: Any
) -> None:
    """A prompt had "(once known, forgotten: ok, thanks!)"."""
    kept = memory.remember(told, pin=True)[0]
    for text in (reply, "Had soup."):
        memory.graph.relate(kept, "beside", memory.remember(text)[0])
    for k in range(6):
        memory.remember(f"Noor paints the {'abcdef'[k]} wall.", pin=True)
    memory.admin.shrink(0)
    found = memory.recall(cue, use=False, mode=mode)
    assert reply not in found.text
    assert [stone.phrase for stone in found.dangling] == ["Had soup"]


@pytest.mark.usefixtures("by_passes")
def test_a_gist_is_shown_as_faded(memory: graphmem.Memory) -> None:
    """A gist shown as what was said would put words into somebody's mouth."""
    memory.remember("Wen painted the shed green all weekend.", speaker="Wen")
    for k in range(6):
        memory.remember(f"Chatter {k}.")
    while memory[1].form is not Form.GIST:
        memory.sweep()
    found = memory.recall("shed", use=False)
    assert found[0].id == 1
    assert found.text.splitlines()[0].startswith("[2026-05-10, Wen] (faded) ")
    assert found[0].text == str(memory[1])
    assert memory[1].phrase in found[0].text
    assert "Wen painted the shed green all weekend." not in found.text.replace(memory[1].phrase, "")


def test_the_session_of_the_best_match_counts(memory: graphmem.Memory) -> None:
    """Of two equal matches the one from the conversation in question is meant."""
    apart(memory, "Certification certificate office release date.", session="audit")
    there = apart(memory, "They asked for a longer date.", session="audit")[0]
    elsewhere = apart(memory, "They asked for a shorter date.", session="lunch")[0]
    found = ids(memory.recall("certification office date", use=False, cut="none"))
    assert found.index(there) < found.index(elsewhere)


def test_use_lifts_within_bounds(memory: graphmem.Memory) -> None:
    """What helped before should win a tie, but never against a better match."""
    apart(memory, "Release plan one.", "Release plan two.")
    better = apart(memory, "Release plan three, with a budget.")[0]
    for _ in range(50):
        memory.used(1)
    with rooms(memory).changing() as writer:
        writer.set_focus(())
    assert ids(memory.recall("release plan", where=graphmem.Where(depth=0), use=False))[0] == 1
    assert (
        ids(memory.recall("release budget", where=graphmem.Where(depth=0), use=False))[0] == better
    )


# -- budgets ------------------------------------------------------------------------------------


def words_in(text: str) -> int:
    return len(text.split())


def pieces_in(text: str) -> int:
    """Like a real tokeniser: words in pieces, a line break is a token too."""
    return len(re.findall(r"[\u4e00-\u9fff]|\w{1,4}|[^\w\s]|\n", text))


def squared(text: str) -> int:
    """Of a whole more than of its parts, as no tokeniser should but some do at seams."""
    return len(text) ** 2


@pytest.mark.parametrize("count", [estimated_tokens, words_in, pieces_in, squared])
@pytest.mark.parametrize("tokens", [0, 1, 7, 30, 100, 1000, 1 << 30])
def test_a_budget_is_never_exceeded(memory: graphmem.Memory, tokens: int, count: Any) -> None:
    """One token too many and the model's context overflows, or the prompt is refused."""
    memory.remember_many(
        {"text": text.format(k), "speaker": speaker}
        for k in range(12)
        for text, speaker in (
            ("Release note {} by Wen, of middling length.", "Wen"),
            ("发布日期推迟到五月{}日，林青负责。", "林青"),
        )
    )
    memory.forget(3)
    found = memory.recall(
        "release 发布",
        tokens=graphmem.Tokens(tokens, count),
        use=False,
        where=graphmem.Where(depth=2),
        limit=5,
    )
    assert count(found.text) <= tokens or found.text == ""
    assert len(found) == 5
    if tokens == 1 << 30:
        assert len(found.text.splitlines()) > 5


def test_a_budget_smaller_than_a_hit_goes_to_shorter_ones(memory: graphmem.Memory) -> None:
    """One long best hit must not leave the budget empty."""
    apart(memory, "Release " * 3 + "of a text that is far too long for the budget given below.")
    apart(memory, "Release in May.")
    found = memory.recall("release", tokens=20, use=False)
    assert found.text == "[2026-05-10] Release in May."
    assert memory.recall("release", tokens=1, use=False).text == ""


def test_without_a_budget_all_hits_are_in_the_text(memory: graphmem.Memory) -> None:
    """Cut without being asked, a context loses its last lines silently."""
    apart(memory, *(f"Release note {k}." for k in range(30)))
    found = memory.recall("release", use=False)
    assert len(found.text.splitlines()) == len(found) == 10
    assert str(found) == found.text


def test_a_line_says_when_and_who(memory: graphmem.Memory) -> None:
    """A date shown in another zone than it was given is another day."""
    memory.remember("We ship.", speaker="Wen", happened="2026-05-03T00:30:00+02:00")
    assert memory.recall("ship").text == "[2026-05-03, Wen] We ship."


# -- use ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("settled", ["enrich", "flush"])
def test_recall_hands_its_best_hit_to_the_writer(memory: graphmem.Memory, settled: str) -> None:
    """What is recalled must grow stronger, or the memory forgets what it is asked every day; and
    whoever asks on at once can wait until it is in focus."""
    first = apart(memory, "The release moved to May 10.", "Bananas are yellow.")[0]
    found = memory.recall("release")
    getattr(memory.admin, settled)()
    assert found[0].id == first
    assert memory.graph.focus[0].id == first
    assert memory[first].uses == 1
    assert memory.admin.check() == []


def test_upkeep_applies_uses_by_itself(memory: graphmem.Memory) -> None:
    """An agent that only asks would never strengthen anything."""
    first = apart(memory, "The release moved to May 10.")[0]
    done = threading.Event()
    for _ in range(100):
        memory.recall("release")
        if memory[first].uses:
            break
        done.wait(0.1)
    assert memory[first].uses >= 1


def test_closing_applies_what_was_handed_over(tmp_path: Path) -> None:
    """A short script asks and ends before upkeep gets its turn."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        apart(memory, "The release moved to May 10.")
        memory.recall("release")
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert memory[1].uses == 1


def test_a_weak_best_hit_is_not_used(memory: graphmem.Memory) -> None:
    """Strengthening whatever happens to come first would keep noise alive."""
    memory.remember("Bananas are yellow.")
    memory.remember("Apples are red.")
    assert not memory.recall("giraffe")
    assert memory.recall("why do giraffes and zebras at the zoo eat bananas")[0].coverage < 0.3
    memory.admin.enrich()
    assert [node.uses for node in memory] == [0, 0]


@pytest.mark.parametrize("mode", ["activation", "focus"])
def test_use_false_changes_nothing(memory: graphmem.Memory, mode: Any) -> None:
    """A bench that changes what it measures, and a look-up that strengthens, both lie."""
    for k in range(5):
        memory.remember(f"Release note {k}.")
    memory.admin.enrich()
    before = memory.admin.stats()["sequence"]
    for _ in range(5):
        memory.recall("release", use=False, mode=mode)
    memory.admin.enrich(0)  # which counts what recalls reported
    assert memory.admin.stats()["sequence"] == before


def test_a_read_only_memory_is_recalled_without_a_write(tmp_path: Path) -> None:
    """`use` on a read-only memory would raise in the middle of an answer."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("The release moved to May 10.")
    with graphmem.open(tmp_path / "m", read_only=True) as memory:
        before = memory.admin.stats()["sequence"]
        assert memory.recall("release")[0].id == 1
        assert memory.admin.stats()["sequence"] == before
        assert memory.admin.check() == []


# -- odd cues and arguments ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def notes() -> Iterator[graphmem.Memory]:
    """What is asked with any cue, and changed by none."""
    with graphmem.open(worker="none", clock=lambda: NOW) as opened:
        for k in range(20):
            opened.remember(f"Release note {k}.", speaker=f"Wen {k}", happened="2026-05-03T10:00Z")
        opened.remember("🙂 good 🙃")
        yield opened


@pytest.mark.parametrize("mode", ["activation", "focus"])
@pytest.mark.parametrize(
    "cue",
    [
        "release " * 12_500,
        " ".join(f"word{k}" for k in range(15_000)),
        "x" * 100_000,
        "漢" * 100_000,
        "(" * 100_000,
        "?!…—",
        "🙂🙃",
        "מתי השחרור?",
        "متى الإصدار؟",
        "(a+)+$",
        "SELECT ?s WHERE { ?s ?p ?o } # DROP ALL",
        "'; DROP TABLE nodes; --",
        "\x00",
        "\ud800",
        "\u202e\u200b",
        "AND OR NOT *",
        "%s {0} \\",
    ],
)
def test_any_cue_gets_an_answer(notes: graphmem.Memory, cue: str, mode: Any) -> None:
    """A cue comes from a user's keyboard, or a model's; neither may break recall."""
    found = notes.recall(cue, mode=mode, use=False, tokens=50)
    assert found.cue == cue.replace("\ud800", "\ufffd")
    assert estimated_tokens(found.text) <= 50


@pytest.mark.parametrize(
    "piece",
    [
        "last May ", "上周三", "两天前", "3 days ago ", "2026-", "3/", "1,000.", "第十", "a.", "a'", "aB",
        "https://a/", "C:\\", "a@b.", "e\u0301", "\u202e", "👩‍👩‍👧", "مرحبا ", "שלום ", "Wen 7 ",
    ],
)  # fmt: skip
def test_a_cue_of_one_thing_over_and_over_is_read_in_bounded_work(
    notes: graphmem.Memory, piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dates, names and paths have rules of their own, and one of them could look up every word."""
    asked: list[int] = []
    search = WordReader.search

    def counted(reader: WordReader, weights: Any, *rest: Any, **knobs: Any) -> Any:
        asked.append(len(weights))
        return search(reader, weights, *rest, **knobs)

    monkeypatch.setattr(WordReader, "search", counted)
    cue = (piece * 20_000)[:20_000]
    found = notes.recall(cue, use=False, tokens=50, trace=True)
    assert estimated_tokens(found.text) <= 50
    assert sum(asked) <= 64 + 31
    assert len(str(found.trace)) < 10_000


@pytest.mark.parametrize("mode", ["activation", "focus"])
@pytest.mark.parametrize(
    "cue",
    ["the of and to", "What is it?", "是什么？", "的了吗呢", "?!…—", "。，、；", "   ", "\n\t"],
)
def test_a_cue_without_content_is_answered(memory: graphmem.Memory, cue: str, mode: Any) -> None:
    """Nothing, or what is at hand, but no error, and nothing that pretends to match."""
    memory.remember("Wen moved the release to May 10.")
    memory.remember("文老师把发布会改到了五月十日。")
    for hit in memory.recall(cue, mode=mode, use=False):
        assert hit.score > 0
        assert hit.why.endswith(".")


@pytest.fixture(scope="module")
def dense() -> Iterator[graphmem.Memory]:
    """A hundred and fifty notes of which most share a word, and a budget of thirty nodes."""
    with graphmem.open(
        worker="none", tuning=graphmem.Tuning(ranking=Ranking(node_budget=30))
    ) as opened:
        opened.remember_many(
            f"Release note {k} says that part {k % 7} is late." for k in range(150)
        )
        yield opened


@pytest.mark.parametrize("mode", ["activation", "focus"])
@pytest.mark.parametrize(("depth", "limit", "tokens"), [
    (0, 0, 0), (0, 10, 1), (10, 0, None), (10, 1000, 0), (10, 1000, 1), (10, 1, 3), (10, 1000, None),
])  # fmt: skip
def test_the_ends_of_every_range(
    dense: graphmem.Memory,
    mode: Any,
    depth: int,
    limit: int,
    tokens: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A budget smaller than a hit, a limit of none, ten hops through a dense graph."""
    read: list[int] = []
    heads = View.heads

    def counted(view: View, nodes: Any) -> Any:
        read.append(len(nodes))
        return heads(view, nodes)

    monkeypatch.setattr(View, "heads", counted)
    found = dense.recall(
        "release part",
        mode=mode,
        where=graphmem.Where(depth=depth),
        limit=limit,
        tokens=tokens,
        use=False,
    )
    assert sum(read) <= 30
    assert len(found) <= limit
    if tokens is not None:
        assert estimated_tokens(found.text) <= tokens
    assert set(found.included) <= {node.id for node in dense}


def test_emoji_and_right_to_left_are_found(memory: graphmem.Memory) -> None:
    """What can be remembered must be found by its own words."""
    wanted = apart(memory, "🙂", "השחרור זז למאי", "الإصدار في مايو")
    for node, cue in zip(wanted, ["🙂", "השחרור", "مايو"], strict=True):
        assert ids(memory.recall(cue, use=False)) == [node]


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"cue": None}, ArgumentTypeError, "a cue is a str, got NoneType"),
        ({"cue": b"x"}, ArgumentTypeError, "a cue is a str, got bytes"),
        (
            {"where": graphmem.Where(depth=-1)},
            InvalidArgumentError,
            "depth is between 0 and 10, got -1",
        ),
        ({"where": graphmem.Where(depth=11)}, InvalidArgumentError, "depth is between 0 and 10"),
        (
            {"where": graphmem.Where(depth=1.5)},
            ArgumentTypeError,
            "depth is a whole number, got float",
        ),
        ({"where": graphmem.Where(depth=True)}, ArgumentTypeError, "depth is a"),
        ({"limit": -1}, InvalidArgumentError, "limit is between 0 and 1,000"),
        ({"limit": 1001}, InvalidArgumentError, "limit is between 0 and 1,000"),
        ({"limit": 2.5}, ArgumentTypeError, "limit is a whole number, got float"),
        ({"limit": None}, ArgumentTypeError, "limit is a whole number, got NoneType"),
        ({"limit": "3"}, ArgumentTypeError, "limit is a whole number, got str"),
        ({"tokens": -1}, InvalidArgumentError, "tokens is between 0"),
        ({"tokens": "x"}, ArgumentTypeError, "tokens is a whole number, got str"),
        ({"tokens": float("nan")}, ArgumentTypeError, "tokens is a whole number, got float"),
        ({"where": graphmem.Where(relations="focus")}, ArgumentTypeError, r"such as \['focus'\]"),
        ({"where": graphmem.Where(relations=[1])}, ArgumentTypeError, r"such as \['focus'\]"),
        ({"where": graphmem.Where(relations=[[]])}, ArgumentTypeError, r"such as \['focus'\]"),
        ({"where": graphmem.Where(relations=5)}, ArgumentTypeError, r"such as \['focus'\]"),
        ({"where": graphmem.Where(session=5)}, ArgumentTypeError, "session is a str, got int"),
        ({"where": graphmem.Where(speaker=b"W")}, ArgumentTypeError, "speaker is a str, got bytes"),
        (
            {"where": graphmem.Where(since="May")},
            InvalidArgumentError,
            "since='May' is no ISO date-time",
        ),
        (
            {"where": graphmem.Where(until=5)},
            ArgumentTypeError,
            "until is a datetime or an ISO string",
        ),
        (
            {"mode": "magic"},
            InvalidArgumentError,
            "mode is 'activation', 'focus', 'hybrid' or 'themes', got 'magic'",
        ),
        (
            {"mode": None},
            InvalidArgumentError,
            "mode is 'activation', 'focus', 'hybrid' or 'themes', got None",
        ),
    ],
)
def test_a_wrong_argument_is_named(
    memory: graphmem.Memory, arguments: dict[str, Any], error: type[Exception], says: str
) -> None:
    """A TypeError from three rooms below does not say which argument was meant."""
    memory.remember("The release moved to May 10.")
    with pytest.raises(error, match=says):
        memory.recall(**{"cue": "release", **arguments})


# -- promises of the whole ----------------------------------------------------------------------


def test_the_same_memory_gives_the_same_answer(tmp_path: Path) -> None:
    """An answer that changes from run to run cannot be debugged."""

    def told(place: Path | None) -> list[Any]:
        with graphmem.open(place, worker="none", clock=lambda: NOW) as memory:
            if not len(memory):
                memory.remember_many(
                    {"text": f"Note {k % 7} on release {k % 5}.", "session": f"s{k % 3}"}
                    for k in range(60)
                )
                memory.sweep()
            return [
                [(hit.id, hit.score, hit.parts, hit.path) for hit in memory.recall(cue, use=False)]
                for cue in ("release 3", "note", "", "4 2")
            ]

    first = told(tmp_path / "m")
    assert first == told(tmp_path / "m")  # reopened
    assert first == told(None)  # and on another engine


def test_an_answer_is_of_one_moment(tmp_path: Path) -> None:
    """A hit whose text, links and score come from different moments never was true."""
    faults: list[BaseException] = []
    stop = threading.Event()
    with graphmem.open(
        tmp_path / "m", worker="none", tuning=graphmem.Tuning(fold_documents=16)
    ) as memory:
        memory.remember_many(f"Release pair{k} left. " for k in range(20))

        def change() -> None:
            k = 0
            while not stop.is_set():
                # Always both or neither is there.
                memory.remember_many([f"Twin{k} left release.", f"Twin{k} right release."])
                if k % 5 == 0:
                    memory.sweep(0.01)
                if k % 7 == 0:
                    with suppress(HeldError):  # a recall that takes long holds what it reads
                        memory.admin.compact()
                k += 1

        def ask() -> None:
            try:
                while not stop.is_set():
                    found = memory.recall(
                        "release", limit=1000, where=graphmem.Where(depth=1), use=False, cut="none"
                    )
                    texts = [hit.text for hit in found]
                    left = {t.split()[0] for t in texts if "left" in t and "Twin" in t}
                    right = {t.split()[0] for t in texts if "right" in t}
                    assert left == right
                    assert len(set(ids(found))) == len(found)
                    for hit in found:
                        assert not any(link.dangling for link in hit.path)
            except BaseException as error:  # handed to the main thread
                faults.append(error)

        threads = [threading.Thread(target=work) for work in (change, ask)]
        for thread in threads:
            thread.start()
        stop.wait(1.5)
        stop.set()
        for thread in threads:
            thread.join()
        assert not faults
        assert memory.admin.check() == []


def test_a_hub_costs_no_more_than_a_leaf(monkeypatch: pytest.MonkeyPatch) -> None:
    """One node that everything is linked with would make every recall read everything."""
    read: list[bytes] = []
    get_many = InMemorySnapshot.get_many

    def counting(self: InMemorySnapshot, keys: Sequence[bytes]) -> list[bytes | None]:
        read.extend(keys)
        return get_many(self, keys)

    with graphmem.open(worker="none") as memory:
        (hub,) = memory.remember("The hub of it all.")
        leaves = memory.remember_many(f"Leaf{k} number." for k in range(500))
        with rooms(memory).changing() as writer:
            for (leaf,) in leaves:
                writer.link(hub.id, "has", leaf.id)
                writer.link(leaf.id, "of", hub.id)
            # Ten thousand in all; the others need not exist to cost something.
            for target in range(1 << 20, (1 << 20) + 9_500):
                writer.link(hub.id, "has", target, initial=0.5)
            writer.set_focus(())
        monkeypatch.setattr(InMemorySnapshot, "get_many", counting)
        budget = memory.admin.settings.ranking.node_budget
        for named in (
            {"depth": 2},
            {"depth": 10},
            {"depth": 10, "relations": ["has", "of"]},
        ):
            read.clear()
            rooms(memory).scope.caches = new_caches()
            where = graphmem.Where(**named)  # type: ignore[arg-type]
            assert memory.recall("hub", use=False, where=where)[0].id == hub.id
            heads = [key for key in read if key[4] == Space.OUT]
            # Besides what is expanded, the steps of ten paths.
            assert 0 < len(heads) <= budget + 100
            assert not [key for key in read if key[4] == Space.OVERFLOW]
            assert len(read) < 1000


@pytest.mark.parametrize(
    ("said", "cue"),
    [
        ("The dentist is on November 19 at half past three, in Voorstraat 12.", "dentist"),
        ("牙医的预约改到了十一月十九日下午三点半，地点在前街十二号的新诊所。", "牙医的预约"),
    ],
)
def test_a_budget_that_is_too_small_says_what_the_best_memory_needs(
    tmp_path: Path, said: str, cue: str
) -> None:
    """The text was empty and nothing said why, as if nothing were known."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember(said)
        with graphmem.attach(tmp_path / "m") as attached:
            for asked in (memory, attached):
                found = asked.recall(cue, tokens=3, use=False)
                assert found.text == ""
                (note,) = found.notes
                assert note.startswith("the budget of 3 tokens is too small")
                need = int(note.split()[-4])
                assert asked.context(cue, tokens=3).notes == (note,)
                assert said in asked.recall(cue, tokens=need, use=False).text
                assert asked.recall(cue, tokens=need, use=False).notes == ()
                assert len(asked.recall(cue, tokens=need - 1, use=False).notes) == 1
                own = asked.recall(cue, tokens=graphmem.Tokens(3, len), use=False)
                assert int(own.notes[0].split()[-4]) >= len(said)
                assert asked.recall(cue, use=False).notes == ()
                assert asked.recall("Zyxwv", tokens=3, use=False).notes == ()
        # A line of its own, where it fits and nothing else does.
        short = memory.recall(
            cue,
            tokens=graphmem.Tokens(13, lambda text: len(text) // 4),
        )
        assert short.text == "" or short.text.startswith(("(only 13 tokens: ", "["))


def test_a_text_says_that_nothing_fits_if_that_fits(tmp_path: Path) -> None:
    """A prompt said nothing of what the memory holds."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("x" * 400 + " dentist")
        found = memory.recall("dentist", tokens=graphmem.Tokens(50, len), use=False)
        need = int(found.notes[0].split()[-4])
        assert found.text == f"(only 50 tokens: the best memory needs {need})"
        assert found.included == ()


_STORY = (
    "今天跟老王去了一趟城西的花鸟市场，他非要买一盆兰花送给他丈母娘，结果挑来挑去挑了两个小时，"
    "最后还是买了一盆君子兰。回来的路上堵车，我们聊起了他女儿高考的事情，他说她想报考师范大学，"
    "可是家里人都希望她去学医。后来我们又去吃了一碗牛肉面，味道一般，价格倒是涨了不少。"
)
_ASKED = "那个修表的师傅，他的店到底开在哪条街上来着？"


@pytest.mark.parametrize("turn", [_STORY + _ASKED, _ASKED + _STORY])
def test_a_long_turn_is_answered_wherever_it_asks(turn: str) -> None:
    """Chinese has a word for each two characters: of a story, the first 64 left no question."""
    with graphmem.open(worker="none") as memory:
        memory.remember("修表的刘师傅把店开在桂花巷。")
        for text in ("老王的丈母娘爱养兰花。", "花鸟市场在城西。", "老王的女儿今年高考。",
                     "城西那家牛肉面涨价了。", "他女儿想报考师范大学。", "老王买了君子兰。"):  # fmt: skip
            memory.remember(text)
        assert "桂花巷" in memory.recall(turn, use=False)[0].text


def test_a_reason_names_a_session_only_where_there_is_one(memory: graphmem.Memory) -> None:
    """Of each text without one it was told that its session matches."""
    (alone,) = memory.remember("The pump is blue.")
    (within,) = memory.remember("The kettle is red.", session="monday")
    why = [memory.recall(cue, use=False)[0].why for cue in ("pump", "kettle")]
    assert f"Node {alone.id} " in why[0]
    assert "matches as a whole" in why[0]
    assert f"Node {within.id} " in why[1]
    assert "is of a session that matches" in why[1]


def test_what_divides_the_text_of_no_cue_is_in_the_language_of_the_memories() -> None:
    """It stood in English among Chinese lines."""
    with graphmem.open(None, worker="none") as memory:
        for text in (
            "房租从四月起是3650元。",
            "和小莲去了游泳馆。",
            "房东来看暖气。",
            "冰箱坏了。",
        ):
            memory.remember(text)
        lines = memory.recall("", tokens=60).text.splitlines()
        assert "（可能有关）" in lines


def test_a_hit_has_what_was_given_with_it() -> None:
    """Of speaker, session and metadata a hit had the first only."""
    with graphmem.open(None, worker="none") as memory:
        memory.remember("The gate is red.", speaker="Wen", session="s", metadata={"year": 2026})
        (hit,) = memory.recall("gate")
        assert (hit.speaker, hit.session, hit.metadata) == ("Wen", "s", {"year": 2026})
        assert hit.created == memory[hit].created
