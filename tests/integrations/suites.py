"""Other people's own tests of what we put in the place of theirs.

They are fetched as source distributions of the installed versions, into a folder that is not part
of the project, and run in a process of their own with a plugin (`-p`) that puts ours in the place
of theirs before their tests import it. This module is loaded beside it, and notes the outcomes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import pytest

_ROOT: Final = Path(__file__).parents[2]
_REPORT: Final = "GRAPHMEM_SUITE_REPORT"  # the variable that names the file for the outcomes

UNREACHED: Final = "Could not find a version that satisfies the requirement"
"""What pip says when it finds nothing, also where there is no network."""


def fetch(package: str, folder: Path) -> Path:
    """The source of the installed version of a package, unpacked into `folder` once.

    Skips the test if the package index cannot be reached, or does not have it.
    """
    release = version(package)
    name = f"{package.replace('-', '_')}-{release}"
    source = folder / name
    if not source.exists():
        pip = (sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check", "--retries", "1")
        chosen = ("download", "--no-deps", "--no-build-isolation", f"--no-binary={package}")
        asked = (*pip, *chosen, f"{package}=={release}", "-d", str(folder))
        ended = subprocess.run(asked, capture_output=True, text=True, check=False)
        if UNREACHED in ended.stderr:
            pytest.skip(
                f"the package index cannot be reached, or has no source of {package} {release}, in "
                "which the tests are"
            )
        assert ended.returncode == 0, ended.stderr
        with tarfile.open(folder / f"{name}.tar.gz") as archive:
            tests = [m for m in archive if m.name.split("/")[1] in ("tests", "pyproject.toml")]
            archive.extractall(folder, tests, filter="data")
    return source


def run(source: Path, files: tuple[str, ...], plugin: str) -> dict[str, str]:
    """The outcome of each test of `files`, by its name."""
    report = source / "outcomes.json"
    report.unlink(missing_ok=True)
    paths = (str(_ROOT), str(_ROOT / "worker"), str(Path(__file__).parent), str(source))
    options = ("-q", "-o", "addopts=", "--disable-warnings", "-p", "no:cacheprovider")
    ended = subprocess.run(
        (
            *(sys.executable, "-m", "pytest", *options, "-o", "asyncio_mode=auto"),
            *("-p", Path(__file__).stem, "-p", plugin, *files),
        ),
        cwd=source,
        env={**os.environ, _REPORT: str(report), "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    if not report.exists():
        raise AssertionError(ended.stdout[-4000:] + ended.stderr[-4000:])
    outcomes: dict[str, str] = json.loads(report.read_text("utf-8"))
    return outcomes


_outcomes: dict[str, str] = {}


def pytest_runtest_logreport(report: Any) -> None:
    """Note the worst outcome of a test's steps."""
    if report.when == "call" or report.outcome != "passed":
        _outcomes[report.nodeid] = report.outcome


def pytest_sessionfinish(session: Any) -> None:
    """Write down what came out."""
    if path := os.environ.get(_REPORT):
        Path(path).write_text(json.dumps(_outcomes), "utf-8")
