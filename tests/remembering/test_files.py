"""Files: read once, again only where they changed, and refused by name."""

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import graphmem
from graphmem.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    InvalidTextError,
    UnreadableFileError,
)
from graphmem.graph.relations import SEGMENT
from graphmem.remembering import files


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none") as opened:
        yield opened


def section(number: int) -> str:
    random = Random(number)
    said = " ".join(
        f"In room{number} the {random.choice(('red', 'green', 'blue'))} machine makes "
        f"part{random.randrange(10**6)} at night."
        for _ in range(15)
    )
    return f"## Hall {number}\n\n{said}\n\n"


def written(path: Path, *sections: int) -> Path:
    path.write_text("# Plant\n\n" + "".join(map(section, sections)))
    return path


def said(memory: graphmem.Memory) -> set[str]:
    return {node.text for node in memory}


def test_a_file_becomes_a_chain_of_chunks(memory: graphmem.Memory, tmp_path: Path) -> None:
    """Chunks of which none knows the next one cannot be read on."""
    path = written(tmp_path / "plant.md", *range(8))
    report = memory.files.add(path)
    nodes = list(memory)
    assert report == graphmem.FileReport(str(path), len(nodes), 0, 0)
    assert report.changed
    assert len(nodes) > 4
    assert {node.session for node in nodes} == {str(path)}
    for node in nodes[1:]:
        assert node.id - 1 in [k.target for k in memory.graph.links(node) if k.relation == SEGMENT]
    assert "room5" in memory.recall("What is made in room5?")[0].text
    assert memory.files.list() == [str(path)]
    assert memory.admin.check() == []


def test_an_unchanged_file_is_not_read_again(
    tmp_path: Path, memory: graphmem.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of ten thousand notes would be read at every start."""
    path = written(tmp_path / "plant.md", *range(8))
    os.utime(path, (1e9, 1e9))
    first = memory.files.add(path, session="notes")
    monkeypatch.setattr(files, "_Reader", None)
    again = memory.files.add(str(path))
    assert (again.added, again.kept, again.forgotten) == (0, first.added, 0)
    assert not again.changed
    assert {node.session for node in memory} == {"notes"}


def test_a_new_date_alone_changes_nothing(memory: graphmem.Memory, tmp_path: Path) -> None:
    path = written(tmp_path / "plant.md", *range(4))
    memory.files.add(path)
    before = [(node.id, node.version) for node in memory]
    os.utime(path, (1e9, 1e9))
    assert not memory.files.add(path).changed
    assert [(node.id, node.version) for node in memory] == before


@pytest.mark.parametrize(("age", "is_seen"), [(0, True), (1.9, True), (2.1, False)])
def test_a_write_within_the_same_moment_is_seen(
    memory: graphmem.Memory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    age: float,
    is_seen: bool,
) -> None:
    """Its size and its time may be those of what was read a moment ago; after two seconds
    they are trusted. age: seconds from the first write to its reading."""
    path = tmp_path / "note.txt"
    path.write_text("We own 1234 books.")
    status = path.stat()
    monkeypatch.setattr(time, "time_ns", lambda: status.st_mtime_ns + round(age * 1e9))
    memory.files.add(path)
    path.write_text("We own 9876 books.")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert bool(memory.files.add(path).changed) is is_seen
    assert said(memory) == {"We own 9876 books." if is_seen else "We own 1234 books."}


def test_only_what_changed_is_replaced(memory: graphmem.Memory, tmp_path: Path) -> None:
    """Whoever edits a line would lose all that was learnt about the rest of the file."""
    path = written(tmp_path / "plant.md", *range(20))
    count = memory.files.add(path).added
    kept = {node.text: node.id for node in memory}
    path.write_text(path.read_text().replace("In room7 the", "In room7 a", 1))
    report = memory.files.add(path)
    assert 1 <= report.added <= 2
    assert report.forgotten <= 2
    assert report.kept == count - report.forgotten
    for node in memory:
        assert kept.get(node.text, node.id) == node.id
    added = {node.id for node in memory} - {*kept.values()}
    chained = {
        (node.id, link.target)
        for node in memory
        for link in memory.graph.links(node)
        if link.relation == SEGMENT and link.target in memory
    }
    ends = {(a, b) for a, b in chained if a in added and b not in added}
    assert len(ends) == 2, "with what stands before it, and behind"
    assert {(b, a) for a, b in chained} == chained
    assert {lost.why for lost in memory.history.forgotten()} == {"corrected"}
    assert "room7" in memory.history.revive(memory.history.forgotten()[-1].id).text
    assert memory.admin.check() == []


def test_any_edit_leaves_what_a_first_reading_would(
    memory: graphmem.Memory, tmp_path: Path
) -> None:
    """Chunks of an earlier version would go on answering."""
    random = Random(11)
    path = tmp_path / "plant.md"
    for _ in range(12):
        written(path, *(random.randrange(12) for _ in range(random.randint(1, 14))))
        memory.files.add(path)
        with graphmem.open(worker="none") as fresh:
            fresh.files.add(path)
            assert said(memory) == said(fresh)
    assert memory.admin.check() == []


def test_what_has_faded_is_not_brought_back(memory: graphmem.Memory, tmp_path: Path) -> None:
    """An edit at the end of a file would undo the forgetting of its beginning."""
    path = written(tmp_path / "plant.md", *range(8))
    memory.files.add(path)
    lost = next(iter(memory))
    memory.forget(lost)
    path.write_text(path.read_text() + section(9))
    memory.files.add(path)
    assert lost.text not in said(memory)
    assert any("room9" in text for text in said(memory))


def test_a_file_that_is_empty_by_now_is_forgotten(memory: graphmem.Memory, tmp_path: Path) -> None:
    path = written(tmp_path / "plant.md", 1, 2)
    added = memory.files.add(path).added
    path.write_text("\n")
    assert memory.files.add(path).forgotten == added
    assert len(memory) == 0
    # It was still listed, and its emptiness known.
    assert memory.files.list() == []
    assert len(memory.graph.facts) == 0
    with pytest.raises(InvalidTextError, match="is empty or blank"):
        memory.files.add(path)
    assert memory.files.add(written(path, 1, 2)).added == added


def test_a_file_is_forgotten_by_name(memory: graphmem.Memory, tmp_path: Path) -> None:
    path = written(tmp_path / "plant.md", 1, 2)
    other = written(tmp_path / "other 文件.md", 1, 2)  # the same text, and yet another file
    count = memory.files.add(path).added
    memory.files.add(other)
    assert len(memory) == 2 * count
    path.unlink()
    assert memory.files.remove(path).forgotten == count
    assert {node.session for node in memory} == {str(other)}
    assert memory.files.list() == [str(other)]
    with pytest.raises(InvalidArgumentError, match=r"nothing is remembered of a file .*plant"):
        memory.files.remove(path)
    assert memory.admin.check() == []


def test_a_crash_in_the_middle_is_mended_by_reading_again(
    memory: graphmem.Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chunks without their facts would stay for ever, beside those of the next reading."""
    path = written(tmp_path / "plant.md", *range(60))
    monkeypatch.setattr(files, "_AT_ONCE", 8)

    def fail(done: int, size: int) -> None:
        if done > size / 2:
            raise KeyboardInterrupt

    with graphmem.open(worker="none") as small:
        with pytest.raises(KeyboardInterrupt):
            small.files.add(path, progress=fail)
        half = len(small)
        report = small.files.add(path)
        assert (report.added + report.kept, report.kept) == (len(small), half)
        assert small.admin.check() == []
        memory.files.add(path)
        assert said(small) == said(memory)


def test_a_memory_of_few_slots_keeps_what_fits(tmp_path: Path) -> None:
    """A file of more chunks than slots would be refused, or push the bound aside."""
    path = written(tmp_path / "plant.md", *range(40))
    with graphmem.open(worker="none", max_nodes=8) as memory:
        report = memory.files.add(path)
        assert report.added > 8
        assert len(memory) <= 8
        assert not memory.files.add(path).changed
        assert memory.admin.check() == []


def test_the_overlap_is_told_once(memory: graphmem.Memory, tmp_path: Path) -> None:
    """A reader with a budget would pay twice for the same sentences."""
    path = tmp_path / "long.txt"
    path.write_text(" ".join(f"Sentence number{n} is about the harbour." for n in range(200)))
    memory.files.add(path)
    nodes = list(memory)
    assert nodes[1].sentences[0].strip() in nodes[0].text  # they do overlap
    found = memory.recall("harbour", limit=100)
    assert len(found) == len(nodes)
    for n in range(200):
        assert found.text.count(f"number{n} ") == 1
    few = memory.recall("harbour", limit=100, tokens=900)
    assert few.text
    # The phrase of a chunk may stand once more in the chunk before it, which grew to fill the budget.
    assert sum(few.text.count(f"number{n} ") > 1 for n in range(200)) <= 1


def test_the_same_path_by_another_name(memory: graphmem.Memory, tmp_path: Path) -> None:
    """A link to a file would remember it twice."""
    path = written(tmp_path / "plant.md", 1)
    (tmp_path / "link.md").symlink_to(path)
    first = memory.files.add(tmp_path / "link.md")
    assert first.path == str(path)
    assert not memory.files.add(path).changed


@pytest.mark.slow
def test_a_large_file_is_read_in_bounded_memory(
    memory: graphmem.Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file larger than the machine's memory would end the agent."""
    path = written(tmp_path / "plant.md", *range(300))
    longest = 0
    inner = files.chunks

    def measured(lines: Any, count: Any) -> Iterator[str]:
        nonlocal longest
        read = handed = 0

        def counted() -> Iterator[str]:
            nonlocal read
            for line in lines:
                read += len(line)
                yield line

        for chunk in inner(counted(), count):
            handed += len(chunk)
            longest = max(longest, read - handed)
            yield chunk

    monkeypatch.setattr(files, "chunks", measured)
    seen: list[tuple[int, int]] = []
    memory.files.add(path, progress=lambda done, size: seen.append((done, size)))
    assert path.stat().st_size > 200_000
    assert longest < 150_000
    assert seen[-1] == (path.stat().st_size,) * 2


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty or blank"),
        (b" \n\t\n", "is empty or blank"),
        ("Grüße aus Köln".encode("latin-1"), r"is not UTF-8 text \(near byte 2\).*iconv"),
        (b"\xff\xfeH\x00e\x00", "is not UTF-8"),
        (b"PK\x03\x04 text \x00 more", "has a NUL near byte 10; it is a binary file"),
        (b"fine so far. " * 10_000 + b"\xe4\xb8", "is not UTF-8"),
    ],
)
def test_a_file_that_holds_no_text_is_refused_whole(
    memory: graphmem.Memory, tmp_path: Path, content: bytes, says: str
) -> None:
    """Half a binary file in a memory is found by every other question."""
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    with pytest.raises(InvalidTextError, match=f"{path} {says}"):
        memory.files.add(path)
    assert len(memory) == len(memory.graph.facts) == 0
    assert memory.files.list() == []


def test_a_path_that_is_no_file_is_named(
    memory: graphmem.Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loose").symlink_to(tmp_path / "gone.md")
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    for name, wrong in (
        ("none.md", "No such file"),
        ("", "is a folder; `graphmem files watch` follows"),
        ("pipe", "is no regular file"),
        ("loose", "No such file"),
        ("a", "cannot be read: Too many levels"),
    ):
        with pytest.raises(UnreadableFileError, match=wrong):
            memory.files.add(tmp_path / name)
    for path, error in (
        (5, ArgumentTypeError),
        (b"x", ArgumentTypeError),
        ("", InvalidArgumentError),
        ("a\x00b", InvalidArgumentError),
        ("\udc80", InvalidTextError),
    ):
        with pytest.raises(error, match="path"):
            memory.files.add(path)  # type: ignore[arg-type]
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(tmp_path)  # a socket's path is short
        listening.bind("s")
        with pytest.raises(UnreadableFileError, match="no regular file"):
            memory.files.add("s")


def test_bytes_before_the_text_and_the_ends_of_lines_do_not_count(
    memory: graphmem.Memory, tmp_path: Path
) -> None:
    path = tmp_path / "windows.txt"
    path.write_bytes(b"\xef\xbb\xbfFirst line.\r\nSecond line.\r\n")
    memory.files.add(path)
    assert said(memory) == {"First line.\nSecond line."}
