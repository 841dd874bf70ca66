"""rdflib's own suites, W3C's among them, run with graphmem in the place of rdflib's Memory store.

`python tests/rdf/rdflib_suites.py FOLDER` fetches the source of the locked rdflib into
FOLDER, runs the suites once with each store as the default one, and prints how many tests came out
how, and each test that came out differently. Exit status 1 if there is one.

The suites are those of rdflib, unchanged. They need pytest < 9 and run serially. This file is also
the pytest plugin that swaps the store, and that writes down what came out.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

SUITES: Final = ("test_w3c_spec", "test_graph", "test_dataset", "test_store")
OUTCOMES: Final = ("passed", "failed", "error", "xfailed", "xpassed", "skipped")
_STORE: Final = "GRAPHMEM_SUITES_STORE"
_REPORT: Final = "GRAPHMEM_SUITES_REPORT"
_LEFT_OUT: Final = "GRAPHMEM_SUITES_LEFT_OUT"
_FRESH_LABEL: Final = re.compile("N[0-9a-f]{32}")  # of a blank node
_ROOT: Final = Path(__file__).parents[2]
_SECONDS: Final = 900  # for the suites with one store

Outcomes = dict[str, str]
"""What came out of each test, by its id."""


def fetch(folder: Path) -> Path:
    """The folder with rdflib's tests, fetched through pip by the hash in requirements.lock.

    Raises ConnectionError if pip finds none.
    """
    locked = re.search(
        r"^rdflib==(\S+) \\\n((?: +--hash=\S+(?: \\)?\n)+)",
        (_ROOT / "requirements.lock").read_text("utf-8"),
        re.MULTILINE,
    )
    assert locked is not None, "requirements.lock does not name rdflib"
    release, hashes = locked[1], re.findall(r"--hash=\S+", locked[2])
    assert version("rdflib") == release, f"{version('rdflib')} is installed, {release} is locked"
    source = folder / f"rdflib-{release}"
    if not (source / "test").is_dir():
        folder.mkdir(exist_ok=True)
        wanted = folder / "wanted.txt"
        wanted.write_text(" ".join((f"rdflib=={release}", *hashes)) + "\n", "utf-8")
        pip = (sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check", "--retries", "1")
        chosen = (
            "download",
            "--no-deps",
            "--no-binary=rdflib",
            "--require-hashes",
            "-r",
            str(wanted),
        )
        asked = (*pip, *chosen, "-d", str(folder))
        ended = subprocess.run(asked, capture_output=True, text=True, check=False)
        if "Could not find a version that satisfies the requirement" in ended.stderr:
            raise ConnectionError(
                f"the package index cannot be reached, or has no source of rdflib {release}, in "
                "which the suites are"
            )
        assert ended.returncode == 0, ended.stderr
        with tarfile.open(folder / f"rdflib-{release}.tar.gz") as archive:
            # Not its rdflib/, so that the installed one is tested.
            tests = [m for m in archive if m.name.split("/")[1] in ("test", "pyproject.toml")]
            archive.extractall(folder, tests, filter="data")
    return source


def run(source: Path, store: str, left_out: Outcomes | None = None) -> Outcomes:
    """Run the suites, but the tests of `left_out`, with `store`, "Memory" or "graphmem", as
    rdflib's default."""
    known = source / "left_out.json"
    known.write_text(json.dumps([*(left_out or ())]), "utf-8")
    report = source / f"{store}.json"
    report.unlink(missing_ok=True)
    paths = (str(_ROOT), str(_ROOT / "worker"), str(Path(__file__).parent))
    options = ("-q", "-o", "addopts=", "--disable-warnings", "-p", "no:cacheprovider")
    ended = subprocess.run(
        (
            *(sys.executable, "-m", "pytest", *options, "-p", Path(__file__).stem),
            *(f"test/{suite}" for suite in SUITES),
        ),
        cwd=source,
        env={
            **os.environ,
            _STORE: store,
            _REPORT: str(report),
            _LEFT_OUT: str(known),
            "PYTHONPATH": os.pathsep.join(paths),
        },
        capture_output=True,
        text=True,
        timeout=_SECONDS,
    )
    if ended.returncode not in (0, 1):  # 1: tests failed, which is for the comparison to judge
        raise RuntimeError(f"pytest ended with {ended.returncode}:\n{ended.stdout[-4000:]}")
    outcomes: Outcomes = json.loads(report.read_text("utf-8"))
    return outcomes


def differences(first: Outcomes, second: Outcomes) -> dict[str, tuple[str, str]]:
    """The tests that came out differently, "absent" where one was not run."""
    return {
        test: (first.get(test, "absent"), second.get(test, "absent"))
        for test in sorted(first.keys() | second.keys())
        if first.get(test) != second.get(test)
    }


def table(runs: Mapping[str, Outcomes]) -> str:
    """How many tests of each file came out how, a line a file and store."""
    lines = [" ".join((f"{'suite':<28}{'store':<10}", *(f"{name:>8}" for name in OUTCOMES)))]
    files = sorted({suite_of(test) for run in runs.values() for test in run})
    for name in (*files, "all"):
        for store, outcomes in runs.items():
            counts = Counter(o for t, o in outcomes.items() if name in ("all", suite_of(t)))
            cells = (f"{counts[outcome]:>8}" for outcome in OUTCOMES)
            lines.append(" ".join((f"{name:<28}{store:<10}", *cells)))
    return "\n".join(lines)


def suite_of(test: str) -> str:
    """The W3C suite, or the folder, that a test belongs to."""
    _, folder, file = test.partition("::")[0].split("/")
    return file.removesuffix(".py") if folder == "test_w3c_spec" else folder


def main() -> int:
    """Compare, and print."""
    source = fetch(Path(sys.argv[1] if len(sys.argv) > 1 else _ROOT / ".w3c").resolve())
    runs = {store: run(source, store) for store in ("Memory", "graphmem")}
    print(table(runs))
    found = differences(*runs.values())
    print(f"\n{len(found)} tests came out differently with graphmem.")
    for test, (memory, ours) in found.items():
        print(f"{memory:>8} → {ours:<8} {test}")
    return 1 if found else 0


# -- the plugin -------------------------------------------------------------------------------

_outcomes: Outcomes = {}


def pytest_configure(config: Any) -> None:
    """Put graphmem in the place of the default store, or only beside it."""
    import rdflib
    from rdflib.store import Store

    rdflib.plugin.register("graphmem", Store, "graphmem.rdf.rdflib_store", "RdflibStore")
    # The N3 manifest gives most tests two types, of which the suite takes the first to be listed.
    manifest = import_module("test.utils.manifest")
    manifest.__dict__["Graph"] = partial(rdflib.Graph, store="Memory")
    if os.environ[_STORE] == "graphmem":
        ours = rdflib.plugin.get("graphmem", Store)
        # A class of its own, or the suites that try each store would take the two for one.
        globals()["Default"] = type("Default", (ours,), {})
        rdflib.plugin.register("default", Store, __name__, "Default")
        # test_store_triple_store opens it without making it, as only a store in memory lets one.
        ours("store").close()


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Leave out what need not be run."""
    left_out = {*json.loads(Path(os.environ[_LEFT_OUT]).read_text("utf-8"))}
    items[:] = [item for item in items if _name(item.nodeid) not in left_out]


def pytest_runtest_logreport(report: Any) -> None:
    """Write down what came out of a test: the worst of its set-up, its call and its end."""
    outcome = report.outcome
    if hasattr(report, "wasxfail"):
        outcome = "xpassed" if report.passed else "xfailed"
    elif report.failed and report.when != "call":
        outcome = "error"
    if outcome != "passed" or report.when == "call":
        _outcomes[_name(report.nodeid)] = outcome


def _name(test: str) -> str:
    return _FRESH_LABEL.sub("N…", test)


def pytest_sessionfinish() -> None:
    """Hand over what came out."""
    Path(os.environ[_REPORT]).write_text(json.dumps(_outcomes), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
