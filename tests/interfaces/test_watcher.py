"""Watching a folder: added, changed, renamed and deleted files, restarts, an agent that recalls."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

import graphmem
from graphmem.errors import MissingExtraError, UnreadableFileError
from graphmem.interfaces import watcher
from graphmem.remembering import files

watchfiles = pytest.importorskip("watchfiles")

_PATIENCE = 30  # seconds for one report


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(watcher, "_AT_REST", 50)
    (tmp_path / "notes").mkdir()
    return tmp_path / "notes"


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none") as opened:
        yield opened


Next = Callable[[], graphmem.FileReport]


@contextmanager
def watched(memory: graphmem.Memory, folder: Path) -> Iterator[Next]:
    """`watch` in a thread; yields what waits for the next report."""
    reports: Queue[Any] = Queue()
    stop = threading.Event()

    def follow() -> None:
        try:
            graphmem.watch(memory, folder, stop=stop, report=reports.put)
        except BaseException as error:
            reports.put(error)

    def report() -> graphmem.FileReport:
        told = reports.get(timeout=_PATIENCE)
        if isinstance(told, BaseException):
            raise told
        assert isinstance(told, graphmem.FileReport)
        return told

    thread = threading.Thread(target=follow)
    thread.start()
    try:
        yield report
    finally:
        stop.set()
        thread.join(_PATIENCE)
        assert not thread.is_alive()


def looked(memory: graphmem.Memory, folder: Path) -> list[graphmem.FileReport]:
    """What one look at a folder finds, without waiting for changes."""
    told: list[graphmem.FileReport] = []
    _follower(memory, folder, told).look()
    return told


def _follower(
    memory: graphmem.Memory, folder: Path, told: list[graphmem.FileReport]
) -> watcher._Follower:
    return watcher._Follower(memory, str(folder), told.append, threading.Event())


@pytest.mark.slow
def test_a_folder_is_followed_while_an_agent_recalls(memory: graphmem.Memory, notes: Path) -> None:
    """The whole use: an agent that answers from notes which somebody edits."""
    (notes / "plan.md").write_text("# Plan\n\nThe release is on May 3.\n")
    memory.remember("Wen asked me to keep an eye on the release.")
    done = threading.Event()
    failed: list[BaseException] = []

    def agent() -> None:
        try:
            while not done.is_set():
                found = memory.recall("When is the release?", use=False)
                assert found
        except BaseException as error:
            failed.append(error)

    asking = threading.Thread(target=agent)
    asking.start()
    try:
        with watched(memory, notes) as report:
            assert report().added == 1
            (notes / "plan.md").write_text("# Plan\n\nThe release is on May 10.\n")
            told = report()
            assert (told.added, told.forgotten) == (1, 1)
            assert "May 10" in memory.recall("When is the release?").text
            assert "May 3" not in memory.recall("When is the release?").text

            (notes / "sub").mkdir()
            (notes / "sub" / "茶.txt").write_text("茶叶在左边的柜子里。")
            assert report().path == str(notes / "sub" / "茶.txt")
            assert "柜子" in memory.recall("茶叶在哪里").text

            (notes / "plan.md").rename(notes / "schedule.md")
            assert {report(), report()} == {
                graphmem.FileReport(str(notes / "schedule.md"), 1, 0, 0),
                graphmem.FileReport(str(notes / "plan.md"), 0, 0, 1),
            }

            (notes / "sub").rename(notes / "other")
            assert {report(), report()} == {
                graphmem.FileReport(str(notes / "other" / "茶.txt"), 1, 0, 0),
                graphmem.FileReport(str(notes / "sub" / "茶.txt"), 0, 0, 1),
            }

            (notes / "schedule.md").unlink()
            assert report().forgotten == 1
            assert "May 10" not in memory.recall("When is the release?").text
    finally:
        done.set()
        asking.join()
    assert failed == []
    assert memory.files.list() == [str(notes / "other" / "茶.txt")]
    assert memory.admin.check() == []


def test_a_restart_reads_only_what_changed(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten thousand notes would be read again at every start."""
    for number in range(5):
        (notes / f"{number}.md").write_text(f"Note {number} is about the harbour.")
        os.utime(notes / f"{number}.md", (1e9, 1e9))
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert len(looked(memory, notes)) == 5
    (notes / "1.md").write_text("Note 1 is about the tower now.")
    (notes / "2.md").unlink()
    opened: list[str] = []
    inner = files._Reader

    def reader(real: str, progress: Any) -> files._Reader:
        opened.append(Path(real).name)
        return inner(real, progress)

    monkeypatch.setattr(files, "_Reader", reader)
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        changed, gone = looked(memory, notes)
        assert (Path(changed.path).name, changed.added, changed.forgotten) == ("1.md", 1, 1)
        assert (Path(gone.path).name, gone.forgotten) == ("2.md", 1)
        assert set(opened) == {"1.md"}
        assert len(memory) == 4


def test_only_text_that_is_meant_is_read(tmp_path: Path, notes: Path) -> None:
    """Passwords in hidden files, the memory's own, and loops of links are not notes."""
    for name in ("a.md", "B.TXT", ".hidden.md", "photo.jpg", "code.py"):
        (notes / name).write_text(f"This is {name}.")
    (notes / ".git").mkdir()
    (notes / ".git" / "c.md").write_text("Not a note.")
    (tmp_path / "out.md").write_text("Outside.")
    (notes / "link.md").symlink_to(tmp_path / "out.md")
    (notes / "loop").symlink_to(notes)
    with graphmem.open(notes / "own", worker="none") as memory:
        (notes / "own" / "log.txt").write_text("Not a note either.")
        assert [Path(told.path).name for told in looked(memory, notes)] == ["B.TXT", "a.md"]
        follower = _follower(memory, notes, [])
        assert not follower.concerns(str(notes / "own" / "store" / "000003.log"))
        assert not follower.concerns(str(notes / ".git" / "c.md"))
        assert follower.concerns(str(notes / "sub"))


def test_a_file_that_is_no_text_is_reported_and_left(memory: graphmem.Memory, notes: Path) -> None:
    """One bad file must not end the watch, nor take away what was known of it."""
    (notes / "a.md").write_text("Known.")
    (notes / "b.md").write_bytes(b"\xff\xfe\x00binary")
    told: list[graphmem.FileReport] = []
    follower = _follower(memory, notes, told)
    follower.look()
    assert [bool(report.refused) for report in told] == [False, True]
    assert "b.md is not UTF-8" in told[1].refused
    assert not told[1].changed
    follower.look()
    assert len(told) == 2  # tried again only once it changes
    (notes / "a.md").write_bytes(b"\x00\x00")
    follower.look()
    assert "has a NUL" in told[2].refused
    assert [node.text for node in memory] == ["Known."]


def test_a_file_that_may_not_be_looked_at_does_not_end_the_watch(
    memory: graphmem.Memory, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder that may be listed but not entered, files have names and nothing else; what is
    known of them was forgotten as if they were gone."""
    for name in ("a.md", "b.md"):
        (notes / name).write_text(f"This is {name}.")
    memory.files.add(notes / "a.md")
    look = os.lstat

    def lstat(path: str) -> os.stat_result:
        if str(path).endswith("a.md"):
            raise PermissionError(13, "Permission denied", str(path))
        return look(path)

    monkeypatch.setattr(os, "lstat", lstat)
    assert [Path(told.path).name for told in looked(memory, notes)] == ["b.md"]
    assert {node.text for node in memory} == {"This is a.md.", "This is b.md."}


def test_what_others_remembered_of_the_folder_stays(memory: graphmem.Memory, notes: Path) -> None:
    """A log that was remembered by hand is no note, and yet it is there."""
    (notes / "run.log").write_text("The build failed at noon.")
    memory.files.add(notes / "run.log")
    assert looked(memory, notes) == []
    assert len(memory) == 1
    (notes / "run.log").unlink()
    assert looked(memory, notes)[0].forgotten == 1


def test_a_folder_that_disappears_takes_nothing_with_it(
    memory: graphmem.Memory, notes: Path
) -> None:
    """A drive that is not mounted would erase all that is remembered of it."""
    (notes / "a.md").write_text("Known.")
    told: list[graphmem.FileReport] = []
    follower = _follower(memory, notes, told)
    follower.look()
    notes.rename(notes.with_name("elsewhere"))
    with pytest.raises(UnreadableFileError, match="notes is no folder; what is remembered of it"):
        follower.look()
    assert len(memory) == 1


def test_a_folder_that_disappears_while_it_is_looked_at_takes_nothing_with_it(
    memory: graphmem.Memory, notes: Path
) -> None:
    """What lay in its subfolders, and nobody had deleted, was forgotten with what was."""
    (notes / "sub").mkdir()
    for name in ("a.md", "b.md", "sub/kept.md"):
        (notes / name).write_text(f"Known of {name}.")
    told: list[graphmem.FileReport] = []

    def moved(report: graphmem.FileReport) -> None:
        told.append(report)
        if report.forgotten:
            notes.rename(notes.with_name("elsewhere"))

    follower = watcher._Follower(memory, str(notes), moved, threading.Event())
    follower.look()
    for name in ("a.md", "b.md"):
        (notes / name).unlink()
    with pytest.raises(UnreadableFileError, match="notes is no folder"):
        follower.look()
    assert [report.path for report in told if report.forgotten] == [str(notes / "a.md")]
    assert str(notes / "sub/kept.md") in memory.files.list()


def test_a_file_that_comes_back_as_it_was_is_read_again(
    memory: graphmem.Memory, notes: Path
) -> None:
    """Moved away and back it has its old size and time: it would stay forgotten."""
    file, away = notes / "plan.md", notes.with_name("plan.md")
    file.write_text("The release is on May 3.")
    told: list[graphmem.FileReport] = []
    follower = _follower(memory, notes, told)
    follower.look()
    for old, new in ((file, away), (away, file)):
        old.rename(new)
        follower.look()
    assert [(report.added, report.forgotten) for report in told] == [(1, 0), (0, 1), (1, 0)]
    assert "May 3" in memory.recall("When is the release?").text


def test_what_is_no_folder_and_a_missing_extra_are_named(
    memory: graphmem.Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UnreadableFileError, match="none is no folder"):
        graphmem.watch(memory, tmp_path / "none")
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with pytest.raises(MissingExtraError, match=r"\.\[watch\]"):
        graphmem.watch(memory, tmp_path)
