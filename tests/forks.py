"""Children for tests that kill them: forks of a server that has imported what they need, which took
most of a second of computing each. The tests' own process has opened stores, so its children may
not."""

import multiprocessing
import os
import runpy
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Final

FORKS: Final = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        "pytest",
        *(f"tests.faults.{role}" for role in ("agent", "blocks", "changes", "loader", "syncing")),
    ]
)


def run(
    module: str,
    given: list[str],
    environment: Mapping[str, str],
    out: Connection,
    errors: Connection,
) -> None:
    """Run a module as `python -m` does, with the ends of two pipes for its output and errors."""
    os.setpgid(0, 0)
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(out.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    sys.argv[1:] = given
    runpy.run_module(module, run_name="__main__", alter_sys=True)
