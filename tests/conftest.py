"""How hard Hypothesis searches: HYPOTHESIS_PROFILE=fast (default), ci (default if CI is set), deep.

Also what every process that a test starts inherits, and where the local model lies.
"""

import gc
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NoReturn

import pytest
from hypothesis import HealthCheck, settings

from graphmem.errors import ModelError
from graphmem.services import models
from graphmem_worker.language import tables
from tests.faults import small_disk as small_disks

# A shared machine is slow at times, which says nothing about the code: no deadline for an example.
# pytest-timeout ends a test that hangs. Other examples at each run: with time a few find as much.
settings.register_profile(
    "fast",
    max_examples=15,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
# The same examples at each run, so that a change is judged by what it changed.
settings.register_profile(
    "ci", settings.get_profile("fast"), max_examples=50, derandomize=True, database=None
)
settings.register_profile("deep", settings.get_profile("fast"), max_examples=2_000)
settings.register_profile("quick", settings.get_profile("ci"), max_examples=10)

settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if "CI" in os.environ else "fast")
)

# What this process inherits, and would hand on to those that tests start, says nothing about the
# code: a run that a shell started in the background ignores SIGINT, one under nohup SIGHUP.
for _number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
    if signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.pthread_sigmask(signal.SIG_SETMASK, ())
# So do the terminal, the language, the zone and the proxies of whoever runs them. What sets how long
# tests run, and where models and data lie, stays.
for _name in [name for name in os.environ if name.upper().endswith("_PROXY")]:
    del os.environ[_name]
for _name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "LC_ALL", "LANGUAGE", "GRAPHMEM_PATH"):
    os.environ.pop(_name, None)
# A process that may not keep what it compiled compiles all modules again: a second of computing each.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False  # nor may this one compile all tests again: ten seconds
os.environ["LANG"] = "C.UTF-8"
os.environ["TZ"] = "UTC"
time.tzset()

# Folders of tests lie in memory where there is room: half of the time of those of the engines went
# by waiting for the disk. Kills and faults are those of the process and of its calls.
_IN_MEMORY: Final = Path("/dev/shm")
_ROOM: Final = 4 << 30  # bytes; a run takes less than one
if (
    "TMPDIR" not in os.environ
    and os.access(_IN_MEMORY, os.W_OK)
    and shutil.disk_usage(_IN_MEMORY).free > _ROOM
):
    os.environ["TMPDIR"] = str(_IN_MEMORY)
    tempfile.tempdir = None  # whoever asked before was told of the disk


if "PYTEST_XDIST_WORKER" not in os.environ:
    tables.keep()

# LevelDB's binding has wheels for Python 3.11 and 3.12 on Linux x86-64 only. Elsewhere what is about
# LevelDB is skipped: a module that imports it, a test with the mark, and a test's case "leveldb".
LEVELDB: Final = find_spec("plyvel") is not None
_NO_LEVELDB: Final = "needs LevelDB: its binding, the Python package plyvel, is not installed"
_IMPORTS_LEVELDB: Final = re.compile(
    r"^(import plyvel"
    r"|from graphmem\.storage(\.leveldb import| import leveldb)"
    r"|from bench\.engine import)",
    re.MULTILINE,
)


class _OfLevelDB(pytest.Module):
    """A module of tests that cannot be imported without LevelDB's binding."""

    def collect(self) -> NoReturn:
        pytest.skip(_NO_LEVELDB, allow_module_level=True)


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Module | None:
    if LEVELDB or not _IMPORTS_LEVELDB.search(module_path.read_text("utf-8")):
        return None
    return _OfLevelDB.from_parent(parent, path=module_path)


# What `pytest -m quick` runs, with at least one file for each room: those whose tests fail soonest
# after a careless change, in under a second or two of computing each.
QUICK: Final = frozenset(
    """
    api/test_memory.py attaching/test_portable.py attaching/test_codec.py attaching/test_listener.py
    exchange/test_transfer.py forgetting/test_archive.py forgetting/test_forms.py
    forgetting/test_sweep.py forgetting/test_undo.py graph/test_records.py graph/test_strength.py
    graph/test_writer.py hexastore/test_facts.py hexastore/test_keys.py hexastore/test_terms.py
    index/test_words.py integrations/test_claude.py interfaces/test_view.py
    lifecycle/test_kinds.py lifecycle/test_validity.py maintenance/test_convert.py
    mapping/test_place_rows.py query/test_triples.py rdf/test_rdflib_store.py recalling/test_asking.py
    recalling/test_cut.py recalling/test_names.py recalling/test_ranking.py
    remembering/test_drafts.py remembering/test_writing.py runtime/test_upkeep.py
    services/test_queue.py services/test_tokens.py sharing/test_feed.py sharing/test_pool.py
    storage/test_store.py themes/test_about.py themes/test_hierarchy.py values/test_filling.py
    values/test_help.py worker/test_claims.py worker/test_gates.py worker/test_kinds.py
    worker/test_protocol.py test_format.py test_guarantees.py test_house.py
    """.split()
)
_TESTS: Final = Path(__file__).parent
_MARKED_OTHERWISE: Final = frozenset(("slow", "soak", "w3c", "retrieval", "faults"))


def _is_quick(config: pytest.Config) -> bool:
    return config.option.markexpr == "quick"


def pytest_configure(config: pytest.Config) -> None:
    if _is_quick(config) and "HYPOTHESIS_PROFILE" not in os.environ:
        settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file of which no test is wanted: each worker imports all others for itself."""
    if collection_path.suffix != ".py":
        return None
    if _is_quick(config):
        is_wanted = collection_path.relative_to(_TESTS).as_posix() in QUICK
    else:
        marks = config.option.markexpr.split(" or ")
        is_wanted = not _MARKED_OTHERWISE.issuperset(marks) or any(
            f"mark.{mark}" in collection_path.read_text("utf-8") for mark in marks
        )
    return None if is_wanted else True


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage in what the modules and the list of tests hold.

    That is a million objects, which stay; each full collection would go through all of them. And
    what a test makes goes as soon as nothing refers to it, but for a little.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000)
        gc.enable()


# The files whose slow tests take minutes, the longest first. They are begun first, or the run ends
# with one of them alone.
LONGEST: Final = (
    "bench/test_soak.py", "forgetting/test_life.py", "recalling/test_retrieval.py",
    "integrations/test_langgraph_suites.py", "rdf/test_rdflib_suites.py", "bench/test_engine.py",
    "themes/test_life.py", "maintenance/test_repair.py", "query/test_sparql.py",
    "storage/homes/test_postgres.py", "faults/test_homes.py", "faults/test_kill.py",
    "storage/test_crash.py", "interfaces/test_view_clicks.py", "faults/test_faults.py",
)  # fmt: skip


def _begun(item: pytest.Item) -> int:
    """The place of an item's file among those that are begun first."""
    file = item.path.relative_to(_TESTS).as_posix()
    return LONGEST.index(file) if file in LONGEST else len(LONGEST)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.option.markexpr.startswith("not "):
        items.sort(key=_begun)
    for item in items:
        is_quick = item.path.relative_to(_TESTS).as_posix() in QUICK
        if is_quick and _MARKED_OTHERWISE.isdisjoint(mark.name for mark in item.iter_markers()):
            item.add_marker(pytest.mark.quick)
    if LEVELDB:
        return
    for item in items:
        case = (
            item.callspec.params.values()
            if isinstance(item, pytest.Function) and hasattr(item, "callspec")
            else ()
        )
        if item.get_closest_marker("leveldb") or any(value == "leveldb" for value in case):
            item.add_marker(pytest.mark.skip(reason=_NO_LEVELDB))


@pytest.fixture(scope="session")
def gguf() -> Path:
    """The file of the packaged model; skips where it or llama-cpp-python is missing."""
    try:
        return models.find()
    except ModelError as error:
        pytest.skip(f"no local model: {error}")


@pytest.fixture(scope="session")
def failing_disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that makes calls of the system fail; skips where there is no compiler."""
    if (compiler := shutil.which("cc") or shutil.which("gcc")) is None:
        pytest.skip("no C compiler")
    library = tmp_path_factory.mktemp("disk") / "failing_disk.so"
    source = Path(__file__).parent / "faults" / "failing_disk.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 6 MB."""
    yield from small_disks.mounted(tmp_path / "disk", 6 << 20)


@pytest.fixture
def by_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody uses fades by passes, as it does not by default."""
    monkeypatch.setenv("GRAPHMEM_FORGETTING", "passes")
