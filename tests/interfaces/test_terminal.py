"""What graphmem writes to a terminal, and what it keeps from it."""

import os
import pty
import sys
import time
from contextlib import suppress
from io import StringIO
from pathlib import Path

import pytest
from rich.text import Text

from graphmem.interfaces.pages import Page
from graphmem.interfaces.terminal import Progress, printable, show, styled


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_remembered_escape_code_does_not_steer_the_terminal() -> None:
    """A text that an agent took from a web page could else clear the screen, or hide what it says."""
    assert printable("a\x1b[2Jb\x9bc\x7f\x00") == "a␛[2Jb\ufffdc␡␀"
    assert printable("two\nlines\tof 中文") == "two\nlines\tof 中文"


def test_brackets_in_a_text_stay_brackets() -> None:
    out = StringIO()
    Page(80, file=out).print(styled("[bold]no markup[/bold] :smile: [focus 0.5]"))
    assert out.getvalue() == "[bold]no markup[/bold] :smile: [focus 0.5]\n"


def test_indented_lines_fold_within_the_width_and_end_without_blanks() -> None:
    out = StringIO()
    Page(20, file=out).print(styled("one two three four five 六七八九十一二三四五", columns=4))
    lines = out.getvalue().splitlines()
    assert len(lines) > 2
    assert all(line.startswith("    ") and line == line.rstrip() for line in lines)


def test_piped_pages_are_not_folded(capsys: pytest.CaptureFixture[str]) -> None:
    """A folded line cannot be grepped."""
    show(styled("word " * 100), "end")
    assert capsys.readouterr().out == ("word " * 100).rstrip() + "\nend\n"


@pytest.mark.parametrize("columns", [0, 3])
@pytest.mark.parametrize(
    "text", ["", "one", " two \n\n  lines\n", "\n", "中文，[bold]x", "a\u2028b", "a\tb"]
)
def test_piped_texts_are_what_rich_prints(
    text: str, columns: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """A command that prints texts only does not load rich."""
    show(styled(text, "bold", columns), styled("end"))
    plain = capsys.readouterr().out
    show(styled(text, "bold", columns), Text("end"))
    assert plain == capsys.readouterr().out


def test_progress_appears_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress("Counting", delay=0.0) as progress:
        deadline = time.monotonic() + 60
        while "50 %" not in terminal.getvalue() and time.monotonic() < deadline:
            progress.update(1, 2)
            time.sleep(0.01)
    assert "Counting" in terminal.getvalue()
    assert "50 %" in terminal.getvalue()


def test_progress_is_silent_for_what_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress("Counting", delay=60.0) as progress:
        progress.update(1, 2)
    assert terminal.getvalue() == ""


def test_progress_is_silent_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    with Progress("Counting", delay=0.0) as progress:
        time.sleep(0.05)
        progress.update(1, 2)
    assert pipe.getvalue() == ""


@pytest.mark.parametrize("option", ["--no-color", None])
def test_colours_can_be_left_out(tmp_path: Path, option: str | None) -> None:
    """A terminal that shows colours badly, or a log that records one, has a switch."""
    command = [sys.executable, "-m", "graphmem", "-p", str(tmp_path / "none"), "admin", "stats"]
    pid, terminal = pty.fork()
    if pid == 0:
        surroundings = {**os.environ, "TERM": "xterm-256color"}
        surroundings.pop("NO_COLOR", None)
        os.execve(sys.executable, [*command, *filter(None, [option])], surroundings)
    said = b""
    with suppress(OSError):  # a terminal whose program has ended
        while part := os.read(terminal, 4096):
            said += part
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
    assert b"MissingError" in said
    assert (b"\x1b[31m" in said) == (option is None)
