"""`help()` of a public record tells what its fields mean.

A comment behind a field is shown by no `help()`: `score`, `coverage` and `kept` stood there unexplained.
"""

import ast
import dataclasses
import inspect
import re
from pathlib import Path

import pytest

import graphmem
from graphmem.api.nouns import MOVED
from graphmem.api.verbs import Verbs
from graphmem.declaring import verbs_of

RECORDS = [
    value
    for name in sorted(dir(graphmem))
    if inspect.isclass(value := getattr(graphmem, name)) and dataclasses.is_dataclass(value)
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_no_field_is_explained_by_a_comment_alone(record: type) -> None:
    commented = [
        line.strip()
        for line in inspect.getsource(record).splitlines()
        if re.match(r"    \w+: .*\S  # (?!fmt|type)", line)
    ]
    assert not commented, f"say it in the docstring of {record.__name__}: {commented}"


_NAMED = re.compile(r"\b[Mm]emory\.([a-z_]+)(\.[a-z_]+)?\b|`(\w+)`|\b(\w+)\(\)")
_OTHERS = {"jsonl", "html", "map", "run"}  # memory.jsonl; of an awaited memory
_VERBS = verbs_of(Verbs).values()
_NOUNS = {str(verb.of).split(".")[0] for verb in _VERBS if verb.of}
_THERE = {*dir(graphmem.Memory), *_OTHERS, *verbs_of(Verbs)}
_FORMER = {name for name in MOVED if "_" in name} - {verb.method for verb in _VERBS}
"""Former names that mean nothing else."""


def is_there(memory: str, inner: str, quoted: str, called: str) -> bool:
    name = memory + (inner if memory in _NOUNS else "")
    known = not name or any(f"{there}.".startswith(f"{name}.") for there in _THERE)
    return known and not {quoted, called} & _FORMER


def test_help_and_errors_name_what_there_is() -> None:
    """An error advised `Memory.relate`, `help()` a `remember_file`: both had moved."""
    assert not is_there("relate", "", "", "")
    assert not is_there("graph", ".relates", "", "")
    assert is_there("graph", ".relate", "", "")
    wrong = [
        (path.name, node.lineno, found[0])
        for path in sorted(Path(graphmem.__file__).parent.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for found in _NAMED.finditer(node.value)
        if not is_there(*(part or "" for part in found.groups()))
    ]
    assert wrong == []


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_what_a_docstring_explains_is_a_field(record: type) -> None:
    """A field that was renamed leaves no old name behind."""
    told = re.findall(r"^(\w+(?:, \w+)*): ", inspect.getdoc(record) or "", re.MULTILINE)
    fields = {field.name for field in dataclasses.fields(record)}
    unknown = [name for names in told for name in names.split(", ") if name not in fields]
    assert not unknown, f"{record.__name__} has no field {unknown}"
