"""The worker may die, hang or lie at any moment: whoever asked must be told, and the next one served."""

import gc
import os
import select
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from graphmem_worker.errors import (
    ProtocolError,
    TaskError,
    UnknownBackendError,
    WorkerAnswerError,
    WorkerClosedError,
    WorkerDiedError,
    WorkerError,
    WorkerForkedError,
    WorkerTimeoutError,
)
from graphmem_worker.process import client as module
from graphmem_worker.process.client import WorkerProcess

ROOT = str(Path(sys.modules["graphmem_worker"].__file__ or "").parents[1])
BUSY = {"text": "Wen left. Is it so? " * 10_000}


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    with WorkerProcess() as made:
        yield made


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hung workers are given up sooner, for the sake of whoever runs the tests."""
    monkeypatch.setattr(module, "_GRACE", 0.2)


def until(true: Callable[[], bool], seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def gone(pid: int) -> bool:
    """Whether the process has ended, a zombie counting as there."""
    return not Path(f"/proc/{pid}").exists()


def children() -> set[str]:
    """The children of this process."""
    return {pid for file in Path("/proc/self/task").glob("*/children")
            for pid in file.read_text().split()}  # fmt: skip


def ended(pid: int) -> bool:
    """Whether the process has ended, though nobody may have waited for it yet."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state in "ZX"


def run(
    script: str, *arguments: str, stdin: str | None = None, timeout: float = 30
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments],
        input=stdin if stdin is not None else script,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, "PYTHONPATH": ROOT},
        check=False,
    )


def test_nothing_is_started_before_it_is_needed(worker: WorkerProcess) -> None:
    """A user who never enriches must not pay for a process."""
    assert (worker.alive, worker.pid) == (False, None)
    assert worker.ask("ping", {})["pid"] == worker.pid
    assert worker.alive
    first = worker.pid
    worker.start()
    assert worker.pid == first


def test_answers(worker: WorkerProcess) -> None:
    """Each task comes back as the protocol says."""
    assert worker.ask("segment", {"text": "Wen left."}) == {"segments": [["Wen left."]]}
    assert len(worker.ask("score", {"sentences": ["a", "b"], "rarity": {}})["salience"]) == 2
    with pytest.raises(TaskError) as caught:
        worker.ask("embed", {"texts": ["a"], "kind": "query"})
    assert (caught.value.kind, caught.value.transient) == ("unsupported", False)
    with pytest.raises(ProtocolError):
        worker.ask("segment", {"texts": "a"})
    assert worker.ask("ping", {})["pid"] == worker.pid


def test_many_threads_get_their_own_answers(worker: WorkerProcess) -> None:
    """An answer that reaches the wrong caller writes one memory's phrase into another."""
    wrong: list[object] = []

    def ask(number: int) -> None:
        for turn in range(20):
            text = f"{number} and {turn}"
            if worker.ask("segment", {"text": text}) != {"segments": [[text]]}:
                wrong.append(text)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_killed_in_the_middle(worker: WorkerProcess) -> None:
    """The kernel kills the largest process first: no caller may wait for its answer."""
    worker.start()
    pid = worker.pid
    assert pid is not None
    told: list[WorkerError] = []

    def ask() -> None:
        try:
            worker.ask("segment", BUSY)
        except WorkerError as error:
            told.append(error)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    for thread in threads:
        thread.join(60)
    assert [type(error) for error in told] == [WorkerDiedError] * 3
    assert "SIGKILL" in str(told[0])
    assert len(set(map(id, told))) == 3
    assert until(lambda: gone(pid))
    assert worker.ask("ping", {})["pid"] != pid


@pytest.mark.usefixtures("impatient")
def test_hung(worker: WorkerProcess) -> None:
    """A stopped worker answers nothing and dies of nothing: only the deadline ends the wait."""
    worker.start()
    pid = worker.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(WorkerTimeoutError):
        worker.ask("ping", {}, deadline=0.1)
    assert gone(pid)
    assert worker.ask("ping", {})["pid"] != pid


@pytest.mark.usefixtures("impatient")
def test_hung_with_a_full_pipe(worker: WorkerProcess) -> None:
    """Writing to a stopped worker blocks as well, and the deadline must hold there too."""
    worker.start()
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGSTOP)
    told: list[WorkerError] = []

    def ask(deadline: float) -> None:
        try:
            worker.ask("segment", {"text": "a" * 1_000_000}, deadline=deadline)
        except WorkerError as error:
            told.append(error)

    threads = [threading.Thread(target=ask, args=(deadline,)) for deadline in (0.1, 50, 50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(type(error).__name__ for error in told) == [
        "WorkerDiedError",
        "WorkerDiedError",
        "WorkerTimeoutError",
    ]


def test_waiting_too_long_does_not_kill_a_busy_worker(worker: WorkerProcess) -> None:
    """One impatient caller must not cost another its long task."""
    worker.start()
    pid = worker.pid
    busy = threading.Thread(target=worker.ask, args=("segment", BUSY))
    busy.start()
    time.sleep(0.05)
    with pytest.raises(TaskError) as caught:
        worker.ask("ping", {}, deadline=0.05)
    assert (caught.value.kind, caught.value.transient) == ("deadline", True)
    busy.join()
    assert worker.pid == pid


FAKE = """
import os, sys, time
arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
read, write = int(arguments["--read"]), int(arguments["--write"])
sys.path[:0] = [{root!r}]
from multiprocessing.connection import Connection
from graphmem_worker.protocol import *
requests, answers = Connection(read, writable=False), Connection(write, readable=False)
def pong():
    answers.send_bytes(encode_response(Response(decode_request(requests.recv_bytes()).id, {{"backend": "x", "pid": 1}})))
pong()
request = decode_request(requests.recv_bytes())
{rest}
time.sleep(60)
"""


def fake(tmp_path: Path, rest: str) -> WorkerProcess:
    path = tmp_path / "fake.py"
    path.write_text(FAKE.format(root=ROOT, rest=rest))
    return WorkerProcess(command=[sys.executable, str(path)])


@pytest.mark.parametrize(
    "rest",
    [
        "answers.send_bytes(b'rubbish')",
        "answers.send_bytes(b'')",
        "os.write(write, b'\\x7f\\xff\\xff\\xff')",
        "os.write(write, b'\\x80\\x00\\x00\\x00')",
        "answers.send_bytes(encode_response(Response(12345, {})))",
        "answers.send_bytes(encode_response(Response(request.id, {'salience': 'high'})))",
        "answers.send_bytes(encode_response(Response(request.id, {'salience': [float('nan')]})))",
    ],
)
def test_rubbish(tmp_path: Path, rest: str) -> None:
    """An answer that is none must not be stored, and must not be waited out."""
    with fake(tmp_path, rest) as worker:
        worker.start()
        pid = worker.pid
        assert pid is not None
        with pytest.raises(WorkerAnswerError):
            worker.ask("score", {"sentences": ["a"], "rarity": {}})
        assert until(lambda: gone(pid))
        assert not worker.alive


def test_close_does_not_wait_for_a_start() -> None:
    """A large model is read for a minute, and nobody could end the program meanwhile."""
    worker = WorkerProcess(
        command=[sys.executable, "-c", "import time; time.sleep(600)"], start_timeout=500.0
    )
    raised: list[WorkerError] = []

    def start() -> None:
        try:
            worker.start()
        except WorkerError as error:
            raised.append(error)

    starting = threading.Thread(target=start)
    starting.start()
    assert until(lambda: worker.pid is not None)
    pid = worker.pid
    assert pid is not None
    worker.close(0.0)
    starting.join()
    assert [type(error) for error in raised] == [WorkerClosedError]
    assert until(lambda: gone(pid))
    with pytest.raises(WorkerClosedError):
        worker.start()


@pytest.mark.usefixtures("impatient")
def test_what_a_hung_worker_has_started_is_killed_with_it(tmp_path: Path) -> None:
    """A server that a backend runs would keep a model's memory for as long as the machine is on."""
    noted = tmp_path / "pid"
    rest = (
        "import subprocess\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        f"open({str(noted)!r}, 'w').write(str(child.pid))"
    )
    with fake(tmp_path, rest) as worker:
        worker.start()
        with pytest.raises(WorkerTimeoutError):
            worker.ask("score", {"sentences": ["a"], "rarity": {}}, deadline=2.0)
        child = int(noted.read_text())
        try:
            assert until(lambda: ended(child), 10)
        finally:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("rest", "error"),
    [
        ("os.write(write, b'\\x00\\x00\\x00\\x64half'); os._exit(3)", WorkerDiedError),
        ("os._exit(3)", WorkerDiedError),
        ("os.close(write)", WorkerDiedError),
        ("os.write(write, b'\\x00\\x00\\x00\\x64half')", WorkerTimeoutError),
        ("if os.fork(): os._exit(0)", WorkerTimeoutError),
        (
            "answers.send_bytes(encode_response(Response(request.id, Failure('odd', 'x', True))))",
            TaskError,
        ),
    ],
)
def test_half_answers(tmp_path: Path, rest: str, error: type[WorkerError]) -> None:
    """A worker may end between two bytes, or leave a child that holds its pipe open."""
    with fake(tmp_path, rest) as worker:
        worker.start()
        with pytest.raises(error):
            worker.ask(
                "score",
                {"sentences": ["a"], "rarity": {}},
                deadline=0.3 if error is WorkerTimeoutError else 20,
            )
        worker.close(timeout=0.0)


@pytest.mark.usefixtures("impatient")
def test_a_worker_that_cannot_start_is_told(tmp_path: Path) -> None:
    """A wrong path or a broken installation must not look like a slow worker."""
    before = children()
    for command in (["/nonexistent/python"], [sys.executable, "-c", "raise SystemExit(4)"]):
        with WorkerProcess(command=command) as worker, pytest.raises(WorkerDiedError):
            worker.ask("ping", {})
    with WorkerProcess(options={"x": 1}) as worker:
        with pytest.raises(TaskError) as caught:
            worker.start()
        assert caught.value.kind == "backend"
        assert not worker.alive
        assert children() == before  # it would wait for requests as long as its owner lives
    silent = WorkerProcess(
        command=[sys.executable, "-c", "import time; time.sleep(60)"], start_timeout=0.1
    )
    with silent, pytest.raises(WorkerTimeoutError):
        silent.start()


def test_wrong_arguments_are_told_at_once() -> None:
    """What can be known before a process is started must not cost one."""
    with pytest.raises(UnknownBackendError, match="extractive"):
        WorkerProcess(backend="nonsense")
    with pytest.raises(ValueError, match="JSON"):
        WorkerProcess(options={"x": object()})
    with pytest.raises(ValueError, match="start_timeout"):
        WorkerProcess(start_timeout=0)


def test_close(worker: WorkerProcess) -> None:
    """A closed worker leaves no process, and tells those who still wait."""
    worker.start()
    pid = worker.pid
    assert pid is not None
    told: list[BaseException] = []

    def ask() -> None:
        try:
            worker.ask("segment", BUSY)
        except WorkerClosedError as error:
            told.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(0.1)
    worker.close()
    worker.close()
    thread.join(60)
    assert told
    assert gone(pid)
    assert not worker.alive
    with pytest.raises(WorkerClosedError):
        worker.ask("ping", {})


def test_a_forgotten_worker_ends() -> None:
    """Not everyone closes what they open."""
    worker = WorkerProcess()
    pid = worker.ask("ping", {})["pid"]
    del worker
    gc.collect()
    assert until(lambda: gone(pid))


@pytest.mark.slow
def test_restarts_leak_nothing() -> None:
    """An agent runs for months: a descriptor, thread or zombie for each restart is an end in weeks."""
    with WorkerProcess() as worker:
        worker.start()
        before, threads = len(os.listdir("/proc/self/fd")), threading.active_count()
        pids = []
        for _ in range(10):
            assert worker.pid is not None
            pids.append(worker.pid)
            os.kill(worker.pid, signal.SIGKILL)
            assert until(lambda: not worker.alive)
            worker.start()
        assert until(
            lambda: (
                len(os.listdir("/proc/self/fd")) == before and threading.active_count() == threads
            )
        )
        assert all(map(gone, pids))
    assert until(lambda: threading.active_count() == threads - 2)


SCRIPT = """
from graphmem_worker.process.client import WorkerProcess
worker = WorkerProcess()
print(worker.ask("segment", {"text": "Wen left."}))
"""


@pytest.mark.parametrize("way", ["file", "stdin", "interactive", "thread"])
def test_it_works_from_any_script(way: str, tmp_path: Path) -> None:
    """`multiprocessing` imports the user's script again: without a main guard, or from stdin, that died."""
    script = SCRIPT
    if way == "thread":
        script = f"import threading\ndef main():{textwrap.indent(SCRIPT, '    ')}\nt = threading.Thread(target=main); t.start(); t.join()\n"
    if way in ("file", "thread"):
        path = tmp_path / "script.py"
        path.write_text(script)
        # A file of the user's that is named like one of Python's must not be taken for it.
        (tmp_path / "heapq.py").write_text("raise SystemExit('wrong heapq')")
        sub = tmp_path / "sub"
        sub.mkdir()
        (sub / "script.py").write_text(script)
        done = subprocess.run(
            [sys.executable, str(sub / "script.py")],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": ROOT},
            check=False,
        )
    elif way == "stdin":
        done = run(script, "-")
    else:
        done = run(script, "-i", "-q")
    assert "{'segments': [['Wen left.']]}" in done.stdout
    if way != "interactive":
        assert done.stderr == ""


def test_a_forked_child_may_not_use_it(worker: WorkerProcess) -> None:
    """Two processes on one pipe read halves of each other's answers."""
    worker.start()
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        word = b"nothing"
        try:
            worker.ask("ping", {})
        except WorkerForkedError:
            worker.close()
            word = b"refused" if not worker.alive and worker.pid is None else b"alive"
        finally:
            os.write(write, word)
            os._exit(0)
    os.close(write)
    assert select.select([read], [], [], 20)[0]
    assert os.read(read, 10) == b"refused"
    os.close(read)
    os.waitpid(child, 0)
    assert worker.ask("ping", {})["pid"] == worker.pid


PARENT = """
import os, sys, time, signal
from graphmem_worker.process.client import WorkerProcess
worker = WorkerProcess()
worker.start()
if sys.argv[1] == "fork" and os.fork() == 0:
    print(os.getpid(), flush=True)
    time.sleep(60)
    os._exit(0)
if sys.argv[1] == "fork":
    time.sleep(0.3)
try:
    print(worker.pid, flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    print(worker.ask("ping", {})["pid"], flush=True)
"""


@pytest.mark.parametrize("way", ["kill", "fork"])
def test_the_worker_dies_with_its_parent(way: str) -> None:
    """Nobody would ever end it; a forked brother that still holds the pipe must not keep it alive."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, way],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": ROOT},
    )
    assert parent.stdout is not None
    brother = int(parent.stdout.readline()) if way == "fork" else None
    pid = int(parent.stdout.readline())
    assert not gone(pid)
    parent.kill()
    parent.wait()
    try:
        # Whoever adopts it may be slow to bury it.
        assert until(lambda: gone(pid) or "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text())
    finally:
        parent.stdout.close()
        if brother is not None:
            with suppress(ProcessLookupError):  # it may have gone with its parent
                os.kill(brother, signal.SIGKILL)


def test_ctrl_c_leaves_the_worker_to_its_parent() -> None:
    """Ctrl-C goes to the whole terminal group; the parent may still have to finish its work."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, "interrupt"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": ROOT},
        start_new_session=True,
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    os.killpg(parent.pid, signal.SIGINT)
    assert int(parent.stdout.readline()) == pid
    assert parent.wait(60) == 0
    parent.stdout.close()
    assert until(lambda: gone(pid))


def test_what_goes_wrong_is_in_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker without a voice and without a log cannot be mended."""
    log = tmp_path / "worker.log"
    monkeypatch.setenv("GRAPHMEM_WORKER_LOG", str(log))
    with WorkerProcess(options={"x": 1}) as worker, pytest.raises(TaskError):
        worker.start()
    assert "ValueError" in log.read_text()
