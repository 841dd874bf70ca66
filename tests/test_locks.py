"""What a lock guards somewhere is written only under it.

A write that forgets the lock passes every test of one thread, and loses what another thread wrote
once in a thousand runs. Here the sources are read: an attribute that a class reads or writes under
one of its locks is written, outside `__init__`, only while one of those is held.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.test_house import ROOT

_LOCKS = {"Lock", "RLock", "Condition"}
_CHANGES = {
    "add", "append", "appendleft", "clear", "discard", "extend", "insert", "move_to_end", "pop",
    "popitem", "popleft", "remove", "setdefault", "update",
}  # fmt: skip

WITHOUT: Mapping[tuple[str, str], str] = {
    ("WordIndex", "_folded"): "readers fill this cache, and a fold begins it anew",
    ("LevelDBEngine", "_broken"): "commits and a compaction go on while the files are synced",
    ("HomeEngine", "_failed"): "the thread of the lease waits for no row that is on its way",
    ("Lease", "_names"): "the name leaves the set in one step, once the home has answered",
    ("Lease", "_left"): "one thread takes from its front; another one appends, in one step",
    ("ThemeIndex", "_waiting"): "whoever wrote appends, in one step, and waits for no turn",
    ("ThemeIndex", "_gone"): "whoever wrote appends, in one step, and waits for no turn",
    ("WorkerProcess", "_closed"): "who starts a worker holds the lock until it has its model",
}
"""(class, attribute): why it is written without the lock."""


class _Use(NamedTuple):
    method: str
    attribute: str
    is_write: bool
    held: frozenset[str]
    line: int


def _own(node: ast.AST) -> str | None:
    """The attribute of `self` that an expression is, or is an element of."""
    while isinstance(node, ast.Subscript):
        node = node.value
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return node.attr if is_own and node.value.id == "self" else None  # type: ignore[attr-defined]


def _targets(node: ast.AST) -> Iterator[ast.AST]:
    """What a statement or a call changes."""
    if isinstance(node, (ast.Assign, ast.Delete)):
        for target in node.targets:
            yield from target.elts if isinstance(target, ast.Tuple) else [target]
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        yield node.target
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _CHANGES
    ):
        yield node.func.value


class _Class:
    """What the methods of a class do to its attributes, and under which of its locks."""

    def __init__(self, found: ast.ClassDef) -> None:
        self.methods = {each.name: each for each in found.body if isinstance(each, ast.FunctionDef)}
        made = {
            _own(target)
            for node in ast.walk(found)
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and ast.unparse(node.value.func).split(".")[-1] in _LOCKS
            for target in node.targets
        }
        fields = {
            ast.unparse(each.target)
            for each in found.body
            if isinstance(each, ast.AnnAssign) and ast.unparse(each.annotation) in _LOCKS
        }
        self.locks = frozenset(name for name in made | fields if name is not None)
        self.uses: list[_Use] = []
        self.calls: dict[str, list[tuple[str, frozenset[str]]]] = defaultdict(list)
        for name, method in self.methods.items():
            held = (
                self.locks if "_alone" in map(ast.unparse, method.decorator_list) else frozenset()
            )
            for statement in method.body:
                self._look(statement, name, held)

    def _look(self, node: ast.AST, method: str, held: frozenset[str]) -> None:
        if isinstance(node, ast.With):
            for item in node.items:
                self._look(item.context_expr, method, held)
            held |= self.locks & {str(_own(item.context_expr)) for item in node.items}
            for statement in node.body:
                self._look(statement, method, held)
            return
        for target in _targets(node):
            if (name := _own(target)) is not None:
                self.uses.append(_Use(method, name, True, held, target.lineno))  # type: ignore[attr-defined]
        if isinstance(node, ast.Attribute) and (name := _own(node)) is not None:
            if name in self.methods:
                self.calls[name].append((method, held))
            else:
                self.uses.append(_Use(method, name, False, held, node.lineno))
        for inner in ast.iter_child_nodes(node):
            self._look(inner, method, held)

    def _held_by_callers(self) -> Mapping[str, frozenset[str]]:
        """The locks that are held whenever a method is called: private ones have only callers here."""
        held = {
            name: self.locks if name[0] == "_" != name[1:2] and self.calls[name] else frozenset()
            for name in self.methods
        }
        while True:
            closer = {
                name: frozenset.intersection(
                    known, *(locks | held[caller] for caller, locks in self.calls[name])
                )
                for name, known in held.items()
            }
            if closer == held:
                return held
            held = closer

    def faults(self) -> Iterator[tuple[str, int]]:
        """Attributes that are written without the lock that guards them elsewhere, and where."""
        outside = self._held_by_callers()
        guards: dict[str, frozenset[str]] = defaultdict(frozenset)
        uses = [use for use in self.uses if use.method != "__init__"]
        for use in uses:
            guards[use.attribute] |= use.held | outside[use.method]
        for use in uses:
            guard = guards[use.attribute]
            if use.is_write and guard and not guard & (use.held | outside[use.method]):
                yield use.attribute, use.line


def faults_of(source: str) -> Iterator[tuple[str, str, int]]:
    """(class, attribute, line) of what is written without its lock."""
    if not any(lock in source for lock in _LOCKS):
        return  # most files need not be parsed
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            yield from ((node.name, *fault) for fault in _Class(node).faults())


def test_what_a_lock_guards_is_written_under_it() -> None:
    found, known = [], set()
    for path in sorted(
        file for top in ("graphmem", "worker") for file in (ROOT / top).rglob("*.py")
    ):
        for name, attribute, line in faults_of(path.read_text("utf-8")):
            known.add((name, attribute))
            if (name, attribute) not in WITHOUT:
                found.append(f"{Path(path).relative_to(ROOT)}:{line}: {name}.{attribute}")
    assert found == []
    assert known == {*WITHOUT}, "what needs no exception has none"


GUARDED = """
class Counter:
    def __init__(self):
        self._lock = Lock()
        self._count = 0

    def add(self):
        with self._lock:
            self._add(1)

    def _add(self, number):
        self._count += number

    def count(self):
        with self._lock:
            return self._count
"""


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("", "", []),
        ("with self._lock:\n            self._add", "if True:\n            self._add", [12]),
        ("return self._count", "self._count = 0", []),
        ("def count", "def clear(self):\n        self._count = 0\n\n    def count", [15]),
    ],
)
def test_a_write_without_the_lock_is_found_at_its_line(
    before: str, after: str, found: list[int]
) -> None:
    source = GUARDED.replace(before, after) if before else GUARDED
    assert [line for _, _, line in faults_of(source)] == found
