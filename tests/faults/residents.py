"""Processes that write to a home until they are killed, or take a memory from each other.

    python -m tests.faults.residents kill URL FOLDER KILLS MODE SEED
    python -m tests.faults.residents tug URL FOLDER SECONDS MODE SEED

print what came of it as JSON. MODE is what counts as acknowledged, and what is lost with a process:
"sync" and "flush" lose its folder too, "group" the process alone. This process opens no memory: it
forks those that do, which is quicker than starting them.
"""

import json
import os
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import IO, Any

import graphmem
import graphmem.api.homes
import graphmem.api.opening  # before the forks, which then need not load them
from graphmem.errors import FencedError, GraphMemError
from graphmem.storage.homes import home_engine

TAKERS = 3
_SAME = 20  # kills of one memory, before a new one takes its place
_FLUSHED = 20  # writes that one flush acknowledges
_ROWS = 40  # of log after which a snapshot is made here, so that many are


def note(number: int) -> str:
    return f"Note {number}: invoice {number * 7919 % 1000} of {number % 97} is due in week {number % 52}."


def forked(act: Callable[[IO[str]], None]) -> tuple[int, IO[str]]:
    """A process that does something and tells of it on a pipe."""
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        os.close(read)
        status = 1
        try:
            with os.fdopen(write, "w", buffering=1) as told:
                act(told)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(write)
    return child, os.fdopen(read)


def write(memory: graphmem.Memory, first: int, most: int, mode: str, told: IO[str]) -> None:
    """Write notes, and tell the number of each that is acknowledged."""
    waiting: list[int] = []
    for number in range(first, first + most):
        memory.remember(note(number))
        waiting.append(number)
        if mode != "flush" or len(waiting) == _FLUSHED:
            if mode == "flush":
                memory.admin.flush()
            told.writelines(f"{done}\n" for done in waiting)
            waiting.clear()
    memory.admin.flush()
    told.writelines(f"{done}\n" for done in waiting)


def opened(url: str, name: str, cache: Path, mode: str, **more: Any) -> graphmem.Memory:
    home_engine.SNAPSHOT_ROWS = _ROWS
    durability = "sync" if mode == "sync" else "group"
    return graphmem.Home(url, cache=cache).open(
        name, durability=durability, worker="none", attachable=False, **more
    )


def looked(url: str, name: str, cache: Path, acked: list[int]) -> dict[str, Any]:
    """What of the acknowledged notes is there on a machine that has nothing else."""

    def look(told: IO[str]) -> None:
        with opened(url, name, cache, "sync", force=True) as memory:
            have = Counter(node.text for node in memory.nodes())
            missing = [number for number in acked if note(number) not in have]
            doubles = sum(times - 1 for times in have.values())
            told.write(json.dumps([missing, doubles, memory.admin.check()]) + "\n")

    child, told = forked(look)
    with told:
        missing, doubles, faults = json.loads(told.readline())
    assert os.waitpid(child, 0)[1] == 0
    shutil.rmtree(cache, ignore_errors=True)
    return {"missing": len(missing), "doubles": doubles, "faults": faults}


def kill(url: str, folder: Path, kills: int, mode: str, seed: int) -> dict[str, Any]:
    draw = Random(seed)
    total: Counter[str] = Counter()
    faults: list[str] = []
    acked: list[int] = []
    first = 0
    for round_ in range(kills):
        name, cache = f"kill-{mode}-{seed}-{round_ // _SAME}", folder / "cache"
        most = draw.randint(100, 160)

        def live(told: IO[str], name: str = name, first: int = first, most: int = most) -> None:
            memory = opened(url, name, folder / "cache", mode, force=True)
            told.write("open\n")
            write(memory, first, most, mode, told)
            time.sleep(60)

        child, told = forked(live)
        with told:
            assert told.readline() == "open\n"
            wanted = draw.randint(_FLUSHED, most - 1)
            lines = [told.readline() for _ in range(wanted)]
            time.sleep(draw.random() * 0.02)
            os.kill(child, signal.SIGKILL)
            lines += told.read().split("\n")
        os.waitpid(child, 0)
        acked += [int(line) for line in lines if line.strip()]
        first += most
        if mode != "group":
            shutil.rmtree(cache)
        if (round_ + 1) % _SAME == 0 or round_ + 1 == kills:
            # What "group" has not sent yet is in this cache, and nowhere else.
            found = looked(url, name, cache if mode == "group" else folder / "other", acked)
            total.update(
                acknowledged=len(acked), missing=found["missing"], doubles=found["doubles"]
            )
            faults += found["faults"]
            acked = []
    return {"kills": kills, **total, "faults": faults}


def tug(url: str, folder: Path, seconds: float, mode: str, seed: int) -> dict[str, Any]:
    end = time.monotonic() + seconds
    name = f"tug-{mode}-{seed}"

    def take(told: IO[str], who: int) -> None:
        draw = Random(seed * TAKERS + who)
        home_engine.SNAPSHOT_ROWS = _ROWS
        home = graphmem.Home(url, cache=folder / f"taker-{who}")
        number = who * 10_000_000
        while time.monotonic() < end:
            try:
                memory = home.open(
                    name, force=True, worker="none", attachable=False,
                    durability="sync" if mode == "sync" else "group",
                )  # fmt: skip
            except FencedError:
                told.write("overtaken\n")
                continue
            except Exception as error:
                told.write(f"error opening: {error!r}\n")
                traceback.print_exc()
                continue
            told.write("taken\n")
            most = draw.randint(1, 60)
            try:
                write(memory, number, most, mode, told)
                memory.close()
                told.write("left\n")
            except FencedError:
                told.write("fenced\n")
            except GraphMemError as error:
                told.write(f"error {type(error).__name__} {error}\n")
            number += most
            with suppress(GraphMemError):  # told already
                memory.close()
            time.sleep(draw.random() * 0.05)

    children = [forked(lambda told, who=who: take(told, who)) for who in range(TAKERS)]
    lines: list[str] = []
    for child, told in children:  # a pipe that is full lets a taker wait, no more
        with told:
            lines += told.read().split("\n")
        assert os.waitpid(child, 0)[1] == 0
    acked = [int(line) for line in lines if line.isdigit()]
    counted = Counter(line.split(" ")[0] for line in lines if line and not line.isdigit())
    errors = sorted({line for line in lines if line.startswith("error")})
    found = looked(url, name, folder / "other", acked)
    return {**counted, "acknowledged": len(acked), **found, "errors": errors}


def main() -> None:
    what, url, folder, much, mode, seed = sys.argv[1:]
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    found = (
        kill(url, place, int(much), mode, int(seed))
        if what == "kill"
        else tug(url, place, float(much), mode, int(seed))
    )
    print(json.dumps(found))


if __name__ == "__main__":
    main()
