"""What a call costs more when another process has the memory open; many clients beside an agent.

The owner is a process of its own. For the first table it makes the same calls as the client, so
that both meet the same machine; on a busy one the work, in time of the processor, says more than
the medians. In turns of twenty calls, the owner's own find everything in the processor's caches and
a client's do not, since two processes take turns within each call. One by one, each call finds a
process that has just woken, as it does in an agent that is asked now and then. For the second
table, clients, each a process, recall without a pause while the owner remembers. For the third,
three programs that reached the memory write, and whichever has it open is killed again and again:
how long the others are without an answer, and what was lost.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random
from signal import SIGKILL
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from threading import Thread
from time import perf_counter, process_time, sleep
from typing import Any, Final

import graphmem
from bench.report import Row

HELP: Final = "calls from another process against calls in the same one; clients beside an agent"
_TURN: Final = 20  # calls
_PROGRAMS: Final = 3
_PACE: Final = 0.02  # seconds between two writes of a program
_WORDS: Final = (
    "release coffee budget Ada Wen May invoice Karlsson audit kettle tea train Berlin window "
    "garden ticket licence harbour"
).split()
_CUE: Final = "the audit of Berlin"

Calls = dict[str, Callable[[], object]]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the bench's own options."""
    parser.add_argument("--nodes", type=int, default=5_000, help="nodes in the memory")
    parser.add_argument("--turns", type=int, default=15, help=f"turns of {_TURN} calls each")
    parser.add_argument("--clients", type=int, default=8, help="clients that recall")
    parser.add_argument("--texts", type=int, default=10_000, help="texts remembered meanwhile")
    parser.add_argument("--kills", type=int, default=10, help="owners that are killed")
    parser.add_argument("--writes", type=int, default=1_000, help="texts remembered meanwhile")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure, and return the rows."""
    with TemporaryDirectory(prefix="graphmem-bench-") as place:
        folder = Path(place) / "memory"
        with _process("own", folder, arguments.nodes) as owner:
            _line(owner)
            rows = _calls(owner, folder, arguments)
            if arguments.clients:
                rows += _beside(owner, folder, arguments)
        if arguments.kills:
            rows += _takeovers(folder, arguments)
    return rows


def _calls(owner: subprocess.Popen[str], folder: Path, arguments: argparse.Namespace) -> list[Row]:
    rows = []
    with graphmem.attach(folder) as attached:
        for name, call in _named(attached).items():
            for turn, how in ((_TURN, "in a row"), (1, "one by one")):
                turns = _TURN * arguments.turns // turn
                within, without, work = _compared(owner, name, call, turn, turns)
                rows += [
                    Row("attach", f"{arguments.nodes} nodes, {how}", *values)
                    for values in (
                        ("in process", f"{name}, median", within, "ms"),
                        ("attached", f"{name}, median", without, "ms"),
                        ("attached", f"{name}, more", without - within, "ms"),
                        ("attached, both processes", f"{name}, more work", work, "ms of processor"),
                    )
                ]
    return rows


def _compared(
    owner: subprocess.Popen[str], name: str, call: Callable[[], object], turn: int, turns: int
) -> tuple[float, float, float]:
    """The median of a call in the owner, that in this process, and how much more work this one is
    for both processes, in milliseconds; measured in turns of so many calls."""
    inside: list[float] = []
    outside: list[float] = []
    more = 0.0
    for _ in range(turns):
        begun = _reply_to(owner, "worked")
        inside += _reply_to(owner, "time", name, turn)
        between, own = _reply_to(owner, "worked"), process_time()
        outside += _timed(call, turn)
        ended = _reply_to(owner, "worked")
        more += ended - between + process_time() - own - (between - begun)
    return median(inside) * 1000, median(outside) * 1000, more / (turn * turns) * 1000


def _beside(owner: subprocess.Popen[str], folder: Path, arguments: argparse.Namespace) -> list[Row]:
    texts = arguments.texts
    alone = _reply_to(owner, "remember", max(1, texts // 10))
    clients = [_start("recall", folder, turn) for turn in range(arguments.clients)]
    for client in clients:
        _line(client)
    together = _reply_to(owner, "remember", texts)
    found = []
    for client in clients:
        output, _ = client.communicate("stop\n", timeout=120)
        found.append(json.loads(output.splitlines()[-1]))
    times = [time * 1000 for each in found for time in each["times"]]
    dataset = f"{arguments.clients} clients, {texts} texts"
    values: Sequence[tuple[str, str, float, str]] = (
        ("owner alone", "remember", max(1, texts // 10) / alone, "1/s"),
        ("owner beside clients", "remember", texts / together, "1/s"),
        ("clients", "recall", len(times) / together, "1/s"),
        ("clients", "recall, median", median(times), "ms"),
        ("clients", "recall, p99", quantiles(times, n=100)[98], "ms"),
        ("clients", "errors", sum(len(each["errors"]) for each in found), ""),
    )
    for each in found:
        for error in each["errors"]:
            print(error, file=sys.stderr)
    return [Row("attach", dataset, *value) for value in values]


def _takeovers(folder: Path, arguments: argparse.Namespace) -> list[Row]:
    """Kill the owner in equal distances of acknowledged writes, and start another program."""
    acknowledged: list[tuple[int, str, float]] = []  # program, text, when

    def listen(number: int, program: subprocess.Popen[str]) -> None:
        assert program.stdout is not None
        for line in program.stdout:
            if line.endswith("\n"):
                text, when = json.loads(line)
                acknowledged.append((number, text, when))

    programs: list[subprocess.Popen[str]] = []
    listeners: list[Thread] = []

    def begin() -> None:
        programs.append(_start("write", folder, len(programs)))
        listeners.append(Thread(target=listen, args=(len(programs) - 1, programs[-1])))
        listeners[-1].start()

    try:
        for _ in range(_PROGRAMS):
            begin()
        killed: list[float] = []
        for number in range(arguments.kills):
            while len(acknowledged) < (number + 1) * arguments.writes / (arguments.kills + 1):
                sleep(0.005)
            with graphmem.attach(folder) as attached:
                owner = attached.owner_pid
            killed.append(perf_counter())
            os.kill(owner, SIGKILL)
            begin()
        while len(acknowledged) < arguments.writes:
            sleep(0.005)
    finally:
        for program in programs:
            program.kill()
        for program, listener in zip(programs, listeners, strict=True):
            program.wait()
            listener.join()
    with graphmem.open(folder, worker="none") as memory:
        kept = {node.text for node in memory.nodes(where=graphmem.Where(session="takeovers"))}
        assert memory.admin.check() == []
    # Between two answers that a survivor got, of which the second came after a kill.
    waits, nobody = [], []
    for moment in killed:
        after = min(when for _, _, when in acknowledged if when > moment)
        nobody.append(after - max(when for _, _, when in acknowledged if when <= moment))
        for survivor in {number for number, _, when in acknowledged if when <= moment}:
            times = [when for number, _, when in acknowledged if number == survivor]
            later = [when for when in times if when > moment]
            if later:
                waits.append(later[0] - max(when for when in times if when <= moment))
    dataset = f"{_PROGRAMS} programs, {arguments.kills} kills, {arguments.nodes} nodes"
    values: Sequence[tuple[str, str, float, str]] = (
        ("reach", "writes lost", sum(text not in kept for _, text, _ in acknowledged), ""),
        ("reach", "nobody is answered, median", median(nobody) * 1000, "ms"),
        ("reach", "nobody is answered, longest", max(nobody) * 1000, "ms"),
        ("reach", "a program without an answer, median", median(waits) * 1000, "ms"),
        ("reach", "a program without an answer, longest", max(waits) * 1000, "ms"),
    )
    return [Row("attach", dataset, *value) for value in values]


def _named(memory: graphmem.Memory | graphmem.Attached) -> Calls:
    numbers, random = count(), Random(os.getpid())
    return {
        "importance": lambda: memory.graph.importance(17),
        "memory[id]": lambda: memory[17],
        "links": lambda: memory.graph.links(17),
        "recall, 10 hits": lambda: memory.recall(_CUE, use=False),
        "recall, all 10 read": lambda: [str(hit) for hit in memory.recall(_CUE, use=False)],
        "recall, 200 tokens": lambda: memory.recall(_CUE, tokens=200, use=False).text,
        "remember": lambda: memory.remember(_text(random, next(numbers))),
    }


def _text(random: Random, number: int) -> str:
    return f"Note {number}: {' '.join(random.choices(_WORDS, k=12))}."


def _timed(call: Callable[[], object], turn: int) -> list[float]:
    times = []
    for _ in range(turn):
        begun = perf_counter()
        call()
        times.append(perf_counter() - begun)
    return times


# -- processes --------------------------------------------------------------------------------


def _start(role: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "bench.attach", role, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@contextmanager
def _process(role: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    with _start(role, *arguments) as process:
        try:
            yield process
        finally:
            process.kill()


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def _reply_to(process: subprocess.Popen[str], *what: object) -> Any:
    assert process.stdin is not None
    process.stdin.write(json.dumps(what) + "\n")
    process.stdin.flush()
    return json.loads(_line(process))


def _own(folder: str, nodes: str) -> None:
    """The owner: executes the commands on standard input, and answers in JSON."""
    random = Random(1)
    with graphmem.open(folder, worker="none") as memory:
        memory.remember_many(_text(random, k) for k in range(int(nodes)))
        print("open", flush=True)
        calls = _named(memory)
        for line in sys.stdin:
            match json.loads(line):
                case ["time", name, turn]:
                    answer: object = _timed(calls[name], turn)
                case ["worked"]:
                    answer = process_time()
                case ["remember", texts]:
                    begun = perf_counter()
                    for k in range(texts):
                        memory.remember(_text(random, k))
                    answer = perf_counter() - begun
            print(json.dumps(answer), flush=True)


def _recall(folder: str, turn: str) -> None:
    """A client: recalls until a line on standard input, then prints how long each call took."""
    random = Random(int(turn))
    times: list[float] = []
    errors: list[str] = []
    stopper = Thread(target=sys.stdin.readline)
    with graphmem.attach(folder) as attached:
        attached.recall(_CUE, use=False)
        print("attached", flush=True)
        stopper.start()
        while stopper.is_alive():
            begun = perf_counter()
            try:
                attached.recall(" ".join(random.choices(_WORDS, k=3)))
            except graphmem.GraphMemError as error:
                errors.append(f"{type(error).__name__}: {error}")
            times.append(perf_counter() - begun)
    print(json.dumps({"times": times, "errors": errors}), flush=True)


def _write(folder: str, program: str) -> None:
    """A program that reached the memory: remembers, and looks what became of it when in doubt."""
    with graphmem.reach(folder, worker="none") as memory:
        for number in count():
            text = f"Program {program} writes number {number} of its notes."
            done = False
            while not done:
                try:
                    memory.remember(text, session="takeovers")
                    done = True
                except graphmem.errors.OwnerGoneError:
                    done = any(node.text == text for node in memory.nodes(words=text))
            print(json.dumps([text, perf_counter()]), flush=True)
            sleep(_PACE)


if __name__ == "__main__":
    {"own": _own, "recall": _recall, "write": _write}[sys.argv[1]](*sys.argv[2:])
