"""Ctrl-C at any moment: nobody waits for ever, and what was written is whole."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

import pytest

import graphmem
from graphmem.api.opening import rooms

# Raised in a generator that is just being freed, Python reports an interrupt and drops it.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

MOST = int(os.environ.get("GRAPHMEM_INTERRUPTS", "5000"))


class Interrupter:
    """Sends SIGINT to this thread again and again while it is armed."""

    def __init__(self) -> None:
        self.armed = False
        self.sent = 0
        self._stopping = False
        self._main = threading.get_ident()
        self._random = Random(1)
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self._stopping:
            time.sleep(self._random.expovariate(1000))
            if self.armed:
                signal.pthread_kill(self._main, signal.SIGINT)

    def _raise(self, *_: object) -> None:
        if self.armed:
            self.armed = False  # one at a time: a second Ctrl-C may cut short what the first began
            self.sent += 1
            raise KeyboardInterrupt

    @contextmanager
    def ready(self) -> Iterator[None]:
        old = signal.signal(signal.SIGINT, self._raise)
        self._thread.start()
        try:
            yield
        finally:
            self._stopping = True
            self._thread.join()
            signal.signal(signal.SIGINT, old)


def interrupt_often(folder: Path, times: int) -> None:
    memory = graphmem.open(folder, worker="none", attachable=False)
    (anchor,) = memory.remember("What the others are linked to.", pin=True)
    texts: list[str] = []
    kept: list[BaseException] = []  # with its traceback, as an interactive interpreter keeps it
    asked, answered = threading.Semaphore(0), threading.Semaphore(0)
    writing = True

    def write() -> None:
        while asked.acquire() and writing:
            memory.remember("Somebody else writes as well.")
            memory.graph.facts.put("ex:other", "ex:wrote", 1)
            answered.release()

    other = threading.Thread(target=write, daemon=True)
    other.start()
    interrupter = Interrupter()
    with interrupter.ready():
        while interrupter.sent < times:
            try:
                interrupter.armed = True
                while interrupter.armed:  # one that Python dropped is not raised
                    text = f"Note {len(texts)} by Ada of {time.monotonic()}."
                    (node,) = memory.remember(text)
                    texts.append(text)
                    memory.graph.relate(node, "about", anchor)
                    memory.pin(node)
                    memory.unpin(node)
                    memory.graph.facts.put("ex:s", "ex:p", len(texts) % 50)
                    memory.forget(node) if len(texts) % 3 else memory.used(node)
                    with memory.transaction():
                        pair = memory.remember(f"Pair {len(texts)}.", pin=True)[0]
                        memory.items.put("pairs", f"{len(texts)}", pair.id)
            except KeyboardInterrupt as error:
                kept[:] = [error]
            finally:
                interrupter.armed = False
            asked.release()
            assert answered.acquire(timeout=60), "the writer's lock is held, and nobody holds it"
    assert memory.admin.check() == []
    pairs = {node.id for node in memory.nodes() if node.text.startswith("Pair ")}
    assert pairs == {item.value for item in memory.items.search("pairs", limit=None)}
    writing = False
    asked.release()
    other.join(60)
    closing = threading.Thread(target=memory.close)
    closing.start()
    closing.join(60)
    assert not closing.is_alive()
    with graphmem.open(folder, worker="none") as again:
        assert again.admin.check() == []
        assert rooms(again).store.gap is None


def test_some_interrupts_leave_no_lock_held(tmp_path: Path) -> None:
    """Raised between taking the lock and the block that gives it back, or as that began, a
    KeyboardInterrupt left it held: other threads, clients and `close` waited for ever."""
    interrupt_often(tmp_path / "m", 100)


@pytest.mark.faults
@pytest.mark.timeout(1200)
def test_many_interrupts_leave_no_lock_held(tmp_path: Path) -> None:
    """GRAPHMEM_INTERRUPTS sets how many."""
    interrupt_often(tmp_path / "m", MOST)


@pytest.mark.parametrize("folder", ["m", None])
def test_a_first_write_loads_nothing(folder: str | None, tmp_path: Path) -> None:
    """An interrupt in the imports of the first `remember` left Python's import lock held: every
    later one, of every thread, hung for ever."""
    program = """if True:
        import sys, graphmem
        with graphmem.open(sys.argv[1] or None, worker="none") as memory:
            loaded = set(sys.modules)
            (node,) = memory.remember("Nora lives in Gent and is allergic to nuts.")
            memory.remember_many(["我今天去了桥上，明天下午三点开会。", "Ich muss los."])
            memory.remember("Nora lives in Gent and Ada, too.")  # compared by its kind
            memory.recall("Where does Nora live?", tokens=100)
            (node,) = memory.replace(node, "Nora lives in Ulm now.")
            (node,) = memory.correct(node, "Nora lives in Bonn now.")
            memory.pin(node)
            memory.used([node.id])
            memory.forget(node)
            memory.items.put("a", "x", {"i": 1})
            with memory.transaction():
                memory.remember("The bridge is closed.")
            memory.sweep(1)
            print(*set(sys.modules) - loaded)"""
    command = [sys.executable, "-c", program, str(tmp_path / folder) if folder else ""]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    assert done.stdout.split() == []


def interrupt_threads(folder: Path, engine: str, times: int) -> None:
    """Five threads read and write while interrupts come at any moment; then the memory closes."""
    random = Random(times)
    memory = graphmem.open(folder, worker="none", engine=engine, attachable=False)
    ended = threading.Event()
    hit = [False] * 5  # one at a time: a second one may cut short what the first began

    def work(number: int) -> None:
        done = 0
        while not ended.is_set():
            with suppress(KeyboardInterrupt):
                hit[number] = False
                while not ended.is_set():
                    done += 1
                    if done % 3 == 0:
                        memory.remember(f"Note {done} of thread {number} about tea and trains.")
                    elif done % 3 == 1:
                        memory.recall("tea trains", limit=3)
                    else:
                        memory.items.put("n", str(done % 7), {"a": done})

    threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(5)]
    for thread in threads:
        thread.start()
    for _ in range(times):
        time.sleep(random.random() * 0.004)
        if not (free := [n for n in range(5) if not hit[n]]):
            continue
        number = random.choice(free)
        hit[number], thread = True, threads[number]
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident or 0), ctypes.py_object(KeyboardInterrupt)
        )
    ended.set()
    closing = threading.Thread(target=memory.close, daemon=True)
    for thread in threads:
        thread.join(60)
    closing.start()
    closing.join(5)
    assert not closing.is_alive(), "close waits for a call that an interrupt has ended"
    with graphmem.open(folder, worker="none", engine=engine) as again:
        assert again.admin.check() == []


@pytest.mark.parametrize("engine", ["leveldb", "lmdb"])
def test_closing_after_interrupts_in_five_threads(engine: str, tmp_path: Path) -> None:
    """A read that was interrupted as it ended stayed in the engine's gate: `close` hung."""
    interrupt_threads(tmp_path / "m", engine, 100)


@pytest.mark.faults
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("engine", ["leveldb", "lmdb"])
def test_closing_after_many_interrupts_in_five_threads(engine: str, tmp_path: Path) -> None:
    for number in range(30):
        interrupt_threads(tmp_path / f"{number}", engine, 100)
