"""A sub-agent must see what its parent shares; a private memory that it sees, or changes, is a leak."""

import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier, BrokenBarrierError, Thread
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import graphmem
from graphmem import Memory
from graphmem.api.opening import rooms
from graphmem.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    InvalidTermError,
    UnknownNodeError,
    UnknownScopeError,
)
from graphmem.hexastore import scopes
from graphmem.interfaces.cli.commands import cli
from graphmem.sharing.items import Items


@pytest.fixture
def folder() -> Iterator[Memory]:
    with graphmem.open(None, worker="none") as memory:
        team = memory.scopes.open("team")
        team.remember(
            "The audit of the bridge is two weeks late.",
            speaker="Iris",
            about=graphmem.About(shared=True),
        )
        team.remember("The audit costs 42,000 euros.", speaker="Iris")
        team.remember("审计推迟了两个星期。", about=graphmem.About(shared=True), pin=True)
        yield memory


def said(memory: Any, cue: str) -> list[tuple[str, str]]:
    return [(hit.scope, hit.text) for hit in memory.recall(cue, use=False, cut="none")]


def test_a_child_recalls_what_its_parents_share(folder: Memory) -> None:
    child = folder.scopes.open("child", parents=("team",))
    child.remember("I review the audit on Friday.")
    assert sorted(said(child, "audit")) == [
        ("child", "I review the audit on Friday."),
        ("team", "The audit of the bridge is two weeks late."),
        ("team", "审计推迟了两个星期。"),  # the other's neighbour
    ]
    assert "42,000" not in child.recall("What does the audit cost in euros?", tokens=500).text
    assert said(child, "审计")[0] == ("team", "审计推迟了两个星期。")
    assert {scope for scope, _ in said(folder.scopes.open("team"), "audit")} == {"team"}
    assert said(folder, "audit") == []
    assert folder.scopes.open("child").scopes.parents() == ["team"]
    assert "two weeks" in child.recall("How late is the audit?", tokens=100).text


def test_a_grandchild_recalls_over_both_and_everybody_over_global(folder: Memory) -> None:
    folder.scopes.open("child", parents=["team"]).remember(
        "The audit has a child.", about=graphmem.About(shared=True)
    )
    grandchild = folder.scopes.open("grandchild", parents=["child"])
    assert {scope for scope, _ in said(grandchild, "audit")} == {"child", "team"}
    everybody = folder.scopes.open("global")
    everybody.remember("Each audit has a number.", about=graphmem.About(shared=True))
    everybody.remember("An audit of nobody else.")
    assert said(folder, "audit") == [("global", "Each audit has a number.")]
    assert grandchild.scopes.parents() == ["child", "team", "global"]
    assert len(said(everybody, "audit")) == 2


def test_nothing_of_a_parent_is_changed_by_a_child(folder: Memory) -> None:
    """A use, a pin, a correction of a parent's memory by its number would hit one of the child's."""
    team = folder.scopes.open("team")
    before = [(node, node.uses, team.graph.links(node)[:]) for node in team]
    child = folder.scopes.open("child", parents=("team",))
    child.remember("Own words. They are of the child.")
    hit = next(h for h in child.recall("How late is the audit of the bridge?") if h.scope == "team")
    child.used(hit, [hit.node, hit.id])
    named = r"node 1 belongs to scope 'team', not to 'child': open that scope"
    for change in (
        child.pin, child.unpin, child.forget, child.history.worth, child.graph.links, child.admin.retry,
        child.review.retention, child.themes.of,
        lambda hit: child.review.archive([hit]),
        lambda hit: child.review.confirm([hit]),
        lambda hit: child.forget([1, hit], erase=True),
        lambda hit: child.forget(hit, erase=True),
        lambda hit: child.correct(hit, "It is on time."),
        lambda hit: child.replace(hit, "It is on time."),
        lambda hit: child.graph.relate(hit, "about", 1),
        lambda hit: child.history.revive(hit),
    ):  # fmt: skip
        for given in (hit, hit.id):  # which is a plain number for the child's own only
            with pytest.raises(UnknownNodeError, match=named):
                change(given)
    assert len(child) == 1
    said_there = team.recall("How late is the audit of the bridge?", use=False)[0]
    with pytest.raises(UnknownNodeError, match=named):
        child.forget(said_there, erase=True)  # whose number is also that of the child's memory
    assert len(child) == 1
    with pytest.raises(UnknownNodeError):
        child.correct(hit.node, "never")
    with pytest.raises(InvalidTermError):
        child.graph.facts.put(hit, "http://e/x", 1)
    assert hit not in child
    assert hit.path == ()
    assert team[hit] == team[hit.id]
    folder.admin.enrich()
    assert [(node, node.uses, team.graph.links(node)[:]) for node in team] == before
    assert all(node.uses == 0 for node in child)


def test_the_context_has_both_and_says_which(folder: Memory) -> None:
    folder.scopes.open("team").pool("team").write("report", "late")
    child = folder.scopes.open("child", parents=("team",))
    child.remember("I review the audit on Friday.", session="s")
    found = child.context("audit", session="s", pool="team")
    kinds = {(part.kind, part.scope, part.source) for part in found.parts}
    assert kinds == {
        ("pinned", "team", "team/node 3"),
        ("recent", "", "node 1"),
        ("shared", "", "pool:team/report"),
        ("recalled", "team", "team/node 1"),
    }


def test_a_child_uses_the_pool_that_it_was_opened_with(folder: Memory) -> None:
    team = folder.scopes.open("team")
    child = folder.scopes.open("child", parents=("team",))
    child.pool("p").write("a", 1, by="child")
    assert team.pool("p").read("a") is not None
    own = folder.scopes.open("other", parents=("team",), pools="other")
    assert own.pool("p").read("a") is None
    own.pool("p").write("a", 2)
    assert folder.scopes.open("other").pool("p").read("a") is not None
    assert team.pool("p").read("a").value == 1  # type: ignore[union-attr]
    assert folder.scopes.open("grandchild", parents=["child"]).pool("p").read("a") is not None


def test_a_child_is_not_told_that_a_hidden_entry_has_expired() -> None:
    """The change names the key of an entry that the child may not know of."""
    now = datetime(2026, 5, 1, tzinfo=UTC)
    with graphmem.open(None, worker="none", clock=lambda: now) as memory:
        team = memory.scopes.open("team")
        child = memory.scopes.open("child", parents=("team",))
        team.pool("p").write("hidden", 1, ttl=10, shared=False)
        team.pool("p").write("seen", 1, ttl=10)
        now += timedelta(seconds=20)
        assert rooms(team).item_store.expire() == 2
        told = [(change.action, change.key) for change in child.pool("p").changes(0)]
        assert told == [("put", "seen"), ("expire", "seen")]
        assert len(team.pool("p").changes(0)) == 4


def test_hidden_entries_take_no_place_of_those_that_a_child_sees() -> None:
    """A page of a pool was empty, or short, for entries that the child may not know of."""
    with graphmem.open(None, worker="none") as memory:
        team = memory.scopes.open("team")
        for number in range(3):
            team.pool("p").write(f"seen {number}", number)
        team.pool("p").write("hidden", 1, shared=False)
        pool = memory.scopes.open("child", parents=("team",)).pool("p")
        assert [entry.key for entry in pool.list(limit=2)] == ["seen 2", "seen 1"]
        assert [entry.key for entry in pool.list()] == ["seen 2", "seen 1", "seen 0"]
        assert [entry.key for entry in team.pool("p").list(limit=2)] == ["hidden", "seen 2"]


def test_circles_and_strangers_are_refused(folder: Memory) -> None:
    """A scope that could not have what was asked for was made all the same."""
    folder.scopes.open("child", parents=("team",))
    for name, parents, error in (
        ("team", ("child",), InvalidArgumentError),
        ("team", ("team",), InvalidArgumentError),
        ("child", ("nobody",), UnknownScopeError),
        ("global", ("team",), InvalidArgumentError),
        ("child", "team", ArgumentTypeError),
        ("child", (1,), ArgumentTypeError),
    ):
        with pytest.raises(error):
            folder.scopes.open(name, parents=parents)  # type: ignore[arg-type]
    with pytest.raises(UnknownScopeError):
        folder.scopes.open("made in vain", parents=("nobody",))
    for wrong in ({"parents": ("made in vain",)}, {"pools": "team"}, {"pools": 5}):
        with pytest.raises((InvalidArgumentError, ArgumentTypeError)):
            folder.scopes.open("made in vain", **wrong)  # type: ignore[arg-type]
    assert "made in vain" not in folder.scopes.names()
    with pytest.raises(InvalidArgumentError):
        folder.scopes.open("child", pools="stranger")
    assert folder.scopes.open("child").scopes.parents() == ["team"]
    assert folder.scopes.open("child", parents=()).scopes.parents() == []


def test_two_threads_make_no_circle(folder: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each saw that the other scope had no parent yet, and both became each other's."""
    scopes = {name: folder.scopes.open(name) for name in ("one", "two")}
    both = Barrier(2)
    put = Items.put
    refused: list[str] = []

    def put_late(self: Items, *given: Any, **named: Any) -> Any:
        with suppress(BrokenBarrierError):
            both.wait(0.5)  # until the other has looked as well, if it may
        return put(self, *given, **named)

    def declare(name: str, parent: str) -> None:
        try:
            folder.scopes.open(name, parents=(parent,))
        except InvalidArgumentError:
            refused.append(name)

    monkeypatch.setattr(Items, "put", put_late)
    threads = [Thread(target=declare, args=pair) for pair in (("one", "two"), ("two", "one"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(refused) == 1
    assert sorted(len(scope.scopes.parents()) for scope in scopes.values()) == [0, 1]


def test_to_drop_a_scope_takes_one_look_at_each_other(
    folder: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It read them whole: half a second among 2,000."""
    for number in range(20):
        folder.scopes.open(f"agent-{number}", parents=("team",) if number > 17 else ())
    read: list[int] = []
    monkeypatch.setattr(scopes, "read_scope", lambda _, number: read.append(number))
    assert folder.scopes.drop("team") == ["agent-18", "agent-19"]
    assert read == []


def test_a_parent_that_is_dropped_is_told_of(folder: Memory) -> None:
    """A later scope of that name is somebody else's: its shared memories are not for this child."""
    child = folder.scopes.open("child", parents=("team",))
    assert folder.scopes.drop("team") == ["child"]
    folder.scopes.open("team").remember(
        "Another audit of another team.", about=graphmem.About(shared=True)
    )
    found = child.recall("audit")
    assert list(found) == []
    assert "a parent scope was dropped" in found.notes[0]
    assert "a parent scope was dropped" in child.context("audit").notes[0]
    child.pool().write("a", 1)
    assert folder.scopes.open("team").pool().read("a") is None
    assert said(folder.scopes.open("child", parents=["team"]), "audit")


@pytest.mark.parametrize("engine", ["leveldb", "lmdb"])
@pytest.mark.parametrize("name", ["customer-meyer", "项目齐柏林", "projekt-größe"])
def test_of_a_dropped_scope_no_name_stays_in_its_children(
    tmp_path: Path, engine: str, name: str
) -> None:
    """Often the name of a customer: each child went on naming it, in the files and in its notes."""

    def named() -> list[str]:
        files = [file for file in (tmp_path / "m").rglob("*") if file.is_file()]
        return [file.name for file in files if name.encode() in file.read_bytes()]

    with graphmem.open(tmp_path / "m", worker="none", engine=engine) as memory:
        memory.scopes.open(name).remember("The audit is late.", about=graphmem.About(shared=True))
        memory.scopes.open("team").remember("An audit.", about=graphmem.About(shared=True))
        memory.scopes.open("closed", parents=(name,))
        memory.scopes.open("child", parents=(name, "team"), pools=name).pool().write("a", 1)
        memory.scopes.open("grandchild", parents=("child",))
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert named()
        assert sorted(memory.scopes.drop(name)) == ["child", "closed"]
        assert [file for file in named() if "MANIFEST" not in file] == []
        child = memory.scopes.open("child")
        assert child.scopes.parents() == ["team"]
        assert child.recall("audit").notes[0].startswith("a parent scope was dropped")
        assert memory.scopes.open("grandchild").recall("audit").notes
        child.pool().write("b", 2)
        assert memory.scopes.open("team").pool().read("b") is None  # not the next parent's
        memory.scopes.open(name).remember("Another audit.", about=graphmem.About(shared=True))
        assert said(child, "another") == []
        memory.scopes.drop(name)
        assert memory.admin.check() == child.admin.check() == []
    graphmem.open(tmp_path / "m", worker="none").close()
    assert named() == []


def test_parents_stay_over_a_restart_and_across_processes(tmp_path: Path) -> None:
    with graphmem.open(tmp_path / "m", worker="none") as owner:
        owner.scopes.open("team").remember(
            "The audit is late.",
            about=graphmem.About(shared=True, importance=0.9),
        )
        with graphmem.attach(tmp_path / "m") as attached:
            child = attached.scopes.open("child", parents=("team",))
            child.remember("The audit is mine.")
            assert sorted(said(child, "audit")) == sorted(said(owner.scopes.open("child"), "audit"))
            hits = {h.scope: h for h in child.recall("audit", use=False, cut="none")}
            assert hits["team"].node.shared
            assert hits["team"].node.importance == 0.9
            child.used(hits["team"])
            with pytest.raises(UnknownNodeError):
                child.pin(hits["team"])
            assert child.context("audit", tokens=100) == owner.scopes.open("child").context(
                "audit", tokens=100
            )
            text = child.recall("audit", tokens=100, cut="none").text
            assert "late" in text
            assert "mine" in text
    with graphmem.open(tmp_path / "m", scope="child", worker="none") as again:
        assert again.scopes.parents() == ["team"]
        assert {scope for scope, _ in said(again, "audit")} == {"child", "team"}


def test_the_commands(tmp_path: Path) -> None:
    def run(*words: str) -> str:
        done = CliRunner().invoke(cli, [*words, "--path", str(tmp_path / "m")])
        assert done.exit_code == 0, done.output
        return str(done.output)

    run("remember", "The audit is late.", "--scope", "team", "--shared", "--importance", "0.9")
    assert "recalls from team" in run("scopes", "open", "child", "--parent", "team")
    assert "team/node 1" in run("recall", "audit", "--scope", "child")
    assert "Nothing" in run("recall", "audit", "--scope", "child", "--without", "team/1")
    assert "late" in run("recall", "audit", "--scope", "child", "--without", "1")
    assert "team/node 1" in run("context", "audit", "--scope", "child", "--parts")
    assert run("context", "audit", "--scope", "child").startswith("[")
    assert '"role": "system"' in run("context", "audit", "--scope", "child", "--messages")
    run("pool", "put", "report", '{"late": 2}', "--name", "p", "--by", "me", "--scope", "child")
    assert "late" in run("pool", "get", "report", "--name", "p", "--scope", "team")
    watched = run(
        "pool", "watch", "--name", "p", "--since", "0", "--changes", "1", "--scope", "team"
    )
    assert watched == "put report (version 1) by me\n"
    for late in ("3", "4"):
        run("pool", "put", "report", late, "--name", "p", "--scope", "child")
    watch = ("pool", "watch", "--name", "p", "--since", "0", "--scope", "team", "--changes")
    assert run(*watch, "0") == ""
    assert run(*watch, "2").count("\n") == 2
    told = [json.loads(line) for line in run(*watch, "3", "--json").splitlines()]
    assert [change["version"] for change in told] == [1, 2, 3]
    assert "L4" in run("review", "tiers")
    assert run("review", "tiers", "s", "--scope", "team").count("\n") == 5
    assert "no parents" in run("scopes", "open", "child", "--no-parents")


NAMES = ("a", "b", "c", "d")


class Families(RuleBasedStateMachine):
    """Against a plain model: who sees what."""

    def __init__(self) -> None:
        super().__init__()
        self.memory = graphmem.open(None, worker="none")
        self.parents: dict[str, tuple[str, ...]] = {}
        self.shared: dict[str, set[str]] = {}
        self.private: dict[str, set[str]] = {}
        self.number = 0
        for name in NAMES:
            self.memory.scopes.open(name)
            self.parents[name] = ()
            self.shared[name], self.private[name] = set(), set()

    def teardown(self) -> None:
        self.memory.close()

    def above(self, name: str) -> set[str]:
        found: set[str] = set()
        for parent in self.parents[name]:
            found |= {parent, *self.above(parent)}
        return found

    @rule(name=st.sampled_from(NAMES), shared=st.booleans())
    def remember(self, name: str, shared: bool) -> None:
        self.number += 1
        text = f"Note number {self.number} of {name}."
        self.memory.scopes.open(name).remember(text, about=graphmem.About(shared=shared))
        (self.shared if shared else self.private)[name].add(text)

    @rule(name=st.sampled_from(NAMES), parents=st.lists(st.sampled_from(NAMES), max_size=2))
    def declare(self, name: str, parents: list[str]) -> None:
        wanted = tuple(dict.fromkeys(parents))
        circle = any(p == name or name in self.above(p) for p in wanted)
        try:
            self.memory.scopes.open(name, parents=wanted)
        except InvalidArgumentError:
            assert circle
        else:
            assert not circle
            self.parents[name] = wanted

    @rule(name=st.sampled_from(NAMES), writer=st.sampled_from(NAMES))
    def write(self, name: str, writer: str) -> None:
        """The pool of a scope is that of its first parent's first parent, and so on."""
        top = writer
        while self.parents[top]:
            top = self.parents[top][0]
        self.memory.scopes.open(writer).pool("p").write("k", top)
        entry = self.memory.scopes.open(top, pools=None).pool("p").read("k")
        assert entry is not None
        assert entry.value == top

    @invariant()
    def everybody_sees_their_own_and_what_is_shared_above(self) -> None:
        for name in NAMES:
            wanted = {(name, text) for text in self.shared[name] | self.private[name]}
            wanted |= {(p, text) for p in self.above(name) for text in self.shared[p]}
            found = self.memory.scopes.open(name).recall("note", limit=100, use=False, cut="none")
            assert {(hit.scope, hit.text) for hit in found} == wanted


TestFamilies = Families.TestCase
TestFamilies.settings = settings(
    max_examples=max(4, settings().max_examples // 6), stateful_step_count=12
)


def test_what_a_parent_shares_passes_the_cut(folder: Memory) -> None:
    """A word that both share by chance brought a stranger beside the answer."""
    team = folder.scopes.open("team")
    team.remember(
        "The word on the street is that the budget grows.", about=graphmem.About(shared=True)
    )
    team.remember("A private room can be booked at the desk.", about=graphmem.About(shared=True))
    child = folder.scopes.open("child", parents=("team",))
    child.remember("The last word belongs to a private person.")
    found = child.recall("last word private", use=False, cut="strict")
    assert [(hit.scope, hit.text) for hit in found] == [
        ("child", "The last word belongs to a private person.")
    ]
    assert (
        "budget" not in child.recall("last word private", tokens=300, use=False, cut="strict").text
    )
    assert len(child.recall("last word private", use=False, cut="none")) > 1


def test_what_a_parent_shares_is_shown_and_left_out_where_it_is_to_be_strict() -> None:
    """What tells something else of the subject was hidden, and stood where only answers may."""
    with graphmem.open(None, worker="none") as memory:
        team = memory.scopes.open("team")
        child = memory.scopes.open("child", parents=("team",))
        late, costs = "The audit of the bridge is late.", "The audit of the bridge costs 42 euros."
        for text in (late, "Karlsson paints the kitchen.", "The bus starts at nine."):
            team.remember(text, about=graphmem.About(shared=True))
        for text in (costs, "Lena rows on Monday.", "The door is green."):
            child.remember(text)
        cue = "audit bridge euros"
        best, second, *_ = child.recall(cue, use=False, cut="none")
        assert 0.5 < second.score / best.score < 0.9
        shown = child.recall(cue, use=False)
        assert [(hit.scope, hit.text) for hit in shown] == [("child", costs), ("team", late)]
        assert [hit.text for hit in child.recall(cue, use=False, cut="strict")] == [costs]
        surest = team.recall("Karlsson paints", use=False).answered
        assert child.recall("Karlsson paints", use=False).answered == surest > 0.5


@pytest.mark.parametrize(
    ("note", "other", "cue", "least"),
    [
        (
            "Mia may have nuts in small amounts, but not cashews and not pistachios, because those "
            "made her ill twice last summer and the doctor was very clear about it afterwards.",
            "Mia likes nuts.",
            "May Mia have nuts?",
            "cashews",
        ),
        (
            "米娅可以少量吃坚果，但是不能吃腰果和开心果，因为去年夏天她吃了以后病了两次，医生说得很清楚，"
            "以后也要一直注意，学校和外婆家都要说到。",
            "米娅喜欢坚果。",
            "米娅可以吃坚果吗？",
            "腰果",
        ),
        (
            "Mia darf Nüsse in kleinen Mengen essen, aber keine Cashews und keine Pistazien, weil "
            "sie davon letzten Sommer zweimal krank war und die Ärztin danach sehr deutlich wurde.",
            "Mia mag Nüsse.",
            "Darf Mia Nüsse essen?",
            "Cashews",
        ),
    ],
)
def test_a_permission_is_told_with_its_limit_beside_a_parent(
    note: str, other: str, cue: str, least: str
) -> None:
    """As soon as a parent had a hit too, "may have nuts in small amounts…" was told alone."""
    with graphmem.open(None, worker="none") as memory:
        memory.scopes.open("team").remember(other, about=graphmem.About(shared=True))
        child = memory.scopes.open("child", parents=("team",))
        child.remember(note)
        for tokens in range(16, 70, 3):
            text = child.recall(cue, tokens=tokens, use=False).text
            told = [line for line in text.splitlines() if note.split(",")[0].split("，")[0] in line]
            assert all(least in line for line in told), (tokens, text)


@pytest.mark.parametrize(
    ("notes", "shared", "cue"),
    [
        (
            ("Dentist on 28 May at 9.", "The concert is on 20 May.", "We move on 24 May."),
            ("The audit is on 22 May.", "The audit was on 2 May."),
            "What is coming up this month?",
        ),
        (
            ("5月28号看牙医。", "音乐会在5月20号。", "5月24号搬家。"),
            ("5月22号审计。", "5月2号审计过了。"),
            "这个月有什么安排？",
        ),
        (
            ("Zahnarzt am 28. Mai um 9.", "Das Konzert ist am 20. Mai.", "Umzug am 24. Mai."),
            ("Die Prüfung ist am 22. Mai.", "Die Prüfung war am 2. Mai."),
            "Was steht diesen Monat an?",
        ),
    ],
)
def test_what_is_to_come_stands_by_its_day_beside_a_parent(
    notes: tuple[str, ...], shared: tuple[str, ...], cue: str
) -> None:
    """With any hit of a parent the 28th stood first, then the 20th, the 24th and the 22nd."""
    now = datetime(2026, 5, 10, 9, tzinfo=UTC)
    with graphmem.open(None, worker="none", clock=lambda: now) as memory:
        team = memory.scopes.open("team")
        for said in shared:
            team.remember(said, happened="2026-05-09", about=graphmem.About(shared=True))
        child = memory.scopes.open("child", parents=("team",))
        for day, said in enumerate(notes, 1):
            child.remember(said, happened=f"2026-05-0{day}")
        by_day = [notes[1], shared[0], notes[2], notes[0]]
        found = child.recall(cue, use=False)
        assert [hit.text for hit in found][:4] == by_day
        assert [hit.text for hit in child.recall(cue, limit=2, use=False)] == by_day[:2]
        text = child.recall(cue, tokens=300, use=False).text
        assert sorted(by_day, key=text.index) == by_day
