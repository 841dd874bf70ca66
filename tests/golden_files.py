"""Golden files: what is read, ranked and kept of given texts, row by row, in `tests/golden/`.

A row that differs is a fault, or a change that is meant: then `GRAPHMEM_GOLDEN=write` with the same
tests writes the file anew, and its diff is part of the change.
"""

import dataclasses
import json
import math
import os
from collections.abc import Mapping, Set
from datetime import date
from pathlib import Path
from typing import Any, Final

_FOLDER: Final = Path(__file__).parent / "golden"
_SHOWN: Final = 3  # rows that differ


def assert_golden(name: str, rows: Mapping[str, object]) -> None:
    """Assert that the rows are those of the golden file `name`, one JSON value a line."""
    told = {key: json.loads(json.dumps(_plain(row))) for key, row in rows.items()}
    path = _FOLDER / f"{name}.tsv"
    if os.environ.get("GRAPHMEM_GOLDEN") == "write":
        lines = (f"{key}\t{json.dumps(row, ensure_ascii=False)}\n" for key, row in told.items())
        path.write_text("".join(lines), "utf-8")
    pairs = (line.split("\t", 1) for line in path.read_text("utf-8").splitlines())
    known = {key: json.loads(row) for key, row in pairs}
    other = [key for key in {**known, **told} if not _same(known.get(key), told.get(key))]
    shown = "\n".join(
        f"{key}\n  was {known.get(key)}\n  is  {told.get(key)}" for key in other[:_SHOWN]
    )
    assert not other, f"{len(other)} of {len(known)} rows of {path.name} differ:\n{shown}"


def _same(a: Any, b: Any) -> bool:
    """Floats are the same to three digits: Pythons add them up in different ways."""
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=2e-3)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    return type(a) is type(b) and a == b


def _plain(value: Any) -> Any:
    """A value as JSON has it: sets sorted, floats to four digits, records without what is empty."""
    if dataclasses.is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    elif isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        pairs = ((str(key), _plain(part)) for key, part in value.items())
        return {key: part for key, part in pairs if part not in (None, "", [], {}, 0, False)}
    if isinstance(value, Set):
        return sorted(map(str, value))
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float):
        return float(f"{value:.4g}")
    return value.isoformat() if isinstance(value, date) else value
