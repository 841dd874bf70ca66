"""Bad input of every kind that a folder, a process or an argument can be: a named error that says
what to do, nothing lost, and `check()` clean.

What concerns texts and dates is in `remembering/test_drafts.py`, cues in `recalling/test_recall.py`,
the worker in `remembering/test_enrichment.py`.
"""

import errno
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from operator import attrgetter
from pathlib import Path
from typing import Any, get_args

import pytest
import rdflib
from rdflib.term import URIRef

import graphmem
from graphmem.errors import (
    AlreadyOpenError,
    ArgumentTypeError,
    BrokenError,
    ClosedError,
    CorruptError,
    ForgottenError,
    ForkedError,
    FullError,
    GraphMemError,
    InvalidArgumentError,
    MissingError,
    NewerFormatError,
    NotAStoreError,
    ReadOnlyError,
    ReadOnlyFolderError,
    ReservedError,
    StorageError,
    UnknownNodeError,
    UnknownScopeError,
    UnknownVersionError,
)
from graphmem.rdf.rdflib_store import RdflibStore
from graphmem.settings import WorkerKind
from graphmem.storage.engines import default, open_engine
from tests.clock import Clock

WORKERS = ", ".join(get_args(WorkerKind))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A closed memory with one text in it."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("The release is May 10.")
    return tmp_path / "m"


def assert_whole(folder: Path) -> None:
    with graphmem.open(folder, worker="none") as memory:
        assert memory.admin.check() == []
        assert memory[1].text == "The release is May 10."


# -- paths and folders --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "error", "says"),
    [
        ("", InvalidArgumentError, "path '' is empty"),
        (":memory:", InvalidArgumentError, r"graphmem.open\(None\) keeps a memory in this process"),
        ("a\x00b", InvalidArgumentError, "has NULs"),
        ("\ud800", InvalidArgumentError, "lone surrogates"),
        ("x/" * 2048, InvalidArgumentError, "longer than 4,095 bytes"),
        ("/" + "x/" * 2047, MissingError, "parent folder is missing"),
        (5, ArgumentTypeError, "a path is a str or a pathlib.Path, got int"),
        (b"/tmp/bytes", ArgumentTypeError, "a path is a str or a pathlib.Path, got bytes"),
        (["a"], ArgumentTypeError, "got list"),
        ("/" + "x" * 300, StorageError, "File name too long|cannot be opened"),
        ("/no/such/parent/m", MissingError, "parent folder is missing: make /no/such/parent"),
        ("/etc/hostname", NotAStoreError, "/etc/hostname is a file, and a store is a folder"),
        ("/dev/null", NotAStoreError, "/dev/null is a file"),
    ],
)
def test_a_path_that_cannot_be_a_memory(path: Any, error: type[Exception], says: str) -> None:
    """ "" opened the present folder, and other paths raised what no GraphMemError catches."""
    with pytest.raises(error, match=says):
        graphmem.open(path, worker="none")


def test_a_name_that_is_too_long_is_nobodys_folder() -> None:
    """`graphmem -p` with such a name ended in a traceback."""
    with pytest.raises(MissingError, match="there is no store in"):
        graphmem.attach("x" * 300)


def test_a_folder_of_somebody_elses_is_not_touched(tmp_path: Path) -> None:
    """Opened by mistake, a folder of photographs must keep every byte."""
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    with pytest.raises(NotAStoreError, match=f"{tmp_path} holds files but no store of graphmem"):
        graphmem.open(tmp_path, worker="none")
    assert os.listdir(tmp_path) == ["photo.jpg"]


def test_a_missing_folder_is_not_made_to_be_read(tmp_path: Path) -> None:
    """A misspelt path opened read-only would answer that nothing is known."""
    with pytest.raises(MissingError, match=f"no store here.*{tmp_path}/m"):
        graphmem.open(tmp_path / "m", read_only=True)
    assert os.listdir(tmp_path) == []


def test_a_newer_format_is_refused_untouched(folder: Path) -> None:
    """An older version that writes into a newer store destroys what it does not know."""
    engine = open_engine(folder / "store", default())
    key = b"\0\0\0\0\xf0\x00"
    record = json.loads(engine.get(key) or b"")
    engine.commit({key: json.dumps(record | {"format": 99, "library": "9.9"}).encode()}, sync=True)
    engine.close()
    with pytest.raises(NewerFormatError, match=r"format 99, written by graphmem 9\.9.*install a"):
        graphmem.open(folder, worker="none")
    engine = open_engine(folder / "store", default())
    engine.commit({key: json.dumps(record).encode()}, sync=True)
    engine.close()
    assert_whole(folder)


def test_a_store_whose_data_are_gone_is_not_taken_for_new(folder: Path) -> None:
    """Opened as an empty memory, it would answer with nothing and be believed."""
    shutil.rmtree(folder / "store")
    with pytest.raises(CorruptError, match=f"{folder} is a store of ours.*restore a backup"):
        graphmem.open(folder, worker="none")


@pytest.mark.leveldb
@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root may do all")
def test_a_read_only_folder_is_named(folder: Path) -> None:
    """LevelDB writes when it opens; its own message does not say which folder, or what to do."""
    code = (
        "import sys, graphmem\n"
        "for read_only in (False, True):\n"
        "    try:\n"
        "        graphmem.open(sys.argv[1], read_only=read_only)\n"
        "    except graphmem.GraphMemError as error:\n"
        "        print(type(error).__name__, error)\n"
    )
    modes = {path: path.stat().st_mode for path in (folder, *folder.rglob("*"))}
    up = [p for p in folder.parents if not p.stat().st_mode & stat.S_IXOTH]
    opened = {path: path.stat().st_mode for path in up}
    try:
        for path, mode in opened.items():
            path.chmod(mode | 0o055)
        for path in modes:
            path.chmod(0o555 if path.is_dir() else 0o444)
        command = [sys.executable, "-c", code, str(folder)]
        if os.geteuid() == 0:
            command = [
                "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command,
            ]  # fmt: skip
        child = subprocess.run(command, capture_output=True, text=True, env=_environment())
        # An interpreter in root's home, or one that cannot find its library there.
        barred = ("Permission denied", "error while loading shared libraries")
        if child.returncode and any(word in child.stderr for word in barred):
            pytest.skip("an ordinary user cannot run this interpreter")
    finally:
        for path, mode in (*modes.items(), *opened.items()):
            path.chmod(mode)
    lines = child.stdout.splitlines()
    assert len(lines) == 2, child.stderr
    for line in lines:
        assert line.startswith("ReadOnlyFolderError")
        assert str(folder) in line
        assert "Copy the closed folder" in line
    assert_whole(folder)


def _environment() -> dict[str, str]:
    """The child imports what we import, and takes nothing else of ours."""
    path = os.pathsep.join(path for path in sys.path if path)
    return {"PATH": os.environ["PATH"], "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def test_read_only_refuses_every_write_by_name(folder: Path) -> None:
    """A write that is silently dropped is believed to be there."""
    with graphmem.open(folder, worker="none") as memory:
        memory.remember_many(f"Chatter {k}." for k in range(6))
    with graphmem.open(folder, read_only=True) as memory:
        for write in (
            lambda: memory.remember("x"),
            lambda: memory.remember_many(["x"]),
            lambda: memory.files.add(__file__),
            lambda: memory.used(1),
            lambda: memory.graph.relate(1, "x", 2),
            lambda: memory.sweep(),
            lambda: memory.admin.shrink(0),
            lambda: memory.pin(1),
            lambda: memory.correct(1, "x"),
            lambda: memory.forget(1),
            lambda: memory.forget(1, erase=True),
            lambda: memory.history.revive(1),
            lambda: memory.graph.facts.put("ex:a", "ex:b", "c"),
            lambda: memory.admin.compact(),
        ):
            with pytest.raises((ReadOnlyError, PermissionError), match="read_only=True"):
                write()
        with pytest.raises(UnknownScopeError, match=r"no scope 'new' \(there are: default\)"):
            memory.scopes.open("new")
        assert memory.recall("release")[0].id == 1
        assert memory.admin.check() == []
    assert_whole(folder)


# -- open already -------------------------------------------------------------------------------


def test_opened_twice_by_any_name(folder: Path, tmp_path: Path) -> None:
    """A second handle by an alias lost a thousand acknowledged writes of the first."""
    (tmp_path / "link").symlink_to(folder)
    with graphmem.open(folder, worker="none") as memory:
        for alias in (folder, folder / ".", tmp_path / "link", f"{folder}/../m", f"{folder}//"):
            with pytest.raises(AlreadyOpenError, match=f"{folder} is open in this process") as told:
                graphmem.open(alias, worker="none")
            assert told.value.owner_pid == os.getpid()
        memory.remember("Still mine.")
    assert_whole(folder)


def test_open_in_another_process_names_its_owner(folder: Path) -> None:
    """Without the owner's id nobody knows which of twelve agents to stop."""
    code = "import sys, graphmem\nwith graphmem.open(sys.argv[1]): print(1, flush=True); input()"
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=_environment(),
    )
    assert child.stdout is not None
    assert child.stdin is not None
    with child.stdin, child.stdout:
        assert child.stdout.readline() == b"1\n"
        for read_only in (False, True):
            with pytest.raises(AlreadyOpenError, match=f"open in process {child.pid}") as told:
                graphmem.open(folder, worker="none", read_only=read_only)
            assert told.value.owner_pid == child.pid
            assert str(folder) in str(told.value)
            assert "close it there" in str(told.value)
        child.stdin.write(b"\n")
        child.stdin.flush()
        assert child.wait(60) == 0
    assert_whole(folder)


def test_a_failed_open_lets_the_folder_go(folder: Path) -> None:
    """A folder that stays taken after a failed open can only be freed by ending the process."""
    with pytest.raises(InvalidArgumentError):
        graphmem.open(folder, worker="none", scope="")
    with pytest.raises(InvalidArgumentError):
        graphmem.open(folder, worker="magic")
    with pytest.raises(UnknownScopeError):
        graphmem.open(folder, read_only=True, scope="none of that name")
    assert_whole(folder)


def test_a_fork_is_told_and_harms_nothing(folder: Path) -> None:
    """A forked child wrote through the inherited handle, and the parent never saw it."""
    with graphmem.open(folder) as memory:
        memory.recall("release")
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            told = []
            try:
                for act in (
                    lambda: memory.recall("release"),
                    lambda: memory.remember("x"),
                    lambda: list(memory),
                    lambda: memory.sweep(),
                    lambda: memory.admin.enrich(1),
                ):
                    try:
                        act()
                        told.append("nothing")
                    except GraphMemError as error:
                        told.append(type(error).__name__)
                memory.close()  # as a `with` block does on the way out: quietly
            except BaseException as error:
                told.append(repr(error))
            os.write(write, json.dumps(told).encode())
            os._exit(0)
        os.close(write)
        os.waitpid(child, 0)
        told = json.loads(os.read(read, 10_000))
        os.close(read)
        assert told == ["ForkedError"] * 5
        memory.remember("The parent goes on.")
        assert memory.admin.check() == []
    assert_whole(folder)
    assert issubclass(ForkedError, GraphMemError)


# -- closed -------------------------------------------------------------------------------------


def test_after_close_every_method_says_closed(folder: Path) -> None:
    """A use after the end must not reach freed memory, nor pass for an empty answer."""
    memory = graphmem.open(folder, worker="none")
    memory.admin.enrich()  # nothing waits: asked again on a closed memory, it said so, and a loop ran on
    other = memory.scopes.open("other")
    memory.close()
    memory.close()
    other.close()
    for call in (
        lambda: memory.remember("x"),
        lambda: memory.remember_many(["x"]),
        lambda: memory.files.add(__file__),
        lambda: memory.files.remove(__file__),
        lambda: memory.files.list(),
        lambda: memory.graph.relate(1, "x", 2),
        lambda: memory.used(1),
        lambda: memory.recall("x"),
        lambda: memory.recall("x", mode="focus"),
        lambda: memory[1],
        lambda: 1 in memory,
        lambda: len(memory),
        lambda: list(memory),
        lambda: next(memory.nodes(reverse=True)),
        lambda: memory.graph.links(1),
        lambda: memory.graph.focus,
        lambda: memory.graph.importance(1),
        lambda: memory.graph.facts.put("ex:a", "ex:b", "c"),
        lambda: list(memory.graph.facts),
        lambda: memory.sweep(),
        lambda: memory.admin.shrink(0),
        lambda: memory.pin(1),
        lambda: memory.unpin(1),
        lambda: memory.correct(1, "x"),
        lambda: memory.forget(1),
        lambda: memory.history.of(1),
        lambda: memory.history.forgotten(),
        lambda: memory.history.revive(1),
        lambda: memory.scopes.open("third"),
        lambda: memory.scopes.names(),
        lambda: memory.scopes.drop("other"),
        lambda: memory.admin.stats(),
        lambda: memory.admin.enrich(),
        lambda: memory.admin.check(),
        lambda: memory.admin.compact(),
        lambda: other.remember("x"),
    ):
        with pytest.raises(ClosedError, match="closed"):
            call()
    assert repr(memory)
    assert memory.name == "default"
    assert_whole(folder)


# -- settings -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"max_node": 10}, InvalidArgumentError, "unknown setting 'max_node'; the settings are:"),
        ({"max_nodes": 7}, InvalidArgumentError, "max_nodes is between 8 and ∞, got 7"),
        ({"max_nodes": "many"}, ArgumentTypeError, "max_nodes is int | None, got str"),
        ({"max_nodes": 10.5}, ArgumentTypeError, "max_nodes is int | None, got float"),
        ({"max_nodes": True}, ArgumentTypeError, "max_nodes is int | None, got bool"),
        ({"max_bytes": 1}, InvalidArgumentError, "max_bytes is between 65536 and ∞"),
        ({"durability": "always"}, InvalidArgumentError, "durability is one of sync, group, os"),
        ({"durability": None}, InvalidArgumentError, "durability is one of"),
        ({"worker": "gpt"}, InvalidArgumentError, f"worker is one of {WORKERS}, got 'gpt'"),
        ({"diversity": 0.5}, InvalidArgumentError, "tuning=Tuning(ranking=Ranking(diversity=…))"),
        ({"grace": 5}, InvalidArgumentError, "give it as tuning=Tuning(grace=…)"),
        ({"tuning": {"grace": 5}}, ArgumentTypeError, "tuning is a Tuning, got dict"),
        ({"theme_merge": 0.5}, InvalidArgumentError, "unknown setting 'theme_merge'"),
    ],
)
def test_a_setting_out_of_its_range_is_named_with_it(
    tmp_path: Path, settings: dict[str, Any], error: type[Exception], says: str
) -> None:
    """A misspelt knob that is passed over leaves its user believing in a budget."""
    with pytest.raises(error) as told:
        graphmem.open(tmp_path / "m", **settings)
    assert says in str(told.value)
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("tuning", "error", "says"),
    [
        ({"decay": 1.0}, InvalidArgumentError, "decay is between 0.5 and 0.9999, got 1.0"),
        ({"decay": float("nan")}, InvalidArgumentError, "decay is between"),
        ({"grace": -1}, InvalidArgumentError, "grace is between 0 and"),
        ({"worker_share": 0}, InvalidArgumentError, "worker_share is between 0.01 and 1.0"),
        ({"max_text": None}, ArgumentTypeError, "max_text is int, got NoneType"),
        ({"ranking": {"diversity": 0.5}}, ArgumentTypeError, "ranking is a Ranking, got dict"),
    ],
)
def test_tuning_out_of_its_range_is_named_with_it(
    tuning: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error) as told:
        graphmem.Tuning(**tuning)
    assert says in str(told.value)


def test_what_a_tuning_leaves_at_its_default_may_come_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Commands tune one knob themselves: the variables of all others would have been dropped."""
    monkeypatch.setenv("GRAPHMEM_GRACE", "7")
    monkeypatch.setenv("GRAPHMEM_SEGMENT", "100")
    with graphmem.open(worker="none", tuning=graphmem.Tuning(segment=300)) as memory:
        found = memory.admin.settings
        assert (found.grace, found.segment, found.decay) == (7, 300, 0.97)


def test_a_group_is_read_from_the_environment_unless_it_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A knob that is set in two places must have the value that its reader expects."""
    monkeypatch.setenv("GRAPHMEM_RANKING_FAN", "0.75")
    with graphmem.open(worker="none") as memory:
        assert memory.admin.settings.ranking == graphmem.Ranking(fan=0.75)
    given = graphmem.Ranking(diversity=0.5)
    with graphmem.open(worker="none", tuning=graphmem.Tuning(ranking=given)) as memory:
        assert memory.admin.settings.ranking is given
    with pytest.raises(InvalidArgumentError, match="between"):
        graphmem.Ranking(fan=9.0)


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("GRAPHMEM_MAX_NODES", "many", "environment variable GRAPHMEM_MAX_NODES='many'"),
        ("GRAPHMEM_DECAY", "0,97", "environment variable GRAPHMEM_DECAY='0,97' is not float"),
        ("GRAPHMEM_GRACE", "-1", "grace is between 0 and 10000, got -1"),
        ("GRAPHMEM_WORKER", "gpt", f"worker is one of {WORKERS}, got 'gpt'"),
        ("GRAPHMEM_WORKER_SHARE", "nan", "worker_share is between"),
        ("GRAPHMEM_RANKING_FAN", "9", "ranking.fan is between 0.0 and 2.0, got 9.0"),
    ],
)
def test_an_environment_variable_out_of_its_range_is_named(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, says: str
) -> None:
    """Set years ago in a shell's profile, it is the last thing that anybody looks at."""
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidArgumentError) as told:
        graphmem.open()
    assert says in str(told.value)
    assert variable in str(told.value)


def test_a_misspelt_environment_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passed over, it would leave its user believing in a budget. Others are somebody else's."""
    monkeypatch.setenv("GRAPHMEM_PATH", "there")
    monkeypatch.setenv("GRAPHMEM_WORKER_LOG", "1")
    graphmem.open().close()
    monkeypatch.setenv("GRAPHMEM_MAXBYTES", "64000000")
    with pytest.raises(
        InvalidArgumentError, match="GRAPHMEM_MAXBYTES is no setting, GRAPHMEM_MAX_B"
    ):
        graphmem.open()


def test_keyword_before_variable_before_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other way round, a variable would overrule what a program needs."""
    monkeypatch.setenv("GRAPHMEM_GRACE", "7")
    monkeypatch.setenv("GRAPHMEM_MAX_NODES", "none")
    monkeypatch.setenv("GRAPHMEM_WORKER", "")
    with graphmem.open(worker="none") as memory:
        assert memory.admin.settings.grace == 7
        assert memory.admin.settings.max_nodes is None
    with graphmem.open(worker="none", tuning=graphmem.Tuning(grace=1)) as memory:
        assert memory.admin.settings.grace == 1


# -- ids, scopes and relations ------------------------------------------------------------------


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none") as opened:
        for k in range(3):
            opened.remember(f"Thing {k}.")
        opened.forget(2)
        yield opened


@pytest.mark.parametrize(
    "name",
    [
        "__getitem__",
        "graph.links",
        "graph.importance",
        "pin",
        "unpin",
        "forget",
        "correct",
        "graph.relate",
    ],
)
@pytest.mark.parametrize(
    ("node", "error", "says"),
    [
        (99, UnknownNodeError, "there is no node 99 in scope 'default'; nodes() lists"),
        (0, UnknownNodeError, "there is no node 0"),
        (-1, UnknownNodeError, "no node -1; ids are between 1 and"),
        (1 << 64, UnknownNodeError, "ids are between 1 and"),
        (2, ForgottenError, "node 2 was forgotten at pass 0 (asked); it was about: Thing 1"),
        ("1", ArgumentTypeError, "a node is a Node, a Hit or an id, got str"),
        (None, ArgumentTypeError, "got NoneType"),
        (1.0, ArgumentTypeError, "got float"),
        (True, ArgumentTypeError, "got bool"),
    ],
)
def test_an_id_that_is_none(
    memory: graphmem.Memory, name: str, node: Any, error: type[Exception], says: str
) -> None:
    """ "KeyError: 99" does not say whether it was forgotten, erased or never there."""
    sequence = memory.admin.stats()["sequence"]
    rest = {"correct": ("New.",), "graph.relate": ("because", 1)}.get(name, ())
    with pytest.raises(error) as told:
        attrgetter(name)(memory)(node, *rest)
    assert says in str(told.value)
    if error is ForgottenError:
        assert "revive(2) brings it back" in str(told.value)
    assert memory.admin.stats()["sequence"] == sequence
    assert memory.admin.check() == []


def test_whether_an_id_is_there_can_always_be_asked(memory: graphmem.Memory) -> None:
    """`in` raised for ids that cannot be, instead of saying no."""
    assert 1 in memory
    for other in (2, 99, 0, -1, 1 << 64, "1", None, True, 1.0, memory.history.of(2)[0].node):
        assert other not in memory


@pytest.mark.parametrize(
    "cue",
    [
        "Where does Wen live \ud83d", "Berge \ud83d und Gent", "\udfff", "Iris said \ud800 hello",
        "文住在哪里？ \udc00", "文\ud840 Wen", "W\udcffen", "hello \udead\udbef Wen", "\ud83d\ude00 Wen",
    ],
)  # fmt: skip
def test_a_cue_with_half_a_character(memory: graphmem.Memory, cue: str) -> None:
    """A cue is any str, and half an emoji is left where a client cuts a text by UTF-16 units."""
    memory.remember("Wen lives in Ghent. 文住在根特。", session="s")
    whole = re.sub("[\ud800-\udfff]+", "�", cue)
    for given in (cue, whole):
        assert isinstance(memory.context(given, tokens=200, session="s").text, str)
        assert isinstance(memory.themes.about(given).text, str)
        assert isinstance(memory.recall(given, tokens=100).text, str)
    found, known = (memory.recall(given, use=False) for given in (cue, whole))
    assert [hit.id for hit in found] == [hit.id for hit in known]


@pytest.mark.parametrize(
    ("relation", "error", "says"),
    [
        ("", InvalidArgumentError, "a relation has 1 to 200 characters"),
        ("   ", InvalidArgumentError, "a relation has 1 to 200 characters"),
        ("x" * 201, InvalidArgumentError, "a relation has 1 to 200 characters"),
        ("\ud800", InvalidArgumentError, "lone surrogate"),
        (5, ArgumentTypeError, "a relation is a str, got int"),
        ("focus", ReservedError, "'focus' is made by graphmem itself; choose another name"),
        ("memory:from", ReservedError, "made by graphmem itself"),
    ],
)
def test_a_relation_that_is_none(
    memory: graphmem.Memory, relation: Any, error: type[Exception], says: str
) -> None:
    """A relation that graphmem makes itself would be taken for one that it made."""
    with pytest.raises(error, match=says):
        memory.graph.relate(1, relation, 3)
    assert memory.admin.check() == []


def test_a_node_is_not_related_to_itself(memory: graphmem.Memory) -> None:
    """A loop would give a node importance of its own making."""
    with pytest.raises(InvalidArgumentError, match=r"not linked to itself \(node 1\)"):
        memory.graph.relate(1, "is", 1)
    with pytest.raises(ForgottenError):
        memory.graph.relate(1, "is", 2)


@pytest.mark.parametrize("name", ["", "x" * 201, "a\x00b", "\ud800"])
def test_a_scope_with_an_unfit_name(memory: graphmem.Memory, name: Any) -> None:
    """A name that cannot be encoded would be refused by a room that knows nothing of scopes."""
    with pytest.raises(InvalidArgumentError, match="a scope's name has 1 to 200 characters"):
        memory.scopes.open(name)
    assert memory.scopes.names() == ["default"]


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[31m", "a\u2028b", "\x7f"])
def test_a_scope_is_not_made_with_a_name_of_two_lines(memory: graphmem.Memory, name: str) -> None:
    """A list of scopes, a line each, would show two. One of before is still opened."""
    with pytest.raises(InvalidArgumentError, match="no control characters and no line breaks"):
        memory.scopes.open(name)
    assert memory.scopes.names() == ["default"]


@pytest.mark.parametrize("name", [5, None, b"x"])
def test_a_scope_whose_name_is_no_text(memory: graphmem.Memory, name: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="a scope's name is a str"):
        memory.scopes.open(name)
    assert memory.scopes.names() == ["default"]


@pytest.mark.parametrize("blank", ["", " \n"])
def test_a_blank_filter_is_refused(memory: graphmem.Memory, blank: str) -> None:
    """An empty session id, a bug of the caller's, would bring back every other session's."""
    for given in (
        {"keyword": blank},
        {"where": graphmem.Where(session=blank)},
        {"where": graphmem.Where(speaker=blank)},
    ):
        with pytest.raises(
            InvalidArgumentError, match=r"(session|speaker|keyword) is blank; leave it out"
        ):
            memory.nodes(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", ["no", 0, 1, None])
def test_a_switch_is_true_or_false(memory: graphmem.Memory, given: Any) -> None:
    """`erase="no"` would erase."""
    calls: dict[str, Callable[[], object]] = {
        "use": lambda: memory.recall("release", use=given),
        "trace": lambda: memory.recall("release", trace=given),
        "reverse": lambda: memory.nodes(reverse=given),
        "erase": lambda: memory.forget(1, erase=given),
        "pin": lambda: memory.remember("A text.", pin=given),
    }
    for name, call in calls.items():
        with pytest.raises(ArgumentTypeError, match=f"{name} is True or False, got"):
            call()
    if given is not None:
        with pytest.raises(ArgumentTypeError, match="pinned is True or False"):
            memory.nodes(pinned=given)
    assert 1 in memory


def test_counts_are_whole_and_counters_can_be_called(memory: graphmem.Memory) -> None:
    with pytest.raises(ArgumentTypeError, match="tokens is a whole number, got float"):
        memory.recall("release", tokens=2.5)  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match="to_bytes is a whole number, got float"):
        memory.admin.shrink(10.5)  # type: ignore[arg-type]
    with pytest.raises(
        ArgumentTypeError, match=r"tokens are counted by a function of a str, or .*, got int"
    ):
        memory.recall("release", tokens=graphmem.Tokens(None, 5))  # type: ignore[arg-type]


@pytest.mark.parametrize("attached", [False, True])
def test_what_tells_of_progress_can_be_called(tmp_path: Path, attached: bool) -> None:
    """It was found out when half was written, or not at all."""
    (tmp_path / "note.md").write_text("The kettle is new.")
    with (
        graphmem.open(tmp_path / "m", worker="none") as opened,
        graphmem.attach(opened.path) as far,
    ):
        memory: Any = far if attached else opened
        for given in (5, True, "no"):
            for call in (
                lambda given=given: memory.remember_many(["One.", "Two."], progress=given),
                lambda given=given: memory.files.add(tmp_path / "note.md", progress=given),
                lambda given=given: memory.admin.shrink(10, progress=given),
                lambda given=given: memory.admin.backup(tmp_path / "copy", progress=given),
            ):
                with pytest.raises(ArgumentTypeError, match="progress is a function or None, got"):
                    call()
        assert len(memory) == 0
        assert not (tmp_path / "copy").exists()


_HALF = "\ud800"


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda m: m.items.put_many([], delete=5), ArgumentTypeError, "delete is a list"),
        (lambda m: m.items.put_many([], delete="ab"), ArgumentTypeError, "delete is a list"),
        (lambda m: m.items.list(5), ArgumentTypeError, "namespace is a str, got int"),
        (lambda m: m.items.nearest([10**400]), InvalidArgumentError, "a vector has numbers"),
        (lambda m: m.items.nearest([1e308, float("inf")]), InvalidArgumentError, "finite numbers"),
        (
            lambda m: m.graph.facts.match(offset=None),
            InvalidArgumentError,
            "offset is a whole number",
        ),
        (
            lambda m: m.graph.facts.search([], offset=None),
            InvalidArgumentError,
            "offset is a whole number",
        ),
        (
            lambda m: m.graph.facts.search([], where=5),
            ArgumentTypeError,
            "where is a function or None",
        ),
        (lambda m: m.items.changes(namespace=5), ArgumentTypeError, "namespace is"),
        (lambda m: m.files.sync("no", write=5), ArgumentTypeError, "write is True or False"),
        (lambda m: m.themes.of(99), UnknownNodeError, "99"),
        (lambda m: m.remember("a", about=graphmem.About(kind=5)), ArgumentTypeError, "kind is a"),
        (
            lambda m: m.remember("a", about=5),
            ArgumentTypeError,
            "about is a graphmem.About, got int",
        ),
        (
            lambda m: m.remember("a", about=graphmem.About(route="ana")),
            ArgumentTypeError,
            "route is True, or a mapping",
        ),
        (
            lambda m: m.remember(messages=[], about=graphmem.About(route={"personal": "ana"})),
            InvalidArgumentError,
            "route is for a text",
        ),
        (lambda m: m.admin.end_session(None), ArgumentTypeError, "takes the name of a session"),
        (lambda m: m.admin.end_session(" "), InvalidArgumentError, "takes the name of a session"),
        (lambda m: m.forget(b"\x01"), ArgumentTypeError, "an id, got bytes"),
        (lambda m: m.used([bytearray(b"\x01")]), ArgumentTypeError, "an id, got bytearray"),
        (lambda m: m.history.reopen(1, withdraw=b"\x01"), ArgumentTypeError, "not as bytes"),
        (lambda m: m.review.resolve((1, 3), policy="no"), InvalidArgumentError, "policy is 'ask'"),
        (lambda m: m.review.resolve("all", keep=1), InvalidArgumentError, "keep= is for one"),
        (lambda m: m.review.resolve("1,3,4", keep=1), ArgumentTypeError, "two ids such as"),
        (lambda m: m.themes.parents(99, "message"), UnknownNodeError, "there is no node 99"),
        (lambda m: m.files.add("no", happened=5), ArgumentTypeError, "happened is"),
        (lambda m: m.themes.export(yaml=""), InvalidArgumentError, "yaml '' is empty"),
        (lambda m: m.themes.export(gexf="a\x00"), InvalidArgumentError, "gexf .* has NULs"),
        (lambda m: m.themes.export(gexf=_HALF), InvalidArgumentError, "gexf .* lone surrogates"),
        (lambda m: m.themes.export(yaml=5), ArgumentTypeError, "yaml is a str or a pathlib.Path"),
        (lambda m: m.themes.episodes(_HALF), InvalidArgumentError, "a session has a lone"),
        (lambda m: m.themes.assimilate(10**400), InvalidArgumentError, "timeout is between"),
        (lambda m: m.admin.enrich(10**5000), InvalidArgumentError, "timeout is between"),
        (lambda m: m.context("x", roles={"a": {}}), InvalidArgumentError, "a role is one of"),
        (lambda m: graphmem.WorkingSet.of("m", "s"), ArgumentTypeError, "memory is a Memory"),
        (lambda m: graphmem.WorkingSet.of(m, 5), ArgumentTypeError, "session is a str, got int"),
    ],
)
def test_an_argument_is_refused_by_name(
    memory: graphmem.Memory, call: Callable[[Any], object], error: type[Exception], says: str
) -> None:
    """Each raised a TypeError, an AttributeError or an OverflowError out of the middle."""
    with pytest.raises(error, match=says):
        call(memory)
    assert memory.admin.check() == []


_BOUNDS: Any = {
    "limit of recall": (lambda m, v: m.recall("a", limit=v), 0, 1000),
    "tokens of recall": (lambda m, v: m.recall("a", tokens=v), 0, 1 << 30),
    "depth": (lambda m, v: m.recall("a", where=graphmem.Where(depth=v)), 0, 10),
    "tokens of context": (lambda m, v: m.context("a", tokens=v), 0, 1 << 30),
    "recent": (lambda m, v: m.context("a", recent=v), 0, 1),
    "tokens of about": (lambda m, v: m.themes.about("a", tokens=v), 0, 1 << 30),
    "seconds of sweep": (lambda m, v: m.sweep(v), 0, 86_400),
    "seconds of sparql": (lambda m, v: m.graph.sparql("ASK {}", seconds=v), 0.5, 86_400),
    "limit of forgotten": (lambda m, v: m.history.forgotten(v), 0, 100_000),
    "version": (lambda m, v: version_of(m, v), 0, 1 << 62),
    "limit of conflicts": (lambda m, v: m.review.conflicts(v), 0, 1000),
    "seconds of conflicts": (lambda m, v: m.review.conflicts(seconds=v), 0, 86_400),
    "sessions": (lambda m, v: m.review.preferences(sessions=v), 2, 1000),
    "timeout of enrich": (lambda m, v: m.admin.enrich(v), 0, 1 << 30),
    "limit of failed": (lambda m, v: m.admin.failed(v), 0, 1 << 30),
    "to_bytes": (lambda m, v: m.admin.shrink(v), 0, 1 << 62),
    "timeout of assimilate": (lambda m, v: m.themes.assimilate(v), 0, 1 << 30),
    "confidence": (
        lambda m, v: m.remember("Tea.", about=graphmem.About(confidence=v)), 0, 1,
    ),
}  # fmt: skip


def version_of(memory: graphmem.Memory, version: int) -> None:
    with suppress(UnknownVersionError):
        memory.history.revive(1, version)


@pytest.mark.parametrize("name", _BOUNDS)
def test_an_argument_may_be_as_small_and_as_great_as_its_bounds(
    memory: graphmem.Memory, name: str
) -> None:
    """One more was taken, or the last one refused."""
    call, low, high = _BOUNDS[name]
    for bad in (-1 if low < 1 else low - 1, high + 1):
        with pytest.raises(InvalidArgumentError):
            call(memory, bad)
    for good in (high, low):
        call(memory, good)


_LONG = "x" * 5000


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.recall("a", where=graphmem.Where(since=_LONG)),
        lambda m: m.recall("a", mode=_LONG),
        lambda m: m.recall("a", mode=_LONG, trace=True),
        lambda m: m.recall("a", cut=_LONG),
        lambda m: m.recall("a", tokens=graphmem.Tokens(None, _LONG)),
        lambda m: m.nodes(form=_LONG),
        lambda m: m.remember("a", happened=_LONG),
        lambda m: m.remember(messages=[{"role": "user", "content": "a", "timestamp": _LONG}]),
        lambda m: m.remember_many([{"text": "a", _LONG: 1}]),
        lambda m: m.context("a", budgets={_LONG: 1}),
        lambda m: m.items.put_many([{"namespace": "a", "key": "b", "value": 1, _LONG: 1}]),
        lambda m: m.items.list("a", where={"a": {"$" + _LONG: 1}}),
        lambda m: m.themes.children(1, _LONG),
        lambda m: m.scopes.open(_LONG),
        lambda m: m.scopes.open("a", parents=[_LONG]),
        lambda m: m.scopes.drop(_LONG),
        lambda m: m.themes.export(yaml=_LONG),
        lambda m: m.admin.backup(_LONG),
        lambda m: m.files.add(_LONG),
        lambda m: graphmem.Settings.read({_LONG: 1}),
        lambda m: graphmem.Settings.read({"worker": _LONG}),
    ],
)
def test_an_error_does_not_repeat_a_long_value(
    memory: graphmem.Memory, call: Callable[[Any], object]
) -> None:
    """A text that was handed over in the wrong place filled the log."""
    with pytest.raises(GraphMemError) as told:
        call(memory)
    assert len(str(told.value)) < 1000


def test_a_name_that_the_package_does_not_have_is_an_attribute_error() -> None:
    """`hasattr` and whoever asks for an optional name get no other error."""
    with pytest.raises(AttributeError, match="'graphmem' has no attribute 'Nothing'"):
        _ = graphmem.Nothing


def test_a_clock_without_a_zone_is_refused_when_it_is_given(tmp_path: Path) -> None:
    """Found later, the folder would be there and no text could be remembered."""
    with pytest.raises(InvalidArgumentError, match=r"clock\(\)=.* has no time zone"):
        graphmem.open(tmp_path / "m", clock=datetime.now)
    with pytest.raises(ArgumentTypeError, match=r"clock\(\) gives a datetime, got str"):
        graphmem.open(tmp_path / "m", clock=lambda: "now")  # type: ignore[arg-type, return-value]
    assert not (tmp_path / "m").exists()


def test_a_clock_before_1970_is_refused(tmp_path: Path) -> None:
    """It ended in an OverflowError in whatever looked for what has expired."""
    for early in ("0001-01-01T00:00Z", "1970-01-01T03:00+14:00"):
        clock = Clock(datetime.fromisoformat(early))
        with pytest.raises(InvalidArgumentError, match=r"clock\(\) gives .* before 1970"):
            graphmem.open(tmp_path / "m", clock=clock)


@pytest.mark.parametrize(
    "now",
    [
        "1970-01-01T00:00Z", "1970-01-01T14:00+14:00",
        "9950-01-01T00:00Z", "9999-12-25T12:00Z", "9999-12-31T23:59Z", "9999-12-31T23:59+14:00",
    ],
)  # fmt: skip
def test_whatever_a_clock_says_from_1970_to_9999_works(now: str) -> None:
    """On the last days of all a zone, a week or an expiry led past them: OverflowError."""
    clock = Clock(datetime.fromisoformat(now))
    with graphmem.open(None, worker="none", clock=clock) as memory:
        memory.remember("The car is on level three.", expires=99 * 365.0 * 86_400)
        memory.remember("Yesterday the ferry left at nine.", session="tea")
        memory.items.put("n", "a", 1, ttl=99 * 365.0 * 86_400)
        for hours in (0, 14, -12):
            with suppress(OverflowError):  # there is no such day in that zone
                clock.now = clock.now.astimezone(timezone(timedelta(hours=hours)))
            for cue in (
                "yesterday",
                "what happened since Monday",
                "next week",
                "Where is the car?",
            ):
                memory.recall(cue)
                memory.context(cue, tokens=200)
        assert "level three" in memory.recall("Where is the car?").text
        assert next(str(node) for node in memory.nodes()) == "The car is on level three."
        assert [item.value for item in memory.items.list("n")] == [1]
        memory.sweep()
        assert memory.admin.check() == []


def test_a_clock_that_loses_its_zone_is_told_of_by_each_verb(tmp_path: Path) -> None:
    """It raised a TypeError of Python's, from `close` too where a use waited."""
    zone: list[Any] = [UTC]
    memory = graphmem.open(tmp_path / "m", worker="none", clock=lambda: datetime.now(zone[0]))
    memory.remember("The kettle is broken.")
    memory.recall("kettle", use=True)
    zone[0] = None
    with pytest.raises(InvalidArgumentError, match="use datetime"):
        memory.recall("kettle")
    memory.close()
    graphmem.open(tmp_path / "m", worker="none").close()


def test_a_graph_is_no_memory_and_not_listed_as_one(tmp_path: Path) -> None:
    """`[memory.scopes.open(name) for name in memory.scopes.names()]` must not end in an error."""
    graph = rdflib.Graph(RdflibStore(), identifier="http://example.org/g")
    graph.open(str(tmp_path / "m"), create=True)
    graph.add((URIRef("http://e.org/a"), URIRef("http://e.org/b"), URIRef("http://e.org/c")))
    graph.close()
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert memory.scopes.names() == ["default"]


def test_a_relative_folder_is_that_of_the_time_it_was_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with graphmem.open("m", worker="none") as memory, graphmem.attach("m") as attached:
        monkeypatch.chdir("/")
        assert memory.path == attached.path == memory.admin.stats()["path"] == str(tmp_path / "m")
        memory.remember("The release is May 10.")
        assert len(attached) == 1


def test_scopes_are_dropped_by_name_and_not_by_mistake(memory: graphmem.Memory) -> None:
    """Dropping what one stands on, or what is misspelt, must not take anything away."""
    project = memory.scopes.open("project")
    project.remember("A thing of the project.")
    with pytest.raises(InvalidArgumentError, match="cannot drop its own scope"):
        memory.scopes.drop("default")
    with pytest.raises(UnknownScopeError, match="there is no scope 'projekt'"):
        memory.scopes.drop("projekt")
    assert len(project) == 1
    memory.scopes.drop("project")
    for use in (
        lambda: project.remember("Too late."),
        lambda: project.recall("thing"),
        lambda: list(project),
        lambda: list(project.graph.facts.match()),
        project.graph.rdf,
        project.admin.check,
        project.admin.stats,
        project.admin.compact,
    ):
        with pytest.raises(UnknownScopeError, match=r"'project' has been dropped: open it anew"):
            use()
    assert len(memory.scopes.open("project")) == 0


def test_a_folder_is_closed_also_when_the_scope_it_was_opened_with_is_gone(
    tmp_path: Path,
) -> None:
    """Else nobody could open it again before the process ends."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.scopes.open("other").scopes.drop("default")
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert memory.scopes.names() == ["default", "other"]


@pytest.mark.parametrize("timeout", ["1", -1, float("nan"), True])
def test_a_timeout_that_is_none(memory: graphmem.Memory, timeout: Any) -> None:
    """A negative timeout waits for ever in one library and not at all in the next."""
    with pytest.raises((ArgumentTypeError, InvalidArgumentError), match="timeout is"):
        memory.admin.enrich(timeout)


def test_nothing_is_said_on_the_terminal() -> None:
    """A library that prints its troubles breaks the output of whoever embeds it."""
    code = """
import graphmem
from graphmem.api.opening import rooms
from graphmem_worker.errors import TaskError
with graphmem.open(worker="none") as memory:
    memory.remember("A thing.")
    def fail(payload):
        raise TaskError("failed", "no", False)
    rooms(memory).enrichment.process = fail
    memory.admin.enrich()
    assert memory.admin.stats()["queue"]["set_aside"] == 1
"""
    child = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=_environment()
    )
    assert (child.returncode, child.stdout, child.stderr) == (0, "", "")


# -- a full disk --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("durability", ["os", "group", "sync"])
def test_a_full_disk_loses_nothing_that_was_acknowledged(small_disk: Path, durability: Any) -> None:
    """The disk is full one day; what was there, and what was acknowledged, must be there then."""
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * (4 << 20))
    kept: dict[int, str] = {}
    memory = graphmem.open(small_disk / "m", worker="none", durability=durability)

    def fill() -> None:
        for k in range(100_000):
            text = f"Note number {k} of many. " + f"Some words more about {k * 37} things. " * 3
            kept[memory.remember(text)[0].id] = text.strip()

    with pytest.raises(FullError) as told:
        fill()
    assert told.value.errno in (errno.ENOSPC, errno.EDQUOT)
    assert str(small_disk) in str(told.value)
    assert "make room and open it again" in str(told.value)
    assert len(kept) > 10
    # Reading goes on, and writing is refused until the store is opened again.
    assert memory.recall("note number 7 things", tokens=100, use=True).text
    assert memory[1].text == kept[1]
    assert memory.admin.check() == []
    for write in (lambda: memory.remember("And on."), lambda: memory.sweep(), memory.admin.compact):
        with pytest.raises(BrokenError, match="close the store and open it again"):
            write()
    memory.close()  # with a use waiting that cannot be written: lets go of the folder all the same
    if default() == "leveldb":  # it makes a table of its log; LMDB opens without writing
        with pytest.raises(StorageError, match=str(small_disk)):  # or its subclass FullError
            graphmem.open(small_disk / "m", worker="none").close()
    ballast.unlink()
    with graphmem.open(small_disk / "m", worker="none") as again:
        assert again.admin.check() == []
        for node, text in kept.items():
            assert again[node].text.startswith(text[:20])
        again.remember("And on.")
        assert again.admin.check() == []


@pytest.mark.slow
def test_a_disk_that_fills_inside_a_large_text(small_disk: Path) -> None:
    """Half of a text that was refused must not come back when there is room again."""
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * (4 << 20))
    text = "".join(
        f"Sentence {k} of a long report, {k * 37} words in all. " * 4 for k in range(4000)
    )
    with graphmem.open(small_disk / "m", worker="none") as memory:
        memory.remember("A short one before.")
        with pytest.raises(FullError):
            memory.remember(text)
        assert [node.text for node in memory] == ["A short one before."]
        assert "report" not in memory.recall("long report", tokens=1000).text
    ballast.unlink()
    with graphmem.open(small_disk / "m", worker="none") as memory:
        assert [node.text for node in memory] == ["A short one before."]
        assert memory.admin.check() == []


def test_a_memory_cannot_be_made_on_a_full_disk(small_disk: Path) -> None:
    """What cannot even begin must say so, and leave nothing that bars the next try."""
    ballast = small_disk / "ballast"
    with suppress(OSError), open(ballast, "wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    with pytest.raises((FullError, StorageError), match="m"):
        graphmem.open(small_disk / "m", worker="none").close()
    ballast.unlink()
    with graphmem.open(small_disk / "m", worker="none") as memory:
        memory.remember("The release is May 10.")
    assert_whole(small_disk / "m")
    assert issubclass(ReadOnlyFolderError, GraphMemError)


@pytest.mark.parametrize(("given", "advice"), [([], "list of none"), ([1], r"the first: \[0\]")])
def test_a_list_in_place_of_a_node_says_what_to_do(given: list[int], advice: str) -> None:
    """Of an empty list the first was recommended."""
    with graphmem.open(worker="none") as memory:
        memory.remember("The boat has a new sail.")
        with pytest.raises(graphmem.errors.ArgumentTypeError, match=advice):
            memory.pin(given)  # type: ignore[arg-type]
