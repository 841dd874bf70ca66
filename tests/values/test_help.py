"""`help()` of a public record tells what its fields mean.

A comment behind a field is shown by no `help()`: `score`, `coverage` and `kept` stood there unexplained.
"""

import dataclasses
import inspect
import re

import pytest

import graphmem

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


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_what_a_docstring_explains_is_a_field(record: type) -> None:
    """A field that was renamed leaves no old name behind."""
    told = re.findall(r"^(\w+(?:, \w+)*): ", inspect.getdoc(record) or "", re.MULTILINE)
    fields = {field.name for field in dataclasses.fields(record)}
    unknown = [name for names in told for name in names.split(", ") if name not in fields]
    assert not unknown, f"{record.__name__} has no field {unknown}"
