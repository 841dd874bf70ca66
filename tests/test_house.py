"""The house keeps its shape: imports run downwards, and a file is named after what it owns.

A layered engine rots by one convenient import at a time, and the pickle that sneaks in is code
executed from data. DESIGN §1 states the rules; here they are read off the sources.
"""

import ast
import gc
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

SOURCES = ("graphmem", "worker", "tests", "bench")

LAYERS: Mapping[str, int] = {
    room: layer
    for layer, rooms in enumerate(
        (
            ("storage",),
            ("hexastore",),
            ("rdf",),
            ("index", "graph", "services"),
            ("query",),
            ("remembering", "recalling", "forgetting", "lifecycle", "themes", "sharing", "mapping"),
            ("attaching", "exchange", "maintenance"),
            ("runtime",),
            ("api",),
            ("interfaces", "integrations"),
        )
    )
    for room in rooms
}
"""The rooms of graphmem, the lowest first. A room may use the rooms of a lower layer and itself, and
beside it only what `BESIDE` allows."""

BESIDE: frozenset[tuple[str, str]] = frozenset(
    {("exchange", "maintenance"), ("sharing", "recalling")}
)
"""(room, the room of the same layer that it may use)."""

OPEN_TO_ALL = {"errors", "settings", "values", "declaring"}
"""What every room may use; it uses no room itself, only the others that are open to all."""

TOP = {"__init__", "__main__", "aio", "errors", "settings", "declaring"}
"""The modules that stand in no room."""

FOLDERS = {
    "index": {"words", "vectors"},
    "interfaces": {"cli", "view"},
    "storage": {"homes"},
}
"""The folders within rooms."""

WORKER = {
    "language": 0,
    "text": 0,
    "guard": 0,
    "kinds": 0,
    "claims": 0,
    "facts": 0,
    "gate": 1,
    "backends": 2,
    "process": 3,
}
"""The rooms of graphmem_worker; `errors` and `protocol` are open to all of them."""

KNOWS_NO_TEXT = {
    "storage", "hexastore", "rdf", "attaching", "query", *(OPEN_TO_ALL - {"values"})
}  # fmt: skip
"""Rooms that may not use the worker's text functions. `values` may: what a line says of a memory is
in the language of what it stands beside."""

VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "base", "manager"}

RUNS_CODE_FROM_DATA = {"pickle", "_pickle", "cPickle", "cloudpickle", "dill", "shelve", "marshal"}

DETOUR = ".".join(("worker", "graphmem_worker"))
"""The worker seen as a folder of the checkout: a second copy of its modules, absent from wheels."""

SUSPECT = re.compile(
    rf"\b(?:{'|'.join(RUNS_CODE_FROM_DATA)})\b|{re.escape(DETOUR)}|\bfrom\s+[.\w]*worker\s+import\b"
)
"""What a file of no room must hold to break a rule of imports. Only such files are parsed."""


@dataclass(frozen=True, slots=True)
class Import:
    """A module that a source file imports, anywhere in it, also for types only."""

    path: str
    line: int
    importer: str
    """Dotted name of the importing module."""
    imported: str
    """Dotted name; `from a import b` counts as `a.b` if that is a module, else as `a`."""


def module_name(path: Path, root: Path) -> str:
    parts = list(path.relative_to(root).with_suffix("").parts)
    if parts[0] == "worker":
        parts = parts[1:]
    if parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)


@cache
def is_module(name: str, root: Path) -> bool:
    place = Path(*name.split("."))
    return any(
        (base / place).is_dir() or (base / place).with_suffix(".py").is_file()
        for base in (root, root / "worker")
    )


def nodes_of(path: Path) -> list[ast.AST]:
    """The imports, calls, strings and attributes of a source file."""
    return _parsed(path, path.stat().st_mtime_ns)


@cache
def _parsed(path: Path, changed: int) -> list[ast.AST]:
    wanted = (ast.Import, ast.ImportFrom, ast.Call, ast.Constant, ast.Attribute)
    # Objects made by the hundred thousand, none of them garbage: looking for some doubles the time.
    collects = gc.isenabled()
    gc.disable()
    try:
        ahead: list[ast.AST] = [ast.parse(path.read_text("utf-8"), str(path))]
        for node in ahead:  # `ast.walk` takes twice as long
            for name in node._fields:
                value = getattr(node, name)
                if value.__class__ is list:
                    ahead += [part for part in value if isinstance(part, ast.AST)]
                elif name not in ("ctx", "id", "attr") and isinstance(value, ast.AST):
                    ahead.append(value)
    finally:
        if collects:
            gc.enable()
    return [node for node in ahead if isinstance(node, wanted)]


def imports_of(path: Path, root: Path) -> Iterator[Import]:
    """Yield what `path` imports, by statement or by `import_module("…")`, and where."""
    shown = path.relative_to(root).as_posix()
    here = module_name(path, root)
    package = here if path.name == "__init__.py" else here.rpartition(".")[0]
    for node in nodes_of(path):
        names: list[str] = []
        match node:
            case ast.Import():
                names = [alias.name for alias in node.names]
            case ast.ImportFrom():
                source = node.module or ""
                if node.level:
                    ancestor = package.split(".")[: len(package.split(".")) - node.level + 1]
                    source = ".".join([*ancestor, source] if source else ancestor)
                for alias in node.names:
                    inner = f"{source}.{alias.name}"
                    names.append(inner if is_module(inner, root) else source)
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__")
                | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                names = [name]
            case _:
                continue
        for name in dict.fromkeys(names):
            yield Import(shown, node.lineno, here, name)


def room_fault(found: Import) -> str | None:
    """Return what is wrong with this import by the order of rooms, or None."""
    importer, imported = found.importer.split("."), found.imported.split(".")
    if importer[0] == "graphmem_worker":
        return worker_fault(importer, imported)
    if importer[0] != "graphmem" or len(importer) == 1 or importer[1] in ("__main__", "aio"):
        return None
    room = importer[1]
    if imported[0] == "graphmem_worker":
        return f"{room} knows nothing of text" if room in KNOWS_NO_TEXT else None
    if imported[0] != "graphmem":
        return None
    target = imported[1] if len(imported) > 1 else "the top"
    if target in OPEN_TO_ALL or target == room:
        return None
    if room in OPEN_TO_ALL:
        return f"{room} is used by every room and uses none, not {target}"
    if room == "interfaces" and target == "the top":
        return None  # a program uses the library by its public names
    if target not in LAYERS:
        return f"{room} must not use {target}, which stands above all rooms"
    if room not in LAYERS:
        return f"{room} is no room of the house; add it to LAYERS"
    if LAYERS[target] == LAYERS[room] and (room, target) not in BESIDE:
        return f"{room} and {target} stand side by side and must not use each other"
    if LAYERS[target] > LAYERS[room]:
        return f"{room} must not use {target}, which stands above it"
    return None


def worker_fault(importer: list[str], imported: list[str]) -> str | None:
    """The same for graphmem_worker."""
    if imported[0] == "graphmem":
        return "graphmem_worker imports nothing of graphmem"
    if imported[0] != "graphmem_worker" or len(importer) == 1 or len(imported) == 1:
        return None
    room, target = importer[1], imported[1]
    if target in ("errors", "protocol") or room in (target, "__main__"):
        return None
    if room not in WORKER or target not in WORKER:
        return f"{room} and {target}: errors and protocol use no room; every other module has one"
    if WORKER[target] > WORKER[room]:
        return f"{room} must not use {target}, which stands above it"
    return None


def circles(root: Path) -> list[tuple[str, ...]]:
    """Modules that import each other in a circle, sorted; late and type-only imports count.

    The package `graphmem` itself is left out: it only hands out what its rooms export.
    """
    uses: dict[str, set[str]] = {}
    for path in sources(root):
        if path.relative_to(root).parts[0] not in ("graphmem", "worker"):
            continue
        if path != root / "graphmem" / "__init__.py":
            found = {i.imported for i in imports_of(path, root)} - {"graphmem"}
            uses.setdefault(module_name(path, root), set()).update(found)
    ahead = {module: reached(uses, module) for module in uses}
    rings = (
        {module, *(m for m in found if module in ahead.get(m, ()))}
        for module, found in ahead.items()
    )
    return sorted({tuple(sorted(ring)) for ring in rings if len(ring) > 1})


def reached(uses: Mapping[str, set[str]], start: str) -> set[str]:
    """The modules that `start` uses, directly or through others."""
    found: set[str] = set()
    ahead = [start]
    while ahead:
        new = uses.get(ahead.pop(), set()) - found
        found |= new
        ahead.extend(new)
    return found


def import_faults(root: Path) -> Iterator[str]:
    """Yield `file:line: what is wrong` for each import under `root` that breaks a rule."""
    for path in sources(root):
        is_of_a_room = path.relative_to(root).parts[0] in ("graphmem", "worker")
        if not is_of_a_room and not SUSPECT.search(path.read_text("utf-8")):
            continue
        for found in imports_of(path, root):
            where = f"{found.path}:{found.line}: imports {found.imported}: "
            if found.imported.split(".")[0] in RUNS_CODE_FROM_DATA:
                yield where + "what it reads may run code"
            if found.imported == DETOUR or found.imported.startswith(DETOUR + "."):
                yield where + "import graphmem_worker instead"
            elif fault := room_fault(found):
                yield where + fault
        for node in nodes_of(path):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and (node.value == DETOUR or node.value.startswith((DETOUR + ".", DETOUR + ":")))
            ):
                where = f"{path.relative_to(root).as_posix()}:{node.lineno}: "
                yield f"{where}names {node.value}: name graphmem_worker instead"


def name_faults(root: Path) -> Iterator[str]:
    """Yield `file:1: what is wrong` for each file or folder with a name that says nothing."""
    for path in sources(root):
        relative = path.relative_to(root)
        vague = [p for p in relative.with_suffix("").parts if p.strip("_") in VAGUE_NAMES]
        for part in vague:
            yield f"{relative.as_posix()}:1: {part} says nothing; name it after what it owns"
        if not vague:
            yield from place_faults(relative)


def place_faults(relative: Path) -> Iterator[str]:
    """Yield what is wrong with the folder in which a source file lies."""
    shown, parts = relative.as_posix(), relative.with_suffix("").parts
    if parts[0] == "graphmem" and len(parts) == 2:
        if parts[1] not in TOP:
            yield f"{shown}:1: {parts[1]} stands in no room; TOP lists the modules that may"
    elif parts[0] == "graphmem":
        room = parts[1]
        if room not in LAYERS and room not in OPEN_TO_ALL:
            yield f"{shown}:1: {room} is no room of the house; add it to LAYERS"
        elif inner := set(parts[2:-1]) - FOLDERS.get(room, set()):
            yield f"{shown}:1: {room} has no folder {min(inner)}; add it to FOLDERS"
    elif parts[:2] == ("worker", "graphmem_worker") and len(parts) > 3 and parts[2] not in WORKER:
        yield f"{shown}:1: {parts[2]} is no room of graphmem_worker; add it to WORKER"


def sources(root: Path) -> Iterator[Path]:
    for folder in SOURCES:
        yield from sorted((root / folder).rglob("*.py"))


def test_imports_run_downwards() -> None:
    faults = list(import_faults(ROOT))
    assert not faults, "\n" + "\n".join(faults)


def test_names_say_what_a_file_owns() -> None:
    faults = list(name_faults(ROOT))
    assert not faults, "\n" + "\n".join(faults)


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Two files in a circle are one file, and an import that is late only to hide one fails as
    soon as somebody moves it to the top."""
    assert circles(ROOT) == []


def test_memory_can_be_read_in_ten_minutes() -> None:
    """Policy gathered in the one class that every verb passes."""
    assert len((ROOT / "graphmem" / "api" / "memory.py").read_text("utf-8").splitlines()) <= 400


def test_nobody_reaches_into_a_memory() -> None:
    """Half of the tests broke when what a `Memory` holds was renamed: `rooms(memory)` gives it."""
    inner = {"_opened", "_memories", "_family"}
    reached = [
        f"{path.relative_to(ROOT).as_posix()}:{node.lineno}: {node.attr}"
        for path in sources(ROOT)
        if path.relative_to(ROOT).parts[0] in ("tests", "bench")
        and any(name in path.read_text("utf-8") for name in inner)
        for node in nodes_of(path)
        if isinstance(node, ast.Attribute) and node.attr in inner
    ]
    assert reached == []


def test_every_room_is_there_or_still_to_be_built() -> None:
    """The name of a room that is gone would go on allowing what it allowed."""
    there = {path.parent.name for path in (ROOT / "graphmem").glob("*/__init__.py")}
    assert there - OPEN_TO_ALL <= set(LAYERS)
    assert set(LAYERS) - there <= {"lifecycle", "themes", "sharing", "integrations"}


def test_the_sources_are_where_this_test_looks() -> None:
    """Moved sources would make the two tests above pass by finding nothing."""
    assert (ROOT / "graphmem" / "errors.py") in set(sources(ROOT))
    assert Path(__file__) in set(sources(ROOT))


def house(root: Path, path: str, line: str) -> Path:
    """Build a small house in which the file `path` holds `line` as its second line."""
    for room in LAYERS:
        (root / "graphmem" / room).mkdir(parents=True)
        (root / "graphmem" / room / "__init__.py").touch()
    (root / "graphmem" / "values").mkdir()
    for file in ("errors", "settings", "values/nodes", "api/memory", "graph/links"):
        (root / "graphmem" / f"{file}.py").touch()
    (root / "graphmem" / "storage" / "engine.py").touch()
    for room in WORKER:
        (root / "worker" / "graphmem_worker" / room).mkdir(parents=True)
    (root / "worker" / "graphmem_worker" / "text" / "sentences.py").touch()
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f'"""A file."""\n{line}\n', "utf-8")
    return root


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("graphmem/storage/x.py", "from graphmem.hexastore import terms"),
        ("graphmem/storage/x.py", "from graphmem import hexastore"),
        ("graphmem/storage/x.py", "from .. import hexastore"),
        ("graphmem/storage/x.py", "from ..hexastore.terms import Term"),
        ("graphmem/storage/__init__.py", "from ..graph import links"),
        ("graphmem/storage/x.py", "import graphmem.graph.links as links"),
        ("graphmem/storage/x.py", "def late(): from graphmem.graph import links"),
        ("graphmem/storage/x.py", "import importlib; importlib.import_module('graphmem.graph')"),
        ("graphmem/index/x.py", "from graphmem.graph import links"),
        ("graphmem/recalling/x.py", "from graphmem import forgetting"),
        ("graphmem/recalling/deep/x.py", "from ...remembering import segments"),
        ("graphmem/graph/x.py", "from graphmem.api.memory import Memory"),
        ("graphmem/query/x.py", "from graphmem.recalling import ranking"),
        ("graphmem/attaching/x.py", "from graphmem.api.memory import Memory"),
        ("graphmem/values/x.py", "from graphmem.graph.links import Link"),
        ("graphmem/query/x.py", "from graphmem_worker.text import sentences"),
        ("worker/graphmem_worker/text/x.py", "from graphmem_worker.gate import judge"),
        ("worker/graphmem_worker/protocol.py", "from graphmem_worker.text import words"),
        ("graphmem/graph/x.py", "import graphmem"),
        ("graphmem/graph/x.py", "from graphmem import open"),
        ("graphmem/errors.py", "from graphmem.storage import engine"),
        ("graphmem/settings.py", "from graphmem_worker import sentences"),
        ("graphmem/hexastore/x.py", "from graphmem_worker import sentences"),
        ("graphmem/storage/x.py", "import graphmem_worker.text.sentences"),
        ("worker/graphmem_worker/x.py", "from graphmem.errors import GraphMemError"),
        ("worker/graphmem_worker/x.py", "import graphmem"),
        ("graphmem/api/memory.py", f"from {DETOUR} import sentences"),
        ("graphmem/api/memory.py", "from worker import graphmem_worker"),
        ("tests/test_x.py", f"import {DETOUR}.sentences"),
        ("tests/test_x.py", f"target = '{DETOUR}.sentences'"),
        ("graphmem/storage/x.py", "import pickle"),
        ("worker/graphmem_worker/x.py", "from shelve import open"),
        ("tests/test_x.py", "import pickle"),
    ],
)
def test_a_wrong_import_is_found_at_its_line(tmp_path: Path, path: str, line: str) -> None:
    faults = list(import_faults(house(tmp_path, path, line)))
    assert len(faults) == 1, faults
    assert faults[0].startswith(f"{path}:2: ")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("graphmem/forgetting/x.py", "from graphmem.storage import engine"),
        ("graphmem/recalling/x.py", "from graphmem.index import words"),
        ("graphmem/graph/x.py", "from . import links"),
        ("graphmem/graph/x.py", "from .links import Link"),
        ("graphmem/graph/x.py", "from graphmem import errors, settings"),
        ("graphmem/graph/x.py", "from ..errors import GraphMemError"),
        ("graphmem/settings.py", "from graphmem.errors import GraphMemError"),
        ("graphmem/index/x.py", "from graphmem_worker.text import sentences"),
        ("graphmem/api/memory.py", "from graphmem_worker.text.sentences import cut"),
        ("graphmem/graph/x.py", "from graphmem.values.nodes import Node"),
        ("graphmem/query/x.py", "from graphmem.graph.links import Link"),
        ("graphmem/interfaces/cli/x.py", "from graphmem import api, storage"),
        ("graphmem/interfaces/cli/x.py", "import graphmem"),
        ("graphmem/__init__.py", "from graphmem.api.memory import Memory"),
        ("worker/graphmem_worker/process/x.py", "from graphmem_worker.text import sentences"),
        ("worker/graphmem_worker/text/x.py", "from . import sentences"),
        ("tests/test_x.py", "import graphmem.storage.engine, graphmem_worker"),
        ("graphmem/storage/x.py", "import json"),
    ],
)
def test_a_right_import_is_let_be(tmp_path: Path, path: str, line: str) -> None:
    assert list(import_faults(house(tmp_path, path, line))) == []


@pytest.mark.parametrize(
    "path",
    [
        "graphmem/utils.py",
        "graphmem/storage/_helpers.py",
        "worker/graphmem_worker/common/x.py",
        "bench/misc.py",
        "graphmem/attic/x.py",
        "graphmem/index/attic/x.py",
        "graphmem/loose.py",
        "worker/graphmem_worker/attic/x.py",
    ],
)
def test_a_name_that_says_nothing_is_found(tmp_path: Path, path: str) -> None:
    faults = list(name_faults(house(tmp_path, path, "")))
    assert len(faults) == 1, faults
    assert faults[0].startswith(f"{path}:1: ")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("from graphmem.graph import y", "from graphmem.graph.x import X"),
        ("def late(): from graphmem.graph import y", "import graphmem.graph.x"),
        ("if TYPE_CHECKING: from .y import Y", "def late(): from . import x"),
    ],
)
def test_a_circle_is_found(tmp_path: Path, first: str, second: str) -> None:
    house(tmp_path, "graphmem/graph/x.py", first)
    (tmp_path / "graphmem" / "graph" / "y.py").write_text(f"{second}\n", "utf-8")
    (tmp_path / "graphmem" / "graph" / "z.py").write_text("from . import x, y\n", "utf-8")
    assert circles(tmp_path) == [("graphmem.graph.x", "graphmem.graph.y")]


def test_nobody_is_told_to_install_this_from_a_registry() -> None:
    """graphmem is on no registry: whoever takes the name there would run code of theirs here."""
    told = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in ("graphmem", "worker", "bench", "docs", ".")
        for path in sorted((ROOT / folder).glob("*" if folder == "." else "**/*"))
        if path.suffix in (".py", ".md") and "node_modules" not in path.parts
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if "install" in line and ("graphmem[" in line or "pip install graphmem" in line)
    ]
    assert not told, (
        f"say how to install from the checkout (graphmem_worker.errors.install): {told}"
    )


def test_a_quick_run_has_a_file_of_every_room() -> None:
    """A room without one could break and `make quick` would say that all is well."""
    from tests.conftest import QUICK

    assert {*LAYERS, "values", "worker"} <= {file.partition("/")[0] for file in QUICK}
    assert [file for file in QUICK if not (ROOT / "tests" / file).is_file()] == []
