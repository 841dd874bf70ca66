"""The command line: each verb, for people and for programs, and how it ends."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.api import access
from graphmem.api.admin import Admin
from graphmem.api.opening import rooms
from graphmem.hexastore.transaction import Transaction
from graphmem.interfaces.cli import reach as graphmem_cli
from graphmem.interfaces.cli.commands import main
from graphmem.services import queue
from graphmem.values.reports import RepairReport
from tests.api.test_attached import Owner

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "worker")]),
}


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, str]:
        found: dict[str, str] = json.loads(self.err)["error"]
        return found


Run = Callable[..., Ended]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def run(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Run a command on `folder` in this process, with `stdin` as its standard input."""
    monkeypatch.setenv("GRAPHMEM_PATH", str(folder))
    monkeypatch.setenv("GRAPHMEM_DURABILITY", "os")

    def run(*arguments: str, stdin: bytes = b"") -> Ended:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capfdbinary.readouterr()
        status = main(arguments)
        out, err = capfdbinary.readouterr()
        return Ended(status, out.decode(), err.decode())

    return run


@pytest.fixture
def filled(run: Run) -> Run:
    run("remember", "Wen moved the release to May 10. The audit was late.", "--speaker", "Wen")
    run("remember", "林青把发布改到了五月十日，因为审计还没有结束。", "--session", "晨会")
    return run


def process(*arguments: str, **options: Any) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "graphmem", *arguments],
        stderr=subprocess.PIPE,
        **{"stdout": subprocess.PIPE, "env": ENVIRONMENT, **options},
    )


# -- text in ----------------------------------------------------------------------------------


def test_remember_and_recall_for_people(run: Run) -> None:
    remembered = run(
        "remember", "Wen moved the release to May 10.", "--speaker", "Wen", "--pin",
        "--happened", "2026-05-03T09:30:00+02:00", "--session", "standup", "--keyword", "ship",
    )  # fmt: skip
    assert remembered.status == 0
    assert "Remembered 1 node" in remembered.out
    found = run("recall", "When is the release?")
    assert "node 1 · 2026-05-03 09:30 +0200 · Wen · standup" in found.out
    assert "Wen moved the release to May 10." in found.out
    assert "scored" in found.out


def test_sync_and_watch_say_which_of_them_to_take(run: Run) -> None:
    """Nobody could tell them apart, and `watch` had --memory beside --path."""
    for one, other in (("sync", "watch"), ("watch", "sync")):
        help_text = " ".join(run("files", one, "--help").out.split())
        assert f"take `files {other}`." in help_text
    assert "--memory" not in run("files", "watch", "--help").out


def test_watch_follows_a_folder_until_interrupted(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("watchfiles")
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "plan.md").write_text("The release is on May 10.")
    watching = process("files", "watch", str(notes), "--path", str(folder), "--json")
    assert watching.stdout is not None
    report = json.loads(watching.stdout.readline())
    assert (report["path"], report["added"], report["refused"]) == (str(notes / "plan.md"), 1, "")
    watching.send_signal(signal.SIGINT)
    _, errors = watching.communicate(timeout=50)
    assert (watching.returncode, errors) == (130, b"")
    with graphmem.open(folder, worker="none") as memory:
        assert memory.files.list() == [str(notes / "plan.md")]


def test_watch_of_no_folder_makes_no_memory(run: Run, folder: Path, tmp_path: Path) -> None:
    assert run("files", "watch", str(tmp_path / "notse")).status == 2
    assert not folder.exists()


def test_recall_says_and_draws_how_it_found_its_hits(filled: Run, tmp_path: Path) -> None:
    recalled = filled("recall", "release", "--trace", "--svg", str(tmp_path / "trace.svg"))
    assert "Entry nodes" in recalled.out
    assert "Ranking" in recalled.out
    assert "Wen moved" in (tmp_path / "trace.svg").read_text("utf-8")
    # The umask let others read it, as no other file with texts of the memory.
    assert (tmp_path / "trace.svg").stat().st_mode & 0o077 == 0
    assert "</svg>" in filled("recall", "release", "--svg", "-").out
    trace = filled("recall", "release", "--trace", "--json").document["trace"]
    assert trace["entries"][0]["why"]["words"] == 1.0
    assert "trace" not in filled("recall", "release", "--json").document
    assert filled("recall", "release", "--mode", "focus", "--trace").status == 1


def test_remember_prints_its_nodes_as_json(run: Run) -> None:
    text = "林青把发布改到了五月十日。"
    ended = run(
        "remember", text, "--json", "--pin", "--keyword", "发布会", "--keyword", "ship",
        "--happened", "2026-05-03T09:30:00+08:00",
    )  # fmt: skip
    assert text in ended.out  # UTF-8, not \\u escapes
    node = ended.document["nodes"][0]
    assert node["text"] == text
    assert node["form"] == "whole"
    assert node["pinned"] is True
    assert node["happened"] == "2026-05-03T09:30:00+08:00"
    assert {"发布会", "ship"} <= set(node["keywords"])
    assert ended.document["waiting"] == 1


@pytest.mark.parametrize("dash", [("-",), ()])
def test_remember_reads_standard_input(run: Run, dash: tuple[str, ...]) -> None:
    ended = run("remember", *dash, "--json", stdin="\ufeffOne line.\r\n两行。\r\n".encode())
    assert ended.document["nodes"][0]["text"] == "One line.\n两行。"


def test_remember_reads_a_file_of_many_segments(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "big.txt"
    file.write_text("".join(f"Sentence number {n} is about topic {n % 7}.\n" for n in range(400)))
    ended = run("remember", "--file", str(file), "--json")
    assert len(ended.document["nodes"]) > 50
    assert "more" in run("remember", "--file", str(file)).out.splitlines()[-1]
    assert run("admin", "check").status == 0


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"a\x00b", "NUL"), (b"caf\xe9", "UTF-8"), (b"", "empty"), (b" \n\t", "blank")],
)
def test_remember_refuses_what_is_no_text(run: Run, content: bytes, says: str) -> None:
    ended = run("remember", "-", stdin=content)
    assert ended.status == 1
    assert ended.err.startswith("InvalidTextError: ")
    assert says in ended.err
    assert len(ended.err.splitlines()) == 1
    assert ended.out == ""


def test_remember_takes_one_source(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("text")
    assert run("remember", "text", "--file", str(file)).status == 2
    assert run("remember", "--file", str(tmp_path / "none.txt")).status == 2


@pytest.mark.parametrize("date", ["2026-05-03T09:30:00", "2026-02-30T00:00:00+00:00", "May"])
def test_a_date_must_be_possible_and_have_a_zone(run: Run, date: str) -> None:
    ended = run("remember", "x", "--happened", date, "--json")
    assert ended.status == 1
    assert ended.error["kind"] == "InvalidArgumentError"
    assert date in ended.error["message"]


def test_enrich_works_off_what_remember_left(filled: Run) -> None:
    assert filled("admin", "stats", "--json").document["queue"]["waiting"] == 2
    assert filled("admin", "enrich", "--json").document == {
        "enriched": 2,
        "waiting": 0,
        "set_aside": 0,
    }
    assert filled("admin", "enrich").out == "Enriched 0 texts, nothing waits.\n"
    filled("scopes", "open", "other")
    told = filled("admin", "enrich").out  # whose own texts may wait
    assert told == "Enriched 0 texts, nothing waits in scope 'default'.\n"


def test_enrich_and_recall_say_what_an_embedder_that_is_away_leaves(
    filled: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither may wait for it for ever, nor say that nothing waits, nor rank without it silently."""
    monkeypatch.setattr(graphmem_cli, "_VECTOR_PATIENCE", 0.0)
    monkeypatch.setenv("GRAPHMEM_VECTORS", "http")
    monkeypatch.setenv("GRAPHMEM_VECTORS_MODEL", "letters")
    monkeypatch.setenv("GRAPHMEM_SERVER", "http://localhost:9")  # where nobody listens
    monkeypatch.setenv("GRAPHMEM_WORKER_DEADLINE", "0.5")
    ended = filled("admin", "enrich")
    assert ended.status == 0
    assert "nothing waits" not in ended.out
    assert "no vector came" in ended.out or "localhost" in ended.out
    assert filled("admin", "enrich", "--json").document["waiting"] >= 1
    monkeypatch.setenv("GRAPHMEM_VECTORS_MODEL", "others")
    notes = filled("recall", "release", "--json").document["notes"]
    assert notes == ["ranked without vectors: those of this memory are of http:letters"]


# -- recalling --------------------------------------------------------------------------------


def test_recall_prints_hits_as_json(filled: Run) -> None:
    found = filled("recall", "发布", "--json", "--cut", "none").document
    assert set(found) == {"cue", "hits", "text", "dangling", "notes", "answered"}
    best = found["hits"][0]
    assert set(best) == {
        "node", "score", "parts", "path", "coverage", "folded", "earlier", "scope", "happened", "why"
    }  # fmt: skip
    assert best["node"]["session"] == "晨会"
    reached = next(hit for hit in found["hits"] if hit["path"])
    assert set(reached["path"][0]) >= {"source", "relation", "target", "strength"}


def test_recall_within_tokens_prints_the_context_alone(filled: Run) -> None:
    day = f"{datetime.now().astimezone():%Y-%m-%d}"
    assert filled("recall", "release", "--tokens", "30").out == (
        f"[{day}, Wen] Wen moved the release to May 10. The audit was late.\n"
    )


def test_recall_filters(filled: Run) -> None:
    def ids(*options: str) -> list[int]:
        hits = filled("recall", "release 发布", "--json", *options).document["hits"]
        return sorted(hit["node"]["id"] for hit in hits)

    assert ids() == [1, 2]
    assert ids("--speaker", "Wen") == [1]
    assert ids("--session", "晨会") == [2]
    assert ids("--limit", "1") != ids()
    assert ids("--since", "2999-01-01T00:00:00+00:00") == []
    assert ids("--until", "2999-01-01T00:00:00+00:00") == [1, 2]
    assert ids("--mode", "focus", "--relation", "focus", "--depth", "1") == [1, 2]


def test_recall_counts_as_use_only_where_told(filled: Run) -> None:
    filled("recall", "release")
    assert filled("show", "1", "--json").document["node"]["uses"] == 0
    filled("recall", "release", "--use")
    assert filled("show", "1", "--json").document["node"]["uses"] == 1


def test_recall_of_nothing_says_so(filled: Run) -> None:
    ended = filled("recall", "release", "--speaker", "Nobody")
    assert ended.out == "Nothing comes back.\n"
    assert "--cut none" in ended.err
    assert ended.status == 0


def test_show_says_all_of_a_node(filled: Run) -> None:
    page = filled("show", "1").out
    assert "a model wrote" not in page
    for part in ("node 1", "Wen moved", "importance", "Links", "focus", "History", "present"):
        assert part in page
    known = filled("show", "1", "--json").document
    assert known["links"][0]["target"] == 2
    assert known["links"][0]["phrase"]
    assert known["history"][0]["why"] == "present"


def test_show_says_what_a_link_once_knew(filled: Run, folder: Path) -> None:
    with graphmem.open(folder, worker="none") as memory:
        memory.forget(2)
    page = filled("show", "1").out
    assert "Links to what is forgotten" in page
    assert "once knew: 林青把发布" in page
    dangling = filled("show", "1", "--json").document["dangling"]
    assert dangling[0]["known"]["why"] == "asked"
    assert dangling[0]["known"]["when"].startswith("20")


def test_show_of_a_forgotten_node_says_what_is_left(filled: Run, folder: Path) -> None:
    with graphmem.open(folder, worker="none") as memory:
        memory.forget(2)
    page = filled("show", "2")
    assert page.status == 0
    assert "node 2, forgotten" in page.out
    assert "因为审计还没有结束" in page.out  # the archived form
    known = filled("show", "2", "--json").document
    assert known["node"] is None
    assert known["forgotten"]["revivable"] is True


def test_show_of_an_unknown_id(filled: Run) -> None:
    ended = filled("show", "99")
    assert ended.status == 1
    assert ended.err.startswith("UnknownNodeError: there is no node 99")
    assert filled("show", "99", "--json").error["kind"] == "UnknownNodeError"


# -- forgetting -------------------------------------------------------------------------------


def test_sweep_is_one_pass(filled: Run) -> None:
    assert re.search(r"passes +1\n", filled("sweep").out)
    assert filled("sweep", "--seconds", "1", "--json").document["result"]["passes"] == 2


def test_shrink_and_forgotten(run: Run) -> None:
    for n in range(12):
        run("remember", f"Crate {n} holds {n * 31} bolts. It stands in hall {n}. Nobody cares.")
    assert run("history", "forgotten").out == "Nothing.\n"
    before = run("admin", "stats", "--json").document["text_bytes"]
    report = run("admin", "shrink", "50%", "--json").document
    assert report["text_bytes_before"] == before
    assert report["fits"]
    assert report["text_bytes"] <= report["target"] == before // 2
    pages = run("admin", "shrink", "1").out
    assert "what is left is in focus, pinned or protective" in pages
    lost = run("history", "forgotten", "--json", "--limit", "3").document["result"]
    assert len(lost) == 3
    assert lost[0]["why"] == "room"
    table = run("history", "forgotten", "--limit", "3").out
    assert table.count("once knew: ") == 3
    assert run("admin", "check").status == 0


@pytest.mark.parametrize(
    ("size", "expected"),
    [("100", 100), ("20k", 20_000), ("2MB", 2_000_000), ("1.5 kb", 1500), ("1MiB", 1 << 20)],
)
def test_shrink_reads_sizes(filled: Run, size: str, expected: int) -> None:
    assert filled("admin", "shrink", size, "--json").document["target"] == expected


@pytest.mark.parametrize("size", ["", "many", "-5", "10i", "120%", "5 elephants"])
def test_shrink_refuses_what_is_no_size(filled: Run, size: str) -> None:
    ended = filled("admin", "shrink", "--json", "--", size)
    assert ended.status == 2
    assert "SIZE" in ended.error["message"] or "size" in ended.error["message"]


# -- housekeeping -----------------------------------------------------------------------------


def test_stats_and_check(filled: Run) -> None:
    numbers = filled("admin", "stats", "--json").document
    assert numbers["nodes"] == 2
    assert numbers["scopes"] == ["default"]
    assert "nodes" in filled("admin", "stats").out
    assert "2 nodes checked" in filled("admin", "check").out
    assert filled("admin", "check", "--json").document == {"nodes": 2, "faults": []}


def test_check_ends_with_1_on_faults(filled: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Admin, "check", lambda self, progress: ["node 1 has no text"])
    ended = filled("admin", "check")
    assert ended.status == 1
    assert "node 1 has no text" in ended.out
    assert filled("admin", "check", "--json").document["faults"] == ["node 1 has no text"]


def test_worker_lists_what_was_set_aside_and_retries_it(filled: Run, folder: Path) -> None:
    """What failed for good is never tried again unless somebody sees it and says so."""
    nothing = {"waiting": 2, "set_aside": 0, "nodes": []}
    assert filled("admin", "failed", "--json").document == nothing
    assert filled("admin", "failed").out == "2 texts wait, 0 were set aside.\n"
    assert filled("admin", "retry", "--json").document == {"retried": 0, "waiting": 2}
    with graphmem.open(folder, worker="none") as memory:
        for node, reason in ((1, "refused: HTTP 401"), (2, "answer: [red]not JSON")):
            with Transaction(rooms(memory).store, rooms(memory).scope) as tx:
                queue.set_aside(tx, node, reason)
    printed = filled("admin", "failed").out
    assert "0 texts wait, 2 were set aside" in printed
    assert "refused: HTTP 401" in printed
    assert "[red]not JSON" in printed
    assert "graphmem admin retry" in printed
    assert "and 1 more" in filled("admin", "failed", "--limit", "1").out
    assert filled("admin", "failed", "--limit", "1", "--json").document == {
        "waiting": 0,
        "set_aside": 2,
        "nodes": [{"node": 1, "reason": "refused: HTTP 401"}],
    }
    refused = filled("admin", "retry", "7", "--json")
    assert refused.status == 1
    assert "node 7 was not set aside" in refused.error["message"]
    assert filled("admin", "retry", "2").out == "1 text put back; 1 waits now.\n"
    assert filled("admin", "retry", "--json").document == {"retried": 1, "waiting": 2}
    assert filled("admin", "enrich", "--json").document == {
        "enriched": 2,
        "waiting": 0,
        "set_aside": 0,
    }
    assert filled("admin", "check").status == 0


def test_worker_makes_no_memory(run: Run, folder: Path) -> None:
    """A misspelt --path would leave an empty folder behind."""
    assert run("admin", "failed").status == 1
    assert run("admin", "retry").status == 1
    assert not folder.exists()


def test_backup_and_restore(filled: Run, folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    assert f"Copied {folder} to {copy}" in filled("admin", "backup", str(copy)).out
    again = filled("admin", "backup", str(copy), "--json")
    assert again.status == 1
    assert again.error["kind"] == "DestinationError"
    assert filled("admin", "restore", str(copy)).status == 1, "never over what is there"
    ended = filled("admin", "restore", str(copy), "--path", str(tmp_path / "new"), "--json")
    assert ended.document["destination"] == str(tmp_path / "new")
    assert filled("admin", "check", "--path", str(tmp_path / "new")).status == 0


def test_export_says_what_it_wrote_and_what_there_is_instead(filled: Run, tmp_path: Path) -> None:
    printed = filled("export", str(tmp_path / "graphs.nq")).out
    assert "Wrote 0 records to" in printed
    assert "There are no graphs here. --facts writes a memory's facts" in printed
    printed = filled("export", str(tmp_path / "all.jsonl")).out
    assert "Wrote 0" not in printed
    assert "There are no graphs" not in printed
    assert "has others" not in printed
    filled("remember", "Elsewhere.", "--scope", "work")
    printed = filled("export", str(tmp_path / "again.jsonl")).out
    assert "That is scope default; the folder has others: work." in printed


@pytest.mark.leveldb
def test_repair_says_what_is_lost(filled: Run, folder: Path) -> None:
    whole = filled("admin", "repair")
    assert whole.status == 0
    assert f"{folder}.damaged-1" in whole.out
    (log,) = (folder / "store").glob("*.log")
    content = log.read_bytes()
    at = len(content) // 2
    log.write_bytes(content[:at] + bytes((content[at] ^ 1,)) + content[at + 1 :])
    assert filled("admin", "check").status == 1
    report = filled("admin", "repair", "--json")
    assert report.document["unreadable"]
    assert report.status == (1 if report.document["lost"] else 0)
    assert filled("admin", "check").status == 0


@pytest.mark.parametrize(
    ("unreadable", "lost", "status"),
    [
        ((), (), 0),
        (("bytes 7 to 90 of 000003.log",), (), 0),
        ((), ("the vector of node 3",), 1),
        (("bytes 7 to 90 of 000003.log",), ("the text of node 3",), 1),
    ],
)
def test_a_repair_fails_by_what_is_lost_and_not_by_what_is_unreadable(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    unreadable: tuple[str, ...],
    lost: tuple[str, ...],
    status: int,
) -> None:
    """A script that goes on by the status would go on without what is gone, or stop for nothing."""

    def repair(path: str, *_: object) -> RepairReport:
        return RepairReport(path, f"{path}.damaged-1", unreadable, lost, 3, 2, 5)

    monkeypatch.setattr(graphmem, "repair", repair)
    ended = run("admin", "repair")
    assert ended.status == status
    for line in (*unreadable, *lost):
        assert line in ended.out


def test_settings_lists_every_knob(run: Run) -> None:
    listed = run("admin", "settings", "--json").document["settings"]
    assert [(s["name"], s["default"], s["range"], s["meaning"]) for s in listed] == (
        graphmem.Settings.table()
    )
    ranges = {setting["name"]: setting["range"] for setting in listed}
    assert all(ranges.values())
    assert ranges["home"] == "text"
    assert ranges["ranking.diversity"] == "0.0 – 1.0"
    assert "max_bytes" in run("admin", "settings").out


def test_scopes_are_apart_and_options_stand_on_either_side(run: Run, tmp_path: Path) -> None:
    other = str(tmp_path / "other")
    run("remember", "The first.", "--path", other, "--scope", "alice")
    run("-p", other, "--scope", "bob", "remember", "The second.")
    numbers = run("--json", "-p", other, "admin", "stats", "--scope", "bob").document
    assert numbers["nodes"] == 1
    assert numbers["scopes"] == ["alice", "bob"]


# -- how it ends ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "verb",
    [
        ("recall", "x"), ("recall", "x", "--use"), ("sweep",), ("admin", "shrink", "50%"), ("show", "1"),
        ("history", "forgotten",), ("admin", "stats",), ("admin", "check",), ("admin", "enrich",),
    ],
)  # fmt: skip
def test_a_folder_that_is_not_there_is_not_made(
    run: Run, folder: Path, verb: tuple[str, ...]
) -> None:
    """A mistyped path would else answer "nothing", and leave an empty store behind."""
    ended = run(*verb)
    assert ended.status == 1
    assert ended.err.startswith(f"MissingError: there is no memory in {folder}")
    assert "remember" in ended.err
    assert not folder.exists()


def test_a_scope_that_is_not_there_is_not_made(filled: Run) -> None:
    for verb in (
        ("recall", "x"),
        (
            "admin",
            "stats",
        ),
        ("sweep",),
    ):
        assert filled(*verb, "--scope", "typo", "--json").error["kind"] == "UnknownScopeError"
    assert filled("admin", "stats", "--json").document["scopes"] == ["default"]


def test_somebody_elses_folder_is_left_alone(run: Run, folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.tex").write_text("x")
    for verb in (
        ("remember", "x"),
        ("recall", "x"),
        (
            "admin",
            "stats",
        ),
    ):
        ended = run(*verb)
        assert ended.status == 1
        assert ended.err.startswith("NotAStoreError: ")
    assert os.listdir(folder) == ["thesis.tex"]


@pytest.mark.parametrize(
    "given", [("items", "put", "notes", "key"), ("pin",), ("history", "life"), ("graph", "nearest")]
)
def test_an_argument_that_is_needed_is_asked_for(
    run: Run, folder: Path, given: tuple[str, ...]
) -> None:
    """`items put notes key` without a value made the value null."""
    shown = run("--path", str(folder), *given)
    assert shown.status == 2
    assert "Missing argument" in shown.err


def test_a_missing_parent_is_named(run: Run, folder: Path) -> None:
    ended = run("remember", "x", "--path", str(folder / "deep" / "er"))
    assert ended.status == 1
    assert ended.err.startswith(f"MissingError: {folder / 'deep' / 'er'}: ")
    assert "Errno" not in ended.err


@pytest.fixture
def owned(filled: Run, folder: Path) -> Iterator[tuple[Run, int]]:
    """A memory that another process has open all the while, and that process."""
    with Owner(folder) as owner:
        yield filled, owner.process.pid


def test_verbs_work_beside_an_agent(owned: tuple[Run, int], tmp_path: Path) -> None:
    """Who asks at a prompt should not have to stop the agent first."""
    run, _ = owned
    (node,) = run("remember", "The train has number 4711.", "--pin", "--json").document["nodes"]
    hits = run("recall", "number of the train", "--json").document["hits"]
    assert hits[0]["node"]["id"] == node["id"]
    assert "4711" in run("recall", "train", "--tokens", "50").out
    assert run("recall", "train").status == 0
    assert "pinned" in run("show", str(node["id"])).out
    assert "remembered" in run("history", "life", str(node["id"])).out
    assert run("show", "999", "--json").error["kind"] == "UnknownNodeError"
    assert run("sweep", "--json").document["result"]["passes"] == 1
    assert run("admin", "shrink", "1MB", "--json").document["fits"]
    assert run("history", "forgotten", "--json").document == {"result": []}
    assert run("admin", "failed", "--json").document["set_aside"] == 0
    assert run("admin", "retry", "--json").document["retried"] == 0
    assert run("admin", "enrich", "--json").document["waiting"] == 0
    assert run("admin", "check", "--json").document["faults"] == []
    assert run("admin", "stats", "--json").document["queue"]["waiting"] == 0
    assert "worker: backend" in run("admin", "stats").out  # the agent's, which is of interest
    assert run("admin", "backup", str(tmp_path / "copy")).status == 0
    with graphmem.open(tmp_path / "copy", worker="none") as copy:
        assert copy[node["id"]].pinned


def test_a_scope_is_made_beside_an_agent_only_to_remember(owned: tuple[Run, int]) -> None:
    """A slip in --scope must not leave an empty memory with the agent."""
    run, _ = owned
    for verb in (
        ["recall", "x"],
        ["recall", "x", "--use"],
        ["admin", "stats"],
        ["admin", "enrich"],
        ["show", "1"],
    ):
        error = run(*verb, "--scope", "projcet", "--json").error
        assert error["kind"] == "UnknownScopeError"
        assert "there are: default" in error["message"]
    assert run("remember", "Its first text.", "--scope", "project").status == 0
    assert run("admin", "stats", "--json").document["scopes"] == ["default", "project"]


def test_what_needs_the_folder_to_itself_says_so(owned: tuple[Run, int], tmp_path: Path) -> None:
    run, owner = owned
    (tmp_path / "a.nt").write_text("<ex:a> <ex:b> <ex:c> .\n")
    for verb in (
        ["recall", "release", "--trace"], ["recall", "release", "--svg", str(tmp_path / "a.svg")],
        ["import", str(tmp_path / "a.nt")], ["export", str(tmp_path / "b.nt")], ["admin", "repair"],
        ["admin", "restore", os.environ["GRAPHMEM_PATH"], "-p", str(tmp_path / "c")],
        ["files", "watch", str(tmp_path)],
    ):  # fmt: skip
        ended = run(*verb, "--json")
        assert (ended.status, ended.out) == (1, ""), verb
        assert ended.error["kind"] == "AlreadyOpenError"
        assert f"process {owner}; this needs the folder to itself" in ended.error["message"]
    assert {path.name for path in tmp_path.iterdir()} == {"a.nt", "memory"}


def test_settings_that_an_agent_overrules_are_named(
    owned: tuple[Run, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who sets a budget for a command must hear that the agent goes by its own."""
    run, owner = owned
    assert "GRAPHMEM_DURABILITY" in run("remember", "One.").err
    monkeypatch.setenv("GRAPHMEM_DURABILITY", "group")  # as the owner has it
    assert run("remember", "Two.").err == ""
    monkeypatch.setenv("GRAPHMEM_MAX_BYTES", "100000")
    note = json.loads(run("sweep", "--json").err)["note"]
    assert str(owner) in note
    assert note.endswith("goes by its own settings, not by GRAPHMEM_MAX_BYTES")


def test_an_owner_that_takes_no_clients(
    filled: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is waited for, since most are commands that end soon; then the error says whose it is."""
    monkeypatch.setattr(access, "_PATIENCE", 0.1)
    with graphmem.open(folder, worker="none", attachable=False):
        error = filled("recall", "release", "--json").error
        assert error["kind"] == "AlreadyOpenError"
        assert f"process {os.getpid()}" in error["message"]
        assert "takes no clients" in error["message"]


@pytest.mark.parametrize("command", ["recall x", "remember x", "nodes", "doctor"])
def test_a_command_says_what_it_waits_for(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr(graphmem_cli, "_SILENT", 0.05)
    monkeypatch.setattr(access, "_PATIENCE", 0.5)
    code = "import sys, graphmem; graphmem.open(sys.argv[1], attachable=False); print(input('.'))"
    owner = subprocess.Popen(
        [sys.executable, "-c", code, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env=ENVIRONMENT,
    )  # fmt: skip
    with owner:
        assert owner.stdout is not None
        assert owner.stdout.read(1) == b"."
        ended = run(*command.split())
        owner.communicate(b"\n")
    assert f"waiting for process {owner.pid}, which has {folder} open" in ended.err
    assert "waiting" not in run(*command.split()).err


@pytest.mark.slow
def test_commands_at_the_same_time_wait_for_each_other(run: Run, folder: Path) -> None:
    """Hooks of an agent's run several at once; none of their texts may be refused."""
    children = [process("-p", str(folder), "remember", f"Number {k}.") for k in range(4)]
    for child in children:
        _, errors = child.communicate(timeout=50)
        assert child.returncode == 0
        assert all(line.startswith(b"waiting for process") for line in errors.splitlines())
    assert run("admin", "stats", "--json").document["nodes"] == 4


def test_wrong_usage_ends_with_2(run: Run) -> None:
    for arguments in (("recall",), ("nonsense",), ("show", "twelve"), ("recall", "x", "--bogus")):
        plain = run(*arguments)
        assert plain.status == 2
        assert "Usage:" in plain.err
        assert run(*arguments, "--json").error["message"]


def test_help_has_a_paragraph_for_each_parameter(run: Run) -> None:
    """The indent of a docstring's further lines stood in the middle of the wrapped text."""
    help_text = run("history", "changes", "--help").out
    assert "\n\n  prefix: " in help_text
    assert re.search(r"\S {2,}[a-z]", help_text.partition("Options:")[0]) is None


def test_help_has_an_example_for_each_verb(run: Run) -> None:
    page = run("--help").out
    listed = page.partition("Commands:")[2]
    assert "..." not in listed  # a first sentence that is cut says nothing
    verbs = re.findall(r"^  (\S+)", listed, re.MULTILINE)
    assert {"remember", "recall", "review"} <= set(verbs)
    assert len(page.splitlines()) <= 55
    for verb in verbs:
        ended = run(verb, "--help")
        assert ended.status == 0
        assert f"graphmem {verb}" in ended.out.partition("\n")[2]
    assert run("--version").out == f"graphmem, version {graphmem.__version__}\n"


def test_a_closed_pipe_ends_it_quietly(filled: Run, folder: Path) -> None:
    """`graphmem history forgotten | head` would else print a traceback behind its first lines."""
    child = process("admin", "settings")
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    err = child.stderr.read()
    child.stderr.close()
    assert child.wait() == 141
    assert err == b""


@pytest.mark.parametrize(
    "arguments",
    [
        ("recall", "release"),
        ("admin", "stats", "--json"),
        ("--json", "admin", "stats"),
        ("export", "-", "--format", "jsonl"),
        ("--version",),
    ],
)
def test_a_full_disk_behind_standard_output_is_told_of(
    filled: Run, folder: Path, arguments: tuple[str, ...]
) -> None:
    """A report redirected to a full disk ended in a traceback."""
    with open("/dev/full", "wb") as full:
        child = process("-p", str(folder), *arguments, stdout=full)
        _, err = child.communicate()
    assert child.returncode == 1
    message = err.decode()
    if "--json" in arguments:
        message = json.loads(message)["error"]["message"]
    assert "standard output cannot be written: No space left on device" in message
    assert len(message.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "<&-", "<&- >&-", "<&- >&- 2>&-"])
def test_a_closed_standard_stream_is_nothing_to_print_on(
    filled: Run, folder: Path, closed: str
) -> None:
    """The command ended in an AttributeError; a file of the store could have had the descriptor."""
    for arguments in (
        (
            "admin",
            "stats",
        ),
        ("remember", "The kettle is new."),
        ("recall", "kettle"),
    ):
        command = [sys.executable, "-m", "graphmem", "-p", str(folder), *arguments]
        child = subprocess.run(
            ["sh", "-c", f'exec "$0" "$@" {closed}', *command],
            capture_output=True, env=ENVIRONMENT,
        )  # fmt: skip
        assert (child.returncode, child.stderr) == (0, b"")
        assert bool(child.stdout) is (">" not in closed)
    with graphmem.open(folder, worker="none") as memory:
        assert memory.recall("kettle")[0].text == "The kettle is new."
        assert memory.admin.check() == []


@pytest.mark.parametrize("arguments", [("-p", "", "remember", "A text."), ("doctor", "")])
def test_an_empty_path_is_not_the_default_folder(filled: Run, arguments: tuple[str, ...]) -> None:
    """`-p "$UNSET"` wrote into the folder of GRAPHMEM_PATH."""
    ended = filled(*arguments)
    assert ended.status == 2
    assert "names no folder" in ended.err


def test_export_to_a_place_that_is_not_there(filled: Run, tmp_path: Path) -> None:
    """It ended in a traceback, about a file that nobody had named."""
    ended = filled("export", str(tmp_path / "none" / "x.jsonl"))
    assert ended.status == 1
    assert ended.err == (
        f"StorageError: {tmp_path / 'none' / 'x.jsonl'} cannot be written: "
        "No such file or directory\n"
    )


@pytest.mark.slow
def test_a_terminal_without_utf8_gets_escapes(filled: Run, folder: Path) -> None:
    """It would else end in a UnicodeEncodeError."""
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": "latin-1"}
    child = process("-p", str(folder), "recall", "发布", env=environment)
    out, err = child.communicate()
    assert (child.returncode, err) == (0, b"")
    assert rb"\u6797\u9752" in out
    child = process("-p", str(folder), "recall", "发布", "--json", env=environment)
    assert "林青" in json.loads(child.communicate()[0])["hits"][0]["node"]["text"]


def test_ctrl_c_ends_it_quietly(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    child = process("remember", "--file", str(pipe), cwd=tmp_path)
    with pipe.open("wb"):  # returns once the command reads from it
        child.send_signal(signal.SIGINT)
    # Closed: a signal that comes between Python's open and its read does not interrupt the read.
    out, err = child.communicate()
    assert child.returncode == 130
    assert (out, err) == (b"", b"")


@pytest.mark.usefixtures("by_passes")
def test_life_says_what_happened_and_why(filled: Run, folder: Path) -> None:
    filled("recall", "release", "--use")
    with graphmem.open(folder, worker="none") as memory:
        for k in range(6):
            memory.remember(f"Chatter {k}.")
        while memory[1].form is graphmem.Form.WHOLE:
            memory.sweep()
    page = filled("history", "life", "1").out
    for part in (
        "node 1",
        "remembered",
        "used",
        "shortened",
        "importance × worth",
        "kept whole: binding",
    ):
        assert part in page
    lived = filled("history", "life", "1", "--json").document["result"]
    assert [step["what"] for step in lived["steps"]] == ["remembered", "used", "shortened"]
    assert lived["worth"]["sentences"][0]["parts"]
    assert filled("history", "life", "99").status == 1


def test_stats_write_bytes_with_their_unit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They once came as bare numbers, because a renaming changed the suffix that is looked for."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("The kettle is broken. " * 100)
    assert main(["-p", str(tmp_path / "m"), "admin", "stats"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["text", "2.2", "kB"] in lines


def test_guard_reports_places_and_never_values(run: Run, tmp_path: Path) -> None:
    """A report that quotes the secrets it found would be one more place they are in."""
    notes = tmp_path / "notes.md"
    notes.write_text("# Access\n\nThe password is Tr0ub4dor&3x today.\n")
    found = run("files", "guard", str(notes))
    assert found.status == 1
    assert "notes.md:3:17: password" in found.out.replace("\n", "")
    assert "Tr0ub4dor" not in found.out + found.err
    assert run("files", "guard", str(notes), "--json").document["found"] == [
        {"kind": "password", "start": 26, "end": 38}
    ]
    notes.write_text("The review is on May 6.\n")
    assert run("files", "guard", str(notes)).status == 0


def test_no_command_that_tells_texts_steers_the_terminal(run: Run) -> None:
    """`context` rang the bell that a text held."""
    run("remember", "The bell\x07 rings at noon, \x1b[31mred.")
    for command in (("recall", "bell", "--tokens", "50"), ("context", "bell", "--tokens", "50")):
        printed = run(*command).out
        assert "rings at noon" in printed
        assert not {"\x07", "\x1b"} & {*printed}
    (message,) = json.loads(run("context", "bell", "--messages").out)
    assert message["role"] == "system"
    assert "rings at noon" in message["content"]


def test_a_hit_that_is_over_is_marked(run: Run) -> None:
    """The list showed the old date as one of two that hold."""
    for text in ("The release is on May 3.", "The release moved to May 10."):
        run("remember", text)
    first, *rest = [
        line
        for line in run("recall", "When is the release?").out.splitlines()
        if "node" in line[:12]
    ]
    assert "node 2" in first
    assert "earlier" not in first
    assert any("node 1" in line and line.endswith("(earlier, no longer so)") for line in rest)
