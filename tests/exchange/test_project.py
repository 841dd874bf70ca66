"""A project's folder and the scope that follows it: the file wins, and no line of it is lost."""

import os
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import graphmem
from graphmem.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    InvalidTextError,
    MalformedError,
    SecretError,
    UnreadableFileError,
)
from graphmem.exchange import decisions, project

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
TECH = """# Technology

The project uses PostgreSQL 16 and Python 3.12.

## Network <!-- keep -->

All services listen on port 8443.

### Behind the proxy

The proxy ends TLS.

## 部署

服务部署在上海机房，每周二发布。
"""
LOG = """# What we decided, newest last.
version: 1
decisions:
  - id: D001   # the first
    date: 2026-01-15
    title: Database
    decision: "We use PostgreSQL 16 for billing."
    reason: |
      JSON columns,
      and Wen knows it.
    # see techContext.md

# 由项目组维护
"""
REDIS = "We decided to adopt Redis for the session cache of the project."
RABBIT = "我们决定项目采用 RabbitMQ 作为消息队列。"


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    clock = datetime(2026, 5, 3, 12, tzinfo=UTC)
    with graphmem.open(worker="none", clock=lambda: clock) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    (place / "techContext.md").write_text(TECH)
    (place / "decisions.yaml").write_text(LOG)
    return place


def said(memory: graphmem.Memory) -> list[str]:
    return [node.text for node in memory]


def sequence(memory: graphmem.Memory) -> int:
    found: int = memory.admin.stats()["sequence"]
    return found


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.iterdir() if p.is_file()}


def test_a_folder_becomes_memories_of_the_project(memory: graphmem.Memory, folder: Path) -> None:
    report = memory.files.sync(folder)
    assert [(os.path.basename(f.path), f.added) for f in report.files] == [
        ("techContext.md", 3),
        ("decisions.yaml", 1),
    ]
    assert {node.kind.realm for node in memory} == {"project"}
    assert {node.kind.confidence for node in memory} == {1.0}
    (core,) = [node for node in memory if node.pinned]
    assert "port 8443" in core.text
    assert "ends TLS" in core.text  # a part of the part that is marked
    assert "Network" in core.text
    assert "keep" not in core.text
    assert core.kind.temporality == "permanent"
    (record,) = memory.nodes(where=graphmem.Where(metadata={"file": "decisions.yaml"}))
    assert record.metadata == {"file": "decisions.yaml", "id": "D001"}
    assert record.happened == datetime(2026, 1, 15, tzinfo=UTC)
    assert "Wen knows it" in memory.recall("Which database is used for billing?").text
    assert "上海" in memory.recall("部署在哪里？").text


def test_a_second_sync_writes_nothing_anywhere(memory: graphmem.Memory, folder: Path) -> None:
    memory.remember(REDIS)
    memory.files.sync(folder, write=True)
    before, files = sequence(memory), contents(folder)
    for write in (False, True):
        report = memory.files.sync(folder, write=write)
        assert not report.changed
        assert sum(f.kept for f in report.files) == len(memory)
    assert sequence(memory) == before
    assert contents(folder) == files


def test_the_file_wins(memory: graphmem.Memory, folder: Path) -> None:
    """What somebody deleted from the file and still remembers would come back into it."""
    memory.remember(REDIS)
    memory.files.sync(folder, write=True)
    (folder / "decisions.yaml").write_text(LOG)  # Redis is not decided any more
    (folder / "techContext.md").write_text(TECH.replace("PostgreSQL 16", "PostgreSQL 17"))
    report = memory.files.sync(folder, write=True)
    assert report.written == ()
    assert REDIS not in said(memory)
    assert {each.why for each in memory.history.forgotten(10)} == {"corrected"}
    assert "PostgreSQL 17" in "".join(said(memory))
    assert (folder / "decisions.yaml").read_text() == LOG
    (folder / "techContext.md").unlink()
    memory.files.sync(folder)
    assert len(memory) == 1
    assert memory.files.list() == [str(folder / "decisions.yaml")]
    assert memory.admin.check() == []


def test_decisions_are_added_behind_the_last_record(memory: graphmem.Memory, folder: Path) -> None:
    for text in (REDIS, RABBIT, "I prefer tea.", "The sky was grey.", "Maybe we adopt Kafka."):
        memory.remember(text, speaker="Wen" if text is RABBIT else None)
    report = memory.files.sync(folder, write=True)
    assert [memory[node].text for node in report.written] == [REDIS, RABBIT]
    place = LOG.index("\n# 由项目组维护")
    assert (folder / "decisions.yaml").read_text() == LOG[:place] + (
        f"  - id: D002\n    date: 2026-05-03\n    decision: {REDIS}\n"
        f"  - id: D003\n    date: 2026-05-03\n    decision: {RABBIT}\n    by: Wen\n"
    ) + LOG[place:]
    assert said(memory).count(REDIS) == 1


def test_what_was_replaced_is_closed_on_both_sides(memory: graphmem.Memory, folder: Path) -> None:
    (redis,) = memory.remember(REDIS, happened="2026-04-01")
    memory.files.sync(folder, write=True)
    (valkey,) = memory.replace(redis, REDIS.replace("Redis", "Valkey"))
    memory.files.sync(folder, write=True)
    path = folder / "decisions.yaml"
    assert path.read_text().count("    supersedes: D002\n") == 1
    path.write_text(
        path.read_text().replace(
            "\n# 由", "  - {id: D004, decision: 改用 MySQL, 取代: D001}\n\n# 由"
        )
    )
    memory.files.sync(folder)
    (database,) = [node for node in memory if node.metadata.get("id") == "D001"]
    assert database.valid_to is not None
    assert memory[valkey].valid_to is None
    path.write_text(path.read_text().replace("MySQL", "MySQL, status: 已否决"))
    memory.files.sync(folder)
    (mysql,) = [node for node in memory if node.metadata.get("id") == "D004"]
    assert mysql.valid_to is not None
    assert not memory.files.sync(folder, write=True).changed
    assert memory.admin.check() == []


def test_a_decision_with_a_secret_stays_here(memory: graphmem.Memory, folder: Path) -> None:
    """A repository is read by many, and its history keeps what was once committed."""
    text = f"We decided to deploy the project with the token {TOKEN} from now on."
    (cut,) = memory.remember(text)
    (whole,) = memory.remember(text + " Really.", about=graphmem.About(allow=["token"]))
    report = memory.files.sync(folder, write=True)
    assert report.written == ()
    assert report.withheld == (cut.id, whole.id)
    assert (folder / "decisions.yaml").read_text() == LOG


def test_secrets_in_files_are_cut(memory: graphmem.Memory, folder: Path) -> None:
    (folder / "decisions.yaml").write_text(f"- decision: CI uses a token\n  value: {TOKEN}\n")
    (folder / "techContext.md").write_text(f"# CI\n\nThe token is {TOKEN}.\n")
    memory.files.sync(folder)
    assert TOKEN not in str(list(memory)) + str(list(memory.graph.facts))
    assert {node.cut for node in memory} == {("token",)}
    with graphmem.open(worker="none", guard="refuse") as strict:
        with pytest.raises(SecretError, match=r"techContext\.md, line 3: .*token"):
            strict.files.sync(folder)
        (folder / "techContext.md").unlink()
        with pytest.raises(SecretError, match=r"decisions\.yaml, line 1: "):
            strict.files.sync(folder)
        assert len(strict) == 0


@pytest.mark.parametrize(
    ("written", "line", "message"),
    [
        ("decisions:\n  - decision: a\n - b\n", 3, "no YAML"),
        ("decisions:\n  - decision: [a\n", 3, "no YAML"),
        ("- a: 1\n  a: 2\n", 2, "twice"),
        ("- &x {text: a}\n- *x\n", 2, "alias"),
        ("- id: D1\n", 1, "without a text"),
        ("- text: a\n- ''\n", 2, "without a text"),
        ("- ? [a, b]\n  : c\n", 1, "name of a field is a text"),
        ("just a text\n", 1, "list of decisions"),
        ("- a\x07b\n", 1, "character"),
        ("- " + "[" * 100_000, 1, "nested"),
    ],
)
def test_malformed_yaml_is_refused_by_name(
    memory: graphmem.Memory, folder: Path, written: str, line: int, message: str
) -> None:
    """Half a file in an editor must not archive the other half, here or in the file."""
    memory.remember(REDIS)
    memory.files.sync(folder)
    before = sequence(memory)
    (folder / "decisions.yaml").write_text(written)
    (folder / "techContext.md").write_text("# New\n\nAll is new.\n")
    with pytest.raises(MalformedError, match=rf"decisions\.yaml, line {line}.*{message}"):
        memory.files.sync(folder, write=True)
    assert sequence(memory) == before
    assert (folder / "decisions.yaml").read_text() == written


def test_settings_of_the_file_are_no_decisions(memory: graphmem.Memory, folder: Path) -> None:
    (folder / "decisions.yaml").write_text("decisions:\n  style: short\n  owner: Wen\n")
    memory.files.sync(folder)
    assert not list(memory.nodes(where=graphmem.Where(metadata={"file": "decisions.yaml"})))


@pytest.mark.parametrize(("keep", "kept"), [("yes", 1), (" TRUE ", 1), ("no", 0), ("[yes]", 0)])
def test_a_record_is_kept_that_says_so(
    memory: graphmem.Memory, folder: Path, keep: str, kept: int
) -> None:
    (folder / "techContext.md").unlink()
    (folder / "decisions.yaml").write_text(f"- text: We use Postgres.\n  keep: {keep}\n")
    memory.files.sync(folder)
    assert len(memory) == 1
    assert len(list(memory.nodes(pinned=True))) == kept


def test_what_is_no_text_is_refused(memory: graphmem.Memory, folder: Path) -> None:
    (folder / "progress.md").write_bytes(b"a\nb\xff\n")
    with pytest.raises(InvalidTextError, match=r"progress\.md, line 2: no UTF-8"):
        memory.files.sync(folder)
    (folder / "progress.md").write_bytes(b"a\nb\nc\0\n")
    with pytest.raises(InvalidTextError, match=r"progress\.md, line 3: a NUL"):
        memory.files.sync(folder)
    (folder / "progress.md").write_bytes(b"a" * ((4 << 20) + 1))
    with pytest.raises(InvalidTextError, match=r"progress\.md has over 4,194,304 bytes; split it"):
        memory.files.sync(folder)
    assert len(memory) == 0


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object], times: int = 1) -> None:
    """Have somebody do something while a file is written."""
    left = [times]

    def sync(at: int, real: Callable[[int], None] = os.fsync) -> None:
        real(at)
        if left[0]:
            left[0] -= 1
            act()

    monkeypatch.setattr(project.os, "fsync", sync)


def test_a_line_that_changed_meanwhile_is_not_written_over(
    memory: graphmem.Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.remember(REDIS)
    path = folder / "decisions.yaml"
    edited = LOG.replace("PostgreSQL 16", "PostgreSQL 17")
    meanwhile(monkeypatch, lambda: path.write_text(edited))
    memory.files.sync(folder, write=True)
    assert "PostgreSQL 17" in path.read_text()
    assert path.read_text().count(REDIS) == 1
    assert any("PostgreSQL 17" in text for text in said(memory))
    memory.remember(RABBIT)
    meanwhile(monkeypatch, lambda: path.write_text(path.read_text() + "#\n"), times=99)
    with pytest.raises(UnreadableFileError, match="changed by another program"):
        memory.files.sync(folder, write=True)
    assert RABBIT not in path.read_text()
    assert sorted(os.listdir(folder)) == ["decisions.yaml", "techContext.md"]


def test_a_file_that_comes_meanwhile_is_not_written_over(
    memory: graphmem.Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "decisions.yaml"
    path.unlink()
    memory.remember(REDIS)
    meanwhile(monkeypatch, lambda: path.write_text("- 我们用 tabs\n"))
    memory.files.sync(folder, write=True)
    assert path.read_text().startswith("- 我们用 tabs\n- date: 2026-05-03\n  decision: We")
    path.unlink()
    with graphmem.open(worker="none") as fresh:
        fresh.remember(RABBIT)
        fresh.files.sync(folder, write=True)
        assert path.read_text().startswith("decisions:\n  - id: D001\n    date: ")
        assert not fresh.files.sync(folder, write=True).changed


def test_a_sync_that_was_cut_short_is_finished_by_the_next(
    memory: graphmem.Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the file and the note of it, a record would be remembered a second time."""
    memory.remember(REDIS)
    real = project.replace_inside

    def killed(*given: str) -> None:
        real(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(project, "replace_inside", killed)
    with pytest.raises(KeyboardInterrupt):
        memory.files.sync(folder, write=True)
    monkeypatch.undo()
    (folder / ".decisions.yaml.graphmem").write_text("left over")
    written = (folder / "decisions.yaml").read_bytes()
    memory.files.sync(folder, write=True)
    assert said(memory).count(REDIS) == 1
    assert (folder / "decisions.yaml").read_bytes() == written
    memory.remember(RABBIT)
    memory.files.sync(folder, write=True)
    assert sorted(os.listdir(folder)) == ["decisions.yaml", "techContext.md"]
    assert memory.admin.check() == []


def test_links_do_not_lead_out_of_the_folder(
    memory: graphmem.Memory, folder: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "elsewhere.md"
    secret.write_text("# Elsewhere\n\nNot of this project.\n")
    (folder / "progress.md").symlink_to(secret)
    with pytest.raises(UnreadableFileError, match="leads out of the folder"):
        memory.files.sync(folder)
    (folder / "progress.md").unlink()
    (folder / "log").mkdir()
    (folder / "decisions.yaml").rename(folder / "log" / "all.yaml")
    (folder / "decisions.yaml").symlink_to("log/all.yaml")
    memory.remember(REDIS)
    assert memory.files.sync(folder, write=True).written
    assert (folder / "decisions.yaml").is_symlink()
    assert REDIS in (folder / "log" / "all.yaml").read_text()
    assert not memory.files.sync(folder, write=True).changed


def test_folders_that_cannot_be_followed(memory: graphmem.Memory, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match="does not exist"):
        memory.files.sync(tmp_path / "none")
    with pytest.raises(InvalidArgumentError, match="has none of the files"):
        memory.files.sync(tmp_path)
    with pytest.raises(InvalidArgumentError, match="keep names"):
        memory.files.sync(tmp_path, keep=["notes.md"])
    with pytest.raises(ArgumentTypeError, match="list of names"):
        memory.files.sync(tmp_path, keep="progress.md")
    os.mkfifo(tmp_path / "progress.md")
    with pytest.raises(UnreadableFileError, match="no regular file"):
        memory.files.sync(tmp_path)


def test_core_configuration_is_kept(memory: graphmem.Memory, folder: Path) -> None:
    (folder / "decisions.yaml").write_text("- {text: 甲, keep: true}\n- 乙\n")
    (folder / "progress.md").write_text("<!-- keep -->\n# Now\n\nThe release is frozen.\n")
    (folder / "productContext.md").write_text("It is ours.\n<!-- keep -->\n# Users\n\nWen.\n")
    memory.files.sync(folder, keep=["techContext.md"])
    assert {n.text for n in memory if not n.pinned} == {"乙", "# Users\n\nWen."}
    memory.files.sync(folder)
    assert {n.text[:6] for n in memory if not n.pinned} == {"乙", "# Tech", "## 部署\n", "# User"}
    assert memory.admin.stats()["nodes"] == 8


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "decisions:\n  - id: D001\n    date: 2026-05-03\n    decision: NEW\n"),
        ("# log\n", "# log\ndecisions:\n  - id: D001\n    date: 2026-05-03\n    decision: NEW\n"),
        ("decisions: []  # none yet\n", "decisions:  # none yet\n  - id: D001\n    date: 2026-05-03\n    decision: NEW\n"),
        ("decisions:\nowner: Wen\n", "decisions:\n  - id: D001\n    date: 2026-05-03\n    decision: NEW\nowner: Wen\n"),
        ("- a\n- b", "- a\n- b\n- date: 2026-05-03\n  decision: NEW\n"),
        ("- {text: a}\r\n# end\r\n", "- {text: a}\r\n- date: 2026-05-03\r\n  text: NEW\r\n# end\r\n"),
        ("\ufeff决策:\n- 编号: 7\n  决定: 甲\n", "\ufeff决策:\n- 编号: 7\n  决定: 甲\n- 编号: 8\n  日期: 2026-05-03\n  决定: NEW\n"),
        ("- text: |\n    a\n\n    b\n\n\n# end\n", "- text: |\n    a\n\n    b\n- date: 2026-05-03\n  text: NEW\n\n\n# end\n"),
        ("- text: a\n  why:\n  # why not\n", "- text: a\n  why:\n  # why not\n- date: 2026-05-03\n  text: NEW\n"),
    ],
)  # fmt: skip
def test_every_other_byte_stays(
    memory: graphmem.Memory, tmp_path: Path, before: str, after: str
) -> None:
    path = tmp_path / "decisions.yaml"
    path.write_bytes(before.encode())
    path.chmod(0o640)
    memory.remember(REDIS)
    memory.files.sync(tmp_path, write=True)
    assert path.read_bytes().decode() == after.replace("NEW", REDIS)
    assert path.stat().st_mode & 0o777 == 0o640
    assert not memory.files.sync(tmp_path, write=True).changed


@pytest.mark.parametrize(
    "written", ["[a, b]\n", "decisions: [a]\n", "decisions: {D1: {text: a}}\n"]
)
def test_a_layout_that_cannot_be_kept_is_refused(
    memory: graphmem.Memory, tmp_path: Path, written: str
) -> None:
    (tmp_path / "decisions.yaml").write_text(written)
    memory.remember(REDIS)
    with pytest.raises(MalformedError, match="no record can be added"):
        memory.files.sync(tmp_path, write=True)
    assert (tmp_path / "decisions.yaml").read_text() == written
    assert "a" in said(memory)


@pytest.mark.parametrize(
    "text",
    ["plain", "a: b", "- a", "#a", "a #b", "'", '"', "yes", "12", "2026-05-03", "null", "~", " a",
     "a\nb", "a\u2028b", "\x85", "\x7f", "\ufeff", "😀", "{a", "[", "@a", "`", "%", "!x", "&x", "*x",
     "a\\nb", "a:", "？", "key: [", "|", ">", "---", "..."],
)  # fmt: skip
def test_any_text_reads_back(text: str) -> None:
    shown = decisions.plain("x" + text)
    assert len(shown.splitlines()) == 1, "lines of its own would be those of another indentation"
    (record,) = decisions.read("f", f"- decision: {shown}\n").records
    assert record.text == ("x" + text).strip()


def git(folder: Path, *given: str) -> str:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    for who in ("AUTHOR", "COMMITTER"):
        env |= {f"GIT_{who}_NAME": "Wen", f"GIT_{who}_EMAIL": "wen@example.org"}
    done = subprocess.run(["git", *given], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_project_under_git(memory: graphmem.Memory, folder: Path) -> None:
    """Edited by hand and by the agent, synced five times: nothing is lost, and no commit holds a
    line that nobody changed."""
    path = folder / "decisions.yaml"

    def committed() -> list[str]:
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "--allow-empty", "-m", "step")
        lines = git(folder, "show", "--format=", "-U0").splitlines()
        return [x for x in lines if x[0] in "+-" and x[:3] not in ("+++", "---")]

    git(folder, "init", "-q")
    committed()
    memory.files.sync(folder, write=True)  # 1: as it is
    assert committed() == []
    memory.remember(REDIS)
    memory.remember(RABBIT)
    memory.files.sync(folder, write=True)  # 2: the agent decides
    two = committed()
    assert [x[:1] for x in two] == ["+"] * 6
    path.write_text(path.read_text().replace("Redis", "Valkey") + "# by hand\n")
    (folder / "progress.md").write_text("# Progress\n\n- [x] 消息队列上线\n- [ ] release 2.0\n")
    memory.remember("We agreed that the project ships every Tuesday.")
    memory.files.sync(folder, write=True)  # 3: both
    three = committed()
    assert [x for x in three if x[0] == "-"] == [f"-    decision: {REDIS}"]
    assert "+# by hand" in three
    assert f"+    decision: {REDIS.replace('Redis', 'Valkey')}" in three
    memory.files.sync(folder, write=True)  # 4: nothing
    assert committed() == []
    git(folder, "revert", "--no-edit", "HEAD~1")
    memory.files.sync(folder, write=True)  # 5: taken back, here as well
    assert committed() == git(folder, "show", "--format=", "-U0", "HEAD").splitlines() == []
    texts = said(memory)
    assert REDIS in texts
    assert RABBIT in texts
    assert "We agreed that the project ships every Tuesday." not in texts
    archived = [memory.history.of(each.id)[-1].node.text for each in memory.history.forgotten(100)]
    assert REDIS in archived
    assert "We agreed that the project ships every Tuesday." in archived
    assert any("release 2.0" in text for text in archived)
    assert memory.admin.check() == []


def test_another_process_and_the_command(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from graphmem.interfaces.cli.commands import main

    home = str(tmp_path / "m")
    with graphmem.open(home, worker="none") as memory:
        memory.remember(REDIS)
        with graphmem.attach(home) as client:
            report = client.files.sync(os.path.relpath(folder), write=True, keep=["techContext.md"])
            assert report.written == (1,)
            assert report.path == str(folder)
            assert not client.files.sync(folder, keep=["techContext.md"]).changed
    assert main(["files", "sync", str(folder), "--path", home, "--scope", "pump"]) == 0
    monkeypatch.setenv("GRAPHMEM_PROJECT_SCOPE", "valve")
    assert main(["files", "sync", str(folder), "--path", home]) == 0
    assert main(["files", "sync", str(folder), "--path", home, "--scope", "tank"]) == 0
    for scope in ("pump", "valve", "tank"):
        with graphmem.open(home, scope=scope, worker="none") as synced:
            assert len(synced) == 5
