"""The house keeps its shape: imports run downwards, and a file is named after what it owns.

A layered engine rots by one convenient import at a time, and the pickle that sneaks in is code
executed from data. DESIGN §1 states the rules; here they are read off the sources.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

SOURCES = ("graphmem", "worker", "tests", "bench")

LAYERS = {
    "storage": 0,
    "hexastore": 1,
    "index": 2,
    "graph": 2,
    "remembering": 3,
    "recalling": 3,
    "forgetting": 3,
    "attaching": 4,
}
"""The rooms of graphmem. A room may use the rooms of a lower layer and itself, no other."""

OPEN_TO_ALL = {"settings", "errors"}
"""Modules that every room may use; they themselves use no room."""

READS_TEXT = {"index", "graph", "remembering", "recalling", "forgetting"}
"""Rooms that may use the worker's text functions; so may the modules above all rooms."""

VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "base", "manager"}

RUNS_CODE_FROM_DATA = {"pickle", "_pickle", "cPickle", "cloudpickle", "dill", "shelve", "marshal"}

DETOUR = ".".join(("worker", "graphmem_worker"))
"""The worker seen as a folder of the checkout: a second copy of its modules, absent from wheels."""


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


def is_module(name: str, root: Path) -> bool:
    place = Path(*name.split("."))
    return any(
        (base / place).is_dir() or (base / place).with_suffix(".py").is_file()
        for base in (root, root / "worker")
    )


def imports_of(path: Path, root: Path) -> Iterator[Import]:
    """Yield what `path` imports, by statement or by `import_module("…")`, and where."""
    shown = path.relative_to(root).as_posix()
    here = module_name(path, root)
    package = here if path.name == "__init__.py" else here.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text("utf-8"), shown)):
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
    if importer[0] == "graphmem_worker" and imported[0] == "graphmem":
        return "graphmem_worker imports nothing of graphmem"
    if importer[0] != "graphmem" or len(importer) == 1:
        return None
    room = importer[1]
    layer = LAYERS.get(room)
    if imported[0] == "graphmem_worker":
        if room in READS_TEXT or (layer is None and room not in OPEN_TO_ALL):
            return None
        return f"{room} knows nothing of text; only {', '.join(sorted(READS_TEXT))} and the top do"
    if imported[0] != "graphmem":
        return None
    target = imported[1] if len(imported) > 1 else "the top"
    if target in OPEN_TO_ALL or target == room:
        return None
    if room in OPEN_TO_ALL:
        return f"{room} is used by every room and uses none, not {target}"
    if layer is None:
        return None
    if target not in LAYERS:
        return f"{room} must not use {target}, which stands above all rooms"
    if LAYERS[target] == layer:
        return f"{room} and {target} stand side by side and must not use each other"
    if LAYERS[target] > layer:
        return f"{room} must not use {target}, which stands above it"
    return None


def import_faults(root: Path) -> Iterator[str]:
    """Yield `file:line: what is wrong` for each import under `root` that breaks a rule."""
    for path in sources(root):
        for found in imports_of(path, root):
            where = f"{found.path}:{found.line}: imports {found.imported}: "
            if found.imported.split(".")[0] in RUNS_CODE_FROM_DATA:
                yield where + "what it reads may run code"
            if found.imported == DETOUR or found.imported.startswith(DETOUR + "."):
                yield where + "import graphmem_worker instead"
            elif fault := room_fault(found):
                yield where + fault
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
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
        for part in relative.with_suffix("").parts:
            if part.strip("_") in VAGUE_NAMES:
                yield f"{relative.as_posix()}:1: {part} says nothing; name it after what it owns"
        if relative.parts[0] == "graphmem" and len(relative.parts) > 2:
            room = relative.parts[1]
            if room not in LAYERS:
                yield f"{relative.as_posix()}:1: {room} is no room of the house; add it to LAYERS"


def sources(root: Path) -> Iterator[Path]:
    for folder in SOURCES:
        yield from sorted((root / folder).rglob("*.py"))


def test_imports_run_downwards() -> None:
    faults = list(import_faults(ROOT))
    assert not faults, "\n" + "\n".join(faults)


def test_names_say_what_a_file_owns() -> None:
    faults = list(name_faults(ROOT))
    assert not faults, "\n" + "\n".join(faults)


def test_the_sources_are_where_this_test_looks() -> None:
    """Moved sources would make the two tests above pass by finding nothing."""
    assert (ROOT / "graphmem" / "errors.py") in set(sources(ROOT))
    assert Path(__file__) in set(sources(ROOT))


def house(root: Path, path: str, line: str) -> Path:
    """Build a small house in which the file `path` holds `line` as its second line."""
    for room in LAYERS:
        (root / "graphmem" / room).mkdir(parents=True)
        (root / "graphmem" / room / "__init__.py").touch()
    (root / "worker" / "graphmem_worker").mkdir(parents=True)
    for file in ("errors", "settings", "memory", "graph/links", "storage/engine"):
        (root / "graphmem" / f"{file}.py").touch()
    (root / "worker" / "graphmem_worker" / "sentences.py").touch()
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
        ("graphmem/graph/x.py", "from graphmem.memory import Memory"),
        ("graphmem/graph/x.py", "import graphmem"),
        ("graphmem/graph/x.py", "from graphmem import open"),
        ("graphmem/errors.py", "from graphmem.storage import engine"),
        ("graphmem/settings.py", "from graphmem_worker import sentences"),
        ("graphmem/hexastore/x.py", "from graphmem_worker import sentences"),
        ("graphmem/storage/x.py", "import graphmem_worker.sentences"),
        ("worker/graphmem_worker/x.py", "from graphmem.errors import GraphMemError"),
        ("worker/graphmem_worker/x.py", "import graphmem"),
        ("graphmem/memory.py", f"from {DETOUR} import sentences"),
        ("graphmem/memory.py", "from worker import graphmem_worker"),
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
        ("graphmem/index/x.py", "from graphmem_worker import sentences"),
        ("graphmem/memory.py", "from graphmem_worker.sentences import cut"),
        ("graphmem/cli.py", "from graphmem import memory, storage"),
        ("graphmem/__init__.py", "from graphmem.memory import Memory"),
        ("worker/graphmem_worker/x.py", "from graphmem_worker import sentences"),
        ("worker/graphmem_worker/x.py", "from . import sentences"),
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
    ],
)
def test_a_name_that_says_nothing_is_found(tmp_path: Path, path: str) -> None:
    faults = list(name_faults(house(tmp_path, path, "")))
    assert len(faults) == 1, faults
    assert faults[0].startswith(f"{path}:1: ")
