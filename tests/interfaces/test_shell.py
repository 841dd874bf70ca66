"""`graphmem shell`: the same prompt, whether another process has the memory open or nobody has."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

import graphmem
from graphmem.errors import GraphMemError

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "worker")]),
    "GRAPHMEM_WORKER": "none",
    "TERM": "dumb",
}


_ERROR = re.compile(r"\w+Error: ")


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
    assert "there is no store" in ended.stderr
    assert not (tmp_path / "none").exists()


def test_the_docs_show_what_the_shell_says(tmp_path: Path) -> None:
    """What a reader types beside the agent of docs/attach.md brings what stands there, but for the
    numbers."""
    page = (ROOT / "docs" / "attach.md").read_text("utf-8")
    (agent,) = re.findall(r"^<!-- no-run -->\n```python\n(.*?)^```$", page, re.M | re.S)
    (shown,) = re.findall(r"^```\n\$ graphmem shell agent-memory\n(.*?)^```$", page, re.M | re.S)
    lines = shown.splitlines()[3:]  # behind the greeting
    typed = [line[4:] for line in lines if line.startswith((">>>", "..."))]
    told = [line for line in lines if not line.startswith((">>>", "..."))]
    errors = [line for line in told if _ERROR.match(line)]
    living = subprocess.Popen(
        [sys.executable, "-c", agent.replace("0.5", "0.01")], cwd=tmp_path, env=ENVIRONMENT
    )
    try:
        end = time.monotonic() + 30
        while _tickets(tmp_path / "agent-memory") < 10 and time.monotonic() < end:
            time.sleep(0.05)
        ended = piped(tmp_path / "agent-memory", "\n".join(typed) + "\n")
    finally:
        living.kill()
        living.wait()
    assert _unnumbered(ended.stdout) == _unnumbered(
        "".join(f"{line}\n" for line in told if line not in errors)
    )
    assert ended.stderr.splitlines() == errors


def _tickets(folder: Path) -> int:
    try:
        with graphmem.attach(folder) as attached:
            return len(attached) - 3
    except GraphMemError:  # the agent has not begun yet
        return 0


def _unnumbered(text: str) -> str:
    return re.sub(r"\d+(\.\d+)?", "#", text)


def test_another_scope(folder: Path) -> None:
    with graphmem.open(folder, worker="none") as memory:
        ended = piped(folder, "memory.name\n", "--scope", "project")
        assert ended.stdout == "'project'\n"
        assert "project" in memory.scopes()


def test_a_terminal_gets_greeting_prompt_completion_and_help(folder: Path) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        command = [sys.executable, "-m", "graphmem", "shell", str(folder)]
        os.execve(sys.executable, command, ENVIRONMENT)
    said = ""

    def until(word: str) -> str:
        nonlocal said
        end = time.monotonic() + 30
        while word not in said and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                said += os.read(terminal, 4096).decode(errors="replace")
        assert word in said, said
        before, _, said = said.partition(word)
        return before

    greeting = until(">>> ")
    assert "it is open here" in greeting
    assert "Tab completes" in greeting
    os.write(terminal, b"memory.impor\t")
    until("memory.importance(")
    os.write(terminal, b"1)\n")
    until("0.0")
    os.write(terminal, b"help(memory.sweep)\n")
    until("Make one pass")
    until(">>> ")
    os.write(terminal, b"\x04")
    assert os.waitpid(pid, 0)[1] == 0
    os.close(terminal)
