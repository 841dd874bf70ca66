"""`graphmem shell`: the same prompt, whether another process has the memory open or nobody has."""

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

import graphmem

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "worker")]),
    "GRAPHMEM_WORKER": "none",
    "TERM": "dumb",
}


def piped(folder: Path, lines: str, *options: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "graphmem", "shell", str(folder), *options],
        input=lines, capture_output=True, text=True, timeout=50, env=ENVIRONMENT,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("Wen moved the release to May 10.")
    return tmp_path / "m"


def test_it_attaches_when_the_memory_is_in_use(folder: Path) -> None:
    with graphmem.open(folder, worker="none") as memory:
        ended = piped(
            folder,
            'print(memory)\nmemory.recall("release")[0].text\n'
            'for k in range(2):\n    memory.remember(f"Number {k}.")\n\nlen(memory)\n',
        )
        assert ended.stderr == ""
        assert ended.returncode == 0
        said = ended.stdout.splitlines()
        assert said[0].endswith(f"open in process {os.getpid()}>")
        assert said[1] == "'Wen moved the release to May 10.'"
        assert said[-1] == "3"
        assert len(memory) == 3


def test_it_opens_the_memory_otherwise(folder: Path) -> None:
    ended = piped(folder, 'print(memory)\nmemory.remember("Typed here.")\n')
    assert (ended.stderr, ended.returncode) == ("", 0)
    assert ended.stdout.startswith("<Memory 'default'")
    with graphmem.open(folder, worker="none") as memory:
        assert [node.text for node in memory][1:] == ["Typed here."]


def test_an_error_is_one_line_and_the_next_line_goes_on(folder: Path) -> None:
    ended = piped(folder, "memory[99]\n1 / 0\n)\nlen(memory)\n")
    assert ended.returncode == 1
    assert ended.stdout == "1\n"
    assert ended.stderr.startswith("UnknownNodeError: there is no node 99")
    assert "ZeroDivisionError" in ended.stderr
    assert "SyntaxError" in ended.stderr


def test_exit_is_obeyed(folder: Path) -> None:
    ended = piped(folder, "raise SystemExit(3)\nlen(memory)\n")
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, "", "")


def test_no_memory_there(tmp_path: Path) -> None:
    """A slip in the path must not leave an empty memory behind."""
    ended = piped(tmp_path / "none", "len(memory)\n")
    assert ended.returncode == 1
    assert "there is no memory in" in ended.stderr
    assert not (tmp_path / "none").exists()


def test_another_scope(folder: Path) -> None:
    with graphmem.open(folder, worker="none") as memory:
        ended = piped(folder, "memory.name\n", "--scope", "project")
        assert ended.stdout == "'project'\n"
        assert "project" in memory.scopes.names()


class Terminal:
    """A shell that somebody types into."""

    def __init__(self, code: str, folder: Path) -> None:
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.execve(
                sys.executable, [sys.executable, "-c", code, "shell", str(folder)], ENVIRONMENT
            )
        self._said = ""

    def until(self, word: str) -> str:
        end = time.monotonic() + 30
        while word not in self._said and time.monotonic() < end:
            if select.select([self._terminal], [], [], 0.1)[0]:
                self._said += os.read(self._terminal, 4096).decode(errors="replace")
        assert word in self._said, self._said
        before, _, self._said = self._said.partition(word)
        return before

    def type(self, keys: bytes) -> None:
        os.write(self._terminal, keys)

    def leave(self) -> None:
        self.type(b"\x04")
        assert os.waitpid(self.pid, 0)[1] == 0
        os.close(self._terminal)


_START = "from graphmem.interfaces.cli.commands import main; raise SystemExit(main())"
_PLAIN = f"import sys; sys.modules['IPython'] = None; {_START}"


def test_a_terminal_gets_greeting_prompt_completion_and_help(folder: Path) -> None:
    shell = Terminal(_PLAIN, folder)
    greeting = shell.until(">>> ")
    assert "it is open here" in greeting
    assert "Tab completes" in greeting
    shell.type(b"memory.graph.impor\t")
    shell.until("memory.graph.importance(")
    shell.type(b"1)\n")
    shell.until("0.0")
    shell.type(b"help(memory.sweep)\n")
    shell.until("Make one pass")
    shell.until(">>> ")
    shell.leave()


def test_ipython_prompts_where_it_is_installed(folder: Path) -> None:
    pytest.importorskip("IPython", reason="the prompt of IPython needs IPython")
    shell = Terminal(_START, folder)
    assert "it is open here" in shell.until("In [1]: ")
    shell.type(b"memory[1].text\n")
    shell.until("'Wen moved the release to May 10.'")
    shell.type(b"exit()\n")
    assert os.waitpid(shell.pid, 0)[1] == 0
